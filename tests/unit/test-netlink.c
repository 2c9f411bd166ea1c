/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-namespace.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "kernel/netlink.h"

#define N_REQUESTS 3000
#define FAIL_AT 2000

struct plan {
	unsigned index; /* of lo */
	size_t fail_at; /* build fails there; n for never */
	size_t padding; /* makes messages larger */
	size_t n_built;
	int type;
};

/* Of three requests the second is refused: its address is there already, or is gone already. */
static int build_address(size_t i, void *userdata, struct nl_msg **ret)
{
	struct plan *p = userdata;
	const struct ifaddrmsg ifa = {
		.ifa_family = AF_INET, .ifa_prefixlen = 32, .ifa_index = p->index};
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	uint32_t address = htonl(0x0a000000 + (uint32_t)(i % 3 == 1 ? i - 1 : i));
	static const char padding[8192];

	p->n_built++;
	if (i == p->fail_at)
		return -EDOM;
	msg = nlmsg_alloc_size(16384);
	assert_non_null(msg);
	assert_non_null(nlmsg_put(msg, NL_AUTO_PORT, 7, p->type, 0,
				  p->type == RTM_NEWADDR ? NLM_F_CREATE | NLM_F_EXCL : 0));
	assert_int_equal(nlmsg_append(msg, (void *)(uintptr_t)&ifa, sizeof(ifa), NLMSG_ALIGNTO), 0);
	assert_int_equal(nla_put(msg, IFA_LOCAL, sizeof(address), &address), 0);
	if (p->padding)
		assert_int_equal(nla_put(msg, IFA_MAX + 100, (int)p->padding, padding), 0);
	*ret = TAKE_PTR(msg);
	return 0;
}

static struct nl_sock *open_route(void)
{
	struct nl_sock *s = NULL;

	assert_int_equal(netlink_open(NETLINK_ROUTE, &s), 0);
	return s;
}

static void poison(int *errors, size_t n)
{
	for (size_t i = 0; i < n; i++)
		errors[i] = 12345;
}

static void test_pipeline(void **state)
{
	static int errors[N_REQUESTS + 1];
	static const size_t paddings[] = {0, 8192}; /* refusals bring the request back */
	struct plan plan = {.fail_at = SIZE_MAX};
	struct nl_sock *s;

	(void)state;
	enter_namespace();
	s = open_route();
	plan.index = if_nametoindex("lo");
	for (size_t k = 0; k < ELEMENTSOF(paddings); k++) {
		static const int types[] = {RTM_NEWADDR, RTM_DELADDR};

		plan.padding = paddings[k];
		for (size_t t = 0; t < ELEMENTSOF(types); t++) {
			int refusal = types[t] == RTM_NEWADDR ? -EEXIST : -EADDRNOTAVAIL;

			plan.type = types[t];
			plan.n_built = 0;
			poison(errors, ELEMENTSOF(errors));
			assert_int_equal(
				netlink_pipeline(s, build_address, &plan, N_REQUESTS, errors), 0);
			assert_int_equal(plan.n_built, N_REQUESTS);
			for (size_t i = 0; i < N_REQUESTS; i++)
				assert_int_equal(errors[i], i % 3 == 1 ? refusal : 0);
			assert_int_equal(errors[N_REQUESTS], 12345);
		}
	}
	/* none at all */
	assert_int_equal(netlink_pipeline(s, build_address, &plan, 0, NULL), 0);
	s = netlink_close(s);
}

/* What was sent before a failure has its answers, and the socket is as good as new. */
static void test_pipeline_broken_off(void **state)
{
	static int errors[N_REQUESTS];
	struct plan plan = {.fail_at = FAIL_AT, .type = RTM_NEWADDR};
	const struct ifaddrmsg bad = {.ifa_family = AF_INET, .ifa_prefixlen = 99};
	struct nl_sock *s;

	(void)state;
	enter_namespace();
	s = open_route();
	plan.index = if_nametoindex("lo");
	poison(errors, ELEMENTSOF(errors));
	assert_int_equal(netlink_pipeline(s, build_address, &plan, N_REQUESTS, errors), -EDOM);
	assert_int_equal(plan.n_built, FAIL_AT + 1);
	for (size_t i = 0; i < N_REQUESTS; i++)
		assert_int_equal(errors[i], i >= FAIL_AT ? -EDOM : i % 3 == 1 ? -EEXIST : 0);
	assert_int_equal(netlink_request(s, RTM_NEWADDR, 0, &bad, sizeof(bad), 0, NULL), -EINVAL);
	s = netlink_close(s);
}

static int count_addresses(struct nlmsghdr *h, void *userdata)
{
	*(unsigned *)userdata += h->nlmsg_type == RTM_NEWADDR;
	return 0;
}

static void drop_count(void *userdata)
{
	*(unsigned *)userdata = 0;
}

static int keep_error(struct nlmsghdr *h, void *userdata)
{
	const struct nlmsgerr *e = nlmsg_data(h);

	assert_int_equal(h->nlmsg_type, NLMSG_ERROR);
	assert_int_equal(e->msg.nlmsg_type, RTM_NEWADDR);
	*(unsigned *)userdata = h->nlmsg_len;
	return 0;
}

static int refuse_message(struct nlmsghdr *h, void *userdata)
{
	(void)h;
	(void)userdata;
	return -EDOM;
}

/* Answers that nobody read are passed over by the next exchange. */
static void test_strays(void **state)
{
	const struct ifaddrmsg ifa = {.ifa_family = AF_INET};
	struct plan plan = {.fail_at = SIZE_MAX, .type = RTM_NEWADDR};
	struct nl_msg *msg = NULL;
	unsigned n = 77;
	struct nl_sock *s;
	int error = 12345;

	(void)state;
	enter_namespace();
	s = open_route();
	plan.index = if_nametoindex("lo");
	do_shell("ip address add 10.9.0.1/32 dev lo");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(build_address(0, &plan, &msg), 0);
		nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
		assert_true(nl_send_auto(s, msg) > 0);
		msg = netlink_msg_free(msg);
		if (i == 0)
			assert_int_equal(netlink_dump(s, RTM_GETADDR, &ifa, sizeof(ifa),
						      count_addresses, drop_count, &n),
					 0);
		else if (i == 1)
			assert_int_equal(netlink_pipeline(s, build_address, &plan, 1, &error), 0);
	}
	assert_int_equal(n, 2);
	assert_int_equal(error, -EEXIST);
	/* a refusal brings the request back */
	assert_int_equal(build_address(0, &plan, &msg), 0);
	assert_int_equal(netlink_exchange(s, msg, count_addresses, keep_error, &n), -EEXIST);
	assert_true(n >= NLMSG_LENGTH(sizeof(struct nlmsgerr)) + sizeof(struct ifaddrmsg));
	msg = netlink_msg_free(msg);
	/* an error of the reader is that of the whole, and the rest is read all the same */
	assert_int_equal(netlink_dump(s, RTM_GETADDR, &ifa, sizeof(ifa), refuse_message, NULL, &n),
			 -EDOM);
	assert_int_equal(
		netlink_dump(s, RTM_GETADDR, &ifa, sizeof(ifa), count_addresses, drop_count, &n),
		0);
	assert_int_equal(n, 2);
	s = netlink_close(s);
}

static void shrink(struct nl_sock *s)
{
	const int size = 1; /* the kernel's least */

	assert_int_equal(
		setsockopt(nl_socket_get_fd(s), SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), 0);
}

/* The window is that of the socket's buffer. */
static void test_small_buffer(void **state)
{
	static int errors[N_REQUESTS];
	struct plan plan = {.fail_at = SIZE_MAX, .type = RTM_NEWADDR};
	struct nl_sock *s;

	(void)state;
	enter_namespace();
	s = open_route();
	shrink(s);
	plan.index = if_nametoindex("lo");
	assert_int_equal(netlink_pipeline(s, build_address, &plan, N_REQUESTS, errors), 0);
	for (size_t i = 0; i < N_REQUESTS; i++)
		assert_int_equal(errors[i], i % 3 == 1 ? -EEXIST : 0);
	s = netlink_close(s);
}

/* More answers than find room: told once, and the socket is as good as new. */
static void test_overrun(void **state)
{
	const struct ifaddrmsg ifa = {.ifa_family = AF_INET}, bad = {.ifa_prefixlen = 99};
	struct plan plan = {.fail_at = SIZE_MAX, .type = RTM_NEWADDR};
	int errors[4] = {12345, 12345, 12345, 12345};
	struct nl_msg *msg = NULL;
	struct nl_sock *s;
	unsigned n = 0;

	(void)state;
	enter_namespace();
	plan.index = if_nametoindex("lo");
	for (int way = 0; way < 3; way++) {
		s = open_route();
		shrink(s);
		for (int i = 0; i < 50; i++) {
			assert_int_equal(build_address(0, &plan, &msg), 0);
			nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
			assert_true(nl_send_auto(s, msg) > 0);
			msg = netlink_msg_free(msg);
		}
		if (way == 0)
			assert_int_equal(
				netlink_request(s, RTM_NEWADDR, 0, &bad, sizeof(bad), 0, NULL),
				-ENOBUFS);
		else if (way == 1)
			assert_int_equal(netlink_dump(s, RTM_GETADDR, &ifa, sizeof(ifa),
						      count_addresses, drop_count, &n),
					 -ENOBUFS);
		else
			assert_int_equal(netlink_pipeline(s, build_address, &plan, 4, errors),
					 -ENOBUFS);
		for (int i = 0; i < 4; i++)
			assert_int_equal(errors[i], way == 2 ? -ENOBUFS : 12345);
		assert_int_equal(netlink_dump(s, RTM_GETADDR, &ifa, sizeof(ifa), count_addresses,
					      drop_count, &n),
				 0);
		assert_int_equal(netlink_pipeline(s, build_address, &plan, 4, errors), 0);
		for (int i = 0; i < 4; i++) {
			assert_true(errors[i] == 0 || errors[i] == -EEXIST);
			errors[i] = 12345;
		}
		s = netlink_close(s);
	}
}

/* An answer that does not come: the kernel gives none to a request that does not ask for it. */
static void test_no_answer(void **state)
{
	struct plan plan = {.fail_at = SIZE_MAX, .type = RTM_NEWADDR};
	struct nl_msg *msg = NULL;
	struct nl_sock *s;

	(void)state;
	enter_namespace();
	s = open_route();
	plan.index = if_nametoindex("lo");
	assert_int_equal(build_address(0, &plan, &msg), 0);
	nlmsg_hdr(msg)->nlmsg_type = NLMSG_NOOP; /* neither done nor refused */
	nl_socket_disable_auto_ack(s);
	assert_int_equal(netlink_dump_message(s, msg, count_addresses, NULL, NULL), -ETIMEDOUT);
	msg = netlink_msg_free(msg);
	s = netlink_close(s);
}

/* A socket whose messages go to another of ours rather than to the kernel. */
struct stage {
	struct nl_sock *asks;
	int answers;
	uint32_t sequence; /* of the last answer */
};

static void set_stage(struct stage *s)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK};
	socklen_t size = sizeof(address);

	assert_int_equal(netlink_open(NETLINK_USERSOCK, &s->asks), 0);
	s->answers = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_USERSOCK);
	assert_true(s->answers >= 0);
	assert_int_equal(bind(s->answers, (struct sockaddr *)&address, size), 0);
	assert_int_equal(getsockname(s->answers, (struct sockaddr *)&address, &size), 0);
	nl_socket_set_peer_port(s->asks, address.nl_pid);
	s->sequence = nl_socket_use_seq(s->asks);
}

static void end_stage(struct stage *s)
{
	s->asks = netlink_close(s->asks);
	assert_int_equal(close(s->answers), 0);
}

/* Waits to be read by a request that has not been sent yet: two messages, and the end. missing:
 * bytes of the second. */
static void answer(struct stage *s, int flags, size_t missing)
{
	struct {
		struct nlmsghdr head;
		char data[32];
	} both[2] = {0};
	struct nlmsghdr done = {.nlmsg_len = sizeof(done),
				.nlmsg_type = NLMSG_DONE,
				.nlmsg_flags = NLM_F_MULTI,
				.nlmsg_seq = ++s->sequence};
	const struct sockaddr_nl to = {.nl_family = AF_NETLINK,
				       .nl_pid = nl_socket_get_local_port(s->asks)};

	for (int i = 0; i < 2; i++)
		both[i].head = (struct nlmsghdr){.nlmsg_len = sizeof(both[i]),
						 .nlmsg_type = RTM_NEWADDR,
						 .nlmsg_flags = (uint16_t)(NLM_F_MULTI | flags),
						 .nlmsg_seq = s->sequence};
	assert_true(sendto(s->answers, both, sizeof(both) - missing, 0,
			   (const struct sockaddr *)&to, sizeof(to)) > 0);
	assert_true(sendto(s->answers, &done, sizeof(done), 0, (const struct sockaddr *)&to,
			   sizeof(to)) > 0);
}

static int count_messages(struct nlmsghdr *h, void *userdata)
{
	unsigned *n = userdata;

	assert_int_equal(h->nlmsg_type, RTM_NEWADDR);
	(*n)++;
	return 0;
}

/* One that is interrupted is read again, but not for ever; what it brought does not count. */
static void test_interrupted(void **state)
{
	const struct ifaddrmsg ifa = {0};
	struct stage s;
	unsigned n = 0;

	(void)state;
	set_stage(&s);
	for (int interrupted = 0; interrupted < 9; interrupted++) {
		for (int i = 0; i < interrupted; i++)
			answer(&s, NLM_F_DUMP_INTR, 0);
		if (interrupted < 8)
			answer(&s, 0, 0);
		assert_int_equal(netlink_dump(s.asks, RTM_GETADDR, &ifa, sizeof(ifa),
					      count_messages, drop_count, &n),
				 interrupted < 8 ? 0 : -EAGAIN);
		assert_int_equal(n, 2);
	}
	end_stage(&s);
}

/* Nothing is taken for a whole answer that is not one; the next request is answered as ever. */
static void test_cut_short(void **state)
{
	static const size_t missing[] = {1, 4, 20, 33, 40, 47};
	const struct ifaddrmsg ifa = {0};
	struct stage s;
	unsigned n = 0;

	(void)state;
	set_stage(&s);
	for (size_t i = 0; i < ELEMENTSOF(missing); i++) {
		answer(&s, 0, missing[i]);
		assert_int_equal(netlink_dump(s.asks, RTM_GETADDR, &ifa, sizeof(ifa),
					      count_messages, drop_count, &n),
				 -EBADMSG);
		answer(&s, 0, 0);
		assert_int_equal(netlink_dump(s.asks, RTM_GETADDR, &ifa, sizeof(ifa),
					      count_messages, drop_count, &n),
				 0);
		assert_int_equal(n, 2);
	}
	end_stage(&s);
}

static void test_parse(void **state)
{
	static const struct nla_policy policy[3] = {[1] = {.type = NLA_U16}};
	static const struct {
		uint16_t words[8]; /* length, type, data */
		int size, result;
	} rows[] = {
		{{6, 1, 0x0101}, 8, 0},
		{{6, 1, 0x0101}, 6, 0}, /* the padding may be missing */
		{{6, 1, 0x0101}, 5, -EBADMSG},
		{{6, 1, 0x0101, 0, 4, 2}, 12, 0},
		{{6, 1, 0x0101, 0, 4, 2}, 11, -EBADMSG},
		{{6, 1, 0x0101, 0, 4, 9}, 12, 0}, /* a type not known */
		{{6, 1, 0x0101, 0, 3, 2}, 12, -EBADMSG},
		{{6, 1, 0x0101, 0, 5, 2}, 12, -EBADMSG},
		{{6, 1, 0x0101, 0, 0, 2}, 12, -EBADMSG},
		{{5, 1, 0x0101}, 8, -EBADMSG}, /* shorter than the policy says */
		{{0}, 0, 0},
		{{4, 2}, 3, -EBADMSG},
		{{65535, 2}, 16, -EBADMSG},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_free_ void *copy = malloc(rows[i].size ? (size_t)rows[i].size : 1);
		struct nlattr *tb[3];

		assert_non_null(copy);
		memcpy(copy, rows[i].words, (size_t)rows[i].size);
		assert_int_equal(netlink_parse(copy, rows[i].size, tb, 2, policy), rows[i].result);
		if (rows[i].result == 0)
			assert_true(rows[i].size ? nla_get_u16(tb[1]) == 0x0101 : !tb[1]);
	}
}

static void test_no_protocol(void **state)
{
	struct nl_sock *s = (struct nl_sock *)(uintptr_t)1;

	(void)state;
	assert_int_equal(netlink_open(31, &s), -EPROTONOSUPPORT);
	assert_ptr_equal(s, (void *)(uintptr_t)1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipeline),    cmocka_unit_test(test_pipeline_broken_off),
		cmocka_unit_test(test_strays),	    cmocka_unit_test(test_small_buffer),
		cmocka_unit_test(test_overrun),	    cmocka_unit_test(test_no_answer),
		cmocka_unit_test(test_interrupted), cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_parse),	    cmocka_unit_test(test_no_protocol)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
