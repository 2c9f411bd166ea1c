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
echo vm >/proc/sys/kernel/hostname
guest_run /dev/ttyS1 /command
