/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/map.h"
#include "model/service.h"

/*
 * What only one service may own: an address with port and protocol, or a node port with its
 * protocol (a health-check port is a TCP one). A claim with two owners is contested (spec/model.md
 * section 5). Setting the claims of one service costs what it claims, whatever the others do.
 */

enum claim_kind {
	CLAIM_ADDRESS = 'A',   /* address, port, protocol: X1, X7 */
	CLAIM_NODE_PORT = 'N', /* port, protocol: X2, X3, X4 */
};

/* What is owned, as bytes: kind, then what the kind needs. */
struct claim_key {
	uint8_t kind;
	uint8_t protocol;
	uint16_t port;
	struct addr addr;
};

/* Somebody who claims; part of a larger object of the caller's, which `who` points to. */
struct claimant {
	void *who;
	struct claim_key *keys;
	size_t n, allocated;
};

struct owner {
	const struct claimant *claimant;
	const char *field; /* what of the service claims it: "nodePort" */
	struct owner *next;
};
struct claim {
	struct claim_key key;
	struct owner *owners; /* in the order in which they came; never empty */
};

struct claims {
	struct map *all;       /* struct claim */
	struct map *contested; /* struct claim, borrowed; same keys */
};
int claims_init(struct claims *c); /* -ENOMEM: claims_done() all the same */
/* Claimants are the caller's: claimant_done() for each. */
void claims_done(struct claims *c);
void claimant_done(struct claimant *c);

/* From now on the claimant has just the claims of d, which may be NULL: none. -ENOMEM leaves some
 * of them out: then all has to be made anew. */
int claims_set(struct claims *c, struct claimant *who, const struct service_def *d);

/* Contested claims, in no particular order; start with *pos = 0. NULL at the end. */
const struct claim *claims_next_contested(const struct claims *c, size_t *pos);
