# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 90
"""The daemon in ipvs mode against a real kernel: what it makes, what it leaves alone, draining, restarts, both ways of
changing the mode, clean-up."""
import json
import os
import re
import subprocess
import sys
import time

import hosts
import netns
from echo import Listener, ask, connection, say
from router import VIP, VIP6, Router, service
from tap import SOURCE, Tap

Router.variant = globals().get("VARIANT", "legacy")  # tests/vm has another
FOREIGN = ["-A -t 192.0.2.10:9999 -s wrr", "-a -t 192.0.2.10:9999 -r 10.9.0.1:9999 -g -w 7", "-A -f 77 -s rr"]


def first_start(t):
    with t.case("a first start makes all, and another one changes nothing"), Router() as r:
        r.write(["10.1.0.11:8080", "10.1.0.12:8080"])
        r.write(["[2001:db8:1::11]:8080"], name="six", ip=VIP6, node_port=30081)
        r.once()
        assert r.reals() == {"10.1.0.11:8080": 1, "10.1.0.12:8080": 1}, r.servers()
        assert r.reals("192.0.2.10:30080") == r.reals(), r.servers()
        assert r.reals(f"[{VIP6}]:80") == {"[2001:db8:1::11]:8080": 1}, r.servers()
        assert r.addresses() == [f"{VIP}/32", f"{VIP6}/128"], r.addresses()
        link = r.host.run(["ip", "-d", "link", "show", "kube-ipvs0"])
        assert "state DOWN" in link and " dummy " in link and "qlen" not in link, link
        assert len([s for s in r.sets() if s.startswith("create")]) == 34, r.sets()
        assert f"add KUBE-CLUSTER-IP {VIP},tcp:80" in r.sets()
        assert r.host.run(["sysctl", "-n", "net.ipv4.vs.conntrack"]) == "1\n"
        before = r.everything()
        r.quiet()
        assert r.everything() == before
        # what was changed by hand is put right: weights, rules, entries, addresses, servers
        r.host.run(["ipvsadm", "-e", "-t", f"{VIP}:80", "-r", "10.1.0.11:8080", "-m", "-w", "0"])
        r.host.run(["ipvsadm", "-d", "-t", f"{VIP}:80", "-r", "10.1.0.12:8080"])
        r.host.run(["ipvsadm", "-D", "-t", "192.0.2.10:30080"])
        r.host.run(["ipvsadm", "-E", "-t", "10.1.0.1:30080", "-s", "lc"])
        r.host.run(["iptables", "-F", "KUBE-IPVS-FILTER"])
        r.host.run(["iptables", "-t", "nat", "-D", "PREROUTING", "1"])
        r.host.run(["ipset", "del", "KUBE-IPVS-IPS", VIP])
        r.host.run(["ipset", "add", "KUBE-IPVS-IPS", "10.96.0.99"])
        r.host.ip(f"addr del {VIP}/32 dev kube-ipvs0")
        assert r.everything() != before
        r.once()
        after = r.everything()
        assert (after[0], after[1], after[2], sorted(after[3])) == (before[0], before[1], before[2], sorted(before[3]))
        r.quiet()


def ownership(t):
    with t.case("what others made is left alone"), Router(more="[IPVS]\nExcludeCIDRs=198.51.100.0/24\n") as r:
        r.write(["10.1.0.11:8080"])
        feed(r, FOREIGN + [f"-A -t {VIP}:80 -s lc", "-A -t 198.51.100.7:80 -s rr"])
        r.host.ip("link add kube-ipvs0 type dummy", "addr add 10.9.9.10/24 dev kube-ipvs0", "addr add 10.9.9.9/32 dev kube-ipvs0")
        # what a kube-proxy left: an address with a virtual server
        r.host.ip("addr add 10.96.7.7/32 dev kube-ipvs0")
        feed(r, ["-A -t 10.96.7.7:80 -s rr"])
        r.once()
        lines = [line.rstrip() for line in r.servers()]
        for line in [*FOREIGN, "-A -t 198.51.100.7:80 -s rr"]:
            assert line in lines, (line, lines)
        assert f"-A -t {VIP}:80 -s rr" in lines, lines  # taken over
        assert not any("10.96.7.7" in line for line in lines), lines
        assert r.addresses() == ["10.9.9.10/24", "10.9.9.9/32", f"{VIP}/32"], r.addresses()
        r.quiet()
        # ours go, theirs stay
        r.root.remove("services.d/web.cfg")
        r.once()
        lines = [line.rstrip() for line in r.servers()]
        assert sorted(lines) == sorted([*FOREIGN, "-A -t 198.51.100.7:80 -s rr"]), lines
        assert r.addresses() == ["10.9.9.10/24", "10.9.9.9/32"], r.addresses()
        r.write(["10.1.0.11:8080"])
        r.once()
        r.ctl("cleanup")
        lines = [line.rstrip() for line in r.servers()]
        assert sorted(lines) == sorted([*FOREIGN, "-A -t 198.51.100.7:80 -s rr"]), lines
        assert r.addresses() == ["10.9.9.10/24", "10.9.9.9/32"], r.addresses()


def feed(r, lines):
    with r.host.inside():
        subprocess.run(["ipvsadm", "-R"], input="\n".join(lines) + "\n", text=True, check=True, timeout=60)


def clean(t):
    for how in ("command", "script", "script, without nfacct, ipset and ipvsadm"):
        with t.case(f"clean-up by {how}"), Router() as r:
            before = r.everything()[0], r.everything()[2:]
            sysctls = ["net.ipv4.vs.conntrack", "net.ipv4.vs.expire_nodest_conn", "net.ipv4.ip_forward"]
            r.host.run(["sysctl", "-w", "net.ipv4.ip_forward=0"])
            values = r.host.run(["sysctl", *sysctls])
            r.write(["10.1.0.11:8080"])
            r.write(["[2001:db8:1::11]:8080"], name="six", ip=VIP6, node_port=30081, protocol="UDP")
            r.once()
            for _ in range(2):
                if how == "command":
                    r.ctl("cleanup")
                else:
                    script = r.ctl("cleanup", "--print-script")
                    without = 'command() { case $2 in nfacct | ipset | ipvsadm*) return 1 ;; *) return 0 ;; esac; }\n'
                    p = r.host.finish(["sh", "-c", (without if "without" in how else "") + script], env=r.environment())
                    assert (p.returncode, p.stderr) == (0, ""), f"{p.returncode} {p.stderr}"
                assert (r.everything()[0], r.everything()[2:]) == before, r.everything()
                assert r.host.finish(["ip", "link", "show", "kube-ipvs0"]).returncode == 1
                assert r.host.run(["sysctl", *sysctls]) == values


def draining(t):
    with Router() as r:
        n = r.network
        Listener(n, n.pod_a, "10.1.0.11")
        Listener(n, n.pod_b, "10.1.0.12")
        n.settle()
        r.write(["10.1.0.11:8080", "10.1.0.12:8080"])
        with r.start() as d:
            with t.case("connections are shared out"):
                got = [ask(n.client, VIP, 80) for _ in range(4)]
                assert sorted(set(got)) == ["10.1.0.11", "10.1.0.12"] and got.count("10.1.0.11") == 2, got
                assert ask(n.client, "192.0.2.10", 30080) in got
            with t.case("an endpoint with a connection drains, one without goes at once"):
                with connection(n.client, VIP, 80) as s:
                    who = say(s)
                    other = "10.1.0.12" if who == "10.1.0.11" else "10.1.0.11"
                    r.write([f"{other}:8080"])
                    d.reload()
                    assert r.reals() == {f"{who}:8080": 0, f"{other}:8080": 1}, r.reals()
                    assert {ask(n.client, VIP, 80) for _ in range(3)} == {other}
                    assert say(s) == who
                    # it comes back, and keeps its connection
                    r.write([f"{who}:8080", f"{other}:8080"])
                    d.reload()
                    assert r.reals() == {f"{who}:8080": 1, f"{other}:8080": 1}, r.reals()
                    assert say(s) == who
                    assert {ask(n.client, VIP, 80) for _ in range(4)} == {who, other}
                    # again; and the daemon is started anew meanwhile
                    r.write([f"{other}:8080"])
                    d.reload()
                    assert r.reals() == {f"{who}:8080": 0, f"{other}:8080": 1}, r.reals()
            with t.case("a new daemon goes on with what drains"):
                with connection(n.client, VIP, 80) as s:
                    who = say(s)
                    assert r.reals()[f"{who}:8080"] == 1
                    other = "10.1.0.12" if who == "10.1.0.11" else "10.1.0.11"
                    r.write([f"{other}:8080"])
                    d.reload()
                    assert r.reals()[f"{who}:8080"] == 0, r.reals()
                    d.stop()
                    with r.start():
                        assert r.reals()[f"{who}:8080"] == 0 and say(s) == who
        with r.start():
            # the counters of closed connections are kept up to two minutes, and looked at each minute
            with t.case("a drained endpoint goes by itself"):
                r.wait("the drained one is gone", lambda: r.reals() == {f"{other}:8080": 1}, 240)
        with t.case("an endpoint that was draining while nobody ran gets its weight back"):
            r.host.run(["ipvsadm", "-e", "-t", f"{VIP}:80", "-r", f"{other}:8080", "-m", "-w", "0"])
            r.once()
            assert r.reals() == {f"{other}:8080": 1}, r.reals()


def left(rules):
    """Chains that only iptables mode has, and jumps to them."""
    return [line for line in rules if re.search(r"KUBE-(SEP|SVC|EXTERNAL-SERVICES|NODEPORTS|PROXY-CANARY|FIREWALL)\b", line)]


class Talk:
    """Open connections and new ones while something is changed; see talk.py. check() after the with statement."""

    def __init__(self, host, *arguments):
        self.process = host.popen([sys.executable, f"{SOURCE}/tests/lib/talk.py", *arguments], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        assert self.process.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_):
        try:
            self.said = json.loads(self.process.communicate("", 120)[0] or "null")
        finally:
            hosts.end(self.process)

    def check(self):
        said = self.said
        print("# note: {exchanges} exchanges on open connections, the longest took {longest_open} s; {made} new connections, "
              "{longest_new} s; on one beside the service: {longest_direct} s".format_map(said), flush=True)
        assert not said["errors"], said
        # one packet sent again: after 1 s when it was the first, after less when it was a later one
        assert max(said["longest_open"], said["longest_new"]) < 3.5 + said["longest_direct"], said


def modes(t):
    with Router("iptables") as r:
        n = r.network
        Listener(n, n.pod_a, "10.1.0.11")
        Listener(n, n.pod_b, "10.1.0.12")
        n.settle()
        r.write(["10.1.0.11:8080", "10.1.0.12:8080"])
        with r.start() as d:
            iptables = sorted(r.rules())
            assert ask(n.client, VIP, 80)
            with connection(n.client, VIP, 80) as early:
                who = say(early)
                with t.case("iptables, ipvs and iptables again: no connection is lost"):
                    talk = Talk(n.client, VIP, "80", "10.1.0.11", "8080")
                    with talk:
                        for mode in ("ipvs", "iptables", "ipvs"):
                            r.settings(mode)
                            d.reload()
                            time.sleep(1)  # so that all of them talk in this mode, too
                    talk.check()
                with t.case("changed there and back at once"):
                    for mode in ("iptables", "ipvs") * 2:
                        r.settings(mode)
                        d.reload()
                with t.case("from iptables to ipvs"):
                    assert say(early) == who, "a connection from before"
                    assert {ask(n.client, VIP, 80) for _ in range(4)} == {"10.1.0.11", "10.1.0.12"}
                    assert not left(r.rules()), left(r.rules())
                    said = r.ctl("status")
                    assert "ipvs" in said, said
                with connection(n.client, VIP, 80) as late:
                    who_late = say(late)
                    with t.case("and back, connections stay"):
                        r.settings("iptables")
                        d.reload()
                        r.wait("virtual servers get no new connections", lambda: set(r.reals().values()) <= {0})
                        assert say(early) == who and say(late) == who_late
                        assert ask(n.client, VIP, 80) in ("10.1.0.11", "10.1.0.12")
                        assert any("KUBE-SEP" in line for line in r.rules())
                        assert say(late) == who_late
                with t.case("what ipvs mode left goes when its connections have ended"):
                    r.wait("all of it is gone", lambda: not r.servers() and not r.sets() and not r.addresses(), 300)
                    r.wait("the rules too", lambda: sorted(r.rules()) == iptables)
                    assert say(early) == who
    with t.case("ipvs mode finds what iptables mode left while nobody ran"), Router("iptables") as r:
        r.write(["10.1.0.11:8080"])
        r.once()
        r.settings("ipvs")
        r.once()
        assert not left(r.rules()), left(r.rules())
        r.quiet()
        r.settings("iptables")
        r.once()
        assert not r.servers() and not r.sets() and not r.addresses(), r.everything()
        assert not [line for line in r.rules() if "IPVS" in line], r.rules()


def failures(t):
    with t.case("a scheduler that the kernel lacks, and what works all the same"), Router() as r:
        r.host.run(["sh", "-c", "! lsmod | grep -q ip_vs_twos"])
        r.write(["10.1.0.11:8080"])
        r.write(["10.1.0.11:8080"], name="odd", ip="10.96.0.11", node_port=0, more='scheduler = "twos"; ')
        said = r.once(1)
        assert "10.96.0.11:80" in said and "scheduler 'twos'" in said and "modprobe ip_vs_twos" in said, said
        assert r.reals() == {"10.1.0.11:8080": 1}
        assert r.addresses() == [f"{VIP}/32"], r.addresses()
    with t.case("a set of ours with another type"), Router() as r:
        r.host.run(["ipset", "create", "KUBE-CLUSTER-IP", "hash:net"])
        r.write(["10.1.0.11:8080"])
        said = r.once(1)
        assert "KUBE-CLUSTER-IP" in said and "ipset destroy KUBE-CLUSTER-IP" in said, said
        assert not r.addresses(), "no address without its guard"
        r.host.run(["ipset", "destroy", "KUBE-CLUSTER-IP"])
        r.once()
        assert r.addresses() == [f"{VIP}/32"]
    with t.case("a set of ours with other options is replaced while rules use it"), Router() as r:
        r.write(["10.1.0.11:8080"])
        r.once()
        before = r.everything()
        r.host.run(["ipset", "create", "other", "hash:ip,port", "maxelem", "99", "timeout", "0"])
        r.host.run(["ipset", "swap", "other", "KUBE-CLUSTER-IP"])
        r.host.run(["ipset", "destroy", "other"])
        assert r.everything() != before
        r.once()
        assert r.everything() == before
        r.quiet()
    with t.case("a state directory that cannot be written is a warning"), Router() as r:
        os.makedirs(f"{r.root.path}/var/lib")
        r.root.write("services.d/web.cfg", service(["10.1.0.11:8080"]))
        with open(f"{r.root.path}/var/lib/svcroute", "w"):
            pass
        with r.start():
            assert r.reals() == {"10.1.0.11:8080": 1}
            assert "cannot be recorded" in r.ctl("status"), r.ctl("status")


def main():
    netns.unshare()
    subprocess.run(["modprobe", "-a", "ipv6", "bridge", "veth"], check=True)
    t = Tap()
    for part in (first_start, ownership, clean, failures, draining, modes):
        if not sys.argv[1:] or part.__name__ in sys.argv[1:]:
            part(t)
    t.done()


main()
