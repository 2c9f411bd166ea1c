# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
# weight: 80
"""Real packets through the rules of a running daemon: who answers, and which source address does it see?

For both iptables variants, IPv4 and IPv6, TCP and UDP. The network is that of tests/lib/hosts.py."""
import hosts
from hosts import CLIENT, CLIENT_2, FAMILIES, GATEWAY, POD_A, POD_B, POD_C, ROUTER
from packets import cluster_ip, configuration, expect, expect_word, gather, outside_ip
from tap import Tap, need_root

SETTINGS = """
[Proxy]
NodeName=node-1
ClusterCIDR=10.1.0.0/16 2001:db8:1::/64
[IPTables]
Backend={variant}
[Sync]
MinSyncPeriod=0
"""


def packets(tap, net, variant, f, p):
    client, router, pod_a, pod_b = net.client, net.router, net.pod_a, net.pod_b
    a, b, c = POD_A[f], POD_B[f], POD_C[f]
    # what an endpoint sees when the router puts in its own address
    masq = {a: GATEWAY[f], b: GATEWAY[f], c: ROUTER[f]}
    kept_from_pod_b = {a: POD_B[f], b: GATEWAY[f], c: POD_B[f]}  # b itself: hairpin
    what = f"{variant} {f} {p}: "

    with tap.case(what + "cluster IP, from outside: every endpoint, masqueraded"):
        expect(client, p, cluster_ip(f, "web"), 80, masq)
    with tap.case(what + "cluster IP, from a pod: source kept, hairpin masqueraded"):
        expect(pod_b, p, cluster_ip(f, "web"), 80, kept_from_pod_b)
    with tap.case(what + "cluster IP, from the host"):
        expect(router, p, cluster_ip(f, "web"), 80, masq)
    with tap.case(what + "cluster IP, another port: no answer"):
        expect_word(client, p, cluster_ip(f, "web"), 81, "silent")
    with tap.case(what + "hairpin: a pod that is its service's only endpoint"):
        expect(pod_a, p, cluster_ip(f, "alone"), 80, {a: GATEWAY[f]}, tries=3)
    with tap.case(what + "node port, from outside, from a pod, from the host"):
        expect(client, p, ROUTER[f], 30080, masq)
        expect(pod_b, p, ROUTER[f], 30080, masq)
        expect(router, p, ROUTER[f], 30080, masq)
        expect(client, p, GATEWAY[f], 30080, masq)
    if f == "v4":
        with tap.case(what + "node port on 127.0.0.1"):
            expect(router, p, "127.0.0.1", 30080, masq)
    else:
        with tap.case(what + "node port on ::1: not served"):
            expect_word(router, p, "::1", 30080, "refused")
    with tap.case(what + "external IP, from outside and from a pod"):
        expect(client, p, outside_ip(f, "web"), 80, masq)
        expect(pod_b, p, outside_ip(f, "web"), 80, masq)
    with tap.case(what + "load balancer IP: a source in the ranges is served"):
        expect(client, p, outside_ip(f, "lb"), 80, masq)
    with tap.case(what + "load balancer IP: any other source is dropped, without an answer"):
        expect_word(client, p, outside_ip(f, "lb"), 80, "silent", source=CLIENT_2[f])
        expect_word(pod_b, p, outside_ip(f, "lb"), 80, "silent")
    with tap.case(what + "source ranges do not guard the node port"):
        expect(client, p, ROUTER[f], 30083, masq, source=CLIENT_2[f])
    with tap.case(what + "affinity: one endpoint a client"):
        for source in (CLIENT[f], CLIENT_2[f]):
            got = gather(client, p, cluster_ip(f, "affinity"), 80, source, wanted=2, tries=15)
            assert len(got) == 1, got
            through_node_port = gather(client, p, ROUTER[f], 30081, source, wanted=2, tries=5)
            assert through_node_port == got, f"{through_node_port}, then {got}"
    with tap.case(what + "no endpoints: refused everywhere"):
        for host in (client, pod_b, router):
            expect_word(host, p, cluster_ip(f, "none"), 80, "refused")
            expect_word(host, p, ROUTER[f], 30082, "refused")
        expect_word(client, p, outside_ip(f, "none"), 80, "refused")
        expect_word(pod_b, p, outside_ip(f, "none"), 80, "refused")
    with tap.case(what + "externalTrafficPolicy Local: local endpoints only, source kept"):
        expect(client, p, outside_ip(f, "ext-local"), 80, {a: CLIENT[f]}, tries=10)
        expect(client, p, ROUTER[f], 30084, {a: CLIENT[f]}, tries=10)
    with tap.case(what + "externalTrafficPolicy Local: pods and the host reach all endpoints"):
        expect(pod_b, p, outside_ip(f, "ext-local"), 80, {a: POD_B[f], c: POD_B[f]})
        expect(router, p, outside_ip(f, "ext-local"), 80, {a: masq[a], c: masq[c]})
        expect(client, p, cluster_ip(f, "ext-local"), 80, {a: masq[a], c: masq[c]})
    with tap.case(what + "externalTrafficPolicy Local without a local endpoint: dropped, pods still served"):
        expect_word(client, p, outside_ip(f, "ext-remote"), 80, "silent")
        expect_word(client, p, ROUTER[f], 30085, "silent")
        expect(pod_b, p, outside_ip(f, "ext-remote"), 80, {c: POD_B[f]}, tries=3)
    with tap.case(what + "internalTrafficPolicy Local: local endpoints only"):
        expect(pod_b, p, cluster_ip(f, "int-local"), 80, {a: POD_B[f]}, tries=10)
        expect(client, p, cluster_ip(f, "int-local"), 80, {a: GATEWAY[f]}, tries=10)
    with tap.case(what + "internalTrafficPolicy Local without a local endpoint: dropped"):
        expect_word(pod_b, p, cluster_ip(f, "int-remote"), 80, "silent")


def changes(tap, net, root, daemon, variant):
    """The files change while the daemon runs; then it ends."""
    f, p, address = "v4", "tcp", cluster_ip("v4", "alone")
    with tap.case(f"{variant}: an endpoint replaced in the files takes over"):
        root.write("services.d/all.cfg", configuration(alone="b"))
        daemon.reload()
        expect(net.client, p, address, 80, {POD_B[f]: GATEWAY[f]}, tries=5)
    with tap.case(f"{variant}: the last endpoint removed: refused"):
        root.write("services.d/all.cfg", configuration(alone=""))
        daemon.reload()
        expect_word(net.client, p, address, 80, "refused")
        root.write("services.d/all.cfg", configuration())
        daemon.reload()
        expect(net.client, p, address, 80, {POD_A[f]: GATEWAY[f]}, tries=5)
    with tap.case(f"{variant}: rules stay when the daemon ends"):
        before = [net.router.save(family, variant) for family in FAMILIES]
        status = daemon.stop()
        assert status == 0, f"status {status}"
        assert [strip(t) for t in before] == [strip(net.router.save(family, variant)) for family in FAMILIES]
        expect(net.client, p, address, 80, {POD_A[f]: GATEWAY[f]}, tries=5)


def strip(save):
    """Without times and counters."""
    return [line.split(" [")[0] for line in save.splitlines() if not line.startswith("#")]


def main():
    need_root()
    tap = Tap()
    for variant in ("legacy", "nft"):
        with hosts.Network() as net, hosts.Root(SETTINGS.format(variant=variant)) as root:
            net.settle()
            net.serve_all()
            root.write("services.d/all.cfg", configuration())
            with hosts.Daemon(net.router, root) as daemon:
                with tap.case(f"{variant}: the daemon gets ready"):
                    daemon.ready()
                for family in FAMILIES:
                    for protocol in ("tcp", "udp"):
                        packets(tap, net, variant, family, protocol)
                changes(tap, net, root, daemon, variant)
    tap.done()


if __name__ == "__main__":
    main()
