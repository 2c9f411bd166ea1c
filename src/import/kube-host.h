/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/assign.h"

/*
 * Objects that are about the host: what they say becomes svcroute.conf. Nobody outside import/
 * includes it. All functions tell mistakes in o->d; -ENOMEM is sticky in o.
 */

/* What is known about the host before its Node is looked at. */
struct kube_host {
	struct kube_object *config;  /* the KubeProxyConfiguration; NULL: none */
	const struct node *override; /* hostnameOverride of config; NULL: not set */
	const struct node
		*bind_address; /* of config, if it names a family's node IP; NULL otherwise */
};

/* Everything but the node's name and addresses, which go to host. */
void kube_proxy_configuration(struct kube_object *o, struct assignments *a, struct kube_host *host);

/*
 * Picks the Node that is this host and assigns name, addresses, zone and pod CIDRs. name is that of
 * --node, NULL if it was not given. Without it hostnameOverride decides; without that, one Node
 * alone is the one. -ENOENT: name is given and no Node has it; nothing is told about that. Else 0.
 */
int kube_node(struct kube_object *const *nodes, size_t n, const char *name,
	      const struct kube_host *host, struct assignments *a);

/* Ranges of cluster IPs. */
void kube_service_cidr(struct kube_object *o, struct assignments *a);
