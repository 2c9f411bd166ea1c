/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/iptables-run.h"

#include <errno.h>

#include "backend/programs.h"
#include "base/log.h"

/* Stages that look at the kernel: what is there, and in which variant. */

/* Reads what a save program wrote. */
static int read_save(struct helper *h, int status, struct iptables_seen *ret)
{
	char *output = NULL;
	size_t size = 0;
	int r;

	if (status != 0)
		return status < 0 ? status : -EIO;
	r = child_output(helper_child(h), &output, &size);
	if (r == 0)
		r = iptables_seen_read(output, size, ret);
	free(output);
	return r;
}

static void on_surveyed(struct helper *h, int status, void *userdata)
{
	struct iptables_run *run = userdata;
	const char *program = iptables_program(run->variant, run->family, true);
	_cleanup_free_ char *errors = helper_errors(h);
	int r;

	run->helper = NULL;
	r = read_save(h, status, &run->seen[run->variant][run->family]);
	if (r < 0)
		log_debug("%s: %s (%s); taken as not in use", program, strerror(-r),
			  errors ? errors : "");
	else
		run->have_seen[run->variant][run->family] = true;
	run->family++;
	iptables_run_advance(run);
}

static int start_save(struct iptables_run *run, enum iptables_variant v, helper_done_t done)
{
	const char *argv[] = {iptables_program(v, run->family, true), NULL};

	return helper_start(run->backend->event, argv, NULL, 0, done, run, &run->helper);
}

/* True when a program runs. A table that nobody made is not looked at: looking would make it. */
bool iptables_run_survey(struct iptables_run *run)
{
	for (; run->variant < _VARIANT_MAX; run->variant++, run->family = 0) {
		for (; run->family < _ADDR_FAMILY_MAX; run->family++) {
			bool in_use = false;
			int r = 0;

			if (!run->usable[run->family])
				continue;
			r = iptables_variant_in_use(run->variant, run->family, &in_use);
			if (r == 0 && in_use)
				r = start_save(run, run->variant, on_surveyed);
			if (r == 0 && in_use)
				return true;
			if (r == 0)
				run->have_seen[run->variant][run->family] = true;
			else
				log_debug("%s for %s: %s; taken as not in use",
					  iptables_variant_name(run->variant),
					  addr_family_name(run->family), strerror(-r));
		}
	}
	run->family = 0;
	run->stage = STAGE_DECIDE;
	return false;
}

static void on_saved(struct helper *h, int status, void *userdata)
{
	struct iptables_run *run = userdata;
	enum iptables_variant v = run->backend->variant;
	_cleanup_free_ char *errors = helper_errors(h);
	int r;

	run->helper = NULL;
	r = read_save(h, status, &run->seen[v][run->family]);
	if (r < 0)
		iptables_run_program_failed(run, iptables_program(v, run->family, true),
					    status ? status : r, errors);
	else {
		run->have_seen[v][run->family] = true;
		run->stage = STAGE_PLAN;
	}
	iptables_run_advance(run);
}

/* True when a program runs. */
bool iptables_run_save(struct iptables_run *run)
{
	struct iptables_mode *b = run->backend;
	enum iptables_variant v = b->variant;
	bool in_use = true;
	int r;

	while (run->family < _ADDR_FAMILY_MAX && !run->usable[run->family])
		run->family++;
	if (run->family == _ADDR_FAMILY_MAX) {
		run->family = 0;
		run->stage = STAGE_TIDY;
		return false;
	}
	run->stage = STAGE_PLAN;
	if (b->in_force[run->family] || run->have_seen[v][run->family])
		return false;
	r = iptables_variant_in_use(v, run->family, &in_use);
	if (r == 0 && !in_use) {
		iptables_seen_done(&run->seen[v][run->family]);
		run->have_seen[v][run->family] = true;
		return false;
	}
	/* When it cannot be found out, the program may know. */
	r = start_save(run, v, on_saved);
	if (r < 0) {
		iptables_run_program_failed(run, iptables_program(v, run->family, true), r, NULL);
		return false;
	}
	return true;
}

void iptables_run_decide(struct iptables_run *run)
{
	struct iptables_mode *b = run->backend;
	bool foreign[_VARIANT_MAX] = {false}, ours[_VARIANT_MAX] = {false};
	enum iptables_variant other;

	for (int v = 0; v < _VARIANT_MAX; v++)
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			foreign[v] |= run->have_seen[v][f] &&
				      iptables_seen_foreign(&run->seen[v][f]);
			ours[v] |= run->have_seen[v][f] && iptables_seen_ours(&run->seen[v][f]);
		}
	b->variant = programs_choose(b->setting, foreign);
	b->decided = true;
	other = iptables_run_other_variant(run);
	log_info("rules go to %s", iptables_variant_name(b->variant));

	iptables_warning_set(&b->warnings, WARN_BOTH_VARIANTS,
			     foreign[VARIANT_NFT] && foreign[VARIANT_LEGACY]
				     ? "other programs on this host use both iptables-nft and "
				       "iptables-legacy; ours go "
				       "to %s (see Backend=)"
				     : NULL,
			     iptables_variant_name(b->variant));
	iptables_warning_set(
		&b->warnings, WARN_OTHER_VARIANT,
		ours[other]
			? "rules of ours were found in %s and are removed there; they now go to %s"
			: NULL,
		iptables_variant_name(other), iptables_variant_name(b->variant));
	run->stage = STAGE_SAVE;
}
