/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules/rule-saved.h"

#include <netinet/in.h>
#include <stdlib.h>

#include "base/cleanup.h"

/*
 * Every clause is written with a blank before it; the first one is dropped at the end. The order is
 * that of rule_print(), but addresses, interface and protocol come first.
 */

static void print_prefix(const char *option, bool negated, const struct addr_prefix *prefix,
			 struct strbuf *out)
{
	char text[ADDR_PREFIX_TEXT_MAX];

	if (negated)
		strbuf_add(out, " !");
	strbuf_add(out, option);
	strbuf_add(out, addr_prefix_format(prefix, text));
}

static void print_head(const struct rule *r, struct strbuf *out)
{
	if (r->flags & (RULE_SRC | RULE_SRC_NOT))
		print_prefix(" -s ", r->flags & RULE_SRC_NOT, &r->src, out);
	if (r->flags & (RULE_DST | RULE_DST_NOT))
		print_prefix(" -d ", r->flags & RULE_DST_NOT, &r->dst, out);
	if (r->flags & (RULE_IN | RULE_IN_NOT)) {
		if (r->flags & RULE_IN_NOT)
			strbuf_add(out, " !");
		strbuf_add(out, " -i ");
		strbuf_add(out, r->interface);
	}
	if (r->flags & (RULE_PROTOCOL | RULE_PROTOCOL_BARE)) {
		strbuf_add(out, " -p ");
		strbuf_add(out, svc_proto_lower((enum svc_proto)r->protocol));
	}
}

static void print_conntrack(const struct rule *r, struct strbuf *out)
{
	if (r->flags & RULE_CT_NEW)
		strbuf_add(out, " -m conntrack --ctstate NEW");
	if (r->flags & RULE_CT_INVALID)
		strbuf_add(out, " -m conntrack --ctstate INVALID");
	if (r->flags & RULE_CT_ESTABLISHED)
		strbuf_add(out, " -m conntrack --ctstate RELATED,ESTABLISHED");
	if (r->flags & RULE_CT_NOT_KNOWN)
		strbuf_add(out, " -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT");
}

/* Of all our comments only those of sets have bytes that a save puts a backslash before. */
static void print_set_comment(const char *comment, struct strbuf *out)
{
	strbuf_add(out, " -m comment --comment \"");
	for (const char *c = comment; *c; c++) {
		if (strchr("\\\"'", *c))
			strbuf_add_char(out, '\\');
		strbuf_add_char(out, *c);
	}
	strbuf_add_char(out, '"');
}

/* A save quotes every comment of ours, also that which is the name alone. */
static void print_comment(const struct rule *r, const struct service *service, struct strbuf *out)
{
	char name[SERVICE_PORT_NAME_MAX];
	struct rule alone = *r;

	if (r->comment == COMMENT_NONE)
		return;
	if (r->comment == COMMENT_NAME) {
		strbuf_addf(out, " -m comment --comment \"%s\"",
			    service_port_name(service, r->port_index, name));
		return;
	}
	if (r->comment == COMMENT_SET) {
		print_set_comment(r->set->comment, out);
		return;
	}
	alone.flags = 0;
	alone.target = TARGET_NONE;
	strbuf_add_char(out, ' ');
	rule_print(&alone, service, out);
}

static void print_recent(const struct rule *r, enum addr_family family, struct strbuf *out)
{
	if (r->flags & RULE_RECENT_CHECK) {
		strbuf_add(out, " -m recent --rcheck --seconds ");
		strbuf_add_u64(out, r->seconds);
		strbuf_add(out, " --reap --name ");
	} else if (r->flags & RULE_RECENT_SET)
		strbuf_add(out, " -m recent --set --name ");
	else
		return;
	strbuf_add(out, r->chain);
	strbuf_add(out, family == ADDR_IPV4 ? " --mask 255.255.255.255"
					    : " --mask ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
	strbuf_add(out, " --rsource");
}

/* The kernel keeps a probability as a multiple of 2^-31, made from the ten decimals that it was
 * given. */
static void print_statistic(const struct rule *r, struct strbuf *out)
{
	const double scale = 2147483648.0, given = 1e10;
	double decimals, kept;

	if (!(r->flags & RULE_STATISTIC))
		return;
	decimals = (double)(uint64_t)(given / r->one_in + 0.5) / given;
	kept = (double)(uint64_t)(decimals * scale + 0.5);
	strbuf_addf(out, " -m statistic --mode random --probability %.11f", kept / scale);
}

static void print_set(const struct rule *r, struct strbuf *out)
{
	if (r->flags & RULE_SET)
		strbuf_addf(out, " -m set --match-set %s %s", r->set->name,
			    rule_lookup_text((enum rule_lookup)r->lookup));
	if (r->flags & RULE_NOT_PHYSDEV_IN)
		strbuf_add(out, " -m physdev ! --physdev-is-in");
	if (r->flags & RULE_SRC_NOT_LOCAL)
		strbuf_add(out, " -m addrtype ! --src-type LOCAL");
}

/* The program prints the protocol as a number. */
static void print_ipvs(const struct rule *r, struct strbuf *out)
{
	static const unsigned numbers[_SVC_PROTO_MAX] = {
		[SVC_TCP] = IPPROTO_TCP,
		[SVC_UDP] = IPPROTO_UDP,
		[SVC_SCTP] = IPPROTO_SCTP,
	};
	char text[ADDR_TEXT_MAX];

	if (r->flags & RULE_IPVS)
		strbuf_addf(out, " -m ipvs --vproto %u --vaddr %s --vport %u", numbers[r->protocol],
			    addr_format(&r->src.addr, text), r->dport);
}

static void print_matches(const struct rule *r, struct strbuf *out)
{
	print_set(r, out);
	if (r->flags & RULE_DST_LOCAL)
		strbuf_add(out, " -m addrtype --dst-type LOCAL");
	if (r->flags & RULE_SRC_LOCAL)
		strbuf_add(out, " -m addrtype --src-type LOCAL");
	if (r->flags & RULE_PROTOCOL) {
		strbuf_add(out, " -m ");
		strbuf_add(out, svc_proto_lower((enum svc_proto)r->protocol));
	}
	if (r->flags & RULE_DPORT) {
		strbuf_add(out, " --dport ");
		strbuf_add_u64(out, r->dport);
	}
	print_ipvs(r, out);
	if (r->flags & (RULE_MARK | RULE_MARK_NOT))
		strbuf_addf(out, " -m mark%s --mark 0x%x/0x%x",
			    r->flags & RULE_MARK_NOT ? " !" : "", r->mark, r->mark);
}

static void print_target(const struct rule *r, enum addr_family family, struct strbuf *out)
{
	char text[ADDR_PORT_TEXT_MAX];

	switch ((enum rule_target)r->target) {
	case TARGET_NONE:
		break;
	case TARGET_JUMP:
		strbuf_add(out, " -j ");
		strbuf_add(out, r->chain);
		break;
	case TARGET_ACCEPT:
		strbuf_add(out, " -j ACCEPT");
		break;
	case TARGET_DROP:
		strbuf_add(out, " -j DROP");
		break;
	case TARGET_REJECT:
		strbuf_add(out, family == ADDR_IPV4
					? " -j REJECT --reject-with icmp-port-unreachable"
					: " -j REJECT --reject-with icmp6-port-unreachable");
		break;
	case TARGET_RETURN:
		strbuf_add(out, " -j RETURN");
		break;
	case TARGET_MARK_XOR:
		strbuf_addf(out, " -j MARK --set-xmark 0x%x/0x0", r->mark);
		break;
	case TARGET_MARK_OR:
		strbuf_addf(out, " -j MARK --set-xmark 0x%x/0x%x", r->mark, r->mark);
		break;
	case TARGET_MASQUERADE:
		strbuf_add(out, " -j MASQUERADE --random-fully");
		break;
	case TARGET_DNAT:
		strbuf_add(out, " -j DNAT --to-destination ");
		strbuf_add(out, addr_port_format(&r->endpoint->ip, r->endpoint->port, text));
		break;
	case TARGET_MASQUERADE_PLAIN:
		strbuf_add(out, " -j MASQUERADE");
		break;
	}
}

void rule_print_saved(const struct rule *r, const struct service *service, enum addr_family family,
		      struct strbuf *out)
{
	size_t start = out->len;

	print_head(r, out);
	if (r->flags & RULE_COMMENT_LAST)
		print_conntrack(r, out);
	print_comment(r, service, out);
	print_recent(r, family, out);
	print_statistic(r, out);
	print_matches(r, out);
	if (!(r->flags & RULE_COMMENT_LAST))
		print_conntrack(r, out);
	if (r->flags & RULE_NFACCT_INVALID)
		strbuf_add(out, " -m nfacct --nfacct-name ct_state_invalid_dropped_pkts");
	if (r->flags & RULE_NFACCT_LOCALHOST)
		strbuf_add(out, " -m nfacct --nfacct-name localhost_nps_accepted_pkts");
	print_target(r, family, out);
	if (strbuf_error(out) == 0 && out->len > start) {
		out->len--;
		memmove(out->data + start, out->data + start + 1, out->len - start);
		out->data[out->len] = '\0';
	}
}
