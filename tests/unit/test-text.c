/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static const char *const keys[] = {
	"name",	 "type",     "clusterIPs",  "nodePort", "targetPort", "port",
	"ports", "protocol", "externalIPs", "weight",	"ip",
};

static void test_closest(void **state)
{
	static const struct {
		const char *word, *closest;
	} rows[] = {
		{"nodePort", "nodePort"},
		{"nodeport", "nodePort"}, /* case costs nothing */
		{"NODEPORT", "nodePort"},
		{"nodePrt", "nodePort"},   /* insert */
		{"nodePoort", "nodePort"}, /* delete */
		{"nodeFort", "nodePort"},  /* replace */
		{"ndoePort", "nodePort"},  /* swap */
		{"ndoeProt", "nodePort"},  /* two of eight */
		{"ndoePrott", "nodePort"}, /* three of nine */
		{"ndoeProttt", NULL},	   /* four are too many */
		{"clutserIP", "clusterIPs"},
		{"clusterIP", "clusterIPs"},
		{"externalIps", "externalIPs"},
		{"prt", "port"},
		{"pots", "ports"}, /* port is two edits away */
		{"ports", "ports"},
		{"nme", "name"},
		{"nm", NULL},
		{"it", "ip"},
		{"x", NULL},
		{"", NULL},
		{"completelyDifferent", NULL},
		{"port ", "port"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		const char *got = text_closest(rows[i].word, keys, ELEMENTSOF(keys));

		if (!got != !rows[i].closest || (got && strcmp(got, rows[i].closest) != 0))
			fail_msg("'%s': %s", rows[i].word, got ? got : "none");
	}
}

static void test_closest_ties(void **state)
{
	static const char *const near[] = {"abcdeX", "abcdeY", "abcdefX"};
	static const char *const same[] = {"Mode", "mode"};

	(void)state;
	assert_ptr_equal(text_closest("abcdez", near, 3), near[0]);
	assert_ptr_equal(text_closest("abcdef", near, 3), near[0]);
	assert_ptr_equal(text_closest("abcdey", near, 3), near[1]);
	assert_ptr_equal(text_closest("mode", same, 2), same[0]);
	assert_null(text_closest("mode", same, 0));
}

static void test_closest_long(void **state)
{
	char word[200], candidate[200];
	const char *const candidates[] = {candidate};

	(void)state;
	for (size_t n = 1; n < sizeof(word); n++) {
		memset(word, 'w', n);
		word[n - 1] = '\0';
		memset(candidate, 'w', sizeof(candidate));
		for (size_t m = n > 6 ? n - 6 : 0; m < n + 6 && m < sizeof(candidate); m++) {
			size_t length = n - 1,
			       limit = MIN_OF(MAX_OF(length / 3, (size_t)1), (size_t)3);
			size_t distance = m > length ? m - length : length - m;
			const char *got;

			candidate[m] = '\0';
			got = text_closest(word, candidates, 1);
			candidate[m] = 'w';
			assert_int_equal(got != NULL, length <= 64 && distance <= limit);
		}
	}
}

static void test_index(void **state)
{
	static const char *const names[] = {"ClusterIP", NULL, "NodePort", "clusterip"};

	(void)state;
	assert_int_equal(text_index("ClusterIP", names, 4), 0);
	assert_int_equal(text_index("NodePort", names, 4), 2);
	assert_int_equal(text_index("clusterip", names, 4), 3);
	assert_int_equal(text_index("clusterip", names, 3), -EINVAL);
	assert_int_equal(text_index("nodeport", names, 4), -EINVAL);
	assert_int_equal(text_index("NodePort ", names, 4), -EINVAL);
	assert_int_equal(text_index("Node", names, 4), -EINVAL);
	assert_int_equal(text_index("", names, 4), -EINVAL);
	assert_int_equal(text_index_nocase("nodeport", names, 4), 2);
	assert_int_equal(text_index_nocase("CLUSTERIP", names, 4), 0);
	assert_int_equal(text_index_nocase("nodeports", names, 4), -EINVAL);
	assert_int_equal(text_index_nocase("", names, 0), -EINVAL);
}

static void test_utf8(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		bool valid;
	} rows[] = {
		{"", 0, true},
		{"ascii \t\n\x7f", 9, true},
		{"\xc3\xa4", 2, true},
		{"\xc2\x80", 2, true},
		{"\xdf\xbf", 2, true},
		{"\xe0\xa0\x80", 3, true},
		{"\xe2\x82\xac", 3, true},
		{"\xed\x9f\xbf", 3, true},
		{"\xee\x80\x80", 3, true},
		{"\xef\xbf\xbf", 3, true},
		{"\xf0\x90\x80\x80", 4, true},
		{"\xf4\x8f\xbf\xbf", 4, true},
		{"a\0b", 3, false},
		{"\0", 1, false},
		{"\x80", 1, false},
		{"\xbf", 1, false},
		{"\xc3", 1, false},
		{"\xc3\xa4", 1, false},
		{"\xe2\x82", 2, false},
		{"\xf0\x90\x80", 3, false},
		{"\xc3(", 2, false},
		{"\xe2\x82(", 3, false},
		{"\xc0\x80", 2, false}, /* overlong */
		{"\xc0\xaf", 2, false},
		{"\xc1\xbf", 2, false},
		{"\xe0\x80\x80", 3, false},
		{"\xe0\x9f\xbf", 3, false},
		{"\xf0\x80\x80\x80", 4, false},
		{"\xf0\x8f\xbf\xbf", 4, false},
		{"\xed\xa0\x80", 3, false}, /* surrogates */
		{"\xed\xbf\xbf", 3, false},
		{"\xf4\x90\x80\x80", 4, false}, /* above U+10FFFF */
		{"\xf8\x88\x80\x80\x80", 5, false},
		{"\xfe", 1, false},
		{"\xff", 1, false},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		if (text_is_utf8(rows[i].text, rows[i].n) != rows[i].valid)
			fail_msg("row %zu", i);
	}
}

#define X60 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void test_quote(void **state)
{
	static const struct {
		const char *text, *quoted;
	} rows[] = {
		{"", ""},
		{"10.0.0.1", "10.0.0.1"},
		{"a\nb\t\x1b[31m", "a\\x0ab\\x09\\x1b[31m"},
		{"\x01\x7f", "\\x01\\x7f"},
		{"gr\xc3\xbcn", "gr\xc3\xbcn"},
		{"\xc2\x9b", "\\xc2\\x9b"}, /* a control that is not ASCII */
		{"\xc2\xa0", "\xc2\xa0"},
		{"\xff\xc3", "\\xff\\xc3"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"},
		{X60 "abcd", X60 "abcd"},
		{X60 "abcde", X60 "abcd..."},
		{X60 "abc\xc3\xbc", X60 "abc..."}, /* no half characters */
		{X60 "ab\xc3\xbc", X60 "ab\xc3\xbc"},
		{X60 X60 X60 X60 X60 X60, X60 "xxxx..."},
	};
	char buf[TEXT_QUOTE_MAX], nasty[100];

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		memset(buf, 'p', sizeof(buf));
		assert_ptr_equal(text_quote(rows[i].text, buf), buf);
		assert_string_equal(buf, rows[i].quoted);
	}
	memset(nasty, 1, sizeof(nasty) - 1);
	nasty[sizeof(nasty) - 1] = '\0';
	text_quote(nasty, buf);
	assert_int_equal(strlen(buf), 4 * 64 + 3);
}

#define L63 "a12345678901234567890123456789012345678901234567890123456789012"

static void test_names(void **state)
{
	enum { LABEL = 1, SUBDOMAIN = 2, VALUE = 4, PORT = 8 };
	static const struct {
		const char *text;
		int is;
	} rows[] = {
		{"", VALUE},
		{"a", LABEL | SUBDOMAIN | VALUE | PORT},
		{"0", LABEL | SUBDOMAIN | VALUE},
		{"80", LABEL | SUBDOMAIN | VALUE}, /* a port name needs a letter */
		{"8a", LABEL | SUBDOMAIN | VALUE | PORT},
		{"a-b", LABEL | SUBDOMAIN | VALUE | PORT},
		{"a--b", LABEL | SUBDOMAIN | VALUE},
		{"-a", 0},
		{"a-", 0},
		{"-", 0},
		{"--", 0},
		{"A", VALUE},
		{"a.b", SUBDOMAIN | VALUE},
		{"a..b", VALUE},
		{".a", 0},
		{"a.", 0},
		{".", 0},
		{"a.-b", VALUE},
		{"a-.b", VALUE},
		{"a_b", VALUE},
		{"_a", 0},
		{"a_", 0},
		{"Zone-1_a.b", VALUE},
		{"a/b", 0},
		{"a b", 0},
		{" a", 0},
		{"a ", 0},
		{"a\n", 0},
		{"\xc3\xa4", 0},
		{"a\xc3\xa4"
		 "b",
		 0},
		{"abcdefghijklmno", LABEL | SUBDOMAIN | VALUE | PORT}, /* 15 */
		{"abcdefghijklmnop", LABEL | SUBDOMAIN | VALUE},
		{L63, LABEL | SUBDOMAIN | VALUE},
		{L63 "3", SUBDOMAIN},		  /* only the total length counts */
		{L63 "." L63 "." L63 "." L63, 0}, /* 255 */
		{L63 "." L63 "." L63
		     ".1234567890123456789012345678901234567890123456789012345678901",
		 SUBDOMAIN}, /* 253 */
		{L63 "." L63 "." L63
		     ".12345678901234567890123456789012345678901234567890123456789012",
		 0}, /* 254 */
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		const char *text = rows[i].text;
		int is = (text_is_dns_label(text) ? LABEL : 0) |
			 (text_is_dns_subdomain(text) ? SUBDOMAIN : 0) |
			 (text_is_label_value(text) ? VALUE : 0) |
			 (text_is_port_name(text) ? PORT : 0);

		if (is != rows[i].is)
			fail_msg("'%s': %d, not %d", text, is, rows[i].is);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closest),	     cmocka_unit_test(test_closest_ties),
		cmocka_unit_test(test_closest_long), cmocka_unit_test(test_index),
		cmocka_unit_test(test_utf8),	     cmocka_unit_test(test_quote),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
