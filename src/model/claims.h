/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/map.h"
#include "model/value.h"

/*
 * What only one service may own: an address with port and protocol, or a node port with its
 * protocol (a health-check port is a TCP one). A claim with two owners is contested (spec/model.md
 * section 5). A cluster IP by itself may have several owners: it is shared then (S18). Setting the
 * claims of one service costs what it claims, whatever the others do.
 */

enum claim_kind {
	CLAIM_ADDRESS = 'A',	/* address, port, protocol: X1, X7 */
	CLAIM_NODE_PORT = 'N',	/* port, protocol: X2, X3, X4, X10 */
	CLAIM_CLUSTER_IP = 'C', /* address: S18 */
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
	struct owner **owned; /* its part in each claim */
	size_t n, allocated;
};

struct owner {
	const struct claimant *claimant;
	/* What of the claimant claims it; of one that is no service, just the index. */
	struct service_value value;
	struct claim *claim;
	struct owner *previous, *next;
};
struct claim {
	struct claim_key key;
	struct owner *owners, *last; /* in the order in which they came; never empty */
};

struct claims {
	struct map *all;       /* struct claim */
	struct map *contested; /* struct claim, borrowed; same keys */
	struct map *shared;    /* the same */
};
int claims_init(struct claims *c); /* -ENOMEM: claims_done() all the same */
/* Claimants are the caller's: claimant_done() for each. */
void claims_done(struct claims *c);
void claimant_done(struct claimant *c);

/* From now on the claimant has just the claims of d, which may be NULL: none. -ENOMEM leaves some
 * of them out: then all has to be made anew. */
int claims_set(struct claims *c, struct claimant *who, const struct service_def *d);

/* The same for a claimant that has TCP ports of this host, such as the daemon itself: port 0 is
 * none. The value's index is that of the port. */
int claims_set_ports(struct claims *c, struct claimant *who, const uint16_t *ports, size_t n);

/* NULL: nobody claims it. */
const struct claim *claims_find_address(const struct claims *c, const struct addr *addr,
					uint16_t port, enum svc_proto protocol);
const struct claim *claims_find_node_port(const struct claims *c, uint16_t port,
					  enum svc_proto protocol);

/* Contested claims, in no particular order; start with *pos = 0. NULL at the end. */
const struct claim *claims_next_contested(const struct claims *c, size_t *pos);
/* Cluster IPs with several owners, the same way. */
const struct claim *claims_next_shared(const struct claims *c, size_t *pos);
