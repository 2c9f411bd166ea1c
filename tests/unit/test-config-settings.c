/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-config.h"

static const struct settings *in_force(const struct bench *b)
{
	return &b->world->settings->s;
}

static void test_settings_refused(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, S, "[Sync]\nSyncPeriod=20s\n[Proxy]\nNoSuch=1\n");
	put(&b, SD "a.conf", "[Sync]\nMinSyncPeriod=2s\n");
	look(&b);
	/* at a start a bad file is left out */
	assert_services(&b, "-", 1);
	assert_int_equal(in_force(&b)->sync_period, 30000000);
	assert_int_equal(in_force(&b)->min_sync_period, 2000000);
	assert_int_equal(config_problems(b.config)->n_errors, 1);

	put(&b, S, "[Sync]\nSyncPeriod=20s\n[Proxy]\nClusterCIDR=10.0.0.0/8 11.0.0.0/8\n");
	look_at(&b, CONFIG_SETTINGS, "svcroute.conf");
	assert_services(&b, "-", 0);
	assert_int_equal(in_force(&b)->sync_period, 20000000);
	assert_int_equal(config_problems(b.config)->n_warnings, 1);

	/* later its last good content stays, while the other file is taken */
	put(&b, S, "[Sync]\nSyncPeriod=tomorrow\n");
	put(&b, SD "a.conf", "[Sync]\nMinSyncPeriod=3s\n");
	look(&b);
	assert_services(&b, "-", 1);
	assert_int_equal(in_force(&b)->sync_period, 20000000);
	assert_int_equal(in_force(&b)->min_sync_period, 3000000);
	assert_problems(&b,
			"/" S
			":2:12: error: Sync.SyncPeriod 'tomorrow': must be a span of time such as "
			"30s, 250ms, 1h30m or '1min 30s'\n"
			"/" S ":4:13: warning: Proxy.ClusterCIDR '11.0.0.0/8': is not used: only "
			"the first IPv4 prefix is, 10.0.0.0/8\n");
	tear_down(&b);
}

static void test_settings_gone(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, SD "a.conf", "[Sync]\nMinSyncPeriod=40s\n");
	put(&b, SD "b.conf", "[Sync]\nSyncPeriod=60s\n");
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	look(&b);
	assert_services(&b, "x:30001", 0);

	/* One of two that need each other goes: there is nothing to go back to but what is in
	 * force. */
	take(&b, SD "b.conf");
	put(&b, D "b.cfg", SERVICE("y", "2", "30002"));
	look(&b);
	assert_services(&b, "x:30001 y:30002", 1);
	assert_int_equal(in_force(&b)->sync_period, 60000000);
	assert_int_equal(in_force(&b)->min_sync_period, 40000000);
	for (size_t i = 0; i < n_setting_rows; i++)
		if (streq(setting_rows[i].key, "SyncPeriod"))
			assert_string_equal(config_origin(b.config)->places[i].file +
						    strlen(b.root.path),
					    "/" SD "b.conf");
	look(&b);
	assert_services(&b, "x:30001 y:30002", 1);
	assert_int_equal(config_problems(b.config)->n_errors, 1);
	put(&b, SD "b.conf", "[Sync]\nSyncPeriod=70s\n");
	look(&b);
	assert_services(&b, "x:30001 y:30002", 0);
	assert_int_equal(in_force(&b)->sync_period, 70000000);
	assert_problems(&b, "");
	tear_down(&b);
}

static void test_mode_not_built(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	put(&b, S, "[Proxy]\nMode=nftables\n");
	for (int i = 0; i < 2; i++) {
		look_in_vain(&b, -EOPNOTSUPP);
		assert_problems(&b,
				"/" S ":2:6: error: Proxy.Mode 'nftables': mode not in this build "
				"(this build has the modes iptables and ipvs)\n");
	}
	put(&b, S, "[Proxy]\nMode=iptables\n");
	look(&b);
	assert_services(&b, "x:30001", 0);
	assert_problems(&b, "");

	/* With settings in force the file is bad like any other. */
	put(&b, S, "[Proxy]\nMode=nftables\n[Log]\nLevel=debug\n");
	put(&b, D "b.cfg", SERVICE("y", "2", "30002"));
	look(&b);
	assert_services(&b, "x:30001 y:30002", 1);
	put(&b, S, "");
	put(&b, SD "mode.conf", "[Proxy]\nMode=nftables\n");
	look(&b);
	assert_services(&b, "x:30001 y:30002", 1);
	assert_int_equal(config_problems(b.config)->n_errors, 1);
	take(&b, SD "mode.conf");
	look(&b);
	assert_services(&b, "x:30001 y:30002", 0);
	tear_down(&b);
}

/* Settings that services are judged by: all are looked at again. */
static void test_settings_recheck(void **state)
{
	struct service *x;
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	put(&b, D "b.cfg", SERVICE("y", "2", "31001"));
	put(&b, D "c.cfg", SERVICE("z", "3", "20001"));
	look(&b);
	assert_services(&b, "x:30001 y:31001", 1);
	x = world_find(b.world, "default/x");
	put(&b, S, "[Proxy]\nServiceNodePortRange=31000-31999\n");
	look_at(&b, CONFIG_SETTINGS, "svcroute.conf");
	assert_services(&b, "x:30001 y:31001", 2); /* x is out of the range, and stays */
	assert_ptr_equal(world_find(b.world, "default/x"), x);
	put(&b, S, "[Proxy]\nServiceNodePortRange=20000-32000\n");
	look_at(&b, CONFIG_SETTINGS, "svcroute.conf");
	assert_services(&b, "x:30001 y:31001 z:20001", 0);
	put(&b, S, "[Proxy]\nServiceNodePortRange=20000-32000\nServiceCIDR=10.9.0.0/16\n");
	look_at(&b, CONFIG_SETTINGS, "svcroute.conf");
	assert_services(&b, "x:30001 y:31001 z:20001", 3);
	take(&b, S);
	look(&b);
	assert_services(&b, "x:30001 y:31001 z:20001", 1);
	tear_down(&b);
}

/* What was refused at one time does not push out what is in force when all is looked at again. */
static void test_recheck_and_clashes(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "b.cfg", SERVICE("b", "2", "30001"));
	look(&b);
	put(&b, D "a.cfg", SERVICE("a", "1", "30001"));
	look(&b);
	assert_services(&b, "b:30001", 1);
	put(&b, S, "[Proxy]\nServiceNodePortRange=20000-32000\n");
	look(&b);
	assert_services(&b, "b:30001", 1);
	tear_down(&b);
}

/* X10: settings that want the node port of a service in force are what gives way; against files
 * that come later they win. */
static void test_ports_of_the_daemon(void **state)
{
#define WANTS(port) "[Health]\nHealthzBindAddress=0.0.0.0:" port "\n"
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, S, "[Sync]\nSyncPeriod=20s\n");
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	look(&b);
	assert_services(&b, "x:30001", 0);
	put(&b, S, WANTS("30001") "[Sync]\nSyncPeriod=40s\n");
	look(&b);
	assert_services(&b, "x:30001", 1);
	assert_int_equal(in_force(&b)->sync_period, 20000000);
	assert_problems(&b, "/" S ":2:20: error: Health.HealthzBindAddress '0.0.0.0:30001': its "
			    "port is the ports[0].nodePort of service 'default/x' at /" D
			    "a.cfg:1:83 (choose "
			    "another port for one of the two)\n");
	/* The service goes elsewhere: the settings come into force with the next look. */
	put(&b, D "a.cfg", SERVICE("x", "1", "30002"));
	look(&b);
	look(&b);
	assert_services(&b, "x:30002", 0);
	assert_int_equal(in_force(&b)->sync_period, 40000000);
	assert_problems(&b, "");
	/* Now the port is theirs. */
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	look(&b);
	assert_services(&b, "x:30002", 1);
	assert_problems(
		&b, "/" D
		    "a.cfg:1:83: error: services[0].ports[0].nodePort '30001/TCP': is the port of "
		    "HealthzBindAddress= in the section [Health] of the settings (choose "
		    "another port for one of the two)\n");
	put(&b, S, "");
	look(&b);
	assert_services(&b, "x:30001", 0);
	tear_down(&b);

	/* At a start there is nothing in force. */
	set_up(&b);
	put(&b, S, WANTS("30001"));
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	put(&b, D "b.cfg", SERVICE("y", "2", "30002"));
	look(&b);
	assert_services(&b, "y:30002", 1);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings_refused),
		cmocka_unit_test(test_settings_gone),
		cmocka_unit_test(test_mode_not_built),
		cmocka_unit_test(test_settings_recheck),
		cmocka_unit_test(test_recheck_and_clashes),
		cmocka_unit_test(test_ports_of_the_daemon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
