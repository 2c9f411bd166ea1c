/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-settings.h"

#include <stdio.h>

#include "base/num.h"

/* Places such as a reader makes them: each setting in a line of its own. */
#define FILE_NAME "svcroute.conf"

struct assignment {
	const char *name, *value;
};

struct finish_row {
	const char *title;
	struct assignment set[4]; /* in this order */
	const char *host_name;
	int result;
	/* The one message, or NULL */
	const char *field;
	const char *say;
	int line; /* 1 for the first of set, 0 for none */
};

static const struct finish_row rows[] = {
	{"defaults", {{0}}, "node-1", 0, NULL, NULL, 0},
	{"host name with capitals", {{0}}, " Node-1 ", 0, NULL, NULL, 0},
	{"host name not a name", {{0}}, "my_host", -EBADMSG, "Proxy.NodeName", "my_host", 0},
	{"no host name", {{0}}, "", -EBADMSG, "Proxy.NodeName", "NodeName=", 0},
	{"no host name at all", {{0}}, NULL, -EBADMSG, "Proxy.NodeName", "NodeName=", 0},
	{"bad host name, good setting", {{"Proxy.NodeName", "a"}}, "my_host", 0, NULL, NULL, 0},
	{"NodeCIDR missing",
	 {{"Proxy.Zone", "a"}, {"Proxy.DetectLocalMode", "NodeCIDR"}},
	 "h",
	 -EBADMSG,
	 "Proxy.NodeCIDR",
	 "DetectLocalMode=NodeCIDR",
	 2},
	{"NodeCIDR emptied",
	 {{"Proxy.DetectLocalMode", "NodeCIDR"},
	  {"Proxy.NodeCIDR", "10.0.0.0/8"},
	  {"Proxy.NodeCIDR", ""}},
	 "h",
	 -EBADMSG,
	 "Proxy.NodeCIDR",
	 NULL,
	 1},
	{"NodeCIDR there",
	 {{"Proxy.DetectLocalMode", "NodeCIDR"}, {"Proxy.NodeCIDR", "10.0.0.0/8"}},
	 "h",
	 0,
	 NULL,
	 NULL,
	 0},
	{"BridgeInterface missing",
	 {{"Proxy.DetectLocalMode", "BridgeInterface"}},
	 "h",
	 -EBADMSG,
	 "Proxy.BridgeInterface",
	 NULL,
	 1},
	{"BridgeInterface there",
	 {{"Proxy.DetectLocalMode", "BridgeInterface"}, {"Proxy.BridgeInterface", "cni0"}},
	 "h",
	 0,
	 NULL,
	 NULL,
	 0},
	{"InterfaceNamePrefix missing",
	 {{"Proxy.DetectLocalMode", "InterfaceNamePrefix"}, {"Proxy.BridgeInterface", "cni0"}},
	 "h",
	 -EBADMSG,
	 "Proxy.InterfaceNamePrefix",
	 NULL,
	 1},
	{"None needs nothing", {{"Proxy.DetectLocalMode", "None"}}, "h", 0, NULL, NULL, 0},
	{"one prefix per family",
	 {{"Proxy.ClusterCIDR", "10.1.0.0/16,fd00::/64"}},
	 "h",
	 0,
	 NULL,
	 NULL,
	 0},
	{"two prefixes of a family",
	 {{"Proxy.ClusterCIDR", "10.1.0.0/16"}, {"Proxy.ClusterCIDR", "fd00::/64 10.2.0.0/16"}},
	 "h",
	 0,
	 "Proxy.ClusterCIDR",
	 "only the first IPv4 prefix is, 10.1.0.0/16",
	 2},
	{"two node prefixes of a family",
	 {{"Proxy.NodeCIDR", "fd00::/64 fd01::/64"}},
	 "h",
	 0,
	 "Proxy.NodeCIDR",
	 "first IPv6",
	 1},
	{"MinSyncPeriod over SyncPeriod",
	 {{"Sync.SyncPeriod", "10s"}, {"Sync.MinSyncPeriod", "20s"}},
	 "h",
	 -EBADMSG,
	 "Sync.SyncPeriod",
	 "20s",
	 1},
	{"equal periods",
	 {{"Sync.SyncPeriod", "20s"}, {"Sync.MinSyncPeriod", "20s"}},
	 "h",
	 0,
	 NULL,
	 NULL,
	 0},
	{"MinSyncPeriod over the default",
	 {{"Sync.MinSyncPeriod", "31s"}},
	 "h",
	 -EBADMSG,
	 "Sync.SyncPeriod",
	 "31s",
	 1},
	{"SyncPeriod below the default",
	 {{"Sync.SyncPeriod", "999ms"}},
	 "h",
	 -EBADMSG,
	 "Sync.SyncPeriod",
	 "1s",
	 1},
	{"the same in ipvs mode",
	 {{"Sync.SyncPeriod", "999ms"}, {"Proxy.Mode", "ipvs"}},
	 "h",
	 0,
	 NULL,
	 NULL,
	 0},
	/* Refused elsewhere: here a mode is as good as another. */
	{"a mode not built", {{"Proxy.Mode", "userspace"}}, "h", 0, NULL, NULL, 0},
};

static void make(const struct finish_row *row, struct settings *s, struct place *places)
{
	assert_int_equal(settings_init(s), 0);
	for (size_t i = 0; i < ELEMENTSOF(row->set) && row->set[i].name; i++) {
		set(s, row->set[i].name, row->set[i].value);
		places[row_named(row->set[i].name) - setting_rows] = (struct place){
			.file = FILE_NAME,
			.line = (int)i + 1,
			.column = 7,
		};
	}
}

static void check_message(const struct finish_row *row, const struct diags *d)
{
	const struct diag *m = d->items;

	if (!row->field) {
		assert_int_equal(d->n, 0);
		return;
	}
	assert_int_equal(d->n, 1);
	assert_int_equal(m->severity, row->result < 0 ? DIAG_ERROR : DIAG_WARNING);
	assert_string_equal(m->field, row->field);
	assert_int_equal(m->line, row->line);
	if (row->line > 0)
		assert_string_equal(m->file, FILE_NAME);
	if (row->say && !strstr(m->reason, row->say) && !(m->hint && strstr(m->hint, row->say)) &&
	    !(m->value && strstr(m->value, row->say)))
		fail_msg("%s: %s", row->title, m->reason);
}

static void test_finish(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_free_ struct place *places = calloc(n_setting_rows, sizeof(*places));
		struct settings_origin origin = {.places = places};
		_cleanup_settings_ struct settings s;
		_cleanup_diags_ struct diags d = {0};
		struct settings before;
		int r;

		assert_non_null(places);
		make(&rows[i], &s, places);
		memcpy(&before, &s, sizeof(s));
		r = settings_finish(&s, rows[i].host_name, &origin, &d);
		if (r != rows[i].result)
			fail_msg("%s: %d", rows[i].title, r);
		check_message(&rows[i], &d);
		if (r < 0)
			assert_memory_equal(&before, &s, sizeof(s));
		else
			assert_true(s.node_name[0] != '\0');
	}
}

/* Each prefix is told of in its line, as far as lines are known. */
static void test_prefix_places(void **state)
{
	_cleanup_free_ struct place *places = calloc(n_setting_rows, sizeof(*places));
	struct settings_origin origin = {.places = places};
	_cleanup_settings_ struct settings s;
	_cleanup_diags_ struct diags d = {0};
	char text[32];

	(void)state;
	assert_non_null(places);
	assert_int_equal(settings_init(&s), 0);
	for (int i = 0; i < ORIGIN_PREFIXES_MAX + 2; i++) {
		(void)snprintf(text, sizeof(text), "10.%d.0.0/16", i);
		set(&s, "Proxy.NodeCIDR", text);
		if (i < ORIGIN_PREFIXES_MAX && i != 2)
			origin.prefixes[ORIGIN_NODE_CIDR][i] = (struct place){"conf", i + 1, 5};
	}
	places[row_named("Proxy.NodeCIDR") - setting_rows] = (struct place){"conf", 99, 5};
	assert_int_equal(settings_finish(&s, "h", &origin, &d), 0);
	assert_int_equal(d.n, ORIGIN_PREFIXES_MAX + 1);
	for (size_t i = 0; i < d.n; i++) {
		bool known = i + 1 < ORIGIN_PREFIXES_MAX && i != 1;

		assert_int_equal(d.items[i].line, known ? (int)i + 2 : 99);
		assert_string_equal(d.items[i].field, "Proxy.NodeCIDR");
	}
}

static void test_node_name(void **state)
{
	_cleanup_settings_ struct settings s;
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	assert_int_equal(settings_init(&s), 0);
	assert_int_equal(settings_finish(&s, "\tRouter.LAN ", NULL, &d), 0);
	assert_string_equal(s.node_name, "router.lan");
	/* NodeName= goes before the host name. */
	set(&s, "Proxy.NodeName", "Other");
	assert_int_equal(settings_finish(&s, "router", NULL, &d), 0);
	assert_string_equal(s.node_name, "other");
}

static void test_min_sync_period(void **state)
{
	static const struct {
		const char *mode, *given;
		uint64_t expected;
	} modes[] = {
		{"iptables", NULL, USEC_PER_SEC},
		{"ipvs", NULL, 0},
		{"nftables", NULL, USEC_PER_SEC},
		{"userspace", NULL, USEC_PER_SEC},
		{"ipvs", "1s", USEC_PER_SEC},
		{"ipvs", "3s", 3 * USEC_PER_SEC},
		{"iptables", "0s", 0},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(modes); i++) {
		_cleanup_settings_ struct settings s;
		_cleanup_diags_ struct diags d = {0};

		assert_int_equal(settings_init(&s), 0);
		set(&s, "Proxy.Mode", modes[i].mode);
		if (modes[i].given)
			set(&s, "Sync.MinSyncPeriod", modes[i].given);
		assert_int_equal(settings_finish(&s, "h", NULL, &d), 0);
		assert_true(s.min_sync_period == modes[i].expected);
	}
}

/* Errors that were in the list before are not ours; all errors are told, not only the first. */
static void test_messages_add_up(void **state)
{
	_cleanup_settings_ struct settings s;
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	assert_int_equal(settings_init(&s), 0);
	diags_add(&d, DIAG_ERROR, NULL, NULL, "x", NULL, NULL, "is wrong");
	assert_int_equal(settings_finish(&s, "h", NULL, &d), 0);
	set(&s, "Proxy.DetectLocalMode", "NodeCIDR");
	set(&s, "Sync.SyncPeriod", "1ms");
	assert_int_equal(settings_finish(&s, "h", NULL, &d), -EBADMSG);
	assert_int_equal(d.n_errors, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finish),		cmocka_unit_test(test_prefix_places),
		cmocka_unit_test(test_node_name),	cmocka_unit_test(test_min_sync_period),
		cmocka_unit_test(test_messages_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
