# SPDX-License-Identifier: GPL-2.0-or-later
"""Work side by side in processes. Not multiprocessing.Pool: leaving it sends SIGTERM to workers, and a handler in Python
misses one that comes just as the worker begins to wait; the pool then waits for that worker forever."""
import concurrent.futures
import os

from tap import exit_on_term


def each(function, items, workers=2):
    """Yields function(item) for each item, in their order; function runs in another process, which it may change."""
    pool = concurrent.futures.ProcessPoolExecutor(min(workers, os.cpu_count() or 1), initializer=exit_on_term)
    try:
        yield from pool.map(function, items)
    finally:
        # without a signal: each worker ends what it does and is told that there is no more
        pool.shutdown(wait=True, cancel_futures=True)
