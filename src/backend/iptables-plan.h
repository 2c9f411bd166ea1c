/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "kernel/iptables-save.h"
#include "model/settings.h"
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
/* A stale chain that stays, empty, because a rule of someone else points at it (spec/iptables.md
 * W2). */
struct plan_kept {
	char chain[CHAIN_NAME_MAX];
	char *rule; /* as a save prints it; NULL: not known */
};
struct plan_kept_list {
	struct plan_kept *items;
	size_t n, allocated;
};
struct iptables_plan {
	struct plan_step steps[3];
	size_t n_steps;		  /* 0: nothing to write */
	size_t n_chains, n_rules; /* written, for status */
	size_t n_stale;		  /* chains deleted */
	struct plan_kept_list kept;
};
void iptables_plan_done(struct iptables_plan *p);
#define _cleanup_iptables_plan_ _cleanup_(iptables_plan_done)

struct plan_options {
	bool blocks;	 /* nat in several COMMIT blocks of at most PLAN_BLOCK_SERVICES services,
			    dispatch last */
	bool keep_stale; /* stale chains are flushed but not deleted: something foreign points at
			    one */
};
#define PLAN_BLOCK_SERVICES 250
#define PLAN_BLOCK_CHAINS 2000 /* a service with very many endpoints ends a block early */
/* More edits of one dispatch chain than this, and the chain is written anew. */
#define PLAN_MAX_EDITS 50

/*
 * old: what the kernel holds by our own account; NULL: not known, then seen says what is there:
 * chains that hold just what is wanted are left alone (their counters live on), all others are
 * written. Stale chains that foreign rules point at are kept without being asked. seen: NULL only
 * together with old (a partial sync). -ENOMEM.
 */
int iptables_plan_make(const struct ruleset *old, const struct ruleset *new,
		       const struct iptables_seen *seen, const struct plan_options *options,
		       struct iptables_plan *ret);

/* Input that takes away all that is ours and is there, per spec/iptables.md section 6.5 and W18;
 * every copy of a jump, KUBE-FIREWALL too when its content is ours. Steps: nat, filter, mangle
 * (canary). */
struct cleanup_plan {
	char *texts[3]; /* NULL: nothing to do in that table */
	size_t sizes[3];
	/* Chains that are only flushed: a foreign rule points at them. */
	struct plan_kept_list kept;
};
void cleanup_plan_done(struct cleanup_plan *p);
#define _cleanup_cleanup_plan_ _cleanup_(cleanup_plan_done)
int iptables_plan_cleanup(const struct iptables_seen *seen, enum addr_family family,
			  struct cleanup_plan *ret);
/* The same, but what this mode has stays. */
int iptables_plan_remains(const struct iptables_seen *seen, enum svc_mode keep,
			  struct cleanup_plan *ret);
