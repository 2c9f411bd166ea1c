/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "base/addr.h"

/* The two kernel interfaces of iptables and which programs speak to them. */
enum iptables_variant {
	VARIANT_NFT,
	VARIANT_LEGACY,
	_VARIANT_MAX,
};
const char *iptables_variant_text(enum iptables_variant v); /* "nft" */

/* "iptables-nft-restore", "ip6tables-legacy-save", ... */
const char *iptables_program(enum iptables_variant v, enum addr_family f, bool save);

/* Whether tables of a variant exist in this network namespace, without making any: legacy from
 * /proc/thread-self/net/ip{,6}_tables_names, nft by listing nf_tables tables of the family named
 * filter, nat, mangle, raw or security over netlink. -errno when it cannot be found out. */
int iptables_variant_in_use(enum iptables_variant v, enum addr_family f, bool *ret);

/* Whether the kernel can have tables of a variant at all: -errno when that cannot be found out.
 * Nothing is made. For legacy always true: its modules are loaded when it is used. */
int iptables_variant_possible(enum iptables_variant v, enum addr_family f, bool *ret);
