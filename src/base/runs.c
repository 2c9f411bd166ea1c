/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/runs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

static void run_unref(struct run *run, const struct runs_ops *ops)
{
	if (--run->refs > 0)
		return;
	for (size_t i = 0; i < run->n; i++)
		ops->unref(run->items[i]);
	free(run);
}

void runs_done(struct runs *r, const struct runs_ops *ops)
{
	for (size_t i = 0; i < r->n; i++)
		run_unref(r->items[i], ops);
	free(r->items);
	*r = (struct runs){0};
}

/* Room for one more has been made. */
static void push(struct runs *r, struct run *run)
{
	r->items[r->n++] = run;
	for (size_t i = 0; i < RUN_SUMS; i++)
		r->sums[i] += run->sums[i];
}

static int add_shared(struct runs *r, struct run *run)
{
	int e = array_reserve(&r->items, &r->allocated, r->n + 1);

	if (e < 0)
		return e;
	run->refs++;
	push(r, run);
	return 0;
}

#ifndef __clang__
#pragma GCC diagnostic push
/* gcc 12 loses sight of a run that is stored at a computed index; runs_done() gives all back */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

static int add_new(struct runs *r, void *const *objects, size_t n, const struct runs_ops *ops)
{
	size_t n_runs = (n + RUN_MAX - 1) / RUN_MAX;
	int e = array_reserve(&r->items, &r->allocated, r->n + n_runs);

	/* Of about the same length: a last one of a few objects would stay small for ever. */
	for (size_t at = 0; e == 0 && at < n; n_runs--) {
		size_t some = (n - at) / n_runs;
		struct run *run = calloc(1, sizeof(*run) + some * sizeof(run->items[0]));

		if (!run)
			return -ENOMEM;
		run->refs = 1;
		run->n = some;
		memcpy(run->items, objects + at, some * sizeof(run->items[0]));
		for (size_t i = 0; i < some; i++) {
			ops->ref(run->items[i]);
			if (ops->sum)
				ops->sum(run->items[i], run->sums);
		}
		push(r, run);
		at += some;
	}
	return e;
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

static bool stands_at(const struct run *run, void *const *objects, size_t n)
{
	return run->n <= n && memcmp(run->items, objects, run->n * sizeof(run->items[0])) == 0;
}

/* How many objects stand before the first that begins a whole run of previous from *next on; that
 * run is then *next. Looks only a little ahead: after a large change runs are simply made anew. A
 * short run counts as changed too, so that many small changes do not leave many small runs. */
static size_t distance(void *const *objects, size_t n, const struct runs *previous, size_t *next)
{
	size_t last = MIN_OF(previous->n, *next + 4);

	for (size_t at = 0; at < n && at <= 2 * (size_t)RUN_MAX; at++) {
		for (size_t k = *next; k < last; k++) {
			const struct run *run = previous->items[k];

			if (run->items[0] != objects[at] || !stands_at(run, objects + at, n - at))
				continue;
			if (run->n < RUN_MAX / 8 && at > 0)
				continue;
			*next = k;
			return at;
		}
	}
	return MIN_OF(n, (size_t)RUN_MAX);
}

#ifndef __clang__
#pragma GCC diagnostic push
/* gcc 12 loses sight of a run that is stored at a computed index; runs_done() gives all back */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

int runs_make(void *const *objects, size_t n, const struct runs *previous,
	      const struct runs_ops *ops, struct runs *ret)
{
	struct runs r = {0};
	size_t at = 0, next = 0;
	int e = 0;

	while (at < n && e == 0) {
		size_t apart = previous && next < previous->n
				       ? distance(objects + at, n - at, previous, &next)
				       : n - at;

		if (apart == 0) {
			e = add_shared(&r, previous->items[next]);
			at += previous->items[next]->n;
			next++;
		} else {
			e = add_new(&r, objects + at, apart, ops);
			at += apart;
		}
	}
	if (e < 0) {
		runs_done(&r, ops);
		return e;
	}
	*ret = r;
	return 0;
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif
