/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* A state directory, sets of files that are saved there, and what must be found again. */
#include <dirent.h>

#include "make-root.h"

#include "config/accepted-index.h"

/* The state directory below a root. */
#define STATE "var/lib/svcroute"
#define FOLDER STATE "/accepted"
/* of such a path, below the root */
#define LOCAL_MAX 200

/* A file with its content. text NULL: no such file, the end of a list. */
struct example {
	const char *id;
	const char *text;
	bool withheld; /* the text is not given to accepted_save() */
};
#define EXAMPLES_MAX 64

static inline size_t examples_count(const struct example *e)
{
	size_t n = 0;

	while (e[n].text)
		n++;
	return n;
}

static inline void examples_wanted(const struct example *e,
				   struct accepted_wanted wanted[EXAMPLES_MAX])
{
	for (size_t i = 0; e[i].text; i++) {
		assert_in_range(i, 0, EXAMPLES_MAX - 1);
		wanted[i] = (struct accepted_wanted){
			.file = {.id = e[i].id,
				 .path = "/etc/svcroute/services.d/x y.cfg",
				 .size = strlen(e[i].text),
				 .since_usec = 1700000000000000},
			.text = e[i].withheld ? NULL : e[i].text,
		};
		accepted_hash(e[i].text, strlen(e[i].text), wanted[i].file.hash);
	}
}

static inline int examples_try_save(const struct root *r, const struct example *e, char **ret_step)
{
	struct accepted_wanted wanted[EXAMPLES_MAX];
	char path[ROOT_PATH_MAX];

	examples_wanted(e, wanted);
	return accepted_save(root_path(r, STATE, path), wanted, examples_count(e), ret_step);
}

static inline void examples_save(const struct root *r, const struct example *e)
{
	_cleanup_free_ char *step = NULL;
	int error = examples_try_save(r, e, &step);

	if (error < 0)
		fail_msg("%s: %s", step ? step : "save", strerror(-error));
}

static inline struct accepted *examples_load(const struct root *r, struct diags *d)
{
	char path[ROOT_PATH_MAX];
	struct accepted *a = NULL;

	assert_int_equal(accepted_load(root_path(r, STATE, path), &a, d), 0);
	assert_non_null(a);
	return a;
}

/* Exactly these files are found, with these contents, and nothing is said. */
static inline void examples_check(const struct root *r, const struct example *e)
{
	_cleanup_diags_ struct diags d = {0};
	_cleanup_(accepted_freep) struct accepted *a = examples_load(r, &d);
	size_t n = 0, pos = 0;

	assert_int_equal(d.n, 0);
	while (accepted_next(a, &pos))
		n++;
	assert_int_equal(n, examples_count(e));
	for (size_t i = 0; i < n; i++) {
		const struct accepted_file *f = accepted_find(a, e[i].id);
		_cleanup_free_ char *text = NULL;
		size_t size;

		assert_non_null(f);
		assert_string_equal(f->id, e[i].id);
		assert_string_equal(f->path, "/etc/svcroute/services.d/x y.cfg");
		assert_int_equal(f->since_usec, 1700000000000000);
		assert_int_equal(accepted_read(a, f, &text, &size), 0);
		assert_int_equal(size, strlen(e[i].text));
		assert_string_equal(text, e[i].text);
	}
}

/* FOLDER/<hash of text>, SUFFIX at the end. */
static inline const char *content_path(const char *text, const char *suffix, char buf[LOCAL_MAX])
{
	uint8_t hash[ACCEPTED_HASH_SIZE];
	char name[ACCEPTED_NAME_MAX];

	accepted_hash(text, strlen(text), hash);
	(void)snprintf(buf, LOCAL_MAX, FOLDER "/%s%s", accepted_hash_format(hash, name), suffix);
	return buf;
}

static inline bool root_has(const struct root *r, const char *path)
{
	char full[ROOT_PATH_MAX];
	struct stat st;

	return lstat(root_path(r, path, full), &st) == 0;
}

/* How many entries FOLDER has, "." and ".." not counted. */
static inline size_t count_entries(const struct root *r)
{
	char full[ROOT_PATH_MAX];
	struct dirent **names;
	int n = scandir(root_path(r, FOLDER, full), &names, NULL, NULL);

	assert_true(n >= 2);
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return (size_t)n - 2;
}
