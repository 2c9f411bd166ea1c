# SPDX-License-Identifier: GPL-2.0-or-later
"""Many endpoints in one process: listens on ADDRESS, ports FIRST to LAST, from the start; says "PORT" to each connection
and closes it. A line "close PORT" on standard input ends that endpoint: from then on it refuses."""
import os
import select
import socket
import sys


def main(address, first, last):
    poll, listeners = select.epoll(), {}
    for port in range(first, last + 1):
        s = socket.create_server((address, port), family=socket.AF_INET6 if ":" in address else socket.AF_INET, backlog=256)
        s.setblocking(False)
        listeners[s.fileno()] = s, f"{port}\n".encode()
        poll.register(s.fileno(), select.EPOLLIN)
    poll.register(0, select.EPOLLIN)
    print("ready", flush=True)
    commands = b""
    while True:
        for fd, _ in poll.poll():
            if fd == 0:
                if not (data := os.read(0, 4096)):
                    return
                *lines, commands = (commands + data).split(b"\n")
                for line in lines:
                    close(listeners, line.split()[1] + b"\n")
            elif fd in listeners:
                s, answer = listeners[fd]
                try:
                    c, _ = s.accept()
                    with c:
                        c.send(answer)
                except OSError:
                    pass  # the client is gone


def close(listeners, answer):
    [fd] = [fd for fd, (_, own) in listeners.items() if own == answer]
    listeners.pop(fd)[0].close()


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
