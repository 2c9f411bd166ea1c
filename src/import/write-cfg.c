/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/write-cfg.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* What fits into this many bytes, and holds nothing nested, stands on one line. */
#define ONE_LINE_MAX 100

struct writer {
	struct strbuf *out;
	int error; /* sticky -EINVAL */
};

static void write_value(struct writer *w, const struct node *n, unsigned depth);

static bool is_name(const char *key)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ*";
	static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ*"
				     "0123456789-_";

	return key && *key && strchr(letters, *key) && !key[strspn(key, others)];
}

static void write_indent(struct writer *w, unsigned depth)
{
	for (; depth > 0; depth--)
		strbuf_add_char(w->out, '\t');
}

static void write_text(struct writer *w, const char *text)
{
	static const char short_for[] = "\"\\\n\t\r\f", letters[] = "\"\\ntrf";

	strbuf_add_char(w->out, '"');
	for (const char *p = text; *p; p++) {
		const char *at = strchr(short_for, *p);

		if (at)
			strbuf_addf(w->out, "\\%c", letters[at - short_for]);
		else if ((unsigned char)*p < 0x20 || *p == 0x7f)
			strbuf_addf(w->out, "\\x%02x", (unsigned char)*p);
		else
			strbuf_add_char(w->out, *p);
	}
	strbuf_add_char(w->out, '"');
}

/* Seventeen digits give the same number back; a point or exponent keeps it from being read as an
 * integer. */
static void write_float(struct writer *w, double value)
{
	char text[40];

	if (!isfinite(value)) {
		w->error = -EINVAL;
		return;
	}
	(void)snprintf(text, sizeof(text), "%.17g", value);
	strbuf_add(w->out, text);
	if (!text[strcspn(text, ".e")])
		strbuf_add(w->out, ".0");
}

static void write_scalar(struct writer *w, const struct node *n)
{
	switch (n->type) {
	case NODE_BOOL:
		strbuf_add(w->out, n->value.boolean ? "true" : "false");
		break;
	case NODE_INT:
		strbuf_addf(w->out, "%" PRId64, n->value.integer);
		/* Without the letter libconfig keeps 32 bits. */
		if (n->value.integer > INT32_MAX || n->value.integer < INT32_MIN)
			strbuf_add_char(w->out, 'L');
		break;
	case NODE_FLOAT:
		write_float(w, n->value.number);
		break;
	case NODE_STRING:
		write_text(w, n->value.string);
		break;
	case NODE_NULL:
	case NODE_LIST:
	case NODE_GROUP:
	case _NODE_TYPE_MAX:
		w->error = -EINVAL;
		break;
	}
}

static bool is_scalar(const struct node *n)
{
	return n->type != NODE_LIST && n->type != NODE_GROUP;
}

/* libconfig's array: scalars of one type. An integer beyond 32 bits is another type than one
 * within. */
static bool is_array(const struct node *list)
{
	for (const struct node *n = list->first; n; n = n->next) {
		if (!is_scalar(n) || n->type == NODE_NULL || n->type == NODE_INT ||
		    n->type != list->first->type)
			return false;
	}
	return list->first != NULL;
}

/* Roughly how long the value is on one line; too much if it holds something nested, but for arrays
 * in a group. */
static size_t one_line_size(const struct node *n)
{
	size_t size = 0;

	if (is_scalar(n))
		return n->type == NODE_STRING ? strlen(n->value.string) + 2 : 5;
	for (const struct node *c = n->first; c && size <= ONE_LINE_MAX; c = c->next) {
		if (c->type == NODE_GROUP ||
		    (c->type == NODE_LIST && (n->type == NODE_LIST || !is_array(c))))
			return ONE_LINE_MAX + 1;
		size += one_line_size(c) + (c->key ? strlen(c->key) + 5 : 2);
	}
	return size;
}

static void write_setting(struct writer *w, const struct node *n, unsigned depth)
{
	if (!is_name(n->key)) {
		w->error = -EINVAL;
		return;
	}
	strbuf_addf(w->out, "%s = ", n->key);
	write_value(w, n, depth);
	strbuf_add_char(w->out, ';');
}

static void write_group(struct writer *w, const struct node *group, unsigned depth)
{
	bool one_line = one_line_size(group) <= ONE_LINE_MAX;

	strbuf_add(w->out, one_line ? "{" : "{\n");
	for (const struct node *n = group->first; n; n = n->next) {
		if (n->type == NODE_NULL)
			continue;
		if (one_line)
			strbuf_add_char(w->out, ' ');
		else
			write_indent(w, depth + 1);
		write_setting(w, n, depth + 1);
		if (!one_line)
			strbuf_add_char(w->out, '\n');
	}
	if (one_line)
		strbuf_add_char(w->out, ' ');
	else
		write_indent(w, depth);
	strbuf_add_char(w->out, '}');
}

static void write_list(struct writer *w, const struct node *list, unsigned depth)
{
	bool array = is_array(list), one_line = one_line_size(list) <= ONE_LINE_MAX;
	bool first = true;

	strbuf_add_char(w->out, array ? '[' : '(');
	for (const struct node *n = list->first; n; n = n->next) {
		if (n->type == NODE_NULL)
			continue;
		if (!first)
			strbuf_add_char(w->out, ',');
		first = false;
		if (one_line) {
			strbuf_add_char(w->out, ' ');
		} else {
			strbuf_add_char(w->out, '\n');
			write_indent(w, depth + 1);
		}
		write_value(w, n, depth + 1);
	}
	if (one_line) {
		strbuf_add_char(w->out, ' ');
	} else {
		strbuf_add_char(w->out, '\n');
		write_indent(w, depth);
	}
	strbuf_add_char(w->out, array ? ']' : ')');
}

static void write_value(struct writer *w, const struct node *n, unsigned depth)
{
	if (n->type == NODE_LIST)
		write_list(w, n, depth);
	else if (n->type == NODE_GROUP)
		write_group(w, n, depth);
	else
		write_scalar(w, n);
}

int cfg_write_list(const char *key, const struct node *const *items, size_t n, struct strbuf *out)
{
	struct writer w = {.out = out};

	if (!is_name(key))
		return -EINVAL;
	strbuf_addf(out, "%s = (\n", key);
	for (size_t i = 0; i < n; i++) {
		write_indent(&w, 1);
		write_value(&w, items[i], 1);
		strbuf_add(out, i + 1 < n ? ",\n" : "\n");
	}
	strbuf_add(out, ");\n");
	return w.error < 0 ? w.error : strbuf_error(out);
}

int cfg_write_group(const struct node *group, struct strbuf *out)
{
	struct writer w = {.out = out};

	for (const struct node *n = group->first; n; n = n->next) {
		if (n->type == NODE_NULL)
			continue;
		write_setting(&w, n, 0);
		strbuf_add_char(out, '\n');
	}
	return w.error < 0 ? w.error : strbuf_error(out);
}
