/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/world.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

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

struct world *world_ref(struct world *w)
{
	w->refs++;
	return w;
}

struct world *world_unref(struct world *w)
{
	if (!w || --w->refs > 0)
		return NULL;
	for (size_t i = 0; i < w->n_services; i++)
		service_unref(w->services[i]);
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
	      struct world **ret)
{
	struct world *w = malloc(sizeof(*w) + n * sizeof(struct service *));

	if (!w)
		return -ENOMEM;
	*w = (struct world){
		.refs = 1,
		.settings = shared_settings_ref(settings),
		.services = (struct service **)(w + 1),
		.n_services = n,
	};
	for (size_t i = 0; i < n; i++) {
		const struct service *one = services[i];

		w->services[i] = service_ref(services[i]);
		w->n_endpoints += one->n_endpoints[ADDR_IPV4] + one->n_endpoints[ADDR_IPV6];
	}
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
