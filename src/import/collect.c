/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/collect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"

/* Its objects are for another proxy, whatever its value (P3). */
#define OTHER_PROXY_LABEL "service.kubernetes.io/service-proxy-name"
/* No slices are made of Endpoints that have one of these. */
#define NO_MIRROR_LABEL "endpointslice.kubernetes.io/skip-mirror"
#define LEADER_ANNOTATION "control-plane.alpha.kubernetes.io/leader"

/* "group/version"; no group, no slash */
static const struct kind {
	enum kube_kind kind;
	const char *name, *group;
	const char *versions[3];
	bool namespaced;
} kinds[] = {
	{KUBE_SERVICE, "Service", "", {"v1"}, true},
	{KUBE_ENDPOINT_SLICE, "EndpointSlice", "discovery.k8s.io", {"v1"}, true},
	{KUBE_ENDPOINTS, "Endpoints", "", {"v1"}, true},
	{KUBE_NODE, "Node", "", {"v1"}, false},
	{KUBE_PROXY_CONFIGURATION,
	 "KubeProxyConfiguration",
	 "kubeproxy.config.k8s.io",
	 {"v1alpha1"},
	 false},
	{KUBE_SERVICE_CIDR,
	 "ServiceCIDR",
	 "networking.k8s.io",
	 {"v1", "v1beta1", "v1alpha1"},
	 false},
};

static struct kube_object *kube_object_free(struct kube_object *o)
{
	if (!o)
		return NULL;
	free(o->key);
	free(o);
	return NULL;
}
DEFINE_CLEANUP(struct kube_object, kube_object_free);

void collection_done(struct collection *c)
{
	for (int kind = 0; kind < _KUBE_KIND_MAX; kind++) {
		struct kube_list *l = &c->kinds[kind];

		for (size_t i = 0; i < l->n; i++)
			kube_object_free(l->items[i]);
		free(l->items);
	}
	map_free(c->by_name);
	*c = (struct collection){0};
}

/* Kind and version of an object; those of a list are used where its items have none. */
struct type {
	const char *kind, *api_version;
	const struct node *kind_node, *api_version_node;
};

/* False after an error. */
static bool read_type(struct kube_object *o, struct type *type)
{
	size_t n_errors = o->d->n_errors;
	const struct node *kind, *version;

	if (o->root->type != NODE_GROUP) {
		kube_error(o, o->root, NULL, "must be a Kubernetes object, not %s",
			   node_type_text(o->root->type));
		return false;
	}
	kind = kube_typed(o, o->root, "kind", NODE_STRING);
	version = kube_typed(o, o->root, "apiVersion", NODE_STRING);
	if (o->d->n_errors > n_errors)
		return false;
	if (kind && *kind->value.string) {
		type->kind = kind->value.string;
		type->kind_node = kind;
	}
	if (version && *version->value.string) {
		type->api_version = version->value.string;
		type->api_version_node = version;
	}
	if (!type->kind || !type->api_version) {
		const struct node *n = kube_missing(o, o->root, NODE_STRING,
						    type->kind ? "apiVersion" : "kind");

		if (n)
			kube_error(o, n, NULL, "must be given: is this a Kubernetes object?");
		return false;
	}
	return true;
}

/* The kind of an object, NULL when it is none of ours (which is told). */
static const struct kind *find_kind(struct kube_object *o, const struct type *type)
{
	const char *slash = strchr(type->api_version, '/');
	const char *version = slash ? slash + 1 : type->api_version;
	size_t n_group = slash ? (size_t)(slash - type->api_version) : 0;

	for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
		const struct kind *k = &kinds[i];

		if (!streq(k->name, type->kind) || strlen(k->group) != n_group ||
		    memcmp(k->group, type->api_version, n_group) != 0)
			continue;
		for (size_t v = 0; v < ELEMENTSOF(k->versions) && k->versions[v]; v++) {
			if (streq(k->versions[v], version))
				return k;
		}
		kube_warning(o, type->api_version_node ? type->api_version_node : o->root, NULL,
			     "%s of this version is not read, ignored", k->name);
		return NULL;
	}
	kube_notice(o, type->kind_node ? type->kind_node : o->root, NULL,
		    "objects of this kind are ignored");
	return NULL;
}

static int name_object(struct kube_object *o, bool namespaced)
{
	const struct node *metadata = kube_typed(o, o->root, "metadata", NODE_GROUP);
	int r;

	o->name = kube_text(o, metadata, "name");
	o->namespace = namespaced ? kube_text(o, metadata, "namespace") : "";
	if (namespaced && !*o->namespace)
		o->namespace = "default";
	r = namespaced ? asprintf(&o->key, "%s/%s", o->namespace, o->name)
		       : asprintf(&o->key, "%s", o->name);
	if (r < 0) {
		o->key = NULL;
		return -ENOMEM;
	}
	return o->error;
}

static bool is_for_us(struct kube_object *o)
{
	const struct node *other = kube_label(o, "labels", OTHER_PROXY_LABEL), *n = NULL;
	bool for_services = o->kind == KUBE_SERVICE || o->kind == KUBE_ENDPOINT_SLICE ||
			    o->kind == KUBE_ENDPOINTS;

	if (other && for_services) {
		kube_notice(o, other, NULL, "is for another proxy, ignored");
		return false;
	}
	if (o->kind != KUBE_ENDPOINTS)
		return true;
	n = kube_label(o, "labels", NO_MIRROR_LABEL);
	if (n && (n->type != NODE_STRING || !streq(n->value.string, "true")))
		n = NULL;
	if (!n)
		n = kube_label(o, "annotations", LEADER_ANNOTATION);
	if (n)
		kube_notice(o, n, NULL, "Endpoints with this are not seen by kube-proxy, ignored");
	return !n;
}

/* False after an error: the object was given before. */
static int note_name(struct collection *c, struct kube_object *o, bool *ret_new)
{
	_cleanup_strbuf_ struct strbuf key = {0};
	const struct kube_object *before;
	int r;

	*ret_new = true;
	if (!*o->name)
		return 0;
	if (!c->by_name) {
		r = map_new(&c->by_name);
		if (r < 0)
			return r;
	}
	strbuf_addf(&key, "%d %s", (int)o->kind, o->key);
	if (strbuf_error(&key) < 0)
		return -ENOMEM;
	before = map_get(c->by_name, strbuf_text(&key));
	if (before) {
		struct place at;

		node_place(before->tree, before->root, &at);
		kube_error(o, kube_get(kube_get(o->root, "metadata"), "name"), NULL,
			   "was given before, at %s:%d", at.file, at.line);
		*ret_new = false;
		return 0;
	}
	return map_put(c->by_name, strbuf_text(&key), o);
}

static int add_object(struct kube_object *found, const struct type *type, struct collection *c)
{
	const struct kind *kind = find_kind(found, type);
	_cleanup_(kube_object_freep) struct kube_object *o = NULL;
	struct kube_list *list;
	bool is_new;
	int r;

	if (!kind)
		return 0;
	o = malloc(sizeof(*o));
	if (!o)
		return -ENOMEM;
	*o = *found;
	o->kind = kind->kind;
	r = name_object(o, kind->namespaced);
	if (r < 0)
		return r;
	if (!is_for_us(o))
		return 0;
	r = note_name(c, o, &is_new);
	if (r < 0 || !is_new)
		return r;
	list = &c->kinds[kind->kind];
	r = array_reserve(&list->items, &list->allocated, list->n + 1);
	if (r < 0)
		return r;
	list->items[list->n++] = TAKE_PTR(o);
	return 0;
}

static int collect_node(struct node_tree *tree, struct node *root, struct type type,
			struct collection *c, struct diags *d);

/* The items become roots, so that paths start at them. */
static int collect_items(struct node_tree *tree, struct node *items, struct type type,
			 struct collection *c, struct diags *d)
{
	_cleanup_free_ char *item_kind = NULL;
	size_t n = strlen(type.kind) - strlen("List");

	/* "ServiceList": the items of an API server's answer do not say what they are. */
	item_kind = strndup(type.kind, n);
	if (!item_kind)
		return -ENOMEM;
	type.kind = n > 0 ? item_kind : NULL;
	if (n == 0)
		type.api_version = NULL;
	type.kind_node = type.api_version_node = NULL;
	for (struct node *item = items->first; item; item = item->next) {
		int r;

		item->parent = NULL;
		r = collect_node(tree, item, type, c, d);
		if (r < 0)
			return r;
	}
	return 0;
}

static int collect_node(struct node_tree *tree, struct node *root, struct type type,
			struct collection *c, struct diags *d)
{
	struct kube_object found = {
		.tree = tree, .root = root, .name = "", .namespace = "", .d = d};
	size_t n;

	if (!read_type(&found, &type))
		return found.error;
	n = strlen(type.kind);
	if (n >= 4 && streq(type.kind + n - 4, "List")) {
		struct node *items = kube_typed(&found, root, "items", NODE_LIST);

		if (items)
			return collect_items(tree, items, type, c, d);
		if (kube_get(root, "items"))
			return 0;
		if (streq(type.kind, "List"))
			return 0; /* an empty one */
	}
	return add_object(&found, &type, c);
}

int collect(struct node_tree *tree, struct collection *c, struct diags *d)
{
	return collect_node(tree, tree->root, (struct type){0}, c, d);
}
