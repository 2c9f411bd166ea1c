/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/cleanup.h"

/* The four verbs of the service manager; the rest of the tree does not know that systemd exists.
 * All do nothing when NOTIFY_SOCKET is not set. */

/* READY=1, with STATUS= when status is not NULL. Also ends a reload. */
void notify_ready(const char *status);
/* RELOADING=1 and MONOTONIC_USEC= in one message (systemd.service(5), Type=notify-reload). */
void notify_reloading(void);
void notify_stopping(void);
void notify_status(const char *status);
/* WATCHDOG=1 */
void notify_watchdog(void);
