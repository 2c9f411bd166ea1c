/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/addr.h"
#include "base/cleanup.h"

/* Texts that are addresses, with the canonical form. */
static void test_parse_good(void **state)
{
	static const struct {
		const char *text, *canonical;
	} rows[] = {
		{"0.0.0.0", "0.0.0.0"},
		{"10.0.0.1", "10.0.0.1"},
		{"255.255.255.255", "255.255.255.255"},
		{"::", "::"},
		{"::1", "::1"},
		{"1::", "1::"},
		{"FD00::1", "fd00::1"},
		{"fd00:0:0:0:0:0:0:1", "fd00::1"},
		{"fd00:0000:0000:0000:0000:0000:0000:0001", "fd00::1"},
		{"0:0:0:0:0:0:0:0", "::"},
		/* ::/96, which glibc prints as a dotted quad */
		{"::1.2.3.4", "::102:304"},
		{"::102:304", "::102:304"},
		{"::1:2", "::1:2"},
		{"::0.1.0.2", "::1:2"},
		{"::ffff", "::ffff"},
		{"::1:0", "::1:0"},
		{"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
		{"64:ff9b::192.0.2.33", "64:ff9b::c000:221"},
		/* RFC 5952 sections 4 and 5 */
		{"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"}, /* a tie: the leftmost */
		{"2001:0:0:1:0:0:0:1", "2001:0:0:1::1"},       /* the longest */
		{"1:0:0:2:0:0:3:4", "1::2:0:0:3:4"},
		{"0:0:1:0:0:1:0:0", "::1:0:0:1:0:0"},
		{"1:0:0:0:2:0:0:0", "1::2:0:0:0"},
		{"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"}, /* one group alone stays */
		{"2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
		{"0:1:2:3:4:5:6:7", "0:1:2:3:4:5:6:7"},
		{"::1:2:3:4:5:6:7", "0:1:2:3:4:5:6:7"},
		{"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
		{"1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7:0"},
		{"1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"},
		{"2001:0db8:000a:00bc:0def:0000:0010:0100", "2001:db8:a:bc:def:0:10:100"},
		{"AbCd:EF01:2345:6789:abcd:ef01:2345:6789",
		 "abcd:ef01:2345:6789:abcd:ef01:2345:6789"},
		/* almost mapped */
		{"::fffe:1.2.3.4", "::fffe:102:304"},
		{"::ffff:0:1.2.3.4", "::ffff:0:102:304"},
		{"::1:ffff:1.2.3.4", "::1:ffff:102:304"},
		{"1::ffff:1.2.3.4", "1::ffff:102:304"},
		{"fe80::1", "fe80::1"},
		{"0::0", "::"},
	};
	char buf[ADDR_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct addr a;
		uint8_t bytes[16] = {0};
		int family = strchr(rows[i].text, ':') ? AF_INET6 : AF_INET;

		memset(&a, 0xa5, sizeof(a));
		if (addr_parse(rows[i].text, &a) != ADDR_OK)
			fail_msg("'%s' is refused", rows[i].text);
		assert_ptr_equal(addr_format(&a, buf), buf);
		assert_string_equal(buf, rows[i].canonical);
		assert_int_equal(a.family, family == AF_INET ? ADDR_IPV4 : ADDR_IPV6);
		/* inet_pton() takes all of these, too, and says which bytes they are */
		assert_int_equal(inet_pton(family, rows[i].text, bytes), 1);
		assert_memory_equal(a.bytes, bytes, sizeof(bytes));
	}
}

static void test_parse_bad(void **state)
{
	static const struct {
		const char *text;
		enum addr_reason reason;
	} rows[] = {
		{"", ADDR_NOT_AN_ADDRESS},
		{" ", ADDR_NOT_AN_ADDRESS},
		{"None", ADDR_NOT_AN_ADDRESS},
		{"localhost", ADDR_NOT_AN_ADDRESS},
		{"1", ADDR_NOT_AN_ADDRESS},
		{"1.2.3", ADDR_NOT_AN_ADDRESS},
		{"1.2.3.", ADDR_NOT_AN_ADDRESS},
		{"1.2.3.4.", ADDR_NOT_AN_ADDRESS},
		{"1.2.3.4.5", ADDR_NOT_AN_ADDRESS},
		{".1.2.3", ADDR_NOT_AN_ADDRESS},
		{"1..2.3", ADDR_NOT_AN_ADDRESS},
		{"256.0.0.1", ADDR_NOT_AN_ADDRESS},
		{"1.2.3.256", ADDR_NOT_AN_ADDRESS},
		{"1.2.3.4294967300", ADDR_NOT_AN_ADDRESS},
		{"0x1.2.3.4", ADDR_NOT_AN_ADDRESS},
		{"1.2.3.a", ADDR_NOT_AN_ADDRESS},
		{"-1.2.3.4", ADDR_NOT_AN_ADDRESS},
		{"+1.2.3.4", ADDR_NOT_AN_ADDRESS},
		{" 1.2.3.4", ADDR_NOT_AN_ADDRESS},
		{"1.2.3.4 ", ADDR_NOT_AN_ADDRESS},
		{"1.2.3.4\n", ADDR_NOT_AN_ADDRESS},
		{"1.2. 3.4", ADDR_NOT_AN_ADDRESS},
		{"010.0.0.1", ADDR_LEADING_ZERO},
		{"10.0.0.01", ADDR_LEADING_ZERO},
		{"00.0.0.0", ADDR_LEADING_ZERO},
		{"0000.0.0.0", ADDR_LEADING_ZERO},
		{"10.00000000000000000000.0.1", ADDR_LEADING_ZERO},
		{"010.0.0.256", ADDR_NOT_AN_ADDRESS},
		{"::010.0.0.1", ADDR_LEADING_ZERO},
		{":", ADDR_NOT_AN_ADDRESS},
		{":::", ADDR_NOT_AN_ADDRESS},
		{":1", ADDR_NOT_AN_ADDRESS},
		{"1:", ADDR_NOT_AN_ADDRESS},
		{"1::2::3", ADDR_NOT_AN_ADDRESS},
		{"1:::2", ADDR_NOT_AN_ADDRESS},
		{"::1::", ADDR_NOT_AN_ADDRESS},
		{"1:2:3:4:5:6:7", ADDR_NOT_AN_ADDRESS},
		{"1:2:3:4:5:6:7:8:9", ADDR_NOT_AN_ADDRESS},
		{"1:2:3:4:5:6:7:8:", ADDR_NOT_AN_ADDRESS},
		{":1:2:3:4:5:6:7:8", ADDR_NOT_AN_ADDRESS},
		{"1:2:3:4:5:6:7:8::", ADDR_NOT_AN_ADDRESS},
		{"1:2:3:4::5:6:7:8", ADDR_NOT_AN_ADDRESS}, /* :: must stand for something */
		{"::1:2:3:4:5:6:7:8", ADDR_NOT_AN_ADDRESS},
		{"00001::", ADDR_NOT_AN_ADDRESS},
		{"12345::", ADDR_NOT_AN_ADDRESS},
		{"g::", ADDR_NOT_AN_ADDRESS},
		{"fd00::1.2.3", ADDR_NOT_AN_ADDRESS},
		{"fd00::1.2.3.4.5", ADDR_NOT_AN_ADDRESS},
		{"fd00::1.2.3.4:5", ADDR_NOT_AN_ADDRESS},
		{"fd00::1.2.3.256", ADDR_NOT_AN_ADDRESS},
		{"fd00::a.2.3.4", ADDR_NOT_AN_ADDRESS},
		{"1:2:3:4:5:1.2.3.4", ADDR_NOT_AN_ADDRESS},
		{"1:2:3:4:5:6:7:1.2.3.4", ADDR_NOT_AN_ADDRESS},
		{"1:2:3:4:5:6::1.2.3.4", ADDR_NOT_AN_ADDRESS},
		{"1.2.3.4::", ADDR_NOT_AN_ADDRESS},
		{"::1 ", ADDR_NOT_AN_ADDRESS},
		{" ::1", ADDR_NOT_AN_ADDRESS},
		{"[::1]", ADDR_NOT_AN_ADDRESS},
		{"::ffff:1.2.3.4", ADDR_MAPPED},
		{"::FFFF:1.2.3.4", ADDR_MAPPED},
		{"::ffff:102:304", ADDR_MAPPED},
		{"0:0:0:0:0:ffff:0:0", ADDR_MAPPED},
		{"0000:0000:0000:0000:0000:FfFf:0102:0304", ADDR_MAPPED},
		{"0:0:0:0:0:ffff:1.2.3.4", ADDR_MAPPED},
		{"::0:ffff:1.2.3.4", ADDR_MAPPED},
		{"fe80::1%eth0", ADDR_HAS_ZONE},
		{"fe80::1%", ADDR_HAS_ZONE},
		{"%eth0", ADDR_NOT_AN_ADDRESS},
		{"10.0.0.0/8", ADDR_HAS_PREFIX},
		{"fd00::/64", ADDR_HAS_PREFIX},
		{"nonsense/64", ADDR_NOT_AN_ADDRESS},
		{"1.2.3.4:80", ADDR_HAS_PORT},
		{"[fd00::1]:80", ADDR_HAS_PORT},
		{"host:80", ADDR_NOT_AN_ADDRESS},
		{"[host]:80", ADDR_NOT_AN_ADDRESS},
		{"[", ADDR_NOT_AN_ADDRESS},
		{"]", ADDR_NOT_AN_ADDRESS},
		{"[]", ADDR_NOT_AN_ADDRESS},
		{"[]:", ADDR_NOT_AN_ADDRESS},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/8",
		 ADDR_NOT_AN_ADDRESS},
	};
	struct addr poison;

	(void)state;
	memset(&poison, 0xa5, sizeof(poison));
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct addr a = poison;
		enum addr_reason reason = addr_parse(rows[i].text, &a);

		if (reason != rows[i].reason)
			fail_msg("'%s': '%s'", rows[i].text, addr_reason_text(reason));
		assert_memory_equal(&a, &poison, sizeof(a));
	}
}

static void test_prefix(void **state)
{
	static const struct {
		const char *text;
		enum addr_reason reason;
		const char *canonical;
	} rows[] = {
		{"0.0.0.0/0", ADDR_OK, "0.0.0.0/0"},
		{"10.0.0.0/8", ADDR_OK, "10.0.0.0/8"},
		{"10.128.0.0/9", ADDR_OK, "10.128.0.0/9"},
		{"10.0.0.1/32", ADDR_OK, "10.0.0.1/32"},
		{"::/0", ADDR_OK, "::/0"},
		{"FD00::/8", ADDR_OK, "fd00::/8"},
		{"::1/128", ADDR_OK, "::1/128"},
		{"fd00:0:0:1::/64", ADDR_OK, "fd00:0:0:1::/64"},
		{"::102:300/120", ADDR_OK, "::102:300/120"},
		{"1111:2222:3333:4444:5555:6666:7777:8888/128", ADDR_OK,
		 "1111:2222:3333:4444:5555:6666:7777:8888/128"},
		{"10.0.0.1/8", ADDR_HOST_BITS, NULL},
		{"10.0.0.1/31", ADDR_HOST_BITS, NULL},
		{"0.0.0.1/0", ADDR_HOST_BITS, NULL},
		{"128.0.0.0/0", ADDR_HOST_BITS, NULL},
		{"10.64.0.0/9", ADDR_HOST_BITS, NULL},
		{"fd00::1/127", ADDR_HOST_BITS, NULL},
		{"10.0.0.0", ADDR_NO_PREFIX, NULL},
		{"fd00::", ADDR_NO_PREFIX, NULL},
		{"10.0.0.0/", ADDR_BAD_PREFIX, NULL},
		{"10.0.0.0/33", ADDR_BAD_PREFIX, NULL},
		{"fd00::/129", ADDR_BAD_PREFIX, NULL},
		{"10.0.0.0/128", ADDR_BAD_PREFIX, NULL},
		{"10.0.0.0/264", ADDR_BAD_PREFIX, NULL}, /* 8 in a byte */
		{"10.0.0.0/4294967304", ADDR_BAD_PREFIX, NULL},
		{"10.0.0.0/08", ADDR_BAD_PREFIX, NULL},
		{"0.0.0.0/00", ADDR_BAD_PREFIX, NULL},
		{"10.0.0.0/+8", ADDR_BAD_PREFIX, NULL},
		{"10.0.0.0/-8", ADDR_BAD_PREFIX, NULL},
		{"10.0.0.0/ 8", ADDR_BAD_PREFIX, NULL},
		{"10.0.0.0/8 ", ADDR_BAD_PREFIX, NULL},
		{"10.0.0.0/8/8", ADDR_BAD_PREFIX, NULL},
		{"10.0.0.0//8", ADDR_BAD_PREFIX, NULL},
		{"10.0.0.0/255.0.0.0", ADDR_BAD_PREFIX, NULL},
		{"10.0.0.0/0x8", ADDR_BAD_PREFIX, NULL},
		{"010.0.0.0/8", ADDR_LEADING_ZERO, NULL},
		{"::ffff:10.0.0.0/104", ADDR_MAPPED, NULL},
		{"::ffff:0:0/96", ADDR_MAPPED, NULL},
		{"fe80::%eth0/64", ADDR_HAS_ZONE, NULL},
		{"1.2.3.4:80/8", ADDR_HAS_PORT, NULL},
		{"10.0/8", ADDR_NOT_AN_ADDRESS, NULL},
		{"/8", ADDR_NOT_AN_ADDRESS, NULL},
		{"", ADDR_NOT_AN_ADDRESS, NULL},
		{" 10.0.0.0/8", ADDR_NOT_AN_ADDRESS, NULL},
		{"10.0.0.0 /8", ADDR_NOT_AN_ADDRESS, NULL},
	};
	struct addr_prefix poison;
	char buf[ADDR_PREFIX_TEXT_MAX];

	(void)state;
	memset(&poison, 0xa5, sizeof(poison));
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct addr_prefix p = poison;
		enum addr_reason reason = addr_prefix_parse(rows[i].text, &p);

		if (reason != rows[i].reason)
			fail_msg("'%s': '%s'", rows[i].text, addr_reason_text(reason));
		if (reason == ADDR_OK)
			assert_string_equal(addr_prefix_format(&p, buf), rows[i].canonical);
		else
			assert_memory_equal(&p, &poison, sizeof(p));
	}
}

static void test_port(void **state)
{
	static const struct {
		const char *text;
		enum addr_reason reason;
		const char *canonical;
	} rows[] = {
		{"1.2.3.4:80", ADDR_OK, "1.2.3.4:80"},
		{"0.0.0.0:1", ADDR_OK, "0.0.0.0:1"},
		{"1.2.3.4:65535", ADDR_OK, "1.2.3.4:65535"},
		{"[FD00:0::1]:80", ADDR_OK, "[fd00::1]:80"},
		{"[::]:10256", ADDR_OK, "[::]:10256"},
		{"[1111:2222:3333:4444:5555:6666:7777:8888]:65535", ADDR_OK,
		 "[1111:2222:3333:4444:5555:6666:7777:8888]:65535"},
		{"1.2.3.4", ADDR_BAD_PORT, NULL},
		{"fd00::1", ADDR_BAD_PORT, NULL},
		{"fd00::1:80", ADDR_BAD_PORT, NULL}, /* an address, the 80 is part of it */
		{"1.2.3.4:", ADDR_BAD_PORT, NULL},
		{"1.2.3.4:0", ADDR_BAD_PORT, NULL},
		{"1.2.3.4:080", ADDR_BAD_PORT, NULL},
		{"1.2.3.4:65536", ADDR_BAD_PORT, NULL},
		{"1.2.3.4:4294967376", ADDR_BAD_PORT, NULL},
		{"1.2.3.4:-1", ADDR_BAD_PORT, NULL},
		{"1.2.3.4:+1", ADDR_BAD_PORT, NULL},
		{"1.2.3.4:http", ADDR_BAD_PORT, NULL},
		{"1.2.3.4:80 ", ADDR_BAD_PORT, NULL},
		{"[fd00::1]:", ADDR_BAD_PORT, NULL},
		{"[fd00::1]:0", ADDR_BAD_PORT, NULL},
		{"[fd00::1]", ADDR_NOT_AN_ADDRESS, NULL},
		{"[fd00::1]80", ADDR_NOT_AN_ADDRESS, NULL},
		{"[fd00::1:80", ADDR_NOT_AN_ADDRESS, NULL},
		{"[1.2.3.4]:80", ADDR_NOT_AN_ADDRESS, NULL},
		{"[]:80", ADDR_NOT_AN_ADDRESS, NULL},
		{":80", ADDR_NOT_AN_ADDRESS, NULL},
		{"*:80", ADDR_NOT_AN_ADDRESS, NULL},
		{"localhost:80", ADDR_NOT_AN_ADDRESS, NULL},
		{"", ADDR_NOT_AN_ADDRESS, NULL},
		{"1.2.3.4:80:80", ADDR_NOT_AN_ADDRESS, NULL},
		{"[fe80::1%eth0]:80", ADDR_HAS_ZONE, NULL},
		{"[::ffff:1.2.3.4]:80", ADDR_MAPPED, NULL},
		{"01.2.3.4:80", ADDR_LEADING_ZERO, NULL},
		{"1.2.3.4/8:80", ADDR_HAS_PREFIX, NULL},
	};
	struct addr poison;
	char buf[ADDR_PORT_TEXT_MAX];

	(void)state;
	memset(&poison, 0xa5, sizeof(poison));
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct addr a = poison;
		uint16_t port = 0xa5a5;
		enum addr_reason reason = addr_port_parse(rows[i].text, &a, &port);

		if (reason != rows[i].reason)
			fail_msg("'%s': '%s'", rows[i].text, addr_reason_text(reason));
		if (reason == ADDR_OK) {
			assert_string_equal(addr_port_format(&a, port, buf), rows[i].canonical);
		} else {
			assert_memory_equal(&a, &poison, sizeof(a));
			assert_int_equal(port, 0xa5a5);
		}
	}
}

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Random addresses, most of whose groups are zero: printed, read back, and compared with the C
 * library where that prints the same form. */
static void test_round_trip(void **state)
{
	uint32_t seed = 2463534242u;

	(void)state;
	for (int round = 0; round < 50000; round++) {
		struct addr a = {.family = round % 4 ? ADDR_IPV6 : ADDR_IPV4}, back;
		size_t n = a.family == ADDR_IPV6 ? 16 : 4;
		char text[ADDR_TEXT_MAX], theirs[INET6_ADDRSTRLEN];
		uint32_t zeros = next_random(&seed);
		bool low_only = true;

		for (size_t i = 0; i < n; i++)
			a.bytes[i] = zeros >> (i / 2) & 1 ? 0 : (uint8_t)next_random(&seed);
		if (a.family == ADDR_IPV6 && addr_kinds(&a) == 0 && round % 16 == 1)
			memset(a.bytes, 0, 12); /* ::/96 */
		for (size_t i = 0; i < 10; i++)
			low_only = low_only && a.bytes[i] == 0;

		memset(&back, 0xa5, sizeof(back));
		addr_format(&a, text);
		if (addr_parse(text, &back) != ADDR_OK)
			fail_msg("'%s' does not read back", text);
		assert_true(addr_equal(&a, &back));
		if (a.family == ADDR_IPV6 && low_only)
			continue; /* the mixed form of glibc */
		assert_non_null(inet_ntop(a.family == ADDR_IPV6 ? AF_INET6 : AF_INET, a.bytes,
					  theirs, sizeof(theirs)));
		assert_string_equal(text, theirs);
	}
}

/* Whatever we take, inet_pton() takes with the same bytes; so nothing odd slips in by a bug of
 * ours. */
static void test_random_text(void **state)
{
	static const char alphabet[] = "0123456789afF::::....%/[] ";
	uint32_t seed = 314159265u;
	unsigned taken = 0;

	(void)state;
	for (int round = 0; round < 400000; round++) {
		char text[24];
		uint8_t bytes[16] = {0};
		struct addr a;
		size_t n = 2 + next_random(&seed) % 12;

		for (size_t i = 0; i < n; i++)
			text[i] = alphabet[next_random(&seed) % (sizeof(alphabet) - 1)];
		text[n] = '\0';
		if (addr_parse(text, &a) != ADDR_OK)
			continue;
		taken++;
		if (inet_pton(a.family == ADDR_IPV4 ? AF_INET : AF_INET6, text, bytes) != 1)
			fail_msg("'%s' is taken", text);
		assert_memory_equal(a.bytes, bytes, sizeof(bytes));
	}
	assert_true(taken > 1000);
}

static struct addr parse(const char *text)
{
	struct addr a = {0};

	assert_int_equal(addr_parse(text, &a), ADDR_OK);
	return a;
}

static struct addr_prefix parse_prefix(const char *text)
{
	struct addr_prefix p = {0};

	assert_int_equal(addr_prefix_parse(text, &p), ADDR_OK);
	return p;
}

static void test_compare(void **state)
{
	static const char *const sorted[] = {
		"0.0.0.0", "1.2.3.4", "1.2.3.5", "9.0.0.0", "128.0.0.1", "255.255.255.255",
		"::",	   "::1",     "::1:0",	 "1::",	    "fd00::1",	 "ff02::1",
	};
	static const char *const prefixes[] = {
		"0.0.0.0/0",  "10.0.0.0/8", "10.0.0.0/9", "10.0.0.0/32",
		"11.0.0.0/8", "::/0",	    "::/128",
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(sorted); i++) {
		for (size_t j = 0; j < ELEMENTSOF(sorted); j++) {
			struct addr a = parse(sorted[i]), b = parse(sorted[j]);

			assert_int_equal(addr_compare(&a, &b), (i > j) - (i < j));
			assert_int_equal(addr_equal(&a, &b), i == j);
		}
	}
	for (size_t i = 0; i < ELEMENTSOF(prefixes); i++) {
		for (size_t j = 0; j < ELEMENTSOF(prefixes); j++) {
			struct addr_prefix a = parse_prefix(prefixes[i]);
			struct addr_prefix b = parse_prefix(prefixes[j]);

			assert_int_equal(addr_prefix_compare(&a, &b), (i > j) - (i < j));
		}
	}
}

static void test_contains(void **state)
{
	static const struct {
		const char *prefix, *addr;
		bool contains;
	} rows[] = {
		{"0.0.0.0/0", "0.0.0.0", true},
		{"0.0.0.0/0", "255.255.255.255", true},
		{"0.0.0.0/0", "::", false},
		{"::/0", "0.0.0.0", false},
		{"::/0", "ffff::", true},
		{"10.0.0.0/8", "10.255.255.255", true},
		{"10.0.0.0/8", "11.0.0.0", false},
		{"10.0.0.0/8", "9.255.255.255", false},
		{"10.128.0.0/9", "10.128.0.0", true},
		{"10.128.0.0/9", "10.127.255.255", false},
		{"10.0.0.0/31", "10.0.0.1", true},
		{"10.0.0.0/31", "10.0.0.2", false},
		{"10.0.0.1/32", "10.0.0.1", true},
		{"10.0.0.1/32", "10.0.0.0", false},
		{"fd00::/65", "fd00::7fff:0:0:1", true},
		{"fd00::/65", "fd00::8000:0:0:0", false},
		{"::1/128", "::1", true},
		{"::1/128", "::", false},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct addr_prefix p = parse_prefix(rows[i].prefix);
		struct addr a = parse(rows[i].addr);

		if (addr_prefix_contains(&p, &a) != rows[i].contains)
			fail_msg("%s in %s", rows[i].addr, rows[i].prefix);
	}
}

static void test_to_prefix(void **state)
{
	struct addr v4 = parse("10.0.0.1"), v6 = parse("fd00::1");
	struct addr_prefix p;
	char buf[ADDR_PREFIX_TEXT_MAX];

	(void)state;
	p = addr_to_prefix(&v4);
	assert_string_equal(addr_prefix_format(&p, buf), "10.0.0.1/32");
	p = addr_to_prefix(&v6);
	assert_string_equal(addr_prefix_format(&p, buf), "fd00::1/128");
}

static void test_kinds(void **state)
{
	static const struct {
		const char *text;
		unsigned kinds;
	} rows[] = {
		{"0.0.0.0", ADDR_IS_UNSPECIFIED | ADDR_IS_THIS_NETWORK},
		{"0.0.0.1", ADDR_IS_THIS_NETWORK},
		{"0.255.255.255", ADDR_IS_THIS_NETWORK},
		{"1.0.0.0", 0},
		{"10.0.0.1", 0},
		{"126.255.255.255", 0},
		{"127.0.0.0", ADDR_IS_LOOPBACK},
		{"127.255.255.255", ADDR_IS_LOOPBACK},
		{"128.0.0.1", 0},
		{"169.253.255.255", 0},
		{"169.254.0.0", ADDR_IS_LINK_LOCAL},
		{"169.254.255.255", ADDR_IS_LINK_LOCAL},
		{"169.255.0.0", 0},
		{"223.255.255.255", 0},
		{"224.0.0.0", ADDR_IS_MULTICAST | ADDR_IS_LINK_LOCAL_MULTICAST},
		{"224.0.0.255", ADDR_IS_MULTICAST | ADDR_IS_LINK_LOCAL_MULTICAST},
		{"224.0.1.0", ADDR_IS_MULTICAST},
		{"224.1.0.0", ADDR_IS_MULTICAST},
		{"239.255.255.255", ADDR_IS_MULTICAST},
		{"240.0.0.0", ADDR_IS_RESERVED},
		{"255.255.255.254", ADDR_IS_RESERVED},
		{"255.255.255.255", ADDR_IS_RESERVED | ADDR_IS_BROADCAST},
		{"::", ADDR_IS_UNSPECIFIED},
		{"::1", ADDR_IS_LOOPBACK},
		{"::2", 0},
		{"::7f00:1", 0},
		{"1::", 0},
		{"fd00::1", 0},
		{"fe7f::1", 0},
		{"fe80::1", ADDR_IS_LINK_LOCAL},
		{"febf::1", ADDR_IS_LINK_LOCAL},
		{"fec0::1", 0},
		{"feff::1", 0},
		{"ff00::1", ADDR_IS_MULTICAST},
		{"ff01::1", ADDR_IS_MULTICAST},
		{"ff02::1", ADDR_IS_MULTICAST | ADDR_IS_LINK_LOCAL_MULTICAST},
		{"ff32::1", ADDR_IS_MULTICAST | ADDR_IS_LINK_LOCAL_MULTICAST},
		{"ff05::2", ADDR_IS_MULTICAST},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct addr a = parse(rows[i].text);

		if (addr_kinds(&a) != rows[i].kinds)
			fail_msg("%s: %#x", rows[i].text, addr_kinds(&a));
	}
}

static void test_reason_text(void **state)
{
	(void)state;
	for (int r = -1; r <= _ADDR_REASON_MAX; r++) {
		const char *text = addr_reason_text((enum addr_reason)r);

		assert_non_null(text);
		assert_true(strlen(text) > 5);
	}
	assert_string_equal(addr_reason_text(ADDR_LEADING_ZERO), "must not have leading zeros");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_good),  cmocka_unit_test(test_parse_bad),
		cmocka_unit_test(test_prefix),	    cmocka_unit_test(test_port),
		cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_random_text),
		cmocka_unit_test(test_compare),	    cmocka_unit_test(test_contains),
		cmocka_unit_test(test_to_prefix),   cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_reason_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
