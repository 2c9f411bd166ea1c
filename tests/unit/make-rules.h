/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Rulesets as text, for tests. */

#include <stdio.h>

#include "make-world.h"
#include "rules/ruleset.h"

static inline void print_rules(const char *chain, const struct rule_list *l,
			       const struct service *s, struct strbuf *out)
{
	for (size_t i = 0; i < l->n; i++) {
		strbuf_addf(out, "-A %s ", chain);
		rule_print(&l->items[i], s, out);
		strbuf_add_char(out, '\n');
	}
}

/* One table in the order of spec/iptables.md section 4.2, without chain lines. */
static inline void print_table(const struct ruleset *rs, enum rule_table table, struct strbuf *out)
{
	if (table == TABLE_FILTER) {
		print_rules("KUBE-FIREWALL", &rs->firewall.rules, NULL, out);
	} else {
		print_rules("KUBE-POSTROUTING", &rs->postrouting.rules, NULL, out);
		print_rules("KUBE-MARK-MASQ", &rs->mark_masq.rules, NULL, out);
	}
	for (size_t i = 0; i < rs->n_fragments; i++) {
		const struct fragment *f = rs->fragments[i];

		for (int d = 0; d < _DISPATCH_MAX; d++)
			if (dispatch_table((enum dispatch_chain)d) == table)
				print_rules(dispatch_name((enum dispatch_chain)d), &f->dispatch[d],
					    f->service, out);
		for (size_t c = 0; c < f->n_chains && table == TABLE_NAT; c++)
			print_rules(f->chains[c].name, &f->chains[c].rules, f->service, out);
	}
	if (table == TABLE_FILTER)
		print_rules("KUBE-FORWARD", &rs->forward.rules, NULL, out);
	else
		print_rules("KUBE-SERVICES", &rs->services_end, NULL, out);
}

static inline char *ruleset_text(const struct ruleset *rs)
{
	struct strbuf out = {0};

	strbuf_add(&out, "*filter\n");
	print_table(rs, TABLE_FILTER, &out);
	strbuf_add(&out, "*nat\n");
	print_table(rs, TABLE_NAT, &out);
	assert_int_equal(strbuf_error(&out), 0);
	return strbuf_take(&out);
}

static inline size_t count_rules(const struct ruleset *rs, enum rule_table table)
{
	size_t n = table == TABLE_FILTER
			   ? rs->firewall.rules.n + rs->forward.rules.n
			   : rs->postrouting.rules.n + rs->mark_masq.rules.n + rs->services_end.n;

	for (size_t i = 0; i < rs->n_fragments; i++) {
		for (int d = 0; d < _DISPATCH_MAX; d++)
			if (dispatch_table((enum dispatch_chain)d) == table)
				n += rs->fragments[i]->dispatch[d].n;
		for (size_t c = 0; c < rs->fragments[i]->n_chains && table == TABLE_NAT; c++)
			n += rs->fragments[i]->chains[c].rules.n;
	}
	return n;
}

static const struct kernel_facts all_facts = {.nfacct = true};

static inline struct ruleset *compile(const struct view *v, enum addr_family family,
				      const struct kernel_facts *facts,
				      const struct ruleset *previous)
{
	struct ruleset *rs = NULL;

	assert_int_equal(ruleset_compile(v, family, facts, previous, &rs), 0);
	assert_non_null(rs);
	assert_int_equal(rs->refs, 1);
	assert_int_equal(rs->n_fragments, v->world->n_services);
	return rs;
}
