/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-look.h"

#include <errno.h>

#include "base/array.h"

const char *ipvs_reason(int error)
{
	switch (-error) {
	case EPERM:
	case EACCES:
		return "not permitted; CAP_NET_ADMIN is needed";
	case EAFNOSUPPORT:
		return "this kernel's IPVS has no IPv6";
	case ENOBUFS:
	case ENOMEM:
		return "the kernel has no memory for it";
	case EAGAIN:
		return "it changes faster than it can be read";
	default:
		return strerror(-error);
	}
}

void ipvs_doors_done(struct ipvs_doors *d)
{
	(void)ipvs_close(d->ipvs);
	(void)ipset_close(d->ipset);
	(void)links_close(d->links);
	*d = (struct ipvs_doors){0};
}

int ipvs_doors_open(struct ipvs_doors *d, struct ipvs_outcome *o)
{
	int r;

	r = ipvs_open(&d->ipvs);
	if (r < 0) {
		ipvs_outcome_fail(
			o, _ADDR_FAMILY_INVALID, r, "%s",
			r == -ENOENT
				? "this kernel has no IPVS: load ip_vs (modprobe ip_vs) or use "
				  "Mode=iptables"
			: r == -EPERM ? "IPVS: not permitted; CAP_NET_ADMIN is needed"
				      : ipvs_reason(r));
		return r;
	}
	r = ipset_open(&d->ipset);
	if (r < 0)
		ipvs_outcome_fail(o, _ADDR_FAMILY_INVALID, r, "sets of addresses: %s",
				  r == -EPROTONOSUPPORT
					  ? "this kernel has no ipset: load ip_set (modprobe "
					    "ip_set)"
					  : ipvs_reason(r));
	r = links_open(&d->links);
	if (r < 0)
		ipvs_outcome_fail(o, _ADDR_FAMILY_INVALID, r, "link " IPVS_DUMMY ": %s",
				  ipvs_reason(r));
	return 0;
}

void ipvs_doors_dummy(struct ipvs_doors *d, struct ipvs_outcome *o)
{
	bool dummy;
	int r;

	if (!d->links)
		return;
	r = links_find(d->links, IPVS_DUMMY, &d->dummy, &dummy);
	if (r == -ENODEV) {
		r = links_create_dummy(d->links, IPVS_DUMMY);
		if (r == 0 || r == -EEXIST)
			r = links_find(d->links, IPVS_DUMMY, &d->dummy, &dummy);
	}
	if (r == -EOPNOTSUPP)
		ipvs_outcome_fail(o, _ADDR_FAMILY_INVALID, r,
				  "link " IPVS_DUMMY " cannot be made: this kernel has no dummy "
				  "links, load dummy (modprobe dummy); no address is bound");
	else if (r < 0)
		ipvs_outcome_fail(o, _ADDR_FAMILY_INVALID, r,
				  "link " IPVS_DUMMY " cannot be made: %s; no address is bound",
				  ipvs_reason(r));
	if (r < 0)
		d->dummy = 0;
	else if (!dummy)
		ipvs_outcome_warn(o, "link " IPVS_DUMMY " is not a dummy link: somebody else made "
				     "it; it is used all the same");
}

void ipvs_seen_done(struct ipvs_seen *s)
{
	ipvs_seen_servers_done(&s->servers);
	ipset_sets_done(&s->sets);
	link_addresses_done(&s->addresses);
	for (int v = 0; v < _VARIANT_MAX; v++)
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
			iptables_seen_done(&s->rules[v][f]);
	*s = (struct ipvs_seen){0};
}

static int add_server(struct ipvs_doors *d, const struct ipvs_server *server,
		      struct ipvs_seen_servers *l)
{
	struct ipvs_dests dests = {0};
	int r;

	if (array_reserve(&l->items, &l->allocated, l->n + 1) < 0)
		return -ENOMEM;
	r = ipvs_list_dests(d->ipvs, &server->key, &dests);
	if (r < 0)
		return r;
	l->items[l->n++] = (struct ipvs_seen_server){.server = *server, .dests = dests};
	return 0;
}

int ipvs_look_server(struct ipvs_doors *d, const struct ipvs_key *key, struct ipvs_seen_servers *l)
{
	struct ipvs_server server;
	int r = ipvs_get_server(d->ipvs, key, &server);

	if (r == -ESRCH)
		return 0;
	return r < 0 ? r : add_server(d, &server, l);
}

int ipvs_look_servers(struct ipvs_doors *d, struct ipvs_seen_servers *l)
{
	_cleanup_ipvs_servers_ struct ipvs_servers servers = {0};
	int r = ipvs_list_servers(d->ipvs, &servers);

	for (size_t i = 0; r == 0 && i < servers.n; i++)
		if (servers.items[i].fwmark == 0)
			r = add_server(d, &servers.items[i], l);
	return r;
}

int ipvs_look(struct ipvs_doors *d, struct ipvs_seen *ret, struct ipvs_outcome *o)
{
	_cleanup_ipvs_seen_ struct ipvs_seen seen = {0};
	int r;

	r = ipvs_look_servers(d, &seen.servers);
	if (r < 0) {
		ipvs_outcome_fail(o, _ADDR_FAMILY_INVALID, r,
				  "virtual servers cannot be listed: %s", ipvs_reason(r));
		return r;
	}
	r = d->ipset ? ipset_list(d->ipset, "KUBE-", &seen.sets) : -EPROTONOSUPPORT;
	seen.has_sets = r == 0;
	if (r < 0 && d->ipset)
		ipvs_outcome_fail(o, _ADDR_FAMILY_INVALID, r, "sets cannot be listed: %s",
				  ipvs_reason(r));
	r = d->dummy ? links_list_addresses(d->links, d->dummy, &seen.addresses) : -ENODEV;
	seen.has_addresses = r == 0;
	if (r < 0 && d->dummy)
		ipvs_outcome_fail(o, _ADDR_FAMILY_INVALID, r,
				  "addresses of " IPVS_DUMMY " cannot be listed: %s",
				  ipvs_reason(r));
	*ret = seen;
	seen = (struct ipvs_seen){0};
	return 0;
}

static bool all_there(const struct link_addresses *there, const struct ipvs_state *wanted)
{
	unsigned full = wanted->family == ADDR_IPV4 ? 32 : 128;
	size_t k = 0;

	for (size_t i = 0; i < there->n && k < wanted->n_addresses; i++)
		k += there->items[i].prefix == full &&
		     addr_equal(&there->items[i].addr, &wanted->addresses[k]);
	return k == wanted->n_addresses;
}

bool ipvs_look_addresses(struct ipvs_state *const states[_ADDR_FAMILY_MAX])
{
	_cleanup_link_addresses_ struct link_addresses there = {0};
	_cleanup_(links_closep) struct links *l = NULL;
	bool dummy, all = true;
	int index, r;

	r = links_open(&l);
	if (r == 0)
		r = links_find(l, IPVS_DUMMY, &index, &dummy);
	if (r == 0)
		r = links_list_addresses(l, index, &there);
	for (int f = 0; r == 0 && f < _ADDR_FAMILY_MAX; f++)
		all = all && (!states[f] || all_there(&there, states[f]));
	return r == 0 && all;
}

const struct ipset_set *ipvs_seen_set(const struct ipvs_seen *s, const char *name)
{
	for (size_t i = 0; i < s->sets.n; i++)
		if (streq(s->sets.items[i].name, name))
			return &s->sets.items[i];
	return NULL;
}

size_t ipvs_seen_family(const struct ipvs_seen_servers *l, enum addr_family family,
			const struct ipvs_seen_server **ret)
{
	size_t from = 0, to;

	while (from < l->n && l->items[from].server.key.addr.family != family)
		from++;
	to = from;
	while (to < l->n && l->items[to].server.key.addr.family == family)
		to++;
	*ret = l->items ? l->items + from : NULL;
	return to - from;
}

char *ipvs_explain(const struct ipvs_change *c, const char *service)
{
	const char *scheduler = c->server.scheduler;
	const struct ipvs_key *key = &c->server.key;
	char text[ADDR_PORT_TEXT_MAX], dest[ADDR_PORT_TEXT_MAX];
	struct strbuf b = {0};

	strbuf_addf(&b, "%s/%s%s%s%s: cannot %s", addr_port_format(&key->addr, key->port, text),
		    ipvs_protocol_text(key->protocol), service ? " (" : "", service ? service : "",
		    service ? ")" : "", ipvs_verb_text(c->verb));
	if (c->verb >= IPVS_NEW_DEST)
		strbuf_addf(&b, " %s", addr_port_format(&c->dest.addr, c->dest.port, dest));
	strbuf_add(&b, ": ");
	if (c->error == -ENOENT && c->verb <= IPVS_SET_SERVER)
		strbuf_addf(&b,
			    "this kernel has no scheduler '%s': load ip_vs_%s (modprobe ip_vs_%s) "
			    "or choose another one",
			    scheduler, scheduler, scheduler);
	else
		strbuf_add(&b, ipvs_reason(c->error));
	return strbuf_take(&b);
}

static const char *module_of(enum ipset_type type)
{
	switch (type) {
	case IPSET_HASH_IP:
		return "ip_set_hash_ip";
	case IPSET_HASH_IP_PORT:
		return "ip_set_hash_ipport";
	case IPSET_HASH_IP_PORT_IP:
		return "ip_set_hash_ipportip";
	case IPSET_HASH_IP_PORT_NET:
		return "ip_set_hash_ipportnet";
	default:
		return "ip_set_bitmap_port";
	}
}

char *ipvs_explain_set(const char *name, enum ipset_type type, const char *what, int error)
{
	struct strbuf b = {0};

	strbuf_addf(&b, "set %s: %s: ", name, what);
	if (error == -ENOTSUP)
		strbuf_addf(&b, "this kernel has no sets of type %s: load %s (modprobe %s)",
			    ipset_type_text(type), module_of(type), module_of(type));
	else if (error == -ENOSPC)
		strbuf_add(&b, "it is full: a set holds at most 65536 entries");
	else
		strbuf_add(&b, ipvs_reason(error));
	return strbuf_take(&b);
}

char *ipvs_explain_rules(char *message)
{
	/* In both variants, of the program's own knowledge. */
	const char *name = message ? strstr(message, " Extension ") : NULL;
	struct strbuf b = {0};
	int n;

	if (!name)
		return message;
	name += strlen(" Extension ");
	n = (int)strspn(name, "abcdefghijklmnopqrstuvwxyz"); /* names of targets are in capitals */
	if (n == 0 || strncmp(name + n, " revision ", strlen(" revision ")) != 0)
		return message;
	strbuf_addf(&b, "%s: load xt_%.*s (modprobe xt_%.*s)", message, n, name, n, name);
	free(message);
	return strbuf_take(&b);
}
