/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

/* The tables of commands and options: the help text, the manual page and completion are made from
 * them, so this header needs no library. */

struct ctl;

/* Options that commands may allow, as bits. --root and --json go with all. */
enum ctl_option {
	CTL_VERBOSE = 1 << 0,
	CTL_STRICT = 1 << 1,
	CTL_FORCE = 1 << 2,
	CTL_PRINT_SCRIPT = 1 << 3,
	CTL_NO_NFACCT = 1 << 4,
	CTL_MODE = 1 << 5,
	CTL_FAMILY = 1 << 6,
	CTL_ADDRESSES = 1 << 7,
	CTL_OUTPUT = 1 << 8,
	CTL_NODE = 1 << 9,
};

/* One row per command. */
struct command {
	const char *name;
	const char *arguments; /* "[DIR]" */
	const char *help;      /* one line */
	unsigned options;
	size_t min_arguments, max_arguments; /* (size_t)-1: any number */
	int (*run)(const struct ctl *c);     /* an exit status; NULL with TABLES_ONLY */
};
extern const struct command commands[];
extern const size_t n_commands;

/* One row per option. */
struct option_row {
	const char *name;
	const char *argument; /* "DIR"; NULL: none */
	const char *help;     /* one line */
	char letter;	      /* of getopt_long(); lower case is a short form, too */
	unsigned bit;	      /* 0: goes with all commands */
};
extern const struct option_row option_rows[];
extern const size_t n_option_rows;
#define OPTION_ROWS_MAX 32

int cmd_check(const struct ctl *c);
int cmd_render(const struct ctl *c);
int cmd_import(const struct ctl *c);
int cmd_status(const struct ctl *c);
int cmd_services(const struct ctl *c);
int cmd_endpoints(const struct ctl *c);
int cmd_settings(const struct ctl *c);
int cmd_reload(const struct ctl *c);
int cmd_resync(const struct ctl *c);
int cmd_sysctls(const struct ctl *c);
int cmd_cleanup(const struct ctl *c);
