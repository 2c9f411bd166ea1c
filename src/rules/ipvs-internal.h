/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rules/detect.h"
#include "rules/ipvs.h"
#include "rules/service-facts.h"

/* Shared by the files of ipvs mode's compiler only. */

/* What RULE_SET of a rule points to. */
extern const struct rule_set ipvs_set_matches[_SET_MAX][_ADDR_FAMILY_MAX];

struct ipvs_env {
	/* What fragments depend on. */
	enum addr_family family;
	bool allow_external_ips;
	const char *scheduler; /* static */
	struct addr node_ip;   /* the loopback placeholder when there is none */
	char *node_name, *zone;
	struct addr
		*on_links; /* sorted: addresses of other links that are not bound to the dummy */
	size_t n_on_links;
	struct addr *node_ports; /* sorted: addresses that get node ports */
	size_t n_node_ports;
	/* What only rules depend on. */
	uint32_t mark;
	bool masquerade_all;
	unsigned detect_flags; /* RULE_SRC, RULE_IN or 0; with the two fields below */
	struct addr_prefix detect_range;
	char detect_interface[RULES_INTERFACE_MAX];
};
/* -ENOMEM */
int ipvs_env_make(const struct view *view, enum addr_family family, struct ipvs_env **ret);
struct ipvs_env *ipvs_env_free(struct ipvs_env *env);
DEFINE_CLEANUP(struct ipvs_env, ipvs_env_free);
bool ipvs_env_equal_for_fragments(const struct ipvs_env *a, const struct ipvs_env *b);
/* The name as a text that lives for ever; "rr" when it is empty or none that is known. */
const char *ipvs_scheduler_static(const char *name);

/* Entries are made of each set, and of the rules of KUBE-IPVS-OUT-FILTER: address, protocol and
 * port, as in a set of SET_KIND_IP_PORT. */
enum {
	PART_OUT_FILTER = _SET_MAX,
	_PART_MAX,
};
struct ipvs_entries {
	struct ipvs_entry *items;
	size_t n;
};

struct ipvs_fragment {
	unsigned refs;
	struct service *service; /* a reference */
	struct ipvs_virtual *virtuals;
	size_t n_virtuals;
	struct ipvs_real *reals;    /* the block that the lists of virtuals point into */
	struct ipvs_entry *entries; /* the block that the parts point into */
	struct ipvs_entries parts[_PART_MAX];
};
struct ipvs_fragment *ipvs_fragment_ref(struct ipvs_fragment *f);
struct ipvs_fragment *ipvs_fragment_unref(struct ipvs_fragment *f);
DEFINE_CLEANUP(struct ipvs_fragment, ipvs_fragment_unref);
/* One service in the family of the environment; one that does not count there gives an empty
 * fragment. -ENOMEM. */
int ipvs_fragment_compile(const struct ipvs_env *env, struct service *service,
			  struct ipvs_fragment **ret);

typedef int ipvs_compare_fn(const void *a, const void *b);
/* How items of a pile are compared: their order, and which of them are the same thing wanted twice
 * (those stand together). */
struct ipvs_pile_kind {
	size_t size; /* of an item */
	ipvs_compare_fn *order, *same;
};
/* A sorted array, of objects or of pointers to them. */
struct ipvs_pile {
	void *items;
	size_t n;
	bool distinct; /* known: no two are the same */
};
/* What is in old without minus (of equal ones as many as there), and plus; all three are sorted.
 * Looks only at the places that change. -ENOMEM. */
int ipvs_pile_edit(const struct ipvs_pile *old, const struct ipvs_pile *minus,
		   const struct ipvs_pile *plus, const struct ipvs_pile_kind *kind,
		   struct ipvs_pile *ret);
/* The first of those that are the same. When there are no two, the items are those of the pile
 * itself, which is distinct then. -ENOMEM. */
int ipvs_pile_unique(struct ipvs_pile *pile, const struct ipvs_pile_kind *kind,
		     struct ipvs_pile *ret);

/* All that the fragments have, also what stands twice: from it, and the fragments that changed, the
 * next state is made without looking at the others. */
struct ipvs_piles {
	struct ipvs_pile servers; /* const struct ipvs_virtual * */
	struct ipvs_pile parts[_PART_MAX];
	struct ipvs_pile out_filter; /* each once */
};

/* Makes the chains, when everything else of the state is there. -ENOMEM. */
int ipvs_rules_make(struct ipvs_state *s);
