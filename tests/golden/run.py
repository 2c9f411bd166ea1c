# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 300
"""Each scenario of scenarios/ must give the rules that kube-proxy gave (iptables/NAME.v4, .v6), in each of four ways:
import + render into iptables-restore of both variants, import + `svcrouted --once` with both variants.

run.py [NAME...]    only scenarios whose name contains one of these

Each way of each scenario has a network namespace of its own, laid out as README.md says; the host's own is not touched."""
import shutil
import subprocess
import sys
import tempfile

import canon
import netns
import scenes
from scenes import FAMILIES, Failed, HERE, run
from tap import SVCROUTED

VARIANTS = ("legacy", "nft")
COUNTERS = ("ct_state_invalid_dropped_pkts", "localhost_nps_accepted_pkts")


def compare(name, family, got):
    with open(f"{HERE}/iptables/{name}.{family}") as f:
        want = f.read()
    return scenes.difference(want.rstrip("\n").splitlines(), canon.canon(got).rstrip("\n").splitlines())


def by_render(name, folder, variant, texts):
    lock = f"{folder}/lock-render-{variant}"
    scenes.golden_host()
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
    scenes.golden_host()
    run([SVCROUTED, "--once", "--root", root], lock=f"{folder}/lock-once-{variant}")
    for family in FAMILIES:
        yield family, compare(name, family, netns.save(family, variant))


def scenario(name):
    """All cases of a scenario: [(case, what is wrong or "")]."""
    results = []
    with tempfile.TemporaryDirectory(prefix="svcroute-golden-") as folder:
        try:
            # as the oracle, which ran each scenario in iptables mode whatever it asks for
            scenes.import_scenario(name, folder)
            texts = scenes.render(folder)
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


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    scenes.main(scenario)
