/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"

#include <errno.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Chunks double from the first to the last size: there may be tens of thousands of arenas at once,
 * most of them small (one for each imported object). */
#define CHUNK_FIRST ((size_t)1024)
#define CHUNK_SIZE ((size_t)16 * 1024)
/* Requests above this get a chunk of their own, so that the rest of the current one is not wasted.
 */
#define BIG_SIZE (CHUNK_SIZE / 4)

struct chunk {
	struct chunk *next;
	size_t used;
	size_t size;
	alignas(max_align_t) char data[];
};

struct arena {
	struct chunk *small; /* the head is the one that is being filled */
	struct chunk *big;   /* one block each */
};

int arena_new(struct arena **ret)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	*ret = a;
	return 0;
}

static void free_chunks(struct chunk *c)
{
	while (c) {
		struct chunk *next = c->next;

		free(c);
		c = next;
	}
}

struct arena *arena_free(struct arena *a)
{
	if (!a)
		return NULL;
	free_chunks(a->small);
	free_chunks(a->big);
	free(a);
	return NULL;
}

/* Puts a new chunk at the head of the list. */
static struct chunk *chunk_add(struct chunk **list, size_t size)
{
	struct chunk *c = calloc(1, offsetof(struct chunk, data) + size);

	if (!c)
		return NULL;
	c->size = size;
	c->next = *list;
	*list = c;
	return c;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct chunk *c = a->small;
	void *block;

	if (size > SIZE_MAX / 2)
		return NULL;
	/* A block of no bytes still has an address of its own. */
	size = (MAX_OF(size, (size_t)1) + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);

	if (size > BIG_SIZE) {
		c = chunk_add(&a->big, size);
	} else if (!c || c->size - c->used < size) {
		size_t next = c ? MIN_OF(c->size * 2, CHUNK_SIZE) : CHUNK_FIRST;

		c = chunk_add(&a->small, MAX_OF(next, size));
	}
	if (!c)
		return NULL;
	block = c->data + c->used;
	c->used += size;
	return block;
}

char *arena_strndup(struct arena *a, const char *text, size_t n)
{
	char *copy;

	if (n == SIZE_MAX)
		return NULL;
	copy = arena_alloc(a, n + 1);
	if (copy)
		memcpy(copy, text, n);
	return copy;
}

char *arena_strdup(struct arena *a, const char *text)
{
	return arena_strndup(a, text, strlen(text));
}

char *arena_printf(struct arena *a, const char *format, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0)
		return NULL;
	text = arena_alloc(a, (size_t)n + 1);
	if (!text)
		return NULL;
	va_start(ap, format);
	(void)vsnprintf(text, (size_t)n + 1, format, ap);
	va_end(ap);
	return text;
}
