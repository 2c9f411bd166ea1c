# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
# weight: 70
"""The last good state outlives the daemon and the kernel: after a boot with broken files the last good content of each is
in force, and everybody who asks is told. Whatever state the state directory is in, the daemon runs and serves.

A boot is a new network namespace: no rules, no counters. Mounts are made in a mount namespace of this program's own.

test_last_good.py [WORD...]    cases with one of these words in their names"""
import contextlib
import ctypes
import fcntl
import hashlib
import json
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

import hosts
from tap import SVCROUTED, Tap, need_root

SEED = os.environ.get("SVCROUTE_SEED", "20261130")
KILLS = int(os.environ.get("SVCROUTE_KILLS", "12"))
SETTINGS = "[Proxy]\nClusterCIDR=10.1.0.0/16\n[IPTables]\nBackend={}\n[Sync]\nMinSyncPeriod=0\nConfigDebounce=1ms\n"
CLONE_NEWNS = 0x20000


def service(name, ip, endpoint):
    return (f'services = (\n  {{ name = "{name}"; clusterIP = "{ip}"; ports = ( {{ port = 80; }} );\n'
            f'    endpoints = [ "{endpoint}:8080" ]; }}\n);\n')


A, B, C = (service(name, f"10.96.0.{n}", f"10.1.0.{n}") for n, name in enumerate("abc", 1))
B_NEW, C_NEW = service("b", "10.96.0.2", "10.1.1.2"), service("c", "10.96.0.3", "10.1.1.3")
B_WRONG = B.replace("port = 80;", "port = 800000;")


def wait_until(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.02)
    return found


class Machine:
    """A host that can be booted again and again; what is below its root stays."""

    def __init__(self, variant="nft", files=None):
        self.variant = variant
        self.root = hosts.Root(SETTINGS.format(variant))
        self.state = f"{self.root.path}/var/lib/svcroute"
        self.accepted = f"{self.state}/accepted"
        self.host = self.daemon = None
        self.mounts = []
        for name, text in (files or {"a": A, "b": B, "c": C}).items():
            self.root.write(f"services.d/{name}.cfg", text)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            with contextlib.suppress(OSError), open(f"{self.root.path}/log") as f:
                print("# svcrouted said:\n" + "".join(f"#   {line}" for line in f.readlines()[-30:]), flush=True)
        self.down(signal.SIGKILL)
        for path in reversed(self.mounts):
            subprocess.run(["umount", "-l", path], check=False)
        self.root.__exit__()

    def path(self, name):
        return f"{self.root.etc}/services.d/{name}.cfg"

    def write(self, name, text):
        self.root.write(f"services.d/{name}.cfg", text)

    def start(self):
        """Boots, without waiting until the daemon is ready."""
        self.host = hosts.Host("router")
        self.host.ip("link add eth0 type veth peer name eth0x", "addr add 192.0.2.10/24 dev eth0", "link set eth0 up",
                     "link set eth0x up")
        self.log_before = os.path.getsize(f"{self.root.path}/log") if os.path.exists(f"{self.root.path}/log") else 0
        self.daemon = hosts.Daemon(self.host, self.root)
        return self

    def boot(self):
        self.start().daemon.ready()
        return self

    def down(self, how=signal.SIGTERM):
        """What is not kept yet is kept, unless it is killed; the kernel's rules are lost."""
        if self.daemon:
            status = self.daemon.stop(how)
            self.daemon = None
            assert how == signal.SIGKILL or status == 0, f"status {status}"
        if self.host:
            self.host.close()
            self.host = None

    def kill(self, child_too):
        """kill -9 of the daemon. A save that its child is at is killed as well, or waited for."""
        pid = self.daemon.process.pid
        self.daemon.process.send_signal(signal.SIGSTOP)
        wait_until(lambda: state_of(pid) == "T", "the daemon stops")
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            children = [int(c) for c in f.read().split()]
        if child_too:  # while its parent keeps the number from being used again
            for child in children:
                os.kill(child, signal.SIGKILL)
        self.down(signal.SIGKILL)
        for child in children:
            wait_until(lambda: state_of(child) in (None, "Z"), "the child ends")
        return len(children)

    def reboot(self):
        self.down()
        return self.boot()

    def once(self):
        """`svcrouted --once` on a new host: (status, standard error)."""
        self.down()
        self.host = hosts.Host("router")
        p = self.host.finish([SVCROUTED, "--root", self.root.path, "--once"],
                             env=dict(os.environ, XTABLES_LOCKFILE=f"{self.root.path}/xtables.lock"))
        return p.returncode, p.stderr

    def said(self):
        """The log since the last boot."""
        with open(f"{self.root.path}/log") as f:
            f.seek(self.log_before)
            return f.read()

    def status(self):
        return json.loads(self.daemon.ctl("status", "--json")[1])

    def served(self):
        """Where the kernel sends to."""
        return sorted(re.findall(r"--to-destination ([0-9.]+):", self.host.save("v4", self.variant)))

    def serves(self, *endpoints):
        got = self.served()
        assert got == sorted(endpoints), f"{got}, not {sorted(endpoints)}"

    def wait_for(self, *endpoints):
        wait_until(lambda: self.served() == sorted(endpoints), f"{endpoints} served")

    def index(self):
        """{id: (hash, size, since, path)}, None when there is no index."""
        try:
            with open(f"{self.accepted}/index", "rb") as f:
                text = f.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        lines = text.decode().splitlines()
        assert lines[0].startswith("svcroute-accepted 1."), lines[0]
        body = text[:text.rindex(b"checksum ")]
        assert lines[-1] == f"checksum {hashlib.sha256(body).hexdigest()}", "checksum of the index"
        rows = [line.split() for line in lines[1:-1]]
        return {r[4]: (r[1], int(r[2]), int(r[3]), r[5]) for r in rows if r[0] == "file"}

    def kept(self, name, kind=1):
        """The content that is kept of a file; None for none."""
        entry = (self.index() or {}).get(f"{kind}/{name}")
        if not entry:
            return None
        with open(f"{self.accepted}/{entry[0]}", "rb") as f:
            text = f.read()
        assert hashlib.sha256(text).hexdigest() == entry[0] and len(text) == entry[1], "a content that is not what it is called"
        return text.decode()

    def wait_until_kept(self, **texts):
        for name, text in texts.items():
            wait_until(lambda: self.kept(f"{name}.cfg") == text, f"{name}.cfg is kept as {text!r}")

    def prepared(self):
        """All files are kept, and the machine is down."""
        self.boot()
        self.down()
        assert set(self.index()) == {"0/svcroute.conf"} | {f"1/{n}" for n in os.listdir(f"{self.root.etc}/services.d")}
        return self

    def mount(self, path, *arguments):
        os.makedirs(path, exist_ok=True)
        subprocess.run(["mount", *arguments, path], check=True)
        self.mounts.append(path)

    def unmount(self):
        subprocess.run(["umount", self.mounts.pop()], check=True)

    def degraded(self, path, line=None, since=None):
        """All that there is to be told of one refused file is told. (The message about a clash stands at one of the two
        files and names the other.)"""
        s = self.status()
        assert s["state"] == "degraded" and s["filesRefused"] == 1, s
        assert [r["file"] for r in s["refused"]] == [path], s["refused"]
        assert s["refused"][0]["lastGood"] == since, f"{s['refused']}, not since {since}"
        errors = [d for d in s["diagnostics"] if d["severity"] == "error"]
        assert len(errors) == 1, errors
        place = path + (f":{line}" if line else ":")
        where = (f"{errors[0]['file']}:{errors[0]['line']}", errors[0]["reason"] + ":")
        assert where[0] == f"{path}:{line or 0}" or f" {place}:" in where[1], f"{where} without {place}"
        ready = self.daemon.wait_for("READY")[1]["STATUS"]
        assert place in ready and (since is None or since in ready), ready
        status, _, err = self.daemon.ctl("reload")
        assert status == 3 and place in err, f"reload: {status} {err}"
        text = self.daemon.ctl("status")[1]
        assert path in text and (since or "left out") in text, text

    def fine(self):
        status, _, err = self.daemon.ctl("reload")
        assert status == 0, err
        s = self.status()
        assert s["state"] == "ok" and s["filesRefused"] == 0 and s["refused"] == [], s
        wait_until(lambda: "refused" not in [m for _, m in self.daemon.read_notify() if "STATUS" in m][-1]["STATUS"],
                   "nothing refused in STATUS=")


def state_of(pid):
    """"S", "T", "Z" and so on; None when there is no such process."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def utc(usec):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(usec // 1000000))


def snapshot(path):
    """All that a write would change."""
    found = {}
    for directory, _, names in os.walk(path):
        for name in [".", *names]:
            st = os.lstat(f"{directory}/{name}")
            found[f"{directory}/{name}"] = (st.st_ino, st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_mode)
    return found


# What is kept, and when

def kept_at_first_start():
    with Machine() as m:
        before = time.time()
        m.boot().wait_until_kept(a=A, b=B, c=C)
        assert m.kept("svcroute.conf", 0) == SETTINGS.format("nft")
        assert len(m.index()) == 4
        for _, _, since, path in m.index().values():
            assert before - 1 < since / 1e6 < time.time() + 1, since
            assert path.startswith(m.root.etc), path
        for path, (_, _, _, _, mode) in snapshot(m.accepted).items():
            assert stat.S_IMODE(mode) == (0o700 if path.endswith("/.") else 0o600), f"{path}: {mode:o}"
        names = {e[0] for e in m.index().values()}
        wait_until(lambda: set(os.listdir(m.accepted)) == names | {"index"}, "nothing else is there")
        assert m.status()["stateError"] is None


def kept_only_what_the_kernel_has():
    with Machine("legacy") as m, open(f"{m.root.path}/xtables.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        m.start()
        wait_until(lambda: "sync failed" in m.said(), "a failed sync")
        assert m.index() is None, "kept before the kernel had it"
        fcntl.flock(lock, fcntl.LOCK_UN)
        m.daemon.ready()
        m.wait_until_kept(b=B)
        fcntl.flock(lock, fcntl.LOCK_EX)
        m.write("b", B_NEW)
        assert m.daemon.ctl("reload")[0] == 1
        m.down()
        assert m.kept("b.cfg") == B, "kept before the kernel had it"


def edits_are_kept():
    with Machine() as m:
        m.boot().wait_until_kept(a=A, b=B)
        since = m.index()["1/a.cfg"][2]
        m.write("b", B_NEW)
        m.write("d", service("d", "10.96.0.4", "10.1.0.4"))
        os.unlink(m.path("c"))
        m.wait_until_kept(b=B_NEW)  # by itself
        m.down()
        assert set(m.index()) == {"0/svcroute.conf", "1/a.cfg", "1/b.cfg", "1/d.cfg"}
        assert m.index()["1/a.cfg"][2] == since
        assert set(os.listdir(m.accepted)) == {e[0] for e in m.index().values()} | {"index"}, "old contents go"


def nothing_is_written_without_a_change():
    with Machine() as m:
        before = snapshot(m.prepared().state)
        m.boot()
        os.utime(m.path("a"))
        m.write("b", B)  # another file, the same text
        assert m.daemon.ctl("reload")[0] == 0
        assert m.daemon.ctl("resync")[0] == 0
        m.down()
        m.boot().down()
        assert snapshot(m.state) == before


def ready_does_not_wait_for_the_disk():
    """Somebody has the lock of the directory for as long as we like: as slow as a disk can be."""
    with Machine() as m:
        os.makedirs(m.accepted, 0o700)
        fd = os.open(m.accepted, os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        m.boot()
        m.serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
        m.write("b", B_NEW)
        assert m.daemon.ctl("reload")[0] == 0
        m.serves("10.1.0.1", "10.1.1.2", "10.1.0.3")
        assert m.index() is None, "this test looks at nothing"
        os.close(fd)
        m.wait_until_kept(b=B_NEW)


def many_files():
    n = 2000
    files = {f"s{i}": service(f"s{i}", f"10.96.{i // 250}.{i % 250 + 1}", f"10.1.{i // 250}.{i % 250 + 1}") for i in range(n)}
    with Machine(files=files) as m:
        start = time.monotonic()
        m.boot()
        ready = time.monotonic()
        wait_until(m.index, "an index", 60)
        kept = time.monotonic()
        assert len(m.index()) == n + 1 and m.kept("s1999.cfg") == files["s1999"]
        print(f"# note: {n} files: ready after {ready - start:.2f} s, kept {kept - ready:.2f} s later", flush=True)
        m.down()
        m.write("s1000", "services = (")
        os.unlink(m.path("s1001"))
        m.boot()
        assert len(m.served()) == n - 1 and "10.1.4.1" in m.served() and "10.1.4.2" not in m.served()


# A boot with broken files

def wrong_value(path):
    with open(path, "w") as f:
        f.write(B_WRONG)


def cut_off(path):
    os.truncate(path, len(B) // 2)


def garbage(path):
    with open(path, "wb") as f:
        f.write(random.Random(SEED).randbytes(5000))


def zeroes(path):
    with open(path, "wb") as f:
        f.write(bytes(len(B)))


def dangling_link(path):
    os.unlink(path)
    os.symlink("/nowhere/at/all", path)


def directory(path):
    os.unlink(path)
    os.mkdir(path)


def fifo(path):
    os.unlink(path)
    os.mkfifo(path)


def too_large(path):
    os.truncate(path, 1 << 30)


BROKEN = ((wrong_value, 2), (cut_off, ...), (garbage, ...), (zeroes, ...), (dangling_link, None), (directory, None), (fifo, None),
          (too_large, None))


def broken_file(how, line):
    with Machine() as m:
        m.prepared()
        since = utc(m.index()["1/b.cfg"][2])
        how(m.path("b"))
        m.write("c", C_NEW)
        for _ in range(2):  # a second boot as well
            m.boot()
            m.serves("10.1.0.1", "10.1.0.2", "10.1.1.3")
            if line is ...:
                line = next(d["line"] for d in m.status()["diagnostics"] if d["severity"] == "error")
                assert line > 0
            m.degraded(m.path("b"), line, since)
            m.down()
            assert m.kept("b.cfg") == B and m.kept("c.cfg") == C_NEW and utc(m.index()["1/b.cfg"][2]) == since
        m.boot()
        if os.path.isdir(m.path("b")):
            os.rmdir(m.path("b"))
        m.write("b", B_NEW)
        m.fine()
        m.serves("10.1.0.1", "10.1.1.2", "10.1.1.3")
        m.down()
        assert m.kept("b.cfg") == B_NEW


def broken_without_last_good():
    with Machine() as m:
        m.prepared()
        m.write("new", B_WRONG.replace('"b"', '"new"').replace("0.2", "0.9"))
        m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
        m.degraded(m.path("new"), 2)
        assert "left out" in m.daemon.wait_for("READY")[1]["STATUS"]


def broken_endpoints():
    text = 'endpoints = ( { service = "a"; ports = ( { port = 8080; } ); endpoints = [ "10.1.0.%d" ]; } );\n'
    with Machine() as m:
        m.write("a", A.replace('    endpoints = [ "10.1.0.1:8080" ];', ""))
        m.root.write("endpoints.d/a.cfg", text % 77)
        m.boot().serves("10.1.0.77", "10.1.0.2", "10.1.0.3")
        m.down()
        since = utc(m.index()["2/a.cfg"][2])
        m.root.write("endpoints.d/a.cfg", text % 300)
        m.boot().serves("10.1.0.77", "10.1.0.2", "10.1.0.3")
        m.degraded(f"{m.root.etc}/endpoints.d/a.cfg", 1, since)
        m.root.write("endpoints.d/a.cfg", text % 78)
        m.fine()
        m.serves("10.1.0.78", "10.1.0.2", "10.1.0.3")


def all_files_broken():
    with Machine() as m:
        m.prepared()
        for name in "abc":
            garbage(m.path(name))
        m.root.write("svcroute.conf", "[Proxy\n")
        m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
        s = m.status()
        assert s["state"] == "degraded" and s["filesRefused"] == 4 and all(r["lastGood"] for r in s["refused"]), s
        assert m.daemon.ctl("reload")[0] == 3


def deleted_file():
    with Machine() as m:
        m.prepared()
        os.unlink(m.path("b"))
        m.boot().serves("10.1.0.1", "10.1.0.3")
        m.fine()
        m.down()
        assert "1/b.cfg" not in m.index()
        m.write("b", B_WRONG)  # what was deleted is not good any more
        m.boot().serves("10.1.0.1", "10.1.0.3")
        m.degraded(m.path("b"), 2)


def masked_file():
    with Machine() as m:
        m.prepared()
        m.write("b", "")
        os.unlink(m.path("c"))
        os.symlink("/dev/null", m.path("c"))
        m.boot().serves("10.1.0.1")
        m.fine()


def clash_with_a_new_file():
    for name in "0", "z":  # whatever the names
        with Machine() as m:
            m.prepared()
            m.write(name, service("new", "10.96.0.2", "10.1.0.99"))
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            m.degraded(m.path(name), 2)
            os.unlink(m.path("b"))
            m.fine()
            m.serves("10.1.0.1", "10.1.0.99", "10.1.0.3")


def clash_with_an_edit():
    """The one that was edited while the host was down gives way, to what it was."""
    for edited, other in (("b", "c"), ("c", "b")):
        with Machine() as m:
            m.prepared()
            since = utc(m.index()[f"1/{edited}.cfg"][2])
            m.write(edited, service(edited, "10.96.0.2" if other == "b" else "10.96.0.3", "10.1.0.99"))
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            m.degraded(m.path(edited), 2, since)


def traded_addresses():
    """Two files that trade what they have, while down: no clash."""
    with Machine() as m:
        m.prepared()
        m.write("b", service("b", "10.96.0.3", "10.1.1.2"))
        m.write("c", service("c", "10.96.0.2", "10.1.1.3"))
        m.boot().serves("10.1.0.1", "10.1.1.2", "10.1.1.3")
        m.fine()


def broken_file_and_its_heir():
    """b is broken, so what it was is in force, and another file cannot have its address."""
    with Machine() as m:
        m.prepared()
        m.write("b", B_WRONG)
        m.write("0", service("heir", "10.96.0.2", "10.1.0.99"))
        m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
        assert m.status()["filesRefused"] == 2
        os.unlink(m.path("b"))
        m.fine()
        m.serves("10.1.0.1", "10.1.0.99", "10.1.0.3")


# Settings and directories

def masquerade_rule(m, address):
    return f"! -s {address}" in m.host.save("v4", "nft")


def broken_settings():
    with Machine() as m:
        m.root.write("svcroute.conf.d/x.conf", "[IPTables]\nMasqueradeBit=9\n")
        m.boot().down()
        for name, text in (("svcroute.conf", SETTINGS.format("nft").replace("10.1.0.0/16", "10.1.0.0/99")),
                           ("svcroute.conf.d/x.conf", "[IPTables]\nMasqueradeBit=99\n")):
            with open(f"{m.root.etc}/{name}") as f:
                good = f.read()
            since = utc(m.index()["0/" + name.split("/")[-1]][2])
            m.root.write(name, text)
            m.write("c", C_NEW)
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.1.3")
            assert masquerade_rule(m, "10.1.0.0/16") and "0x200/0x200" in m.host.save("v4", "nft")
            m.degraded(f"{m.root.etc}/{name}", 2, since)
            m.root.write(name, good)
            m.fine()
            m.down()


def deleted_settings():
    with Machine() as m:
        m.root.write("svcroute.conf.d/x.conf", "[IPTables]\nMasqueradeBit=9\n")
        m.boot().down()
        os.unlink(f"{m.root.etc}/svcroute.conf.d/x.conf")
        m.boot()
        assert "0x4000/0x4000" in m.host.save("v4", "nft")
        m.fine()


def directory_that_leads_nowhere():
    for make in (lambda path: os.symlink("/nowhere/at/all", path), lambda path: open(path, "w").close()):
        with Machine() as m:
            m.prepared()
            where = f"{m.root.etc}/services.d"
            os.rename(where, f"{where}.away")
            make(where)
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            s = m.status()
            assert s["state"] == "degraded" and s["filesRefused"] >= 1, s
            assert any(d["severity"] == "error" and d["file"].startswith(where) for d in s["diagnostics"]), s
            assert m.daemon.ctl("reload")[0] == 3
            m.serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            m.down()
            assert m.kept("b.cfg") == B
            m.boot()
            os.unlink(where)
            os.rename(f"{where}.away", where)
            m.write("b", B_NEW)
            m.fine()
            m.serves("10.1.0.1", "10.1.1.2", "10.1.0.3")


def etc_that_is_gone():
    """A directory that is not there is an edit: its files were deleted."""
    with Machine() as m:
        m.prepared()
        shutil.rmtree(f"{m.root.etc}/services.d")
        m.boot().serves()


# The state directory itself

def of_index(change):
    def damage(m):
        with open(f"{m.accepted}/index", "rb") as f:
            text = f.read()
        with open(f"{m.accepted}/index", "wb") as f:
            f.write(change(text))
    return damage


def with_checksum(body):
    return body + b"checksum " + hashlib.sha256(body).hexdigest().encode() + b"\n"


def later_version(text):
    return with_checksum(b"svcroute-accepted 2.0\n")


def instead_of_index(make):
    def damage(m):
        os.unlink(f"{m.accepted}/index")
        make(f"{m.accepted}/index")
    return damage


# name: (what is done, whether it can be put aside)
DAMAGED_INDEX = {
    "empty": (of_index(lambda t: b""), True),
    "a flipped bit": (of_index(lambda t: t[:40] + bytes([t[40] ^ 1]) + t[41:]), True),
    "cut off": (of_index(lambda t: t[:len(t) // 2]), True),
    "without its last byte": (of_index(lambda t: t[:-1]), True),
    "garbage": (of_index(lambda t: random.Random(SEED).randbytes(3000)), True),
    "zeroes": (of_index(lambda t: bytes(len(t))), True),
    "of a later version": (of_index(later_version), True),
    "a directory": (instead_of_index(os.mkdir), None),
    "a fifo": (instead_of_index(os.mkfifo), None),
    "a link to nothing": (instead_of_index(lambda path: os.symlink("/nowhere", path)), None),
    "a link to another file": (instead_of_index(lambda path: os.symlink("/etc/passwd", path)), None),
}


def damaged_index(what):
    damage, aside = DAMAGED_INDEX[what]
    with Machine() as m:
        damage(m.prepared())
        m.write("b", B_WRONG)
        m.boot().serves("10.1.0.1", "10.1.0.3")  # nothing is known of b
        s = m.status()
        assert any(d["severity"] == "warning" and d["file"].startswith(m.accepted) for d in s["diagnostics"]), s
        assert f"{m.accepted}/index" in m.said(), m.said()
        if aside:
            assert os.path.exists(f"{m.accepted}/index.bad")
        m.write("b", B_NEW)
        m.fine()
        m.down()
        if aside:
            assert m.kept("a.cfg") == A and m.kept("b.cfg") == B_NEW, "a good index takes its place"
        m.boot().serves("10.1.0.1", "10.1.1.2", "10.1.0.3")


def newer_index_of_this_version():
    """Lines and fields of a later 1.x are passed over."""
    def newer(text):
        lines = text.splitlines(True)[:-1]
        lines[0] = b"svcroute-accepted 1.7\n"
        return with_checksum(lines[0] + b"leaf something\n" + b"".join(line[:-1] + b" more\n" for line in lines[1:]))
    with Machine() as m:
        of_index(newer)(m.prepared())
        m.write("b", B_WRONG)
        m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")


def content_path(m, name):
    return f"{m.accepted}/{m.index()[f'1/{name}.cfg'][0]}"


def damaged_content():
    def flip(path):
        with open(path, "r+b") as f:
            f.write(b"S")

    def cut(path):
        os.truncate(path, 10)

    def other(path):
        with open(path, "w") as f:
            f.write(B.replace("10.1.0.2", "10.1.0.9"))

    for damage in (flip, cut, other, os.unlink):
        with Machine() as m:
            damage(content_path(m.prepared(), "b"))
            m.write("b", B_WRONG)
            m.boot().serves("10.1.0.1", "10.1.0.3")
            s = m.status()
            assert s["state"] == "degraded", s
            assert any(d["severity"] == "warning" and "b.cfg" in d["file"] for d in s["diagnostics"]), s["diagnostics"]
            m.write("b", B)
            m.fine()
            m.down()
            assert m.kept("b.cfg") == B, "the damaged content was taken for a good one"
            m.write("b", B_WRONG)
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")


def damaged_content_of_a_good_file():
    """Nobody needs it, until the file breaks: so the next save mends it."""
    with Machine() as m:
        os.unlink(content_path(m.prepared(), "b"))
        m.boot()
        m.fine()
        m.down()
        assert m.kept("b.cfg") == B


def serves_and_warns(m):
    """With a state directory that cannot be written, everything else works."""
    m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
    wait_until(lambda: m.status()["stateError"], "the error in status --json")
    assert m.state in m.said(), m.said()
    assert m.state in m.daemon.ctl("status")[1]
    assert m.status()["state"] == "ok"
    m.write("b", B_NEW)
    assert m.daemon.ctl("reload")[0] == 0
    m.serves("10.1.0.1", "10.1.1.2", "10.1.0.3")
    m.write("b", B_WRONG)
    assert m.daemon.ctl("reload")[0] == 3
    m.serves("10.1.0.1", "10.1.1.2", "10.1.0.3")
    m.write("b", B_NEW)
    m.write("c", C_NEW)
    assert m.daemon.ctl("reload")[0] == 0
    assert m.said().count("cannot keep the last good state") == 1, "said once, not at each try\n" + m.said()


def read_only():
    with Machine() as m:
        m.mount(m.state, "-t", "tmpfs", "-o", "ro", "tmpfs")
        serves_and_warns(m)
        subprocess.run(["mount", "-o", "remount,rw", m.state], check=True)
        m.down()
        assert m.kept("b.cfg") == B_NEW and m.kept("c.cfg") == C_NEW
        # what was kept is used from a read-only /var
        subprocess.run(["mount", "-o", "remount,ro", m.state], check=True)
        before = snapshot(m.state)
        m.write("b", B_WRONG)
        m.boot().serves("10.1.0.1", "10.1.1.2", "10.1.1.3")
        m.degraded(m.path("b"), 2, utc(m.index()["1/b.cfg"][2]))
        m.down()
        assert snapshot(m.state) == before


def writable_again():
    """Without a restart. The next try may be a minute away, so other tests are run meanwhile."""
    with Machine() as m:
        m.mount(m.state, "-t", "tmpfs", "-o", "ro", "tmpfs")
        m.boot()
        wait_until(lambda: m.status()["stateError"], "the error in status --json")
        subprocess.run(["mount", "-o", "remount,rw", m.state], check=True)
        m.write("b", B_NEW)
        assert m.daemon.ctl("reload")[0] == 0
        yield
        wait_until(lambda: m.kept("b.cfg") == B_NEW, "kept once the directory can be written", 90)
        wait_until(lambda: m.status()["stateError"] is None, "no error any more")


def full():
    with Machine() as m:
        m.mount(m.state, "-t", "tmpfs", "-o", "size=64k,nr_inodes=100", "tmpfs")

        def fill():
            with open(f"{m.state}/filler", "wb", 0) as f, contextlib.suppress(OSError):
                while True:
                    f.write(bytes(4096))
        fill()
        serves_and_warns(m)
        os.unlink(f"{m.state}/filler")
        m.down()
        assert m.kept("b.cfg") == B_NEW and m.kept("c.cfg") == C_NEW
        # full with something kept: that stays what it was
        fill()
        m.boot()
        m.write("b", B)
        assert m.daemon.ctl("reload")[0] == 0
        m.serves("10.1.0.1", "10.1.0.2", "10.1.1.3")
        m.down()
        assert m.kept("b.cfg") == B_NEW and m.kept("c.cfg") == C_NEW
        assert set(os.listdir(m.accepted)) == {e[0] for e in m.index().values()} | {"index"}, "leftovers"
        m.write("b", B_WRONG)
        m.boot().serves("10.1.0.1", "10.1.1.2", "10.1.1.3")


def without_inodes():
    with Machine() as m:
        m.mount(m.state, "-t", "tmpfs", "-o", "nr_inodes=3", "tmpfs")
        serves_and_warns(m)


def missing_var():
    with Machine() as m:
        assert not os.path.exists(f"{m.root.path}/var")
        m.prepared()
        assert stat.S_IMODE(os.stat(m.accepted).st_mode) == 0o700
        # gone while it runs: what is new is kept, at the next boot all of it
        m.boot()
        shutil.rmtree(f"{m.root.path}/var")
        m.write("b", B_NEW)
        assert m.daemon.ctl("reload")[0] == 0
        m.down()
        assert m.kept("b.cfg") == B_NEW
        m.boot().down()
        assert m.kept("b.cfg") == B_NEW and m.kept("a.cfg") == A and m.kept("c.cfg") == C


def file_in_its_place(place):
    with Machine() as m:
        path = {"var": f"{m.root.path}/var", "state directory": m.state, "accepted": m.accepted}[place]
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write("precious\n")
        serves_and_warns(m)
        m.down()
        with open(path) as f:
            assert f.read() == "precious\n"
        os.unlink(path)
        m.reboot().wait_until_kept(b=B_NEW, c=C_NEW)


def link_in_its_place():
    """What is elsewhere is not ours to write to."""
    with Machine() as m:
        os.makedirs(m.state)
        elsewhere = f"{m.root.path}/elsewhere"
        os.mkdir(elsewhere)
        os.symlink(elsewhere, m.accepted)
        serves_and_warns(m)
        m.down()
        assert os.listdir(elsewhere) == []


# One sync

def once_keeps():
    with Machine() as m:
        status, err = m.once()
        assert status == 0, err
        assert m.kept("a.cfg") == A and m.kept("b.cfg") == B and m.kept("svcroute.conf", 0)


def once_with_last_good():
    with Machine() as m:
        assert m.once()[0] == 0
        since = m.index()["1/b.cfg"][2]
        m.write("b", B_WRONG)
        m.write("c", C_NEW)
        status, err = m.once()
        assert status == 3 and f"{m.path('b')}:2:" in err, f"{status} {err}"
        m.serves("10.1.0.1", "10.1.0.2", "10.1.1.3")
        assert m.kept("b.cfg") == B and m.kept("c.cfg") == C_NEW and m.index()["1/b.cfg"][2] == since


def once_without_last_good():
    with Machine() as m:
        assert m.once()[0] == 0
        before = snapshot(m.state)
        m.write("new", B_WRONG.replace('"b"', '"new"').replace("0.2", "0.9"))
        m.write("c", C_NEW)
        status, err = m.once()
        assert status == 3 and f"{m.path('new')}:2:" in err, f"{status} {err}"
        assert "KUBE" not in m.host.save("v4", "nft"), "rules were written"
        assert snapshot(m.state) == before


def once_with_a_read_only_var():
    with Machine() as m:
        m.mount(m.state, "-t", "tmpfs", "-o", "ro", "tmpfs")
        status, err = m.once()
        assert status == 0 and m.state in err, f"{status} {err}"
        m.serves("10.1.0.1", "10.1.0.2", "10.1.0.3")


def check_and_render_know_nothing():
    """What is asked about are the files."""
    with Machine() as m:
        m.prepared()
        before = snapshot(m.state)
        m.write("b", B_WRONG)
        m.host = hosts.Host("router")
        for command in ("check", "render"):
            p = m.host.finish([SVCROUTED.replace("svcrouted", "svcroutectl"), "--root", m.root.path, command])
            assert p.returncode == 3 and f"{m.path('b')}:2:" in p.stderr, f"{command}: {p.returncode} {p.stderr}"
        assert snapshot(m.state) == before


# Writers and sudden ends

def half_written_at_boot():
    with Machine() as m:
        m.prepared()
        with open(m.path("b"), "w") as b, open(m.path("new"), "w") as new:
            b.write(B_NEW[:len(B_NEW) // 2])
            b.flush()
            new.write(service("new", "10.96.0.9", "10.1.0.9"))  # complete, for all that one can see
            new.flush()
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            assert m.daemon.ctl("reload")[0] == 3
            m.serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            b.write(B_NEW[len(B_NEW) // 2:])
        m.wait_for("10.1.0.1", "10.1.1.2", "10.1.0.3", "10.1.0.9")
        m.fine()


def emptied_at_boot():
    """A writer that has only just begun: an empty file would be a mask."""
    with Machine() as m:
        m.prepared()
        with open(m.path("b"), "w") as f:
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            f.write(B_NEW)
        m.wait_for("10.1.0.1", "10.1.1.2", "10.1.0.3")
        with open(m.path("b"), "w"):
            m.down()
            assert m.kept("b.cfg") == B_NEW
        m.boot().serves("10.1.0.1", "10.1.0.3")


def killed_at_any_moment():
    """Each boot keeps what is new at once: that is when it is killed. What a later boot falls back to was in force once,
    and is never older than what an earlier one had."""
    rng = random.Random(SEED)

    def text(version):
        return service("b", "10.96.0.2", f"10.1.{2 + version // 250}.{version % 250 + 1}")

    with Machine() as m:
        written, oldest, busy, seen = 0, 0, 0, set()
        m.write("b", text(0))
        m.prepared()
        start = time.monotonic()
        m.boot()
        usual = time.monotonic() - start
        m.down()
        for _ in range(KILLS):
            written += 1
            m.write("b", text(written))
            m.start()
            until = time.monotonic() + rng.uniform(0, 1.5 * usual + 0.1)
            while time.monotonic() < until:
                written += 1
                m.write("b", text(written))
                time.sleep(rng.uniform(0, 0.05))
            busy += m.kill(rng.random() < 0.7) > 0
            assert m.index(), "the index is gone"
            kept = m.kept("b.cfg")
            m.write("b", "services = (")
            m.boot()
            third = [e for e in m.served() if e not in ("10.1.0.1", "10.1.0.3")]
            assert len(third) == 1 and {"10.1.0.1", "10.1.0.3"} < set(m.served()), m.served()
            assert f'"{third[0]}:8080"' in kept, f"{third} in force, kept is {kept}"
            _, _, x, y = third[0].split(".")
            version = (int(x) - 2) * 250 + int(y) - 1
            assert oldest <= version <= written, f"version {version} after {oldest}; {written} were written"
            seen.add(version)
            oldest = version
            m.down()
        print(f"# {KILLS} kills, {busy} while a child ran; {written} versions written, {len(seen)} of them fallen back to",
              flush=True)
        assert len(seen) > 1, "nothing was ever kept: this test looks at nothing"


TESTS = (kept_at_first_start, kept_only_what_the_kernel_has, edits_are_kept, nothing_is_written_without_a_change,
         ready_does_not_wait_for_the_disk, many_files, broken_without_last_good, broken_endpoints, all_files_broken,
         deleted_file, masked_file, clash_with_a_new_file, clash_with_an_edit, traded_addresses, broken_file_and_its_heir,
         broken_settings, deleted_settings, directory_that_leads_nowhere, etc_that_is_gone, newer_index_of_this_version,
         damaged_content, damaged_content_of_a_good_file, read_only, full, without_inodes, missing_var, link_in_its_place,
         once_keeps, once_with_last_good, once_without_last_good, once_with_a_read_only_var, check_and_render_know_nothing,
         half_written_at_boot, emptied_at_boot, killed_at_any_moment)


def name_of(test):
    return test.__name__.replace("_", " ")


def main():
    need_root()
    t = Tap()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "unshare")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    cases = {f"a boot with a broken file: {name_of(how)}": lambda a=(how, line): broken_file(*a) for how, line in BROKEN}
    cases |= {f"the index is {what}": lambda what=what: damaged_index(what) for what in DAMAGED_INDEX}
    cases |= {f"a file instead of a directory: {place}": lambda place=place: file_in_its_place(place)
              for place in ("var", "state directory", "accepted")}
    cases |= {name_of(test): test for test in TESTS}
    waiting = writable_again()
    cases = {"a directory that cannot be written": lambda: next(waiting)} | cases | {
        "writable again, a directory that cannot be written": lambda: next(waiting, None)}
    for name, case in cases.items():
        if not sys.argv[1:] or any(word in name for word in sys.argv[1:]):
            with t.case(name):
                case()
    t.done()


main()
