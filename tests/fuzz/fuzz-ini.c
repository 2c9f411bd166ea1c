/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings files: whatever the bytes, a refused file changes nothing and says why, and an accepted
 * one gives settings that, written out and read again, are the same.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "config/ini.h"

#define FILE_NAME "fuzz.conf"

/* abort() is what the fuzzer sees. */
static void must(bool condition)
{
	if (!condition)
		abort();
}

static void check_places(const struct settings_origin *origin, size_t size)
{
	for (size_t i = 0; i < n_setting_rows; i++) {
		const struct place *at = &origin->places[i];

		must(!at->file || (at->line > 0 && (size_t)at->line <= size && at->column > 0));
	}
}

static void check_messages(const struct diags *d, size_t size)
{
	for (size_t i = 0; i < d->n; i++) {
		_cleanup_free_ char *text = diag_format(&d->items[i]);

		must(text && !strchr(text, '\n'));
		must(d->items[i].line > 0 && (size_t)d->items[i].line <= size + 1);
	}
}

/* Sets all that s has in fresh settings. */
static void read_again(const struct settings *s)
{
	_cleanup_settings_ struct settings again;

	must(settings_init(&again) == 0);
	for (size_t i = 0; i < n_setting_rows; i++) {
		const struct setting_row *row = &setting_rows[i];
		_cleanup_strbuf_ struct strbuf out = {0};
		_cleanup_free_ char *reason = NULL, *hint = NULL;

		row->print(row, s, &out);
		must(strbuf_error(&out) == 0);
		if (out.len > 0)
			must(row->parse(row, strbuf_text(&out), &again, &reason, &hint) == 0);
	}
	again.node_ip_given = s->node_ip_given;
	must(settings_changes(s, &again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ struct place *places = calloc(n_setting_rows, sizeof(*places));
	struct settings_origin origin = {.places = places};
	_cleanup_settings_ struct settings s, before;
	_cleanup_diags_ struct diags d = {0};
	int r;

	must(places && settings_init(&s) == 0 && settings_init(&before) == 0);
	r = ini_read((const char *)data, size, FILE_NAME, &s, &origin, &d);
	must(r == 0 || r == -EBADMSG);
	must((r == 0) == (d.n_errors == 0));
	check_messages(&d, size);
	check_places(&origin, size);
	if (r < 0) {
		must(settings_changes(&s, &before) == 0);
		return 0;
	}
	read_again(&s);
	r = settings_finish(&s, "host", &origin, &d);
	must(r == 0 || r == -EBADMSG);
	must((r == 0) == (d.n_errors == 0));
	return 0;
}
