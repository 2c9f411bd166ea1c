/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

#include "base/cleanup.h"

/*
 * Hash map from byte strings to pointers. Keys are copied; values are the caller's (map_free() does
 * not free them unless told). Iteration order is unspecified: nothing that is printed or sent to
 * the kernel may depend on it.
 */
struct map;

int map_new(struct map **ret); /* -ENOMEM */
struct map *map_free(struct map *m);
/* Calls free_value on every value first. */
struct map *map_free_values(struct map *m, void (*free_value)(void *value));
DEFINE_CLEANUP(struct map, map_free);

size_t map_size(const struct map *m);

/* Text keys. */
void *map_get(const struct map *m, const char *key); /* NULL when absent */
/* Replaces silently; -ENOMEM leaves the content as it was. */
int map_put(struct map *m, const char *key, void *value);
void *map_remove(struct map *m, const char *key); /* the value taken out, or NULL */

/* Keys of any bytes. Do not mix with text keys in one map: the length is part of the key. */
void *map_get_bytes(const struct map *m, const void *key, size_t n);
int map_put_bytes(struct map *m, const void *key, size_t n, void *value);
void *map_remove_bytes(struct map *m, const void *key, size_t n);

/* Iterates: start with *pos = 0; false when done. The map must not be changed meanwhile, except
 * that nothing forbids changing what the values point to. */
int map_next(const struct map *m, size_t *pos, const char **ret_key, void **ret_value);
