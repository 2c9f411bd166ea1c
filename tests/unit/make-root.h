/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* A scratch root directory with etc/svcroute, run/svcroute and usr/lib/svcroute below it. */
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
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

#define ROOT_PATH_MAX 600

struct root {
	char path[64];
};

static inline void root_make(struct root *r)
{
	(void)snprintf(r->path, sizeof(r->path), "/tmp/svcroute-test-XXXXXX");
	assert_non_null(mkdtemp(r->path));
}

static inline int root_remove_entry(const char *path, const struct stat *st, int type,
				    struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void root_remove(struct root *r)
{
	assert_int_equal(nftw(r->path, root_remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline const char *root_path(const struct root *r, const char *path, char buf[ROOT_PATH_MAX])
{
	(void)snprintf(buf, ROOT_PATH_MAX, "%s/%s", r->path, path);
	return buf;
}

/* The directory of a path, with all above it. */
static inline void root_make_parents(const struct root *r, const char *path)
{
	char full[ROOT_PATH_MAX];

	(void)root_path(r, path, full);
	*strrchr(full, '/') = '\0';
	assert_int_equal(file_make_dirs(full, 0755), 0);
}

/* Written in place, so that the inode stays. */
static inline void root_write(const struct root *r, const char *path, const char *text)
{
	char full[ROOT_PATH_MAX];
	FILE *f;

	root_make_parents(r, path);
	f = fopen(root_path(r, path, full), "we");
	if (!f)
		fail_msg("%s: %s", full, strerror(errno));
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static inline void root_unlink(const struct root *r, const char *path)
{
	char full[ROOT_PATH_MAX];

	if (remove(root_path(r, path, full)) < 0)
		fail_msg("%s: %s", full, strerror(errno));
}

static inline void root_rename(const struct root *r, const char *from, const char *to)
{
	char old[ROOT_PATH_MAX], new[ROOT_PATH_MAX];

	if (rename(root_path(r, from, old), root_path(r, to, new)) < 0)
		fail_msg("%s: %s", old, strerror(errno));
}

static inline void root_symlink(const struct root *r, const char *target, const char *path)
{
	char full[ROOT_PATH_MAX];

	root_make_parents(r, path);
	if (symlink(target, root_path(r, path, full)) < 0)
		fail_msg("%s: %s", full, strerror(errno));
}
