/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service-rows.h"

static void test_names(void **state)
{
	static const struct text_row rows[] = {
		{"type=\"ClusterIP\"; clusterIP=\"10.96.0.1\"; ports=({port=80})",
		 "error: services[0].name: must be set (give it a name, such as "
		 "\"default/web\")\n"},
		{"name=7; " C P, "error: services[0].name '7': must be a string, not a number (a "
				 "string is written in double quotes)\n"},
		{"name=\"\"; " C P, "error: services[0].name '': the name must not be empty (give "
				    "it a name, such as \"web\")\n"},
		{"name=\"/b\"; " C P, "error: services[0].name '/b': the namespace must not be "
				      "empty (leave out the '/' for the namespace default)\n"},
		{"name=\"a/\"; " C P, "error: services[0].name 'a/': the name must not be empty "
				      "(give it a name, such as \"web\")\n"},
		{"name=\"a/b/c\"; " C P,
		 "error: services[0].name 'a/b/c': must be \"namespace/name\" or \"name\", with "
		 "one '/' (what stands before the '/' is the namespace)\n"},
		{"name=\"Web\"; " C P,
		 "error: services[0].name 'Web': the name must be 1 to 63 of a-z, 0-9 and '-', "
		 "with no '-' at its ends (did you mean 'web'?)\n"},
		{"name=\"1st\"; " C P, ""},
		{"name=\"my_ns/web\"; " C P,
		 "error: services[0].name 'my_ns/web': the namespace must be 1 to 63 of a-z, 0-9 "
		 "and '-', with no '-' at its ends (did you mean 'my-ns'?)\n"},
		{"name=\"a.b\"; " C P,
		 "error: services[0].name 'a.b': the name must be 1 to 63 of a-z, 0-9 and '-', "
		 "with no '-' at its ends (did you mean 'a-b'?)\n"},
		{"name=\"-a\"; " C P,
		 "error: services[0].name '-a': the name must be 1 to 63 of a-z, 0-9 and "
		 "'-', with no '-' at its ends\n"},
		{"name=\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"; " C P,
		 ""},
		{"name=\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"; " C P,
		 "error: services[0].name "
		 "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': the "
		 "name must be 1 to 63 of a-z, 0-9 and '-', with no '-' at its ends\n"},
		{"name=\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/b\"; " C
			 P,
		 "error: services[0].name "
		 "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...': "
		 "the namespace must be 1 to 63 of a-z, 0-9 and '-', with no '-' at its ends\n"},
		{"name=\"UP/Down\"; " C P,
		 "error: services[0].name 'UP/Down': the namespace must be 1 to 63 of a-z, 0-9 and "
		 "'-', with no '-' at its ends (did you mean 'up'?)\n"
		 "error: services[0].name 'UP/Down': the name must be 1 to 63 of a-z, 0-9 and '-', "
		 "with no '-' at its ends (did you mean 'down'?)\n"},
	};

	(void)state;
	check_services(rows);
}

static void test_keys_and_types(void **state)
{
	static const struct text_row rows[] = {
		{N C P "foo=1", "error: services[0].foo '1': unknown key\n"},
		{N C P "nodeport=1", "error: services[0].nodeport '1': unknown key\n"},
		{N C P "Type=\"NodePort\"",
		 "error: services[0].Type 'NodePort': unknown key (did you mean 'type'?)\n"},
		{N C "ports=(1)", "error: services[0].ports[0] '1': must be a group, not a number "
				  "(a group is written in braces)\n"},
		{N C "ports=({port=80; nodePrt=1})",
		 "error: services[0].ports[0].nodePrt '1': unknown key (did you mean "
		 "'nodePort'?)\n"},
		{N C "ports=\"80\"", "error: services[0].ports '80': must be a list, not a string "
				     "(a list is written in parentheses or brackets)\n"},
		{N "clusterIP=10; " P, "error: services[0].clusterIP '10': must be a string, not a "
				       "number (a string is written in double quotes)\n"},
		{N C P "publishNotReadyAddresses=\"yes\"",
		 "error: services[0].publishNotReadyAddresses 'yes': must be true or false, not a "
		 "string (write true or false, without quotes)\n"},
		{N C P "publishNotReadyAddresses=true", ""},
		{N C P "externalName=null", ""},
	};

	(void)state;
	check_services(rows);
}

static void test_types(void **state)
{
	static const struct text_row rows[] = {
		{N C P "type=\"nodeport\"",
		 "error: services[0].type 'nodeport': must be ClusterIP, NodePort, "
		 "LoadBalancer or ExternalName (did you mean 'NodePort'?)\n"},
		{N C P "type=\"Foo\"",
		 "error: services[0].type 'Foo': must be ClusterIP, NodePort, LoadBalancer "
		 "or ExternalName\n"},
		{N C P "type=true", "error: services[0].type 'true': must be a string, not true or "
				    "false (a string is written in double quotes)\n"},
	};

	(void)state;
	check_services(rows);
}

static void test_external_names(void **state)
{
	static const struct text_row rows[] = {
		{N "type=\"ExternalName\"; externalName=\"db.example.com.\"", ""},
		{N "type=\"ExternalName\"; externalName=\"db.example.com..\"",
		 "error: services[0].externalName 'db.example.com..': must be a DNS name in lower "
		 "case, of at most 253 characters (write it as in db.example.com)\n"},
		{N "type=\"ExternalName\"; externalName=\"Example\"",
		 "error: services[0].externalName 'Example': must be a DNS name in lower case, of "
		 "at most 253 characters (write it as in db.example.com)\n"},
		{N "type=\"ExternalName\"; externalName=\"10.0.0.1\"",
		 "warning: services[0].externalName '10.0.0.1': is an address, but is used as a "
		 "DNS name (a service with this address as its endpoint can be reached by "
		 "address)\n"},
		{N "type=\"ExternalName\"; externalName=\"\"",
		 "error: services[0].externalName '': must be a DNS name in lower case, of at most "
		 "253 characters (write it as in db.example.com)\n"},
		{N "type=\"ExternalName\"",
		 "error: services[0].externalName: must be set with type ExternalName (add a name "
		 "such as db.example.com)\n"},
		{N "type=\"ExternalName\"; externalName=\"x.y\"; clusterIP=\"10.96.0.1\"",
		 "error: services[0].clusterIP '10.96.0.1': must not be set with type "
		 "ExternalName, which has no address (leave it out)\n"},
		{N "type=\"ExternalName\"; externalName=\"x.y\"; ports=({port=80;nodePort=30000}); "
		   "externalIPs=[\"198.51.100.1\"]; endpoints=[\"10.1.0.1:80\"]",
		 "warning: services[0].ports: is ignored: an ExternalName service has no frontends "
		 "(leave it out)\n"
		 "warning: services[0].externalIPs: is ignored: an ExternalName service has no "
		 "frontends (leave it out)\n"
		 "warning: services[0].endpoints: is ignored: an ExternalName service has no "
		 "endpoints (leave it out)\n"},
		{N "type=\"ExternalName\"; externalName=\"x.y\"; externalTrafficPolicy=\"Cluster\"",
		 "warning: services[0].externalTrafficPolicy 'Cluster': has no effect (the "
		 "service has no frontends for outside: it is neither NodePort nor "
		 "LoadBalancer and has no externalIPs)\n"},
		{N C P "externalName=\"x.y\"",
		 "warning: services[0].externalName 'x.y': is ignored without type ExternalName "
		 "(leave it out)\n"},
	};

	(void)state;
	check_services(rows);
}

static void test_policies(void **state)
{
	static const struct text_row rows[] = {
		{N C P "sessionAffinity=\"ClientIP\"", ""},
		{N C P "sessionAffinity=\"clientip\"",
		 "error: services[0].sessionAffinity 'clientip': must be None or ClientIP "
		 "(did you mean 'ClientIP'?)\n"},
		{N C P "sessionAffinity=\"Cookie\"",
		 "error: services[0].sessionAffinity 'Cookie': must be None or ClientIP\n"},
		{N C P "sessionAffinity=\"ClientIP\"; sessionAffinityTimeoutSeconds=0",
		 "error: services[0].sessionAffinityTimeoutSeconds '0': must lie in 1-86400 (leave "
		 "it out for 10800, three hours)\n"},
		{N C P "sessionAffinity=\"ClientIP\"; sessionAffinityTimeoutSeconds=1", ""},
		{N C P "sessionAffinity=\"ClientIP\"; sessionAffinityTimeoutSeconds=86400", ""},
		{N C P "sessionAffinity=\"ClientIP\"; sessionAffinityTimeoutSeconds=86401",
		 "error: services[0].sessionAffinityTimeoutSeconds '86401': must lie in 1-86400 "
		 "(leave it out for 10800, three hours)\n"},
		{N C P "sessionAffinityTimeoutSeconds=60",
		 "warning: services[0].sessionAffinityTimeoutSeconds '60': is ignored "
		 "without session affinity (set sessionAffinity = \"ClientIP\")\n"},
		{N C P "sessionAffinity=\"None\"; sessionAffinityTimeoutSeconds=\"60\"",
		 "error: services[0].sessionAffinityTimeoutSeconds '60': must be a number, "
		 "not a string\n"},
		{N C P "externalTrafficPolicy=\"Local\"",
		 "error: services[0].externalTrafficPolicy 'Local': must not be set for "
		 "this service (the service has no frontends for outside: it is neither "
		 "NodePort nor LoadBalancer and has no externalIPs)\n"},
		{N C P "externalTrafficPolicy=\"Cluster\"",
		 "warning: services[0].externalTrafficPolicy 'Cluster': has no effect (the "
		 "service has no frontends for outside: it is neither NodePort nor "
		 "LoadBalancer and has no externalIPs)\n"},
		{N C P "externalTrafficPolicy=\"Local\"; externalIPs=[\"198.51.100.1\"]", ""},
		{N C P "externalTrafficPolicy=\"local\"",
		 "error: services[0].externalTrafficPolicy 'local': must be Cluster or "
		 "Local (did you mean 'Local'?)\n"},
		{N C P "internalTrafficPolicy=\"Local\"", ""},
		{N C P "internalTrafficPolicy=\"Node\"",
		 "error: services[0].internalTrafficPolicy 'Node': must be Cluster or Local\n"},
		{L C LP "externalTrafficPolicy=\"Local\"",
		 "warning: services[0].healthCheckNodePort: is not set: load balancers cannot ask "
		 "whether this node has endpoints (set it to a free number of "
		 "ServiceNodePortRange=)\n"},
		{L C LP "externalTrafficPolicy=\"Local\"; healthCheckNodePort=0",
		 "warning: services[0].healthCheckNodePort: is not set: load balancers cannot ask "
		 "whether this node has endpoints (set it to a free number of "
		 "ServiceNodePortRange=)\n"},
		{L C LP "externalTrafficPolicy=\"Local\"; healthCheckNodePort=30001", ""},
		{L C LP "externalTrafficPolicy=\"Local\"; healthCheckNodePort=30080",
		 "error: services[0].healthCheckNodePort '30080': must not be the nodePort of a "
		 "TCP port of the service (choose another number)\n"},
		{L C "ports=({port=53;protocol=\"UDP\";nodePort=30080}) "
		     "externalTrafficPolicy=\"Local\"; healthCheckNodePort=30080",
		 ""},
		{L C LP "externalTrafficPolicy=\"Local\"; healthCheckNodePort=8080",
		 "error: services[0].healthCheckNodePort '8080': must lie in 30000-32767 (the "
		 "range is that of ServiceNodePortRange=)\n"},
		{L C LP "healthCheckNodePort=30001",
		 "error: services[0].healthCheckNodePort '30001': must be set only with type "
		 "LoadBalancer and externalTrafficPolicy Local (leave it out)\n"},
		{N C P "healthCheckNodePort=30001",
		 "error: services[0].healthCheckNodePort '30001': must be set only with type "
		 "LoadBalancer and externalTrafficPolicy Local (leave it out)\n"},
		{L C LP "externalTrafficPolicy=\"Local\"; healthCheckNodePort=\"30001\"",
		 "error: services[0].healthCheckNodePort '30001': must be a whole number, "
		 "not a string (write 30001 without quotes)\n"},
		{N C P "trafficDistribution=\"PreferSameZone\"", ""},
		{N C P "trafficDistribution=\"PreferSameNode\"", ""},
		{N C P "trafficDistribution=\"PreferClose\"",
		 "warning: services[0].trafficDistribution 'PreferClose': is the old name "
		 "of PreferSameZone (write PreferSameZone)\n"},
		{N C P "trafficDistribution=\"\"",
		 "error: services[0].trafficDistribution '': must be PreferSameZone, "
		 "PreferSameNode or PreferClose\n"},
		{N C P "trafficDistribution=\"PreferSamezone\"",
		 "error: services[0].trafficDistribution 'PreferSamezone': must be "
		 "PreferSameZone, PreferSameNode or PreferClose (did you mean "
		 "'PreferSameZone'?)\n"},
		{N C P "trafficDistribution=\"PreferSameZone\"; internalTrafficPolicy=\"Local\"",
		 "notice: services[0].trafficDistribution 'PreferSameZone': has no effect "
		 "on traffic whose policy is Local\n"},
	};

	(void)state;
	check_services(rows);
}

static void test_own_keys(void **state)
{
	static const struct text_row rows[] = {
		{N C P "scheduler=\"rr\"", ""},
		{N C P "scheduler=\"lc\"",
		 "warning: services[0].scheduler 'lc': has no effect in iptables mode, which "
		 "chooses at random (leave it out)\n"},
		{N C P "scheduler=\"RR\"",
		 "error: services[0].scheduler 'RR': must be rr, wrr, lc, wlc, lblc, lblcr, "
		 "sh, dh, sed, nq, mh, fo, ovf or twos (did you mean 'rr'?)\n"},
		{N C P "scheduler=\"random\"",
		 "error: services[0].scheduler 'random': must be rr, wrr, lc, wlc, lblc, "
		 "lblcr, sh, dh, sed, nq, mh, fo, ovf or twos\n"},
		{N C P "scheduler=\"mh\"; schedulerFlags=[\"fallback\",\"port\"]",
		 "warning: services[0].scheduler 'mh': has no effect in iptables mode, which "
		 "chooses at random (leave it out)\n"},
		{N C P "schedulerFlags=[\"fallback\"]",
		 "warning: services[0].schedulerFlags: has no effect with scheduler rr: only sh "
		 "and mh have flags (leave it out)\n"},
		{N C P "scheduler=\"sh\"; schedulerFlags=[\"fall\"]",
		 "warning: services[0].scheduler 'sh': has no effect in iptables mode, which "
		 "chooses at random (leave it out)\n"
		 "error: services[0].schedulerFlags[0] 'fall': must be fallback or port\n"},
		{N C P "scheduler=\"sh\"; schedulerFlags=\"port\"",
		 "warning: services[0].scheduler 'sh': has no effect in iptables mode, which "
		 "chooses at random (leave it out)\n"
		 "error: services[0].schedulerFlags 'port': must be a list, not a string (a list "
		 "is written in parentheses or brackets)\n"},
		{N C P "onEndpointRemoval=\"cut\"", ""},
		{N C P "onEndpointRemoval=\"Drain\"",
		 "error: services[0].onEndpointRemoval 'Drain': must be drain or cut (did "
		 "you mean 'drain'?)\n"},
	};

	(void)state;
	check_services(rows);
}

/* Every key, and what becomes of it. */
static void test_content(void **state)
{
	_cleanup_settings_ struct settings settings;
	_cleanup_(service_def_freep) struct service_def *s = NULL;
	struct addr a;

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	s = make_service(
		"name = \"prod/web\"; type = \"LoadBalancer\"; "
		"clusterIPs = [\"fd00::a\", \"10.96.0.10\"]; "
		"ports = ({ name = \"http\"; port = 80; targetPort = \"www\"; nodePort = 30080; }, "
		"{ name = \"dns\"; protocol = \"UDP\"; port = 53; targetPort = 5353; }); "
		"externalIPs = [\"198.51.100.2\", \"198.51.100.1\", \"198.51.100.2\"]; "
		"loadBalancerIPs = (\"203.0.113.5\", { ip = \"203.0.113.4\"; ipMode = \"Proxy\"; "
		"}); "
		"loadBalancerSourceRanges = [\"2001:db8::/32\", \" 10.0.0.0/8 \"]; "
		"sessionAffinity = \"ClientIP\"; sessionAffinityTimeoutSeconds = 60; "
		"externalTrafficPolicy = \"Local\"; internalTrafficPolicy = \"Local\"; "
		"healthCheckNodePort = 30001; publishNotReadyAddresses = true; "
		"trafficDistribution = \"PreferSameNode\"; scheduler = \"sh\"; "
		"schedulerFlags = [\"port\"]; onEndpointRemoval = \"cut\"; "
		"healthCheck = { type = \"tcp\"; }; endpoints = [\"10.1.0.1\"];",
		&settings);
	assert_string_equal(s->key, "prod/web");
	assert_string_equal(s->at.file, "file");
	assert_int_equal(s->at.line, 1);
	assert_int_equal(s->at.column, 13);
	assert_int_equal(s->position, 0);
	assert_int_equal(s->type, SVC_LOAD_BALANCER);
	assert_false(s->headless);
	assert_true(s->has_cluster_ip[ADDR_IPV4] && s->has_cluster_ip[ADDR_IPV6]);
	assert_int_equal(addr_parse("10.96.0.10", &a), ADDR_OK);
	assert_true(addr_equal(&s->cluster_ips[ADDR_IPV4], &a));
	assert_int_equal(s->primary_family, ADDR_IPV6);

	assert_int_equal(s->n_ports, 2);
	assert_string_equal(s->ports[0].name, "http");
	assert_int_equal(s->ports[0].protocol, SVC_TCP);
	assert_int_equal(s->ports[0].port, 80);
	assert_int_equal(s->ports[0].target_port, 0);
	assert_string_equal(s->ports[0].target_name, "www");
	assert_int_equal(s->ports[0].node_port, 30080);
	assert_int_equal(s->ports[1].protocol, SVC_UDP);
	assert_int_equal(s->ports[1].target_port, 5353);
	assert_null(s->ports[1].target_name);
	assert_int_equal(s->ports[1].node_port, 0);

	/* In the order written, each once. */
	assert_int_equal(s->n_external_ips, 2);
	assert_int_equal(s->external_ips[0].bytes[3], 2);
	assert_int_equal(s->external_ips[1].bytes[3], 1);
	assert_int_equal(s->n_lb_ips, 2);
	assert_false(s->lb_ips[0].proxy);
	assert_true(s->lb_ips[1].proxy);
	assert_int_equal(s->lb_ips[1].ip.bytes[3], 4);
	assert_int_equal(s->n_source_ranges, 2);
	assert_int_equal(s->source_ranges[0].length, 32);
	assert_int_equal(s->source_ranges[1].length, 8);

	assert_true(s->affinity);
	assert_int_equal(s->affinity_seconds, 60);
	assert_true(s->external_local && s->internal_local && s->publish_not_ready);
	assert_int_equal(s->health_check_node_port, 30001);
	assert_int_equal(s->distribution, SVC_PREFER_SAME_NODE);
	assert_string_equal(s->scheduler, "sh");
	assert_true(s->flag_port && !s->flag_fallback && s->cut);
	assert_int_equal(s->health_check.type, CHECK_TCP);
	assert_non_null(s->inline_group);
	assert_string_equal(s->inline_group->service, "prod/web");
	assert_string_equal(s->inline_group->at.file, "file");
	assert_int_equal(s->inline_group->n_endpoints, 1);
}

static void test_defaults(void **state)
{
	_cleanup_settings_ struct settings settings;
	_cleanup_(service_def_freep) struct service_def *s = NULL;

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	s = make_service(N C P, &settings);
	assert_string_equal(s->key, "default/web");
	assert_int_equal(s->type, SVC_CLUSTER_IP);
	assert_string_equal(s->ports[0].name, "");
	assert_int_equal(s->ports[0].protocol, SVC_TCP);
	assert_int_equal(s->ports[0].target_port, 80);
	assert_false(s->affinity || s->cut || s->external_local || s->internal_local);
	assert_int_equal(s->affinity_seconds, 0);
	assert_int_equal(s->distribution, SVC_DISTRIBUTION_NONE);
	assert_int_equal(s->health_check.type, CHECK_NONE);
	assert_null(s->scheduler);
	assert_null(s->inline_group);
	service_def_free(s);

	s = make_service(N C P "sessionAffinity = \"ClientIP\";", &settings);
	assert_int_equal(s->affinity_seconds, 10800);
	service_def_free(s);

	/* The dot at the end is not part of the name. */
	s = make_service(N "type = \"ExternalName\"; externalName = \"a.example.\";", &settings);
	assert_string_equal(s->external_name, "a.example");
}

/* What the settings decide: the mode, the ranges. */
static void test_settings(void **state)
{
	static const struct {
		enum svc_mode mode;
		struct text_row row;
	} modes[] = {
		{MODE_IPVS, {N C P "scheduler = \"lc\"", ""}},
		{MODE_IPVS, {N C P "scheduler = \"mh\"; schedulerFlags = [\"port\"]", ""}},
		{MODE_USERSPACE, {N C P "scheduler = \"sed\"", ""}},
		{MODE_USERSPACE,
		 {N C P "scheduler = \"fo\"",
		  "error: services[0].scheduler 'fo': userspace mode knows rr, wrr, lc, wlc, sh, "
		  "mh, sed and nq (choose one of these)\n"}},
		{MODE_NFTABLES,
		 {N C P "scheduler = \"dh\"",
		  "warning: services[0].scheduler 'dh': has no effect in nftables mode, which "
		  "chooses at random (leave it out)\n"}},
	};
	static const struct text_row ranges[] = {
		{N P "clusterIP = \"10.96.0.1\"", ""},
		{N P "clusterIP = \"10.96.255.254\"", ""},
		{N P "clusterIP = \"10.96.0.0\"",
		 "error: services[0].clusterIP '10.96.0.0': must not be the first address of "
		 "ServiceCIDR=10.96.0.0/16 (choose another address of the range)\n"},
		{N P "clusterIP = \"10.96.255.255\"",
		 "error: services[0].clusterIP '10.96.255.255': must not be the last address of "
		 "ServiceCIDR=10.96.0.0/16 (choose another address of the range)\n"},
		{N P "clusterIP = \"10.97.0.1\"",
		 "error: services[0].clusterIP '10.97.0.1': must lie in ServiceCIDR=10.96.0.0/16 "
		 "(choose another address, or change the setting)\n"},
		{N P "clusterIP = \"fd00::1\"",
		 "error: services[0].clusterIP 'fd00::1': must lie in ServiceCIDR=10.96.0.0/16 "
		 "(choose another address, or change the setting)\n"},
		{N P "clusterIP = \"None\"", ""},
		{T C "ports = ({ port = 80; nodePort = 20; })", ""},
		{T C "ports = ({ port = 80; nodePort = 31; })",
		 "error: services[0].ports[0].nodePort '31': must lie in 20-30 (the range is that "
		 "of ServiceNodePortRange=)\n"},
	};
	_cleanup_settings_ struct settings settings;
	_cleanup_free_ struct addr_prefix *range = NULL;

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	for (size_t i = 0; i < ELEMENTSOF(modes); i++) {
		settings.mode = modes[i].mode;
		check_row(&modes[i].row, OBJECTS_SERVICES, &settings);
	}
	range = calloc(1, sizeof(*range));
	assert_non_null(range);
	assert_int_equal(addr_prefix_parse("10.96.0.0/16", range), ADDR_OK);
	settings.service_cidr = (struct prefix_list){range, 1};
	settings.node_port_min = 20;
	settings.node_port_max = 30;
	for (size_t i = 0; i < ELEMENTSOF(ranges); i++)
		check_row(&ranges[i], OBJECTS_SERVICES, &settings);
	settings.service_cidr = (struct prefix_list){0};
}

/* Objects of Kubernetes: messages name the places that the tree was made from. */
static void test_origin(void **state)
{
	_cleanup_settings_ struct settings settings;
	_cleanup_(node_tree_freep) struct node_tree *from = NULL, *to = NULL;
	_cleanup_diags_ struct diags d = {0};
	_cleanup_free_ char *said = NULL;
	struct service_def *s = NULL;
	struct node *n;

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	from = make_tree("metadata = { name = \"web.\"; namespace = \"a.b\"; }; spec = { };");
	assert_int_equal(node_tree_new("file.yaml", &to), 0);
	n = node_add(to, NULL, NODE_GROUP, NULL);
	n->origin = node_get(from->root, "spec");
	node_add_string(to, n, "name", "a.b/web.")->origin = node_get(
		node_get(from->root, "metadata"), "name");
	node_add_string(to, n, "clusterIP", "10.96.0.1");
	assert_int_equal(service_def_read(to, n, &settings, "file.yaml", &s, &d), -EBADMSG);
	said = messages_text(&d);
	assert_string_equal(said,
			    "error: metadata.namespace 'a.b': the namespace must be 1 to 63 of "
			    "a-z, 0-9 and '-', with no '-' at its ends (did you mean 'a-b'?)\n"
			    "error: metadata.name 'web.': the name must be 1 to 63 of a-z, 0-9 and "
			    "'-', with no '-' at its ends\n"
			    "error: spec.ports: must have at least one port (add an entry with a "
			    "port number)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	 cmocka_unit_test(test_keys_and_types),
		cmocka_unit_test(test_types),	 cmocka_unit_test(test_external_names),
		cmocka_unit_test(test_policies), cmocka_unit_test(test_own_keys),
		cmocka_unit_test(test_content),	 cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_settings), cmocka_unit_test(test_origin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
