/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "control/control.h"
#include "ctl/ctl.h"
#include "import/import.h"

static int to_stdout(const struct import_result *result)
{
	_cleanup_strbuf_ struct strbuf out = {0};

	import_print(result, &out);
	if (strbuf_error(&out))
		return ctl_fail(CTL_FAILED, "no memory");
	if (fwrite(strbuf_text(&out), 1, out.len, stdout) != out.len || fflush(stdout) == EOF)
		return ctl_fail(CTL_FAILED, "cannot write to standard output");
	return CTL_OK;
}

static int to_directory(const struct ctl *c, const struct import_result *result)
{
	_cleanup_free_ char *message = NULL;
	int r = import_write(result, c->output, c->force, &message);

	if (r == -EEXIST)
		return ctl_fail(CTL_FAILED, "%s (nothing was written; --force replaces)",
				message ? message : "a file exists");
	if (r < 0)
		return ctl_fail(CTL_FAILED, "%s: nothing was written",
				message ? message : strerror(-r));
	return CTL_OK;
}

int cmd_import(const struct ctl *c)
{
	const struct import_options options = {.node_name = c->node, .stdin_fd = STDIN_FILENO};
	_cleanup_import_result_ struct import_result result = {0};
	_cleanup_diags_ struct diags d = {0};
	int r, status;

	r = import_files((const char *const *)c->arguments, c->n_arguments, &options, &result, &d);
	if (c->json && (r < 0 || c->output)) {
		status = ctl_print_json(control_diags_json(&d));
	} else {
		status = ctl_print_diags(&d, c->verbose);
	}
	if (status != CTL_OK)
		return status;
	if (r == -EBADMSG)
		return CTL_REFUSED;
	if (r < 0)
		return ctl_fail(CTL_FAILED, "cannot import: %s", strerror(-r));
	return c->output ? to_directory(c, &result) : to_stdout(&result);
}
