/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * ipvs: a pass of the daemon in ipvs mode, without the kernel: files are read again, the state is
 * compiled, what is ours is noted, and what has to be written is planned, by the account and by
 * what a host shows. When it fails the old state must be what it was, and all of it still be ours.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/ipvs-outcome.h"
#include "backend/ipvs-plan-rules.h"
#include "backend/ipvs-plan.h"
#include "base/array.h"
#include "faults.h"
#include "pass.h"
#include "wrap.h"

static struct {
	char directory[SCRATCH_MAX];
	struct local_addrs *addrs;
	struct config *config;
	struct world *old_world;
	struct ipvs_state *old[_ADDR_FAMILY_MAX];
	char *old_text;
	struct ipvs_owned owned;
} ipvs;

static int compile(struct world *world, struct ipvs_state *const previous[_ADDR_FAMILY_MAX],
		   struct ipvs_state *ret[_ADDR_FAMILY_MAX])
{
	const struct view view = {.world = world, .addrs = ipvs.addrs};
	bool grew = false;
	int r = 0;

	for (int f = 0; r == 0 && f < _ADDR_FAMILY_MAX; f++) {
		r = ipvs_state_make(&view, (enum addr_family)f, previous ? previous[f] : NULL,
				    &ret[f]);
		if (r == 0)
			r = ipvs_owned_claim(&ipvs.owned, ret[f], &grew);
	}
	return r;
}

static char *state_text(struct ipvs_state *const states[_ADDR_FAMILY_MAX])
{
	_cleanup_strbuf_ struct strbuf out = {0};

	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		ipvs_print_servers(states[f], &out);
		ipvs_print_sets(states[f], &out);
		ipvs_print_addresses(states[f], &out);
		ipvs_print_rules(states[f], &out);
	}
	return strbuf_take(&out);
}

/* The kernel as it would be with the old state in force. */
static int see_servers(const struct ipvs_state *s, struct ipvs_seen_servers *ret)
{
	for (size_t i = 0; i < s->n_servers; i++) {
		const struct ipvs_virtual *v = s->servers[i];
		struct ipvs_dests dests = {0};

		if (array_reserve(&ret->items, &ret->allocated, ret->n + 1) < 0 ||
		    array_reserve(&dests.items, &dests.allocated, v->n_reals + 1) < 0)
			return -ENOMEM;
		for (; dests.n < v->n_reals; dests.n++)
			dests.items[dests.n] = (struct ipvs_dest){
				.addr = v->reals[dests.n].addr,
				.port = v->reals[dests.n].port,
				.weight = v->reals[dests.n].weight,
			};
		ret->items[ret->n++] = (struct ipvs_seen_server){
			.server = ipvs_server_wanted(v),
			.dests = dests,
		};
	}
	return 0;
}

static int plan_rules(const struct ipvs_state *old, const struct ipvs_state *new,
		      struct strbuf *out)
{
	_cleanup_iptables_seen_ struct iptables_seen seen = {0};
	_cleanup_ipvs_rules_plan_ struct ipvs_rules_plan change = {0}, all = {0};
	int r = ipvs_plan_rules(old, new, NULL, &change);

	if (r == 0)
		r = iptables_seen_read("", 0, &seen);
	if (r == 0)
		r = ipvs_plan_rules(NULL, new, &seen, &all);
	for (int t = 0; r == 0 && t < _TABLE_MAX; t++) {
		strbuf_add(out, change.early[t] ? change.early[t] : "");
		strbuf_add(out, all.early[t] ? all.early[t] : "");
	}
	if (r == 0)
		strbuf_add(out, change.late ? change.late : "");
	return r;
}

static int plan_sets(const struct ipvs_state *old, const struct ipvs_state *new, struct strbuf *out)
{
	int r = 0;

	for (int i = 0; r == 0 && i < _SET_MAX; i++) {
		_cleanup_ipvs_set_plan_ struct ipvs_set_plan change = {0}, look = {0};
		struct ipset_set seen = {
			.type = ipvs_set_type((enum ipvs_set)i),
			.family = old->family,
			.maxelem = IPVS_SET_ENTRIES_MAX,
			.plain = true,
		};

		r = ipvs_plan_set_change(old, new, (enum ipvs_set)i, &change);
		if (r == 0)
			r = ipvs_set_elements(old, (enum ipvs_set)i, &seen.elements);
		if (r == 0)
			r = ipvs_plan_set(new, (enum ipvs_set)i, &seen, &look);
		free(seen.elements.items);
		if (r == 0)
			strbuf_addf(out, "set %d: %zu %zu, %zu %zu\n", i, change.add.n,
				    change.del.n, look.add.n, look.del.n);
	}
	return r;
}

static int plan_servers(const struct ipvs_state *old, const struct ipvs_state *new,
			struct strbuf *out)
{
	static const struct prefix_list none;
	const struct ipvs_claims claims = {.owned = &ipvs.owned, .exclude = &none};
	_cleanup_ipvs_seen_servers_ struct ipvs_seen_servers seen = {0};
	_cleanup_ipvs_pairs_ struct ipvs_pairs pairs = {0};
	_cleanup_ipvs_plan_ struct ipvs_plan plan = {0};
	int r = ipvs_plan_pairs(old, new, &pairs);

	if (r == 0)
		r = see_servers(old, &seen);
	if (r == 0)
		r = ipvs_plan_servers(new->servers, new->n_servers, seen.items, seen.n, &claims,
				      &plan);
	if (r == 0)
		r = ipvs_plan_addresses(new->addresses, new->n_addresses, old->addresses,
					old->n_addresses, &plan);
	if (r == 0)
		strbuf_addf(out,
			    "%zu pairs; %zu built, %zu leave, %zu removed; %zu bound, %zu "
			    "unbound\n",
			    pairs.n, plan.build.n, plan.leave.n, plan.remove.n, plan.bind.n,
			    plan.unbind.n);
	return r;
}

/* The record is written, read, and forgets what went. */
static int keep_record(struct ipvs_state *const states[_ADDR_FAMILY_MAX], struct strbuf *out)
{
	static const struct prefix_list none;
	_cleanup_ipvs_owned_ struct ipvs_owned read = {0};
	_cleanup_strbuf_ struct strbuf text = {0}, settled = {0};
	int r;

	ipvs_owned_print(&ipvs.owned, &text);
	r = strbuf_error(&text);
	if (r == 0)
		r = ipvs_owned_parse(strbuf_text(&text), text.len, &read);
	if (r < 0)
		return r;
	ipvs_owned_settle(&read, states, &none);
	ipvs_owned_print(&read, &settled);
	strbuf_add(out, strbuf_text(&settled));
	return strbuf_error(&settled);
}

/* What a report loses for want of memory is text. */
static void report(const struct ipvs_state *s)
{
	_cleanup_ipvs_outcome_ struct ipvs_outcome o = {0};
	_cleanup_free_ char *text = NULL;

	for (size_t i = 0; i < s->n_servers; i++) {
		struct ipvs_key key = ipvs_virtual_key(s->servers[i]);

		ipvs_outcome_drains(&o, &key);
	}
	ipvs_outcome_warn(&o, "a warning about %s", IPVS_DUMMY);
	ipvs_outcome_fail(&o, s->family, -EPERM, "%zu servers failed", s->n_servers);
	text = ipvs_outcome_text(&o);
	if (o.error != -EPERM || !o.failed[s->family])
		abort();
}

static int pass(struct world **ret_world, struct ipvs_state *new[_ADDR_FAMILY_MAX],
		struct strbuf *out)
{
	int r = config_refresh(ipvs.config, NULL, 0, ret_world);

	if (r == 0)
		r = compile(*ret_world, ipvs.old, new);
	for (int f = 0; r == 0 && f < _ADDR_FAMILY_MAX; f++) {
		r = plan_sets(ipvs.old[f], new[f], out);
		if (r == 0)
			r = plan_rules(ipvs.old[f], new[f], out);
		if (r == 0)
			r = plan_servers(ipvs.old[f], new[f], out);
		if (r == 0)
			report(new[f]);
	}
	if (r == 0)
		r = keep_record(new, out);
	return r < 0 ? r : strbuf_error(out);
}

static int check_old(void)
{
	_cleanup_free_ char *kept = state_text(ipvs.old);

	if (!kept || !streq(kept, ipvs.old_text))
		return wrong("the state in force changed");
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		if (!ipvs_owned_covers(&ipvs.owned, ipvs.old[f]))
			return wrong("what is ours was forgotten");
	return 0;
}

static void free_all(void)
{
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		ipvs.old[f] = ipvs_state_unref(ipvs.old[f]);
	ipvs.old_world = world_unref(ipvs.old_world);
	ipvs.config = config_free(ipvs.config);
	ipvs.addrs = local_addrs_unref(ipvs.addrs);
	ipvs_owned_done(&ipvs.owned);
	free(ipvs.old_text);
	ipvs.old_text = NULL;
}

static int run(int n, char **arguments)
{
	_cleanup_strbuf_ struct strbuf out = {0};
	_cleanup_free_ char *text = NULL;
	struct ipvs_state *new[_ADDR_FAMILY_MAX] = {0};
	struct world *world = NULL;
	int r, status;

	(void)n;
	(void)arguments;
	r = pass(&world, new, &out);
	faults_stop();
	if (r == 0) {
		text = state_text(new);
		(void)printf("%s%s", text ? text : "", strbuf_text(&out));
	} else
		(void)fprintf(stderr, "ipvs: %s\n", strerror(-r));
	status = r == 0 || r == -ENOMEM ? check_old() : wrong("not -ENOMEM");
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		(void)ipvs_state_unref(new[f]);
	world_unref(world);
	free_all();
	return status ? status : r < 0;
}

static int prepare(int n, char **arguments)
{
	const struct config_places places = {.root = ipvs.directory};
	int r;

	if (n < 3)
		return -EINVAL;
	r = scratch_make(ipvs.directory);
	if (r == 0)
		r = scratch_switch(ipvs.directory, arguments[1]);
	if (r == 0)
		r = pass_addrs(&ipvs.addrs);
	if (r == 0)
		r = config_new(&places, &ipvs.config);
	if (r == 0)
		r = config_refresh(ipvs.config, NULL, 0, &ipvs.old_world);
	if (r == 0)
		r = compile(ipvs.old_world, NULL, ipvs.old);
	if (r == 0)
		r = scratch_switch(ipvs.directory, arguments[2]);
	if (r < 0)
		return r;
	ipvs.old_text = state_text(ipvs.old);
	return ipvs.old_text ? 0 : -ENOMEM;
}

static void clean_up(void)
{
	free_all();
	fault_remove_tree(ipvs.directory);
}

const struct fault_mode fault_mode_ipvs = {
	.name = "ipvs",
	.error_prefix = "ipvs: ",
	.keeps_blocks = true,
	.prepare = prepare,
	.run = run,
	.clean_up = clean_up,
};
