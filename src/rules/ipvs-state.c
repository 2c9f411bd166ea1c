/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "rules/ipvs-internal.h"
#include "rules/share.h"

static void ref_fragment(void *f)
{
	ipvs_fragment_ref(f);
}

static void unref_fragment(void *f)
{
	ipvs_fragment_unref(f);
}

static int compile_fragment(const void *env, struct service *service, void **ret)
{
	struct ipvs_fragment *f;
	int r = ipvs_fragment_compile(env, service, &f);

	if (r == 0)
		*ret = f;
	return r;
}

static const struct share_ops share_ops = {
	.runs = {.ref = ref_fragment, .unref = unref_fragment},
	.compile = compile_fragment,
};

static void chains_done(struct ipvs_state *s)
{
	for (size_t i = 0; i < s->n_chains; i++)
		free(s->chains[i].chain.rules.items);
	free(s->chains);
}

static void piles_done(struct ipvs_state *s)
{
	struct ipvs_piles *p = s->piles;

	if (!p)
		return;
	/* Each is the pile itself when nothing stands twice. */
	if (s->servers != p->servers.items)
		free(s->servers);
	for (int i = 0; i < _SET_MAX; i++)
		if (s->entries[i] != p->parts[i].items)
			free(s->entries[i]);
	if (p->out_filter.items != p->parts[PART_OUT_FILTER].items)
		free(p->out_filter.items);
	free(p->servers.items);
	for (int i = 0; i < _PART_MAX; i++)
		free(p->parts[i].items);
	free(p);
}

struct ipvs_state *ipvs_state_ref(struct ipvs_state *s)
{
	s->refs++;
	return s;
}

struct ipvs_state *ipvs_state_unref(struct ipvs_state *s)
{
	if (!s || --s->refs > 0)
		return NULL;
	chains_done(s);
	piles_done(s);
	free(s->addresses);
	runs_done(&s->runs, &share_ops.runs);
	free(s->fragments);
	ipvs_env_free(s->env);
	world_unref(s->world);
	free(s);
	return NULL;
}

int ipvs_virtual_compare(const struct ipvs_virtual *a, const struct ipvs_virtual *b)
{
	int order = addr_compare(&a->addr, &b->addr);

	if (order == 0)
		order = (a->port > b->port) - (a->port < b->port);
	if (order == 0)
		order = (a->protocol > b->protocol) - (a->protocol < b->protocol);
	return order;
}

static const struct ipvs_virtual *pointed(const void *p)
{
	return *(const struct ipvs_virtual *const *)p;
}

static int same_server(const void *a, const void *b)
{
	return ipvs_virtual_compare(pointed(a), pointed(b));
}

/* Of those with the same address, port and protocol that which counts comes first: by the kind of
 * frontend, then by the name of the service. */
static int compare_servers(const void *a, const void *b)
{
	const struct ipvs_virtual *x = pointed(a), *y = pointed(b);
	int order = ipvs_virtual_compare(x, y);

	if (order == 0)
		order = (x->frontend > y->frontend) - (x->frontend < y->frontend);
	if (order == 0)
		order = service_key_compare(x->service->key, y->service->key);
	if (order == 0)
		order = (x->port_index > y->port_index) - (x->port_index < y->port_index);
	return order;
}

static int compare_entries(const void *a, const void *b)
{
	return ipvs_entry_compare(a, b);
}

static const struct ipvs_pile_kind servers_kind = {
	.size = sizeof(const struct ipvs_virtual *),
	.order = compare_servers,
	.same = same_server,
};
static const struct ipvs_pile_kind entries_kind = {
	.size = sizeof(struct ipvs_entry),
	.order = compare_entries,
	.same = compare_entries,
};

static int gather_servers(void *const *fragments, size_t n, struct ipvs_pile *ret)
{
	const struct ipvs_virtual **items;
	size_t total = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		total += ((const struct ipvs_fragment *)fragments[i])->n_virtuals;
	*ret = (struct ipvs_pile){0};
	if (total == 0)
		return 0;
	items = calloc(total, sizeof(*items));
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct ipvs_fragment *f = fragments[i];

		for (size_t k = 0; k < f->n_virtuals; k++)
			items[at++] = &f->virtuals[k];
	}
	qsort(items, total, sizeof(*items), compare_servers);
	*ret = (struct ipvs_pile){.items = items, .n = total};
	return 0;
}

static int gather_entries(void *const *fragments, size_t n, int part, struct ipvs_pile *ret)
{
	struct ipvs_entry *items;
	size_t total = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		total += ((const struct ipvs_fragment *)fragments[i])->parts[part].n;
	*ret = (struct ipvs_pile){0};
	if (total == 0)
		return 0;
	items = calloc(total, sizeof(*items));
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct ipvs_fragment *f = fragments[i];

		for (size_t k = 0; k < f->parts[part].n; k++)
			items[at++] = f->parts[part].items[k];
	}
	qsort(items, total, sizeof(*items), compare_entries);
	*ret = (struct ipvs_pile){.items = items, .n = total};
	return 0;
}

static void pile_done(struct ipvs_pile *p)
{
	free(p->items);
}

/* before: the piles of a state that lends its fragments; NULL: all fragments were made. */
static int make_servers(struct ipvs_state *s, const struct share *share,
			const struct ipvs_piles *before)
{
	_cleanup_(pile_done) struct ipvs_pile minus = {0};
	_cleanup_(pile_done) struct ipvs_pile plus = {0};
	struct ipvs_pile unique = {0};
	int r;

	r = gather_servers(share->dropped, share->n_dropped, &minus);
	if (r == 0)
		r = gather_servers(share->made, share->n_made, &plus);
	if (r == 0)
		r = ipvs_pile_edit(before ? &before->servers : &(struct ipvs_pile){0}, &minus,
				   &plus, &servers_kind, &s->piles->servers);
	if (r == 0)
		r = ipvs_pile_unique(&s->piles->servers, &servers_kind, &unique);
	if (r < 0)
		return r;
	s->servers = unique.items;
	s->n_servers = unique.n;
	return 0;
}

static int make_part(struct ipvs_state *s, const struct share *share,
		     const struct ipvs_piles *before, int part, struct ipvs_pile *ret)
{
	_cleanup_(pile_done) struct ipvs_pile minus = {0};
	_cleanup_(pile_done) struct ipvs_pile plus = {0};
	struct ipvs_pile *all = &s->piles->parts[part];
	int r;

	r = gather_entries(share->dropped, share->n_dropped, part, &minus);
	if (r == 0)
		r = gather_entries(share->made, share->n_made, part, &plus);
	if (r == 0)
		r = ipvs_pile_edit(before ? &before->parts[part] : &(struct ipvs_pile){0}, &minus,
				   &plus, &entries_kind, all);
	if (r == 0)
		r = ipvs_pile_unique(all, &entries_kind, ret);
	return r;
}

static int make_addresses(struct ipvs_state *s)
{
	const struct ipvs_entry *from = s->entries[SET_IPVS_IPS];
	size_t n = s->n_entries[SET_IPVS_IPS];

	if (n == 0)
		return 0;
	s->addresses = calloc(n, sizeof(*s->addresses));
	if (!s->addresses)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		s->addresses[i] = from[i].addr;
	s->n_addresses = n;
	return 0;
}

static int join(struct ipvs_state *s, const struct share *share, const struct ipvs_piles *before)
{
	int r;

	s->piles = calloc(1, sizeof(*s->piles));
	if (!s->piles)
		return -ENOMEM;
	r = make_servers(s, share, before);
	for (int part = 0; r == 0 && part < _SET_MAX; part++) {
		struct ipvs_pile unique = {0};

		r = make_part(s, share, before, part, &unique);
		if (r < 0)
			break;
		s->entries[part] = unique.items;
		s->n_entries[part] = unique.n;
	}
	if (r == 0)
		r = make_part(s, share, before, PART_OUT_FILTER, &s->piles->out_filter);
	if (r == 0)
		r = make_addresses(s);
	return r;
}

static int make_fragments(struct ipvs_state *s, const struct ipvs_state *previous,
			  struct share *ret)
{
	struct share_previous before;
	int r;

	if (previous)
		before = (struct share_previous){
			.world = previous->world,
			.fragments = (void *const *)previous->fragments,
			.runs = &previous->runs,
			.lend = ipvs_env_equal_for_fragments(previous->env, s->env),
		};
	r = share_make(s->world, previous ? &before : NULL, s->env, &share_ops, ret);
	if (r < 0)
		return r;
	s->fragments = (struct ipvs_fragment **)TAKE_PTR(ret->fragments);
	s->runs = ret->runs;
	ret->runs = (struct runs){0};
	return 0;
}

int ipvs_state_make(const struct view *view, enum addr_family family,
		    const struct ipvs_state *previous, struct ipvs_state **ret)
{
	_cleanup_(ipvs_state_unrefp) struct ipvs_state *s = calloc(1, sizeof(*s));
	struct share share;
	bool lends;
	int r;

	if (!s)
		return -ENOMEM;
	s->refs = 1;
	s->family = family;
	s->world = world_ref(view->world);
	r = ipvs_env_make(view, family, &s->env);
	if (r < 0)
		return r;
	lends = previous && ipvs_env_equal_for_fragments(previous->env, s->env);
	r = make_fragments(s, previous, &share);
	if (r < 0)
		return r;
	r = join(s, &share, lends ? previous->piles : NULL);
	share_done(&share, &share_ops);
	if (r == 0)
		r = ipvs_rules_make(s);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(s);
	return 0;
}
