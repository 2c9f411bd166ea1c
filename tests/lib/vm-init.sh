#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The first process of the virtual machine that vm.py boots; HERE, the folder of this file, is on the kernel's command
# line. The root is in memory. The test's output goes to the second serial line, the kernel's and ours to the first.
set -eu
trap 'busybox poweroff -f' EXIT
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
# shellcheck source=tests/lib/guest-init.sh
. "$HERE/guest-init.sh"

mount -t proc proc /proc
guest_mounts
guest_iptables nft # as on any Debian
ln -s mawk /usr/bin/awk
# Emulated, a module takes seconds: here that counts for no test's time limits. Those of legacy iptables are left out, so
# that its tables exist only once somebody asks for them.
modprobe -a bridge dummy veth ip_vs ip_vs_rr nf_tables nft_compat nft_chain_nat nf_conntrack_netlink \
	ip_set_bitmap_port ip_set_hash_ip ip_set_hash_ipport ip_set_hash_ipportip ip_set_hash_ipportnet \
	ip_set_hash_net xt_set xt_ipvs xt_mark xt_comment xt_conntrack xt_nat xt_MASQUERADE xt_tcpudp xt_addrtype \
	xt_statistic xt_recent ipt_REJECT ip6t_REJECT
echo "modules are loaded after $(cat /proc/uptime)" >/dev/ttyS0
echo vm >/proc/sys/kernel/hostname
guest_run /dev/ttyS1 /command
