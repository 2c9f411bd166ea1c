/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void counts_done(struct counts *c)
{
	free(c->ports);
	free(c->servers);
	free(c->endpoints);
	*c = (struct counts){0};
}

void counters_add(struct ipvs_counters *to, const struct ipvs_counters *c)
{
	to->connections += c->connections;
	to->in_packets += c->in_packets;
	to->out_packets += c->out_packets;
	to->in_bytes += c->in_bytes;
	to->out_bytes += c->out_bytes;
}

int counts_begin_port(struct counts *c, const char *service, enum svc_proto protocol, uint16_t port)
{
	if (array_reserve(&c->ports, &c->ports_allocated, c->n_ports + 1) < 0)
		return -ENOMEM;
	c->ports[c->n_ports++] = (struct count_port){
		.service = service,
		.protocol = protocol,
		.port = port,
		.first_server = c->n_servers,
		.first_endpoint = c->n_endpoints,
	};
	return 0;
}

int counts_add_server(struct counts *c, const struct ipvs_server *server)
{
	if (array_reserve(&c->servers, &c->servers_allocated, c->n_servers + 1) < 0)
		return -ENOMEM;
	c->servers[c->n_servers++] = (struct count_server){
		.addr = server->key.addr,
		.port = server->key.port,
		.counters = server->counters,
	};
	return 0;
}

int counts_add_dests(struct counts *c, const struct ipvs_dests *dests)
{
	if (array_reserve(&c->endpoints, &c->endpoints_allocated, c->n_endpoints + dests->n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < dests->n; i++) {
		const struct ipvs_dest *d = &dests->items[i];

		c->endpoints[c->n_endpoints++] = (struct count_endpoint){
			.addr = d->addr,
			.port = d->port,
			.weight = d->weight,
			.active = d->active,
			.inactive = d->inactive,
			.counters = d->counters,
		};
	}
	return 0;
}

static int compare_endpoints(const void *a, const void *b)
{
	const struct count_endpoint *x = a, *y = b;
	int r = addr_compare(&x->addr, &y->addr);

	return r ? r : (x->port > y->port) - (x->port < y->port);
}

static void merge(struct count_endpoint *to, const struct count_endpoint *e)
{
	to->weight = MAX_OF(to->weight, e->weight);
	to->active += e->active;
	to->inactive += e->inactive;
	counters_add(&to->counters, &e->counters);
}

void counts_end_port(struct counts *c)
{
	struct count_port *p = &c->ports[c->n_ports - 1];
	struct count_endpoint *first;
	size_t n = c->n_endpoints - p->first_endpoint;

	p->n_servers = c->n_servers - p->first_server;
	if (p->n_servers == 0) {
		c->n_endpoints = p->first_endpoint;
		c->n_ports--;
		return;
	}
	for (size_t i = 0; i < p->n_servers; i++)
		counters_add(&p->counters, &c->servers[p->first_server + i].counters);
	if (n == 0)
		return;
	first = &c->endpoints[p->first_endpoint];
	qsort(first, n, sizeof(*first), compare_endpoints);
	p->n_endpoints = 1;
	for (size_t i = 1; i < n; i++) {
		if (compare_endpoints(&first[p->n_endpoints - 1], &first[i]) == 0)
			merge(&first[p->n_endpoints - 1], &first[i]);
		else
			first[p->n_endpoints++] = first[i];
	}
	c->n_endpoints = p->first_endpoint + p->n_endpoints;
}

const struct count_port *counts_find(const struct counts *c, const char *service,
				     enum svc_proto protocol, uint16_t port)
{
	size_t low = 0, high = c ? c->n_ports : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct count_port *p = &c->ports[middle];
		int r = strcmp(service, p->service);

		if (r == 0)
			r = (protocol > p->protocol) - (protocol < p->protocol);
		if (r == 0)
			r = (port > p->port) - (port < p->port);
		if (r == 0)
			return p;
		if (r < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const struct count_endpoint *counts_find_endpoint(const struct counts *c,
						  const struct count_port *p,
						  const struct addr *addr, uint16_t port)
{
	const struct count_endpoint wanted = {.addr = *addr, .port = port};

	if (!p || p->n_endpoints == 0)
		return NULL;
	return bsearch(&wanted, &c->endpoints[p->first_endpoint], p->n_endpoints, sizeof(wanted),
		       compare_endpoints);
}
