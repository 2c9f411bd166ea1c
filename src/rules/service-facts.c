/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules/service-facts.h"

bool service_facts_external_ip(const struct service_facts *f, size_t i)
{
	return f->allow_external_ips && f->def->external_ips[i].family == f->family;
}

bool service_facts_lb_ip(const struct service_facts *f, size_t i)
{
	return !f->def->lb_ips[i].proxy && f->def->lb_ips[i].ip.family == f->family;
}

bool service_facts_range(const struct service_facts *f, size_t i)
{
	return f->def->source_ranges[i].addr.family == f->family;
}

static void look_at_ranges(struct service_facts *f, const struct addr *node_ip)
{
	for (size_t i = 0; i < f->def->n_source_ranges; i++) {
		const struct addr_prefix *range = &f->def->source_ranges[i];

		if (!service_facts_range(f, i))
			continue;
		if (range->length == 0) {
			f->ranges = f->node_in_ranges = false;
			return;
		}
		f->ranges = true;
		if (addr_prefix_contains(range, node_ip))
			f->node_in_ranges = true;
	}
}

void service_facts_find(const struct service_def *def, enum addr_family family,
			bool allow_external_ips, const struct addr *node_ip,
			struct service_facts *ret)
{
	struct service_facts f = {
		.def = def,
		.family = family,
		.allow_external_ips = allow_external_ips,
		.external_local = def->external_local && service_def_externally_accessible(def),
		.internal_local = def->internal_local,
	};

	for (size_t i = 0; i < def->n_external_ips; i++)
		f.has_external_ip = f.has_external_ip || service_facts_external_ip(&f, i);
	for (size_t i = 0; i < def->n_lb_ips; i++)
		f.has_lb_ip = f.has_lb_ip || service_facts_lb_ip(&f, i);
	look_at_ranges(&f, node_ip);
	*ret = f;
}

bool service_facts_accessible(const struct service_facts *f, size_t port)
{
	return f->def->ports[port].node_port != 0 || f->has_lb_ip || f->has_external_ip;
}

uint16_t service_facts_health_port(const struct service_facts *f)
{
	return f->def->type == SVC_LOAD_BALANCER && f->external_local
		       ? f->def->health_check_node_port
		       : 0;
}

int service_facts_choose(const struct service_facts *f, const struct service *service, size_t port,
			 const char *node, const char *zone, struct choice *ret)
{
	bool accessible = service_facts_accessible(f, port);

	return choose_endpoints(
		&service->endpoints[port][f->family], !f->internal_local || accessible,
		f->internal_local || (f->external_local && accessible), node, zone, ret);
}
