/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

#include <errno.h>
#include <netinet/in.h>

/* The lists are put together by functions of the file's own. What it says to a kernel is tested in
 * tests/uml/test_ipvs.py. */
#include "../../src/kernel/ipvs.c"

static struct ipvs_server server(const char *text, uint8_t protocol, uint32_t fwmark)
{
	struct ipvs_server s = {.fwmark = fwmark, .scheduler = "rr", .prefix = 32};

	s.key.protocol = protocol;
	assert_int_equal(addr_port_parse(text, &s.key.addr, &s.key.port), ADDR_OK);
	return s;
}

static void test_compare(void **state)
{
	/* in order */
	const struct ipvs_server rows[] = {
		server("10.96.0.10:53", IPPROTO_TCP, 0),    server("10.96.0.10:53", IPPROTO_UDP, 0),
		server("10.96.0.10:53", IPPROTO_SCTP, 0),   server("10.96.0.10:80", IPPROTO_TCP, 0),
		server("10.96.0.10:65535", IPPROTO_TCP, 0), server("10.96.1.9:53", IPPROTO_TCP, 0),
		server("[::1]:1", IPPROTO_TCP, 0),	    server("[fd96::10]:53", IPPROTO_TCP, 0),
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		for (size_t k = 0; k < ELEMENTSOF(rows); k++) {
			const struct ipvs_dest a = {.addr = rows[i].key.addr,
						    .port = rows[i].key.port};
			const struct ipvs_dest b = {.addr = rows[k].key.addr,
						    .port = rows[k].key.port};

			assert_int_equal(ipvs_key_compare(&rows[i].key, &rows[k].key),
					 (i > k) - (i < k));
			/* the first three differ only by protocol */
			assert_int_equal(ipvs_dest_compare(&a, &b),
					 (MAX_OF(i, 2u) > MAX_OF(k, 2u)) -
						 (MAX_OF(i, 2u) < MAX_OF(k, 2u)));
		}
}

static void test_sort_unique(void **state)
{
	struct ipvs_server rows[] = {
		server("[fd96::10]:53", IPPROTO_TCP, 0), server("10.96.0.10:80", IPPROTO_TCP, 0),
		server("10.96.0.10:53", IPPROTO_UDP, 0), server("10.96.0.10:80", IPPROTO_TCP, 0),
		server("10.96.0.10:80", IPPROTO_TCP, 7), server("10.96.0.10:80", IPPROTO_TCP, 0),
		server("10.96.0.10:53", IPPROTO_UDP, 0),
	};
	static const uint16_t ports[] = {53, 80, 80, 53};

	(void)state;
	assert_int_equal(sort_unique(NULL, 0, sizeof(*rows), compare_servers), 0);
	assert_int_equal(sort_unique(rows, 1, sizeof(*rows), compare_servers), 1);
	assert_int_equal(sort_unique(rows, ELEMENTSOF(rows), sizeof(*rows), compare_servers), 4);
	for (size_t i = 0; i < ELEMENTSOF(ports); i++)
		assert_int_equal(rows[i].key.port, ports[i]);
	assert_int_equal(rows[2].fwmark, 7); /* by mark: another server, whatever its key */
	assert_int_equal(rows[3].key.addr.family, ADDR_IPV6);
}

/* A message that is not understood ends the reading, and is not counted. */
static void test_bad_messages(void **state)
{
	struct nlmsghdr h = {.nlmsg_len = sizeof(h), .nlmsg_type = 0x1c};
	_cleanup_ipvs_servers_ struct ipvs_servers servers = {0};
	struct dests_dump dump = {.family = ADDR_IPV4};
	int family = 0;

	(void)state;
	assert_int_equal(on_server(&h, &servers), -EBADMSG);
	assert_int_equal(servers.n, 0);
	assert_int_equal(on_dest(&h, &dump), -EBADMSG);
	assert_int_equal(dump.list.n, 0);
	assert_int_equal(on_family(&h, &family), -EBADMSG);
	assert_int_equal(family, 0);
	ipvs_dests_done(&dump.list);
	ipvs_dests_done(&dump.list);
	assert_null(ipvs_close(NULL));
}

/* What cannot be asked for is not sent: here there is not even a socket. */
static void test_refused_before(void **state)
{
	struct ipvs_change c[2] = {{.verb = IPVS_NEW_SERVER, .error = 1},
				   {.verb = IPVS_DEL_DEST, .error = 1}};
	struct ipvs v = {0};

	(void)state;
	c[0].server = server("10.96.0.10:80", IPPROTO_ICMP, 0);
	assert_int_equal(ipvs_change(&v, c, ELEMENTSOF(c)), 0);
	assert_int_equal(c[0].error, -EINVAL);
	assert_int_equal(c[1].error, -EINVAL);
	assert_int_equal(ipvs_change(&v, NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_sort_unique),
		cmocka_unit_test(test_bad_messages),
		cmocka_unit_test(test_refused_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
