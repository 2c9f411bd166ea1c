# SPDX-License-Identifier: GPL-2.0-or-later
"""Connections that stay open and echo every 50 ms, and a new one every 100 ms: talk.py ADDRESS PORT DIRECT-ADDRESS PORT.
Prints "ready" when all are open. At the end of its input it prints one JSON object: what went wrong; how often the open
ones were answered, and how many were made anew; the longest wait for an answer of either, in seconds; and that of a
connection to DIRECT-ADDRESS, which no change of the services touches: how slow the machine itself was."""
import asyncio
import json
import socket
import struct
import sys
import time

N_OPEN = 4
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: nobody has to remember the connection once it is closed


class Talk:
    def __init__(self):
        self.ended, self.errors, self.start = False, [], time.monotonic()
        self.exchanges = self.made = self.n_open = 0
        self.longest = {"open": 0.0, "new": 0.0, "direct": 0.0}
        self.opened = asyncio.Event()

    async def exchange(self, kind, reader, writer, began):
        writer.write(b"x\n")
        line = await asyncio.wait_for(reader.readline(), 30)
        if not line:
            raise ConnectionError("closed without an answer")
        self.longest[kind] = max(self.longest[kind], time.monotonic() - began)

    async def connection(self, kind, address, port, once=False):
        began = time.monotonic()
        try:
            reader, writer = await asyncio.wait_for(asyncio.open_connection(address, port), 30)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            try:
                await self.exchange(kind, reader, writer, began)
                self.n_open += not once
                self.opened.set()
                while not once and not self.ended:
                    await asyncio.sleep(0.05)
                    await self.exchange(kind, reader, writer, time.monotonic())
                    self.exchanges += kind == "open"
            finally:
                writer.close()
        except (OSError, asyncio.TimeoutError) as e:
            self.errors.append(f"{kind}, after {began - self.start:.3f} s: {type(e).__name__} {e}")
            self.opened.set()

    async def make_new(self, address, port):
        running = set()
        while not self.ended:
            task = asyncio.create_task(self.connection("new", address, port, once=True))
            running.add(task)
            task.add_done_callback(running.discard)
            self.made += 1
            await asyncio.sleep(0.1)
        await asyncio.gather(*running)

    async def run(self, address, port, direct, direct_port):
        tasks = [asyncio.create_task(self.connection("open", address, port)) for _ in range(N_OPEN)]
        tasks.append(asyncio.create_task(self.connection("direct", direct, direct_port)))
        while self.n_open < len(tasks) and not self.errors:
            self.opened.clear()
            await asyncio.wait_for(self.opened.wait(), 60)
        tasks.append(asyncio.create_task(self.make_new(address, port)))
        print("ready", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        self.ended = True
        await asyncio.gather(*tasks)
        longest = {f"longest_{kind}": round(value, 3) for kind, value in self.longest.items()}
        print(json.dumps({"errors": self.errors, "exchanges": self.exchanges, "made": self.made, **longest}))


async def main():
    await Talk().run(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))


asyncio.run(main())
