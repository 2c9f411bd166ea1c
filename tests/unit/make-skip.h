/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* cmocka has no reason for a skipped case; tests/run takes it from this line. */
static inline void skip_because(const char *why)
{
	print_message("# skip: %s\n", why);
	skip();
}
