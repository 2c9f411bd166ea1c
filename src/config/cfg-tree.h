/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/node.h"

/*
 * The side of the reader that talks to libconfig, for cfg.c. A long text is given to the library
 * piece by piece, cut between the entries of lists of the root, such as "services": the library
 * takes some ten times the size of a text in many small blocks, and so only ever for one piece.
 */
#ifndef CFG_PIECE_SIZE /* a fuzzer wants small ones */
#define CFG_PIECE_SIZE (64u << 10)
#endif

/* An entry in front of which the text may be cut. Offsets of first bytes. */
struct cfg_cut {
	size_t entry;
	size_t key, open; /* of the list: its key and its '(' */
};

struct cfg_cuts {
	const char *data; /* the text; set by the caller */
	struct cfg_cut *items;
	size_t n, allocated;
	struct cfg_cut
		current; /* the setting of the root that is being scanned, and the last cut */
	bool is_list;
};
void cfg_cuts_done(struct cfg_cuts *c);

/* A scan_value_fn; userdata is struct cfg_cuts. */
int cfg_note_cut(void *userdata, unsigned depth, size_t key, size_t value);

/* Fills a tree without a root from a text that scan_text() has passed, with these cuts. A number
 * that is too large for a double is an error here. -EBADMSG with a diagnostic, -ENOMEM. */
int cfg_fill_tree(const char *data, size_t size, const struct cfg_cuts *cuts,
		  struct node_tree *tree, struct diags *d);
