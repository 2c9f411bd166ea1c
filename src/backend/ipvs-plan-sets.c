/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <netinet/in.h>

#include "backend/ipvs-plan.h"
#include "base/array.h"

/* Elements are compared as bytes, never as text: to text a range of one address is another. */

void ipvs_set_plan_done(struct ipvs_set_plan *p)
{
	free(p->add.items);
	free(p->del.items);
	*p = (struct ipvs_set_plan){0};
}

enum ipset_type ipvs_set_type(enum ipvs_set set)
{
	switch (ipvs_set_rows[set].kind) {
	case SET_KIND_IP:
		return IPSET_HASH_IP;
	case SET_KIND_IP_PORT:
		return IPSET_HASH_IP_PORT;
	case SET_KIND_IP_PORT_IP:
		return IPSET_HASH_IP_PORT_IP;
	case SET_KIND_IP_PORT_NET:
		return IPSET_HASH_IP_PORT_NET;
	case SET_KIND_PORT:
		break;
	}
	return IPSET_BITMAP_PORT;
}

static bool has_protocol(enum ipset_type type)
{
	return type != IPSET_HASH_IP && type != IPSET_BITMAP_PORT;
}

static struct ipset_element element_of(const struct ipvs_entry *e, enum ipset_type type)
{
	static const uint8_t protocols[_SVC_PROTO_MAX] = {
		[SVC_TCP] = IPPROTO_TCP,
		[SVC_UDP] = IPPROTO_UDP,
		[SVC_SCTP] = IPPROTO_SCTP,
	};
	/* Field by field: bytes between fields are compared, too. */
	struct ipset_element to;

	memset(&to, 0, sizeof(to));
	to.addr = e->addr;
	to.addr2 = e->addr2;
	to.port = e->port;
	to.prefix = e->prefix;
	if (has_protocol(type))
		to.protocol = protocols[e->protocol];
	return to;
}

static int compare(const void *a, const void *b)
{
	return ipset_element_compare(a, b);
}

int ipvs_set_elements(const struct ipvs_state *s, enum ipvs_set set, struct ipset_elements *ret)
{
	enum ipset_type type = ipvs_set_type(set);
	struct ipset_elements l = {0};
	size_t n = s->n_entries[set];
	bool sorted = true;

	if (n > 0) {
		l.items = calloc(n, sizeof(*l.items));
		if (!l.items)
			return -ENOMEM;
	}
	l.n = l.allocated = n;
	for (size_t i = 0; i < n; i++) {
		l.items[i] = element_of(&s->entries[set][i], type);
		sorted = sorted &&
			 (i == 0 || ipset_element_compare(&l.items[i - 1], &l.items[i]) < 0);
	}
	if (!sorted)
		qsort(l.items, n, sizeof(*l.items), compare);
	*ret = l;
	return 0;
}

static int add_element(struct ipset_elements *l, const struct ipset_element *e)
{
	int r = array_reserve(&l->items, &l->allocated, l->n + 1);

	if (r == 0)
		l->items[l->n++] = *e;
	return r;
}

static int difference(const struct ipset_elements *wanted, const struct ipset_elements *there,
		      struct ipvs_set_plan *plan)
{
	size_t i = 0, k = 0;
	int r = 0;

	while (r == 0 && (i < wanted->n || k < there->n)) {
		int order = i == wanted->n ? 1
			    : k == there->n
				    ? -1
				    : ipset_element_compare(&wanted->items[i], &there->items[k]);

		if (order < 0)
			r = add_element(&plan->add, &wanted->items[i]);
		else if (order > 0)
			r = add_element(&plan->del, &there->items[k]);
		i += order <= 0;
		k += order >= 0;
	}
	return r;
}

static enum ipvs_set_fate fate_of(const struct ipset_set *seen, enum ipset_type type,
				  enum addr_family family)
{
	if (!seen)
		return SET_CREATE;
	if (seen->type != type)
		return SET_REFUSE;
	if (type != IPSET_BITMAP_PORT && seen->family != family)
		return SET_REFUSE;
	if (!seen->plain || (type != IPSET_BITMAP_PORT && seen->maxelem != IPVS_SET_ENTRIES_MAX))
		return SET_SWAP;
	return SET_KEEP;
}

/* Entries come before others go; n_there: how many there are before. */
static int make_fit(const struct ipvs_state *wanted, enum ipvs_set set, size_t n_there,
		    struct ipvs_set_plan *plan)
{
	size_t room = n_there < IPVS_SET_ENTRIES_MAX ? IPVS_SET_ENTRIES_MAX - n_there : 0;
	struct ipset_elements all;
	int r;

	plan->n_wanted = wanted->n_entries[set];
	if (ipvs_set_type(set) == IPSET_BITMAP_PORT || plan->add.n <= room)
		return 0;
	if (plan->n_wanted > IPVS_SET_ENTRIES_MAX) {
		plan->overfull = true;
		plan->add.n = room;
		return 0;
	}
	r = ipvs_set_elements(wanted, set, &all);
	if (r < 0)
		return r;
	ipvs_set_plan_done(plan);
	*plan = (struct ipvs_set_plan){.fate = SET_SWAP, .add = all, .n_wanted = all.n};
	return 0;
}

int ipvs_plan_set(const struct ipvs_state *wanted, enum ipvs_set set, const struct ipset_set *seen,
		  struct ipvs_set_plan *ret)
{
	_cleanup_ipvs_set_plan_ struct ipvs_set_plan plan = {
		.fate = fate_of(seen, ipvs_set_type(set), wanted->family),
	};
	struct ipset_elements all = {0};
	int r;

	if (plan.fate != SET_REFUSE) {
		r = ipvs_set_elements(wanted, set, &all);
		if (r < 0)
			return r;
	}
	if (plan.fate == SET_KEEP) {
		r = difference(&all, &seen->elements, &plan);
		free(all.items);
		if (r < 0)
			return r;
	} else
		plan.add = all;
	r = make_fit(wanted, set, plan.fate == SET_KEEP ? seen->elements.n : 0, &plan);
	if (r < 0)
		return r;
	*ret = plan;
	plan = (struct ipvs_set_plan){0};
	return 0;
}

int ipvs_plan_set_change(const struct ipvs_state *old, const struct ipvs_state *wanted,
			 enum ipvs_set set, struct ipvs_set_plan *ret)
{
	_cleanup_ipvs_set_plan_ struct ipvs_set_plan plan = {.fate = SET_KEEP};
	const struct ipvs_entry *was = old->entries[set], *is = wanted->entries[set];
	enum ipset_type type = ipvs_set_type(set);
	size_t i = 0, k = 0;
	int r = 0;

	while (i < wanted->n_entries[set] || k < old->n_entries[set]) {
		int order = i == wanted->n_entries[set] ? 1
			    : k == old->n_entries[set]	? -1
							: ipvs_entry_compare(&is[i], &was[k]);
		struct ipset_element e;

		if (order != 0) {
			e = element_of(order < 0 ? &is[i] : &was[k], type);
			r = add_element(order < 0 ? &plan.add : &plan.del, &e);
		}
		if (r < 0)
			return r;
		i += order <= 0;
		k += order >= 0;
	}
	r = make_fit(wanted, set, old->n_entries[set], &plan);
	if (r < 0)
		return r;
	*ret = plan;
	plan = (struct ipvs_set_plan){0};
	return 0;
}
