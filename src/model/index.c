/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/index.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "model/claims.h"

/*
 * A slot is all that is known of one service key: the definitions and groups that files state, and
 * the service built from them. A claim is one thing that only one service may own. A claim with two
 * owners is contested, and no world is made while one is.
 */

struct def_ref {
	const char *file;
	const struct service_def *def;
};

struct group_ref {
	const char *file;
	unsigned position; /* in the file */
	struct endpoint_group *group;
};

struct slot {
	char *key;
	struct def_ref *defs; /* by file; more than one is a clash */
	size_t n_defs, defs_allocated;
	struct group_ref *groups; /* by file, then position */
	size_t n_groups, groups_allocated;
	struct service *built; /* NULL: no definition */
	/* The definition whose claims are in the map; borrowed. */
	const struct service_def *claimed;
	struct claimant claimant;
	struct diags problems;
	uint64_t detached; /* the detach() that was here last */
	bool dirty;	   /* on the index's list: not yet part of a world */
	bool stale;	   /* dirty, and not yet built from what it holds now */
};

struct index_file {
	struct objects objects; /* the arrays and what they hold are borrowed */
};

struct index {
	struct map *files; /* struct index_file */
	struct map *slots; /* struct slot */
	struct claims claims;
	struct slot **dirty;
	size_t n_dirty, dirty_allocated;
	size_t n_problems;   /* slots with messages */
	uint64_t n_detached; /* calls of detach() */
	struct world *world; /* the last one made */
};

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
	free(x->dirty);
	world_unref(x->world);
	free(x);
	return NULL;
}

void index_clashes_done(struct index_clashes *c)
{
	for (size_t i = 0; i < c->n; i++)
		diags_done(&c->items[i].diags);
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

/* Clashes */

static int clash_add(struct index_clashes *c, const char *file_a, const char *file_b,
		     struct diags **ret_diags)
{
	int r = array_reserve(&c->items, &c->allocated, c->n + 1);

	if (r < 0)
		return r;
	c->items[c->n] = (struct index_clash){.files = {file_a, file_b}};
	*ret_diags = &c->items[c->n++].diags;
	return 0;
}

static const char *place_text(const struct place *p, struct strbuf *b)
{
	strbuf_addf(b, "%s", p->file ? p->file : "?");
	if (p->line > 0)
		strbuf_addf(b, ":%d", p->line);
	return strbuf_text(b);
}

/* Each definition but the first clashes with the first. */
static int clash_twice(struct index_clashes *c, const struct slot *s)
{
	const struct service_def *first = s->defs[0].def;

	for (size_t i = 1; i < s->n_defs; i++) {
		_cleanup_strbuf_ struct strbuf b = {0};
		struct diags *d;
		int r = clash_add(c, s->defs[0].file, s->defs[i].file, &d);

		if (r < 0)
			return r;
		diags_add(d, DIAG_ERROR, &s->defs[i].def->at, s->key, "name", s->key,
			  "names are unique over all files: take one of the two out",
			  "the service is defined twice, here and at %s",
			  place_text(&first->at, &b));
		if (strbuf_error(&b) || d->error)
			return -ENOMEM;
	}
	return 0;
}

/* The order in which files are read, and services within a file. */
static bool read_before(const struct slot *a, const struct slot *b)
{
	int c = strcmp(a->defs[0].file, b->defs[0].file);

	return c ? c < 0 : a->defs[0].def->position < b->defs[0].def->position;
}

static const struct slot *slot_of(const struct owner *o)
{
	return o->claimant->who;
}

static int clash_pair(struct index_clashes *c, const struct claim *claim, const struct owner *first,
		      const struct owner *second)
{
	_cleanup_strbuf_ struct strbuf where = {0}, value = {0};
	const struct slot *a = slot_of(first), *b = slot_of(second);
	const struct claim_key *key = &claim->key;
	char text[ADDR_PORT_TEXT_MAX];
	struct diags *d;
	int r;

	r = clash_add(c, a->defs[0].file, b->defs[0].file, &d);
	if (r < 0)
		return r;
	if (key->kind == CLAIM_NODE_PORT)
		strbuf_addf(&value, "%u", key->port);
	else
		strbuf_add(&value, addr_port_format(&key->addr, key->port, text));
	strbuf_addf(&value, "/%s", svc_proto_text((enum svc_proto)key->protocol));
	diags_add(d, DIAG_ERROR, &b->defs[0].def->at, b->key, second->field, strbuf_text(&value),
		  key->kind == CLAIM_NODE_PORT
			  ? "a node port, with its protocol, belongs to one service"
			  : "an address, port and protocol belongs to one service",
		  "is also claimed by service '%s' (%s) at %s", a->key, first->field,
		  place_text(&a->defs[0].def->at, &where));
	return strbuf_error(&value) || strbuf_error(&where) ? -ENOMEM : d->error;
}

/* Each owner but the one that is read first is told. */
static int clash_claim(struct index_clashes *c, const struct claim *claim)
{
	const struct owner *o, *first = claim->owners;
	int r;

	for (o = first->next; o; o = o->next)
		if (read_before(slot_of(o), slot_of(first)))
			first = o;
	for (o = claim->owners; o; o = o->next) {
		if (o == first)
			continue;
		r = clash_pair(c, claim, first, o);
		if (r < 0)
			return r;
	}
	return 0;
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
		return clash_twice(clashes, s);
	if (!def) {
		for (i = 0; i < s->n_groups; i++)
			diags_add(&problems, DIAG_WARNING, &s->groups[i].group->at, s->key,
				  "service", s->key, "they are used when the service appears",
				  "there is no such service: its endpoints are not used");
		if (problems.error)
			return problems.error;
		slot_set_problems(x, s, &problems);
		s->built = service_unref(s->built);
		s->stale = false;
		return 0;
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

		r = clash_add(clashes, s->defs[0].file, file_of_error(s, &problems), &d);
		if (r < 0)
			return r;
		diags_move(d, &problems);
		return d->error;
	}
	if (r < 0)
		return r;
	slot_set_problems(x, s, &problems);
	s->stale = false;
	/* What the last world has stays the same object, also when it was something else in
	 * between: a file was put in and replaced again because of a clash. */
	old = x->world ? world_find(x->world, s->key) : NULL;
	service_unref(s->built);
	s->built = old && service_equal(old, new) ? service_ref(old) : TAKE_PTR(new);
	return 0;
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
	const struct claim *claim;
	size_t i, pos = 0;
	int r;

	/* A slot is built once, however often files are replaced because of others. */
	for (i = 0; i < x->n_dirty; i++) {
		if (!x->dirty[i]->stale)
			continue;
		r = slot_build(x, x->dirty[i], &clashes);
		if (r < 0)
			return r;
	}
	while ((claim = claims_next_contested(&x->claims, &pos))) {
		r = clash_claim(&clashes, claim);
		if (r < 0)
			return r;
	}
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
	for (i = 0; i < x->n_dirty; i++)
		x->dirty[i]->dirty = false;
	drop_empty_slots(x, x->dirty, x->n_dirty);
	x->n_dirty = 0;
	*ret_clashes = (struct index_clashes){0};
	*ret_world = TAKE_PTR(world);
	return 0;
}

void index_problems(const struct index *x, struct diags *d)
{
	const char *key;
	size_t pos = 0;
	void *value;

	if (x->n_problems == 0)
		return;
	while (map_next(x->slots, &pos, &key, &value))
		diags_copy(d, &((struct slot *)value)->problems);
}

int index_place(const struct index *x, const char *key, struct place *ret)
{
	const struct slot *s = map_get(x->slots, key);

	if (!s || !s->n_defs)
		return -ENOENT;
	*ret = s->defs[0].def->at;
	return 0;
}
