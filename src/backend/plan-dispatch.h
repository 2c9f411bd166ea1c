/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "kernel/iptables-save.h"
#include "rules/ruleset.h"

/*
 * Chains that many services have rules in: what changed between two rulesets, as one sequence in
 * the order of the chain, and its text. When few rules changed, each is named alone, added ones
 * with the place that they have on a fresh start: the cost is what changed, and counters of the
 * others live on.
 */

/* Goes through the services of two rulesets side by side. */
struct fragment_walk {
	const struct ruleset *old, *new; /* old may be NULL */
	size_t i, j;
	bool changed; /* pass over what both share: nearly everything, nearly always */
};
/* The next service of either; one of the two is NULL when it is in one only. False at the end. */
bool fragment_walk_next(struct fragment_walk *w, const struct fragment **ret_old,
			const struct fragment **ret_new);

enum dispatch_op { DISPATCH_KEEP, DISPATCH_REMOVE, DISPATCH_ADD };
struct dispatch_item {
	const struct rule *rule;
	const struct service *service;
	enum dispatch_op op;
};
struct dispatch_diff {
	const char *name;
	struct dispatch_item
		*items; /* both lists merged; removed ones stand before added ones of the service */
	size_t n, allocated;
	size_t n_added, n_removed;
	bool there; /* the chain was seen to hold just this */
	bool whole; /* the chain must be written anew: its content is not known, or a text would not
		       name one rule */
};
void dispatch_diff_done(struct dispatch_diff *d);
/* seen is looked at when old is NULL: a chain that already holds what is wanted need not be
 * written. -ENOMEM. The rulesets must live as long as the result. */
int dispatch_diff_make(enum dispatch_chain chain, const struct ruleset *old,
		       const struct ruleset *new, const struct iptables_seen *seen,
		       struct dispatch_diff *ret);

enum dispatch_step {
	STEP_ADD,    /* added ones come, removed ones stay */
	STEP_REMOVE, /* after STEP_ADD */
	STEP_EXACT,  /* both at once */
};
/* Whether the step changes the chain. */
bool dispatch_changes(const struct dispatch_diff *d, enum dispatch_step step);
/* Whether it does so by writing it anew; then its chain line must stand at the head. */
bool dispatch_rewrites(const struct dispatch_diff *d, enum dispatch_step step);

/* Lines are counted in *n_rules (deletions do not count). */
void dispatch_print(const struct dispatch_diff *d, enum dispatch_step step, struct strbuf *out,
		    size_t *n_rules);
/*
 * Wanted rules as additions, whatever the chain holds: from item `from` on, up to those of `last`
 * (NULL: to the end). Returns where the next part begins.
 */
size_t dispatch_print_appended(const struct dispatch_diff *d, size_t from,
			       const struct service *last, struct strbuf *out, size_t *n_rules);
