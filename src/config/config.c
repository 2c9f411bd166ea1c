/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "config/config-file.h"
#include "config/load-settings.h"
#include "model/index.h"

/*
 * The life of an object file in one refresh:
 *
 *     unchanged ---------------------------------------------> in force as before
 *     changed --read--> good --index--> no clash ------------> in force, old content freed
 *                  |                 `-> clash, chosen -.
 *                  `--> bad ----------------------------+----> refused: old content in force,
 *                                                              or left out when there is none
 *
 * A file that was refused for a clash is tried again at each refresh: the other side may have
 * changed.
 */
struct config {
	struct config_places places;
	char *root, *single; /* what places points to */
	struct map *files;   /* by id: struct config_file */
	struct map *paths;   /* every path ever seen: services point to them */
	struct index *index;
	struct shared_settings *settings;
	struct settings_origin origin;
	char **directories; /* NULL-terminated */
	struct diags listing_problems, settings_problems, problems;
	struct config_file **touched; /* looked at in this refresh */
	size_t n_touched, touched_allocated;
	size_t n_refused, n_told; /* n_told: files with messages */
	bool settings_stale;	  /* a settings file changed: read them all again */
	bool notices;
};

int config_new(const struct config_places *places, struct config **ret)
{
	_cleanup_(config_freep) struct config *c = NULL;
	int r;

	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	if (places->root) {
		c->root = strdup(places->root);
		if (!c->root)
			return -ENOMEM;
	}
	if (places->single) {
		c->single = strdup(places->single);
		if (!c->single)
			return -ENOMEM;
	}
	c->places = (struct config_places){c->root, c->single};
	c->settings_stale = true;
	r = map_new(&c->files);
	if (r == 0)
		r = map_new(&c->paths);
	if (r == 0)
		r = index_new(&c->index);
	if (r < 0)
		return r;
	c->origin.places = calloc(n_setting_rows, sizeof(*c->origin.places));
	if (!c->origin.places)
		return -ENOMEM;
	*ret = TAKE_PTR(c);
	return 0;
}

static void free_strings(char **list)
{
	for (char **s = list; s && *s; s++)
		free(*s);
	free(list);
}

static void config_file_free_void(void *p)
{
	config_file_free(p);
}

struct config *config_free(struct config *c)
{
	if (!c)
		return NULL;
	index_free(c->index);
	map_free_values(c->files, config_file_free_void);
	shared_settings_unref(c->settings);
	free(c->touched);
	free(c->origin.places);
	free_strings(c->directories);
	diags_done(&c->listing_problems);
	diags_done(&c->settings_problems);
	diags_done(&c->problems);
	map_free_values(c->paths, free);
	free(c->root);
	free(c->single);
	free(c);
	return NULL;
}

static const char *intern_path(struct config *c, const char *path)
{
	char *known = map_get(c->paths, path);

	if (known)
		return known;
	known = strdup(path);
	if (known && map_put(c->paths, path, known) < 0) {
		free(known);
		return NULL;
	}
	return known;
}

/* Puts a file on the list of this refresh; it is left out of the counts until settle(). */
static int touch(struct config *c, struct config_file *f)
{
	int r;

	if (f->touched)
		return 0;
	r = array_reserve(&c->touched, &c->touched_allocated, c->n_touched + 1);
	if (r < 0)
		return r;
	c->touched[c->n_touched++] = f;
	f->touched = true;
	c->n_refused -= f->refused;
	c->n_told -= f->diags.n > 0;
	return 0;
}

/* The file an entry of the listing belongs to, made when it is new; touched when it is not what it
 * was. */
static int note_entry(struct config *c, const struct config_entry *e, bool *ret_changed)
{
	char id[CONFIG_FILE_ID_MAX];
	struct config_file *f;
	const char *path;
	int r;

	config_file_id(e->kind, e->name, id);
	f = map_get(c->files, id);
	path = intern_path(c, e->path);
	if (!path)
		return -ENOMEM;
	if (!f) {
		r = config_file_new(e->kind, id, &f);
		if (r < 0)
			return r;
		r = map_put(c->files, id, f);
		if (r < 0) {
			config_file_free(f);
			return r;
		}
	}
	f->present = true;
	*ret_changed = f->unread || f->path != path || f->examine_error != e->error ||
		       memcmp(&f->stamp, &e->stamp, sizeof(f->stamp)) != 0;
	if (!*ret_changed)
		return 0;
	f->path = path;
	f->stamp = e->stamp;
	f->examine_error = e->error;
	f->unread = true;
	return touch(c, f);
}

static int note_directories(struct config *c, struct config_listing *listing)
{
	char **list = calloc(listing->n_directories + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	memcpy(list, listing->directories, listing->n_directories * sizeof(*list));
	listing->n_directories = 0; /* the texts went along */
	free_strings(c->directories);
	c->directories = list;
	return 0;
}

static int look_at_all(struct config *c)
{
	_cleanup_(config_listing_done) struct config_listing listing = {0};
	bool changed;
	size_t pos = 0, i;
	void *value;
	int r;

	diags_done(&c->listing_problems);
	c->listing_problems = (struct diags){0};
	r = config_list(&c->places, &listing, &c->listing_problems);
	if (r < 0)
		return r;
	if (listing.etc_missing)
		diags_add(&c->listing_problems, DIAG_WARNING, NULL, NULL, NULL, NULL, NULL,
			  "%s%s is missing: the configuration is empty", c->root ? c->root : "",
			  c->single ? c->single : "/etc/svcroute");
	while (map_next(c->files, &pos, NULL, &value))
		((struct config_file *)value)->present = false;
	for (i = 0; i < listing.n; i++) {
		r = note_entry(c, &listing.entries[i], &changed);
		if (r < 0)
			return r;
		if (changed && listing.entries[i].kind == CONFIG_SETTINGS)
			c->settings_stale = true;
	}
	for (pos = 0; map_next(c->files, &pos, NULL, &value);) {
		struct config_file *f = value;

		if (f->present)
			continue;
		if (f->kind == CONFIG_SETTINGS)
			c->settings_stale = true;
		r = touch(c, f);
		if (r < 0)
			return r;
	}
	return note_directories(c, &listing);
}

static int look_at(struct config *c, const struct config_change *change)
{
	_cleanup_(config_entry_done) struct config_entry e = {0};
	char id[CONFIG_FILE_ID_MAX];
	struct config_file *f;
	bool changed = false;
	int r;

	r = config_stat(&c->places, change->kind, change->name, &e);
	if (r == 0) {
		r = note_entry(c, &e, &changed);
	} else if (r == -ENOENT) {
		config_file_id(change->kind, change->name, id);
		f = map_get(c->files, id);
		r = 0;
		if (f) {
			f->present = false;
			changed = true;
			r = touch(c, f);
		}
	}
	if (changed && change->kind == CONFIG_SETTINGS)
		c->settings_stale = true;
	return r;
}

/* Settings */

static int compare_files(const void *a, const void *b)
{
	return strcmp((*(struct config_file *const *)a)->id, (*(struct config_file *const *)b)->id);
}

/* "svcroute.conf" comes before the files of svcroute.conf.d whatever their names. */
static int compare_settings_files(const void *a, const void *b)
{
	const struct config_file *x = *(struct config_file *const *)a,
				 *y = *(struct config_file *const *)b;
	bool x_main = streq(x->id + 2, "svcroute.conf"), y_main = streq(y->id + 2, "svcroute.conf");

	if (x_main != y_main)
		return x_main ? -1 : 1;
	return strcmp(x->id, y->id);
}

/* Whether files that were valid under one may be invalid under the other. */
static bool checks_differ(const struct settings *a, const struct settings *b)
{
	size_t i;

	if (a->mode != b->mode || a->node_port_min != b->node_port_min ||
	    a->node_port_max != b->node_port_max || a->service_cidr.n != b->service_cidr.n)
		return true;
	for (i = 0; i < a->service_cidr.n; i++)
		if (addr_prefix_compare(&a->service_cidr.items[i], &b->service_cidr.items[i]) != 0)
			return true;
	return false;
}

/* Replaces c->settings when anything in them changed. *ret_recheck: all object files have to be
 * read again. */
static int refresh_settings(struct config *c, bool *ret_recheck)
{
	_cleanup_free_ struct config_file **files = NULL;
	struct shared_settings *new = NULL;
	size_t n = 0, pos = 0;
	void *value;
	int r;

	*ret_recheck = false;
	if (!c->settings_stale)
		return 0;
	files = malloc((map_size(c->files) + 1) * sizeof(*files));
	new = calloc(1, sizeof(*new));
	if (!files || !new) {
		free(new);
		return -ENOMEM;
	}
	while (map_next(c->files, &pos, NULL, &value)) {
		struct config_file *f = value;

		if (f->kind != CONFIG_SETTINGS || !f->present)
			continue;
		files[n++] = f;
		r = touch(c, f);
		if (r < 0) {
			free(new);
			return r;
		}
	}
	qsort(files, n, sizeof(*files), compare_settings_files);
	diags_done(&c->settings_problems);
	c->settings_problems = (struct diags){0};
	new->refs = 1;
	r = load_settings(files, n, &new->s, &c->origin, &c->settings_problems);
	if (r < 0) {
		free(new);
		return r;
	}
	c->settings_stale = false;
	if (c->settings && settings_difference(&c->settings->s, &new->s) == SCOPE_NONE) {
		shared_settings_unref(new);
		return 0;
	}
	*ret_recheck = c->settings && checks_differ(&c->settings->s, &new->s);
	shared_settings_unref(c->settings);
	c->settings = new;
	return 0;
}

/* Object files */

static int take_out(struct config *c, struct config_file *f)
{
	int r;

	f->refused = f->clashed = false;
	config_file_clear_diags(f);
	if (!f->in_force)
		return 0;
	r = index_remove_file(c->index, f->id);
	return r < 0 ? r : config_file_set_aside(f);
}

static int read_again(struct config *c, struct config_file *f)
{
	struct objects objects = {0};
	int r;

	r = config_file_read_objects(f, &c->settings->s, c->notices, &objects);
	if (r == -EBADMSG)
		return 0; /* refused; what is in force stays */
	if (r < 0)
		return r;
	r = config_file_set_aside(f);
	if (r < 0) {
		objects_done(&objects);
		return r;
	}
	f->objects = objects;
	f->in_force = f->changed = true;
	return index_put_file(c->index, f->id, &f->objects);
}

/* Adds to the touched files those that have to be read for another reason than their own change. */
static int touch_more(struct config *c, bool recheck)
{
	size_t pos = 0;
	void *value;
	int r;

	if (!recheck && c->n_refused == 0)
		return 0;
	while (map_next(c->files, &pos, NULL, &value)) {
		struct config_file *f = value;

		if (f->kind == CONFIG_SETTINGS || !(recheck || f->clashed))
			continue;
		f->unread = true;
		r = touch(c, f);
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_touched(struct config *c)
{
	size_t i;
	int r;

	/* In reading order, so that the same files give the same messages in the same order. */
	if (c->n_touched > 1)
		qsort(c->touched, c->n_touched, sizeof(*c->touched), compare_files);
	for (i = 0; i < c->n_touched; i++) {
		struct config_file *f = c->touched[i];

		if (f->kind == CONFIG_SETTINGS)
			continue;
		r = !f->present ? take_out(c, f) : f->unread || f->clashed ? read_again(c, f) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* Of the two files of a clash the one to be replaced: one that changed since the last good state,
 * of two such the last name (product sheet section 2). */
static struct config_file *choose_loser(struct config *c, const struct index_clash *clash)
{
	struct config_file *a = map_get(c->files, clash->files[0]);
	struct config_file *b = map_get(c->files, clash->files[1]);

	if (strcmp(a->id, b->id) > 0) {
		struct config_file *t = a;

		a = b;
		b = t;
	}
	return b->changed || !a->changed ? b : a;
}

static int refuse_for_clash(struct config *c, struct index_clash *clash)
{
	struct config_file *f = choose_loser(c, clash);
	int r;

	r = touch(c, f);
	if (r < 0)
		return r;
	config_file_clear_diags(f);
	diags_move(&f->diags, &clash->diags);
	f->refused = f->clashed = true;
	r = config_file_put_back(f);
	if (r < 0)
		return r;
	r = f->in_force ? index_put_file(c->index, f->id, &f->objects)
			: index_remove_file(c->index, f->id);
	return r < 0 ? r : f->diags.error;
}

static int update_world(struct config *c, struct world **ret)
{
	int r;

	for (;;) {
		_cleanup_index_clashes_ struct index_clashes clashes = {0};

		r = index_update(c->index, c->settings, &clashes, ret);
		if (r < 0 || clashes.n == 0)
			return r;
		/* One at a time: with this file replaced the other clashes may be gone. */
		r = refuse_for_clash(c, &clashes.items[0]);
		if (r < 0)
			return r;
	}
}

/* A world was made: what was set aside goes, files that are gone go, the counts are right again. */
static void settle(struct config *c)
{
	size_t i;

	for (i = 0; i < c->n_touched; i++) {
		struct config_file *f = c->touched[i];

		config_file_settle(f);
		f->touched = false;
		if (!f->present) {
			map_remove(c->files, f->id);
			config_file_free(f);
			continue;
		}
		c->n_refused += f->refused;
		c->n_told += f->diags.n > 0;
	}
	c->n_touched = 0;
}

static int collect_problems(struct config *c)
{
	size_t pos = 0;
	void *value;

	diags_done(&c->problems);
	c->problems = (struct diags){0};
	diags_copy(&c->problems, &c->listing_problems);
	diags_copy(&c->problems, &c->settings_problems);
	while (c->n_told && map_next(c->files, &pos, NULL, &value))
		diags_copy(&c->problems, &((struct config_file *)value)->diags);
	index_problems(c->index, &c->problems);
	diags_sort(&c->problems);
	return c->problems.error;
}

int config_refresh(struct config *c, const struct config_change *changes, size_t n_changes,
		   struct world **ret)
{
	_cleanup_(world_unrefp) struct world *world = NULL;
	bool recheck = false;
	size_t i;
	int r = 0;

	if (!changes)
		r = look_at_all(c);
	for (i = 0; changes && i < n_changes && r == 0; i++)
		r = look_at(c, &changes[i]);
	if (r == 0)
		r = refresh_settings(c, &recheck);
	if (r == -EOPNOTSUPP || r == -EBADMSG) {
		/* There is no world to be had, but there is something to tell. */
		c->n_told = 1;
		(void)collect_problems(c);
		return r;
	}
	if (r == 0)
		r = touch_more(c, recheck);
	if (r == 0)
		r = read_touched(c);
	if (r == 0)
		r = update_world(c, &world);
	if (r < 0)
		return r;
	settle(c);
	r = collect_problems(c);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(world);
	return 0;
}

const struct diags *config_problems(const struct config *c)
{
	return &c->problems;
}

size_t config_n_refused(const struct config *c)
{
	return c->n_refused;
}

size_t config_n_files(const struct config *c)
{
	return map_size(c->files);
}

const char *const *config_directories(const struct config *c)
{
	static const char *const none[] = {NULL};

	return c->directories ? (const char *const *)c->directories : none;
}

const struct settings_origin *config_origin(const struct config *c)
{
	return &c->origin;
}

void config_set_notices(struct config *c, bool notices)
{
	c->notices = notices;
}
