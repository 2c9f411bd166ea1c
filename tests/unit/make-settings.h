/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Rows of values for settings: what is accepted and how it prints, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>

#include "model/settings.h"

struct value_row {
	const char *name; /* "Proxy.Mode" */
	const char *value;
	const char *print; /* NULL: is refused */
	const char *say;   /* refused: part of the reason or the hint, NULL for any */
};

static inline const struct setting_row *row_named(const char *name)
{
	char section[32];
	const char *dot = strchr(name, '.');
	const struct setting_row *row;

	assert_non_null(dot);
	assert_true((size_t)(dot - name) < sizeof(section));
	memcpy(section, name, (size_t)(dot - name));
	section[dot - name] = '\0';
	row = setting_find(section, dot + 1);
	if (!row)
		fail_msg("no setting %s", name);
	return row;
}

/* Sets a value that must be good. */
static inline void set(struct settings *s, const char *name, const char *value)
{
	const struct setting_row *row = row_named(name);
	char *reason = NULL, *hint = NULL;

	if (row->parse(row, value, s, &reason, &hint) != 0)
		fail_msg("%s=%s: %s", name, value, reason);
	assert_null(reason);
	assert_null(hint);
}

static inline void assert_prints(const struct settings *s, const char *name, const char *expected)
{
	const struct setting_row *row = row_named(name);
	_cleanup_strbuf_ struct strbuf out = {0};

	/* A printer adds to what is there. */
	strbuf_add(&out, "=");
	row->print(row, s, &out);
	assert_int_equal(strbuf_error(&out), 0);
	assert_string_equal(strbuf_text(&out) + 1, expected);
}

/* The value must be refused, with a reason, and s must be the same as before, byte for byte. */
static inline void assert_refused(struct settings *s, const char *name, const char *value,
				  const char *say)
{
	const struct setting_row *row = row_named(name);
	_cleanup_free_ char *reason = NULL, *hint = NULL;
	struct settings before;

	memcpy(&before, s, sizeof(before));
	if (row->parse(row, value, s, &reason, &hint) != -EINVAL)
		fail_msg("%s='%s' is not refused", name, value);
	assert_memory_equal(&before, s, sizeof(before));
	assert_non_null(reason);
	assert_true(*reason != '\0');
	if (say && !strstr(reason, say) && !(hint && strstr(hint, say)))
		fail_msg("%s='%s': '%s' is not in '%s' (%s)", name, value, say, reason,
			 hint ? hint : "no hint");
}

/* Each row starts from the defaults; a printed value read again must print the same. */
static inline void check_values(const struct value_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_settings_ struct settings s, again;

		assert_int_equal(settings_init(&s), 0);
		assert_int_equal(settings_init(&again), 0);
		if (!rows[i].print) {
			assert_refused(&s, rows[i].name, rows[i].value, rows[i].say);
			continue;
		}
		set(&s, rows[i].name, rows[i].value);
		assert_prints(&s, rows[i].name, rows[i].print);
		if (rows[i].print[0] == '\0')
			continue;
		set(&again, rows[i].name, rows[i].print);
		assert_prints(&again, rows[i].name, rows[i].print);
	}
}
