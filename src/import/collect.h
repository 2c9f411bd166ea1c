/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/kube.h"

/* The objects of all documents, sorted out. Nobody outside import/ includes it. */
struct kube_list {
	struct kube_object **items;
	size_t n, allocated;
};

struct collection {
	struct kube_list kinds[_KUBE_KIND_MAX];
	struct map *by_name; /* "kind number, key" to object: none may occur twice */
};
void collection_done(struct collection *c);

/*
 * Adds the objects of a document: the one it is, or those that a list (kind List, ServiceList, ...)
 * holds. Other kinds, and what is meant for another proxy, are told and left out. Mistakes go to d.
 * -ENOMEM.
 */
int collect(struct node_tree *tree, struct collection *c, struct diags *d);
