/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netlink/msg.h>
#include <netlink/netlink.h>

#include "base/cleanup.h"

/*
 * The little that all netlink users here share (habit H10): requests are answered in order on a
 * socket of their own, every change is acknowledged, and a dump that the kernel calls interrupted
 * is read again. Errors are the kernel's own errno, not libnl's coarser codes.
 */

/* Opens a close-on-exec socket, e.g. of NETLINK_ROUTE. -EPROTONOSUPPORT when the kernel lacks the
 * protocol. */
int netlink_open(int protocol, struct nl_sock **ret);
static inline struct nl_sock *netlink_close(struct nl_sock *s)
{
	nl_socket_free(s); /* accepts NULL */
	return NULL;
}
DEFINE_CLEANUP(struct nl_sock, netlink_close);

static inline struct nl_msg *netlink_msg_free(struct nl_msg *m)
{
	nlmsg_free(m); /* accepts NULL */
	return NULL;
}
DEFINE_CLEANUP(struct nl_msg, netlink_msg_free);

/* Called for each message of an answer; a negative errno ends the exchange with that error. */
typedef int (*netlink_message_t)(struct nlmsghdr *h, void *userdata);

/*
 * Sends a request whose answer is only an acknowledgement. header: the family's fixed header
 * (nfgenmsg, rtmsg...). string_type: type of one string attribute, with its text; text NULL for
 * none. 0 or -errno as the kernel gave it.
 */
int netlink_request(struct nl_sock *s, int type, int flags, const void *header, size_t header_size,
		    int string_type, const char *text);

/*
 * Reads a whole dump. restart is called before each attempt, so that what an interrupted one
 * brought can be thrown away; it may be NULL when repeats do no harm. -EAGAIN when it was
 * interrupted each time.
 */
int netlink_dump(struct nl_sock *s, int type, const void *header, size_t header_size,
		 netlink_message_t message, void (*restart)(void *userdata), void *userdata);
