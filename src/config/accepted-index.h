/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/strbuf.h"
#include "config/accepted.h"

/*
 * The text of DIR/accepted/index, without any file system:
 *
 *     svcroute-accepted 1.0
 *     file HASH SIZE SINCE ID PATH
 *     checksum HASH
 *
 * One blank between two fields. HASH: 64 hex digits, SHA-256; that of the last line covers all
 * bytes before this line. SIZE in bytes, SINCE in microseconds since the epoch. ID and PATH: bytes
 * other than 0x21 to 0x7e, and the backslash, are written \xHH.
 *
 * A later version 1.x may add kinds of lines, and fields at the end of a line: they are skipped. A
 * change that this reader could not skip makes a version 2.
 */

/* A larger one is refused: no more than a few times this much memory is ever needed. */
#define ACCEPTED_INDEX_MAX (64u << 20)

/* Zeroed is an empty one. */
struct accepted_index {
	struct accepted_file *files; /* by id; each id once */
	size_t n, allocated;
	char *texts; /* what the ids and paths point into */
};

void accepted_index_done(struct accepted_index *index);
#define _cleanup_accepted_index_ _cleanup_(accepted_index_done)

/*
 * Reads an index, a pure function of the bytes. -EBADMSG: it is no index, or a damaged one;
 * -EOPNOTSUPP: of another major version; then *ret_reason says in words what is wrong (a constant,
 * for "FILE: ..."). -ENOMEM.
 */
int accepted_index_parse(const void *data, size_t size, struct accepted_index *ret,
			 const char **ret_reason);

/* Adds the text of an index of these files, which stand by id, each once. Errors stick in out. */
void accepted_index_print(const struct accepted_file *files, size_t n, struct strbuf *out);

/* Order of ids, for qsort() and bsearch() over struct accepted_file. */
int accepted_file_compare(const void *a, const void *b);

/* A hash in hex digits, as contents are named. Returns the buffer. */
#define ACCEPTED_NAME_MAX (2 * ACCEPTED_HASH_SIZE + 1)
const char *accepted_hash_format(const uint8_t hash[ACCEPTED_HASH_SIZE],
				 char buf[ACCEPTED_NAME_MAX]);
/* The inverse: exactly 64 lower case digits, else -EINVAL. */
int accepted_hash_parse(const char *text, uint8_t ret[ACCEPTED_HASH_SIZE]);
