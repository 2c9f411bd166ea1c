/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-namespace.h"

#include <errno.h>
#include <poll.h>

#include "kernel/addresses.h"

/* "ADDRESS@INTERFACE ..." and the node IPs. */
static void check(struct local_addrs *l, const char *what, const char *addrs, const char *v4,
		  const char *v6)
{
	const char *wanted[_ADDR_FAMILY_MAX] = {v4, v6};
	char got[1000] = "", text[ADDR_TEXT_MAX];

	for (size_t i = 0; i < l->n; i++)
		(void)snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s@%s",
			       i ? " " : "", addr_format(&l->items[i].addr, text),
			       l->items[i].interface);
	if (!streq(got, addrs))
		fail_msg("%s: '%s'", what, got);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		if (l->has_node_ip[f] != (wanted[f] != NULL))
			fail_msg("%s: node IP %d", what, f);
		if (wanted[f])
			assert_string_equal(addr_format(&l->node_ip[f], text), wanted[f]);
	}
	local_addrs_unref(l);
}

#define MAKE_LINK(name)                                                           \
	"ip link add " name " type veth peer name p" name " && ip link set " name \
	" addrgenmode none up && "                                                \
	"ip link set p" name " addrgenmode none up"

static void test_read(void **state)
{
	static const struct {
		const char *command, *addrs, *v4, *v6;
	} cases[] = {
		{":", "", NULL, NULL},
		{"ip link set lo up", "127.0.0.1@lo ::1@lo", NULL, NULL},
		{MAKE_LINK("eth0") " && "
				   "ip addr add 192.0.2.10/24 dev eth0 && ip addr add "
				   "2001:db8::10/64 dev eth0 nodad",
		 "127.0.0.1@lo 192.0.2.10@eth0 ::1@lo 2001:db8::10@eth0", NULL, NULL},
		{"ip route add default via 192.0.2.1 && ip -6 route add default via 2001:db8::1",
		 "127.0.0.1@lo 192.0.2.10@eth0 ::1@lo 2001:db8::10@eth0", "192.0.2.10",
		 "2001:db8::10"},
		/* the lower metric wins */
		{MAKE_LINK("eth1") " && ip addr "
				   "add 198.51.100.7/24 dev eth1 "
				   "&& ip route add default via 198.51.100.1 metric 500",
		 "127.0.0.1@lo 192.0.2.10@eth0 198.51.100.7@eth1 ::1@lo 2001:db8::10@eth0",
		 "192.0.2.10", "2001:db8::10"},
		{"ip route del default via 192.0.2.1",
		 "127.0.0.1@lo 192.0.2.10@eth0 198.51.100.7@eth1 ::1@lo 2001:db8::10@eth0",
		 "198.51.100.7", "2001:db8::10"},
		/* the route's own source */
		{"ip route replace default via 198.51.100.1 metric 500 src 192.0.2.10",
		 "127.0.0.1@lo 192.0.2.10@eth0 198.51.100.7@eth1 ::1@lo 2001:db8::10@eth0",
		 "192.0.2.10", "2001:db8::10"},
		/* deprecated: not for new connections; a host route of another table does not count
		 */
		{"ip addr change 2001:db8::10/64 dev eth0 preferred_lft 0 && ip route add default "
		 "dev eth0 table 99",
		 "127.0.0.1@lo 192.0.2.10@eth0 198.51.100.7@eth1 ::1@lo 2001:db8::10@eth0",
		 "192.0.2.10", NULL},
		/* link scope */
		{"ip addr add 169.254.1.1/16 dev eth1 scope link && ip route del default && "
		 "ip route add default dev eth1 && ip addr del 198.51.100.7/24 dev eth1",
		 "127.0.0.1@lo 169.254.1.1@eth1 192.0.2.10@eth0 ::1@lo 2001:db8::10@eth0",
		 "192.0.2.10", NULL},
		/* the same address twice, and a point-to-point link: the near end */
		{"ip addr add 192.0.2.10/32 dev lo && ip addr add 10.9.0.1 peer 10.9.0.2 dev eth1",
		 "10.9.0.1@eth1 127.0.0.1@lo 169.254.1.1@eth1 192.0.2.10@eth0 192.0.2.10@lo ::1@lo "
		 "2001:db8::10@eth0",
		 "10.9.0.1", NULL},
		{"ip link set eth1 down && ip link set eth1 name wan0",
		 "10.9.0.1@wan0 127.0.0.1@lo 169.254.1.1@wan0 192.0.2.10@eth0 192.0.2.10@lo ::1@lo "
		 "2001:db8::10@eth0",
		 NULL, NULL},
		/* two ways: the first hop */
		{"ip route add default nexthop dev eth0 via 192.0.2.1 nexthop dev eth0 via "
		 "192.0.2.2",
		 "10.9.0.1@wan0 127.0.0.1@lo 169.254.1.1@wan0 192.0.2.10@eth0 192.0.2.10@lo ::1@lo "
		 "2001:db8::10@eth0",
		 "192.0.2.10", NULL},
	};

	(void)state;
	enter_namespace();
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		struct local_addrs *l = NULL;

		do_shell(cases[i].command);
		assert_int_equal(addresses_read(&l), 0);
		check(l, cases[i].command, cases[i].addrs, cases[i].v4, cases[i].v6);
	}
}

static void test_text(void **state)
{
	static const struct {
		const char *text;
		int result;
		const char *addrs, *v4, *v6;
	} cases[] = {
		{"", 0, "", NULL, NULL},
		{" , \n", 0, "", NULL, NULL},
		{"192.0.2.10", 0, "192.0.2.10@", "192.0.2.10", NULL},
		{"192.0.2.10@eth0,2001:DB8::1@eth0 127.0.0.1@lo", 0,
		 "127.0.0.1@lo 192.0.2.10@eth0 2001:db8::1@eth0", "192.0.2.10", "2001:db8::1"},
		{"127.0.0.1 ::1 fe80::1@eth0", 0, "127.0.0.1@ ::1@ fe80::1@eth0", NULL, NULL},
		{"10.0.0.2 10.0.0.1 10.0.0.2", 0, "10.0.0.1@ 10.0.0.2@", "10.0.0.2", NULL},
		{"10.0.0.1@abcdefghijklmno", 0, "10.0.0.1@abcdefghijklmno", "10.0.0.1", NULL},
		{"10.0.0.1@abcdefghijklmnop", -EINVAL, NULL, NULL, NULL},
		{"10.0.0.1@", -EINVAL, NULL, NULL, NULL},
		{"@eth0", -EINVAL, NULL, NULL, NULL},
		{"10.0.0.1/8", -EINVAL, NULL, NULL, NULL},
		{"10.0.0.01", -EINVAL, NULL, NULL, NULL},
		{"10.0.0.1 eth0", -EINVAL, NULL, NULL, NULL},
		{"fe80::1%eth0", -EINVAL, NULL, NULL, NULL},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		 "aaaaaaaaaaaa",
		 -EINVAL, NULL, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		struct local_addrs *poison = (struct local_addrs *)(uintptr_t)0xA5, *l = poison;

		assert_int_equal(addresses_from_text(cases[i].text, &l), cases[i].result);
		if (cases[i].result < 0)
			assert_ptr_equal(l, poison);
		else
			check(l, cases[i].text, cases[i].addrs, cases[i].v4, cases[i].v6);
	}
}

static bool readable(struct address_monitor *m)
{
	struct pollfd p = {.fd = address_monitor_fd(m), .events = POLLIN};

	return poll(&p, 1, 200) == 1;
}

/* Some changes have late effects of their own: a carrier, an address that becomes final. */
static void settle(struct address_monitor *m)
{
	bool changed;

	while (readable(m))
		assert_int_equal(address_monitor_read(m, &changed), 0);
}

static void test_monitor(void **state)
{
	static const struct {
		const char *command;
		bool changes;
	} cases[] = {
		{"ip link add eth0 type veth peer name peer && ip link set peer addrgenmode none "
		 "up",
		 true},
		{"ip link set eth0 addrgenmode none up", true},
		{"ip addr add 192.0.2.10/24 dev eth0", true},
		{"ip addr add 2001:db8::10/64 dev eth0 nodad", true},
		/* a full table must not wake us; default routes do */
		{"ip route add 198.51.100.0/24 via 192.0.2.1", false},
		{"ip route del 198.51.100.0/24 via 192.0.2.1", false},
		{"ip -6 route add 2001:db8:9::/64 via 2001:db8::1", false},
		{"ip route add default via 192.0.2.1", true},
		{"ip -6 route add default via 2001:db8::1", true},
		{"ip route del default", true},
		{"ip -6 route del default", true},
		{"ip addr del 192.0.2.10/24 dev eth0", true},
		{"ip link set eth0 down", true},
		{"ip link set eth0 name wan0", true},
		{"ip link del wan0", true},
		{":", false},
	};
	struct address_monitor *m = NULL;
	bool changed;

	(void)state;
	enter_namespace();
	assert_int_equal(address_monitor_new(&m), 0);
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		do_shell(cases[i].command);
		if (readable(m) != cases[i].changes)
			fail_msg("'%s'", cases[i].command);
		changed = !cases[i].changes;
		assert_int_equal(address_monitor_read(m, &changed), 0);
		assert_int_equal(changed, cases[i].changes);
		settle(m);
	}
	/* far more than the socket holds: told as a change, and the socket works on */
	do_shell("ip link add eth0 type veth peer name peer && ip link set eth0 up && for i in "
		 "$(seq 1 250); do "
		 "for j in 1 2 3 4 5 6; do "
		 "echo addr add 10.$j.0.$i/32 dev eth0; done; done | ip -batch - && "
		 "for i in $(seq 1 250); do for j in 1 2 3 4 5 6; do "
		 "echo addr del 10.$j.0.$i/32 dev eth0; done; done | ip -batch -");
	changed = false;
	assert_int_equal(address_monitor_read(m, &changed), 0);
	assert_true(changed);
	settle(m);
	do_shell("ip addr add 192.0.2.11/24 dev eth0");
	assert_int_equal(address_monitor_read(m, &changed), 0);
	assert_true(changed);
	assert_null(address_monitor_free(m));
	assert_null(address_monitor_free(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_monitor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
