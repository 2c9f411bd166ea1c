/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Which hints limit the ready endpoints. */
enum topology {
	TOPOLOGY_NONE,
	TOPOLOGY_NODE,
	TOPOLOGY_ZONE,
};

void choice_done(struct choice *c)
{
	free(c->cluster); /* one block holds all three lists */
	*c = (struct choice){0};
}

bool endpoint_is_local(const struct endpoint *e, const char *node)
{
	return e->node && e->node[0] && streq(e->node, node);
}

static bool text_list_has(const struct text_list *l, const char *text)
{
	for (size_t i = 0; i < l->n; i++)
		if (streq(l->items[i], text))
			return true;
	return false;
}

/* Draining, but still answering: used only when nothing is ready. */
static bool is_last_resort(const struct endpoint *e)
{
	return e->serving && e->terminating;
}

/* A kind of hint counts only if every ready endpoint has one and one of them is ours. */
static enum topology topology_mode(const struct endpoint_list *list, const char *node,
				   const char *zone)
{
	bool all_nodes = true, all_zones = true, our_node = false, our_zone = false;

	for (size_t i = 0; i < list->n; i++) {
		const struct endpoint *e = &list->items[i];

		if (!e->ready)
			continue;
		if (e->for_nodes.n == 0)
			all_nodes = false;
		else
			our_node = our_node || text_list_has(&e->for_nodes, node);
		if (e->for_zones.n == 0)
			all_zones = false;
		else
			our_zone = our_zone || text_list_has(&e->for_zones, zone);
	}
	if (all_nodes && our_node)
		return TOPOLOGY_NODE;
	if (all_zones && our_zone)
		return TOPOLOGY_ZONE;
	return TOPOLOGY_NONE;
}

static size_t choose_cluster(const struct endpoint_list *list, const char *node, const char *zone,
			     unsigned *ret)
{
	enum topology mode = topology_mode(list, node, zone);
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct endpoint *e = &list->items[i];

		if (!e->ready)
			continue;
		if (mode == TOPOLOGY_NODE && !text_list_has(&e->for_nodes, node))
			continue;
		if (mode == TOPOLOGY_ZONE && !text_list_has(&e->for_zones, zone))
			continue;
		ret[n++] = (unsigned)i;
	}
	if (n > 0)
		return n;
	/* Hints do not count here. */
	for (size_t i = 0; i < list->n; i++)
		if (is_last_resort(&list->items[i]))
			ret[n++] = (unsigned)i;
	return n;
}

static size_t choose_local(const struct endpoint_list *list, const char *node, unsigned *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].ready && endpoint_is_local(&list->items[i], node))
			ret[n++] = (unsigned)i;
	if (n > 0)
		return n;
	for (size_t i = 0; i < list->n; i++)
		if (is_last_resort(&list->items[i]) && endpoint_is_local(&list->items[i], node))
			ret[n++] = (unsigned)i;
	return n;
}

/* Both lists ascend, so does the union. */
static size_t merge(const unsigned *a, size_t n_a, const unsigned *b, size_t n_b, unsigned *ret)
{
	size_t n = 0, i = 0, j = 0;

	while (i < n_a || j < n_b) {
		unsigned next;

		if (j == n_b || (i < n_a && a[i] <= b[j]))
			next = a[i];
		else
			next = b[j];
		if (i < n_a && a[i] == next)
			i++;
		if (j < n_b && b[j] == next)
			j++;
		ret[n++] = next;
	}
	return n;
}

int choose_endpoints(const struct endpoint_list *list, bool uses_cluster, bool uses_local,
		     const char *node, const char *zone, struct choice *ret)
{
	struct choice c = {0};
	unsigned *block;

	if (list->n == 0) {
		*ret = c;
		return 0;
	}
	block = calloc(list->n, 3 * sizeof(*block));
	if (!block)
		return -ENOMEM;
	c.cluster = block;
	c.local = block + list->n;
	c.reachable = block + 2 * list->n;

	if (uses_cluster)
		c.n_cluster = choose_cluster(list, node, zone, c.cluster);
	if (uses_local)
		c.n_local = choose_local(list, node, c.local);
	c.n_reachable = merge(c.cluster, c.n_cluster, c.local, c.n_local, c.reachable);
	for (size_t i = 0; i < list->n && !c.any; i++)
		c.any = list->items[i].ready || is_last_resort(&list->items[i]);
	*ret = c;
	return 0;
}
