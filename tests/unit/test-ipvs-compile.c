/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-ipvs.h"

/* Real servers of the frontends as codes: "C=1,2 E=1 L=1 N=1" with the last byte of each address;
 * node ports of one address only. */
static char *reals_text(const struct ipvs_fragment *f)
{
	static const char letters[] = "CELN";
	struct strbuf out = {0};
	bool node_port = false;

	for (size_t i = 0; i < f->n_virtuals; i++) {
		const struct ipvs_virtual *v = &f->virtuals[i];

		if (v->frontend == FRONTEND_NODE_PORT && node_port)
			continue;
		node_port = v->frontend == FRONTEND_NODE_PORT;
		strbuf_addf(&out, "%s%c=", i > 0 ? " " : "", letters[v->frontend]);
		for (size_t k = 0; k < v->n_reals; k++) {
			const struct addr *a = &v->reals[k].addr;

			strbuf_addf(&out, "%s%u", k > 0 ? "," : "",
				    a->bytes[a->family == ADDR_IPV4 ? 3 : 15]);
		}
	}
	assert_int_equal(strbuf_error(&out), 0);
	return out.len ? strbuf_take(&out) : strdup("");
}

static struct ipvs_fragment *compile_with(const struct setup *s, struct shared_settings *settings,
					  enum addr_family family, const char *const *endpoints,
					  size_t n)
{
	struct service *service = make_from(s, endpoints, n);
	struct view v = make_view(settings, NULL, 0);
	struct ipvs_env *env = NULL;
	struct ipvs_fragment *f = NULL;

	assert_int_equal(ipvs_env_make(&v, family, &env), 0);
	assert_int_equal(ipvs_fragment_compile(env, service, &f), 0);
	assert_int_equal(f->refs, 1);
	assert_ptr_equal(f->service, service);
	/* The fragment needs neither of them. */
	service_unref(service);
	ipvs_env_free(env);
	view_done(&v);
	return f;
}

#define check(s, family, wanted, ...)                                                    \
	check_reals((s), (family), (wanted), (const char *const[]){NULL, ##__VA_ARGS__}, \
		    ELEMENTSOF(((const char *const[]){NULL, ##__VA_ARGS__})), __LINE__)

static void check_reals(const struct setup *s, enum addr_family family, const char *wanted,
			const char *const *endpoints, size_t n, int line)
{
	struct ipvs_fragment *f = compile_with(s, make_settings(), family, endpoints, n);
	char *got = reals_text(f);

	if (!streq(got, wanted))
		fail_msg("line %d: '%s'\nwanted '%s'", line, got, wanted);
	free(got);
	ipvs_fragment_unref(f);
}

#define LOCAL "10.1.0.1:80 r @node-1"
#define REMOTE "10.1.0.2:80 r @node-2"
#define LOCAL_LEAVING "10.1.0.3:80 s @node-1"
#define REMOTE_LEAVING "10.1.0.4:80 s @node-2"
#define LOCAL_OUT "10.1.0.5:80 n @node-1"

/* spec/ipvs.md section 3, each row with addresses outside and without any. */
static void test_policies(void **state)
{
	static const struct {
		bool internal_local, external_local;
		const char *endpoints[3];
		const char *with, *without;
	} rows[] = {
		{false, false, {NULL}, "C= E= L= N=", "C="},
		{false, false, {LOCAL_OUT}, "C= E= L= N=", "C="},
		{true, true, {LOCAL_OUT}, "C= E= L= N=", "C="},
		{false, false, {LOCAL, REMOTE}, "C=1,2 E=1,2 L=1,2 N=1,2", "C=1,2"},
		{false, true, {LOCAL, REMOTE}, "C=1,2 E=1 L=1 N=1", "C=1,2"},
		{true, false, {LOCAL, REMOTE}, "C=1 E=1,2 L=1,2 N=1,2", "C=1"},
		{true, true, {LOCAL, REMOTE}, "C=1 E=1 L=1 N=1", "C=1"},
		/* none is local: the others, unless the port has nothing outside */
		{false, true, {REMOTE}, "C=2 E=2 L=2 N=2", "C=2"},
		{true, false, {REMOTE}, "C=2 E=2 L=2 N=2", "C="},
		{true, true, {REMOTE}, "C=2 E=2 L=2 N=2", "C="},
		{true, true, {REMOTE, LOCAL_OUT}, "C=2 E=2 L=2 N=2", "C="},
		/* those that leave, when nothing else is there */
		{false, false, {LOCAL_LEAVING, REMOTE}, "C=2 E=2 L=2 N=2", "C=2"},
		{false, false, {LOCAL_LEAVING, REMOTE_LEAVING}, "C=3,4 E=3,4 L=3,4 N=3,4", "C=3,4"},
		{false, true, {LOCAL_LEAVING, REMOTE}, "C=2 E=3 L=3 N=3", "C=2"},
		{true, true, {LOCAL_LEAVING, REMOTE}, "C=3 E=3 L=3 N=3", "C=3"},
		{true, true, {LOCAL, LOCAL_LEAVING}, "C=1 E=1 L=1 N=1", "C=1"},
		{false, true, {REMOTE_LEAVING}, "C=4 E=4 L=4 N=4", "C=4"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		const char *const *e = rows[i].endpoints;
		struct setup s;

		set_up_external(&s, "ns/a");
		s.def.internal_local = rows[i].internal_local;
		s.def.external_local = rows[i].external_local;
		check(&s, ADDR_IPV4, rows[i].with, e[0], e[1], e[2]);
		set_up(&s, "ns/a");
		s.def.internal_local = rows[i].internal_local;
		s.def.external_local = rows[i].external_local;
		check(&s, ADDR_IPV4, rows[i].without, e[0], e[1], e[2]);
	}
}

static void test_families(void **state)
{
	struct setup s;

	(void)state;
	set_up_external(&s, "ns/a");
	check(&s, ADDR_IPV6, "C=7 E=7 L=7 N=7", LOCAL, "[fd00::7]:80 r");
	check(&s, ADDR_IPV6, "C= E= L= N=", LOCAL);
	s.def.has_cluster_ip[ADDR_IPV6] = false;
	check(&s, ADDR_IPV6, "", LOCAL, "[fd00::7]:80 r");
	check(&s, ADDR_IPV4, "C=1 E=1 L=1 N=1", LOCAL, "[fd00::7]:80 r");
	s.def.headless = true;
	check(&s, ADDR_IPV4, "", LOCAL);
	s.def.headless = false;
	s.def.type = SVC_EXTERNAL_NAME;
	check(&s, ADDR_IPV4, "", LOCAL);
	set_up(&s, "ns/a");
	s.def.n_ports = 0;
	check(&s, ADDR_IPV4, "");
}

/* An address for the proxy's own use has nothing, and external ones can be forbidden. */
static void test_addresses_left_out(void **state)
{
	struct shared_settings *settings = make_settings();
	struct ipvs_fragment *f;
	struct setup s;
	char *got;

	(void)state;
	set_up_external(&s, "ns/a");
	s.lb[0].proxy = true;
	check(&s, ADDR_IPV4, "C=1 E=1 N=1", LOCAL);
	settings->s.allow_external_ips = false;
	f = compile_with(&s, settings, ADDR_IPV4, (const char *const[]){LOCAL}, 1);
	got = reals_text(f);
	assert_string_equal(got, "C=1 N=1");
	assert_int_equal(f->parts[SET_EXTERNAL_IP].n, 0);
	assert_int_equal(f->parts[SET_LOAD_BALANCER].n, 0);
	free(got);
	ipvs_fragment_unref(f);
}

/* One list serves all frontends with the same policy; it is sorted by address, not by text. */
static void test_lists(void **state)
{
	struct ipvs_fragment *f;
	struct setup s;

	(void)state;
	set_up_external(&s, "ns/a");
	f = compile_with(
		&s, make_settings(), ADDR_IPV4,
		(const char *const[]){"10.1.0.10:80 r", "10.1.0.9:8080 r", "10.1.0.9:80 r"}, 3);
	assert_int_equal(f->n_virtuals, 5); /* two addresses have node ports */
	for (size_t i = 0; i < f->n_virtuals; i++) {
		const struct ipvs_virtual *v = &f->virtuals[i];
		bool node_port = v->frontend == FRONTEND_NODE_PORT;

		assert_ptr_equal(v->reals, f->virtuals[0].reals);
		assert_int_equal(v->n_reals, 3);
		assert_int_equal(v->port, node_port ? 30080 : 80);
		assert_int_equal(v->bind, !node_port);
		assert_ptr_equal(v->service, f->service);
		assert_int_equal(v->port_index, 0);
		assert_int_equal(v->flags, 0);
		assert_int_equal(v->timeout, 0);
		assert_string_equal(v->scheduler, "rr");
	}
	assert_int_equal(f->virtuals[0].reals[0].addr.bytes[3], 9);
	assert_int_equal(f->virtuals[0].reals[0].port, 80);
	assert_int_equal(f->virtuals[0].reals[1].port, 8080);
	assert_int_equal(f->virtuals[0].reals[2].addr.bytes[3], 10);
	assert_ptr_equal(ipvs_fragment_ref(f), f);
	assert_null(ipvs_fragment_unref(f));
	assert_null(ipvs_fragment_unref(f));
	assert_null(ipvs_fragment_unref(NULL));
}

static void test_weights(void **state)
{
	struct shared_settings *settings = make_settings();
	struct service *service;
	struct ipvs_state *st;
	struct setup s;
	struct view v;

	(void)state;
	set_up(&s, "ns/a");
	service = make_from(&s, (const char *const[]){LOCAL, REMOTE, "10.1.0.3:80 r"}, 3);
	service->endpoints[0][ADDR_IPV4].items[0].weight = 0;
	service->endpoints[0][ADDR_IPV4].items[1].weight = 65535;
	v = make_view(settings, &service, 1);
	st = make_state(&v, ADDR_IPV4, NULL);
	assert_int_equal(st->servers[0]->reals[0].weight, 0);
	assert_int_equal(st->servers[0]->reals[1].weight, 65535);
	assert_int_equal(st->servers[0]->reals[2].weight, 1);
	ipvs_state_unref(st);
	view_done(&v);
}

/* linux/ip_vs.h: IP_VS_SVC_F_PERSISTENT, _SCHED1 (fallback), _SCHED2 (port) */
static void test_scheduler_and_affinity(void **state)
{
	static const struct {
		const char *setting, *own;
		bool fallback, port, affinity;
		const char *scheduler;
		uint32_t flags;
	} rows[] = {
		{"", "", false, false, false, "rr", 0},
		{"wrr", "", false, false, false, "wrr", 0},
		{"wrr", "sed", false, false, true, "sed", 0x1},
		{"rr", "sh", false, false, false, "sh", 0},
		{"sh", "", true, true, false, "sh", 0x18},
		{"rr", "sh", true, false, true, "sh", 0x9},
		{"rr", "sh", false, true, false, "sh", 0x10},
		{"mh", "", false, false, false, "mh", 0x10},
		{"mh", "rr", false, false, false, "rr", 0},
		{"rr", "mh", false, false, true, "mh", 0x11},
		{"rr", "mh", true, false, false, "mh", 0x8},
		{"rr", "mh", true, true, false, "mh", 0x18},
		/* refused by the reader; no flags of another scheduler ever */
		{"lc", "", true, true, false, "lc", 0},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *settings = make_settings();
		struct ipvs_fragment *f;
		char own[8];
		struct setup s;

		replace_text(&settings->s.ipvs_scheduler, rows[i].setting);
		set_up_external(&s, "ns/a");
		(void)snprintf(own, sizeof(own), "%s", rows[i].own);
		s.def.scheduler = own[0] ? own : NULL;
		s.def.flag_fallback = rows[i].fallback;
		s.def.flag_port = rows[i].port;
		s.def.affinity = rows[i].affinity;
		s.def.affinity_seconds = 77;
		f = compile_with(&s, settings, ADDR_IPV4, NULL, 0);
		for (size_t k = 0; k < f->n_virtuals; k++) {
			assert_string_equal(f->virtuals[k].scheduler, rows[i].scheduler);
			if (f->virtuals[k].flags != rows[i].flags)
				fail_msg("row %zu: flags 0x%x", i, f->virtuals[k].flags);
			assert_int_equal(f->virtuals[k].timeout, rows[i].affinity ? 77 : 0);
		}
		ipvs_fragment_unref(f);
	}
}

/* spec/ipvs.md section 2.1: not where the address is already, but cluster addresses always. */
static void test_bind(void **state)
{
	static const char *const addrs[] = {"192.0.2.10%eth0", "198.51.100.1%eth0",
					    "10.96.0.1%eth0", "203.0.113.1%kube-ipvs0"};
	struct service *service;
	struct ipvs_state *st;
	struct setup s;
	struct view v;

	(void)state;
	set_up_external(&s, "ns/a");
	service = make_from(&s, NULL, 0);
	v = make_view_at(make_settings(), &service, 1, addrs, ELEMENTSOF(addrs));
	st = make_state(&v, ADDR_IPV4, NULL);
	check_entries(st, SET_IPVS_IPS, "10.96.0.1 203.0.113.1");
	assert_int_equal(st->n_addresses, 2);
	assert_true(addr_equal(&st->addresses[0], &s.def.cluster_ips[0]));
	check_entries(st, SET_EXTERNAL_IP, "198.51.100.1,tcp:80");
	for (size_t i = 0; i < st->n_servers; i++)
		assert_int_equal(st->servers[i]->bind,
				 st->servers[i]->frontend == FRONTEND_CLUSTER_IP ||
					 st->servers[i]->frontend == FRONTEND_LOAD_BALANCER_IP);
	ipvs_state_unref(st);
	view_done(&v);
}

/* spec/ipvs.md section 1.2, by policy and protocol. */
static void test_sets(void **state)
{
	static const enum ipvs_set node_port_sets[_SVC_PROTO_MAX][2] = {
		{SET_NODE_PORT_TCP, SET_NODE_PORT_LOCAL_TCP},
		{SET_NODE_PORT_UDP, SET_NODE_PORT_LOCAL_UDP},
		{SET_NODE_PORT_SCTP, SET_NODE_PORT_LOCAL_SCTP},
	};

	(void)state;
	for (int i = 0; i < 2 * _SVC_PROTO_MAX; i++) {
		enum svc_proto protocol = (enum svc_proto)(i / 2);
		bool local = i % 2;
		struct ipvs_state *st;
		struct setup s;
		char external[64], lb[64], cluster[64];
		const char *node = protocol == SVC_SCTP
					   ? "10.1.0.1,sctp:30080 192.0.2.10,sctp:30080"
					   : "30080";

		set_up_external(&s, "ns/a");
		s.ports[0].protocol = protocol;
		s.def.external_local = local;
		s.def.health_check_node_port = 30999;
		st = make_state_of(make_from(&s, NULL, 0), ADDR_IPV4);
		(void)snprintf(cluster, sizeof(cluster), "10.96.0.1,%s:80",
			       svc_proto_lower(protocol));
		(void)snprintf(external, sizeof(external), "198.51.100.1,%s:80",
			       svc_proto_lower(protocol));
		(void)snprintf(lb, sizeof(lb), "203.0.113.1,%s:80", svc_proto_lower(protocol));
		check_entries(st, SET_CLUSTER_IP, cluster);
		check_entries(st, SET_EXTERNAL_IP, local ? "" : external);
		check_entries(st, SET_EXTERNAL_IP_LOCAL, local ? external : "");
		check_entries(st, SET_LOAD_BALANCER, lb);
		check_entries(st, SET_LOAD_BALANCER_LOCAL, local ? lb : "");
		check_entries(st, SET_LOAD_BALANCER_FW, "");
		check_entries(st, SET_HEALTH_CHECK_NODE_PORT, local ? "30999" : "");
		for (int p = 0; p < _SVC_PROTO_MAX; p++) {
			check_entries(st, node_port_sets[p][0], p == (int)protocol ? node : "");
			check_entries(st, node_port_sets[p][1],
				      p == (int)protocol && local ? node : "");
		}
		ipvs_state_unref(st);
	}
}

/* Without an address for node ports a port that has one loses the health check, too. */
static void test_no_node_port_addresses(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct shared_settings *settings = make_settings();
		struct service *service;
		struct ipvs_state *st;
		struct setup s;
		struct view v;

		set_up_external(&s, "ns/a");
		s.def.external_local = true;
		s.def.health_check_node_port = 30999;
		s.def.n_ports = 2;
		s.ports[1].node_port = i == 0 ? 30053 : 0;
		service = make_from(&s, NULL, 0);
		add_prefix(&settings->s.node_port_addresses.prefixes, "172.16.0.0/12");
		v = make_view(settings, &service, 1);
		st = make_state(&v, ADDR_IPV4, NULL);
		check_entries(st, SET_NODE_PORT_TCP, "");
		check_entries(st, SET_NODE_PORT_LOCAL_TCP, "");
		check_entries(st, SET_NODE_PORT_UDP, "");
		check_entries(st, SET_HEALTH_CHECK_NODE_PORT, i == 0 ? "" : "30999");
		assert_int_equal(st->n_servers, 6);
		ipvs_state_unref(st);
		view_done(&v);
	}
}

/* spec/ipvs.md sections 1.2 and 3; the node is 192.0.2.10. */
static void test_source_ranges(void **state)
{
#define LB4 "203.0.113.1,tcp:80"
#define LB6 "2001:db8:113::1,tcp:80"
	static const struct {
		const char *ranges[3];
		bool v4, v6; /* limited */
		const char *cidr_v4, *cidr_v6;
		bool node_v4, node_v6;
	} rows[] = {
		{{NULL}, false, false, "", "", false, false},
		{{"198.51.100.0/24"}, true, false, LB4 ",198.51.100.0/24", "", false, false},
		{{"192.0.2.0/24"}, true, false, LB4 ",192.0.2.0/24", "", true, false},
		{{"192.0.2.10/32"}, true, false, LB4 ",192.0.2.10", "", true, false},
		{{"192.0.2.11/32", "10.0.0.0/8"},
		 true,
		 false,
		 LB4 ",10.0.0.0/8 " LB4 ",192.0.2.11",
		 "",
		 false,
		 false},
		{{"10.0.0.0/8", "0.0.0.0/0"}, false, false, "", "", false, false},
		{{"0.0.0.0/0", "2001:db8:9::/48"},
		 false,
		 true,
		 "",
		 LB6 ",2001:db8:9::/48",
		 false,
		 false},
		/* of the other family only: open */
		{{"2001:db8:2::10/128"}, false, true, "", LB6 ",2001:db8:2::10", false, true},
		{{"2001:db8:2::/48", "192.0.2.0/24"},
		 true,
		 true,
		 LB4 ",192.0.2.0/24",
		 LB6 ",2001:db8:2::/48",
		 true,
		 true},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct setup s;

		set_up_external(&s, "ns/a");
		for (size_t k = 0; k < 3 && rows[i].ranges[k]; k++)
			s.ranges[s.def.n_source_ranges++] = make_prefix(rows[i].ranges[k]);
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			struct ipvs_state *st = make_state_of(make_from(&s, NULL, 0),
							      (enum addr_family)f);
			bool limited = f == ADDR_IPV4 ? rows[i].v4 : rows[i].v6;
			bool node = f == ADDR_IPV4 ? rows[i].node_v4 : rows[i].node_v6;
			const char *lb = f == ADDR_IPV4 ? LB4 : LB6;
			const char *own = f == ADDR_IPV4 ? LB4 ",203.0.113.1"
							 : LB6 ",2001:db8:113::1";

			check_entries(st, SET_LOAD_BALANCER, lb);
			check_entries(st, SET_LOAD_BALANCER_FW, limited ? lb : "");
			check_entries(st, SET_LOAD_BALANCER_SOURCE_IP, node ? own : "");
			check_entries(st, SET_LOAD_BALANCER_SOURCE_CIDR,
				      f == ADDR_IPV4 ? rows[i].cidr_v4 : rows[i].cidr_v6);
			assert_int_equal(st->piles->out_filter.n, limited && !node);
			ipvs_state_unref(st);
		}
	}
}

/* All endpoints on this host, whatever their state, in their own port. */
static void test_loop_back(void **state)
{
	struct ipvs_state *st;
	struct setup s;

	(void)state;
	set_up(&s, "ns/a");
	s.ports[0].protocol = SVC_UDP;
	st = make_state_of(
		make_from(&s,
			  (const char *const[]){LOCAL, REMOTE, LOCAL_LEAVING, LOCAL_OUT,
						"10.1.0.6:8080 t @node-1", "10.1.0.7:80 r",
						"[fd00::7]:80 d @node-1"},
			  7),
		ADDR_IPV4);
	check_entries(st, SET_LOOP_BACK,
		      "10.1.0.1,udp:80,10.1.0.1 10.1.0.3,udp:80,10.1.0.3 "
		      "10.1.0.5,udp:80,10.1.0.5 10.1.0.6,udp:8080,10.1.0.6");
	ipvs_state_unref(st);
	st = make_state_of(make_from(&s, (const char *const[]){LOCAL, "[fd00::7]:80 d @node-1"}, 2),
			   ADDR_IPV6);
	check_entries(st, SET_LOOP_BACK, "fd00::7,udp:80,fd00::7");
	ipvs_state_unref(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_addresses_left_out),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_scheduler_and_affinity),
		cmocka_unit_test(test_bind),
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_no_node_port_addresses),
		cmocka_unit_test(test_source_ranges),
		cmocka_unit_test(test_loop_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
