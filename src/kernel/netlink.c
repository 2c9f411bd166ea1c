/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/handlers.h>
#include <sys/socket.h>

#include "base/array.h"

#define DUMP_ATTEMPTS 8

/* What a socket is asked for: acknowledgements of a pipeline wait here. The kernel doubles it, and
 * gives less where net.core.rmem_max is less. */
#define RECEIVE_BUFFER (256 * 1024)
#define SEND_BUFFER (128 * 1024) /* a message must fit in twice that */

struct exchange {
	netlink_message_t message, failed;
	void *userdata;
	const struct nlmsghdr *current; /* inside a callback: what it is called for */
	uint32_t sequence;
	int error; /* the first, as a negative errno */
	bool finished;
};

struct pipeline {
	int *errors;
	const struct nlmsghdr *current;
	uint32_t first; /* sequence number of the first request */
	size_t n_queued, n_sent;
	size_t n_answered; /* the first so many */
	size_t window;	   /* so many may be unanswered */
	char *batch;	   /* those queued, for one send */
	size_t batch_size, batch_allocated;
	size_t last; /* where the last one begins in it */
};

#define BATCH_SIZE (32 * 1024) /* of one send; a larger message goes alone */

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
		return -EAGAIN;
	case NLE_MSG_TRUNC:
		return -EBADMSG;
	case NLE_PROTO_MISMATCH:
	case NLE_AF_NOSUPPORT:
		return -EPROTONOSUPPORT;
	default:
		return -EIO;
	}
}

int netlink_open(int protocol, struct nl_sock **ret)
{
	/* The kernel answers before a send returns: who waits at all waits for what was lost. */
	const struct timeval patience = {.tv_sec = 5};
	_cleanup_(netlink_closep) struct nl_sock *s = nl_socket_alloc();
	int r;

	if (!s)
		return -ENOMEM;
	errno = 0;
	r = nl_connect(s, protocol); /* opens with SOCK_CLOEXEC */
	if (r < 0)
		return errno == EPROTONOSUPPORT || errno == EAFNOSUPPORT ? -EPROTONOSUPPORT
									 : errno_from_nl(r);
	(void)nl_socket_set_buffer_size(s, RECEIVE_BUFFER, SEND_BUFFER);
	if (setsockopt(nl_socket_get_fd(s), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) <
	    0)
		return -errno;
	*ret = TAKE_PTR(s);
	return 0;
}

int netlink_parse(const struct nlattr *attrs, int size, struct nlattr **tb, int max,
		  const struct nla_policy *policy)
{
	const struct nlattr *a = attrs;
	int rest = size;

	while (nla_ok(a, rest))
		a = nla_next(a, &rest);
	if (rest > 0) /* the padding after the last one may be missing: less than 0 */
		return -EBADMSG;
	return nla_parse(tb, max, (struct nlattr *)(uintptr_t)attrs, size,
			 (struct nla_policy *)(uintptr_t)policy) < 0
		       ? -EBADMSG
		       : 0;
}

/* No kernel answers with a positive error: whatever it means, nothing was done. */
static int answered_error(const struct nlmsgerr *e)
{
	return e->error > 0 ? -EBADMSG : e->error;
}

/* Called before all others. What a broken-off exchange has left in the socket is passed over. */
static int on_sequence(struct nl_msg *msg, void *userdata)
{
	struct exchange *x = userdata;

	x->current = nlmsg_hdr(msg);
	return x->current->nlmsg_seq == x->sequence ? NL_OK : NL_SKIP;
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

static int on_ack(struct nl_msg *msg, void *userdata)
{
	struct exchange *x = userdata;

	(void)msg;
	x->finished = true;
	return NL_STOP;
}

/* A dump that fails on its way tells so in its last message. */
static int on_finish(struct nl_msg *msg, void *userdata)
{
	const struct nlmsghdr *h = nlmsg_hdr(msg);
	struct exchange *x = userdata;
	int error;

	if (nlmsg_datalen(h) >= (int)sizeof(error)) {
		memcpy(&error, nlmsg_data(h), sizeof(error));
		if (error < 0 && x->error == 0)
			x->error = error;
	}
	x->finished = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *userdata)
{
	struct exchange *x = userdata;

	(void)from;
	if (x->error == 0) {
		x->error = answered_error(e);
		if (x->failed)
			(void)x->failed((struct nlmsghdr *)(uintptr_t)x->current, x->userdata);
	}
	x->finished = true;
	return NL_STOP;
}

/* What comes at once must be whole messages: libnl passes over one that is cut short, and a dump
 * would lack what was in it without a word. */
static int receive_whole(struct nl_sock *s, struct sockaddr_nl *from, unsigned char **buf,
			 struct ucred **credentials)
{
	int n = nl_recv(s, from, buf, credentials), rest = n;
	struct nlmsghdr *h;

	if (n <= 0)
		return n;
	for (h = (struct nlmsghdr *)*buf; nlmsg_ok(h, rest); h = nlmsg_next(h, &rest))
		continue;
	if (rest <= 0)
		return n;
	free(*buf);
	*buf = NULL;
	return -NLE_MSG_TRUNC;
}

/* While a full socket is not empty the kernel drops all further answers to it, without a word. */
static void drain(struct nl_sock *s)
{
	char byte;

	while (recv(nl_socket_get_fd(s), &byte, sizeof(byte), MSG_DONTWAIT) >= 0 ||
	       errno == ENOBUFS || errno == EINTR)
		;
}

/* Reads what is there. */
static int receive(struct nl_sock *s, struct nl_cb *cb)
{
	int r;

	nl_cb_overwrite_recv(cb, receive_whole);
	errno = 0;
	r = nl_recvmsgs(s, cb);
	if (r < 0 && errno == ENOBUFS) { /* to libnl it is a lack of memory */
		drain(s);
		return -ENOBUFS;
	}
	if (r == -NLE_AGAIN)
		return -ETIMEDOUT;
	return r < 0 ? errno_from_nl(r) : 0;
}

static int exchange_run(struct nl_sock *s, struct nl_msg *msg, struct exchange *x)
{
	struct nl_cb *cb;
	int r;

	cb = nl_cb_alloc(NL_CB_DEFAULT);
	if (!cb)
		return -ENOMEM;
	(void)nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_sequence, x);
	(void)nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, x);
	(void)nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, x);
	(void)nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, x);
	(void)nl_cb_err(cb, NL_CB_CUSTOM, on_error, x);

	r = nl_send_auto(s, msg);
	x->sequence = nlmsg_hdr(msg)->nlmsg_seq;
	if (r < 0)
		r = errno_from_nl(r);
	while (r >= 0 && !x->finished)
		r = receive(s, cb);
	nl_cb_put(cb);
	return x->error < 0 ? x->error : r < 0 ? r : 0;
}

int netlink_exchange(struct nl_sock *s, struct nl_msg *msg, netlink_message_t message,
		     netlink_message_t failed, void *userdata)
{
	struct exchange x = {.message = message, .failed = failed, .userdata = userdata};

	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	return exchange_run(s, msg, &x);
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

int netlink_dump_message(struct nl_sock *s, struct nl_msg *msg, netlink_message_t message,
			 void (*restart)(void *userdata), void *userdata)
{
	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_REQUEST | NLM_F_DUMP;
	for (unsigned i = 0; i < DUMP_ATTEMPTS; i++) {
		struct exchange x = {.message = message, .userdata = userdata};
		int r;

		if (restart)
			restart(userdata);
		nlmsg_hdr(msg)->nlmsg_seq = NL_AUTO_SEQ;
		r = exchange_run(s, msg, &x);
		if (r != -EAGAIN)
			return r;
	}
	return -EAGAIN;
}

int netlink_dump(struct nl_sock *s, int type, const void *header, size_t header_size,
		 netlink_message_t message, void (*restart)(void *userdata), void *userdata)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	int r;

	r = request_new(type, 0, header, header_size, &msg);
	if (r < 0)
		return r;
	return netlink_dump_message(s, msg, message, restart, userdata);
}

/* Answers come in order, and a refusal always comes: those before this one that were not told of
 * have succeeded. */
static void pipeline_answer(struct pipeline *p, int error)
{
	size_t i = p->current->nlmsg_seq - p->first;

	if (i < p->n_answered)
		return;
	while (p->n_answered < i)
		p->errors[p->n_answered++] = 0;
	p->errors[p->n_answered++] = error;
}

static int on_pipeline_sequence(struct nl_msg *msg, void *userdata)
{
	struct pipeline *p = userdata;

	p->current = nlmsg_hdr(msg);
	return p->current->nlmsg_seq - p->first < p->n_sent ? NL_OK : NL_SKIP;
}

static int on_pipeline_ack(struct nl_msg *msg, void *userdata)
{
	(void)msg;
	pipeline_answer(userdata, 0);
	return NL_OK;
}

static int on_pipeline_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *userdata)
{
	(void)from;
	pipeline_answer(userdata, answered_error(e));
	return NL_SKIP; /* NL_STOP would be a failure to libnl */
}

static int on_pipeline_other(struct nl_msg *msg, void *userdata)
{
	(void)msg;
	(void)userdata;
	return NL_OK;
}

/*
 * How many requests of that size may be unanswered, so that their answers fit in the receive buffer
 * also when each is a refusal, which has the request in it. The kernel counts what it has
 * allocated: up to twice the size, and a header of its own.
 */
static size_t pipeline_window(size_t buffer, size_t message_size)
{
	size_t n = buffer / (2 * message_size + 2048);

	return n ? n : 1;
}

static size_t receive_buffer(const struct nl_sock *s)
{
	socklen_t length = sizeof(int);
	int size;

	if (getsockopt(nl_socket_get_fd(s), SOL_SOCKET, SO_RCVBUF, &size, &length) < 0 || size < 0)
		return 0;
	return (size_t)size;
}

/* Is there room for it in the send that is being put together? One alone always finds it. */
static bool pipeline_has_room(const struct pipeline *p, const struct nlmsghdr *h)
{
	if (p->n_queued == 0)
		return true;
	return p->n_queued < p->window && p->batch_size + NLMSG_ALIGN(h->nlmsg_len) <= BATCH_SIZE;
}

static int pipeline_queue(struct nl_sock *s, struct pipeline *p, struct nl_msg *msg)
{
	struct nlmsghdr *h = nlmsg_hdr(msg);

	if (array_reserve(&p->batch, &p->batch_allocated,
			  p->batch_size + NLMSG_ALIGN(h->nlmsg_len)) < 0)
		return -ENOMEM;
	h->nlmsg_flags |= NLM_F_REQUEST;
	h->nlmsg_seq = NL_AUTO_SEQ;
	nl_complete_msg(s, msg); /* numbers follow each other */
	h->nlmsg_flags &= (uint16_t)~NLM_F_ACK;
	if (p->n_sent + p->n_queued == 0)
		p->first = h->nlmsg_seq;
	memcpy(p->batch + p->batch_size, h, h->nlmsg_len);
	memset(p->batch + p->batch_size + h->nlmsg_len, 0,
	       NLMSG_ALIGN(h->nlmsg_len) - h->nlmsg_len);
	p->last = p->batch_size;
	p->batch_size += NLMSG_ALIGN(h->nlmsg_len);
	p->n_queued++;
	return 0;
}

/* The last one is acknowledged, and by that all: an answer to each takes longer to read than the
 * kernel needs for the change. */
static int pipeline_send(struct nl_sock *s, struct pipeline *p)
{
	struct nlmsghdr last;
	int r = 0;

	if (p->n_queued) {
		memcpy(&last, p->batch + p->last, sizeof(last));
		last.nlmsg_flags |= NLM_F_ACK;
		memcpy(p->batch + p->last, &last, sizeof(last));
		r = nl_sendto(s, p->batch, p->batch_size);
	}
	if (r >= 0)
		p->n_sent += p->n_queued;
	p->n_queued = p->batch_size = 0;
	return r < 0 ? errno_from_nl(r) : 0;
}

static int pipeline_run(struct nl_sock *s, struct nl_cb *cb, struct pipeline *p,
			netlink_build_t build, void *userdata, size_t n)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *next = NULL; /* built, and found no room yet */
	size_t buffer = receive_buffer(s), largest = 0;
	int r, failed = 0; /* failed: nothing more is sent, what was sent is waited for */

	while (p->n_answered < (failed ? p->n_sent : n)) {
		while (!failed && p->n_sent + p->n_queued < n) {
			if (!next)
				failed = build(p->n_sent + p->n_queued, userdata, &next);
			if (failed)
				break;
			largest = MAX_OF(largest, (size_t)nlmsg_hdr(next)->nlmsg_len);
			p->window = pipeline_window(buffer, largest);
			if (!pipeline_has_room(p, nlmsg_hdr(next)))
				break;
			failed = pipeline_queue(s, p, next);
			next = netlink_msg_free(next);
		}
		r = pipeline_send(s, p);
		failed = failed ? failed : r;
		while (p->n_answered < p->n_sent) {
			r = receive(s, cb);
			if (r < 0)
				return r;
		}
	}
	return failed;
}

int netlink_pipeline(struct nl_sock *s, netlink_build_t build, void *userdata, size_t n,
		     int *errors)
{
	struct pipeline p = {.errors = errors};
	struct nl_cb *cb;
	int r;

	cb = nl_cb_alloc(NL_CB_DEFAULT);
	if (cb) {
		(void)nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_pipeline_sequence, &p);
		(void)nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_pipeline_ack, &p);
		(void)nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_pipeline_other, &p);
		(void)nl_cb_err(cb, NL_CB_CUSTOM, on_pipeline_error, &p);
		r = pipeline_run(s, cb, &p, build, userdata, n);
		nl_cb_put(cb);
	} else {
		r = -ENOMEM;
	}
	free(p.batch);
	for (size_t i = p.n_answered; i < n; i++)
		errors[i] = r;
	return r;
}
