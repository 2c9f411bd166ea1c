/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/node.h"
#include "model/service.h"
#include "model/settings.h"

/*
 * From a node tree to services and endpoint groups: all checks that one object allows by itself
 * (spec/model.md sections 1.1 to 1.8). The keys are rows of one table, from which the man pages are
 * made too.
 */

struct key_row {
	const char *key;  /* "nodePort" */
	const char *type; /* for people: "number 1-65535" */
	const char *default_text;
	const char *help; /* one line */
};
extern const struct key_row service_keys[], service_port_keys[], lb_ip_keys[], health_check_keys[],
	endpoint_keys[], endpoint_port_keys[], endpoint_group_keys[];
extern const size_t n_service_keys, n_service_port_keys, n_lb_ip_keys, n_health_check_keys,
	n_endpoint_keys, n_endpoint_port_keys, n_endpoint_group_keys;

/* What one file holds. Arrays of owned pointers in the order written. Initialise with {0}. */
struct objects {
	struct service_def **services;
	size_t n_services, services_allocated;
	struct endpoint_group **groups;
	size_t n_groups, groups_allocated;
};
void objects_done(struct objects *o);
#define _cleanup_objects_ _cleanup_(objects_done)

/* Which of the two lists a file may hold. */
enum objects_kind {
	OBJECTS_SERVICES,  /* services.d: `services = ( ... )` */
	OBJECTS_ENDPOINTS, /* endpoints.d: `endpoints = ( ... )` */
};

/*
 * Reads the root group of a file. All mistakes are reported, not only the first. Settings give the
 * node port range, the service range and the mode (S19, S39). On errors (-EBADMSG) nothing is added
 * to ret. place.file of every object points to tree->file's text as duplicated in file_name, which
 * must outlive the objects.
 */
int objects_read(struct node_tree *tree, enum objects_kind kind, const struct settings *settings,
		 const char *file_name, struct objects *ret, struct diags *d);

/* One service, one endpoint group: for import, whose trees hold one object each. */
int service_def_read(struct node_tree *tree, const struct node *n, const struct settings *settings,
		     const char *file_name, struct service_def **ret, struct diags *d);
int endpoint_group_read(struct node_tree *tree, const struct node *n,
			const struct settings *settings, const char *file_name,
			struct endpoint_group **ret, struct diags *d);

/*
 * Endpoint ports to service ports, merging, trafficDistribution's hints (spec/model.md sections 2.3
 * to 2.7): makes the immutable service. groups are those of endpoints.d in reading order; the
 * inline group comes before them. def is copied. Warnings (W) go to d; a service is made all the
 * same, except -EBADMSG for "which port?" and for an endpoint that is a frontend of the service
 * itself (R), and -ENOMEM.
 */
int service_build(const struct service_def *def, struct endpoint_group *const *groups,
		  size_t n_groups, struct service **ret, struct diags *d);

/* How messages name an endpoint of one of the groups of def: "services[3].endpoints[1]",
 * "endpoints[2].endpoints[1]", "endpoints[1]" in an imported object. Returns the buffer. */
#define ENDPOINT_FIELD_MAX 80
const char *endpoint_def_field(const struct service_def *def, const struct endpoint_group *g,
			       const struct endpoint_def *e, char buf[ENDPOINT_FIELD_MAX]);
