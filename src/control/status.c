/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cleanup.h"
#include "control/control.h"
#include "control/json.h"

json_t *control_diags_json(const struct diags *d)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < d->n; i++) {
		const struct diag *m = &d->items[i];
		struct json_maker o = json_make();

		json_take(&o, "file", json_text(m->file));
		json_take(&o, "line", json_integer(m->line));
		json_take(&o, "column", json_integer(m->column));
		json_take(&o, "severity", json_text(diag_severity_text(m->severity)));
		json_take(&o, "object", json_text(m->object));
		json_take(&o, "field", json_text(m->field));
		json_take(&o, "value", json_text(m->value));
		json_take(&o, "reason", json_text(m->reason));
		json_take(&o, "hint", json_text(m->hint));
		if (!json_push(&list, json_made(&o)))
			return NULL;
	}
	return list;
}

static json_t *texts_json(const char *const *texts, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		if (!json_push(&list, json_text(texts[i])))
			return NULL;
	return list;
}

/* [{"file":...,"lastGood":TIME or null}]: null when nothing is in force in its place. */
static json_t *refused_json(const struct config *config)
{
	json_t *list = json_array();
	struct config_refused refused;
	size_t pos = 0;

	while (config && config_next_refused(config, &pos, &refused)) {
		struct json_maker o = json_make();

		json_take(&o, "file", json_text(refused.path));
		json_take(&o, "lastGood", json_time(refused.since_usec));
		if (!json_push(&list, json_made(&o)))
			return NULL;
	}
	return list;
}

static json_t *sum_json(const struct counts *c)
{
	struct ipvs_counters sum = {0};

	for (size_t i = 0; c && i < c->n_ports; i++)
		counters_add(&sum, &c->ports[i].counters);
	return control_counters_json(c ? &sum : NULL);
}

json_t *control_status_json(const struct control_status *s)
{
	struct json_maker o = json_make();

	json_take(&o, "version", json_text(s->version));
	json_take(&o, "state", json_text(s->state));
	json_take(&o, "mode", json_text(s->mode));
	json_take(&o, "backend", json_text(s->backend));
	json_take(&o, "nodeName", json_text(s->node_name));
	json_take(&o, "services", json_integer((json_int_t)s->n_services));
	json_take(&o, "servicePorts", json_integer((json_int_t)s->n_service_ports));
	json_take(&o, "endpoints", json_integer((json_int_t)s->n_endpoints));
	json_take(&o, "files", json_integer((json_int_t)s->n_files));
	json_take(&o, "filesRefused", json_integer((json_int_t)s->n_files_refused));
	json_take(&o, "started", json_time(s->started_usec));
	json_take(&o, "lastSync", json_time(s->last_sync_usec));
	json_take(&o, "lastChange", json_time(s->last_change_usec));
	json_take(&o, "lastSyncMilliseconds", json_real((double)s->last_sync_duration_usec / 1000));
	json_take(&o, "lastSyncFull", json_boolean(s->last_sync_full));
	json_take(&o, "syncs", json_integer((json_int_t)s->n_syncs));
	json_take(&o, "failedSyncs", json_integer((json_int_t)s->n_failed_syncs));
	json_take(&o, "lastError", json_text(s->last_error));
	json_take(&o, "failingSince", json_time(s->failing_since_usec));
	json_take(&o, "refused", refused_json(s->config));
	json_take(&o, "stateDirectory", json_text(s->state_directory));
	json_take(&o, "stateError", json_text(s->state_error));
	json_take(&o, "warnings", texts_json(s->warnings, s->n_warnings));
	json_take(&o, "counters", sum_json(s->counts));
	json_take(&o, "countersError", json_text(s->count_error));
	json_take(&o, "diagnostics", control_diags_json(s->problems));
	return json_made(&o);
}

json_t *control_verdict_json(int exit_status, const char *message, const struct diags *d)
{
	struct json_maker o = json_make();

	json_take(&o, "result",
		  json_text(exit_status == 0   ? "ok"
			    : exit_status == 3 ? "refused"
					       : "failed"));
	json_take(&o, "exit", json_integer(exit_status));
	json_take(&o, "message", json_text(message));
	json_take(&o, "diagnostics", control_diags_json(d));
	return json_made(&o);
}

json_t *control_settings_json(const struct settings *s, const struct settings_origin *origin)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n_setting_rows; i++) {
		const struct setting_row *row = &setting_rows[i];
		const struct place *at = &origin->places[i];
		_cleanup_strbuf_ struct strbuf value = {0};
		struct json_maker o = json_make();

		row->print(row, s, &value);
		json_take(&o, "section", json_text(row->section));
		json_take(&o, "key", json_text(row->key));
		json_take(&o, "value",
			  strbuf_error(&value) ? NULL : json_text(strbuf_text(&value)));
		json_take(&o, "default", json_text(row->default_text));
		json_take(&o, "file", json_text(at->file));
		json_take(&o, "line", at->file ? json_integer(at->line) : json_null());
		json_take(&o, "change", json_text(setting_scope_text(row->scope)));
		if (!json_push(&list, json_made(&o)))
			return NULL;
	}
	return list;
}
