/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-root.h"
#include "make-skip.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "control/client.h"
#include "daemon/server.h"

/* A server in a scratch directory; clients are sockets of the same process, so the loop runs only
 * while a test waits for something. */
struct bench {
	struct root root;
	char path[ROOT_PATH_MAX];
	sd_event *event;
	struct server *server;
	/* What was asked. */
	enum control_verb verb;
	char service[300];
	unsigned n_gets, n_posts;
	struct server_request *posts[100];
	struct server_request *get; /* the last one not answered at once */
	/* What is answered. */
	bool no_memory, reply_at_once, later;
	int status;
	char *big; /* the answer's text instead of the usual one */
};

static void on_get(void *userdata, enum control_verb verb, const char *service,
		   struct server_request *request)
{
	struct bench *b = userdata;

	b->n_gets++;
	b->verb = verb;
	(void)snprintf(b->service, sizeof(b->service), "%s", service ? service : "(null)");
	if (b->later)
		b->get = request;
	else if (b->no_memory)
		server_reply(request, 200, NULL);
	else
		server_reply(request, b->status ? b->status : 200,
			     json_pack("{s:s}", "answer", b->big ? b->big : "yes"));
}

static void on_post(void *userdata, enum control_verb verb, struct server_request *request)
{
	struct bench *b = userdata;

	b->verb = verb;
	if (b->reply_at_once) {
		server_reply(request, 200, json_pack("{s:s}", "answer", "at once"));
		return;
	}
	assert_true(b->n_posts < ELEMENTSOF(b->posts));
	b->posts[b->n_posts++] = request;
}

static const struct server_ops ops = {.get = on_get, .post = on_post};

static void set_up(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	root_make(&b->root);
	(void)root_path(&b->root, "run/svcroute/control.sock", b->path);
	assert_int_equal(sd_event_new(&b->event), 0);
	assert_int_equal(server_new(b->event, b->path, &ops, b, &b->server), 0);
	assert_non_null(b->server);
}

static void tear_down(struct bench *b)
{
	server_free(b->server);
	assert_int_equal(access(b->path, F_OK), -1);
	sd_event_unref(b->event);
	root_remove(&b->root);
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_true(strlen(path) < sizeof(address.sun_path));
	memcpy(address.sun_path, path, strlen(path) + 1);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void run_for(struct bench *b, uint64_t usec)
{
	uint64_t end = clock_monotonic_usec() + usec;

	while (clock_monotonic_usec() < end)
		assert_true(sd_event_run(b->event, 2000) >= 0);
}

/* Until there are n POSTs. */
static void wait_for_posts(struct bench *b, unsigned n)
{
	uint64_t end = clock_monotonic_usec() + 10 * USEC_PER_SEC;

	while (b->n_posts < n) {
		assert_true(clock_monotonic_usec() < end);
		assert_true(sd_event_run(b->event, 10000) >= 0);
	}
}

/* Sends what the server takes; all that is not sent when it hangs up does not matter. */
static void send_text(struct bench *b, int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t n = send(fd, text, size, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno != EAGAIN)
			return;
		text += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
		if (n < 0)
			assert_true(sd_event_run(b->event, 10000) >= 0);
	}
}

/* All that comes until the server closes; the socket is closed. NULL: it did not. */
static char *receive(struct bench *b, int fd)
{
	uint64_t end = clock_monotonic_usec() + 5 * USEC_PER_SEC;
	struct strbuf s = {0};
	char chunk[4096];

	strbuf_add(&s, "");
	for (;;) {
		ssize_t n = recv(fd, chunk, sizeof(chunk), MSG_DONTWAIT);

		if (n == 0 || (n < 0 && errno != EAGAIN))
			break;
		if (n > 0)
			strbuf_add_bytes(&s, chunk, (size_t)n);
		else if (clock_monotonic_usec() > end)
			fail_msg("no end of the answer, so far: '%s'", strbuf_text(&s));
		else
			assert_true(sd_event_run(b->event, 10000) >= 0);
	}
	assert_int_equal(close(fd), 0);
	strbuf_add_char(&s, '\0');
	return strbuf_take(&s);
}

static char *talk(struct bench *b, const char *text)
{
	int fd = connect_to(b->path);

	send_text(b, fd, text, strlen(text));
	return receive(b, fd);
}

static void assert_answer(char *answer, const char *status, const char *part)
{
	if (strncmp(answer, "HTTP/1.", 7) != 0 || strncmp(answer + 9, status, 3) != 0)
		fail_msg("not %s: '%s'", status, answer);
	if (part && !strstr(answer, part))
		fail_msg("no '%s' in: '%s'", part, answer);
	free(answer);
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"
#define POST(path) "POST " path " HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"

/* That the server is none the worse for what was done to it. */
static void assert_works(struct bench *b)
{
	unsigned n = b->n_gets;

	assert_answer(talk(b, GET("/v1/status")), "200", "{\n  \"answer\": \"yes\"\n}");
	assert_int_equal(b->n_gets, n + 1);
}

static void test_get(void **state)
{
	static const struct {
		const char *request;
		enum control_verb verb;
		const char *service;
	} rows[] = {
		{GET("/v1/status"), CONTROL_STATUS, "(null)"},
		{GET("/v1/services"), CONTROL_SERVICES, "(null)"},
		{GET("/v1/settings"), CONTROL_SETTINGS, "(null)"},
		{GET("/v1/endpoints"), CONTROL_ENDPOINTS, "(null)"},
		{GET("/v1/endpoints?service=default/a"), CONTROL_ENDPOINTS, "default/a"},
		{GET("/v1/endpoints?x=1&service=default%2Fa+b%c3%a4"), CONTROL_ENDPOINTS,
		 "default/a b\xc3\xa4"},
		{GET("/v1/endpoints?service="), CONTROL_ENDPOINTS, ""},
		{GET("/v1/endpoints?service"), CONTROL_ENDPOINTS, "(null)"},
		{"GET /v1/status HTTP/1.0\r\n\r\n", CONTROL_STATUS, "(null)"},
		/* a body is read and forgotten */
		{"GET /v1/status HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
		 CONTROL_STATUS, "(null)"},
	};
	struct bench b;

	(void)state;
	set_up(&b);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		b.verb = _CONTROL_VERB_MAX;
		(void)strcpy(b.service, "poison");
		assert_answer(talk(&b, rows[i].request), "200", "\"answer\": \"yes\"");
		assert_int_equal(b.verb, rows[i].verb);
		assert_string_equal(b.service, rows[i].service);
	}
	assert_answer(talk(&b, GET("/v1/status")), "200", "application/json");
	assert_answer(talk(&b, GET("/v1/status")), "200", "Connection: close");
	b.status = 404;
	assert_answer(talk(&b, GET("/v1/endpoints?service=a/b")), "404", "\"answer\"");
	b.status = 0;
	b.no_memory = true;
	assert_answer(talk(&b, GET("/v1/status")), "500", "null");
	b.no_memory = false;

	/* an answer that does not fit into the socket's buffer */
	b.big = calloc(1, 3 << 20);
	assert_non_null(b.big);
	memset(b.big, 'x', (3 << 20) - 1);
	assert_answer(talk(&b, GET("/v1/services")), "200", "xxx\"\n}");
	free(b.big);
	b.big = NULL;
	assert_works(&b);
	tear_down(&b);
}

/* What has to be counted first: answered later, or when the server goes. */
static void test_get_later(void **state)
{
	struct bench b;
	int fd[2];

	(void)state;
	set_up(&b);
	b.later = true;
	for (unsigned i = 0; i < 2; i++) {
		fd[i] = connect_to(b.path);
		send_text(&b, fd[i], GET("/v1/services"), strlen(GET("/v1/services")));
		while (b.n_gets <= i)
			assert_true(sd_event_run(b.event, 10000) >= 0);
		assert_int_equal(b.n_gets, i + 1);
		if (i == 0) {
			b.later = false;
			assert_works(&b); /* others are served meanwhile */
			b.n_gets = 1;
			b.later = true;
			server_reply_text(b.get, 200, strdup("{\"answer\":\"counted\"}"));
			assert_answer(receive(&b, fd[0]), "200", "counted");
		}
	}
	/* the client of the second one is gone when the answer comes */
	assert_int_equal(close(fd[1]), 0);
	server_reply_text(b.get, 200, strdup("{}"));
	fd[1] = connect_to(b.path);
	send_text(&b, fd[1], GET("/v1/services"), strlen(GET("/v1/services")));
	while (b.n_gets < 3)
		assert_true(sd_event_run(b.event, 10000) >= 0);
	server_reply_text(b.get, 200, NULL); /* out of memory */
	assert_answer(receive(&b, fd[1]), "500", "null");
	b.later = false;
	assert_works(&b);
	tear_down(&b);
}

static void test_wrong(void **state)
{
	static const struct {
		const char *request, *status, *part;
	} rows[] = {
		{GET("/"), "404", "no such path"},
		{GET("/v1/statu"), "404", NULL},
		{GET("/v1/status/"), "404", NULL},
		{GET("/V1/STATUS"), "404", NULL},
		{GET("/v1/../v1/status"), "404", NULL},
		{GET("/v1/reload"), "405", "Allow: POST"},
		{GET("/v1/resync"), "405", "Allow: POST"},
		{POST("/v1/status"), "405", "Allow: GET"},
		{POST("/v1/nothing"), "404", NULL},
		{"DELETE /v1/status HTTP/1.1\r\nHost: x\r\n\r\n", "405", "Allow: GET"},
		{"HEAD /v1/status HTTP/1.1\r\nHost: x\r\n\r\n", "405", NULL},
		{"get /v1/status HTTP/1.1\r\nHost: x\r\n\r\n", "405", NULL},
	};
	struct bench b;

	(void)state;
	set_up(&b);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		assert_answer(talk(&b, rows[i].request), rows[i].status, rows[i].part);
	assert_int_equal(b.n_gets, 0);
	assert_int_equal(b.n_posts, 0);
	assert_works(&b);
	tear_down(&b);
}

/* What is no HTTP, too much of it, or only a part. */
static void test_broken(void **state)
{
	static const char *const texts[] = {
		"\r\n\r\n",
		"hello\r\n\r\n",
		"GET\r\n\r\n",
		"GET /v1/status HTTP/9.9\r\n\r\n",
		"GET /v1/status HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
		"POST /v1/reload HTTP/1.1\r\nHost: x\r\nContent-Length: "
		"99999999999999999999\r\n\r\n",
		"POST /v1/reload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
		"chunked\r\n\r\nzz\r\n\r\n",
		"GET /v1/endpoints?service=%00%ff%zz&&==&% HTTP/1.1\r\nHost: x\r\n\r\n",
		"\x16\x03\x01\x02\xff\xfe",
		"GET /v1/status HTTP/1.1\r\nHost: x\r\n", /* and no more */
		"POST /v1/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
		"",
	};
	static const char *const starts[] = {
		"GET /", "GET /v1/status HTTP/1.1\r\nX: ",
		"POST /v1/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"};
	const size_t size = 1 << 20;
	char *huge = malloc(size);
	struct bench b;

	(void)state;
	assert_non_null(huge);
	set_up(&b);
	for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
		int fd = connect_to(b.path);

		send_text(&b, fd, texts[i], strlen(texts[i]));
		run_for(&b, 5000);
		assert_int_equal(close(fd), 0);
		assert_works(&b);
	}
	assert_int_equal(b.n_posts, 0);
	for (size_t i = 0; i < ELEMENTSOF(starts); i++) {
		int fd = connect_to(b.path);

		memset(huge, 'a', size);
		memcpy(huge, starts[i], strlen(starts[i]));
		send_text(&b, fd, huge, size);
		if (strstr(starts[i], "Length"))
			wait_for_posts(&b, 1); /* the body is of no interest */
		run_for(&b, 5000);
		assert_int_equal(close(fd), 0);
		assert_works(&b);
	}
	assert_int_equal(b.n_posts, 1);
	server_reply(b.posts[0], 200, json_object());
	assert_works(&b);
	free(huge);
	tear_down(&b);
}

static void test_post(void **state)
{
	struct bench b;
	int fd[3];

	(void)state;
	set_up(&b);
	fd[0] = connect_to(b.path);
	send_text(&b, fd[0], POST("/v1/reload"), strlen(POST("/v1/reload")));
	wait_for_posts(&b, 1);
	assert_int_equal(b.verb, CONTROL_RELOAD);
	/* it waits, while others are served */
	assert_works(&b);
	fd[1] = connect_to(b.path);
	send_text(&b, fd[1], POST("/v1/resync"), strlen(POST("/v1/resync")));
	wait_for_posts(&b, 2);
	assert_int_equal(b.verb, CONTROL_RESYNC);
	assert_int_equal(recv(fd[0], &fd[2], 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);

	server_reply(b.posts[1], 422, json_pack("{s:i}", "exit", 3));
	assert_answer(receive(&b, fd[1]), "422", "\"exit\": 3");
	server_reply(b.posts[0], 200, NULL); /* out of memory */
	assert_answer(receive(&b, fd[0]), "500", "null");

	b.reply_at_once = true;
	assert_answer(talk(&b, POST("/v1/reload")), "200", "at once");
	assert_works(&b);
	tear_down(&b);
}

static void test_client_goes_away(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	for (unsigned i = 0; i < 20; i++) {
		int fd = connect_to(b.path);

		send_text(&b, fd, POST("/v1/reload"), strlen(POST("/v1/reload")));
		wait_for_posts(&b, i + 1);
		assert_int_equal(close(fd), 0);
		if (i % 2)
			run_for(&b, 2000);
	}
	assert_works(&b);
	for (unsigned i = 0; i < 10; i++)
		server_reply(b.posts[i], 200, json_object());
	run_for(&b, 5000);
	assert_works(&b);
	/* the other ten still wait when the server goes */
	tear_down(&b);
}

static void test_shutdown(void **state)
{
	char text[4096] = "";
	struct bench b;
	int fd[3];

	(void)state;
	assert_null(server_free(NULL));
	set_up(&b);
	for (unsigned i = 0; i < 3; i++) {
		fd[i] = connect_to(b.path);
		send_text(&b, fd[i], POST("/v1/reload"), strlen(POST("/v1/reload")));
		wait_for_posts(&b, i + 1);
	}
	/* one was answered but not yet served */
	server_reply(b.posts[2], 200, json_pack("{s:s}", "answer", "late"));
	server_free(b.server);
	b.server = NULL;
	for (unsigned i = 0; i < 3; i++) {
		ssize_t n = recv(fd[i], text, sizeof(text) - 1, MSG_DONTWAIT);

		assert_true(n > 0);
		text[n] = '\0';
		assert_answer(strdup(text), i == 2 ? "200" : "503", NULL);
		assert_int_equal(close(fd[i]), 0);
	}
	tear_down(&b);
}

/* More connections than are let in: the others wait, and are served when there is room. */
static void test_many_connections(void **state)
{
	struct bench b;
	int fds[80];

	(void)state;
	set_up(&b);
	for (size_t i = 0; i < ELEMENTSOF(fds); i++) {
		fds[i] = connect_to(b.path);
		run_for(&b, 500);
	}
	for (size_t i = 0; i < ELEMENTSOF(fds); i++)
		assert_int_equal(close(fds[i]), 0);
	run_for(&b, 20000);
	assert_works(&b);
	tear_down(&b);
}

static void test_socket_file(void **state)
{
	struct server *second = (struct server *)0x1;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char path[ROOT_PATH_MAX], longest[200] = {0};
	struct stat st;
	struct bench b;
	int fd;

	(void)state;
	set_up(&b);
	assert_int_equal(stat(b.path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0660);
	assert_int_equal(stat(root_path(&b.root, "run/svcroute", path), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);

	/* A second daemon does no harm to the first. */
	assert_int_equal(server_new(b.event, b.path, &ops, &b, &second), -EADDRINUSE);
	assert_ptr_equal(second, (struct server *)0x1);
	assert_works(&b);
	server_free(b.server);

	/* What a killed daemon left is replaced. */
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	memcpy(address.sun_path, b.path, strlen(b.path) + 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(server_new(b.event, b.path, &ops, &b, &b.server), 0);
	assert_works(&b);
	server_free(b.server);

	/* Anything else is not ours. */
	root_write(&b.root, "run/svcroute/control.sock", "precious");
	assert_int_equal(server_new(b.event, b.path, &ops, &b, &second), -EEXIST);
	assert_int_equal(stat(b.path, &st), 0);
	assert_int_equal(st.st_size, 8);
	assert_int_equal(unlink(b.path), 0);
	root_symlink(&b.root, "/nowhere", "run/svcroute/control.sock");
	assert_int_equal(server_new(b.event, b.path, &ops, &b, &second), -EEXIST);
	assert_int_equal(unlink(b.path), 0);

	memset(longest, 'a', sizeof(longest) - 1);
	assert_int_equal(server_new(b.event, longest, &ops, &b, &second), -ENAMETOOLONG);
	assert_ptr_equal(second, (struct server *)0x1);
	b.server = NULL;
	tear_down(&b);
}

/* What the command's half makes of it, in another process. uid 0 stays what it is. */
static void ask(struct bench *b, enum control_verb verb, uid_t uid, int expected_status)
{
	uint64_t end = clock_monotonic_usec() + 10 * USEC_PER_SEC;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		json_t *body = NULL;
		int http = 0, r;

		if (uid && setresuid(uid, uid, uid) < 0)
			_exit(100);
		r = control_request(b->path, verb, verb == CONTROL_ENDPOINTS ? "a/b c&d=e" : NULL,
				    5 * USEC_PER_SEC, &http, &body);
		if (r < 0)
			_exit(101);
		if (http == 200 && !json_object_get(body, "answer"))
			_exit(102);
		_exit(http / 10 == 20 ? 20 : http - 400);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		assert_true(clock_monotonic_usec() < end);
		assert_true(sd_event_run(b->event, 5000) >= 0);
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), expected_status == 200 ? 20 : expected_status - 400);
}

static void test_with_client(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	ask(&b, CONTROL_STATUS, 0, 200);
	ask(&b, CONTROL_ENDPOINTS, 0, 200);
	assert_string_equal(b.service, "a/b c&d=e");
	b.reply_at_once = true;
	ask(&b, CONTROL_RELOAD, 0, 200);
	assert_int_equal(b.verb, CONTROL_RELOAD);
	b.status = 404;
	ask(&b, CONTROL_ENDPOINTS, 0, 404);
	tear_down(&b);
}

/* Somebody else, whom only the mode of the socket would keep out. */
static void test_permissions(void **state)
{
	struct bench b;

	(void)state;
	if (geteuid() != 0)
		skip_because("needs root, to become somebody else");
	set_up(&b);
	assert_int_equal(chmod(b.root.path, 0755), 0);
	assert_int_equal(chmod(b.path, 0666), 0);
	b.reply_at_once = true;
	b.verb = _CONTROL_VERB_MAX;
	ask(&b, CONTROL_RELOAD, 65534, 403);
	ask(&b, CONTROL_RESYNC, 65534, 403);
	assert_int_equal(b.verb, _CONTROL_VERB_MAX); /* not asked */
	ask(&b, CONTROL_RELOAD, 0, 200);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_get),	    cmocka_unit_test(test_get_later),
		cmocka_unit_test(test_wrong),	    cmocka_unit_test(test_broken),
		cmocka_unit_test(test_post),	    cmocka_unit_test(test_client_goes_away),
		cmocka_unit_test(test_shutdown),    cmocka_unit_test(test_many_connections),
		cmocka_unit_test(test_socket_file), cmocka_unit_test(test_with_client),
		cmocka_unit_test(test_permissions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
