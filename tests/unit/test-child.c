/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "kernel/child.h"

/* Runs a shell command; the caller frees the output. */
static int run(const char *command, const void *input, size_t size, char **ret_out, char **ret_err)
{
	const char *argv[] = {"sh", "-c", command, NULL};
	struct child c;
	size_t n = 0;
	int status;

	child_init(&c);
	assert_int_equal(child_start(&c, argv, input, size), 0);
	assert_true(c.pid > 0);
	status = child_wait(&c);
	assert_int_equal(c.pid, 0);
	assert_int_equal(child_output(&c, ret_out, &n), 0);
	assert_int_equal(strlen(*ret_out), n);
	assert_int_equal(child_errors(&c, ret_err), 0);
	child_done(&c);
	assert_int_equal(c.out_fd, -1);
	assert_int_equal(c.err_fd, -1);
	return status;
}

static void test_results(void **state)
{
	static const struct {
		const char *command, *input;
		int status;
		const char *out, *err;
	} cases[] = {
		{"cat", "hello\n", 0, "hello\n", ""},
		{"cat", NULL, 0, "", ""},
		{"cat", "", 0, "", ""},
		{"echo no >&2; exit 4", NULL, 4, "", "no\n"},
		{"echo a; echo b >&2; echo c", NULL, 0, "a\nc\n", "b\n"},
		{"kill -9 $$", NULL, 128 + SIGKILL, "", ""},
		{"echo $LC_ALL", NULL, 0, "C\n", ""},
		{"echo $CHILD_TEST", NULL, 0, "kept\n", ""},
	};

	(void)state;
	assert_int_equal(setenv("LC_ALL", "xx_YY", 1), 0);
	assert_int_equal(setenv("CHILD_TEST", "kept", 1), 0);
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		char *out = NULL, *err = NULL;
		int status = run(cases[i].command, cases[i].input,
				 cases[i].input ? strlen(cases[i].input) : 0, &out, &err);

		if (status != cases[i].status || strcmp(out, cases[i].out) != 0 ||
		    strcmp(err, cases[i].err) != 0)
			fail_msg("case %zu: %d '%s' '%s'", i, status, out, err);
		free(out);
		free(err);
	}
}

/* More than any pipe holds, in both directions, with nobody pumping. */
static void test_large(void **state)
{
	size_t size = 8 << 20;
	char *input = malloc(size + 1), *out = NULL, *err = NULL;

	(void)state;
	assert_non_null(input);
	memset(input, 'x', size);
	input[size] = '\0';
	assert_int_equal(run("cat", input, size, &out, &err), 0);
	assert_string_equal(out, input);
	free(input);
	free(out);
	free(err);
}

static void test_missing(void **state)
{
	const char *missing[] = {"svcroute-no-such-program", NULL};
	const char *argv[] = {"true", NULL};
	struct child c;
	char *text = (char *)(uintptr_t)1;

	(void)state;
	child_init(&c);
	assert_int_equal(child_start(&c, missing, NULL, 0), -ENOENT);
	assert_int_equal(c.pid, 0);
	assert_int_equal(c.out_fd, -1);
	assert_int_equal(child_wait(&c), -ECHILD);
	assert_int_equal(child_output(&c, &text, NULL), -EBADF);
	assert_ptr_equal(text, (char *)(uintptr_t)1);
	/* one at a time */
	assert_int_equal(child_start(&c, argv, NULL, 0), 0);
	assert_int_equal(child_start(&c, argv, NULL, 0), -EBUSY);
	assert_int_equal(child_wait(&c), 0);
	assert_int_equal(child_start(&c, argv, NULL, 0), 0);
	assert_int_equal(child_wait(&c), 0);
	child_done(&c);
}

/* It inherits nothing: no files, no blocked or ignored signals, not our session. */
static void test_surroundings(void **state)
{
	char *out = NULL, *err = NULL, wanted[64];
	sigset_t all, before;

	(void)state;
	(void)sigfillset(&all);
	assert_int_equal(sigprocmask(SIG_BLOCK, &all, &before), 0);
	assert_ptr_not_equal(signal(SIGPIPE, SIG_IGN), SIG_ERR);
	/* signals 32 and 33 are the C library's own */
	assert_int_equal(run("grep -c -E '^Sig(Blk:.*0{16}|Ign:.*[08]0{7})$' /proc/self/status",
			     NULL, 0, &out, &err),
			 0);
	assert_string_equal(out, "2\n");
	free(out);
	free(err);
	(void)signal(SIGPIPE, SIG_DFL);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);

	/* input and errors (output is the pipe), and no second handle of any of the three */
	assert_int_equal(run("ls -l /proc/self/fd | grep -c memfd:", "x", 1, &out, &err), 0);
	assert_string_equal(out, "2\n");
	free(out);
	free(err);
	/* field 6 of stat is the session, 5 the process group; the shell leads both */
	assert_int_equal(
		run("read -r p c s pp g sid rest </proc/self/stat; [ $g = $sid ] && echo $sid",
		    NULL, 0, &out, &err),
		0);
	(void)snprintf(wanted, sizeof(wanted), "%d\n", (int)getsid(0));
	assert_string_not_equal(out, wanted);
	assert_true(strlen(out) > 1);
	free(out);
	free(err);
}

/* A daemon started without standard files: the child's come all the same. */
static void test_closed_files(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		const char *argv[] = {"sh", "-c", "cat; echo err >&2", NULL};
		char *out = NULL, *err = NULL;
		struct child c;

		for (int fd = 0; fd <= 2; fd++)
			(void)close(fd);
		child_init(&c);
		if (child_start(&c, argv, "in", 2) != 0 || child_wait(&c) != 0 ||
		    child_output(&c, &out, NULL) != 0 || child_errors(&c, &err) != 0)
			_exit(1);
		_exit(strcmp(out, "in") == 0 && strcmp(err, "err\n") == 0 ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The parent is killed: the child goes on to its end with all of its input. */
struct copied {
	const char *text;
	int result;
};

/* In the copy: what it was given, and which files it has. */
static int copy_work(void *userdata, int out)
{
	const struct copied *c = userdata;

	if (write(out, c->text, strlen(c->text)) < 0)
		return 254;
	for (int fd = 0; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0 && fd > 2 && fd != out)
			return 253;
	return getsid(0) == getpid() ? c->result : 252;
}

static void test_fork(void **state)
{
	static const struct {
		const char *text;
		int result, status;
	} cases[] = {{"", 0, 0}, {"report", 7, 7}, {"x", 255, 255}};
	int spare = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(spare >= 0);
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		struct copied work = {.text = cases[i].text, .result = cases[i].result};
		struct child c;
		char *text;
		size_t n;

		child_init(&c);
		assert_int_equal(child_fork(&c, copy_work, &work), 0);
		assert_int_equal(child_fork(&c, copy_work, &work), -EBUSY);
		assert_int_equal(child_wait(&c), cases[i].status);
		assert_int_equal(child_output(&c, &text, &n), 0);
		assert_int_equal(n, strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
		free(text);
		child_done(&c);
	}
	(void)close(spare);
}

static void test_orphan(void **state)
{
	char path[] = "/tmp/svcroute-child-XXXXXX", text[64] = "";
	int fd = mkstemp(path), status;
	pid_t pid;

	(void)state;
	assert_true(fd >= 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char command[100];
		const char *argv[] = {"sh", "-c", command, NULL};
		struct child c;

		(void)snprintf(command, sizeof(command), "sleep 0.3; cat >%s", path);
		child_init(&c);
		if (child_start(&c, argv, "whole input", 11) == 0)
			(void)kill(getpid(), SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	for (unsigned i = 0; i < 100 && text[0] == '\0'; i++) {
		(void)usleep(50000);
		assert_true(pread(fd, text, sizeof(text) - 1, 0) >= 0);
	}
	assert_string_equal(text, "whole input");
	(void)close(fd);
	(void)unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),	     cmocka_unit_test(test_large),
		cmocka_unit_test(test_missing),	     cmocka_unit_test(test_surroundings),
		cmocka_unit_test(test_closed_files), cmocka_unit_test(test_orphan),
		cmocka_unit_test(test_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
