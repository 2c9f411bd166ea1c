/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "config/config.h"
#include "ctl/command.h"
#include "model/diag.h"

/* Exit status of the command: product sheet section 5. */
enum ctl_exit {
	CTL_OK = 0,
	CTL_FAILED = 1,
	CTL_USAGE = 2,
	CTL_REFUSED = 3,
	CTL_NO_DAEMON = 4,
};

/* What the command line says. Options that a command does not know were refused before it runs. */
struct ctl {
	const char *root;      /* --root DIR */
	bool json;	       /* --json */
	bool verbose;	       /* -v */
	bool strict;	       /* --strict */
	bool force;	       /* --force */
	bool print_script;     /* --print-script */
	bool no_nfacct;	       /* --no-nfacct */
	const char *mode;      /* --mode */
	const char *family;    /* --family */
	const char *addresses; /* --addresses */
	const char *output;    /* --output */
	const char *node;      /* --node */
	char **arguments;      /* what is left */
	size_t n_arguments;
};

/* Shared by the commands. */

/* "svcroutectl: ..." on stderr. Returns status, for `return ctl_fail(...)`. */
int ctl_fail(int status, const char *format, ...) _printf_(2, 3);

/* Messages: a line each on stderr, with colours on a terminal; notices only when verbose.
 * CTL_FAILED, and it was told, when some could not be printed for lack of memory. */
int ctl_print_diags(const struct diags *d, bool verbose);
/* The same from an answer of the daemon. */
int ctl_print_diags_json(const json_t *list, bool verbose);

/* Prints JSON on stdout and drops the reference; CTL_FAILED when it is NULL or cannot be written.
 */
int ctl_print_json(json_t *value);

/* Reads the files that --root, or the first argument as DIR, names. *ret_config has the messages,
 * also when it fails. On CTL_OK *ret_world is a new reference. */
int ctl_read_config(const struct ctl *c, struct config **ret_config, struct world **ret_world);

/* Asks the daemon. *ret_body is a new reference. Prints what went wrong: CTL_NO_DAEMON, CTL_FAILED.
 * A reload's verdict (status 422, 500) is a success here. */
int ctl_ask(const struct ctl *c, int verb, const char *service, json_t **ret_body);

/* A column of a table: a header and how its text is made from one row. */
struct column {
	const char *header;
	const char *key; /* of the row, when text is NULL */
	/* Adds the text of the cell. */
	void (*text)(const json_t *row, struct strbuf *out);
	void (*keyed)(const json_t *row, const char *key, struct strbuf *out);
	bool right;
};
/* An array of objects as a table on stdout (libsmartcols). -ENOMEM. */
int ctl_print_table(const json_t *rows, const struct column *columns, size_t n_columns);
/* A JSON value as a person would write it: yes/no, "-" for null, lists with commas. */
void ctl_value_text(const json_t *value, struct strbuf *out);
