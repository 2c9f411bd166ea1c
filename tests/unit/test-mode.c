/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/mode.h"
#include "make-namespace.h"
#include "make-root.h"
#include "make-world.h"

struct bench {
	struct manager m;
	struct root root;
	char directory[ROOT_PATH_MAX];
};

static void set_up(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	enter_namespace();
	root_make(&b->root);
	(void)root_path(&b->root, "state", b->directory);
	b->m.state_directory = b->directory;
	assert_int_equal(sd_event_new(&b->m.event), 0);
	assert_int_equal(mode_take_up(&b->m), 0);
}

static void tear_down(struct bench *b)
{
	mode_done(&b->m);
	world_unref(b->m.world);
	sd_event_unref(b->m.event);
	root_remove(&b->root);
}

static int set_mode(struct bench *b, enum svc_mode mode)
{
	struct shared_settings *s = make_settings();

	s->s.mode = mode;
	world_unref(b->m.world);
	b->m.world = make_world(s, NULL, 0);
	return mode_take_up(&b->m);
}

static void check_backend(const struct bench *b, const char *name, const char *former)
{
	assert_string_equal(b->m.backend->ops->name, name);
	if (former)
		assert_string_equal(b->m.former->ops->name, former);
	else
		assert_null(b->m.former);
}

static void test_change(void **state)
{
	struct backend *first;
	struct bench b;

	(void)state;
	set_up(&b);
	check_backend(&b, "iptables", NULL);
	first = b.m.backend;
	b.m.sync_full = false;
	assert_int_equal(set_mode(&b, MODE_IPTABLES), 0);
	assert_ptr_equal(b.m.backend, first);
	assert_false(b.m.sync_full);

	/* the former one stays until the new one has had a good sync */
	assert_int_equal(set_mode(&b, MODE_IPVS), 0);
	check_backend(&b, "ipvs", "iptables");
	assert_ptr_equal(b.m.former, first);
	assert_true(b.m.sync_full);
	/* changed back before that */
	assert_int_equal(set_mode(&b, MODE_IPTABLES), 0);
	assert_ptr_equal(b.m.backend, first);
	check_backend(&b, "iptables", NULL);

	assert_int_equal(set_mode(&b, MODE_IPVS), 0);
	mode_synced(&b.m);
	check_backend(&b, "ipvs", NULL);
	assert_null(b.m.remains);
	first = b.m.backend;
	mode_synced(&b.m);
	assert_ptr_equal(b.m.backend, first);

	assert_int_equal(set_mode(&b, MODE_IPTABLES), 0);
	check_backend(&b, "iptables", "ipvs");
	assert_null(b.m.remains);
	mode_synced(&b.m);
	check_backend(&b, "iptables", NULL);
	/* looked for once; this host has none */
	assert_non_null(b.m.remains);
	assert_false(ipvs_remains_busy(b.m.remains));
	tear_down(&b);
}

/* A mode without a backend: the one that serves stays. */
static void test_refused(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	assert_int_equal(set_mode(&b, MODE_NFTABLES), -EOPNOTSUPP);
	check_backend(&b, "iptables", NULL);
	tear_down(&b);
}

static void test_once(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	b.m.once = true;
	mode_synced(&b.m);
	assert_null(b.m.remains);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_change),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
