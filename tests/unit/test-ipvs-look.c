/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <netinet/in.h>

#include "backend/ipvs-look.h"
#include "make-ipvs.h"

static void test_explain(void **state)
{
	static const struct {
		enum ipvs_verb verb;
		int error;
		const char *service, *text;
	} rows[] = {
		{IPVS_NEW_SERVER, -ENOENT, "ns/web",
		 "[fd00::1]:80/tcp (ns/web): cannot add the virtual server: this kernel has no "
		 "scheduler 'mh': load ip_vs_mh (modprobe ip_vs_mh) or choose another one"},
		{IPVS_SET_SERVER, -ENOENT, NULL,
		 "[fd00::1]:80/tcp: cannot change the virtual server: this kernel has no scheduler "
		 "'mh': load ip_vs_mh (modprobe ip_vs_mh) or choose another one"},
		{IPVS_NEW_SERVER, -EPERM, "ns/web",
		 "[fd00::1]:80/tcp (ns/web): cannot add the virtual server: not permitted; "
		 "CAP_NET_ADMIN is needed"},
		{IPVS_NEW_SERVER, -EAFNOSUPPORT, NULL,
		 "[fd00::1]:80/tcp: cannot add the virtual server: this kernel's IPVS has no IPv6"},
		{IPVS_DEL_SERVER, -ENOBUFS, NULL,
		 "[fd00::1]:80/tcp: cannot delete the virtual server: the kernel has no memory for "
		 "it"},
		{IPVS_SET_DEST, -ENOENT, NULL,
		 "[fd00::1]:80/tcp: cannot change the real server 10.1.0.1:8080: No such file or "
		 "directory"},
		{IPVS_NEW_DEST, -EINVAL, "ns/web",
		 "[fd00::1]:80/tcp (ns/web): cannot add the real server 10.1.0.1:8080: Invalid "
		 "argument"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct ipvs_change c = {.verb = rows[i].verb, .error = rows[i].error};
		char *text;

		c.server.key = (struct ipvs_key){.protocol = IPPROTO_TCP, .port = 80};
		c.server.key.addr = make_addr("fd00::1");
		strcpy(c.server.scheduler, "mh");
		c.dest.addr = make_addr("10.1.0.1");
		c.dest.port = 8080;
		text = ipvs_explain(&c, rows[i].service);
		assert_string_equal(text, rows[i].text);
		free(text);
	}
}

static void test_explain_set(void **state)
{
	static const struct {
		enum ipset_type type;
		int error;
		const char *text;
	} rows[] = {
		{IPSET_HASH_IP, -ENOTSUP,
		 "this kernel has no sets of type hash:ip: load "
		 "ip_set_hash_ip (modprobe ip_set_hash_ip)"},
		{IPSET_HASH_IP_PORT, -ENOTSUP,
		 "this kernel has no sets of type hash:ip,port: load "
		 "ip_set_hash_ipport (modprobe ip_set_hash_ipport)"},
		{IPSET_HASH_IP_PORT_IP, -ENOTSUP,
		 "this kernel has no sets of type hash:ip,port,ip: load ip_set_hash_ipportip "
		 "(modprobe ip_set_hash_ipportip)"},
		{IPSET_HASH_IP_PORT_NET, -ENOTSUP,
		 "this kernel has no sets of type hash:ip,port,net: load ip_set_hash_ipportnet "
		 "(modprobe ip_set_hash_ipportnet)"},
		{IPSET_BITMAP_PORT, -ENOTSUP,
		 "this kernel has no sets of type bitmap:port: load "
		 "ip_set_bitmap_port (modprobe ip_set_bitmap_port)"},
		{IPSET_HASH_IP, -ENOSPC, "it is full: a set holds at most 65536 entries"},
		{IPSET_HASH_IP, -EPERM, "not permitted; CAP_NET_ADMIN is needed"},
		{IPSET_HASH_IP, -EBUSY, "Device or resource busy"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		char *text = ipvs_explain_set("S", rows[i].type, "cannot be made", rows[i].error);

		assert_memory_equal(text, "set S: cannot be made: ", 23);
		assert_string_equal(text + 23, rows[i].text);
		free(text);
	}
}

static void test_explain_rules(void **state)
{
	static const struct {
		const char *said, *more;
	} rows[] = {
		{"iptables-legacy-restore: exit status 1: line 4 failed", ""},
		{"iptables-legacy-restore: exit status 1: Warning: Extension set revision 0 not "
		 "supported, missing kernel module?",
		 ": load xt_set (modprobe xt_set)"},
		{"x: Warning: Extension MASQUERADE revision 0 not supported", ""},
		{"x: Warning: Extension set", ""},
		{"x: Warning: Extension  revision 0", ""},
		{"x: Warning: Extension ", ""},
		{"", ""},
	};

	(void)state;
	assert_null(ipvs_explain_rules(NULL));
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		char *text = ipvs_explain_rules(strdup(rows[i].said));
		size_t n = strlen(rows[i].said);

		assert_memory_equal(text, rows[i].said, n);
		assert_string_equal(text + n, rows[i].more);
		free(text);
	}
}

static void test_family(void **state)
{
	static const struct {
		const char *servers[4];
		size_t n[_ADDR_FAMILY_MAX], from[_ADDR_FAMILY_MAX];
	} rows[] = {
		{{NULL}, {0, 0}, {0, 0}},
		{{"10.0.0.1"}, {1, 0}, {0, 1}},
		{{"fd00::1", "fd00::2"}, {0, 2}, {2, 0}},
		{{"10.0.0.1", "10.0.0.2", "fd00::1"}, {2, 1}, {0, 2}},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct ipvs_seen_servers l = {0};

		for (; rows[i].servers[l.n]; l.n++) {
			l.items = realloc(l.items, (l.n + 1) * sizeof(*l.items));
			assert_non_null(l.items);
			memset(&l.items[l.n], 0, sizeof(*l.items));
			l.items[l.n].server.key.addr = make_addr(rows[i].servers[l.n]);
		}
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			const struct ipvs_seen_server *first = NULL;

			assert_int_equal(ipvs_seen_family(&l, (enum addr_family)f, &first),
					 rows[i].n[f]);
			if (rows[i].n[f] > 0)
				assert_ptr_equal(first, &l.items[rows[i].from[f]]);
		}
		ipvs_seen_servers_done(&l);
	}
}

static void test_set(void **state)
{
	struct ipset_set sets[] = {{.name = "KUBE-A"}, {.name = "KUBE-AB"}};
	struct ipvs_seen seen = {.sets = {.items = sets, .n = 2}};

	(void)state;
	assert_ptr_equal(ipvs_seen_set(&seen, "KUBE-AB"), &sets[1]);
	assert_null(ipvs_seen_set(&seen, "KUBE-"));
	assert_null(ipvs_seen_set(&seen, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_explain),	      cmocka_unit_test(test_explain_set),
		cmocka_unit_test(test_explain_rules), cmocka_unit_test(test_family),
		cmocka_unit_test(test_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
