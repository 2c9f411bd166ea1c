/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "backend/ipvs-run.h"
#include "base/array.h"

/*
 * The counters of IPVS. Many virtual servers are read at once; but one may be missing in that when
 * others come or go meanwhile, and is then asked for by its key, as are a few from the start.
 */
#define FEW 50

struct targets {
	const struct ipvs_virtual **items;
	size_t n, allocated;
};

static void targets_done(struct targets *t)
{
	free(t->items);
}

static const struct service_port *port_of(const struct ipvs_virtual *v)
{
	return &v->service->def->ports[v->port_index];
}

/* As counts are sorted. */
static int compare_ports(const struct ipvs_virtual *a, const struct ipvs_virtual *b)
{
	const struct service_port *p = port_of(a), *q = port_of(b);
	int r = a->service == b->service ? 0 : strcmp(a->service->key, b->service->key);

	if (r == 0)
		r = (p->protocol > q->protocol) - (p->protocol < q->protocol);
	return r ? r : (p->port > q->port) - (p->port < q->port);
}

static int compare_targets(const void *a, const void *b)
{
	const struct ipvs_virtual *const *x = a, *const *y = b;
	int r = compare_ports(*x, *y);

	return r ? r : ipvs_virtual_compare(*x, *y);
}

/* Not of what is in force by our account: after a sync that failed that is not known. */
static int find_targets(const struct ipvs_mode *b, const char *service, struct targets *t)
{
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		const struct ipvs_state *s = b->compiled[f];

		for (size_t i = 0; s && i < s->n_servers; i++) {
			if (service && !streq(s->servers[i]->service->key, service))
				continue;
			if (array_reserve(&t->items, &t->allocated, t->n + 1) < 0)
				return -ENOMEM;
			t->items[t->n++] = s->servers[i];
		}
	}
	if (t->n > 1)
		qsort(t->items, t->n, sizeof(*t->items), compare_targets);
	return 0;
}

struct look {
	struct ipvs *ipvs;
	struct ipvs_servers seen; /* sorted */
};

static void look_done(struct look *l)
{
	(void)ipvs_close(l->ipvs);
	ipvs_servers_done(&l->seen);
}

static int look_begin(struct look *l, size_t n_targets)
{
	int r = n_targets > 0 ? ipvs_open(&l->ipvs) : 0;

	return r < 0 || n_targets <= FEW ? r : ipvs_list_servers(l->ipvs, &l->seen);
}

static int compare_server(const void *key, const void *item)
{
	return ipvs_key_compare(key, &((const struct ipvs_server *)item)->key);
}

static int look_at(struct look *l, const struct ipvs_key *key, struct ipvs_server *ret)
{
	const struct ipvs_server *seen = NULL;

	if (l->seen.n > 0)
		seen = bsearch(key, l->seen.items, l->seen.n, sizeof(*l->seen.items),
			       compare_server);
	if (!seen || seen->fwmark)
		return ipvs_get_server(l->ipvs, key, ret);
	*ret = *seen;
	return 0;
}

/* One that is not there is left out: it failed, or somebody took it away. */
static int count_server(struct look *l, const struct ipvs_virtual *virtual, bool endpoints,
			struct counts *out)
{
	const struct ipvs_key key = ipvs_server_wanted(virtual).key;
	_cleanup_ipvs_dests_ struct ipvs_dests dests = {0};
	struct ipvs_server server;
	int r = look_at(l, &key, &server);

	if (r == -ESRCH)
		return 0;
	if (r == 0)
		r = counts_add_server(out, &server);
	if (r == 0 && endpoints)
		r = ipvs_list_dests(l->ipvs, &key, &dests);
	return r < 0 ? r : counts_add_dests(out, &dests);
}

int ipvs_count(const struct backend *backend, const char *service, bool endpoints,
	       struct counts *ret)
{
	const struct ipvs_mode *b = (const struct ipvs_mode *)backend;
	_cleanup_counts_ struct counts out = {0};
	_cleanup_(targets_done) struct targets t = {0};
	_cleanup_(look_done) struct look l = {0};
	int r = find_targets(b, service, &t);

	if (r == 0)
		r = look_begin(&l, t.n);
	for (size_t i = 0, next; i < t.n && r == 0; i = next) {
		const struct ipvs_virtual *first = t.items[i];

		r = counts_begin_port(&out, first->service->key, port_of(first)->protocol,
				      port_of(first)->port);
		for (next = i; next < t.n && r == 0; next++) {
			if (compare_ports(first, t.items[next]) != 0)
				break;
			r = count_server(&l, t.items[next], endpoints, &out);
		}
		if (r == 0)
			counts_end_port(&out);
	}
	if (r < 0)
		return r;
	*ret = out;
	out = (struct counts){0};
	return 0;
}
