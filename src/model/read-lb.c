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
			mode = reader_choice(r, keys[LB_IP_MODE], modes, ELEMENTSOF(modes));
			ret->proxy = mode == 1;
		}
		at = keys[LB_IP];
		if (!at) {
			reader_missing(r, DIAG_ERROR, n, "ip", NULL, "must be set");
			return false;
		}
	} else if (n->type != NODE_STRING) {
		reader_error(r, n, NULL, "must be an address or a group, not %s",
			     node_type_text(n->type));
		return false;
	}
	return reader_address(r, at, &ret->ip) &&
	       reader_address_usable(r, at, &ret->ip, ADDR_KINDS_UNUSABLE);
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
			reader_warning(
				r, c, "take it out of externalIPs",
				"is an external IP of the service, too: source ranges do not "
				"protect it");
	}
}

void read_lb_ips(struct reader *r, const struct node *n, struct service_def *s)
{
	_cleanup_free_ size_t *first = NULL;
	size_t i = 0, n_used = 0;

	if (!n || !reader_want(r, n, NODE_LIST) || !n->first)
		return;
	if (s->type != SVC_LOAD_BALANCER) {
		reader_error(r, n, NULL, "must be set only with type LoadBalancer");
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
		reader_check_frontend(r, c, &l->ip, s);
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
		reader_warning(r, c, NULL, "is listed twice and used once");
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

/* Clears the host bits of "10.0.0.1/8" for the hint. */
static const char *without_host_bits(const char *text, char hint[HINT_MAX])
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
		(void)snprintf(hint, HINT_MAX, "%s%s", addr_format(&a, net), slash);
		if (addr_prefix_parse(hint, &p) == ADDR_OK) {
			(void)snprintf(hint, HINT_MAX, "did you mean '%s%s'?", net, slash);
			return hint;
		}
	}
	return NULL;
}

static bool read_prefix(struct reader *r, const struct node *n, struct addr_prefix *ret)
{
	char buf[ADDR_PREFIX_TEXT_MAX + 16], hint_buf[HINT_MAX];
	const char *text, *hint = NULL;
	enum addr_reason reason;
	struct addr a;

	if (!reader_want(r, n, NODE_STRING))
		return false;
	text = trim(n->value.string, buf);
	reason = addr_prefix_parse(text, ret);
	if (reason == ADDR_OK)
		return true;
	if (reason == ADDR_NO_PREFIX && addr_parse(text, &a) == ADDR_OK) {
		(void)snprintf(hint_buf, sizeof(hint_buf), "did you mean '%s/%d'?", text,
			       a.family == ADDR_IPV4 ? 32 : 128);
		hint = hint_buf;
	} else if (reason == ADDR_HOST_BITS) {
		hint = without_host_bits(text, hint_buf);
	}
	reader_error(r, n, hint, "%s", addr_reason_text(reason));
	return false;
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
			reader_notice(r, n, NULL, "'%s' is part of '%s'",
				      addr_prefix_format(&sorted[i], inner),
				      addr_prefix_format(&sorted[i - 1], outer));
			return;
		}
	}
}

/* S64a: ranges of one family leave the load balancer's addresses of the other open to everyone. */
static void check_ranges_cover(struct reader *r, const struct node *n, const struct service_def *s)
{
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		bool has_ip = false, has_range = false;
		char hint[HINT_MAX];

		for (size_t i = 0; i < s->n_lb_ips && !has_ip; i++)
			has_ip = s->lb_ips[i].ip.family == f && !s->lb_ips[i].proxy;
		for (size_t i = 0; i < s->n_source_ranges && !has_range; i++)
			has_range = s->source_ranges[i].addr.family == f;
		if (!has_ip || has_range || !s->has_cluster_ip[f])
			continue;
		(void)snprintf(hint, sizeof(hint),
			       "add a range of this family, or '%s' to open it to all",
			       f == ADDR_IPV4 ? "0.0.0.0/0" : "::/0");
		reader_error(r, n, hint,
			     "has no %s range, so the %s loadBalancerIPs would be open to everyone",
			     reader_family_text(f), reader_family_text(f));
	}
}

void read_source_ranges(struct reader *r, const struct node *n, struct service_def *s)
{
	size_t before = r->diags->n_errors;

	if (!n || !reader_want(r, n, NODE_LIST) || !n->first)
		return;
	if (s->type != SVC_LOAD_BALANCER) {
		reader_error(r, n, NULL, "must be set only with type LoadBalancer");
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
