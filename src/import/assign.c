/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/assign.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"

/* Longest line that our own reader takes, and where lists are broken. */
#define LINE_MAX_BYTES 190
#define LINE_LIST_BYTES 90

int assignments_init(struct assignments *a)
{
	struct assignments new = {0};
	int r;

	new.origin.places = calloc(n_setting_rows, sizeof(*new.origin.places));
	if (!new.origin.places)
		return -ENOMEM;
	r = arena_new(&new.arena);
	if (r == 0)
		r = settings_init(&new.settings);
	if (r < 0) {
		arena_free(new.arena);
		free(new.origin.places);
		return r;
	}
	*a = new;
	return 0;
}

void assignments_done(struct assignments *a)
{
	arena_free(a->arena);
	free(a->items);
	free(a->origin.places);
	settings_done(&a->settings);
	*a = (struct assignments){0};
}

static int append(struct assignments *a, const struct setting_row *row, const char *value)
{
	const char *copy = arena_strdup(a->arena, value);
	int r;

	if (!copy)
		return -ENOMEM;
	r = array_reserve(&a->items, &a->allocated, a->n + 1);
	if (r < 0)
		return r;
	a->items[a->n++] = (struct assignment){.row = row, .value = copy};
	return 0;
}

static int parse(struct assignments *a, const struct setting_row *row, struct kube_object *o,
		 const struct node *n, const char *value)
{
	_cleanup_free_ char *reason = NULL, *hint = NULL;
	int r = row->parse(row, value, &a->settings, &reason, &hint);

	if (r < 0 && r != -ENOMEM)
		kube_error(o, n, hint, "%s", reason ? reason : "is refused");
	return r;
}

void assign(struct assignments *a, struct kube_object *o, const struct node *n, const char *section,
	    const char *key, const char *value)
{
	const struct setting_row *row = setting_find(section, key);
	int r;

	if (!row) {
		o->error = -EINVAL;
		return;
	}
	if (strlen(key) + 1 + strlen(value) > LINE_MAX_BYTES) {
		kube_error(o, n, NULL, "is too long for a line of svcroute.conf");
		return;
	}
	r = parse(a, row, o, n, value);
	if (r == 0)
		r = append(a, row, value);
	if (r == -ENOMEM)
		o->error = r;
	else if (r == 0)
		node_place(o->tree, n, &a->origin.places[row - setting_rows]);
}

/* The values of one setting. Those of a list share lines as long as they fit; an empty one is
 * written only where it stands alone, since it would empty the list. */
static void print_row(const struct assignments *a, const struct setting_row *row,
		      struct strbuf *out)
{
	size_t line = 0;

	for (size_t i = 0; i < a->n; i++) {
		const char *value = a->items[i].value;

		if (a->items[i].row != row || !*value)
			continue;
		if (line > 0 && line + 1 + strlen(value) <= LINE_LIST_BYTES) {
			strbuf_addf(out, " %s", value);
			line += 1 + strlen(value);
		} else {
			strbuf_addf(out, "%s%s=%s", line > 0 ? "\n" : "", row->key, value);
			line = strlen(row->key) + 1 + strlen(value);
		}
	}
	if (line == 0)
		strbuf_addf(out, "%s=", row->key);
	strbuf_add_char(out, '\n');
}

static bool has_value(const struct assignments *a, const struct setting_row *row)
{
	for (size_t i = 0; i < a->n; i++) {
		if (a->items[i].row == row)
			return true;
	}
	return false;
}

void assignments_print(const struct assignments *a, struct strbuf *out)
{
	const char *section = NULL;

	for (size_t i = 0; i < n_setting_rows; i++) {
		const struct setting_row *row = &setting_rows[i];

		if (!has_value(a, row))
			continue;
		if (!section || !streq(section, row->section)) {
			strbuf_addf(out, "%s[%s]\n", section ? "\n" : "", row->section);
			section = row->section;
		}
		print_row(a, row, out);
	}
}
