/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Services and groups of endpoints, from the text to the built service. The input is a file of
 * services.d, and behind a line "%%" one of endpoints.d, whose groups are given to the first
 * service. Besides crashes it looks for refusals without an error and for endpoint lists that break
 * their promises.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/cfg.h"
#include "model/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define check(condition)                                                     \
	do {                                                                 \
		if (!(condition)) {                                          \
			(void)fprintf(stderr, "not true: %s\n", #condition); \
			abort();                                             \
		}                                                            \
	} while (0)

/* Every message must be printable. */
static void check_messages(const struct diags *d)
{
	for (size_t i = 0; i < d->n; i++) {
		_cleanup_free_ char *text = diag_format(&d->items[i]);

		check(text && d->items[i].reason && *d->items[i].reason);
		check(!strchr(text, '\n'));
	}
}

static void read_objects(char *text, size_t size, enum objects_kind kind,
			 const struct settings *settings, struct objects *objects)
{
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	_cleanup_diags_ struct diags d = {0};
	int r;

	if (cfg_parse(text, size, "fuzz.cfg", &tree, &d) < 0)
		return;
	check(d.n_errors == 0);
	r = objects_read(tree, kind, settings, "fuzz.cfg", objects, &d);
	check(r == 0 || r == -EBADMSG);
	check((r == 0) == (d.n_errors == 0));
	check(r == 0 || objects->n_services + objects->n_groups == 0);
	check_messages(&d);
}

/* Ascending by text, each once, with what a rule needs. */
static void check_list(const struct endpoint_list *l, int family, bool has_ports)
{
	char before[ADDR_PORT_TEXT_MAX] = "", text[ADDR_PORT_TEXT_MAX];

	for (size_t i = 0; i < l->n; i++) {
		const struct endpoint *e = &l->items[i];

		check(e->ip.family == family);
		check(e->port > 0 || !has_ports);
		check(e->for_zones.n <= 8 && e->for_nodes.n <= 8);
		check(strcmp(before, addr_port_format(&e->ip, e->port, text)) < 0);
		memcpy(before, text, sizeof(before));
	}
}

static void check_service(const struct service *s)
{
	size_t n[_ADDR_FAMILY_MAX] = {0};
	char name[SERVICE_PORT_NAME_MAX];

	for (size_t i = 0; i < service_n_lists(s); i++) {
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			check_list(&s->endpoints[i][f], f, s->def->n_ports > 0);
			n[f] += s->endpoints[i][f].n;
		}
		if (s->def->n_ports > 0)
			check(strlen(service_port_name(s, i, name)) <= 191);
	}
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		check(s->n_endpoints[f] == n[f]);
	check(s->def->headless || s->def->type == SVC_EXTERNAL_NAME ||
	      s->def->has_cluster_ip[s->def->primary_family]);
}

static void build(const struct service_def *def, const struct objects *groups)
{
	_cleanup_(service_unrefp) struct service *s = NULL, *again = NULL;
	_cleanup_diags_ struct diags d = {0}, same = {0};
	int r;

	r = service_build(def, groups->groups, groups->n_groups, &s, &d);
	check(r == 0 || r == -EBADMSG);
	check((r == 0) == (d.n_errors == 0));
	check_messages(&d);
	if (r < 0)
		return;
	check_service(s);
	check(service_build(def, groups->groups, groups->n_groups, &again, &same) == 0);
	check(service_equal(s, again) && d.n == same.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char mark[] = "\n%%\n";
	_cleanup_settings_ struct settings settings;
	_cleanup_objects_ struct objects services = {0}, groups = {0};
	static const struct objects none;
	_cleanup_free_ char *text = NULL, *second = NULL;
	const char *cut;
	size_t first;

	check(settings_init(&settings) == 0);
	cut = memmem(data, size, mark, strlen(mark));
	first = cut ? (size_t)(cut - (const char *)data) : size;
	text = strndup((const char *)data, first);
	second = cut ? strndup(cut + strlen(mark), size - first - strlen(mark)) : strdup("");
	check(text && second);
	read_objects(text, strlen(text), OBJECTS_SERVICES, &settings, &services);
	read_objects(second, strlen(second), OBJECTS_ENDPOINTS, &settings, &groups);
	for (size_t i = 0; i < services.n_services; i++)
		build(services.services[i], i == 0 ? &groups : &none);
	return 0;
}
