/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The sanitizers' part; in a build without them there is nothing to ask. */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#endif

#ifdef HAS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif

/* Where reports go. */
static inline void sanitize_report_to(int fd)
{
#ifdef HAS_SANITIZER
	__sanitizer_set_report_fd((void *)(intptr_t)fd);
#else
	(void)fd;
#endif
}

static inline void sanitize_print_stack(void)
{
#ifdef HAS_SANITIZER
	__sanitizer_print_stack_trace();
#endif
}

/* True, and a report, when there is a leak. */
static inline bool sanitize_find_leaks(void)
{
#ifdef HAS_SANITIZER
	return __lsan_do_recoverable_leak_check() != 0;
#else
	return false;
#endif
}
