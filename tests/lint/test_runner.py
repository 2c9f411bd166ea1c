# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/run itself: it must not count a failure as success."""
import importlib.machinery
import importlib.util

from tap import SOURCE, Tap

loader = importlib.machinery.SourceFileLoader("runner", f"{SOURCE}/tests/run")
runner = importlib.util.module_from_spec(importlib.util.spec_from_loader("runner", loader))
loader.exec_module(runner)

# output, exit status, timed out: passed, failed, skipped
ROWS = [
    ("ok 1 - a\nok 2 - b\n1..2\n", 0, False, (2, 0, 0)),
    ("1..2\nok 1 - a\nnot ok 2 - b\n# why\n", 1, False, (1, 1, 0)),
    ("ok 1 - a\n1..1\n", 1, False, (1, 1, 0)),  # a leak found at exit
    ("ok 1 - a\n", -11, False, (1, 1, 0)),
    ("1..2\nok 1 - a\n", 0, False, (1, 1, 0)),  # the second never came
    ("ok 1 - a\n", 0, False, (1, 1, 0)),  # no plan: it may have ended early
    ("", 0, False, (0, 1, 0)),
    ("ok 1 - a\n1..1\n", 0, True, (1, 1, 0)),
    ("ok 1 - a # SKIP no kernel for it\n1..1\n", 0, False, (0, 0, 1)),
    ("1..0 # SKIP not root\n", 0, False, (0, 0, 1)),
    ("\t1..2\nok 1 - a\nnot ok 2 # SKIP b\n", 0, False, (1, 0, 1)),  # cmocka 1.1.5
    ("1..1\nok 1 - a\n1..1\nok 1 - b\n", 0, False, (2, 0, 0)),  # two groups in one program
    ("token 5\nlooks ok 1\nok 1 - a\n1..1\n", 0, False, (1, 0, 0)),
]

tap = Tap()
for text, status, timed_out, want in ROWS:
    with tap.case(f"{text!r}, status {status}".replace("#", "hash")):
        o = runner.judge(text, status, timed_out)
        got = (o.passed, len(o.failures), len(o.skips))
        assert got == want, f"{got}, want {want}"
# output: why its cases were skipped
REASONS = [
    ("ok 1 - a # SKIP no kernel for it\n1..1\n", ["no kernel for it"]),
    ("# skip: needs root\nnot ok 1 # SKIP a\nnot ok 2 # SKIP b\n1..2\n", ["needs root", "no reason given"]),
    ("# skip: needs root\nnot ok 1 # SKIP a\nok 2 - b # SKIP other\n1..2\n", ["needs root", "other"]),
    ("1..0 # SKIP not root\n", ["not root"]),
]
for text, want in REASONS:
    with tap.case(f"reasons of {text!r}".replace("#", "hash")):
        got = [why for _, why in runner.judge(text, 0, False).skips]
        assert got == want, f"{got}, want {want}"
# names asked for: the tests that run
CHOICES = [
    ([], ["unit/test-num", "uml/test_golden"]),
    (["test_golden"], ["uml/test_golden"]),
    (["vm/"], ["vm/test_golden"]),
    (["tests/vm/test_golden"], ["vm/test_golden"]),
    (["tests/unit/test-num.c", "vm/"], ["unit/test-num", "vm/test_golden"]),
    (["nothing"], []),
]
tests = []
for name in ("unit/test-num", "uml/test_golden", "vm/test_golden"):
    tests.append(runner.Test(name, [], __file__))
for names, want in CHOICES:
    with tap.case(f"tests chosen by {names}"):
        got = [t.name for t in runner.choose(tests, names)]
        assert got == want, got
tap.done()
