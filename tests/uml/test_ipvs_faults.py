# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 80
"""ipvs mode when the host lacks something: what it says, that what works stays, and that it goes on by itself once the
cause is gone."""
import contextlib
import json
import os
import re
import subprocess
import sys
import time

import hosts
import netns
from router import VIP, VIP6, Router
from tap import SVCROUTED, Skip, Tap

LOADER = "/proc/sys/kernel/modprobe"
OURS = ["ip_vs", "ip_vs_rr", "dummy", "xt_ipvs", "ip_set_hash_ip", "ip_set_hash_ipport", "ip_set_hash_ipportip",
        "ip_set_hash_ipportnet", "ip_set_bitmap_port"]
# what rules and links need
ALWAYS = ["veth", "iptable_nat", "iptable_filter", "xt_set", "xt_conntrack", "xt_addrtype", "xt_comment", "xt_mark", "xt_nat",
          "xt_statistic", "xt_MASQUERADE", "xt_physdev", "xt_tcpudp", "ipt_REJECT", "nf_conntrack_netlink"]
NO_IPVS = "this kernel has no IPVS: load ip_vs (modprobe ip_vs) or use Mode=iptables"


def unload(module):
    """Namespaces that are gone hold theirs a moment longer."""
    deadline = time.monotonic() + 60
    while os.path.exists(f"/sys/module/{module}"):
        p = subprocess.run(["rmmod", module], capture_output=True, text=True)
        assert p.returncode == 0 or time.monotonic() < deadline, p.stderr
        time.sleep(0.1)


class Without:
    """These modules are not there, and nothing is loaded by itself until come() or the end."""

    def __init__(self, *modules):
        self.modules = modules

    def __enter__(self):
        subprocess.run(["modprobe", "-a", *OURS], check=True)
        for module in self.modules:
            unload(module)
        with open(LOADER) as f:
            self.before = f.read()
        with open(LOADER, "w") as f:
            f.write("/bin/false\n")
        return self

    def come(self):
        with open(LOADER, "w") as f:
            f.write(self.before)

    def __exit__(self, *_):
        self.come()


def state(d):
    return json.loads(d.ctl("status", "--json")[1])


def refuses(d, *words):
    """A reload fails for this reason, and status tells it."""
    status, _, err = d.ctl("reload")
    told = state(d)
    assert status == 1 and told["state"] == "failing", (status, err, told)
    for word in words:
        assert word in err and word in told["lastError"], (word, err, told["lastError"])


def recovers(r, d):
    """It tries again by itself, and all is good then."""
    r.wait("in sync again", lambda: state(d)["state"] == "ok")
    assert "in sync again after" in d.text(), d.text()


@contextlib.contextmanager
def running(r):
    """A daemon that need not become ready."""
    with hosts.Daemon(r.host, r.root) as d:
        r.wait("the control socket", lambda: d.ctl("status", "--json")[1])
        yield d


def ipv6_comes(t):
    with t.case("the module for IPv6 is loaded when there is none"), Router(alone=True) as r:
        if os.path.exists("/proc/net/if_inet6"):
            raise Skip("it is there already")
        r.write(["[2001:db8:1::11]:8080"], ip=VIP6)
        r.once()
        assert r.addresses() == [f"{VIP6}/128"], r.addresses()


def no_ipvs(t):
    with t.case("a kernel without IPVS"), Router(alone=True) as r, Without("xt_ipvs", "ip_vs_rr", "ip_vs") as missing:
        r.write(["10.1.0.11:8080"])
        with running(r) as d:
            refuses(d, NO_IPVS)
            assert not r.addresses() and not r.sets() and not r.rules(), r.everything()
            missing.come()
            recovers(r, d)
            assert r.reals() == {"10.1.0.11:8080": 1}


def no_scheduler(t):
    with t.case("a scheduler that the kernel lacks"), Router(alone=True) as r:
        r.write(["10.1.0.11:8080"])
        r.write(["10.1.0.11:8080"], name="other", ip="10.96.0.11", node_port=0)
        with r.start() as d:
            with Without("ip_vs_wlc"):
                r.write(["10.1.0.12:8080"], more='scheduler = "wlc"; ')
                r.write(["10.1.0.13:8080"], name="new", ip="10.96.0.12", node_port=0, more='scheduler = "wlc"; ')
                r.write(["10.1.0.14:8080"], name="other", ip="10.96.0.11", node_port=0)
                refuses(d, "scheduler 'wlc'", "modprobe ip_vs_wlc", "(default/", "and ")
                # the new one is not there, the changed one works as it did, another one changes
                assert r.addresses() == [f"{VIP}/32", "10.96.0.11/32"], r.addresses()
                assert "10.1.0.11:8080" in r.reals() or "10.1.0.12:8080" in r.reals(), r.servers()
                assert f"-A -t {VIP}:80 -s rr" in [line.rstrip() for line in r.servers()], r.servers()
                assert r.reals("10.96.0.11:80") == {"10.1.0.14:8080": 1}, r.servers()
            recovers(r, d)
            assert r.reals() == {"10.1.0.12:8080": 1} and r.reals("10.96.0.12:80") == {"10.1.0.13:8080": 1}, r.servers()
            assert f"-A -t {VIP}:80 -s wlc" in [line.rstrip() for line in r.servers()], r.servers()


def no_scheduler_for_the_mode(t):
    with t.case("Mode=ipvs with a scheduler that the kernel lacks: iptables mode's rules serve"), Router("iptables", alone=True) as r:
        r.write(["10.1.0.11:8080"])
        with r.start() as d:
            before = [line for line in r.rules() if "KUBE-S" in line and "KUBE-SERVICES" not in line]
            jump = [line for line in r.rules() if line.startswith("-A KUBE-SERVICES") and VIP in line]
            assert before and jump, r.rules()
            with Without("ip_vs_sed"):
                r.settings("ipvs", "[IPVS]\nScheduler=sed\n")
                refuses(d, "scheduler 'sed'", "modprobe ip_vs_sed")
                now = r.rules()
                assert all(line in now for line in before + jump), (before, jump, now)
            recovers(r, d)
            assert r.reals() == {"10.1.0.11:8080": 1}
            assert not [line for line in r.rules() if "KUBE-SEP" in line], r.rules()


def no_dummy(t):
    with t.case("a kernel without dummy links"), Router(alone=True) as r, Without("dummy") as missing:
        r.write(["10.1.0.11:8080"])
        with running(r) as d:
            refuses(d, "link kube-ipvs0 cannot be made", "modprobe dummy", "no address is bound")
            assert r.reals() == {"10.1.0.11:8080": 1}, r.servers()
            missing.come()
            recovers(r, d)
            assert r.addresses() == [f"{VIP}/32"], r.addresses()


def no_set_type(t):
    with t.case("a type of set that the kernel lacks"), Router(alone=True) as r, Without("ip_set_hash_ipportnet") as missing:
        r.write(["10.1.0.11:8080"])
        with running(r) as d:
            refuses(d, "set KUBE-LOAD-BALANCER-SOURCE-CIDR", "hash:ip,port,net", "modprobe ip_set_hash_ipportnet")
            assert not r.addresses(), "no address without its guard"
            missing.come()
            recovers(r, d)
            assert r.addresses() == [f"{VIP}/32"], r.addresses()


def no_match(t):
    with t.case("a match that the kernel lacks"), Router(alone=True) as r, Without("xt_set") as missing:
        r.write(["10.1.0.11:8080"])
        with running(r) as d:
            refuses(d, "Extension set", "load xt_set (modprobe xt_set)")
            assert not r.addresses(), "no address without its guard"
            missing.come()
            recovers(r, d)
            assert r.addresses() == [f"{VIP}/32"], r.addresses()
    with t.case("a match that only new rules need"), Router(alone=True) as r:
        r.write(["10.1.0.11:8080"])
        with r.start() as d, Without("xt_ipvs") as missing:
            before = r.rules()
            r.root.write("services.d/lb.cfg", balancer(1, 1))
            r.write(["10.1.0.12:8080"])
            refuses(d, "Extension ipvs", "load xt_ipvs (modprobe xt_ipvs)")
            assert r.rules() == before and r.reals() == {"10.1.0.12:8080": 1}, r.everything()
            assert r.addresses() == [f"{VIP}/32"], r.addresses()
            missing.come()
            recovers(r, d)
            assert "203.0.113.1/32" in r.addresses() and any("-m ipvs" in line for line in r.rules()), r.everything()


def no_permission(t):
    with t.case("without CAP_NET_ADMIN"), Router(alone=True) as r:
        r.write(["10.1.0.11:8080"])
        r.once()
        before = r.everything()
        r.write(["10.1.0.12:8080"])
        p = r.host.finish(["setpriv", "--bounding-set", "-net_admin", "--inh-caps", "-net_admin", SVCROUTED, "--root", r.root.path,
                           "--once"], env=r.environment())
        assert p.returncode == 1 and "CAP_NET_ADMIN is needed" in p.stderr, f"{p.returncode} {p.stderr}"
        assert r.everything() == before


def balancer(n_ranges, n_ports=66):
    ports = ", ".join(f'{{ name = "p{i}"; port = {1000 + i}; }}' for i in range(n_ports))
    ranges = ", ".join(f'"172.{16 + i // 256}.{i % 256}.0/24"' for i in range(n_ranges))
    return (f'services = ( {{ name = "lb"; type = "LoadBalancer"; clusterIP = "10.96.0.20"; loadBalancerIPs = [ "203.0.113.1" ];\n'
            f'  loadBalancerSourceRanges = [ {ranges} ]; ports = ( {ports} ); endpoints = [ "10.1.0.11" ]; }} );\n')


def full(t):
    name = "KUBE-LOAD-BALANCER-SOURCE-CIDR"
    with t.case("more entries than a set holds"), Router(alone=True) as r:
        def entries():
            # -t: to print them all takes that program half a minute
            return int(re.search(r"Number of entries: (\d+)", r.host.run(["ipset", "list", "-t", name]))[1])
        r.write(["10.1.0.11:8080"])
        r.root.write("services.d/lb.cfg", balancer(990))
        with r.start() as d:
            assert entries() == 66 * 990
            r.root.write("services.d/lb.cfg", balancer(1000))
            r.write(["10.1.0.12:8080"])
            refuses(d, f"set {name}", "66000 entries are wanted", "at most 65536")
            assert entries() == 65536
            r.host.run(["ipset", "test", name, "203.0.113.1,tcp:1065,172.19.221.0/24"])
            assert r.reals() == {"10.1.0.12:8080": 1}, r.servers()
            r.root.write("services.d/lb.cfg", balancer(980))
            d.reload()
            assert entries() == 66 * 980 and state(d)["state"] == "ok"


def link(t):
    with t.case("an address that is on another link"), Router(alone=True) as r:
        r.write(["10.1.0.11:8080"], more='externalIPs = [ "192.0.2.77" ]; ')
        r.host.ip("addr add 192.0.2.77/24 dev eth0")
        with r.start():
            assert r.addresses() == [f"{VIP}/32"], r.addresses()
            assert r.reals("192.0.2.77:80") == {"10.1.0.11:8080": 1}, r.servers()
            r.host.ip("addr del 192.0.2.77/24 dev eth0")
            r.wait("it is bound", lambda: r.addresses() == [f"{VIP}/32", "192.0.2.77/32"])
            r.host.ip("addr add 192.0.2.77/24 dev eth0")
            r.wait("it is not bound", lambda: r.addresses() == [f"{VIP}/32"])
            assert r.reals("192.0.2.77:80") == {"10.1.0.11:8080": 1}, r.servers()
    with t.case("a link of others with the name of ours"), Router(alone=True) as r:
        r.host.ip("link add kube-ipvs0 type veth peer name other", "addr add 198.51.100.9/32 dev kube-ipvs0")
        r.write(["10.1.0.11:8080"])
        with r.start():
            assert "not a dummy link" in r.ctl("status"), r.ctl("status")
            assert r.addresses() == [f"{VIP}/32", "198.51.100.9/32"], r.addresses()
        r.ctl("cleanup")
        assert r.addresses() == ["198.51.100.9/32"], r.addresses()
        assert "veth" in r.host.run(["ip", "-d", "link", "show", "kube-ipvs0"])
    with t.case("somebody deletes the link, and an address"), Router(alone=True) as r:
        r.write(["10.1.0.11:8080"])
        with r.start() as d:
            r.host.ip("link del kube-ipvs0")
            r.wait("it is there again", lambda: r.addresses() == [f"{VIP}/32"])
            r.host.ip(f"addr del {VIP}/32 dev kube-ipvs0")
            r.wait("it is bound again", lambda: r.addresses() == [f"{VIP}/32"])
            assert state(d)["state"] == "ok", state(d)


def record(t):
    with t.case("a damaged record of what is ours"), Router(alone=True) as r:
        r.write(["10.1.0.11:8080"])
        r.once()
        before = r.everything()
        path = f"{r.root.path}/var/lib/svcroute/owned"

        def ours():
            with open(path) as f:
                return [line for line in f if line.startswith(("server ", "address "))]
        with open(path) as f:
            text = f.read()
        recorded = ours()
        for broken in (text[:len(text) // 2], "", text.replace("10.96", "10.97")):
            with open(path, "w") as f:
                f.write(broken)
            said = r.once()
            assert "it is damaged" in said and r.everything() == before, said
            assert ours() == recorded, ours()
        with open(path, "w") as f:
            f.write("svcroute-owned 1.0\nserver tcp 192.0.2.1")
        assert "it is damaged" in r.ctl("cleanup")
        assert r.ctl("cleanup") == ""
        assert not r.addresses() and not r.sets(), r.everything()


def main():
    netns.unshare()
    subprocess.run(["modprobe", "-a", *ALWAYS], check=True)
    t = Tap()
    for part in (ipv6_comes, no_ipvs, no_scheduler, no_scheduler_for_the_mode, no_dummy, no_set_type, no_match, no_permission, full,
                 link, record):
        if not sys.argv[1:] or part.__name__ in sys.argv[1:]:
            part(t)
    t.done()


main()
