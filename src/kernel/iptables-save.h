/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"

/* What an iptables-save showed of the things that are ours: chain names, and the rules of built-in chains. */
enum seen_table { SEEN_FILTER, SEEN_NAT, SEEN_MANGLE, _SEEN_TABLE_MAX };

struct seen_rule {
	char *text; /* as printed, from "-A" on */
};
struct seen_table_content {
	struct map *chains; /* names of all user chains -> (void *)1 */
	/* Rules of built-in chains whose target begins with KUBE-, in the order of the table. */
	struct seen_rule *jumps;
	size_t n_jumps, jumps_allocated;
	size_t n_foreign_rules; /* rules, in any chain, that are none of ours */
	size_t n_foreign_chains;
};
struct iptables_seen {
	struct seen_table_content tables[_SEEN_TABLE_MAX];
	/* filter KUBE-FIREWALL: its rules as printed (spec/iptables.md W18 decides by them whether it is ours) */
	struct seen_rule *firewall;
	size_t n_firewall, firewall_allocated;
};
void iptables_seen_done(struct iptables_seen *s);
#define _cleanup_iptables_seen_ _cleanup_(iptables_seen_done)

/* Reads a save. text is not changed; size bytes. -EBADMSG when it is no save, -ENOMEM. An empty text is an empty host. */
int iptables_seen_read(const char *text, size_t size, struct iptables_seen *ret);
