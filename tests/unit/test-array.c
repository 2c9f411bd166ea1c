/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

struct item {
	char bytes[24];
};

static void test_grows(void **state)
{
	static const struct item zero;
	_cleanup_free_ struct item *items = NULL;
	size_t allocated = 0, n_moves = 0;

	(void)state;
	assert_int_equal(array_reserve(&items, &allocated, 0), 0);
	assert_null(items);
	for (size_t n = 0; n < 10000; n++) {
		size_t before = allocated;

		assert_int_equal(array_reserve(&items, &allocated, n + 1), 0);
		assert_true(allocated >= n + 1);
		if (allocated != before)
			n_moves++;
		for (size_t i = before; i < allocated; i++)
			assert_memory_equal(&items[i], &zero, sizeof(zero));
		memset(&items[n], (int)(n % 251) + 1, sizeof(items[n]));
	}
	assert_true(n_moves < 15); /* it doubles */
	for (size_t n = 0; n < 10000; n++)
		assert_int_equal(items[n].bytes[23], (char)(n % 251 + 1));
}

static void test_enough(void **state)
{
	_cleanup_free_ int *items = NULL;
	size_t allocated = 0;
	int *before;

	(void)state;
	assert_int_equal(array_reserve(&items, &allocated, 100), 0);
	assert_in_range(allocated, 100, 200);
	before = items;
	assert_int_equal(array_reserve(&items, &allocated, allocated), 0);
	assert_int_equal(array_reserve(&items, &allocated, 1), 0);
	assert_int_equal(array_reserve(&items, &allocated, 0), 0);
	assert_ptr_equal(items, before);
}

static void test_too_much(void **state)
{
	static const size_t wanted[] = {
		SIZE_MAX,     SIZE_MAX - 1,  SIZE_MAX / 2 + 2,	SIZE_MAX / 2,  SIZE_MAX / 4 + 1,
		SIZE_MAX / 4, SIZE_MAX / 24, SIZE_MAX / 24 + 1, SIZE_MAX / 16, SIZE_MAX / 32 + 2,
	};
	_cleanup_free_ struct item *items = NULL;
	size_t allocated = 0, before;
	struct item *memory;

	(void)state;
	assert_int_equal(array_reserve(&items, &allocated, 3), 0);
	memset(items, 'k', 3 * sizeof(*items));
	before = allocated;
	memory = items;
	for (size_t i = 0; i < ELEMENTSOF(wanted); i++) {
		assert_int_equal(array_reserve(&items, &allocated, wanted[i]), -ENOMEM);
		assert_ptr_equal(items, memory);
		assert_int_equal(allocated, before);
		assert_int_equal(items[2].bytes[23], 'k');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_enough),
		cmocka_unit_test(test_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
