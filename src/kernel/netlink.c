/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/handlers.h>

#define DUMP_ATTEMPTS 8

struct exchange {
	netlink_message_t message;
	void *userdata;
	int error; /* the first, as a negative errno */
	bool finished;
};

/* libnl knows fewer errors than errno; only failures of the library itself and of its socket come
 * this way, what the kernel answered is taken from its message. */
static int errno_from_nl(int error)
{
	switch (error < 0 ? -error : error) {
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_DUMP_INTR:
	case NLE_AGAIN:
		return -EAGAIN;
	case NLE_PROTO_MISMATCH:
	case NLE_AF_NOSUPPORT:
		return -EPROTONOSUPPORT;
	default:
		return -EIO;
	}
}

int netlink_open(int protocol, struct nl_sock **ret)
{
	_cleanup_(netlink_closep) struct nl_sock *s = nl_socket_alloc();
	int r;

	if (!s)
		return -ENOMEM;
	errno = 0;
	r = nl_connect(s, protocol); /* opens with SOCK_CLOEXEC */
	if (r < 0)
		return errno == EPROTONOSUPPORT || errno == EAFNOSUPPORT ? -EPROTONOSUPPORT
									 : errno_from_nl(r);
	*ret = TAKE_PTR(s);
	return 0;
}

static int on_valid(struct nl_msg *msg, void *userdata)
{
	struct exchange *x = userdata;
	int r;

	if (!x->message || x->error < 0)
		return NL_OK;
	r = x->message(nlmsg_hdr(msg), x->userdata);
	if (r < 0)
		x->error = r;
	return NL_OK; /* the rest of the answer is read all the same: the socket stays in step */
}

static int on_end(struct nl_msg *msg, void *userdata)
{
	struct exchange *x = userdata;

	(void)msg;
	x->finished = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *userdata)
{
	struct exchange *x = userdata;

	(void)from;
	if (x->error == 0)
		x->error = e->error;
	x->finished = true;
	return NL_STOP;
}

/* Sends what msg holds and reads until the answer is complete. */
static int exchange_run(struct nl_sock *s, struct nl_msg *msg, struct exchange *x)
{
	struct nl_cb *cb;
	int r;

	cb = nl_cb_alloc(NL_CB_DEFAULT);
	if (!cb)
		return -ENOMEM;
	(void)nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, x);
	(void)nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_end, x);
	(void)nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, x);
	(void)nl_cb_err(cb, NL_CB_CUSTOM, on_error, x);

	r = nl_send_auto(s, msg);
	while (r >= 0 && !x->finished)
		r = nl_recvmsgs(s, cb);
	nl_cb_put(cb);
	if (x->error < 0)
		return x->error;
	return r < 0 ? errno_from_nl(r) : 0;
}

static int request_new(int type, int flags, const void *header, size_t header_size,
		       struct nl_msg **ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (!msg)
		return -ENOMEM;
	if (nlmsg_append(msg, (void *)(uintptr_t)header, header_size, NLMSG_ALIGNTO) < 0)
		return -ENOMEM;
	*ret = TAKE_PTR(msg);
	return 0;
}

int netlink_request(struct nl_sock *s, int type, int flags, const void *header, size_t header_size,
		    int string_type, const char *text)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	struct exchange x = {0};
	int r;

	r = request_new(type, flags | NLM_F_REQUEST | NLM_F_ACK, header, header_size, &msg);
	if (r < 0)
		return r;
	if (text && nla_put_string(msg, string_type, text) < 0)
		return -ENOMEM;
	return exchange_run(s, msg, &x);
}

int netlink_dump(struct nl_sock *s, int type, const void *header, size_t header_size,
		 netlink_message_t message, void (*restart)(void *userdata), void *userdata)
{
	for (unsigned i = 0; i < DUMP_ATTEMPTS; i++) {
		_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
		struct exchange x = {.message = message, .userdata = userdata};
		int r;

		if (restart)
			restart(userdata);
		r = request_new(type, NLM_F_REQUEST | NLM_F_DUMP, header, header_size, &msg);
		if (r < 0)
			return r;
		r = exchange_run(s, msg, &x);
		if (r != -EAGAIN)
			return r;
	}
	return -EAGAIN;
}
