/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets from the command line, for tests in Python. Each command prints one line, "ok" or the name
 * of an errno, and the next one is tried all the same.
 *
 *     create NAME TYPE FAMILY        TYPE: hash:ip,port...; FAMILY: v4, v6
 *     destroy NAME
 *     swap NAME NAME
 *     add|del NAME TYPE ELEMENT...   ELEMENT: port, or address[,protocol:port[,address[/length]]],
 *                                    all numbers; "; " ends the list. Prints "RESULT DONE"
 *     fill|clear NAME TYPE FAMILY FIRST N
 *                                    made-up elements, all different: "RESULT DONE SECONDS"
 *     list PREFIX                    what is there, as `ipset save` prints it but without hashsize
 *                                    and what is random; "odd NAME TYPE" where it is not as ours
 *     time PREFIX                    lists and prints "RESULT SETS ELEMENTS SECONDS"
 *
 * Exit status 0; 1 when there is no ipset: the errno is printed; 2 wrong usage.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <time.h>

#include "base/array.h"
#include "base/num.h"
#include "kernel/ipset.h"

static const char *result(int r)
{
	return r == 0 ? "ok" : strerrorname_np(-r);
}

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int parse_type(const char *text, enum ipset_type *ret)
{
	for (int t = 0; t < _IPSET_TYPE_MAX; t++)
		if (streq(ipset_type_text((enum ipset_type)t), text)) {
			*ret = (enum ipset_type)t;
			return 0;
		}
	return -EINVAL;
}

static int parse_family(const char *text, enum addr_family *ret)
{
	if (!streq(text, "v4") && !streq(text, "v6"))
		return -EINVAL;
	*ret = streq(text, "v4") ? ADDR_IPV4 : ADDR_IPV6;
	return 0;
}

static int parse_small(const char *text, uint64_t max, uint64_t *ret)
{
	return num_parse_u64(text, 0, max, ret);
}

static int parse_element(const char *text, struct ipset_element *ret)
{
	_cleanup_free_ char *copy = strdup(text);
	char *addr, *port, *addr2, *prefix, *rest = copy;
	struct ipset_element e = {0};
	uint64_t n;

	if (!copy)
		return -ENOMEM;
	if (parse_small(text, UINT16_MAX, &n) == 0) {
		*ret = (struct ipset_element){.port = (uint16_t)n};
		return 0;
	}
	addr = strsep(&rest, ",");
	if (addr_parse(addr, &e.addr) != ADDR_OK)
		return -EINVAL;
	if (rest) {
		port = strsep(&rest, ",");
		if (parse_small(strsep(&port, ":"), UINT8_MAX, &n) < 0)
			return -EINVAL;
		e.protocol = (uint8_t)n;
		if (!port || parse_small(port, UINT16_MAX, &n) < 0)
			return -EINVAL;
		e.port = (uint16_t)n;
	}
	if (rest) {
		prefix = rest;
		addr2 = strsep(&prefix, "/");
		if (addr_parse(addr2, &e.addr2) != ADDR_OK)
			return -EINVAL;
		n = e.addr2.family == ADDR_IPV4 ? 32 : 128;
		if (prefix && parse_small(prefix, UINT8_MAX, &n) < 0)
			return -EINVAL;
		e.prefix = (uint8_t)n;
	}
	*ret = e;
	return 0;
}

static struct addr make_addr(enum addr_family family, uint8_t first, size_t i)
{
	struct addr a = {.family = (uint8_t)family, .bytes = {first}};
	size_t size = family == ADDR_IPV4 ? 4 : 16;

	for (size_t b = size - 1; b > 0 && i > 0; b--, i >>= 8)
		a.bytes[b] = (uint8_t)i;
	return a;
}

static struct ipset_element make_element(enum ipset_type type, enum addr_family family, size_t i)
{
	static const uint8_t protocols[] = {IPPROTO_TCP, IPPROTO_UDP, IPPROTO_SCTP};
	struct ipset_element e = {0};

	if (type == IPSET_BITMAP_PORT) {
		e.port = (uint16_t)i;
		return e;
	}
	e.addr = make_addr(family, family == ADDR_IPV4 ? 10 : 0xfd, i / 3);
	if (type == IPSET_HASH_IP) {
		e.addr = make_addr(family, family == ADDR_IPV4 ? 10 : 0xfd, i);
		return e;
	}
	e.port = (uint16_t)(1 + i % 65535);
	e.protocol = protocols[i % 3];
	if (type == IPSET_HASH_IP_PORT)
		return e;
	e.addr2 = make_addr(family, family == ADDR_IPV4 ? 172 : 0xfc, i);
	if (type == IPSET_HASH_IP_PORT_NET) {
		e.prefix = family == ADDR_IPV4 ? 32 : 128;
		if (i % 2 == 0) {
			e.prefix = (uint8_t)(e.prefix - 8);
			e.addr2.bytes[family == ADDR_IPV4 ? 3 : 15] = 0;
		}
	}
	return e;
}

static void print_set(const struct ipset_set *s)
{
	char text[IPSET_ELEMENT_TEXT_MAX];

	if (s->type < 0 || !s->plain)
		printf("odd %s %s\n", s->name, s->type_text);
	if (s->type < 0)
		return;
	if (s->type == IPSET_BITMAP_PORT)
		printf("create %s %s range 0-65535\n", s->name, s->type_text);
	else
		printf("create %s %s family %s maxelem %u\n", s->name, s->type_text,
		       s->family == ADDR_IPV4 ? "inet" : "inet6", s->maxelem);
	for (size_t i = 0; i < s->elements.n; i++)
		printf("add %s %s\n", s->name,
		       ipset_element_text(s->type, &s->elements.items[i], text));
}

static void do_list(struct ipset *s, const char *prefix, bool timed)
{
	_cleanup_ipset_sets_ struct ipset_sets sets = {0};
	double start = now();
	size_t n = 0;
	int r = ipset_list(s, prefix, &sets);

	for (size_t i = 0; i < sets.n; i++) {
		n += sets.items[i].elements.n;
		if (!timed)
			print_set(&sets.items[i]);
	}
	if (timed)
		printf("%s %zu %zu %.4f\n", result(r), sets.n, n, now() - start);
	else
		printf("%s\n", result(r));
}

/* The number of arguments used, or -errno. */
static int do_elements(struct ipset *s, int argc, char **argv)
{
	_cleanup_free_ struct ipset_element *elements = calloc((size_t)argc, sizeof(*elements));
	bool add = streq(argv[0], "add");
	enum ipset_type type;
	size_t n = 0, done = 0;
	int r, i = 3;

	if (!elements)
		return -ENOMEM;
	if (argc < 3 || parse_type(argv[2], &type) < 0)
		return -EINVAL;
	for (; i < argc && !streq(argv[i], ";"); i++)
		if (parse_element(argv[i], &elements[n++]) < 0)
			return -EINVAL;
	r = (add ? ipset_add : ipset_del)(s, argv[1], type, elements, n, &done);
	printf("%s %zu\n", result(r), done);
	return i < argc ? i + 1 : i;
}

static int do_many(struct ipset *s, int argc, char **argv)
{
	_cleanup_free_ struct ipset_element *elements = NULL;
	bool add = streq(argv[0], "fill");
	enum addr_family family;
	enum ipset_type type;
	uint64_t first, n;
	size_t done = 0;
	double start;
	int r;

	if (argc < 6 || parse_type(argv[2], &type) < 0 || parse_family(argv[3], &family) < 0 ||
	    parse_small(argv[4], 1000000, &first) < 0 || parse_small(argv[5], 1000000, &n) < 0)
		return -EINVAL;
	elements = calloc(n + 1, sizeof(*elements));
	if (!elements)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		elements[i] = make_element(type, family, first + i);
	start = now();
	r = (add ? ipset_add : ipset_del)(s, argv[1], type, elements, n, &done);
	printf("%s %zu %.4f\n", result(r), done, now() - start);
	return 6;
}

static int do_command(struct ipset *s, int argc, char **argv)
{
	enum addr_family family;
	enum ipset_type type;

	if (streq(argv[0], "create") && argc >= 4 && parse_type(argv[2], &type) == 0 &&
	    parse_family(argv[3], &family) == 0) {
		printf("%s\n", result(ipset_create(s, argv[1], type, family)));
		return 4;
	}
	if (streq(argv[0], "destroy") && argc >= 2) {
		printf("%s\n", result(ipset_destroy(s, argv[1])));
		return 2;
	}
	if (streq(argv[0], "swap") && argc >= 3) {
		printf("%s\n", result(ipset_swap(s, argv[1], argv[2])));
		return 3;
	}
	if (streq(argv[0], "add") || streq(argv[0], "del"))
		return do_elements(s, argc, argv);
	if (streq(argv[0], "fill") || streq(argv[0], "clear"))
		return do_many(s, argc, argv);
	if ((streq(argv[0], "list") || streq(argv[0], "time")) && argc >= 2) {
		do_list(s, argv[1], streq(argv[0], "time"));
		return 2;
	}
	return -EINVAL;
}

int main(int argc, char **argv)
{
	_cleanup_(ipset_closep) struct ipset *s = NULL;
	int r;

	r = ipset_open(&s);
	if (r < 0) {
		printf("%s\n", result(r));
		return 1;
	}
	for (int i = 1; i < argc; i += r) {
		r = do_command(s, argc - i, argv + i);
		if (r < 0) {
			fprintf(stderr, "drive-ipset: '%s': %s\n", argv[i], strerror(-r));
			return 2;
		}
	}
	return 0;
}
