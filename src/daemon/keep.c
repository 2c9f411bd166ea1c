/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/keep.h"

#include <errno.h>
#include <linux/close_range.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "daemon/sync.h"

/* Between the end of one save and the begin of the next; and after one that failed. */
#define KEEP_INTERVAL_USEC (5 * USEC_PER_SEC)
#define KEEP_RETRY_USEC (10 * USEC_PER_SEC)
/* For the last save, at the end of the program. */
#define KEEP_FINISH_USEC (5 * USEC_PER_SEC)

int keep_new_config(const struct manager *m, struct config **ret)
{
	const struct config_places places = {.root = m->root};
	_cleanup_(config_freep) struct config *c = NULL;
	int r;

	r = config_new(&places, &c);
	if (r == 0)
		r = config_set_state(c, m->state_directory);
	if (r < 0)
		return r;
	if (m->host_known)
		config_set_host(c, &m->host);
	*ret = TAKE_PTR(c);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	keep_request(userdata);
	return 0;
}

static void arm(struct manager *m, uint64_t at)
{
	int r;

	if (!m->keep_timer) {
		r = sd_event_add_time(m->event, &m->keep_timer, CLOCK_MONOTONIC, at, 0, on_timer,
				      m);
	} else {
		r = sd_event_source_set_time(m->keep_timer, at);
		if (r >= 0)
			r = sd_event_source_set_enabled(m->keep_timer, SD_EVENT_ONESHOT);
	}
	if (r < 0)
		log_debug("cannot set the timer for the state directory: %s", strerror(-r));
}

/* Said once for each reason, until it works again. */
static void tell(struct manager *m, int error)
{
	if (error == m->keep_error)
		return;
	if (error)
		log_warning("cannot keep the last good state in %s: %s; a restart with a bad file "
			    "would leave that file out",
			    m->state_directory, strerror(error));
	else
		log_notice("the last good state is kept in %s again", m->state_directory);
	m->keep_error = error;
}

static void end(struct manager *m, int error)
{
	m->keep_pid = 0;
	m->keep_end_usec = clock_monotonic_usec();
	m->keep_done |= error == 0;
	/* A config that was made anew meanwhile knows nothing of it, and saves all. */
	if (m->keep_config == m->config)
		config_kept(m->config, error == 0);
	tell(m, error);
}

/* The child's exit status is an errno. */
static int error_of(const siginfo_t *info)
{
	return info->si_code == CLD_EXITED ? info->si_status : EIO;
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *userdata)
{
	struct manager *m = userdata;

	m->keep_child = sd_event_source_unref(source);
	end(m, error_of(info));
	keep_request(m);
	return 0;
}

static int save_in_child(const char *directory, const struct accepted_wanted *list, size_t n,
			 pid_t *ret)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		int r;

		/* A client would wait for the end of a connection that this copy keeps open. */
		(void)close_range(3, ~0U, 0);
		r = accepted_save(directory, list, n, NULL);
		_exit(r < 0 ? -r & 0xff : 0);
	}
	*ret = pid;
	return 0;
}

static int start(struct manager *m)
{
	_cleanup_free_ struct accepted_wanted *list = NULL;
	size_t n;
	int r;

	r = config_keep(m->config, &list, &n);
	if (r < 0)
		return r;
	m->keep_config = m->config;
	r = save_in_child(m->state_directory, list, n, &m->keep_pid);
	if (r < 0)
		end(m, -r);
	return r;
}

/* Somebody took the directory away: what it had is not in memory any more, so all files are read
 * again. */
static bool is_gone(const struct manager *m)
{
	_cleanup_free_ char *path = file_root_path(m->state_directory, "/accepted/index");

	return m->keep_done && path && access(path, F_OK) < 0 && errno == ENOENT;
}

void keep_request(struct manager *m)
{
	uint64_t pause = m->keep_error ? KEEP_RETRY_USEC : KEEP_INTERVAL_USEC;
	int r;

	if (m->keep_pid || m->stopping || m->once || m->last_error || !config_unkept(m->config))
		return;
	if (m->keep_end_usec && clock_monotonic_usec() < m->keep_end_usec + pause) {
		arm(m, m->keep_end_usec + pause);
		return;
	}
	if (is_gone(m)) {
		log_warning("%s is gone, making it again", m->state_directory);
		m->keep_done = false;
		m->look_at_all = true;
		config_forget_kept(m->config);
		sync_request(m);
		return;
	}
	r = start(m);
	if (r == 0)
		r = sd_event_add_child(m->event, &m->keep_child, m->keep_pid, WEXITED, on_child, m);
	if (r < 0 && m->keep_pid) {
		/* Nobody tells of its end, so it is waited for. */
		siginfo_t info = {0};

		end(m,
		    waitid(P_PID, (id_t)m->keep_pid, &info, WEXITED) < 0 ? errno : error_of(&info));
	}
}

static void wait_for(struct manager *m, uint64_t until)
{
	siginfo_t info = {0};

	m->keep_child = sd_event_source_disable_unref(m->keep_child);
	while (waitid(P_PID, (id_t)m->keep_pid, &info, WEXITED | WNOHANG) == 0) {
		if (info.si_pid) {
			end(m, error_of(&info));
			return;
		}
		if (clock_monotonic_usec() >= until)
			break;
		(void)usleep(10 * USEC_PER_MSEC);
	}
	/* It goes on without us; a save is there whole or not at all. */
	m->keep_pid = 0;
}

void keep_finish(struct manager *m)
{
	uint64_t until = clock_monotonic_usec() + KEEP_FINISH_USEC;

	if (m->keep_pid)
		wait_for(m, until);
	if (m->keep_pid || m->last_error || !m->last_sync_usec || !config_unkept(m->config))
		return;
	if (start(m) == 0)
		wait_for(m, until);
}
