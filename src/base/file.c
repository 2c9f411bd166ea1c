/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

/* The longest line that file_read_line() reads: a page, as much as a sysctl holds. */
#define LINE_BYTES 4096

/* Where leases are not to be had: a file that was not written for so long is complete. What is
 * empty was most likely just truncated to be filled, and to believe it costs more. */
#define SETTLE_MSEC 250
#define SETTLE_EMPTY_MSEC 1000

/* Reads until size bytes are there or the file ends. */
static int read_full(int fd, char *data, size_t size, size_t *ret_n)
{
	size_t n = 0;

	while (n < size) {
		ssize_t got = read(fd, data + n, size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	*ret_n = n;
	return 0;
}

int file_write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size > 0) {
		ssize_t done = write(fd, at, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		if (done == 0)
			return -EIO;
		at += done;
		size -= (size_t)done;
	}
	return 0;
}

static bool same_content(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* O_NONBLOCK also keeps us from waiting for one who holds a lease of the file. */
static int open_to_read(int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return errno == ENXIO ? -ENOTSUP : -errno; /* ENXIO: a socket */
	return fd;
}

static int stat_regular(int fd, struct stat *ret)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -ENOTSUP;
	*ret = st;
	return 0;
}

/* The rest of file_read(). */
static int read_opened(int fd, const struct stat *before, size_t max, char **ret_data,
		       size_t *ret_size)
{
	_cleanup_free_ char *data = NULL;
	struct stat after;
	size_t size, n;
	int r;

	if (before->st_size < 0 || (uintmax_t)before->st_size > max ||
	    (uintmax_t)before->st_size > SIZE_MAX - 2)
		return -EFBIG;
	/* One byte more than expected is asked for, to see that the file has not grown. */
	size = (size_t)before->st_size;
	data = malloc(size + 2);
	if (!data)
		return -ENOMEM;
	r = read_full(fd, data, size + 1, &n);
	if (r < 0)
		return r;
	if (fstat(fd, &after) < 0)
		return -errno;
	if (n != size || !same_content(before, &after))
		return -EAGAIN;
	data[n] = '\0';
	*ret_data = TAKE_PTR(data);
	*ret_size = n;
	return 0;
}

int file_read(int dir_fd, const char *path, size_t max, char **ret_data, size_t *ret_size,
	      struct stat *ret_stat)
{
	_cleanup_close_ int fd = open_to_read(dir_fd, path);
	struct stat st;
	int r;

	if (fd < 0)
		return fd;
	r = stat_regular(fd, &st);
	if (r == 0)
		r = read_opened(fd, &st, max, ret_data, ret_size);
	if (r < 0)
		return r;
	if (ret_stat)
		*ret_stat = st;
	return 0;
}

/*
 * A read lease is to be had only of a file that nobody has open for writing, and as long as it is
 * held whoever wants to write waits in open() (fcntl(2)): it goes with the descriptor. -EBUSY:
 * there is a writer. -EOPNOTSUPP: no leases here: the file is somebody else's and we have no
 * CAP_LEASE, or the file system has none.
 */
static int take_lease(int fd)
{
	/* The signal by which the kernel asks for it back: the default one would end the program,
	 * this one is ignored by who did not ask for it. */
	if (fcntl(fd, F_SETSIG, SIGURG) < 0)
		return -EOPNOTSUPP;
	if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
		return 0;
	return errno == EAGAIN ? -EBUSY : -EOPNOTSUPP;
}

/* Without a lease: whether the last write is long enough ago. In either direction: the clock of a
 * file server may be ahead of ours. What is far in the future was not written now. */
static bool is_settled(const struct stat *st)
{
	int64_t age_msec, settle_msec = st->st_size == 0 ? SETTLE_EMPTY_MSEC : SETTLE_MSEC;
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	age_msec = ((int64_t)now.tv_sec - st->st_mtim.tv_sec) * 1000 +
		   (now.tv_nsec - st->st_mtim.tv_nsec) / 1000000;
	return age_msec >= settle_msec || age_msec <= -settle_msec;
}

/* A regular file, opened to be read, that nobody writes: its stat from a moment at which that is
 * certain. */
static int stat_complete(int fd, struct stat *ret)
{
	int lease = take_lease(fd), r;
	struct stat st;

	r = stat_regular(fd, &st);
	if (r < 0)
		return r;
	if (lease == -EBUSY || (lease < 0 && !is_settled(&st)))
		return -EBUSY;
	*ret = st;
	return 0;
}

int file_read_complete(int dir_fd, const char *path, size_t max, char **ret_data, size_t *ret_size,
		       struct stat *ret_stat)
{
	_cleanup_close_ int fd = open_to_read(dir_fd, path);
	struct stat st;
	int r;

	if (fd < 0)
		return fd == -EAGAIN ? -EBUSY : fd;
	r = stat_complete(fd, &st);
	if (r == 0)
		r = read_opened(fd, &st, max, ret_data, ret_size);
	if (r < 0)
		return r == -EAGAIN ? -EBUSY : r;
	if (ret_stat)
		*ret_stat = st;
	return 0;
}

int file_stat_complete(int dir_fd, const char *path, struct stat *ret)
{
	_cleanup_close_ int fd = open_to_read(dir_fd, path);
	struct stat st;

	if (fd >= 0)
		return stat_complete(fd, ret);
	if (fd == -EAGAIN)
		return -EBUSY;
	if (fd != -EACCES && fd != -EPERM)
		return fd;
	/* What may not be read can still be looked at. */
	if (fstatat(dir_fd, path, &st, 0) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -ENOTSUP;
	if (!is_settled(&st))
		return -EBUSY;
	*ret = st;
	return 0;
}

/* The directory part of path, "." when there is none. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	if (slash == path)
		return strdup("/");
	return strndup(path, (size_t)(slash - path));
}

static int sync_directory(const char *directory)
{
	_cleanup_close_ int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	/* EINVAL: this file system has nothing to sync */
	if (fsync(fd) < 0 && errno != EINVAL)
		return -errno;
	return 0;
}

/* Fills the temporary file, which the caller removes after an error. */
static int fill_file(int fd, const void *data, size_t size, mode_t mode)
{
	int r = file_write_all(fd, data, size);

	if (r < 0)
		return r;
	if (fchmod(fd, mode) < 0)
		return -errno;
	if (fsync(fd) < 0)
		return -errno;
	return 0;
}

int file_write_atomic(const char *path, const void *data, size_t size, mode_t mode)
{
	_cleanup_free_ char *directory = directory_of(path);
	_cleanup_free_ char *temporary = NULL;
	struct strbuf name = {0};
	_cleanup_close_ int fd = -1;
	const char *slash = strrchr(path, '/');
	int r;

	if (!directory)
		return -ENOMEM;
	/* A leading dot and a random end: no reader of *.cfg or *.conf takes it for a file of its
	 * own. */
	strbuf_addf(&name, "%s/.%s.XXXXXX", directory, slash ? slash + 1 : path);
	temporary = strbuf_take(&name);
	if (!temporary)
		return -ENOMEM;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = fill_file(fd, data, size, mode);
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlink(temporary);
		return r;
	}
	return sync_directory(directory);
}

/* mkdir(), or nothing when the directory is there. */
static int make_dir(const char *path, mode_t mode)
{
	struct stat st;

	if (mkdir(path, mode) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (stat(path, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

int file_make_dirs(const char *path, mode_t mode)
{
	_cleanup_free_ char *copy = strdup(path);
	int r;

	if (!copy)
		return -ENOMEM;
	/* the first byte is either the root or part of a name */
	for (char *p = copy; *p != '\0'; p++) {
		if (p == copy || *p != '/')
			continue;
		*p = '\0';
		r = make_dir(copy, mode);
		*p = '/';
		if (r < 0)
			return r;
	}
	return make_dir(copy, mode);
}

char *file_root_path(const char *root, const char *path)
{
	size_t n = root ? strlen(root) : 0;
	struct strbuf joined = {0};

	while (n > 0 && root[n - 1] == '/')
		n--;
	strbuf_add_bytes(&joined, root, n);
	strbuf_add(&joined, path);
	return strbuf_take(&joined);
}

int file_read_line(const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	char line[LINE_BYTES];
	const char *newline;
	size_t n;
	int r;

	if (fd < 0)
		return -errno;
	r = read_full(fd, line, sizeof(line), &n);
	if (r < 0)
		return r;
	newline = memchr(line, '\n', n);
	if (!newline && n == sizeof(line))
		return -ENOBUFS;
	if (newline)
		n = (size_t)(newline - line);
	if (n >= size)
		return -ENOBUFS;
	if (memchr(line, '\0', n))
		return -EINVAL;
	memcpy(buf, line, n);
	buf[n] = '\0';
	return 0;
}

int file_write_line(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_TRUNC | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	size_t n = strlen(text);
	ssize_t done;

	if (fd < 0)
		return -errno;
	do {
		done = write(fd, text, n);
	} while (done < 0 && errno == EINTR);
	if (done < 0)
		return -errno;
	return (size_t)done == n ? 0 : -EIO;
}
