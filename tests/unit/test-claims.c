/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

#include <stdio.h>

#include "model/claims.h"

/* A service with one port, and what it claims filled in by the test. */
struct who {
	struct claimant claimant;
	struct service_port port;
	struct service_def def;
};

static void make_who(struct who *w, const char *cluster_ip, uint16_t port, uint16_t node_port)
{
	*w = (struct who){
		.port = {.name = (char *)(uintptr_t) "", .port = port, .node_port = node_port},
		.def = {.n_ports = 1, .type = node_port ? SVC_NODE_PORT : SVC_CLUSTER_IP},
	};
	w->claimant.who = w;
	w->def.ports = &w->port;
	if (cluster_ip) {
		struct addr a = make_addr(cluster_ip);

		w->def.cluster_ips[a.family] = a;
		w->def.has_cluster_ip[a.family] = true;
	}
}

static size_t count(const struct claim *(*next)(const struct claims *, size_t *),
		    const struct claims *c)
{
	size_t pos = 0, n = 0;

	while (next(c, &pos))
		n++;
	return n;
}

/* "n contested, n shared" */
static void assert_counts(const struct claims *c, size_t contested, size_t shared)
{
	assert_int_equal(count(claims_next_contested, c), contested);
	assert_int_equal(count(claims_next_shared, c), shared);
}

static void test_owners_come_and_go(void **state)
{
	struct claims c = {0};
	struct who who[3];
	const struct claim *claim;
	struct addr ip = make_addr("10.0.0.1");
	size_t pos = 0;

	(void)state;
	assert_int_equal(claims_init(&c), 0);
	for (size_t i = 0; i < ELEMENTSOF(who); i++)
		make_who(&who[i], "10.0.0.1", 80, 0);
	assert_null(claims_find_address(&c, &ip, 80, SVC_TCP));
	assert_int_equal(claims_set(&c, &who[0].claimant, &who[0].def), 0);
	assert_counts(&c, 0, 0);
	claim = claims_find_address(&c, &ip, 80, SVC_TCP);
	assert_non_null(claim);
	assert_ptr_equal(claim->owners->claimant->who, &who[0]);
	assert_int_equal(claim->owners->value.key, VALUE_CLUSTER_IP);
	assert_int_equal(claim->owners->value.index, ADDR_IPV4);
	assert_null(claims_find_address(&c, &ip, 80, SVC_UDP));
	assert_null(claims_find_address(&c, &ip, 81, SVC_TCP));
	assert_int_equal(claims_set(&c, &who[1].claimant, &who[1].def), 0);
	assert_int_equal(claims_set(&c, &who[2].claimant, &who[2].def), 0);
	assert_counts(&c, 1, 1);
	/* The order is that of coming; who comes again is last. */
	assert_int_equal(claims_set(&c, &who[0].claimant, &who[0].def), 0);
	claim = claims_next_contested(&c, &pos);
	assert_ptr_equal(claim->owners->claimant->who, &who[1]);
	assert_ptr_equal(claim->owners->next->claimant->who, &who[2]);
	assert_ptr_equal(claim->owners->next->next->claimant->who, &who[0]);
	assert_ptr_equal(claim->owners->next->next, claim->last);
	/* The middle one goes, then the last one. */
	assert_int_equal(claims_set(&c, &who[2].claimant, NULL), 0);
	assert_counts(&c, 1, 1);
	assert_int_equal(claims_set(&c, &who[0].claimant, NULL), 0);
	assert_counts(&c, 0, 0);
	claim = claims_find_address(&c, &ip, 80, SVC_TCP);
	assert_non_null(claim);
	assert_ptr_equal(claim->owners->claimant->who, &who[1]);
	assert_ptr_equal(claim->owners, claim->last);
	/* Other ports: the address alone is shared. */
	who[0].port.port = 81;
	assert_int_equal(claims_set(&c, &who[0].claimant, &who[0].def), 0);
	assert_counts(&c, 0, 1);
	who[0].def.headless = true;
	assert_int_equal(claims_set(&c, &who[0].claimant, &who[0].def), 0);
	assert_counts(&c, 0, 0);
	assert_int_equal(claims_set(&c, &who[1].claimant, NULL), 0);
	assert_null(claims_find_address(&c, &ip, 80, SVC_TCP));
	assert_int_equal(map_size(c.all), 0);
	for (size_t i = 0; i < ELEMENTSOF(who); i++)
		claimant_done(&who[i].claimant);
	claims_done(&c);
}

/* One service may name an address twice, and its ports may have one node port (S41). */
static void test_own_claims_twice(void **state)
{
	struct service_port ports[] = {
		{.name = (char *)(uintptr_t) "a", .port = 53, .node_port = 30053},
		{.name = (char *)(uintptr_t) "b",
		 .protocol = SVC_UDP,
		 .port = 53,
		 .node_port = 30053},
	};
	struct addr external = make_addr("192.0.2.1");
	struct lb_ip lb = {.ip = external};
	struct claims c = {0};
	struct who who;

	(void)state;
	assert_int_equal(claims_init(&c), 0);
	make_who(&who, "10.0.0.1", 53, 30053);
	who.def.ports = ports;
	who.def.n_ports = 2;
	who.def.external_ips = &external;
	who.def.n_external_ips = 1;
	who.def.lb_ips = &lb;
	who.def.n_lb_ips = 1;
	for (int again = 0; again < 2; again++) {
		assert_int_equal(claims_set(&c, &who.claimant, &who.def), 0);
		assert_counts(&c, 0, 0);
		/* for each protocol a cluster IP, an external one and a node port; and the address
		 */
		assert_int_equal(who.claimant.n, 7);
		assert_int_equal(map_size(c.all), 7);
	}
	assert_non_null(claims_find_node_port(&c, 30053, SVC_TCP));
	assert_non_null(claims_find_node_port(&c, 30053, SVC_UDP));
	assert_null(claims_find_node_port(&c, 30053, SVC_SCTP));
	assert_null(claims_find_node_port(&c, 53, SVC_TCP));
	/* what of the service it is: the second port, and the address as an external one */
	assert_int_equal(claims_find_node_port(&c, 30053, SVC_UDP)->owners->value.key,
			 VALUE_NODE_PORT);
	assert_int_equal(claims_find_node_port(&c, 30053, SVC_UDP)->owners->value.index, 1);
	assert_int_equal(claims_find_address(&c, &external, 53, SVC_TCP)->owners->value.key,
			 VALUE_EXTERNAL_IP);
	claimant_done(&who.claimant);
	claims_done(&c);
}

static void test_ports_of_the_host(void **state)
{
	struct claimant host = {0};
	struct claims c = {0};
	struct who who;

	(void)state;
	assert_int_equal(claims_init(&c), 0);
	make_who(&who, "10.0.0.1", 80, 30080);
	assert_int_equal(claims_set(&c, &who.claimant, &who.def), 0);
	/* 0 is none, and a port that is there twice is one claim */
	assert_int_equal(claims_set_ports(&c, &host, (uint16_t[]){0, 30081, 30081}, 3), 0);
	assert_int_equal(host.n, 1);
	assert_counts(&c, 0, 0);
	assert_int_equal(claims_find_node_port(&c, 30081, SVC_TCP)->owners->value.index, 1);
	assert_int_equal(claims_set_ports(&c, &host, (uint16_t[]){0, 0, 30080}, 3), 0);
	assert_counts(&c, 1, 0);
	assert_null(claims_find_node_port(&c, 30081, SVC_TCP));
	assert_int_equal(claims_set_ports(&c, &host, NULL, 0), 0);
	assert_counts(&c, 0, 0);
	/* a UDP node port is another thing */
	who.port.protocol = SVC_UDP;
	assert_int_equal(claims_set(&c, &who.claimant, &who.def), 0);
	assert_int_equal(claims_set_ports(&c, &host, (uint16_t[]){30080}, 1), 0);
	assert_counts(&c, 0, 0);
	claimant_done(&who.claimant);
	claimant_done(&host);
	claims_done(&c);
}

/* So many owners of one thing that walks along them would not end in time. */
static void test_many_owners(void **state)
{
	enum { MANY = 100000 };
	struct who *who = calloc(MANY, sizeof(*who));
	struct claims c = {0};

	(void)state;
	assert_non_null(who);
	assert_int_equal(claims_init(&c), 0);
	for (size_t i = 0; i < MANY; i++) {
		make_who(&who[i], "fd00::1", 80, 30080);
		assert_int_equal(claims_set(&c, &who[i].claimant, &who[i].def), 0);
	}
	assert_counts(&c, 2, 1);
	for (size_t i = 0; i < MANY; i += 2)
		assert_int_equal(claims_set(&c, &who[i].claimant, &who[i].def), 0);
	assert_counts(&c, 2, 1);
	for (size_t i = MANY; i > 1; i--)
		assert_int_equal(claims_set(&c, &who[i - 1].claimant, NULL), 0);
	assert_counts(&c, 0, 0);
	assert_ptr_equal(claims_find_node_port(&c, 30080, SVC_TCP)->owners->claimant->who, who);
	for (size_t i = 0; i < MANY; i++)
		claimant_done(&who[i].claimant);
	claims_done(&c);
	free(who);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owners_come_and_go),
		cmocka_unit_test(test_own_claims_twice),
		cmocka_unit_test(test_ports_of_the_host),
		cmocka_unit_test(test_many_owners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
