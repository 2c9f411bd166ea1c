/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/cleanup.h"

/*
 * IPVS over generic netlink (linux/ip_vs.h; spec/ipvs.md section 8). Knows nothing of services in
 * files. IPVS gives no notifications, and its dumps are not atomic: what is missing in one is a
 * hint, not a fact; never write while one's own dump runs.
 */
struct ipvs; /* a socket and the id of the family */

/* -ENOENT: the kernel has no ip_vs (asking loads the module where it can be); -EPERM: no
 * CAP_NET_ADMIN over the namespace; -ENOMEM. */
int ipvs_open(struct ipvs **ret);
struct ipvs *ipvs_close(struct ipvs *v);
DEFINE_CLEANUP(struct ipvs, ipvs_close);

/* What names a virtual server. */
struct ipvs_key {
	struct addr addr;
	uint16_t port;
	uint8_t protocol; /* IPPROTO_TCP, IPPROTO_UDP, IPPROTO_SCTP; read: also others' odd ones */
};
int ipvs_key_compare(const struct ipvs_key *a, const struct ipvs_key *b);

#define IPVS_SCHEDULER_MAX 16 /* with the NUL */
#define IPVS_PERSISTENT 0x1u  /* of flags; the others are IP_VS_SVC_F_SCHED1 to 3 */
#define IPVS_HASHED 0x2u      /* the kernel's own: masked out of what is read */

/* The kernel sums them up every two seconds. */
struct ipvs_counters {
	uint64_t connections, in_packets, out_packets, in_bytes, out_bytes;
};

/* A virtual server. */
struct ipvs_server {
	struct ipvs_key key;
	uint32_t fwmark; /* read only; not 0: the key means nothing, and it is not ours */
	char scheduler[IPVS_SCHEDULER_MAX];
	uint32_t flags;
	uint32_t timeout;	       /* seconds, of persistence */
	uint32_t prefix;	       /* of persistence: 32, 128 */
	struct ipvs_counters counters; /* read only */
};

/* A real server. Forwarding by masquerade only. */
struct ipvs_dest {
	struct addr addr;
	uint16_t port;
	uint32_t weight;
	uint32_t forward;		       /* read only: 0 is masquerade */
	uint32_t active, inactive, persistent; /* read only: connections */
	struct ipvs_counters counters;	       /* read only */
};
int ipvs_dest_compare(const struct ipvs_dest *a, const struct ipvs_dest *b); /* address, port */

struct ipvs_servers {
	struct ipvs_server *items;
	size_t n, allocated;
};
struct ipvs_dests {
	struct ipvs_dest *items;
	size_t n, allocated;
};
void ipvs_servers_done(struct ipvs_servers *l);
void ipvs_dests_done(struct ipvs_dests *l);
#define _cleanup_ipvs_servers_ _cleanup_(ipvs_servers_done)
#define _cleanup_ipvs_dests_ _cleanup_(ipvs_dests_done)

/* All virtual servers of the namespace, both families, those by firewall mark too; sorted by key.
 */
int ipvs_list_servers(struct ipvs *v, struct ipvs_servers *ret);
/* One: -ESRCH when there is none. */
int ipvs_get_server(struct ipvs *v, const struct ipvs_key *key, struct ipvs_server *ret);
/* Its real servers, sorted. A virtual server that is not there has none, without an error. */
int ipvs_list_dests(struct ipvs *v, const struct ipvs_key *key, struct ipvs_dests *ret);

/*
 * Changes are sent many at a time, each acknowledged. The order is kept; a change that fails does
 * not stop those after it. -EINVAL also for what the kernel would take and is not sent: port 0,
 * another protocol than the three, a real server of the other family.
 */
enum ipvs_verb {
	IPVS_NEW_SERVER,
	IPVS_SET_SERVER,
	IPVS_DEL_SERVER,
	IPVS_NEW_DEST,
	IPVS_SET_DEST,
	IPVS_DEL_DEST,
};
const char *ipvs_verb_text(enum ipvs_verb verb); /* "add the virtual server", for messages */
struct ipvs_change {
	enum ipvs_verb verb;
	struct ipvs_server server; /* the key alone for all verbs but the first two */
	struct ipvs_dest dest;	   /* of the last three */
	int error;		   /* out: 0 or -errno as the kernel gave it */
};
/* 0 when all were answered (each has its own error), or the -errno of the exchange itself. */
int ipvs_change(struct ipvs *v, struct ipvs_change *changes, size_t n);

/* Seconds; 0 in a set keeps what is there. */
struct ipvs_timeouts {
	uint32_t tcp, tcp_fin, udp;
};
int ipvs_get_timeouts(struct ipvs *v, struct ipvs_timeouts *ret);
int ipvs_set_timeouts(struct ipvs *v, const struct ipvs_timeouts *t);

/* For the fuzzer: one message of an answer, as the two lists and ipvs_get_server() read it. 0 or
 * -EBADMSG; outputs untouched then. */
int ipvs_parse_server(const void *message, size_t size, struct ipvs_server *ret);
/* family: that of the virtual server, for kernels that do not tell it. */
int ipvs_parse_dest(const void *message, size_t size, enum addr_family family,
		    struct ipvs_dest *ret);
