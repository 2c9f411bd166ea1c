/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/chains.h"

#include <string.h>

#include "model/view.h"

int chains_init(struct chains *c)
{
	return map_new(&c->uses);
}

void chains_done(struct chains *c)
{
	map_free(c->uses);
	*c = (struct chains){0};
}

/* As short as can be: there may be hundreds of thousands. */
struct use_key {
	uint8_t bytes[2 + 2 + 16];
	size_t n;
};

static struct use_key use_key(const struct addr *a, uint16_t port, uint8_t protocol)
{
	struct use_key k = {.bytes = {a->family, protocol, (uint8_t)(port >> 8), (uint8_t)port}};
	size_t n = a->family == ADDR_IPV4 ? 4 : 16;

	memcpy(k.bytes + 4, a->bytes, n);
	k.n = 4 + n;
	return k;
}

/* The value of the map is the number itself. */
static int count(struct chains *c, const struct use_key *k, int change)
{
	uintptr_t n = (uintptr_t)map_get_bytes(c->uses, k->bytes, k->n) + (uintptr_t)change;

	if (n > 0)
		return map_put_bytes(c->uses, k->bytes, k->n, (void *)n);
	map_remove_bytes(c->uses, k->bytes, k->n);
	return 0;
}

static int count_endpoints(struct chains *c, const struct service *s, int change)
{
	for (size_t i = 0; s && i < s->def->n_ports; i++) {
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			const struct endpoint_list *l = &s->endpoints[i][f];

			/* Without rules in the family nothing is translated to them. */
			if (!view_serves(s->def, (enum addr_family)f))
				continue;
			for (size_t j = 0; j < l->n; j++) {
				const struct use_key k = use_key(
					&l->items[j].ip, l->items[j].port,
					(uint8_t)s->def->ports[i].protocol);
				int r = count(c, &k, change);

				if (r < 0)
					return r;
			}
		}
	}
	return 0;
}

int chains_replace(struct chains *c, const struct service *old, const struct service *new)
{
	int r;

	if (old == new)
		return 0;
	r = count_endpoints(c, new, 1);
	return r < 0 ? r : count_endpoints(c, old, -1);
}

bool chains_has(const struct chains *c, const struct claim_key *address)
{
	const struct use_key k = use_key(&address->addr, address->port, address->protocol);

	return map_get_bytes(c->uses, k.bytes, k.n) != NULL;
}

bool chains_next(const struct service *s, const struct claims *claims, const struct claimant *who,
		 struct chain_walk *w)
{
	for (; w->port < s->def->n_ports; w->port++, w->family = 0) {
		for (; w->family < _ADDR_FAMILY_MAX; w->family++, w->next = 0) {
			const struct endpoint_list *l = &s->endpoints[w->port][w->family];

			if (!view_serves(s->def, (enum addr_family)w->family))
				continue;
			while (w->next < l->n) {
				const struct endpoint *e = &l->items[w->next++];
				const struct claim *c = claims_find_address(
					claims, &e->ip, e->port, s->def->ports[w->port].protocol);

				if (!c || c->owners->claimant == who)
					continue;
				w->endpoint = e;
				w->owner = c->owners;
				return true;
			}
		}
	}
	return false;
}
