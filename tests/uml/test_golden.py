# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1800
# weight: 150
"""Each scenario of tests/golden/scenarios: `import` and `svcrouted --once` leave what kube-proxy left (golden/ipvs), in
all sections: virtual servers, timeouts, sets, the link and its addresses, sysctls, rules.

test_golden.py [NAME...]    only scenarios whose name contains one of these"""
import os
import subprocess
import sys
import tempfile

import ipvs
import netns
from tap import SVCROUTED, SOURCE

sys.path.insert(0, f"{SOURCE}/tests/golden")
import canon  # noqa: E402
import run_ipvs  # noqa: E402
import scenes  # noqa: E402

VARIANT = globals().get("VARIANT", "legacy")  # tests/vm/test_golden.py has another, and fewer scenarios
NAMES = globals().get("NAMES")
# Never set up, and without a queue.
LINK = "<BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default"


def sysctls(wanted):
    """Those that the golden file names."""
    found = []
    for line in wanted:
        path = line.split("=")[0]
        with open(f"/proc/sys/{path}") as f:
            found.append(f"{path}={f.read().strip()}")
    return found


def compare(want):
    wrong = []

    def check(what, wanted, found):
        diff = scenes.difference(wanted, found)
        if diff:
            wrong.append(f"{what}:\n{diff}")

    about, addresses = ipvs.link()
    check("virtual servers", ipvs.by_server(want["virtual servers"]), ipvs.servers())
    check("timeouts", want["IPVS timeouts"], ipvs.timeouts())
    check("sets", run_ipvs.sorted_sets(want["sets"]), ipvs.sets())
    check("link", [f"{ipvs.LINK}: {LINK}"], about[:1])
    check("kind of link", ["dummy"], [line.split()[0] for line in about[2:3]])
    check("addresses", sorted(want["addresses of kube-ipvs0"]), addresses)
    check("sysctls", want["sysctls after the sync"], sysctls(want["sysctls after the sync"]))
    for family, program in (("v4", "iptables"), ("v6", "ip6tables")):
        check(f"{program}-save", want[f"{program}-save"], canon.canon(netns.save(family, VARIANT), True).splitlines())
    return "\n".join(wrong)


def scenario(name):
    with tempfile.TemporaryDirectory(prefix="svcroute-golden-") as folder:
        try:
            with open(f"{scenes.HERE}/ipvs/{name}.txt") as f:
                want = run_ipvs.sections(f.read())
            scenes.golden_host()
            scenes.import_scenario(name, folder, "ipvs", VARIANT)
            os.makedirs(f"{folder}/root/etc")
            os.rename(f"{folder}/import", f"{folder}/root/etc/svcroute")
            scenes.run([SVCROUTED, "--root", f"{folder}/root", "--once"], lock=f"{folder}/lock")
            wrong = compare(want)
        except (scenes.Failed, OSError, RuntimeError, AssertionError, subprocess.TimeoutExpired) as e:
            wrong = str(e)
    return [(f"{name} once", wrong)]


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    subprocess.run(["modprobe", "-a", "ipv6", "bridge", "veth"], check=True)
    scenes.main(scenario, NAMES)
