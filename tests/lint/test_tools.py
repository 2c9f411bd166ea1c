# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 60
"""Format, cppcheck and shellcheck over all sources."""
import glob
import os
import re
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
    return [f for pattern in ("src/*/*.[ch]", "tests/unit/*.[ch]", "tests/fuzz/*.[ch]", "tests/faults/*.[ch]",
                                "tests/uml/*.[ch]", "tests/lint/*.h")
            for f in sorted(glob.glob(pattern, root_dir=SOURCE))]


def shell_scripts():
    for pattern in (".ci/*", "tests/*", "tests/*/*", "debian/*", "systemd/*"):
        for f in sorted(glob.glob(pattern, root_dir=SOURCE)):
            path = os.path.join(SOURCE, f)
            if os.path.isfile(path):
                with open(path, errors="replace") as script:
                    if script.readline().startswith(("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env bash")):
                        yield f


def freed_by_attribute(line):
    """cppcheck 2.10 does not know the cleanup attribute: is this a "leak" of a local that carries it?"""
    m = re.match(r"(.+?):(\d+): \w+: Memory leak: (\w+)", line)
    if not m:
        return False
    with open(os.path.join(SOURCE, m[1])) as f:
        function = re.split(r"^}", "".join(f.readlines()[:int(m[2])]), flags=re.M)[-1]
    return bool(re.search(rf"_cleanup_\w*(\([^)]*\))?\s[^;]*\b{m[3]}\b", function))


def cppcheck():
    os.makedirs(f"{BUILD}/cppcheck", exist_ok=True)
    p = subprocess.run(
        ["cppcheck", "-q", "-j", JOBS, "--enable=warning,performance,portability", "--inline-suppr", "--std=c11",
         "--platform=unix64", "-D_GNU_SOURCE", "-DSVCROUTE_VERSION=\"x\"", "--include=tests/lint/cppcheck.h", "-Isrc",
         f"--cppcheck-build-dir={BUILD}/cppcheck", "--template={file}:{line}: {severity}: {message} [{id}]", "src"],
        cwd=SOURCE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = [line for line in p.stdout.splitlines() if line and not freed_by_attribute(line)]
    assert p.returncode == 0 and not found, "\n".join(found) or f"status {p.returncode}"


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
    cppcheck()
tap.done()
