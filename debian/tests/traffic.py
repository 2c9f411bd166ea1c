# SPDX-License-Identifier: GPL-2.0-or-later
"""Cheap TCP traffic, one process for each side.

traffic.py serve ADDRESS...             port 80 tells its address and closes, port 81 sends back what it gets
traffic.py offer RATE ADDRESS KEPT      RATE new connections a second to ADDRESS port 80, and ten to KEPT port 81 that
                                        stay and are used all the time

offer prints "running" after the first 200 answers. When its standard input ends it makes 200 connections more, and then
prints one JSON object. A connection has failed that was refused, reset, unreachable or closed without an answer: one
that meets no rule gets an ICMP message at once. SYNs that are sent again are told and do not count: that is what a machine
does that gets no processor for a second. How long things take is told, and counts only when it is more than LIMIT. Few
system calls, also for the time: in user-mode Linux they are what it costs."""
import collections
import contextlib
import errno
import json
import os
import select
import socket
import struct
import sys
import time

LIMIT = 120  # seconds
MORE = 200
AT_ONCE = 64
KEPT = 10
TOTAL_RETRANS = 100  # offset in struct tcp_info
IP_RECVERR = 11


def serve(addresses):
    poll, listeners, kept = select.epoll(), {}, {}
    for address in addresses:
        for port in (80, 81):
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind((address, port))
            s.listen(4096)
            listeners[s.fileno()] = s, port, address.encode() + b"\n"
            poll.register(s, select.EPOLLIN)
    print("ready", flush=True)
    while True:
        for fd, _ in poll.poll():
            if fd in kept:
                try:
                    data = kept[fd].recv(64)
                    kept[fd].send(data)
                except OSError:
                    data = b""
                if not data:
                    kept.pop(fd).close()
                continue
            s, port, text = listeners[fd]
            c, _ = s.accept()
            if port == 81:
                kept[c.fileno()] = c
                poll.register(c, select.EPOLLIN)
                continue
            with c, contextlib.suppress(OSError):
                c.send(text)


class Offer:
    def __init__(self, rate, address, kept_address):
        self.rate, self.to, self.ending = rate, (address, 80), False
        self.poll, self.open = select.epoll(), {}
        self.made, self.again, self.slowest = 0, 0, 0.0
        self.answers, self.errors = collections.Counter(), []
        self.start = time.monotonic()
        self.kept = {s.fileno(): [s, 0, 0] for s in (socket.create_connection((kept_address, 81), LIMIT) for _ in range(KEPT))}
        for s, _, _ in self.kept.values():
            self.poll.register(s, select.EPOLLIN)

    def error(self, when, what):
        self.errors.append(f"{when - self.start:.2f} s: {what}")

    def connect(self, now):
        s = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        # else TCP may take an ICMP message as a hint, and ask again
        s.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
        self.made += 1
        error = s.connect_ex(self.to)
        if error not in (0, errno.EINPROGRESS):
            self.error(now, os.strerror(error))
            s.close()
            return
        self.open[s.fileno()] = s, now
        self.poll.register(s, select.EPOLLIN)

    def finish(self, fd, now):
        s, began = self.open.pop(fd)
        try:
            data = s.recv(64)
            again = struct.unpack_from("=I", s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192), TOTAL_RETRANS)[0]
            self.again += bool(again)
            if data:
                self.answers[data.decode().strip()] += 1
            else:
                self.error(began, "closed without an answer")
        except BlockingIOError:
            self.error(began, os.strerror(s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)))
        except OSError as e:
            self.error(began, e)
        s.close()
        self.slowest = max(self.slowest, now - began)

    def use_kept(self):
        """A byte on each one that has its last byte back."""
        for fd, (s, sent, got) in list(self.kept.items()):
            try:
                if sent == got:
                    s.send(b"x")
                    self.kept[fd][1] += 1
            except OSError as e:
                self.lose(fd, e)

    def lose(self, fd, why):
        self.error(time.monotonic(), f"kept connection: {why}")
        self.poll.unregister(fd)
        self.kept.pop(fd)[0].close()

    def receive_kept(self, fd):
        try:
            if data := self.kept[fd][0].recv(64):
                self.kept[fd][2] += len(data)
            else:
                self.lose(fd, "closed")
        except OSError as e:
            self.lose(fd, e)

    def look(self, seconds):
        """What came within that time; and what should have come long ago. Returns the time."""
        events = self.poll.poll(seconds)
        now = time.monotonic()
        for fd, _ in events:
            if fd in self.open:
                self.finish(fd, now)
            elif fd in self.kept:
                self.receive_kept(fd)
            elif not self.ending and not os.read(fd, 1):
                self.ending = True
                self.poll.unregister(fd)
        # the oldest comes first
        while self.open and (first := next(iter(self.open.items())))[1][1] < now - LIMIT:
            self.open.pop(first[0])[0].close()
            self.error(first[1][1], f"no answer within {LIMIT} s")
        return now

    def run(self):
        told, last, next_use, now = False, None, 0.0, self.start
        self.poll.register(sys.stdin.fileno(), select.EPOLLIN)
        while last is None or self.made < last:
            while self.made < (now - self.start) * self.rate and len(self.open) < AT_ONCE and self.made != last:
                self.connect(now)
            if now >= next_use:
                self.use_kept()
                next_use = now + 0.3
            now = self.look(0.01)
            if not told and sum(self.answers.values()) + len(self.errors) >= MORE:
                told = True
                print("running", flush=True)
            if self.ending and last is None:
                last = self.made + MORE
        seconds = time.monotonic() - self.start
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and (self.open or any(sent != got for _, sent, got in self.kept.values())):
            self.look(0.1)
        for fd, (_, sent, got) in list(self.kept.items()):
            if sent != got:
                self.lose(fd, f"no answer within {LIMIT} s")
        return {"made": self.made, "failed": len(self.errors), "errors": self.errors[:10], "answers": self.answers,
                "again": self.again, "rate": round(self.made / seconds), "seconds": round(seconds, 1), "slowest": round(self.slowest, 3),
                "kept": len(self.kept), "exchanges": sum(got for _, _, got in self.kept.values())}


if sys.argv[1] == "serve":
    serve(sys.argv[2:])
else:
    print(json.dumps(Offer(float(sys.argv[2]), sys.argv[3], sys.argv[4]).run()))
