/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/host.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "daemon/report.h"
#include "kernel/host-facts.h"
#include "model/host-check.h"

#define CHECK_DELAY_USEC USEC_PER_SEC

void host_refresh_facts(struct manager *m)
{
	struct host_facts facts = {0};
	int r = host_facts_read(false, &facts);

	if (r < 0) {
		log_debug("cannot look at this host: %s", strerror(-r));
		return;
	}
	host_facts_done(&m->host);
	m->host = facts;
	m->host_known = true;
	config_set_host(m->config, &m->host);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct manager *m = userdata;

	(void)source;
	(void)usec;
	host_check_now(m);
	report_problems(m);
	return 0;
}

void host_check_later(struct manager *m)
{
	uint64_t at = clock_monotonic_usec() + CHECK_DELAY_USEC;
	int r;

	m->host_stale = true;
	if (m->once)
		return;
	if (!m->host_timer) {
		r = sd_event_add_time(m->event, &m->host_timer, CLOCK_MONOTONIC, at, 0, on_timer,
				      m);
	} else {
		r = sd_event_source_set_time(m->host_timer, at);
		if (r >= 0)
			r = sd_event_source_set_enabled(m->host_timer, SD_EVENT_ONESHOT);
	}
	if (r < 0)
		log_debug("cannot set the timer for a look at this host: %s", strerror(-r));
}

static const struct service_def *definition_of(const void *config, const char *service)
{
	return config_definition(config, service);
}

void host_check_now(struct manager *m)
{
	const struct view view = {.world = m->world, .addrs = m->addrs};
	const struct host_check_places places = {
		.service = definition_of,
		.userdata = m->config,
		.origin = config_origin(m->config),
	};
	struct diags found = {0};

	if (!m->host_stale || !m->world || !m->addrs)
		return;
	if (host_check_world(m->host_known ? &m->host : NULL, &view, &places, &found) < 0) {
		diags_done(&found);
		return;
	}
	diags_done(&m->host_problems);
	m->host_problems = found;
	m->host_stale = false;
}
