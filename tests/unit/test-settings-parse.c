/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-settings.h"

#include <syslog.h>

#include "base/num.h"

#define LONG_15 "abcdefghijklmno"
#define LONG_63 "abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz-012345678"

/* Lowest, highest, one below, one above, and what is no number at all. */
static const struct value_row numbers[] = {
	{"IPTables.MasqueradeBit", "0", "0", NULL},
	{"IPTables.MasqueradeBit", "31", "31", NULL},
	{"IPTables.MasqueradeBit", "014", "14", NULL},
	{"IPTables.MasqueradeBit", "32", NULL, "from 0 to 31"},
	{"IPTables.MasqueradeBit", "-1", NULL, "from 0 to 31"},
	{"IPTables.MasqueradeBit", "4294967310", NULL, "from 0 to 31"},
	{"IPTables.MasqueradeBit", "", NULL, NULL},
	{"IPTables.MasqueradeBit", "0x0e", NULL, NULL},
	{"IPTables.MasqueradeBit", "14 15", NULL, NULL},
	{"NFTables.MasqueradeBit", "31", "31", NULL},
	{"NFTables.MasqueradeBit", "32", NULL, NULL},
	{"Conntrack.MaxPerCore", "0", "0", NULL},
	{"Conntrack.MaxPerCore", "2147483647", "2147483647", NULL},
	{"Conntrack.MaxPerCore", "2147483648", NULL, NULL},
	{"Conntrack.MaxPerCore", "-1", NULL, NULL},
	{"Conntrack.Min", "18446744073709551616", NULL, NULL},
	{"Health.CheckRise", "1", "1", NULL},
	{"Health.CheckRise", "0", NULL, NULL},
	{"Health.CheckFall", "1000", "1000", NULL},
	{"Health.CheckFall", "1001", NULL, NULL},
	{"Userspace.MaxConnections", "10000000", "10000000", NULL},
	{"Userspace.MaxConnections", "10000001", NULL, NULL},
	{"Userspace.Workers", "256", "256", NULL},
	{"Userspace.Workers", "257", NULL, NULL},
	{"Userspace.Workers", "auto", NULL, NULL},
};

static const struct value_row words[] = {
	{"Proxy.Mode", "iptables", "iptables", NULL},
	{"Proxy.Mode", "ipvs", "ipvs", NULL},
	{"Proxy.Mode", "nftables", "nftables", NULL},
	{"Proxy.Mode", "userspace", "userspace", NULL},
	{"Proxy.Mode", "IPVS", NULL, "'ipvs'"},
	{"Proxy.Mode", "iptable", NULL, "'iptables'"},
	{"Proxy.Mode", "", NULL, "one of iptables"},
	{"Proxy.Mode", "kernelspace", NULL, NULL},
	{"Proxy.Mode", "ipvs iptables", NULL, NULL},
	{"Proxy.DetectLocalMode", "NodeCIDR", "NodeCIDR", NULL},
	{"Proxy.DetectLocalMode", "BridgeInterface", "BridgeInterface", NULL},
	{"Proxy.DetectLocalMode", "InterfaceNamePrefix", "InterfaceNamePrefix", NULL},
	{"Proxy.DetectLocalMode", "None", "None", NULL},
	{"Proxy.DetectLocalMode", "none", NULL, "'None'"},
	{"Proxy.DetectLocalMode", "Magic", NULL, NULL},
	{"Proxy.DetectLocalMode", "", NULL, NULL},
	{"IPTables.Backend", "nft", "nft", NULL},
	{"IPTables.Backend", "legacy", "legacy", NULL},
	{"IPTables.Backend", "nftables", NULL, NULL},
	{"IPVS.Scheduler", "twos", "twos", NULL},
	{"IPVS.Scheduler", "mh", "mh", NULL},
	{"IPVS.Scheduler", "RR", NULL, "'rr'"},
	{"IPVS.Scheduler", "dynfeed", NULL, "one of rr"},
	{"IPVS.Scheduler", "", NULL, NULL},
	{"Userspace.Capture", "tproxy", "tproxy", NULL},
	{"Userspace.Capture", "nat", NULL, NULL},
	{"Log.Level", "err", "err", NULL},
	{"Log.Level", "debug", "debug", NULL},
	{"Log.Level", "7", NULL, NULL},
	{"Log.Level", "trace", NULL, NULL},
	{"Proxy.AllowExternalIPs", "no", "no", NULL},
	{"Proxy.AllowExternalIPs", "FALSE", "no", NULL},
	{"IPTables.MasqueradeAll", "on", "yes", NULL},
	{"IPTables.MasqueradeAll", "1", "yes", NULL},
	{"IPTables.MasqueradeAll", "", NULL, "yes or no"},
	{"IPTables.MasqueradeAll", "2", NULL, NULL},
	{"IPVS.StrictARP", "yes please", NULL, NULL},
};

static const struct value_row spans[] = {
	{"Sync.SyncPeriod", "1h30m", "1h30m", NULL},
	{"Sync.SyncPeriod", "1min 30s", "1m30s", NULL},
	{"Sync.SyncPeriod", "90", "1m30s", NULL},
	{"Sync.SyncPeriod", "1us", "1us", NULL},
	{"Sync.SyncPeriod", "8760h", "8760h", NULL},
	{"Sync.SyncPeriod", "8760h1us", NULL, "8760h"},
	{"Sync.SyncPeriod", "0s", NULL, "more than 0s"},
	{"Sync.SyncPeriod", "-5s", NULL, "more than 0s"},
	{"Sync.SyncPeriod", "", NULL, NULL},
	{"Sync.SyncPeriod", "99999999999999999999h", NULL, NULL},
	{"Sync.MinSyncPeriod", "0s", "0s", NULL},
	{"Sync.MinSyncPeriod", "250ms", "250ms", NULL},
	{"Sync.MinSyncPeriod", "5 parsecs", NULL, "span of time"},
	{"Sync.MinSyncPeriod", "-5s", NULL, "at least 0s"},
	{"Sync.ConfigDebounce", "0", "0s", NULL},
	{"Sync.ConfigDebounce", "1min", "1m", NULL},
	{"Sync.ConfigDebounce", "60001ms", NULL, NULL},
	{"IPVS.TCPTimeout", "0", "0s", NULL},
	{"IPVS.TCPTimeout", "15m", "15m", NULL},
	{"IPVS.TCPTimeout", "1.5s", NULL, "whole seconds"},
	{"IPVS.TCPFinTimeout", "999ms", NULL, "whole seconds"},
	{"IPVS.UDPTimeout", "1us", NULL, "whole seconds"},
	{"IPVS.UDPTimeout", "2000ms", "2s", NULL},
	{"Conntrack.TCPEstablishedTimeout", "0s", "0s", NULL},
	{"Conntrack.TCPEstablishedTimeout", "1d", "24h", NULL},
	{"Conntrack.TCPEstablishedTimeout", "500ms", NULL, "whole seconds"},
	{"Conntrack.TCPEstablishedTimeout", "-1s", NULL, NULL},
	{"Conntrack.TCPCloseWaitTimeout", "1s1ms", NULL, "whole seconds"},
	{"Conntrack.UDPTimeout", "0.1", NULL, "whole seconds"},
	{"Conntrack.UDPStreamTimeout", "8761h", NULL, NULL},
	{"Userspace.UDPIdleTimeout", "250ms", "250ms", NULL},
	{"Userspace.UDPIdleTimeout", "0", NULL, NULL},
	{"Userspace.UDPIdleTimeout", "999us", NULL, NULL},
	{"Userspace.TCPIdleTimeout", "1s", "1s", NULL},
	{"Userspace.TCPIdleTimeout", "999ms", NULL, NULL},
	{"Userspace.HalfCloseTimeout", "forever", NULL, NULL},
	{"Health.CheckInterval", "100ms", "100ms", NULL},
	{"Health.CheckInterval", "99ms", NULL, NULL},
	{"Health.CheckTimeout", "0s", NULL, NULL},
};

static const struct value_row ranges[] = {
	{"Proxy.ServiceNodePortRange", "1-65535", "1-65535", NULL},
	{"Proxy.ServiceNodePortRange", "30000-30000", "30000-30000", NULL},
	{"Proxy.ServiceNodePortRange", "0-65535", NULL, NULL},
	{"Proxy.ServiceNodePortRange", "1-65536", NULL, NULL},
	{"Proxy.ServiceNodePortRange", "32767-30000", NULL, "lower port first"},
	{"Proxy.ServiceNodePortRange", "30000", NULL, "30000-32767"},
	{"Proxy.ServiceNodePortRange", "30000-", NULL, NULL},
	{"Proxy.ServiceNodePortRange", "-32767", NULL, NULL},
	{"Proxy.ServiceNodePortRange", "30000 - 32767", NULL, NULL},
	{"Proxy.ServiceNodePortRange", "30000--32767", NULL, NULL},
	{"Proxy.ServiceNodePortRange", "1-2-3", NULL, NULL},
	{"Proxy.ServiceNodePortRange", "", NULL, NULL},
	{"Userspace.ProxyPortRange", "", "", NULL},
	{"Userspace.ProxyPortRange", "1-2", "1-2", NULL},
	{"Userspace.ProxyPortRange", "0-0", NULL, NULL},
	{"Userspace.ProxyPortRange", "0-5", NULL, NULL},
	{"Userspace.ProxyPortRange", "-", NULL, NULL},
};

static const struct value_row names[] = {
	{"Proxy.NodeName", "node-1", "node-1", NULL},
	{"Proxy.NodeName", "Node-1.Example.ORG", "node-1.example.org", NULL},
	{"Proxy.NodeName", LONG_63 LONG_63 LONG_63 LONG_63 "x",
	 "abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz-012345678" LONG_63 LONG_63 LONG_63
	 "x",
	 NULL},
	{"Proxy.NodeName", LONG_63 LONG_63 LONG_63 LONG_63 "xy", NULL, "253"},
	{"Proxy.NodeName", "  spaced\t", "spaced", NULL},
	{"Proxy.NodeName", "", "", NULL},
	{"Proxy.NodeName", "a_b", NULL, NULL},
	{"Proxy.NodeName", "-a", NULL, NULL},
	{"Proxy.NodeName", "a..b", NULL, NULL},
	{"Proxy.NodeName", "a b", NULL, NULL},
	{"Proxy.NodeName",
	 "n\xc3\xb6"
	 "de",
	 NULL, NULL},
	{"Proxy.Zone", "Zone_1.a", "Zone_1.a", NULL},
	{"Proxy.Zone", LONG_63, LONG_63, NULL},
	{"Proxy.Zone", LONG_63 "x", NULL, "63"},
	{"Proxy.Zone", "", "", NULL},
	{"Proxy.Zone", ".a", NULL, NULL},
	{"Proxy.Zone", "a b", NULL, NULL},
	{"Proxy.BridgeInterface", LONG_15, LONG_15, NULL},
	{"Proxy.BridgeInterface", LONG_15 "p", NULL, "15 bytes"},
	{"Proxy.BridgeInterface", "eth0.100", "eth0.100", NULL},
	{"Proxy.BridgeInterface", "", "", NULL},
	{"Proxy.BridgeInterface", "br 0", NULL, NULL},
	{"Proxy.BridgeInterface", "br/0", NULL, NULL},
	{"Proxy.BridgeInterface", "br:0", NULL, NULL},
	{"Proxy.BridgeInterface", "\"br0\"", NULL, NULL},
	{"Proxy.BridgeInterface", "br\x01", NULL, NULL},
	{"Proxy.BridgeInterface", "br\xff", NULL, NULL},
	{"Proxy.BridgeInterface", ".", NULL, NULL},
	{"Proxy.BridgeInterface", "..", NULL, NULL},
	{"Proxy.BridgeInterface", "br+", NULL, "InterfaceNamePrefix"},
	{"Proxy.InterfaceNamePrefix", "veth", "veth", NULL},
	{"Proxy.InterfaceNamePrefix", LONG_15, LONG_15, NULL},
	{"Proxy.InterfaceNamePrefix", "aaaaaaaaaaaaaaaaa", NULL, "15 bytes"},
	{"Proxy.InterfaceNamePrefix", "veth*", NULL, "write the prefix only"},
	{"Proxy.InterfaceNamePrefix", "veth+", NULL, "write the prefix only"},
	{"Proxy.InterfaceNamePrefix", "veth tap", NULL, NULL},
	{"Proxy.InterfaceNamePrefix", "", "", NULL},
};

static const struct value_row addresses[] = {
	{"Health.HealthzBindAddress", "off", "off", NULL},
	{"Health.HealthzBindAddress", "127.0.0.1:1", "127.0.0.1:1", NULL},
	{"Health.HealthzBindAddress", "127.0.0.1:65535", "127.0.0.1:65535", NULL},
	{"Health.HealthzBindAddress", "[FD00:0::1]:80", "[fd00::1]:80", NULL},
	/* As kube-proxy: an address alone gets the usual port. */
	{"Health.HealthzBindAddress", "127.0.0.1", "127.0.0.1:10256", NULL},
	{"Health.MetricsBindAddress", "::", "[::]:10249", NULL},
	{"Health.HealthzBindAddress", "1.2.3", NULL, NULL},
	{"Health.HealthzBindAddress", "0.0.0.0:70000", NULL, "1-65535"},
	{"Health.HealthzBindAddress", "0.0.0.0:0", NULL, NULL},
	{"Health.HealthzBindAddress", "0.0.0.0:080", NULL, NULL},
	{"Health.HealthzBindAddress", "0.0.0.0:", NULL, NULL},
	{"Health.HealthzBindAddress", ":10256", NULL, NULL},
	{"Health.HealthzBindAddress", "localhost:10256", NULL, NULL},
	{"Health.HealthzBindAddress", "010.0.0.1:80", NULL, "leading zeros"},
	{"Health.HealthzBindAddress", "", NULL, NULL},
	{"Health.HealthzBindAddress", "Off", NULL, NULL},
	{"Health.MetricsBindAddress", "127.0.0.1:1 127.0.0.1:2", NULL, NULL},
};

#define TEST_ROWS(rows)                               \
	static void test_##rows(void **state)         \
	{                                             \
		(void)state;                          \
		check_values(rows, ELEMENTSOF(rows)); \
	}
TEST_ROWS(numbers)
TEST_ROWS(words)
TEST_ROWS(spans)
TEST_ROWS(ranges)
TEST_ROWS(names)
TEST_ROWS(addresses)

/* Not only the text: the values that others read. */
static void test_fields(void **state)
{
	_cleanup_settings_ struct settings s;

	(void)state;
	assert_int_equal(settings_init(&s), 0);
	assert_false(s.min_sync_period_given);
	set(&s, "Sync.MinSyncPeriod", "1s");
	assert_true(s.min_sync_period_given);
	set(&s, "Sync.SyncPeriod", "1min 30s");
	assert_true(s.sync_period == 90 * USEC_PER_SEC);
	set(&s, "Log.Level", "debug");
	assert_int_equal(s.log_level, LOG_DEBUG);
	set(&s, "Log.Level", "err");
	assert_int_equal(s.log_level, LOG_ERR);
	set(&s, "Proxy.Mode", "userspace");
	assert_int_equal(s.mode, MODE_USERSPACE);
	set(&s, "Proxy.DetectLocalMode", "None");
	assert_int_equal(s.detect_local, DETECT_NONE);
	set(&s, "Proxy.ServiceNodePortRange", "1000-2000");
	assert_int_equal(s.node_port_min, 1000);
	assert_int_equal(s.node_port_max, 2000);
	set(&s, "Userspace.ProxyPortRange", "3000-4000");
	assert_int_equal(s.userspace_port_min, 3000);
	assert_int_equal(s.userspace_port_max, 4000);
	set(&s, "Userspace.ProxyPortRange", "");
	assert_int_equal(s.userspace_port_min, 0);
	assert_int_equal(s.userspace_port_max, 0);
	/* The same key in two sections is two settings. */
	set(&s, "NFTables.LocalhostNodePorts", "yes");
	set(&s, "IPTables.LocalhostNodePorts", "no");
	assert_true(s.nft_localhost_node_ports);
	assert_false(s.iptables_localhost_node_ports);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_words),
		cmocka_unit_test(test_spans),	cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_names),	cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
