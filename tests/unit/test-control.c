/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

#include <stdio.h>

#include "base/text.h"
#include "control/control.h"
#include "control/json.h"

/* The shapes are promises to scripts: they are written out here in full. */
static void assert_json(json_t *value, const char *expected)
{
	_cleanup_free_ char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY)
					  : NULL;

	assert_non_null(text);
	json_decref(value);
	assert_string_equal(text, expected);
}

static void test_json_helpers(void **state)
{
	struct json_maker m = json_make();
	json_t *list = json_array();

	(void)state;
	assert_json(json_text(NULL), "null");
	assert_json(json_text(""), "\"\"");
	assert_json(json_text("a\"b\n\xc3\xa4"), "\"a\\\"b\\n\xc3\xa4\"");
	assert_json(json_text("a\xff\xc3"), "\"a\\\\xff\\\\xc3\"");
	assert_json(json_text("\xed\xa0\x80"), "\"\\\\xed\\\\xa0\\\\x80\"");
	assert_json(json_time(0), "null");
	assert_json(json_time(UINT64_C(1796016525999999)), "\"2026-11-30T05:28:45Z\"");

	/* A value that could not be made drops the whole, and what comes later too. */
	json_take(&m, "a", json_integer(1));
	json_take(&m, "b", NULL);
	assert_null(json_made(&m));
	json_take(&m, "c", json_integer(1));
	assert_null(json_made(&m));
	assert_true(json_push(&list, json_integer(1)));
	assert_false(json_push(&list, NULL));
	assert_null(list);
	assert_false(json_push(&list, json_integer(1)));
	assert_null(list);
}

static void test_diags(void **state)
{
	const struct place at = {"/etc/x.cfg", 3, 7};
	struct diags d = {0};

	(void)state;
	assert_json(control_diags_json(&d), "[]");
	diags_add(&d, DIAG_ERROR, &at, "default/x", "services[0].port", "70\xff", "try \"80\"",
		  "must lie in %d-%d", 1, 65535);
	diags_add(&d, DIAG_WARNING, NULL, NULL, NULL, NULL, NULL, "is odd");
	diags_add(&d, DIAG_NOTICE, &(struct place){.file = "y"}, NULL, NULL, "", NULL, "is so");
	assert_json(
		control_diags_json(&d),
		"[{\"file\":\"/etc/x.cfg\",\"line\":3,\"column\":7,\"severity\":\"error\","
		"\"object\":\"default/x\",\"field\":\"services[0].port\",\"value\":\"70\\\\xff\","
		"\"reason\":\"must lie in 1-65535\",\"hint\":\"try \\\"80\\\"\"},"
		"{\"file\":null,\"line\":0,\"column\":0,\"severity\":\"warning\",\"object\":null,"
		"\"field\":null,\"value\":null,\"reason\":\"is odd\",\"hint\":null},"
		"{\"file\":\"y\",\"line\":0,\"column\":0,\"severity\":\"notice\",\"object\":null,"
		"\"field\":null,\"value\":\"\",\"reason\":\"is so\",\"hint\":null}]");

	assert_json(control_verdict_json(0, NULL, &(struct diags){0}),
		    "{\"result\":\"ok\",\"exit\":0,\"message\":null,\"diagnostics\":[]}");
	assert_json(control_verdict_json(3, "files were refused", &(struct diags){0}),
		    "{\"result\":\"refused\",\"exit\":3,\"message\":\"files were refused\","
		    "\"diagnostics\":[]}");
	assert_json(
		control_verdict_json(1, "no \xff", &(struct diags){0}),
		"{\"result\":\"failed\",\"exit\":1,\"message\":\"no \\\\xff\",\"diagnostics\":[]}");
	diags_done(&d);
}

static void test_status(void **state)
{
	static const char *const warnings[] = {"both variants are in use"};
	struct diags d = {0};
	struct control_status s = {.version = "1", .mode = "", .state = "starting", .problems = &d};

	(void)state;
	assert_json(
		control_status_json(&s),
		"{\"version\":\"1\",\"state\":\"starting\",\"mode\":\"\",\"backend\":null,"
		"\"nodeName\":null,\"services\":0,\"servicePorts\":0,\"endpoints\":0,\"files\":0,"
		"\"filesRefused\":0,\"started\":null,\"lastSync\":null,\"lastChange\":null,"
		"\"lastSyncMilliseconds\":0.0,\"lastSyncFull\":false,\"syncs\":0,"
		"\"failedSyncs\":0,\"lastError\":null,\"failingSince\":null,\"refused\":[],"
		"\"stateDirectory\":null,\"stateError\":null,\"warnings\":[],"
		"\"counters\":null,\"countersError\":null,\"diagnostics\":[]}");
	diags_add(&d, DIAG_WARNING, NULL, NULL, NULL, NULL, NULL, "is odd");
	s = (struct control_status){
		.version = "1",
		.mode = "iptables",
		.backend = "nft",
		.state = "failing",
		.node_name = "n",
		.n_services = 1,
		.n_service_ports = 2,
		.n_endpoints = 3,
		.n_files = 4,
		.n_files_refused = 5,
		.started_usec = 1000000,
		.last_sync_usec = 2000000,
		.last_change_usec = 3000000,
		.n_syncs = 6,
		.n_failed_syncs = 7,
		.last_sync_duration_usec = 1500,
		.last_sync_full = true,
		.last_error = "the lock is held",
		.failing_since_usec = 4000000,
		.state_directory = "/var/lib/x",
		.state_error = "No space",
		.count_error = "not now",
		.warnings = warnings,
		.n_warnings = 1,
		.problems = &d,
	};
	assert_json(
		control_status_json(&s),
		"{\"version\":\"1\",\"state\":\"failing\",\"mode\":\"iptables\",\"backend\":"
		"\"nft\","
		"\"nodeName\":\"n\",\"services\":1,\"servicePorts\":2,\"endpoints\":3,\"files\":4,"
		"\"filesRefused\":5,\"started\":\"1970-01-01T00:00:01Z\","
		"\"lastSync\":\"1970-01-01T00:00:02Z\",\"lastChange\":\"1970-01-01T00:00:03Z\","
		"\"lastSyncMilliseconds\":1.5,\"lastSyncFull\":true,\"syncs\":6,"
		"\"failedSyncs\":7,\"lastError\":\"the lock is held\","
		"\"failingSince\":\"1970-01-01T00:00:04Z\","
		"\"refused\":[],\"stateDirectory\":\"/var/lib/x\",\"stateError\":\"No space\","
		"\"warnings\":[\"both variants are in use\"],\"counters\":null,"
		"\"countersError\":\"not now\",\"diagnostics\":[{\"file\":null,"
		"\"line\":0,\"column\":0,\"severity\":\"warning\",\"object\":null,\"field\":null,"
		"\"value\":null,\"reason\":\"is odd\",\"hint\":null}]}");
	diags_done(&d);
}

/* a/web: two ports, both families, everything set; b/headless: without ports. */
static struct world *two_services(void)
{
	struct service_port ports[] = {
		{.name = (char[]){"http"}, .protocol = SVC_TCP, .port = 80, .node_port = 30080},
		{.name = (char[]){"dns"}, .protocol = SVC_UDP, .port = 53},
	};
	struct addr external[] = {make_addr("192.0.2.1"), make_addr("2001:db8::1")};
	struct lb_ip lb[] = {{make_addr("192.0.2.9"), false}, {make_addr("192.0.2.10"), true}};
	const struct service_def web = {
		.key = (char[]){"a/web"},
		.type = SVC_LOAD_BALANCER,
		.cluster_ips = {make_addr("10.0.0.1"), make_addr("fd00::1")},
		.has_cluster_ip = {true, true},
		.primary_family = ADDR_IPV6,
		.ports = ports,
		.n_ports = 2,
		.external_ips = external,
		.n_external_ips = 2,
		.lb_ips = lb,
		.n_lb_ips = 2,
		.affinity = true,
		.external_local = true,
	};
	const struct service_def headless = {.key = (char[]){"b/headless"}, .headless = true};
	struct service *services[] = {make_service(&web), make_service(&headless)};

	give_endpoint(services[0], 0, "10.1.0.1:8080 r @node-1");
	give_endpoint(services[0], 0, "10.1.0.2:8080 r @other");
	give_endpoint(services[0], 0, "[fd01::1]:8080 s @node-1");
	give_endpoint(services[0], 1, "10.1.0.3:5353 n");
	services[0]->endpoints[1][ADDR_IPV4].items[0].weight = 7;
	services[0]->endpoints[1][ADDR_IPV4].items[0].zone = strdup("z\xff");
	give_endpoint(services[1], 0, "10.1.0.4:1 r");
	services[1]->endpoints[0][ADDR_IPV4].items[0].port = 0;
	return make_world(make_settings(), services, 2);
}

static void test_services(void **state)
{
	struct world *empty = make_world(make_settings(), NULL, 0), *w = two_services();

	(void)state;
	assert_json(control_services_json(empty, NULL, "n", "", NULL), "[]");
	assert_json(control_services_json(w, NULL, "node-1", "", NULL),
		    "[{\"name\":\"a/web\",\"type\":\"LoadBalancer\","
		    "\"clusterIPs\":[\"fd00::1\",\"10.0.0.1\"],"
		    "\"externalIPs\":[\"192.0.2.1\",\"2001:db8::1\"],"
		    "\"loadBalancerIPs\":[{\"ip\":\"192.0.2.9\",\"ipMode\":\"VIP\"},"
		    "{\"ip\":\"192.0.2.10\",\"ipMode\":\"Proxy\"}],"
		    "\"sessionAffinity\":\"ClientIP\",\"externalTrafficPolicy\":\"Local\","
		    "\"internalTrafficPolicy\":\"Cluster\",\"ports\":["
		    "{\"name\":\"http\",\"protocol\":\"TCP\",\"port\":80,\"nodePort\":30080,"
		    "\"endpoints\":3,\"ready\":2,\"used\":3,\"local\":2,"
		    "\"counters\":null,\"virtualServers\":null},"
		    "{\"name\":\"dns\",\"protocol\":\"UDP\",\"port\":53,\"nodePort\":null,"
		    "\"endpoints\":1,\"ready\":0,\"used\":0,\"local\":0,"
		    "\"counters\":null,\"virtualServers\":null}],"
		    "\"file\":null,\"line\":null},"
		    "{\"name\":\"b/headless\",\"type\":\"ClusterIP\",\"clusterIPs\":[\"None\"],"
		    "\"externalIPs\":[],\"loadBalancerIPs\":[],\"sessionAffinity\":\"None\","
		    "\"externalTrafficPolicy\":\"Cluster\",\"internalTrafficPolicy\":\"Cluster\","
		    "\"ports\":[],\"file\":null,\"line\":null}]");
	world_unref(empty);
	world_unref(w);
}

#define UNCOUNTED ",\"inFiles\":true,\"counters\":null"
#define HEADLESS                                                                           \
	"{\"service\":\"b/headless\",\"servicePort\":\"b/headless\",\"protocol\":null,"    \
	"\"endpoint\":\"10.1.0.4\",\"ready\":true,\"serving\":true,\"terminating\":false," \
	"\"local\":false,\"used\":true,\"weight\":1,\"node\":null,\"zone\":null" UNCOUNTED "}"

static void test_endpoints(void **state)
{
	struct world *w = two_services();

	(void)state;
	assert_json(control_endpoints_json(w, "a/none", "node-1", "", NULL), "[]");
	assert_json(control_endpoints_json(w, "b/headless", "node-1", "", NULL), "[" HEADLESS "]");
	assert_json(control_endpoints_json(w, NULL, "node-1", "", NULL),
		    "[{\"service\":\"a/web\",\"servicePort\":\"a/web:http\",\"protocol\":\"TCP\","
		    "\"endpoint\":\"10.1.0.1:8080\",\"ready\":true,\"serving\":true,"
		    "\"terminating\":false,\"local\":true,\"used\":true,\"weight\":1,"
		    "\"node\":\"node-1\",\"zone\":null" UNCOUNTED "},"
		    "{\"service\":\"a/web\",\"servicePort\":\"a/web:http\",\"protocol\":\"TCP\","
		    "\"endpoint\":\"10.1.0.2:8080\",\"ready\":true,\"serving\":true,"
		    "\"terminating\":false,\"local\":false,\"used\":true,\"weight\":1,"
		    "\"node\":\"other\",\"zone\":null" UNCOUNTED "},"
		    "{\"service\":\"a/web\",\"servicePort\":\"a/web:http\",\"protocol\":\"TCP\","
		    "\"endpoint\":\"[fd01::1]:8080\",\"ready\":false,\"serving\":true,"
		    "\"terminating\":true,\"local\":true,\"used\":true,\"weight\":1,"
		    "\"node\":\"node-1\",\"zone\":null" UNCOUNTED "},"
		    "{\"service\":\"a/web\",\"servicePort\":\"a/web:dns\",\"protocol\":\"UDP\","
		    "\"endpoint\":\"10.1.0.3:5353\",\"ready\":false,\"serving\":false,"
		    "\"terminating\":false,\"local\":false,\"used\":false,\"weight\":7,"
		    "\"node\":null,\"zone\":\"z\\\\xff\"" UNCOUNTED "}," HEADLESS "]");
	world_unref(w);
}

static void add_counted(struct counts *c, const char *service, enum svc_proto protocol,
			uint16_t port, unsigned n_servers, const struct ipvs_dest *dests, size_t n)
{
	const struct ipvs_dests list = {.items = (struct ipvs_dest *)(uintptr_t)dests, .n = n};

	assert_int_equal(counts_begin_port(c, service, protocol, port), 0);
	for (unsigned i = 0; i < n_servers; i++) {
		const struct ipvs_server server = {
			.key = {.addr = make_addr(i ? "192.0.2.9" : "10.0.0.1"), .port = port},
			.counters = {1, 20, 300, 4000, UINT64_C(5000000000000)},
		};

		assert_int_equal(counts_add_server(c, &server), 0);
		assert_int_equal(counts_add_dests(c, &list), 0);
	}
	counts_end_port(c);
}

static void assert_part(const json_t *object, const char *key, const char *expected)
{
	assert_json(json_incref(json_object_get(object, key)), expected);
}

#define ONE                                                                        \
	"{\"connections\":1,\"inPackets\":20,\"outPackets\":300,\"inBytes\":4000," \
	"\"outBytes\":5000000000000}"
#define SUM                                                                        \
	"{\"connections\":2,\"inPackets\":40,\"outPackets\":600,\"inBytes\":8000," \
	"\"outBytes\":10000000000000}"

static void test_counts(void **state)
{
	struct ipvs_dest dests[] = {
		{.addr = make_addr("10.1.0.1"),
		 .port = 8080,
		 .weight = 1,
		 .active = 2,
		 .inactive = 3,
		 .counters = {4, 5, 6, 7, 8}},
		/* in no file any more, and draining; one that is not; of the other family */
		{.addr = make_addr("10.1.0.9"), .port = 8080, .active = 1},
		{.addr = make_addr("10.1.0.8"), .port = 8080, .weight = 1},
		{.addr = make_addr("fd01::9"), .port = 8080, .inactive = 1},
		/* in the files, at weight 0 */
		{.addr = make_addr("10.1.0.2"), .port = 8080},
	};
	struct diags d = {0};
	struct world *w = two_services();
	struct counts c = {0};
	const struct control_status status = {
		.version = "1", .mode = "", .state = "ok", .counts = &c, .problems = &d};
	json_t *list, *ports;

	(void)state;
	add_counted(&c, "a/web", SVC_TCP, 80, 2, dests, ELEMENTSOF(dests));
	list = control_services_json(w, NULL, "node-1", "", &c);
	ports = json_object_get(json_array_get(list, 0), "ports");
	assert_part(json_array_get(ports, 0), "counters", SUM);
	assert_part(json_array_get(ports, 0), "virtualServers",
		    "[{\"address\":\"10.0.0.1:80\",\"counters\":" ONE "},"
		    "{\"address\":\"192.0.2.9:80\",\"counters\":" ONE "}]");
	assert_part(json_array_get(ports, 1), "counters", "null");
	assert_part(json_array_get(ports, 1), "virtualServers", "null");
	json_decref(list);

	list = control_status_json(&status);
	assert_part(list, "counters", SUM);
	json_decref(list);

	list = control_endpoints_json(w, "a/web", "node-1", "", &c);
	assert_int_equal(json_array_size(list), 6);
	assert_part(json_array_get(list, 0), "counters",
		    "{\"connections\":8,\"inPackets\":10,\"outPackets\":12,\"inBytes\":14,"
		    "\"outBytes\":16,\"activeConnections\":4,\"inactiveConnections\":6,"
		    "\"weight\":1}");
	assert_part(json_array_get(list, 1), "counters",
		    "{\"connections\":0,\"inPackets\":0,\"outPackets\":0,\"inBytes\":0,"
		    "\"outBytes\":0,\"activeConnections\":0,\"inactiveConnections\":0,"
		    "\"weight\":0}");
	assert_json(json_incref(json_array_get(list, 2)),
		    "{\"service\":\"a/web\",\"servicePort\":\"a/web:http\",\"protocol\":\"TCP\","
		    "\"endpoint\":\"10.1.0.9:8080\",\"ready\":false,\"serving\":true,"
		    "\"terminating\":true,\"local\":false,\"used\":false,\"weight\":0,"
		    "\"node\":null,\"zone\":null,\"inFiles\":false,\"counters\":{\"connections\":0,"
		    "\"inPackets\":0,\"outPackets\":0,\"inBytes\":0,\"outBytes\":0,"
		    "\"activeConnections\":2,\"inactiveConnections\":0,\"weight\":0}}");
	assert_part(json_array_get(list, 3), "endpoint", "\"[fd01::1]:8080\"");
	assert_part(json_array_get(list, 3), "counters", "null");
	assert_part(json_array_get(list, 4), "endpoint", "\"[fd01::9]:8080\"");
	assert_part(json_array_get(list, 4), "inFiles", "false");
	assert_part(json_array_get(list, 5), "endpoint", "\"10.1.0.3:5353\"");
	json_decref(list);
	counts_done(&c);
	world_unref(w);
}

static void test_settings(void **state)
{
	_cleanup_free_ struct place *places = calloc(n_setting_rows, sizeof(*places));
	const struct settings_origin origin = {.places = places};
	struct shared_settings *s = make_settings();
	const struct setting_row *row = setting_find("Sync", "SyncPeriod");
	json_t *list, *item;
	size_t i;

	(void)state;
	assert_non_null(places);
	places[row - setting_rows] = (struct place){"/etc/x.conf", 4, 1};
	s->s.sync_period = 5000000;
	list = control_settings_json(&s->s, &origin);
	assert_int_equal(json_array_size(list), n_setting_rows);
	json_array_foreach(list, i, item)
	{
		/* in the table's order, each with its name */
		assert_string_equal(json_string_value(json_object_get(item, "section")),
				    setting_rows[i].section);
		assert_string_equal(json_string_value(json_object_get(item, "key")),
				    setting_rows[i].key);
		assert_int_equal(json_is_null(json_object_get(item, "file")),
				 &setting_rows[i] != row);
	}
	item = json_array_get(list, (size_t)(row - setting_rows));
	assert_json(
		json_incref(item),
		"{\"section\":\"Sync\",\"key\":\"SyncPeriod\",\"value\":\"5s\","
		"\"default\":\"30s\",\"file\":\"/etc/x.conf\",\"line\":4,\"change\":\"nothing\"}");
	json_decref(list);
	shared_settings_unref(s);
}

/* Paths and methods only grow. */
static void test_routes(void **state)
{
	static const struct control_route expected[] = {
		{"GET", "/v1/status", false},	 {"GET", "/v1/services", false},
		{"GET", "/v1/endpoints", false}, {"GET", "/v1/settings", false},
		{"POST", "/v1/reload", true},	 {"POST", "/v1/resync", true},
	};

	(void)state;
	assert_int_equal(_CONTROL_VERB_MAX, ELEMENTSOF(expected));
	for (size_t i = 0; i < ELEMENTSOF(expected); i++) {
		assert_string_equal(control_routes[i].method, expected[i].method);
		assert_string_equal(control_routes[i].path, expected[i].path);
		assert_int_equal(control_routes[i].root_only, expected[i].root_only);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_helpers), cmocka_unit_test(test_diags),
		cmocka_unit_test(test_status),	     cmocka_unit_test(test_services),
		cmocka_unit_test(test_endpoints),    cmocka_unit_test(test_counts),
		cmocka_unit_test(test_settings),     cmocka_unit_test(test_routes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
