# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1500
# weight: 200
"""No warnings: gcc and clang with the Makefile's list and hardening flags, unit tests included; gcc -fanalyzer."""
import os
import shutil
import subprocess

from tap import BUILD, SOURCE, Skip, Tap

JOBS = os.environ.get("JOBS") or "2"


def make(*arguments):
    p = subprocess.run(["make", "--no-print-directory", "-k", f"-j{JOBS}", "ERR=1", *arguments], cwd=SOURCE, text=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    assert p.returncode == 0, "\n".join(line for line in p.stdout.splitlines() if not line.startswith("  "))[-20000:]


tap = Tap()
for name, compiler, arguments in (
        ("gcc", "gcc", ["all", "unit-tests"]),
        ("clang", "clang", ["all", "unit-tests"]),
        # the analyzer follows calls by itself; inlined ones it takes for leaks
        ("analyzer", "gcc", ["CFLAGS=-O1 -fno-inline -fanalyzer", "objects"])):
    with tap.case(name):
        if not shutil.which(compiler):
            raise Skip(f"{compiler} is not installed")
        make(f"BUILD={BUILD}/lint-{name}", f"CC={compiler}", *arguments)
tap.done()
