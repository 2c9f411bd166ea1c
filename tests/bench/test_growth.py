# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# weight: 120
"""Cost grows with the number of services and not faster: four times as many services cost at most 4.4 times as much.

Work is counted in instructions (valgrind), which are the same on every run and every machine; seconds are what `make
bench` prints. The daemon does what check and render do, in the same code (under valgrind it cannot wait for its
children: no pidfd). Memory is the peak of a whole run."""
import os
import re
import subprocess

import hosts
import measure
from tap import SVCROUTECTL, Skip, Tap, need_root

SMALL, LARGE, MOST = 5000, 20000, 4.4
VALGRIND = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
COUNT = re.compile(r"Collected : (\d+)")


def instructions(text, what):
    found = COUNT.search(text)
    assert found, f"{what}: no count in\n{text[-1000:]}"
    return int(found[1]) / 1e6


def work(root, *arguments):
    p = subprocess.run(VALGRIND + [SVCROUTECTL, *arguments, root.etc], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert p.returncode == 0, p.stderr[-1000:]
    return instructions(p.stderr, arguments[0])


def check(n, _root):
    """Reading, merging, compiling both families; everything in two files."""
    with hosts.Root(measure.settings("legacy")) as root:
        measure.write_one_file(root, n)
        return work(root, "check")


def render(_n, root):
    """The same in many files, for one family, and the plan of a first sync."""
    return work(root, "render", "--addresses", "192.0.2.10")


def render_memory(_n, root):
    return measure.render(root)[1]


def daemon_memory(_n, root):
    with measure.Settled(root, "legacy") as d:
        return d.peak


need_root()
tap = Tap()
if os.environ.get("SVCROUTE_SANITIZE") == "1":
    with tap.case("growth"):
        raise Skip("sanitizers change what things cost")
    tap.done()
with hosts.Root(measure.settings("legacy")) as small_root, \
        hosts.Root(measure.settings("legacy")) as large_root:
    measure.write_world(small_root, SMALL)
    measure.write_world(large_root, LARGE)
    for name, of, unit in (("work of check, one file", check, "million instructions"),
                           ("work of render", render, "million instructions"),
                           ("peak memory of render", render_memory, "MiB"),
                           ("peak memory of svcrouted", daemon_memory, "MiB")):
        with tap.case(name):
            small, large = of(SMALL, small_root), of(LARGE, large_root)
            print(f"# note: {name}: {SMALL} services {small:.1f} {unit}, {LARGE} services {large:.1f} {unit}, "
                  f"{large / small:.2f} times")
            assert large <= MOST * small, f"{large / small:.2f} times as much at {LARGE} as at {SMALL}: over {MOST}"
tap.done()
