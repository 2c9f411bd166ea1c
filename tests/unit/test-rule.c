/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "make-world.h"
#include "rules/rule.h"

#define M 0x4000
#define SEP "KUBE-SEP-EUB75IW55XDW6EHN"
#define NPS "kubernetes service nodeports; NOTE: this must be the last rule in this chain"

static const struct endpoint ep4 = {.ip = {.family = ADDR_IPV4, .bytes = {10, 1, 0, 10}},
				    .port = 8080};
static const struct endpoint ep6 = {
	.ip = {.family = ADDR_IPV6, .bytes = {0xfd, 0, 0, 1, [15] = 0xa}}, .port = 443};

#define IP4(a, b, c, d, l)                                                          \
	{                                                                           \
		.addr = {.family = ADDR_IPV4, .bytes = {a, b, c, d}}, .length = (l) \
	}
#define LO4 IP4(127, 0, 0, 0, 8)
#define CIP IP4(10, 96, 0, 1, 32)
#define LO6                                                                       \
	{                                                                         \
		.addr = {.family = ADDR_IPV6, .bytes = {[15] = 1}}, .length = 128 \
	}
#define ULA                                                                 \
	{                                                                   \
		.addr = {.family = ADDR_IPV6, .bytes = {0xfd}}, .length = 8 \
	}
#define FRONT (RULE_PROTOCOL | RULE_DST | RULE_DPORT)

static const struct rule_set set4 = {"KUBE-CLUSTER-IP", "it's for masquerade"};
static const struct rule_set set_bare = {"KUBE-IPVS-IPS", NULL};
static const struct rule_set set_name = {"KUBE-6-CLUSTER-IP", "it's for masquerade"};
static const struct rule_set set_comment = {"KUBE-CLUSTER-IP", "its for masquerade"};

/* Every template of spec/iptables.md section 3.4, and of spec/ipvs.md section 1.4. Port 0 of the
 * service is named, port 1 is not. */
static const struct {
	struct rule rule;
	const char *text;
} rows[] = {
	/* F1 to F4 */
	{{.flags = RULE_DST | RULE_SRC_NOT | RULE_CT_NOT_KNOWN,
	  .comment = COMMENT_LITERAL,
	  .literal = "block incoming localnet connections",
	  .target = TARGET_DROP,
	  .src = LO4,
	  .dst = LO4},
	 "-m comment --comment \"block incoming localnet connections\" -d 127.0.0.0/8 "
	 "! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP"},
	{{.flags = RULE_CT_INVALID | RULE_NFACCT_INVALID, .target = TARGET_DROP},
	 "-m conntrack --ctstate INVALID -m nfacct --nfacct-name ct_state_invalid_dropped_pkts "
	 "-j DROP"},
	{{.flags = RULE_CT_INVALID, .target = TARGET_DROP},
	 "-m conntrack --ctstate INVALID -j DROP"},
	{{.flags = RULE_MARK,
	  .mark = M,
	  .comment = COMMENT_LITERAL,
	  .literal = "kubernetes forwarding rules",
	  .target = TARGET_ACCEPT},
	 "-m comment --comment \"kubernetes forwarding rules\" -m mark "
	 "--mark 0x00004000/0x00004000 -j ACCEPT"},
	{{.flags = RULE_CT_ESTABLISHED,
	  .comment = COMMENT_LITERAL,
	  .literal = "kubernetes forwarding conntrack rule",
	  .target = TARGET_ACCEPT},
	 "-m comment --comment \"kubernetes forwarding conntrack rule\" -m conntrack "
	 "--ctstate RELATED,ESTABLISHED -j ACCEPT"},
	/* N1 to N5 */
	{{.flags = RULE_MARK_NOT, .mark = M, .target = TARGET_RETURN},
	 "-m mark ! --mark 0x00004000/0x00004000 -j RETURN"},
	{{.mark = M, .target = TARGET_MARK_XOR}, "-j MARK --xor-mark 0x00004000"},
	{{.comment = COMMENT_LITERAL,
	  .literal = "kubernetes service traffic requiring SNAT",
	  .target = TARGET_MASQUERADE},
	 "-m comment --comment \"kubernetes service traffic requiring SNAT\" -j MASQUERADE "
	 "--random-fully"},
	{{.mark = 0x80000000, .target = TARGET_MARK_OR}, "-j MARK --or-mark 0x80000000"},
	{{.mark = 1, .target = TARGET_MARK_OR}, "-j MARK --or-mark 0x00000001"},
	{{.flags = RULE_DST_LOCAL,
	  .comment = COMMENT_LITERAL,
	  .literal = NPS,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-NODEPORTS"},
	 "-m comment --comment \"" NPS "\" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS"},
	{{.flags = RULE_DST_LOCAL | RULE_DST_NOT | RULE_DST_PREFIX,
	  .comment = COMMENT_LITERAL,
	  .literal = NPS,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-NODEPORTS",
	  .dst = LO4},
	 "-m comment --comment \"" NPS "\" -m addrtype --dst-type LOCAL ! -d 127.0.0.0/8 "
	 "-j KUBE-NODEPORTS"},
	{{.flags = RULE_DST_LOCAL | RULE_DST_NOT | RULE_DST_PREFIX,
	  .comment = COMMENT_LITERAL,
	  .literal = NPS,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-NODEPORTS",
	  .dst = LO6},
	 "-m comment --comment \"" NPS "\" -m addrtype --dst-type LOCAL ! -d ::1/128 "
	 "-j KUBE-NODEPORTS"},
	{{.flags = RULE_DST,
	  .comment = COMMENT_LITERAL,
	  .literal = NPS,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-NODEPORTS",
	  .dst = LO6},
	 "-m comment --comment \"" NPS "\" -d ::1 -j KUBE-NODEPORTS"},
	/* A1 to A6 */
	{{.flags = FRONT,
	  .comment = COMMENT_NO_ENDPOINTS,
	  .protocol = SVC_TCP,
	  .dst = CIP,
	  .dport = 80,
	  .target = TARGET_REJECT},
	 "-m comment --comment \"ns1/aff:http has no endpoints\" -m tcp -p tcp -d 10.96.0.1 "
	 "--dport 80 -j REJECT"},
	{{.flags = FRONT,
	  .comment = COMMENT_NO_LOCAL_ENDPOINTS,
	  .protocol = SVC_UDP,
	  .dst = CIP,
	  .dport = 53,
	  .target = TARGET_DROP,
	  .port_index = 1},
	 "-m comment --comment \"ns1/aff has no local endpoints\" -m udp -p udp -d 10.96.0.1 "
	 "--dport 53 -j DROP"},
	{{.flags = FRONT,
	  .comment = COMMENT_NOT_ACCEPTED,
	  .protocol = SVC_TCP,
	  .dst = CIP,
	  .dport = 65535,
	  .target = TARGET_DROP,
	  .chain = "KUBE-FW-NUKIZ6OKUXPJNT4C"},
	 "-m comment --comment \"ns1/aff:http traffic not accepted by KUBE-FW-NUKIZ6OKUXPJNT4C\" "
	 "-m tcp -p tcp -d 10.96.0.1 --dport 65535 -j DROP"},
	{{.flags = RULE_DST_LOCAL | RULE_PROTOCOL | RULE_DPORT,
	  .comment = COMMENT_NO_ENDPOINTS,
	  .protocol = SVC_TCP,
	  .dport = 30080,
	  .target = TARGET_REJECT},
	 "-m comment --comment \"ns1/aff:http has no endpoints\" -m addrtype --dst-type LOCAL "
	 "-m tcp -p tcp --dport 30080 -j REJECT"},
	{{.flags = RULE_PROTOCOL | RULE_DPORT,
	  .comment = COMMENT_HEALTH_CHECK,
	  .protocol = SVC_TCP,
	  .dport = 32000,
	  .target = TARGET_ACCEPT},
	 "-m comment --comment \"ns1/aff:http health check node port\" -m tcp -p tcp "
	 "--dport 32000 -j ACCEPT"},
	/* B1 to B5 */
	{{.flags = FRONT,
	  .comment = COMMENT_CLUSTER_IP,
	  .protocol = SVC_SCTP,
	  .dst = CIP,
	  .dport = 80,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-SVC-X"},
	 "-m comment --comment \"ns1/aff:http cluster IP\" -m sctp -p sctp -d 10.96.0.1 "
	 "--dport 80 -j KUBE-SVC-X"},
	{{.flags = FRONT,
	  .comment = COMMENT_EXTERNAL_IP,
	  .protocol = SVC_TCP,
	  .dst = CIP,
	  .dport = 80,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-EXT-X"},
	 "-m comment --comment \"ns1/aff:http external IP\" -m tcp -p tcp -d 10.96.0.1 "
	 "--dport 80 -j KUBE-EXT-X"},
	{{.flags = FRONT,
	  .comment = COMMENT_LOAD_BALANCER_IP,
	  .protocol = SVC_TCP,
	  .dst = CIP,
	  .dport = 80,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-FW-X"},
	 "-m comment --comment \"ns1/aff:http loadbalancer IP\" -m tcp -p tcp -d 10.96.0.1 "
	 "--dport 80 -j KUBE-FW-X"},
	{{.flags = FRONT | RULE_NFACCT_LOCALHOST,
	  .comment = COMMENT_NAME,
	  .protocol = SVC_TCP,
	  .dst = LO4,
	  .dport = 32594,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-EXT-X"},
	 "-m comment --comment ns1/aff:http -m tcp -p tcp -d 127.0.0.0/8 --dport 32594 "
	 "-m nfacct --nfacct-name localhost_nps_accepted_pkts -j KUBE-EXT-X"},
	{{.flags = RULE_PROTOCOL | RULE_DPORT,
	  .comment = COMMENT_NAME,
	  .protocol = SVC_TCP,
	  .dport = 32594,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-EXT-X",
	  .port_index = 1},
	 "-m comment --comment ns1/aff -m tcp -p tcp --dport 32594 -j KUBE-EXT-X"},
	/* C1 */
	{{.flags = FRONT | RULE_SRC_NOT | RULE_SRC_PREFIX,
	  .comment = COMMENT_CLUSTER_IP,
	  .protocol = SVC_TCP,
	  .dst = CIP,
	  .src = IP4(10, 233, 64, 0, 18),
	  .dport = 80,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-MARK-MASQ"},
	 "-m comment --comment \"ns1/aff:http cluster IP\" -m tcp -p tcp -d 10.96.0.1 --dport 80 "
	 "! -s 10.233.64.0/18 -j KUBE-MARK-MASQ"},
	{{.flags = FRONT | RULE_IN_NOT,
	  .comment = COMMENT_CLUSTER_IP,
	  .protocol = SVC_TCP,
	  .dst = CIP,
	  .interface = "veth+",
	  .dport = 80,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-MARK-MASQ"},
	 "-m comment --comment \"ns1/aff:http cluster IP\" -m tcp -p tcp -d 10.96.0.1 --dport 80 "
	 "! -i veth+ -j KUBE-MARK-MASQ"},
	/* X1 to X5 */
	{{.comment = COMMENT_MASQ_EXTERNAL, .target = TARGET_JUMP, .chain = "KUBE-MARK-MASQ"},
	 "-m comment --comment \"masquerade traffic for ns1/aff:http external destinations\" "
	 "-j KUBE-MARK-MASQ"},
	{{.flags = RULE_SRC | RULE_SRC_PREFIX,
	  .comment = COMMENT_POD_EXTERNAL,
	  .src = IP4(10, 1, 1, 1, 32),
	  .target = TARGET_JUMP,
	  .chain = "KUBE-SVC-X"},
	 "-m comment --comment \"pod traffic for ns1/aff:http external destinations\" "
	 "-s 10.1.1.1/32 -j KUBE-SVC-X"},
	{{.flags = RULE_IN,
	  .comment = COMMENT_POD_EXTERNAL,
	  .interface = "cni0",
	  .target = TARGET_JUMP,
	  .chain = "KUBE-SVC-X"},
	 "-m comment --comment \"pod traffic for ns1/aff:http external destinations\" -i cni0 "
	 "-j KUBE-SVC-X"},
	{{.flags = RULE_SRC_LOCAL,
	  .comment = COMMENT_MASQ_LOCAL_EXTERNAL,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-MARK-MASQ"},
	 "-m comment --comment \"masquerade LOCAL traffic for ns1/aff:http external "
	 "destinations\" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ"},
	{{.flags = RULE_SRC_LOCAL,
	  .comment = COMMENT_ROUTE_LOCAL_EXTERNAL,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-SVC-X"},
	 "-m comment --comment \"route LOCAL traffic for ns1/aff:http external destinations\" "
	 "-m addrtype --src-type LOCAL -j KUBE-SVC-X"},
	{{.target = TARGET_JUMP, .chain = "KUBE-SVL-X"}, "-j KUBE-SVL-X"},
	/* G1 to G3 */
	{{.flags = RULE_SRC | RULE_SRC_PREFIX,
	  .comment = COMMENT_LOAD_BALANCER_IP,
	  .src = ULA,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-EXT-X"},
	 "-m comment --comment \"ns1/aff:http loadbalancer IP\" -s fd00::/8 -j KUBE-EXT-X"},
	{{.flags = RULE_SRC,
	  .comment = COMMENT_LOAD_BALANCER_IP,
	  .src = CIP,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-EXT-X"},
	 "-m comment --comment \"ns1/aff:http loadbalancer IP\" -s 10.96.0.1 -j KUBE-EXT-X"},
	{{.comment = COMMENT_DROPPED_LATER},
	 "-m comment --comment \"other traffic to ns1/aff:http will be dropped by "
	 "KUBE-PROXY-FIREWALL\""},
	/* S1, S2, with comments and without */
	{{.flags = RULE_RECENT_CHECK,
	  .comment = COMMENT_ENDPOINT,
	  .endpoint = &ep4,
	  .seconds = 10800,
	  .target = TARGET_JUMP,
	  .chain = SEP},
	 "-m comment --comment \"ns1/aff:http -> 10.1.0.10:8080\" -m recent --name " SEP
	 " --rcheck --seconds 10800 --reap -j " SEP},
	{{.flags = RULE_RECENT_CHECK, .seconds = 1, .target = TARGET_JUMP, .chain = SEP},
	 "-m recent --name " SEP " --rcheck --seconds 1 --reap -j " SEP},
	{{.flags = RULE_STATISTIC,
	  .comment = COMMENT_ENDPOINT,
	  .endpoint = &ep6,
	  .one_in = 3,
	  .target = TARGET_JUMP,
	  .chain = SEP},
	 "-m comment --comment \"ns1/aff:http -> [fd00:1::a]:443\" -m statistic --mode random "
	 "--probability 0.3333333333 -j " SEP},
	{{.flags = RULE_STATISTIC, .one_in = 2, .target = TARGET_JUMP, .chain = SEP},
	 "-m statistic --mode random --probability 0.5000000000 -j " SEP},
	{{.comment = COMMENT_ENDPOINT,
	  .endpoint = &ep4,
	  .target = TARGET_JUMP,
	  .chain = SEP,
	  .port_index = 1},
	 "-m comment --comment \"ns1/aff -> 10.1.0.10:8080\" -j " SEP},
	/* E1, E2 */
	{{.flags = RULE_SRC,
	  .comment = COMMENT_NAME,
	  .src = IP4(10, 1, 0, 10, 32),
	  .target = TARGET_JUMP,
	  .chain = "KUBE-MARK-MASQ"},
	 "-m comment --comment ns1/aff:http -s 10.1.0.10 -j KUBE-MARK-MASQ"},
	{{.flags = RULE_SRC, .src = LO6, .target = TARGET_JUMP, .chain = "KUBE-MARK-MASQ"},
	 "-s ::1 -j KUBE-MARK-MASQ"},
	{{.flags = RULE_PROTOCOL | RULE_RECENT_SET,
	  .comment = COMMENT_NAME,
	  .protocol = SVC_TCP,
	  .target = TARGET_DNAT,
	  .endpoint = &ep4,
	  .chain = SEP},
	 "-m comment --comment ns1/aff:http -m recent --name " SEP
	 " --set -m tcp -p tcp -j DNAT --to-destination 10.1.0.10:8080"},
	{{.flags = RULE_PROTOCOL, .protocol = SVC_UDP, .target = TARGET_DNAT, .endpoint = &ep6},
	 "-m udp -p udp -j DNAT --to-destination [fd00:1::a]:443"},
	/* ipvs mode */
	{{.flags = RULE_SRC | RULE_SRC_PREFIX, .src = LO4, .target = TARGET_RETURN},
	 "-s 127.0.0.0/8 -j RETURN"},
	{{.flags = RULE_SET,
	  .comment = COMMENT_SET,
	  .set = &set4,
	  .lookup = LOOKUP_DST_DST_SRC,
	  .target = TARGET_MASQUERADE_PLAIN},
	 "-m comment --comment \"it's for masquerade\" -m set --match-set KUBE-CLUSTER-IP "
	 "dst,dst,src -j MASQUERADE"},
	{{.flags = RULE_SET | RULE_PROTOCOL_BARE,
	  .comment = COMMENT_SET,
	  .protocol = SVC_SCTP,
	  .set = &set4,
	  .target = TARGET_RETURN},
	 "-p sctp -m comment --comment \"it's for masquerade\" -m set --match-set "
	 "KUBE-CLUSTER-IP dst -j RETURN"},
	{{.flags = RULE_SET | RULE_SRC_NOT | RULE_SRC_PREFIX,
	  .comment = COMMENT_SET,
	  .set = &set4,
	  .lookup = LOOKUP_DST_DST,
	  .src = CIP,
	  .target = TARGET_JUMP,
	  .chain = "KUBE-MARK-MASQ"},
	 "-m comment --comment \"it's for masquerade\" -m set --match-set KUBE-CLUSTER-IP "
	 "dst,dst ! -s 10.96.0.1/32 -j KUBE-MARK-MASQ"},
	{{.flags = RULE_SET | RULE_NOT_PHYSDEV_IN | RULE_SRC_NOT_LOCAL,
	  .set = &set4,
	  .lookup = LOOKUP_SRC_DST,
	  .target = TARGET_ACCEPT},
	 "-m set --match-set KUBE-CLUSTER-IP src,dst -m physdev ! --physdev-is-in -m addrtype ! "
	 "--src-type LOCAL -j ACCEPT"},
	{{.flags = RULE_SET | RULE_DST_LOCAL, .set = &set4, .target = TARGET_ACCEPT},
	 "-m set --match-set KUBE-CLUSTER-IP dst -m addrtype --dst-type LOCAL -j ACCEPT"},
	{{.flags = RULE_SET | RULE_CT_NEW | RULE_COMMENT_LAST,
	  .set = &set_bare,
	  .target = TARGET_REJECT},
	 "-m conntrack --ctstate NEW -m set --match-set KUBE-IPVS-IPS dst -j REJECT"},
	{{.flags = RULE_SRC | RULE_IPVS,
	  .src = CIP,
	  .protocol = SVC_SCTP,
	  .dport = 80,
	  .target = TARGET_DROP},
	 "-s 10.96.0.1 -m ipvs --vaddr 10.96.0.1 --vproto sctp --vport 80 -j DROP"},
	{{.flags = RULE_SRC | RULE_IPVS, .src = LO6, .dport = 65535, .target = TARGET_DROP},
	 "-s ::1 -m ipvs --vaddr ::1 --vproto tcp --vport 65535 -j DROP"},
	/* jumps */
	{{.flags = RULE_CT_NEW | RULE_COMMENT_LAST,
	  .comment = COMMENT_LITERAL,
	  .literal = "kubernetes service portals",
	  .target = TARGET_JUMP,
	  .chain = "KUBE-SERVICES"},
	 "-m conntrack --ctstate NEW -m comment --comment \"kubernetes service portals\" "
	 "-j KUBE-SERVICES"},
};

static struct service *named(const char *name, const char *first_port)
{
	char key[32], port[32], unnamed[1] = "";
	struct service_port ports[] = {{.name = port}, {.name = unnamed}};
	struct service_def def = {.key = key, .ports = ports, .n_ports = 2};

	(void)snprintf(key, sizeof(key), "%s", name);
	(void)snprintf(port, sizeof(port), "%s", first_port);
	return make_service(&def);
}

static void test_print(void **state)
{
	struct service *s = named("ns1/aff", "http");
	struct strbuf out = {0};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		strbuf_reset(&out);
		rule_print(&rows[i].rule, s, &out);
		assert_int_equal(strbuf_error(&out), 0);
		assert_string_equal(strbuf_text(&out), rows[i].text);
		assert_int_equal(out.len, strlen(rows[i].text));
	}
	/* What is there already stays. */
	strbuf_reset(&out);
	strbuf_add(&out, "-A KUBE-EXT-X ");
	rule_print(&(struct rule){.target = TARGET_DROP}, NULL, &out);
	assert_string_equal(strbuf_text(&out), "-A KUBE-EXT-X -j DROP");
	strbuf_done(&out);
	service_unref(s);
}

/* The fast way must be what printf gives, exact halves included. */
static void test_probability(void **state)
{
	static const unsigned large[] = {65536, 102400, 1000000, 99999999, 4294967295};
	struct strbuf out = {0};
	char wanted[128];

	(void)state;
	for (unsigned i = 2; i < 12000 + ELEMENTSOF(large); i++) {
		unsigned n = i < 12000 ? i : large[i - 12000];
		struct rule r = {.flags = RULE_STATISTIC, .one_in = n};

		(void)snprintf(wanted, sizeof(wanted),
			       "-m statistic --mode random --probability %.10f", 1.0 / n);
		strbuf_reset(&out);
		rule_print(&r, NULL, &out);
		assert_string_equal(strbuf_text(&out), wanted);
	}
	strbuf_done(&out);
}

static bool same_text(const struct rule *a, const struct service *sa, const struct rule *b,
		      const struct service *sb)
{
	struct strbuf x = {0}, y = {0};
	bool same;

	rule_print(a, sa, &x);
	rule_print(b, sb, &y);
	same = streq(strbuf_text(&x), strbuf_text(&y));
	strbuf_done(&x);
	strbuf_done(&y);
	return same;
}

/* Equal means that the text is, for each pair of the rows and for each field that is changed. */
static void test_equal(void **state)
{
	struct service *s = named("ns1/aff", "http"), *twin = named("ns1/aff", "http");
	struct service *other = named("ns1/affe", "http"), *port = named("ns1/aff", "https");

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		const struct rule *r = &rows[i].rule;
		struct rule changed[14];

		for (size_t j = 0; j < ELEMENTSOF(rows); j++)
			assert_int_equal(rule_equal(r, s, &rows[j].rule, twin), i == j);
		assert_int_equal(rule_equal(r, s, r, other), same_text(r, s, r, other));
		assert_int_equal(rule_equal(r, s, r, port), same_text(r, s, r, port));

		for (size_t j = 0; j < ELEMENTSOF(changed); j++)
			changed[j] = *r;
		changed[0].protocol = SVC_UDP;
		changed[1].dport++;
		changed[2].port_index ^= 1;
		changed[3].one_in += 1;
		changed[4].seconds++;
		changed[5].mark <<= 1;
		changed[6].src.length = 9;
		changed[7].dst.addr.bytes[1] ^= 1;
		changed[8].chain = "KUBE-OTHER";
		changed[9].interface = "eth+";
		changed[10].target = TARGET_NONE;
		if (r->comment == COMMENT_LITERAL)
			changed[11].literal = "else";
		else if (r->flags & RULE_SET)
			changed[11].set = &set_name;
		else
			changed[11].endpoint = &ep6;
		changed[12].lookup = LOOKUP_DST_DST;
		if (r->comment == COMMENT_SET)
			changed[13].set = &set_comment;
		for (size_t j = 0; j < ELEMENTSOF(changed); j++) {
			bool same = same_text(r, s, &changed[j], s);

			if (rule_equal(r, s, &changed[j], s) != same)
				fail_msg("row %zu '%s', change %zu", i, rows[i].text, j);
		}
	}
	service_unref(s);
	service_unref(twin);
	service_unref(other);
	service_unref(port);
}

static void test_lists(void **state)
{
	struct rule one[] = {{.target = TARGET_DROP}, {.target = TARGET_ACCEPT}};
	struct rule two[] = {{.target = TARGET_DROP}, {.target = TARGET_RETURN}};
	struct rule_list a = {one, 2, 2}, b = {two, 2, 2}, c = {two, 1, 1}, d = {one, 1, 1};
	struct rule_list empty = {0};

	(void)state;
	assert_true(rule_lists_equal(&a, NULL, &a, NULL));
	assert_false(rule_lists_equal(&a, NULL, &b, NULL));
	assert_false(rule_lists_equal(&b, NULL, &c, NULL));
	assert_true(rule_lists_equal(&c, NULL, &d, NULL));
	assert_true(rule_lists_equal(&empty, NULL, &empty, NULL));
	assert_false(rule_lists_equal(&empty, NULL, &c, NULL));
}

static void test_tables(void **state)
{
	(void)state;
	assert_string_equal(rule_table_text(TABLE_FILTER), "filter");
	assert_string_equal(rule_table_text(TABLE_NAT), "nat");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print),  cmocka_unit_test(test_probability),
		cmocka_unit_test(test_equal),  cmocka_unit_test(test_lists),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
