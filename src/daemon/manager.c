/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/manager.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "daemon/ask.h"
#include "daemon/keep.h"
#include "daemon/mode.h"
#include "daemon/notify.h"
#include "daemon/report.h"
#include "daemon/sync.h"

/* More names than this in one debounce: looking at everything is cheaper. */
#define CHANGES_MAX 4096

static bool change_known(const struct manager *m, const struct config_change *c)
{
	/* Newest first: a file that is written over and over is the usual case. */
	for (size_t i = m->n_changes; i > 0 && i + 64 > m->n_changes; i--)
		if (m->changes[i - 1].kind == c->kind && streq(m->changes[i - 1].name, c->name))
			return true;
	return false;
}

static void on_files(void *userdata, const struct config_change *changes, size_t n, bool all)
{
	struct manager *m = userdata;

	m->look_at_all |= all;
	for (size_t i = 0; i < n && !m->look_at_all; i++) {
		if (change_known(m, &changes[i]))
			continue;
		if (m->n_changes >= CHANGES_MAX ||
		    array_reserve(&m->changes, &m->changes_allocated, m->n_changes + 1) < 0)
			m->look_at_all = true;
		else
			m->changes[m->n_changes++] = changes[i];
	}
	sync_request(m);
}

static int on_addresses(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct manager *m = userdata;
	bool changed = false;
	int r;

	(void)source;
	(void)fd;
	(void)revents;
	r = address_monitor_read(m->monitor, &changed);
	if (r < 0)
		(void)log_warning_errno(r, "cannot read address changes, looking at all addresses");
	if (r < 0 || changed) {
		m->addresses_stale = true;
		sync_request(m);
	}
	return 0;
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	(void)source;
	(void)info;
	sync_ask(userdata, NULL, false);
	return 0;
}

static int on_stop(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	(void)source;
	(void)info;
	sync_stop(userdata);
	return 0;
}

static void on_post(void *userdata, enum control_verb verb, struct server_request *request)
{
	sync_ask(userdata, request, verb == CONTROL_RESYNC);
}

static const struct server_ops server_ops = {.get = ask_get, .post = on_post};

static int set_up_signals(struct manager *m)
{
	sigset_t mask;
	int r;

	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGTERM);
	(void)sigaddset(&mask, SIGINT);
	(void)sigaddset(&mask, SIGHUP);
	(void)sigaddset(&mask, SIGCHLD);
	(void)sigaddset(&mask, SIGPIPE);
	if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0)
		return -errno;
	r = sd_event_add_signal(m->event, NULL, SIGTERM, on_stop, m);
	if (r >= 0)
		r = sd_event_add_signal(m->event, NULL, SIGINT, on_stop, m);
	if (r >= 0)
		r = sd_event_add_signal(m->event, NULL, SIGHUP, on_hangup, m);
	return r < 0 ? r : 0;
}

static int on_watchdog(sd_event_source *source, uint64_t usec, void *userdata)
{
	const struct manager *m = userdata;

	notify_watchdog();
	(void)sd_event_source_set_time(source, usec + m->watchdog_usec / 2);
	(void)sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

/* A timer of our own, not sd_event_set_watchdog(): see notify.c. */
static void set_up_watchdog(struct manager *m)
{
	int r = sd_watchdog_enabled(0, &m->watchdog_usec);

	if (r == 0)
		return;
	if (r > 0)
		r = sd_event_add_time(m->event, NULL, CLOCK_MONOTONIC, clock_monotonic_usec(), 1000,
				      on_watchdog, m);
	if (r < 0)
		(void)log_warning_errno(r, "cannot feed the watchdog");
}

/* What a daemon has and `--once` does not: files and addresses are followed, and it can be asked.
 */
static int set_up_daemon(struct manager *m)
{
	_cleanup_free_ char *socket_path = NULL;
	int r;

	r = watch_new(m->event, on_files, m, &m->watch);
	if (r < 0)
		return log_errno(r, "cannot watch files");
	r = address_monitor_new(&m->monitor);
	if (r == 0)
		r = sd_event_add_io(m->event, NULL, address_monitor_fd(m->monitor), EPOLLIN,
				    on_addresses, m);
	if (r < 0)
		return log_errno(r, "cannot follow the addresses of this host");
	socket_path = file_root_path(m->root, CONTROL_SOCKET);
	if (!socket_path)
		return log_oom();
	r = server_new(m->event, socket_path, &server_ops, m, &m->server);
	if (r == -EADDRINUSE)
		return log_errno(r, "another svcrouted answers on %s", socket_path);
	if (r < 0)
		(void)log_warning_errno(r, "no control socket at %s, going on without",
					socket_path);
	set_up_watchdog(m);
	return 0;
}

int manager_new(const struct manager_options *options, struct manager **ret)
{
	_cleanup_(manager_freep) struct manager *m = NULL;
	int r;

	m = calloc(1, sizeof(*m));
	if (!m)
		return log_oom();
	m->root = options->root;
	m->once = options->once;
	m->started_usec = clock_realtime_usec();
	r = sd_event_default(&m->event);
	if (r < 0)
		return log_errno(r, "cannot make an event loop");
	r = set_up_signals(m);
	if (r < 0)
		return log_errno(r, "cannot handle signals");
	m->state_directory = file_root_path(m->root, KEEP_DIRECTORY);
	if (!m->state_directory || keep_new_config(m, &m->config) < 0)
		return log_oom();
	r = mode_take_up(m);
	if (r < 0)
		return log_errno(r, "cannot set up iptables mode");
	if (!m->once) {
		r = set_up_daemon(m);
		if (r < 0)
			return r;
	}
	*ret = TAKE_PTR(m);
	return 0;
}

static void free_waiters(struct waiter *w)
{
	while (w) {
		struct waiter *next = w->next;

		if (w->request)
			server_reply(w->request, 503, NULL);
		free(w);
		w = next;
	}
}

struct manager *manager_free(struct manager *m)
{
	if (!m)
		return NULL;
	free_waiters(m->waiting);
	free_waiters(m->served);
	sd_event_source_disable_unref(m->timer);
	sd_event_source_disable_unref(m->host_timer);
	sd_event_source_disable_unref(m->keep_timer);
	sd_event_source_disable_unref(m->keep_child);
	ask_done(m);
	server_free(m->server);
	watch_free(m->watch);
	address_monitor_free(m->monitor);
	mode_done(m);
	local_addrs_unref(m->addrs);
	world_unref(m->world);
	config_free(m->config);
	host_facts_done(&m->host);
	diags_done(&m->host_problems);
	for (size_t i = 0; i < m->n_told; i++)
		free(m->told[i]);
	free(m->told);
	free(m->changes);
	free(m->last_error);
	free(m->state_directory);
	sd_event_unref(m->event);
	free(m);
	return NULL;
}

int manager_run(struct manager *m)
{
	int r;

	m->look_at_all = m->addresses_stale = m->sync_full = true;
	sync_request(m);
	r = sd_event_loop(m->event);
	keep_finish(m);
	if (r < 0) {
		(void)log_errno(r, "the event loop failed, stopping; rules stay");
		return 1;
	}
	return m->exit_status;
}
