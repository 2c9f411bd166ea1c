# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# weight: 30
"""A part of `make faults` (tests/faults): each STEPth allocation of each piece of work fails, once alone and once with all
after it. Here without sanitizers, unless the build has them; blocks that are not given back are counted all the same.

Environment: SVCROUTE_FAULT_STEP."""
import os
import sys
import tempfile

from tap import BUILD, SOURCE, Tap

sys.path.insert(0, f"{SOURCE}/tests/faults")
import symbols  # noqa: E402
import works  # noqa: E402

STEP = int(os.environ.get("SVCROUTE_FAULT_STEP", "11"))


def main():
    t = Tap()
    with t.case("no function that asks for memory was forgotten"):
        forgotten = symbols.forgotten(f"{BUILD}/libsvcroute.a")
        assert not forgotten, f"neither wrapped in tests/faults/wrap.c nor in the list of tests/faults/symbols.py: {forgotten}"
    tried = 0
    with tempfile.TemporaryDirectory(prefix="svcroute-test-") as scratch:
        works.make_scratch(scratch)
        for work in works.works(scratch):
            with t.case(f"failed allocations: {work[0]}"):
                passed, failed, text = works.attempt(work, BUILD, STEP, scratch)
                tried += passed
                assert passed and not failed, text[-4000:]
    print(f"# note: {tried} failed allocations", flush=True)
    t.done()


main()
