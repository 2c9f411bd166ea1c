/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-accepted.h"

#include <sys/file.h>

#include "base/num.h"
#include "config/accepted-folder.h"

static const struct example two[] = {{"1/a.cfg", "first", false}, {"2/b.cfg", "", false}, {0}};

/* Loads, finds nothing, and is told this (NULL: nothing). */
static void check_empty(const struct root *r, const char *said)
{
	_cleanup_diags_ struct diags d = {0};
	_cleanup_(accepted_freep) struct accepted *a = examples_load(r, &d);
	size_t pos = 0;

	assert_null(accepted_next(a, &pos));
	assert_null(accepted_find(a, "1/a.cfg"));
	assert_int_equal(d.n, said ? 1 : 0);
	if (said) {
		assert_int_equal(d.items[0].severity, DIAG_WARNING);
		if (!strstr(d.items[0].reason, said))
			fail_msg("'%s', not '%s'", d.items[0].reason, said);
		assert_non_null(strstr(d.items[0].file, FOLDER));
	}
}

static void test_missing(void **state)
{
	struct root r;
	char path[ROOT_PATH_MAX];

	(void)state;
	root_make(&r);
	check_empty(&r, NULL);
	assert_int_equal(file_make_dirs(root_path(&r, STATE, path), 0700), 0);
	check_empty(&r, NULL);
	assert_int_equal(file_make_dirs(root_path(&r, FOLDER, path), 0700), 0);
	check_empty(&r, NULL);
	root_remove(&r);
	assert_null(accepted_free(NULL));
}

/* Things of another kind where a directory is expected. */
static void test_no_directory(void **state)
{
	struct root r;

	(void)state;
	root_make(&r);
	root_write(&r, STATE, "a file");
	check_empty(&r, "cannot be opened: Not a directory");
	root_unlink(&r, STATE);
	root_write(&r, FOLDER, "a file");
	check_empty(&r, "cannot be opened: Not a directory");
	root_unlink(&r, FOLDER);
	/* below the state directory no symlink is followed */
	root_write(&r, "elsewhere/index", "svcroute-accepted 2.0\n");
	root_symlink(&r, "../../../elsewhere", FOLDER);
	check_empty(&r, "cannot be opened");
	assert_true(root_has(&r, "elsewhere/index"));
	root_remove(&r);
}

/* The state directory itself may be a symlink. */
static void test_symlink(void **state)
{
	struct root r;

	(void)state;
	root_make(&r);
	examples_save(&r, two);
	root_rename(&r, STATE, "moved");
	root_symlink(&r, "../../moved", STATE);
	examples_check(&r, two);
	examples_save(&r, (const struct example[]){{"1/a.cfg", "second", false}, {0}});
	assert_true(root_has(&r, "moved/accepted/index"));
	root_remove(&r);
}

static void test_iterate(void **state)
{
	static const struct example three[] = {
		{"2/b", "x", false}, {"1/z", "y", false}, {"1/a\n", "x", false}, {0}};
	struct root r;
	size_t pos = 0;

	(void)state;
	root_make(&r);
	examples_save(&r, three);
	{
		_cleanup_diags_ struct diags d = {0};
		_cleanup_(accepted_freep) struct accepted *a = examples_load(&r, &d);

		assert_string_equal(accepted_next(a, &pos)->id, "1/a\n");
		assert_string_equal(accepted_next(a, &pos)->id, "1/z");
		assert_string_equal(accepted_next(a, &pos)->id, "2/b");
		assert_null(accepted_next(a, &pos));
		assert_null(accepted_next(a, &pos));
		assert_non_null(accepted_find(a, "1/z"));
		assert_null(accepted_find(a, "1/"));
		assert_null(accepted_find(a, "1/zz"));
		assert_null(accepted_find(a, ""));
	}
	root_remove(&r);
}

/* An index that is none of ours is put aside, once, and saving starts anew. */
static void test_corrupt_index(void **state)
{
	static const struct {
		const char *text;
		const char *said;
	} rows[] = {
		{"", "is empty; put aside"},
		{"nonsense", "does not start as an index; put aside"},
		{"svcroute-accepted 2.0\n", "version that this program does not know; put aside"},
		{"svcroute-accepted 1.0\n", "checksum does not fit; put aside"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct root r;

		root_make(&r);
		examples_save(&r, two);
		root_write(&r, FOLDER "/index", rows[i].text);
		check_empty(&r, rows[i].said);
		assert_false(root_has(&r, FOLDER "/index"));
		assert_true(root_has(&r, FOLDER "/index.bad"));
		check_empty(&r, NULL);
		examples_save(&r, two);
		examples_check(&r, two);
		assert_true(root_has(&r, FOLDER "/index.bad"));
		root_remove(&r);
	}
}

/* Not a file at all: never followed, never waited for. */
static void test_odd_index(void **state)
{
	struct root r;
	char path[ROOT_PATH_MAX];

	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		root_make(&r);
		examples_save(&r, two);
		root_rename(&r, FOLDER "/index", "good");
		(void)root_path(&r, FOLDER "/index", path);
		if (kind == 0)
			root_symlink(&r, "../../../../good", FOLDER "/index");
		else if (kind == 1)
			assert_int_equal(mkfifo(path, 0600), 0);
		else if (kind == 2)
			assert_int_equal(mkdir(path, 0700), 0);
		else
			root_write(&r, FOLDER "/index", "");
		/* a hole of just too many bytes */
		if (kind == 3)
			assert_int_equal(truncate(path, (off_t)ACCEPTED_INDEX_MAX + 1), 0);
		check_empty(&r, "not a regular file, or too large; put aside as index.bad");
		assert_true(root_has(&r, FOLDER "/index.bad"));
		assert_true(root_has(&r, "good"));
		examples_save(&r, two);
		examples_check(&r, two);
		root_remove(&r);
	}
}

/* When it cannot be put aside it is left alone. */
static void test_not_put_aside(void **state)
{
	struct root r;
	char path[ROOT_PATH_MAX];
	int fd;

	(void)state;
	root_make(&r);
	root_write(&r, FOLDER "/index", "nonsense");
	/* a directory is in the way */
	root_write(&r, FOLDER "/index.bad/x", "");
	check_empty(&r, "does not start as an index; ignored");
	assert_true(root_has(&r, FOLDER "/index"));
	/* nor while another program may be about to replace it */
	root_unlink(&r, FOLDER "/index.bad/x");
	root_unlink(&r, FOLDER "/index.bad");
	fd = open(root_path(&r, FOLDER, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	check_empty(&r, "does not start as an index; ignored");
	assert_true(root_has(&r, FOLDER "/index"));
	assert_int_equal(close(fd), 0);
	check_empty(&r, "put aside as index.bad");
	root_remove(&r);
}

/* Reads a file's content, which must fail; the outputs are as they were. */
static void check_lost(const struct root *r, const char *id, int error)
{
	_cleanup_diags_ struct diags d = {0};
	_cleanup_(accepted_freep) struct accepted *a = examples_load(r, &d);
	const struct accepted_file *f = accepted_find(a, id);
	char poison = 'p', *text = &poison;
	size_t size = 4711;

	assert_int_equal(d.n, 0);
	assert_non_null(f);
	assert_int_equal(accepted_read(a, f, &text, &size), error);
	assert_ptr_equal(text, &poison);
	assert_int_equal(size, 4711);
}

static void test_content_missing(void **state)
{
	struct root r;
	char path[LOCAL_MAX];

	(void)state;
	root_make(&r);
	examples_save(&r, two);
	root_unlink(&r, content_path("first", "", path));
	check_lost(&r, "1/a.cfg", -ENOENT);
	/* all of the directory gone while it is loaded */
	{
		_cleanup_diags_ struct diags d = {0};
		_cleanup_(accepted_freep) struct accepted *a = examples_load(&r, &d);
		_cleanup_free_ char *text = NULL;
		size_t size;

		root_rename(&r, STATE, "moved");
		assert_int_equal(accepted_read(a, accepted_find(a, "2/b.cfg"), &text, &size), 0);
		assert_string_equal(text, "");
	}
	root_remove(&r);
}

/* A content that is not what its name says is put aside, and the next save writes it anew. */
static void test_content_changed(void **state)
{
	static const char *const rows[] = {"", "firs", "First", "first\n", "something else"};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct root r;
		char path[LOCAL_MAX];

		root_make(&r);
		examples_save(&r, two);
		root_write(&r, content_path("first", "", path), rows[i]);
		check_lost(&r, "1/a.cfg", -EBADMSG);
		assert_false(root_has(&r, path));
		assert_true(root_has(&r, content_path("first", ".bad", path)));
		check_lost(&r, "1/a.cfg", -ENOENT);
		examples_save(&r, two);
		examples_check(&r, two);
		root_remove(&r);
	}
}

static void test_content_odd(void **state)
{
	struct root r;
	char path[LOCAL_MAX], full[ROOT_PATH_MAX];

	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		root_make(&r);
		examples_save(&r, two);
		root_rename(&r, content_path("first", "", path), "good");
		(void)root_path(&r, path, full);
		if (kind == 0)
			root_symlink(&r, "../../../../good", path);
		else if (kind == 1)
			assert_int_equal(mkfifo(full, 0600), 0);
		else
			assert_int_equal(mkdir(full, 0700), 0);
		check_lost(&r, "1/a.cfg", -EBADMSG);
		assert_false(root_has(&r, path));
		root_remove(&r);
	}
}

/* A program that saves at the moment has the say. */
static void test_content_locked(void **state)
{
	struct root r;
	char path[LOCAL_MAX], folder[ROOT_PATH_MAX];
	int fd;

	(void)state;
	root_make(&r);
	examples_save(&r, two);
	root_write(&r, content_path("first", "", path), "other");
	fd = open(root_path(&r, FOLDER, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	check_lost(&r, "1/a.cfg", -EBADMSG);
	assert_true(root_has(&r, path));
	assert_int_equal(close(fd), 0);
	root_remove(&r);
}

static void test_lock(void **state)
{
	struct root r;
	char path[ROOT_PATH_MAX];
	int first = -1, second = -1, none = 4711;

	(void)state;
	root_make(&r);
	assert_int_equal(accepted_folder_open(root_path(&r, STATE, path), &none), -ENOENT);
	assert_int_equal(none, 4711);
	examples_save(&r, two);
	assert_int_equal(accepted_folder_open(path, &first), 0);
	assert_int_equal(accepted_folder_open(path, &second), 0);
	assert_int_equal(accepted_folder_lock(first, 0), 0);
	assert_int_equal(accepted_folder_lock(second, 0), -EBUSY);
	assert_int_equal(accepted_folder_lock(second, 30 * USEC_PER_MSEC), -EBUSY);
	accepted_folder_unlock(first);
	assert_int_equal(accepted_folder_lock(second, 0), 0);
	assert_int_equal(close(first), 0);
	assert_int_equal(close(second), 0);
	assert_int_equal(accepted_folder_lock(second, 0), -EBADF);
	root_remove(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing),		cmocka_unit_test(test_no_directory),
		cmocka_unit_test(test_symlink),		cmocka_unit_test(test_iterate),
		cmocka_unit_test(test_corrupt_index),	cmocka_unit_test(test_odd_index),
		cmocka_unit_test(test_not_put_aside),	cmocka_unit_test(test_content_missing),
		cmocka_unit_test(test_content_changed), cmocka_unit_test(test_content_odd),
		cmocka_unit_test(test_content_locked),	cmocka_unit_test(test_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
