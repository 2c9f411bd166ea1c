/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/ipset/ip_set.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "kernel/ipset-wire.h"

/* The attributes as text: "type=bytes" in hexadecimal, nests in braces; n: said to be nested, b:
 * said to be in network order. */
static void print_attrs(struct strbuf *b, const struct nlattr *a, int size)
{
	for (; nla_ok(a, size); a = nla_next(a, &size)) {
		const uint8_t *data = nla_data(a);

		strbuf_addf(b, "%d%s%s", nla_type(a), a->nla_type & NLA_F_NESTED ? "n" : "",
			    a->nla_type & NLA_F_NET_BYTEORDER ? "b" : "");
		if (a->nla_type & NLA_F_NESTED) {
			strbuf_add(b, "{ ");
			print_attrs(b, nla_data(a), nla_len(a));
			strbuf_add(b, "} ");
			continue;
		}
		strbuf_add(b, "=");
		for (int i = 0; i < nla_len(a); i++)
			strbuf_addf(b, "%02x", data[i]);
		strbuf_add(b, " ");
	}
	assert_true(size <= 0);
}

static void need_message(struct nl_msg *msg, int command, int flags, const char *attrs)
{
	const struct nlmsghdr *h = nlmsg_hdr(msg);
	const struct nfgenmsg *header = nlmsg_data(h);
	_cleanup_strbuf_ struct strbuf b = {0};

	assert_int_equal(h->nlmsg_type, NFNL_SUBSYS_IPSET << 8 | command);
	assert_int_equal(h->nlmsg_flags, flags);
	assert_int_equal(header->nfgen_family, AF_INET);
	assert_int_equal(header->version, 0);
	assert_int_equal(header->res_id, 0);
	print_attrs(&b, nlmsg_attrdata(h, sizeof(*header)), nlmsg_attrlen(h, sizeof(*header)));
	assert_int_equal(strbuf_error(&b), 0);
	assert_string_equal(strbuf_text(&b), attrs);
	nlmsg_free(msg);
}

static void test_simple(void **state)
{
	struct nl_msg *msg = NULL;

	(void)state;
	assert_int_equal(ipset_message_new(IPSET_CMD_PROTOCOL, 0, 7, NULL, 0, &msg), 0);
	need_message(msg, IPSET_CMD_PROTOCOL, 0, "1=07 ");
	assert_int_equal(ipset_message_new(IPSET_CMD_DESTROY, NLM_F_EXCL, 6, "ab", 0, &msg), 0);
	need_message(msg, IPSET_CMD_DESTROY, NLM_F_EXCL, "1=06 2=616200 ");
	assert_int_equal(ipset_message_swap(7, "a", "b", &msg), 0);
	need_message(msg, IPSET_CMD_SWAP, 0, "1=07 2=6100 3=6200 ");
	assert_int_equal(ipset_message_type(7, IPSET_HASH_IP, ADDR_IPV6, &msg), 0);
	need_message(msg, IPSET_CMD_TYPE, 0, "1=07 3=686173683a697000 5=0a ");
	assert_int_equal(ipset_message_type(7, IPSET_BITMAP_PORT, ADDR_IPV6, &msg), 0);
	need_message(msg, IPSET_CMD_TYPE, 0, "1=07 3=6269746d61703a706f727400 5=00 ");
}

static void test_create(void **state)
{
	struct nl_msg *msg = NULL;

	(void)state;
	assert_int_equal(ipset_message_create(7, "a", IPSET_HASH_IP, ADDR_IPV4, 5, &msg), 0);
	need_message(msg, IPSET_CMD_CREATE, NLM_F_CREATE | NLM_F_EXCL,
		     "1=07 2=6100 3=686173683a697000 5=02 4=05 7n{ 18b=00000400 19b=00010000 } ");
	assert_int_equal(ipset_message_create(7, "a", IPSET_BITMAP_PORT, ADDR_IPV4, 3, &msg), 0);
	need_message(msg, IPSET_CMD_CREATE, NLM_F_CREATE | NLM_F_EXCL,
		     "1=07 2=6100 3=6269746d61703a706f727400 5=00 4=03 7n{ 4b=0000 5b=ffff } ");
}

static void test_elements(void **state)
{
	static const struct {
		enum ipset_type type;
		const char *addr, *addr2;
		uint8_t protocol;
		uint16_t port;
		uint8_t prefix;
		const char *data;
	} rows[] = {
		{IPSET_HASH_IP, "10.0.0.1", NULL, 0, 0, 0, "1n{ 1b=0a000001 } "},
		{IPSET_HASH_IP, "fd00::1", NULL, 0, 0, 0,
		 "1n{ 2b=fd000000000000000000000000000001 } "},
		{IPSET_HASH_IP_PORT, "10.0.0.1", NULL, 6, 80, 0, "1n{ 1b=0a000001 } 4b=0050 7=06 "},
		{IPSET_HASH_IP_PORT_IP, "10.0.0.1", "10.0.0.2", 132, 8080, 0,
		 "1n{ 1b=0a000001 } 4b=1f90 7=84 20n{ 1b=0a000002 } "},
		{IPSET_HASH_IP_PORT_NET, "10.0.0.1", "10.9.0.0", 17, 53, 16,
		 "1n{ 1b=0a000001 } 4b=0035 7=11 20n{ 1b=0a090000 } 21=10 "},
		{IPSET_BITMAP_PORT, NULL, NULL, 0, 30080, 0, "4b=7580 "},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct ipset_element e[2] = {{.protocol = rows[i].protocol,
					      .port = rows[i].port,
					      .prefix = rows[i].prefix}};
		struct nl_msg *msg = NULL;
		char want[1024];

		if (rows[i].addr)
			e[0].addr = make_addr(rows[i].addr);
		if (rows[i].addr2)
			e[0].addr2 = make_addr(rows[i].addr2);
		e[1] = e[0];
		assert_int_equal(
			ipset_message_elements(IPSET_CMD_DEL, 7, "a", rows[i].type, e, 2, &msg), 0);
		/* line numbers are in the order of the host, which sends them back */
		(void)snprintf(want, sizeof(want),
			       "1=07 2=6100 9=00000000 8n{ 7n{ %s9=%08x } 7n{ %s9=%08x } } ",
			       rows[i].data, htonl(htole32(1)), rows[i].data, htonl(htole32(2)));
		need_message(msg, IPSET_CMD_DEL, 0, want);
	}
}

/* The largest batch is whole, and its nest's length can be told. */
static void test_batch(void **state)
{
	static struct ipset_element e[IPSET_BATCH];
	struct nlattr *tb[IPSET_ATTR_CMD_MAX + 1];
	struct nl_msg *msg = NULL;
	const struct nlattr *a;
	uint32_t n = 0;
	int rest;

	(void)state;
	for (size_t i = 0; i < IPSET_BATCH; i++)
		e[i] = (struct ipset_element){.addr = make_addr("fd00::1"),
					      .addr2 = make_addr("fd00::2"),
					      .port = 1,
					      .protocol = 6,
					      .prefix = 128};
	assert_int_equal(ipset_message_elements(IPSET_CMD_ADD, 7, "1234567890123456789012345678901",
						IPSET_HASH_IP_PORT_NET, e, IPSET_BATCH, &msg),
			 0);
	assert_int_equal(
		nlmsg_parse(nlmsg_hdr(msg), sizeof(struct nfgenmsg), tb, IPSET_ATTR_CMD_MAX, NULL),
		0);
	assert_non_null(tb[IPSET_ATTR_ADT]);
	nla_for_each_nested(a, tb[IPSET_ATTR_ADT], rest)
	{
		struct nlattr *element[IPSET_ATTR_ADT_MAX + 1];

		assert_int_equal(nla_parse_nested(element, IPSET_ATTR_ADT_MAX,
						  (struct nlattr *)(uintptr_t)a, NULL),
				 0);
		assert_int_equal(nla_get_u32(element[IPSET_ATTR_LINENO]), ++n);
		assert_non_null(element[IPSET_ATTR_CIDR2]);
	}
	assert_int_equal(n, IPSET_BATCH);
	assert_true(nlmsg_hdr(msg)->nlmsg_len < 32768);
	nlmsg_free(msg);
}

static void test_names(void **state)
{
	static const char *const bad[] = {"", "12345678901234567890123456789012"};
	struct nl_msg *const untouched = (struct nl_msg *)(uintptr_t)1;
	struct nl_msg *msg = untouched;

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(bad); i++) {
		assert_int_equal(ipset_message_new(IPSET_CMD_DESTROY, 0, 7, bad[i], 0, &msg),
				 -EINVAL);
		assert_int_equal(ipset_message_create(7, bad[i], IPSET_HASH_IP, ADDR_IPV4, 5, &msg),
				 -EINVAL);
		assert_int_equal(ipset_message_swap(7, bad[i], "a", &msg), -EINVAL);
		assert_int_equal(ipset_message_swap(7, "a", bad[i], &msg), -EINVAL);
		assert_int_equal(ipset_message_elements(IPSET_CMD_ADD, 7, bad[i], IPSET_HASH_IP,
							NULL, 0, &msg),
				 -EINVAL);
		assert_ptr_equal(msg, untouched);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simple), cmocka_unit_test(test_create),
		cmocka_unit_test(test_elements), cmocka_unit_test(test_batch),
		cmocka_unit_test(test_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
