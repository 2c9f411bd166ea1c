/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/strbuf.h"

/*
 * Not sd_notify(): it waits without bound while the service manager's queue is full (ten
 * datagrams), and with it would wait the event loop, and all traffic that has to move. A manager
 * that does not listen is no reason to stop routing, so failures are ignored on purpose.
 */

/* What changes the unit's state may wait a moment; what only describes it is said again after the
 * next pass. */
#define WAIT_MSEC 500

static int open_socket(void)
{
	_cleanup_close_ int fd = -1;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *path = getenv("NOTIFY_SOCKET");
	size_t n;

	if (!path || !path[0])
		return -ENOENT;
	n = strlen(path);
	if ((path[0] != '/' && path[0] != '@') || n >= sizeof(address.sun_path))
		return -EINVAL;
	memcpy(address.sun_path, path, n);
	if (path[0] == '@')
		address.sun_path[0] = '\0'; /* the abstract namespace */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	n += offsetof(struct sockaddr_un, sun_path);
	if (connect(fd, (const struct sockaddr *)&address, (socklen_t)n) < 0)
		return -errno;
	return TAKE_FD(fd);
}

static void tell(const char *text, int wait_msec)
{
	_cleanup_close_ int fd = open_socket();
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	if (fd < 0)
		return;
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) >= 0 || errno != EAGAIN || wait_msec == 0)
		return;
	if (poll(&p, 1, wait_msec) > 0)
		(void)send(fd, text, strlen(text), MSG_NOSIGNAL);
}

void notify_ready(const char *status)
{
	_cleanup_strbuf_ struct strbuf b = {0};

	strbuf_add(&b, "READY=1");
	if (status)
		strbuf_addf(&b, "\nSTATUS=%s", status);
	tell(strbuf_error(&b) ? "READY=1" : strbuf_text(&b), WAIT_MSEC);
}

void notify_reloading(void)
{
	_cleanup_strbuf_ struct strbuf b = {0};

	strbuf_addf(&b, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_monotonic_usec());
	tell(strbuf_error(&b) ? "RELOADING=1" : strbuf_text(&b), WAIT_MSEC);
}

void notify_stopping(void)
{
	tell("STOPPING=1", WAIT_MSEC);
}

void notify_status(const char *status)
{
	_cleanup_strbuf_ struct strbuf b = {0};

	strbuf_addf(&b, "STATUS=%s", status);
	if (!strbuf_error(&b))
		tell(strbuf_text(&b), 0);
}

void notify_watchdog(void)
{
	tell("WATCHDOG=1", 0);
}
