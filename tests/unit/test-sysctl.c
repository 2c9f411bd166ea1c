/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-namespace.h"

#include <errno.h>

#include "kernel/sysctl.h"

#define LOCALNET "net/ipv4/conf/all/route_localnet"

static void test_values(void **state)
{
	int64_t value = 77;
	char name[400];

	(void)state;
	enter_namespace();
	assert_int_equal(sysctl_read_int("net/ipv4/no_such_value", &value), -ENOENT);
	assert_int_equal(value, 77);
	/* several numbers */
	assert_int_equal(sysctl_read_int("net/ipv4/ip_local_port_range", &value), -EINVAL);
	assert_int_equal(value, 77);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(sysctl_read_int(name, &value), -ENAMETOOLONG);
	assert_int_equal(sysctl_ensure_int(name, 1), -ENAMETOOLONG);
	assert_int_equal(sysctl_ensure_int("net/ipv4/no_such_value", 1), -ENOENT);

	assert_int_equal(sysctl_read_int(LOCALNET, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(sysctl_ensure_int(LOCALNET, 0), 0);
	assert_int_equal(sysctl_ensure_int(LOCALNET, 1), 1);
	assert_int_equal(sysctl_ensure_int(LOCALNET, 1), 0);
	assert_int_equal(sysctl_read_int(LOCALNET, &value), 0);
	assert_int_equal(value, 1);
}

static void test_ipv6(void **state)
{
	(void)state;
	enter_namespace();
	if (access("/proc/net/if_inet6", F_OK) < 0) {
		assert_false(sysctl_ipv6_usable());
		skip_because("the kernel has no IPv6");
	}
	assert_true(sysctl_ipv6_usable());
	do_shell("echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6");
	assert_false(sysctl_ipv6_usable());
	do_shell("echo 0 >/proc/sys/net/ipv6/conf/all/disable_ipv6");
	assert_true(sysctl_ipv6_usable());
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),
					   cmocka_unit_test(test_ipv6)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
