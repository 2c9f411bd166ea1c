/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/inotify.h>

#include "base/cleanup.h"
#include "base/map.h"

/*
 * What has to be watched so that no change of the configuration directories is missed: each
 * directory that is passed on the way to them and to the files that their links lead to, with what
 * matters in it.
 *
 *     /etc/svcroute -> /srv/rel/2, services.d/a.cfg -> ../../shared/a.cfg
 *
 *     /etc            "svcroute" (link)         /srv/rel/2/services.d   its files, "a.cfg" (link)
 *     /srv, /srv/rel  themselves only           /srv/shared             "a.cfg" (its content)
 *
 * A component that is missing is waited for where it would be.
 */

/* Of a directory that is only passed: that it goes. */
#define WATCH_EVENTS_SELF (IN_DELETE_SELF | IN_MOVE_SELF)
/* Of one in which names matter. */
#define WATCH_EVENTS_NAMES \
	(WATCH_EVENTS_SELF | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB)
/* Of one in which files are read. */
#define WATCH_EVENTS_FILES (WATCH_EVENTS_NAMES | IN_CLOSE_WRITE)

/* What an event in a directory means. */
enum watch_role {
	WATCH_FILES,  /* any name: the directory is one of those wanted */
	WATCH_STEP,   /* one name: a link, or missing: the way changes with it */
	WATCH_TARGET, /* one name: the file that a link in a wanted directory leads to */
};

struct watch_item {
	char *path; /* as wanted */
	int kind;   /* enum config_kind of its files, -1: the directory of svcroute.conf */
	bool polled;
	uint64_t print; /* watch_print(), if polled */
};

/* A directory with an inotify watch, or without because there is an error. */
struct watch_spot {
	char *path; /* without links in it */
	uint32_t mask;
	uint64_t items; /* that depend on it: watch_item_bit() */
	int wd;		/* -1: none */
	int error;	/* why */
	bool remote;	/* changes made elsewhere are not told of */
};

/* The last bit is for all items from there on. */
static inline uint64_t watch_item_bit(size_t item)
{
	return UINT64_C(1) << MIN_OF(item, (size_t)63);
}

struct watch_interest {
	enum watch_role role;
	struct watch_spot *spot;
	size_t item;
	int wd;	     /* of the spot */
	char *name;  /* in the spot; NULL for WATCH_FILES */
	char *entry; /* WATCH_TARGET: the name in the item */
};

struct watch_set {
	struct watch_item *items;
	size_t n_items, items_allocated;
	struct watch_spot **spots;
	size_t n_spots, spots_allocated;
	struct watch_interest *interests; /* by wd and name once armed */
	size_t n_interests, interests_allocated;
	struct map *by_path; /* spots */
};

/* Looks for all of them as things are now. directories: NULL-terminated, copied. -ENOMEM. */
int watch_set_new(const char *const *directories, struct watch_set **ret);
struct watch_set *watch_set_free(struct watch_set *s);
DEFINE_CLEANUP(struct watch_set, watch_set_free);

/*
 * Asks inotify (fd) for the watches. What fails has an error in its spot; with fd < 0 all have that
 * error. old: the set that was armed before, may be NULL. *ret_fresh: something is watched that was
 * not, or was gone by the time: what happened there meanwhile was not seen. -ENOMEM.
 */
int watch_set_arm(struct watch_set *s, int fd, const struct watch_set *old, bool *ret_fresh);
/* Takes off the watches of old that s does not need. True if there were any. */
bool watch_set_drop(const struct watch_set *s, int fd, const struct watch_set *old);

/* The interests in a name of a watch (NULL: in any name): the first, and how many. */
size_t watch_set_find(const struct watch_set *s, int wd, const char *name,
		      const struct watch_interest **ret);
/* Whether any directory has this watch. */
bool watch_set_has(const struct watch_set *s, int wd);
/* The spot of a path, NULL if there is none. */
const struct watch_spot *watch_set_spot(const struct watch_set *s, const char *path);

/* Whether a name in a directory of this kind is that of a configuration file, even if it is one
 * that belongs elsewhere. */
bool watch_name_counts(int kind, const char *name);
