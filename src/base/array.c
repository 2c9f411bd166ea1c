/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

int array_reserve_bytes(void **array, size_t *allocated, size_t wanted, size_t item_size)
{
	size_t n;
	char *grown;

	if (wanted <= *allocated)
		return 0;

	n = MAX_OF(*allocated, (size_t)4);
	while (n < wanted && n <= SIZE_MAX / 2)
		n *= 2;
	if (n < wanted || n > SIZE_MAX / 2 / item_size)
		return -ENOMEM;

	grown = realloc(*array, n * item_size);
	if (!grown)
		return -ENOMEM;
	memset(grown + *allocated * item_size, 0, (n - *allocated) * item_size);
	*array = grown;
	*allocated = n;
	return 0;
}
