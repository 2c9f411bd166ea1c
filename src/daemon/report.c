/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "daemon/host.h"

/* All there is to say about the files. */
static void collect(const struct manager *m, struct diags *ret)
{
	diags_copy(ret, config_problems(m->config));
	diags_copy(ret, &m->host_problems);
	diags_sort(ret);
}

static const struct diag *first_error(const struct diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->items[i].severity == DIAG_ERROR)
			return &d->items[i];
	return NULL;
}

/* "; 2 files refused, 1 as last good (since 2026-11-30T05:28:45Z), 1 left out: FILE:LINE: ..." */
static void add_refused(const struct manager *m, struct strbuf *b)
{
	size_t n = config_n_refused(m->config), left_out = config_n_left_out(m->config), pos = 0;
	const struct diag *first = first_error(config_problems(m->config));
	_cleanup_free_ char *text = first ? diag_format(first) : NULL;
	struct config_refused refused;
	uint64_t oldest = 0;
	char when[32];

	if (n == 0)
		return;
	while (config_next_refused(m->config, &pos, &refused))
		if (refused.since_usec && (oldest == 0 || refused.since_usec < oldest))
			oldest = refused.since_usec;
	strbuf_addf(b, "; %zu file%s refused", n, n == 1 ? "" : "s");
	if (n > left_out)
		strbuf_addf(b, ", %zu as last good%s%s%s", n - left_out, oldest ? " (since " : "",
			    oldest ? clock_format_utc(oldest, when) : "", oldest ? ")" : "");
	if (left_out)
		strbuf_addf(b, ", %zu left out", left_out);
	strbuf_addf(b, ": %s", text ? text : "");
}

char *report_status_line(const struct manager *m)
{
	_cleanup_strbuf_ struct strbuf b = {0};
	_cleanup_free_ char *backend = NULL;
	char when[32];

	if (m->world) {
		if (m->backend->ops->describe(m->backend, &backend) < 0)
			backend = NULL;
		strbuf_addf(&b, "%s%s%s%s: %zu services, %zu endpoints",
			    svc_mode_text(m->world->settings->s.mode), backend ? " (" : "",
			    backend ? backend : "", backend ? ")" : "", m->world->n_services,
			    m->world->n_endpoints);
	} else {
		strbuf_add(&b, "no usable configuration yet");
	}
	if (m->last_error)
		strbuf_addf(&b, "; not in sync since %s: %s",
			    clock_format_utc(m->failing_since_usec, when), m->last_error);
	else if (m->last_sync_usec)
		strbuf_addf(&b, "; in sync since %s", clock_format_utc(m->last_sync_usec, when));
	add_refused(m, &b);
	for (size_t i = 0; i < b.len; i++)
		if (b.data[i] ==
		    '\n') /* sd_notify() takes a newline for the end of the assignment */
			b.data[i] = ' ';
	return strbuf_take(&b);
}

static bool was_told(char *const *told, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (streq(told[i], text))
			return true;
	return false;
}

static int log_level_of(enum diag_severity severity)
{
	static const int levels[_DIAG_SEVERITY_MAX] = {
		[DIAG_ERROR] = LOG_ERR,
		[DIAG_WARNING] = LOG_WARNING,
		[DIAG_NOTICE] = LOG_INFO,
	};

	return levels[severity];
}

/* More than this many messages are not remembered one by one, only counted: a tree that is wrong
 * everywhere must not make each pass quadratic. */
#define TOLD_MAX 1000

void report_problems(struct manager *m)
{
	_cleanup_diags_ struct diags d = {0};
	size_t n, i, kept = 0;
	char **texts;

	collect(m, &d);
	n = MIN_OF(d.n, (size_t)TOLD_MAX);
	if (n == 0 && m->n_told == 0)
		return;
	texts = calloc(n + 1, sizeof(*texts));
	if (!texts)
		return;
	for (i = 0; i < n; i++) {
		char *text = diag_format(&d.items[i]);

		if (!text)
			continue;
		if (!was_told(m->told, m->n_told, text))
			log_full(log_level_of(d.items[i].severity), 0, "%s", text);
		texts[kept++] = text;
	}
	if (d.n > n)
		log_warning("%zu more messages about the configuration, see svcroutectl check",
			    d.n - n);
	for (i = 0; i < m->n_told; i++)
		free(m->told[i]);
	free(m->told);
	m->told = texts;
	m->n_told = kept;
}

static const char *state_text(const struct manager *m)
{
	if (m->last_error)
		return "failing";
	if (!m->ready)
		return "starting";
	return config_n_refused(m->config) ? "degraded" : "ok";
}

static size_t count_ports(const struct world *w)
{
	size_t n = 0;

	for (size_t i = 0; w && i < w->n_services; i++)
		n += w->services[i]->def->n_ports;
	return n;
}

/* What the backend has to say, and what the watcher: one list. */
static const char **collect_warnings(const struct manager *m, size_t *ret_n)
{
	size_t n = 0;
	const char *const *list = m->backend->ops->warnings(m->backend, &n);
	const char *trouble = m->watch ? watch_trouble(m->watch) : NULL;
	const char **all = calloc(n + 2, sizeof(*all));

	*ret_n = 0;
	if (!all)
		return NULL;
	for (size_t i = 0; i < n; i++)
		all[i] = list[i];
	if (trouble)
		all[n++] = trouble;
	*ret_n = n;
	return all;
}

static json_t *status_json(const struct manager *m, const struct counts *counts, int count_error)
{
	_cleanup_diags_ struct diags d = {0};
	_cleanup_free_ char *backend = NULL;
	size_t n_warnings;
	_cleanup_free_ const char **warnings = collect_warnings(m, &n_warnings);
	const struct control_status s = {
		.version = SVCROUTE_VERSION,
		.mode = m->world ? svc_mode_text(m->world->settings->s.mode) : "",
		.backend = m->backend->ops->describe(m->backend, &backend) < 0 ? "" : backend,
		.state = state_text(m),
		.node_name = m->world ? m->world->settings->s.node_name : "",
		.n_services = m->world ? m->world->n_services : 0,
		.n_service_ports = count_ports(m->world),
		.n_endpoints = m->world ? m->world->n_endpoints : 0,
		.n_files = config_n_files(m->config),
		.n_files_refused = config_n_refused(m->config),
		.started_usec = m->started_usec,
		.last_sync_usec = m->last_sync_usec,
		.last_change_usec = m->last_change_usec,
		.n_syncs = m->n_syncs,
		.n_failed_syncs = m->n_failed_syncs,
		.last_sync_duration_usec = m->last_duration_usec,
		.last_sync_full = m->last_full,
		.last_error = m->last_error,
		.failing_since_usec = m->failing_since_usec,
		.warnings = warnings,
		.n_warnings = n_warnings,
		.config = m->config,
		.state_error = m->keep_error ? strerror(m->keep_error) : NULL,
		.state_directory = m->state_directory,
		.problems = &d,
		.counts = counts,
		.count_error = count_error ? strerror(-count_error) : NULL,
	};

	collect(m, &d);
	return control_status_json(&s);
}

json_t *report_get(struct manager *m, enum control_verb verb, const char *service,
		   const struct counts *counts, int count_error, int *ret_status)
{
	const struct settings *s;

	if (verb == CONTROL_STATUS) {
		host_check_now(m);
		return status_json(m, counts, count_error);
	}
	if (!m->world) {
		*ret_status = 503;
		return json_object();
	}
	s = &m->world->settings->s;
	switch (verb) {
	case CONTROL_SERVICES:
		return control_services_json(m->world, m->config, s->node_name, s->zone, counts);
	case CONTROL_ENDPOINTS:
		if (service && !world_find(m->world, service)) {
			*ret_status = 404;
			return json_object();
		}
		return control_endpoints_json(m->world, service, s->node_name, s->zone, counts);
	case CONTROL_SETTINGS:
		return control_settings_json(s, config_origin(m->config));
	default:
		*ret_status = 404;
		return json_object();
	}
}

json_t *report_verdict(const struct manager *m, int *ret_exit_status)
{
	_cleanup_diags_ struct diags d = {0};
	const char *message = NULL;

	collect(m, &d);
	*ret_exit_status = 0;
	if (config_n_refused(m->config)) {
		*ret_exit_status = 3;
		message =
			"files were refused: they count as they were when last good, or not at all";
	}
	if (m->last_error) {
		*ret_exit_status = 1;
		message = m->last_error;
	}
	return control_verdict_json(*ret_exit_status, message, &d);
}
