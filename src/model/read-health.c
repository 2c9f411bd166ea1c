/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "model/reader.h"

#define INTERVAL_MIN USEC_PER_SEC
#define COUNT_MAX 1000 /* of rise and fall: more is a slip of the pen */

/* The keys that a type of check has a use for, besides type, interval, timeout, rise and fall. */
static bool is_used(enum check_type type, enum health_check_key key)
{
	switch (key) {
	case CHECK_KEY_PATH:
	case CHECK_KEY_HOST:
	case CHECK_KEY_EXPECT:
		return type == CHECK_HTTP || type == CHECK_HTTPS;
	case CHECK_KEY_PORT:
		return type != CHECK_EXEC;
	case CHECK_KEY_COMMAND:
		return type == CHECK_EXEC;
	default:
		return true;
	}
}

/* A time as in the settings. False after an error. */
static bool read_time(struct reader *r, const struct node *n, enum check no_time,
		      enum check too_long, uint64_t *ret)
{
	int result;

	if (!reader_want(r, n, NODE_STRING))
		return false;
	result = num_parse_usec(n->value.string, ret);
	if (result == -ERANGE)
		reader_tell(r, n, too_long);
	else if (result < 0)
		reader_tell(r, n, no_time);
	return result == 0;
}

static void read_times(struct reader *r, const struct node *const *keys, struct health_check *ret)
{
	const struct node *interval = keys[CHECK_KEY_INTERVAL], *timeout = keys[CHECK_KEY_TIMEOUT];
	uint64_t usec, effective_interval = r->settings->check_interval;
	uint64_t effective_timeout = r->settings->check_timeout;
	char text[32];

	if (interval) {
		if (!read_time(r, interval, CHECK_H7_TIME, CHECK_H7_LONG, &usec))
			return;
		if (usec < INTERVAL_MIN) {
			reader_tell(r, interval, CHECK_H7_SHORT);
			return;
		}
		ret->interval_usec = effective_interval = usec;
	}
	if (timeout) {
		if (!read_time(r, timeout, CHECK_H8_TIME, CHECK_H8_LONG, &usec))
			return;
		if (usec == 0) {
			reader_tell(r, timeout, CHECK_H8_ZERO);
			return;
		}
		ret->timeout_usec = effective_timeout = usec;
	}
	if (effective_timeout <= effective_interval)
		return;
	if (timeout)
		reader_tell(r, timeout, CHECK_H8_INTERVAL,
			    num_format_usec(effective_interval, text));
	else
		ret->timeout_usec = effective_interval; /* the default does not fit a short one */
}

static void read_count(struct reader *r, const struct node *n, enum check check, unsigned *ret)
{
	int64_t number;

	if (n && reader_number(r, n, 1, COUNT_MAX, check, &number))
		*ret = (unsigned)number;
}

/* A text without control characters and blanks: it becomes part of a request. */
static char *read_token(struct reader *r, const struct node *n, enum check check)
{
	if (!n || !reader_want(r, n, NODE_STRING))
		return NULL;
	for (const char *p = n->value.string; *p; p++) {
		if ((unsigned char)*p <= ' ' || *p == 0x7f) {
			reader_tell(r, n, check);
			return NULL;
		}
	}
	return reader_copy(r, n->value.string);
}

static char *read_path(struct reader *r, const struct node *n)
{
	if (n && n->type == NODE_STRING && n->value.string[0] != '/') {
		reader_tell(r, n, CHECK_H4_PATH);
		return NULL;
	}
	return read_token(r, n, CHECK_H4_TOKEN);
}

/* One of "200" and "200-399": n bytes of text. */
static bool is_code_range(const char *text, size_t n)
{
	char copy[16], *dash;
	uint64_t low, high;

	if (n >= sizeof(copy))
		return false;
	memcpy(copy, text, n);
	copy[n] = '\0';
	dash = strchr(copy, '-');
	if (dash)
		*dash = '\0';
	if (num_parse_u64(copy, 100, 599, &low) < 0)
		return false;
	high = low;
	if (dash && num_parse_u64(dash + 1, 100, 599, &high) < 0)
		return false;
	return low <= high;
}

static char *read_expect(struct reader *r, const struct node *n)
{
	const char *text;

	if (!n || !reader_want(r, n, NODE_STRING))
		return NULL;
	text = n->value.string;
	for (;;) {
		size_t size = strcspn(text, ",");

		if (!is_code_range(text, size)) {
			reader_tell(r, n, CHECK_H6_EXPECT);
			return NULL;
		}
		if (!text[size])
			break;
		text += size + 1;
	}
	return reader_copy(r, n->value.string);
}

static void read_command(struct reader *r, const struct node *group, const struct node *n,
			 struct text_list *ret)
{
	if (n && !reader_want(r, n, NODE_LIST))
		return;
	if (!n || !n->first) {
		reader_missing(r, group, CHECK_H10_MISSING);
		return;
	}
	ret->items = reader_alloc(r, n->n_children, sizeof(*ret->items));
	if (!ret->items)
		return;
	for (const struct node *c = n->first; c; c = c->next) {
		if (!reader_want(r, c, NODE_STRING))
			continue;
		if (c == n->first && c->value.string[0] != '/')
			reader_tell(r, c, CHECK_H10_ABSOLUTE);
		ret->items[ret->n] = reader_copy(r, c->value.string);
		if (ret->items[ret->n])
			ret->n++;
	}
}

void read_health_check(struct reader *r, const struct node *n, struct health_check *ret)
{
	static const char *const types[] = {"tcp", "http", "https", "exec"};
	const struct node *keys[_HEALTH_CHECK_KEY_MAX];
	int64_t number;
	int type = -1;

	if (!reader_keys(r, n, health_check_keys, n_health_check_keys, keys))
		return;
	if (!keys[CHECK_KEY_TYPE])
		reader_missing(r, n, CHECK_H1_MISSING);
	else
		type = reader_choice(r, keys[CHECK_KEY_TYPE], CHECK_H1_TYPE, types,
				     ELEMENTSOF(types));
	if (type >= 0) {
		ret->type = (enum check_type)(CHECK_TCP + type);
		for (int i = 0; i < _HEALTH_CHECK_KEY_MAX; i++)
			if (keys[i] && !is_used(ret->type, (enum health_check_key)i))
				reader_tell(r, keys[i], CHECK_H2_UNUSED, types[type]);
	}
	if (keys[CHECK_KEY_PORT] &&
	    reader_number(r, keys[CHECK_KEY_PORT], 1, UINT16_MAX, CHECK_H3_PORT, &number))
		ret->port = (uint16_t)number;
	ret->path = read_path(r, keys[CHECK_KEY_PATH]);
	ret->host = read_token(r, keys[CHECK_KEY_HOST], CHECK_H5_TOKEN);
	ret->expect = read_expect(r, keys[CHECK_KEY_EXPECT]);
	read_times(r, keys, ret);
	read_count(r, keys[CHECK_KEY_RISE], CHECK_H9_RISE, &ret->rise);
	read_count(r, keys[CHECK_KEY_FALL], CHECK_H9_FALL, &ret->fall);
	if (ret->type == CHECK_EXEC || keys[CHECK_KEY_COMMAND])
		read_command(r, n, keys[CHECK_KEY_COMMAND], &ret->command);
}
