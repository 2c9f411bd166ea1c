# SPDX-License-Identifier: GPL-2.0-or-later
"""A host with svcroute's files and what it makes of them in ipvs mode."""
import contextlib
import os
import re
import time

import hosts
from tap import SVCROUTECTL, SVCROUTED

SETTINGS = "[Proxy]\nMode={}\nNodeName=node-1\nClusterCIDR=10.1.0.0/16 2001:db8:1::/64\n{}"
VIP, VIP6 = "10.96.0.10", "fd00:96::10"


def service(endpoints, name="web", ip=VIP, port=80, node_port=30080, protocol="TCP", more=""):
    inside = ", ".join(f'"{e}"' for e in endpoints)
    kind = 'type = "NodePort"; ' if node_port else ""
    extra = f"nodePort = {node_port}; " if node_port else ""
    return (f'services = (\n  {{ name = "{name}"; {kind}clusterIP = "{ip}"; {more}'
            f'ports = ( {{ port = {port}; protocol = "{protocol}"; {extra}}} );\n    endpoints = [ {inside} ]; }}\n);\n')


class Router:
    """A host with a daemon's files. once() and start() run it. alone: without the hosts around it."""
    variant = "legacy"  # which rules a test looks at; user-mode Linux has no others

    def __init__(self, mode="ipvs", more="", alone=False):
        self.network = None if alone else hosts.Network()
        if alone:
            self.host = hosts.Host("router")
            self.host.ip("link add eth0 type veth peer name eth0x", "addr add 192.0.2.10/24 dev eth0", "link set eth0 up",
                         "link set eth0x up")
        else:
            self.host = self.network.router
        self.root = hosts.Root()
        self.settings(mode, more)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.root.__exit__()
        if self.network:
            self.network.__exit__(*args)
        else:
            self.host.close()

    def settings(self, mode, more=""):
        self.root.write("svcroute.conf", SETTINGS.format(mode, more))

    def write(self, *arguments, name="web", **keys):
        self.root.write(f"services.d/{name}.cfg", service(*arguments, name=name, **keys))

    def environment(self):
        return dict(os.environ, XTABLES_LOCKFILE=f"{self.root.path}/xtables.lock")

    def once(self, status=0):
        p = self.host.finish([SVCROUTED, "--root", self.root.path, "--once"], env=self.environment())
        assert p.returncode == status, f"status {p.returncode}: {p.stderr}"
        return p.stderr

    def quiet(self):
        """A sync that has nothing to do does nothing."""
        said = self.once()
        assert "nothing to change" in said, said

    @contextlib.contextmanager
    def start(self):
        with hosts.Daemon(self.host, self.root) as d:
            yield d.ready()

    def ctl(self, *arguments, status=0):
        p = self.host.finish([SVCROUTECTL, "--root", self.root.path, *arguments], env=self.environment())
        assert p.returncode == status, f"status {p.returncode}: {p.stdout}{p.stderr}"
        return p.stdout + p.stderr

    def servers(self):
        return self.host.run(["ipvsadm-save", "-n"]).splitlines()

    def reals(self, address=f"{VIP}:80", option="-"):
        """{real server: weight} of one virtual server. option: ipvsadm's for one protocol (-t, -u, --sctp-service)."""
        lines = [line.split() for line in self.servers() if line.startswith(f"-a {option}")]
        return {w[4]: int(w[7]) for w in lines if w[2] == address}

    def addresses(self):
        p = self.host.finish(["ip", "-o", "addr", "show", "dev", "kube-ipvs0"])
        return sorted(line.split()[3] for line in p.stdout.splitlines())

    def sets(self):
        return self.host.run(["ipset", "save"]).splitlines()

    def rules(self):
        text = "".join(self.host.save(f, self.variant) for f in hosts.FAMILIES)
        return [re.sub(r" \[.*", "", line) for line in text.splitlines() if re.match(r"-|:KUBE", line)]

    def everything(self):
        entries = sorted(re.sub(r" hashsize.*", "", line) for line in self.sets())
        return self.servers(), self.addresses(), entries, self.rules()

    def wait(self, what, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"not within {seconds} s: {what}; {self.servers()}"
            time.sleep(0.1)
