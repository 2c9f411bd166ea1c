# SPDX-License-Identifier: GPL-2.0-or-later
"""An endpoint: answers each TCP connection and each datagram with its own address and the one that it saw, then closes.

server.py PROTOCOL/ADDRESS/PORT...    prints "ready" when all are bound; runs until it is ended."""
import select
import signal
import socket
import sys


def bind(protocol, address, port):
    s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET,
                      socket.SOCK_DGRAM if protocol == "udp" else socket.SOCK_STREAM,
                      socket.IPPROTO_SCTP if protocol == "sctp" else 0)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if ":" in address:
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    s.bind((address, port))
    s.setblocking(False)
    if protocol != "udp":
        s.listen(1024)
    return s


def answer(s, protocol, own):
    if protocol != "udp":
        c, peer = s.accept()
        with c:
            c.send(f"{own} {peer[0]}\n".encode())
    else:
        _, peer = s.recvfrom(64)
        s.sendto(f"{own} {peer[0]}\n".encode(), peer)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    poll, listeners = select.epoll(), {}
    for what in sys.argv[1:]:
        protocol, address, port = what.split("/")
        s = bind(protocol, address, int(port))
        listeners[s.fileno()] = (s, protocol, address)
        poll.register(s.fileno(), select.EPOLLIN)
    print("ready", flush=True)
    while True:
        for fd, _ in poll.poll():
            try:
                answer(*listeners[fd])
            except OSError:
                pass  # the client is gone


main()
