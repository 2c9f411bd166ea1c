/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "backend/backend.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "control/client.h"
#include "ctl/ctl.h"
#include "daemon/keep.h"

static bool daemon_runs(const struct ctl *c)
{
	_cleanup_free_ char *path = file_root_path(c->root, CONTROL_SOCKET);
	json_t *body = NULL;
	int status = 0, r;

	r = path ? control_request(path, CONTROL_STATUS, NULL, 5000000, &status, &body) : 0;
	json_decref(body);
	return r != -ENOENT && r != -ECONNREFUSED && r != -ENOTDIR;
}

int cmd_cleanup(const struct ctl *c)
{
	_cleanup_strbuf_ struct strbuf script = {0};
	_cleanup_free_ char *message = NULL, *record = NULL;
	_cleanup_free_ char *directory = file_root_path(c->root, KEEP_DIRECTORY);
	struct ipvs_memory memory;
	int r;

	record = directory ? ipvs_memory_path(directory) : NULL;
	if (!record)
		return ctl_fail(CTL_FAILED, "no memory");
	memory = ipvs_memory_in(directory);
	if (c->print_script) {
		r = backend_cleanup_script(record, &script);
		if (r < 0 || strbuf_error(&script))
			return ctl_fail(CTL_FAILED, "no memory");
		if (c->json)
			return ctl_print_json(json_pack("{s:s}", "script", strbuf_text(&script)));
		return fputs(strbuf_text(&script), stdout) < 0 ? CTL_FAILED : CTL_OK;
	}
	if (!c->force && daemon_runs(c))
		return ctl_fail(CTL_FAILED,
				"the daemon is running and would write the rules again "
				"(stop it first: systemctl stop svcroute; or use --force)");
	r = backend_cleanup(&memory, &message);
	if (c->json) {
		int printed = ctl_print_json(json_pack(
			"{s:s,s:s?}", "result", r < 0 ? "failed" : "ok", "message", message));

		return r < 0 || printed != CTL_OK ? CTL_FAILED : CTL_OK;
	}
	if (r < 0)
		return ctl_fail(CTL_FAILED, "%s", message ? message : strerror(-r));
	return CTL_OK;
}
