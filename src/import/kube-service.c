/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/addr.h"
#include "base/text.h"
#include "import/translate.h"
#include "model/read.h"

/* An annotation from before spec.loadBalancerSourceRanges; the API server still checks it. */
#define RANGES_ANNOTATION "service.beta.kubernetes.io/load-balancer-source-ranges"

/* The service being translated. */
struct translation {
	struct kube_object *o;
	struct node_tree *own;
	struct node *root; /* of own */
	struct node *spec; /* of the object; never NULL */
	const char *type;  /* "ClusterIP" when not given */
};

static bool is_empty_text(const struct node *n)
{
	return n->type == NODE_STRING && !*n->value.string;
}

static bool is_zero(const struct node *n)
{
	return n->type == NODE_INT && n->value.integer == 0;
}

static struct node *add(struct translation *t, struct node *parent, const char *key,
			enum node_type type, const struct node *origin)
{
	return kube_add(t->o, t->own, parent, key, type, origin);
}

static void copy(struct translation *t, struct node *parent, const char *key,
		 const struct node *from)
{
	kube_add_copy(t->o, t->own, parent, key, from);
}

/* Fields that are plain values for the API server: empty and zero mean not set. */
static void copy_set(struct translation *t, struct node *parent, const char *key,
		     const struct node *from)
{
	if (from && !is_empty_text(from) && !is_zero(from))
		copy(t, parent, key, from);
}

static void translate_name(struct translation *t)
{
	struct kube_object *o = t->o;
	struct node *metadata = kube_get(o->root, "metadata");
	struct node *name = kube_get(metadata, "name");
	const char *text = arena_printf(t->own->arena, "%s/%s", o->namespace, o->name);

	if (!text)
		o->error = -ENOMEM;
	if (!metadata)
		metadata = kube_missing(o, o->root, NODE_GROUP, "metadata");
	if (!name)
		name = kube_missing(o, metadata, NODE_STRING, "name");
	kube_add_text(o, t->own, t->root, "name", text, name);
}

/* The API server copies clusterIP to clusterIPs and speaks of the latter. */
static const struct node *copied_cluster_ip(struct translation *t, const struct node *ip)
{
	struct node *list = kube_missing(t->o, t->spec, NODE_LIST, "clusterIPs");
	struct node *item = list ? kube_missing(t->o, list, ip->type, NULL) : NULL;

	if (!item)
		return NULL;
	item->value = ip->value;
	item->line = ip->line;
	item->column = ip->column;
	return item;
}

static void translate_cluster_ips(struct translation *t)
{
	const struct node *ip = kube_get(t->spec, "clusterIP");
	const struct node *ips = kube_get(t->spec, "clusterIPs");

	if (ips && ips->type == NODE_LIST && !ips->first)
		ips = NULL;
	if (ip && is_empty_text(ip)) {
		if (ips)
			kube_error(t->o, ips, NULL, "must be empty where clusterIP is");
		ip = NULL;
	}
	if (!ips) {
		if (ip && ip->type == NODE_STRING)
			copy(t, t->root, "clusterIP", copied_cluster_ip(t, ip));
		else
			copy(t, t->root, "clusterIP", ip);
		return;
	}
	if (ip && ip->type == NODE_STRING && ips->type == NODE_LIST &&
	    ips->first->type == NODE_STRING && !streq(ip->value.string, ips->first->value.string))
		kube_error(t->o, ips, NULL, "the first must be the clusterIP, which is '%s'",
			   ip->value.string);
	if (ips->type == NODE_LIST && ips->n_children == 1)
		copy(t, t->root, "clusterIP", ips->first);
	else
		copy(t, t->root, "clusterIPs", ips);
}

/* The nth cluster IP as our tree has it, or NULL. */
static const struct node *cluster_ip(const struct translation *t, unsigned i)
{
	const struct node *ip = kube_get(t->root, "clusterIP");
	const struct node *ips = kube_get(t->root, "clusterIPs");

	if (ip)
		return i == 0 ? ip : NULL;
	for (ip = ips ? ips->first : NULL; ip && i > 0; i--)
		ip = ip->next;
	return ip;
}

static void check_family(struct translation *t, const struct node *family, const struct node *ip)
{
	static const char *const names[_ADDR_FAMILY_MAX] = {
		[ADDR_IPV4] = "IPv4", [ADDR_IPV6] = "IPv6"};
	struct addr a;
	int which;

	if (family->type != NODE_STRING) {
		kube_error(t->o, family, NULL, "must be a string, not %s",
			   node_type_text(family->type));
		return;
	}
	which = text_index(family->value.string, names, ELEMENTSOF(names));
	if (which < 0)
		kube_error(t->o, family, NULL, "must be IPv4 or IPv6");
	else if (ip && ip->type == NODE_STRING && addr_parse(ip->value.string, &a) == ADDR_OK &&
		 a.family != which)
		kube_error(t->o, ip, NULL, "must be an %s address, as ipFamilies says",
			   names[which]);
}

/* Section 1.7 of spec/model.md, steps (2) and (3); then families and policy are dropped. */
static void check_families(struct translation *t)
{
	static const char *const policies[] = {"SingleStack", "PreferDualStack",
					       "RequireDualStack"};
	const struct node *families = kube_typed(t->o, t->spec, "ipFamilies", NODE_LIST);
	const struct node *policy = kube_typed(t->o, t->spec, "ipFamilyPolicy", NODE_STRING);
	const struct node *first = families ? families->first : NULL;
	const struct node *second = first ? first->next : NULL;
	bool two = second || cluster_ip(t, 1);
	int which = policy ? text_index(policy->value.string, policies, ELEMENTSOF(policies)) : -1;

	if (streq(t->type, "ExternalName")) {
		if (first)
			kube_error(t->o, families, NULL, "must not be set with type ExternalName");
		if (policy)
			kube_error(t->o, policy, NULL, "must not be set with type ExternalName");
		return;
	}
	for (const struct node *f = first; f; f = f->next)
		check_family(t, f, cluster_ip(t, f->index));
	if (second && second->next)
		kube_error(t->o, families, NULL, "must not be more than one of each family");
	if (second && first->type == NODE_STRING && second->type == NODE_STRING &&
	    streq(first->value.string, second->value.string))
		kube_error(t->o, second, NULL, "was given before");
	if (policy && which < 0)
		kube_error(t->o, policy, NULL,
			   "must be SingleStack, PreferDualStack or RequireDualStack");
	if (which == 0 && two)
		kube_error(t->o, policy, NULL, "must not be SingleStack with two families");
	if (which == 2 && !cluster_ip(t, 1) && cluster_ip(t, 0) &&
	    !streq(cluster_ip(t, 0)->value.string, "None"))
		kube_warning(
			t->o, policy, NULL,
			"the service has a cluster IP of one family only, the other is not served");
}

static void translate_ports(struct translation *t)
{
	static const char *const fields[] = {"name", "protocol",   "appProtocol",
					     "port", "targetPort", "nodePort"};
	const struct node *ports = kube_get(t->spec, "ports");
	struct node *list;

	if (!ports || (ports->type == NODE_LIST && !ports->first))
		return;
	if (ports->type != NODE_LIST) {
		copy(t, t->root, "ports", ports);
		return;
	}
	list = add(t, t->root, "ports", NODE_LIST, ports);
	for (const struct node *p = ports->first; p; p = p->next) {
		struct node *n;

		if (p->type != NODE_GROUP) {
			copy(t, list, NULL, p);
			continue;
		}
		kube_fields(t->o, p, DIAG_WARNING, fields, ELEMENTSOF(fields));
		kube_qualified_name(t->o, kube_get(p, "appProtocol"));
		n = add(t, list, NULL, NODE_GROUP, p);
		copy_set(t, n, "name", kube_get(p, "name"));
		copy_set(t, n, "protocol", kube_get(p, "protocol"));
		copy(t, n, "port", kube_get(p, "port"));
		copy_set(t, n, "targetPort", kube_get(p, "targetPort"));
		copy_set(t, n, "nodePort", kube_get(p, "nodePort"));
	}
}

/* Lists that are left out when they are empty. */
static void translate_list(struct translation *t, const char *key)
{
	const struct node *list = kube_get(t->spec, key);

	if (list && (list->type != NODE_LIST || list->first))
		copy(t, t->root, key, list);
}

static void check_ingress_hostname(struct translation *t, const struct node *ingress)
{
	const struct node *hostname = kube_typed(t->o, ingress, "hostname", NODE_STRING);
	struct addr a;

	if (!hostname || !*hostname->value.string)
		return;
	if (!text_is_dns_subdomain(hostname->value.string))
		kube_error(t->o, hostname, NULL, "must be a DNS name");
	else if (addr_parse(hostname->value.string, &a) == ADDR_OK)
		kube_error(t->o, hostname, "write it as ip", "must be a DNS name, not an address");
	else
		kube_notice(t->o, hostname, NULL, "no rules are made for names, ignored");
}

static void translate_ingress_item(struct translation *t, struct node *list,
				   const struct node *ingress)
{
	static const char *const fields[] = {"ip", "hostname", "ipMode", "ports"};
	const struct node *ip = kube_get(ingress, "ip"), *mode = kube_get(ingress, "ipMode");
	struct node *n;

	if (ingress->type != NODE_GROUP) {
		kube_error(t->o, ingress, NULL, "must be a group, not %s",
			   node_type_text(ingress->type));
		return;
	}
	kube_fields(t->o, ingress, DIAG_WARNING, fields, ELEMENTSOF(fields));
	check_ingress_hostname(t, ingress);
	if (!ip || is_empty_text(ip)) {
		if (mode)
			kube_error(t->o, mode, NULL, "must not be set without ip");
		return;
	}
	if (!mode) {
		copy(t, list, NULL, ip);
		return;
	}
	n = add(t, list, NULL, NODE_GROUP, ingress);
	copy(t, n, "ip", ip);
	copy(t, n, "ipMode", mode);
}

static void translate_status(struct translation *t)
{
	static const char *const status_fields[] = {"loadBalancer", "conditions"};
	static const char *const balancer_fields[] = {"ingress"};
	const struct node *status = kube_get(t->o->root, "status");
	const struct node *balancer = kube_get(status, "loadBalancer");
	const struct node *ingress = kube_typed(t->o, balancer, "ingress", NODE_LIST);
	struct node *list;

	kube_fields(t->o, status, DIAG_WARNING, status_fields, ELEMENTSOF(status_fields));
	kube_fields(t->o, balancer, DIAG_WARNING, balancer_fields, ELEMENTSOF(balancer_fields));
	if (!ingress || !ingress->first)
		return;
	if (!streq(t->type, "LoadBalancer")) {
		kube_error(t->o, ingress, NULL, "only a service of type LoadBalancer may have it");
		return;
	}
	list = add(t, t->root, "loadBalancerIPs", NODE_LIST, ingress);
	for (const struct node *i = ingress->first; i; i = i->next)
		translate_ingress_item(t, list, i);
	if (list && !list->first)
		list->type = NODE_NULL; /* names only */
}

/* A copy without the blanks around it. NULL when out of memory. */
static const char *trimmed(struct translation *t, const char *text, size_t n)
{
	while (n > 0 && strchr(" \t", text[0])) {
		text++;
		n--;
	}
	while (n > 0 && strchr(" \t", text[n - 1]))
		n--;
	text = arena_strndup(t->own->arena, text, n);
	if (!text)
		t->o->error = -ENOMEM;
	return text;
}

/*
 * kube-proxy never reads the annotation: who relies on it has the ranges enforced by the load
 * balancer of a cloud. So it is checked as the API server does and told, but the rules stay those
 * of kube-proxy (S63).
 */
static void check_ranges_annotation(struct translation *t)
{
	const struct node *n = kube_label(t->o, "annotations", RANGES_ANNOTATION);
	const char *at;

	if (!n || n->type != NODE_STRING)
		return;
	if (!streq(t->type, "LoadBalancer")) {
		kube_error(t->o, n, NULL, "only a service of type LoadBalancer may have it");
		return;
	}
	at = trimmed(t, n->value.string, strlen(n->value.string));
	for (bool more = at && *at; more;) {
		size_t length = strcspn(at, ",");
		const char *item = trimmed(t, at, length);
		struct addr_prefix p;
		enum addr_reason reason;

		if (!item)
			return;
		reason = addr_prefix_parse(item, &p);
		if (reason != ADDR_OK) {
			kube_error(t->o, n, NULL, "'%s' %s", item, addr_reason_text(reason));
			return;
		}
		more = at[length] == ',';
		at += length + 1;
	}
	kube_warning(t->o, n, "write spec.loadBalancerSourceRanges to have it enforced",
		     "kube-proxy does not read this annotation, ignored");
}

static void translate_source_ranges(struct translation *t)
{
	const struct node *ranges = kube_get(t->spec, "loadBalancerSourceRanges");
	struct node *list;

	if (!ranges || (ranges->type == NODE_LIST && !ranges->first)) {
		check_ranges_annotation(t);
		return;
	}
	if (ranges->type != NODE_LIST) {
		copy(t, t->root, "loadBalancerSourceRanges", ranges);
		return;
	}
	list = add(t, t->root, "loadBalancerSourceRanges", NODE_LIST, ranges);
	for (const struct node *n = ranges->first; n; n = n->next) {
		if (n->type != NODE_STRING)
			copy(t, list, NULL, n);
		else
			kube_add_text(t->o, t->own, list, NULL,
				      trimmed(t, n->value.string, strlen(n->value.string)), n);
	}
}

static void translate_affinity(struct translation *t)
{
	static const char *const config_fields[] = {"clientIP"}, *const client_fields[] = {
									 "timeoutSeconds"};
	const struct node *affinity = kube_get(t->spec, "sessionAffinity");
	const struct node *config = kube_get(t->spec, "sessionAffinityConfig");
	const struct node *client = kube_get(config, "clientIP");

	kube_fields(t->o, config, DIAG_WARNING, config_fields, ELEMENTSOF(config_fields));
	kube_fields(t->o, client, DIAG_WARNING, client_fields, ELEMENTSOF(client_fields));
	copy_set(t, t->root, "sessionAffinity", affinity);
	/* Without affinity the API server drops the block. */
	if (affinity && affinity->type == NODE_STRING && streq(affinity->value.string, "ClientIP"))
		copy(t, t->root, "sessionAffinityTimeoutSeconds",
		     kube_get(client, "timeoutSeconds"));
}

static bool is_externally_accessible(const struct translation *t)
{
	const struct node *ips = kube_get(t->root, "externalIPs");

	return streq(t->type, "NodePort") || streq(t->type, "LoadBalancer") ||
	       (streq(t->type, "ClusterIP") && ips && ips->first);
}

static void translate_policies(struct translation *t)
{
	const struct node *external = kube_get(t->spec, "externalTrafficPolicy");

	copy_set(t, t->root, "externalTrafficPolicy", external);
	/* Our own files may say Cluster there, the API server's answer is no (S72). */
	if (external && !is_empty_text(external) && !is_externally_accessible(t))
		kube_error(t->o, external, NULL,
			   "only a service that is reachable from outside may have it (NodePort, "
			   "LoadBalancer, externalIPs)");
	copy(t, t->root, "internalTrafficPolicy", kube_get(t->spec, "internalTrafficPolicy"));
	copy_set(t, t->root, "healthCheckNodePort", kube_get(t->spec, "healthCheckNodePort"));
	copy(t, t->root, "publishNotReadyAddresses", kube_get(t->spec, "publishNotReadyAddresses"));
	copy(t, t->root, "trafficDistribution", kube_get(t->spec, "trafficDistribution"));
}

/* Fields that say nothing to us, but must be right (S65, S66). */
static void check_unused(struct translation *t)
{
	static const char *const balancer_only[] = {"allocateLoadBalancerNodePorts",
						    "loadBalancerClass"};
	static const enum node_type types[] = {NODE_BOOL, NODE_STRING};
	const struct node *ip = kube_typed(t->o, t->spec, "loadBalancerIP", NODE_STRING);

	for (size_t i = 0; i < ELEMENTSOF(balancer_only); i++) {
		const struct node *n = kube_typed(t->o, t->spec, balancer_only[i], types[i]);

		if (n && !streq(t->type, "LoadBalancer"))
			kube_error(t->o, n, NULL,
				   "only a service of type LoadBalancer may have it");
		else if (n && types[i] == NODE_STRING)
			kube_qualified_name(t->o, n);
	}
	if (ip && *ip->value.string)
		kube_notice(
			t->o, ip, NULL,
			"kube-proxy does not use it, ignored; what counts is status.loadBalancer");
}

static void check_fields(struct translation *t)
{
	static const char *const object_fields[] = {"apiVersion", "kind", "metadata", "spec",
						    "status"};
	static const char *const spec_fields[] = {
		"ports",
		"selector",
		"clusterIP",
		"clusterIPs",
		"type",
		"externalIPs",
		"sessionAffinity",
		"loadBalancerIP",
		"loadBalancerSourceRanges",
		"externalName",
		"externalTrafficPolicy",
		"healthCheckNodePort",
		"publishNotReadyAddresses",
		"sessionAffinityConfig",
		"ipFamilies",
		"ipFamilyPolicy",
		"allocateLoadBalancerNodePorts",
		"loadBalancerClass",
		"internalTrafficPolicy",
		"trafficDistribution",
	};

	kube_fields(t->o, t->o->root, DIAG_WARNING, object_fields, ELEMENTSOF(object_fields));
	kube_metadata(t->o);
	kube_fields(t->o, t->spec, DIAG_WARNING, spec_fields, ELEMENTSOF(spec_fields));
}

static void translate(struct translation *t)
{
	const struct node *type = kube_get(t->spec, "type");

	t->type = type && type->type == NODE_STRING && *type->value.string ? type->value.string
									   : "ClusterIP";
	check_fields(t);
	translate_name(t);
	copy_set(t, t->root, "type", type);
	translate_cluster_ips(t);
	translate_ports(t);
	translate_list(t, "externalIPs");
	translate_status(t);
	translate_source_ranges(t);
	translate_affinity(t);
	translate_policies(t);
	copy_set(t, t->root, "externalName", kube_get(t->spec, "externalName"));
	check_families(t);
	check_unused(t);
}

int kube_service(struct kube_object *o, const struct settings *settings, struct node_tree **ret)
{
	_cleanup_(node_tree_freep) struct node_tree *own = NULL;
	_cleanup_(service_def_freep) struct service_def *def = NULL;
	_cleanup_diags_ struct diags read = {0};
	struct translation t = {.o = o, .spec = kube_get(o->root, "spec")};
	size_t first = o->d->n, n_errors = o->d->n_errors;
	int r = node_tree_new(o->tree->file, &own);

	if (r < 0)
		return r;
	t.own = own;
	if (!t.spec)
		t.spec = kube_missing(o, o->root, NODE_GROUP, "spec");
	t.root = kube_add(o, own, NULL, NULL, NODE_GROUP, t.spec);
	if (t.root)
		translate(&t);
	if (o->error < 0)
		return o->error;
	r = service_def_read(own, own->root, settings, own->file, &def, &read);
	if (r < 0 && r != -EBADMSG)
		return r;
	r = kube_merge_diags(o->d, first, &read);
	if (r < 0)
		return r;
	if (o->d->n_errors > n_errors)
		return -EBADMSG;
	*ret = TAKE_PTR(own);
	return 0;
}
