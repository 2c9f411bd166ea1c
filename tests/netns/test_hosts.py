# SPDX-License-Identifier: GPL-2.0-or-later
"""The network that the packet tests stand on: everyone reaches everyone without any service rule."""
import time

import hosts
from hosts import CLIENT, CLIENT_2, FAMILIES, GATEWAY, POD_A, POD_B, POD_C
from tap import Tap, need_root

need_root()
tap = Tap()
with hosts.Network() as net:
    net.settle()
    net.serve_all()
    for family in FAMILIES:
        for protocol in ("tcp", "udp"):
            with tap.case(f"{family} {protocol}: endpoints answer with both addresses"):
                for pod in (POD_A, POD_B, POD_C):
                    got = net.client.ask(protocol, pod[family], 8080)
                    assert got == (pod[family], CLIENT[family]), f"client to {pod[family]}: {got}"
                got = net.client.ask(protocol, POD_A[family], 8080, source=CLIENT_2[family])
                assert got == (POD_A[family], CLIENT_2[family]), got
                got = net.pod_a.ask(protocol, POD_B[family], 8080)
                assert got == (POD_B[family], POD_A[family]), got
                got = net.node_2.ask(protocol, POD_A[family], 8080, source=POD_C[family])
                assert got == (POD_A[family], POD_C[family]), got
                got = net.router.ask(protocol, POD_A[family], 8080)
                assert got == (POD_A[family], GATEWAY[family]), got
            with tap.case(f"{family} {protocol}: a closed port refuses"):
                got = net.client.ask(protocol, POD_A[family], 9)
                assert got == "refused", got
    with tap.case("a server takes 200 connections a second"):
        start, n = time.monotonic(), 400
        for _ in range(n):
            assert net.client.ask("tcp", POD_A["v4"], 8080)[0] == POD_A["v4"]
        rate = n / (time.monotonic() - start)
        assert rate >= 200, f"{rate:.0f}/s"
tap.done()
