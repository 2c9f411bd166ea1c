/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "backend/ipvs-owned.h"
#include "kernel/ipset.h"
#include "kernel/iptables-save.h"
#include "kernel/links.h"

/*
 * How little has to be changed, and in which order; pure functions of what is there and what is
 * wanted. For one family:
 *
 *   1. sets come, and their new entries
 *   2. rules                       (plan-ipvs-rules.h)
 *   3. build: virtual servers with their real servers
 *   4. bind: addresses; by now their guard and their servers are there
 *   5. unbind
 *   6. leave: real servers nobody wants are drained or deleted
 *   7. remove: virtual servers
 *   8. rules that restrict and are not wanted any more
 *   9. entries of sets go
 */

/* A virtual server as it is in the kernel. */
struct ipvs_seen_server {
	struct ipvs_server server;
	struct ipvs_dests dests;
};
struct ipvs_seen_servers {
	struct ipvs_seen_server *items; /* sorted by key; without those by firewall mark */
	size_t n, allocated;
};
void ipvs_seen_servers_done(struct ipvs_seen_servers *l);
#define _cleanup_ipvs_seen_servers_ _cleanup_(ipvs_seen_servers_done)

struct ipvs_changes {
	struct ipvs_change *items;
	size_t n, allocated;
};
void ipvs_changes_done(struct ipvs_changes *c);
/* -ENOMEM */
int ipvs_changes_add(struct ipvs_changes *c, enum ipvs_verb verb, const struct ipvs_server *server,
		     const struct ipvs_dest *dest);

struct addr_list {
	struct addr *items;
	size_t n, allocated;
};
void addr_list_done(struct addr_list *l);
int addr_list_add(struct addr_list *l, const struct addr *a);

struct ipvs_plan {
	struct ipvs_changes build; /* new and changed servers, each followed by its real servers */
	struct ipvs_changes
		leave; /* IPVS_DEL_DEST with what was seen; those of a server together */
	struct ipvs_changes remove;
	struct addr_list bind, unbind;
};
void ipvs_plan_done(struct ipvs_plan *p);
#define _cleanup_ipvs_plan_ _cleanup_(ipvs_plan_done)

/* The virtual server as the kernel gets it. */
struct ipvs_server ipvs_server_wanted(const struct ipvs_virtual *v);

/* Who may take a virtual server away that no service claims. */
struct ipvs_claims {
	const struct ipvs_owned *owned;
	/* Sorted: a virtual server at an address of our dummy link is ours, whoever made it. */
	const struct addr *on_dummy;
	size_t n_on_dummy;
	const struct prefix_list *exclude; /* what lies in these is left alone */
};
bool ipvs_claims_server(const struct ipvs_claims *c, const struct ipvs_key *key);

/*
 * wanted: sorted virtual servers of one family; seen: what the kernel has of these and perhaps
 * others, of the same family. A server of others that is wanted is taken over. -ENOMEM.
 */
int ipvs_plan_servers(const struct ipvs_virtual *const *wanted, size_t n_wanted,
		      const struct ipvs_seen_server *seen, size_t n_seen,
		      const struct ipvs_claims *claims, struct ipvs_plan *plan);

/*
 * What becomes of a real server that nobody wants, by what is to be seen of it (spec/ipvs.md
 * section 4.1): a TCP one with connections keeps them and gets no new ones.
 */
enum ipvs_fate {
	FATE_DELETE,
	FATE_DRAIN, /* its weight becomes 0 */
	FATE_WAIT,  /* its weight is 0 */
};
enum ipvs_fate ipvs_leave_fate(uint8_t protocol, const struct ipvs_dest *dest);
/* Whether wanted has it; reals are sorted. */
bool ipvs_wants_dest(const struct ipvs_virtual *v, const struct ipvs_dest *dest);

/* NULL when the state has none of that key. */
const struct ipvs_virtual *ipvs_find_virtual(const struct ipvs_state *s,
					     const struct ipvs_key *key);

/* Addresses wanted against those that are there and may be taken away; both sorted. -ENOMEM. */
int ipvs_plan_addresses(const struct addr *wanted, size_t n_wanted, const struct addr *there,
			size_t n_there, struct ipvs_plan *plan);

/* Pairs of virtual servers that differ between two states; one of the two is NULL for what came or
 * went. */
struct ipvs_pairs {
	struct ipvs_pair {
		const struct ipvs_virtual *old, *new;
	} * items;
	size_t n, allocated;
};
void ipvs_pairs_done(struct ipvs_pairs *p);
#define _cleanup_ipvs_pairs_ _cleanup_(ipvs_pairs_done)
int ipvs_plan_pairs(const struct ipvs_state *old, const struct ipvs_state *new,
		    struct ipvs_pairs *ret);

/* What has to be done to a set before it can be filled. */
enum ipvs_set_fate {
	SET_KEEP,
	SET_CREATE,
	SET_SWAP,   /* other options, or no room for what comes until the rest has gone: a new one
		       takes its place */
	SET_REFUSE, /* another type or family: rules of others may use it */
};
struct ipvs_set_plan {
	enum ipvs_set_fate fate;
	struct ipset_elements add, del; /* of SET_CREATE and SET_SWAP: add is all, del nothing */
	size_t n_wanted;
	/* More than IPVS_SET_ENTRIES_MAX are wanted: what is there stays, as many as there is room
	 * for come. */
	bool overfull;
};
void ipvs_set_plan_done(struct ipvs_set_plan *p);
#define _cleanup_ipvs_set_plan_ _cleanup_(ipvs_set_plan_done)

enum ipset_type ipvs_set_type(enum ipvs_set set);
/* Sorted as the kernel's are. -ENOMEM. */
int ipvs_set_elements(const struct ipvs_state *s, enum ipvs_set set, struct ipset_elements *ret);
/* seen NULL: there is no such set. -ENOMEM. */
int ipvs_plan_set(const struct ipvs_state *wanted, enum ipvs_set set, const struct ipset_set *seen,
		  struct ipvs_set_plan *ret);
/* The same by the account of an earlier state. */
int ipvs_plan_set_change(const struct ipvs_state *old, const struct ipvs_state *wanted,
			 enum ipvs_set set, struct ipvs_set_plan *ret);
