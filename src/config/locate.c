/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/locate.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "config/scan.h"

struct walk {
	struct scan_cursor cursor;
	struct locations *found;
	size_t keys_allocated;
};

void locations_done(struct locations *l)
{
	free(l->items);
	free(l->keys);
	*l = (struct locations){0};
}

/* Offsets never fall from one value to the next, so that one walk over the text is enough. */
static struct location location_at(struct walk *w, size_t offset)
{
	scan_cursor_move(&w->cursor, offset);
	return (struct location){.line = w->cursor.line, .column = w->cursor.column};
}

static int add_value(void *userdata, unsigned depth, size_t key, size_t value)
{
	struct walk *w = userdata;
	struct locations *l = w->found;
	int r;

	(void)depth;
	r = array_reserve(&l->items, &l->allocated, l->n + 1);
	if (r < 0)
		return r;
	r = array_reserve(&l->keys, &w->keys_allocated, l->n + 1);
	if (r < 0)
		return r;
	if (key != SCAN_NO_KEY)
		l->keys[l->n] = location_at(w, key);
	l->items[l->n] = location_at(w, value);
	l->n++;
	return 0;
}

int locations_scan(const char *data, size_t size, struct locations *ret)
{
	_cleanup_(locations_done) struct locations found = {0};
	struct walk w = {.found = &found};
	int r;

	scan_cursor_init(&w.cursor, data, size);
	r = scan_text(data, size, add_value, &w, NULL, NULL);
	if (r < 0)
		return r;
	*ret = found;
	found = (struct locations){0};
	return 0;
}
