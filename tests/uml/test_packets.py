# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# weight: 90
"""Real packets through the virtual servers of a running daemon: who answers, and which source address does it see?

IPv4 and IPv6; TCP, UDP and SCTP. The network is that of tests/lib/hosts.py. tests/uml/test_packets_change.py has what
changes while the daemon runs."""
import socket
import struct
import subprocess
import sys

import netns
from hosts import CLIENT, CLIENT_2, FAMILIES, GATEWAY, POD_A, POD_B, POD_C, ROUTER
from packets import SERVICES, cluster_ip, configuration, count, expect, expect_word, gather, outside_ip
from router import Router
from tap import Tap

ANY = {"v4": "0.0.0.0", "v6": "::"}
PROTOCOLS = ("tcp", "udp", "sctp")
SERVICES.update({
    # the ranges have the router itself in them
    "lb-node": (20, 30090, 'type = "LoadBalancer"; loadBalancerIPs = [ "198.51.100.20", "2001:db8:5::20" ];'
                ' loadBalancerSourceRanges = [ "192.0.2.0/25", "2001:db8:2::/121" ];', "abc"),
    # internal policy Local, and external policy Cluster of its node port
    "int-remote-np": (21, 30091, 'type = "NodePort"; internalTrafficPolicy = "Local";', "c"),
    "wrr": (22, 0, 'scheduler = "wrr";', "a1b3"),
    "sh": (23, 0, 'scheduler = "sh";', "abc"),
    "sh-port": (24, 0, 'scheduler = "sh"; schedulerFlags = [ "fallback", "port" ];', "abc"),
    "mh-port": (25, 0, 'scheduler = "mh"; schedulerFlags = [ "port" ];', "abc"),
})
# the same address as the service lb, another port, no ranges
OPEN = """services = ( {{ name = "open"; type = "LoadBalancer"; clusterIPs = [ "10.96.0.30", "fd00:96::30" ];
  loadBalancerIPs = [ "{}", "{}" ]; ports = ( {} ); endpoints = [ {} ]; }} );
"""


def open_service():
    ports = ", ".join(f'{{ name = "{p}"; protocol = "{p.upper()}"; port = 82; targetPort = 8080; nodePort = 30092; }}'
                      for p in PROTOCOLS)
    addresses = ", ".join(f'"{POD_A["v4"]}:8080"' if f == "v4" else f'"[{POD_A["v6"]}]:8080"' for f in FAMILIES)
    return OPEN.format(outside_ip("v4", "lb"), outside_ip("v6", "lb"), ports, addresses)


def ping(host, family, address):
    """What an echo request is answered with: (ICMP type, code, who sent it). Error messages come before the echo reply."""
    six = family == "v6"
    with host.inside():
        s = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_RAW,
                          socket.IPPROTO_ICMPV6 if six else socket.IPPROTO_ICMP)
    with s:
        s.settimeout(10)
        # the kernel fills in the checksum of ICMPv6
        s.sendto(struct.pack("!BBHHH", 128 if six else 8, 0, 0 if six else 0xf7b1, 77, 1), (address, 0))
        while True:
            data, peer = s.recvfrom(2000)
            kind, code = data[:2] if six else data[(data[0] & 15) * 4:][:2]
            if kind in ((1, 129) if six else (3, 0)):  # not the request itself, nor neighbour discovery
                return kind, code, peer[0]


def masqueraded(f):
    """What endpoints see when the router puts in its own address."""
    return {POD_A[f]: GATEWAY[f], POD_B[f]: GATEWAY[f], POD_C[f]: ROUTER[f]}


def spread(t, net, f, p, what):
    client = net.client
    a, b, c = POD_A[f], POD_B[f], POD_C[f]
    with t.case(what + "rr: connections are shared out evenly, to the last one"):
        for address, port in ((cluster_ip(f, "web"), 80), (outside_ip(f, "web"), 80), (ROUTER[f], 30080)):
            got = count(client, p, address, port, 30)
            assert got == {a: 10, b: 10, c: 10}, got
    with t.case(what + "wrr: weights 1 and 3"):
        got = count(client, p, cluster_ip(f, "wrr"), 80, 40)
        assert got == {a: 10, b: 30}, got


def cluster(t, net, f, p, what):
    client, router, pod_a, pod_b = net.client, net.router, net.pod_a, net.pod_b
    a, b, c = POD_A[f], POD_B[f], POD_C[f]
    masq = masqueraded(f)
    kept = {a: POD_B[f], b: GATEWAY[f], c: POD_B[f]}  # seen from pod-b; b itself: hairpin
    with t.case(what + "cluster IP: from outside masqueraded, from a pod not, from the router"):
        expect(client, p, cluster_ip(f, "web"), 80, masq)
        expect(pod_b, p, cluster_ip(f, "web"), 80, kept)
        expect(router, p, cluster_ip(f, "web"), 80, masq)
    with t.case(what + "hairpin: a pod that is its service's only endpoint"):
        expect(pod_a, p, cluster_ip(f, "alone"), 80, {a: GATEWAY[f]}, tries=3)
        expect(pod_a, p, outside_ip(f, "ext-local"), 80, {a: GATEWAY[f]}, tries=3)
    with t.case(what + "external IP and node port: masqueraded for all"):
        for host in (client, pod_b, router):
            expect(host, p, outside_ip(f, "web"), 80, masq)
            expect(host, p, ROUTER[f], 30080, masq)
        expect(client, p, GATEWAY[f], 30080, masq)
    with t.case(what + "node port on the loopback address: not served"):
        expect_word(router, p, "127.0.0.1" if f == "v4" else "::1", 30080, "refused")
    with t.case(what + "no endpoints: refused everywhere"):
        for host in (client, pod_b, router):
            for address, port in ((cluster_ip(f, "none"), 80), (outside_ip(f, "none"), 80), (ROUTER[f], 30082)):
                expect_word(host, p, address, port, "refused")


def guard(t, net, f, p, what):
    """A virtual address has no other ports, whoever listens there."""
    with t.case(what + "another port of a virtual address: refused, also where a program on the router listens"):
        for address in (cluster_ip(f, "web"), outside_ip(f, "web"), outside_ip(f, "ext-local")):
            for host in (net.client, net.pod_b, net.router):
                expect_word(host, p, address, 81, "refused")
                expect_word(host, p, address, 7777, "refused")
    with t.case(what + "the router's own addresses keep their ports"):
        # to each the address that the router has on the link to it, as its answers in UDP come from there
        for host, address in ((net.client, ROUTER[f]), (net.pod_b, GATEWAY[f])):
            got = host.ask(p, address, 7777, timeout=10)
            assert got[0] == ANY[f], got
            expect_word(host, p, address, 81, "refused")


def load_balancer(t, net, f, p, what):
    client, router, pod_b = net.client, net.router, net.pod_b
    masq = masqueraded(f)
    lb, lb_node = outside_ip(f, "lb"), outside_ip(f, "lb-node")
    with t.case(what + "source ranges: who is in them is served, nobody else gets an answer"):
        expect(client, p, lb, 80, masq)
        for host, source in ((client, CLIENT_2[f]), (pod_b, None), (router, None)):
            expect_word(host, p, lb, 80, "silent", source=source)
    with t.case(what + "source ranges with the router in them"):
        expect(router, p, lb_node, 80, masq)
        expect(net.node_2, p, lb_node, 80, masq)
        for host in (client, pod_b):
            expect_word(host, p, lb_node, 80, "silent")
    with t.case(what + "source ranges do not guard the node port, the cluster IP, another service's port"):
        expect(client, p, ROUTER[f], 30083, masq, source=CLIENT_2[f])
        expect(client, p, cluster_ip(f, "lb"), 80, masq, source=CLIENT_2[f])
        expect(client, p, lb, 82, {POD_A[f]: GATEWAY[f]}, source=CLIENT_2[f], tries=2)


def local(t, net, f, p, what):
    client, router, pod_b = net.client, net.router, net.pod_b
    a, c = POD_A[f], POD_C[f]
    masq = masqueraded(f)
    here, away = outside_ip(f, "ext-local"), outside_ip(f, "ext-remote")
    with t.case(what + "externalTrafficPolicy Local: local endpoints only, source kept"):
        for source in (CLIENT[f], CLIENT_2[f]):
            expect(client, p, here, 80, {a: source}, source=source, tries=6)
            expect(client, p, ROUTER[f], 30084, {a: source}, source=source, tries=6)
        expect(pod_b, p, here, 80, {a: POD_B[f]}, tries=6)
    with t.case(what + "externalTrafficPolicy Local: the router is seen as the address that it asked"):
        expect(router, p, here, 80, {a: here}, tries=6)
        expect(router, p, ROUTER[f], 30084, {a: ROUTER[f]}, tries=6)
    with t.case(what + "externalTrafficPolicy Local: all endpoints through the cluster IP"):
        expect(client, p, cluster_ip(f, "ext-local"), 80, {a: masq[a], c: masq[c]})
    with t.case(what + "externalTrafficPolicy Local without a local endpoint: the others, source kept"):
        expect(client, p, away, 80, {c: CLIENT[f]}, tries=3)
        expect(client, p, ROUTER[f], 30085, {c: CLIENT[f]}, tries=3)
        expect(pod_b, p, away, 80, {c: POD_B[f]}, tries=3)
    with t.case(what + "internalTrafficPolicy Local: local endpoints only"):
        expect(pod_b, p, cluster_ip(f, "int-local"), 80, {a: POD_B[f]}, tries=6)
        expect(client, p, cluster_ip(f, "int-local"), 80, {a: GATEWAY[f]}, tries=6)
    with t.case(what + "internalTrafficPolicy Local without a local endpoint: refused; the others, if there is a node port"):
        for host in (pod_b, client, router):
            expect_word(host, p, cluster_ip(f, "int-remote"), 80, "refused")
        expect(pod_b, p, cluster_ip(f, "int-remote-np"), 80, {c: POD_B[f]}, tries=3)
        expect(client, p, ROUTER[f], 30091, {c: ROUTER[f]}, tries=3)


def choice(t, net, f, p, what):
    """Who gets the same endpoint again."""
    client = net.client
    with t.case(what + "affinity: one endpoint a client and address"):
        for source in (CLIENT[f], CLIENT_2[f]):
            for address, port in ((cluster_ip(f, "affinity"), 80), (ROUTER[f], 30081)):
                got = count(client, p, address, port, 7, source)
                assert list(got.values()) == [7], got
    with t.case(what + "sh: one endpoint a client; sh and mh with ports: all of them"):
        got = count(client, p, cluster_ip(f, "sh"), 80, 12)
        assert list(got.values()) == [12], got
        for name in ("sh-port", "mh-port"):
            got = gather(client, p, cluster_ip(f, name), 80, tries=300)
            assert len(got) == 3, got


def echo(t, net, f):
    with t.case(f"{f}: an echo request to a virtual address is answered with port-unreachable"):
        for address in (cluster_ip(f, "web"), outside_ip(f, "web"), outside_ip(f, "lb"), outside_ip(f, "ext-local")):
            for host in (net.client, net.pod_b, net.router):
                got = ping(host, f, address)
                assert got == ((3, 3, address) if f == "v4" else (1, 4, address)), f"{host.name}: {got}"
    with t.case(f"{f}: one to the router itself with an echo reply"):
        for host in (net.client, net.pod_b, net.router):
            got = ping(host, f, ROUTER[f])
            assert got == (0 if f == "v4" else 129, 0, ROUTER[f]), f"{host.name}: {got}"


def schedulers(t, r):
    with t.case("schedulers and their flags, as the kernel has them"):
        lines = [line.rstrip() for line in r.servers()]
        for name, want in (("web", "-s rr"), ("wrr", "-s wrr"), ("sh", "-s sh"), ("sh-port", "-s sh -b sh-fallback,sh-port"),
                           ("mh-port", "-s mh -b mh-port"), ("affinity", "-s rr -p 10800")):
            for option in ("-t", "-u", "--sctp-service"):
                for address in (cluster_ip("v4", name), f"[{cluster_ip('v6', name)}]"):
                    line = f"-A {option} {address}:80 {want}"
                    assert line in lines, f"{line} not in {lines}"


def prepare(net):
    """Answers to the client from beyond the other node come back through the router, whichever way they are addressed."""
    with net.node_2.inside():
        for link in ("all", "eth0"):
            netns.sysctl(f"net/ipv4/conf/{link}/accept_redirects", 0)
            netns.sysctl(f"net/ipv6/conf/{link}/accept_redirects", 0)
    for host in net.hosts:
        with host.inside():
            # SCTP, too, takes no notice of an error that comes back within connect(): the next packet sooner than in 3 s
            netns.sysctl("net/sctp/rto_min", 200)
            netns.sysctl("net/sctp/rto_initial", 200)
    for f in FAMILIES:
        net.node_2.ip(*(f"route add {address[f]} via {ROUTER[f]}" for address in (CLIENT, CLIENT_2)))
    net.settle()
    net.serve_all(protocols=PROTOCOLS)
    net.serve(net.router, *(f"{p}/{ANY[f]}/7777" for p in PROTOCOLS for f in FAMILIES))


def main():
    netns.unshare()
    subprocess.run(["modprobe", "-a", "ipv6", "bridge", "veth", "sctp"], check=True)
    t = Tap()
    parts = [part for part in (spread, cluster, guard, load_balancer, local, choice)
             if not sys.argv[1:] or part.__name__ in sys.argv[1:]]
    with Router() as r:
        prepare(r.network)
        r.root.write("services.d/all.cfg", configuration(PROTOCOLS))
        r.root.write("services.d/open.cfg", open_service())
        with r.start():
            schedulers(t, r)
            for f in FAMILIES:
                echo(t, r.network, f)
                for p in PROTOCOLS:
                    for part in parts:
                        part(t, r.network, f, p, f"{f} {p}: ")
    t.done()


main()
