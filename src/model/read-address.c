/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/reader.h"

/* "10.01.0.1" is meant as "10.1.0.1"; NULL when that is no address either. */
static const char *without_zeros(const char *text, char plain[HINT_MAX])
{
	struct addr a;
	size_t n = 0;

	for (const char *p = text; *p; p++) {
		bool starts = p == text || p[-1] == '.' || (n > 0 && plain[n - 1] == '.');

		if (n + 1 == HINT_MAX)
			return NULL;
		if (starts && *p == '0' && p[1] >= '0' && p[1] <= '9')
			continue;
		plain[n++] = *p;
	}
	plain[n] = '\0';
	return addr_parse(plain, &a) == ADDR_OK ? plain : NULL;
}

static bool has_blanks_around(const char *text)
{
	return *text && (strchr(" \t", text[0]) || strchr(" \t", text[strlen(text) - 1]));
}

void reader_address_error(struct reader *r, const struct node *n, enum addr_reason reason)
{
	char plain[HINT_MAX];

	switch (reason) {
	case ADDR_LEADING_ZERO:
		reader_tell(r, n, CHECK_Y7_LEADING_ZERO, without_zeros(n->value.string, plain));
		break;
	case ADDR_MAPPED:
		reader_tell(r, n, CHECK_Y7_MAPPED);
		break;
	case ADDR_HAS_ZONE:
		reader_tell(r, n, CHECK_Y7_ZONE);
		break;
	case ADDR_HAS_PREFIX:
		reader_tell(r, n, CHECK_Y7_HAS_PREFIX);
		break;
	case ADDR_HAS_PORT:
		reader_tell(r, n, CHECK_Y7_HAS_PORT);
		break;
	default:
		if (has_blanks_around(n->value.string))
			reader_tell(r, n, CHECK_Y7_BLANKS);
		else
			reader_tell(r, n, CHECK_Y7_ADDRESS);
	}
}

const char *reader_family_text(int family)
{
	return family == ADDR_IPV4 ? "IPv4" : "IPv6";
}

bool reader_address(struct reader *r, const struct node *n, struct addr *ret)
{
	enum addr_reason reason;

	if (!reader_want(r, n, NODE_STRING))
		return false;
	reason = addr_parse(n->value.string, ret);
	if (reason != ADDR_OK)
		reader_address_error(r, n, reason);
	return reason == ADDR_OK;
}

bool reader_address_usable(struct reader *r, const struct node *n, const struct addr *a,
			   unsigned unusable, enum check check)
{
	/* The first that fits is told: the more exact kinds come before those that contain them. */
	static const struct {
		unsigned kind;
		const char *text;
	} kinds[] = {
		{ADDR_IS_UNSPECIFIED, "the unspecified address"},
		{ADDR_IS_LOOPBACK, "a loopback address (127.0.0.0/8, ::1)"},
		{ADDR_IS_LINK_LOCAL, "a link-local address (169.254.0.0/16, fe80::/10)"},
		{ADDR_IS_LINK_LOCAL_MULTICAST,
		 "a link-local multicast address (224.0.0.0/24, ff02::/16)"},
		{ADDR_IS_MULTICAST, "a multicast address"},
		{ADDR_IS_BROADCAST, "the broadcast address"},
		{ADDR_IS_THIS_NETWORK, "in 0.0.0.0/8"},
		{ADDR_IS_RESERVED, "in the reserved range 240.0.0.0/4"},
	};
	unsigned found = addr_kinds(a) & unusable;

	if (!found)
		return true;
	for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
		if (found & kinds[i].kind) {
			reader_tell(r, n, check, kinds[i].text);
			break;
		}
	}
	return false;
}

int reader_compare_addr(const void *a, const void *b)
{
	return addr_compare(a, b);
}

/* The address is one that an API server would never give to a service of this family. */
static bool is_edge(const struct addr_prefix *p, const struct addr *a)
{
	unsigned bits = a->family == ADDR_IPV4 ? 32 : 128;
	bool zeros = true, ones = true;

	if (bits - p->length < 2)
		return false;
	for (unsigned i = p->length; i < bits; i++) {
		if (a->bytes[i / 8] & (0x80 >> i % 8))
			zeros = false;
		else
			ones = false;
	}
	return zeros || (ones && a->family == ADDR_IPV4);
}

/* S19: within ServiceCIDR=, if it is set. */
static void check_service_range(struct reader *r, const struct node *n, const struct addr *a)
{
	const struct prefix_list *ranges = &r->settings->service_cidr;
	char text[ADDR_PREFIX_TEXT_MAX];
	_cleanup_strbuf_ struct strbuf all = {0};

	if (ranges->n == 0)
		return;
	for (size_t i = 0; i < ranges->n; i++) {
		const struct addr_prefix *p = &ranges->items[i];

		if (!addr_prefix_contains(p, a))
			continue;
		if (is_edge(p, a))
			reader_tell(r, n, CHECK_S19_EDGE,
				    addr_equal(&p->addr, a) ? "first" : "last",
				    addr_prefix_format(p, text));
		return;
	}
	for (size_t i = 0; i < ranges->n; i++) {
		strbuf_add(&all, i ? " " : "");
		strbuf_add(&all, addr_prefix_format(&ranges->items[i], text));
	}
	if (strbuf_error(&all))
		r->error = -ENOMEM;
	reader_tell(r, n, CHECK_S19_OUTSIDE, strbuf_text(&all));
}

/* One cluster IP; "None" sets headless. False after an error. */
static bool read_cluster_ip(struct reader *r, const struct node *n, struct addr *ret,
			    bool *headless)
{
	if (!reader_want(r, n, NODE_STRING))
		return false;
	if (streq(n->value.string, "None")) {
		*headless = true;
		return true;
	}
	if (strcasecmp(n->value.string, "None") == 0) {
		reader_tell(r, n, CHECK_S11_NONE);
		return false;
	}
	if (addr_parse(n->value.string, ret) == ADDR_NOT_AN_ADDRESS) {
		reader_tell(r, n, CHECK_S11_ADDRESS);
		return false;
	}
	if (!reader_address(r, n, ret) ||
	    !reader_address_usable(r, n, ret,
				   ADDR_IS_UNSPECIFIED | ADDR_IS_LOOPBACK | ADDR_IS_LINK_LOCAL |
					   ADDR_IS_LINK_LOCAL_MULTICAST | ADDR_IS_MULTICAST |
					   ADDR_IS_BROADCAST,
				   CHECK_S17_KIND))
		return false;
	check_service_range(r, n, ret);
	return true;
}

static void set_cluster_ip(struct service_def *s, const struct addr *a, bool first)
{
	s->cluster_ips[a->family] = *a;
	s->has_cluster_ip[a->family] = true;
	if (first)
		s->primary_family = a->family;
}

void read_cluster_ips(struct reader *r, const struct node *service, const struct node *const *keys,
		      struct service_def *s)
{
	const struct node *one = keys[KEY_CLUSTER_IP], *list = keys[KEY_CLUSTER_IPS];
	const struct node *first = one;
	struct addr a = {0}, single = {.family = BAD_FAMILY};
	bool headless = false, good = true;

	if (list && !reader_want(r, list, NODE_LIST))
		list = NULL;
	if (list && !list->first)
		list = NULL;
	if (s->type == SVC_EXTERNAL_NAME) {
		if (one || list)
			reader_tell(r, one ? one : list, CHECK_S20_CLUSTER_IP);
		return;
	}
	if (!one && !list) {
		/* A service without addresses is none: nothing is invented (S16). */
		if (!keys[KEY_CLUSTER_IPS])
			reader_missing(r, service, CHECK_S16_MISSING);
		else if (keys[KEY_CLUSTER_IPS]->type == NODE_LIST)
			reader_tell(r, keys[KEY_CLUSTER_IPS], CHECK_S16_MISSING);
		return;
	}

	if (one) {
		good = read_cluster_ip(r, one, &single, &headless);
		if (good && !headless)
			set_cluster_ip(s, &single, true);
	}
	if (list) {
		bool list_headless = false;
		unsigned i = 0;

		first = list->first;
		for (const struct node *n = list->first; n; n = n->next, i++) {
			bool none = false;

			/* The same text as in clusterIP was looked at there. */
			if (i == 0 && one && one->type == NODE_STRING && n->type == NODE_STRING &&
			    streq(one->value.string, n->value.string)) {
				list_headless = headless;
				continue;
			}
			if (!read_cluster_ip(r, n, &a, &none)) {
				good = false;
				continue;
			}
			list_headless |= none;
			if (i == 0 && one && good &&
			    (none != headless || (!none && !addr_equal(&a, &single)))) {
				reader_tell(r, list, CHECK_S12_FIRST, one->value.string);
				good = false;
			} else if (!none && i > 0 && s->has_cluster_ip[a.family]) {
				reader_tell(r, list, CHECK_S13_FAMILY,
					    reader_family_text(a.family));
				good = false;
			} else if (!none) {
				set_cluster_ip(s, &a, i == 0);
			}
		}
		if (list_headless && list->n_children > 1)
			reader_tell(r, list, CHECK_S14_NONE_ALONE);
		headless |= list_headless;
	}
	if (headless && s->type != SVC_CLUSTER_IP)
		reader_tell(r, first, CHECK_S15_NONE_TYPE, svc_type_text(s->type));
	s->headless = headless;
}

void reader_check_frontend(struct reader *r, const struct node *n, const struct addr *a,
			   const struct service_def *s, enum check equal, enum check unused)
{
	if (s->has_cluster_ip[a->family] && addr_equal(&s->cluster_ips[a->family], a))
		reader_tell(r, n, equal);
	if (s->headless || s->type == SVC_EXTERNAL_NAME || s->has_cluster_ip[a->family] ||
	    !s->has_cluster_ip[!a->family])
		return;
	reader_tell(r, n, unused, reader_family_text(a->family));
}

void read_external_ips(struct reader *r, const struct node *n, struct service_def *s)
{
	_cleanup_free_ size_t *first = NULL;
	struct addr *ips;
	size_t i = 0, n_used = 0;

	if (!n || !reader_want(r, n, NODE_LIST) || !n->first)
		return;
	if (s->headless)
		reader_tell(r, n, CHECK_S79_EXTERNAL_IPS);
	else if (s->type == SVC_EXTERNAL_NAME)
		reader_tell(r, n, CHECK_S20_EXTERNAL_IPS);
	else if (!r->settings->allow_external_ips)
		reader_tell(r, n, CHECK_S54_OFF);
	ips = reader_alloc(r, n->n_children, sizeof(*ips));
	if (!ips)
		return;
	for (const struct node *c = n->first; c; c = c->next, i++) {
		struct addr *a = &ips[i];

		if (!reader_address(r, c, a) ||
		    !reader_address_usable(r, c, a, ADDR_KINDS_UNUSABLE, CHECK_S50_KIND)) {
			a->family = BAD_FAMILY;
			continue;
		}
		reader_check_frontend(r, c, a, s, CHECK_S53_EXTERNAL_IP, CHECK_S56_EXTERNAL_IP);
	}
	first = reader_first_equal(r, ips, i, sizeof(*ips), reader_compare_addr);
	i = 0;
	for (const struct node *c = n->first; c; c = c->next, i++) {
		if (ips[i].family == BAD_FAMILY)
			continue;
		if (first && first[i] != i)
			reader_tell(r, c, CHECK_S52_TWICE);
		else
			ips[n_used++] = ips[i];
	}
	s->external_ips = ips;
	s->n_external_ips = n_used;
}
