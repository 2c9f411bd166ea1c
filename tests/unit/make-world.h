/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Services and worlds by hand, for tests of what comes after the readers. All functions fail the
 * test rather than return errors; nothing is unused, as each is inline. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/addr.h"
#include "model/view.h"

static inline struct addr make_addr(const char *text)
{
	struct addr a;

	memset(&a, 0xA5, sizeof(a));
	assert_int_equal(addr_parse(text, &a), ADDR_OK);
	return a;
}

static inline struct addr_prefix make_prefix(const char *text)
{
	struct addr_prefix p;

	memset(&p, 0xA5, sizeof(p));
	assert_int_equal(addr_prefix_parse(text, &p), ADDR_OK);
	return p;
}

static inline void replace_text(char **field, const char *text)
{
	free(*field);
	*field = strdup(text);
	assert_non_null(*field);
}

static inline void add_text(struct text_list *l, const char *text)
{
	l->items = realloc(l->items, (l->n + 1) * sizeof(*l->items));
	assert_non_null(l->items);
	l->items[l->n] = strdup(text);
	assert_non_null(l->items[l->n++]);
}

static inline void add_prefix(struct prefix_list *l, const char *text)
{
	l->items = realloc(l->items, (l->n + 1) * sizeof(*l->items));
	assert_non_null(l->items);
	l->items[l->n++] = make_prefix(text);
}

/*
 * An endpoint from a text: "IP:PORT STATE [@NODE] [z=ZONE...] [n=NODE...]". STATE is one of
 * r ready, s serving and terminating, d serving only, t terminating only, n nothing.
 */
static inline struct endpoint make_endpoint(const char *text)
{
	struct endpoint e = {.weight = 1};
	char *copy = strdup(text), *at = copy, *word;

	assert_non_null(copy);
	word = strsep(&at, " ");
	assert_int_equal(addr_port_parse(word, &e.ip, &e.port), ADDR_OK);
	while ((word = strsep(&at, " "))) {
		if (word[0] == '@')
			e.node = strdup(word + 1);
		else if (strncmp(word, "z=", 2) == 0)
			add_text(&e.for_zones, word + 2);
		else if (strncmp(word, "n=", 2) == 0)
			add_text(&e.for_nodes, word + 2);
		else
			switch (word[0]) {
			case 'r':
				e.ready = e.serving = true;
				break;
			case 's':
				e.serving = e.terminating = true;
				break;
			case 'd':
				e.serving = true;
				break;
			case 't':
				e.terminating = true;
				break;
			case 'n':
				break;
			default:
				fail_msg("bad endpoint '%s'", text);
			}
	}
	free(copy);
	return e;
}

static inline int compare_endpoints(const void *a, const void *b)
{
	const struct endpoint *x = a, *y = b;
	char s[ADDR_PORT_TEXT_MAX], t[ADDR_PORT_TEXT_MAX];

	return strcmp(addr_port_format(&x->ip, x->port, s), addr_port_format(&y->ip, y->port, t));
}

static inline void add_endpoint(struct endpoint_list *l, const char *text)
{
	l->items = realloc(l->items, (l->n + 1) * sizeof(*l->items));
	assert_non_null(l->items);
	l->items[l->n++] = make_endpoint(text);
	qsort(l->items, l->n, sizeof(*l->items), compare_endpoints);
}

static inline void endpoint_list_done(struct endpoint_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].node);
		free(l->items[i].zone);
		free(l->items[i].hostname);
		text_list_done(&l->items[i].for_zones);
		text_list_done(&l->items[i].for_nodes);
	}
	free(l->items);
	*l = (struct endpoint_list){0};
}

static inline struct service *make_service(const struct service_def *def)
{
	struct service *s = NULL;

	assert_int_equal(service_new(def, &s), 0);
	assert_non_null(s);
	return s;
}

static inline void give_endpoint(struct service *s, size_t port, const char *text)
{
	int family = text[0] == '[' ? ADDR_IPV6 : ADDR_IPV4;

	add_endpoint(&s->endpoints[port][family], text);
	s->n_endpoints[family]++;
}

/* Default settings for node-1 without pod detection; changed by the test before the world is made.
 */
static inline struct shared_settings *make_settings(void)
{
	struct shared_settings *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->refs = 1;
	assert_int_equal(settings_init(&s->s), 0);
	replace_text(&s->s.node_name, "node-1");
	return s;
}

/* Takes over the caller's references. */
static inline struct world *make_world(struct shared_settings *settings, struct service **services,
				       size_t n)
{
	struct world *w = NULL;

	assert_int_equal(world_new(settings, services, n, NULL, &w), 0);
	for (size_t i = 0; i < n; i++)
		service_unref(services[i]);
	shared_settings_unref(settings);
	return w;
}

/* "ADDRESS%INTERFACE" each; node IPs NULL for none. */
static inline struct local_addrs *make_addrs(const char *const *texts, size_t n,
					     const char *node_ip_v4, const char *node_ip_v6)
{
	struct local_addrs *l = calloc(1, sizeof(*l));
	const char *node_ips[_ADDR_FAMILY_MAX] = {node_ip_v4, node_ip_v6};

	assert_non_null(l);
	l->refs = 1;
	l->items = calloc(n + 1, sizeof(*l->items));
	assert_non_null(l->items);
	for (size_t i = 0; i < n; i++) {
		char *copy = strdup(texts[i]), *at = copy;

		assert_non_null(copy);
		l->items[l->n].addr = make_addr(strsep(&at, "%"));
		strncpy(l->items[l->n++].interface, at, 15);
		free(copy);
	}
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		if (!node_ips[f])
			continue;
		l->has_node_ip[f] = true;
		l->node_ip[f] = make_addr(node_ips[f]);
	}
	local_addrs_sort(l);
	return l;
}
