/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/diag.h"

/*
 * Which files take part: product sheet section 1. The same name in /etc hides the one in /run,
 * which hides the one in /usr/lib; an empty file that nobody writes, or a link to /dev/null, masks;
 * files are read in the bytewise order of their names.
 */
enum config_kind {
	CONFIG_SETTINGS,  /* svcroute.conf first, then svcroute.conf.d/<*>.conf */
	CONFIG_SERVICES,  /* services.d/<*>.cfg */
	CONFIG_ENDPOINTS, /* endpoints.d/<*>.cfg */
	_CONFIG_KIND_MAX,
};

/* What tells two contents of a path apart without reading. */
struct file_stamp {
	uint64_t device, inode, size;
	int64_t mtime_nsec, ctime_nsec;
};

struct config_entry {
	char *path; /* as shown in messages: with the root in front */
	char *name; /* file name: the key of precedence */
	enum config_kind kind;
	struct file_stamp stamp;
	/* Negative errno when it cannot be examined; it still hides what is below it. -EBUSY: it is
	 * empty, but somebody has it open for writing (file_stat_complete()): whether it masks is
	 * known when that is over. */
	int error;
};

struct config_listing {
	struct config_entry *entries; /* sorted by kind, then name */
	size_t n, allocated;
	char **directories; /* all directories that were looked into, existing or not, for the
			       watcher; the first is /etc/svcroute, or the single one */
	size_t n_directories, directories_allocated;
	bool etc_missing; /* there is no /etc/svcroute */
	/* A directory is there but cannot be read (there is an error in d): files of this kind that
	 * are not listed must not be taken for deleted. */
	bool incomplete[_CONFIG_KIND_MAX];
};
void config_listing_done(struct config_listing *l);

/*
 * Where to look. root: prefix of /etc, /run, /usr/lib (NULL or "" for none). single: a directory
 * laid out as /etc/svcroute that stands for all three places (`check DIR`); then root is not used.
 */
struct config_places {
	const char *root;
	const char *single;
};

/* Lists. Files of the wrong suffix (.conf in services.d, .cfg in svcroute.conf.d) get an error in
 * d; hidden files, names ending in ~, and other suffixes are left out silently (editors). -ENOMEM;
 * errors of directories other than absence are diagnostics. */
int config_list(const struct config_places *places, struct config_listing *ret, struct diags *d);
/* One name alone, by the same rules: what takes part under this name now. -ENOENT: nothing, or
 * masked. For a change that inotify told of, so that 10,000 files need not be looked at again. When
 * there is nothing but a directory that cannot be read, the entry has its error. */
int config_stat(const struct config_places *places, enum config_kind kind, const char *name,
		struct config_entry *ret);
void config_entry_done(struct config_entry *e);
