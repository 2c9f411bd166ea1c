# SPDX-License-Identifier: GPL-2.0-or-later
"""The pieces of work whose allocations fail (see faults.c), and how one is tried."""
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ADDRESSES = "192.0.2.10@eth0 2001:db8:2::10@eth0 127.0.0.1@lo ::1@lo 10.1.0.1@br0"
# names of the files that differ, as the watcher tells them
CHANGES = ["settings/svcroute.conf", "settings/10-more.conf", "settings/20-bad.conf", "services/goes.cfg", "services/plain.cfg",
           "services/swap.cfg", "services/clash-1.cfg", "services/clash-2.cfg", "services/new.cfg", "services/syntax.cfg",
           "services/wrong-suffix.conf", "endpoints/more.cfg"]


def make_scratch(scratch):
    """A directory that works(scratch) may use."""
    os.makedirs(f"{scratch}/etc")
    shutil.copytree(f"{HERE}/a", f"{scratch}/etc/svcroute")


def works(scratch):
    """(name, options of the driver, mode and arguments, only every how manyth allocation)"""
    # by LeakSanitizer leaks are looked for in some runs only: it takes longer than the work; blocks are counted in all
    def work(name, *arguments, options=(), every=1):
        return name, ["-l", "8", *options], list(arguments), every

    def ctl(name, *arguments, options=()):
        return work(name, "ctl", *arguments, options=options)

    def output(name, *arguments, options=()):
        return work(name, "output", *arguments, options=options)

    def imported(name, file, written=None, how=ctl):
        folder = f"{scratch}/{written}"
        to = ["--output", folder] if written else []
        return how(f"import, {name}", "import", "-v", *to, f"{HERE}/import/{file}", options=["-w", folder] if written else [])

    a, b = f"{HERE}/a", f"{HERE}/b"
    return [
        work("reload", "reload", a, b),
        # differs from the first only in how files are found
        work("reload of files by name", "reload", a, b, *CHANGES, every=3),
        work("reload back", "reload", b, a),
        work("reload in ipvs mode", "ipvs", a, b),
        work("reload back in ipvs mode", "ipvs", b, a, every=3),
        work("start", "start", a, b),
        work("keep", "keep", a, b),
        work("answers", "answers", a, b),
        work("look", "look", b, f"{HERE}/saved.v4"),
        ctl("check", "check", a),
        ctl("check, refused", "check", "-v", b),
        output("check, JSON", "--json", "check", b),
        ctl("render, IPv4", "render", a, "--addresses", ADDRESSES),
        output("render, IPv6", "render", a, "--addresses", ADDRESSES, "--family", "ipv6"),
        output("render, this host's addresses", "--root", scratch, "--json", "render"),
        output("settings", "--root", scratch, "settings"),
        ctl("cleanup, script", "cleanup", "--print-script"),
        imported("printed", "cluster.yaml"),
        imported("written", "cluster.yaml", written="import-1", how=output),
        imported("JSON", "small.json"),
        imported("refused", "refused.json", written="import-2"),
        imported("broken", "broken.yaml"),
    ]


def attempt(work, build, step, scratch):
    """Each step-th allocation: (passed, failed, what the driver printed)."""
    name, options, arguments, every = work
    p = subprocess.run([f"{build}/faults-driver", "-s", str(int(step) * every), *options, name, *arguments], capture_output=True, text=True,
                       stdin=subprocess.DEVNULL, env=dict(os.environ, TMPDIR=scratch))
    lines = p.stdout.rstrip().split("\n")
    count = lines[-1].removeprefix(name).split()
    if p.returncode not in (0, 1) or not lines[-1].startswith(f"{name}: ") or "allocations," not in count:
        return 0, 1, f"{p.stdout}{p.stderr}{name}: the driver ended with status {p.returncode}"
    return int(count[count.index("passed,") - 1]), int(count[count.index("failed") - 1]), p.stdout.rstrip()
