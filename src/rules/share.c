/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules/share.h"

#include <errno.h>
#include <stdlib.h>

void share_done(struct share *s, const struct share_ops *ops)
{
	runs_done(&s->runs, &ops->runs);
	free(s->fragments);
	free(s->made);
	free(s->dropped);
	*s = (struct share){0};
}

static int allocate(struct share *s, size_t n, size_t n_old)
{
	if (n > 0) {
		s->fragments = calloc(n, sizeof(void *));
		s->made = calloc(n, sizeof(void *));
		if (!s->fragments || !s->made)
			return -ENOMEM;
	}
	if (n_old > 0) {
		s->dropped = calloc(n_old, sizeof(void *));
		if (!s->dropped)
			return -ENOMEM;
	}
	return 0;
}

/* Fragments of previous are found beside the services that they belong to, without looking at
 * either: two sorted lists of pointers are walked. */
static int find(struct share *s, const struct world *world, const struct share_previous *previous,
		size_t n_old, const void *env, const struct share_ops *ops)
{
	struct service *const *old = n_old ? previous->world->services : NULL;
	size_t at = 0;
	int r;

	for (size_t i = 0; i < world->n_services; i++) {
		struct service *service = world->services[i];

		while (at < n_old && old[at] != service &&
		       service_key_compare(old[at]->key, service->key) <= 0)
			s->dropped[s->n_dropped++] = previous->fragments[at++];
		if (at < n_old && old[at] == service) {
			s->fragments[i] = previous->fragments[at++];
			continue;
		}
		r = ops->compile(env, service, &s->fragments[i]);
		if (r < 0)
			return r;
		s->made[s->n_made++] = s->fragments[i];
	}
	while (at < n_old)
		s->dropped[s->n_dropped++] = previous->fragments[at++];
	return 0;
}

int share_make(const struct world *world, const struct share_previous *previous, const void *env,
	       const struct share_ops *ops, struct share *ret)
{
	size_t n_old = previous && previous->lend ? previous->world->n_services : 0;
	struct share s = {0};
	int r;

	r = allocate(&s, world->n_services, n_old);
	if (r == 0)
		r = find(&s, world, previous, n_old, env, ops);
	if (r == 0)
		r = runs_make(s.fragments, world->n_services, previous ? previous->runs : NULL,
			      &ops->runs, &s.runs);
	/* The runs hold references of their own. */
	for (size_t i = 0; i < s.n_made; i++)
		ops->runs.unref(s.made[i]);
	if (r < 0) {
		share_done(&s, ops);
		return r;
	}
	*ret = s;
	return 0;
}
