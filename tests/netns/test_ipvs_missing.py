# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# weight: 8
"""ipvs mode on a kernel without IPVS: what it says, and that the rules of the mode before stay."""
import json
import os
import re
import socket
import struct

import hosts
from tap import SVCROUTECTL, SVCROUTED, Tap, need_root, skip_all

SERVICE = 'services = ( { name = "web"; clusterIP = "10.96.0.10"; ports = ( { port = 80; } ); endpoints = [ "10.1.0.11:8080" ]; } );\n'
REASON = "this kernel has no IPVS: load ip_vs (modprobe ip_vs) or use Mode=iptables"


def rules(host):
    return [re.sub(r" \[.*", "", line) for line in host.save("v4", "nft").splitlines() if line[:1] in "-:"]


def once(host):
    with hosts.Root("[Proxy]\nMode=ipvs\n") as root:
        root.write("services.d/web.cfg", SERVICE)
        p = host.finish([SVCROUTED, "--root", root.path, "--once"])
        assert p.returncode == 1 and f"sync failed: {REASON}\n" in p.stderr, f"{p.returncode} {p.stderr}"
        environment = dict(os.environ, XTABLES_LOCKFILE=f"{root.path}/lock")
        for _ in range(2):
            p = host.finish([SVCROUTECTL, "--root", root.path, "cleanup"], env=environment)
            assert (p.returncode, p.stdout, p.stderr) == (0, "", ""), f"{p.returncode} {p.stdout} {p.stderr}"


def change(host):
    with hosts.Root("[Proxy]\nMode=iptables\n[IPTables]\nBackend=nft\n") as root:
        root.write("services.d/web.cfg", SERVICE)
        with hosts.Daemon(host, root) as d:
            d.ready()
            before = rules(host)
            assert any("KUBE-SEP" in line for line in before), before
            root.write("svcroute.conf.d/mode.conf", "[Proxy]\nMode=ipvs\n")
            status, _, err = d.ctl("reload")
            assert status == 1 and REASON in err, f"{status} {err}"
            state = json.loads(d.ctl("status", "--json")[1])
            assert state["state"] == "failing" and REASON in state["lastError"], state
            assert rules(host) == before
            root.remove("svcroute.conf.d/mode.conf")
            d.reload()
            state = json.loads(d.ctl("status", "--json")[1])
            assert state["state"] == "ok" and state["mode"] == "iptables", state
            assert rules(host) == before


def has_ipvs():
    """Whether the kernel has a generic netlink family of that name; to ask loads it where it can be loaded."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16) as s:
        s.settimeout(10)
        s.bind((0, 0))
        attribute = struct.pack("=HH", 9, 2) + b"IPVS\0" + b"\0" * 3
        body = struct.pack("=BBH", 3, 1, 0) + attribute  # CTRL_CMD_GETFAMILY
        s.send(struct.pack("=IHHII", 16 + len(body), 16, 1, 1, 0) + body)
        return struct.unpack_from("=H", s.recv(8192), 4)[0] != 2  # NLMSG_ERROR


def main():
    need_root()
    if has_ipvs():
        skip_all("this kernel has IPVS")
    t = Tap()
    host = hosts.Host("router")
    host.ip("link add eth0 type veth peer name eth0x", "addr add 192.0.2.10/24 dev eth0", "link set eth0 up", "link set eth0x up")
    for case, name in ((once, "svcrouted --once, and cleanup"), (change, "Mode=ipvs while iptables mode serves")):
        with t.case(name):
            case(host)
    host.close()
    t.done()


main()
