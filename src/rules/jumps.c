/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cleanup.h"
#include "rules/ruleset.h"

/* Two of the three texts of a jump come from the same pieces: the rule for the printer, and what a
 * save shows, which for these rules is the same. */
#define JUMP(t, from, to, with, text, shown)                                           \
	{                                                                              \
		.table = (t), .chain = (from), .target = (to),                         \
		.rule =                                                                \
			{                                                              \
				.flags = (with),                                       \
				.comment = COMMENT_LITERAL,                            \
				.target = TARGET_JUMP,                                 \
				.port_index = RULE_NO_PORT,                            \
				.chain = (to),                                         \
				.literal = (text),                                     \
			},                                                             \
		.saved = "-A " from shown " -m comment --comment \"" text "\" -j " to, \
	}

#define NEW(t, from, to, text) \
	JUMP(t, from, to, RULE_CT_NEW | RULE_COMMENT_LAST, text, " -m conntrack --ctstate NEW")
#define ANY(t, from, to, text) JUMP(t, from, to, 0, text, "")

#define BARE(t, from, to)                                                                   \
	{                                                                                   \
		.table = (t), .chain = (from), .target = (to),                              \
		.rule = {.target = TARGET_JUMP, .port_index = RULE_NO_PORT, .chain = (to)}, \
		.saved = "-A " from " -j " to,                                              \
	}

const struct jump ruleset_jumps[] = {
	NEW(TABLE_FILTER, "INPUT", "KUBE-EXTERNAL-SERVICES",
	    "kubernetes externally-visible service portals"),
	NEW(TABLE_FILTER, "FORWARD", "KUBE-EXTERNAL-SERVICES",
	    "kubernetes externally-visible service portals"),
	ANY(TABLE_FILTER, "INPUT", "KUBE-NODEPORTS", "kubernetes health check service ports"),
	NEW(TABLE_FILTER, "FORWARD", "KUBE-SERVICES", "kubernetes service portals"),
	NEW(TABLE_FILTER, "OUTPUT", "KUBE-SERVICES", "kubernetes service portals"),
	ANY(TABLE_FILTER, "FORWARD", "KUBE-FORWARD", "kubernetes forwarding rules"),
	NEW(TABLE_FILTER, "INPUT", "KUBE-PROXY-FIREWALL", "kubernetes load balancer firewall"),
	NEW(TABLE_FILTER, "OUTPUT", "KUBE-PROXY-FIREWALL", "kubernetes load balancer firewall"),
	NEW(TABLE_FILTER, "FORWARD", "KUBE-PROXY-FIREWALL", "kubernetes load balancer firewall"),
	ANY(TABLE_NAT, "OUTPUT", "KUBE-SERVICES", "kubernetes service portals"),
	ANY(TABLE_NAT, "PREROUTING", "KUBE-SERVICES", "kubernetes service portals"),
	ANY(TABLE_NAT, "POSTROUTING", "KUBE-POSTROUTING", "kubernetes postrouting rules"),
	BARE(TABLE_FILTER, "INPUT", "KUBE-FIREWALL"),
	BARE(TABLE_FILTER, "OUTPUT", "KUBE-FIREWALL"),
};
const size_t n_ruleset_jumps = ELEMENTSOF(ruleset_jumps);
