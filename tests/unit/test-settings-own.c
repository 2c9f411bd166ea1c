/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/settings-own.h"

static void test_text(void **state)
{
	char *field = NULL;

	(void)state;
	assert_int_equal(own_text(&field, "first"), 0);
	assert_int_equal(own_text(&field, ""), 0);
	assert_string_equal(field, "");
	/* A part of itself. */
	assert_int_equal(own_text(&field, "second"), 0);
	assert_int_equal(own_text(&field, field + 3), 0);
	assert_string_equal(field, "ond");
	free(field);
}

static void test_prefixes(void **state)
{
	_cleanup_prefixes_ struct prefix_list l = {0}, more = {0};
	struct addr_prefix p;

	(void)state;
	assert_int_equal(prefix_list_append(&l, &more), 0);
	assert_null(l.items);
	assert_int_equal(addr_prefix_parse("10.0.0.0/8", &p), ADDR_OK);
	assert_int_equal(prefix_list_add(&l, &p), 0);
	assert_int_equal(addr_prefix_parse("fd00::/64", &p), ADDR_OK);
	assert_int_equal(prefix_list_add(&more, &p), 0);
	assert_int_equal(prefix_list_add(&more, &p), 0);
	assert_int_equal(prefix_list_append(&l, &more), 0);
	assert_int_equal(l.n, 3);
	assert_int_equal(l.items[0].length, 8);
	assert_memory_equal(&l.items[1], &p, sizeof(p));
	assert_memory_equal(&l.items[2], &p, sizeof(p));
	assert_int_equal(more.n, 2);
	prefix_list_clear(&l);
	assert_int_equal(l.n, 0);
	assert_null(l.items);
}

static void test_texts(void **state)
{
	struct text_list l = {0};
	char text[] = "br-lan";

	(void)state;
	assert_int_equal(text_list_reserve(&l, 0), 0);
	assert_null(l.items);
	assert_int_equal(text_list_add(&l, text), 0);
	text[0] = 'x';
	assert_int_equal(text_list_add(&l, ""), 0);
	assert_int_equal(text_list_reserve(&l, 10), 0);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.items[0], "br-lan");
	assert_string_equal(l.items[1], "");
	text_list_done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
