/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <getopt.h>
#include <stdio.h>

#include "base/log.h"
#include "base/text.h"
#include "ctl/ctl.h"

static void usage(FILE *f)
{
	(void)fprintf(f, "Usage: svcroutectl [--root DIR] [--json] [COMMAND] [OPTION]... "
			 "[ARGUMENT]...\n\nCommands:\n");
	for (size_t i = 0; i < n_commands; i++)
		(void)fprintf(f, "  %-10s %-10s %s\n", commands[i].name, commands[i].arguments,
			      commands[i].help);
	(void)fprintf(f, "\nOptions:\n");
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *o = &option_rows[i];
		char left[40];

		(void)snprintf(left, sizeof(left), "--%s%s%s", o->name, o->argument ? " " : "",
			       o->argument ? o->argument : "");
		(void)fprintf(f, "  %-18s %s\n", left, o->help);
	}
	(void)fprintf(f, "\nExit status: 0 done; 1 failed; 2 wrong usage; 3 configuration refused; "
			 "4 daemon not reachable.\n");
}

static void set_option(struct ctl *c, char letter, const char *argument)
{
	switch (letter) {
	case 'R':
		c->root = argument;
		break;
	case 'J':
		c->json = true;
		break;
	case 'v':
		c->verbose = true;
		break;
	case 'S':
		c->strict = true;
		break;
	case 'M':
		c->mode = argument;
		break;
	case 'F':
		c->family = argument;
		break;
	case 'A':
		c->addresses = argument;
		break;
	case 'N':
		c->no_nfacct = true;
		break;
	case 'o':
		c->output = argument;
		break;
	case 'D':
		c->node = argument;
		break;
	case 'f':
		c->force = true;
		break;
	default:
		c->print_script = true;
		break;
	}
}

static const struct command *find_command(const char *name)
{
	const char *names[32];

	for (size_t i = 0; i < n_commands; i++) {
		if (streq(commands[i].name, name))
			return &commands[i];
		names[i] = commands[i].name;
	}
	name = text_closest(name, names, n_commands);
	(void)ctl_fail(CTL_USAGE, "no such command%s%s%s", name ? " (did you mean '" : "",
		       name ? name : "", name ? "'?)" : ", see --help");
	return NULL;
}

/* -1: go on; else the exit status. */
static int parse_options(int argc, char **argv, struct ctl *c, unsigned *ret_bits)
{
	struct option options[OPTION_ROWS_MAX + 1] = {0};
	char short_forms[2 * OPTION_ROWS_MAX + 1] = "", *end = short_forms;
	int letter;

	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *o = &option_rows[i];

		options[i] = (struct option){o->name, o->argument ? required_argument : no_argument,
					     NULL, o->letter};
		if (o->letter >= 'a') {
			*end++ = o->letter;
			if (o->argument)
				*end++ = ':';
		}
	}
	while ((letter = getopt_long(argc, argv, short_forms, options, NULL)) >= 0) {
		if (letter == 'h') {
			usage(stdout);
			return CTL_OK;
		}
		if (letter == 'V') {
			(void)puts(SVCROUTE_VERSION);
			return CTL_OK;
		}
		if (letter == '?')
			return CTL_USAGE;
		for (size_t i = 0; i < n_option_rows; i++)
			if (option_rows[i].letter == letter)
				*ret_bits |= option_rows[i].bit;
		set_option(c, (char)letter, optarg);
	}
	return -1;
}

static int check_options(const struct command *command, unsigned bits)
{
	for (size_t i = 0; i < n_option_rows; i++)
		if (option_rows[i].bit & bits & ~command->options)
			return ctl_fail(CTL_USAGE, "--%s does not go with %s", option_rows[i].name,
					command->name);
	return CTL_OK;
}

int main(int argc, char **argv)
{
	const struct command *command = &commands[0];
	struct ctl c = {0};
	unsigned bits = 0;
	int r;

	log_init(LOG_WARNING, true);
	r = parse_options(argc, argv, &c, &bits);
	if (r >= 0)
		return r;
	if (optind < argc) {
		command = find_command(argv[optind++]);
		if (!command)
			return CTL_USAGE;
	}
	c.arguments = argv + optind;
	c.n_arguments = (size_t)(argc - optind);
	if (c.n_arguments < command->min_arguments || c.n_arguments > command->max_arguments)
		return ctl_fail(CTL_USAGE, "usage: svcroutectl %s %s", command->name,
				command->arguments);
	r = check_options(command, bits);
	return r != CTL_OK ? r : command->run(&c);
}
