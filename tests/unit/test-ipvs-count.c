/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "backend/ipvs-run.h"
#include "make-ipvs.h"
#include "make-namespace.h"

/* What is counted is shown by a kernel that has virtual servers (tests/uml); here, that an answer
 * comes, and to nobody who went away. */

struct bench {
	sd_event *event;
	struct ipvs_mode b;
	unsigned n_done;
	int error;
	size_t n_ports;
	struct counting *counting;
};

static void set_up_bench(struct bench *x)
{
	*x = (struct bench){.error = 1};
	enter_namespace();
	assert_int_equal(sd_event_new(&x->event), 0);
	x->b.event = x->event;
}

static void tear_down_bench(struct bench *x)
{
	(void)counting_free(x->counting);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		(void)ipvs_state_unref(x->b.compiled[f]);
	/* a copy that nobody waits for is reaped */
	for (int i = 0; i < 10 && sd_event_run(x->event, 100000) > 0; i++)
		;
	sd_event_unref(x->event);
}

static void on_counted(int error, const struct counts *counts, void *userdata)
{
	struct bench *x = userdata;

	x->n_done++;
	x->error = error;
	x->n_ports = counts ? counts->n_ports : 99;
	assert_int_equal(counts == NULL, error < 0);
	x->counting = counting_free(x->counting);
}

static void run_until_done(struct bench *x)
{
	for (int i = 0; i < 600 && x->n_done == 0; i++)
		assert_true(sd_event_run(x->event, 100000) >= 0);
	assert_int_equal(x->n_done, 1);
	assert_null(x->counting);
}

static void want_one_service(struct bench *x)
{
	struct setup s;
	const char *const endpoints[] = {"10.1.0.1:8080 r"};

	set_up_external(&s, "a/web");
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		x->b.compiled[f] = make_state_of(make_from(&s, endpoints, 1), (enum addr_family)f);
}

static int start(struct bench *x, const char *service)
{
	return ipvs_count(&x->b.backend, service, true, on_counted, x, &x->counting);
}

/* Without virtual servers to ask for, IPVS need not be there. */
static void test_nothing(void **state)
{
	struct bench x;

	(void)state;
	set_up_bench(&x);
	assert_int_equal(start(&x, NULL), 0);
	assert_int_equal(x.n_done, 0);
	run_until_done(&x);
	assert_int_equal(x.error, 0);
	assert_int_equal(x.n_ports, 0);
	x.n_done = 0;
	want_one_service(&x);
	assert_int_equal(start(&x, "a/other"), 0);
	run_until_done(&x);
	assert_int_equal(x.error, 0);
	assert_int_equal(x.n_ports, 0);
	tear_down_bench(&x);
}

/* Virtual servers that the kernel does not have, or a kernel that has no IPVS. The states may go
 * before the answer. */
static void test_not_there(void **state)
{
	struct ipvs *v = NULL;
	struct bench x;
	int expected;

	(void)state;
	set_up_bench(&x);
	expected = ipvs_open(&v);
	(void)ipvs_close(v);
	want_one_service(&x);
	assert_int_equal(start(&x, "a/web"), 0);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		x.b.compiled[f] = ipvs_state_unref(x.b.compiled[f]);
	run_until_done(&x);
	assert_int_equal(x.error, expected);
	assert_int_equal(x.n_ports, expected < 0 ? 99 : 0);
	tear_down_bench(&x);
}

static void test_gone(void **state)
{
	struct bench x;

	(void)state;
	set_up_bench(&x);
	want_one_service(&x);
	assert_int_equal(start(&x, NULL), 0);
	x.counting = counting_free(x.counting);
	tear_down_bench(&x);
	assert_int_equal(x.n_done, 0);
	assert_null(counting_free(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_not_there),
		cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
