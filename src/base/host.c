/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/num.h"

void host_facts_done(struct host_facts *f)
{
	free(f->addresses);
	free(f->links);
	free(f->neighbours);
	free(f->sockets);
	*f = (struct host_facts){0};
}

int host_add_address(struct host_facts *f, const struct host_address *a)
{
	int r = array_reserve(&f->addresses, &f->addresses_allocated, f->n_addresses + 1);

	if (r == 0)
		f->addresses[f->n_addresses++] = *a;
	return r;
}

int host_add_neighbour(struct host_facts *f, const struct host_neighbour *n)
{
	int r = array_reserve(&f->neighbours, &f->neighbours_allocated, f->n_neighbours + 1);

	if (r == 0)
		f->neighbours[f->n_neighbours++] = *n;
	return r;
}

int host_add_socket(struct host_facts *f, const struct host_socket *s)
{
	int r = array_reserve(&f->sockets, &f->sockets_allocated, f->n_sockets + 1);

	if (r == 0)
		f->sockets[f->n_sockets++] = *s;
	return r;
}

static bool is_reserved(const struct host_facts *f, uint16_t port)
{
	return f->reserved[port / 8] & (1U << port % 8);
}

/* n bytes of text as a port. */
static int parse_port(const char *text, size_t n, uint16_t *ret)
{
	char copy[8];
	uint64_t port;
	int r;

	if (n >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, n);
	copy[n] = '\0';
	r = num_parse_u64(copy, 0, UINT16_MAX, &port);
	if (r < 0)
		return -EINVAL;
	*ret = (uint16_t)port;
	return 0;
}

/* "5" or "5-7" */
static int parse_range(const char *text, size_t n, uint16_t *ret_first, uint16_t *ret_last)
{
	const char *dash = memchr(text, '-', n);
	size_t n_first = dash ? (size_t)(dash - text) : n;
	uint16_t first, last;
	int r;

	r = parse_port(text, n_first, &first);
	last = first;
	if (r == 0 && dash)
		r = parse_port(dash + 1, n - n_first - 1, &last);
	if (r < 0 || last < first)
		return -EINVAL;
	*ret_first = first;
	*ret_last = last;
	return 0;
}

int host_reserve_ports(struct host_facts *f, const char *text)
{
	uint8_t reserved[sizeof(f->reserved)];

	memcpy(reserved, f->reserved, sizeof(reserved));
	while (*text) {
		size_t n = strcspn(text, ",");
		uint16_t first = 0, last = 0;

		if (parse_range(text, n, &first, &last) < 0)
			return -EINVAL;
		for (unsigned port = first; port <= last; port++)
			reserved[port / 8] |= (uint8_t)(1U << port % 8);
		text += n;
		if (*text == ',' && *++text == '\0')
			return -EINVAL;
	}
	memcpy(f->reserved, reserved, sizeof(reserved));
	return 0;
}

int host_set_ephemeral(struct host_facts *f, const char *text)
{
	size_t n = strcspn(text, " \t");
	const char *second = text + n + strspn(text + n, " \t");
	uint16_t first, last;

	if (parse_port(text, n, &first) < 0 || parse_port(second, strlen(second), &last) < 0 ||
	    last < first)
		return -EINVAL;
	f->ephemeral_first = first;
	f->ephemeral_last = last;
	return 0;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct host_address *x = a, *y = b;
	int order = addr_compare(&x->addr, &y->addr);

	return order ? order : strcmp(x->interface, y->interface);
}

static int compare_neighbours(const void *a, const void *b)
{
	const struct host_neighbour *x = a, *y = b;
	int order = addr_compare(&x->addr, &y->addr);

	return order ? order : strcmp(x->interface, y->interface);
}

static int compare_links(const void *a, const void *b)
{
	const struct host_link *x = a, *y = b;
	int order = addr_compare(&x->prefix.addr, &y->prefix.addr);

	if (order == 0)
		order = (x->prefix.length > y->prefix.length) -
			(x->prefix.length < y->prefix.length);
	return order ? order : strcmp(x->interface, y->interface);
}

static int compare_ports(const struct host_socket *x, bool udp, uint16_t port)
{
	if (x->udp != udp)
		return x->udp < udp ? -1 : 1;
	return (x->port > port) - (x->port < port);
}

static int compare_sockets(const void *a, const void *b)
{
	const struct host_socket *x = a, *y = b;
	int order = compare_ports(x, y->udp, y->port);

	return order ? order : addr_compare(&x->addr, &y->addr);
}

static struct addr_prefix network_of(const struct host_address *a)
{
	struct addr_prefix p = {.addr = a->addr, .length = a->length};
	unsigned size = a->addr.family == ADDR_IPV4 ? 4 : 16;

	for (unsigned i = a->length / 8U; i < size; i++) {
		unsigned kept = i == a->length / 8U ? a->length % 8U : 0;

		p.addr.bytes[i] &= (uint8_t)(0xff00U >> kept);
	}
	return p;
}

/* All that is in a network of the loopback interface is this host; and neither a single address nor
 * the whole world is a network. */
static bool is_network(const struct host_address *a)
{
	return a->length > 0 && a->length < (a->addr.family == ADDR_IPV4 ? 32 : 128) &&
	       !streq(a->interface, "lo");
}

static int find_links(struct host_facts *f)
{
	struct host_link *links = calloc(f->n_addresses + 1, sizeof(*links));
	size_t n = 0, kept = 0;

	if (!links)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_addresses; i++) {
		const struct host_address *a = &f->addresses[i];

		if (!is_network(a))
			continue;
		links[n].prefix = network_of(a);
		memcpy(links[n++].interface, a->interface, sizeof(a->interface));
	}
	qsort(links, n, sizeof(*links), compare_links);
	/* The wider one comes first, and all that lies in it follows. */
	for (size_t i = 0; i < n; i++)
		if (kept == 0 ||
		    !addr_prefix_contains(&links[kept - 1].prefix, &links[i].prefix.addr))
			links[kept++] = links[i];
	free(f->links);
	f->links = links;
	f->n_links = kept;
	return 0;
}

int host_facts_finish(struct host_facts *f)
{
	if (f->n_addresses > 0)
		qsort(f->addresses, f->n_addresses, sizeof(*f->addresses), compare_addresses);
	if (f->n_neighbours > 0)
		qsort(f->neighbours, f->n_neighbours, sizeof(*f->neighbours), compare_neighbours);
	if (f->n_sockets > 0)
		qsort(f->sockets, f->n_sockets, sizeof(*f->sockets), compare_sockets);
	return find_links(f);
}

const struct host_address *host_find_address(const struct host_facts *f, const struct addr *a)
{
	size_t low = 0, high = f->n_addresses;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (addr_compare(&f->addresses[middle].addr, a) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->n_addresses && addr_equal(&f->addresses[low].addr, a) ? &f->addresses[low]
									      : NULL;
}

const struct host_link *host_find_link(const struct host_facts *f, const struct addr *a)
{
	size_t low = 0, high = f->n_links;

	/* Past the last network that does not begin after the address. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (addr_compare(&f->links[middle].prefix.addr, a) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && addr_prefix_contains(&f->links[low - 1].prefix, a) ? &f->links[low - 1]
									     : NULL;
}

const struct host_neighbour *host_find_neighbour(const struct host_facts *f, const struct addr *a)
{
	size_t low = 0, high = f->n_neighbours;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (addr_compare(&f->neighbours[middle].addr, a) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->n_neighbours && addr_equal(&f->neighbours[low].addr, a)
		       ? &f->neighbours[low]
		       : NULL;
}

const struct host_socket *host_find_sockets(const struct host_facts *f, bool udp, uint16_t port,
					    size_t *ret_n)
{
	size_t low = 0, high = f->n_sockets, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_ports(&f->sockets[middle], udp, port) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < f->n_sockets; end++)
		if (compare_ports(&f->sockets[end], udp, port) != 0)
			break;
	*ret_n = end - low;
	return end > low ? &f->sockets[low] : NULL;
}

bool host_port_is_ephemeral(const struct host_facts *f, uint16_t port)
{
	return port > 0 && port >= f->ephemeral_first && port <= f->ephemeral_last &&
	       !is_reserved(f, port);
}
