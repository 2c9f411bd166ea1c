/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "backend/backend.h"
#include "backend/helper.h"
#include "backend/iptables-plan.h"
#include "backend/iptables-run.h"
#include "backend/ipvs-remove.h"
#include "backend/programs.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"

/* What ipvs mode has left, when iptables mode serves. */

#define AGAIN_USEC (60 * USEC_PER_SEC)

struct ipvs_remains {
	sd_event *event;
	struct ipvs_memory memory;
	sd_event_source *timer;
	struct helper *helper; /* NULL: none runs */
};

static void remove_rules(struct ipvs_outcome *o)
{
	for (int v = 0; v < _VARIANT_MAX; v++)
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			_cleanup_iptables_seen_ struct iptables_seen seen = {0};
			_cleanup_cleanup_plan_ struct cleanup_plan plan = {0};
			char *message = NULL;
			bool missing;
			int e;

			if (programs_look((enum iptables_variant)v, (enum addr_family)f, &seen,
					  &message) < 0) {
				log_debug("%s; taken as not in use", message ? message : "");
				free(message);
				continue;
			}
			e = iptables_plan_remains(&seen, MODE_IPTABLES, &plan);
			if (e < 0)
				ipvs_outcome_fail(o, (enum addr_family)f, e, "%s", strerror(-e));
			for (size_t i = 0; e == 0 && i < ELEMENTSOF(plan.texts); i++) {
				int r = plan.texts[i]
						? programs_load((enum iptables_variant)v,
								(enum addr_family)f, plan.texts[i],
								plan.sizes[i], &missing, &message)
						: 0;

				if (r < 0)
					ipvs_outcome_fail_text(o, (enum addr_family)f, r, message);
			}
		}
}

static void remove_remains(const struct ipvs_memory *memory, struct ipvs_outcome *o)
{
	struct ipvs_removal r;

	ipvs_removal_begin(&r, memory, o);
	r.gently = true;
	if (ipvs_removal_needed(&r)) {
		ipvs_remove_servers(&r, o);
		/* The guard stays as long as there is an address. */
		if (!o->remains && o->error == 0)
			remove_rules(o);
		if (!o->remains && o->error == 0)
			ipvs_remove_sets(o);
		if (!o->remains && o->error == 0)
			ipvs_removal_record(&r, true, o);
	}
	ipvs_removal_done(&r);
}

static void tell(const struct ipvs_outcome *o)
{
	_cleanup_free_ char *text = o->error < 0 ? ipvs_outcome_text(o) : NULL;

	ipvs_outcome_log_warnings(o);
	if (o->error < 0)
		log_warning("what ipvs mode left cannot all be removed: %s",
			    text ? text : strerror(-o->error));
	else if (o->remains)
		log_info("%zu virtual servers of ipvs mode stay until their connections have "
			 "ended",
			 o->n_draining);
	else if (o->n_servers + o->n_addresses > 0)
		log_info("what ipvs mode left is removed");
}

int ipvs_remains_remove(const struct ipvs_memory *memory)
{
	_cleanup_ipvs_outcome_ struct ipvs_outcome o = {0};

	remove_remains(memory, &o);
	tell(&o);
	return o.error;
}

static int work(void *userdata, int out)
{
	_cleanup_ipvs_outcome_ struct ipvs_outcome o = {0};
	const struct ipvs_remains *r = userdata;

	remove_remains(&r->memory, &o);
	tell(&o);
	return ipvs_outcome_write(&o, out) < 0;
}

static int start(struct ipvs_remains *r);

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	(void)start(userdata);
	return 0;
}

static void arm(struct ipvs_remains *r)
{
	uint64_t at = clock_monotonic_usec() + AGAIN_USEC;
	int e;

	if (!r->timer) {
		e = sd_event_add_time(r->event, &r->timer, CLOCK_MONOTONIC, at, 0, on_timer, r);
	} else {
		e = sd_event_source_set_time(r->timer, at);
		if (e >= 0)
			e = sd_event_source_set_enabled(r->timer, SD_EVENT_ONESHOT);
	}
	if (e < 0)
		log_warning("cannot set the timer for what ipvs mode left: %s", strerror(-e));
}

static void on_worked(struct helper *h, int status, void *userdata)
{
	_cleanup_ipvs_outcome_ struct ipvs_outcome o = {0};
	struct ipvs_remains *r = userdata;
	_cleanup_free_ char *report = NULL;
	size_t size;
	int e = status == 0 ? 0 : -EIO;

	r->helper = NULL;
	if (e == 0)
		e = child_output(helper_child(h), &report, &size);
	if (e == 0)
		e = ipvs_outcome_read(report, size, &o);
	if (e < 0 || o.error < 0 || o.remains)
		arm(r);
}

static int start(struct ipvs_remains *r)
{
	int e = helper_fork(r->event, "ipvs-remains", work, r, on_worked, r, &r->helper);

	if (e < 0)
		arm(r);
	return e;
}

int ipvs_remains_new(sd_event *event, const struct ipvs_memory *memory, struct ipvs_remains **ret)
{
	struct ipvs_remains *r = calloc(1, sizeof(*r));
	struct ipvs_outcome o = {0};
	struct ipvs_removal removal;
	bool needed;

	if (!r)
		return -ENOMEM;
	r->event = sd_event_ref(event);
	r->memory = *memory;
	/* On most hosts there is nothing, and that is quickly told. */
	ipvs_removal_begin(&removal, memory, &o);
	needed = ipvs_removal_needed(&removal);
	ipvs_removal_done(&removal);
	ipvs_outcome_done(&o);
	if (needed)
		(void)start(r);
	*ret = r;
	return 0;
}

bool ipvs_remains_busy(const struct ipvs_remains *r)
{
	return r && r->helper;
}

struct ipvs_remains *ipvs_remains_free(struct ipvs_remains *r)
{
	if (!r)
		return NULL;
	(void)sd_event_source_disable_unref(r->timer);
	(void)helper_detach(r->helper);
	(void)sd_event_unref(r->event);
	free(r);
	return NULL;
}
