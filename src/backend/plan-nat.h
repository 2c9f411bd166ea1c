/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "backend/iptables-plan.h"

/*
 * The nat step: text, and what was counted, go to *plan (its steps are left alone). out stays empty
 * when nothing is to be written. -ENOMEM.
 */
int plan_nat_print(const struct ruleset *old, const struct ruleset *new,
		   const struct iptables_seen *seen, const struct plan_options *options,
		   struct strbuf *out, struct iptables_plan *plan);

/* rule may be NULL and is copied. -ENOMEM. */
int plan_kept_add(struct plan_kept_list *list, const char *chain, const char *rule);
void plan_kept_done(struct plan_kept_list *list);

/* For qsort of an array of chain names: FW, EXT, SVC, SVL, SEP, each by name; a chain only points
 * at chains behind it. Others come first. */
int plan_chain_order(const void *a, const void *b);
