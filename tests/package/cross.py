# SPDX-License-Identifier: GPL-2.0-or-later
"""make deb-cross: builds the package for other machines in a root of its own (this machine's packages stay as they are),
and runs the foreign programs under qemu: the unit tests, and import, check and render of the package's program with all
golden scenarios, good and bad, which must print what the native program prints, byte for byte.

cross.py [ARCH...]    arm64 and armhf when none is named. Needs root; what comes of it is in BUILD/cross/ARCH, with
what the tests printed."""
import contextlib
import glob
import os
import re
import shutil
import sys
import tempfile
import time

import debian
from outcome import judge
from tap import BUILD, SOURCE, SVCROUTECTL, Tap

RELEASE = "bookworm"
# Nothing newer than the release: a library that both machines have must be of one version, and the lists of updates may
# be of different moments.
MIRROR = "http://deb.debian.org/debian"
# Debian's name: the prefix of the tools, qemu's name
MACHINES = {"arm64": ("aarch64-linux-gnu", "aarch64"), "armhf": ("arm-linux-gnueabihf", "arm")}
# To build; to run; programs of this machine that unit tests start.
TOOLS = ["build-essential", "crossbuild-essential-{arch}", "dpkg-dev", "debhelper", "fakeroot", "libcmocka-dev:{arch}",
         "qemu-user-static", "iproute2", "iptables"]
SECONDS = 600  # for one unit test on a busy machine

# What user-mode emulation cannot do, and the cases of unit tests that need it.
EMULATION = {
    "qemu has no netlink sockets but those for routes, devices' events and audit": """
        test-host-facts test_sockets
        test-ipset test_not_allowed
        test-ipset test_round_trip
        test-iptables test_changes
        test-iptables test_cleanup
        test-iptables test_cleanup_held
        test-iptables test_failed_partial
        test-iptables test_failures
        test-iptables test_freed_while_running
        test-iptables test_held_chain
        test-iptables test_known_again
        test-iptables test_other_variant
        test-iptables test_repair
        test-iptables test_variant
        test-iptables test_without_ipv6
        test-netlink test_cut_short
        test-netlink test_interrupted
        test-nfacct test_counters
    """,
    "qemu makes vfork() a fork(): posix_spawn() does not learn that there is no such program": """
        test-child test_missing
        test-helper test_not_started
    """,
    "qemu is a process with two threads, which may not make itself a user namespace": """
        test-watch-poll test_limits
    """,
}

BUILD_DEB = """set -eu
sh tests/package/build.sh /tmp/deb --host-arch={arch}
mv /tmp/deb/svcroute*.* /tmp/deb/build.log /out/
dpkg-deb -x /out/svcroute_*.deb /out/tree
"""
BUILD_TESTS = """set -eu
make -j"$JOBS" ERR=1 BUILD=/out/build CC={prefix}-gcc CC_FOR_BUILD=gcc PKG_CONFIG={prefix}-pkg-config all unit-tests \
    >/out/tests.log 2>&1 || {{ tail -n 40 /out/tests.log; exit 1; }}
"""
# Overlayfs, which all else is on, does not know of a writer who has closed the file and still has it mapped. qemu is
# called by its name: the kernel may not know which programs are for it.
RUN_TESTS = """set -eu
mount -t tmpfs tmpfs /tmp
mkdir /out/unit
export SVCROUTE_SOURCE=/source SVCROUTE_BUILD=/out/build CMOCKA_MESSAGE_OUTPUT=TAP
find /out/build/tests -name 'test-*' ! -name '*.d' |
    xargs -P "$JOBS" -n 1 sh tests/package/cross-unit.sh /out/unit {seconds} qemu-{qemu}-static
"""
RUN_GOLDEN = """set -eu
find {folder} -mindepth 1 -maxdepth 1 | xargs -P "${{JOBS:-2}}" -I {{}} sh {source}/tests/package/cross-golden.sh {{}} {program}
"""


class Counted(Tap):
    skipped = 0

    def report(self, ok, name, reason="", skip=False):
        self.skipped += skip
        super().report(ok, name, reason, skip)

    def done(self):
        print(f"1..{self.number}")
        print(f"{self.number - self.failed - self.skipped} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        sys.exit(1 if self.failed else 0)


def root_for(arch):
    """A folder with a Debian of this machine's kind that has what the package needs to be built for ARCH."""
    with open(f"{SOURCE}/debian/control") as f:
        control = f.read()
    native = debian.run("dpkg", "--print-architecture").strip()
    include = [tool.format(arch=arch) for tool in TOOLS]
    path = f"{BUILD}/cross/root-{arch}-{debian.key(control, native, include, MIRROR)}"
    with debian.made_once(path) as folder:
        if folder:
            os.makedirs(f"{folder}/package/debian")
            shutil.copy(f"{SOURCE}/debian/control", f"{folder}/package/debian/control")
            hooks = [f'cp -r {folder}/package "$1/package"',
                     'DEBIAN_FRONTEND=noninteractive chroot "$1" apt-get -qy --no-install-recommends build-dep '
                     f"--host-architecture {arch} /package"]
            debian.bootstrap(RELEASE, f"{folder}/it", include, *hooks, architectures=[native, arch], mirror=MIRROR)
    return path


def files(folder):
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = f.read()
    return found


def unit_tests(tap, out, arch):
    excused = {tuple(row.split()): why for why, rows in EMULATION.items() for row in rows.strip().splitlines()}
    needed = set()
    for name in sorted(os.path.basename(c)[:-2] for c in glob.glob(f"{SOURCE}/tests/unit/test-*.c")):
        try:
            with open(f"{out}/unit/{name}.log", errors="replace") as f:
                text = f.read()
            with open(f"{out}/unit/{name}.status") as f:
                status = int(f.read())
        except OSError as e:
            tap.report(False, f"{arch} {name}", str(e))
            continue
        # 124: timeout(1); above 128: a signal, as the shell tells it
        o = judge(text, 128 - status if status > 128 else status, status == 124)
        bad = [case for case in o.failures if (name, case) not in excused]
        for case, why in o.skips + [(case, "") for case in o.failures if case not in bad]:
            needed.add((name, case))
            tap.report(True, f"{arch} {name}: {case}", excused.get((name, case), why), skip=True)
        tap.report(not bad, f"{arch} {name}: {o.passed} cases", f"status {status}, failed: {bad}\n{text[-1500:]}")
    for name, case in sorted(excused.keys() - needed):
        tap.report(False, f"{arch} {name}: {case}", "emulation is said not to be able to do this, but it passed or is not there")


def scenarios(folder):
    """One folder for each scenario, to run RUN_GOLDEN in."""
    shutil.rmtree(folder, ignore_errors=True)
    for kind in ("scenarios", "bad"):
        for path in glob.glob(f"{SOURCE}/tests/golden/{kind}/*.yaml"):
            to = f"{folder}/{kind}-{os.path.basename(path)[:-5]}"
            os.makedirs(to)
            shutil.copy(path, f"{to}/scenario.yaml")


def golden(tap, native, foreign, arch):
    want, got = files(native), files(foreign)
    for name in sorted(os.listdir(native)):
        differ = sorted(p for p in want.keys() | got.keys() if p.startswith(f"{name}/") and want.get(p) != got.get(p))
        printed = want[f"{name}/printed"]
        # a good one was rendered indeed; --strict may find something to say about it
        status = re.findall(rb"^== status (\d+)$", printed, re.M)
        ran = status if name.startswith("bad-") else status[:2] + status[3:] == [b"0"] * 4 and b"\n-A KUBE-" in printed
        tap.report(not differ and bool(ran), f"{arch} golden {name}", f"differ: {differ}\n" + "\n".join(
            f"{p}: {len(want.get(p, b''))} bytes here, {len(got.get(p, b''))} there: {got.get(p, b'')[-300:]!r}" for p in differ))


def lintian(out):
    with tempfile.TemporaryDirectory(prefix="lintian-", dir=BUILD) as own:  # it leaves files behind
        said = debian.run("lintian", "--allow-root", "--no-tag-display-limit", "--fail-on", "error,warning", "--display-info",
                          *glob.glob(f"{out}/*.changes"), env=dict(os.environ, TMPDIR=own))
    # it looked: a tag that the package is known to have
    assert "package-supports-alternative-init-but-no-init.d-script" in said and "internal error" not in said, said


def check(tap, arch, source):
    prefix, qemu = MACHINES[arch]
    out = f"{BUILD}/cross/{arch}"
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    root = None
    with tap.case(f"{arch} root to build in"):
        root = root_for(arch)
    if not root:
        return
    begin = time.monotonic()
    with tap.case(f"{arch} package"):
        debian.run_in(root, source, out, BUILD_DEB.format(arch=arch))
        for path in sorted(glob.glob(f"{out}/*.deb")):
            assert debian.run("dpkg-deb", "-f", path, "Architecture").strip() == arch, path
            size = debian.run("dpkg-deb", "-f", path, "Installed-Size").strip()
            print(f"# note: {arch}: {os.path.basename(path)} {os.path.getsize(path) / 1000:.0f} kB, {size} KiB installed")
        program = f"{out}/tree/usr/sbin/svcrouted"
        print(f"# note: {arch}: the program {os.path.getsize(program) / 1000:.0f} kB")
    with tap.case(f"{arch} lintian"):
        lintian(out)
    with tap.case(f"{arch} programs and unit tests without a warning"):
        debian.run_in(root, source, out, BUILD_TESTS.format(prefix=prefix))
    with tap.case(f"{arch} unit tests run"):
        debian.run_in(root, source, out, RUN_TESTS.format(qemu=qemu, seconds=SECONDS))
        unit_tests(tap, out, arch)
    scenarios(f"{out}/golden")
    scenarios(f"{out}/native")
    with tap.case(f"{arch} golden scenarios run"):
        debian.run("sh", "-c", RUN_GOLDEN.format(folder=f"{out}/native", source=SOURCE, program=SVCROUTECTL))
        debian.run_in(root, source, out, RUN_GOLDEN.format(
            folder="/out/golden", source="/source", program=f"qemu-{qemu}-static /out/tree/usr/bin/svcroutectl"))
        golden(tap, f"{out}/native", f"{out}/golden", arch)
    print(f"# note: {arch}: {time.monotonic() - begin:.0f} s once the root is there")


def main():
    tap = Counted()
    if os.geteuid() != 0:
        tap.report(False, "needs root")
        tap.done()
    os.makedirs(BUILD, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cross-", dir=BUILD) as source:
        with tap.case("copy of the sources"):
            debian.run("sh", f"{SOURCE}/tests/package/copy.sh", source)
        for arch in sys.argv[1:] or MACHINES:
            check(tap, arch, source)
    tap.done()


with contextlib.suppress(KeyboardInterrupt):
    main()
