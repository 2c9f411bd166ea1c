/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "base/strbuf.h"
#include "control/control.h"
#include "ctl/ctl.h"

/* Commands that ask the daemon: status, services, endpoints, reload, resync. */

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static json_int_t integer_of(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static void print_line(const char *label, const char *format, ...) _printf_(2, 3);
static void print_line(const char *label, const char *format, ...)
{
	va_list ap;

	(void)printf("%12s: ", label);
	va_start(ap, format);
	(void)vprintf(format, ap);
	va_end(ap);
	(void)putchar('\n');
}

/* In a mode that counts. */
static void print_traffic(const json_t *counters)
{
	if (!json_is_object(counters))
		return;
	print_line("Traffic",
		   "%" JSON_INTEGER_FORMAT " connections; in: %" JSON_INTEGER_FORMAT
		   " packets, %" JSON_INTEGER_FORMAT " bytes; out: %" JSON_INTEGER_FORMAT
		   " packets, %" JSON_INTEGER_FORMAT " bytes",
		   integer_of(counters, "connections"), integer_of(counters, "inPackets"),
		   integer_of(counters, "inBytes"), integer_of(counters, "outPackets"),
		   integer_of(counters, "outBytes"));
}

static int print_status(const json_t *s, bool verbose)
{
	const json_t *warnings = json_object_get(s, "warnings"), *w;
	const json_t *refused = json_object_get(s, "refused");
	size_t i;

	print_line("State", "%s", text_of(s, "state"));
	print_line("Mode", "%s%s%s", text_of(s, "mode"), text_of(s, "backend")[0] ? ", " : "",
		   text_of(s, "backend"));
	print_line("Node", "%s", text_of(s, "nodeName"));
	print_line("Services",
		   "%" JSON_INTEGER_FORMAT ", with %" JSON_INTEGER_FORMAT
		   " ports and %" JSON_INTEGER_FORMAT " endpoints",
		   json_integer_value(json_object_get(s, "services")),
		   json_integer_value(json_object_get(s, "servicePorts")),
		   json_integer_value(json_object_get(s, "endpoints")));
	print_line("Files", "%" JSON_INTEGER_FORMAT ", refused: %" JSON_INTEGER_FORMAT,
		   json_integer_value(json_object_get(s, "files")),
		   json_integer_value(json_object_get(s, "filesRefused")));
	print_line("Last sync", "%s, %.1f ms, %s",
		   text_of(s, "lastSync")[0] ? text_of(s, "lastSync") : "never",
		   json_real_value(json_object_get(s, "lastSyncMilliseconds")),
		   json_is_true(json_object_get(s, "lastSyncFull")) ? "full" : "what changed");
	print_line("Syncs", "%" JSON_INTEGER_FORMAT ", failed: %" JSON_INTEGER_FORMAT,
		   json_integer_value(json_object_get(s, "syncs")),
		   json_integer_value(json_object_get(s, "failedSyncs")));
	print_traffic(json_object_get(s, "counters"));
	print_line("Running", "since %s, version %s", text_of(s, "started"), text_of(s, "version"));
	if (text_of(s, "lastError")[0])
		print_line("Error", "since %s: %s", text_of(s, "failingSince"),
			   text_of(s, "lastError"));
	json_array_foreach(refused, i, w)
	{
		const char *since = text_of(w, "lastGood");

		print_line("Refused", "%s, %s%s", text_of(w, "file"),
			   since[0] ? "in force as last good since " : "left out", since);
	}
	if (text_of(s, "stateError")[0])
		print_line("Warning", "the last good state cannot be kept in %s: %s",
			   text_of(s, "stateDirectory"), text_of(s, "stateError"));
	if (text_of(s, "countersError")[0])
		print_line("Warning", "the kernel's counters cannot be read: %s",
			   text_of(s, "countersError"));
	json_array_foreach(warnings, i, w) print_line("Warning", "%s", json_string_value(w));
	return ctl_print_diags_json(json_object_get(s, "diagnostics"), verbose);
}

int cmd_status(const struct ctl *c)
{
	json_t *body;
	int r = ctl_ask(c, CONTROL_STATUS, NULL, &body);

	if (r != CTL_OK)
		return r;
	if (c->json)
		return ctl_print_json(body);
	r = print_status(body, c->verbose);
	json_decref(body);
	return r;
}

/* Whether a row, or a port of one, has counters: their columns are there only then. */
static bool has_counters(const json_t *rows)
{
	const json_t *row, *port;
	size_t i, k;

	json_array_foreach(rows, i, row)
	{
		if (json_is_object(json_object_get(row, "counters")))
			return true;
		json_array_foreach(json_object_get(row, "ports"), k, port)
		{
			if (json_is_object(json_object_get(port, "counters")))
				return true;
		}
	}
	return false;
}

/* n_plain: the columns before those that show counters. */
static int ask_and_print(const struct ctl *c, enum control_verb verb, const char *service,
			 const struct column *columns, size_t n, size_t n_plain)
{
	json_t *body;
	int r = ctl_ask(c, verb, service, &body);

	if (r != CTL_OK)
		return r;
	if (c->json)
		return ctl_print_json(body);
	r = ctl_print_table(body, columns, has_counters(body) ? n : n_plain);
	json_decref(body);
	return r < 0 ? ctl_fail(CTL_FAILED, "cannot print the table") : CTL_OK;
}

/* services: a line per service; its ports in one cell, as "name 80/TCP:32594 (2/3)". */
static void ports_text(const json_t *row, struct strbuf *out)
{
	const json_t *ports = json_object_get(row, "ports"), *p;
	size_t i;

	if (json_array_size(ports) == 0)
		strbuf_add(out, "-");
	json_array_foreach(ports, i, p)
	{
		const json_t *node_port = json_object_get(p, "nodePort");

		if (i)
			strbuf_add(out, ", ");
		strbuf_addf(out, "%" JSON_INTEGER_FORMAT,
			    json_integer_value(json_object_get(p, "port")));
		if (json_is_integer(node_port))
			strbuf_addf(out, ":%" JSON_INTEGER_FORMAT, json_integer_value(node_port));
		strbuf_addf(out, "/%s", text_of(p, "protocol"));
	}
}

static void endpoints_text(const json_t *row, struct strbuf *out)
{
	const json_t *ports = json_object_get(row, "ports"), *p;
	json_int_t used = 0, all = 0;
	size_t i;

	json_array_foreach(ports, i, p)
	{
		used += json_integer_value(json_object_get(p, "used"));
		all += json_integer_value(json_object_get(p, "endpoints"));
	}
	strbuf_addf(out, "%" JSON_INTEGER_FORMAT "/%" JSON_INTEGER_FORMAT, used, all);
}

static void external_text(const json_t *row, struct strbuf *out)
{
	const json_t *external = json_object_get(row, "externalIPs");
	const json_t *lb = json_object_get(row, "loadBalancerIPs"), *l;
	size_t i;

	if (json_array_size(external))
		ctl_value_text(external, out);
	json_array_foreach(lb, i, l)
		strbuf_addf(out, "%s%s", strbuf_text(out)[0] ? ", " : "", text_of(l, "ip"));
	if (!strbuf_text(out)[0])
		strbuf_add(out, "-");
}

/* A counter of a row, or the sum over its ports: of those that have any. */
static void counter_text(const json_t *row, const char *key, struct strbuf *out)
{
	const json_t *ports = json_object_get(row, "ports"), *p;
	const json_t *counters = json_object_get(row, "counters");
	bool found = json_is_object(counters);
	json_int_t sum = integer_of(counters, key);
	size_t i;

	json_array_foreach(ports, i, p)
	{
		counters = json_object_get(p, "counters");
		found |= json_is_object(counters);
		sum += integer_of(counters, key);
	}
	if (found)
		strbuf_addf(out, "%" JSON_INTEGER_FORMAT, sum);
	else
		strbuf_add(out, "-");
}

#define COUNTER(title, name)                                                           \
	{                                                                              \
		.header = (title), .key = (name), .keyed = counter_text, .right = true \
	}
/* The same for a service and for an endpoint. */
#define TRAFFIC_COLUMNS                                                               \
	COUNTER("CONNS", "connections"), COUNTER("IN-PACKETS", "inPackets"),          \
		COUNTER("OUT-PACKETS", "outPackets"), COUNTER("IN-BYTES", "inBytes"), \
		COUNTER("OUT-BYTES", "outBytes")

int cmd_services(const struct ctl *c)
{
	static const struct column columns[] = {
		{.header = "SERVICE", .key = "name"},
		{.header = "TYPE", .key = "type"},
		{.header = "CLUSTER-IP", .key = "clusterIPs"},
		{.header = "EXTERNAL-IP", .text = external_text},
		{.header = "PORTS", .text = ports_text},
		{.header = "USED/ALL", .text = endpoints_text, .right = true},
		TRAFFIC_COLUMNS,
	};

	return ask_and_print(c, CONTROL_SERVICES, NULL, columns, ELEMENTSOF(columns), 6);
}

static void state_text(const json_t *row, struct strbuf *out)
{
	bool terminating = json_is_true(json_object_get(row, "terminating"));

	if (json_is_true(json_object_get(row, "ready")))
		strbuf_add(out, terminating ? "ready, terminating" : "ready");
	else if (json_is_true(json_object_get(row, "serving")))
		strbuf_add(out, terminating ? "draining" : "serving, not ready");
	else
		strbuf_add(out, "down");
}

int cmd_endpoints(const struct ctl *c)
{
	static const struct column columns[] = {
		{.header = "SERVICE", .key = "servicePort"},
		{.header = "PROTOCOL", .key = "protocol"},
		{.header = "ENDPOINT", .key = "endpoint"},
		{.header = "STATE", .text = state_text},
		{.header = "USED", .key = "used"},
		{.header = "LOCAL", .key = "local"},
		{.header = "NODE", .key = "node"},
		{.header = "ZONE", .key = "zone"},
		COUNTER("WEIGHT", "weight"),
		COUNTER("ACTIVE", "activeConnections"),
		COUNTER("INACTIVE", "inactiveConnections"),
		TRAFFIC_COLUMNS,
	};
	_cleanup_free_ char *full = NULL;
	const char *service = c->n_arguments ? c->arguments[0] : NULL;

	/* "nginx" means default/nginx, as in the files. */
	if (service && !strchr(service, '/')) {
		if (asprintf(&full, "default/%s", service) < 0) {
			full = NULL; /* undefined after a failure */
			return ctl_fail(CTL_FAILED, "no memory");
		}
		service = full;
	}
	return ask_and_print(c, CONTROL_ENDPOINTS, service, columns, ELEMENTSOF(columns), 8);
}

static int ask_verdict(const struct ctl *c, enum control_verb verb)
{
	const char *message;
	json_t *body;
	int status, r = ctl_ask(c, verb, NULL, &body);

	if (r != CTL_OK)
		return r;
	status = (int)json_integer_value(json_object_get(body, "exit"));
	if (c->json) {
		r = ctl_print_json(body);
		return r == CTL_OK ? status : r;
	}
	if (ctl_print_diags_json(json_object_get(body, "diagnostics"), c->verbose) != CTL_OK)
		status = CTL_FAILED;
	message = json_string_value(json_object_get(body, "message"));
	if (status)
		(void)ctl_fail(status, "%s", message ? message : "failed");
	json_decref(body);
	return status;
}

int cmd_reload(const struct ctl *c)
{
	return ask_verdict(c, CONTROL_RELOAD);
}

int cmd_resync(const struct ctl *c)
{
	return ask_verdict(c, CONTROL_RESYNC);
}
