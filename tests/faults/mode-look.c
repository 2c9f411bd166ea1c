/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * look: rules that were found on the host, IPv4, are read; what has to be written to make them
 * those of B, and to take away all that is ours, is planned.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/iptables-plan.h"
#include "base/file.h"
#include "faults.h"
#include "pass.h"
#include "wrap.h"

static struct {
	char directory[SCRATCH_MAX];
	struct config *config;
	struct pass pass;
	char *saved;
	size_t size;
} look;

static int plan_sync(const struct iptables_seen *seen, struct strbuf *out)
{
	_cleanup_iptables_plan_ struct iptables_plan plan = {0};
	const struct plan_options options = {.blocks = true};
	int r;

	r = iptables_plan_make(NULL, look.pass.rules[ADDR_IPV4], seen, &options, &plan);
	if (r < 0)
		return r;
	for (size_t i = 0; i < plan.n_steps; i++)
		strbuf_add_bytes(out, plan.steps[i].text, plan.steps[i].size);
	for (size_t i = 0; i < plan.kept.n; i++)
		strbuf_addf(out, "kept: %s %s\n", plan.kept.items[i].chain,
			    plan.kept.items[i].rule ? plan.kept.items[i].rule : "");
	return strbuf_error(out);
}

static int plan_cleanup(const struct iptables_seen *seen, struct strbuf *out)
{
	_cleanup_cleanup_plan_ struct cleanup_plan plan = {0};
	int r = iptables_plan_cleanup(seen, ADDR_IPV4, &plan);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ELEMENTSOF(plan.texts); i++)
		strbuf_add_bytes(out, plan.texts[i], plan.sizes[i]);
	for (size_t i = 0; i < plan.kept.n; i++)
		strbuf_addf(out, "kept: %s\n", plan.kept.items[i].chain);
	return strbuf_error(out);
}

static int run(int n, char **arguments)
{
	_cleanup_iptables_seen_ struct iptables_seen seen = {0};
	_cleanup_strbuf_ struct strbuf out = {0};
	int r = iptables_seen_read(look.saved, look.size, &seen);

	(void)n;
	(void)arguments;
	if (r == 0)
		r = plan_sync(&seen, &out);
	if (r == 0)
		r = plan_cleanup(&seen, &out);
	faults_stop();
	if (r == 0)
		(void)printf("%s", strbuf_text(&out));
	else
		(void)fprintf(stderr, "look: %s\n", strerror(-r));
	return r == 0 ? 0 : r == -ENOMEM ? 1 : wrong("not -ENOMEM");
}

static int prepare(int n, char **arguments)
{
	const struct config_places places = {.root = look.directory};
	_cleanup_strbuf_ struct strbuf plan = {0};
	int r;

	if (n < 3)
		return -EINVAL;
	r = scratch_make(look.directory);
	if (r == 0)
		r = scratch_switch(look.directory, arguments[1]);
	if (r == 0)
		r = file_read(AT_FDCWD, arguments[2], 1 << 20, &look.saved, &look.size, NULL);
	if (r == 0)
		r = pass_addrs(&look.pass.addrs);
	if (r == 0)
		r = config_new(&places, &look.config);
	if (r == 0)
		r = pass_run(look.config, NULL, 0, NULL, &look.pass, &plan);
	return r;
}

static void clean_up(void)
{
	struct local_addrs *addrs = look.pass.addrs;

	pass_done(&look.pass);
	local_addrs_unref(addrs);
	config_free(look.config);
	free(look.saved);
	fault_remove_tree(look.directory);
}

const struct fault_mode fault_mode_look = {
	.name = "look",
	.error_prefix = "look: ",
	.prepare = prepare,
	.run = run,
	.clean_up = clean_up,
};
