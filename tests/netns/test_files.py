# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# weight: 170
"""How files change under a running daemon: each way of saving is noticed, once; nothing half written counts; links, mounts,
lost events, exhausted limits and odd times leave no hole. Cases are named after the field reports that they come from.

The number of services in every STATUS message shows each state that was ever in force."""
import contextlib
import ctypes
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import hosts
from tap import Skip, Tap, need_root

VARIANT = "nft"
# MinSyncPeriod=0 so that a surplus sync is not hidden in the next one; the debounce is longer than any edit takes
SETTINGS = "[Proxy]\nClusterCIDR=10.1.0.0/16\nNodeName=node-{}\n[IPTables]\nBackend=nft\n" \
    "[Sync]\nSyncPeriod=1h\nMinSyncPeriod=0\nConfigDebounce={}ms\n"
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x20000, 0x10000000, 0x40000000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
WAIT = 30  # seconds, for what takes a fraction of one
libc = ctypes.CDLL(None, use_errno=True)


def check(result):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def write(path, text):
    """In place."""
    with open(path, "w") as f:
        f.write(text)


def replace(path, text):
    write(f"{path}.new~", text)
    os.rename(f"{path}.new~", path)


def service(name, ip, endpoint):
    return f'{{ name = "{name}"; clusterIP = "{ip}"; ports = ( {{ port = 80; }} ); endpoints = [ "{endpoint}" ]; }}'


def services(*items):
    return "services = (\n  " + ",\n  ".join(service(*i) for i in items) + "\n);\n"


def web(n):
    """The service under test, of version n: always the same number of bytes."""
    return services(("web", "10.96.0.10", f"10.1.0.{n + 100}:8080"))


class PrivateMounts(hosts.Host):
    """A host whose processes have each their own mounts. prepare runs in them first."""

    def __init__(self, name, prepare=None):
        super().__init__(name)
        self.prepare = prepare

    def popen(self, command, **arguments):
        def enter():
            hosts.die_with_parent()
            hosts._setns(self.fd)
            check(libc.unshare(CLONE_NEWNS))
            check(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
            if self.prepare:
                self.prepare()
        return subprocess.Popen(command, preexec_fn=enter, **arguments)


class UserNamespace(hosts.Host):
    """A host that is root in a user namespace only, which has limits of its own."""

    def __init__(self, name, **limits):
        super().__init__(name)
        self.limits = limits

    def popen(self, command, **arguments):
        def enter():
            hosts.die_with_parent()
            check(libc.unshare(CLONE_NEWUSER | CLONE_NEWNET))
            for name, value in (("self/setgroups", "deny"), ("self/uid_map", "0 0 1"), ("self/gid_map", "0 0 1"),
                                *((f"sys/user/{k}", str(v)) for k, v in self.limits.items())):
                write(f"/proc/{name}", value)
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        return subprocess.Popen(command, preexec_fn=enter, **arguments)


class Setup:
    """The daemon in sync. before(root): makes the files."""

    def __init__(self, host=None, debounce=50, before=None):
        self.host = host or hosts.Host("router")
        self.debounce, self.before = debounce, before

    def __enter__(self):
        self.root = hosts.Root(SETTINGS.format(0, self.debounce))
        self.main = f"{self.root.etc}/svcroute.conf"
        self.path = f"{self.root.etc}/services.d/web.cfg"
        write(self.path, web(0))
        if self.before:
            self.before(self)
        self.daemon = hosts.Daemon(self.host, self.root)
        try:
            self.daemon.ready()
        except Exception:
            self.__exit__(True)
            raise
        self.pid = self.daemon.process.pid
        return self

    def __exit__(self, *args):
        self.daemon.__exit__(*args)
        self.root.__exit__()
        self.host.close()

    def ask(self, what):
        status, out, err = self.daemon.ctl(what, "--json")
        assert status == 0, err
        return json.loads(out)

    def status(self):
        return self.ask("status")

    def endpoints(self):
        return {e["endpoint"].split(":")[0] for e in self.ask("endpoints")}

    def names(self):
        return {s["name"].removeprefix("default/") for s in self.ask("services")}

    def wait(self, what, until):
        deadline = time.monotonic() + WAIT
        while not until():
            assert time.monotonic() < deadline, f"{what}: not within {WAIT} s; status: {self.status()}"
            time.sleep(0.03)

    def wait_for(self, n):
        """Version n of the service is in force, alone."""
        address = f"10.1.0.{n + 100}"
        self.wait(f"version {n}", lambda: {e for e in self.endpoints() if e.startswith("10.1.0.")} == {address})

    def counts(self):
        """Of services, in all states so far."""
        return [int(m[1]) for _, message in self.daemon.read_notify()
                if (m := re.search(r"(\d+) services", message.get("STATUS", "")))]

    def watched(self):
        """(instances, [(device, inode)]) of inotify."""
        instances, watches = 0, []
        for fd in glob.glob(f"/proc/{self.pid}/fd/*"):
            with contextlib.suppress(FileNotFoundError):
                instances += os.readlink(fd) == "anon_inode:inotify"
                with open(f"/proc/{self.pid}/fdinfo/{os.path.basename(fd)}") as f:
                    for line in f:
                        if m := re.match(r"inotify wd:\S+ ino:(\S+) sdev:(\S+)", line):
                            watches.append((int(m[2], 16), int(m[1], 16)))
        return instances, watches

    def is_watched(self, path):
        st = os.stat(path)
        device = os.major(st.st_dev) << 20 | os.minor(st.st_dev)
        return (device, st.st_ino) in self.watched()[1]

    def syncs(self):
        """How many there were when all that was noticed so far is written: a reload's sync comes last."""
        self.daemon.ctl("reload")
        return self.status()["syncs"]

    def no_sync(self, action, seconds=1.0):
        """What is of no interest: nothing comes of it."""
        before = self.syncs()
        action()
        time.sleep(seconds)
        after = self.status()["syncs"]
        assert after == before, f"{after - before} syncs"

    def inside(self, *command):
        """In the daemon's mount namespace."""
        subprocess.run(["nsenter", "-t", str(self.pid), "-m", *command], check=True)


# C52

def by_rename(path, text):
    replace(path, text)


def by_new_file(path, text):
    os.rename(path, f"{path}~")
    write(path, text)
    os.unlink(f"{path}~")


def by_sed(path, text):
    """The text is what it was but for numbers."""
    with open(path) as f:
        old = f.read()
    script = "".join(f"{n}c\\\n{new}\n" for n, (was, new) in enumerate(zip(old.splitlines(), text.splitlines()), 1)
                     if was != new)
    subprocess.run(["sed", "-i", script, path], check=True)


def by_install(path, text):
    write("new", text)
    subprocess.run(["install", "-m", "644", "new", path], check=True)


def by_cp(path, text):
    write("new", text)
    subprocess.run(["cp", "new", path], check=True)


def by_mv(path, text):
    with tempfile.NamedTemporaryFile("w", dir="/dev/shm", delete=False) as f:
        f.write(text)
    if os.stat(f.name).st_dev == os.stat(path).st_dev:
        os.unlink(f.name)
        raise Skip("only one file system")
    subprocess.run(["mv", "-f", f.name, path], check=True)


def by_hard_link(path, text):
    write("new", text)
    os.link("new", f"{path}.link~")
    os.rename(f"{path}.link~", path)
    os.unlink("new")


def by_dpkg(path, text):
    """What it does with a configuration file that the administrator let it replace."""
    with open(f"{path}.dpkg-new", "w") as f:
        os.fchmod(f.fileno(), 0o600)
        f.write(text)
        f.flush()
        os.fsync(f.fileno())
        os.fchmod(f.fileno(), 0o644)
    os.utime(f"{path}.dpkg-new", (0, 1500000000))
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"{path}.dpkg-old")
    os.link(path, f"{path}.dpkg-old")
    os.rename(f"{path}.dpkg-new", path)


WAYS = (by_rename, by_new_file, by_sed, by_install, by_cp, by_mv, by_hard_link, by_dpkg)


def five_edits(s, way):
    slowest = 0
    with tempfile.TemporaryDirectory(dir=s.root.path) as scratch:
        os.chdir(scratch)
        try:
            for path in (s.path, s.main):
                before, late = s.syncs(), 0
                for n in range(1, 6):
                    start = time.monotonic()
                    way(path, web(n) if path == s.path else SETTINGS.format(n, s.debounce))
                    late += time.monotonic() - start > s.debounce / 2000  # the machine stood still: it may be two then
                    if path == s.path:
                        s.wait_for(n)
                    else:
                        s.wait(f"edit {n} of the main file", lambda: s.status()["nodeName"] == f"node-{n}")
                    s.wait("the end of its sync", lambda: s.status()["syncs"] >= before + n)
                    slowest = max(slowest, time.monotonic() - start)
                time.sleep(0.2 + s.debounce / 1000)
                syncs = s.status()["syncs"] - before
                assert 5 <= syncs <= 5 + late, f"{syncs} syncs for 5 edits of {os.path.basename(path)}"
        finally:
            os.chdir("/")
    print(f"# the slowest edit was in force after {slowest:.1f} s", flush=True)
    assert min(s.counts()) == 1, f"services, state after state: {s.counts()}"
    assert any("10.1.0.105:8080" in line for line in s.host.save("v4", VARIANT).splitlines())
    write(s.path, web(0))
    s.wait_for(0)


# C53

def point_by_ln(target, link):
    subprocess.run(["ln", "-sfn", target, link], check=True)


def point_by_rename(target, link):
    os.symlink(target, f"{link}.new~")
    os.rename(f"{link}.new~", link)


def linked_main(s, point):
    """etc/svcroute -> ../releases/N. How to point to release N, and the file in it."""
    releases = f"{s.root.path}/releases"
    for n in (1, 2, 3):
        shutil.copytree(s.root.etc, f"{releases}/{n}")
    shutil.rmtree(s.root.etc)
    os.symlink("../releases/1", s.root.etc)
    return lambda n: point(f"../releases/{n}", s.root.etc), lambda n: f"{releases}/{n}/services.d/web.cfg"


def linked_directory(s, point):
    """services.d -> /.../N, absolute."""
    directory = f"{s.root.etc}/services.d"
    for n in (1, 2, 3):
        shutil.copytree(directory, f"{s.root.path}/far/{n}")
    shutil.rmtree(directory)
    os.symlink(f"{s.root.path}/far/1", directory)
    return lambda n: point(f"{s.root.path}/far/{n}", directory), lambda n: f"{s.root.path}/far/{n}/web.cfg"


def linked_file(s, point):
    """web.cfg -> ../../../far/N/any.text"""
    for n in (1, 2, 3):
        os.makedirs(f"{s.root.path}/far/{n}")
        shutil.copy(s.path, f"{s.root.path}/far/{n}/any.text")
    os.unlink(s.path)
    os.symlink("../../../far/1/any.text", s.path)
    return lambda n: point(f"../../../far/{n}/any.text", s.path), lambda n: f"{s.root.path}/far/{n}/any.text"


def linked_twice(s, point):
    """web.cfg -> /.../current/any.text, current -> N: it is the second link that is swapped."""
    for n in (1, 2, 3):
        os.makedirs(f"{s.root.path}/far/{n}")
        shutil.copy(s.path, f"{s.root.path}/far/{n}/any.text")
    os.unlink(s.path)
    os.symlink("1", f"{s.root.path}/far/current")
    os.symlink(f"{s.root.path}/far/current/any.text", s.path)
    return lambda n: point(f"{n}", f"{s.root.path}/far/current"), lambda n: f"{s.root.path}/far/{n}/any.text"


def linked_data(s, point):
    """web.cfg -> ..data/web.cfg, ..data -> ..N: as containers are given files."""
    directory = os.path.dirname(s.path)
    for n in (1, 2, 3):
        os.makedirs(f"{directory}/..{n}")
        shutil.copy(s.path, f"{directory}/..{n}/web.cfg")
    os.unlink(s.path)
    os.symlink("..1", f"{directory}/..data")
    os.symlink("..data/web.cfg", s.path)
    return lambda n: point(f"..{n}", f"{directory}/..data"), lambda n: f"{directory}/..{n}/web.cfg"


def links(layout, point):
    with Setup() as s:
        go, path = layout(s, point)
        s.daemon.reload()
        assert s.is_watched(os.path.dirname(path(1))), "the target's directory is not watched"
        write(path(1), web(1))
        s.wait_for(1)
        write(path(2), web(2))
        go(2)
        s.wait_for(2)
        assert not s.is_watched(os.path.dirname(path(1))), "the old target's directory is still watched"
        write(path(2), web(3))
        s.wait_for(3)
        replace(path(2), web(4))
        s.wait_for(4)
        s.no_sync(lambda: write(path(1), web(5)))
        # nothing is there for a second: what was in force stays
        go("nowhere")
        s.wait("a dangling link is refused", lambda: s.status()["state"] == "degraded")
        time.sleep(1)
        assert s.names() == {"web"} and s.endpoints() == {"10.1.0.104"}, s.endpoints()
        write(path(3), web(6))
        go(3)
        s.wait_for(6)
        s.wait("all is well again", lambda: s.status()["state"] == "ok")
        # the target's directory is replaced by another of the same name
        directory = os.path.dirname(path(3))
        shutil.copytree(directory, f"{directory}-new", symlinks=True)
        write(path("3-new") if layout is not linked_main else f"{directory}-new/web.cfg", web(7))
        os.rename(directory, f"{directory}-old")
        os.rename(f"{directory}-new", directory)
        s.wait_for(7)
        write(path(3), web(8))
        s.wait_for(8)
        assert min(s.counts()) == 1, s.counts()


# C54

def rewrite(path, text, rng):
    """As a tool does that truncates first and thinks then."""
    with open(path, "w") as f:
        time.sleep(rng.choice((0, 0.02, 0.12)))
        third = len(text) // 3 + 1
        for at in range(0, len(text), third):
            f.write(text[at:at + third])
            f.flush()
            time.sleep(0.05)


def rewrites(s):
    """200 in place, of ten files with three services each."""
    def text(k, n):
        return services(*((f"f{k}-{i}", f"10.96.{k + 1}.{i + 1}", f"10.1.{k + 1}.{n + 1}:80") for i in range(3)))

    def writer(k):
        rng = random.Random(k)
        for n in range(1, 21):
            rewrite(f"{s.root.etc}/services.d/f{k}.cfg", text(k, n), rng)

    for k in range(10):
        s.root.write(f"services.d/f{k}.cfg", text(k, 0))
    s.wait("all are in force", lambda: s.status()["services"] == 31)
    seen = len(s.counts())
    threads = [threading.Thread(target=writer, args=(k,)) for k in range(10)]
    for t in threads:
        t.start()
    while any(t.is_alive() for t in threads):
        s.daemon.read_notify(0.1)
    wanted = {f"10.1.{k + 1}.21" for k in range(10)}
    s.wait("the last versions", lambda: {e for e in s.endpoints() if not e.startswith("10.1.0.")} == wanted)
    s.wait("all is well", lambda: s.status()["state"] == "ok")
    counts = s.counts()[seen:]
    print(f"# 200 rewrites: {len(counts)} states", flush=True)
    assert len(counts) > 1 and set(counts) == {31}, f"services, state after state: {counts}"
    # half a file would be refused for what it lacks; being written is the only reason there may be
    bad = [line for line in s.daemon.text().splitlines() if ".cfg:" in line and "open for writing" not in line]
    assert not bad, bad[:3]


def stalled_writer(s):
    """Five seconds with the file open, empty, then with half of it; a reload meanwhile changes nothing."""
    text = web(30)
    with open(s.path, "w") as f:
        for part in (text[:len(text) // 2], ""):
            deadline = time.monotonic() + 2.5
            while time.monotonic() < deadline:
                time.sleep(0.5)
                assert s.endpoints() == {"10.1.0.100"}, s.endpoints()
            s.daemon.ctl("reload")
            assert s.endpoints() == {"10.1.0.100"}, s.endpoints()
            assert s.status()["services"] == 1
            f.write(part)
            f.flush()
        f.write(text[len(text) // 2:])
    s.wait_for(30)
    s.wait("all is well", lambda: s.status()["state"] == "ok")
    assert min(s.counts()) == 1, s.counts()


def emptied(s):
    """On purpose; and deleted."""
    write(s.path, "")
    s.wait("no services", lambda: s.status()["services"] == 0)
    s.wait("nothing is wrong with that", lambda: s.status()["state"] == "ok")
    write(s.path, web(1))
    s.wait_for(1)
    os.unlink(s.path)
    s.wait("no services", lambda: s.status()["services"] == 0)
    assert s.status()["state"] == "ok", s.status()


def emptied_hides(s):
    """An empty file in /etc masks the one in /usr/lib; one that is being written keeps what was in force."""
    lib = f"{s.root.path}/usr/lib/svcroute/services.d/web.cfg"
    os.makedirs(os.path.dirname(lib))
    write(lib, web(1))
    with open(s.path, "w") as f:
        s.daemon.ctl("reload")
        assert s.endpoints() == {"10.1.0.100"}, s.endpoints()
        f.write(web(2))
    s.wait_for(2)
    write(s.path, "")
    s.wait("the mask", lambda: s.status()["services"] == 0)
    os.unlink(s.path)
    s.wait_for(1)


def born_slowly(s):
    """A new file takes part when it is closed, and not before."""
    path = f"{s.root.etc}/services.d/late.cfg"
    with open(path, "w") as f:
        f.write(services(("one", "10.96.2.1", "10.1.2.1:80")))
        f.flush()
        s.daemon.ctl("reload")
        assert s.names() == {"web"}, s.names()
    s.wait("it", lambda: s.names() == {"web", "one"})
    os.unlink(path)
    s.wait("it is gone", lambda: s.names() == {"web"})


def start_beside_a_writer():
    """The daemon starts while a file is half written: it is left out until it is closed."""
    with contextlib.ExitStack() as stack:
        def begin(s):
            s.late = stack.enter_context(open(f"{s.root.etc}/services.d/late.cfg", "w"))
            s.late.write(services(("one", "10.96.2.1", "10.1.2.1:80"))[:40])
            s.late.flush()
        with Setup(before=begin) as s:
            assert s.names() == {"web"}, s.names()
            s.late.write(services(("one", "10.96.2.1", "10.1.2.1:80"))[40:])
            s.late.close()
            s.wait("it", lambda: s.names() == {"web", "one"})
            s.wait("all is well", lambda: s.status()["state"] == "ok")


def without_leases():
    """Files of another user, without the right to ask who writes them: they count when they are left alone."""
    def before(s):
        os.chown(s.path, 12345, 12345)
        os.utime(s.path, (0, 1500000000))
    with Setup(UserNamespace("router"), before=before) as s:
        for n in (1, 2, 3):
            write(s.path, web(n))
            s.wait_for(n)
            s.wait("all is well", lambda: s.status()["state"] == "ok")
        assert min(s.counts()) == 1, s.counts()
        write(s.path, "")
        s.wait("no services", lambda: s.status()["services"] == 0)


# C55

def overflow(s):
    """The queue is full: what happens then, the kernel does not tell."""
    with open("/proc/sys/fs/inotify/max_queued_events") as f:
        limit = int(f.read())
    other = f"{s.root.etc}/services.d/other.cfg"
    write(other, services(("other", "10.96.0.20", "10.1.3.1:80")))
    s.wait("both", lambda: s.names() == {"web", "other"})
    os.kill(s.pid, signal.SIGSTOP)
    try:
        for _ in range(limit // 2 + 100):  # two in turn, for equal neighbours count as one
            os.chmod(s.path, 0o644)
            os.chmod(other, 0o644)
        for n in range(200):
            write(f"{s.root.etc}/services.d/n{n}.cfg", services((f"n{n}", f"10.96.1.{n + 1}", f"10.1.1.{n + 1}:80")))
        os.unlink(other)
        write(s.path, web(1))
        os.mkdir(f"{s.root.path}/run/svcroute/endpoints.d")
    finally:
        os.kill(s.pid, signal.SIGCONT)
    s.wait("all", lambda: s.names() == {"web"} | {f"n{n}" for n in range(200)})
    s.wait_for(1)
    assert s.is_watched(f"{s.root.path}/run/svcroute/endpoints.d")
    write(s.path, web(2))
    s.wait_for(2)


def one_instance(s):
    """Watches are on directories, however many files there are."""
    before = len(s.watched()[1])
    for n in range(100):
        write(f"{s.root.etc}/services.d/n{n}.cfg", services((f"n{n}", f"10.96.1.{n + 1}", f"10.1.1.{n + 1}:80")))
    s.wait("all", lambda: s.status()["services"] == 101)
    s.daemon.reload()
    instances, watches = s.watched()
    assert instances == 1, instances
    assert len(watches) == before <= 25, (before, len(watches))


def limit(name, sysctl):
    """Nothing is left of what inotify needs when the daemon starts; later there is."""
    with Setup(UserNamespace("router", **{name: 0})) as s:
        def told(text):
            return sum(text in line for line in s.daemon.text().splitlines())
        assert told(sysctl) == 1, s.daemon.text()
        assert not s.watched()[1]
        write(s.path, web(1))
        s.wait_for(1)
        replace(s.main, SETTINGS.format("x", 50))
        s.wait("the main file", lambda: s.status()["nodeName"] == "node-x")
        write(s.path, web(2))
        s.daemon.process.send_signal(signal.SIGHUP)
        s.wait_for(2)
        os.makedirs(f"{s.root.path}/run/svcroute/services.d")
        write(f"{s.root.path}/run/svcroute/services.d/one.cfg", services(("one", "10.96.2.1", "10.1.2.1:80")))
        s.wait("a directory that came", lambda: s.names() == {"web", "one"})
        assert told(sysctl) == 1, s.daemon.text()
        subprocess.run(["nsenter", "-t", str(s.pid), "-U", "--preserve-credentials", "sh", "-c",
                        f"echo 100 >/proc/sys/user/{name}"], check=True)
        s.daemon.reload()
        assert s.watched()[0] == 1 and s.is_watched(f"{s.root.etc}/services.d")
        assert told("watched again") == 1, s.daemon.text()
        write(s.path, web(3))
        s.wait_for(3)


# C56

def other_names(s):
    directory = f"{s.root.etc}/services.d"
    write(f"{directory}/10-a.cfg", services(("a", "10.96.4.1", "10.1.4.1:80")))
    write(f"{directory}/20-b.cfg", services(("b", "10.96.4.2", "10.1.4.2:80")))
    s.wait("both", lambda: s.names() == {"web", "a", "b"})
    os.unlink(f"{directory}/20-b.cfg")
    s.wait("b is gone", lambda: s.names() == {"web", "a"} and "10.1.4.2" not in s.endpoints())
    write(f"{directory}/10-a.cfg", services(("a", "10.96.4.1", "10.1.4.3:80")))
    s.wait("a's new endpoint", lambda: s.endpoints() == {"10.1.0.100", "10.1.4.3"})
    s.wait("no trace of the old ones", lambda: not re.search(r"10\.1\.4\.[12]:80", s.host.save("v4", VARIANT)))

    def leave():
        for name in (".10-a.cfg.swp", "10-a.cfg~", "#x#", "#x.cfg", "x.cfg.dpkg-new", "x.cfg.dpkg-dist", "x.rpmsave", "x.tmp",
                     "4913"):
            write(f"{directory}/{name}", services(("x", "10.96.4.9", "10.1.4.9:80")))
    s.no_sync(leave)
    s.daemon.reload()
    assert s.names() == {"web", "a"}, s.names()
    os.mkdir(f"{directory}/y.cfg")
    s.wait("a directory is refused", lambda: s.status()["filesRefused"] == 1)
    assert s.names() == {"web", "a"} and s.endpoints() == {"10.1.0.100", "10.1.4.3"}
    os.rmdir(f"{directory}/y.cfg")
    s.wait("all is well", lambda: s.status()["state"] == "ok")


def unreadable():
    """For a daemon whose user it is not: what was in force stays."""
    with Setup(UserNamespace("router")) as s:
        os.chown(s.path, 12345, 12345)
        os.chmod(s.path, 0)
        s.wait("it is refused", lambda: s.status()["filesRefused"] == 1)
        assert s.endpoints() == {"10.1.0.100"}
        os.chmod(s.path, 0o644)
        s.wait("all is well", lambda: s.status()["state"] == "ok")


# Directories and mounts

def removed_and_made_again(s):
    for n in range(3):
        shutil.rmtree(f"{s.root.etc}/services.d")
        s.wait("no services", lambda: s.status()["services"] == 0)
        os.mkdir(f"{s.root.etc}/services.d")
        write(s.path, web(n))
        s.wait_for(n)
    # without a pause, and all of it
    shutil.copytree(s.root.etc, f"{s.root.path}/copy")
    shutil.rmtree(s.root.etc)
    os.rename(f"{s.root.path}/copy", s.root.etc)
    write(s.path, web(5))
    s.wait_for(5)


def bind_mounts():
    with Setup(PrivateMounts("router")) as s:
        other = f"{s.root.path}/other"
        os.mkdir(other)
        write(f"{other}/web.cfg", web(1))
        directory = f"{s.root.etc}/services.d"
        s.inside("mount", "--bind", other, directory)
        s.wait_for(1)
        write(f"{other}/web.cfg", web(2))
        s.wait_for(2)
        s.inside("umount", directory)
        s.wait_for(0)
        write(s.path, web(3))
        s.wait_for(3)
        # over the file; its own events come, for it is in another directory, from a look at its mount only
        s.inside("mount", "--bind", f"{other}/web.cfg", s.path)
        s.wait_for(2)
        s.inside("umount", s.path)
        s.wait_for(3)
        # a fresh file system over the whole
        s.inside("mount", "-t", "tmpfs", "none", s.root.etc)
        s.wait("nothing is there", lambda: s.status()["services"] == 0)
        os.makedirs(f"/proc/{s.pid}/root/{s.root.etc}/services.d")
        write(f"/proc/{s.pid}/root/{s.path}", web(4))
        s.wait_for(4)
        s.inside("umount", s.root.etc)
        s.wait_for(3)


def overlay():
    """Edits through the overlay, and of its layers behind its back."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as layers:
        for d in ("upper", "work"):
            os.mkdir(f"{layers}/{d}")

        def prepare():
            options = f"lowerdir={s.root.etc},upperdir={layers}/upper,workdir={layers}/work"
            subprocess.run(["mount", "-t", "overlay", "none", "-o", options, s.root.etc], check=True)
        s = Setup(PrivateMounts("router", prepare))
        with s:
            inside = f"/proc/{s.pid}/root/{s.path}"
            lower = f"{s.root.etc}/services.d/low.cfg"
            write(lower, services(("low", "10.96.5.1", "10.1.5.1:80")))
            s.wait("a file that came below", lambda: s.names() == {"web", "low"})
            # (a file that is replaced there the overlay itself does not see)
            write(lower, services(("low", "10.96.5.1", "10.1.5.2:80")))
            s.wait("it changed", lambda: "10.1.5.2" in s.endpoints())
            write(inside, web(1))
            s.wait_for(1)
            replace(inside, web(2))
            s.wait_for(2)


# Times

def odd_times(s):
    """The time of a file says nothing: past, future, or the same as before, with the same size."""
    st = os.stat(s.path)
    n = 0
    for when in (1, 1000000000, 4000000000, 1000000000, st.st_mtime):
        for way in (write, replace):
            n += 1
            way(s.path, web(n))
            os.utime(s.path, (when, when))
            s.wait_for(n)
    # nothing but the content changes, twice; first in place, then as a new file
    for way in (write, replace):
        n += 1
        old = os.stat(s.path)
        way(f"{s.path}.new~" if way is replace else s.path, web(n))
        if way is replace:
            os.rename(f"{s.path}.new~", s.path)
        os.utime(s.path, ns=(old.st_atime_ns, old.st_mtime_ns))
        new = os.stat(s.path)
        assert (new.st_size, new.st_mtime_ns) == (old.st_size, old.st_mtime_ns)
        s.wait_for(n)


def main():
    need_root()
    os.chdir("/")
    t = Tap()
    with Setup(debounce=250) as s:
        for way in WAYS:
            with t.case(f"C52 five edits each {way.__name__.replace('_', ' ')}: each one sync, never without the service"):
                five_edits(s, way)
    for layout in (linked_main, linked_directory, linked_file, linked_twice, linked_data):
        for point in (point_by_ln, point_by_rename):
            with t.case(f"C53 {layout.__name__.replace('_', ' ')}, swapped {point.__name__[6:].replace('_', ' ')}"):
                links(layout, point)
    for name, test in (("C54 200 rewrites in place", rewrites), ("C54 a writer that stalls for 5 s", stalled_writer),
                       ("C54 emptied on purpose, deleted", emptied), ("C54 empty, or not yet a mask", emptied_hides),
                       ("C54 a new file that is written slowly", born_slowly),
                       ("C55 the queue of events overflows", overflow), ("C55 one instance, directories only", one_instance),
                       ("C56 deletion, and names that do not count", other_names),
                       ("directory removed and made again", removed_and_made_again),
                       ("times of files that jump", odd_times)):
        with t.case(name):
            with Setup() as s:
                test(s)
    for name, test in (("C54 start beside a writer", start_beside_a_writer),
                       ("C54 files of which the kernel does not tell who writes them", without_leases),
                       ("C55 no inotify instance left", lambda: limit("max_inotify_instances", "max_user_instances")),
                       ("C55 no watches left", lambda: limit("max_inotify_watches", "max_user_watches")),
                       ("C56 a file without the right to read it", unreadable),
                       ("bind mounts over a directory, a file, the whole", bind_mounts), ("overlay", overlay)):
        with t.case(name):
            test()
    t.done()


main()
