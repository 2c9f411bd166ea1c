/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/num.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

#define NSEC_PER_USEC UINT64_C(1000)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Digits at *p, which moves behind them. -EINVAL: none; -ERANGE: more than 64 bits (*p moves, too).
 */
static int take_digits(const char **p, uint64_t *ret)
{
	const char *s = *p;
	uint64_t value = 0;
	bool overflow = false;

	if (!is_digit(*s))
		return -EINVAL;
	for (; is_digit(*s); s++) {
		if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*s - '0'), &value))
			overflow = true;
	}
	*p = s;
	if (overflow)
		return -ERANGE;
	*ret = value;
	return 0;
}

int num_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;
	int r;

	r = take_digits(&text, &value);
	if (r == -EINVAL || *text != '\0')
		return -EINVAL;
	if (r < 0 || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

int num_parse_i64(const char *text, int64_t min, int64_t max, int64_t *ret)
{
	bool negative = *text == '-';
	uint64_t magnitude;
	int64_t value;
	int r;

	r = num_parse_u64(text + negative, 0, (uint64_t)INT64_MAX + negative, &magnitude);
	if (r < 0)
		return r;
	/* -(magnitude - 1) - 1: INT64_MIN has no positive counterpart */
	if (negative && magnitude > 0)
		value = -(int64_t)(magnitude - 1) - 1;
	else
		value = (int64_t)magnitude;
	if (value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

int num_parse_bool(const char *text, bool *ret)
{
	static const char *const words[][2] = {
		{"no", "yes"},
		{"false", "true"},
		{"off", "on"},
		{"0", "1"},
	};

	for (size_t i = 0; i < ELEMENTSOF(words); i++) {
		for (int value = 0; value < 2; value++) {
			if (strcasecmp(text, words[i][value]) == 0) {
				*ret = value;
				return 0;
			}
		}
	}
	return -EINVAL;
}

/* Units of Go and of systemd; they agree where both have one. Months and years are left out:
 * nothing here lasts so long, and "M" beside "m" invites mistakes. */
static const struct unit {
	const char *name;
	uint64_t nsec;
} units[] = {
	{"ns", 1},
	{"nsec", 1},
	{"us", NSEC_PER_USEC},
	{"usec", NSEC_PER_USEC},
	{"\xc2\xb5s", NSEC_PER_USEC}, /* micro sign */
	{"\xce\xbcs", NSEC_PER_USEC}, /* Greek mu */
	{"ms", NSEC_PER_USEC *USEC_PER_MSEC},
	{"msec", NSEC_PER_USEC *USEC_PER_MSEC},
	{"s", NSEC_PER_USEC *USEC_PER_SEC},
	{"sec", NSEC_PER_USEC *USEC_PER_SEC},
	{"second", NSEC_PER_USEC *USEC_PER_SEC},
	{"seconds", NSEC_PER_USEC *USEC_PER_SEC},
	{"m", NSEC_PER_USEC *USEC_PER_SEC * 60},
	{"min", NSEC_PER_USEC *USEC_PER_SEC * 60},
	{"minute", NSEC_PER_USEC *USEC_PER_SEC * 60},
	{"minutes", NSEC_PER_USEC *USEC_PER_SEC * 60},
	{"h", NSEC_PER_USEC *USEC_PER_SEC * 3600},
	{"hr", NSEC_PER_USEC *USEC_PER_SEC * 3600},
	{"hour", NSEC_PER_USEC *USEC_PER_SEC * 3600},
	{"hours", NSEC_PER_USEC *USEC_PER_SEC * 3600},
	{"d", NSEC_PER_USEC *USEC_PER_SEC * 86400},
	{"day", NSEC_PER_USEC *USEC_PER_SEC * 86400},
	{"days", NSEC_PER_USEC *USEC_PER_SEC * 86400},
	{"w", NSEC_PER_USEC *USEC_PER_SEC * 604800},
	{"week", NSEC_PER_USEC *USEC_PER_SEC * 604800},
	{"weeks", NSEC_PER_USEC *USEC_PER_SEC * 604800},
};

/* The unit at *p, which moves behind it. 0 when there is none that we know. */
static uint64_t take_unit(const char **p)
{
	size_t n = strcspn(*p, "0123456789. \t");

	for (size_t i = 0; i < ELEMENTSOF(units); i++) {
		if (strlen(units[i].name) == n && memcmp(units[i].name, *p, n) == 0) {
			*p += n;
			return units[i].nsec;
		}
	}
	return 0;
}

/* A sum of spans. Nanoseconds are kept apart, so that any 64 bit number of microseconds fits. */
struct span {
	uint64_t usec;
	uint64_t nsec;
};

/* One "12.5 min" is added to the sum. A first one that is the whole text may lack its unit:
 * seconds. */
static int take_span(const char **p, bool first, struct span *sum)
{
	uint64_t whole = 0, unit, usec;
	const char *fraction, *s = *p;
	bool overflow = false;
	size_t n_fraction = 0;
	int r;

	r = take_digits(&s, &whole);
	if (r == -ERANGE)
		overflow = true;
	fraction = s;
	if (*s == '.') {
		fraction = ++s;
		while (is_digit(*s))
			s++;
		n_fraction = (size_t)(s - fraction);
	}
	if (r == -EINVAL && n_fraction == 0)
		return -EINVAL;

	if (first && *s == '\0') {
		unit = NSEC_PER_USEC * USEC_PER_SEC;
	} else {
		while (is_blank(*s))
			s++;
		unit = take_unit(&s);
		if (unit == 0)
			return -EINVAL;
	}
	*p = s;

	if (unit >= NSEC_PER_USEC) {
		overflow |= __builtin_mul_overflow(whole, unit / NSEC_PER_USEC, &usec);
	} else {
		usec = whole / NSEC_PER_USEC;
		sum->nsec += whole % NSEC_PER_USEC;
	}
	overflow |= __builtin_add_overflow(sum->usec, usec, &sum->usec);

	/* Digits below a nanosecond have no weight. */
	for (size_t i = 0; i < n_fraction && unit > 0; i++) {
		unit /= 10;
		sum->nsec += unit * (uint64_t)(fraction[i] - '0');
	}
	overflow |= __builtin_add_overflow(sum->usec, sum->nsec / NSEC_PER_USEC, &sum->usec);
	sum->nsec %= NSEC_PER_USEC;
	return overflow ? -ERANGE : 0;
}

int num_parse_usec(const char *text, uint64_t *ret)
{
	struct span sum = {0};
	bool negative = *text == '-';
	bool overflow = false;
	bool first = true;
	const char *p = text + negative;

	/* To the end also after an overflow: nonsense behind it makes the text wrong, not too long.
	 */
	do {
		int r = take_span(&p, first, &sum);

		if (r == -EINVAL)
			return r;
		if (r < 0)
			overflow = true;
		first = false;
		while (*p != '\0' && is_blank(*p)) {
			p++;
			if (*p == '\0')
				return -EINVAL;
		}
	} while (*p != '\0');

	/* Rounded up, so that "1ns" does not become 0, which means "off" in many settings. */
	if (sum.nsec > 0)
		overflow |= __builtin_add_overflow(sum.usec, UINT64_C(1), &sum.usec);
	if (overflow || negative)
		return -ERANGE;
	*ret = sum.usec;
	return 0;
}

const char *num_format_usec(uint64_t usec, char buf[32])
{
	static const struct {
		const char *name;
		uint64_t usec;
	} parts[] = {
		{"h", USEC_PER_SEC * 3600},
		{"m", USEC_PER_SEC * 60},
		{"s", USEC_PER_SEC},
		{"ms", USEC_PER_MSEC},
		{"us", 1},
	};
	size_t used = 0;

	(void)snprintf(buf, 32, "0s");
	for (size_t i = 0; i < ELEMENTSOF(parts) && usec > 0; i++) {
		uint64_t n = usec / parts[i].usec;

		if (n == 0)
			continue;
		usec %= parts[i].usec;
		used += (size_t)snprintf(buf + used, 32 - used, "%llu%s", (unsigned long long)n,
					 parts[i].name);
	}
	return buf;
}
