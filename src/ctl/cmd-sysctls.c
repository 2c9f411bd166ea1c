/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ctl/ctl.h"
#include "kernel/addresses.h"
#include "kernel/sysctl.h"
#include "model/view.h"

/*
 * For the unit, which runs it with all privileges before the daemon that has few. The daemon sets
 * the same ones itself, then and when a setting changes; the kernel lets CAP_NET_ADMIN write the
 * network's sysctls, unless /proc/sys is read-only for it.
 */

/* spec/iptables.md section 3.8 */
static int localhost_node_ports(const struct view *v, bool *ret)
{
	const struct settings *s = &v->world->settings->s;
	_cleanup_(node_port_set_done) struct node_port_set set = {0};
	int r = view_node_ports(v, ADDR_IPV4, &set);

	if (r < 0)
		return r;
	*ret = s->mode == MODE_IPTABLES && s->iptables_localhost_node_ports && set.lists_loopback;
	return 0;
}

/* Those whose old values the clean-up restores are not here: only the daemon writes them, after it
 * has kept what it found. */
static const struct {
	const char *name;
	int64_t value;
	int (*wanted)(const struct view *v, bool *ret);
} sysctls[] = {
	{"net/ipv4/conf/all/route_localnet", 1, localhost_node_ports},
};

static int set_sysctls(const struct ctl *c, const struct view *view, json_t *list)
{
	int status = CTL_OK;

	for (size_t i = 0; i < ELEMENTSOF(sysctls); i++) {
		bool wanted;
		int r = sysctls[i].wanted(view, &wanted);

		if (r < 0)
			return ctl_fail(CTL_FAILED, "%s", strerror(-r));
		if (!wanted)
			continue;
		r = sysctl_ensure_int(sysctls[i].name, sysctls[i].value);
		if (r < 0)
			status = ctl_fail(CTL_FAILED, "cannot set %s to %" PRId64 ": %s",
					  sysctls[i].name, sysctls[i].value, strerror(-r));
		else if (json_array_append_new(
				 list, json_pack("{s:s,s:I,s:b}", "name", sysctls[i].name, "value",
						 (json_int_t)sysctls[i].value, "changed", r)) < 0)
			return ctl_fail(CTL_FAILED, "no memory");
		if (r > 0 && !c->json)
			(void)printf("%s = %" PRId64 "\n", sysctls[i].name, sysctls[i].value);
	}
	return status;
}

int cmd_sysctls(const struct ctl *c)
{
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_(world_unrefp) struct world *world = NULL;
	struct local_addrs *addrs = NULL;
	int r, status = ctl_read_config(c, &config, &world);
	json_t *list;

	/* What a bad file seems to say by leaving something out does not count as said. */
	if (config && ctl_print_diags(config_problems(config), c->verbose) != CTL_OK)
		status = CTL_FAILED;
	if (status != CTL_OK)
		return status;
	r = addresses_read(&addrs);
	if (r < 0)
		return ctl_fail(CTL_FAILED, "cannot read the addresses of this host: %s",
				strerror(-r));
	list = json_array();
	status = list ? set_sysctls(c, &(struct view){.world = world, .addrs = addrs}, list)
		      : ctl_fail(CTL_FAILED, "no memory");
	local_addrs_unref(addrs);
	if (status == CTL_OK && c->json)
		return ctl_print_json(list);
	json_decref(list);
	return status;
}
