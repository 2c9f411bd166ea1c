/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel/ipvs.h for test_ipvs.py.
 *
 *   drive-ipvs change             changes from standard input, one a line, all at once; prints the
 *                                 error of each, and the seconds that it took on standard error
 *     new-server|set-server tcp|udp|sctp ADDRESS:PORT SCHEDULER FLAGS TIMEOUT PREFIX
 *     del-server PROTOCOL ADDRESS:PORT
 *     new-dest|set-dest PROTOCOL ADDRESS:PORT ADDRESS:PORT WEIGHT
 *     del-dest PROTOCOL ADDRESS:PORT ADDRESS:PORT
 *   drive-ipvs list               as ipvsadm-save -n does, but sorted
 *   drive-ipvs get|stats PROTOCOL ADDRESS:PORT
 *   drive-ipvs timeouts [TCP TCP-FIN UDP]
 */
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "kernel/ipvs.h"

#define WORDS 7

static const struct {
	const char *name, *option;
	uint8_t protocol;
} protocols[] = {
	{"tcp", "-t", IPPROTO_TCP},
	{"udp", "-u", IPPROTO_UDP},
	{"sctp", "--sctp-service", IPPROTO_SCTP},
};

static const struct {
	const char *name;
	size_t n_words;
} verbs[] = {
	[IPVS_NEW_SERVER] = {"new-server", 7}, [IPVS_SET_SERVER] = {"set-server", 7},
	[IPVS_DEL_SERVER] = {"del-server", 3}, [IPVS_NEW_DEST] = {"new-dest", 5},
	[IPVS_SET_DEST] = {"set-dest", 5},     [IPVS_DEL_DEST] = {"del-dest", 4},
};

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int read_address(const char *word, struct addr *ret_addr, uint16_t *ret_port)
{
	/* port 0 is not an address of ours, but one that ipvs_change() must refuse */
	char text[ADDR_PORT_TEXT_MAX];
	size_t n = strlen(word);
	int r;

	if (n < 3 || n >= sizeof(text) || strcmp(word + n - 2, ":0") != 0)
		return addr_port_parse(word, ret_addr, ret_port) == ADDR_OK ? 0 : -EINVAL;
	(void)snprintf(text, sizeof(text), "%.*s:1", (int)(n - 2), word);
	r = read_address(text, ret_addr, ret_port);
	*ret_port = 0;
	return r;
}

static int read_key(char **words, struct ipvs_key *ret)
{
	for (size_t i = 0; i < ELEMENTSOF(protocols); i++)
		if (streq(words[0], protocols[i].name)) {
			ret->protocol = protocols[i].protocol;
			return read_address(words[1], &ret->addr, &ret->port);
		}
	return -EINVAL;
}

static int read_change(char *line, struct ipvs_change *ret)
{
	char *words[WORDS] = {NULL}, *rest = NULL;
	struct ipvs_change c = {0};
	size_t n = 0, verb = 0;

	for (char *w = strtok_r(line, " \n", &rest); w && n < WORDS;
	     w = strtok_r(NULL, " \n", &rest))
		words[n++] = w;
	while (n && verb < ELEMENTSOF(verbs) && !streq(words[0], verbs[verb].name))
		verb++;
	if (!n || verb == ELEMENTSOF(verbs) || n != verbs[verb].n_words)
		return -EINVAL;
	c.verb = (enum ipvs_verb)verb;
	if (read_key(words + 1, &c.server.key) < 0)
		return -EINVAL;
	if (verb == IPVS_NEW_SERVER || verb == IPVS_SET_SERVER) {
		/* one without an end when it is long: the kernel must never see it */
		memcpy(c.server.scheduler, words[3], strnlen(words[3], sizeof(c.server.scheduler)));
		c.server.flags = (uint32_t)strtoul(words[4], NULL, 0);
		c.server.timeout = (uint32_t)strtoul(words[5], NULL, 10);
		c.server.prefix = (uint32_t)strtoul(words[6], NULL, 10);
	} else if (verb != IPVS_DEL_SERVER) {
		if (read_address(words[3], &c.dest.addr, &c.dest.port) < 0)
			return -EINVAL;
		if (n > 4)
			c.dest.weight = (uint32_t)strtoul(words[4], NULL, 10);
	}
	*ret = c;
	return 0;
}

static int drive_change(struct ipvs *v)
{
	_cleanup_free_ struct ipvs_change *changes = NULL;
	_cleanup_free_ char *line = NULL;
	size_t n = 0, allocated = 0, line_size = 0;
	double start;
	int r;

	while (getline(&line, &line_size, stdin) > 0) {
		if (array_reserve(&changes, &allocated, n + 1) < 0)
			return -ENOMEM;
		if (read_change(line, &changes[n++]) < 0) {
			fprintf(stderr, "line %zu is no change\n", n);
			return -EINVAL;
		}
	}
	start = now();
	r = ipvs_change(v, changes, n);
	fprintf(stderr, "%.3f\n", now() - start);
	for (size_t i = 0; i < n; i++)
		printf("%s\n", changes[i].error ? strerrorname_np(-changes[i].error) : "0");
	return r;
}

static const char *format_key(const struct ipvs_server *s, char *buf, size_t size)
{
	char address[ADDR_PORT_TEXT_MAX];

	(void)snprintf(buf, size, "? protocol %u", s->key.protocol);
	if (s->fwmark)
		(void)snprintf(buf, size, "-f %" PRIu32 "%s", s->fwmark,
			       s->key.addr.family == ADDR_IPV6 ? " -6" : "");
	else
		for (size_t i = 0; i < ELEMENTSOF(protocols); i++)
			if (s->key.protocol == protocols[i].protocol)
				(void)snprintf(
					buf, size, "%s %s", protocols[i].option,
					addr_port_format(&s->key.addr, s->key.port, address));
	return buf;
}

static void print_server(const struct ipvs_server *s)
{
	char key[128];

	printf("-A %s -s %s", format_key(s, key, sizeof(key)), s->scheduler);
	if (s->flags & IPVS_PERSISTENT) {
		printf(" -p %" PRIu32, s->timeout);
		if (s->prefix != (s->key.addr.family == ADDR_IPV6 ? 128 : 32))
			printf(" -M %" PRIu32, s->prefix);
	}
	if (s->flags & ~IPVS_PERSISTENT)
		printf(" flags 0x%" PRIx32, s->flags & ~IPVS_PERSISTENT);
	printf("\n");
}

static int drive_list(struct ipvs *v)
{
	static const char forward[][3] = {"-m", "-m", "-i", "-g"};
	_cleanup_ipvs_servers_ struct ipvs_servers servers = {0};
	double start = now();
	int r;

	r = ipvs_list_servers(v, &servers);
	fprintf(stderr, "%.3f ", now() - start);
	if (r < 0)
		return r;
	start = now();
	for (size_t i = 0; i < servers.n; i++) {
		_cleanup_ipvs_dests_ struct ipvs_dests dests = {0};
		char key[128], address[ADDR_PORT_TEXT_MAX];
		const struct ipvs_server *s = &servers.items[i];

		print_server(s);
		if (s->fwmark)
			continue;
		r = ipvs_list_dests(v, &s->key, &dests);
		if (r < 0)
			return r;
		for (size_t d = 0; d < dests.n; d++)
			printf("-a %s -r %s %s -w %" PRIu32 "\n", format_key(s, key, sizeof(key)),
			       addr_port_format(&dests.items[d].addr, dests.items[d].port, address),
			       forward[dests.items[d].forward & 3], dests.items[d].weight);
	}
	fprintf(stderr, "%.3f\n", now() - start);
	return 0;
}

static void print_counters(const struct ipvs_counters *c)
{
	printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", c->connections,
	       c->in_packets, c->out_packets, c->in_bytes, c->out_bytes);
}

/* The server, then its counters and those of its real servers, with what is connected. */
static int drive_get(struct ipvs *v, char **words, bool stats)
{
	_cleanup_ipvs_dests_ struct ipvs_dests dests = {0};
	struct ipvs_server s;
	struct ipvs_key key = {0};
	int r;

	if (read_key(words, &key) < 0)
		return -EINVAL;
	r = ipvs_get_server(v, &key, &s);
	if (r < 0)
		return r;
	if (!stats) {
		print_server(&s);
		return 0;
	}
	printf("server");
	print_counters(&s.counters);
	r = ipvs_list_dests(v, &key, &dests);
	for (size_t i = 0; r >= 0 && i < dests.n; i++) {
		const struct ipvs_dest *d = &dests.items[i];

		printf("%" PRIu32 " %" PRIu32 " %" PRIu32, d->active, d->inactive, d->persistent);
		print_counters(&d->counters);
	}
	return r;
}

static int drive_timeouts(struct ipvs *v, char **words, int n)
{
	struct ipvs_timeouts t = {0};
	int r = 0;

	if (n == 3) {
		t.tcp = (uint32_t)strtoul(words[0], NULL, 10);
		t.tcp_fin = (uint32_t)strtoul(words[1], NULL, 10);
		t.udp = (uint32_t)strtoul(words[2], NULL, 10);
		r = ipvs_set_timeouts(v, &t);
	}
	if (r >= 0)
		r = ipvs_get_timeouts(v, &t);
	if (r >= 0)
		printf("%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", t.tcp, t.tcp_fin, t.udp);
	return r;
}

int main(int argc, char **argv)
{
	_cleanup_(ipvs_closep) struct ipvs *v = NULL;
	const char *what = argc > 1 ? argv[1] : "";
	int r;

	r = ipvs_open(&v);
	if (r < 0) {
		printf("open: %s\n", strerrorname_np(-r));
		return 1;
	}
	if (streq(what, "change"))
		r = drive_change(v);
	else if (streq(what, "list"))
		r = drive_list(v);
	else if ((streq(what, "get") || streq(what, "stats")) && argc == 4)
		r = drive_get(v, argv + 2, streq(what, "stats"));
	else if (streq(what, "timeouts"))
		r = drive_timeouts(v, argv + 2, argc - 2);
	else
		r = -EINVAL;
	if (r < 0)
		printf("%s: %s\n", what, strerrorname_np(-r));
	return r < 0;
}
