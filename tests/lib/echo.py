# SPDX-License-Identifier: GPL-2.0-or-later
"""Endpoints that echo, open connections to them, and who is at the other end."""
import contextlib
import socket
import struct
import subprocess
import sys


@contextlib.contextmanager
def connection(host, address, port):
    """An open connection and the endpoint's end of it, which answers nothing."""
    with host.inside():
        s = socket.create_connection((address, port), timeout=10)
    with s:
        # closed by a reset: IPVS remembers it for ten seconds, not for two minutes
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        yield s


class Listener:
    """An endpoint that accepts, and echoes."""
    PROGRAM = """
import socket, sys, threading
s = socket.create_server((sys.argv[1], 8080), family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, backlog=200)
print("ready", flush=True)
def serve(c):
    with c:
        try:
            while data := c.recv(100):
                c.sendall(sys.argv[1].encode() + b" " + data)
        except ConnectionResetError:
            pass
while True:
    c, _ = s.accept()
    threading.Thread(target=serve, args=(c,), daemon=True).start()
"""

    def __init__(self, network, host, address):
        p = host.popen([sys.executable, "-c", self.PROGRAM, address], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        network.processes.append(p)
        assert p.stdout.readline() == "ready\n"


def say(s, text=b"x"):
    """Who answers on an open connection."""
    s.sendall(text + b"\n")
    return s.recv(200).decode().split()[0]


def ask(host, address, port):
    with connection(host, address, port) as s:
        return say(s)
