/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "backend/ipvs-outcome.h"
#include "backend/ipvs-plan.h"
#include "kernel/iptables.h"

/* The kernel's doors. All synchronous: for copies of the process, and for few changes at a time. */
struct ipvs_doors {
	struct ipvs *ipvs;
	struct ipset *ipset; /* NULL: none to be had; the reason was told */
	struct links *links; /* so, too */
	int dummy;	     /* index of the link; 0: none */
};
void ipvs_doors_done(struct ipvs_doors *d);
#define _cleanup_ipvs_doors_ _cleanup_(ipvs_doors_done)

/* Opens all; what fails is told in o. -errno when there is no IPVS: then nothing can be done. */
int ipvs_doors_open(struct ipvs_doors *d, struct ipvs_outcome *o);
/* Finds or makes the dummy link; without one no address can be bound, which is told. */
void ipvs_doors_dummy(struct ipvs_doors *d, struct ipvs_outcome *o);

/* What the kernel holds. */
struct ipvs_seen {
	struct ipvs_seen_servers servers;
	struct ipset_sets sets; /* those that begin with KUBE- */
	bool has_sets;
	struct link_addresses addresses; /* of the dummy link */
	bool has_addresses;
	struct iptables_seen rules[_VARIANT_MAX][_ADDR_FAMILY_MAX];
	bool has_rules[_VARIANT_MAX][_ADDR_FAMILY_MAX];
};
void ipvs_seen_done(struct ipvs_seen *s);
#define _cleanup_ipvs_seen_ _cleanup_(ipvs_seen_done)

/* Reads all but the rules; what cannot be read is told. -errno: virtual servers. */
int ipvs_look(struct ipvs_doors *d, struct ipvs_seen *ret, struct ipvs_outcome *o);
/* All virtual servers with their real servers; sorted. */
int ipvs_look_servers(struct ipvs_doors *d, struct ipvs_seen_servers *l);
/* Adds one virtual server with its real servers, if there is one. Sorted order is the caller's. */
int ipvs_look_server(struct ipvs_doors *d, const struct ipvs_key *key, struct ipvs_seen_servers *l);
/* Whether the dummy link has all addresses that these states want; false too when that cannot be
 * read. states: by family, NULL: none. */
bool ipvs_look_addresses(struct ipvs_state *const states[_ADDR_FAMILY_MAX]);
/* NULL when there is none. */
const struct ipset_set *ipvs_seen_set(const struct ipvs_seen *s, const char *name);
/* Those of a family: they stand together. */
size_t ipvs_seen_family(const struct ipvs_seen_servers *l, enum addr_family family,
			const struct ipvs_seen_server **ret);

/* Why a change of virtual servers failed, for people; malloc'ed, NULL without memory. service:
 * whose it is, NULL when nobody's. */
char *ipvs_explain(const struct ipvs_change *c, const char *service);
/* type: of the set. */
char *ipvs_explain_set(const char *name, enum ipset_type type, const char *what, int error);
/* What iptables said, with the remedy where the kernel lacks a match. Takes message, malloc'ed or
 * NULL, and returns the like. */
char *ipvs_explain_rules(char *message);
/* An -errno of the kernel, with what to do about it where something can be done. */
const char *ipvs_reason(int error);
