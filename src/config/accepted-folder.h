/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "config/accepted-index.h"

/* DIR/accepted: what loading and saving have in common. No symlink below DIR is followed. */

#define ACCEPTED_FOLDER "accepted"
#define ACCEPTED_INDEX "index"

/* Opens DIR/accepted. -ENOENT, -ENOTDIR and others from open(). */
int accepted_folder_open(const char *directory, int *ret_fd);

/* Takes the lock that whoever changes anything must hold; closing fd gives it back, and so does
 * accepted_folder_unlock(). -EBUSY: another has it, even after so many microseconds. */
int accepted_folder_lock(int fd, uint64_t usec);
void accepted_folder_unlock(int fd);

/*
 * Reads the index; its text too, unless ret_text is NULL. -ENOENT: there is none. -EBADMSG and
 * -EOPNOTSUPP: what is there is none of ours, see *ret_reason. -ENOMEM. Other errors of open() and
 * read().
 */
int accepted_folder_read_index(int fd, struct accepted_index *ret, char **ret_text,
			       size_t *ret_size, const char **ret_reason);

/* Reads a content, malloc'ed and NUL-terminated, and checks size and hash. -ENOENT: there is none.
 * -EBADMSG: it is not what its name says. -ENOMEM. Other errors of open() and read(). */
int accepted_folder_read_content(int fd, const uint8_t hash[ACCEPTED_HASH_SIZE], size_t size,
				 char **ret);

/* Renames NAME to NAME.bad, so that a person can look at it; only under the lock. */
int accepted_folder_put_aside(int fd, const char *name);
