/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers and printers for settings of one value: numbers, words, spans, names. */
#include "model/settings-parse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/num.h"
#include "base/text.h"
#include "model/settings-own.h"

/* Names of interfaces: IFNAMSIZ without the NUL. */
#define INTERFACE_NAME_MAX 15
#define INTERFACE_NAME_CHARACTERS \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.@~+"

static void *field_of(const struct setting_row *row, struct settings *s)
{
	return (char *)s + row->offset;
}

static const void *const_field_of(const struct setting_row *row, const struct settings *s)
{
	return (const char *)s + row->offset;
}

int setting_refuse(char **ret_reason, const char *format, ...)
{
	char *text;
	va_list ap;
	int r;

	va_start(ap, format);
	r = vasprintf(&text, format, ap);
	va_end(ap);
	if (r < 0)
		return -ENOMEM;
	*ret_reason = text;
	return -EINVAL;
}

int setting_hint(int error, char **ret_reason, char **ret_hint, const char *format, ...)
{
	char *text;
	va_list ap;
	int r;

	if (error != -EINVAL)
		return error;
	va_start(ap, format);
	r = vasprintf(&text, format, ap);
	va_end(ap);
	if (r < 0) {
		free(*ret_reason);
		*ret_reason = NULL;
		return -ENOMEM;
	}
	*ret_hint = text;
	return error;
}

static int set_text(const struct setting_row *row, struct settings *s, const char *value)
{
	return own_text(field_of(row, s), value);
}

SETTING_PRINTER(text)
{
	const char *const *field = const_field_of(row, s);

	strbuf_add(out, *field);
}

SETTING_PARSER(bool)
{
	bool b;

	(void)ret_hint;
	if (num_parse_bool(value, &b) < 0)
		return setting_refuse(ret_reason, "must be yes or no");
	*(bool *)field_of(row, s) = b;
	return 0;
}

SETTING_PRINTER(bool)
{
	strbuf_add(out, *(const bool *)const_field_of(row, s) ? "yes" : "no");
}

static size_t count_names(const char *const *names)
{
	size_t n = 0;

	while (names[n])
		n++;
	return n;
}

/* Index of value among the names of the row, or a refusal. Names are exact (spec/model.md
 * section 1.1). */
static int parse_name(const struct setting_row *row, const char *value, char **ret_reason,
		      char **ret_hint)
{
	size_t n = count_names(row->names);
	const char *closest;
	int r;

	r = text_index(value, row->names, n);
	if (r >= 0)
		return r;
	r = setting_refuse(ret_reason, "must be %s", row->type);
	closest = text_closest(value, row->names, n);
	if (!closest)
		return r;
	return setting_hint(r, ret_reason, ret_hint, "did you mean '%s'?", closest);
}

/* Enumerations are copied as the int that they are for the compiler. */
SETTING_PARSER(enum)
{
	int r, i;

	r = parse_name(row, value, ret_reason, ret_hint);
	if (r < 0)
		return r;
	i = (int)row->min + r;
	memcpy(field_of(row, s), &i, sizeof(i));
	return 0;
}

SETTING_PRINTER(enum)
{
	int i;

	memcpy(&i, const_field_of(row, s), sizeof(i));
	strbuf_add(out, row->names[i - row->min]);
}

SETTING_PARSER(word)
{
	int r;

	r = parse_name(row, value, ret_reason, ret_hint);
	return r < 0 ? r : set_text(row, s, row->names[r]);
}

static int parse_number(const struct setting_row *row, const char *value, uint64_t *ret,
			char **ret_reason)
{
	if (num_parse_u64(value, (uint64_t)row->min, (uint64_t)row->max, ret) < 0)
		return setting_refuse(ret_reason, "must be a number from %lld to %lld",
				      (long long)row->min, (long long)row->max);
	return 0;
}

SETTING_PARSER(unsigned)
{
	uint64_t number;
	int r;

	(void)ret_hint;
	r = parse_number(row, value, &number, ret_reason);
	if (r < 0)
		return r;
	*(unsigned *)field_of(row, s) = (unsigned)number;
	return 0;
}

SETTING_PRINTER(unsigned)
{
	strbuf_add_u64(out, *(const unsigned *)const_field_of(row, s));
}

SETTING_PARSER(u64)
{
	(void)ret_hint;
	return parse_number(row, value, field_of(row, s), ret_reason);
}

SETTING_PRINTER(u64)
{
	strbuf_add_u64(out, *(const uint64_t *)const_field_of(row, s));
}

static int parse_span(const struct setting_row *row, const char *value, uint64_t *ret,
		      char **ret_reason)
{
	char lowest[32], highest[32];
	uint64_t usec;
	int r;

	r = num_parse_usec(value, &usec);
	if (r == -EINVAL)
		return setting_refuse(
			ret_reason,
			"must be a span of time such as 30s, 250ms, 1h30m or '1min 30s'");
	if (r < 0 || usec < (uint64_t)row->min || usec > (uint64_t)row->max) {
		num_format_usec((uint64_t)row->max, highest);
		if (row->min == 1)
			return setting_refuse(ret_reason, "must be more than 0s and at most %s",
					      highest);
		return setting_refuse(ret_reason, "must be at least %s and at most %s",
				      num_format_usec((uint64_t)row->min, lowest), highest);
	}
	*ret = usec;
	return 0;
}

SETTING_PARSER(usec)
{
	(void)ret_hint;
	return parse_span(row, value, field_of(row, s), ret_reason);
}

SETTING_PRINTER(usec)
{
	char buf[32];

	strbuf_add(out, num_format_usec(*(const uint64_t *)const_field_of(row, s), buf));
}

SETTING_PARSER(seconds)
{
	uint64_t usec;
	int r;

	(void)ret_hint;
	r = parse_span(row, value, &usec, ret_reason);
	if (r < 0)
		return r;
	if (usec % USEC_PER_SEC != 0)
		return setting_refuse(ret_reason,
				      "must be whole seconds: the kernel counts in seconds");
	*(uint64_t *)field_of(row, s) = usec;
	return 0;
}

SETTING_PARSER(min_sync_period)
{
	int r;

	r = setting_parse_usec(row, value, s, ret_reason, ret_hint);
	if (r < 0)
		return r;
	s->min_sync_period_given = true;
	return 0;
}

SETTING_PARSER(port_range)
{
	uint16_t *field = field_of(row, s);
	_cleanup_free_ char *low = NULL;
	uint64_t first, last, min = MAX_OF(row->min, 1);
	const char *dash;

	(void)ret_hint;
	if (*value == '\0' && row->min == 0) {
		field[0] = field[1] = 0;
		return 0;
	}
	dash = strchr(value, '-');
	low = strndup(value, dash ? (size_t)(dash - value) : 0);
	if (!low)
		return -ENOMEM;
	if (!dash || num_parse_u64(low, min, (uint64_t)row->max, &first) < 0 ||
	    num_parse_u64(dash + 1, min, (uint64_t)row->max, &last) < 0)
		return setting_refuse(ret_reason, "must be a range of ports such as 30000-32767");
	if (first > last)
		return setting_refuse(ret_reason, "must have the lower port first");
	field[0] = (uint16_t)first;
	field[1] = (uint16_t)last;
	return 0;
}

SETTING_PRINTER(port_range)
{
	const uint16_t *field = const_field_of(row, s);

	if (field[1] != 0)
		strbuf_addf(out, "%u-%u", field[0], field[1]);
}

int setting_node_name(const char *text, char **ret)
{
	size_t n;
	char *name;

	text += strspn(text, " \t\n\r\f\v");
	n = strlen(text);
	while (n > 0 && strchr(" \t\n\r\f\v", text[n - 1]))
		n--;
	name = strndup(text, n);
	if (!name)
		return -ENOMEM;
	/* Not tolower(): the locale must not matter. */
	for (char *c = name; *c != '\0'; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	*ret = name;
	return text_is_dns_subdomain(name) ? 0 : -EINVAL;
}

SETTING_PARSER(node_name)
{
	_cleanup_free_ char *name = NULL;
	int r;

	(void)ret_hint;
	r = setting_node_name(value, &name);
	if (r == -ENOMEM)
		return r;
	if (r < 0 && *name != '\0')
		return setting_refuse(ret_reason,
				      "must be a host name: letters, digits, '-' and '.', "
				      "at most 253, no '-' or '.' at either end");
	return set_text(row, s, name);
}

SETTING_PARSER(zone)
{
	(void)ret_hint;
	if (!text_is_label_value(value))
		return setting_refuse(ret_reason,
				      "must be at most 63 letters, digits, '-', '_' or '.', with a "
				      "letter or digit at both ends");
	return set_text(row, s, value);
}

/* spec/model.md section 4.1. Stricter than the kernel, which takes nearly every byte: a name must
 * not come out as something else in a rule's text, and a comment behind a list of names is not a
 * name. */
const char *setting_interface_problem(const char *name)
{
	if (strlen(name) > INTERFACE_NAME_MAX)
		return "must have at most 15 bytes, as all names of interfaces";
	if (streq(name, ".") || streq(name, ".."))
		return "cannot be the name of an interface";
	if (name[strspn(name, INTERFACE_NAME_CHARACTERS)] != '\0')
		return "must be the name of an interface: letters, digits and -_.@~+";
	return NULL;
}

/* iptables takes a '+' at the end as "any name that begins so", and nft a '*'. */
static bool ends_in_wildcard(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && (name[n - 1] == '+' || name[n - 1] == '*');
}

SETTING_PARSER(interface)
{
	const char *problem = setting_interface_problem(value);
	int r;

	if (ends_in_wildcard(value)) {
		r = setting_refuse(ret_reason, "must be the name of one interface");
		return setting_hint(r, ret_reason, ret_hint,
				    "DetectLocalMode=InterfaceNamePrefix takes a prefix of names");
	}
	if (problem)
		return setting_refuse(ret_reason, "%s", problem);
	return set_text(row, s, value);
}

SETTING_PARSER(interface_prefix)
{
	const char *problem = setting_interface_problem(value);
	int r;

	if (ends_in_wildcard(value)) {
		r = setting_refuse(ret_reason, "must not end in '%c'", value[strlen(value) - 1]);
		return setting_hint(r, ret_reason, ret_hint, "write the prefix only");
	}
	if (problem)
		return setting_refuse(ret_reason, "%s", problem);
	return set_text(row, s, value);
}

SETTING_PARSER(bind_address)
{
	char buf[ADDR_PORT_TEXT_MAX];
	enum addr_reason reason;
	struct addr address;
	uint16_t port;

	(void)ret_hint;
	if (streq(value, "off"))
		return set_text(row, s, value);
	port = (uint16_t)row->min;
	if (addr_parse(value, &address) != ADDR_OK) {
		reason = addr_port_parse(value, &address, &port);
		if (reason == ADDR_NOT_AN_ADDRESS)
			return setting_refuse(ret_reason, "must be IP:port, [IPv6]:port or off");
		if (reason != ADDR_OK)
			return setting_refuse(ret_reason, "%s", addr_reason_text(reason));
	}
	return set_text(row, s, addr_port_format(&address, port, buf));
}
