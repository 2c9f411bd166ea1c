/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "config/config-internal.h"

/*
 * Clashes are resolved in rounds. In a round the files that have to give way are replaced in the
 * order of their rank, the strongest first, unless what they give way to was replaced in the same
 * round: then the next round tells. So the outcome depends on nothing but the files, and a thousand
 * clashes do not need a thousand rounds.
 *
 *     a clashes with b, b with c, all new:  b is replaced, c stays
 *
 * When a file that others gave way to was replaced later on, those that were replaced are tried
 * once more.
 */

/* One clash, seen from the file that has to give way. */
struct defeat {
	struct config_file *loser, *winner;
	struct index_clash *clash;
};

/* Files by strength: class, then reading order. */
static int compare_strength(const struct config_file *a, const struct config_file *b)
{
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return strcmp(a->id, b->id);
}

static int compare_defeats(const void *left, const void *right)
{
	const struct defeat *a = left, *b = right;
	const struct diag *x = &a->clash->diags.items[0], *y = &b->clash->diags.items[0];
	int order = compare_strength(a->loser, b->loser);

	if (order == 0)
		order = compare_strength(a->winner, b->winner);
	/* The index tells claims in no order. */
	if (order == 0)
		order = strcmp(x->value ? x->value : "", y->value ? y->value : "");
	return order ? order : strcmp(x->reason, y->reason);
}

static struct defeat defeat_of(struct config *c, struct index_clash *clash)
{
	struct config_file *a = map_get(c->files, clash->files[0]);
	struct config_file *b = map_get(c->files, clash->files[1]);

	if (compare_strength(a, b) <= 0)
		return (struct defeat){.loser = b, .winner = a, .clash = clash};
	return (struct defeat){.loser = a, .winner = b, .clash = clash};
}

/* The clashes in an order that depends on the files alone. */
static int sort_clashes(struct config *c, const struct index_clashes *clashes, struct defeat **ret)
{
	struct defeat *defeats = calloc(clashes->n + 1, sizeof(*defeats));

	if (!defeats)
		return -ENOMEM;
	for (size_t i = 0; i < clashes->n; i++)
		defeats[i] = defeat_of(c, &clashes->items[i]);
	qsort(defeats, clashes->n, sizeof(*defeats), compare_defeats);
	*ret = defeats;
	return 0;
}

static int put_in_force(struct config *c, struct config_file *f)
{
	return f->in_force ? index_put_file(c->index, f->id, &f->content.objects)
			   : index_remove_file(c->index, f->id);
}

/* The newest content goes; what was in force before the refresh is in force again. */
static int replace(struct config *c, struct config_file *f)
{
	int r = config_touch(c, f);

	if (r < 0)
		return r;
	if (!f->refused) {
		diags_move(&f->spare, &f->diags);
		f->refused = f->clashed = true;
	}
	config_file_clear_diags(f);
	/* What was in force before cannot clash with the like. If it ever did, to leave the file
	 * out is better than to go on for ever. */
	r = f->changed ? config_file_put_back(f) : config_file_set_aside(f);
	return r < 0 ? r : put_in_force(c, f);
}

/* What is said stands in the file that gives way. */
static struct diags *messages_for(const struct config_file *loser, struct index_clash *clash)
{
	bool first = streq(loser->id, clash->files[0]) && !streq(loser->id, clash->files[1]);

	return first && clash->mirror.n ? &clash->mirror : &clash->diags;
}

/* *ret_try_again: a file that others gave way to was replaced itself. */
static int play_round(struct config *c, struct index_clashes *clashes, unsigned round,
		      bool *ret_try_again)
{
	_cleanup_free_ struct defeat *defeats = NULL;
	size_t i;
	int r;

	r = sort_clashes(c, clashes, &defeats);
	if (r < 0)
		return r;
	for (i = 0; i < clashes->n; i++) {
		struct config_file *loser = defeats[i].loser, *winner = defeats[i].winner;

		if (winner != loser && winner->lost_in == round)
			continue;
		if (loser->lost_in != round) {
			r = replace(c, loser);
			if (r < 0)
				return r;
			loser->lost_in = round;
			*ret_try_again |= loser->won;
		}
		winner->won |= winner != loser;
		diags_move(&loser->diags, messages_for(loser, defeats[i].clash));
		if (loser->diags.error)
			return loser->diags.error;
	}
	return 0;
}

/* What was replaced has the rank of what is in force now. Only after the round: its order is by
 * rank. */
static void end_round(struct config *c, unsigned round)
{
	for (size_t i = 0; i < c->n_touched; i++)
		if (c->touched[i]->lost_in == round)
			c->touched[i]->class = CLASS_UNCHANGED;
}

static int without_clashes(struct config *c, unsigned *round, struct world **ret,
			   bool *ret_try_again)
{
	int r;

	*ret_try_again = false;
	for (;;) {
		_cleanup_index_clashes_ struct index_clashes clashes = {0};

		r = index_update(c->index, c->settings, &clashes, ret);
		if (r < 0 || clashes.n == 0)
			return r;
		r = play_round(c, &clashes, ++*round, ret_try_again);
		if (r < 0)
			return r;
		end_round(c, *round);
	}
}

static size_t count_lost(const struct config *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_touched; i++)
		n += c->touched[i]->lost_in > 0;
	return n;
}

/* The newest content of a file that lost is in force once more. -ENOENT: there is none. */
static int take_up(struct config *c, struct config_file *f)
{
	int r = f->lost_in ? config_file_take_up(f) : -ENOENT;

	if (r == 0)
		r = put_in_force(c, f);
	if (r < 0)
		return r;
	config_file_clear_diags(f);
	diags_move(&f->diags, &f->spare);
	f->class = CLASS_REFUSED;
	f->refused = f->clashed = false;
	f->lost_in = 0;
	return f->diags.error;
}

/* All at once, for two may have traded their ports; then one after the other, for two that are in
 * the way of each other must not keep both out. */
static int try_once_more(struct config *c, unsigned *round, struct world **world)
{
	bool ignored;
	size_t i;
	int r;

	for (i = 0; i < c->n_touched; i++) {
		r = take_up(c, c->touched[i]);
		if (r < 0 && r != -ENOENT)
			return r;
	}
	*world = world_unref(*world);
	r = without_clashes(c, round, world, &ignored);
	for (i = 0; r == 0 && i < c->n_touched; i++) {
		r = take_up(c, c->touched[i]);
		if (r == -ENOENT) {
			r = 0;
			continue;
		}
		*world = world_unref(*world);
		if (r == 0)
			r = without_clashes(c, round, world, &ignored);
	}
	return r;
}

int config_resolve(struct config *c, struct world **ret)
{
	_cleanup_(world_unrefp) struct world *world = NULL;
	unsigned round = 0;
	bool try_again;
	int r;

	r = without_clashes(c, &round, &world, &try_again);
	/* Until it changes nothing: what the next refresh would find is found now. What was taken
	 * is never given up for what is only tried again, so there is an end. */
	while (r == 0 && try_again) {
		size_t n_lost = count_lost(c);

		r = try_once_more(c, &round, &world);
		try_again = count_lost(c) < n_lost;
	}
	if (r < 0)
		return r;
	*ret = TAKE_PTR(world);
	return 0;
}
