/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/num.h"
#include "config/config-internal.h"

/*
 * The life of an object file in one refresh:
 *
 *     unchanged ---------------------------------------------> in force as before
 *     changed --read--> good --index--> no clash ------------> in force, old content freed
 *                  |                 `-> clash, gives way -.
 *                  `--> bad -------------------------------+-> refused: old content in force,
 *                                                              or left out when there is none
 *
 * A file that was refused for a clash is tried again at each refresh: the other side may have
 * changed.
 */

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
		r = index_new(&c->index);
	if (r < 0)
		return r;
	c->origin.places = calloc(n_setting_rows, sizeof(*c->origin.places));
	c->origin_files = calloc(n_setting_rows + 1, sizeof(*c->origin_files));
	if (!c->origin.places || !c->origin_files)
		return -ENOMEM;
	*ret = TAKE_PTR(c);
	return 0;
}

static void free_directories(char **list)
{
	for (char **s = list; s && *s; s++)
		free(*s);
	free(list);
}

static void free_origin_files(char **list)
{
	for (size_t i = 0; list && i < n_setting_rows; i++)
		free(list[i]);
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
	free_origin_files(c->origin_files);
	free_directories(c->directories);
	diags_done(&c->listing_problems);
	diags_done(&c->settings_problems);
	diags_done(&c->problems);
	diags_done(&c->recall_problems);
	accepted_free(c->accepted);
	free(c->state);
	free(c->root);
	free(c->single);
	free(c);
	return NULL;
}

int config_touch(struct config *c, struct config_file *f)
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
	c->n_busy -= f->busy;
	c->n_told -= f->diags.n > 0;
	return 0;
}

int config_get_file(struct config *c, enum config_kind kind, const char *name,
		    struct config_file **ret)
{
	char id[CONFIG_FILE_ID_MAX];
	struct config_file *f;
	int r;

	config_file_id(kind, name, id);
	*ret = map_get(c->files, id);
	if (*ret)
		return 0;
	r = config_file_new(kind, id, &f);
	if (r < 0)
		return r;
	r = map_put(c->files, id, f);
	if (r < 0) {
		config_file_free(f);
		return r;
	}
	*ret = f;
	return 0;
}

/* A file that is written twice in a tick of the file system's clock may have one stamp with two
 * contents. Ticks are at most 10 ms; a clock that was set back is none of our worries for long. */
static bool is_racy(const struct file_stamp *stamp)
{
	return stamp->ctime_nsec / 1000 + (int64_t)(20 * USEC_PER_MSEC) >
	       (int64_t)clock_realtime_usec();
}

/* Takes note of what takes part under a name; the file is touched when that is not what it was.
 * incomplete: what hides this entry may be where we cannot look. */
static int note_entry(struct config *c, const struct config_entry *e, bool incomplete)
{
	struct config_file *f;
	bool same;
	int r;

	r = config_get_file(c, e->kind, e->name, &f);
	if (r < 0)
		return r;
	f->present = true;
	if (incomplete && f->path && !streq(f->path, e->path))
		return 0;
	same = f->path && streq(f->path, e->path) && f->examine_error == e->error &&
	       memcmp(&f->stamp, &e->stamp, sizeof(f->stamp)) == 0;
	if (same && !f->unread && !f->racy && !f->busy)
		return 0;
	r = config_file_set_path(f, e->path);
	if (r < 0)
		return r;
	f->stamp = e->stamp;
	f->examine_error = e->error;
	f->racy = is_racy(&e->stamp);
	f->unread = true;
	f->edited |= !same;
	c->settings_stale |= f->kind == CONFIG_SETTINGS;
	return config_touch(c, f);
}

static int note_absence(struct config *c, struct config_file *f)
{
	f->present = false;
	c->settings_stale |= f->kind == CONFIG_SETTINGS;
	return config_touch(c, f);
}

static int note_directories(struct config *c, struct config_listing *listing)
{
	char **list = calloc(listing->n_directories + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	memcpy(list, listing->directories, listing->n_directories * sizeof(*list));
	listing->n_directories = 0; /* the texts went along */
	free_directories(c->directories);
	c->directories = list;
	return 0;
}

static bool stood_below(const char *directory, const char *path)
{
	size_t n = strlen(directory);

	return path && strncmp(path, directory, n) == 0 && path[n] == '/';
}

/* Whether something that stood there counts, or did before a restart. */
static bool counted_on(const struct config *c, const char *directory)
{
	const struct accepted_file *a;
	size_t pos = 0;
	void *value;

	while (map_next(c->files, &pos, NULL, &value)) {
		const struct config_file *f = value;

		if (f->in_force && stood_below(directory, f->content.path))
			return true;
	}
	for (pos = 0; c->accepted && (a = accepted_next(c->accepted, &pos));)
		if (stood_below(directory, a->path))
			return true;
	return false;
}

/* When all of /etc/svcroute is gone at once, a file system was not mounted or a copy went wrong:
 * nobody deletes services that way, so nothing of it is taken for deleted. */
static void deal_with_missing(struct config *c, struct config_listing *listing)
{
	const char *directory = listing->directories[0];

	/* A directory that was asked for by name is another matter than a host without services. */
	if (c->single) {
		diags_add(&c->listing_problems, DIAG_ERROR, &(struct place){.file = c->single},
			  NULL, NULL, NULL, NULL, "there is no such directory");
	} else if (counted_on(c, directory)) {
		for (enum config_kind kind = 0; kind < _CONFIG_KIND_MAX; kind++)
			listing->incomplete[kind] = true;
		diags_add(&c->listing_problems, DIAG_ERROR, &(struct place){.file = directory},
			  NULL, NULL, NULL,
			  "put it back; if there shall be no services, make it anew and empty",
			  "is missing: what its files said last stays in force");
	} else {
		diags_add(&c->listing_problems, DIAG_WARNING, NULL, NULL, NULL, NULL, NULL,
			  "%s is missing: the configuration is empty", directory);
	}
}

static int look_at_all(struct config *c)
{
	_cleanup_(config_listing_done) struct config_listing listing = {0};
	size_t pos = 0, i;
	void *value;
	int r;

	diags_done(&c->listing_problems);
	c->listing_problems = (struct diags){0};
	r = config_list(&c->places, &listing, &c->listing_problems);
	if (r < 0)
		return r;
	if (listing.etc_missing)
		deal_with_missing(c, &listing);
	/* Of a kind with a directory that cannot be read, nothing is gone for that. */
	while (map_next(c->files, &pos, NULL, &value)) {
		struct config_file *f = value;

		f->present = f->present && listing.incomplete[f->kind];
	}
	for (i = 0; i < listing.n; i++) {
		const struct config_entry *e = &listing.entries[i];

		r = note_entry(c, e, listing.incomplete[e->kind]);
		if (r < 0)
			return r;
	}
	r = config_recall_unlisted(c, &listing);
	if (r < 0)
		return r;
	for (pos = 0; map_next(c->files, &pos, NULL, &value);) {
		struct config_file *f = value;

		r = f->present ? 0 : note_absence(c, f);
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
	int r;

	r = config_stat(&c->places, change->kind, change->name, &e);
	if (r == 0)
		return note_entry(c, &e, false);
	if (r != -ENOENT)
		return r;
	f = map_get(c->files, config_file_id(change->kind, change->name, id));
	return f ? note_absence(c, f) : 0;
}

/* What is being written is looked at again, whether somebody told of it or not. */
static int look_at_busy(struct config *c)
{
	size_t pos = 0;
	void *value;
	int r;

	while (map_next(c->files, &pos, NULL, &value)) {
		const struct config_file *f = value;
		struct config_change change = {.kind = f->kind};

		if (!f->busy)
			continue;
		(void)snprintf(change.name, sizeof(change.name), "%s", config_file_name(f));
		r = look_at(c, &change);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Object files */

static int compare_files(const void *a, const void *b)
{
	return strcmp((*(struct config_file *const *)a)->id, (*(struct config_file *const *)b)->id);
}

static int take_out(struct config *c, struct config_file *f)
{
	int r;

	f->refused = f->clashed = f->busy = false;
	config_file_clear_diags(f);
	if (!f->in_force)
		return 0;
	r = index_remove_file(c->index, f->id);
	return r < 0 ? r : config_file_set_aside(f);
}

/* Read for another reason than a change, or touched only. */
static void note_sameness(const struct config_file *f, struct config_content *newest)
{
	if (!f->in_force || memcmp(f->content.hash, newest->hash, sizeof(newest->hash)) != 0)
		return;
	newest->since_usec = f->content.since_usec;
	newest->kept = f->content.kept;
	newest->being_kept = f->content.being_kept;
	if (!newest->kept)
		return;
	free(newest->text);
	newest->text = NULL;
}

static int read_again(struct config *c, struct config_file *f)
{
	const struct config_judge judge = {
		.settings = &c->settings->s,
		.host = c->host,
		.notices = c->notices,
	};
	struct config_content content = {0};
	int r;

	r = config_file_read_objects(f, &judge, &content);
	if (r == -EBADMSG) /* refused; what is in force stays */
		return f->in_force ? 0 : config_recall_objects(c, f, NULL);
	if (r < 0)
		return r;
	note_sameness(f, &content);
	r = config_recall_objects(c, f, &content);
	if (r == 0)
		r = config_file_set_aside(f);
	if (r < 0) {
		config_content_done(&content);
		return r;
	}
	f->content = content;
	f->in_force = f->changed = true;
	return index_put_file(c->index, f->id, &f->content.objects);
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
		r = config_touch(c, f);
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

/* A world was made: what was set aside goes, files that are gone go, the counts are right again. */
static void settle(struct config *c)
{
	size_t i;

	for (i = 0; i < c->n_touched; i++) {
		struct config_file *f = c->touched[i];

		c->kept_stale |= !f->present || (f->in_force && !f->content.kept);
		config_file_settle(f);
		f->touched = false;
		if (!f->present) {
			map_remove(c->files, f->id);
			config_file_free(f);
			continue;
		}
		c->n_refused += f->refused;
		c->n_busy += f->busy;
		c->n_told += f->diags.n > 0;
	}
	c->n_touched = 0;
}

static int collect_problems(struct config *c, bool files)
{
	size_t pos = 0;
	void *value;

	diags_done(&c->problems);
	c->problems = (struct diags){0};
	diags_copy(&c->problems, &c->listing_problems);
	diags_copy(&c->problems, &c->settings_problems);
	diags_copy(&c->problems, &c->recall_problems);
	while (files && map_next(c->files, &pos, NULL, &value))
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

	r = config_recall_open(c);
	if (!changes && r == 0)
		r = look_at_all(c);
	for (i = 0; changes && i < n_changes && r == 0; i++)
		r = look_at(c, &changes[i]);
	if (changes && c->n_busy && r == 0)
		r = look_at_busy(c);
	if (r == 0)
		r = config_refresh_settings(c, &recheck);
	if (r == -EOPNOTSUPP || r == -EBADMSG) {
		/* There is no world to be had, but there is something to tell. */
		int told = collect_problems(c, true);

		return told < 0 ? told : r;
	}
	if (r == 0)
		r = touch_more(c, recheck);
	if (r == 0)
		r = read_touched(c);
	if (r == 0)
		r = config_resolve(c, &world);
	if (r < 0)
		return r;
	settle(c);
	config_recall_close(c);
	r = collect_problems(c, c->n_told > 0);
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
	return c->n_refused + c->listing_problems.n_errors + c->settings_problems.n_errors;
}

const struct service_def *config_definition(const struct config *c, const char *service)
{
	return index_definition(c->index, service);
}

int config_place(const struct config *c, const char *service, struct place *ret)
{
	return index_place(c->index, service, ret);
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

bool config_busy(const struct config *c)
{
	return c->n_busy > 0;
}

bool config_next_refused(const struct config *c, size_t *pos, struct config_refused *ret)
{
	void *value;

	while (map_next(c->files, pos, NULL, &value)) {
		const struct config_file *f = value;

		if (!f->refused)
			continue;
		ret->path = f->path;
		ret->since_usec = f->in_force ? f->content.since_usec : 0;
		return true;
	}
	return false;
}

size_t config_n_left_out(const struct config *c)
{
	size_t n = c->settings_problems.n_errors, pos = 0;
	struct config_refused refused;

	while (config_next_refused(c, &pos, &refused))
		n += refused.since_usec == 0;
	/* A directory that cannot be read, with what is remembered of its files in their place. */
	if (c->n_recalled == 0)
		n += c->listing_problems.n_errors;
	return n;
}

const struct settings_origin *config_origin(const struct config *c)
{
	return &c->origin;
}

void config_set_host(struct config *c, const struct host_facts *host)
{
	c->host = host;
}

void config_set_notices(struct config *c, bool notices)
{
	c->notices = notices;
}
