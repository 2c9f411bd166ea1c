/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/accepted.h"

#include <errno.h>
#include <string.h>

#include "config/accepted-folder.h"

struct accepted {
	int fd; /* DIR/accepted; -1 when there is none */
	struct accepted_index index;
};

struct accepted *accepted_free(struct accepted *a)
{
	if (!a)
		return NULL;
	if (a->fd >= 0)
		(void)close(a->fd);
	accepted_index_done(&a->index);
	free(a);
	return NULL;
}

static bool is_corrupt(int r)
{
	return r == -EBADMSG || r == -EOPNOTSUPP;
}

/*
 * Puts a corrupt index aside. Another program may have saved a good one meanwhile: it is looked at
 * once more under the lock, and a good one is taken. 0: there is a good one after all; else what is
 * wrong with it, with *ret_aside saying whether it was put aside.
 */
static int set_index_aside(struct accepted *a, const char **ret_reason, bool *ret_aside)
{
	int r;

	*ret_aside = false;
	if (accepted_folder_lock(a->fd, 0) < 0)
		return -EBADMSG;
	r = accepted_folder_read_index(a->fd, &a->index, NULL, NULL, ret_reason);
	if (is_corrupt(r))
		*ret_aside = accepted_folder_put_aside(a->fd, ACCEPTED_INDEX) == 0;
	accepted_folder_unlock(a->fd);
	return r;
}

/* Reads the index of an open directory; what cannot be read becomes a warning. */
static int load_index(struct accepted *a, const struct place *at, struct diags *d)
{
	const char *reason = NULL;
	bool aside = false;
	int r;

	r = accepted_folder_read_index(a->fd, &a->index, NULL, NULL, &reason);
	if (is_corrupt(r))
		r = set_index_aside(a, &reason, &aside);
	if (is_corrupt(r))
		diags_add(d, DIAG_WARNING, at, NULL, NULL, NULL, NULL,
			  "%s; %s, no last good content is known", reason,
			  aside ? "put aside as " ACCEPTED_INDEX ".bad" : "ignored");
	else if (r < 0 && r != -ENOENT && r != -ENOMEM)
		diags_add(d, DIAG_WARNING, at, NULL, NULL, NULL, NULL,
			  "cannot be read: %s; no last good content is known", strerror(-r));
	return r == -ENOMEM ? r : 0;
}

int accepted_load(const char *directory, struct accepted **ret, struct diags *d)
{
	_cleanup_(accepted_freep) struct accepted *a = calloc(1, sizeof(*a));
	_cleanup_strbuf_ struct strbuf path = {0};
	struct place at = {0};
	int r;

	if (!a)
		return -ENOMEM;
	a->fd = -1;
	strbuf_addf(&path, "%s/" ACCEPTED_FOLDER, directory);
	r = accepted_folder_open(directory, &a->fd);
	if (r == 0)
		strbuf_add(&path, "/" ACCEPTED_INDEX);
	if (strbuf_error(&path) < 0)
		return -ENOMEM;
	at.file = strbuf_text(&path);
	if (r == 0)
		r = load_index(a, &at, d);
	else if (r != -ENOENT)
		diags_add(d, DIAG_WARNING, &at, NULL, NULL, NULL, NULL,
			  "cannot be opened: %s; no last good content is known", strerror(-r));
	if (r == -ENOMEM || d->error < 0)
		return -ENOMEM;
	*ret = TAKE_PTR(a);
	return 0;
}

const struct accepted_file *accepted_find(const struct accepted *a, const char *id)
{
	struct accepted_file key = {.id = id};

	if (a->index.n == 0)
		return NULL;
	return bsearch(&key, a->index.files, a->index.n, sizeof(key), accepted_file_compare);
}

const struct accepted_file *accepted_next(const struct accepted *a, size_t *pos)
{
	return *pos < a->index.n ? &a->index.files[(*pos)++] : NULL;
}

/* As with the index: only what is still bad under the lock is put aside. */
static void set_content_aside(const struct accepted *a, const struct accepted_file *f)
{
	_cleanup_free_ char *text = NULL;
	char name[ACCEPTED_NAME_MAX];

	if (accepted_folder_lock(a->fd, 0) < 0)
		return;
	if (accepted_folder_read_content(a->fd, f->hash, f->size, &text) == -EBADMSG)
		(void)accepted_folder_put_aside(a->fd, accepted_hash_format(f->hash, name));
	accepted_folder_unlock(a->fd);
}

int accepted_read(const struct accepted *a, const struct accepted_file *f, char **ret_text,
		  size_t *ret_size)
{
	int r;

	if (a->fd < 0)
		return -ENOENT;
	r = accepted_folder_read_content(a->fd, f->hash, f->size, ret_text);
	if (r == -EBADMSG)
		set_content_aside(a, f);
	if (r < 0)
		return r;
	*ret_size = f->size;
	return 0;
}
