#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The first process of the user-mode Linux that uml.py boots; WORK is on the kernel's command line. The root is this
# machine's own, read only, under a writable layer in memory: nothing that a test writes reaches the machine, but for
# what it puts into $SVCROUTE_RESULTS. The test's output goes to the serial line, the kernel's and ours to the console.
set -eu
trap 'busybox poweroff -f' EXIT
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH

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
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /run
mkdir -p /run/tmp /run/lock /run/legacy /run/results
mount -t hostfs -o "$WORK/results" none /run/results
umount -l /old
rmdir /old
mount --make-rshared /

# This kernel has no nf_tables for IPv4 and IPv6.
for family in iptables ip6tables; do
	for what in '' -save -restore; do
		ln -s "$(command -v xtables-legacy-multi)" "/run/legacy/$family$what"
	done
done
ip link set lo up
echo uml >/proc/sys/kernel/hostname

exec 3>/dev/ttyS0
stty raw <&3
status=0
prlimit --nofile=65536 setsid -w env -i PATH="/run/legacy:$PATH" HOME=/run/tmp TMPDIR=/run/tmp TERM=dumb \
	SVCROUTE_RESULTS=/run/results /bin/sh "$WORK/command" </dev/null >&3 2>&1 3>&- || status=$?
# In a line of its own, also after output that ends without a newline.
printf '\n# uml: end %d\n' "$status" >&3
stty raw <&3 # returns when all has been written
sync
