/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-ipvs.h"

/* As ipvsadm-save -n writes: spec/ipvs.md section 2.2. */
static void test_servers(void **state)
{
	static const struct {
		enum addr_family family;
		enum svc_proto protocol;
		const char *scheduler;
		bool affinity, fallback, port;
		const char *text;
	} rows[] = {
		{ADDR_IPV4, SVC_TCP, "rr", false, false, false,
		 "-A -t 10.96.0.1:80 -s rr\n"
		 "-a -t 10.96.0.1:80 -r 10.1.0.9:80 -m -w 3\n"
		 "-a -t 10.96.0.1:80 -r 10.1.0.10:8080 -m -w 1\n"},
		{ADDR_IPV6, SVC_UDP, "wrr", true, false, false,
		 "-A -u [fd00:96::1]:80 -s wrr -p 10800\n"
		 "-a -u [fd00:96::1]:80 -r [fd00::9]:80 -m -w 1\n"},
		{ADDR_IPV6, SVC_SCTP, "sh", false, true, true,
		 "-A --sctp-service [fd00:96::1]:80 -s sh -b sh-fallback,sh-port\n"
		 "-a --sctp-service [fd00:96::1]:80 -r [fd00::9]:80 -m -w 1\n"},
		{ADDR_IPV6, SVC_TCP, "mh", true, false, false,
		 "-A -t [fd00:96::1]:80 -s mh -p 10800 -b mh-port\n"
		 "-a -t [fd00:96::1]:80 -r [fd00::9]:80 -m -w 1\n"},
		{ADDR_IPV6, SVC_TCP, "mh", false, true, false,
		 "-A -t [fd00:96::1]:80 -s mh -b mh-fallback\n"
		 "-a -t [fd00:96::1]:80 -r [fd00::9]:80 -m -w 1\n"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct service *service;
		struct strbuf out = {0};
		struct ipvs_state *st;
		char scheduler[8];
		struct setup s;

		(void)snprintf(scheduler, sizeof(scheduler), "%s", rows[i].scheduler);
		set_up(&s, "ns/a");
		s.ports[0].protocol = rows[i].protocol;
		s.def.scheduler = scheduler;
		s.def.affinity = rows[i].affinity;
		s.def.flag_fallback = rows[i].fallback;
		s.def.flag_port = rows[i].port;
		service = make_from(&s,
				    (const char *const[]){"10.1.0.9:80 r", "10.1.0.10:8080 r",
							  "[fd00::9]:80 r"},
				    3);
		/* sorted as text: this is 10.1.0.9 */
		service->endpoints[0][ADDR_IPV4].items[1].weight = 3;
		st = make_state_of(service, rows[i].family);
		ipvs_print_servers(st, &out);
		assert_string_equal(strbuf_text(&out), rows[i].text);
		strbuf_done(&out);
		ipvs_state_unref(st);
	}
}

static void test_sets_and_addresses(void **state)
{
	static const char wanted_v4[] =
		"create KUBE-LOOP-BACK hash:ip,port,ip family inet hashsize 1024 maxelem 65536\n"
		"add KUBE-LOOP-BACK 10.1.0.1,tcp:80,10.1.0.1\n"
		"create KUBE-CLUSTER-IP hash:ip,port family inet hashsize 1024 maxelem 65536\n"
		"add KUBE-CLUSTER-IP 10.96.0.1,tcp:80\n";
	static const char wanted_v6[] =
		"create KUBE-6-HEALTH-CHECK-NODE-PORT bitmap:port range 0-65535\n"
		"create KUBE-6-IPVS-IPS hash:ip family inet6 hashsize 1024 maxelem 65536\n"
		"add KUBE-6-IPVS-IPS 2001:db8:51::1\n"
		"add KUBE-6-IPVS-IPS 2001:db8:113::1\n"
		"add KUBE-6-IPVS-IPS fd00:96::1\n";
	struct strbuf out = {0};
	struct service *service;
	struct ipvs_state *st;
	struct setup s;
	size_t creates = 0;

	(void)state;
	set_up_external(&s, "ns/a");
	service = make_from(&s, (const char *const[]){"10.1.0.1:80 r @node-1"}, 1);
	st = make_state_of(service_ref(service), ADDR_IPV4);
	ipvs_print_sets(st, &out);
	assert_int_equal(strncmp(strbuf_text(&out), wanted_v4, strlen(wanted_v4)), 0);
	assert_non_null(strstr(strbuf_text(&out), "\nadd KUBE-NODE-PORT-TCP 30080\n"));
	for (const char *p = strbuf_text(&out); (p = strstr(p, "create ")); p++)
		creates++;
	assert_int_equal(creates, _SET_MAX);
	strbuf_reset(&out);
	ipvs_print_addresses(st, &out);
	assert_string_equal(strbuf_text(&out), "10.96.0.1/32\n198.51.100.1/32\n203.0.113.1/32\n");
	ipvs_state_unref(st);

	st = make_state_of(service, ADDR_IPV6);
	strbuf_reset(&out);
	ipvs_print_sets(st, &out);
	assert_true(out.len > strlen(wanted_v6));
	assert_string_equal(strbuf_text(&out) + out.len - strlen(wanted_v6), wanted_v6);
	strbuf_reset(&out);
	ipvs_print_addresses(st, &out);
	assert_string_equal(strbuf_text(&out),
			    "2001:db8:51::1/128\n2001:db8:113::1/128\nfd00:96::1/128\n");
	ipvs_state_unref(st);
	strbuf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_servers),
		cmocka_unit_test(test_sets_and_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
