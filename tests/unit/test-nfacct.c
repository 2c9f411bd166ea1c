/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-namespace.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "kernel/nfacct.h"

static void send_packet(void)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons(9),
				       .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(sendto(fd, "x", 1, 0, (const struct sockaddr *)&to, sizeof(to)), 1);
	(void)close(fd);
}

/* Both counters, and what holds one. */
static void test_counters(void **state)
{
	char *text;
	int r;

	(void)state;
	enter_namespace();
	r = nfacct_ensure();
	if (r == -EOPNOTSUPP) {
		assert_int_equal(nfacct_delete(), 0);
		skip_because("the kernel has no nfacct");
	}
	assert_int_equal(r, 0);
	do_shell("iptables-nft -A INPUT -i lo -m nfacct --nfacct-name " NFACCT_INVALID);
	/* again: the counter is in use and is left as it is */
	do_shell("ip link set lo up");
	send_packet();
	assert_int_equal(nfacct_ensure(), 0);
	text = run_shell("iptables-nft-save -c | grep nfacct");
	assert_null(strstr(text, "[0:0]"));
	free(text);
	/* one is in use: the other goes */
	assert_int_equal(nfacct_delete(), -EBUSY);
	do_shell("! iptables-nft -A INPUT -m nfacct --nfacct-name " NFACCT_LOCALHOST
		 " 2>/dev/null");
	do_shell("iptables-nft -F");
	assert_int_equal(nfacct_delete(), 0);
	assert_int_equal(nfacct_delete(), 0);
	do_shell("! iptables-nft -A INPUT -m nfacct --nfacct-name " NFACCT_INVALID " 2>/dev/null");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_counters)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
