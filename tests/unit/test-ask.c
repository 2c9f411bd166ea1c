/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

/* The answers are looked at here, not sent. */
struct server_request {
	unsigned n_replies;
	int status;
};
#include "daemon/ask.c"

#include "base/array.h"
#include "config/config.h"

void server_reply(struct server_request *q, int http_status, json_t *body)
{
	q->n_replies++;
	q->status = body ? http_status : 500;
	json_decref(body);
}

json_t *report_get(struct manager *m, enum control_verb verb, const char *service,
		   const struct counts *counts, int count_error, int *ret_status)
{
	(void)m;
	(void)verb;
	assert_true(count_error <= 0 && (!counts || count_error == 0));
	*ret_status = count_error == -EPERM ? 201 : counts ? 202 : 203;
	if (service && streq(service, "a/none"))
		*ret_status = 404;
	return json_object();
}

/* A mode that counts when it is told to. */
struct bench {
	struct backend backend; /* first */
	struct manager m;
	struct server_request q[8];
	int start; /* what the start of a count returns */
	unsigned n_counts, n_frees;
	bool endpoints;
	char service[32];
	counted_t done;
};

struct counting *counting_free(struct counting *c)
{
	if (c)
		((struct bench *)c)->n_frees++;
	return NULL;
}

static int start_count(struct backend *backend, const char *service, bool endpoints, counted_t done,
		       void *userdata, struct counting **ret)
{
	struct bench *b = (struct bench *)backend;

	assert_ptr_equal(userdata, &b->m);
	if (b->start < 0)
		return b->start;
	b->n_counts++;
	b->endpoints = endpoints;
	b->done = done;
	(void)snprintf(b->service, sizeof(b->service), "%s", service ? service : "all");
	*ret = (struct counting *)b;
	return 0;
}

static const struct backend_ops counting_ops = {.name = "x", .count = start_count};
static const struct backend_ops other_ops = {.name = "y"};

static void set_up(struct bench *b)
{
	*b = (struct bench){.backend.ops = &counting_ops};
	b->m.backend = &b->backend;
	b->m.world = make_world(make_settings(), NULL, 0);
}

static void tear_down(struct bench *b)
{
	ask_done(&b->m);
	world_unref(b->m.world);
}

static void finish(struct bench *b, int error)
{
	const struct counts counts = {0};

	b->done(error, error < 0 ? NULL : &counts, &b->m);
}

/* Statuses of the first n requests; 0: not answered. Each is answered once. */
static void check(const struct bench *b, size_t n, const int *statuses)
{
	for (size_t i = 0; i < ELEMENTSOF(b->q); i++) {
		int wanted = i < n ? statuses[i] : 0;

		assert_int_equal(b->q[i].n_replies, wanted != 0);
		assert_int_equal(b->q[i].status, wanted);
	}
}
#define CHECK(b, ...) \
	check(b, sizeof((int[]){__VA_ARGS__}) / sizeof(int), (const int[]){__VA_ARGS__})

/* Nothing is counted for what shows no counters, and in a mode that has none. */
static void test_at_once(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	ask_get(&b.m, CONTROL_SETTINGS, NULL, &b.q[0]);
	CHECK(&b, 203);
	b.backend.ops = &other_ops;
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[1]);
	ask_get(&b.m, CONTROL_ENDPOINTS, "a/none", &b.q[2]);
	CHECK(&b, 203, 203, 404);
	b.backend.ops = &counting_ops;
	b.m.world = world_unref(b.m.world);
	ask_get(&b.m, CONTROL_SERVICES, NULL, &b.q[3]);
	CHECK(&b, 203, 203, 404, 203);
	assert_int_equal(b.n_counts, 0);
	tear_down(&b);
}

static void test_shared(void **state)
{
	char service[] = "a/web";
	struct bench b;

	(void)state;
	set_up(&b);
	ask_get(&b.m, CONTROL_ENDPOINTS, service, &b.q[0]);
	(void)strcpy(service, "gone!"); /* it is valid during the call only */
	assert_int_equal(b.n_counts, 1);
	assert_string_equal(b.service, "a/web");
	assert_true(b.endpoints);
	/* these share the next one */
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[1]);
	ask_get(&b.m, CONTROL_SERVICES, NULL, &b.q[2]);
	CHECK(&b, 0);
	finish(&b, 0);
	CHECK(&b, 202);
	assert_int_equal(b.n_frees, 1);
	assert_int_equal(b.n_counts, 2);
	assert_string_equal(b.service, "all");
	assert_false(b.endpoints);
	ask_get(&b.m, CONTROL_ENDPOINTS, "a/none", &b.q[3]);
	ask_get(&b.m, CONTROL_ENDPOINTS, "a/web", &b.q[4]);
	finish(&b, -EPERM);
	CHECK(&b, 202, 201, 201);
	assert_string_equal(b.service, "all");
	assert_true(b.endpoints);
	finish(&b, 0);
	CHECK(&b, 202, 201, 201, 404, 202);
	assert_int_equal(b.n_counts, 3);
	assert_int_equal(b.n_frees, 3);
	tear_down(&b);
}

static void test_failures(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	b.start = -EPERM;
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[0]);
	CHECK(&b, 201);
	b.start = 0;
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[1]);
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[2]);
	/* the mode changes meanwhile */
	b.backend.ops = &other_ops;
	finish(&b, 0);
	CHECK(&b, 201, 202, 203);
	assert_int_equal(b.n_counts, 1);
	/* the daemon stops meanwhile: the server answers who still waits */
	b.backend.ops = &counting_ops;
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[3]);
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[4]);
	ask_done(&b.m);
	CHECK(&b, 201, 202, 203);
	assert_int_equal(b.n_frees, 2);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
