/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "kernel/iptables-save.h"

/* What other owners' rules and comments look like in a save is not ours to choose. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct iptables_seen seen;

	if (iptables_seen_read((const char *)data, size, &seen) < 0)
		return 0;
	for (int t = 0; t < _SEEN_TABLE_MAX; t++) {
		const struct seen_rules *lists[] = {&seen.tables[t].jumps,
						    &seen.tables[t].references};

		for (size_t l = 0; l < ELEMENTSOF(lists); l++)
			for (size_t i = 0; i < lists[l]->n; i++) {
				char target[32];

				/* It was kept because of its target. */
				if (lists[l]->items[i].position == 0 ||
				    strncmp(lists[l]->items[i].text, "-A ", 3) != 0)
					abort();
				if (iptables_rule_target(lists[l]->items[i].text, target,
							 sizeof(target)) &&
				    strncmp(target, "KUBE-", 5) != 0)
					abort();
			}
	}
	(void)iptables_seen_foreign(&seen);
	(void)iptables_seen_ours(&seen);
	iptables_seen_done(&seen);
	return 0;
}
