/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

/* Makes room for at least `wanted` items of `item_size` bytes in *array (a malloc'ed block that
 * holds *allocated items), doubling as it grows. New items are zeroed. On -ENOMEM or overflow
 * nothing changed. */
int array_reserve_bytes(void **array, size_t *allocated, size_t wanted, size_t item_size);

#define array_reserve(array, allocated, wanted) \
	array_reserve_bytes((void **)(array), (allocated), (wanted), sizeof(**(array)))
