# SPDX-License-Identifier: GPL-2.0-or-later
"""Random valid configurations, and random valid edits of them: the same seed gives the same files."""
import random

N_SERVICES = 14
SETTINGS = "svcroute.conf"
# More addresses of the host in ipvs mode. Two of them are also addresses of services, on a real link.
HOST_ADDRESSES = ("192.0.2.30/24", "172.16.5.5/16", "198.51.100.3/32", "203.0.113.5/32", "2001:db8:2::30/64", "2001:db8:77::1/64")


class Service:
    """A service with everything that belongs to it, so that no two services ever claim one thing."""

    def __init__(self, rng, number, mode="iptables"):
        self.rng, self.number, self.mode = rng, number, mode
        self.name = f"{rng.choice(('default', 'shop', 'a-b'))}/svc-{number}"
        self.renew()

    def renew(self):
        r, n = self.rng, self.number
        self.families = r.choice((("v4",), ("v6",), ("v4", "v6")))
        self.type = r.choice(("ClusterIP", "NodePort", "LoadBalancer"))
        self.n_ports = r.choice((1, 1, 2, 3))
        self.protocols = [r.choice(("TCP", "TCP", "UDP")) for _ in range(self.n_ports)]
        self.affinity = r.random() < 0.25
        self.seconds = r.choice((60, 10800))
        self.external_local = self.type != "ClusterIP" and r.random() < 0.3
        self.internal_local = r.random() < 0.2
        self.external_ips = r.random() < 0.25
        self.ranges = self.type == "LoadBalancer" and r.random() < 0.4
        self.proxy = r.random() < 0.2
        self.not_ready = r.random() < 0.1
        self.distribution = r.choice((None, None, "PreferSameZone", "PreferSameNode"))
        self.base = 30000 + n * 8
        self.ipvs_keys = []
        if self.mode == "ipvs":
            self.ipvs_keys = r.choice(([], [], ['scheduler = "wrr"'], ['scheduler = "lc"'], ['scheduler = "sh"'],
                                       ['scheduler = "sh"', 'schedulerFlags = [ "port", "fallback" ]'],
                                       ['onEndpointRemoval = "cut"']))
        self.endpoints = [self.endpoint() for _ in range(r.choice((0, 1, 2, 3, 5, 12)))]

    def endpoint(self):
        r = self.rng
        weight = r.choice((1, 1, 1, 3, 0)) if self.mode == "ipvs" else 1
        return {"weight": weight, "v": r.choice(self.families), "host": r.randrange(1, 200), "node": r.choice(("node-1", "node-2", None)),
                "zone": r.choice(("east", "west", None)), "state": r.choice(("", "", "", "ready = false;",
                                                                              "terminating = true;",
                                                                              "terminating = true; serving = false;"))}

    def address(self, family, kind):
        v4, v6 = {"cluster": ("10.96.0.", "fd00:96::"), "external": ("198.51.100.", "2001:db8:5::"),
                  "lb": ("203.0.113.", "2001:db8:6::")}[kind]
        return f"{v4}{self.number + 1}" if family == "v4" else f"{v6}{self.number + 1:x}"

    def addresses(self, kind):
        return ", ".join(f'"{self.address(f, kind)}"' for f in self.families)

    def text(self):
        keys = [f'name = "{self.name}"', f'type = "{self.type}"', f"clusterIPs = [ {self.addresses('cluster')} ]"]
        ports = []
        for i, protocol in enumerate(self.protocols):
            node = f" nodePort = {self.base + i};" if self.type != "ClusterIP" else ""
            ports.append(f'{{ name = "p{i}"; protocol = "{protocol}"; port = {80 + i}; targetPort = {8080 + i};{node} }}')
        keys.append(f"ports = ( {', '.join(ports)} )")
        if self.affinity:
            keys += ['sessionAffinity = "ClientIP"', f"sessionAffinityTimeoutSeconds = {self.seconds}"]
        if self.external_local:
            keys.append('externalTrafficPolicy = "Local"')
            if self.type == "LoadBalancer":
                keys.append(f"healthCheckNodePort = {self.base + 7}")
        if self.internal_local:
            keys.append('internalTrafficPolicy = "Local"')
        if self.external_ips:
            keys.append(f"externalIPs = [ {self.addresses('external')} ]")
        if self.type == "LoadBalancer":
            mode = "Proxy" if self.proxy else "VIP"
            entries = ", ".join(f'{{ ip = "{self.address(f, "lb")}"; ipMode = "{mode}"; }}' for f in self.families)
            keys.append(f"loadBalancerIPs = ( {entries} )")
        if self.ranges:
            keys.append('loadBalancerSourceRanges = [ "192.0.2.0/24", "10.0.0.0/8", "2001:db8:2::/64" ]')
        if self.not_ready:
            keys.append("publishNotReadyAddresses = true")
        if self.distribution:
            keys.append(f'trafficDistribution = "{self.distribution}"')
        keys += self.ipvs_keys
        return "services = (\n  { " + ";\n    ".join(keys) + "; }\n);\n"

    def endpoints_text(self):
        entries = []
        for e in self.endpoints:
            address = f"10.1.{self.number}.{e['host']}" if e["v"] == "v4" else f"2001:db8:1:{self.number:x}::{e['host']:x}"
            more = "".join(f' {k} = "{e[k]}";' for k in ("node", "zone") if e[k]) + (" " + e["state"] if e["state"] else "")
            more += f" weight = {e['weight']};" if e["weight"] != 1 else ""
            entries.append(f'{{ address = "{address}";{more} }}')
        ports = ", ".join(f'{{ name = "p{i}"; protocol = "{p}"; port = {8080 + i}; }}' for i, p in enumerate(self.protocols))
        return (f'endpoints = (\n  {{ service = "{self.name}";\n    ports = ( {ports} );\n    endpoints = (\n      '
                + ",\n      ".join(entries) + " ); }\n);\n")


class World:
    """files: name below /etc/svcroute -> text. edit() changes one or more and says what it did. In ipvs mode it may change
    addresses instead: what the host has besides its own."""

    def __init__(self, seed, backend, mode="iptables"):
        self.rng = random.Random(seed)
        self.backend, self.mode = backend, mode
        self.addresses = []
        self.services = {}
        self.settings = {}
        self.files = {}
        self.big = False
        for n in range(N_SERVICES // 2):
            self.services[n] = Service(self.rng, n, self.mode)
        self.new_settings()
        for n in self.services:
            self.write(n)

    def new_settings(self):
        r = self.rng
        proxy = ["NodeName=node-1", "Zone=east",
                 r.choice(("ClusterCIDR=10.1.0.0/16 2001:db8:1::/48", "ClusterCIDR=10.1.0.0/16", "DetectLocalMode=None",
                           "DetectLocalMode=BridgeInterface\nBridgeInterface=br0",
                           "DetectLocalMode=InterfaceNamePrefix\nInterfaceNamePrefix=veth")),
                 r.choice(("", "NodePortAddresses=192.0.2.0/24", "NodePortAddresses=primary", "NodePortAddresses=all",
                           "NodePortAddresses=eth0"))]
        tables = [f"Backend={self.backend}", r.choice(("", "MasqueradeAll=yes")), r.choice(("", "MasqueradeBit=10")),
                  r.choice(("", "LocalhostNodePorts=no"))]
        if self.mode == "ipvs":
            proxy.append("Mode=ipvs")
            tables += ["[IPVS]", r.choice(("", "Scheduler=wrr", "Scheduler=sh"))]
        self.files[SETTINGS] = ("[Proxy]\n" + "\n".join(filter(None, proxy)) + "\n[IPTables]\n"
                                + "\n".join(filter(None, tables)) + "\n[Sync]\nMinSyncPeriod=0\nConfigDebounce=1ms\n")

    def write(self, n):
        s = self.services[n]
        self.files[f"services.d/s{n}.cfg"] = s.text()
        if s.endpoints:
            self.files[f"endpoints.d/e{n}.cfg"] = s.endpoints_text()
        else:
            self.files.pop(f"endpoints.d/e{n}.cfg", None)

    def big_service(self):
        entries = ", ".join(f'"10.9.{i // 250}.{i % 250 + 1}:80"' for i in range(1001))
        return ('services = ( { name = "default/big"; clusterIP = "10.96.9.9"; ports = ( { port = 80; } );\n  endpoints = [ '
                + entries + " ]; } );\n")

    def edit(self, step):
        """(what was done, names of the files that changed)."""
        before = dict(self.files)
        what = self._edit(step)
        return what, [f for f in sorted(set(before) | set(self.files)) if before.get(f) != self.files.get(f)]

    def _edit(self, step):
        r = self.rng
        if step % 100 in (40, 60):  # beyond 1,000 endpoints, and back
            self.big = step % 100 == 40
            if self.big:
                self.files["services.d/zz-big.cfg"] = self.big_service()
            else:
                self.files.pop("services.d/zz-big.cfg", None)
            return "more than 1,000 endpoints" if self.big else "less than 1,000 endpoints"
        if self.mode == "ipvs" and r.random() < 0.08:
            address = r.choice(HOST_ADDRESSES)
            gone = address in self.addresses
            self.addresses = sorted(set(self.addresses) ^ {address})
            return f"address {address} of the host {'removed' if gone else 'added'}"
        kind = r.random()
        free = [n for n in range(N_SERVICES) if n not in self.services]
        if kind < 0.06:
            self.new_settings()
            return "settings"
        if kind < 0.18 and free:
            n = r.choice(free)
            self.services[n] = Service(r, n, self.mode)
            self.write(n)
            return f"service {n} added"
        if kind < 0.28 and len(self.services) > 2:
            n = r.choice(sorted(self.services))
            del self.services[n]
            for f in (f"services.d/s{n}.cfg", f"endpoints.d/e{n}.cfg"):
                self.files.pop(f, None)
            return f"service {n} removed"
        n = r.choice(sorted(self.services))
        s = self.services[n]
        if kind < 0.45:
            s.renew()
            what = f"service {n} changed in everything"
        elif kind < 0.65 or not s.endpoints:
            s.endpoints.append(s.endpoint())
            what = f"endpoint added to service {n}"
        elif kind < 0.8:
            s.endpoints.pop(r.randrange(len(s.endpoints)))
            what = f"endpoint removed from service {n}"
        else:
            i = r.randrange(len(s.endpoints))
            s.endpoints[i] = dict(s.endpoint(), v=s.endpoints[i]["v"], host=s.endpoints[i]["host"])
            what = f"state of an endpoint of service {n}"
        self.write(n)
        return what

    def apply(self, root, names):
        """Makes these files below a Root as they are here."""
        for name in names:
            if name in self.files:
                root.write(name, self.files[name])
            else:
                root.remove(name)
