/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/*
 * Reads a whole regular file into a malloc'ed, NUL-terminated block (the NUL does not count in
 * ret_size). Opens relative to dir_fd (AT_FDCWD for none) with O_NONBLOCK and O_CLOEXEC, so a FIFO
 * cannot hang us; symlinks are followed (a link to /dev/null masks).
 * Errors: -ENOENT, -EACCES, -ELOOP and others from open(); -EISDIR for a directory; -ENOTSUP for
 * any other file that is not regular; -EFBIG above max bytes; -ENOMEM; -EAGAIN if the file changed
 * while it was being read, or lies about its size as those of /proc do. ret_stat may be NULL.
 */
int file_read(int dir_fd, const char *path, size_t max, char **ret_data, size_t *ret_size,
	      struct stat *ret_stat);

/*
 * The same of a file that is complete: -EBUSY (in the place of -EAGAIN, too) while another process
 * has it open for writing, be it that it writes or not. While it is read, who opens it for writing
 * has to wait (or, with O_NONBLOCK, gets EAGAIN). Where the kernel does not tell of writers (the
 * file is somebody else's and we have no CAP_LEASE; network file systems): -EBUSY until it was left
 * alone for a quarter of a second; for a second when it is empty.
 */
int file_read_complete(int dir_fd, const char *path, size_t max, char **ret_data, size_t *ret_size,
		       struct stat *ret_stat);

/* stat() of a regular file, symlinks followed, as it is when nobody writes: -EBUSY as above;
 * -EISDIR, -ENOTSUP and other errors as file_read(). Also of a file that may not be read. */
int file_stat_complete(int dir_fd, const char *path, struct stat *ret);

/* Writes all of it, through interruptions and short writes. -errno; some may have been written
 * then. */
int file_write_all(int fd, const void *data, size_t size);

/* Writes a file whole or not at all: temporary file in the same directory, fsync, rename, fsync of
 * the directory. Mode as given. Errors: negative errno of the step that failed; the old file is
 * untouched. */
int file_write_atomic(const char *path, const void *data, size_t size, mode_t mode);

/* mkdir -p; an existing directory is success. */
int file_make_dirs(const char *path, mode_t mode);

/* Joins root and an absolute path: ("/srv/t", "/etc/x") is "/srv/t/etc/x"; root NULL or "" gives
 * the path itself. malloc'ed, NULL when out of memory. */
char *file_root_path(const char *root, const char *path);

/* The first line of a small file such as a sysctl, newline removed; -ENOENT etc. -ENOBUFS when it
 * does not fit or is longer than 4095 bytes, -EINVAL when it holds a NUL. */
int file_read_line(const char *path, char *buf, size_t size);
/* Writes the text in one write(2), as /proc wants it. The file must be there; what a regular one
 * held is gone. -EIO when only a part was taken. */
int file_write_line(const char *path, const char *text);
