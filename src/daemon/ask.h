/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/manager.h"

/*
 * Requests for information on the control socket. In a mode that counts connections and bytes,
 * status, services and endpoints are answered when the counters have been read; nobody reads them
 * when nobody asks. One count at a time: who asks meanwhile shares the next one.
 */

/* As get of struct server_ops; userdata is the manager. */
void ask_get(void *userdata, enum control_verb verb, const char *service,
	     struct server_request *request);
/* Forgets who still waits; server_free(), which must follow, answers them. */
void ask_done(struct manager *m);
