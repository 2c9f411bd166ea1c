/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/kube.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct node *kube_get(const struct node *group, const char *key)
{
	struct node *n = group ? node_get(group, key) : NULL;

	return n && n->type != NODE_NULL ? n : NULL;
}

struct node *kube_typed(struct kube_object *o, const struct node *group, const char *key,
			enum node_type type)
{
	struct node *n = kube_get(group, key);

	if (!n || n->type == type)
		return n;
	kube_error(o, n, type == NODE_STRING ? "put it in quotes" : NULL, "must be %s, not %s",
		   node_type_text(type), node_type_text(n->type));
	return NULL;
}

const char *kube_text(struct kube_object *o, const struct node *group, const char *key)
{
	const struct node *n = kube_typed(o, group, key, NODE_STRING);

	return n ? n->value.string : "";
}

struct node *kube_missing(struct kube_object *o, struct node *parent, enum node_type type,
			  const char *key)
{
	struct node *n = arena_alloc(o->tree->arena, sizeof(*n));

	if (!n) {
		o->error = -ENOMEM;
		return NULL;
	}
	n->type = type;
	n->key = key;
	n->parent = parent;
	n->line = parent ? parent->line : 0;
	n->column = parent ? parent->column : 0;
	if (type == NODE_STRING)
		n->value.string = "";
	return n;
}

void kube_fields(struct kube_object *o, const struct node *group, enum diag_severity severity,
		 const char *const *known, size_t n_known)
{
	if (!group)
		return;
	if (group->type != NODE_GROUP) {
		kube_error(o, group, NULL, "must be %s, not %s", node_type_text(NODE_GROUP),
			   node_type_text(group->type));
		return;
	}
	for (const struct node *n = group->first; n; n = n->next) {
		char hint[100];
		const char *closest;

		if (text_index(n->key, known, n_known) >= 0)
			continue;
		closest = text_closest(n->key, known, n_known);
		if (closest)
			(void)snprintf(hint, sizeof(hint), "did you mean '%s'?", closest);
		node_diag(o->d, o->tree, n, severity, o->key, closest ? hint : NULL,
			  severity == DIAG_ERROR ? "unknown field" : "unknown field, ignored");
	}
}

void kube_metadata(struct kube_object *o)
{
	static const char *const fields[] = {
		"name",
		"generateName",
		"namespace",
		"selfLink",
		"uid",
		"resourceVersion",
		"generation",
		"creationTimestamp",
		"deletionTimestamp",
		"deletionGracePeriodSeconds",
		"labels",
		"annotations",
		"ownerReferences",
		"finalizers",
		"managedFields",
		"clusterName",
	};
	static const char *const maps[] = {"labels", "annotations"};
	struct node *metadata = kube_get(o->root, "metadata");

	kube_fields(o, metadata, DIAG_WARNING, fields, ELEMENTSOF(fields));
	for (size_t i = 0; i < ELEMENTSOF(maps); i++) {
		const struct node *map = kube_typed(o, metadata, maps[i], NODE_GROUP);

		for (const struct node *n = map ? map->first : NULL; n; n = n->next) {
			if (n->type != NODE_STRING && n->type != NODE_NULL)
				kube_error(o, n, "put it in quotes", "must be a string, not %s",
					   node_type_text(n->type));
		}
	}
}

void kube_names(struct kube_object *o, bool namespaced)
{
	struct node *metadata = kube_get(o->root, "metadata");
	struct node *name = kube_get(metadata, "name"),
		    *namespace = kube_get(metadata, "namespace");

	if (!name)
		name = kube_missing(o, metadata ? metadata : o->root, NODE_STRING, "name");
	if (name && !*o->name)
		kube_error(o, name, NULL, "must not be empty");
	else if (name && !text_is_dns_subdomain(o->name))
		kube_error(o, name, NULL,
			   "must be a DNS name: a-z, 0-9, '-' and '.', up to 253 bytes");
	if (namespaced && namespace && !text_is_dns_label(o->namespace))
		kube_error(o, namespace, NULL,
			   "must be a DNS label: a-z, 0-9 and '-', up to 63 bytes");
}

struct node *kube_label(const struct kube_object *o, const char *map, const char *key)
{
	return kube_get(kube_get(kube_get(o->root, "metadata"), map), key);
}

/* The part after the slash of Y6: like the value of a label, but not empty. */
static bool is_qualified_name(const char *text)
{
	const char *slash = strchr(text, '/');
	char prefix[254];

	if (slash) {
		size_t n = (size_t)(slash - text);

		if (n >= sizeof(prefix))
			return false;
		memcpy(prefix, text, n);
		prefix[n] = '\0';
		if (!text_is_dns_subdomain(prefix))
			return false;
		text = slash + 1;
	}
	return *text && text_is_label_value(text);
}

void kube_qualified_name(struct kube_object *o, const struct node *n)
{
	if (!n)
		return;
	if (n->type != NODE_STRING)
		kube_error(o, n, NULL, "must be a string, not %s", node_type_text(n->type));
	else if (!is_qualified_name(n->value.string))
		kube_error(o, n, NULL,
			   "must be a name, or a DNS name, '/' and a name of up to 63 letters, "
			   "digits, '-', '_', '.'");
}

struct node *kube_add(struct kube_object *o, struct node_tree *own, struct node *parent,
		      const char *key, enum node_type type, const struct node *origin)
{
	struct node *n;

	if (o->error < 0)
		return NULL;
	n = node_add(own, parent, type, key);
	if (!n) {
		o->error = -ENOMEM;
		return NULL;
	}
	n->origin = origin;
	if (type == NODE_STRING)
		n->value.string = "";
	return n;
}

struct node *kube_add_text(struct kube_object *o, struct node_tree *own, struct node *parent,
			   const char *key, const char *text, const struct node *origin)
{
	struct node *n = kube_add(o, own, parent, key, NODE_STRING, origin);

	if (n)
		n->value.string = text;
	return n;
}

struct node *kube_add_bool(struct kube_object *o, struct node_tree *own, struct node *parent,
			   const char *key, bool value, const struct node *origin)
{
	struct node *n = kube_add(o, own, parent, key, NODE_BOOL, origin);

	if (n)
		n->value.boolean = value;
	return n;
}

struct node *kube_add_copy(struct kube_object *o, struct node_tree *own, struct node *parent,
			   const char *key, const struct node *from)
{
	struct node *n = from ? kube_add(o, own, parent, key, from->type, from) : NULL;

	if (!n)
		return NULL;
	n->value = from->value;
	for (const struct node *c = from->first; c; c = c->next)
		kube_add_copy(o, own, n, c->key, c);
	return n;
}

static bool had_error(const struct diags *d, size_t first, const struct diag *error)
{
	for (size_t i = first; i < d->n; i++) {
		const struct diag *e = &d->items[i];

		if (e->severity == DIAG_ERROR && e->field && error->field &&
		    streq(e->field, error->field))
			return true;
	}
	return false;
}

int kube_merge_diags(struct diags *dst, size_t first, struct diags *src)
{
	size_t last = dst->n;

	for (size_t i = 0; i < src->n; i++) {
		const struct diag *e = &src->items[i];
		struct place at = {.file = e->file, .line = e->line, .column = e->column};

		if (e->severity == DIAG_ERROR && last > first && had_error(dst, first, e))
			continue;
		diags_add(dst, e->severity, &at, e->object, e->field, e->value, e->hint, "%s",
			  e->reason);
	}
	if (src->error < 0)
		dst->error = src->error;
	diags_done(src);
	return dst->error;
}
