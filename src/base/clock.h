/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/* CLOCK_MONOTONIC in microseconds. */
uint64_t clock_monotonic_usec(void);
/* CLOCK_REALTIME in microseconds since the epoch. */
uint64_t clock_realtime_usec(void);
/* "2026-11-30T05:28:45Z" from a realtime; returns the buffer. */
const char *clock_format_utc(uint64_t realtime_usec, char buf[32]);
