/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "man/page.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* Source lines of pages have at most 80 bytes. A line is broken at the first blank from here on: no
 * word with its escapes is longer than the rest. */
#define BREAK_FROM 55

int page_refuse(const struct page *p, const char *format, ...)
{
	va_list ap;

	(void)fprintf(stderr, "%s:%u: ", p->template, p->line);
	va_start(ap, format);
	(void)vfprintf(stderr, format, ap);
	va_end(ap);
	(void)fputc('\n', stderr);
	return -EINVAL;
}

void page_put(struct page *p, const char *source)
{
	const char *newline = strrchr(source, '\n');

	(void)fputs(source, p->out);
	p->tag = p->tag && !newline;
	p->column = newline ? strlen(newline + 1) : p->column + strlen(source);
}

/* The hyphen of a compound word is a hyphen. All others are a part of what a user types. */
static bool is_compound(const char *text, size_t i)
{
	return i > 0 && isalpha((unsigned char)text[i - 1]) && isalpha((unsigned char)text[i + 1]);
}

void page_put_char(struct page *p, const char *text, size_t i)
{
	static const struct {
		char c;
		const char *escape;
	} special[] = {
		{'\\', "\\e"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"},
	};
	char c[2] = {text[i]};

	for (size_t j = 0; j < ELEMENTSOF(special); j++) {
		if (special[j].c == c[0]) {
			page_put(p, special[j].escape);
			return;
		}
	}
	if (c[0] == '-' && (p->example || p->literal || !is_compound(text, i))) {
		page_put(p, "\\-");
	} else if (c[0] == ' ' && !p->example && !p->tag && p->column >= BREAK_FROM) {
		page_put(p, text[i + 1] == '.' ? "\n\\&" : "\n");
	} else {
		page_put(p, c);
	}
}

void page_put_text(struct page *p, const char *text)
{
	for (size_t i = 0; text[i]; i++)
		page_put_char(p, text, i);
}

void page_put_bold(struct page *p, const char *text)
{
	page_put(p, "\\fB");
	p->literal = true;
	page_put_text(p, text);
	p->literal = false;
	page_put(p, "\\fR");
}

void page_put_placeholder(struct page *p, const char *text, size_t n)
{
	page_put(p, "\\fI");
	for (size_t i = 0; i < n; i++)
		page_put_char(p, text, i);
	page_put(p, "\\fR");
}

void page_put_sentence(struct page *p, const char *text)
{
	char first[2] = {text[0]};
	size_t n = 0;

	while (isalpha((unsigned char)text[n]))
		n++;
	/* "ipv4 or ipv6" stays as it is. */
	if (text[n] == ' ' || text[n] == ':' || text[n] == ',')
		first[0] = (char)toupper((unsigned char)first[0]);
	page_put(p, "\\&");
	page_put_text(p, first);
	page_put_text(p, text + 1);
	page_put(p, text[strlen(text) - 1] == '.' ? "\n" : ".\n");
}

void page_begin_paragraph(struct page *p)
{
	page_put(p, ".TP\n");
	p->tag = true;
}
