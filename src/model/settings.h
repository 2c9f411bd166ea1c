/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/strbuf.h"
#include "model/diag.h"
#include "model/service.h"

/* The daemon's settings: product sheet section 1, spec/daemon.md section 10. */

enum svc_mode {
	MODE_IPTABLES,
	MODE_IPVS,
	MODE_NFTABLES,
	MODE_USERSPACE,
	_MODE_MAX,
};
const char *svc_mode_text(enum svc_mode m); /* "iptables" */
/* Whether this build can run the mode; the others are read and validated, and refused with "mode
 * not in this build". */
bool svc_mode_built(enum svc_mode m);

enum detect_local {
	DETECT_CLUSTER_CIDR,
	DETECT_NODE_CIDR,
	DETECT_BRIDGE_INTERFACE,
	DETECT_INTERFACE_NAME_PREFIX,
	DETECT_NONE,
	_DETECT_MAX,
};

enum iptables_backend {
	IPTABLES_AUTO,
	IPTABLES_NFT,
	IPTABLES_LEGACY,
	_IPTABLES_BACKEND_MAX,
};

struct prefix_list {
	struct addr_prefix *items;
	size_t n;
};

/* NodePortAddresses=: prefixes, words, interface names. */
struct node_port_addresses {
	bool given; /* false: the mode's default (iptables, ipvs: all; nftables: primary) */
	bool primary, localhost, all;
	struct prefix_list prefixes;
	struct text_list interfaces;
};

struct settings {
	/* [Proxy] */
	enum svc_mode mode;
	char *node_name;    /* "" until settings_finish(): NodeName= or the host name */
	bool node_ip_given; /* NodeIP= present, possibly empty */
	bool has_node_ip[_ADDR_FAMILY_MAX];
	struct addr node_ip[_ADDR_FAMILY_MAX];
	char *zone; /* "" when not set */
	enum detect_local detect_local;
	struct prefix_list cluster_cidr, node_cidr;
	char *bridge_interface, *interface_name_prefix; /* "" when not set */
	struct node_port_addresses node_port_addresses;
	uint16_t node_port_min, node_port_max;
	struct prefix_list service_cidr;
	bool allow_external_ips;
	/* [Sync], microseconds */
	uint64_t sync_period, min_sync_period, config_debounce;
	bool min_sync_period_given; /* ipvs: the default is 0, not 1 s */
	/* [IPTables], [NFTables] */
	enum iptables_backend iptables_backend;
	bool iptables_masquerade_all, nft_masquerade_all;
	unsigned iptables_masquerade_bit, nft_masquerade_bit;
	bool iptables_localhost_node_ports, nft_localhost_node_ports;
	/* [IPVS] */
	char *ipvs_scheduler;
	struct prefix_list ipvs_exclude_cidrs;
	bool ipvs_strict_arp;
	uint64_t ipvs_tcp_timeout, ipvs_tcp_fin_timeout, ipvs_udp_timeout; /* 0: keep */
	/* [Userspace]: spec/userspace.md; read and validated, used by a later mode */
	char *userspace_capture;
	uint16_t userspace_port_min, userspace_port_max; /* 0: the kernel's choice */
	uint64_t userspace_dial_timeouts[8];
	size_t n_userspace_dial_timeouts;
	uint64_t userspace_udp_idle_timeout, userspace_tcp_idle_timeout,
		userspace_half_close_timeout;
	uint64_t userspace_max_connections, userspace_max_connections_per_service,
		userspace_max_udp_sessions;
	uint64_t userspace_workers;
	/* [Conntrack] */
	uint64_t conntrack_max_per_core, conntrack_min;
	uint64_t conntrack_tcp_established_timeout, conntrack_tcp_close_wait_timeout;
	bool conntrack_tcp_be_liberal;
	uint64_t conntrack_udp_timeout, conntrack_udp_stream_timeout;
	/* [Health] */
	char *healthz_bind_address, *metrics_bind_address; /* "IP:port" or "off" */
	bool bind_hard_fail;
	uint64_t check_interval, check_timeout;
	unsigned check_rise, check_fall;
	/* [Log] */
	int log_level; /* syslog's */
};

/* Kube-proxy's defaults. -ENOMEM. Free with settings_done(). */
int settings_init(struct settings *s);
void settings_done(struct settings *s);
#define _cleanup_settings_ _cleanup_(settings_done)
/* A copy of its own of everything. ret need not be initialised and is untouched on failure.
 * -ENOMEM. */
int settings_copy(const struct settings *s, struct settings *ret);

/* What a change of a setting needs (H6). */
enum setting_scope {
	SCOPE_NONE,   /* nothing: used at the next occasion */
	SCOPE_SYNC,   /* a full sync */
	SCOPE_MODE,   /* another backend */
	SCOPE_LISTEN, /* sockets opened again */
	SCOPE_SYSCTL,
};
const char *setting_scope_text(enum setting_scope s);

/* One row per setting: everything that is known about it. The table makes the man page, `settings`,
 * completion and the checks. */
struct setting_row {
	const char *section;	  /* "Proxy" */
	const char *key;	  /* "NodePortAddresses" */
	const char *type;	  /* for people: "one of iptables, ipvs, ...", "list of prefixes" */
	const char *default_text; /* as one would write it, "" when none */
	enum setting_scope scope;
	const char *help; /* one line */
	bool list;	  /* may be given in several lines; an empty assignment empties it */
	/* Parses one assignment into s. value has no blanks around it. On failure returns -EINVAL
	 * and sets *ret_reason (and perhaps *ret_hint) to malloc'ed texts, s is untouched. */
	int (*parse)(const struct setting_row *row, const char *value, struct settings *s,
		     char **ret_reason, char **ret_hint);
	/* The effective value as one would write it. */
	void (*print)(const struct setting_row *row, const struct settings *s, struct strbuf *out);
	size_t offset; /* of the field, for the generic parsers */
	/* Microseconds for spans of time; for enumerations min is what the first of names stands
	 * for. */
	int64_t min, max;
	const char *const *names; /* for enumerations, NULL-terminated */
};
extern const struct setting_row setting_rows[];
extern const size_t n_setting_rows;

/* NULL when unknown. */
const struct setting_row *setting_find(const char *section, const char *key);

/* Lists of prefixes that may be given in several lines, and are told of one by one. */
enum origin_list {
	ORIGIN_CLUSTER_CIDR,
	ORIGIN_NODE_CIDR,
	_ORIGIN_LIST_MAX,
};
#define ORIGIN_PREFIXES_MAX 16 /* of those behind it only the last line is known */

/* Where each setting came from, one per row of setting_rows (file NULL: built-in default). */
struct settings_origin {
	struct place *places; /* n_setting_rows of them; files owned by the reader */
	/* Of the first prefixes of each list; line 0: not known. Used by settings_finish(). */
	struct place prefixes[_ORIGIN_LIST_MAX][ORIGIN_PREFIXES_MAX];
};

/*
 * The checks that need more than one setting, and the values that come from the host: the node name
 * (host_name is gethostname()'s answer). Adds diagnostics with the places of the settings they are
 * about. -EBADMSG when there were errors, -ENOMEM.
 */
int settings_finish(struct settings *s, const char *host_name, const struct settings_origin *origin,
		    struct diags *d);

/* Highest scope among the settings that differ between the two: what a reload has to do. */
enum setting_scope settings_difference(const struct settings *a, const struct settings *b);
/* All scopes of the settings that differ, as bits 1 << scope: a change of Mode= and a sysctl at
 * once is two things to do. When memory runs out every bit is set: doing too much is harmless. */
unsigned settings_changes(const struct settings *a, const struct settings *b);

/* The IPVS schedulers that this program knows, NULL-terminated: Scheduler= and a service's
 * scheduler. */
extern const char *const ipvs_scheduler_names[];
