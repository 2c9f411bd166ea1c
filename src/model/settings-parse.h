/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/settings.h"

/*
 * The types that a setting can have: parsers and printers for the rows of the table, see struct
 * setting_row. Internal to the settings*.c files.
 *
 * All parsers leave the settings untouched on failure. -EINVAL with *ret_reason (perhaps *ret_hint)
 * set, -ENOMEM with neither.
 */
#define SETTING_PARSER(name)                                                       \
	int setting_parse_##name(const struct setting_row *row, const char *value, \
				 struct settings *s, char **ret_reason, char **ret_hint)
#define SETTING_PRINTER(name)                                                              \
	void setting_print_##name(const struct setting_row *row, const struct settings *s, \
				  struct strbuf *out)

/* bool */
SETTING_PARSER(bool);
SETTING_PRINTER(bool);
/* int or enum: place in names, counted from min */
SETTING_PARSER(enum);
SETTING_PRINTER(enum);
/* char *, one of names */
SETTING_PARSER(word);
/* unsigned, min to max */
SETTING_PARSER(unsigned);
SETTING_PRINTER(unsigned);
/* uint64_t, min to max */
SETTING_PARSER(u64);
SETTING_PRINTER(u64);
/* uint64_t, microseconds, min to max */
SETTING_PARSER(usec);
SETTING_PRINTER(usec);
/* The same for values that the kernel takes in whole seconds. */
SETTING_PARSER(seconds);
/* MinSyncPeriod=: that it was given is remembered, too. */
SETTING_PARSER(min_sync_period);
/* DialTimeouts=: one to eight spans, all replaced at once */
SETTING_PARSER(dial_timeouts);
SETTING_PRINTER(dial_timeouts);
/* Two uint16_t in a row: lowest and highest port. Both 0 for an empty text if min is 0. */
SETTING_PARSER(port_range);
SETTING_PRINTER(port_range);

/* char *, "" allowed: spec/model.md section 4.2 (blanks cut, lower case, Y2), Y3, section 4.1 */
SETTING_PARSER(node_name);
SETTING_PARSER(zone);
SETTING_PARSER(interface);
SETTING_PARSER(interface_prefix);
/* char *: "off", or IP:port; a bare address gets port min */
SETTING_PARSER(bind_address);
/* any char * */
SETTING_PRINTER(text);

/* struct prefix_list, Y9 */
SETTING_PARSER(prefixes);
SETTING_PRINTER(prefixes);
SETTING_PARSER(node_ip);
SETTING_PRINTER(node_ip);
SETTING_PARSER(node_port_addresses);
SETTING_PRINTER(node_port_addresses);

/*
 * A node name as kube-proxy treats it: blanks around it cut, lower case. malloc'ed into *ret.
 * -EINVAL when what is left is not a DNS subdomain (Y2), with *ret set all the same, for the
 * message.
 */
int setting_node_name(const char *text, char **ret);

/* Makes the reason of a refusal and returns -EINVAL, or -ENOMEM. */
int setting_refuse(char **ret_reason, const char *format, ...) _printf_(2, 3);
/* Adds a hint to a refusal: error is what setting_refuse() returned, and so is the result. */
int setting_hint(int error, char **ret_reason, char **ret_hint, const char *format, ...)
	_printf_(4, 5);

/* Why a text cannot be the name of an interface, as a sentence of which it is the subject; NULL
 * when it can. */
const char *setting_interface_problem(const char *name);
