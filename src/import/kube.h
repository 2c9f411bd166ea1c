/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "model/diag.h"
#include "model/node.h"

/*
 * What the translators of Kubernetes objects (kube-*.c) share; nobody outside import/ includes it.
 *
 * A translator tells a mistake and goes on. It makes a tree with our own keys, whose nodes have the
 * Kubernetes nodes as origin, and leaves to our own reader whatever that one checks; its messages
 * then carry Kubernetes' paths.
 */

enum kube_kind {
	KUBE_SERVICE,
	KUBE_ENDPOINT_SLICE,
	KUBE_ENDPOINTS,
	KUBE_NODE,
	KUBE_PROXY_CONFIGURATION,
	KUBE_SERVICE_CIDR,
	_KUBE_KIND_MAX,
};

/* One object. Texts live in the tree that it was read from, which outlives it; key is owned. */
struct kube_object {
	enum kube_kind kind;
	struct node_tree *tree;
	struct node *root;
	const char *name, *namespace; /* "" when missing */
	char *key; /* "namespace/name", "name" of what has no namespace; for messages and look-ups
		    */
	struct diags *d;
	int error; /* sticky -ENOMEM */
};

/* A message about a node of the object. hint may be NULL. */
#define kube_error(o, n, hint, ...) \
	node_diag((o)->d, (o)->tree, (n), DIAG_ERROR, (o)->key, (hint), __VA_ARGS__)
#define kube_warning(o, n, hint, ...) \
	node_diag((o)->d, (o)->tree, (n), DIAG_WARNING, (o)->key, (hint), __VA_ARGS__)
#define kube_notice(o, n, hint, ...) \
	node_diag((o)->d, (o)->tree, (n), DIAG_NOTICE, (o)->key, (hint), __VA_ARGS__)

/* The value of a key, NULL when it is missing or null, or when group is NULL or no group. */
struct node *kube_get(const struct node *group, const char *key);

/* The same, but a value of another type is an error and gives NULL. */
struct node *kube_typed(struct kube_object *o, const struct node *group, const char *key,
			enum node_type type);
/* A text; "" when it is missing (or an error was told). */
const char *kube_text(struct kube_object *o, const struct node *group, const char *key);

/*
 * A node that stands for a missing value, so that messages have its path and the place of parent.
 * It is not among the children of parent. A list's missing item has key NULL and index 0. NULL
 * after -ENOMEM (sticky).
 */
struct node *kube_missing(struct kube_object *o, struct node *parent, enum node_type type,
			  const char *key);

/* Tells keys that are not in the table, with a suggestion. group may be NULL; another type is an
 * error. */
void kube_fields(struct kube_object *o, const struct node *group, enum diag_severity severity,
		 const char *const *known, size_t n_known);

/* Checks the fields of metadata. */
void kube_metadata(struct kube_object *o);
/* Checks metadata.name against Y2 and metadata.namespace against Y1 (spec/model.md section 1.1). */
void kube_names(struct kube_object *o, bool namespaced);
/* The value of a label or annotation, NULL when there is none. map: "labels", "annotations". */
struct node *kube_label(const struct kube_object *o, const char *map, const char *key);
/* Checks Y6: "prefix/name" or "name". */
void kube_qualified_name(struct kube_object *o, const struct node *n);

/*
 * The tree being made. The arena of the object's own tree serves: it holds the texts, too. All of
 * them return NULL, and do nothing with a NULL parent, once out of memory (sticky in o).
 */
struct node *kube_add(struct kube_object *o, struct node_tree *own, struct node *parent,
		      const char *key, enum node_type type, const struct node *origin);
struct node *kube_add_text(struct kube_object *o, struct node_tree *own, struct node *parent,
			   const char *key, const char *text, const struct node *origin);
struct node *kube_add_bool(struct kube_object *o, struct node_tree *own, struct node *parent,
			   const char *key, bool value, const struct node *origin);
/* A copy of a scalar, or of a list or group with all it holds; nothing for NULL. */
struct node *kube_add_copy(struct kube_object *o, struct node_tree *own, struct node *parent,
			   const char *key, const struct node *from);

/* Moves what src holds to dst, errors about a field that from on first_error already had one in dst
 * left out. */
int kube_merge_diags(struct diags *dst, size_t first, struct diags *src);
