/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/cleanup.h"

/*
 * Sets of addresses and ports over nfnetlink (linux/netfilter/ipset/ip_set.h; spec/ipvs.md section
 * 9).
 */
struct ipset; /* a socket, and which protocol and revisions the kernel has */

#define IPSET_NAME_MAX 32 /* with the NUL */

enum ipset_type {
	IPSET_HASH_IP,
	IPSET_HASH_IP_PORT,
	IPSET_HASH_IP_PORT_IP,
	IPSET_HASH_IP_PORT_NET,
	IPSET_BITMAP_PORT, /* 0-65535 */
	_IPSET_TYPE_MAX,
	_IPSET_TYPE_OTHER = -22, /* of somebody else's set */
};
const char *ipset_type_text(enum ipset_type t); /* "hash:ip,port"; "" for a type not ours */

/* An element; fields that the type does not have are 0, so that elements are compared as bytes. */
struct ipset_element {
	struct addr addr;
	struct addr addr2;
	uint16_t port;
	uint8_t protocol;
	uint8_t prefix; /* of addr2 in hash:ip,port,net: 1 to 32 or 128 */
};
/* By address, port, protocol, second address, prefix. */
int ipset_element_compare(const struct ipset_element *a, const struct ipset_element *b);
/* As ipset(8) prints it: "10.96.0.10,tcp:80"; protocols other than ours as numbers. Not for
 * comparing: addresses in ::/96 are in the C library's mixed form. Returns the buffer. */
#define IPSET_ELEMENT_TEXT_MAX 160
const char *ipset_element_text(enum ipset_type type, const struct ipset_element *e,
			       char buf[IPSET_ELEMENT_TEXT_MAX]);

struct ipset_elements {
	struct ipset_element *items;
	size_t n, allocated;
};

/* A set as it is in the kernel. */
struct ipset_set {
	char name[IPSET_NAME_MAX];
	enum ipset_type type;
	char type_text[IPSET_NAME_MAX]; /* also of types that are not ours */
	enum addr_family family;	/* of hash types */
	uint32_t maxelem;
	/* As ipset_create() would make it: without timeout, counters, comment, skbinfo, netmask or
	 * whatever else kernels can do, all ports in a bitmap, and no element says nomatch. */
	bool plain;
	struct ipset_elements elements; /* sorted; empty for types that are not ours */
};
struct ipset_sets {
	struct ipset_set *items;
	size_t n, allocated;
};
void ipset_sets_done(struct ipset_sets *l);
#define _cleanup_ipset_sets_ _cleanup_(ipset_sets_done)

/* -EPROTONOSUPPORT: the kernel has no ipset; -EPERM; -ENOMEM. */
int ipset_open(struct ipset **ret);
struct ipset *ipset_close(struct ipset *s);
DEFINE_CLEANUP(struct ipset, ipset_close);

/* Wherever a name is given: -EINVAL when it is empty (to the kernel that means all sets) or too
 * long. What the kernel refuses is a negative errno; its own codes become the one that says it
 * best. */

/* All sets whose name starts with prefix ("" for all), with their elements, sorted by name, in one
 * dump. */
int ipset_list(struct ipset *s, const char *prefix, struct ipset_sets *ret);

/* hashsize 1024, maxelem 65536; an existing set is -EEXIST, whatever it is. -ENOTSUP: the kernel
 * lacks the type. */
int ipset_create(struct ipset *s, const char *name, enum ipset_type type, enum addr_family family);
/* -EBUSY while a rule refers to it; -ENOENT. */
int ipset_destroy(struct ipset *s, const char *name);
/* Exchanges the contents, also while rules refer to the sets. -EPROTOTYPE: their types or families
 * differ; -ENOENT; -EBUSY: a dump is running. */
int ipset_swap(struct ipset *s, const char *a, const char *b);

/*
 * Adds or deletes many elements; one that is there already, or is gone already, is fine. Elements
 * before the bad one are done, *ret_done says how many, also on failure. type must be that of the
 * set: the kernel ignores what a type does not have. -ENOSPC: the set is full (newer kernels let a
 * few more than maxelem in); -EPROTO: an address of the other family; -ENOENT: no such set.
 */
int ipset_add(struct ipset *s, const char *name, enum ipset_type type,
	      const struct ipset_element *elements, size_t n, size_t *ret_done);
int ipset_del(struct ipset *s, const char *name, enum ipset_type type,
	      const struct ipset_element *elements, size_t n, size_t *ret_done);

/* For the fuzzer and tests: one message of a list, as the kernel sends them one after the other,
 * added to ret in the order of the message. Messages of other kinds are passed over. -EBADMSG,
 * -ENOMEM; ret is as before then. */
int ipset_parse_list(const void *message, size_t size, struct ipset_sets *ret);
