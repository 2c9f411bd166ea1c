#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The first process of the user-mode Linux that uml.py boots; WORK is on the kernel's command line. The root is this
# machine's own, read only, under a writable layer in memory: nothing that a test writes reaches the machine, but for
# what it puts into $SVCROUTE_RESULTS. The test's output goes to the serial line, the kernel's and ours to the console.
set -eu
trap 'busybox poweroff -f' EXIT
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
# shellcheck source=tests/lib/guest-init.sh
. "$(dirname "$0")/guest-init.sh"

mount -t proc proc /proc
version=$(uname -r)
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
insmod "$MODULES/$version/kernel/fs/overlayfs/overlay.ko"
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/root
cd /mnt/root
mkdir -p old lib/modules
ln -sfn "$MODULES/$version" "lib/modules/$version"
pivot_root . old
cd /
mount -t proc proc /proc
guest_mounts
mkdir /run/results
mount -t hostfs -o "$WORK/results" none /run/results
umount -l /old
rmdir /old
mount --make-rshared /

guest_iptables legacy # this kernel has no nf_tables for IPv4 and IPv6
echo uml >/proc/sys/kernel/hostname
guest_run /dev/ttyS0 "$WORK/command" SVCROUTE_RESULTS=/run/results
