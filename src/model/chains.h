/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/claims.h"

/*
 * Endpoints that are an address and port of another service (E21): traffic to them is not
 * translated a second time, so such chains do not work. Kept up to date at the cost of what
 * changed: which "ip:port" are endpoints of any service is known, so that a new address of a
 * service is looked up here, and a new endpoint among the claims.
 */
struct chains {
	struct map *uses; /* by address, port and protocol: how many services' ports have it */
};
int chains_init(struct chains *c); /* -ENOMEM: chains_done() all the same */
void chains_done(struct chains *c);

/* The endpoints of old go, those of new come; either may be NULL. -ENOMEM leaves it unusable. */
int chains_replace(struct chains *c, const struct service *old, const struct service *new);

/* Whether some service has this address and port for an endpoint. */
bool chains_has(const struct chains *c, const struct claim_key *address);

/* An endpoint that somebody else than `who` claims. Start with {0}; false at the end. */
struct chain_walk {
	size_t port, family, next;
	/* Found: */
	const struct endpoint *endpoint;
	const struct owner *owner;
};
bool chains_next(const struct service *s, const struct claims *claims, const struct claimant *who,
		 struct chain_walk *w);
