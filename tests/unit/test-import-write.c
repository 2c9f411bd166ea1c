/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All files or none: what is on disk after each success and failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "import/import.h"

static char top[64];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int setup(void **state)
{
	(void)state;
	(void)snprintf(top, sizeof(top), "/tmp/test-import-write.XXXXXX");
	return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return nftw(top, remove_one, 10, FTW_DEPTH | FTW_PHYS);
}

static char name_conf[] = "svcroute.conf", name_service[] = "services.d/default.web.cfg",
	    name_endpoints[] = "endpoints.d/default.web.cfg";
static char text_conf[] = "[Proxy]\n", text_service[] = "services = ( );\n",
	    text_endpoints[] = "endpoints = ( );\n";
static struct import_file files[] = {
	{name_conf, text_conf}, {name_endpoints, text_endpoints}, {name_service, text_service}};
static const struct import_result result = {.files = files, .n = 3};

/* Everything below top: "NAME=CONTENT " of files, "NAME/ " of directories, in the order of their
 * names. */
static char seen[4096];
static char *names[64];
static size_t n_names;

static int note(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	_cleanup_free_ char *data = NULL;
	size_t size;

	(void)ftw;
	if (streq(path, top))
		return 0;
	assert_true(n_names < ELEMENTSOF(names));
	if (type == FTW_D)
		return asprintf(&names[n_names++], "%s/ ", path + strlen(top) + 1) < 0;
	assert_int_equal(type, FTW_F);
	assert_int_equal(file_read(AT_FDCWD, path, 4096, &data, &size, NULL), 0);
	if (strncmp(data, "old", 3) != 0)
		assert_int_equal(st->st_mode & 07777, 0644);
	return asprintf(&names[n_names++], "%s=%s ", path + strlen(top) + 1, data) < 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *look(void)
{
	size_t used = 0;

	n_names = 0;
	assert_int_equal(nftw(top, note, 10, FTW_PHYS), 0);
	qsort(names, n_names, sizeof(*names), compare_names);
	seen[0] = '\0';
	for (size_t i = 0; i < n_names; i++) {
		used += (size_t)snprintf(seen + used, sizeof(seen) - used, "%s", names[i]);
		free(names[i]);
	}
	return seen;
}

static void put(const char *name, const char *text)
{
	char path[200];

	(void)snprintf(path, sizeof(path), "%s/%s", top, name);
	if (text)
		assert_int_equal(file_write_atomic(path, text, strlen(text), 0600), 0);
	else
		assert_int_equal(file_make_dirs(path, 0755), 0);
}

static int write_to(const char *directory, bool force, char **ret_message)
{
	char path[200];

	(void)snprintf(path, sizeof(path), "%s/%s", top, directory);
	*ret_message = (char *)(uintptr_t)1;
	return import_write(&result, path, force, ret_message);
}

#define ALL(d)                                                                           \
	d "/ " d "/endpoints.d/ " d "/endpoints.d/default.web.cfg=endpoints = ( );\n " d \
	  "/services.d/ " d "/services.d/default.web.cfg=services = ( );\n " d           \
	  "/svcroute.conf=[Proxy]\n "

static void test_fresh(void **state)
{
	_cleanup_free_ char *message = NULL;

	(void)state;
	assert_int_equal(write_to("a/b", false, &message), 0);
	assert_null(message);
	assert_string_equal(look(), "a/ " ALL("a/b"));
}

static void test_beside_others(void **state)
{
	_cleanup_free_ char *message = NULL;

	(void)state;
	put("a/services.d", NULL);
	put("a/services.d/other.cfg", "old");
	assert_int_equal(write_to("a", false, &message), 0);
	assert_string_equal(look(),
			    "a/ a/endpoints.d/ a/endpoints.d/default.web.cfg=endpoints = ( );\n "
			    "a/services.d/ a/services.d/default.web.cfg=services = ( );\n "
			    "a/services.d/other.cfg=old a/svcroute.conf=[Proxy]\n ");
}

static void test_exists(void **state)
{
	_cleanup_free_ char *message = NULL;

	(void)state;
	put("a/services.d", NULL);
	put("a/services.d/default.web.cfg", "old");
	assert_int_equal(write_to("a", false, &message), -EEXIST);
	assert_non_null(message);
	assert_non_null(strstr(message, "a/services.d/default.web.cfg: exists"));
	assert_string_equal(look(), "a/ a/services.d/ a/services.d/default.web.cfg=old ");
	free(TAKE_PTR(message));

	assert_int_equal(write_to("a", true, &message), 0);
	assert_null(message);
	assert_string_equal(look(), ALL("a"));
	/* A second time the same. */
	assert_int_equal(write_to("a", true, &message), 0);
	assert_string_equal(look(), ALL("a"));
}

/* A link is replaced, not followed; one that points nowhere is there all the same. */
static void test_link(void **state)
{
	_cleanup_free_ char *message = NULL;
	char path[200];

	(void)state;
	put("a", NULL);
	put("victim", "old");
	(void)snprintf(path, sizeof(path), "%s/a/svcroute.conf", top);
	assert_int_equal(symlink("../victim", path), 0);
	assert_int_equal(write_to("a", false, &message), -EEXIST);
	free(TAKE_PTR(message));
	assert_int_equal(write_to("a", true, &message), 0);
	assert_string_equal(look(), ALL("a") "victim=old ");
	unlink(path);
	assert_int_equal(symlink("nowhere", path), 0);
	assert_int_equal(write_to("a", false, &message), -EEXIST);
	free(TAKE_PTR(message));
}

/* A directory that is a file, and a target that is a directory. */
static void test_in_the_way(void **state)
{
	_cleanup_free_ char *message = NULL;

	(void)state;
	put("a", NULL);
	put("a/endpoints.d", "old");
	assert_int_equal(write_to("a", true, &message), -ENOTDIR);
	assert_non_null(strstr(message, "a/endpoints.d"));
	assert_string_equal(look(), "a/ a/endpoints.d=old ");
	free(TAKE_PTR(message));

	put("b/svcroute.conf", NULL);
	assert_int_equal(write_to("b", true, &message), -EISDIR);
	assert_non_null(strstr(message, "b/svcroute.conf"));
	assert_string_equal(look(), "a/ a/endpoints.d=old b/ b/svcroute.conf/ ");
	free(TAKE_PTR(message));

	put("c", "old");
	assert_int_equal(write_to("c", true, &message), -ENOTDIR);
	assert_string_equal(look(), "a/ a/endpoints.d=old b/ b/svcroute.conf/ c=old ");
}

/* A target that turns into a directory between the look and the rename cannot be made here, but a
 * rename that fails in the middle can: two files of one name. The first one's rename must be
 * undone. */
static void test_undo(void **state)
{
	static struct import_file twice[] = {{name_conf, text_conf},
					     {name_service, text_service},
					     {name_service, text_endpoints}};
	const struct import_result two = {.files = twice, .n = 3};
	_cleanup_free_ char *message = NULL;
	char path[200];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/a", top);
	assert_int_equal(import_write(&two, path, false, &message), -EEXIST);
	assert_non_null(message);
	assert_string_equal(look(), "");
	free(TAKE_PTR(message));

	/* What was there before comes back. */
	put("a", NULL);
	put("a/svcroute.conf", "old");
	twice[2].name = name_conf;
	assert_int_equal(import_write(&two, path, true, NULL), 0);
	assert_string_equal(look(),
			    "a/ a/services.d/ a/services.d/default.web.cfg=services = ( );\n "
			    "a/svcroute.conf=endpoints = ( );\n ");
	twice[2].name = name_service;
}

/* No room for the last file: the directory has a limit of its own. */
static void test_no_room(void **state)
{
	static char long_name[300] = "services.d/";
	static struct import_file with_long[] = {{name_conf, text_conf}, {long_name, text_service}};
	const struct import_result r = {.files = with_long, .n = 2};
	_cleanup_free_ char *message = NULL;
	char path[200];

	(void)state;
	memset(long_name + strlen("services.d/"), 'a', 260);
	put("a", NULL);
	put("a/svcroute.conf", "old");
	(void)snprintf(path, sizeof(path), "%s/a", top);
	assert_int_equal(import_write(&r, path, true, &message), -ENAMETOOLONG);
	assert_non_null(message);
	assert_string_equal(look(), "a/ a/svcroute.conf=old ");
}

static void test_nothing(void **state)
{
	const struct import_result none = {0};
	_cleanup_strbuf_ struct strbuf b = {0};
	char path[200];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/a", top);
	assert_int_equal(import_write(&none, path, false, NULL), 0);
	import_print(&none, &b);
	assert_string_equal(strbuf_text(&b), "");
}

static void test_print(void **state)
{
	_cleanup_strbuf_ struct strbuf b = {0};

	(void)state;
	import_print(&result, &b);
	assert_string_equal(strbuf_text(&b), "# svcroute.conf\n[Proxy]\n\n"
					     "# endpoints.d/default.web.cfg\nendpoints = ( );\n\n"
					     "# services.d/default.web.cfg\nservices = ( );\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fresh, setup, teardown),
		cmocka_unit_test_setup_teardown(test_beside_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exists, setup, teardown),
		cmocka_unit_test_setup_teardown(test_link, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_the_way, setup, teardown),
		cmocka_unit_test_setup_teardown(test_undo, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_room, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
