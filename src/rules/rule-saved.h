/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rules/rule.h"

/*
 * The rule as iptables-save 1.8 prints it once it is loaded, without "-A CHAIN" and without newline
 * (spec/iptables.md section 3.10). Runs of blanks are one, also where the program prints two. For
 * telling whether a chain that was read holds what is wanted; where another version prints
 * otherwise, it merely counts as different.
 */
void rule_print_saved(const struct rule *r, const struct service *service, enum addr_family family,
		      struct strbuf *out);
