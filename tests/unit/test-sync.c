/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When passes begin and what is told of them. The backend, the log and the answers of the control
 * socket are stand-ins; the configuration, the loop, the timers and the notifications are real.
 * Nobody waits for a timer of seconds: its time is looked at, then it is set to now.
 */
#include "make-root.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "daemon/sync.h"

/* ---- stand-ins ---- */

struct server_request {
	int status; /* 0: not answered yet */
	int exit;   /* of the verdict, -1: no body */
	size_t n_diagnostics;
};

void server_reply(struct server_request *request, int http_status, json_t *body)
{
	assert_int_equal(request->status, 0);
	assert_true(http_status > 0);
	request->status = http_status;
	request->exit = body ? (int)json_integer_value(json_object_get(body, "exit")) : -1;
	request->n_diagnostics = json_array_size(json_object_get(body, "diagnostics"));
	json_decref(body);
}

static struct strbuf logged;

int log_full(int level, int error, const char *format, ...)
{
	va_list ap;

	strbuf_addf(&logged, "<%d>", level);
	va_start(ap, format);
	strbuf_addv(&logged, format, ap);
	va_end(ap);
	strbuf_add(&logged, "\n");
	return error;
}

void log_set_level(int max_level)
{
	(void)max_level;
}

struct fake {
	struct backend backend;
	int start_error; /* sync() fails at once */
	unsigned n_syncs;
	bool running, full;
	size_t n_services;
	backend_done_t done;
	void *userdata;
};

static int fake_sync(struct backend *backend, const struct view *view, bool full,
		     backend_done_t done, void *userdata)
{
	struct fake *f = (struct fake *)(void *)backend;

	assert_false(f->running);
	assert_non_null(view->world);
	assert_non_null(view->addrs);
	f->n_syncs++;
	f->full = full;
	f->n_services = view->world->n_services;
	if (f->start_error)
		return f->start_error;
	f->running = true;
	f->done = done;
	f->userdata = userdata;
	return 0;
}

static int fake_describe(struct backend *backend, char **ret)
{
	(void)backend;
	*ret = strdup("fake");
	return *ret ? 0 : -ENOMEM;
}

static const struct backend_ops fake_ops = {
	.name = "fake", .sync = fake_sync, .describe = fake_describe};

/* ---- bench ---- */

struct bench {
	struct root root;
	struct manager m;
	struct fake fake;
	int notify_fd;
	struct strbuf told; /* by notifications: "READY=1|STATUS=..." a line each */
};

static void set_up(struct bench *b)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct config_places places = {0};
	char path[ROOT_PATH_MAX];

	memset(b, 0, sizeof(*b));
	root_make(&b->root);
	root_write(&b->root, "etc/svcroute/svcroute.conf", "");
	b->notify_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(b->notify_fd >= 0);
	(void)root_path(&b->root, "notify", path);
	assert_true(strlen(path) < sizeof(address.sun_path));
	memcpy(address.sun_path, path, strlen(path) + 1);
	assert_int_equal(bind(b->notify_fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(setenv("NOTIFY_SOCKET", path, 1), 0);

	b->fake.backend.ops = &fake_ops;
	b->m.backend = &b->fake.backend;
	b->m.mode_settled = true; /* nothing is looked for in the kernel */
	b->m.root = b->root.path;
	places.root = b->root.path;
	assert_int_equal(sd_event_new(&b->m.event), 0);
	assert_int_equal(config_new(&places, &b->m.config), 0);
	b->m.look_at_all = b->m.addresses_stale = b->m.sync_full = true;
	strbuf_reset(&logged);
}

static void tear_down(struct bench *b)
{
	struct manager *m = &b->m;

	assert_null(m->served);
	while (m->waiting) {
		struct waiter *next = m->waiting->next;

		free(m->waiting);
		m->waiting = next;
	}
	sd_event_source_disable_unref(m->timer);
	sd_event_source_disable_unref(m->host_timer);
	host_facts_done(&m->host);
	diags_done(&m->host_problems);
	watch_free(m->watch);
	local_addrs_unref(m->addrs);
	world_unref(m->world);
	config_free(m->config);
	for (size_t i = 0; i < m->n_told; i++)
		free(m->told[i]);
	free(m->told);
	free(m->changes);
	free(m->last_error);
	sd_event_unref(m->event);
	assert_int_equal(unsetenv("NOTIFY_SOCKET"), 0);
	assert_int_equal(close(b->notify_fd), 0);
	strbuf_done(&b->told);
	strbuf_done(&logged);
	root_remove(&b->root);
}

/* What was sent to the service manager since the last call. */
static const char *notified(struct bench *b)
{
	char text[4096];
	ssize_t n;

	strbuf_reset(&b->told);
	while ((n = recv(b->notify_fd, text, sizeof(text) - 1, 0)) > 0) {
		text[n] = '\0';
		for (char *at = text; (at = strchr(at, '\n'));)
			*at = '|';
		strbuf_addf(&b->told, "%s\n", text);
	}
	return strbuf_text(&b->told);
}

/* Lets all run that is due. */
static void run(struct bench *b)
{
	int r = 0;

	while (sd_event_get_state(b->m.event) != SD_EVENT_FINISHED &&
	       (r = sd_event_run(b->m.event, 0)) > 0)
		continue;
	assert_true(r >= 0);
}

static bool timer_is_on(const struct bench *b)
{
	int enabled = SD_EVENT_OFF;

	if (b->m.timer)
		assert_true(sd_event_source_get_enabled(b->m.timer, &enabled) >= 0);
	return enabled != SD_EVENT_OFF;
}

/* Microseconds from a moment to the time of the timer. */
static int64_t timer_after(const struct bench *b, uint64_t moment)
{
	uint64_t at = 0;

	assert_true(timer_is_on(b));
	assert_int_equal(sd_event_source_get_time(b->m.timer, &at), 0);
	return (int64_t)(at - moment);
}

/* The timer's time comes. */
static void fire(struct bench *b)
{
	assert_true(timer_is_on(b));
	assert_int_equal(sd_event_source_set_time(b->m.timer, 0), 0);
	run(b);
}

static void finish(struct bench *b, int error, const char *message)
{
	const struct sync_result result = {
		.error = error, .message = message, .full = b->fake.full, .n_rules = 3};

	assert_true(b->fake.running);
	b->fake.running = false;
	b->fake.done(&b->fake.backend, &result, b->fake.userdata);
	run(b);
}

/* The first pass, done and well. */
static void start(struct bench *b)
{
	sync_request(&b->m);
	run(b);
	finish(b, 0, NULL);
	assert_true(b->m.ready);
	(void)notified(b);
	strbuf_reset(&logged);
}

#define SETTINGS "etc/svcroute/svcroute.conf"
#define FILE_A "etc/svcroute/services.d/a.cfg"
#define GOOD "services=({name=\"x\";clusterIP=\"10.0.0.1\";ports=({port=80;});});"
#define MSEC(n) ((n) * (int64_t)USEC_PER_MSEC)
#define SEC(n) ((n) * (int64_t)USEC_PER_SEC)

/* ---- tests ---- */

static void test_first_pass(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	root_write(&b.root, FILE_A, GOOD);
	run(&b);
	assert_int_equal(b.fake.n_syncs, 0); /* nobody asked */
	sync_request(&b.m);
	assert_int_equal(b.fake.n_syncs, 0); /* never from within */
	run(&b);
	assert_int_equal(b.fake.n_syncs, 1);
	assert_true(b.fake.full);
	assert_int_equal(b.fake.n_services, 1);
	assert_true(b.m.running);
	assert_false(b.m.ready);
	assert_string_equal(notified(&b), "");
	finish(&b, 0, NULL);
	assert_false(b.m.running);
	assert_true(b.m.ready);
	assert_non_null(strstr(notified(&b),
			       "READY=1|STATUS=iptables (fake): 1 services, 0 endpoints; in sync"));
	assert_int_equal(b.m.n_syncs, 1);
	assert_int_equal(b.m.n_failed_syncs, 0);
	assert_null(b.m.last_error);
	assert_true(b.m.last_full);
	assert_true(b.m.last_sync_usec > 0);
	assert_false(timer_is_on(&b));
	run(&b);
	assert_int_equal(b.fake.n_syncs, 1);
	tear_down(&b);
}

static void test_debounce(void **state)
{
	struct bench b;
	uint64_t now;

	(void)state;
	set_up(&b);
	root_write(&b.root, SETTINGS, "[Sync]\nConfigDebounce=300ms\nMinSyncPeriod=2s\n");
	start(&b);

	/* After quiet the first change waits for the debounce only; those that follow do not push
	 * it back. */
	b.m.last_end_usec = clock_monotonic_usec() - 10 * USEC_PER_SEC;
	now = clock_monotonic_usec();
	sync_request(&b.m);
	assert_in_range(timer_after(&b, now), MSEC(300), MSEC(400));
	assert_int_equal(usleep(20000), 0);
	sync_request(&b.m);
	sync_request(&b.m);
	assert_in_range(timer_after(&b, now), MSEC(300), MSEC(400));
	fire(&b);
	assert_int_equal(b.fake.n_syncs, 2);
	assert_false(b.fake.full);
	finish(&b, 0, NULL);
	assert_false(timer_is_on(&b));

	/* The next one keeps the distance from the end of the last. */
	sync_request(&b.m);
	assert_in_range(timer_after(&b, b.m.last_end_usec), SEC(2), SEC(2));
	fire(&b);
	finish(&b, 0, NULL);

	/* Settings count from the pass that read them on. */
	root_write(&b.root, SETTINGS, "[Sync]\nConfigDebounce=0\nMinSyncPeriod=0\n");
	b.m.look_at_all = true;
	sync_request(&b.m);
	fire(&b);
	finish(&b, 0, NULL);
	now = clock_monotonic_usec();
	sync_request(&b.m);
	assert_in_range(timer_after(&b, now), 0, MSEC(100));
	run(&b);
	finish(&b, 0, NULL);
	tear_down(&b);
}

static void test_request_during_a_pass(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	start(&b);
	sync_request(&b.m);
	fire(&b);
	assert_int_equal(b.fake.n_syncs, 2);
	root_write(&b.root, FILE_A, GOOD);
	b.m.look_at_all = true;
	for (int i = 0; i < 3; i++) {
		sync_request(&b.m);
		run(&b);
	}
	assert_int_equal(b.fake.n_syncs, 2);
	assert_false(timer_is_on(&b));
	assert_null(world_find(b.m.world, "default/x")); /* not read while a pass runs */
	finish(&b, 0, NULL);
	/* one pass more, at its time */
	assert_in_range(timer_after(&b, b.m.last_end_usec), SEC(1), SEC(1));
	fire(&b);
	assert_int_equal(b.fake.n_syncs, 3);
	assert_int_equal(b.fake.n_services, 1);
	finish(&b, 0, NULL);
	assert_false(timer_is_on(&b));
	tear_down(&b);
}

static void check_back_off(const char *settings, int error, const int64_t *seconds, size_t n)
{
	struct bench b;
	uint64_t since = 0;

	set_up(&b);
	root_write(&b.root, SETTINGS, settings);
	start(&b);
	sync_request(&b.m);
	fire(&b);
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < n; i++) {
			unsigned n_syncs = b.fake.n_syncs;

			finish(&b, error, "it went wrong");
			assert_int_equal(b.m.n_failures, i + 1);
			assert_string_equal(b.m.last_error, "it went wrong");
			assert_in_range(timer_after(&b, b.m.last_end_usec), SEC(seconds[i]),
					SEC(seconds[i]) + MSEC(100));
			if (i == 0)
				since = b.m.failing_since_usec;
			assert_true(since > 0);
			assert_int_equal(b.m.failing_since_usec, since);
			assert_non_null(strstr(notified(&b), "; not in sync since "));
			run(&b);
			assert_int_equal(b.fake.n_syncs, n_syncs);
			fire(&b);
			assert_int_equal(b.fake.n_syncs, n_syncs + 1);
			assert_true(b.fake.full); /* nothing is known of what a failure left */
		}
		strbuf_reset(&logged);
		finish(&b, 0, NULL);
		assert_non_null(strstr(strbuf_text(&logged), "in sync again after"));
		assert_int_equal(b.m.n_failures, 0);
		assert_int_equal(b.m.failing_since_usec, 0);
		assert_null(b.m.last_error);
		assert_false(timer_is_on(&b));
		/* and from the start the next time */
		sync_request(&b.m);
		fire(&b);
		assert_false(b.fake.full);
	}
	finish(&b, 0, NULL);
	tear_down(&b);
}

static void test_back_off(void **state)
{
	static const int64_t default_steps[] = {1, 2, 4, 8, 16, 30, 30, 30};
	static const int64_t short_steps[] = {1, 2, 4, 5, 5};
	static const int64_t lock_steps[] = {1, 1, 1, 1, 1, 1};

	(void)state;
	check_back_off("", -EIO, default_steps, ELEMENTSOF(default_steps));
	check_back_off("[Sync]\nSyncPeriod=60s\n", -EIO, default_steps, ELEMENTSOF(default_steps));
	check_back_off("[Sync]\nSyncPeriod=5s\n", -EIO, short_steps, ELEMENTSOF(short_steps));
	/* a lock that is held was waited for already */
	check_back_off("", -EAGAIN, lock_steps, ELEMENTSOF(lock_steps));
}

static void test_change_while_failing(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	start(&b);
	sync_request(&b.m);
	fire(&b);
	for (int i = 0; i < 4; i++) {
		finish(&b, -EIO, NULL);
		if (i < 3)
			fire(&b);
	}
	assert_string_equal(b.m.last_error, strerror(EIO));
	assert_in_range(timer_after(&b, b.m.last_end_usec), SEC(8), SEC(8) + MSEC(100));
	/* does not wait for the retry */
	sync_request(&b.m);
	assert_in_range(timer_after(&b, b.m.last_end_usec), SEC(1), SEC(1) + MSEC(100));
	fire(&b);
	/* a change while a pass runs that fails */
	sync_request(&b.m);
	finish(&b, -EIO, NULL);
	assert_in_range(timer_after(&b, b.m.last_end_usec), SEC(1), SEC(1) + MSEC(100));
	fire(&b);
	finish(&b, 0, NULL);
	assert_false(timer_is_on(&b));
	tear_down(&b);
}

/* The backend does not even start. */
static void test_no_start(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	b.fake.start_error = -EBUSY;
	sync_request(&b.m);
	run(&b);
	assert_int_equal(b.fake.n_syncs, 1);
	assert_false(b.m.running);
	assert_false(b.m.ready);
	assert_string_equal(b.m.last_error, strerror(EBUSY));
	assert_in_range(timer_after(&b, b.m.last_end_usec), SEC(1), SEC(1) + MSEC(100));
	assert_null(strstr(notified(&b), "READY"));
	b.fake.start_error = 0;
	fire(&b);
	finish(&b, 0, NULL);
	assert_non_null(strstr(notified(&b), "READY=1"));
	tear_down(&b);
}

static void test_verdicts(void **state)
{
	struct server_request good = {0}, bad = {0}, failed = {0}, resync = {0}, late = {0};
	struct bench b;

	(void)state;
	set_up(&b);
	root_write(&b.root, FILE_A, GOOD);
	start(&b);

	sync_ask(&b.m, &good, false);
	assert_non_null(strstr(notified(&b), "RELOADING=1|MONOTONIC_USEC="));
	run(&b); /* at once: no debounce, no minimum period */
	assert_int_equal(b.fake.n_syncs, 2);
	assert_false(b.fake.full);
	assert_int_equal(good.status, 0);
	finish(&b, 0, NULL);
	assert_int_equal(good.status, 200);
	assert_int_equal(good.exit, 0);
	assert_memory_equal(notified(&b), "READY=1|STATUS=", strlen("READY=1|STATUS="));

	root_write(&b.root, FILE_A, "services=(");
	sync_ask(&b.m, &bad, false);
	run(&b);
	assert_int_equal(b.fake.n_services, 1); /* the last good content */
	finish(&b, 0, NULL);
	assert_int_equal(bad.status, 422);
	assert_int_equal(bad.exit, 3);
	assert_int_equal(bad.n_diagnostics, 1);
	assert_non_null(strstr(notified(&b), "1 file refused"));

	root_write(&b.root, FILE_A, GOOD);
	sync_ask(&b.m, &failed, false);
	run(&b);
	/* Who asks while a pass runs gets the verdict of the next one: this one began before. */
	sync_ask(&b.m, &late, false);
	run(&b);
	assert_int_equal(b.fake.n_syncs, 4);
	finish(&b, -EIO, "no");
	assert_int_equal(failed.status, 500);
	assert_int_equal(failed.exit, 1);
	assert_int_equal(late.status, 0);
	/* which begins at once, although the one before failed */
	assert_int_equal(b.fake.n_syncs, 5);
	assert_null(strstr(notified(&b), "READY"));
	finish(&b, 0, NULL);
	assert_int_equal(late.status, 200);
	assert_non_null(strstr(notified(&b), "READY=1"));

	sync_ask(&b.m, &resync, true);
	run(&b);
	assert_true(b.fake.full);
	finish(&b, 0, NULL);
	assert_int_equal(resync.status, 200);

	/* Two at once, and SIGHUP, share a pass. */
	memset(&good, 0, sizeof(good));
	memset(&bad, 0, sizeof(bad));
	strbuf_reset(&logged);
	sync_ask(&b.m, &good, false);
	sync_ask(&b.m, NULL, false);
	sync_ask(&b.m, &bad, false);
	run(&b);
	finish(&b, 0, NULL);
	assert_int_equal(good.status, 200);
	assert_int_equal(bad.status, 200);
	assert_int_equal(b.fake.n_syncs, 7);
	assert_non_null(strstr(strbuf_text(&logged), "<5>reloaded\n"));
	assert_false(timer_is_on(&b));
	tear_down(&b);
}

static void test_stop(void **state)
{
	struct server_request served = {0}, waiting = {0};
	struct bench b;
	int code = -1;

	(void)state;
	/* idle: at once, also with a timer set */
	set_up(&b);
	start(&b);
	sync_request(&b.m);
	assert_true(timer_is_on(&b));
	sync_stop(&b.m);
	assert_non_null(strstr(notified(&b), "STOPPING=1"));
	run(&b);
	assert_int_equal(sd_event_get_state(b.m.event), SD_EVENT_FINISHED);
	assert_int_equal(sd_event_get_exit_code(b.m.event, &code), 0);
	assert_int_equal(code, 0);
	assert_int_equal(b.fake.n_syncs, 1);
	tear_down(&b);

	/* in a pass: after it */
	set_up(&b);
	start(&b);
	sync_ask(&b.m, &served, false);
	run(&b);
	sync_stop(&b.m);
	sync_stop(&b.m);
	sync_ask(&b.m, &waiting, false);
	sync_request(&b.m);
	run(&b);
	assert_int_not_equal(sd_event_get_state(b.m.event), SD_EVENT_FINISHED);
	finish(&b, 0, NULL);
	assert_int_equal(served.status, 200);
	assert_int_equal(waiting.status, 0); /* when the manager is freed */
	run(&b);
	assert_int_equal(sd_event_get_state(b.m.event), SD_EVENT_FINISHED);
	assert_int_equal(b.fake.n_syncs, 2);
	tear_down(&b);

	/* in a pass that fails */
	set_up(&b);
	start(&b);
	sync_request(&b.m);
	fire(&b);
	sync_stop(&b.m);
	finish(&b, -EIO, NULL);
	run(&b);
	assert_int_equal(sd_event_get_state(b.m.event), SD_EVENT_FINISHED);
	assert_int_equal(b.fake.n_syncs, 2);
	tear_down(&b);
}

static void test_once(void **state)
{
	static const struct {
		const char *settings, *file;
		int error;
		unsigned n_syncs;
		int exit_status;
	} rows[] = {
		{"", GOOD, 0, 1, 0},
		{"", GOOD, -EIO, 1, 1},
		{"", "services=(", 0, 0, 3},
		{"[Proxy]\nMode=nftables\n", GOOD, 0, 0, 3},
		{"[Proxy]\nNoSuch=1\n", GOOD, 0, 0, 3},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct bench b;

		set_up(&b);
		b.m.once = true;
		root_write(&b.root, SETTINGS, rows[i].settings);
		root_write(&b.root, FILE_A, rows[i].file);
		sync_request(&b.m);
		run(&b);
		assert_int_equal(b.fake.n_syncs, rows[i].n_syncs);
		if (b.fake.running)
			finish(&b, rows[i].error, NULL);
		run(&b);
		assert_int_equal(sd_event_get_state(b.m.event), SD_EVENT_FINISHED);
		if (b.m.exit_status != rows[i].exit_status)
			fail_msg("row %zu: %d", i, b.m.exit_status);
		tear_down(&b);
	}
}

/* A file in the wrong place is not in force either: working rules might go for it. */
static void test_once_with_a_misplaced_file(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	b.m.once = true;
	root_write(&b.root, "etc/svcroute/services.d/a.conf", GOOD);
	sync_request(&b.m);
	run(&b);
	assert_int_equal(b.fake.n_syncs, 0);
	assert_int_equal(b.m.exit_status, 3);
	tear_down(&b);
}

static void test_no_usable_configuration(void **state)
{
	struct server_request q = {0};
	struct bench b;

	(void)state;
	set_up(&b);
	root_write(&b.root, SETTINGS, "[Proxy]\nMode=nftables\n");
	sync_request(&b.m);
	run(&b);
	assert_int_equal(b.fake.n_syncs, 0);
	assert_null(b.m.world);
	assert_in_range(timer_after(&b, b.m.last_end_usec), SEC(1), SEC(1) + MSEC(100));
	assert_non_null(strstr(notified(&b), "STATUS=no usable configuration yet"));
	assert_non_null(strstr(strbuf_text(&logged), "mode not in this build"));
	sync_ask(&b.m, &q, false);
	run(&b);
	assert_int_equal(q.status, 500);
	assert_int_equal(q.exit, 1);
	assert_int_equal(q.n_diagnostics, 1);
	root_write(&b.root, SETTINGS, "");
	fire(&b);
	assert_int_equal(b.fake.n_syncs, 1);
	finish(&b, 0, NULL);
	assert_non_null(strstr(notified(&b), "READY=1"));
	tear_down(&b);
}

/* Each message once, until it was gone. */
static void test_messages_once(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	start(&b);
	root_write(&b.root, FILE_A, "services=(");
	for (int i = 0; i < 3; i++) {
		strbuf_reset(&logged);
		sync_ask(&b.m, NULL, false);
		run(&b);
		finish(&b, 0, NULL);
		assert_int_equal(strstr(strbuf_text(&logged), "a.cfg:1:") != NULL, i == 0);
	}
	root_write(&b.root, FILE_A, GOOD);
	sync_ask(&b.m, NULL, false);
	run(&b);
	finish(&b, 0, NULL);
	root_write(&b.root, FILE_A, "services=(");
	strbuf_reset(&logged);
	sync_ask(&b.m, NULL, false);
	run(&b);
	finish(&b, 0, NULL);
	assert_non_null(strstr(strbuf_text(&logged), "a.cfg:1:"));
	tear_down(&b);
}

static void on_watched(void *userdata, const struct config_change *changes, size_t n, bool all)
{
	struct manager *m = userdata;

	(void)changes;
	(void)n;
	(void)all;
	m->look_at_all = true;
	sync_request(m);
}

/* A directory that appears is read and watched in the same pass. */
static void test_with_watch(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	root_write(&b.root, SETTINGS, "[Sync]\nConfigDebounce=0\nMinSyncPeriod=0\n");
	assert_int_equal(watch_new(b.m.event, on_watched, &b.m, &b.m.watch), 0);
	start(&b);
	root_write(&b.root, FILE_A, GOOD);
	run(&b);
	assert_int_equal(b.fake.n_services, 1);
	finish(&b, 0, NULL);
	root_write(&b.root, FILE_A, "");
	run(&b);
	assert_int_equal(b.fake.n_services, 0);
	finish(&b, 0, NULL);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_pass),
		cmocka_unit_test(test_debounce),
		cmocka_unit_test(test_request_during_a_pass),
		cmocka_unit_test(test_back_off),
		cmocka_unit_test(test_change_while_failing),
		cmocka_unit_test(test_no_start),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_once_with_a_misplaced_file),
		cmocka_unit_test(test_no_usable_configuration),
		cmocka_unit_test(test_messages_once),
		cmocka_unit_test(test_with_watch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
