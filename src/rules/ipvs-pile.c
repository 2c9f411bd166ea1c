/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/ipvs-internal.h"

static const char *item(const struct ipvs_pile *p, size_t i, size_t size)
{
	return (const char *)p->items + i * size;
}

int ipvs_pile_edit(const struct ipvs_pile *old, const struct ipvs_pile *minus,
		   const struct ipvs_pile *plus, size_t size, ipvs_compare_fn *compare,
		   struct ipvs_pile *ret)
{
	struct ipvs_pile made = {0};
	size_t i = 0, at_minus = 0, at_plus = 0;

	if (old->n + plus->n == 0) {
		*ret = made;
		return 0;
	}
	made.items = calloc(old->n + plus->n, size);
	if (!made.items)
		return -ENOMEM;
	while (i < old->n || at_plus < plus->n) {
		const char *from;

		if (i < old->n && at_minus < minus->n &&
		    compare(item(old, i, size), item(minus, at_minus, size)) == 0) {
			i++;
			at_minus++;
			continue;
		}
		if (i == old->n || (at_plus < plus->n &&
				    compare(item(plus, at_plus, size), item(old, i, size)) < 0))
			from = item(plus, at_plus++, size);
		else
			from = item(old, i++, size);
		memcpy((char *)made.items + made.n++ * size, from, size);
	}
	*ret = made;
	return 0;
}

int ipvs_pile_unique(const struct ipvs_pile *pile, size_t size, ipvs_compare_fn *compare,
		     struct ipvs_pile *ret)
{
	struct ipvs_pile made = {0};
	size_t n = 0;

	for (size_t i = 0; i < pile->n; i++)
		n += i == 0 || compare(item(pile, i - 1, size), item(pile, i, size)) != 0;
	if (n == pile->n) {
		*ret = *pile;
		return 0;
	}
	made.items = calloc(n, size);
	if (!made.items)
		return -ENOMEM;
	for (size_t i = 0; i < pile->n; i++)
		if (i == 0 || compare(item(pile, i - 1, size), item(pile, i, size)) != 0)
			memcpy((char *)made.items + made.n++ * size, item(pile, i, size), size);
	*ret = made;
	return 0;
}
