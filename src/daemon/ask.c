/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/ask.h"

#include <errno.h>
#include <unistd.h>

#include "backend/helper.h"
#include "base/file.h"
#include "base/log.h"
#include "control/json.h"
#include "daemon/host.h"
#include "daemon/report.h"

/* JSON of more services than this is not for the event loop to make. */
#define SERVICES_IN_PLACE 200

struct asker {
	struct asker *next;
	struct server_request *request;
	enum control_verb verb;
	char *service; /* NULL: all */
};

/* What the copy reports of each asker, in their order; a text of this size follows. */
struct answer {
	int status, count_error;
	size_t size;
};

static struct asker *asker_free(struct asker *a)
{
	if (a)
		free(a->service);
	free(a);
	return NULL;
}
DEFINE_CLEANUP(struct asker, asker_free);

static void forget(struct asker *a)
{
	while (a) {
		struct asker *next = a->next;

		(void)asker_free(a);
		a = next;
	}
}

/* Only what somebody asked for: one service, or without endpoints. */
static int count(const struct manager *m, struct counts *ret)
{
	const struct asker *first = m->asked;
	bool endpoints = false;

	if (!m->backend->ops->count)
		return 0;
	for (const struct asker *a = first; a; a = a->next)
		endpoints |= a->verb == CONTROL_ENDPOINTS;
	return m->backend->ops->count(m->backend, first->next ? NULL : first->service, endpoints,
				      ret);
}

/* In the copy. */
static int work(void *userdata, int out)
{
	struct manager *m = userdata;
	_cleanup_counts_ struct counts counts = {0};
	int error = count(m, &counts), r = 0;
	bool counted = error == 0 && m->backend->ops->count;

	for (const struct asker *a = m->asked; a && r == 0; a = a->next) {
		struct answer answer = {.status = 200, .count_error = error};
		json_t *body = report_get(m, a->verb, a->service, counted ? &counts : NULL, error,
					  &answer.status);
		_cleanup_free_ char *text = json_print(body);

		json_decref(body);
		if (!text)
			return 1;
		answer.size = strlen(text);
		r = file_write_all(out, &answer, sizeof(answer));
		if (r == 0)
			r = file_write_all(out, text, answer.size);
	}
	return r < 0;
}

static void start(struct manager *m);

/* From what is left of the report; 500 when there is no whole answer. */
static void answer_next(struct manager *m, struct asker *a, const char **at, size_t *left)
{
	struct answer answer = {0};
	char *text = NULL;

	if (*left >= sizeof(answer)) {
		memcpy(&answer, *at, sizeof(answer));
		*at += sizeof(answer);
		*left -= sizeof(answer);
	}
	if (answer.size > 0 && answer.size <= *left) {
		text = strndup(*at, answer.size);
		*at += answer.size;
		*left -= answer.size;
	} else {
		*left = 0; /* cut off: it did not end well */
	}
	if (answer.count_error < 0 && a == m->asked)
		(void)log_warning_errno(answer.count_error, "the kernel's counters cannot be read");
	server_reply_text(a->request, answer.status, text);
}

static void on_worked(struct helper *h, int status, void *userdata)
{
	_cleanup_free_ char *report = NULL;
	struct manager *m = userdata;
	size_t left = 0;
	const char *at;

	m->answering = NULL;
	if (status != 0 || child_output(helper_child(h), &report, &left) < 0) {
		log_warning("the process that makes answers did not end well");
		left = 0;
	}
	at = report;
	for (struct asker *a = m->asked; a; a = a->next)
		answer_next(m, a, &at, &left);
	forget(TAKE_PTR(m->asked));
	start(m);
}

static void start(struct manager *m)
{
	int r;

	if (m->answering || !m->asking)
		return;
	m->asked = TAKE_PTR(m->asking);
	host_check_now(m); /* what the copy finds would be lost */
	r = helper_fork(m->event, "answer", work, m, on_worked, m, &m->answering);
	if (r == 0)
		return;
	(void)log_warning_errno(r, "no process for answers");
	for (struct asker *a = m->asked; a; a = a->next)
		server_reply(a->request, 500, NULL);
	forget(TAKE_PTR(m->asked));
}

static bool takes_long(const struct manager *m, enum control_verb verb)
{
	if (!m->world || verb == CONTROL_SETTINGS)
		return false;
	return m->backend->ops->count ||
	       (verb != CONTROL_STATUS && m->world->n_services > SERVICES_IN_PLACE);
}

void ask_get(void *userdata, enum control_verb verb, const char *service,
	     struct server_request *request)
{
	struct manager *m = userdata;
	_cleanup_(asker_freep) struct asker *a = NULL;

	if (!takes_long(m, verb)) {
		int status = 200;
		json_t *body = report_get(m, verb, service, NULL, 0, &status);

		server_reply(request, status, body);
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
	start(m);
}

void ask_done(struct manager *m)
{
	m->answering = helper_detach(m->answering);
	forget(TAKE_PTR(m->asking));
	forget(TAKE_PTR(m->asked));
}
