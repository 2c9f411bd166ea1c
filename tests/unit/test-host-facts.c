/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-namespace.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "kernel/host-facts.h"

#define MAKE_LINK(name)                                                           \
	"ip link add " name " type veth peer name p" name " && ip link set " name \
	" addrgenmode none up && "                                                \
	"ip link set p" name " addrgenmode none up"

/* "ADDRESS/LENGTH@INTERFACE ... | NEIGHBOUR[!]@INTERFACE ...", ! for a peer. */
static void check(const char *what, const char *expected)
{
	_cleanup_host_facts_ struct host_facts f = {0};
	_cleanup_strbuf_ struct strbuf s = {0};
	char text[ADDR_TEXT_MAX];

	do_shell(what);
	memset(&f, 0xA5, sizeof(f));
	assert_int_equal(host_facts_read(false, &f), 0);
	for (size_t i = 0; i < f.n_addresses; i++)
		strbuf_addf(&s, "%s/%u@%s ", addr_format(&f.addresses[i].addr, text),
			    f.addresses[i].length, f.addresses[i].interface);
	strbuf_add(&s, "|");
	for (size_t i = 0; i < f.n_neighbours; i++)
		strbuf_addf(&s, " %s%s@%s", addr_format(&f.neighbours[i].addr, text),
			    f.neighbours[i].peer ? "!" : "", f.neighbours[i].interface);
	if (!streq(strbuf_text(&s), expected))
		fail_msg("%s: '%s'", what, strbuf_text(&s));
	assert_int_equal(f.n_sockets, 0);
}

static void test_addresses(void **state)
{
	(void)state;
	enter_namespace();
	check(":", "|");
	check("ip link set lo up", "127.0.0.1/8@lo ::1/128@lo |");
	check("ip link set lo down && " MAKE_LINK(
		      "eth0") " && ip addr add 192.0.2.10/24 dev eth0 "
			      "&& ip addr add fd00::10/64 dev eth0 nodad",
	      "127.0.0.1/8@lo 192.0.2.10/24@eth0 fd00::10/64@eth0 |");
	check("ip route add default via 192.0.2.1 && ip -6 route add default via fd00::1",
	      "127.0.0.1/8@lo 192.0.2.10/24@eth0 fd00::10/64@eth0 | 192.0.2.1@eth0 fd00::1@eth0");
	/* every uplink has one: other metrics, other tables, several hops, a hop of the other
	 * family; a route to one network, or to nowhere, is none */
	check("ip route add default via 192.0.2.2 metric 500 && ip route add default via 192.0.2.3 "
	      "table 99 && ip route add 198.51.100.0/24 via 192.0.2.9 && ip route add blackhole "
	      "default metric 900",
	      "127.0.0.1/8@lo 192.0.2.10/24@eth0 fd00::10/64@eth0 | 192.0.2.1@eth0 192.0.2.2@eth0 "
	      "192.0.2.3@eth0 "
	      "fd00::1@eth0");
	check("ip route flush default; ip route flush table 99; ip -6 route del default; ip route "
	      "add default nexthop via 192.0.2.4 dev eth0 nexthop via 192.0.2.5 dev eth0",
	      "127.0.0.1/8@lo 192.0.2.10/24@eth0 fd00::10/64@eth0 | 192.0.2.4@eth0 192.0.2.5@eth0");
	check("ip route del default; ip route add default via inet6 fd00::7 dev eth0",
	      "127.0.0.1/8@lo 192.0.2.10/24@eth0 fd00::10/64@eth0 | fd00::7@eth0");
	check("ip route del default via inet6 fd00::7 dev eth0 && ip route add default dev eth0",
	      "127.0.0.1/8@lo 192.0.2.10/24@eth0 fd00::10/64@eth0 |");
	/* the other end of a link */
	check("ip route del default; ip addr add 10.9.0.1 peer 10.9.0.2 dev eth0 && ip -6 addr add "
	      "fd00:9::1 peer fd00:9::2 dev eth0 nodad",
	      "10.9.0.1/32@eth0 127.0.0.1/8@lo 192.0.2.10/24@eth0 fd00::10/64@eth0 "
	      "fd00:9::1/128@eth0 | "
	      "10.9.0.2!@eth0 fd00:9::2!@eth0");
	/* what the ipvs mode makes is not the host's own */
	check(MAKE_LINK("kube-ipvs0") " && ip addr add 10.96.0.10/32 dev kube-ipvs0",
	      "10.9.0.1/32@eth0 127.0.0.1/8@lo 192.0.2.10/24@eth0 fd00::10/64@eth0 "
	      "fd00:9::1/128@eth0 | "
	      "10.9.0.2!@eth0 fd00:9::2!@eth0");
}

static void test_sysctls(void **state)
{
	struct host_facts f;

	(void)state;
	enter_namespace();
	do_shell("cd /proc/sys/net && echo 0 >ipv4/ip_forward && echo 0 >ipv6/conf/all/forwarding "
		 "&& echo '32768 60999' >ipv4/ip_local_port_range");
	assert_int_equal(host_facts_read(false, &f), 0);
	assert_false(f.forwards[ADDR_IPV4] || f.forwards[ADDR_IPV6]);
	assert_true(f.usable[ADDR_IPV4] && f.usable[ADDR_IPV6]);
	assert_true(host_port_is_ephemeral(&f, 32768) && host_port_is_ephemeral(&f, 60999));
	assert_false(host_port_is_ephemeral(&f, 32767) || host_port_is_ephemeral(&f, 61000));
	host_facts_done(&f);
	/* a list longer than any buffer of fixed size */
	do_shell("cd /proc/sys/net && echo 1 >ipv4/ip_forward && echo '20000 30999' "
		 ">ipv4/ip_local_port_range && echo 1 >ipv6/conf/all/disable_ipv6 && "
		 "seq -s , 20000 2 29998 >ipv4/ip_local_reserved_ports");
	assert_int_equal(host_facts_read(false, &f), 0);
	assert_true(f.forwards[ADDR_IPV4]);
	assert_false(f.forwards[ADDR_IPV6]);
	assert_true(f.usable[ADDR_IPV4]);
	assert_false(f.usable[ADDR_IPV6]);
	assert_false(host_port_is_ephemeral(&f, 20000) || host_port_is_ephemeral(&f, 29998));
	assert_true(host_port_is_ephemeral(&f, 20001) && host_port_is_ephemeral(&f, 29999));
	assert_true(host_port_is_ephemeral(&f, 30000));
	host_facts_done(&f);
}

/* A socket of this family on an address; listens when it is TCP, connected to itself when so told.
 */
static int open_socket(int af, int type, const char *address, uint16_t port, bool only_v6,
		       bool connected)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	const struct sockaddr *sa = af == AF_INET ? (const struct sockaddr *)&v4
						  : (const struct sockaddr *)&v6;
	socklen_t size = af == AF_INET ? sizeof(v4) : sizeof(v6);
	int fd = socket(af, type | SOCK_CLOEXEC, 0), on = only_v6;

	assert_true(fd >= 0);
	assert_int_equal(inet_pton(af, address,
				   af == AF_INET ? (void *)&v4.sin_addr : (void *)&v6.sin6_addr),
			 1);
	if (af == AF_INET6)
		assert_int_equal(setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)), 0);
	assert_int_equal(bind(fd, sa, size), 0);
	if (connected)
		assert_int_equal(connect(fd, sa, size), 0);
	if (type == SOCK_STREAM)
		assert_int_equal(listen(fd, 1), 0);
	return fd;
}

static void test_sockets(void **state)
{
	static const struct {
		int af, type;
		const char *address;
		uint16_t port;
		bool only_v6, connected;
		const char *expected;
	} rows[] = {
		{AF_INET, SOCK_STREAM, "0.0.0.0", 30001, false, false, "tcp 0.0.0.0"},
		{AF_INET, SOCK_STREAM, "127.0.0.1", 30002, false, false, "tcp 127.0.0.1"},
		{AF_INET6, SOCK_STREAM, "::", 30003, true, false, "tcp ::"},
		{AF_INET6, SOCK_STREAM, "::", 30004, false, false, "tcp 0.0.0.0 tcp ::"},
		{AF_INET6, SOCK_STREAM, "::1", 30005, false, false, "tcp ::1"},
		{AF_INET6, SOCK_STREAM, "::ffff:127.0.0.1", 30006, false, false, "tcp 127.0.0.1"},
		{AF_INET6, SOCK_STREAM, "::ffff:0.0.0.0", 30007, false, false, "tcp 0.0.0.0"},
		{AF_INET, SOCK_DGRAM, "0.0.0.0", 30008, false, false, "udp 0.0.0.0"},
		{AF_INET6, SOCK_DGRAM, "::", 30009, false, false, "udp 0.0.0.0 udp ::"},
		{AF_INET, SOCK_DGRAM, "127.0.0.1", 30010, false, true, ""},
	};
	_cleanup_host_facts_ struct host_facts f = {0};
	int fds[ELEMENTSOF(rows)];

	(void)state;
	enter_namespace();
	do_shell("ip link set lo up");
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		fds[i] = open_socket(rows[i].af, rows[i].type, rows[i].address, rows[i].port,
				     rows[i].only_v6, rows[i].connected);
	assert_int_equal(host_facts_read(true, &f), 0);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = {0};

		for (int udp = 0; udp < 2; udp++) {
			const struct host_socket *found;
			char text[ADDR_TEXT_MAX];
			size_t n;

			found = host_find_sockets(&f, udp, rows[i].port, &n);
			for (size_t j = 0; j < n; j++)
				strbuf_addf(&s, "%s%s %s", s.len ? " " : "", udp ? "udp" : "tcp",
					    addr_format(&found[j].addr, text));
		}
		if (!streq(strbuf_text(&s), rows[i].expected))
			fail_msg("%u: '%s'", rows[i].port, strbuf_text(&s));
		(void)close(fds[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_sysctls),
		cmocka_unit_test(test_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
