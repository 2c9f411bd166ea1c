/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers of ipset. Nothing is looked at that a policy has not passed. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/ipset/ip_set.h>
#include <linux/netfilter/nfnetlink.h>

#include "base/array.h"
#include "kernel/ipset-wire.h"

static int compare_elements(const void *a, const void *b)
{
	return ipset_element_compare(a, b);
}

static int compare_sets(const void *a, const void *b)
{
	return strcmp(((const struct ipset_set *)a)->name, ((const struct ipset_set *)b)->name);
}

void ipset_sets_sort(struct ipset_sets *sets)
{
	if (sets->n > 0)
		qsort(sets->items, sets->n, sizeof(*sets->items), compare_sets);
	for (size_t i = 0; i < sets->n; i++) {
		struct ipset_elements *e = &sets->items[i].elements;

		if (e->n > 0)
			qsort(e->items, e->n, sizeof(*e->items), compare_elements);
	}
}

void ipset_sets_done(struct ipset_sets *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i].elements.items);
	free(l->items);
	*l = (struct ipset_sets){0};
}

static int parse_nest(const struct nlattr *nest, struct nlattr **tb, int max,
		      const struct nla_policy *policy)
{
	return netlink_parse(nla_data(nest), nla_len(nest), tb, max, policy);
}

static int parse_message(const struct nlmsghdr *h, struct nlattr *tb[IPSET_ATTR_CMD_MAX + 1])
{
	static const struct nla_policy policy[IPSET_ATTR_CMD_MAX + 1] = {
		[IPSET_ATTR_PROTOCOL] = {.type = NLA_U8},
		[IPSET_ATTR_SETNAME] = {.type = NLA_STRING, .maxlen = IPSET_NAME_MAX},
		[IPSET_ATTR_TYPENAME] = {.type = NLA_STRING, .maxlen = IPSET_NAME_MAX},
		[IPSET_ATTR_REVISION] = {.type = NLA_U8},
		[IPSET_ATTR_FAMILY] = {.type = NLA_U8},
		[IPSET_ATTR_LINENO] = {.type = NLA_U32},
		[IPSET_ATTR_PROTOCOL_MIN] = {.type = NLA_U8},
	};

	if (!nlmsg_valid_hdr(h, sizeof(struct nfgenmsg)))
		return -EBADMSG;
	return netlink_parse(nlmsg_attrdata(h, sizeof(struct nfgenmsg)),
			     nlmsg_attrlen(h, sizeof(struct nfgenmsg)), tb, IPSET_ATTR_CMD_MAX,
			     policy);
}

static int parse_addr(const struct nlattr *nest, enum addr_family family, struct addr *ret)
{
	static const struct nla_policy policy[IPSET_ATTR_IPADDR_MAX + 1] = {
		[IPSET_ATTR_IPADDR_IPV4] = {.minlen = 4, .maxlen = 4},
		[IPSET_ATTR_IPADDR_IPV6] = {.minlen = 16, .maxlen = 16},
	};
	struct nlattr *tb[IPSET_ATTR_IPADDR_MAX + 1];
	const struct nlattr *a;

	if (!nest || parse_nest(nest, tb, IPSET_ATTR_IPADDR_MAX, policy) < 0)
		return -EBADMSG;
	a = tb[family == ADDR_IPV4 ? IPSET_ATTR_IPADDR_IPV4 : IPSET_ATTR_IPADDR_IPV6];
	if (!a)
		return -EBADMSG;
	*ret = (struct addr){.family = (uint8_t)family};
	memcpy(ret->bytes, nla_data(a), (size_t)nla_len(a));
	return 0;
}

static int parse_element(const struct nlattr *nest, const struct ipset_set *set,
			 struct ipset_element *ret, bool *ret_nomatch)
{
	static const struct nla_policy policy[IPSET_ATTR_ADT_MAX + 1] = {
		[IPSET_ATTR_PORT] = {.type = NLA_U16},
		[IPSET_ATTR_PROTO] = {.type = NLA_U8},
		[IPSET_ATTR_CADT_FLAGS] = {.type = NLA_U32},
		[IPSET_ATTR_CIDR2] = {.type = NLA_U8},
	};
	const struct ipset_layout *l = &ipset_layouts[set->type];
	const uint8_t longest = set->family == ADDR_IPV4 ? 32 : 128;
	struct nlattr *tb[IPSET_ATTR_ADT_MAX + 1];
	struct ipset_element e = {0};

	if (parse_nest(nest, tb, IPSET_ATTR_ADT_MAX, policy) < 0)
		return -EBADMSG;
	if ((l->addr && parse_addr(tb[IPSET_ATTR_IP], set->family, &e.addr) < 0) ||
	    (l->addr2 && parse_addr(tb[IPSET_ATTR_IP2], set->family, &e.addr2) < 0) ||
	    (l->port && !tb[IPSET_ATTR_PORT]) || (l->protocol && !tb[IPSET_ATTR_PROTO]))
		return -EBADMSG;
	if (l->port)
		e.port = ntohs(nla_get_u16(tb[IPSET_ATTR_PORT]));
	if (l->protocol)
		e.protocol = nla_get_u8(tb[IPSET_ATTR_PROTO]);
	if (l->prefix) {
		e.prefix = tb[IPSET_ATTR_CIDR2] ? nla_get_u8(tb[IPSET_ATTR_CIDR2]) : longest;
		if (e.prefix < 1 || e.prefix > longest)
			return -EBADMSG;
	}
	*ret_nomatch = tb[IPSET_ATTR_CADT_FLAGS] &&
		       ntohl(nla_get_u32(tb[IPSET_ATTR_CADT_FLAGS])) & IPSET_FLAG_NOMATCH;
	*ret = e;
	return 0;
}

static int parse_elements(const struct nlattr *adt, struct ipset_set *set)
{
	const struct nlattr *a;
	int rest;

	nla_for_each_nested(a, adt, rest)
	{
		struct ipset_elements *l = &set->elements;
		bool nomatch;
		int r;

		if (nla_type(a) != IPSET_ATTR_DATA)
			return -EBADMSG;
		r = array_reserve(&l->items, &l->allocated, l->n + 1);
		if (r < 0)
			return r;
		r = parse_element(a, set, &l->items[l->n], &nomatch);
		if (r < 0)
			return r;
		l->n++;
		if (nomatch)
			set->plain = false;
	}
	return rest > 0 ? -EBADMSG : 0;
}

/* An attribute of a header that says nothing about what the set can do, or what ours say. What
 * kernels will know one day is not among them. */
static bool header_is_plain(const struct nlattr *a)
{
	switch (nla_type(a)) {
	case IPSET_ATTR_INITVAL:
	case IPSET_ATTR_HASHSIZE:
	case IPSET_ATTR_MAXELEM:
	case IPSET_ATTR_BUCKETSIZE:
	case IPSET_ATTR_RESIZE:
	case IPSET_ATTR_SIZE:
	case IPSET_ATTR_ELEMENTS:
	case IPSET_ATTR_REFERENCES:
	case IPSET_ATTR_MEMSIZE:
		return true;
	case IPSET_ATTR_PORT:
		return nla_len(a) >= 2 && ntohs(nla_get_u16(a)) == 0;
	case IPSET_ATTR_PORT_TO:
		return nla_len(a) >= 2 && ntohs(nla_get_u16(a)) == UINT16_MAX;
	case IPSET_ATTR_CADT_FLAGS:
		return nla_len(a) >= 4 && nla_get_u32(a) == 0;
	default:
		return false;
	}
}

static int parse_header(struct nlattr **tb, struct ipset_set *set)
{
	const struct nlattr *a;
	uint8_t af;
	int rest;

	if (!tb[IPSET_ATTR_FAMILY] || !tb[IPSET_ATTR_DATA])
		return -EBADMSG;
	(void)nla_strlcpy(set->type_text, tb[IPSET_ATTR_TYPENAME], sizeof(set->type_text));
	set->type = ipset_type_from_text(set->type_text);
	af = nla_get_u8(tb[IPSET_ATTR_FAMILY]);
	if (af == AF_INET6)
		set->family = ADDR_IPV6;
	else if (af != AF_INET && set->type >= 0 && ipset_layouts[set->type].addr)
		return -EBADMSG;
	set->plain = true;
	nla_for_each_nested(a, tb[IPSET_ATTR_DATA], rest)
	{
		if (nla_type(a) == IPSET_ATTR_MAXELEM && nla_len(a) >= 4)
			set->maxelem = ntohl(nla_get_u32(a));
		if (!header_is_plain(a))
			set->plain = false;
	}
	return rest > 0 ? -EBADMSG : 0;
}

/* The set that a message is about: a new one when it has a header, else the last one, whose list
 * goes on. */
static int find_set(struct nlattr **tb, const char *name, struct ipset_sets *sets)
{
	struct ipset_set set = {0};
	int r;

	if (!tb[IPSET_ATTR_TYPENAME])
		return sets->n > 0 && streq(sets->items[sets->n - 1].name, name) ? 0 : -EBADMSG;
	(void)strcpy(set.name, name);
	r = parse_header(tb, &set);
	if (r < 0)
		return r;
	r = array_reserve(&sets->items, &sets->allocated, sets->n + 1);
	if (r < 0)
		return r;
	sets->items[sets->n++] = set;
	return 0;
}

/* As it was before a message that is not in order. */
static void roll_back(struct ipset_sets *sets, size_t n_sets, size_t n_elements, bool plain)
{
	if (sets->n > n_sets) {
		free(sets->items[--sets->n].elements.items);
		sets->items[sets->n] = (struct ipset_set){0};
	} else if (n_sets > 0) {
		sets->items[n_sets - 1].elements.n = n_elements;
		sets->items[n_sets - 1].plain = plain;
	}
}

int ipset_read_list(const struct nlmsghdr *h, const char *prefix, struct ipset_sets *sets)
{
	struct nlattr *tb[IPSET_ATTR_CMD_MAX + 1];
	const struct ipset_set *last = sets->n > 0 ? &sets->items[sets->n - 1] : NULL;
	size_t n_sets = sets->n, n_elements = last ? last->elements.n : 0;
	bool plain = last && last->plain;
	char name[IPSET_NAME_MAX];
	struct ipset_set *set;
	int r;

	if (h->nlmsg_type != (NFNL_SUBSYS_IPSET << 8 | IPSET_CMD_LIST))
		return 0;
	if (parse_message(h, tb) < 0 || !tb[IPSET_ATTR_SETNAME])
		return -EBADMSG;
	(void)nla_strlcpy(name, tb[IPSET_ATTR_SETNAME], sizeof(name));
	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return 0;
	r = find_set(tb, name, sets);
	if (r < 0)
		return r;
	set = &sets->items[sets->n - 1];
	if (set->type >= 0 && tb[IPSET_ATTR_ADT])
		r = parse_elements(tb[IPSET_ATTR_ADT], set);
	if (r < 0)
		roll_back(sets, n_sets, n_elements, plain);
	return r;
}

int ipset_parse_list(const void *message, size_t size, struct ipset_sets *ret)
{
	const struct nlmsghdr *h = message;

	if (size > INT32_MAX || !nlmsg_ok(h, (int)size))
		return -EBADMSG;
	return ipset_read_list(h, "", ret);
}

int ipset_read_range(const struct nlmsghdr *h, uint8_t *ret_highest, uint8_t *ret_lowest)
{
	const struct nlattr *highest, *lowest;
	struct nlattr *tb[IPSET_ATTR_CMD_MAX + 1];

	if (parse_message(h, tb) < 0)
		return -EBADMSG;
	if (h->nlmsg_type == (NFNL_SUBSYS_IPSET << 8 | IPSET_CMD_PROTOCOL))
		highest = tb[IPSET_ATTR_PROTOCOL];
	else if (h->nlmsg_type == (NFNL_SUBSYS_IPSET << 8 | IPSET_CMD_TYPE))
		highest = tb[IPSET_ATTR_REVISION];
	else
		return -EBADMSG;
	lowest = tb[IPSET_ATTR_PROTOCOL_MIN]; /* the same number as IPSET_ATTR_REVISION_MIN */
	if (!highest)
		return -EBADMSG;
	*ret_highest = nla_get_u8(highest);
	*ret_lowest = lowest ? nla_get_u8(lowest) : *ret_highest;
	return 0;
}

uint32_t ipset_read_refused_line(const struct nlmsghdr *h)
{
	const struct nlmsgerr *e = nlmsg_data(h);
	struct nlattr *tb[IPSET_ATTR_CMD_MAX + 1];
	int size = nlmsg_datalen(h) - (int)offsetof(struct nlmsgerr, msg);

	/* Before the elements are looked at, the echo may be of the header alone. */
	if (h->nlmsg_type != NLMSG_ERROR || !nlmsg_ok(&e->msg, size) ||
	    parse_message(&e->msg, tb) < 0 || !tb[IPSET_ATTR_LINENO])
		return 0;
	return nla_get_u32(tb[IPSET_ATTR_LINENO]);
}
