/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/manager.h"

/* "iptables (nft): 12 services, 34 endpoints; in sync since 05:28:45; 1 file refused: FILE:LINE:
 * ..." malloc'ed, one line; NULL when out of memory. */
char *report_status_line(const struct manager *m);

/* Logs the messages about the files that were not logged before. */
void report_problems(struct manager *m);

/* The body of an answer of the control socket, NULL when out of memory. counts: NULL for none;
 * count_error: why, -errno, 0 when the mode does not count. *ret_status is 200 at the call; 404 for
 * an unknown service. */
json_t *report_get(struct manager *m, enum control_verb verb, const char *service,
		   const struct counts *counts, int count_error, int *ret_status);

/* The verdict after a pass that was asked for: 0, 1 (sync failed), 3 (files refused). */
json_t *report_verdict(const struct manager *m, int *ret_exit_status);
