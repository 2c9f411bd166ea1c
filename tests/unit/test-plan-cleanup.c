/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/iptables-plan.h"
#include "backend/ipvs-plan-rules.h"
#include "backend/plan-jumps.h"

/* Both modes at once, and something of others. */
static char *make_save(void)
{
	struct strbuf b = {0};

	for (int t = 0; t < _TABLE_MAX; t++) {
		strbuf_addf(&b, "*%s\n", rule_table_text((enum rule_table)t));
		strbuf_add(&b, t == TABLE_NAT
				       ? ":KUBE-SERVICES - [0:0]\n:KUBE-POSTROUTING - [0:0]\n"
					 ":KUBE-MARK-MASQ - [0:0]\n:KUBE-NODEPORTS - [0:0]\n"
					 ":KUBE-NODE-PORT - [0:0]\n:KUBE-LOAD-BALANCER - [0:0]\n"
					 ":KUBE-SVC-AAAAAAAAAAAAAAAA - [0:0]\n:KUBE-MINE - [0:0]\n"
				       : ":KUBE-SERVICES - [0:0]\n:KUBE-FORWARD - [0:0]\n"
					 ":KUBE-EXTERNAL-SERVICES - [0:0]\n:KUBE-FIREWALL - [0:0]\n"
					 ":KUBE-PROXY-FIREWALL - [0:0]\n:KUBE-NODEPORTS - [0:0]\n"
					 ":KUBE-NODE-PORT - [0:0]\n:KUBE-IPVS-FILTER - [0:0]\n"
					 ":KUBE-SOURCE-RANGES-FIREWALL - [0:0]\n"
					 ":KUBE-IPVS-OUT-FILTER - [0:0]\n");
		for (size_t i = 0; i < n_ruleset_jumps; i++)
			if ((int)ruleset_jumps[i].table == t)
				strbuf_addf(&b, "%s\n", ruleset_jumps[i].saved);
		for (size_t i = 0; i < n_ipvs_jumps; i++) {
			struct strbuf saved = {0};

			ipvs_jump_print_saved(&ipvs_jumps[i], &saved);
			/* what both modes have stands there once */
			if ((int)ipvs_jumps[i].table == t && !strstr(b.data, saved.data))
				strbuf_addf(&b, "%s\n", strbuf_text(&saved));
			strbuf_done(&saved);
		}
		strbuf_add(&b, "-A INPUT -p 99 -j ACCEPT\nCOMMIT\n");
	}
	return strbuf_take(&b);
}

static void count_jumps(const struct iptables_seen *seen, enum seen_table t, unsigned modes,
			size_t wanted)
{
	size_t n = 0;

	for (size_t i = 0; i < seen->tables[t].jumps.n; i++)
		n += plan_jump_modes(t, seen->tables[t].jumps.items[i].text) == modes;
	assert_int_equal(n, wanted);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text ? strstr(text, what) : NULL; p; p = strstr(p + 1, what))
		n++;
	return n;
}

#define IPTABLES (1u << MODE_IPTABLES)
#define IPVS (1u << MODE_IPVS)

static void test_modes(void **state)
{
	static const struct {
		enum seen_table table;
		const char *name;
		unsigned modes;
	} rows[] = {
		{SEEN_NAT, "KUBE-SERVICES", IPTABLES | IPVS},
		{SEEN_NAT, "KUBE-POSTROUTING", IPTABLES | IPVS},
		{SEEN_NAT, "KUBE-MARK-MASQ", IPTABLES | IPVS},
		{SEEN_NAT, "KUBE-NODE-PORT", IPVS},
		{SEEN_NAT, "KUBE-LOAD-BALANCER", IPVS},
		{SEEN_NAT, "KUBE-NODEPORTS", IPTABLES},
		{SEEN_NAT, "KUBE-SEP-AAAAAAAAAAAAAAAA", IPTABLES},
		{SEEN_NAT, "KUBE-IPVS-FILTER", 0},
		{SEEN_FILTER, "KUBE-FORWARD", IPTABLES | IPVS},
		{SEEN_FILTER, "KUBE-PROXY-FIREWALL", IPTABLES | IPVS},
		{SEEN_FILTER, "KUBE-SERVICES", IPTABLES},
		{SEEN_FILTER, "KUBE-FIREWALL", IPTABLES},
		{SEEN_FILTER, "KUBE-NODE-PORT", IPVS},
		{SEEN_FILTER, "KUBE-IPVS-FILTER", IPVS},
		{SEEN_FILTER, "KUBE-IPVS-OUT-FILTER", IPVS},
		{SEEN_FILTER, "KUBE-SOURCE-RANGES-FIREWALL", IPVS},
		{SEEN_FILTER, "KUBE-LOAD-BALANCER", 0},
		{SEEN_MANGLE, "KUBE-PROXY-CANARY", IPTABLES},
		{SEEN_MANGLE, "KUBE-SERVICES", 0},
		{SEEN_NAT, "KUBE-MINE", 0},
		{SEEN_NAT, "", 0},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		if (plan_chain_modes(rows[i].table, rows[i].name) != rows[i].modes)
			fail_msg("%s: %u", rows[i].name,
				 plan_chain_modes(rows[i].table, rows[i].name));
}

static void test_remains(void **state)
{
	struct iptables_seen seen = {0};
	struct cleanup_plan plan;
	char *save = make_save();

	(void)state;
	assert_non_null(save);
	assert_int_equal(iptables_seen_read(save, strlen(save), &seen), 0);
	count_jumps(&seen, SEEN_NAT, IPTABLES | IPVS, 3);
	count_jumps(&seen, SEEN_NAT, IPTABLES, 0);
	count_jumps(&seen, SEEN_FILTER, IPTABLES | IPVS, 1);
	count_jumps(&seen, SEEN_FILTER, IPTABLES, 10);
	count_jumps(&seen, SEEN_FILTER, IPVS, 5);

	/* what iptables mode alone has */
	memset(&plan, 0xa5, sizeof(plan));
	assert_int_equal(iptables_plan_remains(&seen, MODE_IPVS, &plan), 0);
	assert_string_equal(plan.texts[0], "*nat\n"
					   ":KUBE-NODEPORTS - [0:0]\n"
					   ":KUBE-SVC-AAAAAAAAAAAAAAAA - [0:0]\n"
					   "-X KUBE-NODEPORTS\n"
					   "-X KUBE-SVC-AAAAAAAAAAAAAAAA\n"
					   "COMMIT\n");
	assert_int_equal(count(plan.texts[1], "-D "), 10);
	assert_int_equal(count(plan.texts[1], "-X "), 4);
	assert_int_equal(count(plan.texts[1], "-X KUBE-FIREWALL"), 1);
	assert_int_equal(count(plan.texts[1], "IPVS"), 0);
	assert_int_equal(count(plan.texts[1], "KUBE-FORWARD"), 0);
	assert_null(plan.texts[2]);
	assert_int_equal(plan.kept.n, 0);
	cleanup_plan_done(&plan);

	/* what ipvs mode alone has */
	assert_int_equal(iptables_plan_remains(&seen, MODE_IPTABLES, &plan), 0);
	assert_string_equal(plan.texts[0], "*nat\n"
					   ":KUBE-LOAD-BALANCER - [0:0]\n"
					   ":KUBE-NODE-PORT - [0:0]\n"
					   "-X KUBE-LOAD-BALANCER\n"
					   "-X KUBE-NODE-PORT\n"
					   "COMMIT\n");
	assert_int_equal(count(plan.texts[1], "-D "), 5);
	assert_int_equal(count(plan.texts[1], "-X "), 4);
	assert_int_equal(count(plan.texts[1], "KUBE-FIREWALL"), 0);
	assert_int_equal(plan.kept.n, 0);
	cleanup_plan_done(&plan);

	/* all */
	assert_int_equal(iptables_plan_cleanup(&seen, ADDR_IPV4, &plan), 0);
	assert_int_equal(count(plan.texts[0], "-D "), 3);
	assert_int_equal(count(plan.texts[0], "-X "), 7);
	assert_int_equal(count(plan.texts[1], "-D "), 16);
	assert_int_equal(count(plan.texts[1], "-X "), 10);
	assert_int_equal(count(plan.texts[0], "KUBE-MINE"), 0);
	cleanup_plan_done(&plan);
	iptables_seen_done(&seen);
	free(save);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_remains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
