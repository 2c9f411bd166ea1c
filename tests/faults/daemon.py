# SPDX-License-Identifier: GPL-2.0-or-later
"""The daemon, with an allocation failing after files changed: it lives, the kernel holds the old rules or the new ones, and
when the fault is over it gets there by itself. Sampled: SAMPLES places, evenly spread over all allocations of a reload.

How: svcrouted-faults is told by SIGUSR2 (see wrap.h). The two trees are links that are swapped, so that no third tree is
ever seen."""
import contextlib
import os
import signal
import time

import hosts
import kernel

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 60  # longer than anything takes
SAMPLES = int(os.environ.get("FAULT_SAMPLES", "90"))  # for each variant
SETTINGS = "[IPTables]\nBackend={}\n[Sync]\nMinSyncPeriod=0\nConfigDebounce=1ms\n"


def read_tree(directory):
    files = {}
    for folder, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(folder, name)
            with open(path) as f:
                files[os.path.relpath(path, directory)] = f.read()
    return files


def trees(variant):
    """Two trees without a mistake: a, and what is good of b."""
    one, b = read_tree(f"{HERE}/a"), read_tree(f"{HERE}/b")
    one["svcroute.conf.d/90-test.conf"] = SETTINGS.format(variant)
    two = dict(one)
    del two["services.d/goes.cfg"]
    for name in ("services.d/plain.cfg", "services.d/new.cfg", "endpoints.d/more.cfg", "svcroute.conf"):
        two[name] = b[name]
    return one, two


def by_table(lines):
    """{"== v4 *nat": {chain: [rules]}} of what kernel.rules() gives."""
    found, family, table = {}, "", None
    for line in lines:
        if line.startswith("=="):
            family = line
        elif line.startswith("*"):
            table = found.setdefault(f"{family} {line}", {})
        elif line.startswith(":"):
            table.setdefault(line[1:].split()[0], [])
        elif line.startswith("-A "):
            table[line.split()[1]].append(line)
    return found


def check_between(got, old, new):
    """Each table is the old one or the new one; filter may stand between its two steps, with the rules of both."""
    for name in set(old) | set(new):
        now, a, b = got.get(name, {}), old.get(name, {}), new.get(name, {})
        if now in (a, b):
            continue
        assert "*filter" in name, f"{name} is neither the old one nor the new one"
        for chain in set(a) | set(b):
            rules = now.get(chain, [])
            assert rules in (a.get(chain, []), b.get(chain, [])) or set(rules) == set(a.get(chain, [])) | set(b.get(chain, [])), \
                f"{name} {chain} is neither old nor new nor both"


class Target:
    """A daemon whose allocations can be made to fail."""

    def __init__(self, variant, build):
        self.variant = variant
        hosts.SVCROUTED, hosts.SVCROUTECTL = f"{build}/svcrouted-faults", f"{build}/svcroutectl"
        self.host = kernel.make_host("router")
        self.root = hosts.Root()
        self.file = f"{self.root.path}/fault"
        os.rename(self.root.etc, f"{self.root.path}/unused")
        self.states = []
        for number, files in enumerate(trees(variant)):
            for name, text in files.items():
                path = f"{self.root.path}/tree-{number}/{name}"
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as f:
                    f.write(text)
        self.current, self.daemon, self.calls = 1, None, 0
        self.starts = 0

    def start(self):
        self.starts += 1
        self.daemon = hosts.Daemon(self.host, self.root, environment={"SVCROUTE_FAULT_FILE": self.file}).ready()

    def swap(self):
        """Makes the other tree be /etc/svcroute."""
        self.current = 1 - self.current
        os.symlink(f"{self.root.path}/tree-{self.current}", f"{self.root.path}/etc/new~")
        os.rename(f"{self.root.path}/etc/new~", self.root.etc)

    def rules(self):
        return kernel.rules(self.host, self.variant)

    def fault(self, text):
        """From now on; (calls, failed) up to now."""
        if os.path.exists(f"{self.file}.done"):
            os.unlink(f"{self.file}.done")
        with open(f"{self.file}.new", "w") as f:
            f.write(text)
        os.rename(f"{self.file}.new", self.file)
        self.daemon.process.send_signal(signal.SIGUSR2)
        deadline = time.monotonic() + SECONDS
        while True:
            self.check_alive()
            if os.path.exists(f"{self.file}.done"):
                with open(f"{self.file}.done") as f:
                    told = f.read()
                if told.endswith("\n"):
                    return tuple(int(n) for n in told.split())
            assert time.monotonic() < deadline, "the daemon does not take the signal"
            time.sleep(0.002)

    def check_alive(self):
        assert self.daemon.process.poll() is None, f"the daemon ended with status {self.daemon.process.returncode}"

    def prepare(self):
        """Both states without a fault, and how many allocations there are."""
        self.swap()
        self.start()
        self.states = [self.rules()]
        for _ in range(4):
            self.fault("0")
            self.swap()
            self.daemon.reload()
            self.calls = max(self.calls, self.fault("0")[0])
            if len(self.states) == 1:
                self.states.append(self.rules())
            assert self.rules() == self.states[self.current], "the same files give other rules"
        assert self.states[0] != self.states[1] and self.calls > 1000, f"{self.calls} allocations"

    def converge(self):
        """By itself; at no time is there anything but old or new."""
        old, new = by_table(self.states[1 - self.current]), by_table(self.states[self.current])
        deadline = time.monotonic() + SECONDS
        while True:
            self.check_alive()
            now = self.rules()
            if now == self.states[self.current]:
                return
            check_between(by_table(now), old, new)
            assert time.monotonic() < deadline, f"the new rules do not come:\n{self.daemon.text()[-1500:]}"
            time.sleep(0.02)

    def sample(self, number, at):
        """Every third one is an edit that nobody reloads; of the others every second one fails for good until it is lifted."""
        edit = number % 3 == 2
        for_good = number % 2 == 1 and not edit
        self.fault(f"{at}{'+' if for_good else ''}")
        old = by_table(self.states[self.current])
        self.swap()
        new = by_table(self.states[self.current])
        if not edit:
            status, _, err = self.daemon.ctl("reload")
            self.check_alive()
            now = self.rules()
            assert status != 0 or now == self.states[self.current], "reload was a success, but the new rules are not there"
            assert status == 0 or err, "reload failed without a word"
            check_between(by_table(now), old, new)
        if for_good:
            self.fault("0")
        if edit or number % 4 == 0:
            self.converge()
        self.fault("0")
        self.daemon.reload()
        assert self.rules() == self.states[self.current], "not in sync after the fault"

    def stop(self):
        """Its leaks are told here."""
        daemon, self.daemon = self.daemon, None
        if daemon is None:
            return
        status, text = daemon.stop(), daemon.text()
        assert status == 0 and "Sanitizer" not in text and "runtime error" not in text, \
            f"the daemon ended with status {status}:\n" + "\n".join(text.splitlines()[-60:])

    def close(self):
        if self.daemon:
            self.daemon.stop(signal.SIGKILL)
        self.root.__exit__()
        self.host.close()


@contextlib.contextmanager
def running(variant, build):
    """The path of a root whose daemon runs and is in sync."""
    target = Target(variant, build)
    try:
        target.swap()
        target.start()
        yield target.root.path
        target.stop()
    finally:
        target.close()


def run_samples(variant, build, tally):
    start, passed, failed, calls = time.monotonic(), 0, 0, 0
    target = Target(variant, build)
    try:
        target.prepare()
        calls = target.calls
        for number in range(SAMPLES):
            at = 1 + (number * calls + number) // SAMPLES
            try:
                if target.daemon is None:
                    target.start()
                target.sample(number, at)
                if number % 30 == 29 or number == SAMPLES - 1:
                    target.stop()
                passed += 1
            except (AssertionError, RuntimeError) as e:
                failed += 1
                log = target.daemon.text()[-3000:] if target.daemon else ""
                tally.add(0, 0, f"daemon, {variant}: sample {number}, allocation {at}: {e}\n{log}")
                if failed > 5:
                    break
                target.close()
                target = Target(variant, build)
                target.prepare()
    except (AssertionError, RuntimeError, OSError) as e:
        failed += 1
        tally.add(0, 0, f"daemon, {variant}: {e}")
    finally:
        target.close()
    tally.add(passed, failed, f"daemon, {variant}: {calls} allocations, {passed + failed} failures tried, {passed} passed, "
              f"{failed} failed ({time.monotonic() - start:.0f} s)")
