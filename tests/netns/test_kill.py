# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 300
"""kill -9 at random moments of a full load of 2,000 services: of the daemon, and of the restore program that it runs.

Afterwards each table is the old one or the new one; the filter table may also stand between its two steps, where it has the
REJECT rules of both (no service is without answer at any moment). In the nft variant's nat table, which is loaded in
blocks, each service's own chains are wholly old or wholly new, and every dispatch rule leads to a chain that is complete.
The next start repairs the rest."""
import os
import random
import re
import signal
import subprocess
import time

import hosts
from tap import SVCROUTED, Tap, need_root

SERVICES = 2000
RUNS = int(os.environ.get("SVCROUTE_KILLS", "25"))  # for each variant: 50 of the daemon, 50 of the child
SEED = os.environ.get("SVCROUTE_SEED", "20261130")
OWN = re.compile(r"^KUBE-(SVC|SVL|SEP|FW|EXT)-")


def configuration(version):
    """Versions differ in every endpoint, in some services, and in which services have no endpoints at all."""
    services = []
    for n in range(SERVICES):
        if n % 50 == version:
            continue
        node = f" nodePort = {30000 + n};" if n % 20 == 0 else ""
        kind = "NodePort" if node else "ClusterIP"
        ends = "" if n % 40 == 3 + version else f'"10.{version + 1}.{n // 250}.{n % 250 + 1}:80", ' \
            f'"10.{version + 3}.{n // 250}.{n % 250 + 1}:80"'
        services.append(f'{{ name = "ns{n % 7}/s{n}"; type = "{kind}"; clusterIP = "10.96.{n // 250}.{n % 250 + 1}"; '
                        f"ports = ( {{ port = 80;{node} }} ); endpoints = [ {ends} ]; }}")
    return "services = (\n  " + ",\n  ".join(services) + "\n);\n"


def tables(host, variant):
    """{table: {chain: [rules]}}"""
    found, table = {}, None
    for line in host.save("v4", variant).splitlines():
        if line.startswith("*"):
            table = found.setdefault(line[1:], {})
        elif line.startswith(":"):
            table.setdefault(line[1:].split()[0], [])
        elif line.startswith("-A "):
            table[line.split()[1]].append(line)
    return found


def service_of(chains):
    """{service port name: {its chains}} by the comments of their rules."""
    owners = {}
    for chain, rules in chains.items():
        if OWN.match(chain) and rules:
            names = re.findall(r'--comment "?(?:masquerade traffic for |pod traffic for |other traffic to )?(ns[0-9]+/s[0-9]+)',
                               " ".join(rules))
            if names:
                owners.setdefault(names[0], set()).add(chain)
    return owners


def check_nat_blocks(got, old, new):
    old_owners, new_owners = service_of(old), service_of(new)
    for name in set(old_owners) | set(new_owners):
        is_old = name in old_owners and all(got.get(c) == old[c] for c in old_owners[name])
        is_new = name in new_owners and all(got.get(c) == new[c] for c in new_owners[name])
        in_use = any(got.get(c) for c in old_owners.get(name, set()) | new_owners.get(name, set()))
        assert is_old or is_new or not in_use or name not in new_owners, f"{name} is neither wholly old nor wholly new"
    for chain in ("KUBE-SERVICES", "KUBE-NODEPORTS"):
        for rule in got.get(chain, []):
            target = rule.split(" -j ")[1].split()[0]
            if OWN.match(target):
                assert got.get(target), f"{rule} leads to a chain that is not there or empty"
                assert got[target] in (old.get(target), new.get(target)), f"{target} is not complete"
        assert got.get(chain) in (old.get(chain), new.get(chain)), f"{chain} is neither the old one nor the new one"


def check_filter(got, old, new):
    for chain in set(old) | set(new):
        a, b, now = old.get(chain, []), new.get(chain, []), got.get(chain, [])
        if now in (a, b):
            continue
        assert set(now) == set(a) | set(b), f"filter {chain} is neither old nor new nor both"


def check(variant, got, old, new):
    check_filter(got.get("filter", {}), old["filter"], new["filter"])
    if variant == "legacy":
        assert got["nat"] in (old["nat"], new["nat"]), "nat is neither the old one nor the new one"
    else:
        check_nat_blocks(got["nat"], old["nat"], new["nat"])


def processes_inside(host):
    """Ids of the processes that run in the host's namespace."""
    inode = os.fstat(host.fd).st_ino
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{pid}/ns/net").st_ino == inode and int(pid) != os.getpid():
                found.append(int(pid))
        except OSError:
            continue
    return found


def wait_until_quiet(host):
    deadline = time.monotonic() + 30
    while processes_inside(host):
        assert time.monotonic() < deadline, "a restore program runs on and on"
        time.sleep(0.01)


def restore_child(pid):
    """The id of the daemon's iptables-restore, if it runs one now."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            children = f.read().split()
        for child in children:
            with open(f"/proc/{child}/cmdline", "rb") as f:
                if b"-restore" in f.read().split(b"\0")[0]:
                    return int(child)
    except OSError:
        pass
    return None


def kill_if_running(pid):
    """Not one that has ended and only waits for its parent."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            if f.read().rsplit(")", 1)[1].split()[0] in "ZX":
                return False
        os.kill(pid, signal.SIGKILL)
    except (OSError, IndexError):
        return False
    return True


class Kills:
    def __init__(self, variant):
        self.variant = variant
        self.rng = random.Random(f"{SEED}/{variant}")
        self.host = hosts.Host("router")
        self.host.ip("link add eth0 type veth peer name eth0x", "addr add 192.0.2.10/24 dev eth0", "link set eth0 up",
                     "link set eth0x up")
        settings = f"[Proxy]\nClusterCIDR=10.1.0.0/16\n[IPTables]\nBackend={variant}\n"
        self.roots = [hosts.Root(settings) for _ in range(2)]
        for version, root in enumerate(self.roots):
            root.write("services.d/all.cfg", configuration(version))
        self.states = [None, None]
        self.seconds = 0.0
        self.current = 0

    def environment(self):
        return dict(os.environ, XTABLES_LOCKFILE=f"{self.roots[0].path}/xtables.lock")

    def once(self, version):
        self.host.run([SVCROUTED, "--root", self.roots[version].path, "--once"], env=self.environment())

    def start(self, version):
        return self.host.popen([SVCROUTED, "--root", self.roots[version].path], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment())

    def prepare(self):
        for version in (1, 0):
            start = time.monotonic()
            self.once(version)
            self.seconds = time.monotonic() - start  # the second one writes over old rules, as all runs will
            self.states[version] = tables(self.host, self.variant)

    def kill_daemon(self, version):
        p = self.start(version)
        time.sleep(self.rng.uniform(0, self.seconds))
        alive = p.poll() is None
        hosts.end(p, signal.SIGKILL)
        return alive

    def kill_child(self, version):
        """True when a restore program that still ran was killed."""
        p = self.start(version)
        which, seen, killed = self.rng.randrange(3), set(), False  # filter, nat, filter
        delay = self.rng.uniform(0, 0.4 * self.seconds if which == 1 else 0.004)
        deadline = time.monotonic() + 3 * self.seconds + 1
        while len(seen) <= which and time.monotonic() < deadline and p.poll() is None:
            child = restore_child(p.pid)
            if child and child not in seen:
                seen.add(child)
                if len(seen) > which:
                    time.sleep(delay)
                    killed = kill_if_running(child)
            time.sleep(0.0005)
        hosts.end(p, signal.SIGKILL)
        return killed

    def run(self, kill):
        """Until RUNS processes were killed while they ran; the state is looked at after every try all the same."""
        kills = tries = between = 0
        while kills < RUNS:
            tries += 1
            assert tries <= 5 * RUNS, f"only {kills} of {tries} tries hit a process that ran"
            old, new = self.states[self.current], self.states[1 - self.current]
            kills += kill(1 - self.current)
            wait_until_quiet(self.host)
            got = tables(self.host, self.variant)
            check(self.variant, got, old, new)
            between += got not in (old, new)
            self.once(1 - self.current)
            assert tables(self.host, self.variant) == new, "the next start did not repair everything"
            self.current = 1 - self.current
        print(f"# {self.variant}, {kill.__name__}: {kills} kills in {tries} tries, {between} left something between old and "
              f"new; a whole load takes {self.seconds:.2f} s", flush=True)

    def close(self):
        for p in processes_inside(self.host):
            os.kill(p, signal.SIGKILL)
        for root in self.roots:
            root.__exit__()
        self.host.close()


def main():
    need_root()
    t = Tap()
    for variant in ("nft", "legacy"):
        kills = Kills(variant)
        try:
            kills.prepare()
            for kill in (kills.kill_daemon, kills.kill_child):
                with t.case(f"{kill.__name__.replace('_', ' ')} in {RUNS} loads of {SERVICES} services, {variant}, seed {SEED}"):
                    kills.run(kill)
        finally:
            kills.close()
    t.done()


main()
