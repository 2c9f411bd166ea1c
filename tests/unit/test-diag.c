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

/* Copies of texts are made here; the test decides whether they succeed. */
static unsigned copies_left = UINT_MAX;

static char *scarce_strdup(const char *text)
{
	if (copies_left == 0)
		return NULL;
	if (copies_left != UINT_MAX)
		copies_left--;
	return strdup(text);
}

#define strdup scarce_strdup
#include "model/diag.c"
#undef strdup

static void test_format(void **state)
{
	static const struct {
		struct diag d;
		const char *text;
	} rows[] = {
#define T(text) ((char *)(uintptr_t)(text))
		{{.file = T("/etc/svcroute/services.d/a.cfg"),
		  .line = 3,
		  .column = 14,
		  .object = T("default/nginx"),
		  .field = T("services[0].ports[1].nodePort"),
		  .value = T("80"),
		  .reason = T("must lie in 30000-32767"),
		  .hint = T("see ServiceNodePortRange=")},
		 "/etc/svcroute/services.d/a.cfg:3:14: error: services[0].ports[1].nodePort '80': "
		 "must lie in 30000-32767 (see ServiceNodePortRange=)"},
		{{.severity = DIAG_WARNING,
		  .file = T("a.cfg"),
		  .line = 3,
		  .field = T("f"),
		  .reason = T("r")},
		 "a.cfg:3: warning: f: r"},
		{{.severity = DIAG_NOTICE, .file = T("a.cfg"), .column = 5, .reason = T("r")},
		 "a.cfg: notice: r"},
		{{.reason = T("r"), .line = 3, .column = 5}, "error: r"},
		{{.reason = T("r"), .file = T(""), .field = T(""), .hint = T("")}, "error: r"},
		{{.reason = T("r"), .value = T("")}, "error: '': r"},
		{{.reason = T("r"), .value = T("v"), .hint = T("h")}, "error: 'v': r (h)"},
		{{.reason = T("r"), .field = T("f"), .value = T("a\nb\x1b")},
		 "error: f 'a\\x0ab\\x1b': r"},
		/* one message is one line */
		{{.file = T("a\nb"), .reason = T("r\ns"), .field = T("f\x7f"), .hint = T("h\t")},
		 "a\\x0ab: error: f\\x7f: r\\x0as (h\\x09)"},
		{{.reason = T("gr\xc3\xbcn")}, "error: gr\xc3\xbcn"},
		{{.severity = DIAG_ERROR}, "error: is wrong"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_free_ char *text = diag_format(&rows[i].d);

		assert_non_null(text);
		assert_string_equal(text, rows[i].text);
	}
}

static void add(struct diags *d, enum diag_severity severity, const char *file, int line,
		int column, const char *reason)
{
	struct place at = {.file = file, .line = line, .column = column};

	diags_add(d, severity, &at, NULL, NULL, NULL, NULL, "%s", reason);
}

static void test_add(void **state)
{
	_cleanup_diags_ struct diags d = {0};
	char file[] = "a.cfg", object[] = "default/x", field[] = "port", value[] = "0";
	char hint[] = "hint";
	struct place at = {.file = file, .line = 1, .column = 2};

	(void)state;
	assert_int_equal(diags_result(&d), 0);
	diags_add(&d, DIAG_WARNING, &at, object, field, value, hint, "must lie in %d-%d", 1, 65535);
	/* all of it was copied */
	file[0] = object[0] = field[0] = value[0] = hint[0] = '?';
	assert_int_equal(d.n, 1);
	assert_string_equal(d.items[0].file, "a.cfg");
	assert_int_equal(d.items[0].line, 1);
	assert_int_equal(d.items[0].column, 2);
	assert_string_equal(d.items[0].object, "default/x");
	assert_string_equal(d.items[0].field, "port");
	assert_string_equal(d.items[0].value, "0");
	assert_string_equal(d.items[0].hint, "hint");
	assert_string_equal(d.items[0].reason, "must lie in 1-65535");
	assert_int_equal(d.n_warnings, 1);
	assert_int_equal(d.n_errors, 0);
	assert_int_equal(diags_result(&d), 0); /* a warning is no error */

	diags_add(&d, DIAG_NOTICE, NULL, NULL, NULL, NULL, NULL, "n");
	assert_int_equal(d.n_warnings, 1);
	assert_int_equal(diags_result(&d), 0);
	assert_null(d.items[1].file);
	assert_null(d.items[1].object);
	assert_null(d.items[1].field);
	assert_null(d.items[1].value);
	assert_null(d.items[1].hint);

	diags_add(&d, DIAG_ERROR, NULL, NULL, NULL, NULL, NULL, "e");
	assert_int_equal(d.n_errors, 1);
	assert_int_equal(diags_result(&d), -EBADMSG);
	for (int i = 0; i < 1000; i++)
		add(&d, DIAG_ERROR, "x", i, 0, "many");
	assert_int_equal(d.n, 1003);
	assert_int_equal(d.n_errors, 1001);
	assert_string_equal(d.items[0].object, "default/x");
	diags_done(&d);
	assert_int_equal(d.n, 0);
	assert_int_equal(d.n_errors, 0);
	assert_int_equal(diags_result(&d), 0);
}

static void test_move_and_copy(void **state)
{
	_cleanup_diags_ struct diags a = {0}, b = {0}, empty = {0};

	(void)state;
	add(&a, DIAG_ERROR, "a", 1, 1, "first");
	add(&b, DIAG_WARNING, "b", 1, 1, "second");
	add(&b, DIAG_ERROR, "b", 2, 1, "third");

	diags_copy(&a, &b);
	assert_int_equal(a.n, 3);
	assert_int_equal(b.n, 2);
	assert_int_equal(a.n_errors, 2);
	assert_int_equal(a.n_warnings, 1);
	assert_string_equal(a.items[2].reason, "third");
	assert_ptr_not_equal(a.items[2].reason, b.items[1].reason);

	diags_move(&a, &b);
	assert_int_equal(a.n, 5);
	assert_int_equal(a.n_errors, 3);
	assert_int_equal(a.n_warnings, 2);
	assert_string_equal(a.items[3].reason, "second");
	assert_string_equal(a.items[4].reason, "third");
	assert_int_equal(b.n, 0);
	assert_null(b.items);
	assert_int_equal(b.n_errors, 0);

	diags_move(&a, &empty);
	diags_copy(&a, &empty);
	assert_int_equal(a.n, 5);
	diags_move(&empty, &a);
	assert_int_equal(empty.n, 5);
	assert_int_equal(a.n, 0);
}

static void test_sort(void **state)
{
	static const struct {
		const char *file;
		int line, column;
		const char *reason;
	} rows[] = {
		{"b.cfg", 1, 1, "6"},  {"a.cfg", 2, 1, "4"},   {NULL, 9, 9, "1"},
		{"a.cfg", 1, 2, "3a"}, {"b.cfg", 10, 1, "7"},  {"a.cfg", 1, 2, "3b"},
		{"a.cfg", 2, 1, "4b"}, {"a.cfg", 1, 1, "2"},   {"a.cfg", 1, 2, "3c"},
		{"b.cfg", 0, 0, "5"},  {"b.cfg", 10, 1, "7b"},
	};
	static const char *const sorted[] = {"1",  "2", "3a", "3b", "3c", "4",
					     "4b", "5", "6",  "7",  "7b"};
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	diags_sort(&d);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		add(&d, DIAG_ERROR, rows[i].file, rows[i].line, rows[i].column, rows[i].reason);
	diags_sort(&d);
	assert_int_equal(d.n, ELEMENTSOF(sorted));
	for (size_t i = 0; i < ELEMENTSOF(sorted); i++)
		assert_string_equal(d.items[i].reason, sorted[i]);
}

/* Many random messages; the reason holds the order in which they were found. */
static void test_sort_stable(void **state)
{
	_cleanup_diags_ struct diags d = {0};
	uint32_t random = 7;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		char reason[16];

		random = random * 1664525 + 1013904223;
		(void)snprintf(reason, sizeof(reason), "%05d", i);
		add(&d, DIAG_ERROR, random >> 16 & 1 ? "a" : "b", (int)(random >> 17 & 7),
		    (int)(random >> 20 & 3), reason);
	}
	diags_sort(&d);
	assert_int_equal(d.n, 3000);
	for (size_t i = 1; i < d.n; i++) {
		int order = compare_place(&d.items[i - 1], &d.items[i]);

		assert_true(order <= 0);
		if (order == 0)
			assert_true(strcmp(d.items[i - 1].reason, d.items[i].reason) < 0);
	}
}

static void test_no_memory(void **state)
{
	struct place at = {.file = "a.cfg", .line = 1};

	(void)state;
	for (unsigned n = 0; n < 6; n++) {
		_cleanup_diags_ struct diags d = {0}, other = {0};

		copies_left = n;
		diags_add(&d, DIAG_WARNING, &at, "o", "f", "v", "h", "r");
		copies_left = UINT_MAX;
		assert_int_equal(d.n, 0);
		assert_int_equal(diags_result(&d), -ENOMEM); /* no error was seen, yet it fails */
		diags_add(&d, DIAG_ERROR, &at, "o", "f", "v", "h", "r");
		assert_int_equal(d.n, 1);
		assert_int_equal(diags_result(&d), -ENOMEM);

		/* the loss is handed on */
		diags_copy(&other, &d);
		assert_int_equal(diags_result(&other), -ENOMEM);
		diags_done(&other);
		diags_move(&other, &d);
		assert_int_equal(diags_result(&other), -ENOMEM);
	}
}

static void test_severity(void **state)
{
	(void)state;
	assert_string_equal(diag_severity_text(DIAG_ERROR), "error");
	assert_string_equal(diag_severity_text(DIAG_WARNING), "warning");
	assert_string_equal(diag_severity_text(DIAG_NOTICE), "notice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),	      cmocka_unit_test(test_add),
		cmocka_unit_test(test_move_and_copy), cmocka_unit_test(test_sort),
		cmocka_unit_test(test_sort_stable),   cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_severity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
