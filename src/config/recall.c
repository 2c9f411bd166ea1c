/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * What was in force before the start, and what is to be remembered of what is in force now. Only
 * the first refresh looks back: a file that goes missing later was deleted, and one that breaks
 * later has its last good content in memory.
 */
#include <errno.h>
#include <stdlib.h>

#include "config/config-internal.h"

int config_set_state(struct config *c, const char *directory)
{
	char *copy = strdup(directory);

	if (!copy)
		return -ENOMEM;
	free(c->state);
	c->state = copy;
	return 0;
}

int config_recall_open(struct config *c)
{
	if (!c->state || c->accepted || c->settings)
		return 0;
	diags_done(&c->recall_problems);
	c->recall_problems = (struct diags){0};
	return accepted_load(c->state, &c->accepted, &c->recall_problems);
}

void config_recall_close(struct config *c)
{
	/* The directory may lack a content that its index names: the first save looks at all. */
	c->kept_stale |= c->accepted != NULL;
	c->accepted = accepted_free(c->accepted);
}

static int kind_of_id(const char *id)
{
	if (id[0] < '0' || id[0] >= '0' + _CONFIG_KIND_MAX || id[1] != '/' || !id[2] ||
	    strchr(id + 2, '/') || strlen(id) >= CONFIG_FILE_ID_MAX)
		return -EINVAL;
	return id[0] - '0';
}

int config_recall_unlisted(struct config *c, const struct config_listing *listing)
{
	const struct accepted_file *a;
	size_t pos = 0;
	int r;

	while (c->accepted && (a = accepted_next(c->accepted, &pos))) {
		int kind = kind_of_id(a->id);
		struct config_file *f;

		if (kind < 0 || !listing->incomplete[kind])
			continue;
		r = config_get_file(c, (enum config_kind)kind, a->id + 2, &f);
		if (r < 0)
			return r;
		if (f->present)
			continue;
		r = config_file_set_path(f, a->path);
		if (r == 0)
			r = config_touch(c, f);
		if (r < 0)
			return r;
		f->present = f->unread = true;
		f->examine_error = -ENOTDIR;
		c->settings_stale |= kind == CONFIG_SETTINGS;
	}
	return 0;
}

/* The text of a file that the directory remembers; -ENOENT when there is none that can be used. */
static int read_accepted(const struct config *c, struct config_file *f,
			 const struct accepted_file *a, char **ret_text, size_t *ret_size,
			 const char **ret_path)
{
	int r;

	r = config_file_keep_path(f, a->path, ret_path);
	if (r < 0)
		return r;
	r = accepted_read(c->accepted, a, ret_text, ret_size);
	return r < 0 && r != -ENOMEM ? -ENOENT : r;
}

int config_recall_settings(struct config *c, struct config_file *f)
{
	const struct accepted_file *a = c->accepted ? accepted_find(c->accepted, f->id) : NULL;
	struct config_content content = {0};
	int r;

	if (!a || f->in_force)
		return 0;
	r = read_accepted(c, f, a, &content.text, &content.size, &content.path);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	accepted_hash(content.text, content.size, content.hash);
	content.since_usec = a->since_usec;
	f->content = content;
	f->in_force = true;
	c->n_recalled++;
	return 0;
}

static void warn_unusable(struct config_file *f)
{
	diags_add(&f->diags, DIAG_WARNING, &(struct place){.file = f->path}, NULL, NULL, NULL, NULL,
		  "what it said when it was last good cannot be used any more");
}

/* As it was when it was last good; -ENOENT when that cannot be had. */
static int recall(const struct config *c, struct config_file *f, const struct accepted_file *a,
		  struct config_content *ret)
{
	_cleanup_diags_ struct diags ignored = {0};
	_cleanup_free_ char *text = NULL;
	const char *path;
	size_t size;
	int r;

	r = read_accepted(c, f, a, &text, &size, &path);
	if (r == 0)
		r = config_file_parse(f, path, &text, size, &c->settings->s, &ignored, ret);
	if (r == 0)
		ret->since_usec = a->since_usec;
	return r == -EBADMSG ? -ENOENT : r;
}

int config_recall_objects(struct config *c, struct config_file *f, struct config_content *newest)
{
	const struct accepted_file *a = c->accepted ? accepted_find(c->accepted, f->id) : NULL;
	struct config_content content;
	int r;

	if (!a || f->in_force || f->has_before)
		return 0;
	if (newest && memcmp(newest->hash, a->hash, sizeof(a->hash)) == 0) {
		newest->since_usec = a->since_usec;
		f->class = CLASS_UNCHANGED;
		return 0;
	}
	r = recall(c, f, a, &content);
	if (r == -ENOENT) {
		if (!newest)
			warn_unusable(f);
		return f->diags.error;
	}
	if (r < 0)
		return r;
	if (newest) {
		f->before = content;
		f->has_before = true;
		return 0;
	}
	f->content = content;
	f->in_force = true;
	f->class = CLASS_UNCHANGED;
	c->n_recalled++;
	return index_put_file(c->index, f->id, &f->content.objects);
}

bool config_unkept(const struct config *c)
{
	return c->state && c->kept_stale;
}

static int compare_wanted(const void *a, const void *b)
{
	return strcmp(((const struct accepted_wanted *)a)->file.id,
		      ((const struct accepted_wanted *)b)->file.id);
}

int config_keep(struct config *c, struct accepted_wanted **ret, size_t *ret_n)
{
	struct accepted_wanted *list;
	size_t n = 0, pos = 0;
	void *value;

	list = calloc(map_size(c->files) + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	while (map_next(c->files, &pos, NULL, &value)) {
		struct config_file *f = value;
		struct accepted_wanted *w = &list[n];

		if (!f->in_force)
			continue;
		w->file = (struct accepted_file){
			.id = f->id,
			.path = f->content.path,
			.size = f->content.size,
			.since_usec = f->content.since_usec,
		};
		memcpy(w->file.hash, f->content.hash, sizeof(w->file.hash));
		w->text = f->content.kept ? NULL : f->content.text;
		f->content.being_kept = true;
		n++;
	}
	qsort(list, n, sizeof(*list), compare_wanted);
	c->kept_stale = false;
	*ret = list;
	*ret_n = n;
	return 0;
}

void config_forget_kept(struct config *c)
{
	size_t pos = 0;
	void *value;

	c->kept_stale = true;
	while (map_next(c->files, &pos, NULL, &value)) {
		struct config_file *f = value;

		f->content.kept = false;
		f->unread = true;
	}
}

void config_kept(struct config *c, bool success)
{
	size_t pos = 0;
	void *value;

	c->kept_stale |= !success;
	while (map_next(c->files, &pos, NULL, &value)) {
		struct config_file *f = value;
		struct config_content *content = &f->content;

		if (!content->being_kept)
			continue;
		content->being_kept = false;
		content->kept |= success;
		if (!content->kept || f->kind == CONFIG_SETTINGS)
			continue;
		free(content->text);
		content->text = NULL;
	}
}
