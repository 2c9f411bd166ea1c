#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the first processes of both guests share (uml-init.sh, vm-init.sh); they read this file.

# In the guest's own root: what every Linux system has mounted. /proc is already there.
guest_mounts() {
	mount -t sysfs sysfs /sys
	mount -t devtmpfs devtmpfs /dev
	mkdir -p /dev/pts /dev/shm
	mount -t devpts devpts /dev/pts
	mount -t tmpfs tmpfs /dev/shm
	mount -t tmpfs tmpfs /run
	mkdir -p /run/tmp /run/lock /run/iptables
	ip link set lo up
}

# guest_iptables VARIANT: what `iptables` and its sisters are in the test's PATH.
guest_iptables() {
	for family in iptables ip6tables; do
		for what in '' -save -restore; do
			ln -s "$(command -v "xtables-$1-multi")" "/run/iptables/$family$what"
		done
	done
}

# guest_run LINE SCRIPT [NAME=VALUE...]: the test; its output, and at last its exit status, go to the serial line.
guest_run() {
	exec 3>"$1"
	script=$2
	shift 2
	stty raw <&3
	status=0
	prlimit --nofile=65536 setsid -w env -i PATH="/run/iptables:$PATH" HOME=/run/tmp TMPDIR=/run/tmp TERM=dumb \
		"$@" /bin/sh "$script" </dev/null >&3 2>&1 3>&- || status=$?
	# In a line of its own, also after output that ends without a newline.
	printf '\n# guest: end %d\n' "$status" >&3
	stty raw <&3 # returns when all has been written
	sync
}
