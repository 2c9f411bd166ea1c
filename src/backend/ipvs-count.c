/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "backend/ipvs-run.h"
#include "base/array.h"

/*
 * The counters of IPVS, for whoever asks, read in a copy of the process, as there may be ten
 * thousand virtual servers. Many of them are read at once; but one may be missing in that when
 * others come or go meanwhile, and is then asked for by its key, as are a few from the start.
 */
#define FEW 50

struct counting {
	struct ipvs_state *states[_ADDR_FAMILY_MAX]; /* references; NULL: none */
	char *service;				     /* NULL: all */
	bool endpoints;
	counted_t done;
	void *userdata;
	struct helper *helper;
};

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

static int find_targets(const struct counting *c, struct targets *t)
{
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		const struct ipvs_state *s = c->states[f];

		for (size_t i = 0; s && i < s->n_servers; i++) {
			if (c->service && !streq(s->servers[i]->service->key, c->service))
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

static int count(const struct counting *c, struct counts *out)
{
	_cleanup_(targets_done) struct targets t = {0};
	_cleanup_(look_done) struct look l = {0};
	int r = find_targets(c, &t);

	if (r == 0)
		r = look_begin(&l, t.n);
	for (size_t i = 0, next; i < t.n && r == 0; i = next) {
		const struct ipvs_virtual *first = t.items[i];

		r = counts_begin_port(out, first->service->key, port_of(first)->protocol,
				      port_of(first)->port);
		for (next = i; next < t.n && r == 0; next++) {
			if (compare_ports(first, t.items[next]) != 0)
				break;
			r = count_server(&l, t.items[next], c->endpoints, out);
		}
		if (r == 0)
			counts_end_port(out);
	}
	return r;
}

/* An error comes before the counts, 0 for none. */
static int work(void *userdata, int out)
{
	_cleanup_counts_ struct counts counts = {0};
	int error = count(userdata, &counts);

	if (write(out, &error, sizeof(error)) != sizeof(error))
		return 1;
	return error == 0 && counts_write(&counts, out) < 0;
}

static int read_report(struct helper *h, struct counts *ret)
{
	_cleanup_free_ char *report = NULL;
	size_t size;
	int error, r = child_output(helper_child(h), &report, &size);

	if (r < 0)
		return r;
	if (size < sizeof(error))
		return -EBADMSG;
	memcpy(&error, report, sizeof(error));
	if (error < 0)
		return error;
	return counts_read(report + sizeof(error), size - sizeof(error), ret);
}

static void on_worked(struct helper *h, int status, void *userdata)
{
	_cleanup_counts_ struct counts counts = {0};
	struct counting *c = userdata;
	int r = status == 0 ? 0 : status < 0 ? status : -EIO;

	c->helper = NULL;
	if (r == 0)
		r = read_report(h, &counts);
	c->done(r, r == 0 ? &counts : NULL, c->userdata);
}

struct counting *counting_free(struct counting *c)
{
	if (!c)
		return NULL;
	(void)helper_detach(c->helper);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		(void)ipvs_state_unref(c->states[f]);
	free(c->service);
	free(c);
	return NULL;
}
DEFINE_CLEANUP(struct counting, counting_free);

int ipvs_count(struct backend *backend, const char *service, bool endpoints, counted_t done,
	       void *userdata, struct counting **ret)
{
	_cleanup_(counting_freep) struct counting *c = calloc(1, sizeof(*c));
	const struct ipvs_mode *b = (const struct ipvs_mode *)backend;
	int r;

	if (!c)
		return -ENOMEM;
	if (service) {
		c->service = strdup(service);
		if (!c->service)
			return -ENOMEM;
	}
	c->endpoints = endpoints;
	c->done = done;
	c->userdata = userdata;
	/* Not what is in force by our account: after a sync that failed that is not known. */
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		if (b->compiled[f])
			c->states[f] = ipvs_state_ref(b->compiled[f]);
	r = helper_fork(b->event, "count", work, c, on_worked, c, &c->helper);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(c);
	return 0;
}
