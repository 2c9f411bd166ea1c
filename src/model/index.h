/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/read.h"
#include "model/world.h"

/*
 * From the objects of many files to one world, at the cost of what changed: keeps which file states
 * which service and which endpoint groups, builds struct service anew only for the keys that a change
 * touched, and knows every claim (address, port, protocol; node port; health-check port), so that clashes are
 * found without looking at everything (spec/model.md section 5).
 */
struct index;

int index_new(struct index **ret);
struct index *index_free(struct index *x);
DEFINE_CLEANUP(struct index, index_free);

/* An object file as the index sees it. order: position in reading order, compared as text. The objects are
 * borrowed: they must stay until the file is taken out. */
int index_put_file(struct index *x, const char *order, const struct objects *objects);
/* Takes a file's objects out. Unknown names are fine. */
void index_remove_file(struct index *x, const char *order);

/* A clash found by index_update(): two files claim one thing. */
struct index_clash {
	const char *files[2]; /* order texts; equal when both are in one file */
};
struct index_clashes {
	struct index_clash *items;
	size_t n, allocated;
};
void index_clashes_done(struct index_clashes *c);

/*
 * Builds the services touched since the last call, with all their messages in d, and finds clashes among
 * the claims that were touched. When there are none (ret_clashes->n == 0) *ret_world is the new world, which
 * shares every unchanged service with the previous one. With clashes no world is made: take files out
 * (or put their last good content in) and call again. resolve: settle clashes by dropping the later claimant
 * of two (by service key; cold start) instead of reporting them.
 */
int index_update(struct index *x, struct shared_settings *settings, bool resolve, struct diags *d,
		 struct index_clashes *ret_clashes, struct world **ret_world);
