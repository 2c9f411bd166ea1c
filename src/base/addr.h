/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

/* Address families as array indices: everything that exists per family is an array of two. */
enum addr_family {
	ADDR_IPV4,
	ADDR_IPV6,
	_ADDR_FAMILY_MAX,
	_ADDR_FAMILY_INVALID = -22, /* -EINVAL */
};

/* An IP address. For IPv4 only bytes[0..3] are used, the others are zero, so memcmp() compares. */
struct addr {
	uint8_t family; /* enum addr_family */
	uint8_t bytes[16];
};

/* A prefix; host bits are always zero (addr_prefix_parse() refuses or clears them). */
struct addr_prefix {
	struct addr addr;
	uint8_t length; /* 0..32 or 0..128 */
};

/* Why a text is not an address; addr_reason_text() makes a sentence of it. */
enum addr_reason {
	ADDR_OK,
	ADDR_NOT_AN_ADDRESS, /* neither IPv4 nor IPv6 text */
	ADDR_LEADING_ZERO,   /* 010.0.0.1: decimal to some, octal to others */
	ADDR_MAPPED,	     /* ::ffff:a.b.c.d in any spelling */
	ADDR_HAS_ZONE,	     /* fe80::1%eth0 */
	ADDR_HAS_PREFIX,     /* an address was wanted, a prefix was given */
	ADDR_HAS_PORT,	     /* 1.2.3.4:80 or [::1]:80 */
	ADDR_NO_PREFIX,	     /* a prefix was wanted, a bare address was given */
	ADDR_BAD_PREFIX,     /* length missing, out of range, signed, with a leading zero, a mask */
	ADDR_HOST_BITS,	     /* 10.0.0.1/8 */
	ADDR_BAD_PORT,
	_ADDR_REASON_MAX,
};

/* A sentence such as "must not have leading zeros"; never NULL. */
const char *addr_reason_text(enum addr_reason reason);

/* Y7 of spec/model.md section 1.1: strict address, IPv6 of any spelling. No blanks are skipped.
 * Own parser: inet_pton() is laxer in places. Output untouched unless ADDR_OK. */
enum addr_reason addr_parse(const char *text, struct addr *ret);

/* Y9: strict prefix, no host bits. */
enum addr_reason addr_prefix_parse(const char *text, struct addr_prefix *ret);

/* "1.2.3.4:80", "[fd00::1]:80". The port must be 1..65535 without leading zero. */
enum addr_reason addr_port_parse(const char *text, struct addr *ret_addr, uint16_t *ret_port);

/* Canonical text as Go's net.IP.String() prints it: IPv6 lower case, the longest run of two or more
 * zero groups compressed, the leftmost on a tie; never the mixed form that glibc uses for ::/96
 * (spec/model.md section 1.1; chain names hash this text). Returns the buffer. */
#define ADDR_TEXT_MAX 46
const char *addr_format(const struct addr *a, char buf[ADDR_TEXT_MAX]);
/* "10.0.0.0/8" */
#define ADDR_PREFIX_TEXT_MAX 52
const char *addr_prefix_format(const struct addr_prefix *p, char buf[ADDR_PREFIX_TEXT_MAX]);
/* "1.2.3.4:80", "[fd00::1]:80" */
#define ADDR_PORT_TEXT_MAX 56
const char *addr_port_format(const struct addr *a, uint16_t port, char buf[ADDR_PORT_TEXT_MAX]);

/* -1, 0, 1: IPv4 before IPv6, then bytewise. */
int addr_compare(const struct addr *a, const struct addr *b);
static inline bool addr_equal(const struct addr *a, const struct addr *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}
int addr_prefix_compare(const struct addr_prefix *a, const struct addr_prefix *b);
/* Families must match, otherwise false. */
bool addr_prefix_contains(const struct addr_prefix *p, const struct addr *a);
/* The prefix that holds just this address: /32 or /128. */
struct addr_prefix addr_to_prefix(const struct addr *a);

/* What kind of address it is, as bits; spec/model.md S17, S50, S51. */
enum addr_kind {
	ADDR_IS_UNSPECIFIED = 1 << 0,
	ADDR_IS_LOOPBACK = 1 << 1,	       /* 127/8, ::1 */
	ADDR_IS_LINK_LOCAL = 1 << 2,	       /* 169.254/16, fe80::/10 */
	ADDR_IS_LINK_LOCAL_MULTICAST = 1 << 3, /* 224.0.0.0/24, ff?2:: */
	ADDR_IS_MULTICAST = 1 << 4,	       /* any */
	ADDR_IS_BROADCAST = 1 << 5,	       /* 255.255.255.255 */
	ADDR_IS_THIS_NETWORK = 1 << 6,	       /* 0.0.0.0/8 */
	ADDR_IS_RESERVED = 1 << 7,	       /* 240/4 */
};
unsigned addr_kinds(const struct addr *a);
