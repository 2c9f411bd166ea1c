# SPDX-License-Identifier: GPL-2.0-or-later
"""What the sources themselves must look like: where includes may point, who turns text into numbers, how long a file
may be, that each suppression of a warning stands alone with a reason. Each check is tried on bad text first, so that
one which can no longer fail is noticed."""
import os
import re

from tap import SOURCE, Tap

# An include may only point to a folder earlier in this list, or to its own.
FOLDERS = ["base", "model", "config", "import", "rules", "kernel", "backend", "control", "daemon", "ctl"]
# kernel/ knows nothing of configuration; of the model it may see the view.
KERNEL_MAY = {"model/view.h"}

MAX_LINES = 900
# Anything else from here turns text into a number without a range or an error.
NUMBERS = re.compile(r"\b(ato[ifl]|atoll|strto(u?ll?|u?max|[dfl]d?)|v?f?sscanf|strtoq|strtouq)\s*\(")

SUPPRESSION = re.compile(r"NOLINT|cppcheck-suppress|shellcheck disable|#\s*pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored|"
                         r"clang-format off|no_sanitize|fsanitize-recover|DisableFormat|__attribute__\(\(unused\)\)")
# A reason follows the suppression's own words on its line, or stands in a comment on the line before.
WORDS = re.compile(r"(?:NOLINT\w*(?:\([^)]*\))?|cppcheck-suppress\w*(?:\[[^]]*\]|\s+[\w,]+)|shellcheck disable=[\w,]+|"
                   r"#\s*pragma.*|clang-format off|no_sanitize\S*|/\*|\*/|//|#|--|[:;,(){}_])")
LEFTOVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|not implemented")


def files(*suffixes, under=("src", "tests", "etc", "systemd", ".ci")):
    for top in under:
        for where, folders, names in os.walk(os.path.join(SOURCE, top)):
            folders[:] = [d for d in folders if d not in ("__pycache__", "scenarios", "iptables", "seeds")]
            for name in sorted(names):
                if name.endswith(suffixes) or not suffixes:
                    path = os.path.join(where, name)
                    with open(path, errors="replace") as f:
                        yield os.path.relpath(path, SOURCE), f.read()


def numbered(text):
    return enumerate(text.splitlines(), 1)


def code_only(text):
    """Comments and strings blanked, lines kept."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m[0])
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def bad_includes(path, text):
    parts = path.split("/")
    if parts[0] != "src" or len(parts) < 3:
        return
    if parts[1] not in FOLDERS:
        if parts[1] not in ("man", "completion"):
            yield f"{path}: folder '{parts[1]}' is not in the list"
        return
    own = FOLDERS.index(parts[1])
    for n, line in numbered(text):
        m = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not m:
            continue
        to = m[1].split("/")
        if len(to) != 2 or to[0] not in FOLDERS:
            yield f"{path}:{n}: '{m[1]}' is not written as FOLDER/FILE.h"
        elif FOLDERS.index(to[0]) > own:
            yield f"{path}:{n}: {parts[1]}/ may not include {to[0]}/"
        elif parts[1] == "kernel" and to[0] not in ("base", "kernel") and m[1] not in KERNEL_MAY:
            yield f"{path}:{n}: kernel/ may not include {m[1]}"


def bad_numbers(path, text):
    if path.startswith("src/") and not path.startswith("src/base/"):
        for n, line in numbered(code_only(text)):
            if m := NUMBERS.search(line):
                yield f"{path}:{n}: {m[1]}(): text becomes a number only in base/num.h"


def bad_length(path, text):
    n = text.count("\n")
    if n > MAX_LINES:
        yield f"{path}: {n} lines, at most {MAX_LINES}"


def narrow(lines, i):
    """Does the pragma in line i stand between a push and a pop that are not far apart?"""
    before = [line for line in lines[max(0, i - 5):i] if re.search(r"diagnostic\s+(push|pop)", line)]
    after = [line for line in lines[i + 1:i + 40] if re.search(r"diagnostic\s+(push|pop)", line)]
    return bool(before and after and "push" in before[-1] and "pop" in after[0])


def suppressions(path, text):
    """(line number, None or what is wrong with it)"""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if not SUPPRESSION.search(line) or path == "tests/lint/test_sources.py":
            continue
        alone = re.match(r"\s*(/\*|//|#)", line)
        reason = WORDS.sub(" ", line)
        above = [b for b in lines[max(0, i - 3):i] if not re.search(r"diagnostic\s+push", b)]
        before = above[-1].strip() if above else ""
        if not alone:
            yield i + 1, "does not stand on a line of its own"
        elif len(reason.split()) < 3 and not (before.startswith(("/*", "*", "//", "# ")) and len(before.split()) > 3):
            yield i + 1, "has no reason"
        elif "diagnostic" in line and not narrow(lines, i):
            yield i + 1, "has no push before and no pop soon after it"
        else:
            yield i + 1, None


def bad_first_line(path, text):
    lines = text.splitlines()[:2]
    if not any("SPDX-License-Identifier: GPL-2.0-or-later" in line for line in lines):
        yield f"{path}: no SPDX line"


def bad_leftover(path, text):
    if path != "tests/lint/test_sources.py":
        for n, line in numbered(text):
            if m := LEFTOVER.search(line):
                yield f"{path}:{n}: {m[0]}"


def bad_white_space(path, text):
    for n, line in numbered(text):
        if line != line.rstrip():
            yield f"{path}:{n}: blanks at the end"
    if text and not text.endswith("\n"):
        yield f"{path}: no newline at the end"


# check, a path, text that must be found bad, text that must not
TRIALS = [
    (bad_includes, "src/model/a.c", '#include "rules/rule.h"\n', '#include "base/num.h"\n#include "model/b.h"\n'),
    (bad_includes, "src/kernel/a.c", '#include "model/world.h"\n', '#include "model/view.h"\n'),
    (bad_includes, "src/kernel/a.c", '#include "rules/rule.h"\n', '#include "kernel/child.h"\n'),
    (bad_includes, "src/ctl/a.c", '#include "num.h"\n', '#include "daemon/sync.h"\n'),
    (bad_includes, "src/odd/a.c", "", '#include <stdio.h>\n'),
    (bad_numbers, "src/model/a.c", "x = atoi(s);\n", "/* atoi(s) */ y = num_parse(s);\n"),
    (bad_numbers, "src/model/a.c", "x = strtoul (s, 0, 0);\n", 'puts("strtol(");\n'),
    (bad_length, "src/model/a.c", "\n" * 901, "\n" * 900),
    (bad_first_line, "src/model/a.c", "int x;\n", "/* SPDX-License-Identifier: GPL-2.0-or-later */\n"),
    (bad_leftover, "src/model/a.c", "/* TODO: more */\n", "/* to do so */\n"),
    (bad_white_space, "src/model/a.c", "int x; \n", "int x;\n"),
]
SUPPRESSION_TRIALS = [
    ("int x; // NOLINT\n", 1), ("/* NOLINT */\n", 1), ("// cppcheck-suppress nullPointer\nint x;\n", 1),
    ("int x; /* cppcheck-suppress nullPointer */\n", 1), ("# shellcheck disable=SC2086\n", 1),
    ("/* the table is never empty, see above */\n// cppcheck-suppress nullPointer\n", 0),
    ("# shellcheck disable=SC2086 # words are wanted here\n", 0),
    ("#pragma GCC diagnostic push\n/* gcc 12 does not see the bound */\n#pragma GCC diagnostic ignored \"-Wx\"\n"
     "x;\n#pragma GCC diagnostic pop\n", 0),
    ("/* gcc 12 does not see the bound */\n#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wx\"\n"
     "x;\n#pragma GCC diagnostic pop\n", 0),
    ("/* gcc 12 does not see the bound */\n#pragma GCC diagnostic ignored \"-Wx\"\n", 1),
    ("/* gcc 12 does not see the bound */\n#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wx\"\n"
     + "x;\n" * 50 + "#pragma GCC diagnostic pop\n", 1),
    ("#pragma GCC diagnostic ignored \"-Wx\"\n", 1),
]


def check(tap, name, bad, *suffixes, **where):
    with tap.case(name):
        trials = [t for t in TRIALS if t[0] is bad]
        assert trials, "no trial"
        for _, path, wrong, right in trials:
            assert list(bad(path, wrong)) or (path.startswith("src/odd") and list(bad(path, right))), f"blind to {wrong!r}"
            assert path.startswith("src/odd") or not list(bad(path, right)), f"refuses {right!r}"
        found = [line for path, text in files(*suffixes, **where) for line in bad(path, text)]
        assert not found, "\n".join(found)


def main():
    tap = Tap()
    check(tap, "includes point upwards", bad_includes, ".c", ".h")
    check(tap, "numbers are read in base/ only", bad_numbers, ".c", ".h")
    check(tap, f"no file over {MAX_LINES} lines", bad_length, ".c", ".h", ".py", ".sh")
    check(tap, "each file names its licence", bad_first_line, ".c", ".h", ".py", ".sh")
    check(tap, "nothing left to do", bad_leftover, ".c", ".h", ".py", ".sh")
    check(tap, "white space", bad_white_space, ".c", ".h", ".py", ".sh", ".cfg", ".conf", ".service")
    with tap.case("suppressions stand alone, with a reason"):
        for text, n_bad in SUPPRESSION_TRIALS:
            got = [why for _, why in suppressions("src/model/a.c", text)]
            assert got and len([why for why in got if why]) == n_bad, f"{text!r}: {got}"
        all_found = [(path, n, why) for path, text in files(".c", ".h", ".py", ".sh", "run")
                     for n, why in suppressions(path, text)]
        print(f"# note: {len(all_found)} suppressions of warnings")
        for path, n, _ in all_found:
            print(f"# {path}:{n}")
        bad = [f"{path}:{n}: {why}" for path, n, why in all_found if why]
        assert not bad, "\n".join(bad)
    tap.done()


main()
