/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/claims.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

/* Padding at the end is not part of the key; between the members there is none. */
#define CLAIM_KEY_SIZE (offsetof(struct claim_key, addr) + sizeof(struct addr))
static_assert(offsetof(struct claim_key, addr) == 4 && sizeof(struct addr) == 17,
	      "the bytes of a claim have no gaps");

static void claim_free(void *p)
{
	struct claim *c = p;

	while (c->owners) {
		struct owner *next = c->owners->next;

		free(c->owners);
		c->owners = next;
	}
	free(c);
}

int claims_init(struct claims *c)
{
	int r = map_new(&c->all);

	if (r == 0)
		r = map_new(&c->contested);
	return r < 0 ? r : map_new(&c->shared);
}

void claims_done(struct claims *c)
{
	map_free_values(c->all, claim_free);
	map_free(c->contested);
	map_free(c->shared);
	*c = (struct claims){0};
}

void claimant_done(struct claimant *c)
{
	free(c->owned);
	c->owned = NULL;
	c->n = c->allocated = 0;
}

/* Where a claim of several owners is listed. */
static struct map *list_of(struct claims *claims, const struct claim *c)
{
	return c->key.kind == CLAIM_CLUSTER_IP ? claims->shared : claims->contested;
}

static struct claim *claim_new(struct claims *claims, const struct claim_key *key)
{
	struct claim *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->key = *key;
	if (map_put_bytes(claims->all, key, CLAIM_KEY_SIZE, c) < 0) {
		free(c);
		return NULL;
	}
	return c;
}

static void claim_append(struct claim *c, struct owner *o)
{
	o->claim = c;
	o->previous = c->last;
	*(c->last ? &c->last->next : &c->owners) = o;
	c->last = o;
}

#ifndef __clang__
#pragma GCC diagnostic push
/* gcc 12 loses sight of an owner at the end of a list; claim_drop() and claims_done() free them */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

static int claim_add(struct claims *claims, struct claimant *who, const struct claim_key *key,
		     enum value_key value, size_t index)
{
	struct claim *c = map_get_bytes(claims->all, key, CLAIM_KEY_SIZE);
	struct owner *o;
	int r;

	/* An address under two names of one service: S61 is a warning. Whoever claims now dropped
	 * all that it had, so that it is the last owner or none. */
	if (c && c->last->claimant == who)
		return 0;
	r = array_reserve(&who->owned, &who->allocated, who->n + 1);
	if (r < 0)
		return r;
	o = calloc(1, sizeof(*o));
	if (o && !c)
		c = claim_new(claims, key);
	if (!c || !o) {
		free(o);
		return -ENOMEM;
	}
	o->claimant = who;
	o->value = (struct service_value){value, (unsigned)index};
	claim_append(c, o);
	who->owned[who->n++] = o;
	if (o->previous && !o->previous->previous)
		return map_put_bytes(list_of(claims, c), key, CLAIM_KEY_SIZE, c);
	return 0;
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

static void claim_drop(struct claims *claims, struct owner *gone)
{
	struct claim *c = gone->claim;

	*(gone->previous ? &gone->previous->next : &c->owners) = gone->next;
	*(gone->next ? &gone->next->previous : &c->last) = gone->previous;
	free(gone);
	if (c->owners == c->last)
		map_remove_bytes(list_of(claims, c), &c->key, CLAIM_KEY_SIZE);
	if (!c->owners) {
		map_remove_bytes(claims->all, &c->key, CLAIM_KEY_SIZE);
		free(c);
	}
}

static void drop_all(struct claims *claims, struct claimant *who)
{
	for (size_t i = 0; i < who->n; i++)
		claim_drop(claims, who->owned[i]);
	who->n = 0;
}

#ifndef __clang__
#pragma GCC diagnostic push
/* gcc 12 loses sight of an owner at the end of a list; claim_drop() and claims_done() free them */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

static int claim_cluster_ips(struct claims *claims, struct claimant *who,
			     const struct service_def *d)
{
	int r = 0;

	for (int f = 0; f < _ADDR_FAMILY_MAX && r == 0; f++) {
		const struct claim_key k = {.kind = CLAIM_CLUSTER_IP, .addr = d->cluster_ips[f]};

		if (d->has_cluster_ip[f])
			r = claim_add(claims, who, &k, VALUE_CLUSTER_IP, (size_t)f);
	}
	return r;
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

#ifndef __clang__
#pragma GCC diagnostic push
/* gcc 12 loses sight of an owner at the end of a list; claim_drop() and claims_done() free them */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

static int claim_addresses(struct claims *claims, struct claimant *who, const struct service_def *d,
			   const struct service_port *p)
{
	struct claim_key k = {
		.kind = CLAIM_ADDRESS, .protocol = (uint8_t)p->protocol, .port = p->port};
	size_t i;
	int f, r;

	for (f = 0; f < _ADDR_FAMILY_MAX; f++) {
		if (!d->has_cluster_ip[f])
			continue;
		k.addr = d->cluster_ips[f];
		r = claim_add(claims, who, &k, VALUE_CLUSTER_IP, (size_t)f);
		if (r < 0)
			return r;
	}
	for (i = 0; i < d->n_external_ips; i++) {
		k.addr = d->external_ips[i];
		r = claim_add(claims, who, &k, VALUE_EXTERNAL_IP, i);
		if (r < 0)
			return r;
	}
	for (i = 0; i < d->n_lb_ips; i++) {
		if (d->lb_ips[i].proxy)
			continue;
		k.addr = d->lb_ips[i].ip;
		r = claim_add(claims, who, &k, VALUE_LB_IP, i);
		if (r < 0)
			return r;
	}
	return 0;
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

static int claim_node_port(struct claims *claims, struct claimant *who, uint16_t port,
			   enum svc_proto protocol, enum value_key value, size_t index)
{
	const struct claim_key k = {
		.kind = CLAIM_NODE_PORT, .protocol = (uint8_t)protocol, .port = port};

	return port ? claim_add(claims, who, &k, value, index) : 0;
}

int claims_set(struct claims *claims, struct claimant *who, const struct service_def *d)
{
	size_t i;
	int r;

	drop_all(claims, who);
	if (!d || d->headless || d->type == SVC_EXTERNAL_NAME)
		return 0;
	r = claim_cluster_ips(claims, who, d);
	for (i = 0; i < d->n_ports && r == 0; i++) {
		const struct service_port *p = &d->ports[i];

		r = claim_addresses(claims, who, d, p);
		if (r == 0)
			r = claim_node_port(claims, who, p->node_port, p->protocol, VALUE_NODE_PORT,
					    i);
	}
	if (r < 0)
		return r;
	return claim_node_port(claims, who, d->health_check_node_port, SVC_TCP,
			       VALUE_HEALTH_CHECK_NODE_PORT, 0);
}

int claims_set_ports(struct claims *claims, struct claimant *who, const uint16_t *ports, size_t n)
{
	int r = 0;

	drop_all(claims, who);
	for (size_t i = 0; i < n && r == 0; i++)
		r = claim_node_port(claims, who, ports[i], SVC_TCP, VALUE_NODE_PORT, i);
	return r;
}

const struct claim *claims_find_address(const struct claims *claims, const struct addr *addr,
					uint16_t port, enum svc_proto protocol)
{
	const struct claim_key k = {
		.kind = CLAIM_ADDRESS,
		.protocol = (uint8_t)protocol,
		.port = port,
		.addr = *addr,
	};

	return map_get_bytes(claims->all, &k, CLAIM_KEY_SIZE);
}

const struct claim *claims_find_node_port(const struct claims *claims, uint16_t port,
					  enum svc_proto protocol)
{
	const struct claim_key k = {
		.kind = CLAIM_NODE_PORT, .protocol = (uint8_t)protocol, .port = port};

	return map_get_bytes(claims->all, &k, CLAIM_KEY_SIZE);
}

static const struct claim *next_claim(const struct map *m, size_t *pos)
{
	void *value;

	return map_next(m, pos, NULL, &value) ? value : NULL;
}

const struct claim *claims_next_contested(const struct claims *claims, size_t *pos)
{
	return next_claim(claims->contested, pos);
}

const struct claim *claims_next_shared(const struct claims *claims, size_t *pos)
{
	return next_claim(claims->shared, pos);
}
