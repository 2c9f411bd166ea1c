/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strbuf.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 64

void strbuf_done(struct strbuf *b)
{
	free(b->data);
	*b = (struct strbuf){0};
}

void strbuf_reset(struct strbuf *b)
{
	b->len = 0;
	b->error = 0;
	if (b->data)
		b->data[0] = '\0';
}

/* Room for n more bytes and the NUL. False when an error stands: the caller must not write. */
static bool make_room(struct strbuf *b, size_t n)
{
	size_t size;
	char *data;

	if (b->error)
		return false;
	if (n < b->size - b->len) /* both are 0 in a new buffer */
		return true;

	if (n > SIZE_MAX / 4 - b->len) {
		b->error = -ENOMEM;
		return false;
	}
	size = MAX_OF(b->size, (size_t)FIRST_SIZE);
	while (size - b->len <= n)
		size *= 2;
	data = realloc(b->data, size);
	if (!data) {
		b->error = -ENOMEM;
		return false;
	}
	b->data = data;
	b->size = size;
	return true;
}

void strbuf_add_bytes(struct strbuf *b, const void *bytes, size_t n)
{
	if (n == 0 || !make_room(b, n))
		return;
	memcpy(b->data + b->len, bytes, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void strbuf_add(struct strbuf *b, const char *text)
{
	strbuf_add_bytes(b, text, strlen(text));
}

void strbuf_add_char(struct strbuf *b, char c)
{
	if (!make_room(b, 1))
		return;
	b->data[b->len++] = c;
	b->data[b->len] = '\0';
}

void strbuf_add_u64(struct strbuf *b, unsigned long long value)
{
	char digits[3 * sizeof(value)];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	strbuf_add_bytes(b, digits + i, sizeof(digits) - i);
}

void strbuf_addv(struct strbuf *b, const char *format, va_list ap)
{
	va_list again;
	int n;

	if (!make_room(b, 1))
		return;

	va_copy(again, ap);
	n = vsnprintf(b->data + b->len, b->size - b->len, format, ap);
	if (n < 0) {
		/* only a text of more than INT_MAX bytes gets here */
		b->error = -ENOMEM;
	} else if ((size_t)n < b->size - b->len) {
		b->len += (size_t)n;
	} else if (make_room(b, (size_t)n)) {
		(void)vsnprintf(b->data + b->len, b->size - b->len, format, again);
		b->len += (size_t)n;
	}
	va_end(again);
	b->data[b->len] = '\0';
}

void strbuf_addf(struct strbuf *b, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	strbuf_addv(b, format, ap);
	va_end(ap);
}

char *strbuf_take(struct strbuf *b)
{
	char *text = NULL;

	if (!b->error)
		text = b->len > 0 ? TAKE_PTR(b->data) : strdup("");
	strbuf_done(b);
	return text;
}
