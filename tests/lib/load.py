# SPDX-License-Identifier: GPL-2.0-or-later
"""New TCP connections at a steady rate: load.py ADDRESS PORT RATE SECONDS. Each must be answered with a line within 1 s.
Prints one JSON object: how many were made, what each was answered, what went wrong and when."""
import asyncio
import collections
import json
import sys
import time


async def main(address, port, rate, seconds):
    answers, errors, running = collections.Counter(), [], set()
    start = time.monotonic()

    async def connect():
        began = time.monotonic() - start
        try:
            async with asyncio.timeout(1.0):
                reader, writer = await asyncio.open_connection(address, port)
                line = await reader.readline()
                writer.close()
            if not line:
                raise ConnectionError("closed without an answer")
            answers[line.decode().strip()] += 1
        except (OSError, TimeoutError) as e:
            errors.append(f"{began:.3f} s: {type(e).__name__} {e}")

    made = 0
    while (now := time.monotonic() - start) < seconds:
        # as many as are due: a slow moment is made up for, so that the rate holds
        while made < now * rate:
            task = asyncio.create_task(connect())
            running.add(task)
            task.add_done_callback(running.discard)
            made += 1
        await asyncio.sleep(0.002)
    while running:
        await asyncio.wait(running)
    print(json.dumps({"made": made, "failed": len(errors), "errors": errors[:20], "answers": answers,
                      "rate": round(made / (time.monotonic() - start), 1)}))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])))
