/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-ipvs.h"

/* Piles of bytes, written as texts. Upper and lower case are equal to compare_letters(). */
static int compare_letters(const void *a, const void *b)
{
	const char *x = a, *y = b;

	return (*x & ~0x20) - (*y & ~0x20);
}

static int compare_bytes(const void *a, const void *b)
{
	const char *x = a, *y = b;
	int order = compare_letters(a, b);

	return order ? order : *x - *y;
}

static const struct ipvs_pile_kind bytes = {1, compare_bytes, compare_letters};

static struct ipvs_pile pile(const char *text)
{
	return (struct ipvs_pile){.items = (void *)(uintptr_t)text, .n = strlen(text)};
}

/* By the letters, capitals before small ones. */
static bool has_two(const char *text, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if ((text[i - 1] | 0x20) == (text[i] | 0x20))
			return true;
	return false;
}

static void test_edit(void **state)
{
	static const struct {
		const char *old, *minus, *plus, *wanted;
	} rows[] = {
		{"", "", "", ""},
		{"", "", "abc", "abc"},
		{"abc", "", "", "abc"},
		{"abc", "abc", "", ""},
		{"abc", "abc", "abc", "abc"},
		{"ace", "", "bdf", "abcdef"},
		{"bdf", "", "ace", "abcdef"},
		{"abc", "", "xyz", "abcxyz"},
		{"xyz", "", "abc", "abcxyz"},
		{"abcd", "bd", "", "ac"},
		/* of equal ones as many as given */
		{"aabbb", "ab", "", "abb"},
		{"aabbb", "bbb", "bc", "aabc"},
		{"ab", "", "ab", "aabb"},
		{"abc", "c", "ab", "aabb"},
		/* the same, but not equal */
		{"abc", "", "AC", "AabCc"},
		{"abc", "a", "A", "Abc"},
		{"ABC", "", "c", "ABCc"},
		{"Abc", "b", "aB", "AaBc"},
		/* what is not there cannot be taken away */
		{"ac", "b", "", "ac"},
		{"", "b", "a", "a"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct ipvs_pile old = pile(rows[i].old), minus = pile(rows[i].minus);
		struct ipvs_pile plus = pile(rows[i].plus), got;

		for (int known = 0; known < 2; known++) {
			old.distinct = known && !has_two(rows[i].old, old.n);
			memset(&got, 0xA5, sizeof(got));
			assert_int_equal(ipvs_pile_edit(&old, &minus, &plus, &bytes, &got), 0);
			assert_int_equal(got.n, strlen(rows[i].wanted));
			if (got.n > 0)
				assert_memory_equal(got.items, rows[i].wanted, got.n);
			/* Known when it was before, or when all is new. */
			assert_int_equal(got.distinct, (old.distinct || old.n == 0) &&
							       !has_two(rows[i].wanted, got.n));
			free(got.items);
		}
	}
}

static void test_unique(void **state)
{
	static const struct {
		const char *all, *wanted;
	} rows[] = {
		{"", ""},     {"a", "a"},	 {"abc", "abc"},
		{"aaa", "a"}, {"aAbBbc", "abc"}, {"AaC", "AC"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct ipvs_pile all = pile(rows[i].all), got;

		memset(&got, 0xA5, sizeof(got));
		assert_int_equal(ipvs_pile_unique(&all, &bytes, &got), 0);
		assert_int_equal(got.n, strlen(rows[i].wanted));
		if (got.n > 0)
			assert_memory_equal(got.items, rows[i].wanted, got.n);
		/* Nothing is copied that need not be. */
		assert_int_equal(got.items == all.items, got.n == all.n);
		assert_int_equal(all.distinct, got.n == all.n);
		assert_true(got.distinct);
		if (got.items != all.items)
			free(got.items);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edit),
		cmocka_unit_test(test_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
