/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "make-world.h"
#include "model/world.h"

/* In ascending order. */
static const char *const keys[] = {
	"a/a",
	"a/a-b",
	"a/a0",
	"a/aa",
	"a/b",
	"a-b/a",
	"a0/a",
	"aa/a",
	"aa/z",
	"default/nginx",
	"default/nginx-2",
	"default2/nginx",
};

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

static void test_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(keys); i++)
		for (size_t j = 0; j < ELEMENTSOF(keys); j++) {
			int wanted = (i > j) - (i < j);

			if (sign(service_key_compare(keys[i], keys[j])) != wanted)
				fail_msg("%s, %s: wanted %d", keys[i], keys[j], wanted);
		}
	/* Not keys, but an order all the same. */
	assert_true(service_key_compare("", "a") < 0);
	assert_true(service_key_compare("a/", "a\x01") < 0);
	assert_true(service_key_compare("a\x7f", "a\xc3") < 0);
	assert_int_equal(service_key_compare("", ""), 0);
}

static void test_find_and_references(void **state)
{
	struct service *services[ELEMENTSOF(keys)];
	struct shared_settings *settings = make_settings();
	struct world *w;

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(keys); i++) {
		char key[32];
		struct service_def def = {.key = key, .type = SVC_CLUSTER_IP};

		(void)snprintf(key, sizeof(key), "%s", keys[i]);
		services[i] = service_ref(make_service(&def));
	}
	w = make_world(shared_settings_ref(settings), services, ELEMENTSOF(keys));
	assert_int_equal(w->n_services, ELEMENTSOF(keys));
	for (size_t i = 0; i < ELEMENTSOF(keys); i++) {
		assert_ptr_equal(world_find(w, keys[i]), services[i]);
		assert_int_equal(services[i]->refs, 2);
	}
	assert_null(world_find(w, "a/0"));
	assert_null(world_find(w, "a/ab"));
	assert_null(world_find(w, "zz/a"));
	assert_null(world_find(w, ""));

	assert_ptr_equal(world_ref(w), w);
	assert_null(world_unref(w));
	assert_int_equal(settings->refs, 2);
	assert_null(world_unref(w));
	assert_int_equal(settings->refs, 1);
	for (size_t i = 0; i < ELEMENTSOF(keys); i++) {
		assert_int_equal(services[i]->refs, 1);
		service_unref(services[i]);
	}
	assert_null(shared_settings_unref(settings));
	assert_null(shared_settings_unref(NULL));
	assert_null(world_unref(NULL));
}

static void test_empty(void **state)
{
	struct world *w = make_world(make_settings(), NULL, 0);

	(void)state;
	assert_int_equal(w->n_services, 0);
	assert_null(world_find(w, "a/a"));
	world_unref(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_find_and_references),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
