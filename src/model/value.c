/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/value.h"

#include <stdio.h>

/* NULL: not known. */
static const struct value_place *find_place(const struct service_def *d, struct service_value v)
{
	const struct service_places *p = d->places;
	size_t n_node_ports = service_n_node_port_places(d);

	if (!p)
		return NULL;
	switch (v.key) {
	case VALUE_NAME:
		return &p->name;
	case VALUE_CLUSTER_IP:
		return v.index < _ADDR_FAMILY_MAX ? &p->cluster_ips[v.index] : NULL;
	case VALUE_NODE_PORT:
		return v.index < n_node_ports ? &p->lists[v.index] : NULL;
	case VALUE_EXTERNAL_IP:
		return v.index < d->n_external_ips ? &p->lists[n_node_ports + v.index] : NULL;
	case VALUE_LB_IP:
		return v.index < d->n_lb_ips ? &p->lists[n_node_ports + d->n_external_ips + v.index]
					     : NULL;
	case VALUE_HEALTH_CHECK_NODE_PORT:
		return &p->health_check_node_port;
	case _VALUE_KEY_MAX:
		break;
	}
	return NULL;
}

void service_value_place(const struct service_def *d, struct service_value v, struct place *ret)
{
	const struct value_place *p = find_place(d, v);

	*ret = d->at;
	if (p && p->line > 0) {
		ret->line = p->line;
		ret->column = p->column;
	}
}

static const char *format_list(const struct value_place *p, const char *key,
			       char buf[SERVICE_VALUE_MAX])
{
	if (p && p->in_list)
		(void)snprintf(buf, SERVICE_VALUE_MAX, "%s[%u]%s", key, p->index,
			       p->in_group ? ".ip" : "");
	else
		(void)snprintf(buf, SERVICE_VALUE_MAX, "%s", key);
	return buf;
}

const char *service_value_text(const struct service_def *d, struct service_value v,
			       char buf[SERVICE_VALUE_MAX])
{
	const struct value_place *p = find_place(d, v);

	switch (v.key) {
	case VALUE_NAME:
		return format_list(NULL, "name", buf);
	case VALUE_CLUSTER_IP:
		return format_list(p, p && p->in_list ? "clusterIPs" : "clusterIP", buf);
	case VALUE_NODE_PORT:
		(void)snprintf(buf, SERVICE_VALUE_MAX, "ports[%u].nodePort", v.index);
		return buf;
	case VALUE_EXTERNAL_IP:
		return format_list(p, "externalIPs", buf);
	case VALUE_LB_IP:
		return format_list(p, "loadBalancerIPs", buf);
	case VALUE_HEALTH_CHECK_NODE_PORT:
		return format_list(NULL, "healthCheckNodePort", buf);
	case _VALUE_KEY_MAX:
		break;
	}
	return format_list(NULL, "", buf);
}

const char *service_value_field(const struct service_def *d, struct service_value v,
				char buf[SERVICE_VALUE_MAX])
{
	char text[SERVICE_VALUE_MAX];

	(void)service_value_text(d, v, text);
	if (d->position < 0)
		(void)snprintf(buf, SERVICE_VALUE_MAX, "%s", text);
	else
		(void)snprintf(buf, SERVICE_VALUE_MAX, "services[%d].%.40s", d->position, text);
	return buf;
}

const char *place_text(const struct place *p, struct strbuf *b)
{
	strbuf_add(b, p->file ? p->file : "?");
	if (p->file && p->line > 0)
		strbuf_addf(b, ":%d", p->line);
	if (p->file && p->line > 0 && p->column > 0)
		strbuf_addf(b, ":%d", p->column);
	return strbuf_text(b);
}
