# SPDX-License-Identifier: GPL-2.0-or-later
"""What ipvs mode has put into the kernel, in this process's namespace, as lines that can be compared. As few programs as
will do: in user-mode Linux starting one costs more than what it does."""
import re
import socket
import struct
import subprocess

LINK = "kube-ipvs0"
IP_VS_SO_GET_TIMEOUT = 1024 + 64 + 64 + 6


def _run(*command):
    p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    if p.returncode:
        raise RuntimeError(f"{' '.join(command)}: status {p.returncode}: {p.stderr.strip()[-1500:]}")
    return p.stdout


def by_server(lines):
    """Virtual servers sorted, each followed by its real servers, sorted; a real server belongs to the one before it."""
    servers, own = {}, None
    for line in lines:
        if line.startswith("-A "):
            assert line not in servers, f"twice: {line}"
            own = servers.setdefault(line, [])
        else:
            own.append(line)
    return [out for line in sorted(servers) for out in (line, *sorted(servers[line]))]


def set_lines(save):
    """What `ipset save` prints: a line for each set, without hash sizes and seeds, and its entries below, all sorted."""
    sets = {}
    for line in save.splitlines():
        what, name, rest = line.split(" ", 2)
        if what == "create":
            sets[name] = (re.sub(r" (hashsize|bucketsize|initval) \S+", "", rest), [])
        else:
            sets[name][1].append(f"  {rest}")
    return [out for name in sorted(sets) for out in (f"{name} {sets[name][0]}", *sorted(sets[name][1]))]


def servers():
    # ipvsadm-save is a shell script around this
    return by_server(line.rstrip() for line in _run("ipvsadm", "-S", "-n").splitlines())


def sets():
    return set_lines(_run("ipset", "save"))


def timeouts():
    """["TCP TCPFIN UDP"], in seconds."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as s:
        return [" ".join(map(str, struct.unpack("=3i", s.getsockopt(socket.IPPROTO_IP, IP_VS_SO_GET_TIMEOUT, 12))))]


def link():
    """[what there is to say of the link, but for its number and hardware address], [addresses, sorted]."""
    about, addresses = [], []
    text = _run("ip", "-d", "addr", "show", "dev", LINK)
    for line in re.sub(r"\n +valid_lft", " valid_lft", text).splitlines():
        if line.startswith("    inet"):
            m = re.fullmatch(r" +inet6? (\S+) scope global (" + LINK + ")? *valid_lft forever preferred_lft forever", line)
            assert m, line
            addresses.append(m[1])
        else:
            about.append(re.sub(r"^\d+: |link/ether \S+ brd \S+ ", "", line).strip())
    return about, sorted(addresses)


def state():
    """All of it but for rules, one list. The name of its set stands before each entry."""
    lines, name = servers(), ""
    for line in sets():
        if line.startswith(" "):
            lines.append(name + line)
        else:
            name = line.split()[0]
            lines.append(line)
    about, addresses = link()
    return lines + about + [f"{LINK} {a}" for a in addresses]
