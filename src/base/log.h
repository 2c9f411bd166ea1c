/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <syslog.h>

#include "base/cleanup.h"

/*
 * Logging for the two programs. Only daemon/, ctl/ and backend/ (below warning level) log;
 * libraries return errors. Levels are syslog's. A message says what happens next ("ignoring",
 * "keeping the last good content").
 */

/* to_stderr: lines go to stderr, with a "<3>" of their level in front when stderr is the journal,
 * else plain; without time, which the journal adds. Otherwise they go to syslog(3). Called from
 * main() only; until then lines of level info and above go to stderr. */
void log_init(int max_level, bool to_stderr);
void log_set_level(int max_level);
int log_level_from_text(const char *text); /* err, warning, notice, info, debug; -EINVAL */
bool log_enabled(int level);

/* Logs and returns error unchanged (a negative errno or 0), so that "return log_errno(...)" works.
 * The text of the error is appended after ": " when error < 0. */
int log_full(int level, int error, const char *format, ...) _printf_(3, 4);

#define log_error(...) log_full(LOG_ERR, 0, __VA_ARGS__)
#define log_warning(...) log_full(LOG_WARNING, 0, __VA_ARGS__)
#define log_notice(...) log_full(LOG_NOTICE, 0, __VA_ARGS__)
#define log_info(...) log_full(LOG_INFO, 0, __VA_ARGS__)
#define log_debug(...) log_full(LOG_DEBUG, 0, __VA_ARGS__)
#define log_errno(error, ...) log_full(LOG_ERR, (error), __VA_ARGS__)
#define log_warning_errno(error, ...) log_full(LOG_WARNING, (error), __VA_ARGS__)
#define log_oom() log_full(LOG_ERR, -ENOMEM, "no memory")
