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
	/* What the kernel holds by our account; NULL: not known. */
	struct ruleset *in_force[_ADDR_FAMILY_MAX];
	bool ipv6_missing; /* its programs or tables do not work; tried again by a full sync */
	bool served[_ADDR_FAMILY_MAX]; /* in the last sync */
	struct iptables_warnings warnings;
	struct iptables_run *run; /* NULL: no sync runs */
};

/*
 * One sync. Each stage either goes on to the next or starts a program and returns to the loop; when
 * it ends, its handler has iptables_run_advance() carry on.
 *
 *   PREPARE   facts about the kernel, rulesets of both families
 *   SURVEY    (variant open) saves of both variants and families, those that exist
 *   DECIDE    the variant
 *   SAVE  <-. (no account) what this family's tables hold
 *   PLAN    | what to write; nothing: no program at all
 *   LOAD ---' the steps; if a stale chain is refused: with a fresh save, then without deletions
 *   ...       SAVE to LOAD for IPv6
 *   TIDY      our rules in the other variant go, now that the new ones are in
 *   DONE
 *
 * A family that fails loses its account, so that its next sync looks at the kernel; the other goes
 * on.
 */
enum stage {
	STAGE_PREPARE,
	STAGE_SURVEY,
	STAGE_DECIDE,
	STAGE_SAVE,
	STAGE_PLAN,
	STAGE_LOAD,
	STAGE_TIDY,
	STAGE_DONE,
};

enum attempt { ATTEMPT_FIRST, ATTEMPT_FRESH, ATTEMPT_KEEP_STALE };

struct iptables_run {
	struct iptables_mode *backend;
	struct view view; /* references */
	bool full;
	backend_done_t done;
	void *userdata;
	uint64_t started;
	sd_event_source *start; /* leaves the caller's stack before anything is done */
	struct helper *helper;

	enum stage stage;
	bool survey; /* the variant is open */
	bool tidy_failed;
	enum iptables_variant variant; /* SURVEY: whose turn it is */
	enum addr_family family;       /* whose turn it is */
	bool usable[_ADDR_FAMILY_MAX];
	struct ruleset *wanted[_ADDR_FAMILY_MAX];
	struct iptables_seen seen[_VARIANT_MAX][_ADDR_FAMILY_MAX];
	bool have_seen[_VARIANT_MAX][_ADDR_FAMILY_MAX];

	enum attempt attempt;
	struct iptables_plan plan;
	struct cleanup_plan tidy;
	size_t step; /* of plan or tidy */

	struct sync_result result;
	char *message; /* first failure */
};

/*
 * Starts a sync: one that decides on the variant when that is open. done is called with the run's
 * result; the run is gone by then. -ENOMEM.
 */
int iptables_run_start(struct iptables_mode *b, const struct view *view, bool full,
		       backend_done_t done, void *userdata);
/* Stops waiting; a program that runs is left to finish. Takes NULL. */
struct iptables_run *iptables_run_free(struct iptables_run *run);

/* Carries on; the run may be gone afterwards. For the handlers of programs that ended. */
void iptables_run_advance(struct iptables_run *run);
/* The family whose turn it is lost its account; the next one follows. Takes text, which may be
 * NULL. */
void iptables_run_family_failed(struct iptables_run *run, int error, char *text);
/* The same for a program that failed. A host without IPv6 tables is no failure but a warning (C47).
 */
void iptables_run_program_failed(struct iptables_run *run, const char *program, int status,
				 const char *errors);
void iptables_run_next_family(struct iptables_run *run);
enum iptables_variant iptables_run_other_variant(const struct iptables_run *run);

/* The stages. True: a program runs, its handler goes on. Each sets the next stage. */
bool iptables_run_survey(struct iptables_run *run);
void iptables_run_decide(struct iptables_run *run);
bool iptables_run_save(struct iptables_run *run);
void iptables_run_plan(struct iptables_run *run);
bool iptables_run_load(struct iptables_run *run);
bool iptables_run_tidy(struct iptables_run *run);

/* Drops a reference and leaves NULL. */
static inline void ruleset_forget(struct ruleset **r)
{
	*r = ruleset_unref(*r);
}

/* Arguments of a load; the array is filled in for the program given. */
#define RESTORE_ARGV(program) ((const char *const[]){(program), "-w", "5", "--noflush", NULL})

/* "iptables-nft": how people call a variant. */
const char *iptables_variant_name(enum iptables_variant v);
const char *addr_family_name(enum addr_family f); /* "IPv4" */
