/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

#include "model/diag.h"

/*
 * Lines and columns of an INI text by inih's own rules, and refusal of all texts that inih would
 * take for something else than what they look like. Internal to ini.c.
 */

struct ini_section {
	char *name;
	int line, column; /* of the name */
};

struct ini_assignment {
	size_t section;	   /* index, SIZE_MAX before the first section */
	char *key, *value; /* without blanks around them, without the comment at the end */
	int line, key_column, value_column; /* columns count bytes from 1 */
};

struct ini_scan {
	char *text; /* for inih: without byte order mark and carriage returns */
	struct ini_section *sections;
	size_t n_sections, sections_allocated;
	struct ini_assignment *items;
	size_t n, allocated;
};
void ini_scan_done(struct ini_scan *s);
#define _cleanup_ini_scan_ _cleanup_(ini_scan_done)

/* data need not be terminated. -EBADMSG with one diagnostic at the first thing that is wrong;
 * -ENOMEM. */
int ini_scan(const char *data, size_t size, const char *file_name, struct ini_scan *ret,
	     struct diags *d);
