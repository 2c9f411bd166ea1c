/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/scan-internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/strbuf.h"

#define BOM "\xef\xbb\xbf"
#define BOM_SIZE 3

/* Bytes of the text that a message shows at most. */
#define EXCERPT_MAX 80

/* Not the first byte of a UTF-8 character. */
static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t scan_bom_size(const char *data, size_t size)
{
	return size >= BOM_SIZE && memcmp(data, BOM, BOM_SIZE) == 0 ? BOM_SIZE : 0;
}

void scan_cursor_init(struct scan_cursor *c, const char *data, size_t size)
{
	*c = (struct scan_cursor){
		.data = data,
		.size = size,
		.offset = scan_bom_size(data, size),
		.line = 1,
		.column = 1,
	};
}

void scan_cursor_move(struct scan_cursor *c, size_t offset)
{
	for (; c->offset < offset && c->offset < c->size; c->offset++) {
		char byte = c->data[c->offset];

		if (byte == '\n') {
			c->line++;
			c->column = 1;
		} else if (!is_continuation(byte)) {
			c->column++;
		}
	}
}

int scan_line_of(const struct scan *s, size_t offset)
{
	struct scan_cursor c;

	scan_cursor_init(&c, s->data, s->size);
	scan_cursor_move(&c, offset);
	return c.line;
}

size_t scan_name_size(const struct scan *s)
{
	size_t n = 0;

	while (scan_is_name_char(scan_at(s, s->pos + n)))
		n++;
	return n;
}

bool scan_is_word(const struct scan *s, struct scan_span what, const char *word)
{
	return what.size == strlen(word) &&
	       strncasecmp(s->data + what.offset, word, what.size) == 0;
}

bool scan_is_boolean(const struct scan *s, struct scan_span what)
{
	return scan_is_word(s, what, "true") || scan_is_word(s, what, "false");
}

static void path_of(const struct scan_element *e, struct strbuf *out)
{
	if (!e || !e->up)
		return;
	path_of(e->up, out);
	if (!e->key) {
		strbuf_addf(out, "[%zu]", e->index);
		return;
	}
	if (out->len)
		strbuf_add_char(out, '.');
	strbuf_add_bytes(out, e->key, e->key_size);
}

int scan_fault(struct scan *s, const struct scan_element *e, struct scan_span what,
	       const char *hint, const char *format, ...)
{
	_cleanup_strbuf_ struct strbuf path = {0};
	char reason[256], value[EXCERPT_MAX + 1];
	struct scan_cursor c;
	struct place place;
	va_list ap;

	if (!s->diags)
		return -EBADMSG;

	va_start(ap, format);
	(void)vsnprintf(reason, sizeof(reason), format, ap);
	va_end(ap);

	path_of(e, &path);
	if (strbuf_error(&path))
		return strbuf_error(&path);

	if (what.size > EXCERPT_MAX) {
		what.size = EXCERPT_MAX;
		while (is_continuation(s->data[what.offset + what.size]))
			what.size--;
	}
	memcpy(value, s->data + what.offset, what.size);
	value[what.size] = '\0';

	scan_cursor_init(&c, s->data, s->size);
	scan_cursor_move(&c, what.offset);
	place = (struct place){.file = s->file_name, .line = c.line, .column = c.column};
	diags_add(s->diags, DIAG_ERROR, &place, NULL, path.len ? strbuf_text(&path) : NULL,
		  what.size ? value : NULL, hint, "%s", reason);
	return s->diags->error ? s->diags->error : -EBADMSG;
}

/* What someone may have meant as one word, for messages. */
static bool is_word_char(char c)
{
	return scan_is_number_char(c) || c == ':' || c == '/' || c == '@' || c == '%';
}

struct scan_span scan_excerpt(const struct scan *s)
{
	size_t end = s->pos;

	if (scan_current(s) == '"') {
		do
			end++;
		while (end < s->size && s->data[end] != '"' && s->data[end] != '\n');
		end += scan_at(s, end) == '"';
	} else {
		while (is_word_char(scan_at(s, end)))
			end++;
		if (end == s->pos && end < s->size) {
			do /* whole characters only */
				end++;
			while (is_continuation(scan_at(s, end)));
		}
	}
	return (struct scan_span){.offset = s->pos, .size = end - s->pos};
}

int scan_unexpected(struct scan *s, const struct scan_element *e, const char *hint,
		    const char *wanted)
{
	if (s->pos >= s->size)
		return scan_fault(s, e, scan_here(s), hint, "the file ends where %s was expected",
				  wanted);
	if (scan_current(s) == '@')
		return scan_fault(s, e, scan_excerpt(s),
				  "every *.cfg of the directory is read by itself",
				  "files cannot include others");
	return scan_fault(s, e, scan_excerpt(s), hint, "found where %s was expected", wanted);
}

int scan_skip(struct scan *s, const struct scan_element *e)
{
	for (;;) {
		char c = scan_current(s), next = scan_at(s, s->pos + 1);

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
			s->pos++;
		} else if (c == '#' || (c == '/' && next == '/')) {
			const char *end = memchr(s->data + s->pos, '\n', s->size - s->pos);

			s->pos = end ? (size_t)(end - s->data) : s->size;
		} else if (c == '/' && next == '*') {
			size_t start = s->pos + 2;
			const char *end = memmem(s->data + start, s->size - start, "*/", 2);

			if (!end)
				return scan_fault(s, e, scan_here(s), NULL,
						  "the comment is not closed");
			s->pos = (size_t)(end - s->data) + 2;
		} else {
			return 0;
		}
	}
}
