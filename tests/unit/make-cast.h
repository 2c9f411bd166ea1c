/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Worlds at random that change step by step, the same for the same seed. */

#include <stdio.h>

#include "make-world.h"
#include "rules/ruleset.h"

#define MAX_SERVICES 12

struct random {
	uint64_t state;
};

static inline unsigned pick(struct random *r, unsigned n)
{
	r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(r->state >> 33) % n;
}

static inline struct service *random_service(struct random *r, unsigned number)
{
	struct service_port ports[2] = {
		{.name = (char *)(uintptr_t) "http", .protocol = SVC_TCP, .port = 80},
		{.name = (char *)(uintptr_t) "dns", .protocol = SVC_UDP, .port = 53},
	};
	struct addr external[2];
	struct lb_ip lb[2] = {0};
	struct addr_prefix ranges[2];
	char key[32], text[64];
	struct service_def def = {
		.key = key,
		.type = (enum svc_type)pick(r, 3),
		.ports = ports,
		.n_ports = 1 + pick(r, 2),
		.external_ips = external,
		.n_external_ips = pick(r, 3),
		.lb_ips = lb,
		.source_ranges = ranges,
		.affinity = pick(r, 4) == 0,
		.affinity_seconds = 10800,
		.external_local = pick(r, 3) == 0,
		.internal_local = pick(r, 5) == 0,
		.has_cluster_ip = {true, true},
	};
	struct service *s;

	(void)snprintf(key, sizeof(key), "ns%u/svc%u", number % 3, number);
	(void)snprintf(text, sizeof(text), "10.96.0.%u", number + 1);
	def.cluster_ips[ADDR_IPV4] = make_addr(text);
	(void)snprintf(text, sizeof(text), "fd00:96::%x", number + 1);
	def.cluster_ips[ADDR_IPV6] = make_addr(text);
	for (unsigned i = 0; i < 2; i++) {
		(void)snprintf(text, sizeof(text), "198.51.100.%u", number * 2 + i + 1);
		external[i] = make_addr(text);
		(void)snprintf(text, sizeof(text), "203.0.113.%u", number * 2 + i + 1);
		lb[i].ip = make_addr(text);
		(void)snprintf(text, sizeof(text), "192.0.%u.0/24", 2 + i);
		ranges[i] = make_prefix(text);
		if (def.type != SVC_CLUSTER_IP)
			ports[i].node_port = (uint16_t)(30000 + number * 2 + i);
	}
	if (def.type == SVC_LOAD_BALANCER) {
		def.n_lb_ips = pick(r, 3);
		def.n_source_ranges = pick(r, 3);
		if (def.external_local)
			def.health_check_node_port = (uint16_t)(31000 + number);
	}
	s = make_service(&def);
	for (size_t port = 0; port < def.n_ports; port++)
		for (unsigned i = 0, n = pick(r, 4); i < n; i++) {
			(void)snprintf(text, sizeof(text), "10.1.%u.%u:8080 %c%s", number,
				       i + pick(r, 2) * 4, "rrrsdtn"[pick(r, 7)],
				       pick(r, 2) ? " @node-1" : " @node-2");
			give_endpoint(s, port, text);
			if (pick(r, 2))
				continue;
			(void)snprintf(text, sizeof(text), "[fd00:1::%x:%x]:8080 r @node-1", number,
				       i);
			give_endpoint(s, port, text);
		}
	return s;
}

struct cast {
	struct service *services[MAX_SERVICES]; /* NULL: not there now */
	struct kernel_facts facts;
	bool masquerade_all, localhost_node_ports;
	unsigned bit;
	enum iptables_backend backend;
};

static inline int compare_services(const void *a, const void *b)
{
	const struct service *const *x = a, *const *y = b;

	return service_key_compare((*x)->key, (*y)->key);
}

/* The caller owns the two references. */
static inline struct view cast_view(const struct cast *c)
{
	static const char *const host[] = {"127.0.0.1%lo", "192.0.2.10%eth0"};
	struct shared_settings *settings = make_settings();
	struct service *services[MAX_SERVICES];
	struct view v;
	size_t n = 0;

	settings->s.iptables_masquerade_all = c->masquerade_all;
	settings->s.iptables_localhost_node_ports = c->localhost_node_ports;
	settings->s.iptables_masquerade_bit = c->bit;
	settings->s.iptables_backend = c->backend;
	settings->s.detect_local = DETECT_CLUSTER_CIDR;
	add_prefix(&settings->s.cluster_cidr, "10.1.0.0/16");
	for (size_t i = 0; i < MAX_SERVICES; i++)
		if (c->services[i])
			services[n++] = service_ref(c->services[i]);
	qsort(services, n, sizeof(services[0]), compare_services);
	v.world = make_world(settings, services, n);
	v.addrs = make_addrs(host, ELEMENTSOF(host), "192.0.2.10", NULL);
	return v;
}

static inline void cast_view_done(struct view *v)
{
	world_unref(v->world);
	local_addrs_unref(v->addrs);
}

static inline struct ruleset *cast_compile(const struct cast *c, enum addr_family family,
					   const struct ruleset *previous)
{
	struct view v = cast_view(c);
	struct ruleset *rs = NULL;

	assert_int_equal(ruleset_compile(&v, family, &c->facts, previous, &rs), 0);
	assert_non_null(rs);
	cast_view_done(&v);
	return rs;
}

static inline void cast_init(struct cast *c, struct random *r)
{
	*c = (struct cast){.bit = 14, .localhost_node_ports = true, .facts = {.nfacct = true}};
	for (unsigned i = 0; i < MAX_SERVICES; i++)
		if (pick(r, 3))
			c->services[i] = random_service(r, i);
}

static inline void cast_done(struct cast *c)
{
	for (size_t i = 0; i < MAX_SERVICES; i++)
		service_unref(c->services[i]);
}

static inline void cast_change(struct cast *c, struct random *r)
{
	for (unsigned n = 1 + pick(r, 3); n > 0; n--) {
		unsigned i = pick(r, MAX_SERVICES);

		c->services[i] = service_unref(c->services[i]);
		if (pick(r, 4))
			c->services[i] = random_service(r, i);
	}
	switch (pick(r, 20)) {
	case 0:
		c->masquerade_all = !c->masquerade_all;
		break;
	case 1:
		c->localhost_node_ports = !c->localhost_node_ports;
		break;
	case 2:
		c->bit = 10 + pick(r, 5);
		break;
	case 3:
		c->facts.nfacct = !c->facts.nfacct;
		break;
	case 4:
		c->facts.tcp_be_liberal = !c->facts.tcp_be_liberal;
		break;
	default:
		break;
	}
}
