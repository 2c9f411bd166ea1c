/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "model/reader.h"
#include "model/value.h"

static void set_place(struct reader *r, const struct node *n, struct value_place *ret)
{
	struct place at;

	node_place(r->tree, n, &at);
	*ret = (struct value_place){.line = at.line, .column = at.column};
}

/* The same of an entry of a list, or of a key of one. */
static void set_list_place(struct reader *r, const struct node *entry, const struct node *n,
			   struct value_place *ret)
{
	set_place(r, n, ret);
	ret->index = entry->index & 0x3fffffff;
	ret->in_list = true;
	ret->in_group = n != entry;
}

static bool is_address(const struct node *n, const struct addr *a)
{
	struct addr found;

	return n->type == NODE_STRING && addr_parse(n->value.string, &found) == ADDR_OK &&
	       addr_equal(&found, a);
}

/* clusterIP comes before an equal entry of clusterIPs. */
static void set_cluster_ips(struct reader *r, const struct node *const *keys,
			    const struct service_def *s, struct service_places *p)
{
	const struct node *one = keys[KEY_CLUSTER_IP], *list = keys[KEY_CLUSTER_IPS];

	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		const struct addr *a = &s->cluster_ips[f];

		if (!s->has_cluster_ip[f])
			continue;
		if (one && is_address(one, a)) {
			set_place(r, one, &p->cluster_ips[f]);
			continue;
		}
		for (const struct node *n = list ? list->first : NULL; n; n = n->next)
			if (is_address(n, a))
				set_list_place(r, n, n, &p->cluster_ips[f]);
	}
}

/* Those that are kept are the first ones of each address, in the order written. */
static void set_external_ips(struct reader *r, const struct node *list, const struct service_def *s,
			     struct value_place *ret)
{
	size_t i = 0;

	for (const struct node *n = list ? list->first : NULL; n && i < s->n_external_ips;
	     n = n->next)
		if (is_address(n, &s->external_ips[i]))
			set_list_place(r, n, n, &ret[i++]);
}

static void set_lb_ips(struct reader *r, const struct node *list, const struct service_def *s,
		       struct value_place *ret)
{
	size_t i = 0;

	for (const struct node *n = list ? list->first : NULL; n && i < s->n_lb_ips; n = n->next) {
		const struct node *ip = n->type == NODE_GROUP ? node_get(n, "ip") : n;

		if (ip && is_address(ip, &s->lb_ips[i].ip))
			set_list_place(r, n, ip, &ret[i++]);
	}
}

void read_places(struct reader *r, const struct node *const *keys, struct service_def *s)
{
	size_t n_node_ports = service_n_node_port_places(s);
	size_t n_lists = n_node_ports + s->n_external_ips + s->n_lb_ips;
	struct service_places *p;

	p = reader_alloc(r, 1, sizeof(*p) + n_lists * sizeof(*p->lists));
	if (!p)
		return;
	s->places = p;
	set_place(r, keys[KEY_NAME], &p->name);
	set_cluster_ips(r, keys, s, p);
	if (s->health_check_node_port)
		set_place(r, keys[KEY_HEALTH_CHECK_NODE_PORT], &p->health_check_node_port);
	if (n_node_ports > 0) {
		for (const struct node *n = keys[KEY_PORTS]->first; n; n = n->next)
			if (s->ports[n->index].node_port)
				set_place(r, node_get(n, "nodePort"), &p->lists[n->index]);
	}
	set_external_ips(r, keys[KEY_EXTERNAL_IPS], s, p->lists + n_node_ports);
	set_lb_ips(r, keys[KEY_LB_IPS], s, p->lists + n_node_ports + s->n_external_ips);
}
