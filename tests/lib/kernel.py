# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's rules, and what they would be after a fresh start on the same files."""
import difflib
import os
import re

import hosts
import netns
from tap import SVCROUTED


def add_address(address):
    """The command of ip that gives the host one more address."""
    return f"addr add {address} dev eth0" + (" nodad" if ":" in address else "")


def make_host(name, addresses=()):
    """The same links and addresses each time, and these besides: node ports depend on them."""
    h = hosts.Host(name)
    with h.inside():
        # the kernel gives link-local addresses some time after the link is up: they are written instead
        netns.sysctl("net/ipv6/conf/default/addr_gen_mode", 1)
    h.ip("link add eth0 type veth peer name eth0x", "addr add 192.0.2.10/24 dev eth0",
         "addr add 2001:db8:2::10/64 dev eth0 nodad", "addr add fe80::10/64 dev eth0 nodad", "link set eth0 up", "link set eth0x up",
         "route add default via 192.0.2.1", "link add br0 type bridge", "addr add 10.1.0.1/16 dev br0",
         "addr add 2001:db8:1::1/64 dev br0 nodad", "link set br0 up", *map(add_address, addresses))
    return h


def rules(host, variant):
    """Everything that iptables-save shows in both families, but for counters and time stamps."""
    with host.inside():
        text = "".join(f"== {f}\n" + netns.save(f, variant) for f in hosts.FAMILIES)
    return [re.sub(r" \[\d+:\d+\]$", "", line) for line in text.splitlines() if not line.startswith("#")]


def compare(got, want):
    if got == want:
        return
    diff = list(difflib.unified_diff(want, got, n=0, lineterm=""))[2:]
    raise AssertionError("not as after a fresh start (-), but (+)\n  " + "\n  ".join(diff[:16]))


def fresh(files, look, addresses=()):
    """look(host) after `svcrouted --once` with these files ({name below /etc/svcroute: text or bytes}) on a new host."""
    host = make_host("fresh", addresses)
    try:
        with hosts.Root() as root:
            for name, text in files.items():
                root.write(name, text)
            host.run([SVCROUTED, "--root", root.path, "--once"],
                     env=dict(os.environ, XTABLES_LOCKFILE=f"{root.path}/xtables.lock"))
            return look(host)
    finally:
        host.close()
