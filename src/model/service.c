/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A service and its definition live and die together: one block. */
struct service_block {
	struct service service; /* first: pointers to it are pointers to the block */
	struct service_def def;
};

const char *svc_proto_text(enum svc_proto p)
{
	static const char *const names[] = {"TCP", "UDP", "SCTP"};

	return p >= 0 && p < _SVC_PROTO_MAX ? names[p] : "?";
}

const char *svc_proto_lower(enum svc_proto p)
{
	static const char *const names[] = {"tcp", "udp", "sctp"};

	return p >= 0 && p < _SVC_PROTO_MAX ? names[p] : "?";
}

const char *svc_type_text(enum svc_type t)
{
	static const char *const names[] = {"ClusterIP", "NodePort", "LoadBalancer",
					    "ExternalName"};

	return t < _SVC_TYPE_MAX ? names[t] : "?";
}

void text_list_done(struct text_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i]);
	free(l->items);
	*l = (struct text_list){0};
}

/* NULL stays NULL. */
static int copy_text(const char *text, char **ret)
{
	char *copy = NULL;

	if (text) {
		copy = strdup(text);
		if (!copy)
			return -ENOMEM;
	}
	*ret = copy;
	return 0;
}

int text_list_copy(const struct text_list *l, struct text_list *ret)
{
	struct text_list copy = {0};

	if (l->n > 0) {
		copy.items = calloc(l->n, sizeof(*copy.items));
		if (!copy.items)
			return -ENOMEM;
	}
	for (size_t i = 0; i < l->n; i++) {
		if (copy_text(l->items[i], &copy.items[i]) < 0) {
			text_list_done(&copy);
			return -ENOMEM;
		}
		copy.n++;
	}
	*ret = copy;
	return 0;
}

bool text_list_equal(const struct text_list *a, const struct text_list *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!streq(a->items[i], b->items[i]))
			return false;
	return true;
}

int endpoint_port_compare(const void *a, const void *b)
{
	const struct endpoint_port *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r ? r : (int)x->protocol - (int)y->protocol;
}

static void endpoint_ports_free(struct endpoint_port *ports, size_t n)
{
	if (!ports)
		return;
	for (size_t i = 0; i < n; i++)
		free(ports[i].name);
	free(ports);
}

struct endpoint_group *endpoint_group_free(struct endpoint_group *g)
{
	if (!g)
		return NULL;
	for (size_t i = 0; i < g->n_endpoints; i++) {
		struct endpoint_def *e = &g->endpoints[i];

		free(e->hostname);
		free(e->node);
		free(e->zone);
		text_list_done(&e->for_zones);
		text_list_done(&e->for_nodes);
		endpoint_ports_free(e->ports, e->n_ports);
	}
	free(g->endpoints);
	endpoint_ports_free(g->ports, g->n_ports);
	free(g->service);
	free(g);
	return NULL;
}

static void service_def_done(struct service_def *s)
{
	for (size_t i = 0; i < s->n_ports; i++) {
		free(s->ports[i].name);
		free(s->ports[i].target_name);
	}
	free(s->ports);
	free(s->key);
	free(s->external_ips);
	free(s->lb_ips);
	free(s->source_ranges);
	free(s->external_name);
	free(s->scheduler);
	free(s->health_check.path);
	free(s->health_check.host);
	free(s->health_check.expect);
	text_list_done(&s->health_check.command);
	endpoint_group_free(s->inline_group);
	free(s->places);
}

struct service_def *service_def_free(struct service_def *s)
{
	if (s)
		service_def_done(s);
	free(s);
	return NULL;
}

/* An array of plain values; none is NULL. */
static int copy_array(const void *items, size_t n, size_t size, void *ret)
{
	void *copy = NULL;

	if (n > 0) {
		copy = malloc(n * size);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, items, n * size);
	}
	memcpy(ret, &copy, sizeof(copy));
	return 0;
}

static int copy_ports(const struct service_def *from, struct service_def *to)
{
	if (from->n_ports == 0)
		return 0;
	to->ports = calloc(from->n_ports, sizeof(*to->ports));
	if (!to->ports)
		return -ENOMEM;
	to->n_ports = from->n_ports;
	for (size_t i = 0; i < from->n_ports; i++) {
		const struct service_port *p = &from->ports[i];

		to->ports[i] = *p;
		to->ports[i].name = to->ports[i].target_name = NULL;
		if (copy_text(p->name, &to->ports[i].name) < 0 ||
		    copy_text(p->target_name, &to->ports[i].target_name) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* On failure ret is half-filled, for service_def_done(). */
static int service_def_copy(const struct service_def *s, struct service_def *ret)
{
	const struct health_check *from = &s->health_check;
	struct health_check *to = &ret->health_check;

	*ret = *s;
	ret->at = (struct place){0};
	ret->position = -1;
	ret->inline_group = NULL;
	ret->places = NULL;
	/* Nothing of the original may be freed with a half-made copy. */
	ret->key = ret->external_name = ret->scheduler = NULL;
	ret->ports = NULL;
	ret->n_ports = 0;
	ret->external_ips = NULL;
	ret->lb_ips = NULL;
	ret->source_ranges = NULL;
	to->path = to->host = to->expect = NULL;
	to->command = (struct text_list){0};

	if (copy_text(s->key, &ret->key) < 0 ||
	    copy_text(s->external_name, &ret->external_name) < 0 ||
	    copy_text(s->scheduler, &ret->scheduler) < 0 || copy_ports(s, ret) < 0 ||
	    copy_array(s->external_ips, s->n_external_ips, sizeof(*s->external_ips),
		       &ret->external_ips) < 0 ||
	    copy_array(s->lb_ips, s->n_lb_ips, sizeof(*s->lb_ips), &ret->lb_ips) < 0 ||
	    copy_array(s->source_ranges, s->n_source_ranges, sizeof(*s->source_ranges),
		       &ret->source_ranges) < 0 ||
	    copy_text(from->path, &to->path) < 0 || copy_text(from->host, &to->host) < 0 ||
	    copy_text(from->expect, &to->expect) < 0 ||
	    text_list_copy(&from->command, &to->command) < 0)
		return -ENOMEM;
	return 0;
}

size_t service_n_lists(const struct service *s)
{
	return MAX_OF(s->def->n_ports, (size_t)1);
}

static void endpoint_list_done(struct endpoint_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct endpoint *e = &l->items[i];

		free(e->node);
		free(e->zone);
		free(e->hostname);
		text_list_done(&e->for_zones);
		text_list_done(&e->for_nodes);
	}
	free(l->items);
}

static void service_free(struct service *s)
{
	struct service_block *block = (struct service_block *)s;

	if (s->endpoints) {
		for (size_t i = 0; i < service_n_lists(s); i++)
			for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
				endpoint_list_done(&s->endpoints[i][f]);
		free(s->endpoints);
	}
	service_def_done(&block->def);
	free(block);
}

int service_new(const struct service_def *def, struct service **ret)
{
	struct service_block *block = calloc(1, sizeof(*block));
	struct service *s;

	if (!block)
		return -ENOMEM;
	s = &block->service;
	s->refs = 1;
	s->def = &block->def;
	if (service_def_copy(def, &block->def) < 0) {
		service_free(s);
		return -ENOMEM;
	}
	s->key = s->def->key;
	s->endpoints = calloc(service_n_lists(s), sizeof(*s->endpoints));
	if (!s->endpoints) {
		service_free(s);
		return -ENOMEM;
	}
	*ret = s;
	return 0;
}

struct service *service_ref(struct service *s)
{
	s->refs++;
	return s;
}

struct service *service_unref(struct service *s)
{
	if (s && --s->refs == 0)
		service_free(s);
	return NULL;
}

static bool text_equal(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	return streq(a, b);
}

static bool health_check_equal(const struct health_check *a, const struct health_check *b)
{
	return a->type == b->type && a->port == b->port && text_equal(a->path, b->path) &&
	       text_equal(a->host, b->host) && text_equal(a->expect, b->expect) &&
	       a->interval_usec == b->interval_usec && a->timeout_usec == b->timeout_usec &&
	       a->rise == b->rise && a->fall == b->fall &&
	       text_list_equal(&a->command, &b->command);
}

static bool ports_equal(const struct service_def *a, const struct service_def *b)
{
	if (a->n_ports != b->n_ports)
		return false;
	for (size_t i = 0; i < a->n_ports; i++) {
		const struct service_port *p = &a->ports[i], *q = &b->ports[i];

		if (!streq(p->name, q->name) || p->protocol != q->protocol || p->port != q->port ||
		    p->node_port != q->node_port || p->target_port != q->target_port ||
		    !text_equal(p->target_name, q->target_name))
			return false;
	}
	return true;
}

static bool addresses_equal(const struct service_def *a, const struct service_def *b)
{
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		if (a->has_cluster_ip[f] != b->has_cluster_ip[f] ||
		    (a->has_cluster_ip[f] && !addr_equal(&a->cluster_ips[f], &b->cluster_ips[f])))
			return false;
	}
	if (a->n_external_ips != b->n_external_ips || a->n_lb_ips != b->n_lb_ips ||
	    a->n_source_ranges != b->n_source_ranges)
		return false;
	for (size_t i = 0; i < a->n_external_ips; i++)
		if (!addr_equal(&a->external_ips[i], &b->external_ips[i]))
			return false;
	for (size_t i = 0; i < a->n_lb_ips; i++)
		if (!addr_equal(&a->lb_ips[i].ip, &b->lb_ips[i].ip) ||
		    a->lb_ips[i].proxy != b->lb_ips[i].proxy)
			return false;
	for (size_t i = 0; i < a->n_source_ranges; i++)
		if (addr_prefix_compare(&a->source_ranges[i], &b->source_ranges[i]) != 0)
			return false;
	return true;
}

static bool service_def_equal(const struct service_def *a, const struct service_def *b)
{
	return streq(a->key, b->key) && a->type == b->type && a->headless == b->headless &&
	       a->primary_family == b->primary_family && a->affinity == b->affinity &&
	       a->affinity_seconds == b->affinity_seconds &&
	       a->external_local == b->external_local && a->internal_local == b->internal_local &&
	       a->health_check_node_port == b->health_check_node_port &&
	       a->publish_not_ready == b->publish_not_ready && a->distribution == b->distribution &&
	       a->cut == b->cut && a->flag_fallback == b->flag_fallback &&
	       a->flag_port == b->flag_port && text_equal(a->external_name, b->external_name) &&
	       text_equal(a->scheduler, b->scheduler) && ports_equal(a, b) &&
	       addresses_equal(a, b) && health_check_equal(&a->health_check, &b->health_check);
}

static bool endpoint_equal(const struct endpoint *a, const struct endpoint *b)
{
	return addr_equal(&a->ip, &b->ip) && a->port == b->port && a->ready == b->ready &&
	       a->serving == b->serving && a->terminating == b->terminating &&
	       a->weight == b->weight && text_equal(a->node, b->node) &&
	       text_equal(a->zone, b->zone) && text_equal(a->hostname, b->hostname) &&
	       text_list_equal(&a->for_zones, &b->for_zones) &&
	       text_list_equal(&a->for_nodes, &b->for_nodes);
}

bool service_equal(const struct service *a, const struct service *b)
{
	if (a == b)
		return true;
	/* Equal definitions have the same number of lists. */
	if (!service_def_equal(a->def, b->def))
		return false;
	for (size_t i = 0; i < service_n_lists(a); i++) {
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			const struct endpoint_list *x = &a->endpoints[i][f];
			const struct endpoint_list *y = &b->endpoints[i][f];

			if (x->n != y->n)
				return false;
			for (size_t j = 0; j < x->n; j++)
				if (!endpoint_equal(&x->items[j], &y->items[j]))
					return false;
		}
	}
	return true;
}

const char *service_port_name(const struct service *s, size_t port, char buf[SERVICE_PORT_NAME_MAX])
{
	const char *parts[] = {s->key, ":", s->def->ports[port].name};
	size_t used = 0;

	/* This is called once per service and sync: no printf. Checked names never reach the limit.
	 */
	for (size_t i = 0; i < (*parts[2] ? ELEMENTSOF(parts) : 1); i++) {
		size_t n = MIN_OF(strlen(parts[i]), SERVICE_PORT_NAME_MAX - 1 - used);

		memcpy(buf + used, parts[i], n);
		used += n;
	}
	buf[used] = '\0';
	return buf;
}

bool service_def_externally_accessible(const struct service_def *s)
{
	return s->type == SVC_NODE_PORT || s->type == SVC_LOAD_BALANCER ||
	       (s->type == SVC_CLUSTER_IP && s->n_external_ips > 0);
}
