/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/nfacct.h"

#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_acct.h>

#include "kernel/netlink.h"

static const char *const counters[] = {NFACCT_INVALID, NFACCT_LOCALHOST};

static int acct_request(struct nl_sock *s, int message, int flags, const char *name)
{
	const struct nfgenmsg header = {.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0};
	int r;

	r = netlink_request(s, NFNL_SUBSYS_ACCT << 8 | message, flags, &header, sizeof(header),
			    NFACCT_NAME, name);
	/* nfnetlink answers EINVAL for a subsystem that is not there. */
	return r == -EINVAL ? -EOPNOTSUPP : r;
}

static int acct_open(struct nl_sock **ret)
{
	int r = netlink_open(NETLINK_NETFILTER, ret);

	return r == -EPROTONOSUPPORT ? -EOPNOTSUPP : r;
}

int nfacct_ensure(void)
{
	_cleanup_(netlink_closep) struct nl_sock *s = NULL;
	int r;

	r = acct_open(&s);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ELEMENTSOF(counters); i++) {
		/* Never NLM_F_REPLACE: it would set a counter in use back to zero. */
		r = acct_request(s, NFNL_MSG_ACCT_NEW, NLM_F_CREATE | NLM_F_EXCL, counters[i]);
		if (r < 0 && r != -EEXIST && r != -EBUSY)
			return r;
	}
	return 0;
}

int nfacct_delete(void)
{
	_cleanup_(netlink_closep) struct nl_sock *s = NULL;
	int r, first = 0;

	r = acct_open(&s);
	if (r < 0)
		return r == -EOPNOTSUPP ? 0 : r;
	for (size_t i = 0; i < ELEMENTSOF(counters); i++) {
		r = acct_request(s, NFNL_MSG_ACCT_DEL, 0, counters[i]);
		if (r < 0 && r != -ENOENT && r != -EOPNOTSUPP && first == 0)
			first = r;
	}
	return first;
}
