# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 200
"""However the files came to be what they are, the kernel holds what a fresh start on them gives: 300 random edits for
each variant, each applied to a running daemon; after each one every rule of both families is compared, in order."""
import os
import re
import sys

import hosts
import worlds
from netns import save
from tap import SVCROUTED, Tap, need_root

EDITS = int(os.environ.get("SVCROUTE_EDITS", "300"))
SEED = os.environ.get("SVCROUTE_SEED", "20261130")


def make_host(name):
    """The same links and addresses each time: node ports depend on them."""
    h = hosts.Host(name)
    # fixed hardware addresses: link-local addresses come from them
    h.ip("link add eth0 address 02:00:00:00:00:01 type veth peer name eth0x address 02:00:00:00:00:02", "addr add 192.0.2.10/24 dev eth0",
         "addr add 2001:db8:2::10/64 dev eth0 nodad", "link set eth0 up", "link set eth0x up",
         "route add default via 192.0.2.1", "link add br0 address 02:00:00:00:00:03 type bridge", "addr add 10.1.0.1/16 dev br0",
         "addr add 2001:db8:1::1/64 dev br0 nodad", "link set br0 up")
    return h


def rules(host, variant):
    """Everything that iptables-save shows in both families, but for counters and time stamps."""
    with host.inside():
        text = "".join(f"== {f}\n" + save(f, variant) for f in hosts.FAMILIES)
    lines = [re.sub(r" \[\d+:\d+\]$", "", line) for line in text.splitlines() if not line.startswith("#")]
    return lines


def apply(root, world, names):
    for name in names:
        if name in world.files:
            root.write(name, world.files[name])
        else:
            root.remove(name)


def compare(got, want):
    if got == want:
        return
    missing = [line for line in want if line not in set(got)][:6]
    extra = [line for line in got if line not in set(want)][:6]
    raise AssertionError("rules differ from a fresh start\n  missing: " + "\n           ".join(missing or ["-"])
                         + "\n  extra:   " + "\n           ".join(extra or ["- (order)"]))


def fresh(world, variant):
    host = make_host("fresh")
    try:
        with hosts.Root() as root:
            for name, text in world.files.items():
                root.write(name, text)
            host.run([SVCROUTED, "--root", root.path, "--once"],
                     env=dict(os.environ, XTABLES_LOCKFILE=f"{root.path}/xtables.lock"))
            return rules(host, variant)
    finally:
        host.close()


def run(variant):
    seed = f"{SEED}/{variant}"
    world = worlds.World(seed, variant)
    print(f"# {variant}: seed {seed!r}, {EDITS} edits", flush=True)
    host = make_host("host")
    steps = []
    try:
        with hosts.Root() as root:
            for name, text in world.files.items():
                root.write(name, text)
            with hosts.Daemon(host, root) as daemon:
                daemon.ready()
                for step in range(EDITS):
                    what, names = world.edit(step)
                    steps.append(f"{step}: {what}: {', '.join(names)}")
                    seen = len(daemon.read_notify())
                    apply(root, world, names)
                    # One file: the daemon notices by itself. Several: a reload, so that no pass in between counts.
                    if len(names) == 1:
                        daemon.wait_for("STATUS", since=seen)
                    elif names:
                        daemon.reload()
                    try:
                        compare(rules(host, variant), fresh(world, variant))
                    except AssertionError as e:
                        raise AssertionError(f"{e}\n  after edit " + "\n             ".join(steps[-4:])) from None
    finally:
        host.close()


def main():
    need_root()
    t = Tap()
    for variant in sys.argv[1:] or ("legacy", "nft"):
        with t.case(f"{EDITS} random edits equal a fresh start, {variant}, seed {SEED}"):
            run(variant)
    t.done()


main()
