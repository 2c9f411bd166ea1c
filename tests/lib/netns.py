# SPDX-License-Identifier: GPL-2.0-or-later
"""Network namespaces and iptables dumps, for tests written in Python (3.11: os.setns is newer)."""
import ctypes
import errno
import os
import socket
import struct
import subprocess

CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def _check(result, what):
    if result != 0:
        e = ctypes.get_errno()
        raise OSError(e, f"{what}: {os.strerror(e)}")


def unshare():
    """Moves this process into a fresh network namespace; the old one goes when nothing uses it any more."""
    _check(_libc.unshare(CLONE_NEWNET), "unshare")


def enter(name):
    """Moves this process into a namespace made with `ip netns add`."""
    with open(f"/run/netns/{name}") as f:
        _check(_libc.setns(f.fileno(), CLONE_NEWNET), "setns")


def ip_batch(lines, netns=None):
    """Many `ip` commands in one process; the first error raises."""
    command = ["ip"] + (["-n", netns] if netns else []) + ["-batch", "-"]
    p = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True)
    if p.returncode:
        raise RuntimeError(f"ip: {p.stderr.strip()}")


def sysctl(path, value):
    """In this process's namespace; an absent setting is no error."""
    try:
        with open(f"/proc/sys/{path}", "w") as f:
            f.write(str(value))
    except FileNotFoundError:
        pass


def nfacct_new(name):
    """Makes an nfacct counter in this namespace, as the daemon does. False: the kernel has none."""
    attribute = name.encode() + b"\0"
    attribute = struct.pack("=HH", 4 + len(attribute), 1) + attribute
    attribute += b"\0" * (-len(attribute) % 4)
    body = struct.pack("=BBH", 0, 0, 0) + attribute
    message = struct.pack("=IHHII", 16 + len(body), 7 << 8, 0x405, 1, 0) + body
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12) as s:
        s.bind((0, 0))
        s.send(message)
        error = -struct.unpack_from("=i", s.recv(4096), 16)[0]
    if error == errno.EOPNOTSUPP or error == errno.EINVAL:
        return False
    if error not in (0, errno.EEXIST):
        raise OSError(error, f"nfacct {name}: {os.strerror(error)}")
    return True


def program(family, variant, what):
    """program("v6", "nft", "save") is "ip6tables-nft-save"."""
    return f"{'iptables' if family == 'v4' else 'ip6tables'}-{variant}-{what}"


def save(family, variant, table=None, environment=None):
    """The rules of this namespace. The nft variant says on stderr that legacy tables exist: that is left out."""
    command = [program(family, variant, "save")] + (["-t", table] if table else [])
    p = subprocess.run(command, capture_output=True, text=True, env=environment)
    if p.returncode:
        raise RuntimeError(f"{command[0]}: {p.stderr.strip()}")
    return p.stdout
