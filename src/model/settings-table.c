/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of settings: spec/daemon.md section 10, spec/userspace.md section 2. */
#include <syslog.h>

#include "base/num.h"
#include "model/settings-parse.h"
#include "model/settings.h"

/* Nothing here is sensibly longer than a year, and the kernel takes less than that for its
 * timeouts. */
#define SPAN_MAX (INT64_C(365) * 86400 * (int64_t)USEC_PER_SEC)
#define MSEC (int64_t) USEC_PER_MSEC
#define SEC (int64_t) USEC_PER_SEC

static const char *const mode_names[] = {"iptables", "ipvs", "nftables", "userspace", NULL};
static const char *const detect_local_names[] = {
	"ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix", "None", NULL,
};
static const char *const backend_names[] = {"auto", "nft", "legacy", NULL};
static const char *const capture_names[] = {"bind", "redirect", "tproxy", NULL};
static const char *const level_names[] = {"err", "warning", "notice", "info", "debug", NULL};
const char *const ipvs_scheduler_names[] = {
	"rr",  "wrr", "lc", "wlc", "lblc", "lblcr", "sh", "dh",
	"sed", "nq",  "mh", "fo",  "ovf",  "twos",  NULL,
};

_Static_assert(ELEMENTSOF(mode_names) == _MODE_MAX + 1, "a name for each mode");
_Static_assert(ELEMENTSOF(detect_local_names) == _DETECT_MAX + 1, "a name for each way to detect");
_Static_assert(ELEMENTSOF(backend_names) == _IPTABLES_BACKEND_MAX + 1, "a name for each backend");

/* A range is written through the address of its first half. */
_Static_assert(offsetof(struct settings, node_port_max) ==
		       offsetof(struct settings, node_port_min) + sizeof(uint16_t),
	       "halves of a range are neighbours");
_Static_assert(offsetof(struct settings, userspace_port_max) ==
		       offsetof(struct settings, userspace_port_min) + sizeof(uint16_t),
	       "halves of a range are neighbours");

/* Place of a field; does not compile when the field is not of the type that the parser writes. */
#define FIELD(field, type)                  \
	(offsetof(struct settings, field) + \
	 0 * sizeof(_Generic(((struct settings *)NULL)->field, type : 1)))
#define ENUM_FIELD(field)                   \
	(offsetof(struct settings, field) + \
	 0 * sizeof(_Generic(((struct settings *)NULL)->field, int : 1, unsigned : 1)))

/* One macro per type. The arguments: section, key, default as text, field, what the type needs,
 * scope of a change, help. */
#define BOOL(section, key, def, field, scope, help)                                     \
	{                                                                               \
		section, key, "yes or no", def, scope, help, false, setting_parse_bool, \
			setting_print_bool, FIELD(field, bool), 0, 0, NULL              \
	}
#define ENUM(section, key, def, field, first, names, type, scope, help)          \
	{                                                                        \
		section, key, type, def, scope, help, false, setting_parse_enum, \
			setting_print_enum, ENUM_FIELD(field), first, 0, names   \
	}
#define WORD(section, key, def, field, names, type, scope, help)                 \
	{                                                                        \
		section, key, type, def, scope, help, false, setting_parse_word, \
			setting_print_text, FIELD(field, char *), 0, 0, names    \
	}
#define UNSIGNED(section, key, def, field, min, max, scope, help)                               \
	{                                                                                       \
		section, key, "number, " #min " to " #max, def, scope, help, false,             \
			setting_parse_unsigned, setting_print_unsigned, FIELD(field, unsigned), \
			min, max, NULL                                                          \
	}
#define U64(section, key, def, field, min, max, scope, help)                                    \
	{                                                                                       \
		section, key, "number, " #min " to " #max, def, scope, help, false,             \
			setting_parse_u64, setting_print_u64, FIELD(field, uint64_t), min, max, \
			NULL                                                                    \
	}
#define SPAN(section, key, def, field, min, max, scope, help)                              \
	{                                                                                  \
		section, key, "span of time", def, scope, help, false, setting_parse_usec, \
			setting_print_usec, FIELD(field, uint64_t), min, max, NULL         \
	}
#define SECONDS(section, key, def, field, help)                                               \
	{                                                                                     \
		section, key, "span of time, whole seconds", def, SCOPE_SYSCTL, help, false,  \
			setting_parse_seconds, setting_print_usec, FIELD(field, uint64_t), 0, \
			SPAN_MAX, NULL                                                        \
	}
#define TEXT(section, key, field, parse, type, scope, help)                            \
	{                                                                              \
		section, key, type, "", scope, help, false, parse, setting_print_text, \
			FIELD(field, char *), 0, 0, NULL                               \
	}
#define BIND(section, key, def, field, port, help)                                            \
	{                                                                                     \
		section, key, "IP:port, or off", def, SCOPE_LISTEN, help, false,              \
			setting_parse_bind_address, setting_print_text, FIELD(field, char *), \
			port, 0, NULL                                                         \
	}
#define RANGE(section, key, def, field, min, scope, help)                     \
	{                                                                     \
		section, key, "LOWEST-HIGHEST port", def, scope, help, false, \
			setting_parse_port_range, setting_print_port_range,   \
			FIELD(field, uint16_t), min, UINT16_MAX, NULL         \
	}
#define PREFIXES(section, key, field, help)                                   \
	{                                                                     \
		section, key, "list of prefixes", "", SCOPE_SYNC, help, true, \
			setting_parse_prefixes, setting_print_prefixes,       \
			FIELD(field, struct prefix_list), 0, 0, NULL          \
	}

const struct setting_row setting_rows[] = {
	ENUM("Proxy", "Mode", "iptables", mode, 0, mode_names,
	     "one of iptables, ipvs, nftables, userspace", SCOPE_MODE, "How services are served."),
	TEXT("Proxy", "NodeName", node_name, setting_parse_node_name, "name", SCOPE_SYNC,
	     "Name of this node in the files; empty: the host name."),
	{"Proxy", "NodeIP", "list of addresses, at most one per family", "", SCOPE_SYNC,
	 "Addresses of this node; without this line those of the default routes, with an empty one "
	 "none.",
	 true, setting_parse_node_ip, setting_print_node_ip, 0, 0, 0, NULL},
	TEXT("Proxy", "Zone", zone, setting_parse_zone, "name", SCOPE_SYNC,
	     "Zone of this node, for endpoints near by."),
	ENUM("Proxy", "DetectLocalMode", "ClusterCIDR", detect_local, 0, detect_local_names,
	     "one of ClusterCIDR, NodeCIDR, BridgeInterface, InterfaceNamePrefix, None", SCOPE_SYNC,
	     "How traffic from local pods is told from other traffic."),
	PREFIXES("Proxy", "ClusterCIDR", cluster_cidr,
		 "Where pods have their addresses, one prefix per family."),
	PREFIXES("Proxy", "NodeCIDR", node_cidr,
		 "Where pods of this node have their addresses, one prefix per family."),
	TEXT("Proxy", "BridgeInterface", bridge_interface, setting_parse_interface,
	     "name of an interface", SCOPE_SYNC, "Bridge through which local pods send."),
	TEXT("Proxy", "InterfaceNamePrefix", interface_name_prefix, setting_parse_interface_prefix,
	     "first characters of names of interfaces", SCOPE_SYNC,
	     "How the names of the interfaces of local pods begin."),
	{"Proxy", "NodePortAddresses", "list of prefixes, interfaces, primary, localhost, all", "",
	 SCOPE_SYNC, "Where node ports are served; empty: all (nftables mode: primary).", true,
	 setting_parse_node_port_addresses, setting_print_node_port_addresses,
	 FIELD(node_port_addresses, struct node_port_addresses), 0, 0, NULL},
	RANGE("Proxy", "ServiceNodePortRange", "30000-32767", node_port_min, 1, SCOPE_SYNC,
	      "Ports that node ports may have."),
	PREFIXES("Proxy", "ServiceCIDR", service_cidr,
		 "Where cluster IPs must lie; empty: anywhere."),
	BOOL("Proxy", "AllowExternalIPs", "yes", allow_external_ips, SCOPE_SYNC,
	     "Whether externalIPs of services are served."),

	SPAN("Sync", "SyncPeriod", "30s", sync_period, 1, SPAN_MAX, SCOPE_NONE,
	     "Longest wait before a failed sync is tried again."),
	{"Sync", "MinSyncPeriod", "span of time", "1s", SCOPE_NONE,
	 "Least time between two syncs; the first after quiet goes at once. ipvs mode: 0s.", false,
	 setting_parse_min_sync_period, setting_print_usec, FIELD(min_sync_period, uint64_t), 0,
	 SPAN_MAX, NULL},
	SPAN("Sync", "ConfigDebounce", "50ms", config_debounce, 0, 60 * SEC, SCOPE_NONE,
	     "How long a burst of changes to files is gathered."),

	ENUM("IPTables", "Backend", "auto", iptables_backend, 0, backend_names,
	     "one of auto, nft, legacy", SCOPE_MODE, "Which iptables; auto: what the host uses."),
	BOOL("IPTables", "MasqueradeAll", "no", iptables_masquerade_all, SCOPE_SYNC,
	     "Hide the source of all traffic to cluster IPs."),
	UNSIGNED("IPTables", "MasqueradeBit", "14", iptables_masquerade_bit, 0, 31, SCOPE_SYNC,
		 "Bit of the packet mark for traffic to masquerade (ipvs mode, too)."),
	BOOL("IPTables", "LocalhostNodePorts", "yes", iptables_localhost_node_ports, SCOPE_SYNC,
	     "Serve node ports on 127.0.0.1 (sets route_localnet)."),

	WORD("IPVS", "Scheduler", "rr", ipvs_scheduler, ipvs_scheduler_names,
	     "one of rr, wrr, lc, wlc, lblc, lblcr, sh, dh, sed, nq, mh, fo, ovf, twos", SCOPE_SYNC,
	     "Scheduler of services that do not name one."),
	PREFIXES("IPVS", "ExcludeCIDRs", ipvs_exclude_cidrs,
		 "Virtual servers at these addresses are left alone."),
	BOOL("IPVS", "StrictARP", "no", ipvs_strict_arp, SCOPE_SYSCTL,
	     "Set arp_ignore and arp_announce, so that others may own the addresses."),
	SECONDS("IPVS", "TCPTimeout", "0s", ipvs_tcp_timeout,
		"Timeout of idle TCP connections; 0s: as the kernel has it."),
	SECONDS("IPVS", "TCPFinTimeout", "0s", ipvs_tcp_fin_timeout,
		"Timeout of TCP connections after a FIN; 0s: as the kernel has it."),
	SECONDS("IPVS", "UDPTimeout", "0s", ipvs_udp_timeout,
		"Timeout of UDP exchanges; 0s: as the kernel has it."),

	BOOL("NFTables", "MasqueradeAll", "no", nft_masquerade_all, SCOPE_SYNC,
	     "Hide the source of all traffic to cluster IPs."),
	UNSIGNED("NFTables", "MasqueradeBit", "14", nft_masquerade_bit, 0, 31, SCOPE_SYNC,
		 "Bit of the packet mark for traffic to masquerade."),
	BOOL("NFTables", "LocalhostNodePorts", "no", nft_localhost_node_ports, SCOPE_SYNC,
	     "Serve node ports on the loopback addresses that NodePortAddresses= lists."),

	WORD("Userspace", "Capture", "bind", userspace_capture, capture_names,
	     "one of bind, redirect, tproxy", SCOPE_MODE, "How traffic reaches the daemon."),
	RANGE("Userspace", "ProxyPortRange", "", userspace_port_min, 0, SCOPE_MODE,
	      "Ports to listen on for redirect and tproxy; empty: as the kernel picks."),
	{"Userspace", "DialTimeouts", "one to eight spans of time", "250ms 500ms 1s 2s", SCOPE_NONE,
	 "How long each attempt to reach an endpoint may take.", false, setting_parse_dial_timeouts,
	 setting_print_dial_timeouts, 0, MSEC, 60 * SEC, NULL},
	SPAN("Userspace", "UDPIdleTimeout", "30s", userspace_udp_idle_timeout, MSEC, SPAN_MAX,
	     SCOPE_NONE, "When a UDP session without datagrams ends."),
	SPAN("Userspace", "TCPIdleTimeout", "24h", userspace_tcp_idle_timeout, SEC, SPAN_MAX,
	     SCOPE_NONE, "When a TCP connection without data ends."),
	SPAN("Userspace", "HalfCloseTimeout", "1h", userspace_half_close_timeout, SEC, SPAN_MAX,
	     SCOPE_NONE, "When a TCP connection that one side has closed ends."),
	U64("Userspace", "MaxConnections", "0", userspace_max_connections, 0, 10000000, SCOPE_NONE,
	    "TCP connections at a time; 0: as file descriptors allow."),
	U64("Userspace", "MaxConnectionsPerService", "0", userspace_max_connections_per_service, 0,
	    10000000, SCOPE_NONE,
	    "TCP connections of one service at a time; 0: no limit of its own."),
	U64("Userspace", "MaxUDPSessions", "0", userspace_max_udp_sessions, 0, 10000000, SCOPE_NONE,
	    "UDP sessions at a time; 0: as file descriptors allow."),
	U64("Userspace", "Workers", "0", userspace_workers, 0, 256, SCOPE_MODE,
	    "Threads that forward; 0: one per CPU, at most 4."),

	U64("Conntrack", "MaxPerCore", "32768", conntrack_max_per_core, 0, 2147483647, SCOPE_SYSCTL,
	    "nf_conntrack_max per CPU; 0: leave it."),
	U64("Conntrack", "Min", "131072", conntrack_min, 0, 2147483647, SCOPE_SYSCTL,
	    "Least nf_conntrack_max, however few the CPUs."),
	SECONDS("Conntrack", "TCPEstablishedTimeout", "24h", conntrack_tcp_established_timeout,
		"Timeout of idle TCP connections; 0s: leave it."),
	SECONDS("Conntrack", "TCPCloseWaitTimeout", "1h", conntrack_tcp_close_wait_timeout,
		"Timeout of TCP connections in CLOSE_WAIT; 0s: leave it."),
	BOOL("Conntrack", "TCPBeLiberal", "no", conntrack_tcp_be_liberal, SCOPE_SYSCTL,
	     "Do not treat TCP packets out of window as invalid."),
	SECONDS("Conntrack", "UDPTimeout", "0s", conntrack_udp_timeout,
		"Timeout of UDP packets without an answer; 0s: leave it."),
	SECONDS("Conntrack", "UDPStreamTimeout", "0s", conntrack_udp_stream_timeout,
		"Timeout of UDP exchanges; 0s: leave it."),

	BIND("Health", "HealthzBindAddress", "0.0.0.0:10256", healthz_bind_address, 10256,
	     "Where /healthz and /livez are served."),
	BIND("Health", "MetricsBindAddress", "127.0.0.1:10249", metrics_bind_address, 10249,
	     "Where /metrics is served."),
	BOOL("Health", "BindHardFail", "no", bind_hard_fail, SCOPE_NONE,
	     "Exit when one of these cannot be bound, instead of trying again."),
	SPAN("Health", "CheckInterval", "5s", check_interval, 100 * MSEC, SPAN_MAX, SCOPE_SYNC,
	     "Time between two health checks of an endpoint."),
	SPAN("Health", "CheckTimeout", "2s", check_timeout, MSEC, SPAN_MAX, SCOPE_SYNC,
	     "How long a health check may take."),
	UNSIGNED("Health", "CheckRise", "2", check_rise, 1, 1000, SCOPE_SYNC,
		 "Good checks in a row until an endpoint is used."),
	UNSIGNED("Health", "CheckFall", "3", check_fall, 1, 1000, SCOPE_SYNC,
		 "Failed checks in a row until an endpoint is left out."),

	ENUM("Log", "Level", "info", log_level, LOG_ERR, level_names,
	     "one of err, warning, notice, info, debug", SCOPE_NONE,
	     "Least important messages that are logged."),
};
const size_t n_setting_rows = ELEMENTSOF(setting_rows);

const char *svc_mode_text(enum svc_mode m)
{
	return m < _MODE_MAX ? mode_names[m] : "unknown";
}

bool svc_mode_built(enum svc_mode m)
{
	return m == MODE_IPTABLES || m == MODE_IPVS;
}
