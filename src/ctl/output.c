/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <libsmartcols.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "control/json.h"
#include "ctl/ctl.h"

int ctl_fail(int status, const char *format, ...)
{
	va_list ap;

	(void)fputs("svcroutectl: ", stderr);
	va_start(ap, format);
	(void)vfprintf(stderr, format, ap);
	va_end(ap);
	(void)fputc('\n', stderr);
	return status;
}

static bool colours(int fd)
{
	const char *no = getenv("NO_COLOR"); /* no-color.org: any value that is not empty */

	return isatty(fd) && !(no && no[0]);
}

static void print_message(enum diag_severity severity, const char *text)
{
	static const char *const colour[_DIAG_SEVERITY_MAX] = {
		[DIAG_ERROR] = "\033[31m",
		[DIAG_WARNING] = "\033[33m",
		[DIAG_NOTICE] = "",
	};
	bool coloured = colours(STDERR_FILENO) && colour[severity][0];

	(void)fprintf(stderr, "%s%s%s\n", coloured ? colour[severity] : "", text,
		      coloured ? "\033[0m" : "");
}

int ctl_print_diags(const struct diags *d, bool verbose)
{
	for (size_t i = 0; i < d->n; i++) {
		_cleanup_free_ char *text = NULL;

		if (d->items[i].severity == DIAG_NOTICE && !verbose)
			continue;
		text = diag_format(&d->items[i]);
		if (!text)
			return ctl_fail(CTL_FAILED, "no memory for all messages");
		print_message(d->items[i].severity, text);
	}
	return d->error < 0 ? ctl_fail(CTL_FAILED, "no memory for all messages") : CTL_OK;
}

int ctl_print_diags_json(const json_t *list, bool verbose)
{
	_cleanup_diags_ struct diags d = {0};
	const json_t *m;
	size_t i;

	json_array_foreach(list, i, m)
	{
		const char *severity = json_string_value(json_object_get(m, "severity"));
		const char *reason = json_string_value(json_object_get(m, "reason"));
		const struct place at = {
			.file = json_string_value(json_object_get(m, "file")),
			.line = (int)json_integer_value(json_object_get(m, "line")),
			.column = (int)json_integer_value(json_object_get(m, "column")),
		};

		if (!severity || !reason)
			continue;
		diags_add(&d,
			  streq(severity, "error")     ? DIAG_ERROR
			  : streq(severity, "warning") ? DIAG_WARNING
						       : DIAG_NOTICE,
			  &at, json_string_value(json_object_get(m, "object")),
			  json_string_value(json_object_get(m, "field")),
			  json_string_value(json_object_get(m, "value")),
			  json_string_value(json_object_get(m, "hint")), "%s", reason);
	}
	return ctl_print_diags(&d, verbose);
}

int ctl_print_json(json_t *value)
{
	_cleanup_free_ char *text = json_print(value);

	json_decref(value);
	if (!text)
		return ctl_fail(CTL_FAILED, "no memory");
	if (puts(text) == EOF || fflush(stdout) == EOF)
		return ctl_fail(CTL_FAILED, "cannot write the JSON");
	return CTL_OK;
}

void ctl_value_text(const json_t *value, struct strbuf *out)
{
	const json_t *item;
	size_t i;

	switch (value ? json_typeof(value) : JSON_NULL) {
	case JSON_STRING:
		strbuf_add(out, json_string_value(value)[0] ? json_string_value(value) : "-");
		break;
	case JSON_INTEGER:
		strbuf_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		break;
	case JSON_REAL:
		strbuf_addf(out, "%.1f", json_real_value(value));
		break;
	case JSON_TRUE:
		strbuf_add(out, "yes");
		break;
	case JSON_FALSE:
		strbuf_add(out, "no");
		break;
	case JSON_ARRAY:
		if (json_array_size(value) == 0)
			strbuf_add(out, "-");
		json_array_foreach(value, i, item)
		{
			if (i)
				strbuf_add(out, ", ");
			ctl_value_text(item, out);
		}
		break;
	default:
		strbuf_add(out, "-");
	}
}

static int fill_line(struct libscols_line *line, const json_t *row, const struct column *columns,
		     size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_strbuf_ struct strbuf text = {0};

		if (columns[i].text)
			columns[i].text(row, &text);
		else if (columns[i].keyed)
			columns[i].keyed(row, columns[i].key, &text);
		else
			ctl_value_text(json_object_get(row, columns[i].key), &text);
		if (strbuf_error(&text) || scols_line_set_data(line, i, strbuf_text(&text)) < 0)
			return -ENOMEM;
	}
	return 0;
}

int ctl_print_table(const json_t *rows, const struct column *columns, size_t n_columns)
{
	struct libscols_table *table;
	const json_t *row;
	size_t i;
	int r = 0;

	scols_init_debug(0);
	table = scols_new_table();
	if (!table)
		return -ENOMEM;
	for (i = 0; i < n_columns && r == 0; i++)
		if (!scols_table_new_column(table, columns[i].header, 0,
					    columns[i].right ? SCOLS_FL_RIGHT : 0))
			r = -ENOMEM;
	json_array_foreach(rows, i, row)
	{
		struct libscols_line *line = r == 0 ? scols_table_new_line(table, NULL) : NULL;

		if (!line)
			r = -ENOMEM;
		else
			r = fill_line(line, row, columns, n_columns);
		if (r < 0)
			break;
	}
	if (r == 0 && scols_print_table(table) < 0)
		r = -EIO;
	scols_unref_table(table);
	return r;
}
