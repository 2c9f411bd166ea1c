/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-ipvs.h"

static struct service_facts find_facts(const struct setup *s, enum addr_family family,
				       bool allow_external_ips)
{
	struct addr node_ip = make_addr(family == ADDR_IPV4 ? "192.0.2.10" : "2001:db8:2::10");
	struct service_facts f;

	memset(&f, 0xA5, sizeof(f));
	service_facts_find(&s->def, family, allow_external_ips, &node_ip, &f);
	assert_ptr_equal(f.def, &s->def);
	return f;
}

static void test_addresses(void **state)
{
	struct service_facts f;
	struct setup s;

	(void)state;
	set_up_external(&s, "ns/a");
	s.ports[0].node_port = 0;
	f = find_facts(&s, ADDR_IPV4, true);
	assert_true(f.has_external_ip);
	assert_true(f.has_lb_ip);
	assert_true(service_facts_external_ip(&f, 0));
	assert_false(service_facts_external_ip(&f, 1));
	assert_true(service_facts_lb_ip(&f, 0));
	assert_false(service_facts_lb_ip(&f, 1));
	f = find_facts(&s, ADDR_IPV6, true);
	assert_false(service_facts_external_ip(&f, 0));
	assert_true(service_facts_external_ip(&f, 1));
	assert_true(service_facts_lb_ip(&f, 1));

	s.lb[0].proxy = true;
	f = find_facts(&s, ADDR_IPV4, true);
	assert_false(f.has_lb_ip);
	assert_false(service_facts_lb_ip(&f, 0));
	assert_true(service_facts_accessible(&f, 0));
	f = find_facts(&s, ADDR_IPV4, false);
	assert_false(f.has_external_ip);
	assert_false(service_facts_external_ip(&f, 0));
	assert_false(service_facts_accessible(&f, 0));
	s.ports[0].node_port = 30080;
	assert_true(service_facts_accessible(&f, 0));
}

/* The policy for outside counts only for a service that can be reached from there. */
static void test_policies(void **state)
{
	static const struct {
		enum svc_type type;
		bool external_ip, external_local;
		uint16_t health;
	} rows[] = {
		{SVC_CLUSTER_IP, false, false, 0},
		{SVC_CLUSTER_IP, true, true, 0},
		{SVC_NODE_PORT, false, true, 0},
		{SVC_LOAD_BALANCER, false, true, 30999},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct service_facts f;
		struct setup s;

		set_up(&s, "ns/a");
		s.def.type = rows[i].type;
		if (rows[i].external_ip)
			s.external[s.def.n_external_ips++] = make_addr("198.51.100.1");
		s.def.external_local = true;
		s.def.health_check_node_port = 30999;
		f = find_facts(&s, ADDR_IPV6, true);
		assert_int_equal(f.external_local, rows[i].external_local);
		assert_int_equal(service_facts_health_port(&f), rows[i].health);
		assert_false(f.internal_local);
		s.def.external_local = false;
		s.def.internal_local = true;
		f = find_facts(&s, ADDR_IPV6, true);
		assert_false(f.external_local);
		assert_true(f.internal_local);
		assert_int_equal(service_facts_health_port(&f), 0);
	}
}

static void test_ranges(void **state)
{
	static const struct {
		const char *ranges[3];
		bool v4, node_v4, v6, node_v6;
	} rows[] = {
		{{NULL}, false, false, false, false},
		{{"10.0.0.0/8"}, true, false, false, false},
		{{"192.0.2.10/32"}, true, true, false, false},
		{{"192.0.2.11/32", "192.0.2.0/24"}, true, true, false, false},
		{{"192.0.2.0/24", "0.0.0.0/0"}, false, false, false, false},
		{{"0.0.0.0/0", "2001:db8::/32"}, false, false, true, true},
		{{"2001:db8:3::/48", "192.0.2.0/24", "::/0"}, true, true, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct service_facts f;
		struct setup s;

		set_up(&s, "ns/a");
		for (size_t k = 0; k < 3 && rows[i].ranges[k]; k++)
			s.ranges[s.def.n_source_ranges++] = make_prefix(rows[i].ranges[k]);
		f = find_facts(&s, ADDR_IPV4, true);
		assert_int_equal(f.ranges, rows[i].v4);
		assert_int_equal(f.node_in_ranges, rows[i].node_v4);
		f = find_facts(&s, ADDR_IPV6, true);
		assert_int_equal(f.ranges, rows[i].v6);
		assert_int_equal(f.node_in_ranges, rows[i].node_v6);
	}
}

/* Which of the two lists are asked for: spec/model.md section 3. */
static void test_choose(void **state)
{
	static const struct {
		bool internal_local, external_local, node_port;
		size_t cluster, local;
	} rows[] = {
		{false, false, false, 2, 0}, {false, false, true, 2, 0}, {true, false, false, 0, 1},
		{true, false, true, 2, 1},   {false, true, false, 2, 0}, {false, true, true, 2, 1},
		{true, true, false, 0, 1},   {true, true, true, 2, 1},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct service *service;
		struct service_facts f;
		struct choice choice;
		struct setup s;

		set_up(&s, "ns/a");
		s.def.type = SVC_NODE_PORT;
		s.ports[0].node_port = rows[i].node_port ? 30080 : 0;
		s.def.internal_local = rows[i].internal_local;
		s.def.external_local = rows[i].external_local;
		service = make_from(
			&s, (const char *const[]){"10.1.0.1:80 r @node-1", "10.1.0.2:80 r @node-2"},
			2);
		f = find_facts(&s, ADDR_IPV4, true);
		assert_int_equal(service_facts_choose(&f, service, 0, "node-1", "", &choice), 0);
		assert_int_equal(choice.n_cluster, rows[i].cluster);
		assert_int_equal(choice.n_local, rows[i].local);
		choice_done(&choice);
		service_unref(service);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_choose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
