/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

struct local_addrs *local_addrs_ref(struct local_addrs *l)
{
	l->refs++;
	return l;
}

struct local_addrs *local_addrs_unref(struct local_addrs *l)
{
	if (!l || --l->refs > 0)
		return NULL;
	free(l->items);
	free(l);
	return NULL;
}

static int local_addr_compare(const void *a, const void *b)
{
	const struct local_addr *x = a, *y = b;
	int order = addr_compare(&x->addr, &y->addr);

	return order ? order : strncmp(x->interface, y->interface, sizeof(x->interface));
}

bool local_addrs_equal(const struct local_addrs *a, const struct local_addrs *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (local_addr_compare(&a->items[i], &b->items[i]) != 0)
			return false;
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		if (a->has_node_ip[f] != b->has_node_ip[f])
			return false;
		if (a->has_node_ip[f] && !addr_equal(&a->node_ip[f], &b->node_ip[f]))
			return false;
	}
	return true;
}

void local_addrs_sort(struct local_addrs *l)
{
	size_t kept = 1;

	if (l->n == 0)
		return;
	qsort(l->items, l->n, sizeof(*l->items), local_addr_compare);
	for (size_t i = 1; i < l->n; i++)
		if (local_addr_compare(&l->items[i], &l->items[kept - 1]) != 0)
			l->items[kept++] = l->items[i];
	l->n = kept;
}

bool view_serves(const struct service_def *s, enum addr_family family)
{
	return s->type != SVC_EXTERNAL_NAME && !s->headless && s->has_cluster_ip[family];
}

static const struct addr loopback[_ADDR_FAMILY_MAX] = {
	[ADDR_IPV4] = {.family = ADDR_IPV4, .bytes = {127, 0, 0, 1}},
	[ADDR_IPV6] = {.family = ADDR_IPV6, .bytes = {[15] = 1}},
};

bool view_node_ip(const struct view *v, enum addr_family family, struct addr *ret)
{
	const struct settings *s = &v->world->settings->s;
	const bool *has = NULL;
	const struct addr *ips = NULL;

	if (s->node_ip_given) {
		has = s->has_node_ip;
		ips = s->node_ip;
	} else if (v->addrs) {
		has = v->addrs->has_node_ip;
		ips = v->addrs->node_ip;
	}
	if (!has || !has[family]) {
		*ret = loopback[family];
		return false;
	}
	*ret = ips[family];
	return true;
}

/* The prefixes of one family that NodePortAddresses= amounts to. */
struct kept_prefixes {
	struct addr_prefix *items;
	size_t n, allocated;
};

static void kept_prefixes_done(struct kept_prefixes *k)
{
	free(k->items);
	*k = (struct kept_prefixes){0};
}

static int keep(struct kept_prefixes *k, const struct addr_prefix *p)
{
	int r = array_reserve(&k->items, &k->allocated, k->n + 1);

	if (r < 0)
		return r;
	k->items[k->n++] = *p;
	return 0;
}

static int keep_interface(struct kept_prefixes *k, const struct local_addrs *addrs,
			  enum addr_family family, const char *interface)
{
	for (size_t i = 0; addrs && i < addrs->n; i++) {
		const struct local_addr *a = &addrs->items[i];
		struct addr_prefix p;
		int r;

		if (a->addr.family != family ||
		    strncmp(a->interface, interface, sizeof(a->interface)) != 0)
			continue;
		p = addr_to_prefix(&a->addr);
		r = keep(k, &p);
		if (r < 0)
			return r;
	}
	return 0;
}

static int keep_all(struct kept_prefixes *k, const struct view *v, enum addr_family family)
{
	const struct node_port_addresses *npa = &v->world->settings->s.node_port_addresses;
	int r;

	for (size_t i = 0; i < npa->prefixes.n; i++) {
		if (npa->prefixes.items[i].addr.family != family)
			continue;
		r = keep(k, &npa->prefixes.items[i]);
		if (r < 0)
			return r;
	}
	if (npa->localhost) {
		struct addr_prefix p = {.addr = loopback[family], .length = 128};

		if (family == ADDR_IPV4) {
			p.addr.bytes[3] = 0;
			p.length = 8;
		}
		r = keep(k, &p);
		if (r < 0)
			return r;
	}
	if (npa->primary || (!npa->given && v->world->settings->s.mode == MODE_NFTABLES)) {
		struct addr ip;

		if (view_node_ip(v, family, &ip) && !(addr_kinds(&ip) & ADDR_IS_LOOPBACK)) {
			struct addr_prefix p = addr_to_prefix(&ip);

			r = keep(k, &p);
			if (r < 0)
				return r;
		}
	}
	for (size_t i = 0; i < npa->interfaces.n; i++) {
		r = keep_interface(k, v->addrs, family, npa->interfaces.items[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Any part of 127/8 in an entry, or an entry that reaches over it. */
static bool touches_loopback(const struct addr_prefix *p)
{
	struct addr network = {.family = ADDR_IPV4, .bytes = {127}};

	return (p->length >= 8 && p->addr.bytes[0] == 127) || addr_prefix_contains(p, &network);
}

static int addr_compare_void(const void *a, const void *b)
{
	return addr_compare(a, b);
}

static void mark_taken(const struct node_port_set *s, bool *taken, const struct addr *a)
{
	const struct addr *found =
		s->n ? bsearch(a, s->addrs, s->n, sizeof(*s->addrs), addr_compare_void) : NULL;

	if (found)
		taken[found - s->addrs] = true;
}

/* Node ports do not answer on addresses that services own (C11), except on the node's own address:
 * on a single host that is often the load balancer's too. */
static int remove_service_addrs(const struct view *v, enum addr_family family,
				struct node_port_set *s)
{
	bool external = v->world->settings->s.allow_external_ips;
	_cleanup_free_ bool *taken = NULL;
	struct addr node_ip;
	size_t kept = 0;

	if (s->n == 0)
		return 0;
	taken = calloc(s->n, sizeof(*taken));
	if (!taken)
		return -ENOMEM;
	for (size_t i = 0; i < v->world->n_services; i++) {
		const struct service_def *def = v->world->services[i]->def;

		if (!view_serves(def, family))
			continue;
		for (size_t j = 0; external && j < def->n_external_ips; j++)
			mark_taken(s, taken, &def->external_ips[j]);
		for (size_t j = 0; j < def->n_lb_ips; j++)
			if (!def->lb_ips[j].proxy)
				mark_taken(s, taken, &def->lb_ips[j].ip);
	}
	if (!view_node_ip(v, family, &node_ip))
		node_ip.family = _ADDR_FAMILY_MAX;
	for (size_t i = 0; i < s->n; i++)
		if (!taken[i] || addr_equal(&s->addrs[i], &node_ip))
			s->addrs[kept++] = s->addrs[i];
	s->n = kept;
	return 0;
}

static bool any_contains(const struct kept_prefixes *k, const struct addr *a)
{
	for (size_t i = 0; i < k->n; i++)
		if (addr_prefix_contains(&k->items[i], a))
			return true;
	return false;
}

void node_port_set_done(struct node_port_set *s)
{
	free(s->addrs);
	*s = (struct node_port_set){0};
}

int view_node_ports(const struct view *v, enum addr_family family, struct node_port_set *ret)
{
	const struct node_port_addresses *npa = &v->world->settings->s.node_port_addresses;
	_cleanup_(kept_prefixes_done) struct kept_prefixes kept = {0};
	_cleanup_(node_port_set_done) struct node_port_set s = {0};
	int r;

	r = keep_all(&kept, v, family);
	if (r < 0)
		return r;
	/* A named interface that has no address now must not open all the others. */
	s.match_all = npa->all || (kept.n == 0 && npa->interfaces.n == 0);
	for (size_t i = 0; i < kept.n; i++) {
		s.match_all = s.match_all || kept.items[i].length == 0;
		s.lists_loopback = s.lists_loopback ||
				   (family == ADDR_IPV4 && touches_loopback(&kept.items[i]));
	}
	if (s.match_all) {
		s.lists_loopback = family == ADDR_IPV4;
	} else if (v->addrs && v->addrs->n > 0) {
		s.addrs = calloc(v->addrs->n, sizeof(*s.addrs));
		if (!s.addrs)
			return -ENOMEM;
		for (size_t i = 0; i < v->addrs->n; i++) {
			const struct addr *a = &v->addrs->items[i].addr;

			if (!any_contains(&kept, a))
				continue;
			if (s.n > 0 && addr_equal(a, &s.addrs[s.n - 1]))
				continue; /* sorted: the same address on another interface */
			s.addrs[s.n++] = *a;
		}
		r = remove_service_addrs(v, family, &s);
		if (r < 0)
			return r;
	}
	*ret = s;
	s = (struct node_port_set){0};
	return 0;
}

void view_diff_done(struct view_diff *d)
{
	free(d->pairs);
	*d = (struct view_diff){0};
}

static int add_pair(struct view_diff *d, struct service *old, struct service *new)
{
	int r = array_reserve(&d->pairs, &d->allocated, d->n + 1);

	if (r < 0)
		return r;
	d->pairs[d->n++] = (struct view_pair){.old = old, .new = new};
	return 0;
}

static int diff_services(const struct world *old, const struct world *new, struct view_diff *d)
{
	size_t n_old = old ? old->n_services : 0, i = 0, j = 0;
	int r;

	while (i < n_old || j < new->n_services) {
		struct service *a = i < n_old ? old->services[i] : NULL;
		struct service *b = j < new->n_services ? new->services[j] : NULL;
		int order = 0;

		if (!a)
			order = 1;
		else if (!b)
			order = -1;
		else if (a != b)
			order = service_key_compare(a->key, b->key);
		if (order <= 0)
			i++;
		if (order >= 0)
			j++;
		if (a == b)
			continue;
		r = add_pair(d, order <= 0 ? a : NULL, order >= 0 ? b : NULL);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool settings_changed(const struct shared_settings *old, const struct shared_settings *now)
{
	return old != now && settings_difference(&old->s, &now->s) != SCOPE_NONE;
}

int view_diff(const struct view *old, const struct view *new, struct view_diff *ret)
{
	_cleanup_(view_diff_done) struct view_diff d = {0};
	int r;

	r = diff_services(old ? old->world : NULL, new->world, &d);
	if (r < 0)
		return r;
	if (!old || settings_changed(old->world->settings, new->world->settings))
		d.flags |= VIEW_SETTINGS;
	if (!old || !local_addrs_equal(old->addrs, new->addrs))
		d.flags |= VIEW_ADDRESSES;
	*ret = d;
	d = (struct view_diff){0};
	return 0;
}
