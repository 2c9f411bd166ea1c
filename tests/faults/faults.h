/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/* A piece of work whose allocations are made to fail. arguments[0] is the mode's name. */
struct fault_mode {
	const char *name;
	const char *error_prefix; /* how its errors begin */
	bool keeps_blocks; /* when nothing fails not all that it took is given back, by design */
	int (*prepare)(int n, char **arguments); /* once, before all; may be NULL; < 0: cannot */
	/* In a process of its own, with allocations failing from its first instruction on; its exit
	 * status. */
	int (*run)(int n, char **arguments);
	void (*clean_up)(void); /* may be NULL */
};

extern const struct fault_mode fault_mode_ctl, fault_mode_output, fault_mode_reload,
	fault_mode_answers, fault_mode_start, fault_mode_keep, fault_mode_look, fault_mode_ipvs;

void fault_remove_tree(const char *path);
