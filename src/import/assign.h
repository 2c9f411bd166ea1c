/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "import/kube.h"
#include "model/settings.h"

/* Settings that imported objects make. Nobody outside import/ includes it. */

struct assignment {
	const struct setting_row *row;
	const char *value; /* in the arena */
};

struct assignments {
	struct settings settings;      /* defaults, and what was assigned */
	struct settings_origin origin; /* where from */
	struct assignment *items;
	size_t n, allocated;
	struct arena *arena;
};

/* -ENOMEM. Free with assignments_done(). */
int assignments_init(struct assignments *a);
void assignments_done(struct assignments *a);
#define _cleanup_assignments_ _cleanup_(assignments_done)

/* Assigns a value as svcroute.conf would; of a list: adds one item. What the setting refuses is
 * told about the node, and the assignment left out. The setting must exist. -ENOMEM is sticky in o.
 */
void assign(struct assignments *a, struct kube_object *o, const struct node *n, const char *section,
	    const char *key, const char *value);

/* The settings as a file: sections and keys in the order of the table, several values of a list on
 * few lines. */
void assignments_print(const struct assignments *a, struct strbuf *out);
