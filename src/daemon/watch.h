/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-event.h>

#include "config/config.h"

/*
 * Tells when files of the configuration directories, or files that links in them lead to, may have
 * changed. Files count when they are complete: at the close of a writer, at a rename, a link, a
 * removal; never at a mere write. Directories that do not exist yet are found when they appear.
 *
 * By inotify, with watches on directories only. Where there are none to be had (a limit of the
 * kernel, no right to read), or where they do not tell of everything (network file systems, FUSE,
 * overlays), directories are looked at every few seconds instead; the first is logged, and tried
 * again from time to time.
 */
struct watch;

/* changes: names that may have changed. all: anything may have changed (a directory came or went,
 * the queue overflowed); then look at everything and call watch_set_directories(). */
typedef void (*watch_fn)(void *userdata, const struct config_change *changes, size_t n, bool all);

/* Fails for lack of memory, or of what every event loop needs; not for lack of inotify. */
int watch_new(sd_event *event, watch_fn fn, void *userdata, struct watch **ret);
struct watch *watch_free(struct watch *w);

/*
 * Watches these directories (NULL-terminated; copied), existing or not. *ret_look_again is true
 * when something is watched that was not before: what happened in it meanwhile was not seen, so
 * look at everything once more. -ENOMEM: call it again.
 */
int watch_set_directories(struct watch *w, const char *const *directories, bool *ret_look_again);

/* What keeps files from being watched, in words, NULL when nothing does. Valid until the next call
 * of the event loop or of watch_set_directories(). */
const char *watch_trouble(const struct watch *w);
