/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "config/ini-scan.h"

#define FILE_NAME "svcroute.conf"

/* A line of exactly this many bytes. */
#define X10 "xxxxxxxxxx"
#define X100 X10 X10 X10 X10 X10 X10 X10 X10 X10 X10
#define X190 X100 X10 X10 X10 X10 X10 X10 X10 X10 X10

static int scan(const char *text, size_t size, struct ini_scan *ret, struct diags *d)
{
	/* No byte behind the end: what reads one is found by the address sanitizer. */
	_cleanup_free_ char *copy = malloc(size + (size == 0));

	assert_non_null(copy);
	memcpy(copy, text, size);
	return ini_scan(copy, size, FILE_NAME, ret, d);
}

struct expected {
	const char *section; /* NULL: before any */
	const char *key, *value;
	int line, key_column, value_column;
};

static const struct good_row {
	const char *text;
	size_t n;
	struct expected items[3];
} good[] = {
	{"", 0, {{0}}},
	{"\n\n", 0, {{0}}},
	{" \t\n", 0, {{0}}},
	{"# only\n; comments\n  # indented\n", 0, {{0}}},
	{"[A]", 0, {{0}}},
	{"[A]\nK=v", 1, {{"A", "K", "v", 2, 1, 3}}},
	{"K=v\n", 1, {{NULL, "K", "v", 1, 1, 3}}},
	{"[A]\nK = v w \n", 1, {{"A", "K", "v w", 2, 1, 5}}},
	{"[A]\nK:v\n", 1, {{"A", "K", "v", 2, 1, 3}}},
	{"[A]\nK=a:b\nL:a=b\n", 2, {{"A", "K", "a:b", 2, 1, 3}, {"A", "L", "a=b", 3, 1, 3}}},
	{"[A]\nK=\nL= \n", 2, {{"A", "K", "", 2, 1, 3}, {"A", "L", "", 3, 1, 3}}},
	{"[A]\nK=v ; comment\n", 1, {{"A", "K", "v", 2, 1, 3}}},
	{"[A]\nK=v;w\n", 1, {{"A", "K", "v;w", 2, 1, 3}}},
	{"[A]\nK=;v\n", 1, {{"A", "K", ";v", 2, 1, 3}}},
	{"[A]\nK= ;v\n", 1, {{"A", "K", "", 2, 1, 4}}},
	{"[A]\nK=v # no comment\n", 1, {{"A", "K", "v # no comment", 2, 1, 3}}},
	{"[A] ; comment\nK=v\n[B]\t\nK=w\n",
	 2,
	 {{"A", "K", "v", 2, 1, 3}, {"B", "K", "w", 4, 1, 3}}},
	{"[A]\n[B]\nK=v\n[A]\nL=w\n", 2, {{"B", "K", "v", 3, 1, 3}, {"A", "L", "w", 5, 1, 3}}},
	{"[ A ]\nK=v\n", 1, {{" A ", "K", "v", 2, 1, 3}}},
	/* As C49 of the field reports wants it: the same with a mark, with CR LF, without a last
	   newline. */
	{"\xef\xbb\xbf[A]\r\nK=v\r\n\r\nL=w",
	 2,
	 {{"A", "K", "v", 2, 1, 3}, {"A", "L", "w", 4, 1, 3}}},
	{"[A]\n#" X100 X10 X10 X10 X10 X10 X10 X10 X10 "xxxxxxxxx\nK=v\n",
	 1,
	 {{"A", "K", "v", 3, 1, 3}}},
	{"#\xe4\xf6\xfc\n[A]\nK=v\n", 1, {{"A", "K", "v", 3, 1, 3}}},
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(good); i++) {
		_cleanup_ini_scan_ struct ini_scan s;
		_cleanup_diags_ struct diags d = {0};

		memset(&s, 0xa5, sizeof(s));
		assert_int_equal(scan(good[i].text, strlen(good[i].text), &s, &d), 0);
		assert_int_equal(d.n, 0);
		assert_int_equal(s.n, good[i].n);
		assert_null(strchr(s.text, '\r'));
		for (size_t j = 0; j < s.n; j++) {
			const struct expected *e = &good[i].items[j];
			const struct ini_assignment *a = &s.items[j];

			if (e->section)
				assert_string_equal(s.sections[a->section].name, e->section);
			else
				assert_true(a->section == SIZE_MAX);
			assert_string_equal(a->key, e->key);
			assert_string_equal(a->value, e->value);
			assert_int_equal(a->line, e->line);
			assert_int_equal(a->key_column, e->key_column);
			assert_int_equal(a->value_column, e->value_column);
		}
	}
}

#define BYTES(text) text, sizeof(text) - 1
static const struct bad_row {
	const char *text;
	size_t size;
	int line, column;
	const char *say; /* part of the reason or hint */
} bad[] = {
	/* inih would read "mode = evil" behind the padding as a line. */
	{BYTES("[Proxy]\nA=" X190 "mode = evil\n"), 2, 191, "longer than 190"},
	{BYTES("[Proxy]\n#" X190 "\n"), 2, 191, "longer than 190"},
	{BYTES("K=" X100 X10 X10 X10 X10 X10 X10 X10 X10 "xxxxxxxxx"), 1, 191, "190"},
	{BYTES("[A]\nK=v\n w\n"), 3, 2, "begin with a blank"},
	{BYTES("[A]\n\tK=v\n"), 2, 2, "begin with a blank"},
	{BYTES(" [A]\n"), 1, 2, "begin with a blank"},
	{BYTES("[A]\nK=v\0w\n"), 2, 4, "NUL"},
	{BYTES("\0"), 1, 1, "NUL"},
	{BYTES("#\n\n#ok\0"), 3, 4, "NUL"},
	{BYTES("\xff\xfe[\0A\0]\0"), 1, 1, "UTF-16"},
	{BYTES("\xfe\xff\0[\0A\0]"), 1, 1, "UTF-16"},
	{BYTES("[\0A\0]\0"), 1, 2, "NUL"},
	{BYTES("\xef\xbb\xbf\xef\xbb\xbf[A]\n"), 1, 1, "two byte order marks"},
	{BYTES("[A]\rK=v\r"), 1, 4, "carriage return"},
	{BYTES("[A]\nK=v\r\r\n"), 2, 4, "carriage return"},
	{BYTES("[A]\nK=v\r"), 2, 4, "carriage return"},
	{BYTES("[A]\nK=\vv\n"), 2, 3, "control character"},
	{BYTES("# \x1b[31m\n"), 1, 3, "control character"},
	{BYTES("[A\nK=v\n"), 1, 1, "']'"},
	{BYTES("[A ;]\n"), 1, 1, "']'"},
	{BYTES("[A] K=v\n"), 1, 5, "line of its own"},
	{BYTES("[A]]\n"), 1, 4, "line of its own"},
	{BYTES("[A] # no\n"), 1, 5, "line of its own"},
	{BYTES("[A]\nnothing\n"), 2, 1, "Key=value"},
	{BYTES("[A]\nK ;=v\n"), 2, 1, "Key=value"},
	{BYTES("[A]\n=v\n"), 2, 1, "no key"},
	{BYTES("[A]\n: v\n"), 2, 1, "no key"},
	{BYTES("services = (\n  { name = \"a\"; }\n);\n"), 1, 1, "libconfig"},
	{BYTES("# c\n\nservices =\n(\n);\n"), 3, 1, "libconfig"},
	{BYTES("[Proxy]\nMode=ipvs\nservices = (\n"), 3, 1, "libconfig"},
	{BYTES("  endpoints: (\n"), 1, 3, "libconfig"},
	{BYTES("// libconfig's comment\n"), 1, 1, "libconfig"},
	{BYTES("/* libconfig's comment */\n"), 1, 1, "libconfig"},
	{BYTES("@include \"x.cfg\"\n"), 1, 1, "libconfig"},
	{BYTES("{\n"), 1, 1, "libconfig"},
	{BYTES("version = 1;\n"), 1, 1, "libconfig"},
	{BYTES("proxy = { mode = \"ipvs\"; }\n"), 1, 1, "libconfig"},
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(bad); i++) {
		_cleanup_diags_ struct diags d = {0};
		struct ini_scan s, poison;
		const struct diag *m;

		memset(&s, 0xa5, sizeof(s));
		memset(&poison, 0xa5, sizeof(poison));
		assert_int_equal(scan(bad[i].text, bad[i].size, &s, &d), -EBADMSG);
		assert_memory_equal(&s, &poison, sizeof(s));
		assert_int_equal(d.n, 1);
		m = d.items;
		assert_int_equal(m->severity, DIAG_ERROR);
		assert_string_equal(m->file, FILE_NAME);
		if (!strstr(m->reason, bad[i].say) && !(m->hint && strstr(m->hint, bad[i].say)))
			fail_msg("row %zu: '%s' is not in '%s'", i, bad[i].say, m->reason);
		if (m->line != bad[i].line || m->column != bad[i].column)
			fail_msg("row %zu: at %d:%d", i, m->line, m->column);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
