/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "kernel/netlink.h"

/*
 * What a kernel may answer to a request, a dump and many requests at once: in parts, cut short,
 * interrupted again and again, refused, out of order, not at all. A second socket plays the kernel.
 *
 * The first byte says what is asked for. Then datagrams: a byte, which request all messages in it
 * answer (a repeated dump is the next request); two bytes, its length, low one first; the messages.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUESTS 8
#define DATAGRAMS 64
#define POISON 12345

struct answers {
	size_t n, since_restart, restarts;
	int refuse; /* what the callback gives for the third message */
};

static void need(bool ok)
{
	if (!ok)
		abort();
}

static int on_message(struct nlmsghdr *h, void *userdata)
{
	struct answers *a = userdata;
	volatile uint8_t sum = 0;

	need(h->nlmsg_len >= sizeof(*h));
	for (size_t i = 0; i < h->nlmsg_len; i++) /* all of it can be read */
		sum = (uint8_t)(sum + ((const uint8_t *)h)[i]);
	a->n++;
	a->since_restart++;
	return a->since_restart == 3 ? a->refuse : 0;
}

static int on_failed(struct nlmsghdr *h, void *userdata)
{
	struct answers *a = userdata;

	need(h->nlmsg_type == NLMSG_ERROR);
	need(h->nlmsg_len >= NLMSG_LENGTH(sizeof(struct nlmsgerr)));
	a->n++;
	return 0;
}

static void on_restart(void *userdata)
{
	struct answers *a = userdata;

	a->restarts++;
	a->since_restart = 0;
}

static int on_build(size_t i, void *userdata, struct nl_msg **ret)
{
	struct nl_msg *msg = nlmsg_alloc_simple(NLMSG_MIN_TYPE, 0);

	(void)i;
	(void)userdata;
	need(msg);
	*ret = msg;
	return 0;
}

/* Opened once: a socket for each input would be most of the time. */
struct sockets {
	struct nl_sock *ours, *kernel;
};

static int sockets_open(struct sockets *s)
{
	if (netlink_open(NETLINK_USERSOCK, &s->ours) < 0 ||
	    netlink_open(NETLINK_USERSOCK, &s->kernel) < 0)
		return -1;
	nl_socket_set_peer_port(s->ours, nl_socket_get_local_port(s->kernel));
	nl_socket_set_peer_port(s->kernel, nl_socket_get_local_port(s->ours));
	/* What is not there does not come. */
	(void)nl_socket_set_nonblocking(s->ours);
	(void)nl_socket_set_nonblocking(s->kernel);
	return 0;
}

static void drain(const struct nl_sock *s)
{
	char byte;

	while (recv(nl_socket_get_fd(s), &byte, sizeof(byte), MSG_DONTWAIT) >= 0 ||
	       errno == ENOBUFS)
		;
}

/* Its messages become answers to a request of ours. */
static void queue(const struct sockets *s, const uint8_t *data, size_t size, uint32_t sequence)
{
	uint8_t *copy = malloc(size + 1);

	need(copy);
	memcpy(copy, data, size);
	for (size_t at = 0; at + sizeof(struct nlmsghdr) <= size;) {
		struct nlmsghdr h;

		memcpy(&h, copy + at, sizeof(h));
		h.nlmsg_seq = sequence;
		h.nlmsg_pid = nl_socket_get_local_port(s->ours);
		memcpy(copy + at, &h, sizeof(h));
		if (h.nlmsg_len < sizeof(h) || h.nlmsg_len > size - at)
			break;
		at += NLMSG_ALIGN((size_t)h.nlmsg_len);
	}
	(void)nl_sendto(s->kernel, copy, size);
	free(copy);
}

static void try_exchange(const struct sockets *s, struct answers *a)
{
	struct nl_msg *msg = nlmsg_alloc_simple(NLMSG_MIN_TYPE, 0);

	need(msg);
	need(netlink_exchange(s->ours, msg, on_message, on_failed, a) != POISON);
	(void)netlink_msg_free(msg);
}

static void try_dump(const struct sockets *s, struct answers *a)
{
	struct nl_msg *msg = nlmsg_alloc_simple(NLMSG_MIN_TYPE, 0);
	int r;

	need(msg);
	r = netlink_dump_message(s->ours, msg, on_message, on_restart, a);
	/* Repeated only when interrupted, and not for ever. */
	need(a->restarts >= 1 && a->restarts <= 16);
	need(r == -EAGAIN || r != 0 || a->since_restart <= a->n);
	(void)netlink_msg_free(msg);
}

static void try_pipeline(const struct sockets *s)
{
	int errors[REQUESTS + 1], r;

	for (size_t i = 0; i <= REQUESTS; i++)
		errors[i] = POISON;
	r = netlink_pipeline(s->ours, on_build, NULL, REQUESTS, errors);
	need(r <= 0 && errors[REQUESTS] == POISON);
	for (size_t i = 0; i < REQUESTS; i++)
		need(errors[i] <= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sockets s;
	struct answers a = {0};
	uint32_t first;
	uint8_t what;

	if (size == 0 || (!s.kernel && sockets_open(&s) < 0))
		return 0;
	drain(s.ours);
	drain(s.kernel);
	first = nl_socket_use_seq(s.ours) + 1;
	what = *data++;
	size--;
	for (int i = 0; size >= 3 && i < DATAGRAMS; i++) {
		size_t length = data[1] | (size_t)data[2] << 8;

		length = MIN_OF(length, size - 3);
		queue(&s, data + 3, length, first + data[0]);
		data += 3 + length;
		size -= 3 + length;
	}
	a.refuse = what & 4 ? -EBADMSG : 0;
	switch (what & 3) {
	case 0:
		try_exchange(&s, &a);
		break;
	case 1:
		try_dump(&s, &a);
		break;
	default:
		try_pipeline(&s);
	}
	return 0;
}
