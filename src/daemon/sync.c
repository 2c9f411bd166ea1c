/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/sync.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "daemon/host.h"
#include "daemon/keep.h"
#include "daemon/mode.h"
#include "daemon/notify.h"
#include "daemon/report.h"

/*
 *            request                    timer                      done
 *   idle -------------> waiting ----------------> running ----------------------> idle, or
 *                         ^   debounce, minimum     |  a request meanwhile         waiting
 *                         |   period, back-off      |  is kept for the next pass
 *                         +-------------------------+------- failed: again in 1, 2, 4 ... 30 s
 *
 * A pass: read the files that changed, look at the addresses if they moved, let the backend write.
 * Only the backend's part takes time that the loop does not spend. One pass at a time.
 */

#define BACKOFF_MAX_USEC (30 * USEC_PER_SEC)

/* A file that was being written is looked at again, though its close should tell: not every file
 * system tells of it. */
#define BUSY_USEC (500 * USEC_PER_MSEC)
/* How long one who asked waits for such a file. */
#define ASKED_BUSY_USEC (1200 * USEC_PER_MSEC)
/* A pass that is put off begins again after this. */
#define PUT_OFF_USEC (50 * USEC_PER_MSEC)

static void begin_pass(struct manager *m);

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	begin_pass(userdata);
	return 0;
}

static void arm(struct manager *m, uint64_t at)
{
	int r;

	if (!m->timer) {
		r = sd_event_add_time(m->event, &m->timer, CLOCK_MONOTONIC, at, 1000, on_timer, m);
	} else {
		r = sd_event_source_set_time(m->timer, at);
		if (r >= 0)
			r = sd_event_source_set_enabled(m->timer, SD_EVENT_ONESHOT);
	}
	if (r < 0) {
		(void)log_errno(r, "cannot set the timer for the next sync, stopping; rules stay");
		m->exit_status = 1;
		(void)sd_event_exit(m->event, 0);
	}
}

static const struct settings *settings_in_force(const struct manager *m)
{
	return m->world ? &m->world->settings->s : NULL;
}

/* A lock that is held was already waited for, for seconds, by the program that wanted it (-EAGAIN):
 * asking again at once lands soon after it is given back. */
static uint64_t backoff_usec(const struct manager *m, int error)
{
	const struct settings *s = settings_in_force(m);
	uint64_t most = s ? MIN_OF(s->sync_period, BACKOFF_MAX_USEC) : BACKOFF_MAX_USEC;
	unsigned doublings = error == -EAGAIN ? 0 : MIN_OF(m->n_failures - 1, 10u);

	return MIN_OF(USEC_PER_SEC << doublings, most);
}

/* Sets the timer for what is wanted; nothing while a pass runs: its end calls this again. */
static void schedule(struct manager *m)
{
	const struct settings *s = settings_in_force(m);
	uint64_t at;

	if (m->running || m->stopping || m->first_request_usec == 0)
		return;
	if (m->waiting || m->once) {
		arm(m, clock_monotonic_usec());
		return;
	}
	at = m->first_request_usec + (s ? s->config_debounce : 0);
	if (m->last_end_usec && s)
		at = MAX_OF(at, m->last_end_usec + s->min_sync_period);
	arm(m, at);
}

void sync_request(struct manager *m)
{
	uint64_t now = clock_monotonic_usec();

	if (m->first_request_usec == 0 || m->first_request_usec > now)
		m->first_request_usec = now;
	schedule(m);
}

void sync_ask(struct manager *m, struct server_request *request, bool full)
{
	struct waiter *w = calloc(1, sizeof(*w)), **at;

	if (!w) {
		(void)log_oom();
		if (request)
			server_reply(request, 500, NULL);
		return;
	}
	w->request = request;
	for (at = &m->waiting; *at; at = &(*at)->next)
		continue;
	*at = w;
	m->look_at_all = true;
	m->addresses_stale = true;
	m->sync_full |= full;
	if (!m->reloading && m->ready) {
		m->reloading = true;
		notify_reloading();
	}
	sync_request(m);
}

static void finish_loop(struct manager *m)
{
	(void)sd_event_exit(m->event, 0);
}

void sync_stop(struct manager *m)
{
	m->stopping = true;
	notify_stopping();
	if (m->running)
		log_info("stopping after the running sync");
	else
		finish_loop(m);
}

/* Everybody who waited for the pass that just ended gets its verdict. */
static void answer(struct manager *m)
{
	while (m->served) {
		struct waiter *w = m->served;
		int exit_status;
		json_t *body = report_verdict(m, &exit_status);

		if (!w->request)
			log_full(exit_status ? LOG_ERR : LOG_NOTICE, 0,
				 exit_status == 0 ? "reloaded"
				 : exit_status == 3
					 ? "reload: files were refused and count as they were when "
					   "last good, or not at all"
					 : "reload: the sync failed and will be tried again");
		else
			server_reply(w->request,
				     exit_status == 0	? 200
				     : exit_status == 3 ? 422
							: 500,
				     json_incref(body));
		json_decref(body);
		m->served = w->next;
		free(w);
	}
}

static void end_pass(struct manager *m)
{
	_cleanup_free_ char *line = NULL;

	m->running = false;
	m->last_end_usec = clock_monotonic_usec();
	answer(m);
	line = report_status_line(m);
	if (!m->ready && !m->last_error) {
		m->ready = true;
		notify_ready(line);
		log_info("ready: %s", line ? line : "");
	} else if (m->reloading && !m->waiting) {
		m->reloading = false;
		notify_ready(line);
	} else if (line) {
		notify_status(line);
	}
	if (m->once || m->stopping) {
		if (m->once && m->exit_status == 0)
			m->exit_status = m->last_error ? 1 : config_n_refused(m->config) ? 3 : 0;
		finish_loop(m);
		return;
	}
	if (m->first_request_usec == 0 && config_busy(m->config))
		m->first_request_usec = m->last_end_usec + BUSY_USEC;
	schedule(m);
}

static void set_error(struct manager *m, const char *message)
{
	free(m->last_error);
	m->last_error = message ? strdup(message) : NULL;
	if (message && !m->last_error)
		m->last_error = strdup("");
}

/* A pass that failed is tried again, whole, and less and less often. */
static void fail_pass(struct manager *m, int error, const char *message)
{
	uint64_t delay;

	m->n_failures++;
	m->n_failed_syncs++;
	if (m->failing_since_usec == 0)
		m->failing_since_usec = clock_realtime_usec();
	set_error(m, message);
	m->sync_full = true;
	delay = backoff_usec(m, error);
	if (m->once)
		log_error("sync failed: %s", message);
	else
		log_error("sync failed, trying again in %llu s: %s",
			  (unsigned long long)(delay / USEC_PER_SEC), message);
	end_pass(m);
	if (m->stopping || m->once)
		return;
	/* A change or a reload may come sooner than the retry and takes its place. */
	if (m->first_request_usec == 0) {
		m->first_request_usec = clock_monotonic_usec();
		arm(m, m->first_request_usec + delay);
	}
}

static void log_synced(const struct sync_result *result)
{
	unsigned long long ms = (unsigned long long)(result->duration_usec / USEC_PER_MSEC);
	const char *kind = result->full ? "full" : "what changed";

	if (result->written)
		log_info("synced in %llu ms (%s): %s", ms, kind, result->written);
	else
		log_info("synced in %llu ms (%s): %zu chains and %zu rules written, %zu stale "
			 "chains deleted",
			 ms, kind, result->n_chains, result->n_rules, result->n_stale);
}

static void on_synced(struct backend *b, const struct sync_result *result, void *userdata)
{
	struct manager *m = userdata;

	(void)b;
	if (result->error < 0) {
		fail_pass(m, result->error,
			  result->message ? result->message : strerror(-result->error));
		return;
	}
	if (m->n_failures)
		log_notice("in sync again after %u failed tries", m->n_failures);
	m->n_failures = 0;
	m->failing_since_usec = 0;
	set_error(m, NULL);
	m->n_syncs++;
	m->last_sync_usec = clock_realtime_usec();
	if (result->n_rules || result->n_stale || result->n_chains || result->n_other)
		m->last_change_usec = m->last_sync_usec;
	m->last_duration_usec = result->duration_usec;
	m->last_full = result->full;
	log_synced(result);
	keep_request(m);
	mode_synced(m);
	end_pass(m);
}

/* Memory ran out inside it: all is read again into a new one; the world in force stays. The broken
 * one is kept until then, for what it has to tell. */
static int replace_broken_config(struct manager *m)
{
	struct config *fresh;
	int r = keep_new_config(m, &fresh);

	if (r < 0)
		return r;
	config_free(m->config);
	m->config = fresh;
	m->config_broken = false;
	return 0;
}

/* An empty file is a valid one, and so is none: who emptied one by mistake finds it here. */
static void tell_of_fewer(const struct world *before, const struct world *now)
{
	if (before && now->n_services < before->n_services)
		log_notice("%zu services fewer than before: %zu of %zu are left",
			   before->n_services - now->n_services, now->n_services,
			   before->n_services);
}

/* What it says about the files is not reported yet. */
static int refresh_config(struct manager *m)
{
	static const struct config_change none;
	const struct config_change *changes = m->n_changes ? m->changes : &none;
	struct world *world = NULL;
	bool again = true;
	int tries, r;

	if (!m->look_at_all && m->n_changes == 0 && !config_busy(m->config))
		return 0;
	r = m->config_broken ? replace_broken_config(m) : 0;
	if (r < 0)
		return r;
	for (tries = 0; again && tries < 5; tries++) {
		again = false;
		r = config_refresh(m->config, m->look_at_all ? NULL : changes, m->n_changes,
				   &world);
		if (r < 0)
			break;
		tell_of_fewer(m->world, world);
		world_unref(m->world);
		m->world = world;
		if (!m->look_at_all || !m->watch)
			break;
		/* A directory that is watched only now may have changed since it was read. */
		r = watch_set_directories(m->watch, config_directories(m->config), &again);
		if (r < 0)
			break;
	}
	m->n_changes = 0;
	m->look_at_all = false;
	if (r == -ENOMEM) {
		m->config_broken = true;
		m->look_at_all = true;
		return r;
	}
	if (r < 0)
		m->look_at_all = true;
	return r;
}

static int refresh_addresses(struct manager *m)
{
	struct local_addrs *addrs = NULL;
	int r;

	if (!m->addresses_stale && m->addrs)
		return 0;
	r = addresses_read(&addrs);
	if (r < 0)
		return r; /* the last good list stays, spec/iptables.md W11 */
	m->addresses_stale = false;
	local_addrs_unref(m->addrs);
	m->addrs = addrs;
	return 0;
}

static void apply_settings(const struct manager *m)
{
	log_set_level(m->world->settings->s.log_level);
}

/* Nothing asked for the pass but files that were being written, and there is no news of them. */
static bool is_idle(const struct manager *m, struct world *before)
{
	const struct view old = {.world = before, .addrs = m->addrs};
	const struct view new = {.world = m->world, .addrs = m->addrs};
	struct view_diff diff = {0};
	bool idle;

	if (!before || view_diff(&old, &new, &diff) < 0)
		return false;
	idle = diff.n == 0 && diff.flags == 0;
	view_diff_done(&diff);
	return idle;
}

static void end_idle_pass(struct manager *m)
{
	m->running = false;
	if (config_busy(m->config))
		m->first_request_usec = clock_monotonic_usec() + BUSY_USEC;
	schedule(m);
}

/* The pass begins again soon, for all who asked. */
static void put_off(struct manager *m, uint64_t now)
{
	struct waiter **at;

	for (at = &m->served; *at; at = &(*at)->next)
		continue;
	*at = m->waiting;
	m->waiting = m->served;
	m->served = NULL;
	m->running = false;
	m->first_request_usec = now;
	arm(m, now + PUT_OFF_USEC);
}

/*
 * Who asks right behind his own change to a file must not be told that somebody writes it: without
 * a lease, which is to be had of own files only, nothing but time tells that a file is complete
 * (base/file.c). True: the pass is put off. Also before the first one, which counts for more.
 */
static bool wait_for_writer(struct manager *m)
{
	uint64_t now = clock_monotonic_usec();

	if (!config_busy(m->config) || m->once || (!m->served && m->ready)) {
		m->busy_since_usec = 0;
		return false;
	}
	if (m->busy_since_usec == 0)
		m->busy_since_usec = now;
	if (now - m->busy_since_usec > ASKED_BUSY_USEC) {
		m->busy_since_usec = 0;
		return false;
	}
	put_off(m, now);
	return true;
}

static void begin_pass(struct manager *m)
{
	_cleanup_(world_unrefp) struct world *before = NULL;
	struct view view;
	bool full;
	int r;

	if (m->running || m->stopping)
		return;
	m->running = true;
	m->first_request_usec = 0;
	m->served = m->waiting;
	m->waiting = NULL;
	/* Else nobody asked but a timer, for files that were being written. */
	if (config_busy(m->config) && m->ready && !m->served && !m->look_at_all && !m->n_changes &&
	    !m->sync_full && !m->addresses_stale)
		before = world_ref(m->world);
	if (m->addresses_stale || !m->addrs)
		host_refresh_facts(m); /* files are judged by them */
	r = refresh_config(m);
	if (r == 0 && wait_for_writer(m))
		return;
	if (r != -ENOMEM)
		report_problems(m);
	if (r < 0 && (!m->world || r == -ENOMEM)) {
		if (m->once)
			m->exit_status = r == -ENOMEM ? 1 : 3;
		fail_pass(m, r, r == -ENOMEM ? "no memory" : "the configuration cannot be used");
		return;
	}
	if (r == 0 && is_idle(m, before)) {
		end_idle_pass(m);
		return;
	}
	apply_settings(m);
	r = mode_take_up(m);
	if (r == -EAGAIN) {
		/* A copy of the process takes away what the mode before left, and ends. */
		put_off(m, clock_monotonic_usec());
		return;
	}
	if (r < 0) {
		fail_pass(m, r, "the mode cannot be set up");
		return;
	}
	if (m->once && config_n_left_out(m->config)) {
		/* There is no last good content: to go on would take rules away that work. */
		log_error("files were refused that have no last good content, nothing was changed");
		m->exit_status = 3;
		m->running = false;
		finish_loop(m);
		return;
	}
	r = refresh_addresses(m);
	if (r < 0 && !m->addrs) {
		fail_pass(m, r, "cannot read the addresses of this host");
		return;
	}
	if (r < 0)
		(void)log_warning_errno(
			r, "cannot read the addresses of this host, using those known");
	host_check_later(m);
	if (m->served || !m->ready) {
		host_check_now(m); /* somebody waits for what there is to say */
		report_problems(m);
	}
	view = (struct view){.world = m->world, .addrs = m->addrs};
	full = m->sync_full;
	m->sync_full = false;
	r = m->backend->ops->sync(m->backend, &view, full, on_synced, m);
	if (r < 0)
		fail_pass(m, r, strerror(-r));
}
