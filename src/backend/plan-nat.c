/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/plan-nat.h"

#include <errno.h>

#include "backend/plan-content.h"
#include "backend/plan-dispatch.h"
#include "backend/plan-jumps.h"
#include "base/array.h"

/*
 * Chains of services that are new or changed are written whole; chains nobody wants any more are
 * emptied at once and deleted after the last rule that pointed at them is gone.
 *
 * iptables-nft-restore 1.8.9 needs time that is the product of rules and chains of one COMMIT
 * block: long input is cut into blocks. Then what is pointed at comes before what points, and each
 * service's chains are in one block, so that at any moment they are wholly old or wholly new.
 */

struct chain_write {
	const struct chain *chain;
	const struct service *service;
};

struct nat_job {
	const struct ruleset *old, *new;
	const struct iptables_seen *seen;
	const struct plan_options *options;
	struct iptables_plan *plan;
	struct strbuf *out;
	struct chain_write *writes;
	size_t n_writes, writes_allocated;
	size_t n_services; /* that have chains in writes */
	const char **stale;
	size_t n_stale, stale_allocated;
	struct dispatch_diff dispatch[2]; /* KUBE-SERVICES, KUBE-NODEPORTS */
	struct strbuf jumps;
};

static void nat_job_done(struct nat_job *j)
{
	free(j->writes);
	free(j->stale);
	for (size_t i = 0; i < ELEMENTSOF(j->dispatch); i++)
		dispatch_diff_done(&j->dispatch[i]);
	strbuf_done(&j->jumps);
}

void plan_kept_done(struct plan_kept_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i].rule);
	free(list->items);
	*list = (struct plan_kept_list){0};
}

int plan_kept_add(struct plan_kept_list *list, const char *chain, const char *rule)
{
	struct plan_kept added = {0};

	if (array_reserve(&list->items, &list->allocated, list->n + 1) < 0)
		return -ENOMEM;
	strncpy(added.chain, chain, CHAIN_NAME_MAX - 1);
	added.rule = rule ? strdup(rule) : NULL;
	if (rule && !added.rule)
		return -ENOMEM;
	list->items[list->n++] = added;
	return 0;
}

static int chain_rank(const char *name)
{
	static const char *const prefixes[] = {"KUBE-FW-", "KUBE-EXT-", "KUBE-SVC-", "KUBE-SVL-",
					       "KUBE-SEP-"};

	for (size_t i = 0; i < ELEMENTSOF(prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return (int)i;
	return -1;
}

int plan_chain_order(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	int order = chain_rank(*x) - chain_rank(*y);

	return order != 0 ? order : strcmp(*x, *y);
}

static int add_write(struct nat_job *j, const struct chain *chain, const struct service *service)
{
	bool there = false;
	int r;

	if (!j->old) {
		r = plan_content_there(j->seen, SEEN_NAT, chain, service, j->new->env.family,
				       &there);
		if (r < 0 || there)
			return r;
	}
	if (array_reserve(&j->writes, &j->writes_allocated, j->n_writes + 1) < 0)
		return -ENOMEM;
	if (service && (j->n_writes == 0 || j->writes[j->n_writes - 1].service != service))
		j->n_services++;
	j->writes[j->n_writes++] = (struct chain_write){.chain = chain, .service = service};
	return 0;
}

static int add_stale(struct nat_job *j, const char *name)
{
	if (array_reserve(&j->stale, &j->stale_allocated, j->n_stale + 1) < 0)
		return -ENOMEM;
	j->stale[j->n_stale++] = name;
	return 0;
}

static int compare_chains(const void *a, const void *b)
{
	const struct chain *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Pointers to the chains of a fragment (NULL: none), sorted by name; malloc'ed. */
static int sort_chains(const struct fragment *f, const struct chain ***ret)
{
	size_t n = f ? f->n_chains : 0;
	const struct chain **sorted = calloc(n + 1, sizeof(struct chain *));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		sorted[i] = &f->chains[i];
	if (n > 1)
		qsort(sorted, n, sizeof(struct chain *), compare_chains);
	*ret = sorted;
	return 0;
}

static const struct chain *find_chain(const struct chain *const *sorted, size_t n,
				      const struct chain *wanted)
{
	const struct chain *const *found = bsearch(&wanted, sorted, n, sizeof(struct chain *),
						   compare_chains);

	return found ? *found : NULL;
}

/* The chains of one service: names carry a hash of service, port and protocol, so they never move
 * to another. */
static int add_service(struct nat_job *j, const struct fragment *old, const struct fragment *new)
{
	_cleanup_free_ const struct chain **old_sorted = NULL, **new_sorted = NULL;
	size_t n_old = old ? old->n_chains : 0, n_new = new ? new->n_chains : 0;
	int r;

	r = sort_chains(old, &old_sorted);
	if (r == 0)
		r = sort_chains(new, &new_sorted);
	for (size_t i = 0; r == 0 && i < n_new; i++) {
		const struct chain *was = find_chain(old_sorted, n_old, &new->chains[i]);

		if (!was || !rule_lists_equal(&was->rules, old->service, &new->chains[i].rules,
					      new->service))
			r = add_write(j, &new->chains[i], new->service);
	}
	for (size_t i = 0; r == 0 && i < n_old; i++)
		if (!find_chain(new_sorted, n_new, &old->chains[i]))
			r = add_stale(j, old->chains[i].name);
	return r;
}

/* On a host whose content is not known: chains of the prefixes that are not wanted are stale. */
static int add_seen_stale(struct nat_job *j)
{
	_cleanup_(map_freep) struct map *wanted = NULL;
	const struct map *there = j->seen->tables[SEEN_NAT].chains;
	const char *name;
	size_t pos = 0;
	void *value;
	int r;

	if (!there)
		return 0;
	r = map_new(&wanted);
	for (size_t i = 0; r == 0 && i < j->new->n_fragments; i++) {
		const struct fragment *f = j->new->fragments[i];

		for (size_t k = 0; r == 0 && k < f->n_chains; k++)
			r = map_put(wanted, f->chains[k].name, (void *)1);
	}
	while (r == 0 && map_next(there, &pos, &name, &value))
		if (chain_is_service_chain(name) && !map_get(wanted, name))
			r = add_stale(j, name);
	return r;
}

static bool fixed_differs(const struct ruleset *old, const struct chain *was,
			  const struct chain *is)
{
	return !old || !rule_lists_equal(&was->rules, NULL, &is->rules, NULL);
}

static int collect(struct nat_job *j)
{
	struct fragment_walk walk = {.old = j->old, .new = j->new, .changed = true};
	const struct fragment *old, *new;
	int r = 0;

	if (fixed_differs(j->old, j->old ? &j->old->postrouting : NULL, &j->new->postrouting))
		r = add_write(j, &j->new->postrouting, NULL);
	if (r == 0 && fixed_differs(j->old, j->old ? &j->old->mark_masq : NULL, &j->new->mark_masq))
		r = add_write(j, &j->new->mark_masq, NULL);
	while (r == 0 && fragment_walk_next(&walk, &old, &new))
		r = add_service(j, old, new);
	if (r == 0 && !j->old)
		r = add_seen_stale(j);
	if (r < 0)
		return r;
	if (j->n_stale > 1)
		qsort(j->stale, j->n_stale, sizeof(char *), plan_chain_order);
	if (j->seen)
		plan_jumps_print(j->seen, TABLE_NAT, &j->jumps, &j->plan->n_rules);
	r = dispatch_diff_make(DISPATCH_NAT_SERVICES, j->old, j->new, j->seen, &j->dispatch[0]);
	if (r < 0)
		return r;
	return dispatch_diff_make(DISPATCH_NAT_NODEPORTS, j->old, j->new, j->seen, &j->dispatch[1]);
}

static void print_head(struct nat_job *j, const char *name)
{
	strbuf_add_char(j->out, ':');
	strbuf_add(j->out, name);
	strbuf_add(j->out, " - [0:0]\n");
	j->plan->n_chains++;
}

static void print_writes(struct nat_job *j, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct chain_write *w = &j->writes[i];

		for (size_t k = 0; k < w->chain->rules.n; k++) {
			strbuf_add(j->out, "-A ");
			strbuf_add(j->out, w->chain->name);
			strbuf_add_char(j->out, ' ');
			rule_print(&w->chain->rules.items[k], w->service, j->out);
			strbuf_add_char(j->out, '\n');
		}
		j->plan->n_rules += w->chain->rules.n;
	}
}

static void print_heads(struct nat_job *j, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		print_head(j, j->writes[i].chain->name);
}

static void print_dispatch_heads(struct nat_job *j)
{
	for (size_t i = 0; i < ELEMENTSOF(j->dispatch); i++)
		if (dispatch_rewrites(&j->dispatch[i], STEP_EXACT))
			print_head(j, j->dispatch[i].name);
}

static void print_dispatch(struct nat_job *j)
{
	for (size_t i = 0; i < ELEMENTSOF(j->dispatch); i++)
		dispatch_print(&j->dispatch[i], STEP_EXACT, j->out, &j->plan->n_rules);
}

static void print_stale_heads(struct nat_job *j, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		print_head(j, j->stale[i]);
}

static int print_stale_deletes(struct nat_job *j, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const char *rule = j->seen ? plan_foreign_reference(j->seen, SEEN_NAT, j->stale[i])
					   : NULL;

		if (rule || j->options->keep_stale) {
			int r = plan_kept_add(&j->plan->kept, j->stale[i], rule);

			if (r < 0)
				return r;
			continue;
		}
		strbuf_add(j->out, "-X ");
		strbuf_add(j->out, j->stale[i]);
		strbuf_add_char(j->out, '\n');
		j->plan->n_stale++;
	}
	return 0;
}

static void begin(struct nat_job *j)
{
	strbuf_add(j->out, "*nat\n");
}

static void commit(struct nat_job *j)
{
	strbuf_add(j->out, "COMMIT\n");
}

static bool dispatch_changed(const struct nat_job *j)
{
	return dispatch_changes(&j->dispatch[0], STEP_EXACT) ||
	       dispatch_changes(&j->dispatch[1], STEP_EXACT);
}

static int print_single(struct nat_job *j)
{
	int r;

	begin(j);
	print_dispatch_heads(j);
	print_heads(j, 0, j->n_writes);
	print_stale_heads(j, 0, j->n_stale);
	strbuf_add(j->out, strbuf_text(&j->jumps));
	print_dispatch(j);
	print_writes(j, 0, j->n_writes);
	r = print_stale_deletes(j, 0, j->n_stale);
	commit(j);
	return r;
}

/*
 * On a host that has neither of the two, dispatch chains may grow with the blocks; their rules in
 * one block would cost time with the square of their number. The jumps to them come last: until
 * then the kernel need not check with each block all that can be reached.
 */
static bool dispatch_grows(const struct nat_job *j)
{
	return !j->old && !iptables_seen_chain(j->seen, SEEN_NAT, j->dispatch[0].name) &&
	       !iptables_seen_chain(j->seen, SEEN_NAT, j->dispatch[1].name);
}

/* What services need: the fixed chains, and (unless dispatch grows) a place for the jumps to lead
 * to. Returns how many of the chains to write it holds. */
static size_t print_base_block(struct nat_job *j)
{
	bool jumps = j->jumps.len > 0 && !dispatch_grows(j);
	size_t n = 0;

	while (n < j->n_writes && !j->writes[n].service)
		n++;
	if (n == 0 && !jumps)
		return 0;
	begin(j);
	for (size_t i = 0; i < ELEMENTSOF(j->dispatch);
	     i++) /* a chain line would empty one that is there */
		if (!j->old && !iptables_seen_chain(j->seen, SEEN_NAT, j->dispatch[i].name))
			print_head(j, j->dispatch[i].name);
	print_heads(j, 0, n);
	if (jumps)
		strbuf_add(j->out, strbuf_text(&j->jumps));
	print_writes(j, 0, n);
	commit(j);
	return n;
}

/* The end of a block that begins at from: whole services, at least one. */
static size_t block_end(const struct nat_job *j, size_t from)
{
	size_t end = from, n_services = 0;

	while (end < j->n_writes) {
		size_t next = end + 1;

		while (next < j->n_writes && j->writes[next].service == j->writes[end].service)
			next++;
		if (n_services > 0 &&
		    (n_services >= PLAN_BLOCK_SERVICES || next - from > PLAN_BLOCK_CHAINS))
			break;
		end = next;
		n_services++;
	}
	return end;
}

static void print_service_blocks(struct nat_job *j, size_t from)
{
	size_t to, done[ELEMENTSOF(j->dispatch)] = {0};
	bool grows = dispatch_grows(j);

	for (; from < j->n_writes; from = to) {
		to = block_end(j, from);
		begin(j);
		print_heads(j, from, to);
		print_writes(j, from, to);
		for (size_t i = 0; grows && i < ELEMENTSOF(done); i++)
			done[i] = dispatch_print_appended(&j->dispatch[i], done[i],
							  j->writes[to - 1].service, j->out,
							  &j->plan->n_rules);
		commit(j);
	}
	if (!dispatch_changed(j))
		return;
	begin(j);
	if (!grows) {
		print_dispatch_heads(j);
		print_dispatch(j);
	} else {
		strbuf_add(j->out, strbuf_text(&j->jumps));
		for (size_t i = 0; i < ELEMENTSOF(done); i++)
			(void)dispatch_print_appended(&j->dispatch[i], done[i], NULL, j->out,
						      &j->plan->n_rules);
	}
	commit(j);
}

static int print_blocks(struct nat_job *j)
{
	size_t to;
	int r = 0;

	print_service_blocks(j, print_base_block(j));
	for (size_t from = 0; r == 0 && from < j->n_stale; from = to) {
		to = MIN_OF(from + PLAN_BLOCK_CHAINS, j->n_stale);
		begin(j);
		print_stale_heads(j, from, to);
		r = print_stale_deletes(j, from, to);
		commit(j);
	}
	return r;
}

int plan_nat_print(const struct ruleset *old, const struct ruleset *new,
		   const struct iptables_seen *seen, const struct plan_options *options,
		   struct strbuf *out, struct iptables_plan *plan)
{
	_cleanup_(nat_job_done) struct nat_job j = {
		.old = old,
		.new = new,
		.seen = seen,
		.options = options,
		.plan = plan,
		.out = out,
	};
	int r;

	r = collect(&j);
	if (r < 0)
		return r;
	if (strbuf_error(&j.jumps) < 0)
		return strbuf_error(&j.jumps);
	if (j.n_writes == 0 && j.n_stale == 0 && j.jumps.len == 0 && !dispatch_changed(&j))
		return 0;
	if (!options->blocks ||
	    (j.n_services <= PLAN_BLOCK_SERVICES && j.n_writes + j.n_stale <= PLAN_BLOCK_CHAINS))
		r = print_single(&j);
	else
		r = print_blocks(&j);
	return r < 0 ? r : strbuf_error(out);
}
