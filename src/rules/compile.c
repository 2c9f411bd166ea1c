/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/names.h"
#include "rules/ruleset.h"
#include "rules/service-facts.h"

/*
 * One service in one family. The letters and numbers of rules (A1, B1, ...) are those of
 * spec/iptables.md section 3.4; the conditions are in its section 3.5 and, as a table, in 3.6.
 *
 * First it is decided for each port what it has and which chains it needs; these are made with
 * their names, each hashed once. Then all rules are written twice by the same code: into lists
 * without memory, which only counts, and then into one block of the right size.
 */

struct port_plan {
	struct choice choice;
	bool accessible;	 /* XACC */
	bool internal, external; /* hasInt, hasExt */
	bool firewall;		 /* FW is used */
	/* NULL: the chain is not wanted. In the fragment. */
	struct chain *ext, *fw, *svc, *svl;
	struct chain *seps; /* parallel to choice.reachable */
};

struct job {
	const struct rules_env *env;
	const struct service_def *def;
	struct fragment *fragment;
	const struct service_facts *facts;
	struct port_plan *ports;
};

static void job_done(struct job *j)
{
	for (size_t i = 0; j->ports && i < j->def->n_ports; i++)
		choice_done(&j->ports[i].choice);
	free(j->ports);
	fragment_unref(j->fragment);
}

static int plan_port(struct job *j, size_t index)
{
	const struct service_facts *f = j->facts;
	struct port_plan *p = &j->ports[index];
	bool some_local;
	int r;

	r = service_facts_choose(f, j->fragment->service, index, j->env->node_name, j->env->zone,
				 &p->choice);
	if (r < 0)
		return r;
	some_local = p->choice.n_local > 0;
	p->accessible = service_facts_accessible(f, index);
	p->internal = p->choice.any && (!f->internal_local || some_local);
	p->external = p->choice.any && (!f->external_local || some_local);
	p->firewall = p->choice.any && f->has_lb_ip && f->ranges;
	return 0;
}

static size_t count_chains(const struct port_plan *p)
{
	size_t n = p->choice.n_reachable;

	n += p->choice.any && p->accessible;
	n += p->firewall;
	n += p->choice.n_cluster > 0;
	n += p->choice.n_local > 0;
	return n;
}

static struct chain *new_chain(struct fragment *f, const char *prefix, const char *hash)
{
	struct chain *c = &f->chains[f->n_chains++];

	(void)stpcpy(stpcpy(c->name, prefix), hash);
	return c;
}

static void make_chains(struct job *j, size_t index)
{
	enum svc_proto protocol = j->def->ports[index].protocol;
	struct fragment *f = j->fragment;
	struct port_plan *p = &j->ports[index];
	char name[SERVICE_PORT_NAME_MAX], hash[NAME_HASH_MAX];
	const struct endpoint_list *endpoints = &f->service->endpoints[index][j->env->family];

	if (!p->choice.any)
		return;
	service_port_name(f->service, index, name);
	name_hash_port(name, protocol, hash);
	if (p->accessible)
		p->ext = new_chain(f, "KUBE-EXT-", hash);
	if (p->firewall)
		p->fw = new_chain(f, "KUBE-FW-", hash);
	if (p->choice.n_cluster > 0)
		p->svc = new_chain(f, "KUBE-SVC-", hash);
	if (p->choice.n_local > 0)
		p->svl = new_chain(f, "KUBE-SVL-", hash);
	p->seps = &f->chains[f->n_chains];
	for (size_t i = 0; i < p->choice.n_reachable; i++) {
		const struct endpoint *e = &endpoints->items[p->choice.reachable[i]];

		name_hash_endpoint(name, protocol, &e->ip, e->port, hash);
		new_chain(f, "KUBE-SEP-", hash);
	}
}

/* What the rules of one port are written with. */
struct writer {
	const struct job *job;
	const struct port_plan *plan;
	const struct service_port *port;
	const struct endpoint_list *endpoints;
	struct rule base; /* port_index and protocol are set */
};

/* Lists without memory only count. */
static void add(struct rule_list *l, const struct rule *r)
{
	if (l->items)
		l->items[l->n] = *r;
	l->n++;
}

static struct rule_list *dispatch(const struct writer *w, enum dispatch_chain c)
{
	return &w->job->fragment->dispatch[c];
}

static void jump(struct rule *r, const char *chain)
{
	r->target = TARGET_JUMP;
	r->chain = chain;
}

/* A rule for packets to address and service port; dst NULL: to the node port on any address. */
static struct rule match_frontend(const struct writer *w, enum rule_comment comment,
				  const struct addr *dst)
{
	struct rule r = w->base;

	r.comment = comment;
	r.flags = RULE_PROTOCOL | RULE_DPORT;
	r.dport = w->port->node_port;
	if (dst) {
		r.flags |= RULE_DST;
		r.dst = addr_to_prefix(dst);
		r.dport = w->port->port;
	}
	return r;
}

static void add_for_addresses(const struct writer *w, struct rule_list *to, struct rule r, bool lb)
{
	const struct service_def *def = w->job->def;

	for (size_t i = 0; !lb && i < def->n_external_ips; i++) {
		if (!service_facts_external_ip(w->job->facts, i))
			continue;
		r.dst = addr_to_prefix(&def->external_ips[i]);
		add(to, &r);
	}
	for (size_t i = 0; lb && i < def->n_lb_ips; i++) {
		if (!service_facts_lb_ip(w->job->facts, i))
			continue;
		r.dst = addr_to_prefix(&def->lb_ips[i].ip);
		add(to, &r);
	}
}

/* A1 to A6 */
static void write_filter(const struct writer *w)
{
	const struct job *j = w->job;
	const struct port_plan *p = w->plan;
	bool any = p->choice.any;
	enum rule_comment why = any ? COMMENT_NO_LOCAL_ENDPOINTS : COMMENT_NO_ENDPOINTS;
	const struct addr *cluster_ip = &j->def->cluster_ips[j->env->family];
	struct rule_list *external = dispatch(w, DISPATCH_FILTER_EXTERNAL);
	struct rule r = match_frontend(w, why, cluster_ip);

	r.target = any ? TARGET_DROP : TARGET_REJECT;
	if (!p->internal)
		add(dispatch(w, DISPATCH_FILTER_SERVICES), &r);
	if (!p->external) {
		add_for_addresses(w, external, r, false);
		add_for_addresses(w, external, r, true);
		if (w->port->node_port != 0) {
			struct rule n = match_frontend(w, why, NULL);

			n.target = r.target;
			n.flags |= RULE_DST_LOCAL;
			add(external, &n);
		}
	}
	if (p->fw) {
		r.comment = COMMENT_NOT_ACCEPTED;
		r.chain = p->fw->name;
		r.target = TARGET_DROP;
		add_for_addresses(w, dispatch(w, DISPATCH_FILTER_FIREWALL), r, true);
	}
	if (service_facts_health_port(j->facts) != 0) {
		struct rule h = match_frontend(w, COMMENT_HEALTH_CHECK, NULL);

		h.protocol = SVC_TCP;
		h.dport = service_facts_health_port(j->facts);
		h.target = TARGET_ACCEPT;
		add(dispatch(w, DISPATCH_FILTER_NODEPORTS), &h);
	}
}

/* B1 to B5 */
static void write_dispatch(const struct writer *w)
{
	const struct rules_env *env = w->job->env;
	const struct port_plan *p = w->plan;
	const struct addr *cluster_ip = &w->job->def->cluster_ips[env->family];
	struct rule_list *services = dispatch(w, DISPATCH_NAT_SERVICES);
	struct rule_list *node_ports = dispatch(w, DISPATCH_NAT_NODEPORTS);
	struct rule r;

	if (p->internal) {
		r = match_frontend(w, COMMENT_CLUSTER_IP, cluster_ip);
		jump(&r, w->job->facts->internal_local ? p->svl->name : p->svc->name);
		add(services, &r);
	}
	if (!p->ext)
		return;
	r = match_frontend(w, COMMENT_EXTERNAL_IP, cluster_ip);
	jump(&r, p->ext->name);
	add_for_addresses(w, services, r, false);
	r.comment = COMMENT_LOAD_BALANCER_IP;
	if (p->fw)
		r.chain = p->fw->name;
	add_for_addresses(w, services, r, true);

	if (w->port->node_port == 0)
		return;
	r = match_frontend(w, COMMENT_NAME, NULL);
	jump(&r, p->ext->name);
	if (env->family == ADDR_IPV4 && env->localhost_node_ports && env->facts.nfacct) {
		struct rule local = r;

		local.flags |= RULE_DST | RULE_NFACCT_LOCALHOST;
		local.dst.addr.bytes[0] = 127;
		local.dst.length = 8;
		add(node_ports, &local);
	}
	add(node_ports, &r);
}

/* C1, in the chain that cluster traffic goes to */
static void write_masquerade(const struct writer *w, struct rule_list *to)
{
	const struct rules_env *env = w->job->env;
	struct rule r = match_frontend(w, COMMENT_CLUSTER_IP,
				       &w->job->def->cluster_ips[env->family]);

	jump(&r, "KUBE-MARK-MASQ");
	if (!env->masquerade_all) {
		if (env->detect_flags & RULE_SRC) {
			r.flags |= RULE_SRC_NOT | RULE_SRC_PREFIX;
			r.src = env->detect_cidr;
		} else if (env->detect_flags & RULE_IN) {
			r.flags |= RULE_IN_NOT;
			r.interface = w->job->fragment->interface;
		} else {
			return;
		}
	}
	add(to, &r);
}

/* X1 to X5 */
static void write_external(const struct writer *w)
{
	const struct rules_env *env = w->job->env;
	const struct port_plan *p = w->plan;
	struct rule_list *to = &p->ext->rules;
	struct rule r = w->base;

	if (!w->job->facts->external_local) {
		r.comment = COMMENT_MASQ_EXTERNAL;
		jump(&r, "KUBE-MARK-MASQ");
		add(to, &r);
	} else {
		if (env->detect_flags) {
			struct rule pods = w->base;

			pods.comment = COMMENT_POD_EXTERNAL;
			if (env->detect_flags & RULE_SRC) {
				pods.flags = RULE_SRC | RULE_SRC_PREFIX;
				pods.src = env->detect_cidr;
			} else {
				pods.flags = RULE_IN;
				pods.interface = w->job->fragment->interface;
			}
			jump(&pods, p->svc->name);
			add(to, &pods);
		}
		r.flags = RULE_SRC_LOCAL;
		r.comment = COMMENT_MASQ_LOCAL_EXTERNAL;
		jump(&r, "KUBE-MARK-MASQ");
		add(to, &r);
		r.comment = COMMENT_ROUTE_LOCAL_EXTERNAL;
		jump(&r, p->svc->name);
		add(to, &r);
	}
	if (p->external) {
		r = w->base;
		jump(&r, w->job->facts->external_local ? p->svl->name : p->svc->name);
		add(to, &r);
	}
}

/* G1 to G3 */
static void write_firewall(const struct writer *w)
{
	const struct job *j = w->job;
	struct rule_list *to = &w->plan->fw->rules;
	struct rule r = w->base;

	r.comment = COMMENT_LOAD_BALANCER_IP;
	jump(&r, w->plan->ext->name);
	r.flags = RULE_SRC | RULE_SRC_PREFIX;
	for (size_t i = 0; i < j->def->n_source_ranges; i++) {
		if (!service_facts_range(j->facts, i))
			continue;
		r.src = j->def->source_ranges[i];
		add(to, &r);
	}
	/* Packets of this host to the balancer's address have it as their source, too. */
	r.flags = RULE_SRC;
	for (size_t i = 0; j->facts->node_in_ranges && i < j->def->n_lb_ips; i++) {
		if (!service_facts_lb_ip(j->facts, i))
			continue;
		r.src = addr_to_prefix(&j->def->lb_ips[i].ip);
		add(to, &r);
	}
	r = w->base;
	r.comment = COMMENT_DROPPED_LATER;
	add(to, &r);
}

/* S1, S2 over some of the reachable endpoints */
static void write_balance(const struct writer *w, struct rule_list *to, const unsigned *chosen,
			  size_t n)
{
	const struct choice *c = &w->plan->choice;
	bool affinity = w->job->def->affinity;

	for (int pass = affinity ? 0 : 1; pass < 2; pass++) {
		size_t at = 0; /* both lists ascend */

		for (size_t i = 0; i < n; i++) {
			struct rule r = w->base;

			while (c->reachable[at] != chosen[i])
				at++;
			jump(&r, w->plan->seps[at].name);
			if (!w->job->env->large) {
				r.comment = COMMENT_ENDPOINT;
				r.endpoint = &w->endpoints->items[chosen[i]];
			}
			if (pass == 0) {
				r.flags = RULE_RECENT_CHECK;
				r.seconds = w->job->def->affinity_seconds;
			} else if (i + 1 < n) {
				r.flags = RULE_STATISTIC;
				r.one_in = (uint32_t)(n - i);
			}
			add(to, &r);
		}
	}
}

/* E1, E2 */
static void write_endpoint(const struct writer *w, struct chain *sep, const struct endpoint *e)
{
	struct rule r = w->base;

	if (!w->job->env->large)
		r.comment = COMMENT_NAME;
	r.flags = RULE_SRC;
	r.src = addr_to_prefix(&e->ip);
	jump(&r, "KUBE-MARK-MASQ");
	add(&sep->rules, &r);

	r.flags = RULE_PROTOCOL;
	r.target = TARGET_DNAT;
	r.endpoint = e;
	r.chain = sep->name;
	if (w->job->def->affinity)
		r.flags |= RULE_RECENT_SET;
	add(&sep->rules, &r);
}

static void write_port(const struct job *j, size_t index)
{
	const struct port_plan *p = &j->ports[index];
	struct writer w = {
		.job = j,
		.plan = p,
		.port = &j->def->ports[index],
		.endpoints = &j->fragment->service->endpoints[index][j->env->family],
	};

	w.base.port_index = (uint32_t)index;
	w.base.protocol = (uint8_t)w.port->protocol;
	write_filter(&w);
	write_dispatch(&w);
	if (p->ext)
		write_external(&w);
	if (p->fw)
		write_firewall(&w);
	if (p->svc) {
		if (!j->facts->internal_local)
			write_masquerade(&w, &p->svc->rules);
		write_balance(&w, &p->svc->rules, p->choice.cluster, p->choice.n_cluster);
	}
	if (p->svl) {
		if (j->facts->internal_local)
			write_masquerade(&w, &p->svl->rules);
		write_balance(&w, &p->svl->rules, p->choice.local, p->choice.n_local);
	}
	for (size_t i = 0; i < p->choice.n_reachable; i++)
		write_endpoint(&w, &p->seps[i], &w.endpoints->items[p->choice.reachable[i]]);
}

static void write_all(const struct job *j)
{
	for (size_t i = 0; i < j->def->n_ports; i++)
		write_port(j, i);
}

/* Gives a counted list its part of the block. */
static struct rule *give_memory(struct rule_list *l, struct rule *next)
{
	size_t n = l->n;

	*l = (struct rule_list){.items = n ? next : NULL, .allocated = n};
	return next + n;
}

static int allocate_rules(struct fragment *f)
{
	struct rule *next;
	size_t n = 0;

	for (int d = 0; d < _DISPATCH_MAX; d++)
		n += f->dispatch[d].n;
	for (size_t i = 0; i < f->n_chains; i++)
		n += f->chains[i].rules.n;
	if (n == 0)
		return 0;
	f->rules = calloc(n, sizeof(*f->rules));
	if (!f->rules)
		return -ENOMEM;
	f->n_rules = n;
	next = f->rules;
	for (int d = 0; d < _DISPATCH_MAX; d++)
		next = give_memory(&f->dispatch[d], next);
	for (size_t i = 0; i < f->n_chains; i++)
		next = give_memory(&f->chains[i].rules, next);
	return 0;
}

static int new_fragment(const struct rules_env *env, struct service *service, struct fragment **ret)
{
	struct fragment *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->refs = 1;
	f->service = service_ref(service);
	memcpy(f->interface, env->detect_interface, RULES_INTERFACE_MAX);
	*ret = f;
	return 0;
}

static int make_all_chains(struct job *j, size_t n)
{
	struct chain *chains;

	if (n == 0)
		return 0;
	chains = calloc(n, sizeof(*chains));
	if (!chains)
		return -ENOMEM;
	j->fragment->chains = chains;
	for (size_t i = 0; i < j->def->n_ports; i++)
		make_chains(j, i);
	return 0;
}

/* What each port has, and its chains. */
static int plan(struct job *j)
{
	size_t n_ports = j->def->n_ports, n_chains = 0;

	j->ports = calloc(n_ports, sizeof(*j->ports));
	if (!j->ports)
		return -ENOMEM;
	for (size_t i = 0; i < n_ports; i++) {
		int r = plan_port(j, i);

		if (r < 0)
			return r;
		n_chains += count_chains(&j->ports[i]);
	}
	return make_all_chains(j, n_chains);
}

int fragment_compile(const struct rules_env *env, struct service *service, struct fragment **ret)
{
	const struct service_def *def = service->def;
	struct service_facts facts;
	_cleanup_(job_done) struct job j = {.env = env, .def = def, .facts = &facts};
	int r;

	r = new_fragment(env, service, &j.fragment);
	if (r < 0)
		return r;
	if (view_serves(def, env->family) && def->n_ports > 0) {
		j.fragment->n_endpoints = service->n_endpoints[env->family];
		service_facts_find(def, env->family, env->allow_external_ips, &env->node_ip,
				   &facts);
		r = plan(&j);
		if (r < 0)
			return r;
		write_all(&j);
		r = allocate_rules(j.fragment);
		if (r < 0)
			return r;
		write_all(&j);
	}
	*ret = TAKE_PTR(j.fragment);
	return 0;
}
