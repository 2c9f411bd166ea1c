/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-settings.h"

static const struct value_row prefixes[] = {
	{"Proxy.ClusterCIDR", "10.1.0.0/16", "10.1.0.0/16", NULL},
	{"Proxy.ClusterCIDR", "10.1.0.0/16,fd00::/64", "10.1.0.0/16 fd00::/64", NULL},
	{"Proxy.ClusterCIDR", "10.1.0.0/16 , fd00::/64\t10.2.0.0/16",
	 "10.1.0.0/16 fd00::/64 10.2.0.0/16", NULL},
	{"Proxy.ClusterCIDR", "0.0.0.0/0", "0.0.0.0/0", NULL},
	{"Proxy.ClusterCIDR", "FD00:0:0::/64", "fd00::/64", NULL},
	{"Proxy.ClusterCIDR", "", "", NULL},
	{"Proxy.ClusterCIDR", "198.51.100.0", NULL, "198.51.100.0/32"},
	{"Proxy.ClusterCIDR", "fd00::1", NULL, "fd00::1/128"},
	{"Proxy.ClusterCIDR", "198.051.100.0/24", NULL, "leading zeros"},
	{"Proxy.ClusterCIDR", "198.51.100.0/024", NULL, "prefix length"},
	{"Proxy.ClusterCIDR", "198.51.100.0/33", NULL, NULL},
	{"Proxy.ClusterCIDR", "198.51.100.0/-1", NULL, NULL},
	{"Proxy.ClusterCIDR", "198.51.100.0/", NULL, NULL},
	{"Proxy.ClusterCIDR", "198.51.100.0/255.255.255.0", NULL, NULL},
	{"Proxy.ClusterCIDR", "198.51.100.7/24", NULL, "198.51.100.0/24"},
	{"Proxy.ClusterCIDR", "198.51.101.7/23", NULL, "198.51.100.0/23"},
	{"Proxy.ClusterCIDR", "fd00::1/64", NULL, "'fd00::/64'"},
	{"Proxy.ClusterCIDR", "::ffff:198.51.100.0/120", NULL, "mapped"},
	{"Proxy.ClusterCIDR", "198.51.100.0 /24", NULL, "'198.51.100.0'"},
	{"Proxy.ClusterCIDR", "10.1.0.0/16,", NULL, "comma"},
	{"Proxy.ClusterCIDR", ",10.1.0.0/16", NULL, "comma"},
	{"Proxy.ClusterCIDR", "10.1.0.0/16,,10.2.0.0/16", NULL, "comma"},
	{"Proxy.ClusterCIDR", ",", NULL, "comma"},
	{"Proxy.ClusterCIDR", "10.1.0.0/16;10.2.0.0/16", NULL, NULL},
	{"Proxy.ClusterCIDR", "primary", NULL, NULL},
	{"Proxy.ClusterCIDR", "10.1.0.0/16 br0", NULL, "'br0'"},
	{"Proxy.NodeCIDR", "10.1.3.0/24", "10.1.3.0/24", NULL},
	{"Proxy.ServiceCIDR", "10.96.0.0/12", "10.96.0.0/12", NULL},
	{"Proxy.ServiceCIDR", "10.96.0.1/12", NULL, "10.96.0.0/12"},
	{"IPVS.ExcludeCIDRs", "198.51.100.0/24,192.0.2.0/24", "198.51.100.0/24 192.0.2.0/24", NULL},
	{"IPVS.ExcludeCIDRs", "198.51.100.0/33", NULL, NULL},
	{"IPVS.ExcludeCIDRs", "198.51.100.0/024", NULL, NULL},
	{"IPVS.ExcludeCIDRs", "198.51.100.0", NULL, NULL},
};

static const struct value_row node_ips[] = {
	{"Proxy.NodeIP", "192.0.2.10", "192.0.2.10", NULL},
	{"Proxy.NodeIP", "2001:DB8::10 192.0.2.10", "192.0.2.10 2001:db8::10", NULL},
	{"Proxy.NodeIP", "127.0.0.1", "127.0.0.1", NULL},
	{"Proxy.NodeIP", "", "", NULL},
	{"Proxy.NodeIP", "192.0.2.10 192.0.2.11", NULL, "second IPv4"},
	{"Proxy.NodeIP", "192.0.2.10,192.0.2.10", NULL, NULL}, /* reported as a whole */
	{"Proxy.NodeIP", "fd00::1 fd00::2", NULL, "second IPv6"},
	{"Proxy.NodeIP", "0.0.0.0", NULL, "detected"},
	{"Proxy.NodeIP", "::", NULL, "detected"},
	{"Proxy.NodeIP", "224.0.0.1", NULL, NULL},
	{"Proxy.NodeIP", "ff02::1", NULL, NULL},
	{"Proxy.NodeIP", "255.255.255.255", NULL, NULL},
	{"Proxy.NodeIP", "1.2.3.400", NULL, NULL},
	{"Proxy.NodeIP", "192.0.2.010", NULL, "leading zeros"},
	{"Proxy.NodeIP", "192.0.2.10/24", NULL, NULL},
	{"Proxy.NodeIP", "fe80::1%eth0", NULL, NULL},
	{"Proxy.NodeIP", "node-1", NULL, NULL},
};

static const struct value_row node_ports[] = {
	{"Proxy.NodePortAddresses", "primary", "primary", NULL},
	{"Proxy.NodePortAddresses", "all localhost primary", "primary localhost all", NULL},
	{"Proxy.NodePortAddresses", "192.0.2.0/24,primary", "primary 192.0.2.0/24", NULL},
	{"Proxy.NodePortAddresses", "br-lan fd00::/8 eth0.100", "fd00::/8 br-lan eth0.100", NULL},
	{"Proxy.NodePortAddresses", "0.0.0.0/0", "0.0.0.0/0", NULL},
	{"Proxy.NodePortAddresses", "abcdefghijklmno", "abcdefghijklmno", NULL},
	{"Proxy.NodePortAddresses", "", "", NULL},
	{"Proxy.NodePortAddresses", "primary primary", NULL, "twice"},
	{"Proxy.NodePortAddresses", "all,all", NULL, "twice"},
	{"Proxy.NodePortAddresses", "Primary", NULL, "'primary'"},
	{"Proxy.NodePortAddresses", "ALL", NULL, "'all'"},
	{"Proxy.NodePortAddresses", "198.51.100.7", NULL, "198.51.100.7/32"},
	{"Proxy.NodePortAddresses", "fd00::7", NULL, "fd00::7/128"},
	{"Proxy.NodePortAddresses", "198.51.100.7/24", NULL, "198.51.100.0/24"},
	{"Proxy.NodePortAddresses", "198.51.100.0/33", NULL, NULL},
	{"Proxy.NodePortAddresses", "198.51.100.0/024", NULL, NULL},
	{"Proxy.NodePortAddresses", "198.051.100.0/24", NULL, "leading zeros"},
	{"Proxy.NodePortAddresses", "198.51.100.07", NULL, NULL},
	{"Proxy.NodePortAddresses", "198.51.100.400", NULL, NULL},
	{"Proxy.NodePortAddresses", "198.51.100", NULL, NULL},
	{"Proxy.NodePortAddresses", "::ffff:198.51.100.0/120", NULL, "mapped"},
	{"Proxy.NodePortAddresses", "198.51.100.7:80", NULL, NULL},
	{"Proxy.NodePortAddresses", "eth0/24", NULL, NULL},
	{"Proxy.NodePortAddresses", "abcdefghijklmnop", NULL, "15 bytes"},
	{"Proxy.NodePortAddresses", "eth0:1", NULL, NULL},
	{"Proxy.NodePortAddresses", "\"br-lan\"", NULL, NULL},
	{"Proxy.NodePortAddresses", "br-lan,", NULL, "comma"},
	{"Proxy.NodePortAddresses", "br-lan 1.2.3.4", NULL, "'1.2.3.4'"},
};

static const struct value_row dial_timeouts[] = {
	{"Userspace.DialTimeouts", "1s", "1s", NULL},
	{"Userspace.DialTimeouts", "1ms,60s", "1ms 1m", NULL},
	{"Userspace.DialTimeouts", "1 2 3 4 5 6 7 8", "1s 2s 3s 4s 5s 6s 7s 8s", NULL},
	{"Userspace.DialTimeouts", "1 2 3 4 5 6 7 8 9", NULL, "at most 8"},
	{"Userspace.DialTimeouts", "", NULL, "at least one"},
	{"Userspace.DialTimeouts", "0s", NULL, NULL},
	{"Userspace.DialTimeouts", "999us", NULL, NULL},
	{"Userspace.DialTimeouts", "61s", NULL, NULL},
	{"Userspace.DialTimeouts", "1s soon", NULL, "'soon'"},
	{"Userspace.DialTimeouts", "1s, ,2s", NULL, "comma"},
};

#define TEST_ROWS(rows)                               \
	static void test_##rows(void **state)         \
	{                                             \
		(void)state;                          \
		check_values(rows, ELEMENTSOF(rows)); \
	}
TEST_ROWS(prefixes)
TEST_ROWS(node_ips)
TEST_ROWS(node_ports)
TEST_ROWS(dial_timeouts)

/* Several lines add up; a bad line adds nothing; an empty one empties. */
static void test_several_lines(void **state)
{
	_cleanup_settings_ struct settings s;

	(void)state;
	assert_int_equal(settings_init(&s), 0);
	set(&s, "Proxy.ClusterCIDR", "10.1.0.0/16");
	set(&s, "Proxy.ClusterCIDR", "fd00::/64 10.2.0.0/16");
	assert_refused(&s, "Proxy.ClusterCIDR", "10.3.0.0/16 10.4.0.0", NULL);
	assert_prints(&s, "Proxy.ClusterCIDR", "10.1.0.0/16 fd00::/64 10.2.0.0/16");
	assert_prints(&s, "Proxy.NodeCIDR", "");
	set(&s, "Proxy.ClusterCIDR", "");
	assert_int_equal(s.cluster_cidr.n, 0);
	set(&s, "Proxy.ClusterCIDR", "10.5.0.0/16");
	assert_prints(&s, "Proxy.ClusterCIDR", "10.5.0.0/16");

	set(&s, "Proxy.NodePortAddresses", "br-lan 192.0.2.0/24");
	set(&s, "Proxy.NodePortAddresses", "primary br-dmz");
	assert_refused(&s, "Proxy.NodePortAddresses", "localhost primary", "twice");
	assert_refused(&s, "Proxy.NodePortAddresses", "br-wan 10.0.0.0/8 localhost 1.2.3.4", NULL);
	assert_prints(&s, "Proxy.NodePortAddresses", "primary 192.0.2.0/24 br-lan br-dmz");
	assert_true(s.node_port_addresses.given);
	set(&s, "Proxy.NodePortAddresses", "");
	assert_false(s.node_port_addresses.given);
	assert_prints(&s, "Proxy.NodePortAddresses", "");
	set(&s, "Proxy.NodePortAddresses", "primary");
	assert_prints(&s, "Proxy.NodePortAddresses", "primary");

	/* Not a list: each assignment is all of it. */
	set(&s, "Userspace.DialTimeouts", "1s 2s");
	set(&s, "Userspace.DialTimeouts", "3s");
	assert_prints(&s, "Userspace.DialTimeouts", "3s");
}

static void test_node_ip_lines(void **state)
{
	_cleanup_settings_ struct settings s;

	(void)state;
	assert_int_equal(settings_init(&s), 0);
	assert_false(s.node_ip_given);
	set(&s, "Proxy.NodeIP", "192.0.2.10");
	assert_true(s.node_ip_given);
	assert_true(s.has_node_ip[ADDR_IPV4]);
	assert_false(s.has_node_ip[ADDR_IPV6]);
	assert_refused(&s, "Proxy.NodeIP", "fd00::1 192.0.2.11", "second IPv4");
	assert_false(s.has_node_ip[ADDR_IPV6]);
	set(&s, "Proxy.NodeIP", "fd00::1");
	assert_prints(&s, "Proxy.NodeIP", "192.0.2.10 fd00::1");
	/* Given, and none: nothing is detected. */
	set(&s, "Proxy.NodeIP", "");
	assert_true(s.node_ip_given);
	assert_false(s.has_node_ip[ADDR_IPV4]);
	assert_false(s.has_node_ip[ADDR_IPV6]);
	set(&s, "Proxy.NodeIP", "192.0.2.11");
	assert_prints(&s, "Proxy.NodeIP", "192.0.2.11");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefixes),      cmocka_unit_test(test_node_ips),
		cmocka_unit_test(test_node_ports),    cmocka_unit_test(test_dial_timeouts),
		cmocka_unit_test(test_several_lines), cmocka_unit_test(test_node_ip_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
