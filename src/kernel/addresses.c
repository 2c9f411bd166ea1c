/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/addresses.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>

#include "base/array.h"
#include "kernel/netlink.h"

/* What one look at the kernel collects; the node IP is worked out of it at the end. */
struct found_addr {
	struct addr addr;
	unsigned ifindex;
	bool stable; /* global, neither temporary nor deprecated nor unconfirmed: fit to be the node
			IP */
};
struct found_route {
	bool found;
	uint32_t metric;
	unsigned ifindex;
	bool has_source;
	struct addr source;
};
struct found_link {
	unsigned ifindex;
	char name[IFNAMSIZ];
};
struct look {
	struct found_addr *addrs;
	size_t n_addrs, addrs_allocated;
	struct found_link *links;
	size_t n_links, links_allocated;
	struct found_route routes[_ADDR_FAMILY_MAX];
};

static void look_done(struct look *l)
{
	free(l->addrs);
	free(l->links);
	*l = (struct look){0};
}

static int family_of(unsigned char af, enum addr_family *ret, size_t *ret_size)
{
	if (af == AF_INET) {
		*ret = ADDR_IPV4;
		*ret_size = 4;
	} else if (af == AF_INET6) {
		*ret = ADDR_IPV6;
		*ret_size = 16;
	} else
		return -EAFNOSUPPORT;
	return 0;
}

/* NULL attribute or one of the wrong length: false. */
static bool addr_from_attr(const struct nlattr *a, enum addr_family family, size_t size,
			   struct addr *ret)
{
	if (!a || (size_t)nla_len(a) != size)
		return false;
	*ret = (struct addr){.family = (uint8_t)family};
	memcpy(ret->bytes, nla_data(a), size);
	return true;
}

static int on_link(struct nlmsghdr *h, void *userdata)
{
	struct nla_policy policy[IFLA_MAX + 1] = {
		[IFLA_IFNAME] = {.type = NLA_STRING, .maxlen = IFNAMSIZ}};
	struct nlattr *tb[IFLA_MAX + 1];
	struct look *l = userdata;
	const struct ifinfomsg *ifi;

	if (h->nlmsg_type != RTM_NEWLINK || nlmsg_parse(h, sizeof(*ifi), tb, IFLA_MAX, policy) < 0)
		return 0;
	ifi = nlmsg_data(h);
	if (!tb[IFLA_IFNAME])
		return 0;
	if (array_reserve(&l->links, &l->links_allocated, l->n_links + 1) < 0)
		return -ENOMEM;
	l->links[l->n_links] = (struct found_link){.ifindex = (unsigned)ifi->ifi_index};
	(void)nla_strlcpy(l->links[l->n_links].name, tb[IFLA_IFNAME], IFNAMSIZ);
	l->n_links++;
	return 0;
}

static int on_addr(struct nlmsghdr *h, void *userdata)
{
	struct nla_policy policy[IFA_MAX + 1] = {[IFA_FLAGS] = {.type = NLA_U32}};
	struct nlattr *tb[IFA_MAX + 1];
	const struct ifaddrmsg *ifa;
	struct look *l = userdata;
	enum addr_family family;
	struct found_addr found = {0};
	uint32_t flags;
	size_t size;

	if (h->nlmsg_type != RTM_NEWADDR || nlmsg_parse(h, sizeof(*ifa), tb, IFA_MAX, policy) < 0)
		return 0;
	ifa = nlmsg_data(h);
	if (family_of(ifa->ifa_family, &family, &size) < 0)
		return 0;
	/* On a point-to-point link IFA_ADDRESS is the other end. */
	if (!addr_from_attr(tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS], family, size,
			    &found.addr))
		return 0;
	flags = tb[IFA_FLAGS] ? nla_get_u32(tb[IFA_FLAGS]) : ifa->ifa_flags;
	found.ifindex = ifa->ifa_index;
	found.stable = ifa->ifa_scope == RT_SCOPE_UNIVERSE &&
		       !(flags & (IFA_F_DEPRECATED | IFA_F_TENTATIVE | IFA_F_DADFAILED)) &&
		       !(family == ADDR_IPV6 &&
			 (flags & IFA_F_TEMPORARY)); /* IPv4: it means secondary */
	if (array_reserve(&l->addrs, &l->addrs_allocated, l->n_addrs + 1) < 0)
		return -ENOMEM;
	l->addrs[l->n_addrs++] = found;
	return 0;
}

static int on_route(struct nlmsghdr *h, void *userdata)
{
	struct nla_policy policy[RTA_MAX + 1] = {
		[RTA_OIF] = {.type = NLA_U32},
		[RTA_PRIORITY] = {.type = NLA_U32},
		[RTA_TABLE] = {.type = NLA_U32},
		[RTA_MULTIPATH] = {.minlen = sizeof(struct rtnexthop)},
	};
	struct nlattr *tb[RTA_MAX + 1];
	const struct rtmsg *rtm;
	struct look *l = userdata;
	struct found_route r = {.found = true};
	enum addr_family family;
	size_t size;

	if (h->nlmsg_type != RTM_NEWROUTE || nlmsg_parse(h, sizeof(*rtm), tb, RTA_MAX, policy) < 0)
		return 0;
	rtm = nlmsg_data(h);
	if (rtm->rtm_dst_len != 0 || rtm->rtm_type != RTN_UNICAST ||
	    rtm->rtm_flags & RTM_F_CLONED || family_of(rtm->rtm_family, &family, &size) < 0 ||
	    (tb[RTA_TABLE] ? nla_get_u32(tb[RTA_TABLE]) : rtm->rtm_table) != RT_TABLE_MAIN)
		return 0;
	r.metric = tb[RTA_PRIORITY] ? nla_get_u32(tb[RTA_PRIORITY]) : 0;
	if (tb[RTA_OIF])
		r.ifindex = nla_get_u32(tb[RTA_OIF]);
	else if (tb[RTA_MULTIPATH]) {
		const struct rtnexthop *hop = nla_data(tb[RTA_MULTIPATH]);

		r.ifindex = (unsigned)hop->rtnh_ifindex;
	} else
		return 0;
	r.has_source = addr_from_attr(tb[RTA_PREFSRC], family, size, &r.source);
	if (!l->routes[family].found || r.metric < l->routes[family].metric)
		l->routes[family] = r;
	return 0;
}

/* An interrupted dump may have shown an address twice or not at all: what it brought is dropped. */
static void drop_links(void *userdata)
{
	((struct look *)userdata)->n_links = 0;
}

static void drop_addrs(void *userdata)
{
	((struct look *)userdata)->n_addrs = 0;
}

static void drop_routes(void *userdata)
{
	struct look *l = userdata;

	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		l->routes[f] = (struct found_route){0};
}

static int look_read(struct look *l)
{
	_cleanup_(netlink_closep) struct nl_sock *s = NULL;
	const struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};
	const struct ifaddrmsg ifa = {.ifa_family = AF_UNSPEC};
	const struct rtmsg routes[] = {{.rtm_family = AF_INET}, {.rtm_family = AF_INET6}};
	int r;

	r = netlink_open(NETLINK_ROUTE, &s);
	if (r < 0)
		return r;
	r = netlink_dump(s, RTM_GETLINK, &ifi, sizeof(ifi), on_link, drop_links, l);
	if (r < 0)
		return r;
	r = netlink_dump(s, RTM_GETADDR, &ifa, sizeof(ifa), on_addr, drop_addrs, l);
	if (r < 0)
		return r;
	drop_routes(l);
	for (size_t i = 0; i < ELEMENTSOF(routes); i++) {
		/* A repeat sees the same routes again and keeps the best: nothing to drop. */
		r = netlink_dump(s, RTM_GETROUTE, &routes[i], sizeof(routes[i]), on_route, NULL, l);
		/* A kernel without IPv6 has no IPv6 routes; that is no failure. */
		if (r < 0 && r != -EOPNOTSUPP && r != -EAFNOSUPPORT && r != -EINVAL)
			return r;
	}
	return 0;
}

/*
 * The source address that traffic over the default route has: the route's own, else the first fit
 * address of its link, else (a link without addresses) of any link. Dumps list addresses in the
 * order in which they were added.
 */
static bool look_node_ip(const struct look *l, enum addr_family family, struct addr *ret)
{
	const struct found_route *route = &l->routes[family];
	const struct found_addr *best = NULL;

	if (!route->found)
		return false;
	for (size_t i = 0; i < l->n_addrs; i++) {
		const struct found_addr *a = &l->addrs[i];

		if (a->addr.family != family || !a->stable ||
		    addr_kinds(&a->addr) & ADDR_IS_LOOPBACK)
			continue;
		if (route->has_source && addr_equal(&a->addr, &route->source)) {
			best = a;
			break;
		}
		if (!best || (a->ifindex == route->ifindex && best->ifindex != route->ifindex))
			best = a;
	}
	if (!best)
		return false;
	*ret = best->addr;
	return true;
}

static const char *look_link_name(const struct look *l, unsigned ifindex)
{
	for (size_t i = 0; i < l->n_links; i++)
		if (l->links[i].ifindex == ifindex)
			return l->links[i].name;
	return ""; /* made between the two dumps; the monitor has us look again */
}

static int local_addrs_new(size_t n, struct local_addrs **ret)
{
	struct local_addrs *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->refs = 1;
	a->items = calloc(n ? n : 1, sizeof(*a->items));
	if (!a->items) {
		free(a);
		return -ENOMEM;
	}
	*ret = a;
	return 0;
}

int addresses_read(struct local_addrs **ret)
{
	_cleanup_(look_done) struct look look = {0};
	struct local_addrs *addrs;
	int r;

	r = look_read(&look);
	if (r < 0)
		return r;
	r = local_addrs_new(look.n_addrs, &addrs);
	if (r < 0)
		return r;
	for (size_t i = 0; i < look.n_addrs; i++) {
		struct local_addr *a = &addrs->items[addrs->n++];

		a->addr = look.addrs[i].addr;
		(void)snprintf(a->interface, sizeof(a->interface), "%s",
			       look_link_name(&look, look.addrs[i].ifindex));
	}
	local_addrs_sort(addrs);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		addrs->has_node_ip[f] = look_node_ip(&look, (enum addr_family)f,
						     &addrs->node_ip[f]);
	*ret = addrs;
	return 0;
}

int addresses_from_text(const char *list, struct local_addrs **ret)
{
	static const char separators[] = " \t\n,";
	struct local_addrs *addrs;
	int r;

	/* Each entry takes at least two bytes of the text. */
	r = local_addrs_new(strlen(list) / 2 + 1, &addrs);
	if (r < 0)
		return r;
	for (const char *p = list + strspn(list, separators); *p; p += strspn(p, separators)) {
		struct local_addr *a = &addrs->items[addrs->n];
		size_t n = strcspn(p, separators);
		char text[ADDR_TEXT_MAX + sizeof(a->interface) + 1];
		char *at;

		if (n >= sizeof(text))
			goto refused;
		memcpy(text, p, n);
		text[n] = '\0';
		p += n;
		at = strchr(text, '@');
		if (at) {
			*at++ = '\0';
			if (!*at || strlen(at) >= sizeof(a->interface))
				goto refused;
			strcpy(a->interface, at);
		}
		if (addr_parse(text, &a->addr) != ADDR_OK)
			goto refused;
		/* Without routes to look at, the first fit address of a family is the node's. */
		if (!addrs->has_node_ip[a->addr.family] &&
		    !(addr_kinds(&a->addr) & (ADDR_IS_LOOPBACK | ADDR_IS_LINK_LOCAL))) {
			addrs->has_node_ip[a->addr.family] = true;
			addrs->node_ip[a->addr.family] = a->addr;
		}
		addrs->n++;
	}
	local_addrs_sort(addrs);
	*ret = addrs;
	return 0;
refused:
	(void)local_addrs_unref(addrs);
	return -EINVAL;
}
