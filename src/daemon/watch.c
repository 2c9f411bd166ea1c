/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>

#include "base/array.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "daemon/watch-poll.h"
#include "daemon/watch-set.h"

/*
 *   inotify ---- name -----------------------------> told of the name
 *           ---- way changed, overflow ---.
 *   mounts  ---- armed anew, differs -----+--------> told of all; the answer is
 *   timer   ---- print differs -----------'          watch_set_directories()
 *
 * The timer runs only while there is a directory that is not watched, or not wholly.
 */

/* Between two looks at what is not watched; and after how many of them inotify is tried again. */
#define POLL_USEC (5 * USEC_PER_SEC)
#define POLLS_PER_RETRY 12

/* How often a set is armed in a row when the directories change all the time. */
#define ROUNDS_MAX 8

struct watch {
	sd_event *event;
	int fd;	    /* of inotify, -1: none */
	int mounts; /* -1: not followed */
	sd_event_source *source, *mounts_source, *timer;
	watch_fn fn;
	void *userdata;
	struct watch_set *set;
	uint64_t mounts_print;
	unsigned n_polls; /* since inotify was tried */
	bool tell_again;  /* at the next poll */
	char *trouble;
	struct config_change *changes; /* of one batch of events */
	size_t n_changes, changes_allocated;
};

struct watch *watch_free(struct watch *w)
{
	if (!w)
		return NULL;
	sd_event_source_disable_unref(w->source);
	sd_event_source_disable_unref(w->mounts_source);
	sd_event_source_disable_unref(w->timer);
	sd_event_unref(w->event);
	if (w->fd >= 0)
		(void)close(w->fd);
	if (w->mounts >= 0)
		(void)close(w->mounts);
	watch_set_free(w->set);
	free(w->trouble);
	free(w->changes);
	free(w);
	return NULL;
}

DEFINE_CLEANUP(struct watch, watch_free);

/* Events */

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

/* True: anything may have changed. */
static bool tell_name(struct watch *w, const struct watch_item *item, const char *name)
{
	enum config_kind kind = item->kind < 0 ? CONFIG_SETTINGS : (enum config_kind)item->kind;

	return add_change(w, kind, name) < 0;
}

enum look { LOOK_COMPLETE, LOOK_BEGUN, LOOK_LINK };

/* A regular file that was just created is still being written: its close will tell. Nothing tells
 * of one that was made under another name, or without one, and linked then. (Of a writer that has
 * written something already the close comes later.) */
static enum look look_at(const char *directory, const char *name)
{
	_cleanup_free_ char *path = NULL;
	struct stat st;

	if (asprintf(&path, "%s/%s", directory, name) < 0) {
		path = NULL;
		return LOOK_COMPLETE;
	}
	if (lstat(path, &st) < 0)
		return LOOK_BEGUN;
	if (S_ISLNK(st.st_mode))
		return LOOK_LINK;
	if (!S_ISREG(st.st_mode) || st.st_nlink > 1 || st.st_size > 0)
		return LOOK_COMPLETE;
	return file_stat_complete(AT_FDCWD, path, &st) == 0 ? LOOK_COMPLETE : LOOK_BEGUN;
}

static bool is_only_created(const struct inotify_event *e)
{
	return (e->mask & IN_CREATE) && !(e->mask & IN_ISDIR);
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && streq(text + n - m, end);
}

/* A name that is none of a configuration file, but stands for many. */
static bool stands_for_all(int kind, const char *name)
{
	if (kind < 0)
		return ends_in(name, ".d");
	/* "..data" is how containers swap a whole directory of links at once. */
	return name[0] == '.' && name[1] == '.';
}

static bool handle_content(struct watch *w, const struct watch_item *item,
			   const struct inotify_event *e, const char *name)
{
	enum look look;

	if (!watch_name_counts(item->kind, name))
		return stands_for_all(item->kind, name);
	/* A file in the wrong directory is told of when all are listed. */
	if (!ends_in(name, item->kind == CONFIG_SERVICES || item->kind == CONFIG_ENDPOINTS
				   ? ".cfg"
				   : ".conf"))
		return true;
	if (e->mask & (IN_DELETE | IN_MOVED_FROM))
		return tell_name(w, item, name);
	look = look_at(item->path, name);
	if (look == LOOK_LINK)
		return true; /* where it leads has to be watched */
	if (look == LOOK_BEGUN && is_only_created(e))
		return false;
	return tell_name(w, item, name);
}

static bool handle_interest(struct watch *w, const struct watch_interest *i,
			    const struct inotify_event *e, const char *name)
{
	const struct watch_item *item = &w->set->items[i->item];

	switch (i->role) {
	case WATCH_FILES:
		/* Without a name it is the directory itself: its mode, for instance. */
		return name[0] ? handle_content(w, item, e, name) : (e->mask & IN_ATTRIB) != 0;
	case WATCH_TARGET:
		if (is_only_created(e) && look_at(i->spot->path, name) == LOOK_BEGUN)
			return false;
		/* The content alone changed: the way to it did not. */
		if (!(e->mask & ~(uint32_t)(IN_CLOSE_WRITE | IN_ATTRIB)))
			return tell_name(w, item, i->entry);
		return true;
	case WATCH_STEP:
	default:
		return true;
	}
}

/* True: anything may have changed. */
static bool handle(struct watch *w, const struct inotify_event *e)
{
	const char *name = e->len ? e->name : "";
	const struct watch_interest *found;
	bool all = false;
	size_t n, i;

	if (e->mask & IN_Q_OVERFLOW)
		return true;
	if (!w->set)
		return false;
	if (e->mask & (IN_IGNORED | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF))
		return watch_set_has(w->set, e->wd);
	n = watch_set_find(w->set, e->wd, NULL, &found);
	for (i = 0; i < n; i++)
		all |= handle_interest(w, &found[i], e, name);
	n = name[0] ? watch_set_find(w->set, e->wd, name, &found) : 0;
	for (i = 0; i < n && !all; i++)
		all |= handle_interest(w, &found[i], e, name);
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

/* What cannot be watched */

static void set_trouble(struct watch *w, char *text)
{
	if (text && !(w->trouble && streq(w->trouble, text)))
		log_warning("%s; looking every %u s for changes that it would tell of, and trying "
			    "again",
			    text, (unsigned)(POLL_USEC / USEC_PER_SEC));
	if (!text && w->trouble)
		log_notice("all configuration files are watched again");
	free(w->trouble);
	w->trouble = text;
}

static char *describe(int error, const char *path)
{
	char *text;
	int n;

	if (error == -EMFILE && !path)
		n = asprintf(&text, "files cannot be watched: the sysctl "
				    "fs.inotify.max_user_instances (or the limit of open files) is "
				    "reached");
	else if (error == -ENOSPC)
		n = asprintf(&text, "not all files can be watched: the sysctl "
				    "fs.inotify.max_user_watches is reached");
	else
		n = asprintf(&text, "%s cannot be watched: %s", path ? path : "files",
			     strerror(-error));
	return n < 0 ? NULL : text;
}

/* Without memory for the words nothing is said. */
static void note_trouble(struct watch *w, int error)
{
	const struct watch_spot *worst = NULL;

	for (size_t i = 0; w->fd >= 0 && i < w->set->n_spots; i++) {
		const struct watch_spot *spot = w->set->spots[i];

		/* One that is only passed may well be closed to us. */
		if (spot->wd >= 0 || (spot->mask == WATCH_EVENTS_SELF && spot->error == -EACCES))
			continue;
		if (!worst || spot->error == -ENOSPC)
			worst = spot;
	}
	if (w->fd < 0)
		set_trouble(w, describe(error, NULL));
	else
		set_trouble(w, worst ? describe(worst->error, worst->path) : NULL);
}

const char *watch_trouble(const struct watch *w)
{
	return w->trouble;
}

/* 0 if there is inotify, be it since now. */
static int open_inotify(struct watch *w)
{
	int r;

	if (w->fd >= 0)
		return 0;
	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->fd < 0)
		return -errno;
	r = sd_event_add_io(w->event, &w->source, w->fd, EPOLLIN, on_readable, w);
	if (r < 0) {
		(void)close(w->fd);
		w->fd = -1;
	}
	return r < 0 ? r : 0;
}

/* Marks the items that need polling; true if there is one that did not before. What its print is
 * later compared with is taken now. */
static bool mark_polled(const struct watch_set *set, const struct watch_set *old)
{
	uint64_t bits = 0;
	bool news = false;
	size_t i;

	for (i = 0; i < set->n_spots; i++)
		if (set->spots[i]->wd < 0 || set->spots[i]->remote)
			bits |= set->spots[i]->items;
	for (i = 0; i < set->n_items; i++) {
		struct watch_item *item = &set->items[i];
		const struct watch_item *before = old && i < old->n_items ? &old->items[i] : NULL;

		item->polled = (bits & watch_item_bit(i)) != 0;
		if (before && before->polled && streq(before->path, item->path)) {
			item->print = before->print;
		} else if (item->polled) {
			item->print = watch_print(item);
			news = true;
		}
	}
	return news;
}

static void set_timer(struct watch *w)
{
	bool wanted = w->trouble != NULL;
	uint64_t now;
	int enabled;

	for (size_t i = 0; i < w->set->n_items; i++)
		wanted |= w->set->items[i].polled;
	if (sd_event_source_get_enabled(w->timer, &enabled) < 0 ||
	    wanted == (enabled != SD_EVENT_OFF))
		return;
	if (wanted && sd_event_now(w->event, CLOCK_BOOTTIME, &now) >= 0)
		(void)sd_event_source_set_time(w->timer, now + POLL_USEC);
	(void)sd_event_source_set_enabled(w->timer, wanted ? SD_EVENT_ON : SD_EVENT_OFF);
}

/* directories NULL: the same as before. */
static int new_set(const struct watch *w, const char *const *directories, struct watch_set **ret)
{
	_cleanup_free_ const char **same = NULL;

	if (directories)
		return watch_set_new(directories, ret);
	same = calloc(w->set->n_items + 1, sizeof(*same));
	if (!same)
		return -ENOMEM;
	for (size_t i = 0; i < w->set->n_items; i++)
		same[i] = w->set->items[i].path;
	return watch_set_new(same, ret);
}

/* Looks for what has to be watched, until there is no more news from that. */
static int arm(struct watch *w, const char *const *directories, bool *ret_fresh)
{
	bool fresh = true, any = false;
	int error, r;

	error = open_inotify(w);
	w->n_polls = 0;
	for (int round = 0; fresh && round < ROUNDS_MAX; round++) {
		_cleanup_(watch_set_freep) struct watch_set *set = NULL;
		/* Of before: a mount that comes now is then told of, and differs. */
		_cleanup_free_ char *mounts = watch_mounts();

		r = new_set(w, directories, &set);
		if (r == 0)
			r = watch_set_arm(set, w->fd < 0 ? error : w->fd, w->set, &fresh);
		if (r < 0)
			return r;
		/* Watches given back may be what was missing. */
		if (w->set && watch_set_drop(set, w->fd, w->set))
			fresh |= w->trouble != NULL;
		any |= fresh | mark_polled(set, w->set);
		watch_set_free(w->set);
		w->set = TAKE_PTR(set);
		w->mounts_print = mounts ? watch_mounts_print(w->set, mounts) : 0;
	}
	note_trouble(w, error);
	set_timer(w);
	*ret_fresh = any;
	return 0;
}

/* Arms anew, without being asked; true if there is something to look at. */
static bool rearm(struct watch *w)
{
	bool fresh = false;

	/* Without memory: let the one try who can tell of it. */
	return w->set && (arm(w, NULL, &fresh) < 0 || fresh);
}

static void tell_all(struct watch *w)
{
	w->fn(w->userdata, NULL, 0, true);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct watch *w = userdata;
	bool changed = false, again = w->tell_again;
	uint64_t now = usec;

	w->tell_again = false;
	/* Not to be late once and then early: what was missed, as in a suspend, is not made up. */
	(void)sd_event_now(w->event, CLOCK_BOOTTIME, &now);
	(void)sd_event_source_set_time(source, now + POLL_USEC);
	if (w->trouble && ++w->n_polls >= POLLS_PER_RETRY)
		changed = rearm(w);
	for (size_t i = 0; w->set && i < w->set->n_items; i++) {
		struct watch_item *item = &w->set->items[i];
		uint64_t print = item->polled ? watch_print(item) : item->print;

		/* Two writes in one tick of the file system's clock may look the same: once more.
		 */
		w->tell_again |= print != item->print;
		item->print = print;
	}
	if (changed || again || w->tell_again)
		tell_all(w);
	return 0;
}

/* What is mounted over a directory or a file, or taken off it, inotify does not see. */
static int on_mounts(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	_cleanup_free_ char *mounts = watch_mounts();
	struct watch *w = userdata;

	(void)source;
	(void)fd;
	(void)revents;
	if (!w->set || (mounts && watch_mounts_print(w->set, mounts) == w->mounts_print))
		return 0;
	(void)rearm(w);
	tell_all(w);
	return 0;
}

/* Not worth failing for. */
static void follow_mounts(struct watch *w)
{
	w->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (w->mounts < 0)
		return;
	if (sd_event_add_io(w->event, &w->mounts_source, w->mounts, EPOLLPRI, on_mounts, w) >= 0)
		/* A host that starts many containers has many mounts. */
		(void)sd_event_source_set_ratelimit(w->mounts_source, USEC_PER_SEC, 5);
}

int watch_new(sd_event *event, watch_fn fn, void *userdata, struct watch **ret)
{
	_cleanup_(watch_freep) struct watch *w = NULL;
	int r;

	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->fd = w->mounts = -1;
	w->event = sd_event_ref(event);
	w->fn = fn;
	w->userdata = userdata;
	/* Also while this host is suspended time passes, and files change. */
	r = sd_event_add_time(event, &w->timer, CLOCK_BOOTTIME, UINT64_MAX, USEC_PER_SEC, on_timer,
			      w);
	if (r >= 0)
		r = sd_event_source_set_enabled(w->timer, SD_EVENT_OFF);
	if (r < 0)
		return r;
	follow_mounts(w);
	*ret = TAKE_PTR(w);
	return 0;
}

int watch_set_directories(struct watch *w, const char *const *directories, bool *ret_look_again)
{
	return arm(w, directories, ret_look_again);
}
