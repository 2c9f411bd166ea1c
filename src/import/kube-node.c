/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/addr.h"
#include "base/text.h"
#include "import/kube-host.h"

#define ZONE_LABEL "topology.kubernetes.io/zone"

/* Addresses of the node: the first of each family, and where it was written. */
struct node_ips {
	struct addr ip[_ADDR_FAMILY_MAX];
	const struct node *from[_ADDR_FAMILY_MAX]; /* NULL: none */
	struct kube_object *object[_ADDR_FAMILY_MAX];
};

static void check_fields(struct kube_object *o)
{
	static const char *const fields[] = {"apiVersion", "kind", "metadata", "spec", "status"};
	static const char *const spec_fields[] = {
		"podCIDR",	"podCIDRs",   "providerID", "unschedulable",
		"configSource", "externalID", "taints",
	};

	kube_fields(o, o->root, DIAG_WARNING, fields, ELEMENTSOF(fields));
	kube_fields(o, kube_get(o->root, "spec"), DIAG_WARNING, spec_fields,
		    ELEMENTSOF(spec_fields));
	kube_metadata(o);
	kube_names(o, false);
}

/* Takes the addresses of one type, if their family has none yet. */
static void take_addresses(struct kube_object *o, const struct node *list, const char *type,
			   struct node_ips *ips)
{
	for (const struct node *n = list ? list->first : NULL; n; n = n->next) {
		const struct node *address = kube_get(n, "address"), *of = kube_get(n, "type");
		enum addr_reason reason;
		struct addr a;

		if (!address || address->type != NODE_STRING || !of || of->type != NODE_STRING ||
		    !streq(of->value.string, type))
			continue;
		reason = addr_parse(address->value.string, &a);
		if (reason == ADDR_NOT_AN_ADDRESS) {
			kube_warning(o, address, NULL, "is no address, ignored");
		} else if (reason != ADDR_OK) {
			kube_error(o, address, NULL, "%s", addr_reason_text(reason));
		} else if (!ips->from[a.family]) {
			ips->ip[a.family] = a;
			ips->from[a.family] = address;
			ips->object[a.family] = o;
		}
	}
}

static void take_bind_address(const struct kube_host *host, struct node_ips *ips)
{
	struct addr a;

	if (!host->bind_address || addr_parse(host->bind_address->value.string, &a) != ADDR_OK)
		return;
	ips->ip[a.family] = a;
	ips->from[a.family] = host->bind_address;
	ips->object[a.family] = host->config;
}

/* A node without an address of a family has none there: then nothing must be detected, so an empty
 * assignment is made. */
static void assign_ips(struct kube_object *o, const struct kube_host *host, struct assignments *a)
{
	const struct node *list =
		o ? kube_typed(o, kube_get(o->root, "status"), "addresses", NODE_LIST) : NULL;
	struct node_ips ips = {0};

	if (o) {
		take_addresses(o, list, "InternalIP", &ips);
		take_addresses(o, list, "ExternalIP", &ips);
	}
	take_bind_address(host, &ips);
	if (o)
		assign(a, o, o->root, "Proxy", "NodeIP", "");
	for (int family = 0; family < _ADDR_FAMILY_MAX; family++) {
		char text[ADDR_TEXT_MAX];

		if (ips.from[family])
			assign(a, ips.object[family], ips.from[family], "Proxy", "NodeIP",
			       addr_format(&ips.ip[family], text));
	}
}

static void assign_pod_cidrs(struct kube_object *o, struct assignments *a)
{
	const struct node *spec = kube_get(o->root, "spec");
	const struct node *list = kube_typed(o, spec, "podCIDRs", NODE_LIST);
	const struct node *one = kube_typed(o, spec, "podCIDR", NODE_STRING);

	if (!list || !list->first) {
		if (one && *one->value.string)
			assign(a, o, one, "Proxy", "NodeCIDR", one->value.string);
		return;
	}
	if (one && *one->value.string && list->first->type == NODE_STRING &&
	    !streq(one->value.string, list->first->value.string))
		kube_error(o, list, NULL, "the first must be the podCIDR, which is '%s'",
			   one->value.string);
	for (const struct node *n = list->first; n; n = n->next) {
		if (n->type != NODE_STRING)
			kube_error(o, n, NULL, "must be a string, not %s", node_type_text(n->type));
		else
			assign(a, o, n, "Proxy", "NodeCIDR", n->value.string);
	}
}

static void assign_node(struct kube_object *o, const struct kube_host *host, struct assignments *a)
{
	const struct node *name = kube_get(kube_get(o->root, "metadata"), "name");
	const struct node *zone = kube_label(o, "labels", ZONE_LABEL);

	if (name && text_is_dns_subdomain(o->name))
		assign(a, o, name, "Proxy", "NodeName", o->name);
	assign_ips(o, host, a);
	if (zone && zone->type == NODE_STRING && *zone->value.string)
		assign(a, o, zone, "Proxy", "Zone", zone->value.string);
	assign_pod_cidrs(o, a);
}

/* kube-proxy looks for its Node under its own name without blanks around it and in lower case. */
static bool is_named(const struct kube_object *o, const char *name)
{
	size_t n;

	name += strspn(name, " \t");
	n = strcspn(name, " \t");
	return strlen(o->name) == n && strncasecmp(o->name, name, n) == 0;
}

/* Without the blanks around it, which svcroute.conf could not keep. */
static void assign_override(const struct kube_host *host, struct assignments *a)
{
	const char *text = host->override->value.string;
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n > 0 && strchr(" \t", text[n - 1]))
		n--;
	text = arena_strndup(host->config->tree->arena, text, n);
	if (text)
		assign(a, host->config, host->override, "Proxy", "NodeName", text);
	else
		host->config->error = -ENOMEM;
}

int kube_node(struct kube_object *const *nodes, size_t n, const char *name,
	      const struct kube_host *host, struct assignments *a)
{
	const char *wanted = name ? name : host->override ? host->override->value.string : NULL;
	struct kube_object *found = NULL;

	for (size_t i = 0; i < n; i++) {
		check_fields(nodes[i]);
		if (!found && wanted && is_named(nodes[i], wanted))
			found = nodes[i];
	}
	if (!wanted && n > 1) {
		kube_error(nodes[1], nodes[1]->root, "say which with --node NAME",
			   "is a second Node, and nothing says which one is this host");
		return 0;
	}
	if (!wanted && n == 1)
		found = nodes[0];
	if (found) {
		assign_node(found, host, a);
		return 0;
	}
	if (name && n > 0)
		return -ENOENT;
	for (size_t i = 0; i < n; i++)
		kube_warning(nodes[i], nodes[i]->root, NULL,
			     "is not hostnameOverride '%s', ignored", wanted);
	if (!name && host->override)
		assign_override(host, a);
	if (host->bind_address)
		assign_ips(NULL, host, a);
	return 0;
}

void kube_service_cidr(struct kube_object *o, struct assignments *a)
{
	static const char *const fields[] = {"apiVersion", "kind", "metadata", "spec", "status"};
	static const char *const spec_fields[] = {"cidrs"};
	struct node *spec = kube_get(o->root, "spec");
	struct node *list = kube_typed(o, spec, "cidrs", NODE_LIST);
	int first_family = -1;

	kube_fields(o, o->root, DIAG_WARNING, fields, ELEMENTSOF(fields));
	kube_fields(o, spec, DIAG_WARNING, spec_fields, ELEMENTSOF(spec_fields));
	kube_metadata(o);
	kube_names(o, false);
	if (!list || !list->first) {
		if (!spec)
			spec = kube_missing(o, o->root, NODE_GROUP, "spec");
		list = spec ? kube_missing(o, spec, NODE_LIST, "cidrs") : NULL;
		if (list)
			kube_error(o, list, NULL, "must hold a prefix");
		return;
	}
	for (const struct node *n = list->first; n; n = n->next) {
		enum addr_reason reason;
		struct addr_prefix p;

		if (n->type != NODE_STRING) {
			kube_error(o, n, NULL, "must be a string, not %s", node_type_text(n->type));
			continue;
		}
		reason = addr_prefix_parse(n->value.string, &p);
		if (reason != ADDR_OK) {
			kube_error(o, n, NULL, "%s", addr_reason_text(reason));
		} else if (n->index > 1 || first_family == p.addr.family) {
			kube_error(o, list, NULL,
				   "must be one prefix, or two of different families");
			return;
		} else {
			first_family = p.addr.family;
			assign(a, o, n, "Proxy", "ServiceCIDR", n->value.string);
		}
	}
}
