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

/* Index of a link of that name; *ret_dummy: whether it is of kind dummy. -ENODEV. */
int links_find(struct links *l, const char *name, int *ret_index, bool *ret_dummy);
/* Makes a dummy link with queue length 0, left down. -EEXIST; -EOPNOTSUPP: the kernel has no dummy
 * links. */
int links_create_dummy(struct links *l, const char *name);
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
 * -errno, in errors[i]. One that is there already, or gone already, is fine. */
int links_add_addresses(struct links *l, int index, const struct addr *addrs, size_t n,
			int *errors);
int links_del_addresses(struct links *l, int index, const struct addr *addrs, size_t n,
			int *errors);
