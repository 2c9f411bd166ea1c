/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-cast.h"
#include "make-namespace.h"

#include <errno.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>

#include "backend/backend.h"
#include "base/log.h"

/* The backend against the kernel, in both variants. */

struct rig {
	sd_event *event;
	struct backend *backend;
	struct sync_result result;
	char *message;
	bool done;
};

static void rig_open(struct rig *g)
{
	*g = (struct rig){0};
	assert_int_equal(sd_event_new(&g->event), 0);
	assert_int_equal(iptables_backend_new(g->event, &g->backend), 0);
	assert_non_null(g->backend);
}

static void rig_close(struct rig *g)
{
	assert_null(g->backend->ops->free(g->backend));
	sd_event_unref(g->event);
	free(g->message);
}

static void on_done(struct backend *b, const struct sync_result *result, void *userdata)
{
	struct rig *g = userdata;

	assert_ptr_equal(b, g->backend);
	assert_false(g->done);
	g->done = true;
	g->result = *result;
	free(g->message);
	g->message = result->message ? strdup(result->message) : NULL;
}

static void sync_view(struct rig *g, const struct view *v, bool full)
{
	g->done = false;
	assert_int_equal(g->backend->ops->sync(g->backend, v, full, on_done, g), 0);
	assert_false(g->done);
	assert_int_equal(g->backend->ops->sync(g->backend, v, full, on_done, g), -EBUSY);
	while (!g->done)
		assert_true(sd_event_run(g->event, UINT64_MAX) >= 0);
}

static void sync_cast(struct rig *g, const struct cast *c, bool full)
{
	struct view v = cast_view(c);

	sync_view(g, &v, full);
	cast_view_done(&v);
	if (g->result.error != 0)
		fail_msg("sync: %s", g->message);
}

static const char *const variants[] = {"nft", "legacy"};

/* Both families, without counters and times. */
static char *dump(const char *variant)
{
	char command[400];

	(void)snprintf(command, sizeof(command),
		       "for p in iptables ip6tables; do $p-%s-save | sed '/^#/d; "
		       "s/\\[[0-9]*:[0-9]*\\]//'; done",
		       variant);
	return run_shell(command);
}

static void assert_same(const char *got, const char *wanted, const char *what)
{
	size_t i = 0;

	if (streq(got, wanted))
		return;
	while (got[i] == wanted[i])
		i++;
	while (i > 0 && got[i - 1] != '\n')
		i--;
	fail_msg("%s: got    %.*s\nwanted %.*s", what, (int)strcspn(got + i, "\n"), got + i,
		 (int)strcspn(wanted + i, "\n"), wanted + i);
}

/* What a fresh daemon on a fresh host makes of it. Leaves the program in another namespace. */
static char *fresh_dump(const struct cast *c, const char *variant)
{
	struct rig g;
	char *text;

	enter_namespace();
	rig_open(&g);
	sync_cast(&g, c, true);
	text = dump(variant);
	rig_close(&g);
	return text;
}

static bool warns(struct rig *g, const char *text)
{
	const char *const *list;
	size_t n = 99;

	list = g->backend->ops->warnings(g->backend, &n);
	for (size_t i = 0; i < n; i++)
		if (strstr(list[i], text))
			return true;
	return false;
}

/* Changes one after the other end where a fresh start does; without a change no program is started.
 */
static void test_changes(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 6; round++) {
		unsigned v = round % 2;
		struct random r = {.state = round + 11};
		char *text, *describe = NULL, *got, *wanted;
		struct cast c;
		struct rig g;

		enter_namespace();
		cast_init(&c, &r);
		c.backend = v == 0 ? IPTABLES_NFT : IPTABLES_LEGACY;
		rig_open(&g);
		sync_cast(&g, &c, true);
		assert_true(g.result.full);
		assert_true(g.result.n_rules > 20);
		assert_int_equal(g.backend->ops->describe(g.backend, &describe), 0);
		assert_string_equal(describe, v == 0 ? "iptables-nft, IPv4 and IPv6"
						     : "iptables-legacy, IPv4 and IPv6");
		free(describe);
		for (unsigned step = 0; step < 15; step++) {
			cast_change(&c, &r);
			sync_cast(&g, &c, false);
			assert_false(g.result.full);
		}
		sync_cast(&g, &c, false);
		assert_int_equal(g.result.n_chains + g.result.n_rules + g.result.n_stale, 0);
		got = dump(variants[v]);
		/* a full sync over it changes nothing that a save shows */
		sync_cast(&g, &c, true);
		assert_true(g.result.full);
		assert_int_equal(g.result.n_chains + g.result.n_rules + g.result.n_stale, 0);
		text = dump(variants[v]);
		assert_same(text, got, "full over known");
		/* neither does a daemon that knows nothing */
		rig_close(&g);
		free(text);
		rig_open(&g);
		sync_cast(&g, &c, true);
		assert_int_equal(g.result.n_chains + g.result.n_rules + g.result.n_stale, 0);
		text = dump(variants[v]);
		assert_same(text, got, "restart");
		rig_close(&g);
		free(text);
		/* without a sync nothing is looked at: the account of the partial sync holds */
		wanted = fresh_dump(&c, variants[v]);
		assert_same(got, wanted, variants[v]);
		free(got);
		free(wanted);
		cast_done(&c);
	}
}

/* Rules of all kinds are known again in what a save prints: the second full sync writes none of
 * them. */
static void test_known_again(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 8; round++) {
		unsigned v = round % 2;
		struct service_port ports[] = {
			{.name = (char *)(uintptr_t) "",
			 .protocol = SVC_TCP,
			 .port = 1,
			 .node_port = 30001},
			{.name = (char *)(uintptr_t) "u",
			 .protocol = SVC_UDP,
			 .port = 65535,
			 .node_port = 30002},
			{.name = (char *)(uintptr_t) "s",
			 .protocol = SVC_SCTP,
			 .port = 9,
			 .node_port = 30003},
		};
		struct addr_prefix ranges[] = {make_prefix("192.0.2.0/24"),
					       make_prefix("2001:db8::1/128"),
					       make_prefix("127.0.0.0/8"), make_prefix("::1/128")};
		struct lb_ip lb[] = {{.ip = make_addr("203.0.113.9")},
				     {.ip = make_addr("2001:db8:9::1")}};
		struct service_def def = {
			.key = (char *)(uintptr_t) "ns/s",
			.type = SVC_LOAD_BALANCER,
			.ports = ports,
			.n_ports = 3,
			.has_cluster_ip = {true, true},
			.cluster_ips = {make_addr("10.96.0.1"), make_addr("fd00:96::1")},
			.affinity = round & 2,
			.affinity_seconds = 86400,
			.external_local = round & 4,
			.health_check_node_port = round & 4 ? 31000 : 0,
			.source_ranges = ranges,
			.n_source_ranges = 4,
			.lb_ips = lb,
			.n_lb_ips = 2,
		};
		static const char *const addrs[] = {"127.0.0.1%lo", "192.0.2.10%eth0",
						    "2001:db8::10%eth0"};
		struct shared_settings *settings = make_settings();
		struct service *service = make_service(&def);
		struct view view;
		char *before, *after;
		struct rig g;

		for (unsigned i = 0; i < 180; i++) {
			char text[64];

			(void)snprintf(text, sizeof(text), "10.1.0.%u:80 r @node-1", i + 1);
			give_endpoint(service, 0, text);
			(void)snprintf(text, sizeof(text), "[fd00:1::%x]:80 r @node-1", i + 1);
			give_endpoint(service, 0, text);
		}
		give_endpoint(service, 2, "10.1.0.1:9 r");
		settings->s.iptables_backend = v == 0 ? IPTABLES_NFT : IPTABLES_LEGACY;
		settings->s.detect_local = round & 2 ? DETECT_BRIDGE_INTERFACE
						     : DETECT_INTERFACE_NAME_PREFIX;
		replace_text(&settings->s.bridge_interface, "cni0");
		replace_text(&settings->s.interface_name_prefix, "veth");
		settings->s.iptables_masquerade_bit = round & 4 ? 31 : 0;
		if (round & 4) {
			settings->s.node_port_addresses.given = true;
			add_prefix(&settings->s.node_port_addresses.prefixes, "192.0.2.0/24");
			add_prefix(&settings->s.node_port_addresses.prefixes, "2001:db8::/64");
		}
		view.world = make_world(settings, &service, 1);
		view.addrs = make_addrs(addrs, ELEMENTSOF(addrs), "192.0.2.10", "2001:db8::10");

		enter_namespace();
		rig_open(&g);
		sync_view(&g, &view, true);
		if (g.result.error)
			fail_msg("%s", g.message);
		assert_true(g.result.n_rules > 1000);
		before = dump(variants[v]);
		sync_view(&g, &view, true);
		assert_int_equal(g.result.error, 0);
		if (g.result.n_chains + g.result.n_rules + g.result.n_stale > 0)
			fail_msg("round %u: %zu chains written again", round, g.result.n_chains);
		after = dump(variants[v]);
		assert_same(after, before, "again");
		free(before);
		free(after);
		rig_close(&g);
		cast_view_done(&view);
	}
}

/* Something foreign destroys a part; the next partial sync fails on it or not, the full one
 * repairs. */
static void test_repair(void **state)
{
	static const char *const damages[] = {
		"iptables-$v -t nat -F; iptables-$v -t nat -X",
		"iptables-$v -F; iptables-$v -X",
		"iptables-$v -t nat -D PREROUTING 1",
		"iptables-$v -t nat -F KUBE-SERVICES",
		"ip6tables-$v -t nat -F KUBE-MARK-MASQ",
		"iptables-$v -A KUBE-FORWARD -j ACCEPT",
		"iptables-$v -t nat -N KUBE-SVC-AAAAAAAAAAAAAAAA",
	};

	(void)state;
	for (unsigned v = 0; v < ELEMENTSOF(variants); v++) {
		struct random r = {.state = v + 5};
		char *before, *after, command[200];
		struct cast c;
		struct rig g;

		enter_namespace();
		cast_init(&c, &r);
		c.backend = v == 0 ? IPTABLES_NFT : IPTABLES_LEGACY;
		rig_open(&g);
		sync_cast(&g, &c, true);
		before = dump(variants[v]);
		for (size_t i = 0; i < ELEMENTSOF(damages); i++) {
			(void)snprintf(command, sizeof(command), "v=%s; %s", variants[v],
				       damages[i]);
			do_shell(command);
			sync_cast(&g, &c, true);
			after = dump(variants[v]);
			assert_same(after, before, command);
			free(after);
		}
		free(before);
		rig_close(&g);
		cast_done(&c);
	}
}

/* A partial sync that meets a host that is not as it was left: reported, and the next one looks. */
static void test_failed_partial(void **state)
{
	(void)state;
	for (unsigned v = 0; v < ELEMENTSOF(variants); v++) {
		struct random r = {.state = v + 5};
		char *got, *wanted, command[200];
		struct cast c;
		struct rig g;
		struct view view;

		enter_namespace();
		cast_init(&c, &r);
		c.backend = v == 0 ? IPTABLES_NFT : IPTABLES_LEGACY;
		rig_open(&g);
		sync_cast(&g, &c, true);
		(void)snprintf(command, sizeof(command),
			       "iptables-%s -t nat -F; iptables-%s -t nat -X", variants[v],
			       variants[v]);
		do_shell(command);
		for (unsigned i = 0; i < MAX_SERVICES; i++)
			c.services[i] = service_unref(c.services[i]);
		view = cast_view(&c);
		sync_view(&g, &view, false);
		/* Rules to delete were not there. */
		if (g.result.error ==
		    0) /* then because it was tried again with a look at the kernel */
			assert_true(g.result.full);
		else {
			assert_int_equal(g.result.error, -EIO);
			(void)snprintf(command, sizeof(command),
				       "iptables-%s-restore: exit status ", variants[v]);
			assert_non_null(strstr(g.message, command));
			sync_view(&g, &view, false);
			assert_int_equal(g.result.error, 0);
			assert_true(g.result.full);
		}
		cast_view_done(&view);
		got = dump(variants[v]);
		wanted = fresh_dump(&c, variants[v]);
		assert_same(got, wanted, variants[v]);
		free(got);
		free(wanted);
		rig_close(&g);
		cast_done(&c);
	}
}

/* A foreign rule points at a chain of ours that goes: everything else gets in (W2). */
static void test_held_chain(void **state)
{
	(void)state;
	for (unsigned v = 0; v < ELEMENTSOF(variants); v++) {
		struct random r = {.state = v + 5};
		char *got, command[300];
		struct cast c;
		struct rig g;

		enter_namespace();
		cast_init(&c, &r);
		c.backend = v == 0 ? IPTABLES_NFT : IPTABLES_LEGACY;
		rig_open(&g);
		sync_cast(&g, &c, true);
		(void)snprintf(
			command, sizeof(command),
			"c=$(iptables-%s-save -t nat | sed -n 's/^:\\(KUBE-SVC-[A-Z0-9]*\\) "
			".*/\\1/p' | "
			"head -n 1); iptables-%s -t nat -A PREROUTING -p 99 -j $c && printf %%s $c",
			variants[v], variants[v]);
		got = run_shell(command);
		assert_int_equal(strlen(got), strlen("KUBE-SVC-AAAAAAAAAAAAAAAA"));
		for (unsigned i = 0; i < MAX_SERVICES; i++)
			c.services[i] = service_unref(c.services[i]);
		sync_cast(&g, &c, false);
		assert_true(warns(&g, got));
		assert_true(warns(&g, "-p 99"));
		free(got);
		(void)snprintf(command, sizeof(command),
			       "iptables-%s-save -t nat | grep -c '^:KUBE-S[VE][CLP]-'",
			       variants[v]);
		got = run_shell(command);
		assert_string_equal(got, "1\n");
		free(got);
		(void)snprintf(command, sizeof(command),
			       "iptables-%s -t nat -D PREROUTING -p 99 -j $(iptables-%s-save -t "
			       "nat | sed -n 's/^:\\(KUBE-SVC-[A-Z0-9]*\\) .*/\\1/p')",
			       variants[v], variants[v]);
		do_shell(command);
		sync_cast(&g, &c, true);
		assert_false(warns(&g, "-p 99"));
		(void)snprintf(
			command, sizeof(command),
			"iptables-%s-save -t nat | grep -c '^:KUBE-S[VE][CLP]-' || :", variants[v]);
		got = run_shell(command);
		assert_string_equal(got, "0\n");
		free(got);
		rig_close(&g);
		cast_done(&c);
	}
}

/* The variant by what others use (C35). */
static void test_variant(void **state)
{
	static const struct {
		const char *before;
		enum iptables_backend setting;
		const char *wanted;
		bool legacy_tables;  /* there afterwards */
		const char *warning; /* NULL: none */
	} cases[] = {
		{":", IPTABLES_AUTO, "iptables-nft", false, NULL},
		{"iptables-nft -A INPUT -p 99", IPTABLES_AUTO, "iptables-nft", false, NULL},
		{"iptables-legacy -A INPUT -p 99", IPTABLES_AUTO, "iptables-legacy", true, NULL},
		{"ip6tables-legacy -t mangle -A INPUT -p 99", IPTABLES_AUTO, "iptables-legacy",
		 true, NULL},
		{"iptables-legacy -t raw -A OUTPUT -p 99", IPTABLES_AUTO, "iptables-legacy", true,
		 NULL},
		{"iptables-legacy -P FORWARD DROP", IPTABLES_AUTO, "iptables-legacy", true, NULL},
		/* looked at, but empty */
		{"iptables-legacy -t nat -S", IPTABLES_AUTO, "iptables-nft", true, NULL},
		{"iptables-legacy -A INPUT -p 99; iptables-nft -A INPUT -p 99", IPTABLES_AUTO,
		 "iptables-nft", true, "both iptables-nft and iptables-legacy"},
		{"iptables-legacy -A INPUT -p 99; iptables-nft -A INPUT -p 99", IPTABLES_LEGACY,
		 "iptables-legacy", true, "both iptables-nft and iptables-legacy"},
		{"iptables-legacy -A INPUT -p 99", IPTABLES_NFT, "iptables-nft", true, NULL},
		{"nft add table inet mine", IPTABLES_LEGACY, "iptables-legacy", true, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		struct random r = {.state = i};
		char *describe = NULL, *tables;
		struct cast c;
		struct rig g;
		size_t n;

		enter_namespace();
		cast_init(&c, &r);
		c.backend = cases[i].setting;
		do_shell(cases[i].before);
		rig_open(&g);
		sync_cast(&g, &c, true);
		assert_int_equal(g.backend->ops->describe(g.backend, &describe), 0);
		if (strncmp(describe, cases[i].wanted, strlen(cases[i].wanted)) != 0)
			fail_msg("%s: %s", cases[i].before, describe);
		free(describe);
		tables = run_shell("cat /proc/net/ip_tables_names /proc/net/ip6_tables_names");
		assert_int_equal(tables[0] != '\0', cases[i].legacy_tables);
		free(tables);
		(void)g.backend->ops->warnings(g.backend, &n);
		assert_int_equal(n, cases[i].warning ? 1 : 0);
		if (cases[i].warning)
			assert_true(warns(&g, cases[i].warning));
		rig_close(&g);
		cast_done(&c);
	}
}

/* Own rules of an earlier run in the other variant go, also after the setting changed. */
static void test_other_variant(void **state)
{
	static const struct {
		enum iptables_backend from, to;
		const char *old, *new;
	} cases[] = {
		{IPTABLES_LEGACY, IPTABLES_NFT, "legacy", "nft"},
		{IPTABLES_NFT, IPTABLES_LEGACY, "nft", "legacy"},
		{IPTABLES_LEGACY, IPTABLES_AUTO, "legacy", "nft"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases) * 2; i++) {
		bool restart = i % 2;
		struct random r = {.state = i};
		char *got, *wanted;
		struct cast c;
		struct rig g;

		enter_namespace();
		cast_init(&c, &r);
		c.backend = cases[i / 2].from;
		rig_open(&g);
		sync_cast(&g, &c, true);
		if (restart) {
			rig_close(&g);
			rig_open(&g);
		}
		c.backend = cases[i / 2].to;
		sync_cast(&g, &c, restart);
		assert_true(g.result.full);
		assert_true(warns(&g, "rules of ours were found in iptables-"));
		got = dump(cases[i / 2].old);
		assert_null(strstr(got, "KUBE-"));
		free(got);
		got = dump(cases[i / 2].new);
		rig_close(&g);
		wanted = fresh_dump(&c, cases[i / 2].new);
		assert_same(got, wanted, "moved");
		free(got);
		free(wanted);
		cast_done(&c);
	}
}

/* Ten times with and without rules of others; then clean-up, by the command and by the script. */
static void test_cleanup(void **state)
{
	static const char foreign[] = "for i in iptables ip6tables; do for v in nft legacy; do "
				      "p=$i-$v; $p -A INPUT -p 99 -j ACCEPT;"
				      "$p -N KUBE-MINE; $p -A FORWARD -j KUBE-MINE; $p -t nat -N "
				      "MINE; $p -t nat -A OUTPUT -j MINE; done; done";

	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		const char *variant = variants[round % 2];
		char *before[2], *after, *message = NULL;
		struct random r = {.state = round + 21};
		struct cast c;
		struct rig g;

		enter_namespace();
		cast_init(&c, &r);
		c.backend = round % 2 ? IPTABLES_LEGACY : IPTABLES_NFT;
		do_shell(foreign);
		for (unsigned v = 0; v < 2; v++)
			before[v] = dump(variants[v]);
		rig_open(&g);
		for (unsigned i = 0; i < 5; i++)
			sync_cast(&g, &c, true);
		rig_close(&g);
		after = dump(variant);
		assert_non_null(strstr(after, "KUBE-SVC-"));
		free(after);
		for (unsigned times = 0; times < 2; times++) {
			if (round < 2) {
				if (iptables_backend_cleanup(&message) != 0)
					fail_msg("clean-up: %s", message);
			} else {
				struct strbuf script = {0};
				const char *argv[] = {"sh", "-s", NULL};
				char *errors = NULL;
				struct child child;
				int status;

				assert_int_equal(
					backend_cleanup_script("/nonexistent/owned", &script), 0);
				child_init(&child);
				assert_int_equal(child_start(&child, argv, script.data, script.len),
						 0);
				status = child_wait(&child);
				assert_int_equal(child_errors(&child, &errors), 0);
				if (status != 0 || errors[0])
					fail_msg("script: status %d: %s", status, errors);
				free(errors);
				child_done(&child);
				strbuf_done(&script);
			}
			for (unsigned v = 0; v < 2; v++) {
				after = dump(variants[v]);
				assert_same(after, before[v], "after clean-up");
				free(after);
			}
		}
		for (unsigned v = 0; v < 2; v++)
			free(before[v]);
		cast_done(&c);
	}
}

/* What others point at stays, emptied, and is told; the rest goes. */
static void test_cleanup_held(void **state)
{
	(void)state;
	for (unsigned v = 0; v < ELEMENTSOF(variants); v++) {
		char *message = NULL, *after, command[200];
		struct random r = {.state = v};
		struct cast c;
		struct rig g;

		enter_namespace();
		cast_init(&c, &r);
		c.backend = v == 0 ? IPTABLES_NFT : IPTABLES_LEGACY;
		rig_open(&g);
		sync_cast(&g, &c, true);
		rig_close(&g);
		(void)snprintf(command, sizeof(command),
			       "iptables-%s -t nat -A POSTROUTING -p 99 -j KUBE-MARK-MASQ",
			       variants[v]);
		do_shell(command);
		assert_int_equal(iptables_backend_cleanup(&message), -EBUSY);
		assert_non_null(strstr(message, "KUBE-MARK-MASQ"));
		assert_non_null(strstr(message, "-p 99"));
		free(message);
		(void)snprintf(command, sizeof(command),
			       "iptables-%s-save | grep KUBE- | sed 's/ \\[.*//'", variants[v]);
		after = run_shell(command);
		assert_string_equal(after,
				    ":KUBE-MARK-MASQ -\n-A POSTROUTING -p 99 -j KUBE-MARK-MASQ\n");
		free(after);
		cast_done(&c);
	}
}

/* route_localnet is set with the rules that need it, and only then. */
static void test_route_localnet(void **state)
{
	struct random r = {.state = 1};
	struct cast c;
	struct rig g;
	char *text;

	(void)state;
	enter_namespace();
	cast_init(&c, &r);
	c.localhost_node_ports = false;
	rig_open(&g);
	sync_cast(&g, &c, true);
	text = run_shell("cat /proc/sys/net/ipv4/conf/all/route_localnet");
	assert_string_equal(text, "0\n");
	free(text);
	c.localhost_node_ports = true;
	sync_cast(&g, &c, false);
	text = run_shell("cat /proc/sys/net/ipv4/conf/all/route_localnet");
	assert_string_equal(text, "1\n");
	free(text);
	rig_close(&g);
	cast_done(&c);
}

/* A host that switched IPv6 off (C47), later on again. */
static void test_without_ipv6(void **state)
{
	struct random r = {.state = 1};
	char *describe = NULL, *text;
	struct cast c;
	struct rig g;

	(void)state;
	enter_namespace();
	do_shell("echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6");
	cast_init(&c, &r);
	rig_open(&g);
	sync_cast(&g, &c, true);
	assert_true(warns(&g, "IPv6 is off"));
	assert_int_equal(g.backend->ops->describe(g.backend, &describe), 0);
	assert_string_equal(describe, "iptables-nft, IPv4");
	free(describe);
	do_shell("echo 0 >/proc/sys/net/ipv6/conf/all/disable_ipv6");
	sync_cast(&g, &c, false);
	assert_false(warns(&g, "IPv6 is off"));
	text = run_shell("ip6tables-nft-save | grep -c KUBE-SERVICES");
	assert_true(text[0] != '0');
	free(text);
	rig_close(&g);
	cast_done(&c);
}

/* Puts a program of the given name before the real one; "" takes it away again. */
static void give_program(char folder[], const char *name, const char *script)
{
	char command[600];

	if (script[0])
		(void)snprintf(command, sizeof(command),
			       "cd %s && printf '#!/bin/sh\\n%%s\\n' '%s' >%s && chmod +x %s",
			       folder, script, name, name);
	else
		(void)snprintf(command, sizeof(command), "rm %s/%s", folder, name);
	do_shell(command);
}

struct stage_set {
	char folder[40], *path;
};

static void programs_begin(struct stage_set *p)
{
	char path[4000];

	strcpy(p->folder, "/tmp/svcroute-test-XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	p->path = strdup(getenv("PATH"));
	assert_non_null(p->path);
	(void)snprintf(path, sizeof(path), "%s:%s", p->folder, p->path);
	assert_int_equal(setenv("PATH", path, 1), 0);
}

static void programs_end(struct stage_set *p)
{
	assert_int_equal(setenv("PATH", p->path, 1), 0);
	free(p->path);
	assert_int_equal(rmdir(p->folder), 0);
}

/* Programs that fail, and what is made of it. */
static void test_failures(void **state)
{
	static const struct {
		const char *program, *script;
		int error; /* 0: none, but a warning */
		const char *text;
	} cases[] = {
		{"iptables-nft-restore", "cat >/dev/null; echo bad line >&2; echo more >&2; exit 2",
		 -EIO, "iptables-nft-restore: exit status 2: bad line"},
		{"iptables-nft-restore",
		 "echo \"v1.8.9 (nf_tables): \" >&2; echo \"line 3: no\" >&2; exit 4", -EIO,
		 "iptables-nft-restore: exit status 4: v1.8.9 (nf_tables): line 3: no"},
		{"iptables-nft-restore", "kill -9 $$", -EIO,
		 "iptables-nft-restore: killed by signal 9"},
		{"iptables-nft-restore",
		 "echo Another app is currently holding the xtables lock. >&2; exit 4", -EAGAIN,
		 "another program holds the xtables lock: iptables-nft-restore: exit status 4: "
		 "Another app"},
		{"ip6tables-nft-restore", "exit 1", -EIO, "ip6tables-nft-restore: exit status 1"},
		/* a host without the tables of IPv6 (C47) */
		{"ip6tables-nft-restore",
		 "echo \"ip6tables-restore: cannot initialize ip6tables table: Table does not "
		 "exist\" >&2; exit 3",
		 0, "IPv6 services are not served: ip6tables-nft-restore: exit status 3"},
	};
	struct stage_set p;

	(void)state;
	programs_begin(&p);
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		struct random r = {.state = i};
		struct view view;
		struct cast c;
		struct rig g;
		char *text;

		enter_namespace();
		cast_init(&c, &r);
		rig_open(&g);
		give_program(p.folder, cases[i].program, cases[i].script);
		view = cast_view(&c);
		sync_view(&g, &view, true);
		assert_int_equal(g.result.error, cases[i].error);
		if (cases[i].error ? !strstr(g.message, cases[i].text) : !warns(&g, cases[i].text))
			fail_msg("case %zu: %s", i, g.message ? g.message : "no warning");
		/* The other family got in. */
		text = run_shell(cases[i].program[2] == '6' ? "iptables-nft-save"
							    : "ip6tables-nft-save");
		assert_non_null(strstr(text, "-A KUBE-SERVICES "));
		free(text);
		/* The next one does all that is missing; for a family that is off only when asked
		 * to look. */
		give_program(p.folder, cases[i].program, "");
		sync_view(&g, &view, cases[i].error == 0);
		assert_int_equal(g.result.error, 0);
		assert_null(g.message);
		assert_true(g.result.full);
		(void)g.backend->ops->warnings(g.backend, &(size_t){0});
		assert_false(warns(&g, "not served"));
		text = run_shell("iptables-nft-save; ip6tables-nft-save");
		assert_non_null(strstr(text, "-A KUBE-SERVICES -d 10."));
		assert_non_null(strstr(text, "-A KUBE-SERVICES -d fd00:"));
		free(text);
		cast_view_done(&view);
		rig_close(&g);
		cast_done(&c);
	}
	programs_end(&p);
}

/* A partial sync that has nothing to write starts no program. */
static void test_no_program(void **state)
{
	static const char *const names[] = {"iptables-nft-restore", "iptables-nft-save",
					    "ip6tables-nft-restore", "ip6tables-nft-save"};
	struct random r = {.state = 1};
	struct stage_set p;
	struct cast c;
	struct rig g;

	(void)state;
	enter_namespace();
	cast_init(&c, &r);
	rig_open(&g);
	sync_cast(&g, &c, true);
	programs_begin(&p);
	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		give_program(p.folder, names[i], "exit 1");
	sync_cast(&g, &c, false);
	assert_false(g.result.full);
	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		give_program(p.folder, names[i], "");
	programs_end(&p);
	rig_close(&g);
	cast_done(&c);
}

/* The backend goes while a load runs: the load is left to finish and is reaped by the loop. */
static void test_freed_while_running(void **state)
{
	struct random r = {.state = 1};
	struct stage_set p;
	struct view view;
	char *text;
	struct cast c;
	struct rig g;

	(void)state;
	enter_namespace();
	programs_begin(&p);
	give_program(p.folder, "iptables-nft-restore",
		     "sleep 0.5; PATH=${PATH#*:} exec iptables-nft-restore \"$@\"");
	cast_init(&c, &r);
	rig_open(&g);
	view = cast_view(&c);
	assert_int_equal(g.backend->ops->sync(g.backend, &view, true, on_done, &g), 0);
	cast_view_done(&view);
	for (unsigned i = 0; i < 3; i++) /* as far as it comes without the program's end */
		(void)sd_event_run(g.event, 100000);
	assert_null(g.backend->ops->free(g.backend));
	(void)usleep(1200000);
	text = run_shell("iptables-nft-save");
	assert_non_null(strstr(text, "KUBE-FORWARD"));
	free(text);
	/* Reaped: no child is left to wait for. */
	for (unsigned i = 0; i < 3; i++)
		(void)sd_event_run(g.event, 100000);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_false(g.done);
	sd_event_unref(g.event);
	give_program(p.folder, "iptables-nft-restore", "");
	programs_end(&p);
	cast_done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes),	      cmocka_unit_test(test_known_again),
		cmocka_unit_test(test_repair),	      cmocka_unit_test(test_failed_partial),
		cmocka_unit_test(test_held_chain),    cmocka_unit_test(test_variant),
		cmocka_unit_test(test_other_variant), cmocka_unit_test(test_cleanup),
		cmocka_unit_test(test_cleanup_held),  cmocka_unit_test(test_route_localnet),
		cmocka_unit_test(test_without_ipv6),  cmocka_unit_test(test_failures),
		cmocka_unit_test(test_no_program),    cmocka_unit_test(test_freed_while_running),
	};

	log_init(LOG_WARNING, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
