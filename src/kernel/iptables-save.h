/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

/* What an iptables-save showed of the things that are ours: chain names, and the rules of built-in
 * chains. */
enum seen_table { SEEN_FILTER, SEEN_NAT, SEEN_MANGLE, _SEEN_TABLE_MAX };

struct seen_rule {
	char *text;	 /* as printed, from "-A" on */
	size_t position; /* in its chain, from 1 */
};
struct seen_rules {
	struct seen_rule *items;
	size_t n, allocated;
};
/* The rules of a chain of ours, as a number: two that are equal are taken for the same content. */
struct seen_content {
	uint64_t hash;
	size_t n_rules;
};
struct seen_table_content {
	struct map *chains; /* names of all user chains -> index in contents, plus 1 */
	struct seen_content *contents;
	size_t n_contents, contents_allocated;
	/* Rules of built-in chains whose target begins with KUBE-, in the order of the table. */
	struct seen_rules jumps;
	/* Rules of user chains that are not ours, with such a target: they may hold a chain of ours
	 * fast. */
	struct seen_rules references;
	size_t n_foreign_rules; /* rules, in any chain, that are none of ours */
	size_t n_foreign_chains;
	bool foreign_policy; /* some policy is not ACCEPT */
};
struct iptables_seen {
	struct seen_table_content tables[_SEEN_TABLE_MAX];
	/* filter KUBE-FIREWALL: its rules as printed (spec/iptables.md W18 decides by them whether
	 * it is ours) */
	struct seen_rules firewall;
	size_t n_foreign_elsewhere; /* rules in other tables (raw, security) */
};
void iptables_seen_done(struct iptables_seen *s);
#define _cleanup_iptables_seen_ _cleanup_(iptables_seen_done)

/* Reads a save. text is not changed; size bytes. -EBADMSG when it is no save, -ENOMEM. An empty
 * text is an empty host. */
int iptables_seen_read(const char *text, size_t size, struct iptables_seen *ret);

/* Whether a chain was there. */
bool iptables_seen_chain(const struct iptables_seen *s, enum seen_table t, const char *name);
/* Adds a rule, without "-A CHAIN", to a content; begin with {0}. Runs of blanks count as one. */
void seen_content_add(struct seen_content *c, const char *rule, size_t n);
/* Whether a chain was there with just this content. */
bool iptables_seen_content(const struct iptables_seen *s, enum seen_table t, const char *name,
			   const struct seen_content *wanted);
/* Whether other owners use this variant: their rules, chains or policies were seen. Empty tables do
 * not count. */
bool iptables_seen_foreign(const struct iptables_seen *s);
/* Whether anything of ours was seen: a chain of ours, or a rule that jumps to one. KUBE-FIREWALL
 * alone does not count, the kubelet makes it too. */
bool iptables_seen_ours(const struct iptables_seen *s);

/* Whether a chain name is ours in that table, in any mode (spec/iptables.md section 1.1, canary and
 * KUBE-FIREWALL included; spec/ipvs.md section 1.3). */
bool iptables_chain_is_ours(enum seen_table t, const char *name);

/* Target of a rule as printed by a save ("-j NAME" or "-g NAME" outside of quotes), at most size -
 * 1 bytes; false when it has none or a longer one. */
bool iptables_rule_target(const char *rule, char *buf, size_t size);
