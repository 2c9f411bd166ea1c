/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * ctl: svcroutectl itself: its main() under another name.
 *
 * output: the same, but nothing fails while it reads its files: for commands that differ only in
 * what they do with them.
 */
#include "ctl/ctl.h"
#include "faults.h"
#include "import/import.h"
#include "wrap.h"

int svcroutectl_main(int argc, char **argv);

static bool reading_fails = true;

int __real_ctl_read_config(const struct ctl *c, struct config **ret_config,
			   struct world **ret_world);
int __wrap_ctl_read_config(const struct ctl *c, struct config **ret_config,
			   struct world **ret_world);
int __wrap_ctl_read_config(const struct ctl *c, struct config **ret_config,
			   struct world **ret_world)
{
	int r;

	faults_pause(!reading_fails);
	r = __real_ctl_read_config(c, ret_config, ret_world);
	faults_pause(false);
	return r;
}

int __real_import_files(const char *const *files, size_t n, const struct import_options *options,
			struct import_result *ret, struct diags *d);
int __wrap_import_files(const char *const *files, size_t n, const struct import_options *options,
			struct import_result *ret, struct diags *d);
int __wrap_import_files(const char *const *files, size_t n, const struct import_options *options,
			struct import_result *ret, struct diags *d)
{
	int r;

	faults_pause(!reading_fails);
	r = __real_import_files(files, n, options, ret, d);
	faults_pause(false);
	return r;
}

static int run_output(int n, char **arguments)
{
	reading_fails = false;
	return svcroutectl_main(n, arguments);
}

const struct fault_mode fault_mode_ctl = {
	.name = "ctl",
	.error_prefix = "svcroutectl: ",
	.run = svcroutectl_main,
};

const struct fault_mode fault_mode_output = {
	.name = "output",
	.error_prefix = "svcroutectl: ",
	.run = run_output,
};
