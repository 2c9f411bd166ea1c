/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/watch-set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/array.h"
#include "config/tree.h"

/* As many as the kernel follows. */
#define LINKS_MAX 40

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && streq(text + n - m, end);
}

static int kind_of_directory(const char *path)
{
	if (ends_in(path, "/services.d"))
		return CONFIG_SERVICES;
	if (ends_in(path, "/endpoints.d"))
		return CONFIG_ENDPOINTS;
	if (ends_in(path, "/svcroute.conf.d"))
		return CONFIG_SETTINGS;
	return -1;
}

bool watch_name_counts(int kind, const char *name)
{
	if (kind < 0)
		return streq(name, "svcroute.conf");
	return name[0] != '.' && name[0] != '#' &&
	       (ends_in(name, ".cfg") || ends_in(name, ".conf"));
}

struct watch_set *watch_set_free(struct watch_set *s)
{
	if (!s)
		return NULL;
	for (size_t i = 0; i < s->n_items; i++)
		free(s->items[i].path);
	for (size_t i = 0; i < s->n_spots; i++) {
		free(s->spots[i]->path);
		free(s->spots[i]);
	}
	for (size_t i = 0; i < s->n_interests; i++) {
		free(s->interests[i].name);
		free(s->interests[i].entry);
	}
	free(s->items);
	free(s->spots);
	free(s->interests);
	map_free(s->by_path);
	free(s);
	return NULL;
}

#ifndef __clang__
#pragma GCC diagnostic push
/* gcc 12 loses sight of what a list holds; watch_set_free() frees all of it */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

/* The spot of a directory, made when there is none. */
static int need(struct watch_set *s, size_t item, const char *path, uint32_t mask,
		struct watch_spot **ret)
{
	struct watch_spot *spot = map_get(s->by_path, path);
	int r;

	if (!spot) {
		r = array_reserve(&s->spots, &s->spots_allocated, s->n_spots + 1);
		if (r < 0)
			return r;
		spot = calloc(1, sizeof(*spot));
		if (!spot)
			return -ENOMEM;
		s->spots[s->n_spots++] = spot;
		spot->wd = -1;
		spot->path = strdup(path);
		r = spot->path ? map_put(s->by_path, path, spot) : -ENOMEM;
		if (r < 0)
			return r;
	}
	spot->mask |= mask;
	spot->items |= watch_item_bit(item);
	if (ret)
		*ret = spot;
	return 0;
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

#ifndef __clang__
#pragma GCC diagnostic push
/* gcc 12 loses sight of what a list holds; watch_set_free() frees all of it */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

static int add_interest(struct watch_set *s, enum watch_role role, size_t item, const char *path,
			const char *name, const char *entry)
{
	struct watch_spot *spot = NULL;
	struct watch_interest *i;
	int r;

	r = need(s, item, path, role == WATCH_STEP ? WATCH_EVENTS_NAMES : WATCH_EVENTS_FILES,
		 &spot);
	if (r == 0)
		r = array_reserve(&s->interests, &s->interests_allocated, s->n_interests + 1);
	if (r < 0)
		return r;
	i = &s->interests[s->n_interests++];
	*i = (struct watch_interest){.role = role, .spot = spot, .item = item, .wd = -1};
	i->name = name ? strdup(name) : NULL;
	i->entry = entry ? strdup(entry) : NULL;
	return (name && !i->name) || (entry && !i->entry) ? -ENOMEM : 0;
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

/* On the way along a path. */
struct walk {
	struct watch_set *set;
	size_t item;
	const char *entry; /* the link in the item that is followed; NULL: it is the item itself */
	char *at;	   /* where we are: a directory without links in its path, "" is the root */
	char *rest;	   /* what is still to go */
	unsigned n_links;
};

static void walk_done(struct walk *w)
{
	free(w->at);
	free(w->rest);
}

/* Takes the next component off the rest; *ret is malloc'ed, NULL at the end. */
static int next_component(struct walk *w, char **ret)
{
	size_t skip = strspn(w->rest, "/"), n = strcspn(w->rest + skip, "/");
	char *component = NULL;

	if (n > 0) {
		component = strndup(w->rest + skip, n);
		if (!component)
			return -ENOMEM;
	}
	memmove(w->rest, w->rest + skip + n, strlen(w->rest + skip + n) + 1);
	*ret = component;
	return 0;
}

static void go_up(struct walk *w)
{
	char *slash = strrchr(w->at, '/');

	if (slash)
		*slash = '\0';
}

static const char *walk_at(const struct walk *w)
{
	return w->at[0] ? w->at : "/";
}

/* Goes where a link leads: what it says comes before the rest. */
static int follow_link(struct walk *w, const char *path)
{
	char target[PATH_MAX], *rest;
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n < 0)
		return 0; /* it was one a moment ago: there is an event */
	target[n] = '\0';
	if (asprintf(&rest, "%s/%s", target, w->rest) < 0)
		return -ENOMEM;
	free(w->rest);
	w->rest = rest;
	if (target[0] == '/')
		w->at[0] = '\0';
	return 1;
}

/* What there is under a name. 1: go on; 0: the way ends here, and this is provided for. */
static int step(struct walk *w, const char *name)
{
	_cleanup_free_ char *path = NULL;
	enum watch_role role = WATCH_STEP;
	struct stat st;
	int r;

	if (asprintf(&path, "%s/%s", w->at, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	if (!map_get(w->set->by_path, path)) {
		if (lstat(path, &st) < 0)
			return add_interest(w->set, WATCH_STEP, w->item, walk_at(w), name, NULL);
		if (S_ISLNK(st.st_mode)) {
			r = add_interest(w->set, WATCH_STEP, w->item, walk_at(w), name, NULL);
			return r < 0 || ++w->n_links > LINKS_MAX ? r : follow_link(w, path);
		}
		if (!S_ISDIR(st.st_mode)) {
			/* /dev/null is written to by everybody all the time, and is not swapped. */
			if (S_ISCHR(st.st_mode))
				return 0;
			if (w->entry && S_ISREG(st.st_mode) &&
			    w->rest[strspn(w->rest, "/")] == '\0')
				role = WATCH_TARGET;
			return add_interest(w->set, role, w->item, walk_at(w), name, w->entry);
		}
	}
	r = need(w->set, w->item, path, WATCH_EVENTS_SELF, NULL);
	if (r < 0)
		return r;
	free(w->at);
	w->at = TAKE_PTR(path);
	return 1;
}

/* Walks as far as there is a way. 1: the rest is used up, at is the directory that it led to. */
static int walk_on(struct walk *w)
{
	for (;;) {
		_cleanup_free_ char *component = NULL;
		int r = next_component(w, &component);

		if (r < 0)
			return r;
		if (!component)
			return 1;
		if (streq(component, "."))
			continue;
		if (streq(component, "..")) {
			go_up(w);
			continue;
		}
		r = step(w, component);
		if (r <= 0)
			return r;
	}
}

static int follow_entry(struct watch_set *s, size_t item, const char *directory, const char *name)
{
	_cleanup_(walk_done) struct walk w = {.set = s,
					      .item = item,
					      .entry = name,
					      .at = strdup(directory),
					      .rest = strdup(name)};
	int r;

	if (!w.at || !w.rest)
		return -ENOMEM;
	r = walk_on(&w);
	return r < 0 ? r : 0;
}

static void close_directory(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

static bool is_link(int dir_fd, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return e->d_type == DT_LNK;
	return fstatat(dir_fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

static int follow_entries(struct watch_set *s, size_t item, const char *directory)
{
	_cleanup_(close_directory) DIR *dir = opendir(directory[0] ? directory : "/");
	const struct dirent *e;

	while (dir && (e = readdir(dir))) {
		int r;

		if (!watch_name_counts(s->items[item].kind, e->d_name) || !is_link(dirfd(dir), e))
			continue;
		r = follow_entry(s, item, directory, e->d_name);
		if (r < 0)
			return r;
	}
	return 0;
}

static int absolute_path(const char *path, char **ret)
{
	_cleanup_free_ char *here = NULL;

	if (path[0] != '/') {
		here = getcwd(NULL, 0);
		if (!here)
			return errno == ENOMEM ? -ENOMEM : 0;
	}
	return asprintf(ret, "%s/%s", here ? here : "", path) < 0 ? -ENOMEM : 1;
}

#ifndef __clang__
#pragma GCC diagnostic push
/* gcc 12 loses sight of what a list holds; watch_set_free() frees all of it */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

static int add_item(struct watch_set *s, const char *path)
{
	_cleanup_(walk_done) struct walk w = {.set = s, .item = s->n_items};
	int r;

	r = array_reserve(&s->items, &s->items_allocated, s->n_items + 1);
	if (r < 0)
		return r;
	s->items[s->n_items] = (struct watch_item){.path = strdup(path),
						   .kind = kind_of_directory(path)};
	if (!s->items[s->n_items++].path)
		return -ENOMEM;
	r = absolute_path(path, &w.rest);
	if (r <= 0) {
		w.rest = NULL;
		return r;
	}
	w.at = strdup("");
	if (!w.at)
		return -ENOMEM;
	r = walk_on(&w);
	if (r <= 0)
		return r;
	r = add_interest(s, WATCH_FILES, w.item, walk_at(&w), NULL, NULL);
	return r < 0 ? r : follow_entries(s, w.item, w.at);
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

int watch_set_new(const char *const *directories, struct watch_set **ret)
{
	_cleanup_(watch_set_freep) struct watch_set *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	r = map_new(&s->by_path);
	for (size_t i = 0; directories[i] && r == 0; i++)
		r = add_item(s, directories[i]);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(s);
	return 0;
}
