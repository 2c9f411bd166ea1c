# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine that the package is tested on, as root: a client and pods in network namespaces, services, traffic. What
works with legacy and with nft iptables; which one the machine uses is its own matter."""
import contextlib
import glob
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "lib"))
import netns  # noqa: E402 (it is found by the line above)

ETC = "/etc/svcroute"
STATE = "/var/lib/svcroute"
TRAFFIC = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "traffic.py")]
HOST, CLIENT, NETWORK = "192.0.2.1", "192.0.2.2", "10.233.64.0/18"
PODS = ["10.233.74.106", "10.233.74.107", "10.233.74.108"]
NGINX, NODE_PORT = "10.233.54.175", 32594
ECHO = "10.233.54.176"
RATE = float(os.environ.get("SVCROUTE_RATE") or 250)  # less for a machine that is busy with other things


def run(*command, status=0, seconds=1500, **more):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds,
                       env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"), **{"stdin": subprocess.DEVNULL, **more})
    assert status is None or p.returncode == status, f"{' '.join(command)}: status {p.returncode}\n{p.stdout[-3000:]}"
    return p.stdout


def wait_until(condition, what, seconds=600):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.1)
    return found


def apt(*arguments):
    return run("apt-get", "-qy", "--no-install-recommends", "--allow-downgrades", *arguments)


def installed():
    """The version, or None."""
    words = run("dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", "svcroute", status=None).split()
    return words[1] if words[0] == "installed" else None


def versions():
    """What apt knows, newest first."""
    lines = run("apt-cache", "madison", "svcroute").splitlines()
    return list(dict.fromkeys(line.split("|")[1].strip() for line in lines if "|" in line))


def unit(name):
    return run("systemctl", "show", "-P", name, "svcroute.service").strip()


def service(name, address, port, endpoints, node_port=None):
    kind, node = ('type = "NodePort"; ', f" nodePort = {node_port};") if node_port else ("", "")
    targets = ", ".join(f'"{e}:{port}"' for e in endpoints)
    return (f'services = (\n  {{ name = "default/{name}"; {kind}clusterIP = "{address}";\n'
            f'    ports = ( {{ name = "tcp-{port}"; port = {port};{node} }} );\n    endpoints = [ {targets} ]; }}\n);\n')


def write(path, text):
    """As the manual says that it should be done."""
    os.makedirs(os.path.dirname(f"{ETC}/{path}"), exist_ok=True)
    with open(f"{ETC}/.new", "wb" if isinstance(text, bytes) else "w") as f:
        f.write(text)
    os.rename(f"{ETC}/.new", f"{ETC}/{path}")


def write_settings():
    write("svcroute.conf.d/50-cluster.conf", f"[Proxy]\nClusterCIDR={NETWORK}\n")


def write_services():
    """The README's, and one for connections that stay."""
    write_settings()
    write("services.d/nginx.cfg", service("nginx", NGINX, 80, PODS[:1], NODE_PORT))
    write("services.d/echo.cfg", service("echo", ECHO, 81, PODS[1:2]))


def rules():
    """What the kernel has, in both families, without counters."""
    text = "".join(run(program) for program in ("iptables-save", "ip6tables-save"))
    return [re.sub(r"\[\d+:\d+\]", "", line) for line in text.splitlines() if not line.startswith("#")]


def our_rules():
    return [line for line in rules() if "KUBE-" in line]


def counters():
    return [name for name in re.findall(r"=\s*([^\s;]+);", run("nfacct", "list", status=None))
            if name in ("ct_state_invalid_dropped_pkts", "localhost_nps_accepted_pkts")]


def virtual_servers():
    with contextlib.suppress(FileNotFoundError), open("/proc/net/ip_vs") as f:
        return f.read().splitlines()[3:]
    return []


def drop_rules():
    """As after a boot: the rules of others alone."""
    for family in ("iptables", "ip6tables"):
        text = run(f"{family}-save")
        run(f"{family}-restore", "-w", stdin=_file("".join(f"{x}\n" for x in text.splitlines() if "KUBE-" not in x)))
    assert not our_rules(), our_rules()


def load_rules(family, path):
    """Adds what a file of tests/golden says: it has neither policies nor COMMIT."""
    with open(path) as f:
        text = re.sub(r"^(:\S+)$", r"\1 - [0:0]", f.read(), flags=re.M)
    text = "".join(f"{table.strip()}\nCOMMIT\n" for table in re.split(r"^(?=\*)", text, flags=re.M) if table.strip())
    run(f"{family}-restore", "-w", "--noflush", stdin=_file(text))


def _file(text):
    f = tempfile.TemporaryFile("w+")
    f.write(text)
    f.seek(0)
    return f


def make_network():
    """A router: the client on one side, the pods on the other. To services there is no other way than their rules."""
    run("ip", "netns", "attach", "host", str(os.getpid()))
    for name, device, host, peer in (("client", "lan", f"{HOST}/24", [f"{CLIENT}/24"]),
                                     ("pods", "cluster", "10.233.64.1/18", [f"{p}/18" for p in PODS])):
        run("ip", "netns", "add", name)
        run("ip", "link", "add", device, "type", "veth", "peer", "name", "eth0", "netns", name)
        netns.ip_batch([f"addr add {host} dev {device}", f"link set {device} up"])
        netns.ip_batch(["link set lo up", "link set eth0 up", *(f"addr add {a} dev eth0" for a in peer),
                        f"route add default via {host.split('/')[0]}"], netns=name)
    netns.ip_batch(["route replace default via 192.0.2.254 dev lan", "rule add iif lan to 10.233.0.0/18 unreachable"])
    netns.sysctl("net/ipv4/ip_forward", 1)
    # each one that finds no rule is told so
    netns.sysctl("net/ipv4/icmp_ratelimit", 0)
    netns.sysctl("net/ipv4/route/error_cost", 0)
    # a small machine's table is full after a minute of traffic, and then the kernel drops what is new
    run("modprobe", "nf_conntrack", status=None)
    netns.sysctl("net/netfilter/nf_conntrack_max", 1 << 18)
    server = subprocess.Popen(["ip", "netns", "exec", "pods", *TRAFFIC, "serve", *PODS], stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline() == "ready\n", "the endpoints do not start"
    return server


@contextlib.contextmanager
def inside(name):
    """Sockets that are made in here belong to that namespace, and stay there."""
    netns.enter(name)
    try:
        yield
    finally:
        netns.enter("host")


def ask(address=NGINX, port=80, seconds=20):
    """What the endpoint answers the client; an OSError if nobody does."""
    with inside("client"):
        s = socket.socket()
    with s:
        s.settimeout(seconds)
        s.connect((address, port))
        return s.recv(64).decode().strip()


def works(pod=PODS[0]):
    """The cluster IP, from the client and from this machine itself, and the node port."""
    assert (got := ask()) == pod, got
    with socket.create_connection((NGINX, 80), 20) as s:
        assert (got := s.recv(64).decode().strip()) == pod, got

    def node_port():
        with contextlib.suppress(OSError):
            return ask(HOST, NODE_PORT, 5)
    # its rules name local addresses: these may have come a moment ago
    assert (got := wait_until(node_port, "an answer on the node port")) == pod, got


@contextlib.contextmanager
def traffic(what, kept=ECHO):
    """RATE connections a second and some that stay, from before the block until after it: none may fail."""
    p = subprocess.Popen(["ip", "netns", "exec", "client", *TRAFFIC, "offer", str(RATE), NGINX, kept],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert p.stdout.readline() == "running\n", "no traffic"
        yield
        out, _ = p.communicate(timeout=1500)
    finally:
        p.kill()
        p.wait()
    r = json.loads(out)
    print(f"# note: {what}: {r['made']} connections in {r['seconds']} s ({r['rate']}/s), {r['failed']} failed, "
          f"{r['again']} asked twice, slowest {r['slowest']} s; {r['kept']} kept, {r['exchanges']} exchanges on them", flush=True)
    assert not r["failed"], "\n".join(r["errors"])
    assert r["kept"] == 10 and r["exchanges"] >= 10 and sum(r["answers"].values()) == r["made"] >= 400, r


def traces():
    """Files of ours that are left, but for what apt itself keeps."""
    found = [path for top in ("/etc", "/run", "/var", "/usr") for path in glob.glob(f"{top}/**/*svcroute*", recursive=True,
                                                                                  include_hidden=True)]
    return [path for path in found if not path.startswith(("/var/lib/apt/", "/var/cache/apt/", "/run/user/"))]


def told():
    """All that the daemon says of itself."""
    return json.loads(run("svcroutectl", "status", "--json"))


def status():
    """The daemon's own word: "ok", "degraded" and so on."""
    return told()["state"]


def journal(*arguments):
    return run("journalctl", "--no-pager", "-u", "svcroute", *arguments)


@contextlib.contextmanager
def case(tap, name):
    """One that fails also tells what the service said last."""
    failed = tap.failed
    with tap.case(name):
        yield
    if tap.failed > failed:
        print("# the journal:\n" + "".join(f"#   {line}\n" for line in journal("-n", "30").splitlines()), end="", flush=True)


def reboot(tap, mark):
    """The test goes on with that mark after the boot, and fails at its end if something failed until here."""
    print(f"1..{tap.number}", flush=True)
    run("/tmp/autopkgtest-reboot", mark + ("+failed" if tap.failed else ""))
