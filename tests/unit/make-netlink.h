/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Netlink messages by hand, for tests of what reads them. All functions fail the test rather than
 * return errors. */

#include "kernel/netlink.h"
#include "make-world.h"

static inline struct nl_msg *make_message(int type, const void *header, size_t size)
{
	struct nl_msg *msg = nlmsg_alloc_size(65536);

	assert_non_null(msg);
	assert_non_null(nlmsg_put(msg, 0, 1, type, 0, NLM_F_MULTI));
	assert_int_equal(nlmsg_append(msg, (void *)(uintptr_t)header, size, NLMSG_ALIGNTO), 0);
	return msg;
}

static inline void put(struct nl_msg *msg, int type, const void *data, size_t size)
{
	assert_int_equal(nla_put(msg, type, (int)size, data), 0);
}

static inline void put_text(struct nl_msg *msg, int type, const char *text)
{
	put(msg, type, text, strlen(text) + 1);
}

static inline void put_u8(struct nl_msg *msg, int type, uint8_t value)
{
	put(msg, type, &value, sizeof(value));
}

/* In network order. */
static inline void put_be16(struct nl_msg *msg, int type, uint16_t value)
{
	const uint8_t bytes[] = {(uint8_t)(value >> 8), (uint8_t)value};

	put(msg, type | NLA_F_NET_BYTEORDER, bytes, sizeof(bytes));
}

static inline void put_be32(struct nl_msg *msg, int type, uint32_t value)
{
	const uint8_t bytes[] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16),
				 (uint8_t)(value >> 8), (uint8_t)value};

	put(msg, type | NLA_F_NET_BYTEORDER, bytes, sizeof(bytes));
}

static inline struct nlattr *open_nest(struct nl_msg *msg, int type)
{
	struct nlattr *nest = nla_nest_start(msg, type);

	assert_non_null(nest);
	return nest;
}

static inline void close_nest(struct nl_msg *msg, struct nlattr *nest)
{
	(void)nla_nest_end_keep_empty(msg, nest);
}

/* The first size bytes of a message, whose header says so, in memory of just that size: a read past
 * its end is seen by the sanitizer. */
static inline void *cut_message(struct nl_msg *msg, size_t size, bool honest)
{
	void *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, nlmsg_hdr(msg), size);
	if (honest && size >= sizeof(struct nlmsghdr))
		((struct nlmsghdr *)copy)->nlmsg_len = (uint32_t)size;
	return copy;
}
