/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-accepted.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const struct example two[] = {{"1/a.cfg", "first", false}, {"2/b.cfg", "", false}, {0}};
static const struct example three[] = {
	{"1/a.cfg", "first", false}, {"1/c.cfg", "third", false}, {"2/b.cfg", "first", false}, {0}};
static const struct example none[] = {{0}};

static void check_mode(const struct root *r, const char *path, mode_t mode)
{
	char full[ROOT_PATH_MAX];
	struct stat st;

	assert_int_equal(lstat(root_path(r, path, full), &st), 0);
	if ((st.st_mode & 07777) != mode)
		fail_msg("%s: mode %o, not %o", path, st.st_mode & 07777, mode);
}

/* Each set replaces the one before, and nothing else stays. */
static void test_save(void **state)
{
	static const struct {
		const struct example *files;
		size_t n_contents;
	} rows[] = {{two, 2}, {three, 2}, {none, 0}, {three, 2}, {two, 2}, {two, 2}, {none, 0}};
	struct root r;

	(void)state;
	root_make(&r);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		examples_save(&r, rows[i].files);
		examples_check(&r, rows[i].files);
		assert_int_equal(count_entries(&r), rows[i].n_contents + 1);
	}
	root_remove(&r);
}

/* Whatever the umask is. */
static void test_modes(void **state)
{
	static const mode_t masks[] = {0, 022, 077};
	char path[LOCAL_MAX];

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(masks); i++) {
		struct root r;
		mode_t before = umask(masks[i]);

		root_make(&r);
		examples_save(&r, two);
		(void)umask(before);
		check_mode(&r, STATE, 0700);
		check_mode(&r, FOLDER, 0700);
		check_mode(&r, FOLDER "/index", 0600);
		check_mode(&r, content_path("first", "", path), 0600);
		root_remove(&r);
	}
}

static void get_stat(const struct root *r, const char *path, struct stat *ret)
{
	char full[ROOT_PATH_MAX];

	assert_int_equal(lstat(root_path(r, path, full), ret), 0);
}

static void check_untouched(const struct root *r, const char *path, const struct stat *before)
{
	struct stat st;

	get_stat(r, path, &st);
	assert_int_equal(st.st_ino, before->st_ino);
	assert_int_equal(st.st_mtim.tv_sec, before->st_mtim.tv_sec);
	assert_int_equal(st.st_mtim.tv_nsec, before->st_mtim.tv_nsec);
}

/* What is there already is not written again: contents never, the index when it stays the same. */
static void test_nothing_new(void **state)
{
	struct root r;
	char path[LOCAL_MAX];
	struct stat index, content, folder;

	(void)state;
	root_make(&r);
	examples_save(&r, two);
	get_stat(&r, FOLDER "/index", &index);
	get_stat(&r, content_path("first", "", path), &content);
	get_stat(&r, FOLDER, &folder);
	examples_save(&r, two);
	check_untouched(&r, FOLDER "/index", &index);
	check_untouched(&r, FOLDER, &folder);
	check_untouched(&r, path, &content);
	examples_save(&r, three);
	check_untouched(&r, path, &content);
	root_remove(&r);
}

/* Files whose text is not given. */
static void test_withheld(void **state)
{
	static const struct example known[] = {
		{"1/a.cfg", "first", true}, {"1/n.cfg", "new", false}, {"2/b.cfg", "", true}, {0}};
	static const struct example moved[] = {{"1/other.cfg", "first", true}, {0}};
	static const struct example unknown[] = {
		{"1/a.cfg", "first", true}, {"1/u.cfg", "unknown", true}, {0}};
	/* one of two files with the same content has the text */
	static const struct example shared[] = {
		{"1/a.cfg", "s", true}, {"1/b.cfg", "s", false}, {"1/c.cfg", "s", true}, {0}};
	struct root r;

	(void)state;
	root_make(&r);
	examples_save(&r, unknown);
	examples_check(&r, none);
	examples_save(&r, two);
	examples_save(&r, known);
	examples_check(&r, known);
	examples_save(&r, moved);
	examples_check(&r, moved);
	examples_save(&r, unknown);
	examples_check(&r, (const struct example[]){unknown[0], {0}});
	examples_save(&r, shared);
	examples_check(&r, shared);
	root_remove(&r);
}

/* Contents that are not what the index says: written anew if the text is at hand, else left out. */
static void test_content_damaged(void **state)
{
	static const struct example withheld[] = {
		{"1/a.cfg", "first", true}, {"2/b.cfg", "", true}, {0}};
	struct root r;
	char path[LOCAL_MAX];

	(void)state;
	root_make(&r);
	examples_save(&r, two);
	root_write(&r, content_path("first", "", path), "firs");
	examples_save(&r, two);
	examples_check(&r, two);
	root_unlink(&r, path);
	examples_save(&r, two);
	examples_check(&r, two);
	root_unlink(&r, path);
	root_symlink(&r, "../../../../elsewhere", path);
	root_write(&r, "elsewhere", "first");
	examples_save(&r, two);
	examples_check(&r, two);
	root_write(&r, path, "firs");
	examples_save(&r, withheld);
	examples_check(&r, (const struct example[]){two[1], {0}});
	root_remove(&r);
}

/* Contents without an index that names them are believed only after a look. */
static void test_index_lost(void **state)
{
	static const struct example withheld[] = {
		{"1/a.cfg", "first", true}, {"1/c.cfg", "third", true}, {0}};
	struct root r;
	char path[LOCAL_MAX];
	struct stat before, after;

	(void)state;
	root_make(&r);
	examples_save(&r, three);
	root_unlink(&r, FOLDER "/index");
	root_write(&r, content_path("third", "", path), "THIRD");
	get_stat(&r, content_path("first", "", path), &before);
	examples_save(&r, withheld);
	examples_check(&r, (const struct example[]){three[0], {0}});
	get_stat(&r, path, &after);
	assert_int_not_equal(before.st_ino, after.st_ino);
	/* the same with the text */
	root_unlink(&r, FOLDER "/index");
	root_write(&r, content_path("third", "", path), "THIRD");
	examples_save(&r, three);
	examples_check(&r, three);
	root_remove(&r);
}

/* Only names that are ours go. */
static void test_leftovers(void **state)
{
	static const char *const ours[] = {"new", "old", "older"};
	static const char *const others[] = {
		FOLDER "/README",
		FOLDER "/.hidden",
		FOLDER "/index.bad",
		FOLDER "/.index.12345",
		FOLDER "/.index.1234567",
		FOLDER "/.index.12345-",
		FOLDER "/index.123456",
		FOLDER "/BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		FOLDER "/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a",
		FOLDER "/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad0",
		FOLDER "/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.bad",
		FOLDER "/.ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.old",
		FOLDER "/.ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a.newx",
		FOLDER "/xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.new",
		STATE "/owned",
		STATE "/.index.123456",
	};
	struct root r;
	char path[LOCAL_MAX];

	(void)state;
	root_make(&r);
	for (size_t i = 0; i < ELEMENTSOF(others); i++)
		root_write(&r, others[i], "x");
	for (size_t i = 0; i < ELEMENTSOF(ours); i++) {
		root_write(&r, content_path(ours[i], "", path), ours[i]);
		(void)snprintf(path, sizeof(path), FOLDER "/.index.aZ09%02zu", i);
		root_write(&r, path, "x");
		(void)snprintf(path, sizeof(path), FOLDER "/.%064zx.new", i);
		root_write(&r, path, "x");
	}
	examples_save(&r, two);
	examples_check(&r, two);
	/* the index and two contents, and what is not ours */
	assert_int_equal(count_entries(&r), 3 + ELEMENTSOF(others) - 2);
	for (size_t i = 0; i < ELEMENTSOF(others); i++)
		assert_true(root_has(&r, others[i]));
	/* also when the index stays as it is */
	root_write(&r, content_path("old", "", path), "old");
	examples_save(&r, two);
	assert_false(root_has(&r, path));
	root_remove(&r);
}

/* A file that a killed save left under the temporary name, or another thing. */
static void test_temporary_in_the_way(void **state)
{
	uint8_t hash[ACCEPTED_HASH_SIZE];
	char name[ACCEPTED_NAME_MAX], path[LOCAL_MAX];
	_cleanup_free_ char *step = NULL;
	struct root r;

	(void)state;
	root_make(&r);
	accepted_hash("first", 5, hash);
	(void)snprintf(path, sizeof(path), FOLDER "/.%s.new", accepted_hash_format(hash, name));
	root_write(&r, path, "something longer than the content");
	examples_save(&r, two);
	examples_check(&r, two);
	examples_save(&r, none);
	root_write(&r, "victim", "untouched");
	root_symlink(&r, "../../../../victim", path);
	examples_save(&r, two);
	examples_check(&r, two);
	{
		_cleanup_free_ char *text = NULL;
		char full[ROOT_PATH_MAX];
		size_t size;

		assert_int_equal(
			file_read(AT_FDCWD, root_path(&r, "victim", full), 100, &text, &size, NULL),
			0);
		assert_string_equal(text, "untouched");
	}
	/* a directory is not taken away */
	examples_save(&r, none);
	(void)strcat(path, "/x");
	root_write(&r, path, "");
	assert_int_equal(examples_try_save(&r, two, &step), -EISDIR);
	assert_non_null(strstr(step, name));
	examples_check(&r, none);
	root_remove(&r);
}

/* What must fail, and leave the old set in force. */
static void check_failure(const struct root *r, const struct example *e, int error,
			  const char *said)
{
	_cleanup_free_ char *step = NULL;
	int got = examples_try_save(r, e, &step);

	if (got != error || !step || !strstr(step, said))
		fail_msg("%d '%s', not %d '%s'", got, step ? step : "", error, said);
	assert_int_equal(examples_try_save(r, e, NULL), error);
}

static void test_twice(void **state)
{
	static const struct example twice[] = {
		{"1/a.cfg", "x", false}, {"1/b.cfg", "y", false}, {"1/a.cfg", "z", false}, {0}};
	struct root r;

	(void)state;
	root_make(&r);
	examples_save(&r, two);
	check_failure(&r, twice, -EINVAL, "twice");
	examples_check(&r, two);
	assert_int_equal(count_entries(&r), 3);
	root_remove(&r);
}

static void test_no_directory(void **state)
{
	struct root r;

	(void)state;
	root_make(&r);
	root_write(&r, STATE, "a file");
	check_failure(&r, two, -ENOTDIR, "open ");
	root_unlink(&r, STATE);
	root_unlink(&r, "var/lib");
	root_write(&r, "var/lib", "a file");
	check_failure(&r, two, -ENOTDIR, "open ");
	root_unlink(&r, "var/lib");
	root_write(&r, FOLDER, "a file");
	check_failure(&r, two, -ENOTDIR, "open ");
	root_unlink(&r, FOLDER);
	root_symlink(&r, "../elsewhere", FOLDER);
	check_failure(&r, two, -ENOTDIR, "open ");
	root_unlink(&r, FOLDER);
	root_unlink(&r, STATE);
	root_symlink(&r, "nowhere", STATE);
	check_failure(&r, two, -ENOENT, "make ");
	root_unlink(&r, STATE);
	examples_save(&r, two);
	examples_check(&r, two);
	root_remove(&r);
}

/* Directories in the place of files. */
static void test_in_the_way(void **state)
{
	struct root r;
	char path[LOCAL_MAX];

	(void)state;
	root_make(&r);
	examples_save(&r, two);
	(void)content_path("third", "/x", path);
	root_write(&r, path, "");
	check_failure(&r, three, -EISDIR, "write ");
	examples_check(&r, two);
	root_remove(&r);

	/* an index that is neither ours nor can be put aside: nothing is left behind */
	root_make(&r);
	root_write(&r, FOLDER "/index/x", "");
	root_write(&r, FOLDER "/index.bad", "");
	check_failure(&r, two, -EISDIR, "/index");
	assert_int_equal(count_entries(&r), 2);
	root_remove(&r);
}

/* A limit on file sizes cuts a write in the middle, as a full disk does. */
static void test_disk_full(void **state)
{
	static const char big[] =
		"0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 "
		"0123456789 0123456789 0123456789 0123456789 0123456789 0123456789";
	static const struct example more[] = {
		{"1/a.cfg", "a", false}, {"1/b.cfg", "b", false}, {"1/z.cfg", big, false}, {0}};
	/* 50 stops the big content, 120 the index */
	static const rlim_t limits[] = {50, sizeof(big) + 10};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	struct rlimit old;

	(void)state;
	assert_int_equal(sigaction(SIGXFSZ, &ignore, &before), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	for (size_t i = 0; i < ELEMENTSOF(limits); i++) {
		struct rlimit limit = {.rlim_cur = limits[i], .rlim_max = old.rlim_max};
		_cleanup_free_ char *step = NULL;
		struct root r;
		int error;

		root_make(&r);
		examples_save(&r, two);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		error = examples_try_save(&r, more, &step);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(error, -EFBIG);
		assert_non_null(strstr(step, "write "));
		assert_true((strstr(step, "/index") != NULL) == (i == 1));
		examples_check(&r, two);
		/* all that was written is taken back */
		assert_int_equal(count_entries(&r), 3);
		examples_save(&r, more);
		examples_check(&r, more);
		root_remove(&r);
	}
	assert_int_equal(sigaction(SIGXFSZ, &before, NULL), 0);
}

/* More contents than are synced one by one; several files share one. */
static void test_many(void **state)
{
	struct example many[EXAMPLES_MAX] = {0};
	char ids[EXAMPLES_MAX][16], texts[EXAMPLES_MAX][16];
	struct root r;
	size_t n = EXAMPLES_MAX - 1;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		(void)snprintf(ids[i], sizeof(ids[i]), "1/%zu", 100 - i);
		(void)snprintf(texts[i], sizeof(texts[i]), "text %zu", i % 40);
		many[i] = (struct example){ids[i], texts[i], false};
	}
	root_make(&r);
	examples_save(&r, two);
	examples_save(&r, many);
	examples_check(&r, many);
	assert_int_equal(count_entries(&r), 41);
	examples_save(&r, two);
	examples_check(&r, two);
	assert_int_equal(count_entries(&r), 3);
	root_remove(&r);
}

/* While another program holds the lock, nothing is done; afterwards it is. */
static void test_locked(void **state)
{
	struct root r;
	char path[ROOT_PATH_MAX];
	int fd;
	pid_t pid;

	(void)state;
	root_make(&r);
	examples_save(&r, two);
	fd = open(root_path(&r, FOLDER, path), O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* the parent's is still locked when this one is closed */
		(void)close(fd);
		_exit(examples_try_save(&r, three, NULL) == 0 ? 0 : 1);
	}
	examples_check(&r, two);
	assert_int_equal(flock(fd, LOCK_UN), 0);
	{
		int status = 4711;

		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	examples_check(&r, three);
	assert_int_equal(close(fd), 0);
	root_remove(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_save),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_nothing_new),
		cmocka_unit_test(test_withheld),
		cmocka_unit_test(test_content_damaged),
		cmocka_unit_test(test_index_lost),
		cmocka_unit_test(test_leftovers),
		cmocka_unit_test(test_temporary_in_the_way),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_no_directory),
		cmocka_unit_test(test_in_the_way),
		cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_locked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
