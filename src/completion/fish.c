/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "completion/shells.h"

static const char head[] =
	"# fish completion of svcroutectl. Made from its tables of commands and options.\n"
	"\n"
	"# The words behind the program's name that are no options and not their arguments.\n"
	"function __svcroutectl_words\n"
	"    set -l skip 0\n"
	"    for word in (commandline -opc)[2..-1]\n"
	"        if test $skip = 1\n"
	"            set skip 0\n"
	"            continue\n"
	"        end\n"
	"        switch $word\n";

static const char functions[] =
	"                set skip 1\n"
	"            case '-*'\n"
	"            case '*'\n"
	"                echo $word\n"
	"        end\n"
	"    end\n"
	"end\n"
	"\n"
	"# Is the command one of these? Without any: is there none yet?\n"
	"function __svcroutectl_command\n"
	"    set -l found (__svcroutectl_words)[1]\n"
	"    if test (count $argv) = 0\n"
	"        test -z \"$found\"\n"
	"    else\n"
	"        contains -- \"$found\" $argv\n"
	"    end\n"
	"end\n"
	"\n"
	"# Is this command's argument the one with this number, which counts from 1, or with '+' a "
	"later one?\n"
	"function __svcroutectl_argument\n"
	"    set -l found (__svcroutectl_words)\n"
	"    test \"$found[1]\" = $argv[1]; or return 1\n"
	"    test (count $found) = $argv[2]; and return 0\n"
	"    test \"$argv[3]\" = +; and test (count $found) -ge $argv[2]\n"
	"end\n"
	"\n"
	"function __svcroutectl_root\n"
	"    set -l words (commandline -opc)\n"
	"    for i in (seq (count $words))\n"
	"        switch $words[$i]\n"
	"            case '--root=*'\n"
	"                printf '%s\\n' $words[$i]\n"
	"            case --root\n"
	"                set -l next (math $i + 1)\n"
	"                printf '%s\\n' --root $words[$next]\n"
	"        end\n"
	"    end\n"
	"end\n"
	"\n"
	"function __svcroutectl_services\n"
	"    svcroutectl (__svcroutectl_root) services 2>/dev/null | awk 'NR > 1 { print $1 }'\n"
	"end\n"
	"\n"
	"function __svcroutectl_endpoints\n"
	"    svcroutectl (__svcroutectl_root) endpoints (__svcroutectl_words)[2] 2>/dev/null |\n"
	"        awk 'NR > 1 { print $3 }' | sort -u\n"
	"end\n"
	"\n"
	"complete -c svcroutectl -f\n";

static void put_help(const char *help)
{
	(void)fputs(" -d '", stdout);
	put_quoted(help, "\\", "\\'");
	(void)fputs("'\n", stdout);
}

static void put_place(enum word_kind place)
{
	static const char *const parts[_WORD_MAX] = {
		[WORD_NONE] = "",
		[WORD_DIRECTORY] = " -a '(__fish_complete_directories)'",
		[WORD_FILE] = " -F",
		[WORD_SERVICE] = " -a '(__svcroutectl_services)'",
		[WORD_ENDPOINT] = " -a '(__svcroutectl_endpoints)'",
	};

	if (parts[place]) {
		(void)fputs(parts[place], stdout);
		return;
	}
	(void)fputs(" -a '", stdout);
	put_words_of_kind(place);
	(void)fputs("'", stdout);
}

static void put_option(const struct option_row *o)
{
	(void)fputs("complete -c svcroutectl", stdout);
	if (o->bit) {
		(void)fputs(" -n '__svcroutectl_command", stdout);
		for (size_t i = 0; i < n_commands; i++)
			if (commands[i].options & o->bit)
				(void)printf(" %s", commands[i].name);
		(void)fputs("'", stdout);
	}
	if (option_has_short_form(o))
		(void)printf(" -s %c", o->letter);
	(void)printf(" -l %s", o->name);
	if (o->argument) {
		(void)fputs(kind_of_word(o->argument) == WORD_FILE ? " -r" : " -x", stdout);
		put_place(kind_of_word(o->argument));
	}
	put_help(o->help);
}

static void put_arguments(const struct command *c)
{
	enum word_kind place;
	bool repeats;

	for (size_t i = 0; command_argument(c, i, &place, &repeats); i++) {
		if (place == WORD_NONE)
			continue;
		(void)printf("complete -c svcroutectl -n '__svcroutectl_argument %s %zu%s'",
			     c->name, i + 1, repeats ? " +" : "");
		put_place(place);
		(void)fputs("\n", stdout);
	}
}

void put_fish(void)
{
	(void)fputs(head, stdout);
	(void)fputs("            case", stdout);
	for (size_t i = 0; i < n_option_rows; i++) {
		if (!option_rows[i].argument)
			continue;
		(void)printf(" --%s", option_rows[i].name);
		if (option_has_short_form(&option_rows[i]))
			(void)printf(" -%c", option_rows[i].letter);
	}
	(void)fputs("\n", stdout);
	(void)fputs(functions, stdout);
	for (size_t i = 0; i < n_commands; i++) {
		(void)printf("complete -c svcroutectl -n __svcroutectl_command -a %s",
			     commands[i].name);
		put_help(commands[i].help);
	}
	for (size_t i = 0; i < n_commands; i++)
		put_arguments(&commands[i]);
	for (size_t i = 0; i < n_option_rows; i++)
		put_option(&option_rows[i]);
}
