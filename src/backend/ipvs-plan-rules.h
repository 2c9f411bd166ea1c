/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "kernel/iptables-save.h"
#include "rules/ipvs.h"

/*
 * Which rules are loaded, and when: input for iptables-restore --noflush, one table each. What
 * restricts who may reach a virtual server comes before the server does and goes after it: such
 * chains are loaded early with what they have and shall have together, and late as they shall be.
 */
struct ipvs_rules_plan {
	char *early[_TABLE_MAX], *late; /* NULL: nothing to load; late is of the filter table */
	size_t n_chains, n_rules;
};
void ipvs_rules_plan_done(struct ipvs_rules_plan *p);
#define _cleanup_ipvs_rules_plan_ _cleanup_(ipvs_rules_plan_done)

/* old: what the kernel holds by our account; NULL: not known, then seen says what is there.
 * -ENOMEM. */
int ipvs_plan_rules(const struct ipvs_state *old, const struct ipvs_state *wanted,
		    const struct iptables_seen *seen, struct ipvs_rules_plan *ret);

/* Whether anything would be loaded, by our account. */
bool ipvs_rules_differ(const struct ipvs_state *old, const struct ipvs_state *wanted);

/* How a save prints a jump. */
void ipvs_jump_print_saved(const struct ipvs_jump *j, struct strbuf *out);

/* Whether iptables mode's chains are in force: traffic goes their way until they are gone. */
bool ipvs_rules_switching(const struct iptables_seen *seen);
