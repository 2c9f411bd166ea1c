/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Makes a shell's completion of svcroutectl from its tables: make-completion bash|zsh|fish
 *
 * It runs on the host that builds, and is linked with the tables of the sources and nothing else of
 * them. The words of the tables that stand for something say what is completed:
 *
 *     DIR FILE           names of directories, of files
 *     MODE FAMILY        the words that there are
 *     SERVICE ENDPOINT   what the daemon has at that moment; ENDPOINT stands behind SERVICE
 *
 * and anything else is left to the user.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "completion/shells.h"

enum word_kind kind_of_word(const char *argument)
{
	static const struct {
		const char *word;
		enum word_kind place;
	} places[] = {
		{"DIR", WORD_DIRECTORY}, {"FILE", WORD_FILE},	    {"MODE", WORD_MODE},
		{"FAMILY", WORD_FAMILY}, {"SERVICE", WORD_SERVICE}, {"ENDPOINT", WORD_ENDPOINT},
	};
	size_t n = strspn(argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	for (size_t i = 0; i < ELEMENTSOF(places); i++)
		if (strlen(places[i].word) == n && strncmp(places[i].word, argument, n) == 0)
			return places[i].place;
	return WORD_NONE;
}

bool command_argument(const struct command *c, size_t i, enum word_kind *ret_kind,
		      bool *ret_repeats)
{
	const char *p = c->arguments;

	for (;; i--) {
		p += strspn(p, "[ ");
		if (!*p)
			return false;
		if (i == 0)
			break;
		p += strcspn(p, " ");
	}
	*ret_kind = kind_of_word(p);
	p += strcspn(p, " .");
	*ret_repeats = *p == '.';
	return true;
}

void put_words_of_kind(enum word_kind place)
{
	if (place == WORD_FAMILY)
		(void)fputs("ipv4 ipv6", stdout);
	for (int mode = 0; place == WORD_MODE && mode < _MODE_MAX; mode++)
		(void)printf("%s%s", mode ? " " : "", svc_mode_text((enum svc_mode)mode));
}

bool option_has_short_form(const struct option_row *o)
{
	return islower((unsigned char)o->letter) != 0;
}

void put_quoted(const char *text, const char *special, const char *quote)
{
	for (; *text; text++) {
		if (*text == '\'') {
			(void)fputs(quote, stdout);
			continue;
		}
		if (strchr(special, *text))
			(void)putchar('\\');
		(void)putchar(*text);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*put)(void);
	} shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};

	for (size_t i = 0; argc == 2 && i < ELEMENTSOF(shells); i++) {
		if (!streq(argv[1], shells[i].name))
			continue;
		shells[i].put();
		if (fflush(stdout) == EOF || ferror(stdout)) {
			perror("make-completion");
			return EXIT_FAILURE;
		}
		return EXIT_SUCCESS;
	}
	(void)fprintf(stderr, "Usage: make-completion bash|zsh|fish\n");
	return 2;
}
