/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For cppcheck only, which does not read the headers of libraries: macros of theirs that look like
 * no C without. */
#define json_array_foreach(array, index, value)                                                   \
	for (index = 0; index < json_array_size(array) && (value = json_array_get(array, index)); \
	     index++)
#define json_object_foreach(object, key, value)                    \
	for (key = json_object_iter_key(json_object_iter(object)); \
	     key && (value = json_object_get(object, key)); key = json_next_key(object, key))
