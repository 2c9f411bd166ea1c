/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "backend/ipvs-apply.h"

/* What a sync asks for: read only, so that a copy of the process can do it. */
struct ipvs_task {
	struct ipvs_state *old[_ADDR_FAMILY_MAX];    /* by our account; NULL: not known */
	struct ipvs_state *wanted[_ADDR_FAMILY_MAX]; /* NULL: the host has not this family */
	const struct settings *settings;
	bool decided; /* variant is */
	enum iptables_variant variant;
	const struct ipvs_owned *owned; /* what wanted claims is in it already */
	const struct ipvs_memory
		*memory; /* NULL: what is owned does not change, nor do addresses */
	bool has_saved;	 /* what is on the disk has this hash */
	uint8_t saved_hash[32];
};

/* All is read from the kernel and compared. */
void ipvs_work_full(const struct ipvs_task *t, struct ipvs_outcome *o);
/* What changed against the account, which must be there for every family that is wanted. */
void ipvs_work_change(const struct ipvs_task *t, struct ipvs_outcome *o);
/* How many changes that would be, about; 0: none; SIZE_MAX when it is not for the event loop to do:
 * rules change, or what is owned. */
size_t ipvs_work_size(const struct ipvs_task *t);

/* Looks at real servers that drain; those that are done go. */
void ipvs_work_drains(const struct ipvs_task *t, const struct ipvs_key *keys, size_t n,
		      struct ipvs_outcome *o);

/* What stays of the record when all went well. -ENOMEM. */
int ipvs_work_settled(const struct ipvs_task *t, const struct ipvs_outcome *o,
		      struct ipvs_owned *ret);
