/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-root.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/num.h"
#include "base/strbuf.h"
#include "control/client.h"

/* A server that answers one client with fixed bytes, in another process: it reads a request to its
 * empty line, writes it into a file, answers, and waits for the client to go if told. */
struct bench {
	struct root root;
	char path[ROOT_PATH_MAX];
	pid_t pid;
};

static void serve(int fd, const char *answer, size_t size, const char *log_path, bool hang)
{
	char request[4096];
	size_t n = 0;
	int c = accept(fd, NULL, NULL), out;

	while (n < sizeof(request) - 1) {
		ssize_t got = read(c, request + n, sizeof(request) - 1 - n);

		if (got <= 0)
			break;
		n += (size_t)got;
		request[n] = '\0';
		if (strstr(request, "\r\n\r\n"))
			break;
	}
	out = open(log_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (out < 0 || write(out, request, n) < 0 || close(out) < 0)
		_exit(1);
	/* in two pieces, as networks do */
	if (write(c, answer, size / 2) < 0 || write(c, answer + size / 2, size - size / 2) < 0)
		_exit(1);
	if (hang && read(c, request, 1) > 0)
		_exit(1);
	_exit(0);
}

static void set_up(struct bench *b, const char *answer, size_t size, bool hang)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char log_path[ROOT_PATH_MAX];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	root_make(&b->root);
	(void)root_path(&b->root, "sock", b->path);
	(void)root_path(&b->root, "request", log_path);
	assert_true(fd >= 0 && strlen(b->path) < sizeof(address.sun_path));
	memcpy(address.sun_path, b->path, strlen(b->path) + 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 1), 0);
	b->pid = fork();
	assert_true(b->pid >= 0);
	if (b->pid == 0)
		serve(fd, answer, size, log_path, hang);
	assert_int_equal(close(fd), 0);
}

/* The request that was sent; malloc'ed. */
static char *tear_down(struct bench *b)
{
	char log_path[ROOT_PATH_MAX], *request = NULL;
	size_t size;
	int status;

	assert_int_equal(waitpid(b->pid, &status, 0), b->pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(file_read(AT_FDCWD, root_path(&b->root, "request", log_path), 4096,
				   &request, &size, NULL),
			 0);
	root_remove(&b->root);
	return request;
}

#define OK "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"

static void test_answers(void **state)
{
	static const struct {
		const char *answer;
		int r, status;
		const char *body; /* NULL: none */
	} rows[] = {
		{OK "{\"a\": [1, \"x\"]}\n", 0, 200, "{\"a\":[1,\"x\"]}"},
		{OK "null", 0, 200, "null"},
		{OK "\"text\"", 0, 200, "\"text\""},
		{OK, 0, 200, NULL},
		{"HTTP/1.0 503 Service Unavailable\r\n\r\n[]", 0, 503, "[]"},
		{"HTTP/1.1 422 \r\n\r\n{}", 0, 422, "{}"},
		{"HTTP/1.1 200", 0, 200, NULL}, /* cut short */
		{OK "{", -EPROTO, 0, NULL},
		{OK "{} {}", -EPROTO, 0, NULL},
		{OK "hello", -EPROTO, 0, NULL},
		{OK "\"\xff\"", -EPROTO, 0, NULL},
		{"", -EPROTO, 0, NULL},
		{"HTTP/1.1", -EPROTO, 0, NULL},
		{"HTTP/1.1 20", -EPROTO, 0, NULL},
		{"HTTP/1.1 2x0 OK\r\n\r\n{}", -EPROTO, 0, NULL},
		{"HTTP/1.1 099 OK\r\n\r\n{}", -EPROTO, 0, NULL},
		{"HTTP/1.1 600 OK\r\n\r\n{}", -EPROTO, 0, NULL},
		{"HTTP/1.1x200 OK\r\n\r\n{}", -EPROTO, 0, NULL},
		{"HTTP/2 200 OK\r\n\r\n{}", -EPROTO, 0, NULL},
		{"SSH-2.0-OpenSSH_9.2\r\n", -EPROTO, 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		json_t *poison = json_true(), *body = poison;
		int status = -77, r;
		struct bench b;

		set_up(&b, rows[i].answer, strlen(rows[i].answer), false);
		r = control_request(b.path, CONTROL_STATUS, NULL, 5 * USEC_PER_SEC, &status, &body);
		free(tear_down(&b));
		if (r != rows[i].r)
			fail_msg("row %zu: %d", i, r);
		if (r < 0) {
			assert_int_equal(status, -77);
			assert_ptr_equal(body, poison);
			continue;
		}
		assert_int_equal(status, rows[i].status);
		if (rows[i].body) {
			char *text = json_dumps(body, JSON_COMPACT | JSON_ENCODE_ANY);

			assert_string_equal(text, rows[i].body);
			free(text);
			json_decref(body);
		} else {
			assert_null(body);
		}
	}
}

static void test_nul_in_answer(void **state)
{
	static const char answer[] = "HTTP/1.1 2\0000 OK\r\n\r\n{}";
	json_t *body = NULL;
	int status = 0;
	struct bench b;

	(void)state;
	set_up(&b, answer, sizeof(answer) - 1, false);
	assert_int_equal(
		control_request(b.path, CONTROL_STATUS, NULL, USEC_PER_SEC, &status, &body),
		-EPROTO);
	free(tear_down(&b));
}

static void test_requests(void **state)
{
	static const struct {
		enum control_verb verb;
		const char *service, *line;
	} rows[] = {
		{CONTROL_STATUS, NULL, "GET /v1/status HTTP/1.0\r\n"},
		{CONTROL_RELOAD, NULL, "POST /v1/reload HTTP/1.0\r\n"},
		{CONTROL_ENDPOINTS, "default/nginx-1.x",
		 "GET /v1/endpoints?service=default/nginx-1.x HTTP/1.0\r\n"},
		{CONTROL_ENDPOINTS, "", "GET /v1/endpoints?service= HTTP/1.0\r\n"},
		/* nothing that is typed can become a header or another request */
		{CONTROL_ENDPOINTS, "a b&c=d%\r\nX: y\xff",
		 "GET /v1/endpoints?service=a%20b%26c%3Dd%25%0D%0AX%3A%20y%FF HTTP/1.0\r\n"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		json_t *body = NULL;
		struct bench b;
		char *request;
		int status = 0;

		set_up(&b, OK, strlen(OK), false);
		assert_int_equal(control_request(b.path, rows[i].verb, rows[i].service,
						 USEC_PER_SEC, &status, &body),
				 0);
		request = tear_down(&b);
		assert_memory_equal(request, rows[i].line, strlen(rows[i].line));
		assert_non_null(strstr(request, "\r\nContent-Length: 0\r\n"));
		free(request);
	}
}

static void test_no_server(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char path[ROOT_PATH_MAX], longest[200] = {0};
	json_t *poison = json_true(), *body = poison;
	int status = -77, fd;
	struct bench b;

	(void)state;
	memset(longest, 'a', sizeof(longest) - 1);
	assert_int_equal(control_request("/nowhere/sock", CONTROL_STATUS, NULL, 0, &status, &body),
			 -ENOENT);
	assert_int_equal(control_request(longest, CONTROL_STATUS, NULL, 0, &status, &body),
			 -ENAMETOOLONG);
	root_make(&b.root);
	(void)root_path(&b.root, "sock", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	memcpy(address.sun_path, path, strlen(path) + 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(control_request(path, CONTROL_STATUS, NULL, 0, &status, &body),
			 -ECONNREFUSED);
	/* one that is there and does nothing; the second does not even get into its queue */
	assert_int_equal(listen(fd, 0), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(control_request(path, CONTROL_STATUS, NULL, 20000, &status, &body),
				 -ETIMEDOUT);
	assert_int_equal(close(fd), 0);
	assert_int_equal(status, -77);
	assert_ptr_equal(body, poison);
	root_remove(&b.root);

	/* half an answer, then silence */
	set_up(&b, OK "{", strlen(OK "{"), true);
	assert_int_equal(control_request(b.path, CONTROL_STATUS, NULL, 50000, &status, &body),
			 -ETIMEDOUT);
	free(tear_down(&b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_nul_in_answer),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_no_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
