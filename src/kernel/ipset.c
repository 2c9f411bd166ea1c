/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The socket of ipset. */
#include "kernel/ipset.h"

#include <errno.h>
#include <linux/netfilter/ipset/ip_set.h>

#include "kernel/ipset-wire.h"

struct ipset {
	struct nl_sock *sock;
	uint8_t protocol;
	uint8_t revisions[_IPSET_TYPE_MAX][_ADDR_FAMILY_MAX]; /* 0: not asked for yet */
};

struct range {
	uint8_t highest, lowest;
};

int ipset_errno(int error, enum ipset_type type)
{
	switch (-error) {
	case IPSET_ERR_PROTOCOL:
		return -EPROTO;
	case IPSET_ERR_FIND_TYPE:
		return -ENOTSUP;
	case IPSET_ERR_MAX_SETS:
		return -ENFILE;
	case IPSET_ERR_BUSY:
	case IPSET_ERR_REFERENCED:
		return -EBUSY;
	case IPSET_ERR_EXIST_SETNAME2:
		return -ENOENT;
	case IPSET_ERR_TYPE_MISMATCH:
		return -EPROTOTYPE;
	case IPSET_ERR_EXIST:
		return -EEXIST;
	case IPSET_ERR_INVALID_FAMILY:
	case IPSET_ERR_IPADDR_IPV4:
	case IPSET_ERR_IPADDR_IPV6:
		return -EAFNOSUPPORT;
	case IPSET_ERR_TYPE_SPECIFIC:
		/* A hash is full; a port is outside of a bitmap. */
		if (type == _IPSET_TYPE_OTHER)
			break;
		return ipset_layouts[type].addr ? -ENOSPC : -ERANGE;
	default:
		break;
	}
	return error <= -IPSET_ERR_PRIVATE ? -EINVAL : error;
}

static int on_range(struct nlmsghdr *h, void *userdata)
{
	struct range *range = userdata;

	return ipset_read_range(h, &range->highest, &range->lowest);
}

static int ask_protocol(struct ipset *s)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	struct range range = {0};
	int r;

	r = ipset_message_new(IPSET_CMD_PROTOCOL, 0, IPSET_PROTOCOL, NULL, 0, &msg);
	if (r < 0)
		return r;
	r = netlink_exchange(s->sock, msg, on_range, NULL, &range);
	/* nfnetlink answers EINVAL for a subsystem that is not there. */
	if (r == -EINVAL)
		return -EPROTONOSUPPORT;
	if (r < 0)
		return ipset_errno(r, _IPSET_TYPE_OTHER);
	if (range.highest < IPSET_PROTOCOL_MIN || range.lowest > IPSET_PROTOCOL)
		return -EPROTONOSUPPORT;
	s->protocol = MIN_OF(range.highest, IPSET_PROTOCOL);
	return 0;
}

int ipset_open(struct ipset **ret)
{
	_cleanup_(ipset_closep) struct ipset *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	r = netlink_open(NETLINK_NETFILTER, &s->sock);
	if (r < 0)
		return r;
	r = ask_protocol(s);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(s);
	return 0;
}

struct ipset *ipset_close(struct ipset *s)
{
	if (s)
		(void)netlink_close(s->sock);
	free(s);
	return NULL;
}

struct listing {
	const char *prefix;
	struct ipset_sets sets;
};

static int on_list(struct nlmsghdr *h, void *userdata)
{
	struct listing *l = userdata;

	return ipset_read_list(h, l->prefix, &l->sets);
}

static void drop_list(void *userdata)
{
	ipset_sets_done(&((struct listing *)userdata)->sets);
}

int ipset_list(struct ipset *s, const char *prefix, struct ipset_sets *ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	struct listing l = {.prefix = prefix};
	int r;

	r = ipset_message_new(IPSET_CMD_LIST, 0, s->protocol, NULL, 0, &msg);
	if (r < 0)
		return r;
	r = netlink_dump_message(s->sock, msg, on_list, drop_list, &l);
	if (r < 0) {
		ipset_sets_done(&l.sets);
		return ipset_errno(r, _IPSET_TYPE_OTHER);
	}
	ipset_sets_sort(&l.sets);
	*ret = l.sets;
	return 0;
}

/* Finds out the highest revision that both sides know; asking loads the module. */
static int ask_revision(struct ipset *s, enum ipset_type type, enum addr_family family)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	struct range range = {0};
	int r;

	if (s->revisions[type][family] > 0)
		return 0;
	r = ipset_message_type(s->protocol, type, family, &msg);
	if (r < 0)
		return r;
	r = netlink_exchange(s->sock, msg, on_range, NULL, &range);
	if (r < 0)
		return ipset_errno(r, type);
	if (range.lowest > ipset_layouts[type].revision)
		return -ENOTSUP;
	s->revisions[type][family] = MIN_OF(range.highest, ipset_layouts[type].revision);
	return 0;
}

static int change(struct ipset *s, struct nl_msg *msg, enum ipset_type type)
{
	return ipset_errno(netlink_exchange(s->sock, msg, NULL, NULL, NULL), type);
}

int ipset_create(struct ipset *s, const char *name, enum ipset_type type, enum addr_family family)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	int r;

	r = ask_revision(s, type, family);
	if (r < 0)
		return r;
	r = ipset_message_create(s->protocol, name, type, family, s->revisions[type][family], &msg);
	return r < 0 ? r : change(s, msg, type);
}

int ipset_destroy(struct ipset *s, const char *name)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	int r;

	/* With NLM_F_EXCL an absent set is told. */
	r = ipset_message_new(IPSET_CMD_DESTROY, NLM_F_EXCL, s->protocol, name, 0, &msg);
	return r < 0 ? r : change(s, msg, _IPSET_TYPE_OTHER);
}

int ipset_swap(struct ipset *s, const char *a, const char *b)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	int r;

	r = ipset_message_swap(s->protocol, a, b, &msg);
	return r < 0 ? r : change(s, msg, _IPSET_TYPE_OTHER);
}

static int on_refused(struct nlmsghdr *h, void *userdata)
{
	*(uint32_t *)userdata = ipset_read_refused_line(h);
	return 0;
}

static int change_elements(struct ipset *s, int command, const char *name, enum ipset_type type,
			   const struct ipset_element *elements, size_t n, size_t *ret_done)
{
	size_t done = 0;
	int r = 0;

	while (done < n && r == 0) {
		_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
		size_t batch = MIN_OF(n - done, (size_t)IPSET_BATCH);
		uint32_t line = 0;

		r = ipset_message_elements(command, s->protocol, name, type, elements + done, batch,
					   &msg);
		if (r < 0)
			break;
		r = netlink_exchange(s->sock, msg, NULL, on_refused, &line);
		if (r == 0)
			done += batch;
		else if (line >= 1 && line <= batch)
			done += line - 1;
	}
	*ret_done = done;
	return ipset_errno(r, type);
}

int ipset_add(struct ipset *s, const char *name, enum ipset_type type,
	      const struct ipset_element *elements, size_t n, size_t *ret_done)
{
	return change_elements(s, IPSET_CMD_ADD, name, type, elements, n, ret_done);
}

int ipset_del(struct ipset *s, const char *name, enum ipset_type type,
	      const struct ipset_element *elements, size_t n, size_t *ret_done)
{
	return change_elements(s, IPSET_CMD_DEL, name, type, elements, n, ret_done);
}
