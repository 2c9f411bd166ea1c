/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's part in full is tests/netns/test_links.py and tests/uml/test_links.py. */
#include "make-namespace.h"
#include "make-netlink.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "kernel/links.h"

static struct nl_msg *make_link(int type, int index, const char *kind)
{
	const struct ifinfomsg header = {.ifi_index = index};
	struct nl_msg *msg = make_message(type, &header, sizeof(header));

	put_text(msg, IFLA_IFNAME, "x01");
	if (kind) {
		struct nlattr *info = open_nest(msg, IFLA_LINKINFO);

		put_text(msg, IFLA_INFO_KIND, kind);
		close_nest(msg, info);
	}
	return msg;
}

static int parse_link(struct nl_msg *msg, int *ret_index, bool *ret_dummy)
{
	size_t size = nlmsg_hdr(msg)->nlmsg_len;
	_cleanup_free_ void *copy = cut_message(msg, size, true);
	int r = links_parse_link(copy, size, ret_index, ret_dummy);

	nlmsg_free(msg);
	return r;
}

static void test_parse_link(void **state)
{
	static const struct {
		int type, index;
		const char *kind;
		int result, found;
		bool dummy;
	} rows[] = {
		{RTM_NEWLINK, 5, "dummy", 0, 5, true},
		{RTM_NEWLINK, 5, "veth", 0, 5, false},
		{RTM_NEWLINK, 5, "dummy2", 0, 5, false},
		{RTM_NEWLINK, 5, "dumm", 0, 5, false},
		{RTM_NEWLINK, 5, "", 0, 5, false},
		{RTM_NEWLINK, 5, NULL, 0, 5, false},
		{RTM_NEWLINK, 0, "dummy", -EBADMSG, 77, false},
		{RTM_NEWLINK, -1, "dummy", -EBADMSG, 77, false},
		/* other kinds of message are passed over */
		{RTM_DELLINK, 5, "dummy", 0, 77, false},
		{NLMSG_DONE, 5, "dummy", 0, 77, false},
	};
	struct nl_msg *msg;
	bool dummy = false;
	int index = 77;

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		index = 77;
		dummy = false;
		assert_int_equal(parse_link(make_link(rows[i].type, rows[i].index, rows[i].kind),
					    &index, &dummy),
				 rows[i].result);
		assert_int_equal(index, rows[i].found);
		assert_int_equal(dummy, rows[i].dummy);
	}
	/* a kind without its NUL */
	msg = make_link(RTM_NEWLINK, 5, NULL);
	{
		struct nlattr *info = open_nest(msg, IFLA_LINKINFO);

		put(msg, IFLA_INFO_KIND, "dummy", 5);
		close_nest(msg, info);
	}
	index = 77;
	assert_int_equal(parse_link(msg, &index, &dummy), -EBADMSG);
	assert_int_equal(index, 77);
}

static struct nl_msg *make_address(uint8_t family, uint8_t prefix, unsigned index,
				   size_t local_size, size_t address_size)
{
	const struct ifaddrmsg header = {.ifa_family = family,
					 .ifa_prefixlen = prefix,
					 .ifa_scope = RT_SCOPE_LINK,
					 .ifa_index = index};
	struct nl_msg *msg = make_message(RTM_NEWADDR, &header, sizeof(header));

	if (address_size)
		put(msg, IFA_ADDRESS, "abcdefghijklmnopqrst", address_size);
	if (local_size)
		put(msg, IFA_LOCAL, "ABCDEFGHIJKLMNOPQRST", local_size);
	return msg;
}

static void test_parse_address(void **state)
{
	static const struct {
		uint8_t family, prefix;
		unsigned index;
		size_t local_size, address_size;
		int result;
		const char *text; /* NULL: none found */
	} rows[] = {
		{AF_INET, 32, 5, 4, 4, 0, "65.66.67.68"},
		{AF_INET, 0, 5, 4, 0, 0, "65.66.67.68"},
		/* the other end is not the link's own */
		{AF_INET, 32, 5, 0, 4, 0, "97.98.99.100"},
		{AF_INET6, 128, 5, 0, 16, 0, "6162:6364:6566:6768:696a:6b6c:6d6e:6f70"},
		{AF_INET6, 64, 5, 16, 16, 0, "4142:4344:4546:4748:494a:4b4c:4d4e:4f50"},
		{AF_INET, 33, 5, 4, 4, -EBADMSG, NULL},
		{AF_INET6, 129, 5, 0, 16, -EBADMSG, NULL},
		{AF_INET, 32, 5, 16, 16, -EBADMSG, NULL},
		{AF_INET, 32, 5, 5, 4, -EBADMSG, NULL},
		{AF_INET, 32, 5, 3, 4, -EBADMSG, NULL},
		{AF_INET, 32, 5, 4, 17, -EBADMSG, NULL},
		{AF_INET6, 128, 5, 4, 16, -EBADMSG, NULL},
		{AF_INET6, 128, 5, 0, 0, -EBADMSG, NULL},
		/* another link, another family */
		{AF_INET, 32, 6, 4, 4, 0, NULL},
		{AF_BRIDGE, 32, 5, 4, 4, 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_link_addresses_ struct link_addresses found = {0};
		struct nl_msg *msg = make_address(rows[i].family, rows[i].prefix, rows[i].index,
						  rows[i].local_size, rows[i].address_size);
		size_t size = nlmsg_hdr(msg)->nlmsg_len;
		_cleanup_free_ void *copy = cut_message(msg, size, true);
		char text[ADDR_TEXT_MAX];

		nlmsg_free(msg);
		assert_int_equal(links_parse_address(copy, size, 5, &found), rows[i].result);
		assert_int_equal(found.n, rows[i].text ? 1 : 0);
		if (!rows[i].text)
			continue;
		assert_string_equal(addr_format(&found.items[0].addr, text), rows[i].text);
		assert_int_equal(found.items[0].prefix, rows[i].prefix);
		assert_int_equal(found.items[0].scope, RT_SCOPE_LINK);
	}
}

/* Cut at each byte: refused, unless a whole attribute that is not needed is missing. */
static void test_cut(void **state)
{
	struct nl_msg *link = make_link(RTM_NEWLINK, 5, "dummy");
	struct nl_msg *address = make_address(AF_INET, 32, 5, 4, 4);
	size_t link_size = nlmsg_hdr(link)->nlmsg_len, n_links = 0, n_addresses = 0;
	size_t address_size = nlmsg_hdr(address)->nlmsg_len;

	(void)state;
	for (size_t cut = 0; cut <= link_size; cut++) {
		_cleanup_free_ void *lying = cut_message(link, cut, false);
		_cleanup_free_ void *honest = cut_message(link, cut, true);
		bool dummy = false;
		int index = 77;

		if (cut < link_size)
			assert_int_equal(links_parse_link(lying, cut, &index, &dummy), -EBADMSG);
		assert_int_equal(index, 77);
		n_links += links_parse_link(honest, cut, &index, &dummy) == 0;
	}
	assert_int_equal(n_links, 3); /* after the header, after the name, whole */
	for (size_t cut = 0; cut <= address_size; cut++) {
		_cleanup_free_ void *lying = cut_message(address, cut, false);
		_cleanup_free_ void *honest = cut_message(address, cut, true);
		_cleanup_link_addresses_ struct link_addresses found = {0};

		if (cut < address_size)
			assert_int_equal(links_parse_address(lying, cut, 5, &found), -EBADMSG);
		assert_int_equal(found.n, 0);
		n_addresses += links_parse_address(honest, cut, 5, &found) == 0;
	}
	assert_int_equal(n_addresses, 2); /* without the second, and whole */
	nlmsg_free(link);
	nlmsg_free(address);
}

static void test_kernel(void **state)
{
	const struct addr addrs[] = {make_addr("10.0.0.2"), make_addr("0.0.0.0"),
				     make_addr("10.0.0.1")};
	_cleanup_(links_closep) struct links *l = NULL;
	_cleanup_link_addresses_ struct link_addresses found = {0};
	int errors[4] = {7, 7, 7, 7}, index = 77;
	bool dummy = true;

	(void)state;
	enter_namespace();
	assert_int_equal(links_open(&l), 0);
	assert_int_equal(links_find(l, "absent", &index, &dummy), -ENODEV);
	assert_int_equal(links_find(l, "", &index, &dummy), -EINVAL);
	assert_int_equal(links_find(l, "1234567890123456", &index, &dummy), -EINVAL);
	assert_int_equal(links_create_dummy(l, ""), -EINVAL);
	assert_int_equal(links_create_dummy(l, "1234567890123456"), -EINVAL);
	assert_int_equal(links_create_dummy(l, "lo"), -EEXIST);
	assert_int_equal(links_delete(l, 0), -ENODEV);
	assert_int_equal(links_delete(l, 99999), -ENODEV);
	assert_int_equal(index, 77);
	assert_true(dummy);
	assert_int_equal(links_find(l, "lo", &index, &dummy), 0);
	assert_int_equal(index, if_nametoindex("lo"));
	assert_false(dummy);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(links_add_addresses(l, index, addrs, 3, errors), 0);
		assert_int_equal(errors[0], 0);
		assert_int_equal(errors[2], 0);
		assert_int_equal(errors[3], 7);
	}
	assert_int_equal(links_del_addresses(l, index, addrs + 1, 1, errors), 0);
	assert_int_equal(links_list_addresses(l, index, &found), 0);
	assert_true(found.n >= 2);
	assert_int_equal(found.items[0].addr.bytes[3], 1);
	assert_int_equal(found.items[1].addr.bytes[3], 2);
	assert_int_equal(found.items[0].prefix, 32);
	assert_int_equal(links_del_addresses(l, index, addrs, 3, errors), 0);
	assert_int_equal(links_del_addresses(l, index, addrs, 3, errors), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(errors[i], 0);
	assert_null(links_close(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_link), cmocka_unit_test(test_parse_address),
		cmocka_unit_test(test_cut), cmocka_unit_test(test_kernel)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
