/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "config/config-internal.h"
#include "config/load-settings.h"

/* From settings files that changed to new settings, or to the old ones. */

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

/* Whether a file may be judged otherwise under the one than under the other: all that the reader of
 * objects looks at. */
static bool checks_differ(const struct settings *a, const struct settings *b)
{
	size_t i;

	if (a->check_interval != b->check_interval || a->check_timeout != b->check_timeout ||
	    !streq(a->ipvs_scheduler, b->ipvs_scheduler))
		return true;
	if (a->mode != b->mode || a->node_port_min != b->node_port_min ||
	    a->node_port_max != b->node_port_max || a->service_cidr.n != b->service_cidr.n)
		return true;
	for (i = 0; i < a->service_cidr.n; i++)
		if (addr_prefix_compare(&a->service_cidr.items[i], &b->service_cidr.items[i]) != 0)
			return true;
	return false;
}

static int settings_files(struct config *c, struct config_file ***ret, size_t *ret_n)
{
	_cleanup_free_ struct config_file **files = NULL;
	size_t n = 0, pos = 0;
	void *value;
	int r;

	files = malloc((map_size(c->files) + 1) * sizeof(*files));
	if (!files)
		return -ENOMEM;
	while (map_next(c->files, &pos, NULL, &value)) {
		struct config_file *f = value;

		if (f->kind != CONFIG_SETTINGS || !f->present)
			continue;
		files[n++] = f;
		r = config_touch(c, f);
		if (r == 0)
			r = config_recall_settings(c, f);
		if (r < 0)
			return r;
	}
	qsort(files, n, sizeof(*files), compare_settings_files);
	*ret = TAKE_PTR(files);
	*ret_n = n;
	return 0;
}

#ifndef __clang__
#pragma GCC diagnostic push
/* gcc 12 loses sight of a text in a list; config_free() frees all of them */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

/* Copies the names of files, which outlive the files then. */
static int keep_origin(struct config *c, const struct settings_origin *origin)
{
	for (size_t i = 0; i < n_setting_rows; i++) {
		char **file = &c->origin_files[i];

		c->origin.places[i] = origin->places[i];
		free(*file);
		*file = origin->places[i].file ? strdup(origin->places[i].file) : NULL;
		c->origin.places[i].file = *file;
		if (origin->places[i].file && !*file)
			return -ENOMEM;
	}
	return 0;
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

/* Nothing tells which mode worked before. */
static bool is_first(const struct config *c, struct config_file *const *files, size_t n)
{
	for (size_t i = 0; i < n && !c->settings; i++)
		if (files[i]->in_force)
			return false;
	return !c->settings;
}

static int load(struct config *c, struct settings *ret, bool *ret_clashed)
{
	_cleanup_free_ struct config_file **files = NULL;
	_cleanup_free_ struct place *places = calloc(n_setting_rows, sizeof(*places));
	_cleanup_settings_ struct settings s = {0};
	struct settings_origin origin = {.places = places};
	struct settings_judge judge = {.index = c->index};
	size_t n;
	int r;

	*ret_clashed = false;
	if (!places)
		return -ENOMEM;
	r = settings_files(c, &files, &n);
	if (r < 0)
		return r;
	diags_done(&c->settings_problems);
	c->settings_problems = (struct diags){0};
	judge.first = is_first(c, files, n);
	r = load_settings(files, n, &judge, &s, &origin, &c->settings_problems);
	*ret_clashed = judge.ret_clashed;
	if (r == 0)
		r = keep_origin(c, &origin);
	if (r < 0)
		return r;
	*ret = s;
	s = (struct settings){0};
	return 0;
}

int config_refresh_settings(struct config *c, bool *ret_recheck)
{
	struct shared_settings *new;
	bool clashed;
	int r;

	if (!c->settings_stale)
		return 0;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->refs = 1;
	r = load(c, &new->s, &clashed);
	if (r < 0) {
		free(new);
		if (r == -ENOMEM || !c->settings)
			return r;
		/* Those in force stay: what made them possible may be gone, such as one of two
		 * files that go together. There is a message. */
		c->settings_stale = clashed;
		return 0;
	}
	/* The service that they are in the way of may change: they are tried again then. */
	c->settings_stale = clashed;
	if (c->settings && settings_changes(&c->settings->s, &new->s) == 0) {
		shared_settings_unref(new);
		return 0;
	}
	*ret_recheck = c->settings && checks_differ(&c->settings->s, &new->s);
	shared_settings_unref(c->settings);
	c->settings = new;
	return 0;
}
