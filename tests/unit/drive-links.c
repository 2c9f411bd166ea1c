/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links and their addresses from the command line, for tests in Python. Each command prints one
 * line, "ok" or the name of an errno, and the next one is tried all the same.
 *
 *     find NAME                 "ok INDEX dummy|other"
 *     create NAME
 *     delete NAME
 *     list NAME                 "ADDRESS/LENGTH scope N" for each, then the result
 *     add|del NAME ADDRESS...   "; " ends the list. A result for each in one line, then that of all
 *     fill|clear NAME FAMILY N  made-up addresses; FAMILY: v4, v6: "RESULT FAILED SECONDS"
 *
 * Exit status 0; 1 when there is no socket; 2 wrong usage.
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/num.h"
#include "kernel/links.h"

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

/* A link that is not there has the number 0, so that the kernel's refusal is seen. */
static int index_of(struct links *l, const char *name)
{
	int index = 0;
	bool dummy;

	(void)links_find(l, name, &index, &dummy);
	return index;
}

static void do_find(struct links *l, const char *name)
{
	int r, index = -1;
	bool dummy = false;

	r = links_find(l, name, &index, &dummy);
	if (r == 0)
		printf("ok %d %s\n", index, dummy ? "dummy" : "other");
	else
		printf("%s\n", result(r));
}

static void do_list(struct links *l, const char *name)
{
	_cleanup_link_addresses_ struct link_addresses a = {0};
	int r = links_list_addresses(l, index_of(l, name), &a);

	for (size_t i = 0; i < a.n; i++) {
		char text[ADDR_TEXT_MAX];

		printf("%s/%u scope %u\n", addr_format(&a.items[i].addr, text), a.items[i].prefix,
		       a.items[i].scope);
	}
	printf("%s\n", result(r));
}

/* The number of arguments used, or -errno. */
static int do_addresses(struct links *l, int argc, char **argv)
{
	_cleanup_free_ struct addr *addrs = calloc((size_t)argc, sizeof(*addrs));
	_cleanup_free_ int *errors = calloc((size_t)argc, sizeof(*errors));
	bool add = streq(argv[0], "add");
	size_t n = 0;
	int r, i = 2;

	if (!addrs || !errors)
		return -ENOMEM;
	if (argc < 2)
		return -EINVAL;
	for (; i < argc && !streq(argv[i], ";"); i++)
		if (addr_parse(argv[i], &addrs[n++]) != ADDR_OK)
			return -EINVAL;
	r = (add ? links_add_addresses : links_del_addresses)(l, index_of(l, argv[1]), addrs, n,
							      errors);
	for (size_t k = 0; k < n; k++)
		printf("%s ", result(errors[k]));
	printf("%s\n", result(r));
	return i < argc ? i + 1 : i;
}

static int do_many(struct links *l, int argc, char **argv)
{
	_cleanup_free_ struct addr *addrs = NULL;
	_cleanup_free_ int *errors = NULL;
	bool add = streq(argv[0], "fill"), ipv4;
	size_t failed = 0;
	uint64_t n;
	double start;
	int r;

	if (argc < 4 || num_parse_u64(argv[3], 0, 1000000, &n) < 0)
		return -EINVAL;
	ipv4 = streq(argv[2], "v4");
	addrs = calloc(n + 1, sizeof(*addrs));
	errors = calloc(n + 1, sizeof(*errors));
	if (!addrs || !errors)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint8_t *end = addrs[i].bytes + (ipv4 ? 4 : 16);

		addrs[i].family = ipv4 ? ADDR_IPV4 : ADDR_IPV6;
		addrs[i].bytes[0] = ipv4 ? 10 : 0xfd;
		end[-1] = (uint8_t)(i + 1);
		end[-2] = (uint8_t)((i + 1) >> 8);
		end[-3] = (uint8_t)((i + 1) >> 16);
	}
	start = now();
	r = (add ? links_add_addresses : links_del_addresses)(l, index_of(l, argv[1]), addrs, n,
							      errors);
	for (size_t i = 0; i < n; i++)
		failed += errors[i] != 0;
	printf("%s %zu %.4f\n", result(r), failed, now() - start);
	return 4;
}

static int do_command(struct links *l, int argc, char **argv)
{
	if (streq(argv[0], "add") || streq(argv[0], "del"))
		return do_addresses(l, argc, argv);
	if (streq(argv[0], "fill") || streq(argv[0], "clear"))
		return do_many(l, argc, argv);
	if (argc < 2)
		return -EINVAL;
	if (streq(argv[0], "find"))
		do_find(l, argv[1]);
	else if (streq(argv[0], "list"))
		do_list(l, argv[1]);
	else if (streq(argv[0], "create"))
		printf("%s\n", result(links_create_dummy(l, argv[1])));
	else if (streq(argv[0], "delete"))
		printf("%s\n", result(links_delete(l, index_of(l, argv[1]))));
	else
		return -EINVAL;
	return 2;
}

int main(int argc, char **argv)
{
	_cleanup_(links_closep) struct links *l = NULL;
	int r;

	r = links_open(&l);
	if (r < 0) {
		printf("%s\n", result(r));
		return 1;
	}
	for (int i = 1; i < argc; i += r) {
		r = do_command(l, argc - i, argv + i);
		if (r < 0) {
			fprintf(stderr, "drive-links: '%s': %s\n", argv[i], strerror(-r));
			return 2;
		}
	}
	return 0;
}
