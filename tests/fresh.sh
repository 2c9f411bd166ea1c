#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the README's commands on a clean clone in a fresh Debian 12, made with mmdebstrap: a root of its own with /proc, /sys,
# a tmpfs on /run and this machine's package sources, that has only git, make and ca-certificates added.
#
# fresh.sh [TARGET...]    make targets, one after the other (try check). Needs root and mmdebstrap.
set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- try check
[ "$(id -u)" = 0 ] || { echo "fresh.sh: needs root" >&2; exit 1; }
command -v mmdebstrap >/dev/null || { echo "fresh.sh: needs mmdebstrap" >&2; exit 1; }

# Process and mount namespaces of our own: what runs and what is mounted there goes with them, also when this is killed.
if [ -z "${FRESH_ROOT:-}" ]; then
    root=$(mktemp -d "${TMPDIR:-/tmp}/svcroute-fresh.XXXXXX")
    trap 'rm -rf --one-file-system "$root"' EXIT
    FRESH_ROOT=$root unshare --mount --pid --fork --kill-child --propagation private "$0" "$@" &
    inside=$!
    # unshare(1) itself waits for its child whatever it is sent.
    trap 'kill -KILL "$inside"; wait "$inside" || true; exit 1' INT TERM
    wait "$inside"
    exit
fi

root=$FRESH_ROOT
mount --bind "$root" "$root"
start=$(date +%s)
mmdebstrap --quiet --variant=minbase --include=git,make,ca-certificates bookworm "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/run"
git clone --quiet --no-hardlinks "$source" "$root/root/svcroute"
# No chroot(2): in one, the kernel makes no user namespaces, and a mount namespace is entered at the old root.
cd "$root"
pivot_root . mnt
umount -l /mnt
echo "fresh Debian after $(($(date +%s) - start)) s"
for target in "$@"; do
    start=$(date +%s)
    env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin make -C /root/svcroute "$target"
    echo "make $target: $(($(date +%s) - start)) s"
done
