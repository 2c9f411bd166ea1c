/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/ipvs-internal.h"

static const char *item(const struct ipvs_pile *p, size_t i, size_t size)
{
	return (const char *)p->items + i * size;
}

/* The first from `from` on that comes after what (or, unless after, not before it). */
static size_t search(const struct ipvs_pile *p, size_t from, const void *what, bool after,
		     const struct ipvs_pile_kind *kind)
{
	size_t to = p->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = kind->order(item(p, middle, kind->size), what);

		if (order < 0 || (after && order == 0))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Only where pieces meet can there be two of the same, if there were none before. */
static void append(struct ipvs_pile *to, const struct ipvs_pile *from, size_t first, size_t n,
		   const struct ipvs_pile_kind *kind)
{
	size_t size = kind->size;

	if (n == 0)
		return;
	if (to->distinct && to->n > 0)
		to->distinct = kind->same(item(to, to->n - 1, size), item(from, first, size)) != 0;
	memcpy((char *)to->items + to->n * size, item(from, first, size), n * size);
	to->n += n;
}

int ipvs_pile_edit(const struct ipvs_pile *old, const struct ipvs_pile *minus,
		   const struct ipvs_pile *plus, const struct ipvs_pile_kind *kind,
		   struct ipvs_pile *ret)
{
	struct ipvs_pile made = {.distinct = old->n == 0 || old->distinct};
	size_t at = 0, at_minus = 0, at_plus = 0, size = kind->size;

	if (old->n + plus->n == 0) {
		*ret = made;
		return 0;
	}
	made.items = calloc(old->n + plus->n, size);
	if (!made.items)
		return -ENOMEM;
	while (at_minus < minus->n || at_plus < plus->n) {
		const void *m = at_minus < minus->n ? item(minus, at_minus, size) : NULL;
		const void *p = at_plus < plus->n ? item(plus, at_plus, size) : NULL;
		bool adds = !m || (p && kind->order(p, m) < 0);
		size_t place = search(old, at, adds ? p : m, adds, kind);

		append(&made, old, at, place - at, kind);
		at = place;
		if (adds)
			append(&made, plus, at_plus++, 1, kind);
		else if (at < old->n && kind->order(item(old, at, size), m) == 0)
			at++;
		at_minus += !adds;
	}
	append(&made, old, at, old->n - at, kind);
	*ret = made;
	return 0;
}

int ipvs_pile_unique(struct ipvs_pile *pile, const struct ipvs_pile_kind *kind,
		     struct ipvs_pile *ret)
{
	struct ipvs_pile made = {.distinct = true};
	size_t n = 0, size = kind->size;

	for (size_t i = 0; i < pile->n && !pile->distinct; i++)
		n += i == 0 || kind->same(item(pile, i - 1, size), item(pile, i, size)) != 0;
	if (pile->distinct || n == pile->n) {
		pile->distinct = true;
		*ret = *pile;
		return 0;
	}
	made.items = calloc(n, size);
	if (!made.items)
		return -ENOMEM;
	for (size_t i = 0; i < pile->n; i++)
		if (i == 0 || kind->same(item(pile, i - 1, size), item(pile, i, size)) != 0)
			memcpy((char *)made.items + made.n++ * size, item(pile, i, size), size);
	*ret = made;
	return 0;
}
