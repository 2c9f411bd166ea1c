/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <jansson.h>
#include <systemd/sd-event.h>

#include "control/control.h"

/*
 * The control socket: HTTP over a unix socket, 0660 root:svcroute (group only when it exists),
 * driven by the daemon's event loop. Knows routes and permissions (GET for uid 0 and the group,
 * POST for uid 0; by SO_PEERCRED), nothing of what is answered.
 */
struct server;

/* A request that waits for its answer. Exactly one server_reply() for each. */
struct server_request;

struct server_ops {
	/* Both are answered by server_reply(), at once or later. service: the query's service=,
	 * or NULL; valid during the call. */
	void (*get)(void *userdata, enum control_verb verb, const char *service,
		    struct server_request *request);
	void (*post)(void *userdata, enum control_verb verb, struct server_request *request);
};

/* path: of the socket; an old one is replaced, missing directories are made (0755). -errno:
 * -EADDRINUSE when another daemon answers on it, -EEXIST when something is there that is no socket.
 */
int server_new(sd_event *event, const char *path, const struct server_ops *ops, void *userdata,
	       struct server **ret);
/* Answers what still waits with 503, removes the socket. */
struct server *server_free(struct server *s);

/* Takes the reference. A client that went away meanwhile is fine. body NULL: 500. */
void server_reply(struct server_request *request, int http_status, json_t *body);
/* The same with JSON that was printed already; takes the text (malloc'ed). */
void server_reply_text(struct server_request *request, int http_status, char *text);
