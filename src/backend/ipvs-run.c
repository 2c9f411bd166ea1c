/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-run.h"

#include <errno.h>

#include "base/clock.h"
#include "base/log.h"
#include "config/accepted.h"
#include "kernel/sysctl.h"

/* More changes than this are not for the event loop to make. */
#define CHANGES_IN_PLACE 500

static void state_forget(struct ipvs_state **s)
{
	*s = ipvs_state_unref(*s);
}

struct ipvs_run *ipvs_run_free(struct ipvs_run *run)
{
	if (!run)
		return NULL;
	(void)sd_event_source_disable_unref(run->start);
	(void)helper_detach(run->helper);
	(void)world_unref(run->view.world);
	(void)local_addrs_unref(run->view.addrs);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		state_forget(&run->task.old[f]);
		state_forget(&run->task.wanted[f]);
	}
	free(run);
	return NULL;
}

static void finish(struct ipvs_run *run, struct sync_result *result)
{
	struct ipvs_mode *b = run->backend;
	backend_done_t done = run->done;
	void *userdata = run->userdata;

	result->duration_usec = clock_monotonic_usec() - run->started;
	/* done() may start the next one. */
	b->run = ipvs_run_free(run);
	done(&b->backend, result, userdata);
}

static void fail(struct ipvs_run *run, int error, const char *what)
{
	_cleanup_strbuf_ struct strbuf text = {0};
	struct ipvs_mode *b = run->backend;
	struct sync_result result = {.error = error, .full = run->full};

	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		state_forget(&b->in_force[f]);
	strbuf_addf(&text, "%s: %s", what, strerror(-error));
	result.message = strbuf_error(&text) < 0 ? what : strbuf_text(&text);
	finish(run, &result);
}

static void warnings_clear(struct ipvs_mode *b)
{
	for (size_t i = 0; i < b->n_warnings; i++)
		free(b->warnings[i]);
	free(b->warnings);
	free(b->warning_list);
	b->warnings = NULL;
	b->warning_list = NULL;
	b->n_warnings = 0;
}

/* A warning that cannot be kept for want of memory is left out. */
static void warnings_take(struct ipvs_mode *b, const struct strbuf *texts)
{
	const char *text = strbuf_text(texts), *end = text + texts->len;
	size_t n = 0;

	for (const char *p = text; p < end; p += strlen(p) + 1)
		n++;
	warnings_clear(b);
	b->warnings = calloc(n + 1, sizeof(*b->warnings));
	b->warning_list = calloc(n + 2, sizeof(*b->warning_list));
	if (!b->warnings || !b->warning_list)
		return;
	for (const char *p = text; p < end; p += strlen(p) + 1) {
		char *copy = strdup(p);

		if (copy)
			b->warnings[b->n_warnings++] = copy;
	}
}

static void print_written(const struct ipvs_outcome *o, struct strbuf *out)
{
	if (o->n_servers + o->n_dests + o->n_entries + o->n_addresses + o->n_rules + o->n_chains +
		    o->n_stale ==
	    0)
		strbuf_add(out, "nothing to change");
	else
		strbuf_addf(out,
			    "%zu virtual and %zu real servers, %zu entries of sets, %zu addresses, "
			    "%zu chains and %zu rules written",
			    o->n_servers, o->n_dests, o->n_entries, o->n_addresses, o->n_chains,
			    o->n_rules);
}

/* What the work reported becomes the account. */
static void take_outcome(struct ipvs_run *run, const struct ipvs_outcome *o)
{
	_cleanup_free_ char *message = NULL;
	_cleanup_strbuf_ struct strbuf written = {0};
	struct ipvs_mode *b = run->backend;
	struct ipvs_owned settled;
	struct sync_result result = {
		.error = o->error,
		.full = run->full,
		.n_chains = o->n_chains,
		.n_rules = o->n_rules,
		.n_stale = o->n_stale,
		.n_other = o->n_servers + o->n_dests + o->n_entries + o->n_addresses,
	};

	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		state_forget(&b->in_force[f]);
		b->served[f] = run->task.wanted[f] && o->served[f] && !o->failed[f];
		if (b->served[f])
			b->in_force[f] = ipvs_state_ref(run->task.wanted[f]);
	}
	if (run->task.wanted[ADDR_IPV6] && !o->served[ADDR_IPV6] && !o->failed[ADDR_IPV6])
		b->ipv6_missing = true;
	if (o->decided) {
		b->decided = o->error == 0 || b->decided;
		b->variant = (enum iptables_variant)o->variant;
	}
	if (ipvs_work_settled(&run->task, o, &settled) == 0) {
		ipvs_owned_done(&b->owned);
		b->owned = settled;
	}
	if (o->saved) {
		b->has_saved = true;
		memcpy(b->saved_hash, o->saved_hash, sizeof(b->saved_hash));
	}
	if (run->full)
		warnings_take(b, &o->warnings);
	ipvs_drains_update(b, o, run->full);
	if (o->error < 0) {
		message = ipvs_outcome_text(o);
		result.message = message ? message : strerror(-o->error);
	}
	print_written(o, &written);
	result.written = strbuf_text(&written);
	finish(run, &result);
}

static int work(void *userdata, int out)
{
	const struct ipvs_run *run = userdata;
	_cleanup_ipvs_outcome_ struct ipvs_outcome o = {0};

	if (run->full)
		ipvs_work_full(&run->task, &o);
	else
		ipvs_work_change(&run->task, &o);
	return ipvs_outcome_write(&o, out) < 0;
}

static void on_worked(struct helper *h, int status, void *userdata)
{
	struct ipvs_run *run = userdata;
	_cleanup_ipvs_outcome_ struct ipvs_outcome o = {0};
	_cleanup_free_ char *report = NULL;
	size_t size;
	int r = status == 0 ? 0 : status < 0 ? status : -EIO;

	run->helper = NULL;
	if (r == 0)
		r = child_output(helper_child(h), &report, &size);
	if (r == 0)
		r = ipvs_outcome_read(report, size, &o);
	if (r < 0)
		fail(run, r, "the process that changes the kernel did not end well");
	else
		take_outcome(run, &o);
}

/* Without memory or descriptors it is not known: to go on would write another one over it. */
static bool may_pass(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

static int load_record(struct ipvs_mode *b)
{
	_cleanup_free_ char *data = NULL;
	size_t size = 0;
	int r;

	if (b->loaded)
		return 0;
	r = b->memory.load(b->memory.userdata, &data, &size);
	if (r == 0)
		r = ipvs_owned_parse(data, size, &b->owned);
	if (may_pass(r))
		return r;
	b->loaded = true;
	if (r == 0) {
		b->has_saved = true;
		accepted_hash(data, size, b->saved_hash);
	}
	if (r < 0 && r != -ENOENT)
		log_warning("the record of what is ours in the kernel cannot be used (%s), going "
			    "on without it",
			    r == -EBADMSG      ? "it is damaged"
			    : r == -EOPNOTSUPP ? "it is of another version"
					       : strerror(-r));
	return 0;
}

static bool usable_ipv6(struct ipvs_run *run)
{
	struct ipvs_mode *b = run->backend;

	if (run->full)
		b->ipv6_missing = false;
	return sysctl_ipv6_usable() && !b->ipv6_missing;
}

static int compile(struct ipvs_run *run)
{
	struct ipvs_mode *b = run->backend;
	bool grew = false;
	int r = 0;

	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		if (f == ADDR_IPV6 && !usable_ipv6(run))
			continue;
		r = ipvs_state_make(&run->view, (enum addr_family)f, b->compiled[f],
				    &run->task.wanted[f]);
		if (r < 0)
			return r;
		state_forget(&b->compiled[f]);
		b->compiled[f] = ipvs_state_ref(run->task.wanted[f]);
		if (b->in_force[f])
			run->task.old[f] = ipvs_state_ref(b->in_force[f]);
		else
			run->full = true;
		r = ipvs_owned_claim(&b->owned, run->task.wanted[f], &grew);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Settings that are not in the states: any change of the settings is a reason to look at all. */
static void note_settings(struct ipvs_run *run)
{
	struct ipvs_mode *b = run->backend;
	struct shared_settings *now = run->view.world->settings;

	if (b->settings != now) {
		run->full = true;
		(void)shared_settings_unref(b->settings);
		b->settings = shared_settings_ref(now);
	}
	if (b->setting != now->s.iptables_backend)
		b->decided = false;
	b->setting = now->s.iptables_backend;
	run->full |= !b->decided;
}

/* The host's addresses were read anew because some have changed: perhaps those of our link. */
static void note_addresses(struct ipvs_run *run)
{
	struct ipvs_mode *b = run->backend;

	if (b->addrs == run->view.addrs)
		return;
	(void)local_addrs_unref(b->addrs);
	b->addrs = run->view.addrs ? local_addrs_ref(run->view.addrs) : NULL;
	if (!run->full && !ipvs_look_addresses(b->in_force)) {
		log_notice("addresses are missing on " IPVS_DUMMY ", all is looked at");
		run->full = true;
	}
}

void ipvs_run_begin(struct ipvs_run *run)
{
	struct ipvs_mode *b = run->backend;
	size_t n = SIZE_MAX;
	int r;

	r = load_record(b);
	if (r < 0) {
		fail(run, r, "the record of what is ours in the kernel");
		return;
	}
	note_settings(run);
	r = compile(run);
	if (r < 0) {
		fail(run, r, "the wanted state");
		return;
	}
	note_addresses(run);
	run->task.settings = &run->view.world->settings->s;
	run->task.decided = b->decided;
	run->task.variant = b->variant;
	run->task.owned = &b->owned;
	run->task.has_saved = b->has_saved;
	memcpy(run->task.saved_hash, b->saved_hash, sizeof(b->saved_hash));
	if (!run->full)
		n = ipvs_work_size(&run->task);
	if (n <= CHANGES_IN_PLACE) {
		_cleanup_ipvs_outcome_ struct ipvs_outcome o = {0};

		if (n > 0)
			ipvs_work_change(&run->task, &o);
		for (int f = 0; n == 0 && f < _ADDR_FAMILY_MAX; f++)
			o.served[f] = true;
		take_outcome(run, &o);
		return;
	}
	run->task.memory = &b->memory;
	r = helper_fork(b->event, "ipvs", work, run, on_worked, run, &run->helper);
	if (r < 0)
		fail(run, r, "a process that changes the kernel");
}

static int on_start(sd_event_source *source, void *userdata)
{
	struct ipvs_run *run = userdata;

	run->start = sd_event_source_disable_unref(source);
	/* One at a time: what is there must not change between the look and the change. */
	if (!run->backend->drain)
		ipvs_run_begin(run);
	return 0;
}

int ipvs_run_start(struct ipvs_mode *b, const struct view *view, bool full, backend_done_t done,
		   void *userdata)
{
	struct ipvs_run *run = calloc(1, sizeof(*run));
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
		(void)ipvs_run_free(run);
		return r;
	}
	b->run = run;
	return 0;
}
