# SPDX-License-Identifier: GPL-2.0-or-later
"""What the other tests of this folder need of user-mode Linux is there, and this machine's files stay as they are."""
import os
import socket
import subprocess

import hosts
from tap import BUILD, SOURCE, Tap


def run(*command):
    p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert p.returncode == 0, f"{' '.join(command)}: {p.stdout}{p.stderr}"
    return p.stdout


tap = Tap()
with open("/proc/uptime") as f:
    print(f"# note: {f.read().split()[0]} s from the start of the kernel to the test")

with tap.case("the kernel is not this machine's, modules load by themselves"):
    assert os.path.isdir(f"/lib/modules/{os.uname().release}")
    run("ipvsadm", "-A", "-t", "192.0.2.1:80", "-s", "wrr")
    assert run("ipvsadm-save", "-n") == "-A -t 192.0.2.1:80 -s wrr\n"
    run("ipvsadm", "-C")
with tap.case("dummy links, sets, legacy iptables with what looks at sets and virtual servers"):
    run("ip", "link", "add", "scratch0", "type", "dummy")
    run("ipset", "create", "scratch", "hash:ip,port,net")
    for program, address in (("iptables", "192.0.2.1"), ("ip6tables", "2001:db8::1")):
        assert "legacy" in run(program, "-V")
        run(program, "-A", "INPUT", "-m", "ipvs", "--vproto", "6", "--vaddr", address, "--vport", "80", "-j", "DROP")
    run("iptables", "-A", "INPUT", "-m", "set", "--match-set", "scratch", "dst,dst,src", "-j", "DROP")
with tap.case("SCTP sockets"):
    socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_SCTP).close()
with tap.case("network namespaces, each with IPVS of its own"):
    host = hosts.Host("other")
    host.run(["ipvsadm", "-A", "-u", "[2001:db8::1]:53"])
    assert "2001:db8::1" in host.run(["ipvsadm-save", "-n"])
    assert run("ipvsadm-save", "-n") == ""
    peer = hosts.Host("peer")
    host.ip(f"link add eth0 type veth peer name eth0 netns {peer.path}", "link set eth0 up", "addr add 192.0.2.1/24 dev eth0")
    peer.ip("link set eth0 up", "addr add 192.0.2.2/24 dev eth0")
    assert host.ask("udp", "192.0.2.2", 9) == "refused"
    for h in (host, peer):
        h.close()
with tap.case("what is written stays in memory"):
    for folder in ("/etc", "/usr/bin", "/var/lib", SOURCE, BUILD):
        path = f"{folder}/written-by-the-test"
        assert not os.path.exists(path), f"{path} is left of an earlier run"
        with open(path, "w") as f:
            f.write("x")
        os.rename(path, f"{path}.2")
        os.unlink(f"{path}.2")
        with open(path, "w") as f:
            f.write("x")
    # seen by the next boot, if it were on the disk
with tap.case("namespaces of the ip program"):
    run("ip", "netns", "add", "scratch")
    run("ip", "netns", "exec", "scratch", "true")
    run("ip", "netns", "delete", "scratch")
tap.done()
