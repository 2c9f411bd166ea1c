/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

/* What is told about input: product sheet section 5, "diagnostics". */

enum diag_severity {
	DIAG_ERROR,
	DIAG_WARNING,
	DIAG_NOTICE,
	_DIAG_SEVERITY_MAX,
};

/* "error", "warning", "notice" */
const char *diag_severity_text(enum diag_severity severity);

/* A place in a file. line and column count from 1, 0 is unknown. file is not owned. */
struct place {
	const char *file;
	int line;
	int column;
};

struct check_row; /* model/checks.h */

/* One message. All texts are owned by the list and may be NULL, except reason. */
struct diag {
	enum diag_severity severity;
	char *file;
	int line;
	int column;
	char *object; /* "default/nginx", "" or NULL when no object is meant */
	char *field;  /* "services[0].ports[1].nodePort", "spec.ports[0].nodePort", "Proxy.Mode" */
	char *value;  /* as written */
	char *reason; /* "must lie in 30000-32767" */
	char *hint;   /* "did you mean 'nodePort'?" */
	const struct check_row *check; /* the row that it was told by; NULL: by none */
};

/* A list of messages in the order in which they were found. Initialise with {0}. */
struct diags {
	struct diag *items;
	size_t n;
	size_t allocated;
	size_t n_errors;
	size_t n_warnings;
	int error; /* sticky -ENOMEM: a message was lost, so the caller must fail */
};

void diags_done(struct diags *d);
#define _cleanup_diags_ _cleanup_(diags_done)

/* Adds a copy. Texts may be NULL. */
void diags_add(struct diags *d, enum diag_severity severity, const struct place *at,
	       const char *object, const char *field, const char *value, const char *hint,
	       const char *reason_format, ...) _printf_(8, 9);
/* The same for callers with arguments of their own. */
void diags_addv(struct diags *d, enum diag_severity severity, const struct place *at,
		const char *object, const char *field, const char *value, const char *hint,
		const char *reason_format, va_list ap) _printf_(8, 0);
/* Moves all of src to the end of dst. */
void diags_move(struct diags *dst, struct diags *src);
/* Adds a copy of every message of src. */
void diags_copy(struct diags *dst, const struct diags *src);
/* Sorts by file, line, column; stable. Out of memory leaves the order and marks the list. */
void diags_sort(struct diags *d);

/* -ENOMEM when messages were lost, -EBADMSG when there is an error among them, else 0. */
int diags_result(const struct diags *d);

/* "FILE:LINE:COLUMN: error: KEY 'VALUE': reason (hint)" without newline, malloc'ed; parts that are
 * not there are left out. NULL when out of memory. KEY is the field. */
char *diag_format(const struct diag *d);
