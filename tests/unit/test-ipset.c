/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's part in full is tests/netns/test_ipset.py. */
#include "make-namespace.h"

#include <errno.h>
#include <linux/netfilter/ipset/ip_set.h>

#include "kernel/ipset-wire.h"

static void test_errno(void **state)
{
	static const struct {
		int error;
		enum ipset_type type;
		int result;
	} rows[] = {
		{0, IPSET_HASH_IP, 0},
		{-EINVAL, IPSET_HASH_IP, -EINVAL},
		{-ENOENT, _IPSET_TYPE_OTHER, -ENOENT},
		{-4095, IPSET_HASH_IP, -4095},
		{-4096, IPSET_HASH_IP, -EINVAL},
		{-4097, IPSET_HASH_IP, -EPROTO},
		{-4098, IPSET_HASH_IP, -ENOTSUP},
		{-4099, IPSET_HASH_IP, -ENFILE},
		{-4100, _IPSET_TYPE_OTHER, -EBUSY},
		{-4101, _IPSET_TYPE_OTHER, -ENOENT},
		{-4102, _IPSET_TYPE_OTHER, -EPROTOTYPE},
		{-4103, IPSET_HASH_IP, -EEXIST},
		{-4104, IPSET_HASH_IP_PORT_NET, -EINVAL},
		{-4108, _IPSET_TYPE_OTHER, -EBUSY},
		{-4109, IPSET_HASH_IP, -EAFNOSUPPORT},
		{-4110, IPSET_HASH_IP, -EAFNOSUPPORT},
		{-4352, IPSET_HASH_IP, -ENOSPC},
		{-4352, IPSET_HASH_IP_PORT_NET, -ENOSPC},
		{-4352, IPSET_BITMAP_PORT, -ERANGE},
		{-4352, _IPSET_TYPE_OTHER, -EINVAL},
		{-4355, IPSET_HASH_IP_PORT, -EINVAL},
		{-99999, IPSET_HASH_IP, -EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		assert_int_equal(ipset_errno(rows[i].error, rows[i].type), rows[i].result);
}

static struct ipset *open_or_skip(void)
{
	struct ipset *s = NULL;
	int r;

	enter_namespace();
	r = ipset_open(&s);
	if (r == -EPROTONOSUPPORT)
		skip_because("the kernel has no ipset");
	assert_int_equal(r, 0);
	return s;
}

static void test_round_trip(void **state)
{
	struct ipset_element e[700] = {0};
	struct ipset_sets sets;
	struct ipset *s;
	size_t done = 77;

	(void)state;
	s = open_or_skip();
	for (size_t i = 0; i < ELEMENTSOF(e); i++) {
		/* from high to low: the list is sorted */
		e[i].addr = make_addr("10.0.0.0");
		e[i].addr.bytes[2] = (uint8_t)((700 - i) >> 8);
		e[i].addr.bytes[3] = (uint8_t)(700 - i);
		e[i].addr2 = make_addr("10.9.0.0");
		e[i].prefix = 16;
		e[i].port = 80;
		e[i].protocol = 6;
	}
	assert_int_equal(ipset_create(s, "a", IPSET_HASH_IP_PORT_NET, ADDR_IPV4), 0);
	assert_int_equal(ipset_create(s, "a", IPSET_HASH_IP_PORT_NET, ADDR_IPV4), -EEXIST);
	assert_int_equal(ipset_add(s, "a", IPSET_HASH_IP_PORT_NET, e, ELEMENTSOF(e), &done), 0);
	assert_int_equal(done, ELEMENTSOF(e));
	assert_int_equal(ipset_list(s, "", &sets), 0);
	assert_int_equal(sets.n, 1);
	assert_int_equal(sets.items[0].elements.n, ELEMENTSOF(e));
	/* as bytes */
	for (size_t i = 0; i < ELEMENTSOF(e); i++)
		assert_memory_equal(&sets.items[0].elements.items[i], &e[ELEMENTSOF(e) - 1 - i],
				    sizeof(*e));
	ipset_sets_done(&sets);
	/* the refused one is in the second message */
	e[650].prefix = 0;
	done = 77;
	assert_int_equal(ipset_del(s, "a", IPSET_HASH_IP_PORT_NET, e, ELEMENTSOF(e), &done),
			 -EINVAL);
	assert_int_equal(done, 650);
	assert_int_equal(ipset_list(s, "a", &sets), 0);
	assert_int_equal(sets.items[0].elements.n, ELEMENTSOF(e) - 650);
	ipset_sets_done(&sets);
	assert_int_equal(ipset_destroy(s, ""), -EINVAL);
	assert_int_equal(ipset_destroy(s, "a"), 0);
	assert_int_equal(ipset_destroy(s, "a"), -ENOENT);
	s = ipset_close(s);
	assert_null(s);
	assert_null(ipset_close(NULL));
}

static void test_not_allowed(void **state)
{
	struct ipset *s = (struct ipset *)(uintptr_t)1;

	(void)state;
	enter_namespace();
	/* An other user without capabilities; the saved one brings them back. */
	assert_int_equal(seteuid(65534), 0);
	assert_int_equal(ipset_open(&s), -EPERM);
	assert_ptr_equal(s, (void *)(uintptr_t)1);
	assert_int_equal(seteuid(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_errno),
					   cmocka_unit_test(test_round_trip),
					   cmocka_unit_test(test_not_allowed)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
