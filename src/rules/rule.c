/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules/rule.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

const char *rule_table_text(enum rule_table t)
{
	static const char *const names[_TABLE_MAX] = {
		[TABLE_FILTER] = "filter",
		[TABLE_NAT] = "nat",
	};

	return names[t];
}

const char *rule_lookup_text(enum rule_lookup l)
{
	static const char *const texts[] = {
		[LOOKUP_DST] = "dst",
		[LOOKUP_DST_DST] = "dst,dst",
		[LOOKUP_DST_DST_SRC] = "dst,dst,src",
		[LOOKUP_SRC_DST] = "src,dst",
	};

	return texts[l];
}

/* What stands before and after the name of the service port. */
static const struct {
	const char *before, *after;
} comments[] = {
	[COMMENT_NAME] = {"", ""},
	[COMMENT_NO_ENDPOINTS] = {"", " has no endpoints"},
	[COMMENT_NO_LOCAL_ENDPOINTS] = {"", " has no local endpoints"},
	[COMMENT_NOT_ACCEPTED] = {"", " traffic not accepted by "},
	[COMMENT_HEALTH_CHECK] = {"", " health check node port"},
	[COMMENT_CLUSTER_IP] = {"", " cluster IP"},
	[COMMENT_EXTERNAL_IP] = {"", " external IP"},
	[COMMENT_LOAD_BALANCER_IP] = {"", " loadbalancer IP"},
	[COMMENT_MASQ_EXTERNAL] = {"masquerade traffic for ", " external destinations"},
	[COMMENT_POD_EXTERNAL] = {"pod traffic for ", " external destinations"},
	[COMMENT_MASQ_LOCAL_EXTERNAL] = {"masquerade LOCAL traffic for ", " external destinations"},
	[COMMENT_ROUTE_LOCAL_EXTERNAL] = {"route LOCAL traffic for ", " external destinations"},
	[COMMENT_DROPPED_LATER] = {"other traffic to ", " will be dropped by KUBE-PROXY-FIREWALL"},
	[COMMENT_ENDPOINT] = {"", " -> "},
};

static bool comment_has_name(const struct rule *r)
{
	return r->comment != COMMENT_NONE && r->comment != COMMENT_LITERAL &&
	       r->comment != COMMENT_SET;
}

static bool uses_chain(const struct rule *r)
{
	return r->target == TARGET_JUMP || r->comment == COMMENT_NOT_ACCEPTED ||
	       r->flags & (RULE_RECENT_CHECK | RULE_RECENT_SET);
}

static bool uses_endpoint(const struct rule *r)
{
	return r->target == TARGET_DNAT || r->comment == COMMENT_ENDPOINT;
}

static bool same_name(const struct rule *a, const struct service *sa, const struct rule *b,
		      const struct service *sb)
{
	if (sa == sb && a->port_index == b->port_index)
		return true;
	return streq(sa->key, sb->key) &&
	       streq(sa->def->ports[a->port_index].name, sb->def->ports[b->port_index].name);
}

static bool same_set(const struct rule *a, const struct rule *b)
{
	if (a->lookup != b->lookup || !streq(a->set->name, b->set->name))
		return false;
	return a->comment != COMMENT_SET || streq(a->set->comment, b->set->comment);
}

#define RULE_MARKS (RULE_MARK | RULE_MARK_NOT)
#define RULE_PROTOCOLS (RULE_PROTOCOL | RULE_PROTOCOL_BARE | RULE_IPVS)

static bool uses_mark(const struct rule *r)
{
	return r->flags & RULE_MARKS || r->target == TARGET_MARK_XOR || r->target == TARGET_MARK_OR;
}

bool rule_equal(const struct rule *a, const struct service *sa, const struct rule *b,
		const struct service *sb)
{
	uint32_t flags = a->flags;

	if (flags != b->flags || a->comment != b->comment || a->target != b->target)
		return false;
	if (flags & RULE_PROTOCOLS && a->protocol != b->protocol)
		return false;
	if (flags & (RULE_DPORT | RULE_IPVS) && a->dport != b->dport)
		return false;
	if (flags & RULE_STATISTIC && a->one_in != b->one_in)
		return false;
	if (flags & RULE_RECENT_CHECK && a->seconds != b->seconds)
		return false;
	if (uses_mark(a) && a->mark != b->mark)
		return false;
	if (flags & (RULE_SRC | RULE_SRC_NOT) && addr_prefix_compare(&a->src, &b->src) != 0)
		return false;
	if (flags & (RULE_DST | RULE_DST_NOT) && addr_prefix_compare(&a->dst, &b->dst) != 0)
		return false;
	if (flags & (RULE_IN | RULE_IN_NOT) && !streq(a->interface, b->interface))
		return false;
	if (uses_chain(a) && a->chain != b->chain && !streq(a->chain, b->chain))
		return false;
	if (flags & RULE_SET)
		return same_set(a, b);
	if (a->comment == COMMENT_LITERAL)
		return streq(a->literal, b->literal);
	if (uses_endpoint(a) && a->endpoint != b->endpoint &&
	    (a->endpoint->port != b->endpoint->port ||
	     !addr_equal(&a->endpoint->ip, &b->endpoint->ip)))
		return false;
	return !comment_has_name(a) || same_name(a, sa, b, sb);
}

bool rule_lists_equal(const struct rule_list *a, const struct service *sa,
		      const struct rule_list *b, const struct service *sb)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!rule_equal(&a->items[i], sa, &b->items[i], sb))
			return false;
	return true;
}

/*
 * The printer. A large ruleset has 100,000 rules, so pieces of known length are copied and nothing
 * is formatted where that can be helped. Every clause begins with a blank, which the first leaves
 * out.
 */
struct printer {
	struct strbuf *out;
	bool started;
};

static void clause_bytes(struct printer *p, const char *text, size_t n)
{
	size_t skip = p->started ? 0 : 1;

	p->started = true;
	strbuf_add_bytes(p->out, text + skip, n - skip);
}

/* For literals only. */
#define clause(p, literal) clause_bytes((p), "" literal, sizeof(literal) - 1)

static void print_comment(const struct rule *r, const struct service *service, struct printer *p)
{
	struct strbuf *out = p->out;
	bool quoted = r->comment != COMMENT_NAME;
	const char *port_name;
	char text[ADDR_PORT_TEXT_MAX];

	if (r->comment == COMMENT_NONE)
		return;
	clause(p, " -m comment --comment ");
	if (quoted)
		strbuf_add_char(out, '"');
	if (!comment_has_name(r)) {
		strbuf_add(out, r->comment == COMMENT_SET ? r->set->comment : r->literal);
	} else {
		strbuf_add(out, comments[r->comment].before);
		strbuf_add(out, service->key);
		port_name = service->def->ports[r->port_index].name;
		if (port_name[0]) {
			strbuf_add_char(out, ':');
			strbuf_add(out, port_name);
		}
		strbuf_add(out, comments[r->comment].after);
		if (r->comment == COMMENT_NOT_ACCEPTED)
			strbuf_add(out, r->chain);
		else if (r->comment == COMMENT_ENDPOINT)
			strbuf_add(out,
				   addr_port_format(&r->endpoint->ip, r->endpoint->port, text));
	}
	if (quoted)
		strbuf_add_char(out, '"');
}

static void print_conntrack(const struct rule *r, struct printer *p)
{
	if (r->flags & RULE_CT_NEW)
		clause(p, " -m conntrack --ctstate NEW");
	if (r->flags & RULE_CT_INVALID)
		clause(p, " -m conntrack --ctstate INVALID");
	if (r->flags & RULE_CT_ESTABLISHED)
		clause(p, " -m conntrack --ctstate RELATED,ESTABLISHED");
	if (r->flags & RULE_CT_NOT_KNOWN)
		clause(p, " -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT");
}

/* 1/n with ten decimals, as printf("%.10f") rounds the nearest double. */
static void print_probability(uint32_t n, struct strbuf *out)
{
	const uint64_t scale = UINT64_C(10000000000);
	uint64_t value = scale / n, rest = scale % n;
	char digits[12];

	if (n < 2 || rest * 2 == n) {
		/* 1, and exact halves (n = 2048 and its like): there the double decides. */
		strbuf_addf(out, "%.10f", 1.0 / n);
		return;
	}
	if (rest * 2 > n)
		value++;
	for (int i = 11; i > 1; i--) {
		digits[i] = (char)('0' + value % 10);
		value /= 10;
	}
	digits[1] = '.';
	digits[0] = '0';
	strbuf_add_bytes(out, digits, sizeof(digits));
}

static void print_prefix(const struct addr_prefix *prefix, bool with_length, struct strbuf *out)
{
	unsigned full = prefix->addr.family == ADDR_IPV4 ? 32 : 128;
	char text[ADDR_PREFIX_TEXT_MAX];

	if (with_length || prefix->length != full)
		strbuf_add(out, addr_prefix_format(prefix, text));
	else
		strbuf_add(out, addr_format(&prefix->addr, text));
}

static void print_addresses(const struct rule *r, struct printer *p)
{
	if (r->flags & (RULE_DST | RULE_DST_NOT)) {
		if (r->flags & RULE_DST_NOT)
			clause(p, " ! -d ");
		else
			clause(p, " -d ");
		print_prefix(&r->dst, r->flags & RULE_DST_PREFIX, p->out);
	}
	if (r->flags & RULE_DPORT) {
		clause(p, " --dport ");
		strbuf_add_u64(p->out, r->dport);
	}
	if (r->flags & (RULE_SRC | RULE_SRC_NOT)) {
		if (r->flags & RULE_SRC_NOT)
			clause(p, " ! -s ");
		else
			clause(p, " -s ");
		print_prefix(&r->src, r->flags & RULE_SRC_PREFIX, p->out);
	}
	if (r->flags & (RULE_IN | RULE_IN_NOT)) {
		if (r->flags & RULE_IN_NOT)
			clause(p, " ! -i ");
		else
			clause(p, " -i ");
		strbuf_add(p->out, r->interface);
	}
}

static void print_target(const struct rule *r, struct printer *p)
{
	char text[ADDR_PORT_TEXT_MAX];

	switch ((enum rule_target)r->target) {
	case TARGET_NONE:
		break;
	case TARGET_JUMP:
		clause(p, " -j ");
		strbuf_add(p->out, r->chain);
		break;
	case TARGET_ACCEPT:
		clause(p, " -j ACCEPT");
		break;
	case TARGET_DROP:
		clause(p, " -j DROP");
		break;
	case TARGET_REJECT:
		clause(p, " -j REJECT");
		break;
	case TARGET_RETURN:
		clause(p, " -j RETURN");
		break;
	case TARGET_MARK_XOR:
		clause(p, " -j MARK");
		strbuf_addf(p->out, " --xor-mark 0x%08x", r->mark);
		break;
	case TARGET_MARK_OR:
		clause(p, " -j MARK");
		strbuf_addf(p->out, " --or-mark 0x%08x", r->mark);
		break;
	case TARGET_MASQUERADE:
		clause(p, " -j MASQUERADE --random-fully");
		break;
	case TARGET_DNAT:
		clause(p, " -j DNAT --to-destination ");
		strbuf_add(p->out, addr_port_format(&r->endpoint->ip, r->endpoint->port, text));
		break;
	case TARGET_MASQUERADE_PLAIN:
		clause(p, " -j MASQUERADE");
		break;
	}
}

static void print_set(const struct rule *r, struct printer *p)
{
	if (r->flags & RULE_SET) {
		clause(p, " -m set --match-set ");
		strbuf_add(p->out, r->set->name);
		strbuf_add_char(p->out, ' ');
		strbuf_add(p->out, rule_lookup_text((enum rule_lookup)r->lookup));
	}
	if (r->flags & RULE_NOT_PHYSDEV_IN)
		clause(p, " -m physdev ! --physdev-is-in");
	if (r->flags & RULE_SRC_NOT_LOCAL)
		clause(p, " -m addrtype ! --src-type LOCAL");
}

static void print_ipvs(const struct rule *r, struct printer *p)
{
	char text[ADDR_TEXT_MAX];

	clause(p, " -m ipvs --vaddr ");
	strbuf_add(p->out, addr_format(&r->src.addr, text));
	strbuf_addf(p->out, " --vproto %s --vport %u", svc_proto_lower((enum svc_proto)r->protocol),
		    r->dport);
}

/* The order of the clauses is that of all templates of spec/iptables.md section 3.4 and
 * spec/ipvs.md section 1.4 at once: the kernel keeps the order of matches, so it shows in a save.
 */
void rule_print(const struct rule *r, const struct service *service, struct strbuf *out)
{
	struct printer p = {.out = out};

	if (r->flags & RULE_PROTOCOL_BARE) {
		clause(&p, " -p ");
		strbuf_add(out, svc_proto_lower((enum svc_proto)r->protocol));
	}
	if (r->flags & RULE_COMMENT_LAST)
		print_conntrack(r, &p);
	print_comment(r, service, &p);
	if (r->flags & (RULE_RECENT_CHECK | RULE_RECENT_SET)) {
		clause(&p, " -m recent --name ");
		strbuf_add(out, r->chain);
		if (r->flags & RULE_RECENT_CHECK) {
			clause(&p, " --rcheck --seconds ");
			strbuf_add_u64(out, r->seconds);
			clause(&p, " --reap");
		} else {
			clause(&p, " --set");
		}
	}
	if (r->flags & RULE_STATISTIC) {
		clause(&p, " -m statistic --mode random --probability ");
		print_probability(r->one_in, out);
	}
	print_set(r, &p);
	if (r->flags & RULE_DST_LOCAL)
		clause(&p, " -m addrtype --dst-type LOCAL");
	if (r->flags & RULE_SRC_LOCAL)
		clause(&p, " -m addrtype --src-type LOCAL");
	if (r->flags & RULE_PROTOCOL) {
		const char *protocol = svc_proto_lower((enum svc_proto)r->protocol);

		clause(&p, " -m ");
		strbuf_add(out, protocol);
		clause(&p, " -p ");
		strbuf_add(out, protocol);
	}
	print_addresses(r, &p);
	if (r->flags & RULE_IPVS)
		print_ipvs(r, &p);
	if (r->flags & RULE_MARKS) {
		clause(&p, " -m mark");
		if (r->flags & RULE_MARK_NOT)
			clause(&p, " !");
		strbuf_addf(out, " --mark 0x%08x/0x%08x", r->mark, r->mark);
	}
	if (!(r->flags & RULE_COMMENT_LAST))
		print_conntrack(r, &p);
	if (r->flags & RULE_NFACCT_INVALID)
		clause(&p, " -m nfacct --nfacct-name ct_state_invalid_dropped_pkts");
	if (r->flags & RULE_NFACCT_LOCALHOST)
		clause(&p, " -m nfacct --nfacct-name localhost_nps_accepted_pkts");
	print_target(r, &p);
}
