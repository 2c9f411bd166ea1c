/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-event.h>

#include "config/config.h"

/*
 * Tells when files of the configuration directories may have changed (inotify). Files count when
 * they are complete: at the close of a writer, at a rename, a link, a removal; never at a mere
 * write. Directories that do not exist yet are found when they appear.
 */
struct watch;

/* changes: names that may have changed. all: anything may have changed (a directory came or went,
 * the queue overflowed); then look at everything and call watch_set_directories(). */
typedef void (*watch_fn)(void *userdata, const struct config_change *changes, size_t n, bool all);

int watch_new(sd_event *event, watch_fn fn, void *userdata, struct watch **ret);
struct watch *watch_free(struct watch *w);

/*
 * Watches these directories (NULL-terminated; copied), existing or not. *ret_look_again is true
 * when a directory is watched that was not before: what happened in it meanwhile was not seen, so
 * look at everything once more. -ENOSPC when the kernel's limit of watches is reached: the rest
 * goes unwatched.
 */
int watch_set_directories(struct watch *w, const char *const *directories, bool *ret_look_again);
