/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

#include "base/cleanup.h"

/* The warnings of iptables mode: each cause has one place, set and cleared by whoever looks at the
 * cause. */
enum iptables_warning {
	WARN_BOTH_VARIANTS,
	WARN_OTHER_VARIANT,
	WARN_TIDY_FAILED,
	WARN_NFACCT,
	WARN_ROUTE_LOCALNET,
	WARN_IPV6_OFF,
	WARN_KEPT_IPV4, /* IPv6 is the next */
	WARN_KEPT_IPV6,
	_IPTABLES_WARNING_MAX,
};
struct iptables_warnings {
	char *texts[_IPTABLES_WARNING_MAX]; /* NULL: does not hold */
	const char *list[_IPTABLES_WARNING_MAX];
};
void iptables_warnings_done(struct iptables_warnings *w);
/* A format of NULL clears it. A text that cannot be had for want of memory is left out. */
void iptables_warning_set(struct iptables_warnings *w, enum iptables_warning which,
			  const char *format, ...) _printf_(3, 4);
const char *const *iptables_warnings_list(struct iptables_warnings *w, size_t *ret_n);
