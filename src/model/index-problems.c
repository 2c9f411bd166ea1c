/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "model/checks.h"
#include "model/index-internal.h"

/* Endpoints that are addresses of other services */

static void slot_find_chains(struct index *x, struct slot *s)
{
	struct chain_walk walk = {0};
	bool chained = s->built && chains_next(s->built, &x->claims, &s->claimant, &walk);

	x->n_chained += (size_t)chained - (size_t)s->chained;
	s->chained = chained;
}

/* Whether an address of the slot's is an endpoint of some service. */
static bool slot_is_endpoint(const struct index *x, const struct slot *s)
{
	for (size_t i = 0; i < s->claimant.n; i++) {
		const struct claim_key *key = &s->claimant.owned[i]->claim->key;

		if (key->kind == CLAIM_ADDRESS && chains_has(&x->chains, key))
			return true;
	}
	return false;
}

/* The touched slots are looked at; all are only when one of them really is what others use. */
void index_find_chains(struct index *x)
{
	bool all = false;
	size_t i, pos = 0;
	void *value;

	for (i = 0; i < x->n_dirty && !all; i++)
		all = slot_is_endpoint(x, x->dirty[i]);
	for (i = 0; i < x->n_dirty && !all; i++)
		slot_find_chains(x, x->dirty[i]);
	while (all && map_next(x->slots, &pos, NULL, &value))
		slot_find_chains(x, value);
}

/* The entry that says so; NULL: there is none any more. */
static const struct endpoint_def *find_entry(const struct endpoint_group *g,
					     const struct endpoint *e)
{
	for (size_t i = 0; g && i < g->n_endpoints; i++) {
		const struct endpoint_def *entry = &g->endpoints[i];

		if (addr_equal(&entry->ip, &e->ip) && (!entry->port || entry->port == e->port))
			return entry;
	}
	return NULL;
}

static void tell_chain(const struct slot *s, const struct chain_walk *w, struct diags *d)
{
	_cleanup_strbuf_ struct strbuf where = {0};
	const struct service_def *def = s->defs[0].def;
	const struct slot *other = slot_of(w->owner);
	const struct endpoint_group *g = def->inline_group;
	const struct endpoint_def *entry = find_entry(g, w->endpoint);
	char field[ENDPOINT_FIELD_MAX], text[ADDR_PORT_TEXT_MAX];
	struct place at;

	for (size_t i = 0; i < s->n_groups && !entry; i++) {
		g = s->groups[i].group;
		entry = find_entry(g, w->endpoint);
	}
	if (!entry)
		return;
	at = (struct place){.file = g->at.file, .line = entry->line, .column = entry->column};
	check_tell(d, CHECK_E21_CHAIN, &at, s->key, endpoint_def_field(def, g, entry, field),
		   addr_port_format(&w->endpoint->ip, w->endpoint->port, text), other->key,
		   owner_place_text(w->owner, &where));
	if (strbuf_error(&where))
		d->error = -ENOMEM;
}

/* So many of one service show what is meant; each takes a search through its entries. */
#define CHAINS_TOLD 16

static void tell_chains(const struct index *x, const struct slot *s, struct diags *d)
{
	struct chain_walk walk = {0};

	for (int i = 0; i < CHAINS_TOLD; i++) {
		if (!chains_next(s->built, &x->claims, &s->claimant, &walk))
			return;
		tell_chain(s, &walk, d);
	}
}

/* Cluster IPs with several owners */

/* An owner to be told of, and the one that is read first. */
struct sharer {
	const struct owner *owner, *first;
};

static int compare_sharers(const void *left, const void *right)
{
	const struct owner *a = ((const struct sharer *)left)->owner;
	const struct owner *b = ((const struct sharer *)right)->owner;

	if (slot_of(a) != slot_of(b))
		return slot_read_before(slot_of(a), slot_of(b)) ? -1 : 1;
	return addr_compare(&a->claim->key.addr, &b->claim->key.addr);
}

static void tell_sharer(const struct sharer *s, struct diags *d)
{
	_cleanup_strbuf_ struct strbuf where = {0};
	const struct slot *a = slot_of(s->first), *b = slot_of(s->owner);
	char text[ADDR_TEXT_MAX], field[SERVICE_VALUE_MAX];
	struct place at;

	owner_place(s->owner, &at);
	check_tell(d, CHECK_S18_SHARED, &at, b->key, owner_field(s->owner, field),
		   addr_format(&s->owner->claim->key.addr, text), a->key,
		   owner_place_text(s->first, &where));
	if (strbuf_error(&where))
		d->error = -ENOMEM;
}

/* In reading order, for the claims have none. */
static void tell_sharers(const struct index *x, struct diags *d)
{
	_cleanup_free_ struct sharer *sharers = NULL;
	size_t n = 0, allocated = 0, pos = 0;
	const struct claim *claim;

	while ((claim = claims_next_shared(&x->claims, &pos))) {
		const struct owner *first = claim_first_owner(claim);

		for (const struct owner *o = claim->owners; o; o = o->next) {
			if (o == first)
				continue;
			if (array_reserve(&sharers, &allocated, n + 1) < 0) {
				d->error = -ENOMEM;
				return;
			}
			sharers[n++] = (struct sharer){o, first};
		}
	}
	if (n > 1)
		qsort(sharers, n, sizeof(*sharers), compare_sharers);
	for (size_t i = 0; i < n; i++)
		tell_sharer(&sharers[i], d);
}

void index_problems(const struct index *x, struct diags *d)
{
	size_t pos = 0;
	void *value;

	tell_sharers(x, d);
	if (x->n_problems == 0 && x->n_chained == 0)
		return;
	while (map_next(x->slots, &pos, NULL, &value)) {
		const struct slot *s = value;

		diags_copy(d, &s->problems);
		if (s->chained)
			tell_chains(x, s, d);
	}
}
