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

/* Of an exchange itself, not of what the kernel refused: -ENOBUFS, answers were lost; -ETIMEDOUT,
 * none came; -EBADMSG, one was cut short; -ENOMEM; -EIO. What was asked for may have been done; the
 * socket is fit for further use. */

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

/* nla_parse() that takes bytes which are no whole attribute for a message cut short: -EBADMSG, also
 * when an attribute is not as the policy says. */
int netlink_parse(const struct nlattr *attrs, int size, struct nlattr **tb, int max,
		  const struct nla_policy *policy);

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

/*
 * The same two for a message that the caller has built (type, flags, header, attributes); it stays
 * the caller's. An exchange is acknowledged and may bring messages as well. failed, when not NULL,
 * is called with the whole message of type NLMSG_ERROR: a struct nlmsgerr, then perhaps what is
 * left of the request; its result means nothing. A refusal is a negative number as the kernel gave
 * it, also where that is no errno.
 */
int netlink_exchange(struct nl_sock *s, struct nl_msg *msg, netlink_message_t message,
		     netlink_message_t failed, void *userdata);
int netlink_dump_message(struct nl_sock *s, struct nl_msg *msg, netlink_message_t message,
			 void (*restart)(void *userdata), void *userdata);

/*
 * Sends n requests in order without waiting for each answer, but never more at a time than their
 * answers find room for. build makes request i (type, flags, header, attributes; the function adds
 * NLM_F_REQUEST, and NLM_F_ACK where it is wanted, and frees it) or returns -errno, which ends the
 * run after what was sent. errors has room for n: 0 or what the kernel answered, raw; a refusal
 * does not stop those after it. 0 when all were answered, else the -errno of the exchange itself,
 * which then is also in errors of the unanswered ones.
 */
typedef int (*netlink_build_t)(size_t i, void *userdata, struct nl_msg **ret);
int netlink_pipeline(struct nl_sock *s, netlink_build_t build, void *userdata, size_t n,
		     int *errors);
