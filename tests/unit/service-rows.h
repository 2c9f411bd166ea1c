/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Rows of services, with all that is told of them: for the tests of model/read-*.c. */
#include "make-tree.h"

#include <errno.h>

#include "model/read.h"

/* Beginnings and parts of many rows. */
#define N "name = \"web\"; "
#define T "name = \"web\"; type = \"NodePort\"; "
#define L "name = \"web\"; type = \"LoadBalancer\"; "
#define C "clusterIP = \"10.96.0.10\"; "
#define P "ports = ({ port = 80; }); "
#define LP "ports = ({ port = 80; nodePort = 30080; }); "

struct text_row {
	const char *body; /* between the braces of the object */
	const char *said; /* the messages without file, line and column, one a line */
};

/* One object in a file of its kind. The result must fit the messages; after an error the outputs
 * must be what they were. */
static inline void check_row(const struct text_row *row, enum objects_kind kind,
			     const struct settings *settings)
{
	struct service_def *const poisoned_service = (void *)0xA5A5;
	struct endpoint_group *const poisoned_group = (void *)0xA5A5;
	bool is_services = kind == OBJECTS_SERVICES;
	_cleanup_strbuf_ struct strbuf text = {0};
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	_cleanup_objects_ struct objects objects = {0};
	_cleanup_diags_ struct diags d = {0}, again = {0};
	_cleanup_free_ char *said = NULL, *said_again = NULL;
	int expected = strstr(row->said, "error: ") ? -EBADMSG : 0;
	const struct node *n;

	strbuf_addf(&text, "%s = ({ %s });", is_services ? "services" : "endpoints", row->body);
	tree = make_tree(strbuf_text(&text));
	/* One error that was there before must not count. */
	diags_add(&d, DIAG_ERROR, NULL, NULL, NULL, NULL, NULL, "old");
	assert_int_equal(objects_read(tree, kind, settings, "file", &objects, &d), expected);
	said = messages_text(&d);
	assert_memory_equal(said, "error: old\n", 11);
	if (!streq(said + 11, row->said))
		fail_msg("{ %s } says\n%snot\n%s", row->body, said + 11, row->said);
	assert_int_equal(objects.n_services + objects.n_groups, expected == 0);

	n = tree->root->first->first;
	if (is_services) {
		struct service_def *s = poisoned_service;

		assert_int_equal(service_def_read(tree, n, settings, "file", &s, &again), expected);
		if (expected == 0)
			service_def_free(s);
		else
			assert_ptr_equal(s, poisoned_service);
	} else {
		struct endpoint_group *g = poisoned_group;

		assert_int_equal(endpoint_group_read(tree, n, settings, "file", &g, &again),
				 expected);
		if (expected == 0)
			endpoint_group_free(g);
		else
			assert_ptr_equal(g, poisoned_group);
	}
	said_again = messages_text(&again);
	assert_string_equal(said_again, row->said);
}

static inline void check_rows_of(const struct text_row *rows, size_t n, enum objects_kind kind)
{
	_cleanup_settings_ struct settings settings;

	assert_int_equal(settings_init(&settings), 0);
	for (size_t i = 0; i < n; i++)
		check_row(&rows[i], kind, &settings);
}

#define check_services(rows) check_rows_of((rows), ELEMENTSOF(rows), OBJECTS_SERVICES)
#define check_groups(rows) check_rows_of((rows), ELEMENTSOF(rows), OBJECTS_ENDPOINTS)

/* A service that must be good, without a message other than notices and warnings. */
static inline struct service_def *make_service(const char *body, const struct settings *settings)
{
	_cleanup_strbuf_ struct strbuf text = {0};
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	_cleanup_diags_ struct diags d = {0};
	_cleanup_free_ char *said = NULL;
	struct service_def *s = NULL;

	strbuf_addf(&text, "services = ({ %s });", body);
	tree = make_tree(strbuf_text(&text));
	if (service_def_read(tree, tree->root->first->first, settings, "file", &s, &d) < 0) {
		said = messages_text(&d);
		fail_msg("{ %s } says %s", body, said);
	}
	return s;
}

static inline struct endpoint_group *make_group(const char *body, const struct settings *settings)
{
	_cleanup_strbuf_ struct strbuf text = {0};
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	_cleanup_diags_ struct diags d = {0};
	_cleanup_free_ char *said = NULL;
	struct endpoint_group *g = NULL;

	strbuf_addf(&text, "endpoints = ({ %s });", body);
	tree = make_tree(strbuf_text(&text));
	if (endpoint_group_read(tree, tree->root->first->first, settings, "file", &g, &d) < 0) {
		said = messages_text(&d);
		fail_msg("{ %s } says %s", body, said);
	}
	return g;
}
