/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* The two counters of spec/iptables.md section 3.8, over netlink
 * (linux/netfilter/nfnetlink_acct.h). */
#define NFACCT_INVALID "ct_state_invalid_dropped_pkts"
#define NFACCT_LOCALHOST "localhost_nps_accepted_pkts"

/* Makes both counters where missing. 0; -EOPNOTSUPP when the kernel has no nfacct; other -errno. */
int nfacct_ensure(void);
/* Deletes both; absent ones are success; -EBUSY when rules still use one. */
int nfacct_delete(void);
