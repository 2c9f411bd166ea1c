/* SPDX-License-Identifier: GPL-2.0-or-later */

#include "control/control.h"
#include "control/json.h"
#include "model/choose.h"

/* services and endpoints as JSON: what the files say, and what this host uses of it (spec/model.md
 * section 3). */

static json_t *addrs_json(const struct addr *addrs, size_t n)
{
	json_t *list = json_array();
	char text[ADDR_TEXT_MAX];

	for (size_t i = 0; i < n; i++)
		if (!json_push(&list, json_text(addr_format(&addrs[i], text))))
			return NULL;
	return list;
}

static json_t *cluster_ips_json(const struct service_def *d)
{
	struct addr list[_ADDR_FAMILY_MAX];
	size_t n = 0;
	int i;

	if (d->headless)
		return json_pack("[s]", "None");
	for (i = 0; i < _ADDR_FAMILY_MAX; i++) {
		int family = (i + (d->primary_family > 0 ? d->primary_family : 0)) %
			     _ADDR_FAMILY_MAX;

		if (d->has_cluster_ip[family])
			list[n++] = d->cluster_ips[family];
	}
	return addrs_json(list, n);
}

static json_t *lb_ips_json(const struct service_def *d)
{
	json_t *list = json_array();
	char text[ADDR_TEXT_MAX];

	for (size_t i = 0; i < d->n_lb_ips; i++) {
		struct json_maker o = json_make();

		json_take(&o, "ip", json_text(addr_format(&d->lb_ips[i].ip, text)));
		json_take(&o, "ipMode", json_text(d->lb_ips[i].proxy ? "Proxy" : "VIP"));
		if (!json_push(&list, json_made(&o)))
			return NULL;
	}
	return list;
}

struct port_use {
	size_t all, ready, used, local;
};

/* used: what new connections can reach from outside or inside, by this host's choice. */
static int count_port(const struct service *s, size_t port, const char *node, const char *zone,
		      struct port_use *ret)
{
	const struct service_def *d = s->def;
	struct port_use c = {0};
	int family, r;

	for (family = 0; family < _ADDR_FAMILY_MAX; family++) {
		const struct endpoint_list *list = &s->endpoints[port][family];
		_cleanup_choice_ struct choice choice = {0};

		for (size_t i = 0; i < list->n; i++) {
			c.all++;
			c.ready += list->items[i].ready;
			c.local += endpoint_is_local(&list->items[i], node);
		}
		r = choose_endpoints(list, true, d->internal_local || d->external_local, node, zone,
				     &choice);
		if (r < 0)
			return r;
		c.used += choice.n_reachable;
	}
	*ret = c;
	return 0;
}

static struct json_maker counters_make(const struct ipvs_counters *c)
{
	struct json_maker o = json_make();

	json_take(&o, "connections", json_integer((json_int_t)c->connections));
	json_take(&o, "inPackets", json_integer((json_int_t)c->in_packets));
	json_take(&o, "outPackets", json_integer((json_int_t)c->out_packets));
	json_take(&o, "inBytes", json_integer((json_int_t)c->in_bytes));
	json_take(&o, "outBytes", json_integer((json_int_t)c->out_bytes));
	return o;
}

json_t *control_counters_json(const struct ipvs_counters *c)
{
	struct json_maker o;

	if (!c)
		return json_null();
	o = counters_make(c);
	return json_made(&o);
}

/* Those of the virtual servers of a port, one for each of its addresses. */
static json_t *servers_json(const struct counts *counts, const struct count_port *p)
{
	json_t *list = p ? json_array() : json_null();
	char text[ADDR_PORT_TEXT_MAX];

	for (size_t i = 0; p && i < p->n_servers; i++) {
		const struct count_server *v = &counts->servers[p->first_server + i];
		struct json_maker o = json_make();

		json_take(&o, "address", json_text(addr_port_format(&v->addr, v->port, text)));
		json_take(&o, "counters", control_counters_json(&v->counters));
		if (!json_push(&list, json_made(&o)))
			return NULL;
	}
	return list;
}

static json_t *port_json(const struct service *s, size_t i, const char *node, const char *zone,
			 const struct counts *counts)
{
	const struct service_port *p = &s->def->ports[i];
	const struct count_port *counted = counts_find(counts, s->key, p->protocol, p->port);
	struct json_maker o = json_make();
	struct port_use c;

	if (count_port(s, i, node, zone, &c) < 0) {
		json_decref(json_made(&o));
		return NULL;
	}
	json_take(&o, "name", json_text(p->name));
	json_take(&o, "protocol", json_text(svc_proto_text(p->protocol)));
	json_take(&o, "port", json_integer(p->port));
	json_take(&o, "nodePort", p->node_port ? json_integer(p->node_port) : json_null());
	json_take(&o, "endpoints", json_integer((json_int_t)c.all));
	json_take(&o, "ready", json_integer((json_int_t)c.ready));
	json_take(&o, "used", json_integer((json_int_t)c.used));
	json_take(&o, "local", json_integer((json_int_t)c.local));
	json_take(&o, "counters", control_counters_json(counted ? &counted->counters : NULL));
	json_take(&o, "virtualServers", servers_json(counts, counted));
	return json_made(&o);
}

static json_t *ports_json(const struct service *s, const char *node, const char *zone,
			  const struct counts *counts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->def->n_ports; i++)
		if (!json_push(&list, port_json(s, i, node, zone, counts)))
			return NULL;
	return list;
}

json_t *control_services_json(const struct world *w, const struct config *config, const char *node,
			      const char *zone, const struct counts *counts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < w->n_services; i++) {
		const struct service *s = w->services[i];
		const struct service_def *d = s->def;
		struct json_maker o = json_make();
		struct place at = {0};

		if (config && config_place(config, s->key, &at) < 0)
			at = (struct place){0};

		json_take(&o, "name", json_text(s->key));
		json_take(&o, "type", json_text(svc_type_text(d->type)));
		json_take(&o, "clusterIPs", cluster_ips_json(d));
		json_take(&o, "externalIPs", addrs_json(d->external_ips, d->n_external_ips));
		json_take(&o, "loadBalancerIPs", lb_ips_json(d));
		json_take(&o, "sessionAffinity", json_text(d->affinity ? "ClientIP" : "None"));
		json_take(&o, "externalTrafficPolicy",
			  json_text(d->external_local ? "Local" : "Cluster"));
		json_take(&o, "internalTrafficPolicy",
			  json_text(d->internal_local ? "Local" : "Cluster"));
		json_take(&o, "ports", ports_json(s, node, zone, counts));
		json_take(&o, "file", json_text(at.file));
		json_take(&o, "line", at.file ? json_integer(at.line) : json_null());
		if (!json_push(&list, json_made(&o)))
			return NULL;
	}
	return list;
}

static json_t *endpoint_counters_json(const struct count_endpoint *e)
{
	struct json_maker o;

	if (!e)
		return json_null();
	o = counters_make(&e->counters);
	json_take(&o, "activeConnections", json_integer((json_int_t)e->active));
	json_take(&o, "inactiveConnections", json_integer((json_int_t)e->inactive));
	json_take(&o, "weight", json_integer((json_int_t)e->weight));
	return json_made(&o);
}

static bool in_list(const struct endpoint_list *l, const struct count_endpoint *e)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].port == e->port && addr_compare(&l->items[i].ip, &e->addr) == 0)
			return true;
	return false;
}

static json_t *leaving_json(const struct service *s, size_t port, const struct count_endpoint *e)
{
	struct json_maker o = json_make();
	char text[ADDR_PORT_TEXT_MAX], name[SERVICE_PORT_NAME_MAX];

	json_take(&o, "service", json_text(s->key));
	json_take(&o, "servicePort", json_text(service_port_name(s, port, name)));
	json_take(&o, "protocol", json_text(svc_proto_text(s->def->ports[port].protocol)));
	json_take(&o, "endpoint", json_text(addr_port_format(&e->addr, e->port, text)));
	json_take(&o, "ready", json_false());
	json_take(&o, "serving", json_true());
	json_take(&o, "terminating", json_true());
	json_take(&o, "local", json_false());
	json_take(&o, "used", json_false());
	json_take(&o, "weight", json_integer(0));
	json_take(&o, "node", json_null());
	json_take(&o, "zone", json_null());
	json_take(&o, "inFiles", json_false());
	json_take(&o, "counters", endpoint_counters_json(e));
	return json_made(&o);
}

/* Real servers that are in no file any more, and still have connections. */
static bool push_leaving(json_t **list, const struct service *s, size_t port, int family,
			 const struct counts *counts, const struct count_port *counted)
{
	for (size_t i = 0; counted && i < counted->n_endpoints; i++) {
		const struct count_endpoint *e = &counts->endpoints[counted->first_endpoint + i];

		if (e->weight == 0 && e->addr.family == family &&
		    !in_list(&s->endpoints[port][family], e) &&
		    !json_push(list, leaving_json(s, port, e)))
			return false;
	}
	return true;
}

static bool push_endpoints(json_t **list, const struct service *s, size_t port, int family,
			   const char *node, const char *zone, const struct counts *counts)
{
	const struct endpoint_list *l = &s->endpoints[port][family];
	const struct service_def *d = s->def;
	/* A headless service without ports has endpoints all the same. */
	const struct service_port *p = d->n_ports ? &d->ports[port] : NULL;
	const struct count_port *counted = p ? counts_find(counts, s->key, p->protocol, p->port)
					     : NULL;
	_cleanup_choice_ struct choice choice = {0};
	char text[ADDR_PORT_TEXT_MAX], name[SERVICE_PORT_NAME_MAX];
	size_t next = 0; /* of the reachable ones, which ascend */

	if (choose_endpoints(l, true, d->internal_local || d->external_local, node, zone, &choice) <
	    0)
		return false;
	for (size_t i = 0; i < l->n; i++) {
		const struct endpoint *e = &l->items[i];
		bool used = next < choice.n_reachable && choice.reachable[next] == i;
		struct json_maker o = json_make();

		next += used;

		json_take(&o, "service", json_text(s->key));
		json_take(&o, "servicePort",
			  json_text(p ? service_port_name(s, port, name) : s->key));
		json_take(&o, "protocol", p ? json_text(svc_proto_text(p->protocol)) : json_null());
		json_take(&o, "endpoint",
			  json_text(e->port ? addr_port_format(&e->ip, e->port, text)
					    : addr_format(&e->ip, text)));
		json_take(&o, "ready", json_boolean(e->ready));
		json_take(&o, "serving", json_boolean(e->serving));
		json_take(&o, "terminating", json_boolean(e->terminating));
		json_take(&o, "local", json_boolean(endpoint_is_local(e, node)));
		json_take(&o, "used", json_boolean(used));
		json_take(&o, "weight", json_integer(e->weight));
		json_take(&o, "node", json_text(e->node));
		json_take(&o, "zone", json_text(e->zone));
		json_take(&o, "inFiles", json_true());
		json_take(&o, "counters",
			  endpoint_counters_json(
				  counts_find_endpoint(counts, counted, &e->ip, e->port)));
		if (!json_push(list, json_made(&o)))
			return false;
	}
	return push_leaving(list, s, port, family, counts, counted);
}

json_t *control_endpoints_json(const struct world *w, const char *service, const char *node,
			       const char *zone, const struct counts *counts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < w->n_services; i++) {
		const struct service *s = w->services[i];

		if (service && !streq(service, s->key))
			continue;
		for (size_t port = 0; port < service_n_lists(s); port++) {
			for (int family = 0; family < _ADDR_FAMILY_MAX; family++) {
				if (push_endpoints(&list, s, port, family, node, zone, counts))
					continue;
				json_decref(list);
				return NULL;
			}
		}
	}
	return list;
}
