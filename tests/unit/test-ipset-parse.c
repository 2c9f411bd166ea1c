/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-netlink.h"

#include <errno.h>
#include <linux/netfilter/ipset/ip_set.h>
#include <linux/netfilter/nfnetlink.h>
#include <netinet/in.h>

#include "kernel/ipset-wire.h"

#define LIST (NFNL_SUBSYS_IPSET << 8 | IPSET_CMD_LIST)

static struct nl_msg *start_message(int type, const char *name)
{
	const struct nfgenmsg header = {.nfgen_family = AF_INET};
	struct nl_msg *msg = make_message(type, &header, sizeof(header));

	put_u8(msg, IPSET_ATTR_PROTOCOL, 7);
	if (name)
		put_text(msg, IPSET_ATTR_SETNAME, name);
	return msg;
}

/* What the kernel says of a new set; the nest of options stays open. */
static struct nlattr *put_header(struct nl_msg *msg, const char *type, uint8_t family)
{
	struct nlattr *data;

	put_text(msg, IPSET_ATTR_TYPENAME, type);
	put_u8(msg, IPSET_ATTR_FAMILY, family);
	put_u8(msg, IPSET_ATTR_REVISION, 5);
	data = open_nest(msg, IPSET_ATTR_DATA);
	put_be32(msg, IPSET_ATTR_HASHSIZE, 1024);
	put_be32(msg, IPSET_ATTR_MAXELEM, 65536);
	put_be32(msg, IPSET_ATTR_REFERENCES, 3);
	put_be32(msg, IPSET_ATTR_MEMSIZE, 999);
	put_be32(msg, IPSET_ATTR_ELEMENTS, 2);
	put_u8(msg, IPSET_ATTR_BUCKETSIZE, 12);
	put_be32(msg, IPSET_ATTR_INITVAL, 0x12345678);
	return data;
}

static void put_ip(struct nl_msg *msg, int type, const char *text)
{
	struct addr a = make_addr(text);
	struct nlattr *nest = open_nest(msg, type);

	put(msg, a.family == ADDR_IPV4 ? IPSET_ATTR_IPADDR_IPV4 : IPSET_ATTR_IPADDR_IPV6, a.bytes,
	    a.family == ADDR_IPV4 ? 4 : 16);
	close_nest(msg, nest);
}

/* Fields that are NULL or negative are left out. */
static void put_element(struct nl_msg *msg, const char *addr, int protocol, int port,
			const char *addr2, int prefix)
{
	struct nlattr *data = open_nest(msg, IPSET_ATTR_DATA);

	if (addr)
		put_ip(msg, IPSET_ATTR_IP, addr);
	if (port >= 0)
		put_be16(msg, IPSET_ATTR_PORT, (uint16_t)port);
	if (protocol >= 0)
		put_u8(msg, IPSET_ATTR_PROTO, (uint8_t)protocol);
	if (addr2)
		put_ip(msg, IPSET_ATTR_IP2, addr2);
	if (prefix >= 0)
		put_u8(msg, IPSET_ATTR_CIDR2, (uint8_t)prefix);
	close_nest(msg, data);
}

static int read_message(struct nl_msg *msg, const char *prefix, struct ipset_sets *sets)
{
	size_t size = nlmsg_hdr(msg)->nlmsg_len;
	_cleanup_free_ void *copy = cut_message(msg, size, true);
	int r = ipset_read_list(copy, prefix, sets);

	nlmsg_free(msg);
	return r;
}

/* A set with one element, which is read or refused. */
static void test_elements(void **state)
{
	static const struct {
		const char *type;
		uint8_t family;
		const char *addr;
		int protocol, port;
		const char *addr2;
		int prefix;
		const char *text; /* NULL: refused */
	} rows[] = {
		{"hash:ip", AF_INET, "10.0.0.1", -1, -1, NULL, -1, "10.0.0.1"},
		{"hash:ip", AF_INET6, "fd00::1", -1, -1, NULL, -1, "fd00::1"},
		{"hash:ip", AF_INET6, "10.0.0.1", -1, -1, NULL, -1, NULL},
		{"hash:ip", AF_INET, "fd00::1", -1, -1, NULL, -1, NULL},
		{"hash:ip", AF_INET, NULL, -1, -1, NULL, -1, NULL},
		/* what the type does not have is not taken over */
		{"hash:ip", AF_INET, "10.0.0.1", 6, 80, "10.0.0.2", 24, "10.0.0.1"},
		{"hash:ip", AF_UNSPEC, "10.0.0.1", -1, -1, NULL, -1, NULL},
		{"hash:ip", AF_BRIDGE, "10.0.0.1", -1, -1, NULL, -1, NULL},
		{"hash:ip,port", AF_INET, "10.0.0.1", 6, 80, NULL, -1, "10.0.0.1,tcp:80"},
		{"hash:ip,port", AF_INET, "10.0.0.1", 6, -1, NULL, -1, NULL},
		{"hash:ip,port", AF_INET, "10.0.0.1", -1, 80, NULL, -1, NULL},
		{"hash:ip,port", AF_INET, NULL, 6, 80, NULL, -1, NULL},
		{"hash:ip,port,ip", AF_INET6, "fd00::1", 132, 65535, "fd00::2", -1,
		 "fd00::1,sctp:65535,fd00::2"},
		{"hash:ip,port,ip", AF_INET6, "fd00::1", 132, 65535, NULL, -1, NULL},
		{"hash:ip,port,ip", AF_INET6, "fd00::1", 132, 65535, "10.0.0.1", -1, NULL},
		{"hash:ip,port,net", AF_INET, "10.0.0.1", 17, 53, "10.9.0.0", 16,
		 "10.0.0.1,udp:53,10.9.0.0/16"},
		{"hash:ip,port,net", AF_INET, "10.0.0.1", 17, 53, "10.9.0.0", 1,
		 "10.0.0.1,udp:53,10.9.0.0/1"},
		{"hash:ip,port,net", AF_INET, "10.0.0.1", 17, 53, "10.9.0.0", 32,
		 "10.0.0.1,udp:53,10.9.0.0"},
		{"hash:ip,port,net", AF_INET, "10.0.0.1", 17, 53, "10.9.0.0", -1,
		 "10.0.0.1,udp:53,10.9.0.0"},
		{"hash:ip,port,net", AF_INET, "10.0.0.1", 17, 53, "10.9.0.0", 0, NULL},
		{"hash:ip,port,net", AF_INET, "10.0.0.1", 17, 53, "10.9.0.0", 33, NULL},
		{"hash:ip,port,net", AF_INET6, "fd00::1", 17, 53, "fd01::", 128,
		 "fd00::1,udp:53,fd01::"},
		{"hash:ip,port,net", AF_INET6, "fd00::1", 17, 53, "fd01::", 129, NULL},
		{"hash:ip,port,net", AF_INET6, "fd00::1", 17, 53, NULL, 64, NULL},
		{"bitmap:port", AF_UNSPEC, NULL, -1, 30080, NULL, -1, "30080"},
		{"bitmap:port", AF_UNSPEC, NULL, -1, -1, NULL, -1, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_ipset_sets_ struct ipset_sets sets = {0};
		struct nl_msg *msg = start_message(LIST, "a");
		struct nlattr *data, *adt;
		char text[IPSET_ELEMENT_TEXT_MAX];
		int r;

		data = put_header(msg, rows[i].type, rows[i].family);
		close_nest(msg, data);
		adt = open_nest(msg, IPSET_ATTR_ADT);
		put_element(msg, rows[i].addr, rows[i].protocol, rows[i].port, rows[i].addr2,
			    rows[i].prefix);
		close_nest(msg, adt);
		r = read_message(msg, "", &sets);
		if (!rows[i].text) {
			assert_int_equal(r, -EBADMSG);
			assert_int_equal(sets.n, 0);
			continue;
		}
		assert_int_equal(r, 0);
		assert_int_equal(sets.n, 1);
		assert_string_equal(sets.items[0].name, "a");
		assert_string_equal(sets.items[0].type_text, rows[i].type);
		assert_int_equal(sets.items[0].family,
				 rows[i].family == AF_INET6 ? ADDR_IPV6 : ADDR_IPV4);
		assert_int_equal(sets.items[0].maxelem, 65536);
		assert_true(sets.items[0].plain);
		assert_int_equal(sets.items[0].elements.n, 1);
		assert_string_equal(ipset_element_text(sets.items[0].type,
						       &sets.items[0].elements.items[0], text),
				    rows[i].text);
	}
}

static void put_list(struct nl_msg *msg, const char *const *addrs)
{
	struct nlattr *adt = open_nest(msg, IPSET_ATTR_ADT);

	for (; *addrs; addrs++)
		put_element(msg, *addrs, -1, -1, NULL, -1);
	close_nest(msg, adt);
}

static struct nl_msg *make_list(const char *name, bool header, const char *const *addrs)
{
	struct nl_msg *msg = start_message(LIST, name);

	if (header)
		close_nest(msg, put_header(msg, "hash:ip", AF_INET));
	put_list(msg, addrs);
	return msg;
}

#define ADDRS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Only the first message of a set has its header. */
static void test_several_messages(void **state)
{
	_cleanup_ipset_sets_ struct ipset_sets sets = {0};

	(void)state;
	/* the rest of a list that has no start */
	assert_int_equal(read_message(make_list("b", false, ADDRS("10.0.0.1")), "", &sets),
			 -EBADMSG);
	assert_int_equal(
		read_message(make_list("b", true, ADDRS("10.0.0.9", "10.0.0.1")), "", &sets), 0);
	assert_int_equal(read_message(make_list("b", false, ADDRS("10.0.0.5")), "", &sets), 0);
	/* one bad element: none of that message */
	assert_int_equal(
		read_message(make_list("b", false, ADDRS("10.0.0.6", "fd00::1")), "", &sets),
		-EBADMSG);
	assert_int_equal(read_message(make_list("c", false, ADDRS("10.0.0.6")), "", &sets),
			 -EBADMSG);
	assert_int_equal(
		read_message(make_list("c", true, ADDRS("10.0.0.6", "fd00::1")), "", &sets),
		-EBADMSG);
	assert_int_equal(sets.n, 1);
	assert_int_equal(sets.items[0].elements.n, 3);
	/* others, and again the same */
	assert_int_equal(read_message(make_list("a", true, ADDRS("10.0.0.7")), "", &sets), 0);
	assert_int_equal(read_message(make_list("b", false, ADDRS("10.0.0.6")), "", &sets),
			 -EBADMSG);
	ipset_sets_sort(&sets);
	assert_int_equal(sets.n, 2);
	assert_string_equal(sets.items[0].name, "a");
	assert_string_equal(sets.items[1].name, "b");
	assert_int_equal(sets.items[1].elements.items[0].addr.bytes[3], 1);
	assert_int_equal(sets.items[1].elements.items[1].addr.bytes[3], 5);
	assert_int_equal(sets.items[1].elements.items[2].addr.bytes[3], 9);
}

static void test_prefix(void **state)
{
	static const char *const names[] = {"KUBE-A", "KUB", "kube-B", "KUBE-"};
	_cleanup_ipset_sets_ struct ipset_sets sets = {0};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(names); i++) {
		assert_int_equal(
			read_message(make_list(names[i], true, ADDRS("10.0.0.1")), "KUBE-", &sets),
			0);
		assert_int_equal(
			read_message(make_list(names[i], false, ADDRS("10.0.0.2")), "KUBE-", &sets),
			0);
	}
	assert_int_equal(sets.n, 2);
	assert_string_equal(sets.items[0].name, "KUBE-A");
	assert_string_equal(sets.items[1].name, "KUBE-");
	assert_int_equal(sets.items[1].elements.n, 2);
	ipset_sets_done(&sets);
	assert_int_equal(sets.n, 0);
	assert_null(sets.items);
}

static void test_other_types(void **state)
{
	_cleanup_ipset_sets_ struct ipset_sets sets = {0};
	struct nl_msg *msg = start_message(LIST, "a");

	(void)state;
	close_nest(msg, put_header(msg, "hash:ip,port,colour", AF_UNSPEC));
	put_list(msg, ADDRS("10.0.0.1"));
	assert_int_equal(read_message(msg, "", &sets), 0);
	assert_int_equal(sets.n, 1);
	assert_int_equal(sets.items[0].type, _IPSET_TYPE_OTHER);
	assert_string_equal(sets.items[0].type_text, "hash:ip,port,colour");
	assert_int_equal(sets.items[0].elements.n, 0);
	/* a message of another kind */
	msg = start_message(NFNL_SUBSYS_IPSET << 8 | IPSET_CMD_HEADER, "b");
	assert_int_equal(read_message(msg, "", &sets), 0);
	assert_int_equal(sets.n, 1);
}

/* One more attribute in the header, or in an element. */
static void test_plain(void **state)
{
	static const struct {
		const char *type;
		int attr;
		int size;
		uint32_t value;
		bool plain;
	} rows[] = {
		{"hash:ip", IPSET_ATTR_RESIZE, 1, 1, true},
		{"hash:ip", IPSET_ATTR_CADT_FLAGS, 4, 0, true},
		{"hash:ip", IPSET_ATTR_CADT_FLAGS, 4, IPSET_FLAG_WITH_COUNTERS, false},
		{"hash:ip", IPSET_ATTR_CADT_FLAGS, 4, IPSET_FLAG_WITH_FORCEADD, false},
		{"hash:ip", IPSET_ATTR_CADT_FLAGS, 0, 0, false},
		{"hash:ip", IPSET_ATTR_TIMEOUT, 4, 600, false},
		{"hash:ip", IPSET_ATTR_TIMEOUT, 4, 0, false},
		{"hash:ip", IPSET_ATTR_NETMASK, 1, 24, false},
		{"hash:ip", 12, 4, 1, false},  /* bitmask, of newer kernels */
		{"hash:ip", 200, 4, 1, false}, /* nobody knows */
		{"bitmap:port", IPSET_ATTR_PORT, 2, 0, true},
		{"bitmap:port", IPSET_ATTR_PORT, 2, 1, false},
		{"bitmap:port", IPSET_ATTR_PORT, 1, 0, false},
		{"bitmap:port", IPSET_ATTR_PORT_TO, 2, 65535, true},
		{"bitmap:port", IPSET_ATTR_PORT_TO, 2, 65534, false},
		{"bitmap:port", IPSET_ATTR_PORT_TO, 0, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_ipset_sets_ struct ipset_sets sets = {0};
		struct nl_msg *msg = start_message(LIST, "a");
		struct nlattr *data = put_header(msg, rows[i].type, AF_INET);

		if (rows[i].size == 4)
			put_be32(msg, rows[i].attr, rows[i].value);
		else if (rows[i].size == 2)
			put_be16(msg, rows[i].attr, (uint16_t)rows[i].value);
		else
			put(msg, rows[i].attr, "x", (size_t)rows[i].size);
		close_nest(msg, data);
		assert_int_equal(read_message(msg, "", &sets), 0);
		assert_int_equal(sets.n, 1);
		assert_int_equal(sets.items[0].plain, rows[i].plain);
	}
}

/* An element that is meant the other way round; the message after it does not make that good. */
static void test_nomatch(void **state)
{
	_cleanup_ipset_sets_ struct ipset_sets sets = {0};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct nl_msg *msg = start_message(LIST, "a");
		struct nlattr *adt, *data;

		if (i == 0)
			close_nest(msg, put_header(msg, "hash:ip,port,net", AF_INET));
		adt = open_nest(msg, IPSET_ATTR_ADT);
		data = open_nest(msg, IPSET_ATTR_DATA);
		put_ip(msg, IPSET_ATTR_IP, "10.0.0.1");
		put_be16(msg, IPSET_ATTR_PORT, 80);
		put_u8(msg, IPSET_ATTR_PROTO, 6);
		put_ip(msg, IPSET_ATTR_IP2, "10.0.0.1");
		put_be32(msg, IPSET_ATTR_CADT_FLAGS, i == 1 ? IPSET_FLAG_NOMATCH : 0);
		close_nest(msg, data);
		close_nest(msg, adt);
		assert_int_equal(read_message(msg, "", &sets), 0);
		assert_int_equal(sets.items[0].plain, i == 0);
	}
	assert_int_equal(sets.items[0].elements.n, 3);
}

/* Messages in which one thing is wrong. */
static void test_bad(void **state)
{
	struct nlattr *nest, *inner;

	(void)state;
	for (int i = 0;; i++) {
		_cleanup_ipset_sets_ struct ipset_sets sets = {0};
		struct nl_msg *msg = start_message(LIST, i < 4 ? NULL : "a");

		switch (i) {
		case 0: /* no name at all */
			close_nest(msg, put_header(msg, "hash:ip", AF_INET));
			break;
		case 1: /* the longest and one more */
			put_text(msg, IPSET_ATTR_SETNAME, "12345678901234567890123456789012");
			close_nest(msg, put_header(msg, "hash:ip", AF_INET));
			break;
		case 2: /* no NUL */
			put(msg, IPSET_ATTR_SETNAME, "abc", 3);
			close_nest(msg, put_header(msg, "hash:ip", AF_INET));
			break;
		case 3: /* nothing */
			put(msg, IPSET_ATTR_SETNAME, "", 0);
			close_nest(msg, put_header(msg, "hash:ip", AF_INET));
			break;
		case 4: /* no family */
			put_text(msg, IPSET_ATTR_TYPENAME, "hash:ip");
			close_nest(msg, open_nest(msg, IPSET_ATTR_DATA));
			break;
		case 5: /* no options */
			put_text(msg, IPSET_ATTR_TYPENAME, "hash:ip");
			put_u8(msg, IPSET_ATTR_FAMILY, AF_INET);
			break;
		case 6: /* a family of no bytes */
			put_text(msg, IPSET_ATTR_TYPENAME, "hash:ip");
			put(msg, IPSET_ATTR_FAMILY, "", 0);
			close_nest(msg, open_nest(msg, IPSET_ATTR_DATA));
			break;
		case 7: /* a list with something else in it */
			close_nest(msg, put_header(msg, "hash:ip", AF_INET));
			nest = open_nest(msg, IPSET_ATTR_ADT);
			put_be32(msg, IPSET_ATTR_LINENO, 1);
			close_nest(msg, nest);
			break;
		case 8: /* an address of five bytes */
		case 9: /* and of three */
			close_nest(msg, put_header(msg, "hash:ip", AF_INET));
			nest = open_nest(msg, IPSET_ATTR_ADT);
			inner = open_nest(msg, IPSET_ATTR_DATA);
			{
				struct nlattr *ip = open_nest(msg, IPSET_ATTR_IP);

				put(msg, IPSET_ATTR_IPADDR_IPV4, "12345", i == 8 ? 5 : 3);
				close_nest(msg, ip);
			}
			close_nest(msg, inner);
			close_nest(msg, nest);
			break;
		case 10: /* bytes after the last option that are no attribute */
			inner = put_header(msg, "hash:ip", AF_INET);
			put_be32(msg, IPSET_ATTR_NETMASK, 0);
			close_nest(msg, inner);
			((struct nlattr *)((char *)inner + inner->nla_len - 8))->nla_len = 400;
			break;
		case 11: /* an attribute that says it has no length */
			close_nest(msg, put_header(msg, "hash:ip", AF_INET));
			put_be32(msg, IPSET_ATTR_INDEX, 1);
			((struct nlattr *)((char *)nlmsg_tail(nlmsg_hdr(msg)) - 8))->nla_len = 0;
			break;
		default:
			nlmsg_free(msg);
			assert_int_equal(i, 12);
			return;
		}
		assert_int_equal(read_message(msg, "", &sets), -EBADMSG);
		assert_int_equal(sets.n, 0);
	}
}

/* Cut at each byte: refused, or, where the header says so and a whole attribute is missing, less.
 */
static void test_cut(void **state)
{
	struct nl_msg *msg = make_list("a", true, ADDRS("10.0.0.1", "10.0.0.2"));
	size_t size = nlmsg_hdr(msg)->nlmsg_len, n_accepted = 0;

	(void)state;
	for (size_t cut = 0; cut <= size; cut++) {
		_cleanup_free_ void *lying = cut_message(msg, cut, false);
		_cleanup_free_ void *honest = cut_message(msg, cut, true);
		_cleanup_ipset_sets_ struct ipset_sets sets = {0};
		int r = ipset_parse_list(lying, cut, &sets);

		assert_int_equal(r, cut == size ? 0 : -EBADMSG);
		assert_int_equal(sets.n, cut == size ? 1 : 0);
		ipset_sets_done(&sets);
		r = ipset_parse_list(honest, cut, &sets);
		n_accepted += r == 0;
		assert_true(r == 0 || r == -EBADMSG);
		assert_int_equal(sets.n, r == 0 ? 1 : 0);
		if (r == 0)
			assert_int_equal(sets.items[0].elements.n, cut == size ? 2 : 0);
	}
	assert_int_equal(n_accepted, 2); /* without elements, and whole */
	nlmsg_free(msg);
}

static void test_range(void **state)
{
	static const struct {
		int command;
		int first, first_type, second; /* negative: left out */
		int result;
		uint8_t highest, lowest;
	} rows[] = {
		{IPSET_CMD_PROTOCOL, -1, IPSET_ATTR_REVISION, -1, 0, 7, 7},
		{IPSET_CMD_PROTOCOL, -1, IPSET_ATTR_REVISION, 6, 0, 7, 6},
		{IPSET_CMD_TYPE, 5, IPSET_ATTR_REVISION, 2, 0, 5, 2},
		{IPSET_CMD_TYPE, 5, IPSET_ATTR_REVISION, -1, 0, 5, 5},
		{IPSET_CMD_TYPE, -1, IPSET_ATTR_REVISION, 2, -EBADMSG, 0, 0},
		{IPSET_CMD_LIST, 5, IPSET_ATTR_REVISION, 2, -EBADMSG, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct nl_msg *msg = start_message(NFNL_SUBSYS_IPSET << 8 | rows[i].command, NULL);
		uint8_t highest = 77, lowest = 88;

		if (rows[i].first >= 0)
			put_u8(msg, rows[i].first_type, (uint8_t)rows[i].first);
		if (rows[i].second >= 0)
			put_u8(msg, IPSET_ATTR_PROTOCOL_MIN, (uint8_t)rows[i].second);
		assert_int_equal(ipset_read_range(nlmsg_hdr(msg), &highest, &lowest),
				 rows[i].result);
		assert_int_equal(highest, rows[i].result ? 77 : rows[i].highest);
		assert_int_equal(lowest, rows[i].result ? 88 : rows[i].lowest);
		nlmsg_free(msg);
	}
}

/* The echo of a request with the number of the element that was refused. */
static void test_refused_line(void **state)
{
	struct nlmsgerr e = {.error = -IPSET_ERR_INVALID_CIDR};
	struct nl_msg *request = start_message(NFNL_SUBSYS_IPSET << 8 | IPSET_CMD_ADD, "a");
	struct nl_msg *msg = nlmsg_alloc_size(4096);
	size_t echo = nlmsg_hdr(request)->nlmsg_len, size;

	(void)state;
	assert_int_equal(nla_put_u32(request, IPSET_ATTR_LINENO, 0x01020304), 0);
	echo = nlmsg_hdr(request)->nlmsg_len;
	e.msg = *nlmsg_hdr(request);
	assert_non_null(nlmsg_put(msg, 0, 1, NLMSG_ERROR, 0, 0));
	assert_int_equal(nlmsg_append(msg, &e, sizeof(e), NLMSG_ALIGNTO), 0);
	assert_int_equal(nlmsg_append(msg, (char *)nlmsg_hdr(request) + NLMSG_HDRLEN,
				      echo - NLMSG_HDRLEN, NLMSG_ALIGNTO),
			 0);
	size = nlmsg_hdr(msg)->nlmsg_len;
	/* Cut anywhere it tells no line; a message shorter than nlmsgerr never comes so far. */
	for (size_t cut = NLMSG_LENGTH(sizeof(e)); cut <= size; cut++) {
		_cleanup_free_ void *copy = cut_message(msg, cut, true);

		assert_int_equal(ipset_read_refused_line(copy), cut == size ? 0x01020304 : 0);
	}
	nlmsg_hdr(msg)->nlmsg_type = LIST;
	assert_int_equal(ipset_read_refused_line(nlmsg_hdr(msg)), 0);
	nlmsg_free(msg);
	nlmsg_free(request);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements), cmocka_unit_test(test_several_messages),
		cmocka_unit_test(test_prefix),	 cmocka_unit_test(test_other_types),
		cmocka_unit_test(test_plain),	 cmocka_unit_test(test_nomatch),
		cmocka_unit_test(test_bad),	 cmocka_unit_test(test_cut),
		cmocka_unit_test(test_range),	 cmocka_unit_test(test_refused_line)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
