/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "model/checks.h"
#include "rules/ipvs.h"

void ipvs_state_check(const struct ipvs_state *s, struct diags *d)
{
	for (int i = 0; i < _SET_MAX; i++) {
		const struct ipvs_set_row *row = &ipvs_set_rows[i];
		char count[24], limit[24];

		/* Ports are a bitmap, which has a place for each. */
		if (row->kind == SET_KIND_PORT || s->n_entries[i] <= IPVS_SET_ENTRIES_MAX)
			continue;
		(void)snprintf(count, sizeof(count), "%zu", s->n_entries[i]);
		(void)snprintf(limit, sizeof(limit), "%d", IPVS_SET_ENTRIES_MAX);
		check_tell(d, CHECK_C42_SET, NULL, NULL, NULL, NULL, row->names[s->family], count,
			   limit);
	}
}
