# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 2400
# weight: 300
"""Golden scenarios in ipvs mode again, with rules in nf_tables: every tenth, and those with a set or a kind of rule that
none before them had. test_golden.py [NAME...]: others."""
import re
import runpy
import sys

from tap import SOURCE

sys.path.insert(0, f"{SOURCE}/tests/golden")
import run_ipvs  # noqa: E402
import scenes  # noqa: E402


def kinds(name):
    """What there is in a scenario's golden file: sets that hold something, and rules without their numbers."""
    with open(f"{scenes.HERE}/ipvs/{name}.txt") as f:
        parts = run_ipvs.sections(f.read())
    found, own = set(), ""
    for line in parts["sets"]:
        if line.startswith(" "):
            found.add(re.sub(r"[0-9a-f.:]+", "#", f"{own} {line}") if "sctp" in line else own)
        else:
            own = line.split()[0]
    for family in ("iptables", "ip6tables"):
        found.update(f"{family} " + re.sub(r"\b[0-9a-f]*[0-9:.][0-9a-f:./]*", "#", r) for r in parts[f"{family}-save"])
    return found


def choose():
    names, seen = [], set()
    for i, name in enumerate(scenes.scenario_names()):
        new = kinds(name) - seen
        seen |= new
        if new or i % 10 == 0:
            names.append(name)
    return names


runpy.run_path(f"{SOURCE}/tests/uml/test_golden.py", {"VARIANT": "nft", "NAMES": None if sys.argv[1:] else choose()},
               "__main__")
