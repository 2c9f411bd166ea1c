/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/*
 * A helper program (iptables-restore, iptables-save), with memory files for its input and output:
 * nothing has to be pumped, the event loop only waits for the process to end; and a daemon that
 * dies leaves the child with its whole input, so that what it loads is never cut in the middle.
 */
struct child {
	pid_t pid;	    /* 0: none running */
	int out_fd, err_fd; /* memory files, positioned anywhere; -1: none */
};
void child_init(struct child *c);
/* Forgets the files. Does not kill: a restore that runs is left to finish. */
void child_done(struct child *c);

/* argv[0] is looked up in PATH. input may be NULL (then /dev/null). The environment is ours, with
 * LC_ALL=C. -errno; -ENOENT when the program does not exist. */
int child_start(struct child *c, const char *const *argv, const void *input, size_t input_size);

/*
 * The same for a copy of this process that runs work() and ends with what it returns (0 to 255);
 * what it writes to out_fd is its output, standard error stays ours. Of our file descriptors it has
 * only these. For work that takes longer than the event loop can wait; the copy must not touch the
 * loop.
 */
typedef int (*child_work_t)(void *userdata, int out_fd);
int child_fork(struct child *c, child_work_t work, void *userdata);

/* All that the child wrote, malloc'ed and NUL-terminated; call after it ended. */
int child_output(const struct child *c, char **ret, size_t *ret_size);
int child_errors(const struct child *c, char **ret);

/* For programs without an event loop: waits, returns the exit status (128 + signal when killed) or
 * -errno. */
int child_wait(struct child *c);
