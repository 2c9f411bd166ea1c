# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 300
"""Each scenario of scenarios/ must give the rules that kube-proxy gave (iptables/NAME.v4, .v6), in each of four ways:
import + render into iptables-restore of both variants, import + `svcrouted --once` with both variants.

run.py [NAME...]    only scenarios whose name contains one of these

Each way of each scenario has a network namespace of its own, laid out as README.md says; the host's own is not touched."""
import difflib
import os
import shutil
import subprocess
import sys
import tempfile

import canon
import netns
import processes
from tap import SOURCE, SVCROUTECTL, SVCROUTED, Tap, need_root

HERE = f"{SOURCE}/tests/golden"
FAMILIES = ("v4", "v6")
VARIANTS = ("legacy", "nft")
ADDRESSES = {"lo": ("127.0.0.1/8", "::1/128"), "eth0": ("192.0.2.10/24", "2001:db8:2::10/64"),
             "br0": ("10.1.0.1/24", "2001:db8:1::1/64")}
COUNTERS = ("ct_state_invalid_dropped_pkts", "localhost_nps_accepted_pkts")
DIFF_LINES = 14


class Failed(Exception):
    pass


def run(command, text=None, lock="/dev/null"):
    p = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60,
                       stdin=None if text is not None else subprocess.DEVNULL,
                       env=dict(os.environ, XTABLES_LOCKFILE=lock))
    if p.returncode:
        raise Failed(f"{os.path.basename(command[0])} {' '.join(command[1:])}: status {p.returncode}\n{p.stderr[-1500:]}")
    return p.stdout


def golden_host():
    """The host on which kube-proxy ran."""
    netns.unshare()
    netns.sysctl("net/ipv6/conf/default/accept_dad", 0)
    lines = ["link set lo up", "link add br0 type bridge", "link add eth0 type veth peer name peer0",
             "link set br0 up", "link set eth0 up"]
    lines += [f"addr add {a} dev {link}" for link in ("eth0", "br0") for a in ADDRESSES[link]]
    netns.ip_batch(lines)


def compare(name, family, got):
    with open(f"{HERE}/iptables/{name}.{family}") as f:
        want = f.read()
    got = canon.canon(got)
    if got.rstrip("\n") == want.rstrip("\n"):
        return ""
    diff = list(difflib.unified_diff(want.splitlines(), got.splitlines(), "kube-proxy", "svcroute", lineterm="", n=0))[2:]
    more = len(diff) - DIFF_LINES
    return "\n".join(diff[:DIFF_LINES] + ([f"... {more} more lines"] if more > 0 else []))


def by_render(name, folder, variant, texts):
    lock = f"{folder}/lock-render-{variant}"
    golden_host()
    for counter in COUNTERS:
        netns.nfacct_new(counter)
    for family in FAMILIES:
        try:
            run([netns.program(family, variant, "restore"), "--noflush"], texts[family], lock)
            yield family, compare(name, family, netns.save(family, variant))
        except Failed as e:
            yield family, str(e)


def by_once(name, folder, variant):
    root = f"{folder}/once-{variant}"
    shutil.copytree(f"{folder}/import", f"{root}/etc/svcroute")
    with open(f"{root}/etc/svcroute/svcroute.conf.d/99-test.conf", "a") as f:
        f.write(f"[IPTables]\nBackend={variant}\n")
    golden_host()
    run([SVCROUTED, "--once", "--root", root], lock=f"{folder}/lock-once-{variant}")
    for family in FAMILIES:
        yield family, compare(name, family, netns.save(family, variant))


def scenario(name):
    """All cases of a scenario: [(case, what is wrong or "")]."""
    results = []
    with tempfile.TemporaryDirectory(prefix="svcroute-golden-") as folder:
        try:
            run([SVCROUTECTL, "import", "--output", f"{folder}/import", f"{HERE}/scenarios/{name}.yaml"])
            # as the oracle, which ran each scenario in iptables mode whatever it asks for
            os.makedirs(f"{folder}/import/svcroute.conf.d", exist_ok=True)
            with open(f"{folder}/import/svcroute.conf.d/99-test.conf", "w") as f:
                f.write("[Proxy]\nMode=iptables\n")
            addresses = ",".join(a.split("/")[0] for link in ADDRESSES.values() for a in link)
            texts = {f: run([SVCROUTECTL, "render", "--family", "ip" + f, "--addresses", addresses, f"{folder}/import"])
                     for f in FAMILIES}
        except (Failed, OSError) as e:
            return [(f"{name} {f} {w} {v}", str(e)) for w in ("render", "once") for v in VARIANTS for f in FAMILIES]
        for way in ("render", "once"):
            for variant in VARIANTS:
                answers = {}
                try:
                    for family, wrong in (by_render(name, folder, variant, texts) if way == "render"
                                          else by_once(name, folder, variant)):
                        answers[family] = wrong
                except (Failed, OSError, RuntimeError, subprocess.TimeoutExpired) as e:
                    for family in FAMILIES:
                        answers.setdefault(family, str(e))
                results += [(f"{name} {f} {way} {variant}", answers[f]) for f in FAMILIES]
    return results


def main():
    need_root()
    tap = Tap()
    names = sorted(f.removesuffix(".yaml") for f in os.listdir(f"{HERE}/scenarios"))
    if sys.argv[1:]:
        names = [n for n in names if any(w in n for w in sys.argv[1:])]
    assert names, "no scenario"
    for results in processes.each(scenario, names):
        for case, wrong in results:
            tap.report(not wrong, case, wrong)
    tap.done()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
