/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

/* Longer messages are cut. No memory is asked for: log_oom() must work. */
#define MESSAGE_MAX 2048

/* The one variable outside any object in this program: where messages go belongs to the process, as
 * stderr does, and handing it through every function would serve nobody. Written by main() only. */
static struct {
	int max_level;
	bool to_syslog;
	bool stderr_is_journal;
} log_state = {.max_level = LOG_INFO};

/* systemd tells device and inode of the stream that it connected (sd-journal(3), $JOURNAL_STREAM).
 * They are compared, because the variable is inherited also where stderr was redirected. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char expected[64];
	struct stat st;

	if (!stream || fstat(STDERR_FILENO, &st) < 0)
		return false;
	(void)snprintf(expected, sizeof(expected), "%" PRIuMAX ":%" PRIuMAX, (uintmax_t)st.st_dev,
		       (uintmax_t)st.st_ino);
	return streq(stream, expected);
}

void log_init(int max_level, bool to_stderr)
{
	log_state.max_level = max_level;
	log_state.to_syslog = !to_stderr;
	log_state.stderr_is_journal = stderr_is_journal();
	if (!to_stderr)
		openlog(NULL, LOG_PID, LOG_DAEMON);
}

void log_set_level(int max_level)
{
	log_state.max_level = max_level;
}

bool log_enabled(int level)
{
	return level <= log_state.max_level;
}

int log_level_from_text(const char *text)
{
	static const char *const names[] = {
		[LOG_ERR] = "err",   [LOG_WARNING] = "warning", [LOG_NOTICE] = "notice",
		[LOG_INFO] = "info", [LOG_DEBUG] = "debug",
	};

	for (int level = 0; level < (int)ELEMENTSOF(names); level++) {
		if (names[level] && streq(text, names[level]))
			return level;
	}
	return -EINVAL;
}

/* One line, in one write(2) so that lines of several processes do not mix. */
static void write_line(int level, const char *line, size_t n)
{
	char buf[MESSAGE_MAX + 8];
	size_t used = 0;

	if (log_state.stderr_is_journal)
		used = (size_t)snprintf(buf, sizeof(buf), "<%d>", LOG_PRI(level));
	n = MIN_OF(n, sizeof(buf) - used - 1);
	memcpy(buf + used, line, n);
	used += n;
	buf[used++] = '\n';
	/* nobody is left to tell when this fails */
	if (write(STDERR_FILENO, buf, used) < 0)
		return;
}

int log_full(int level, int error, const char *format, ...)
{
	int saved_errno = errno;
	char message[MESSAGE_MAX];
	size_t used;
	va_list ap;
	int n;

	if (!log_enabled(level))
		return error;

	va_start(ap, format);
	n = vsnprintf(message, sizeof(message), format, ap);
	va_end(ap);
	used = n < 0 ? 0 : MIN_OF((size_t)n, sizeof(message) - 1);
	message[used] = '\0';
	if (error < 0) {
		char text[128];

		(void)snprintf(message + used, sizeof(message) - used, ": %s",
			       strerror_r(-error, text, sizeof(text)));
	}

	if (log_state.to_syslog) {
		syslog(level, "%s", message);
	} else {
		/* each line gets its own prefix */
		for (const char *line = message; *line != '\0';) {
			size_t length = strcspn(line, "\n");

			write_line(level, line, length);
			line += length + (line[length] == '\n');
		}
	}
	errno = saved_errno;
	return error;
}
