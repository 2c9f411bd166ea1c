/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "ctl/command.h"
#include "model/settings.h"

/* What is completed at some place of the command line. */
enum word_kind {
	WORD_NONE, /* nothing */
	WORD_DIRECTORY,
	WORD_FILE,
	WORD_MODE,
	WORD_FAMILY,
	WORD_SERVICE,
	WORD_ENDPOINT,
	_WORD_MAX,
};

/* By the word that stands for an argument: "DIR", "FILE...". */
enum word_kind kind_of_word(const char *argument);
/* The i-th argument of a command; repeats: any number more of its kind. False: there is none. */
bool command_argument(const struct command *c, size_t i, enum word_kind *ret_kind,
		      bool *ret_repeats);
/* The words of WORD_MODE and WORD_FAMILY, with blanks between. */
void put_words_of_kind(enum word_kind place);
bool option_has_short_form(const struct option_row *o);
/* Text inside of single quotes: special characters get a backslash, and a single quote becomes
 * what the shell takes for one. */
void put_quoted(const char *text, const char *special, const char *quote);

/* A whole file on standard output. */
void put_bash(void);
void put_zsh(void);
void put_fish(void);
