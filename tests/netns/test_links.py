# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
"""Addresses of a link over netlink, against what ip(8) shows: on a veth link here, on a dummy link in user-mode Linux.

In user-mode Linux (tests/uml/test_links.py) the dummy link itself is tested, too."""
import json
import os
import socket
import subprocess

import netns
from tap import BUILD, Tap, need_root

DRIVER = os.path.join(BUILD, "tests", "drive-links")
DUMMY = globals().get("DUMMY", False)
N = globals().get("N", 3000)


def ip(*arguments):
    p = subprocess.run(["ip", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert p.returncode == 0, f"ip {' '.join(arguments)}: {p.stderr.strip()}"
    return p.stdout


def drive(*arguments, prefix=()):
    """What the driver prints, as lines."""
    p = subprocess.run([*prefix, DRIVER, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert p.returncode in (0, 1), f"status {p.returncode}: {p.stderr.strip()}"
    return p.stdout.splitlines()


def want(expected, *arguments):
    got = drive(*arguments)
    assert got == expected, f"{arguments[:6]}: {got[:8]}, not {expected}"


def show(link="x0"):
    """{ADDRESS/LENGTH: what ip(8) says about it}"""
    found = json.loads(ip("-json", "address", "show", "dev", link))[0]["addr_info"]
    return {f"{a['local']}/{a['prefixlen']}": a for a in found}


def listed(link="x0"):
    got = drive("list", link)
    assert got.pop() == "ok", got
    return got


def start():
    """A new namespace with the link x0, which is down and has no addresses."""
    netns.unshare()
    if DUMMY:
        want(["ok"], "create", "x0")
    else:
        ip("link", "add", "x0", "type", "veth", "peer", "name", "x1")


need_root()
socket.socket(socket.AF_INET6).close()  # loads the module: without it IPv6 addresses are not supported
tap = Tap()

with tap.case("a link is found by its name"):
    start()
    number = json.loads(ip("-json", "link", "show", "x0"))[0]["ifindex"]
    want([f"ok {number} {'dummy' if DUMMY else 'other'}", "ok 1 other", "ENODEV", "EINVAL", "EINVAL", "ENODEV"],
         "find", "x0", "find", "lo", "find", "absent", "find", "", "find", "x" * 16, "find", "x" * 15)

with tap.case("addresses: what is there already, or gone already, is fine"):
    start()
    four, six = ["10.96.0.10", "192.0.2.1", "255.255.255.254"], ["fd96::10", "2001:db8::1", "::1.2.3.4"]
    want(["ok " * 6 + "ok"] * 2, "add", "x0", *four, *six, ";", "add", "x0", *four, *six)
    there = show()
    assert set(there) == {f"{a}/32" for a in four} | {f"{a}/128" for a in six}, sorted(there)
    for name, a in there.items():
        assert a["scope"] == "global" and a["valid_life_time"] == a["preferred_life_time"] == 2 ** 32 - 1, a
        assert not {"label", "broadcast"} & set(a) or a.get("label") == "x0", a
    want(["10.96.0.10/32 scope 0", "192.0.2.1/32 scope 0", "255.255.255.254/32 scope 0", "::102:304/128 scope 0", "2001:db8::1/128 scope 0",
          "fd96::10/128 scope 0", "ok"], "list", "x0")
    assert drive("list", "lo") == ["ok"]
    want(["ok ok ok", "ok ok ok"], "del", "x0", "10.96.0.10", "fd96::10", ";", "del", "x0", "10.96.0.10", "fd96::10")
    assert len(show()) == 4
    # nothing to do
    want(["ok", "ok"], "add", "x0", ";", "del", "x0")

with tap.case("a refused address does not stop those after it"):
    start()
    want(["ok EADDRNOTAVAIL ok EADDRNOTAVAIL ok ok"], "add", "x0", "10.0.0.1", "ff02::1", "10.0.0.2", "::", "fd00::1")
    want(["ENODEV ENODEV ok", "ENODEV ENODEV ok", "ENODEV"], "add", "absent", "10.0.0.1", "fd00::1", ";", "del", "absent", "10.0.0.1", "fd00::1", ";",
         "delete", "absent")
    assert sorted(show()) == ["10.0.0.1/32", "10.0.0.2/32", "fd00::1/128"]

with tap.case("addresses of others: other lengths, scopes, the other end of a link"):
    start()
    ip("address", "add", "10.0.0.1/24", "dev", "x0")
    ip("address", "add", "10.0.0.3/32", "dev", "x0", "scope", "link")
    ip("address", "add", "10.0.0.4", "peer", "10.0.0.5/32", "dev", "x0")
    ip("address", "add", "fd00::1/64", "dev", "x0")
    assert listed() == ["10.0.0.1/24 scope 0", "10.0.0.3/32 scope 253", "10.0.0.4/32 scope 0", "fd00::1/64 scope 0"], listed()
    # not the same address to the kernel in IPv4, the same one in IPv6
    want(["ok ok ok"], "add", "x0", "10.0.0.1", "fd00::1")
    assert "10.0.0.1/24 scope 0" in listed() and "10.0.0.1/32 scope 0" in listed() and "fd00::1/64 scope 0" in listed()
    want(["ok ok ok"], "del", "x0", "10.0.0.1", "fd00::1")
    assert listed()[0] == "10.0.0.1/24 scope 0" and "fd00::1/64 scope 0" in listed(), listed()

for family in ("v4", "v6"):
    with tap.case(f"{family}: {N:,} addresses at once"):
        start()
        lines = drive("fill", "x0", family, N, "fill", "x0", family, N)
        added, again = (float(line.split()[-1]) for line in lines)
        assert [line.split()[:2] for line in lines] == [["ok", "0"]] * 2, lines
        assert {line.split()[0] for line in listed()} == set(show()) and len(show()) == N
        lines = drive("clear", "x0", family, N, "clear", "x0", family, N)
        assert [line.split()[:2] for line in lines] == [["ok", "0"]] * 2, lines
        assert show() == {}
        print(f"# note: {family}: {N:,} addresses added in {added:.3f} s, again in {again:.3f} s, deleted in {float(lines[0].split()[-1]):.3f} s")

with tap.case("without the right to"):
    start()
    ip("address", "add", "10.0.0.1/24", "dev", "x0")
    got = drive("add", "x0", "10.0.0.2", ";", "del", "x0", "10.0.0.1", ";", "create", "x2", "delete", "x0", "list", "x0",
                prefix=("setpriv", "--reuid", "65534", "--clear-groups", "--inh-caps=-all"))
    assert got == ["EPERM ok", "EPERM ok", "EPERM", "EPERM", "10.0.0.1/24 scope 0", "ok"], got

if DUMMY:
    with tap.case("the dummy link: down, without a queue, else as ip(8) makes it"):
        start()
        ip("link", "add", "theirs", "type", "dummy")
        [ours], [theirs] = (json.loads(ip("-json", "-details", "link", "show", n)) for n in ("x0", "theirs"))
        assert "txqlen" not in ours and theirs.pop("txqlen") == 1000, ours
        for link in (ours, theirs):
            for key in ("ifindex", "ifname", "address"):
                link.pop(key)
        assert ours == theirs, f"{ours} {theirs}"
        assert ours["flags"] == ["BROADCAST", "NOARP"] and ours["operstate"] == "DOWN" and ours["qdisc"] == "noop", ours
        want(["EEXIST", "EEXIST", "EINVAL", "EINVAL"], "create", "x0", "create", "lo", "create", "", "create", "x" * 16)
        want(["ok", "ENODEV", "ENODEV"], "delete", "x0", "delete", "x0", "find", "x0")
    with tap.case("a link of another kind is told from it"):
        netns.unshare()
        ip("link", "add", "x0", "type", "bridge")
        ip("link", "add", "x2", "type", "dummy")
        assert [line.split()[2] for line in drive("find", "x0", "find", "x2")] == ["other", "dummy"]
        want(["EEXIST"], "create", "x0")
    with tap.case("down, its addresses have local routes all the same"):
        start()
        want(["ok ok ok"], "add", "x0", "10.96.0.10", "fd96::10")
        for family, address in (("-4", "10.96.0.10"), ("-6", "fd96::10")):
            assert f"local {address} dev x0" in ip(family, "route", "show", "table", "local"), family
        assert ip("-6", "route", "show", "table", "main") == ""
        want(["ok ok ok"], "del", "x0", "10.96.0.10", "fd96::10")
        assert "x0" not in ip("-4", "route", "show", "table", "local") + ip("-6", "route", "show", "table", "local")
else:
    with tap.case("a kernel without dummy links"):
        netns.unshare()
        got = drive("create", "x0")
        assert got in (["EOPNOTSUPP"], ["ok"]), got
tap.done()
