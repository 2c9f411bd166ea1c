/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "rules/ipvs-internal.h"

const char *ipvs_scheduler_static(const char *name)
{
	for (const char *const *known = ipvs_scheduler_names; *known; known++)
		if (streq(*known, name))
			return *known;
	return "rr";
}

struct ipvs_env *ipvs_env_free(struct ipvs_env *env)
{
	if (!env)
		return NULL;
	free(env->node_name);
	free(env->zone);
	free(env->on_links);
	free(env->node_ports);
	free(env);
	return NULL;
}

/* The host's addresses without those of the dummy link: what is bound there must not decide what is
 * to be bound, and gets no node ports. */
static int without_dummy(const struct local_addrs *all, struct local_addrs *ret)
{
	struct local_addrs kept = {.refs = 1};

	if (!all) {
		*ret = kept;
		return 0;
	}
	memcpy(kept.has_node_ip, all->has_node_ip, sizeof(kept.has_node_ip));
	memcpy(kept.node_ip, all->node_ip, sizeof(kept.node_ip));
	if (all->n > 0) {
		kept.items = calloc(all->n, sizeof(*kept.items));
		if (!kept.items)
			return -ENOMEM;
	}
	for (size_t i = 0; i < all->n; i++)
		if (!streq(all->items[i].interface, IPVS_DUMMY))
			kept.items[kept.n++] = all->items[i];
	*ret = kept;
	return 0;
}

/* Without loopback addresses, and without link-local ones of IPv6. */
static int find_on_links(struct ipvs_env *env, const struct local_addrs *addrs)
{
	unsigned left_out = ADDR_IS_LOOPBACK | (env->family == ADDR_IPV6 ? ADDR_IS_LINK_LOCAL : 0);

	if (addrs->n == 0)
		return 0;
	env->on_links = calloc(addrs->n, sizeof(*env->on_links));
	if (!env->on_links)
		return -ENOMEM;
	for (size_t i = 0; i < addrs->n; i++) {
		const struct addr *a = &addrs->items[i].addr;

		if (a->family != env->family || addr_kinds(a) & left_out)
			continue;
		if (env->n_on_links > 0 && addr_equal(a, &env->on_links[env->n_on_links - 1]))
			continue; /* sorted: the same address on another link */
		env->on_links[env->n_on_links++] = *a;
	}
	return 0;
}

/* spec/ipvs.md section 2.3. Nothing chosen: all of the above; else what view_node_ports() gives,
 * without loopback addresses. */
static int find_node_ports(struct ipvs_env *env, const struct view *view)
{
	_cleanup_(node_port_set_done) struct node_port_set set = {0};
	const struct addr *from;
	size_t n;
	int r;

	r = view_node_ports(view, env->family, &set);
	if (r < 0)
		return r;
	from = set.match_all ? env->on_links : set.addrs;
	n = set.match_all ? env->n_on_links : set.n;
	if (n == 0)
		return 0;
	env->node_ports = calloc(n, sizeof(*env->node_ports));
	if (!env->node_ports)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!(addr_kinds(&from[i]) & ADDR_IS_LOOPBACK))
			env->node_ports[env->n_node_ports++] = from[i];
	return 0;
}

static int find_addresses(struct ipvs_env *env, const struct view *view)
{
	struct local_addrs addrs;
	struct view there = {.world = view->world, .addrs = &addrs};
	int r;

	r = without_dummy(view->addrs, &addrs);
	if (r < 0)
		return r;
	r = find_on_links(env, &addrs);
	if (r == 0)
		r = find_node_ports(env, &there);
	free(addrs.items);
	return r;
}

int ipvs_env_make(const struct view *view, enum addr_family family, struct ipvs_env **ret)
{
	const struct settings *s = &view->world->settings->s;
	_cleanup_(ipvs_env_freep) struct ipvs_env *env = calloc(1, sizeof(*env));
	int r;

	if (!env)
		return -ENOMEM;
	env->family = family;
	env->allow_external_ips = s->allow_external_ips;
	env->scheduler = ipvs_scheduler_static(s->ipvs_scheduler);
	env->mark = UINT32_C(1) << s->iptables_masquerade_bit;
	env->masquerade_all = s->iptables_masquerade_all;
	env->detect_flags = detect_pods(s, family, &env->detect_range, env->detect_interface);
	(void)view_node_ip(view, family, &env->node_ip);
	env->node_name = strdup(s->node_name);
	env->zone = strdup(s->zone);
	if (!env->node_name || !env->zone)
		return -ENOMEM;
	r = find_addresses(env, view);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(env);
	return 0;
}

static bool lists_equal(const struct addr *a, size_t n_a, const struct addr *b, size_t n_b)
{
	return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof(*a)) == 0);
}

bool ipvs_env_equal_for_fragments(const struct ipvs_env *a, const struct ipvs_env *b)
{
	return a->family == b->family && a->allow_external_ips == b->allow_external_ips &&
	       a->scheduler == b->scheduler && addr_equal(&a->node_ip, &b->node_ip) &&
	       streq(a->node_name, b->node_name) && streq(a->zone, b->zone) &&
	       lists_equal(a->on_links, a->n_on_links, b->on_links, b->n_on_links) &&
	       lists_equal(a->node_ports, a->n_node_ports, b->node_ports, b->n_node_ports);
}
