/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

#include "model/diag.h"
#include "model/settings.h"

/*
 * Reads one settings file (inih) into s. The traps of inih are closed before the library sees the text
 * (design/models.md section 6): lines over 190 bytes, NUL, CR, byte order marks, indented lines, directories.
 * Unknown sections and keys are errors with a suggestion; a key given twice in one file is an error unless it
 * is a list; a later file overrides an earlier one (lists add up, an empty assignment empties the list).
 * Diagnostics carry field "Section.Key", line and the column of the value. A file that looks like libconfig is told so.
 * On errors -EBADMSG and s is untouched (the whole file is refused). origin is filled for what was set.
 */
int ini_read(const char *data, size_t size, const char *file_name, struct settings *s,
	     struct settings_origin *origin, struct diags *d);
