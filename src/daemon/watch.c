/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "base/array.h"

/*
 * One inotify watch per existing directory. In place of a missing one its nearest existing ancestor
 * is watched for the next component of the path:
 *
 *     /etc/svcroute/services.d missing, /etc/svcroute missing:  /etc is watched for "svcroute"
 *
 * A directory that is a symbolic link has both: its files, and the link itself from above.
 */
struct watched {
	char *path; /* of the directory wanted */
	int wd;	    /* of it, or of the ancestor */
	bool exists;
	char *next;	       /* ancestor only: the component that is missing */
	int link_wd;	       /* where the link stands, -1: it is none */
	const char *link_name; /* in path */
	int kind; /* enum config_kind of its files, -1: the directory of svcroute.conf */
};

struct watch {
	int fd;
	sd_event_source *source;
	watch_fn fn;
	void *userdata;
	struct watched *items;
	size_t n;
	struct config_change *changes; /* of one batch of events */
	size_t n_changes, changes_allocated;
};

#define EVENTS_FILES                                                                        \
	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_ATTRIB | \
	 IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
#define EVENTS_ANCESTOR                                                                     \
	(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | \
	 IN_MOVE_SELF | IN_ONLYDIR)

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

static const char *suffix_of(int kind)
{
	return kind == CONFIG_SETTINGS ? ".conf" : ".cfg";
}

static void free_items(struct watched *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(items[i].path);
		free(items[i].next);
	}
	free(items);
}

struct watch *watch_free(struct watch *w)
{
	if (!w)
		return NULL;
	sd_event_source_disable_unref(w->source);
	if (w->fd >= 0)
		(void)close(w->fd);
	free_items(w->items, w->n);
	free(w->changes);
	free(w);
	return NULL;
}

DEFINE_CLEANUP(struct watch, watch_free);

static int add_change(struct watch *w, enum config_kind kind, const char *name)
{
	size_t i;
	int r;

	if (strlen(name) >= sizeof(w->changes[0].name))
		return 0;
	/* An editor makes several events of one save. */
	for (i = w->n_changes > 8 ? w->n_changes - 8 : 0; i < w->n_changes; i++)
		if (w->changes[i].kind == kind && streq(w->changes[i].name, name))
			return 0;
	r = array_reserve(&w->changes, &w->changes_allocated, w->n_changes + 1);
	if (r < 0)
		return r;
	w->changes[w->n_changes].kind = kind;
	memcpy(w->changes[w->n_changes].name, name, strlen(name) + 1);
	w->n_changes++;
	return 0;
}

/* A regular file that was just created is still being written: its close will tell. A link is
 * complete at once; of a file that was made without a name and linked then, nothing tells but its
 * size. (A writer that already wrote something looks the same; its close comes later.) */
static bool complete_at_creation(const struct watched *d, const char *name)
{
	_cleanup_free_ char *path = NULL;
	struct stat st;

	if (asprintf(&path, "%s/%s", d->path, name) < 0) {
		path = NULL;
		return true;
	}
	if (lstat(path, &st) < 0)
		return false;
	return !S_ISREG(st.st_mode) || st.st_nlink > 1 || st.st_size > 0;
}

/* One event for one directory. True: anything may have changed. */
static bool handle_for(struct watch *w, const struct watched *d, const struct inotify_event *e)
{
	const char *name = e->len ? e->name : "";

	if (e->mask & (IN_IGNORED | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF))
		return true;
	if (d->link_wd == e->wd && streq(name, d->link_name))
		return true;
	if (d->wd != e->wd)
		return false;
	if (!d->exists)
		return streq(name, d->next);
	if (e->mask & IN_CREATE && !(e->mask & IN_ISDIR) && !complete_at_creation(d, name))
		return false;
	if (d->kind < 0) {
		if (streq(name, "svcroute.conf"))
			return add_change(w, CONFIG_SETTINGS, name) < 0;
		return ends_in(name, ".d");
	}
	/* "..data" is how containers swap a whole directory of links at once. */
	if (name[0] == '.' && name[1] == '.')
		return true;
	if (name[0] == '\0')
		return (e->mask & IN_ATTRIB) != 0;
	if (name[0] == '.')
		return false;
	if (ends_in(name, suffix_of(d->kind)))
		return add_change(w, (enum config_kind)d->kind, name) < 0;
	/* A file in the wrong directory is told of when all are listed. */
	return ends_in(name, ".cfg") || ends_in(name, ".conf");
}

static bool handle(struct watch *w, const struct inotify_event *e)
{
	bool all = false;
	size_t i;

	if (e->mask & IN_Q_OVERFLOW)
		return true;
	/* Several directories can share the watch of one ancestor. */
	for (i = 0; i < w->n; i++)
		if (w->items[i].wd == e->wd || w->items[i].link_wd == e->wd)
			all |= handle_for(w, &w->items[i], e);
	return all;
}

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	_Alignas(struct inotify_event) char buf[65536];
	struct watch *w = userdata;
	bool all = false;
	ssize_t n;

	(void)source;
	(void)revents;
	w->n_changes = 0;
	n = read(fd, buf, sizeof(buf));
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	for (char *p = buf; p < buf + n;) {
		const struct inotify_event *e = (const struct inotify_event *)(const void *)p;

		all |= handle(w, e);
		p += sizeof(*e) + e->len;
	}
	if (all || w->n_changes)
		w->fn(w->userdata, w->changes, w->n_changes, all);
	return 0;
}

int watch_new(sd_event *event, watch_fn fn, void *userdata, struct watch **ret)
{
	_cleanup_(watch_freep) struct watch *w = NULL;
	int r;

	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->fn = fn;
	w->userdata = userdata;
	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->fd < 0)
		return -errno;
	r = sd_event_add_io(event, &w->source, w->fd, EPOLLIN, on_readable, w);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(w);
	return 0;
}

/* Cuts the last component off and returns it; NULL at the root. Of "/x" the rest is "". */
static char *cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash)
		return NULL;
	*slash = '\0';
	return slash + 1;
}

/* Watches the directory, or the nearest ancestor that exists. */
static int arm_once(struct watch *w, const char *path, struct watched *ret)
{
	_cleanup_free_ char *at = strdup(path), *next = NULL;

	if (!at)
		return -ENOMEM;
	for (;;) {
		const char *last;
		int wd = inotify_add_watch(w->fd, at[0] ? at : "/",
					   (next ? EVENTS_ANCESTOR : EVENTS_FILES) | IN_MASK_ADD);

		if (wd >= 0) {
			ret->wd = wd;
			ret->exists = !next;
			free(ret->next);
			ret->next = TAKE_PTR(next);
			return 0;
		}
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ELOOP)
			return -errno;
		last = cut_last(at);
		if (!last)
			return -ENOENT;
		free(next);
		next = strdup(last);
		if (!next)
			return -ENOMEM;
	}
}

/* The link is watched from above, or the old target would be followed for ever. */
static int arm_link(struct watch *w, struct watched *d)
{
	_cleanup_free_ char *at = NULL;
	const char *last;
	struct stat st;

	d->link_wd = -1;
	if (!d->exists || lstat(d->path, &st) < 0 || !S_ISLNK(st.st_mode))
		return 0;
	at = strdup(d->path);
	if (!at)
		return -ENOMEM;
	last = cut_last(at);
	if (!last)
		return 0;
	d->link_name = d->path + (last - at);
	d->link_wd = inotify_add_watch(w->fd, at[0] ? at : "/", EVENTS_ANCESTOR | IN_MASK_ADD);
	return d->link_wd < 0 ? -errno : 0;
}

static int arm(struct watch *w, struct watched *d)
{
	int r = 0;

	/* What appeared between looking for it and watching its ancestor gave no event, so look
	 * again; some things are there and cannot be watched, so not for ever. */
	for (int tries = 0; tries < 3; tries++) {
		struct stat st;

		r = arm_once(w, d->path, d);
		if (r < 0 || d->exists || stat(d->path, &st) < 0 || !S_ISDIR(st.st_mode))
			break;
	}
	return r < 0 ? r : arm_link(w, d);
}

static const struct watched *find(const struct watch *w, const char *path)
{
	for (size_t i = 0; i < w->n; i++)
		if (streq(w->items[i].path, path))
			return &w->items[i];
	return NULL;
}

/* Watches that no directory needs any more are taken off. */
static void drop_unused(struct watch *w, const struct watched *new, size_t n_new)
{
	for (size_t i = 0; i < 2 * w->n; i++) {
		const struct watched *old = &w->items[i / 2];
		int wd = i % 2 ? old->link_wd : old->wd;
		bool used = wd < 0;

		for (size_t j = 0; j < n_new; j++)
			used |= new[j].wd == wd || new[j].link_wd == wd;
		if (!used)
			(void)inotify_rm_watch(w->fd, wd);
	}
}

int watch_set_directories(struct watch *w, const char *const *directories, bool *ret_look_again)
{
	struct watched *new;
	size_t n = 0, i;
	bool look_again = false;
	int r = 0, first_error = 0;

	for (i = 0; directories[i]; i++)
		continue;
	new = calloc(i + 1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	for (i = 0; directories[i]; i++) {
		const struct watched *old = find(w, directories[i]);

		new[n].path = strdup(directories[i]);
		if (!new[n].path) {
			r = -ENOMEM;
			break;
		}
		new[n].kind = kind_of_directory(directories[i]);
		r = arm(w, &new[n]);
		if (r < 0) {
			free(new[n].path);
			free(new[n].next);
			new[n] = (struct watched){0};
			if (r == -ENOMEM)
				break;
			first_error = first_error ? first_error : r;
			continue;
		}
		if (new[n].exists && (!old || !old->exists || old->wd != new[n].wd))
			look_again = true;
		n++;
	}
	if (r == -ENOMEM) {
		free_items(new, n);
		return r;
	}
	drop_unused(w, new, n);
	free_items(w->items, w->n);
	w->items = new;
	w->n = n;
	*ret_look_again = look_again;
	return first_error;
}
