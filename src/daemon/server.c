/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/server.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <microhttpd.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "control/json.h"

/*
 * libmicrohttpd in its external epoll mode: its epoll descriptor is one source of our loop, its
 * time-outs one timer. A request is suspended until server_reply(); libmicrohttpd then calls the
 * handler once more to fetch the answer.
 */
struct server_request {
	struct server *server;
	struct MHD_Connection *connection;
	struct server_request *next;
	bool waiting; /* between the handler's two calls */
	bool answered;
	int status;
	json_t *body;
	char *text; /* instead of body */
};

struct server {
	struct MHD_Daemon *http;
	sd_event *event;
	sd_event_source *io, *timer;
	const struct server_ops *ops;
	void *userdata;
	struct server_request *requests;
	char *path;
	gid_t group;  /* (gid_t)-1: none */
	bool resumed; /* a connection was resumed: it has to be run once more */
	bool stopping;
};

#define GROUP_NAME "svcroute"
#define CONNECTIONS_MAX 64u
#define IDLE_SECONDS 10u

/* Response */

static enum MHD_Result queue_text(struct MHD_Connection *c, int status, char *text,
				  const char *allow)
{
	struct MHD_Response *response;
	enum MHD_Result r;

	response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(text);
		return MHD_NO;
	}
	(void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
	(void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (allow)
		(void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allow);
	r = MHD_queue_response(c, (unsigned)status, response);
	MHD_destroy_response(response);
	return r;
}

/* Takes the reference. */
static enum MHD_Result queue_json(struct MHD_Connection *c, int status, json_t *body)
{
	char *text = json_print(body);

	json_decref(body);
	if (!text) {
		text = strdup("null");
		status = status < 400 ? MHD_HTTP_INTERNAL_SERVER_ERROR : status;
	}
	return text ? queue_text(c, status, text, NULL) : MHD_NO;
}

static enum MHD_Result queue_error(struct MHD_Connection *c, int status, const char *reason,
				   const char *allow)
{
	json_t *body = json_pack("[{s:s,s:s}]", "severity", "error", "reason", reason);
	char *text = json_print(body);

	json_decref(body);
	return text ? queue_text(c, status, text, allow) : MHD_NO;
}

/* Permission */

static bool peer_may(const struct server *s, struct MHD_Connection *c, bool root_only)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct ucred cred;
	socklen_t size = sizeof(cred);

	if (!info || getsockopt(info->connect_fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) < 0)
		return false;
	if (cred.uid == 0 || cred.uid == geteuid())
		return true;
	/* The mode of the socket already kept all others out; supplementary groups are not in the
	 * credentials, so whoever could connect may read. */
	return !root_only && s->group != (gid_t)-1;
}

/* Requests */

static void request_unlink(struct server_request *q)
{
	struct server_request **at;

	for (at = &q->server->requests; *at; at = &(*at)->next) {
		if (*at == q) {
			*at = q->next;
			return;
		}
	}
}

static void request_free(struct server_request *q)
{
	request_unlink(q);
	json_decref(q->body);
	free(q->text);
	free(q);
}

static enum MHD_Result fetch_answer(struct server_request *q)
{
	json_t *body = TAKE_PTR(q->body);
	char *text = TAKE_PTR(q->text);

	return text ? queue_text(q->connection, q->status, text, NULL)
		    : queue_json(q->connection, q->status, body);
}

static enum MHD_Result start(struct server *s, struct MHD_Connection *c, enum control_verb verb,
			     const char *method, struct server_request *q)
{
	if (s->stopping)
		return queue_error(c, MHD_HTTP_SERVICE_UNAVAILABLE, "the daemon is stopping", NULL);
	q->waiting = true;
	MHD_suspend_connection(c);
	if (streq(method, "POST"))
		s->ops->post(s->userdata, verb, q);
	else
		s->ops->get(s->userdata, verb,
			    MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "service"), q);
	return MHD_YES;
}

static enum MHD_Result route(struct server *s, struct MHD_Connection *c, const char *path,
			     const char *method, struct server_request *q)
{
	const char *allow = NULL;

	for (int verb = 0; verb < _CONTROL_VERB_MAX; verb++) {
		const struct control_route *at = &control_routes[verb];

		if (!streq(at->path, path))
			continue;
		allow = at->method;
		if (!streq(at->method, method))
			continue;
		if (!peer_may(s, c, at->root_only))
			return queue_error(c, MHD_HTTP_FORBIDDEN, "only root may do this", NULL);
		return start(s, c, (enum control_verb)verb, method, q);
	}
	if (allow)
		return queue_error(c, MHD_HTTP_METHOD_NOT_ALLOWED, "wrong method", allow);
	return queue_error(c, MHD_HTTP_NOT_FOUND, "no such path", NULL);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *c, const char *path,
				  const char *method, const char *version, const char *data,
				  size_t *data_size, void **request)
{
	struct server *s = cls;
	struct server_request *q = *request;

	(void)version;
	(void)data;
	if (!q) {
		/* First call: headers only. */
		q = calloc(1, sizeof(*q));
		if (!q)
			return MHD_NO;
		q->server = s;
		q->connection = c;
		q->next = s->requests;
		s->requests = q;
		*request = q;
		return MHD_YES;
	}
	if (q->answered)
		return fetch_answer(q);
	if (*data_size) {
		*data_size = 0; /* no route has a body: read and forgotten */
		return MHD_YES;
	}
	return route(s, c, path, method, q);
}

static void on_completed(void *cls, struct MHD_Connection *c, void **request,
			 enum MHD_RequestTerminationCode code)
{
	struct server_request *q = *request;

	(void)cls;
	(void)c;
	(void)code;
	if (q)
		request_free(q);
	*request = NULL;
}

/* Loop */

static void run(struct server *s);

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	run(userdata);
	return 0;
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source;
	(void)fd;
	(void)revents;
	run(userdata);
	return 0;
}

static unsigned n_connections(const struct server *s)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->http,
							       MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

	return info ? info->num_connections : 0;
}

/* Until nothing moves: an answer given within the handler is sent in the next run, and only the
 * run after a connection was closed listens again when there were too many. */
static void run(struct server *s)
{
	MHD_UNSIGNED_LONG_LONG wait_msec;
	unsigned before;
	uint64_t at;

	do {
		s->resumed = false;
		before = n_connections(s);
		(void)MHD_run(s->http);
	} while (s->resumed || n_connections(s) != before);
	if (MHD_get_timeout(s->http, &wait_msec) != MHD_YES) {
		(void)sd_event_source_set_enabled(s->timer, SD_EVENT_OFF);
		return;
	}
	if (sd_event_now(s->event, CLOCK_MONOTONIC, &at) < 0)
		at = 0;
	(void)sd_event_source_set_time(s->timer, at + wait_msec * 1000);
	(void)sd_event_source_set_enabled(s->timer, SD_EVENT_ONESHOT);
}

static void answered(struct server_request *q)
{
	struct server *s = q->server;

	q->answered = true;
	if (!q->waiting)
		return;
	q->waiting = false;
	MHD_resume_connection(q->connection);
	s->resumed = true;
	/* Not from here: the caller may be inside the handler. */
	(void)sd_event_source_set_time(s->timer, 0);
	(void)sd_event_source_set_enabled(s->timer, SD_EVENT_ONESHOT);
}

void server_reply(struct server_request *q, int http_status, json_t *body)
{
	q->status = body ? http_status : MHD_HTTP_INTERNAL_SERVER_ERROR;
	q->body = body;
	answered(q);
}

void server_reply_text(struct server_request *q, int http_status, char *text)
{
	q->status = text ? http_status : MHD_HTTP_INTERNAL_SERVER_ERROR;
	q->text = text;
	answered(q);
}

/* Socket */

/* An old socket goes; anything else at its place is not ours. */
static int check_stale(const struct sockaddr_un *address)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (lstat(address->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 || errno == EAGAIN)
		return -EADDRINUSE;
	if (errno == ECONNREFUSED && unlink(address->sun_path) < 0 && errno != ENOENT)
		return -errno;
	return 0;
}

static int open_socket(struct server *s, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *directory = strdup(s->path);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct group *group;
	struct stat st;
	char *slash;
	int r;

	if (!directory)
		return -ENOMEM;
	if (strlen(s->path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, s->path, strlen(s->path) + 1);
	slash = strrchr(directory, '/');
	if (slash && slash != directory) {
		*slash = '\0';
		r = file_make_dirs(directory, 0755);
		if (r < 0)
			return r;
	}
	r = check_stale(&address);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* The mode is there from the start: the file is made by bind() with the mode of the
	 * descriptor. */
	if (fchmod(fd, 0660) < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	if (chmod(s->path, 0660) < 0)
		return -errno;
	group = getgrnam(GROUP_NAME);
	/* A daemon whose own group this is may be forbidden to change groups, and has no need to.
	 */
	if (group && ((stat(s->path, &st) == 0 && st.st_gid == group->gr_gid) ||
		      chown(s->path, (uid_t)-1, group->gr_gid) == 0))
		s->group = group->gr_gid;
	if (listen(fd, 16) < 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

DEFINE_CLEANUP(struct server, server_free);

int server_new(sd_event *event, const char *path, const struct server_ops *ops, void *userdata,
	       struct server **ret)
{
	_cleanup_(server_freep) struct server *s = calloc(1, sizeof(*s));
	_cleanup_close_ int fd = -1;
	const union MHD_DaemonInfo *info;
	int r;

	if (!s)
		return -ENOMEM;
	s->group = (gid_t)-1;
	s->event = event;
	s->ops = ops;
	s->userdata = userdata;
	s->path = strdup(path);
	if (!s->path)
		return -ENOMEM;
	r = open_socket(s, &fd);
	if (r < 0) {
		free(s->path); /* not ours: it must not be removed */
		s->path = NULL;
		return r;
	}
	s->http = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
				   on_request, s, MHD_OPTION_LISTEN_SOCKET, fd,
				   MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
				   MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
				   MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_END);
	if (!s->http)
		return -EIO;
	(void)TAKE_FD(fd); /* closed by MHD_stop_daemon() */
	info = MHD_get_daemon_info(s->http, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return -EIO;
	r = sd_event_add_io(event, &s->io, info->epoll_fd, EPOLLIN, on_io, s);
	if (r >= 0)
		r = sd_event_add_time(event, &s->timer, CLOCK_MONOTONIC, 0, 1000, on_timer, s);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(s);
	return 0;
}

struct server *server_free(struct server *s)
{
	if (!s)
		return NULL;
	s->stopping = true;
	for (struct server_request *q = s->requests; q; q = q->next)
		if (q->waiting) {
			q->waiting = false;
			q->answered = true;
			q->status = MHD_HTTP_SERVICE_UNAVAILABLE;
			MHD_resume_connection(q->connection);
		}
	if (s->http) {
		(void)MHD_run(s->http);
		MHD_stop_daemon(s->http);
	}
	sd_event_source_disable_unref(s->io);
	sd_event_source_disable_unref(s->timer);
	if (s->path)
		(void)unlink(s->path);
	free(s->path);
	free(s);
	return NULL;
}
