# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 200
"""However the files came to be what they are, the kernel holds what a fresh start on them gives: 300 random edits for
each variant, each applied to a running daemon; after each one every rule of both families is compared, in order."""
import os
import sys

import hosts
import worlds
from kernel import compare, fresh, make_host, rules
from tap import Tap, need_root

EDITS = int(os.environ.get("SVCROUTE_EDITS", "300"))
SEED = os.environ.get("SVCROUTE_SEED", "20261130")


def run(variant):
    seed = f"{SEED}/{variant}"
    world = worlds.World(seed, variant)
    print(f"# {variant}: seed {seed!r}, {EDITS} edits", flush=True)
    host = make_host("host")
    steps = []
    try:
        with hosts.Root() as root:
            world.apply(root, world.files)
            with hosts.Daemon(host, root) as daemon:
                daemon.ready()
                for step in range(EDITS):
                    what, names = world.edit(step)
                    steps.append(f"{step}: {what}: {', '.join(names)}")
                    seen = len(daemon.read_notify())
                    world.apply(root, names)
                    # One file: the daemon notices by itself. Several: a reload, so that no pass in between counts.
                    if len(names) == 1:
                        daemon.wait_for("STATUS", since=seen)
                    elif names:
                        daemon.reload()
                    try:
                        compare(rules(host, variant), fresh(world.files, lambda h: rules(h, variant)))
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
