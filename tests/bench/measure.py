# SPDX-License-Identifier: GPL-2.0-or-later
"""What bench and the growth test share: worlds of N services with two endpoints each, and what work on them costs.

100 services a file and as many slices a file, so that a change of one endpoint is the same edit in a world of any size."""
import os
import subprocess
import time

import hosts
from tap import SVCROUTECTL

PER_FILE = 100
SETTINGS = ("[Proxy]\nMode={mode}\nNodeName=node-1\nClusterCIDR=10.128.0.0/9\n[IPTables]\nBackend={variant}\n"
            "[Sync]\nMinSyncPeriod=0\n")
IPVS_HEAD = ("services, ipvs", "--once s", "CPU s", "ipvsadm -R s", "ipset restore s", "ip -batch s", "theirs / ours",
             "peak MiB", "one change: own ms", "children ms", "wall ms")
TICK = 1 / os.sysconf("SC_CLK_TCK")


def settings(variant, mode="iptables"):
    return SETTINGS.format(variant=variant, mode=mode)


def cluster_ip(i):
    return f"10.{64 + (i >> 16)}.{i >> 8 & 255}.{i & 255}"


def endpoint_ip(i, k):
    """The k-th of four for each service."""
    return f"10.{128 + (i >> 14)}.{i >> 6 & 255}.{(i & 63) * 4 + k}"


def services_file(numbers):
    return "services = (\n" + ",\n".join(
        f'  {{ name = "bench/s{i}"; clusterIP = "{cluster_ip(i)}"; ports = ( {{ name = "http"; port = 80; }} ); }}'
        for i in numbers) + "\n);\n"


def endpoints_file(numbers, changed=()):
    """changed: services whose second endpoint is another one."""
    return "endpoints = (\n" + ",\n".join(
        f'  {{ service = "bench/s{i}"; ports = ( {{ name = "http"; port = 8080; }} ); endpoints = ('
        f' {{ address = "{endpoint_ip(i, 0)}"; node = "node-1"; }},'
        f' {{ address = "{endpoint_ip(i, 2 if i in changed else 1)}"; node = "node-2"; }} ); }}'
        for i in numbers) + "\n);\n"


def write_world(root, n):
    for first in range(0, n, PER_FILE):
        numbers = range(first, min(n, first + PER_FILE))
        root.write(f"services.d/{first:06}.cfg", services_file(numbers))
        root.write(f"endpoints.d/{first:06}.cfg", endpoints_file(numbers))


def write_one_file(root, n):
    """The same services and endpoints in one file each."""
    root.write("services.d/all.cfg", services_file(range(n)))
    root.write("endpoints.d/all.cfg", endpoints_file(range(n)))


def memory(pid):
    """(peak, now) in MiB."""
    with open(f"/proc/{pid}/status") as f:
        fields = dict(line.split(":", 1) for line in f)
    return tuple(int(fields[k].split()[0]) / 1024 for k in ("VmHWM", "VmRSS"))


def cpu(pid):
    """(own, of ended children) in seconds. The scheduler's own count is exact; children only come in ticks."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    own = (int(fields[11]) + int(fields[12])) * TICK
    try:
        with open(f"/proc/{pid}/schedstat") as f:
            own = int(f.read().split()[0]) / 1e9
    except OSError:
        pass
    return own, (int(fields[13]) + int(fields[14])) * TICK


def print_row(head, row):
    print("  ".join(str(cell).rjust(len(h)) for cell, h in zip(row, head)), flush=True)


def render(root):
    """(seconds of CPU, peak MiB) of `svcroutectl render` of both families."""
    return command("render", "--addresses", "192.0.2.10", root.etc)


def check(root):
    """The same of `svcroutectl check`."""
    return command("check", root.etc)


def command(*arguments):
    p = subprocess.Popen([SVCROUTECTL, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    peak = 0.0
    while True:
        # rusage's peak is no use: it counts what this process had before exec
        pid, status, usage = os.wait4(p.pid, os.WNOHANG)
        if pid:
            break
        try:
            peak = max(peak, memory(p.pid)[0])
        except (OSError, KeyError):
            pass
        time.sleep(0.002)
    p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode:
        raise RuntimeError(f"{arguments[0]}: status {p.returncode}")
    return usage.ru_utime + usage.ru_stime, peak


class Settled:
    """The daemon after its first sync of a world, in a namespace of its own."""

    def __init__(self, root, variant="nft", mode="iptables"):
        self.root = root
        self.host = hosts.Host("bench")
        root.write("svcroute.conf", settings(variant, mode))
        start = time.monotonic()
        self.daemon = hosts.Daemon(self.host, root)
        self.daemon.wait_for("READY", "1", seconds=300)
        self.seconds = time.monotonic() - start
        self.pid = self.daemon.process.pid
        self.cpu, self.children = cpu(self.pid)
        self.peak, self.resident = memory(self.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.daemon.stop()
        self.host.close()

    def changes(self, n=10):
        """Mean seconds (own CPU, children's CPU, from the rename to the end of the sync) of a change of one endpoint."""
        numbers = range(PER_FILE)
        self.one_change(endpoints_file(numbers, {0}))
        before, start = cpu(self.pid), 0.0
        for i in range(n):
            start += self.one_change(endpoints_file(numbers, {0} if i % 2 else ()))
        after = cpu(self.pid)
        return (after[0] - before[0]) / n, (after[1] - before[1]) / n, start / n

    def one_change(self, text):
        self.daemon.read_notify()
        since = len(self.daemon.messages)
        start = time.monotonic()
        self.root.write("endpoints.d/000000.cfg", text)
        self.daemon.wait_for("STATUS", seconds=60, since=since)
        return time.monotonic() - start
