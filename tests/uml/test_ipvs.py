# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# weight: 20
"""kernel/ipvs.h against a real kernel and ipvsadm, by drive-ipvs."""
import os
import re
import socket
import subprocess
import threading
import time

from tap import BUILD, Tap

DRIVE = f"{BUILD}/tests/drive-ipvs"
MANY = 2000  # many windows of answers; ipvsadm is slow, and 10,000 are what make bench is for


def run(command, lines=(), status=0):
    p = subprocess.run(command, input="".join(f"{line}\n" for line in lines), capture_output=True, text=True)
    assert p.returncode == status, f"{' '.join(command)}: status {p.returncode}: {(p.stdout + p.stderr)[-1000:]}"
    return p


def drive(*words, status=0):
    return run([DRIVE, *words], status=status).stdout.splitlines()


def change(*lines):
    """The error of each change."""
    return run([DRIVE, "change"], lines).stdout.split()


def changes(*lines):
    """All must succeed."""
    errors = change(*lines)
    assert errors == ["0"] * len(lines), [(line, e) for line, e in zip(lines, errors) if e != "0"]


def saved(text):
    """What ipvsadm-save prints: servers sorted, each followed by its real servers, sorted."""
    servers = {}
    for line in text.splitlines():
        if line.startswith("-A"):
            own = servers.setdefault(line.rstrip(), [])
        else:
            own.append(line.rstrip())
    return [out for line in sorted(servers) for out in (line, *sorted(servers[line]))]


def compare():
    """Both ways of reading agree; what they read."""
    ours, theirs = saved("\n".join(drive("list"))), saved(run(["ipvsadm-save", "-n"]).stdout)
    # ipvsadm tells some flags by name
    theirs = [re.sub(r" -b (\S+)", lambda m: f" flags {flags(m[1])}", line) for line in theirs]
    assert ours == theirs, f"differ, first: {[(a, b) for a, b in zip(ours, theirs) if a != b][:3]}, {len(ours)}, {len(theirs)}"
    return ours


def flags(names):
    bits = {"flag-1": 8, "sh-fallback": 8, "mh-fallback": 8, "flag-2": 16, "sh-port": 16, "mh-port": 16, "flag-3": 32}
    return hex(sum(bits[n] for n in names.split(",")))


tap = Tap()
with tap.case("no module: told as such"):
    modules = f"/lib/modules/{os.uname().release}"
    os.rename(modules, "/lib/modules/away")
    assert drive("list", status=1) == ["open: ENOENT"]
    os.rename("/lib/modules/away", modules)
with tap.case("the module is loaded by asking"):
    with open("/proc/modules") as f:
        assert "ip_vs" not in f.read()
    assert drive("list") == []
with tap.case("no permission: told as such"):
    p = run(["setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin", DRIVE, "list"], status=1)
    assert p.stdout == "open: EPERM\n", p.stdout
with tap.case("both families, all protocols: created, listed"):
    changes("new-server tcp 10.96.0.10:80 rr 0x1 10800 32", "new-dest tcp 10.96.0.10:80 10.1.0.11:8080 1",
            "new-dest tcp 10.96.0.10:80 10.1.0.12:8080 70000", "new-server udp 10.96.0.10:80 wlc 0 0 32",
            "new-server sctp 10.96.0.10:80 mh 0x10 0 32", "new-dest sctp 10.96.0.10:80 10.1.0.11:8080 0",
            "new-server tcp [fd96::10]:443 sh 0x18 0 128", "new-dest tcp [fd96::10]:443 [fd01::11]:8443 3",
            "new-server udp [fd96::10]:53 wrr 0x1 60 128", "new-server sctp [fd96::10]:65535 rr 0 0 128")
    assert compare() == [
        "-A --sctp-service 10.96.0.10:80 -s mh flags 0x10", "-a --sctp-service 10.96.0.10:80 -r 10.1.0.11:8080 -m -w 0",
        "-A --sctp-service [fd96::10]:65535 -s rr", "-A -t 10.96.0.10:80 -s rr -p 10800",
        "-a -t 10.96.0.10:80 -r 10.1.0.11:8080 -m -w 1", "-a -t 10.96.0.10:80 -r 10.1.0.12:8080 -m -w 70000",
        "-A -t [fd96::10]:443 -s sh flags 0x18", "-a -t [fd96::10]:443 -r [fd01::11]:8443 -m -w 3",
        "-A -u 10.96.0.10:80 -s wlc", "-A -u [fd96::10]:53 -s wrr -p 60"], compare()
    assert drive("get", "udp", "[fd96::10]:53") == ["-A -u [fd96::10]:53 -s wrr -p 60"]
with tap.case("changed: scheduler, flags, time, weight; back to plain"):
    changes("set-server tcp 10.96.0.10:80 mh 0x10 0 32", "set-dest tcp 10.96.0.10:80 10.1.0.12:8080 0",
            "set-server udp [fd96::10]:53 rr 0 0 128")
    lines = compare()
    assert "-A -t 10.96.0.10:80 -s mh flags 0x10" in lines and "-A -u [fd96::10]:53 -s rr" in lines, lines
    assert "-a -t 10.96.0.10:80 -r 10.1.0.12:8080 -m -w 0" in lines, lines
with tap.case("each error as the kernel gives it, and those after it are done"):
    rows = [("new-server tcp 10.96.0.10:80 rr 0 0 32", "EEXIST"), ("new-dest tcp 10.96.0.10:80 10.1.0.11:8080 1", "EEXIST"),
            ("set-server tcp 10.96.0.11:80 rr 0 0 32", "ESRCH"), ("del-server tcp 10.96.0.11:80", "ESRCH"),
            ("new-dest udp 10.96.0.11:80 10.1.0.11:8080 1", "ESRCH"), ("del-dest udp 10.96.0.11:80 10.1.0.11:8080", "ESRCH"),
            ("set-dest tcp 10.96.0.10:80 10.1.0.13:8080 1", "ENOENT"), ("del-dest tcp 10.96.0.10:80 10.1.0.13:8080", "ENOENT"),
            ("new-server tcp 10.96.0.12:80 nonesuch 0 0 32", "ENOENT"),
            ("set-server tcp 10.96.0.10:80 nonesuch 0 0 32", "ENOENT"),
            ("new-server tcp [fd96::12]:80 rr 0 0 0", "EINVAL"), ("new-dest tcp 10.96.0.10:80 255.255.255.255:80 1", "EINVAL"),
            ("new-dest tcp 10.96.0.10:80 10.1.0.14:80 4294967295", "ERANGE"),
            # ours, before the kernel is asked
            ("new-server tcp 10.96.0.13:0 rr 0 0 32", "EINVAL"), ("new-dest tcp 10.96.0.10:80 [fd01::11]:80 1", "EINVAL"),
            ("new-dest tcp 10.96.0.10:80 10.1.0.14:0 1", "EINVAL"),
            ("new-server tcp 10.96.0.13:1 seventeen-letters 0 0 32", "EINVAL"), ("new-server tcp 10.96.0.13:1 rr 0 0 33", "EINVAL"),
            ("new-server tcp 10.96.0.14:80 rr 0 0 32", "0"), ("del-server tcp 10.96.0.14:80", "0")]
    before = compare()
    errors = change(*(line for line, _ in rows))
    assert len(errors) == len(rows) and all(e == want for e, (_, want) in zip(errors, rows)), \
        [(line, want, e) for (line, want), e in zip(rows, errors) if e != want]
    assert compare() == before
    assert drive("get", "tcp", "10.96.0.11:80", status=1) == ["get: ESRCH"]
with tap.case("a virtual server that is not there has no real servers"):
    assert drive("stats", "tcp", "10.96.0.10:80")[0].startswith("server ")
    run(["ipvsadm", "-A", "-t", "10.96.0.15:80", "-s", "rr"])
    assert len(drive("stats", "tcp", "10.96.0.15:80")) == 1
with tap.case("others' servers are read: by mark, masks, other ways of forwarding, port 0"):
    run(["ipvsadm", "-R"], ["-A -f 7 -s rr", "-A -f 8 -6 -s wlc -p 300 -M 64", "-A -t 10.96.0.16:80 -s rr -p 10 -M 255.255.0.0",
                            "-a -t 10.96.0.16:80 -r 10.1.0.1:80 -g -w 1", "-a -t 10.96.0.16:80 -r 10.1.0.2:80 -i -w 2",
                            "-A -t 10.96.0.16:0 -s rr -p 10"])
    lines = drive("list")
    for line in ("-A -f 7 -s rr", "-A -f 8 -6 -s wlc -p 300 -M 64", "-A -t 10.96.0.16:80 -s rr -p 10 -M 16",
                 "-a -t 10.96.0.16:80 -r 10.1.0.1:80 -g -w 1", "-a -t 10.96.0.16:80 -r 10.1.0.2:80 -i -w 2",
                 "-A -t 10.96.0.16:0 -s rr -p 10"):
        assert line in lines, f"{line} not in {lines}"
    run(["ipvsadm", "-C"])
with tap.case("timeouts"):
    assert drive("timeouts") == ["900 120 300"]
    assert drive("timeouts", "0", "7", "0") == ["900 7 300"]
    assert drive("timeouts", "1000", "0", "30") == ["1000 7 30"]
    assert "1000 7 30" in run(["ipvsadm", "-L", "--timeout"]).stdout
    assert drive("timeouts", "4294967295", "0", "0", status=1) == ["timeouts: EINVAL"]
with tap.case("counters and connections, as ipvsadm has them"):
    run(["ip", "addr", "add", "192.0.2.1/32", "dev", "lo"])
    run(["ip", "addr", "add", "2001:db8::1/128", "dev", "lo"])
    for family, vip, real in ((socket.AF_INET, "192.0.2.1", "127.0.0.1"), (socket.AF_INET6, "2001:db8::1", "::1")):
        shown = f"[{vip}]:80" if ":" in vip else f"{vip}:80"
        end = f"[{real}]:8080" if ":" in real else f"{real}:8080"
        changes(f"new-server tcp {shown} rr 0 0 {128 if ':' in vip else 32}", f"new-dest tcp {shown} {end} 1")
        with socket.socket(family) as listener:
            listener.bind((real, 8080))
            listener.listen()

            def serve():
                for _ in range(3):
                    peer, _ = listener.accept()
                    with peer:
                        while peer.recv(65536):
                            pass
            thread = threading.Thread(target=serve)
            thread.start()
            clients = [socket.create_connection((vip, 80), timeout=20) for _ in range(3)]
            active = drive("stats", "tcp", shown)[1].split()[:3]
            for c in clients:
                c.sendall(b"x" * 100000)
                c.close()
            thread.join(20)
        deadline = time.monotonic() + 60  # the kernel sums up every two seconds
        while int((server := drive("stats", "tcp", shown)[0].split())[4]) < 300000 and time.monotonic() < deadline:
            time.sleep(0.2)
        server, dest = (line.split() for line in drive("stats", "tcp", shown))
        assert active == ["3", "0", "0"], active
        assert server[1:] == dest[3:], f"{server} {dest}"
        assert int(server[1]) == 3 and int(server[4]) > 300000 and 0 < int(server[5]) < 300000, server
        [theirs] = re.findall(rf"^TCP +{re.escape(shown)} +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)$",
                              run(["ipvsadm", "-Ln", "--stats", "--exact"]).stdout, re.M)
        assert list(theirs) == server[1:], f"{theirs} {server}"
        changes(f"del-dest tcp {shown} {end}", f"del-server tcp {shown}")
with tap.case(f"{MANY} virtual servers with two real servers each, at once"):
    keys = [f"{('tcp', 'udp', 'sctp')[i % 3]} "
            + (f"[fd96::{i // 2:x}]:{1 + i}" if i % 2 else f"10.96.{i // 512}.{i // 2 % 256}:{1 + i}") for i in range(MANY)]
    real = [[f"[fd01::{d}:{i:x}]:80" if i % 2 else f"10.{d}.{i // 256}.{i % 256}:80" for d in (1, 2)] for i in range(MANY)]
    lines = [line for i, key in enumerate(keys) for line in (
        f"new-server {key} rr 0 0 {128 if i % 2 else 32}", *(f"new-dest {key} {r} 1" for r in real[i]))]
    p = run([DRIVE, "change"], lines)
    errors = p.stdout.split()
    assert errors == ["0"] * len(lines), [(line, e) for line, e in zip(lines, errors) if e != "0"][:3]
    p2 = run([DRIVE, "list"])
    servers, dests = p2.stderr.split()
    assert len(compare()) == 3 * MANY
    again = run([DRIVE, "change"], lines)
    assert again.stdout.split() == ["EEXIST"] * len(lines)
    weights = run([DRIVE, "change"], [f"set-dest {key} {real[i][0]} 0" for i, key in enumerate(keys)])
    assert weights.stdout.split() == ["0"] * MANY
    assert sum(line.endswith("-w 0") for line in drive("list")) == MANY
    gone = run([DRIVE, "change"], [f"del-server {key}" for key in keys])
    assert gone.stdout.split() == ["0"] * MANY and drive("list") == []
    print(f"# note: {MANY} virtual servers with 2 real servers each: added in {p.stderr.strip()} s, refused in "
          f"{again.stderr.strip()} s, {MANY} weights changed in {weights.stderr.strip()} s, deleted in {gone.stderr.strip()} s; "
          f"listed: servers in {servers} s, real servers of each in {dests} s")
tap.done()
