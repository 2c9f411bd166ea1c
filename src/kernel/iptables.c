/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/iptables.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <sys/socket.h>

#include "base/file.h"
#include "kernel/netlink.h"

const char *iptables_variant_text(enum iptables_variant v)
{
	return v == VARIANT_NFT ? "nft" : "legacy";
}

const char *iptables_program(enum iptables_variant v, enum addr_family f, bool save)
{
	static const char *const names[_VARIANT_MAX][_ADDR_FAMILY_MAX][2] = {
		[VARIANT_NFT] =
			{
				[ADDR_IPV4] = {"iptables-nft-restore", "iptables-nft-save"},
				[ADDR_IPV6] = {"ip6tables-nft-restore", "ip6tables-nft-save"},
			},
		[VARIANT_LEGACY] =
			{
				[ADDR_IPV4] = {"iptables-legacy-restore", "iptables-legacy-save"},
				[ADDR_IPV6] = {"ip6tables-legacy-restore", "ip6tables-legacy-save"},
			},
	};

	return names[v][f][save];
}

/* One table name a line; the file appears with the kernel's support and lists only tables that were
 * made. */
static int legacy_in_use(enum addr_family f, bool *ret)
{
	const char *path = f == ADDR_IPV4 ? "/proc/thread-self/net/ip_tables_names"
					  : "/proc/thread-self/net/ip6_tables_names";
	char line[64];
	int r;

	r = file_read_line(path, line, sizeof(line));
	if (r == -ENOENT) {
		*ret = false;
		return 0;
	}
	if (r < 0 && r != -ENOBUFS)
		return r;
	*ret = r == -ENOBUFS || line[0] != '\0';
	return 0;
}

static int on_table(struct nlmsghdr *h, void *userdata)
{
	static const char *const names[] = {"filter", "nat", "mangle", "raw", "security"};
	struct nla_policy policy[NFTA_TABLE_MAX + 1] = {[NFTA_TABLE_NAME] = {.type = NLA_STRING}};
	struct nlattr *tb[NFTA_TABLE_MAX + 1];
	bool *found = userdata;

	if (nlmsg_parse(h, sizeof(struct nfgenmsg), tb, NFTA_TABLE_MAX, policy) < 0 ||
	    !tb[NFTA_TABLE_NAME])
		return 0;
	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		if (nla_strcmp(tb[NFTA_TABLE_NAME], names[i]) == 0)
			*found = true;
	return 0;
}

static int nft_in_use(enum addr_family f, bool *ret)
{
	const struct nfgenmsg header = {
		.nfgen_family = f == ADDR_IPV4 ? AF_INET : AF_INET6,
		.version = NFNETLINK_V0,
	};
	_cleanup_(netlink_closep) struct nl_sock *s = NULL;
	bool found = false;
	int r;

	r = netlink_open(NETLINK_NETFILTER, &s);
	if (r == 0)
		r = netlink_dump(s, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETTABLE, &header,
				 sizeof(header), on_table, NULL, &found);
	/* A kernel without nf_tables (EINVAL: no such subsystem) has no tables. */
	if (r < 0 && r != -EPROTONOSUPPORT && r != -EINVAL && r != -EOPNOTSUPP &&
	    r != -EAFNOSUPPORT)
		return r;
	*ret = found;
	return 0;
}

int iptables_variant_in_use(enum iptables_variant v, enum addr_family f, bool *ret)
{
	return v == VARIANT_NFT ? nft_in_use(f, ret) : legacy_in_use(f, ret);
}

/* A batch that asks for a table, and has no end: so the kernel says whether it could, and undoes
 * it.
 */
struct probe {
	struct nlmsghdr begin;
	struct nfgenmsg begin_header;
	struct nlmsghdr table;
	struct nfgenmsg header;
	struct nlattr name;
	char text[4];
};

/* The kernel's first word about it: 0 or an error. */
static int probe_answer(struct nl_sock *s)
{
	struct {
		struct nlmsghdr h;
		struct nlmsgerr e;
		char rest[512];
	} answer;
	ssize_t n = recv(nl_socket_get_fd(s), &answer, sizeof(answer), 0);

	if (n < 0)
		return -errno;
	if ((size_t)n < sizeof(answer.h) + sizeof(answer.e.error) ||
	    answer.h.nlmsg_type != NLMSG_ERROR)
		return -EBADMSG;
	return answer.e.error;
}

static int nft_possible(enum addr_family f, bool *ret)
{
	const struct probe probe = {
		.begin = {.nlmsg_len = sizeof(struct nlmsghdr) + sizeof(struct nfgenmsg),
			  .nlmsg_type = NFNL_MSG_BATCH_BEGIN,
			  .nlmsg_flags = NLM_F_REQUEST,
			  .nlmsg_seq = 1},
		.begin_header = {.res_id = htons(NFNL_SUBSYS_NFTABLES)},
		.table = {.nlmsg_len = sizeof(struct nlmsghdr) + sizeof(struct nfgenmsg) +
				       sizeof(struct nlattr) + 4,
			  .nlmsg_type = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWTABLE,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE,
			  .nlmsg_seq = 2},
		.header = {.nfgen_family = f == ADDR_IPV4 ? AF_INET : AF_INET6},
		.name = {.nla_len = sizeof(struct nlattr) + 4, .nla_type = NFTA_TABLE_NAME},
		.text = "nat",
	};
	const struct timeval patience = {.tv_sec = 5};
	_cleanup_(netlink_closep) struct nl_sock *s = NULL;
	int r;

	r = netlink_open(NETLINK_NETFILTER, &s);
	if (r == -EPROTONOSUPPORT) {
		*ret = false;
		return 0;
	}
	if (r < 0)
		return r;
	if (setsockopt(nl_socket_get_fd(s), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) <
		    0 ||
	    send(nl_socket_get_fd(s), &probe, sizeof(probe), 0) < 0)
		return -errno;
	r = probe_answer(s);
	if (r == 0)
		*ret = true;
	else if (r == -EOPNOTSUPP || r == -EINVAL || r == -EAFNOSUPPORT)
		*ret = false;
	else
		return r;
	return 0;
}

int iptables_variant_possible(enum iptables_variant v, enum addr_family f, bool *ret)
{
	if (v == VARIANT_NFT)
		return nft_possible(f, ret);
	*ret = true;
	return 0;
}
