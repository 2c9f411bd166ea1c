/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-apply.h"

#include <errno.h>
#include <netinet/in.h>

#include "backend/iptables-run.h"
#include "backend/programs.h"
#include "base/array.h"
#include "base/log.h"

#define TEMPORARY_SET "svcroute-new"

struct keys {
	struct ipvs_key *items;
	size_t n, allocated;
};

static void keys_done(struct keys *k)
{
	free(k->items);
}

/* Keys come in order. */
static int keys_add(struct keys *k, const struct ipvs_key *key)
{
	int r;

	if (k->n > 0 && ipvs_key_compare(&k->items[k->n - 1], key) == 0)
		return 0;
	r = array_reserve(&k->items, &k->allocated, k->n + 1);
	if (r == 0)
		k->items[k->n++] = *key;
	return r;
}

static bool keys_end_with(const struct keys *k, const struct ipvs_key *key)
{
	return k->n > 0 && ipvs_key_compare(&k->items[k->n - 1], key) == 0;
}

struct work {
	struct ipvs_doors *doors;
	const struct ipvs_job *job;
	struct ipvs_outcome *outcome;
	enum addr_family family;
	bool off;	    /* the host cannot do the family */
	bool guarded;	    /* sets and rules are in: addresses may be bound */
	struct keys failed; /* virtual servers that are not there */
	struct keys broken; /* of which anything could not be done */
};

void ipvs_job_done(struct ipvs_job *j)
{
	for (int i = 0; i < _SET_MAX; i++)
		ipvs_set_plan_done(&j->sets[i]);
	ipvs_rules_plan_done(&j->rules);
	ipvs_plan_done(&j->plan);
}

static void fail(struct work *w, int error, char *text)
{
	ipvs_outcome_fail_text(w->outcome, w->family, error, text);
}

static const char *set_name(const struct work *w, int set)
{
	return ipvs_set_rows[set].names[w->family];
}

static char *explain_set(const struct work *w, int set, const char *what, int error)
{
	return ipvs_explain_set(set_name(w, set), ipvs_set_type((enum ipvs_set)set), what, error);
}

static int add_entries(struct work *w, const char *name, int set)
{
	const struct ipset_elements *add = &w->job->sets[set].add;
	size_t done = 0;
	int r;

	if (add->n == 0)
		return 0;
	r = ipset_add(w->doors->ipset, name, ipvs_set_type((enum ipvs_set)set), add->items, add->n,
		      &done);
	w->outcome->n_entries += done;
	if (r < 0 && done < add->n) {
		char text[IPSET_ELEMENT_TEXT_MAX];
		_cleanup_strbuf_ struct strbuf what = {0};

		strbuf_addf(&what, "cannot add %s",
			    ipset_element_text(ipvs_set_type((enum ipvs_set)set), &add->items[done],
					       text));
		fail(w, r, explain_set(w, set, strbuf_text(&what), r));
	} else if (r < 0)
		fail(w, r, explain_set(w, set, "cannot add entries", r));
	return r;
}

/* Built under another name, then exchanged: no moment without it. */
static int replace_set(struct work *w, int set)
{
	const char *name = set_name(w, set);
	struct ipset *s = w->doors->ipset;
	int r;

	(void)ipset_destroy(s, TEMPORARY_SET);
	r = ipset_create(s, TEMPORARY_SET, ipvs_set_type((enum ipvs_set)set), w->family);
	if (r == 0) {
		r = add_entries(w, TEMPORARY_SET, set);
		if (r < 0)
			goto out; /* told already */
		r = ipset_swap(s, TEMPORARY_SET, name);
	}
	if (r < 0)
		fail(w, r, explain_set(w, set, "cannot be replaced", r));
out:
	(void)ipset_destroy(s, TEMPORARY_SET);
	return r;
}

/* True when the set is there; false: rules that look into it cannot be loaded. */
static bool make_set(struct work *w, int set)
{
	const struct ipvs_set_plan *plan = &w->job->sets[set];
	const char *name = set_name(w, set);
	int r = 0;

	if (plan->overfull)
		ipvs_outcome_fail(
			w->outcome, w->family, -ENOSPC,
			"set %s: %zu entries are wanted and it holds at most %d; what is "
			"in it stays, the rest is not served: use fewer ports of services "
			"on this host, or Mode=iptables",
			name, plan->n_wanted, IPVS_SET_ENTRIES_MAX);
	switch (plan->fate) {
	case SET_KEEP:
		break;
	case SET_SWAP:
		if (replace_set(w, set) < 0 && set == SET_IPVS_IPS)
			w->guarded = false;
		return true;
	case SET_REFUSE:
		ipvs_outcome_fail(w->outcome, w->family, -EEXIST,
				  "set %s is there with another type or family than %s: remove the "
				  "rules that use it, then run: ipset destroy %s",
				  name, ipset_type_text(ipvs_set_type((enum ipvs_set)set)), name);
		return false;
	case SET_CREATE:
		r = ipset_create(w->doors->ipset, name, ipvs_set_type((enum ipvs_set)set),
				 w->family);
		if (r < 0 && r != -EEXIST) {
			fail(w, r, explain_set(w, set, "cannot be made", r));
			return false;
		}
		break;
	}
	if (add_entries(w, name, set) < 0 && set == SET_IPVS_IPS)
		w->guarded = false;
	return true;
}

static bool make_sets(struct work *w)
{
	bool all = true;

	if (!w->doors->ipset)
		return false; /* told already */
	for (int i = 0; i < _SET_MAX; i++)
		all &= make_set(w, i);
	return all;
}

static bool load(struct work *w, const char *text)
{
	const struct ipvs_job *j = w->job;
	bool missing = false;
	char *message = NULL;
	int r;

	if (!text || w->off)
		return true;
	r = programs_load(j->variant, w->family, text, strlen(text), &missing, &message);
	if (r == 0)
		return true;
	w->guarded = false;
	if (w->family == ADDR_IPV6 && missing) {
		w->off = true;
		w->outcome->served[ADDR_IPV6] = false;
		log_info("IPv6 is not available on this host: %s", message ? message : "no memory");
		if (j->wanted->world->n_in_family[ADDR_IPV6] > 0)
			ipvs_outcome_warn(w->outcome, "IPv6 services are not served: %s",
					  message ? message : "no memory");
		free(message);
		return false;
	}
	fail(w, r, ipvs_explain_rules(message));
	return false;
}

/* Both tables by one program; what restricts comes first. */
static bool load_both(struct work *w)
{
	char *const *early = w->job->rules.early;
	_cleanup_strbuf_ struct strbuf text = {0};

	if (!early[TABLE_FILTER] || !early[TABLE_NAT])
		return load(w, early[TABLE_FILTER]) && load(w, early[TABLE_NAT]);
	strbuf_add(&text, early[TABLE_FILTER]);
	strbuf_add(&text, early[TABLE_NAT]);
	if (strbuf_error(&text) < 0) {
		w->guarded = false;
		fail(w, -ENOMEM, NULL);
		return false;
	}
	return load(w, strbuf_text(&text));
}

/* What a change that fails means: the kernel is not what the plan took it for. */
static bool is_surprise(const struct ipvs_change *c)
{
	return c->error == -EEXIST || c->error == -ESRCH ||
	       (c->error == -ENOENT && c->verb >= IPVS_NEW_DEST);
}

static const char *service_of(const struct work *w, const struct ipvs_key *key)
{
	const struct ipvs_virtual *v = ipvs_find_virtual(w->job->wanted, key);

	return v ? v->service->key : NULL;
}

/* surprises: keys of virtual servers to be looked at again; NULL: there was a second look. */
static void build(struct work *w, struct ipvs_changes *c, struct keys *surprises)
{
	struct ipvs_outcome *o = w->outcome;
	int r;

	if (c->n == 0)
		return;
	r = ipvs_change(w->doors->ipvs, c->items, c->n);
	if (r < 0)
		ipvs_outcome_fail(o, w->family, r, "virtual servers cannot be written: %s",
				  ipvs_reason(r));
	for (size_t i = 0; i < c->n; i++) {
		const struct ipvs_change *change = &c->items[i];
		const struct ipvs_key *key = &change->server.key;

		if (change->error == 0) {
			o->n_servers += change->verb < IPVS_NEW_DEST;
			o->n_dests += change->verb >= IPVS_NEW_DEST;
			continue;
		}
		/* What follows for real servers of a virtual server that is not there is no news.
		 */
		if (keys_end_with(&w->failed, key) || (surprises && keys_end_with(surprises, key)))
			continue;
		if (surprises && is_surprise(change) && keys_add(surprises, key) == 0)
			continue;
		(void)keys_add(&w->broken, key);
		if (r == 0)
			fail(w, change->error, ipvs_explain(change, service_of(w, key)));
		if (change->verb == IPVS_NEW_SERVER && keys_add(&w->failed, key) < 0)
			w->guarded = false; /* no address without its servers */
	}
}

static int compare_keys(const void *a, const void *b)
{
	return ipvs_key_compare(a, b);
}

/* Where something could not be added, nothing is taken away: what works, stays. */
static void keep_broken(struct work *w, struct ipvs_changes *leave)
{
	struct keys *broken = &w->broken;
	size_t n = 0;

	if (broken->n == 0)
		return;
	qsort(broken->items, broken->n, sizeof(*broken->items), compare_keys);
	for (size_t i = 0; i < leave->n; i++)
		if (!bsearch(&leave->items[i].server.key, broken->items, broken->n,
			     sizeof(*broken->items), compare_keys))
			leave->items[n++] = leave->items[i];
	leave->n = n;
}

/* Dumps are not atomic, and others write, too: what was not as expected is looked at again. */
static void build_again(struct work *w, const struct keys *keys)
{
	static const struct ipvs_owned nothing;
	static const struct prefix_list none;
	const struct ipvs_claims claims = {.owned = &nothing, .exclude = &none};

	for (size_t i = 0; i < keys->n; i++) {
		const struct ipvs_virtual *v = ipvs_find_virtual(w->job->wanted, &keys->items[i]);
		_cleanup_ipvs_seen_servers_ struct ipvs_seen_servers seen = {0};
		_cleanup_ipvs_plan_ struct ipvs_plan plan = {0};
		int r;

		if (!v)
			continue;
		r = ipvs_look_server(w->doors, &keys->items[i], &seen);
		if (r == 0)
			r = ipvs_plan_servers(&v, 1, seen.items, seen.n, &claims, &plan);
		if (r < 0) {
			fail(w, r, NULL);
			(void)keys_add(&w->broken, &keys->items[i]);
			continue;
		}
		build(w, &plan.build, NULL);
		keep_broken(w, &plan.leave);
		ipvs_apply_leave(w->doors, &plan.leave, w->family, w->outcome);
	}
}

/* Whether any virtual server of an address is there. *at: where those of the address before ended.
 */
static bool has_server(const struct work *w, const struct addr *a, size_t *at)
{
	const struct ipvs_state *s = w->job->wanted;
	bool found = false;

	while (*at < s->n_servers && addr_compare(&s->servers[*at]->addr, a) < 0)
		(*at)++;
	for (; *at < s->n_servers && addr_equal(&s->servers[*at]->addr, a); (*at)++) {
		struct ipvs_key key = ipvs_virtual_key(s->servers[*at]);

		found |= w->failed.n == 0 ||
			 !bsearch(&key, w->failed.items, w->failed.n, sizeof(key), compare_keys);
	}
	return found;
}

typedef int (*address_verb_t)(struct links *l, int index, const struct addr *addrs, size_t n,
			      int *errors);

static void change_addresses(struct work *w, const struct addr_list *list, address_verb_t verb,
			     const char *what)
{
	_cleanup_free_ int *errors = NULL;
	char text[ADDR_TEXT_MAX];
	int r;

	if (list->n == 0 || !w->doors->dummy)
		return;
	errors = calloc(list->n, sizeof(*errors));
	r = errors ? verb(w->doors->links, w->doors->dummy, list->items, list->n, errors) : -ENOMEM;
	if (r < 0) {
		ipvs_outcome_fail(w->outcome, w->family, r, "link " IPVS_DUMMY ": cannot %s: %s",
				  what, ipvs_reason(r));
		return;
	}
	for (size_t i = 0; i < list->n; i++) {
		w->outcome->n_addresses += errors[i] == 0;
		if (errors[i] < 0)
			ipvs_outcome_fail(w->outcome, w->family, errors[i],
					  "link " IPVS_DUMMY ": cannot %s %s: %s", what,
					  addr_format(&list->items[i], text),
					  ipvs_reason(errors[i]));
	}
}

static void bind_addresses(struct work *w)
{
	_cleanup_(addr_list_done) struct addr_list list = {0};
	const struct addr_list *bind = &w->job->plan.bind;
	size_t at = 0;

	if (!w->guarded)
		return; /* told already */
	if (w->failed.n > 1)
		qsort(w->failed.items, w->failed.n, sizeof(*w->failed.items), compare_keys);
	for (size_t i = 0; i < bind->n; i++)
		if (has_server(w, &bind->items[i], &at) &&
		    addr_list_add(&list, &bind->items[i]) < 0)
			fail(w, -ENOMEM, NULL);
	change_addresses(w, &list, links_add_addresses, "bind");
}

/* Goes without saying when it is gone already. */
static void run_changes(struct ipvs_doors *d, struct ipvs_changes *c, enum addr_family family,
			struct ipvs_outcome *o)
{
	int r = c->n > 0 ? ipvs_change(d->ipvs, c->items, c->n) : 0;

	if (r < 0) {
		ipvs_outcome_fail(o, family, r, "virtual servers cannot be written: %s",
				  ipvs_reason(r));
		return;
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct ipvs_change *change = &c->items[i];

		if (change->error == 0) {
			o->n_servers += change->verb < IPVS_NEW_DEST;
			o->n_dests += change->verb >= IPVS_NEW_DEST;
		} else if (change->error != -ESRCH && change->error != -ENOENT) {
			ipvs_outcome_fail_text(o, family, change->error,
					       ipvs_explain(change, NULL));
		}
	}
}

static int compare_dests(const void *a, const void *b)
{
	return ipvs_dest_compare(a, b);
}

/* What those of one virtual server have left, now that they get nothing new. */
static int leave_one(struct ipvs_doors *d, const struct ipvs_change *leave, size_t n,
		     struct ipvs_changes *out, struct ipvs_outcome *o)
{
	const struct ipvs_server *server = &leave->server;
	_cleanup_ipvs_dests_ struct ipvs_dests there = {0};
	int r = ipvs_list_dests(d->ipvs, &server->key, &there);

	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct ipvs_dest *is = there.n == 0
						     ? NULL
						     : bsearch(&leave[i].dest, there.items, there.n,
							       sizeof(*there.items), compare_dests);

		if (!is)
			continue;
		if (ipvs_leave_fate(server->key.protocol, is) == FATE_DELETE)
			r = ipvs_changes_add(out, IPVS_DEL_DEST, server, is);
		else
			ipvs_outcome_drains(o, &server->key);
	}
	return r;
}

void ipvs_apply_leave(struct ipvs_doors *d, const struct ipvs_changes *leave,
		      enum addr_family family, struct ipvs_outcome *o)
{
	_cleanup_(ipvs_changes_done) struct ipvs_changes first = {0};
	_cleanup_(ipvs_changes_done) struct ipvs_changes then = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < leave->n; i++) {
		const struct ipvs_change *c = &leave->items[i];
		struct ipvs_dest quiet = c->dest;

		quiet.weight = 0;
		if (c->server.key.protocol != IPPROTO_TCP)
			r = ipvs_changes_add(&first, IPVS_DEL_DEST, &c->server, &c->dest);
		else if (c->dest.weight != 0)
			r = ipvs_changes_add(&first, IPVS_SET_DEST, &c->server, &quiet);
	}
	if (r == 0)
		run_changes(d, &first, family, o);
	for (size_t i = 0, next; r == 0 && i < leave->n; i = next) {
		const struct ipvs_key *key = &leave->items[i].server.key;

		for (next = i + 1; next < leave->n; next++)
			if (ipvs_key_compare(&leave->items[next].server.key, key) != 0)
				break;
		if (key->protocol == IPPROTO_TCP)
			r = leave_one(d, &leave->items[i], next - i, &then, o);
	}
	if (r == 0)
		run_changes(d, &then, family, o);
	if (r < 0)
		ipvs_outcome_fail(o, family, r, "real servers cannot be listed: %s",
				  ipvs_reason(r));
}

static void delete_entries(struct work *w)
{
	for (int i = 0; w->doors->ipset && i < _SET_MAX; i++) {
		const struct ipset_elements *del = &w->job->sets[i].del;
		size_t done = 0;
		int r;

		if (del->n == 0)
			continue;
		r = ipset_del(w->doors->ipset, set_name(w, i), ipvs_set_type((enum ipvs_set)i),
			      del->items, del->n, &done);
		w->outcome->n_entries += done;
		if (r < 0)
			fail(w, r, explain_set(w, i, "cannot delete entries", r));
	}
}

void ipvs_apply(struct ipvs_doors *d, struct ipvs_job *job, struct ipvs_outcome *o)
{
	struct work w = {
		.doors = d,
		.job = job,
		.outcome = o,
		.family = job->wanted->family,
		.guarded = !job->unguarded,
	};
	struct keys surprises = {0};
	struct ipvs_plan *plan = &job->plan;
	bool loaded;

	o->served[w.family] = true;
	loaded = make_sets(&w);
	w.guarded &= loaded;
	if (job->switching)
		loaded = loaded && load(&w, job->rules.early[TABLE_FILTER]);
	else
		loaded = loaded && load_both(&w);
	if (w.off)
		return;
	build(&w, &plan->build, &surprises);
	build_again(&w, &surprises);
	bind_addresses(&w);
	/* Until all is there, iptables mode's rules serve: also where one service alone fails,
	 * which would have nothing else. */
	if (job->switching)
		loaded = loaded && !o->failed[w.family] && load(&w, job->rules.early[TABLE_NAT]);
	keep_broken(&w, &plan->leave);
	change_addresses(&w, &plan->unbind, links_del_addresses, "unbind");
	ipvs_apply_leave(d, &plan->leave, w.family, o);
	run_changes(d, &plan->remove, w.family, o);
	loaded = loaded && load(&w, job->rules.late);
	delete_entries(&w);
	if (loaded) {
		o->n_chains += job->rules.n_chains;
		o->n_rules += job->rules.n_rules;
	}
	keys_done(&surprises);
	keys_done(&w.failed);
	keys_done(&w.broken);
}
