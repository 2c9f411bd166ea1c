# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
# weight: 60
"""What went wrong for people with service proxies in ipvs mode, each with a number: it does not here. Other tests in this
folder have more of them: packets through every kind of address (test_packets.py), draining and affinity
(test_packets_change.py), restarts, clean-up and what is not ours (test_ipvs_backend.py), modules that are missing
(test_ipvs_faults.py)."""
import errno
import os
import signal
import socket
import subprocess
import sys
import time

import netns
from echo import Listener, ask, connection, say
from hosts import CLIENT, FAMILIES, NODE_2, POD_A, POD_B, ROUTER, Host
from router import VIP, Router
from tap import Tap

A, B = POD_A["v4"], POD_B["v4"]
SHORT = [f"{A}:8081", f"{B}:8081"]  # close at once
LONG = [f"{A}:8080", f"{B}:8080"]   # echo
LB = "203.0.113.9"


def sysctl(host, name):
    return host.run(["sysctl", "-n", name]).strip()


class Monitor:
    """What happens to addresses of a host."""

    def __init__(self, r):
        self.r, self.n, self.path = r, 0, f"{r.root.path}/monitor"
        with open(self.path, "w") as f:
            self.process = r.host.popen(["ip", "-o", "monitor", "address"], stdin=subprocess.DEVNULL, stdout=f)
        self.seen = 0
        r.wait("the monitor listens", lambda: self.mark(1))
        self.lines()

    def mark(self, seconds=60):
        """Whether it shows, in the end, an address that is added for the purpose."""
        self.n += 1
        self.r.host.ip(f"addr add 10.250.0.{self.n}/32 dev lo")
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with open(self.path) as f:
                if f"10.250.0.{self.n}/32" in f.read():
                    return True
            time.sleep(0.05)
        return False

    def lines(self):
        """All that happened since it was asked last."""
        assert self.mark()
        with open(self.path) as f:
            f.seek(self.seen)
            text = f.read()
            self.seen = f.tell()
        return text.splitlines()

    def close(self):
        self.process.kill()
        self.process.wait()


def c15(r, d):
    """One of two services at an address goes: the address stays, the whole time."""
    outside = 'externalIPs = [ "198.51.100.51" ]; '
    r.write(SHORT, name="a", ip="10.96.0.21", node_port=0, more=outside)
    r.write(SHORT, name="b", ip="10.96.0.22", port=443, node_port=0, more=outside)
    d.reload()
    assert "198.51.100.51/32" in r.addresses()
    m = Monitor(r)
    try:
        r.root.remove("services.d/a.cfg")
        d.reload()
        for _ in range(10):
            assert isinstance(r.network.client.ask("tcp", "198.51.100.51", 443, timeout=10), tuple)
        said = m.lines()
        assert any("10.96.0.21" in line for line in said), said
        assert not any("198.51.100.51" in line for line in said), said
    finally:
        m.close()
    r.root.remove("services.d/b.cfg")
    d.reload()
    assert not {"198.51.100.51/32", "10.96.0.22/32"} & set(r.addresses()), r.addresses()


def c16(r, d):
    """The default gateway as an external IP is refused, and stays reachable."""
    r.write(SHORT, name="trap", ip="10.96.0.23", node_port=0, more=f'externalIPs = [ "{CLIENT["v4"]}" ]; ')
    said = r.ctl("check", status=3)
    assert "is the default gateway of this host" in said and "trap.cfg:2:" in said, said
    status, _, err = d.ctl("reload")
    assert status == 3 and "is the default gateway" in err, (status, err)
    assert f"{CLIENT['v4']}/32" not in r.addresses()
    assert r.host.ask("udp", CLIENT["v4"], 9, timeout=10) == "refused", "the gateway does not answer any more"


def c17(r, d):
    """A load balancer's address of mode Proxy is none of our business; the node port is."""
    def write(mode):
        r.root.write("services.d/lb.cfg", f'services = ( {{ name = "lb"; type = "LoadBalancer"; clusterIP = "10.96.0.24";\n'
                     f'loadBalancerIPs = ( {{ ip = "{LB}"; ipMode = "{mode}"; }} );\nports = ( {{ port = 80; nodePort = 30024; }} );'
                     f'\nendpoints = [ "{SHORT[0]}" ]; }} );\n')
        d.reload()

    def traces():
        return [line for part in r.everything() for line in part if LB in line]
    for _ in range(2):
        write("VIP")
        assert len(traces()) >= 4, traces()
        assert isinstance(r.host.ask("tcp", LB, 80, timeout=10), tuple)
        write("Proxy")
        assert not traces(), traces()
        assert isinstance(r.network.client.ask("tcp", ROUTER["v4"], 30024, timeout=10), tuple)
        # it goes where the load balancer is
        assert f"via {CLIENT['v4']}" in r.host.run(["ip", "route", "get", LB])


def c20(r, d):
    """The node port of a service without endpoints is refused for its protocol only."""
    r.network.serve(r.host, "udp/0.0.0.0/32445")
    r.write([], name="empty", ip="10.96.0.25", node_port=32445)
    d.reload()
    for host, address in ((r.network.client, ROUTER["v4"]), (r.host, ROUTER["v4"]), (r.network.client, "10.96.0.25")):
        port = 80 if address == "10.96.0.25" else 32445
        assert host.ask("tcp", address, port, timeout=10) == "refused"
    assert isinstance(r.network.client.ask("udp", ROUTER["v4"], 32445, timeout=10), tuple)
    r.write(SHORT, name="empty", ip="10.96.0.25", node_port=32445)
    d.reload()
    assert isinstance(r.network.client.ask("tcp", ROUTER["v4"], 32445, timeout=10), tuple)


def c26(r, d):
    """150 clients, each comes to its endpoint again; the time is in seconds."""
    n = 150
    r.write(SHORT, name="sticky", ip="10.96.0.26", node_port=0,
            more='sessionAffinity = "ClientIP"; sessionAffinityTimeoutSeconds = 10800; ')
    d.reload()
    assert "-A -t 10.96.0.26:80 -s rr -p 10800" in [line.strip() for line in r.servers()], r.servers()
    sources = [f"198.18.1.{i + 1}" for i in range(n)]
    r.network.client.ip(*(f"addr add {s}/32 dev lan" for s in sources))
    r.host.ip(f"route add 198.18.1.0/24 via {CLIENT['v4']}")
    first, second = ([r.network.client.ask("tcp", "10.96.0.26", 80, s, timeout=10)[0] for s in sources] for _ in range(2))
    assert first == second and first.count(A) == first.count(B) == n // 2, (first, second)


def c29(r, d):
    """A client that uses a port again is served, also when the server that it had is gone."""
    def connect(s):
        deadline = time.monotonic() + 30
        while error := s.connect_ex(("10.96.0.29", 80)):
            # the last packet of the connection before may still be on its way
            assert error == errno.EADDRNOTAVAIL and time.monotonic() < deadline, error
            time.sleep(0.05)

    def again():
        with r.network.client.inside():
            s = socket.socket()
        with s:
            s.settimeout(20)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind((CLIENT["v4"], 40029))
            connect(s)
            words = s.recv(200).decode().split()
            assert s.recv(1) == b""  # the server closes first: no wait here
            return words[0]
    for name in ("conntrack", "expire_nodest_conn", "expire_quiescent_template"):
        assert sysctl(r.host, f"net.ipv4.vs.{name}") == "1", name
    r.write(SHORT, name="reuse", ip="10.96.0.29", node_port=0)
    d.reload()
    assert {again() for _ in range(4)} <= {A, B}
    who = again()
    other = B if who == A else A
    r.write([f"{other}:8081"], name="reuse", ip="10.96.0.29", node_port=0)
    d.reload()
    assert [again() for _ in range(3)] == [other] * 3


def c29_found(r):
    """On kernels that do not need it, conn_reuse_mode is left as it was found."""
    for value in ("1", "0"):
        r.host.run(["sysctl", "-w", f"net.ipv4.vs.conn_reuse_mode={value}"])
        with r.start() as d:
            assert sysctl(r.host, "net.ipv4.vs.conn_reuse_mode") == value
            assert ("conn_reuse_mode is 0" in d.ctl("status")[1]) == (value == "0"), d.ctl("status")
    r.host.run(["sysctl", "-w", "net.ipv4.vs.conn_reuse_mode=1"])


def c27(r):
    """An endpoint that went while nobody ran drains, and is deleted if nobody is connected to it."""
    r.write(LONG, node_port=0)
    with r.start():
        assert r.reals() == {e: 1 for e in LONG}
    with connection(r.network.client, VIP, 80) as s:
        who = say(s)
        other = B if who == A else A
        r.write([f"{other}:8080"], node_port=0)
        with r.start():
            assert r.reals() == {f"{who}:8080": 0, f"{other}:8080": 1}, r.reals()
            assert say(s) == who and ask(r.network.client, VIP, 80) == other
        r.write(LONG, node_port=0)
        with r.start():
            assert r.reals() == {e: 1 for e in LONG} and say(s) == who
    r.write(LONG + ["10.1.0.77:8080"], node_port=0)
    r.once()
    assert "10.1.0.77:8080" in r.reals()
    r.write(LONG, node_port=0)
    r.once()
    assert r.reals() == {e: 1 for e in LONG}, r.reals()


def c31(r):
    """Nothing piles up on the link over crashes, and what others put there is left alone, in silence."""
    many = [f"10.96.31.{i + 1}" for i in range(100)]

    def write(addresses):
        r.root.write("services.d/many.cfg", "services = (\n" + ",\n".join(
            f'{{ name = "m{i}"; clusterIP = "{a}"; ports = ( {{ port = 80; }} ); endpoints = [ "{SHORT[0]}" ]; }}'
            for i, a in enumerate(addresses)) + "\n);\n")
    foreign = []
    for part in (many[:40], many[20:], many[:1]):
        write(part)
        with r.start() as d:
            assert r.addresses() == sorted([f"{VIP}/32", *(f"{a}/32" for a in part), *foreign]), r.addresses()
            if not foreign:
                foreign = ["fe80::77/64"]
                r.host.ip(f"addr add {foreign[0]} dev kube-ipvs0")
            d.stop(signal.SIGKILL)
        routes = r.host.run(["ip", "route", "show", "table", "local", "dev", "kube-ipvs0"]).split()
        assert {w for w in routes if w.startswith("10.")} == {VIP, *part}, routes
    said = r.once()
    assert "nothing to change" in said and "fe80" not in said, said
    r.host.ip("addr del fe80::77/64 dev kube-ipvs0")


def c32(r):
    """With StrictARP this host does not answer for an address of a service; clean-up puts the sysctls back."""
    names = ("net.ipv4.conf.all.arp_ignore", "net.ipv4.conf.all.arp_announce")
    before = [sysctl(r.host, n) for n in names]
    outside = 'externalIPs = [ "203.0.113.5" ]; '
    r.write(SHORT, name="arp", ip="10.96.0.32", node_port=0, more=outside)
    r.network.client.ip("route add 203.0.113.5/32 dev lan")
    r.once()
    assert [sysctl(r.host, n) for n in names] == before
    assert isinstance(r.network.client.ask("tcp", "203.0.113.5", 80, timeout=10), tuple)
    r.network.client.ip("neigh flush dev lan")
    r.settings("ipvs", "[IPVS]\nStrictARP=yes\n")
    r.once()
    assert [sysctl(r.host, n) for n in names] == ["1", "2"]
    assert r.network.client.ask("tcp", "203.0.113.5", 80, timeout=10) == "No route to host"
    # its own address it does answer for
    assert isinstance(r.network.client.ask("tcp", "10.96.0.32", 80, timeout=10), tuple)
    r.ctl("cleanup")
    assert [sysctl(r.host, n) for n in names] == before
    r.settings("ipvs")
    r.network.client.ip("route del 203.0.113.5/32 dev lan")


BIG = """
import socket, sys
s = socket.create_server((sys.argv[1], 8083), family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
print("ready", flush=True)
while True:
    c, _ = s.accept()
    with c: c.sendall(bytes(100_000))
"""


def c33(r):
    """A large answer over a way with a smaller MTU: the message about it, sent to the service's address, gets through."""
    n = r.network
    far = Host("far")
    n.hosts = (*n.hosts, far)  # closed with them
    n.node_2.ip(f"link add to-far type veth peer name eth0 netns {far.path}", "link set to-far mtu 1400", "link set to-far up",
                "addr add 198.18.0.1/24 dev to-far", "addr add 2001:db8:18::1/64 dev to-far nodad")
    far.ip("link set eth0 up", "addr add 198.18.0.5/24 dev eth0", "addr add 2001:db8:18::5/64 dev eth0 nodad",
           "route add default via 198.18.0.1", "route add default via 2001:db8:18::1")
    with n.node_2.inside():
        netns.sysctl("net/ipv4/ip_forward", 1)
        netns.sysctl("net/ipv6/conf/all/forwarding", 1)
    r.host.ip(f"route add 198.18.0.0/24 via {NODE_2['v4']}", f"route add 2001:db8:18::/64 via {NODE_2['v6']}")
    for f in FAMILIES:
        p = n.pod_a.popen([sys.executable, "-c", BIG, POD_A[f]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        n.processes.append(p)
        assert p.stdout.readline() == "ready\n"
    r.write([f"{A}:8083"], name="big", ip="10.96.0.33", node_port=0)
    r.write([f"[{POD_A['v6']}]:8083"], name="big6", ip="fd00:96::33", node_port=0)
    r.once()
    for address, counter in (("10.96.0.33", "IcmpOutDestUnreachs"), ("fd00:96::33", "Icmp6OutPktTooBigs")):
        got = 0
        with connection(far, address, 80) as s:
            s.settimeout(30)
            while data := s.recv(65536):
                got += len(data)
        assert got == 100_000, (address, got)
        told = n.node_2.run(["nstat", "-asz", counter]).split()[-2]
        assert int(told) > 0, f"{counter}: nothing had to be told"


def tidy(r):
    for name in os.listdir(f"{r.root.etc}/services.d"):
        if name != "web.cfg":
            r.root.remove(f"services.d/{name}")


def main():
    netns.unshare()
    subprocess.run(["modprobe", "-a", "ipv6", "bridge", "veth"], check=True)
    t = Tap()
    running = {"C15 one of two services at an address goes": c15, "C16 the gateway's address": c16,
               "C17 a load balancer's address of mode Proxy": c17, "C20 the node port of another protocol": c20,
               "C26 affinity of 150 clients": c26, "C29 a port is used again": c29}
    alone = {"C27 an endpoint that went while nobody ran": c27, "C29 conn_reuse_mode as found": c29_found,
             "C31 nothing piles up on the link": c31, "C32 StrictARP": c32, "C33 path MTU": c33}

    def wanted(name):
        return not sys.argv[1:] or any(w in name for w in sys.argv[1:])
    with Router() as r:
        n = r.network
        for host, address in ((n.pod_a, A), (n.pod_b, B)):
            Listener(n, host, address)
            n.serve(host, f"tcp/{address}/8081", f"udp/{address}/8081")
        n.settle()
        r.write(LONG, node_port=0)
        with r.start() as d:
            for name in filter(wanted, running):
                with t.case(name):
                    running[name](r, d)
                tidy(r)
                d.ctl("reload")
        for name in filter(wanted, alone):
            with t.case(name):
                alone[name](r)
            tidy(r)
    t.done()


main()
