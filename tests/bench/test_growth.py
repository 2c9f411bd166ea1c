# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
# exclusive
"""Cost grows with the number of services and not faster: four times as many services cost at most 4.4 times as much.

Each figure is the least of three runs, because other work on the machine only ever adds."""
import os

import hosts
import measure
from tap import Skip, Tap, need_root

SMALL, LARGE, MOST, RUNS = 5000, 20000, 4.4, 3
SANITIZED = os.environ.get("SVCROUTE_SANITIZE") == "1"


def check(name, small, large, unit):
    print(f"# note: {name}: {SMALL} services {small:.3g} {unit}, {LARGE} services {large:.3g} {unit}")
    assert large <= MOST * small, f"{name}: {large:.3g} {unit} at {LARGE}, {small:.3g} {unit} at {SMALL}: over {MOST}"


def measured(n):
    with hosts.Root() as root:
        measure.write_world(root, n)
        renders = [measure.render(root) for _ in range(RUNS)]
        figures = {"render CPU": min(r[0] for r in renders), "render memory": min(r[1] for r in renders)}
        own = []
        for i in range(RUNS):
            with measure.Settled(root, "legacy") as d:
                own.append(d.cpu)
                if i == 0:
                    figures["daemon memory"] = d.resident
        figures["daemon CPU to the first sync"] = min(own)
    return figures


need_root()
tap = Tap()
if SANITIZED:
    with tap.case("growth"):
        raise Skip("sanitizers change what things cost")
    tap.done()
small, large = measured(SMALL), measured(LARGE)
for name in small:
    with tap.case(name):
        check(name, small[name], large[name], "MiB" if "memory" in name else "s")
tap.done()
