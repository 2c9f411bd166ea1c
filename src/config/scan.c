/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/scan-internal.h"

#include <stdio.h>
#include <string.h>

static bool starts_value(char c)
{
	return scan_is_name_start(c) || scan_is_number_start(c) || (c && strchr("\"([{", c));
}

static int tell(struct scan *s, const struct scan_element *e, size_t key)
{
	unsigned depth = e->up ? s->depth + 1 : 0;

	if (s->n_values++ == SCAN_VALUES_MAX)
		return scan_fault(s, e, scan_here(s), "split the file",
				  "a file must not have more than %d values", SCAN_VALUES_MAX);
	return s->fn ? s->fn(s->userdata, depth, key, s->pos) : 0;
}

static int scan_value(struct scan *s, const struct scan_element *e, size_t key);

/* What comes after an entry: 1 for another one, 0 for the end of the list. */
static int scan_list_separator(struct scan *s, const struct scan_element *e, size_t open,
			       char close)
{
	struct scan_span comma;
	char c, hint[64];
	int r;

	r = scan_skip(s, e);
	if (r < 0)
		return r;
	c = scan_current(s);
	if (c == close)
		return 0;
	if (c == ';')
		return scan_fault(s, e, scan_here(s), NULL,
				  "entries of a list are separated by ',', not ';'");
	if (s->pos >= s->size)
		return scan_fault(s, e, (struct scan_span){.offset = open}, NULL,
				  "'%c' is never closed", s->data[open]);
	if (c != ',') {
		(void)snprintf(hint, sizeof(hint), "'%c' of line %d is still open", s->data[open],
			       scan_line_of(s, open));
		if (starts_value(c))
			return scan_fault(s, e, scan_excerpt(s), hint,
					  "',' is missing before this");
		return scan_unexpected(s, e, hint, close == ')' ? "',' or ')'" : "',' or ']'");
	}
	comma = scan_here(s);
	s->pos++;
	r = scan_skip(s, e);
	if (r < 0)
		return r;
	if (scan_current(s) == close)
		return scan_fault(s, e, comma, "remove the comma", "no entry follows this ','");
	return 1;
}

/* "( ... )" of any values, or "[ ... ]" of scalars of one type. */
static int scan_list(struct scan *s, const struct scan_element *list)
{
	size_t open = s->pos;
	bool array = s->data[open] == '[';
	char close = array ? ']' : ')';
	struct scan_element e = {.up = list};
	int r, type = _SCAN_SCALAR_INVALID;

	s->pos++;
	r = scan_skip(s, list);
	if (r < 0)
		return r;
	if (s->pos >= s->size)
		return scan_fault(s, list, (struct scan_span){.offset = open}, NULL,
				  "'%c' is never closed", s->data[open]);

	for (; scan_current(s) != close; e.index++) {
		struct scan_span start = scan_excerpt(s);
		char c = scan_current(s);

		if (array && (c == '{' || c == '(' || c == '['))
			return scan_fault(s, &e, scan_here(s),
					  "lists of groups are written ( {...}, {...} )",
					  "'[ ]' holds texts, numbers or booleans only");
		r = scan_value(s, &e, SCAN_NO_KEY);
		if (r < 0)
			return r;
		if (array && type >= 0 && type != r)
			return scan_fault(s, &e, start, "lists of mixed types are written ( )",
					  "all entries of '[ ]' must be of one type");
		type = r;
		r = scan_list_separator(s, &e, open, close);
		if (r < 0)
			return r;
		if (r == 0)
			break;
	}
	s->pos++;
	return 0;
}

/* Texts of other formats are told by the first thing in them. */
static int scan_first_of_file(struct scan *s, const struct scan_element *root)
{
	switch (scan_current(s)) {
	case '[':
	case ';':
		return scan_fault(s, root, scan_excerpt(s), "settings belong in svcroute.conf",
				  "this looks like INI; a *.cfg is written in libconfig's format");
	case '{':
		return scan_fault(s, root, scan_here(s),
				  "Kubernetes objects are read with 'svcroutectl import'",
				  "this looks like JSON; a *.cfg is written in libconfig's format");
	case '-':
		return scan_fault(s, root, scan_here(s),
				  "Kubernetes objects are read with 'svcroutectl import'",
				  "this looks like YAML; a *.cfg is written in libconfig's format");
	default:
		return 0;
	}
}

/* A key that the group does not have yet, and the '=' behind it. */
static int scan_key(struct scan *s, const struct scan_element *group, struct scan_span *keys,
		    size_t n_keys, struct scan_element *ret)
{
	struct scan_span key = {.offset = s->pos, .size = scan_name_size(s)};
	struct scan_element e = {.up = group, .key = s->data + key.offset, .key_size = key.size};
	int r;

	if (scan_is_boolean(s, key))
		return scan_fault(s, group, key, NULL, "cannot be the name of a key");
	for (size_t i = 0; i < n_keys; i++)
		if (keys[i].size == key.size &&
		    memcmp(s->data + keys[i].offset, e.key, key.size) == 0)
			return scan_fault(s, &e, key, NULL, "this key was given before, in line %d",
					  scan_line_of(s, keys[i].offset));
	if (n_keys == SCAN_KEYS_MAX)
		return scan_fault(s, &e, key, "objects with names are written as a list of groups",
				  "a group must not have more than %d keys", SCAN_KEYS_MAX);
	keys[n_keys] = key;

	s->pos += key.size;
	r = scan_skip(s, &e);
	if (r < 0)
		return r;
	if (scan_current(s) != '=' && scan_current(s) != ':')
		return scan_unexpected(s, &e, NULL, "'='");
	s->pos++;
	r = scan_skip(s, &e);
	if (r < 0)
		return r;
	*ret = e;
	return 0;
}

/* The settings of a group up to its '}', which is not taken; of the root up to the end of the text
 * (open is SCAN_NO_KEY). */
static int scan_settings(struct scan *s, const struct scan_element *group, size_t open)
{
	struct scan_span keys[SCAN_KEYS_MAX];
	bool root = open == SCAN_NO_KEY;
	int r;

	for (size_t n_keys = 0;; n_keys++) {
		struct scan_element e;
		size_t key;

		r = scan_skip(s, group);
		if (r < 0)
			return r;
		if (s->pos >= s->size) {
			if (root)
				return 0;
			return scan_fault(s, group, (struct scan_span){.offset = open}, NULL,
					  "'{' is never closed");
		}
		if (!root && scan_current(s) == '}')
			return 0;
		if (root && n_keys == 0) {
			r = scan_first_of_file(s, group);
			if (r < 0)
				return r;
		}
		if (!scan_is_name_start(scan_current(s))) {
			char hint[64];

			if (root)
				return scan_unexpected(s, group, NULL, "a key");
			(void)snprintf(hint, sizeof(hint), "'{' of line %d is still open",
				       scan_line_of(s, open));
			return scan_unexpected(s, group, hint, "a key or '}'");
		}

		key = s->pos;
		r = scan_key(s, group, keys, n_keys, &e);
		if (r < 0)
			return r;
		r = scan_value(s, &e, key);
		if (r < 0)
			return r;
		r = scan_skip(s, group);
		if (r < 0)
			return r;
		if (scan_current(s) == ';' || scan_current(s) == ',')
			s->pos++;
	}
}

static int scan_group(struct scan *s, const struct scan_element *e)
{
	size_t open = s->pos;
	int r;

	s->pos++;
	r = scan_settings(s, e, open);
	if (r < 0)
		return r;
	s->pos++;
	return 0;
}

/* The type of a scalar (enum scalar), 0 for others, or an error. */
static int scan_value(struct scan *s, const struct scan_element *e, size_t key)
{
	char c = scan_current(s);
	int r;

	r = tell(s, e, key);
	if (r < 0)
		return r;
	if (c != '{' && c != '(' && c != '[')
		return scan_scalar(s, e);

	if (s->depth == SCAN_DEPTH_MAX)
		return scan_fault(s, e, scan_here(s), NULL,
				  "must not be nested more than %d levels deep", SCAN_DEPTH_MAX);
	s->depth++;
	r = c == '{' ? scan_group(s, e) : scan_list(s, e);
	s->depth--;
	return r;
}

int scan_text(const char *data, size_t size, scan_value_fn *fn, void *userdata,
	      const char *file_name, struct diags *d)
{
	struct scan s = {
		.data = data,
		.size = size,
		.pos = scan_bom_size(data, size),
		.fn = fn,
		.userdata = userdata,
		.file_name = file_name,
		.diags = d,
	};
	struct scan_element root = {0};
	int r;

	r = tell(&s, &root, SCAN_NO_KEY);
	if (r < 0)
		return r;
	return scan_settings(&s, &root, SCAN_NO_KEY);
}
