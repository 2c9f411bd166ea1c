/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/map.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Open addressing with linear probing. The table has 2^k slots and is at most three quarters full,
 * so a search always meets an empty slot. Removing closes the gap (see remove_slot()): there are no
 * tombstones, and a map that shrinks and grows for ever does not slow down.
 */

#define FIRST_SLOTS 16

struct entry {
	void *value;
	size_t n;
	char key[]; /* n bytes and a NUL */
};

struct slot {
	uint64_t hash;
	struct entry *entry; /* NULL: empty */
};

struct map {
	struct slot *slots;
	size_t n_slots; /* 0 or a power of two */
	size_t n_entries;
};

/* FNV-1a, then mixed, because only low bits choose the slot. */
static uint64_t hash_bytes(const void *key, size_t n)
{
	const unsigned char *p = key;
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	h ^= h >> 32;
	h *= UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

int map_new(struct map **ret)
{
	struct map *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	*ret = m;
	return 0;
}

struct map *map_free_values(struct map *m, void (*free_value)(void *value))
{
	if (!m)
		return NULL;
	for (size_t i = 0; i < m->n_slots; i++) {
		if (m->slots[i].entry && free_value)
			free_value(m->slots[i].entry->value);
		free(m->slots[i].entry);
	}
	free(m->slots);
	free(m);
	return NULL;
}

struct map *map_free(struct map *m)
{
	return map_free_values(m, NULL);
}

size_t map_size(const struct map *m)
{
	return m->n_entries;
}

/* The slot that holds the key, or the empty one where it would go. The table must not be empty. */
static struct slot *find_slot(const struct map *m, uint64_t hash, const void *key, size_t n)
{
	for (size_t i = hash & (m->n_slots - 1);; i = (i + 1) & (m->n_slots - 1)) {
		struct slot *s = &m->slots[i];

		if (!s->entry)
			return s;
		if (s->hash == hash && s->entry->n == n &&
		    (n == 0 || memcmp(s->entry->key, key, n) == 0))
			return s;
	}
}

static int grow(struct map *m)
{
	size_t n_slots = m->n_slots > 0 ? m->n_slots * 2 : FIRST_SLOTS;
	struct slot *slots = calloc(n_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < m->n_slots; i++) {
		size_t to;

		if (!m->slots[i].entry)
			continue;
		to = m->slots[i].hash & (n_slots - 1);
		while (slots[to].entry)
			to = (to + 1) & (n_slots - 1);
		slots[to] = m->slots[i];
	}
	free(m->slots);
	m->slots = slots;
	m->n_slots = n_slots;
	return 0;
}

void *map_get_bytes(const struct map *m, const void *key, size_t n)
{
	const struct slot *s;

	if (m->n_entries == 0)
		return NULL;
	s = find_slot(m, hash_bytes(key, n), key, n);
	return s->entry ? s->entry->value : NULL;
}

static struct entry *entry_new(const void *key, size_t n, void *value)
{
	struct entry *e;

	if (n > SIZE_MAX - sizeof(*e) - 1)
		return NULL;
	e = malloc(sizeof(*e) + n + 1);
	if (!e)
		return NULL;
	e->value = value;
	e->n = n;
	if (n > 0)
		memcpy(e->key, key, n);
	e->key[n] = '\0';
	return e;
}

#ifndef __clang__
#pragma GCC diagnostic push
/* gcc 12 loses sight of an entry that is stored at a computed index; map_free() frees them all */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

int map_put_bytes(struct map *m, const void *key, size_t n, void *value)
{
	uint64_t hash = hash_bytes(key, n);
	struct entry *e;

	if (m->n_slots > 0) {
		const struct slot *s = find_slot(m, hash, key, n);

		if (s->entry) {
			s->entry->value = value;
			return 0;
		}
	}
	if (m->n_entries >= m->n_slots / 4 * 3) {
		int r = grow(m);

		if (r < 0)
			return r;
	}
	e = entry_new(key, n, value);
	if (!e)
		return -ENOMEM;
	m->n_entries++;
	*find_slot(m, hash, key, n) = (struct slot){.hash = hash, .entry = e};
	return 0;
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

/* Empties a slot and moves later entries of the same run back, where that brings them nearer to
 * their home slot; otherwise a search would stop at the gap and miss them. */
static void remove_slot(struct map *m, size_t gap)
{
	size_t mask = m->n_slots - 1;

	for (size_t i = (gap + 1) & mask; m->slots[i].entry; i = (i + 1) & mask) {
		size_t home = m->slots[i].hash & mask;

		/* It may move if its home is not between the gap (exclusive) and itself. */
		if (((i - home) & mask) >= ((i - gap) & mask)) {
			m->slots[gap] = m->slots[i];
			gap = i;
		}
	}
	m->slots[gap] = (struct slot){0};
}

void *map_remove_bytes(struct map *m, const void *key, size_t n)
{
	struct slot *s;
	void *value;

	if (m->n_entries == 0)
		return NULL;
	s = find_slot(m, hash_bytes(key, n), key, n);
	if (!s->entry)
		return NULL;
	value = s->entry->value;
	free(s->entry);
	remove_slot(m, (size_t)(s - m->slots));
	m->n_entries--;
	return value;
}

void *map_get(const struct map *m, const char *key)
{
	return map_get_bytes(m, key, strlen(key));
}

#ifndef __clang__
#pragma GCC diagnostic push
/* gcc 12 loses sight of an entry that is stored at a computed index; map_free() frees them all */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

int map_put(struct map *m, const char *key, void *value)
{
	return map_put_bytes(m, key, strlen(key), value);
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

void *map_remove(struct map *m, const char *key)
{
	return map_remove_bytes(m, key, strlen(key));
}

int map_next(const struct map *m, size_t *pos, const char **ret_key, void **ret_value)
{
	for (size_t i = *pos; i < m->n_slots; i++) {
		const struct entry *e = m->slots[i].entry;

		if (!e)
			continue;
		*pos = i + 1;
		if (ret_key)
			*ret_key = e->key;
		if (ret_value)
			*ret_value = e->value;
		return 1;
	}
	*pos = m->n_slots;
	return 0;
}
