/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * From a service and the groups of endpoints that belong to it to the immutable service: which
 * endpoint has which port for which port of the service (spec/model.md section 2.3), what counts
 * when an endpoint is listed more than once (2.5), and the hints of trafficDistribution (2.7).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "model/checks.h"
#include "model/read.h"
#include "model/value.h"

/* An endpoint that a port of the service may use. */
struct candidate {
	const struct endpoint_group *group;
	const struct endpoint_def *def;
	size_t order; /* reading order */
	uint16_t port;
	char text[ADDR_PORT_TEXT_MAX]; /* "ip:port": identity and order */
};

struct builder {
	const struct service_def *def;
	struct diags *diags;
	struct service *service;
	struct candidate *candidates; /* of one port of the service at a time */
	size_t n, allocated;
	bool one_number;  /* all ports of the service have the same number */
	struct map *told; /* endpoint and severity of messages; NULL until there is one */
};

static void builder_done(struct builder *b)
{
	service_unref(b->service);
	free(b->candidates);
	map_free(b->told);
}

const char *endpoint_def_field(const struct service_def *def, const struct endpoint_group *g,
			       const struct endpoint_def *e, char buf[ENDPOINT_FIELD_MAX])
{
	const char *list = g == def->inline_group ? "services" : "endpoints";
	size_t i = (size_t)(e - g->endpoints);

	if (g->position < 0)
		(void)snprintf(buf, ENDPOINT_FIELD_MAX, "endpoints[%zu]", i);
	else
		(void)snprintf(buf, ENDPOINT_FIELD_MAX, "%s[%d].endpoints[%zu]", list, g->position,
			       i);
	return buf;
}

/* "10.0.0.1:80", or the address alone when no port was written with it */
static const char *endpoint_text(const struct endpoint_def *e, char buf[ADDR_PORT_TEXT_MAX])
{
	return e->port ? addr_port_format(&e->ip, e->port, buf) : addr_format(&e->ip, buf);
}

static void endpoint_tell(struct builder *b, enum check check, const struct endpoint_group *g,
			  const struct endpoint_def *e, const char *const *texts, size_t n_texts)
{
	struct place at = {.file = g->at.file, .line = e->line, .column = e->column};
	char field[ENDPOINT_FIELD_MAX], text[ADDR_PORT_TEXT_MAX];

	check_tell_texts(b->diags, check, &at, b->def->key, endpoint_def_field(b->def, g, e, field),
			 endpoint_text(e, text), texts, n_texts);
}

/* The same, but only one warning and one error for an endpoint, whatever the number of ports. */
static int endpoint_tell_once(struct builder *b, enum check check, const struct endpoint_group *g,
			      const struct endpoint_def *e, const char *const *texts,
			      size_t n_texts)
{
	const uintptr_t key[] = {(uintptr_t)e, check_rows[check].severity};
	int r;

	if (!b->told) {
		r = map_new(&b->told);
		if (r < 0)
			return r;
	}
	if (map_get_bytes(b->told, key, sizeof(key)))
		return 0;
	r = map_put_bytes(b->told, key, sizeof(key), b);
	if (r < 0)
		return r;
	endpoint_tell(b, check, g, e, texts, n_texts);
	return 0;
}

/* ---- which port ---- */

/* "10.0.0.1:8080" says nothing about which of several ports is meant. Headless services without
 * ports have no such question. */
static bool has_one_number(const struct service_def *s)
{
	for (size_t i = 1; i < s->n_ports; i++)
		if (s->ports[i].port != s->ports[0].port)
			return false;
	return true;
}

/* The checks of an endpoint that do not depend on the port of the service. */
static void check_endpoint(struct builder *b, const struct endpoint_group *g,
			   const struct endpoint_def *e)
{
	if (e->port && !b->one_number) {
		char address[ADDR_TEXT_MAX], port[8];

		(void)snprintf(port, sizeof(port), "%u", e->port);
		endpoint_tell(
			b, CHECK_P23_WHICH_PORT, g, e,
			CHECK_TEXTS(addr_format(&e->ip, address), b->def->ports[0].name, port));
	}
	if (e->ready && e->terminating && !b->def->publish_not_ready)
		endpoint_tell(b, CHECK_P24_READY, g, e, CHECK_TEXTS());
}

/* Number of the port with this name and protocol, 0 if there is none. ports are sorted. */
static uint16_t find_port(const struct endpoint_port *ports, size_t n, char *name,
			  enum svc_proto protocol)
{
	const struct endpoint_port wanted = {.name = name, .protocol = protocol}, *found;

	if (n == 0)
		return 0;
	found = bsearch(&wanted, ports, n, sizeof(*ports), endpoint_port_compare);
	return found ? found->port : 0;
}

/* Port of an endpoint for a port of the service, by its list of ports. 0: none. */
static uint16_t match_ports(const struct service_port *p, const struct endpoint_port *ports,
			    size_t n)
{
	uint16_t port = find_port(ports, n, p->name, p->protocol);

	if (port == 0 && p->target_name)
		port = find_port(ports, n, p->target_name, p->protocol);
	return port;
}

/* The port that the endpoints of a group have unless they say otherwise. 0: none. */
static uint16_t group_port(const struct service_port *p, const struct endpoint_group *g)
{
	if (g->ports_given)
		return match_ports(p, g->ports, g->n_ports);
	return p->target_port;
}

static int add_candidate(struct builder *b, const struct endpoint_group *g,
			 const struct endpoint_def *e, uint16_t port)
{
	struct candidate *c;
	int r;

	r = array_reserve(&b->candidates, &b->allocated, b->n + 1);
	if (r < 0)
		return r;
	c = &b->candidates[b->n];
	c->group = g;
	c->def = e;
	c->order = b->n++;
	c->port = port;
	addr_port_format(&e->ip, port, c->text);
	return 0;
}

/* p is NULL for a headless service without ports: then every endpoint counts. *ret_used is set when
 * one was added. */
static int add_group(struct builder *b, const struct service_port *p,
		     const struct endpoint_group *g, bool *ret_used)
{
	uint16_t shared = p ? group_port(p, g) : 0;

	for (size_t i = 0; i < g->n_endpoints; i++) {
		const struct endpoint_def *e = &g->endpoints[i];
		uint16_t port = shared;
		int r;

		if (e->port)
			port = e->port;
		else if (e->n_ports > 0)
			port = p ? match_ports(p, e->ports, e->n_ports) : 0;
		if (port == 0 && p)
			continue;
		r = add_candidate(b, g, e, port);
		if (r < 0)
			return r;
		*ret_used = true;
	}
	return 0;
}

/* ---- merging ---- */

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int r = strcmp(x->text, y->text);

	return r ? r : (x->order > y->order) - (x->order < y->order);
}

static bool text_equal(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	return streq(a, b);
}

/* Two entries say the same of an endpoint. */
static bool same_content(const struct endpoint_def *a, const struct endpoint_def *b)
{
	return a->ready == b->ready && a->serving == b->serving &&
	       a->terminating == b->terminating && a->weight == b->weight &&
	       text_equal(a->node, b->node) && text_equal(a->zone, b->zone) &&
	       text_equal(a->hostname, b->hostname) &&
	       text_list_equal(&a->for_zones, &b->for_zones) &&
	       text_list_equal(&a->for_nodes, &b->for_nodes);
}

/* Two entries of one endpoint disagree: the later one is told of, with the place of the other. */
static int tell_difference(struct builder *b, const struct candidate *before,
			   const struct candidate *c)
{
	const struct place at = {
		.file = before->group->at.file,
		.line = before->def->line,
		.column = before->def->column,
	};
	_cleanup_strbuf_ struct strbuf place = {0};

	if (same_content(before->def, c->def))
		return 0;
	(void)place_text(&at, &place);
	if (strbuf_error(&place) < 0)
		return -ENOMEM;
	return endpoint_tell_once(b,
				  c->def->terminating ? CHECK_P25_TERMINATING : CHECK_P25_DIFFERS,
				  c->group, c->def, CHECK_TEXTS(strbuf_text(&place)));
}

/*
 * Of equal texts one stays, at the head of the array: an entry that is terminating never replaces
 * another one, otherwise the later one counts. (kube-proxy stores in the same way, but in random
 * order.) The array is sorted by text, then order.
 */
static int merge(struct builder *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct candidate *c = &b->candidates[i];
		int r;

		if (n == 0 || !streq(b->candidates[n - 1].text, c->text)) {
			b->candidates[n++] = *c;
			continue;
		}
		r = tell_difference(b, &b->candidates[n - 1], c);
		if (r < 0)
			return r;
		if (!c->def->terminating)
			b->candidates[n - 1] = *c;
	}
	b->n = n;
	return 0;
}

/* ---- the lists of a port ---- */

static int copy_text(const char *text, char **ret)
{
	if (!text)
		return 0;
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

static int one_text(const char *text, struct text_list *ret)
{
	char *item = NULL;
	const struct text_list list = {.items = &item, .n = 1};
	int r;

	r = copy_text(text, &item);
	if (r < 0 || !item)
		return r;
	r = text_list_copy(&list, ret);
	free(item);
	return r;
}

/* Hints as written, else those that Kubernetes' controller would give (2.7): to ready endpoints
 * only. */
static int fill_hints(const struct service_def *s, const struct endpoint_def *e,
		      struct endpoint *ret)
{
	int r;

	if (e->for_zones.n > 0 || e->for_nodes.n > 0) {
		r = text_list_copy(&e->for_zones, &ret->for_zones);
		return r < 0 ? r : text_list_copy(&e->for_nodes, &ret->for_nodes);
	}
	if (s->distribution == SVC_DISTRIBUTION_NONE || !ret->ready)
		return 0;
	r = one_text(e->zone, &ret->for_zones);
	if (r < 0 || s->distribution != SVC_PREFER_SAME_NODE)
		return r;
	return one_text(e->node, &ret->for_nodes);
}

static int fill_endpoint(const struct service_def *s, const struct candidate *c,
			 struct endpoint *ret)
{
	const struct endpoint_def *e = c->def;
	int r;

	ret->ip = e->ip;
	ret->port = c->port;
	ret->ready = e->ready || s->publish_not_ready;
	ret->serving = e->serving;
	ret->terminating = e->terminating;
	ret->weight = e->weight;
	r = copy_text(e->node, &ret->node);
	if (r >= 0)
		r = copy_text(e->zone, &ret->zone);
	if (r >= 0)
		r = copy_text(e->hostname, &ret->hostname);
	if (r >= 0)
		r = fill_hints(s, e, ret);
	return r;
}

/* The service has this address, and rules for it. */
static bool is_frontend_address(const struct service_def *s, const struct addr *a)
{
	if (s->headless || s->type == SVC_EXTERNAL_NAME)
		return false;
	if (s->has_cluster_ip[a->family] && addr_equal(&s->cluster_ips[a->family], a))
		return true;
	for (size_t i = 0; i < s->n_external_ips; i++)
		if (addr_equal(&s->external_ips[i], a))
			return true;
	for (size_t i = 0; i < s->n_lb_ips; i++)
		if (!s->lb_ips[i].proxy && addr_equal(&s->lb_ips[i].ip, a))
			return true;
	return false;
}

/* E21: an endpoint that is a frontend of the service itself sends packets round in a circle. */
static int check_loop(struct builder *b, const struct candidate *c, enum svc_proto protocol)
{
	if (!is_frontend_address(b->def, &c->def->ip))
		return 0;
	for (size_t i = 0; i < b->def->n_ports; i++) {
		const struct service_port *p = &b->def->ports[i];

		if (p->protocol == protocol && p->port == c->port)
			return endpoint_tell_once(b, CHECK_E21_LOOP, c->group, c->def,
						  CHECK_TEXTS());
	}
	return 0;
}

static int fill_lists(struct builder *b, const struct service_port *p,
		      struct endpoint_list lists[_ADDR_FAMILY_MAX])
{
	size_t n[_ADDR_FAMILY_MAX] = {0};
	int r;

	for (size_t i = 0; i < b->n; i++)
		n[b->candidates[i].def->ip.family]++;
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		if (n[f] == 0)
			continue;
		lists[f].items = calloc(n[f], sizeof(*lists[f].items));
		if (!lists[f].items)
			return -ENOMEM;
	}
	for (size_t i = 0; i < b->n; i++) {
		const struct candidate *c = &b->candidates[i];
		struct endpoint_list *l = &lists[c->def->ip.family];

		if (p) {
			r = check_loop(b, c, p->protocol);
			if (r < 0)
				return r;
		}
		/* Counted first: what a failure leaves half filled is freed with the list. */
		r = fill_endpoint(b->def, c, &l->items[l->n++]);
		if (r < 0)
			return r;
	}
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		b->service->n_endpoints[f] += n[f];
	return 0;
}

/* ---- the service ---- */

/* The ith group in reading order; the inline one comes first. */
static const struct endpoint_group *nth_group(const struct service_def *def,
					      struct endpoint_group *const *groups, size_t i)
{
	if (!def->inline_group)
		return groups[i];
	return i == 0 ? def->inline_group : groups[i - 1];
}

/* There are endpoints, but none for this port. */
static void warn_unmatched_port(struct builder *b, size_t i)
{
	const struct service_def *s = b->def;
	const struct service_port *p = &s->ports[i];
	char field[64], port[32], name[80] = "without a name";

	if (s->position < 0)
		(void)snprintf(field, sizeof(field), "ports[%zu]", i);
	else
		(void)snprintf(field, sizeof(field), "services[%d].ports[%zu]", s->position, i);
	(void)snprintf(port, sizeof(port), "%u/%s", p->port, svc_proto_text(p->protocol));
	if (*p->name)
		(void)snprintf(name, sizeof(name), "named '%s'", p->name);
	check_tell(b->diags, CHECK_P23_NO_ENDPOINT, &s->at, s->key, field, NULL, port,
		   svc_proto_text(p->protocol), name);
}

/* All endpoints of the group are for no port at all, while others are. */
static void warn_unmatched_group(struct builder *b, const struct endpoint_group *g)
{
	char field[64] = "endpoints";

	if (g->position >= 0)
		(void)snprintf(field, sizeof(field), "%s[%d]",
			       g == b->def->inline_group ? "services" : "endpoints", g->position);
	check_tell(b->diags, CHECK_P23_NO_PORT, &g->at, b->def->key, field, NULL);
}

static int build_port(struct builder *b, struct endpoint_group *const *groups, size_t n_groups,
		      size_t i, bool *used)
{
	const struct service_port *p = b->def->n_ports > 0 ? &b->def->ports[i] : NULL;
	int r;

	b->n = 0;
	for (size_t j = 0; j < n_groups; j++) {
		r = add_group(b, p, nth_group(b->def, groups, j), &used[j]);
		if (r < 0)
			return r;
	}
	if (b->n > 1) {
		qsort(b->candidates, b->n, sizeof(*b->candidates), compare_candidates);
		r = merge(b);
		if (r < 0)
			return r;
	}
	return fill_lists(b, p, b->service->endpoints[i]);
}

/* groups are counted with the inline one. */
static int build(struct builder *b, struct endpoint_group *const *groups, size_t n_groups)
{
	_cleanup_free_ bool *used = NULL;
	bool has_endpoints = false, all_ports = true;
	int r;

	if (n_groups == 0 || b->def->type == SVC_EXTERNAL_NAME)
		return 0;
	used = calloc(n_groups, sizeof(*used));
	if (!used)
		return -ENOMEM;
	b->one_number = has_one_number(b->def);
	for (size_t i = 0; i < n_groups; i++) {
		const struct endpoint_group *g = nth_group(b->def, groups, i);

		has_endpoints |= g->n_endpoints > 0;
		for (size_t j = 0; j < g->n_endpoints; j++)
			check_endpoint(b, g, &g->endpoints[j]);
	}
	for (size_t i = 0; i < service_n_lists(b->service); i++) {
		r = build_port(b, groups, n_groups, i, used);
		if (r < 0)
			return r;
		if (b->n == 0 && has_endpoints && b->def->n_ports > 0) {
			warn_unmatched_port(b, i);
			all_ports = false;
		}
	}
	for (size_t i = 0; i < n_groups && all_ports; i++)
		if (!used[i] && nth_group(b->def, groups, i)->n_endpoints > 0)
			warn_unmatched_group(b, nth_group(b->def, groups, i));
	return 0;
}

int service_build(const struct service_def *def, struct endpoint_group *const *groups,
		  size_t n_groups, struct service **ret, struct diags *d)
{
	_cleanup_(builder_done) struct builder b = {.def = def, .diags = d};
	size_t before = d->n_errors;
	int r;

	r = service_new(def, &b.service);
	if (r < 0)
		return r;
	r = build(&b, groups, n_groups + (def->inline_group != NULL));
	if (r < 0)
		return r;
	if (d->error < 0)
		return d->error;
	if (d->n_errors > before)
		return -EBADMSG;
	*ret = TAKE_PTR(b.service);
	return 0;
}
