/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/settings-own.h"

#include <errno.h>

int own_text(char **field, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

void prefix_list_clear(struct prefix_list *l)
{
	free(l->items);
	*l = (struct prefix_list){0};
}

int prefix_list_add(struct prefix_list *l, const struct addr_prefix *p)
{
	return prefix_list_append(
		l, &(struct prefix_list){.items = (struct addr_prefix[]){*p}, .n = 1});
}

int prefix_list_append(struct prefix_list *l, const struct prefix_list *more)
{
	struct addr_prefix *items;

	if (more->n == 0)
		return 0;
	items = reallocarray(l->items, l->n + more->n, sizeof(*items));
	if (!items)
		return -ENOMEM;
	l->items = items;
	for (size_t i = 0; i < more->n; i++)
		l->items[l->n++] = more->items[i];
	return 0;
}

int text_list_reserve(struct text_list *l, size_t more)
{
	char **items;

	if (more == 0)
		return 0;
	items = reallocarray(l->items, l->n + more, sizeof(*items));
	if (!items)
		return -ENOMEM;
	l->items = items;
	return 0;
}

int text_list_add(struct text_list *l, const char *text)
{
	char *copy;
	int r;

	r = text_list_reserve(l, 1);
	if (r < 0)
		return r;
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	l->items[l->n++] = copy;
	return 0;
}
