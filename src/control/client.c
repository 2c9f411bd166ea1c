/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "control/client.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "base/num.h"

/* HTTP/1.0 in both directions: no chunks, and the end of the answer is the end of the connection.
 */

#define ANSWER_MAX (256u << 20)

static int connect_to(const char *path, uint64_t timeout_usec, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct timeval wait = {.tv_sec = (time_t)(timeout_usec / USEC_PER_SEC),
				     .tv_usec = (suseconds_t)(timeout_usec % USEC_PER_SEC)};

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (timeout_usec && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0 ||
			     setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) < 0))
		return -errno;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno; /* its queue stayed full */
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static void add_escaped(struct strbuf *b, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    c == '-' || c == '.' || c == '/')
			strbuf_add_char(b, *text);
		else
			strbuf_addf(b, "%%%02X", c);
	}
}

static int send_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = send(fd, data, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

static int read_all(int fd, struct strbuf *b)
{
	char chunk[16384];

	for (;;) {
		ssize_t n = recv(fd, chunk, sizeof(chunk), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		if (n == 0)
			return strbuf_error(b);
		if (b->len + (size_t)n > ANSWER_MAX)
			return -EPROTO;
		strbuf_add_bytes(b, chunk, (size_t)n);
	}
}

/* "HTTP/1.x NNN ..." */
static int parse_status(const char *text, int *ret)
{
	char digits[4];
	uint64_t status;

	if (strncmp(text, "HTTP/1.", 7) != 0 || strlen(text) < 12 || text[8] != ' ')
		return -EPROTO;
	memcpy(digits, text + 9, 3);
	digits[3] = '\0';
	if (num_parse_u64(digits, 100, 599, &status) < 0)
		return -EPROTO;
	*ret = (int)status;
	return 0;
}

int control_request(const char *socket_path, enum control_verb verb, const char *service,
		    uint64_t timeout_usec, int *ret_http_status, json_t **ret_body)
{
	const struct control_route *route = &control_routes[verb];
	_cleanup_strbuf_ struct strbuf request = {0}, answer = {0};
	_cleanup_close_ int fd = -1;
	const char *body;
	json_t *json = NULL;
	int status = 0, r;

	strbuf_addf(&request, "%s %s", route->method, route->path);
	if (service) {
		strbuf_add(&request, "?service=");
		add_escaped(&request, service);
	}
	strbuf_add(&request, " HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
	r = strbuf_error(&request);
	if (r == 0)
		r = connect_to(socket_path, timeout_usec, &fd);
	if (r == 0)
		r = send_all(fd, request.data, request.len);
	if (r == 0)
		r = read_all(fd, &answer);
	if (r == 0)
		r = parse_status(strbuf_text(&answer), &status);
	if (r < 0)
		return r;
	body = strstr(answer.data, "\r\n\r\n");
	if (body && body[4]) {
		errno = 0;
		json = json_loads(body + 4, JSON_DECODE_ANY, NULL);
		/* jansson may lose bytes and call it a success. */
		if (errno == ENOMEM) {
			json_decref(json);
			return -ENOMEM;
		}
		if (!json)
			return -EPROTO;
	}
	*ret_http_status = status;
	*ret_body = json;
	return 0;
}
