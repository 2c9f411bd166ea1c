/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/addr.h"

#include <string.h>

#include "base/num.h"

/* Longer texts are no addresses; with prefix, zone or port they are not worth a closer look. */
#define LONGEST_ADDR 45

const char *addr_reason_text(enum addr_reason reason)
{
	static const char *const texts[_ADDR_REASON_MAX] = {
		[ADDR_OK] = "is valid",
		[ADDR_NOT_AN_ADDRESS] = "must be a valid IP address",
		[ADDR_LEADING_ZERO] = "must not have leading zeros",
		[ADDR_MAPPED] = "must not be an IPv4-mapped IPv6 address",
		[ADDR_HAS_ZONE] = "must not have a zone",
		[ADDR_HAS_PREFIX] = "must be a single address without a prefix length",
		[ADDR_HAS_PORT] = "must be an address without a port",
		[ADDR_NO_PREFIX] = "must have a prefix length, as in 10.0.0.0/8",
		[ADDR_BAD_PREFIX] =
			"must have a decimal prefix length of at most 32 (IPv4) or 128 (IPv6)",
		[ADDR_HOST_BITS] = "must not have bits set behind the prefix length",
		[ADDR_BAD_PORT] = "must have a port of 1-65535, as in 10.0.0.1:80 or [fd00::1]:80",
	};

	if ((unsigned)reason >= _ADDR_REASON_MAX)
		return texts[ADDR_NOT_AN_ADDRESS];
	return texts[reason];
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The n bytes of text must be a dotted quad and nothing else. Leading zeros are seen only when the
 * rest is right, so that they are the thing to complain about. */
static enum addr_reason parse_quad(const char *text, size_t n, uint8_t ret[4])
{
	uint8_t bytes[4];
	bool leading_zero = false;
	size_t i = 0;

	for (int part = 0; part < 4; part++) {
		unsigned value = 0;
		size_t start;

		if (part > 0 && (i >= n || text[i++] != '.'))
			return ADDR_NOT_AN_ADDRESS;
		start = i;
		for (; i < n && text[i] >= '0' && text[i] <= '9'; i++) {
			value = value * 10 + (unsigned)(text[i] - '0');
			if (value > 255)
				return ADDR_NOT_AN_ADDRESS;
		}
		if (i == start)
			return ADDR_NOT_AN_ADDRESS;
		if (i - start > 1 && text[start] == '0')
			leading_zero = true;
		bytes[part] = (uint8_t)value;
	}
	if (i != n)
		return ADDR_NOT_AN_ADDRESS;
	if (leading_zero)
		return ADDR_LEADING_ZERO;
	memcpy(ret, bytes, sizeof(bytes));
	return ADDR_OK;
}

/* IPv6 text of any spelling: eight groups, "::" for at least one of them, a dotted quad for the
 * last two. */
static enum addr_reason parse_groups(const char *text, size_t n, uint8_t ret[16])
{
	uint8_t bytes[16] = {0};
	size_t used = 0; /* bytes */
	size_t gap = 0;	 /* where "::" stands, in bytes */
	bool has_gap = false;
	size_t i = 0;

	if (n >= 2 && text[0] == ':' && text[1] == ':') {
		has_gap = true;
		i = 2;
	}
	while (i < n) {
		size_t start = i;
		unsigned value = 0;

		if (used == 16)
			return ADDR_NOT_AN_ADDRESS;
		for (; i < n && i - start < 5 && hex_value(text[i]) >= 0; i++)
			value = value * 16 + (unsigned)hex_value(text[i]);
		if (i < n && text[i] == '.') {
			enum addr_reason reason;

			if (used > 12 || (!has_gap && used != 12))
				return ADDR_NOT_AN_ADDRESS;
			reason = parse_quad(text + start, n - start, bytes + used);
			if (reason != ADDR_OK)
				return reason;
			used += 4;
			break;
		}
		if (i == start || i - start > 4)
			return ADDR_NOT_AN_ADDRESS;
		bytes[used++] = (uint8_t)(value >> 8);
		bytes[used++] = (uint8_t)(value & 0xff);

		if (i == n)
			break;
		if (text[i++] != ':' || i == n)
			return ADDR_NOT_AN_ADDRESS;
		if (text[i] == ':') {
			if (has_gap)
				return ADDR_NOT_AN_ADDRESS;
			has_gap = true;
			gap = used;
			i++;
		}
	}

	if (has_gap ? used > 14 : used != 16)
		return ADDR_NOT_AN_ADDRESS;
	memset(ret, 0, 16);
	memcpy(ret, bytes, gap);
	memcpy(ret + 16 - (used - gap), bytes + gap, used - gap);
	return ADDR_OK;
}

/* An address and nothing else; says nothing about zones, prefixes and ports. */
static enum addr_reason parse_bare(const char *text, size_t n, struct addr *ret)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	struct addr a = {.family = ADDR_IPV6};
	enum addr_reason reason;

	if (!memchr(text, ':', n)) {
		a.family = ADDR_IPV4;
		reason = parse_quad(text, n, a.bytes);
	} else {
		reason = parse_groups(text, n, a.bytes);
		if (reason == ADDR_OK && memcmp(a.bytes, mapped, sizeof(mapped)) == 0)
			reason = ADDR_MAPPED;
	}
	if (reason == ADDR_OK)
		*ret = a;
	return reason;
}

/* True if the first n bytes are meant as an address, perhaps one that we refuse. */
static bool looks_like_address(const char *text, size_t n)
{
	struct addr ignored;

	return parse_bare(text, n, &ignored) != ADDR_NOT_AN_ADDRESS;
}

/* Splits "1.2.3.4:80" or "[fd00::1]:80" at the right places; false if it has neither shape. */
static bool split_port(const char *text, const char **ret_addr, size_t *ret_n,
		       const char **ret_port)
{
	const char *colon;

	if (text[0] == '[') {
		const char *end = strchr(text, ']');

		if (!end || end[1] != ':')
			return false;
		*ret_addr = text + 1;
		*ret_n = (size_t)(end - text - 1);
		*ret_port = end + 2;
		return true;
	}
	colon = strchr(text, ':');
	if (!colon || strchr(colon + 1, ':'))
		return false;
	*ret_addr = text;
	*ret_n = (size_t)(colon - text);
	*ret_port = colon + 1;
	return true;
}

/* What to say about n bytes that are no bare address. */
static enum addr_reason explain(const char *text, size_t n)
{
	char copy[LONGEST_ADDR * 2 + 1];
	const char *mark, *host, *port;

	if (n >= sizeof(copy))
		return ADDR_NOT_AN_ADDRESS;
	memcpy(copy, text, n);
	copy[n] = '\0';

	mark = strchr(copy, '/');
	if (mark && looks_like_address(copy, (size_t)(mark - copy)))
		return ADDR_HAS_PREFIX;
	mark = strchr(copy, '%');
	if (mark && looks_like_address(copy, (size_t)(mark - copy)))
		return ADDR_HAS_ZONE;
	if (split_port(copy, &host, &n, &port) && looks_like_address(host, n))
		return ADDR_HAS_PORT;
	return ADDR_NOT_AN_ADDRESS;
}

static enum addr_reason parse_or_explain(const char *text, size_t n, struct addr *ret)
{
	enum addr_reason reason = parse_bare(text, n, ret);

	return reason == ADDR_NOT_AN_ADDRESS ? explain(text, n) : reason;
}

enum addr_reason addr_parse(const char *text, struct addr *ret)
{
	return parse_or_explain(text, strlen(text), ret);
}

static unsigned family_bits(const struct addr *a)
{
	return a->family == ADDR_IPV4 ? 32 : 128;
}

/* True if a bit behind the first `length` is set. */
static bool has_host_bits(const struct addr *a, unsigned length)
{
	for (unsigned bit = length; bit < family_bits(a); bit++) {
		if (a->bytes[bit / 8] & (0x80u >> bit % 8))
			return true;
	}
	return false;
}

enum addr_reason addr_prefix_parse(const char *text, struct addr_prefix *ret)
{
	struct addr_prefix p;
	const char *slash = strchr(text, '/');
	enum addr_reason reason;
	uint64_t length;

	reason = parse_or_explain(text, slash ? (size_t)(slash - text) : strlen(text), &p.addr);
	if (reason != ADDR_OK)
		return reason;
	if (!slash)
		return ADDR_NO_PREFIX;
	if (slash[1] == '0' && slash[2] != '\0')
		return ADDR_BAD_PREFIX;
	if (num_parse_u64(slash + 1, 0, family_bits(&p.addr), &length) < 0)
		return ADDR_BAD_PREFIX;
	if (has_host_bits(&p.addr, (unsigned)length))
		return ADDR_HOST_BITS;
	p.length = (uint8_t)length;
	*ret = p;
	return ADDR_OK;
}

enum addr_reason addr_port_parse(const char *text, struct addr *ret_addr, uint16_t *ret_port)
{
	struct addr a;
	const char *host, *port;
	enum addr_reason reason;
	uint64_t number;
	size_t n;

	if (!split_port(text, &host, &n, &port)) {
		reason = parse_or_explain(text, strlen(text), &a);
		return reason == ADDR_OK ? ADDR_BAD_PORT : reason;
	}
	reason = parse_or_explain(host, n, &a);
	if (reason != ADDR_OK)
		return reason;
	/* brackets belong to IPv6 and to nothing else */
	if ((text[0] == '[') != (a.family == ADDR_IPV6))
		return ADDR_NOT_AN_ADDRESS;
	if (port[0] == '0' || num_parse_u64(port, 1, UINT16_MAX, &number) < 0)
		return ADDR_BAD_PORT;
	*ret_addr = a;
	*ret_port = (uint16_t)number;
	return ADDR_OK;
}

/* Decimal, without NUL; returns the end. */
static char *put_decimal(char *p, unsigned value)
{
	if (value >= 10)
		p = put_decimal(p, value / 10);
	*p++ = (char)('0' + value % 10);
	return p;
}

/* Lower case hexadecimal without leading zeros, without NUL; returns the end. */
static char *put_hex(char *p, unsigned value)
{
	if (value >= 16)
		p = put_hex(p, value / 16);
	*p++ = "0123456789abcdef"[value % 16];
	return p;
}

static char *put_groups(char *p, const uint8_t bytes[16])
{
	unsigned groups[8];
	int best = -1, best_length = 1; /* one group alone is not compressed */

	for (int i = 0; i < 8; i++)
		groups[i] = (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
	for (int i = 0; i < 8; i++) {
		int end = i;

		while (end < 8 && groups[end] == 0)
			end++;
		if (end - i > best_length) {
			best = i;
			best_length = end - i;
		}
	}

	for (int i = 0; i < 8; i++) {
		if (i == best) {
			*p++ = ':';
			*p++ = ':';
			i += best_length - 1;
			continue;
		}
		if (i > 0 && p[-1] != ':')
			*p++ = ':';
		p = put_hex(p, groups[i]);
	}
	return p;
}

static char *put_addr(char *p, const struct addr *a)
{
	if (a->family == ADDR_IPV6)
		return put_groups(p, a->bytes);
	for (int i = 0; i < 4; i++) {
		if (i > 0)
			*p++ = '.';
		p = put_decimal(p, a->bytes[i]);
	}
	return p;
}

const char *addr_format(const struct addr *a, char buf[ADDR_TEXT_MAX])
{
	*put_addr(buf, a) = '\0';
	return buf;
}

const char *addr_prefix_format(const struct addr_prefix *p, char buf[ADDR_PREFIX_TEXT_MAX])
{
	char *end = put_addr(buf, &p->addr);

	*end++ = '/';
	*put_decimal(end, p->length) = '\0';
	return buf;
}

const char *addr_port_format(const struct addr *a, uint16_t port, char buf[ADDR_PORT_TEXT_MAX])
{
	char *end = buf;

	if (a->family == ADDR_IPV6)
		*end++ = '[';
	end = put_addr(end, a);
	if (a->family == ADDR_IPV6)
		*end++ = ']';
	*end++ = ':';
	*put_decimal(end, port) = '\0';
	return buf;
}

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

int addr_compare(const struct addr *a, const struct addr *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return sign(memcmp(a->bytes, b->bytes, sizeof(a->bytes)));
}

int addr_prefix_compare(const struct addr_prefix *a, const struct addr_prefix *b)
{
	int order = addr_compare(&a->addr, &b->addr);

	return order != 0 ? order : sign((int)a->length - (int)b->length);
}

bool addr_prefix_contains(const struct addr_prefix *p, const struct addr *a)
{
	unsigned whole = p->length / 8, rest = p->length % 8;

	if (p->addr.family != a->family || memcmp(p->addr.bytes, a->bytes, whole) != 0)
		return false;
	return rest == 0 || (p->addr.bytes[whole] ^ a->bytes[whole]) >> (8 - rest) == 0;
}

struct addr_prefix addr_to_prefix(const struct addr *a)
{
	return (struct addr_prefix){.addr = *a, .length = (uint8_t)family_bits(a)};
}

static unsigned kinds_ipv4(const uint8_t b[4])
{
	static const uint8_t broadcast[4] = {255, 255, 255, 255};
	static const uint8_t unspecified[4] = {0};
	unsigned kinds = 0;

	if (memcmp(b, unspecified, 4) == 0)
		kinds |= ADDR_IS_UNSPECIFIED;
	if (memcmp(b, broadcast, 4) == 0)
		kinds |= ADDR_IS_BROADCAST;
	if (b[0] == 0)
		kinds |= ADDR_IS_THIS_NETWORK;
	if (b[0] == 127)
		kinds |= ADDR_IS_LOOPBACK;
	if (b[0] == 169 && b[1] == 254)
		kinds |= ADDR_IS_LINK_LOCAL;
	if (b[0] == 224 && b[1] == 0 && b[2] == 0)
		kinds |= ADDR_IS_LINK_LOCAL_MULTICAST;
	if (b[0] >= 224 && b[0] < 240)
		kinds |= ADDR_IS_MULTICAST;
	if (b[0] >= 240)
		kinds |= ADDR_IS_RESERVED;
	return kinds;
}

static unsigned kinds_ipv6(const uint8_t b[16])
{
	static const uint8_t unspecified[16] = {0};
	static const uint8_t loopback[16] = {[15] = 1};
	unsigned kinds = 0;

	if (memcmp(b, unspecified, 16) == 0)
		kinds |= ADDR_IS_UNSPECIFIED;
	if (memcmp(b, loopback, 16) == 0)
		kinds |= ADDR_IS_LOOPBACK;
	if (b[0] == 0xfe && (b[1] & 0xc0) == 0x80)
		kinds |= ADDR_IS_LINK_LOCAL;
	if (b[0] == 0xff)
		kinds |= ADDR_IS_MULTICAST;
	if (b[0] == 0xff && (b[1] & 0x0f) == 0x02)
		kinds |= ADDR_IS_LINK_LOCAL_MULTICAST;
	return kinds;
}

unsigned addr_kinds(const struct addr *a)
{
	return a->family == ADDR_IPV4 ? kinds_ipv4(a->bytes) : kinds_ipv6(a->bytes);
}
