# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# weight: 50
"""What svcroutectl tells of connections, packets and bytes in ipvs mode: exactly those that a test sent."""
import json
import re
import socket
import subprocess
import sys
import threading
import time

import hosts
import netns
from tap import SVCROUTECTL, Tap

VIP, NODE, INSIDE = "10.96.0.10", hosts.ROUTER["v4"], hosts.GATEWAY["v4"]
VIP6 = "fd00:96::10"
A, B = f"{hosts.POD_A['v4']}:8080", f"{hosts.POD_B['v4']}:8080"
HELD_A, HELD_B = f"{hosts.POD_A['v4']}:8082", f"{hosts.POD_B['v4']}:8082"
SETTINGS = "[Proxy]\nMode={}\nNodeName=node-1\nClusterCIDR=10.1.0.0/16 2001:db8:1::/64\n"
NOTHING = {"connections": 0, "inPackets": 0, "outPackets": 0, "inBytes": 0, "outBytes": 0}
# a question is one byte, an answer the endpoint's address and whom it saw, which is the router, as the client is
# masqueraded: 20 bytes of IPv4, 8 of UDP
QUESTION, ANSWER = 20 + 8 + 1, 20 + 8 + len(f"{hosts.POD_A['v4']} {hosts.GATEWAY['v4']}\n")


def service(name, endpoints, port=80, protocol="UDP", ip=VIP, more=""):
    inside = ", ".join(f'"{e}"' for e in endpoints)
    kind = 'type = "NodePort"; ' if more else ""
    return (f'  {{ name = "{name}"; {kind}clusterIP = "{ip}";\n'
            f'    ports = ( {{ port = {port}; protocol = "{protocol}"; {more}}} ); endpoints = [ {inside} ]; }}')


def datagrams(n, **changes):
    return dict({"connections": n, "inPackets": n, "outPackets": n, "inBytes": n * QUESTION, "outBytes": n * ANSWER}, **changes)


class Bench:
    def __init__(self, mode="ipvs"):
        self.network = hosts.Network()
        self.root = hosts.Root(SETTINGS.format(mode))
        self.network.serve_all()
        self.hold(self.network.pod_a, hosts.POD_A["v4"])
        self.hold(self.network.pod_b, hosts.POD_B["v4"])
        self.network.settle()
        self.daemon = None

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.root.__exit__()
        self.network.__exit__(*args)

    def hold(self, host, address):
        """An endpoint that keeps its connections; those of the library close at once."""
        program = (f"import socket\ns = socket.create_server(('{address}', 8082))\nprint('ready', flush=True)\nheld = []\n"
                   "while True: held.append(s.accept())\n")
        p = host.popen([sys.executable, "-c", program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.network.processes.append(p)
        assert p.stdout.readline() == "ready\n"

    def write(self, *services):
        self.root.write("services.d/all.cfg", "services = (\n" + ",\n".join(services) + "\n);\n")

    def say(self, *arguments):
        status, out, err = self.daemon.ctl(*arguments)
        assert status == 0, (status, out, err)
        return out

    def json(self, *arguments):
        return json.loads(self.say("--json", *arguments))

    def port(self, name="default/web", number=0):
        [found] = [s for s in self.json("services") if s["name"] == name]
        return found["ports"][number]

    def endpoints(self, name="web"):
        return {e["endpoint"]: e for e in self.json("endpoints", name)}

    def send(self, n, address=VIP, port=80, source=None):
        for _ in range(n):
            answer = self.network.client.ask("udp", address, port, source, timeout=10)
            assert isinstance(answer, tuple), answer

    def wait(self, get, wanted, seconds=60):
        """The kernel sums up every two seconds."""
        deadline = time.monotonic() + seconds
        while (got := get()) != wanted:
            assert time.monotonic() < deadline, f"not within {seconds} s: {wanted}, but {got}"
            time.sleep(0.2)


def sums(t, b):
    with t.case("nothing was sent yet"):
        assert b.port()["counters"] == NOTHING, b.port()
        assert {e["counters"]["weight"] for e in b.endpoints().values()} == {1}, b.endpoints()
    with t.case("datagrams through two endpoints"):
        b.send(10)
        b.wait(lambda: b.port()["counters"], datagrams(10))
        for e in (A, B):
            wanted = datagrams(5, activeConnections=0, inactiveConnections=5, weight=1)
            b.wait(lambda: b.endpoints()[e]["counters"], wanted)
    with t.case("a service is the sum of its addresses"):
        b.send(4, NODE, 30080)
        b.send(3, INSIDE, 30080)
        b.wait(lambda: b.port()["counters"], datagrams(17))
        servers = {v["address"]: v["counters"] for v in b.port()["virtualServers"]}
        assert {a: c["connections"] for a, c in servers.items()} == {f"{VIP}:80": 10, f"{NODE}:30080": 4, f"{INSIDE}:30080": 3}
        assert servers[f"{NODE}:30080"] == datagrams(4), servers
        b.wait(lambda: sum(e["counters"]["connections"] for e in b.endpoints().values()), 17)
        assert sum(e["counters"]["inBytes"] for e in b.endpoints().values()) == 17 * QUESTION, b.endpoints()
    with t.case("the services are apart"):
        b.send(2, VIP6, 53)
        b.wait(lambda: b.port("default/six")["counters"]["connections"], 2)
        assert b.port("default/six")["counters"]["inBytes"] == 2 * (40 + 8 + 1)
        assert b.port()["counters"] == datagrams(17)
        # same address and port, other protocol; no endpoint; no address
        assert b.port("default/tcp")["counters"] == b.port("default/empty")["counters"] == NOTHING
        assert b.port("default/none")["counters"] is None and b.port("default/none")["virtualServers"] is None
        assert b.json("endpoints", "none")[0]["counters"] is None
        assert b.json("status")["counters"]["connections"] == 19
        assert b.json("status")["countersError"] is None


def tables(t, b):
    with t.case("the tables"):
        head, *lines = b.say("services").splitlines()
        assert head.split()[-5:] == ["CONNS", "IN-PACKETS", "OUT-PACKETS", "IN-BYTES", "OUT-BYTES"], head
        rows = {line.split()[0]: line.split()[-5:] for line in lines}
        assert rows["default/web"] == ["17", "17", "17", str(17 * QUESTION), str(17 * ANSWER)], rows
        assert rows["default/none"] == ["-"] * 5, rows
        head, *lines = b.say("endpoints", "web").splitlines()
        assert head.split()[-8:-5] == ["WEIGHT", "ACTIVE", "INACTIVE"], head
        assert sum(int(line.split()[-5]) for line in lines) == 17, lines
        status = b.say("status")
        assert re.search(r"^ +Traffic: 19 connections; in: 19 packets, \d+ bytes; out: 19 packets, \d+ bytes$", status, re.M), status


def kernel_agrees(t, b):
    with t.case("the same as ipvsadm says, after TCP"):
        for _ in range(6):
            assert isinstance(b.network.client.ask("tcp", VIP, 80, timeout=10), tuple)
        b.wait(lambda: b.port("default/tcp")["counters"]["connections"], 6)

        def both():
            out = b.network.router.run(["ipvsadm", "-L", "-n", "--stats", "--exact", "-t", f"{VIP}:80"]).splitlines()
            theirs = [[int(w) for w in line.split()[-5:]] for line in out if VIP in line or line.startswith("  -> 10")]
            ours = [b.port("default/tcp"), *(e for _, e in sorted(b.endpoints("tcp").items()))]
            ours = [[c["counters"][k] for k in NOTHING] for c in ours]
            return theirs[:1] + sorted(theirs[1:]) == ours[:1] + sorted(ours[1:]) and ours[0][3] > 0 and len(ours) == 3
        b.wait(both, True)


def connection(b, port=81):
    with b.network.client.inside():
        return socket.create_connection((VIP, port), timeout=10)


def draining(t, b):
    with t.case("connections now, and what drains"), connection(b) as s:
        who = None

        def active():
            nonlocal who
            rows = b.endpoints("held")
            who = next((e for e, row in rows.items() if row["counters"]["activeConnections"] == 1), None)
            return who is not None and sum(r["counters"]["activeConnections"] for r in rows.values())
        b.wait(active, 1)
        other = HELD_B if who == HELD_A else HELD_A
        b.write(*SERVICES[:-1], service("held", [other], 81, "TCP"))
        b.daemon.reload()
        rows = b.endpoints("held")
        assert list(rows) == [other, who], rows
        assert rows[who]["inFiles"] is False and rows[other]["inFiles"] is True, rows
        assert (rows[who]["counters"]["weight"], rows[who]["counters"]["activeConnections"]) == (0, 1), rows
        assert rows[other]["counters"]["weight"] == 1, rows
        [line] = [x for x in b.say("endpoints", "held").splitlines() if who in x]
        assert re.search(r"\bdraining +no\b", line), line
        # it counts as long as it is there
        b.wait(lambda: b.port("default/held")["counters"]["connections"], 1)
        assert s.fileno() >= 0


def crowd(t, b):
    with t.case("many ask at the same time"):
        answers, asked = [], 24

        def ask(i):
            answers.append(b.daemon.ctl("--json", *(("services",), ("endpoints",), ("endpoints", "web"), ("status",))[i % 4])[:2])
        b.daemon.read_notify()
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(asked)]
        for x in threads:
            x.start()
        for x in threads:
            x.join()
        assert len(answers) == asked and all(status == 0 for status, _ in answers), answers
        services = [json.loads(out) for _, out in answers if '"virtualServers"' in out]
        assert len(services) == asked // 4, answers
        for rows in services:  # the kernel may still be adding up what the last case sent
            assert [r["name"] for r in rows] == [r["name"] for r in services[0]], rows
            assert sum(c["connections"] for c in counters(rows)) >= 19, rows


def counters(rows):
    return [p["counters"] for s in rows for p in s["ports"] if p["counters"]]


def other_modes(t):
    with t.case("iptables mode counts nothing"), Bench("iptables") as b:
        b.write(*SERVICES)
        with hosts.Daemon(b.network.router, b.root) as b.daemon:
            b.daemon.ready()
            assert b.port()["counters"] is None and b.port()["virtualServers"] is None, b.port()
            assert b.json("endpoints", "web")[0]["counters"] is None
            assert b.json("status")["counters"] is None and b.json("status")["countersError"] is None
            assert "CONNS" not in b.say("services") + b.say("endpoints"), b.say("services")
            assert "Traffic" not in b.say("status")


def no_daemon(t, b):
    with t.case("nobody answers"):
        p = b.network.router.finish([SVCROUTECTL, "--root", b.root.path, "services"])
        assert (p.returncode, p.stdout) == (4, ""), p
        assert "does not run" in p.stderr and "systemctl start svcroute" in p.stderr, p.stderr


SERVICES = [
    service("web", [A, B], more="nodePort = 30080; "),
    service("tcp", [A, B], protocol="TCP"),
    service("empty", [], 83),
    service("none", [A], 84, ip="None"),
    service("six", [f"[{hosts.POD_A['v6']}]:8080"], 53, ip=VIP6),
    service("held", [HELD_A, HELD_B], 81, "TCP"),
]


def main():
    netns.unshare()
    subprocess.run(["modprobe", "-a", "ipv6", "bridge", "veth"], check=True)
    t = Tap()
    with Bench() as b:
        b.write(*SERVICES)
        with hosts.Daemon(b.network.router, b.root) as b.daemon:
            b.daemon.ready()
            for part in (sums, tables, kernel_agrees, draining, crowd):
                part(t, b)
        no_daemon(t, b)
    other_modes(t)
    t.done()


main()
