# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs each fuzzer of BUILD/fuzzers with libFuzzer for FUZZ_SECONDS; seeds are read, new inputs go to BUILD/corpus.

Fails, after all have run, when one crashed, leaked or hung; what did it is kept in BUILD/findings."""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ["BUILD"])
SECONDS = int(os.environ.get("FUZZ_SECONDS", "60"))
LANES = int(os.environ.get("JOBS") or 2)


def run(path):
    name = os.path.basename(path)
    corpus, findings = f"{BUILD}/corpus/{name}", f"{BUILD}/findings"
    for d in (corpus, findings, f"{BUILD}/logs"):
        os.makedirs(d, exist_ok=True)
    log = f"{BUILD}/logs/{name}.log"
    start = time.monotonic()
    with open(log, "wb") as out:
        status = subprocess.run(
            [path, f"-max_total_time={SECONDS}", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
             f"-artifact_prefix={findings}/{name}-", corpus, f"{SOURCE}/tests/fuzz/seeds/{name.removeprefix('fuzz-')}"],
            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, timeout=SECONDS + 120).returncode
    with open(log, errors="replace") as f:
        runs = re.search(r"stat::number_of_executed_units: (\d+)", f.read())
    return name, status, runs[1] if runs else "?", time.monotonic() - start, log


def main():
    paths = sorted(p for p in glob.glob(f"{BUILD}/fuzzers/fuzz-*") if not p.endswith(".d"))
    n_failed = 0
    with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
        for name, status, runs, seconds, log in pool.map(run, paths):
            n_failed += status != 0
            print(f"{'ok' if status == 0 else 'not ok'} - {name}: {runs} inputs in {seconds:.0f} s"
                  + ("" if status == 0 else f" (see {log})"), flush=True)
    print(f"{len(paths) - n_failed} passed, {n_failed} failed, 0 skipped")
    sys.exit(1 if n_failed or not paths else 0)


main()
