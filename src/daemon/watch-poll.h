/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

#include "daemon/watch-set.h"

/* What changes are seen by where inotify tells nothing of them. */

/* A number that is another one when the directory is another one, or a configuration file in it is
 * (links are followed): made of what stat() says, contents are not read. */
uint64_t watch_print(const struct watch_item *item);

/* /proc/self/mountinfo, malloc'ed; NULL when it cannot be had. */
char *watch_mounts(void);

/* A number that is another one when something is mounted over a directory of the set or a name that
 * matters in one, or taken off it: inotify tells nothing of that. mounts: of watch_mounts(). */
uint64_t watch_mounts_print(const struct watch_set *s, const char *mounts);
