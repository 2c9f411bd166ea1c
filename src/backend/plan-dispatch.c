/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/plan-dispatch.h"

#include <errno.h>

#include "backend/iptables-plan.h"
#include "backend/plan-content.h"
#include "backend/plan-jumps.h"
#include "base/array.h"

bool fragment_walk_next(struct fragment_walk *w, const struct fragment **ret_old,
			const struct fragment **ret_new)
{
	const struct fragment *old = NULL, *new = NULL;
	int order;

	while (w->changed && w->old && w->i < w->old->n_fragments && w->j < w->new->n_fragments &&
	       w->old->fragments[w->i] == w->new->fragments[w->j]) {
		w->i++;
		w->j++;
	}
	if (w->old && w->i < w->old->n_fragments)
		old = w->old->fragments[w->i];
	if (w->j < w->new->n_fragments)
		new = w->new->fragments[w->j];
	if (!old && !new)
		return false;
	if (old && new) {
		order = old == new ? 0 : service_key_compare(old->service->key, new->service->key);
		if (order < 0)
			new = NULL;
		else if (order > 0)
			old = NULL;
	}
	if (old)
		w->i++;
	if (new)
		w->j++;
	*ret_old = old;
	*ret_new = new;
	return true;
}

void dispatch_diff_done(struct dispatch_diff *d)
{
	free(d->items);
	*d = (struct dispatch_diff){0};
}

static int add_items(struct dispatch_diff *d, const struct rule *rules, size_t n,
		     const struct service *service, enum dispatch_op op)
{
	if (n == 0)
		return 0;
	if (array_reserve(&d->items, &d->allocated, d->n + n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		d->items[d->n++] = (struct dispatch_item){
			.rule = &rules[i], .service = service, .op = op};
	if (op == DISPATCH_ADD)
		d->n_added += n;
	else if (op == DISPATCH_REMOVE)
		d->n_removed += n;
	return 0;
}

/* "-D" takes the first rule of its text: a kept one with the same text must not stand before. */
static bool names_kept_rule(const struct rule_list *old, const struct service *service,
			    size_t n_kept, const struct rule *removed)
{
	for (size_t i = 0; i < n_kept; i++)
		if (rule_equal(&old->items[i], service, removed, service))
			return true;
	return false;
}

/* The rules of one service: the equal ones at both ends stay, what lies between is replaced. */
static int add_changed(struct dispatch_diff *d, const struct rule_list *old,
		       const struct service *old_service, const struct rule_list *new,
		       const struct service *new_service)
{
	size_t head = 0, tail = 0, least = MIN_OF(old->n, new->n);
	int r;

	while (head < least &&
	       rule_equal(&old->items[head], old_service, &new->items[head], new_service))
		head++;
	while (tail < least - head && rule_equal(&old->items[old->n - 1 - tail], old_service,
						 &new->items[new->n - 1 - tail], new_service))
		tail++;
	for (size_t i = head; i < old->n - tail; i++)
		if (names_kept_rule(old, old_service, head, &old->items[i]))
			d->whole = true;

	r = add_items(d, new->items, head, new_service, DISPATCH_KEEP);
	if (r == 0 && old->n > head + tail)
		r = add_items(d, old->items + head, old->n - head - tail, old_service,
			      DISPATCH_REMOVE);
	if (r == 0 && new->n > head + tail)
		r = add_items(d, new->items + head, new->n - head - tail, new_service,
			      DISPATCH_ADD);
	if (r == 0 && tail > 0)
		r = add_items(d, new->items + new->n - tail, tail, new_service, DISPATCH_KEEP);
	return r;
}

static int look_whether_there(struct dispatch_diff *d, enum seen_table t, enum addr_family family,
			      const struct iptables_seen *seen)
{
	_cleanup_(plan_content_done) struct plan_content content = {0};

	for (size_t i = 0; i < d->n; i++)
		plan_content_add(&content, d->items[i].rule, d->items[i].service, family);
	if (strbuf_error(&content.text) < 0)
		return strbuf_error(&content.text);
	d->there = iptables_seen_content(seen, t, d->name, &content.sum);
	return 0;
}

/* Most syncs change no rule of a shared chain; then the chain need not be listed, whatever its
 * length. */
static bool chain_differs(enum dispatch_chain chain, const struct ruleset *old,
			  const struct ruleset *new)
{
	static const struct rule_list none = {0};
	struct fragment_walk walk = {.old = old, .new = new, .changed = true};
	const struct fragment *of, *nf;

	while (fragment_walk_next(&walk, &of, &nf))
		if (!rule_lists_equal(of ? &of->dispatch[chain] : &none, of ? of->service : NULL,
				      nf ? &nf->dispatch[chain] : &none, nf ? nf->service : NULL))
			return true;
	return chain == DISPATCH_NAT_SERVICES &&
	       !rule_lists_equal(&old->services_end, NULL, &new->services_end, NULL);
}

int dispatch_diff_make(enum dispatch_chain chain, const struct ruleset *old,
		       const struct ruleset *new, const struct iptables_seen *seen,
		       struct dispatch_diff *ret)
{
	static const struct rule_list none = {0};
	_cleanup_(dispatch_diff_done) struct dispatch_diff d = {.name = dispatch_name(chain),
								.whole = !old};
	struct fragment_walk walk = {.old = old, .new = new};
	const struct fragment *of, *nf;
	int r;

	if (old && !chain_differs(chain, old, new)) {
		*ret = d;
		return 0;
	}
	while (fragment_walk_next(&walk, &of, &nf)) {
		if (of == nf)
			r = add_items(&d, nf->dispatch[chain].items, nf->dispatch[chain].n,
				      nf->service, DISPATCH_KEEP);
		else
			r = add_changed(&d, of ? &of->dispatch[chain] : &none,
					of ? of->service : NULL, nf ? &nf->dispatch[chain] : &none,
					nf ? nf->service : NULL);
		if (r < 0)
			return r;
	}
	if (chain == DISPATCH_NAT_SERVICES) {
		r = add_changed(&d, old ? &old->services_end : &none, NULL, &new->services_end,
				NULL);
		if (r < 0)
			return r;
	}
	if (!old) {
		r = look_whether_there(&d, plan_seen_table(dispatch_table(chain)), new->env.family,
				       seen);
		if (r < 0)
			return r;
	}
	*ret = d;
	d = (struct dispatch_diff){0};
	return 0;
}

static size_t edits(const struct dispatch_diff *d, enum dispatch_step step)
{
	return (step != STEP_REMOVE ? d->n_added : 0) + (step != STEP_ADD ? d->n_removed : 0);
}

bool dispatch_changes(const struct dispatch_diff *d, enum dispatch_step step)
{
	if (d->there)
		return false;
	return d->whole ? edits(d, step) > 0 || step == STEP_EXACT : edits(d, step) > 0;
}

bool dispatch_rewrites(const struct dispatch_diff *d, enum dispatch_step step)
{
	return dispatch_changes(d, step) && (d->whole || edits(d, step) > PLAN_MAX_EDITS);
}

static void print_line(const struct dispatch_diff *d, const struct dispatch_item *item,
		       const char *command, size_t position, struct strbuf *out)
{
	strbuf_add(out, command);
	strbuf_add(out, d->name);
	if (position > 0) {
		strbuf_add_char(out, ' ');
		strbuf_add_u64(out, position);
	}
	strbuf_add_char(out, ' ');
	rule_print(item->rule, item->service, out);
	strbuf_add_char(out, '\n');
}

static void print_whole(const struct dispatch_diff *d, bool with_removed, struct strbuf *out,
			size_t *n_rules)
{
	for (size_t i = 0; i < d->n; i++) {
		if (d->items[i].op == DISPATCH_REMOVE && !with_removed)
			continue;
		print_line(d, &d->items[i], "-A ", 0, out);
		(*n_rules)++;
	}
}

/*
 * Positions count in the chain as it is when the line is reached: what stands before is final, what
 * stands behind is still as it was.
 */
static void print_edits(const struct dispatch_diff *d, enum dispatch_step step, struct strbuf *out,
			size_t *n_rules)
{
	size_t passed = 0; /* rules of the chain in front of the item */
	size_t behind =
		0; /* old rules that are still to come: with none left, an addition is an append */

	for (size_t i = 0; i < d->n; i++)
		behind += d->items[i].op == DISPATCH_KEEP || d->items[i].op == DISPATCH_REMOVE;
	for (size_t i = 0; i < d->n; i++) {
		const struct dispatch_item *item = &d->items[i];

		switch (item->op) {
		case DISPATCH_KEEP:
			behind--;
			passed++;
			break;
		case DISPATCH_REMOVE:
			behind--;
			if (step == STEP_ADD)
				passed++;
			else
				print_line(d, item, "-D ", 0, out);
			break;
		case DISPATCH_ADD:
			if (step != STEP_REMOVE) {
				print_line(d, item, behind > 0 ? "-I " : "-A ",
					   behind > 0 ? passed + 1 : 0, out);
				(*n_rules)++;
			}
			passed++;
			break;
		}
	}
}

void dispatch_print(const struct dispatch_diff *d, enum dispatch_step step, struct strbuf *out,
		    size_t *n_rules)
{
	if (dispatch_rewrites(d, step))
		print_whole(d, step == STEP_ADD, out, n_rules);
	else if (dispatch_changes(d, step))
		print_edits(d, step, out, n_rules);
}

size_t dispatch_print_appended(const struct dispatch_diff *d, size_t from,
			       const struct service *last, struct strbuf *out, size_t *n_rules)
{
	size_t i;

	for (i = from; i < d->n; i++) {
		const struct dispatch_item *item = &d->items[i];

		/* Rules without a service stand at the end. */
		if (last &&
		    (!item->service || service_key_compare(item->service->key, last->key) > 0))
			break;
		if (item->op == DISPATCH_REMOVE)
			continue;
		print_line(d, item, "-A ", 0, out);
		(*n_rules)++;
	}
	return i;
}
