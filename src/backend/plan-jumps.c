/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/plan-jumps.h"

#include <errno.h>

#include "backend/ipvs-plan-rules.h"

const char plan_firewall_rule[] = "-A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment "
				  "--comment \"block incoming localnet connections\" "
				  "-m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP";

enum seen_table plan_seen_table(enum rule_table t)
{
	return t == TABLE_FILTER ? SEEN_FILTER : SEEN_NAT;
}

int plan_jump_find(enum seen_table t, const char *text)
{
	for (size_t i = 0; i < n_ruleset_jumps; i++)
		if (plan_seen_table(ruleset_jumps[i].table) == t &&
		    streq(text, ruleset_jumps[i].saved))
			return (int)i;
	return -ENOENT;
}

unsigned plan_jump_modes(enum seen_table t, const char *text)
{
	unsigned modes = plan_jump_find(t, text) >= 0 ? 1u << MODE_IPTABLES : 0;
	_cleanup_strbuf_ struct strbuf saved = {0};

	for (size_t i = 0; i < n_ipvs_jumps; i++) {
		if (plan_seen_table(ipvs_jumps[i].table) != t)
			continue;
		strbuf_reset(&saved);
		ipvs_jump_print_saved(&ipvs_jumps[i], &saved);
		if (streq(text, strbuf_text(&saved)))
			modes |= 1u << MODE_IPVS;
	}
	return modes;
}

unsigned plan_chain_modes(enum seen_table t, const char *name)
{
	static const char *const filter[] = {"KUBE-FORWARD",	    "KUBE-NODE-PORT",
					     "KUBE-PROXY-FIREWALL", "KUBE-SOURCE-RANGES-FIREWALL",
					     "KUBE-IPVS-FILTER",    "KUBE-IPVS-OUT-FILTER"};
	static const char *const nat[] = {"KUBE-SERVICES", "KUBE-POSTROUTING", "KUBE-NODE-PORT",
					  "KUBE-LOAD-BALANCER", "KUBE-MARK-MASQ"};
	/* Of these, the ones that are ipvs mode's alone. */
	static const char *const alone[] = {"KUBE-NODE-PORT", "KUBE-LOAD-BALANCER",
					    "KUBE-SOURCE-RANGES-FIREWALL", "KUBE-IPVS-FILTER",
					    "KUBE-IPVS-OUT-FILTER"};
	const char *const *list = t == SEEN_FILTER ? filter : nat;
	size_t n = t == SEEN_FILTER ? ELEMENTSOF(filter) : t == SEEN_NAT ? ELEMENTSOF(nat) : 0;
	unsigned modes = 1u << MODE_IPTABLES;

	if (!iptables_chain_is_ours(t, name))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (streq(list[i], name))
			modes |= 1u << MODE_IPVS;
	for (size_t i = 0; i < ELEMENTSOF(alone); i++)
		if (streq(alone[i], name))
			modes &= ~(1u << MODE_IPTABLES);
	return modes;
}

/* How often a jump is there; the position of its first copy in *ret_first. */
static size_t count_copies(const struct iptables_seen *seen, const struct jump *jump,
			   size_t *ret_first)
{
	const struct seen_rules *jumps = &seen->tables[plan_seen_table(jump->table)].jumps;
	size_t n = 0;

	for (size_t i = 0; i < jumps->n; i++)
		if (streq(jumps->items[i].text, jump->saved) && n++ == 0)
			*ret_first = jumps->items[i].position;
	return n;
}

static void print_line(const struct jump *jump, const char *command, size_t position,
		       struct strbuf *out)
{
	strbuf_add(out, command);
	strbuf_add(out, jump->chain);
	if (position > 0) {
		strbuf_add_char(out, ' ');
		strbuf_add_u64(out, position);
	}
	strbuf_add_char(out, ' ');
	rule_print(&jump->rule, NULL, out);
	strbuf_add_char(out, '\n');
}

/* How many rules of chain before position the lines already printed took away: extra copies of
 * earlier jumps. */
static size_t taken_before(const struct iptables_seen *seen, const struct jump *jump,
			   size_t position)
{
	const struct seen_rules *jumps = &seen->tables[plan_seen_table(jump->table)].jumps;
	size_t taken = 0;

	for (const struct jump *j = ruleset_jumps; j < jump; j++) {
		size_t n = 0;

		if (j->table != jump->table || !streq(j->chain, jump->chain))
			continue;
		for (size_t i = 0; i < jumps->n; i++)
			if (streq(jumps->items[i].text, j->saved) && n++ > 0 &&
			    jumps->items[i].position < position)
				taken++;
	}
	return taken;
}

void plan_jumps_print(const struct iptables_seen *seen, enum rule_table t, struct strbuf *out,
		      size_t *n_rules)
{
	/*
	 * Copies first, while positions are those of the save. All copies go by their text and one
	 * comes back where the first was: to delete by position could hit a rule that someone else
	 * inserted since the save.
	 */
	for (size_t i = 0; i < n_ruleset_jumps; i++) {
		const struct jump *jump = &ruleset_jumps[i];
		size_t first = 0, n = jump->table == t ? count_copies(seen, jump, &first) : 0;

		if (n < 2)
			continue;
		for (size_t k = 0; k < n; k++)
			print_line(jump, "-D ", 0, out);
		print_line(jump, "-I ", first - taken_before(seen, jump, first), out);
		(*n_rules)++;
	}
	for (size_t i = 0; i < n_ruleset_jumps; i++) {
		const struct jump *jump = &ruleset_jumps[i];
		size_t first;

		if (jump->table != t || count_copies(seen, jump, &first) > 0)
			continue;
		print_line(jump, "-I ", 0, out);
		(*n_rules)++;
	}
}

bool plan_firewall_is_ours(const struct iptables_seen *seen)
{
	for (int t = 0; t < _SEEN_TABLE_MAX; t++)
		if (iptables_seen_chain(seen, (enum seen_table)t, "KUBE-KUBELET-CANARY") ||
		    iptables_seen_chain(seen, (enum seen_table)t, "KUBE-IPTABLES-HINT"))
			return false;
	for (size_t i = 0; i < seen->firewall.n; i++)
		if (!streq(seen->firewall.items[i].text, plan_firewall_rule))
			return false;
	return true;
}

static const char *find_reference(const struct seen_rules *rules, enum seen_table t,
				  const char *chain)
{
	for (size_t i = 0; i < rules->n; i++) {
		char target[CHAIN_NAME_MAX];

		if (iptables_rule_target(rules->items[i].text, target, sizeof(target)) &&
		    streq(target, chain) && plan_jump_modes(t, rules->items[i].text) == 0)
			return rules->items[i].text;
	}
	return NULL;
}

const char *plan_foreign_reference(const struct iptables_seen *seen, enum seen_table t,
				   const char *chain)
{
	const struct seen_table_content *table = &seen->tables[t];
	const char *rule = find_reference(&table->jumps, t, chain);

	return rule ? rule : find_reference(&table->references, t, chain);
}
