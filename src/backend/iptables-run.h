/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "backend/backend.h"
#include "backend/helper.h"
#include "backend/iptables-plan.h"
#include "backend/iptables-warnings.h"
#include "kernel/iptables.h"

/* Inside of iptables mode: the backend's memory between syncs, and one sync while it runs. */

struct iptables_mode {
	struct backend backend; /* first: the two pointers are the same */
	sd_event *event;
	bool decided;		       /* variant is what the setting and the host said */
	enum iptables_backend setting; /* that it was decided by */
	enum iptables_variant variant;
	struct kernel_facts facts;
	struct ruleset *compiled[_ADDR_FAMILY_MAX]; /* the last, to share fragments with */
	struct ruleset *in_force[_ADDR_FAMILY_MAX]; /* what the kernel holds by our account; NULL:
						       not known */
	bool served[_ADDR_FAMILY_MAX];		    /* in the last sync */
	struct iptables_warnings warnings;
	struct iptables_run *run; /* NULL: no sync runs */
};

/*
 * Starts a sync: one that decides on the variant when that is open. done is called with the run's
 * result; the run is gone by then. -ENOMEM.
 */
int iptables_run_start(struct iptables_mode *b, const struct view *view, bool full,
		       backend_done_t done, void *userdata);
/* Stops waiting; a program that runs is left to finish. Takes NULL. */
struct iptables_run *iptables_run_free(struct iptables_run *run);

/* Arguments of a load; the array is filled in for the program given. */
#define RESTORE_ARGV(program) ((const char *const[]){(program), "-w", "5", "--noflush", NULL})

/* "iptables-nft": how people call a variant. */
const char *iptables_variant_name(enum iptables_variant v);
const char *addr_family_name(enum addr_family f); /* "IPv4" */
