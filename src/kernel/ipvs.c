/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/ipvs.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/ip_vs.h>
#include <netlink/genl/genl.h>

#include "base/array.h"
#include "kernel/ipvs-message.h"
#include "kernel/netlink.h"

/* No answer is longer: the kernel gives a dump in pieces of at most half of this, and a refusal has
 * a request of ours in it. So each needs one read, not one to see its length and another. */
#define ANSWER_SIZE (64 * 1024)

struct ipvs {
	struct nl_sock *socket;
	int family;
};

static int on_family(struct nlmsghdr *h, void *userdata)
{
	struct nla_policy policy[CTRL_ATTR_MAX + 1] = {
		[CTRL_ATTR_FAMILY_ID] = {.type = NLA_U16, .maxlen = 2}};
	struct nlattr *tb[CTRL_ATTR_MAX + 1];
	int *family = userdata;

	if (h->nlmsg_type != GENL_ID_CTRL ||
	    nlmsg_parse(h, GENL_HDRLEN, tb, CTRL_ATTR_MAX, policy) < 0 || !tb[CTRL_ATTR_FAMILY_ID])
		return -EBADMSG;
	*family = nla_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
	return 0;
}

/* The number under which IPVS is known until the next boot or load of its module. */
static int family_resolve(struct nl_sock *s, int *ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = nlmsg_alloc();
	int r, family = 0;

	if (!msg ||
	    !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, GENL_ID_CTRL, 0, 0, CTRL_CMD_GETFAMILY,
			 1) ||
	    nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, IPVS_GENL_NAME) < 0)
		return -ENOMEM;
	r = netlink_exchange(s, msg, on_family, NULL, &family);
	if (r < 0)
		return r;
	if (family == 0)
		return -EBADMSG;
	*ret = family;
	return 0;
}

/* Sends a request, reads the message that answers it, if message is not NULL, and the
 * acknowledgement. */
static int ipvs_exchange(struct ipvs *v, struct nl_msg *msg, netlink_message_t message,
			 void *userdata)
{
	return netlink_exchange(v->socket, msg, message, NULL, userdata);
}

int ipvs_open(struct ipvs **ret)
{
	_cleanup_(ipvs_closep) struct ipvs *v = calloc(1, sizeof(*v));
	struct ipvs_timeouts unused;
	int r;

	if (!v)
		return -ENOMEM;
	r = netlink_open(NETLINK_GENERIC, &v->socket);
	if (r < 0)
		return r == -EPROTONOSUPPORT ? -ENOENT : r;
	if (nl_socket_set_msg_buf_size(v->socket, ANSWER_SIZE) < 0)
		return -ENOMEM;
	nl_socket_disable_msg_peek(v->socket);
	r = family_resolve(v->socket, &v->family);
	if (r < 0)
		return r;
	/* Everybody may ask for the number, but only an administrator of the namespace for more. */
	r = ipvs_get_timeouts(v, &unused);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(v);
	return 0;
}

struct ipvs *ipvs_close(struct ipvs *v)
{
	if (v) {
		(void)netlink_close(v->socket);
		free(v);
	}
	return NULL;
}

int ipvs_key_compare(const struct ipvs_key *a, const struct ipvs_key *b)
{
	int r = addr_compare(&a->addr, &b->addr);

	if (r)
		return r;
	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	return (a->protocol > b->protocol) - (a->protocol < b->protocol);
}

int ipvs_dest_compare(const struct ipvs_dest *a, const struct ipvs_dest *b)
{
	int r = addr_compare(&a->addr, &b->addr);

	return r ? r : (a->port > b->port) - (a->port < b->port);
}

void ipvs_servers_done(struct ipvs_servers *l)
{
	free(l->items);
	*l = (struct ipvs_servers){0};
}

void ipvs_dests_done(struct ipvs_dests *l)
{
	free(l->items);
	*l = (struct ipvs_dests){0};
}

static int compare_servers(const void *a, const void *b)
{
	const struct ipvs_server *x = a, *y = b;
	int r = ipvs_key_compare(&x->key, &y->key);

	return r ? r : (x->fwmark > y->fwmark) - (x->fwmark < y->fwmark);
}

static int compare_dests(const void *a, const void *b)
{
	return ipvs_dest_compare(a, b);
}

/*
 * Sorts, and drops what came twice: the kernel goes on with a dump by counting, and counts again
 * what others' additions have moved. The number that is left.
 */
static size_t sort_unique(void *items, size_t n, size_t size,
			  int (*compare)(const void *, const void *))
{
	char *p = items;
	size_t kept = 0;

	if (n == 0)
		return 0;
	qsort(items, n, size, compare);
	for (size_t i = 1; i < n; i++)
		if (compare(p + kept * size, p + i * size) != 0 && ++kept != i)
			memcpy(p + kept * size, p + i * size, size);
	return kept + 1;
}

static int on_server(struct nlmsghdr *h, void *userdata)
{
	struct ipvs_servers *l = userdata;
	int r;

	if (array_reserve(&l->items, &l->allocated, l->n + 1) < 0)
		return -ENOMEM;
	r = ipvs_parse_server(h, h->nlmsg_len, &l->items[l->n]);
	if (r < 0)
		return r;
	l->n++;
	return 0;
}

static void drop_servers(void *userdata)
{
	((struct ipvs_servers *)userdata)->n = 0;
}

int ipvs_list_servers(struct ipvs *v, struct ipvs_servers *ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	_cleanup_ipvs_servers_ struct ipvs_servers l = {0};
	int r;

	r = ipvs_request_new(v->family, IPVS_CMD_GET_SERVICE, 0, &msg);
	if (r < 0)
		return r;
	r = netlink_dump_message(v->socket, msg, on_server, drop_servers, &l);
	if (r < 0)
		return r;
	l.n = sort_unique(l.items, l.n, sizeof(*l.items), compare_servers);
	*ret = l;
	l = (struct ipvs_servers){0};
	return 0;
}

int ipvs_get_server(struct ipvs *v, const struct ipvs_key *key, struct ipvs_server *ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	_cleanup_ipvs_servers_ struct ipvs_servers l = {0};
	int r;

	r = ipvs_request_key(v->family, IPVS_CMD_GET_SERVICE, 0, key, &msg);
	if (r < 0)
		return r;
	r = ipvs_exchange(v, msg, on_server, &l);
	if (r < 0)
		return r;
	if (l.n != 1 || ipvs_key_compare(&l.items[0].key, key) != 0)
		return -EBADMSG;
	*ret = l.items[0];
	return 0;
}

struct dests_dump {
	enum addr_family family;
	struct ipvs_dests list;
};

static int on_dest(struct nlmsghdr *h, void *userdata)
{
	struct dests_dump *x = userdata;
	struct ipvs_dests *l = &x->list;
	int r;

	if (array_reserve(&l->items, &l->allocated, l->n + 1) < 0)
		return -ENOMEM;
	r = ipvs_parse_dest(h, h->nlmsg_len, x->family, &l->items[l->n]);
	if (r < 0)
		return r;
	l->n++;
	return 0;
}

static void drop_dests(void *userdata)
{
	((struct dests_dump *)userdata)->list.n = 0;
}

int ipvs_list_dests(struct ipvs *v, const struct ipvs_key *key, struct ipvs_dests *ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	struct dests_dump x = {.family = (enum addr_family)key->addr.family};
	int r;

	r = ipvs_request_key(v->family, IPVS_CMD_GET_DEST, 0, key, &msg);
	if (r < 0)
		return r;
	r = netlink_dump_message(v->socket, msg, on_dest, drop_dests, &x);
	if (r < 0) {
		ipvs_dests_done(&x.list);
		return r;
	}
	x.list.n = sort_unique(x.list.items, x.list.n, sizeof(*x.list.items), compare_dests);
	*ret = x.list;
	return 0;
}

struct batch {
	int family;
	struct ipvs_change *changes;
};

static int on_build(size_t i, void *userdata, struct nl_msg **ret)
{
	const struct batch *b = userdata;

	return ipvs_request_change(b->family, &b->changes[i], ret);
}

int ipvs_change(struct ipvs *v, struct ipvs_change *changes, size_t n)
{
	_cleanup_free_ int *errors = calloc(n ? n : 1, sizeof(*errors));
	int r = 0;

	if (!errors)
		r = -ENOMEM;
	for (size_t i = 0, next; i < n; i = next) {
		struct batch b = {.family = v->family, .changes = &changes[i]};

		/* What need not be sent divides the batch, so that the order is kept. */
		next = i + 1;
		changes[i].error = r < 0 ? r : ipvs_change_check(&changes[i]);
		if (changes[i].error < 0)
			continue;
		while (next < n && ipvs_change_check(&changes[next]) == 0)
			next++;
		r = netlink_pipeline(v->socket, on_build, &b, next - i, errors);
		for (size_t k = i; k < next; k++)
			changes[k].error = errors[k - i];
	}
	return r;
}

static int on_timeouts(struct nlmsghdr *h, void *userdata)
{
	return ipvs_parse_timeouts(h, h->nlmsg_len, userdata);
}

int ipvs_get_timeouts(struct ipvs *v, struct ipvs_timeouts *ret)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	struct ipvs_timeouts t = {0};
	int r;

	r = ipvs_request_new(v->family, IPVS_CMD_GET_CONFIG, 0, &msg);
	if (r < 0)
		return r;
	r = ipvs_exchange(v, msg, on_timeouts, &t);
	if (r < 0)
		return r;
	*ret = t;
	return 0;
}

int ipvs_set_timeouts(struct ipvs *v, const struct ipvs_timeouts *t)
{
	_cleanup_(netlink_msg_freep) struct nl_msg *msg = NULL;
	int r;

	r = ipvs_request_timeouts(v->family, t, &msg);
	if (r < 0)
		return r;
	return ipvs_exchange(v, msg, NULL, NULL);
}
