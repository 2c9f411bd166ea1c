/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "kernel/ipset.h"
#include "kernel/netlink.h"

/* What the files of ipset share: how its messages look (spec/ipvs.md section 9). */

/* A type of set as the kernel knows it, and what its elements are made of. */
struct ipset_layout {
	const char *text;
	uint8_t revision; /* the highest that we can speak */
	bool addr, port, protocol, addr2, prefix;
};
extern const struct ipset_layout ipset_layouts[_IPSET_TYPE_MAX];
/* _IPSET_TYPE_OTHER when it is none of ours. */
enum ipset_type ipset_type_from_text(const char *text);

/*
 * Messages. An empty name is left out only where name is NULL. flags: NLM_F_EXCL. room: bytes for
 * what the caller adds. -EINVAL for a bad name, -ENOMEM.
 */
int ipset_message_new(int command, int flags, uint8_t protocol, const char *name, size_t room,
		      struct nl_msg **ret);
int ipset_message_create(uint8_t protocol, const char *name, enum ipset_type type,
			 enum addr_family family, uint8_t revision, struct nl_msg **ret);
int ipset_message_swap(uint8_t protocol, const char *a, const char *b, struct nl_msg **ret);
int ipset_message_type(uint8_t protocol, enum ipset_type type, enum addr_family family,
		       struct nl_msg **ret);
/* n elements, at most IPSET_BATCH; the first has the line number 1. */
#define IPSET_BATCH 320
int ipset_message_elements(int command, uint8_t protocol, const char *name, enum ipset_type type,
			   const struct ipset_element *elements, size_t n, struct nl_msg **ret);

/* Answers. One message of a list; sets whose name does not start with prefix are passed over. */
int ipset_read_list(const struct nlmsghdr *h, const char *prefix, struct ipset_sets *sets);
/* Of the commands PROTOCOL and TYPE: the highest and the lowest version or revision. */
int ipset_read_range(const struct nlmsghdr *h, uint8_t *ret_highest, uint8_t *ret_lowest);
/* The line number of the element that was refused; 0 when the answer tells none. */
uint32_t ipset_read_refused_line(const struct nlmsghdr *h);
/* Sorts the sets and their elements. */
void ipset_sets_sort(struct ipset_sets *sets);

/* A refusal as the kernel gave it to a -errno. type: of the set, or _IPSET_TYPE_OTHER. */
int ipset_errno(int error, enum ipset_type type);
