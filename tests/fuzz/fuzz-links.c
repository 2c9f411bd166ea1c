/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "kernel/links.h"

/* Answers of rtnetlink about links and addresses, one message after the other as a dump brings
 * them. What is refused must leave the output alone. */

#define INDEX 2 /* the link whose addresses are looked for; seeds have it */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
	if (!ok)
		abort();
}

static void try_message(const void *message, size_t size, struct link_addresses *found)
{
	size_t before = found->n;
	bool dummy = true;
	int index = -77;

	if (links_parse_link(message, size, &index, &dummy) < 0)
		need(index == -77 && dummy);
	else
		need(index == -77 || index > 0);
	if (links_parse_address(message, size, INDEX, found) < 0)
		need(found->n == before);
	else
		need(found->n <= before + 1);
}

static void need_addresses(const struct link_addresses *found)
{
	static const uint8_t zero[12];

	for (size_t i = 0; i < found->n; i++) {
		const struct link_address *a = &found->items[i];

		need(a->addr.family == ADDR_IPV4 || a->addr.family == ADDR_IPV6);
		need(a->prefix <= (a->addr.family == ADDR_IPV4 ? 32 : 128));
		need(a->addr.family == ADDR_IPV6 || memcmp(a->addr.bytes + 4, zero, 12) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_link_addresses_ struct link_addresses found = {0};

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
		try_message(copy, step, &found);
		free(copy);
		data += step;
		size -= step;
	}
	need_addresses(&found);
	return 0;
}
