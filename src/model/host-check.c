/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/host-check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "model/checks.h"
#include "model/host-check-internal.h"

static struct service_value value_of(enum value_key key, size_t index)
{
	return (struct service_value){key, (unsigned)index};
}

/* ---- when a file is read ---- */

/* S55 */
static void refuse_neighbour(const struct host_facts *f, const struct service_def *s,
			     struct service_value value, const struct addr *a, struct diags *d)
{
	const struct host_neighbour *n = host_find_neighbour(f, a);
	char text[ADDR_TEXT_MAX], field[SERVICE_VALUE_MAX];
	struct place at;

	if (!n || host_find_address(f, a))
		return;
	service_value_place(s, value, &at);
	check_tell(d, n->peer ? CHECK_S55_PEER : CHECK_S55_GATEWAY, &at, s->key,
		   service_value_field(s, value, field), addr_format(a, text), n->interface);
}

int host_check_objects(const struct host_facts *f, const struct objects *o, struct diags *d)
{
	size_t before = d->n_errors;

	for (size_t i = 0; i < o->n_services; i++) {
		const struct service_def *s = o->services[i];

		if (s->headless || s->type == SVC_EXTERNAL_NAME)
			continue;
		for (size_t j = 0; j < s->n_external_ips; j++)
			refuse_neighbour(f, s, value_of(VALUE_EXTERNAL_IP, j), &s->external_ips[j],
					 d);
		for (size_t j = 0; j < s->n_lb_ips; j++)
			if (!s->lb_ips[j].proxy)
				refuse_neighbour(f, s, value_of(VALUE_LB_IP, j), &s->lb_ips[j].ip,
						 d);
	}
	if (d->error < 0)
		return d->error;
	return d->n_errors > before ? -EBADMSG : 0;
}

/* ---- what is told of a world ---- */

/* The definition of a service with its places, or the service's own, which has none. */
static const struct service_def *definition_of(const struct host_check *c, const struct service *s)
{
	const struct service_def *d = NULL;

	if (c->places->service)
		d = c->places->service(c->places->userdata, s->key);
	return d ? d : s->def;
}

/* A message about a value of a service, at its place. */
#define tell_value(c, check, s, v, value, ...) \
	tell_value_texts((c), (check), (s), (v), (value), CHECK_TEXTS(__VA_ARGS__))

static void tell_value_texts(struct host_check *c, enum check check, const struct service *s,
			     struct service_value v, const char *value, const char *const *texts,
			     size_t n_texts)
{
	const struct service_def *d = definition_of(c, s);
	char field[SERVICE_VALUE_MAX];
	struct place at;

	service_value_place(d, v, &at);
	check_tell_texts(c->diags, check, &at, s->key, service_value_field(d, v, field), value,
			 texts, n_texts);
}

/* ---- node ports ---- */

static int compare_node_ports(const void *left, const void *right)
{
	const struct node_port *a = left, *b = right;

	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	return (a->protocol > b->protocol) - (a->protocol < b->protocol);
}

static int add_node_port(struct host_check *c, const struct service *s, struct service_value value,
			 enum svc_proto protocol, uint16_t port)
{
	int r;

	if (port == 0)
		return 0;
	r = array_reserve(&c->node_ports, &c->allocated, c->n_node_ports + 1);
	if (r == 0)
		c->node_ports[c->n_node_ports++] = (struct node_port){port, protocol, value, s};
	return r;
}

static int collect_node_ports(struct host_check *c)
{
	const struct world *w = c->view->world;

	for (size_t i = 0; i < w->n_services; i++) {
		const struct service *s = w->services[i];
		int r = 0;

		if (!has_rules(s->def))
			continue;
		for (size_t j = 0; j < s->def->n_ports && r == 0; j++)
			r = add_node_port(c, s, value_of(VALUE_NODE_PORT, j),
					  s->def->ports[j].protocol, s->def->ports[j].node_port);
		if (r == 0)
			r = add_node_port(c, s, value_of(VALUE_HEALTH_CHECK_NODE_PORT, 0), SVC_TCP,
					  s->def->health_check_node_port);
		if (r < 0)
			return r;
	}
	if (c->n_node_ports > 1)
		qsort(c->node_ports, c->n_node_ports, sizeof(*c->node_ports), compare_node_ports);
	return 0;
}

/* No two services have the same one. */
static const struct node_port *find_node_port(const struct host_check *c, uint16_t port,
					      enum svc_proto protocol)
{
	const struct node_port key = {.port = port, .protocol = protocol};

	if (c->n_node_ports == 0)
		return NULL;
	return bsearch(&key, c->node_ports, c->n_node_ports, sizeof(key), compare_node_ports);
}

static const char *node_port_text(const struct node_port *p, char buf[64])
{
	(void)snprintf(buf, 64, "%u/%s", p->port, svc_proto_text(p->protocol));
	return buf;
}

/* S43, report C09 */
static void tell_ephemeral(struct host_check *c, const struct node_port *p)
{
	char value[64], range[32];

	if (!host_port_is_ephemeral(c->facts, p->port))
		return;
	(void)snprintf(range, sizeof(range), "%u-%u", c->facts->ephemeral_first,
		       c->facts->ephemeral_last);
	tell_value(c, CHECK_S43_EPHEMERAL, p->service, p->value, node_port_text(p, value),
		   p->service->key, range);
}

/* Whether a node port takes what comes to an address of this host. */
static bool takes_address(const struct host_check *c, const struct addr *a)
{
	const struct node_port_set *set = &c->sets[a->family];
	const struct settings *s = &c->view->world->settings->s;
	unsigned kinds = addr_kinds(a);

	if (kinds & ADDR_IS_UNSPECIFIED)
		return set->match_all || set->n > 0;
	/* iptables serves those of IPv4 when told to; the other modes never do. */
	if (kinds & ADDR_IS_LOOPBACK)
		return a->family == ADDR_IPV4 && s->mode == MODE_IPTABLES && set->lists_loopback &&
		       s->iptables_localhost_node_ports;
	for (size_t low = 0, high = set->n; low < high;) {
		size_t middle = low + (high - low) / 2;
		int order = addr_compare(&set->addrs[middle], a);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return set->match_all;
}

/* X9: one socket is enough to tell. */
static void tell_socket(struct host_check *c, const struct node_port *p)
{
	char value[64], text[ADDR_PORT_TEXT_MAX];
	const struct host_socket *sockets;
	size_t n;

	if (p->protocol == SVC_SCTP)
		return;
	sockets = host_find_sockets(c->facts, p->protocol == SVC_UDP, p->port, &n);
	for (size_t i = 0; i < n; i++) {
		const struct addr *a = &sockets[i].addr;

		if (!view_serves(p->service->def, (enum addr_family)a->family) ||
		    !takes_address(c, a))
			continue;
		tell_value(c, CHECK_X9_SOCKET, p->service, p->value, node_port_text(p, value),
			   addr_port_format(a, p->port, text));
		return;
	}
}

static int check_node_ports(struct host_check *c)
{
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		int r = view_node_ports(c->view, (enum addr_family)f, &c->sets[f]);

		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < c->n_node_ports; i++) {
		tell_ephemeral(c, &c->node_ports[i]);
		tell_socket(c, &c->node_ports[i]);
	}
	return 0;
}

/* ---- addresses of services ---- */

/* X5 */
static void tell_shadowed(struct host_check *c, const struct service *s, struct service_value v,
			  const struct addr *a)
{
	_cleanup_strbuf_ struct strbuf other = {0};

	for (size_t i = 0; i < s->def->n_ports; i++) {
		const struct service_port *port = &s->def->ports[i];
		const struct node_port *p = find_node_port(c, port->port, port->protocol);
		char value[ADDR_PORT_TEXT_MAX + 8], text[ADDR_PORT_TEXT_MAX];
		char field[SERVICE_VALUE_MAX];
		const struct service_def *d;
		struct place at;

		if (!p || p->service == s ||
		    !view_serves(p->service->def, (enum addr_family)a->family))
			continue;
		(void)snprintf(value, sizeof(value), "%s/%s", addr_port_format(a, port->port, text),
			       svc_proto_text(port->protocol));
		if (strbuf_error(&other))
			break;
		strbuf_reset(&other);
		d = definition_of(c, p->service);
		service_value_place(d, p->value, &at);
		tell_value(c, CHECK_X5_NODE_PORT, s, v, value,
			   service_value_text(d, p->value, field), p->service->key,
			   place_text(&at, &other));
	}
	if (strbuf_error(&other))
		c->diags->error = -ENOMEM;
}

/* S17, S55, X8 */
static void check_address(struct host_check *c, const struct service *s, struct service_value v,
			  const struct addr *a)
{
	bool cluster = v.key == VALUE_CLUSTER_IP;
	const struct host_address *own = host_find_address(c->facts, a);
	const struct host_neighbour *neighbour = host_find_neighbour(c->facts, a);
	const struct host_link *link = host_find_link(c->facts, a);
	char text[ADDR_TEXT_MAX], network[ADDR_PREFIX_TEXT_MAX];

	if (own) {
		tell_value(c, cluster ? CHECK_S17_OWN : CHECK_X8_OWN, s, v, addr_format(a, text),
			   own->interface);
		tell_shadowed(c, s, v, a);
	} else if (neighbour && !cluster) {
		tell_value(c, CHECK_S55_NEIGHBOUR, s, v, addr_format(a, text),
			   neighbour->interface);
	} else if (link) {
		tell_value(c, cluster ? CHECK_S17_ON_LINK : CHECK_S55_ON_LINK, s, v,
			   addr_format(a, text), addr_prefix_format(&link->prefix, network),
			   link->interface);
	}
}

static void check_addresses(struct host_check *c, const struct service *s)
{
	const struct service_def *d = s->def;

	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		if (d->has_cluster_ip[f])
			check_address(c, s, value_of(VALUE_CLUSTER_IP, (size_t)f),
				      &d->cluster_ips[f]);
	/* Those of a family without a cluster IP are not used: S56 tells. */
	for (size_t i = 0; c->view->world->settings->s.allow_external_ips && i < d->n_external_ips;
	     i++)
		if (d->has_cluster_ip[d->external_ips[i].family])
			check_address(c, s, value_of(VALUE_EXTERNAL_IP, i), &d->external_ips[i]);
	for (size_t i = 0; i < d->n_lb_ips; i++)
		if (!d->lb_ips[i].proxy && d->has_cluster_ip[d->lb_ips[i].ip.family])
			check_address(c, s, value_of(VALUE_LB_IP, i), &d->lb_ips[i].ip);
}

/* ---- families ---- */

/* Report C47. A service that is served in the other family is only named. */
static void check_families(struct host_check *c, const struct service *s,
			   struct name_list names[_ADDR_FAMILY_MAX])
{
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		int other = f == ADDR_IPV4 ? ADDR_IPV6 : ADDR_IPV4;
		char text[ADDR_TEXT_MAX];

		if (c->facts->usable[f] || !s->def->has_cluster_ip[f])
			continue;
		if (s->def->has_cluster_ip[other] && c->facts->usable[other])
			name_list_add(&names[f], s->key);
		else
			tell_value(c, CHECK_C47_NONE, s, value_of(VALUE_CLUSTER_IP, (size_t)f),
				   addr_format(&s->def->cluster_ips[f], text), family_text(f));
	}
}

static void tell_families(struct host_check *c, struct name_list names[_ADDR_FAMILY_MAX])
{
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		if (names[f].n > 0)
			check_tell(c->diags, CHECK_C47_SOME, NULL, NULL, NULL, NULL, family_text(f),
				   name_list_text(&names[f]), family_text(f));
}

static void check_services(struct host_check *c)
{
	const struct world *w = c->view->world;
	struct name_list names[_ADDR_FAMILY_MAX] = {0};

	for (size_t i = 0; i < w->n_services; i++) {
		if (!has_rules(w->services[i]->def))
			continue;
		check_addresses(c, w->services[i]);
		check_families(c, w->services[i], names);
	}
	tell_families(c, names);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		name_list_done(&names[f], c->diags);
}

static void host_check_done(struct host_check *c)
{
	free(c->node_ports);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		node_port_set_done(&c->sets[f]);
}

int host_check_world(const struct host_facts *f, const struct view *v,
		     const struct host_check_places *places, struct diags *d)
{
	_cleanup_(host_check_done) struct host_check c = {
		.facts = f, .view = v, .places = places, .diags = d};
	int r;

	r = collect_node_ports(&c);
	if (r < 0)
		return r;
	if (f) {
		check_services(&c);
		r = check_node_ports(&c);
		if (r < 0)
			return r;
	}
	check_node_port_addresses(&c);
	return d->error;
}
