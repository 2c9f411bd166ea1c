/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

#include "daemon/watch-set.h"

/* What changes are seen by where inotify tells nothing of them. */

/* A number that is another one when the directory is another one, or a configuration file in it is
 * (links are followed): made of what stat() says, contents are not read. */
uint64_t watch_print(const struct watch_item *item);

/*
 * A number that is another one when something is mounted over a name that matters, or taken off it.
 * (A directory over which something is mounted is another one for inotify, a file is not.)
 */
uint64_t watch_mounts_print(const struct watch_set *s);
