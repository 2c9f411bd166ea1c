/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/strbuf.h"
#include "model/node.h"

/*
 * Prints node trees as libconfig text that config/cfg.h reads as the same tree. The same tree gives
 * the same bytes. Null values are left out. Keys must be names for libconfig: a letter or '*', then
 * letters, digits,
 * '-', '_', '*'.
 */

/* `key = ( item, item, ... );` with a newline. Returns -EINVAL if something in it cannot be
 * written: a bad key, or a number that is none; out then holds part of the text. */
int cfg_write_list(const char *key, const struct node *const *items, size_t n, struct strbuf *out);

/* All settings of a group, without braces. Same errors. */
int cfg_write_group(const struct node *group, struct strbuf *out);
