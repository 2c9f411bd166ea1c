/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/chains.h"
#include "model/claims.h"
#include "model/index.h"

/*
 * Between index.c, which knows what changed and builds it, index-clash.c, which tells what cannot
 * be in force, and index-problems.c, which tells what is odd about what is.
 *
 * A slot is all that is known of one service key: the definitions and groups that files state, and
 * the service built from them. A claim is one thing that only one service may own. A claim with two
 * owners is contested, and no world is made while one is.
 *
 * The settings claim the ports that the daemon itself listens on (X10). They win against every
 * service: index_check_settings() has looked beforehand whether new ones are in the way of what is
 * in force, so that a change of the settings never takes a service away.
 */

struct def_ref {
	const char *file;
	const struct service_def *def;
};

struct group_ref {
	const char *file;
	unsigned position; /* in the file */
	struct endpoint_group *group;
};

struct slot {
	char *key;
	struct def_ref *defs; /* by file; more than one is a clash */
	size_t n_defs, defs_allocated;
	struct group_ref *groups; /* by file, then position */
	size_t n_groups, groups_allocated;
	struct service *built; /* NULL: no definition */
	/* The definition whose claims are in the map; borrowed. */
	const struct service_def *claimed;
	struct claimant claimant;
	struct diags problems;
	uint64_t detached; /* the detach() that was here last */
	bool dirty;	   /* on the index's list: not yet part of a world */
	bool stale;	   /* dirty, and not yet built from what it holds now */
	bool chained;	   /* an endpoint is, or was, an address of another service */
};

struct index_file {
	struct objects objects; /* the arrays and what they hold are borrowed */
};

/* What of the settings claims ports. */
enum settings_port {
	SETTINGS_HEALTHZ,
	SETTINGS_METRICS,
	_SETTINGS_PORT_MAX,
};

struct index {
	struct map *files; /* struct index_file */
	struct map *slots; /* struct slot */
	struct claims claims;
	struct claimant settings_claimant;
	uint16_t settings_ports[_SETTINGS_PORT_MAX]; /* as claimed; 0: none */
	struct chains chains;
	struct slot **dirty;
	size_t n_dirty, dirty_allocated;
	size_t n_problems;   /* slots with messages */
	size_t n_chained;    /* slots that are */
	uint64_t n_detached; /* calls of detach() */
	struct world *world; /* the last one made */
};

/* Of the settings, NULL; of a service, its slot. */
static inline const struct slot *slot_of(const struct owner *o)
{
	return o->claimant->who;
}

/* The order in which files are read, and services within a file. Both have a definition. */
bool slot_read_before(const struct slot *a, const struct slot *b);
/* Of the owners of a claim the one that is read first; the settings come before all services. */
const struct owner *claim_first_owner(const struct claim *claim);
/* Where the value stands by which a service owns the claim; not of the settings. */
void owner_place(const struct owner *o, struct place *ret);
/* How a message names it: "services[1].ports[0].nodePort". Returns the buffer. */
const char *owner_field(const struct owner *o, char buf[SERVICE_VALUE_MAX]);
/* The same within the service, and its place as "FILE:LINE:COLUMN", for a message about another
 * one. The texts are in the buffers. */
const char *owner_text(const struct owner *o, char buf[SERVICE_VALUE_MAX]);
const char *owner_place_text(const struct owner *o, struct strbuf *b);

/* The caller fills *ret_diags, which is valid until the next clash is added. -ENOMEM. */
int index_add_clash(struct index_clashes *c, const char *file_a, const char *file_b,
		    struct diags **ret_diags);
/* Each definition of the slot but the first clashes with the first. -ENOMEM. */
int index_clash_twice(struct index_clashes *c, const struct slot *s);
/* Adds a clash for each owner of the contested claims but the first. -ENOMEM. */
int index_clash_claims(const struct index *x, struct index_clashes *c);
/* Claims the ports of the settings. -ENOMEM. */
int index_claim_settings(struct index *x, const struct settings *s);

/* The slots on the index's list have been built: which slots have endpoints that are addresses of
 * other services now. */
void index_find_chains(struct index *x);
