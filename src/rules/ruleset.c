/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules/ruleset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "rules/share.h"

static const struct {
	enum rule_table table;
	const char *name;
} dispatch_chains[_DISPATCH_MAX] = {
	[DISPATCH_FILTER_SERVICES] = {TABLE_FILTER, "KUBE-SERVICES"},
	[DISPATCH_FILTER_EXTERNAL] = {TABLE_FILTER, "KUBE-EXTERNAL-SERVICES"},
	[DISPATCH_FILTER_NODEPORTS] = {TABLE_FILTER, "KUBE-NODEPORTS"},
	[DISPATCH_FILTER_FIREWALL] = {TABLE_FILTER, "KUBE-PROXY-FIREWALL"},
	[DISPATCH_NAT_SERVICES] = {TABLE_NAT, "KUBE-SERVICES"},
	[DISPATCH_NAT_NODEPORTS] = {TABLE_NAT, "KUBE-NODEPORTS"},
};

enum rule_table dispatch_table(enum dispatch_chain c)
{
	return dispatch_chains[c].table;
}

const char *dispatch_name(enum dispatch_chain c)
{
	return dispatch_chains[c].name;
}

bool chain_is_service_chain(const char *name)
{
	static const char *const prefixes[] = {
		"KUBE-SVC-", "KUBE-SVL-", "KUBE-SEP-", "KUBE-FW-", "KUBE-EXT-",
	};

	for (size_t i = 0; i < ELEMENTSOF(prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

struct fragment *fragment_ref(struct fragment *f)
{
	f->refs++;
	return f;
}

struct fragment *fragment_unref(struct fragment *f)
{
	if (!f || --f->refs > 0)
		return NULL;
	free(f->rules);
	free(f->chains);
	service_unref(f->service);
	free(f);
	return NULL;
}

static void ref_fragment(void *f)
{
	fragment_ref(f);
}

static void unref_fragment(void *f)
{
	fragment_unref(f);
}

static int compile_fragment(const void *env, struct service *service, void **ret)
{
	struct fragment *f;
	int r = fragment_compile(env, service, &f);

	if (r == 0)
		*ret = f;
	return r;
}

static const struct share_ops share_ops = {
	.runs = {.ref = ref_fragment, .unref = unref_fragment},
	.compile = compile_fragment,
};

struct ruleset *ruleset_ref(struct ruleset *r)
{
	r->refs++;
	return r;
}

static void env_done(struct rules_env *env)
{
	free(env->node_name);
	free(env->zone);
	node_port_set_done(&env->node_ports);
}

struct ruleset *ruleset_unref(struct ruleset *r)
{
	if (!r || --r->refs > 0)
		return NULL;
	runs_done(&r->runs, &share_ops.runs);
	free(r->fragments);
	free(r->forward.rules.items);
	free(r->firewall.rules.items);
	free(r->postrouting.rules.items);
	free(r->mark_masq.rules.items);
	free(r->services_end.items);
	env_done(&r->env);
	world_unref(r->world);
	free(r);
	return NULL;
}

static int env_make(const struct view *view, enum addr_family family,
		    const struct kernel_facts *facts, struct rules_env *env)
{
	const struct settings *s = &view->world->settings->s;
	int r;

	env->family = family;
	env->facts = *facts;
	env->mark = UINT32_C(1) << s->iptables_masquerade_bit;
	env->masquerade_all = s->iptables_masquerade_all;
	env->allow_external_ips = s->allow_external_ips;
	env->large = view->world->n_served[family] > LARGE_MODE_ENDPOINTS;
	env->detect_flags = detect_pods(s, family, &env->detect_cidr, env->detect_interface);
	(void)view_node_ip(view, family, &env->node_ip);
	env->node_name = strdup(s->node_name);
	env->zone = strdup(s->zone);
	if (!env->node_name || !env->zone)
		return -ENOMEM;
	r = view_node_ports(view, family, &env->node_ports);
	if (r < 0)
		return r;
	env->localhost_node_ports = family == ADDR_IPV4 && s->iptables_localhost_node_ports &&
				    env->node_ports.lists_loopback;
	return 0;
}

bool rules_env_equal_for_fragments(const struct rules_env *a, const struct rules_env *b)
{
	return a->family == b->family && a->facts.nfacct == b->facts.nfacct &&
	       a->masquerade_all == b->masquerade_all &&
	       a->allow_external_ips == b->allow_external_ips && a->large == b->large &&
	       a->localhost_node_ports == b->localhost_node_ports &&
	       a->detect_flags == b->detect_flags &&
	       addr_prefix_compare(&a->detect_cidr, &b->detect_cidr) == 0 &&
	       streq(a->detect_interface, b->detect_interface) &&
	       addr_equal(&a->node_ip, &b->node_ip) && streq(a->node_name, b->node_name) &&
	       streq(a->zone, b->zone);
}

bool rules_env_equal(const struct rules_env *a, const struct rules_env *b)
{
	const struct node_port_set *x = &a->node_ports, *y = &b->node_ports;

	if (!rules_env_equal_for_fragments(a, b) || a->mark != b->mark ||
	    a->facts.tcp_be_liberal != b->facts.tcp_be_liberal || x->match_all != y->match_all ||
	    x->lists_loopback != y->lists_loopback || x->n != y->n)
		return false;
	for (size_t i = 0; i < x->n; i++)
		if (!addr_equal(&x->addrs[i], &y->addrs[i]))
			return false;
	return true;
}

static int append(struct rule_list *l, const struct rule *r)
{
	int e = array_reserve(&l->items, &l->allocated, l->n + 1);

	if (e < 0)
		return e;
	l->items[l->n] = *r;
	l->items[l->n++].port_index = RULE_NO_PORT;
	return 0;
}

static int append_all(struct rule_list *l, const struct rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int r = append(l, &rules[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

/* F1: what arrives for loopback addresses from outside, which route_localnet would let in */
static int make_firewall(struct ruleset *rs)
{
	struct rule r = {
		.flags = RULE_DST | RULE_SRC_NOT | RULE_CT_NOT_KNOWN,
		.comment = COMMENT_LITERAL,
		.literal = "block incoming localnet connections",
		.target = TARGET_DROP,
		.src = {.addr = {.family = ADDR_IPV4, .bytes = {127}}, .length = 8},
		.dst = {.addr = {.family = ADDR_IPV4, .bytes = {127}}, .length = 8},
	};

	return rs->env.localhost_node_ports ? append(&rs->firewall.rules, &r) : 0;
}

/* F2 to F4 */
static int make_forward(struct ruleset *rs)
{
	bool nfacct = rs->env.facts.nfacct;
	struct rule rules[] = {
		{
			.flags = RULE_CT_INVALID | (nfacct ? RULE_NFACCT_INVALID : 0),
			.target = TARGET_DROP,
		},
		{
			.flags = RULE_MARK,
			.mark = rs->env.mark,
			.comment = COMMENT_LITERAL,
			.literal = "kubernetes forwarding rules",
			.target = TARGET_ACCEPT,
		},
		{
			.flags = RULE_CT_ESTABLISHED,
			.comment = COMMENT_LITERAL,
			.literal = "kubernetes forwarding conntrack rule",
			.target = TARGET_ACCEPT,
		},
	};
	size_t first = rs->env.facts.tcp_be_liberal ? 1 : 0;

	return append_all(&rs->forward.rules, rules + first, ELEMENTSOF(rules) - first);
}

/* N1 to N4 */
static int make_marks(struct ruleset *rs)
{
	struct rule postrouting[] = {
		{.flags = RULE_MARK_NOT, .mark = rs->env.mark, .target = TARGET_RETURN},
		{.mark = rs->env.mark, .target = TARGET_MARK_XOR},
		{
			.comment = COMMENT_LITERAL,
			.literal = "kubernetes service traffic requiring SNAT",
			.target = TARGET_MASQUERADE,
		},
	};
	struct rule mark = {.mark = rs->env.mark, .target = TARGET_MARK_OR};
	int r;

	r = append_all(&rs->postrouting.rules, postrouting, ELEMENTSOF(postrouting));
	if (r < 0)
		return r;
	return append(&rs->mark_masq.rules, &mark);
}

/* N5a or N5b */
static int make_services_end(struct ruleset *rs)
{
	const struct rules_env *env = &rs->env;
	struct rule r = {
		.comment = COMMENT_LITERAL,
		.literal = "kubernetes service nodeports; NOTE: this must be the last rule in "
			   "this chain",
		.target = TARGET_JUMP,
		.chain = "KUBE-NODEPORTS",
	};

	if (env->node_ports.match_all) {
		r.flags = RULE_DST_LOCAL;
		if (!env->localhost_node_ports) {
			r.flags |= RULE_DST_NOT | RULE_DST_PREFIX;
			r.dst.addr.family = (uint8_t)env->family;
			if (env->family == ADDR_IPV4) {
				r.dst.addr.bytes[0] = 127;
				r.dst.length = 8;
			} else {
				r.dst.addr.bytes[15] = 1;
				r.dst.length = 128;
			}
		}
		return append(&rs->services_end, &r);
	}
	r.flags = RULE_DST;
	for (size_t i = 0; i < env->node_ports.n; i++) {
		const struct addr *a = &env->node_ports.addrs[i];
		int e;

		if (addr_kinds(a) & ADDR_IS_LOOPBACK && !env->localhost_node_ports)
			continue;
		r.dst = addr_to_prefix(a);
		e = append(&rs->services_end, &r);
		if (e < 0)
			return e;
	}
	return 0;
}

static int make_fixed(struct ruleset *rs)
{
	int r;

	(void)stpcpy(rs->forward.name, "KUBE-FORWARD");
	(void)stpcpy(rs->firewall.name, "KUBE-FIREWALL");
	(void)stpcpy(rs->postrouting.name, "KUBE-POSTROUTING");
	(void)stpcpy(rs->mark_masq.name, "KUBE-MARK-MASQ");
	r = make_firewall(rs);
	if (r < 0)
		return r;
	r = make_forward(rs);
	if (r < 0)
		return r;
	r = make_marks(rs);
	if (r < 0)
		return r;
	return make_services_end(rs);
}

static int make_fragments(struct ruleset *rs, const struct ruleset *previous)
{
	struct share_previous before;
	struct share share;
	int r;

	if (previous)
		before = (struct share_previous){
			.world = previous->world,
			.fragments = (void *const *)previous->fragments,
			.runs = &previous->runs,
			.lend = rules_env_equal_for_fragments(&previous->env, &rs->env),
		};
	r = share_make(rs->world, previous ? &before : NULL, &rs->env, &share_ops, &share);
	if (r < 0)
		return r;
	rs->fragments = (struct fragment **)TAKE_PTR(share.fragments);
	rs->n_fragments = rs->world->n_services;
	rs->runs = share.runs;
	share.runs = (struct runs){0};
	share_done(&share, &share_ops);
	return 0;
}

int ruleset_compile(const struct view *view, enum addr_family family,
		    const struct kernel_facts *facts, const struct ruleset *previous,
		    struct ruleset **ret)
{
	_cleanup_(ruleset_unrefp) struct ruleset *rs = calloc(1, sizeof(*rs));
	int r;

	if (!rs)
		return -ENOMEM;
	rs->refs = 1;
	rs->world = world_ref(view->world);
	r = env_make(view, family, facts, &rs->env);
	if (r < 0)
		return r;
	r = make_fragments(rs, previous);
	if (r < 0)
		return r;
	r = make_fixed(rs);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(rs);
	return 0;
}
