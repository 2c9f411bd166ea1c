/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/view.h"
#include "rules/detect.h"
#include "rules/rule.h"

/*
 * The wanted state of iptables mode for one family: fixed chains, and a fragment for each service.
 * Immutable, reference-counted; fragments are shared with the previous ruleset, so what changed is
 * found by comparing pointers. spec/iptables.md sections 1 to 3.
 */

/* Chains that many services have rules in. */
enum dispatch_chain {
	DISPATCH_FILTER_SERVICES,  /* filter KUBE-SERVICES: A1 */
	DISPATCH_FILTER_EXTERNAL,  /* filter KUBE-EXTERNAL-SERVICES: A2, A4, A5 */
	DISPATCH_FILTER_NODEPORTS, /* filter KUBE-NODEPORTS: A6 */
	DISPATCH_FILTER_FIREWALL,  /* filter KUBE-PROXY-FIREWALL: A3 */
	DISPATCH_NAT_SERVICES,	/* nat KUBE-SERVICES: B1, B2, B3 (and N5 at the end, in the base) */
	DISPATCH_NAT_NODEPORTS, /* nat KUBE-NODEPORTS: B4, B5 */
	_DISPATCH_MAX,
};
enum rule_table dispatch_table(enum dispatch_chain c);
const char *dispatch_name(enum dispatch_chain c);

/* The rules of one service in one family. */
struct fragment {
	unsigned refs;
	struct service *service;	     /* a reference */
	char interface[RULES_INTERFACE_MAX]; /* of the pod detection: rules point at it */
	struct rule_list dispatch[_DISPATCH_MAX];
	struct chain *chains; /* in nat: by port EXT, FW, SVC, SVL, then SEP in endpoint order */
	size_t n_chains;
	struct rule *rules; /* the block that all lists above point into */
	size_t n_rules;
	size_t n_endpoints; /* of the family, usable or not; 0 when the service has no rules in the
			       family */
};
struct fragment *fragment_ref(struct fragment *f);
struct fragment *fragment_unref(struct fragment *f);

/* What the kernel can do, found by probing; part of the wanted state because rules depend on it. */
struct kernel_facts {
	bool nfacct;	     /* the counters exist: nfacct matches are written */
	bool tcp_be_liberal; /* net.netfilter.nf_conntrack_tcp_be_liberal is not 0: no INVALID drop
			      */
};

/* All that rules depend on besides the service itself. */
struct rules_env {
	enum addr_family family;
	struct kernel_facts facts;
	uint32_t mark;
	bool masquerade_all;
	bool allow_external_ips;
	bool large;		   /* more than 1000 endpoints: no endpoint comments */
	bool localhost_node_ports; /* effective, spec/iptables.md section 3.8 */
	unsigned detect_flags;	   /* RULE_SRC, RULE_IN or 0; with the two fields below */
	struct addr_prefix detect_cidr;
	char detect_interface[RULES_INTERFACE_MAX]; /* as for -i: a prefix ends in '+' */
	struct addr node_ip; /* the loopback placeholder when there is none */
	char *node_name, *zone;
	struct node_port_set node_ports;
};

#define LARGE_MODE_ENDPOINTS 1000

/* Compiles one service in one family; a service that does not count there gives an empty fragment.
 * The environment is only read. -ENOMEM. */
int fragment_compile(const struct rules_env *env, struct service *service, struct fragment **ret);
/* True when fragments made with the two are the same: what only the fixed chains depend on is not
 * compared. */
bool rules_env_equal_for_fragments(const struct rules_env *a, const struct rules_env *b);

struct ruleset {
	unsigned refs;
	struct rules_env env;
	struct world *world;	     /* a reference: services live there */
	struct fragment **fragments; /* parallel to world->services; never NULL, perhaps empty; kept
					alive by runs */
	size_t n_fragments;
	struct runs runs;
	/* The fixed chains with their rules: filter KUBE-FORWARD and KUBE-FIREWALL (F1; without
	 * rules when it is not wanted: then its content is not ours), nat KUBE-POSTROUTING,
	 * KUBE-MARK-MASQ, and the end of nat KUBE-SERVICES (N5). */
	struct chain forward, firewall, postrouting, mark_masq;
	struct rule_list services_end;
};
struct ruleset *ruleset_ref(struct ruleset *r);
struct ruleset *ruleset_unref(struct ruleset *r);
DEFINE_CLEANUP(struct ruleset, ruleset_unref);

/*
 * Compiles a view. previous (may be NULL) lends its fragments for services that are the same
 * object, if what fragments depend on is equal in both environments; the result is the same as
 * without it. Pure. -ENOMEM.
 */
int ruleset_compile(const struct view *view, enum addr_family family,
		    const struct kernel_facts *facts, const struct ruleset *previous,
		    struct ruleset **ret);

/* All of it, the mark and the node-port addresses included. */
bool rules_env_equal(const struct rules_env *a, const struct rules_env *b);

/* The 14 jumps, in the order in which they are inserted (each at the top), spec/iptables.md
 * section 1.2. */
struct jump {
	enum rule_table table;
	const char *chain;  /* "INPUT" */
	const char *target; /* "KUBE-SERVICES" */
	struct rule rule;
	const char *saved; /* how iptables-save prints it, from "-A" on, for recognising it */
};
extern const struct jump ruleset_jumps[];
extern const size_t n_ruleset_jumps;

/* Prefixes of the chains of services in nat: "KUBE-SVC-", "KUBE-SVL-", "KUBE-SEP-", "KUBE-FW-",
 * "KUBE-EXT-". */
bool chain_is_service_chain(const char *name);
