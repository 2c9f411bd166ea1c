/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/strbuf.h"
#include "model/host-check.h"
#include "model/value.h"

/* Between host-check.c, which looks at services, and host-check-settings.c, which looks at
 * NodePortAddresses=. */

struct node_port {
	uint16_t port;
	enum svc_proto protocol;
	struct service_value value; /* a node port or the health-check node port */
	const struct service *service;
};

struct host_check {
	const struct host_facts *facts; /* NULL: not known */
	const struct view *view;
	const struct host_check_places *places;
	struct diags *diags;
	struct node_port *node_ports; /* by port, then protocol */
	size_t n_node_ports, allocated;
	struct node_port_set sets[_ADDR_FAMILY_MAX];
};

static inline bool has_rules(const struct service_def *s)
{
	return !s->headless && s->type != SVC_EXTERNAL_NAME;
}

const char *family_text(int family); /* "IPv4" */

/* "a/b, a/c, a/d and 17 more" */
struct name_list {
	struct strbuf text;
	size_t n;
};
void name_list_add(struct name_list *l, const char *name);
const char *name_list_text(struct name_list *l); /* once, at the end */
/* Marks d when memory ran out. */
void name_list_done(struct name_list *l, struct diags *d);

/* S64b, and what `primary` means on a router. */
void check_node_port_addresses(struct host_check *c);
