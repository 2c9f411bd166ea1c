/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What changes are seen by without inotify: prints of directories and of mounts, polling. */
#include "make-root.h"
#include "make-skip.h"

#include <sched.h>
#include <sys/mount.h>

#include "base/strbuf.h"
#include "config/tree.h"
#include "daemon/watch-poll.h"
#include "daemon/watch.h"

#define D "etc/svcroute/services.d/"

static void item_of(const struct root *r, const char *path, int kind, struct watch_item *ret)
{
	*ret = (struct watch_item){.kind = kind};
	assert_true(asprintf(&ret->path, "%s/%s", r->path, path) > 0);
}

static void assert_print(const struct watch_item *item, uint64_t *print, bool changed)
{
	uint64_t now = watch_print(item);

	if ((now != *print) != changed)
		fail_msg("%s: print %s", item->path, changed ? "is the same" : "changed");
	*print = now;
	assert_int_equal(watch_print(item), now);
}

static void test_print(void **state)
{
	const struct timespec tick = {.tv_nsec = 20000000}; /* coarser than any clock of files */
	char path[ROOT_PATH_MAX];
	struct timespec times[2];
	struct watch_item item;
	uint64_t print = 0;
	struct root r;
	struct stat st;

	(void)state;
	root_make(&r);
	item_of(&r, "etc/svcroute/services.d", CONFIG_SERVICES, &item);
	assert_print(&item, &print, true);
	assert_int_equal(file_make_dirs(root_path(&r, "etc/svcroute/services.d", path), 0755), 0);
	assert_print(&item, &print, true);
	root_write(&r, D "a.cfg", "x");
	assert_print(&item, &print, true);
	root_write(&r, D "a.cfg", "xy");
	assert_print(&item, &print, true);
	/* the same size, and the old time, as cp -p leaves it */
	assert_int_equal(stat(root_path(&r, D "a.cfg", path), &st), 0);
	nanosleep(&tick, NULL);
	root_write(&r, D "a.cfg", "ab");
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_print(&item, &print, true);
	/* an own new file of this name, with all the same */
	root_write(&r, "new", "cd");
	assert_int_equal(utimensat(AT_FDCWD, root_path(&r, "new", path), times, 0), 0);
	root_rename(&r, "new", D "a.cfg");
	assert_print(&item, &print, true);
	/* what does not count */
	root_write(&r, D ".a.cfg.swp", "x");
	root_write(&r, D "a.cfg~", "x");
	root_write(&r, D "#a.cfg", "x");
	root_write(&r, D "a.cfg.dpkg-new", "x");
	assert_print(&item, &print, false);
	root_write(&r, D "a.conf", "x"); /* in the wrong directory: there is an error */
	assert_print(&item, &print, true);
	root_rename(&r, D "a.cfg", D "b.cfg");
	assert_print(&item, &print, true);
	/* what a link leads to */
	root_write(&r, "one", "x");
	root_symlink(&r, "../../../one", D "l.cfg");
	assert_print(&item, &print, true);
	root_write(&r, "one", "xy");
	assert_print(&item, &print, true);
	root_unlink(&r, "one");
	assert_print(&item, &print, true);
	/* the directory is another one, with nothing in it either */
	root_rename(&r, "etc/svcroute/services.d", "etc/svcroute/old");
	assert_print(&item, &print, true);
	root_write(&r, D "x", "x");
	assert_print(&item, &print, true);
	root_rename(&r, "etc/svcroute/services.d", "etc/svcroute/older");
	root_write(&r, D "x", "x");
	assert_print(&item, &print, true);
	free(item.path);

	/* the main directory has one file that counts */
	item_of(&r, "etc/svcroute", -1, &item);
	print = watch_print(&item);
	root_write(&r, "etc/svcroute/other.conf", "x");
	assert_print(&item, &print, false);
	root_write(&r, "etc/svcroute/svcroute.conf", "x");
	assert_print(&item, &print, true);
	free(item.path);
	root_remove(&r);
}

/* Which lines of mountinfo matter; how names are written there. */
static void test_mounts_print(void **state)
{
	static const struct {
		const char *below; /* what is mounted over, below the root */
		bool matters;
	} rows[] = {
		{"", true}, /* above */
		{"/etc", true},
		{"/etc/svcroute", true},
		{"/etc/svcroute/services.d", true},
		{"/etc/svcroute/services.d/a.cfg", true},
		{"/etc/svcroute/services.d/new", true},
		{"/etc/svcroute/services.d/a\\040b.cfg", true},
		{"/etc/svcroute/services.d/a/b", false},
		{"/etc/svcroute/endpoints.d", false}, /* nobody asked for it here */
		{"/etc/other", false},
		{"/far\\040away", true},
		{"/far\\040away/target", true},
		{"/far\\040away/other", false},
		{"/far", false},
		{"x", false},
	};
	_cleanup_(watch_set_freep) struct watch_set *s = NULL;
	_cleanup_free_ char *path = NULL, *now = watch_mounts();
	const char *directories[2] = {NULL};
	int fd = inotify_init1(IN_CLOEXEC);
	struct root r;
	bool fresh;

	(void)state;
	assert_non_null(now);
	assert_non_null(strstr(now, " / "));
	root_make(&r);
	root_write(&r, "far away/target", "x");
	root_symlink(&r, "../../../far away/target", D "link.cfg");
	assert_true(asprintf(&path, "%s/etc/svcroute/services.d", r.path) > 0);
	directories[0] = path;
	assert_int_equal(watch_set_new(directories, &s), 0);
	assert_int_equal(watch_set_arm(s, fd, NULL, &fresh), 0);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		char with[512], without[] = "1 2 0:1 / /proc rw - proc proc rw\n";

		(void)snprintf(with, sizeof(with), "%s3 1 0:2 / %s%s rw,x - tmpfs none rw\n",
			       without, r.path, rows[i].below);
		if ((watch_mounts_print(s, with) != watch_mounts_print(s, without)) !=
		    rows[i].matters)
			fail_msg("'%s'", rows[i].below);
	}
	/* odd texts */
	(void)watch_mounts_print(s, "");
	(void)watch_mounts_print(s, "\n\n1 2\n1 2 3 4 \n1 2 3 4 5\\04");
	assert_int_equal(close(fd), 0);
	root_remove(&r);
}

/* Mounts are made in a mount namespace of this process. */
static bool private_mounts(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

struct bench {
	struct root root;
	sd_event *event;
	struct watch *watch;
	char *paths[2];
	unsigned n_all;
	struct strbuf told;
};

static void on_change(void *userdata, const struct config_change *changes, size_t n, bool all)
{
	struct bench *b = userdata;

	b->n_all += all;
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&b->told, "%s ", changes[i].name);
}

static bool watch_directory(struct bench *b)
{
	bool look_again = true;

	assert_int_equal(
		watch_set_directories(b->watch, (const char *const *)b->paths, &look_again), 0);
	return look_again;
}

static void set_up(struct bench *b)
{
	*b = (struct bench){0};
	root_make(&b->root);
	root_write(&b->root, D "a.cfg", "x");
	assert_true(asprintf(&b->paths[0], "%s/etc/svcroute/services.d", b->root.path) > 0);
	assert_int_equal(sd_event_new(&b->event), 0);
	assert_int_equal(watch_new(b->event, on_change, b, &b->watch), 0);
	assert_true(watch_directory(b));
	assert_false(watch_directory(b));
}

static void tear_down(struct bench *b)
{
	watch_free(b->watch);
	sd_event_unref(b->event);
	strbuf_done(&b->told);
	free(b->paths[0]);
	root_remove(&b->root);
}

static void run(struct bench *b)
{
	int r;

	b->n_all = 0;
	strbuf_reset(&b->told);
	while ((r = sd_event_run(b->event, 0)) > 0)
		continue;
	assert_int_equal(r, 0);
}

/* Until told, however long the machine takes. */
static void wait_for_all(struct bench *b)
{
	b->n_all = 0;
	for (int i = 0; i < 600 && b->n_all == 0; i++)
		assert_true(sd_event_run(b->event, 100000) >= 0);
	assert_int_not_equal(b->n_all, 0);
}

static void test_mounts(void **state)
{
	char path[ROOT_PATH_MAX], other[ROOT_PATH_MAX];
	struct bench b;

	(void)state;
	if (!private_mounts())
		skip_because("needs a mount namespace");
	set_up(&b);
	root_write(&b.root, "other/b.cfg", "x");
	(void)root_path(&b.root, "other", other);
	(void)root_path(&b.root, "etc/svcroute/services.d", path);

	/* over the directory, with an edit of what is seen then; and off it */
	assert_int_equal(mount(other, path, NULL, MS_BIND, NULL), 0);
	wait_for_all(&b);
	assert_false(watch_directory(&b)); /* it was armed when the mount was seen */
	root_write(&b.root, "other/b.cfg", "xx");
	run(&b);
	assert_string_equal(strbuf_text(&b.told), "b.cfg ");
	assert_int_equal(umount(path), 0);
	wait_for_all(&b);
	root_write(&b.root, D "a.cfg", "xx");
	run(&b);
	assert_string_equal(strbuf_text(&b.told), "a.cfg ");
	/* over a directory above it */
	root_write(&b.root, "etc2/svcroute/services.d/c.cfg", "x");
	assert_int_equal(mount(root_path(&b.root, "etc2", other), root_path(&b.root, "etc", path),
			       NULL, MS_BIND, NULL),
			 0);
	wait_for_all(&b);
	root_write(&b.root, "etc2/svcroute/services.d/c.cfg", "xx");
	run(&b);
	assert_string_equal(strbuf_text(&b.told), "c.cfg ");
	assert_int_equal(umount(path), 0);
	wait_for_all(&b);
	/* over a file */
	assert_int_equal(mount(root_path(&b.root, "other/b.cfg", other),
			       root_path(&b.root, D "a.cfg", path), NULL, MS_BIND, NULL),
			 0);
	wait_for_all(&b);
	assert_int_equal(umount(path), 0);
	wait_for_all(&b);
	/* somewhere else: nobody's business */
	run(&b);
	assert_int_equal(mount("none", root_path(&b.root, "other", other), "tmpfs", 0, NULL), 0);
	run(&b);
	assert_int_equal(b.n_all, 0);
	assert_int_equal(umount(other), 0);
	run(&b);
	assert_int_equal(b.n_all, 0);
	tear_down(&b);
}

static void set_limit(const char *name, const char *value)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "/proc/sys/user/%s", name);
	assert_int_equal(file_write_line(path, value), 0);
}

/* As root of a user namespace of our own, which has limits of its own. This cannot be undone: it
 * is for the last test. */
static bool enter_user_namespace(void)
{
	return geteuid() == 0 && unshare(CLONE_NEWUSER) == 0 &&
	       file_write_line("/proc/self/setgroups", "deny") == 0 &&
	       file_write_line("/proc/self/uid_map", "0 0 1") == 0 &&
	       file_write_line("/proc/self/gid_map", "0 0 1") == 0;
}

static void assert_trouble(const struct bench *b, const char *part)
{
	const char *trouble = watch_trouble(b->watch);

	if (!part)
		assert_null(trouble);
	else if (!trouble || !strstr(trouble, part))
		fail_msg("'%s' is not in '%s'", part, trouble ? trouble : "");
}

/* C55: limits that are reached; then they are not any more. */
static void test_limits(void **state)
{
	struct bench b;

	(void)state;
	if (!enter_user_namespace())
		skip_because("needs a user namespace");
	set_limit("max_inotify_instances", "0");
	set_up(&b);
	assert_trouble(&b, "fs.inotify.max_user_instances");
	root_write(&b.root, D "a.cfg", "xx");
	wait_for_all(&b);
	assert_false(watch_directory(&b));
	/* a directory that comes */
	root_rename(&b.root, "etc/svcroute", "etc/old");
	wait_for_all(&b);
	root_rename(&b.root, "etc/old", "etc/svcroute");
	wait_for_all(&b);

	set_limit("max_inotify_instances", "10");
	set_limit("max_inotify_watches", "0");
	assert_false(watch_directory(&b));
	assert_trouble(&b, "fs.inotify.max_user_watches");
	root_write(&b.root, D "a.cfg", "xxx");
	wait_for_all(&b);

	set_limit("max_inotify_watches", "100");
	assert_true(watch_directory(&b)); /* what happened before that was not seen */
	assert_trouble(&b, NULL);
	assert_false(watch_directory(&b));
	run(&b);
	root_write(&b.root, D "a.cfg", "xxxx");
	run(&b);
	assert_string_equal(strbuf_text(&b.told), "a.cfg ");
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_mounts_print),
		cmocka_unit_test(test_mounts),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
