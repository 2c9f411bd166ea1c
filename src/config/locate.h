/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

/*
 * Line and column of every value of a libconfig text, in the order written: libconfig gives at most
 * a line. A scanner of our own over the same bytes, which must already have been accepted by
 * libconfig. Values are counted as node trees count them: the root group first (ordinal 0), a list
 * or group before its children. A value's place is its first byte; a named setting whose value is
 * missing cannot occur.
 */
struct location {
	int line, column; /* from 1; a column is a character, not a byte; a tab is one */
};
struct locations {
	struct location *items; /* by ordinal: of the value */
	struct location *keys;	/* by ordinal: of the key, {0} in lists */
	size_t n, allocated;
};
void locations_done(struct locations *l);
int locations_scan(const char *data, size_t size, struct locations *ret); /* -ENOMEM, -EBADMSG */
