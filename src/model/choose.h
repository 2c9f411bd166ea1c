/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/service.h"

/*
 * Which endpoints a service port uses on this host: spec/model.md section 3 and its decision table.
 * Pure. node is our node name, zone ours ("" when unknown).
 */
struct choice {
	/* Indices into the endpoint list, ascending. Owned. */
	unsigned *cluster, *local, *reachable;
	size_t n_cluster, n_local, n_reachable;
	bool any; /* HAS: at least one endpoint anywhere is ready, or serving and terminating */
};
void choice_done(struct choice *c);
#define _cleanup_choice_ _cleanup_(choice_done)

int choose_endpoints(const struct endpoint_list *list, bool uses_cluster, bool uses_local,
		     const char *node, const char *zone, struct choice *ret);

/* node is non-empty and byte-equal to ours. */
bool endpoint_is_local(const struct endpoint *e, const char *node);
