# SPDX-License-Identifier: GPL-2.0-or-later
"""make bench: CPU time and peak memory at 1k, 5k, 10k and 20k services of two endpoints. run.py [N...]

own: svcrouted's process. children: what it forks, most of it iptables-restore and the kernel's work for it.
check: all services in one file, all endpoints in another.
one change: an endpoint is replaced in one of the files; the time runs from the rename to the end of the sync.
--once: the full load in ipvs mode, rules too, beside the same virtual servers, sets and addresses by other programs."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
sys.dont_write_bytecode = True
os.environ.setdefault("SVCROUTE_BUILD", os.environ.get("BUILD", "build"))

import hosts  # noqa: E402 (needs the path above)
import measure  # noqa: E402

IPVS_SIZES = (1000, 10000)  # of those asked for: ipvsadm takes its time
CHECK_HEAD = ("services in one file", "check CPU s", "check MiB")
HEAD = ("services", "variant", "render CPU s", "render MiB", "first sync s", "own CPU s", "children CPU s", "peak MiB",
        "settled MiB", "one change: own ms", "children ms", "wall ms")


def check(sizes):
    measure.print_row(CHECK_HEAD, CHECK_HEAD)
    for n in sizes:
        with hosts.Root(measure.settings("nft")) as root:
            measure.write_one_file(root, n)
            seconds, peak = min(measure.check(root) for _ in range(3))
            measure.print_row(CHECK_HEAD, (n, f"{seconds:.3f}", f"{peak:.1f}"))


def ipvs(sizes):
    """In user-mode Linux, a boot for each row: what an earlier one leaves in the kernel would cost the next one."""
    measure.print_row(measure.IPVS_HEAD, measure.IPVS_HEAD)
    lib = os.path.join(HERE, "..", "lib")
    environment = dict(os.environ, PYTHONPATH=lib + os.pathsep + HERE, PYTHONDONTWRITEBYTECODE="1",
                       SVCROUTE_BUILD=os.path.abspath(os.environ["SVCROUTE_BUILD"]))
    for n in sizes:
        subprocess.run([sys.executable, f"{lib}/uml.py", f"{HERE}/ipvs.py", str(n)], stdin=subprocess.DEVNULL,
                       env=environment, check=True)


def main():
    if os.geteuid() != 0:
        sys.exit("make bench needs root: it makes network namespaces")
    sizes = [int(a) for a in sys.argv[1:]] or [1000, 5000, 10000, 20000]
    check(sizes)
    measure.print_row(HEAD, HEAD)
    for n in sizes:
        with hosts.Root(measure.settings("nft")) as root:
            measure.write_world(root, n)
            seconds, peak = measure.render(root)
            for variant in ("nft", "legacy"):
                with measure.Settled(root, variant) as d:
                    own, children, wall = d.changes()
                    row = (n, variant, f"{seconds:.3f}", f"{peak:.1f}", f"{d.seconds:.2f}", f"{d.cpu:.3f}",
                           f"{d.children:.2f}", f"{d.peak:.1f}", f"{d.resident:.1f}", f"{own * 1000:.2f}",
                           f"{children * 1000:.0f}", f"{wall * 1000:.0f}")
                measure.print_row(HEAD, row)
    ipvs([n for n in sizes if n in IPVS_SIZES] or sizes)


main()
