# SPDX-License-Identifier: GPL-2.0-or-later
"""A small network of namespaces, and the daemon in the middle of it.

    client --- LAN 192.0.2.0/24 --- router --- pod-a, pod-b     (10.1.0.0/16, one routed link each)
                     |
                   node-2, with pod-c behind it                 (10.2.0.0/16)

All have IPv4 and IPv6. The router is the host under test, node-1. client is outside; 192.0.2.201 is its second address.
Namespaces have no names: they are held by open files of this process, so that nothing is left however it ends."""
import contextlib
import ctypes
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import netns
from tap import SOURCE, SVCROUTECTL, SVCROUTED

ROUTER = {"v4": "192.0.2.10", "v6": "2001:db8:2::10"}
GATEWAY = {"v4": "10.1.0.1", "v6": "2001:db8:1::1"}  # the router, as pods see it
NODE_2 = {"v4": "192.0.2.20", "v6": "2001:db8:2::20"}
CLIENT = {"v4": "192.0.2.200", "v6": "2001:db8:2::200"}
CLIENT_2 = {"v4": "192.0.2.201", "v6": "2001:db8:2::201"}
POD_A = {"v4": "10.1.0.11", "v6": "2001:db8:1::11"}
POD_B = {"v4": "10.1.0.12", "v6": "2001:db8:1::12"}
POD_C = {"v4": "10.2.0.11", "v6": "2001:db8:3::11"}
FAMILIES = ("v4", "v6")
IP_RECVERR, IPV6_RECVERR = 11, 25

_libc = ctypes.CDLL(None, use_errno=True)


def _setns(fd):
    if _libc.setns(fd, netns.CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


def die_with_parent():
    """For preexec_fn: what a test started ends with it, also when it is killed."""
    _libc.prctl(1, signal.SIGKILL)


def make_socket(protocol, address):
    """A socket for tcp, udp or sctp, in the namespace of this thread."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    if protocol == "udp":
        return socket.socket(family, socket.SOCK_DGRAM)
    if protocol == "tcp":
        return socket.socket(family, socket.SOCK_STREAM)
    s = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_SCTP)
    # without it SCTP takes no notice of an ICMP error before its own time is up
    if family == socket.AF_INET:
        s.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
    else:
        s.setsockopt(socket.IPPROTO_IPV6, IPV6_RECVERR, 1)
    return s


class Host:
    """A network namespace."""

    def __init__(self, name):
        self.name = name
        before = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            netns.unshare()
            self.fd = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
            _setns(before)
        finally:
            os.close(before)
        with self.inside():
            for path, value in (("net/ipv6/conf/all/accept_dad", 0), ("net/ipv6/conf/default/accept_dad", 0),
                                ("net/ipv4/conf/all/rp_filter", 0), ("net/ipv4/conf/default/rp_filter", 0),
                                ("net/ipv4/icmp_ratelimit", 0), ("net/ipv6/icmp/ratelimit", 0),
                                ("net/bridge/bridge-nf-call-iptables", 0), ("net/bridge/bridge-nf-call-ip6tables", 0)):
                netns.sysctl(path, value)
        self.ip("link set lo up")

    @property
    def path(self):
        """What `ip link ... netns` takes."""
        return f"/proc/{os.getpid()}/fd/{self.fd}"

    @contextlib.contextmanager
    def inside(self):
        """This thread is in the host's namespace; a socket made here stays there."""
        before = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            _setns(self.fd)
            yield
        finally:
            _setns(before)
            os.close(before)

    def ip(self, *lines):
        with self.inside():
            netns.ip_batch(lines)

    def popen(self, command, **arguments):
        def enter():
            die_with_parent()
            _setns(self.fd)
        return subprocess.Popen(command, preexec_fn=enter, **arguments)

    def run(self, command, check=True, **arguments):
        """Its standard output; the other one when it fails, in the exception."""
        p = self.finish(command, **arguments)
        if check and p.returncode:
            raise RuntimeError(f"{' '.join(command)}: status {p.returncode}: {p.stderr.strip()[-1500:]}")
        return p.stdout

    def finish(self, command, **arguments):
        """The completed process of a command that ends by itself. Starts it much faster than popen()."""
        with self.inside():
            return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **arguments)

    def save(self, family, variant, table=None):
        with self.inside():
            return netns.save(family, variant, table)

    def ask(self, protocol, address, port, source=None, timeout=1.0, source_port=0):
        """(who answered, the source address it saw); or "refused", or "silent"."""
        with self.inside():
            s = make_socket(protocol, address)
        with s:
            s.settimeout(timeout)
            try:
                if source or source_port:
                    s.bind((source or "", source_port))
                s.connect((address, port))
                if protocol == "udp":
                    with contextlib.suppress(PermissionError):  # a reject on the way out; recv tells which
                        s.send(b"?")
                words = s.recv(200).decode().split()
            except ConnectionRefusedError:
                return "refused"
            except TimeoutError:
                return "silent"
            except ConnectionResetError:
                return "reset"
            except OSError as e:
                return os.strerror(e.errno)
            return (words[0], words[1]) if len(words) == 2 else "closed"

    def close(self):
        os.close(self.fd)


class Network:
    """The network of the picture above. Use in a with statement."""

    def __init__(self):
        self.processes = []
        self.client, self.router, self.node_2 = Host("client"), Host("router"), Host("node-2")
        self.pod_a, self.pod_b = Host("pod-a"), Host("pod-b")
        self.hosts = (self.client, self.router, self.node_2, self.pod_a, self.pod_b)
        self._links()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for p in self.processes:
            end(p)
        for h in self.hosts:
            h.close()

    def _links(self):
        # the LAN is a bridge in the client's namespace
        self.client.ip(
            "link add lan type bridge",
            f"link add to-router type veth peer name eth0 netns {self.router.path}",
            f"link add to-node2 type veth peer name eth0 netns {self.node_2.path}",
            "link set to-router master lan", "link set to-node2 master lan",
            f"addr add {CLIENT['v4']}/24 dev lan", f"addr add {CLIENT_2['v4']}/24 dev lan",
            f"addr add {CLIENT['v6']}/64 dev lan nodad",
            # deprecated: used only by those who ask for it
            f"addr add {CLIENT_2['v6']}/64 dev lan nodad valid_lft forever preferred_lft 0",
            "link set lan up", "link set to-router up", "link set to-node2 up",
            f"route add default via {ROUTER['v4']}", f"route add default via {ROUTER['v6']}")
        with self.router.inside():
            netns.sysctl("net/ipv4/ip_forward", 1)
            netns.sysctl("net/ipv6/conf/all/forwarding", 1)
        self.router.ip(
            f"addr add {ROUTER['v4']}/24 dev eth0", f"addr add {ROUTER['v6']}/64 dev eth0 nodad", "link set eth0 up",
            f"route add default via {CLIENT['v4']}", f"route add default via {CLIENT['v6']}",
            f"route add 10.2.0.0/16 via {NODE_2['v4']}", f"route add 2001:db8:3::/64 via {NODE_2['v6']}")
        self.node_2.ip(
            f"addr add {NODE_2['v4']}/24 dev eth0", f"addr add {NODE_2['v6']}/64 dev eth0 nodad", "link set eth0 up",
            f"route add default via {ROUTER['v4']}", f"route add default via {ROUTER['v6']}",
            f"addr add {POD_C['v4']}/32 dev lo", f"addr add {POD_C['v6']}/128 dev lo nodad")
        for pod, address in ((self.pod_a, POD_A), (self.pod_b, POD_B)):
            link = pod.name
            self.router.ip(
                f"link add {link} type veth peer name eth0 netns {pod.path}",
                f"addr add {GATEWAY['v4']}/32 dev {link}", f"addr add {GATEWAY['v6']}/128 dev {link} nodad",
                f"addr add fe80::1/64 dev {link} nodad", f"link set {link} up",
                f"route add {address['v4']}/32 dev {link}", f"route add {address['v6']}/128 dev {link}")
            pod.ip(
                f"addr add {address['v4']}/32 dev eth0", f"addr add {address['v6']}/128 dev eth0 nodad",
                "link set eth0 up", f"route add {GATEWAY['v4']} dev eth0", f"route add default via {GATEWAY['v4']}",
                "route add default via fe80::1 dev eth0")

    def serve(self, host, *listeners):
        """An endpoint on a host: listeners are "tcp/ADDRESS/PORT". Its process; end() it to stop it."""
        p = host.popen([sys.executable, f"{SOURCE}/tests/lib/server.py", *listeners], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, text=True)
        self.processes.append(p)
        if p.stdout.readline() != "ready\n":
            raise RuntimeError(f"server on {host.name}: {listeners}")
        return p

    def serve_all(self, ports=(8080,), protocols=("tcp", "udp")):
        """pod-a, pod-b and pod-c answer on these ports in both families."""
        for host, address in ((self.pod_a, POD_A), (self.pod_b, POD_B), (self.node_2, POD_C)):
            self.serve(host, *(f"{p}/{address[f]}/{port}" for p in protocols for f in FAMILIES for port in ports))

    def settle(self):
        """Waits until every host reaches its neighbours in both families, so that no test measures neighbour discovery."""
        deadline = time.monotonic() + 10
        for host, addresses in ((self.client, (ROUTER, NODE_2)), (self.router, (POD_A, POD_B, POD_C, CLIENT)),
                                (self.node_2, (ROUTER, CLIENT)), (self.pod_a, (GATEWAY,)), (self.pod_b, (GATEWAY,))):
            for address in addresses:
                for family in FAMILIES:
                    # a closed port: the answer shows that packets go both ways
                    while host.ask("udp", address[family], 9, timeout=0.2) != "refused":
                        if time.monotonic() > deadline:
                            raise RuntimeError(f"{host.name} does not reach {address[family]}")


def end(process, how=signal.SIGTERM, seconds=10):
    """Ends a process that we started; its status."""
    if process.poll() is None:
        process.send_signal(how)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()
    return process.returncode


class Root:
    """A scratch directory for --root."""

    def __init__(self, settings=""):
        self.path = tempfile.mkdtemp(prefix="svcroute-test-")
        self.etc = f"{self.path}/etc/svcroute"
        for d in ("services.d", "endpoints.d", "svcroute.conf.d"):
            os.makedirs(f"{self.etc}/{d}")
        os.makedirs(f"{self.path}/run/svcroute")
        self.write("svcroute.conf", settings)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def write(self, name, text):
        """Replaces a file in one step, as a careful script does. text may be bytes."""
        temporary = f"{self.etc}/{name}.new~"
        with open(temporary, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        os.rename(temporary, f"{self.etc}/{name}")

    def remove(self, name):
        os.unlink(f"{self.etc}/{name}")


class Daemon:
    """svcrouted on a host, with a notify socket of its own. Use in a with statement."""

    def __init__(self, host, root, *arguments, environment=None):
        self.host, self.root = host, root
        self.environment = dict(os.environ, XTABLES_LOCKFILE=f"{root.path}/xtables.lock", **(environment or {}))
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{root.path}/notify")  # of an earlier daemon on this root
        self.notify.bind(f"{root.path}/notify")
        self.messages = []  # (monotonic seconds, {"READY": "1", ...})
        self.log = open(f"{root.path}/log", "a+")
        self.process = host.popen([SVCROUTED, "--root", root.path, *arguments], stdin=subprocess.DEVNULL, stdout=self.log,
                                  stderr=self.log, env=dict(self.environment, NOTIFY_SOCKET=f"{root.path}/notify"))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            print("# svcrouted said:\n" + "".join(f"#   {line}\n" for line in self.text().splitlines()[-30:]))
        self.stop()

    def text(self):
        with open(f"{self.root.path}/log") as f:
            return f.read()

    def read_notify(self, seconds=0.0):
        """Takes in what arrived, or arrives within so long; the messages so far."""
        while select.select([self.notify], [], [], seconds)[0]:
            text = self.notify.recv(65536).decode()
            self.messages.append((time.monotonic(), dict(line.split("=", 1) for line in text.splitlines() if "=" in line)))
            seconds = 0.0
        return self.messages

    def wait_for(self, key, value=None, seconds=30, since=0):
        """Waits for a notify message with this key; the message. since: how many messages to pass over."""
        deadline = time.monotonic() + seconds
        while True:
            for when, message in self.messages[since:]:
                if key in message and value in (None, message[key]):
                    return when, message
            if self.process.poll() is not None:
                raise RuntimeError(f"svcrouted ended with status {self.process.returncode}:\n{self.text()[-2000:]}")
            left = deadline - time.monotonic()
            if left <= 0:
                raise RuntimeError(f"no {key} within {seconds} s:\n{self.text()[-2000:]}")
            self.read_notify(min(left, 0.2))

    def ready(self):
        self.wait_for("READY", "1", 180)  # user-mode Linux on a busy machine loads a dozen modules first
        return self

    def ctl(self, *arguments):
        """svcroutectl's (status, standard output, standard error)."""
        self.read_notify()  # a full notify socket makes the daemon wait
        p = self.host.finish([SVCROUTECTL, "--root", self.root.path, *arguments], env=self.environment)
        return p.returncode, p.stdout, p.stderr

    def reload(self):
        status, out, err = self.ctl("reload")
        if status:
            raise RuntimeError(f"reload: status {status}: {out}{err}")

    def stop(self, how=signal.SIGTERM):
        status = end(self.process, how)
        self.notify.close()
        self.log.close()
        return status
