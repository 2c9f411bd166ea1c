# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 240
# weight: 20
"""Work in processes comes back in order and always ends (a pool of processes once did not, one time in a hundred)."""
import glob
import re
import time

import processes
from tap import SOURCE, Tap

ROUNDS = 400
LIMIT = 180  # seconds for all rounds; on an idle machine they take 10


def double(n):
    return 2 * n


def sink(n):
    if n == 3:
        raise ValueError("three")
    return n


def main():
    tap = Tap()
    with tap.case(f"{ROUNDS} times work, and each time an end"):
        end = time.monotonic() + LIMIT
        for n in range(ROUNDS):
            assert list(processes.each(double, range(5))) == [0, 2, 4, 6, 8]
            assert time.monotonic() < end, f"only {n} rounds in {LIMIT} s"
    with tap.case("an exception of the work arrives"):
        try:
            list(processes.each(sink, range(5)))
        except ValueError as e:
            assert str(e) == "three", e
        else:
            raise AssertionError("it was lost")
    with tap.case("left early, it ends too"):
        for n in processes.each(double, range(1000)):
            if n == 4:
                break
    with tap.case("nobody uses another way"):
        users = [f for f in glob.glob(f"{SOURCE}/tests/**/*.py", recursive=True)
                 if re.search(r"^\s*(import|from) multiprocessing", open(f).read(), re.M)]
        assert not users, users
    tap.done()


if __name__ == "__main__":
    main()
