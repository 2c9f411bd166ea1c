# SPDX-License-Identifier: GPL-2.0-or-later
"""`make faults`: each allocation of each piece of work below fails once alone, and once with all that follow; see faults.c
for what a good run is. Beside that the same while the daemon runs (daemon.py). One line a piece of work; the last line is the
count.

run.py [NAME...]    only pieces of work whose name contains one of these

Environment: BUILD, JOBS as in the Makefile; FAULT_STEP=N: only each Nth allocation; FAULT_SAMPLES: see daemon.py."""
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]
import daemon  # noqa: E402
import symbols  # noqa: E402
import works  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build/faults"))
STEP = os.environ.get("FAULT_STEP", "1")


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


def run_work(work, scratch, tally):
    start = time.monotonic()
    passed, failed, text = works.attempt(work, BUILD, STEP, scratch)
    tally.add(passed, failed, f"{text} ({time.monotonic() - start:.0f} s)")


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


def run_client(scratch, tally):
    """svcroutectl as a client of a daemon."""
    with daemon.running("nft", BUILD) as root:
        for words in (["status"], ["services"], ["endpoints", "plain"], ["settings"], ["--json", "services"], ["reload"]):
            run_work((f"client, {' '.join(words)}", [], ["ctl", "--root", root, *words], 1), scratch, tally)


def jobs(scratch, tally):
    """(name, function without arguments)"""
    found = [(w[0], lambda w=w: run_work(w, scratch, tally)) for w in works.works(scratch)]
    rooted = [("client", lambda: run_client(scratch, tally))]
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
    tempfile.tempdir = scratch  # so that nothing is left of what is killed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        works.make_scratch(scratch)
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
