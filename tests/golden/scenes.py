# SPDX-License-Identifier: GPL-2.0-or-later
"""What the golden tests of all modes share: the host on which kube-proxy ran, scenarios as our files, comparing."""
import difflib
import os
import subprocess
import sys

import netns
import processes
from tap import SOURCE, SVCROUTECTL, Tap, need_root

HERE = f"{SOURCE}/tests/golden"
FAMILIES = ("v4", "v6")
ADDRESSES = {"lo": ("127.0.0.1/8", "::1/128"), "eth0": ("192.0.2.10/24", "2001:db8:2::10/64"),
             "br0": ("10.1.0.1/24", "2001:db8:1::1/64")}
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


def import_scenario(name, folder, mode="iptables", variant=None):
    """The scenario as files below folder/import, in this mode and, if given, variant of iptables whatever it asks for."""
    run([SVCROUTECTL, "import", "--output", f"{folder}/import", f"{HERE}/scenarios/{name}.yaml"])
    os.makedirs(f"{folder}/import/svcroute.conf.d", exist_ok=True)
    with open(f"{folder}/import/svcroute.conf.d/99-test.conf", "w") as f:
        f.write(f"[Proxy]\nMode={mode}\n" + (f"[IPTables]\nBackend={variant}\n" if variant else ""))


def render(folder, *options):
    """What `render` prints for them on the golden host, by family."""
    addresses = ",".join(a.split("/")[0] for link in ADDRESSES.values() for a in link)
    return {f: run([SVCROUTECTL, "render", "--family", "ip" + f, "--addresses", addresses, *options, f"{folder}/import"])
            for f in FAMILIES}


def difference(want, got):
    """Of two lists of lines, "" when there is none."""
    if want == got:
        return ""
    diff = list(difflib.unified_diff(want, got, "kube-proxy", "svcroute", lineterm="", n=0))[2:]
    more = len(diff) - DIFF_LINES
    return "\n".join(diff[:DIFF_LINES] + ([f"... {more} more lines"] if more > 0 else []))


def scenario_names():
    return sorted(f.removesuffix(".yaml") for f in os.listdir(f"{HERE}/scenarios"))


def main(scenario, names=None):
    """scenario(NAME) gives [(case, what is wrong or "")]; in a process that may leave its namespaces. names: those of the
    scenarios, when not all."""
    need_root()
    tap = Tap()
    names = names or scenario_names()
    if sys.argv[1:]:
        names = [n for n in names if any(w in n for w in sys.argv[1:])]
    assert names, "no scenario"
    for results in processes.each(scenario, names):
        for case, wrong in results:
            tap.report(not wrong, case, wrong)
    tap.done()
