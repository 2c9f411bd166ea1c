/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/reader.h"

#define HINTS_MAX 8 /* E17, E18 */

/* The address at a node, with all that is asked of the address of an endpoint (E7, E8). */
static void check_address(struct reader *r, const struct node *n, const char *written,
			  const struct addr *a)
{
	char text[ADDR_TEXT_MAX];

	(void)reader_address_usable(r, n, a, ADDR_KINDS_UNUSABLE, CHECK_E7_KIND);
	if (a->family == ADDR_IPV6 && written && !streq(addr_format(a, text), written))
		reader_tell(r, n, CHECK_E8_SPELLING, text);
}

/* "ip", "ip:port", "[ip]:port" */
static void read_text(struct reader *r, const struct node *n, struct endpoint_def *e)
{
	const char *text = n->value.string;
	enum addr_reason reason;
	const char *colon = strchr(text, ':');

	/* One colon is that of a port; an IPv6 address has more, and brackets around it if a port
	 * follows. */
	if (text[0] == '[' || (colon && !strchr(colon + 1, ':')))
		reason = addr_port_parse(text, &e->ip, &e->port);
	else
		reason = addr_parse(text, &e->ip);
	if (reason == ADDR_OK)
		check_address(r, n, e->port ? NULL : text, &e->ip);
	else if (reason == ADDR_BAD_PORT)
		reader_tell(r, n, CHECK_E6_PORT);
	else if (reason == ADDR_NOT_AN_ADDRESS)
		reader_tell(r, n, CHECK_E6_TEXT);
	else
		reader_address_error(r, n, reason);
}

/* A name that passes the test; an empty one is not given where that is allowed. */
static char *read_name(struct reader *r, const struct node *n, bool (*is_valid)(const char *),
		       bool empty_allowed, enum check check)
{
	char meant[HINT_MAX];

	if (!n || !reader_want(r, n, NODE_STRING))
		return NULL;
	if (!*n->value.string && empty_allowed)
		return NULL;
	if (!*n->value.string || !is_valid(n->value.string)) {
		reader_tell(r, n, check,
			    *n->value.string ? reader_meant_name(n->value.string, is_valid, meant)
					     : NULL);
		return NULL;
	}
	return reader_copy(r, n->value.string);
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The rows by which a wrong list of hints is told. */
struct hint_checks {
	enum check many, name, twice;
};

static void read_hints(struct reader *r, const struct node *n, bool (*is_valid)(const char *),
		       const struct hint_checks *checks, struct text_list *ret)
{
	_cleanup_free_ size_t *first = NULL;
	char text[NUMBER_TEXT_MAX];
	size_t i = 0;

	if (!n || !reader_want(r, n, NODE_LIST) || !n->first)
		return;
	if (n->n_children > HINTS_MAX) {
		reader_tell(r, n, checks->many, reader_number_text(HINTS_MAX, text));
		return;
	}
	ret->items = reader_alloc(r, n->n_children, sizeof(*ret->items));
	if (!ret->items)
		return;
	for (const struct node *c = n->first; c; c = c->next) {
		ret->items[ret->n] = read_name(r, c, is_valid, false, checks->name);
		if (ret->items[ret->n])
			ret->n++;
	}
	if (ret->n != n->n_children)
		return;
	first = reader_first_equal(r, ret->items, ret->n, sizeof(*ret->items), compare_text);
	for (const struct node *c = n->first; first && c; c = c->next, i++)
		if (first[i] != i)
			reader_tell(r, c, checks->twice);
}

static void read_conditions(struct reader *r, const struct node *const *keys,
			    struct endpoint_def *e)
{
	reader_bool(r, keys[ENDPOINT_TERMINATING], &e->terminating);
	e->ready = !e->terminating;
	reader_bool(r, keys[ENDPOINT_READY], &e->ready);
	reader_bool(r, keys[ENDPOINT_SERVING], &e->serving);
}

static void read_group_ports(struct reader *r, const struct node *const *keys,
			     struct endpoint_def *e)
{
	const struct node *port = keys[ENDPOINT_PORT], *ports = keys[ENDPOINT_PORTS];
	int64_t number;

	if (port && reader_number(r, port, 1, UINT16_MAX, CHECK_E13_RANGE, &number))
		e->port = (uint16_t)number;
	if (!ports)
		return;
	if (port)
		reader_tell(r, ports, CHECK_E10_BOTH);
	else if (ports->type == NODE_LIST && !ports->first)
		reader_tell(r, ports, CHECK_E10_NONE);
	else
		read_endpoint_ports(r, ports, &e->ports, &e->n_ports);
}

static void read_entry(struct reader *r, const struct node *n, struct endpoint_def *e)
{
	static const struct hint_checks zones = {CHECK_E17_MANY, CHECK_E17_ZONE, CHECK_E17_TWICE};
	static const struct hint_checks nodes = {CHECK_E18_MANY, CHECK_E18_NODE, CHECK_E18_TWICE};
	const struct node *keys[_ENDPOINT_KEY_MAX], *address;
	int64_t number;

	if (!reader_keys(r, n, endpoint_keys, n_endpoint_keys, keys))
		return;
	address = keys[ENDPOINT_ADDRESS];
	if (!address)
		reader_missing(r, n, CHECK_E6_MISSING);
	else if (address->type == NODE_LIST)
		reader_tell(r, address, CHECK_E6_LIST);
	else if (reader_address(r, address, &e->ip))
		check_address(r, address, address->value.string, &e->ip);
	read_group_ports(r, keys, e);
	e->hostname = read_name(r, keys[ENDPOINT_HOSTNAME], text_is_dns_label, false,
				CHECK_E14_HOSTNAME);
	e->node = read_name(r, keys[ENDPOINT_NODE], text_is_dns_subdomain, false, CHECK_E15_NODE);
	e->zone = read_name(r, keys[ENDPOINT_ZONE], text_is_label_value, true, CHECK_E16_ZONE);
	read_hints(r, keys[ENDPOINT_FOR_ZONES], text_is_label_value, &zones, &e->for_zones);
	read_hints(r, keys[ENDPOINT_FOR_NODES], text_is_dns_subdomain, &nodes, &e->for_nodes);
	if (keys[ENDPOINT_WEIGHT] &&
	    reader_number(r, keys[ENDPOINT_WEIGHT], 0, UINT16_MAX, CHECK_E20_RANGE, &number))
		e->weight = (uint16_t)number;
	read_conditions(r, keys, e);
}

void read_endpoints(struct reader *r, const struct node *list, struct endpoint_group *g)
{
	if (!reader_want(r, list, NODE_LIST) || !list->first)
		return;
	g->endpoints = reader_alloc(r, list->n_children, sizeof(*g->endpoints));
	if (!g->endpoints)
		return;
	/* Indices are those of the list, for messages. */
	g->n_endpoints = list->n_children;
	for (const struct node *n = list->first; n; n = n->next) {
		struct endpoint_def *e = &g->endpoints[n->index];
		struct place at;

		e->ready = e->serving = true;
		e->weight = 1;
		node_place(r->tree, n, &at);
		e->line = at.line;
		e->column = at.column;
		if (n->type == NODE_STRING)
			read_text(r, n, e);
		else if (n->type == NODE_GROUP)
			read_entry(r, n, e);
		else
			reader_tell(r, n, CHECK_E6_FORM, node_type_text(n->type));
	}
}

static void set_service_place(struct reader *r, const struct node *n, struct endpoint_group *g)
{
	struct place at;

	node_place(r->tree, n, &at);
	g->service_line = at.line;
	g->service_column = at.column;
}

void read_group(struct reader *r, const struct node *n, struct endpoint_group **ret)
{
	static const struct key_checks checks = {
		CHECK_E2_SLASHES, CHECK_E2_NAMESPACE_EMPTY, CHECK_E2_NAMESPACE_LABEL,
		CHECK_E2_EMPTY,	  CHECK_E2_LABEL,
	};
	const struct node *keys[_ENDPOINT_GROUP_KEY_MAX];
	struct endpoint_group *g;

	if (!reader_want(r, n, NODE_GROUP))
		return;
	g = reader_alloc(r, 1, sizeof(*g));
	if (!g)
		return;
	*ret = g;
	g->position = n->parent ? (int)n->index : -1;
	node_place(r->tree, n, &g->at);
	g->at.file = r->file_name;

	/* The service before all else, as in read_service(). */
	g->service = reader_object_key(r, n, "service", &checks);
	r->object = g->service;
	(void)reader_keys(r, n, endpoint_group_keys, n_endpoint_group_keys, keys);
	if (!keys[GROUP_SERVICE])
		reader_missing(r, n, CHECK_E2_MISSING);
	else
		set_service_place(r, keys[GROUP_SERVICE], g);
	if (keys[GROUP_PORTS]) {
		g->ports_given = true;
		read_endpoint_ports(r, keys[GROUP_PORTS], &g->ports, &g->n_ports);
	}
	if (keys[GROUP_ENDPOINTS])
		read_endpoints(r, keys[GROUP_ENDPOINTS], g);
	else
		reader_missing(r, n, CHECK_E5_NONE);
	r->object = NULL;
}

int endpoint_group_read(struct node_tree *tree, const struct node *n,
			const struct settings *settings, const char *file_name,
			struct endpoint_group **ret, struct diags *d)
{
	struct reader r = {.tree = tree, .settings = settings, .file_name = file_name, .diags = d};
	_cleanup_(endpoint_group_freep) struct endpoint_group *g = NULL;
	size_t before = d->n_errors;
	int result;

	read_group(&r, n, &g);
	result = reader_result(&r, before);
	if (result < 0)
		return result;
	*ret = TAKE_PTR(g);
	return 0;
}
