# SPDX-License-Identifier: GPL-2.0-or-later
"""Many endpoints in one process: listens on ADDRESS, ports FIRST to LAST, from the start; says "PORT" to each connection
and closes it. A line "close PORT" on standard input ends that endpoint: from then on it refuses."""
import asyncio
import sys


async def main(address, first, last):
    servers = {}

    async def answer(reader, writer):
        writer.write(f"{writer.get_extra_info('sockname')[1]}\n".encode())
        writer.close()

    for port in range(first, last + 1):
        servers[port] = await asyncio.start_server(answer, address, port, backlog=256)
    print("ready", flush=True)
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := await commands.readline():
        servers.pop(int(line.split()[1])).close()


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
