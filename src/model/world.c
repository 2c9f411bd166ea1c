/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/world.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "model/view.h"

struct shared_settings *shared_settings_ref(struct shared_settings *s)
{
	s->refs++;
	return s;
}

struct shared_settings *shared_settings_unref(struct shared_settings *s)
{
	if (!s || --s->refs > 0)
		return NULL;
	settings_done(&s->s);
	free(s);
	return NULL;
}

static void ref_service(void *s)
{
	service_ref(s);
}

static void unref_service(void *s)
{
	service_unref(s);
}

enum service_sum {
	SUM_IN_FAMILY,				       /* + family */
	SUM_SERVED = SUM_IN_FAMILY + _ADDR_FAMILY_MAX, /* + family */
	SUM_ENDPOINTS = SUM_SERVED + _ADDR_FAMILY_MAX,
	_SUM_MAX,
};
_Static_assert(_SUM_MAX <= RUN_SUMS, "runs have too few sums");

static void sum_service(const void *object, size_t sums[RUN_SUMS])
{
	const struct service *s = object;

	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		if (view_serves(s->def, (enum addr_family)f)) {
			sums[SUM_IN_FAMILY + f]++;
			sums[SUM_SERVED + f] += s->n_endpoints[f];
		}
		sums[SUM_ENDPOINTS] += s->n_endpoints[f];
	}
}

static const struct runs_ops service_runs = {ref_service, unref_service, sum_service};

struct world *world_ref(struct world *w)
{
	w->refs++;
	return w;
}

struct world *world_unref(struct world *w)
{
	if (!w || --w->refs > 0)
		return NULL;
	runs_done(&w->runs, &service_runs);
	shared_settings_unref(w->settings);
	free(w);
	return NULL;
}

/* The slash sorts before all other bytes, so that a namespace sorts before longer ones that start
 * with it. */
static int key_byte(char c)
{
	if (c == '\0')
		return 0;
	return c == '/' ? 1 : (unsigned char)c + 1;
}

int service_key_compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return key_byte(*a) - key_byte(*b);
}

int world_new(struct shared_settings *settings, struct service *const *services, size_t n,
	      const struct world *previous, struct world **ret)
{
	struct world *w = malloc(sizeof(*w) + n * sizeof(struct service *));
	int r;

	if (!w)
		return -ENOMEM;
	*w = (struct world){.refs = 1, .services = (struct service **)(w + 1), .n_services = n};
	if (n > 0)
		memcpy(w->services, services, n * sizeof(*services));
	r = runs_make((void *const *)w->services, n, previous ? &previous->runs : NULL,
		      &service_runs, &w->runs);
	if (r < 0) {
		free(w);
		return r;
	}
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		w->n_in_family[f] = w->runs.sums[SUM_IN_FAMILY + f];
		w->n_served[f] = w->runs.sums[SUM_SERVED + f];
	}
	w->n_endpoints = w->runs.sums[SUM_ENDPOINTS];
	w->settings = shared_settings_ref(settings);
	*ret = w;
	return 0;
}

struct service *world_find(const struct world *w, const char *key)
{
	size_t low = 0, high = w->n_services;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = service_key_compare(key, w->services[middle]->key);

		if (order == 0)
			return w->services[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}
