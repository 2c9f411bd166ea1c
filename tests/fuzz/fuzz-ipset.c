/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "kernel/ipset-wire.h"

/* Answers of ipset, one message after the other as a dump brings them. What is accepted must be in
 * its ranges; what is refused must leave the sets as they were. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
	if (!ok)
		abort();
}

static void need_addr(const struct addr *a, bool there, enum addr_family family)
{
	static const uint8_t zero[16];

	need(a->family == (there ? family : 0));
	if (!there || family == ADDR_IPV4)
		need(memcmp(a->bytes + (there ? 4 : 0), zero, there ? 12 : 16) == 0);
}

static void need_element(const struct ipset_set *s, const struct ipset_element *e)
{
	const struct ipset_layout *l = &ipset_layouts[s->type];
	char text[IPSET_ELEMENT_TEXT_MAX];

	need_addr(&e->addr, l->addr, s->family);
	need_addr(&e->addr2, l->addr2, s->family);
	need(l->port || e->port == 0);
	need(l->protocol || e->protocol == 0);
	need(l->prefix ? e->prefix >= 1 && e->prefix <= (s->family == ADDR_IPV4 ? 32 : 128)
		       : e->prefix == 0);
	need(*ipset_element_text(s->type, e, text) != '\0' && strlen(text) < sizeof(text) - 1);
}

static void need_sets(const struct ipset_sets *sets)
{
	for (size_t i = 0; i < sets->n; i++) {
		const struct ipset_set *s = &sets->items[i];

		need(memchr(s->name, '\0', sizeof(s->name)));
		need(memchr(s->type_text, '\0', sizeof(s->type_text)));
		need(s->type == ipset_type_from_text(s->type_text));
		need(s->type >= 0 || s->elements.n == 0);
		for (size_t k = 0; k < s->elements.n; k++)
			need_element(s, &s->elements.items[k]);
	}
}

static size_t count(const struct ipset_sets *sets)
{
	size_t n = sets->n;

	for (size_t i = 0; i < sets->n; i++)
		n += sets->items[i].elements.n;
	return n;
}

static void try_message(const void *message, size_t size, struct ipset_sets *sets)
{
	const struct nlmsghdr *h = message;
	uint8_t highest = 77, lowest = 88;
	size_t before = count(sets);

	if (ipset_parse_list(message, size, sets) < 0)
		need(count(sets) == before);
	if (!nlmsg_ok(h, (int)size))
		return;
	if (ipset_read_range(h, &highest, &lowest) < 0)
		need(highest == 77 && lowest == 88);
	/* libnl hands no shorter one on. */
	if (h->nlmsg_len >= NLMSG_LENGTH(sizeof(struct nlmsgerr)))
		(void)ipset_read_refused_line(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_ipset_sets_ struct ipset_sets sets = {0};

	while (size > 0) {
		struct nlmsghdr h = {0};
		size_t step = size;
		uint8_t *copy;

		if (size >= sizeof(h)) {
			memcpy(&h, data, sizeof(h));
			if (h.nlmsg_len >= sizeof(h) && h.nlmsg_len < size - NLMSG_ALIGNTO)
				step = NLMSG_ALIGN(h.nlmsg_len);
		}
		/* Of its own: aligned, and a read past its end is seen. */
		copy = malloc(step);
		need(copy);
		memcpy(copy, data, step);
		try_message(copy, step, &sets);
		free(copy);
		data += step;
		size -= step;
	}
	need_sets(&sets);
	ipset_sets_sort(&sets);
	need_sets(&sets);
	return 0;
}
