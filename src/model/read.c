/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/read.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/reader.h"

void objects_done(struct objects *o)
{
	for (size_t i = 0; i < o->n_services; i++)
		service_def_free(o->services[i]);
	for (size_t i = 0; i < o->n_groups; i++)
		endpoint_group_free(o->groups[i]);
	free(o->services);
	free(o->groups);
	*o = (struct objects){0};
}

/* The list of the file, or NULL when there is none. */
static const struct node *find_list(struct reader *r, enum objects_kind kind)
{
	bool is_services = kind == OBJECTS_SERVICES;
	const struct key_row row = {.key = is_services ? "services" : "endpoints"};
	const char *other = is_services ? "endpoints" : "services";
	const struct node *root = r->tree->root, *list = NULL;

	if (!root || !reader_want(r, root, NODE_GROUP))
		return NULL;
	for (const struct node *n = root->first; n; n = n->next) {
		if (streq(n->key, row.key))
			list = n;
		else if (streq(n->key, other))
			reader_tell(r, n, is_services ? CHECK_F5_ENDPOINTS : CHECK_F5_SERVICES);
		else
			reader_unknown_key(r, n, &row, 1);
	}
	return list && reader_want(r, list, NODE_LIST) ? list : NULL;
}

/* Reads the list into found, which the caller throws away after an error. */
static void read_list(struct reader *r, enum objects_kind kind, const struct node *list,
		      struct objects *found)
{
	if (kind == OBJECTS_SERVICES)
		found->services = reader_alloc(r, list->n_children, sizeof(*found->services));
	else
		found->groups = reader_alloc(r, list->n_children, sizeof(*found->groups));
	if (r->error < 0)
		return;
	/* The counts are those of what is owned, so a slot is filled before the next one counts. */
	for (const struct node *n = list->first; n; n = n->next) {
		if (kind == OBJECTS_SERVICES) {
			read_service(r, n, &found->services[found->n_services]);
			found->n_services += found->services[found->n_services] != NULL;
		} else {
			read_group(r, n, &found->groups[found->n_groups]);
			found->n_groups += found->groups[found->n_groups] != NULL;
		}
	}
}

int objects_read(struct node_tree *tree, enum objects_kind kind, const struct settings *settings,
		 const char *file_name, struct objects *ret, struct diags *d)
{
	struct reader r = {.tree = tree, .settings = settings, .file_name = file_name, .diags = d};
	_cleanup_objects_ struct objects found = {0};
	size_t before = d->n_errors;
	const struct node *list;
	int result;

	list = find_list(&r, kind);
	if (list)
		read_list(&r, kind, list, &found);
	result = reader_result(&r, before);
	if (result < 0)
		return result;

	result = array_reserve(&ret->services, &ret->services_allocated,
			       ret->n_services + found.n_services);
	if (result < 0)
		return result;
	result = array_reserve(&ret->groups, &ret->groups_allocated,
			       ret->n_groups + found.n_groups);
	if (result < 0)
		return result;
	for (size_t i = 0; i < found.n_services; i++)
		ret->services[ret->n_services++] = found.services[i];
	for (size_t i = 0; i < found.n_groups; i++)
		ret->groups[ret->n_groups++] = found.groups[i];
	found.n_services = found.n_groups = 0;
	return 0;
}
