/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "control/client.h"
#include "ctl/ctl.h"

/* settings: those in force in the daemon; without a daemon, those that the files give. */

static void name_text(const json_t *row, struct strbuf *out)
{
	strbuf_addf(out, "[%s] %s=", json_string_value(json_object_get(row, "section")),
		    json_string_value(json_object_get(row, "key")));
}

static void value_text(const json_t *row, struct strbuf *out)
{
	strbuf_add(out, json_string_value(json_object_get(row, "value")));
}

static void origin_text(const json_t *row, struct strbuf *out)
{
	const char *file = json_string_value(json_object_get(row, "file"));

	if (file)
		strbuf_addf(out, "%s:%" JSON_INTEGER_FORMAT, file,
			    json_integer_value(json_object_get(row, "line")));
	else
		strbuf_add(out, "default");
}

static int from_files(const struct ctl *c, json_t **ret)
{
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_(world_unrefp) struct world *world = NULL;
	int r = ctl_read_config(c, &config, &world);

	if (config && ctl_print_diags(config_problems(config), c->verbose) != CTL_OK)
		r = CTL_FAILED;
	if (r != CTL_OK)
		return r;
	*ret = control_settings_json(&world->settings->s, config_origin(config));
	return *ret ? CTL_OK : ctl_fail(CTL_FAILED, "no memory");
}

int cmd_settings(const struct ctl *c)
{
	static const struct column columns[] = {
		{.header = "SETTING", .text = name_text},
		{.header = "VALUE", .text = value_text},
		{.header = "FROM", .text = origin_text},
	};
	_cleanup_free_ char *path = file_root_path(c->root, CONTROL_SOCKET);
	json_t *body = NULL;
	int status = 0, r;

	if (!path)
		return ctl_fail(CTL_FAILED, "no memory");
	r = control_request(path, CONTROL_SETTINGS, NULL, 10000000, &status, &body);
	if (r == -ENOMEM)
		return ctl_fail(CTL_FAILED, "no memory");
	if (r < 0 || status != 200) {
		json_decref(body);
		r = from_files(c, &body);
		if (r != CTL_OK)
			return r;
		(void)fprintf(stderr,
			      "svcroutectl: no daemon answered, these are the files' settings\n");
	}
	if (c->json)
		return ctl_print_json(body);
	r = ctl_print_table(body, columns, ELEMENTSOF(columns));
	json_decref(body);
	return r < 0 ? ctl_fail(CTL_FAILED, "cannot print the table") : CTL_OK;
}
