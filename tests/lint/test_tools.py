# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 60
"""Format, cppcheck and shellcheck over all sources; unit text by systemd-analyze where that is installed."""
import glob
import os
import shutil
import subprocess

from tap import BUILD, SOURCE, Skip, Tap

JOBS = os.environ.get("JOBS") or "2"


def run(*command):
    p = subprocess.run(command, cwd=SOURCE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, errors="replace")
    assert p.returncode == 0, p.stdout[-20000:]


def need(tool):
    if not shutil.which(tool):
        raise Skip(f"{tool} is not installed")


def c_sources():
    return [f for pattern in ("src/*/*.[ch]", "tests/unit/*.[ch]", "tests/fuzz/*.[ch]", "tests/lib/*.[ch]")
            for f in sorted(glob.glob(pattern, root_dir=SOURCE))]


def shell_scripts():
    for pattern in (".ci/*", "tests/*", "tests/*/*", "debian/*", "systemd/*"):
        for f in sorted(glob.glob(pattern, root_dir=SOURCE)):
            path = os.path.join(SOURCE, f)
            if os.path.isfile(path):
                with open(path, errors="replace") as script:
                    if script.readline().startswith(("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env bash")):
                        yield f


tap = Tap()
with tap.case("clang-format"):
    need("clang-format")
    run("clang-format", "--dry-run", "-Werror", *c_sources())
with tap.case("shellcheck"):
    need("shellcheck")
    scripts = list(shell_scripts())
    assert ".ci/run" in scripts, scripts
    run("shellcheck", *scripts)
with tap.case("cppcheck"):
    need("cppcheck")
    os.makedirs(f"{BUILD}/cppcheck", exist_ok=True)
    run("cppcheck", "-q", "-j", JOBS, "--enable=warning,performance,portability", "--error-exitcode=1", "--inline-suppr",
        "--std=c11", "--platform=unix64", "-D_GNU_SOURCE", "-DSVCROUTE_VERSION=\"x\"", "-Isrc",
        f"--cppcheck-build-dir={BUILD}/cppcheck", "--template=gcc", "src")
tap.done()
