/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "backend/ipvs-run.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"

/*
 * Real servers that drain are looked at each minute, apart from all syncs. Which those are, the
 * kernel remembers: their weight is 0 and no service wants them. So a restart forgets none.
 */
#define DRAIN_USEC (60 * USEC_PER_SEC)
#define LATER_USEC USEC_PER_SEC /* while a sync runs, or none was good */
#define LOOK_IN_PLACE 50

static void arm(struct ipvs_mode *b, uint64_t delay);

static int compare(const void *a, const void *b)
{
	return ipvs_key_compare(a, b);
}

void ipvs_drains_update(struct ipvs_mode *b, const struct ipvs_outcome *o, bool all)
{
	size_t n = 0;

	if (all && o->error == 0)
		b->n_draining = 0;
	for (size_t i = 0; i < o->n_draining; i++)
		if (array_reserve(&b->draining, &b->draining_allocated, b->n_draining + 1) == 0)
			b->draining[b->n_draining++] = o->draining[i];
	if (b->n_draining > 1)
		qsort(b->draining, b->n_draining, sizeof(*b->draining), compare);
	for (size_t i = 0; i < b->n_draining; i++)
		if (n == 0 || compare(&b->draining[n - 1], &b->draining[i]) != 0)
			b->draining[n++] = b->draining[i];
	b->n_draining = n;
	if (b->n_draining > 0)
		arm(b, DRAIN_USEC);
}

static void take_outcome(struct ipvs_mode *b, const struct ipvs_outcome *o)
{
	/* What could not be looked at is looked at again. */
	if (o->error < 0)
		log_warning("%s", o->message ? o->message : strerror(-o->error));
	ipvs_drains_update(b, o, o->error == 0);
	if (b->n_draining > 0)
		arm(b, DRAIN_USEC);
}

static void make_task(const struct ipvs_mode *b, struct ipvs_task *t)
{
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		t->wanted[f] = b->in_force[f];
}

static int work(void *userdata, int out)
{
	const struct ipvs_mode *b = userdata;
	_cleanup_ipvs_outcome_ struct ipvs_outcome o = {0};
	struct ipvs_task t = {0};

	make_task(b, &t);
	ipvs_work_drains(&t, b->draining, b->n_draining, &o);
	return ipvs_outcome_write(&o, out) < 0;
}

static void on_worked(struct helper *h, int status, void *userdata)
{
	_cleanup_ipvs_outcome_ struct ipvs_outcome o = {0};
	_cleanup_free_ char *report = NULL;
	struct ipvs_mode *b = userdata;
	size_t size;
	int r = status == 0 ? 0 : -EIO;

	b->drain = NULL;
	if (r == 0)
		r = child_output(helper_child(h), &report, &size);
	if (r == 0)
		r = ipvs_outcome_read(report, size, &o);
	if (r < 0)
		arm(b, DRAIN_USEC);
	else
		take_outcome(b, &o);
	if (b->run)
		ipvs_run_begin(b->run);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	_cleanup_ipvs_outcome_ struct ipvs_outcome o = {0};
	struct ipvs_mode *b = userdata;
	struct ipvs_task t = {0};
	bool later = false;

	(void)source;
	(void)usec;
	/* While it is not known what is wanted, a weight of 0 says nothing. */
	for (size_t i = 0; i < b->n_draining; i++)
		later |= !b->in_force[b->draining[i].addr.family];
	if (later || b->run || b->drain) {
		arm(b, LATER_USEC);
		return 0;
	}
	if (b->n_draining > LOOK_IN_PLACE) {
		if (helper_fork(b->event, "drain", work, b, on_worked, b, &b->drain) < 0)
			arm(b, DRAIN_USEC);
		return 0;
	}
	make_task(b, &t);
	ipvs_work_drains(&t, b->draining, b->n_draining, &o);
	take_outcome(b, &o);
	return 0;
}

/* Not while it runs: syncs that come each few seconds must not put it off. */
static void arm(struct ipvs_mode *b, uint64_t delay)
{
	uint64_t at = clock_monotonic_usec() + delay;
	int enabled = SD_EVENT_OFF, r;

	if (!b->drain_timer) {
		r = sd_event_add_time(b->event, &b->drain_timer, CLOCK_MONOTONIC, at, 0, on_timer,
				      b);
	} else {
		r = sd_event_source_get_enabled(b->drain_timer, &enabled);
		if (r >= 0 && enabled != SD_EVENT_OFF)
			return;
		r = sd_event_source_set_time(b->drain_timer, at);
		if (r >= 0)
			r = sd_event_source_set_enabled(b->drain_timer, SD_EVENT_ONESHOT);
	}
	if (r < 0)
		log_warning("cannot set the timer for draining real servers: %s", strerror(-r));
}

void ipvs_drains_done(struct ipvs_mode *b)
{
	(void)sd_event_source_disable_unref(b->drain_timer);
	(void)helper_detach(b->drain);
	free(b->draining);
}
