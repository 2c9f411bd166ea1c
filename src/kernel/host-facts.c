/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/host-facts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>

#include "kernel/netlink.h"
#include "kernel/sysctl.h"

#define IPVS_LINK "kube-ipvs0"

static size_t size_of(enum addr_family family)
{
	return family == ADDR_IPV4 ? 4 : 16;
}

static bool family_from(unsigned char af, enum addr_family *ret)
{
	*ret = af == AF_INET ? ADDR_IPV4 : ADDR_IPV6;
	return af == AF_INET || af == AF_INET6;
}

/* NULL attribute or one of the wrong length: false. */
static bool addr_from(const struct nlattr *a, enum addr_family family, struct addr *ret)
{
	if (!a || (size_t)nla_len(a) != size_of(family))
		return false;
	*ret = (struct addr){.family = (uint8_t)family};
	memcpy(ret->bytes, nla_data(a), size_of(family));
	return true;
}

static void interface_name(unsigned index, char ret[16])
{
	char name[IF_NAMESIZE];

	/* A link that is gone by now keeps its number. */
	if (if_indextoname(index, name))
		(void)snprintf(ret, 16, "%s", name);
	else
		(void)snprintf(ret, 16, "%u", index);
}

/* Addresses */

/* The link's number is asked for once: a question for each of its 10,000 addresses takes longer
 * than all the rest. */
struct address_reader {
	struct host_facts *facts;
	unsigned ipvs_link; /* 0: there is none */
};

static int on_address(struct nlmsghdr *h, void *userdata)
{
	struct nlattr *tb[IFA_MAX + 1];
	const struct address_reader *reader = userdata;
	struct host_facts *f = reader->facts;
	struct host_address a = {0};
	struct host_neighbour peer = {.peer = true};
	const struct ifaddrmsg *ifa;
	enum addr_family family;
	bool has_local;
	int r;

	if (h->nlmsg_type != RTM_NEWADDR || nlmsg_parse(h, sizeof(*ifa), tb, IFA_MAX, NULL) < 0)
		return 0;
	ifa = nlmsg_data(h);
	if (!family_from(ifa->ifa_family, &family))
		return 0;
	/* IFA_ADDRESS is the other end when there is an IFA_LOCAL that differs. */
	has_local = addr_from(tb[IFA_LOCAL], family, &a.addr);
	if (!has_local && !addr_from(tb[IFA_ADDRESS], family, &a.addr))
		return 0;
	if (ifa->ifa_index == reader->ipvs_link)
		return 0;
	interface_name(ifa->ifa_index, a.interface);
	a.length = ifa->ifa_prefixlen;
	if (has_local && addr_from(tb[IFA_ADDRESS], family, &peer.addr) &&
	    !addr_equal(&peer.addr, &a.addr)) {
		memcpy(peer.interface, a.interface, sizeof(a.interface));
		r = host_add_neighbour(f, &peer);
		if (r < 0)
			return r;
		/* the length is that of the peer's network */
		a.length = (uint8_t)(size_of(family) * 8);
	}
	return host_add_address(f, &a);
}

/* An interrupted dump may have shown an address twice or not at all: what it brought is dropped.
 * Peers come with the addresses, gateways later. */
static void drop_addresses(void *userdata)
{
	struct host_facts *f = ((struct address_reader *)userdata)->facts;

	f->n_addresses = f->n_neighbours = 0;
}

/* Gateways */

static int add_gateway(struct host_facts *f, const struct nlattr *gateway, const struct nlattr *via,
		       enum addr_family family, unsigned ifindex)
{
	struct host_neighbour n = {0};
	struct rtvia head;

	/* A gateway of the other family. */
	if (!gateway && via && (size_t)nla_len(via) > sizeof(head.rtvia_family)) {
		size_t size = (size_t)nla_len(via) - sizeof(head.rtvia_family);

		memcpy(&head.rtvia_family, nla_data(via), sizeof(head.rtvia_family));
		if (!family_from((unsigned char)head.rtvia_family, &family) ||
		    size != size_of(family))
			return 0;
		n.addr.family = (uint8_t)family;
		memcpy(n.addr.bytes, (const char *)nla_data(via) + sizeof(head.rtvia_family), size);
	} else if (!addr_from(gateway, family, &n.addr)) {
		return 0;
	}
	interface_name(ifindex, n.interface);
	return host_add_neighbour(f, &n);
}

static int add_next_hops(struct host_facts *f, const struct nlattr *hops, enum addr_family family)
{
	struct rtnexthop *hop = nla_data(hops);
	int left = nla_len(hops);

	while (left >= (int)sizeof(*hop) && hop->rtnh_len >= sizeof(*hop) &&
	       hop->rtnh_len <= left) {
		struct nlattr *tb[RTA_MAX + 1];
		struct nlattr *attrs = (struct nlattr *)RTNH_DATA(hop);
		int r;

		if (nla_parse(tb, RTA_MAX, attrs, hop->rtnh_len - (int)RTNH_LENGTH(0), NULL) < 0)
			return 0;
		r = add_gateway(f, tb[RTA_GATEWAY], tb[RTA_VIA], family,
				(unsigned)hop->rtnh_ifindex);
		if (r < 0)
			return r;
		left -= RTNH_ALIGN(hop->rtnh_len);
		hop = RTNH_NEXT(hop);
	}
	return 0;
}

/* The default routes of all tables: a host with several uplinks has a table for each. */
static int on_route(struct nlmsghdr *h, void *userdata)
{
	struct nlattr *tb[RTA_MAX + 1];
	const struct rtmsg *rtm;
	enum addr_family family;
	unsigned ifindex = 0;

	if (h->nlmsg_type != RTM_NEWROUTE)
		return 0;
	rtm = nlmsg_data(h);
	if (rtm->rtm_dst_len != 0 || rtm->rtm_type != RTN_UNICAST ||
	    rtm->rtm_flags & RTM_F_CLONED || !family_from(rtm->rtm_family, &family) ||
	    nlmsg_parse(h, sizeof(*rtm), tb, RTA_MAX, NULL) < 0)
		return 0;
	if (tb[RTA_MULTIPATH])
		return add_next_hops(userdata, tb[RTA_MULTIPATH], family);
	if (tb[RTA_OIF] && nla_len(tb[RTA_OIF]) == sizeof(ifindex))
		ifindex = nla_get_u32(tb[RTA_OIF]);
	return add_gateway(userdata, tb[RTA_GATEWAY], tb[RTA_VIA], family, ifindex);
}

static int read_routes(struct host_facts *f)
{
	_cleanup_(netlink_closep) struct nl_sock *s = NULL;
	const struct ifaddrmsg ifa = {.ifa_family = AF_UNSPEC};
	const struct rtmsg routes[] = {{.rtm_family = AF_INET}, {.rtm_family = AF_INET6}};
	struct address_reader reader = {f, if_nametoindex(IPVS_LINK)};
	int r;

	r = netlink_open(NETLINK_ROUTE, &s);
	if (r < 0)
		return r;
	r = netlink_dump(s, RTM_GETADDR, &ifa, sizeof(ifa), on_address, drop_addresses, &reader);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ELEMENTSOF(routes); i++) {
		/* A gateway that is seen twice does no harm. */
		r = netlink_dump(s, RTM_GETROUTE, &routes[i], sizeof(routes[i]), on_route, NULL, f);
		/* A kernel without IPv6 has no IPv6 routes; that is no failure. */
		if (r < 0 && r != -EOPNOTSUPP && r != -EAFNOSUPPORT && r != -EINVAL)
			return r;
	}
	return 0;
}

/* Sockets */

static bool is_mapped(const uint8_t bytes[16])
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(bytes, prefix, sizeof(prefix)) == 0;
}

static int add_socket(struct host_facts *f, const struct inet_diag_msg *m, bool udp, bool only_v6)
{
	struct host_socket s = {.udp = udp, .port = ntohs(m->id.idiag_sport)};
	enum addr_family family;
	uint8_t bytes[16];
	int r;

	if (!family_from(m->idiag_family, &family) || s.port == 0)
		return 0;
	memcpy(bytes, m->id.idiag_src, sizeof(bytes));
	s.addr.family = (uint8_t)family;
	if (family == ADDR_IPV6 && is_mapped(bytes)) {
		s.addr.family = ADDR_IPV4;
		memcpy(s.addr.bytes, bytes + 12, 4);
		return host_add_socket(f, &s);
	}
	memcpy(s.addr.bytes, bytes, size_of(family));
	r = host_add_socket(f, &s);
	/* One on [::] takes IPv4 too, unless told otherwise. */
	if (r < 0 || family == ADDR_IPV4 || only_v6 || !(addr_kinds(&s.addr) & ADDR_IS_UNSPECIFIED))
		return r;
	s.addr = (struct addr){.family = ADDR_IPV4};
	return host_add_socket(f, &s);
}

static int on_socket(struct nlmsghdr *h, void *userdata)
{
	struct nlattr *tb[INET_DIAG_MAX + 1];
	const struct inet_diag_msg *m;
	bool only_v6;

	if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    nlmsg_parse(h, sizeof(*m), tb, INET_DIAG_MAX, NULL) < 0)
		return 0;
	m = nlmsg_data(h);
	only_v6 = tb[INET_DIAG_SKV6ONLY] && nla_len(tb[INET_DIAG_SKV6ONLY]) > 0 &&
		  nla_get_u8(tb[INET_DIAG_SKV6ONLY]);
	/* What only a TCP socket can be; a UDP one without a peer counts as closed. */
	return add_socket(userdata, m, m->idiag_state != TCP_LISTEN, only_v6);
}

/* Only the sockets that are looked for are sent by the kernel, however many connections there are.
 */
static int read_sockets(struct host_facts *f)
{
	_cleanup_(netlink_closep) struct nl_sock *s = NULL;
	static const struct {
		uint8_t protocol;
		unsigned state;
	} kinds[] = {{IPPROTO_TCP, TCP_LISTEN}, {IPPROTO_UDP, TCP_CLOSE}};
	int r;

	r = netlink_open(NETLINK_SOCK_DIAG, &s);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
		for (int f_index = 0; f_index < _ADDR_FAMILY_MAX; f_index++) {
			const struct inet_diag_req_v2 request = {
				.sdiag_family = f_index == ADDR_IPV4 ? AF_INET : AF_INET6,
				.sdiag_protocol = kinds[i].protocol,
				.idiag_states = 1U << kinds[i].state,
			};

			/* A socket that is seen twice does no harm. */
			r = netlink_dump(s, SOCK_DIAG_BY_FAMILY, &request, sizeof(request),
					 on_socket, NULL, f);
			if (r == -ENOMEM)
				return r;
		}
	}
	return 0;
}

/* Sysctls */

/* Room for every second port, each with a comma. */
#define SYSCTL_SIZE (256 * 1024)

/* The line, newline removed. The list of reserved ports is given out in one read or in part. */
static int read_sysctl(const char *path, char **ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *line = NULL;
	ssize_t n;

	if (fd < 0)
		return -errno;
	line = malloc(SYSCTL_SIZE);
	if (!line)
		return -ENOMEM;
	n = read(fd, line, SYSCTL_SIZE - 1);
	if (n < 0)
		return -errno;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	*ret = TAKE_PTR(line);
	return 0;
}

static int read_ports(struct host_facts *f)
{
	_cleanup_free_ char *range = NULL, *reserved = NULL;

	if (read_sysctl("/proc/sys/net/ipv4/ip_local_port_range", &range) == -ENOMEM ||
	    read_sysctl("/proc/sys/net/ipv4/ip_local_reserved_ports", &reserved) == -ENOMEM)
		return -ENOMEM;
	/* What a kernel of the future may write there is not known to us: then nothing is. */
	if (range)
		(void)host_set_ephemeral(f, range);
	if (reserved)
		(void)host_reserve_ports(f, reserved);
	return 0;
}

static void read_switches(struct host_facts *f)
{
	int64_t on;

	f->forwards[ADDR_IPV4] = sysctl_read_int("net/ipv4/ip_forward", &on) == 0 && on > 0;
	f->forwards[ADDR_IPV6] = sysctl_read_int("net/ipv6/conf/all/forwarding", &on) == 0 &&
				 on > 0;
	f->usable[ADDR_IPV4] = true;
	f->usable[ADDR_IPV6] = sysctl_ipv6_usable();
}

int host_facts_read(bool with_sockets, struct host_facts *ret)
{
	_cleanup_host_facts_ struct host_facts f = {0};
	int r;

	r = read_routes(&f);
	if (r < 0)
		return r;
	if (with_sockets && read_sockets(&f) == -ENOMEM)
		return -ENOMEM;
	read_switches(&f);
	r = read_ports(&f);
	if (r == 0)
		r = host_facts_finish(&f);
	if (r < 0)
		return r;
	*ret = f;
	f = (struct host_facts){0};
	return 0;
}
