/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

/*
 * A growing text buffer with a sticky error: writers need not check each call, only
 * strbuf_error() once at the end. After an error all further writes are ignored.
 * The text is always NUL-terminated when len > 0. Initialise with {0}.
 */
struct strbuf {
	char *data;
	size_t len;
	size_t size;
	int error; /* 0 or -ENOMEM */
};

void strbuf_done(struct strbuf *b);  /* frees the text; the buffer may be used again */
void strbuf_reset(struct strbuf *b); /* empties it, keeps the memory, clears the error */
void strbuf_add(struct strbuf *b, const char *text);
void strbuf_add_bytes(struct strbuf *b, const void *bytes, size_t n);
void strbuf_add_char(struct strbuf *b, char c);
/* Decimal; with strbuf_add() the fast path of the printers, unlike strbuf_addf(). */
void strbuf_add_u64(struct strbuf *b, unsigned long long value);
void strbuf_addf(struct strbuf *b, const char *format, ...) _printf_(2, 3);
void strbuf_addv(struct strbuf *b, const char *format, va_list ap) _printf_(2, 0);

/* 0 when all writes succeeded, else the first error (-ENOMEM). */
static inline int strbuf_error(const struct strbuf *b)
{
	return b->error;
}

/* The text so far, never NULL. Owned by the buffer, valid until the next write. */
static inline const char *strbuf_text(const struct strbuf *b)
{
	return b->len ? b->data : "";
}

/* Hands the text to the caller (free()), NULL after an error; the buffer is empty afterwards. */
char *strbuf_take(struct strbuf *b);

#define _cleanup_strbuf_ _cleanup_(strbuf_done)
