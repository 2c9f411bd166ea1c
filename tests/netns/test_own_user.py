# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 200
# weight: 20
"""The daemon as its unit runs it: a user of its own with three capabilities, and files that belong to root."""
import os
import re
import shutil

import hosts
from tap import SVCROUTECTL, SVCROUTED, Tap, need_root

USER = 65534
# CAP_NET_ADMIN, CAP_NET_RAW, CAP_LEASE
CAPABILITIES = 1 << 12 | 1 << 13 | 1 << 28
SETTINGS = ("[Proxy]\nClusterCIDR=10.1.0.0/16\nNodePortAddresses=all\n[IPTables]\nBackend=nft\nLocalhostNodePorts={}\n"
            "[Sync]\nMinSyncPeriod=0\n")
SERVICE = ('services = ( {{ name = "a"; type = "NodePort"; clusterIP = "10.96.0.1"; ports = ( {{ port = 80; nodePort = 30080; }} );\n'
           '  endpoints = [ "10.1.0.{}:8080" ]; }} );\n')


def wrap(root, program, lease):
    """A script that runs a copy of it: the build's folder may be closed for others."""
    os.makedirs(f"{root.path}/bin", exist_ok=True)
    name = os.path.basename(program)
    shutil.copy(program, f"{root.path}/bin/{name}")
    with open(f"{root.path}/bin/as-user-{name}", "w") as f:
        f.write("#!/bin/sh\nexec setpriv --reuid {0} --regid {0} --clear-groups --no-new-privs --inh-caps {1} --ambient-caps {1} "
                '--bounding-set {1} {2}/bin/{3} "$@"\n'.format(USER, "-all,+net_admin,+net_raw" + (",+lease" if lease else ""), root.path, name))
    for path in (f"{root.path}/bin/{name}", f"{root.path}/bin/as-user-{name}"):
        os.chmod(path, 0o755)
    return f"{root.path}/bin/as-user-{name}"


class Daemon(hosts.Daemon):
    def __init__(self, host, root, lease=True):
        os.umask(0o022)
        os.chmod(root.path, 0o755)
        for d in ("run/svcroute", "var/lib/svcroute"):
            os.makedirs(f"{root.path}/{d}", exist_ok=True)
            os.chown(f"{root.path}/{d}", USER, USER)
        hosts.SVCROUTED, hosts.SVCROUTECTL = wrap(root, SVCROUTED, lease), wrap(root, SVCROUTECTL, lease)
        super().__init__(host, root)
        os.chmod(f"{root.path}/notify", 0o666)


def nat(host):
    return host.save("v4", "nft", "nat")


def privileges(host, root, daemon):
    with open(f"/proc/{daemon.process.pid}/status") as f:
        status = dict(re.findall(r"^(\w+):\s+(.*)$", f.read(), re.M))
    assert status["Uid"].split() == [str(USER)] * 4, status["Uid"]
    for which in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[which], 16) == CAPABILITIES, f"{which}: {status[which]}"


def first_sync(host, root, daemon):
    assert "10.1.0.1:8080" in nat(host), nat(host)
    assert os.stat(f"{root.path}/run/svcroute/control.sock").st_mode & 0o777 == 0o660


def reload_at_once(host, root, daemon):
    """Nobody is told that somebody writes the file."""
    for i in range(2, 12):
        root.write("services.d/a.cfg", SERVICE.format(i))
        status, out, err = daemon.ctl("reload")
        assert status == 0, f"{i}: {out}{err}"
        assert f"10.1.0.{i}:8080" in nat(host), f"{i}: reload is back, and the rule is not there"
    root.write("services.d/a.cfg", "")
    status, out, err = daemon.ctl("reload")
    assert status == 0 and "KUBE-SVC" not in nat(host), f"{status}: {out}{err}"
    assert "is open for writing" not in daemon.text()


def changes_by_themselves(host, root, daemon):
    root.write("services.d/a.cfg", SERVICE.format(20))
    before = len(daemon.messages)
    while "10.1.0.20:8080" not in nat(host):
        daemon.wait_for("STATUS", since=before)
        before = len(daemon.read_notify(0.1))


def refused(host, root, daemon):
    root.write("services.d/a.cfg", SERVICE.format(20).replace("30080", "300800"))
    status, _, err = daemon.ctl("reload")
    assert status == 3 and "300800" in err, f"{status}: {err}"
    root.write("services.d/a.cfg", SERVICE.format(21))
    root.write("services.d/closed.cfg", SERVICE.format(22))
    os.chmod(f"{root.etc}/services.d/closed.cfg", 0o600)
    status, _, err = daemon.ctl("reload")
    assert status == 3 and "closed.cfg: error: may not be read" in err, f"{status}: {err}"
    root.remove("services.d/closed.cfg")
    daemon.reload()
    assert "10.1.0.21:8080" in nat(host)


def sysctls(host, root, daemon):
    def now():
        return host.run(["cat", "/proc/sys/net/ipv4/conf/all/route_localnet"]).strip()
    assert now() == "0"
    root.write("svcroute.conf", SETTINGS.format("yes"))
    daemon.reload()
    assert now() == "1"


def restart(host, root, daemon):
    """With a broken file: the last good state was kept."""
    assert daemon.stop() == 0
    assert "10.1.0.21:8080" in nat(host)
    assert os.listdir(f"{root.path}/var/lib/svcroute/accepted")
    root.write("services.d/a.cfg", "services = (")
    with Daemon(host, root) as again:
        again.ready()
        assert "10.1.0.21:8080" in nat(host)
        assert again.stop() == 0
    root.write("services.d/a.cfg", SERVICE.format(21))


def command(host, root, daemon):
    """svcroutectl sysctls, as root, from files alone."""
    def now():
        return host.run(["cat", "/proc/sys/net/ipv4/conf/all/route_localnet"]).strip()
    host.run(["sh", "-c", "echo 0 >/proc/sys/net/ipv4/conf/all/route_localnet"])
    p = host.finish([SVCROUTECTL, "--root", root.path, "sysctls"])
    assert (p.returncode, p.stdout, now()) == (0, "net/ipv4/conf/all/route_localnet = 1\n", "1"), p
    p = host.finish([SVCROUTECTL, "--root", root.path, "sysctls"])
    assert (p.returncode, p.stdout) == (0, ""), p
    p = host.finish([SVCROUTECTL, "--root", root.path, "--json", "sysctls"])
    assert '"changed": false' in p.stdout and "route_localnet" in p.stdout, p
    # what a refused file seems to leave to the default is not done
    host.run(["sh", "-c", "echo 0 >/proc/sys/net/ipv4/conf/all/route_localnet"])
    root.write("svcroute.conf", SETTINGS.format("yes") + "[IPTables]\nNonsense=1\n")
    p = host.finish([SVCROUTECTL, "--root", root.path, "sysctls"])
    assert p.returncode == 3 and "Nonsense" in p.stderr and now() == "0", p
    root.write("svcroute.conf", SETTINGS.format("no"))
    p = host.finish([SVCROUTECTL, "--root", root.path, "sysctls"])
    assert (p.returncode, now()) == (0, "0"), p


def without_leases(host, root, daemon):
    """Files on a network file system: who asks waits until his change is old enough to be believed."""
    with Daemon(host, root, lease=False) as daemon:
        daemon.ready()
        for i in (30, 31, 32):
            root.write("services.d/a.cfg", SERVICE.format(i))
            status, out, err = daemon.ctl("reload")
            assert status == 0 and f"10.1.0.{i}:8080" in nat(host), f"{i}: {status}: {out}{err}"
        root.write("services.d/a.cfg", "")
        status, out, err = daemon.ctl("reload")
        assert status == 0 and "KUBE-SVC" not in nat(host), f"{status}: {out}{err}"
        assert daemon.stop() == 0


def main():
    need_root()
    tap = Tap()
    with hosts.Root(SETTINGS.format("no")) as root:
        host = hosts.Host("own-user")
        root.write("services.d/a.cfg", SERVICE.format(1))
        daemon = Daemon(host, root)
        try:
            daemon.ready()
            for test, what in ((privileges, "three capabilities and nothing else"), (first_sync, "the first sync"),
                               (reload_at_once, "a reload right behind the change"),
                               (changes_by_themselves, "a change without a reload"), (refused, "files that are refused"),
                               (sysctls, "sysctls"), (restart, "a restart with a broken file"),
                               (command, "sysctls by the command"), (without_leases, "without leases")):
                with tap.case(what):
                    test(host, root, daemon)
        finally:
            if daemon.process.poll() is None:
                daemon.stop()
            host.close()
    tap.done()


main()
