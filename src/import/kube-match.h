/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/documents.h"
#include "import/kube.h"

/*
 * kube-proxy goes by what slices say; our own reader also does the work of the controllers that
 * write slices (spec/model.md sections 2.3, 2.4, 2.7). Keys of an imported service that would
 * change what its imported endpoints say are taken out of its tree, with a warning.
 */
void kube_match(struct kube_object *o, struct node_tree *own, const struct documents *groups);
