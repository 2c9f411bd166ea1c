/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/addr.h"
#include "base/cleanup.h"

/* A dummy link with addresses, over rtnetlink: spec/ipvs.md section 1.1. */
struct links; /* a socket */

int links_open(struct links **ret);
struct links *links_close(struct links *l);
DEFINE_CLEANUP(struct links, links_close);

/* Index of a link of that name; *ret_dummy: whether it is of kind dummy. -ENODEV; -EINVAL: no name
 * that a link can have. */
int links_find(struct links *l, const char *name, int *ret_index, bool *ret_dummy);
/* Makes a dummy link with queue length 0, left down. -EEXIST; -EOPNOTSUPP: the kernel has no dummy
 * links; -EINVAL. */
int links_create_dummy(struct links *l, const char *name);
/* -ENODEV: gone already. */
int links_delete(struct links *l, int index);

struct link_address {
	struct addr addr;
	unsigned prefix;
	unsigned scope; /* RT_SCOPE_UNIVERSE is 0 */
};
struct link_addresses {
	struct link_address *items;
	size_t n, allocated;
};
void link_addresses_done(struct link_addresses *a);
#define _cleanup_link_addresses_ _cleanup_(link_addresses_done)
/* Addresses of one link, both families, sorted. */
int links_list_addresses(struct links *l, int index, struct link_addresses *ret);

/* Adds or deletes full-length addresses (/32, /128), many at a time, each acknowledged: 0, or
 * -errno, in errors[i]. One that is there already, or gone already, is fine. 0 when all were
 * answered, else the -errno of the exchange itself, which is then also that of the unanswered.
 * -EOPNOTSUPP for an IPv6 one: the kernel has no IPv6, or its module is not loaded and this does
 * not load it. To delete all, delete the link: the time of deleting IPv6 addresses grows with the
 * square of their number. */
int links_add_addresses(struct links *l, int index, const struct addr *addrs, size_t n,
			int *errors);
int links_del_addresses(struct links *l, int index, const struct addr *addrs, size_t n,
			int *errors);

/* For the fuzzer and tests: one message of an answer, as links_find() and links_list_addresses()
 * read it; addresses of other links and messages of other kinds are passed over. -EBADMSG, -ENOMEM;
 * outputs are as before then. */
int links_parse_link(const void *message, size_t size, int *ret_index, bool *ret_dummy);
int links_parse_address(const void *message, size_t size, int index, struct link_addresses *ret);
