/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "control/control.h"
#include "ctl/ctl.h"
#include "kernel/addresses.h"
#include "rules/ruleset.h"

/* Compiles for both families, so that what passes here can be written. */
static int compile(struct world *world)
{
	struct local_addrs *addrs = NULL;
	struct view view = {.world = world};
	const struct kernel_facts facts = {.nfacct = true};
	int family, r;

	r = addresses_read(&addrs);
	if (r < 0)
		r = addresses_from_text("", &addrs); /* unprivileged, or no netlink: none will do */
	view.addrs = addrs;
	for (family = 0; family < _ADDR_FAMILY_MAX && r >= 0; family++) {
		_cleanup_(ruleset_unrefp) struct ruleset *rules = NULL;

		r = ruleset_compile(&view, (enum addr_family)family, &facts, NULL, &rules);
	}
	local_addrs_unref(addrs);
	return r;
}

int cmd_check(const struct ctl *c)
{
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_(world_unrefp) struct world *world = NULL;
	const struct diags *d;
	int status, r;

	status = ctl_read_config(c, &config, &world);
	if (!config)
		return status;
	d = config_problems(config);
	if (status == CTL_OK && c->strict && d->n_warnings)
		status = CTL_REFUSED;
	if (status == CTL_OK) {
		r = compile(world);
		if (r < 0)
			return ctl_fail(CTL_FAILED, "cannot compile: %s", strerror(-r));
	}
	if (c->json) {
		r = ctl_print_json(control_diags_json(d));
		return r == CTL_OK ? status : r;
	}
	r = ctl_print_diags(d, c->verbose);
	if (r != CTL_OK)
		return r;
	if (status == CTL_OK)
		(void)printf("%zu files, %zu services, %zu endpoints: fine%s\n",
			     config_n_files(config), world->n_services, world->n_endpoints,
			     d->n_warnings ? ", with warnings" : "");
	return status;
}
