/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/iptables-plan.h"

#include <errno.h>

#include "backend/plan-content.h"
#include "backend/plan-dispatch.h"
#include "backend/plan-jumps.h"
#include "backend/plan-nat.h"

static const enum dispatch_chain filter_chains[] = {
	DISPATCH_FILTER_SERVICES,
	DISPATCH_FILTER_EXTERNAL,
	DISPATCH_FILTER_NODEPORTS,
	DISPATCH_FILTER_FIREWALL,
};
#define N_FILTER_CHAINS ELEMENTSOF(filter_chains)

struct job {
	const struct ruleset *old, *new;
	const struct iptables_seen *seen;
	struct iptables_plan *plan;
	struct dispatch_diff filter[N_FILTER_CHAINS];
	/* With old unknown: what was seen. */
	bool forward_there, firewall_there;
};

static void job_done(struct job *j)
{
	for (size_t i = 0; i < N_FILTER_CHAINS; i++)
		dispatch_diff_done(&j->filter[i]);
}

void iptables_plan_done(struct iptables_plan *p)
{
	for (size_t i = 0; i < p->n_steps; i++)
		free(p->steps[i].text);
	plan_kept_done(&p->kept);
	*p = (struct iptables_plan){0};
}

/* Empties out. */
static int add_step(struct iptables_plan *plan, enum rule_table table, struct strbuf *out)
{
	struct plan_step *step = &plan->steps[plan->n_steps];
	size_t size = out->len;

	if (strbuf_error(out) < 0)
		return strbuf_error(out);
	if (size == 0)
		return 0;
	*step = (struct plan_step){.table = table, .text = strbuf_take(out), .size = size};
	if (!step->text)
		return -ENOMEM;
	plan->n_steps++;
	return 0;
}

static void print_head(struct job *j, const char *name, struct strbuf *out)
{
	strbuf_add_char(out, ':');
	strbuf_add(out, name);
	strbuf_add(out, " - [0:0]\n");
	j->plan->n_chains++;
}

static void print_fixed(struct job *j, const struct chain *c, struct strbuf *out)
{
	for (size_t i = 0; i < c->rules.n; i++) {
		strbuf_add(out, "-A ");
		strbuf_add(out, c->name);
		strbuf_add_char(out, ' ');
		rule_print(&c->rules.items[i], NULL, out);
		strbuf_add_char(out, '\n');
	}
	j->plan->n_rules += c->rules.n;
}

static bool seen_filter(const struct job *j, const char *name)
{
	return iptables_seen_chain(j->seen, SEEN_FILTER, name);
}

/* Whether the host has none of our filter chains: then there is nothing that could be lost by
 * writing the final form at once. KUBE-FIREWALL may be someone else's and says nothing. */
static bool filter_is_empty(const struct job *j)
{
	for (size_t i = 0; i < N_FILTER_CHAINS; i++)
		if (seen_filter(j, j->filter[i].name))
			return false;
	return !seen_filter(j, j->new->forward.name);
}

/* What is done with KUBE-FIREWALL on a host whose content is not known: filled when we need it,
 * emptied when its content is ours, else left alone. */
static bool writes_firewall(const struct job *j)
{
	if (!seen_filter(j, j->new->firewall.name))
		return true;
	if (j->new->firewall.rules.n > 0)
		return !j->firewall_there;
	return j->seen->firewall.n > 0 && plan_firewall_is_ours(j->seen);
}

/* Leaves out empty when no line was printed after from. An error must stay: an empty text is a
 * table in which there is nothing to do. */
static void end_table(struct strbuf *out, size_t from)
{
	if (strbuf_error(out) < 0)
		return;
	if (out->len > from)
		strbuf_add(out, "COMMIT\n");
	else
		strbuf_reset(out);
}

/*
 * A host whose content is not known, first step: chains that are missing come, and rules are added
 * to those that are there with another content. Some rules are doubled until the last step; that is
 * harmless.
 */
static void print_unknown_additions(struct job *j, struct strbuf *out)
{
	const char *forward = j->new->forward.name, *firewall = j->new->firewall.name;
	size_t from;

	strbuf_add(out, "*filter\n");
	from = out->len;
	for (size_t i = 0; i < N_FILTER_CHAINS; i++)
		if (!seen_filter(j, j->filter[i].name))
			print_head(j, j->filter[i].name, out);
	if (!seen_filter(j, forward))
		print_head(j, forward, out);
	if (!seen_filter(j, firewall)) {
		print_head(j, firewall, out);
		print_fixed(j, &j->new->firewall, out);
	}
	plan_jumps_print(j->seen, TABLE_FILTER, out, &j->plan->n_rules);
	for (size_t i = 0; i < N_FILTER_CHAINS; i++)
		if (!j->filter[i].there)
			(void)dispatch_print_appended(&j->filter[i], 0, NULL, out,
						      &j->plan->n_rules);
	if (!j->forward_there)
		print_fixed(j, &j->new->forward, out);
	end_table(out, from);
}

/* The same, final form. */
static void print_unknown_exact(struct job *j, bool with_jumps, struct strbuf *out)
{
	const struct chain *forward = &j->new->forward, *firewall = &j->new->firewall;
	size_t from;

	strbuf_add(out, "*filter\n");
	from = out->len;
	for (size_t i = 0; i < N_FILTER_CHAINS; i++)
		if (dispatch_rewrites(&j->filter[i], STEP_EXACT))
			print_head(j, j->filter[i].name, out);
	if (!j->forward_there)
		print_head(j, forward->name, out);
	if (writes_firewall(j))
		print_head(j, firewall->name, out);
	if (with_jumps)
		plan_jumps_print(j->seen, TABLE_FILTER, out, &j->plan->n_rules);
	if (writes_firewall(j))
		print_fixed(j, firewall, out);
	for (size_t i = 0; i < N_FILTER_CHAINS; i++)
		dispatch_print(&j->filter[i], STEP_EXACT, out, &j->plan->n_rules);
	if (!j->forward_there)
		print_fixed(j, forward, out);
	end_table(out, from);
}

static bool forward_differs(const struct job *j)
{
	return !rule_lists_equal(&j->old->forward.rules, NULL, &j->new->forward.rules, NULL);
}

/* F1 comes before the node ports that it protects open, and goes after they are closed. */
static bool firewall_changes(const struct job *j, enum dispatch_step step)
{
	const struct rule_list *old = &j->old->firewall.rules, *new = &j->new->firewall.rules;

	if (rule_lists_equal(old, NULL, new, NULL))
		return false;
	return step == STEP_EXACT || (step == STEP_ADD) == (new->n > 0);
}

static bool filter_changes(const struct job *j, enum dispatch_step step)
{
	for (size_t i = 0; i < N_FILTER_CHAINS; i++)
		if (dispatch_changes(&j->filter[i], step))
			return true;
	return firewall_changes(j, step) || (step != STEP_REMOVE && forward_differs(j));
}

/* From a known state; out stays empty when the step changes nothing. */
static void print_known(struct job *j, enum dispatch_step step, struct strbuf *out)
{
	bool forward = step != STEP_REMOVE && forward_differs(j),
	     firewall = firewall_changes(j, step);

	if (!filter_changes(j, step))
		return;
	strbuf_add(out, "*filter\n");
	for (size_t i = 0; i < N_FILTER_CHAINS; i++)
		if (dispatch_rewrites(&j->filter[i], step))
			print_head(j, j->filter[i].name, out);
	if (forward)
		print_head(j, j->new->forward.name, out);
	if (firewall) {
		print_head(j, j->new->firewall.name, out);
		print_fixed(j, &j->new->firewall, out);
	}
	for (size_t i = 0; i < N_FILTER_CHAINS; i++)
		dispatch_print(&j->filter[i], step, out, &j->plan->n_rules);
	if (forward)
		print_fixed(j, &j->new->forward, out);
	strbuf_add(out, "COMMIT\n");
}

static int plan_unknown(struct job *j, struct strbuf *nat)
{
	_cleanup_strbuf_ struct strbuf filter = {0};
	enum addr_family family = j->new->env.family;
	bool once = filter_is_empty(j) || nat->len == 0;
	int r;

	r = plan_content_there(j->seen, SEEN_FILTER, &j->new->forward, NULL, family,
			       &j->forward_there);
	if (r == 0)
		r = plan_content_there(j->seen, SEEN_FILTER, &j->new->firewall, NULL, family,
				       &j->firewall_there);
	if (r < 0)
		return r;
	if (once)
		print_unknown_exact(j, true, &filter);
	else
		print_unknown_additions(j, &filter);
	r = add_step(j->plan, TABLE_FILTER, &filter);
	if (r == 0)
		r = add_step(j->plan, TABLE_NAT, nat);
	if (r < 0 || once)
		return r;
	print_unknown_exact(j, false, &filter);
	return add_step(j->plan, TABLE_FILTER, &filter);
}

static int plan_known(struct job *j, struct strbuf *nat)
{
	_cleanup_strbuf_ struct strbuf filter = {0};
	int r;

	if (nat->len == 0) {
		print_known(j, STEP_EXACT, &filter);
		return add_step(j->plan, TABLE_FILTER, &filter);
	}
	print_known(j, STEP_ADD, &filter);
	r = add_step(j->plan, TABLE_FILTER, &filter);
	if (r == 0)
		r = add_step(j->plan, TABLE_NAT, nat);
	if (r < 0)
		return r;
	print_known(j, STEP_REMOVE, &filter);
	return add_step(j->plan, TABLE_FILTER, &filter);
}

int iptables_plan_make(const struct ruleset *old, const struct ruleset *new,
		       const struct iptables_seen *seen, const struct plan_options *options,
		       struct iptables_plan *ret)
{
	_cleanup_iptables_plan_ struct iptables_plan plan = {0};
	_cleanup_(job_done) struct job j = {.old = old, .new = new, .seen = seen, .plan = &plan};
	_cleanup_strbuf_ struct strbuf nat = {0};
	int r;

	if (!old && !seen)
		return -EINVAL;
	for (size_t i = 0; i < N_FILTER_CHAINS; i++) {
		r = dispatch_diff_make(filter_chains[i], old, new, seen, &j.filter[i]);
		if (r < 0)
			return r;
	}
	/* With a known state the save, if there is one at all, has nothing to add. */
	r = plan_nat_print(old, new, old ? NULL : seen, options, &nat, &plan);
	if (r < 0)
		return r;
	r = old ? plan_known(&j, &nat) : plan_unknown(&j, &nat);
	if (r < 0)
		return r;
	*ret = plan;
	plan = (struct iptables_plan){0};
	return 0;
}
