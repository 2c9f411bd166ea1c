/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "completion/shells.h"

static const char head[] =
	"# bash completion of svcroutectl. Made from its tables of commands and options.\n"
	"\n"
	"_svcroutectl_services()\n"
	"{\n"
	"\tsvcroutectl \"${root[@]}\" services 2>/dev/null | awk 'NR > 1 { print $1 }'\n"
	"}\n"
	"\n"
	"_svcroutectl_endpoints()\n"
	"{\n"
	"\tsvcroutectl \"${root[@]}\" endpoints \"$1\" 2>/dev/null | awk 'NR > 1 { print $3 }' | "
	"sort -u\n"
	"}\n"
	"\n"
	"_svcroutectl()\n"
	"{\n"
	"\tlocal cur prev words cword options place i command=''\n"
	"\tlocal -a root=() arguments=()\n"
	"\n"
	"\t_get_comp_words_by_ref -n := cur prev words cword || return\n"
	"\tfor ((i = 1; i < cword; i++)); do\n"
	"\t\tcase ${words[i]} in\n"
	"\t\t--root) root=(--root \"${words[++i]}\") ;;\n"
	"\t\t--root=*) root=(\"${words[i]}\") ;;\n";

static const char after_words[] = "\t\t-*) ;;\n"
				  "\t\t*)\n"
				  "\t\t\tif [[ $command ]]; then\n"
				  "\t\t\t\targuments+=(\"${words[i]}\")\n"
				  "\t\t\telse\n"
				  "\t\t\t\tcommand=${words[i]}\n"
				  "\t\t\tfi\n"
				  "\t\t\t;;\n"
				  "\t\tesac\n"
				  "\tdone\n"
				  "\tif [[ $cur == --*=* ]]; then\n"
				  "\t\tprev=${cur%%=*}\n"
				  "\t\tcur=${cur#*=}\n"
				  "\tfi\n"
				  "\n"
				  "\tplace=''\n"
				  "\tcase $prev in\n";

static const char tail[] =
	"\tesac\n"
	"\n"
	"\tcase $place in\n"
	"\tdirectory)\n"
	"\t\tcompopt -o filenames\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
	"\t\t;;\n"
	"\tfile)\n"
	"\t\tcompopt -o filenames\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	"\t\t;;\n"
	"\tservice)\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$(_svcroutectl_services)\" -- \"$cur\")\n"
	"\t\t;;\n"
	"\tendpoint)\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$(_svcroutectl_endpoints "
	"\"${arguments[0]}\")\" -- \"$cur\")\n"
	"\t\t__ltrim_colon_completions \"$cur\"\n"
	"\t\t;;\n"
	"\twords\\ *)\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"${place#words }\" -- \"$cur\")\n"
	"\t\t;;\n"
	"\tesac\n"
	"} &&\n"
	"\tcomplete -F _svcroutectl svcroutectl\n";

/* A word for the case statement at the end. */
static void put_place(enum word_kind place)
{
	static const char *const names[_WORD_MAX] = {
		[WORD_NONE] = "none",	    [WORD_DIRECTORY] = "directory", [WORD_FILE] = "file",
		[WORD_SERVICE] = "service", [WORD_ENDPOINT] = "endpoint",
	};

	if (names[place]) {
		(void)printf("place='%s'", names[place]);
		return;
	}
	(void)fputs("place='words ", stdout);
	put_words_of_kind(place);
	(void)fputs("'", stdout);
}

static void put_option_names(const struct option_row *o)
{
	(void)printf("--%s", o->name);
	if (option_has_short_form(o))
		(void)printf(" | -%c", o->letter);
}

static void put_options(const char *indent, const char *command, unsigned bits)
{
	(void)printf("%s%s) options='", indent, command);
	for (size_t i = 0, n = 0; i < n_option_rows; i++)
		if (!option_rows[i].bit || option_rows[i].bit & bits)
			(void)printf("%s--%s", n++ ? " " : "", option_rows[i].name);
	(void)fputs("' ;;\n", stdout);
}

static void put_arguments(const struct command *c)
{
	enum word_kind place;
	bool repeats;

	(void)printf("\t%s)\n\t\tcase ${#arguments[@]} in\n", c->name);
	for (size_t i = 0; command_argument(c, i, &place, &repeats); i++) {
		if (repeats)
			(void)fputs("\t\t*) ", stdout);
		else
			(void)printf("\t\t%zu) ", i);
		put_place(place);
		(void)fputs(" ;;\n", stdout);
	}
	(void)fputs("\t\tesac\n\t\t;;\n", stdout);
}

void put_bash(void)
{
	(void)fputs(head, stdout);
	for (size_t i = 0; i < n_option_rows; i++) {
		if (!option_rows[i].argument || streq(option_rows[i].name, "root"))
			continue;
		(void)fputs("\t\t", stdout);
		put_option_names(&option_rows[i]);
		(void)fputs(") ((i++)) ;;\n", stdout);
	}
	(void)fputs(after_words, stdout);
	for (size_t i = 0; i < n_option_rows; i++) {
		if (!option_rows[i].argument)
			continue;
		(void)fputs("\t", stdout);
		put_option_names(&option_rows[i]);
		(void)fputs(") ", stdout);
		put_place(kind_of_word(option_rows[i].argument));
		(void)fputs(" ;;\n", stdout);
	}
	(void)fputs("\tesac\n\n\t[[ $place ]] || case $cur in\n\t-*)\n\t\tcase $command in\n",
		    stdout);
	for (size_t i = 0; i < n_commands; i++)
		put_options("\t\t", commands[i].name, commands[i].options);
	put_options("\t\t", "*", 0);
	(void)fputs("\t\tesac\n\t\tplace=\"words $options\"\n\t\t;;\n\tesac\n\n", stdout);
	(void)fputs("\t[[ $place ]] || case $command in\n\t'') place='words", stdout);
	for (size_t i = 0; i < n_commands; i++)
		(void)printf(" %s", commands[i].name);
	(void)fputs("' ;;\n", stdout);
	for (size_t i = 0; i < n_commands; i++)
		if (commands[i].arguments[0])
			put_arguments(&commands[i]);
	(void)fputs(tail, stdout);
}
