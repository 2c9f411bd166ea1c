# SPDX-License-Identifier: GPL-2.0-or-later
"""Services for tests with real packets on the network of hosts.py, and what such tests expect: who answers, and which
source address does it see?"""
import collections
import itertools
import re

from hosts import FAMILIES, POD_A, POD_B, POD_C

# name: (last byte of the cluster IPs, node port, other keys, endpoints); "ab3" is pod-a, and pod-b with the weight 3.
# All have the port 80, for each protocol. Tests may add their own.
SERVICES = {
    "web": (10, 30080, 'type = "NodePort"; externalIPs = [ "198.51.100.10", "2001:db8:5::10" ];', "abc"),
    "affinity": (11, 30081, 'type = "NodePort"; sessionAffinity = "ClientIP";', "abc"),
    "none": (12, 30082, 'type = "NodePort"; externalIPs = [ "198.51.100.12", "2001:db8:5::12" ];', ""),
    "lb": (13, 30083, 'type = "LoadBalancer"; loadBalancerIPs = [ "198.51.100.13", "2001:db8:5::13" ];'
           ' loadBalancerSourceRanges = [ "192.0.2.200/32", "2001:db8:2::200/128" ];', "abc"),
    "ext-local": (14, 30084, 'type = "LoadBalancer"; externalTrafficPolicy = "Local"; healthCheckNodePort = 30184;'
                  ' loadBalancerIPs = [ "198.51.100.14", "2001:db8:5::14" ];', "ac"),
    "ext-remote": (15, 30085, 'type = "LoadBalancer"; externalTrafficPolicy = "Local"; healthCheckNodePort = 30185;'
                   ' loadBalancerIPs = [ "198.51.100.15", "2001:db8:5::15" ];', "c"),
    "int-local": (16, 0, 'internalTrafficPolicy = "Local";', "ac"),
    "int-remote": (17, 0, 'internalTrafficPolicy = "Local";', "c"),
    "alone": (18, 0, "", "a"),
}
_ports = itertools.count(10000)  # below those that the kernel gives
PODS = {"a": (POD_A, "node-1"), "b": (POD_B, "node-1"), "c": (POD_C, "node-2")}


def cluster_ip(family, service):
    return ("10.96.0.{}" if family == "v4" else "fd00:96::{}").format(SERVICES[service][0])


def outside_ip(family, service):
    return ("198.51.100.{}" if family == "v4" else "2001:db8:5::{}").format(SERVICES[service][0])


def endpoints(pods):
    groups = []
    for p, weight in re.findall(r"([abc])(\d*)", pods):
        more = f" weight = {weight};" if weight else ""
        groups += [f'{{ address = "{PODS[p][0][f]}"; port = 8080; node = "{PODS[p][1]}";{more} }}' for f in FAMILIES]
    return f"endpoints = ( {', '.join(groups)} );" if groups else ""


def service(name, pods, protocols=("tcp", "udp")):
    """Its text, with these endpoints."""
    _, node_port, keys, _ = SERVICES[name]
    node = f" nodePort = {node_port};" if node_port else ""
    ports = ", ".join(f'{{ name = "{p[0]}"; protocol = "{p.upper()}"; port = 80; targetPort = 8080;{node} }}' for p in protocols)
    return (f'{{ name = "{name}"; {keys}\n\t  clusterIPs = [ "{cluster_ip("v4", name)}", "{cluster_ip("v6", name)}" ];\n'
            f'\t  ports = ( {ports} );\n\t  {endpoints(pods)} }}')


def configuration(protocols=("tcp", "udp"), **pods):
    """A file with all services. pods: a service, and the endpoints that it has instead of its own."""
    texts = [service(name, pods.get(name, own[3]), protocols) for name, own in SERVICES.items()]
    return "services = (\n\t" + ",\n\t".join(texts) + "\n);\n"


def gather(host, protocol, address, port, source=None, wanted=3, tries=60):
    """{who answered: {source addresses seen}}; stops when all that are wanted were seen."""
    seen = {}
    for _ in range(tries):
        got = host.ask(protocol, address, port, source)
        assert isinstance(got, tuple), f"{protocol} {address} {port} from {host.name}: {got} (until now: {seen})"
        seen.setdefault(got[0], set()).add(got[1])
        if len(seen) >= wanted and sum(map(len, seen.values())) >= wanted:
            break
    return seen


def count(host, protocol, address, port, connections, source=None):
    """{who answered: how often}. From ports that nothing else uses: a port that comes again within the timeout of its
    last flow goes where that one went, and would not be counted as a connection by the kernel."""
    answers = collections.Counter()
    for _ in range(connections):
        got = host.ask(protocol, address, port, source, timeout=10, source_port=next(_ports))
        assert isinstance(got, tuple), f"{protocol} {address} {port} from {host.name}: {got} (until now: {answers})"
        answers[got[0]] += 1
    return dict(answers)


def expect(host, protocol, address, port, want, source=None, tries=60):
    """want: {endpoint: source address it must see}."""
    got = gather(host, protocol, address, port, source, len(want), tries)
    assert got == {who: {saw} for who, saw in want.items()}, \
        f"{protocol} {address} {port} from {host.name}: got {got}, want {want}"


def expect_word(host, protocol, address, port, word, source=None):
    # An ICMPv6 error that comes back within connect() is ignored by TCP; the next SYN, 1 s later, gets it.
    got = host.ask(protocol, address, port, source, timeout=0.4 if word == "silent" else 10)
    assert got == word, f"{protocol} {address} {port} from {host.name}: got {got}, want {word}"
