/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/runs.h"
#include "model/world.h"

/*
 * Compiled parts ("fragments"), one for each service of a world, made anew only where the service
 * is another object than in the state before. Used by the compilers of all modes; they know the
 * type.
 */
struct share_ops {
	struct runs_ops runs; /* references of fragments */
	/* A new fragment with one reference. env is what fragments_make() was given. */
	int (*compile)(const void *env, struct service *service, void **ret);
};

/* The state before, as far as its fragments may be shared. */
struct share_previous {
	const struct world *world;
	void *const *fragments; /* parallel to world->services */
	const struct runs *runs;
	bool lend; /* false: what fragments depend on has changed, none is shared */
};

struct share {
	void **fragments; /* parallel to the world's services; NULL for a world without any */
	struct runs runs; /* keeps them alive */
	/* What changed against a state that lends, not owned: fragments made here, and those of the
	 * state before that are not in this one. */
	void **made, **dropped;
	size_t n_made, n_dropped;
};
/* previous may be NULL. -ENOMEM. */
int share_make(const struct world *world, const struct share_previous *previous, const void *env,
	       const struct share_ops *ops, struct share *ret);
/* Gives back what is left in it: take fragments and runs out before. */
void share_done(struct share *s, const struct share_ops *ops);
