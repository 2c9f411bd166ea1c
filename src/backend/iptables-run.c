/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/iptables-run.h"

#include <errno.h>

#include "backend/programs.h"
#include "base/clock.h"
#include "base/log.h"
#include "kernel/nfacct.h"
#include "kernel/sysctl.h"

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

enum iptables_variant iptables_run_other_variant(const struct iptables_run *run)
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

void iptables_run_next_family(struct iptables_run *run)
{
	iptables_plan_done(&run->plan);
	run->attempt = ATTEMPT_FIRST;
	run->step = 0;
	run->family++;
	run->stage = STAGE_SAVE;
}

void iptables_run_family_failed(struct iptables_run *run, int error, char *text)
{
	ruleset_forget(&run->backend->in_force[run->family]);
	note_failure(run, error, text);
	iptables_run_next_family(run);
}

void iptables_run_program_failed(struct iptables_run *run, const char *program, int status,
				 const char *errors)
{
	struct iptables_mode *b = run->backend;
	char *text = helper_failure_text(program, status, errors);

	log_debug("%s", text ? text : program);
	if (run->family != ADDR_IPV6 || b->served[ADDR_IPV6] ||
	    !programs_mean_missing(status, errors)) {
		iptables_run_family_failed(run,
					   status < 0			      ? status
					   : helper_lost_lock(status, errors) ? -EAGAIN
									      : -EIO,
					   text);
		return;
	}
	if (run->view.world->n_in_family[ADDR_IPV6] > 0)
		iptables_warning_set(&b->warnings, WARN_IPV6_OFF,
				     "IPv6 services are not served: %s", text ? text : "no memory");
	else
		log_info("IPv6 is not available on this host: %s", text ? text : "no memory");
	free(text);
	b->ipv6_missing = true;
	ruleset_forget(&b->in_force[ADDR_IPV6]);
	iptables_run_next_family(run);
}

static void read_facts(struct iptables_run *run, bool probe)
{
	struct iptables_mode *b = run->backend;
	int64_t liberal;
	int r;

	b->facts.tcp_be_liberal = sysctl_read_int(SYSCTL_TCP_BE_LIBERAL, &liberal) == 0 &&
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

static void look_at_ipv6(struct iptables_run *run)
{
	bool usable = sysctl_ipv6_usable(), wanted = run->view.world->n_in_family[ADDR_IPV6] > 0;
	struct iptables_mode *b = run->backend;

	if (run->full)
		b->ipv6_missing = false;
	run->usable[ADDR_IPV4] = true;
	run->usable[ADDR_IPV6] = usable && !b->ipv6_missing;
	if (!usable)
		ruleset_forget(&b->in_force[ADDR_IPV6]);
	if (!usable && !wanted && run->full)
		log_info("IPv6 is off on this host: its tables are left alone");
	if (!usable && wanted)
		iptables_warning_set(&b->warnings, WARN_IPV6_OFF,
				     "IPv6 is off on this host: IPv6 services are not served");
	else if (!b->ipv6_missing || !wanted)
		iptables_warning_set(&b->warnings, WARN_IPV6_OFF, NULL);
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
			ruleset_forget(&b->in_force[f]);
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
		ruleset_forget(&b->compiled[f]);
		b->compiled[f] = ruleset_ref(run->wanted[f]);
	}
	ensure_route_localnet(run);
	run->stage = run->survey ? STAGE_SURVEY : STAGE_SAVE;
	return 0;
}

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

void iptables_run_advance(struct iptables_run *run)
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
			if (iptables_run_survey(run))
				return;
			break;
		case STAGE_DECIDE:
			iptables_run_decide(run);
			break;
		case STAGE_SAVE:
			if (iptables_run_save(run))
				return;
			break;
		case STAGE_PLAN:
			iptables_run_plan(run);
			break;
		case STAGE_LOAD:
			if (iptables_run_load(run))
				return;
			break;
		case STAGE_TIDY:
			if (iptables_run_tidy(run))
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
	iptables_run_advance(run);
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
