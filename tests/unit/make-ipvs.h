/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Services and states of ipvs mode, for tests. */

#include <stdio.h>

#include "make-world.h"
#include "rules/ipvs-internal.h"

/* One service, in all its parts. Each test changes what it is about. */
struct setup {
	char key[32], names[2][8];
	struct service_port ports[2];
	struct addr external[4];
	struct lb_ip lb[4];
	struct addr_prefix ranges[4];
	struct service_def def;
};

static inline void set_up(struct setup *s, const char *key)
{
	*s = (struct setup){.names = {"p", "q"}};
	(void)snprintf(s->key, sizeof(s->key), "%s", key);
	s->ports[0] = (struct service_port){.name = s->names[0], .port = 80};
	s->ports[1] = (struct service_port){
		.name = s->names[1], .port = 53, .protocol = SVC_UDP, .node_port = 0};
	s->def = (struct service_def){
		.key = s->key,
		.ports = s->ports,
		.n_ports = 1,
		.external_ips = s->external,
		.lb_ips = s->lb,
		.source_ranges = s->ranges,
		.has_cluster_ip = {true, true},
		.cluster_ips = {make_addr("10.96.0.1"), make_addr("fd00:96::1")},
		.affinity_seconds = 10800,
	};
}

/* A load balancer with one address of each kind, in each family. */
static inline void set_up_external(struct setup *s, const char *key)
{
	set_up(s, key);
	s->def.type = SVC_LOAD_BALANCER;
	s->ports[0].node_port = 30080;
	s->external[s->def.n_external_ips++] = make_addr("198.51.100.1");
	s->external[s->def.n_external_ips++] = make_addr("2001:db8:51::1");
	s->lb[s->def.n_lb_ips++].ip = make_addr("203.0.113.1");
	s->lb[s->def.n_lb_ips++].ip = make_addr("2001:db8:113::1");
}

/* Endpoints of the first port; NULL ones are skipped. */
static inline struct service *make_from(const struct setup *s, const char *const *endpoints,
					size_t n)
{
	struct service *service = make_service(&s->def);

	for (size_t i = 0; i < n; i++)
		if (endpoints[i])
			give_endpoint(service, 0, endpoints[i]);
	return service;
}

static const char *const host_addrs[] = {
	"127.0.0.1%lo",	       "::1%lo",	"192.0.2.10%eth0",
	"2001:db8:2::10%eth0", "fe80::10%eth0", "10.1.0.1%br0",
};

/* Takes over settings and services. */
static inline struct view make_view_at(struct shared_settings *settings, struct service **services,
				       size_t n, const char *const *addrs, size_t n_addrs)
{
	return (struct view){
		.world = make_world(settings, services, n),
		.addrs = make_addrs(addrs, n_addrs, "192.0.2.10", "2001:db8:2::10"),
	};
}

static inline struct view make_view(struct shared_settings *settings, struct service **services,
				    size_t n)
{
	return make_view_at(settings, services, n, host_addrs, ELEMENTSOF(host_addrs));
}

static inline void view_done(struct view *v)
{
	world_unref(v->world);
	local_addrs_unref(v->addrs);
}

static inline struct ipvs_state *make_state(const struct view *v, enum addr_family family,
					    const struct ipvs_state *previous)
{
	struct ipvs_state *s = NULL;

	assert_int_equal(ipvs_state_make(v, family, previous, &s), 0);
	assert_non_null(s);
	assert_int_equal(s->refs, 1);
	assert_int_equal(s->family, family);
	assert_ptr_equal(s->world, v->world);
	return s;
}

/* The state of one service alone, with settings that are not special. Takes over the service. */
static inline struct ipvs_state *make_state_of(struct service *service, enum addr_family family)
{
	struct view v = make_view(make_settings(), &service, 1);
	struct ipvs_state *s = make_state(&v, family, NULL);

	view_done(&v);
	return s;
}

/* The entries of a set, in their order: "10.96.0.1,tcp:80 10.96.0.2,tcp:80". */
static inline char *entries_text(const struct ipvs_state *s, enum ipvs_set set)
{
	struct strbuf out = {0};

	for (size_t i = 0; i < s->n_entries[set]; i++) {
		if (i > 0)
			strbuf_add_char(&out, ' ');
		ipvs_entry_print(&s->entries[set][i], ipvs_set_rows[set].kind, &out);
	}
	assert_int_equal(strbuf_error(&out), 0);
	return out.len ? strbuf_take(&out) : strdup("");
}

static inline void check_entries(const struct ipvs_state *s, enum ipvs_set set, const char *wanted)
{
	char *got = entries_text(s, set);

	if (!streq(got, wanted))
		fail_msg("%s: '%s'\nwanted '%s'", ipvs_set_rows[set].names[s->family], got, wanted);
	free(got);
}

/* Everything that is printed of a state. */
static inline char *state_text(const struct ipvs_state *s)
{
	struct strbuf out = {0};

	ipvs_print_servers(s, &out);
	ipvs_print_sets(s, &out);
	ipvs_print_addresses(s, &out);
	ipvs_print_rules(s, &out);
	assert_int_equal(strbuf_error(&out), 0);
	return strbuf_take(&out);
}
