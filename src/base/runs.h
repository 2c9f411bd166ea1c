/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

/*
 * Ownership of long lists of reference-counted objects that are made again and again with few
 * changes: a list of 10,000 services of which one changed must not cost 10,000 references taken and
 * given back. References are held by runs of neighbours, and a run that stands in the previous list
 * too is shared. The list itself stays a plain array of its owner; this only keeps alive what it
 * points to.
 */

#define RUN_MAX 128
/* Sums over the objects, kept by run for the same reason. */
#define RUN_SUMS 5

struct run {
	unsigned refs;
	size_t n;
	size_t sums[RUN_SUMS];
	void *items[];
};

/* Initialise with {0}. */
struct runs {
	struct run **items;
	size_t n, allocated;
	size_t sums[RUN_SUMS];
};

struct runs_ops {
	void (*ref)(void *object);
	void (*unref)(void *object);
	/* Adds what the object counts for; NULL: nothing is counted. */
	void (*sum)(const void *object, size_t sums[RUN_SUMS]);
};

/*
 * Takes hold of n objects, in this order. Runs of previous (may be NULL; made with the same ops)
 * are shared where they stand in the same order. -ENOMEM: ret is untouched and nothing is held.
 */
int runs_make(void *const *objects, size_t n, const struct runs *previous,
	      const struct runs_ops *ops, struct runs *ret);
void runs_done(struct runs *r, const struct runs_ops *ops);
