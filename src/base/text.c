/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

/* Longer words get no suggestion: no key that we know is half as long. */
#define WORD_MAX 64
#define DISTANCE_MAX 3

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char to_lower(char c)
{
	return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

/* Optimal string alignment distance, row by row. a is at most WORD_MAX bytes, b DISTANCE_MAX more.
 */
static size_t edit_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	size_t storage[3][WORD_MAX + DISTANCE_MAX + 1];
	size_t *before = storage[0], *last = storage[1], *row = storage[2];

	for (size_t j = 0; j <= n_b; j++)
		last[j] = before[j] = j;
	for (size_t i = 1; i <= n_a; i++) {
		size_t *recycled = before;

		row[0] = i;
		for (size_t j = 1; j <= n_b; j++) {
			char x = to_lower(a[i - 1]), y = to_lower(b[j - 1]);
			size_t best = last[j - 1] + (x != y);

			best = MIN_OF(best, MIN_OF(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && x == to_lower(b[j - 2]) && y == to_lower(a[i - 2]))
				best = MIN_OF(best, before[j - 2] + 1);
			row[j] = best;
		}
		before = last;
		last = row;
		row = recycled;
	}
	return last[n_b];
}

const char *text_closest(const char *word, const char *const *candidates, size_t n)
{
	size_t length = strlen(word);
	size_t limit = MIN_OF(MAX_OF(length / 3, (size_t)1), (size_t)DISTANCE_MAX);
	const char *closest = NULL;

	if (length > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t other = strlen(candidates[i]), distance;

		if (other > length + limit || length > other + limit)
			continue;
		distance = edit_distance(word, length, candidates[i], other);
		if (distance > limit)
			continue;
		closest = candidates[i];
		if (distance == 0)
			break;
		limit = distance - 1; /* only a closer one is of interest now */
	}
	return closest;
}

int text_index(const char *text, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (names[i] && streq(text, names[i]))
			return (int)i;
	}
	return -EINVAL;
}

int text_index_nocase(const char *text, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (names[i] && strcasecmp(text, names[i]) == 0)
			return (int)i;
	}
	return -EINVAL;
}

/* Bytes of the valid UTF-8 character at text, 0 if there is none within n bytes. Overlong forms,
 * surrogates and values above U+10FFFF are not valid. */
static size_t utf8_length(const char *text, size_t n, uint32_t *ret_code)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)text;
	uint32_t code;
	size_t length;

	if (n == 0)
		return 0;
	if (p[0] < 0x80) {
		*ret_code = p[0];
		return 1;
	}
	if (p[0] >= 0xc0 && p[0] < 0xe0) {
		length = 2;
		code = p[0] & 0x1fu;
	} else if (p[0] >= 0xe0 && p[0] < 0xf0) {
		length = 3;
		code = p[0] & 0x0fu;
	} else if (p[0] >= 0xf0 && p[0] < 0xf8) {
		length = 4;
		code = p[0] & 0x07u;
	} else {
		return 0;
	}
	if (length > n)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3fu);
	}
	if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*ret_code = code;
	return length;
}

bool text_is_utf8(const char *text, size_t n)
{
	uint32_t code = 0;

	for (size_t i = 0; i < n;) {
		size_t length = utf8_length(text + i, n - i, &code);

		if (length == 0 || code == 0)
			return false;
		i += length;
	}
	return true;
}

const char *text_quote(const char *text, char buf[TEXT_QUOTE_MAX])
{
	static const char digits[] = "0123456789abcdef";
	size_t n = strlen(text), i = 0;
	char *p = buf;

	/* 64 bytes, each at most "\xHH", then "..." and NUL: 260 */
	while (i < n) {
		uint32_t code = 0;
		size_t length = utf8_length(text + i, n - i, &code);
		/* C1 controls, too: U+009B starts a terminal sequence */
		bool escape = length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0);

		length = MAX_OF(length, (size_t)1);
		if (i + length > 64) {
			memcpy(p, "...", 3);
			p += 3;
			break;
		}
		for (; length > 0; length--, i++) {
			unsigned char c = (unsigned char)text[i];

			if (escape) {
				*p++ = '\\';
				*p++ = 'x';
				*p++ = digits[c >> 4];
				*p++ = digits[c & 15];
			} else {
				*p++ = (char)c;
			}
		}
	}
	*p = '\0';
	return buf;
}

/* [a-z0-9]([-a-z0-9]*[a-z0-9])? of any length */
static bool is_label(const char *text, size_t n)
{
	if (n == 0 || text[0] == '-' || text[n - 1] == '-')
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_lower(text[i]) && !is_digit(text[i]) && text[i] != '-')
			return false;
	}
	return true;
}

bool text_is_dns_label(const char *text)
{
	size_t n = strlen(text);

	return n <= 63 && is_label(text, n);
}

bool text_is_dns_subdomain(const char *text)
{
	if (strlen(text) > 253)
		return false;
	for (;;) {
		size_t n = strcspn(text, ".");

		if (!is_label(text, n))
			return false;
		if (text[n] == '\0')
			return true;
		text += n + 1;
	}
}

static bool is_alphanumeric(char c)
{
	return is_lower(c) || is_upper(c) || is_digit(c);
}

bool text_is_label_value(const char *text)
{
	size_t n = strlen(text);

	if (n == 0)
		return true;
	if (n > 63 || !is_alphanumeric(text[0]) || !is_alphanumeric(text[n - 1]))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_alphanumeric(text[i]) && !strchr("-_.", text[i]))
			return false;
	}
	return true;
}

bool text_is_port_name(const char *text)
{
	size_t n = strlen(text);

	if (n > 15 || !is_label(text, n) || strstr(text, "--"))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (is_lower(text[i]))
			return true;
	}
	return false;
}
