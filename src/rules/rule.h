/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/strbuf.h"
#include "model/service.h"

/*
 * A rule of iptables as typed matches and one target: the printer makes restore text of it, an
 * encoder for libiptc and a packet simulator will walk it. Text is never parsed back. 90,000 rules
 * are nothing unusual, so a rule holds no text of its own: comments are made from a kind and the
 * names of the fragment that the rule belongs to.
 */

enum rule_table {
	TABLE_FILTER,
	TABLE_NAT,
	_TABLE_MAX,
};
const char *rule_table_text(enum rule_table t);

enum rule_comment { /* N is the printed service port name, EP the endpoint's "ip:port" */
		    COMMENT_NONE,
		    COMMENT_NAME,		/* N */
		    COMMENT_NO_ENDPOINTS,	/* N has no endpoints */
		    COMMENT_NO_LOCAL_ENDPOINTS, /* N has no local endpoints */
		    COMMENT_NOT_ACCEPTED,	/* N traffic not accepted by KUBE-FW-H */
		    COMMENT_HEALTH_CHECK,	/* N health check node port */
		    COMMENT_CLUSTER_IP,		/* N cluster IP */
		    COMMENT_EXTERNAL_IP,
		    COMMENT_LOAD_BALANCER_IP,
		    COMMENT_MASQ_EXTERNAL, /* masquerade traffic for N external destinations */
		    COMMENT_POD_EXTERNAL,
		    COMMENT_MASQ_LOCAL_EXTERNAL,
		    COMMENT_ROUTE_LOCAL_EXTERNAL,
		    COMMENT_DROPPED_LATER, /* other traffic to N will be dropped by
					      KUBE-PROXY-FIREWALL */
		    COMMENT_ENDPOINT,	   /* N -> EP */
		    COMMENT_LITERAL,	   /* rule.literal */
		    COMMENT_SET,	   /* rule.set's */
};

enum rule_target {
	TARGET_NONE,
	TARGET_JUMP, /* rule.chain */
	TARGET_ACCEPT,
	TARGET_DROP,
	TARGET_REJECT,
	TARGET_RETURN,
	TARGET_MARK_XOR, /* rule.mark */
	TARGET_MARK_OR,
	TARGET_MASQUERADE, /* --random-fully */
	TARGET_DNAT,	   /* to rule.endpoint */
	TARGET_MASQUERADE_PLAIN,
};

enum rule_flag {
	RULE_SRC = 1 << 0,
	RULE_SRC_NOT = 1 << 1,
	RULE_DST = 1 << 2,
	RULE_DST_NOT = 1 << 3,
	RULE_IN = 1 << 4, /* rule.interface */
	RULE_IN_NOT = 1 << 5,
	RULE_PROTOCOL = 1 << 6, /* -m p -p p */
	RULE_DPORT = 1 << 7,
	RULE_DST_LOCAL = 1 << 8, /* -m addrtype --dst-type LOCAL */
	RULE_SRC_LOCAL = 1 << 9,
	RULE_MARK = 1 << 10, /* -m mark --mark M/M */
	RULE_MARK_NOT = 1 << 11,
	RULE_CT_NEW = 1 << 12, /* -m conntrack --ctstate ... */
	RULE_CT_INVALID = 1 << 13,
	RULE_CT_ESTABLISHED = 1 << 14, /* RELATED,ESTABLISHED */
	RULE_CT_NOT_KNOWN = 1 << 15,   /* ! RELATED,ESTABLISHED,DNAT */
	RULE_RECENT_CHECK = 1 << 16, /* --name rule.chain --rcheck --seconds rule.seconds --reap */
	RULE_RECENT_SET = 1 << 17,   /* --name rule.chain --set */
	RULE_STATISTIC = 1 << 18,    /* random, 1/rule.one_in */
	RULE_NFACCT_INVALID = 1 << 19,	 /* ct_state_invalid_dropped_pkts */
	RULE_NFACCT_LOCALHOST = 1 << 20, /* localhost_nps_accepted_pkts */
	RULE_COMMENT_LAST = 1 << 21,	 /* the comment stands after conntrack (jumps 1, 2, 4-9) */
	RULE_SRC_PREFIX = 1 << 22, /* with RULE_SRC*: a range, its length is printed even when it is
				      a full one */
	RULE_DST_PREFIX = 1 << 23,
	/* ipvs mode */
	RULE_SET = 1 << 24,	       /* -m set --match-set rule.set rule.lookup */
	RULE_NOT_PHYSDEV_IN = 1 << 25, /* -m physdev ! --physdev-is-in */
	RULE_SRC_NOT_LOCAL = 1 << 26,  /* -m addrtype ! --src-type LOCAL */
	RULE_PROTOCOL_BARE = 1 << 27,  /* -p p alone, without -m p */
	RULE_IPVS = 1 << 28, /* -m ipvs: the virtual server at rule.src, protocol, port dport */
};
#define RULE_NO_PORT UINT32_MAX

/* What RULE_SET looks into: a set of the kernel, and the comment of its rules. */
struct rule_set {
	const char *name;
	const char *comment; /* NULL: none */
};
/* Which fields of a packet are looked for in it. */
enum rule_lookup {
	LOOKUP_DST,
	LOOKUP_DST_DST,
	LOOKUP_DST_DST_SRC,
	LOOKUP_SRC_DST,
};
const char *rule_lookup_text(enum rule_lookup l); /* "dst,dst" */

struct rule {
	uint32_t flags;
	/* enum rule_comment, rule_target, svc_proto, rule_lookup */
	uint8_t comment, target, protocol, lookup;
	uint16_t dport;
	uint32_t
		port_index; /* which port of the fragment's service; RULE_NO_PORT for fixed rules */
	uint32_t one_in;    /* RULE_STATISTIC */
	uint32_t seconds;   /* affinity */
	uint32_t mark;
	struct addr_prefix src, dst;
	/* Jump target, or the recent list's own chain, or with COMMENT_NOT_ACCEPTED the KUBE-FW
	 * chain that the comment names: owned by the fragment or a literal. */
	const char *chain;
	union {
		const struct endpoint *endpoint; /* COMMENT_ENDPOINT, TARGET_DNAT: lives in the
						    fragment's service */
		const char *literal;		 /* COMMENT_LITERAL */
		const struct rule_set *set;	 /* RULE_SET, COMMENT_SET: static */
	};
	const char *interface; /* owned by the fragment; a prefix ends in '+' */
};

struct rule_list {
	struct rule *items;
	size_t n, allocated;
};

#define CHAIN_NAME_MAX 29 /* the kernel's 28 bytes and the NUL */
struct chain {
	char name[CHAIN_NAME_MAX];
	struct rule_list rules;
};

/* True when the two print the same text (given services that are equal where the rule looks). */
bool rule_equal(const struct rule *a, const struct service *sa, const struct rule *b,
		const struct service *sb);
bool rule_lists_equal(const struct rule_list *a, const struct service *sa,
		      const struct rule_list *b, const struct service *sb);

/*
 * The rule as restore text without "-A CHAIN ", without blank before or newline after it, exactly
 * as spec/iptables.md section 3.4 has it; mark printed as 0x%08x. service: the fragment's, NULL for
 * fixed rules.
 */
void rule_print(const struct rule *r, const struct service *service, struct strbuf *out);
