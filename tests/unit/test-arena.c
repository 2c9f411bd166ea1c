/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Blocks of all sizes: aligned, zeroed, apart from each other, and still the same in the end. */
static void test_blocks(void **state)
{
	_cleanup_(arena_freep) struct arena *a = NULL;
	static struct {
		unsigned char *p;
		size_t size;
	} blocks[3000];
	uint32_t random = 1;

	(void)state;
	assert_int_equal(arena_new(&a), 0);
	for (size_t i = 0; i < ELEMENTSOF(blocks); i++) {
		random = random * 1664525 + 1013904223;
		blocks[i].size = random >> 16 & (i % 50 ? 255 : 0x7fff);
		blocks[i].p = arena_alloc(a, blocks[i].size);
		assert_non_null(blocks[i].p);
		assert_int_equal((uintptr_t)blocks[i].p % alignof(max_align_t), 0);
		for (size_t j = 0; j < blocks[i].size; j++)
			assert_int_equal(blocks[i].p[j], 0);
		memset(blocks[i].p, (int)(i % 255) + 1, blocks[i].size);
	}
	for (size_t i = 0; i < ELEMENTSOF(blocks); i++) {
		for (size_t j = 0; j < blocks[i].size; j++)
			assert_int_equal(blocks[i].p[j], i % 255 + 1);
	}
}

static void test_sizes(void **state)
{
	static const size_t sizes[] = {0,    1,	   15,	  16,	 17,	4095,	4096,
				       4097, 8192, 16383, 16384, 16385, 1000000};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(sizes); i++) {
		_cleanup_(arena_freep) struct arena *a = NULL;
		char *p, *q;

		assert_int_equal(arena_new(&a), 0);
		p = arena_alloc(a, sizes[i]);
		q = arena_alloc(a, sizes[i]);
		assert_non_null(p);
		assert_non_null(q);
		assert_ptr_not_equal(p, q);
		memset(p, 'p', sizes[i]);
		memset(q, 'q', sizes[i]);
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(p[j], 'p');
	}
}

static void test_too_much(void **state)
{
	_cleanup_(arena_freep) struct arena *a = NULL;
	volatile size_t huge = SIZE_MAX; /* the compiler is not to see it */

	(void)state;
	assert_int_equal(arena_new(&a), 0);
	assert_null(arena_alloc(a, huge));
	assert_null(arena_alloc(a, huge - 14)); /* 0 when rounded up carelessly */
	assert_null(arena_alloc(a, huge / 2 + 1));
	assert_null(arena_strndup(a, "x", huge));
	assert_non_null(arena_alloc(a, 1)); /* still usable */
}

static void test_text(void **state)
{
	_cleanup_(arena_freep) struct arena *a = NULL;
	char source[] = "text";
	char *copy, *big;

	(void)state;
	assert_int_equal(arena_new(&a), 0);
	copy = arena_strdup(a, source);
	source[0] = 'n';
	assert_string_equal(copy, "text");
	assert_string_equal(arena_strdup(a, ""), "");
	assert_string_equal(arena_strndup(a, "abcdef", 3), "abc");
	assert_string_equal(arena_strndup(a, "abcdef", 0), "");
	assert_memory_equal(arena_strndup(a, "a\0b", 3), "a\0b", 4);
	assert_string_equal(arena_printf(a, "%s[%d]", "services", 3), "services[3]");
	assert_string_equal(arena_printf(a, "%s", ""), "");
	big = arena_printf(a, "%050000d", 7);
	assert_int_equal(strlen(big), 50000);
	assert_string_equal(big + 49998, "07");
	assert_string_equal(copy, "text");
}

static void test_freeing(void **state)
{
	struct arena *a = NULL;

	(void)state;
	assert_null(arena_free(NULL));
	assert_int_equal(arena_new(&a), 0);
	assert_null(arena_free(a)); /* nothing in it */
	assert_int_equal(arena_new(&a), 0);
	assert_non_null(arena_alloc(a, 100000)); /* a big block first */
	assert_non_null(arena_alloc(a, 1));
	assert_non_null(arena_alloc(a, 100000));
	assert_null(arena_free(a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),	 cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_too_much), cmocka_unit_test(test_text),
		cmocka_unit_test(test_freeing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
