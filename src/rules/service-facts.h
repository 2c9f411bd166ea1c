/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/choose.h"
#include "model/service.h"

/*
 * What the compilers of all modes have to know of a service in one family before they write
 * anything for it: which of its addresses count, which policies, which source ranges. Points into
 * the definition.
 */
struct service_facts {
	const struct service_def *def;
	enum addr_family family;
	bool allow_external_ips;
	bool external_local; /* the policy, where the service can be reached from outside at all */
	bool internal_local;
	bool has_external_ip, has_lb_ip; /* one that counts */
	bool ranges;	     /* source ranges count: some of this family, none of them /0 */
	bool node_in_ranges; /* with ranges: one of them contains the node's address */
};
void service_facts_find(const struct service_def *def, enum addr_family family,
			bool allow_external_ips, const struct addr *node_ip,
			struct service_facts *ret);

/* Whether the i-th of the definition's list counts in the family. */
bool service_facts_external_ip(const struct service_facts *f, size_t i);
bool service_facts_lb_ip(const struct service_facts *f, size_t i);
bool service_facts_range(const struct service_facts *f, size_t i);

/* The port has an address outside in this family: a node port, or an address of the service. */
bool service_facts_accessible(const struct service_facts *f, size_t port);
/* The port of the health check that external balancers ask, 0: none. */
uint16_t service_facts_health_port(const struct service_facts *f);

/* Endpoints of one port by the policies: spec/model.md section 3. -ENOMEM. */
int service_facts_choose(const struct service_facts *f, const struct service *service, size_t port,
			 const char *node, const char *zone, struct choice *ret);
