# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# weight: 60
"""Real packets while files and addresses change, in ipvs mode: endpoints that drain and come back, flows that move,
affinity that ends, node ports that follow the router's addresses. IPv4 and IPv6."""
import subprocess
import sys
import time

import hosts
import netns
from echo import Listener, ask, connection, say
from hosts import CLIENT, CLIENT_2, FAMILIES, POD_A, POD_B, POD_C, ROUTER
from packets import SERVICES, cluster_ip, configuration, count, expect_word
from router import Router
from tap import Tap

PROTOCOLS = ("tcp", "udp", "sctp")
SECONDS = 3  # of affinity
NEW = {"v4": "203.0.113.77/32", "v6": "2001:db8:7::77/128"}
# IPVS keeps a client's endpoint while it remembers a flow of that client: here for one second
SETTINGS = "[Sync]\nMinSyncPeriod=0\n[IPVS]\nUDPTimeout=1s\n"
SERVICES.clear()
SERVICES.update({
    "web": (10, 30080, 'type = "NodePort";', "ab"),
    "short": (11, 0, f'sessionAffinity = "ClientIP"; sessionAffinityTimeoutSeconds = {SECONDS};', "abc"),
    "long": (12, 0, 'sessionAffinity = "ClientIP";', "ab"),
    "sh": (13, 0, 'scheduler = "sh"; schedulerFlags = [ "fallback" ];', "ab"),
    "wrr": (14, 0, 'scheduler = "wrr";', "a1b3"),
})


def bracketed(address, port):
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


class Changes:
    """The router with its daemon, and one family of addresses."""

    def __init__(self, router, daemon, family):
        self.router, self.daemon, self.f = router, daemon, family
        self.net, self.client = router.network, router.network.client
        self.a, self.b = POD_A[family], POD_B[family]

    def apply(self, **pods):
        write(self.router, **pods)
        self.daemon.reload()

    def without(self, name, address):
        """The service keeps the other of its two endpoints, which is returned."""
        self.apply(**{name: "b" if address == self.a else "a"})
        return self.b if address == self.a else self.a

    def ip(self, name):
        return cluster_ip(self.f, name)

    def ask(self, name):
        return ask(self.client, self.ip(name), 80)

    def connection(self, name):
        return connection(self.client, self.ip(name), 80)

    def weights(self, name, option="-t", **want):
        """want: weights of pod-a (a) and pod-b (b)"""
        got = self.router.reals(bracketed(self.ip(name), 80), option)
        want = {bracketed({"a": self.a, "b": self.b}[pod], 8080): weight for pod, weight in want.items()}
        assert got == want, f"{name}: {got}, not {want}"

    def weights_by(self, name, want, option="-t"):
        self.weights(name, option, **{"a" if address == self.a else "b": weight for address, weight in want.items()})


def write(r, **pods):
    r.root.write("services.d/all.cfg", configuration(PROTOCOLS, **pods))


def drain(t, c):
    with c.connection("web") as s:
        old = say(s)
        with t.case(f"{c.f}: a removed endpoint finishes its connection, and gets no new one"):
            other = c.without("web", old)
            c.weights_by("web", {old: 0, other: 1})
            for n in range(20):
                assert c.ask("web") == other
                assert say(s, b"%d" % n) == old
        with t.case(f"{c.f}: it comes back: its weight, its connection, and every other new one"):
            c.apply()
            c.weights("web", a=1, b=1)
            assert say(s) == old
            got = [c.ask("web") for _ in range(20)]
            assert got.count(old) == got.count(other) == 10, got
            assert say(s) == old
    with t.case(f"{c.f}: the last endpoint finishes its connection, too; new ones are refused"):
        with c.connection("web") as s:
            old = say(s)
            c.apply(web="")
            assert set(c.router.reals(bracketed(c.ip("web"), 80), "-t").values()) == {0}, c.router.servers()
            expect_word(c.client, "tcp", c.ip("web"), 80, "refused")
            expect_word(c.client, "tcp", ROUTER[c.f], 30080, "refused")
            assert say(s) == old
            c.apply()
            assert say(s) == old
            assert {c.ask("web") for _ in range(4)} == {c.a, c.b}


def weights(t, c):
    with t.case(f"{c.f}: weights changed in the files; and a weight that it had before it drained"):
        c.weights("wrr", a=1, b=3)
        c.apply(wrr="a4b1")
        c.weights("wrr", a=4, b=1)
        got = [c.ask("wrr") for _ in range(20)]
        assert (got.count(c.a), got.count(c.b)) == (16, 4), got
        c.apply(wrr="a4b0")
        c.weights("wrr", a=4, b=0)
        assert {c.ask("wrr") for _ in range(8)} == {c.a}
        with c.connection("wrr") as s:
            assert say(s) == c.a
            c.apply(wrr="b1")
            c.weights("wrr", a=0, b=1)
            assert {c.ask("wrr") for _ in range(4)} == {c.b} and say(s) == c.a
            c.apply(wrr="a4b1")
            c.weights("wrr", a=4, b=1)
            assert say(s) == c.a
        c.apply()
        got = [c.ask("wrr") for _ in range(20)]
        assert (got.count(c.a), got.count(c.b)) == (5, 15), got


def fallback(t, c):
    with t.case(f"{c.f}: sh with fallback: the other endpoint while the client's own drains"):
        with c.connection("sh") as s:
            old = say(s)
            assert {c.ask("sh") for _ in range(6)} == {old}
            other = c.without("sh", old)
            c.weights_by("sh", {old: 0, other: 1})
            assert {c.ask("sh") for _ in range(6)} == {other} and say(s) == old
            c.apply()
            assert {c.ask("sh") for _ in range(6)} == {old} and say(s) == old


def stuck(c, source):
    """The endpoint that a client gets again and again."""
    for _ in range(10):
        start = time.monotonic()
        got = count(c.client, "udp", c.ip("short"), 80, 6, source)
        if time.monotonic() - start < SECONDS:  # else the machine was too slow to tell
            assert list(got.values()) == [6], got
            return list(got)[0]
    raise AssertionError(f"six exchanges never took less than {SECONDS} s")


def affinity(t, c):
    with t.case(f"{c.f}: affinity: a client leaves an endpoint that drains, and stays where it went"):
        with c.connection("long") as s:
            old = say(s)
            assert {c.ask("long") for _ in range(5)} == {old}
            other = c.without("long", old)
            assert {c.ask("long") for _ in range(5)} == {other} and say(s) == old
            c.apply()
            c.weights("long", a=1, b=1)
            assert {c.ask("long") for _ in range(5)} == {other} and say(s) == old
    with t.case(f"{c.f}: affinity ends when the client was silent for its time"):
        for source in (CLIENT[c.f], CLIENT_2[c.f]):
            old = stuck(c, source)
            for _ in range(10):
                time.sleep(SECONDS + 0.5)
                if stuck(c, source) != old:
                    break
            else:
                raise AssertionError(f"{source} still gets {old}")


def flows(t, c):
    """A flow: packets from one port of the client."""
    for kind in ("cluster IP", "node port"):
        address, port = (c.ip("web"), 80) if kind == "cluster IP" else (ROUTER[c.f], 30080)
        with t.case(f"{c.f}: {kind}: a UDP flow goes to another endpoint as soon as its own is removed"):
            with c.client.inside():
                s = hosts.make_socket("udp", address)
            with s:
                s.settimeout(10)
                s.connect((address, port))
                old = exchange(s)
                assert {exchange(s) for _ in range(5)} == {old}
                other = c.without("web", old)
                c.weights_by("web", {other: 1}, "-u")
                assert [exchange(s) for _ in range(5)] == [other] * 5
                c.apply()
    with t.case(f"{c.f}: SCTP: a removed endpoint gets no new association"):
        got = count(c.client, "sctp", c.ip("web"), 80, 10)
        assert got == {c.a: 5, c.b: 5}, got
        c.apply(web="b")
        c.weights("web", "--sctp-service", b=1)
        got = count(c.client, "sctp", c.ip("web"), 80, 10)
        assert got == {c.b: 10}, got
        c.apply()


def exchange(s):
    """Who answers a packet; the next packet is sent when it is answered."""
    s.send(b"?")
    return s.recv(200).decode().split()[0]


def addresses(t, c):
    """Nobody tells the daemon of these changes."""
    new = NEW[c.f]
    address = new.split("/")[0]
    with t.case(f"{c.f}: node ports follow an address that is added"):
        expect_word(c.client, "tcp", address, 30080, "silent")
        c.net.router.ip(f"addr add {new} dev eth0" + (" nodad" if c.f == "v6" else ""))
        c.router.wait("node port on the new address", lambda: len(c.router.reals(bracketed(address, 30080))) == 2)
        for p in ("udp", "sctp"):
            assert count(c.client, p, address, 30080, 4) == {c.a: 2, c.b: 2}
        assert {ask(c.client, address, 30080) for _ in range(4)} == {c.a, c.b}
    with t.case(f"{c.f}: and is removed, also while there is a connection"):
        with connection(c.client, address, 30080) as s:
            assert say(s) in (c.a, c.b)
            c.net.router.ip(f"addr del {new} dev eth0")
            c.router.wait("no node port on it", lambda: bracketed(address, 30080) not in "\n".join(c.router.servers()))
            expect_word(c.client, "tcp", address, 30080, "silent")
        assert {ask(c.client, ROUTER[c.f], 30080) for _ in range(4)} == {c.a, c.b}


def main():
    netns.unshare()
    subprocess.run(["modprobe", "-a", "ipv6", "bridge", "veth", "sctp"], check=True)
    t = Tap()
    with Router(more=SETTINGS) as r:
        net = r.network
        net.settle()
        for host, address in ((net.pod_a, POD_A), (net.pod_b, POD_B), (net.node_2, POD_C)):
            for f in FAMILIES:
                Listener(net, host, address[f])
            net.serve(host, *(f"{p}/{address[f]}/8080" for p in ("udp", "sctp") for f in FAMILIES))
        write(r)
        with r.start() as daemon:
            for f in FAMILIES:
                for part in (drain, weights, fallback, affinity, flows, addresses):
                    if not sys.argv[1:] or part.__name__ in sys.argv[1:]:
                        part(t, Changes(r, daemon, f))
    t.done()


main()
