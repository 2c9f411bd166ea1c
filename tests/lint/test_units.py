# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 200
# weight: 15
"""The unit, with and without the drop-in for legacy iptables: systemd understands it, and how much it is exposed. The
generator that decides about the drop-in."""
import os
import re
import shutil
import subprocess
import tempfile

from tap import BUILD, SOURCE, Tap

EXPOSURE_MAX = 20  # tenths
UNIT, DROP_IN, GENERATOR = (f"{SOURCE}/systemd/{n}" for n in ("svcroute.service", "legacy-iptables.conf", "svcroute-generator"))


def run(*command, status=0, **more):
    p = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       timeout=100, **more)
    assert status is None or p.returncode == status, f"{' '.join(command)}: status {p.returncode}\n{p.stdout[-3000:]}"
    return p.stdout


def read(path):
    with open(path) as f:
        return f.read()


def verify(drop_in, change=lambda text: text):
    """What systemd-analyze has to say, with programs and pages that are there."""
    with tempfile.TemporaryDirectory() as d:
        text = change(read(UNIT)).replace("/usr/sbin/svcrouted", f"{BUILD}/svcrouted")
        text = text.replace("/usr/bin/svcroutectl", f"{BUILD}/svcroutectl")
        text = re.sub(r"^Documentation=.*\n", "", text, flags=re.M)
        with open(f"{d}/svcroute.service", "w") as f:
            f.write(text)
        if drop_in:
            os.mkdir(f"{d}/svcroute.service.d")
            shutil.copy(DROP_IN, f"{d}/svcroute.service.d")
        p = subprocess.run(["systemd-analyze", "verify", "--recursive-errors=no", f"{d}/svcroute.service"],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
        return p.returncode, p.stdout


def verified(drop_in):
    status, out = verify(drop_in)
    assert status == 0 and not out.strip(), out


def verify_is_not_blind():
    status, out = verify(False, lambda text: text.replace("KillMode=", "KillMod="))
    assert "KillMod" in out, f"{status}: {out}"


def exposure():
    out = run("systemd-analyze", "security", "--offline=yes", f"--threshold={EXPOSURE_MAX}", "--no-pager", UNIT)
    figure = re.search(r"exposure level for svcroute.service: (\d+\.\d)", out)[1]
    print(f"# note: exposure of the unit: {figure}")
    assert float(figure) * 10 <= EXPOSURE_MAX, out


def exposure_is_not_blind():
    with tempfile.TemporaryDirectory() as d:
        with open(f"{d}/svcroute.service", "w") as f:
            f.write(re.sub(r"^(User|SystemCallFilter|CapabilityBoundingSet)=.*\n", "", read(UNIT), flags=re.M))
        run("systemd-analyze", "security", "--offline=yes", f"--threshold={EXPOSURE_MAX}", "--no-pager",
            f"{d}/svcroute.service", status=1)


def settings():
    """What others rely on."""
    unit = read(UNIT)
    for line in ("Type=notify", "ExecReload=/usr/bin/svcroutectl reload", "Before=network-online.target", "KillMode=mixed",
                 "User=svcroute", "AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW CAP_LEASE",
                 "CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW CAP_LEASE", "Restart=always"):
        assert f"\n{line}\n" in unit, line
    # that would take away /run/svcroute at a stop, or refuse to start with a read-only /var
    assert not re.search(r"^(Runtime|State)Directory=", unit, re.M)
    drop_in = read(DROP_IN)
    assert "\nUser=root\nCapabilityBoundingSet=\nCapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW\n" in drop_in, drop_in


# ---- the generator, with a host of its own ----

def generate(tables="", iptables="nft", setting=None, answers=True):
    """Whether it adds the drop-in. What it looks at is laid out below a folder."""
    with tempfile.TemporaryDirectory() as d:
        for where in ("proc", "bin", "share", "out"):
            os.mkdir(f"{d}/{where}")
        if tables is not None:
            with open(f"{d}/proc/ip_tables_names", "w") as f:
                f.write(tables)
        with open(f"{d}/bin/xtables-{iptables}-multi", "w"):
            pass
        os.symlink(f"xtables-{iptables}-multi", f"{d}/bin/iptables")
        with open(f"{d}/bin/svcroutectl", "w") as f:
            f.write("#!/bin/sh\n" + (f"echo '[IPTables] Backend= {setting or 'auto'} default'\n" if answers else "exit 4\n"))
        os.chmod(f"{d}/bin/svcroutectl", 0o755)
        shutil.copy(DROP_IN, f"{d}/share")
        text = read(GENERATOR).replace("/proc/net/", f"{d}/proc/").replace("/usr/sbin/", f"{d}/bin/")
        text = text.replace("/usr/share/svcroute/", f"{d}/share/")
        with open(f"{d}/generator", "w") as f:
            f.write(text)
        out = run("sh", f"{d}/generator", f"{d}/out", f"{d}/early", f"{d}/late",
                  env=dict(os.environ, PATH=f"{d}/bin:{os.environ['PATH']}"))
        assert not out, out
        link = f"{d}/out/svcroute.service.d/legacy-iptables.conf"
        found = os.path.exists(link)
        assert not found or os.readlink(link) == f"{d}/share/legacy-iptables.conf"
        assert found or not os.listdir(f"{d}/out"), os.listdir(f"{d}/out")
        return found


def generator():
    for want, host in ((False, {}), (False, {"tables": None}), (True, {"tables": "nat\n"}), (True, {"iptables": "legacy"}),
                       (True, {"setting": "legacy"}), (False, {"setting": "nft"}), (False, {"answers": False}),
                       (True, {"setting": "nft", "tables": "filter\nnat\n"}), (True, {"iptables": "legacy", "answers": False})):
        assert generate(**host) == want, host
    assert "usage" in run("sh", GENERATOR, status=2)


def real_settings():
    """The generator reads the table of settings as svcroutectl really prints it."""
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(f"{root}/etc/svcroute")
        for value in ("legacy", "nft"):
            with open(f"{root}/etc/svcroute/svcroute.conf", "w") as f:
                f.write(f"[IPTables]\nBackend={value}\n")
            out = run(f"{BUILD}/svcroutectl", "--root", root, "settings")
            words = [line.split() for line in out.splitlines() if line.startswith("[IPTables] Backend=")]
            assert len(words) == 1 and words[0][:3] == ["[IPTables]", "Backend=", value], words
            program = re.search(r"awk '([^']*)'", read(GENERATOR))[1]
            p = subprocess.run(["awk", program], input=out, text=True, timeout=60)
            assert p.returncode == (0 if value == "legacy" else 1), p.returncode


def main():
    tap = Tap()
    for test, what in ((verify_is_not_blind, "systemd-analyze verify is not blind"), (lambda: verified(False), "the unit"),
                       (lambda: verified(True), "the unit with the drop-in"), (exposure, "exposure"),
                       (exposure_is_not_blind, "exposure is not blind"), (settings, "what others rely on"),
                       (generator, "when the drop-in is added"), (real_settings, "settings as they are printed")):
        with tap.case(what):
            test()
    tap.done()


main()
