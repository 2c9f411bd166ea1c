/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "base/addr.h"
#include "base/map.h"
#include "base/text.h"
#include "import/translate.h"
#include "model/read.h"

/* Limits of the API server: E5, E6, E10 of spec/model.md. */
#define SLICE_ENDPOINTS_MAX 1000
#define SLICE_ADDRESSES_MAX 100
#define SLICE_PORTS_MAX 20000

/* What an endpoint cannot be for the API server (S50, E7); our own reader refuses a few more. */
#define ADDR_IS_FORBIDDEN \
	(ADDR_IS_UNSPECIFIED | ADDR_IS_LOOPBACK | ADDR_IS_LINK_LOCAL | ADDR_IS_LINK_LOCAL_MULTICAST)

static const char *const family_names[_ADDR_FAMILY_MAX] = {
	[ADDR_IPV4] = "IPv4", [ADDR_IPV6] = "IPv6"};

static bool is_empty_text(const struct node *n)
{
	return n->type == NODE_STRING && !*n->value.string;
}

/* Has our own reader look at the group. With keep the tree goes to ret if nothing was wrong with
 * the object. */
static int finish_group(struct kube_object *o, struct node_tree **own,
			const struct settings *settings, size_t first, bool keep,
			struct documents *ret)
{
	_cleanup_(endpoint_group_freep) struct endpoint_group *group = NULL;
	_cleanup_diags_ struct diags read = {0};
	int r;

	if (o->error < 0)
		return o->error;
	r = endpoint_group_read(*own, (*own)->root, settings, (*own)->file, &group, &read);
	if (r < 0 && r != -EBADMSG)
		return r;
	r = kube_merge_diags(o->d, first, &read);
	if (r < 0 || !keep)
		return r;
	r = documents_add(ret, *own);
	if (r == 0)
		TAKE_PTR(*own);
	return r;
}

/* A tree with a group of a service. placeholder: the service only stands for one. */
static int new_group(struct kube_object *o, const char *service, const struct node *service_origin,
		     const struct node *origin, bool placeholder, struct node_tree **ret)
{
	_cleanup_(node_tree_freep) struct node_tree *own = NULL;
	struct node *root;
	const char *key;
	int r = node_tree_new(o->tree->file, &own);

	if (r < 0)
		return r;
	key = arena_printf(own->arena, "%s/%s", placeholder ? "x" : o->namespace, service);
	if (!key)
		return -ENOMEM;
	root = kube_add(o, own, NULL, NULL, NODE_GROUP, origin);
	kube_add_text(o, own, root, "service", key, service_origin);
	if (o->error < 0)
		return o->error;
	*ret = TAKE_PTR(own);
	return 0;
}

/* Our own files may give one name to a TCP and a UDP port, a slice must not (E11). */
static void check_port_names(struct kube_object *o, const struct node *ports)
{
	_cleanup_(map_freep) struct map *seen = NULL;

	if (map_new(&seen) < 0) {
		o->error = -ENOMEM;
		return;
	}
	for (struct node *p = ports->first; p; p = p->next) {
		struct node *name = kube_get(p, "name");
		const char *text = name && name->type == NODE_STRING ? name->value.string : "";

		if (map_get(seen, text)) {
			if (!name)
				name = kube_missing(o, p, NODE_STRING, "name");
			if (name)
				kube_error(o, name, NULL,
					   "another port of the slice has this name");
		} else if (map_put(seen, text, p) < 0) {
			o->error = -ENOMEM;
			return;
		}
	}
}

static void add_ports(struct kube_object *o, struct node_tree *own, const struct node *ports)
{
	static const char *const fields[] = {"name", "protocol", "port", "appProtocol"};
	struct node *list = kube_add(o, own, own->root, "ports", NODE_LIST, ports);

	/* An empty list, too: without one our own reader would take the targetPort of the service.
	 */
	for (struct node *p = ports ? ports->first : NULL; p; p = p->next) {
		const struct node *name = kube_get(p, "name");
		struct node *n, *port = kube_get(p, "port");

		kube_fields(o, p, DIAG_WARNING, fields, ELEMENTSOF(fields));
		if (p->type != NODE_GROUP)
			continue;
		kube_qualified_name(o, kube_get(p, "appProtocol"));
		n = kube_add(o, own, list, NULL, NODE_GROUP, p);
		if (name && !is_empty_text(name))
			kube_add_copy(o, own, n, "name", name);
		kube_add_copy(o, own, n, "protocol", kube_get(p, "protocol"));
		kube_add_copy(o, own, n, "port", port);
		if (!port) {
			port = kube_missing(o, p, NODE_GROUP, "port");
			if (port)
				kube_error(o, port, NULL,
					   "must be given: kube-proxy makes nothing of a port "
					   "that stands for all");
		}
	}
}

/* A list without a value in it is the same as none. */
static const struct node *full_list(struct kube_object *o, const struct node *group,
				    const char *key)
{
	const struct node *list = kube_typed(o, group, key, NODE_LIST);

	return list && list->first ? list : NULL;
}

static void add_hints(struct kube_object *o, struct node_tree *own, struct node *endpoint,
		      const struct node *hints)
{
	static const char *const fields[] = {"forZones", "forNodes"}, *const item_fields[] = {
									      "name"};

	kube_fields(o, hints, DIAG_WARNING, fields, ELEMENTSOF(fields));
	for (size_t i = 0; i < ELEMENTSOF(fields); i++) {
		const struct node *list = full_list(o, hints, fields[i]);
		struct node *names;

		if (!list)
			continue;
		names = kube_add(o, own, endpoint, fields[i], NODE_LIST, list);
		for (struct node *item = list->first; item; item = item->next) {
			struct node *name = kube_get(item, "name");

			kube_fields(o, item, DIAG_WARNING, item_fields, ELEMENTSOF(item_fields));
			if (!name)
				name = kube_missing(o, item, NODE_STRING, "name");
			kube_add_copy(o, own, names, NULL, name);
		}
	}
}

static void add_conditions(struct kube_object *o, struct node_tree *own, struct node *endpoint,
			   const struct node *conditions)
{
	static const char *const fields[] = {"ready", "serving", "terminating"};
	/* What kube-proxy takes a missing one for; always written, since our own defaults differ.
	 */
	static const bool defaults[] = {true, true, false};

	kube_fields(o, conditions, DIAG_WARNING, fields, ELEMENTSOF(fields));
	for (size_t i = 0; i < ELEMENTSOF(fields); i++) {
		const struct node *n = kube_get(conditions, fields[i]);

		if (n)
			kube_add_copy(o, own, endpoint, fields[i], n);
		else
			kube_add_bool(o, own, endpoint, fields[i], defaults[i], conditions);
	}
}

static void check_address(struct kube_object *o, const struct node *list, const struct node *n,
			  int family)
{
	char canonical[ADDR_TEXT_MAX];
	enum addr_reason reason;
	struct addr a;

	if (n->type != NODE_STRING) {
		kube_error(o, n, NULL, "must be a string, not %s", node_type_text(n->type));
		return;
	}
	reason = addr_parse(n->value.string, &a);
	if (reason != ADDR_OK) {
		kube_error(o, n, NULL, "%s", addr_reason_text(reason));
		return;
	}
	if (family >= 0 && a.family != family)
		kube_error(o, list, NULL, "'%s' must be an %s address, as addressType says",
			   n->value.string, family_names[family]);
	else if (family == ADDR_IPV6 && !streq(addr_format(&a, canonical), n->value.string))
		kube_error(o, n, NULL, "must be written '%s'", canonical);
	if (addr_kinds(&a) & ADDR_IS_FORBIDDEN)
		kube_error(o, n, NULL,
			   "must not be an unspecified, loopback or link-local address");
}

/* All addresses are checked, the first one is used, as kube-proxy does (E6). NULL when there is
 * none. */
static const struct node *slice_address(struct kube_object *o, struct node *endpoint, int family)
{
	struct node *list = kube_typed(o, endpoint, "addresses", NODE_LIST);

	if (!list && kube_get(endpoint, "addresses"))
		return NULL;
	if (!list || !list->first) {
		if (!list)
			list = kube_missing(o, endpoint, NODE_LIST, "addresses");
		if (list)
			kube_error(o, list, NULL, "must hold an address");
		return NULL;
	}
	if (list->n_children > SLICE_ADDRESSES_MAX) {
		kube_error(o, list, NULL, "must not be more than %d", SLICE_ADDRESSES_MAX);
		return NULL;
	}
	for (const struct node *n = list->first; n; n = n->next)
		check_address(o, list, n, family);
	if (list->first->next)
		kube_warning(o, list, NULL,
			     "kube-proxy uses the first address only, the others are ignored");
	return list->first;
}

static void add_slice_endpoint(struct kube_object *o, struct node_tree *own, struct node *list,
			       struct node *endpoint, int family)
{
	static const char *const fields[] = {
		"addresses", "conditions", "hostname", "targetRef",
		"nodeName",  "zone",	   "hints",    "deprecatedTopology",
	};
	const struct node *zone = kube_get(endpoint, "zone");
	const struct node *address;
	struct node *n;

	kube_fields(o, endpoint, DIAG_WARNING, fields, ELEMENTSOF(fields));
	if (endpoint->type != NODE_GROUP)
		return;
	address = slice_address(o, endpoint, family);
	if (!address)
		return;
	n = kube_add(o, own, list, NULL, NODE_GROUP, endpoint);
	kube_add_copy(o, own, n, "address", address);
	kube_add_copy(o, own, n, "hostname", kube_get(endpoint, "hostname"));
	kube_add_copy(o, own, n, "node", kube_get(endpoint, "nodeName"));
	if (zone && !is_empty_text(zone))
		kube_add_copy(o, own, n, "zone", zone);
	add_hints(o, own, n, kube_get(endpoint, "hints"));
	add_conditions(o, own, n, kube_get(endpoint, "conditions"));
}

/* The family that addressType says, or -1 after an error. */
static int slice_family(struct kube_object *o)
{
	struct node *type = kube_typed(o, o->root, "addressType", NODE_STRING);
	int family;

	if (!type || !*type->value.string) {
		if (!kube_get(o->root, "addressType"))
			type = kube_missing(o, o->root, NODE_STRING, "addressType");
		if (type)
			kube_error(o, type, NULL, "must be given: IPv4 or IPv6");
		return -1;
	}
	if (streq(type->value.string, "FQDN")) {
		kube_error(o, type, NULL,
			   "kube-proxy ignores slices of names: must be IPv4 or IPv6");
		return -1;
	}
	family = text_index(type->value.string, family_names, ELEMENTSOF(family_names));
	if (family < 0)
		kube_error(o, type, NULL, "must be IPv4 or IPv6");
	return family < 0 ? -1 : family;
}

static void check_slice_fields(struct kube_object *o)
{
	static const char *const fields[] = {"apiVersion",  "kind",  "metadata",
					     "addressType", "ports", "endpoints"};

	kube_fields(o, o->root, DIAG_WARNING, fields, ELEMENTSOF(fields));
	kube_metadata(o);
	kube_names(o, true);
}

/* A slice that would be too much for the API server: it looks at nothing else then. */
static bool is_too_long(struct kube_object *o, const struct node *list, unsigned max)
{
	if (!list || list->n_children <= max)
		return false;
	kube_error(o, list, NULL, "must not be more than %u, there are %u", max, list->n_children);
	return true;
}

/* The service that the slice belongs to; NULL when kube-proxy would not find it. */
static const char *slice_service(struct kube_object *o, const struct node *label)
{
	if (!label || label->type != NODE_STRING || !*label->value.string) {
		kube_notice(o, label ? label : o->root, NULL,
			    "belongs to no service (label kubernetes.io/service-name), ignored");
		return NULL;
	}
	if (!text_is_dns_label(label->value.string)) {
		kube_warning(o, label, NULL, "no service can have this name, ignored");
		return NULL;
	}
	return text_is_dns_label(o->namespace) ? label->value.string : NULL;
}

int kube_endpoint_slice(struct kube_object *o, const struct settings *settings,
			struct documents *ret)
{
	const struct node *label = kube_label(o, "labels", "kubernetes.io/service-name");
	struct node *endpoints = kube_typed(o, o->root, "endpoints", NODE_LIST);
	const struct node *ports = full_list(o, o->root, "ports");
	_cleanup_(node_tree_freep) struct node_tree *own = NULL;
	size_t first = o->d->n, n_errors = o->d->n_errors;
	const char *service;
	struct node *list;
	int family, r;

	check_slice_fields(o);
	family = slice_family(o);
	if (is_too_long(o, endpoints, SLICE_ENDPOINTS_MAX) ||
	    is_too_long(o, ports, SLICE_PORTS_MAX))
		return -EBADMSG;
	service = slice_service(o, label);
	/* What is not used is checked all the same, under a name that stands for any. */
	r = new_group(o, service ? service : "x", label, o->root, !service, &own);
	if (r < 0)
		return r;
	if (ports) {
		check_port_names(o, ports);
	} else if (endpoints && endpoints->first) {
		kube_warning(o, o->root, NULL, "has no ports: kube-proxy makes no endpoints of it");
	}
	add_ports(o, own, ports);
	list = kube_add(o, own, own->root, "endpoints", NODE_LIST, endpoints ? endpoints : o->root);
	for (struct node *e = endpoints ? endpoints->first : NULL; e; e = e->next)
		add_slice_endpoint(o, own, list, e, family);
	r = finish_group(o, &own, settings, first, service != NULL, ret);
	if (r < 0)
		return r;
	return o->d->n_errors > n_errors ? -EBADMSG : 0;
}

/* An address of a subset. family: only those of it are taken. */
static void add_subset_address(struct kube_object *o, struct node_tree *own, struct node *list,
			       struct node *address, bool ready, int family)
{
	const struct node *ip = kube_get(address, "ip");
	struct addr a;
	struct node *n;

	/* What is no address is told once, with the IPv4 ones. */
	if (!ip || ip->type != NODE_STRING || addr_parse(ip->value.string, &a) != ADDR_OK)
		a.family = ADDR_IPV4;
	if (a.family != family || address->type != NODE_GROUP)
		return;
	n = kube_add(o, own, list, NULL, NODE_GROUP, address);
	if (ip)
		kube_add_copy(o, own, n, "address", ip);
	else
		kube_add_copy(o, own, n, "address", kube_missing(o, address, NODE_STRING, "ip"));
	kube_add_copy(o, own, n, "hostname", kube_get(address, "hostname"));
	kube_add_copy(o, own, n, "node", kube_get(address, "nodeName"));
	kube_add_bool(o, own, n, "ready", ready, address);
	kube_add_bool(o, own, n, "serving", true, address);
	kube_add_bool(o, own, n, "terminating", false, address);
}

static const char *const address_lists[] = {"addresses", "notReadyAddresses"};

static void check_subset(struct kube_object *o, const struct node *subset)
{
	static const char *const fields[] = {"addresses", "notReadyAddresses", "ports"};
	static const char *const address_fields[] = {"ip", "hostname", "nodeName", "targetRef"};
	const struct node *ports = full_list(o, subset, "ports");
	bool found = false;

	kube_fields(o, subset, DIAG_WARNING, fields, ELEMENTSOF(fields));
	if (subset->type != NODE_GROUP)
		return;
	for (size_t i = 0; i < ELEMENTSOF(address_lists); i++) {
		const struct node *list = full_list(o, subset, address_lists[i]);

		for (const struct node *n = list ? list->first : NULL; n; n = n->next)
			kube_fields(o, n, DIAG_WARNING, address_fields, ELEMENTSOF(address_fields));
		found |= list != NULL;
	}
	if (!found)
		kube_error(o, subset, NULL, "must have addresses or notReadyAddresses");
	for (struct node *p = ports && ports->first->next ? ports->first : NULL; p; p = p->next) {
		struct node *name = kube_get(p, "name");

		if (name && !is_empty_text(name))
			continue;
		if (!name)
			name = kube_missing(o, p, NODE_STRING, "name");
		if (name)
			kube_error(o, name, NULL, "must be given when there is more than one port");
	}
}

/* The part of a subset that is of one family: what the mirroring controller makes a slice of. */
static int add_subset(struct kube_object *o, const struct settings *settings,
		      const struct node *subset, int family, size_t first, struct documents *ret)
{
	const struct node *metadata = kube_get(o->root, "metadata");
	const struct node *ports = full_list(o, subset, "ports");
	_cleanup_(node_tree_freep) struct node_tree *own = NULL;
	struct node *list;
	bool named = text_is_dns_label(o->name) && text_is_dns_label(o->namespace);
	int r = new_group(o, named ? o->name : "x", kube_get(metadata, "name"), subset, !named,
			  &own);

	if (r < 0)
		return r;
	add_ports(o, own, ports);
	list = kube_add(o, own, own->root, "endpoints", NODE_LIST, subset);
	for (size_t i = 0; i < ELEMENTSOF(address_lists); i++) {
		const struct node *addresses = full_list(o, subset, address_lists[i]);

		for (struct node *n = addresses ? addresses->first : NULL; n; n = n->next)
			add_subset_address(o, own, list, n, i == 0, family);
	}
	if (o->error < 0)
		return o->error;
	if (!list->first)
		return 0;
	if (!ports)
		kube_warning(o, subset, NULL, "has no ports: kube-proxy makes no endpoints of it");
	return finish_group(o, &own, settings, first, named, ret);
}

int kube_endpoints(struct kube_object *o, const struct settings *settings, struct documents *ret)
{
	static const char *const fields[] = {"apiVersion", "kind", "metadata", "subsets"};
	const struct node *subsets = kube_typed(o, o->root, "subsets", NODE_LIST);
	size_t first = o->d->n, n_errors = o->d->n_errors;

	kube_fields(o, o->root, DIAG_WARNING, fields, ELEMENTSOF(fields));
	kube_metadata(o);
	kube_names(o, true);
	for (const struct node *s = subsets ? subsets->first : NULL; s; s = s->next) {
		check_subset(o, s);
		for (int family = 0; family < _ADDR_FAMILY_MAX && s->type == NODE_GROUP; family++) {
			int r = add_subset(o, settings, s, family, first, ret);
			if (r < 0)
				return r;
		}
	}
	return o->d->n_errors > n_errors ? -EBADMSG : 0;
}
