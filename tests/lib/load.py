# SPDX-License-Identifier: GPL-2.0-or-later
"""New TCP connections at a steady rate: load.py ADDRESS PORT RATE SECONDS. Each must be answered with a line within 1 s.
Prints one JSON object: how many were made, what each was answered, what went wrong and when, the longest in seconds.

It shares the processor with what it tests: as few system calls a connection as will do. A moment in which the whole
machine stood still is no fault of the connections open then: of a longer one than PAUSE only so much is counted."""
import collections
import errno
import json
import select
import socket
import sys
import time

PATIENCE = 1.0
PAUSE = 0.05
MOST = 64  # open at a time; a slow moment is made up for, but not all at once


class Load:
    def __init__(self, address, port, rate, seconds):
        self.address, self.port, self.rate, self.seconds = address, port, rate, seconds
        self.family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.answers, self.errors = collections.Counter(), []
        self.poll, self.open = select.epoll(), {}  # descriptor: (socket, when it began), the oldest first
        self.start = self.now = time.monotonic()
        self.clock = self.longest = 0.0  # seconds without pauses
        self.made = 0

    def connect(self):
        s = socket.socket(self.family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        self.made += 1
        self.open[s.fileno()] = s, self.clock
        e = s.connect_ex((self.address, self.port))
        self.poll.register(s.fileno(), select.EPOLLIN)  # tells errors, too; also those that there are already
        if e not in (0, errno.EINPROGRESS):
            self.end(s.fileno(), OSError(e, "connect"))

    def end(self, fd, error=None):
        s, began = self.open.pop(fd)
        try:
            if error:
                raise error
            line = s.recv(100)
            if not line.endswith(b"\n"):
                raise ConnectionError("closed without an answer")
            self.answers[line.decode().strip()] += 1
        except OSError as e:
            self.errors.append(f"{self.now - self.start:.3f} s: {type(e).__name__} {e}")
        self.longest = max(self.longest, self.clock - began)
        s.close()

    def tick(self):
        now = time.monotonic()
        self.clock += min(now - self.now, PAUSE)
        self.now = now

    def run(self):
        while self.open or self.now - self.start < self.seconds:
            self.tick()
            due = min(self.now - self.start, self.seconds) * self.rate
            while self.made < due and len(self.open) < MOST:
                self.connect()
            for fd, _ in self.poll.poll(0.004):
                self.tick()
                if fd in self.open:
                    self.end(fd)
            while self.open and self.clock - (oldest := next(iter(self.open.items())))[1][1] > PATIENCE:
                self.end(oldest[0], TimeoutError("no answer"))
        return {"made": self.made, "failed": len(self.errors), "errors": self.errors[:20], "answers": self.answers,
                "rate": round(self.made / (self.now - self.start), 1), "longest": round(self.longest, 3)}


print(json.dumps(Load(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])).run()))
