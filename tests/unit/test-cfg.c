/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts to node trees: values, encodings, and that node ordinals and the locator's agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <time.h>

#include "base/strbuf.h"
#include "config/cfg.h"
#include "config/locate.h"

static struct node_tree *parse_text(const char *text)
{
	_cleanup_diags_ struct diags d = {0};
	struct node_tree *tree = NULL;
	int r = cfg_parse(text, strlen(text), "x.cfg", &tree, &d);

	if (r != 0)
		fail_msg("'%s' was refused: %s", text, d.n ? d.items[0].reason : "no memory");
	assert_int_equal(d.n, 0);
	assert_non_null(tree);
	return tree;
}

/* "{a=1 b=(2 "x") }" */
static void dump(const struct node *n, struct strbuf *b)
{
	if (n->key)
		strbuf_addf(b, "%s=", n->key);
	if (n->type == NODE_STRING)
		strbuf_addf(b, "\"%s\" ", n->value.string);
	else if (n->type == NODE_FLOAT)
		strbuf_addf(b, "~%g ", n->value.number);
	else if (n->type == NODE_GROUP || n->type == NODE_LIST)
		strbuf_add(b, n->type == NODE_GROUP ? "{" : "(");
	else {
		node_value_text(n, b);
		strbuf_add(b, " ");
	}
	for (const struct node *child = n->first; child; child = child->next)
		dump(child, b);
	if (n->type == NODE_GROUP || n->type == NODE_LIST)
		strbuf_add(b, n->type == NODE_GROUP ? "} " : ") ");
}

static void assert_dump(struct node_tree *tree, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf b = {0};

	dump(tree->root, &b);
	assert_string_equal(strbuf_text(&b), wanted);
}

static void test_values(void **state)
{
	static const struct {
		const char *text, *tree;
	} rows[] = {
		{"", "{} "},
		{"\n\t\f\n", "{} "},
		{"# only a comment", "{} "},
		{"// only a comment", "{} "},
		{"/* only a\ncomment */", "{} "},
		{"a = 1; b : 2, c = 3 d = 4", "{a=1 b=2 c=3 d=4 } "},
		{"a = 1; # no line feed at the end", "{a=1 } "},
		{"a = 2147483647; b = -2147483648; c = 15; d = -0;",
		 "{a=2147483647 b=-2147483648 c=15 d=0 } "},
		{"a = 4294967376L; b = 9223372036854775807L; c = -9223372036854775808LL;",
		 "{a=4294967376 b=9223372036854775807 c=-9223372036854775808 } "},
		{"a = 0x50; b = 0x7fFFffff; c = 0x100000050L; d = 0X00000000000000000001;",
		 "{a=80 b=2147483647 c=4294967376 d=1 } "},
		{"a = 1.5; b = .5; c = 2.; d = -1e3; e = 1E-2;",
		 "{a=~1.5 b=~0.5 c=~2 d=~-1000 e=~0.01 } "},
		{"a = true; b = FALSE; c = True;", "{a=true b=false c=true } "},
		{"a = \"\"; b = \"x\" \"y\"\n/* z */ \"z\"; c = \"\\\\ \\\" \\x41\";",
		 "{a=\"\" b=\"xyz\" c=\"\\ \" A\" } "},
		{"a = \"\\n\\r\\t\\f\\x01\";", "{a=\"\n\r\t\f\x01\" } "},
		{"a = \"caf\xc3\xa9 # // /* ; @include \";",
		 "{a=\"caf\xc3\xa9 # // /* ; @include \" } "},
		{"a = []; b = (); c = {};", "{a=() b=() c={} } "},
		{"a = [1, 2]; b = (1, \"x\", true, 2.5, [\"y\" \"z\"], (), {d = 1});",
		 "{a=(1 2 ) b=(1 \"x\" true ~2.5 (\"yz\" ) () {d=1 } ) } "},
		{"a = {b = {c = ({d = 1}, {d = 2})}}; A = 1; *x-_9 = 2;",
		 "{a={b={c=({d=1 } {d=2 } ) } } A=1 *x-_9=2 } "},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_(node_tree_freep) struct node_tree *tree = parse_text(rows[i].text);

		assert_string_equal(tree->file, "x.cfg");
		assert_dump(tree, rows[i].tree);
	}
}

/* C49: what editors do to a file does not change what it says. */
static void test_encodings_accepted(void **state)
{
	static const char *const texts[] = {
		"a = 1; # c\nb = (\"x\"\n\"y\");\n",
		"\xef\xbb\xbf"
		"a = 1; # c\nb = (\"x\"\n\"y\");\n",
		"a = 1; # c\r\nb = (\"x\"\r\n\"y\");\r\n",
		"\xef\xbb\xbf"
		"a = 1; # c\r\nb = (\"x\"\r\n\"y\");",
		"a = 1; # c\nb = (\"x\"\n\"y\")",
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
		_cleanup_(node_tree_freep) struct node_tree *tree = parse_text(texts[i]);
		struct place at;

		assert_dump(tree, "{a=1 b=(\"xy\" ) } ");
		node_place(tree, tree->root->last, &at);
		assert_int_equal(at.line, 2);
		assert_int_equal(at.column, 5);
	}
}

#define BYTES(text) text, sizeof(text) - 1

static void test_refused(void **state)
{
	static const struct {
		const char *text;
		size_t size;
		int line, column;
		const char *reason;
	} rows[] = {
		{BYTES("\xff\xfe"
		       "a\0=\0001\0"),
		 1, 1, "UTF-16"},
		{BYTES("\xfe\xff\0a\0=\0001"), 1, 1, "UTF-16"},
		{BYTES("\xff\xfe"), 1, 1, "UTF-16"},
		{BYTES("a\0=\0001\0;\0"), 1, 2, "UTF-16"},
		{BYTES("\0a\0=\0001\0;"), 1, 1, "UTF-16"},
		{BYTES("\0"), 1, 1, "NUL byte: this is not a text"},
		{BYTES("a = 1;\nb = \"x\0y\";\n"), 2, 7, "NUL byte: this is not a text"},
		{BYTES("a = 1; # \0\n"), 1, 10, "NUL byte: this is not a text"},
		{BYTES("\xef\xbb\xbf\xef\xbb\xbf"
		       "a = 1;"),
		 1, 1, "two byte order marks"},
		{BYTES("a = 1;\rb = 2;\r"), 1, 7, "carriage return"},
		{BYTES("# c\ra = 1;\n"), 1, 4, "carriage return"},
		{BYTES("a = 1;\n\r"), 2, 1, "carriage return"},
		{BYTES("a = \"x\ry\";\n"), 1, 7, "carriage return"},
		{BYTES("a = 1;\n# caf\xe9\n"), 2, 6, "not valid UTF-8"},
		{BYTES("a = \"\xc3\xa9\xc3\";\n"), 1, 7, "not valid UTF-8"},
		{BYTES("a = 1; # \xed\xa0\x80\n"), 1, 10, "not valid UTF-8"},
		{BYTES("a = 1; # \xe2\x82"), 1, 10, "not valid UTF-8"},
		{BYTES("a = 1; # \xf0\x9f\x98\x80 \x80"), 1, 12, "not valid UTF-8"},
		{BYTES("a = \n  1e999;\n"), 2, 3, "too large"},
		{BYTES("a = (1.5, -1e999);\n"), 1, 11, "too large"},
		{BYTES("port = 4294967376;\n"), 1, 8, "32-bit"},
		{BYTES("a = (1,);\n"), 1, 7, "no entry follows"},
		{BYTES("@include \"/etc\"\n"), 1, 1, "cannot include"},
		{BYTES("a = 1;\na = 2;\n"), 2, 1, "given before, in line 1"},
		{BYTES("[Proxy]\nMode=iptables\n"), 1, 1, "looks like INI"},
		{BYTES("a = 1; \""), 1, 8, "a key was expected"},
		{BYTES("a = 1; /*"), 1, 8, "comment is not closed"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct node_tree *const poison = (struct node_tree *)(uintptr_t)0xA5A5;
		struct node_tree *tree = poison;
		_cleanup_diags_ struct diags d = {0};

		if (cfg_parse(rows[i].text, rows[i].size, "x.cfg", &tree, &d) != -EBADMSG)
			fail_msg("row %zu (%s) was not refused", i, rows[i].reason);
		assert_ptr_equal(tree, poison);
		assert_int_equal(d.n, 1);
		assert_int_equal(d.n_errors, 1);
		assert_string_equal(d.items[0].file, "x.cfg");
		if (!strstr(d.items[0].reason, rows[i].reason))
			fail_msg("row %zu: '%s', not '%s'", i, d.items[0].reason, rows[i].reason);
		if (d.items[0].line != rows[i].line || d.items[0].column != rows[i].column)
			fail_msg("row %zu (%s): at %d:%d", i, rows[i].reason, d.items[0].line,
				 d.items[0].column);
	}
}

/* The number that the library would make 80 of, in the words of section 5 of the product sheet. */
static void test_message(void **state)
{
	static const char text[] = "services = (\n  { ports = ( { port = 4294967376; } ); }\n);\n";
	_cleanup_diags_ struct diags d = {0};
	_cleanup_free_ char *message = NULL;
	struct node_tree *tree = NULL;

	(void)state;
	assert_int_equal(cfg_parse(text, strlen(text), "d/a.cfg", &tree, &d), -EBADMSG);
	message = diag_format(&d.items[0]);
	assert_string_equal(message, "d/a.cfg:2:24: error: services[0].ports[0].port "
				     "'4294967376': is out of the range of 32-bit numbers "
				     "(a number of more than 32 bits has an L behind it)");
}

static unsigned assert_places(struct node_tree *tree, const struct locations *l,
			      const struct node *n, unsigned ordinal)
{
	struct place at;

	assert_int_equal(n->ordinal, ordinal);
	assert_in_range(ordinal, 0, l->n - 1);
	memset(&at, 0xA5, sizeof(at));
	node_place(tree, n, &at);
	assert_string_equal(at.file, "x.cfg");
	assert_int_equal(at.line, l->items[ordinal].line);
	assert_int_equal(at.column, l->items[ordinal].column);
	/* Keys stand before values, and only in groups. */
	assert_int_equal(l->keys[ordinal].line > 0, n->key != NULL);
	for (const struct node *child = n->first; child; child = child->next)
		ordinal = assert_places(tree, l, child, ordinal + 1);
	return ordinal;
}

/* The place of each value, found in the text itself: each value is unique there. */
static void assert_found_in_text(struct node_tree *tree, const struct node *n, const char *text)
{
	_cleanup_strbuf_ struct strbuf b = {0};

	if (n->type == NODE_STRING || n->type == NODE_INT) {
		const char *at, *line = text;
		struct place place;
		int n_lines = 1;

		strbuf_add(&b, n->type == NODE_STRING ? "\"" : " ");
		node_value_text(n, &b);
		at = strstr(text, strbuf_text(&b));
		assert_non_null(at);
		assert_null(strstr(at + 1, strbuf_text(&b)));
		for (const char *p = text; p < at; p++)
			if (*p == '\n') {
				line = p + 1;
				n_lines++;
			}
		node_place(tree, n, &place);
		assert_int_equal(place.line, n_lines);
		assert_int_equal(place.column, at - line + 1 + (n->type == NODE_INT));
	}
	for (const struct node *child = n->first; child; child = child->next)
		assert_found_in_text(tree, child, text);
}

static const char complex_text[] =
	"# a bit of everything\n"
	"services = (\n"
	"  { name = \"default/nginx\"; type = \"NodePort\"; clusterIP = \"10.233.54.175\";\n"
	"    ports = ( { name = \"tcp-80\"; port = 79; nodePort = 32594; } );\n"
	"    endpoints = [ \"10.233.74.106:80\", \"10.233.74.107:81\" ]; },\n"
	"  {\n"
	"\tname = \"b\"\n"
	"\tports = ( { port = 8081 },\n"
	"\t\t{ port = 8082, targetPort = /* 8083 */ 9001 } ) // 8084\n"
	"\tempty = {} none = [] nil = ()\n"
	"\tlists = ( ( 11, 12 ), [ 13, 14 ], ( ( { deep = 15 } ) ) )\n"
	"  }, ( { x = \"y\" } )\n"
	");\n"
	"last = \"one\";";

static void test_ordinals(void **state)
{
	_cleanup_(node_tree_freep) struct node_tree *tree = parse_text(complex_text);
	_cleanup_(locations_done) struct locations l = {0};

	(void)state;
	assert_int_equal(locations_scan(complex_text, strlen(complex_text), &l), 0);
	assert_int_equal(l.n, tree->n_ordinals);
	assert_int_equal(assert_places(tree, &l, tree->root, 0), l.n - 1);
	assert_found_in_text(tree, tree->root, complex_text);
}

static void test_node_message(void **state)
{
	_cleanup_(node_tree_freep) struct node_tree *tree = parse_text(complex_text);
	_cleanup_diags_ struct diags d = {0};
	_cleanup_free_ char *message = NULL;
	const struct node *n = tree->root->first->first->next;

	(void)state;
	n = node_get(node_get(n, "ports")->last, "targetPort");
	node_diag(&d, tree, n, DIAG_ERROR, NULL, NULL, "is %s", "wrong");
	assert_int_equal(d.n, 1);
	message = diag_format(&d.items[0]);
	assert_string_equal(message, "x.cfg:9:42: error: services[1].ports[1].targetPort '9001': "
				     "is wrong");
}

/* A long text goes to the library in pieces; nothing of that may be seen in the tree. */
static void test_long_lists(void **state)
{
	static const struct {
		const char *text, *tree;
	} entries[] = {
		{"{ a = 1; b = (1, 2, (3)); }", "{a=1 b=(1 2 (3 ) ) } "},
		{"\"x\" /* , */ \"y\" # ) ;\n", "\"xy\" "},
		{"[1, 2]", "(1 2 ) "},
		{"(\"z\", {})", "(\"z\" {} ) "},
		{"// a comment ahead\n true", "true "},
		{"0", "0 "},
		{"{ services = ( 1.5 ); }", "{services=(~1.5 ) } "},
	};
	static const char *const openings[] = {"services=(", ";\n* /* ( */ : # (\n (", ";x=(",
					       NULL};
	static const char *const opened[] = {"{services=(", "*=(", "x=(", NULL};
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	_cleanup_(locations_done) struct locations l = {0};
	_cleanup_strbuf_ struct strbuf text = {0}, wanted = {0}, dumped = {0};

	(void)state;
	for (size_t list = 0; openings[list] && opened[list]; list++) {
		/* The third is not long enough to be cut in itself. */
		size_t n = list == 2 ? 10 : 20000 + list;

		strbuf_add(&text, openings[list]);
		strbuf_add(&wanted, opened[list]);
		for (size_t i = 0; i < n; i++) {
			size_t k = (i * i + i / 7) % ELEMENTSOF(entries);

			strbuf_add(&text, i ? " , " : "");
			strbuf_add(&text, entries[k].text);
			strbuf_add(&wanted, entries[k].tree);
		}
		strbuf_add(&text, ")");
		strbuf_add(&wanted, ") ");
	}
	strbuf_add(&text, "\nlast = 1; # end");
	strbuf_add(&wanted, "last=1 } ");
	assert_in_range(text.len, 10 * 65536, 100 * 65536);

	tree = parse_text(strbuf_text(&text));
	dump(tree->root, &dumped);
	assert_int_equal(strbuf_error(&wanted), 0);
	assert_true(streq(strbuf_text(&dumped), strbuf_text(&wanted)));
	assert_int_equal(locations_scan(text.data, text.len, &l), 0);
	assert_int_equal(l.n, tree->n_ordinals);
	assert_int_equal(assert_places(tree, &l, tree->root, 0), l.n - 1);
}

/* A number that is too large is found in the conversion: its place is that in the whole text. */
static void test_error_in_later_piece(void **state)
{
	_cleanup_strbuf_ struct strbuf text = {0};
	_cleanup_diags_ struct diags d = {0};
	struct node_tree *tree = NULL;

	(void)state;
	strbuf_add(&text, "a = (\n");
	for (int i = 0; i < 50000; i++)
		strbuf_add(&text, "{ b = 1; },\n");
	strbuf_add(&text, "{ b = 1e999; }\n);\n");
	assert_int_equal(cfg_parse(text.data, text.len, "x.cfg", &tree, &d), -EBADMSG);
	assert_int_equal(d.n, 1);
	assert_string_equal(d.items[0].field, "a[50000].b");
	assert_int_equal(d.items[0].line, 50002);
	assert_int_equal(d.items[0].column, 7);
}

/* All that the scanner takes as nesting, the library and the conversion must stand. */
static void test_depth(void **state)
{
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	_cleanup_strbuf_ struct strbuf b = {0};
	const struct node *n;
	int depth = 0;

	(void)state;
	strbuf_add(&b, "a = ");
	for (int i = 0; i < 32; i++)
		strbuf_add(&b, i % 2 ? "{ b = " : "( ");
	strbuf_add(&b, "1");
	for (int i = 31; i >= 0; i--)
		strbuf_add(&b, i % 2 ? "}" : ")");
	tree = parse_text(strbuf_text(&b));
	for (n = tree->root->first; n->first; n = n->first)
		depth++;
	assert_int_equal(depth, 32);
	assert_int_equal(n->value.integer, 1);
}

static double cpu_seconds(void)
{
	struct timespec t;

	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t), 0);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void add_repeated(struct strbuf *b, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_add(b, text);
}

/* Texts made to be slow: at this size none takes a tenth of a second when the time grows in
 * proportion. */
static void test_hostile_sizes(void **state)
{
	static const struct {
		const char *start, *repeated, *end;
		int result;
	} rows[] = {
		{"a=(", "{b=1},", "0);", 0},
		{"a=[", "1,", "0];", 0},
		{"a=\"", "\\n", "\";", 0},
		{"a=", "\"\" ", ";", 0},
		{"a=\"", "x", "\";", 0},
		{"# ", "#", "\n", 0},
		{"/*", "*", "*/", 0},
		{"", "/**/", "", 0},
		{"", "\r\n", "", 0},
		{"a=(", "{", "", -EBADMSG},
		{"a=(", "(),", "", -EBADMSG},
		{"", "aa=1;", "", -EBADMSG},
		{"a=", "1", ";", -EBADMSG},
		{"", "a", "=1;", 0},
		{"a=\"", "\xc3\xa9", "\xc3\";", -EBADMSG},
		{"a=(", "{b=(1,2),c=\"\",d=1,e=2,f=3,g=4,h=5,i=6,j=7,k=8,l=9,m=10},", "0);", 0},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
		_cleanup_diags_ struct diags d = {0};
		_cleanup_strbuf_ struct strbuf b = {0};
		double start, used;

		strbuf_add(&b, rows[i].start);
		add_repeated(&b, rows[i].repeated, (100u << 10) / strlen(rows[i].repeated));
		strbuf_add(&b, rows[i].end);
		assert_int_equal(strbuf_error(&b), 0);
		start = cpu_seconds();
		assert_int_equal(cfg_parse(b.data, b.len, "x.cfg", &tree, &d), rows[i].result);
		used = cpu_seconds() - start;
		if (used > 3)
			fail_msg("'%s' repeated: %.1f s", rows[i].repeated, used);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	   cmocka_unit_test(test_encodings_accepted),
		cmocka_unit_test(test_refused),	   cmocka_unit_test(test_message),
		cmocka_unit_test(test_ordinals),   cmocka_unit_test(test_node_message),
		cmocka_unit_test(test_long_lists), cmocka_unit_test(test_error_in_later_piece),
		cmocka_unit_test(test_depth),	   cmocka_unit_test(test_hostile_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
