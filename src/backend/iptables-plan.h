/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "kernel/iptables-save.h"
#include "rules/ruleset.h"

/*
 * How little has to be written, and in which order: pure text for iptables-restore --noflush.
 *
 * At most three steps, each one table, so that no moment lacks working rules (spec/iptables.md W4):
 *   1. filter, with new REJECT and DROP rules added and none removed (left out when none is new);
 *   2. nat;
 *   3. filter, final (left out when step 1 or nothing at all already left it so).
 */
struct plan_step {
	enum rule_table table;
	char *text;
	size_t size;
};
struct iptables_plan {
	struct plan_step steps[3];
	size_t n_steps; /* 0: nothing to write */
	size_t n_chains, n_rules; /* written, for status */
	size_t n_stale; /* chains deleted */
};
void iptables_plan_done(struct iptables_plan *p);
#define _cleanup_iptables_plan_ _cleanup_(iptables_plan_done)

struct plan_options {
	bool blocks; /* nat in several COMMIT blocks of at most PLAN_BLOCK_SERVICES services, dispatch last */
	bool keep_stale; /* stale chains are flushed but not deleted: something foreign points at one */
};
#define PLAN_BLOCK_SERVICES 250

/*
 * old: what the kernel holds by our own account; NULL: not known, then seen says which chains and jumps exist
 * and everything is written. seen: NULL only together with old (a partial sync). -ENOMEM.
 */
int iptables_plan_make(const struct ruleset *old, const struct ruleset *new, const struct iptables_seen *seen,
		       const struct plan_options *options, struct iptables_plan *ret);

/* Input that takes away all that is ours and is there, per spec/iptables.md section 6.5 and W18; every copy of a
 * jump, KUBE-FIREWALL too when its content is ours. Steps: nat, filter, mangle (canary). */
struct cleanup_plan {
	char *texts[3]; /* NULL: nothing to do in that table */
	size_t sizes[3];
};
void cleanup_plan_done(struct cleanup_plan *p);
int iptables_plan_cleanup(const struct iptables_seen *seen, enum addr_family family, struct cleanup_plan *ret);
