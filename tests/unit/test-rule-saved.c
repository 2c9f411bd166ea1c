/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

#include "rules/rule-saved.h"

/* Texts are those of spec/iptables.md section 3.10. test-iptables compares with the programs. */

#define SEP "KUBE-SEP-EUB75IW55XDW6EHN"

static struct service *service;
static struct endpoint endpoints[2];
static const struct rule_set set = {"KUBE-A", "type 'hash ip:port' \"a\\b\""};

static int setup(void **state)
{
	struct service_port port = {.name = (char *)(uintptr_t) "p", .port = 80};
	struct service_def def = {
		.key = (char *)(uintptr_t) "ns1/aff", .ports = &port, .n_ports = 1};

	(void)state;
	service = make_service(&def);
	endpoints[0] = make_endpoint("10.1.0.10:8080 r");
	endpoints[1] = make_endpoint("[fd00::1]:8080 r");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	service_unref(service);
	return 0;
}

static void test_texts(void **state)
{
	const struct {
		struct rule rule;
		enum addr_family family;
		const char *text;
	} cases[] = {
		{{.flags = RULE_DST | RULE_PROTOCOL | RULE_DPORT,
		  .dst = make_prefix("10.96.0.2/32"),
		  .dport = 80,
		  .comment = COMMENT_NO_ENDPOINTS,
		  .target = TARGET_REJECT},
		 ADDR_IPV4,
		 "-d 10.96.0.2/32 -p tcp -m comment --comment \"ns1/aff:p has no endpoints\" -m "
		 "tcp --dport 80 "
		 "-j REJECT --reject-with icmp-port-unreachable"},
		{{.flags = RULE_PROTOCOL | RULE_DPORT | RULE_DST_LOCAL,
		  .protocol = SVC_UDP,
		  .dport = 30080,
		  .comment = COMMENT_NO_ENDPOINTS,
		  .target = TARGET_REJECT},
		 ADDR_IPV6,
		 "-p udp -m comment --comment \"ns1/aff:p has no endpoints\" -m addrtype "
		 "--dst-type LOCAL -m udp "
		 "--dport 30080 -j REJECT --reject-with icmp6-port-unreachable"},
		{{.flags = RULE_DST | RULE_PROTOCOL | RULE_DPORT | RULE_NFACCT_LOCALHOST,
		  .dst = make_prefix("127.0.0.0/8"),
		  .dport = 30180,
		  .comment = COMMENT_NAME,
		  .target = TARGET_JUMP,
		  .chain = "KUBE-EXT-X"},
		 ADDR_IPV4,
		 "-d 127.0.0.0/8 -p tcp -m comment --comment \"ns1/aff:p\" -m tcp --dport 30180 -m "
		 "nfacct "
		 "--nfacct-name localhost_nps_accepted_pkts -j KUBE-EXT-X"},
		{{.flags = RULE_SRC_NOT | RULE_DST | RULE_PROTOCOL | RULE_DPORT,
		  .src = make_prefix("10.233.64.0/18"),
		  .dst = make_prefix("10.96.0.1/32"),
		  .dport = 80,
		  .comment = COMMENT_CLUSTER_IP,
		  .target = TARGET_JUMP,
		  .chain = "KUBE-MARK-MASQ"},
		 ADDR_IPV4,
		 "! -s 10.233.64.0/18 -d 10.96.0.1/32 -p tcp -m comment --comment \"ns1/aff:p "
		 "cluster IP\" -m tcp "
		 "--dport 80 -j KUBE-MARK-MASQ"},
		{{.flags = RULE_DST | RULE_IN_NOT | RULE_PROTOCOL | RULE_DPORT,
		  .interface = "veth+",
		  .dst = make_prefix("10.96.0.1/32"),
		  .dport = 80,
		  .comment = COMMENT_CLUSTER_IP,
		  .target = TARGET_JUMP,
		  .chain = "KUBE-MARK-MASQ"},
		 ADDR_IPV4,
		 "-d 10.96.0.1/32 ! -i veth+ -p tcp -m comment --comment \"ns1/aff:p cluster IP\" "
		 "-m tcp --dport 80 "
		 "-j KUBE-MARK-MASQ"},
		{{.flags = RULE_RECENT_CHECK,
		  .seconds = 10800,
		  .chain = SEP,
		  .comment = COMMENT_ENDPOINT,
		  .endpoint = &endpoints[0],
		  .target = TARGET_JUMP},
		 ADDR_IPV4,
		 "-m comment --comment \"ns1/aff:p -> 10.1.0.10:8080\" -m recent --rcheck "
		 "--seconds 10800 --reap "
		 "--name " SEP " --mask 255.255.255.255 --rsource -j " SEP},
		{{.flags = RULE_RECENT_SET | RULE_PROTOCOL,
		  .chain = SEP,
		  .comment = COMMENT_NAME,
		  .endpoint = &endpoints[1],
		  .target = TARGET_DNAT},
		 ADDR_IPV6,
		 "-p tcp -m comment --comment \"ns1/aff:p\" -m recent --set --name " SEP
		 " --mask ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff --rsource -m tcp -j DNAT "
		 "--to-destination "
		 "[fd00::1]:8080"},
		{{.flags = RULE_SRC,
		  .src = make_prefix("10.1.0.10/32"),
		  .comment = COMMENT_NAME,
		  .target = TARGET_JUMP,
		  .chain = "KUBE-MARK-MASQ"},
		 ADDR_IPV4,
		 "-s 10.1.0.10/32 -m comment --comment \"ns1/aff:p\" -j KUBE-MARK-MASQ"},
		{{.flags = RULE_SRC_NOT | RULE_DST | RULE_CT_NOT_KNOWN,
		  .src = make_prefix("127.0.0.0/8"),
		  .dst = make_prefix("127.0.0.0/8"),
		  .comment = COMMENT_LITERAL,
		  .literal = "block incoming localnet connections",
		  .target = TARGET_DROP},
		 ADDR_IPV4,
		 "! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment \"block incoming localnet "
		 "connections\" -m "
		 "conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP"},
		{{.target = TARGET_MARK_XOR, .mark = 0x4000},
		 ADDR_IPV4,
		 "-j MARK --set-xmark 0x4000/0x0"},
		{{.target = TARGET_MARK_OR, .mark = 0x80000000},
		 ADDR_IPV4,
		 "-j MARK --set-xmark 0x80000000/0x80000000"},
		{{.flags = RULE_MARK_NOT, .mark = 1, .target = TARGET_RETURN},
		 ADDR_IPV4,
		 "-m mark ! --mark 0x1/0x1 -j RETURN"},
		{{.flags = RULE_CT_NEW | RULE_COMMENT_LAST,
		  .comment = COMMENT_LITERAL,
		  .literal = "a b",
		  .target = TARGET_JUMP,
		  .chain = "KUBE-EXTERNAL-SERVICES"},
		 ADDR_IPV4,
		 "-m conntrack --ctstate NEW -m comment --comment \"a b\" -j "
		 "KUBE-EXTERNAL-SERVICES"},
		/* spec/ipvs.md section 1.4 */
		{{.flags = RULE_SRC | RULE_SRC_PREFIX,
		  .src = make_prefix("::1/128"),
		  .target = TARGET_RETURN},
		 ADDR_IPV6,
		 "-s ::1/128 -j RETURN"},
		{{.flags = RULE_SET,
		  .comment = COMMENT_SET,
		  .set = &set,
		  .lookup = LOOKUP_DST_DST_SRC,
		  .target = TARGET_MASQUERADE_PLAIN},
		 ADDR_IPV4,
		 "-m comment --comment \"type \\'hash ip:port\\' \\\"a\\\\b\\\"\" -m set "
		 "--match-set "
		 "KUBE-A dst,dst,src -j MASQUERADE"},
		{{.flags = RULE_SET | RULE_PROTOCOL_BARE,
		  .protocol = SVC_UDP,
		  .set = &set,
		  .target = TARGET_JUMP,
		  .chain = "KUBE-MARK-MASQ"},
		 ADDR_IPV4,
		 "-p udp -m set --match-set KUBE-A dst -j KUBE-MARK-MASQ"},
		{{.flags = RULE_SET | RULE_IN_NOT,
		  .interface = "br0",
		  .set = &set,
		  .lookup = LOOKUP_DST_DST,
		  .target = TARGET_JUMP,
		  .chain = "KUBE-MARK-MASQ"},
		 ADDR_IPV4,
		 "! -i br0 -m set --match-set KUBE-A dst,dst -j KUBE-MARK-MASQ"},
		{{.flags = RULE_SET | RULE_NOT_PHYSDEV_IN | RULE_SRC_NOT_LOCAL,
		  .set = &set,
		  .lookup = LOOKUP_SRC_DST,
		  .target = TARGET_ACCEPT},
		 ADDR_IPV4,
		 "-m set --match-set KUBE-A src,dst -m physdev ! --physdev-is-in -m addrtype ! "
		 "--src-type LOCAL -j ACCEPT"},
		{{.flags = RULE_SET | RULE_DST_LOCAL, .set = &set, .target = TARGET_ACCEPT},
		 ADDR_IPV4,
		 "-m set --match-set KUBE-A dst -m addrtype --dst-type LOCAL -j ACCEPT"},
		{{.flags = RULE_SET | RULE_CT_NEW | RULE_COMMENT_LAST,
		  .set = &set,
		  .target = TARGET_REJECT},
		 ADDR_IPV6,
		 "-m conntrack --ctstate NEW -m set --match-set KUBE-A dst -j REJECT "
		 "--reject-with icmp6-port-unreachable"},
		{{.flags = RULE_SRC | RULE_IPVS,
		  .src = make_prefix("203.0.113.5/32"),
		  .protocol = SVC_TCP,
		  .dport = 80,
		  .target = TARGET_DROP},
		 ADDR_IPV4,
		 "-s 203.0.113.5/32 -m ipvs --vproto 6 --vaddr 203.0.113.5 --vport 80 -j DROP"},
		{{.flags = RULE_SRC | RULE_IPVS,
		  .src = make_prefix("fd00::5/128"),
		  .protocol = SVC_SCTP,
		  .dport = 80,
		  .target = TARGET_DROP},
		 ADDR_IPV6,
		 "-s fd00::5/128 -m ipvs --vproto 132 --vaddr fd00::5 --vport 80 -j DROP"},
		{{.target = TARGET_NONE}, ADDR_IPV4, ""},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		struct strbuf b = {0};

		strbuf_add(&b, "before");
		rule_print_saved(&cases[i].rule, service, cases[i].family, &b);
		assert_int_equal(strbuf_error(&b), 0);
		assert_int_equal(strlen(strbuf_text(&b)), b.len);
		assert_string_equal(strbuf_text(&b) + strlen("before"), cases[i].text);
		strbuf_done(&b);
	}
}

static void test_probability(void **state)
{
	static const char *const texts[] = {
		"0.50000000000", "0.33333333349", "0.25000000000", "0.20000000019", "0.16666666651",
		"0.14285714272", "0.12500000000", "0.11111111101", "0.10000000009",
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
		const struct rule r = {.flags = RULE_STATISTIC, .one_in = (uint16_t)(i + 2)};
		struct strbuf b = {0};

		rule_print_saved(&r, NULL, ADDR_IPV4, &b);
		assert_memory_equal(strbuf_text(&b), "-m statistic --mode random --probability ",
				    41);
		assert_string_equal(strbuf_text(&b) + 41, texts[i]);
		strbuf_done(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_probability),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
