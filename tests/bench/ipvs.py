# SPDX-License-Identifier: GPL-2.0-or-later
"""One row of make bench for ipvs mode, inside user-mode Linux: ipvs.py N

The full load by `svcrouted --once` beside the same virtual servers, sets and addresses by ipvsadm -R, ipset restore and
ip -batch; then one changed endpoint under the daemon. Memory is touched before: the first use of a page costs much more
than a later one there."""
import os
import re
import subprocess
import sys
import tempfile
import time

import hosts
import measure
from tap import SVCROUTED

LINK = "kube-ipvs0"


def touch():
    _ = b"x" * (500 << 20)


def timed(host, command, path):
    """Seconds (wall, CPU with ended children) of a command that reads a file."""
    start = time.monotonic()
    with open(path, "rb") as f, tempfile.TemporaryFile("w+") as errors:
        p = host.popen(command, stdin=f, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(p.pid, 0)
        seconds = time.monotonic() - start
        p.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        if p.returncode:
            raise RuntimeError(f"{' '.join(command)}: status {p.returncode}: {errors.read()[-1000:]}")
    return seconds, usage.ru_utime + usage.ru_stime


def addresses(host):
    return re.findall(r"inet6? (\S+)", host.run(["ip", "address", "show", "dev", LINK]))


def state(host):
    """Virtual servers, sets and addresses as others' programs load them."""
    sets = host.run(["ipset", "save"])
    return {"ipvsadm": host.run(["ipvsadm-save", "-n"]), "ipset": re.sub(r" initval \S+", "", sets),
            "ip": f"link add {LINK} txqueuelen 0 type dummy\n" + "".join(
                f"address add {a} dev {LINK}\n" for a in addresses(host))}


def by_others(root, texts):
    """Wall seconds of each part; the host."""
    host = hosts.Host("others")
    seconds = []
    for command in (["ipvsadm", "-R"], ["ipset", "restore"], ["ip", "-batch", "-"]):
        path = f"{root.path}/{command[0]}"
        with open(path, "w") as f:
            f.write(texts[command[0]])
        seconds.append(timed(host, command, path)[0])
    return seconds, host


def load_modules():
    """By a few services in a namespace of their own; what it costs is no part of the figures."""
    host = hosts.Host("first")
    with hosts.Root(measure.settings("legacy", "ipvs")) as root:
        measure.write_world(root, 2)
        host.run([SVCROUTED, "--root", root.path, "--once"])
    host.close()


def main():
    n = int(sys.argv[1])
    load_modules()
    touch()
    with hosts.Root(measure.settings("legacy", "ipvs")) as root:
        measure.write_world(root, n)
        ours = hosts.Host("once")
        wall, seconds = timed(ours, [SVCROUTED, "--root", root.path, "--once"], "/dev/null")
        texts = state(ours)
        parts, others = by_others(root, texts)
        again = state(others)
        assert all(sorted(texts[k].splitlines()) == sorted(again[k].splitlines()) for k in texts), "not the same state"
        with measure.Settled(root, "legacy", "ipvs") as d:
            own, children, change = d.changes()
            measure.print_row(measure.IPVS_HEAD, (
                n, f"{wall:.2f}", f"{seconds:.2f}", *(f"{s:.2f}" for s in parts), f"{sum(parts) / wall:.1f}",
                f"{d.peak:.1f}", f"{own * 1000:.2f}", f"{children * 1000:.0f}", f"{change * 1000:.0f}"))
        for host in (ours, others):
            host.close()


main()
