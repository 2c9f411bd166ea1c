/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The map asks for memory here; the test decides whether it gets any. */
static unsigned allocations_left = UINT_MAX;

static int may_allocate(void)
{
	if (allocations_left == 0)
		return 0;
	if (allocations_left != UINT_MAX)
		allocations_left--;
	return 1;
}

static void *scarce_malloc(size_t size)
{
	return may_allocate() ? malloc(size) : NULL;
}

static void *scarce_calloc(size_t n, size_t size)
{
	return may_allocate() ? calloc(n, size) : NULL;
}

#define malloc scarce_malloc
#define calloc scarce_calloc
#include "base/map.c"
#undef malloc
#undef calloc

static int values[1000];

/* cmocka's asserts return as far as the compiler knows; abort() does not. */
static struct map *new_map(void)
{
	struct map *m = NULL;

	if (map_new(&m) < 0)
		abort();
	return m;
}

static void test_basic(void **state)
{
	_cleanup_(map_freep) struct map *m = new_map();
	char key[] = "default/nginx";

	(void)state;
	assert_int_equal(map_size(m), 0);
	assert_null(map_get(m, "x"));
	assert_null(map_remove(m, "x"));

	assert_int_equal(map_put(m, key, &values[1]), 0);
	memset(key, 'x', sizeof(key) - 1); /* the map has its own copy */
	assert_ptr_equal(map_get(m, "default/nginx"), &values[1]);
	assert_null(map_get(m, key));
	assert_null(map_get(m, "default/ngin"));
	assert_null(map_get(m, "default/nginx2"));
	assert_null(map_get(m, ""));

	assert_int_equal(map_put(m, "default/nginx", &values[2]), 0); /* replaces */
	assert_int_equal(map_size(m), 1);
	assert_ptr_equal(map_get(m, "default/nginx"), &values[2]);

	assert_int_equal(map_put(m, "", &values[3]), 0);
	assert_int_equal(map_size(m), 2);
	assert_ptr_equal(map_get(m, ""), &values[3]);

	assert_ptr_equal(map_remove(m, "default/nginx"), &values[2]);
	assert_null(map_remove(m, "default/nginx"));
	assert_int_equal(map_size(m), 1);
	assert_null(map_get(m, "default/nginx"));
}

static void test_bytes(void **state)
{
	_cleanup_(map_freep) struct map *m = new_map();

	(void)state;
	assert_int_equal(map_put_bytes(m, "a\0b", 3, &values[0]), 0);
	assert_int_equal(map_put_bytes(m, "a\0c", 3, &values[1]), 0);
	assert_int_equal(map_put_bytes(m, "a", 1, &values[2]), 0);
	assert_int_equal(map_put_bytes(m, "a\0", 2, &values[3]), 0);
	assert_int_equal(map_put_bytes(m, NULL, 0, &values[4]), 0);
	assert_int_equal(map_size(m), 5);
	assert_ptr_equal(map_get_bytes(m, "a\0b", 3), &values[0]);
	assert_ptr_equal(map_get_bytes(m, "a\0c", 3), &values[1]);
	assert_ptr_equal(map_get_bytes(m, "a", 1), &values[2]);
	assert_ptr_equal(map_get_bytes(m, "a\0", 2), &values[3]);
	assert_ptr_equal(map_get_bytes(m, NULL, 0), &values[4]);
	assert_null(map_get_bytes(m, "a\0b\0", 4));
	assert_ptr_equal(map_remove_bytes(m, "a", 1), &values[2]);
	assert_ptr_equal(map_get_bytes(m, "a\0", 2), &values[3]);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Iterates and compares with the array that says what must be in the map. */
static void check_all(const struct map *m, int *const *expected, size_t n_expected)
{
	char seen[ELEMENTSOF(values)] = {0};
	const char *key;
	size_t pos = 0, n = 0;
	void *value;

	while (map_next(m, &pos, &key, &value)) {
		int *v = value;
		size_t i = (size_t)(v - values);
		char text[16];

		assert_in_range(i, 0, n_expected - 1);
		(void)snprintf(text, sizeof(text), "key-%zu", i);
		assert_string_equal(key, text);
		assert_ptr_equal(expected[i], value);
		assert_int_equal(seen[i], 0);
		seen[i] = 1;
		n++;
	}
	assert_false(map_next(m, &pos, &key, &value)); /* and stays at the end */
	assert_int_equal(n, map_size(m));
}

static void test_random(void **state)
{
	_cleanup_(map_freep) struct map *m = new_map();
	static int *expected[ELEMENTSOF(values)];
	uint32_t seed = 20240607;
	size_t size = 0;

	(void)state;
	for (int step = 0; step < 300000; step++) {
		/* the range of keys breathes, so that the map is now crowded, now nearly empty */
		size_t range = step / 30000 % 2 ? 20 : ELEMENTSOF(values);
		size_t i = next_random(&seed) % range;
		char key[16];

		(void)snprintf(key, sizeof(key), "key-%zu", i);
		switch (next_random(&seed) % 5) {
		case 0:
		case 1:
			assert_int_equal(map_put(m, key, &values[i]), 0);
			size += !expected[i];
			expected[i] = &values[i];
			break;
		case 2:
		case 3:
			assert_ptr_equal(map_remove(m, key), expected[i]);
			size -= expected[i] != NULL;
			expected[i] = NULL;
			break;
		default:
			assert_ptr_equal(map_get(m, key), expected[i]);
			break;
		}
		assert_int_equal(map_size(m), size);
		if (step % 5000 == 0)
			check_all(m, expected, ELEMENTSOF(values));
	}
	for (size_t i = 0; i < ELEMENTSOF(values); i++) {
		char key[16];

		(void)snprintf(key, sizeof(key), "key-%zu", i);
		assert_ptr_equal(map_remove(m, key), expected[i]);
		expected[i] = NULL;
		check_all(m, expected, ELEMENTSOF(values));
	}
	assert_int_equal(map_size(m), 0);
}

/* A map that only loses and gains does not grow: there are no tombstones. */
static void test_no_growth(void **state)
{
	_cleanup_(map_freep) struct map *m = new_map();

	(void)state;
	for (int i = 0; i < 10000; i++) {
		char key[16];

		(void)snprintf(key, sizeof(key), "%d", i);
		assert_int_equal(map_put(m, key, &values[0]), 0);
		assert_ptr_equal(map_remove(m, key), &values[0]);
	}
	assert_int_equal(m->n_slots, FIRST_SLOTS);
}

static unsigned n_freed;

static void count_free(void *value)
{
	n_freed++;
	free(value);
}

static void test_free_values(void **state)
{
	struct map *m = new_map();

	(void)state;
	for (int i = 0; i < 100; i++) {
		char key[16];

		(void)snprintf(key, sizeof(key), "%d", i);
		assert_int_equal(map_put(m, key, strdup(key)), 0);
	}
	assert_null(map_free_values(m, count_free));
	assert_int_equal(n_freed, 100);
	assert_null(map_free_values(NULL, count_free));
	assert_null(map_free(NULL));
	assert_int_equal(n_freed, 100);
}

static void test_no_memory(void **state)
{
	struct map *poison = (struct map *)values, *m = poison;
	char key[16];

	(void)state;
	allocations_left = 0;
	assert_int_equal(map_new(&m), -ENOMEM);
	assert_ptr_equal(m, poison);

	allocations_left = 1;
	m = new_map();
	assert_int_equal(map_put(m, "a", &values[0]), -ENOMEM);
	allocations_left = 1; /* enough for the slots, not for the entry */
	assert_int_equal(map_put(m, "a", &values[0]), -ENOMEM);
	assert_int_equal(map_size(m), 0);
	assert_null(map_get(m, "a"));

	allocations_left = UINT_MAX;
	for (int i = 0; i < 12; i++) {
		(void)snprintf(key, sizeof(key), "key-%d", i);
		assert_int_equal(map_put(m, key, &values[i]), 0);
	}
	/* the 13th entry needs a bigger table */
	allocations_left = 0;
	assert_int_equal(map_put(m, "key-12", &values[12]), -ENOMEM);
	allocations_left = 1;
	assert_int_equal(map_put(m, "key-12", &values[12]), -ENOMEM);
	assert_null(map_get(m, "key-12"));
	allocations_left = 0;
	assert_int_equal(map_put(m, "key-3", &values[20]), 0); /* replacing needs none */
	assert_int_equal(map_size(m), 12);
	for (int i = 0; i < 12; i++) {
		(void)snprintf(key, sizeof(key), "key-%d", i);
		assert_ptr_equal(map_get(m, key), &values[i == 3 ? 20 : i]);
	}
	allocations_left = UINT_MAX;
	map_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_basic),	    cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_random),	    cmocka_unit_test(test_no_growth),
		cmocka_unit_test(test_free_values), cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
