/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/links.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "base/array.h"
#include "kernel/netlink.h"

struct links {
	struct nl_sock *sock;
};

int links_open(struct links **ret)
{
	_cleanup_(links_closep) struct links *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return -ENOMEM;
	r = netlink_open(NETLINK_ROUTE, &l->sock);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(l);
	return 0;
}

struct links *links_close(struct links *l)
{
	if (l)
		(void)netlink_close(l->sock);
	free(l);
	return NULL;
}

void link_addresses_done(struct link_addresses *a)
{
	free(a->items);
	*a = (struct link_addresses){0};
}

static int message_new(int type, int flags, const void *header, size_t header_size,
		       struct nl_msg **ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = nlmsg_alloc_size(256);

	if (!msg || !nlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, type, 0, flags) ||
	    nlmsg_append(msg, (void *)(uintptr_t)header, header_size, NLMSG_ALIGNTO) < 0)
		return -ENOMEM;
	*ret = TAKE_PTR(msg);
	return 0;
}

/* A request about a link by name, to which the caller may add. */
static int link_message_new(int type, int flags, const char *name, struct nl_msg **ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	const struct ifinfomsg header = {.ifi_family = AF_UNSPEC};
	int r;

	if (!*name || strlen(name) >= IFNAMSIZ)
		return -EINVAL;
	r = message_new(type, flags, &header, sizeof(header), &msg);
	if (r < 0)
		return r;
	if (nla_put_string(msg, IFLA_IFNAME, name) < 0)
		return -ENOMEM;
	*ret = TAKE_PTR(msg);
	return 0;
}

static int message_attrs(const struct nlmsghdr *h, size_t header_size, struct nlattr **tb, int max,
			 const struct nla_policy *policy)
{
	if (!nlmsg_valid_hdr(h, (int)header_size))
		return -EBADMSG;
	return netlink_parse(nlmsg_attrdata(h, (int)header_size),
			     nlmsg_attrlen(h, (int)header_size), tb, max, policy);
}

struct found_link {
	int index; /* 0: none found */
	bool dummy;
};

static int read_link(const struct nlmsghdr *h, struct found_link *ret)
{
	static const struct nla_policy kind_policy[IFLA_INFO_MAX + 1] = {
		[IFLA_INFO_KIND] = {.type = NLA_STRING},
	};
	static const struct nla_policy policy[IFLA_MAX + 1] = {
		[IFLA_LINKINFO] = {.type = NLA_NESTED},
	};
	struct nlattr *tb[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1] = {0};
	const struct ifinfomsg *ifi;

	if (h->nlmsg_type != RTM_NEWLINK)
		return 0;
	if (message_attrs(h, sizeof(*ifi), tb, IFLA_MAX, policy) < 0)
		return -EBADMSG;
	ifi = nlmsg_data(h);
	if (ifi->ifi_index <= 0)
		return -EBADMSG;
	if (tb[IFLA_LINKINFO] &&
	    netlink_parse(nla_data(tb[IFLA_LINKINFO]), nla_len(tb[IFLA_LINKINFO]), info,
			  IFLA_INFO_MAX, kind_policy) < 0)
		return -EBADMSG;
	*ret = (struct found_link){.index = ifi->ifi_index,
				   .dummy = info[IFLA_INFO_KIND] &&
					    streq(nla_data(info[IFLA_INFO_KIND]), "dummy")};
	return 0;
}

static int on_link(struct nlmsghdr *h, void *userdata)
{
	return read_link(h, userdata);
}

int links_find(struct links *l, const char *name, int *ret_index, bool *ret_dummy)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	struct found_link found = {0};
	int r;

	r = link_message_new(RTM_GETLINK, 0, name, &msg);
	if (r < 0)
		return r;
	r = netlink_exchange(l->sock, msg, on_link, NULL, &found);
	if (r < 0)
		return r;
	if (found.index == 0)
		return -EBADMSG;
	*ret_index = found.index;
	*ret_dummy = found.dummy;
	return 0;
}

int links_create_dummy(struct links *l, const char *name)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	struct nlattr *info;
	int r;

	r = link_message_new(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, name, &msg);
	if (r < 0)
		return r;
	if (nla_put_u32(msg, IFLA_TXQLEN, 0) < 0)
		return -ENOMEM;
	info = nla_nest_start(msg, IFLA_LINKINFO);
	if (!info || nla_put_string(msg, IFLA_INFO_KIND, "dummy") < 0 ||
	    nla_nest_end(msg, info) < 0)
		return -ENOMEM;
	return netlink_exchange(l->sock, msg, NULL, NULL, NULL);
}

int links_delete(struct links *l, int index)
{
	const struct ifinfomsg header = {.ifi_family = AF_UNSPEC, .ifi_index = index};

	if (index <= 0)
		return -ENODEV;
	return netlink_request(l->sock, RTM_DELLINK, 0, &header, sizeof(header), 0, NULL);
}

struct address_reader {
	int index;
	struct link_addresses found;
};

static int read_address(const struct nlmsghdr *h, int index, struct link_addresses *list)
{
	/* Any length that one of the families has; which it must be is seen below. */
	static const struct nla_policy policy[IFA_MAX + 1] = {
		[IFA_ADDRESS] = {.minlen = 4, .maxlen = 16},
		[IFA_LOCAL] = {.minlen = 4, .maxlen = 16},
	};
	struct nlattr *tb[IFA_MAX + 1];
	struct link_address found = {0};
	const struct ifaddrmsg *ifa;
	const struct nlattr *a;
	int size, r;

	if (h->nlmsg_type != RTM_NEWADDR)
		return 0;
	if (message_attrs(h, sizeof(*ifa), tb, IFA_MAX, policy) < 0)
		return -EBADMSG;
	ifa = nlmsg_data(h);
	if ((int)ifa->ifa_index != index ||
	    (ifa->ifa_family != AF_INET && ifa->ifa_family != AF_INET6))
		return 0;
	size = ifa->ifa_family == AF_INET ? 4 : 16;
	a = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS]; /* this may be the other end's */
	if (!a || nla_len(a) != size || ifa->ifa_prefixlen > size * 8)
		return -EBADMSG;
	found.addr.family = ifa->ifa_family == AF_INET ? ADDR_IPV4 : ADDR_IPV6;
	memcpy(found.addr.bytes, nla_data(a), (size_t)size);
	found.prefix = ifa->ifa_prefixlen;
	found.scope = ifa->ifa_scope;
	r = array_reserve(&list->items, &list->allocated, list->n + 1);
	if (r < 0)
		return r;
	list->items[list->n++] = found;
	return 0;
}

static int on_address(struct nlmsghdr *h, void *userdata)
{
	struct address_reader *reader = userdata;

	return read_address(h, reader->index, &reader->found);
}

/* An interrupted dump may have shown an address twice or not at all. */
static void drop_addresses(void *userdata)
{
	((struct address_reader *)userdata)->found.n = 0;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct link_address *x = a, *y = b;
	int r = addr_compare(&x->addr, &y->addr);

	return r ? r : (x->prefix > y->prefix) - (x->prefix < y->prefix);
}

int links_list_addresses(struct links *l, int index, struct link_addresses *ret)
{
	const struct ifaddrmsg header = {.ifa_family = AF_UNSPEC};
	struct address_reader reader = {.index = index};
	int r;

	r = netlink_dump(l->sock, RTM_GETADDR, &header, sizeof(header), on_address, drop_addresses,
			 &reader);
	if (r < 0) {
		link_addresses_done(&reader.found);
		return r;
	}
	if (reader.found.n > 0)
		qsort(reader.found.items, reader.found.n, sizeof(*reader.found.items),
		      compare_addresses);
	*ret = reader.found;
	return 0;
}

struct address_plan {
	int type, flags;
	int index;
	const struct addr *addrs;
};

static int build_address(size_t i, void *userdata, struct nl_msg **ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	const struct address_plan *plan = userdata;
	const struct addr *a = &plan->addrs[i];
	const int size = a->family == ADDR_IPV4 ? 4 : 16;
	const struct ifaddrmsg header = {.ifa_family = a->family == ADDR_IPV4 ? AF_INET : AF_INET6,
					 .ifa_prefixlen = (uint8_t)(size * 8),
					 .ifa_scope = RT_SCOPE_UNIVERSE,
					 .ifa_index = (unsigned)plan->index};
	int r;

	r = message_new(plan->type, plan->flags, &header, sizeof(header), &msg);
	if (r < 0)
		return r;
	if (nla_put(msg, IFA_LOCAL, size, a->bytes) < 0 ||
	    nla_put(msg, IFA_ADDRESS, size, a->bytes) < 0)
		return -ENOMEM;
	*ret = TAKE_PTR(msg);
	return 0;
}

int links_add_addresses(struct links *l, int index, const struct addr *addrs, size_t n, int *errors)
{
	struct address_plan plan = {RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, index, addrs};
	int r = netlink_pipeline(l->sock, build_address, &plan, n, errors);

	for (size_t i = 0; i < n; i++)
		if (errors[i] == -EEXIST)
			errors[i] = 0;
	return r;
}

int links_del_addresses(struct links *l, int index, const struct addr *addrs, size_t n, int *errors)
{
	struct address_plan plan = {RTM_DELADDR, 0, index, addrs};
	int r = netlink_pipeline(l->sock, build_address, &plan, n, errors);

	for (size_t i = 0; i < n; i++)
		if (errors[i] == -EADDRNOTAVAIL || errors[i] == -ENXIO)
			errors[i] = 0;
	return r;
}

static const struct nlmsghdr *whole_message(const void *message, size_t size)
{
	const struct nlmsghdr *h = message;

	return size <= INT32_MAX && nlmsg_ok(h, (int)size) ? h : NULL;
}

int links_parse_link(const void *message, size_t size, int *ret_index, bool *ret_dummy)
{
	const struct nlmsghdr *h = whole_message(message, size);
	struct found_link found = {.index = *ret_index, .dummy = *ret_dummy};
	int r;

	if (!h)
		return -EBADMSG;
	r = read_link(h, &found);
	if (r < 0)
		return r;
	*ret_index = found.index;
	*ret_dummy = found.dummy;
	return 0;
}

int links_parse_address(const void *message, size_t size, int index, struct link_addresses *ret)
{
	const struct nlmsghdr *h = whole_message(message, size);

	return h ? read_address(h, index, ret) : -EBADMSG;
}
