/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/ask.h"

#include <errno.h>

#include "base/log.h"
#include "daemon/report.h"

struct asker {
	struct asker *next;
	struct server_request *request;
	enum control_verb verb;
	char *service; /* NULL: all */
};

static struct asker *asker_free(struct asker *a)
{
	if (a)
		free(a->service);
	free(a);
	return NULL;
}
DEFINE_CLEANUP(struct asker, asker_free);

static void answer(struct manager *m, enum control_verb verb, const char *service,
		   struct server_request *request, const struct counts *counts, int error)
{
	int status = 200;
	json_t *body = report_get(m, verb, service, counts, error, &status);

	server_reply(request, status, body);
}

static void count_next(struct manager *m);

static void answer_all(struct manager *m, const struct counts *counts, int error)
{
	struct asker *a = TAKE_PTR(m->asked);

	while (a) {
		struct asker *next = a->next;

		answer(m, a->verb, a->service, a->request, counts, error);
		(void)asker_free(a);
		a = next;
	}
}

static void on_counted(int error, const struct counts *counts, void *userdata)
{
	struct manager *m = userdata;

	m->counting = counting_free(m->counting);
	if (error < 0)
		(void)log_warning_errno(error, "the kernel's counters cannot be read");
	answer_all(m, counts, error);
	count_next(m);
}

/* Only what somebody asked for: one service, or without endpoints. */
static void count_next(struct manager *m)
{
	const struct backend_ops *ops = m->backend->ops;
	const char *service;
	bool endpoints = false;
	int r;

	if (m->counting || !m->asking)
		return;
	m->asked = TAKE_PTR(m->asking);
	service = m->asked->next ? NULL : m->asked->service;
	for (const struct asker *a = m->asked; a; a = a->next)
		endpoints |= a->verb == CONTROL_ENDPOINTS;
	if (!ops->count) { /* the mode changed meanwhile */
		answer_all(m, NULL, 0);
		return;
	}
	r = ops->count(m->backend, service, endpoints, on_counted, m, &m->counting);
	if (r < 0) {
		(void)log_warning_errno(r, "the kernel's counters cannot be read");
		answer_all(m, NULL, r);
	}
}

static bool is_counted(const struct manager *m, enum control_verb verb)
{
	return m->world && m->backend->ops->count &&
	       (verb == CONTROL_STATUS || verb == CONTROL_SERVICES || verb == CONTROL_ENDPOINTS);
}

void ask_get(void *userdata, enum control_verb verb, const char *service,
	     struct server_request *request)
{
	struct manager *m = userdata;
	_cleanup_(asker_freep) struct asker *a = NULL;

	if (!is_counted(m, verb)) {
		answer(m, verb, service, request, NULL, 0);
		return;
	}
	a = calloc(1, sizeof(*a));
	if (a && service)
		a->service = strdup(service);
	if (!a || (service && !a->service)) {
		server_reply(request, 500, NULL);
		return;
	}
	a->request = request;
	a->verb = verb;
	a->next = m->asking;
	m->asking = TAKE_PTR(a);
	count_next(m);
}

static void forget(struct asker *a)
{
	while (a) {
		struct asker *next = a->next;

		(void)asker_free(a);
		a = next;
	}
}

void ask_done(struct manager *m)
{
	m->counting = counting_free(m->counting);
	forget(TAKE_PTR(m->asking));
	forget(TAKE_PTR(m->asked));
}
