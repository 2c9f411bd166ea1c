/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-settings.h"

/* Fills every field that owns something, and changes one of each other kind. */
static void fill(struct settings *s)
{
	assert_int_equal(settings_init(s), 0);
	set(s, "Proxy.NodeName", "node-1");
	set(s, "Proxy.NodeIP", "192.0.2.10 fd00::1");
	set(s, "Proxy.Zone", "zone-a");
	set(s, "Proxy.ClusterCIDR", "10.1.0.0/16 fd00:1::/64");
	set(s, "Proxy.NodeCIDR", "10.1.3.0/24");
	set(s, "Proxy.BridgeInterface", "cni0");
	set(s, "Proxy.InterfaceNamePrefix", "veth");
	set(s, "Proxy.NodePortAddresses", "primary 192.0.2.0/24 br-lan br-dmz");
	set(s, "Proxy.ServiceCIDR", "10.96.0.0/12");
	set(s, "IPVS.ExcludeCIDRs", "198.51.100.0/24");
	set(s, "IPVS.Scheduler", "mh");
	set(s, "Userspace.Capture", "redirect");
	set(s, "Health.HealthzBindAddress", "off");
	set(s, "Health.MetricsBindAddress", "[::1]:1");
}

/* All settings as text. */
static void print_all(const struct settings *s, struct strbuf *out)
{
	for (size_t i = 0; i < n_setting_rows; i++) {
		strbuf_addf(out, "%s.%s=", setting_rows[i].section, setting_rows[i].key);
		setting_rows[i].print(&setting_rows[i], s, out);
		strbuf_add_char(out, '\n');
	}
	assert_int_equal(strbuf_error(out), 0);
}

static void test_init(void **state)
{
	struct settings s;

	(void)state;
	memset(&s, 0xa5, sizeof(s));
	assert_int_equal(settings_init(&s), 0);
	/* kube-proxy's, spec/daemon.md section 10; the texts of the others are compared in the
	 * table's test. */
	assert_int_equal(s.mode, MODE_IPTABLES);
	assert_string_equal(s.node_name, "");
	assert_false(s.node_ip_given);
	assert_false(s.node_port_addresses.given);
	assert_int_equal(s.node_port_min, 30000);
	assert_int_equal(s.node_port_max, 32767);
	assert_true(s.sync_period == 30000000);
	assert_true(s.min_sync_period == 1000000);
	assert_false(s.min_sync_period_given);
	assert_int_equal(s.iptables_masquerade_bit, 14);
	assert_true(s.iptables_localhost_node_ports);
	assert_false(s.nft_localhost_node_ports);
	assert_string_equal(s.ipvs_scheduler, "rr");
	assert_int_equal(s.n_userspace_dial_timeouts, 4);
	assert_true(s.conntrack_max_per_core == 32768);
	assert_true(s.conntrack_min == 131072);
	assert_true(s.conntrack_tcp_established_timeout == UINT64_C(86400000000));
	assert_string_equal(s.healthz_bind_address, "0.0.0.0:10256");
	assert_string_equal(s.metrics_bind_address, "127.0.0.1:10249");
	settings_done(&s);
	/* Again, and on what was never filled. */
	settings_done(&s);
}

static void test_copy(void **state)
{
	_cleanup_strbuf_ struct strbuf before = {0}, after = {0};
	_cleanup_settings_ struct settings copy;
	struct settings s;

	(void)state;
	memset(&copy, 0xa5, sizeof(copy));
	fill(&s);
	assert_int_equal(settings_copy(&s, &copy), 0);
	assert_ptr_not_equal(s.cluster_cidr.items, copy.cluster_cidr.items);
	assert_ptr_not_equal(s.node_name, copy.node_name);
	print_all(&s, &before);

	/* A copy lives on without the first; the address sanitizer sees what is shared. */
	set(&s, "Proxy.NodePortAddresses", "br-guest");
	settings_done(&s);
	print_all(&copy, &after);
	assert_string_equal(strbuf_text(&before), strbuf_text(&after));
	assert_true(copy.node_ip_given);
	set(&copy, "Proxy.ClusterCIDR", "10.2.0.0/16");
	set(&copy, "Proxy.NodePortAddresses", "");
}

static void test_find(void **state)
{
	(void)state;
	assert_string_equal(setting_find("NFTables", "MasqueradeBit")->section, "NFTables");
	assert_string_equal(setting_find("IPTables", "MasqueradeBit")->section, "IPTables");
	assert_null(setting_find("Sync", "MasqueradeBit"));
	assert_null(setting_find("proxy", "Mode"));
	assert_null(setting_find("Proxy", "mode"));
	assert_null(setting_find("", ""));
}

static void test_changes(void **state)
{
	static const struct {
		const char *name, *value;
		unsigned changes;
		enum setting_scope highest;
	} rows[] = {
		{"Proxy.Mode", "ipvs", 1 << SCOPE_MODE, SCOPE_MODE},
		{"Proxy.Mode", "iptables", 0, SCOPE_NONE},
		{"Proxy.NodeName", "other", 1 << SCOPE_SYNC, SCOPE_SYNC},
		{"Proxy.ClusterCIDR", "10.9.0.0/16", 1 << SCOPE_SYNC, SCOPE_SYNC},
		{"Proxy.NodePortAddresses", "br-guest", 1 << SCOPE_SYNC, SCOPE_SYNC},
		{"Sync.SyncPeriod", "31s", 1 << SCOPE_NONE, SCOPE_NONE},
		{"IPTables.Backend", "nft", 1 << SCOPE_MODE, SCOPE_MODE},
		{"IPTables.MasqueradeBit", "15", 1 << SCOPE_SYNC, SCOPE_SYNC},
		{"IPVS.TCPTimeout", "1s", 1 << SCOPE_SYSCTL, SCOPE_SYSCTL},
		{"Conntrack.Min", "0", 1 << SCOPE_SYSCTL, SCOPE_SYSCTL},
		{"Health.MetricsBindAddress", "off", 1 << SCOPE_LISTEN, SCOPE_LISTEN},
		{"Log.Level", "debug", 1 << SCOPE_NONE, SCOPE_NONE},
	};
	_cleanup_settings_ struct settings a;

	(void)state;
	fill(&a);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_settings_ struct settings b;

		assert_int_equal(settings_copy(&a, &b), 0);
		set(&b, rows[i].name, rows[i].value);
		assert_int_equal(settings_changes(&a, &b), rows[i].changes);
		assert_int_equal(settings_changes(&b, &a), rows[i].changes);
		assert_int_equal(settings_difference(&a, &b), rows[i].highest);
		/* Two things at once: both are told. */
		set(&b, "Proxy.Zone", "zone-b");
		assert_int_equal(settings_changes(&a, &b), rows[i].changes | 1 << SCOPE_SYNC);
	}
}

/* Print the same, are not the same. */
static void test_empty_node_ip_is_a_change(void **state)
{
	_cleanup_settings_ struct settings a, b;

	(void)state;
	assert_int_equal(settings_init(&a), 0);
	assert_int_equal(settings_init(&b), 0);
	assert_int_equal(settings_changes(&a, &b), 0);
	set(&b, "Proxy.NodeIP", "");
	assert_int_equal(settings_changes(&a, &b), 1 << SCOPE_SYNC);
}

static void test_scope_texts(void **state)
{
	(void)state;
	for (int i = 0; i <= SCOPE_SYSCTL; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(setting_scope_text(i), setting_scope_text(j));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_empty_node_ip_is_a_change),
		cmocka_unit_test(test_scope_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
