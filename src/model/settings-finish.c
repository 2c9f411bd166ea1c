/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks that need more than one setting. */
#include <errno.h>

#include "base/num.h"
#include "model/settings-parse.h"
#include "model/settings.h"

/* The settings that are being checked, and where messages go. */
struct finishing {
	struct settings *s;
	const struct settings_origin *origin;
	struct diags *d;
};

/* Where a setting was given; {0} when it is the default. */
static struct place place_of(const struct finishing *f, const char *section, const char *key)
{
	const struct setting_row *row = setting_find(section, key);

	if (!row || !f->origin || !f->origin->places)
		return (struct place){0};
	return f->origin->places[row - setting_rows];
}

/* The node name that will be used, in *ret; NULL when there is none. */
static int finish_node_name(const struct finishing *f, const char *host_name, char **ret)
{
	struct place at = place_of(f, "Proxy", "NodeName");
	_cleanup_free_ char *name = NULL;
	const char *text = f->s->node_name;
	int r;

	if (text[0] == '\0')
		text = host_name ? host_name : "";
	r = setting_node_name(text, &name);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		diags_add(f->d, DIAG_ERROR, &at, NULL, "Proxy.NodeName", text,
			  "set NodeName= in [Proxy]",
			  "the name of this host cannot be the name of a node");
	else
		*ret = TAKE_PTR(name);
	return 0;
}

/* A way to detect local traffic needs the setting that it goes by (spec/model.md section 4.1).
 * ClusterCIDR is different: without it nothing is local. */
static void check_detect_local(const struct finishing *f)
{
	static const struct {
		enum detect_local mode;
		const char *key, *example;
	} needs[] = {
		{DETECT_NODE_CIDR, "NodeCIDR", "such as NodeCIDR=10.1.0.0/24"},
		{DETECT_BRIDGE_INTERFACE, "BridgeInterface", "such as BridgeInterface=cni0"},
		{DETECT_INTERFACE_NAME_PREFIX, "InterfaceNamePrefix",
		 "such as InterfaceNamePrefix=veth"},
	};
	struct place at = place_of(f, "Proxy", "DetectLocalMode");

	for (size_t i = 0; i < ELEMENTSOF(needs); i++) {
		const struct setting_row *row = setting_find("Proxy", needs[i].key);
		_cleanup_strbuf_ struct strbuf value = {0}, field = {0};

		if (!row || f->s->detect_local != needs[i].mode)
			continue;
		row->print(row, f->s, &value);
		if (value.len > 0)
			continue;
		strbuf_addf(&field, "%s.%s", row->section, row->key);
		diags_add(f->d, DIAG_ERROR, &at, NULL, strbuf_text(&field), NULL, needs[i].example,
			  "must be set with DetectLocalMode=%s", needs[i].key);
	}
}

/* kube-proxy's rules have place for one prefix per family (product sheet section 6). */
static void check_one_per_family(const struct finishing *f, enum origin_list which, const char *key,
				 const char *field, const struct prefix_list *list)
{
	static const char *const families[_ADDR_FAMILY_MAX] = {"IPv4", "IPv6"};
	const struct addr_prefix *first[_ADDR_FAMILY_MAX] = {NULL};
	const struct place last = place_of(f, "Proxy", key);

	for (size_t i = 0; i < list->n; i++) {
		const struct addr_prefix *p = &list->items[i];
		char value[ADDR_PREFIX_TEXT_MAX], used[ADDR_PREFIX_TEXT_MAX];
		const struct place *at = &last;

		if (!first[p->addr.family]) {
			first[p->addr.family] = p;
			continue;
		}
		if (f->origin && i < ORIGIN_PREFIXES_MAX && f->origin->prefixes[which][i].line > 0)
			at = &f->origin->prefixes[which][i];
		diags_add(f->d, DIAG_WARNING, at, NULL, field, addr_prefix_format(p, value), NULL,
			  "is not used: only the first %s prefix is, %s", families[p->addr.family],
			  addr_prefix_format(first[p->addr.family], used));
	}
}

static void check_sync_periods(const struct finishing *f, uint64_t min_sync_period)
{
	struct place at = place_of(f, "Sync", "SyncPeriod");
	struct place at_min = place_of(f, "Sync", "MinSyncPeriod");
	char period[32], least[32];

	if (f->s->sync_period >= min_sync_period)
		return;
	num_format_usec(f->s->sync_period, period);
	num_format_usec(min_sync_period, least);
	/* At the one that was written, if only one was. */
	diags_add(f->d, DIAG_ERROR, at.file ? &at : &at_min, NULL, "Sync.SyncPeriod", period, NULL,
		  "must not be less than MinSyncPeriod, which is %s", least);
}

int settings_finish(struct settings *s, const char *host_name, const struct settings_origin *origin,
		    struct diags *d)
{
	struct finishing f = {s, origin, d};
	_cleanup_free_ char *node_name = NULL;
	uint64_t min_sync_period = s->min_sync_period;
	size_t n_errors = d->n_errors;
	int r;

	if (s->mode == MODE_IPVS && !s->min_sync_period_given)
		min_sync_period = 0;

	r = finish_node_name(&f, host_name, &node_name);
	if (r < 0)
		return r;
	check_detect_local(&f);
	check_one_per_family(&f, ORIGIN_CLUSTER_CIDR, "ClusterCIDR", "Proxy.ClusterCIDR",
			     &s->cluster_cidr);
	check_one_per_family(&f, ORIGIN_NODE_CIDR, "NodeCIDR", "Proxy.NodeCIDR", &s->node_cidr);
	check_sync_periods(&f, min_sync_period);
	if (d->error < 0)
		return d->error;
	if (d->n_errors > n_errors)
		return -EBADMSG;

	free(s->node_name);
	s->node_name = TAKE_PTR(node_name);
	s->min_sync_period = min_sync_period;
	return 0;
}
