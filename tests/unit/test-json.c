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
#include "import/json.h"

/* Places are those of the values; 0:0 where the text means nothing, or something else, to YAML. */
static const struct {
	const char *text, *dump, *places;
} good[] = {
	{"{}", "{} | ", "1:1 "},
	{"\n [ ] \n", "[] | ", "2:2 "},
	{"{\"a\": 1,\n \"b\": [true, null, -2.5, \"x\\u00e9\\n\"]}",
	 "{a: 1, b: [true, null, -2.5f, \"x\xc3\xa9\n\"]} | ", "1:1 1:7 2:7 2:8 2:14 2:20 2:26 "},
	{"{\"b\": {\"z\": 1, \"a\": 2}, \"a\": 9223372036854775807}",
	 "{b: {z: 1, a: 2}, a: 9223372036854775807} | ", "1:1 1:7 1:13 1:21 1:30 "},
	{"{\"a\": 1}\n{\"a\": 2}", "{a: 1} | {a: 2} | ", "0:0 0:0 0:0 0:0 "},
	{"[\"\\ud83d\\ude00\"]", "[\"\xf0\x9f\x98\x80\"] | ", "0:0 0:0 "},
	/* what a list holds is the same to both, the rest not */
	{"{\"a\": \"yes\", \"<<\": {\"b\": 1}}", "{a: \"yes\", <<: {b: 1}} | ", "1:1 1:7 0:0 0:0 "},
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(good); i++) {
		_cleanup_strbuf_ struct strbuf dump = {0}, places = {0};
		_cleanup_documents_ struct documents docs = {0};
		_cleanup_diags_ struct diags d = {0};

		if (json_parse(good[i].text, strlen(good[i].text), "test.json", &docs, &d) != 0)
			fail_msg("refused: %s: %s", good[i].text, d.n ? d.items[0].reason : "");
		assert_int_equal(d.n, 0);
		for (size_t k = 0; k < docs.n; k++) {
			dump_node(docs.trees[k]->root, &dump);
			dump_places(docs.trees[k]->root, &places);
			strbuf_add(&dump, " | ");
		}
		assert_string_equal(strbuf_text(&dump), good[i].dump);
		assert_string_equal(strbuf_text(&places), good[i].places);
	}
}

static const struct {
	const char *text;
	int line, column, error;
} bad[] = {
	{"{\"a\": 1,}", 1, 9, -EBADMSG},
	{"{\"a\": 1", 1, 7, -EBADMSG},
	{"{\"a\": 1, \"a\": 2}", 1, 12, -EBADMSG},
	{"{\"a\": 1}\n {\"b\": tru}", 2, 10, -EBADMSG},
	{"{\"a\": 1}\n\n{\"a\":\n x}", 4, 2, -EBADMSG},
	{"{a: 1}", 1, 2, -EBADMSG},
	{"[\"\\u0000\"]", 1, 9, -EBADMSG},
	{"[9223372036854775808]", 1, 20, -EBADMSG},
	{"[1e999]", 1, 6, -EBADMSG},
	{"[\"a\" // c\n]", 1, 6, -EBADMSG},
	{"{\"a\": 1} x", 1, 10, -EBADMSG},
	{"{\"a\": 1}\n--- {b: 2}", 0, 0, -ENOTUNIQ},
};

static void refuse(const char *text, size_t size, int error, struct diags *d)
{
	struct documents docs, poison;
	int r;

	memset(&docs, 0xaa, sizeof(docs));
	memset(&poison, 0xaa, sizeof(poison));
	r = json_parse(text, size, "test.json", &docs, d);
	if (r != error)
		fail_msg("%d: %.60s", r, text);
	assert_memory_equal(&docs, &poison, sizeof(docs));
	assert_int_equal(d->n, error == -EBADMSG);
}

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(bad); i++) {
		_cleanup_diags_ struct diags d = {0};

		refuse(bad[i].text, strlen(bad[i].text), bad[i].error, &d);
		if (d.n && (d.items[0].line != bad[i].line || d.items[0].column != bad[i].column))
			fail_msg("%s: %d:%d: %s", bad[i].text, d.items[0].line, d.items[0].column,
				 d.items[0].reason);
	}
}

static void test_depth(void **state)
{
	static const size_t depths[] = {IMPORT_DEPTH_MAX, IMPORT_DEPTH_MAX + 1, 100000};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(depths); i++) {
		_cleanup_strbuf_ struct strbuf b = {0};
		_cleanup_documents_ struct documents docs = {0};
		_cleanup_diags_ struct diags d = {0};

		for (size_t k = 0; k < depths[i]; k++)
			strbuf_add_char(&b, '[');
		for (size_t k = 0; k < depths[i]; k++)
			strbuf_add_char(&b, ']');
		if (i > 0)
			refuse(strbuf_text(&b), b.len, -EBADMSG, &d);
		else
			assert_int_equal(json_parse(strbuf_text(&b), b.len, "test.json", &docs, &d),
					 0);
	}
}

static void test_number(void **state)
{
	static const struct {
		const char *text;
		double value; /* 0: refused */
	} rows[] = {
		{"1.5", 1.5}, {"-2e3", -2000}, {"7", 7},   {".5", 0},	 {"5.", 0},   {"0x1", 0},
		{"", 0},      {"1.5 x", 0},    {"nan", 0}, {"\"1\"", 0}, {"true", 0},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		double value = 12345;

		assert_int_equal(json_parse_number(rows[i].text, &value),
				 rows[i].value != 0 ? 0 : -EINVAL);
		assert_true(value == (rows[i].value != 0 ? rows[i].value : 12345));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
