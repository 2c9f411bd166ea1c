# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 200
# weight: 40
"""What the service manager and the one who reloads are told: READY, RELOADING, STATUS on a captured notify socket, the exit
status of `svcroutectl reload`; a bad edit changes nothing; many edits are few syncs and the last one wins."""
import json
import os
import signal
import time

import hosts
from tap import Tap, need_root

SETTINGS = "[Proxy]\nClusterCIDR=10.1.0.0/16\n[IPTables]\nBackend={}\n"


def service(name, ip, endpoints, key=""):
    inside = ", ".join(f'"{e}"' for e in endpoints)
    return (f'services = (\n  {{ name = "{name}"; clusterIP = "{ip}"; ports = ( {{ port = 80; }} ); {key}\n'
            f"    endpoints = [ {inside} ]; }}\n);\n")


GOOD = service("web", "10.96.0.10", ["10.1.0.11:8080"])


class Setup:
    """A router with the daemon in sync."""

    def __init__(self, variant, settings=""):
        self.variant, self.settings = variant, settings

    def __enter__(self):
        self.host = hosts.Host("router")
        self.host.ip("link add eth0 type veth peer name eth0x", "addr add 192.0.2.10/24 dev eth0", "link set eth0 up",
                     "link set eth0x up")
        self.root = hosts.Root(SETTINGS.format(self.variant) + self.settings)
        self.root.write("services.d/web.cfg", GOOD)
        self.daemon = hosts.Daemon(self.host, self.root).ready()
        return self

    def __exit__(self, *args):
        self.daemon.__exit__(*args)
        self.root.__exit__()
        self.host.close()

    def rules(self):
        return [line for line in self.host.save("v4", self.variant).splitlines() if line.startswith("-A")]

    def status(self):
        return json.loads(self.daemon.ctl("status", "--json")[1])

    def wait_for_rule(self, text, seconds=5):
        deadline = time.monotonic() + seconds
        while not any(text in rule for rule in self.rules()):
            assert time.monotonic() < deadline, f"no rule with {text!r} within {seconds} s: {self.daemon.text()[-1500:]}"
            time.sleep(0.02)


def reload_of_good_edit(s):
    seen = len(s.daemon.read_notify())
    s.root.write("services.d/web.cfg", service("web", "10.96.0.10", ["10.1.0.12:8080"]))
    status, out, err = s.daemon.ctl("reload")
    assert status == 0, out + err
    # 0 means: the rules are in the kernel now
    assert any("10.1.0.12:8080" in r for r in s.rules()), s.rules()
    assert not any("10.1.0.11:8080" in r for r in s.rules())
    messages = [m for _, m in s.daemon.read_notify(0.5)[seen:]]
    reloading = [i for i, m in enumerate(messages) if m.get("RELOADING") == "1"]
    assert reloading, messages
    assert int(messages[reloading[0]]["MONOTONIC_USEC"]) > 0, "RELOADING and MONOTONIC_USEC go in one message"
    assert any(m.get("READY") == "1" for m in messages[reloading[0] + 1:]), messages


def reload_of_bad_edit(s):
    before = s.host.save("v4", s.variant)
    s.root.write("services.d/web.cfg", GOOD.replace("port = 80;", "port = 800000;"))
    seen = len(s.daemon.read_notify())
    status, out, err = s.daemon.ctl("reload")
    assert status == 3, f"status {status}: {out}{err}"
    path = f"{s.root.etc}/services.d/web.cfg"
    column = GOOD.splitlines()[1].index("port = 80;") + len("port = ") + 1
    assert f"{path}:2:{column}: error: services[0].ports[0].port '800000'" in err, err
    after = s.host.save("v4", s.variant)

    def strip(text):
        return [line for line in text.splitlines() if not line.startswith("#")]
    assert strip(before) == strip(after), "rules changed, or their counters"
    messages = [m for _, m in s.daemon.read_notify(0.5)[seen:]]
    assert any(m.get("READY") == "1" for m in messages), "READY ends a reload that failed too"
    assert "web.cfg:2" in "".join(m.get("STATUS", "") for m in messages), messages
    state = s.status()
    assert state["state"] == "degraded" and state["filesRefused"] == 1, state
    assert [d for d in state["diagnostics"] if d["severity"] == "error" and d["line"] == 2], state
    # a good file next to it still takes part, and the bad one recovers
    s.root.write("services.d/two.cfg", service("two", "10.96.0.11", ["10.1.0.13:8080"]))
    assert s.daemon.ctl("reload")[0] == 3
    assert any("10.1.0.13:8080" in r for r in s.rules()) and any("10.1.0.11:8080" in r for r in s.rules())
    s.root.write("services.d/web.cfg", GOOD)
    assert s.daemon.ctl("reload")[0] == 0
    assert s.status()["state"] == "ok"


def hangup(s):
    s.root.write("services.d/web.cfg", service("web", "10.96.0.10", ["10.1.0.14:8080"]))
    seen = len(s.daemon.read_notify())
    s.daemon.process.send_signal(signal.SIGHUP)
    s.daemon.wait_for("READY", "1", since=seen, seconds=10)
    assert any("10.1.0.14:8080" in r for r in s.rules())


def unasked_change(s):
    seen = len(s.daemon.read_notify())
    time.sleep(1.1)  # quiet for longer than MinSyncPeriod
    start = time.monotonic()
    s.root.write("services.d/web.cfg", service("web", "10.96.0.10", ["10.1.0.15:8080"]))
    when, _ = s.daemon.wait_for("STATUS", since=seen, seconds=10)
    assert any("10.1.0.15:8080" in r for r in s.rules())
    print(f"# from the rename to the end of the sync: {(when - start) * 1000:.0f} ms", flush=True)
    assert not any("RELOADING" in m for _, m in s.daemon.read_notify()[seen:]), "RELOADING is for asked reloads only"


def edit_during_sync(s):
    """Edits while a sync runs: the lock of xtables is held, so that the sync certainly takes a while (legacy)."""
    import fcntl
    with open(f"{s.root.path}/xtables.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        s.root.write("services.d/web.cfg", service("web", "10.96.0.10", ["10.1.0.16:8080"]))
        time.sleep(0.4)
        s.root.write("services.d/web.cfg", service("web", "10.96.0.10", ["10.1.0.17:8080"]))
        time.sleep(0.4)
        # the command line still answers while a sync is stuck
        assert s.status()["state"] in ("ok", "failing")
        fcntl.flock(lock, fcntl.LOCK_UN)
    s.wait_for_rule("10.1.0.17:8080", 5)
    assert not any("10.1.0.16:8080" in r for r in s.rules())


def lock_held_for_ever(s):
    """C34: the reload fails instead of hanging, the daemon lives, and lands by itself soon after the release."""
    import fcntl
    with open(f"{s.root.path}/xtables.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        s.root.write("services.d/web.cfg", service("web", "10.96.0.10", ["10.1.0.18:8080"]))
        status, out, err = s.daemon.ctl("reload")
        assert status == 1, f"status {status}: {out}{err}"
        assert "lock" in err, err
        time.sleep(12)  # the pause between two tries must not grow with the time that the lock is held
        assert s.status()["state"] == "failing"
        fcntl.flock(lock, fcntl.LOCK_UN)
    s.wait_for_rule("10.1.0.18:8080", 5)


def many_edits(s):
    """1,000 edits in 2 s."""
    before = s.status()["syncs"]
    start = time.monotonic()
    for n in range(1000):
        s.root.write("services.d/web.cfg", service("web", "10.96.0.10", [f"10.1.{n // 250}.{n % 250 + 1}:8080"]))
        time.sleep(max(0, start + (n + 1) * 0.002 - time.monotonic()))
    took = time.monotonic() - start
    last = f"10.1.{999 // 250}.{999 % 250 + 1}:8080"
    s.wait_for_rule(last, 5)
    time.sleep(1.5)
    syncs = s.status()["syncs"] - before
    print(f"# 1,000 edits in {took:.1f} s: {syncs} syncs", flush=True)
    assert syncs <= took + 4, f"{syncs} syncs"
    destinations = [r for r in s.rules() if "--to-destination" in r]
    assert len(destinations) == 1 and last in destinations[0], destinations


def two_reloads_at_once(s):
    s.root.write("services.d/web.cfg", service("web", "10.96.0.10", ["10.1.0.19:8080"]))
    import subprocess
    from tap import SVCROUTECTL
    two = [s.host.popen([SVCROUTECTL, "--root", s.root.path, "reload"], stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
    assert [p.wait(30) for p in two] == [0, 0]
    assert any("10.1.0.19:8080" in r for r in s.rules())


def directory_appears(s):
    """A configuration directory that did not exist is watched when it comes (and its file counts)."""
    os.makedirs(f"{s.root.path}/run/svcroute/services.d")
    time.sleep(0.2)
    path = f"{s.root.path}/run/svcroute/services.d/later.cfg"
    with open(path, "w") as f:
        f.write(service("later", "10.96.0.12", ["10.1.0.20:8080"]))
    s.wait_for_rule("10.1.0.20:8080")
    os.unlink(path)
    deadline = time.monotonic() + 5
    while any("10.1.0.20:8080" in r for r in s.rules()):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def editors_save(s):
    """Rename over, write in place, new file and link: all ways that editors save."""
    path = f"{s.root.etc}/services.d/web.cfg"
    with open(path, "w") as f:  # in place
        f.write(service("web", "10.96.0.10", ["10.1.0.21:8080"]))
    s.wait_for_rule("10.1.0.21:8080")
    os.rename(path, f"{path}~")  # backup first, then a new file
    with open(path, "w") as f:
        f.write(service("web", "10.96.0.10", ["10.1.0.22:8080"]))
    s.wait_for_rule("10.1.0.22:8080")
    os.unlink(f"{path}~")
    other = f"{s.root.path}/elsewhere.cfg"
    with open(other, "w") as f:
        f.write(service("web", "10.96.0.10", ["10.1.0.23:8080"]))
    os.symlink(other, f"{path}.link~")
    os.rename(f"{path}.link~", path)  # a link renamed into place
    s.wait_for_rule("10.1.0.23:8080")


def rules_stay(s):
    before = [r for r in s.rules()]
    assert s.daemon.stop() == 0, "SIGTERM is a clean end"
    assert s.rules() == before, "rules stay on exit"


def main():
    need_root()
    t = Tap()
    for variant in ("nft", "legacy"):
        for test in (reload_of_good_edit, reload_of_bad_edit, hangup, unasked_change, two_reloads_at_once,
                     directory_appears, editors_save, many_edits, rules_stay):
            with t.case(f"{test.__name__.replace('_', ' ')}, {variant}"):
                with Setup(variant) as s:
                    test(s)
    for test in (edit_during_sync, lock_held_for_ever):
        with t.case(f"{test.__name__.replace('_', ' ')}, legacy"):
            with Setup("legacy") as s:
                test(s)
    t.done()


main()
