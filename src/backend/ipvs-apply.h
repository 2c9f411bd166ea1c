/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "backend/ipvs-look.h"
#include "backend/ipvs-plan-rules.h"

/* What is to be done in one family. */
struct ipvs_job {
	const struct ipvs_state *wanted;
	struct ipvs_set_plan sets[_SET_MAX];
	struct ipvs_rules_plan rules;
	struct ipvs_plan plan;
	/* iptables mode's rules are in force: its nat rules serve until everything else is there.
	 */
	bool switching;
	/* Sets or rules could not be read: whether they are there is not known. */
	bool unguarded;
	enum iptables_variant variant;
};
void ipvs_job_done(struct ipvs_job *j);
#define _cleanup_ipvs_job_ _cleanup_(ipvs_job_done)

/*
 * Does it, in the order of ipvs-plan.h. What fails is told in o and does not stop the rest, but
 * that no address is bound whose guard is not there. The changes in job have their errors then.
 */
void ipvs_apply(struct ipvs_doors *d, struct ipvs_job *job, struct ipvs_outcome *o);

/*
 * Real servers that are to go: TCP ones get no new connections, and then go if they have none; the
 * others at once. family: whose account is lost if it fails.
 */
void ipvs_apply_leave(struct ipvs_doors *d, const struct ipvs_changes *leave,
		      enum addr_family family, struct ipvs_outcome *o);
