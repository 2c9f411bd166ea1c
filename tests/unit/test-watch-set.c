/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What has to be watched: trees in a temporary directory, and the spots and names that they give.
 */
#include "make-root.h"

#include "base/strbuf.h"
#include "config/tree.h"
#include "daemon/watch-set.h"

#define D "etc/svcroute/services.d/"

/* The part of a path below the root; NULL for what is above. */
static const char *below(const struct root *r, const char *path)
{
	size_t n = strlen(r->path);

	return strncmp(path, r->path, n) == 0 && (path[n] == '/' || path[n] == '\0') ? path + n
										     : NULL;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "DIR(s)" for one that is only passed; "DIR(n): NAME" or "DIR(f): *" for each interest; sorted. */
static void assert_set(const struct root *r, const char *directory, const char *wanted)
{
	_cleanup_(watch_set_freep) struct watch_set *s = NULL;
	_cleanup_strbuf_ struct strbuf b = {0};
	_cleanup_free_ char *path = NULL;
	const char *directories[2] = {NULL};
	char *lines[256];
	size_t n = 0, i;

	assert_true(asprintf(&path, "%s/%s", r->path, directory) > 0);
	directories[0] = path;
	assert_int_equal(watch_set_new(directories, &s), 0);
	assert_int_equal(s->n_items, 1);
	assert_string_equal(s->items[0].path, path);
	for (i = 0; i < s->n_spots; i++) {
		const struct watch_spot *spot = s->spots[i];

		assert_int_equal(spot->wd, -1);
		assert_int_equal(spot->items, 1);
		assert_ptr_equal(watch_set_spot(s, spot->path), spot);
		if (below(r, spot->path) && spot->mask == WATCH_EVENTS_SELF)
			assert_true(asprintf(&lines[n++], "%s(s)", below(r, spot->path)) > 0);
	}
	for (i = 0; i < s->n_interests; i++) {
		const struct watch_interest *x = &s->interests[i];
		char role = x->role == WATCH_FILES ? 'f' : x->role == WATCH_STEP ? 'n' : 't';

		assert_true(x->role == WATCH_STEP ||
			    (x->spot->mask & WATCH_EVENTS_FILES) == WATCH_EVENTS_FILES);
		assert_true((x->spot->mask & WATCH_EVENTS_NAMES) == WATCH_EVENTS_NAMES);
		assert_int_equal(x->role == WATCH_TARGET, x->entry != NULL && role == 't');
		if (below(r, x->spot->path))
			assert_true(asprintf(&lines[n++], "%s(%c): %s%s%s", below(r, x->spot->path),
					     role, x->name ? x->name : "*",
					     role == 't' ? " of " : "",
					     role == 't' ? x->entry : "") > 0);
	}
	assert_true(n < ELEMENTSOF(lines));
	qsort(lines, n, sizeof(*lines), compare_texts);
	for (i = 0; i < n; i++) {
		/* what lies on several ways, or in a circle, is there several times */
		if (i + 1 == n || !streq(lines[i], lines[i + 1]))
			strbuf_addf(&b, "%s\n", lines[i]);
		free(lines[i]);
	}
	assert_string_equal(strbuf_text(&b), wanted);
}

static void test_missing(void **state)
{
	struct root r;

	(void)state;
	root_make(&r);
	assert_set(&r, "etc/svcroute/services.d", "(n): etc\n");
	root_write(&r, "etc/x", "x");
	assert_set(&r, "etc/svcroute/services.d", "(s)\n/etc(n): svcroute\n");
	/* a file in its place, or above it */
	root_write(&r, "etc/svcroute", "x");
	assert_set(&r, "etc/svcroute", "(s)\n/etc(n): svcroute\n");
	assert_set(&r, "etc/svcroute/services.d", "(s)\n/etc(n): svcroute\n");
	root_remove(&r);
}

static void test_plain(void **state)
{
	struct root r;

	(void)state;
	root_make(&r);
	root_write(&r, D "a.cfg", "x");
	root_write(&r, D "b.cfg", "x");
	assert_set(&r, "etc/svcroute/services.d",
		   "(s)\n/etc(s)\n/etc/svcroute(s)\n/etc/svcroute/services.d(f): *\n");
	assert_set(&r, "/etc/./svcroute//services.d/../../svcroute/services.d",
		   "(s)\n/etc(s)\n/etc/svcroute(s)\n/etc/svcroute/services.d(f): *\n");
	assert_set(&r, "etc/svcroute", "(s)\n/etc(s)\n/etc/svcroute(f): *\n");
	root_remove(&r);
}

static void test_links(void **state)
{
	char target[ROOT_PATH_MAX];
	struct root r;

	(void)state;
	root_make(&r);
	/* the directory is a link to a link; relative, absolute */
	root_write(&r, "rel/1/services.d/a.cfg", "x");
	root_symlink(&r, "1", "rel/current");
	root_symlink(&r, root_path(&r, "rel/current", target), "etc/svcroute");
	assert_set(&r, "etc/svcroute/services.d",
		   "(s)\n/etc(n): svcroute\n/rel(n): current\n/rel/1(s)\n"
		   "/rel/1/services.d(f): *\n");
	/* a file in it is one, to where nobody looks; names that do not count are not followed */
	root_write(&r, "shared/a", "x");
	root_symlink(&r, "../../../shared/a", "rel/1/services.d/l.cfg");
	root_symlink(&r, "../../../shared/a", "rel/1/services.d/.l.cfg");
	root_symlink(&r, "../../../shared/a", "rel/1/services.d/l.cfg~");
	assert_set(&r, "etc/svcroute/services.d",
		   "(s)\n/etc(n): svcroute\n/rel(n): current\n/rel/1(s)\n"
		   "/rel/1/services.d(f): *\n/rel/1/services.d(n): l.cfg\n"
		   "/shared(t): a of l.cfg\n");
	/* to nothing; to a mask, which everybody writes to; to a directory; in circles */
	root_unlink(&r, "rel/1/services.d/l.cfg");
	root_symlink(&r, "../../../shared/b/c", "rel/1/services.d/1.cfg");
	root_symlink(&r, "/dev/null", "rel/1/services.d/2.cfg");
	root_symlink(&r, "../../../shared", "rel/1/services.d/3.cfg");
	root_symlink(&r, "5.cfg", "rel/1/services.d/4.cfg");
	root_symlink(&r, "4.cfg", "rel/1/services.d/5.cfg");
	assert_set(&r, "rel/1/services.d",
		   "(s)\n/rel(s)\n/rel/1(s)\n/rel/1/services.d(f): *\n"
		   "/rel/1/services.d(n): 1.cfg\n/rel/1/services.d(n): 2.cfg\n"
		   "/rel/1/services.d(n): 3.cfg\n"
		   "/rel/1/services.d(n): 4.cfg\n/rel/1/services.d(n): 5.cfg\n"
		   "/shared(n): b\n");
	root_remove(&r);
}

static void test_names(void **state)
{
	static const struct {
		int kind;
		const char *name;
		bool counts;
	} rows[] = {
		{-1, "svcroute.conf", true},
		{-1, "svcroute.conf~", false},
		{-1, "other.conf", false},
		{CONFIG_SERVICES, "a.cfg", true},
		{CONFIG_SERVICES, "a.conf", true},
		{CONFIG_SERVICES, ".a.cfg", false},
		{CONFIG_SERVICES, "#a.cfg", false},
		{CONFIG_SERVICES, "a.cfg~", false},
		{CONFIG_SERVICES, "", false},
		{CONFIG_SETTINGS, "a.conf", true},
		{CONFIG_SETTINGS, "a.conf.x", false},
	};

	(void)state;
	assert_null(watch_set_free(NULL));
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		if (watch_name_counts(rows[i].kind, rows[i].name) != rows[i].counts)
			fail_msg("row %zu", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
