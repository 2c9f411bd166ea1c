/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places of values and keys. That ordinals are those of node trees is for test-cfg and fuzz-cfg. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/locate.h"

/* "KEYLINE:KEYCOLUMN=LINE:COLUMN " for every value; without the key in lists. */
static const struct {
	const char *text, *places;
} rows[] = {
	{"", "1:1 "},
	{"\n\n# nothing\n", "1:1 "},
	{"\xef\xbb\xbf"
	 "a=1;",
	 "1:1 1:1=1:3 "},
	{"a = 1;\n  b\n=\n  \"x\"\n\"y\"; c = [\n1,\n2];\n",
	 "1:1 1:1=1:5 2:3=4:3 5:6=5:10 6:1 7:1 "},
	{"a = 1;\r\nb = (\r\n\t{ c = 1.5; }, ( true ), \"\xc3\xa9\", -2 );\r\n",
	 "1:1 1:1=1:5 2:1=2:5 3:2 3:4=3:8 3:16 3:18 3:26 3:31 "},
	{"/* a\nb */ a = /* b = 2; */ 1; // c = 3;\n# d = 4;\ne = \"f = 5; # \"; g = {};",
	 "1:1 2:6=2:23 4:1=4:5 4:18=4:22 "},
	{"a={b={c={d=({e=1},{e=2})}}}", "1:1 1:1=1:3 1:4=1:6 1:7=1:9 1:10=1:12 "
					"1:13 1:14=1:16 1:19 1:20=1:22 "},
};

static void test_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_(locations_done) struct locations l = {0};
		_cleanup_strbuf_ struct strbuf b = {0};

		assert_int_equal(locations_scan(rows[i].text, strlen(rows[i].text), &l), 0);
		for (size_t n = 0; n < l.n; n++) {
			if (l.keys[n].line)
				strbuf_addf(&b, "%d:%d=", l.keys[n].line, l.keys[n].column);
			else
				assert_int_equal(l.keys[n].column, 0);
			strbuf_addf(&b, "%d:%d ", l.items[n].line, l.items[n].column);
		}
		assert_string_equal(strbuf_text(&b), rows[i].places);
	}
}

static void test_failure_leaves_output(void **state)
{
	struct locations l, poison;

	(void)state;
	memset(&l, 0xA5, sizeof(l));
	poison = l;
	assert_int_equal(locations_scan("a = 1; b = ;", 12, &l), -EBADMSG);
	assert_memory_equal(&l, &poison, sizeof(l));
}

static void test_done(void **state)
{
	struct locations l;

	(void)state;
	memset(&l, 0xA5, sizeof(l));
	assert_int_equal(locations_scan("a = 1;", 6, &l), 0);
	assert_int_equal(l.n, 2);
	locations_done(&l);
	assert_null(l.items);
	assert_null(l.keys);
	assert_int_equal(l.n, 0);
	locations_done(&l);
}

/* Values far along one long line must not make the walk start anew each time: 20 million steps, not
 * 10^13. */
static void test_long_line(void **state)
{
	_cleanup_(locations_done) struct locations l = {0};
	_cleanup_strbuf_ struct strbuf b = {0};
	size_t n = 300000;

	(void)state;
	strbuf_add(&b, "a = [ ");
	for (size_t i = 0; i < n; i++)
		strbuf_add(&b, i + 1 < n ? "1, " : "1 ]");
	assert_int_equal(strbuf_error(&b), 0);
	assert_int_equal(locations_scan(b.data, b.len, &l), 0);
	assert_int_equal(l.n, n + 2);
	assert_int_equal(l.items[n + 1].line, 1);
	assert_int_equal(l.items[n + 1].column, 7 + 3 * (n - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_failure_leaves_output),
		cmocka_unit_test(test_done),
		cmocka_unit_test(test_long_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
