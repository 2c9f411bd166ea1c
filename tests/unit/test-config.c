/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-config.h"

static void test_nothing(void **state)
{
	struct bench b;

	(void)state;
	assert_null(config_free(NULL));
	set_up(&b);
	assert_int_equal(config_problems(b.config)->n, 0);
	assert_null(config_directories(b.config)[0]);
	assert_int_equal(config_n_files(b.config), 0);
	look(&b);
	assert_services(&b, "-", 0);
	assert_problems(&b, "warning: /etc/svcroute is missing: the configuration is empty\n");
	assert_non_null(config_directories(b.config)[0]);
	/* Changes that are none. */
	look_at(&b, CONFIG_SERVICES, "none.cfg");
	look_at(&b, CONFIG_SERVICES, "../x.cfg");
	look_at(&b, CONFIG_SETTINGS, "svcroute.conf");
	assert_services(&b, "-", 0);
	put(&b, S, "");
	look(&b);
	assert_problems(&b, "");
	tear_down(&b);
}

static void test_files_come_and_go(void **state)
{
	struct service *y;
	struct place at;
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	put(&b, D "b.cfg", SERVICE("y", "2", "30002"));
	put(&b, E "a.cfg", ENDPOINT("x", "1") "# more\n");
	put(&b, S, "[Proxy]\nNodeName=n\n");
	look(&b);
	assert_services(&b, "x:30001*1 y:30002", 0);
	assert_problems(&b, "");
	assert_int_equal(config_n_files(b.config), 4);
	y = world_find(b.world, "default/y");

	put(&b, D "a.cfg", SERVICE("x", "1", "30003"));
	look_at(&b, CONFIG_SERVICES, "a.cfg");
	assert_services(&b, "x:30003*1 y:30002", 0);
	assert_ptr_equal(world_find(b.world, "default/y"), y);

	take(&b, E "a.cfg");
	look_at(&b, CONFIG_ENDPOINTS, "a.cfg");
	assert_services(&b, "x:30003 y:30002", 0);
	assert_int_equal(config_n_files(b.config), 3);
	look_at(&b, CONFIG_ENDPOINTS, "a.cfg");

	assert_int_equal(config_place(b.config, "default/y", &at), 0);
	assert_string_equal(at.file + strlen(b.root.path), "/" D "b.cfg");
	assert_int_equal(at.line, 1);
	assert_int_equal(config_place(b.config, "default/z", &at), -ENOENT);

	take(&b, D "a.cfg");
	put(&b, D "0.cfg", SERVICE("z", "1", "30003"));
	look(&b);
	assert_services(&b, "y:30002 z:30003", 0);
	take(&b, D "0.cfg");
	take(&b, D "b.cfg");
	look(&b);
	assert_services(&b, "-", 0);
	tear_down(&b);
}

/* What is wrong in a file keeps its last good content in force, whole. */
static void test_bad_file(void **state)
{
	struct bench b;

	(void)state;
	for (int named = 0; named < 2; named++) {
		set_up(&b);
		put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
		look(&b);
		/* also the good service in it is not taken */
		put(&b, D "a.cfg",
		    "services=({name=\"x\";clusterIP=\"10.0.0.1\";ports=({port=0;});},\n"
		    "{name=\"y\";clusterIP=\"10.0.0.2\";ports=({port=80;});});");
		/* without a good content there is nothing to keep */
		put(&b, D "b.cfg", "services = ( ;");
		if (named) {
			look_at(&b, CONFIG_SERVICES, "a.cfg");
			look_at(&b, CONFIG_SERVICES, "b.cfg");
		} else {
			look(&b);
		}
		assert_services(&b, "x:30001", 2);
		assert_problems(
			&b,
			"/" D "a.cfg:1:55: error: services[0].ports[0].port '0': must "
			"lie in 1-65535\n"
			"/" D "b.cfg:1:14: error: services[0]: the value is missing before ';'\n");
		look(&b); /* the same once more */
		assert_services(&b, "x:30001", 2);
		assert_int_equal(config_problems(b.config)->n, 2);

		/* another bad content, then a good one */
		put(&b, D "a.cfg", "services = 1;");
		look_at(&b, CONFIG_SERVICES, "a.cfg");
		assert_services(&b, "x:30001", 2);
		put(&b, D "a.cfg", SERVICE("x", "1", "30005"));
		look_at(&b, CONFIG_SERVICES, "a.cfg");
		assert_services(&b, "x:30005", 1);
		put(&b, D "b.cfg", SERVICE("y", "2", "30006"));
		look_at(&b, CONFIG_SERVICES, "b.cfg");
		assert_services(&b, "x:30005 y:30006", 0);
		assert_problems(&b, "");

		/* A bad file that goes takes its last good content along. */
		put(&b, D "a.cfg", "services = 1;");
		look(&b);
		assert_services(&b, "x:30005 y:30006", 1);
		take(&b, D "a.cfg");
		if (named)
			look_at(&b, CONFIG_SERVICES, "a.cfg");
		else
			look(&b);
		assert_services(&b, "y:30006", 0);
		tear_down(&b);
	}
}

/* Everything that cannot be read as a file is refused and not taken for deleted. */
static void test_unreadable(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	look(&b);
	take(&b, D "a.cfg");
	put(&b, D "a.cfg/x", "");
	look(&b);
	assert_services(&b, "x:30001", 1);
	assert_problems(&b, "/" D "a.cfg: error: is a directory, not a file\n");
	take(&b, D "a.cfg/x");
	take(&b, D "a.cfg");
	root_symlink(&b.root, "nowhere", D "a.cfg");
	look_at(&b, CONFIG_SERVICES, "a.cfg");
	assert_services(&b, "x:30001", 1);
	assert_problems(&b, "/" D "a.cfg: error: is a symbolic link to nothing\n");
	take(&b, D "a.cfg");
	root_symlink(&b.root, "a.cfg", D "a.cfg");
	look(&b);
	assert_services(&b, "x:30001", 1);
	assert_problems(&b, "/" D "a.cfg: error: is a symbolic link that leads in circles\n");
	take(&b, D "a.cfg");
	root_symlink(&b.root, "/dev/zero", D "a.cfg");
	look(&b);
	assert_services(&b, "x:30001", 1);
	assert_problems(&b, "/" D "a.cfg: error: is not a regular file\n");
	take(&b, D "a.cfg");
	put(&b, D "b", SERVICE("x", "1", "30009"));
	root_symlink(&b.root, "b", D "a.cfg");
	look(&b);
	assert_services(&b, "x:30009", 0);
	tear_down(&b);
}

/* A directory that is there but cannot be read: its files stay in force. */
static void test_unreadable_directory(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	put(&b, D "c.cfg", SERVICE("z", "3", "30003"));
	put(&b, "run/svcroute/services.d/c.cfg", SERVICE("hidden", "4", "30004"));
	put(&b, E "a.cfg", ENDPOINT("x", "1"));
	look(&b);
	assert_services(&b, "x:30001*1 z:30003", 0);
	root_rename(&b.root, "etc/svcroute/services.d", "etc/svcroute/away");
	root_symlink(&b.root, "nowhere", "etc/svcroute/services.d");
	put(&b, "run/svcroute/services.d/b.cfg", SERVICE("y", "2", "30002"));
	take(&b, E "a.cfg");
	look(&b);
	assert_services(&b, "x:30001 y:30002 z:30003", 1);
	assert_problems(&b, "/etc/svcroute/services.d: error: the link leads nowhere\n");
	/* asked for one name, the answer is the same */
	look_at(&b, CONFIG_SERVICES, "a.cfg");
	assert_non_null(world_find(b.world, "default/x"));
	take(&b, "etc/svcroute/services.d");
	root_rename(&b.root, "etc/svcroute/away", "etc/svcroute/services.d");
	look(&b);
	assert_services(&b, "x:30001 y:30002 z:30003", 0);
	assert_problems(&b, "");
	/* A directory that is gone is something else. */
	root_rename(&b.root, "etc/svcroute/services.d", "etc/svcroute/away");
	look(&b);
	assert_services(&b, "hidden:30004 y:30002", 0);
	tear_down(&b);
}

static void test_clash_at_start(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "b.cfg", SERVICE("y", "2", "30001"));
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	put(&b, D "c.cfg", SERVICE("z", "3", "30001"));
	look(&b);
	assert_services(&b, "x:30001", 2);
	assert_problems(&b, CLASH(D "b.cfg", "30001", "x", D "a.cfg")
				    CLASH(D "c.cfg", "30001", "x", D "a.cfg"));
	look(&b);
	assert_services(&b, "x:30001", 2);

	/* The winner goes, the next takes over in the same refresh. */
	take(&b, D "a.cfg");
	look_at(&b, CONFIG_SERVICES, "a.cfg");
	assert_services(&b, "y:30001", 1);
	assert_problems(&b, CLASH(D "c.cfg", "30001", "y", D "b.cfg"));
	put(&b, D "b.cfg", SERVICE("y", "2", "30002"));
	look_at(&b, CONFIG_SERVICES, "b.cfg");
	assert_services(&b, "y:30002 z:30001", 0);
	assert_problems(&b, "");

	/* An earlier name does not win against what is in force. */
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	look(&b);
	assert_services(&b, "y:30002 z:30001", 1);
	/* And the message stands in the file that gave way. */
	assert_problems(&b, CLASH(D "a.cfg", "30001", "z", D "c.cfg"));
	tear_down(&b);
}

static void test_clash_later(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	put(&b, D "b.cfg", SERVICE("y", "2", "30002"));
	put(&b, D "c.cfg", SERVICE("z", "3", "30003"));
	look(&b);

	/* Of an old and a new content the new one gives way, whatever the names. */
	put(&b, D "a.cfg", SERVICE("x", "1", "30002"));
	look(&b);
	assert_services(&b, "x:30001 y:30002 z:30003", 1);
	/* Another change of the winner is no reason to refuse the winner. */
	put(&b, D "b.cfg", SERVICE("y2", "2", "30002"));
	look_at(&b, CONFIG_SERVICES, "b.cfg");
	assert_services(&b, "x:30001 y2:30002 z:30003", 1);
	put(&b, D "b.cfg", SERVICE("y", "2", "30004"));
	look_at(&b, CONFIG_SERVICES, "b.cfg");
	assert_services(&b, "x:30002 y:30004 z:30003", 0);

	/* Of two new contents the last name gives way, with what it had. */
	put(&b, D "b.cfg", SERVICE("y", "2", "30005"));
	put(&b, D "c.cfg", SERVICE("z", "3", "30005"));
	look(&b);
	assert_services(&b, "x:30002 y:30005 z:30003", 1);
	assert_problems(&b, CLASH(D "c.cfg", "30005", "y", D "b.cfg"));
	put(&b, D "c.cfg", SERVICE("z", "3", "30006"));
	look(&b);
	assert_services(&b, "x:30002 y:30005 z:30006", 0);

	/* Two files trade their ports in one refresh. */
	put(&b, D "a.cfg", SERVICE("x", "1", "30005"));
	put(&b, D "b.cfg", SERVICE("y", "2", "30002"));
	look(&b);
	assert_services(&b, "x:30005 y:30002 z:30006", 0);

	/* One of three in a ring is bad: what it keeps is in the way of one, and that of the next.
	 */
	put(&b, D "a.cfg", "services=(");
	put(&b, D "b.cfg", SERVICE("y", "2", "30005"));
	put(&b, D "c.cfg", SERVICE("z", "3", "30002"));
	look(&b);
	assert_services(&b, "x:30005 y:30002 z:30006", 3);
	put(&b, D "a.cfg", SERVICE("x", "1", "30006"));
	look_at(&b, CONFIG_SERVICES, "a.cfg");
	assert_services(&b, "x:30006 y:30005 z:30002", 0);

	/* A service moves to another file, then is in both. */
	take(&b, D "a.cfg");
	put(&b, D "d.cfg", SERVICE("x", "1", "30006"));
	look(&b);
	assert_services(&b, "x:30006 y:30005 z:30002", 0);
	put(&b, D "a.cfg", SERVICE("x", "9", "30009"));
	look(&b);
	assert_services(&b, "x:30006 y:30005 z:30002", 1);
	take(&b, D "d.cfg");
	look_at(&b, CONFIG_SERVICES, "d.cfg");
	assert_services(&b, "x:30009 y:30005 z:30002", 0);
	tear_down(&b);
}

/* a is in the way of b, and b would be in the way of c: c has nothing to fear of a file that is not
 * in force. */
static void test_clash_chain(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("a", "1", "30001"));
	put(&b, D "b.cfg",
	    "services=({name=\"b\";clusterIP=\"10.0.0.2\";type=\"NodePort\";ports=("
	    "{name=\"x\";port=80;nodePort=30001;},{name=\"y\";port=81;nodePort=30002;});});");
	put(&b, D "c.cfg", SERVICE("c", "3", "30002"));
	look(&b);
	assert_services(&b, "a:30001 c:30002", 1);
	look(&b);
	assert_services(&b, "a:30001 c:30002", 1);
	tear_down(&b);

	/* What b goes back to is in the way of a; so b's new content is fine after all. */
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("a", "1", "30003"));
	put(&b, D "b.cfg", SERVICE("b", "2", "30001"));
	look(&b);
	put(&b, D "a.cfg",
	    "services=({name=\"a\";clusterIP=\"10.0.0.1\";type=\"NodePort\";ports=("
	    "{name=\"x\";port=80;nodePort=30001;},{name=\"y\";port=81;nodePort=30002;});});");
	put(&b, D "b.cfg", SERVICE("b", "2", "30002"));
	look(&b);
	assert_services(&b, "a:30003 b:30002", 1);
	look(&b);
	assert_services(&b, "a:30003 b:30002", 1);
	tear_down(&b);

	/* b is only touched; a new c of an earlier name must not push it out, nor be pushed out by
	 * more than b. */
	set_up(&b);
	put(&b, D "b.cfg", SERVICE("b", "2", "30001"));
	look(&b);
	put(&b, D "a.cfg", SERVICE("a", "1", "30001"));
	put(&b, D "b.cfg", SERVICE("b", "3", "30001"));
	look(&b);
	assert_services(&b, "b:30001", 1);
	assert_true(addr_equal(&b.world->services[0]->def->cluster_ips[ADDR_IPV4],
			       &(struct addr){0, {10, 0, 0, 3}}));
	tear_down(&b);
}

static void test_clash_in_a_file(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	look(&b);
	put(&b, D "a.cfg",
	    "services=({name=\"x\";clusterIP=\"10.0.0.1\";ports=({port=80;});},\n"
	    "{name=\"y\";clusterIP=\"10.0.0.1\";ports=({port=80;});});");
	put(&b, D "b.cfg",
	    "services=({name=\"z\";clusterIP=\"10.0.0.3\";ports=({port=80;});},\n"
	    "{name=\"z\";clusterIP=\"10.0.0.3\";ports=({port=80;});});");
	for (int i = 0; i < 2; i++) {
		look(&b);
		assert_services(&b, "x:30001", 2);
		assert_int_equal(config_problems(b.config)->n_errors, 2);
		assert_int_equal(config_problems(b.config)->items[0].line, 2);
		assert_int_equal(config_problems(b.config)->items[1].line, 2);
	}
	tear_down(&b);
}

/* Endpoints and service that do not go together: the file that changed is the one to be replaced.
 */
static void test_unmatched_endpoints(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	put(&b, E "a.cfg", ENDPOINT("x", "1:80"));
	look(&b);
	assert_services(&b, "x:30001*1", 0);
	put(&b, D "a.cfg", TWO_PORTS("x", "1"));
	for (int i = 0; i < 2; i++) {
		look(&b);
		assert_services(&b, "x:30001*1", 1);
	}
	assert_int_equal(config_problems(b.config)->n_errors, 1);
	put(&b, E "a.cfg", ENDPOINT("x", "1"));
	look_at(&b, CONFIG_ENDPOINTS, "a.cfg");
	assert_services(&b, "x*2", 0);
	put(&b, E "a.cfg", ENDPOINT("x", "1:80"));
	for (int i = 0; i < 2; i++) {
		look(&b);
		assert_services(&b, "x*2", 1);
	}
	take(&b, E "a.cfg");
	look(&b);
	assert_services(&b, "x", 0);
	/* Both new, at a start: the endpoints give way. */
	put(&b, E "a.cfg", ENDPOINT("x", "1:80"));
	config_free(b.config);
	b.config = new_config(&b.root);
	look(&b);
	assert_services(&b, "x", 1);
	tear_down(&b);
}

/* Thousands of clashes: one node port for all, and one name for all. */
static void test_many_clashes(void **state)
{
	struct timespec from, to;
	struct bench b;

	(void)state;
	set_up(&b);
	for (int i = 0; i < 2000; i++) {
		char path[100], text[300];

		(void)snprintf(path, sizeof(path), D "%04d.cfg", i);
		(void)snprintf(
			text, sizeof(text),
			"services=({name=\"%s%d\";clusterIP=\"10.0.%d.%d\";type=\"NodePort\";"
			"ports=({port=80;nodePort=%d;});});",
			"x", i % 4 == 0 ? 0 : i, i / 250, i % 250 + 1,
			i % 4 == 1 ? 30001 : 30002 + i % 100);
		put(&b, path, text);
	}
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &from), 0);
	look(&b);
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &to), 0);
	/* quick, also with sanitizers and a busy machine; one by one it takes minutes */
	assert_true(to.tv_sec - from.tv_sec < 20);
	assert_int_equal(b.world->n_services + config_n_refused(b.config), 2000);
	assert_in_range(b.world->n_services, 50, 100);
	look(&b);
	assert_int_equal(b.world->n_services + config_n_refused(b.config), 2000);
	tear_down(&b);
}

static void test_masks(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, "usr/lib/svcroute/services.d/a.cfg", SERVICE("lib", "1", "30001"));
	put(&b, "etc/svcroute/services.d/z.cfg", SERVICE("z", "9", "30009"));
	look(&b);
	assert_services(&b, "lib:30001 z:30009", 0);
	put(&b, "run/svcroute/services.d/a.cfg", SERVICE("run", "1", "30001"));
	look_at(&b, CONFIG_SERVICES, "a.cfg");
	assert_services(&b, "run:30001 z:30009", 0);
	put(&b, D "a.cfg", "");
	look_at(&b, CONFIG_SERVICES, "a.cfg");
	assert_services(&b, "z:30009", 0);
	assert_int_equal(config_n_files(b.config), 1);
	take(&b, D "a.cfg");
	root_symlink(&b.root, "/dev/null", D "a.cfg");
	look_at(&b, CONFIG_SERVICES, "a.cfg");
	assert_services(&b, "z:30009", 0);
	take(&b, D "a.cfg");
	look(&b);
	assert_services(&b, "run:30001 z:30009", 0);
	/* A bad file hides too; in force is what was. */
	put(&b, D "a.cfg", "services=(");
	look(&b);
	assert_services(&b, "run:30001 z:30009", 1);
	take(&b, D "a.cfg");
	take(&b, "run/svcroute/services.d/a.cfg");
	look(&b);
	assert_services(&b, "lib:30001 z:30009", 0);
	tear_down(&b);
}

/* A file that was written again is noticed although size and time are the same. */
static void test_stamps(void **state)
{
	const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
	char path[ROOT_PATH_MAX];
	struct service *x;
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	assert_int_equal(utimensat(AT_FDCWD, root_path(&b.root, D "a.cfg", path), times, 0), 0);
	look(&b);
	x = world_find(b.world, "default/x");
	put(&b, D "a.cfg", SERVICE("x", "1", "30002"));
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	look(&b);
	assert_services(&b, "x:30002", 0);
	/* The same content written again changes nothing. */
	x = world_find(b.world, "default/x");
	take(&b, D "a.cfg");
	put(&b, D "a.cfg", SERVICE("x", "1", "30002"));
	look(&b);
	assert_ptr_equal(world_find(b.world, "default/x"), x);
	tear_down(&b);
}

static void test_wrong_suffix(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.conf", SERVICE("x", "1", "30001"));
	put(&b, D "a.cfg~", "rubbish");
	put(&b, D ".a.cfg", "rubbish");
	look(&b);
	assert_services(&b, "-", 1);
	assert_int_equal(config_problems(b.config)->n_errors, 1);
	take(&b, D "a.conf");
	look(&b);
	assert_services(&b, "-", 0);
	tear_down(&b);
}

/* ---- settings ---- */

static void test_single_directory(void **state)
{
	struct config_places places = {0};
	char path[ROOT_PATH_MAX];
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, "dir/services.d/a.cfg", SERVICE("x", "1", "30001"));
	config_free(b.config);
	places.single = root_path(&b.root, "dir", path);
	assert_int_equal(config_new(&places, &b.config), 0);
	look(&b);
	assert_services(&b, "x:30001", 0);
	config_free(b.config);
	places.single = root_path(&b.root, "no", path);
	assert_int_equal(config_new(&places, &b.config), 0);
	look(&b);
	assert_problems(&b, "/no: error: there is no such directory\n");
	assert_int_equal(config_n_refused(b.config), 1);
	tear_down(&b);
}

static void test_notices(void **state)
{
	static const char text[] = "services=({name=\"x\";clusterIP=\"10.0.0.1\";type="
				   "\"LoadBalancer\";ports=({port=80;});});";
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", text);
	look(&b);
	assert_int_equal(config_problems(b.config)->n, 0);
	config_free(b.config);
	b.config = new_config(&b.root);
	config_set_notices(b.config, true);
	look(&b);
	assert_int_equal(config_problems(b.config)->n, 1);
	assert_int_equal(config_problems(b.config)->items[0].severity, DIAG_NOTICE);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_files_come_and_go),
		cmocka_unit_test(test_bad_file),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_unreadable_directory),
		cmocka_unit_test(test_clash_at_start),
		cmocka_unit_test(test_clash_later),
		cmocka_unit_test(test_clash_chain),
		cmocka_unit_test(test_clash_in_a_file),
		cmocka_unit_test(test_unmatched_endpoints),
		cmocka_unit_test(test_many_clashes),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_stamps),
		cmocka_unit_test(test_wrong_suffix),
		cmocka_unit_test(test_single_directory),
		cmocka_unit_test(test_notices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
