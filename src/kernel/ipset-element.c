/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and elements: order and text. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

#include "kernel/ipset-wire.h"

const struct ipset_layout ipset_layouts[_IPSET_TYPE_MAX] = {
	[IPSET_HASH_IP] = {"hash:ip", 6, .addr = true},
	[IPSET_HASH_IP_PORT] = {"hash:ip,port", 7, .addr = true, .port = true, .protocol = true},
	[IPSET_HASH_IP_PORT_IP] = {"hash:ip,port,ip", 6, .addr = true, .port = true,
				   .protocol = true, .addr2 = true},
	[IPSET_HASH_IP_PORT_NET] = {"hash:ip,port,net", 8, .addr = true, .port = true,
				    .protocol = true, .addr2 = true, .prefix = true},
	[IPSET_BITMAP_PORT] = {"bitmap:port", 3, .port = true},
};

const char *ipset_type_text(enum ipset_type t)
{
	return t >= 0 && t < _IPSET_TYPE_MAX ? ipset_layouts[t].text : "";
}

enum ipset_type ipset_type_from_text(const char *text)
{
	for (int t = 0; t < _IPSET_TYPE_MAX; t++)
		if (streq(ipset_layouts[t].text, text))
			return (enum ipset_type)t;
	return _IPSET_TYPE_OTHER;
}

int ipset_element_compare(const struct ipset_element *a, const struct ipset_element *b)
{
	int r = addr_compare(&a->addr, &b->addr);

	if (r == 0)
		r = (a->port > b->port) - (a->port < b->port);
	if (r == 0)
		r = (a->protocol > b->protocol) - (a->protocol < b->protocol);
	if (r == 0)
		r = addr_compare(&a->addr2, &b->addr2);
	return r ? r : (a->prefix > b->prefix) - (a->prefix < b->prefix);
}

/* addr_format() never gives the mixed form; ipset(8) prints what the C library does. */
static const char *element_addr(const struct addr *a, char buf[INET6_ADDRSTRLEN])
{
	return inet_ntop(a->family == ADDR_IPV4 ? AF_INET : AF_INET6, a->bytes, buf,
			 INET6_ADDRSTRLEN);
}

static const char *element_protocol(uint8_t protocol, char buf[4])
{
	switch (protocol) {
	case IPPROTO_TCP:
		return "tcp";
	case IPPROTO_UDP:
		return "udp";
	case IPPROTO_SCTP:
		return "sctp";
	default:
		(void)snprintf(buf, 4, "%u", protocol);
		return buf;
	}
}

const char *ipset_element_text(enum ipset_type type, const struct ipset_element *e,
			       char buf[IPSET_ELEMENT_TEXT_MAX])
{
	char first[INET6_ADDRSTRLEN] = "", second[INET6_ADDRSTRLEN] = "", number[4], prefix[5] = "";
	const struct ipset_layout *l;

	*buf = '\0';
	if (type < 0 || type >= _IPSET_TYPE_MAX)
		return buf;
	l = &ipset_layouts[type];
	if (!l->addr) {
		(void)snprintf(buf, IPSET_ELEMENT_TEXT_MAX, "%u", e->port);
		return buf;
	}
	(void)element_addr(&e->addr, first);
	if (!l->port) {
		(void)snprintf(buf, IPSET_ELEMENT_TEXT_MAX, "%s", first);
		return buf;
	}
	if (l->addr2)
		(void)element_addr(&e->addr2, second);
	if (l->prefix && e->prefix != (e->addr2.family == ADDR_IPV4 ? 32 : 128))
		(void)snprintf(prefix, sizeof(prefix), "/%u", e->prefix);
	(void)snprintf(buf, IPSET_ELEMENT_TEXT_MAX, "%s,%s:%u%s%s%s", first,
		       element_protocol(e->protocol, number), e->port, l->addr2 ? "," : "", second,
		       prefix);
	return buf;
}
