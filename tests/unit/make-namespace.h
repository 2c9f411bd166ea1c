/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Network namespaces for tests of what talks to the kernel. Each test moves the whole test program
 * into a new, empty one; the old one goes with its last user. Skips the test where that is not
 * allowed. */

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>

#include "kernel/child.h"
#include "make-skip.h"
#include "make-world.h"

static inline const char *lock_path(void)
{
	static char path[64];

	(void)snprintf(path, sizeof(path), "/tmp/svcroute-unit-%d.lock", (int)getpid());
	return path;
}

static inline void remove_lock(void)
{
	(void)unlink(lock_path());
}

/* The lock of iptables is the host's; tests have one of their own. */
static inline void use_own_lock(void)
{
	if (getenv("XTABLES_LOCKFILE"))
		return;
	assert_int_equal(setenv("XTABLES_LOCKFILE", lock_path(), 1), 0);
	assert_int_equal(atexit(remove_lock), 0);
}

static inline void enter_namespace(void)
{
	use_own_lock();
	if (geteuid() != 0 || unshare(CLONE_NEWNET) < 0)
		skip_because("needs root and network namespaces");
}

/* Runs a shell command; the test fails when the command does. Its output, malloc'ed. */
static inline char *run_shell(const char *command)
{
	const char *argv[] = {"sh", "-c", command, NULL};
	char *output = NULL, *errors = NULL;
	struct child c;
	int status;

	child_init(&c);
	assert_int_equal(child_start(&c, argv, NULL, 0), 0);
	status = child_wait(&c);
	assert_int_equal(child_output(&c, &output, NULL), 0);
	assert_int_equal(child_errors(&c, &errors), 0);
	if (status != 0)
		fail_msg("'%s': status %d: %s", command, status, errors);
	free(errors);
	child_done(&c);
	return output;
}

static inline void do_shell(const char *command)
{
	free(run_shell(command));
}
