/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "backend/backend.h"
#include "base/strbuf.h"
#include "kernel/ipvs.h"
#include "rules/ipvs.h"

/*
 * What ipvs mode made in the kernel, remembered over restarts: nothing in the kernel tells our
 * virtual servers and addresses from those of others. Its text:
 *
 *     svcroute-owned 1.0
 *     server tcp 10.96.0.10:80
 *     address 10.96.0.10
 *     sysctl net/ipv4/ip_forward 0
 *     checksum HASH
 *
 * sysctl: the value found before we wrote another one. HASH: 64 hex digits, SHA-256 of all bytes
 * before this line. A later version 1.x may add kinds of lines, which are skipped.
 */
struct ipvs_owned_sysctl {
	size_t row; /* in ipvs_sysctls */
	int64_t value;
};
struct ipvs_owned {
	struct ipvs_key *servers; /* sorted */
	size_t n_servers, servers_allocated;
	struct addr *addresses; /* sorted; of the dummy link */
	size_t n_addresses, addresses_allocated;
	struct ipvs_owned_sysctl *sysctls; /* in the order of ipvs_sysctls */
	size_t n_sysctls, sysctls_allocated;
};
void ipvs_owned_done(struct ipvs_owned *o);
#define _cleanup_ipvs_owned_ _cleanup_(ipvs_owned_done)

/* -EBADMSG: no such text, or a damaged one; -EOPNOTSUPP: of another major version; -ENOMEM. */
int ipvs_owned_parse(const void *data, size_t size, struct ipvs_owned *ret);
/* Errors stick in out, which must be empty. */
void ipvs_owned_print(const struct ipvs_owned *o, struct strbuf *out);

bool ipvs_owned_has_server(const struct ipvs_owned *o, const struct ipvs_key *key);
bool ipvs_owned_has_address(const struct ipvs_owned *o, const struct addr *a);

/* Adds what a state wants. True in *ret_grew when anything was new. -ENOMEM. */
int ipvs_owned_claim(struct ipvs_owned *o, const struct ipvs_state *state, bool *ret_grew);
/* Whether it holds all that a state wants already. */
bool ipvs_owned_covers(const struct ipvs_owned *o, const struct ipvs_state *state);
/*
 * Forgets what no state wants, once that is gone from the kernel. states: by family; a family that
 * is NULL is left as it is. Virtual servers within exclude stay: they were not deleted.
 */
void ipvs_owned_settle(struct ipvs_owned *o, struct ipvs_state *const states[_ADDR_FAMILY_MAX],
		       const struct prefix_list *exclude);
/* Remembers a value found, unless an older one is known. -ENOMEM. */
int ipvs_owned_keep_sysctl(struct ipvs_owned *o, size_t row, int64_t value);

bool prefix_list_contains(const struct prefix_list *l, const struct addr *a);
struct ipvs_key ipvs_virtual_key(const struct ipvs_virtual *v);
const char *ipvs_protocol_text(uint8_t protocol); /* "tcp", of an IPPROTO_ */
