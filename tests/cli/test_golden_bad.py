# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/golden/bad through the command: each file is one change to good objects, and the verdict is what an API server (or
kube-proxy, of its configuration) said about it. What it refused, `import` refuses: exit status 3, nothing written, and an
error that names the same field. What it accepted is accepted, and passes `check` as written; or it is refused by a rule of
our own, which KEPT_OUT names.

A line of the result table: # case | kinds of the verdict | its fields | what import did | the rule"""
# weight: 20
import collections
import glob
import json
import os
import subprocess
import tempfile

from tap import SOURCE, SVCROUTECTL, Tap

BAD = f"{SOURCE}/tests/golden/bad"
CASES = 231

# What an API server accepts and we refuse on purpose: the row of the model, and what it says.
RULES = {
    "4.1": "names of interfaces have at most 15 bytes",
    "E7": "an endpoint is no broadcast address",
    "E13": "an endpoint port is 1-65535",
    "E17": "a hint names a zone",
    "S17": "a cluster IP is an address that packets can be sent to",
    "S20": "ExternalName has no cluster IP",
    "S39": "a node port lies in ServiceNodePortRange=",
    "S51": "an external IP is an address that packets can be sent to",
    "S58": "a load balancer's IP is an address that packets can be sent to",
    "X4": "the health-check node port is not a node port",
    "Y9": "prefixes are strict: no host bits, leading zeros, mapped addresses; with a mask",
    "scheduler": "the IPVS scheduler is one that the kernel has",
}
KEPT_OUT = {  # case: (row, field that is told)
    "clustercidr-leading-zero": ("Y9", "clusterCIDR"),
    "clustercidr-mapped": ("Y9", "clusterCIDR"),
    "clustercidr-mask-leading-zero": ("Y9", "clusterCIDR"),
    "clusterip-link": ("S17", "spec.clusterIPs[0]"),
    "clusterip-link6": ("S17", "spec.clusterIPs[0]"),
    "clusterip-loop": ("S17", "spec.clusterIPs[0]"),
    "clusterip-mcast": ("S17", "spec.clusterIPs[0]"),
    "clusterip-mcast6": ("S17", "spec.clusterIPs[0]"),
    "clusterip-unspec": ("S17", "spec.clusterIPs[0]"),
    "clusterip-unspec6": ("S17", "spec.clusterIPs[0]"),
    "detect-prefix-long": ("4.1", "detectLocal.interfaceNamePrefix"),
    "endpoint-bcast": ("E7", "endpoints[0].addresses[0]"),
    "excludecidr-leading-zero": ("Y9", "ipvs.excludeCIDRs[0]"),
    "excludecidr-mapped": ("Y9", "ipvs.excludeCIDRs[0]"),
    "excludecidr-mask-leading-zero": ("Y9", "ipvs.excludeCIDRs[0]"),
    "externalip-bcast": ("S51", "spec.externalIPs[0]"),
    "externalname-with-ip": ("S20", "spec.clusterIPs[0]"),
    "hcnp-equals-nodeport": ("X4", "spec.healthCheckNodePort"),
    "lbip-bcast": ("S58", "status.loadBalancer.ingress[0].ip"),
    "lbip-link": ("S58", "status.loadBalancer.ingress[0].ip"),
    "lbip-link6": ("S58", "status.loadBalancer.ingress[0].ip"),
    "lbip-loop6": ("S58", "status.loadBalancer.ingress[0].ip"),
    "lbip-mcast": ("S58", "status.loadBalancer.ingress[0].ip"),
    "lbip-unspec": ("S58", "status.loadBalancer.ingress[0].ip"),
    "nodeport-big": ("S39", "spec.ports[0].nodePort"),
    "nodeport-max": ("S39", "spec.ports[0].nodePort"),
    "nodeport-neg": ("S39", "spec.ports[0].nodePort"),
    "nodeportaddress-leading-zero": ("Y9", "nodePortAddresses[0]"),
    "nodeportaddress-mask-leading-zero": ("Y9", "nodePortAddresses[0]"),
    "scheduler-unknown": ("scheduler", "ipvs.scheduler"),
    "slice-port-big": ("E13", "ports[0].port"),
    "slice-port-neg": ("E13", "ports[0].port"),
    "slice-port-null": ("E13", "ports[0].port"),
    "slice-port-zero": ("E13", "ports[0].port"),
    "slice-zone-hint-empty": ("E17", "endpoints[0].hints.forZones[0].name"),
}

# A verdict about the configuration has kube-proxy's internal names; ours are the keys of its file.
CONFIG_KEYS = {
    "BindAddress": "bindAddress",
    "DetectLocalConfiguration.ClusterCIDRs": "clusterCIDR",
    "DetectLocalConfiguration.ClusterCIDRs[0]": "clusterCIDR",
    "DetectLocalMode": "detectLocalMode",
    "HealthzBindAddress": "healthzBindAddress",
    "KubeProxyIPTablesConfiguration.MasqueradeBit": "iptables.masqueradeBit",
    "KubeProxyIPVSConfiguration.ExcludeCidrs[0]": "ipvs.excludeCIDRs[0]",
    "KubeProxyLinuxConfiguration.KubeProxyConntrackConfiguration.MaxPerCore": "conntrack.maxPerCore",
    "MinSyncPeriod": "iptables.minSyncPeriod",
    "NodePortAddresses[0]": "nodePortAddresses[0]",
    "SyncPeriod": "iptables.syncPeriod",
}
# A verdict may blame, beside what was written, what the API server's defaults made of it. These have no error of ours.
DEFAULTED = {("clusterips-same-family", "spec.ipFamilies[1]"), ("port-zero", "spec.ports[0].targetPort")}


def our_field(kind, field):
    if kind == "KubeProxyConfiguration":
        return CONFIG_KEYS[field.removeprefix("KubeProxyConfiguration.")]
    # Kubernetes' own slip
    return field.replace("spec.LoadBalancerSourceRanges", "spec.loadBalancerSourceRanges")


def read_verdict(name):
    """[(kind, our field, reason)]; the field is "" where the file does not even decode."""
    with open(f"{BAD}/{name}.verdict") as f:
        lines = f.read().splitlines()
    verdict = []
    for line in lines:
        kind, field, reason = line.split(" ", 2)
        if line.startswith("refused to load"):
            verdict.append(("undecodable", "", line))
        else:
            verdict.append((kind, our_field(kind, field), reason))
    return verdict


def ctl(*arguments):
    p = subprocess.run([SVCROUTECTL, *arguments], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    assert p.returncode in (0, 3), f"status {p.returncode}: {p.stderr}"
    return p.returncode, p.stdout, p.stderr


def contents(path):
    """All there is below a directory, so that any write shows."""
    found = {}
    for directory, names, files in os.walk(path):
        for name in names + files:
            full = os.path.join(directory, name)
            st = os.lstat(full)
            data = None
            if name in files:
                with open(full, "rb") as f:
                    data = f.read()
            found[os.path.relpath(full, path)] = (st.st_ino, st.st_mode, st.st_mtime_ns, data)
    return found


def refused(scratch, path, fields):
    """Exit status 3, nothing written, neither into a new directory nor over an old one; every field has an error."""
    os.makedirs(f"{scratch}/old/services.d")
    for name in ("svcroute.conf", "services.d/default.web.cfg"):
        with open(f"{scratch}/old/{name}", "w") as f:
            f.write("# before\n")
    before = contents(scratch)
    for directory in ("new", "old"):
        status, out, err = ctl("--json", "import", "--force", "--output", f"{scratch}/{directory}", path)
        assert status == 3, f"status {status}: {out}{err}"
        assert contents(scratch) == before, "something was written"
    messages = json.loads(out)
    errors = [m for m in messages if m["severity"] == "error"]
    told = [m["field"] for m in errors]
    for field in fields:
        assert field in told, f"no error about {field}, but: {errors}"
    for m in errors:
        assert m["file"] == path and m["line"] > 0 and m["column"] > 0 and m["reason"], m
    # the same in plain text, and nothing on standard output
    status, out, err = ctl("import", path)
    assert status == 3 and out == "", f"status {status}: {out}"
    for field in fields:
        assert any(": error: " + field in line and line.startswith(f"{path}:") for line in err.splitlines()), err
    return "refused: " + (told[0] or errors[0]["reason"])


def accepted(scratch, path):
    """Written, and taken by `check`."""
    directory = f"{scratch}/new"
    status, out, err = ctl("import", "--output", directory, path)
    assert status == 0, err
    written = contents(directory)
    assert "svcroute.conf" in written and "services.d/default.web.cfg" in written, sorted(written)
    status, out, err = ctl("--json", "check", directory)
    errors = [m for m in json.loads(out) if m["severity"] == "error"]
    if status == 0:
        assert not errors
        return "accepted"
    # A mode that this build lacks: import accepts it, check says so. All else must be fine.
    assert len(errors) == 1 and errors[0]["reason"] == "mode not in this build", errors
    conf = f"{directory}/svcroute.conf"
    with open(conf) as f:
        lines = [line for line in f if not line.startswith("Mode=")]
    with open(conf, "w") as f:
        f.writelines(lines)
    status, out, err = ctl("check", directory)
    assert status == 0, err
    return "accepted (mode not in this build)"


def case(name):
    """(outcome for the count, the line of the table)"""
    path, verdict = f"{BAD}/{name}.yaml", read_verdict(name)
    fields = [field for _, field, _ in verdict if field and (name, field) not in DEFAULTED]
    row = ""
    with tempfile.TemporaryDirectory(prefix="svcroute-bad-") as scratch:
        if verdict:
            assert name not in KEPT_OUT
            assert fields or verdict[0][0] == "undecodable"
            did, outcome = refused(scratch, path, fields), "refused as by an API server"
        elif name in KEPT_OUT:
            row, field = KEPT_OUT[name]
            assert row in RULES
            did, outcome = refused(scratch, path, [field]), "refused on purpose"
        else:
            did = accepted(scratch, path)
            outcome = "accepted as by an API server"
    kinds = " ".join(dict.fromkeys(kind for kind, _, _ in verdict)) or "accepted"
    return outcome, f"{name} | {kinds} | {' '.join(f for _, f, _ in verdict)} | {did} | {row}"


def nothing_by_name(names):
    """No case is known to the program: its name stands nowhere in the sources."""
    for path in glob.glob(f"{SOURCE}/src/**/*.[ch]", recursive=True):
        with open(path) as f:
            text = f.read()
        for name in names:
            assert f'"{name}"' not in text or "-" not in name, f"{name} in {path}"


def main():
    t = Tap()
    names = sorted(os.path.basename(p).removesuffix(".yaml") for p in glob.glob(f"{BAD}/*.yaml"))
    outcomes, table = collections.Counter(), []
    with t.case("all cases are there"):
        assert len(names) == CASES, len(names)
        assert all(os.path.exists(f"{BAD}/{n}.verdict") for n in names)
        assert not set(KEPT_OUT) - set(names)
        assert {row for row, _ in KEPT_OUT.values()} == set(RULES)
    for name in names:
        with t.case(name):
            outcome, line = case(name)
            outcomes[outcome] += 1
            table.append(line)
    with t.case("none is known by its name"):
        nothing_by_name(names)
    print("# case | verdict | fields | ours | rule")
    for line in table:
        print(f"# {line}")
    for row, meaning in sorted(RULES.items()):
        print(f"# rule {row}: {meaning}")
    print("# note: golden/bad: " + ", ".join(f"{n} {what}" for what, n in sorted(outcomes.items())))
    t.done()


main()
