/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-config.h"

/* ---- many random edits ---- */

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void random_edit(struct bench *b, uint32_t *seed, bool objects_only,
			struct config_change *ret)
{
	static const char *const places[] = {"etc", "etc", "etc", "run", "usr/lib"};
	static const char *const names[] = {"a.cfg", "b.cfg", "c.cfg", "d.cfg"};
	static const char *const settings[] = {
		"[Sync]\nMinSyncPeriod=2s\n",  "[Proxy]\nServiceNodePortRange=30000-30004\n",
		"[Proxy]\nMode=nftables\n",    "rubbish",
		"[Sync]\nMinSyncPeriod=40s\n", "[Sync]\nSyncPeriod=50s\n"};
	const char *place = places[next_random(seed) % ELEMENTSOF(places)];
	unsigned kind = next_random(seed) % 8, what = next_random(seed) % 6;
	const char *name = names[next_random(seed) % ELEMENTSOF(names)];
	char path[100], full[ROOT_PATH_MAX], text[400] = "services=(";

	*ret = (struct config_change){.kind = CONFIG_SERVICES};
	if (kind == 0 && !objects_only)
		ret->kind = CONFIG_SETTINGS;
	else if (kind < 3)
		ret->kind = CONFIG_ENDPOINTS;
	(void)snprintf(ret->name, sizeof(ret->name), "%s", name);
	if (ret->kind == CONFIG_SETTINGS)
		(void)snprintf(ret->name, sizeof(ret->name), "%c.conf", name[0]);
	(void)snprintf(path, sizeof(path), "%s/svcroute/%s/%s", place,
		       ret->kind == CONFIG_SETTINGS   ? "svcroute.conf.d"
		       : ret->kind == CONFIG_SERVICES ? "services.d"
						      : "endpoints.d",
		       ret->name);
	if (what < 2) {
		(void)remove(root_path(&b->root, path, full));
		return;
	}
	if (ret->kind == CONFIG_SETTINGS) {
		root_write(&b->root, path, settings[next_random(seed) % ELEMENTSOF(settings)]);
	} else if (what == 2) {
		root_write(&b->root, path, next_random(seed) % 2 ? "" : "services=(");
	} else if (ret->kind == CONFIG_ENDPOINTS) {
		(void)snprintf(text, sizeof(text),
			       "endpoints=({service=\"x%u\";endpoints=[\"10.1.0.%u%s\"];});",
			       next_random(seed) % 5, next_random(seed) % 3 + 1,
			       next_random(seed) % 2 ? ":80" : "");
		root_write(&b->root, path, text);
	} else {
		unsigned n = next_random(seed) % 2 + 1;

		for (unsigned i = 0; i < n; i++) {
			size_t used = strlen(text);

			(void)snprintf(text + used, sizeof(text) - used,
				       "%s{name=\"x%u\";clusterIP=\"10.0.0.%u\";type=\"NodePort\";"
				       "ports=({name=\"a\";port=80;nodePort=%u;}%s);}",
				       i ? "," : "", next_random(seed) % 5,
				       next_random(seed) % 5 + 1, next_random(seed) % 7 + 30000,
				       next_random(seed) % 3
					       ? ""
					       : ",{name=\"b\";port=81;nodePort=30006;}");
		}
		strcat(text, ");");
		root_write(&b->root, path, text);
	}
}

static void assert_same_worlds(const struct world *a, const struct world *b)
{
	assert_int_equal(a->n_services, b->n_services);
	assert_int_equal(settings_changes(&a->settings->s, &b->settings->s), 0);
	for (size_t i = 0; i < a->n_services; i++)
		assert_true(service_equal(a->services[i], b->services[i]));
}

/* The messages may differ: of two files in the way of a third either may be named. */
static void assert_same_counts(const struct config *a, const struct config *b)
{
	assert_int_equal(config_n_refused(a), config_n_refused(b));
	assert_int_equal(config_n_files(a), config_n_files(b));
	assert_int_equal(config_problems(a)->n_errors == 0, config_problems(b)->n_errors == 0);
}

/*
 * Told of the names that changed or looking at everything: the same. A second look without a change
 * gives the same services, as the same objects. What is in force never clashes (the index refuses
 * that), and a tree without errors is in force whole, so that a new start gives the same.
 */
static void test_named_or_not(void **state)
{
	uint32_t seed = 424242;
	size_t n_refused = 0, n_clean = 0;
	struct config *full;
	struct bench b;

	(void)state;
	set_up(&b);
	full = new_config(&b.root);
	put(&b, S, "[Proxy]\nNodeName=n\n");
	look(&b);
	for (int edit = 0; edit < 1000; edit++) {
		struct config_change changes[4];
		size_t n = next_random(&seed) % 4 + 1;
		struct world *w = NULL, *again = NULL;
		bool start_over = edit % 20 == 0;

		if (start_over) {
			root_remove(&b.root);
			put(&b, S, "[Proxy]\nNodeName=n\n");
		}
		for (size_t i = 0; i < n; i++)
			random_edit(&b, &seed, start_over, &changes[i]);
		assert_int_equal(config_refresh(b.config, start_over ? NULL : changes, n, &w), 0);
		world_unref(b.world);
		b.world = w;
		w = NULL;
		assert_int_equal(config_refresh(full, NULL, 0, &w), 0);
		assert_same_worlds(b.world, w);
		assert_same_counts(b.config, full);
		assert_int_equal(config_refresh(full, NULL, 0, &again), 0);
		assert_int_equal(w->n_services, again->n_services);
		for (size_t i = 0; i < w->n_services; i++)
			assert_ptr_equal(w->services[i], again->services[i]);
		world_unref(again);
		again = NULL;
		assert_int_equal(config_refresh(b.config, changes, n, &again), 0);
		assert_same_worlds(b.world, again);
		assert_same_counts(b.config, full);
		world_unref(again);
		n_refused += config_n_refused(full) > 0;
		if (config_problems(full)->n_errors == 0) {
			struct config *fresh = new_config(&b.root);

			n_clean++;
			again = NULL;
			assert_int_equal(config_refresh(fresh, NULL, 0, &again), 0);
			assert_same_worlds(b.world, again);
			assert_same_counts(b.config, fresh);
			world_unref(again);
			config_free(fresh);
		}
		world_unref(w);
	}
	assert_true(n_refused > 100);
	assert_true(n_clean > 20);
	config_free(full);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
