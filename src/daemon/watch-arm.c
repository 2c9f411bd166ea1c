/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/vfs.h>

#include "daemon/watch-set.h"

/* The half of a watch set that talks to the kernel, and what finds its way back from there. */

const struct watch_spot *watch_set_spot(const struct watch_set *s, const char *path)
{
	return map_get(s->by_path, path);
}

/* File systems whose files others can change without this kernel being told: network file systems,
 * FUSE, and overlays, whose lower layers may be changed directly. Numbers: statfs(2). */
static bool is_remote(const char *path)
{
	static const uint32_t types[] = {
		0x6969,	    /* NFS */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB2 */
		0x517b,	    /* SMB */
		0x65735546, /* FUSE */
		0x01021997, /* 9P */
		0x00c36400, /* Ceph */
		0x5346414f, /* OpenAFS */
		0x6b414653, /* AFS */
		0x73757245, /* Coda */
		0x01161970, /* GFS2 */
		0x7461636f, /* OCFS2 */
		0x0bd00bd0, /* Lustre */
		0x786f4256, /* folders of a VirtualBox host */
		0x794c7630, /* overlay */
	};
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return false;
	for (size_t i = 0; i < ELEMENTSOF(types); i++)
		if ((uint32_t)fs.f_type == types[i])
			return true;
	return false;
}

static int add_watch(int fd, const struct watch_spot *spot, uint32_t how)
{
	int wd = inotify_add_watch(fd, spot->path, spot->mask | how | IN_ONLYDIR | IN_DONT_FOLLOW);

	return wd < 0 ? -errno : wd;
}

static int compare_interest(const struct watch_interest *i, int wd, const char *name)
{
	if (i->wd != wd)
		return i->wd < wd ? -1 : 1;
	if (!i->name || !name)
		return (i->name != NULL) - (name != NULL);
	return strcmp(i->name, name);
}

static int compare_interests(const void *left, const void *right)
{
	const struct watch_interest *b = right;

	return compare_interest(left, b->wd, b->name);
}

/* One that went between looking and watching has to be looked for again: that is news, too. */
static bool is_gone(int error)
{
	return error == -ENOENT || error == -ENOTDIR || error == -ELOOP;
}

static bool is_fresh(const struct watch_spot *spot, const struct watch_spot *before)
{
	if (spot->wd < 0)
		return is_gone(spot->error);
	return !before || before->wd != spot->wd || (spot->mask & ~before->mask);
}

/* Adds to the masks that are there: nothing may be missed meanwhile. Two paths of one directory
 * (bind mounts) have one watch, which needs what both need. */
static int add_watches(struct watch_set *s, int fd)
{
	_cleanup_(map_freep) struct map *by_wd = NULL;
	size_t i;
	int r;

	r = map_new(&by_wd);
	for (i = 0; i < s->n_spots && r == 0; i++) {
		struct watch_spot *spot = s->spots[i], *first;
		int wd = fd < 0 ? fd : add_watch(fd, spot, IN_MASK_ADD);

		if (wd < 0) {
			spot->error = wd;
			continue;
		}
		spot->wd = wd;
		first = map_get_bytes(by_wd, &wd, sizeof(wd));
		if (first)
			first->mask |= spot->mask;
		else
			r = map_put_bytes(by_wd, &wd, sizeof(wd), spot);
	}
	for (i = 0; i < s->n_spots && r == 0; i++) {
		struct watch_spot *spot = s->spots[i];

		if (spot->wd >= 0)
			spot->mask = ((const struct watch_spot *)map_get_bytes(by_wd, &spot->wd,
									       sizeof(spot->wd)))
					     ->mask;
	}
	return r;
}

int watch_set_arm(struct watch_set *s, int fd, const struct watch_set *old, bool *ret_fresh)
{
	bool fresh = false;
	size_t i;
	int r;

	r = add_watches(s, fd);
	if (r < 0)
		return r;
	for (i = 0; i < s->n_spots && fd >= 0; i++) {
		struct watch_spot *spot = s->spots[i];
		const struct watch_spot *before = old ? watch_set_spot(old, spot->path) : NULL;

		fresh |= is_fresh(spot, before);
		/* Now that no event can be missed: those that are no longer wanted go. */
		if (spot->wd >= 0 && before && before->wd == spot->wd &&
		    (before->mask & ~spot->mask))
			(void)add_watch(fd, spot, 0);
	}
	for (i = 0; i < s->n_spots; i++)
		s->spots[i]->remote = s->spots[i]->mask != WATCH_EVENTS_SELF &&
				      is_remote(s->spots[i]->path);
	for (i = 0; i < s->n_interests; i++)
		s->interests[i].wd = s->interests[i].spot->wd;
	if (s->n_interests)
		qsort(s->interests, s->n_interests, sizeof(*s->interests), compare_interests);
	*ret_fresh = fresh;
	return 0;
}

bool watch_set_has(const struct watch_set *s, int wd)
{
	for (size_t i = 0; i < s->n_spots; i++)
		if (s->spots[i]->wd == wd)
			return true;
	return false;
}

bool watch_set_drop(const struct watch_set *s, int fd, const struct watch_set *old)
{
	bool dropped = false;

	for (size_t i = 0; i < old->n_spots; i++) {
		int wd = old->spots[i]->wd;

		if (wd < 0 || watch_set_has(s, wd))
			continue;
		(void)inotify_rm_watch(fd, wd);
		dropped = true;
	}
	return dropped;
}

size_t watch_set_find(const struct watch_set *s, int wd, const char *name,
		      const struct watch_interest **ret)
{
	size_t low = 0, high = s->n_interests, n = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_interest(&s->interests[middle], wd, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + n < s->n_interests && compare_interest(&s->interests[low + n], wd, name) == 0)
		n++;
	*ret = s->interests + low;
	return n;
}
