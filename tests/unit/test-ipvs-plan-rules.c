/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-plan-rules.h"
#include "make-ipvs.h"
#include "rules/rule-saved.h"

/* A load balancer, or two: with source ranges, which make the rules that restrict. */
static struct ipvs_state *state_with(const char *const *ranges, size_t n)
{
	struct service *services[3];
	struct ipvs_state *s;
	struct view v;

	for (size_t i = 0; i < n; i++) {
		struct setup u;
		char key[32];

		(void)snprintf(key, sizeof(key), "ns/%zu", i);
		set_up_external(&u, key);
		u.ports[0].node_port = 0;
		u.def.n_external_ips = 0;
		u.def.cluster_ips[ADDR_IPV4].bytes[3] = (uint8_t)(1 + i);
		u.lb[0].ip.bytes[3] = (uint8_t)(1 + i);
		if (ranges[i])
			assert_int_equal(
				addr_prefix_parse(ranges[i], &u.ranges[u.def.n_source_ranges++]),
				ADDR_OK);
		services[i] = make_from(&u, (const char *const[]){"10.1.0.1:80 r"}, 1);
	}
	v = make_view(make_settings(), services, n);
	s = make_state(&v, ADDR_IPV4, NULL);
	view_done(&v);
	return s;
}

#define STATE(...)                                     \
	state_with((const char *const[]){__VA_ARGS__}, \
		   ELEMENTSOF(((const char *const[]){__VA_ARGS__})))

/* What iptables-save shows when the state is loaded; skip: number of a jump that is not there. */
static void print_save(const struct ipvs_state *s, size_t skip, struct strbuf *out)
{
	for (int t = 0; t < _TABLE_MAX; t++) {
		strbuf_addf(out, "*%s\n:INPUT ACCEPT [1:2]\n", rule_table_text((enum rule_table)t));
		for (size_t i = 0; i < s->n_chains; i++)
			if ((int)s->chains[i].table == t)
				strbuf_addf(out, ":%s - [0:0]\n", s->chains[i].chain.name);
		for (size_t i = 0; i < n_ipvs_jumps; i++)
			if ((int)ipvs_jumps[i].table == t && i != skip) {
				ipvs_jump_print_saved(&ipvs_jumps[i], out);
				strbuf_add_char(out, '\n');
			}
		for (size_t i = 0; i < s->n_chains; i++) {
			const struct chain *c = &s->chains[i].chain;

			for (size_t k = 0; (int)s->chains[i].table == t && k < c->rules.n; k++) {
				strbuf_addf(out, "-A %s ", c->name);
				rule_print_saved(&c->rules.items[k], NULL, s->family, out);
				strbuf_add_char(out, '\n');
			}
		}
		strbuf_add(out, "COMMIT\n");
	}
}

static void see(const struct ipvs_state *s, size_t skip, struct iptables_seen *ret)
{
	struct strbuf text = {0};

	memset(ret, 0, sizeof(*ret));
	if (s)
		print_save(s, skip, &text);
	assert_int_equal(strbuf_error(&text), 0);
	assert_int_equal(iptables_seen_read(strbuf_text(&text), text.len, ret), 0);
	strbuf_done(&text);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text ? strstr(text, what) : NULL; p; p = strstr(p + 1, what))
		n++;
	return n;
}

static void check_text(const char *got, const char *wanted)
{
	if (!got != !wanted || (got && !streq(got, wanted)))
		fail_msg("'%s'\nwanted '%s'", got ? got : "nothing", wanted ? wanted : "nothing");
}

static void make_plan(const struct ipvs_state *old, const struct ipvs_state *wanted,
		      const struct iptables_seen *seen, struct ipvs_rules_plan *ret)
{
	memset(ret, 0xa5, sizeof(*ret));
	assert_int_equal(ipvs_plan_rules(old, wanted, seen, ret), 0);
}

/* On an empty host all is written, as `render` prints it. */
static void test_fresh(void **state)
{
	struct ipvs_state *s = STATE("192.0.2.0/24");
	struct strbuf all = {0}, both = {0};
	struct ipvs_rules_plan plan;
	struct iptables_seen seen;

	(void)state;
	see(NULL, SIZE_MAX, &seen);
	make_plan(NULL, s, &seen, &plan);
	assert_null(plan.late);
	assert_int_equal(plan.n_chains, 11);
	strbuf_addf(&both, "%s%s", plan.early[TABLE_NAT], plan.early[TABLE_FILTER]);
	ipvs_print_rules(s, &all);
	check_text(strbuf_text(&both), strbuf_text(&all));
	strbuf_done(&all);
	strbuf_done(&both);
	ipvs_rules_plan_done(&plan);
	iptables_seen_done(&seen);
	ipvs_state_unref(s);
}

static void test_there(void **state)
{
	struct ipvs_state *s = STATE("192.0.2.0/24", NULL);
	struct ipvs_rules_plan plan;
	struct iptables_seen seen;

	(void)state;
	see(s, SIZE_MAX, &seen);
	make_plan(NULL, s, &seen, &plan);
	check_text(plan.early[TABLE_NAT], NULL);
	check_text(plan.early[TABLE_FILTER], NULL);
	check_text(plan.late, NULL);
	assert_int_equal(plan.n_chains + plan.n_rules, 0);
	ipvs_rules_plan_done(&plan);
	iptables_seen_done(&seen);
	/* by the account, too */
	make_plan(s, s, NULL, &plan);
	assert_int_equal(plan.n_chains + plan.n_rules, 0);
	assert_false(ipvs_rules_differ(s, s));
	ipvs_rules_plan_done(&plan);
	ipvs_state_unref(s);
}

/* A jump that is missing comes to the top; the others stay where they are. */
static void test_jump(void **state)
{
	struct ipvs_state *s = STATE(NULL);

	(void)state;
	for (size_t i = 0; i < n_ipvs_jumps; i++) {
		const struct ipvs_jump *jump = &ipvs_jumps[i];
		struct ipvs_rules_plan plan;
		struct iptables_seen seen;
		struct strbuf wanted = {0};

		see(s, i, &seen);
		make_plan(NULL, s, &seen, &plan);
		strbuf_addf(&wanted, "*%s\n-I %s -m comment --comment \"%s\" -j %s\nCOMMIT\n",
			    rule_table_text(jump->table), jump->chain, jump->comment, jump->target);
		check_text(plan.early[jump->table], strbuf_text(&wanted));
		check_text(plan.early[1 - jump->table], NULL);
		strbuf_done(&wanted);
		ipvs_rules_plan_done(&plan);
		iptables_seen_done(&seen);
	}
	ipvs_state_unref(s);
}

/* From one state to another, once by the account and once by what is seen. */
static void check_change(struct ipvs_state *old, struct ipvs_state *wanted, const char *nat,
			 const char *early, const char *late)
{
	for (int by_account = 0; by_account < 2; by_account++) {
		struct ipvs_rules_plan plan;
		struct iptables_seen seen;

		see(old, SIZE_MAX, &seen);
		make_plan(by_account ? old : NULL, wanted, by_account ? NULL : &seen, &plan);
		if (nat)
			check_text(plan.early[TABLE_NAT], streq(nat, "") ? NULL : nat);
		check_text(plan.early[TABLE_FILTER], early);
		check_text(plan.late, late);
		ipvs_rules_plan_done(&plan);
		iptables_seen_done(&seen);
	}
	assert_true(ipvs_rules_differ(old, wanted));
	ipvs_state_unref(old);
	ipvs_state_unref(wanted);
}

#define FIREWALL_RULE                                                                        \
	"-A KUBE-PROXY-FIREWALL -m comment --comment \"Kubernetes service load balancer ip " \
	"+ port for load balancer with sourceRange\" -m set --match-set "                    \
	"KUBE-LOAD-BALANCER-FW dst,dst -j KUBE-SOURCE-RANGES-FIREWALL\n"
#define CIDR_COMMENT                                                                          \
	"KUBE-SOURCE-RANGES-FIREWALL -m comment --comment \"Kubernetes service load balancer" \
	" ip + port + source cidr for packet filter purpose\" -m set --match-set "            \
	"KUBE-LOAD-BALANCER-SOURCE-CIDR dst,dst,src -j RETURN\n"
#define IP_COMMENT                                                                            \
	"KUBE-SOURCE-RANGES-FIREWALL -m comment --comment \"Kubernetes service load balancer" \
	" ip + port + source IP for packet filter purpose\" -m set --match-set "              \
	"KUBE-LOAD-BALANCER-SOURCE-IP dst,dst,src -j RETURN\n"
#define DROP_RULE "-A KUBE-SOURCE-RANGES-FIREWALL -j DROP\n"
#define OUT_RULE(ip)                                                                           \
	"-A KUBE-IPVS-OUT-FILTER -s " ip " -m ipvs --vaddr " ip " --vproto tcp --vport 80 -j " \
	"DROP\n"

/* What restricts comes before its virtual server does. */
static void test_restriction_comes(void **state)
{
	(void)state;
	/* the node's own address is in the range: no rule for what this host sends */
	check_change(STATE(NULL), STATE("192.0.2.0/24"), "",
		     "*filter\n"
		     ":KUBE-PROXY-FIREWALL - [0:0]\n"
		     ":KUBE-SOURCE-RANGES-FIREWALL - [0:0]\n" FIREWALL_RULE "-A " CIDR_COMMENT
		     "-A " IP_COMMENT DROP_RULE "COMMIT\n",
		     NULL);
}

/* And it goes after the server has gone. */
static void test_restriction_goes(void **state)
{
	(void)state;
	check_change(STATE("192.0.2.0/24"), STATE(NULL), "", NULL,
		     "*filter\n"
		     ":KUBE-PROXY-FIREWALL - [0:0]\n"
		     ":KUBE-SOURCE-RANGES-FIREWALL - [0:0]\n" DROP_RULE "COMMIT\n");
}

/* One comes, one goes: first both are there, and those let through before stay let through. */
static void test_restriction_changes(void **state)
{
	struct ipvs_state *old = STATE("192.0.2.0/24", "198.51.100.0/24"),
			  *new = STATE("198.51.100.0/24", "203.0.113.0/24");
	struct ipvs_rules_plan plan;
	struct iptables_seen seen;

	(void)state;
	see(old, SIZE_MAX, &seen);
	for (int by_account = 0; by_account < 2; by_account++) {
		make_plan(by_account ? old : NULL, new, by_account ? NULL : &seen, &plan);
		/* nothing is taken out of a chain yet */
		assert_int_equal(count(plan.early[TABLE_FILTER], ":KUBE-IPVS-OUT-FILTER"),
				 by_account ? 1 : 0);
		assert_int_equal(count(plan.early[TABLE_FILTER], ":KUBE-SOURCE-RANGES"), 0);
		assert_int_equal(count(plan.early[TABLE_FILTER], "-A KUBE-IPVS-OUT-FILTER"), 2);
		assert_int_equal(count(plan.early[TABLE_FILTER], "-I " CIDR_COMMENT), 1);
		assert_int_equal(count(plan.early[TABLE_FILTER], "DROP"), 2);
		assert_int_equal(count(plan.late, "-A " CIDR_COMMENT DROP_RULE), 1);
		assert_int_equal(count(plan.late, IP_COMMENT), 0);
		assert_int_equal(count(plan.late, "-A KUBE-IPVS-OUT-FILTER"), by_account ? 0 : 2);
		ipvs_rules_plan_done(&plan);
	}
	iptables_seen_done(&seen);
	ipvs_state_unref(old);
	ipvs_state_unref(new);

	/* the first is let through for this host, the second not any more: rules for both */
	check_change(STATE("192.0.2.0/24", "198.51.100.0/24"),
		     STATE("198.51.100.0/24", "192.0.2.0/24"), "",
		     "*filter\n" OUT_RULE("203.0.113.1") "COMMIT\n",
		     "*filter\n:KUBE-IPVS-OUT-FILTER - [0:0]\n" OUT_RULE("203.0.113.1") "COMMIT\n");
}

/* A chain that somebody emptied. */
static void test_emptied(void **state)
{
	struct ipvs_state *s = STATE("192.0.2.0/24");
	struct strbuf text = {0};
	struct ipvs_rules_plan plan;
	struct iptables_seen seen = {0};
	char *at;

	(void)state;
	print_save(s, SIZE_MAX, &text);
	at = strstr(text.data, FIREWALL_RULE);
	assert_non_null(at);
	memmove(at, at + strlen(FIREWALL_RULE), strlen(at + strlen(FIREWALL_RULE)) + 1);
	assert_int_equal(iptables_seen_read(text.data, strlen(text.data), &seen), 0);
	make_plan(NULL, s, &seen, &plan);
	check_text(plan.early[TABLE_NAT], NULL);
	check_text(plan.early[TABLE_FILTER],
		   "*filter\n:KUBE-PROXY-FIREWALL - [0:0]\n" FIREWALL_RULE "COMMIT\n");
	check_text(plan.late, NULL);
	ipvs_rules_plan_done(&plan);
	iptables_seen_done(&seen);
	strbuf_done(&text);
	ipvs_state_unref(s);
}

static void test_switching(void **state)
{
	static const struct {
		const char *save;
		bool switching;
	} rows[] = {
		{"", false},
		{"*nat\n:KUBE-SERVICES - [0:0]\n:KUBE-NODE-PORT - [0:0]\nCOMMIT\n", false},
		{"*nat\n:KUBE-SVC-AAAAAAAAAAAAAAAA - [0:0]\nCOMMIT\n", true},
		{"*filter\n:KUBE-SVC-AAAAAAAAAAAAAAAA - [0:0]\nCOMMIT\n", false},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct iptables_seen seen = {0};

		assert_int_equal(iptables_seen_read(rows[i].save, strlen(rows[i].save), &seen), 0);
		assert_int_equal(ipvs_rules_switching(&seen), rows[i].switching);
		iptables_seen_done(&seen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fresh),
		cmocka_unit_test(test_there),
		cmocka_unit_test(test_jump),
		cmocka_unit_test(test_restriction_comes),
		cmocka_unit_test(test_restriction_goes),
		cmocka_unit_test(test_restriction_changes),
		cmocka_unit_test(test_emptied),
		cmocka_unit_test(test_switching),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
