/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/manager.h"

/*
 * Keeps the contents in force in the state directory (config/accepted.h), once the kernel has them.
 * Disks take their time, so a child does it; and not more often than each few seconds, for the sake
 * of flash. That it cannot be done is a warning: the daemon does not need the directory before the
 * next start.
 */
#define KEEP_DIRECTORY "/var/lib/svcroute"

/* A config for the places and the state directory of this manager. -ENOMEM. */
int keep_new_config(const struct manager *m, struct config **ret);

/* To be called when a sync has ended well. */
void keep_request(struct manager *m);
/* At the end of the program: what is not kept yet is, if the disk does it within seconds. */
void keep_finish(struct manager *m);
