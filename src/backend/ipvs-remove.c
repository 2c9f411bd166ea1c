/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-remove.h"

#include <errno.h>
#include <unistd.h>

#include "backend/ipvs-apply.h"

void ipvs_removal_begin(struct ipvs_removal *r, const struct ipvs_memory *memory,
			struct ipvs_outcome *o)
{
	_cleanup_free_ char *data = NULL;
	size_t size = 0;
	int e;

	*r = (struct ipvs_removal){.memory = memory};
	e = memory->load(memory->userdata, &data, &size);
	if (e == 0)
		e = ipvs_owned_parse(data, size, &r->owned);
	r->recorded = e == 0;
	r->damaged = e == -EBADMSG;
	if (e < 0 && e != -ENOENT)
		ipvs_outcome_warn(o, "the record of what is ours in the kernel cannot be used: %s",
				  e == -EBADMSG ? "it is damaged" : strerror(-e));
}

void ipvs_removal_done(struct ipvs_removal *r)
{
	ipvs_owned_done(&r->owned);
}

static bool has_link(void)
{
	_cleanup_ipvs_doors_ struct ipvs_doors d = {0};
	bool dummy;

	return links_open(&d.links) == 0 && links_find(d.links, IPVS_DUMMY, &d.dummy, &dummy) == 0;
}

bool ipvs_removal_needed(const struct ipvs_removal *r)
{
	return r->owned.n_servers + r->owned.n_addresses > 0 || has_link();
}

static int compare_addrs(const void *a, const void *b)
{
	return addr_compare(a, b);
}

/* Those of a link come sorted. */
static bool contains(const struct addr_list *l, const struct addr *a)
{
	return l->n > 0 && bsearch(a, l->items, l->n, sizeof(*l->items), compare_addrs);
}

static int compare_server(const void *key, const void *item)
{
	const struct ipvs_seen_server *s = item;

	return addr_compare(key, &s->server.key.addr);
}

/* Without a record: an address with virtual servers is a kube-proxy's or ours. */
static bool has_servers(const struct ipvs_seen *seen, const struct addr *a)
{
	const struct ipvs_seen_servers *l = &seen->servers;

	return l->n > 0 && bsearch(a, l->items, l->n, sizeof(*l->items), compare_server);
}

static int find_addresses(const struct ipvs_removal *r, const struct ipvs_seen *seen,
			  struct addr_list *ret, size_t *ret_others)
{
	size_t others = 0;

	for (size_t i = 0; i < seen->addresses.n; i++) {
		const struct link_address *l = &seen->addresses.items[i];
		bool full = l->prefix == (l->addr.family == ADDR_IPV4 ? 32 : 128);
		int e;

		if (addr_kinds(&l->addr) & ADDR_IS_LINK_LOCAL && l->addr.family == ADDR_IPV6)
			continue; /* the kernel's own */
		if (!full || !(r->recorded ? ipvs_owned_has_address(&r->owned, &l->addr)
					   : has_servers(seen, &l->addr))) {
			others++;
			continue;
		}
		e = addr_list_add(ret, &l->addr);
		if (e < 0)
			return e;
	}
	*ret_others = others;
	return 0;
}

static bool is_ours(const struct ipvs_removal *r, const struct addr_list *addresses,
		    const struct ipvs_key *key)
{
	return r->recorded ? ipvs_owned_has_server(&r->owned, key)
			   : contains(addresses, &key->addr);
}

static int compare_keys(const void *a, const void *b)
{
	return ipvs_key_compare(a, b);
}

static int compare_key_address(const void *addr, const void *item)
{
	const struct ipvs_key *key = item;

	return addr_compare(addr, &key->addr);
}

static bool drains(const struct ipvs_outcome *o, const struct ipvs_key *key)
{
	return o->n_draining > 0 &&
	       bsearch(key, o->draining, o->n_draining, sizeof(*key), compare_keys);
}

static bool address_drains(const struct ipvs_outcome *o, const struct addr *a)
{
	return o->n_draining > 0 &&
	       bsearch(a, o->draining, o->n_draining, sizeof(*o->draining), compare_key_address);
}

/* New connections do not come here any more; those that are there may end. */
static int drain(struct ipvs_doors *d, const struct ipvs_removal *r, const struct ipvs_seen *seen,
		 const struct addr_list *addresses, struct ipvs_outcome *o)
{
	_cleanup_(ipvs_changes_done) struct ipvs_changes leave = {0};
	int e = 0;

	for (size_t i = 0; e == 0 && i < seen->servers.n; i++) {
		const struct ipvs_seen_server *s = &seen->servers.items[i];

		if (!is_ours(r, addresses, &s->server.key))
			continue;
		for (size_t k = 0; e == 0 && k < s->dests.n; k++)
			e = ipvs_changes_add(&leave, IPVS_DEL_DEST, &s->server, &s->dests.items[k]);
	}
	if (e == 0)
		ipvs_apply_leave(d, &leave, _ADDR_FAMILY_INVALID, o);
	if (o->n_draining > 1)
		qsort(o->draining, o->n_draining, sizeof(*o->draining), compare_keys);
	o->remains = o->n_draining > 0;
	return e;
}

static int delete_servers(struct ipvs_doors *d, const struct ipvs_removal *r,
			  const struct ipvs_seen *seen, const struct addr_list *addresses,
			  struct ipvs_outcome *o)
{
	_cleanup_(ipvs_changes_done) struct ipvs_changes remove = {0};
	int e = 0;

	for (size_t i = 0; e == 0 && i < seen->servers.n; i++) {
		const struct ipvs_server *s = &seen->servers.items[i].server;

		if (is_ours(r, addresses, &s->key) && !drains(o, &s->key))
			e = ipvs_changes_add(&remove, IPVS_DEL_SERVER, s, NULL);
	}
	if (e == 0 && remove.n > 0)
		e = ipvs_change(d->ipvs, remove.items, remove.n);
	for (size_t i = 0; e == 0 && i < remove.n; i++) {
		const struct ipvs_change *c = &remove.items[i];

		if (c->error < 0 && c->error != -ESRCH)
			ipvs_outcome_fail_text(o, _ADDR_FAMILY_INVALID, c->error,
					       ipvs_explain(c, NULL));
		else
			o->n_servers++;
	}
	return e;
}

static int unbind(struct ipvs_doors *d, const struct addr_list *addresses, struct ipvs_outcome *o)
{
	_cleanup_(addr_list_done) struct addr_list list = {0};
	_cleanup_free_ int *errors = NULL;
	char text[ADDR_TEXT_MAX];
	int e = 0;

	for (size_t i = 0; e == 0 && i < addresses->n; i++)
		if (!address_drains(o, &addresses->items[i]))
			e = addr_list_add(&list, &addresses->items[i]);
	if (e < 0 || list.n == 0)
		return e;
	errors = calloc(list.n, sizeof(*errors));
	if (!errors)
		return -ENOMEM;
	e = links_del_addresses(d->links, d->dummy, list.items, list.n, errors);
	for (size_t i = 0; e == 0 && i < list.n; i++) {
		if (errors[i] < 0)
			ipvs_outcome_fail(o, _ADDR_FAMILY_INVALID, errors[i],
					  "link " IPVS_DUMMY ": cannot unbind %s: %s",
					  addr_format(&list.items[i], text),
					  ipvs_reason(errors[i]));
		else
			o->n_addresses++;
	}
	return e;
}

static int delete_link(struct ipvs_doors *d, const struct addr_list *addresses,
		       struct ipvs_outcome *o)
{
	int e = links_delete(d->links, d->dummy);

	if (e < 0 && e != -ENODEV)
		return e;
	o->n_addresses += addresses->n;
	return 0;
}

static int remove_all(struct ipvs_doors *d, const struct ipvs_removal *r,
		      const struct ipvs_seen *seen, bool dummy, struct ipvs_outcome *o)
{
	_cleanup_(addr_list_done) struct addr_list addresses = {0};
	size_t others = 0;
	int e;

	e = find_addresses(r, seen, &addresses, &others);
	if (e == 0 && r->gently && d->ipvs)
		e = drain(d, r, seen, &addresses, o);
	if (e == 0 && d->dummy) {
		/* One by one takes the kernel minutes for thousands of IPv6 addresses. */
		if (dummy && others == 0 && !o->remains && o->error == 0)
			e = delete_link(d, &addresses, o);
		else
			e = unbind(d, &addresses, o);
	}
	if (e == 0 && d->ipvs)
		e = delete_servers(d, r, seen, &addresses, o);
	return e;
}

void ipvs_remove_servers(const struct ipvs_removal *r, struct ipvs_outcome *o)
{
	_cleanup_ipvs_doors_ struct ipvs_doors d = {0};
	_cleanup_ipvs_seen_ struct ipvs_seen seen = {0};
	bool dummy = false;
	int e;

	e = links_open(&d.links);
	if (e == 0)
		e = links_find(d.links, IPVS_DUMMY, &d.dummy, &dummy);
	if (e == -ENODEV)
		e = d.dummy = 0;
	if (e == 0 && d.dummy)
		e = links_list_addresses(d.links, d.dummy, &seen.addresses);
	/* Opened only where it is in use: to ask is to load it. */
	if (e == 0 && access("/proc/net/ip_vs", F_OK) == 0) {
		e = ipvs_open(&d.ipvs);
		if (e == 0)
			e = ipvs_look_servers(&d, &seen.servers);
	}
	if (e == 0)
		e = remove_all(&d, r, &seen, dummy, o);
	if (e < 0)
		ipvs_outcome_fail(o, _ADDR_FAMILY_INVALID, e,
				  "virtual servers and addresses cannot be removed: %s",
				  ipvs_reason(e));
}

static bool is_our_set(const struct ipset_set *s)
{
	for (int i = 0; i < _SET_MAX; i++)
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
			if (streq(s->name, ipvs_set_rows[i].names[f]))
				return s->type == ipvs_set_type((enum ipvs_set)i);
	return false;
}

void ipvs_remove_sets(struct ipvs_outcome *o)
{
	_cleanup_ipset_sets_ struct ipset_sets sets = {0};
	_cleanup_(ipset_closep) struct ipset *s = NULL;
	int r = ipset_open(&s);

	if (r == -EPROTONOSUPPORT)
		return; /* no such kernel, no sets */
	if (r == 0)
		r = ipset_list(s, "KUBE-", &sets);
	if (r < 0)
		ipvs_outcome_fail(o, _ADDR_FAMILY_INVALID, r, "sets cannot be listed: %s",
				  ipvs_reason(r));
	for (size_t i = 0; r == 0 && i < sets.n; i++) {
		int e = is_our_set(&sets.items[i]) ? ipset_destroy(s, sets.items[i].name) : 0;

		if (e < 0 && e != -ENOENT)
			ipvs_outcome_fail_text(
				o, _ADDR_FAMILY_INVALID, e,
				ipvs_explain_set(sets.items[i].name, sets.items[i].type,
						 e == -EBUSY ? "stays, a rule of others uses it"
							     : "cannot be destroyed",
						 e));
	}
}

void ipvs_removal_record(struct ipvs_removal *r, bool sysctls, struct ipvs_outcome *o)
{
	_cleanup_strbuf_ struct strbuf text = {0};
	struct ipvs_owned *owned = &r->owned;
	int e;

	/* A damaged one is of no more use. */
	if (!r->damaged &&
	    (!r->recorded ||
	     owned->n_servers + owned->n_addresses + (sysctls ? 0 : owned->n_sysctls) == 0))
		return;
	owned->n_servers = owned->n_addresses = 0;
	if (!sysctls)
		owned->n_sysctls = 0;
	ipvs_owned_print(owned, &text);
	e = strbuf_error(&text);
	if (e == 0)
		e = r->memory->save(r->memory->userdata, strbuf_text(&text), text.len);
	if (e < 0)
		ipvs_outcome_warn(o,
				  "the record of what is ours in the kernel cannot be written: %s",
				  strerror(-e));
}
