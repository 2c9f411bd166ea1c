/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsers and printers for settings that are lists. An assignment is read whole before any of it is
 * added, so that a bad item leaves the setting as it was. Items are separated by blanks or one
 * comma.
 */
#include <errno.h>

#include "base/num.h"
#include "base/text.h"
#include "model/settings-own.h"
#include "model/settings-parse.h"

#define BLANKS " \t"

/* An assignment that is being read. */
struct reading {
	const struct setting_row *row;
	const char *value; /* all of it */
	void *into;	   /* what the items make */
	char **ret_reason, **ret_hint;
};

/* Refuses one item; sentence has the item as its subject, which is named only if there are others.
 */
static int refuse_item(const struct reading *r, const char *item, const char *sentence)
{
	char quoted[TEXT_QUOTE_MAX];

	if (streq(item, r->value))
		return setting_refuse(r->ret_reason, "%s", sentence);
	return setting_refuse(r->ret_reason, "'%s' %s", text_quote(item, quoted), sentence);
}

static int for_each_item(const struct reading *r,
			 int (*add)(const struct reading *r, const char *item))
{
	_cleanup_free_ char *copy = NULL;
	bool comma = false;
	int error;

	copy = strdup(r->value);
	if (!copy)
		return -ENOMEM;
	for (char *item = copy + strspn(copy, BLANKS), *next; *item != '\0'; item = next) {
		char *end = item + strcspn(item, BLANKS ",");

		if (end == item)
			return setting_refuse(r->ret_reason, "has a comma with nothing before it");
		next = end + strspn(end, BLANKS);
		comma = *next == ',';
		next += comma;
		next += strspn(next, BLANKS);
		*end = '\0';
		error = add(r, item);
		if (error < 0)
			return error;
	}
	if (comma)
		return setting_refuse(r->ret_reason, "ends in a comma");
	return 0;
}

/* Adds one blank before all items but the first. */
static void print_separator(struct strbuf *out, size_t start)
{
	if (out->len > start)
		strbuf_add_char(out, ' ');
}

/* "10.0.0.1/8" with its host bits cleared, for a hint. */
static void clear_host_bits(const char *text, char buf[ADDR_PREFIX_TEXT_MAX])
{
	char address[ADDR_TEXT_MAX] = "";
	const char *slash = strchr(text, '/');
	struct addr_prefix p = {0};
	uint64_t length;

	buf[0] = '\0';
	if (!slash || (size_t)(slash - text) >= sizeof(address))
		return;
	memcpy(address, text, (size_t)(slash - text));
	if (addr_parse(address, &p.addr) != ADDR_OK ||
	    num_parse_u64(slash + 1, 0, 128, &length) < 0)
		return;
	p.length = (uint8_t)length;
	for (size_t bit = length; bit < 8 * sizeof(p.addr.bytes); bit++)
		p.addr.bytes[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
	addr_prefix_format(&p, buf);
}

static int refuse_prefix(const struct reading *r, const char *item, enum addr_reason reason)
{
	int error = refuse_item(r, item, addr_reason_text(reason));
	char buf[ADDR_PREFIX_TEXT_MAX];
	struct addr_prefix p;
	struct addr a;

	if (reason == ADDR_NO_PREFIX && addr_parse(item, &a) == ADDR_OK) {
		p = addr_to_prefix(&a);
		addr_prefix_format(&p, buf);
	} else if (reason == ADDR_HOST_BITS) {
		clear_host_bits(item, buf);
	} else {
		return error;
	}
	return setting_hint(error, r->ret_reason, r->ret_hint, "did you mean '%s'?", buf);
}

static int add_prefix_item(const struct reading *r, const char *item)
{
	enum addr_reason reason;
	struct addr_prefix p;

	reason = addr_prefix_parse(item, &p);
	if (reason != ADDR_OK)
		return refuse_prefix(r, item, reason);
	return prefix_list_add(r->into, &p);
}

SETTING_PARSER(prefixes)
{
	struct prefix_list *list = (void *)((char *)s + row->offset);
	_cleanup_prefixes_ struct prefix_list new = {0};
	int r;

	if (*value == '\0') {
		prefix_list_clear(list);
		return 0;
	}
	r = for_each_item(&(struct reading){row, value, &new, ret_reason, ret_hint},
			  add_prefix_item);
	if (r < 0)
		return r;
	return prefix_list_append(list, &new);
}

static void print_prefixes(const struct prefix_list *list, struct strbuf *out, size_t start)
{
	char buf[ADDR_PREFIX_TEXT_MAX];

	for (size_t i = 0; i < list->n; i++) {
		print_separator(out, start);
		strbuf_add(out, addr_prefix_format(&list->items[i], buf));
	}
}

SETTING_PRINTER(prefixes)
{
	const void *list = (const char *)s + row->offset;

	print_prefixes(list, out, out->len);
}

struct node_ips {
	bool has[_ADDR_FAMILY_MAX];
	struct addr ip[_ADDR_FAMILY_MAX];
};

static int add_node_ip(const struct reading *r, const char *item)
{
	struct node_ips *ips = r->into;
	enum addr_reason reason;
	struct addr a;
	int error;

	reason = addr_parse(item, &a);
	if (reason != ADDR_OK)
		return refuse_item(r, item, addr_reason_text(reason));
	if (addr_kinds(&a) & ADDR_IS_UNSPECIFIED) {
		error = refuse_item(r, item, "is not the address of a node");
		return setting_hint(error, r->ret_reason, r->ret_hint,
				    "without NodeIP= the address is detected");
	}
	if (addr_kinds(&a) & (ADDR_IS_MULTICAST | ADDR_IS_BROADCAST))
		return refuse_item(r, item, "is not the address of a node");
	if (ips->has[a.family])
		return refuse_item(r, item,
				   a.family == ADDR_IPV4 ? "is a second IPv4 address"
							 : "is a second IPv6 address");
	ips->has[a.family] = true;
	ips->ip[a.family] = a;
	return 0;
}

/* Given but empty is not the same as not given: then nothing is detected. */
SETTING_PARSER(node_ip)
{
	struct node_ips ips = {0};
	int r;

	if (*value != '\0') {
		memcpy(ips.has, s->has_node_ip, sizeof(ips.has));
		memcpy(ips.ip, s->node_ip, sizeof(ips.ip));
		r = for_each_item(&(struct reading){row, value, &ips, ret_reason, ret_hint},
				  add_node_ip);
		if (r < 0)
			return r;
	}
	memcpy(s->has_node_ip, ips.has, sizeof(ips.has));
	memcpy(s->node_ip, ips.ip, sizeof(ips.ip));
	s->node_ip_given = true;
	return 0;
}

SETTING_PRINTER(node_ip)
{
	size_t start = out->len;
	char buf[ADDR_TEXT_MAX];

	(void)row;
	for (int family = 0; family < _ADDR_FAMILY_MAX; family++) {
		if (!s->has_node_ip[family])
			continue;
		print_separator(out, start);
		strbuf_add(out, addr_format(&s->node_ip[family], buf));
	}
}

static void node_port_addresses_clear(struct node_port_addresses *a)
{
	prefix_list_clear(&a->prefixes);
	text_list_done(&a->interfaces);
	*a = (struct node_port_addresses){0};
}
#define _cleanup_node_port_addresses_ _cleanup_(node_port_addresses_clear)

/* True for what someone wrote as an address: a wrong one must not pass as the name of an interface.
 */
static bool looks_like_address(const char *item)
{
	return strchr(item, ':') ||
	       (strchr(item, '.') && strspn(item, "0123456789.") == strlen(item));
}

static int add_node_port_word(const struct reading *r, const char *item, bool *field)
{
	if (*field)
		return refuse_item(r, item, "is there twice");
	*field = true;
	return 0;
}

/* spec/model.md section 4.3, and names of interfaces. */
static int add_node_port_address(const struct reading *r, const char *item)
{
	static const char *const words[] = {"primary", "localhost", "all"};
	struct node_port_addresses *list = r->into;
	bool *const fields[] = {&list->primary, &list->localhost, &list->all};
	const char *problem;
	struct addr_prefix p;
	enum addr_reason reason;
	int error, i;

	i = text_index(item, words, ELEMENTSOF(words));
	if (i >= 0)
		return add_node_port_word(r, item, fields[i]);
	i = text_index_nocase(item, words, ELEMENTSOF(words));
	if (i >= 0) {
		error = refuse_item(r, item, "must be in lower case");
		return setting_hint(error, r->ret_reason, r->ret_hint, "did you mean '%s'?",
				    words[i]);
	}
	reason = addr_prefix_parse(item, &p);
	if (reason == ADDR_OK)
		return prefix_list_add(&list->prefixes, &p);
	if (reason != ADDR_NOT_AN_ADDRESS || strchr(item, '/') || looks_like_address(item))
		return refuse_prefix(r, item, reason);

	problem = setting_interface_problem(item);
	if (problem)
		return refuse_item(r, item, problem);
	return text_list_add(&list->interfaces, item);
}

SETTING_PARSER(node_port_addresses)
{
	struct node_port_addresses *list = (void *)((char *)s + row->offset);
	_cleanup_node_port_addresses_ struct node_port_addresses new = {
		.primary = list->primary,
		.localhost = list->localhost,
		.all = list->all,
	};
	int r;

	if (*value == '\0') {
		node_port_addresses_clear(list);
		return 0;
	}
	r = for_each_item(&(struct reading){row, value, &new, ret_reason, ret_hint},
			  add_node_port_address);
	if (r < 0)
		return r;
	r = text_list_reserve(&list->interfaces, new.interfaces.n);
	if (r < 0)
		return r;
	r = prefix_list_append(&list->prefixes, &new.prefixes);
	if (r < 0)
		return r;

	list->given = true;
	list->primary = new.primary;
	list->localhost = new.localhost;
	list->all = new.all;
	for (size_t i = 0; i < new.interfaces.n; i++)
		list->interfaces.items[list->interfaces.n++] = TAKE_PTR(new.interfaces.items[i]);
	return 0;
}

SETTING_PRINTER(node_port_addresses)
{
	const struct node_port_addresses *list = &s->node_port_addresses;
	const struct {
		bool on;
		const char *word;
	} words[] = {
		{list->primary, "primary"}, {list->localhost, "localhost"}, {list->all, "all"}};
	size_t start = out->len;

	(void)row;
	for (size_t i = 0; i < ELEMENTSOF(words); i++) {
		if (!words[i].on)
			continue;
		print_separator(out, start);
		strbuf_add(out, words[i].word);
	}
	print_prefixes(&list->prefixes, out, start);
	for (size_t i = 0; i < list->interfaces.n; i++) {
		print_separator(out, start);
		strbuf_add(out, list->interfaces.items[i]);
	}
}

struct timeouts {
	uint64_t usec[ELEMENTSOF(((struct settings *)NULL)->userspace_dial_timeouts)];
	size_t n;
};

static int add_timeout(const struct reading *r, const char *item)
{
	struct timeouts *timeouts = r->into;
	uint64_t usec;

	if (timeouts->n == ELEMENTSOF(timeouts->usec))
		return setting_refuse(r->ret_reason, "must be at most %zu spans of time",
				      ELEMENTSOF(timeouts->usec));
	if (num_parse_usec(item, &usec) < 0 || usec < (uint64_t)r->row->min ||
	    usec > (uint64_t)r->row->max)
		return refuse_item(r, item,
				   "must be a span of time from 1ms to 1min, such as 250ms");
	timeouts->usec[timeouts->n++] = usec;
	return 0;
}

SETTING_PARSER(dial_timeouts)
{
	struct timeouts new = {0};
	int r;

	r = for_each_item(&(struct reading){row, value, &new, ret_reason, ret_hint}, add_timeout);
	if (r < 0)
		return r;
	if (new.n == 0)
		return setting_refuse(ret_reason, "must be at least one span of time");
	memcpy(s->userspace_dial_timeouts, new.usec, sizeof(new.usec));
	s->n_userspace_dial_timeouts = new.n;
	return 0;
}

SETTING_PRINTER(dial_timeouts)
{
	size_t start = out->len;
	char buf[32];

	(void)row;
	for (size_t i = 0; i < s->n_userspace_dial_timeouts; i++) {
		print_separator(out, start);
		strbuf_add(out, num_format_usec(s->userspace_dial_timeouts[i], buf));
	}
}
