/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "model/diag.h"

/*
 * The part of the state directory that remembers the last good content of every file, so that a
 * restart with a broken file finds it (product sheet section 6):
 *
 *     DIR/accepted/index        for each file: hash, size, since when, id, path (accepted-index.h)
 *     DIR/accepted/<sha256>     a content, named by its hash
 *
 * Contents are complete on the disk before the index names them, and an index is there whole or not
 * at all: after a power cut it is the old or the new one, and all that it names is there. DIR may
 * be a symlink; below it none is followed.
 */
#define ACCEPTED_HASH_SIZE 32

struct accepted;

struct accepted_file {
	const char *id;	  /* "1/name": config_file_id() */
	const char *path; /* where it stood, as in messages */
	uint8_t hash[ACCEPTED_HASH_SIZE];
	size_t size;
	uint64_t since_usec; /* realtime: when this content came into force */
};

/* SHA-256 of a content. */
void accepted_hash(const void *text, size_t size, uint8_t ret[ACCEPTED_HASH_SIZE]);

/*
 * Reads the index below the state directory. Never a reason to stop: a missing directory or index
 * is an empty one; a corrupt index or one of an unknown version is put aside (renamed to *.bad;
 * when that cannot be, left alone) with a warning in d, and counts as empty, as does one that
 * cannot be read. Only -ENOMEM fails.
 */
int accepted_load(const char *directory, struct accepted **ret, struct diags *d);
struct accepted *accepted_free(struct accepted *a);
DEFINE_CLEANUP(struct accepted, accepted_free);

/* NULL when there is none. Valid until accepted_free(). */
const struct accepted_file *accepted_find(const struct accepted *a, const char *id);
/* All of them by id; start with *pos = 0, NULL at the end. */
const struct accepted_file *accepted_next(const struct accepted *a, size_t *pos);

/* A content, malloc'ed and NUL-terminated. -ENOENT: it is not there; -EBADMSG: it is not what its
 * name says, and was put aside (*.bad) if that can be; other errors of open() and read(). */
int accepted_read(const struct accepted *a, const struct accepted_file *f, char **ret_text,
		  size_t *ret_size);

/* One file of the set to be remembered. text NULL: the content is in the directory already. */
struct accepted_wanted {
	struct accepted_file file;
	const char *text;
};

/*
 * Makes files[] the accepted set: contents that are missing, then the index, then contents that
 * nothing names any more go. Directories are made when missing (0700), files are 0600. Two programs
 * that save at once come one after the other (flock; -EBUSY after ten seconds). A file without text
 * whose content is not there is left out. Nothing is written when the index would stay as it is.
 * Blocks for as long as the disk takes: the daemon calls it in a child. -EINVAL: two files with one
 * id. -errno of the step that failed, with *ret_step saying in words which ("write FILE";
 * malloc'ed, may be NULL); the old set is in force then. When it returns 0 the new set outlives a
 * power cut.
 */
int accepted_save(const char *directory, const struct accepted_wanted *files, size_t n,
		  char **ret_step);
