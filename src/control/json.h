/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Making JSON without checking each call: a value that could not be made marks the object, and
 * json_made() drops it. All take the reference of the value.
 */
struct json_maker {
	json_t *object; /* NULL after a failure */
};

static inline void json_take(struct json_maker *m, const char *key, json_t *value)
{
	if (!m->object || !value || json_object_set_new(m->object, key, value) < 0) {
		if (!m->object)
			json_decref(value);
		json_decref(m->object);
		m->object = NULL;
	}
}

static inline struct json_maker json_make(void)
{
	return (struct json_maker){json_object()};
}

/* The object, or NULL when anything failed. */
static inline json_t *json_made(struct json_maker *m)
{
	return m->object;
}

/* A string, or null when text is NULL; bytes that are not UTF-8 come out quoted. */
json_t *json_text(const char *text);
/* A time as "2026-11-30T05:28:45Z", null for 0. */
json_t *json_time(uint64_t realtime_usec);
/*
 * The text of a value, indented, malloc'ed; NULL when out of memory, also for NULL. Instead of
 * json_dumps() and json_dumpf(): jansson 2.14 goes on when a key could not be written, and calls
 * the rest a success.
 */
char *json_print(const json_t *value);
/* Appends and takes the reference; false when it failed (the array is then dropped and set to
 * NULL). */
bool json_push(json_t **array, json_t *value);
