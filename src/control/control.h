/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/counts.h"
#include "config/config.h"
#include "model/diag.h"
#include "model/view.h"

/*
 * The control socket's routes and JSON shapes, written once for the daemon and the command (product
 * sheet section 6). Paths and shapes only grow.
 */

#define CONTROL_SOCKET "/run/svcroute/control.sock"

enum control_verb {
	CONTROL_STATUS,	   /* GET /v1/status */
	CONTROL_SERVICES,  /* GET /v1/services */
	CONTROL_ENDPOINTS, /* GET /v1/endpoints, ?service=NS/NAME */
	CONTROL_SETTINGS,  /* GET /v1/settings */
	CONTROL_RELOAD,	   /* POST /v1/reload */
	CONTROL_RESYNC,	   /* POST /v1/resync */
	_CONTROL_VERB_MAX,
};
struct control_route {
	const char *method, *path;
	bool root_only;
};
extern const struct control_route control_routes[_CONTROL_VERB_MAX];

/* What the daemon tells of itself. Borrowed while the JSON is made. */
struct control_status {
	const char *version;
	const char *mode;
	const char *backend; /* backend's description */
	const char *state;   /* "starting", "ok", "degraded", "failing" */
	const char *node_name;
	size_t n_services, n_service_ports, n_endpoints;
	size_t n_files, n_files_refused;
	uint64_t started_usec, last_sync_usec, last_change_usec; /* realtime, 0: never */
	uint64_t n_syncs, n_failed_syncs;
	uint64_t last_sync_duration_usec;
	bool last_sync_full;
	const char *last_error; /* NULL: none */
	uint64_t failing_since_usec;
	const char *const *warnings;
	size_t n_warnings;
	const struct config *config; /* which files are refused, and what is in force instead; may
					be NULL */
	const char *state_directory;
	const char *state_error; /* why the last good state cannot be kept; NULL: it can */
	const struct diags *problems;
	const struct counts *counts; /* NULL: none */
	const char *count_error;     /* why there are none; NULL: the mode does not count */
};

/* All return a new reference, NULL when out of memory. */
json_t *control_status_json(const struct control_status *s);
json_t *control_diags_json(const struct diags *d); /* the array of product sheet section 5 */
/* config tells where each service is defined; NULL: no places. counts: NULL for none. */
json_t *control_services_json(const struct world *w, const struct config *config, const char *node,
			      const char *zone, const struct counts *counts);
/* service NULL: of all services. Real servers that drain and are in no file any more are told, too.
 */
json_t *control_endpoints_json(const struct world *w, const char *service, const char *node,
			       const char *zone, const struct counts *counts);
/* {"connections":...,"inPackets":...,"outPackets":...,"inBytes":...,"outBytes":...}; null for NULL.
 */
json_t *control_counters_json(const struct ipvs_counters *c);
json_t *control_settings_json(const struct settings *s, const struct settings_origin *origin);
/* {"result":"ok"|"refused"|"failed","exit":0|3|1,"message":...,"diagnostics":[...]}: the answer to
 * reload and resync. */
json_t *control_verdict_json(int exit_status, const char *message, const struct diags *d);
