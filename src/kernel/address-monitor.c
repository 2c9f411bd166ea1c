/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "kernel/addresses.h"

struct address_monitor {
	int fd;
};

/*
 * A router with a full table sees thousands of route changes a minute; only default routes matter
 * here (they decide the node IP). The kernel drops the others, so that they do not even wake us.
 * Notifications come one to a packet. The filter loads in network order: types are swapped, and the
 * length of the prefix is a byte.
 */
static int drop_other_routes(int fd)
{
	enum { DST_LEN = NLMSG_HDRLEN + offsetof(struct rtmsg, rtm_dst_len) };
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, offsetof(struct nlmsghdr, nlmsg_type)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __builtin_bswap16(RTM_NEWROUTE), 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __builtin_bswap16(RTM_DELROUTE), 0, 2),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, DST_LEN),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = {.len = ELEMENTSOF(code), .filter = code};

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	code[1].k = RTM_NEWROUTE;
	code[2].k = RTM_DELROUTE;
#endif
	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno
											   : 0;
}

int address_monitor_new(struct address_monitor **ret)
{
	const struct sockaddr_nl local = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR |
			     RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
	};
	_cleanup_close_ int fd = -1;
	struct address_monitor *m;
	int r;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	if (fd < 0)
		return -errno;
	r = drop_other_routes(fd);
	if (r < 0)
		return r;
	if (bind(fd, (const struct sockaddr *)&local, sizeof(local)) < 0)
		return -errno;
	m = malloc(sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->fd = TAKE_FD(fd);
	*ret = m;
	return 0;
}

struct address_monitor *address_monitor_free(struct address_monitor *m)
{
	if (m)
		(void)close(m->fd);
	free(m);
	return NULL;
}

int address_monitor_fd(const struct address_monitor *m)
{
	return m->fd;
}

int address_monitor_read(struct address_monitor *m, bool *ret_changed)
{
	bool changed = false;

	for (;;) {
		char drain[16]; /* the content does not matter: the caller looks again */
		ssize_t n = recv(m->fd, drain, sizeof(drain), MSG_TRUNC);

		if (n >= 0 || errno == ENOBUFS) {
			changed = true;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		*ret_changed = changed;
		return 0;
	}
}
