/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the two languages a text is, and what is refused before either is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "dump-tree.h"
#include "import/documents.h"

#define TEXT(text) text, sizeof(text) - 1

static const struct {
	const char *text;
	size_t size;
	const char *dump; /* NULL: refused with a reason that holds the next text */
	const char *reason;
} rows[] = {
	{TEXT(""), "", NULL},
	{TEXT(" \n"), "", NULL},
	{TEXT("a: 1"), "{a: 1} | ", NULL},
	{TEXT("{a: 1,}"), "{a: 1} | ", NULL},
	{TEXT("{\"a\": 1}"), "{a: 1} | ", NULL},
	{TEXT("\xef\xbb\xbf \n{\"a\": 1}"), "{a: 1} | ", NULL},
	{TEXT("\xef\xbb\xbf"
	      "a: 1"),
	 "{a: 1} | ", NULL},
	{TEXT("[ {\"a\": 1} ]"), "[{a: 1}] | ", NULL},
	/* valid YAML, but written as JSON */
	{TEXT("{\"a\": 1,}"), NULL, "not JSON"},
	{TEXT("{\"a\": yes}"), NULL, "not JSON"},
	{TEXT("[[1,]]"), NULL, "not JSON"},
	{TEXT("{\"a\": 1}\n---\nb: yes\n"), "{a: 1} | {b: true} | ", NULL},
	{TEXT("{\"a\": 1}\n---\n{\"a\": 2}\n"), "{a: 1} | {a: 2} | ", NULL},
	{TEXT("a: \xff\n"), NULL, "UTF-8"},
	{TEXT("a: x\0y\n"), NULL, "NUL"},
	{TEXT("\xff\xfe"
	      "a\0"),
	 NULL, "UTF-8"},
	{TEXT("{"), NULL, "not YAML"},
	{TEXT("{}"), "{} | ", NULL},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_documents_ struct documents docs = {0};
		_cleanup_strbuf_ struct strbuf b = {0};
		_cleanup_diags_ struct diags d = {0};
		int r = documents_parse(rows[i].text, rows[i].size, "test", &docs, &d);

		if (rows[i].reason) {
			assert_int_equal(r, -EBADMSG);
			assert_int_equal(docs.n, 0);
			assert_int_equal(d.n, 1);
			assert_non_null(strstr(d.items[0].reason, rows[i].reason));
			continue;
		}
		if (r != 0)
			fail_msg("refused: %s: %s", rows[i].text, d.n ? d.items[0].reason : "");
		for (size_t k = 0; k < docs.n; k++) {
			dump_node(docs.trees[k]->root, &b);
			strbuf_add(&b, " | ");
		}
		assert_string_equal(strbuf_text(&b), rows[i].dump);
	}
}

/* What was there stays, before what is added. */
static void test_adds(void **state)
{
	_cleanup_documents_ struct documents docs = {0};
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	assert_int_equal(documents_parse(TEXT("a: 1"), "one", &docs, &d), 0);
	assert_int_equal(documents_parse(TEXT("b: ["), "two", &docs, &d), -EBADMSG);
	assert_int_equal(docs.n, 1);
	assert_int_equal(documents_parse(TEXT("--- b\n--- c"), "three", &docs, &d), 0);
	assert_int_equal(docs.n, 3);
	assert_string_equal(docs.trees[0]->file, "one");
	assert_string_equal(docs.trees[2]->root->value.string, "c");
}

static void test_too_large(void **state)
{
	_cleanup_documents_ struct documents docs = {0};
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	/* Refused before a byte of it is looked at. */
	assert_int_equal(documents_parse("", IMPORT_FILE_MAX + 1, "big", &docs, &d), -EBADMSG);
	assert_non_null(strstr(d.items[0].reason, "64 MiB"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_adds),
		cmocka_unit_test(test_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
