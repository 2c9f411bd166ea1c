/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

#include "base/cleanup.h"

/* Memory that is given back all at once: parse trees live in one. Blocks are aligned for any type
 * and zeroed. */
struct arena;

int arena_new(struct arena **ret); /* -ENOMEM */
struct arena *arena_free(struct arena *a);
DEFINE_CLEANUP(struct arena, arena_free);

void *arena_alloc(struct arena *a, size_t size); /* NULL when out of memory */
char *arena_strdup(struct arena *a, const char *text);
char *arena_strndup(struct arena *a, const char *text, size_t n); /* copies n bytes, adds a NUL */
char *arena_printf(struct arena *a, const char *format, ...) _printf_(2, 3);
