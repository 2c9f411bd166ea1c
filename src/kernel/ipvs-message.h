/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <netlink/msg.h>

#include "kernel/ipvs.h"

/*
 * What is in the messages of IPVS (spec/ipvs.md section 8); their way to the kernel and back is in
 * ipvs.c, parsing in ipvs.h. Numbers are in the order of the host, but for ports, addresses and
 * IPv4 masks.
 */

/* A request without attributes. family: the number that the kernel gave to "IPVS". -ENOMEM. */
int ipvs_request_new(int family, uint8_t command, int flags, struct nl_msg **ret);
/* One that names a virtual server. */
int ipvs_request_key(int family, uint8_t command, int flags, const struct ipvs_key *key,
		     struct nl_msg **ret);
/* -EINVAL for what the kernel would take and nobody can use: port 0, another protocol, a scheduler
 * without a name or end, a real server of the other family. */
int ipvs_change_check(const struct ipvs_change *c);
/* The change must have passed the check. */
int ipvs_request_change(int family, const struct ipvs_change *c, struct nl_msg **ret);
int ipvs_request_timeouts(int family, const struct ipvs_timeouts *t, struct nl_msg **ret);

int ipvs_parse_timeouts(const void *message, size_t size, struct ipvs_timeouts *ret);
