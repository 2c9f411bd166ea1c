/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* A scratch tree with a config that reads it, for the tests of config/config.c. */

#include "make-root.h"

#include <time.h>

#include "config/config.h"

/* A configuration of a scratch root, and the newest world of it. */
struct bench {
	struct root root;
	struct config *config;
	struct world *world;
};

static inline struct config *new_config(const struct root *r)
{
	const struct config_places places = {.root = r->path};
	struct config *c = NULL;

	assert_int_equal(config_new(&places, &c), 0);
	assert_non_null(c);
	return c;
}

static inline void set_up(struct bench *b)
{
	*b = (struct bench){0};
	root_make(&b->root);
	b->config = new_config(&b->root);
}

static inline void tear_down(struct bench *b)
{
	config_free(b->config);
	world_unref(b->world);
	root_remove(&b->root);
}

static inline void put(const struct bench *b, const char *path, const char *text)
{
	root_write(&b->root, path, text);
}

static inline void take(const struct bench *b, const char *path)
{
	root_unlink(&b->root, path);
}

static inline void look(struct bench *b)
{
	struct world *w = (struct world *)0x1;

	assert_int_equal(config_refresh(b->config, NULL, 0, &w), 0);
	assert_ptr_not_equal(w, (struct world *)0x1);
	world_unref(b->world);
	b->world = w;
}

/* A refresh that gives no world. */
static inline void look_in_vain(struct bench *b, int error)
{
	struct world *w = (struct world *)0x1;

	assert_int_equal(config_refresh(b->config, NULL, 0, &w), error);
	assert_ptr_equal(w, (struct world *)0x1);
}

static inline void look_at(struct bench *b, enum config_kind kind, const char *name)
{
	struct config_change change = {.kind = kind};
	struct world *w = NULL;

	(void)snprintf(change.name, sizeof(change.name), "%s", name);
	assert_int_equal(config_refresh(b->config, &change, 1, &w), 0);
	assert_non_null(w);
	world_unref(b->world);
	b->world = w;
}

/* "default/a:30001 b/c": the services, with the node port of the first port. */
static inline char *services_text(const struct world *w)
{
	struct strbuf s = {0};

	for (size_t i = 0; i < w->n_services; i++) {
		const struct service_def *d = w->services[i]->def;
		const char *key = strncmp(d->key, "default/", 8) == 0 ? d->key + 8 : d->key;

		strbuf_addf(&s, "%s%s", i ? " " : "", key);
		if (d->n_ports && d->ports[0].node_port)
			strbuf_addf(&s, ":%u", d->ports[0].node_port);
		if (w->services[i]->n_endpoints[ADDR_IPV4])
			strbuf_addf(&s, "*%zu", w->services[i]->n_endpoints[ADDR_IPV4]);
	}
	if (!s.len)
		strbuf_add(&s, "-");
	return strbuf_take(&s);
}

static inline void assert_services(const struct bench *b, const char *expected, size_t n_refused)
{
	_cleanup_free_ char *text = services_text(b->world);

	assert_string_equal(text, expected);
	assert_int_equal(config_n_refused(b->config), n_refused);
}

/* All messages, one a line, without the root in front. */
static inline char *problems_text(const struct config *c, const struct root *root)
{
	const struct diags *d = config_problems(c);
	struct strbuf s = {0};

	assert_int_equal(d->error, 0);
	for (size_t i = 0; i < d->n; i++) {
		char *text = diag_format(&d->items[i]), *at;

		assert_non_null(text);
		while ((at = strstr(text, root->path)))
			memmove(at, at + strlen(root->path), strlen(at + strlen(root->path)) + 1);
		strbuf_addf(&s, "%s\n", text);
		free(text);
	}
	strbuf_add_char(&s, '.');
	return strbuf_take(&s);
}

static inline void assert_problems(const struct bench *b, const char *expected)
{
	_cleanup_free_ char *text = problems_text(b->config, &b->root);

	text[strlen(text) - 1] = '\0';
	assert_string_equal(text, expected);
}

#define D "etc/svcroute/services.d/"
#define E "etc/svcroute/endpoints.d/"
#define S "etc/svcroute/svcroute.conf"
#define SD "etc/svcroute/svcroute.conf.d/"
#define SERVICE(name, ip, port)                                                       \
	"services=({name=\"" name "\";clusterIP=\"10.0.0." ip "\";type=\"NodePort\";" \
	"ports=({port=80;nodePort=" port ";});});\n"
#define TWO_PORTS(name, ip)                                         \
	"services=({name=\"" name "\";clusterIP=\"10.0.0." ip "\";" \
	"ports=({name=\"a\";port=80;},{name=\"b\";port=81;});});\n"
#define ENDPOINT(name, address) \
	"endpoints=({service=\"" name "\";endpoints=[\"10.1.0." address "\"];});\n"
#define CLASH(file, value, name, other)                                                       \
	"/" file ":1:83: error: services[0].ports[0].nodePort '" value                        \
	"/TCP': is also claimed by service 'default/" name "' (ports[0].nodePort) at /" other \
	":1:83 (a node port, with its protocol, belongs to one "                              \
	"service)\n"
