/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/file.h"

void child_init(struct child *c)
{
	*c = (struct child){.out_fd = -1, .err_fd = -1};
}

void child_done(struct child *c)
{
	if (c->out_fd >= 0)
		(void)close(c->out_fd);
	if (c->err_fd >= 0)
		(void)close(c->err_fd);
	child_init(c);
}

/* Numbers 0 to 2 are kept free: the child's standard files are put there one after the other, and
 * one must not overwrite the source of the next. */
static int above_standard(int fd)
{
	int moved, error;

	if (fd < 0)
		return -errno;
	if (fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	error = errno;
	(void)close(fd);
	return moved < 0 ? -error : moved;
}

static int memory_file(const char *name)
{
	return above_standard(memfd_create(name, MFD_CLOEXEC));
}

static int open_input(const void *input, size_t size, int *ret)
{
	_cleanup_close_ int fd = -1;
	int r;

	if (!input)
		fd = above_standard(open("/dev/null", O_RDONLY | O_CLOEXEC));
	else
		fd = memory_file("input");
	if (fd < 0)
		return fd;
	if (input) {
		r = file_write_all(fd, input, size);
		if (r < 0)
			return r;
		if (lseek(fd, 0, SEEK_SET) < 0)
			return -errno;
	}
	*ret = TAKE_FD(fd);
	return 0;
}

/* Our environment, but messages in English: they are compared and shown. The strings stay ours. */
static int child_environment(char ***ret)
{
	static char c_locale[] = "LC_ALL=C";
	size_t n = 0, used = 0;
	char **e;

	while (environ && environ[n])
		n++;
	e = calloc(n + 2, sizeof(*e));
	if (!e)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "LC_ALL=", strlen("LC_ALL=")) != 0)
			e[used++] = environ[i];
	e[used] = c_locale;
	*ret = e;
	return 0;
}

/*
 * A session of its own: neither Ctrl-C nor a signal to our process group takes a restore down
 * half-way. Signals are as a program expects them at its start, whatever the event loop blocks.
 */
static int spawn(const char *const *argv, int in, int out, int err, char *const *env, pid_t *ret)
{
	const int sources[] = {in, out, err};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t all, none;
	int r;

	r = posix_spawn_file_actions_init(&actions);
	if (r != 0)
		return -r;
	r = posix_spawnattr_init(&attr);
	if (r != 0) {
		(void)posix_spawn_file_actions_destroy(&actions);
		return -r;
	}
	for (int fd = STDIN_FILENO; r == 0 && fd <= STDERR_FILENO; fd++)
		r = posix_spawn_file_actions_adddup2(&actions, sources[fd], fd);
	(void)sigfillset(&all);
	(void)sigemptyset(&none);
	if (r == 0)
		r = posix_spawnattr_setsigdefault(&attr, &all);
	if (r == 0)
		r = posix_spawnattr_setsigmask(&attr, &none);
	if (r == 0)
		r = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
							    POSIX_SPAWN_SETSIGMASK);
	if (r == 0)
		r = posix_spawnp(ret, argv[0], &actions, &attr, (char *const *)(uintptr_t)argv,
				 env);
	(void)posix_spawnattr_destroy(&attr);
	(void)posix_spawn_file_actions_destroy(&actions);
	return -r;
}

int child_start(struct child *c, const char *const *argv, const void *input, size_t input_size)
{
	_cleanup_close_ int in = -1, out = -1, err = -1;
	_cleanup_free_ char **env = NULL;
	pid_t pid = 0;
	int r;

	if (c->pid > 0)
		return -EBUSY;
	r = open_input(input, input_size, &in);
	if (r < 0)
		return r;
	out = memory_file("output");
	if (out < 0)
		return out;
	err = memory_file("errors");
	if (err < 0)
		return err;
	r = child_environment(&env);
	if (r < 0)
		return r;
	r = spawn(argv, in, out, err, env, &pid);
	if (r < 0)
		return r;
	child_done(c);
	c->pid = pid;
	c->out_fd = TAKE_FD(out);
	c->err_fd = TAKE_FD(err);
	return 0;
}

/* In the copy: nothing of the daemon's but its memory. Clients would wait for the end of
 * connections that it keeps open. Signals stay blocked as they are: it ends when it is done. */
_Noreturn static void run_copy(child_work_t work, void *userdata, int out)
{
	const int fd = STDERR_FILENO + 1;

	if (out != fd && dup3(out, fd, O_CLOEXEC) < 0)
		_exit(255);
	(void)close_range((unsigned)fd + 1, ~0U, 0);
	(void)setsid();
	_exit(work(userdata, fd) & 0xff);
}

int child_fork(struct child *c, child_work_t work, void *userdata)
{
	_cleanup_close_ int out = -1;
	pid_t pid;

	if (c->pid > 0)
		return -EBUSY;
	out = memory_file("report");
	if (out < 0)
		return out;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		run_copy(work, userdata, out);
	child_done(c);
	c->pid = pid;
	c->out_fd = TAKE_FD(out);
	return 0;
}

/* pread() leaves the position alone: it is the child's. */
static int read_whole(int fd, char **ret, size_t *ret_size)
{
	_cleanup_free_ char *data = NULL;
	struct stat st;
	size_t size, n = 0;

	if (fd < 0)
		return -EBADF;
	if (fstat(fd, &st) < 0)
		return -errno;
	size = (size_t)st.st_size;
	data = malloc(size + 1);
	if (!data)
		return -ENOMEM;
	while (n < size) {
		ssize_t got = pread(fd, data + n, size - n, (off_t)n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	data[n] = '\0';
	*ret = TAKE_PTR(data);
	if (ret_size)
		*ret_size = n;
	return 0;
}

int child_output(const struct child *c, char **ret, size_t *ret_size)
{
	return read_whole(c->out_fd, ret, ret_size);
}

int child_errors(const struct child *c, char **ret)
{
	return read_whole(c->err_fd, ret, NULL);
}

int child_wait(struct child *c)
{
	int status;

	if (c->pid <= 0)
		return -ECHILD;
	while (waitpid(c->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	c->pid = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
