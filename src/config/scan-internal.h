/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "config/scan.h"

/* Between the files of the scanner: scan.c (grammar), scan-scalar.c (strings, numbers, words) and
 * scan-text.c (characters, places, messages). */

struct scan {
	const char *data;
	size_t size, pos;
	scan_value_fn *fn;
	void *userdata;
	const char *file_name;
	struct diags *diags;
	unsigned depth, n_values;
};

/* Where a value stands in the tree: what its path is made of. The root has no element above it. */
struct scan_element {
	const struct scan_element *up;
	const char *key; /* not terminated; NULL: an entry of a list */
	size_t key_size;
	size_t index;
};

/* A run of bytes of the text. */
struct scan_span {
	size_t offset, size;
};

enum scan_scalar {
	SCAN_BOOL,
	SCAN_INT,
	SCAN_INT64,
	SCAN_FLOAT,
	SCAN_STRING,
	_SCAN_SCALAR_MAX,
	_SCAN_SCALAR_INVALID = -EINVAL,
};

static inline bool scan_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool scan_is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '*';
}

static inline bool scan_is_name_char(char c)
{
	return scan_is_name_start(c) || scan_is_digit(c) || c == '-' || c == '_';
}

static inline bool scan_is_number_start(char c)
{
	return scan_is_digit(c) || c == '-' || c == '+' || c == '.';
}

static inline bool scan_is_number_char(char c)
{
	return scan_is_name_char(c) || c == '+' || c == '.';
}

/* A byte of the text; NUL at the end. A NUL in the text ends up as an error as well. */
static inline char scan_at(const struct scan *s, size_t pos)
{
	return pos < s->size ? s->data[pos] : '\0';
}

static inline char scan_current(const struct scan *s)
{
	return scan_at(s, s->pos);
}

/* The current place without any text. */
static inline struct scan_span scan_here(const struct scan *s)
{
	return (struct scan_span){.offset = s->pos};
}

/* Bytes of the name at the current place; 0: there is none. */
size_t scan_name_size(const struct scan *s);
/* Whether the text there is this word, in any case. */
bool scan_is_word(const struct scan *s, struct scan_span what, const char *word);
bool scan_is_boolean(const struct scan *s, struct scan_span what);

int scan_line_of(const struct scan *s, size_t offset);

/* The word, string or character at the current place, for messages. */
struct scan_span scan_excerpt(const struct scan *s);

/* Adds the error and returns -EBADMSG (or -ENOMEM), so that "return scan_fault(...)" works. what:
 * the text in question, size 0 for none; its offset is the place. hint may be NULL. */
int scan_fault(struct scan *s, const struct scan_element *e, struct scan_span what,
	       const char *hint, const char *format, ...) _printf_(5, 6);
/* The same for what cannot stand at the current place. wanted: "a key". */
int scan_unexpected(struct scan *s, const struct scan_element *e, const char *hint,
		    const char *wanted);

/* Skips blanks and comments. */
int scan_skip(struct scan *s, const struct scan_element *e);

/* Takes a string, number or boolean and, after strings, blanks: its type (enum scan_scalar) or an
 * error. */
int scan_scalar(struct scan *s, const struct scan_element *e);
