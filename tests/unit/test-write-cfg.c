/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of node trees, and that reading a text again gives the tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "config/cfg.h"
#include "dump-tree.h"
#include "import/write-cfg.h"
#include "make-tree.h"

static const struct {
	const char *tree, *text;
} rows[] = {
	{"", ""},
	{"a = 1; b = \"x\"; c = true; d = null; e = false",
	 "a = 1;\nb = \"x\";\nc = true;\ne = false;\n"},
	{"a = 2147483647; b = 2147483648; c = -2147483648; d = -2147483649; e = 0.5",
	 "a = 2147483647;\nb = 2147483648L;\nc = -2147483648;\nd = -2147483649L;\ne = 0.5;\n"},
	{"a = (); b = {}; c = (()); d = ({})",
	 "a = ( );\nb = { };\nc = (\n\t( )\n);\nd = (\n\t{ }\n);\n"},
	{"a = [\"x\", \"y\"]; b = [true]; c = [1, 2]; d = (\"x\", 1); e = (\"x\", null)",
	 "a = [ \"x\", \"y\" ];\nb = [ true ];\nc = ( 1, 2 );\nd = ( \"x\", 1 );\ne = ( \"x\" "
	 ");\n"},
	{"a = { b = 1; c = [\"x\"]; d = null }", "a = { b = 1; c = [ \"x\" ]; };\n"},
	{"a = { b = (1, 2) }", "a = {\n\tb = ( 1, 2 );\n};\n"},
	{"a = ({ b = 1 }, { c = ({ d = 2 }) })",
	 "a = (\n\t{ b = 1; },\n\t{\n\t\tc = (\n\t\t\t{ d = 2; }\n\t\t);\n\t}\n);\n"},
	{"a = [\"0123456789012345678901234567890123456789012345678901234567890123456789\", "
	 "\"0123456789012345678901234567890123456789\"]",
	 "a = [\n\t\"0123456789012345678901234567890123456789012345678901234567890123456789\",\n"
	 "\t\"0123456789012345678901234567890123456789\"\n];\n"},
};

static void test_group(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_(node_tree_freep) struct node_tree *tree = make_tree(rows[i].tree);
		_cleanup_strbuf_ struct strbuf b = {0};

		assert_int_equal(cfg_write_group(tree->root, &b), 0);
		assert_string_equal(strbuf_text(&b), rows[i].text);
	}
}

static void test_list(void **state)
{
	_cleanup_(node_tree_freep) struct node_tree *a = make_tree("x = 1");
	_cleanup_(node_tree_freep) struct node_tree *b = make_tree("y = (1, \"z\")");
	const struct node *const items[] = {a->root, b->root};
	_cleanup_strbuf_ struct strbuf out = {0};

	(void)state;
	assert_int_equal(cfg_write_list("services", items, 2, &out), 0);
	assert_string_equal(strbuf_text(&out),
			    "services = (\n\t{ x = 1; },\n\t{\n\t\ty = ( 1, \"z\" );\n\t}\n);\n");
	strbuf_reset(&out);
	assert_int_equal(cfg_write_list("none", NULL, 0, &out), 0);
	assert_string_equal(strbuf_text(&out), "none = (\n);\n");
	assert_int_equal(cfg_write_list("1x", items, 2, &out), -EINVAL);
	assert_int_equal(cfg_write_list("", items, 2, &out), -EINVAL);
	assert_int_equal(cfg_write_list(NULL, items, 2, &out), -EINVAL);
}

static void test_cannot_be_written(void **state)
{
	static const char *const trees[] = {"1x = 1", "a.b = 1", "a = { b: = 1 }"};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(trees); i++) {
		_cleanup_(node_tree_freep) struct node_tree *tree = make_tree(trees[i]);
		_cleanup_strbuf_ struct strbuf b = {0};

		assert_int_equal(cfg_write_group(tree->root, &b), -EINVAL);
	}
	for (int i = 0; i < 2; i++) {
		_cleanup_(node_tree_freep) struct node_tree *tree = make_tree(
			"a = ( { b = 0.5 } )");
		_cleanup_strbuf_ struct strbuf b = {0};

		tree->root->first->first->first->value.number = i ? NAN : INFINITY;
		assert_int_equal(cfg_write_group(tree->root, &b), -EINVAL);
	}
}

static unsigned pick(uint64_t *seed, unsigned n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(*seed >> 33) % n;
}

static const char *random_text(uint64_t *seed, struct node_tree *tree)
{
	static const char *const parts[] = {"a",    "\"",   "\\",	"\n",
					    "\t",   "\r",   "\f",	"\x01",
					    "\x1f", "\x7f", "\xc3\xa9", "\xf0\x9f\x98\x80",
					    " ",    "x41",  "#",	"//",
					    ";",    "/*",   "@include"};
	_cleanup_strbuf_ struct strbuf b = {0};

	for (unsigned n = pick(seed, 12); n > 0; n--)
		strbuf_add(&b, parts[pick(seed, ELEMENTSOF(parts))]);
	return arena_strdup(tree->arena, strbuf_text(&b));
}

static void random_children(uint64_t *seed, struct node_tree *tree, struct node *parent,
			    unsigned depth)
{
	static const int64_t integers[] = {0,
					   1,
					   -1,
					   65535,
					   INT32_MAX,
					   INT32_MIN,
					   INT64_C(1) << 31,
					   INT64_MAX,
					   INT64_MIN + 1,
					   -2147483649};
	static const double numbers[] = {0.0, 1.0, -0.1, 1e300, 5e-324, 1.0 / 3, 1e22, 123456789.0};

	for (unsigned i = 0, n = pick(seed, 6); i < n; i++) {
		/* Two levels below the deepest that the reader takes. */
		enum node_type type = NODE_BOOL + pick(seed, depth < 20 ? 6 : 4);
		char *key = parent->type == NODE_GROUP ? arena_printf(tree->arena, "k%u-_*", i)
						       : NULL;
		struct node *c = node_add(tree, parent, type, key);

		assert_non_null(c);
		if (type == NODE_BOOL)
			c->value.boolean = pick(seed, 2);
		else if (type == NODE_INT)
			c->value.integer = integers[pick(seed, ELEMENTSOF(integers))];
		else if (type == NODE_FLOAT)
			c->value.number = numbers[pick(seed, ELEMENTSOF(numbers))];
		else if (type == NODE_STRING)
			c->value.string = random_text(seed, tree);
		else
			random_children(seed, tree, c, depth + 1);
	}
}

static void test_round_trip(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		_cleanup_(node_tree_freep) struct node_tree *tree = NULL, *again = NULL;
		_cleanup_strbuf_ struct strbuf text = {0}, want = {0}, got = {0}, second = {0};
		_cleanup_diags_ struct diags d = {0};

		assert_int_equal(node_tree_new("x", &tree), 0);
		assert_non_null(node_add(tree, NULL, NODE_GROUP, NULL));
		random_children(&seed, tree, tree->root, 0);
		assert_int_equal(cfg_write_group(tree->root, &text), 0);
		if (cfg_parse(strbuf_text(&text), text.len, "x", &again, &d) != 0)
			fail_msg("%s\n%s", d.n ? d.items[0].reason : "", strbuf_text(&text));
		dump_node(tree->root, &want);
		dump_node(again->root, &got);
		assert_string_equal(strbuf_text(&want), strbuf_text(&got));
		assert_int_equal(cfg_write_group(again->root, &second), 0);
		assert_string_equal(strbuf_text(&text), strbuf_text(&second));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_cannot_be_written),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
