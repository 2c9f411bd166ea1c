/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/strbuf.h"
#include "model/service.h"

/*
 * Which value of a service a message is about, how the message names it, and where it stands in its
 * file. Clashes are found when the node tree of the file is long gone.
 */
enum value_key {
	VALUE_NAME,
	VALUE_CLUSTER_IP,
	VALUE_NODE_PORT,
	VALUE_EXTERNAL_IP,
	VALUE_LB_IP,
	VALUE_HEALTH_CHECK_NODE_PORT,
	_VALUE_KEY_MAX,
};
struct service_value {
	enum value_key key;
	/* Family of a cluster IP; of ports, external_ips or lb_ips; else 0. */
	unsigned index;
};

/* A value in a file. */
struct value_place {
	int line, column;    /* 0: the value is not there */
	unsigned index : 30; /* as written, with what is listed twice, if in_list */
	bool in_list : 1;
	bool in_group : 1; /* { ip = ...; } in the list */
};

/* Of a definition that came from a list of a file. One block, for there is one for each service. */
struct service_places {
	struct value_place name, health_check_node_port;
	struct value_place cluster_ips[_ADDR_FAMILY_MAX];
	/* Of node ports (by port), external IPs and load-balancer IPs, one behind the other. */
	struct value_place lists[];
};
/* Node ports have places only when the type allows node ports. */
static inline size_t service_n_node_port_places(const struct service_def *d)
{
	return d->type == SVC_NODE_PORT || d->type == SVC_LOAD_BALANCER ? d->n_ports : 0;
}

/* Where the value stands; where the service does, if that is not known. The file is borrowed from
 * the definition. */
void service_value_place(const struct service_def *d, struct service_value v, struct place *ret);

/* "ports[0].nodePort". Returns the buffer. */
#define SERVICE_VALUE_MAX 64
const char *service_value_text(const struct service_def *d, struct service_value v,
			       char buf[SERVICE_VALUE_MAX]);
/* "services[1].ports[0].nodePort"; without the list when the service is an object by itself, or of
 * a world. Returns the buffer. */
const char *service_value_field(const struct service_def *d, struct service_value v,
				char buf[SERVICE_VALUE_MAX]);

/* "FILE:LINE:COLUMN", "?" without a file; the text is in b, behind what was there. */
const char *place_text(const struct place *p, struct strbuf *b);
