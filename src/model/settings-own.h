/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/settings.h"

/* What settings own, and how it grows. Internal to the settings*.c files. All functions: -ENOMEM
 * leaves what was there as it was. */

/* Puts a copy of text in the place of the old one, which may be NULL. */
int own_text(char **field, const char *text);

void prefix_list_clear(struct prefix_list *l);
#define _cleanup_prefixes_ _cleanup_(prefix_list_clear)
int prefix_list_add(struct prefix_list *l, const struct addr_prefix *p);
int prefix_list_append(struct prefix_list *l, const struct prefix_list *more);

/* Makes room, so that putting as many texts there cannot fail. */
int text_list_reserve(struct text_list *l, size_t more);
int text_list_add(struct text_list *l, const char *text); /* a copy */
