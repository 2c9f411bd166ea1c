/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/scan-internal.h"

#include <string.h>
#include <strings.h>

static bool is_hex_digit(char c)
{
	return scan_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int scan_escape(struct scan *s, const struct scan_element *e)
{
	struct scan_span what = {.offset = s->pos, .size = 2};
	char c = scan_at(s, s->pos + 1);

	if (c == 'x' || c == 'X') {
		char high = scan_at(s, s->pos + 2), low = scan_at(s, s->pos + 3);

		if (is_hex_digit(high) && is_hex_digit(low)) {
			what.size = 4;
			if (high > '7' || (high == '0' && low == '0'))
				return scan_fault(
					s, e, what,
					"other characters are written as they are, in UTF-8",
					"must lie in \\x01-\\x7f");
			s->pos += 4;
			return 0;
		}
	} else if (c && strchr("nrtf\\\"", c)) {
		s->pos += 2;
		return 0;
	}
	if ((unsigned char)c < ' ' || (unsigned char)c > '~')
		what.size = 1;
	return scan_fault(s, e, what, "a backslash itself is written \\\\",
			  "is not one of \\n \\r \\t \\f \\\" \\\\ \\xHH");
}

static int scan_string(struct scan *s, const struct scan_element *e)
{
	struct scan_span start = scan_here(s);
	int r;

	s->pos++;
	for (;;) {
		unsigned char c = (unsigned char)scan_current(s);

		if (s->pos >= s->size || c == '\n' || (c == '\r' && scan_at(s, s->pos + 1) == '\n'))
			return scan_fault(s, e, start, "a line break inside is written \\n",
					  "the string is not closed on its line");
		if (c == '"')
			break;
		if (c == '\\') {
			r = scan_escape(s, e);
			if (r < 0)
				return r;
			continue;
		}
		if ((c < ' ' && c != '\t') || c == 0x7f)
			return scan_fault(s, e, scan_here(s), NULL,
					  "control character 0x%02x in a string", c);
		s->pos++;
	}
	s->pos++;
	return 0;
}

/* Strings side by side are one string. */
static int scan_strings(struct scan *s, const struct scan_element *e)
{
	int r;

	do {
		r = scan_string(s, e);
		if (r < 0)
			return r;
		r = scan_skip(s, e);
		if (r < 0)
			return r;
	} while (scan_current(s) == '"');
	return SCAN_STRING;
}

/* Whether digits without leading zeros are at most max, which is lower case. */
static bool digits_fit(const char *digits, size_t n, const char *max)
{
	size_t n_max = strlen(max);

	return n < n_max || (n == n_max && strncasecmp(digits, max, n) <= 0);
}

static size_t count_digits(const char *text, size_t n)
{
	size_t i = 0;

	while (i < n && scan_is_digit(text[i]))
		i++;
	return i;
}

/* Digits with a point, an exponent or both; text has no sign. */
static bool is_float(const char *text, size_t n)
{
	size_t whole = count_digits(text, n), i = whole, fraction = 0, exponent;
	bool point = i < n && text[i] == '.';

	if (point) {
		i++;
		fraction = count_digits(text + i, n - i);
		i += fraction;
	}
	if (whole + fraction == 0)
		return false;
	if (i == n)
		return point;
	if (text[i] != 'e' && text[i] != 'E')
		return false;
	i++;
	if (i < n && (text[i] == '+' || text[i] == '-'))
		i++;
	exponent = count_digits(text + i, n - i);
	return exponent > 0 && i + exponent == n;
}

/* Takes "L" or "LL" off the end. */
static bool take_suffix(const char *text, size_t *n)
{
	if (*n == 0 || text[*n - 1] != 'L')
		return false;
	(*n)--;
	if (*n > 0 && text[*n - 1] == 'L')
		(*n)--;
	return true;
}

/*
 * The range is judged here, before the library wraps it. It is judged on the digits, as the value
 * is the library's.
 */
static int scan_whole_number(struct scan *s, const struct scan_element *e, struct scan_span what)
{
	const char *text = s->data + what.offset, *max;
	size_t n = what.size;
	bool negative = *text == '-', sign = negative || *text == '+', hex, wide;

	wide = take_suffix(text, &n);
	text += sign;
	n -= sign;
	hex = !sign && n > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	if (hex) {
		for (text += 2, n -= 2; n > 1 && *text == '0'; n--)
			text++;
		for (size_t i = 0; i < n; i++)
			if (!is_hex_digit(text[i]))
				return scan_fault(s, e, what, NULL, "is not a number");
		max = wide ? "7fffffffffffffff" : "7fffffff";
	} else {
		if (n == 0 || count_digits(text, n) != n)
			return scan_fault(s, e, what, "a text must be in double quotes",
					  "is not a number");
		if (sign && !negative)
			return scan_fault(s, e, what, NULL, "must not have a plus sign");
		if (n > 1 && *text == '0')
			return scan_fault(s, e, what, NULL, "must not have leading zeros");
		if (wide)
			max = negative ? "9223372036854775808" : "9223372036854775807";
		else
			max = negative ? "2147483648" : "2147483647";
	}
	if (!digits_fit(text, n, max)) {
		if (wide)
			return scan_fault(s, e, what, NULL,
					  "is out of the range of 64-bit numbers");
		return scan_fault(s, e, what, "a number of more than 32 bits has an L behind it",
				  "is out of the range of 32-bit numbers");
	}
	return wide ? SCAN_INT64 : SCAN_INT;
}

static int scan_number(struct scan *s, const struct scan_element *e)
{
	const char *text = s->data + s->pos;
	struct scan_span what = scan_here(s);
	size_t sign = *text == '-' || *text == '+';
	char next, after;
	int r;

	while (scan_is_number_char(scan_at(s, what.offset + what.size)))
		what.size++;

	/* Nothing that may follow a number starts like this, but unquoted addresses go on so. */
	next = scan_at(s, what.offset + what.size);
	after = scan_at(s, what.offset + what.size + 1);
	if (next == ':' || next == '%' || next == '@' ||
	    (next == '/' && after != '/' && after != '*'))
		return scan_fault(s, e, scan_excerpt(s), "a text must be in double quotes",
				  "is not a number");

	if (is_float(text + sign, what.size - sign))
		r = SCAN_FLOAT;
	else
		r = scan_whole_number(s, e, what);
	if (r >= 0)
		s->pos += what.size;
	return r;
}

static bool is_key(const struct scan_element *e, const char *key)
{
	return e->key_size == strlen(key) && memcmp(e->key, key, e->key_size) == 0;
}

/* A word that stands for a value: true and false are the only ones. */
static int scan_word(struct scan *s, const struct scan_element *e)
{
	static const char *const other_booleans[] = {"yes", "no", "on", "off"};
	struct scan_span what = {.offset = s->pos, .size = scan_name_size(s)};
	const char *hint = NULL;

	if (scan_is_boolean(s, what)) {
		s->pos += what.size;
		return SCAN_BOOL;
	}
	for (size_t i = 0; i < ELEMENTSOF(other_booleans); i++)
		if (scan_is_word(s, what, other_booleans[i]))
			hint = "write true or false";
	if (!e->up->up && (is_key(e, "apiVersion") || is_key(e, "kind")))
		hint = "Kubernetes objects are read with 'svcroutectl import'";
	return scan_fault(s, e, scan_excerpt(s), hint, "a text must be in double quotes");
}

int scan_scalar(struct scan *s, const struct scan_element *e)
{
	char c = scan_current(s);

	if (c == '"')
		return scan_strings(s, e);
	if (scan_is_number_start(c))
		return scan_number(s, e);
	if (scan_is_name_start(c))
		return scan_word(s, e);
	if (c == '\'')
		return scan_fault(s, e, scan_excerpt(s), NULL, "a text must be in double quotes");
	if (c == ';' || c == ',' || c == '}' || c == ')' || c == ']')
		return scan_fault(s, e, scan_here(s), NULL, "the value is missing before '%c'", c);
	if ((unsigned char)c >= 0x80) /* typographic ones, from a text processor */
		return scan_unexpected(s, e, "a text must be in plain double quotes", "a value");
	return scan_unexpected(s, e, NULL, "a value");
}
