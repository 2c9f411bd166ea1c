# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 40
"""Sets over netlink, against what ipset(8) shows and does in the same kernel.

Also runs in user-mode Linux (tests/uml/test_ipset.py), with fewer elements."""
import os
import re
import subprocess
import tempfile

import netns
from tap import BUILD, Tap, need_root, skip_all

DRIVER = os.path.join(BUILD, "tests", "drive-ipset")
HASHES = ("hash:ip", "hash:ip,port", "hash:ip,port,ip", "hash:ip,port,net")
N = globals().get("N", 60000)
FULL = globals().get("FULL", ("v4", "v6"))  # families of the sets that are filled
TYPES = [(t, f) for t in HASHES for f in ("v4", "v6")] + [("bitmap:port", "v4")]
ELEMENTS = {
    "hash:ip": {"v4": ["10.96.0.10"], "v6": ["fd96::10"]},
    "hash:ip,port": {"v4": ["10.96.0.10,6:80"], "v6": ["fd96::10,17:53"]},
    "hash:ip,port,ip": {"v4": ["10.1.0.11,132:8080,10.1.0.11"], "v6": ["fd01::11,6:8080,fd01::11"]},
    "hash:ip,port,net": {"v4": ["203.0.113.1,6:80,198.51.100.0/24", "203.0.113.1,6:80,198.51.100.7/32"],
                         "v6": ["2001:db8::1,6:80,2001:db8:9::/48", "2001:db8::1,6:80,2001:db8:9::1/128"]},
    "bitmap:port": {"v4": ["0", "30080", "65535"]},
}


def ipset(*arguments, stdin=None):
    p = subprocess.run(["ipset", *arguments], input=stdin, stdin=None if stdin else subprocess.DEVNULL, capture_output=True, text=True)
    assert p.returncode == 0, f"ipset {' '.join(arguments)}: {p.stderr.strip()}"
    return p.stdout


def drive(*arguments, prefix=()):
    """What the driver prints, as lines."""
    p = subprocess.run([*prefix, DRIVER, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert p.returncode in (0, 1), f"status {p.returncode}: {p.stderr.strip()}"
    return p.stdout.splitlines()


def want(expected, *arguments):
    got = drive(*arguments)
    assert got == expected, f"{arguments[:6]}: {got[:8]}, not {expected}"


def saved(*arguments):
    """`ipset save` without what is random or grows."""
    return [re.sub(r" (hashsize|bucketsize|initval) \S+", "", line) for line in ipset("save", *arguments).splitlines()]


def heads():
    """{set: its first line} with everything but the name and the random number."""
    lines = re.sub(r"initval \S+", "initval", ipset("save")).splitlines()
    return {w[1]: w[2:] for w in map(str.split, lines) if w[0] == "create"}


def compare():
    """The list that we read and the one that ipset(8) reads."""
    got, there = drive("list", ""), saved()
    assert got.pop() == "ok"
    assert len(got) == len(there), f"{len(got)} lines, not {len(there)}"
    assert sorted(got) == sorted(there), f"only ours: {sorted(set(got) - set(there))[:4]}, only ipset's: {sorted(set(there) - set(got))[:4]}"
    return got


def start():
    """No sets. A new namespace each time would wait for those that other tests are leaving."""
    try:
        ipset("flush")  # else a set of sets holds others
        ipset("destroy")
    except AssertionError:
        netns.unshare()


need_root()
tap = Tap()
netns.unshare()
if drive() != []:
    skip_all("the kernel has no ipset")
with open("/proc/sys/kernel/osrelease") as f:
    print(f"# note: kernel {f.read().strip()}, ipset {ipset('-v').split()[1]}")

for kind, family in TYPES:
    with tap.case(f"{kind} {family}: as ipset(8) makes it, holds what it is given"):
        start()
        ipset("create", "theirs", kind, *(["range", "0-65535"] if kind == "bitmap:port" else ["family", "inet" if family == "v4" else "inet6"]))
        want(["ok"], "create", "ours", kind, family)
        h = heads()
        assert h["ours"] == h["theirs"], h
        elements = ELEMENTS[kind][family]
        want([f"ok {len(elements)}"] * 2, "add", "ours", kind, *elements, ";", "add", "ours", kind, *elements)
        got = compare()
        assert len(got) == 2 + len(elements)
        assert sum(line.startswith("add ours ") for line in got) == len(elements)
        want(["EEXIST", "EEXIST"], "create", "ours", kind, family, "create", "theirs", kind, family)
        want([f"ok {len(elements)}"] * 2, "del", "ours", kind, *elements, ";", "del", "ours", kind, *elements)
        assert len(compare()) == 2
        want(["ok", "ENOENT"], "destroy", "ours", "destroy", "ours")

for kind, family in TYPES:
    with tap.case(f"{kind} {family}: {N:,} elements"):
        start()
        lines = drive("create", "large", kind, family, "fill", "large", kind, family, 0, N, "fill", "large", kind, family, 0, N,
                      "time", "", "clear", "large", kind, family, N // 2, N // 2)
        results = [line.split() for line in lines]
        assert [r[:-1] for r in results[1:]] == [["ok", f"{N}"], ["ok", f"{N}"], ["ok", "1", f"{N}"], ["ok", f"{N // 2}"]], lines
        added, again, listed, deleted = (float(r[-1]) for r in results[1:])
        print(f"# note: {kind} {family}: {N:,} added in {added:.3f} s, again in {again:.3f} s, listed in {listed:.3f} s; "
              f"{N // 2:,} deleted in {deleted:.3f} s")
        assert len(compare()) == N // 2 + 1
        lines = drive("clear", "large", kind, family, 0, N)
        assert lines[0].startswith(f"ok {N} "), lines
        assert len(compare()) == 1

with tap.case("addresses as ipset(8) prints them"):
    start()
    odd = ["::1", "::2", "::102:304", "::ffff", "::1:0", "1::", "1:0:0:2::", "1:0:0:2:0:0:0:3", "2001:db8:0:1:1:1:1:1", "fe80::1",
           "ff02::1", "64:ff9b::c000:201", "100::"]
    want(["ok", f"ok {len(odd)}"], "create", "a", "hash:ip", "v6", "add", "a", "hash:ip", *odd)
    compare()
    for proto in (1, 6, 17, 132):
        if proto != 1:
            want(["ok" if proto == 6 else "EEXIST", "ok 1"], "create", "b", "hash:ip,port", "v4", "add", "b", "hash:ip,port",
                 f"255.255.255.255,{proto}:65535")
    compare()

with tap.case("the refused element is found, those before it are there"):
    start()
    many = [f"10.0.{i // 250}.{i % 250 + 1},6:80,10.9.0.0/24" for i in range(1000)]
    for at in (0, 1, 318, 319, 320, 321, 700, 999):
        bad = list(many)
        bad[at] = "10.200.0.1,6:80,10.9.0.0/0"
        want(["ok", f"EINVAL {at}"], "create", "a", "hash:ip,port,net", "v4", "add", "a", "hash:ip,port,net", *bad)
        there = {line.split()[2] for line in saved() if line.startswith("add")}
        assert there == {e.replace(",6:", ",tcp:") for e in many[:at]}, len(there)
        bad[at] = "fd00::1,6:80,fd00::/64"
        want([f"EPROTO {at}", "ok"], "del", "a", "hash:ip,port,net", *bad, ";", "destroy", "a")
    want(["ENOENT 0", "ok 0"], "add", "absent", "hash:ip", "10.0.0.1", ";", "add", "absent", "hash:ip")
    want(["ok", "EINVAL 1"], "create", "p", "hash:ip,port", "v4", "add", "p", "hash:ip,port", "10.0.0.1,6:1", "10.0.0.1,0:1")

for kind, family in [(t, f) for t in HASHES for f in FULL]:
    with tap.case(f"{kind} {family}: a full set"):
        start()
        lines = drive("create", "full", kind, family, "fill", "full", kind, family, 0, 66000, "fill", "full", kind, family, 1000, 64536,
                      "time", "")
        # newer kernels count in parts and let some more in
        result, done = lines[1].split()[:2]
        assert result == "ENOSPC" and 65536 <= int(done) < 66000, lines
        assert lines[2].startswith("ok 64536 "), lines  # they are there already
        assert lines[3].startswith(f"ok 1 {done} "), lines
with tap.case("a bitmap that is not ours, with fewer ports"):
    start()
    ipset("create", "few", "bitmap:port", "range", "100-200")
    want(["ERANGE 1"], "add", "few", "bitmap:port", 150, 99, 160)
    want(["odd few bitmap:port", "create few bitmap:port range 0-65535", "add few 150", "ok"], "list", "few")

with tap.case("names"):
    start()
    longest = "x" * 31
    want(["ok", "ok", "ok 1"], "create", longest, "hash:ip", "v4", "create", "other", "hash:ip", "v4", "add", longest, "hash:ip", "10.0.0.1")
    before = saved()
    for bad in ("", "x" * 32, "x" * 4000):
        want(["EINVAL", "EINVAL", "EINVAL", "EINVAL", "EINVAL 0", "EINVAL 0"], "destroy", bad, "create", bad, "hash:ip", "v4",
             "swap", bad, "other", "swap", "other", bad, "add", bad, "hash:ip", "10.0.0.1", ";", "del", bad, "hash:ip", "10.0.0.1")
    assert saved() == before
    want(["ok"], "destroy", longest)

with tap.case("a set of the same name that is of another kind"):
    start()
    ipset("restore", stdin="""create net hash:net
add net 10.0.0.0/8
create family hash:ip,port family inet6
create small hash:ip,port maxelem 10
create list list:set
""")
    for name in ("net", "family", "small", "list"):
        want(["EEXIST"], "create", name, "hash:ip,port", "v4")
    assert drive("list", "") == ["create family hash:ip,port family inet6 maxelem 65536", "odd list list:set", "odd net hash:net",
                                 "create small hash:ip,port family inet maxelem 10", "ok"], drive("list", "")
    want(["ENOSPC 10"], "add", "small", "hash:ip,port", *(f"10.0.0.{i},6:80" for i in range(20)))
    want(["EPROTO 0"], "add", "family", "hash:ip,port", "10.0.0.1,6:80")

with tap.case("options that ours do not have"):
    start()
    lines = ["create timeout hash:ip timeout 600", "create counters hash:ip counters", "create comment hash:ip comment",
             "create skbinfo hash:ip skbinfo", "create forceadd hash:ip forceadd", "create netmask hash:ip netmask 24",
             "create port bitmap:port range 0-65535 timeout 60", "create ports bitmap:port range 0-65534",
             "create nomatch hash:ip,port,net", "add nomatch 10.0.0.1,tcp:80,10.0.0.0/8 nomatch", "add nomatch 10.0.0.1,tcp:80,11.0.0.0/8",
             "create plain hash:ip,port,net", "add plain 10.0.0.1,tcp:80,11.0.0.0/8",
             'add comment 10.0.0.1 comment "some text"', "add counters 10.0.0.1 packets 7 bytes 8", "add timeout 10.0.0.1 timeout 100",
             "add skbinfo 10.0.0.1 skbmark 0x1/0x1 skbprio 1:10 skbqueue 5"]
    ipset("restore", stdin="\n".join(lines) + "\n")
    got = drive("list", "")
    odd = sorted(line.split()[1] for line in got if line.startswith("odd"))
    assert odd == ["comment", "counters", "forceadd", "netmask", "nomatch", "port", "ports", "skbinfo", "timeout"], odd
    for name in ("comment", "counters", "timeout", "skbinfo"):
        assert f"add {name} 10.0.0.1" in got, name
    assert "add plain 10.0.0.1,tcp:80,11.0.0.0/8" in got

with tap.case("one dump, sorted, by the start of the name"):
    start()
    names = ["KUBE-B", "KUBE-A", "other", "KUBE-6-A", "KUB", "KUBE-"]
    for name in names:
        want(["ok", "ok 2"], "create", name, "hash:ip,port", "v4", "add", name, "hash:ip,port", "10.0.0.2,6:80", "10.0.0.1,17:80")
    for prefix in ("", "KUBE-", "KUBE-6-", "other", "nothing"):
        got = drive("list", prefix)
        assert [line.split()[1] for line in got if line.startswith("create")] == sorted(n for n in names if n.startswith(prefix)), got
        assert [line.split()[2] for line in got if line.startswith("add")] == ["10.0.0.1,udp:80", "10.0.0.2,tcp:80"] * (len(got) // 3)

with tap.case("swap"):
    start()
    want(["ok"] * 4 + ["ok 1"] * 2, "create", "a", "hash:ip", "v4", "create", "b", "hash:ip", "v4", "create", "c", "hash:ip,port", "v4",
         "create", "d", "hash:ip", "v6", "add", "a", "hash:ip", "10.0.0.1", ";", "add", "b", "hash:ip", "10.0.0.2")
    want(["ok", "ENOENT", "ENOENT", "EPROTOTYPE", "EPROTOTYPE"], "swap", "a", "b", "swap", "a", "absent", "swap", "absent", "a",
         "swap", "a", "c", "swap", "a", "d")
    assert {"add a 10.0.0.2", "add b 10.0.0.1"} <= set(saved())

def rule(variant, *arguments, folder):
    return subprocess.run([f"iptables-{variant}", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=dict(os.environ, XTABLES_LOCKFILE=f"{folder}/lock"))


with tempfile.TemporaryDirectory() as folder:
    start()
    variants = [v for v in ("nft", "legacy") if rule(v, "-A", "INPUT", "-j", "ACCEPT", folder=folder).returncode == 0]
    with tap.case("the kernel has rules"):
        assert variants
    for variant in variants:
        with tap.case(f"a set that a rule of iptables-{variant} looks at"):
            start()
            want(["ok", "ok"], "create", "busy", "hash:ip", "v4", "create", "other", "hash:ip", "v4")
            p = rule(variant, "-A", "INPUT", "-m", "set", "--match-set", "busy", "dst", "-j", "ACCEPT", folder=folder)
            assert p.returncode == 0, p.stderr
            want(["EBUSY", "ok", "EBUSY", "ok"], "destroy", "busy", "swap", "busy", "other", "destroy", "busy", "destroy", "other")
            assert rule(variant, "-F", folder=folder).returncode == 0
            want(["ok"], "destroy", "busy")

with tap.case("without the right to"):
    start()
    got = drive("list", "", prefix=("setpriv", "--reuid", "65534", "--clear-groups", "--inh-caps=-all"))
    assert got == ["EPERM"], got
tap.done()
