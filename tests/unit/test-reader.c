/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service-rows.h"

#include "model/reader.h"

static int compare_int(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Against the plain search, for arrays of all patterns. */
static void test_first_equal(void **state)
{
	struct reader r = {0};
	unsigned seed = 1;

	(void)state;
	for (size_t n = 0; n < 40; n++) {
		int items[40] = {0};
		_cleanup_free_ size_t *first = NULL;

		for (size_t i = 0; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			items[i] = (int)(seed >> 16) % 12;
		}
		first = reader_first_equal(&r, items, n, sizeof(*items), compare_int);
		assert_int_equal(r.error, 0);
		if (n < 2) {
			assert_null(first);
			continue;
		}
		assert_non_null(first);
		for (size_t i = 0; i < n; i++) {
			size_t j = 0;

			while (items[j] != items[i])
				j++;
			assert_int_equal(first[i], j);
		}
	}
}

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int64_t value;
		const char *said;
	} rows[] = {
		{"a = 1", true, 1, ""},
		{"a = 5", true, 5, ""},
		{"a = 0", false, 0, "error: a '0': must lie in 1-5\n"},
		{"a = 6", false, 0, "error: a '6': must lie in 1-5\n"},
		{"a = -9223372036854775808", false, 0,
		 "error: a '-9223372036854775808': must lie in 1-5\n"},
		{"a = 9223372036854775807", false, 0,
		 "error: a '9223372036854775807': must lie in 1-5\n"},
		{"a = true", false, 0,
		 "error: a 'true': must be a whole number, not true or false\n"},
		{"a = \"3\"", false, 0,
		 "error: a '3': must be a whole number, not a string (write 3 without quotes)\n"},
		{"a = \"-3\"", false, 0, "error: a '-3': must be a whole number, not a string\n"},
		{"a = ()", false, 0, "error: a: must be a whole number, not a list\n"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_(node_tree_freep) struct node_tree *tree = make_tree(rows[i].text);
		_cleanup_diags_ struct diags d = {0};
		_cleanup_free_ char *said = NULL;
		struct reader r = {.tree = tree, .diags = &d};
		int64_t value = 0x5A5A;

		assert_int_equal(
			reader_number(&r, tree->root->first, 1, 5, CHECK_S34_RANGE, &value),
			rows[i].good);
		assert_int_equal(value, rows[i].good ? rows[i].value : 0x5A5A);
		said = messages_text(&d);
		assert_string_equal(said, rows[i].said);
		assert_int_equal(reader_result(&r, 0), rows[i].good ? 0 : -EBADMSG);
		assert_int_equal(reader_result(&r, d.n_errors), 0);
		r.error = -ENOMEM;
		assert_int_equal(reader_result(&r, 0), -ENOMEM);
	}
}

/* A misspelt key is not reported as missing, too; null is no value. */
static void test_keys(void **state)
{
	static const struct {
		const char *text;
		bool found;
		const char *said;
	} rows[] = {
		{"g = { ip = 1; ipMode = 2; }", true, ""},
		{"g = { ip = null; }", false,
		 "error: g.ip: must be set (add an address such as 203.0.113.5)\n"},
		{"g = { }", false,
		 "error: g.ip: must be set (add an address such as 203.0.113.5)\n"},
		{"g = { ipp = 1; }", false, "error: g.ipp '1': unknown key (did you mean 'ip'?)\n"},
		{"g = { ipmode = 1; x = 2; ip = 3; }", true,
		 "error: g.ipmode '1': unknown key (did you mean 'ipMode'?)\n"
		 "error: g.x '2': unknown key\n"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_(node_tree_freep) struct node_tree *tree = make_tree(rows[i].text);
		_cleanup_diags_ struct diags d = {0};
		_cleanup_free_ char *said = NULL;
		const struct node *keys[_LB_IP_KEY_MAX];
		struct reader r = {.tree = tree, .diags = &d};

		memset(keys, 0xA5, sizeof(keys));
		assert_true(reader_keys(&r, tree->root->first, lb_ip_keys, n_lb_ip_keys, keys));
		assert_int_equal(keys[LB_IP] != NULL, rows[i].found);
		if (!keys[LB_IP])
			reader_missing(&r, tree->root->first, CHECK_S58_MISSING);
		said = messages_text(&d);
		assert_string_equal(said, rows[i].said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_equal),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
