/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/cleanup.h"
#include "kernel/ipvs.h"
#include "model/service.h"

/*
 * What went through the kernel by its own account, for each service port: a sum over its virtual
 * servers (a port has one for each of its addresses), each of these, and each real server.
 */

struct count_server {
	struct addr addr;
	uint16_t port;
	struct ipvs_counters counters;
};

/* An endpoint: over all virtual servers of the port. */
struct count_endpoint {
	struct addr addr;
	uint16_t port;
	uint32_t weight;	   /* the highest; 0: it drains, and gets no new connections */
	uint64_t active, inactive; /* connections now */
	struct ipvs_counters counters;
};

struct count_port {
	const char *service; /* borrowed */
	enum svc_proto protocol;
	uint16_t port; /* of the service */
	struct ipvs_counters counters;
	size_t first_server, n_servers;
	size_t first_endpoint, n_endpoints; /* sorted by address, port */
};

struct counts {
	struct count_port *ports; /* sorted by service, protocol, port */
	struct count_server *servers;
	struct count_endpoint *endpoints;
	size_t n_ports, n_servers, n_endpoints;
	size_t ports_allocated, servers_allocated, endpoints_allocated;
};
void counts_done(struct counts *c);
#define _cleanup_counts_ _cleanup_(counts_done)

void counters_add(struct ipvs_counters *to, const struct ipvs_counters *c);

/*
 * Making them: ports in their order; after each its virtual servers, each with its real servers;
 * then the end of the port. The service's name must live as long. -ENOMEM.
 */
int counts_begin_port(struct counts *c, const char *service, enum svc_proto protocol,
		      uint16_t port);
int counts_add_server(struct counts *c, const struct ipvs_server *server);
int counts_add_dests(struct counts *c, const struct ipvs_dests *dests);
/* Sums up; a port without a virtual server in the kernel is dropped. */
void counts_end_port(struct counts *c);

/* NULL: the port has no virtual server, or counts is NULL. */
const struct count_port *counts_find(const struct counts *c, const char *service,
				     enum svc_proto protocol, uint16_t port);
/* NULL: no real server of the port; p may be NULL. */
const struct count_endpoint *counts_find_endpoint(const struct counts *c,
						  const struct count_port *p,
						  const struct addr *addr, uint16_t port);
