/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/ip_vs.h>
#include <netinet/in.h>
#include <netlink/genl/genl.h>

#include "kernel/ipvs-message.h"
#include "kernel/netlink.h"

#define POISON 0xa5
#define FAMILY 0x1c
#define OMIT SIZE_MAX

/* One attribute of a hand-made answer. */
struct attr {
	int type;
	size_t size;
	const void *data;
};

/* What a row does to the good message: one attribute gets another size (OMIT: is left out) or other
 * bytes. */
struct edit {
	const char *name;
	int type;
	size_t size;
	const void *data; /* NULL: as before, longer ones go on with zeros */
	bool good;
};

static const uint16_t af_inet = AF_INET, af_inet6 = AF_INET6, af_other = 99, tcp = IPPROTO_TCP;
static const uint8_t port_80[2] = {0, 80}, port_8080[2] = {0x1f, 0x90};
static const uint32_t u32_10800 = 10800, u32_0, u32_1 = 1, u32_7 = 7, u32_2 = 2, u32_3 = 3;
static const uint32_t u32_128 = 128, u32_129 = 129, u32_droute = 0x10003;
static const uint8_t mask_32[4] = {255, 255, 255, 255}, mask_20[4] = {255, 255, 240, 0};
static const uint8_t mask_holes[4] = {255, 0, 255, 0};
static const uint8_t addr_4[20] = {10, 96, 0, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const uint8_t addr_6[20] = {0xfd, 0x96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10};
static const struct ip_vs_flags flags = {.flags = 0x13, .mask = UINT32_MAX};
static const uint16_t protocol_300 = 300;

static void put_stats(struct nl_msg *msg, int type, bool wide, int omit)
{
	struct nlattr *nest = nla_nest_start(msg, type);

	assert_non_null(nest);
	for (int i = IPVS_STATS_ATTR_CONNS; i <= IPVS_STATS_ATTR_OUTBPS; i++) {
		uint64_t value = 0x1234567800000000u * (uint64_t)wide + (uint64_t)i;
		bool u64 = wide || i == IPVS_STATS_ATTR_INBYTES || i == IPVS_STATS_ATTR_OUTBYTES;

		if (i != omit)
			assert_int_equal(u64 ? nla_put_u64(msg, i, value)
					     : nla_put_u32(msg, i, (uint32_t)value),
					 0);
	}
	(void)nla_nest_end(msg, nest);
}

/* stats: 0 none, 32, 64 (both, as kernels do), or minus the number of one that is missing in 64. */
static struct nl_msg *build(uint8_t command, int top, const struct attr *attrs, size_t n,
			    const struct edit *edit, int stats)
{
	struct nl_msg *msg = nlmsg_alloc();
	struct nlattr *nest;

	assert_non_null(msg);
	assert_non_null(genlmsg_put(msg, 1, 1, FAMILY, 0, NLM_F_MULTI, command, 1));
	nest = nla_nest_start(msg, top);
	assert_non_null(nest);
	for (size_t i = 0; i < n; i++) {
		bool edited = edit && edit->type == attrs[i].type;
		size_t size = edited ? edit->size : attrs[i].size;
		const void *data = edited && edit->data ? edit->data : attrs[i].data;
		uint8_t bytes[64] = {0};

		if (size == OMIT)
			continue;
		memcpy(bytes, data, edited && edit->data ? size : MIN_OF(size, attrs[i].size));
		assert_int_equal(nla_put(msg, attrs[i].type, (int)size, bytes), 0);
	}
	if (stats) /* top is the service's or the real server's: both have the same two numbers */
		put_stats(msg, IPVS_SVC_ATTR_STATS, false, 0);
	if (stats == 64 || stats < 0)
		put_stats(msg, IPVS_SVC_ATTR_STATS64, true, -stats);
	/* of a kernel to come */
	assert_int_equal(nla_put_u32(msg, 200, 1), 0);
	(void)nla_nest_end(msg, nest);
	assert_int_equal(nla_put_u32(msg, 100, 1), 0);
	return msg;
}

static const struct attr server_4[] = {
	{IPVS_SVC_ATTR_AF, 2, &af_inet},	{IPVS_SVC_ATTR_PROTOCOL, 2, &tcp},
	{IPVS_SVC_ATTR_ADDR, 16, addr_4},	{IPVS_SVC_ATTR_PORT, 2, port_80},
	{IPVS_SVC_ATTR_SCHED_NAME, 3, "rr"},	{IPVS_SVC_ATTR_FLAGS, sizeof(flags), &flags},
	{IPVS_SVC_ATTR_TIMEOUT, 4, &u32_10800}, {IPVS_SVC_ATTR_NETMASK, 4, mask_32},
};
static const struct attr server_6[] = {
	{IPVS_SVC_ATTR_AF, 2, &af_inet6},	{IPVS_SVC_ATTR_PROTOCOL, 2, &tcp},
	{IPVS_SVC_ATTR_ADDR, 16, addr_6},	{IPVS_SVC_ATTR_PORT, 2, port_80},
	{IPVS_SVC_ATTR_SCHED_NAME, 3, "rr"},	{IPVS_SVC_ATTR_FLAGS, sizeof(flags), &flags},
	{IPVS_SVC_ATTR_TIMEOUT, 4, &u32_10800}, {IPVS_SVC_ATTR_NETMASK, 4, &u32_128},
};
static const struct attr server_mark[] = {
	{IPVS_SVC_ATTR_AF, 2, &af_inet6},    {IPVS_SVC_ATTR_FWMARK, 4, &u32_7},
	{IPVS_SVC_ATTR_SCHED_NAME, 3, "rr"}, {IPVS_SVC_ATTR_FLAGS, sizeof(flags), &flags},
	{IPVS_SVC_ATTR_TIMEOUT, 4, &u32_0},  {IPVS_SVC_ATTR_NETMASK, 4, &u32_128},
};
static const struct attr dest_4[] = {
	{IPVS_DEST_ATTR_ADDR, 16, addr_4},	   {IPVS_DEST_ATTR_PORT, 2, port_8080},
	{IPVS_DEST_ATTR_FWD_METHOD, 4, &u32_0},	   {IPVS_DEST_ATTR_WEIGHT, 4, &u32_1},
	{IPVS_DEST_ATTR_U_THRESH, 4, &u32_0},	   {IPVS_DEST_ATTR_L_THRESH, 4, &u32_0},
	{IPVS_DEST_ATTR_ACTIVE_CONNS, 4, &u32_1},  {IPVS_DEST_ATTR_INACT_CONNS, 4, &u32_2},
	{IPVS_DEST_ATTR_PERSIST_CONNS, 4, &u32_3}, {IPVS_DEST_ATTR_ADDR_FAMILY, 2, &af_inet},
};

static bool poisoned(const void *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (((const uint8_t *)p)[i] != POISON)
			return false;
	return true;
}

/* Poisons the output, parses, and looks that a refusal leaves it alone. */
static int parse_server(const void *message, size_t size, struct ipvs_server *s)
{
	int r;

	memset(s, POISON, sizeof(*s));
	r = ipvs_parse_server(message, size, s);
	assert_true(r == 0 || (r == -EBADMSG && poisoned(s, sizeof(*s))));
	return r;
}

static int parse_dest(const void *message, size_t size, enum addr_family f, struct ipvs_dest *d)
{
	int r;

	memset(d, POISON, sizeof(*d));
	r = ipvs_parse_dest(message, size, f, d);
	assert_true(r == 0 || (r == -EBADMSG && poisoned(d, sizeof(*d))));
	return r;
}

static struct ipvs_server server_from(const struct attr *attrs, size_t n, const struct edit *edit,
				      int stats, int want)
{
	struct nl_msg *msg = build(IPVS_CMD_NEW_SERVICE, IPVS_CMD_ATTR_SERVICE, attrs, n, edit,
				   stats);
	struct ipvs_server s;
	int r = parse_server(nlmsg_hdr(msg), nlmsg_hdr(msg)->nlmsg_len, &s);

	if (r != want)
		fail_msg("%s: %d", edit ? edit->name : "whole", r);
	nlmsg_free(msg);
	return s;
}

static struct ipvs_dest dest_from(const struct edit *edit, enum addr_family f, int stats, int want)
{
	struct nl_msg *msg = build(IPVS_CMD_NEW_DEST, IPVS_CMD_ATTR_DEST, dest_4,
				   ELEMENTSOF(dest_4), edit, stats);
	struct ipvs_dest d;
	int r = parse_dest(nlmsg_hdr(msg), nlmsg_hdr(msg)->nlmsg_len, f, &d);

	if (r != want)
		fail_msg("%s: %d", edit ? edit->name : "whole", r);
	nlmsg_free(msg);
	return d;
}

static void assert_addr(const struct addr *a, const char *text)
{
	char buf[ADDR_TEXT_MAX];

	assert_string_equal(addr_format(a, buf), text);
	if (a->family == ADDR_IPV4)
		for (size_t i = 4; i < sizeof(a->bytes); i++)
			assert_int_equal(a->bytes[i], 0);
}

static void test_server(void **state)
{
	struct ipvs_server s = server_from(server_4, ELEMENTSOF(server_4), NULL, 0, 0);

	(void)state;
	assert_addr(&s.key.addr, "10.96.0.10");
	assert_int_equal(s.key.port, 80);
	assert_int_equal(s.key.protocol, IPPROTO_TCP);
	assert_int_equal(s.fwmark, 0);
	assert_string_equal(s.scheduler, "rr");
	assert_int_equal(s.flags, 0x11); /* without the kernel's own */
	assert_int_equal(s.timeout, 10800);
	assert_int_equal(s.prefix, 32);
	assert_int_equal(s.counters.in_bytes, 0);

	s = server_from(server_6, ELEMENTSOF(server_6), NULL, 0, 0);
	assert_addr(&s.key.addr, "fd96::10");
	assert_int_equal(s.prefix, 128);

	s = server_from(server_mark, ELEMENTSOF(server_mark), NULL, 0, 0);
	assert_int_equal(s.fwmark, 7);
	assert_addr(&s.key.addr, "::");
	assert_int_equal(s.key.port, 0);
}

static void test_counters(void **state)
{
	struct ipvs_server s = server_from(server_4, ELEMENTSOF(server_4), NULL, 64, 0);
	struct ipvs_dest d = dest_from(NULL, ADDR_IPV4, 64, 0);

	(void)state;
	assert_true(s.counters.connections == 0x1234567800000001u);
	assert_true(s.counters.in_packets == 0x1234567800000002u);
	assert_true(s.counters.out_packets == 0x1234567800000003u);
	assert_true(s.counters.in_bytes == 0x1234567800000004u);
	assert_true(s.counters.out_bytes == 0x1234567800000005u);
	assert_memory_equal(&s.counters, &d.counters, sizeof(s.counters));
	/* of an old kernel */
	s = server_from(server_4, ELEMENTSOF(server_4), NULL, 32, 0);
	assert_true(s.counters.connections == 1 && s.counters.out_bytes == 5);
	/* one is missing; rates are not read */
	for (int i = IPVS_STATS_ATTR_CONNS; i <= IPVS_STATS_ATTR_OUTBPS; i++) {
		int want = i <= IPVS_STATS_ATTR_OUTBYTES ? -EBADMSG : 0;

		(void)server_from(server_4, ELEMENTSOF(server_4), NULL, -i, want);
		(void)dest_from(NULL, ADDR_IPV4, -i, want);
	}
}

static void test_server_edits(void **state)
{
	static const struct edit rows[] = {
		{"no family", IPVS_SVC_ATTR_AF, OMIT, NULL, false},
		{"no protocol", IPVS_SVC_ATTR_PROTOCOL, OMIT, NULL, false},
		{"no address", IPVS_SVC_ATTR_ADDR, OMIT, NULL, false},
		{"no port", IPVS_SVC_ATTR_PORT, OMIT, NULL, false},
		{"no scheduler", IPVS_SVC_ATTR_SCHED_NAME, OMIT, NULL, false},
		{"no flags", IPVS_SVC_ATTR_FLAGS, OMIT, NULL, false},
		{"no timeout", IPVS_SVC_ATTR_TIMEOUT, OMIT, NULL, false},
		{"no mask", IPVS_SVC_ATTR_NETMASK, OMIT, NULL, false},
		{"family short", IPVS_SVC_ATTR_AF, 1, NULL, false},
		{"family long", IPVS_SVC_ATTR_AF, 4, NULL, false},
		{"family unknown", IPVS_SVC_ATTR_AF, 2, &af_other, false},
		{"protocol short", IPVS_SVC_ATTR_PROTOCOL, 1, NULL, false},
		{"protocol long", IPVS_SVC_ATTR_PROTOCOL, 3, NULL, false},
		{"address empty", IPVS_SVC_ATTR_ADDR, 0, NULL, false},
		{"address of 3", IPVS_SVC_ATTR_ADDR, 3, NULL, false},
		{"address of 4", IPVS_SVC_ATTR_ADDR, 4, NULL, true},
		{"address of 17", IPVS_SVC_ATTR_ADDR, 17, NULL, false},
		{"port short", IPVS_SVC_ATTR_PORT, 0, NULL, false},
		{"port long", IPVS_SVC_ATTR_PORT, 4, NULL, false},
		{"scheduler empty", IPVS_SVC_ATTR_SCHED_NAME, 0, NULL, false},
		{"scheduler without end", IPVS_SVC_ATTR_SCHED_NAME, 2, NULL, false},
		{"scheduler of 15", IPVS_SVC_ATTR_SCHED_NAME, 16, "abcdefghijklmno", true},
		{"scheduler of 16", IPVS_SVC_ATTR_SCHED_NAME, 16, "abcdefghijklmnop", false},
		{"scheduler of 16 and end", IPVS_SVC_ATTR_SCHED_NAME, 17, "abcdefghijklmnop",
		 false},
		{"flags alone", IPVS_SVC_ATTR_FLAGS, 4, NULL, false},
		{"flags long", IPVS_SVC_ATTR_FLAGS, 12, NULL, false},
		{"timeout short", IPVS_SVC_ATTR_TIMEOUT, 2, NULL, false},
		{"timeout long", IPVS_SVC_ATTR_TIMEOUT, 8, NULL, false},
		{"mask short", IPVS_SVC_ATTR_NETMASK, 3, NULL, false},
	};
	static const struct edit rows_6[] = {
		{"address of 4", IPVS_SVC_ATTR_ADDR, 4, NULL, false},
		{"address of 15", IPVS_SVC_ATTR_ADDR, 15, NULL, false},
		{"address of 17", IPVS_SVC_ATTR_ADDR, 17, NULL, false},
		{"prefix 129", IPVS_SVC_ATTR_NETMASK, 4, &u32_129, false},
		{"prefix 7", IPVS_SVC_ATTR_NETMASK, 4, &u32_7, true},
	};
	static const struct edit mark_0 = {"mark 0", IPVS_SVC_ATTR_FWMARK, 4, &u32_0, false};
	static const struct edit mark_long = {"mark long", IPVS_SVC_ATTR_FWMARK, 8, NULL, false};
	static const struct edit half = {"", IPVS_SVC_ATTR_NETMASK, 4, mask_20, true};
	static const struct edit holes = {"", IPVS_SVC_ATTR_NETMASK, 4, mask_holes, true};
	static const struct edit odd = {"", IPVS_SVC_ATTR_PROTOCOL, 2, &protocol_300, true};
	static const struct edit port_0 = {"", IPVS_SVC_ATTR_PORT, 2, &u32_0, true};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		(void)server_from(server_4, ELEMENTSOF(server_4), &rows[i], 64,
				  rows[i].good ? 0 : -EBADMSG);
	for (size_t i = 0; i < ELEMENTSOF(rows_6); i++)
		(void)server_from(server_6, ELEMENTSOF(server_6), &rows_6[i], 64,
				  rows_6[i].good ? 0 : -EBADMSG);
	(void)server_from(server_mark, ELEMENTSOF(server_mark), &mark_0, 64, -EBADMSG);
	(void)server_from(server_mark, ELEMENTSOF(server_mark), &mark_long, 64, -EBADMSG);
	assert_int_equal(server_from(server_4, ELEMENTSOF(server_4), &half, 0, 0).prefix, 20);
	/* What only others make must not keep us from reading. */
	assert_int_equal(server_from(server_4, ELEMENTSOF(server_4), &holes, 0, 0).prefix, 8);
	assert_int_equal(server_from(server_4, ELEMENTSOF(server_4), &odd, 0, 0).key.protocol, 0);
	assert_int_equal(server_from(server_4, ELEMENTSOF(server_4), &port_0, 0, 0).key.port, 0);
}

static void test_dest(void **state)
{
	static const struct edit rows[] = {
		{"no address", IPVS_DEST_ATTR_ADDR, OMIT, NULL, false},
		{"no port", IPVS_DEST_ATTR_PORT, OMIT, NULL, false},
		{"no forwarding", IPVS_DEST_ATTR_FWD_METHOD, OMIT, NULL, false},
		{"no weight", IPVS_DEST_ATTR_WEIGHT, OMIT, NULL, false},
		{"no active", IPVS_DEST_ATTR_ACTIVE_CONNS, OMIT, NULL, false},
		{"no inactive", IPVS_DEST_ATTR_INACT_CONNS, OMIT, NULL, false},
		{"no persistent", IPVS_DEST_ATTR_PERSIST_CONNS, OMIT, NULL, false},
		{"no threshold", IPVS_DEST_ATTR_U_THRESH, OMIT, NULL, true},
		{"address short", IPVS_DEST_ATTR_ADDR, 3, NULL, false},
		{"address long", IPVS_DEST_ATTR_ADDR, 17, NULL, false},
		{"port long", IPVS_DEST_ATTR_PORT, 4, NULL, false},
		{"weight short", IPVS_DEST_ATTR_WEIGHT, 2, NULL, false},
		{"weight long", IPVS_DEST_ATTR_WEIGHT, 8, NULL, false},
		{"active long", IPVS_DEST_ATTR_ACTIVE_CONNS, 8, NULL, false},
		{"family unknown", IPVS_DEST_ATTR_ADDR_FAMILY, 2, &af_other, false},
		{"family short", IPVS_DEST_ATTR_ADDR_FAMILY, 1, NULL, false},
	};
	static const struct edit droute = {"", IPVS_DEST_ATTR_FWD_METHOD, 4, &u32_droute, true};
	static const struct edit other = {"", IPVS_DEST_ATTR_ADDR_FAMILY, 2, &af_inet6, true};
	/* of a kernel before 3.18 */
	static const struct edit none = {"", IPVS_DEST_ATTR_ADDR_FAMILY, OMIT, NULL, true};
	struct ipvs_dest d = dest_from(NULL, ADDR_IPV6, 64, 0);

	(void)state;
	assert_addr(&d.addr, "10.96.0.10"); /* its own family, not that of the virtual server */
	assert_int_equal(d.port, 8080);
	assert_int_equal(d.weight, 1);
	assert_int_equal(d.forward, 0);
	assert_int_equal(d.active, 1);
	assert_int_equal(d.inactive, 2);
	assert_int_equal(d.persistent, 3);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		(void)dest_from(&rows[i], ADDR_IPV4, 64, rows[i].good ? 0 : -EBADMSG);
	assert_int_equal(dest_from(&droute, ADDR_IPV4, 0, 0).forward, 3);
	assert_int_equal(dest_from(&other, ADDR_IPV4, 0, 0).addr.family, ADDR_IPV6);
	assert_int_equal(dest_from(&none, ADDR_IPV4, 0, 0).addr.family, ADDR_IPV4);
	assert_int_equal(dest_from(&none, ADDR_IPV6, 0, 0).addr.family, ADDR_IPV6);
}

/* At each length: the buffer ends there, and the message says that it ends there. */
static void test_cut(void **state)
{
	struct nl_msg *msgs[] = {
		build(IPVS_CMD_NEW_SERVICE, IPVS_CMD_ATTR_SERVICE, server_4, ELEMENTSOF(server_4),
		      NULL, 64),
		build(IPVS_CMD_NEW_DEST, IPVS_CMD_ATTR_DEST, dest_4, ELEMENTSOF(dest_4), NULL, 64),
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(msgs); i++) {
		const struct nlmsghdr *h = nlmsg_hdr(msgs[i]);

		/* The last 8 bytes are an attribute that nobody knows. */
		for (size_t n = 0; n < h->nlmsg_len - 8; n++) {
			struct ipvs_server s;
			struct ipvs_dest d;
			struct nlmsghdr *copy = malloc(n ? n : 1);

			assert_non_null(copy);
			memcpy(copy, h, n);
			for (int told = 0; told < 2; told++) {
				if (told && n >= sizeof(*copy))
					copy->nlmsg_len = (uint32_t)n;
				assert_int_equal(parse_server(copy, n, &s), -EBADMSG);
				assert_int_equal(parse_dest(copy, n, ADDR_IPV4, &d), -EBADMSG);
			}
			free(copy);
		}
		nlmsg_free(msgs[i]);
	}
}

static void test_other_messages(void **state)
{
	struct nl_msg *server = build(IPVS_CMD_NEW_SERVICE, IPVS_CMD_ATTR_SERVICE, server_4,
				      ELEMENTSOF(server_4), NULL, 64);
	struct nl_msg *set = build(IPVS_CMD_SET_SERVICE, IPVS_CMD_ATTR_SERVICE, server_4,
				   ELEMENTSOF(server_4), NULL, 64);
	struct nl_msg *wrong = build(IPVS_CMD_NEW_SERVICE, IPVS_CMD_ATTR_DEST, server_4,
				     ELEMENTSOF(server_4), NULL, 64);
	struct ipvs_timeouts t = {1, 2, 3};
	struct ipvs_server s;
	struct ipvs_dest d;

	(void)state;
	/* more bytes than the message has: the next one */
	assert_int_equal(parse_server(nlmsg_hdr(server), nlmsg_hdr(server)->nlmsg_len + 16, &s), 0);
	assert_int_equal(parse_dest(nlmsg_hdr(server), nlmsg_hdr(server)->nlmsg_len, ADDR_IPV4, &d),
			 -EBADMSG);
	assert_int_equal(parse_server(nlmsg_hdr(set), nlmsg_hdr(set)->nlmsg_len, &s), -EBADMSG);
	assert_int_equal(parse_server(nlmsg_hdr(wrong), nlmsg_hdr(wrong)->nlmsg_len, &s), -EBADMSG);
	assert_int_equal(ipvs_parse_timeouts(nlmsg_hdr(server), nlmsg_hdr(server)->nlmsg_len, &t),
			 -EBADMSG);
	assert_int_equal(t.tcp, 1);
	nlmsg_free(server);
	nlmsg_free(set);
	nlmsg_free(wrong);
}

static void test_timeouts(void **state)
{
	static const struct ipvs_timeouts sent = {.tcp = 900, .tcp_fin = 120, .udp = 300};
	struct ipvs_timeouts t;

	(void)state;
	/* A full request is what an answer looks like; one attribute less is none. */
	for (int missing = 0; missing < 4; missing++) {
		struct ipvs_timeouts part = sent;
		struct nl_msg *msg;

		if (missing)
			(&part.tcp)[missing - 1] = 0;
		assert_int_equal(ipvs_request_timeouts(FAMILY, &part, &msg), 0);
		memset(&t, POISON, sizeof(t));
		assert_int_equal(ipvs_parse_timeouts(nlmsg_hdr(msg), nlmsg_hdr(msg)->nlmsg_len, &t),
				 missing ? -EBADMSG : 0);
		if (missing)
			assert_true(poisoned(&t, sizeof(t)));
		else
			assert_memory_equal(&t, &sent, sizeof(t));
		nlmsg_free(msg);
	}
}

static struct ipvs_change change(enum ipvs_verb verb, const char *server, const char *dest)
{
	struct ipvs_change c = {.verb = verb, .server.scheduler = "rr"};

	c.server.key.protocol = IPPROTO_TCP;
	assert_int_equal(addr_port_parse(server, &c.server.key.addr, &c.server.key.port), ADDR_OK);
	c.server.prefix = c.server.key.addr.family == ADDR_IPV6 ? 128 : 32;
	if (dest)
		assert_int_equal(addr_port_parse(dest, &c.dest.addr, &c.dest.port), ADDR_OK);
	return c;
}

static void test_check(void **state)
{
	struct ipvs_change c = change(IPVS_NEW_SERVER, "10.96.0.10:80", NULL);

	(void)state;
	assert_int_equal(ipvs_change_check(&c), 0);
	c.server.prefix = 33;
	assert_int_equal(ipvs_change_check(&c), -EINVAL);
	c.verb = IPVS_DEL_SERVER; /* the key alone counts */
	assert_int_equal(ipvs_change_check(&c), 0);
	c.server.key.protocol = IPPROTO_ICMP;
	assert_int_equal(ipvs_change_check(&c), -EINVAL);
	c = change(IPVS_SET_SERVER, "[fd96::10]:80", NULL);
	c.server.key.port = 0;
	assert_int_equal(ipvs_change_check(&c), -EINVAL);
	c.server.key.port = 80;
	c.server.scheduler[0] = '\0';
	assert_int_equal(ipvs_change_check(&c), -EINVAL);
	memset(c.server.scheduler, 'x', sizeof(c.server.scheduler));
	assert_int_equal(ipvs_change_check(&c), -EINVAL);
	c = change(IPVS_NEW_DEST, "[fd96::10]:80", "[fd01::1]:80");
	assert_int_equal(ipvs_change_check(&c), 0);
	c.dest.port = 0;
	assert_int_equal(ipvs_change_check(&c), -EINVAL);
	c = change(IPVS_DEL_DEST, "[fd96::10]:80", "10.1.0.1:80");
	assert_int_equal(ipvs_change_check(&c), -EINVAL);
}

/* What is asked, byte for byte where the order of bytes is a trap. */
static void test_requests(void **state)
{
	struct ipvs_change c = change(IPVS_SET_SERVER, "10.96.0.10:258", NULL);
	struct nlattr *top[IPVS_CMD_ATTR_MAX + 1], *tb[IPVS_SVC_ATTR_MAX + 1];
	const struct genlmsghdr *g;
	struct nl_msg *msg;

	(void)state;
	c.server.flags = 0x11;
	c.server.timeout = 60;
	c.server.prefix = 20;
	assert_int_equal(ipvs_request_change(FAMILY, &c, &msg), 0);
	g = nlmsg_data(nlmsg_hdr(msg));
	assert_int_equal(nlmsg_hdr(msg)->nlmsg_type, FAMILY);
	assert_int_equal(g->cmd, IPVS_CMD_SET_SERVICE);
	assert_int_equal(nlmsg_parse(nlmsg_hdr(msg), GENL_HDRLEN, top, IPVS_CMD_ATTR_MAX, NULL), 0);
	assert_int_equal(nla_parse_nested(tb, IPVS_SVC_ATTR_MAX, top[IPVS_CMD_ATTR_SERVICE], NULL),
			 0);
	assert_int_equal(nla_get_u16(tb[IPVS_SVC_ATTR_AF]), AF_INET);
	assert_int_equal(nla_get_u16(tb[IPVS_SVC_ATTR_PROTOCOL]), IPPROTO_TCP);
	assert_int_equal(nla_len(tb[IPVS_SVC_ATTR_ADDR]), 4);
	assert_memory_equal(nla_data(tb[IPVS_SVC_ATTR_PORT]), "\1\2", 2);
	assert_memory_equal(nla_data(tb[IPVS_SVC_ATTR_NETMASK]), mask_20, 4);
	assert_int_equal(nla_get_u32(tb[IPVS_SVC_ATTR_TIMEOUT]), 60);
	assert_memory_equal(nla_data(tb[IPVS_SVC_ATTR_FLAGS]),
			    (&(struct ip_vs_flags){0x11, UINT32_MAX}), 8);
	assert_null(top[IPVS_CMD_ATTR_DEST]);
	nlmsg_free(msg);

	c.server.prefix = 0; /* no shift by 32 */
	assert_int_equal(ipvs_request_change(FAMILY, &c, &msg), 0);
	nlmsg_free(msg);

	c = change(IPVS_SET_DEST, "[fd96::10]:80", "[fd01::11]:258");
	c.dest.weight = 70000;
	c.dest.forward = 3; /* is not asked for */
	assert_int_equal(ipvs_request_change(FAMILY, &c, &msg), 0);
	assert_int_equal(nlmsg_parse(nlmsg_hdr(msg), GENL_HDRLEN, top, IPVS_CMD_ATTR_MAX, NULL), 0);
	assert_int_equal(nla_parse_nested(tb, IPVS_SVC_ATTR_MAX, top[IPVS_CMD_ATTR_SERVICE], NULL),
			 0);
	assert_null(tb[IPVS_SVC_ATTR_SCHED_NAME]);
	assert_int_equal(nla_parse_nested(tb, IPVS_SVC_ATTR_MAX, top[IPVS_CMD_ATTR_DEST], NULL), 0);
	assert_int_equal(nla_len(tb[IPVS_DEST_ATTR_ADDR]), 16);
	assert_memory_equal(nla_data(tb[IPVS_DEST_ATTR_PORT]), "\1\2", 2);
	assert_int_equal(nla_get_u32(tb[IPVS_DEST_ATTR_WEIGHT]), 70000);
	assert_int_equal(nla_get_u32(tb[IPVS_DEST_ATTR_FWD_METHOD]), 0);
	assert_int_equal(nla_get_u32(tb[IPVS_DEST_ATTR_U_THRESH]), 0);
	assert_int_equal(nla_get_u32(tb[IPVS_DEST_ATTR_L_THRESH]), 0);
	nlmsg_free(msg);
	for (int verb = IPVS_NEW_SERVER; verb <= IPVS_DEL_DEST; verb++)
		assert_non_null(ipvs_verb_text((enum ipvs_verb)verb));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_server),	 cmocka_unit_test(test_counters),
		cmocka_unit_test(test_dest),	 cmocka_unit_test(test_server_edits),
		cmocka_unit_test(test_cut),	 cmocka_unit_test(test_other_messages),
		cmocka_unit_test(test_timeouts), cmocka_unit_test(test_check),
		cmocka_unit_test(test_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
