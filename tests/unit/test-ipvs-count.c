/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-run.h"
#include "make-ipvs.h"
#include "make-namespace.h"

/* What is counted is shown by a kernel that has virtual servers (tests/uml). */

static void want_one_service(struct ipvs_mode *b)
{
	const char *const endpoints[] = {"10.1.0.1:8080 r"};
	struct setup s;

	set_up_external(&s, "a/web");
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		b->compiled[f] = make_state_of(make_from(&s, endpoints, 1), (enum addr_family)f);
}

static void forget_states(struct ipvs_mode *b)
{
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		b->compiled[f] = ipvs_state_unref(b->compiled[f]);
}

/* Without virtual servers to ask for, IPVS need not be there. */
static void test_nothing(void **state)
{
	struct ipvs_mode b = {0};
	struct counts counts = {0};

	(void)state;
	enter_namespace();
	assert_int_equal(ipvs_count(&b.backend, NULL, true, &counts), 0);
	assert_int_equal(counts.n_ports, 0);
	want_one_service(&b);
	assert_int_equal(ipvs_count(&b.backend, "a/other", true, &counts), 0);
	assert_int_equal(counts.n_ports, 0);
	forget_states(&b);
}

/* Virtual servers that the kernel does not have, or a kernel that has no IPVS. */
static void test_not_there(void **state)
{
	struct ipvs_mode b = {0};
	struct counts counts = {0};
	struct ipvs *v = NULL;
	int expected;

	(void)state;
	enter_namespace();
	expected = ipvs_open(&v);
	(void)ipvs_close(v);
	want_one_service(&b);
	assert_int_equal(ipvs_count(&b.backend, "a/web", true, &counts), expected);
	assert_int_equal(counts.n_ports, 0);
	assert_int_equal(ipvs_count(&b.backend, NULL, false, &counts), expected);
	assert_int_equal(counts.n_ports, 0);
	forget_states(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
