# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
# weight: 100
"""Both variants of iptables beside IPVS: which one auto takes, what is left in the other, and rules of others.

test_variants.py [PART...]    automatic, switching, clean"""
import subprocess
import sys

import hosts
import netns
from router import VIP, VIP6, Router
from tap import Tap

NFT_TABLE = """table inet theirs {
	set good {
		type ipv4_addr
		elements = { 192.0.2.77 }
	}

	chain input {
		type filter hook input priority filter + 5; policy accept;
		ip saddr @good counter packets 0 bytes 0 accept
		tcp dport 4567 drop
	}

	chain nat {
		type nat hook prerouting priority dstnat + 5; policy accept;
		ip daddr 192.0.2.99 dnat ip to 192.0.2.98
	}
}
"""
# A chain of theirs, a rule before ours and one in a table that we use; for the program of either variant and family.
THEIR_RULES = ("-N THEIRS", "-A THEIRS -p tcp -m tcp --dport 4568 -j DROP", "-A INPUT -j THEIRS",
               "-t nat -A PREROUTING -p udp -m udp --dport 4569 -j ACCEPT")


class Both(Router):
    """A router alone, with one service in each family."""

    def __init__(self, backend="auto", mode="ipvs"):
        super().__init__(alone=True)
        self.set(backend, mode)
        self.write(["10.1.0.11:8080"])
        self.write(["[2001:db8:1::11]:8080"], name="six", ip=VIP6, node_port=30081)

    def set(self, backend, mode="ipvs"):
        self.settings(mode, f"[IPTables]\nBackend={backend}\n")

    def used(self, variant, family):
        """Whether the variant's tables were ever made; looking with the legacy program would make them."""
        if variant == "nft":
            return bool(self.host.run(["nft", "list", "tables", "ip" if family == "v4" else "ip6"]))
        with self.host.inside():
            try:
                with open(f"/proc/thread-self/net/ip{'6' if family == 'v6' else ''}_tables_names") as f:
                    return bool(f.read())
            except FileNotFoundError:
                return False

    def lines(self, variant, family):
        if not self.used(variant, family):
            return []
        return [line.split(" [")[0] for line in self.host.save(family, variant).splitlines() if line[:1] in ":-"]

    def ours(self, variant):
        return [line for f in hosts.FAMILIES for line in self.lines(variant, f) if "KUBE-" in line]

    def theirs(self, variant):
        return [line for f in hosts.FAMILIES for line in self.lines(variant, f) if line[0] == "-" and "KUBE-" not in line]

    def add_theirs(self, variant):
        for program in ("iptables", "ip6tables"):
            for rule in THEIR_RULES:
                self.host.run([f"{program}-{variant}", *rule.split()])

    def add_nft_table(self):
        with self.host.inside():
            subprocess.run(["nft", "-f", "-"], input=NFT_TABLE, text=True, check=True, timeout=60)

    def nft_table(self):
        return self.host.run(["nft", "list", "table", "inet", "theirs"])

    def only_in(self, variant):
        other = "legacy" if variant == "nft" else "nft"
        here, there = self.ours(variant), self.ours(other)
        for family, needle in (("v4", "-A KUBE-SERVICES"), ("v6", "-A KUBE-SERVICES")):
            found = self.lines(variant, family)
            assert any(line.startswith(needle) for line in found), (variant, family, found)
        assert any("-j KUBE-IPVS-FILTER" in line for line in here), here
        assert not there, (other, there)
        assert self.reals() == {"10.1.0.11:8080": 1}, self.servers()
        assert self.reals(f"[{VIP6}]:80") == {"[2001:db8:1::11]:8080": 1}, self.servers()


def automatic(t):
    with t.case("auto on a host without rules: nft, and no legacy table is made"), Both() as r:
        r.once()
        r.only_in("nft")
        assert not any(r.used("legacy", f) for f in hosts.FAMILIES)
        r.quiet()
    for variant in ("nft", "legacy"):
        other = "legacy" if variant == "nft" else "nft"
        with t.case(f"auto where {variant} rules of others are: {variant}"), Both() as r:
            r.add_theirs(variant)
            theirs = r.theirs(variant)
            said = r.once()
            r.only_in(variant)
            assert r.theirs(variant) == theirs and len(theirs) == 6, r.theirs(variant)
            assert not any(r.used(other, f) for f in hosts.FAMILIES), other
            assert "rules of others are in both" not in said, said
            r.quiet()
    with t.case("auto where both have rules of others: nft, and it is told"), Both() as r:
        r.add_theirs("nft")
        r.add_theirs("legacy")
        before = r.theirs("nft"), r.theirs("legacy")
        with r.start():
            r.only_in("nft")
            said = r.ctl("status")
            assert "iptables-legacy" in said and "iptables-nft" in said, said
        assert (r.theirs("nft"), r.theirs("legacy")) == before
    with t.case("a table made with nft itself does not keep auto from nft, nor is it touched"), Both() as r:
        r.add_nft_table()
        before = r.nft_table()
        r.once()
        r.only_in("nft")
        assert r.nft_table() == before, r.nft_table()


def switching(t):
    with t.case("changing Backend= in ipvs mode leaves nothing in the other variant"), Both("legacy") as r:
        r.add_theirs("legacy")
        theirs = r.theirs("legacy")
        with r.start() as d:
            r.only_in("legacy")
            for backend in ("nft", "legacy", "nft"):
                r.set(backend)
                d.reload()
                r.only_in(backend)
        assert r.theirs("legacy") == theirs and not r.theirs("nft"), (r.theirs("legacy"), r.theirs("nft"))
    with t.case("the same by a new start"), Both("nft") as r:
        r.once()
        r.only_in("nft")
        r.set("legacy")
        r.once()
        r.only_in("legacy")
        r.quiet()
    with t.case("changing Mode= and Backend= at once"), Both("nft", "iptables") as r:
        with r.start() as d:
            assert any("KUBE-SEP" in line for line in r.ours("nft")) and not r.ours("legacy"), r.ours("legacy")
            r.set("legacy")
            d.reload()
            r.only_in("legacy")
            assert not any("KUBE-SEP" in line for line in r.ours("legacy")), r.ours("legacy")
            r.set("nft", "iptables")
            d.reload()
            r.wait("nothing of ipvs mode", lambda: not r.servers() and not r.addresses() and not r.sets())
            r.wait("no rules in the other variant", lambda: not r.ours("legacy"))
            here = r.ours("nft")
            assert any("KUBE-SEP" in line for line in here) and not any("IPVS" in line for line in here), here


def clean(t):
    for how in ("command", "script"):
        with t.case(f"clean-up by {how} of both variants leaves rules of others"), Both("nft") as r:
            for variant in ("nft", "legacy"):
                r.add_theirs(variant)
            r.add_nft_table()
            before = r.nft_table(), r.theirs("nft"), r.theirs("legacy")
            # ours in both: what a program that was stopped on its way leaves
            r.once()
            stale = r.host.save("v4", "nft")
            r.set("legacy")
            r.once()
            r.only_in("legacy")
            with r.host.inside():
                subprocess.run(["iptables-nft-restore"], input=stale, text=True, check=True, timeout=60)
            assert r.ours("legacy") and r.ours("nft")
            if how == "command":
                r.ctl("cleanup")
            else:
                p = r.host.finish(["sh", "-c", r.ctl("cleanup", "--print-script")], env=r.environment())
                assert p.returncode == 0, f"{p.returncode} {p.stderr}"
            assert not r.ours("nft") and not r.ours("legacy"), (r.ours("nft"), r.ours("legacy"))
            assert (r.nft_table(), r.theirs("nft"), r.theirs("legacy")) == before, r.theirs("nft")
            assert not r.servers() and not r.sets() and not r.addresses(), r.everything()
            assert VIP not in r.host.run(["ip", "addr"])


def main():
    netns.unshare()
    subprocess.run(["modprobe", "-a", "ipv6", "bridge", "veth"], check=True)
    t = Tap()
    for part in (automatic, switching, clean):
        if not sys.argv[1:] or part.__name__ in sys.argv[1:]:
            part(t)
    t.done()


main()
