# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
# exclusive
"""Cost grows with the number of services and not faster: four times as many services cost at most 4.4 times as much.

Each figure is the least of several runs, small and large by turns, because other work on the machine only ever adds; when
that is not enough there are more runs, up to a limit."""
import os

import hosts
import measure
from tap import Skip, Tap, need_root

SMALL, LARGE, MOST = 5000, 20000, 4.4
FEWEST_RUNS, MOST_RUNS = 3, 12
SANITIZED = os.environ.get("SVCROUTE_SANITIZE") == "1"


def check(name, small, large, unit):
    print(f"# note: {name}: {SMALL} services {small:.3g} {unit}, {LARGE} services {large:.3g} {unit}")
    assert large <= MOST * small, f"{name}: {large:.3g} {unit} at {LARGE}, {small:.3g} {unit} at {SMALL}: over {MOST}"


def measure_once(root):
    seconds, mib = measure.render(root)
    with measure.Settled(root, "legacy") as d:
        return {"render CPU": seconds, "render memory": mib, "daemon CPU to the first sync": d.cpu,
                "daemon memory": d.resident}


def least(runs):
    return {name: min(r[name] for r in runs) for name in runs[0]}


need_root()
tap = Tap()
if SANITIZED:
    with tap.case("growth"):
        raise Skip("sanitizers change what things cost")
    tap.done()
with hosts.Root() as small_root, hosts.Root() as large_root:
    measure.write_world(small_root, SMALL)
    measure.write_world(large_root, LARGE)
    pairs = []
    while len(pairs) < MOST_RUNS:
        pairs.append((measure_once(small_root), measure_once(large_root)))
        small, large = least([p[0] for p in pairs]), least([p[1] for p in pairs])
        if len(pairs) >= FEWEST_RUNS and all(large[name] <= MOST * small[name] for name in small):
            break
print(f"# {len(pairs)} runs")
for name in small:
    with tap.case(name):
        check(name, small[name], large[name], "MiB" if "memory" in name else "s")
tap.done()
