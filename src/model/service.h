/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "model/diag.h"
#include "model/node.h"

/* Services and endpoints as data. spec/model.md sections 1 and 2. */

enum svc_proto {
	SVC_TCP,
	SVC_UDP,
	SVC_SCTP,
	_SVC_PROTO_MAX,
	_SVC_PROTO_INVALID = -22,
};
const char *svc_proto_text(enum svc_proto p);  /* "TCP" */
const char *svc_proto_lower(enum svc_proto p); /* "tcp" */

enum svc_type {
	SVC_CLUSTER_IP,
	SVC_NODE_PORT,
	SVC_LOAD_BALANCER,
	SVC_EXTERNAL_NAME,
	_SVC_TYPE_MAX,
};
const char *svc_type_text(enum svc_type t); /* "ClusterIP" */

enum svc_distribution {
	SVC_DISTRIBUTION_NONE,
	SVC_PREFER_SAME_ZONE, /* also PreferClose */
	SVC_PREFER_SAME_NODE,
};

struct text_list {
	char **items;
	size_t n;
};
void text_list_done(struct text_list *l);
/* Copies; a list without items takes no memory. -ENOMEM. */
int text_list_copy(const struct text_list *l, struct text_list *ret);
bool text_list_equal(const struct text_list *a, const struct text_list *b);

/* One port of a service as written. */
struct service_port {
	char *name; /* "" when unnamed */
	enum svc_proto protocol;
	uint16_t port;
	uint16_t node_port;   /* 0: none */
	uint16_t target_port; /* 0: by name */
	char *target_name;    /* NULL: by number */
};

struct lb_ip {
	struct addr ip;
	bool proxy; /* ipMode Proxy: no rules */
};

/* One endpoint as written, in a group. */
struct endpoint_def {
	struct addr ip;
	uint16_t port; /* from "ip:port" or port=, 0: from the ports of the group or the service */
	bool ready, serving, terminating;
	uint16_t weight;
	char *hostname, *node, *zone; /* NULL: not given */
	struct text_list for_zones, for_nodes;
	/* Of this entry alone: they come before those of the group, and are sorted like them. */
	struct endpoint_port *ports;
	size_t n_ports;
	int line, column; /* in the file of the group */
};

struct endpoint_port {
	char *name; /* "" when unnamed */
	enum svc_proto protocol;
	uint16_t port;
};
/* Order by name, then protocol: the key under which a port is looked up. */
int endpoint_port_compare(const void *a, const void *b);

/* A slice: endpoints that share ports. Belongs to the service named by key. */
struct endpoint_group {
	char *service;	 /* "default/nginx" */
	struct place at; /* file: owned by the file that it came from */
	int position;	 /* in the list of the file, -1: an object by itself (import) */
	int service_line, service_column; /* of the value of `service` in the file; 0: not known */
	/* `ports` was written: with n_ports == 0 no port of the service gets an endpoint. */
	bool ports_given;
	struct endpoint_port *ports; /* sorted by endpoint_port_compare(); NULL, 0: none */
	size_t n_ports;
	struct endpoint_def *endpoints;
	size_t n_endpoints;
};
struct endpoint_group *endpoint_group_free(struct endpoint_group *g);
DEFINE_CLEANUP(struct endpoint_group, endpoint_group_free);

enum check_type { CHECK_NONE, CHECK_TCP, CHECK_HTTP, CHECK_HTTPS, CHECK_EXEC };
struct health_check {
	enum check_type type;
	uint16_t port; /* 0: the endpoint's */
	char *path, *host, *expect;
	uint64_t interval_usec, timeout_usec; /* 0: the setting's default */
	unsigned rise, fall;		      /* 0: the setting's default */
	struct text_list command;
};

/* A service as one file states it. */
struct service_def {
	char *key;	 /* "namespace/name" */
	struct place at; /* file: owned by the file that it came from */
	int position;	 /* in the list of the file, -1: an object by itself (import) */
	enum svc_type type;
	bool headless;
	/* By family; has_cluster_ip says which are there. */
	struct addr cluster_ips[_ADDR_FAMILY_MAX];
	bool has_cluster_ip[_ADDR_FAMILY_MAX];
	int primary_family; /* family of the first clusterIP as written */
	struct service_port *ports;
	size_t n_ports;
	struct addr *external_ips; /* duplicates removed, order as written, both families */
	size_t n_external_ips;
	struct lb_ip *lb_ips;
	size_t n_lb_ips;
	struct addr_prefix *source_ranges;
	size_t n_source_ranges;
	bool affinity; /* ClientIP */
	uint32_t affinity_seconds;
	bool external_local, internal_local;
	uint16_t health_check_node_port; /* 0: none */
	bool publish_not_ready;
	enum svc_distribution distribution;
	char *external_name;	       /* NULL: none */
	char *scheduler;	       /* NULL: the setting's */
	bool cut;		       /* onEndpointRemoval */
	bool flag_fallback, flag_port; /* schedulerFlags */
	struct health_check health_check;
	struct endpoint_group *inline_group; /* endpoints= in the service; NULL: none */
	struct service_places *places;	     /* model/value.h; NULL: not known */
};
struct service_def *service_def_free(struct service_def *s);
DEFINE_CLEANUP(struct service_def, service_def_free);

/* An endpoint of one service port, ready for the compilers. */
struct endpoint {
	struct addr ip;
	uint16_t port;
	bool ready, serving, terminating;
	uint16_t weight;
	char *node, *zone, *hostname;	       /* NULL: none */
	struct text_list for_zones, for_nodes; /* hints: explicit, or from trafficDistribution */
};

/* Endpoints of one service port in one family, ascending bytewise by the text "ip:port"
 * (spec/iptables.md section 3.2; this is the order of all rules), each text once. */
struct endpoint_list {
	struct endpoint *items;
	size_t n;
};

/*
 * A service with its endpoints merged: immutable, reference-counted. A service whose content did
 * not change is the same object in the next world, so pointers are compared to find what changed.
 * A copy of the definition it was made from is owned (def), without its inline group and without
 * its places: the service stays when its file is written anew with the same content on other lines.
 */
struct service {
	unsigned refs;
	const struct service_def *def;
	const char *key; /* def->key */
	/* [port index][family]. A headless service without ports has one pair, with the addresses
	 * of its endpoints (their port as written, 0: none), for listings and exports.
	 * ExternalName: all empty. */
	struct endpoint_list (*endpoints)[_ADDR_FAMILY_MAX];
	size_t n_endpoints[_ADDR_FAMILY_MAX]; /* sum over the ports, usable or not: large mode
						 counts these */
};
/* A service with one reference, a copy of def and empty endpoint lists, for service_build().
 * -ENOMEM. */
int service_new(const struct service_def *def, struct service **ret);
/* Pairs of lists in endpoints: the number of ports, but at least 1. */
size_t service_n_lists(const struct service *s);
struct service *service_ref(struct service *s);
struct service *service_unref(struct service *s); /* accepts and returns NULL */
DEFINE_CLEANUP(struct service, service_unref);

/* True when two services give the same rules, listings and exports. Places are not compared. */
bool service_equal(const struct service *a, const struct service *b);

/* "default/nginx:tcp-80", "default/nginx" for an unnamed port (spec/iptables.md section 2).
 * 192 bytes are always enough. Returns the buffer. */
#define SERVICE_PORT_NAME_MAX 200
const char *service_port_name(const struct service *s, size_t port,
			      char buf[SERVICE_PORT_NAME_MAX]);

/* "externally accessible" of the object, S72: NodePort, LoadBalancer, or ClusterIP with an external
 * IP of any family. */
bool service_def_externally_accessible(const struct service_def *s);
