/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service-rows.h"

/* Whole files: the list, and nothing beside it. */
static void test_files(void **state)
{
	static const struct {
		enum objects_kind kind;
		const char *text;
		int result;
		size_t n;
		const char *said;
	} rows[] = {
		{OBJECTS_SERVICES, "", 0, 0, ""},
		{OBJECTS_ENDPOINTS, "", 0, 0, ""},
		{OBJECTS_SERVICES, "services = ();", 0, 0, ""},
		{OBJECTS_SERVICES, "services = ({ " N C P "}, { name = \"b\"; " C P "});", 0, 2,
		 ""},
		{OBJECTS_ENDPOINTS, "endpoints = ({ service = \"a\"; endpoints = (); })", 0, 1, ""},
		{OBJECTS_SERVICES, "services = { " N C P "};", -EBADMSG, 0,
		 "error: services: must be a list, not a group (a list is written in parentheses "
		 "or brackets)\n"},
		{OBJECTS_SERVICES, "services = 5;", -EBADMSG, 0,
		 "error: services '5': must be a list, not a number (a list is written in "
		 "parentheses or brackets)\n"},
		{OBJECTS_SERVICES, "services = (5);", -EBADMSG, 0,
		 "error: services[0] '5': must be a group, not a number (a group is written in "
		 "braces)\n"},
		{OBJECTS_SERVICES, "service = ();", -EBADMSG, 0,
		 "error: service: unknown key (did you mean 'services'?)\n"},
		{OBJECTS_SERVICES, "services = (); other = 1;", -EBADMSG, 0,
		 "error: other '1': unknown key\n"},
		{OBJECTS_SERVICES, "endpoints = ();", -EBADMSG, 0,
		 "error: endpoints: does not belong into a file of services.d (move it to "
		 "endpoints.d, or into its service)\n"},
		{OBJECTS_ENDPOINTS, "services = ();", -EBADMSG, 0,
		 "error: services: does not belong into a file of endpoints.d (move it to "
		 "services.d)\n"},
		{OBJECTS_ENDPOINTS, "endpoints = (1, { }, { service = \"a\"; endpoints = (2); });",
		 -EBADMSG, 0,
		 "error: endpoints[0] '1': must be a group, not a number (a group is written in "
		 "braces)\n"
		 "error: endpoints[1].service: must be set to the name of a service (add its name, "
		 "such as \"default/web\")\n"
		 "notice: endpoints[1].endpoints: is not set: the group has no endpoints\n"
		 "error: endpoints[2].endpoints[0] '2': must be \"ip:port\" or a group, not a "
		 "number (write \"10.0.0.1:80\" or { address = \"10.0.0.1\"; })\n"},
		/* The second one is told, too, and the good one between them is not kept. */
		{OBJECTS_SERVICES,
		 "services = ({ name = \"A\"; " C P "}, { " N C P "}, { name = \"B\"; " C P "});",
		 -EBADMSG, 0,
		 "error: services[0].name 'A': the name must be 1 to 63 of a-z, 0-9 and '-', with "
		 "no '-' at its ends (did you mean 'a'?)\n"
		 "error: services[2].name 'B': the name must be 1 to 63 of a-z, 0-9 and '-', with "
		 "no '-' at its ends (did you mean 'b'?)\n"},
	};
	_cleanup_settings_ struct settings settings;

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_(node_tree_freep) struct node_tree *tree = make_tree(rows[i].text);
		_cleanup_objects_ struct objects o = {0};
		_cleanup_diags_ struct diags d = {0};
		_cleanup_free_ char *said = NULL;

		assert_int_equal(objects_read(tree, rows[i].kind, &settings, "file", &o, &d),
				 rows[i].result);
		said = messages_text(&d);
		assert_string_equal(said, rows[i].said);
		if (rows[i].kind == OBJECTS_SERVICES) {
			assert_int_equal(o.n_services, rows[i].n);
			assert_int_equal(o.n_groups, 0);
		} else {
			assert_int_equal(o.n_groups, rows[i].n);
			assert_int_equal(o.n_services, 0);
		}
	}
}

/* Several files into one list; a bad one changes nothing. */
static void test_adds(void **state)
{
	_cleanup_settings_ struct settings settings;
	_cleanup_objects_ struct objects o = {0};
	_cleanup_diags_ struct diags d = {0};
	static const char *const texts[] = {
		"services = ({ name = \"a\"; " C P "}, { name = \"b\"; " C P "});",
		"services = ({ name = \"x\"; " C P "}, { name = \"y\"; });",
		"services = ({ name = \"c\"; " C P "}, { name = \"d\"; " C P
		"}, { name = \"e\"; " C P "});",
	};

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
		_cleanup_(node_tree_freep) struct node_tree *tree = make_tree(texts[i]);

		assert_int_equal(objects_read(tree, OBJECTS_SERVICES, &settings, "file", &o, &d),
				 i == 1 ? -EBADMSG : 0);
	}
	assert_int_equal(o.n_services, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(o.services[i]->key[8], "abcde"[i]);
		assert_int_equal(o.services[i]->position, i < 2 ? i : i - 2);
	}
}

/* A tree without a root is an empty file; places and objects are in the messages. */
static void test_places(void **state)
{
	_cleanup_settings_ struct settings settings;
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL, *empty = NULL;
	_cleanup_objects_ struct objects o = {0};
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	assert_int_equal(node_tree_new("empty.cfg", &empty), 0);
	assert_int_equal(objects_read(empty, OBJECTS_SERVICES, &settings, "file", &o, &d), 0);

	tree = make_tree("services = (\n  { name = \"a/b\"; " C "\n    ports = ({ port = 0; },\n"
			 "  { name = 1; }); },\n { type = \"x\"; } )");
	assert_int_equal(objects_read(tree, OBJECTS_SERVICES, &settings, "file", &o, &d), -EBADMSG);
	assert_true(d.n >= 2);
	assert_string_equal(d.items[0].file, "test.cfg");
	assert_int_equal(d.items[0].line, 3);
	assert_int_equal(d.items[0].column, 23);
	assert_string_equal(d.items[0].object, "a/b");
	assert_string_equal(d.items[0].value, "0");
	/* Of a key that is missing: the place of its group. */
	assert_string_equal(d.items[d.n - 2].field, "services[1].name");
	assert_int_equal(d.items[d.n - 2].line, 5);
	assert_int_equal(d.items[d.n - 2].column, 2);
	/* The object before must not be named. */
	assert_null(d.items[d.n - 2].object);
	assert_null(d.items[d.n - 1].object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_adds),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
