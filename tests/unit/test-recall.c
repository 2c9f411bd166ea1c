/* SPDX-License-Identifier: GPL-2.0-or-later */

/* What is in force after a restart: config/recall.c, with the state directory of config/accepted.h.
 */
#include "make-config.h"

#include <fcntl.h>

#define WEB(name, ip)                                           \
	"services = ( { name = \"" name "\"; clusterIP = \"" ip \
	"\"; ports = ( { port = 80; } ); endpoints = [ \"10.1.0.1:80\" ]; } );\n"
#define BROKEN "services = ( { name = \"x\"; clusterIP = \"10.96.0.300\"; } );\n"

static char *state_path(const struct bench *b)
{
	char *path;

	assert_true(asprintf(&path, "%s/var/lib/svcroute", b->root.path) > 0);
	return path;
}

/* As the daemon does after a sync. */
static void keep(struct bench *b)
{
	_cleanup_free_ char *state = state_path(b);
	struct accepted_wanted *list = NULL;
	size_t n = 99;

	assert_int_equal(config_keep(b->config, &list, &n), 0);
	assert_int_equal(accepted_save(state, list, n, NULL), 0);
	free(list);
	config_kept(b->config, true);
	assert_false(config_unkept(b->config));
}

static void use_state(struct bench *b)
{
	_cleanup_free_ char *state = state_path(b);

	assert_int_equal(config_set_state(b->config, state), 0);
}

static void begin(struct bench *b)
{
	set_up(b);
	use_state(b);
}

static void restart(struct bench *b)
{
	world_unref(b->world);
	b->world = NULL;
	config_free(b->config);
	b->config = new_config(&b->root);
	use_state(b);
}

static uint64_t since_of(const struct bench *b, const char *end)
{
	struct config_refused refused;
	size_t pos = 0;

	while (config_next_refused(b->config, &pos, &refused)) {
		size_t n = strlen(refused.path), m = strlen(end);

		if (n > m && streq(refused.path + n - m, end))
			return refused.since_usec;
	}
	fail_msg("%s is not among the refused files", end);
	return 0;
}

/* A broken file has what it last said; the others have their newest content. */
static void test_broken_file(void **state)
{
	static const char *const texts[] = {
		BROKEN,
		"{",
		"services = ( { name = \"a\"; } );\n",
		"\xff\xfe",
	};
	struct bench b;

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
		begin(&b);
		put(&b, "etc/svcroute/services.d/a.cfg", WEB("a", "10.96.0.1"));
		put(&b, "etc/svcroute/services.d/b.cfg", WEB("b", "10.96.0.2"));
		look(&b);
		assert_true(config_unkept(b.config));
		keep(&b);
		put(&b, "etc/svcroute/services.d/a.cfg", texts[i]);
		put(&b, "etc/svcroute/services.d/b.cfg", WEB("c", "10.96.0.3"));
		restart(&b);
		look(&b);
		assert_services(&b, "a*1 c*1", 1);
		assert_int_equal(config_n_left_out(b.config), 0);
		assert_true(since_of(&b, "/a.cfg") > 0);
		/* And once more: what was recalled is kept as well. */
		keep(&b);
		restart(&b);
		look(&b);
		assert_services(&b, "a*1 c*1", 1);
		put(&b, "etc/svcroute/services.d/a.cfg", WEB("d", "10.96.0.4"));
		look(&b);
		assert_services(&b, "c*1 d*1", 0);
		assert_true(config_unkept(b.config));
		tear_down(&b);
	}
}

/* Without a directory, or before it was ever kept, a broken file is left out. */
static void test_nothing_kept(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	put(&b, "etc/svcroute/services.d/a.cfg", WEB("a", "10.96.0.1"));
	look(&b);
	restart(&b);
	put(&b, "etc/svcroute/services.d/a.cfg", BROKEN);
	look(&b);
	assert_services(&b, "-", 1);
	assert_int_equal(config_n_left_out(b.config), 1);
	assert_int_equal(since_of(&b, "/a.cfg"), 0);
	tear_down(&b);

	set_up(&b);
	put(&b, "etc/svcroute/services.d/a.cfg", WEB("a", "10.96.0.1"));
	look(&b);
	assert_false(config_unkept(b.config));
	tear_down(&b);
}

/* To delete a file is an edit like others. */
static void test_deleted_file(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	put(&b, "etc/svcroute/services.d/a.cfg", WEB("a", "10.96.0.1"));
	put(&b, "etc/svcroute/services.d/b.cfg", WEB("b", "10.96.0.2"));
	look(&b);
	keep(&b);
	take(&b, "etc/svcroute/services.d/a.cfg");
	restart(&b);
	look(&b);
	assert_services(&b, "b*1", 0);
	assert_true(config_unkept(b.config));
	keep(&b);
	/* What comes back broken has no past. */
	put(&b, "etc/svcroute/services.d/a.cfg", BROKEN);
	look(&b);
	assert_services(&b, "b*1", 1);
	assert_int_equal(config_n_left_out(b.config), 1);
	restart(&b);
	look(&b);
	assert_services(&b, "b*1", 1);
	tear_down(&b);
}

/* What was in force before the start comes before what is new, whatever the names. */
static void test_clash(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	put(&b, "etc/svcroute/services.d/m.cfg", WEB("m", "10.96.0.1"));
	look(&b);
	keep(&b);
	put(&b, "etc/svcroute/services.d/a.cfg", WEB("a", "10.96.0.1"));
	restart(&b);
	look(&b);
	assert_services(&b, "m*1", 1);
	assert_int_equal(since_of(&b, "/a.cfg"), 0);
	keep(&b);

	/* The older one changed while nobody looked: it falls back to what it was. */
	put(&b, "etc/svcroute/services.d/n.cfg", WEB("n", "10.96.0.2"));
	take(&b, "etc/svcroute/services.d/a.cfg");
	look(&b);
	assert_services(&b, "m*1 n*1", 0);
	keep(&b);
	put(&b, "etc/svcroute/services.d/n.cfg", WEB("n", "10.96.0.1"));
	restart(&b);
	look(&b);
	assert_services(&b, "m*1 n*1", 1);
	assert_true(since_of(&b, "/n.cfg") > 0);
	assert_int_equal(config_n_left_out(b.config), 0);
	tear_down(&b);
}

static void test_settings(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	put(&b, "etc/svcroute/svcroute.conf", "[Sync]\nSyncPeriod=77s\n");
	put(&b, "etc/svcroute/svcroute.conf.d/x.conf", "[Sync]\nMinSyncPeriod=3s\n");
	look(&b);
	keep(&b);
	put(&b, "etc/svcroute/svcroute.conf", "[Sync]\nSyncPeriod=never\n");
	put(&b, "etc/svcroute/svcroute.conf.d/x.conf", "[Sync]\nMinSyncPeriod=4s\n");
	restart(&b);
	look(&b);
	assert_int_equal(b.world->settings->s.sync_period, 77000000);
	assert_int_equal(b.world->settings->s.min_sync_period, 4000000);
	assert_int_equal(config_n_refused(b.config), 1);
	assert_int_equal(config_n_left_out(b.config), 0);

	/* A mode that is not in this build is no reason to stop when there is a mode that was. */
	put(&b, "etc/svcroute/svcroute.conf", "[Proxy]\nMode=userspace\n");
	keep(&b);
	restart(&b);
	look(&b);
	assert_int_equal(b.world->settings->s.sync_period, 77000000);
	assert_int_equal(config_n_refused(b.config), 1);
	tear_down(&b);
}

/* Nothing is gone because its directory cannot be read. */
static void test_unreadable_directory(void **state)
{
	struct bench b;
	char *path;

	(void)state;
	begin(&b);
	put(&b, "etc/svcroute/services.d/a.cfg", WEB("a", "10.96.0.1"));
	put(&b, "etc/svcroute/services.d/b.cfg", WEB("b", "10.96.0.2"));
	put(&b, "etc/svcroute/endpoints.d/e.cfg", "endpoints = ();\n");
	look(&b);
	keep(&b);
	take(&b, "etc/svcroute/services.d/a.cfg");
	take(&b, "etc/svcroute/services.d/b.cfg");
	assert_true(asprintf(&path, "%s/etc/svcroute/services.d", b.root.path) > 0);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink("nowhere", path), 0);
	restart(&b);
	look(&b);
	assert_services(&b, "a*1 b*1", 3);
	assert_int_equal(config_n_left_out(b.config), 0);
	keep(&b);
	look(&b);
	assert_services(&b, "a*1 b*1", 3);

	assert_int_equal(unlink(path), 0);
	free(path);
	put(&b, "etc/svcroute/services.d/b.cfg", WEB("c", "10.96.0.3"));
	look(&b);
	assert_services(&b, "c*1", 0);
	tear_down(&b);
}

/* While somebody writes it, a file counts as it was. */
static void test_open_file(void **state)
{
	struct bench b;
	char *path;
	int fd;

	(void)state;
	begin(&b);
	put(&b, "etc/svcroute/services.d/a.cfg", WEB("a", "10.96.0.1"));
	look(&b);
	keep(&b);
	assert_true(asprintf(&path, "%s/etc/svcroute/services.d/a.cfg", b.root.path) > 0);
	/* Truncated: an empty file is a valid one, and must not be taken for it. */
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	free(path);
	assert_true(fd >= 0);
	look(&b);
	assert_services(&b, "a*1", 1);
	assert_true(config_busy(b.config));
	restart(&b);
	look(&b);
	assert_services(&b, "a*1", 1);
	assert_int_equal(write(fd, WEB("n", "10.96.0.9"), strlen(WEB("n", "10.96.0.9"))),
			 strlen(WEB("n", "10.96.0.9")));
	/* A whole content, but not known to be that. Any refresh looks again. */
	look_at(&b, CONFIG_SERVICES, "other.cfg");
	assert_services(&b, "a*1", 1);
	assert_true(config_busy(b.config));
	assert_int_equal(close(fd), 0);
	look_at(&b, CONFIG_SERVICES, "other.cfg");
	assert_services(&b, "n*1", 0);
	assert_false(config_busy(b.config));
	tear_down(&b);
}

/* A save that failed is to be done again; one that runs while the files change counts for what it
 * saved. */
static void test_bookkeeping(void **state)
{
	_cleanup_free_ char *directory = NULL;
	struct accepted_wanted *list = NULL;
	struct bench b;
	size_t n = 0;

	(void)state;
	begin(&b);
	put(&b, "etc/svcroute/services.d/a.cfg", WEB("a", "10.96.0.1"));
	put(&b, "etc/svcroute/services.d/b.cfg", WEB("b", "10.96.0.2"));
	look(&b);
	assert_int_equal(config_keep(b.config, &list, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(list[0].file.id, "1/a.cfg");
	assert_string_equal(list[0].text, WEB("a", "10.96.0.1"));
	assert_true(list[0].file.since_usec > 0);
	free(list);
	config_kept(b.config, false);
	assert_true(config_unkept(b.config));

	assert_int_equal(config_keep(b.config, &list, &n), 0);
	directory = state_path(&b);
	assert_int_equal(accepted_save(directory, list, n, NULL), 0);
	free(list);
	put(&b, "etc/svcroute/services.d/a.cfg", WEB("z", "10.96.0.26"));
	look(&b);
	config_kept(b.config, true);
	assert_true(config_unkept(b.config));
	assert_int_equal(config_keep(b.config, &list, &n), 0);
	assert_string_equal(list[0].text, WEB("z", "10.96.0.26"));
	assert_null(list[1].text);
	free(list);
	config_kept(b.config, false);
	keep(&b);
	put(&b, "etc/svcroute/services.d/a.cfg", BROKEN);
	restart(&b);
	look(&b);
	assert_services(&b, "b*1 z*1", 1);
	tear_down(&b);
}

/* Somebody took the directory away: all is read again, and kept again. */
static void test_forget(void **state)
{
	struct accepted_wanted *list = NULL;
	struct bench b;
	size_t n = 0;

	(void)state;
	begin(&b);
	put(&b, "etc/svcroute/svcroute.conf", "[Sync]\nSyncPeriod=77s\n");
	put(&b, "etc/svcroute/services.d/a.cfg", WEB("a", "10.96.0.1"));
	look(&b);
	keep(&b);
	config_forget_kept(b.config);
	assert_true(config_unkept(b.config));
	look(&b);
	assert_services(&b, "a*1", 0);
	assert_int_equal(config_keep(b.config, &list, &n), 0);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++)
		assert_non_null(list[i].text);
	free(list);
	config_kept(b.config, false);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_broken_file),  cmocka_unit_test(test_nothing_kept),
		cmocka_unit_test(test_deleted_file), cmocka_unit_test(test_clash),
		cmocka_unit_test(test_settings),     cmocka_unit_test(test_unreadable_directory),
		cmocka_unit_test(test_open_file),    cmocka_unit_test(test_bookkeeping),
		cmocka_unit_test(test_forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
