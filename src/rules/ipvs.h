/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/diag.h"
#include "model/view.h"
#include "rules/rule.h"

/*
 * The wanted state of ipvs mode for one family (spec/ipvs.md sections 1 to 3): virtual servers with
 * their real servers, entries of sets, addresses of the dummy link, and the rules of the fixed
 * chains. Immutable, reference-counted. Made of a fragment for each service, shared with the state
 * before when the service is the same object and nothing else that it depends on changed.
 */

#define IPVS_DUMMY "kube-ipvs0"

/* The sets, in the order of the specification's table. */
enum ipvs_set {
	SET_LOOP_BACK,
	SET_CLUSTER_IP,
	SET_EXTERNAL_IP,
	SET_EXTERNAL_IP_LOCAL,
	SET_LOAD_BALANCER,
	SET_LOAD_BALANCER_FW,
	SET_LOAD_BALANCER_LOCAL,
	SET_LOAD_BALANCER_SOURCE_IP,
	SET_LOAD_BALANCER_SOURCE_CIDR,
	SET_NODE_PORT_TCP,
	SET_NODE_PORT_LOCAL_TCP,
	SET_NODE_PORT_UDP,
	SET_NODE_PORT_LOCAL_UDP,
	SET_NODE_PORT_SCTP,
	SET_NODE_PORT_LOCAL_SCTP,
	SET_HEALTH_CHECK_NODE_PORT,
	SET_IPVS_IPS,
	_SET_MAX,
};
enum ipvs_set_kind {
	SET_KIND_IP,
	SET_KIND_IP_PORT,
	SET_KIND_IP_PORT_IP,
	SET_KIND_IP_PORT_NET,
	SET_KIND_PORT,
};
struct ipvs_set_row {
	const char *names[_ADDR_FAMILY_MAX]; /* at most 31 bytes */
	enum ipvs_set_kind kind;
	const char *comment; /* of its rules; NULL: none */
};
extern const struct ipvs_set_row ipvs_set_rows[_SET_MAX];
/* "hash:ip,port" */
const char *ipvs_set_kind_text(enum ipvs_set_kind kind);

/* Entry of a set; fields that its kind does not have are 0. */
struct ipvs_entry {
	struct addr addr, addr2;
	uint16_t port;
	uint8_t protocol; /* enum svc_proto, of kinds with an address and a port */
	uint8_t prefix;	  /* of addr2 in SET_KIND_IP_PORT_NET */
};
int ipvs_entry_compare(const struct ipvs_entry *a, const struct ipvs_entry *b);
/* As ipset(8) writes it: "10.96.0.10,tcp:80", a full-length range without its length. */
void ipvs_entry_print(const struct ipvs_entry *e, enum ipvs_set_kind kind, struct strbuf *out);

struct ipvs_real {
	struct addr addr;
	uint16_t port;
	uint32_t weight; /* of the endpoint: 1 unless written, as kube-proxy's always is */
};

enum ipvs_frontend { /* of two that want one address, port and protocol the first here wins: X5 */
		     FRONTEND_CLUSTER_IP,
		     FRONTEND_EXTERNAL_IP,
		     FRONTEND_LOAD_BALANCER_IP,
		     FRONTEND_NODE_PORT,
};
#define IPVS_FLAG_PERSISTENT 0x1u
#define IPVS_FLAG_SCHED1 0x8u
#define IPVS_FLAG_SCHED2 0x10u

struct ipvs_virtual {
	struct addr addr;
	uint16_t port;
	uint8_t protocol;      /* enum svc_proto */
	uint8_t frontend;      /* enum ipvs_frontend */
	bool bind;	       /* the address belongs on the dummy link */
	const char *scheduler; /* static, or the service's, or the settings' */
	uint32_t flags;
	uint32_t timeout;	       /* seconds, with IPVS_FLAG_PERSISTENT */
	const struct service *service; /* and which of its ports: for counters and messages */
	uint32_t port_index;
	const struct ipvs_real
		*reals; /* sorted by address, port; shared by the frontends of one list */
	size_t n_reals;
};
/* Order of virtual servers: address, port, protocol. */
int ipvs_virtual_compare(const struct ipvs_virtual *a, const struct ipvs_virtual *b);

/* What one service wants in one family. */
struct ipvs_fragment;

/* All that the state depends on besides the services. */
struct ipvs_env;

struct ipvs_state {
	unsigned refs;
	enum addr_family family;
	struct ipvs_env *env;
	struct world *world;		  /* a reference */
	struct ipvs_fragment **fragments; /* parallel to world->services, kept alive by runs */
	struct runs runs;
	/* All together, each once, sorted: what is compared with the kernel, and with the state
	 * before. */
	const struct ipvs_virtual **servers; /* in fragments */
	size_t n_servers;
	struct ipvs_entry *entries[_SET_MAX];
	size_t n_entries[_SET_MAX];
	struct addr *addresses; /* of the dummy link; the same as SET_IPVS_IPS */
	size_t n_addresses;
	/* The 11 chains with their rules. Owned; which rules there are depends on which sets are
	 * empty. */
	struct ipvs_chain {
		enum rule_table table;
		struct chain chain;
	} * chains;
	size_t n_chains;
	struct ipvs_piles *piles; /* internal: what the next state is made from */
};
struct ipvs_state *ipvs_state_ref(struct ipvs_state *s);
struct ipvs_state *ipvs_state_unref(struct ipvs_state *s);
DEFINE_CLEANUP(struct ipvs_state, ipvs_state_unref);

/* What a set of addresses holds at most: spec/ipvs.md section 1.2. */
#define IPVS_SET_ENTRIES_MAX 65536
/* Warns of sets that cannot hold what a state wants in them. Errors stick in d. */
void ipvs_state_check(const struct ipvs_state *s, struct diags *d);

/* Compiles a view; previous (may be NULL) lends what did not change, the result is the same as
 * without it. Addresses of the dummy link, recognised by the interface's name, count as if they
 * were not there. Pure. -ENOMEM. */
int ipvs_state_make(const struct view *view, enum addr_family family,
		    const struct ipvs_state *previous, struct ipvs_state **ret);

/* The nine jumps in the order in which they are inserted, each at the top: spec/ipvs.md
 * section 1.3. */
struct ipvs_jump {
	enum rule_table table;
	const char *chain, *target, *comment;
};
extern const struct ipvs_jump ipvs_jumps[];
extern const size_t n_ipvs_jumps;

/* Printers, each with all of the state: as ipvsadm-save -n, which is what ipvsadm -R reads; as
 * input of `ipset restore` (create, then add); addresses, a line each; as input of iptables-restore
 * --noflush, with all jumps. */
void ipvs_print_servers(const struct ipvs_state *s, struct strbuf *out);
void ipvs_print_sets(const struct ipvs_state *s, struct strbuf *out);
void ipvs_print_addresses(const struct ipvs_state *s, struct strbuf *out);
void ipvs_print_rules(const struct ipvs_state *s, struct strbuf *out);

/* Sysctls that ipvs mode writes, in this order: spec/ipvs.md section 5. */
struct ipvs_sysctl {
	const char *path; /* below /proc/sys */
	int64_t value;
	bool strict_arp; /* only with StrictARP= */
	bool old_kernel; /* only for kernels from 4.1 on and before 5.9 */
};
extern const struct ipvs_sysctl ipvs_sysctls[];
extern const size_t n_ipvs_sysctls;
/* Whether a row is written. release: the kernel's, as uname(2) has it ("6.1.0-18-amd64"). */
bool ipvs_sysctl_wanted(const struct ipvs_sysctl *row, const struct settings *s,
			const char *release);

/* "net/ipv4/ip_forward=1", a line each; the timeouts as `ipvsadm --set` takes them, in seconds, or
 * nothing when none is set. */
void ipvs_print_sysctls(const struct settings *s, const char *release, struct strbuf *out);
void ipvs_print_timeouts(const struct settings *s, struct strbuf *out);
