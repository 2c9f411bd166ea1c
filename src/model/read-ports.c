/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/reader.h"

#define ENDPOINT_PORTS_MAX 20000 /* E10 */

/* A port's name, "" when there is none. NULL after an error. */
static char *read_name(struct reader *r, const struct node *n, enum check check)
{
	char meant[HINT_MAX];

	if (!n)
		return reader_copy(r, "");
	if (!reader_want(r, n, NODE_STRING))
		return NULL;
	if (*n->value.string && !text_is_dns_label(n->value.string)) {
		reader_tell(r, n, check,
			    reader_meant_name(n->value.string, text_is_dns_label, meant));
		return NULL;
	}
	return reader_copy(r, n->value.string);
}

static void read_target(struct reader *r, const struct node *n, struct service_port *p)
{
	int64_t number = 0;

	p->target_port = p->port;
	if (!n)
		return;
	if (n->type == NODE_INT) {
		if (n->value.integer != 0 &&
		    reader_number(r, n, 1, UINT16_MAX, CHECK_S36_RANGE, &number))
			p->target_port = (uint16_t)number;
		return;
	}
	if (n->type != NODE_STRING) {
		reader_tell(r, n, CHECK_S36_TYPE, node_type_text(n->type));
		return;
	}
	if (!*n->value.string)
		return;
	if (!text_is_port_name(n->value.string)) {
		size_t digits = strspn(n->value.string, "0123456789");
		bool is_number = digits <= 5 && n->value.string[digits] == '\0';

		reader_tell(r, n, CHECK_S36_NAME, is_number ? n->value.string : NULL);
		return;
	}
	p->target_port = 0;
	p->target_name = reader_copy(r, n->value.string);
}

static int compare_numbers(const void *a, const void *b)
{
	return *(const int64_t *)a < *(const int64_t *)b
		       ? -1
		       : *(const int64_t *)a > *(const int64_t *)b;
}

/* The lowest number of the range that no service of the file has. 0: none. */
static int64_t find_free_node_port(struct reader *r)
{
	const struct node *list = r->tree->root ? node_get(r->tree->root, "services") : NULL;
	int64_t lowest = r->settings->node_port_min;
	_cleanup_free_ int64_t *used = NULL;
	size_t n_used = 0, n = 0;

	/* Counted first, then filled: each service has one health-check port at most. */
	for (int fill = 0; fill < 2; fill++) {
		for (const struct node *s = list ? list->first : NULL; s; s = s->next) {
			const struct node *ports = node_get(s, "ports");
			const struct node *health = node_get(s, "healthCheckNodePort");

			if (health && health->type == NODE_INT) {
				if (used)
					used[n_used++] = health->value.integer;
				n += !fill;
			}
			for (const struct node *p = ports ? ports->first : NULL; p; p = p->next) {
				const struct node *number = node_get(p, "nodePort");

				if (!number || number->type != NODE_INT)
					continue;
				if (used)
					used[n_used++] = number->value.integer;
				n += !fill;
			}
		}
		if (!fill) {
			used = reader_alloc(r, n, sizeof(*used));
			if (!used)
				return lowest;
		}
	}
	qsort(used, n_used, sizeof(*used), compare_numbers);
	for (size_t i = 0; i < n_used && used[i] <= lowest; i++)
		if (used[i] == lowest)
			lowest++;
	return lowest <= r->settings->node_port_max ? lowest : 0;
}

/* For hints: looked for once a file, and then the same for all that need it. */
static int64_t lowest_free_node_port(struct reader *r)
{
	if (!r->has_free_node_port) {
		r->free_node_port = find_free_node_port(r);
		r->has_free_node_port = true;
	}
	return r->free_node_port;
}

static void read_node_port(struct reader *r, const struct node *port, const struct node *n,
			   struct service_def *s, struct service_port *p)
{
	int64_t number;

	if (n && n->type == NODE_INT && n->value.integer == 0)
		n = NULL;
	if (!n) {
		char text[NUMBER_TEXT_MAX];
		int64_t lowest;

		if (s->type != SVC_NODE_PORT)
			return;
		lowest = lowest_free_node_port(r);
		reader_missing(r, port, CHECK_S40_MISSING,
			       lowest > 0 ? reader_number_text(lowest, text) : NULL);
		return;
	}
	if (s->type == SVC_CLUSTER_IP) {
		reader_tell(r, n, CHECK_S37_TYPE);
		return;
	}
	if (reader_number(r, n, r->settings->node_port_min, r->settings->node_port_max,
			  CHECK_S39_RANGE, &number))
		p->node_port = (uint16_t)number;
}

static void read_service_port(struct reader *r, const struct node *n, struct service_def *s,
			      struct service_port *p)
{
	const struct node *keys[_SERVICE_PORT_KEY_MAX];
	int64_t number;

	if (!reader_keys(r, n, service_port_keys, n_service_port_keys, keys))
		return;
	p->name = read_name(r, keys[PORT_NAME], CHECK_S31_LABEL);
	p->protocol = reader_protocol(r, keys[PORT_PROTOCOL], CHECK_S33_PROTOCOL, true);
	if (!keys[PORT_PORT])
		reader_missing(r, n, CHECK_S34_MISSING);
	else if (reader_number(r, keys[PORT_PORT], 1, UINT16_MAX, CHECK_S34_RANGE, &number))
		p->port = (uint16_t)number;
	read_target(r, keys[PORT_TARGET_PORT], p);
	read_node_port(r, n, keys[PORT_NODE_PORT], s, p);
	if (s->ports && s->n_ports > 1 && (!keys[PORT_NAME] || (p->name && !*p->name)))
		reader_missing(r, n, CHECK_S31_MISSING);
}

static int compare_name(const void *a, const void *b)
{
	const struct service_port *x = a, *y = b;

	return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

static int compare_port(const void *a, const void *b)
{
	const struct service_port *x = a, *y = b;

	return x->protocol != y->protocol ? (int)x->protocol - (int)y->protocol
					  : (int)x->port - (int)y->port;
}

static int compare_node_port(const void *a, const void *b)
{
	const struct service_port *x = a, *y = b;

	return x->protocol != y->protocol ? (int)x->protocol - (int)y->protocol
					  : (int)x->node_port - (int)y->node_port;
}

/* S32, S35, S38: the nth port tells of an earlier one that has the same. Ports that could not be
 * read stay in the array, so that indices are those of the list. */
static void check_unique(struct reader *r, const struct node *list, const struct service_def *s)
{
	_cleanup_free_ size_t *name = NULL, *port = NULL, *node_port = NULL;
	size_t size = sizeof(*s->ports), i = 0;

	if (s->n_ports < 2)
		return;
	name = reader_first_equal(r, s->ports, s->n_ports, size, compare_name);
	port = reader_first_equal(r, s->ports, s->n_ports, size, compare_port);
	node_port = reader_first_equal(r, s->ports, s->n_ports, size, compare_node_port);
	if (!name || !port || !node_port)
		return;
	for (const struct node *n = list->first; n; n = n->next, i++) {
		const struct service_port *p = &s->ports[i];
		char other[NUMBER_TEXT_MAX], number[NUMBER_TEXT_MAX];

		if (name[i] != i && p->name && *p->name)
			reader_tell(r, node_get(n, "name"), CHECK_S32_TWICE,
				    reader_number_text((int64_t)name[i], other));
		if (port[i] != i && p->port)
			reader_tell(
				r, n, CHECK_S35_TWICE, reader_number_text((int64_t)port[i], other),
				svc_proto_text(p->protocol), reader_number_text(p->port, number));
		if (node_port[i] != i && p->node_port)
			reader_tell(r, node_get(n, "nodePort"), CHECK_S38_TWICE,
				    reader_number_text((int64_t)node_port[i], other));
	}
}

void read_service_ports(struct reader *r, const struct node *service, const struct node *n,
			struct service_def *s)
{
	bool without_node_port = false;
	size_t i = 0;

	if (n && !reader_want(r, n, NODE_LIST))
		return;
	if (!n || !n->first) {
		if (!s->headless && s->type != SVC_EXTERNAL_NAME)
			reader_missing(r, service, CHECK_S30_NO_PORT);
		return;
	}
	if (s->type == SVC_EXTERNAL_NAME)
		reader_tell(r, n, CHECK_S20_PORTS);
	s->ports = reader_alloc(r, n->n_children, sizeof(*s->ports));
	if (!s->ports)
		return;
	s->n_ports = n->n_children;
	for (const struct node *c = n->first; c; c = c->next, i++) {
		read_service_port(r, c, s, &s->ports[i]);
		without_node_port |= !s->ports[i].node_port;
	}
	check_unique(r, n, s);
	if (without_node_port && s->type == SVC_LOAD_BALANCER)
		reader_tell(r, n, CHECK_S40_LOAD_BALANCER);
}

static bool read_endpoint_port(struct reader *r, const struct node *n, struct endpoint_port *p)
{
	const struct node *keys[_ENDPOINT_PORT_KEY_MAX];
	int64_t number;

	if (!reader_keys(r, n, endpoint_port_keys, n_endpoint_port_keys, keys))
		return false;
	p->name = read_name(r, keys[EPORT_NAME], CHECK_E11_LABEL);
	p->protocol = reader_protocol(r, keys[EPORT_PROTOCOL], CHECK_E12_PROTOCOL, false);
	if (!keys[EPORT_PORT])
		reader_missing(r, n, CHECK_E13_MISSING);
	else if (reader_number(r, keys[EPORT_PORT], 1, UINT16_MAX, CHECK_E13_PORT_RANGE, &number))
		p->port = (uint16_t)number;
	return p->name && p->port;
}

void read_endpoint_ports(struct reader *r, const struct node *n, struct endpoint_port **ret_ports,
			 size_t *ret_n)
{
	_cleanup_free_ size_t *first = NULL;
	struct endpoint_port *ports;
	char text[NUMBER_TEXT_MAX];
	bool good = true;
	size_t i = 0;

	if (!reader_want(r, n, NODE_LIST) || !n->first)
		return;
	if (n->n_children > ENDPOINT_PORTS_MAX) {
		reader_tell(r, n, CHECK_E10_MANY, reader_number_text(ENDPOINT_PORTS_MAX, text));
		return;
	}
	ports = reader_alloc(r, n->n_children, sizeof(*ports));
	if (!ports)
		return;
	*ret_ports = ports;
	*ret_n = n->n_children;
	for (const struct node *c = n->first; c; c = c->next, i++)
		good &= read_endpoint_port(r, c, &ports[i]);
	if (!good || i < 2)
		return;

	first = reader_first_equal(r, ports, i, sizeof(*ports), endpoint_port_compare);
	i = 0;
	for (const struct node *c = n->first; first && c; c = c->next, i++) {
		const struct node *name = node_get(c, "name");

		if (first[i] != i)
			reader_tell(r, name ? name : c, CHECK_E11_TWICE,
				    reader_number_text((int64_t)first[i], text));
	}
	qsort(ports, i, sizeof(*ports), endpoint_port_compare);
}
