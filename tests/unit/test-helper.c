/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "backend/helper.h"
#include "base/cleanup.h"

static void test_failure_text(void **state)
{
	static const struct {
		int status;
		const char *errors;
		bool lock;
		const char *text;
	} cases[] = {
		{1, NULL, false, "prog: exit status 1"},
		{1, "", false, "prog: exit status 1"},
		{1, "\n \n", false, "prog: exit status 1"},
		{2, "first\nsecond\n", false, "prog: exit status 2: first"},
		{2, "\n\nfirst", false, "prog: exit status 2: first"},
		{2, "tab\there\n", false, "prog: exit status 2: tab here"},
		/* the nft variant says the rest in the next line */
		{4,
		 "x v1.8.9 (nf_tables): \nline 3: CHAIN_DEL failed (Device or resource busy): "
		 "chain A\nmore\n",
		 false,
		 "prog: exit status 4: x v1.8.9 (nf_tables): line 3: CHAIN_DEL failed (Device or "
		 "resource busy): "
		 "chain A"},
		{4, "Another app is currently holding the xtables lock; still 4s\n", true,
		 "another program holds the xtables lock: prog: exit status 4: Another app is "
		 "currently holding "
		 "the xtables lock; still 4s"},
		{1, "the xtables lock\n", false, "prog: exit status 1: the xtables lock"},
		{4, NULL, false, "prog: exit status 4"},
		{128 + 9, NULL, false, "prog: killed by signal 9"},
		{-ENOENT, NULL, false, "prog: no such program"},
		{-EBADMSG, NULL, false, "prog: its output is not understood"},
		{-EAGAIN, NULL, false, "prog: cannot be run: Resource temporarily unavailable"},
	};
	char endless[2000], *text;

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		assert_int_equal(helper_lost_lock(cases[i].status, cases[i].errors), cases[i].lock);
		text = helper_failure_text("prog", cases[i].status, cases[i].errors);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
	memset(endless, 'x', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	text = helper_failure_text("prog", 1, endless);
	assert_int_equal(strlen(text), strlen("prog: exit status 1: ") + 300);
	free(text);
}

struct outcome {
	unsigned n;
	int status;
	char *output, *errors;
};

static void on_done(struct helper *h, int status, void *userdata)
{
	struct outcome *o = userdata;

	o->n++;
	o->status = status;
	assert_int_equal(child_output(helper_child(h), &o->output, NULL), 0);
	o->errors = helper_errors(h);
}

static void test_run(void **state)
{
	static const struct {
		const char *command;
		int status;
		const char *output, *errors;
	} cases[] = {
		{"cat", 0, "in", ""},
		{"echo e >&2; exit 7", 7, "", "e\n"},
		{"kill -15 $$", 128 + 15, "", ""},
	};
	sd_event *event = NULL;

	(void)state;
	assert_int_equal(sd_event_new(&event), 0);
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		const char *argv[] = {"sh", "-c", cases[i].command, NULL};
		struct outcome o = {0};
		struct helper *h = NULL;

		assert_int_equal(helper_start(event, argv, "in", 2, on_done, &o, &h), 0);
		assert_non_null(h);
		assert_int_equal(o.n, 0);
		while (o.n == 0)
			assert_true(sd_event_run(event, 5000000) > 0);
		assert_int_equal(o.n, 1);
		assert_int_equal(o.status, cases[i].status);
		assert_string_equal(o.output, cases[i].output);
		assert_string_equal(o.errors, cases[i].errors);
		free(o.output);
		free(o.errors);
		assert_int_equal(sd_event_run(event, 0), 0);
	}
	sd_event_unref(event);
}

static int echo(void *userdata, int out)
{
	const char *text = userdata;

	return write(out, text, strlen(text)) < 0 ? 1 : 3;
}

static void on_echoed(struct helper *h, int status, void *userdata)
{
	struct outcome *o = userdata;

	o->n++;
	o->status = status;
	assert_int_equal(child_output(helper_child(h), &o->output, NULL), 0);
	o->errors = helper_errors(h); /* its standard error is ours */
}

static void test_fork(void **state)
{
	char text[] = "from the copy";
	struct outcome o = {0};
	struct helper *h = NULL;
	sd_event *event = NULL;

	(void)state;
	assert_int_equal(sd_event_new(&event), 0);
	assert_int_equal(helper_fork(event, "echo", echo, text, on_echoed, &o, &h), 0);
	assert_non_null(h);
	while (o.n == 0)
		assert_true(sd_event_run(event, 5000000) > 0);
	assert_int_equal(o.status, 3);
	assert_string_equal(o.output, "from the copy");
	assert_null(o.errors);
	free(o.output);
	sd_event_unref(event);
}

static void test_not_started(void **state)
{
	const char *argv[] = {"svcroute-no-such-program", NULL};
	struct helper *h = (struct helper *)(uintptr_t)0xA5;
	sd_event *event = NULL;

	(void)state;
	assert_int_equal(sd_event_new(&event), 0);
	assert_int_equal(helper_start(event, argv, NULL, 0, on_done, NULL, &h), -ENOENT);
	assert_ptr_equal(h, (struct helper *)(uintptr_t)0xA5);
	assert_null(helper_detach(NULL));
	sd_event_unref(event);
}

/* Detached before and after its end: no callback, and nothing is lost (the sanitizer looks). */
static void test_detached(void **state)
{
	static const char *const commands[] = {"sleep 0.2", "exec sleep 30"};
	sd_event *event = NULL;

	(void)state;
	assert_int_equal(sd_event_new(&event), 0);
	for (size_t i = 0; i < ELEMENTSOF(commands); i++) {
		const char *argv[] = {"sh", "-c", commands[i], NULL};
		struct outcome o = {0};
		struct helper *h = NULL;
		pid_t pid;

		assert_int_equal(helper_start(event, argv, NULL, 0, on_done, &o, &h), 0);
		pid = helper_child(h)->pid;
		assert_null(helper_detach(h));
		if (i == 0) {
			assert_true(sd_event_run(event, 5000000) > 0);
			assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
			assert_int_equal(errno, ECHILD);
		} else { /* the loop goes first */
			sd_event_unref(event);
			assert_int_equal(kill(pid, SIGTERM), 0);
			assert_int_equal(waitpid(pid, NULL, 0), pid);
		}
		assert_int_equal(o.n, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failure_text), cmocka_unit_test(test_run),
		cmocka_unit_test(test_fork),	     cmocka_unit_test(test_not_started),
		cmocka_unit_test(test_detached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
