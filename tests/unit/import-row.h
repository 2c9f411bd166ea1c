/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * Objects, what is told about them ("LINE:COLUMN: severity: ..."), and the files that are made,
 * each under a comment line with its name; none for what is refused.
 */
struct import_row {
	const char *objects, *messages, *files;
};
