# SPDX-License-Identifier: GPL-2.0-or-later
"""How make check-deb counts: what a machine prints, and what it makes of machines that go down."""
import contextlib
import io
import tempfile

import check
import debian
import debian_vm
from tap import Tap

PANIC = "[    4.2] BUG: unable to handle page fault\n[    4.3] Kernel panic - not syncing\n"
TRAP = "[    4.2] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI\n[    4.3] Kernel panic - not syncing\n"
GOOD = [(["1..2", "ok 1 - a", "ok 2 - b"], 0, "")]

DOWN = [([], None, "")]
PANICS = [([], None, PANIC)]
TRAPS = [([], None, TRAP)]

# What each machine does in turn, a boot in brackets: its output, its exit status (None: it went down; a word: it asked for
# another boot and left this mark), its console. Then: machines used, passed, failed, skipped. All are emulated.
ROWS = {
    "all is well": ([GOOD], 1, 2, 0, 0),
    "a failed case": ([[(["1..2", "ok 1 - a", "not ok 2 - b", "# why"], 1, "")]], 1, 1, 1, 0),
    "a skipped case": ([[(["1..1", "ok 1 - a # SKIP no IPv6"], 0, "")]], 1, 0, 0, 1),
    "the whole test skipped": ([[(["# no module"], 77, "")]], 1, 0, 0, 1),
    "a case that did not come": ([[(["1..2", "ok 1 - a"], 0, "")]], 1, 1, 1, 0),
    "a status without a failed case": ([[(["1..1", "ok 1 - a"], 3, "")]], 1, 1, 1, 0),
    "output without an end": ([[(["1..2", "ok 1 - a", "not ok 2 - b"], None, "")]], 1, 1, 2, 0),
    "two boots": ([[(["ok 1 - a"], "second", ""), (["ok 2 - b", "1..2"], 0, "")]], 1, 2, 0, 0),
    "two boots, a case less": ([[(["ok 1 - a"], "second", ""), (["1..2"], 0, "")]], 1, 1, 1, 0),
    "a machine that goes down": ([DOWN, GOOD], 1, 0, 1, 0),
    "a kernel that panics": ([PANICS, GOOD], 1, 0, 1, 0),
    "the emulator fails at once": ([TRAPS, GOOD], 2, 2, 0, 0),
    "the emulator fails in the second boot": ([[(["ok 1 - a"], "second", ""), *TRAPS], GOOD], 2, 3, 0, 0),
    "the emulator fails twice": ([TRAPS, [(["1..2", "ok 1 - a"], None, TRAP)], GOOD], 3, 3, 0, 0),
    "the emulator fails, then a case does": ([TRAPS, [(["1..1", "not ok 1 - a"], 1, "")]], 2, 0, 1, 0),
    "the emulator fails after a case did": ([[(["1..2", "not ok 1 - a"], None, TRAP)], GOOD], 2, 2, 1, 0),
    "the emulator fails, then the kernel panics": ([TRAPS, PANICS, GOOD], 2, 0, 1, 0),
    "the emulator fails each time": ([TRAPS] * 4, 3, 0, 1, 0),
    "a trap in the console of a machine that ended well": ([[(["1..1", "ok 1 - a"], 0, TRAP)]], 1, 1, 0, 0),
    "a trap in the console, and a failed case": ([[(["1..1", "not ok 1 - a"], 1, TRAP)], GOOD], 1, 0, 1, 0),
}


class Machines:
    """Stands for debian and debian_vm: each machine made is the next of the list."""

    def __init__(self, machines, fault):
        self.machines, self.used, self.fault = machines, 0, fault

    @contextlib.contextmanager
    def Machine(self, _image, _repo):
        m = Machine(self.fault, *self.machines[self.used])
        self.used += 1
        with tempfile.TemporaryDirectory() as m.work:
            yield m


class Machine:
    seconds = 1.0

    def __init__(self, fault, *boots):
        self.EMULATOR_FAULT = fault
        self.boots, self.mark, self.text = list(boots), "''", ""
        self.status = None

    def boot(self, command, _source, _seconds):
        assert f"AUTOPKGTEST_REBOOT_MARK={self.mark} " in command, command
        output, ending, self.text = self.boots.pop(0)
        yield from output
        if isinstance(ending, str):
            self.mark = ending
            with open(f"{self.work}/mark", "w") as f:
                f.write(ending + "\n")
        else:
            self.status = ending

    def console(self):
        return self.text


def counts(machine, kind, machines):
    """Machines used, passed, failed, skipped, and what was printed."""
    check.MACHINES[machine] = kind = Machines(machines, kind.Machine.EMULATOR_FAULT)
    count = check.Count()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        check.run_test(count, "bookworm", machine, "image", "repo", "life", "skippable")
    return kind.used, count.passed, count.failed, count.skipped, printed.getvalue()


tap = Tap()
for name, (machines, *want) in ROWS.items():
    with tap.case(name):
        *got, printed = counts("vm", debian_vm, machines)
        assert got == want, f"machines, passed, failed, skipped: {got}, wanted {want}\n{printed}"
        told = printed.count("# note: bookworm vm: life: the emulator failed")
        assert told == want[0] - 1, f"told {told} times\n{printed}"
with tap.case("nothing emulates user-mode Linux"):
    *got, printed = counts("uml", debian, [TRAPS, GOOD])
    assert got == [1, 0, 1, 0], f"{got}\n{printed}"
tap.done()
