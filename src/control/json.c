/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "control/json.h"

#include <string.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "base/text.h"

json_t *json_text(const char *text)
{
	char quoted[TEXT_QUOTE_MAX];

	if (!text)
		return json_null();
	if (text_is_utf8(text, strlen(text)))
		return json_string_nocheck(text);
	return json_string(text_quote(text, quoted));
}

json_t *json_time(uint64_t realtime_usec)
{
	char buf[32];

	return realtime_usec ? json_string(clock_format_utc(realtime_usec, buf)) : json_null();
}

static int add_piece(const char *bytes, size_t n, void *userdata)
{
	struct strbuf *out = userdata;

	strbuf_add_bytes(out, bytes, n);
	return strbuf_error(out) ? -1 : 0;
}

char *json_print(const json_t *value)
{
	_cleanup_strbuf_ struct strbuf out = {0};

	if (!value ||
	    json_dump_callback(value, add_piece, &out, JSON_INDENT(2) | JSON_ENCODE_ANY) < 0)
		return NULL;
	return strbuf_take(&out);
}

bool json_push(json_t **array, json_t *value)
{
	if (*array && value && json_array_append_new(*array, value) == 0)
		return true;
	if (!*array)
		json_decref(value);
	json_decref(*array);
	*array = NULL;
	return false;
}
