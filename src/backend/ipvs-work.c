/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-work.h"

#include <errno.h>
#include <netinet/in.h>

#include "backend/iptables-plan.h"
#include "backend/iptables-run.h"
#include "backend/ipvs-host.h"
#include "backend/programs.h"
#include "base/log.h"
#include "config/accepted.h"
#include "kernel/nfacct.h"

/* The same list of keys and addresses; sysctls too. */
static int copy_owned(const struct ipvs_owned *from, struct ipvs_owned *ret)
{
	_cleanup_ipvs_owned_ struct ipvs_owned o = {0};
	int r = 0;

	o.servers = calloc(from->n_servers + 1, sizeof(*o.servers));
	o.addresses = calloc(from->n_addresses + 1, sizeof(*o.addresses));
	if (!o.servers || !o.addresses)
		return -ENOMEM;
	o.servers_allocated = from->n_servers + 1;
	o.addresses_allocated = from->n_addresses + 1;
	for (o.n_servers = 0; o.n_servers < from->n_servers; o.n_servers++)
		o.servers[o.n_servers] = from->servers[o.n_servers];
	for (o.n_addresses = 0; o.n_addresses < from->n_addresses; o.n_addresses++)
		o.addresses[o.n_addresses] = from->addresses[o.n_addresses];
	for (size_t i = 0; r == 0 && i < from->n_sysctls; i++)
		r = ipvs_owned_keep_sysctl(&o, from->sysctls[i].row, from->sysctls[i].value);
	if (r < 0)
		return r;
	*ret = o;
	o = (struct ipvs_owned){0};
	return 0;
}

static int with_sysctls(const struct ipvs_task *t, const struct ipvs_outcome *o,
			struct ipvs_owned *ret)
{
	struct ipvs_owned owned;
	int r = copy_owned(t->owned, &owned);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < IPVS_SYSCTLS_MAX; i++)
		if (o->sysctl_found[i])
			r = ipvs_owned_keep_sysctl(&owned, i, o->sysctl_old[i]);
	if (r < 0)
		ipvs_owned_done(&owned);
	else
		*ret = owned;
	return r;
}

int ipvs_work_settled(const struct ipvs_task *t, const struct ipvs_outcome *o,
		      struct ipvs_owned *ret)
{
	struct ipvs_state *states[_ADDR_FAMILY_MAX];
	int r = with_sysctls(t, o, ret);

	if (r < 0)
		return r;
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		states[f] = o->failed[f] || !o->served[f] ? NULL : t->wanted[f];
	ipvs_owned_settle(ret, states, &t->settings->ipvs_exclude_cidrs);
	return 0;
}

/* A record that cannot be kept is no reason to stop: all works, but after a restart less is known
 * to be ours. */
static void save(const struct ipvs_task *t, const struct ipvs_owned *owned, struct ipvs_outcome *o)
{
	_cleanup_strbuf_ struct strbuf text = {0};
	const uint8_t *on_disk = o->saved ? o->saved_hash : t->has_saved ? t->saved_hash : NULL;
	uint8_t hash[ACCEPTED_HASH_SIZE];
	int r;

	if (!t->memory)
		return;
	ipvs_owned_print(owned, &text);
	r = strbuf_error(&text);
	if (r == 0) {
		accepted_hash(strbuf_text(&text), text.len, hash);
		if (on_disk && memcmp(hash, on_disk, sizeof(hash)) == 0)
			return;
		r = t->memory->save(t->memory->userdata, strbuf_text(&text), text.len);
	}
	if (r < 0) {
		ipvs_outcome_warn(o,
				  "what is ours in the kernel cannot be recorded: %s; after a "
				  "restart, virtual servers of node ports that no service wants "
				  "any more would be left",
				  strerror(-r));
		return;
	}
	o->saved = true;
	memcpy(o->saved_hash, hash, sizeof(hash));
}

static void save_claims(const struct ipvs_task *t, struct ipvs_outcome *o)
{
	_cleanup_ipvs_owned_ struct ipvs_owned owned = {0};
	int r = with_sysctls(t, o, &owned);

	if (r < 0)
		ipvs_outcome_fail(o, _ADDR_FAMILY_INVALID, r, "no memory");
	else
		save(t, &owned, o);
}

static void save_settled(const struct ipvs_task *t, struct ipvs_outcome *o)
{
	_cleanup_ipvs_owned_ struct ipvs_owned owned = {0};

	if (ipvs_work_settled(t, o, &owned) == 0)
		save(t, &owned, o);
}

/* The saves; a variant other than ours that cannot be read counts as not in use. */
static void look_at_rules(const struct ipvs_task *t, struct ipvs_seen *seen, struct ipvs_outcome *o,
			  char *messages[_VARIANT_MAX][_ADDR_FAMILY_MAX])
{
	bool foreign[_VARIANT_MAX] = {false};

	for (int v = 0; v < _VARIANT_MAX; v++) {
		if (t->decided && v != (int)t->variant)
			continue;
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			struct iptables_seen *rules = &seen->rules[v][f];

			if (!t->wanted[f])
				continue;
			seen->has_rules[v][f] = programs_look((enum iptables_variant)v,
							      (enum addr_family)f, rules,
							      &messages[v][f]) == 0;
			foreign[v] |= seen->has_rules[v][f] && iptables_seen_foreign(rules);
		}
	}
	o->variant = t->decided ? (int)t->variant
				: (int)programs_choose(t->settings->iptables_backend, foreign);
	o->decided = true;
	if (!t->decided && foreign[VARIANT_NFT] && foreign[VARIANT_LEGACY])
		ipvs_outcome_warn(o,
				  "other programs on this host use both iptables-nft and "
				  "iptables-legacy; ours go to %s (see Backend=)",
				  iptables_variant_name((enum iptables_variant)o->variant));
}

/* Full-length addresses of the dummy link in one family that are ours or wanted, sorted; of the
 * others is told. */
static int usable_addresses(const struct ipvs_task *t, const struct ipvs_seen *seen, int family,
			    struct addr_list *ret, struct ipvs_outcome *o)
{
	const struct ipvs_state *s = t->wanted[family];
	const struct ipvs_seen_server *servers;
	size_t n = ipvs_seen_family(&seen->servers, (enum addr_family)family, &servers);
	unsigned full = family == ADDR_IPV4 ? 32 : 128;
	size_t at = 0, k = 0, n_foreign = 0;
	const struct link_address *foreign = NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < seen->addresses.n; i++) {
		const struct link_address *l = &seen->addresses.items[i];
		bool ours;

		unsigned kinds = addr_kinds(&l->addr);

		if (l->addr.family != family || kinds & ADDR_IS_LOOPBACK ||
		    (family == ADDR_IPV6 && kinds & ADDR_IS_LINK_LOCAL))
			continue;
		while (at < s->n_addresses && addr_compare(&s->addresses[at], &l->addr) < 0)
			at++;
		while (k < n && addr_compare(&servers[k].server.key.addr, &l->addr) < 0)
			k++;
		/* What a kube-proxy left here has virtual servers. */
		ours = l->prefix == full &&
		       (ipvs_owned_has_address(t->owned, &l->addr) ||
			(k < n && addr_equal(&servers[k].server.key.addr, &l->addr)) ||
			(at < s->n_addresses && addr_equal(&s->addresses[at], &l->addr)));
		if (ours)
			r = addr_list_add(ret, &l->addr);
		else if (n_foreign++ == 0)
			foreign = l;
	}
	if (foreign) {
		char text[ADDR_TEXT_MAX];

		ipvs_outcome_warn(o,
				  "address %s/%u on " IPVS_DUMMY " is not ours and is left (%zu "
				  "such)",
				  addr_format(&foreign->addr, text), foreign->prefix, n_foreign);
	}
	return r;
}

static int plan_full(const struct ipvs_task *t, const struct ipvs_seen *seen, int family,
		     enum iptables_variant variant, struct ipvs_job *job, struct ipvs_outcome *o)
{
	_cleanup_(addr_list_done) struct addr_list ours = {0};
	const struct ipvs_state *wanted = t->wanted[family];
	const struct ipvs_seen_server *servers;
	size_t n = ipvs_seen_family(&seen->servers, (enum addr_family)family, &servers);
	struct ipvs_claims claims = {
		.owned = t->owned,
		.exclude = &t->settings->ipvs_exclude_cidrs,
	};
	int r = 0;

	job->wanted = wanted;
	job->variant = variant;
	job->unguarded = !seen->has_sets || !seen->has_rules[variant][family];
	for (int i = 0; r == 0 && seen->has_sets && i < _SET_MAX; i++)
		r = ipvs_plan_set(wanted, (enum ipvs_set)i,
				  ipvs_seen_set(seen, ipvs_set_rows[i].names[family]),
				  &job->sets[i]);
	if (r == 0 && seen->has_rules[variant][family]) {
		r = ipvs_plan_rules(NULL, wanted, &seen->rules[variant][family], &job->rules);
		job->switching = ipvs_rules_switching(&seen->rules[variant][family]);
	}
	if (r == 0 && seen->has_addresses)
		r = usable_addresses(t, seen, family, &ours, o);
	claims.on_dummy = ours.items;
	claims.n_on_dummy = ours.n;
	/* A failed listing removes nothing: all that is wanted is bound, what is there is fine. */
	if (r == 0)
		r = ipvs_plan_addresses(wanted->addresses, wanted->n_addresses, ours.items, ours.n,
					&job->plan);
	if (r == 0)
		r = ipvs_plan_servers(wanted->servers, wanted->n_servers, servers, n, &claims,
				      &job->plan);
	return r;
}

/* Rules of iptables mode, and all of ours in the variant that is not used, go when ours are in. */
static void tidy(const struct ipvs_seen *seen, struct ipvs_outcome *o)
{
	bool found = false;

	for (int v = 0; v < _VARIANT_MAX; v++)
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			_cleanup_cleanup_plan_ struct cleanup_plan plan = {0};
			const struct iptables_seen *rules = &seen->rules[v][f];
			int r;

			if (!seen->has_rules[v][f])
				continue;
			r = v == o->variant
				    ? iptables_plan_remains(rules, MODE_IPVS, &plan)
				    : iptables_plan_cleanup(rules, (enum addr_family)f, &plan);
			for (size_t i = 0; r == 0 && i < ELEMENTSOF(plan.texts); i++) {
				char *message = NULL;
				bool missing;

				if (!plan.texts[i])
					continue;
				found = true;
				if (programs_load((enum iptables_variant)v, (enum addr_family)f,
						  plan.texts[i], plan.sizes[i], &missing,
						  &message) == 0) {
					o->n_stale++;
					continue;
				}
				ipvs_outcome_warn(
					o, "rules of iptables mode could not all be removed: %s",
					message ? message : "no memory");
				free(message);
			}
		}
	if (found)
		(void)nfacct_delete();
}

void ipvs_work_full(const struct ipvs_task *t, struct ipvs_outcome *o)
{
	_cleanup_ipvs_doors_ struct ipvs_doors doors = {0};
	_cleanup_ipvs_seen_ struct ipvs_seen seen = {0};
	char *messages[_VARIANT_MAX][_ADDR_FAMILY_MAX] = {0};

	if (ipvs_doors_open(&doors, o) < 0)
		return;
	ipvs_host_look(t->settings, o);
	save_claims(t, o);
	ipvs_host_write(&doors, t->settings, o);
	ipvs_doors_dummy(&doors, o);
	if (ipvs_look(&doors, &seen, o) < 0)
		return;
	look_at_rules(t, &seen, o, messages);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		_cleanup_ipvs_job_ struct ipvs_job job = {0};
		int r;

		if (!t->wanted[f])
			continue;
		if (!seen.has_rules[o->variant][f])
			ipvs_outcome_fail_text(o, (enum addr_family)f, -EIO,
					       TAKE_PTR(messages[o->variant][f]));
		r = plan_full(t, &seen, f, (enum iptables_variant)o->variant, &job, o);
		if (r < 0)
			ipvs_outcome_fail(o, (enum addr_family)f, r, "%s", ipvs_reason(r));
		else
			ipvs_apply(&doors, &job, o);
	}
	for (int v = 0; v < _VARIANT_MAX; v++)
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
			free(messages[v][f]);
	if (o->n_errors == 0)
		tidy(&seen, o);
	save_settled(t, o);
}

static int plan_change(const struct ipvs_task *t, struct ipvs_doors *d, int family,
		       struct ipvs_job *job)
{
	_cleanup_ipvs_pairs_ struct ipvs_pairs pairs = {0};
	_cleanup_ipvs_seen_servers_ struct ipvs_seen_servers seen = {0};
	_cleanup_free_ const struct ipvs_virtual **wanted = NULL;
	const struct ipvs_state *old = t->old[family], *new = t->wanted[family];
	const struct ipvs_claims claims = {
		.owned = t->owned,
		.exclude = &t->settings->ipvs_exclude_cidrs,
	};
	size_t n = 0;
	int r;

	job->wanted = new;
	job->variant = t->variant;
	r = ipvs_plan_pairs(old, new, &pairs);
	for (int i = 0; r == 0 && i < _SET_MAX; i++)
		r = ipvs_plan_set_change(old, new, (enum ipvs_set)i, &job->sets[i]);
	if (r == 0)
		r = ipvs_plan_rules(old, new, NULL, &job->rules);
	if (r == 0)
		r = ipvs_plan_addresses(new->addresses, new->n_addresses, old->addresses,
					old->n_addresses, &job->plan);
	if (r < 0)
		return r;
	wanted = calloc(pairs.n + 1, sizeof(struct ipvs_virtual *));
	if (!wanted)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < pairs.n; i++) {
		const struct ipvs_virtual *v = pairs.items[i].new;
		struct ipvs_key key = ipvs_virtual_key(v ? v : pairs.items[i].old);

		if (v)
			wanted[n++] = v;
		r = ipvs_look_server(d, &key, &seen);
	}
	return r < 0 ? r : ipvs_plan_servers(wanted, n, seen.items, seen.n, &claims, &job->plan);
}

void ipvs_work_change(const struct ipvs_task *t, struct ipvs_outcome *o)
{
	_cleanup_ipvs_doors_ struct ipvs_doors doors = {0};
	bool dummy;

	if (ipvs_doors_open(&doors, o) < 0)
		return;
	if (t->memory && doors.links &&
	    links_find(doors.links, IPVS_DUMMY, &doors.dummy, &dummy) < 0) {
		/* Somebody took the link away, and all addresses with it. */
		ipvs_doors_done(&doors);
		ipvs_work_full(t, o);
		return;
	}
	o->decided = true;
	o->variant = (int)t->variant;
	save_claims(t, o);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		_cleanup_ipvs_job_ struct ipvs_job job = {0};
		int r;

		if (!t->wanted[f])
			continue;
		r = plan_change(t, &doors, f, &job);
		if (r < 0)
			ipvs_outcome_fail(o, (enum addr_family)f, r, "%s", ipvs_reason(r));
		else
			ipvs_apply(&doors, &job, o);
	}
	save_settled(t, o);
}

size_t ipvs_work_size(const struct ipvs_task *t)
{
	size_t n = 0;

	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		_cleanup_ipvs_pairs_ struct ipvs_pairs pairs = {0};
		const struct ipvs_state *old = t->old[f], *new = t->wanted[f];

		if (!new)
			continue;
		if (!old || ipvs_rules_differ(old, new) || ipvs_plan_pairs(old, new, &pairs) < 0)
			return SIZE_MAX;
		for (size_t i = 0; i < pairs.n; i++) {
			const struct ipvs_pair *p = &pairs.items[i];

			if (!p->old || !p->new)
				return SIZE_MAX; /* what is owned changes with it */
			n += 3 + p->old->n_reals + p->new->n_reals;
		}
		for (int i = 0; i < _SET_MAX; i++) {
			_cleanup_ipvs_set_plan_ struct ipvs_set_plan plan = {0};

			if (ipvs_plan_set_change(old, new, (enum ipvs_set)i, &plan) < 0)
				return SIZE_MAX;
			n += (plan.add.n + plan.del.n + 15) / 16;
			if (i == SET_IPVS_IPS && plan.add.n + plan.del.n > 0)
				return SIZE_MAX;
		}
	}
	return n;
}

static const struct ipvs_virtual *find_virtual(const struct ipvs_task *t,
					       const struct ipvs_key *key)
{
	const struct ipvs_state *s = t->wanted[key->addr.family];

	return s ? ipvs_find_virtual(s, key) : NULL;
}

void ipvs_work_drains(const struct ipvs_task *t, const struct ipvs_key *keys, size_t n,
		      struct ipvs_outcome *o)
{
	_cleanup_ipvs_doors_ struct ipvs_doors doors = {0};
	_cleanup_(ipvs_changes_done) struct ipvs_changes leave = {0};
	int r;

	r = ipvs_open(&doors.ipvs);
	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct ipvs_server server = {.key = keys[i]};
		const struct ipvs_virtual *v = find_virtual(t, &keys[i]);
		_cleanup_ipvs_dests_ struct ipvs_dests dests = {0};

		r = ipvs_list_dests(doors.ipvs, &keys[i], &dests);
		for (size_t k = 0; r == 0 && k < dests.n; k++)
			if (dests.items[k].weight == 0 &&
			    !(v && ipvs_wants_dest(v, &dests.items[k])))
				r = ipvs_changes_add(&leave, IPVS_DEL_DEST, &server,
						     &dests.items[k]);
	}
	if (r < 0)
		ipvs_outcome_fail(o, _ADDR_FAMILY_INVALID, r,
				  "draining real servers cannot be looked at: %s", ipvs_reason(r));
	else
		ipvs_apply_leave(&doors, &leave, _ADDR_FAMILY_INVALID, o);
}
