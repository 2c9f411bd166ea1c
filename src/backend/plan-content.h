/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "kernel/iptables-save.h"
#include "rules/ruleset.h"

/* The content that a chain will have once it is loaded, for comparing with what a save showed.
 * Begin with {0}. */
struct plan_content {
	struct seen_content sum;
	struct strbuf text; /* of one rule; holds the error */
};
void plan_content_done(struct plan_content *c);
void plan_content_add(struct plan_content *c, const struct rule *r, const struct service *service,
		      enum addr_family family);

/* Whether a chain was seen to hold just these rules. -ENOMEM. */
int plan_content_there(const struct iptables_seen *seen, enum seen_table t,
		       const struct chain *chain, const struct service *service,
		       enum addr_family family, bool *ret);
