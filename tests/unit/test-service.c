/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service-rows.h"

static void test_texts(void **state)
{
	(void)state;
	assert_string_equal(svc_proto_text(SVC_TCP), "TCP");
	assert_string_equal(svc_proto_text(SVC_UDP), "UDP");
	assert_string_equal(svc_proto_text(SVC_SCTP), "SCTP");
	assert_string_equal(svc_proto_lower(SVC_TCP), "tcp");
	assert_string_equal(svc_proto_lower(SVC_UDP), "udp");
	assert_string_equal(svc_proto_lower(SVC_SCTP), "sctp");
	assert_string_equal(svc_proto_text(_SVC_PROTO_INVALID), "?");
	assert_string_equal(svc_proto_lower(_SVC_PROTO_MAX), "?");
	assert_string_equal(svc_type_text(SVC_CLUSTER_IP), "ClusterIP");
	assert_string_equal(svc_type_text(SVC_NODE_PORT), "NodePort");
	assert_string_equal(svc_type_text(SVC_LOAD_BALANCER), "LoadBalancer");
	assert_string_equal(svc_type_text(SVC_EXTERNAL_NAME), "ExternalName");
	assert_string_equal(svc_type_text(_SVC_TYPE_MAX), "?");
}

static struct service *build(const char *body)
{
	_cleanup_settings_ struct settings settings;
	_cleanup_(service_def_freep) struct service_def *def = NULL;
	_cleanup_diags_ struct diags d = {0};
	struct service *s = NULL;

	assert_int_equal(settings_init(&settings), 0);
	def = make_service(body, &settings);
	assert_int_equal(service_build(def, NULL, 0, &s, &d), 0);
	return s;
}

/* All that can differ: each body differs from all others in one thing at least. */
static void test_equal(void **state)
{
#define HC "healthCheck = { type = \"http\"; interval = \"5s\"; "
#define E "endpoints = ({ address = \"10.1.0.1\"; "
#define LB2 L "clusterIPs = [\"10.96.0.10\", \"fd00::1\"]; " LP
	static const char *const bodies[] = {
		N C P,
		"name = \"other/web\"; " C P,
		N P "clusterIP = \"10.96.0.11\"",
		N P "clusterIP = \"None\"",
		N P "clusterIPs = [\"10.96.0.10\", \"fd00::1\"]",
		N P "clusterIPs = [\"fd00::1\", \"10.96.0.10\"]",
		N P "clusterIPs = [\"10.96.0.10\", \"fd00::2\"]",
		N "type = \"ExternalName\"; externalName = \"a\"",
		N "type = \"ExternalName\"; externalName = \"b\"",
		N C "ports = ({ port = 81; targetPort = 80; })",
		N C "ports = ({ port = 80; targetPort = 81; })",
		N C "ports = ({ port = 80; targetPort = \"a\"; })",
		N C "ports = ({ port = 80; targetPort = \"b\"; })",
		N C "ports = ({ port = 80; protocol = \"UDP\"; })",
		N C "ports = ({ port = 80; name = \"a\"; })",
		N C "ports = ({ port = 80; name = \"a\"; }, { port = 81; name = \"b\"; })",
		T C "ports = ({ port = 80; nodePort = 30000; })",
		T C "ports = ({ port = 80; nodePort = 30001; })",
		L C "ports = ({ port = 80; nodePort = 30000; })",
		N C P "externalIPs = [\"198.51.100.1\"]",
		N C P "externalIPs = [\"198.51.100.2\"]",
		N C P "externalIPs = [\"198.51.100.1\", \"198.51.100.2\"]",
		N C P "externalIPs = [\"198.51.100.2\", \"198.51.100.1\"]",
		LB2 "loadBalancerIPs = [\"203.0.113.5\"]",
		LB2 "loadBalancerIPs = [\"203.0.113.6\"]",
		LB2 "loadBalancerIPs = [\"203.0.113.6\", \"203.0.113.5\"]",
		LB2 "loadBalancerIPs = ({ ip = \"203.0.113.5\"; ipMode = \"Proxy\"; })",
		LB2 "loadBalancerSourceRanges = [\"10.0.0.0/8\"]",
		LB2 "loadBalancerSourceRanges = [\"10.0.0.0/9\"]",
		LB2 "externalTrafficPolicy = \"Local\"",
		LB2 "externalTrafficPolicy = \"Local\"; healthCheckNodePort = 30001",
		LB2 "externalTrafficPolicy = \"Local\"; healthCheckNodePort = 30002",
		N C P "internalTrafficPolicy = \"Local\"",
		N C P "sessionAffinity = \"ClientIP\"",
		N C P "sessionAffinity = \"ClientIP\"; sessionAffinityTimeoutSeconds = 5",
		N C P "publishNotReadyAddresses = true",
		N C P "trafficDistribution = \"PreferSameZone\"",
		N C P "trafficDistribution = \"PreferSameNode\"",
		N C P "scheduler = \"sh\"",
		N C P "scheduler = \"mh\"",
		N C P "scheduler = \"sh\"; schedulerFlags = [\"port\"]",
		N C P "scheduler = \"sh\"; schedulerFlags = [\"fallback\"]",
		N C P "onEndpointRemoval = \"cut\"",
		N C P HC "}",
		N C P HC "port = 1; }",
		N C P HC "path = \"/a\"; }",
		N C P HC "host = \"a\"; }",
		N C P HC "expect = \"200\"; }",
		N C P HC "timeout = \"1s\"; }",
		N C P HC "rise = 1; }",
		N C P HC "fall = 1; }",
		N C P "healthCheck = { type = \"tcp\"; interval = \"6s\"; }",
		N C P "healthCheck = { type = \"exec\"; command = [\"/a\"]; }",
		N C P "healthCheck = { type = \"exec\"; command = [\"/a\", \"b\"]; }",
		N C P "healthCheck = { type = \"exec\"; command = [\"/a\", \"c\"]; }",
		N C P E "})",
		N C P E "port = 81; })",
		N C P E "}, \"10.1.0.2\")",
		N C P E "}, \"fd00::1\")",
		N C P "endpoints = [\"10.1.0.2\"]",
		N C P E "ready = false; })",
		N C P E "serving = false; })",
		N C P E "terminating = true; })",
		N C P E "weight = 2; })",
		N C P E "node = \"a\"; })",
		N C P E "node = \"b\"; })",
		N C P E "zone = \"a\"; })",
		N C P E "hostname = \"a\"; })",
		N C P E "forZones = [\"a\"]; })",
		N C P E "forZones = [\"b\"]; })",
		N C P E "forNodes = [\"a\"]; })",
		N C P E "forNodes = [\"a\", \"b\"]; })",
	};
	struct service *a[ELEMENTSOF(bodies)], *b[ELEMENTSOF(bodies)];

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(bodies); i++) {
		_cleanup_strbuf_ struct strbuf moved = {0};

		/* The same on another line: places do not count. */
		strbuf_addf(&moved, "\n\n%s", bodies[i]);
		a[i] = build(bodies[i]);
		b[i] = build(strbuf_text(&moved));
	}
	for (size_t i = 0; i < ELEMENTSOF(bodies); i++) {
		assert_true(service_equal(a[i], a[i]));
		for (size_t j = 0; j < ELEMENTSOF(bodies); j++)
			if (service_equal(a[i], b[j]) != (i == j))
				fail_msg("'%s' and '%s' are %sequal", bodies[i], bodies[j],
					 i == j ? "not " : "");
	}
	for (size_t i = 0; i < ELEMENTSOF(bodies); i++) {
		service_unref(a[i]);
		service_unref(b[i]);
	}
}

static void test_refs(void **state)
{
	struct service *s = build(N C P "endpoints = [\"10.1.0.1\"]");

	(void)state;
	assert_int_equal(s->refs, 1);
	assert_ptr_equal(service_ref(s), s);
	assert_int_equal(s->refs, 2);
	assert_null(service_unref(s));
	assert_int_equal(s->refs, 1);
	/* Still whole. */
	assert_string_equal(s->def->key, "default/web");
	assert_int_equal(s->endpoints[0][ADDR_IPV4].n, 1);
	assert_null(service_unref(s));
	assert_null(service_unref(NULL));
	assert_null(service_def_free(NULL));
	assert_null(endpoint_group_free(NULL));
}

static void test_port_names(void **state)
{
	char long_name[64], key[128], buf[SERVICE_PORT_NAME_MAX + 1];
	struct service_port ports[] = {
		{.name = (char[]){"tcp-80"}}, {.name = (char[]){""}}, {.name = long_name}};
	const struct service_def def = {.ports = ports, .n_ports = 3};
	struct service s = {.def = &def, .key = "default/nginx"};

	(void)state;
	memset(long_name, 'p', 63);
	long_name[63] = '\0';
	memset(key, 'k', sizeof(key));
	key[63] = '/';
	key[127] = '\0';
	memset(buf, 0xA5, sizeof(buf));
	assert_string_equal(service_port_name(&s, 0, buf), "default/nginx:tcp-80");
	assert_string_equal(service_port_name(&s, 1, buf), "default/nginx");
	s.key = key;
	assert_int_equal(strlen(service_port_name(&s, 2, buf)), 191);
	assert_memory_equal(buf + 127, ":ppp", 4);
	/* Even a name that no check let through stays inside. */
	ports[1].name = (char[300]){0};
	memset(ports[1].name, 'x', 299);
	assert_int_equal(strlen(service_port_name(&s, 1, buf)), SERVICE_PORT_NAME_MAX - 1);
	assert_int_equal((unsigned char)buf[SERVICE_PORT_NAME_MAX], 0xA5);
}

static void test_externally_accessible(void **state)
{
	static const struct {
		enum svc_type type;
		size_t n_external_ips;
		bool expected;
	} rows[] = {
		{SVC_CLUSTER_IP, 0, false},    {SVC_CLUSTER_IP, 1, true},
		{SVC_NODE_PORT, 0, true},      {SVC_LOAD_BALANCER, 0, true},
		{SVC_EXTERNAL_NAME, 0, false}, {SVC_EXTERNAL_NAME, 1, false},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		const struct service_def s = {.type = rows[i].type,
					      .n_external_ips = rows[i].n_external_ips};

		assert_int_equal(service_def_externally_accessible(&s), rows[i].expected);
	}
}

static void test_text_lists(void **state)
{
	char *items[] = {(char[]){"a"}, (char[]){""}};
	const struct text_list two = {items, 2}, one = {items, 1}, other = {items + 1, 1},
			       none = {0};
	struct text_list copy;

	(void)state;
	memset(&copy, 0xA5, sizeof(copy));
	assert_int_equal(text_list_copy(&none, &copy), 0);
	assert_null(copy.items);
	assert_true(text_list_equal(&copy, &none));
	memset(&copy, 0xA5, sizeof(copy));
	assert_int_equal(text_list_copy(&two, &copy), 0);
	assert_ptr_not_equal(copy.items[0], items[0]);
	assert_true(text_list_equal(&copy, &two));
	assert_false(text_list_equal(&copy, &one));
	assert_false(text_list_equal(&one, &other));
	assert_false(text_list_equal(&one, &none));
	text_list_done(&copy);
	assert_null(copy.items);
	assert_int_equal(copy.n, 0);
	text_list_done(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_refs),
		cmocka_unit_test(test_port_names),
		cmocka_unit_test(test_externally_accessible),
		cmocka_unit_test(test_text_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
