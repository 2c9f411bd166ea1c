/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/counts.h"

#include "make-world.h"

static struct ipvs_server server(const char *addr, uint16_t port, uint64_t connections)
{
	return (struct ipvs_server){
		.key = {.addr = make_addr(addr), .port = port},
		.counters = {connections, connections * 10, 0, UINT64_C(1) << 40, 1},
	};
}

static void add_server(struct counts *c, const char *addr, uint16_t port, uint64_t connections)
{
	const struct ipvs_server s = server(addr, port, connections);

	assert_int_equal(counts_add_server(c, &s), 0);
}

static void add_dest(struct counts *c, const char *addr, uint16_t port, uint32_t weight)
{
	struct ipvs_dest d = {
		.addr = make_addr(addr),
		.port = port,
		.weight = weight,
		.active = 1,
		.inactive = UINT32_MAX,
		.counters = {5, 4, 3, 2, UINT64_MAX / 4},
	};
	const struct ipvs_dests list = {.items = &d, .n = 1};

	assert_int_equal(counts_add_dests(c, &list), 0);
}

static void begin(struct counts *c, const char *service, enum svc_proto protocol, uint16_t port)
{
	assert_int_equal(counts_begin_port(c, service, protocol, port), 0);
}

/* a/dns has 53 of both protocols, a/none nothing in the kernel, b/web two addresses. */
static void fill(struct counts *c)
{
	begin(c, "a/dns", SVC_TCP, 53);
	add_server(c, "10.0.0.1", 53, 1);
	counts_end_port(c);
	begin(c, "a/dns", SVC_UDP, 53);
	add_server(c, "10.0.0.1", 53, 2);
	add_dest(c, "10.1.0.9", 53, 1);
	counts_end_port(c);
	begin(c, "a/none", SVC_TCP, 80);
	counts_end_port(c);
	begin(c, "b/web", SVC_TCP, 80);
	add_server(c, "10.0.0.2", 80, 3);
	add_dest(c, "10.1.0.2", 8080, 0);
	add_dest(c, "10.1.0.1", 8080, 1);
	add_server(c, "192.0.2.10", 30080, 4);
	add_dest(c, "10.1.0.1", 8080, 7);
	add_dest(c, "10.1.0.1", 8081, 0);
	counts_end_port(c);
}

static void check(const struct counts *c)
{
	const struct addr first = make_addr("10.1.0.1"), second = make_addr("10.1.0.2");
	const struct count_port *p;
	const struct count_endpoint *e;

	assert_int_equal(c->n_ports, 3);
	assert_null(counts_find(c, "a/none", SVC_TCP, 80));
	assert_null(counts_find(c, "b/web", SVC_UDP, 80));
	assert_null(counts_find(c, "b/web", SVC_TCP, 81));
	assert_null(counts_find(c, "b/we", SVC_TCP, 80));
	assert_null(counts_find(c, "", SVC_TCP, 80));
	assert_null(counts_find(c, "zzz", SVC_TCP, 80));
	p = counts_find(c, "a/dns", SVC_TCP, 53);
	assert_non_null(p);
	assert_int_equal(p->counters.connections, 1);
	assert_int_equal(p->n_endpoints, 0);
	assert_null(counts_find_endpoint(c, p, &first, 53));
	p = counts_find(c, "a/dns", SVC_UDP, 53);
	assert_int_equal(p->counters.connections, 2);
	assert_int_equal(p->n_endpoints, 1);

	p = counts_find(c, "b/web", SVC_TCP, 80);
	assert_int_equal(p->counters.connections, 7);
	assert_int_equal(p->counters.in_packets, 70);
	assert_int_equal(p->counters.in_bytes, UINT64_C(2) << 40);
	assert_int_equal(p->counters.out_bytes, 2);
	assert_int_equal(p->n_servers, 2);
	assert_int_equal(c->servers[p->first_server + 1].port, 30080);
	assert_int_equal(c->servers[p->first_server + 1].counters.connections, 4);
	assert_int_equal(p->n_endpoints, 3);
	e = counts_find_endpoint(c, p, &first, 8080);
	assert_non_null(e);
	assert_int_equal(e->weight, 7);
	assert_int_equal(e->active, 2);
	assert_int_equal(e->inactive, UINT64_C(2) * UINT32_MAX);
	assert_int_equal(e->counters.connections, 10);
	assert_int_equal(e->counters.out_bytes, UINT64_MAX / 4 * 2);
	e = counts_find_endpoint(c, p, &first, 8081);
	assert_int_equal(e->weight, 0);
	assert_int_equal(e->active, 1);
	e = counts_find_endpoint(c, p, &second, 8080);
	assert_int_equal(e->counters.connections, 5);
	assert_null(counts_find_endpoint(c, p, &second, 8081));
	assert_null(counts_find_endpoint(c, NULL, &second, 8080));
}

static void test_sums(void **state)
{
	struct counts c = {0};

	(void)state;
	assert_null(counts_find(NULL, "a/dns", SVC_TCP, 53));
	assert_null(counts_find(&c, "a/dns", SVC_TCP, 53));
	fill(&c);
	check(&c);
	counts_done(&c);
	assert_int_equal(c.n_ports, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
