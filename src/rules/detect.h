/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/settings.h"
#include "rules/rule.h"

/* What iptables takes for -i: 15 bytes and the NUL. */
#define RULES_INTERFACE_MAX 16

/*
 * How packets of pods of this host are told (DetectLocalMode=), for rules of one family: RULE_SRC
 * with a range, RULE_IN with an interface as for -i (a prefix ends in '+'), or 0 when nothing is
 * given for the family. Outputs that the answer does not name are untouched.
 */
unsigned detect_pods(const struct settings *s, enum addr_family family,
		     struct addr_prefix *ret_range, char ret_interface[RULES_INTERFACE_MAX]);
