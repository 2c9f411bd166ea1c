/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a settings file. inih parses; but it tells no lines, and takes some texts for something
 * else than people mean. So a scan of our own goes first, which refuses those (ini-scan.c). What
 * inih then delivers must be what the scan found, one by one.
 */
#include "config/ini.h"

#include <errno.h>
#include <ini.h>
#include <stdint.h>

#include "base/text.h"
#include "config/ini-scan.h"

struct reading {
	const char *file_name;
	const struct ini_scan *scan;
	struct settings s;    /* the copy that is worked on */
	struct place *places; /* of values, one per row; line 0: not in this file */
	struct place prefixes[_ORIGIN_LIST_MAX][ORIGIN_PREFIXES_MAX]; /* the same */
	struct diags *d;
	size_t n_delivered, n_sections_seen;
	bool disagrees;
	int error; /* -ENOMEM */
};

static void reading_done(struct reading *r)
{
	settings_done(&r->s);
	free(r->places);
}
#define _cleanup_reading_ _cleanup_(reading_done)

static bool is_section(const char *name)
{
	for (size_t i = 0; i < n_setting_rows; i++)
		if (streq(setting_rows[i].section, name))
			return true;
	return false;
}

/* Keys of a section, or with NULL the sections themselves; n_setting_rows are enough. */
static size_t list_names(const char *section, const char **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < n_setting_rows; i++) {
		const struct setting_row *row = &setting_rows[i];

		if (!section)
			ret[n++] = row->section;
		else if (streq(row->section, section))
			ret[n++] = row->key;
	}
	return n;
}

static const char *text_or_null(const struct strbuf *b)
{
	return b->len > 0 ? strbuf_text(b) : NULL;
}

static int unknown_section(const struct reading *r, const struct ini_section *section)
{
	struct place at = {.file = r->file_name, .line = section->line, .column = section->column};
	_cleanup_free_ const char **names = NULL;
	_cleanup_strbuf_ struct strbuf hint = {0};
	const char *closest;

	names = calloc(n_setting_rows, sizeof(*names));
	if (!names)
		return -ENOMEM;
	closest = text_closest(section->name, names, list_names(NULL, names));
	if (closest)
		strbuf_addf(&hint, "did you mean [%s]?", closest);
	if (strbuf_error(&hint) < 0)
		return -ENOMEM;
	diags_add(r->d, DIAG_ERROR, &at, NULL, section->name, NULL, text_or_null(&hint),
		  "unknown section");
	return 0;
}

/* Goes over the first n sections, so that messages are in the order of the lines. */
static int check_sections(struct reading *r, size_t n)
{
	for (; r->n_sections_seen < n; r->n_sections_seen++) {
		const struct ini_section *section = &r->scan->sections[r->n_sections_seen];
		int error;

		if (is_section(section->name))
			continue;
		error = unknown_section(r, section);
		if (error < 0)
			return error;
	}
	return 0;
}

/* "belongs to [IPTables] or [NFTables]": the key exists, elsewhere. */
static void add_other_sections(struct strbuf *hint, const char *key)
{
	for (size_t i = 0; i < n_setting_rows; i++) {
		if (!streq(setting_rows[i].key, key))
			continue;
		if (hint->len == 0)
			strbuf_addf(hint, "key %s belongs to section", key);
		else
			strbuf_add(hint, " or");
		strbuf_addf(hint, " [%s]", setting_rows[i].section);
	}
}

/* section is NULL before the first one. */
static int unknown_key(const struct reading *r, const char *section, const struct ini_assignment *a)
{
	struct place at = {.file = r->file_name, .line = a->line, .column = a->key_column};
	_cleanup_free_ const char **names = NULL;
	_cleanup_strbuf_ struct strbuf hint = {0}, field = {0};
	const char *closest;

	add_other_sections(&hint, a->key);
	if (hint.len == 0 && section) {
		names = calloc(n_setting_rows, sizeof(*names));
		if (!names)
			return -ENOMEM;
		closest = text_closest(a->key, names, list_names(section, names));
		if (closest)
			strbuf_addf(&hint, "did you mean '%s'?", closest);
	}
	if (section)
		strbuf_addf(&field, "%s.", section);
	strbuf_add(&field, a->key);
	if (strbuf_error(&hint) < 0 || strbuf_error(&field) < 0)
		return -ENOMEM;
	diags_add(r->d, DIAG_ERROR, &at, NULL, strbuf_text(&field), a->value, text_or_null(&hint),
		  section ? "unknown key" : "must stand in a section");
	return 0;
}

/* '#' begins a comment only at the beginning of a line; behind a value people mean one, too. */
static bool has_hash_comment(const char *value)
{
	for (const char *c = value; *c != '\0'; c++)
		if (*c == '#' && (c == value || c[-1] == ' ' || c[-1] == '\t'))
			return true;
	return false;
}

/* Reads a value into the copy; a wrong one becomes a diagnostic. */
static int read_value(struct reading *r, const struct setting_row *row,
		      const struct ini_assignment *a, const struct place *at)
{
	_cleanup_free_ char *reason = NULL, *hint = NULL;
	_cleanup_strbuf_ struct strbuf field = {0};
	const char *say_hint;
	int error;

	error = row->parse(row, a->value, &r->s, &reason, &hint);
	if (error != -EINVAL)
		return error;
	say_hint = hint;
	if (has_hash_comment(a->value))
		say_hint = "a comment that begins with '#' must be in a line of its own";
	else if (a->value[0] == '"' || a->value[0] == '\'')
		say_hint = "write it without quotation marks";
	strbuf_addf(&field, "%s.%s", row->section, row->key);
	if (strbuf_error(&field) < 0)
		return -ENOMEM;
	diags_add(r->d, DIAG_ERROR, at, NULL, strbuf_text(&field), a->value, say_hint, "%s",
		  reason ? reason : "is wrong");
	return 0;
}

static void count_prefixes(const struct settings *s, size_t ret[_ORIGIN_LIST_MAX])
{
	ret[ORIGIN_CLUSTER_CIDR] = s->cluster_cidr.n;
	ret[ORIGIN_NODE_CIDR] = s->node_cidr.n;
}

/* What a line added to the lists stands in that line. */
static void note_prefixes(struct reading *r, const size_t n_before[_ORIGIN_LIST_MAX],
			  const struct place *at)
{
	size_t n[_ORIGIN_LIST_MAX];

	count_prefixes(&r->s, n);
	for (int list = 0; list < _ORIGIN_LIST_MAX; list++)
		for (size_t i = n_before[list]; i < n[list] && i < ORIGIN_PREFIXES_MAX; i++)
			r->prefixes[list][i] = *at;
}

static int assign(struct reading *r, const struct ini_assignment *a)
{
	const char *section = a->section == SIZE_MAX ? NULL : r->scan->sections[a->section].name;
	struct place at = {.file = r->file_name, .line = a->line, .column = a->value_column};
	size_t n_before[_ORIGIN_LIST_MAX];
	const struct setting_row *row;
	struct place *earlier;
	int error;

	error = check_sections(r, section ? a->section + 1 : 0);
	if (error < 0)
		return error;
	if (section && !is_section(section))
		return 0; /* said once, at the section */
	row = section ? setting_find(section, a->key) : NULL;
	if (!row)
		return unknown_key(r, section, a);

	earlier = &r->places[row - setting_rows];
	if (earlier->line > 0 && !row->list) {
		_cleanup_strbuf_ struct strbuf field = {0};

		strbuf_addf(&field, "%s.%s", row->section, row->key);
		if (strbuf_error(&field) < 0)
			return -ENOMEM;
		at.column = a->key_column;
		diags_add(r->d, DIAG_ERROR, &at, NULL, strbuf_text(&field), a->value, NULL,
			  "is there twice, first in line %d", earlier->line);
		return 0;
	}
	*earlier = at;
	count_prefixes(&r->s, n_before);
	error = read_value(r, row, a, &at);
	note_prefixes(r, n_before, &at);
	return error;
}

/* inih's handler. Always says that all is well: what is not is kept in the reading. */
static int deliver(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;
	const struct ini_assignment *a;

	if (r->error < 0 || r->disagrees)
		return 1;
	if (r->n_delivered == r->scan->n) {
		r->disagrees = true;
		return 1;
	}
	a = &r->scan->items[r->n_delivered];
	/* Names of sections are cut to 49 bytes, but none of ours is near. */
	if (!streq(name, a->key) || !streq(value, a->value) ||
	    (a->section != SIZE_MAX && is_section(r->scan->sections[a->section].name) &&
	     !streq(section, r->scan->sections[a->section].name))) {
		r->disagrees = true;
		return 1;
	}
	r->n_delivered++;
	r->error = assign(r, a);
	return 1;
}

/* Should never be seen: another version of inih, with other rules. */
static void disagreement(const struct reading *r)
{
	struct place at = {.file = r->file_name};

	if (r->n_delivered < r->scan->n) {
		at.line = r->scan->items[r->n_delivered].line;
		at.column = r->scan->items[r->n_delivered].key_column;
	}
	diags_add(r->d, DIAG_ERROR, &at, NULL, NULL, NULL, "write it in a plainer way",
		  "is not read by the INI library as it is written");
}

static int read_all(struct reading *r)
{
	int error;

	error = ini_parse_string(r->scan->text, deliver, r);
	if (r->error < 0)
		return r->error;
	if (error == -2) /* inih's way to say so */
		return -ENOMEM;
	if (error != 0 || r->disagrees || r->n_delivered < r->scan->n)
		disagreement(r);
	return check_sections(r, r->scan->n_sections);
}

int ini_read(const char *data, size_t size, const char *file_name, struct settings *s,
	     struct settings_origin *origin, struct diags *d)
{
	_cleanup_ini_scan_ struct ini_scan scan = {0};
	_cleanup_reading_ struct reading reading = {.file_name = file_name, .scan = &scan, .d = d};
	size_t n_errors = d->n_errors;
	int r;

	r = ini_scan(data, size, file_name, &scan, d);
	if (r < 0)
		return r;
	reading.places = calloc(n_setting_rows, sizeof(*reading.places));
	if (!reading.places)
		return -ENOMEM;
	r = settings_copy(s, &reading.s);
	if (r < 0)
		return r;
	r = read_all(&reading);
	if (r < 0)
		return r;
	if (d->error < 0)
		return d->error;
	if (d->n_errors > n_errors)
		return -EBADMSG;

	settings_done(s);
	*s = reading.s;
	reading.s = (struct settings){0};
	for (size_t i = 0; origin && i < n_setting_rows; i++)
		if (reading.places[i].line > 0)
			origin->places[i] = reading.places[i];
	for (int list = 0; origin && list < _ORIGIN_LIST_MAX; list++)
		for (size_t i = 0; i < ORIGIN_PREFIXES_MAX; i++)
			if (reading.prefixes[list][i].line > 0)
				origin->prefixes[list][i] = reading.prefixes[list][i];
	return 0;
}
