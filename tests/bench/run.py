# SPDX-License-Identifier: GPL-2.0-or-later
"""make bench: CPU time and peak memory at 1k, 5k, 10k and 20k services of two endpoints. run.py [N...]

own: svcrouted's process. children: what it forks, most of it iptables-restore and the kernel's work for it.
check: all services in one file, all endpoints in another.
one change: an endpoint is replaced in one of the files; the time runs from the rename to the end of the sync."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
sys.dont_write_bytecode = True
os.environ.setdefault("SVCROUTE_BUILD", os.environ.get("BUILD", "build"))

import hosts  # noqa: E402 (needs the path above)
import measure  # noqa: E402

CHECK_HEAD = ("services in one file", "check CPU s", "check MiB")
HEAD = ("services", "variant", "render CPU s", "render MiB", "first sync s", "own CPU s", "children CPU s", "peak MiB",
        "settled MiB", "one change: own ms", "children ms", "wall ms")


def print_row(head, row):
    print("  ".join(str(cell).rjust(len(h)) for cell, h in zip(row, head)), flush=True)


def check(sizes):
    print_row(CHECK_HEAD, CHECK_HEAD)
    for n in sizes:
        with hosts.Root(measure.SETTINGS.format(variant="nft")) as root:
            measure.write_one_file(root, n)
            seconds, peak = min(measure.check(root) for _ in range(3))
            print_row(CHECK_HEAD, (n, f"{seconds:.3f}", f"{peak:.1f}"))


def main():
    if os.geteuid() != 0:
        sys.exit("make bench needs root: it makes network namespaces")
    sizes = [int(a) for a in sys.argv[1:]] or [1000, 5000, 10000, 20000]
    check(sizes)
    print_row(HEAD, HEAD)
    for n in sizes:
        with hosts.Root(measure.SETTINGS.format(variant="nft")) as root:
            measure.write_world(root, n)
            seconds, peak = measure.render(root)
            for variant in ("nft", "legacy"):
                with measure.Settled(root, variant) as d:
                    own, children, wall = d.changes()
                    row = (n, variant, f"{seconds:.3f}", f"{peak:.1f}", f"{d.seconds:.2f}", f"{d.cpu:.3f}",
                           f"{d.children:.2f}", f"{d.peak:.1f}", f"{d.resident:.1f}", f"{own * 1000:.2f}",
                           f"{children * 1000:.0f}", f"{wall * 1000:.0f}")
                print_row(HEAD, row)


main()
