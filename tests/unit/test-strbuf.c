/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The buffer asks for memory in one place; the test decides there whether it gets any. */
static unsigned allocations_left = UINT_MAX;

static void *scarce_realloc(void *p, size_t size)
{
	if (allocations_left == 0)
		return NULL;
	if (allocations_left != UINT_MAX)
		allocations_left--;
	return realloc(p, size);
}

#define realloc scarce_realloc
#include "base/strbuf.c"
#undef realloc

static void test_add(void **state)
{
	_cleanup_strbuf_ struct strbuf b = {0};

	(void)state;
	assert_string_equal(strbuf_text(&b), "");
	assert_non_null(strbuf_text(&b));
	strbuf_add(&b, "");
	assert_int_equal(b.len, 0);
	strbuf_add(&b, "-A KUBE");
	strbuf_add_char(&b, '-');
	strbuf_add_bytes(&b, "SERVICES and more", 8);
	strbuf_add_bytes(&b, NULL, 0);
	strbuf_addf(&b, " -m comment --comment \"%s:%d\"", "a/b", -7);
	assert_string_equal(strbuf_text(&b), "-A KUBE-SERVICES -m comment --comment \"a/b:-7\"");
	assert_int_equal(b.len, strlen(b.data));
	assert_int_equal(strbuf_error(&b), 0);
}

static void test_add_u64(void **state)
{
	static const struct {
		unsigned long long value;
		const char *text;
	} rows[] = {
		{0, "0"},
		{9, "9"},
		{10, "10"},
		{65535, "65535"},
		{1000000, "1000000"},
		{ULLONG_MAX, "18446744073709551615"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_strbuf_ struct strbuf b = {0};

		strbuf_add_u64(&b, rows[i].value);
		assert_string_equal(strbuf_text(&b), rows[i].text);
	}
}

/* Every length around the sizes at which the buffer grows, by each of the writers. */
static void test_growth(void **state)
{
	char text[600];

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		_cleanup_strbuf_ struct strbuf bytes = {0}, chars = {0}, format = {0};

		memset(text, 'x', n);
		text[n] = '\0';
		strbuf_add(&bytes, text);
		for (size_t i = 0; i < n; i++)
			strbuf_add_char(&chars, 'x');
		strbuf_addf(&format, "%s", text);
		assert_string_equal(strbuf_text(&bytes), text);
		assert_string_equal(strbuf_text(&chars), text);
		assert_string_equal(strbuf_text(&format), text);
		assert_int_equal(bytes.len, n);
		assert_int_equal(chars.len, n);
		assert_int_equal(format.len, n);
	}
}

static void test_bytes_with_nul(void **state)
{
	_cleanup_strbuf_ struct strbuf b = {0};

	(void)state;
	strbuf_add_bytes(&b, "a\0b", 3);
	strbuf_add(&b, "c");
	assert_int_equal(b.len, 4);
	assert_memory_equal(b.data, "a\0bc", 5);
}

static void test_reset_and_done(void **state)
{
	_cleanup_strbuf_ struct strbuf b = {0};
	const char *memory;

	(void)state;
	strbuf_reset(&b); /* a new one */
	strbuf_add(&b, "abc");
	memory = b.data;
	strbuf_reset(&b);
	assert_int_equal(b.len, 0);
	assert_string_equal(strbuf_text(&b), "");
	strbuf_add(&b, "d");
	assert_ptr_equal(b.data, memory);
	assert_string_equal(strbuf_text(&b), "d");
	strbuf_done(&b);
	strbuf_done(&b);
	assert_null(b.data);
	strbuf_add(&b, "again");
	assert_string_equal(strbuf_text(&b), "again");
}

static void test_take(void **state)
{
	struct strbuf b = {0};
	char *text;

	(void)state;
	text = strbuf_take(&b);
	assert_string_equal(text, ""); /* empty is not an error */
	free(text);

	strbuf_add(&b, "mine");
	text = strbuf_take(&b);
	assert_string_equal(text, "mine");
	assert_null(b.data);
	assert_int_equal(b.len, 0);
	assert_int_equal(b.size, 0);
	free(text);
}

static void test_sticky_error(void **state)
{
	struct strbuf b = {0};
	char big[200];

	(void)state;
	memset(big, 'b', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';

	allocations_left = 0;
	strbuf_add(&b, "x");
	assert_int_equal(strbuf_error(&b), -ENOMEM);
	assert_string_equal(strbuf_text(&b), "");
	allocations_left = UINT_MAX;
	strbuf_add(&b, "x");
	strbuf_add_char(&b, 'x');
	strbuf_add_u64(&b, 1);
	strbuf_addf(&b, "%d", 1);
	assert_string_equal(strbuf_text(&b), "");
	assert_null(strbuf_take(&b));
	assert_int_equal(strbuf_error(&b), 0);

	/* in the middle: what was there stays, nothing is added behind a hole */
	allocations_left = 1;
	strbuf_add(&b, "start");
	strbuf_addf(&b, "%s", big);
	strbuf_add(&b, "end");
	allocations_left = UINT_MAX;
	assert_int_equal(strbuf_error(&b), -ENOMEM);
	assert_string_equal(strbuf_text(&b), "start");
	strbuf_reset(&b);
	assert_int_equal(strbuf_error(&b), 0);
	strbuf_add(&b, "new");
	assert_string_equal(strbuf_text(&b), "new");
	strbuf_done(&b);
}

static void test_overflow(void **state)
{
	static const char text[] = "x";
	volatile size_t huge = SIZE_MAX; /* the compiler is not to see it */
	struct strbuf b = {0};

	(void)state;
	strbuf_add(&b, "abc");
	strbuf_add_bytes(&b, text, huge);
	assert_int_equal(strbuf_error(&b), -ENOMEM);
	assert_string_equal(strbuf_text(&b), "abc");
	strbuf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_add_u64),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_bytes_with_nul),
		cmocka_unit_test(test_reset_and_done),
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_sticky_error),
		cmocka_unit_test(test_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
