# SPDX-License-Identifier: GPL-2.0-or-later
"""make try, as the README promises it: the example routes, an edit moves the traffic, nothing is left behind."""
import os
import subprocess
import sys
import tempfile
import time

from tap import BUILD, SOURCE, Tap, need_root

need_root()
tap = Tap()
start = time.monotonic()
with tempfile.TemporaryDirectory(prefix="svcroute-try-") as scratch:
    p = subprocess.run([sys.executable, f"{SOURCE}/tests/try.py"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, env=dict(os.environ, SVCROUTE_BUILD=BUILD, TMPDIR=scratch))
    print("".join(f"# {line}\n" for line in p.stdout.splitlines()))
    with tap.case("every answer is the promised one"):
        assert p.returncode == 0, f"status {p.returncode}"
    with tap.case("the tables show who answered and which source address was seen"):
        for text in ("pod-a (10.233.74.106)", "pod-c, on node-2 (10.233.80.5)", "10.233.74.107 (pod-b, kept)",
                     "(router, masqueraded)", "external IP 198.51.100.7:80"):
            assert text in p.stdout, text
    with tap.case("under 60 s, and no file is left"):
        assert time.monotonic() - start < 60
        assert os.listdir(scratch) == [], os.listdir(scratch)
tap.done()
