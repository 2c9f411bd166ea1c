# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 200
# weight: 15
"""What `check` says about the host that it runs on, and that the daemon says it too: addresses of the host and of its
neighbours, node ports that are in use or may be given to outgoing connections, families that are off, node ports that
answer on more or fewer addresses than meant. The host is a namespace with made-up links, routes and programs."""
import contextlib
import json
import shutil
import socket
import subprocess
import time

import hosts
import netns
from tap import SVCROUTECTL, Tap, need_root

SETTINGS = "[Proxy]\nClusterCIDR=10.1.0.0/16\n"
LINK = "link add {0} type veth peer name {0}x"


def service(name, ip, keys="", port=80, node=None, protocol="TCP"):
    ips = ", ".join(f'"{i}"' for i in ip.split(","))
    node_port = f" nodePort = {node};" if node else ""
    kind = ' type = "NodePort";' if node and "type =" not in keys else ""
    return (f'services = (\n  {{ name = "{name}"; clusterIPs = [ {ips} ];{kind} {keys}\n'
            f'    ports = ( {{ protocol = "{protocol}"; port = {port};{node_port} }} ); }}\n);\n')


class Setup:
    """A router: eth0 192.0.2.10 with a gateway, eth1 198.51.100.1, a point-to-point link to 203.0.113.9."""

    def __init__(self, settings=""):
        self.root = hosts.Root(SETTINGS + settings)
        self.host = hosts.Host("router")
        self.sockets = []
        self.host.ip(*(LINK.format(name) for name in ("eth0", "eth1", "tun0")),
                     "addr add 192.0.2.10/24 dev eth0", "addr add 2001:db8:2::10/64 dev eth0 nodad",
                     "addr add 198.51.100.1/24 dev eth1", "addr add 203.0.113.8 peer 203.0.113.9 dev tun0",
                     *(f"link set {name} up" for name in ("eth0", "eth0x", "eth1", "eth1x", "tun0", "tun0x")),
                     "route add default via 192.0.2.1", "route add default via 2001:db8:2::1")
        self.sysctl("net/ipv4/ip_local_port_range", "32768 60999")
        self.sysctl("net/ipv4/ip_forward", 0)
        self.sysctl("net/ipv6/conf/all/forwarding", 0)

    def __enter__(self):
        return self

    def close_sockets(self):
        for s in self.sockets:
            s.close()
        self.sockets.clear()

    def __exit__(self, *args):
        self.close_sockets()
        self.root.__exit__()
        self.host.close()

    def sysctl(self, path, value):
        with self.host.inside():
            netns.sysctl(path, value)

    def bind(self, address, port, protocol="tcp"):
        with self.host.inside():
            s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET,
                              socket.SOCK_STREAM if protocol == "tcp" else socket.SOCK_DGRAM)
        self.sockets.append(s)
        s.bind((address, port))
        if protocol == "tcp":
            s.listen()

    def daemon(self):
        """One that knows nothing of those before it."""
        shutil.rmtree(f"{self.root.path}/var", ignore_errors=True)
        return hosts.Daemon(self.host, self.root)

    def write(self, *texts):
        """a.cfg, b.cfg ... in place of what there was."""
        for i, letter in enumerate("abcd"):
            if i < len(texts):
                self.root.write(f"services.d/{letter}.cfg", texts[i])
            else:
                with contextlib.suppress(FileNotFoundError):
                    self.root.remove(f"services.d/{letter}.cfg")

    def ctl(self, *arguments, named=False):
        where = ["check", self.root.etc] if named else ["--root", self.root.path, "check"]
        p = self.host.popen([SVCROUTECTL, *where, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
        out, err = p.communicate(timeout=60)
        return p.returncode, out, err

    def check(self, *expected):
        """Just these warnings: (place, words that are in it)."""
        status, out, err = self.ctl()
        assert status == 0, f"status {status}: {out}{err}"
        lines = err.splitlines()
        assert len(lines) == len(expected), f"{len(expected)} wanted:\n{err}"
        for place, *words in expected:
            found = [line for line in lines if place in line and all(w in line for w in words)]
            assert len(found) == 1, f"{place} {words}:\n{err}"
            assert "warning: " in found[0]
        assert out.strip().endswith("fine, with warnings" if expected else "fine"), out
        assert self.ctl("--strict")[0] == (3 if expected else 0)
        status, out, _ = self.ctl("--json")
        found = json.loads(out)
        assert status == 0 and [d["severity"] for d in found] == ["warning"] * len(expected), out
        assert all(d["reason"] and d["hint"] for d in found), out

    def refuse(self, *expected):
        """One error, with these words."""
        status, out, err = self.ctl()
        assert status == 3, f"status {status}: {out}{err}"
        errors = [line for line in err.splitlines() if "error: " in line]
        assert len(errors) == 1 and all(w in errors[0] for w in expected), f"{expected}:\n{err}"


def nothing_to_say(s):
    s.write(service("a", "10.96.0.10,fd00:96::10", 'externalIPs = [ "8.8.8.8" ];', node=30080))
    s.check()


def own_cluster_ip(s):
    s.write(service("a", "192.0.2.10"), service("b", "198.51.100.77"), service("c", "2001:db8:2::77"))
    s.check(("a.cfg:2:32: ", "services[0].clusterIPs[0] '192.0.2.10'", "eth0"),
            ("b.cfg:2:32: ", "services[0].clusterIPs[0] '198.51.100.77'", "198.51.100.0/24", "eth1"),
            ("c.cfg:2:32: ", "services[0].clusterIPs[0] '2001:db8:2::77'", "2001:db8:2::/64", "eth0"))
    assert s.ctl("--strict", named=True)[0] == 0, "a directory that was named may be for another host"


def own_external_ip(s):
    s.write(service("a", "10.96.0.10", 'externalIPs = [ "192.0.2.10" ];'),
            service("b", "10.96.0.11", 'type = "LoadBalancer"; loadBalancerIPs = [ "198.51.100.1" ];', port=81),
            service("c", "10.96.0.12", 'type = "LoadBalancer"; loadBalancerIPs = ( { ip = "198.51.100.1"; '
                                       'ipMode = "Proxy"; } );', port=82))
    s.check(("a.cfg:2:64: ", "services[0].externalIPs[0] '192.0.2.10'", "address of this host", "eth0"),
            ("b.cfg:2:91: ", "services[0].loadBalancerIPs[0] '198.51.100.1'", "address of this host", "eth1"))


def shadowed_node_port(s):
    s.write(service("a", "10.96.0.10", 'externalIPs = [ "192.0.2.10" ];', port=30080), service("b", "10.96.0.11", node=30080))
    s.check(("a.cfg:2:64: ", "address of this host"),
            ("a.cfg:2:64: ", "services[0].externalIPs[0] '192.0.2.10:30080/TCP'", "ports[0].nodePort of service 'default/b'",
             "b.cfg:3:57 "))


def ports_in_use(s):
    s.bind("0.0.0.0", 30080)
    s.bind("192.0.2.10", 30053, "udp")
    s.bind("::", 30090)
    s.write(service("a", "10.96.0.10", node=30080), service("b", "10.96.0.11", node=30053, protocol="UDP"),
            service("c", "10.96.0.12", 'type = "LoadBalancer"; externalTrafficPolicy = "Local"; '
                                       "healthCheckNodePort = 30090;"),
            service("d", "10.96.0.13", node=30080, protocol="UDP"))
    s.check(("a.cfg:3:57: ", "services[0].ports[0].nodePort '30080/TCP'", "0.0.0.0:30080"),
            ("b.cfg:3:57: ", "'30053/UDP'", "192.0.2.10:30053"),
            ("c.cfg:2:126: ", "services[0].healthCheckNodePort '30090/TCP'", "0.0.0.0:30090"))
    s.root.write("svcroute.conf", SETTINGS + "NodePortAddresses=198.51.100.0/24\n")
    s.write(service("b", "10.96.0.11", node=30053, protocol="UDP"))
    s.check()
    s.root.write("svcroute.conf", SETTINGS)
    s.close_sockets()


def ephemeral_port(s):
    """C09: the service, the port and the range, once; not when the port is reserved."""
    s.root.write("svcroute.conf", SETTINGS + "ServiceNodePortRange=30000-45000\n")
    s.write(service("a", "10.96.0.10", node=40000), service("b", "10.96.0.11", node=30000))
    s.check(("a.cfg:3:57: ", "services[0].ports[0].nodePort '40000/TCP'", "default/a", "32768-60999", "ip_local_reserved_ports"))
    s.sysctl("net/ipv4/ip_local_reserved_ports", "8080,39999-40001")
    s.check()
    s.sysctl("net/ipv4/ip_local_reserved_ports", "\n")
    s.sysctl("net/ipv4/ip_local_port_range", "20000 30000")
    s.check(("b.cfg:3:57: ", "'30000/TCP'", "default/b", "20000-30000"))
    s.sysctl("net/ipv4/ip_local_port_range", "32768 60999")
    s.root.write("svcroute.conf", SETTINGS)


def open_family(s):
    """S64b"""
    s.root.write("svcroute.conf", SETTINGS + "NodePortAddresses=192.0.2.0/24\n")
    s.write(service("a", "10.96.0.10,fd00:96::10", node=30080), service("b", "10.96.0.11", node=30081))
    s.check(("svcroute.conf:3", "NodePortAddresses '192.0.2.0/24'", "IPv6 node ports of 'default/a' are open"))
    assert "svcroute.conf:3" in s.ctl(named=True)[2], "it holds for every host"
    s.root.write("svcroute.conf", SETTINGS + "NodePortAddresses=192.0.2.0/24 2001:db8::/32\n")
    s.check()
    # a family without a default route has no primary address
    s.root.write("svcroute.conf", SETTINGS + "NodePortAddresses=primary\n")
    s.check()
    s.host.ip("route del default via 2001:db8:2::1")
    s.check(("svcroute.conf:3", "NodePortAddresses 'primary'", "IPv6 node ports of 'default/a' are open"))
    s.host.ip("route add default via 2001:db8:2::1")
    s.root.write("svcroute.conf", SETTINGS)


def primary_on_a_router(s):
    s.root.write("svcroute.conf", SETTINGS + "NodePortAddresses=primary\n")
    s.write(service("a", "10.96.0.10", node=30080))
    s.check()
    s.sysctl("net/ipv4/ip_forward", 1)
    s.check(("svcroute.conf:3", "node ports answer only at 192.0.2.10, on eth0", "NodePortAddresses="))
    s.root.write("svcroute.conf", SETTINGS + "NodePortAddresses=eth1\n")
    s.check()
    s.sysctl("net/ipv4/ip_forward", 0)
    s.root.write("svcroute.conf", SETTINGS)


def c14_claims(s):
    """a to e: who clashes is told with both places; what may go together does."""
    external = 'externalIPs = [ "203.0.113.1" ];'
    health = 'type = "LoadBalancer"; externalTrafficPolicy = "Local"; healthCheckNodePort = 30073;'
    a_cfg, b_cfg = f"{s.root.etc}/services.d/a.cfg:", f"{s.root.etc}/services.d/b.cfg:"
    refused = [("services[0].externalIPs[0] '203.0.113.1:80/TCP'", service("a", "10.96.0.10", external),
                service("b", "10.96.0.11", external)),
               ("services[0].ports[0].nodePort '30073/TCP'", service("a", "10.96.0.10", node=30073), service("b", "10.96.0.11", node=30073)),
               ("healthCheckNodePort", service("a", "10.96.0.10", health), service("b", "10.96.0.11", node=30073))]
    for what, a, b in refused:
        for texts in ((a, b), (b, a)):
            s.write(*texts)
            s.refuse(b_cfg, a_cfg, "'30073/TCP'" if "30073" in a else what, "default/a' (" if texts[0] is a else "default/b' (")
    s.write(service("a", "10.96.0.10", node=30073), service("b", "10.96.0.11", node=30073, protocol="UDP"))
    s.check()
    s.write(service("a", "10.96.0.10"), service("b", "10.96.0.10", port=443))
    s.check((b_cfg + "2:32: ", "services[0].clusterIPs[0] '10.96.0.10'", "default/a", a_cfg + "2:32,"))
    s.write(service("b", "10.96.0.10", port=443), service("a", "10.96.0.10"))
    s.check((b_cfg + "2:32: ", "services[0].clusterIPs[0] '10.96.0.10'", "default/b", a_cfg + "2:32,"))


def c16_neighbour(s):
    for ip, words in (("192.0.2.1", ("default gateway", "eth0")), ("203.0.113.9", ("point-to-point", "tun0"))):
        s.write(service("a", "10.96.0.10", f'externalIPs = [ "{ip}" ];'))
        s.refuse("a.cfg:2:64: ", f"services[0].externalIPs[0] '{ip}'", *words)
        s.write(service("a", "10.96.0.10", f'type = "LoadBalancer"; loadBalancerIPs = [ "{ip}" ];'))
        s.refuse("a.cfg:2:91: ", f"services[0].loadBalancerIPs[0] '{ip}'", *words)
        s.write(service("a", "10.96.0.10", f'type = "LoadBalancer"; loadBalancerIPs = ( {{ ip = "{ip}"; '
                                           'ipMode = "Proxy"; } );'))
        s.check()
    s.write(service("a", "10.96.0.10,fd00:96::10", 'externalIPs = [ "2001:db8:2::1" ];'))
    s.refuse("a.cfg:2", "'2001:db8:2::1'", "default gateway")
    s.write(service("a", "10.96.0.10", 'externalIPs = [ "192.0.2.20" ];', port=8080))
    s.check(("a.cfg:2:64: ", "services[0].externalIPs[0] '192.0.2.20'", "192.0.2.0/24", "not an address of this host"))
    s.write(service("a", "10.96.0.10", 'externalIPs = [ "192.0.2.1" ];'))
    assert s.ctl(named=True)[0] == 0, "a directory that was named may be for another host"


def c47_no_ipv6(s):
    s.write(service("a", "10.96.0.10,fd00:96::10"), service("b", "10.96.0.11"), service("c", "10.96.0.12,fd00:96::12"))
    s.check()
    s.sysctl("net/ipv6/conf/all/disable_ipv6", 1)
    s.check(("IPv6 is off on this host", "'default/a', 'default/c' are not served in it"))
    s.write(service("a", "fd00:96::10"))
    s.check(("a.cfg:2:32: ", "IPv6 is off on this host", "the service is not served"))
    s.sysctl("net/ipv6/conf/all/disable_ipv6", 0)
    s.host.ip("addr add 2001:db8:2::10/64 dev eth0 nodad", "route add default via 2001:db8:2::1")
    s.check()


def c16_daemon(s):
    """It keeps the rest; a neighbour's address that was in force before stays, with a warning."""
    s.write(service("a", "10.96.0.10"), service("b", "10.96.0.11", 'externalIPs = [ "192.0.2.1" ];', port=81),
            service("c", "10.96.0.12", 'externalIPs = [ "192.0.2.30" ];', port=82))
    with s.daemon() as d:
        d.ready()
        state = json.loads(d.ctl("status", "--json")[1])
        assert state["services"] == 2 and state["filesRefused"] == 1, state
        assert [m for m in state["diagnostics"] if m["severity"] == "error" and "default gateway" in m["reason"]], state
        s.host.ip("route add default via 192.0.2.30 metric 500")
        deadline = time.monotonic() + 30
        while True:
            state = json.loads(d.ctl("status", "--json")[1])
            found = [m for m in state["diagnostics"] if m["value"] == "192.0.2.30" and "gateway" in m["reason"]]
            if found:
                break
            assert time.monotonic() < deadline, state
            time.sleep(0.1)
        assert found[0]["severity"] == "warning" and state["services"] == 2, state
        s.host.ip("route del default via 192.0.2.30 metric 500")


def c09_daemon(s):
    """The log says it once, however often there is a sync."""
    s.root.write("svcroute.conf", SETTINGS + "ServiceNodePortRange=30000-45000\n")
    s.write(service("a", "10.96.0.10", node=40000))
    with s.daemon() as d:
        d.ready()
        for _ in range(3):
            assert d.ctl("resync")[0] == 0
        s.write(service("a", "10.96.0.10", node=40000), service("b", "10.96.0.11"))
        d.reload()
        said = [line for line in d.text().splitlines() if "'40000/TCP'" in line]
        assert len(said) == 1 and "default/a" in said[0] and "32768-60999" in said[0], said
    s.root.write("svcroute.conf", SETTINGS)


need_root()
tap = Tap()
with Setup() as setup:
    for title, case in (("nothing to say", nothing_to_say), ("S17 a cluster IP that the host or a neighbour has", own_cluster_ip),
                        ("X8 an external address that the host has", own_external_ip),
                        ("X5 an address and port that is a node port too", shadowed_node_port),
                        ("X9 node ports in use", ports_in_use), ("S64b a family left open", open_family),
                        ("4.3 primary on a router", primary_on_a_router),
                        ("C09 a node port in the ephemeral range", ephemeral_port),
                        ("C09 the daemon says it once", c09_daemon), ("C14 a to e, on the host", c14_claims),
                        ("C16 an external IP of a real machine", c16_neighbour),
                        ("C16 in the daemon", c16_daemon), ("C47 a host without IPv6", c47_no_ipv6)):
        with tap.case(title):
            case(setup)
tap.done()
