/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of commands and options against each other and against what getopt is told. The
 * commands themselves are tested from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

#ifndef SVCROUTE_VERSION
#define SVCROUTE_VERSION "test"
#endif
#define main ctl_main
int ctl_main(int argc, char **argv);
#include "ctl/main.c"
#undef main

/* Runs the program's main(); stdout and stderr go into text. */
static int run(char *const *arguments, char text[8192])
{
	char *argv[16] = {(char[]){"svcroutectl"}};
	int argc = 1, out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), status;
	FILE *f = tmpfile();
	size_t n;

	assert_non_null(f);
	while (*arguments)
		argv[argc++] = *arguments++;
	assert_true(fflush(stdout) == 0 && out >= 0 && err >= 0);
	assert_true(dup2(fileno(f), STDOUT_FILENO) >= 0 && dup2(fileno(f), STDERR_FILENO) >= 0);
	optind = 0; /* glibc: start anew */
	status = ctl_main(argc, argv);
	(void)fflush(stdout);
	assert_true(dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0);
	assert_true(close(out) == 0 && close(err) == 0);
	rewind(f);
	n = fread(text, 1, 8191, f);
	text[n] = '\0';
	assert_int_equal(fclose(f), 0);
	return status;
}

static void test_commands_table(void **state)
{
	(void)state;
	assert_string_equal(commands[0].name, "status"); /* what a bare svcroutectl is */
	assert_true(n_commands <= 32);			 /* find_command() */
	for (size_t i = 0; i < n_commands; i++) {
		const struct command *c = &commands[i];
		size_t n = strlen(c->arguments);

		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(c->name, commands[j].name);
		assert_non_null(c->run);
		assert_true(c->help[0] && !strchr(c->help, '\n'));
		/* "", "[ONE]", "MANY..." */
		if (n == 0) {
			assert_int_equal(c->min_arguments, 0);
			assert_int_equal(c->max_arguments, 0);
		} else if (c->arguments[0] == '[') {
			assert_int_equal(c->arguments[n - 1], ']');
			assert_int_equal(c->min_arguments, 0);
			assert_int_equal(c->max_arguments, 1);
		} else {
			assert_true(n > 3 && streq(c->arguments + n - 3, "..."));
			assert_int_equal(c->min_arguments, 1);
			assert_true(c->max_arguments == (size_t)-1);
		}
	}
}

static void test_options_table(void **state)
{
	unsigned by_commands = 0, by_rows = 0;

	(void)state;
	for (size_t i = 0; i < n_commands; i++)
		by_commands |= commands[i].options;
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *o = &option_rows[i];

		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(o->name, option_rows[j].name);
			assert_int_not_equal(o->letter, option_rows[j].letter);
		}
		assert_true(o->help[0] && !strchr(o->help, '\n'));
		assert_int_not_equal(o->letter, '?');
		assert_int_equal(o->bit & (o->bit - 1), 0);
		assert_int_equal(o->bit & by_rows, 0);
		by_rows |= o->bit;
	}
	/* no option that no command takes, none that cannot be given */
	assert_int_equal(by_commands, by_rows);
}

static void test_usage(void **state)
{
	char text[8192];

	(void)state;
	assert_int_equal(run((char *[]){(char[]){"--help"}, NULL}, text), CTL_OK);
	for (size_t i = 0; i < n_commands; i++)
		assert_non_null(strstr(text, commands[i].help));
	for (size_t i = 0; i < n_option_rows; i++)
		assert_non_null(strstr(text, option_rows[i].help));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= 100);
	assert_int_equal(run((char *[]){(char[]){"check"}, (char[]){"-h"}, NULL}, text), CTL_OK);
	assert_int_equal(run((char *[]){(char[]){"--version"}, NULL}, text), CTL_OK);
	assert_string_equal(text, SVCROUTE_VERSION "\n");
}

/* Each option is known, and refused by each command whose row does not have it. */
static void test_options_of_commands(void **state)
{
	int err = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(err >= 0 && dup2(null, STDERR_FILENO) >= 0);
	for (size_t j = 0; j < n_option_rows; j++) {
		const struct option_row *o = &option_rows[j];
		char name[64], *argv[] = {(char[]){"svcroutectl"}, name, NULL};
		struct ctl c = {0};
		unsigned bits = 0;

		if (o->letter == 'h' || o->letter == 'V')
			continue;
		(void)snprintf(name, sizeof(name), "--%s%s", o->name, o->argument ? "=x" : "");
		optind = 0;
		assert_int_equal(parse_options(2, argv, &c, &bits), -1);
		assert_int_equal(bits, o->bit);
		/* Not by running them: one of the commands takes rules away. */
		for (size_t i = 0; i < n_commands; i++)
			assert_int_equal(check_options(&commands[i], bits),
					 o->bit & ~commands[i].options ? CTL_USAGE : CTL_OK);
	}
	assert_true(dup2(err, STDERR_FILENO) >= 0);
	assert_true(close(err) == 0 && close(null) == 0);
}

static void test_set_option(void **state)
{
	char *argv[] = {(char[]){"svcroutectl"},    (char[]){"--root=r"},
			(char[]){"--json"},	    (char[]){"-v"},
			(char[]){"--strict"},	    (char[]){"--mode=m"},
			(char[]){"--family=f"},	    (char[]){"--addresses=a"},
			(char[]){"--no-nfacct"},    (char[]){"-oout"},
			(char[]){"--node=n"},	    (char[]){"-f"},
			(char[]){"--print-script"}, NULL};
	struct ctl c = {0};
	unsigned bits = 0;

	(void)state;
	optind = 0;
	assert_int_equal(parse_options(13, argv, &c, &bits), -1);
	assert_string_equal(c.root, "r");
	assert_true(c.json && c.verbose && c.strict && c.no_nfacct && c.force && c.print_script);
	assert_string_equal(c.mode, "m");
	assert_string_equal(c.family, "f");
	assert_string_equal(c.addresses, "a");
	assert_string_equal(c.output, "out");
	assert_string_equal(c.node, "n");
}

static void test_wrong_usage(void **state)
{
	static const struct {
		const char *arguments[4], *part;
	} rows[] = {
		{{"chek"}, "did you mean 'check'?"},
		{{"frobnicate"}, "see --help"},
		{{""}, "no such command"},
		{{"status", "x"}, "usage: svcroutectl status"},
		{{"check", "a", "b"}, "usage: svcroutectl check [DIR]"},
		{{"import"}, "usage: svcroutectl import FILE..."},
		{{"--nothing"}, "unrecognized option"},
		{{"check", "--mode"}, "requires an argument"},
		{{"check", "--json=yes"}, "doesn't allow an argument"},
		{{"check", "--force"}, "--force does not go with check"},
		{{"--print-script"}, "--print-script does not go with status"},
	};
	char text[8192];

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		char *arguments[5] = {0};

		for (size_t j = 0; j < 4 && rows[i].arguments[j]; j++)
			arguments[j] = (char *)(uintptr_t)rows[i].arguments[j];
		assert_int_equal(run(arguments, text), CTL_USAGE);
		if (!strstr(text, rows[i].part))
			fail_msg("row %zu: %s", i, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands_table), cmocka_unit_test(test_options_table),
		cmocka_unit_test(test_usage),	       cmocka_unit_test(test_options_of_commands),
		cmocka_unit_test(test_set_option),     cmocka_unit_test(test_wrong_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
