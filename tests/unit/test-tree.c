/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files take part: real trees in a temporary directory, listed whole and asked for by name.
 */
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
#include <time.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "config/tree.h"

#define ETC "etc/svcroute/"
#define RUN "run/svcroute/"
#define LIB "usr/lib/svcroute/"

static const char *const kind_names[] = {"settings", "services", "endpoints"};

/* Every test has an empty directory, which is the current one. */
static int setup(void **state)
{
	char template[] = "/tmp/test-tree-XXXXXX";

	if (!mkdtemp(template) || chdir(template) < 0)
		return -1;
	*state = strdup(template);
	return *state ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	_cleanup_free_ char *path = *state;

	if (chdir("/") < 0)
		return -1;
	return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_parents(const char *path)
{
	char copy[512];

	assert_in_range(snprintf(copy, sizeof(copy), "%s", path), 1, sizeof(copy) - 1);
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0755) < 0)
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
}

static void put(const char *path, const char *text)
{
	int fd;

	make_parents(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(close(fd), 0);
}

static void put_link(const char *path, const char *target)
{
	make_parents(path);
	assert_int_equal(symlink(target, path), 0);
}

/* "services=etc/svcroute/services.d/a.cfg ", with "!ERRNO" behind those that have an error. */
static void describe(const struct config_entry *e, struct strbuf *b)
{
	const char *name = strrchr(e->path, '/');

	assert_non_null(name);
	assert_string_equal(name + 1, e->name);
	strbuf_addf(b, "%s=%s", kind_names[e->kind], e->path);
	if (e->error)
		strbuf_addf(b, "!%s", strerrorname_np(-e->error));
	strbuf_add(b, " ");
}

static void assert_listed(const struct config_places *places, const char *wanted,
			  const char *wanted_errors)
{
	_cleanup_(config_listing_done) struct config_listing l = {0};
	_cleanup_strbuf_ struct strbuf entries = {0}, errors = {0};
	_cleanup_diags_ struct diags d = {0};

	assert_int_equal(config_list(places, &l, &d), 0);
	for (size_t i = 0; i < l.n; i++) {
		struct config_entry e;

		describe(&l.entries[i], &entries);

		/* By name it is the same. */
		memset(&e, 0xA5, sizeof(e));
		assert_int_equal(config_stat(places, l.entries[i].kind, l.entries[i].name, &e), 0);
		assert_int_equal(e.kind, l.entries[i].kind);
		assert_int_equal(e.error, l.entries[i].error);
		assert_string_equal(e.path, l.entries[i].path);
		assert_string_equal(e.name, l.entries[i].name);
		assert_memory_equal(&e.stamp, &l.entries[i].stamp, sizeof(e.stamp));
		config_entry_done(&e);
	}
	assert_string_equal(strbuf_text(&entries), wanted);
	for (size_t i = 0; i < d.n; i++) {
		assert_int_equal(d.items[i].severity, DIAG_ERROR);
		strbuf_addf(&errors, "%s: %s\n", d.items[i].file, d.items[i].reason);
	}
	if (!wanted_errors)
		assert_string_equal(strbuf_text(&errors), "");
	else if (!strstr(strbuf_text(&errors), wanted_errors))
		fail_msg("'%s' is not in '%s'", wanted_errors, strbuf_text(&errors));
}

static void assert_absent(const struct config_places *places, enum config_kind kind,
			  const char *name)
{
	struct config_entry e, poison;

	memset(&e, 0xA5, sizeof(e));
	poison = e;
	assert_int_equal(config_stat(places, kind, name, &e), -ENOENT);
	assert_memory_equal(&e, &poison, sizeof(e));
}

/* The directory of the test as root; the second has a slash to be taken off. */
static const struct config_places here = {.root = "."}, here_slash = {.root = ".//"};

static void test_nothing(void **state)
{
	_cleanup_(config_listing_done) struct config_listing l = {0};
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	assert_int_equal(config_list(&here, &l, &d), 0);
	assert_int_equal(l.n, 0);
	assert_int_equal(d.n, 0);
	assert_true(l.etc_missing);
	config_listing_done(&l);

	make_parents(ETC);
	assert_int_equal(config_list(&here, &l, &d), 0);
	assert_int_equal(l.n, 0);
	assert_int_equal(d.n, 0);
	assert_false(l.etc_missing);
	assert_absent(&here, CONFIG_SETTINGS, "svcroute.conf");
	assert_absent(&here, CONFIG_SERVICES, "a.cfg");
}

static void assert_directories(const struct config_places *places, const char *const *wanted,
			       size_t n)
{
	_cleanup_(config_listing_done) struct config_listing l = {0};
	_cleanup_diags_ struct diags d = {0};

	assert_int_equal(config_list(places, &l, &d), 0);
	assert_int_equal(l.n_directories, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(l.directories[i], wanted[i]);
}

static void test_directories(void **state)
{
	static const char *const all[] = {
		"./etc/svcroute",
		"./etc/svcroute/svcroute.conf.d",
		"./etc/svcroute/services.d",
		"./etc/svcroute/endpoints.d",
		"./run/svcroute",
		"./run/svcroute/svcroute.conf.d",
		"./run/svcroute/services.d",
		"./run/svcroute/endpoints.d",
		"./usr/lib/svcroute",
		"./usr/lib/svcroute/svcroute.conf.d",
		"./usr/lib/svcroute/services.d",
		"./usr/lib/svcroute/endpoints.d",
	};
	static const char *const single[] = {"d", "d/svcroute.conf.d", "d/services.d",
					     "d/endpoints.d"};
	static const char *const plain[] = {"/svcroute.conf.d", "/services.d", "/endpoints.d"};
	static const char *const roots[] = {NULL, "", "/", "//"};

	(void)state;
	assert_directories(&here, all, ELEMENTSOF(all));
	assert_directories(&here_slash, all, ELEMENTSOF(all));
	assert_directories(&(struct config_places){.single = "d/", .root = "x"}, single,
			   ELEMENTSOF(single));

	/* Without a root: whatever this host has there, these are the names. */
	for (size_t i = 0; i < ELEMENTSOF(roots); i++) {
		const struct config_places none = {.root = roots[i]};
		_cleanup_(config_listing_done) struct config_listing l = {0};
		_cleanup_diags_ struct diags d = {0};

		assert_int_equal(config_list(&none, &l, &d), 0);
		assert_int_equal(l.n_directories, ELEMENTSOF(all));
		for (size_t k = 0; k < l.n_directories; k++)
			assert_string_equal(l.directories[k], all[k] + 1);
	}
	{
		const struct config_places top = {.single = "/"};
		_cleanup_(config_listing_done) struct config_listing l = {0};
		_cleanup_diags_ struct diags d = {0};

		assert_int_equal(config_list(&top, &l, &d), 0);
		assert_false(l.etc_missing);
		for (size_t k = 0; k < ELEMENTSOF(plain); k++)
			assert_string_equal(l.directories[k + 1], plain[k]);
	}
}

static void test_order(void **state)
{
	(void)state;
	put(ETC "services.d/b.cfg", "x");
	put(ETC "services.d/a.cfg", "x");
	put(ETC "services.d/Z.cfg", "x");
	put(RUN "services.d/10-b.cfg", "x");
	put(RUN "services.d/9-b.cfg", "x");
	put(LIB "services.d/\xc3\xa9.cfg", "x");
	put(LIB "services.d/aa.cfg", "x");
	put(RUN "endpoints.d/a.cfg", "x");
	put(LIB "svcroute.conf.d/00-first.conf", "x");
	put(ETC "svcroute.conf.d/z.conf", "x");
	put(ETC "svcroute.conf", "x");
	assert_listed(&here,
		      "settings=./" ETC "svcroute.conf "
		      "settings=./" LIB "svcroute.conf.d/00-first.conf "
		      "settings=./" ETC "svcroute.conf.d/z.conf "
		      "services=./" RUN "services.d/10-b.cfg "
		      "services=./" RUN "services.d/9-b.cfg "
		      "services=./" ETC "services.d/Z.cfg "
		      "services=./" ETC "services.d/a.cfg "
		      "services=./" LIB "services.d/aa.cfg "
		      "services=./" ETC "services.d/b.cfg "
		      "services=./" LIB "services.d/\xc3\xa9.cfg "
		      "endpoints=./" RUN "endpoints.d/a.cfg ",
		      NULL);
}

static void test_precedence(void **state)
{
	(void)state;
	put(ETC "services.d/all.cfg", "x");
	put(RUN "services.d/all.cfg", "x");
	put(LIB "services.d/all.cfg", "x");
	put(RUN "services.d/run.cfg", "x");
	put(LIB "services.d/run.cfg", "x");
	put(LIB "services.d/lib.cfg", "x");
	/* The same name in another directory is another file. */
	put(LIB "endpoints.d/all.cfg", "x");
	put(RUN "svcroute.conf", "x");
	put(LIB "svcroute.conf", "x");
	put(RUN "svcroute.conf.d/a.conf", "x");
	put(LIB "svcroute.conf.d/a.conf", "x");
	assert_listed(&here_slash,
		      "settings=./" RUN "svcroute.conf "
		      "settings=./" RUN "svcroute.conf.d/a.conf "
		      "services=./" ETC "services.d/all.cfg "
		      "services=./" LIB "services.d/lib.cfg "
		      "services=./" RUN "services.d/run.cfg "
		      "endpoints=./" LIB "endpoints.d/all.cfg ",
		      NULL);
}

static void test_masks(void **state)
{
	(void)state;
	put(ETC "services.d/empty.cfg", "");
	put(RUN "services.d/empty.cfg", "x");
	put_link(ETC "services.d/null.cfg", "/dev/null");
	put(LIB "services.d/null.cfg", "x");
	put_link(ETC "services.d/far.cfg", "hop");
	put_link(ETC "services.d/hop", "/dev/null");
	put(LIB "services.d/far.cfg", "x");
	put(ETC "target", "");
	put_link(ETC "services.d/link.cfg", "../target");
	put(LIB "services.d/link.cfg", "x");
	/* A mask hides what is below it, not what is above. */
	put(ETC "services.d/above.cfg", "x");
	put(RUN "services.d/above.cfg", "");
	/* Not empty: a line feed, and devices other than the null device. */
	put(ETC "services.d/line.cfg", "\n");
	put_link(ETC "services.d/zero.cfg", "/dev/zero");
	put(ETC "svcroute.conf", "");
	put(LIB "svcroute.conf", "x");
	put_link(RUN "svcroute.conf.d/a.conf", "/dev/null");
	put(LIB "svcroute.conf.d/a.conf", "x");
	assert_listed(&here,
		      "services=./" ETC "services.d/above.cfg "
		      "services=./" ETC "services.d/line.cfg "
		      "services=./" ETC "services.d/zero.cfg ",
		      NULL);
	assert_absent(&here, CONFIG_SETTINGS, "svcroute.conf");
	assert_absent(&here, CONFIG_SETTINGS, "a.conf");
	assert_absent(&here, CONFIG_SERVICES, "empty.cfg");
	assert_absent(&here, CONFIG_SERVICES, "null.cfg");
	assert_absent(&here, CONFIG_SERVICES, "far.cfg");
	assert_absent(&here, CONFIG_SERVICES, "link.cfg");
}

/* C54: an empty file masks only when nobody is about to fill it. */
static void test_empty_and_open(void **state)
{
	static const char *const names[] = {"a.cfg", "link.cfg"};
	const char *busy = "services=./" ETC "services.d/a.cfg!EBUSY "
			   "services=./" ETC "services.d/link.cfg!EBUSY ";
	int fd;

	(void)state;
	put(ETC "services.d/a.cfg", "x");
	put_link(ETC "services.d/link.cfg", "a.cfg");
	for (size_t i = 0; i < ELEMENTSOF(names); i++) {
		char path[64];

		snprintf(path, sizeof(path), LIB "services.d/%s", names[i]);
		put(path, "hidden");
	}
	fd = open(ETC "services.d/a.cfg", O_WRONLY | O_TRUNC | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_listed(&here, busy, NULL);
	/* what is not empty takes part: reading is where it is seen that it is not complete */
	assert_int_equal(write(fd, "x", 1), 1);
	assert_listed(&here,
		      "services=./" ETC "services.d/a.cfg services=./" ETC "services.d/link.cfg ",
		      NULL);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_listed(&here, busy, NULL);
	assert_int_equal(close(fd), 0);
	assert_listed(&here, "", NULL);
	assert_absent(&here, CONFIG_SERVICES, "a.cfg");
	assert_absent(&here, CONFIG_SERVICES, "link.cfg");
}

/* C56: what editors and package managers leave lying about is nobody's business. */
static void test_other_names(void **state)
{
	static const char *const names[] = {
		".10-a.cfg.swp",  ".a.cfg",
		".cfg",		  ".conf",
		"a.cfg~",	  "#a.cfg",
		"#a.cfg#",	  ".#a.cfg",
		"a.cfg.dpkg-new", "a.cfg.dpkg-dist",
		"a.rpmsave",	  "a.tmp",
		"4913",		  "a",
		"a.CFG",	  "cfg",
		"a.cfg ",	  "a.conf~",
		".a.conf",	  "README",
	};

	(void)state;
	put(ETC "services.d/good.cfg", "x");
	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		for (enum config_kind kind = 0; kind < _CONFIG_KIND_MAX; kind++) {
			static const char *const directories[] = {"svcroute.conf.d", "services.d",
								  "endpoints.d"};
			char path[256];

			snprintf(path, sizeof(path), ETC "%s/%s", directories[kind], names[i]);
			put(path, "x");
			assert_absent(&here, kind, names[i]);
		}
	put(ETC "other.conf", "x");
	put(ETC "other.cfg", "x");
	assert_listed(&here, "services=./" ETC "services.d/good.cfg ", NULL);
	assert_absent(&here, CONFIG_SETTINGS, "other.conf");
	assert_absent(&here, CONFIG_SETTINGS, "../svcroute.conf.d/other.conf");
	assert_absent(&here, CONFIG_SERVICES, "../services.d/good.cfg");
	assert_absent(&here, CONFIG_SERVICES, "");
}

static void test_wrong_suffix(void **state)
{
	static const struct {
		const char *path;
		enum config_kind kind;
		const char *reason;
	} rows[] = {
		{ETC "services.d/a.conf", CONFIG_SERVICES, "does not belong in services.d"},
		{LIB "endpoints.d/a.conf", CONFIG_ENDPOINTS, "does not belong in endpoints.d"},
		{RUN "svcroute.conf.d/a.cfg", CONFIG_SETTINGS,
		 "does not belong in svcroute.conf.d"},
		{ETC "svcroute.conf.d/svcroute.conf", -1, "name of the main file"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		char wanted[256];

		put(rows[i].path, "x");
		snprintf(wanted, sizeof(wanted), "./%s: ", rows[i].path);
		assert_listed(&here, "", wanted);
		assert_listed(&here, "", rows[i].reason);
		if ((int)rows[i].kind >= 0)
			assert_absent(&here, rows[i].kind, strrchr(rows[i].path, '/') + 1);
		assert_int_equal(unlink(rows[i].path), 0);
	}
	assert_listed(&here, "", NULL);
}

/* What cannot be examined is kept, and hides what is below it. */
static void test_unexaminable(void **state)
{
	(void)state;
	put_link(ETC "services.d/dangling.cfg", "nowhere");
	put(LIB "services.d/dangling.cfg", "x");
	put_link(ETC "services.d/loop.cfg", "loop.cfg");
	put_link(ETC "services.d/through.cfg", "../svcroute.conf/x");
	put(ETC "svcroute.conf", "x");
	put_link(ETC "svcroute.conf.d/dangling.conf", "nowhere");
	assert_listed(&here,
		      "settings=./" ETC "svcroute.conf "
		      "settings=./" ETC "svcroute.conf.d/dangling.conf!ENOENT "
		      "services=./" ETC "services.d/dangling.cfg!ENOENT "
		      "services=./" ETC "services.d/loop.cfg!ELOOP "
		      "services=./" ETC "services.d/through.cfg!ENOTDIR ",
		      NULL);
}

/* Reading will refuse these; here they take part, and do not block. */
static void test_not_regular(void **state)
{
	(void)state;
	make_parents(ETC "services.d/dir.cfg/");
	assert_int_equal(mkfifo(ETC "services.d/fifo.cfg", 0644), 0);
	make_parents(ETC "svcroute.conf/");
	assert_listed(&here,
		      "settings=./" ETC "svcroute.conf "
		      "services=./" ETC "services.d/dir.cfg "
		      "services=./" ETC "services.d/fifo.cfg ",
		      NULL);
}

static void assert_incomplete(const struct config_places *places, bool settings, bool services,
			      bool endpoints)
{
	_cleanup_(config_listing_done) struct config_listing l = {0};
	_cleanup_diags_ struct diags d = {0};

	assert_int_equal(config_list(places, &l, &d), 0);
	assert_int_equal(l.incomplete[CONFIG_SETTINGS], settings);
	assert_int_equal(l.incomplete[CONFIG_SERVICES], services);
	assert_int_equal(l.incomplete[CONFIG_ENDPOINTS], endpoints);
	assert_int_equal(d.n > 0, settings || services || endpoints);
}

/* A file that is not listed because its directory cannot be read must not pass for deleted. */
static void assert_unknown(enum config_kind kind, const char *name, int error, const char *path)
{
	struct config_entry e;

	memset(&e, 0xA5, sizeof(e));
	assert_int_equal(config_stat(&here, kind, name, &e), 0);
	assert_int_equal(e.error, error);
	assert_int_equal(e.kind, kind);
	assert_string_equal(e.name, name);
	assert_string_equal(e.path, path);
	config_entry_done(&e);
}

static void test_bad_directories(void **state)
{
	(void)state;
	put(LIB "services.d/a.cfg", "x");
	assert_incomplete(&here, false, false, false);
	put(ETC "services.d", "a file");
	assert_incomplete(&here, false, true, false);
	assert_int_equal(mkfifo(ETC "endpoints.d", 0644), 0);
	assert_incomplete(&here, false, true, true);
	put_link(RUN "services.d", "services.d");
	put_link(RUN "svcroute.conf.d", "nowhere");
	assert_incomplete(&here, true, true, true);
	assert_listed(&here, "services=./" LIB "services.d/a.cfg ",
		      "./" ETC "services.d: Not a directory\n"
		      "./" ETC "endpoints.d: Not a directory\n"
		      "./" RUN "svcroute.conf.d: the link leads nowhere\n"
		      "./" RUN "services.d: Too many levels of symbolic links\n");
	assert_unknown(CONFIG_SERVICES, "b.cfg", -ENOTDIR, "./" ETC "services.d/b.cfg");
	assert_unknown(CONFIG_SETTINGS, "b.conf", -ENOLINK, "./" RUN "svcroute.conf.d/b.conf");
	assert_absent(&here, CONFIG_SETTINGS, "svcroute.conf");
}

static void test_bad_place(void **state)
{
	(void)state;
	make_parents("etc/");
	put_link("etc/svcroute", "../releases/2");
	put(LIB "services.d/a.cfg", "x");
	assert_incomplete(&here, true, true, true);
	assert_listed(&here, "services=./" LIB "services.d/a.cfg ",
		      "./etc/svcroute: the link leads nowhere\n");
	assert_unknown(CONFIG_SETTINGS, "svcroute.conf", -ENOLINK, "./" ETC "svcroute.conf");
}

/* C53: the main directory, and a directory in it, may be links. */
static void test_linked_directories(void **state)
{
	(void)state;
	put("releases/1/services.d/a.cfg", "x");
	put("shared/b.cfg", "x");
	make_parents("etc/");
	put_link("etc/svcroute", "../releases/1");
	put_link("releases/1/endpoints.d", "../../shared");
	assert_listed(&here,
		      "services=./" ETC "services.d/a.cfg endpoints=./" ETC "endpoints.d/b.cfg ",
		      NULL);
}

/* As somebody else, for whom permissions count. */
static void test_permissions(void **state)
{
	uid_t uid = geteuid();

	(void)state;
	put(ETC "services.d/a.cfg", "x");
	put(ETC "endpoints.d/a.cfg", "x");
	put(LIB "services.d/b.cfg", "x");
	assert_int_equal(chmod(".", 0755), 0);
	put("closed/x", "x");
	put_link(ETC "services.d/link.cfg", "../../../closed/x");
	assert_int_equal(chmod("closed", 0), 0);
	assert_int_equal(chmod(ETC "endpoints.d", 0444), 0);
	if (uid == 0)
		assert_int_equal(seteuid(65534), 0);
	assert_listed(&here,
		      "services=./" ETC "services.d/a.cfg "
		      "services=./" LIB "services.d/b.cfg "
		      "services=./" ETC "services.d/link.cfg!EACCES ",
		      "./" ETC "endpoints.d: Permission denied\n");
	assert_incomplete(&here, false, false, true);
	assert_unknown(CONFIG_ENDPOINTS, "a.cfg", -EACCES, "./" ETC "endpoints.d/a.cfg");
	assert_int_equal(seteuid(uid), 0);
	assert_int_equal(chmod("closed", 0755), 0);
	assert_int_equal(chmod(ETC "endpoints.d", 0755), 0);
}

static void test_single(void **state)
{
	const struct config_places single = {.root = ".", .single = "conf/"};
	_cleanup_(config_listing_done) struct config_listing l = {0};
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	put(ETC "services.d/etc.cfg", "x");
	assert_listed(&single, "", NULL);
	assert_int_equal(config_list(&single, &l, &d), 0);
	assert_true(l.etc_missing);
	put("conf/svcroute.conf", "x");
	put("conf/svcroute.conf.d/a.conf", "x");
	put("conf/services.d/a.cfg", "x");
	put("conf/services.d/masked.cfg", "");
	put("conf/endpoints.d/a.cfg", "x");
	assert_listed(&single,
		      "settings=conf/svcroute.conf settings=conf/svcroute.conf.d/a.conf "
		      "services=conf/services.d/a.cfg endpoints=conf/endpoints.d/a.cfg ",
		      NULL);
}

static void stamp_of(const char *name, struct file_stamp *ret)
{
	struct config_entry e;

	assert_int_equal(config_stat(&here, CONFIG_SERVICES, name, &e), 0);
	*ret = e.stamp;
	config_entry_done(&e);
}

static void assert_new_stamp(const char *name, struct file_stamp *stamp)
{
	struct file_stamp now;

	stamp_of(name, &now);
	assert_memory_not_equal(&now, stamp, sizeof(now));
	*stamp = now;
	stamp_of(name, &now);
	assert_memory_equal(&now, stamp, sizeof(now));
}

/* C52, C53: every way in which a file becomes another one changes its stamp. */
static void test_stamps(void **state)
{
	const struct timespec tick = {.tv_nsec = 20000000}; /* coarser than any clock of files */
	struct file_stamp stamp;
	struct stat st;

	(void)state;
	put(ETC "services.d/a.cfg", "x");
	stamp_of("a.cfg", &stamp);
	assert_int_equal(stat(ETC "services.d/a.cfg", &st), 0);
	assert_int_equal(stamp.inode, st.st_ino);
	assert_int_equal(stamp.device, st.st_dev);
	assert_int_equal(stamp.size, 1);
	assert_int_equal(stamp.mtime_nsec,
			 (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);

	nanosleep(&tick, NULL);
	put(ETC "services.d/a.cfg", "y");
	assert_new_stamp("a.cfg", &stamp);
	put(ETC "services.d/new", "z");
	assert_int_equal(rename(ETC "services.d/new", ETC "services.d/a.cfg"), 0);
	assert_new_stamp("a.cfg", &stamp);
	/* The same content with the old time, as cp -p leaves it. */
	nanosleep(&tick, NULL);
	put(ETC "services.d/a.cfg", "w");
	assert_int_equal(utimensat(AT_FDCWD, ETC "services.d/a.cfg",
				   (struct timespec[2]){st.st_atim, st.st_mtim}, 0),
			 0);
	assert_new_stamp("a.cfg", &stamp);

	put("one", "x");
	put("two", "x");
	put_link(ETC "services.d/l.cfg", "../../../one");
	stamp_of("l.cfg", &stamp);
	put_link(ETC "services.d/l", "../../../two");
	assert_int_equal(rename(ETC "services.d/l", ETC "services.d/l.cfg"), 0);
	assert_new_stamp("l.cfg", &stamp);
	nanosleep(&tick, NULL);
	put("two", "y");
	assert_new_stamp("l.cfg", &stamp);
}

static void test_done(void **state)
{
	struct config_listing l = {0};
	struct config_entry e = {0};

	(void)state;
	config_listing_done(&l);
	config_entry_done(&e);
	assert_null(l.entries);
	assert_null(e.path);
}

#define TREE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(test_nothing),
		TREE_TEST(test_directories),
		TREE_TEST(test_order),
		TREE_TEST(test_precedence),
		TREE_TEST(test_empty_and_open),
		TREE_TEST(test_masks),
		TREE_TEST(test_other_names),
		TREE_TEST(test_wrong_suffix),
		TREE_TEST(test_unexaminable),
		TREE_TEST(test_not_regular),
		TREE_TEST(test_bad_directories),
		TREE_TEST(test_bad_place),
		TREE_TEST(test_linked_directories),
		TREE_TEST(test_permissions),
		TREE_TEST(test_single),
		TREE_TEST(test_stamps),
		TREE_TEST(test_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
