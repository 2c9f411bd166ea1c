/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <jansson.h>

#include "control/control.h"

/*
 * One request to the daemon, synchronous: for the command. timeout_usec bounds the wait for an
 * answer (a reload may take long; 0: no bound). *ret_body is a new reference (NULL when the answer
 * had none). -ECONNREFUSED or -ENOENT: no daemon; -EACCES: not allowed; -ETIMEDOUT; -EPROTO: an
 * answer that makes no sense.
 */
int control_request(const char *socket_path, enum control_verb verb, const char *service,
		    uint64_t timeout_usec, int *ret_http_status, json_t **ret_body);
