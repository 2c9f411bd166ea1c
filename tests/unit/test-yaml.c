/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "dump-tree.h"
#include "import/yaml.h"

/* Documents one after the other, each with " | " behind it. */
static const struct {
	const char *text, *dump;
} good[] = {
	{"", ""},
	{"---\n...\n", ""},
	{"# nothing\n--- ~\n---\nnull\n", ""},
	{"a", "\"a\" | "},
	{"a: 1\n---\nb: 2\n---\n---\nc: [3]\n", "{a: 1} | {b: 2} | {c: [3]} | "},
	{"{a: 1, \"b\": 'x', c: {}, d: []}", "{a: 1, b: \"x\", c: {}, d: []} | "},
	{"a:\n- b: 1\n  c: 2\n-\n- - x\n", "{a: [{b: 1, c: 2}, null, [\"x\"]]} | "},
	{"a: 1\r\nb: 2\r\n", "{a: 1, b: 2} | "},
	/* what has which type */
	{"[~, null, Null, NULL, '']", "[null, null, null, null, \"\"] | "},
	{"[true, True, TRUE, yes, On, y, Y]", "[true, true, true, true, true, true, true] | "},
	{"[false, no, OFF, n, tRUE, \"no\", 'true']",
	 "[false, false, false, false, \"tRUE\", \"no\", \"true\"] | "},
	{"[0, -0, 80, -5, +7, 9223372036854775807, -9223372036854775808]",
	 "[0, 0, 80, -5, 7, 9223372036854775807, -9223372036854775808] | "},
	{"[1.5, -2e3, 9223372036854775808]", "[1.5f, -2000f, 9.22337203685478e+18f] | "},
	/* numbers for YAML that are none in plain decimal: never a text */
	{"[007, 0x1F, 0o17, 0b1, 1_000, .5, 5., .inf, -.INF, .nan, +1.5]",
	 "[nanf, nanf, nanf, nanf, nanf, nanf, nanf, nanf, nanf, nanf, nanf] | "},
	{"[10.0.0.1, 198.051.100.0/24, 0xa.96.0.10, fd00::1, 12:30, 1-2, -, a1, 1a, 30s, .a, e5, "
	 "1e, _1]",
	 "[\"10.0.0.1\", \"198.051.100.0/24\", \"0xa.96.0.10\", \"fd00::1\", \"12:30\", \"1-2\", "
	 "\"-\", "
	 "\"a1\", \"1a\", \"30s\", \".a\", \"e5\", \"1e\", \"_1\"] | "},
	{"[\"80\", !!str 80, ! 80, !!int 80, !!bool yes, !!null '', !!float 1.5]",
	 "[\"80\", \"80\", \"80\", 80, true, null, 1.5f] | "},
	{"{1: a, true: b, ~: c}", "{1: \"a\", true: \"b\", ~: \"c\"} | "},
	{"a: |\n  x\n  y\n", "{a: \"x\ny\n\"} | "},
	{"\"\\ta\\u00e9\\/\"", "\"\ta\xc3\xa9/\" | "},
	/* aliases are copies, merging keeps what is there */
	{"a: &x {b: [1, 2]}\nc: *x\nd: *x\n",
	 "{a: {b: [1, 2]}, c: {b: [1, 2]}, d: {b: [1, 2]}} | "},
	{"a: &x 5\nb: [*x, &y z, *y]\n", "{a: 5, b: [5, \"z\", \"z\"]} | "},
	{"a: &x 1\nb: &x 2\nc: *x\n", "{a: 1, b: 2, c: 2} | "},
	{"a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}\nc: {k: 4, <<: [*x, {m: 5}]}\n",
	 "{a: {k: 1, l: 2}, b: {k: 3, l: 2}, c: {k: 4, l: 2, m: 5}} | "},
	{"{<<: {a: 1, b: 2, c: 3}, d: 4, e: 5}", "{d: 4, e: 5, a: 1, b: 2, c: 3} | "},
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(good); i++) {
		_cleanup_documents_ struct documents docs = {0};
		_cleanup_strbuf_ struct strbuf b = {0};
		_cleanup_diags_ struct diags d = {0};

		if (yaml_parse(good[i].text, strlen(good[i].text), "test.yaml", &docs, &d) != 0)
			fail_msg("refused: %s: %s", good[i].text, d.n ? d.items[0].reason : "");
		assert_int_equal(d.n, 0);
		for (size_t k = 0; k < docs.n; k++) {
			assert_string_equal(docs.trees[k]->file, "test.yaml");
			dump_node(docs.trees[k]->root, &b);
			strbuf_add(&b, " | ");
		}
		assert_string_equal(strbuf_text(&b), good[i].dump);
	}
}

static void test_places(void **state)
{
	static const char text[] = "# c\na: 1\nb:\n  - x\n  - {c: &z 'y'}\n\xc3\xa9: *z\n";
	_cleanup_documents_ struct documents docs = {0};
	_cleanup_strbuf_ struct strbuf b = {0};
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	assert_int_equal(yaml_parse(text, strlen(text), "test.yaml", &docs, &d), 0);
	assert_int_equal(docs.n, 1);
	dump_places(docs.trees[0]->root, &b);
	assert_string_equal(strbuf_text(&b), "2:1 2:4 4:3 4:5 5:5 5:9 6:4 ");
}

/* Place and a part of the reason. */
static const struct {
	const char *text;
	int line, column;
	const char *reason;
} bad[] = {
	{"a: 1\nb: 2\na: 3\n", 3, 1, "given before"},
	{"{a: 1, \"a\": 2}", 1, 8, "given before"},
	{"a: [1\n", 2, 1, "not YAML"},
	{"a: 1\n b: 2\n", 2, 3, "not YAML"},
	{"a: \"x\\0y\"\n", 1, 4, "NUL"},
	{"\"x\\0y\": 1\n", 1, 1, "NUL"},
	{"[a]: 1\n", 1, 1, "must be a text"},
	{"? {a: 1}\n: 2\n", 1, 3, "must be a text"},
	{"a: &x 1\n*x : 2\n", 2, 1, "not an alias"},
	{"a: *x\n", 1, 4, "without an anchor"},
	{"--- &x a\n--- *x\n", 2, 5, "without an anchor"},
	{"a: &x [*x]\n", 1, 8, "what it lies in"},
	{"a: &x {b: {c: *x}}\n", 1, 15, "what it lies in"},
	{"a: !mine 1\n", 1, 4, "tag"},
	{"a: !!binary aGk=\n", 1, 4, "tag"},
	{"a: !!int x\n", 1, 4, "type"},
	{"{<<: 1}\n", 1, 6, "merge groups"},
	{"{<<: [{a: 1}, 2]}\n", 1, 15, "merge groups"},
	{"a: `\n", 1, 4, "not YAML"},
	{"%YAML 3.0\n--- a\n", 1, 1, "not YAML"},
};

/* Refused with one message; the output is left alone. */
static void refuse(const char *text, size_t size, struct diags *d)
{
	struct documents docs, poison;
	int r;

	memset(&docs, 0xaa, sizeof(docs));
	memset(&poison, 0xaa, sizeof(poison));
	r = yaml_parse(text, size, "test.yaml", &docs, d);
	if (r != -EBADMSG)
		fail_msg("%d: %.60s", r, text);
	assert_memory_equal(&docs, &poison, sizeof(docs));
	assert_int_equal(d->n, 1);
	assert_int_equal(d->n_errors, 1);
	assert_string_equal(d->items[0].file, "test.yaml");
}

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(bad); i++) {
		_cleanup_diags_ struct diags d = {0};

		refuse(bad[i].text, strlen(bad[i].text), &d);
		if (!strstr(d.items[0].reason, bad[i].reason) || d.items[0].line != bad[i].line ||
		    d.items[0].column != bad[i].column)
			fail_msg("%s: %d:%d: %s", bad[i].text, d.items[0].line, d.items[0].column,
				 d.items[0].reason);
	}
}

/* Ten aliases of ten aliases of ...: a thousand million values from a few lines. */
static void test_alias_bomb(void **state)
{
	_cleanup_strbuf_ struct strbuf b = {0};
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	strbuf_add(&b, "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
	for (int i = 1; i < 10; i++) {
		strbuf_addf(&b, "a%d: &a%d [", i, i);
		for (int k = 0; k < 10; k++)
			strbuf_addf(&b, "*a%d,", i - 1);
		strbuf_add(&b, "]\n");
	}
	refuse(strbuf_text(&b), b.len, &d);
	assert_non_null(strstr(d.items[0].reason, "aliases"));
}

/* The same by merging. */
static void test_merge_bomb(void **state)
{
	_cleanup_strbuf_ struct strbuf b = {0};
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	strbuf_add(&b, "big: &big {");
	for (int i = 0; i < 2000; i++)
		strbuf_addf(&b, "k%d: 1, ", i);
	strbuf_add(&b, "}\nlist:\n");
	for (int i = 0; i < 100; i++)
		strbuf_add(&b, "- {<<: *big}\n");
	refuse(strbuf_text(&b), b.len, &d);
	assert_non_null(strstr(d.items[0].reason, "aliases"));
}

static void nested(struct strbuf *b, size_t depth)
{
	for (size_t i = 0; i < depth; i++)
		strbuf_add_char(b, '[');
	for (size_t i = 0; i < depth; i++)
		strbuf_add_char(b, ']');
}

static void test_depth(void **state)
{
	_cleanup_strbuf_ struct strbuf b = {0};
	_cleanup_documents_ struct documents docs = {0};
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	nested(&b, IMPORT_DEPTH_MAX);
	assert_int_equal(yaml_parse(strbuf_text(&b), b.len, "test.yaml", &docs, &d), 0);
	strbuf_reset(&b);
	nested(&b, IMPORT_DEPTH_MAX + 1);
	refuse(strbuf_text(&b), b.len, &d);
	assert_non_null(strstr(d.items[0].reason, "deeply"));

	/* Deeper by an alias than anywhere in the text. */
	diags_done(&d);
	strbuf_reset(&b);
	strbuf_add(&b, "a: &a ");
	nested(&b, IMPORT_DEPTH_MAX / 2 + 5);
	strbuf_add(&b, "\nb: ");
	for (int i = 0; i < IMPORT_DEPTH_MAX / 2; i++)
		strbuf_add_char(&b, '[');
	strbuf_add(&b, "*a");
	for (int i = 0; i < IMPORT_DEPTH_MAX / 2; i++)
		strbuf_add_char(&b, ']');
	refuse(strbuf_text(&b), b.len, &d);
	assert_non_null(strstr(d.items[0].reason, "deeply"));

	diags_done(&d);
	strbuf_reset(&b);
	for (int i = 0; i < 100000; i++)
		strbuf_add(&b, "[");
	refuse(strbuf_text(&b), b.len, &d);
}

/* Many keys: looking for duplicates takes a map. */
static void test_many_keys(void **state)
{
	_cleanup_strbuf_ struct strbuf b = {0};
	_cleanup_documents_ struct documents docs = {0};
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	for (int i = 0; i < 100000; i++)
		strbuf_addf(&b, "k%d: %d\n", i, i);
	assert_int_equal(yaml_parse(strbuf_text(&b), b.len, "test.yaml", &docs, &d), 0);
	assert_int_equal(docs.trees[0]->root->n_children, 100000);
	strbuf_add(&b, "k77777: 1\n");
	refuse(strbuf_text(&b), b.len, &d);
	assert_int_equal(d.items[0].line, 100001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	   cmocka_unit_test(test_places),
		cmocka_unit_test(test_bad),	   cmocka_unit_test(test_alias_bomb),
		cmocka_unit_test(test_merge_bomb), cmocka_unit_test(test_depth),
		cmocka_unit_test(test_many_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
