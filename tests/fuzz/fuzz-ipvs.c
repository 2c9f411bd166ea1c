/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "kernel/ipvs-message.h"

/* Answers of IPVS, one message after the other as a dump brings them. Each is read as every kind;
 * what is accepted must be in its ranges, what is refused must leave the output alone. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define POISON 0xa5

static void need(bool ok)
{
	if (!ok)
		abort();
}

static bool poisoned(const void *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (((const uint8_t *)p)[i] != POISON)
			return false;
	return true;
}

static void need_addr(const struct addr *a)
{
	static const uint8_t zero[12];

	need(a->family == ADDR_IPV4 || a->family == ADDR_IPV6);
	need(a->family == ADDR_IPV6 || memcmp(a->bytes + 4, zero, sizeof(zero)) == 0);
}

static void try_server(const void *message, size_t size)
{
	struct ipvs_server s;
	int r;

	memset(&s, POISON, sizeof(s));
	r = ipvs_parse_server(message, size, &s);
	if (r < 0) {
		need(poisoned(&s, sizeof(s)));
		return;
	}
	need_addr(&s.key.addr);
	need(memchr(s.scheduler, '\0', sizeof(s.scheduler)));
	need(s.prefix <= (s.key.addr.family == ADDR_IPV6 ? 128 : 32));
	need(!(s.flags & IPVS_HASHED));
	need(ipvs_key_compare(&s.key, &s.key) == 0);
}

static void try_dest(const void *message, size_t size, enum addr_family family)
{
	struct ipvs_dest d;
	int r;

	memset(&d, POISON, sizeof(d));
	r = ipvs_parse_dest(message, size, family, &d);
	if (r < 0) {
		need(poisoned(&d, sizeof(d)));
		return;
	}
	need_addr(&d.addr);
	need(d.forward <= 7);
}

static void try_message(const void *message, size_t size)
{
	struct ipvs_timeouts t;

	try_server(message, size);
	try_dest(message, size, ADDR_IPV4);
	try_dest(message, size, ADDR_IPV6);
	memset(&t, POISON, sizeof(t));
	if (ipvs_parse_timeouts(message, size, &t) < 0)
		need(poisoned(&t, sizeof(t)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	while (size > 0) {
		struct nlmsghdr h = {0};
		size_t step = size;
		uint8_t *copy;

		if (size >= sizeof(h)) {
			memcpy(&h, data, sizeof(h));
			if (h.nlmsg_len >= sizeof(h) && h.nlmsg_len < size)
				step = MIN_OF((size_t)NLMSG_ALIGN(h.nlmsg_len), size);
		}
		/* Of its own: aligned, and a read past its end is seen. */
		copy = malloc(step);
		need(copy);
		memcpy(copy, data, step);
		try_message(copy, step);
		free(copy);
		data += step;
		size -= step;
	}
	return 0;
}
