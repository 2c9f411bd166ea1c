/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "backend/iptables-plan.h"
#include "base/text.h"
#include "ctl/ctl.h"
#include "kernel/addresses.h"
#include "kernel/nfacct.h"
#include "kernel/sysctl.h"
#include "rules/ipvs.h"

static int parse_family(const struct ctl *c, enum addr_family *ret)
{
	static const char *const names[_ADDR_FAMILY_MAX] = {"ipv4", "ipv6"};
	int i = c->family ? text_index(c->family, names, ELEMENTSOF(names)) : ADDR_IPV4;

	if (i < 0)
		return ctl_fail(CTL_USAGE, "--family takes ipv4 or ipv6, not '%s'", c->family);
	*ret = (enum addr_family)i;
	return CTL_OK;
}

/* *ret_mode: _MODE_MAX when the option is not given. */
static int parse_mode(const struct ctl *c, enum svc_mode *ret_mode)
{
	const char *names[_MODE_MAX];
	int i;

	*ret_mode = _MODE_MAX;
	if (!c->mode)
		return CTL_OK;
	for (i = 0; i < _MODE_MAX; i++)
		names[i] = svc_mode_text((enum svc_mode)i);
	i = text_index(c->mode, names, _MODE_MAX);
	if (i < 0)
		return ctl_fail(CTL_USAGE,
				"--mode takes iptables, ipvs, nftables or userspace, not '%s'",
				c->mode);
	if (!svc_mode_built((enum svc_mode)i))
		return ctl_fail(CTL_REFUSED, "--mode %s: mode not in this build", c->mode);
	*ret_mode = (enum svc_mode)i;
	return CTL_OK;
}

static int render_iptables(const struct ctl *c, const struct view *view, enum addr_family family,
			   struct strbuf *out)
{
	_cleanup_(ruleset_unrefp) struct ruleset *rules = NULL;
	_cleanup_iptables_plan_ struct iptables_plan plan = {0};
	_cleanup_iptables_seen_ struct iptables_seen empty_host = {0};
	const struct plan_options options = {.blocks = true};
	struct kernel_facts facts = {.nfacct = !c->no_nfacct};
	int64_t liberal;
	int r;

	/* As the daemon finds it here; with addresses given it is another host that is meant. */
	if (!c->addresses && sysctl_read_int(SYSCTL_TCP_BE_LIBERAL, &liberal) == 0)
		facts.tcp_be_liberal = liberal != 0;
	r = ruleset_compile(view, family, &facts, NULL, &rules);
	if (r == 0)
		r = iptables_seen_read("", 0, &empty_host);
	if (r == 0)
		r = iptables_plan_make(NULL, rules, &empty_host, &options, &plan);
	if (r < 0)
		return r;
	if (facts.nfacct)
		strbuf_add(out, "# nfacct objects: " NFACCT_INVALID " " NFACCT_LOCALHOST "\n");
	for (size_t i = 0; i < plan.n_steps; i++)
		strbuf_add_bytes(out, plan.steps[i].text, plan.steps[i].size);
	return 0;
}

/* Sections with a comment line before each and an empty line between; the programs named there take
 * what stands below it (ipvsadm has no comments). */
static int render_ipvs(const struct ctl *c, const struct view *view, enum addr_family family,
		       struct strbuf *out)
{
	const struct settings *s = &view->world->settings->s;
	_cleanup_(ipvs_state_unrefp) struct ipvs_state *state = NULL;
	_cleanup_strbuf_ struct strbuf timeouts = {0};
	struct utsname host;
	int r;

	r = ipvs_state_make(view, family, NULL, &state);
	if (r < 0)
		return r;
	if (uname(&host) < 0)
		return -errno;
	strbuf_add(out, "# virtual servers (ipvsadm -R)\n");
	ipvs_print_servers(state, out);
	ipvs_print_timeouts(s, &timeouts);
	if (timeouts.len > 0)
		strbuf_addf(out, "\n# IPVS timeouts (tcp tcpfin udp; ipvsadm --set)\n%s",
			    strbuf_text(&timeouts));
	strbuf_add(out, "\n# sets (ipset restore)\n");
	ipvs_print_sets(state, out);
	strbuf_add(out, "\n# addresses of " IPVS_DUMMY "\n");
	ipvs_print_addresses(state, out);
	strbuf_add(out, "\n# sysctls that are written\n");
	/* With addresses given it is another host that is meant, and not one of long ago. */
	ipvs_print_sysctls(s, c->addresses ? "" : host.release, out);
	strbuf_addf(out, "\n# rules (%s-restore --noflush)\n",
		    family == ADDR_IPV4 ? "iptables" : "ip6tables");
	ipvs_print_rules(state, out);
	return strbuf_error(&timeouts);
}

static int render(const struct ctl *c, struct world *world, enum svc_mode mode,
		  enum addr_family family, struct strbuf *out)
{
	struct local_addrs *addrs = NULL;
	struct view view = {.world = world};
	int r;

	r = c->addresses ? addresses_from_text(c->addresses, &addrs) : addresses_read(&addrs);
	if (r == -EINVAL)
		return ctl_fail(CTL_USAGE, "--addresses: not a list of addresses: '%s'",
				c->addresses);
	if (r < 0)
		return ctl_fail(CTL_FAILED,
				"cannot read the addresses of this host (%s), give --addresses",
				strerror(-r));
	view.addrs = addrs;
	r = mode == MODE_IPVS ? render_ipvs(c, &view, family, out)
			      : render_iptables(c, &view, family, out);
	local_addrs_unref(addrs);
	if (r < 0)
		return ctl_fail(CTL_FAILED, "cannot compile: %s", strerror(-r));
	return strbuf_error(out) ? ctl_fail(CTL_FAILED, "no memory") : CTL_OK;
}

int cmd_render(const struct ctl *c)
{
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_(world_unrefp) struct world *world = NULL;
	_cleanup_strbuf_ struct strbuf out = {0};
	enum addr_family family = ADDR_IPV4;
	enum svc_mode mode = _MODE_MAX;
	int r;

	r = parse_family(c, &family);
	if (r == CTL_OK)
		r = parse_mode(c, &mode);
	if (r != CTL_OK)
		return r;
	r = ctl_read_config(c, &config, &world);
	if (config && ctl_print_diags(config_problems(config), false) != CTL_OK)
		r = CTL_FAILED;
	if (r == CTL_OK && mode == _MODE_MAX)
		mode = world->settings->s.mode;
	if (r == CTL_OK)
		r = render(c, world, mode, family, &out);
	if (r != CTL_OK)
		return r;
	if (c->json)
		return ctl_print_json(json_pack("{s:s,s:s}", "family",
						family == ADDR_IPV4 ? "ipv4" : "ipv6", "text",
						strbuf_text(&out)));
	if (fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout) == EOF)
		return ctl_fail(CTL_FAILED, "cannot write to standard output");
	return CTL_OK;
}
