# SPDX-License-Identifier: GPL-2.0-or-later
"""Canonical form of iptables-save text, for comparing two hosts' rules.

Kept: tables, KUBE-* chains, the jumps into them, every rule in the order of its chain. Dropped: counters,
time stamps, policies, KUBE-PROXY-CANARY (a timer makes it). Sorted, because kube-proxy writes them in random
order and their order cannot matter: in the iptables mode's four shared chains the rules of the services, by
comment (stable; two services never overlap), and the jumps to the node ports at the end of KUBE-SERVICES, as
text (one per node address; a jump that is not at the end stays where it is, so that a misplaced one shows).
With --ipvs only KUBE-IPVS-OUT-FILTER is sorted; everything else counts as it stands."""
import re, sys

SHARED = ("KUBE-SERVICES", "KUBE-NODEPORTS", "KUBE-EXTERNAL-SERVICES", "KUBE-PROXY-FIREWALL")
LAST = "must be the last rule"

def comment(rule):
    m = re.search(r'--comment ("(?:[^"\\]|\\.)*"|\S+)', rule)
    return m.group(1) if m else ""

def ordered(chain, rules, ipvs):
    if ipvs:
        return sorted(rules) if chain == "KUBE-IPVS-OUT-FILTER" else rules
    if chain not in SHARED:
        return rules
    n = len(rules)
    while n and LAST in rules[n - 1]:
        n -= 1
    return sorted(rules[:n], key=comment) + sorted(rules[n:])

def canon(text, ipvs=False):
    tables, cur = {}, None
    for line in text.splitlines():
        line = re.sub(r"^\[\d+:\d+\] ", "", line.rstrip())
        if line.startswith("*"):
            cur = tables.setdefault(line[1:], {})
        elif line.startswith(":") and cur is not None:
            cur.setdefault(line[1:].split()[0], [])
        elif line.startswith("-A "):
            cur.setdefault(line.split()[1], []).append(line)
    out = []
    for table in sorted(tables):
        chains = {c: r for c, r in tables[table].items() if (c.startswith("KUBE-") or r) and c != "KUBE-PROXY-CANARY"}
        if not chains:
            continue
        out.append("*" + table)
        out += [":" + c for c in sorted(chains) if c.startswith("KUBE-")]
        for c in sorted(chains):
            out += ordered(c, chains[c], ipvs)
        out.append("")
    return "\n".join(out)

if __name__ == "__main__":
    sys.stdout.write(canon(sys.stdin.read(), "--ipvs" in sys.argv))
