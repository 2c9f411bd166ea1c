/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "backend/ipvs-look.h"

/* Taking away what ipvs mode made. What fails is told in the outcome and does not stop the rest. */

struct ipvs_removal {
	const struct ipvs_memory *memory;
	struct ipvs_owned owned; /* by the record */
	bool recorded;		 /* there is one; otherwise the kernel has to tell what is ours */
	bool damaged;		 /* there is one that cannot be read */
	bool gently;		 /* TCP connections are waited for: outcome.remains */
};
/* Reads the record. */
void ipvs_removal_begin(struct ipvs_removal *r, const struct ipvs_memory *memory,
			struct ipvs_outcome *o);
void ipvs_removal_done(struct ipvs_removal *r);

/* Whether anything is there at all, as far as that can be told without loading modules. */
bool ipvs_removal_needed(const struct ipvs_removal *r);
/* Virtual servers and addresses; and the link, when nothing of others is on it. */
void ipvs_remove_servers(const struct ipvs_removal *r, struct ipvs_outcome *o);
/* After the rules that look into them. */
void ipvs_remove_sets(struct ipvs_outcome *o);
/* Writes what is left of the record: sysctls or nothing. */
void ipvs_removal_record(struct ipvs_removal *r, bool sysctls, struct ipvs_outcome *o);
