# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# weight: 150
# exclusive
"""No connection is lost when endpoints are replaced, under default settings, with more than 200 new connections a second:
an endpoint every 2 s for 40 s, and one every 100 ms for 10 s. The old one stops accepting 1.5 s after the rename that took
it out of the files."""
import json
import subprocess
import sys
import threading
import time

import hosts
from hosts import POD_A
from tap import SOURCE, Tap, need_root

CLUSTER_IP = "10.96.0.10"
RATE = 220
ALIVE = 1.5  # seconds that an endpoint goes on accepting after it left the files
FIRST_PORT = 20000
# tests/uml/test_replace.py has others
SETTINGS = globals().get("SETTINGS") or {v: f"[IPTables]\nBackend={v}\n" for v in ("nft", "legacy")}
PARTS = globals().get("PARTS") or ((2, 40), (0.1, 10))  # seconds between two, seconds in all


def service(ports):
    endpoints = ", ".join(f'"{POD_A["v4"]}:{p}"' for p in ports)
    return (f'services = ( {{ name = "web"; clusterIP = "{CLUSTER_IP}"; ports = ( {{ port = 80; }} );\n'
            f"  endpoints = [ {endpoints} ]; }} );\n")


class Closer:
    """Ends endpoints when their time has come."""

    def __init__(self, server):
        self.server = server
        self.timers = []

    def close_later(self, port, when):
        timer = threading.Timer(max(0, when - time.monotonic()), self._close, (port,))
        timer.start()
        self.timers.append(timer)

    def _close(self, port):
        self.server.stdin.write(f"close {port}\n")
        self.server.stdin.flush()

    def join(self):
        for t in self.timers:
            t.join()


def replace(variant, every, seconds):
    rounds = round(seconds / every)
    last = FIRST_PORT + rounds + 2
    with hosts.Network() as net, hosts.Root(SETTINGS[variant]) as root:
        net.settle()
        server = net.pod_a.popen([sys.executable, f"{SOURCE}/tests/lib/endpoints.py", POD_A["v4"], str(FIRST_PORT), str(last)],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        net.processes.append(server)
        assert server.stdout.readline() == "ready\n"
        ports = [FIRST_PORT, FIRST_PORT + 1]
        root.write("services.d/web.cfg", service(ports))
        closer = Closer(server)
        with hosts.Daemon(net.router, root) as daemon:
            daemon.ready()
            load = net.client.popen([sys.executable, f"{SOURCE}/tests/lib/load.py", CLUSTER_IP, "80", str(RATE),
                                     str(seconds + 2)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            net.processes.append(load)
            start = time.monotonic() + 0.5
            for n in range(rounds):
                time.sleep(max(0, start + n * every - time.monotonic()))
                old = ports.pop(0)
                ports.append(FIRST_PORT + 2 + n)
                root.write("services.d/web.cfg", service(ports))
                closer.close_later(old, time.monotonic() + ALIVE)
            result = json.loads(load.communicate(timeout=seconds + 30)[0])
            closer.join()
            daemon.read_notify()
            syncs = json.loads(daemon.ctl("status", "--json")[1])["syncs"]
        answered = len(result["answers"])
        print(f"# note: {variant}, an endpoint replaced every {every} s: {result['made']} connections, {result['rate']}/s, "
              f"{result['failed']} failed, the longest took {result['longest'] * 1000:.0f} ms; {answered} endpoints answered, "
              f"{syncs} syncs", flush=True)
        assert result["failed"] == 0, result["errors"]
        assert result["rate"] >= 200, f"the client was too slow: {result['rate']} connections a second"
        # Every endpoint lives for two rounds: with more than a second a round each must have been used.
        assert answered >= (rounds if every >= 1 else seconds / 2), f"only {answered} endpoints answered"


def main():
    need_root()
    t = Tap()
    for variant in SETTINGS:
        for every, seconds in PARTS:
            with t.case(f"an endpoint is replaced every {every} s for {seconds} s, {variant}"):
                replace(variant, every, seconds)
    t.done()


main()
