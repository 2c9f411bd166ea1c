/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/node.h"

/* cmocka's asserts return as far as the compiler knows; abort() does not. */
static struct node *need(struct node *n)
{
	if (!n)
		abort();
	return n;
}

static struct node_tree *new_tree(const char *file)
{
	struct node_tree *t = NULL;

	if (node_tree_new(file, &t) < 0)
		abort();
	return t;
}

static struct node *get(const struct node *n, const char *key)
{
	return need(node_get(n, key));
}

static void check_path(const struct node *n, const char *path)
{
	_cleanup_strbuf_ struct strbuf b = {0};

	node_path(n, &b);
	assert_int_equal(strbuf_error(&b), 0);
	assert_string_equal(strbuf_text(&b), path);
}

/* services = ( { name = "a"; ports = ( { port = 80; }, { port = 81; nodePort = 99; } ); } ); */
static struct node_tree *make_services(void)
{
	struct node_tree *t = new_tree("a.cfg");
	struct node *root = need(node_add(t, NULL, NODE_GROUP, NULL));
	struct node *services = need(node_add(t, root, NODE_LIST, "services"));
	struct node *service = need(node_add(t, services, NODE_GROUP, NULL));
	struct node *ports, *port;

	need(node_add_string(t, service, "name", "a"));
	ports = need(node_add(t, service, NODE_LIST, "ports"));
	port = need(node_add(t, ports, NODE_GROUP, NULL));
	need(node_add_int(t, port, "port", 80));
	port = need(node_add(t, ports, NODE_GROUP, NULL));
	need(node_add_int(t, port, "port", 81));
	need(node_add_int(t, port, "nodePort", 99));
	return t;
}

static void test_build(void **state)
{
	_cleanup_(node_tree_freep) struct node_tree *t = make_services();
	struct node *service, *ports;

	(void)state;
	assert_string_equal(t->file, "a.cfg");
	assert_int_equal(t->root->type, NODE_GROUP);
	assert_null(t->root->parent);
	assert_int_equal(t->n_ordinals, 10);

	service = get(t->root, "services")->first;
	assert_int_equal(service->n_children, 2);
	assert_int_equal(service->ordinal, 2);
	assert_string_equal(get(service, "name")->value.string, "a");
	ports = get(service, "ports");
	assert_int_equal(ports->n_children, 2);
	assert_ptr_equal(ports->first->next, ports->last);
	assert_null(ports->last->next);
	assert_int_equal(ports->first->index, 0);
	assert_int_equal(ports->last->index, 1);
	assert_ptr_equal(ports->last->parent, ports);
	assert_int_equal(get(ports->last, "nodePort")->value.integer, 99);
	assert_int_equal(get(ports->last, "nodePort")->ordinal, 9);

	assert_null(node_get(service, "nam"));
	assert_null(node_get(service, "Name"));
	assert_null(node_get(ports, "port")); /* a list has no keys */
	assert_null(node_get(get(service, "name"), "a"));
}

static void test_tree(void **state)
{
	char file[] = "name";
	struct node_tree *t = new_tree(file);

	(void)state;
	file[0] = '?';
	assert_string_equal(t->file, "name");
	assert_null(t->root);
	assert_null(node_tree_free(t));
	assert_null(node_tree_free(NULL));
	t = new_tree(NULL);
	assert_null(t->file);
	node_tree_free(t);
}

static void test_path(void **state)
{
	_cleanup_(node_tree_freep) struct node_tree *t = make_services();
	struct node *services = get(t->root, "services");
	struct node *ports = get(services->first, "ports");
	struct node *n, *inner;

	(void)state;
	check_path(t->root, "");
	check_path(services, "services");
	check_path(services->first, "services[0]");
	check_path(get(services->first, "name"), "services[0].name");
	check_path(get(ports->last, "nodePort"), "services[0].ports[1].nodePort");

	/* a list in a list */
	n = need(node_add(t, ports, NODE_LIST, NULL));
	inner = need(node_add(t, n, NODE_LIST, NULL));
	inner = need(node_add_bool(t, inner, NULL, true));
	check_path(inner, "services[0].ports[2][0][0]");

	/* keys that are no identifiers */
	n = need(node_add(t, t->root, NODE_GROUP, "annotations"));
	check_path(need(node_add_bool(t, n, "a.b/c", true)), "annotations[a.b/c]");
	check_path(need(node_add_bool(t, n, "", true)), "annotations[]");
	check_path(need(node_add_bool(t, n, "a\nb", true)), "annotations[a\\x0ab]");
	check_path(need(node_add_bool(t, t->root, "x y", true)), "[x y]");
	check_path(need(node_add_bool(t, t->root, "with-minus_1", true)), "with-minus_1");
}

static void test_path_of_origin(void **state)
{
	_cleanup_(node_tree_freep) struct node_tree *ours = make_services();
	_cleanup_(node_tree_freep) struct node_tree *theirs = new_tree("a.yaml");
	struct node *root = need(node_add(theirs, NULL, NODE_GROUP, NULL));
	struct node *spec = need(node_add(theirs, root, NODE_GROUP, "spec"));
	struct node *ports = need(node_add(theirs, spec, NODE_LIST, "ports"));
	struct node *port = need(node_add(theirs, ports, NODE_GROUP, NULL));
	struct node *node_port = need(node_add_int(theirs, port, "nodePort", 99));
	struct node *service = get(ours->root, "services")->first;
	struct node *our_port = get(service, "ports")->last;

	(void)state;
	get(our_port, "nodePort")->origin = node_port;
	check_path(get(our_port, "nodePort"), "spec.ports[0].nodePort");
	check_path(get(our_port, "port"), "services[0].ports[1].port");
	/* the origin of a parent serves for children that have none */
	our_port->origin = port;
	check_path(get(our_port, "port"), "spec.ports[0].port");
	service->origin = root;
	check_path(get(service, "name"), "name");
	/* an origin with an origin */
	node_port->origin = spec;
	check_path(get(our_port, "nodePort"), "spec");
}

static void test_value_text(void **state)
{
	_cleanup_(node_tree_freep) struct node_tree *t = new_tree("x");
	struct node *root = need(node_add(t, NULL, NODE_GROUP, NULL));
	static const struct {
		enum node_type type;
		int64_t integer;
		double number;
		const char *string;
		const char *text;
	} rows[] = {
		{.type = NODE_NULL, .text = "null"},
		{.type = NODE_BOOL, .integer = 1, .text = "true"},
		{.type = NODE_BOOL, .integer = 0, .text = "false"},
		{.type = NODE_INT, .integer = 0, .text = "0"},
		{.type = NODE_INT, .integer = INT64_MIN, .text = "-9223372036854775808"},
		{.type = NODE_INT, .integer = INT64_MAX, .text = "9223372036854775807"},
		{.type = NODE_FLOAT, .number = 0.1, .text = "0.1"},
		{.type = NODE_FLOAT, .number = -2.5, .text = "-2.5"},
		{.type = NODE_FLOAT, .number = 1e300, .text = "1e+300"},
		{.type = NODE_STRING, .string = "", .text = ""},
		{.type = NODE_STRING, .string = "a'b\n", .text = "a'b\n"},
		{.type = NODE_LIST, .text = ""},
		{.type = NODE_GROUP, .text = ""},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_strbuf_ struct strbuf b = {0};
		struct node *n = need(node_add(t, root, rows[i].type, "x"));

		if (n->type == NODE_BOOL)
			n->value.boolean = rows[i].integer;
		else if (n->type == NODE_INT)
			n->value.integer = rows[i].integer;
		else if (n->type == NODE_FLOAT)
			n->value.number = rows[i].number;
		else if (n->type == NODE_STRING)
			n->value.string = rows[i].string;
		node_value_text(n, &b);
		assert_string_equal(strbuf_text(&b), rows[i].text);
	}
}

/* Knows the place of every second value. */
static void locate(struct node_tree *tree, const struct node *n, struct place *at)
{
	unsigned *n_calls = tree->locate_data;

	++*n_calls;
	if (n->ordinal % 2 == 0) {
		at->line = (int)n->ordinal + 100;
		at->column = 7;
	}
}

static void test_place(void **state)
{
	_cleanup_(node_tree_freep) struct node_tree *t = make_services();
	_cleanup_(node_tree_freep) struct node_tree *theirs = new_tree("a.yaml");
	struct node *service = get(t->root, "services")->first;
	struct node *name = get(service, "name");
	struct node *origin = need(node_add(theirs, NULL, NODE_GROUP, NULL));
	unsigned n_calls = 0;
	struct place at;

	(void)state;
	/* nothing is known */
	memset(&at, 0xa5, sizeof(at));
	node_place(t, name, &at);
	assert_string_equal(at.file, "a.cfg");
	assert_int_equal(at.line, 0);
	assert_int_equal(at.column, 0);

	/* only the service has a place: it serves for what is in it */
	service->line = 4;
	service->column = 2;
	node_place(t, name, &at);
	assert_int_equal(at.line, 4);
	assert_int_equal(at.column, 2);

	/* its own is better */
	name->line = 5;
	node_place(t, name, &at);
	assert_int_equal(at.line, 5);
	assert_int_equal(at.column, 0);

	/* the tree is asked only for what the node lacks */
	t->locate = locate;
	t->locate_data = &n_calls;
	node_place(t, service, &at);
	assert_int_equal(n_calls, 0);
	assert_int_equal(at.line, 4);
	node_place(t, get(service, "ports"), &at);
	assert_int_equal(n_calls, 1);
	assert_int_equal(at.line, 104);
	assert_int_equal(at.column, 7);
	node_place(t, name, &at); /* a line, but no column; the locator does not know it */
	assert_int_equal(n_calls, 2);
	assert_int_equal(at.line, 5);

	/* of the origin */
	t->locate = NULL;
	origin->line = 77;
	origin->column = 3;
	name->origin = origin;
	node_place(t, name, &at);
	assert_int_equal(at.line, 77);
	assert_int_equal(at.column, 3);
}

static void test_diag(void **state)
{
	_cleanup_(node_tree_freep) struct node_tree *t = make_services();
	_cleanup_diags_ struct diags d = {0};
	struct node *service = get(t->root, "services")->first;
	struct node *port = get(get(service, "ports")->last, "nodePort");
	static const char *const texts[] = {
		"a.cfg:9:3: error: services[0].ports[1].nodePort '99': must lie in 30000-32767",
		"a.cfg: warning: services[0].ports: has 2 items (hint)",
		"a.cfg: notice: is odd",
		"a.cfg: error: services[0].name '': must not be empty",
	};

	(void)state;
	port->line = 9;
	port->column = 3;
	node_diag(&d, t, port, DIAG_ERROR, "default/a", NULL, "must lie in %d-%d", 30000, 32767);
	node_diag(&d, t, get(service, "ports"), DIAG_WARNING, NULL, "hint", "has %d items", 2);
	node_diag(&d, t, t->root, DIAG_NOTICE, NULL, NULL, "is odd");
	get(service, "name")->value.string = "";
	node_diag(&d, t, get(service, "name"), DIAG_ERROR, NULL, NULL, "must not be empty");
	assert_int_equal(d.n, ELEMENTSOF(texts));
	assert_string_equal(d.items[0].object, "default/a");
	assert_null(d.items[1].value); /* a list has none */
	assert_null(d.items[2].field);
	for (size_t i = 0; i < d.n; i++) {
		_cleanup_free_ char *text = diag_format(&d.items[i]);

		assert_string_equal(text, texts[i]);
	}
	assert_int_equal(diags_result(&d), -EBADMSG);
}

static void test_type_text(void **state)
{
	(void)state;
	for (int i = 0; i < _NODE_TYPE_MAX; i++)
		assert_true(strlen(node_type_text((enum node_type)i)) > 2);
	assert_string_equal(node_type_text(NODE_INT), "a number");
	assert_string_equal(node_type_text(NODE_STRING), "a string");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build),	   cmocka_unit_test(test_tree),
		cmocka_unit_test(test_path),	   cmocka_unit_test(test_path_of_origin),
		cmocka_unit_test(test_value_text), cmocka_unit_test(test_place),
		cmocka_unit_test(test_diag),	   cmocka_unit_test(test_type_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
