# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
# weight: 110
"""However the files and the host came to be what they are, the kernel holds what a fresh start on them gives: 300 random
edits of services, endpoints, settings and addresses of the host under a running daemon in ipvs mode; after every few of
them all is compared: virtual and real servers, sets, addresses, rules of both families, in order. No packet is sent, so
no real server has a reason to drain. A sync without an edit and a restart then write nothing."""
import os
import re
import signal
import subprocess
import time

import hosts
import ipvs
import netns
import worlds
from kernel import add_address, compare, fresh, make_host, rules
from tap import Tap

EDITS = int(os.environ.get("SVCROUTE_EDITS", "300"))
SEED = os.environ.get("SVCROUTE_SEED", "20270214")
BATCH = 6
SECONDS = 60  # until what was edited is in force


def look(host):
    with host.inside():
        state = ipvs.state()
    return state + rules(host, "legacy")


def packets(host):
    """{place of a rule: how many packets it saw}"""
    found = {}
    for family in hosts.FAMILIES:
        with host.inside():
            text = subprocess.run([netns.program(family, "legacy", "save"), "-c"], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, check=True).stdout
        for number, line in enumerate(text.splitlines()):
            if m := re.match(r"\[(\d+):\d+\] -A", line):
                found[family, number] = int(m[1])
    return found


class Settled:
    """What the host must come to after the last edits."""

    def __init__(self, host, world):
        self.host, self.want = host, fresh(world.files, look, world.addresses)

    def wait(self):
        deadline = time.monotonic() + SECONDS
        while (got := look(self.host)) != self.want and time.monotonic() < deadline:
            time.sleep(0.3)
        compare(got, self.want)


def edit(host, root, daemon, world, step):
    """Makes an edit and waits until the daemon has done something. What was done."""
    addresses = world.addresses
    what, names = world.edit(step)
    seen = len(daemon.read_notify())
    world.apply(root, names)
    for a in set(world.addresses) - set(addresses):
        host.ip(add_address(a))
    for a in set(addresses) - set(world.addresses):
        host.ip(f"addr del {a} dev eth0")
    if names:
        daemon.wait_for("STATUS", seconds=SECONDS, since=seen)
    return f"{step}: {what}: {', '.join(names)}"


def edits(t, host, root, daemon, world):
    steps = []
    with t.case(f"{EDITS} random edits equal a fresh start, seed {SEED}"):
        for step in range(EDITS):
            steps.append(edit(host, root, daemon, world, step))
            if step % BATCH == BATCH - 1 or step == EDITS - 1:
                try:
                    Settled(host, world).wait()
                except AssertionError as e:
                    last = "\n    ".join(steps[-2 * BATCH:])
                    raise AssertionError(f"{e}\n  after\n    {last}") from None


def quiet(host, daemon, do):
    """do() makes a sync without an edit."""
    before, counted, said = look(host), packets(host), len(daemon.text())
    assert any(counted.values()), "no rule saw a packet: that they are written anew would not show"
    do()
    text = daemon.text()[said:]
    assert "nothing to change" in text, text
    compare(look(host), before)
    after = packets(host)
    less = [rule for rule, n in counted.items() if after[rule] < n]
    assert not less, f"rules were written anew: {less}"


def reload(daemon):
    seen = len(daemon.read_notify())
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for("READY", seconds=SECONDS, since=seen)


def main():
    subprocess.run(["modprobe", "-a", "ipv6", "bridge", "veth"], check=True)
    print(f"# note: seed {SEED!r}, {EDITS} edits", flush=True)
    t = Tap()
    world = worlds.World(SEED, "legacy", "ipvs")
    host = make_host("host")
    with hosts.Root() as root:
        world.apply(root, world.files)
        with hosts.Daemon(host, root) as daemon:
            daemon.ready()
            edits(t, host, root, daemon, world)
            text = daemon.text()
            print(f"# note: {text.count('synced in')} syncs, {text.count('(full)')} of them full", flush=True)
            for family, address in (("v4", "192.0.2.10"), ("v6", "2001:db8:2::10")):
                assert host.ask("udp", address, 9) == "refused", family
            with t.case("a reload without an edit writes nothing"):
                quiet(host, daemon, lambda: reload(daemon))
            with t.case("a restart writes nothing"):
                def restart():
                    daemon.stop()
                    daemon.__init__(host, root)
                    daemon.ready()
                quiet(host, daemon, restart)
    t.done()


main()
