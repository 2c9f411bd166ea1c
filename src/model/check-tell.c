/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "base/strbuf.h"
#include "model/checks.h"

/* "{names}" at p: its end, or NULL when p is no word. A brace with other things behind it is
 * text. */
static const char *skip_word(const char *p)
{
	const char *end;

	if (*p != '{')
		return NULL;
	end = p + 1 + strspn(p + 1, "abcdefghijklmnopqrstuvwxyz ");
	return *end == '}' && p[1] != ' ' && end > p + 1 ? end + 1 : NULL;
}

size_t check_n_words(const char *text)
{
	size_t n = 0;

	for (const char *p = text ? text : ""; *p; p++)
		n += skip_word(p) != NULL;
	return n;
}

/* The pattern with the texts in place of its words. Returns how many were used. */
static size_t fill(const char *pattern, const char *const *texts, struct strbuf *out)
{
	size_t n = 0;

	while (*pattern) {
		const char *end = skip_word(pattern);

		if (end) {
			strbuf_add(out, texts[n++]);
			pattern = end;
		} else {
			strbuf_add_char(out, *pattern++);
		}
	}
	return n;
}

void check_tell_texts(struct diags *d, enum check check, const struct place *at, const char *object,
		      const char *field, const char *value, const char *const *texts,
		      size_t n_texts)
{
	const struct check_row *row = &check_rows[check];
	size_t n_reason = check_n_words(row->reason), before = d->n;
	_cleanup_strbuf_ struct strbuf reason = {0}, hint = {0};
	bool with_hint = row->hint != NULL;

	if (n_texts != n_reason + check_n_words(row->hint)) {
		d->error = -EINVAL;
		return;
	}
	for (size_t i = 0; i < n_texts; i++) {
		if (texts[i])
			continue;
		if (i < n_reason) {
			d->error = -EINVAL;
			return;
		}
		with_hint = false;
	}
	(void)fill(row->reason, texts, &reason);
	if (with_hint)
		(void)fill(row->hint, texts + n_reason, &hint);
	if (strbuf_error(&reason) < 0 || strbuf_error(&hint) < 0)
		d->error = -ENOMEM;
	diags_add(d, row->severity, at, object, field, value, with_hint ? strbuf_text(&hint) : NULL,
		  "%s", strbuf_text(&reason));
	if (d->n > before)
		d->items[d->n - 1].check = row;
}
