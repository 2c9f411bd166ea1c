/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

#include "base/num.h"

_Static_assert(sizeof(time_t) == sizeof(int64_t), "on each machine: see WIDE in the Makefile");

static uint64_t clock_usec(clockid_t id)
{
	struct timespec ts = {0};

	/* cannot fail for the two clocks asked here */
	(void)clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * USEC_PER_SEC + (uint64_t)ts.tv_nsec / 1000;
}

uint64_t clock_monotonic_usec(void)
{
	return clock_usec(CLOCK_MONOTONIC);
}

uint64_t clock_realtime_usec(void)
{
	return clock_usec(CLOCK_REALTIME);
}

const char *clock_format_utc(uint64_t realtime_usec, char buf[32])
{
	time_t seconds = (time_t)(realtime_usec / USEC_PER_SEC);
	struct tm tm;

	/* 2^64 microseconds end in the year 586512: neither call can fail */
	if (!gmtime_r(&seconds, &tm) || strftime(buf, 32, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		(void)snprintf(buf, 32, "?");
	return buf;
}
