/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/manager.h"

/* "iptables (nft): 12 services, 34 endpoints; in sync since 05:28:45; 1 file refused: FILE:LINE:
 * ..." malloc'ed, one line; NULL when out of memory. */
char *report_status_line(const struct manager *m);

/* Logs the messages about the files that were not logged before. */
void report_problems(struct manager *m);

/* Answers of the control socket. */
json_t *report_get(void *userdata, enum control_verb verb, const char *service, int *ret_status);

/* The verdict after a pass that was asked for: 0, 1 (sync failed), 3 (files refused). */
json_t *report_verdict(const struct manager *m, int *ret_exit_status);
