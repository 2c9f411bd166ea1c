/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

#include "model/diag.h"

/*
 * A scanner for libconfig's grammar that knows columns. It judges a text before the library sees
 * it, and finds the places of values afterwards. What it accepts, every libconfig from 1.5 on
 * accepts and reads alike; what the versions read differently, wrap, cut or drop, it
 * refuses:
 *
 * - whole numbers that do not fit 32 bits (64 with an L), have leading zeros (octal from 1.7 on) or
 *   a plus sign;
 * - in strings: line breaks, control characters, unknown escapes, and \x outside 01-7f;
 * - @include, unclosed comments and strings, a comma before a closing bracket, a key given twice.
 *
 * The limits are far above any valid file. They keep the library's recursion, its quadratic search
 * for keys and its hunger for memory out of reach of a hostile one.
 */
#define SCAN_DEPTH_MAX 32	/* brackets open at once */
#define SCAN_KEYS_MAX 64	/* keys of one group */
#define SCAN_VALUES_MAX 4000000 /* all values; a full-sized file of services has about as many */

#define SCAN_NO_KEY ((size_t)-1)

/*
 * Called for every value in the order written, the root group first (its place is the start of the
 * text), a group or list before its children. depth: 0 for the root, 1 for its settings, and so on.
 * key and value are offsets of first bytes; key is SCAN_NO_KEY in lists. A negative result ends the
 * scan and becomes its result.
 */
typedef int scan_value_fn(void *userdata, unsigned depth, size_t key, size_t value);

/*
 * Scans a whole text; a byte order mark at its start is skipped. fn may be NULL. The first error is
 * added to d with file_name, line, column, path of the setting and the text in question; d NULL:
 * the result alone. -EBADMSG, -ENOMEM (from d or fn).
 */
int scan_text(const char *data, size_t size, scan_value_fn *fn, void *userdata,
	      const char *file_name, struct diags *d);

/* Bytes of the byte order mark at the start: 0 or 3. */
size_t scan_bom_size(const char *data, size_t size);

/* Walks over a text and knows line and column of where it is. */
struct scan_cursor {
	const char *data;
	size_t size, offset;
	int line,
		column; /* from 1; a column is a character: a tab is one, a byte order mark none */
};
void scan_cursor_init(struct scan_cursor *c, const char *data, size_t size);
/* Moves on to the byte at offset; it never goes back. At most size: the end of the text. */
void scan_cursor_move(struct scan_cursor *c, size_t offset);
