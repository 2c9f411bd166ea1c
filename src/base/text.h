/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The candidate closest to word by edit distance (insert, delete, replace, swap of neighbours;
 * letter case costs nothing), or NULL if none is within a third of its length (at least 1, at most
 * 3). Ties: the first. For "did you mean 'nodePort'?". */
const char *text_closest(const char *word, const char *const *candidates, size_t n);

/* Index of text in a table of names, or -EINVAL. */
int text_index(const char *text, const char *const *names, size_t n);
/* The same ignoring letter case, for hints. */
int text_index_nocase(const char *text, const char *const *names, size_t n);

/* True if the bytes are valid UTF-8 without NUL. */
bool text_is_utf8(const char *text, size_t n);

/* Copies text for a message: control bytes and invalid UTF-8 become \xHH, more than 64 bytes are
 * cut with "...". The buffer must hold 300 bytes. Returns it. */
#define TEXT_QUOTE_MAX 300
const char *text_quote(const char *text, char buf[TEXT_QUOTE_MAX]);

/* Syntax of names, spec/model.md section 1.1. */
bool text_is_dns_label(const char *text);     /* Y1 */
bool text_is_dns_subdomain(const char *text); /* Y2 */
bool text_is_label_value(const char *text);   /* Y3, empty allowed */
bool text_is_port_name(const char *text);     /* Y4 */
