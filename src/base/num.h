/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The only place where text becomes a number (habit H7). All functions take the whole text: no
 * blanks around it, no sign unless said, no trailing bytes. Outputs are untouched on failure.
 */

#define USEC_PER_MSEC UINT64_C(1000)
#define USEC_PER_SEC UINT64_C(1000000)

/* Decimal digits only, no leading '+', leading zeros allowed ("007" is 7).
 * Errors: -EINVAL not a number, -ERANGE outside min..max (both inclusive). */
int num_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *ret);

/* The same with an optional '-'. */
int num_parse_i64(const char *text, int64_t min, int64_t max, int64_t *ret);

/* "yes/no", "true/false", "on/off", "1/0", any case. -EINVAL otherwise. */
int num_parse_bool(const char *text, bool *ret);

/*
 * A span of time in microseconds. Three spellings (spec/daemon.md section 10): Go's ("1h30m",
 * "250ms", "1.5s"), systemd's ("1min 30s", units us ms s sec min m h hr d day w), and a bare number
 * of seconds. Negative spans are refused with -ERANGE, other texts with -EINVAL, overflow -ERANGE.
 */
int num_parse_usec(const char *text, uint64_t *ret);

/* Inverse of num_parse_usec() for printing settings: "1s", "250ms", "1h30m", "0s". Returns the
 * buffer. 32 bytes are always enough. */
const char *num_format_usec(uint64_t usec, char buf[32]);
