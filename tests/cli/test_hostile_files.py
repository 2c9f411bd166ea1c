# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are no configuration, in every place where one could be: an error for that file, no hang, no crash, and the
other files still count. Then the contract of the command: exit statuses, messages, masking, precedence, --json."""
import json
import os
import subprocess
import tempfile

import hosts
from tap import SVCROUTECTL, SVCROUTED, Skip, Tap

GOOD = 'services = ( { name = "web"; clusterIP = "10.96.0.10"; ports = ( { port = 80; } ); endpoints = [ "10.1.0.11:8080" ]; } );\n'


def ctl(*arguments, user=None, seconds=20):
    command = [SVCROUTECTL, *arguments]
    if user:
        command = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", *command]
    p = subprocess.run(command, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout, p.stderr


def fifo(path):
    os.mkfifo(path)


def directory(path):
    os.mkdir(path)


def huge(path):
    with open(path, "w") as f:
        f.truncate(1 << 30)


def loop(path):
    os.symlink(os.path.basename(path), path)


def dangling(path):
    os.symlink("/nowhere/at/all", path)


def device(path):
    os.symlink("/dev/zero", path)


def socket_file(path):
    import socket
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    s.close()


HOSTILE = [(fifo, "not a regular file"), (directory, "is a directory"), (huge, "larger than"), (loop, "circles"),
           (dangling, "link to nothing"), (device, "not a regular file"), (socket_file, "")]
PLACES = [("services.d", ".cfg"), ("endpoints.d", ".cfg"), ("svcroute.conf.d", ".conf")]


def hostile_file(make, reason, place, suffix):
    with hosts.Root() as root:
        root.write("services.d/web.cfg", GOOD)
        path = f"{root.etc}/{place}/x{suffix}"
        make(path)
        status, out, err = ctl("--root", root.path, "check")
        assert status == 3, f"status {status}: {out}{err}"
        lines = [line for line in err.splitlines() if "error:" in line]
        assert len(lines) == 1 and lines[0].startswith(f"{path}: error: ") and reason in lines[0], err


def without_permission():
    if os.geteuid() != 0:
        raise Skip("needs root, to become somebody else")
    with hosts.Root() as root:
        os.chmod(root.path, 0o755)
        root.write("services.d/web.cfg", GOOD)
        root.write("services.d/secret.cfg", GOOD)
        os.chmod(f"{root.etc}/services.d/secret.cfg", 0)
        status, out, err = ctl("--root", root.path, "check", user="65534")
        assert status == 3 and "secret.cfg: error: may not be read" in err, f"status {status}: {out}{err}"


def missing_etc():
    with tempfile.TemporaryDirectory() as path:
        status, out, err = ctl("--root", path, "check")
        assert status == 0, err
        assert "warning" in err and "is missing: the configuration is empty" in err, err
        assert ctl("--root", path, "check", "--strict")[0] == 3


def all_messages_at_once():
    with hosts.Root() as root:
        root.write("services.d/a.cfg", 'services = ( { name = "a"; clusterIP = "10.96.0.300"; prots = 3;\n'
                                       '  ports = ( { port = 70000; }, { port = "x"; } ); } );\n')
        root.write("services.d/b.cfg", "services = ( {\n  name = ;\n} );\n")
        root.write("svcroute.conf", "[Proxy]\nMod=iptables\nClusterCIDR=10.0.0.1/8\n")
        status, _, err = ctl("--root", root.path, "check")
        assert status == 3
        for text in (":1:40: error: services[0].clusterIP '10.96.0.300'", "services[0].prots", "did you mean 'ports'",
                     ":2:22: error: services[0].ports[0].port '70000'", "services[0].ports[1].port 'x'", "b.cfg:2",
                     "svcroute.conf:2", "did you mean 'Mode'", "svcroute.conf:3:13: error: Proxy.ClusterCIDR '10.0.0.1/8'"):
            assert text in err, f"{text!r} is missing in:\n{err}"
        status, out, err = ctl("--root", root.path, "check", "--json")
        found = json.loads(out)
        assert status == 3 and all(set(d) == {"file", "line", "column", "severity", "object", "field", "value", "reason",
                                              "hint"} for d in found), out
        assert [d for d in found if d["field"] == "services[0].clusterIP" and d["line"] == 1 and d["column"] == 40], out


def clash_of_two_files():
    with hosts.Root() as root:
        root.write("services.d/a.cfg", GOOD)
        root.write("services.d/b.cfg", GOOD.replace('"web"', '"other"'))
        status, _, err = ctl("--root", root.path, "check")
        assert status == 3 and "b.cfg:1" in err and "a.cfg:1" in err and "default/web" in err, err
        root.write("services.d/b.cfg", GOOD.replace("10.96.0.10", "10.96.0.11"))
        status, _, err = ctl("--root", root.path, "check")
        assert status == 3 and "defined twice" in err, err


def precedence_and_masks():
    with hosts.Root() as root:
        for place, ip in (("usr/lib", 1), ("run", 2), ("etc", 3)):
            os.makedirs(f"{root.path}/{place}/svcroute/services.d", exist_ok=True)
            with open(f"{root.path}/{place}/svcroute/services.d/web.cfg", "w") as f:
                f.write(GOOD.replace("10.96.0.10", f"10.96.0.{ip}"))

        def cluster_ips():
            status, out, err = ctl("--root", root.path, "render", "--addresses", "")
            assert status == 0, err
            return sorted({f"10.96.0.{n}" for n in (1, 2, 3) if f"-d 10.96.0.{n} " in out})
        assert cluster_ips() == ["10.96.0.3"]
        os.unlink(f"{root.etc}/services.d/web.cfg")
        assert cluster_ips() == ["10.96.0.2"]
        os.symlink("/dev/null", f"{root.etc}/services.d/web.cfg")
        assert cluster_ips() == [], "a link to /dev/null masks"
        os.unlink(f"{root.etc}/services.d/web.cfg")
        open(f"{root.etc}/services.d/web.cfg", "w").close()
        assert cluster_ips() == [], "an empty file masks"
        # DIR stands for all three places
        status, out, _ = ctl("render", f"{root.path}/usr/lib/svcroute", "--addresses", "")
        assert status == 0 and "-d 10.96.0.1 " in out


def wrong_suffix():
    with hosts.Root() as root:
        root.write("services.d/a.conf", GOOD)
        root.write("svcroute.conf.d/b.cfg", "[Proxy]\n")
        root.write("services.d/.hidden.cfg", "not a configuration")
        root.write("services.d/a.cfg~", "not a configuration")
        status, _, err = ctl("--root", root.path, "check")
        assert status == 3 and "a.conf" in err and "b.cfg" in err and "hidden" not in err and "cfg~" not in err, err


def mode_not_built():
    with hosts.Root("[Proxy]\nMode=nftables\n") as root:
        root.write("services.d/web.cfg", GOOD)
        for arguments in (("check",), ("render",)):
            status, _, err = ctl("--root", root.path, *arguments)
            assert status == 3 and "mode not in this build" in err and "svcroute.conf:2" in err, f"{status} {err}"
        p = subprocess.run([SVCROUTED, "--root", root.path, "--once"], capture_output=True, text=True, timeout=20)
        assert p.returncode == 3 and "mode not in this build" in p.stderr, f"{p.returncode} {p.stderr}"
    with hosts.Root() as root:
        assert ctl("--root", root.path, "render", "--mode", "nftables")[0] == 3


def once_with_a_bad_file():
    """--once has no last good content: it changes nothing and says why."""
    if os.geteuid() != 0:
        raise Skip("needs root (network namespaces)")
    host = hosts.Host("router")
    try:
        with hosts.Root() as root:
            root.write("services.d/web.cfg", GOOD)
            root.write("services.d/bad.cfg", "services = ( { } );")
            p = host.popen([SVCROUTED, "--root", root.path, "--once"], stderr=subprocess.PIPE, text=True)
            _, err = p.communicate(timeout=20)
            assert p.returncode == 3 and "bad.cfg:1" in err, f"{p.returncode} {err}"
            assert "KUBE" not in host.save("v4", "nft") + host.save("v4", "legacy")
    finally:
        host.close()


def usage():
    assert ctl("nonsense")[0] == 2
    assert "did you mean 'status'" in ctl("statsu")[2]
    assert ctl("check", "--family", "ipv4")[0] == 2
    assert ctl("check", "a", "b")[0] == 2
    assert ctl("--help")[0] == 0 and "reload" in ctl("--help")[1]
    with tempfile.TemporaryDirectory() as path:
        for command in ("status", "services", "endpoints", "reload", "resync", None):
            arguments = ["--root", path] + ([command] if command else [])
            assert ctl(*arguments)[0] == 4, command


def same_bytes():
    with hosts.Root("[Proxy]\nClusterCIDR=10.1.0.0/16\n") as root:
        for n in range(40):
            root.write(f"services.d/{n * 7 % 40}.cfg", GOOD.replace('"web"', f'"s{n}"').replace("10.96.0.10", f"10.96.0.{n + 1}"))
        texts = {ctl("--root", root.path, "render", "--addresses", "192.0.2.10")[1] for _ in range(3)}
        assert len(texts) == 1 and "KUBE-SVC-" in texts.pop()
        plain = ctl("--root", root.path, "render", "--no-nfacct", "--addresses", "")[1]
        assert "nfacct" not in plain
        assert json.loads(ctl("--root", root.path, "--json", "render", "--family", "ipv6", "--addresses", "")[1])["family"] == "ipv6"


def render_follows_the_host():
    """Without --addresses what is printed is what the daemon would write here."""
    if os.geteuid() != 0:
        raise Skip("needs root (network namespaces)")
    host = hosts.Host("router")
    try:
        with hosts.Root() as root:
            root.write("services.d/web.cfg", GOOD)
            render = [SVCROUTECTL, "--root", root.path, "render"]
            assert "INVALID" in host.run(render)
            with host.inside(), open("/proc/sys/net/netfilter/nf_conntrack_tcp_be_liberal", "w") as f:
                f.write("1")
            assert "INVALID" not in host.run(render)
            assert "INVALID" in host.run(render + ["--addresses", ""])
    finally:
        host.close()


def main():
    t = Tap()
    for make, reason in HOSTILE:
        for place, suffix in PLACES:
            with t.case(f"{make.__name__} as a file of {place}"):
                hostile_file(make, reason, place, suffix)
    for test in (without_permission, missing_etc, all_messages_at_once, clash_of_two_files, precedence_and_masks, wrong_suffix,
                 mode_not_built, once_with_a_bad_file, usage, same_bytes, render_follows_the_host):
        with t.case(test.__name__.replace("_", " ")):
            test()
    t.done()


main()
