/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules/ruleset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

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

static const struct runs_ops fragment_runs = {.ref = ref_fragment, .unref = unref_fragment};

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
	runs_done(&r->runs, &fragment_runs);
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

/* The first of a family is the only one that counts. */
static void detect_by_cidr(struct rules_env *env, const struct prefix_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i].addr.family != env->family)
			continue;
		env->detect_flags = RULE_SRC;
		env->detect_cidr = list->items[i];
		return;
	}
}

/* Both callers have a name of at most 15 bytes: settings_finish() sees to that. */
/* A prefix as long as a name can be matches that name alone, and iptables takes no longer text. */
static void detect_by_interface(struct rules_env *env, const char *name, const char *suffix)
{
	size_t n = strlen(name);

	if (n == 0 || n >= sizeof(env->detect_interface))
		return;
	memcpy(env->detect_interface, name, n);
	if (n + strlen(suffix) < sizeof(env->detect_interface))
		(void)stpcpy(env->detect_interface + n, suffix);
	env->detect_flags = RULE_IN;
}

static void set_detection(struct rules_env *env, const struct settings *s)
{
	switch (s->detect_local) {
	case DETECT_CLUSTER_CIDR:
		detect_by_cidr(env, &s->cluster_cidr);
		break;
	case DETECT_NODE_CIDR:
		detect_by_cidr(env, &s->node_cidr);
		break;
	case DETECT_BRIDGE_INTERFACE:
		detect_by_interface(env, s->bridge_interface, "");
		break;
	case DETECT_INTERFACE_NAME_PREFIX:
		detect_by_interface(env, s->interface_name_prefix, "+");
		break;
	case DETECT_NONE:
	case _DETECT_MAX:
		break;
	}
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
	set_detection(env, s);
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

/* Both worlds are sorted, so one walk finds what is shared. */
/*
 * Fragments of previous are found beside the services that they belong to, without looking at
 * either: two lists of pointers are walked. *ret_made: those made here, which the caller has to
 * give back.
 */
static int find_fragments(struct ruleset *rs, const struct ruleset *previous,
			  struct fragment **made, size_t *n_made)
{
	struct service *const *services = rs->world->services, *const *old = NULL;
	size_t n_old = 0, at = 0;
	int r;

	if (previous && rules_env_equal_for_fragments(&previous->env, &rs->env)) {
		old = previous->world->services;
		n_old = previous->n_fragments;
	}
	for (size_t i = 0; i < rs->n_fragments; i++) {
		while (at < n_old && old[at] != services[i] &&
		       service_key_compare(old[at]->key, services[i]->key) <= 0)
			at++;
		if (at < n_old && old[at] == services[i]) {
			rs->fragments[i] = previous->fragments[at++];
			continue;
		}
		r = fragment_compile(&rs->env, services[i], &rs->fragments[i]);
		if (r < 0)
			return r;
		made[(*n_made)++] = rs->fragments[i];
	}
	return 0;
}

static int make_fragments(struct ruleset *rs, const struct ruleset *previous)
{
	_cleanup_free_ struct fragment **made = NULL;
	size_t n_made = 0, n = rs->world->n_services;
	int r;

	if (n == 0)
		return 0;
	rs->n_fragments = n;
	rs->fragments = calloc(n, sizeof(struct fragment *));
	made = calloc(n, sizeof(struct fragment *));
	if (!rs->fragments || !made)
		return -ENOMEM;
	r = find_fragments(rs, previous, made, &n_made);
	if (r == 0)
		r = runs_make((void *const *)rs->fragments, n, previous ? &previous->runs : NULL,
			      &fragment_runs, &rs->runs);
	while (n_made > 0)
		fragment_unref(made[--n_made]);
	return r;
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
