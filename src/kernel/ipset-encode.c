/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests to ipset. Numbers of two and four bytes and addresses are in network order and say so
 * (NLA_F_NET_BYTEORDER), nests say that they are (NLA_F_NESTED): the kernel refuses what does not.
 * Line numbers are the exception; it only sends them back.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/ipset/ip_set.h>
#include <linux/netfilter/nfnetlink.h>

#include "kernel/ipset-wire.h"

#define HASH_SIZE 1024
#define MAX_ELEMENTS 65536

/* An element with everything is 96 bytes at most; a batch must stay below 64 KiB, the most that the
 * length of an attribute can say, and finds room in half of it. */
#define ELEMENT_MAX 96

static int put_u16(struct nl_msg *msg, int type, uint16_t value)
{
	return nla_put_u16(msg, type | NLA_F_NET_BYTEORDER, htons(value));
}

static int put_u32(struct nl_msg *msg, int type, uint32_t value)
{
	return nla_put_u32(msg, type | NLA_F_NET_BYTEORDER, htonl(value));
}

static struct nlattr *nest_start(struct nl_msg *msg, int type)
{
	return nla_nest_start(msg, type | NLA_F_NESTED);
}

static int put_addr(struct nl_msg *msg, int type, const struct addr *a)
{
	bool ipv4 = a->family == ADDR_IPV4;
	struct nlattr *nest = nest_start(msg, type);

	if (!nest)
		return -ENOMEM;
	if (nla_put(msg,
		    (ipv4 ? IPSET_ATTR_IPADDR_IPV4 : IPSET_ATTR_IPADDR_IPV6) | NLA_F_NET_BYTEORDER,
		    ipv4 ? 4 : 16, a->bytes) < 0)
		return -ENOMEM;
	return nla_nest_end(msg, nest);
}

static bool name_is_good(const char *name)
{
	return *name && strlen(name) < IPSET_NAME_MAX;
}

int ipset_message_new(int command, int flags, uint8_t protocol, const char *name, size_t room,
		      struct nl_msg **ret)
{
	const struct nfgenmsg header = {.nfgen_family = AF_INET, .version = NFNETLINK_V0};
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;

	if (name && !name_is_good(name))
		return -EINVAL;
	msg = nlmsg_alloc_size(256 + room);
	if (!msg)
		return -ENOMEM;
	if (!nlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, NFNL_SUBSYS_IPSET << 8 | command, 0,
		       flags) ||
	    nlmsg_append(msg, (void *)(uintptr_t)&header, sizeof(header), NLMSG_ALIGNTO) < 0 ||
	    nla_put_u8(msg, IPSET_ATTR_PROTOCOL, protocol) < 0 ||
	    (name && nla_put_string(msg, IPSET_ATTR_SETNAME, name) < 0))
		return -ENOMEM;
	*ret = TAKE_PTR(msg);
	return 0;
}

/* A bitmap of ports has no family. */
static int put_type(struct nl_msg *msg, enum ipset_type type, enum addr_family family)
{
	uint8_t af = !ipset_layouts[type].addr ? AF_UNSPEC
		     : family == ADDR_IPV4     ? AF_INET
					       : AF_INET6;

	if (nla_put_string(msg, IPSET_ATTR_TYPENAME, ipset_layouts[type].text) < 0)
		return -ENOMEM;
	return nla_put_u8(msg, IPSET_ATTR_FAMILY, af);
}

int ipset_message_create(uint8_t protocol, const char *name, enum ipset_type type,
			 enum addr_family family, uint8_t revision, struct nl_msg **ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	struct nlattr *nest;
	int r;

	/* Without NLM_F_EXCL the kernel would be content with a set of the other family. */
	r = ipset_message_new(IPSET_CMD_CREATE, NLM_F_EXCL | NLM_F_CREATE, protocol, name, 0, &msg);
	if (r < 0)
		return r;
	if (put_type(msg, type, family) < 0 || nla_put_u8(msg, IPSET_ATTR_REVISION, revision) < 0)
		return -ENOMEM;
	nest = nest_start(msg, IPSET_ATTR_DATA);
	if (!nest)
		return -ENOMEM;
	r = ipset_layouts[type].addr ? put_u32(msg, IPSET_ATTR_HASHSIZE, HASH_SIZE)
				     : put_u16(msg, IPSET_ATTR_PORT, 0);
	if (r == 0)
		r = ipset_layouts[type].addr ? put_u32(msg, IPSET_ATTR_MAXELEM, MAX_ELEMENTS)
					     : put_u16(msg, IPSET_ATTR_PORT_TO, UINT16_MAX);
	if (r < 0 || nla_nest_end(msg, nest) < 0)
		return -ENOMEM;
	*ret = TAKE_PTR(msg);
	return 0;
}

int ipset_message_swap(uint8_t protocol, const char *a, const char *b, struct nl_msg **ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	int r;

	if (!name_is_good(b))
		return -EINVAL;
	r = ipset_message_new(IPSET_CMD_SWAP, 0, protocol, a, 0, &msg);
	if (r < 0)
		return r;
	if (nla_put_string(msg, IPSET_ATTR_SETNAME2, b) < 0)
		return -ENOMEM;
	*ret = TAKE_PTR(msg);
	return 0;
}

int ipset_message_type(uint8_t protocol, enum ipset_type type, enum addr_family family,
		       struct nl_msg **ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	int r;

	r = ipset_message_new(IPSET_CMD_TYPE, 0, protocol, NULL, 0, &msg);
	if (r < 0)
		return r;
	if (put_type(msg, type, family) < 0)
		return -ENOMEM;
	*ret = TAKE_PTR(msg);
	return 0;
}

static int put_element(struct nl_msg *msg, const struct ipset_layout *l,
		       const struct ipset_element *e, uint32_t line)
{
	struct nlattr *nest = nest_start(msg, IPSET_ATTR_DATA);

	if (!nest || (l->addr && put_addr(msg, IPSET_ATTR_IP, &e->addr) < 0) ||
	    (l->port && put_u16(msg, IPSET_ATTR_PORT, e->port) < 0) ||
	    (l->protocol && nla_put_u8(msg, IPSET_ATTR_PROTO, e->protocol) < 0) ||
	    (l->addr2 && put_addr(msg, IPSET_ATTR_IP2, &e->addr2) < 0) ||
	    (l->prefix && nla_put_u8(msg, IPSET_ATTR_CIDR2, e->prefix) < 0) ||
	    nla_put_u32(msg, IPSET_ATTR_LINENO, line) < 0)
		return -ENOMEM;
	return nla_nest_end(msg, nest);
}

int ipset_message_elements(int command, uint8_t protocol, const char *name, enum ipset_type type,
			   const struct ipset_element *elements, size_t n, struct nl_msg **ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	struct nlattr *nest;
	int r;

	/* Without NLM_F_EXCL: what is there already, or gone already, is fine. */
	r = ipset_message_new(command, 0, protocol, name, n * ELEMENT_MAX, &msg);
	if (r < 0)
		return r;
	if (nla_put_u32(msg, IPSET_ATTR_LINENO, 0) < 0)
		return -ENOMEM;
	nest = nest_start(msg, IPSET_ATTR_ADT);
	if (!nest)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (put_element(msg, &ipset_layouts[type], &elements[i], (uint32_t)(i + 1)) < 0)
			return -ENOMEM;
	if (nla_nest_end(msg, nest) < 0)
		return -ENOMEM;
	*ret = TAKE_PTR(msg);
	return 0;
}
