/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

#include <errno.h>
#include <stdio.h>

#include "base/host.h"

static void add_address(struct host_facts *f, const char *prefix, const char *interface)
{
	struct host_address a = {0};
	char text[ADDR_PREFIX_TEXT_MAX];
	unsigned length = 0;
	char *slash;

	(void)snprintf(text, sizeof(text), "%s", prefix);
	slash = strchr(text, '/');
	*slash = '\0';
	for (const char *p = slash + 1; *p; p++)
		length = length * 10 + (unsigned)(*p - '0');
	a.addr = make_addr(text);
	a.length = (uint8_t)length;
	(void)snprintf(a.interface, sizeof(a.interface), "%s", interface);
	assert_int_equal(host_add_address(f, &a), 0);
}

static void add_neighbour(struct host_facts *f, const char *address, bool peer,
			  const char *interface)
{
	struct host_neighbour n = {.addr = make_addr(address), .peer = peer};

	(void)snprintf(n.interface, sizeof(n.interface), "%s", interface);
	assert_int_equal(host_add_neighbour(f, &n), 0);
}

static void add_socket(struct host_facts *f, bool udp, const char *address, uint16_t port)
{
	const struct host_socket s = {.udp = udp, .port = port, .addr = make_addr(address)};

	assert_int_equal(host_add_socket(f, &s), 0);
}

static void test_addresses(void **state)
{
	static const struct {
		const char *addr;
		const char *own;     /* interface; NULL: not ours */
		const char *network; /* "PREFIX INTERFACE"; NULL: in none */
	} rows[] = {
		{"192.0.2.10", "eth0", "192.0.2.0/24 eth0"},
		{"192.0.2.11", NULL, "192.0.2.0/24 eth0"},
		{"192.0.2.0", NULL, "192.0.2.0/24 eth0"},
		{"192.0.2.255", NULL, "192.0.2.0/24 eth0"},
		{"192.0.1.255", NULL, NULL},
		{"192.0.3.0", NULL, NULL},
		/* a network within another: the wider one is told */
		{"10.1.2.3", NULL, "10.0.0.0/8 eth1"},
		{"10.1.0.1", "eth2", "10.0.0.0/8 eth1"},
		/* not cut at a byte */
		{"172.16.5.1", NULL, "172.16.4.0/22 eth3"},
		{"172.16.7.255", NULL, "172.16.4.0/22 eth3"},
		{"172.16.8.0", NULL, NULL},
		{"172.16.3.255", NULL, NULL},
		/* single addresses, loopback, and all of the world are no networks */
		{"203.0.113.9", "lo", NULL},
		{"203.0.113.8", NULL, NULL},
		{"127.0.0.1", "lo", NULL},
		{"127.0.0.2", NULL, NULL},
		{"8.8.8.8", NULL, NULL},
		{"198.51.100.1", "odd", NULL},
		{"fd00:1::10", "eth0", "fd00:1::/64 eth0"},
		{"fd00:1:0:0:ffff::", NULL, "fd00:1::/64 eth0"},
		{"fd00:1:0:1::", NULL, NULL},
		{"fd00:2::5", NULL, "fd00:2::4/127 eth4"},
		{"fd00:2::6", NULL, NULL},
		{"::1", NULL, NULL},
		/* the same bytes in the other family */
		{"c000:20a::", NULL, NULL},
		{"0.0.0.0", NULL, NULL},
		{"255.255.255.255", NULL, NULL},
	};
	_cleanup_host_facts_ struct host_facts f = {0};

	(void)state;
	assert_int_equal(host_facts_finish(&f), 0);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct addr a = make_addr(rows[i].addr);

		assert_null(host_find_address(&f, &a));
		assert_null(host_find_link(&f, &a));
		assert_null(host_find_neighbour(&f, &a));
	}
	add_address(&f, "fd00:2::4/127", "eth4");
	add_address(&f, "fd00:1::10/64", "eth0");
	add_address(&f, "198.51.100.1/0", "odd");
	add_address(&f, "203.0.113.9/32", "lo");
	add_address(&f, "127.0.0.1/8", "lo");
	add_address(&f, "172.16.6.1/22", "eth3");
	add_address(&f, "10.1.0.1/16", "eth2");
	add_address(&f, "10.200.0.1/8", "eth1");
	add_address(&f, "192.0.2.10/24", "eth0");
	assert_int_equal(host_facts_finish(&f), 0);
	assert_int_equal(host_facts_finish(&f), 0); /* again: the same */
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct addr a = make_addr(rows[i].addr);
		const struct host_address *own = host_find_address(&f, &a);
		const struct host_link *link = host_find_link(&f, &a);
		char text[ADDR_PREFIX_TEXT_MAX], network[80];

		if (!own != !rows[i].own || (own && !streq(own->interface, rows[i].own)))
			fail_msg("%s: '%s'", rows[i].addr, own ? own->interface : "not ours");
		if (link)
			(void)snprintf(network, sizeof(network), "%s %s",
				       addr_prefix_format(&link->prefix, text), link->interface);
		if (!link != !rows[i].network || (link && !streq(network, rows[i].network)))
			fail_msg("%s: '%s'", rows[i].addr, link ? network : "no network");
	}
}

static void test_neighbours(void **state)
{
	_cleanup_host_facts_ struct host_facts f = {0};
	struct addr a;

	(void)state;
	add_neighbour(&f, "192.0.2.1", false, "eth0");
	add_neighbour(&f, "fe80::1", false, "eth0");
	add_neighbour(&f, "10.9.0.2", true, "ppp0");
	add_neighbour(&f, "10.9.0.2", true, "ppp0"); /* as a repeated dump may bring */
	assert_int_equal(host_facts_finish(&f), 0);
	a = make_addr("192.0.2.1");
	assert_non_null(host_find_neighbour(&f, &a));
	assert_false(host_find_neighbour(&f, &a)->peer);
	a = make_addr("10.9.0.2");
	assert_non_null(host_find_neighbour(&f, &a));
	assert_true(host_find_neighbour(&f, &a)->peer);
	assert_string_equal(host_find_neighbour(&f, &a)->interface, "ppp0");
	a = make_addr("fe80::1");
	assert_non_null(host_find_neighbour(&f, &a));
	a = make_addr("10.9.0.1");
	assert_null(host_find_neighbour(&f, &a));
	a = make_addr("::");
	assert_null(host_find_neighbour(&f, &a));
}

static void test_sockets(void **state)
{
	_cleanup_host_facts_ struct host_facts f = {0};
	const struct host_socket *s;
	size_t n = 99;

	(void)state;
	assert_null(host_find_sockets(&f, false, 80, &n));
	assert_int_equal(n, 0);
	add_socket(&f, true, "0.0.0.0", 80);
	add_socket(&f, false, "192.0.2.10", 80);
	add_socket(&f, false, "0.0.0.0", 80);
	add_socket(&f, false, "::", 443);
	assert_int_equal(host_facts_finish(&f), 0);
	s = host_find_sockets(&f, false, 80, &n);
	assert_int_equal(n, 2);
	assert_int_equal(s[0].port, 80);
	assert_int_equal(s[1].port, 80);
	assert_false(s[0].udp || s[1].udp);
	assert_non_null(host_find_sockets(&f, true, 80, &n));
	assert_int_equal(n, 1);
	assert_non_null(host_find_sockets(&f, false, 443, &n));
	assert_int_equal(n, 1);
	assert_null(host_find_sockets(&f, true, 443, &n));
	assert_int_equal(n, 0);
	assert_null(host_find_sockets(&f, true, 65535, &n));
	assert_null(host_find_sockets(&f, false, 0, &n));
}

static void test_ephemeral(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint16_t first, last;
	} rows[] = {
		{"32768\t60999", 0, 32768, 60999},
		{"32768 60999", 0, 32768, 60999},
		{"1024\t \t65535", 0, 1024, 65535},
		{"5 5", 0, 5, 5},
		{"0 65535", 0, 0, 65535},
		{"", -EINVAL, 0, 0},
		{"32768", -EINVAL, 0, 0},
		{"32768\t", -EINVAL, 0, 0},
		{"\t60999", -EINVAL, 0, 0},
		{"32768 60999 1", -EINVAL, 0, 0},
		{"32768 60999 ", -EINVAL, 0, 0},
		{"60999 32768", -EINVAL, 0, 0},
		{"1 65536", -EINVAL, 0, 0},
		{"-1 5", -EINVAL, 0, 0},
		{"a b", -EINVAL, 0, 0},
		{"000000000000000000000000001 2", -EINVAL, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct host_facts f = {.ephemeral_first = 7, .ephemeral_last = 8};

		if (host_set_ephemeral(&f, rows[i].text) != rows[i].result)
			fail_msg("'%s'", rows[i].text);
		assert_int_equal(f.ephemeral_first, rows[i].result ? 7 : rows[i].first);
		assert_int_equal(f.ephemeral_last, rows[i].result ? 8 : rows[i].last);
	}
}

static void test_reserved(void **state)
{
	static const struct {
		const char *text;
		int result;
		const char *yes, *no; /* ports, a blank behind each, within 1000-60999 */
	} rows[] = {
		{"", 0, "1000 30000 60999 ", "999 61000 0 65535 "},
		{"30000", 0, "29999 30001 ", "30000 "},
		{"30000-30002", 0, "29999 30003 ", "30000 30001 30002 "},
		{"1000,30000-30001,60999", 0, "1001 30002 60998 ", "1000 30000 30001 60999 "},
		{"0-65535", 0, "", "1000 30000 60999 "},
		{"30000-30000", 0, "30001 ", "30000 "},
		/* nothing of a bad text counts */
		{"30000,", -EINVAL, "30000 ", ""},
		{",30000", -EINVAL, "30000 ", ""},
		{"30000,,30001", -EINVAL, "30000 30001 ", ""},
		{"30000-", -EINVAL, "30000 ", ""},
		{"-30000", -EINVAL, "30000 ", ""},
		{"30001-30000", -EINVAL, "30000 30001 ", ""},
		{"30000-30001-30002", -EINVAL, "30000 ", ""},
		{"30000,65536", -EINVAL, "30000 ", ""},
		{"30000 30001", -EINVAL, "30000 ", ""},
		{"30000,x", -EINVAL, "30000 ", ""},
		{"30000,99999999999999999999", -EINVAL, "30000 ", ""},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct host_facts f = {.ephemeral_first = 1000, .ephemeral_last = 60999};
		const char *texts[] = {rows[i].yes, rows[i].no};

		if (host_reserve_ports(&f, rows[i].text) != rows[i].result)
			fail_msg("'%s'", rows[i].text);
		for (int j = 0; j < 2; j++) {
			unsigned port = 0;

			for (const char *p = texts[j]; *p; p++) {
				if (*p != ' ') {
					port = port * 10 + (unsigned)(*p - '0');
					continue;
				}
				if (host_port_is_ephemeral(&f, (uint16_t)port) != (j == 0))
					fail_msg("'%s': %u", rows[i].text, port);
				port = 0;
			}
		}
	}
}

/* An unknown range has no port. */
static void test_unknown_range(void **state)
{
	const struct host_facts f = {0};

	(void)state;
	assert_false(host_port_is_ephemeral(&f, 0));
	assert_false(host_port_is_ephemeral(&f, 1));
	assert_false(host_port_is_ephemeral(&f, 65535));
}

/* Random addresses and networks: the same answers as looking at each. */
static void test_random(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 200; round++) {
		_cleanup_host_facts_ struct host_facts f = {0};
		struct host_address all[40];

		for (size_t i = 0; i < ELEMENTSOF(all); i++) {
			struct host_address a = {.interface = "eth0"};

			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			a.addr.family = (seed >> 60) & 1 ? ADDR_IPV6 : ADDR_IPV4;
			for (int j = 0; j < (a.addr.family == ADDR_IPV6 ? 16 : 4); j++)
				a.addr.bytes[j] = (uint8_t)((seed >> (20 + j)) & 3);
			a.length = (uint8_t)((seed >> 40) %
					     (a.addr.family == ADDR_IPV6 ? 129 : 33));
			all[i] = a;
			assert_int_equal(host_add_address(&f, &a), 0);
		}
		assert_int_equal(host_facts_finish(&f), 0);
		for (size_t i = 0; i < ELEMENTSOF(all); i++) {
			struct addr wanted = all[i].addr;
			bool in_one = false;

			assert_non_null(host_find_address(&f, &wanted));
			wanted.bytes[2] ^= 1;
			for (size_t j = 0; j < ELEMENTSOF(all); j++) {
				int bits = all[j].addr.family == ADDR_IPV6 ? 128 : 32, k = 0;

				if (all[j].addr.family != wanted.family || all[j].length == 0 ||
				    all[j].length == bits)
					continue;
				while (k < all[j].length &&
				       !(((wanted.bytes[k / 8] ^ all[j].addr.bytes[k / 8]) >>
					  (7 - k % 8)) &
					 1))
					k++;
				in_one |= k == all[j].length;
			}
			assert_int_equal(host_find_link(&f, &wanted) != NULL, in_one);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses), cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_sockets),	  cmocka_unit_test(test_ephemeral),
		cmocka_unit_test(test_reserved),  cmocka_unit_test(test_unknown_range),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
