/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "model/checks.h"

/*
 * The tree that every reader of services and endpoints makes: libconfig files become one, and
 * Kubernetes objects are translated into one of the same shape (product sheet section 1: keys of a
 * service, of an endpoint). So there is one set of checks, and one writer, for all formats.
 *
 * Nodes live in an arena. A node knows its parent and its origin: the node of another tree that it
 * was translated from, whose path and place are used in messages.
 */

enum node_type {
	NODE_NULL, /* Kubernetes' null */
	NODE_BOOL,
	NODE_INT,
	NODE_FLOAT,
	NODE_STRING,
	NODE_LIST,
	NODE_GROUP, /* keys and values, in the order written; a key occurs once */
	_NODE_TYPE_MAX,
};

/* "a number", "a string", ...: for "must be a string, not a number" */
const char *node_type_text(enum node_type type);

struct node {
	enum node_type type;
	unsigned index;	 /* position among the children of parent */
	const char *key; /* in a group; NULL in a list */
	struct node *parent;
	const struct node *origin; /* NULL: the node itself */
	struct node *first, *last, *next;
	unsigned n_children;
	int line, column; /* 0: ask the tree's locator */
	unsigned ordinal; /* nth value of the file in the order written, for the locator */
	union {
		bool boolean;
		int64_t integer;
		double number;
		const char *string;
	} value;
};

/* A tree: one file, or one document of it. */
struct node_tree {
	struct arena *arena;
	const char *file; /* for messages; lives in the arena */
	struct node *root;
	unsigned n_ordinals;
	/* Fills line and column of a node that has none; set by readers whose library gives no
	 * columns. */
	void (*locate)(struct node_tree *tree, const struct node *node, struct place *at);
	int error; /* sticky -ENOMEM: a place was not found, so what was read must be refused */
	void *locate_data; /* the reader's, lives in the arena or outlives the tree */
};

/* A tree without a root; file_name is copied. */
int node_tree_new(const char *file_name, struct node_tree **ret);
struct node_tree *node_tree_free(struct node_tree *t);
DEFINE_CLEANUP(struct node_tree, node_tree_free);

/* Makes a child of parent (NULL: the root) with the next ordinal. Keys and strings are not copied:
 * they must live in the arena or be literals. NULL when out of memory. */
struct node *node_add(struct node_tree *tree, struct node *parent, enum node_type type,
		      const char *key);
struct node *node_add_string(struct node_tree *tree, struct node *parent, const char *key,
			     const char *text);
struct node *node_add_int(struct node_tree *tree, struct node *parent, const char *key,
			  int64_t value);
struct node *node_add_bool(struct node_tree *tree, struct node *parent, const char *key,
			   bool value);

/* The child with this key, or NULL. */
struct node *node_get(const struct node *group, const char *key);

/* "services[0].ports[1].nodePort"; of the origin when there is one, "" for the root. Keys that are
 * no identifiers stand in brackets: "metadata.annotations[a.b/c]". */
void node_path(const struct node *n, struct strbuf *out);
/* The value as text for a message: numbers in decimal, strings as they are, lists and groups as "".
 */
void node_value_text(const struct node *n, struct strbuf *out);
/* Place of the node or of its origin; of the nearest node around it when it has none. The locator
 * is asked for what the node lacks. */
void node_place(struct node_tree *tree, const struct node *n, struct place *ret);

/* A message about a node: place, path and value are taken from it. hint may be NULL. */
void node_diag(struct diags *d, struct node_tree *tree, const struct node *n,
	       enum diag_severity severity, const char *object, const char *hint,
	       const char *reason_format, ...) _printf_(7, 8);
/* The same of a row of the table of checks. */
void node_tell_texts(struct diags *d, struct node_tree *tree, const struct node *n,
		     enum check check, const char *object, const char *const *texts,
		     size_t n_texts);
