/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

#include <netinet/in.h>

#include "kernel/ipset-wire.h"

static struct ipset_element make_element(const char *addr, uint8_t protocol, uint16_t port,
					 const char *addr2, uint8_t prefix)
{
	struct ipset_element e = {.protocol = protocol, .port = port, .prefix = prefix};

	if (addr)
		e.addr = make_addr(addr);
	if (addr2)
		e.addr2 = make_addr(addr2);
	return e;
}

static void test_types(void **state)
{
	(void)state;
	for (int t = 0; t < _IPSET_TYPE_MAX; t++)
		assert_int_equal(ipset_type_from_text(ipset_type_text((enum ipset_type)t)), t);
	assert_string_equal(ipset_type_text(IPSET_HASH_IP_PORT_NET), "hash:ip,port,net");
	assert_string_equal(ipset_type_text(_IPSET_TYPE_OTHER), "");
	assert_string_equal(ipset_type_text(_IPSET_TYPE_MAX), "");
	assert_int_equal(ipset_type_from_text("hash:net"), _IPSET_TYPE_OTHER);
	assert_int_equal(ipset_type_from_text("hash:ip,"), _IPSET_TYPE_OTHER);
	assert_int_equal(ipset_type_from_text(""), _IPSET_TYPE_OTHER);
}

static void test_text(void **state)
{
	static const struct {
		enum ipset_type type;
		const char *addr;
		uint8_t protocol;
		uint16_t port;
		const char *addr2;
		uint8_t prefix;
		const char *text;
	} rows[] = {
		{IPSET_HASH_IP, "10.96.0.10", 0, 0, NULL, 0, "10.96.0.10"},
		{IPSET_HASH_IP, "fd96::10", 0, 0, NULL, 0, "fd96::10"},
		/* as the C library has it */
		{IPSET_HASH_IP, "::102:304", 0, 0, NULL, 0, "::1.2.3.4"},
		{IPSET_HASH_IP, "::1", 0, 0, NULL, 0, "::1"},
		{IPSET_HASH_IP_PORT, "10.96.0.10", IPPROTO_TCP, 80, NULL, 0, "10.96.0.10,tcp:80"},
		{IPSET_HASH_IP_PORT, "fd96::10", IPPROTO_UDP, 53, NULL, 0, "fd96::10,udp:53"},
		{IPSET_HASH_IP_PORT, "fd96::10", IPPROTO_SCTP, 65535, NULL, 0,
		 "fd96::10,sctp:65535"},
		{IPSET_HASH_IP_PORT, "10.0.0.1", 47, 0, NULL, 0, "10.0.0.1,47:0"},
		{IPSET_HASH_IP_PORT, "10.0.0.1", 255, 0, NULL, 0, "10.0.0.1,255:0"},
		{IPSET_HASH_IP_PORT_IP, "10.1.0.11", IPPROTO_TCP, 8080, "10.1.0.11", 0,
		 "10.1.0.11,tcp:8080,10.1.0.11"},
		{IPSET_HASH_IP_PORT_NET, "203.0.113.1", IPPROTO_TCP, 80, "198.51.100.0", 24,
		 "203.0.113.1,tcp:80,198.51.100.0/24"},
		{IPSET_HASH_IP_PORT_NET, "203.0.113.1", IPPROTO_TCP, 80, "198.51.100.7", 32,
		 "203.0.113.1,tcp:80,198.51.100.7"},
		{IPSET_HASH_IP_PORT_NET, "2001:db8::1", IPPROTO_TCP, 80, "2001:db8:9::", 48,
		 "2001:db8::1,tcp:80,2001:db8:9::/48"},
		{IPSET_HASH_IP_PORT_NET, "2001:db8::1", IPPROTO_TCP, 80, "2001:db8:9::1", 128,
		 "2001:db8::1,tcp:80,2001:db8:9::1"},
		{IPSET_HASH_IP_PORT_NET, "2001:db8::1", IPPROTO_TCP, 80, "2001:db8::", 32,
		 "2001:db8::1,tcp:80,2001:db8::/32"},
		/* the longest of all */
		{IPSET_HASH_IP_PORT_NET, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 255, 65535,
		 "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe", 127,
		 "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff,255:65535,"
		 "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127"},
		{IPSET_BITMAP_PORT, NULL, 0, 0, NULL, 0, "0"},
		{IPSET_BITMAP_PORT, NULL, 0, 65535, NULL, 0, "65535"},
		{_IPSET_TYPE_OTHER, "10.0.0.1", 0, 0, NULL, 0, ""},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct ipset_element e = make_element(rows[i].addr, rows[i].protocol, rows[i].port,
						      rows[i].addr2, rows[i].prefix);
		char buf[IPSET_ELEMENT_TEXT_MAX];

		memset(buf, 0xA5, sizeof(buf));
		assert_ptr_equal(ipset_element_text(rows[i].type, &e, buf), buf);
		assert_string_equal(buf, rows[i].text);
	}
}

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static void test_compare(void **state)
{
	/* in ascending order */
	const struct ipset_element rows[] = {
		make_element("10.0.0.1", IPPROTO_UDP, 79, "10.9.0.0", 24),
		make_element("10.0.0.1", IPPROTO_TCP, 80, "10.9.0.0", 24),
		make_element("10.0.0.1", IPPROTO_TCP, 80, "10.9.0.0", 25),
		make_element("10.0.0.1", IPPROTO_TCP, 80, "10.9.1.0", 24),
		make_element("10.0.0.1", IPPROTO_UDP, 80, "10.9.0.0", 24),
		make_element("10.0.0.1", IPPROTO_TCP, 65535, "10.9.0.0", 24),
		make_element("10.0.0.2", IPPROTO_TCP, 80, "10.9.0.0", 24),
		make_element("::1", IPPROTO_TCP, 80, "::", 24),
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		for (size_t k = 0; k < ELEMENTSOF(rows); k++) {
			int order = ipset_element_compare(&rows[i], &rows[k]);

			assert_int_equal(sign(order), sign((int)i - (int)k));
			/* elements are compared as bytes elsewhere */
			assert_int_equal(memcmp(&rows[i], &rows[k], sizeof(rows[i])) == 0, i == k);
		}
	/* no holes that memcmp() would look into */
	assert_int_equal(sizeof(struct ipset_element), 2 * sizeof(struct addr) + 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_types),
					   cmocka_unit_test(test_text),
					   cmocka_unit_test(test_compare)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
