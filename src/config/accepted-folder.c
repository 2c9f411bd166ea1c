/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/accepted-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/num.h"

#define LOCK_TRY_USEC (10 * USEC_PER_MSEC)

int accepted_folder_open(const char *directory, int *ret_fd)
{
	_cleanup_close_ int top = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (top < 0)
		return -errno;
	fd = openat(top, ACCEPTED_FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int accepted_folder_lock(int fd, uint64_t usec)
{
	static const struct timespec pause = {.tv_nsec = LOCK_TRY_USEC * 1000};
	uint64_t end = clock_monotonic_usec() + usec;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return -errno;
		if (clock_monotonic_usec() >= end)
			return -EBUSY;
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

void accepted_folder_unlock(int fd)
{
	(void)flock(fd, LOCK_UN);
}

/* Fills data, which holds size bytes. -EBADMSG: the file has fewer, or more. */
static int read_exactly(int fd, char *data, size_t size)
{
	size_t n = 0;
	ssize_t got;
	char more;

	do {
		/* one byte past the end must not be there */
		got = n < size ? read(fd, data + n, size - n) : read(fd, &more, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		n += (size_t)got;
	} while (got != 0 && n <= size);
	return n == size ? 0 : -EBADMSG;
}

/* Reads a whole file of at least min and at most max bytes. -EBADMSG: it is not of that size, or
 * not a regular file. Nobody writes into a file that has its final name. */
static int read_regular(int dir_fd, const char *name, size_t min, size_t max, char **ret,
			size_t *ret_size)
{
	_cleanup_close_ int fd = openat(dir_fd, name,
					O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	_cleanup_free_ char *data = NULL;
	struct stat st;
	size_t size;
	int r;

	if (fd < 0)
		/* a symlink, a socket */
		return errno == ELOOP || errno == ENXIO ? -EBADMSG : -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < 0 || (uintmax_t)st.st_size < min ||
	    (uintmax_t)st.st_size > max)
		return -EBADMSG;
	size = (size_t)st.st_size;
	data = malloc(size + 1);
	if (!data)
		return -ENOMEM;
	r = read_exactly(fd, data, size);
	if (r < 0)
		return r;
	data[size] = '\0';
	*ret = TAKE_PTR(data);
	*ret_size = size;
	return 0;
}

int accepted_folder_read_index(int fd, struct accepted_index *ret, char **ret_text,
			       size_t *ret_size, const char **ret_reason)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	int r;

	r = read_regular(fd, ACCEPTED_INDEX, 0, ACCEPTED_INDEX_MAX, &text, &size);
	if (r == -EBADMSG)
		*ret_reason = "is not a regular file, or too large";
	if (r < 0)
		return r;
	r = accepted_index_parse(text, size, ret, ret_reason);
	if (r < 0)
		return r;
	if (ret_text) {
		*ret_text = TAKE_PTR(text);
		*ret_size = size;
	}
	return 0;
}

int accepted_folder_read_content(int fd, const uint8_t hash[ACCEPTED_HASH_SIZE], size_t size,
				 char **ret)
{
	_cleanup_free_ char *text = NULL;
	uint8_t found[ACCEPTED_HASH_SIZE];
	char name[ACCEPTED_NAME_MAX];
	int r;

	r = read_regular(fd, accepted_hash_format(hash, name), size, size, &text, &size);
	if (r < 0)
		return r;
	accepted_hash(text, size, found);
	if (memcmp(found, hash, sizeof(found)) != 0)
		return -EBADMSG;
	*ret = TAKE_PTR(text);
	return 0;
}

int accepted_folder_put_aside(int fd, const char *name)
{
	char bad[ACCEPTED_NAME_MAX + sizeof(".bad")];

	(void)snprintf(bad, sizeof(bad), "%s.bad", name);
	return renameat(fd, name, fd, bad) < 0 ? -errno : 0;
}
