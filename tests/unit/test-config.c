/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-root.h"

#include <time.h>

#include "config/config.h"

/* A configuration of a scratch root, and the newest world of it. */
struct bench {
	struct root root;
	struct config *config;
	struct world *world;
};

static struct config *new_config(const struct root *r)
{
	const struct config_places places = {.root = r->path};
	struct config *c = NULL;

	assert_int_equal(config_new(&places, &c), 0);
	assert_non_null(c);
	return c;
}

static void set_up(struct bench *b)
{
	*b = (struct bench){0};
	root_make(&b->root);
	b->config = new_config(&b->root);
}

static void tear_down(struct bench *b)
{
	config_free(b->config);
	world_unref(b->world);
	root_remove(&b->root);
}

static void put(const struct bench *b, const char *path, const char *text)
{
	root_write(&b->root, path, text);
}

static void take(const struct bench *b, const char *path)
{
	root_unlink(&b->root, path);
}

static void look(struct bench *b)
{
	struct world *w = (struct world *)0x1;

	assert_int_equal(config_refresh(b->config, NULL, 0, &w), 0);
	assert_ptr_not_equal(w, (struct world *)0x1);
	world_unref(b->world);
	b->world = w;
}

/* A refresh that gives no world. */
static void look_in_vain(struct bench *b, int error)
{
	struct world *w = (struct world *)0x1;

	assert_int_equal(config_refresh(b->config, NULL, 0, &w), error);
	assert_ptr_equal(w, (struct world *)0x1);
}

static void look_at(struct bench *b, enum config_kind kind, const char *name)
{
	struct config_change change = {.kind = kind};
	struct world *w = NULL;

	(void)snprintf(change.name, sizeof(change.name), "%s", name);
	assert_int_equal(config_refresh(b->config, &change, 1, &w), 0);
	assert_non_null(w);
	world_unref(b->world);
	b->world = w;
}

/* "default/a:30001 b/c": the services, with the node port of the first port. */
static char *services_text(const struct world *w)
{
	struct strbuf s = {0};

	for (size_t i = 0; i < w->n_services; i++) {
		const struct service_def *d = w->services[i]->def;
		const char *key = strncmp(d->key, "default/", 8) == 0 ? d->key + 8 : d->key;

		strbuf_addf(&s, "%s%s", i ? " " : "", key);
		if (d->n_ports && d->ports[0].node_port)
			strbuf_addf(&s, ":%u", d->ports[0].node_port);
		if (w->services[i]->n_endpoints[ADDR_IPV4])
			strbuf_addf(&s, "*%zu", w->services[i]->n_endpoints[ADDR_IPV4]);
	}
	if (!s.len)
		strbuf_add(&s, "-");
	return strbuf_take(&s);
}

static void assert_services(const struct bench *b, const char *expected, size_t n_refused)
{
	_cleanup_free_ char *text = services_text(b->world);

	assert_string_equal(text, expected);
	assert_int_equal(config_n_refused(b->config), n_refused);
}

/* All messages, one a line, without the root in front. */
static char *problems_text(const struct config *c, const struct root *root)
{
	const struct diags *d = config_problems(c);
	struct strbuf s = {0};

	assert_int_equal(d->error, 0);
	for (size_t i = 0; i < d->n; i++) {
		char *text = diag_format(&d->items[i]), *at;

		assert_non_null(text);
		while ((at = strstr(text, root->path)))
			memmove(at, at + strlen(root->path), strlen(at + strlen(root->path)) + 1);
		strbuf_addf(&s, "%s\n", text);
		free(text);
	}
	strbuf_add_char(&s, '.');
	return strbuf_take(&s);
}

static void assert_problems(const struct bench *b, const char *expected)
{
	_cleanup_free_ char *text = problems_text(b->config, &b->root);

	text[strlen(text) - 1] = '\0';
	assert_string_equal(text, expected);
}

#define D "etc/svcroute/services.d/"
#define E "etc/svcroute/endpoints.d/"
#define S "etc/svcroute/svcroute.conf"
#define SD "etc/svcroute/svcroute.conf.d/"
#define SERVICE(name, ip, port)                                                       \
	"services=({name=\"" name "\";clusterIP=\"10.0.0." ip "\";type=\"NodePort\";" \
	"ports=({port=80;nodePort=" port ";});});\n"
#define TWO_PORTS(name, ip)                                         \
	"services=({name=\"" name "\";clusterIP=\"10.0.0." ip "\";" \
	"ports=({name=\"a\";port=80;},{name=\"b\";port=81;});});\n"
#define ENDPOINT(name, address) \
	"endpoints=({service=\"" name "\";endpoints=[\"10.1.0." address "\"];});\n"
#define CLASH(file, value, name, other)                                              \
	"/" file ":1:11: error: nodePort '" value                                    \
	"/TCP': is also claimed by service 'default/" name "' (nodePort) at /" other \
	":1 (a node port, with its protocol, belongs to one "                        \
	"service)\n"

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
	assert_problems(&b, "/" D "c.cfg:1:11: error: nodePort '30001/TCP': is also claimed by "
			    "service 'default/x' (nodePort) at /" D "a.cfg:1 (a node port, with "
			    "its protocol, belongs to one service)\n");
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

static const struct settings *in_force(const struct bench *b)
{
	return &b->world->settings->s;
}

static void test_settings_refused(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, S, "[Sync]\nSyncPeriod=20s\n[Proxy]\nNoSuch=1\n");
	put(&b, SD "a.conf", "[Sync]\nMinSyncPeriod=2s\n");
	look(&b);
	/* at a start a bad file is left out */
	assert_services(&b, "-", 1);
	assert_int_equal(in_force(&b)->sync_period, 30000000);
	assert_int_equal(in_force(&b)->min_sync_period, 2000000);
	assert_int_equal(config_problems(b.config)->n_errors, 1);

	put(&b, S, "[Sync]\nSyncPeriod=20s\n[Proxy]\nClusterCIDR=10.0.0.0/8 11.0.0.0/8\n");
	look_at(&b, CONFIG_SETTINGS, "svcroute.conf");
	assert_services(&b, "-", 0);
	assert_int_equal(in_force(&b)->sync_period, 20000000);
	assert_int_equal(config_problems(b.config)->n_warnings, 1);

	/* later its last good content stays, while the other file is taken */
	put(&b, S, "[Sync]\nSyncPeriod=tomorrow\n");
	put(&b, SD "a.conf", "[Sync]\nMinSyncPeriod=3s\n");
	look(&b);
	assert_services(&b, "-", 1);
	assert_int_equal(in_force(&b)->sync_period, 20000000);
	assert_int_equal(in_force(&b)->min_sync_period, 3000000);
	assert_problems(&b,
			"/" S
			":2:12: error: Sync.SyncPeriod 'tomorrow': must be a span of time such as "
			"30s, 250ms, 1h30m or '1min 30s'\n"
			"/" S ":4:13: warning: Proxy.ClusterCIDR '11.0.0.0/8': is not used: only "
			"the first IPv4 prefix is, 10.0.0.0/8\n");
	tear_down(&b);
}

static void test_settings_gone(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, SD "a.conf", "[Sync]\nMinSyncPeriod=40s\n");
	put(&b, SD "b.conf", "[Sync]\nSyncPeriod=60s\n");
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	look(&b);
	assert_services(&b, "x:30001", 0);

	/* One of two that need each other goes: there is nothing to go back to but what is in
	 * force. */
	take(&b, SD "b.conf");
	put(&b, D "b.cfg", SERVICE("y", "2", "30002"));
	look(&b);
	assert_services(&b, "x:30001 y:30002", 1);
	assert_int_equal(in_force(&b)->sync_period, 60000000);
	assert_int_equal(in_force(&b)->min_sync_period, 40000000);
	for (size_t i = 0; i < n_setting_rows; i++)
		if (streq(setting_rows[i].key, "SyncPeriod"))
			assert_string_equal(config_origin(b.config)->places[i].file +
						    strlen(b.root.path),
					    "/" SD "b.conf");
	look(&b);
	assert_services(&b, "x:30001 y:30002", 1);
	assert_int_equal(config_problems(b.config)->n_errors, 1);
	put(&b, SD "b.conf", "[Sync]\nSyncPeriod=70s\n");
	look(&b);
	assert_services(&b, "x:30001 y:30002", 0);
	assert_int_equal(in_force(&b)->sync_period, 70000000);
	assert_problems(&b, "");
	tear_down(&b);
}

static void test_mode_not_built(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	put(&b, S, "[Proxy]\nMode=ipvs\n");
	for (int i = 0; i < 2; i++) {
		look_in_vain(&b, -EOPNOTSUPP);
		assert_problems(&b, "/" S ":2:6: error: Proxy.Mode 'ipvs': mode not in this build "
				    "(this build has the mode iptables)\n");
	}
	put(&b, S, "[Proxy]\nMode=iptables\n");
	look(&b);
	assert_services(&b, "x:30001", 0);
	assert_problems(&b, "");

	/* With settings in force the file is bad like any other. */
	put(&b, S, "[Proxy]\nMode=ipvs\n[Log]\nLevel=debug\n");
	put(&b, D "b.cfg", SERVICE("y", "2", "30002"));
	look(&b);
	assert_services(&b, "x:30001 y:30002", 1);
	put(&b, S, "");
	put(&b, SD "mode.conf", "[Proxy]\nMode=nftables\n");
	look(&b);
	assert_services(&b, "x:30001 y:30002", 1);
	assert_int_equal(config_problems(b.config)->n_errors, 1);
	take(&b, SD "mode.conf");
	look(&b);
	assert_services(&b, "x:30001 y:30002", 0);
	tear_down(&b);
}

/* Settings that services are judged by: all are looked at again. */
static void test_settings_recheck(void **state)
{
	struct service *x;
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "a.cfg", SERVICE("x", "1", "30001"));
	put(&b, D "b.cfg", SERVICE("y", "2", "31001"));
	put(&b, D "c.cfg", SERVICE("z", "3", "20001"));
	look(&b);
	assert_services(&b, "x:30001 y:31001", 1);
	x = world_find(b.world, "default/x");
	put(&b, S, "[Proxy]\nServiceNodePortRange=31000-31999\n");
	look_at(&b, CONFIG_SETTINGS, "svcroute.conf");
	assert_services(&b, "x:30001 y:31001", 2); /* x is out of the range, and stays */
	assert_ptr_equal(world_find(b.world, "default/x"), x);
	put(&b, S, "[Proxy]\nServiceNodePortRange=20000-32000\n");
	look_at(&b, CONFIG_SETTINGS, "svcroute.conf");
	assert_services(&b, "x:30001 y:31001 z:20001", 0);
	put(&b, S, "[Proxy]\nServiceNodePortRange=20000-32000\nServiceCIDR=10.9.0.0/16\n");
	look_at(&b, CONFIG_SETTINGS, "svcroute.conf");
	assert_services(&b, "x:30001 y:31001 z:20001", 3);
	take(&b, S);
	look(&b);
	assert_services(&b, "x:30001 y:31001 z:20001", 1);
	tear_down(&b);
}

/* What was refused at one time does not push out what is in force when all is looked at again. */
static void test_recheck_and_clashes(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, D "b.cfg", SERVICE("b", "2", "30001"));
	look(&b);
	put(&b, D "a.cfg", SERVICE("a", "1", "30001"));
	look(&b);
	assert_services(&b, "b:30001", 1);
	put(&b, S, "[Proxy]\nServiceNodePortRange=20000-32000\n");
	look(&b);
	assert_services(&b, "b:30001", 1);
	tear_down(&b);
}

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

/* ---- many random edits ---- */

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void random_edit(struct bench *b, uint32_t *seed, bool objects_only,
			struct config_change *ret)
{
	static const char *const places[] = {"etc", "etc", "etc", "run", "usr/lib"};
	static const char *const names[] = {"a.cfg", "b.cfg", "c.cfg", "d.cfg"};
	static const char *const settings[] = {
		"[Sync]\nMinSyncPeriod=2s\n",  "[Proxy]\nServiceNodePortRange=30000-30004\n",
		"[Proxy]\nMode=ipvs\n",	       "rubbish",
		"[Sync]\nMinSyncPeriod=40s\n", "[Sync]\nSyncPeriod=50s\n"};
	const char *place = places[next_random(seed) % ELEMENTSOF(places)];
	unsigned kind = next_random(seed) % 8, what = next_random(seed) % 6;
	const char *name = names[next_random(seed) % ELEMENTSOF(names)];
	char path[100], full[ROOT_PATH_MAX], text[400] = "services=(";

	*ret = (struct config_change){.kind = CONFIG_SERVICES};
	if (kind == 0 && !objects_only)
		ret->kind = CONFIG_SETTINGS;
	else if (kind < 3)
		ret->kind = CONFIG_ENDPOINTS;
	(void)snprintf(ret->name, sizeof(ret->name), "%s", name);
	if (ret->kind == CONFIG_SETTINGS)
		(void)snprintf(ret->name, sizeof(ret->name), "%c.conf", name[0]);
	(void)snprintf(path, sizeof(path), "%s/svcroute/%s/%s", place,
		       ret->kind == CONFIG_SETTINGS   ? "svcroute.conf.d"
		       : ret->kind == CONFIG_SERVICES ? "services.d"
						      : "endpoints.d",
		       ret->name);
	if (what < 2) {
		(void)remove(root_path(&b->root, path, full));
		return;
	}
	if (ret->kind == CONFIG_SETTINGS) {
		root_write(&b->root, path, settings[next_random(seed) % ELEMENTSOF(settings)]);
	} else if (what == 2) {
		root_write(&b->root, path, next_random(seed) % 2 ? "" : "services=(");
	} else if (ret->kind == CONFIG_ENDPOINTS) {
		(void)snprintf(text, sizeof(text),
			       "endpoints=({service=\"x%u\";endpoints=[\"10.1.0.%u%s\"];});",
			       next_random(seed) % 5, next_random(seed) % 3 + 1,
			       next_random(seed) % 2 ? ":80" : "");
		root_write(&b->root, path, text);
	} else {
		unsigned n = next_random(seed) % 2 + 1;

		for (unsigned i = 0; i < n; i++) {
			size_t used = strlen(text);

			(void)snprintf(text + used, sizeof(text) - used,
				       "%s{name=\"x%u\";clusterIP=\"10.0.0.%u\";type=\"NodePort\";"
				       "ports=({name=\"a\";port=80;nodePort=%u;}%s);}",
				       i ? "," : "", next_random(seed) % 5,
				       next_random(seed) % 5 + 1, next_random(seed) % 7 + 30000,
				       next_random(seed) % 3
					       ? ""
					       : ",{name=\"b\";port=81;nodePort=30006;}");
		}
		strcat(text, ");");
		root_write(&b->root, path, text);
	}
}

static void assert_same_worlds(const struct world *a, const struct world *b)
{
	assert_int_equal(a->n_services, b->n_services);
	assert_int_equal(settings_changes(&a->settings->s, &b->settings->s), 0);
	for (size_t i = 0; i < a->n_services; i++)
		assert_true(service_equal(a->services[i], b->services[i]));
}

/* The messages may differ: of two files in the way of a third either may be named. */
static void assert_same_counts(const struct config *a, const struct config *b)
{
	assert_int_equal(config_n_refused(a), config_n_refused(b));
	assert_int_equal(config_n_files(a), config_n_files(b));
	assert_int_equal(config_problems(a)->n_errors == 0, config_problems(b)->n_errors == 0);
}

/*
 * Told of the names that changed or looking at everything: the same. A second look without a change
 * gives the same services, as the same objects. What is in force never clashes (the index refuses
 * that), and a tree without errors is in force whole, so that a new start gives the same.
 */
static void test_named_or_not(void **state)
{
	uint32_t seed = 424242;
	size_t n_refused = 0, n_clean = 0;
	struct config *full;
	struct bench b;

	(void)state;
	set_up(&b);
	full = new_config(&b.root);
	put(&b, S, "[Proxy]\nNodeName=n\n");
	look(&b);
	for (int edit = 0; edit < 1000; edit++) {
		struct config_change changes[4];
		size_t n = next_random(&seed) % 4 + 1;
		struct world *w = NULL, *again = NULL;
		bool start_over = edit % 20 == 0;

		if (start_over) {
			root_remove(&b.root);
			put(&b, S, "[Proxy]\nNodeName=n\n");
		}
		for (size_t i = 0; i < n; i++)
			random_edit(&b, &seed, start_over, &changes[i]);
		assert_int_equal(config_refresh(b.config, start_over ? NULL : changes, n, &w), 0);
		world_unref(b.world);
		b.world = w;
		w = NULL;
		assert_int_equal(config_refresh(full, NULL, 0, &w), 0);
		assert_same_worlds(b.world, w);
		assert_same_counts(b.config, full);
		assert_int_equal(config_refresh(full, NULL, 0, &again), 0);
		assert_int_equal(w->n_services, again->n_services);
		for (size_t i = 0; i < w->n_services; i++)
			assert_ptr_equal(w->services[i], again->services[i]);
		world_unref(again);
		again = NULL;
		assert_int_equal(config_refresh(b.config, changes, n, &again), 0);
		assert_same_worlds(b.world, again);
		assert_same_counts(b.config, full);
		world_unref(again);
		n_refused += config_n_refused(full) > 0;
		if (config_problems(full)->n_errors == 0) {
			struct config *fresh = new_config(&b.root);

			n_clean++;
			again = NULL;
			assert_int_equal(config_refresh(fresh, NULL, 0, &again), 0);
			assert_same_worlds(b.world, again);
			assert_same_counts(b.config, fresh);
			world_unref(again);
			config_free(fresh);
		}
		world_unref(w);
	}
	assert_true(n_refused > 100);
	assert_true(n_clean > 20);
	config_free(full);
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
		cmocka_unit_test(test_settings_refused),
		cmocka_unit_test(test_settings_gone),
		cmocka_unit_test(test_mode_not_built),
		cmocka_unit_test(test_settings_recheck),
		cmocka_unit_test(test_recheck_and_clashes),
		cmocka_unit_test(test_single_directory),
		cmocka_unit_test(test_notices),
		cmocka_unit_test(test_named_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
