/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches as the kernel gives them: news, errors, what is taken off, and the way back from an
 * event. */
#include "make-root.h"
#include "make-skip.h"

#include <sched.h>
#include <sys/mount.h>

#include "daemon/watch-set.h"

#define D "etc/svcroute/services.d/"

struct bench {
	struct root root;
	int fd;
	char *paths[3];
	struct watch_set *set;
};

static void set_up(struct bench *b)
{
	*b = (struct bench){0};
	root_make(&b->root);
	root_write(&b->root, D "a.cfg", "x");
	assert_true(asprintf(&b->paths[0], "%s/etc/svcroute/services.d", b->root.path) > 0);
	assert_true(asprintf(&b->paths[1], "%s/etc/svcroute/endpoints.d", b->root.path) > 0);
	b->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	assert_true(b->fd >= 0);
}

static void tear_down(struct bench *b)
{
	assert_int_equal(close(b->fd), 0);
	watch_set_free(b->set);
	free(b->paths[0]);
	free(b->paths[1]);
	root_remove(&b->root);
}

/* Looks and arms anew; what was there before is replaced. */
static void arm(struct bench *b, int fd, bool wanted_fresh, bool wanted_dropped)
{
	struct watch_set *s = NULL;
	bool fresh = !wanted_fresh;

	assert_int_equal(watch_set_new((const char *const *)b->paths, &s), 0);
	assert_int_equal(watch_set_arm(s, fd, b->set, &fresh), 0);
	assert_int_equal(fresh, wanted_fresh);
	if (b->set)
		assert_int_equal(watch_set_drop(s, fd, b->set), wanted_dropped);
	watch_set_free(b->set);
	b->set = s;
}

static const struct watch_spot *spot_of(const struct bench *b, const char *path)
{
	char full[ROOT_PATH_MAX];

	return watch_set_spot(b->set, root_path(&b->root, path, full));
}

static void test_news(void **state)
{
	const struct watch_interest *found;
	const struct watch_spot *spot;
	struct bench b;

	(void)state;
	set_up(&b);
	arm(&b, b.fd, true, false);
	arm(&b, b.fd, false, false);
	spot = spot_of(&b, "etc/svcroute/services.d");
	assert_non_null(spot);
	assert_true(spot->wd >= 0);
	assert_true(watch_set_has(b.set, spot->wd));
	assert_false(watch_set_has(b.set, 4711));
	assert_int_equal(watch_set_find(b.set, spot->wd, NULL, &found), 1);
	assert_int_equal(found->role, WATCH_FILES);
	assert_int_equal(found->item, 0);
	assert_int_equal(watch_set_find(b.set, spot->wd, "a.cfg", &found), 0);
	assert_int_equal(watch_set_find(b.set, 4711, NULL, &found), 0);

	/* the other directory is waited for above */
	spot = spot_of(&b, "etc/svcroute");
	assert_non_null(spot);
	assert_int_equal(watch_set_find(b.set, spot->wd, "endpoints.d", &found), 1);
	assert_int_equal(found->role, WATCH_STEP);
	assert_int_equal(found->item, 1);
	assert_int_equal(spot->items, 3); /* both depend on it */
	root_write(&b.root, "etc/svcroute/endpoints.d/x", "x");
	arm(&b, b.fd, true, false);
	arm(&b, b.fd, false, false);
	/* another directory of the same name; the watch of the old one goes by itself or by us */
	root_rename(&b.root, "etc/svcroute/endpoints.d", "etc/old");
	root_write(&b.root, "etc/svcroute/endpoints.d/x", "x");
	arm(&b, b.fd, true, true);
	arm(&b, b.fd, false, false);
	/* less than before is no news */
	root_rename(&b.root, "etc/svcroute/endpoints.d", "etc/older");
	arm(&b, b.fd, true, true); /* but one name more to wait for */
	arm(&b, b.fd, false, false);
	tear_down(&b);
}

static void test_errors(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	/* nothing is to be had */
	arm(&b, -EMFILE, false, false);
	for (size_t i = 0; i < b.set->n_spots; i++) {
		assert_int_equal(b.set->spots[i]->wd, -1);
		assert_int_equal(b.set->spots[i]->error, -EMFILE);
	}
	/* now it is: that is news */
	arm(&b, b.fd, true, false);
	arm(&b, b.fd, false, false);
	tear_down(&b);
}

/* What goes between looking and watching. */
static void test_gone(void **state)
{
	struct watch_set *s = NULL;
	bool fresh = false;
	struct bench b;

	(void)state;
	set_up(&b);
	arm(&b, b.fd, true, false);
	assert_int_equal(watch_set_new((const char *const *)b.paths, &s), 0);
	root_rename(&b.root, "etc/svcroute/services.d", "etc/old");
	assert_int_equal(watch_set_arm(s, b.fd, b.set, &fresh), 0);
	assert_true(fresh);
	watch_set_free(b.set);
	b.set = s;
	/* a link now stands there: it is not followed without its being known */
	root_rename(&b.root, "etc/old", "etc/svcroute/services.d");
	assert_int_equal(watch_set_new((const char *const *)b.paths, &s), 0);
	root_rename(&b.root, "etc/svcroute/services.d", "etc/old");
	root_symlink(&b.root, "../old", "etc/svcroute/services.d");
	assert_int_equal(watch_set_arm(s, b.fd, b.set, &fresh), 0);
	assert_true(fresh);
	watch_set_free(b.set);
	b.set = s;
	assert_int_equal(spot_of(&b, "etc/svcroute/services.d")->wd, -1);
	tear_down(&b);
}

/* One directory under two names has one watch, with all that both need. */
static void test_bind_mount(void **state)
{
	char one[ROOT_PATH_MAX], two[ROOT_PATH_MAX];
	const struct watch_interest *found;
	const struct watch_spot *a, *c;
	struct bench b;

	(void)state;
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		skip_because("needs a mount namespace");
	set_up(&b);
	root_write(&b.root, "etc/svcroute/endpoints.d/x", "x");
	assert_int_equal(mount(root_path(&b.root, "etc/svcroute/services.d", one),
			       root_path(&b.root, "etc/svcroute/endpoints.d", two), NULL, MS_BIND,
			       NULL),
			 0);
	arm(&b, b.fd, true, false);
	arm(&b, b.fd, false, false);
	a = spot_of(&b, "etc/svcroute/services.d");
	c = spot_of(&b, "etc/svcroute/endpoints.d");
	assert_ptr_not_equal(a, c);
	assert_int_equal(a->wd, c->wd);
	assert_int_equal(a->mask, c->mask);
	assert_int_equal(watch_set_find(b.set, a->wd, NULL, &found), 2);
	assert_int_equal(umount(two), 0);
	arm(&b, b.fd, true, false);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_news),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_bind_mount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
