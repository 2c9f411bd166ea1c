/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-ipvs.h"

/* spec/ipvs.md section 1.2 */
static void test_table(void **state)
{
	static const struct {
		const char *name, *type, *comment;
	} rows[_SET_MAX] = {
		{"KUBE-LOOP-BACK", "hash:ip,port,ip",
		 "Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose"},
		{"KUBE-CLUSTER-IP", "hash:ip,port",
		 "Kubernetes service cluster ip + port for masquerade purpose"},
		{"KUBE-EXTERNAL-IP", "hash:ip,port",
		 "Kubernetes service external ip + port for masquerade and filter purpose"},
		{"KUBE-EXTERNAL-IP-LOCAL", "hash:ip,port",
		 "Kubernetes service external ip + port with externalTrafficPolicy=local"},
		{"KUBE-LOAD-BALANCER", "hash:ip,port", "Kubernetes service lb portal"},
		{"KUBE-LOAD-BALANCER-FW", "hash:ip,port",
		 "Kubernetes service load balancer ip + port for load balancer with sourceRange"},
		{"KUBE-LOAD-BALANCER-LOCAL", "hash:ip,port",
		 "Kubernetes service load balancer ip + port with externalTrafficPolicy=local"},
		{"KUBE-LOAD-BALANCER-SOURCE-IP", "hash:ip,port,ip",
		 "Kubernetes service load balancer ip + port + source IP for packet filter "
		 "purpose"},
		{"KUBE-LOAD-BALANCER-SOURCE-CIDR", "hash:ip,port,net",
		 "Kubernetes service load balancer ip + port + source cidr for packet filter "
		 "purpose"},
		{"KUBE-NODE-PORT-TCP", "bitmap:port",
		 "Kubernetes nodeport TCP port for masquerade purpose"},
		{"KUBE-NODE-PORT-LOCAL-TCP", "bitmap:port",
		 "Kubernetes nodeport TCP port with externalTrafficPolicy=local"},
		{"KUBE-NODE-PORT-UDP", "bitmap:port",
		 "Kubernetes nodeport UDP port for masquerade purpose"},
		{"KUBE-NODE-PORT-LOCAL-UDP", "bitmap:port",
		 "Kubernetes nodeport UDP port with externalTrafficPolicy=local"},
		{"KUBE-NODE-PORT-SCTP-HASH", "hash:ip,port",
		 "Kubernetes nodeport SCTP port for masquerade purpose with type 'hash ip:port'"},
		{"KUBE-NODE-PORT-LOCAL-SCTP-HASH", "hash:ip,port",
		 "Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type 'hash "
		 "ip:port'"},
		{"KUBE-HEALTH-CHECK-NODE-PORT", "bitmap:port", "Kubernetes health check node port"},
		{"KUBE-IPVS-IPS", "hash:ip", NULL},
	};

	(void)state;
	for (int i = 0; i < _SET_MAX; i++) {
		const struct ipvs_set_row *row = &ipvs_set_rows[i];
		char v6[64];

		assert_string_equal(row->names[ADDR_IPV4], rows[i].name);
		(void)snprintf(v6, sizeof(v6), "KUBE-6-%s", rows[i].name + strlen("KUBE-"));
		v6[31] = '\0';
		assert_string_equal(row->names[ADDR_IPV6], v6);
		assert_string_equal(ipvs_set_kind_text(row->kind), rows[i].type);
		if (rows[i].comment)
			assert_string_equal(row->comment, rows[i].comment);
		else
			assert_null(row->comment);
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			const struct rule_set *match = &ipvs_set_matches[i][f];

			assert_string_equal(match->name, row->names[f]);
			assert_true(match->comment == row->comment ||
				    streq(match->comment, row->comment));
			for (int k = 0; k < i; k++)
				assert_string_not_equal(match->name, ipvs_set_rows[k].names[f]);
		}
	}
}

static void test_print(void **state)
{
	const struct {
		enum ipvs_set_kind kind;
		struct ipvs_entry entry;
		const char *text;
	} rows[] = {
		{SET_KIND_IP, {.addr = make_addr("10.96.0.10")}, "10.96.0.10"},
		{SET_KIND_IP, {.addr = make_addr("fd00:96::a")}, "fd00:96::a"},
		{SET_KIND_PORT, {.port = 30080}, "30080"},
		{SET_KIND_IP_PORT,
		 {.addr = make_addr("10.96.0.10"), .port = 80},
		 "10.96.0.10,tcp:80"},
		{SET_KIND_IP_PORT,
		 {.addr = make_addr("fd96::10"), .port = 53, .protocol = SVC_UDP},
		 "fd96::10,udp:53"},
		{SET_KIND_IP_PORT,
		 {.addr = make_addr("::1.2.3.4"), .port = 65535, .protocol = SVC_SCTP},
		 "::102:304,sctp:65535"},
		{SET_KIND_IP_PORT_IP,
		 {.addr = make_addr("10.1.0.11"), .port = 8080, .addr2 = make_addr("10.1.0.11")},
		 "10.1.0.11,tcp:8080,10.1.0.11"},
		{SET_KIND_IP_PORT_NET,
		 {.addr = make_addr("203.0.113.5"),
		  .port = 80,
		  .addr2 = make_addr("192.0.2.0"),
		  .prefix = 24},
		 "203.0.113.5,tcp:80,192.0.2.0/24"},
		{SET_KIND_IP_PORT_NET,
		 {.addr = make_addr("203.0.113.5"),
		  .port = 80,
		  .addr2 = make_addr("192.0.2.1"),
		  .prefix = 32},
		 "203.0.113.5,tcp:80,192.0.2.1"},
		{SET_KIND_IP_PORT_NET,
		 {.addr = make_addr("fd00::5"),
		  .port = 80,
		  .addr2 = make_addr("fd00:1::"),
		  .prefix = 32},
		 "fd00::5,tcp:80,fd00:1::/32"},
		{SET_KIND_IP_PORT_NET,
		 {.addr = make_addr("fd00::5"),
		  .port = 80,
		  .addr2 = make_addr("fd00:1::1"),
		  .prefix = 128},
		 "fd00::5,tcp:80,fd00:1::1"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct strbuf out = {0};

		strbuf_add(&out, "x");
		ipvs_entry_print(&rows[i].entry, rows[i].kind, &out);
		assert_string_equal(strbuf_text(&out) + 1, rows[i].text);
		strbuf_done(&out);
	}
}

/* Each field counts, the first one most. */
static void test_compare(void **state)
{
	const struct ipvs_entry rows[] = {
		{.port = 1},
		{.port = 2},
		{.addr = make_addr("10.0.0.1"), .port = 80},
		{.addr = make_addr("10.0.0.1"), .port = 80, .addr2 = make_addr("10.0.0.1")},
		{.addr = make_addr("10.0.0.1"),
		 .port = 80,
		 .addr2 = make_addr("10.0.0.1"),
		 .prefix = 32},
		{.addr = make_addr("10.0.0.1"), .port = 80, .addr2 = make_addr("10.0.0.2")},
		{.addr = make_addr("10.0.0.1"), .port = 80, .protocol = SVC_UDP},
		{.addr = make_addr("10.0.0.1"), .port = 256},
		{.addr = make_addr("10.0.0.2"), .port = 80},
		{.addr = make_addr("::1"), .port = 80},
	};

	(void)state;
	for (int i = 0; i < (int)ELEMENTSOF(rows); i++) {
		for (int k = 0; k < (int)ELEMENTSOF(rows); k++) {
			int order = ipvs_entry_compare(&rows[i], &rows[k]);

			assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
