/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/cleanup.h"

/* A manual page that is being made: plain text of tables becomes man(7) source. */
struct page {
	const char *template, *readme; /* paths */
	unsigned line;		       /* of the template */
	bool example;		       /* inside .EX */
	bool literal;		       /* in what a user types */
	bool tag;		       /* in the line behind .TP */
	FILE *out;
	size_t column; /* bytes in the line of the page so far */
};

/* Says on stderr what is wrong with the line of the template. -EINVAL. */
int page_refuse(const struct page *p, const char *format, ...) _printf_(2, 3);

/* man(7) source as it is. */
void page_put(struct page *p, const char *source);
/* Text inside of a line: what roff would take for its own is escaped, and outside of examples long
 * lines are broken. */
void page_put_text(struct page *p, const char *text);
/* One byte of such a text. */
void page_put_char(struct page *p, const char *text, size_t i);
/* What a user types as it is. */
void page_put_bold(struct page *p, const char *text);
/* What stands for something else: the first n bytes, which are letters and blanks. */
void page_put_placeholder(struct page *p, const char *text, size_t n);
/* A help text as a sentence with a line of its own. It may begin with a dot. */
void page_put_sentence(struct page *p, const char *text);
/* The next line is the tag of a tagged paragraph. */
void page_begin_paragraph(struct page *p);
