/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

void counts_done(struct counts *c)
{
	free(c->ports);
	free(c->servers);
	free(c->endpoints);
	strbuf_done(&c->keys);
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
	size_t key = c->keys.len;

	if (array_reserve(&c->ports, &c->ports_allocated, c->n_ports + 1) < 0)
		return -ENOMEM;
	strbuf_add_bytes(&c->keys, service, strlen(service) + 1);
	if (strbuf_error(&c->keys) < 0)
		return -ENOMEM;
	c->ports[c->n_ports++] = (struct count_port){
		.key = key,
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
		int r = strcmp(service, c->keys.data + p->key);

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

/* Same program, same layout: the arrays as they are, after their lengths. */
struct head {
	size_t n_ports, n_servers, n_endpoints, keys;
};

static int write_all(int fd, const void *data, size_t size)
{
	const char *p = data;

	while (size > 0) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

int counts_write(const struct counts *c, int fd)
{
	const struct head head = {c->n_ports, c->n_servers, c->n_endpoints, c->keys.len};
	int r = strbuf_error(&c->keys);

	if (r == 0)
		r = write_all(fd, &head, sizeof(head));
	if (r == 0)
		r = write_all(fd, c->ports, c->n_ports * sizeof(*c->ports));
	if (r == 0)
		r = write_all(fd, c->servers, c->n_servers * sizeof(*c->servers));
	if (r == 0)
		r = write_all(fd, c->endpoints, c->n_endpoints * sizeof(*c->endpoints));
	return r < 0 ? r : write_all(fd, c->keys.data, c->keys.len);
}

struct cursor {
	const char *at;
	size_t left;
};

static int take(struct cursor *from, void *items, size_t *allocated, size_t n, size_t item_size)
{
	void **array = items;
	int r;

	if (n > from->left / item_size)
		return -EBADMSG;
	if (n == 0)
		return 0;
	r = array_reserve_bytes(array, allocated, n, item_size);
	if (r < 0)
		return r;
	memcpy(*array, from->at, n * item_size);
	from->at += n * item_size;
	from->left -= n * item_size;
	return 0;
}

static bool inside(size_t first, size_t n, size_t all)
{
	return first <= all && n <= all - first;
}

static bool sound(const struct counts *c)
{
	if (c->n_ports > 0 && (c->keys.len == 0 || c->keys.data[c->keys.len - 1] != '\0'))
		return false;
	for (size_t i = 0; i < c->n_ports; i++) {
		const struct count_port *p = &c->ports[i];

		if (p->key >= c->keys.len || !inside(p->first_server, p->n_servers, c->n_servers) ||
		    !inside(p->first_endpoint, p->n_endpoints, c->n_endpoints))
			return false;
	}
	return true;
}

int counts_read(const char *data, size_t size, struct counts *ret)
{
	_cleanup_counts_ struct counts c = {0};
	struct cursor from = {data, size};
	struct head head;
	int r;

	if (size < sizeof(head))
		return -EBADMSG;
	memcpy(&head, data, sizeof(head));
	from.at += sizeof(head);
	from.left -= sizeof(head);
	r = take(&from, &c.ports, &c.ports_allocated, head.n_ports, sizeof(*c.ports));
	if (r == 0)
		r = take(&from, &c.servers, &c.servers_allocated, head.n_servers,
			 sizeof(*c.servers));
	if (r == 0)
		r = take(&from, &c.endpoints, &c.endpoints_allocated, head.n_endpoints,
			 sizeof(*c.endpoints));
	if (r < 0)
		return r;
	if (from.left != head.keys)
		return -EBADMSG;
	c.n_ports = head.n_ports;
	c.n_servers = head.n_servers;
	c.n_endpoints = head.n_endpoints;
	strbuf_add_bytes(&c.keys, from.at, from.left);
	if (strbuf_error(&c.keys) < 0)
		return -ENOMEM;
	if (!sound(&c))
		return -EBADMSG;
	*ret = c;
	c = (struct counts){0};
	return 0;
}
