/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"
#include "config/cfg.h"
#include "model/host-check.h"

const char *config_file_id(enum config_kind kind, const char *name, char buf[CONFIG_FILE_ID_MAX])
{
	(void)snprintf(buf, CONFIG_FILE_ID_MAX, "%d/%s", (int)kind, name);
	return buf;
}

const char *config_file_name(const struct config_file *f)
{
	return strchr(f->id, '/') + 1;
}

int config_file_new(enum config_kind kind, const char *id, struct config_file **ret)
{
	struct config_file *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->kind = kind;
	f->unread = true;
	f->id = strdup(id);
	if (!f->id) {
		free(f);
		return -ENOMEM;
	}
	*ret = f;
	return 0;
}

int config_file_keep_path(struct config_file *f, const char *path, const char **ret)
{
	char *copy;
	int r;

	/* There are at most as many as there are places for a file to be. */
	for (size_t i = 0; i < f->n_paths; i++) {
		if (streq(f->paths[i], path)) {
			*ret = f->paths[i];
			return 0;
		}
	}
	r = array_reserve(&f->paths, &f->paths_allocated, f->n_paths + 1);
	if (r < 0)
		return r;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	f->paths[f->n_paths++] = copy;
	*ret = copy;
	return 0;
}

int config_file_set_path(struct config_file *f, const char *path)
{
	return config_file_keep_path(f, path, &f->path);
}

void config_content_done(struct config_content *content)
{
	objects_done(&content->objects);
	free(content->text);
	*content = (struct config_content){0};
}

static void free_discarded(struct config_file *f)
{
	for (size_t i = 0; i < f->n_discarded; i++)
		config_content_done(&f->discarded[i]);
	free(f->discarded);
	f->discarded = NULL;
	f->n_discarded = f->discarded_allocated = 0;
}

struct config_file *config_file_free(struct config_file *f)
{
	if (!f)
		return NULL;
	config_content_done(&f->content);
	config_content_done(&f->before);
	free_discarded(f);
	diags_done(&f->diags);
	diags_done(&f->spare);
	for (size_t i = 0; i < f->n_paths; i++)
		free(f->paths[i]);
	free(f->paths);
	free(f->id);
	free(f);
	return NULL;
}

void config_file_clear_diags(struct config_file *f)
{
	diags_done(&f->diags);
	f->diags = (struct diags){0};
}

static int cannot_read(struct config_file *f, int error)
{
	const char *reason = NULL, *hint = NULL;

	switch (error) {
	case -ENOMEM:
		return -ENOMEM;
	case -EISDIR:
		reason = "is a directory, not a file";
		break;
	case -ENOTSUP:
		reason = "is not a regular file";
		break;
	case -EFBIG:
		reason = "is larger than 64 MiB";
		hint = "split it into several files";
		break;
	case -ELOOP:
		reason = "is a symbolic link that leads in circles";
		break;
	case -ENOENT:
		reason = "is a symbolic link to nothing";
		break;
	case -EAGAIN:
		reason = "changes while it is being read";
		hint = "write to another name and rename it into place";
		break;
	case -EBUSY:
		reason = "is open for writing by another program: it counts when that closes it";
		hint = "write to another name and rename it into place";
		break;
	case -ENOTDIR:
		reason = "stands in a directory that cannot be read";
		break;
	case -EACCES:
	case -EPERM:
		reason = "may not be read";
		hint = "check its owner and mode";
		break;
	default:
		reason = NULL;
	}
	if (reason)
		diags_add(&f->diags, DIAG_ERROR, &(struct place){.file = f->path}, NULL, NULL, NULL,
			  hint, "%s", reason);
	else
		diags_add(&f->diags, DIAG_ERROR, &(struct place){.file = f->path}, NULL, NULL, NULL,
			  NULL, "cannot be read: %s", strerror(-error));
	return f->diags.error ? f->diags.error : -EBADMSG;
}

int config_file_read(struct config_file *f, char **ret_text, size_t *ret_size)
{
	int r, tries = 3;

	f->busy = false;
	r = f->examine_error;
	if (r < 0 && r != -EBUSY)
		return cannot_read(f, r);
	do
		r = file_read_complete(AT_FDCWD, f->path, CONFIG_FILE_MAX, ret_text, ret_size,
				       NULL);
	while (r == -EAGAIN && --tries > 0);
	if (r == 0 && f->examine_error == -EBUSY) {
		/* Empty when it was looked at: whether it masks is for the next look to say. */
		free(*ret_text);
		r = -EBUSY;
	}
	/* It changed three times while it was being read: somebody writes it. */
	f->busy = r == -EBUSY || r == -EAGAIN;
	return r < 0 ? cannot_read(f, r) : 0;
}

static void drop_notices(struct diags *d)
{
	struct diags kept = {0};
	size_t i;

	for (i = 0; i < d->n; i++)
		if (d->items[i].severity == DIAG_NOTICE)
			break;
	if (i == d->n)
		return;
	for (i = 0; i < d->n; i++) {
		const struct diag *m = &d->items[i];

		if (m->severity != DIAG_NOTICE)
			diags_add(&kept, m->severity, &(struct place){m->file, m->line, m->column},
				  m->object, m->field, m->value, m->hint, "%s", m->reason);
	}
	diags_done(d);
	*d = kept;
}

int config_file_parse(const struct config_file *f, const char *path, char **text, size_t size,
		      const struct settings *settings, struct diags *d, struct config_content *ret)
{
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	enum objects_kind kind = f->kind == CONFIG_SERVICES ? OBJECTS_SERVICES : OBJECTS_ENDPOINTS;
	struct config_content content = {.path = path, .size = size};
	int r;

	r = cfg_parse(*text, size, path, &tree, d);
	if (r == 0)
		r = objects_read(tree, kind, settings, path, &content.objects, d);
	if (r < 0)
		return r;
	accepted_hash(*text, size, content.hash);
	content.text = TAKE_PTR(*text);
	*ret = content;
	return 0;
}

static int read_and_judge(struct config_file *f, const struct config_judge *judge,
			  struct config_content *ret)
{
	_cleanup_(config_content_done) struct config_content content = {0};
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	int r;

	r = config_file_read(f, &text, &size);
	if (r == 0)
		r = config_file_parse(f, f->path, &text, size, judge->settings, &f->diags,
				      &content);
	if (r == 0 && judge->host)
		r = host_check_objects(judge->host, &content.objects, &f->diags);
	if (r < 0)
		return r;
	*ret = content;
	content = (struct config_content){0};
	return 0;
}

int config_file_read_objects(struct config_file *f, const struct config_judge *judge,
			     struct config_content *ret)
{
	_cleanup_(config_content_done) struct config_content content = {0};
	int r;

	config_file_clear_diags(f);
	if (f->edited)
		f->class = CLASS_CHANGED;
	else if (f->refused)
		f->class = f->clashed ? CLASS_REFUSED : CLASS_CHANGED;
	else
		f->class = CLASS_UNCHANGED; /* only the settings that it is judged by changed */
	f->unread = f->refused = f->clashed = false;
	r = read_and_judge(f, judge, &content);
	if (r == -EBADMSG) {
		f->refused = true;
		f->class = CLASS_UNCHANGED; /* what is in force is */
	}
	if (!judge->notices)
		drop_notices(&f->diags);
	if (f->diags.error)
		return f->diags.error;
	if (r < 0)
		return r;
	*ret = content;
	content = (struct config_content){0};
	return 0;
}

int config_file_set_aside(struct config_file *f)
{
	int r;

	if (!f->in_force)
		return 0;
	if (!f->changed && !f->has_before) {
		f->before = f->content;
		f->has_before = true;
	} else {
		r = array_reserve(&f->discarded, &f->discarded_allocated, f->n_discarded + 1);
		if (r < 0)
			return r;
		f->discarded[f->n_discarded++] = f->content;
	}
	f->content = (struct config_content){0};
	f->in_force = false;
	return 0;
}

int config_file_put_back(struct config_file *f)
{
	int r = config_file_set_aside(f);

	if (r < 0)
		return r;
	f->changed = false;
	if (!f->has_before)
		return 0;
	f->content = f->before;
	f->before = (struct config_content){0};
	f->has_before = false;
	f->in_force = true;
	return 0;
}

int config_file_take_up(struct config_file *f)
{
	struct config_content newest;
	int r;

	if (f->n_discarded == 0)
		return -ENOENT;
	newest = f->discarded[--f->n_discarded];
	r = config_file_set_aside(f);
	if (r < 0) {
		f->n_discarded++;
		return r;
	}
	f->content = newest;
	f->in_force = f->changed = true;
	return 0;
}

void config_file_settle(struct config_file *f)
{
	config_content_done(&f->before);
	f->has_before = false;
	free_discarded(f);
	diags_done(&f->spare);
	f->spare = (struct diags){0};
	if (f->in_force && f->content.since_usec == 0)
		f->content.since_usec = clock_realtime_usec();
	f->changed = f->edited = f->won = false;
	f->lost_in = 0;
	f->class = CLASS_UNCHANGED;
}
