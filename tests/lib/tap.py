# SPDX-License-Identifier: GPL-2.0-or-later
"""What a test program prints (TAP), and where it finds the tree: used by all tests written in Python.

    t = Tap()
    with t.case("cluster IP, tcp"):
        assert answer == "refused", answer
    t.done()

A case fails by an exception; Skip("reason") skips it. The rest of the program goes on in both cases."""
import contextlib
import os
import signal
import sys
import traceback

SOURCE = os.path.abspath(os.environ.get("SVCROUTE_SOURCE", os.path.join(os.path.dirname(__file__), "..", "..")))
BUILD = os.path.abspath(os.environ.get("SVCROUTE_BUILD", os.path.join(SOURCE, "build")))
SVCROUTED = os.path.join(BUILD, "svcrouted")
SVCROUTECTL = os.path.join(BUILD, "svcroutectl")


class Skip(Exception):
    pass


def exit_on_term():
    """SIGTERM (a test's timeout) unwinds the stack, so that namespaces and processes are cleaned up; once: who sends it to
    a whole group has make send it again, and that must not end the cleaning."""
    def leave(*_):
        signal.signal(signal.SIGTERM, lambda *_: None)
        sys.exit(143)
    signal.signal(signal.SIGTERM, leave)


class Tap:
    def __init__(self):
        self.number = self.failed = 0
        exit_on_term()

    def report(self, ok, name, reason="", skip=False):
        self.number += 1
        self.failed += not ok
        line = f"{'' if ok else 'not '}ok {self.number} - {name}" + (f" # SKIP {reason}" if skip else "")
        if not ok and reason:
            line += "\n# " + reason.rstrip().replace("\n", "\n# ")
        print(line, flush=True)

    @contextlib.contextmanager
    def case(self, name):
        try:
            yield
        except Skip as e:
            self.report(True, name, str(e), skip=True)
        except AssertionError as e:
            where = traceback.extract_tb(e.__traceback__)[-1]
            self.report(False, name, f"{os.path.basename(where.filename)}:{where.lineno}: {e or where.line}")
        except Exception:
            self.report(False, name, traceback.format_exc())
        else:
            self.report(True, name)

    def done(self):
        print(f"1..{self.number}", flush=True)
        sys.exit(1 if self.failed else 0)


def skip_all(reason):
    print(f"ok 1 - all # SKIP {reason}\n1..1")
    sys.exit(0)


def need_root():
    if os.geteuid() != 0:
        skip_all("needs root (network namespaces)")
