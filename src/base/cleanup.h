/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Ownership helpers. A local that owns something carries a cleanup attribute; handing the object on
 * is TAKE_PTR(). Destructors accept NULL and half-built objects and return NULL.
 */

#define _cleanup_(fn) __attribute__((__cleanup__(fn)))
#define _cleanup_free_ _cleanup_(free_charp)
#define _cleanup_close_ _cleanup_(close_fdp)
#define _printf_(fmt, first) __attribute__((__format__(__printf__, fmt, first)))

#define ELEMENTSOF(x) (sizeof(x) / sizeof((x)[0]))
#define MAX_OF(a, b) ((a) > (b) ? (a) : (b))
#define MIN_OF(a, b) ((a) < (b) ? (a) : (b))

/* Hands the pointer on and leaves NULL behind, so that the cleanup of the local does nothing. */
#define TAKE_PTR(p)                     \
	({                              \
		__typeof__(p) _t = (p); \
		(p) = NULL;             \
		_t;                     \
	})

/* Hands the file descriptor on and leaves -1 behind. */
#define TAKE_FD(fd)            \
	({                     \
		int _t = (fd); \
		(fd) = -1;     \
		_t;            \
	})

/* Defines fn##p(), usable with _cleanup_(), for a destructor that takes and returns a pointer. */
#define DEFINE_CLEANUP(type, fn)           \
	static inline void fn##p(type **p) \
	{                                  \
		*p = fn(*p);               \
	}                                  \
	struct allow_trailing_semicolon_##fn

static inline void free_charp(void *p)
{
	free(*(void **)p);
}

static inline void close_fdp(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline int streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}
