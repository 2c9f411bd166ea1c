/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"

/*
 * What a host is like, as far as it matters to what is configured on it: plain data, filled in by
 * kernel/host-facts.c or by a test. Initialise with {0}, add, then host_facts_finish(); the
 * host_find functions are for facts that are finished.
 */

struct host_address {
	struct addr addr;
	uint8_t length; /* of the network that it is in */
	char interface[16];
};

/* A network that an interface is in. */
struct host_link {
	struct addr_prefix prefix;
	char interface[16];
};

/* A machine that this host needs. */
struct host_neighbour {
	struct addr addr;
	bool peer; /* other end of a point-to-point link; else a default gateway */
	char interface[16];
};

/* A port that a program on this host has: TCP ones that it listens on, UDP ones without a peer. */
struct host_socket {
	bool udp;
	uint16_t port;
	struct addr addr; /* unspecified: all of the family */
};

struct host_facts {
	struct host_address *addresses;
	size_t n_addresses, addresses_allocated;
	struct host_link *links; /* made by host_facts_finish(); none lies in another */
	size_t n_links;
	struct host_neighbour *neighbours;
	size_t n_neighbours, neighbours_allocated;
	struct host_socket *sockets;
	size_t n_sockets, sockets_allocated;
	/* Ports that outgoing connections are given, both ends included; 0, 0: unknown. */
	uint16_t ephemeral_first, ephemeral_last;
	uint8_t reserved[65536 / 8]; /* a bit each: never given to them */
	bool usable[_ADDR_FAMILY_MAX];
	bool forwards[_ADDR_FAMILY_MAX]; /* it is a router */
};
void host_facts_done(struct host_facts *f);
#define _cleanup_host_facts_ _cleanup_(host_facts_done)

/* Copies. -ENOMEM. */
int host_add_address(struct host_facts *f, const struct host_address *a);
int host_add_neighbour(struct host_facts *f, const struct host_neighbour *n);
int host_add_socket(struct host_facts *f, const struct host_socket *s);
/* The kernel's notation: "8080,9148-9150"; an empty text is fine. -EINVAL: nothing was added. */
int host_reserve_ports(struct host_facts *f, const char *text);
/* "32768 60999", blanks or a tab between. -EINVAL, f untouched. */
int host_set_ephemeral(struct host_facts *f, const char *text);

/* Sorts what was added, and works out the networks. -ENOMEM. */
int host_facts_finish(struct host_facts *f);

/* All in logarithmic time; NULL: there is none. */
const struct host_address *host_find_address(const struct host_facts *f, const struct addr *a);
const struct host_link *host_find_link(const struct host_facts *f, const struct addr *a);
const struct host_neighbour *host_find_neighbour(const struct host_facts *f, const struct addr *a);
/* The first of *ret_n sockets of a port. */
const struct host_socket *host_find_sockets(const struct host_facts *f, bool udp, uint16_t port,
					    size_t *ret_n);
bool host_port_is_ephemeral(const struct host_facts *f, uint16_t port);
