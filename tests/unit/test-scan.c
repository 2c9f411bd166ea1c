/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scanner: what it refuses, where, and in which words. That it accepts nothing that the library
 * refuses is for fuzz-cfg. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/strbuf.h"
#include "config/scan.h"

struct refusal {
	const char *text;
	int line, column;
	const char *field, *value; /* NULL: none */
	const char *reason;	   /* a part of it */
	const char *hint;	   /* a part of it; NULL: none */
};

static const struct refusal refusals[] = {
	/* Numbers that the library would wrap, or read as octal. */
	{"s = ( { p = ( { port = 80; }, { port = 4294967376; } ); } );", 1, 40, "s[0].p[1].port",
	 "4294967376", "out of the range of 32-bit", "L behind"},
	{"a = 2147483648;", 1, 5, "a", "2147483648", "range of 32-bit", "L"},
	{"a = -2147483649;", 1, 5, "a", "-2147483649", "range of 32-bit", "L"},
	{"a = 12345678901234567890123;", 1, 5, "a", "12345678901234567890123", "range of 32-bit",
	 "L"},
	{"a = 9223372036854775808L;", 1, 5, "a", "9223372036854775808L", "range of 64-bit", NULL},
	{"a = -9223372036854775809LL;", 1, 5, "a", "-9223372036854775809LL", "range of 64-bit",
	 NULL},
	{"a = 0x80000000;", 1, 5, "a", "0x80000000", "range of 32-bit", "L"},
	{"a = 0x100000050;", 1, 5, "a", "0x100000050", "range of 32-bit", "L"},
	{"a = 0x8000000000000000L;", 1, 5, "a", "0x8000000000000000L", "range of 64-bit", NULL},
	{"a = 010;", 1, 5, "a", "010", "leading zeros", NULL},
	{"a = +80;", 1, 5, "a", "+80", "plus sign", NULL},
	{"a = +5L;", 1, 5, "a", "+5L", "plus sign", NULL},
	{"a = -00;", 1, 5, "a", "-00", "leading zeros", NULL},
	{"a = 00L;", 1, 5, "a", "00L", "leading zeros", NULL},
	/* Words that are no numbers. */
	{"a = 80x;", 1, 5, "a", "80x", "is not a number", "double quotes"},
	{"a = 1-2;", 1, 5, "a", "1-2", "is not a number", "double quotes"},
	{"a = 1.2.3.4;", 1, 5, "a", "1.2.3.4", "is not a number", "double quotes"},
	{"a = 10.0.0.0/8;", 1, 5, "a", "10.0.0.0/8", "is not a number", "double quotes"},
	{"a = 10.0.0.1:80;", 1, 5, "a", "10.0.0.1:80", "is not a number", "double quotes"},
	{"a = 2001:db8::1;", 1, 5, "a", "2001:db8::1", "is not a number", "double quotes"},
	{"a = .;", 1, 5, "a", ".", "is not a number", "double quotes"},
	{"a = -;", 1, 5, "a", "-", "is not a number", "double quotes"},
	{"a = 0x;", 1, 5, "a", "0x", "is not a number", "double quotes"},
	{"a = 0xfg;", 1, 5, "a", "0xfg", "is not a number", NULL},
	{"a = -0x5;", 1, 5, "a", "-0x5", "is not a number", "double quotes"},
	{"a = 1e;", 1, 5, "a", "1e", "is not a number", "double quotes"},
	{"a = 1.5L;", 1, 5, "a", "1.5L", "is not a number", "double quotes"},
	{"a = 5l;", 1, 5, "a", "5l", "is not a number", "double quotes"},
	{"a = 5LLL;", 1, 5, "a", "5LLL", "is not a number", "double quotes"},
	/* Texts without quotes. */
	{"a = NodePort;", 1, 5, "a", "NodePort", "double quotes", NULL},
	{"a = fd00::1;", 1, 5, "a", "fd00::1", "double quotes", NULL},
	{"a = yes;", 1, 5, "a", "yes", "double quotes", "true or false"},
	{"a = OFF;", 1, 5, "a", "OFF", "double quotes", "true or false"},
	{"a = 'x';", 1, 5, "a", "'", "double quotes", NULL},
	{"a = \xe2\x80\x9cx\xe2\x80\x9d;", 1, 5, "a", "\xe2\x80\x9c", "a value was expected",
	 "plain double quotes"},
	{"apiVersion: v1\nkind: Service\n", 1, 13, "apiVersion", "v1", "double quotes", "import"},
	{"k: v1\n", 1, 4, "k", "v1", "double quotes", NULL},
	{"a = { kind = v1; };", 1, 14, "a.kind", "v1", "double quotes", NULL},
	/* Strings. */
	{"a = \"x;\nb = 1;\n", 1, 5, "a", NULL, "not closed on its line", "\\n"},
	{"a = \"x;\r\nb = 1;\r\n", 1, 5, "a", NULL, "not closed on its line", "\\n"},
	{"a = \"x", 1, 5, "a", NULL, "not closed on its line", "\\n"},
	{"a = \"x\\", 1, 7, "a", "\\", "is not one of", "\\\\"},
	{"a = \"\\x00\";", 1, 6, "a", "\\x00", "\\x01-\\x7f", "UTF-8"},
	{"a = \"b\\X00c\";", 1, 7, "a", "\\X00", "\\x01-\\x7f", "UTF-8"},
	{"a = \"\\xc3\\xa9\";", 1, 6, "a", "\\xc3", "\\x01-\\x7f", "UTF-8"},
	{"a = \"\\x4\";", 1, 6, "a", "\\x", "is not one of", "\\\\"},
	{"a = \"\\d\";", 1, 6, "a", "\\d", "is not one of", "\\\\"},
	{"a = \"\\\n\";", 1, 6, "a", "\\", "is not one of", "\\\\"},
	{"a = \"b\x01\";", 1, 7, "a", NULL, "control character 0x01", NULL},
	{"a = \"b\x7f\";", 1, 7, "a", NULL, "control character 0x7f", NULL},
	{"a = \"x\" \"\\0\";", 1, 10, "a", "\\0", "is not one of", "\\\\"},
	/* Includes. */
	{"@include \"x\"\n", 1, 1, NULL, "@include", "cannot include", "*.cfg"},
	{"a = 1;\n \t@include \"/etc\"\n", 2, 3, NULL, "@include", "cannot include", "*.cfg"},
	{"a = {\n@include \"x\"\n};", 2, 1, "a", "@include", "cannot include", "*.cfg"},
	{"a = (\n@include \"x\"\n);", 2, 1, "a[0]", "@include", "cannot include", "*.cfg"},
	/* Comments. */
	{"a = 1 /* b", 1, 7, NULL, NULL, "comment is not closed", NULL},
	{"/*/", 1, 1, NULL, NULL, "comment is not closed", NULL},
	{"a = 1; / b", 1, 8, NULL, "/", "a key was expected", NULL},
	/* Lists. */
	{"a = (1, );", 1, 7, "a[0]", NULL, "no entry follows", "remove"},
	{"a = (1,2,\n);", 1, 9, "a[1]", NULL, "no entry follows", "remove"},
	{"a = [1,];", 1, 7, "a[0]", NULL, "no entry follows", "remove"},
	{"a = (1,,2);", 1, 8, "a[1]", NULL, "value is missing before ','", NULL},
	{"a = (,1);", 1, 6, "a[0]", NULL, "value is missing before ','", NULL},
	{"a = (1 2);", 1, 8, "a[0]", "2", "',' is missing", "'(' of line 1"},
	{"a = (\n{ b = 1; }\n{ b = 2; });", 3, 1, "a[0]", "{", "',' is missing", "'(' of line 1"},
	{"a = ({}; {});", 1, 8, "a[0]", NULL, "not ';'", NULL},
	{"a = (1];", 1, 7, "a[0]", "]", "',' or ')' was expected", "'(' of line 1"},
	{"a = [1);", 1, 7, "a[0]", ")", "',' or ']' was expected", "'[' of line 1"},
	{"a = (]);", 1, 6, "a[0]", NULL, "value is missing before ']'", NULL},
	{"\na = (1,\n2\n", 2, 5, "a[1]", NULL, "'(' is never closed", NULL},
	{"a = (", 1, 5, "a", NULL, "'(' is never closed", NULL},
	{"a = [ {b = 1;} ];", 1, 7, "a[0]", NULL, "texts, numbers or booleans", "( {...}"},
	{"a = [ 1, (1) ];", 1, 10, "a[1]", NULL, "texts, numbers or booleans", "( {...}"},
	{"a = [ [1] ];", 1, 7, "a[0]", NULL, "texts, numbers or booleans", "( {...}"},
	{"a = [1, \"x\"];", 1, 9, "a[1]", "\"x\"", "one type", "( )"},
	{"a = [1, 2L];", 1, 9, "a[1]", "2L", "one type", "( )"},
	{"a = [1, 2.0];", 1, 9, "a[1]", "2.0", "one type", "( )"},
	{"a = [true, 2];", 1, 12, "a[1]", "2", "one type", "( )"},
	/* Groups. */
	{"a", 1, 2, "a", NULL, "file ends where '=' was expected", NULL},
	{"a =", 1, 4, "a", NULL, "file ends where a value was expected", NULL},
	{"a = ;", 1, 5, "a", NULL, "value is missing before ';'", NULL},
	{"a = { b = }", 1, 11, "a.b", NULL, "value is missing before '}'", NULL},
	{"a 1;", 1, 3, "a", "1", "'=' was expected", NULL},
	{"a { b = 1; }", 1, 3, "a", "{", "'=' was expected", NULL},
	{"a = 1;; b = 2;", 1, 7, NULL, ";", "a key was expected", NULL},
	{"a = 1\n}\n", 2, 1, NULL, "}", "a key was expected", NULL},
	{"= 1;", 1, 1, NULL, "=", "a key was expected", NULL},
	{"_a = 1;", 1, 1, NULL, "_a", "a key was expected", NULL},
	{"\"a\" = 1;", 1, 1, NULL, "\"a\"", "a key was expected", NULL},
	{"TRUE = 1;", 1, 1, NULL, "TRUE", "cannot be the name of a key", NULL},
	{"a = {\n b = 1; c = 2;\n", 1, 5, "a", NULL, "'{' is never closed", NULL},
	{"a = {\n b = 1; ) ;\n", 2, 9, "a", ")", "a key or '}' was expected", "'{' of line 1"},
	{"a = ( { b = ( { c = 1; ); } );", 1, 24, "a[0].b[0]", ")", "a key or '}'",
	 "'{' of line 1"},
	{"a = 1;\nb = 2;\na = 3;\n", 3, 1, "a", "a", "given before, in line 1", NULL},
	{"x = ({ a = 1;\n a = 2; });\n", 2, 2, "x[0].a", "a", "given before, in line 1", NULL},
	/* Columns are characters. */
	{"/* \xc3\xa9\xe2\x82\xac */ a = x;", 1, 14, "a", "x", "double quotes", NULL},
	{"\xef\xbb\xbf"
	 "a = x;",
	 1, 5, "a", "x", "double quotes", NULL},
	{"\ta = x;", 1, 6, "a", "x", "double quotes", NULL},
	/* Other formats. */
	{"# settings\n\n[Proxy]\nMode=iptables\n", 3, 1, NULL, "[", "looks like INI",
	 "svcroute.conf"},
	{"; settings\n", 1, 1, NULL, ";", "looks like INI", "svcroute.conf"},
	{"{ \"kind\": \"Service\" }\n", 1, 1, NULL, NULL, "looks like JSON", "import"},
	{"---\nkind: Service\n", 1, 1, NULL, NULL, "looks like YAML", "import"},
	{"Mode=iptables\n", 1, 6, "Mode", "iptables", "double quotes", NULL},
};

static void assert_part(const char *text, const char *part, const char *whole)
{
	if (part && (!text || !strstr(text, part)))
		fail_msg("'%s': '%s' has no '%s'", whole, text ? text : "(none)", part);
}

static void assert_text(const char *text, const char *wanted, const char *whole)
{
	if (!text != !wanted || (text && strcmp(text, wanted) != 0))
		fail_msg("'%s': '%s' instead of '%s'", whole, text ? text : "(none)",
			 wanted ? wanted : "(none)");
}

static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(refusals); i++) {
		const struct refusal *row = &refusals[i];
		_cleanup_diags_ struct diags d = {0};
		const struct diag *m;

		if (scan_text(row->text, strlen(row->text), NULL, NULL, "x.cfg", &d) != -EBADMSG)
			fail_msg("'%s' was not refused", row->text);
		assert_int_equal(d.n, 1);
		m = &d.items[0];
		if (m->line != row->line || m->column != row->column)
			fail_msg("'%s': refused at %d:%d, not %d:%d (%s)", row->text, m->line,
				 m->column, row->line, row->column, m->reason);
		assert_int_equal(m->severity, DIAG_ERROR);
		assert_string_equal(m->file, "x.cfg");
		assert_text(m->field, row->field, row->text);
		assert_text(m->value, row->value, row->text);
		assert_part(m->reason, row->reason, row->text);
		assert_part(m->hint, row->hint, row->text);
		if (!row->hint)
			assert_text(m->hint, NULL, row->text);

		/* Without a list for messages the verdict is the same. */
		assert_int_equal(scan_text(row->text, strlen(row->text), NULL, NULL, NULL, NULL),
				 -EBADMSG);
	}
}

/* What is told of each value: "KEY@VALUE " or "@VALUE ". */
static int note(void *userdata, unsigned depth, size_t key, size_t value)
{
	struct strbuf *b = userdata;

	(void)depth;
	if (key != SCAN_NO_KEY)
		strbuf_addf(b, "%zu", key);
	strbuf_addf(b, "@%zu ", value);
	return 0;
}

static void test_values(void **state)
{
	static const struct {
		const char *text, *values;
	} rows[] = {
		{"", "@0 "},
		{" # nothing\n", "@0 "},
		{"# at the end", "@0 "},
		{"// at the end", "@0 "},
		{"/**/", "@0 "},
		{"\xef\xbb\xbf", "@3 "},
		{"a=1", "@0 0@2 "},
		{"a:1 b=2,c=3;d=4", "@0 0@2 4@6 8@10 12@14 "},
		{"a=1b=2", NULL},
		{"a=\"x\"b=2", "@0 0@2 5@7 "},
		{"a=(1,(2,[3]),{b=4})c=5", "@0 0@2 @3 @5 @6 @8 @9 @13 14@16 19@21 "},
		{"a=[];b=();c={};", "@0 0@2 5@7 10@12 "},
		{"a=\"x\" /**/ \"y\" # z\n \"=\";b=1", "@0 0@2 24@26 "},
		{"a=2147483647;b=-2147483648;c=15;d=-0;e=0", "@0 0@2 13@15 27@29 32@34 37@39 "},
		{"a=9223372036854775807L;b=-9223372036854775808LL;", "@0 0@2 23@25 "},
		{"a=0x7fffFFFF;b=0X00000000007fffffff;c=0x7FFFFFFFFFFFFFFFL;",
		 "@0 0@2 13@15 36@38 "},
		{"a=.5;b=1.;c=-1e5;d=+1.5E-3;e=007.5", "@0 0@2 5@7 10@12 17@19 27@29 "},
		{"a=TRUE;b=False", "@0 0@2 7@9 "},
		{"a=\"\\n\\r\\t\\f\\\\\\\"\\x41\\X7f\t\"", "@0 0@2 "},
		{"*=1;a*-_9=2;truely=3;", "@0 0@2 4@10 12@19 "},
		{"a=80//x\n", "@0 0@2 "},
		{"a=80/*x*/;", "@0 0@2 "},
		{"a=1;\r\n\fb=2;\r\n", "@0 0@2 7@9 "},
		{"a=1;A=2;", "@0 0@2 4@6 "},
		{"a={x=1};b={x=1};", "@0 0@2 3@5 8@10 11@13 "},
		{"a=[1,0x2];b=[\"x\",\"y\" \"z\"];", "@0 0@2 @3 @5 10@12 @13 @17 "},
		{"a=\"@include [ ( ; \";", "@0 0@2 "},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_strbuf_ struct strbuf b = {0};
		_cleanup_diags_ struct diags d = {0};
		int r = scan_text(rows[i].text, strlen(rows[i].text), note, &b, "x.cfg", &d);

		if (!rows[i].values) {
			assert_int_equal(r, -EBADMSG);
			continue;
		}
		if (r != 0)
			fail_msg("'%s': %s", rows[i].text, d.items[0].reason);
		assert_int_equal(d.n, 0);
		assert_string_equal(strbuf_text(&b), rows[i].values);
	}
}

static int note_depth(void *userdata, unsigned depth, size_t key, size_t value)
{
	(void)key;
	(void)value;
	strbuf_addf(userdata, "%u", depth);
	return 0;
}

static void test_value_depths(void **state)
{
	const char text[] = "a=1;b=({c=2;d=[3,4];},(5),6);e={f={g=7}};h=8;";
	_cleanup_strbuf_ struct strbuf b = {0};

	(void)state;
	assert_int_equal(scan_text(text, strlen(text), note_depth, &b, NULL, NULL), 0);
	assert_string_equal(strbuf_text(&b), "011233442321231");
}

static int stop_at_third(void *userdata, unsigned depth, size_t key, size_t value)
{
	int *n = userdata;

	(void)depth;
	(void)key;
	(void)value;
	return ++*n == 3 ? -ENOMEM : 0;
}

static void test_callback_ends_it(void **state)
{
	_cleanup_diags_ struct diags d = {0};
	const char text[] = "a=1;b=2;c=3;d=";
	int n = 0;

	(void)state;
	assert_int_equal(scan_text(text, strlen(text), stop_at_third, &n, "x.cfg", &d), -ENOMEM);
	assert_int_equal(n, 3);
	assert_int_equal(d.n, 0);
}

static int scan_nested(int depth, char open, char close, struct diags *d)
{
	_cleanup_strbuf_ struct strbuf b = {0};

	strbuf_add(&b, "a=");
	for (int i = 0; i < depth; i++)
		strbuf_addf(&b, open == '{' && i + 1 < depth ? "%cb=" : "%c", open);
	for (int i = 0; i < depth; i++)
		strbuf_add_char(&b, close);
	assert_int_equal(strbuf_error(&b), 0);
	return scan_text(b.data, b.len, NULL, NULL, "x.cfg", d);
}

static void test_depth(void **state)
{
	static const char brackets[][2] = {{'(', ')'}, {'{', '}'}};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(brackets); i++) {
		_cleanup_diags_ struct diags d = {0};
		char open = brackets[i][0], close = brackets[i][1];

		assert_int_equal(scan_nested(SCAN_DEPTH_MAX, open, close, &d), 0);
		assert_int_equal(scan_nested(SCAN_DEPTH_MAX + 1, open, close, &d), -EBADMSG);
		assert_int_equal(scan_nested(1000000, open, close, &d), -EBADMSG);
		assert_int_equal(d.n, 2);
		assert_non_null(strstr(d.items[0].reason, "32 levels"));
		assert_int_equal(d.items[0].column, open == '(' ? 3 + 32 : 3 + 32 * 3);
		assert_int_equal(d.items[1].column, d.items[0].column);
	}
}

static int scan_keys(int n, struct diags *d)
{
	_cleanup_strbuf_ struct strbuf b = {0};

	strbuf_add(&b, "a={");
	for (int i = 0; i < n; i++)
		strbuf_addf(&b, "k%d=1;\n", i);
	strbuf_add(&b, "}");
	assert_int_equal(strbuf_error(&b), 0);
	return scan_text(b.data, b.len, NULL, NULL, "x.cfg", d);
}

static void test_number_of_keys(void **state)
{
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	assert_int_equal(scan_keys(SCAN_KEYS_MAX, &d), 0);
	assert_int_equal(scan_keys(SCAN_KEYS_MAX + 1, &d), -EBADMSG);
	assert_int_equal(scan_keys(100000, &d), -EBADMSG);
	assert_int_equal(d.n, 2);
	assert_string_equal(d.items[1].field, "a.k64");
	assert_int_equal(d.items[1].line, 65);
	assert_non_null(strstr(d.items[1].reason, "more than 64 keys"));
}

static void test_number_of_values(void **state)
{
	_cleanup_diags_ struct diags d = {0};
	_cleanup_strbuf_ struct strbuf b = {0};

	(void)state;
	/* With the root, the list and the last one. */
	strbuf_add(&b, "a=[");
	for (int i = 0; i < SCAN_VALUES_MAX - 3; i++)
		strbuf_add(&b, "1,");
	strbuf_add(&b, "1]");
	assert_int_equal(strbuf_error(&b), 0);
	assert_int_equal(scan_text(b.data, b.len, NULL, NULL, "x.cfg", &d), 0);
	b.data[b.len - 1] = ',';
	strbuf_add(&b, "1]");
	assert_int_equal(scan_text(b.data, b.len, NULL, NULL, "x.cfg", &d), -EBADMSG);
	assert_int_equal(d.n, 1);
	assert_string_equal(d.items[0].field, "a[3999998]");
	assert_non_null(strstr(d.items[0].reason, "more than 4000000 values"));
}

/* A message shows the start of a long text, whole characters only. */
static void test_long_value(void **state)
{
	char text[1000];
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	strcpy(text, "a = (1 \"");
	for (size_t i = strlen(text); i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(scan_text(text, strlen(text), NULL, NULL, "x.cfg", &d), -EBADMSG);
	assert_int_equal(d.n, 1);
	assert_in_range(strlen(d.items[0].value), 65, 80);
	assert_int_equal(strlen(d.items[0].value) % 2, 1);
}

/* What is at an offset: the end of the text included, and never back. */
static void test_cursor(void **state)
{
	static const char text[] = "\xef\xbb\xbf"
				   "ab\n\xc3\xa9x\r\n\n";
	static const struct {
		size_t offset;
		int line, column;
	} rows[] = {
		{0, 1, 1}, {3, 1, 1}, {4, 1, 2},  {5, 1, 3},  {6, 2, 1},  {8, 2, 2},
		{9, 2, 3}, {5, 2, 3}, {11, 3, 1}, {12, 4, 1}, {99, 4, 1},
	};
	struct scan_cursor c;

	(void)state;
	memset(&c, 0xA5, sizeof(c));
	scan_cursor_init(&c, text, strlen(text));
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		scan_cursor_move(&c, rows[i].offset);
		assert_int_equal(c.line, rows[i].line);
		assert_int_equal(c.column, rows[i].column);
	}
}

static void test_bom_size(void **state)
{
	(void)state;
	assert_int_equal(scan_bom_size("\xef\xbb\xbf", 3), 3);
	assert_int_equal(scan_bom_size("\xef\xbb\xbf", 2), 0);
	assert_int_equal(scan_bom_size("a\xef\xbb\xbf", 4), 0);
	assert_int_equal(scan_bom_size("", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_value_depths),
		cmocka_unit_test(test_callback_ends_it),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_number_of_keys),
		cmocka_unit_test(test_number_of_values),
		cmocka_unit_test(test_long_value),
		cmocka_unit_test(test_cursor),
		cmocka_unit_test(test_bom_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
