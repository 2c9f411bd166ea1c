/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/documents.h"

/* The JSON half of documents_parse(), same contract. jansson decides what is valid; lines and
 * columns come from a second reading as YAML, and stay 0 where that one does not understand the
 * text. -ENOTUNIQ: after a first value a YAML document marker follows, so the text is YAML after
 * all. */
int json_parse(const char *data, size_t size, const char *file_name, struct documents *ret,
	       struct diags *d);

/* A decimal fraction or exponent as a number. -EINVAL when it is none, -ENOMEM. */
int json_parse_number(const char *text, double *ret);
