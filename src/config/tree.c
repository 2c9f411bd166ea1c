/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/file.h"

#define MAIN_FILE "svcroute.conf"
#define NULL_DEVICE makedev(1, 3)

/* From the one that hides to the ones that are hidden. */
static const char *const places_in_order[] = {
	"/etc/svcroute",
	"/run/svcroute",
	"/usr/lib/svcroute",
};

/* What belongs where. A file of a foreign suffix is one that was put into the wrong directory. */
static const struct {
	const char *directory; /* below a place */
	const char *suffix, *foreign_suffix;
	const char *reason, *hint;
} kinds[_CONFIG_KIND_MAX] = {
	[CONFIG_SETTINGS] =
		{"svcroute.conf.d", ".conf", ".cfg",
		 "a *.cfg file does not belong in svcroute.conf.d, which holds settings",
		 "services go to services.d, endpoints to endpoints.d"},
	[CONFIG_SERVICES] = {"services.d", ".cfg", ".conf",
			     "a *.conf file does not belong in services.d, which holds *.cfg files",
			     "settings go to svcroute.conf.d; rename a file of services to *.cfg"},
	[CONFIG_ENDPOINTS] =
		{"endpoints.d", ".cfg", ".conf",
		 "a *.conf file does not belong in endpoints.d, which holds *.cfg files",
		 "settings go to svcroute.conf.d; rename a file of endpoints to *.cfg"},
};

/* An entry on its way into the listing. */
struct candidate {
	struct config_entry entry;
	size_t place;
	bool masks;
};

struct candidates {
	struct candidate *items;
	size_t n, allocated;
};

void config_entry_done(struct config_entry *e)
{
	free(e->path);
	free(e->name);
	*e = (struct config_entry){0};
}

void config_listing_done(struct config_listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		config_entry_done(&l->entries[i]);
	for (size_t i = 0; i < l->n_directories; i++)
		free(l->directories[i]);
	free(l->entries);
	free(l->directories);
	*l = (struct config_listing){0};
}

static void candidates_done(struct candidates *c)
{
	for (size_t i = 0; i < c->n; i++)
		config_entry_done(&c->items[i].entry);
	free(c->items);
	*c = (struct candidates){0};
}

static size_t n_places(const struct config_places *places)
{
	return places->single ? 1 : ELEMENTSOF(places_in_order);
}

/* "ROOT/etc/svcroute", or the directory that stands for all. Slashes at the end of what was given
 * would be doubled, so they go. */
static char *place_path(const struct config_places *places, size_t place)
{
	const char *front = places->single ? places->single : places->root;
	size_t n = front ? strlen(front) : 0;
	char *path;

	while (n > 0 && front[n - 1] == '/')
		n--;
	if (asprintf(&path, "%.*s%s", (int)n, front ? front : "",
		     places->single ? "" : places_in_order[place]) < 0)
		return NULL;
	return path;
}

static char *join(const char *directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

/* A directory that can be read and searched, or a negative errno. -ENOENT: there is none. A link
 * that leads nowhere is not absence but a mistake, -ENOLINK: what was there must not be taken for
 * deleted. */
static int open_directory(const char *path)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!*path) /* the place "/" */
		path = "/";
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		int error = -errno;

		return error == -ENOENT && lstat(path, &st) == 0 ? -ENOLINK : error;
	}
	if (fstatat(fd, ".", &st, 0) < 0)
		return -errno;
	return TAKE_FD(fd);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), n_suffix = strlen(suffix);

	return n > n_suffix && streq(name + n - n_suffix, suffix);
}

/* What editors and package managers leave beside a file either starts like this or has another
 * suffix. */
static bool is_hidden(const char *name)
{
	return *name == '.' || *name == '#';
}

static bool is_main_file(enum config_kind kind, const char *name)
{
	return kind == CONFIG_SETTINGS && streq(name, MAIN_FILE);
}

/* The name of the main file stands for that alone, also in messages and in precedence. */
static bool takes_part(enum config_kind kind, const char *name)
{
	return !is_hidden(name) && has_suffix(name, kinds[kind].suffix) &&
	       !is_main_file(kind, name);
}

static int64_t nsec_of(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static bool is_mask(const struct stat *st)
{
	if (S_ISCHR(st->st_mode))
		return st->st_rdev == NULL_DEVICE;
	return S_ISREG(st->st_mode) && st->st_size == 0;
}

/* Nothing of it is left on failure. */
static int set_names(struct config_entry *e, const char *directory, const char *name)
{
	e->path = join(directory, name);
	e->name = strdup(name);
	if (e->path && e->name)
		return 0;
	config_entry_done(e);
	return -ENOMEM;
}

/* An empty file that somebody has open for writing was most likely just truncated to be filled:
 * -EBUSY, with the stat. The one of a file that is no longer empty when this is certain counts. */
static int stat_name(int dir_fd, const char *name, struct stat *ret)
{
	struct stat st;
	int r;

	if (fstatat(dir_fd, name, &st, 0) < 0)
		return -errno;
	r = S_ISREG(st.st_mode) && st.st_size == 0 ? file_stat_complete(dir_fd, name, &st) : 0;
	if (r == 0 || r == -EBUSY)
		*ret = st;
	return r;
}

/* Looks at one name of a directory: -ENOENT when it is not there. What cannot be examined, a
 * dangling link among it, is a candidate with an error. */
static int examine(int dir_fd, const char *directory, enum config_kind kind, const char *name,
		   struct candidate *ret)
{
	struct candidate c = {.entry.kind = kind};
	struct stat st;
	int r;

	c.entry.error = stat_name(dir_fd, name, &st);
	if (c.entry.error == -ENOENT && fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 &&
	    errno == ENOENT)
		return -ENOENT;
	if (c.entry.error == 0 || c.entry.error == -EBUSY) {
		c.masks = c.entry.error == 0 && is_mask(&st);
		c.entry.stamp = (struct file_stamp){
			.device = st.st_dev,
			.inode = st.st_ino,
			.size = (uint64_t)st.st_size,
			.mtime_nsec = nsec_of(&st.st_mtim),
			.ctime_nsec = nsec_of(&st.st_ctim),
		};
	}

	r = set_names(&c.entry, directory, name);
	if (r < 0)
		return r;
	*ret = c;
	return 0;
}

static int add_candidate(struct candidates *all, int dir_fd, const char *directory,
			 enum config_kind kind, const char *name, size_t place)
{
	struct candidate c;
	int r;

	r = array_reserve(&all->items, &all->allocated, all->n + 1);
	if (r < 0)
		return r;
	r = examine(dir_fd, directory, kind, name, &c);
	if (r == -ENOENT)
		return 0; /* gone since the directory was read */
	if (r < 0)
		return r;
	c.place = place;
	all->items[all->n++] = c;
	return 0;
}

static int add_error(struct diags *d, const char *path, const char *reason, const char *hint)
{
	struct place at = {.file = path};

	diags_add(d, DIAG_ERROR, &at, NULL, NULL, NULL, hint, "%s", reason);
	return d->error;
}

static int add_file_error(struct diags *d, const char *directory, const char *name,
			  const char *reason, const char *hint)
{
	_cleanup_free_ char *path = join(directory, name);

	return path ? add_error(d, path, reason, hint) : -ENOMEM;
}

static int add_directory_error(struct config_listing *l, enum config_kind kind, const char *path,
			       int error, struct diags *d)
{
	l->incomplete[kind] = true;
	return add_error(d, path, error == -ENOLINK ? "the link leads nowhere" : strerror(-error),
			 NULL);
}

/* 0 for a name that is none of our business. */
static int complain_about_name(const char *directory, enum config_kind kind, const char *name,
			       struct diags *d)
{
	if (is_hidden(name))
		return 0;
	if (has_suffix(name, kinds[kind].foreign_suffix))
		return add_file_error(d, directory, name, kinds[kind].reason, kinds[kind].hint);
	if (is_main_file(kind, name))
		return add_file_error(
			d, directory, name,
			"svcroute.conf is the name of the main file, one directory up",
			"rename this one");
	return 0;
}

static void close_directory(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

static int list_directory(const char *directory, enum config_kind kind, size_t place,
			  struct candidates *all, struct config_listing *listing, struct diags *d)
{
	_cleanup_(close_directory) DIR *dir = NULL;
	_cleanup_close_ int fd = open_directory(directory);

	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return add_directory_error(listing, kind, directory, fd, d);
	dir = fdopendir(fd);
	if (!dir)
		return -errno;
	(void)TAKE_FD(fd); /* closed with the DIR */

	for (;;) {
		const struct dirent *entry;
		int r;

		errno = 0;
		entry = readdir(dir);
		if (!entry)
			return errno ? add_directory_error(listing, kind, directory, -errno, d) : 0;
		if (takes_part(kind, entry->d_name))
			r = add_candidate(all, dirfd(dir), directory, kind, entry->d_name, place);
		else
			r = complain_about_name(directory, kind, entry->d_name, d);
		if (r < 0)
			return r;
	}
}

/* 1 when the other directories of the place are worth a look. */
static int list_main_file(const char *place_dir, size_t place, struct candidates *all,
			  struct config_listing *listing, struct diags *d)
{
	_cleanup_close_ int fd = open_directory(place_dir);
	int r;

	if (fd == -ENOENT) {
		listing->etc_missing = listing->etc_missing || place == 0;
		return 0;
	}
	if (fd < 0) {
		for (enum config_kind kind = 0; kind < _CONFIG_KIND_MAX; kind++)
			listing->incomplete[kind] = true;
		return add_directory_error(listing, CONFIG_SETTINGS, place_dir, fd, d);
	}
	r = add_candidate(all, fd, place_dir, CONFIG_SETTINGS, MAIN_FILE, place);
	return r < 0 ? r : 1;
}

/* Takes the path over, also on failure. */
static int add_directory(struct config_listing *l, char *path)
{
	int r;

	r = array_reserve(&l->directories, &l->directories_allocated, l->n_directories + 1);
	if (r < 0) {
		free(path);
		return r;
	}
	l->directories[l->n_directories++] = path;
	return 0;
}

static int list_place(const struct config_places *places, size_t place, struct candidates *all,
		      struct config_listing *listing, struct diags *d)
{
	char *place_dir = place_path(places, place);
	int r, exists;

	if (!place_dir)
		return -ENOMEM;
	r = add_directory(listing, place_dir);
	if (r < 0)
		return r;
	exists = list_main_file(place_dir, place, all, listing, d);
	if (exists < 0)
		return exists;
	for (enum config_kind kind = 0; kind < _CONFIG_KIND_MAX; kind++) {
		char *directory = join(place_dir, kinds[kind].directory);

		if (!directory)
			return -ENOMEM;
		r = add_directory(listing, directory);
		if (r < 0)
			return r;
		r = exists ? list_directory(directory, kind, place, all, listing, d) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* Kind, name, place; the main file before all drop-ins. */
static int compare_names(const struct config_entry *a, const struct config_entry *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (is_main_file(a->kind, a->name) != is_main_file(b->kind, b->name))
		return is_main_file(a->kind, a->name) ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = compare_names(&a->entry, &b->entry);

	if (order)
		return order;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* Moves what is neither hidden nor masked into the listing. */
static int pick(struct candidates *all, struct config_listing *listing)
{
	int r;

	if (all->n == 0)
		return 0;
	qsort(all->items, all->n, sizeof(*all->items), compare_candidates);
	r = array_reserve(&listing->entries, &listing->allocated, all->n);
	if (r < 0)
		return r;
	for (size_t i = 0, top; i < all->n; i = top) {
		struct candidate *c = &all->items[i];

		for (top = i + 1; top < all->n; top++)
			if (compare_names(&c->entry, &all->items[top].entry) != 0)
				break;
		if (c->masks)
			continue;
		listing->entries[listing->n++] = c->entry;
		c->entry = (struct config_entry){0};
	}
	return 0;
}

int config_list(const struct config_places *places, struct config_listing *ret, struct diags *d)
{
	_cleanup_(config_listing_done) struct config_listing listing = {0};
	_cleanup_(candidates_done) struct candidates all = {0};
	int r;

	for (size_t place = 0; place < n_places(places); place++) {
		r = list_place(places, place, &all, &listing, d);
		if (r < 0)
			return r;
	}
	r = pick(&all, &listing);
	if (r < 0)
		return r;
	*ret = listing;
	listing = (struct config_listing){0};
	return 0;
}

/* The directory in which a name is looked for. */
static char *directory_of(const struct config_places *places, size_t place, enum config_kind kind,
			  const char *name)
{
	_cleanup_free_ char *place_dir = place_path(places, place);

	if (!place_dir || is_main_file(kind, name))
		return TAKE_PTR(place_dir);
	return join(place_dir, kinds[kind].directory);
}

/* What takes part under a name in one place: -ENOENT for nothing. A mask is an entry without a
 * path. */
static int stat_in_place(const struct config_places *places, size_t place, enum config_kind kind,
			 const char *name, struct config_entry *ret)
{
	_cleanup_free_ char *directory = directory_of(places, place, kind, name);
	_cleanup_close_ int fd = -1;
	struct candidate c;
	int r;

	if (!directory)
		return -ENOMEM;
	fd = open_directory(directory);
	if (fd < 0)
		return fd;
	r = examine(fd, directory, kind, name, &c);
	if (r < 0)
		return r;
	if (c.masks)
		config_entry_done(&c.entry);
	*ret = c.entry;
	return 0;
}

/* An entry that says no more than that a directory keeps us from knowing. */
static int unknown_entry(const struct config_places *places, size_t place, enum config_kind kind,
			 const char *name, int error, struct config_entry *ret)
{
	_cleanup_free_ char *directory = directory_of(places, place, kind, name);
	struct config_entry e = {.kind = kind, .error = error};
	int r;

	if (!directory)
		return -ENOMEM;
	r = set_names(&e, directory, name);
	if (r < 0)
		return r;
	*ret = e;
	return 0;
}

int config_stat(const struct config_places *places, enum config_kind kind, const char *name,
		struct config_entry *ret)
{
	size_t unreadable = 0; /* the first such place, if error is set */
	int error = 0;

	if (!is_main_file(kind, name) && (strchr(name, '/') || !takes_part(kind, name)))
		return -ENOENT;

	for (size_t place = 0; place < n_places(places); place++) {
		struct config_entry e;
		int r;

		r = stat_in_place(places, place, kind, name, &e);
		if (r == 0 && !e.path)
			return -ENOENT;
		if (r == 0)
			*ret = e;
		if (r == 0 || r == -ENOMEM)
			return r;
		if (r != -ENOENT && error == 0) {
			error = r;
			unreadable = place;
		}
	}
	return error ? unknown_entry(places, unreadable, kind, name, error, ret) : -ENOENT;
}
