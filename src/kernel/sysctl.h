/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether conntrack takes packets out of the window for valid: decides about the rule that drops
 * invalid ones (F2, spec/iptables.md section 3.5). */
#define SYSCTL_TCP_BE_LIBERAL "net/netfilter/nf_conntrack_tcp_be_liberal"

/* Names as "net/ipv4/conf/all/route_localnet", below /proc/sys. */
int sysctl_read_int(const char *name, int64_t *ret);
/* Writes only when the value differs. 1 written, 0 already so, -errno. */
int sysctl_ensure_int(const char *name, int64_t value);
/* IPv6 is on: /proc/net/if_inet6 exists and disable_ipv6 is not 1 (spec/iptables.md section 6.1).
 */
bool sysctl_ipv6_usable(void);
