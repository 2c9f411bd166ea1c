/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "kernel/iptables-save.h"
#include "kernel/iptables.h"
#include "model/settings.h"

/* iptables' programs run to their end, for those who have no event loop to wait in. */

/*
 * What a variant's tables hold. Tables that were never made hold nothing, and are not made by
 * looking. -errno with *ret_message (malloc'ed, may be NULL): what went wrong, for people.
 */
int programs_look(enum iptables_variant v, enum addr_family f, struct iptables_seen *ret,
		  char **ret_message);
/* Loads a text with --noflush. *ret_missing: the host lacks the family's program or tables.
 * -EAGAIN: another program held the lock. */
int programs_load(enum iptables_variant v, enum addr_family f, const char *text, size_t size,
		  bool *ret_missing, char **ret_message);

/* Whether a program that failed said that the kernel lacks its tables; status -ENOENT: that there
 * is no such program. errors may be NULL. */
bool programs_mean_missing(int status, const char *errors);

/* The variant that our rules go to: as set, else where the others on this host are, else nft, if
 * this kernel has it. */
enum iptables_variant programs_choose(enum iptables_backend setting,
				      const bool foreign[_VARIANT_MAX]);
