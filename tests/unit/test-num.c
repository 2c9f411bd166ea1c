/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "base/num.h"

#define POISON UINT64_C(0xa5a5a5a5a5a5a5a5)

static void test_u64(void **state)
{
	static const struct {
		const char *text;
		uint64_t min, max;
		int result;
		uint64_t value;
	} rows[] = {
		{"0", 0, UINT64_MAX, 0, 0},
		{"007", 0, UINT64_MAX, 0, 7},
		{"0000000000000000000000000000000000080", 1, 65535, 0, 80},
		{"18446744073709551615", 0, UINT64_MAX, 0, UINT64_MAX},
		{"18446744073709551616", 0, UINT64_MAX, -ERANGE, 0},
		{"18446744073709551620", 0, UINT64_MAX, -ERANGE, 0},
		{"184467440737095516150", 0, UINT64_MAX, -ERANGE, 0},
		{"99999999999999999999999999", 0, UINT64_MAX, -ERANGE, 0},
		{"99999999999999999999999999x", 0, UINT64_MAX, -EINVAL, 0},
		{"4294967376", 1, 65535, -ERANGE, 0},
		{"1", 1, 65535, 0, 1},
		{"65535", 1, 65535, 0, 65535},
		{"65536", 1, 65535, -ERANGE, 0},
		{"0", 1, 65535, -ERANGE, 0},
		{"", 0, UINT64_MAX, -EINVAL, 0},
		{"+1", 0, UINT64_MAX, -EINVAL, 0},
		{"-1", 0, UINT64_MAX, -EINVAL, 0},
		{"-0", 0, UINT64_MAX, -EINVAL, 0},
		{" 1", 0, UINT64_MAX, -EINVAL, 0},
		{"1 ", 0, UINT64_MAX, -EINVAL, 0},
		{"1\n", 0, UINT64_MAX, -EINVAL, 0},
		{"0x10", 0, UINT64_MAX, -EINVAL, 0},
		{"1e3", 0, UINT64_MAX, -EINVAL, 0},
		{"1.0", 0, UINT64_MAX, -EINVAL, 0},
		{"1_000", 0, UINT64_MAX, -EINVAL, 0},
		{"\xd9\xa1", 0, UINT64_MAX, -EINVAL, 0}, /* an Arabic digit */
		{"nan", 0, UINT64_MAX, -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		uint64_t value = POISON;
		int r = num_parse_u64(rows[i].text, rows[i].min, rows[i].max, &value);

		if (r != rows[i].result || value != (r < 0 ? POISON : rows[i].value))
			fail_msg("'%s': %d, %llu", rows[i].text, r, (unsigned long long)value);
	}
}

static void test_i64(void **state)
{
	static const struct {
		const char *text;
		int64_t min, max;
		int result;
		int64_t value;
	} rows[] = {
		{"0", INT64_MIN, INT64_MAX, 0, 0},
		{"-0", INT64_MIN, INT64_MAX, 0, 0},
		{"-1", INT64_MIN, INT64_MAX, 0, -1},
		{"-000999", -1000, 1000, 0, -999},
		{"-1000", -1000, 1000, 0, -1000},
		{"-1001", -1000, 1000, -ERANGE, 0},
		{"1000", -1000, 1000, 0, 1000},
		{"1001", -1000, 1000, -ERANGE, 0},
		{"9223372036854775807", INT64_MIN, INT64_MAX, 0, INT64_MAX},
		{"9223372036854775808", INT64_MIN, INT64_MAX, -ERANGE, 0},
		{"-9223372036854775807", INT64_MIN, INT64_MAX, 0, -INT64_MAX},
		{"-9223372036854775808", INT64_MIN, INT64_MAX, 0, INT64_MIN},
		{"-9223372036854775809", INT64_MIN, INT64_MAX, -ERANGE, 0},
		{"-99999999999999999999", INT64_MIN, INT64_MAX, -ERANGE, 0},
		{"", INT64_MIN, INT64_MAX, -EINVAL, 0},
		{"-", INT64_MIN, INT64_MAX, -EINVAL, 0},
		{"--1", INT64_MIN, INT64_MAX, -EINVAL, 0},
		{"+1", INT64_MIN, INT64_MAX, -EINVAL, 0},
		{"- 1", INT64_MIN, INT64_MAX, -EINVAL, 0},
		{"1-", INT64_MIN, INT64_MAX, -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		int64_t value = 4711;
		int r = num_parse_i64(rows[i].text, rows[i].min, rows[i].max, &value);

		if (r != rows[i].result || value != (r < 0 ? 4711 : rows[i].value))
			fail_msg("'%s': %d, %lld", rows[i].text, r, (long long)value);
	}
}

static void test_bool(void **state)
{
	static const struct {
		const char *text;
		int value; /* -1: refused */
	} rows[] = {
		{"yes", 1},   {"no", 0},    {"true", 1},     {"false", 0}, {"on", 1},  {"off", 0},
		{"1", 1},     {"0", 0},	    {"YES", 1},	     {"False", 0}, {"oFf", 0}, {"", -1},
		{"y", -1},    {"n", -1},    {"t", -1},	     {"2", -1},	   {"01", -1}, {"yes ", -1},
		{" yes", -1}, {"yess", -1}, {"enabled", -1},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		for (int before = 0; before < 2; before++) {
			bool value = before;
			int r = num_parse_bool(rows[i].text, &value);
			int expected = rows[i].value;

			if (r != (expected < 0 ? -EINVAL : 0) ||
			    value != (expected < 0 ? before : expected))
				fail_msg("'%s': %d, %d", rows[i].text, r, value);
		}
	}
}

static void test_usec(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t value;
	} rows[] = {
		/* seconds */
		{"0", 0, 0},
		{"30", 0, 30 * USEC_PER_SEC},
		{"1.5", 0, 1500 * USEC_PER_MSEC},
		{"007", 0, 7 * USEC_PER_SEC},
		/* Go */
		{"0s", 0, 0},
		{"1h30m", 0, 5400 * USEC_PER_SEC},
		{"1h0m0s", 0, 3600 * USEC_PER_SEC},
		{"24h", 0, 86400 * USEC_PER_SEC},
		{"250ms", 0, 250 * USEC_PER_MSEC},
		{"1.5s", 0, 1500 * USEC_PER_MSEC},
		{"1.5h", 0, 5400 * USEC_PER_SEC},
		{".5s", 0, 500 * USEC_PER_MSEC},
		{"1.s", 0, USEC_PER_SEC},
		{"1.000000s", 0, USEC_PER_SEC},
		{"0.1234567h", 0, UINT64_C(444444120)},
		{"100us", 0, 100},
		{"100\xc2\xb5s", 0, 100},
		{"100\xce\xbcs", 0, 100},
		{"2000ns", 0, 2},
		{"1ns", 0, 1}, /* never 0 by rounding: 0 switches things off */
		{"999ns1ns", 0, 1},
		{"0.0000000001s", 0, 0}, /* less than a nanosecond is nothing */
		{"1.0000001s", 0, USEC_PER_SEC + 1},
		/* systemd */
		{"1min 30s", 0, 90 * USEC_PER_SEC},
		{"1min30s", 0, 90 * USEC_PER_SEC},
		{"1 min  30 s", 0, 90 * USEC_PER_SEC},
		{"5 s", 0, 5 * USEC_PER_SEC},
		{"2hr", 0, 7200 * USEC_PER_SEC},
		{"1d", 0, 86400 * USEC_PER_SEC},
		{"1day", 0, 86400 * USEC_PER_SEC},
		{"2w", 0, 2 * 604800 * USEC_PER_SEC},
		{"3 sec", 0, 3 * USEC_PER_SEC},
		{"1\ts", 0, USEC_PER_SEC},
		/* the ends of the range */
		{"18446744073709551615us", 0, UINT64_MAX},
		{"18446744073709551616us", -ERANGE, 0},
		{"18446744073709551615us1ns", -ERANGE, 0},
		{"18446744073709551615us 1us", -ERANGE, 0},
		{"18446744073709551615", -ERANGE, 0},
		{"99999999999999999999999s", -ERANGE, 0},
		{"99999999999999999999999s 1x", -EINVAL, 0},
		{"30500569w", -ERANGE, 0},
		{"30500568w", 0, UINT64_C(18446743526400000000)},
		{"-1s", -ERANGE, 0},
		{"-5", -ERANGE, 0},
		{"-1h30m", -ERANGE, 0},
		/* nonsense */
		{"", -EINVAL, 0},
		{"-", -EINVAL, 0},
		{"--1s", -EINVAL, 0},
		{"+1s", -EINVAL, 0},
		{"1s-1s", -EINVAL, 0},
		{".", -EINVAL, 0},
		{".s", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"1..5s", -EINVAL, 0},
		{"1.5.5s", -EINVAL, 0},
		{" 1s", -EINVAL, 0},
		{"1s ", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"1s\n", -EINVAL, 0},
		{"1min 30", -EINVAL, 0}, /* 30 what? */
		{"30 1min", -EINVAL, 0},
		{"1 2", -EINVAL, 0},
		{"1S", -EINVAL, 0},
		{"1M", -EINVAL, 0},
		{"1 month", -EINVAL, 0},
		{"1y", -EINVAL, 0},
		{"1e3s", -EINVAL, 0},
		{"0x1s", -EINVAL, 0},
		{"1,5s", -EINVAL, 0},
		{"infinity", -EINVAL, 0},
		{"off", -EINVAL, 0},
		{"1m\xc2", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		uint64_t value = POISON;
		int r = num_parse_usec(rows[i].text, &value);

		if (r != rows[i].result || value != (r < 0 ? POISON : rows[i].value))
			fail_msg("'%s': %d, %llu", rows[i].text, r, (unsigned long long)value);
	}
}

static void test_format_usec(void **state)
{
	static const struct {
		uint64_t usec;
		const char *text;
	} rows[] = {
		{0, "0s"},
		{1, "1us"},
		{250 * USEC_PER_MSEC, "250ms"},
		{USEC_PER_SEC, "1s"},
		{1500 * USEC_PER_MSEC, "1s500ms"},
		{30 * USEC_PER_SEC, "30s"},
		{60 * USEC_PER_SEC, "1m"},
		{5400 * USEC_PER_SEC, "1h30m"},
		{86400 * USEC_PER_SEC, "24h"},
		{UINT64_MAX, "5124095576h1m49s551ms615us"},
	};
	uint64_t random = 88172645463325252u;
	char buf[32];

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		assert_ptr_equal(num_format_usec(rows[i].usec, buf), buf);
		assert_string_equal(buf, rows[i].text);
	}
	/* what is printed reads back as the same */
	for (int i = 0; i < 20000; i++) {
		uint64_t usec, back = POISON;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		usec = random >> (random % 61);
		assert_int_equal(num_parse_usec(num_format_usec(usec, buf), &back), 0);
		assert_true(back == usec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_u64),	    cmocka_unit_test(test_i64),
		cmocka_unit_test(test_bool),	    cmocka_unit_test(test_usec),
		cmocka_unit_test(test_format_usec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
