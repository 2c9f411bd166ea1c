/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "backend/iptables-plan.h"
#include "backend/plan-jumps.h"
#include "backend/plan-nat.h"
#include "base/array.h"

/* Taking away all that is ours, spec/iptables.md section 6.5 and W18. */

struct table_job {
	const struct iptables_seen *seen;
	enum seen_table table;
	bool firewall;	     /* KUBE-FIREWALL goes too */
	unsigned kept;	     /* what modes with these bits have stays */
	const char **chains; /* that go, in the order of deletion */
	size_t n, allocated;
};

static void table_job_done(struct table_job *j)
{
	free(j->chains);
}

void cleanup_plan_done(struct cleanup_plan *p)
{
	for (size_t i = 0; i < ELEMENTSOF(p->texts); i++)
		free(p->texts[i]);
	plan_kept_done(&p->kept);
	*p = (struct cleanup_plan){0};
}

static bool goes(const struct table_job *j, const char *name)
{
	if (j->table == SEEN_FILTER && streq(name, "KUBE-FIREWALL"))
		return j->firewall && !(j->kept & 1u << MODE_IPTABLES);
	return iptables_chain_is_ours(j->table, name) &&
	       !(plan_chain_modes(j->table, name) & j->kept);
}

static int collect_chains(struct table_job *j)
{
	const struct map *there = j->seen->tables[j->table].chains;
	const char *name;
	size_t pos = 0;
	void *value;

	while (there && map_next(there, &pos, &name, &value)) {
		if (!goes(j, name))
			continue;
		if (array_reserve(&j->chains, &j->allocated, j->n + 1) < 0)
			return -ENOMEM;
		j->chains[j->n++] = name;
	}
	if (j->n > 1)
		qsort(j->chains, j->n, sizeof(char *), plan_chain_order);
	return 0;
}

/* Every copy of our jumps. Their text is that of the save with another command. */
static size_t print_jump_deletes(const struct table_job *j, struct strbuf *out)
{
	const struct seen_rules *jumps = &j->seen->tables[j->table].jumps;
	size_t n = 0;

	for (size_t i = 0; i < jumps->n; i++) {
		int k = plan_jump_find(j->table, jumps->items[i].text);
		unsigned modes = plan_jump_modes(j->table, jumps->items[i].text);

		if (modes == 0 || modes & j->kept ||
		    (k >= 0 && !j->firewall && streq(ruleset_jumps[k].target, "KUBE-FIREWALL")))
			continue;
		strbuf_add(out, "-D");
		strbuf_add(out, jumps->items[i].text + strlen("-A"));
		strbuf_add_char(out, '\n');
		n++;
	}
	return n;
}

static int print_table(struct table_job *j, struct strbuf *out, struct cleanup_plan *plan)
{
	static const char *const names[] = {"filter", "nat", "mangle"};
	size_t n_jumps;

	strbuf_add_char(out, '*');
	strbuf_add(out, names[j->table]);
	strbuf_add_char(out, '\n');
	for (size_t i = 0; i < j->n; i++) {
		strbuf_add_char(out, ':');
		strbuf_add(out, j->chains[i]);
		strbuf_add(out, " - [0:0]\n");
	}
	n_jumps = print_jump_deletes(j, out);
	for (size_t i = 0; i < j->n; i++) {
		const char *rule = plan_foreign_reference(j->seen, j->table, j->chains[i]);

		if (rule) {
			int r = plan_kept_add(&plan->kept, j->chains[i], rule);

			if (r < 0)
				return r;
			continue;
		}
		strbuf_add(out, "-X ");
		strbuf_add(out, j->chains[i]);
		strbuf_add_char(out, '\n');
	}
	strbuf_add(out, "COMMIT\n");
	if (j->n == 0 && n_jumps == 0)
		strbuf_reset(out);
	return strbuf_error(out);
}

static int plan_all(const struct iptables_seen *seen, unsigned kept, struct cleanup_plan *ret)
{
	static const enum seen_table order[] = {SEEN_NAT, SEEN_FILTER, SEEN_MANGLE};
	_cleanup_cleanup_plan_ struct cleanup_plan plan = {0};

	for (size_t i = 0; i < ELEMENTSOF(order); i++) {
		_cleanup_(table_job_done) struct table_job j = {
			.seen = seen,
			.table = order[i],
			.firewall = plan_firewall_is_ours(seen),
			.kept = kept,
		};
		_cleanup_strbuf_ struct strbuf out = {0};
		int r;

		r = collect_chains(&j);
		if (r == 0)
			r = print_table(&j, &out, &plan);
		if (r < 0)
			return r;
		if (out.len == 0)
			continue;
		plan.sizes[i] = out.len;
		plan.texts[i] = strbuf_take(&out);
		if (!plan.texts[i])
			return -ENOMEM;
	}
	*ret = plan;
	plan = (struct cleanup_plan){0};
	return 0;
}

int iptables_plan_cleanup(const struct iptables_seen *seen, enum addr_family family,
			  struct cleanup_plan *ret)
{
	(void)family; /* jumps and chains are the same in both */
	return plan_all(seen, 0, ret);
}

int iptables_plan_remains(const struct iptables_seen *seen, enum svc_mode keep,
			  struct cleanup_plan *ret)
{
	return plan_all(seen, 1u << keep, ret);
}
