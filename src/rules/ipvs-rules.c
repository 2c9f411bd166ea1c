/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "rules/ipvs-internal.h"

/* The chains and their rules: spec/ipvs.md sections 1.3 and 1.4. */

enum {
	NAT_SERVICES,
	NAT_POSTROUTING,
	NAT_NODE_PORT,
	NAT_LOAD_BALANCER,
	NAT_MARK_MASQ,
	FILTER_FORWARD,
	FILTER_NODE_PORT,
	FILTER_FIREWALL,
	FILTER_SOURCE_RANGES,
	FILTER_IPVS,
	FILTER_OUT,
	_CHAIN_MAX,
};

static const struct {
	enum rule_table table;
	char name[CHAIN_NAME_MAX];
} chains[_CHAIN_MAX] = {
	[NAT_SERVICES] = {TABLE_NAT, "KUBE-SERVICES"},
	[NAT_POSTROUTING] = {TABLE_NAT, "KUBE-POSTROUTING"},
	[NAT_NODE_PORT] = {TABLE_NAT, "KUBE-NODE-PORT"},
	[NAT_LOAD_BALANCER] = {TABLE_NAT, "KUBE-LOAD-BALANCER"},
	[NAT_MARK_MASQ] = {TABLE_NAT, "KUBE-MARK-MASQ"},
	[FILTER_FORWARD] = {TABLE_FILTER, "KUBE-FORWARD"},
	[FILTER_NODE_PORT] = {TABLE_FILTER, "KUBE-NODE-PORT"},
	[FILTER_FIREWALL] = {TABLE_FILTER, "KUBE-PROXY-FIREWALL"},
	[FILTER_SOURCE_RANGES] = {TABLE_FILTER, "KUBE-SOURCE-RANGES-FIREWALL"},
	[FILTER_IPVS] = {TABLE_FILTER, "KUBE-IPVS-FILTER"},
	[FILTER_OUT] = {TABLE_FILTER, "KUBE-IPVS-OUT-FILTER"},
};

const struct ipvs_jump ipvs_jumps[] = {
	{TABLE_NAT, "OUTPUT", "KUBE-SERVICES", "kubernetes service portals"},
	{TABLE_NAT, "PREROUTING", "KUBE-SERVICES", "kubernetes service portals"},
	{TABLE_NAT, "POSTROUTING", "KUBE-POSTROUTING", "kubernetes postrouting rules"},
	{TABLE_FILTER, "FORWARD", "KUBE-FORWARD", "kubernetes forwarding rules"},
	{TABLE_FILTER, "INPUT", "KUBE-NODE-PORT", "kubernetes health check rules"},
	{TABLE_FILTER, "INPUT", "KUBE-PROXY-FIREWALL", "kube-proxy firewall rules"},
	{TABLE_FILTER, "FORWARD", "KUBE-PROXY-FIREWALL", "kube-proxy firewall rules"},
	{TABLE_FILTER, "INPUT", "KUBE-IPVS-FILTER", "kubernetes ipvs access filter"},
	{TABLE_FILTER, "OUTPUT", "KUBE-IPVS-OUT-FILTER", "kubernetes ipvs access filter"},
};
const size_t n_ipvs_jumps = ELEMENTSOF(ipvs_jumps);

/* When a rule is written. */
enum when {
	ALWAYS,
	FILLED,	       /* when its set has entries */
	FILLED_DETECT, /* so, too; and it gets the test for what does not come from pods */
};

/* A rule with everything but what depends on the family, the mark and the settings. */
struct row {
	uint8_t chain, when, set;
	struct rule rule;
};

#define MASQ .target = TARGET_JUMP, .chain = "KUBE-MARK-MASQ"
#define TO(name) .target = TARGET_JUMP, .chain = (name)
#define LITERAL(text) .comment = COMMENT_LITERAL, .literal = (text)
/* A rule that looks into a set, with the set's comment; one without; one that looks into none. */
#define SET(in, of, condition, with, ...)                                               \
	{                                                                               \
		(in), (condition), SET_##of,                                            \
		{                                                                       \
			.flags = RULE_SET | (with), .comment = COMMENT_SET, __VA_ARGS__ \
		}                                                                       \
	}
#define BARE(in, of, condition, with, ...)                      \
	{                                                       \
		(in), (condition), SET_##of,                    \
		{                                               \
			.flags = RULE_SET | (with), __VA_ARGS__ \
		}                                               \
	}
#define FIXED(in, ...)              \
	{                           \
		(in), ALWAYS, 0,    \
		{                   \
			__VA_ARGS__ \
		}                   \
	}
#define NODE_PORT(of, proto, ...) \
	SET(NAT_NODE_PORT, of, FILLED, RULE_PROTOCOL_BARE, .protocol = (proto), __VA_ARGS__)

/* In the order of the specification. The rule for packets of this host is not a row, and those of
 * KUBE-IPVS-OUT-FILTER are not. */
static const struct row rows[] = {
	SET(NAT_POSTROUTING, LOOP_BACK, FILLED, 0, .target = TARGET_MASQUERADE_PLAIN),
	SET(NAT_SERVICES, LOAD_BALANCER, FILLED, 0, TO("KUBE-LOAD-BALANCER")),
	SET(NAT_LOAD_BALANCER, LOAD_BALANCER_LOCAL, FILLED, 0, .target = TARGET_RETURN),
	NODE_PORT(NODE_PORT_LOCAL_TCP, SVC_TCP, .target = TARGET_RETURN),
	NODE_PORT(NODE_PORT_TCP, SVC_TCP, MASQ),
	NODE_PORT(NODE_PORT_LOCAL_UDP, SVC_UDP, .target = TARGET_RETURN),
	NODE_PORT(NODE_PORT_UDP, SVC_UDP, MASQ),
	NODE_PORT(NODE_PORT_LOCAL_SCTP, SVC_SCTP, .target = TARGET_RETURN),
	NODE_PORT(NODE_PORT_SCTP, SVC_SCTP, MASQ),
	SET(NAT_SERVICES, CLUSTER_IP, FILLED_DETECT, 0, MASQ),
	SET(NAT_SERVICES, EXTERNAL_IP, FILLED, 0, MASQ),
	SET(NAT_SERVICES, EXTERNAL_IP, FILLED, RULE_NOT_PHYSDEV_IN | RULE_SRC_NOT_LOCAL,
	    .target = TARGET_ACCEPT),
	SET(NAT_SERVICES, EXTERNAL_IP, FILLED, RULE_DST_LOCAL, .target = TARGET_ACCEPT),
	SET(NAT_SERVICES, EXTERNAL_IP_LOCAL, FILLED, RULE_NOT_PHYSDEV_IN | RULE_SRC_NOT_LOCAL,
	    .target = TARGET_ACCEPT),
	SET(NAT_SERVICES, EXTERNAL_IP_LOCAL, FILLED, RULE_DST_LOCAL, .target = TARGET_ACCEPT),
	FIXED(NAT_SERVICES, .flags = RULE_DST_LOCAL, TO("KUBE-NODE-PORT")),
	FIXED(NAT_LOAD_BALANCER, MASQ),
	BARE(NAT_SERVICES, CLUSTER_IP, FILLED, 0, .target = TARGET_ACCEPT),
	BARE(NAT_SERVICES, LOAD_BALANCER, FILLED, 0, .target = TARGET_ACCEPT),
	FIXED(NAT_POSTROUTING, .flags = RULE_MARK_NOT, .target = TARGET_RETURN),
	FIXED(NAT_POSTROUTING, .target = TARGET_MARK_XOR),
	FIXED(NAT_POSTROUTING, LITERAL("kubernetes service traffic requiring SNAT"),
	      .target = TARGET_MASQUERADE),
	FIXED(NAT_MARK_MASQ, .target = TARGET_MARK_OR),

	SET(FILTER_FIREWALL, LOAD_BALANCER_FW, FILLED, 0, TO("KUBE-SOURCE-RANGES-FIREWALL")),
	SET(FILTER_SOURCE_RANGES, LOAD_BALANCER_SOURCE_CIDR, FILLED, 0, .target = TARGET_RETURN),
	SET(FILTER_SOURCE_RANGES, LOAD_BALANCER_SOURCE_IP, FILLED, 0, .target = TARGET_RETURN),
	FIXED(FILTER_SOURCE_RANGES, .target = TARGET_DROP),
	FIXED(FILTER_FORWARD, .flags = RULE_MARK, LITERAL("kubernetes forwarding rules"),
	      .target = TARGET_ACCEPT),
	FIXED(FILTER_FORWARD, .flags = RULE_CT_ESTABLISHED,
	      LITERAL("kubernetes forwarding conntrack rule"), .target = TARGET_ACCEPT),
	SET(FILTER_NODE_PORT, HEALTH_CHECK_NODE_PORT, ALWAYS, 0, .target = TARGET_ACCEPT),
	BARE(FILTER_IPVS, LOAD_BALANCER, ALWAYS, 0, .target = TARGET_RETURN),
	BARE(FILTER_IPVS, CLUSTER_IP, ALWAYS, 0, .target = TARGET_RETURN),
	BARE(FILTER_IPVS, EXTERNAL_IP, ALWAYS, 0, .target = TARGET_RETURN),
	BARE(FILTER_IPVS, EXTERNAL_IP_LOCAL, ALWAYS, 0, .target = TARGET_RETURN),
	BARE(FILTER_IPVS, HEALTH_CHECK_NODE_PORT, ALWAYS, 0, .target = TARGET_RETURN),
	/* The test of the state comes first: that is what RULE_COMMENT_LAST does. */
	BARE(FILTER_IPVS, IPVS_IPS, ALWAYS, RULE_CT_NEW | RULE_COMMENT_LAST,
	     .target = TARGET_REJECT),
};

static enum rule_lookup lookup_of(enum ipvs_set_kind kind)
{
	switch (kind) {
	case SET_KIND_IP:
	case SET_KIND_PORT:
		break;
	case SET_KIND_IP_PORT:
		return LOOKUP_DST_DST;
	case SET_KIND_IP_PORT_IP:
	case SET_KIND_IP_PORT_NET:
		return LOOKUP_DST_DST_SRC;
	}
	return LOOKUP_DST;
}

/* Traffic to cluster addresses that is masqueraded: all; or what does not come from pods; or, when
 * these cannot be told, only what comes from a cluster address. */
static void detect(const struct ipvs_env *env, struct rule *r)
{
	if (env->masquerade_all)
		return;
	if (env->detect_flags & RULE_SRC) {
		r->flags |= RULE_SRC_NOT | RULE_SRC_PREFIX;
		r->src = env->detect_range;
	} else if (env->detect_flags & RULE_IN) {
		r->flags |= RULE_IN_NOT;
		r->interface = env->detect_interface;
	} else {
		r->lookup = LOOKUP_SRC_DST;
	}
}

static int append(struct ipvs_state *s, size_t chain, const struct rule *r)
{
	struct rule_list *l = &s->chains[chain].chain.rules;
	int e = array_reserve(&l->items, &l->allocated, l->n + 1);

	if (e < 0)
		return e;
	l->items[l->n] = *r;
	l->items[l->n++].port_index = RULE_NO_PORT;
	return 0;
}

static int append_row(struct ipvs_state *s, const struct row *row)
{
	struct rule r = row->rule;

	if (row->when != ALWAYS && s->n_entries[row->set] == 0)
		return 0;
	if (r.flags & RULE_SET) {
		r.set = &ipvs_set_matches[row->set][s->family];
		r.lookup = (uint8_t)lookup_of(ipvs_set_rows[row->set].kind);
	}
	r.mark = s->env->mark;
	if (row->when == FILLED_DETECT)
		detect(s->env, &r);
	return append(s, row->chain, &r);
}

/* What this host sends from its own loopback address is left alone. */
static int append_loopback(struct ipvs_state *s)
{
	struct rule r = {.flags = RULE_SRC | RULE_SRC_PREFIX, .target = TARGET_RETURN};

	r.src.addr.family = (uint8_t)s->family;
	if (s->family == ADDR_IPV4) {
		r.src.addr.bytes[0] = 127;
		r.src.length = 8;
	} else {
		r.src.addr.bytes[15] = 1;
		r.src.length = 128;
	}
	return append(s, NAT_SERVICES, &r);
}

/* This host's own packets to a load balancer's address that it may not use: their source is that
 * address, and they do not pass INPUT or FORWARD before they are translated. */
static int append_out_filter(struct ipvs_state *s)
{
	const struct ipvs_entry *entries = s->piles->out_filter.items;

	for (size_t i = 0; i < s->piles->out_filter.n; i++) {
		struct rule r = {
			.flags = RULE_SRC | RULE_IPVS,
			.src = addr_to_prefix(&entries[i].addr),
			.protocol = entries[i].protocol,
			.dport = entries[i].port,
			.target = TARGET_DROP,
		};
		int e = append(s, FILTER_OUT, &r);

		if (e < 0)
			return e;
	}
	return 0;
}

int ipvs_rules_make(struct ipvs_state *s)
{
	int r;

	s->chains = calloc(_CHAIN_MAX, sizeof(*s->chains));
	if (!s->chains)
		return -ENOMEM;
	s->n_chains = _CHAIN_MAX;
	for (size_t i = 0; i < _CHAIN_MAX; i++) {
		s->chains[i].table = chains[i].table;
		memcpy(s->chains[i].chain.name, chains[i].name, CHAIN_NAME_MAX);
	}
	r = append_loopback(s);
	for (size_t i = 0; r == 0 && i < ELEMENTSOF(rows); i++)
		r = append_row(s, &rows[i]);
	return r < 0 ? r : append_out_filter(s);
}
