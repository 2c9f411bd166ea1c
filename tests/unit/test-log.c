/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

/* While a test runs, stderr is a file; what came out of it is read back. */
struct capture {
	FILE *file;
	int stderr_fd;
	char text[8192];
};

static int start_capture(void **state)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (!c)
		return -1;
	c->file = tmpfile();
	c->stderr_fd = dup(STDERR_FILENO);
	if (!c->file || c->stderr_fd < 0 || dup2(fileno(c->file), STDERR_FILENO) < 0)
		abort();
	unsetenv("JOURNAL_STREAM");
	*state = c;
	return 0;
}

static int stop_capture(void **state)
{
	struct capture *c = *state;

	if (dup2(c->stderr_fd, STDERR_FILENO) < 0)
		return -1;
	close(c->stderr_fd);
	(void)fclose(c->file);
	free(c);
	unsetenv("JOURNAL_STREAM");
	return 0;
}

/* What was written since the last call. */
static const char *written(void **state)
{
	struct capture *c = *state;
	ssize_t n = pread(fileno(c->file), c->text, sizeof(c->text) - 1, 0);

	assert_true(n >= 0);
	c->text[n] = '\0';
	assert_int_equal(ftruncate(fileno(c->file), 0), 0);
	assert_int_equal(lseek(fileno(c->file), 0, SEEK_SET), 0);
	return c->text;
}

static void test_plain(void **state)
{
	log_init(LOG_INFO, true);
	log_error("cannot read '%s', ignoring it", "x");
	assert_string_equal(written(state), "cannot read 'x', ignoring it\n");
	log_info("two\nlines");
	assert_string_equal(written(state), "two\nlines\n");
	log_info("ends itself\n");
	assert_string_equal(written(state), "ends itself\n");
}

static void test_levels(void **state)
{
	log_init(LOG_WARNING, true);
	assert_true(log_enabled(LOG_ERR));
	assert_true(log_enabled(LOG_WARNING));
	assert_false(log_enabled(LOG_NOTICE));
	log_notice("hidden");
	log_debug("hidden");
	assert_string_equal(written(state), "");
	log_warning("shown");
	assert_string_equal(written(state), "shown\n");
	log_set_level(LOG_DEBUG);
	assert_true(log_enabled(LOG_DEBUG));
	log_debug("shown too");
	assert_string_equal(written(state), "shown too\n");
}

static void test_errno(void **state)
{
	log_init(LOG_INFO, true);
	errno = EXDEV;
	assert_int_equal(log_errno(-ENOENT, "cannot open %s", "x"), -ENOENT);
	assert_int_equal(errno, EXDEV);
	assert_string_equal(written(state), "cannot open x: No such file or directory\n");
	assert_int_equal(log_warning_errno(0, "nothing wrong"), 0);
	assert_string_equal(written(state), "nothing wrong\n");
	assert_int_equal(log_oom(), -ENOMEM);
	assert_string_equal(written(state), "no memory: Cannot allocate memory\n");
	log_set_level(LOG_ERR);
	assert_int_equal(log_full(LOG_DEBUG, -EIO, "hidden"), -EIO);
	assert_string_equal(written(state), "");
}

static void set_journal_stream(uintmax_t device, uintmax_t inode)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%" PRIuMAX ":%" PRIuMAX, device, inode);
	assert_int_equal(setenv("JOURNAL_STREAM", text, 1), 0);
}

static void test_journal(void **state)
{
	struct stat st;

	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	set_journal_stream(st.st_dev, st.st_ino);
	log_init(LOG_DEBUG, true);
	log_error("one");
	log_debug("two\nthree");
	assert_string_equal(written(state), "<3>one\n<7>two\n<7>three\n");

	/* of another stream: stderr was redirected */
	set_journal_stream(st.st_dev, st.st_ino + 1);
	log_init(LOG_DEBUG, true);
	log_error("one");
	assert_string_equal(written(state), "one\n");
	assert_int_equal(setenv("JOURNAL_STREAM", "nonsense", 1), 0);
	log_init(LOG_DEBUG, true);
	log_error("one");
	assert_string_equal(written(state), "one\n");
}

static void test_long(void **state)
{
	char text[4000];
	const char *got;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_init(LOG_INFO, true);
	assert_int_equal(log_errno(-EIO, "%s", text), -EIO);
	got = written(state);
	assert_int_equal(strspn(got, "x"), 2047);
	assert_string_equal(got + 2047, "\n"); /* one line all the same */
}

/* A log that cannot be written is no reason to fail, nor to change errno. */
static void test_full(void **state)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_true(full >= 0);
	log_init(LOG_INFO, true);
	assert_int_equal(dup2(full, STDERR_FILENO), STDERR_FILENO);
	assert_int_equal(close(full), 0);
	errno = EXDEV;
	assert_int_equal(log_errno(-ENOENT, "lost"), -ENOENT);
	assert_int_equal(errno, EXDEV);
	assert_string_equal(written(state), "");
}

static void test_level_from_text(void **state)
{
	(void)state;
	assert_int_equal(log_level_from_text("err"), LOG_ERR);
	assert_int_equal(log_level_from_text("warning"), LOG_WARNING);
	assert_int_equal(log_level_from_text("notice"), LOG_NOTICE);
	assert_int_equal(log_level_from_text("info"), LOG_INFO);
	assert_int_equal(log_level_from_text("debug"), LOG_DEBUG);
	assert_int_equal(log_level_from_text(""), -EINVAL);
	assert_int_equal(log_level_from_text("Info"), -EINVAL);
	assert_int_equal(log_level_from_text("error"), -EINVAL);
	assert_int_equal(log_level_from_text("crit"), -EINVAL);
	assert_int_equal(log_level_from_text("6"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CAPTURE_TEST(name) cmocka_unit_test_setup_teardown(name, start_capture, stop_capture)
		CAPTURE_TEST(test_plain),
		CAPTURE_TEST(test_levels),
		CAPTURE_TEST(test_errno),
		CAPTURE_TEST(test_journal),
		CAPTURE_TEST(test_long),
		CAPTURE_TEST(test_full),
		cmocka_unit_test(test_level_from_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
