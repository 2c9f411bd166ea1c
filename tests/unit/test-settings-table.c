/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-settings.h"

#include "base/text.h"

/* The defaults, as kube-proxy has them: spec/daemon.md section 10, spec/userspace.md section 2.
 * Written out once more, so that no change of the table goes unseen. */
static const struct {
	const char *name, *text;
	enum setting_scope scope;
	bool list;
} defaults[] = {
	{"Proxy.Mode", "iptables", SCOPE_MODE, false},
	{"Proxy.NodeName", "", SCOPE_SYNC, false},
	{"Proxy.NodeIP", "", SCOPE_SYNC, true},
	{"Proxy.Zone", "", SCOPE_SYNC, false},
	{"Proxy.DetectLocalMode", "ClusterCIDR", SCOPE_SYNC, false},
	{"Proxy.ClusterCIDR", "", SCOPE_SYNC, true},
	{"Proxy.NodeCIDR", "", SCOPE_SYNC, true},
	{"Proxy.BridgeInterface", "", SCOPE_SYNC, false},
	{"Proxy.InterfaceNamePrefix", "", SCOPE_SYNC, false},
	{"Proxy.NodePortAddresses", "", SCOPE_SYNC, true},
	{"Proxy.ServiceNodePortRange", "30000-32767", SCOPE_SYNC, false},
	{"Proxy.ServiceCIDR", "", SCOPE_SYNC, true},
	{"Proxy.AllowExternalIPs", "yes", SCOPE_SYNC, false},
	{"Sync.SyncPeriod", "30s", SCOPE_NONE, false},
	{"Sync.MinSyncPeriod", "1s", SCOPE_NONE, false},
	{"Sync.ConfigDebounce", "50ms", SCOPE_NONE, false},
	{"IPTables.Backend", "auto", SCOPE_MODE, false},
	{"IPTables.MasqueradeAll", "no", SCOPE_SYNC, false},
	{"IPTables.MasqueradeBit", "14", SCOPE_SYNC, false},
	{"IPTables.LocalhostNodePorts", "yes", SCOPE_SYNC, false},
	{"IPVS.Scheduler", "rr", SCOPE_SYNC, false},
	{"IPVS.ExcludeCIDRs", "", SCOPE_SYNC, true},
	{"IPVS.StrictARP", "no", SCOPE_SYSCTL, false},
	{"IPVS.TCPTimeout", "0s", SCOPE_SYSCTL, false},
	{"IPVS.TCPFinTimeout", "0s", SCOPE_SYSCTL, false},
	{"IPVS.UDPTimeout", "0s", SCOPE_SYSCTL, false},
	{"NFTables.MasqueradeAll", "no", SCOPE_SYNC, false},
	{"NFTables.MasqueradeBit", "14", SCOPE_SYNC, false},
	{"NFTables.LocalhostNodePorts", "no", SCOPE_SYNC, false},
	{"Userspace.Capture", "bind", SCOPE_MODE, false},
	{"Userspace.ProxyPortRange", "", SCOPE_MODE, false},
	{"Userspace.DialTimeouts", "250ms 500ms 1s 2s", SCOPE_NONE, false},
	{"Userspace.UDPIdleTimeout", "30s", SCOPE_NONE, false},
	{"Userspace.TCPIdleTimeout", "24h", SCOPE_NONE, false},
	{"Userspace.HalfCloseTimeout", "1h", SCOPE_NONE, false},
	{"Userspace.MaxConnections", "0", SCOPE_NONE, false},
	{"Userspace.MaxConnectionsPerService", "0", SCOPE_NONE, false},
	{"Userspace.MaxUDPSessions", "0", SCOPE_NONE, false},
	{"Userspace.Workers", "0", SCOPE_MODE, false},
	{"Conntrack.MaxPerCore", "32768", SCOPE_SYSCTL, false},
	{"Conntrack.Min", "131072", SCOPE_SYSCTL, false},
	{"Conntrack.TCPEstablishedTimeout", "24h", SCOPE_SYSCTL, false},
	{"Conntrack.TCPCloseWaitTimeout", "1h", SCOPE_SYSCTL, false},
	{"Conntrack.TCPBeLiberal", "no", SCOPE_SYSCTL, false},
	{"Conntrack.UDPTimeout", "0s", SCOPE_SYSCTL, false},
	{"Conntrack.UDPStreamTimeout", "0s", SCOPE_SYSCTL, false},
	{"Health.HealthzBindAddress", "0.0.0.0:10256", SCOPE_LISTEN, false},
	{"Health.MetricsBindAddress", "127.0.0.1:10249", SCOPE_LISTEN, false},
	{"Health.BindHardFail", "no", SCOPE_NONE, false},
	{"Health.CheckInterval", "5s", SCOPE_SYNC, false},
	{"Health.CheckTimeout", "2s", SCOPE_SYNC, false},
	{"Health.CheckRise", "2", SCOPE_SYNC, false},
	{"Health.CheckFall", "3", SCOPE_SYNC, false},
	{"Log.Level", "info", SCOPE_NONE, false},
};

static void test_defaults(void **state)
{
	_cleanup_settings_ struct settings s;

	(void)state;
	assert_int_equal(settings_init(&s), 0);
	assert_int_equal(n_setting_rows, ELEMENTSOF(defaults));
	for (size_t i = 0; i < n_setting_rows; i++) {
		const struct setting_row *row = row_named(defaults[i].name);

		assert_ptr_equal(row, &setting_rows[i]);
		assert_string_equal(row->default_text, defaults[i].text);
		assert_int_equal(row->scope, defaults[i].scope);
		assert_int_equal(row->list, defaults[i].list);
		assert_prints(&s, defaults[i].name, defaults[i].text);
		/* Writing a default down changes nothing. */
		if (defaults[i].text[0] != '\0')
			set(&s, defaults[i].name, defaults[i].text);
		assert_prints(&s, defaults[i].name, defaults[i].text);
	}
}

/* What each setting must refuse, whatever its type. */
static void test_hostile_values(void **state)
{
	static const char *const values[] = {
		"\x01",
		"\x7f",
		"a\nb",
		"\xff\xfe",
		"\"yes\"",
		"'yes'",
		"yes # comment",
		"#",
		"%n",
		"../..",
		"$(reboot)",
		"a;b",
		"=",
		"[Proxy]",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_",
	};

	(void)state;
	for (size_t i = 0; i < n_setting_rows; i++) {
		for (size_t j = 0; j < ELEMENTSOF(values); j++) {
			_cleanup_settings_ struct settings s;
			char name[64];

			assert_int_equal(settings_init(&s), 0);
			snprintf(name, sizeof(name), "%s.%s", setting_rows[i].section,
				 setting_rows[i].key);
			assert_refused(&s, name, values[j], NULL);
		}
	}
}

/* Texts for people: the man page and completion are made of them. */
static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_setting_rows; i++) {
		const struct setting_row *row = &setting_rows[i];
		size_t n = strlen(row->help);

		assert_true(n > 10 && n < 110);
		assert_int_equal(row->help[n - 1], '.');
		assert_true(text_is_utf8(row->help, n));
		assert_true(strlen(row->type) > 0);
		for (size_t j = 0; row->names && row->names[j]; j++)
			assert_non_null(strstr(row->type, row->names[j]));
		for (size_t j = 0; j < i; j++)
			assert_false(streq(setting_rows[j].section, row->section) &&
				     streq(setting_rows[j].key, row->key));
		/* Rows of a section stand together. */
		if (i > 0 && !streq(setting_rows[i - 1].section, row->section))
			for (size_t j = 0; j < i; j++)
				assert_string_not_equal(setting_rows[j].section, row->section);
	}
}

static void test_modes(void **state)
{
	(void)state;
	assert_string_equal(svc_mode_text(MODE_IPTABLES), "iptables");
	assert_string_equal(svc_mode_text(MODE_IPVS), "ipvs");
	assert_string_equal(svc_mode_text(MODE_NFTABLES), "nftables");
	assert_string_equal(svc_mode_text(MODE_USERSPACE), "userspace");
	assert_string_equal(svc_mode_text(_MODE_MAX), "unknown");
	assert_true(svc_mode_built(MODE_IPTABLES));
	assert_false(svc_mode_built(_MODE_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_hostile_values),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
