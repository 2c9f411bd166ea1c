# SPDX-License-Identifier: GPL-2.0-or-later
"""A host that can be booted again and again, with everything below its root as the last boot left it. A boot is a new
network namespace: no rules, no counters.

    with Machine() as m:
        m.prepared()            # all files are kept as last good; down
        m.write("b", B_WRONG)
        m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")"""
import contextlib
import ctypes
import hashlib
import json
import os
import re
import signal
import subprocess
import time

import hosts
from tap import SVCROUTED

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


def own_mounts():
    """What is mounted from here on is gone with this program."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "unshare")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


def run_cases(t, cases, words):
    """cases: {name: function}. All, or those with one of these words in their names."""
    for name, case in cases.items():
        if not words or any(word in name for word in words):
            with t.case(name):
                case()


def name_of(test):
    return test.__name__.replace("_", " ")


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
