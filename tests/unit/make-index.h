/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* An index, files that are put into it as text, and what it says of them. */

#include "make-tree.h"
#include "make-world.h"

#include <errno.h>
#include <stdio.h>

#include "model/index.h"

/* The index with the files that are in it, and what may only be freed later. */
struct bench {
	struct index *x;
	struct shared_settings *settings;
	struct world *world;
	struct index_clashes clashes;
	struct held {
		const char *file;
		struct objects objects;
	} held[16];
	struct objects old[64];
	size_t n_old;
};

static inline void set_up(struct bench *b)
{
	*b = (struct bench){.settings = make_settings()};
	assert_int_equal(index_new(&b->x), 0);
	assert_non_null(b->x);
}

static inline void tear_down(struct bench *b)
{
	index_free(b->x);
	world_unref(b->world);
	index_clashes_done(&b->clashes);
	for (size_t i = 0; i < ELEMENTSOF(b->held); i++)
		objects_done(&b->held[i].objects);
	for (size_t i = 0; i < b->n_old; i++)
		objects_done(&b->old[i]);
	shared_settings_unref(b->settings);
}

static inline struct held *held_of(struct bench *b, const char *file)
{
	for (size_t i = 0; i < ELEMENTSOF(b->held); i++)
		if (b->held[i].file && streq(b->held[i].file, file))
			return &b->held[i];
	return NULL;
}

static inline void forget(struct bench *b, struct held *h)
{
	assert_true(b->n_old < ELEMENTSOF(b->old));
	b->old[b->n_old++] = h->objects;
	*h = (struct held){0};
}

/* Names that start with 1 are files of services, with 2 of endpoints; text NULL takes the file
 * out. */
static inline void put(struct bench *b, const char *file, const char *text)
{
	struct held *h = held_of(b, file);
	struct objects objects = {0};
	struct diags d = {0};
	struct node_tree *tree;

	if (!text) {
		assert_int_equal(index_remove_file(b->x, file), 0);
		if (h)
			forget(b, h);
		return;
	}
	tree = make_tree(text);
	if (objects_read(tree, file[0] == '1' ? OBJECTS_SERVICES : OBJECTS_ENDPOINTS,
			 &b->settings->s, file, &objects, &d) < 0)
		fail_msg("%s: %s", text, messages_text(&d));
	node_tree_free(tree);
	diags_done(&d);
	assert_int_equal(index_put_file(b->x, file, &objects), 0);
	if (h)
		forget(b, h);
	for (h = b->held; h->file; h++)
		assert_true(h + 1 < b->held + ELEMENTSOF(b->held));
	*h = (struct held){file, objects};
}

/* The number of clashes; with none b->world is new. */
static inline size_t update(struct bench *b)
{
	struct world *world = (struct world *)0x1;

	index_clashes_done(&b->clashes);
	memset(&b->clashes, 0xA5, sizeof(b->clashes)); /* set whatever the outcome */
	assert_int_equal(index_update(b->x, b->settings, &b->clashes, &world), 0);
	if (b->clashes.n) {
		assert_ptr_equal(world, (struct world *)0x1);
		return b->clashes.n;
	}
	assert_ptr_not_equal(world, (struct world *)0x1);
	world_unref(b->world);
	b->world = world;
	for (size_t i = 0; i < b->n_old; i++)
		objects_done(&b->old[i]);
	b->n_old = 0;
	return 0;
}

/* One message as "FILE: error: ...", without line and column. */
static inline void assert_message(const struct diags *d, const char *expected)
{
	struct diag m;
	char *text;

	assert_int_equal(d->error, 0);
	assert_int_equal(d->n, 1);
	m = d->items[0];
	assert_true(m.line > 0);
	m.line = 0;
	text = diag_format(&m);
	assert_string_equal(text, expected);
	free(text);
}

static inline void assert_services(const struct bench *b, const char *expected)
{
	struct strbuf s = {0};

	for (size_t i = 0; i < b->world->n_services; i++)
		strbuf_addf(&s, "%s%s", i ? " " : "", b->world->services[i]->key);
	assert_string_equal(strbuf_text(&s), expected);
	strbuf_done(&s);
}

static inline void assert_problems(const struct bench *b, const char *expected)
{
	struct diags d = {0};
	char *text;

	index_problems(b->x, &d);
	diags_sort(&d);
	text = messages_text(&d);
	assert_string_equal(text ? text : "", expected);
	free(text);
	diags_done(&d);
}

#define SERVICE(name, rest) "services=({name=\"" name "\";" rest "});"
#define IP(ip) "clusterIP=\"" ip "\";"
#define PORT "ports=({port=80;});"
#define NODE(number) "type=\"NodePort\";ports=({port=80;nodePort=" number ";});"
#define LB(ip) "type=\"LoadBalancer\";" PORT "loadBalancerIPs=[\"" ip "\"];"
#define HEALTH(number)                              \
	"type=\"LoadBalancer\";ports=({port=81;});" \
	"externalTrafficPolicy=\"Local\";healthCheckNodePort=" number ";"

static inline char *service_text(const char *name, const char *rest)
{
	char *text;

	assert_true(asprintf(&text, "services=({name=\"%s\";%s});", name, rest) > 0);
	return text;
}

/* What index_problems() says, a line each, with places. */
static inline char *problems_text(const struct bench *b)
{
	struct diags d = {0};
	struct strbuf s = {0};

	index_problems(b->x, &d);
	diags_sort(&d);
	for (size_t i = 0; i < d.n; i++) {
		char *text = diag_format(&d.items[i]);

		strbuf_addf(&s, "%s%s", i ? "\n" : "", text);
		free(text);
	}
	assert_int_equal(d.error, 0);
	diags_done(&d);
	return s.len ? strbuf_take(&s) : strdup("");
}
