/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-plan-rules.h"

#include <errno.h>

#include "backend/plan-content.h"
#include "backend/plan-jumps.h"
#include "rules/ruleset.h"

struct job {
	const struct ipvs_state *old, *wanted;
	const struct iptables_seen *seen;
	struct ipvs_rules_plan *plan;
};

void ipvs_rules_plan_done(struct ipvs_rules_plan *p)
{
	for (size_t i = 0; i < ELEMENTSOF(p->early); i++)
		free(p->early[i]);
	free(p->late);
	*p = (struct ipvs_rules_plan){0};
}

/* How a chain is extended without losing what it has; the others are replaced at once. */
enum growth {
	GROWTH_NONE,
	GROWTH_APPEND, /* all its rules restrict */
	GROWTH_INSERT, /* its last rule restricts, those before it let through */
};

static enum growth growth_of(const struct ipvs_chain *c)
{
	if (c->table != TABLE_FILTER)
		return GROWTH_NONE;
	if (streq(c->chain.name, "KUBE-PROXY-FIREWALL") ||
	    streq(c->chain.name, "KUBE-IPVS-OUT-FILTER"))
		return GROWTH_APPEND;
	return streq(c->chain.name, "KUBE-SOURCE-RANGES-FIREWALL") ? GROWTH_INSERT : GROWTH_NONE;
}

/* In this order: both lists are sorted alike. */
static bool has_all_rules(const struct rule_list *l, const struct rule_list *were)
{
	size_t k = 0;

	for (size_t i = 0; i < l->n && k < were->n; i++)
		k += rule_equal(&l->items[i], NULL, &were->items[k], NULL);
	return k == were->n;
}

/* Whether replacing the chain takes any rule away. */
static bool loses(const struct job *j, size_t i)
{
	const struct ipvs_chain *c = &j->wanted->chains[i];
	const struct seen_table_content *t;
	size_t at;

	if (j->old)
		return !has_all_rules(&c->chain.rules, &j->old->chains[i].chain.rules);
	/* What the rules are is not known, only how many. */
	t = &j->seen->tables[plan_seen_table(c->table)];
	at = t->chains ? (size_t)(uintptr_t)map_get(t->chains, c->chain.name) : 0;
	return at && t->contents[at - 1].n_rules > (growth_of(c) == GROWTH_INSERT ? 1 : 0);
}

static int is_there(const struct job *j, size_t i, bool *ret)
{
	const struct ipvs_chain *c = &j->wanted->chains[i];

	if (j->old) {
		*ret = rule_lists_equal(&j->old->chains[i].chain.rules, NULL, &c->chain.rules,
					NULL);
		return 0;
	}
	return plan_content_there(j->seen, plan_seen_table(c->table), &c->chain, NULL,
				  j->wanted->family, ret);
}

static void print_rule(const char *command, const struct chain *c, size_t k, struct strbuf *out)
{
	strbuf_add(out, command);
	strbuf_add(out, c->name);
	strbuf_add_char(out, ' ');
	rule_print(&c->rules.items[k], NULL, out);
	strbuf_add_char(out, '\n');
}

static void print_whole(const struct chain *c, struct strbuf *heads, struct strbuf *rules)
{
	strbuf_addf(heads, ":%s - [0:0]\n", c->name);
	for (size_t k = 0; k < c->rules.n; k++)
		print_rule("-A ", c, k, rules);
}

static void print_grown(const struct ipvs_chain *c, enum growth growth, struct strbuf *rules)
{
	const struct chain *chain = &c->chain;

	if (growth == GROWTH_APPEND)
		for (size_t k = 0; k < chain->rules.n; k++)
			print_rule("-A ", chain, k, rules);
	else
		for (size_t k = chain->rules.n; k-- > 0;)
			if (chain->rules.items[k].target == TARGET_RETURN)
				print_rule("-I ", chain, k, rules);
}

void ipvs_jump_print_saved(const struct ipvs_jump *j, struct strbuf *out)
{
	strbuf_addf(out, "-A %s -m comment --comment \"%s\" -j %s", j->chain, j->comment,
		    j->target);
}

static bool jump_there(const struct iptables_seen *seen, const struct ipvs_jump *j,
		       struct strbuf *text)
{
	const struct seen_rules *jumps = &seen->tables[plan_seen_table(j->table)].jumps;

	strbuf_reset(text);
	ipvs_jump_print_saved(j, text);
	for (size_t i = 0; i < jumps->n; i++)
		if (streq(jumps->items[i].text, strbuf_text(text)))
			return true;
	return false;
}

/* Missing ones come to the top, each above the one before; one that is there stays where it is. */
static int print_jumps(const struct job *j, enum rule_table table, struct strbuf *rules)
{
	_cleanup_strbuf_ struct strbuf text = {0};

	for (size_t i = 0; !j->old && i < n_ipvs_jumps; i++) {
		const struct ipvs_jump *jump = &ipvs_jumps[i];

		if (jump->table != table || jump_there(j->seen, jump, &text))
			continue;
		strbuf_addf(rules, "-I %s -m comment --comment \"%s\" -j %s\n", jump->chain,
			    jump->comment, jump->target);
		j->plan->n_rules++;
	}
	return strbuf_error(&text);
}

static int finish(enum rule_table table, struct strbuf *heads, struct strbuf *rules, char **ret)
{
	_cleanup_strbuf_ struct strbuf all = {0};

	if (strbuf_error(heads) < 0 || strbuf_error(rules) < 0)
		return -ENOMEM;
	if (heads->len + rules->len == 0)
		return 0;
	strbuf_addf(&all, "*%s\n", rule_table_text(table));
	strbuf_add(&all, strbuf_text(heads));
	strbuf_add(&all, strbuf_text(rules));
	strbuf_add(&all, "COMMIT\n");
	*ret = strbuf_take(&all);
	return *ret ? 0 : -ENOMEM;
}

static int plan_table(const struct job *j, enum rule_table table)
{
	_cleanup_strbuf_ struct strbuf heads = {0}, rules = {0}, late_heads = {0}, late_rules = {0};
	struct ipvs_rules_plan *plan = j->plan;
	int r = 0;

	for (size_t i = 0; r == 0 && i < j->wanted->n_chains; i++) {
		const struct ipvs_chain *c = &j->wanted->chains[i];
		enum growth growth = growth_of(c);
		bool there = false;

		if (c->table != table)
			continue;
		r = is_there(j, i, &there);
		if (r < 0 || there)
			continue;
		plan->n_chains++;
		plan->n_rules += c->chain.rules.n;
		if (growth == GROWTH_NONE || !loses(j, i)) {
			print_whole(&c->chain, &heads, &rules);
			continue;
		}
		print_grown(c, growth, &rules);
		print_whole(&c->chain, &late_heads, &late_rules);
	}
	if (r == 0)
		r = print_jumps(j, table, &rules);
	if (r == 0)
		r = finish(table, &heads, &rules, &plan->early[table]);
	if (r == 0 && table == TABLE_FILTER)
		r = finish(table, &late_heads, &late_rules, &plan->late);
	return r;
}

int ipvs_plan_rules(const struct ipvs_state *old, const struct ipvs_state *wanted,
		    const struct iptables_seen *seen, struct ipvs_rules_plan *ret)
{
	_cleanup_ipvs_rules_plan_ struct ipvs_rules_plan plan = {0};
	struct job j = {.old = old, .wanted = wanted, .seen = seen, .plan = &plan};
	int r = 0;

	if (!old && !seen)
		return -EINVAL;
	for (int t = 0; r == 0 && t < _TABLE_MAX; t++)
		r = plan_table(&j, (enum rule_table)t);
	if (r < 0)
		return r;
	*ret = plan;
	plan = (struct ipvs_rules_plan){0};
	return 0;
}

bool ipvs_rules_differ(const struct ipvs_state *old, const struct ipvs_state *wanted)
{
	for (size_t i = 0; i < wanted->n_chains; i++)
		if (!rule_lists_equal(&old->chains[i].chain.rules, NULL,
				      &wanted->chains[i].chain.rules, NULL))
			return true;
	return false;
}

bool ipvs_rules_switching(const struct iptables_seen *seen)
{
	const struct map *chains = seen->tables[SEEN_NAT].chains;
	const char *name;
	size_t pos = 0;
	void *value;

	while (chains && map_next(chains, &pos, &name, &value))
		if (chain_is_service_chain(name))
			return true;
	return false;
}
