/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "rules/ipvs-internal.h"

/*
 * One service in one family: spec/ipvs.md sections 1.2, 2 and 3.
 *
 * First the endpoints of each port are chosen. Then everything is written twice by the same code:
 * into lists without memory, which only counts, and then into blocks of the right size.
 */

/* Real servers of the addresses of one port. Both are the same list where they can be. */
struct port_reals {
	const struct ipvs_real *internal, *external;
	size_t n_internal, n_external;
};

struct job {
	const struct ipvs_env *env;
	const struct service_def *def;
	struct service_facts facts;
	struct ipvs_fragment *fragment;
	struct choice *choices;	  /* by port */
	struct port_reals *reals; /* by port */
	size_t n_reals;		  /* used of the block */
	struct ipvs_virtual like; /* what all virtual servers of the service have in common */
};

static void job_done(struct job *j)
{
	for (size_t i = 0; j->choices && i < j->def->n_ports; i++)
		choice_done(&j->choices[i]);
	free(j->choices);
	free(j->reals);
	ipvs_fragment_unref(j->fragment);
}

struct ipvs_fragment *ipvs_fragment_ref(struct ipvs_fragment *f)
{
	f->refs++;
	return f;
}

struct ipvs_fragment *ipvs_fragment_unref(struct ipvs_fragment *f)
{
	if (!f || --f->refs > 0)
		return NULL;
	free(f->virtuals);
	free(f->reals);
	free(f->entries);
	service_unref(f->service);
	free(f);
	return NULL;
}

static int compare_reals(const void *a, const void *b)
{
	const struct ipvs_real *x = a, *y = b;
	int order = addr_compare(&x->addr, &y->addr);

	return order ? order : (x->port > y->port) - (x->port < y->port);
}

static const struct ipvs_real *add_reals(struct job *j, const struct endpoint_list *list,
					 const unsigned *chosen, size_t n)
{
	struct ipvs_real *first = j->fragment->reals + j->n_reals;

	for (size_t i = 0; i < n; i++) {
		const struct endpoint *e = &list->items[chosen[i]];

		first[i] = (struct ipvs_real){.addr = e->ip, .port = e->port, .weight = e->weight};
	}
	qsort(first, n, sizeof(*first), compare_reals);
	j->n_reals += n;
	return first;
}

/* Local where there is one, else the endpoints of the cluster: unlike in the other modes nothing is
 * dropped. */
static void fill_reals(struct job *j, size_t port)
{
	const struct endpoint_list *list = &j->fragment->service->endpoints[port][j->env->family];
	const struct choice *c = &j->choices[port];
	struct port_reals *to = &j->reals[port];
	const struct ipvs_real *cluster = NULL, *local = NULL;

	if (c->n_cluster > 0)
		cluster = add_reals(j, list, c->cluster, c->n_cluster);
	if (c->n_local > 0)
		local = add_reals(j, list, c->local, c->n_local);
	to->internal = j->facts.internal_local && local ? local : cluster;
	to->n_internal = to->internal == local ? c->n_local : c->n_cluster;
	to->external = j->facts.external_local && local ? local : cluster;
	to->n_external = to->external == local ? c->n_local : c->n_cluster;
}

static int choose(struct job *j, size_t *ret_reals)
{
	const struct ipvs_env *env = j->env;
	size_t n = 0;

	j->choices = calloc(j->def->n_ports, sizeof(*j->choices));
	if (!j->choices)
		return -ENOMEM;
	for (size_t i = 0; i < j->def->n_ports; i++) {
		int r = service_facts_choose(&j->facts, j->fragment->service, i, env->node_name,
					     env->zone, &j->choices[i]);

		if (r < 0)
			return r;
		n += j->choices[i].n_cluster + j->choices[i].n_local;
	}
	*ret_reals = n;
	return 0;
}

static int make_reals(struct job *j)
{
	size_t n = 0;
	int r;

	r = choose(j, &n);
	if (r < 0)
		return r;
	j->reals = calloc(j->def->n_ports, sizeof(*j->reals));
	if (!j->reals)
		return -ENOMEM;
	if (n == 0)
		return 0;
	j->fragment->reals = calloc(n, sizeof(*j->fragment->reals));
	if (!j->fragment->reals)
		return -ENOMEM;
	for (size_t i = 0; i < j->def->n_ports; i++)
		fill_reals(j, i);
	return 0;
}

/* kube-proxy asks for mh with ports, and for nothing of sh; flags that were written count alone. */
static uint32_t scheduler_flags(const struct service_def *def, const char *scheduler)
{
	bool is_mh = streq(scheduler, "mh");

	if (!is_mh && !streq(scheduler, "sh"))
		return 0;
	if (!def->flag_fallback && !def->flag_port)
		return is_mh ? IPVS_FLAG_SCHED2 : 0;
	return (def->flag_fallback ? IPVS_FLAG_SCHED1 : 0) |
	       (def->flag_port ? IPVS_FLAG_SCHED2 : 0);
}

static struct ipvs_virtual common_to_all(const struct ipvs_env *env, const struct service *service)
{
	const struct service_def *def = service->def;
	struct ipvs_virtual v = {.service = service, .scheduler = env->scheduler};

	if (def->scheduler)
		v.scheduler = ipvs_scheduler_static(def->scheduler);
	v.flags = scheduler_flags(def, v.scheduler);
	if (def->affinity) {
		v.flags |= IPVS_FLAG_PERSISTENT;
		v.timeout = def->affinity_seconds;
	}
	return v;
}

/* What the virtual servers of one port are written with. */
struct writer {
	struct job *job;
	const struct service_port *port;
	size_t index;
};

static void add_virtual(const struct writer *w, enum ipvs_frontend frontend,
			const struct addr *addr, bool bind)
{
	const struct port_reals *reals = &w->job->reals[w->index];
	struct ipvs_fragment *f = w->job->fragment;
	bool internal = frontend == FRONTEND_CLUSTER_IP;

	if (f->virtuals) {
		struct ipvs_virtual *v = &f->virtuals[f->n_virtuals];

		*v = w->job->like;
		v->addr = *addr;
		v->port = frontend == FRONTEND_NODE_PORT ? w->port->node_port : w->port->port;
		v->protocol = (uint8_t)w->port->protocol;
		v->frontend = (uint8_t)frontend;
		v->bind = bind;
		v->port_index = (uint32_t)w->index;
		v->reals = internal ? reals->internal : reals->external;
		v->n_reals = internal ? reals->n_internal : reals->n_external;
	}
	f->n_virtuals++;
}

static void add_entry(const struct writer *w, unsigned part, const struct ipvs_entry *e)
{
	struct ipvs_entries *to = &w->job->fragment->parts[part];

	if (to->items)
		to->items[to->n] = *e;
	to->n++;
}

static void add_port(const struct writer *w, enum ipvs_set set, uint16_t port)
{
	add_entry(w, set, &(struct ipvs_entry){.port = port});
}

/* Address and port of the service. */
static struct ipvs_entry entry_of(const struct writer *w, const struct addr *addr)
{
	return (struct ipvs_entry){
		.addr = *addr,
		.port = w->port->port,
		.protocol = (uint8_t)w->port->protocol,
	};
}

static void add_bound(const struct writer *w, enum ipvs_frontend frontend, const struct addr *addr,
		      bool bind)
{
	add_virtual(w, frontend, addr, bind);
	if (bind)
		add_entry(w, SET_IPVS_IPS, &(struct ipvs_entry){.addr = *addr});
}

static int compare_addrs(const void *a, const void *b)
{
	return addr_compare(a, b);
}

static bool is_on_link(const struct ipvs_env *env, const struct addr *a)
{
	return env->n_on_links > 0 &&
	       bsearch(a, env->on_links, env->n_on_links, sizeof(*a), compare_addrs);
}

static void write_external_ip(const struct writer *w, const struct addr *addr)
{
	struct ipvs_entry e = entry_of(w, addr);

	add_bound(w, FRONTEND_EXTERNAL_IP, addr, !is_on_link(w->job->env, addr));
	add_entry(w, w->job->facts.external_local ? SET_EXTERNAL_IP_LOCAL : SET_EXTERNAL_IP, &e);
}

/* Who may reach a load balancer's address: its ranges, and this host if it is in one of them; its
 * own packets have that address as their source. */
static void write_source_ranges(const struct writer *w, const struct addr *addr)
{
	const struct service_facts *facts = &w->job->facts;
	const struct service_def *def = w->job->def;
	struct ipvs_entry e = entry_of(w, addr);

	add_entry(w, SET_LOAD_BALANCER_FW, &e);
	if (!facts->node_in_ranges)
		add_entry(w, PART_OUT_FILTER, &e);
	e.addr2 = *addr;
	if (facts->node_in_ranges)
		add_entry(w, SET_LOAD_BALANCER_SOURCE_IP, &e);
	for (size_t i = 0; i < def->n_source_ranges; i++) {
		if (!service_facts_range(facts, i))
			continue;
		e.addr2 = def->source_ranges[i].addr;
		e.prefix = def->source_ranges[i].length;
		add_entry(w, SET_LOAD_BALANCER_SOURCE_CIDR, &e);
	}
}

static void write_lb_ip(const struct writer *w, const struct addr *addr)
{
	struct ipvs_entry e = entry_of(w, addr);

	add_bound(w, FRONTEND_LOAD_BALANCER_IP, addr, !is_on_link(w->job->env, addr));
	add_entry(w, SET_LOAD_BALANCER, &e);
	if (w->job->facts.external_local)
		add_entry(w, SET_LOAD_BALANCER_LOCAL, &e);
	if (w->job->facts.ranges)
		write_source_ranges(w, addr);
}

static void write_node_port(const struct writer *w)
{
	static const enum ipvs_set sets[_SVC_PROTO_MAX][2] = {
		[SVC_TCP] = {SET_NODE_PORT_TCP, SET_NODE_PORT_LOCAL_TCP},
		[SVC_UDP] = {SET_NODE_PORT_UDP, SET_NODE_PORT_LOCAL_UDP},
		[SVC_SCTP] = {SET_NODE_PORT_SCTP, SET_NODE_PORT_LOCAL_SCTP},
	};
	const struct ipvs_env *env = w->job->env;
	int n_sets = w->job->facts.external_local ? 2 : 1;

	for (size_t i = 0; i < env->n_node_ports; i++) {
		struct ipvs_entry e = entry_of(w, &env->node_ports[i]);

		add_virtual(w, FRONTEND_NODE_PORT, &env->node_ports[i], false);
		e.port = w->port->node_port;
		for (int k = 0; k < n_sets && w->port->protocol == SVC_SCTP; k++)
			add_entry(w, sets[SVC_SCTP][k], &e);
	}
	for (int k = 0; k < n_sets && w->port->protocol != SVC_SCTP; k++)
		add_port(w, sets[w->port->protocol][k], w->port->node_port);
}

/* Ready or not: a packet that comes back to where it went out has to be masqueraded. */
static void write_loop_back(const struct writer *w)
{
	const struct endpoint_list *list =
		&w->job->fragment->service->endpoints[w->index][w->job->env->family];

	for (size_t i = 0; i < list->n; i++) {
		const struct endpoint *p = &list->items[i];
		struct ipvs_entry e = entry_of(w, &p->ip);

		if (!endpoint_is_local(p, w->job->env->node_name))
			continue;
		e.port = p->port;
		e.addr2 = p->ip;
		add_entry(w, SET_LOOP_BACK, &e);
	}
}

static void write_port(const struct writer *w)
{
	const struct service_facts *facts = &w->job->facts;
	const struct service_def *def = w->job->def;
	const struct addr *cluster_ip = &def->cluster_ips[facts->family];
	struct ipvs_entry cluster = entry_of(w, cluster_ip);
	uint16_t health = service_facts_health_port(facts);

	write_loop_back(w);
	add_bound(w, FRONTEND_CLUSTER_IP, cluster_ip, true);
	add_entry(w, SET_CLUSTER_IP, &cluster);
	for (size_t i = 0; i < def->n_external_ips; i++)
		if (service_facts_external_ip(facts, i))
			write_external_ip(w, &def->external_ips[i]);
	for (size_t i = 0; i < def->n_lb_ips; i++)
		if (service_facts_lb_ip(facts, i))
			write_lb_ip(w, &def->lb_ips[i].ip);
	if (w->port->node_port != 0) {
		/* Without any address for node ports the health check goes, too. */
		if (w->job->env->n_node_ports == 0)
			return;
		write_node_port(w);
	}
	if (health != 0)
		add_port(w, SET_HEALTH_CHECK_NODE_PORT, health);
}

static void write_all(struct job *j)
{
	for (size_t i = 0; i < j->def->n_ports; i++)
		write_port(&(struct writer){.job = j, .port = &j->def->ports[i], .index = i});
}

static int allocate(struct ipvs_fragment *f)
{
	struct ipvs_entry *next;
	size_t n = 0;

	f->virtuals = calloc(f->n_virtuals, sizeof(*f->virtuals));
	for (int p = 0; p < _PART_MAX; p++)
		n += f->parts[p].n;
	f->entries = calloc(n, sizeof(*f->entries));
	if (!f->virtuals || !f->entries)
		return -ENOMEM;
	f->n_virtuals = 0;
	next = f->entries;
	for (int p = 0; p < _PART_MAX; p++) {
		size_t of_part = f->parts[p].n;

		if (of_part == 0)
			continue;
		f->parts[p] = (struct ipvs_entries){.items = next};
		next += of_part;
	}
	return 0;
}

int ipvs_fragment_compile(const struct ipvs_env *env, struct service *service,
			  struct ipvs_fragment **ret)
{
	const struct service_def *def = service->def;
	_cleanup_(job_done) struct job j = {.env = env, .def = def};
	int r;

	j.fragment = calloc(1, sizeof(*j.fragment));
	if (!j.fragment)
		return -ENOMEM;
	j.fragment->refs = 1;
	j.fragment->service = service_ref(service);
	if (view_serves(def, env->family) && def->n_ports > 0) {
		service_facts_find(def, env->family, env->allow_external_ips, &env->node_ip,
				   &j.facts);
		j.like = common_to_all(env, service);
		r = make_reals(&j);
		if (r < 0)
			return r;
		write_all(&j);
		r = allocate(j.fragment);
		if (r < 0)
			return r;
		write_all(&j);
	}
	*ret = TAKE_PTR(j.fragment);
	return 0;
}
