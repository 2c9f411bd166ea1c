/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

/* The answers are looked at here, not sent. */
struct server_request {
	unsigned n_replies;
	int status;
	char text[100];
};
#include "daemon/ask.c"

#include <stdio.h>

static void reply(struct server_request *q, int status, const char *text)
{
	q->n_replies++;
	q->status = text ? status : 500;
	(void)snprintf(q->text, sizeof(q->text), "%s", text ? text : "");
}

void server_reply(struct server_request *q, int http_status, json_t *body)
{
	_cleanup_free_ char *text = json_print(body);

	json_decref(body);
	reply(q, http_status, text);
}

void server_reply_text(struct server_request *q, int http_status, char *text)
{
	reply(q, http_status, text);
	free(text);
}

void host_check_now(struct manager *m)
{
	m->n_syncs++;
}

struct bench {
	struct backend backend; /* first */
	struct manager m;
	struct server_request q[8];
	int count_error;
	bool dies;
	pid_t pid; /* of the process that is no copy */
};

/* Tells how it was asked: "verb service counted". */
json_t *report_get(struct manager *m, enum control_verb verb, const char *service,
		   const struct counts *counts, int count_error, int *ret_status)
{
	const struct bench *b = (const struct bench *)m->backend;
	char text[100];

	if (b->dies && getpid() != b->pid)
		_exit(9);
	if (service && streq(service, "a/none"))
		*ret_status = 404;
	(void)snprintf(text, sizeof(text), "%d %s %s%s%d", verb, service ? service : "all",
		       getpid() == b->pid ? "here" : "copy", counts ? " counted " : " ",
		       count_error);
	if (!counts)
		return json_pack("[s]", text);
	return json_pack("[s,s,i]", text, counts->n_ports ? counts->ports[0].service : "all",
			 (int)counts->n_endpoints);
}

/* Tells what was wanted: a port of the service, an endpoint if those are. */
static int fake_count(const struct backend *backend, const char *service, bool endpoints,
		      struct counts *ret)
{
	const struct bench *b = (const struct bench *)backend;
	const struct ipvs_server server = {0};
	struct ipvs_dest dest = {0};
	const struct ipvs_dests dests = {.items = &dest, .n = 1};

	assert_int_not_equal(getpid(), b->pid);
	if (b->count_error < 0)
		return b->count_error;
	if (counts_begin_port(ret, service ? service : "all", SVC_TCP, 80) < 0 ||
	    counts_add_server(ret, &server) < 0 || (endpoints && counts_add_dests(ret, &dests) < 0))
		return -ENOMEM;
	counts_end_port(ret);
	return 0;
}

static const struct backend_ops counting_ops = {.name = "x", .count = fake_count};
static const struct backend_ops other_ops = {.name = "y"};

static void set_up(struct bench *b)
{
	*b = (struct bench){.backend.ops = &counting_ops, .pid = getpid()};
	b->m.backend = &b->backend;
	b->m.world = make_world(make_settings(), NULL, 0);
	assert_int_equal(sd_event_new(&b->m.event), 0);
}

static void tear_down(struct bench *b)
{
	ask_done(&b->m);
	/* a copy that nobody waits for is reaped */
	for (int i = 0; i < 10 && sd_event_run(b->m.event, 100000) > 0; i++)
		;
	sd_event_unref(b->m.event);
	world_unref(b->m.world);
}

static void wait_for(struct bench *b, size_t i)
{
	for (int n = 0; n < 600 && b->q[i].n_replies == 0; n++)
		assert_true(sd_event_run(b->m.event, 100000) >= 0);
	assert_int_equal(b->q[i].n_replies, 1);
}

static void check(struct bench *b, size_t i, int status, const char *text)
{
	wait_for(b, i);
	assert_int_equal(b->q[i].status, status);
	if (text && !strstr(b->q[i].text, text))
		fail_msg("no '%s' in '%s'", text, b->q[i].text);
}

/* What is quickly told, and a mode that does not count. */
static void test_at_once(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	ask_get(&b.m, CONTROL_SETTINGS, NULL, &b.q[0]);
	check(&b, 0, 200, "3 all here 0");
	b.backend.ops = &other_ops;
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[1]);
	check(&b, 1, 200, "0 all here 0");
	ask_get(&b.m, CONTROL_ENDPOINTS, "a/none", &b.q[2]);
	check(&b, 2, 404, "2 a/none here 0");
	b.backend.ops = &counting_ops;
	b.m.world = world_unref(b.m.world);
	ask_get(&b.m, CONTROL_SERVICES, NULL, &b.q[3]);
	check(&b, 3, 200, "1 all here 0");
	assert_null(b.m.answering);
	tear_down(&b);
}

static void test_many_services(void **state)
{
	struct service *services[SERVICES_IN_PLACE + 1];
	struct bench b;
	char key[16];

	(void)state;
	set_up(&b);
	b.backend.ops = &other_ops;
	world_unref(b.m.world);
	for (size_t i = 0; i < ELEMENTSOF(services); i++) {
		const struct service_def def = {.key = key};

		(void)snprintf(key, sizeof(key), "a/%03zu", i);
		services[i] = make_service(&def);
	}
	b.m.world = make_world(make_settings(), services, ELEMENTSOF(services));
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[0]);
	check(&b, 0, 200, "0 all here 0");
	ask_get(&b.m, CONTROL_SERVICES, NULL, &b.q[1]);
	assert_int_equal(b.q[1].n_replies, 0);
	check(&b, 1, 200, "1 all copy 0");
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
	assert_int_equal(b.m.n_syncs, 1);
	/* these share the next one */
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[1]);
	ask_get(&b.m, CONTROL_SERVICES, NULL, &b.q[2]);
	assert_int_equal(b.q[0].n_replies, 0);
	check(&b, 0, 200, "2 a/web copy counted 0\",\n  \"a/web\",\n  1");
	assert_int_equal(b.q[1].n_replies + b.q[2].n_replies, 0);
	ask_get(&b.m, CONTROL_ENDPOINTS, "a/none", &b.q[3]);
	ask_get(&b.m, CONTROL_ENDPOINTS, "a/web", &b.q[4]);
	check(&b, 1, 200, "0 all copy counted 0\",\n  \"all\",\n  0");
	check(&b, 2, 200, "1 all copy counted 0\",\n  \"all\",\n  0");
	check(&b, 3, 404, "2 a/none copy counted 0\",\n  \"all\",\n  1");
	check(&b, 4, 200, "2 a/web copy counted 0\",\n  \"all\",\n  1");
	assert_int_equal(b.m.n_syncs, 3);
	assert_null(b.m.answering);
	tear_down(&b);
}

static void test_failures(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	b.count_error = -EPERM;
	ask_get(&b.m, CONTROL_SERVICES, NULL, &b.q[0]);
	check(&b, 0, 200, "1 all copy -1");
	/* the copy dies */
	b.dies = true;
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[1]);
	check(&b, 1, 500, NULL);
	b.dies = false;
	/* the mode changes meanwhile: the copy has the old one */
	b.count_error = 0;
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[2]);
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[3]);
	b.backend.ops = &other_ops;
	check(&b, 2, 200, "0 all copy counted 0");
	check(&b, 3, 200, "0 all copy 0");
	/* the daemon stops meanwhile: the server answers who still waits */
	b.backend.ops = &counting_ops;
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[4]);
	ask_get(&b.m, CONTROL_STATUS, NULL, &b.q[5]);
	tear_down(&b);
	assert_int_equal(b.q[4].n_replies + b.q[5].n_replies, 0);
}

/* A report that ends anywhere: each asker is answered all the same. */
static void test_cut_off(void **state)
{
	const struct answer first = {.status = 200, .size = 3};
	char report[2 * sizeof(first) + 6] = {0};

	(void)state;
	memcpy(report, &first, sizeof(first));
	memcpy(report + sizeof(first), "one", 3);
	memcpy(report + sizeof(first) + 3, &first, sizeof(first));
	memcpy(report + 2 * sizeof(first) + 3, "two", 3);
	for (size_t n = 0; n <= sizeof(report); n++) {
		struct server_request q[2] = {0};
		struct asker asker[2] = {{.request = &q[0]}, {.request = &q[1]}};
		char *copy = malloc(n ? n : 1);
		struct manager m = {0};
		const char *at = copy;
		size_t left = n;

		assert_non_null(copy);
		memcpy(copy, report, n);
		for (int i = 0; i < 2; i++)
			answer_next(&m, &asker[i], &at, &left);
		assert_int_equal(q[0].n_replies, 1);
		assert_int_equal(q[1].n_replies, 1);
		assert_int_equal(q[0].status, n < sizeof(first) + 3 ? 500 : 200);
		assert_int_equal(q[1].status, n < sizeof(report) ? 500 : 200);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once), cmocka_unit_test(test_many_services),
		cmocka_unit_test(test_shared),	cmocka_unit_test(test_failures),
		cmocka_unit_test(test_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
