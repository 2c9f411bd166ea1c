/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

#include "model/diag.h"
#include "model/settings.h"

/*
 * Reads one settings file (inih) into s. The traps of inih are closed before the library sees the
 * text (design/models.md section 6): lines over 190 bytes, NUL and other control characters,
 * indented lines, text behind ']', a CR that does not end a line, a second byte order mark, UTF-16
 * are refused. One byte order mark and CR LF are read as if they were not there (field report C49).
 * A syntax error is told alone. Unknown sections and keys are errors with a suggestion; a key given
 * twice in one file is an error unless it is a list; a later file overrides an earlier one (lists
 * add up, an empty assignment empties the list). Diagnostics carry field "Section.Key", line and
 * the column of the value. A file that looks like libconfig is told so. On errors -EBADMSG and s is
 * untouched (the whole file is refused), so is origin; -ENOMEM likewise. origin (may be NULL) gets
 * the places of what was set; they point to file_name, which must outlive it. data need not be
 * terminated.
 */
int ini_read(const char *data, size_t size, const char *file_name, struct settings *s,
	     struct settings_origin *origin, struct diags *d);
