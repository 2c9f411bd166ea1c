/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/reader.h"

/* "203.0.113.5" or { ip = "203.0.113.5"; ipMode = "Proxy"; }. False after an error. */
static bool read_lb_ip(struct reader *r, const struct node *n, struct lb_ip *ret)
{
	static const char *const modes[] = {"VIP", "Proxy"};
	const struct node *keys[_LB_IP_KEY_MAX], *at = n;
	int mode;

	if (n->type == NODE_GROUP) {
		(void)reader_keys(r, n, lb_ip_keys, n_lb_ip_keys, keys);
		if (keys[LB_IP_MODE]) {
			mode = reader_choice(r, keys[LB_IP_MODE], CHECK_S59_MODE, modes,
					     ELEMENTSOF(modes));
			ret->proxy = mode == 1;
		}
		at = keys[LB_IP];
		if (!at) {
			reader_missing(r, n, CHECK_S58_MISSING);
			return false;
		}
	} else if (n->type != NODE_STRING) {
		reader_tell(r, n, CHECK_S58_FORM, node_type_text(n->type));
		return false;
	}
	return reader_address(r, at, &ret->ip) &&
	       reader_address_usable(r, at, &ret->ip, ADDR_KINDS_UNUSABLE, CHECK_S58_KIND);
}

static int compare_lb_ip(const void *a, const void *b)
{
	const struct lb_ip *x = a, *y = b;

	return addr_compare(&x->ip, &y->ip);
}

/* S61: rules of external IPs come first, so the ranges would not be asked. */
static void warn_also_external(struct reader *r, const struct node *n, const struct service_def *s)
{
	_cleanup_free_ struct addr *sorted = NULL;
	size_t i = 0;

	if (s->n_external_ips == 0)
		return;
	sorted = reader_alloc(r, s->n_external_ips, sizeof(*sorted));
	if (!sorted)
		return;
	memcpy(sorted, s->external_ips, s->n_external_ips * sizeof(*sorted));
	qsort(sorted, s->n_external_ips, sizeof(*sorted), reader_compare_addr);
	for (const struct node *c = n->first; c; c = c->next, i++) {
		if (s->lb_ips[i].ip.family != BAD_FAMILY &&
		    bsearch(&s->lb_ips[i].ip, sorted, s->n_external_ips, sizeof(*sorted),
			    reader_compare_addr))
			reader_tell(r, c, CHECK_S61_ALSO_EXTERNAL);
	}
}

void read_lb_ips(struct reader *r, const struct node *n, struct service_def *s)
{
	_cleanup_free_ size_t *first = NULL;
	size_t i = 0, n_used = 0;

	if (!n || !reader_want(r, n, NODE_LIST) || !n->first)
		return;
	if (s->type != SVC_LOAD_BALANCER) {
		reader_tell(r, n, CHECK_S57_TYPE);
		return;
	}
	s->lb_ips = reader_alloc(r, n->n_children, sizeof(*s->lb_ips));
	if (!s->lb_ips)
		return;
	for (const struct node *c = n->first; c; c = c->next, i++) {
		struct lb_ip *l = &s->lb_ips[i];

		if (!read_lb_ip(r, c, l)) {
			l->ip.family = BAD_FAMILY;
			continue;
		}
		reader_check_frontend(r, c, &l->ip, s, CHECK_S53_LB_IP, CHECK_S56_LB_IP);
	}
	warn_also_external(r, n, s);

	first = reader_first_equal(r, s->lb_ips, i, sizeof(*s->lb_ips), compare_lb_ip);
	i = 0;
	for (const struct node *c = n->first; c; c = c->next, i++) {
		struct lb_ip *l = &s->lb_ips[i];

		if (l->ip.family == BAD_FAMILY || !first || first[i] == i)
			continue;
		/* As in kube-proxy an entry of mode VIP makes the rules, wherever it stands. */
		s->lb_ips[first[i]].proxy &= l->proxy;
		reader_tell(r, c, CHECK_S58_TWICE);
		l->ip.family = BAD_FAMILY;
	}
	for (size_t j = 0; j < i; j++)
		if (s->lb_ips[j].ip.family != BAD_FAMILY)
			s->lb_ips[n_used++] = s->lb_ips[j];
	s->n_lb_ips = n_used;
}

/* The entry without the blanks around it, which an API server takes off, too. */
static const char *trim(const char *text, char buf[ADDR_PREFIX_TEXT_MAX + 16])
{
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n > 0 && strchr(" \t", text[n - 1]))
		n--;
	if (n >= ADDR_PREFIX_TEXT_MAX + 16)
		return text; /* no prefix is as long */
	memcpy(buf, text, n);
	buf[n] = '\0';
	return buf;
}

/* "10.0.0.1/8" is meant as "10.0.0.0/8"; NULL when that is no prefix either. */
static const char *without_host_bits(const char *text, char meant[HINT_MAX])
{
	char address[ADDR_PREFIX_TEXT_MAX + 16], net[ADDR_TEXT_MAX];
	const char *slash = strchr(text, '/');
	struct addr_prefix p;
	struct addr a;
	size_t n = slash ? (size_t)(slash - text) : 0;

	if (n == 0 || n >= sizeof(address))
		return NULL;
	memcpy(address, text, n);
	address[n] = '\0';
	if (addr_parse(address, &a) != ADDR_OK)
		return NULL;
	/* Bit after bit from the end, until it is a prefix. */
	for (unsigned bit = a.family == ADDR_IPV4 ? 32 : 128; bit-- > 0;) {
		a.bytes[bit / 8] &= (uint8_t) ~(0x80U >> bit % 8);
		(void)snprintf(meant, HINT_MAX, "%s%s", addr_format(&a, net), slash);
		if (addr_prefix_parse(meant, &p) == ADDR_OK)
			return meant;
	}
	return NULL;
}

/* "10.0.0.1" is meant as "10.0.0.1/32", if it is an address at all. */
static const char *with_length(const char *text, char meant[HINT_MAX])
{
	struct addr a;

	if (addr_parse(text, &a) != ADDR_OK)
		return NULL;
	(void)snprintf(meant, HINT_MAX, "%s/%d", text, a.family == ADDR_IPV4 ? 32 : 128);
	return meant;
}

static void prefix_error(struct reader *r, const struct node *n, const char *text,
			 enum addr_reason reason)
{
	char meant[HINT_MAX];

	switch (reason) {
	case ADDR_LEADING_ZERO:
		reader_tell(r, n, CHECK_S62_LEADING_ZERO);
		break;
	case ADDR_MAPPED:
		reader_tell(r, n, CHECK_S62_MAPPED);
		break;
	case ADDR_HAS_ZONE:
		reader_tell(r, n, CHECK_S62_ZONE);
		break;
	case ADDR_HAS_PORT:
		reader_tell(r, n, CHECK_S62_HAS_PORT);
		break;
	case ADDR_NO_PREFIX:
		reader_tell(r, n, CHECK_S62_NO_LENGTH, with_length(text, meant));
		break;
	case ADDR_BAD_PREFIX:
		reader_tell(r, n, CHECK_S62_BAD_LENGTH);
		break;
	case ADDR_HOST_BITS:
		reader_tell(r, n, CHECK_S62_HOST_BITS, without_host_bits(text, meant));
		break;
	default:
		reader_tell(r, n, CHECK_S62_PREFIX);
	}
}

static bool read_prefix(struct reader *r, const struct node *n, struct addr_prefix *ret)
{
	char buf[ADDR_PREFIX_TEXT_MAX + 16];
	enum addr_reason reason;
	const char *text;

	if (!reader_want(r, n, NODE_STRING))
		return false;
	text = trim(n->value.string, buf);
	reason = addr_prefix_parse(text, ret);
	if (reason != ADDR_OK)
		prefix_error(r, n, text, reason);
	return reason == ADDR_OK;
}

static int compare_prefix(const void *a, const void *b)
{
	return addr_prefix_compare(a, b);
}

/* S64. In order of address and length a prefix comes right behind one that holds it, or behind
 * others that the same one holds. */
static void notice_overlap(struct reader *r, const struct node *n, const struct service_def *s)
{
	_cleanup_free_ struct addr_prefix *sorted = NULL;
	char inner[ADDR_PREFIX_TEXT_MAX], outer[ADDR_PREFIX_TEXT_MAX];

	if (s->n_source_ranges < 2)
		return;
	sorted = reader_alloc(r, s->n_source_ranges, sizeof(*sorted));
	if (!sorted)
		return;
	memcpy(sorted, s->source_ranges, s->n_source_ranges * sizeof(*sorted));
	qsort(sorted, s->n_source_ranges, sizeof(*sorted), compare_prefix);
	for (size_t i = 1; i < s->n_source_ranges; i++) {
		if (addr_prefix_contains(&sorted[i - 1], &sorted[i].addr)) {
			reader_tell(r, n, CHECK_S64_OVERLAP, addr_prefix_format(&sorted[i], inner),
				    addr_prefix_format(&sorted[i - 1], outer));
			return;
		}
	}
}

/* S64a: ranges of one family leave the load balancer's addresses of the other open to everyone. */
static void check_ranges_cover(struct reader *r, const struct node *n, const struct service_def *s)
{
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		const char *family = reader_family_text(f);
		bool has_ip = false, has_range = false;

		for (size_t i = 0; i < s->n_lb_ips && !has_ip; i++)
			has_ip = s->lb_ips[i].ip.family == f && !s->lb_ips[i].proxy;
		for (size_t i = 0; i < s->n_source_ranges && !has_range; i++)
			has_range = s->source_ranges[i].addr.family == f;
		if (!has_ip || has_range || !s->has_cluster_ip[f])
			continue;
		reader_tell(r, n, CHECK_S64A_OPEN, family, family,
			    f == ADDR_IPV4 ? "0.0.0.0/0" : "::/0");
	}
}

void read_source_ranges(struct reader *r, const struct node *n, struct service_def *s)
{
	size_t before = r->diags->n_errors;

	if (!n || !reader_want(r, n, NODE_LIST) || !n->first)
		return;
	if (s->type != SVC_LOAD_BALANCER) {
		reader_tell(r, n, CHECK_S62_TYPE);
		return;
	}
	s->source_ranges = reader_alloc(r, n->n_children, sizeof(*s->source_ranges));
	if (!s->source_ranges)
		return;
	for (const struct node *c = n->first; c; c = c->next)
		if (read_prefix(r, c, &s->source_ranges[s->n_source_ranges]))
			s->n_source_ranges++;
	/* A range that could not be read may be the one of its family. */
	if (r->diags->n_errors == before) {
		check_ranges_cover(r, n, s);
		notice_overlap(r, n, s);
	}
}
