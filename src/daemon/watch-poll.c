/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/watch-poll.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/strbuf.h"

/* FNV-1a: no enemy chooses what is hashed with any gain for himself. */
#define FNV_START UINT64_C(14695981039346656037)
#define FNV_FACTOR UINT64_C(1099511628211)

static uint64_t add_bytes(uint64_t hash, const void *data, size_t n)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ bytes[i]) * FNV_FACTOR;
	return hash;
}

static uint64_t add_number(uint64_t hash, uint64_t n)
{
	return add_bytes(hash, &n, sizeof(n));
}

static uint64_t add_stat(uint64_t hash, int dir_fd, const char *name, int flags)
{
	struct stat st;

	if (fstatat(dir_fd, name, &st, flags) < 0)
		return add_number(hash, (uint64_t)errno);
	hash = add_number(hash, st.st_dev);
	hash = add_number(hash, st.st_ino);
	hash = add_number(hash, st.st_mode);
	if (S_ISDIR(st.st_mode))
		return hash; /* its times tell of names that do not count */
	hash = add_number(hash, (uint64_t)st.st_size);
	hash = add_number(hash, (uint64_t)st.st_mtim.tv_sec);
	hash = add_number(hash, (uint64_t)st.st_mtim.tv_nsec);
	hash = add_number(hash, (uint64_t)st.st_ctim.tv_sec);
	return add_number(hash, (uint64_t)st.st_ctim.tv_nsec);
}

static void close_directory(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

uint64_t watch_print(const struct watch_item *item)
{
	const char *path = item->path[0] ? item->path : "/";
	_cleanup_(close_directory) DIR *dir = opendir(path);
	const struct dirent *e;
	uint64_t sum;

	if (!dir)
		return add_stat(add_number(FNV_START, (uint64_t)errno), AT_FDCWD, path,
				AT_SYMLINK_NOFOLLOW);
	sum = add_stat(FNV_START, dirfd(dir), ".", 0);
	/* A sum, for the order of names in a directory is not certain. */
	while ((e = readdir(dir)))
		if (watch_name_counts(item->kind, e->d_name))
			sum += add_stat(add_bytes(FNV_START, e->d_name, strlen(e->d_name)),
					dirfd(dir), e->d_name, 0);
	return sum;
}

static int octal_digit(char c)
{
	return c >= '0' && c <= '7' ? c - '0' : -1;
}

/* Blanks, tabs, newlines and backslashes are \ooo there (proc(5)). */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && octal_digit(from[1]) >= 0 && octal_digit(from[2]) >= 0 &&
		    octal_digit(from[3]) >= 0) {
			*to = (char)(octal_digit(from[1]) * 64 + octal_digit(from[2]) * 8 +
				     octal_digit(from[3]));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* The fifth word of a line is where it is mounted. malloc'ed. */
static char *mount_point(const char *line)
{
	char *path;

	for (int word = 1; word < 5; word++) {
		line += strcspn(line, " \n");
		line += *line == ' ';
	}
	path = strndup(line, strcspn(line, " \n"));
	if (path)
		unescape(path);
	return path;
}

static bool matters(const struct watch_set *s, const char *line)
{
	_cleanup_free_ char *path = mount_point(line);
	const struct watch_interest *found;
	const struct watch_spot *spot;
	char *slash;

	if (!path)
		return true; /* no memory to tell */
	if (watch_set_spot(s, path))
		return true;
	slash = strrchr(path, '/');
	if (!slash)
		return false;
	*slash = '\0';
	spot = watch_set_spot(s, slash == path ? "/" : path);
	if (!spot || spot->wd < 0)
		return false;
	return watch_set_find(s, spot->wd, NULL, &found) > 0 ||
	       watch_set_find(s, spot->wd, slash + 1, &found) > 0;
}

char *watch_mounts(void)
{
	_cleanup_close_ int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	_cleanup_strbuf_ struct strbuf b = {0};
	char part[4096];
	ssize_t n;

	if (fd < 0)
		return NULL;
	while ((n = read(fd, part, sizeof(part))) > 0)
		strbuf_add_bytes(&b, part, (size_t)n);
	return n < 0 ? NULL : strbuf_take(&b);
}

uint64_t watch_mounts_print(const struct watch_set *s, const char *mounts)
{
	uint64_t hash = FNV_START;

	while (*mounts) {
		size_t n = strcspn(mounts, "\n");

		n += mounts[n] == '\n';
		if (matters(s, mounts))
			hash = add_bytes(hash, mounts, n);
		mounts += n;
	}
	return hash;
}
