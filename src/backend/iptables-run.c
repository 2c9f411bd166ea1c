/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/iptables-run.h"

#include <errno.h>

#include "base/clock.h"
#include "base/log.h"
#include "kernel/nfacct.h"
#include "kernel/sysctl.h"

/*
 * One sync. Each stage either goes on to the next or starts a program and returns to the loop; when
 * it ends, its handler has run_advance() carry on.
 *
 *   PREPARE   facts about the kernel, rulesets of both families
 *   SURVEY    (variant open) saves of both variants and families, those that exist
 *   DECIDE    the variant
 *   SAVE  <-. (no account) what this family's tables hold
 *   PLAN    | what to write; nothing: no program at all
 *   LOAD ---' the steps; refused because of a stale chain: once more with a fresh save, then
 * without deletions
 *   ...       SAVE to LOAD for IPv6
 *   TIDY      our rules in the other variant go, now that the new ones are in
 *   DONE
 *
 * A family that fails loses its account, so that its next sync looks at the kernel; the other goes
 * on.
 */
enum stage {
	STAGE_PREPARE,
	STAGE_SURVEY,
	STAGE_DECIDE,
	STAGE_SAVE,
	STAGE_PLAN,
	STAGE_LOAD,
	STAGE_TIDY,
	STAGE_DONE,
};

enum attempt { ATTEMPT_FIRST, ATTEMPT_FRESH, ATTEMPT_KEEP_STALE };

struct iptables_run {
	struct iptables_mode *backend;
	struct view view; /* references */
	bool full;
	backend_done_t done;
	void *userdata;
	uint64_t started;
	sd_event_source *start; /* leaves the caller's stack before anything is done */
	struct helper *helper;

	enum stage stage;
	bool survey; /* the variant is open */
	bool tidy_failed;
	enum iptables_variant variant; /* SURVEY: whose turn it is */
	enum addr_family family;       /* whose turn it is */
	bool usable[_ADDR_FAMILY_MAX];
	struct ruleset *wanted[_ADDR_FAMILY_MAX];
	struct iptables_seen seen[_VARIANT_MAX][_ADDR_FAMILY_MAX];
	bool have_seen[_VARIANT_MAX][_ADDR_FAMILY_MAX];

	enum attempt attempt;
	struct iptables_plan plan;
	struct cleanup_plan tidy;
	size_t step; /* of plan or tidy */

	struct sync_result result;
	char *message; /* first failure */
};

static void run_advance(struct iptables_run *run);

struct iptables_run *iptables_run_free(struct iptables_run *run)
{
	if (!run)
		return NULL;
	(void)sd_event_source_disable_unref(run->start);
	(void)helper_detach(run->helper);
	(void)world_unref(run->view.world);
	(void)local_addrs_unref(run->view.addrs);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		(void)ruleset_unref(run->wanted[f]);
		for (int v = 0; v < _VARIANT_MAX; v++)
			iptables_seen_done(&run->seen[v][f]);
	}
	iptables_plan_done(&run->plan);
	cleanup_plan_done(&run->tidy);
	free(run->message);
	free(run);
	return NULL;
}

static enum iptables_variant other_variant(const struct iptables_run *run)
{
	return run->backend->variant == VARIANT_NFT ? VARIANT_LEGACY : VARIANT_NFT;
}

/* The first failure is the one that is told; takes text. */
static void note_failure(struct iptables_run *run, int error, char *text)
{
	if (run->result.error == 0) {
		run->result.error = error;
		run->message = text;
	} else
		free(text);
}

static void forget(struct ruleset **r)
{
	*r = ruleset_unref(*r);
}

static void next_family(struct iptables_run *run)
{
	iptables_plan_done(&run->plan);
	run->attempt = ATTEMPT_FIRST;
	run->step = 0;
	run->family++;
	run->stage = STAGE_SAVE;
}

static void family_failed(struct iptables_run *run, int error, char *text)
{
	forget(&run->backend->in_force[run->family]);
	note_failure(run, error, text);
	next_family(run);
}

/* ---- PREPARE ---- */

static void read_facts(struct iptables_run *run, bool probe)
{
	struct iptables_mode *b = run->backend;
	int64_t liberal;
	int r;

	b->facts.tcp_be_liberal = sysctl_read_int("net/netfilter/nf_conntrack_tcp_be_liberal",
						  &liberal) == 0 &&
				  liberal != 0;
	if (!probe)
		return;
	r = nfacct_ensure();
	b->facts.nfacct = r == 0;
	if (r == -EOPNOTSUPP)
		log_debug("the kernel has no nfacct: rules are written without these counters");
	iptables_warning_set(&b->warnings, WARN_NFACCT,
			     r < 0 && r != -EOPNOTSUPP
				     ? "nfacct counters cannot be made (%s): rules are written "
				       "without them"
				     : NULL,
			     strerror(-r));
}

static bool family_is_wanted(const struct view *view, enum addr_family f)
{
	for (size_t i = 0; i < view->world->n_services; i++)
		if (view->world->services[i]->def->has_cluster_ip[f])
			return true;
	return false;
}

static void look_at_ipv6(struct iptables_run *run)
{
	bool usable = sysctl_ipv6_usable(), wanted = family_is_wanted(&run->view, ADDR_IPV6);
	struct iptables_mode *b = run->backend;

	run->usable[ADDR_IPV4] = true;
	run->usable[ADDR_IPV6] = usable;
	if (!usable && !wanted && run->full)
		log_info("IPv6 is off on this host: its tables are left alone");
	iptables_warning_set(&b->warnings, WARN_IPV6_OFF,
			     !usable && wanted
				     ? "IPv6 is off on this host: IPv6 services are not served"
				     : NULL);
	if (!usable)
		forget(&b->in_force[ADDR_IPV6]);
}

/* Before any rule needs it; never set back here, never lowered. */
static void ensure_route_localnet(struct iptables_run *run)
{
	struct iptables_mode *b = run->backend;
	int r = 0;

	if (run->wanted[ADDR_IPV4]->env.localhost_node_ports)
		r = sysctl_ensure_int("net/ipv4/conf/all/route_localnet", 1);
	iptables_warning_set(&b->warnings, WARN_ROUTE_LOCALNET,
			     r < 0 ? "net.ipv4.conf.all.route_localnet cannot be set to 1 (%s): "
				     "node ports do not "
				     "answer on 127.0.0.1"
				   : NULL,
			     strerror(-r));
}

static int prepare(struct iptables_run *run)
{
	struct iptables_mode *b = run->backend;
	enum iptables_backend setting = run->view.world->settings->s.iptables_backend;
	bool probe = run->full;

	look_at_ipv6(run);
	if (b->decided && b->setting != setting)
		b->decided = false;
	b->setting = setting;
	run->survey = !b->decided;
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		if (run->full || run->survey)
			forget(&b->in_force[f]);
		if (run->usable[f] && !b->in_force[f])
			probe = run->result.full = true;
	}
	read_facts(run, probe);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		int r;

		if (!run->usable[f])
			continue;
		r = ruleset_compile(&run->view, (enum addr_family)f, &b->facts, b->compiled[f],
				    &run->wanted[f]);
		if (r < 0)
			return r;
		forget(&b->compiled[f]);
		b->compiled[f] = ruleset_ref(run->wanted[f]);
	}
	ensure_route_localnet(run);
	run->stage = run->survey ? STAGE_SURVEY : STAGE_SAVE;
	return 0;
}

/* ---- SURVEY, SAVE ---- */

/* Reads what a save program wrote, also into *ret_text what went wrong. */
static int read_save(struct helper *h, int status, const char *program, struct iptables_seen *ret,
		     char **ret_text)
{
	_cleanup_free_ char *output = NULL, *errors = NULL;
	size_t size = 0;
	int r = status < 0 ? status : 0;

	if (status != 0) {
		if (child_errors(helper_child(h), &errors) < 0)
			errors = NULL;
		*ret_text = helper_failure_text(program, status, errors);
		return r < 0 ? r : -EIO;
	}
	r = child_output(helper_child(h), &output, &size);
	if (r == 0)
		r = iptables_seen_read(output, size, ret);
	if (r == -EBADMSG)
		*ret_text = helper_failure_text(program, 0, "its output is not understood");
	else if (r < 0)
		*ret_text = helper_failure_text(program, r, NULL);
	return r;
}

static void on_surveyed(struct helper *h, int status, void *userdata)
{
	struct iptables_run *run = userdata;
	const char *program = iptables_program(run->variant, run->family, true);
	_cleanup_free_ char *text = NULL;

	run->helper = NULL;
	if (read_save(h, status, program, &run->seen[run->variant][run->family], &text) < 0)
		log_debug("%s; taken as not in use", text ? text : program);
	else
		run->have_seen[run->variant][run->family] = true;
	run->family++;
	run_advance(run);
}

static int start_save(struct iptables_run *run, enum iptables_variant v, helper_done_t done)
{
	const char *argv[] = {iptables_program(v, run->family, true), NULL};

	return helper_start(run->backend->event, argv, NULL, 0, done, run, &run->helper);
}

/* True when a program runs. A table that nobody made is not looked at: looking would make it. */
static bool survey(struct iptables_run *run)
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
	char *text = NULL;
	int r;

	run->helper = NULL;
	r = read_save(h, status, iptables_program(v, run->family, true), &run->seen[v][run->family],
		      &text);
	if (r < 0)
		family_failed(run, r, text);
	else {
		run->have_seen[v][run->family] = true;
		run->stage = STAGE_PLAN;
	}
	run_advance(run);
}

/* True when a program runs. */
static bool save(struct iptables_run *run)
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
		family_failed(run, r,
			      helper_failure_text(iptables_program(v, run->family, true), r, NULL));
		return false;
	}
	return true;
}

/* ---- DECIDE ---- */

static void decide(struct iptables_run *run)
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
	if (b->setting == IPTABLES_AUTO)
		b->variant = foreign[VARIANT_LEGACY] && !foreign[VARIANT_NFT] ? VARIANT_LEGACY
									      : VARIANT_NFT;
	else
		b->variant = b->setting == IPTABLES_LEGACY ? VARIANT_LEGACY : VARIANT_NFT;
	b->decided = true;
	other = other_variant(run);
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

/* ---- PLAN, LOAD ---- */

/* Stale chains that someone else's rule holds fast are emptied and stay. */
static void report_kept(struct iptables_run *run)
{
	struct iptables_mode *b = run->backend;
	enum iptables_warning which = (enum iptables_warning)(WARN_KEPT_IPV4 + (int)run->family);
	const struct plan_kept *k = run->plan.n_kept > 0 ? &run->plan.kept[0] : NULL;

	if (!k)
		iptables_warning_set(&b->warnings, which, NULL);
	else if (k->rule)
		iptables_warning_set(&b->warnings, which,
				     "%s: chain %s is not used any more, but the foreign rule '%s' "
				     "points at it: "
				     "emptied, not deleted (%zu such)",
				     addr_family_name(run->family), k->chain, k->rule,
				     run->plan.n_kept);
	else
		iptables_warning_set(&b->warnings, which,
				     "%s: chain %s, or another of %zu that are not used any more, "
				     "cannot be deleted, "
				     "a foreign rule points at it: emptied, not deleted",
				     addr_family_name(run->family), k->chain, run->plan.n_kept);
}

static void make_plan(struct iptables_run *run)
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
		family_failed(run, r, NULL);
		return;
	}
	run->step = 0;
	run->stage = STAGE_LOAD;
}

static void family_loaded(struct iptables_run *run)
{
	struct iptables_mode *b = run->backend;
	bool was_full = !b->in_force[run->family];

	forget(&b->in_force[run->family]);
	b->in_force[run->family] = ruleset_ref(run->wanted[run->family]);
	run->result.n_chains += run->plan.n_chains;
	run->result.n_rules += run->plan.n_rules;
	run->result.n_stale += run->plan.n_stale;
	/* A partial sync does not look at what earlier ones kept. */
	if (was_full || run->plan.n_kept > 0)
		report_kept(run);
	next_family(run);
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
	run->attempt++;
	forget(&run->backend->in_force[run->family]);
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
	_cleanup_free_ char *errors = NULL;

	run->helper = NULL;
	if (status == 0)
		run->step++;
	else {
		char *text;

		if (child_errors(helper_child(h), &errors) < 0)
			errors = NULL;
		text = helper_failure_text(program, status, errors);
		log_debug("%s", text ? text : program);
		if (try_again(run, status, errors))
			free(text);
		else
			family_failed(run, status < 0 ? status : -EIO, text);
	}
	run_advance(run);
}

/* True when a program runs. */
static bool load(struct iptables_run *run)
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
		family_failed(run, r, helper_failure_text(program, r, NULL));
		return false;
	}
	return true;
}

/* ---- TIDY ---- */

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
	_cleanup_free_ char *errors = NULL;

	run->helper = NULL;
	if (status != 0) {
		if (child_errors(helper_child(h), &errors) < 0)
			errors = NULL;
		tidy_failed(run, helper_failure_text(
					 iptables_program(other_variant(run), run->family, false),
					 status, errors));
	}
	run->step++;
	run_advance(run);
}

/* True when a program runs. Only while something of ours is there; nothing is removed for rules
 * that did not get in. */
static bool tidy(struct iptables_run *run)
{
	enum iptables_variant v = other_variant(run);

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

/* ---- */

static void run_finish(struct iptables_run *run)
{
	struct iptables_mode *b = run->backend;
	backend_done_t done = run->done;
	void *userdata = run->userdata;
	struct sync_result result = run->result;
	_cleanup_free_ char *message = NULL;

	/* Without all of the rules in, or with some left in the other variant, the next sync
	 * surveys again. */
	if (run->survey && (result.error < 0 || run->tidy_failed))
		b->decided = false;
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		b->served[f] = b->in_force[f] != NULL;
	message = TAKE_PTR(run->message);
	if (result.error < 0)
		result.message = message ? message : strerror(-result.error);
	result.duration_usec = clock_monotonic_usec() - run->started;
	/* done() may start the next one. */
	b->run = iptables_run_free(run);
	done(&b->backend, &result, userdata);
}

static void run_advance(struct iptables_run *run)
{
	for (;;) {
		int r;

		switch (run->stage) {
		case STAGE_PREPARE:
			r = prepare(run);
			if (r < 0) {
				note_failure(run, r, NULL);
				run->stage = STAGE_DONE;
			}
			break;
		case STAGE_SURVEY:
			if (survey(run))
				return;
			break;
		case STAGE_DECIDE:
			decide(run);
			break;
		case STAGE_SAVE:
			if (save(run))
				return;
			break;
		case STAGE_PLAN:
			make_plan(run);
			break;
		case STAGE_LOAD:
			if (load(run))
				return;
			break;
		case STAGE_TIDY:
			if (tidy(run))
				return;
			break;
		case STAGE_DONE:
			run_finish(run);
			return;
		}
	}
}

static int on_start(sd_event_source *source, void *userdata)
{
	struct iptables_run *run = userdata;

	run->start = sd_event_source_disable_unref(source);
	run_advance(run);
	return 0;
}

int iptables_run_start(struct iptables_mode *b, const struct view *view, bool full,
		       backend_done_t done, void *userdata)
{
	struct iptables_run *run = calloc(1, sizeof(*run));
	int r;

	if (!run)
		return -ENOMEM;
	run->backend = b;
	run->view = (struct view){
		.world = world_ref(view->world),
		.addrs = view->addrs ? local_addrs_ref(view->addrs) : NULL,
	};
	run->full = full;
	run->done = done;
	run->userdata = userdata;
	run->started = clock_monotonic_usec();
	r = sd_event_add_defer(b->event, &run->start, on_start, run);
	if (r < 0) {
		(void)iptables_run_free(run);
		return r;
	}
	b->run = run;
	return 0;
}
