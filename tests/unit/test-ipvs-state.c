/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-ipvs.h"

static const struct ipvs_virtual *find(const struct ipvs_state *s, const char *addr, uint16_t port)
{
	struct addr a = make_addr(addr);

	for (size_t i = 0; i < s->n_servers; i++)
		if (s->servers[i]->port == port && addr_equal(&s->servers[i]->addr, &a))
			return s->servers[i];
	return NULL;
}

static void check_order(const struct ipvs_state *s)
{
	for (size_t i = 1; i < s->n_servers; i++)
		assert_true(ipvs_virtual_compare(s->servers[i - 1], s->servers[i]) < 0);
	for (int set = 0; set < _SET_MAX; set++)
		for (size_t i = 1; i < s->n_entries[set]; i++)
			assert_true(ipvs_entry_compare(&s->entries[set][i - 1],
						       &s->entries[set][i]) < 0);
	assert_int_equal(s->n_addresses, s->n_entries[SET_IPVS_IPS]);
	for (size_t i = 0; i < s->n_addresses; i++)
		assert_true(addr_equal(&s->addresses[i], &s->entries[SET_IPVS_IPS][i].addr));
}

static void test_empty(void **state)
{
	(void)state;
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		struct view v = make_view(make_settings(), NULL, 0);
		struct ipvs_state *s = make_state(&v, (enum addr_family)f, NULL), *t;

		assert_int_equal(s->n_servers, 0);
		assert_int_equal(s->n_addresses, 0);
		assert_int_equal(s->n_chains, 11);
		for (int i = 0; i < _SET_MAX; i++)
			assert_int_equal(s->n_entries[i], 0);
		t = make_state(&v, (enum addr_family)f, s);
		assert_ptr_equal(ipvs_state_ref(s), s);
		assert_null(ipvs_state_unref(s));
		assert_null(ipvs_state_unref(s));
		ipvs_state_unref(t);
		view_done(&v);
	}
	assert_null(ipvs_state_unref(NULL));
}

/* One address, port and protocol wanted twice: the kind of frontend decides, then the name; what
 * sets hold is that of both (spec/model.md X1, X5). */
static void test_claims(void **state)
{
	static const struct {
		const char *vip_name, *node_port_name;
	} rows[] = {{"ns/a", "ns/b"}, {"ns/b", "ns/a"}};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct setup vip, node;
		struct service *services[2], *by_vip, *by_node;
		const struct ipvs_virtual *won;
		struct ipvs_state *s;
		struct view v;

		set_up(&vip, rows[i].vip_name);
		vip.external[vip.def.n_external_ips++] = make_addr("192.0.2.10");
		vip.ports[0].port = 30080;
		set_up(&node, rows[i].node_port_name);
		node.def.type = SVC_NODE_PORT;
		node.ports[0].node_port = 30080;
		node.def.cluster_ips[ADDR_IPV4] = make_addr("10.96.0.2");
		by_vip = make_from(&vip, (const char *const[]){"10.1.0.1:80 r"}, 1);
		by_node = make_from(&node, (const char *const[]){"10.1.0.2:80 r"}, 1);
		services[i] = by_vip;
		services[1 - i] = by_node;
		v = make_view(make_settings(), services, 2);
		s = make_state(&v, ADDR_IPV4, NULL);
		check_order(s);
		/* two cluster addresses, the VIP, and the other node address */
		assert_int_equal(s->n_servers, 4);
		won = find(s, "192.0.2.10", 30080);
		assert_non_null(won);
		assert_int_equal(won->frontend, FRONTEND_EXTERNAL_IP);
		assert_ptr_equal(won->service, by_vip);
		assert_int_equal(won->reals[0].addr.bytes[3], 1);
		won = find(s, "10.1.0.1", 30080);
		assert_non_null(won);
		assert_ptr_equal(won->service, by_node);
		check_entries(s, SET_NODE_PORT_TCP, "30080");
		check_entries(s, SET_EXTERNAL_IP, "192.0.2.10,tcp:30080");
		/* it is on another link */
		check_entries(s, SET_IPVS_IPS, "10.96.0.1 10.96.0.2");
		ipvs_state_unref(s);
		view_done(&v);
	}
}

/* The order of frontends of equal address: cluster address, external, balancer, node port. */
static void test_claims_of_all_kinds(void **state)
{
	struct service *services[4];
	const struct ipvs_virtual *won;
	struct ipvs_state *s;
	struct setup setups[4];
	struct view v;

	(void)state;
	for (int n = 4; n > 0; n--) {
		for (int i = 0; i < 4; i++) {
			char key[16];

			(void)snprintf(key, sizeof(key), "ns/%d", i);
			set_up(&setups[i], key);
			setups[i].ports[0].port = 30080;
			setups[i].def.cluster_ips[ADDR_IPV4].bytes[3] = (uint8_t)(10 + i);
		}
		setups[0].def.type = SVC_NODE_PORT;
		setups[0].ports[0].node_port = 30080;
		setups[1].lb[setups[1].def.n_lb_ips++].ip = make_addr("192.0.2.10");
		setups[2].external[setups[2].def.n_external_ips++] = make_addr("192.0.2.10");
		setups[3].def.cluster_ips[ADDR_IPV4] = make_addr("192.0.2.10");
		for (int i = 0; i < n; i++)
			services[i] = make_from(&setups[i], NULL, 0);
		v = make_view(make_settings(), services, (size_t)n);
		s = make_state(&v, ADDR_IPV4, NULL);
		won = find(s, "192.0.2.10", 30080);
		assert_non_null(won);
		assert_int_equal(won->frontend, 4 - n);
		assert_ptr_equal(won->service, services[n - 1]);
		/* a cluster address is bound in any case */
		assert_int_equal(won->bind, n == 4);
		ipvs_state_unref(s);
		view_done(&v);
	}
}

/* Two services with the same external address, and with the same pod: each thing once. */
static void test_merged(void **state)
{
	struct service *services[2];
	const struct ipvs_virtual *won;
	struct ipvs_state *s;
	struct setup a, b;
	struct view v;

	(void)state;
	set_up_external(&a, "ns/a");
	set_up_external(&b, "ns/b");
	b.def.cluster_ips[ADDR_IPV4] = make_addr("10.96.0.2");
	b.ports[0].node_port = 0;
	services[0] = make_from(&a, (const char *const[]){"10.1.0.1:80 r @node-1"}, 1);
	services[1] = make_from(&b, (const char *const[]){"10.1.0.1:80 n @node-1"}, 1);
	v = make_view(make_settings(), services, 2);
	s = make_state(&v, ADDR_IPV4, NULL);
	check_order(s);
	check_entries(s, SET_LOOP_BACK, "10.1.0.1,tcp:80,10.1.0.1");
	check_entries(s, SET_IPVS_IPS, "10.96.0.1 10.96.0.2 198.51.100.1 203.0.113.1");
	check_entries(s, SET_EXTERNAL_IP, "198.51.100.1,tcp:80");
	won = find(s, "198.51.100.1", 80);
	assert_non_null(won);
	assert_ptr_equal(won->service, services[0]);
	ipvs_state_unref(s);
	view_done(&v);
}

static void test_families(void **state)
{
	struct service *service;
	struct ipvs_state *one, *two;
	struct setup s;
	struct view v;

	(void)state;
	set_up_external(&s, "ns/a");
	service = make_from(&s, (const char *const[]){"10.1.0.1:80 r", "[fd00::1]:80 r"}, 2);
	v = make_view(make_settings(), &service, 1);
	one = make_state(&v, ADDR_IPV4, NULL);
	two = make_state(&v, ADDR_IPV6, one);
	assert_int_equal(one->n_servers, 5);
	assert_int_equal(two->n_servers, 4);
	for (size_t i = 0; i < two->n_servers; i++) {
		assert_int_equal(two->servers[i]->addr.family, ADDR_IPV6);
		assert_int_equal(two->servers[i]->n_reals, 1);
		assert_int_equal(two->servers[i]->reals[0].addr.family, ADDR_IPV6);
	}
	check_entries(two, SET_IPVS_IPS, "2001:db8:51::1 2001:db8:113::1 fd00:96::1");
	ipvs_state_unref(one);
	ipvs_state_unref(two);
	view_done(&v);
}

static void test_fragments_are_shared(void **state)
{
	struct shared_settings *settings = make_settings(), *other;
	struct service *first[2], *second[2], *third[2];
	struct ipvs_state *one, *two, *three;
	struct setup a, b;
	struct view v, w, x;

	(void)state;
	set_up_external(&a, "ns/a");
	set_up(&b, "ns/b");
	first[0] = make_from(&a, (const char *const[]){"10.1.0.1:80 r"}, 1);
	first[1] = make_from(&b, NULL, 0);
	second[0] = service_ref(first[0]);
	second[1] = make_from(&b, (const char *const[]){"10.1.0.1:80 r"}, 1);
	third[0] = service_ref(first[0]);
	third[1] = service_ref(second[1]);
	other = make_settings();
	replace_text(&other->s.ipvs_scheduler, "lc");
	v = make_view(shared_settings_ref(settings), first, 2);
	w = make_view(settings, second, 2);
	x = make_view(other, third, 2);
	one = make_state(&v, ADDR_IPV4, NULL);
	two = make_state(&w, ADDR_IPV4, one);
	assert_ptr_equal(one->fragments[0], two->fragments[0]);
	assert_ptr_not_equal(one->fragments[1], two->fragments[1]);
	/* What they depend on has changed. */
	three = make_state(&x, ADDR_IPV4, two);
	assert_ptr_not_equal(two->fragments[0], three->fragments[0]);
	assert_ptr_not_equal(two->fragments[1], three->fragments[1]);
	assert_string_equal(three->servers[0]->scheduler, "lc");
	/* What is shared outlives the state that it was made for. */
	ipvs_state_unref(one);
	view_done(&v);
	assert_string_equal(two->servers[0]->scheduler, "rr");
	ipvs_state_unref(three);
	view_done(&x);
	ipvs_state_unref(two);
	view_done(&w);
}

/* Small numbers by a generator of its own: the same on each machine. */
static unsigned next_random(uint64_t *seed, unsigned below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(*seed >> 33) % below;
}

#define N_NAMES 12

/* A service that shares addresses, endpoints and node ports with others by chance. */
static struct service *make_random(unsigned name, uint64_t *seed)
{
	struct service *service;
	struct setup s;
	char key[16], text[64];

	(void)snprintf(key, sizeof(key), "ns/s%02u", name);
	set_up(&s, key);
	s.def.cluster_ips[ADDR_IPV4].bytes[3] = (uint8_t)(1 + next_random(seed, N_NAMES));
	s.def.has_cluster_ip[ADDR_IPV6] = next_random(seed, 2);
	s.def.type = (enum svc_type)next_random(seed, 3);
	if (s.def.type != SVC_CLUSTER_IP)
		s.ports[0].node_port = (uint16_t)(30000 + next_random(seed, 3));
	s.ports[0].protocol = (enum svc_proto)next_random(seed, _SVC_PROTO_MAX);
	s.def.n_ports = 1 + next_random(seed, 2);
	for (unsigned i = next_random(seed, 3); i > 0; i--) {
		struct addr *a = &s.external[s.def.n_external_ips++];

		*a = make_addr("198.51.100.0");
		a->bytes[3] = (uint8_t)(i + next_random(seed, 2));
	}
	for (unsigned i = next_random(seed, 3); i > 0; i--) {
		struct lb_ip *lb = &s.lb[s.def.n_lb_ips++];

		lb->ip = make_addr(i == 1 ? "203.0.113.0" : "192.0.2.10");
		if (i == 1)
			lb->ip.bytes[3] = (uint8_t)next_random(seed, 3);
	}
	if (next_random(seed, 2))
		s.ranges[s.def.n_source_ranges++] = make_prefix(
			next_random(seed, 2) ? "192.0.2.0/24" : "10.0.0.0/8");
	s.def.external_local = next_random(seed, 2);
	s.def.internal_local = next_random(seed, 2);
	s.def.affinity = next_random(seed, 2);
	s.def.health_check_node_port = 30999;
	service = make_from(&s, NULL, 0);
	for (unsigned i = next_random(seed, 4); i > 0; i--) {
		(void)snprintf(text, sizeof(text), "10.1.0.%u:80 %c %s",
			       3 * i + next_random(seed, 3), "rsn"[next_random(seed, 3)],
			       next_random(seed, 2) ? "@node-1" : "@node-2");
		give_endpoint(service, 0, text);
	}
	return service;
}

/* After each of many edits the state is that which is made from nothing. */
static void test_random_edits(void **state)
{
	struct service *current[N_NAMES] = {NULL};
	struct ipvs_state *last[_ADDR_FAMILY_MAX] = {NULL, NULL};
	uint64_t seed = 7;

	(void)state;
	for (unsigned step = 0; step < 400; step++) {
		struct shared_settings *settings = make_settings();
		struct service *services[N_NAMES];
		struct view v;
		size_t n = 0;

		for (unsigned k = 1 + next_random(&seed, 3); k > 0; k--) {
			unsigned name = next_random(&seed, N_NAMES);

			service_unref(current[name]);
			current[name] = next_random(&seed, 4) ? make_random(name, &seed) : NULL;
		}
		for (unsigned i = 0; i < N_NAMES; i++)
			if (current[i])
				services[n++] = service_ref(current[i]);
		/* Now and then everything is made anew. */
		if (step / 50 % 2)
			replace_text(&settings->s.ipvs_scheduler, "mh");
		v = make_view_at(settings, services, n, host_addrs,
				 ELEMENTSOF(host_addrs) - step / 80 % 2);
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			struct ipvs_state *alone = make_state(&v, (enum addr_family)f, NULL);
			struct ipvs_state *next = make_state(&v, (enum addr_family)f, last[f]);
			char *a = state_text(alone), *b = state_text(next);

			check_order(next);
			if (!streq(a, b))
				fail_msg("step %u, %s:\n%s\nwanted:\n%s", step, f ? "IPv6" : "IPv4",
					 b, a);
			for (size_t i = 0; i < next->n_servers; i++)
				assert_int_equal(next->servers[i]->frontend,
						 alone->servers[i]->frontend);
			free(a);
			free(b);
			ipvs_state_unref(alone);
			ipvs_state_unref(last[f]);
			last[f] = next;
		}
		view_done(&v);
	}
	for (unsigned i = 0; i < N_NAMES; i++)
		service_unref(current[i]);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		ipvs_state_unref(last[f]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_claims),
		cmocka_unit_test(test_claims_of_all_kinds),
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_fragments_are_shared),
		cmocka_unit_test(test_random_edits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
