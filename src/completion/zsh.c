/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "completion/shells.h"

static const char head[] =
	"#compdef svcroutectl\n"
	"# zsh completion of svcroutectl. Made from its tables of commands and options.\n"
	"\n"
	"_svcroutectl_root() {\n"
	"\treply=()\n"
	"\tlocal i=${words_of_line[(I)--root]} joined=${words_of_line[(r)--root=*]}\n"
	"\tif [[ -n $joined ]]; then\n"
	"\t\treply=(\"$joined\")\n"
	"\telif (( i )); then\n"
	"\t\treply=(--root \"${words_of_line[i + 1]}\")\n"
	"\tfi\n"
	"}\n"
	"\n"
	"_svcroutectl_services() {\n"
	"\tlocal -a reply names\n"
	"\t_svcroutectl_root\n"
	"\tnames=(${(f)\"$(svcroutectl \"${reply[@]}\" services 2>/dev/null | awk 'NR > 1 { print "
	"$1 }')\"})\n"
	"\tcompadd -a names\n"
	"}\n"
	"\n"
	"_svcroutectl_endpoints() {\n"
	"\tlocal -a reply names\n"
	"\t_svcroutectl_root\n"
	"\tnames=(${(fu)\"$(svcroutectl \"${reply[@]}\" endpoints \"${line[1]}\" 2>/dev/null | "
	"awk 'NR > 1 { print $3 }')\"})\n"
	"\tcompadd -a names\n"
	"}\n"
	"\n"
	"_svcroutectl_commands() {\n"
	"\tlocal -a commands=(\n";

static const char tail[] = "\t*) _arguments -S $global ;;\n"
			   "\tesac\n"
			   "}\n"
			   "\n"
			   "_svcroutectl \"$@\"\n";

/* What _arguments is told about a place: ":message:action". */
static void put_action(const char *what, enum word_kind place)
{
	static const char *const actions[_WORD_MAX] = {
		[WORD_NONE] = " ",
		[WORD_DIRECTORY] = "_files -/",
		[WORD_FILE] = "_files",
		[WORD_SERVICE] = "_svcroutectl_services",
		[WORD_ENDPOINT] = "_svcroutectl_endpoints",
	};
	size_t n = strspn(what, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	(void)printf(":%.*s:", (int)n, what);
	if (actions[place]) {
		(void)fputs(actions[place], stdout);
		return;
	}
	(void)fputs("(", stdout);
	put_words_of_kind(place);
	(void)fputs(")", stdout);
}

static void put_option_form(const struct option_row *o, const char *exclude, const char *form)
{
	(void)printf(" \\\n\t\t'%s%s[", exclude, form);
	put_quoted(o->help, "[]\\", "'\\''");
	(void)fputs("]", stdout);
	if (o->argument)
		put_action(o->argument, kind_of_word(o->argument));
	(void)fputs("'", stdout);
}

static void put_option(const struct option_row *o)
{
	char exclude[64] = "", form[48];

	if (option_has_short_form(o)) {
		(void)snprintf(exclude, sizeof(exclude), "(-%c --%s)", o->letter, o->name);
		(void)snprintf(form, sizeof(form), "-%c%s", o->letter, o->argument ? "+" : "");
		put_option_form(o, exclude, form);
	}
	(void)snprintf(form, sizeof(form), "--%s%s", o->name, o->argument ? "=" : "");
	put_option_form(o, exclude, form);
}

static void put_command(const struct command *c)
{
	const char *word = c->arguments;
	enum word_kind place;
	bool repeats;

	(void)printf("\t%s)\n\t\t_arguments -S $global", c->name);
	for (size_t i = 0; i < n_option_rows; i++)
		if (option_rows[i].bit & c->options)
			put_option(&option_rows[i]);
	for (size_t i = 0; command_argument(c, i, &place, &repeats); i++) {
		word += strspn(word, "[ ");
		if (repeats)
			(void)fputs(" \\\n\t\t'*", stdout);
		else
			(void)printf(" \\\n\t\t'%zu", i + 1);
		put_action(word, place);
		(void)fputs("'", stdout);
		word += strcspn(word, " ");
	}
	(void)fputs("\n\t\t;;\n", stdout);
}

void put_zsh(void)
{
	(void)fputs(head, stdout);
	for (size_t i = 0; i < n_commands; i++) {
		(void)printf("\t\t'%s:", commands[i].name);
		put_quoted(commands[i].help, ":\\", "'\\''");
		(void)fputs("'\n", stdout);
	}
	(void)fputs("\t)\n\t_describe -t commands command commands\n}\n\n"
		    "_svcroutectl() {\n"
		    "\tlocal curcontext=$curcontext context state line\n"
		    "\tlocal -a words_of_line=(\"${words[@]}\") global\n"
		    "\ttypeset -A opt_args\n\n"
		    "\tglobal=(",
		    stdout);
	for (size_t i = 0; i < n_option_rows; i++)
		if (!option_rows[i].bit)
			put_option(&option_rows[i]);
	(void)fputs("\n\t)\n"
		    "\t_arguments -C -S $global '1: :_svcroutectl_commands' "
		    "'*:: :->arguments' && return\n"
		    "\t[[ $state == arguments ]] || return\n"
		    "\tcase $words[1] in\n",
		    stdout);
	for (size_t i = 0; i < n_commands; i++)
		put_command(&commands[i]);
	(void)fputs(tail, stdout);
}
