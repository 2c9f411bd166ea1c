/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/iptables-run.h"

#include <errno.h>

#include "base/log.h"

/* Stages that write. */

/* Stale chains that someone else's rule holds fast are emptied and stay. */
static void report_kept(struct iptables_run *run)
{
	struct iptables_mode *b = run->backend;
	enum iptables_warning which = (enum iptables_warning)(WARN_KEPT_IPV4 + (int)run->family);
	const struct plan_kept *k = run->plan.kept.n > 0 ? &run->plan.kept.items[0] : NULL;

	if (!k)
		iptables_warning_set(&b->warnings, which, NULL);
	else if (k->rule)
		iptables_warning_set(&b->warnings, which,
				     "%s: chain %s is not used any more, but the foreign rule '%s' "
				     "points at it: "
				     "emptied, not deleted (%zu such)",
				     addr_family_name(run->family), k->chain, k->rule,
				     run->plan.kept.n);
	else
		iptables_warning_set(&b->warnings, which,
				     "%s: chain %s, or another of %zu that are not used any more, "
				     "cannot be deleted, "
				     "a foreign rule points at it: emptied, not deleted",
				     addr_family_name(run->family), k->chain, run->plan.kept.n);
}

void iptables_run_plan(struct iptables_run *run)
{
	struct iptables_mode *b = run->backend;
	const struct ruleset *old = b->in_force[run->family];
	const struct plan_options options = {
		.blocks = b->variant ==
			  VARIANT_NFT, /* legacy loads a table in one piece whatever one does */
		.keep_stale = run->attempt == ATTEMPT_KEEP_STALE,
	};
	int r;

	r = iptables_plan_make(old, run->wanted[run->family],
			       old ? NULL : &run->seen[b->variant][run->family], &options,
			       &run->plan);
	if (r < 0) {
		iptables_run_family_failed(run, r, NULL);
		return;
	}
	run->step = 0;
	run->stage = STAGE_LOAD;
}

static void family_loaded(struct iptables_run *run)
{
	struct iptables_mode *b = run->backend;
	bool was_full = !b->in_force[run->family];

	ruleset_forget(&b->in_force[run->family]);
	b->in_force[run->family] = ruleset_ref(run->wanted[run->family]);
	run->result.n_chains += run->plan.n_chains;
	run->result.n_rules += run->plan.n_rules;
	run->result.n_stale += run->plan.n_stale;
	/* A partial sync does not look at what earlier ones kept. */
	if (was_full || run->plan.kept.n > 0)
		report_kept(run);
	iptables_run_next_family(run);
}

/*
 * What a chain that something foreign points at does: the kernel refuses to delete it, and the
 * whole table with it. A fresh save tells which; should it still be refused (the rule came just
 * now), none is deleted.
 */
static bool try_again(struct iptables_run *run, int status, const char *errors)
{
	if (status <= 0 || status > 128 || helper_lost_lock(status, errors))
		return false;
	if (run->attempt == ATTEMPT_KEEP_STALE || run->plan.n_stale == 0 ||
	    run->plan.steps[run->step].table != TABLE_NAT)
		return false;
	log_debug("nat of %s was refused (%s); with a look at the kernel once more",
		  addr_family_name(run->family), errors ? errors : "");
	run->attempt++;
	ruleset_forget(&run->backend->in_force[run->family]);
	run->have_seen[run->backend->variant][run->family] = false;
	iptables_seen_done(&run->seen[run->backend->variant][run->family]);
	run->result.full = true;
	iptables_plan_done(&run->plan);
	run->stage = STAGE_SAVE;
	return true;
}

static void on_loaded(struct helper *h, int status, void *userdata)
{
	struct iptables_run *run = userdata;
	const char *program = iptables_program(run->backend->variant, run->family, false);
	_cleanup_free_ char *errors = helper_errors(h);

	run->helper = NULL;
	if (status == 0)
		run->step++;
	else {
		if (!try_again(run, status, errors))
			iptables_run_program_failed(run, program, status, errors);
	}
	iptables_run_advance(run);
}

/* True when a program runs. */
bool iptables_run_load(struct iptables_run *run)
{
	const char *program = iptables_program(run->backend->variant, run->family, false);
	const struct plan_step *step = &run->plan.steps[run->step];
	int r;

	if (run->step == run->plan.n_steps) {
		family_loaded(run);
		return false;
	}
	log_debug("%s: %s, %zu bytes", program, rule_table_text(step->table), step->size);
	r = helper_start(run->backend->event, RESTORE_ARGV(program), step->text, step->size,
			 on_loaded, run, &run->helper);
	if (r < 0) {
		iptables_run_program_failed(run, program, r, NULL);
		return false;
	}
	return true;
}

static void tidy_failed(struct iptables_run *run, char *text)
{
	iptables_warning_set(
		&run->backend->warnings, WARN_TIDY_FAILED,
		"rules of ours in the other iptables variant could not all be removed: %s",
		text ? text : "no memory");
	free(text);
	run->tidy_failed = true;
}

static void on_tidied(struct helper *h, int status, void *userdata)
{
	struct iptables_run *run = userdata;
	_cleanup_free_ char *errors = helper_errors(h);

	run->helper = NULL;
	if (status != 0) {
		tidy_failed(run,
			    helper_failure_text(iptables_program(iptables_run_other_variant(run),
								 run->family, false),
						status, errors));
	}
	run->step++;
	iptables_run_advance(run);
}

/* True when a program runs. Only while something of ours is there; nothing is removed for rules
 * that did not get in. */
bool iptables_run_tidy(struct iptables_run *run)
{
	enum iptables_variant v = iptables_run_other_variant(run);

	if (!run->survey || run->result.error < 0) {
		run->stage = STAGE_DONE;
		return false;
	}
	if (run->family == 0 && run->step == 0 && !run->tidy_failed)
		iptables_warning_set(&run->backend->warnings, WARN_TIDY_FAILED, NULL);
	for (; run->family < _ADDR_FAMILY_MAX; run->family++, run->step = 0) {
		const char *program = iptables_program(v, run->family, false);
		int r = 0;

		if (!run->have_seen[v][run->family] ||
		    !iptables_seen_ours(&run->seen[v][run->family]))
			continue;
		if (run->step == 0) {
			cleanup_plan_done(&run->tidy);
			r = iptables_plan_cleanup(&run->seen[v][run->family], run->family,
						  &run->tidy);
		}
		while (r == 0 && run->step < ELEMENTSOF(run->tidy.texts) &&
		       !run->tidy.texts[run->step])
			run->step++;
		if (r == 0 && run->step == ELEMENTSOF(run->tidy.texts))
			continue;
		if (r == 0)
			r = helper_start(run->backend->event, RESTORE_ARGV(program),
					 run->tidy.texts[run->step], run->tidy.sizes[run->step],
					 on_tidied, run, &run->helper);
		if (r == 0)
			return true;
		tidy_failed(run, helper_failure_text(program, r, NULL));
	}
	run->stage = STAGE_DONE;
	return false;
}
