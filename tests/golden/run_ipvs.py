# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# weight: 120
"""Each scenario of scenarios/ must give in ipvs mode what kube-proxy gave (ipvs/NAME.txt), by import + render: virtual
servers, sets, addresses, rules, and the sysctls and timeouts that are written.

run_ipvs.py [NAME...]    only scenarios whose name contains one of these

The sets are made by ipset and the rules loaded by iptables in a network namespace for each scenario, so what is compared
is what these programs print again. This kernel need not have IPVS: virtual servers are compared as text, and the rules
that look at them are not loaded but written as a save would show them."""
import re
import subprocess
import sys
import tempfile

import canon
import netns
import scenes
from ipvs import by_server, set_lines
from scenes import FAMILIES, Failed, HERE, run

# What a fresh namespace has; the golden files tell all values after the sync, also those nobody wrote.
DEFAULT_SYSCTLS = {"net/ipv4/vs/conn_reuse_mode=1", "net/ipv4/conf/all/arp_ignore=0",
                   "net/ipv4/conf/all/arp_announce=0", "net/ipv4/conf/all/route_localnet=0",
                   "net/ipv6/conf/all/forwarding=0"}
DEFAULT_TIMEOUTS = ["900 120 300"]
PROTOCOLS = {"tcp": 6, "udp": 17, "sctp": 132}


def sections(text):
    """{first word of the heading's text: lines}"""
    found, lines = {}, None
    for line in text.splitlines():
        if line.startswith("# "):
            lines = found.setdefault(line[2:].split(" (")[0], [])
        elif lines is not None:
            lines.append(line)
    for lines in found.values():
        while lines and not lines[-1]:
            lines.pop()
    return found


def of_family(lines, family, pattern):
    """Of the lines that belong together, which those without a blank before them begin."""
    kept, keep = [], False
    for line in lines:
        if not line.startswith(" "):
            keep = bool(re.search(pattern, line)) == (family == "v6")
        if keep:
            kept.append(line)
    return kept


def sorted_sets(lines):
    """Golden entries are sorted as text within each set already, or nearly so."""
    sets, own = {}, None
    for line in lines:
        if line.startswith(" "):
            own.append(line)
        else:
            own = sets.setdefault(line, [])
    return [out for name in sorted(sets) for out in (name, *sorted(sets[name]))]


def as_saved(rule, family):
    m = re.fullmatch(r"-A (\S+) -s (\S+) -m ipvs --vaddr (\S+) --vproto (\w+) --vport (\d+) -j DROP", rule)
    assert m and m[2] == m[3], rule
    return (f"-A {m[1]} -s {m[2]}/{32 if family == 'v4' else 128} -m ipvs --vproto {PROTOCOLS[m[4]]} --vaddr {m[3]} "
            f"--vport {m[5]} -j DROP")


def load(family, parts, lock):
    """Gives sets and rules to this namespace. What the programs then print: [lines of sets], [lines of rules]."""
    rules = next(lines for title, lines in parts.items() if title == "rules")
    of_ipvs = [r for r in rules if " -m ipvs " in r]
    run(["ipset", "restore"], "\n".join(parts["sets"]) + "\n")
    run([netns.program(family, "legacy", "restore"), "--noflush"],
        "\n".join(r for r in rules if r not in of_ipvs) + "\n", lock)
    saved = netns.save(family, "legacy").splitlines()
    end = saved.index("COMMIT", saved.index("*filter"))
    saved[end:end] = [as_saved(r, family) for r in of_ipvs]
    return (of_family(set_lines(run(["ipset", "save"])), family, r"^KUBE-6-"),
            canon.canon("\n".join(saved), True).splitlines())


def compare(want, got, family, lock):
    """Every difference of one family."""
    wrong = []

    def check(what, wanted, found):
        diff = scenes.difference(wanted, found)
        if diff:
            wrong.append(f"{what}:\n{diff}")

    check("virtual servers", by_server(of_family(want["virtual servers"], family, r"\[")),
          by_server(got["virtual servers"]))
    check("addresses", sorted(of_family(want["addresses of kube-ipvs0"], family, ":")), sorted(got["addresses of kube-ipvs0"]))
    check("sysctls", [s for s in want["sysctls after the sync"] if s not in DEFAULT_SYSCTLS], got["sysctls that are written"])
    timeouts = want["IPVS timeouts"]
    check("timeouts", [] if timeouts == DEFAULT_TIMEOUTS else timeouts, got.get("IPVS timeouts", []))
    sets, rules = load(family, got, lock)
    check("sets", sorted_sets(of_family(want["sets"], family, r"^KUBE-6-")), sets)
    check("rules", want["iptables-save" if family == "v4" else "ip6tables-save"],
          rules)
    return "\n".join(wrong)


def scenario(name):
    """All cases of a scenario: [(case, what is wrong or "")]."""
    results = []
    with tempfile.TemporaryDirectory(prefix="svcroute-golden-") as folder:
        try:
            with open(f"{HERE}/ipvs/{name}.txt") as f:
                want = sections(f.read())
            scenes.import_scenario(name, folder, "ipvs")
            texts = scenes.render(folder, "--mode", "ipvs")
            netns.unshare()
        except (Failed, OSError) as e:
            return [(f"{name} {f} render", str(e)) for f in FAMILIES]
        for family in FAMILIES:
            try:
                wrong = compare(want, sections(texts[family]), family, f"{folder}/lock")
            except (Failed, OSError, RuntimeError, subprocess.TimeoutExpired) as e:
                wrong = str(e)
            results.append((f"{name} {family} render", wrong))
    return results


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    scenes.main(scenario)
