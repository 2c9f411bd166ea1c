# SPDX-License-Identifier: GPL-2.0-or-later
"""make try: a small network in namespaces, the README's example service, real connections. Nothing is left behind.

Exits 1 when an answer is not the one promised, so that it is a test as well."""
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
sys.dont_write_bytecode = True
os.environ.setdefault("SVCROUTE_BUILD", os.environ.get("BUILD", "build"))

import hosts  # noqa: E402 (needs the path above)
from hosts import CLIENT, ROUTER  # noqa: E402
from tap import SOURCE, exit_on_term  # noqa: E402

CLUSTER_IP, NODE_PORT, EXTERNAL_IP = "10.233.54.175", 32594, "198.51.100.7"
PODS = {"10.233.74.106": "pod-a", "10.233.74.107": "pod-b", "10.233.80.5": "pod-c, on node-2"}
POD_A, POD_B, POD_C = PODS
SETTINGS = "[Proxy]\nNodeName=node-1\nClusterCIDR=10.233.64.0/18\n"
PICTURE = """
    client 192.0.2.200 ---+--- 192.0.2.10 router ---+--- pod-a 10.233.74.106
                          |         (svcrouted)     +--- pod-b 10.233.74.107
                          |
                          +--- 192.0.2.20 node-2 ------- pod-c 10.233.80.5
"""


def readme_example():
    """The first block of the README that has services in it."""
    with open(f"{SOURCE}/README.md") as f:
        for block in re.findall(r"^```\w*\n(.*?)^```", f.read(), re.M | re.S):
            if "services = (" in block:
                return block
    sys.exit("README.md has no example")


def edited(text, endpoints, external_ip=False):
    """The example with other endpoints, and with an external IP."""
    old = f'endpoints = [ "{POD_A}:80" ];'
    new = "endpoints = [ " + ", ".join(f'"{e}:80"' for e in endpoints) + " ];"
    if external_ip:
        new = f'externalIPs = [ "{EXTERNAL_IP}" ];\n    ' + new
    assert old in text, f"README.md: no '{old}'"
    return text.replace(old, new)


def name_of(address):
    return {CLIENT["v4"]: "client", ROUTER["v4"]: "router", "10.1.0.1": "router"}.get(address) or PODS.get(address, "?")


def table(rows):
    head = ("from", "to", "answered by", "source address it saw")
    widths = [max(len(r[i]) for r in [head] + rows) for i in range(4)]
    for row in (head, tuple("-" * w for w in widths), *rows):
        print("  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip())


def connect(net, targets, endpoints):
    """Opens connections to each target from outside and from a pod until each endpoint was seen; prints the table."""
    rows, wrong = [], []
    for host in (net.client, net.pod_b):
        for what, address, port in targets:
            source = POD_B if host is net.pod_b else None
            seen, n = {}, 0
            while n < 60 and len(seen) < len(endpoints):
                n += 1
                got = host.ask("tcp", address, port, source)
                if not isinstance(got, tuple):
                    seen[got] = ""
                    break
                seen[got[0]] = got[1]
            for who, saw in sorted(seen.items()):
                kept = saw == (source or CLIENT["v4"])
                rows.append((host.name, f"{what} {address}:{port}", f"{PODS.get(who, who)} ({who})",
                             f"{saw} ({name_of(saw)}{', kept' if kept else ', masqueraded'})" if saw else ""))
            if sorted(seen) != sorted(endpoints):
                wrong.append(f"{what} from {host.name}: answered by {sorted(seen)}, expected {sorted(endpoints)}")
    table(rows)
    return wrong


def wait_until(net, address, port, endpoints):
    """How long until only these endpoints answer new connections."""
    start = time.monotonic()
    while time.monotonic() - start < 5:
        first = time.monotonic()
        answers = {net.client.ask("tcp", address, port, timeout=0.3)[0] for _ in range(20)}
        if answers <= set(endpoints):
            return first - start
    return None


def main():
    exit_on_term()
    if os.geteuid() != 0:
        sys.exit("make try needs root: it makes network namespaces")
    start, wrong = time.monotonic(), []
    example = readme_example()
    with hosts.Network() as net, hosts.Root(SETTINGS) as root:
        for pod, address in ((net.pod_a, POD_A), (net.pod_b, POD_B)):
            pod.ip(f"addr add {address}/32 dev eth0")
            net.router.ip(f"route add {address}/32 dev {pod.name}")
        net.node_2.ip(f"addr add {POD_C}/32 dev lo")
        net.router.ip(f"route add {POD_C}/32 via {hosts.NODE_2['v4']}")
        for host, address in ((net.pod_a, POD_A), (net.pod_b, POD_B), (net.node_2, POD_C)):
            net.serve(host, f"tcp/{address}/80")
        net.settle()
        print(f"A network of namespaces; only router runs svcrouted:\n{PICTURE}")
        print(f"{root.etc}/services.d/nginx.cfg, the example of README.md:\n")
        print("".join(f"    {line}\n" for line in example.splitlines()))
        root.write("services.d/nginx.cfg", example)
        with hosts.Daemon(net.router, root) as daemon:
            daemon.ready()
            print("svcrouted is ready. Connections:\n")
            cluster, node = ("cluster IP", CLUSTER_IP, 80), ("node port", ROUTER["v4"], NODE_PORT)
            external = ("external IP", EXTERNAL_IP, 80)
            wrong += connect(net, [cluster, node], [POD_A])
            for text, endpoints in (("The file gets a second endpoint and an external IP", [POD_A, POD_B]),
                                    ("The file loses pod-a and gets pod-c", [POD_B, POD_C])):
                time.sleep(1.2)  # so that MinSyncPeriod=1s holds nothing back
                root.write("services.d/nginx.cfg", edited(example, endpoints, external_ip=True))
                if endpoints[0] == POD_A:
                    daemon.reload()
                    print(f"\n{text}; svcroutectl reload:\n")
                else:
                    took = wait_until(net, CLUSTER_IP, 80, endpoints)
                    if took is None:
                        wrong.append("traffic did not move within 5 s")
                    else:
                        print(f"\n{text}; no command is needed, traffic moved after {took * 1000:.0f} ms:\n")
                wrong += connect(net, [cluster, node, external], endpoints)
            print("\nsvcroutectl services:\n")
            print("".join(f"    {line}\n" for line in daemon.ctl("services")[1].splitlines()))
    for line in wrong:
        print(f"wrong: {line}")
    print(f"All namespaces, processes and files are gone again ({time.monotonic() - start:.0f} s).")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
