/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/file.h"
#include "config/cfg.h"

const char *config_file_id(enum config_kind kind, const char *name, char buf[CONFIG_FILE_ID_MAX])
{
	(void)snprintf(buf, CONFIG_FILE_ID_MAX, "%d/%s", (int)kind, name);
	return buf;
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

int config_file_set_path(struct config_file *f, const char *path)
{
	char *copy;
	int r;

	/* There are at most as many as there are places for a file to be. */
	for (size_t i = 0; i < f->n_paths; i++) {
		if (streq(f->paths[i], path)) {
			f->path = f->paths[i];
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
	f->path = copy;
	return 0;
}

static void free_discarded(struct config_file *f)
{
	for (size_t i = 0; i < f->n_discarded; i++)
		objects_done(&f->discarded[i]);
	free(f->discarded);
	f->discarded = NULL;
	f->n_discarded = f->discarded_allocated = 0;
}

struct config_file *config_file_free(struct config_file *f)
{
	if (!f)
		return NULL;
	objects_done(&f->objects);
	objects_done(&f->before);
	free_discarded(f);
	diags_done(&f->diags);
	diags_done(&f->spare);
	for (size_t i = 0; i < f->n_paths; i++)
		free(f->paths[i]);
	free(f->paths);
	free(f->text);
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

	if (f->examine_error < 0)
		return cannot_read(f, f->examine_error);
	do
		r = file_read(AT_FDCWD, f->path, CONFIG_FILE_MAX, ret_text, ret_size, NULL);
	while (r == -EAGAIN && --tries > 0);
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

static int parse_objects(struct config_file *f, const struct settings *settings,
			 struct objects *ret)
{
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	_cleanup_free_ char *text = NULL;
	enum objects_kind kind = f->kind == CONFIG_SERVICES ? OBJECTS_SERVICES : OBJECTS_ENDPOINTS;
	size_t size = 0;
	int r;

	r = config_file_read(f, &text, &size);
	if (r < 0)
		return r;
	r = cfg_parse(text, size, f->path, &tree, &f->diags);
	if (r < 0)
		return r;
	return objects_read(tree, kind, settings, f->path, ret, &f->diags);
}

int config_file_read_objects(struct config_file *f, const struct settings *settings, bool notices,
			     struct objects *ret)
{
	_cleanup_objects_ struct objects objects = {0};
	int r;

	config_file_clear_diags(f);
	if (f->edited)
		f->class = CLASS_CHANGED;
	else if (f->refused)
		f->class = f->clashed ? CLASS_REFUSED : CLASS_CHANGED;
	else
		f->class = CLASS_UNCHANGED; /* only the settings that it is judged by changed */
	f->unread = f->refused = f->clashed = false;
	r = parse_objects(f, settings, &objects);
	if (r == -EBADMSG) {
		f->refused = true;
		f->class = CLASS_UNCHANGED; /* what is in force is */
	}
	if (!notices)
		drop_notices(&f->diags);
	if (f->diags.error)
		return f->diags.error;
	if (r < 0)
		return r;
	*ret = objects;
	objects = (struct objects){0};
	return 0;
}

int config_file_set_aside(struct config_file *f)
{
	int r;

	if (!f->in_force)
		return 0;
	if (!f->changed && !f->has_before) {
		f->before = f->objects;
		f->has_before = true;
	} else {
		r = array_reserve(&f->discarded, &f->discarded_allocated, f->n_discarded + 1);
		if (r < 0)
			return r;
		f->discarded[f->n_discarded++] = f->objects;
	}
	f->objects = (struct objects){0};
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
	f->objects = f->before;
	f->before = (struct objects){0};
	f->has_before = false;
	f->in_force = true;
	return 0;
}

int config_file_take_up(struct config_file *f)
{
	struct objects newest;
	int r;

	if (f->n_discarded == 0)
		return -ENOENT;
	newest = f->discarded[--f->n_discarded];
	r = config_file_set_aside(f);
	if (r < 0) {
		f->n_discarded++;
		return r;
	}
	f->objects = newest;
	f->in_force = f->changed = true;
	return 0;
}

void config_file_settle(struct config_file *f)
{
	objects_done(&f->before);
	f->before = (struct objects){0};
	f->has_before = false;
	free_discarded(f);
	diags_done(&f->spare);
	f->spare = (struct diags){0};
	f->changed = f->edited = f->won = false;
	f->lost_in = 0;
	f->class = CLASS_UNCHANGED;
}
