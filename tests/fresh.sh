#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the README's commands on a clean clone in a fresh Debian 12, made with mmdebstrap: a chroot with /proc, /sys, a
# tmpfs on /run and this machine's package sources, that has only git, make and ca-certificates added.
#
# fresh.sh [TARGET...]    make targets, one after the other (try check). Needs root and mmdebstrap.
set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- try check
[ "$(id -u)" = 0 ] || { echo "fresh.sh: needs root" >&2; exit 1; }
command -v mmdebstrap >/dev/null || { echo "fresh.sh: needs mmdebstrap" >&2; exit 1; }

# A mount namespace of our own: what is mounted below goes with it, also when this is killed.
if [ "${FRESH_INSIDE:-}" != 1 ]; then
    exec env FRESH_INSIDE=1 unshare --mount --pid --fork --kill-child --propagation private "$0" "$@"
fi

root=$(mktemp -d "${TMPDIR:-/tmp}/svcroute-fresh.XXXXXX")
clean_up() {
    umount -l "$root" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

# The tests inside make mount namespaces of their own; unshare(1) can do so only where / is a mount point.
mount --bind "$root" "$root"
start=$(date +%s)
mmdebstrap --quiet --variant=minbase --include=git,make,ca-certificates bookworm "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/run"
git clone --quiet --no-hardlinks "$source" "$root/root/svcroute"
echo "fresh Debian after $(($(date +%s) - start)) s"
for target in "$@"; do
    start=$(date +%s)
    chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        make -C /root/svcroute "$target"
    echo "make $target: $(($(date +%s) - start)) s"
done
