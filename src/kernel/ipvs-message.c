/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/ipvs-message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/ip_vs.h>
#include <netinet/in.h>
#include <netlink/genl/genl.h>

#include "kernel/netlink.h"

#define REQUEST_SIZE 512 /* none is larger */

static int family_to_af(uint8_t family)
{
	return family == ADDR_IPV6 ? AF_INET6 : AF_INET;
}

static size_t addr_size(uint8_t family)
{
	return family == ADDR_IPV6 ? 16 : 4;
}

int ipvs_request_new(int family, uint8_t command, int flags, struct nl_msg **ret)
{
	struct nl_msg *msg = nlmsg_alloc_size(REQUEST_SIZE);

	if (!msg)
		return -ENOMEM;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, flags, command,
			 IPVS_GENL_VERSION)) {
		nlmsg_free(msg);
		return -ENOMEM;
	}
	*ret = msg;
	return 0;
}

static bool put_key(struct nl_msg *msg, const struct ipvs_key *key)
{
	return nla_put_u16(msg, IPVS_SVC_ATTR_AF, (uint16_t)family_to_af(key->addr.family)) >= 0 &&
	       nla_put_u16(msg, IPVS_SVC_ATTR_PROTOCOL, key->protocol) >= 0 &&
	       nla_put(msg, IPVS_SVC_ATTR_ADDR, (int)addr_size(key->addr.family),
		       key->addr.bytes) >= 0 &&
	       nla_put_u16(msg, IPVS_SVC_ATTR_PORT, htons(key->port)) >= 0;
}

/* The kernel keeps an IPv4 mask as it is used, and an IPv6 one as a length. */
static uint32_t netmask_from_prefix(const struct ipvs_server *s)
{
	if (s->key.addr.family == ADDR_IPV6)
		return s->prefix;
	return s->prefix ? htonl(UINT32_MAX << (32 - s->prefix)) : 0;
}

static bool put_server(struct nl_msg *msg, const struct ipvs_server *s)
{
	/* The mask: all flags are set, not only those that differ. */
	const struct ip_vs_flags flags = {.flags = s->flags, .mask = UINT32_MAX};

	return nla_put_string(msg, IPVS_SVC_ATTR_SCHED_NAME, s->scheduler) >= 0 &&
	       nla_put(msg, IPVS_SVC_ATTR_FLAGS, sizeof(flags), &flags) >= 0 &&
	       nla_put_u32(msg, IPVS_SVC_ATTR_TIMEOUT, s->timeout) >= 0 &&
	       nla_put_u32(msg, IPVS_SVC_ATTR_NETMASK, netmask_from_prefix(s)) >= 0;
}

static bool put_dest(struct nl_msg *msg, const struct ipvs_dest *d, bool key_alone)
{
	if (nla_put(msg, IPVS_DEST_ATTR_ADDR, (int)addr_size(d->addr.family), d->addr.bytes) < 0 ||
	    nla_put_u16(msg, IPVS_DEST_ATTR_PORT, htons(d->port)) < 0)
		return false;
	return key_alone || (nla_put_u32(msg, IPVS_DEST_ATTR_FWD_METHOD, IP_VS_CONN_F_MASQ) >= 0 &&
			     nla_put_u32(msg, IPVS_DEST_ATTR_WEIGHT, d->weight) >= 0 &&
			     nla_put_u32(msg, IPVS_DEST_ATTR_U_THRESH, 0) >= 0 &&
			     nla_put_u32(msg, IPVS_DEST_ATTR_L_THRESH, 0) >= 0);
}

/* server, dest: NULL for none. */
static int request_full(int family, uint8_t command, int flags, const struct ipvs_key *key,
			const struct ipvs_server *server, const struct ipvs_dest *dest,
			struct nl_msg **ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	struct nlattr *nest;
	int r;

	r = ipvs_request_new(family, command, flags, &msg);
	if (r < 0)
		return r;
	nest = nla_nest_start(msg, IPVS_CMD_ATTR_SERVICE);
	if (!nest || !put_key(msg, key) || (server && !put_server(msg, server)))
		return -ENOMEM;
	(void)nla_nest_end(msg, nest);
	if (dest) {
		nest = nla_nest_start(msg, IPVS_CMD_ATTR_DEST);
		if (!nest || !put_dest(msg, dest, command == IPVS_CMD_DEL_DEST))
			return -ENOMEM;
		(void)nla_nest_end(msg, nest);
	}
	*ret = TAKE_PTR(msg);
	return 0;
}

int ipvs_request_key(int family, uint8_t command, int flags, const struct ipvs_key *key,
		     struct nl_msg **ret)
{
	return request_full(family, command, flags, key, NULL, NULL, ret);
}

static const struct {
	uint8_t command;
	bool server, dest; /* what is told in full */
	const char *text;
} verbs[] = {
	[IPVS_NEW_SERVER] = {IPVS_CMD_NEW_SERVICE, true, false, "add the virtual server"},
	[IPVS_SET_SERVER] = {IPVS_CMD_SET_SERVICE, true, false, "change the virtual server"},
	[IPVS_DEL_SERVER] = {IPVS_CMD_DEL_SERVICE, false, false, "delete the virtual server"},
	[IPVS_NEW_DEST] = {IPVS_CMD_NEW_DEST, false, true, "add the real server"},
	[IPVS_SET_DEST] = {IPVS_CMD_SET_DEST, false, true, "change the real server"},
	[IPVS_DEL_DEST] = {IPVS_CMD_DEL_DEST, false, true, "delete the real server"},
};

const char *ipvs_verb_text(enum ipvs_verb verb)
{
	return verbs[verb].text;
}

static bool scheduler_valid(const char *name)
{
	return name[0] && memchr(name, '\0', IPVS_SCHEDULER_MAX);
}

int ipvs_change_check(const struct ipvs_change *c)
{
	const struct ipvs_server *s = &c->server;
	const struct ipvs_key *key = &s->key;

	if (key->port == 0 || (key->protocol != IPPROTO_TCP && key->protocol != IPPROTO_UDP &&
			       key->protocol != IPPROTO_SCTP))
		return -EINVAL;
	if (verbs[c->verb].server &&
	    (!scheduler_valid(s->scheduler) || s->prefix > 8 * addr_size(key->addr.family)))
		return -EINVAL;
	if (verbs[c->verb].dest && (c->dest.port == 0 || c->dest.addr.family != key->addr.family))
		return -EINVAL;
	return 0;
}

int ipvs_request_change(int family, const struct ipvs_change *c, struct nl_msg **ret)
{
	return request_full(family, verbs[c->verb].command, 0, &c->server.key,
			    verbs[c->verb].server ? &c->server : NULL,
			    verbs[c->verb].dest ? &c->dest : NULL, ret);
}

int ipvs_request_timeouts(int family, const struct ipvs_timeouts *t, struct nl_msg **ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	int r;

	r = ipvs_request_new(family, IPVS_CMD_SET_CONFIG, 0, &msg);
	if (r < 0)
		return r;
	if ((t->tcp && nla_put_u32(msg, IPVS_CMD_ATTR_TIMEOUT_TCP, t->tcp) < 0) ||
	    (t->tcp_fin && nla_put_u32(msg, IPVS_CMD_ATTR_TIMEOUT_TCP_FIN, t->tcp_fin) < 0) ||
	    (t->udp && nla_put_u32(msg, IPVS_CMD_ATTR_TIMEOUT_UDP, t->udp) < 0))
		return -ENOMEM;
	*ret = TAKE_PTR(msg);
	return 0;
}

/* Answers. Attributes of a kind or length that is not theirs fail; unknown ones are passed over. */

#define EXACT_U16                            \
	{                                    \
		.type = NLA_U16, .maxlen = 2 \
	}
#define EXACT_U32                            \
	{                                    \
		.type = NLA_U32, .maxlen = 4 \
	}
#define EXACT_U64                            \
	{                                    \
		.type = NLA_U64, .maxlen = 8 \
	}

/* The attributes of the message that answers this command. */
static int parse_message(const void *message, size_t size, uint8_t command, struct nlattr **tb)
{
	/* One table: all numbers of the first level that we read. */
	struct nla_policy policy[IPVS_CMD_ATTR_MAX + 1] = {
		[IPVS_CMD_ATTR_SERVICE] = {.type = NLA_NESTED},
		[IPVS_CMD_ATTR_DEST] = {.type = NLA_NESTED},
		[IPVS_CMD_ATTR_TIMEOUT_TCP] = EXACT_U32,
		[IPVS_CMD_ATTR_TIMEOUT_TCP_FIN] = EXACT_U32,
		[IPVS_CMD_ATTR_TIMEOUT_UDP] = EXACT_U32,
	};
	struct nlmsghdr *h = (struct nlmsghdr *)(uintptr_t)message;
	const struct genlmsghdr *g;

	if (size > INT32_MAX || !nlmsg_ok(h, (int)size) ||
	    h->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return -EBADMSG;
	g = nlmsg_data(h);
	if (g->cmd != command || nlmsg_parse(h, GENL_HDRLEN, tb, IPVS_CMD_ATTR_MAX, policy) < 0)
		return -EBADMSG;
	return 0;
}

/* An IPv4 address has 16 bytes in answers, the last 12 without meaning. */
static bool addr_from_attr(const struct nlattr *a, uint8_t family, struct addr *ret)
{
	if (!a || (size_t)nla_len(a) < addr_size(family))
		return false;
	*ret = (struct addr){.family = family};
	memcpy(ret->bytes, nla_data(a), addr_size(family));
	return true;
}

static bool family_from_attr(const struct nlattr *a, uint8_t *ret)
{
	uint16_t af = nla_get_u16(a);

	if (af != AF_INET && af != AF_INET6)
		return false;
	*ret = af == AF_INET6 ? ADDR_IPV6 : ADDR_IPV4;
	return true;
}

/* Kernels before 4.1 have only the first kind: packets and connections in 32 bits. */
static int parse_counters(struct nlattr *stats, struct nlattr *stats64, struct ipvs_counters *ret)
{
	struct nla_policy policy[IPVS_STATS_ATTR_MAX + 1] = {
		[IPVS_STATS_ATTR_CONNS] = EXACT_U32,	[IPVS_STATS_ATTR_INPKTS] = EXACT_U32,
		[IPVS_STATS_ATTR_OUTPKTS] = EXACT_U32,	[IPVS_STATS_ATTR_INBYTES] = EXACT_U64,
		[IPVS_STATS_ATTR_OUTBYTES] = EXACT_U64,
	};
	struct nlattr *tb[IPVS_STATS_ATTR_MAX + 1];
	uint64_t values[IPVS_STATS_ATTR_OUTBYTES + 1] = {0};

	*ret = (struct ipvs_counters){0};
	if (!stats && !stats64)
		return 0;
	if (stats64)
		for (int i = IPVS_STATS_ATTR_CONNS; i <= IPVS_STATS_ATTR_OUTBYTES; i++)
			policy[i] = (struct nla_policy)EXACT_U64;
	if (nla_parse_nested(tb, IPVS_STATS_ATTR_MAX, stats64 ? stats64 : stats, policy) < 0)
		return -EBADMSG;
	for (int i = IPVS_STATS_ATTR_CONNS; i <= IPVS_STATS_ATTR_OUTBYTES; i++) {
		if (!tb[i])
			return -EBADMSG;
		values[i] = policy[i].type == NLA_U64 ? nla_get_u64(tb[i]) : nla_get_u32(tb[i]);
	}
	*ret = (struct ipvs_counters){
		.connections = values[IPVS_STATS_ATTR_CONNS],
		.in_packets = values[IPVS_STATS_ATTR_INPKTS],
		.out_packets = values[IPVS_STATS_ATTR_OUTPKTS],
		.in_bytes = values[IPVS_STATS_ATTR_INBYTES],
		.out_bytes = values[IPVS_STATS_ATTR_OUTBYTES],
	};
	return 0;
}

/* A mask with holes, which only somebody else's can be, counts up to the first hole. */
static bool prefix_from_netmask(uint8_t family, uint32_t netmask, uint32_t *ret)
{
	uint32_t n = 0;

	if (family == ADDR_IPV6) {
		*ret = netmask;
		return netmask <= 128;
	}
	for (netmask = ntohl(netmask); netmask & 0x80000000u; netmask <<= 1)
		n++;
	*ret = n;
	return true;
}

static bool parse_key(struct nlattr *const *tb, struct ipvs_key *ret)
{
	uint16_t protocol;

	if (!tb[IPVS_SVC_ATTR_PROTOCOL] || !tb[IPVS_SVC_ATTR_PORT] ||
	    !addr_from_attr(tb[IPVS_SVC_ATTR_ADDR], ret->addr.family, &ret->addr))
		return false;
	/* The kernel keeps 16 bits and checks nothing: what is no protocol must not look like one
	 * of ours, nor keep us from reading the rest. */
	protocol = nla_get_u16(tb[IPVS_SVC_ATTR_PROTOCOL]);
	ret->protocol = protocol <= UINT8_MAX ? (uint8_t)protocol : 0;
	ret->port = ntohs(nla_get_u16(tb[IPVS_SVC_ATTR_PORT]));
	return true;
}

int ipvs_parse_server(const void *message, size_t size, struct ipvs_server *ret)
{
	struct nla_policy policy[IPVS_SVC_ATTR_MAX + 1] = {
		[IPVS_SVC_ATTR_AF] = EXACT_U16,
		[IPVS_SVC_ATTR_PROTOCOL] = EXACT_U16,
		[IPVS_SVC_ATTR_ADDR] = {.minlen = 4, .maxlen = 16},
		[IPVS_SVC_ATTR_PORT] = EXACT_U16,
		[IPVS_SVC_ATTR_FWMARK] = EXACT_U32,
		[IPVS_SVC_ATTR_SCHED_NAME] = {.type = NLA_STRING, .maxlen = IPVS_SCHEDULER_MAX},
		[IPVS_SVC_ATTR_FLAGS] = {.minlen = sizeof(struct ip_vs_flags),
					 .maxlen = sizeof(struct ip_vs_flags)},
		[IPVS_SVC_ATTR_TIMEOUT] = EXACT_U32,
		[IPVS_SVC_ATTR_NETMASK] = EXACT_U32,
		[IPVS_SVC_ATTR_STATS] = {.type = NLA_NESTED},
		[IPVS_SVC_ATTR_STATS64] = {.type = NLA_NESTED},
	};
	struct nlattr *top[IPVS_CMD_ATTR_MAX + 1], *tb[IPVS_SVC_ATTR_MAX + 1];
	struct ipvs_server s = {0};
	struct ip_vs_flags flags;

	if (parse_message(message, size, IPVS_CMD_NEW_SERVICE, top) < 0 ||
	    !top[IPVS_CMD_ATTR_SERVICE] ||
	    nla_parse_nested(tb, IPVS_SVC_ATTR_MAX, top[IPVS_CMD_ATTR_SERVICE], policy) < 0 ||
	    !tb[IPVS_SVC_ATTR_AF] || !tb[IPVS_SVC_ATTR_SCHED_NAME] || !tb[IPVS_SVC_ATTR_FLAGS] ||
	    !tb[IPVS_SVC_ATTR_TIMEOUT] || !tb[IPVS_SVC_ATTR_NETMASK])
		return -EBADMSG;
	if (!family_from_attr(tb[IPVS_SVC_ATTR_AF], &s.key.addr.family))
		return -EBADMSG;
	if (tb[IPVS_SVC_ATTR_FWMARK])
		s.fwmark = nla_get_u32(tb[IPVS_SVC_ATTR_FWMARK]);
	if (s.fwmark == 0 && !parse_key(tb, &s.key))
		return -EBADMSG;
	(void)nla_strlcpy(s.scheduler, tb[IPVS_SVC_ATTR_SCHED_NAME], sizeof(s.scheduler));
	memcpy(&flags, nla_data(tb[IPVS_SVC_ATTR_FLAGS]), sizeof(flags));
	s.flags = flags.flags & ~IPVS_HASHED;
	s.timeout = nla_get_u32(tb[IPVS_SVC_ATTR_TIMEOUT]);
	if (!prefix_from_netmask(s.key.addr.family, nla_get_u32(tb[IPVS_SVC_ATTR_NETMASK]),
				 &s.prefix))
		return -EBADMSG;
	if (parse_counters(tb[IPVS_SVC_ATTR_STATS], tb[IPVS_SVC_ATTR_STATS64], &s.counters) < 0)
		return -EBADMSG;
	*ret = s;
	return 0;
}

int ipvs_parse_dest(const void *message, size_t size, enum addr_family family,
		    struct ipvs_dest *ret)
{
	struct nla_policy policy[IPVS_DEST_ATTR_MAX + 1] = {
		[IPVS_DEST_ATTR_ADDR] = {.minlen = 4, .maxlen = 16},
		[IPVS_DEST_ATTR_PORT] = EXACT_U16,
		[IPVS_DEST_ATTR_FWD_METHOD] = EXACT_U32,
		[IPVS_DEST_ATTR_WEIGHT] = EXACT_U32,
		[IPVS_DEST_ATTR_ACTIVE_CONNS] = EXACT_U32,
		[IPVS_DEST_ATTR_INACT_CONNS] = EXACT_U32,
		[IPVS_DEST_ATTR_PERSIST_CONNS] = EXACT_U32,
		[IPVS_DEST_ATTR_STATS] = {.type = NLA_NESTED},
		[IPVS_DEST_ATTR_ADDR_FAMILY] = EXACT_U16,
		[IPVS_DEST_ATTR_STATS64] = {.type = NLA_NESTED},
	};
	struct nlattr *top[IPVS_CMD_ATTR_MAX + 1], *tb[IPVS_DEST_ATTR_MAX + 1];
	struct ipvs_dest d = {0};
	uint8_t own = (uint8_t)family;

	if (parse_message(message, size, IPVS_CMD_NEW_DEST, top) < 0 || !top[IPVS_CMD_ATTR_DEST] ||
	    nla_parse_nested(tb, IPVS_DEST_ATTR_MAX, top[IPVS_CMD_ATTR_DEST], policy) < 0 ||
	    !tb[IPVS_DEST_ATTR_PORT] || !tb[IPVS_DEST_ATTR_FWD_METHOD] ||
	    !tb[IPVS_DEST_ATTR_WEIGHT])
		return -EBADMSG;
	/* Without them a busy one would look idle, and be deleted under its connections. */
	if (!tb[IPVS_DEST_ATTR_ACTIVE_CONNS] || !tb[IPVS_DEST_ATTR_INACT_CONNS] ||
	    !tb[IPVS_DEST_ATTR_PERSIST_CONNS])
		return -EBADMSG;
	if (tb[IPVS_DEST_ATTR_ADDR_FAMILY] &&
	    !family_from_attr(tb[IPVS_DEST_ATTR_ADDR_FAMILY], &own))
		return -EBADMSG;
	if (!addr_from_attr(tb[IPVS_DEST_ATTR_ADDR], own, &d.addr))
		return -EBADMSG;
	d.port = ntohs(nla_get_u16(tb[IPVS_DEST_ATTR_PORT]));
	d.weight = nla_get_u32(tb[IPVS_DEST_ATTR_WEIGHT]);
	d.forward = nla_get_u32(tb[IPVS_DEST_ATTR_FWD_METHOD]) & IP_VS_CONN_F_FWD_MASK;
	d.active = nla_get_u32(tb[IPVS_DEST_ATTR_ACTIVE_CONNS]);
	d.inactive = nla_get_u32(tb[IPVS_DEST_ATTR_INACT_CONNS]);
	d.persistent = nla_get_u32(tb[IPVS_DEST_ATTR_PERSIST_CONNS]);
	if (parse_counters(tb[IPVS_DEST_ATTR_STATS], tb[IPVS_DEST_ATTR_STATS64], &d.counters) < 0)
		return -EBADMSG;
	*ret = d;
	return 0;
}

int ipvs_parse_timeouts(const void *message, size_t size, struct ipvs_timeouts *ret)
{
	struct nlattr *tb[IPVS_CMD_ATTR_MAX + 1];

	if (parse_message(message, size, IPVS_CMD_SET_CONFIG, tb) < 0 ||
	    !tb[IPVS_CMD_ATTR_TIMEOUT_TCP] || !tb[IPVS_CMD_ATTR_TIMEOUT_TCP_FIN] ||
	    !tb[IPVS_CMD_ATTR_TIMEOUT_UDP])
		return -EBADMSG;
	*ret = (struct ipvs_timeouts){
		.tcp = nla_get_u32(tb[IPVS_CMD_ATTR_TIMEOUT_TCP]),
		.tcp_fin = nla_get_u32(tb[IPVS_CMD_ATTR_TIMEOUT_TCP_FIN]),
		.udp = nla_get_u32(tb[IPVS_CMD_ATTR_TIMEOUT_UDP]),
	};
	return 0;
}
