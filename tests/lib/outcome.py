# SPDX-License-Identifier: GPL-2.0-or-later
"""What a test's output says (TAP, cmocka's kind too): how many cases passed, which failed, which were skipped and why."""
import re
import signal

RESULT = re.compile(r"^\s*(not )?ok\b *\d* *-? *(.*?)\s*(?:# *(SKIP|skip)\w*:? *(.*))?$")
WHY = re.compile(r"^# skip: (.*)$")  # of the case that is told next: make-skip.h
PLAN = re.compile(r"^\s*1\.\.(\d+)\s*(?:# *SKIP *(.*))?$")


class Outcome:
    def __init__(self):
        self.passed, self.failures, self.skips, self.seconds = 0, [], [], 0.0


def judge(text, status, timed_out):
    """Counts the cases in a test's output. The exit status and the plans must agree with what was printed."""
    o, planned, seen, why = Outcome(), 0, 0, "no reason given"
    for line in text.splitlines():
        if m := WHY.match(line):
            why = m[1]
        elif m := PLAN.match(line):
            planned += int(m[1])
            if m[1] == "0":
                o.skips.append(("all", m[2] or "no reason given"))
        elif m := RESULT.match(line):
            seen += 1
            # cmocka 1.1.5 prints a skipped case as "not ok N # SKIP name"
            if m[3]:
                o.skips.append((m[2] or m[4], m[4] if m[2] else why))
                why = "no reason given"
            elif m[1]:
                o.failures.append(m[2])
            else:
                o.passed += 1
    if timed_out:
        o.failures.append("time limit")
    elif status < 0:
        o.failures.append(f"ended by signal {-status} ({signal.strsignal(-status)})")
    elif status != 0 and not o.failures:
        o.failures.append(f"exit status {status} though no case failed")
    elif seen != planned:
        o.failures.append(f"{seen} cases seen, {planned} announced")
    elif seen == 0 and not o.skips:
        o.failures.append("no test ran")
    return o
