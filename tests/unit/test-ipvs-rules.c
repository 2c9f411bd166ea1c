/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-ipvs.h"

/* Texts are those of spec/ipvs.md section 1.4; the golden files have what is loaded. */

static char *rules_text(const struct ipvs_state *s)
{
	struct strbuf out = {0};

	ipvs_print_rules(s, &out);
	assert_int_equal(strbuf_error(&out), 0);
	return strbuf_take(&out);
}

/* Rules that exist without any service, and the jumps in their order. */
static void test_empty(void **state)
{
#define EMPTY(v, loopback)                                                                        \
	"*nat\n"                                                                                  \
	":KUBE-SERVICES - [0:0]\n"                                                                \
	":KUBE-POSTROUTING - [0:0]\n"                                                             \
	":KUBE-NODE-PORT - [0:0]\n"                                                               \
	":KUBE-LOAD-BALANCER - [0:0]\n"                                                           \
	":KUBE-MARK-MASQ - [0:0]\n"                                                               \
	"-A KUBE-SERVICES -s " loopback " -j RETURN\n"                                            \
	"-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODE-PORT\n"                       \
	"-A KUBE-POSTROUTING -m mark ! --mark 0x00004000/0x00004000 -j RETURN\n"                  \
	"-A KUBE-POSTROUTING -j MARK --xor-mark 0x00004000\n"                                     \
	"-A KUBE-POSTROUTING -m comment --comment \"kubernetes service traffic requiring SNAT\""  \
	" -j MASQUERADE --random-fully\n"                                                         \
	"-A KUBE-LOAD-BALANCER -j KUBE-MARK-MASQ\n"                                               \
	"-A KUBE-MARK-MASQ -j MARK --or-mark 0x00004000\n"                                        \
	"-I OUTPUT -m comment --comment \"kubernetes service portals\" -j KUBE-SERVICES\n"        \
	"-I PREROUTING -m comment --comment \"kubernetes service portals\" -j KUBE-SERVICES\n"    \
	"-I POSTROUTING -m comment --comment \"kubernetes postrouting rules\""                    \
	" -j KUBE-POSTROUTING\n"                                                                  \
	"COMMIT\n"                                                                                \
	"*filter\n"                                                                               \
	":KUBE-FORWARD - [0:0]\n"                                                                 \
	":KUBE-NODE-PORT - [0:0]\n"                                                               \
	":KUBE-PROXY-FIREWALL - [0:0]\n"                                                          \
	":KUBE-SOURCE-RANGES-FIREWALL - [0:0]\n"                                                  \
	":KUBE-IPVS-FILTER - [0:0]\n"                                                             \
	":KUBE-IPVS-OUT-FILTER - [0:0]\n"                                                         \
	"-A KUBE-FORWARD -m comment --comment \"kubernetes forwarding rules\""                    \
	" -m mark --mark 0x00004000/0x00004000 -j ACCEPT\n"                                       \
	"-A KUBE-FORWARD -m comment --comment \"kubernetes forwarding conntrack rule\""           \
	" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n"                                 \
	"-A KUBE-NODE-PORT -m comment --comment \"Kubernetes health check node port\""            \
	" -m set --match-set KUBE-" v "HEALTH-CHECK-NODE-PORT dst -j ACCEPT\n"                    \
	"-A KUBE-SOURCE-RANGES-FIREWALL -j DROP\n"                                                \
	"-A KUBE-IPVS-FILTER -m set --match-set KUBE-" v "LOAD-BALANCER dst,dst -j RETURN\n"      \
	"-A KUBE-IPVS-FILTER -m set --match-set KUBE-" v "CLUSTER-IP dst,dst -j RETURN\n"         \
	"-A KUBE-IPVS-FILTER -m set --match-set KUBE-" v "EXTERNAL-IP dst,dst -j RETURN\n"        \
	"-A KUBE-IPVS-FILTER -m set --match-set KUBE-" v "EXTERNAL-IP-LOCAL dst,dst -j RETURN\n"  \
	"-A KUBE-IPVS-FILTER -m set --match-set KUBE-" v "HEALTH-CHECK-NODE-PORT dst -j RETURN\n" \
	"-A KUBE-IPVS-FILTER -m conntrack --ctstate NEW -m set --match-set KUBE-" v               \
	"IPVS-IPS dst -j REJECT\n"                                                                \
	"-I FORWARD -m comment --comment \"kubernetes forwarding rules\" -j KUBE-FORWARD\n"       \
	"-I INPUT -m comment --comment \"kubernetes health check rules\" -j KUBE-NODE-PORT\n"     \
	"-I INPUT -m comment --comment \"kube-proxy firewall rules\" -j KUBE-PROXY-FIREWALL\n"    \
	"-I FORWARD -m comment --comment \"kube-proxy firewall rules\" -j KUBE-PROXY-FIREWALL\n"  \
	"-I INPUT -m comment --comment \"kubernetes ipvs access filter\" -j KUBE-IPVS-FILTER\n"   \
	"-I OUTPUT -m comment --comment \"kubernetes ipvs access filter\""                        \
	" -j KUBE-IPVS-OUT-FILTER\n"                                                              \
	"COMMIT\n"
	static const char *const wanted[_ADDR_FAMILY_MAX] = {EMPTY("", "127.0.0.0/8"),
							     EMPTY("6-", "::1/128")};

	(void)state;
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		struct view v = make_view(make_settings(), NULL, 0);
		struct ipvs_state *s = make_state(&v, (enum addr_family)f, NULL);
		char *text = rules_text(s);

		assert_string_equal(text, wanted[f]);
		free(text);
		ipvs_state_unref(s);
		view_done(&v);
	}
}

/* The rules of one chain; "C" stands for the comment of the set that a rule looks into. */
static char *chain_text(const struct ipvs_state *s, enum rule_table table, const char *name)
{
	struct strbuf out = {0};

	for (size_t i = 0; i < s->n_chains; i++) {
		const struct chain *c = &s->chains[i].chain;

		if (s->chains[i].table != table || !streq(c->name, name))
			continue;
		for (size_t k = 0; k < c->rules.n; k++) {
			struct rule r = c->rules.items[k];

			assert_int_equal(r.port_index, RULE_NO_PORT);
			if (r.comment == COMMENT_SET) {
				assert_non_null(r.set->comment);
				strbuf_add(&out, "C ");
				r.comment = COMMENT_NONE;
			}
			rule_print(&r, NULL, &out);
			strbuf_add_char(&out, '\n');
		}
	}
	assert_int_equal(strbuf_error(&out), 0);
	return out.len ? strbuf_take(&out) : strdup("");
}

static void check_chain(const struct ipvs_state *s, enum rule_table table, const char *name,
			const char *wanted)
{
	char *got = chain_text(s, table, name);

	if (!streq(got, wanted))
		fail_msg("%s:\n%s\nwanted:\n%s", name, got, wanted);
	free(got);
}

/* spec/ipvs.md section 1.4: what is masqueraded on the way to cluster addresses. */
static void test_detection(void **state)
{
	static const struct {
		bool all;
		enum detect_local mode;
		const char *wanted_v4, *wanted_v6;
	} rows[] = {
		{false, DETECT_NONE, "src,dst", "src,dst"},
		{true, DETECT_NONE, "dst,dst", "dst,dst"},
		{false, DETECT_CLUSTER_CIDR, "dst,dst ! -s 10.1.0.0/16", "src,dst"},
		{true, DETECT_CLUSTER_CIDR, "dst,dst", "dst,dst"},
		{false, DETECT_NODE_CIDR, "dst,dst ! -s 10.1.3.1/32", "dst,dst ! -s fd00:1::/64"},
		{false, DETECT_BRIDGE_INTERFACE, "dst,dst ! -i br0", "dst,dst ! -i br0"},
		{false, DETECT_INTERFACE_NAME_PREFIX, "dst,dst ! -i veth+", "dst,dst ! -i veth+"},
		{true, DETECT_BRIDGE_INTERFACE, "dst,dst", "dst,dst"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *settings = make_settings();
		struct service *service;
		struct setup s;
		struct view v;

		settings->s.iptables_masquerade_all = rows[i].all;
		settings->s.detect_local = rows[i].mode;
		add_prefix(&settings->s.cluster_cidr, "10.1.0.0/16");
		add_prefix(&settings->s.node_cidr, "10.1.3.1/32");
		add_prefix(&settings->s.node_cidr, "fd00:1::/64");
		replace_text(&settings->s.bridge_interface, "br0");
		replace_text(&settings->s.interface_name_prefix, "veth");
		set_up(&s, "ns/a");
		service = make_from(&s, NULL, 0);
		v = make_view(settings, &service, 1);
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			struct ipvs_state *st = make_state(&v, (enum addr_family)f, NULL);
			const char *set = f == ADDR_IPV4 ? "KUBE-CLUSTER-IP" : "KUBE-6-CLUSTER-IP";
			char wanted[512];

			(void)snprintf(wanted, sizeof(wanted),
				       "-s %s -j RETURN\n"
				       "C -m set --match-set %s %s -j KUBE-MARK-MASQ\n"
				       "-m addrtype --dst-type LOCAL -j KUBE-NODE-PORT\n"
				       "-m set --match-set %s dst,dst -j ACCEPT\n",
				       f == ADDR_IPV4 ? "127.0.0.0/8" : "::1/128", set,
				       f == ADDR_IPV4 ? rows[i].wanted_v4 : rows[i].wanted_v6, set);
			check_chain(st, TABLE_NAT, "KUBE-SERVICES", wanted);
			ipvs_state_unref(st);
		}
		view_done(&v);
	}
}

/* A rule for each set that has something, in the order of the specification. */
static void test_all_sets(void **state)
{
	static const char *const addrs[] = {"192.0.2.10%eth0"};
	struct service *services[4];
	struct ipvs_state *st;
	struct setup s;
	struct view v;

	(void)state;
	for (int i = 0; i < 4; i++) {
		char key[16];

		(void)snprintf(key, sizeof(key), "ns/%d", i);
		set_up_external(&s, key);
		s.def.cluster_ips[ADDR_IPV4].bytes[3] = (uint8_t)(1 + i);
		s.external[0].bytes[3] = s.lb[0].ip.bytes[3] = (uint8_t)(1 + i);
		s.ports[0].protocol = i < 3 ? (enum svc_proto)i : SVC_TCP;
		s.ports[0].node_port = (uint16_t)(30080 + i);
		s.def.external_local = i < 3;
		s.ranges[s.def.n_source_ranges++] = make_prefix(i == 3 ? "192.0.2.0/24"
								       : "10.0.0.0/8");
		services[i] = make_from(&s, (const char *const[]){"10.1.0.1:80 r @node-1"}, 1);
	}
	v = make_view_at(make_settings(), services, 4, addrs, 1);
	st = make_state(&v, ADDR_IPV4, NULL);
	check_chain(st, TABLE_NAT, "KUBE-SERVICES",
		    "-s 127.0.0.0/8 -j RETURN\n"
		    "C -m set --match-set KUBE-LOAD-BALANCER dst,dst -j KUBE-LOAD-BALANCER\n"
		    "C -m set --match-set KUBE-CLUSTER-IP src,dst -j KUBE-MARK-MASQ\n"
		    "C -m set --match-set KUBE-EXTERNAL-IP dst,dst -j KUBE-MARK-MASQ\n"
		    "C -m set --match-set KUBE-EXTERNAL-IP dst,dst -m physdev ! --physdev-is-in "
		    "-m addrtype ! --src-type LOCAL -j ACCEPT\n"
		    "C -m set --match-set KUBE-EXTERNAL-IP dst,dst -m addrtype --dst-type LOCAL "
		    "-j ACCEPT\n"
		    "C -m set --match-set KUBE-EXTERNAL-IP-LOCAL dst,dst -m physdev ! "
		    "--physdev-is-in -m addrtype ! --src-type LOCAL -j ACCEPT\n"
		    "C -m set --match-set KUBE-EXTERNAL-IP-LOCAL dst,dst -m addrtype --dst-type "
		    "LOCAL -j ACCEPT\n"
		    "-m addrtype --dst-type LOCAL -j KUBE-NODE-PORT\n"
		    "-m set --match-set KUBE-CLUSTER-IP dst,dst -j ACCEPT\n"
		    "-m set --match-set KUBE-LOAD-BALANCER dst,dst -j ACCEPT\n");
	check_chain(st, TABLE_NAT, "KUBE-POSTROUTING",
		    "C -m set --match-set KUBE-LOOP-BACK dst,dst,src -j MASQUERADE\n"
		    "-m mark ! --mark 0x00004000/0x00004000 -j RETURN\n"
		    "-j MARK --xor-mark 0x00004000\n"
		    "-m comment --comment \"kubernetes service traffic requiring SNAT\" "
		    "-j MASQUERADE --random-fully\n");
	check_chain(
		st, TABLE_NAT, "KUBE-NODE-PORT",
		"C -p tcp -m set --match-set KUBE-NODE-PORT-LOCAL-TCP dst -j RETURN\n"
		"C -p tcp -m set --match-set KUBE-NODE-PORT-TCP dst -j KUBE-MARK-MASQ\n"
		"C -p udp -m set --match-set KUBE-NODE-PORT-LOCAL-UDP dst -j RETURN\n"
		"C -p udp -m set --match-set KUBE-NODE-PORT-UDP dst -j KUBE-MARK-MASQ\n"
		"C -p sctp -m set --match-set KUBE-NODE-PORT-LOCAL-SCTP-HASH dst,dst -j RETURN\n"
		"C -p sctp -m set --match-set KUBE-NODE-PORT-SCTP-HASH dst,dst -j "
		"KUBE-MARK-MASQ\n");
	check_chain(st, TABLE_NAT, "KUBE-LOAD-BALANCER",
		    "C -m set --match-set KUBE-LOAD-BALANCER-LOCAL dst,dst -j RETURN\n"
		    "-j KUBE-MARK-MASQ\n");
	check_chain(st, TABLE_FILTER, "KUBE-PROXY-FIREWALL",
		    "C -m set --match-set KUBE-LOAD-BALANCER-FW dst,dst -j "
		    "KUBE-SOURCE-RANGES-FIREWALL\n");
	check_chain(st, TABLE_FILTER, "KUBE-SOURCE-RANGES-FIREWALL",
		    "C -m set --match-set KUBE-LOAD-BALANCER-SOURCE-CIDR dst,dst,src -j RETURN\n"
		    "C -m set --match-set KUBE-LOAD-BALANCER-SOURCE-IP dst,dst,src -j RETURN\n"
		    "-j DROP\n");
	check_chain(st, TABLE_FILTER, "KUBE-IPVS-OUT-FILTER",
		    "-s 203.0.113.1 -m ipvs --vaddr 203.0.113.1 --vproto tcp --vport 80 -j DROP\n"
		    "-s 203.0.113.2 -m ipvs --vaddr 203.0.113.2 --vproto udp --vport 80 -j DROP\n"
		    "-s 203.0.113.3 -m ipvs --vaddr 203.0.113.3 --vproto sctp --vport 80 -j "
		    "DROP\n");
	ipvs_state_unref(st);
	view_done(&v);
}

static void test_mark(void **state)
{
	struct shared_settings *settings = make_settings();
	struct ipvs_state *st;
	struct view v;

	(void)state;
	settings->s.iptables_masquerade_bit = 31;
	v = make_view(settings, NULL, 0);
	st = make_state(&v, ADDR_IPV6, NULL);
	check_chain(st, TABLE_NAT, "KUBE-MARK-MASQ", "-j MARK --or-mark 0x80000000\n");
	ipvs_state_unref(st);
	view_done(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_detection),
		cmocka_unit_test(test_all_sets),
		cmocka_unit_test(test_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
