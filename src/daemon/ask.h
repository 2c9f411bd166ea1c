/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/manager.h"

/*
 * Requests for information on the control socket. What takes long, because the kernel's counters
 * have to be read or because there are many services, is told by a copy of the process. One copy at
 * a time: who asks meanwhile shares the next one. Nobody reads counters when nobody asks.
 */

/* As get of struct server_ops; userdata is the manager. */
void ask_get(void *userdata, enum control_verb verb, const char *service,
	     struct server_request *request);
/* Forgets who still waits; server_free(), which must follow, answers them. */
void ask_done(struct manager *m);
