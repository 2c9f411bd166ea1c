/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules/detect.h"

#include <string.h>

/* The first of a family is the only one that counts. */
static unsigned by_range(const struct prefix_list *list, enum addr_family family,
			 struct addr_prefix *ret)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i].addr.family != family)
			continue;
		*ret = list->items[i];
		return RULE_SRC;
	}
	return 0;
}

/* Both callers have a name of at most 15 bytes: settings_finish() sees to that. A prefix as long as
 * a name can be matches that name alone, and iptables takes no longer text. */
static unsigned by_interface(const char *name, const char *suffix, char ret[RULES_INTERFACE_MAX])
{
	size_t n = strlen(name);

	if (n == 0 || n >= RULES_INTERFACE_MAX)
		return 0;
	memcpy(ret, name, n + 1);
	if (n + strlen(suffix) < RULES_INTERFACE_MAX)
		(void)stpcpy(ret + n, suffix);
	return RULE_IN;
}

unsigned detect_pods(const struct settings *s, enum addr_family family,
		     struct addr_prefix *ret_range, char ret_interface[RULES_INTERFACE_MAX])
{
	switch (s->detect_local) {
	case DETECT_CLUSTER_CIDR:
		return by_range(&s->cluster_cidr, family, ret_range);
	case DETECT_NODE_CIDR:
		return by_range(&s->node_cidr, family, ret_range);
	case DETECT_BRIDGE_INTERFACE:
		return by_interface(s->bridge_interface, "", ret_interface);
	case DETECT_INTERFACE_NAME_PREFIX:
		return by_interface(s->interface_name_prefix, "+", ret_interface);
	case DETECT_NONE:
	case _DETECT_MAX:
		break;
	}
	return 0;
}
