/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "model/checks.h"
#include "model/index-internal.h"

static void slot_free(void *p)
{
	struct slot *s = p;

	if (!s)
		return;
	free(s->key);
	free(s->defs);
	free(s->groups);
	claimant_done(&s->claimant);
	service_unref(s->built);
	diags_done(&s->problems);
	free(s);
}

static void slot_freep(struct slot **s)
{
	slot_free(*s);
}

int index_new(struct index **ret)
{
	_cleanup_(index_freep) struct index *x = NULL;
	int r;

	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	r = map_new(&x->files);
	if (r == 0)
		r = map_new(&x->slots);
	if (r == 0)
		r = claims_init(&x->claims);
	if (r == 0)
		r = chains_init(&x->chains);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(x);
	return 0;
}

struct index *index_free(struct index *x)
{
	if (!x)
		return NULL;
	map_free_values(x->files, free);
	map_free_values(x->slots, slot_free);
	claims_done(&x->claims);
	claimant_done(&x->settings_claimant);
	chains_done(&x->chains);
	free(x->dirty);
	world_unref(x->world);
	free(x);
	return NULL;
}

void index_clashes_done(struct index_clashes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		diags_done(&c->items[i].diags);
		diags_done(&c->items[i].mirror);
	}
	free(c->items);
	*c = (struct index_clashes){0};
}

static int slot_get(struct index *x, const char *key, struct slot **ret)
{
	_cleanup_(slot_freep) struct slot *s = NULL;
	int r;

	*ret = map_get(x->slots, key);
	if (*ret)
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->claimant.who = s;
	s->key = strdup(key);
	if (!s->key)
		return -ENOMEM;
	r = map_put(x->slots, key, s);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(s);
	return 0;
}

static int slot_touch(struct index *x, struct slot *s)
{
	int r;

	s->stale = true;
	if (s->dirty)
		return 0;
	r = array_reserve(&x->dirty, &x->dirty_allocated, x->n_dirty + 1);
	if (r < 0)
		return r;
	x->dirty[x->n_dirty++] = s;
	s->dirty = true;
	return 0;
}

static int group_ref_compare(const struct group_ref *a, const char *file, unsigned position)
{
	int c = strcmp(a->file, file);

	if (c)
		return c;
	return a->position < position ? -1 : a->position > position;
}

static int slot_add_def(struct slot *s, const char *file, const struct service_def *def)
{
	size_t at;
	int r;

	r = array_reserve(&s->defs, &s->defs_allocated, s->n_defs + 1);
	if (r < 0)
		return r;
	for (at = s->n_defs; at > 0 && strcmp(s->defs[at - 1].file, file) > 0; at--)
		s->defs[at] = s->defs[at - 1];
	s->defs[at] = (struct def_ref){file, def};
	s->n_defs++;
	return 0;
}

static int slot_add_group(struct slot *s, const char *file, unsigned position,
			  struct endpoint_group *g)
{
	size_t at;
	int r;

	r = array_reserve(&s->groups, &s->groups_allocated, s->n_groups + 1);
	if (r < 0)
		return r;
	for (at = s->n_groups; at > 0 && group_ref_compare(&s->groups[at - 1], file, position) > 0;
	     at--)
		s->groups[at] = s->groups[at - 1];
	s->groups[at] = (struct group_ref){file, position, g};
	s->n_groups++;
	return 0;
}

static void slot_drop_file(struct slot *s, const char *file)
{
	size_t i, n;

	for (i = n = 0; i < s->n_defs; i++)
		if (!streq(s->defs[i].file, file))
			s->defs[n++] = s->defs[i];
	s->n_defs = n;
	for (i = n = 0; i < s->n_groups; i++)
		if (!streq(s->groups[i].file, file))
			s->groups[n++] = s->groups[i];
	s->n_groups = n;
}

/* Every service and group of the file is detached from its slot. The slots of a file are known from
 * its objects, so this costs what the file holds. */
static int detach(struct index *x, const char *file, const struct objects *o)
{
	size_t i;
	int r;

	x->n_detached++;
	for (i = 0; i < o->n_services + o->n_groups; i++) {
		const char *key = i < o->n_services ? o->services[i]->key
						    : o->groups[i - o->n_services]->service;
		struct slot *s = map_get(x->slots, key);

		/* Once for each slot, however many groups of one service the file has. */
		if (!s || s->detached == x->n_detached)
			continue;
		s->detached = x->n_detached;
		slot_drop_file(s, file);
		r = slot_touch(x, s);
		if (r < 0)
			return r;
	}
	return 0;
}

static int attach(struct index *x, const char *file, const struct objects *o)
{
	struct slot *s;
	size_t i;
	int r;

	for (i = 0; i < o->n_services; i++) {
		r = slot_get(x, o->services[i]->key, &s);
		if (r == 0)
			r = slot_add_def(s, file, o->services[i]);
		if (r == 0)
			r = slot_touch(x, s);
		if (r < 0)
			return r;
	}
	for (i = 0; i < o->n_groups; i++) {
		r = slot_get(x, o->groups[i]->service, &s);
		if (r == 0)
			r = slot_add_group(s, file, (unsigned)i, o->groups[i]);
		if (r == 0)
			r = slot_touch(x, s);
		if (r < 0)
			return r;
	}
	return 0;
}

int index_put_file(struct index *x, const char *file, const struct objects *objects)
{
	struct index_file *f = map_get(x->files, file);
	int r;

	if (f) {
		r = detach(x, file, &f->objects);
		if (r < 0)
			return r;
	} else {
		f = calloc(1, sizeof(*f));
		if (!f)
			return -ENOMEM;
		r = map_put(x->files, file, f);
		if (r < 0) {
			free(f);
			return r;
		}
	}
	f->objects = *objects;
	return attach(x, file, objects);
}

int index_remove_file(struct index *x, const char *file)
{
	_cleanup_free_ struct index_file *f = map_remove(x->files, file);

	return f ? detach(x, file, &f->objects) : 0;
}

/* Building */

static void slot_set_problems(struct index *x, struct slot *s, struct diags *new)
{
	if (s->problems.n)
		x->n_problems--;
	diags_done(&s->problems);
	s->problems = *new;
	*new = (struct diags){0};
	if (s->problems.n)
		x->n_problems++;
}

/* Takes over the reference; NULL: there is no service. */
static int slot_set_built(struct index *x, struct slot *s, struct service *new)
{
	struct service *old = s->built;
	int r = chains_replace(&x->chains, old, new);

	s->built = new;
	s->stale = false;
	service_unref(old);
	return r;
}

/* The file that messages of a failed build are about: the place of the first error decides. The
 * service's own file has a part in it too: its ports may be what changed. */
static const char *file_of_error(const struct slot *s, const struct diags *d)
{
	size_t i, j;

	for (i = 0; i < d->n; i++) {
		if (d->items[i].severity != DIAG_ERROR || !d->items[i].file)
			continue;
		for (j = 0; j < s->n_groups; j++)
			if (s->groups[j].group->at.file &&
			    streq(s->groups[j].group->at.file, d->items[i].file))
				return s->groups[j].file;
	}
	return s->defs[0].file;
}

static void tell_no_service(const struct endpoint_group *g, struct diags *d)
{
	struct place at = g->at;
	char field[SERVICE_VALUE_MAX];

	if (g->service_line > 0) {
		at.line = g->service_line;
		at.column = g->service_column;
	}
	if (g->position < 0)
		(void)snprintf(field, sizeof(field), "service");
	else
		(void)snprintf(field, sizeof(field), "endpoints[%d].service", g->position);
	check_tell(d, CHECK_E2_NO_SERVICE, &at, g->service, field, g->service);
}

/* Leaves the slot stale when there is a clash, so that it is told again. */
static int slot_build(struct index *x, struct slot *s, struct index_clashes *clashes)
{
	_cleanup_free_ struct endpoint_group **groups = NULL;
	_cleanup_(service_unrefp) struct service *new = NULL;
	_cleanup_diags_ struct diags problems = {0};
	const struct service_def *def = s->n_defs ? s->defs[0].def : NULL;
	struct service *old;
	size_t i;
	int r;

	if (s->claimed != def || !def) {
		s->claimed = def;
		r = claims_set(&x->claims, &s->claimant, def);
		if (r < 0)
			return r;
	}
	if (s->n_defs > 1)
		return index_clash_twice(clashes, s);
	if (!def) {
		for (i = 0; i < s->n_groups; i++)
			tell_no_service(s->groups[i].group, &problems);
		if (problems.error)
			return problems.error;
		slot_set_problems(x, s, &problems);
		return slot_set_built(x, s, NULL);
	}
	if (s->n_groups) {
		groups = calloc(s->n_groups, sizeof(*groups));
		if (!groups)
			return -ENOMEM;
		for (i = 0; i < s->n_groups; i++)
			groups[i] = s->groups[i].group;
	}
	r = service_build(def, groups, s->n_groups, &new, &problems);
	if (r == -EBADMSG) {
		struct diags *d;

		r = index_add_clash(clashes, s->defs[0].file, file_of_error(s, &problems), &d);
		if (r < 0)
			return r;
		diags_move(d, &problems);
		return d->error;
	}
	if (r < 0)
		return r;
	slot_set_problems(x, s, &problems);
	/* What the last world has stays the same object, also when it was something else in
	 * between: a file was put in and replaced again because of a clash. */
	old = x->world ? world_find(x->world, s->key) : NULL;
	return slot_set_built(x, s,
			      old && service_equal(old, new) ? service_ref(old) : TAKE_PTR(new));
}

/* World */

static int compare_slots(const void *a, const void *b)
{
	return service_key_compare((*(struct slot *const *)a)->key,
				   (*(struct slot *const *)b)->key);
}

/* The first of the services from `from` on whose key is not below key. */
static size_t lower_bound(const struct world *w, size_t from, const char *key)
{
	size_t low = from, high = w ? w->n_services : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (service_key_compare(w->services[middle]->key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Merges the touched slots (sorted) into the services of the last world. Between two touched keys
 * whole runs are copied: nothing is compared that did not change. */
static int make_world(const struct index *x, struct shared_settings *settings,
		      struct slot *const *touched, size_t n_touched, struct world **ret)
{
	_cleanup_free_ struct service **services = NULL;
	const struct world *old = x->world;
	size_t n_old = old ? old->n_services : 0, at = 0, n = 0, i, run;

	services = malloc((n_old + n_touched + 1) * sizeof(*services));
	if (!services)
		return -ENOMEM;
	for (i = 0; i <= n_touched; i++) {
		run = (i < n_touched ? lower_bound(old, at, touched[i]->key) : n_old) - at;
		if (run)
			memcpy(services + n, old->services + at, run * sizeof(*services));
		n += run;
		at += run;
		if (i == n_touched)
			break;
		if (at < n_old && streq(old->services[at]->key, touched[i]->key))
			at++;
		if (touched[i]->built)
			services[n++] = touched[i]->built;
	}
	return world_new(settings, services, n, old, ret);
}

/* Slots that nothing mentions any more go, so that a long-lived daemon does not grow. */
static void drop_empty_slots(struct index *x, struct slot *const *touched, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct slot *s = touched[i];

		if (s->n_defs || s->n_groups || s->built)
			continue;
		map_remove(x->slots, s->key);
		slot_free(s);
	}
}

int index_update(struct index *x, struct shared_settings *settings,
		 struct index_clashes *ret_clashes, struct world **ret_world)
{
	_cleanup_index_clashes_ struct index_clashes clashes = {0};
	_cleanup_(world_unrefp) struct world *world = NULL;
	size_t i;
	int r;

	r = index_claim_settings(x, &settings->s);
	if (r < 0)
		return r;
	/* A slot is built once, however often files are replaced because of others. */
	for (i = 0; i < x->n_dirty; i++) {
		if (!x->dirty[i]->stale)
			continue;
		r = slot_build(x, x->dirty[i], &clashes);
		if (r < 0)
			return r;
	}
	r = index_clash_claims(x, &clashes);
	if (r < 0)
		return r;
	if (clashes.n) {
		/* The slots stay dirty: they are built again when files have been changed. */
		*ret_clashes = clashes;
		clashes = (struct index_clashes){0};
		return 0;
	}
	if (x->n_dirty > 1)
		qsort(x->dirty, x->n_dirty, sizeof(*x->dirty), compare_slots);
	r = make_world(x, settings, x->dirty, x->n_dirty, &world);
	if (r < 0)
		return r;
	world_unref(x->world);
	x->world = world_ref(world);
	index_find_chains(x);
	for (i = 0; i < x->n_dirty; i++)
		x->dirty[i]->dirty = false;
	drop_empty_slots(x, x->dirty, x->n_dirty);
	x->n_dirty = 0;
	*ret_clashes = (struct index_clashes){0};
	*ret_world = TAKE_PTR(world);
	return 0;
}

const struct service_def *index_definition(const struct index *x, const char *key)
{
	const struct slot *s = map_get(x->slots, key);

	return s && s->n_defs ? s->defs[0].def : NULL;
}

int index_place(const struct index *x, const char *key, struct place *ret)
{
	const struct service_def *d = index_definition(x, key);

	if (!d)
		return -ENOENT;
	*ret = d->at;
	return 0;
}
