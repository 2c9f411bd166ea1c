/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "backend/backend.h"
#include "backend/helper.h"
#include "backend/ipvs-work.h"

/* Inside of ipvs mode: the backend's memory between syncs, and one sync while it runs. */

struct ipvs_mode {
	struct backend backend; /* first: the two pointers are the same */
	sd_event *event;
	struct ipvs_memory memory;
	bool loaded; /* owned was read from there */
	struct ipvs_owned owned;
	bool has_saved;
	uint8_t saved_hash[32];

	bool decided; /* variant is what the setting and the host said */
	enum iptables_backend setting;
	enum iptables_variant variant;
	struct shared_settings *settings;	       /* of the last sync */
	struct local_addrs *addrs;		       /* so, too */
	struct ipvs_state *compiled[_ADDR_FAMILY_MAX]; /* the last, to share fragments with */
	struct ipvs_state *in_force[_ADDR_FAMILY_MAX]; /* by our account; NULL: not known */
	bool ipv6_missing;			       /* tried again by a full sync */
	bool served[_ADDR_FAMILY_MAX];
	char **warnings; /* of the last full sync */
	size_t n_warnings;
	const char **warning_list;

	/* Virtual servers with real servers that drain, looked at each minute. */
	struct ipvs_key *draining;
	size_t n_draining, draining_allocated;
	sd_event_source *drain_timer;
	struct helper *drain; /* a copy that looks; NULL: none runs */

	struct ipvs_run *run; /* NULL: no sync runs */
};

/*
 * One sync: the wanted state is compiled, then a copy of this process reads the kernel, compares
 * and changes it (or, when little changed and nothing has to be loaded, this process does), and
 * what it reports becomes the account.
 */
struct ipvs_run {
	struct ipvs_mode *backend;
	struct view view; /* references */
	bool full;
	backend_done_t done;
	void *userdata;
	uint64_t started;
	sd_event_source *start; /* leaves the caller's stack before anything is done */
	struct helper *helper;
	struct ipvs_task task; /* states are references */
	struct sync_result result;
};
int ipvs_run_start(struct ipvs_mode *b, const struct view *view, bool full, backend_done_t done,
		   void *userdata);
/* Stops waiting; a copy that works is left to finish. Takes NULL. */
struct ipvs_run *ipvs_run_free(struct ipvs_run *run);
/* For a sync that waited until nobody else worked on the kernel. */
void ipvs_run_begin(struct ipvs_run *run);

/* Real servers that drain: the timer, and what an outcome tells. all: it tells of every one. */
void ipvs_drains_update(struct ipvs_mode *b, const struct ipvs_outcome *o, bool all);
void ipvs_drains_done(struct ipvs_mode *b);

/* The count of backend_ops: ipvs-count.c. */
int ipvs_count(const struct backend *backend, const char *service, bool endpoints,
	       struct counts *ret);
