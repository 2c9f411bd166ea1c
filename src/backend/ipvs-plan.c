/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-plan.h"

#include <errno.h>
#include <netinet/in.h>

#include "base/array.h"

void ipvs_seen_servers_done(struct ipvs_seen_servers *l)
{
	for (size_t i = 0; i < l->n; i++)
		ipvs_dests_done(&l->items[i].dests);
	free(l->items);
	*l = (struct ipvs_seen_servers){0};
}

void ipvs_changes_done(struct ipvs_changes *c)
{
	free(c->items);
	*c = (struct ipvs_changes){0};
}

int ipvs_changes_add(struct ipvs_changes *c, enum ipvs_verb verb, const struct ipvs_server *server,
		     const struct ipvs_dest *dest)
{
	int r = array_reserve(&c->items, &c->allocated, c->n + 1);

	if (r < 0)
		return r;
	c->items[c->n] = (struct ipvs_change){.verb = verb, .server = *server};
	if (dest)
		c->items[c->n].dest = *dest;
	c->n++;
	return 0;
}

void addr_list_done(struct addr_list *l)
{
	free(l->items);
	*l = (struct addr_list){0};
}

int addr_list_add(struct addr_list *l, const struct addr *a)
{
	int r = array_reserve(&l->items, &l->allocated, l->n + 1);

	if (r == 0)
		l->items[l->n++] = *a;
	return r;
}

void ipvs_plan_done(struct ipvs_plan *p)
{
	ipvs_changes_done(&p->build);
	ipvs_changes_done(&p->leave);
	ipvs_changes_done(&p->remove);
	addr_list_done(&p->bind);
	addr_list_done(&p->unbind);
}

struct ipvs_server ipvs_server_wanted(const struct ipvs_virtual *v)
{
	struct ipvs_server s = {
		.key = ipvs_virtual_key(v),
		.flags = v->flags,
		.timeout = v->timeout,
		.prefix = v->addr.family == ADDR_IPV4 ? 32 : 128,
	};

	strncpy(s.scheduler, v->scheduler, sizeof(s.scheduler) - 1);
	return s;
}

static struct ipvs_dest dest_wanted(const struct ipvs_real *r)
{
	return (struct ipvs_dest){.addr = r->addr, .port = r->port, .weight = r->weight};
}

static bool server_differs(const struct ipvs_server *is, const struct ipvs_server *wanted)
{
	return !streq(is->scheduler, wanted->scheduler) ||
	       (is->flags & ~IPVS_HASHED) != wanted->flags || is->timeout != wanted->timeout;
}

static int compare_addrs(const void *a, const void *b)
{
	return addr_compare(a, b);
}

bool ipvs_claims_server(const struct ipvs_claims *c, const struct ipvs_key *key)
{
	if (prefix_list_contains(c->exclude, &key->addr))
		return false;
	if (ipvs_owned_has_server(c->owned, key))
		return true;
	return c->n_on_dummy > 0 &&
	       bsearch(&key->addr, c->on_dummy, c->n_on_dummy, sizeof(key->addr), compare_addrs);
}

enum ipvs_fate ipvs_leave_fate(uint8_t protocol, const struct ipvs_dest *dest)
{
	if (protocol != IPPROTO_TCP)
		return FATE_DELETE;
	if ((uint64_t)dest->active + dest->inactive == 0)
		return FATE_DELETE;
	return dest->weight == 0 ? FATE_WAIT : FATE_DRAIN;
}

const struct ipvs_virtual *ipvs_find_virtual(const struct ipvs_state *s, const struct ipvs_key *key)
{
	size_t from = 0, to = s->n_servers;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		struct ipvs_key there = ipvs_virtual_key(s->servers[middle]);
		int order = ipvs_key_compare(&there, key);

		if (order == 0)
			return s->servers[middle];
		if (order < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

static int compare_real(const void *key, const void *item)
{
	const struct ipvs_dest wanted = dest_wanted(item);

	return ipvs_dest_compare(key, &wanted);
}

bool ipvs_wants_dest(const struct ipvs_virtual *v, const struct ipvs_dest *dest)
{
	return v->n_reals > 0 &&
	       bsearch(dest, v->reals, v->n_reals, sizeof(*v->reals), compare_real);
}

/* One that comes back while it drains gets its weight again: to delete and add it would cost its
 * connections. */
static int plan_dests(const struct ipvs_virtual *v, const struct ipvs_server *server,
		      const struct ipvs_dests *seen, struct ipvs_plan *plan)
{
	size_t i = 0, k = 0;
	int r = 0;

	while (r == 0 && (i < v->n_reals || k < seen->n)) {
		const struct ipvs_dest *is = k < seen->n ? &seen->items[k] : NULL;
		struct ipvs_dest wanted = {0};
		int order = 1;

		if (i < v->n_reals) {
			wanted = dest_wanted(&v->reals[i]);
			order = is ? ipvs_dest_compare(&wanted, is) : -1;
		}
		if (order < 0)
			r = ipvs_changes_add(&plan->build, IPVS_NEW_DEST, server, &wanted);
		else if (order > 0)
			r = ipvs_changes_add(&plan->leave, IPVS_DEL_DEST, server, is);
		else if (is->weight != wanted.weight || is->forward != 0)
			r = ipvs_changes_add(&plan->build, IPVS_SET_DEST, server, &wanted);
		i += order <= 0;
		k += order >= 0;
	}
	return r;
}

static int plan_server(const struct ipvs_virtual *v, const struct ipvs_seen_server *seen,
		       struct ipvs_plan *plan)
{
	static const struct ipvs_dests none;
	const struct ipvs_server wanted = ipvs_server_wanted(v);
	int r = 0;

	if (!seen)
		r = ipvs_changes_add(&plan->build, IPVS_NEW_SERVER, &wanted, NULL);
	else if (server_differs(&seen->server, &wanted))
		r = ipvs_changes_add(&plan->build, IPVS_SET_SERVER, &wanted, NULL);
	return r < 0 ? r : plan_dests(v, &wanted, seen ? &seen->dests : &none, plan);
}

int ipvs_plan_servers(const struct ipvs_virtual *const *wanted, size_t n_wanted,
		      const struct ipvs_seen_server *seen, size_t n_seen,
		      const struct ipvs_claims *claims, struct ipvs_plan *plan)
{
	size_t i = 0, k = 0;
	int r = 0;

	while (r == 0 && (i < n_wanted || k < n_seen)) {
		const struct ipvs_seen_server *is = k < n_seen ? &seen[k] : NULL;
		int order = 1;

		if (i < n_wanted) {
			struct ipvs_key key = ipvs_virtual_key(wanted[i]);

			order = is ? ipvs_key_compare(&key, &is->server.key) : -1;
		}
		if (order <= 0)
			r = plan_server(wanted[i], order == 0 ? is : NULL, plan);
		else if (ipvs_claims_server(claims, &is->server.key))
			r = ipvs_changes_add(&plan->remove, IPVS_DEL_SERVER, &is->server, NULL);
		i += order <= 0;
		k += order >= 0;
	}
	return r;
}

int ipvs_plan_addresses(const struct addr *wanted, size_t n_wanted, const struct addr *there,
			size_t n_there, struct ipvs_plan *plan)
{
	size_t i = 0, k = 0;
	int r = 0;

	while (r == 0 && (i < n_wanted || k < n_there)) {
		int order = i == n_wanted  ? 1
			    : k == n_there ? -1
					   : addr_compare(&wanted[i], &there[k]);

		if (order < 0)
			r = addr_list_add(&plan->bind, &wanted[i]);
		else if (order > 0)
			r = addr_list_add(&plan->unbind, &there[k]);
		i += order <= 0;
		k += order >= 0;
	}
	return r;
}

void ipvs_pairs_done(struct ipvs_pairs *p)
{
	free(p->items);
	*p = (struct ipvs_pairs){0};
}

static bool virtuals_equal(const struct ipvs_virtual *a, const struct ipvs_virtual *b)
{
	if (a->flags != b->flags || a->timeout != b->timeout || a->n_reals != b->n_reals ||
	    !streq(a->scheduler, b->scheduler))
		return false;
	for (size_t i = 0; i < a->n_reals && a->reals != b->reals; i++) {
		const struct ipvs_real *x = &a->reals[i], *y = &b->reals[i];

		if (!addr_equal(&x->addr, &y->addr) || x->port != y->port || x->weight != y->weight)
			return false;
	}
	return true;
}

int ipvs_plan_pairs(const struct ipvs_state *old, const struct ipvs_state *new,
		    struct ipvs_pairs *ret)
{
	_cleanup_ipvs_pairs_ struct ipvs_pairs p = {0};
	size_t i = 0, k = 0;

	while (i < old->n_servers || k < new->n_servers) {
		const struct ipvs_virtual *a = i < old->n_servers ? old->servers[i] : NULL;
		const struct ipvs_virtual *b = k < new->n_servers ? new->servers[k] : NULL;
		int order = a ? -1 : 1;
		bool equal = false;

		if (a && b) {
			order = a == b ? 0 : ipvs_virtual_compare(a, b);
			equal = order == 0 && (a == b || virtuals_equal(a, b));
		}
		i += order <= 0;
		k += order >= 0;
		if (equal)
			continue;
		if (array_reserve(&p.items, &p.allocated, p.n + 1) < 0)
			return -ENOMEM;
		p.items[p.n++] = (struct ipvs_pair){
			.old = order <= 0 ? a : NULL,
			.new = order >= 0 ? b : NULL,
		};
	}
	*ret = p;
	p = (struct ipvs_pairs){0};
	return 0;
}
