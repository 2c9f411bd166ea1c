/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

#include "model/chains.h"

static struct service *make(const char *cluster_ip, enum svc_proto protocol, const char *v4,
			    const char *v6)
{
	struct service_port port = {
		.name = (char *)(uintptr_t) "", .protocol = protocol, .port = 80};
	struct service_def def = {
		.key = (char *)(uintptr_t) "default/web",
		.ports = &port,
		.n_ports = 1,
		.headless = !cluster_ip,
	};
	struct service *s;

	if (cluster_ip) {
		struct addr a = make_addr(cluster_ip);

		def.cluster_ips[a.family] = a;
		def.has_cluster_ip[a.family] = true;
	}
	s = make_service(&def);
	if (v4)
		give_endpoint(s, 0, v4);
	if (v6)
		give_endpoint(s, 0, v6);
	return s;
}

static bool has(const struct chains *c, const char *address, uint16_t port, enum svc_proto protocol)
{
	const struct claim_key key = {
		.kind = CLAIM_ADDRESS,
		.protocol = (uint8_t)protocol,
		.port = port,
		.addr = make_addr(address),
	};

	return chains_has(c, &key);
}

static void test_uses(void **state)
{
	struct service *a = make("10.0.0.1", SVC_TCP, "10.1.0.1:8080 r", "[fd00::1]:8080 r");
	struct service *b = make("10.0.0.2", SVC_TCP, "10.1.0.1:8080 r", NULL);
	struct service *udp = make("fd00::2", SVC_UDP, "10.1.0.2:53 r", "[fd00::1]:53 r");
	struct service *headless = make(NULL, SVC_TCP, "10.1.0.3:80 r", NULL);
	struct chains c = {0};

	(void)state;
	assert_int_equal(chains_init(&c), 0);
	assert_int_equal(chains_replace(&c, NULL, NULL), 0);
	assert_int_equal(chains_replace(&c, NULL, a), 0);
	assert_int_equal(chains_replace(&c, NULL, b), 0);
	assert_int_equal(chains_replace(&c, NULL, udp), 0);
	assert_int_equal(chains_replace(&c, NULL, headless), 0);
	assert_true(has(&c, "10.1.0.1", 8080, SVC_TCP));
	assert_false(has(&c, "10.1.0.1", 8081, SVC_TCP));
	assert_false(has(&c, "10.1.0.1", 8080, SVC_UDP));
	assert_false(has(&c, "a01:1::", 8080, SVC_TCP));
	/* only in the families in which the service is served */
	assert_false(has(&c, "fd00::1", 8080, SVC_TCP));
	assert_true(has(&c, "fd00::1", 53, SVC_UDP));
	assert_false(has(&c, "10.1.0.2", 53, SVC_UDP));
	assert_false(has(&c, "10.1.0.3", 80, SVC_TCP));
	/* as long as one of two has it */
	assert_int_equal(chains_replace(&c, a, a), 0);
	assert_int_equal(chains_replace(&c, a, NULL), 0);
	assert_true(has(&c, "10.1.0.1", 8080, SVC_TCP));
	assert_int_equal(chains_replace(&c, b, udp), 0);
	assert_false(has(&c, "10.1.0.1", 8080, SVC_TCP));
	assert_int_equal(chains_replace(&c, udp, NULL), 0);
	assert_true(has(&c, "fd00::1", 53, SVC_UDP));
	assert_int_equal(chains_replace(&c, udp, headless), 0);
	assert_int_equal(chains_replace(&c, headless, NULL), 0);
	assert_int_equal(map_size(c.uses), 0);
	chains_done(&c);
	service_unref(a);
	service_unref(b);
	service_unref(udp);
	service_unref(headless);
}

static void test_walk(void **state)
{
	struct service *front = make("10.0.0.9", SVC_TCP, NULL, NULL);
	struct service *s = make("10.0.0.1", SVC_TCP, "10.0.0.9:80 r", "[fd00::1]:80 r");
	struct claimant owner = {0}, own = {0};
	struct claims claims = {0};
	struct chain_walk w = {0};

	(void)state;
	give_endpoint(s, 0, "10.0.0.9:81 r");
	give_endpoint(s, 0, "10.1.0.9:80 r");
	assert_int_equal(claims_init(&claims), 0);
	assert_int_equal(claims_set(&claims, &own, s->def), 0);
	assert_false(chains_next(s, &claims, &own, &w));
	assert_int_equal(claims_set(&claims, &owner, front->def), 0);
	w = (struct chain_walk){0};
	assert_true(chains_next(s, &claims, &own, &w));
	assert_int_equal(w.endpoint->port, 80);
	assert_ptr_equal(w.owner->claimant, &owner);
	assert_false(chains_next(s, &claims, &own, &w));
	/* of the owner itself it is another matter */
	w = (struct chain_walk){0};
	assert_false(chains_next(s, &claims, &owner, &w));
	claims_done(&claims);
	claimant_done(&own);
	claimant_done(&owner);
	service_unref(s);
	service_unref(front);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uses),
		cmocka_unit_test(test_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
