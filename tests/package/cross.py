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

import debian
from tap import BUILD, SOURCE, SVCROUTECTL, Tap

RELEASE = "bookworm"
# Debian's name: the prefix of the tools, qemu's name
MACHINES = {"arm64": ("aarch64-linux-gnu", "aarch64"), "armhf": ("arm-linux-gnueabihf", "arm")}
ADDRESSES = "127.0.0.1,::1,192.0.2.10,2001:db8:2::10,10.1.0.1,2001:db8:1::1"  # of the golden host
SECONDS = 600  # for one unit test on a busy machine

# What user-mode emulation cannot do, by program and case.
EMULATION = {}

# Where nothing foreign can be started by the kernel itself, qemu is called by its name.
BUILD_DEB = """set -eu
sh tests/package/build.sh /tmp/deb --host-arch={arch}
mv /tmp/deb/*.deb /tmp/deb/build.log /out/
dpkg-deb -x /out/svcroute_*.deb /out/tree
"""
BUILD_TESTS = """set -eu
make -j"$JOBS" ERR=1 BUILD=/out/build CC={prefix}-gcc CC_FOR_BUILD=gcc PKG_CONFIG={prefix}-pkg-config all unit-tests \
    >/out/tests.log 2>&1 || {{ tail -n 40 /out/tests.log; exit 1; }}
"""
RUN_TESTS = """set -eu
mkdir -p /out/unit
export SVCROUTE_SOURCE=/source SVCROUTE_BUILD=/out/build CMOCKA_MESSAGE_OUTPUT=TAP
for test in /out/build/tests/test-*; do
    case $test in *.d) continue ;; esac
    name=$(basename "$test")
    status=0
    timeout -k 5 {seconds} qemu-{qemu}-static "$test" >"/out/unit/$name.log" 2>&1 </dev/null || status=$?
    echo "$status" >"/out/unit/$name.status"
done
"""
# The same words here and there, and no path in them: what is printed must not differ.
RUN_GOLDEN = """set -u
for folder in */; do
    cd "$folder"
    for command in "import --output import scenario.yaml" "check import" "check --strict import" \
        "render --family ipv4 --addresses {addresses} import" "render --family ipv6 --addresses {addresses} import"; do
        echo "== $command"
        {ctl} $command 2>&1 </dev/null
        echo "== status $?"
        [ -d import ] || break
    done >printed
    cd ..
done
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
    include = ["build-essential", f"crossbuild-essential-{arch}", "dpkg-dev", "debhelper", "fakeroot", "qemu-user-static",
               f"libcmocka-dev:{arch}"]
    path = f"{BUILD}/cross/root-{arch}-{debian.key(control, native, include)}"
    with debian.made_once(path) as folder:
        if folder:
            os.makedirs(f"{folder}/package/debian")
            shutil.copy(f"{SOURCE}/debian/control", f"{folder}/package/debian/control")
            debian.run("mmdebstrap", "--quiet", "--variant=minbase", "--dpkgopt=force-unsafe-io",
                       f"--architectures={native},{arch}", f"--include={','.join(include)}",
                       f'--customize-hook=cp -r {folder}/package "$1/package"',
                       '--customize-hook=DEBIAN_FRONTEND=noninteractive chroot "$1" apt-get -qy --no-install-recommends '
                       f'build-dep --host-architecture {arch} /package', RELEASE, f"{folder}/it", seconds=3600)
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
    names = sorted(os.path.basename(c)[:-2] for c in glob.glob(f"{SOURCE}/tests/unit/test-*.c"))
    for name in names:
        try:
            with open(f"{out}/unit/{name}.log", errors="replace") as f:
                text = f.read()
            with open(f"{out}/unit/{name}.status") as f:
                status = int(f.read())
        except OSError as e:
            tap.report(False, f"{arch} {name}", str(e))
            continue
        planned = sum(int(n) for n in re.findall(r"^1\.\.(\d+)", text, re.M))
        cases = re.findall(r"^(not )?ok \d+ (?:- (.*)|# SKIP (.*))$", text, re.M)
        excused = [(case, EMULATION[name, case]) for bad, case, _ in cases if bad and (name, case) in EMULATION]
        excused += [(case, "skipped by the test") for _, _, case in cases if case]
        for case, why in excused:
            tap.report(True, f"{arch} {name}: {case}", why, skip=True)
        bad = [case for is_bad, case, _ in cases if is_bad and case and (name, case) not in EMULATION]
        whole = planned == len(cases) > 0 and (status == 0 or any(is_bad for is_bad, _, _ in cases))
        if bad or not whole:
            tap.report(False, f"{arch} {name}", f"status {status}, {len(cases)} of {planned} cases, failed: {bad}\n{text[-1500:]}")
        else:
            tap.report(True, f"{arch} {name}: {len(cases) - len(excused)} cases")


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
    with tap.case(f"{arch} package"):
        debian.run_in(root, source, out, BUILD_DEB.format(arch=arch))
        for path in sorted(glob.glob(f"{out}/*.deb")):
            assert debian.run("dpkg-deb", "-f", path, "Architecture").strip() == arch, path
            size = debian.run("dpkg-deb", "-f", path, "Installed-Size").strip()
            print(f"# note: {arch}: {os.path.basename(path)} {os.path.getsize(path) / 1000:.0f} kB, {size} KiB installed")
        program = f"{out}/tree/usr/sbin/svcrouted"
        print(f"# note: {arch}: the program {os.path.getsize(program) / 1000:.0f} kB")
    with tap.case(f"{arch} programs and unit tests without a warning"):
        debian.run_in(root, source, out, BUILD_TESTS.format(prefix=prefix))
    with tap.case(f"{arch} unit tests run"):
        debian.run_in(root, source, out, RUN_TESTS.format(qemu=qemu, seconds=SECONDS))
    unit_tests(tap, out, arch)
    scenarios(f"{out}/golden")
    scenarios(f"{out}/native")
    with tap.case(f"{arch} golden scenarios run"):
        debian.run("sh", "-c", RUN_GOLDEN.format(ctl=SVCROUTECTL, addresses=ADDRESSES), cwd=f"{out}/native")
        debian.run_in(root, source, out, "cd /out/golden\n" + RUN_GOLDEN.format(
            ctl=f"qemu-{qemu}-static /out/tree/usr/bin/svcroutectl", addresses=ADDRESSES))
        golden(tap, f"{out}/native", f"{out}/golden", arch)


def main():
    tap = Counted()
    if os.geteuid() != 0:
        tap.report(False, "needs root")
        tap.done()
    os.makedirs(BUILD, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cross-", dir=BUILD) as source:
        debian.run("sh", f"{SOURCE}/tests/package/copy.sh", source)
        for arch in sys.argv[1:] or MACHINES:
            check(tap, arch, source)
    tap.done()


with contextlib.suppress(KeyboardInterrupt):
    main()
