# SPDX-License-Identifier: GPL-2.0-or-later
"""A whole Debian with systemd in user-mode Linux: images of its releases, and machines that boot them.

    image = debian.image("bookworm", ["iptables", "python3"])
    with debian.Machine(image) as m:
        for line in m.boot("exec python3 test.py", SOURCE, 600):
            print(line)
        m.status                # exit status of the shell command; None: the machine went down before its end

What a machine writes is kept from boot to boot, and gone when it is left; the image never changes."""
import contextlib
import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import guest
from tap import BUILD

UML = f"{BUILD}/uml"
HOME = f"{BUILD}/debian"
MEMORY = 1 << 30
DISK = "3G"
BASE = ["systemd", "systemd-sysv", "dbus", "kmod", "iproute2", "procps", "iptables"]
BUILD_HOST = ["build-essential", "dpkg-dev", "debhelper", "fakeroot"]

# A command comes with the boot, runs when everything is up, and says how it ended. What it reads and writes outside of
# the image is below two folders of the machine that boots this: /source cannot be written.
UNIT = """[Unit]
Description=What this machine was booted for
After=multi-user.target
[Service]
Type=oneshot
ExecStartPre=/bin/mkdir -p /source /boot-work
{MOUNTS}
ExecStart=/bin/sh -c 'cd /source; /bin/sh /boot-work/command >>{OUTPUT} 2>&1; echo $$? >/boot-work/status.new'
ExecStart=/bin/mv /boot-work/status.new /boot-work/status
ExecStart=/bin/systemctl --no-block poweroff
TimeoutStartSec=infinity
"""
TARGET = """[Unit]
Description=Up, and doing what it was booted for
Requires=multi-user.target
Wants=boot-work.service
After=multi-user.target
AllowIsolate=yes
"""
MOUNTS = """ExecStartPre=/bin/mount -t hostfs -o ${WORK} none /boot-work
ExecStartPre=/bin/mount -t hostfs -o ro,${SOURCE} none /source"""
# A firewall of the host's own: whoever looks which iptables is in use here finds it.
FIREWALL = """[Unit]
Description=Firewall
DefaultDependencies=no
Wants=network-pre.target
Before=network-pre.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/iptables -w -A INPUT -s 198.51.100.9 -j DROP
ExecStart=/usr/sbin/ip6tables -w -A INPUT -s 2001:db8:ffff::9 -j DROP
[Install]
WantedBy=multi-user.target
"""
# Nothing may ask a mirror for news. It is not a first boot, which takes far longer: the machine has its name and all that
# systemd would update.
CUSTOMIZE = """set -eu
cat >"$1/etc/systemd/system/boot-work.service" <<'END'
{UNIT}END
cat >"$1/etc/systemd/system/boot-work.target" <<'END'
{TARGET}END
cat >"$1/etc/systemd/system/iptables.service" <<'END'
{FIREWALL}END
chroot "$1" systemctl enable iptables.service
for unit in apt-daily.timer apt-daily-upgrade.timer getty@tty1.service serial-getty@ttyS0.service e2scrub_reap.service; do
    ln -sf /dev/null "$1/etc/systemd/system/$unit"
done
echo debian >"$1/etc/hostname"
echo "127.0.0.1 localhost debian" >"$1/etc/hosts"
rm -f "$1"/etc/apt/sources.list "$1"/etc/apt/sources.list.d/*
echo "deb [trusted=yes] file:/boot-work/repo ./" >"$1/etc/apt/sources.list"
rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*.bin
chroot "$1" systemd-sysusers
echo 0123456789abcdef0123456789abcdef >"$1/etc/machine-id"
mkdir -p "$1/var/log/journal"
{MORE}touch "$1/etc/.updated" "$1/var/.updated"
"""
# This kernel has no nf_tables for IPv4 and IPv6.
MORE = f"""for family in iptables ip6tables; do
    chroot "$1" update-alternatives --set $family /usr/sbin/$family-legacy
done
mkdir -p "$1/usr/lib/modules"
cp -a {UML}/lib/modules/. "$1/usr/lib/modules/"
"""
# Mounts and processes that end with the command.
APART = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"]


class Failed(Exception):
    pass


def kill(p):
    """It, and all that it started. Of unshare, the first process of the namespace: it ends after all others there, and
    unshare after it; so nobody writes any more."""
    with contextlib.suppress(ProcessLookupError, FileNotFoundError):
        if p.args[0] == "unshare":
            with open(f"/proc/{p.pid}/task/{p.pid}/children") as f:
                for child in f.read().split():
                    os.kill(int(child), signal.SIGKILL)
                    p.wait()
        os.killpg(p.pid, signal.SIGKILL)


def run(*command, seconds=1800, **more):
    """What it printed; it and all that it started end with this program."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", start_new_session=True, **more) as p:
        try:
            out, _ = p.communicate(timeout=seconds)
        except BaseException:
            kill(p)
            raise
    if p.returncode:
        raise Failed(f"{' '.join(command)}: status {p.returncode}\n{out.strip()[-3000:]}")
    return out


@contextlib.contextmanager
def made_once(path):
    """Yields a folder to make it in, as "it", or None when it is there; who comes meanwhile waits."""
    os.makedirs(HOME, exist_ok=True)
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(path):
            yield None
            return
        with tempfile.TemporaryDirectory(prefix="make-", dir=HOME) as folder:
            os.chmod(folder, 0o755)
            yield folder
            os.rename(f"{folder}/it", path)


def key(*what):
    return hashlib.sha256(repr(what).encode()).hexdigest()[:12]


def bootstrap(release, to, packages, *hooks, architectures=(), mirror=None):
    """Without a mirror: Debian's, with updates. What mmdebstrap leaves behind when it is killed lies beside it."""
    run(*APART, "mmdebstrap", "--quiet", "--variant=minbase", "--dpkgopt=force-unsafe-io", f"--include={','.join(packages)}",
        *([f"--architectures={','.join(architectures)}"] if architectures else []),
        *(f"--customize-hook={hook}" for hook in hooks), release, to, *([mirror] if mirror else []), seconds=3600,
        env=dict(os.environ, TMPDIR=os.path.dirname(to)))


def make_image(release, packages, mounts, output, more, *what):
    """MOUNTS, OUTPUT: of /boot-work and /source, and where the command's goes; MORE: what else is to be done to it, a shell
    script for mmdebstrap; WHAT: what else goes into it. Returns its path."""
    packages = sorted({*BASE, *packages})
    unit = UNIT.replace("{MOUNTS}", mounts).replace("{OUTPUT}", output)
    hook = CUSTOMIZE
    for name, text in (("UNIT", unit), ("TARGET", TARGET), ("FIREWALL", FIREWALL), ("MORE", more)):
        hook = hook.replace(f"{{{name}}}", text)
    path = f"{HOME}/{release}-{key(release, packages, hook, DISK, *what)}.ext4"
    with made_once(path) as folder:
        if folder:
            with open(f"{folder}/hook", "w") as f:
                f.write(hook)
            with tempfile.TemporaryDirectory(prefix="svcroute-", dir=guest.memory_folder(MEMORY, HOME)) as tree:
                bootstrap(release, f"{tree}/root", packages, f"sh {folder}/hook \"$1\"")
                run("mke2fs", "-q", "-t", "ext4", "-d", f"{tree}/root", f"{folder}/it", DISK)
    return path


def image(release, packages):
    """The path of an ext4 image; made once for each release and list of packages."""
    # this fetches the kernel, and shows that it runs here
    run(sys.executable, f"{os.path.dirname(os.path.abspath(__file__))}/uml.py", "/bin/true")
    return make_image(release, packages, MOUNTS, "/boot-work/output", MORE, os.listdir(f"{UML}/lib/modules"))


def build_root(release, control):
    """The path of a folder with that release and what it takes to build a package there; CONTROL: its control file."""
    with open(control) as f:
        text = f.read()
    path = f"{HOME}/{release}-build-{key(release, text, BUILD_HOST)}"
    with made_once(path) as folder:
        if folder:
            os.makedirs(f"{folder}/package/debian")
            shutil.copy(control, f"{folder}/package/debian/control")
            bootstrap(release, f"{folder}/it", BUILD_HOST, f'cp -r {folder}/package "$1/package"',
                      'DEBIAN_FRONTEND=noninteractive chroot "$1" apt-get -qy --no-install-recommends build-dep /package')
    return path


def run_in(root, folder, out, command):
    """A shell command in a build root, in a copy of FOLDER. All that it writes is thrown away but for what it puts into
    /out, which is OUT."""
    script = """set -eu
mount -t overlay -o "lowerdir=$1,upperdir=$4/upper,workdir=$4/work" overlay "$4/root"
mkdir -p "$4/root/out" "$4/root/source"
mount -t proc proc "$4/root/proc"
mount --bind "$3" "$4/root/out"
cp -a "$2/." "$4/root/source/"
exec chroot "$4/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 JOBS="${JOBS:-2}" \
    /bin/sh -c "cd /source; $5"
"""
    with tempfile.TemporaryDirectory(prefix="run-", dir=HOME) as work:
        for name in ("upper", "work", "root"):
            os.mkdir(f"{work}/{name}")
        run(*APART, "sh", "-c", script, "sh", root, folder, out, work, command)


class Machine:
    """repo: a folder for apt. Files that the command writes to /boot-work are in self.work."""
    EMULATOR_FAULT = None  # on the console: the emulator broke the kernel, not what ran there

    def __init__(self, path, repo=None):
        self.image, self.repo = path, repo
        self.status = self.seconds = None

    def __enter__(self):
        self.work = tempfile.mkdtemp(prefix="machine-", dir=HOME)
        os.chmod(self.work, 0o755)  # apt reads as a user of its own
        if self.repo:
            shutil.copytree(self.repo, f"{self.work}/repo")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.work, ignore_errors=True)

    def console(self):
        with open(f"{self.work}/console", errors="replace") as f:
            return f.read().replace("\r", "")

    def start(self, source):
        kernel = [f"{UML}/usr/bin/linux.uml", f"mem={MEMORY >> 20}M", f"ubd0={self.work}/disk,{self.image}", "root=/dev/ubda",
                  "rw", f"uml_dir={self.work}", "con=null", "con0=null,fd:1", "systemd.show_status=1", "systemd.unit=boot-work.target",
                  f"systemd.setenv=WORK={self.work}", f"systemd.setenv=SOURCE={source}"]
        # A process namespace, so that all of the kernel's processes end with the first; and a shell, because the first
        # process of a namespace does not get its own signals.
        command = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--", "/bin/sh", "-c", '"$@"; exit $?', "sh"]
        with open(f"{self.work}/console", "wb") as console:
            return guest.start(command + kernel, stdout=console, stderr=subprocess.STDOUT,
                               env={"PATH": os.environ["PATH"], "HOME": self.work, "TMPDIR": guest.memory_folder(MEMORY, HOME)})

    def collect(self):
        """What the machine wrote is in self.work."""

    def boot(self, command, source, seconds):
        """Yields the command's output, line by line. The time limit is for all of it, power-off included."""
        for name in ("output", "status", "status.new"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{self.work}/{name}")
        with open(f"{self.work}/command", "w") as f:
            f.write(command + "\n")
        open(f"{self.work}/output", "w").close()
        self.status = None
        begin = time.monotonic()
        p = self.start(source)
        try:
            with open(f"{self.work}/output", errors="replace") as output:
                ended, rest = False, ""
                while not ended:
                    ended = p.poll() is not None
                    if time.monotonic() - begin > seconds:
                        raise Failed(f"no end within {seconds} s")
                    *lines, rest = (rest + output.read()).split("\n")
                    yield from lines
                    if not ended:
                        time.sleep(0.1)
            if rest:
                yield rest
        finally:
            p.kill()
            p.wait()
        self.collect()
        self.seconds = time.monotonic() - begin
        with contextlib.suppress(FileNotFoundError), open(f"{self.work}/status") as f:
            self.status = int(f.read())
