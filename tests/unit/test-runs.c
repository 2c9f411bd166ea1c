/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/runs.h"

struct thing {
	unsigned refs;
	size_t weight;
};

#define N_THINGS 2000

static void ref_thing(void *p)
{
	((struct thing *)p)->refs++;
}

static void unref_thing(void *p)
{
	struct thing *t = p;

	assert_true(t->refs > 0);
	t->refs--;
}

static void sum_thing(const void *p, size_t sums[RUN_SUMS])
{
	sums[0] += ((const struct thing *)p)->weight;
	sums[RUN_SUMS - 1]++;
}

static const struct runs_ops ops = {ref_thing, unref_thing, sum_thing};

/* The runs hold just these objects, in this order, and sum them up. */
static void check(const struct runs *r, void *const *objects, size_t n)
{
	size_t at = 0, weight = 0;

	for (size_t i = 0; i < r->n; i++) {
		assert_true(r->items[i]->n > 0 && r->items[i]->n <= RUN_MAX);
		assert_true(at + r->items[i]->n <= n);
		assert_memory_equal(r->items[i]->items, objects + at,
				    r->items[i]->n * sizeof(void *));
		at += r->items[i]->n;
	}
	assert_int_equal(at, n);
	for (size_t i = 0; i < n; i++)
		weight += ((struct thing *)objects[i])->weight;
	assert_int_equal(r->sums[0], weight);
	assert_int_equal(r->sums[RUN_SUMS - 1], n);
}

static size_t n_shared(const struct runs *a, const struct runs *b)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			n += a->items[i] == b->items[j];
	return n;
}

static void make_things(struct thing *things, void **objects)
{
	for (size_t i = 0; i < N_THINGS; i++) {
		things[i] = (struct thing){.weight = i % 7};
		objects[i] = &things[i];
	}
}

static void test_empty(void **state)
{
	struct runs a = {0}, b = {0};

	(void)state;
	assert_int_equal(runs_make(NULL, 0, NULL, &ops, &a), 0);
	assert_int_equal(a.n, 0);
	assert_int_equal(runs_make(NULL, 0, &a, &ops, &b), 0);
	assert_int_equal(b.n, 0);
	runs_done(&a, &ops);
	runs_done(&b, &ops);
}

static void test_one_change_shares_the_rest(void **state)
{
	_cleanup_free_ struct thing *things = calloc(N_THINGS, sizeof(*things));
	_cleanup_free_ void **objects = calloc(N_THINGS, sizeof(*objects));
	struct thing other = {.weight = 1};
	struct runs a = {0}, b = {0};

	(void)state;
	make_things(things, objects);
	assert_int_equal(runs_make(objects, N_THINGS, NULL, &ops, &a), 0);
	check(&a, objects, N_THINGS);
	objects[1000] = &other;
	assert_int_equal(runs_make(objects, N_THINGS, &a, &ops, &b), 0);
	check(&b, objects, N_THINGS);
	assert_int_equal(n_shared(&a, &b), a.n - 1);
	assert_int_equal(things[0].refs, 1); /* by the run that both share */
	assert_int_equal(other.refs, 1);
	runs_done(&a, &ops);
	check(&b, objects, N_THINGS);
	assert_int_equal(things[1000].refs, 0);
	assert_int_equal(things[0].refs, 1);
	runs_done(&b, &ops);
	for (size_t i = 0; i < N_THINGS; i++)
		assert_int_equal(things[i].refs, 0);
}

/* Insertions, removals and replacements, many times over: always the right objects, all given back
 * in the end, and runs do not become many small ones. */
static void test_random_edits(void **state)
{
	_cleanup_free_ struct thing *things = calloc(N_THINGS, sizeof(*things));
	_cleanup_free_ void **objects = calloc(N_THINGS, sizeof(*objects));
	size_t n = N_THINGS / 2, shared = 0, all = 0;
	struct runs now = {0};
	unsigned seed = 7;

	(void)state;
	make_things(things, objects);
	assert_int_equal(runs_make(objects, n, NULL, &ops, &now), 0);
	for (int step = 0; step < 3000; step++) {
		struct runs next = {0};
		size_t at = (size_t)rand_r(&seed) % (n ? n : 1);

		switch (rand_r(&seed) % 4) {
		case 0: /* insert the first of the unused ones */
			if (n < N_THINGS) {
				void *o = objects[n];

				memmove(objects + at + 1, objects + at, (n - at) * sizeof(void *));
				objects[at] = o;
				n++;
			}
			break;
		case 1: /* remove: it becomes the first unused one */
			if (n > 0) {
				void *o = objects[at];

				memmove(objects + at, objects + at + 1,
					(n - at - 1) * sizeof(void *));
				objects[--n] = o;
			}
			break;
		case 2: /* replace */
			if (n > 0 && n < N_THINGS) {
				void *o = objects[at];

				objects[at] = objects[n];
				objects[n] = o;
			}
			break;
		default: /* a large change */
			if (step % 97 == 0 && n > 600) {
				void *o[500];

				memcpy(o, objects + 50, sizeof(o));
				memmove(objects + 50, objects + 550, (n - 550) * sizeof(void *));
				memcpy(objects + n - 500, o, sizeof(o));
			}
			break;
		}
		assert_int_equal(runs_make(objects, n, &now, &ops, &next), 0);
		check(&next, objects, n);
		shared += n_shared(&now, &next);
		all += next.n;
		runs_done(&now, &ops);
		now = next;
		for (size_t i = 0; i < N_THINGS; i++)
			assert_int_equal(((struct thing *)objects[i])->refs, i < n);
		if (n > RUN_MAX)
			assert_true(now.n <= 4 * (n / RUN_MAX + 1));
	}
	assert_true(shared * 10 > all * 7);
	runs_done(&now, &ops);
	for (size_t i = 0; i < N_THINGS; i++)
		assert_int_equal(things[i].refs, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_one_change_shares_the_rest),
		cmocka_unit_test(test_random_edits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
