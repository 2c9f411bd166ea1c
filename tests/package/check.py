# SPDX-License-Identifier: GPL-2.0-or-later
"""make check-deb: builds the package and one with a lower version, installs it on whole Debians with systemd, and runs
debian/tests there as autopkgtest would, reboots included.

check.py [RELEASE...]    bookworm and trixie when none is named; a release other than this machine's is built in a root
                         of its own
MACHINES="uml vm": user-mode Linux, with legacy iptables; a virtual machine, with Debian's kernel and iptables over
nf_tables. TESTS="life": only these of debian/tests. SVCROUTE_RATE, SVCROUTE_STARTS, SVCROUTE_SEED are handed to them."""
import contextlib
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

import debian
import debian_vm
from tap import BUILD, SOURCE, exit_on_term

RELEASES = ["bookworm", "trixie"]
MACHINES = {"uml": debian, "vm": debian_vm}
# An emulated machine does less of the same, at a rate that it surely carries.
SETTINGS = {"uml": {}, "vm": {"SVCROUTE_RATE": "50", "SVCROUTE_STARTS": "10"}}
BOOT_SECONDS = 3600  # for a machine that is busy with other things; a tenth of it when it is not
OUTPUT_LINES = 60
ATTEMPTS = 3  # of a test whose emulator failed

# What autopkgtest gives to a test. The package is installed before the first boot of it.
COMMAND = """set -eu
export DEBIAN_FRONTEND=noninteractive PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 LC_ALL=C.UTF-8
export AUTOPKGTEST_TMP=/tmp/autopkgtest AUTOPKGTEST_ARTIFACTS=/tmp/autopkgtest AUTOPKGTEST_REBOOT_MARK={mark} {passed_on}
mkdir -p "$AUTOPKGTEST_TMP"
cat >/tmp/autopkgtest-reboot <<'END'
#!/bin/sh
echo "$1" >/boot-work/mark
systemctl --no-block poweroff
exec sleep 600
END
chmod +x /tmp/autopkgtest-reboot
if [ -z "$AUTOPKGTEST_REBOOT_MARK" ]; then
    for step in update "install svcroute"; do
        apt-get -qy --no-install-recommends $step >/tmp/apt.log 2>&1 || {{ cat /tmp/apt.log; exit 1; }}
    done
fi
exec debian/tests/{test}
"""


class Count:
    """TAP over all machines; the last line is the count."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def report(self, kind, name, why=""):
        setattr(self, kind, getattr(self, kind) + 1)
        number = self.passed + self.failed + self.skipped
        print(f"{'not ' if kind == 'failed' else ''}ok {number} - {name}" + (f" # SKIP {why}" if kind == "skipped" else ""),
              flush=True)
        if kind == "failed" and why:
            print("# " + why.rstrip().replace("\n", "\n# "), flush=True)

    def end(self):
        print(f"1..{self.passed + self.failed + self.skipped}")
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        sys.exit(1 if self.failed else 0)


def stanzas(path):
    """The fields of each paragraph of a control file."""
    with open(path) as f:
        text = "".join(line for line in f if line[0] != "#")
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        yield {m[1]: " ".join(m[2].split()) for m in re.finditer(r"^(\S+?):((?:.*\n?)(?:[ \t].*\n?)*)", paragraph, re.M)}


def own_release():
    with open("/etc/os-release") as f:
        m = re.search(r"^VERSION_CODENAME=(\w+)", f.read(), re.M)
    return m and m[1]


def build(release, repo):
    """Both versions, as a repository for apt."""
    command = ("sh tests/package/build.sh {0}/new && sed -i '1s/)/~previous)/' debian/changelog && "
               "sh tests/package/build.sh {0}/old && mv {0}/*/svcroute_*.deb {1}/")
    with tempfile.TemporaryDirectory(prefix="build-", dir=BUILD) as work:
        debian.run("sh", f"{SOURCE}/tests/package/copy.sh", f"{work}/source")
        if release == own_release():
            debian.run("sh", "-c", command.format(work, repo), cwd=f"{work}/source")
        else:
            root = debian.build_root(release, f"{SOURCE}/debian/control")
            debian.run_in(root, f"{work}/source", repo, command.format("/tmp", "/out"))
    packages = sorted(glob.glob(f"{repo}/*.deb"))
    if len(packages) != 2:
        raise debian.Failed(f"built: {packages}")
    with open(f"{repo}/Packages", "w") as f:
        f.write(subprocess.run(["dpkg-scanpackages", "--multiversion", "."], cwd=repo, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, check=True).stdout)
    return packages


def dependencies(packages, tests):
    """Of the package and of its tests; the first of alternatives."""
    lists = [debian.run("dpkg-deb", "-f", p, "Depends") for p in packages] + [t.get("Depends", "") for t in tests]
    names = {re.match(r"[^\s|(]*", item.strip())[0] for text in lists for item in text.split(",")}
    return sorted(names - {"", "svcroute", "@"})


def relay(count, where, lines, kept):
    """Prints what a test prints, its cases in our own count; how many it announced less how many came."""
    planned = seen = 0
    reason, name = None, ""
    for line in lines:
        kept.append(line)
        if reason is not None and not line.startswith("# "):
            count.report("failed", name, "\n".join(reason))
            reason = None
        if m := re.match(r"1\.\.(\d+)", line):
            planned += int(m[1])
        elif m := re.match(r"(not )?ok \d+ - (.*?)(?: # SKIP (.*))?$", line):
            seen += 1
            name = f"{where}: {m[2]}"
            if m[1]:
                reason = []
            else:
                count.report("skipped" if m[3] else "passed", name, m[3])
        elif reason is not None:
            reason.append(line[2:])
        elif line.startswith("# note: "):
            print(f"# note: {where}: {line[8:]}", flush=True)
        else:
            print(f"# {line}", flush=True)
    if reason is not None:
        count.report("failed", name, "\n".join(reason))
    return planned - seen


def run_once(count, where, machine, image, repo, test, restrictions, last):
    """On a machine of its own. False: the emulator failed, which counts as a failure in the last attempt only."""
    mark, missing, failed = "", 0, count.failed
    settings = SETTINGS[machine] | {k: v for k, v in os.environ.items() if re.match(r"SVCROUTE_(RATE|STARTS|SEED)$", k)}
    passed_on = " ".join(f"{k}={shlex.quote(v)}" for k, v in settings.items())
    kept = []
    with MACHINES[machine].Machine(image, repo) as m:
        try:
            while True:
                command = COMMAND.format(mark=shlex.quote(mark), test=test, passed_on=passed_on)
                missing += relay(count, where, m.boot(command, SOURCE, BOOT_SECONDS), kept)
                print(f"# {where}: boot{' ' + mark if mark else ''}: {m.seconds:.0f} s", flush=True)
                path = f"{m.work}/mark"
                if m.status is not None or not os.path.exists(path):
                    break
                with open(path) as f:
                    mark = f.read().strip()
                os.unlink(path)
            if m.status == 77 and "skippable" in restrictions:
                count.report("skipped", where, kept[-1] if kept else "")
                return True
            if m.status is None:
                raise debian.Failed("the machine went down before the end of the test")
            if missing or (m.status and failed == count.failed):
                raise debian.Failed(f"exit status {m.status}, {missing} cases fewer than announced")
        except debian.Failed as e:
            if not last and m.status is None and m.EMULATOR_FAULT and m.EMULATOR_FAULT in m.console():
                return False
            count.report("failed", where, f"{e}\nits last lines:\n" + "\n".join(kept[-OUTPUT_LINES:])
                         + "\nthe console's:\n" + "\n".join(m.console().splitlines()[-OUTPUT_LINES:]))
    return True


def run_test(count, release, machine, image, repo, test, restrictions):
    """Cases that passed before the emulator failed are run and counted again; those that failed stay failed."""
    where = f"{release} {machine}: {test}"
    for attempt in range(1, ATTEMPTS + 1):
        if run_once(count, where, machine, image, repo, test, restrictions, attempt == ATTEMPTS):
            break
        print(f"# note: {where}: the emulator failed: once more from the start", flush=True)


def check(count, release, machines, wanted):
    tests = list(stanzas(f"{SOURCE}/debian/tests/control"))
    with tempfile.TemporaryDirectory(prefix="repo-", dir=BUILD) as repo:
        os.chmod(repo, 0o755)
        packages = build(release, repo)
        count.report("passed", f"{release}: both packages")
        for machine in machines:
            image = MACHINES[machine].image(release, dependencies(packages, tests))
            count.report("passed", f"{release} {machine}: an image")
            for stanza in tests:
                for test in re.split(r"[\s,]+", stanza["Tests"]):
                    if not wanted or test in wanted:
                        run_test(count, release, machine, image, repo, test, stanza.get("Restrictions", ""))


def main():
    exit_on_term()
    os.makedirs(BUILD, exist_ok=True)
    count = Count()
    if os.geteuid() != 0:
        count.report("failed", "needs root")
        count.end()
    machines = os.environ.get("MACHINES", "").split() or list(MACHINES)
    for release in sys.argv[1:] or RELEASES:
        try:
            check(count, release, machines, os.environ.get("TESTS", "").split())
        except (debian.Failed, OSError, subprocess.SubprocessError) as e:
            count.report("failed", release, str(e))
    count.end()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
