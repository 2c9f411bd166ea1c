# SPDX-License-Identifier: GPL-2.0-or-later
"""`make faults`: each allocation of each piece of work below fails once alone, and once with all that follow; see faults.c
for what a good run is. Beside that the same while the daemon runs (daemon.py). One line a piece of work; the last line is the
count.

run.py [NAME...]    only pieces of work whose name contains one of these

Environment: BUILD, JOBS as in the Makefile; FAULT_STEP=N: only each Nth allocation; FAULT_SAMPLES: see daemon.py."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]
import daemon  # noqa: E402
import symbols  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build/faults"))
DRIVER = f"{BUILD}/faults-driver"
STEP = os.environ.get("FAULT_STEP", "1")
ADDRESSES = "192.0.2.10@eth0 2001:db8:2::10@eth0 127.0.0.1@lo ::1@lo 10.1.0.1@br0"
# names of the files that differ, as the watcher tells them
CHANGES = ["settings/svcroute.conf", "settings/10-more.conf", "settings/20-bad.conf", "services/goes.cfg", "services/plain.cfg",
           "services/swap.cfg", "services/clash-1.cfg", "services/clash-2.cfg", "services/new.cfg", "services/syntax.cfg",
           "services/wrong-suffix.conf", "endpoints/more.cfg"]


def works(scratch):
    """(name, options of the driver, mode and arguments)"""
    # by LeakSanitizer leaks are looked for in some runs only: it takes longer than the work; blocks are counted in all
    def work(name, *arguments, options=()):
        return name, ["-l", "8", *options], list(arguments)

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
        work("reload of files by name", "reload", a, b, *CHANGES),
        work("reload back", "reload", b, a),
        work("start", "start", a, b),
        work("keep", "keep", a, b),
        work("answers", "answers", a, b),
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


class Tally:
    """What was tried so far, by several threads."""

    def __init__(self):
        self.lock, self.passed, self.failed, self.skipped = threading.Lock(), 0, 0, 0

    def add(self, passed, failed, text):
        with self.lock:
            self.passed += passed
            self.failed += failed
            print(text, flush=True)

    def skip(self, name, reason):
        self.skipped += 1
        print(f"{name}: skipped: {reason}", flush=True)


def run_work(work, tally):
    name, options, arguments = work
    start = time.monotonic()
    p = subprocess.run([DRIVER, "-s", STEP, *options, name, *arguments], capture_output=True, text=True,
                       stdin=subprocess.DEVNULL)
    lines = p.stdout.rstrip().split("\n")
    count = lines[-1].removeprefix(name).split()
    if p.returncode not in (0, 1) or not lines[-1].startswith(f"{name}: ") or "allocations," not in count:
        tally.add(0, 1, f"{p.stdout}{p.stderr}{name}: the driver ended with status {p.returncode}")
        return
    passed, failed = int(count[count.index("passed,") - 1]), int(count[count.index("failed") - 1])
    tally.add(passed, failed, p.stdout.rstrip() + f" ({time.monotonic() - start:.0f} s)")


def take_jobs(queue, tally):
    while True:
        with tally.lock:
            if not queue:
                return
            function = queue.pop(0)
        try:
            function()
        except Exception:
            tally.add(0, 1, traceback.format_exc())


def check_symbols(tally):
    names = symbols.forgotten(f"{BUILD}/libsvcroute.a")
    tally.add(not names, len(names), "functions that ask for memory: " +
              (f"not wrapped and no reason given: {', '.join(names)}" if names else f"{len(symbols.wrapped())} wrapped"))


def run_client(tally):
    """svcroutectl as a client of a daemon."""
    with daemon.running("nft", BUILD) as root:
        for words in (["status"], ["services"], ["endpoints", "plain"], ["settings"], ["--json", "services"], ["reload"]):
            run_work((f"client, {' '.join(words)}", [], ["ctl", "--root", root, *words]), tally)


def jobs(scratch, tally):
    """(name, function without arguments)"""
    found = [(w[0], lambda w=w: run_work(w, tally)) for w in works(scratch)]
    rooted = [("client", lambda: run_client(tally))]
    rooted += [(f"daemon, {v}", lambda v=v: daemon.run_samples(v, BUILD, tally)) for v in ("nft", "legacy")]
    for name, function in rooted:
        if os.geteuid() == 0:
            found.insert(2, (name, function))
        else:
            tally.skip(name, "needs root (network namespaces)")
    return found


def main():
    tally = Tally()
    # in memory, where there is such a place: what is synced to the disk by the thousand costs nothing there
    if "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK):
        tempfile.tempdir = "/dev/shm"
    scratch = tempfile.mkdtemp(prefix="svcroute-faults-")
    os.environ["TMPDIR"] = tempfile.tempdir = scratch
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        os.makedirs(f"{scratch}/etc")
        shutil.copytree(f"{HERE}/a", f"{scratch}/etc/svcroute")
        check_symbols(tally)
        queue = [function for name, function in jobs(scratch, tally)
                 if not sys.argv[1:] or any(a in name for a in sys.argv[1:])]
        lanes = [threading.Thread(target=take_jobs, args=(queue, tally), daemon=True)
                 for _ in range(max(1, int(os.environ.get("JOBS") or 2)))]
        for t in lanes:
            t.start()
        for t in lanes:
            t.join()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
