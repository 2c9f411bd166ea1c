/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"

static void test_monotonic(void **state)
{
	uint64_t last = clock_monotonic_usec();
	uint64_t start = last;
	struct timespec pause = {.tv_nsec = 2000000};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint64_t now = clock_monotonic_usec();

		assert_true(now >= last);
		last = now;
	}
	(void)nanosleep(&pause, NULL);
	/* microseconds, not something else; the upper bound is generous: machines stall */
	assert_in_range(clock_monotonic_usec() - start, 2000, 600 * USEC_PER_SEC);
}

static void test_realtime(void **state)
{
	uint64_t now = clock_realtime_usec();
	uint64_t seconds = (uint64_t)time(NULL);

	(void)state;
	assert_in_range(now / USEC_PER_SEC, seconds - 1, seconds + 600);
}

static void test_format(void **state)
{
	static const struct {
		uint64_t usec;
		const char *text;
	} rows[] = {
		{0, "1970-01-01T00:00:00Z"},
		{999999, "1970-01-01T00:00:00Z"},
		{USEC_PER_SEC, "1970-01-01T00:00:01Z"},
		{UINT64_C(951782400) * USEC_PER_SEC, "2000-02-29T00:00:00Z"},
		{UINT64_C(1796016525) * USEC_PER_SEC, "2026-11-30T05:28:45Z"},
		{UINT64_C(4102444799) * USEC_PER_SEC + 999999, "2099-12-31T23:59:59Z"},
		{UINT64_MAX, "586524-01-19T08:01:49Z"},
	};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		assert_ptr_equal(clock_format_utc(rows[i].usec, buf), buf);
		assert_string_equal(buf, rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_monotonic),
		cmocka_unit_test(test_realtime),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
