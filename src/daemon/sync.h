/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/manager.h"

/* Asks for a pass: after ConfigDebounce=, and not sooner than MinSyncPeriod= after the last one.
 * What is to be done in it stands in the manager (changes, look_at_all, addresses_stale,
 * sync_full). */
void sync_request(struct manager *m);

/* Asks for a pass now, and for its verdict. request NULL: SIGHUP. full: everything is written
 * again. */
void sync_ask(struct manager *m, struct server_request *request, bool full);

/* SIGTERM: ends the loop, after the running sync. */
void sync_stop(struct manager *m);
