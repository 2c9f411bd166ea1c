/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/world.h"

/* What compilers take: the world and the addresses of this host. (Health checks and drains will be
 * an overlay beside them.) */

struct local_addr {
	struct addr addr;
	char interface[16];
};

/* Addresses on the interfaces of this network namespace, sorted by address, then interface.
 * Immutable once made, reference-counted. */
struct local_addrs {
	unsigned refs;
	struct local_addr *items;
	size_t n;
	/* What detection found for NodeIP= (spec/model.md section 4.2); false: none. */
	bool has_node_ip[_ADDR_FAMILY_MAX];
	struct addr node_ip[_ADDR_FAMILY_MAX];
};
struct local_addrs *local_addrs_ref(struct local_addrs *l);
struct local_addrs *local_addrs_unref(struct local_addrs *l);
bool local_addrs_equal(const struct local_addrs *a, const struct local_addrs *b);
/* Sorts and removes exact duplicates in place, while it is being made. */
void local_addrs_sort(struct local_addrs *l);

struct view {
	struct world *world;
	struct local_addrs *addrs;
};

/* Whether a service has rules in a family: it has a cluster IP there, spec/model.md section 2.1. */
bool view_serves(const struct service_def *s, enum addr_family family);

/* The node's address of a family: NodeIP= if it was given (then a family not named has none), else
 * what detection found. False and the loopback placeholder 127.0.0.1 / ::1 when there is none. */
bool view_node_ip(const struct view *v, enum addr_family family, struct addr *ret);

/*
 * NodePortAddresses= resolved for one family (spec/model.md section 4.3, spec/iptables.md
 * section 3.8). match_all: a /0 was listed, or nothing was left for the family and no interface was
 * named (a named one without addresses leaves an empty set). Otherwise addrs are those of this
 * host's addresses that lie in the list, sorted, each once, loopback ones included, without those
 * that services own as external or load-balancer addresses; the node's own address always stays
 * (report C11). lists_loopback: the list covers 127.0.0.0/8 in whole or in part (match-all does),
 * IPv4 only.
 */
struct node_port_set {
	bool match_all;
	bool lists_loopback;
	struct addr *addrs;
	size_t n;
};
void node_port_set_done(struct node_port_set *s);
int view_node_ports(const struct view *v, enum addr_family family, struct node_port_set *ret);

/* What changed between two views: keys of services by pointer comparison of the two sorted lists,
 * and what is global. */
enum view_change {
	VIEW_SETTINGS = 1 << 0, /* settings that rules depend on */
	VIEW_ADDRESSES = 1 << 1,
};
struct view_diff {
	unsigned flags;
	/* Pairs of old and new service; one of the two is NULL for an added or removed one. Not
	 * owned. */
	struct view_pair {
		struct service *old, *new;
	} * pairs;
	size_t n, allocated;
};
void view_diff_done(struct view_diff *d);
/* old may be NULL: everything is new. -ENOMEM. */
int view_diff(const struct view *old, const struct view *new, struct view_diff *ret);
