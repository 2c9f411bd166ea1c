/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-root.h"

#include <sys/stat.h>

#include "base/num.h"
#include "base/strbuf.h"
#include "daemon/watch.h"

/* A watch of a scratch root, and what it told. */
struct bench {
	struct root root;
	sd_event *event;
	struct watch *watch;
	struct strbuf told; /* "services:a.cfg " or "all " */
	char *paths[4];
};

static void on_change(void *userdata, const struct config_change *changes, size_t n, bool all)
{
	static const char *const kinds[_CONFIG_KIND_MAX] = {"settings", "services", "endpoints"};
	struct bench *b = userdata;

	assert_true(n > 0 || all);
	/* then the names do not matter */
	for (size_t i = 0; i < n && !all; i++)
		strbuf_addf(&b->told, "%s:%s ", kinds[changes[i].kind], changes[i].name);
	if (all)
		strbuf_add(&b->told, "all ");
}

static bool watch_directories(struct bench *b)
{
	bool look_again = true;

	assert_int_equal(
		watch_set_directories(b->watch, (const char *const *)b->paths, &look_again), 0);
	return look_again;
}

/* After a change of what there is to watch; once more is no news. */
static void watch_again(struct bench *b)
{
	(void)watch_directories(b);
	assert_false(watch_directories(b));
}

static void set_up(struct bench *b)
{
	static const char *const names[] = {"etc/svcroute", "etc/svcroute/services.d",
					    "etc/svcroute/svcroute.conf.d"};

	*b = (struct bench){0};
	root_make(&b->root);
	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		assert_true(asprintf(&b->paths[i], "%s/%s", b->root.path, names[i]) > 0);
	assert_int_equal(sd_event_new(&b->event), 0);
	assert_int_equal(watch_new(b->event, on_change, b, &b->watch), 0);
	assert_non_null(b->watch);
}

static void tear_down(struct bench *b)
{
	watch_free(b->watch);
	sd_event_unref(b->event);
	strbuf_done(&b->told);
	for (size_t i = 0; b->paths[i]; i++)
		free(b->paths[i]);
	root_remove(&b->root);
}

/* What is told of all that happened so far. The kernel queues events at once, so there is no need
 * to wait. */
static void assert_told(struct bench *b, const char *expected)
{
	int r;

	strbuf_reset(&b->told);
	while ((r = sd_event_run(b->event, 0)) > 0)
		continue;
	assert_int_equal(r, 0);
	if (b->told.len)
		b->told.data[--b->told.len] = '\0';
	assert_string_equal(strbuf_text(&b->told), expected);
}

/* Something happened, be it told in one go or several. */
static void assert_told_all(struct bench *b)
{
	strbuf_reset(&b->told);
	while (sd_event_run(b->event, 0) > 0)
		continue;
	if (!strstr(strbuf_text(&b->told), "all "))
		fail_msg("told only: '%s'", strbuf_text(&b->told));
}

static void make_directories(struct bench *b)
{
	char path[ROOT_PATH_MAX];

	assert_int_equal(file_make_dirs(root_path(&b->root, "etc/svcroute/services.d", path), 0755),
			 0);
	assert_int_equal(
		file_make_dirs(root_path(&b->root, "etc/svcroute/svcroute.conf.d", path), 0755), 0);
}

#define D "etc/svcroute/services.d/"

static int open_file(const struct bench *b, const char *name, int flags)
{
	char path[ROOT_PATH_MAX];
	int fd = open(root_path(&b->root, name, path), flags | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	return fd;
}

static void test_files(void **state)
{
	char path[ROOT_PATH_MAX], other[ROOT_PATH_MAX];
	struct bench b;
	int fd;

	(void)state;
	assert_null(watch_free(NULL));
	set_up(&b);
	make_directories(&b);
	assert_true(watch_directories(&b));
	assert_false(watch_directories(&b));
	assert_told(&b, "");

	/* A file counts when its writer closes it. */
	fd = open_file(&b, D "a.cfg", O_WRONLY | O_CREAT);
	assert_told(&b, "");
	assert_int_equal(write(fd, "x", 1), 1);
	assert_told(&b, "");
	assert_int_equal(close(fd), 0);
	assert_told(&b, "services:a.cfg");
	fd = open_file(&b, D "a.cfg", O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, "y", 1), 1);
	assert_told(&b, "");
	assert_int_equal(close(fd), 0);
	assert_told(&b, "services:a.cfg");
	fd = open_file(&b, D "a.cfg", O_RDONLY); /* as we do */
	assert_int_equal(close(fd), 0);
	assert_told(&b, "");
	fd = open_file(&b, D "a.cfg", O_WRONLY | O_TRUNC); /* a mask */
	assert_int_equal(close(fd), 0);
	assert_told(&b, "services:a.cfg");

	/* Renames, in and out; one file written over and over is told once. */
	root_write(&b.root, "etc/other", "x");
	root_rename(&b.root, "etc/other", D "b.cfg");
	assert_told(&b, "services:b.cfg");
	root_rename(&b.root, D "b.cfg", D "b.off");
	assert_told(&b, "services:b.cfg");
	root_rename(&b.root, D "b.off", D "c.cfg");
	assert_told(&b, "services:c.cfg");
	root_rename(&b.root, D "c.cfg", D "d.cfg");
	assert_told(&b, "services:c.cfg services:d.cfg");
	for (int i = 0; i < 5; i++)
		root_write(&b.root, D "d.cfg", "xx");
	assert_told(&b, "services:d.cfg");
	assert_int_equal(chmod(root_path(&b.root, D "d.cfg", path), 0600), 0);
	assert_told(&b, "services:d.cfg");
	root_unlink(&b.root, D "d.cfg");
	assert_told(&b, "services:d.cfg");

	/* Links are complete at once: symbolic ones, hard ones, and such whose first name is gone
	 * by the time that we look. */
	root_symlink(&b.root, "/dev/null", D "l.cfg");
	assert_told(&b, "all"); /* where it leads has to be watched */
	watch_directories(&b);
	root_write(&b.root, "etc/other", "x");
	assert_int_equal(
		link(root_path(&b.root, "etc/other", other), root_path(&b.root, D "h.cfg", path)),
		0);
	assert_told(&b, "services:h.cfg");
	assert_int_equal(link(other, root_path(&b.root, D "i.cfg", path)), 0);
	assert_int_equal(unlink(other), 0);
	root_unlink(&b.root, D "h.cfg");
	assert_told(&b, "services:i.cfg services:h.cfg");

	/* A directory or a device by such a name is somebody's mistake, which is told. */
	assert_int_equal(mkdir(root_path(&b.root, D "dir.cfg", path), 0755), 0);
	assert_told(&b, "services:dir.cfg");
	assert_int_equal(mkfifo(root_path(&b.root, D "fifo.cfg", path), 0644), 0);
	assert_told(&b, "services:fifo.cfg");
	tear_down(&b);
}

static void test_names(void **state)
{
	char longest[300];
	struct bench b;

	(void)state;
	set_up(&b);
	make_directories(&b);
	watch_directories(&b);
	/* what editors and package managers leave */
	root_write(&b.root, D ".a.cfg.swp", "x");
	root_write(&b.root, D ".a.cfg", "x");
	root_write(&b.root, D "a.cfg~", "x");
	root_write(&b.root, D "a.cfg.dpkg-new", "x");
	root_write(&b.root, D "4913", "x");
	root_unlink(&b.root, D "4913");
	root_write(&b.root, "etc/svcroute/README", "x");
	root_write(&b.root, "etc/svcroute/other.conf", "x");
	root_write(&b.root, "etc/other", "x");
	assert_told(&b, "");
	root_write(&b.root, "etc/svcroute/svcroute.conf", "x");
	assert_told(&b, "settings:svcroute.conf");
	root_unlink(&b.root, "etc/svcroute/svcroute.conf");
	assert_told(&b, "settings:svcroute.conf");
	root_write(&b.root, "etc/svcroute/svcroute.conf.d/a.conf", "x");
	assert_told(&b, "settings:a.conf");
	/* the wrong suffix for the directory: only a look at everything tells */
	root_write(&b.root, D "a.conf", "x");
	assert_told(&b, "all");
	root_write(&b.root, "etc/svcroute/svcroute.conf.d/a.cfg", "x");
	assert_told(&b, "all");
	/* the swap of a whole directory of links */
	root_symlink(&b.root, "/nowhere", D "..data_tmp");
	root_rename(&b.root, D "..data_tmp", D "..data");
	assert_told(&b, "all");
	/* the longest name there is */
	(void)snprintf(longest, sizeof(longest), D "%0251d.cfg", 1);
	root_write(&b.root, longest, "x");
	strbuf_reset(&b.told);
	while (sd_event_run(b.event, 0) > 0)
		continue;
	assert_int_equal(b.told.len, strlen("services:") + 255 + 1);
	tear_down(&b);
}

/* Nothing is there at first; each step has to be noticed. */
static void test_directories_appear(void **state)
{
	char path[ROOT_PATH_MAX];
	struct bench b;

	(void)state;
	set_up(&b);
	watch_again(&b);
	assert_told(&b, "");
	root_write(&b.root, "unrelated", "x");
	assert_told(&b, "");
	assert_int_equal(mkdir(root_path(&b.root, "etc", path), 0755), 0);
	assert_told_all(&b);
	watch_again(&b);
	assert_int_equal(mkdir(root_path(&b.root, "etc/svcroute", path), 0755), 0);
	assert_told_all(&b);
	assert_true(watch_directories(&b));
	assert_int_equal(mkdir(root_path(&b.root, "etc/svcroute/services.d", path), 0755), 0);
	/* written before anybody watches: seen by looking again */
	root_write(&b.root, D "a.cfg", "x");
	assert_told_all(&b);
	assert_true(watch_directories(&b));
	assert_told(&b, "");
	root_write(&b.root, D "a.cfg", "x");
	assert_told(&b, "services:a.cfg");
	tear_down(&b);
}

static void remove_services(struct bench *b)
{
	root_unlink(&b->root, D "a.cfg");
	root_unlink(&b->root, "etc/svcroute/services.d");
}

static void test_directories_go(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	make_directories(&b);
	root_write(&b.root, D "a.cfg", "x");
	watch_directories(&b);
	for (int i = 0; i < 3; i++) {
		remove_services(&b);
		assert_told_all(&b);
		watch_again(&b);
		assert_told(&b, "");
		root_write(&b.root, D "a.cfg", "x");
		assert_told_all(&b);
		assert_true(watch_directories(&b));
		root_write(&b.root, D "a.cfg", "x");
		assert_told(&b, "services:a.cfg");
	}
	/* gone and there again before anybody looked */
	remove_services(&b);
	root_write(&b.root, D "a.cfg", "x");
	assert_told_all(&b);
	assert_true(watch_directories(&b));
	root_write(&b.root, D "a.cfg", "x");
	assert_told(&b, "services:a.cfg");
	/* the parent goes, with everything */
	root_rename(&b.root, "etc/svcroute", "etc/old");
	assert_told_all(&b);
	watch_again(&b);
	root_write(&b.root, "etc/old/services.d/a.cfg", "x");
	assert_told(&b, "");
	root_rename(&b.root, "etc/old", "etc/svcroute");
	assert_told_all(&b);
	assert_true(watch_directories(&b));
	root_write(&b.root, D "a.cfg", "x");
	assert_told(&b, "services:a.cfg");
	/* a file in the place of a directory, and back */
	root_rename(&b.root, "etc/svcroute/services.d", "etc/svcroute/x");
	root_write(&b.root, "etc/svcroute/services.d", "x");
	assert_told_all(&b);
	watch_again(&b);
	root_unlink(&b.root, "etc/svcroute/services.d");
	root_rename(&b.root, "etc/svcroute/x", "etc/svcroute/services.d");
	assert_told_all(&b);
	assert_true(watch_directories(&b));
	tear_down(&b);
}

static void test_links(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	root_write(&b.root, "v1/services.d/a.cfg", "x");
	root_write(&b.root, "v2/services.d/a.cfg", "x");
	root_symlink(&b.root, "../v1", "etc/svcroute");
	assert_true(watch_directories(&b));
	root_write(&b.root, "v1/services.d/a.cfg", "x");
	assert_told(&b, "services:a.cfg");
	/* the link is replaced by rename, as one does */
	root_symlink(&b.root, "../v2", "etc/new");
	root_rename(&b.root, "etc/new", "etc/svcroute");
	assert_told_all(&b);
	assert_true(watch_directories(&b));
	root_write(&b.root, "v1/services.d/a.cfg", "x");
	assert_told(&b, "");
	root_write(&b.root, "v2/services.d/a.cfg", "x");
	assert_told(&b, "services:a.cfg");
	/* or removed, and made later */
	root_unlink(&b.root, "etc/svcroute");
	assert_told_all(&b);
	assert_false(watch_directories(&b));
	root_symlink(&b.root, "../v1", "etc/svcroute");
	assert_told_all(&b);
	assert_true(watch_directories(&b));

	/* The same one level down. */
	root_rename(&b.root, "v1/services.d", "v1/one");
	assert_told_all(&b);
	watch_directories(&b);
	root_symlink(&b.root, "one", "v1/services.d");
	assert_told_all(&b);
	assert_true(watch_directories(&b));
	root_write(&b.root, "v1/two/b.cfg", "x");
	root_symlink(&b.root, "two", "v1/new");
	assert_told(&b, "");
	root_rename(&b.root, "v1/new", "v1/services.d");
	assert_told_all(&b);
	assert_true(watch_directories(&b));
	root_write(&b.root, "v1/two/b.cfg", "x");
	assert_told(&b, "services:b.cfg");
	root_write(&b.root, "v1/one/a.cfg", "x");
	assert_told(&b, "");
	/* a link to nothing, which comes to lead somewhere by another one */
	root_symlink(&b.root, "three", "v1/new");
	root_rename(&b.root, "v1/new", "v1/services.d");
	assert_told_all(&b);
	assert_false(watch_directories(&b));
	tear_down(&b);
}

/* How many watches the kernel keeps for us. */
static unsigned count_watches(void)
{
	unsigned n = 0;

	for (int fd = 3; fd < 64; fd++) {
		char path[64], line[512];
		FILE *f;

		(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		f = fopen(path, "re");
		while (f && fgets(line, sizeof(line), f))
			n += strncmp(line, "inotify wd:", 11) == 0;
		if (f)
			(void)fclose(f);
	}
	return n;
}

/* C53: files that are links, to where nobody watches. */
static void test_linked_files(void **state)
{
	unsigned before;
	struct bench b;

	(void)state;
	set_up(&b);
	make_directories(&b);
	root_write(&b.root, "rel/1/web.cfg", "x");
	root_write(&b.root, "rel/2/web.cfg", "x");
	watch_again(&b);
	before = count_watches();

	/* link -> link -> file */
	root_symlink(&b.root, "1", "rel/current");
	root_symlink(&b.root, "../../../rel/current/web.cfg", D "web.cfg");
	assert_told(&b, "all");
	assert_true(watch_directories(&b));
	assert_false(watch_directories(&b));
	assert_told(&b, "");
	/* the content of the target, and nothing else there */
	root_write(&b.root, "rel/1/web.cfg", "xx");
	assert_told(&b, "services:web.cfg");
	root_write(&b.root, "rel/1/other.cfg", "xx");
	root_write(&b.root, "rel/other", "xx");
	root_write(&b.root, "rel/2/web.cfg", "xx");
	assert_told(&b, "");
	/* replaced: it may be a link now */
	root_write(&b.root, "rel/1/new", "xx");
	root_rename(&b.root, "rel/1/new", "rel/1/web.cfg");
	assert_told(&b, "all");
	assert_false(watch_directories(&b));
	/* the link on the way is swapped; the old target is no longer of interest */
	root_symlink(&b.root, "2", "rel/new");
	assert_told(&b, "");
	root_rename(&b.root, "rel/new", "rel/current");
	assert_told(&b, "all");
	assert_true(watch_directories(&b));
	root_write(&b.root, "rel/1/web.cfg", "x");
	assert_told(&b, "");
	root_write(&b.root, "rel/2/web.cfg", "x");
	assert_told(&b, "services:web.cfg");
	/* dangling for a while, at the end and in the middle */
	root_unlink(&b.root, "rel/2/web.cfg");
	assert_told(&b, "all");
	watch_again(&b);
	root_write(&b.root, "rel/2/web.cfg", "x");
	assert_told_all(&b);
	watch_again(&b);
	root_rename(&b.root, "rel/2", "rel/3");
	assert_told(&b, "all");
	watch_again(&b);
	root_write(&b.root, "rel/3/web.cfg", "x");
	assert_told(&b, "");
	root_rename(&b.root, "rel/3", "rel/2");
	assert_told(&b, "all");
	watch_again(&b);
	root_write(&b.root, "rel/2/web.cfg", "x");
	assert_told(&b, "services:web.cfg");
	/* something above is renamed: no way leads there any more */
	root_rename(&b.root, "rel", "gone");
	assert_told(&b, "all");
	watch_again(&b);
	root_write(&b.root, "gone/2/web.cfg", "x");
	assert_told(&b, "");
	root_rename(&b.root, "gone", "rel");
	assert_told(&b, "all");
	watch_again(&b);

	/* a file again, in its place: nothing is watched any more that is not reached */
	root_write(&b.root, "etc/plain", "x");
	root_rename(&b.root, "etc/plain", D "web.cfg");
	assert_told(&b, "all");
	watch_again(&b);
	assert_int_equal(count_watches(), before);
	root_write(&b.root, "rel/2/web.cfg", "x");
	assert_told(&b, "");
	tear_down(&b);
}

/* Two links to one file, a link to a neighbour, the main file, a mask, a circle. */
static void test_more_linked_files(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	make_directories(&b);
	root_write(&b.root, "shared/one", "x");
	root_symlink(&b.root, "../../../shared/one", D "a.cfg");
	root_symlink(&b.root, "../../../shared/one", D "b.cfg");
	root_write(&b.root, D "c.cfg", "x");
	root_symlink(&b.root, "c.cfg", D "d.cfg");
	root_write(&b.root, "shared/main", "x");
	root_symlink(&b.root, "../../shared/main", "etc/svcroute/svcroute.conf");
	root_symlink(&b.root, "/dev/null", D "mask.cfg");
	root_symlink(&b.root, "circle.cfg", D "circle.cfg");
	watch_again(&b);
	root_write(&b.root, "shared/one", "xx");
	strbuf_reset(&b.told);
	while (sd_event_run(b.event, 0) > 0)
		continue;
	assert_non_null(strstr(strbuf_text(&b.told), "services:a.cfg "));
	assert_non_null(strstr(strbuf_text(&b.told), "services:b.cfg "));
	assert_null(strstr(strbuf_text(&b.told), "all"));
	root_write(&b.root, D "c.cfg", "xx");
	assert_told(&b, "services:c.cfg services:d.cfg");
	root_write(&b.root, "shared/main", "xx");
	assert_told(&b, "settings:svcroute.conf");
	/* everybody writes to /dev/null */
	{
		_cleanup_close_ int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

		assert_int_equal(write(fd, "x", 1), 1);
	}
	assert_told(&b, "");
	root_unlink(&b.root, D "mask.cfg");
	assert_told(&b, "all");
	/* the swap of all links at once */
	root_write(&b.root, D "..1/e.cfg", "x");
	root_symlink(&b.root, "..1", D "..data");
	root_symlink(&b.root, "..data/e.cfg", D "e.cfg");
	assert_told_all(&b);
	watch_again(&b);
	root_write(&b.root, D "..1/e.cfg", "xx");
	assert_told(&b, "services:e.cfg");
	root_write(&b.root, D "..2/e.cfg", "x");
	root_symlink(&b.root, "..2", D "..new");
	root_rename(&b.root, D "..new", D "..data");
	assert_told_all(&b);
	watch_again(&b);
	root_write(&b.root, D "..1/e.cfg", "xx");
	assert_told(&b, "");
	root_write(&b.root, D "..2/e.cfg", "xx");
	assert_told(&b, "services:e.cfg");
	tear_down(&b);
}

/* More events than the kernel keeps: something was lost, so everything has to be looked at. */
static void test_overflow(void **state)
{
	char line[32], a[ROOT_PATH_MAX], c[ROOT_PATH_MAX];
	struct bench b;
	uint64_t n;

	(void)state;
	set_up(&b);
	make_directories(&b);
	root_write(&b.root, D "a.cfg", "x");
	root_write(&b.root, D "b.cfg", "x");
	watch_directories(&b);
	(void)root_path(&b.root, D "a.cfg", a);
	(void)root_path(&b.root, D "b.cfg", c);
	assert_int_equal(
		file_read_line("/proc/sys/fs/inotify/max_queued_events", line, sizeof(line)), 0);
	assert_int_equal(num_parse_u64(line, 1, 1 << 20, &n), 0);
	/* two in turn, for the kernel merges equal neighbours */
	for (uint64_t i = 0; i < n / 2 + 10; i++) {
		assert_int_equal(chmod(a, 0644), 0);
		assert_int_equal(chmod(c, 0644), 0);
	}
	assert_told_all(&b);
	root_write(&b.root, D "a.cfg", "x");
	assert_told(&b, "services:a.cfg");
	tear_down(&b);
}

/* The list of directories changes. */
static void test_other_directories(void **state)
{
	const char *const none[] = {NULL};
	bool look_again = true;
	struct bench b;

	(void)state;
	set_up(&b);
	make_directories(&b);
	watch_directories(&b);
	assert_int_equal(watch_set_directories(b.watch, none, &look_again), 0);
	assert_false(look_again);
	root_write(&b.root, D "a.cfg", "x");
	assert_told(&b, "");
	assert_true(watch_directories(&b));
	root_write(&b.root, D "a.cfg", "x");
	assert_told(&b, "services:a.cfg");
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_directories_appear),
		cmocka_unit_test(test_directories_go),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_linked_files),
		cmocka_unit_test(test_more_linked_files),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_other_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
