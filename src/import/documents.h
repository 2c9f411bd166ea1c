/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

#include "base/cleanup.h"
#include "model/diag.h"
#include "model/node.h"

/* Largest text that is imported. */
#define IMPORT_FILE_MAX (64u << 20)
/* Deepest nesting that is read; objects that we know need a dozen. */
#define IMPORT_DEPTH_MAX 100
/* Values in one text, aliases included. */
#define IMPORT_NODES_MAX 4000000
/* Values that the aliases of one text may add: ten aliases of ten aliases of ... end here. */
#define IMPORT_ALIAS_NODES_MAX 100000

/* The documents of one or several texts, in the order read. Initialise with {0}. */
struct documents {
	struct node_tree **trees;
	size_t n, allocated;
};
void documents_done(struct documents *d);
#define _cleanup_documents_ _cleanup_(documents_done)

/* Adds a tree, which is then owned by d. -ENOMEM: the tree stays with the caller. */
int documents_add(struct documents *d, struct node_tree *tree);
/* Moves all of src to the end of dst. -ENOMEM: neither changed. */
int documents_move(struct documents *dst, struct documents *src);

/*
 * Reads a text that is YAML (many documents) or JSON (one or several values in a row), and adds one
 * tree a document to ret; empty documents are left out. A text that looks like JSON ('{' or '['
 * followed by a quote or another bracket) must be valid JSON. Duplicate keys, NUL bytes, invalid
 * UTF-8, nesting deeper than IMPORT_DEPTH_MAX and aliases that blow up are refused. One syntax
 * error a text: the libraries stop there. data is not needed afterwards, file_name is copied.
 * -EBADMSG with diagnostics, -ENOMEM; ret is untouched on failure.
 */
int documents_parse(const char *data, size_t size, const char *file_name, struct documents *ret,
		    struct diags *d);
