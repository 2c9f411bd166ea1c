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
	free(w->services);
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
	_cleanup_free_ struct service **copy = NULL;
	struct world *w;

	copy = calloc(MAX_OF(n, (size_t)1), sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		copy[i] = service_ref(services[i]);
	w->refs = 1;
	w->settings = shared_settings_ref(settings);
	w->services = TAKE_PTR(copy);
	w->n_services = n;
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
