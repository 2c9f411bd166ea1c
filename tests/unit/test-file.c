/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-skip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

/* A folder of its own for each test; the path is kept in state. */
static int make_folder(void **state)
{
	char *folder = strdup("/tmp/test-file.XXXXXX");

	if (!folder || !mkdtemp(folder))
		return -1;
	*state = folder;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_folder(void **state)
{
	int r = nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return r;
}

static const char *in(void **state, const char *name, char buf[256])
{
	(void)snprintf(buf, 256, "%s/%s", (const char *)*state, name);
	return buf;
}

static void put(const char *path, const char *data, size_t size)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
}

/* Reads what must be there. */
static void check_content(const char *path, const char *data, size_t size)
{
	_cleanup_free_ char *got = NULL;
	size_t n = 4711;

	assert_int_equal(file_read(AT_FDCWD, path, 1 << 20, &got, &n, NULL), 0);
	assert_int_equal(n, size);
	assert_memory_equal(got, data, size);
	assert_int_equal(got[size], '\0');
}

/* Reads what must not be readable, and finds the outputs as they were. */
static void check_refused(int dir_fd, const char *path, size_t max, int error)
{
	char poison = 'p';
	char *data = &poison;
	size_t size = 4711;
	struct stat st = {.st_size = 4712};
	int r = file_read(dir_fd, path, max, &data, &size, &st);

	if (r != error)
		fail_msg("%s: %d (%s), not %d", path, r, strerror(-r), error);
	assert_ptr_equal(data, &poison);
	assert_int_equal(size, 4711);
	assert_int_equal(st.st_size, 4712);
}

static void test_read(void **state)
{
	char path[256], link[256];
	_cleanup_close_ int folder = open(*state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_free_ char *data = NULL;
	struct stat st;
	size_t size;

	put(in(state, "empty", path), "", 0);
	check_content(path, "", 0);
	put(in(state, "nul", path), "a\0b\n", 4);
	check_content(path, "a\0b\n", 4);
	assert_int_equal(symlink("nul", in(state, "link", link)), 0);
	check_content(link, "a\0b\n", 4);

	/* relative to a folder, with what fstat() says */
	assert_int_equal(file_read(folder, "nul", 4, &data, &size, &st), 0);
	assert_int_equal(size, 4);
	assert_int_equal(st.st_size, 4);
	assert_true(S_ISREG(st.st_mode));
}

static void test_read_large(void **state)
{
	enum { SIZE = 3000017 };
	char path[256];
	_cleanup_free_ char *big = malloc(SIZE);
	_cleanup_free_ char *data = NULL;
	size_t size;

	assert_non_null(big);
	for (size_t i = 0; i < SIZE; i++)
		big[i] = (char)(i * 7 % 251);
	put(in(state, "big", path), big, SIZE);
	assert_int_equal(file_read(AT_FDCWD, path, SIZE, &data, &size, NULL), 0);
	assert_int_equal(size, SIZE);
	assert_memory_equal(data, big, SIZE);
	check_refused(AT_FDCWD, path, SIZE - 1, -EFBIG);
	check_refused(AT_FDCWD, path, 0, -EFBIG);
}

/* Things that are no files must neither hang us nor read as empty. */
static void test_read_traps(void **state)
{
	char path[256], other[256];
	_cleanup_close_ int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un sun = {.sun_family = AF_UNIX};

	check_refused(AT_FDCWD, in(state, "missing", path), 100, -ENOENT);
	check_refused(AT_FDCWD, "", 100, -ENOENT);
	check_refused(AT_FDCWD, *state, 100, -EISDIR);

	assert_int_equal(mkfifo(in(state, "fifo", path), 0644), 0);
	check_refused(AT_FDCWD, path, 100, -ENOTSUP);
	check_refused(AT_FDCWD, "/dev/null", 100, -ENOTSUP);
	check_refused(AT_FDCWD, "/dev/zero", 100, -ENOTSUP);
	assert_int_equal(symlink("/dev/null", in(state, "masked", path)), 0);
	check_refused(AT_FDCWD, path, 100, -ENOTSUP);

	in(state, "socket", path);
	(void)snprintf(sun.sun_path, sizeof(sun.sun_path), "%.100s", path);
	assert_int_equal(bind(sock, (const struct sockaddr *)&sun, sizeof(sun)), 0);
	check_refused(AT_FDCWD, path, 100, -ENOTSUP);

	assert_int_equal(symlink("loop-b", in(state, "loop-a", path)), 0);
	assert_int_equal(symlink("loop-a", in(state, "loop-b", other)), 0);
	check_refused(AT_FDCWD, path, 100, -ELOOP);
	assert_int_equal(symlink("nowhere", in(state, "dangling", path)), 0);
	check_refused(AT_FDCWD, path, 100, -ENOENT);

	put(in(state, "plain", path), "x", 1);
	check_refused(AT_FDCWD, in(state, "plain/x", path), 100, -ENOTDIR);

	/* says that it is empty, but is not: as a file that grew meanwhile */
	check_refused(AT_FDCWD, "/proc/self/status", 1 << 20, -EAGAIN);
}

static void test_read_unreadable(void **state)
{
	char path[256];

	put(in(state, "secret", path), "x", 1);
	assert_int_equal(chmod(path, 0), 0);
	if (geteuid() == 0) {
		/* root reads everything, but only until it is no longer root */
		assert_int_equal(chmod(*state, 0755), 0);
		if (seteuid(65534) < 0)
			skip_because("a user namespace with one user");
		check_refused(AT_FDCWD, path, 100, -EACCES);
		assert_int_equal(seteuid(0), 0);
	} else {
		check_refused(AT_FDCWD, path, 100, -EACCES);
	}
}

static void test_read_leaks_nothing(void **state)
{
	char path[256];
	int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after;

	put(in(state, "plain", path), "x", 1);
	check_content(path, "x", 1);
	check_refused(AT_FDCWD, path, 0, -EFBIG);
	check_refused(AT_FDCWD, *state, 100, -EISDIR);
	assert_int_equal(close(before), 0);
	after = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(after, before); /* the lowest free number is still the same */
	assert_int_equal(close(after), 0);
}

/* Both functions that care for writers, with outputs that must stay as they are on failure. */
static void check_complete(const char *path, int error, const char *content)
{
	char poison = 'p';
	char *data = &poison;
	size_t size = 4711;
	struct stat st = {.st_size = 4712}, st_only = {.st_size = 4713};
	int r = file_read_complete(AT_FDCWD, path, 1 << 20, &data, &size, &st);
	int r_only = file_stat_complete(AT_FDCWD, path, &st_only);

	if (r != error || r_only != error)
		fail_msg("%s: read %d, stat %d, not %d", path, r, r_only, error);
	if (error) {
		assert_ptr_equal(data, &poison);
		assert_int_equal(size, 4711);
		assert_int_equal(st.st_size, 4712);
		assert_int_equal(st_only.st_size, 4713);
		return;
	}
	assert_string_equal(data, content);
	assert_int_equal(size, strlen(content));
	assert_int_equal(st.st_size, size);
	assert_int_equal(st_only.st_size, size);
	assert_int_equal(st_only.st_ino, st.st_ino);
	free(data);
}

/* C54: what somebody has open for writing is not read, whatever he does with it. */
static void test_read_complete(void **state)
{
	char path[256], link[256];
	void *memory;
	int fd, reader;

	put(in(state, "a", path), "one", 3);
	assert_int_equal(symlink("a", in(state, "link", link)), 0);
	check_complete(path, 0, "one");
	check_complete(link, 0, "one");

	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	check_complete(path, -EBUSY, NULL);
	check_complete(link, -EBUSY, NULL);
	check_content(path, "one", 3); /* file_read() does not care */
	assert_int_equal(ftruncate(fd, 0), 0);
	check_complete(path, -EBUSY, NULL);
	assert_int_equal(write(fd, "two", 3), 3);
	check_complete(path, -EBUSY, NULL);
	assert_int_equal(close(fd), 0);
	check_complete(path, 0, "two");

	/* readers are no writers, and neither are we */
	reader = open(path, O_RDONLY | O_CLOEXEC);
	check_complete(path, 0, "two");
	assert_int_equal(close(reader), 0);
	check_complete(path, 0, "two");

	/* closed, but still mapped */
	fd = open(path, O_RDWR | O_CLOEXEC);
	memory = mmap(NULL, 3, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(close(fd), 0);
	check_complete(path, -EBUSY, NULL);
	assert_int_equal(munmap(memory, 3), 0);
	check_complete(path, 0, "two");

	put(path, "", 0);
	check_complete(path, 0, "");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	check_complete(path, -EBUSY, NULL);
	assert_int_equal(close(fd), 0);
	check_complete(path, 0, "");
}

static void test_read_complete_traps(void **state)
{
	char path[256];

	check_complete(in(state, "missing", path), -ENOENT, NULL);
	check_complete(*state, -EISDIR, NULL);
	check_complete("/dev/null", -ENOTSUP, NULL);
	assert_int_equal(mkfifo(in(state, "fifo", path), 0644), 0);
	check_complete(path, -ENOTSUP, NULL);
	assert_int_equal(symlink("loop", in(state, "loop", path)), 0);
	check_complete(path, -ELOOP, NULL);
}

/* Writes forever, as fast as it can, whole files of one letter each; killed by the parent. */
static pid_t start_writer(const char *path, size_t size)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	for (char letter = 'a';; letter = letter == 'z' ? 'a' : (char)(letter + 1)) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		char block[512];

		if (fd < 0)
			_exit(1);
		memset(block, letter, sizeof(block));
		for (size_t n = 0; n < size; n += sizeof(block))
			if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block))
				_exit(1);
		(void)close(fd);
	}
}

/* Against one who rewrites the file in place all the time: what is read is one whole version. The
 * writer must never see an error, nor we its request to give the lease back. */
static void test_read_complete_races(void **state)
{
	enum { SIZE = 16384, READS = 200 };
	char path[256];
	unsigned n_read = 0;
	int status;
	pid_t pid;

	put(in(state, "a", path), "", 0);
	pid = start_writer(path, SIZE);
	for (unsigned tries = 0; n_read < READS && tries < 1000000; tries++) {
		_cleanup_free_ char *data = NULL;
		size_t size = 0;
		int r = file_read_complete(AT_FDCWD, path, 1 << 20, &data, &size, NULL);

		if (r == -EBUSY)
			continue;
		assert_int_equal(r, 0);
		if (size == 0 && n_read == 0)
			continue; /* before its first */
		assert_int_equal(size, SIZE);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(data[i], data[0]);
		n_read++;
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(n_read, READS);
}

static void set_mtime(const char *path, int64_t seconds_from_now)
{
	struct timespec times[2];

	assert_int_equal(clock_gettime(CLOCK_REALTIME, &times[1]), 0);
	times[1].tv_sec += seconds_from_now;
	times[0] = times[1];
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Somebody else's file, without the right to leases of such: its age decides. */
static void test_read_complete_without_leases(void **state)
{
	char path[256];
	int fd;

	if (geteuid() != 0)
		skip_because("needs root, to become somebody else");
	assert_int_equal(chmod(*state, 0755), 0);
	put(in(state, "a", path), "one", 3);
	assert_int_equal(chmod(path, 0644), 0);
	if (seteuid(65534) < 0)
		skip_because("a user namespace with one user");
	for (int future = 0; future < 2; future++) {
		assert_int_equal(seteuid(0), 0);
		set_mtime(path, future ? 1000 : -1000);
		assert_int_equal(seteuid(65534), 0);
		check_complete(path, 0, "one");
	}
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(truncate(path, 0), 0);
	/* no more of what the clock does to this test: just now is any time within the second */
	set_mtime(path, 0);
	assert_int_equal(seteuid(65534), 0);
	check_complete(path, -EBUSY, NULL);
	assert_int_equal(seteuid(0), 0);
	set_mtime(path, -2);
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(seteuid(65534), 0);
	{
		struct stat st = {.st_size = 4711};

		assert_int_equal(file_stat_complete(AT_FDCWD, path, &st), 0); /* may not be read */
		assert_int_equal(st.st_size, 0);
	}
	assert_int_equal(seteuid(0), 0);
	set_mtime(path, 0);
	assert_int_equal(seteuid(65534), 0);
	{
		struct stat st = {.st_size = 4711};

		assert_int_equal(file_stat_complete(AT_FDCWD, path, &st), -EBUSY);
		assert_int_equal(st.st_size, 4711);
	}
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_int_equal(seteuid(65534), 0);
	/* one's own file: no rights are needed */
	check_complete(path, 0, "");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	check_complete(path, -EBUSY, NULL);
	assert_int_equal(close(fd), 0);
	check_complete(path, 0, "");
	assert_int_equal(seteuid(0), 0);
}

/* Names in the folder, "." and ".." included. */
static unsigned count_entries(void **state)
{
	struct dirent **names;
	int n = scandir(*state, &names, NULL, NULL);

	assert_true(n >= 2);
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return (unsigned)n;
}

static void test_write_atomic(void **state)
{
	char path[256], other[256];
	mode_t mask = umask(077);
	struct stat before, after;

	in(state, "out.cfg", path);
	assert_int_equal(file_write_atomic(path, "one", 3, 0644), 0);
	check_content(path, "one", 3);
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(before.st_mode & 07777, 0644); /* whatever the umask */
	assert_int_equal(file_write_atomic(path, "t\0wo", 4, 0600), 0);
	check_content(path, "t\0wo", 4);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_mode & 07777, 0600);
	assert_int_not_equal(before.st_ino, after.st_ino); /* a new file, not the old one filled */
	assert_int_equal(file_write_atomic(path, "", 0, 0600), 0);
	check_content(path, "", 0);
	assert_int_equal(count_entries(state), 3); /* no temporary file is left */

	/* a link is replaced, what it points to is left alone */
	put(in(state, "target", other), "keep", 4);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("target", path), 0);
	assert_int_equal(file_write_atomic(path, "new", 3, 0644), 0);
	check_content(other, "keep", 4);
	check_content(path, "new", 3);
	umask(mask);
}

static void test_write_atomic_relative(void **state)
{
	_cleanup_close_ int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(here >= 0);
	assert_int_equal(chdir(*state), 0);
	assert_int_equal(file_write_atomic("plain", "x", 1, 0644), 0);
	check_content("plain", "x", 1);
	assert_int_equal(fchdir(here), 0);
}

static void test_write_atomic_fails(void **state)
{
	char path[256], inside[256];

	assert_int_equal(file_write_atomic(in(state, "no/such", path), "x", 1, 0644), -ENOENT);
	put(in(state, "plain", path), "keep", 4);
	assert_int_equal(file_write_atomic(in(state, "plain/x", inside), "x", 1, 0644), -ENOTDIR);
	/* the name is taken by a folder: rename() refuses, the temporary file goes */
	assert_int_equal(mkdir(in(state, "folder", inside), 0755), 0);
	assert_int_equal(file_write_atomic(inside, "x", 1, 0644), -EISDIR);
	assert_int_equal(count_entries(state), 4);
	check_content(path, "keep", 4);
}

static void test_make_dirs(void **state)
{
	char path[256];
	struct stat st;
	mode_t mask = umask(022);

	assert_int_equal(file_make_dirs(in(state, "a/b//c/", path), 0750), 0);
	assert_int_equal(stat(in(state, "a/b/c", path), &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0750);
	assert_int_equal(file_make_dirs(path, 0750), 0); /* again */
	assert_int_equal(file_make_dirs("/", 0755), 0);
	assert_int_equal(file_make_dirs(*state, 0755), 0);

	put(in(state, "plain", path), "x", 1);
	assert_int_equal(file_make_dirs(path, 0755), -ENOTDIR);
	assert_int_equal(file_make_dirs(in(state, "plain/x", path), 0755), -ENOTDIR);
	assert_int_equal(symlink("a", in(state, "link", path)), 0);
	assert_int_equal(file_make_dirs(in(state, "link/d", path), 0755), 0);
	assert_int_equal(stat(in(state, "a/d", path), &st), 0);
	assert_int_equal(symlink("nowhere", in(state, "dangling", path)), 0);
	assert_true(file_make_dirs(in(state, "dangling/d", path), 0755) < 0);
	assert_int_equal(file_make_dirs("", 0755), -ENOENT);
	umask(mask);
}

static void test_root_path(void **state)
{
	static const struct {
		const char *root, *path, *joined;
	} rows[] = {
		{NULL, "/etc/x", "/etc/x"},
		{"", "/etc/x", "/etc/x"},
		{"/", "/etc/x", "/etc/x"},
		{"/srv/t", "/etc/x", "/srv/t/etc/x"},
		{"/srv/t/", "/etc/x", "/srv/t/etc/x"},
		{"/srv/t//", "/etc/x", "/srv/t/etc/x"},
		{"t", "/etc/x", "t/etc/x"},
		{".", "/etc/x", "./etc/x"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_free_ char *joined = file_root_path(rows[i].root, rows[i].path);

		assert_non_null(joined);
		assert_string_equal(joined, rows[i].joined);
	}
}

static void test_read_line(void **state)
{
	static const struct {
		const char *data;
		size_t n;
		size_t size;
		int result;
		const char *line;
	} rows[] = {
		{"1\n", 2, 8, 0, "1"},
		{"1", 1, 8, 0, "1"},
		{"", 0, 8, 0, ""},
		{"\n", 1, 8, 0, ""},
		{"first\nsecond\n", 13, 8, 0, "first"},
		{"1234567\n", 8, 8, 0, "1234567"},
		{"12345678\n", 9, 8, -ENOBUFS, NULL},
		{"12345678", 8, 8, -ENOBUFS, NULL},
		{"1", 1, 1, -ENOBUFS, NULL},
		{"1", 1, 0, -ENOBUFS, NULL},
		{"\n", 1, 1, 0, ""},
		{"a\0b\n", 4, 8, -EINVAL, NULL},
		{"a \t\n", 4, 8, 0, "a \t"},
	};
	char path[256];

	in(state, "line", path);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		char buf[9] = "poison!!";
		int r;

		put(path, rows[i].data, rows[i].n);
		r = file_read_line(path, buf, rows[i].size);
		if (r != rows[i].result)
			fail_msg("row %zu: %d", i, r);
		assert_string_equal(buf, r < 0 ? "poison!!" : rows[i].line);
	}
}

static void test_read_line_odd(void **state)
{
	static char big[5000], buf[5000];
	char path[256];

	memset(big, 'x', sizeof(big));
	put(in(state, "big", path), big, 4095);
	assert_int_equal(file_read_line(path, buf, sizeof(buf)), 0);
	assert_int_equal(strlen(buf), 4095);
	put(path, big, 4096);
	assert_int_equal(file_read_line(path, buf, sizeof(buf)), -ENOBUFS);

	assert_int_equal(file_read_line(in(state, "missing", path), buf, 10), -ENOENT);
	assert_int_equal(file_read_line(*state, buf, 10), -EISDIR);
	assert_int_equal(file_read_line("/proc/sys/kernel/ostype", buf, 10), 0);
	assert_string_equal(buf, "Linux");
	assert_int_equal(mkfifo(in(state, "fifo", path), 0644), 0);
	buf[0] = 'p';
	assert_int_equal(file_read_line(path, buf, 10),
			 0); /* nothing comes, but it does not hang */
	assert_string_equal(buf, "");
}

static void test_write_line(void **state)
{
	char path[256];

	assert_int_equal(file_write_line(in(state, "missing", path), "1"), -ENOENT);
	assert_int_equal(count_entries(state), 2); /* and it was not made */
	put(in(state, "plain", path), "old content", 11);
	assert_int_equal(file_write_line(path, "1"), 0);
	check_content(path, "1", 1);
	assert_int_equal(file_write_line(*state, "1"), -EISDIR);
	assert_int_equal(file_write_line("/dev/full", "1"), -ENOSPC);
}

static void test_write_all(void **state)
{
	enum { SIZE = 300000 };
	_cleanup_free_ char *data = calloc(1, SIZE);
	_cleanup_free_ char *back = NULL;
	char path[256];
	size_t size = 0;
	int fds[2], fd;

	assert_non_null(data);
	for (size_t i = 0; i < SIZE; i++)
		data[i] = (char)(i % 251);
	fd = open(in(state, "all", path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, data, 0), 0);
	assert_int_equal(file_write_all(fd, data, SIZE), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(file_read(AT_FDCWD, path, SIZE + 1, &back, &size, NULL), 0);
	assert_int_equal(size, SIZE);
	assert_memory_equal(back, data, SIZE);

	assert_int_equal(file_write_all(-1, data, SIZE), -EBADF);
	fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, data, 1), -ENOSPC);
	assert_int_equal(close(fd), 0);
	/* room for a part of it only */
	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(file_write_all(fds[1], data, SIZE), -EAGAIN);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(close(fds[1]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
		FOLDER_TEST(test_read),
		FOLDER_TEST(test_read_large),
		FOLDER_TEST(test_read_traps),
		FOLDER_TEST(test_read_unreadable),
		FOLDER_TEST(test_read_leaks_nothing),
		FOLDER_TEST(test_read_complete),
		FOLDER_TEST(test_read_complete_traps),
		FOLDER_TEST(test_read_complete_races),
		FOLDER_TEST(test_read_complete_without_leases),
		FOLDER_TEST(test_write_atomic),
		FOLDER_TEST(test_write_atomic_relative),
		FOLDER_TEST(test_write_atomic_fails),
		FOLDER_TEST(test_make_dirs),
		FOLDER_TEST(test_write_all),
		cmocka_unit_test(test_root_path),
		FOLDER_TEST(test_read_line),
		FOLDER_TEST(test_read_line_odd),
		FOLDER_TEST(test_write_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
