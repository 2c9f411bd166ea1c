/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "base/text.h"

const char *diag_severity_text(enum diag_severity severity)
{
	static const char *const names[_DIAG_SEVERITY_MAX] = {
		[DIAG_ERROR] = "error",
		[DIAG_WARNING] = "warning",
		[DIAG_NOTICE] = "notice",
	};

	if ((unsigned)severity >= _DIAG_SEVERITY_MAX)
		return names[DIAG_ERROR];
	return names[severity];
}

static void diag_done(struct diag *d)
{
	free(d->file);
	free(d->object);
	free(d->field);
	free(d->value);
	free(d->reason);
	free(d->hint);
	*d = (struct diag){0};
}

void diags_done(struct diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		diag_done(&d->items[i]);
	free(d->items);
	*d = (struct diags){0};
}

/* Counted before anything is copied: a list that lost an error for lack of memory still has one. */
static void count(struct diags *d, enum diag_severity severity)
{
	if (severity == DIAG_ERROR)
		d->n_errors++;
	else if (severity == DIAG_WARNING)
		d->n_warnings++;
}

/* A copy of text, NULL for NULL; *ok turns false when out of memory. */
static char *copy_text(const char *text, bool *ok)
{
	char *copy;

	if (!text)
		return NULL;
	copy = strdup(text);
	if (!copy)
		*ok = false;
	return copy;
}

static void add_copy(struct diags *d, enum diag_severity severity, const struct place *at,
		     const char *object, const char *field, const char *value, const char *hint,
		     const char *reason)
{
	struct diag copy;
	bool ok = true;

	count(d, severity);
	if (array_reserve(&d->items, &d->allocated, d->n + 1) < 0) {
		d->error = -ENOMEM;
		return;
	}
	copy = (struct diag){
		.severity = severity,
		.file = copy_text(at ? at->file : NULL, &ok),
		.line = at ? at->line : 0,
		.column = at ? at->column : 0,
		.object = copy_text(object, &ok),
		.field = copy_text(field, &ok),
		.value = copy_text(value, &ok),
		.reason = copy_text(reason, &ok),
		.hint = copy_text(hint, &ok),
	};
	if (!ok) {
		diag_done(&copy);
		d->error = -ENOMEM;
		return;
	}
	d->items[d->n++] = copy;
}

void diags_addv(struct diags *d, enum diag_severity severity, const struct place *at,
		const char *object, const char *field, const char *value, const char *hint,
		const char *reason_format, va_list ap)
{
	_cleanup_free_ char *reason = NULL;

	if (vasprintf(&reason, reason_format, ap) < 0) {
		reason = NULL; /* undefined after a failure */
		count(d, severity);
		d->error = -ENOMEM;
		return;
	}
	add_copy(d, severity, at, object, field, value, hint, reason);
}

void diags_add(struct diags *d, enum diag_severity severity, const struct place *at,
	       const char *object, const char *field, const char *value, const char *hint,
	       const char *reason_format, ...)
{
	va_list ap;

	va_start(ap, reason_format);
	diags_addv(d, severity, at, object, field, value, hint, reason_format, ap);
	va_end(ap);
}

void diags_move(struct diags *dst, struct diags *src)
{
	if (src->error < 0 && dst->error == 0)
		dst->error = src->error;
	dst->n_errors += src->n_errors;
	dst->n_warnings += src->n_warnings;
	if (array_reserve(&dst->items, &dst->allocated, dst->n + src->n) < 0) {
		dst->error = -ENOMEM;
	} else if (src->n > 0) {
		memcpy(dst->items + dst->n, src->items, src->n * sizeof(*src->items));
		dst->n += src->n;
		src->n = 0; /* its texts have a new owner */
	}
	diags_done(src);
}

void diags_copy(struct diags *dst, const struct diags *src)
{
	size_t n = src->n; /* dst and src may be the same list */

	if (src->error < 0 && dst->error == 0)
		dst->error = src->error;
	for (size_t i = 0; i < n; i++) {
		struct diag m = src->items[i];
		struct place at = {.file = m.file, .line = m.line, .column = m.column};
		size_t before = dst->n;

		add_copy(dst, m.severity, &at, m.object, m.field, m.value, m.hint, m.reason);
		if (dst->n > before)
			dst->items[before].check = m.check;
	}
}

static int compare_int(int a, int b)
{
	return (a > b) - (a < b);
}

static int compare_place(const struct diag *a, const struct diag *b)
{
	int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");

	if (order == 0)
		order = compare_int(a->line, b->line);
	if (order == 0)
		order = compare_int(a->column, b->column);
	return order;
}

/* Merges the sorted halves of items by way of room. */
static void merge(struct diag *items, struct diag *room, size_t half, size_t n)
{
	size_t a = 0, b = half, to = 0;

	while (a < half && b < n) {
		if (compare_place(&items[a], &items[b]) <= 0)
			room[to++] = items[a++];
		else
			room[to++] = items[b++];
	}
	/* what is left of the second half is already in its place */
	memcpy(room + to, items + a, (half - a) * sizeof(*items));
	memcpy(items, room, b * sizeof(*items));
}

static void merge_sort(struct diag *items, struct diag *room, size_t n)
{
	size_t half = n / 2;

	if (n < 2)
		return;
	merge_sort(items, room, half);
	merge_sort(items + half, room, n - half);
	merge(items, room, half, n);
}

void diags_sort(struct diags *d)
{
	_cleanup_free_ struct diag *room = NULL;

	if (d->n < 2)
		return;
	room = calloc(d->n, sizeof(*room));
	if (!room) {
		d->error = -ENOMEM;
		return;
	}
	merge_sort(d->items, room, d->n);
}

int diags_result(const struct diags *d)
{
	if (d->error < 0)
		return d->error;
	return d->n_errors > 0 ? -EBADMSG : 0;
}

static bool is_there(const char *text)
{
	return text && *text != '\0';
}

/* Names and reasons may hold bytes of the input; one message is one line all the same. */
static void add_printable(struct strbuf *b, const char *text)
{
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == 0x7f)
			strbuf_addf(b, "\\x%02x", c);
		else
			strbuf_add_char(b, *text);
	}
}

char *diag_format(const struct diag *d)
{
	_cleanup_strbuf_ struct strbuf b = {0};
	char quoted[TEXT_QUOTE_MAX];

	if (is_there(d->file)) {
		add_printable(&b, d->file);
		if (d->line > 0)
			strbuf_addf(&b, ":%d", d->line);
		if (d->line > 0 && d->column > 0)
			strbuf_addf(&b, ":%d", d->column);
		strbuf_add(&b, ": ");
	}
	strbuf_addf(&b, "%s: ", diag_severity_text(d->severity));
	if (is_there(d->field))
		add_printable(&b, d->field);
	if (d->value) {
		if (is_there(d->field))
			strbuf_add_char(&b, ' ');
		strbuf_addf(&b, "'%s'", text_quote(d->value, quoted));
	}
	if (is_there(d->field) || d->value)
		strbuf_add(&b, ": ");
	add_printable(&b, d->reason ? d->reason : "is wrong");
	if (is_there(d->hint)) {
		strbuf_add(&b, " (");
		add_printable(&b, d->hint);
		strbuf_add_char(&b, ')');
	}
	return strbuf_take(&b);
}
