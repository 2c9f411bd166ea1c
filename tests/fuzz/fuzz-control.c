/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket: whatever a client sends, and whenever it goes away, the server asks for
 * nothing that was not asked of it, answers HTTP or nothing, and serves the next client. The first
 * byte is not sent but says what else happens: bit 0 the client goes away before it reads, bit 1 a
 * POST is answered later, bit 2 never (the server is freed with it).
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "daemon/server.h"

struct bench {
	char directory[32], path[64];
	sd_event *event;
	struct server *server;
	struct server_request *posts[8];
	size_t n_posts;
	unsigned n_gets;
	bool later;
};

/* abort() is what the fuzzer sees. */
static void must(bool condition)
{
	if (!condition)
		abort();
}

static void on_get(void *userdata, enum control_verb verb, const char *service,
		   struct server_request *request)
{
	struct bench *b = userdata;

	must(verb < _CONTROL_VERB_MAX && streq(control_routes[verb].method, "GET"));
	b->n_gets++;
	server_reply(request, service && !service[0] ? 404 : 200, json_string("yes"));
}

static void on_post(void *userdata, enum control_verb verb, struct server_request *request)
{
	struct bench *b = userdata;

	must(verb < _CONTROL_VERB_MAX && streq(control_routes[verb].method, "POST"));
	if (b->later && b->n_posts < ELEMENTSOF(b->posts))
		b->posts[b->n_posts++] = request;
	else
		server_reply(request, 422, json_object());
}

static const struct server_ops ops = {.get = on_get, .post = on_post};

static void set_up(struct bench *b)
{
	*b = (struct bench){.directory = "/tmp/svcroute-fuzz-XXXXXX"};
	must(mkdtemp(b->directory) != NULL);
	(void)snprintf(b->path, sizeof(b->path), "%s/sock", b->directory);
	must(sd_event_new(&b->event) >= 0);
	must(server_new(b->event, b->path, &ops, b, &b->server) == 0);
}

static void run(struct bench *b)
{
	int r = 1;

	for (int i = 0; i < 1000 && r > 0; i++)
		r = sd_event_run(b->event, 0);
	must(r == 0);
}

static int connect_to(const struct bench *b)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(address.sun_path, b->path, strlen(b->path) + 1);
	must(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	return fd;
}

/* In pieces, as networks do. */
static void send_bytes(struct bench *b, int fd, const uint8_t *data, size_t size)
{
	while (size) {
		size_t piece = MIN_OF(size, (size_t)(1 + size / 2));
		ssize_t n = send(fd, data, piece, MSG_NOSIGNAL);

		run(b);
		if (n <= 0)
			return;
		data += n;
		size -= (size_t)n;
	}
}

/* What came, cut at the size of the buffer. */
static size_t receive(struct bench *b, int fd, char *buf, size_t size)
{
	size_t used = 0;
	ssize_t n = 1;

	while (n > 0 && used < size - 1) {
		run(b);
		n = recv(fd, buf + used, size - 1 - used, 0);
		used += n > 0 ? (size_t)n : 0;
	}
	buf[used] = '\0';
	return used;
}

static void must_serve_next(struct bench *b)
{
	static const char request[] = "GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n";
	char answer[1024];
	unsigned n_gets = b->n_gets;
	int fd = connect_to(b);

	send_bytes(b, fd, (const uint8_t *)request, sizeof(request) - 1);
	must(receive(b, fd, answer, sizeof(answer)) > 0);
	must(strncmp(answer, "HTTP/1.1 200", 12) == 0 && strstr(answer, "\"yes\"") != NULL);
	must(b->n_gets == n_gets + 1);
	must(close(fd) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how;
	char answer[1024];
	struct bench b;
	int fd;

	if (size == 0)
		return 0;
	how = data[0];
	set_up(&b);
	b.later = how & 2;
	fd = connect_to(&b);
	send_bytes(&b, fd, data + 1, size - 1);
	if (!(how & 1) && receive(&b, fd, answer, sizeof(answer)))
		must(strncmp(answer, "HTTP/1.", 7) == 0);
	if (how & 1) {
		must(close(fd) == 0);
		fd = -1;
		run(&b);
	}
	must_serve_next(&b);
	for (size_t i = 0; i < b.n_posts && !(how & 4); i++)
		server_reply(b.posts[i], 200, json_object());
	run(&b);
	must_serve_next(&b);
	if (fd >= 0)
		must(close(fd) == 0);
	b.server = server_free(b.server);
	sd_event_unref(b.event);
	must(rmdir(b.directory) == 0); /* the socket is gone */
	return 0;
}
