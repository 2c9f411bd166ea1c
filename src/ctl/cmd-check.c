/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "control/control.h"
#include "ctl/ctl.h"
#include "kernel/addresses.h"
#include "kernel/host-facts.h"
#include "model/host-check.h"
#include "rules/ipvs.h"
#include "rules/ruleset.h"

static int compile_ipvs(const struct view *view, struct diags *d)
{
	int family, r = 0;

	for (family = 0; family < _ADDR_FAMILY_MAX && r >= 0; family++) {
		_cleanup_(ipvs_state_unrefp) struct ipvs_state *state = NULL;

		r = ipvs_state_make(view, (enum addr_family)family, NULL, &state);
		if (r == 0)
			ipvs_state_check(state, d);
	}
	return r;
}

/* Compiles for both families, so that what passes here can be written. */
static int compile(const struct view *view, struct diags *d)
{
	const struct kernel_facts facts = {.nfacct = true};
	int family, r = 0;

	if (view->world->settings->s.mode == MODE_IPVS)
		return compile_ipvs(view, d);
	for (family = 0; family < _ADDR_FAMILY_MAX && r >= 0; family++) {
		_cleanup_(ruleset_unrefp) struct ruleset *rules = NULL;

		r = ruleset_compile(view, (enum addr_family)family, &facts, NULL, &rules);
	}
	return r;
}

static const struct service_def *definition_of(const void *config, const char *service)
{
	return config_definition(config, service);
}

/* What does not go with this host. A directory that was named may be for another one: then only
 * what holds for every host. */
static int check_host(const struct ctl *c, const struct config *config, const struct view *view,
		      struct diags *d)
{
	const struct host_check_places places = {
		.service = definition_of, .userdata = config, .origin = config_origin(config)};
	_cleanup_host_facts_ struct host_facts facts = {0};
	bool known = c->n_arguments == 0;
	int r = 0;

	if (known)
		r = host_facts_read(true, &facts);
	if (r == -ENOMEM)
		return r;
	/* Unprivileged, or no netlink: the rest is told all the same. */
	return host_check_world(known && r == 0 ? &facts : NULL, view, &places, d);
}

/* Adds what can be told of a configuration that can be read. */
static int check_world(const struct ctl *c, const struct config *config, struct world *world,
		       struct diags *d)
{
	struct local_addrs *addrs = NULL;
	struct view view = {.world = world};
	int r;

	r = addresses_read(&addrs);
	if (r < 0)
		r = addresses_from_text("", &addrs); /* unprivileged, or no netlink: none will do */
	view.addrs = addrs;
	if (r == 0)
		r = check_host(c, config, &view, d);
	if (r == 0)
		r = compile(&view, d);
	local_addrs_unref(addrs);
	diags_sort(d);
	return r < 0 ? r : d->error;
}

int cmd_check(const struct ctl *c)
{
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_(world_unrefp) struct world *world = NULL;
	_cleanup_diags_ struct diags d = {0};
	int status, r;

	status = ctl_read_config(c, &config, &world);
	if (!config)
		return status;
	diags_copy(&d, config_problems(config));
	r = status == CTL_OK ? check_world(c, config, world, &d) : d.error;
	if (r < 0)
		return ctl_fail(CTL_FAILED, "cannot compile: %s", strerror(-r));
	if (status == CTL_OK && c->strict && d.n_warnings)
		status = CTL_REFUSED;
	if (c->json) {
		r = ctl_print_json(control_diags_json(&d));
		return r == CTL_OK ? status : r;
	}
	r = ctl_print_diags(&d, c->verbose);
	if (r != CTL_OK)
		return r;
	if (status == CTL_OK)
		(void)printf("%zu files, %zu services, %zu endpoints: fine%s\n",
			     config_n_files(config), world->n_services, world->n_endpoints,
			     d.n_warnings ? ", with warnings" : "");
	return status;
}
