/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

#include "model/node.h"

/* Largest configuration file that is read. 20,000 services with two endpoints each are about 6 MB.
 */
#define CONFIG_FILE_MAX (64u << 20)

/*
 * Parses one libconfig text into a node tree. The traps of libconfig 1.5 are closed before the
 * library sees the text: NUL bytes, byte order marks, UTF-16, CR, invalid UTF-8, @include, numbers
 * that libconfig would wrap, deep nesting (design/models.md section 6). A text that looks like INI
 * is told so. One syntax error a file. data need not be terminated at size but must be followed by
 * a NUL. It must outlive the tree (the locator reads it). file_name is copied. -EBADMSG with
 * diagnostics, -ENOMEM; the tree is freed with node_tree_free() by the caller on success only.
 */
int cfg_parse(const char *data, size_t size, const char *file_name, struct node_tree **ret,
	      struct diags *d);
