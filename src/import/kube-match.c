/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/kube-match.h"

static const char *text_of(const struct node *group, const char *key, const char *missing)
{
	const struct node *n = kube_get(group, key);

	return n && n->type == NODE_STRING ? n->value.string : missing;
}

static bool has_port(const struct node *group, const char *name, const char *protocol)
{
	const struct node *ports = kube_get(group, "ports");

	for (const struct node *p = ports ? ports->first : NULL; p; p = p->next) {
		if (streq(text_of(p, "name", ""), name) &&
		    streq(text_of(p, "protocol", "TCP"), protocol))
			return true;
	}
	return false;
}

/* A slice's port counts for a port of the service that has its name. Our own reader also looks for
 * the name in targetPort. */
static void match_target_port(struct kube_object *o, const struct node *port,
			      const struct documents *groups)
{
	struct node *target = kube_get(port, "targetPort");
	const char *protocol = text_of(port, "protocol", "TCP");

	if (!target || target->type != NODE_STRING)
		return;
	for (size_t i = 0; i < groups->n; i++) {
		const struct node *group = groups->trees[i]->root;

		if (has_port(group, text_of(port, "name", ""), protocol) ||
		    !has_port(group, target->value.string, protocol))
			continue;
		kube_warning(
			o, target, NULL,
			"left out: the endpoints have a port of this name, which kube-proxy would "
			"not use for this port of the service");
		target->type = NODE_NULL;
		return;
	}
}

static bool is_ready(const struct node *endpoint)
{
	const struct node *ready = kube_get(endpoint, "ready");

	return !ready || ready->type != NODE_BOOL || ready->value.boolean;
}

/* Our own reader gives hints to ready endpoints that have none. */
static bool would_get_hints(const struct node *endpoint, bool by_node)
{
	return is_ready(endpoint) && !kube_get(endpoint, "forZones") &&
	       !kube_get(endpoint, "forNodes") &&
	       (kube_get(endpoint, "zone") || (by_node && kube_get(endpoint, "node")));
}

void kube_match(struct kube_object *o, struct node_tree *own, const struct documents *groups)
{
	struct node *distribution = kube_get(own->root, "trafficDistribution");
	struct node *publish = kube_get(own->root, "publishNotReadyAddresses");
	const struct node *ports = kube_get(own->root, "ports");
	bool by_node = streq(text_of(own->root, "trafficDistribution", ""), "PreferSameNode");
	bool hints = false, unready = false;

	for (const struct node *p = ports ? ports->first : NULL; p; p = p->next)
		match_target_port(o, p, groups);
	for (size_t i = 0; i < groups->n; i++) {
		const struct node *list = kube_get(groups->trees[i]->root, "endpoints");

		for (const struct node *e = list ? list->first : NULL; e; e = e->next) {
			hints |= would_get_hints(e, by_node);
			unready |= !is_ready(e);
		}
	}
	if (distribution && hints) {
		kube_warning(o, distribution, NULL,
			     "left out: the endpoints have no hints, and kube-proxy goes by hints "
			     "alone");
		distribution->type = NODE_NULL;
	}
	if (publish && publish->type == NODE_BOOL && publish->value.boolean && unready) {
		kube_warning(o, publish, NULL,
			     "left out: some endpoints are not ready, and kube-proxy goes by that "
			     "alone");
		publish->type = NODE_NULL;
	}
}
