/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules/ipvs-internal.h"

#include "base/cleanup.h"

/* spec/ipvs.md section 2.2: "-t 10.96.0.10:80" */
static void print_key(const struct ipvs_virtual *v, struct strbuf *out)
{
	static const char *const options[_SVC_PROTO_MAX] = {
		[SVC_TCP] = "-t",
		[SVC_UDP] = "-u",
		[SVC_SCTP] = "--sctp-service",
	};
	char text[ADDR_PORT_TEXT_MAX];

	strbuf_add(out, options[v->protocol]);
	strbuf_add_char(out, ' ');
	strbuf_add(out, addr_port_format(&v->addr, v->port, text));
}

/* Only sh and mh have flags: "-b mh-fallback,mh-port" */
static void print_flags(const struct ipvs_virtual *v, struct strbuf *out)
{
	bool fallback = v->flags & IPVS_FLAG_SCHED1, port = v->flags & IPVS_FLAG_SCHED2;

	if (!fallback && !port)
		return;
	strbuf_add(out, " -b ");
	if (fallback)
		strbuf_addf(out, "%s-fallback", v->scheduler);
	if (fallback && port)
		strbuf_add_char(out, ',');
	if (port)
		strbuf_addf(out, "%s-port", v->scheduler);
}

static void print_server(const struct ipvs_virtual *v, struct strbuf *out)
{
	char text[ADDR_PORT_TEXT_MAX];

	strbuf_add(out, "-A ");
	print_key(v, out);
	strbuf_add(out, " -s ");
	strbuf_add(out, v->scheduler);
	if (v->flags & IPVS_FLAG_PERSISTENT) {
		strbuf_add(out, " -p ");
		strbuf_add_u64(out, v->timeout);
	}
	print_flags(v, out);
	strbuf_add_char(out, '\n');
	for (size_t i = 0; i < v->n_reals; i++) {
		const struct ipvs_real *r = &v->reals[i];

		strbuf_add(out, "-a ");
		print_key(v, out);
		strbuf_add(out, " -r ");
		strbuf_add(out, addr_port_format(&r->addr, r->port, text));
		strbuf_add(out, " -m -w ");
		strbuf_add_u64(out, r->weight);
		strbuf_add_char(out, '\n');
	}
}

void ipvs_print_servers(const struct ipvs_state *s, struct strbuf *out)
{
	for (size_t i = 0; i < s->n_servers; i++)
		print_server(s->servers[i], out);
}

static void print_set(const struct ipvs_state *s, enum ipvs_set set, struct strbuf *out)
{
	const struct ipvs_set_row *row = &ipvs_set_rows[set];
	const char *name = row->names[s->family];

	strbuf_addf(out, "create %s %s ", name, ipvs_set_kind_text(row->kind));
	if (row->kind == SET_KIND_PORT)
		strbuf_add(out, "range 0-65535\n");
	else
		strbuf_addf(out, "family %s hashsize 1024 maxelem 65536\n",
			    s->family == ADDR_IPV4 ? "inet" : "inet6");
	for (size_t i = 0; i < s->n_entries[set]; i++) {
		strbuf_add(out, "add ");
		strbuf_add(out, name);
		strbuf_add_char(out, ' ');
		ipvs_entry_print(&s->entries[set][i], row->kind, out);
		strbuf_add_char(out, '\n');
	}
}

void ipvs_print_sets(const struct ipvs_state *s, struct strbuf *out)
{
	for (int i = 0; i < _SET_MAX; i++)
		print_set(s, (enum ipvs_set)i, out);
}

void ipvs_print_addresses(const struct ipvs_state *s, struct strbuf *out)
{
	for (size_t i = 0; i < s->n_addresses; i++) {
		struct addr_prefix p = addr_to_prefix(&s->addresses[i]);
		char text[ADDR_PREFIX_TEXT_MAX];

		strbuf_add(out, addr_prefix_format(&p, text));
		strbuf_add_char(out, '\n');
	}
}

static void print_table(const struct ipvs_state *s, enum rule_table table, struct strbuf *out)
{
	strbuf_addf(out, "*%s\n", rule_table_text(table));
	for (size_t i = 0; i < s->n_chains; i++)
		if (s->chains[i].table == table)
			strbuf_addf(out, ":%s - [0:0]\n", s->chains[i].chain.name);
	for (size_t i = 0; i < s->n_chains; i++) {
		const struct chain *c = &s->chains[i].chain;

		for (size_t k = 0; s->chains[i].table == table && k < c->rules.n; k++) {
			strbuf_addf(out, "-A %s ", c->name);
			rule_print(&c->rules.items[k], NULL, out);
			strbuf_add_char(out, '\n');
		}
	}
	for (size_t i = 0; i < n_ipvs_jumps; i++) {
		const struct ipvs_jump *j = &ipvs_jumps[i];

		if (j->table == table)
			strbuf_addf(out, "-I %s -m comment --comment \"%s\" -j %s\n", j->chain,
				    j->comment, j->target);
	}
	strbuf_add(out, "COMMIT\n");
}

void ipvs_print_rules(const struct ipvs_state *s, struct strbuf *out)
{
	print_table(s, TABLE_NAT, out);
	print_table(s, TABLE_FILTER, out);
}
