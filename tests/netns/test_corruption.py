# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# weight: 100
"""500 random corruptions of a valid tree under a running daemon: the kernel's rules are at all times those of a valid tree.

A model keeps the last good content of each file, by asking `svcroutectl check` about single files and about trees: a
changed file counts when the tree that is in force, with it, is valid; else its last good content does. After each
corruption the kernel must hold what a fresh start on the model's tree gives, the verdict of a reload must be that of
`check`, and as many files must be told as refused as the model says.

Environment: SVCROUTE_CORRUPTIONS (how many, both variants together), SVCROUTE_SEED."""
import collections
import itertools
import json
import os
import random
import signal
import sys
import time

import hosts
import worlds
from kernel import compare, fresh, make_host, rules
from tap import SVCROUTECTL, Tap, need_root

CORRUPTIONS = int(os.environ.get("SVCROUTE_CORRUPTIONS", "500"))
SEED = os.environ.get("SVCROUTE_SEED", "20261130")
N_SERVICES = 14
BAD_AT_ONCE = 5
# Never corrupted: it says which variant the test looks at, and that a change is not waited for.
SETTINGS = ("[Proxy]\nNodeName=node-1\nZone=east\n[IPTables]\nBackend={}\n"
            "[Sync]\nMinSyncPeriod=0\nConfigDebounce=1ms\n")
DROP_IN = ("[Proxy]\nClusterCIDR=10.1.0.0/16 2001:db8:1::/48\nNodePortAddresses=192.0.2.0/24\n"
           "[IPTables]\nMasqueradeBit=14\nMasqueradeAll=no\nLocalhostNodePorts=yes\n")


def valid_tree(rng, variant):
    files = {"svcroute.conf": SETTINGS.format(variant), "svcroute.conf.d/proxy.conf": DROP_IN}
    for n in range(N_SERVICES):
        s = worlds.Service(rng, n)
        files[f"services.d/s{n}.cfg"] = s.text()
        files[f"endpoints.d/e{n}.cfg"] = s.endpoints_text()
    return {name: text.encode() for name, text in files.items()}


# What may happen to a file's bytes. other: another file's.

def flip_bit(rng, text, other):
    at = rng.randrange(len(text))
    return text[:at] + bytes([text[at] ^ 1 << rng.randrange(8)]) + text[at + 1:]


def other_digit(rng, text, other):
    at = rng.choice([i for i, c in enumerate(text) if 48 <= c < 58] or [0])
    return text[:at] + rng.choice("0123456789").encode() + text[at + 1:]


def truncate(rng, text, other):
    return text[:rng.randrange(len(text))]


def truncate_at_line(rng, text, other):
    lines = text.splitlines(True)
    return b"".join(lines[:rng.randrange(len(lines))])


def splice(rng, text, other):
    return text[:rng.randrange(len(text))] + other[rng.randrange(len(other)):]


def splice_lines(rng, text, other):
    a, b = text.splitlines(True), other.splitlines(True)
    return b"".join(a[:rng.randrange(len(a))] + b[rng.randrange(len(b)):])


def duplicate_block(rng, text, other):
    a, b = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    return text[:b] + text[a:b] + text[b:]


def duplicate_file(rng, text, other):
    return text + text


def delete_bytes(rng, text, other):
    at = rng.randrange(len(text))
    return text[:at] + text[at + rng.choice((1, 1, 2, 20)):]


def empty(rng, text, other):
    return b""


def garbage(rng, text, other):
    return rng.randbytes(rng.choice((1, 16, 4096)))


def zero_block(rng, text, other):
    """What a file system leaves of a file after a power cut."""
    at = rng.randrange(len(text))
    return text[:at] + bytes(len(text) - at)


def of_another(rng, text, other):
    return other


KINDS = ([flip_bit] * 4 + [other_digit] * 4 + [truncate, truncate_at_line] * 2 + [splice, splice_lines] * 2
         + [duplicate_block, duplicate_file, delete_bytes, delete_bytes, empty, garbage, zero_block, of_another, of_another])


class Checker:
    """`svcroutectl check` on trees, on the host; only files that differ from the last tree are written."""

    def __init__(self, host, root):
        self.host, self.root, self.written, self.known = host, root, {}, {}

    def _write(self, files):
        for name in set(self.written) - set(files):
            self.root.remove(name)
        for name, text in files.items():
            if self.written.get(name) != text:
                with open(f"{self.root.etc}/{name}", "wb") as f:
                    f.write(text)
        self.written = dict(files)

    def valid(self, files):
        key = tuple(sorted(files.items()))
        if key not in self.known:
            self._write(files)
            p = self.host.finish([SVCROUTECTL, "--root", self.root.path, "check"])
            assert p.returncode in (0, 3), f"check: status {p.returncode}: {p.stderr}"
            self.known[key] = p.returncode == 0
        return self.known[key]


class Model:
    """disk: what the files hold; force: what counts."""

    def __init__(self, files, valid):
        self.disk, self.force, self.valid = dict(files), dict(files), valid
        self.counts = collections.Counter()

    def refused(self):
        return {name for name in self.disk if self.disk[name] != self.force[name]}

    def _good_alone(self, name):
        return self.valid({"svcroute.conf": self.disk["svcroute.conf"], name: self.disk[name]})

    def _with(self, names):
        return {**self.force, **{n: self.disk[n] for n in names}}

    def _take(self, candidates):
        """The best of the sets of candidates that give a valid tree: an earlier candidate counts more than all later."""
        for wanted in itertools.product((True, False), repeat=len(candidates)):
            names = list(itertools.compress(candidates, wanted))
            if self.valid(self._with(names)):
                self.force = self._with(names)
                return names
        raise AssertionError("what was in force is not valid")

    def change(self, changes):
        """Files were written. Whether everything on disk counts now."""
        self.disk.update(changes)
        if self.valid(self.disk):
            self.force = dict(self.disk)
            return True
        open_cases = [n for n in self.disk if self.disk[n] != self.force[n]]
        good = [n for n in open_cases if self._good_alone(n)]
        # changed ones first, then those that were refused before; each in the order of reading
        taken = self._take(sorted(good, key=lambda n: (n not in changes, *order(n))))
        for n in changes:
            if n in open_cases:
                self.counts["refused for a clash" if n in good and n not in taken else
                            "accepted" if n in good else "refused for itself"] += 1
        return False


def order(name):
    return ("svcroute.conf.d", "services.d", "endpoints.d").index(name.split("/")[0]), name


def stat_of(pid):
    """/proc/PID/stat from the state on."""
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(")", 1)[1].split()


def waits_for_events(pid):
    """Of a stopped process, whether it was in epoll_wait(). Of a machine whose numbers we do not know: yes."""
    numbers = {"x86_64": ("232", "281"), "aarch64": ("22",)}.get(os.uname().machine)
    with open(f"/proc/{pid}/syscall") as f:
        return numbers is None or f.read().split()[0] in numbers


class Corruption:
    def __init__(self, variant, number):
        self.variant, self.number = variant, number
        self.seed = f"{SEED}/{variant}"
        self.rng = random.Random(self.seed)
        self.original = valid_tree(self.rng, variant)
        self.names = [n for n in self.original if n != "svcroute.conf"]
        self.expected = {}
        self.steps = []

    def fresh(self, files):
        key = tuple(sorted(files.items()))
        if key not in self.expected:
            self.expected[key] = fresh(files, lambda host: rules(host, self.variant))
        return self.expected[key]

    def corrupt(self):
        """{name: new bytes} of one corruption."""
        r = self.rng
        name = r.choice(self.names)
        siblings = [n for n in self.names if n != name and n.split("/")[0] == name.split("/")[0]]
        other = r.choice(siblings if siblings and r.random() < 0.7 else [n for n in self.names if n != name])
        text = self.model.disk[name] if r.random() < 0.2 and self.model.disk[name] else self.original[name]
        if r.random() < 0.06:
            self.steps.append(f"{name} and {other} swapped")
            return {name: self.model.disk[other], other: self.model.disk[name]}
        kind = r.choice(KINDS)
        self.steps.append(f"{name}: {kind.__name__} (other: {other})")
        return {name: kind(r, text, self.original[other])}

    def repairs(self):
        bad = sorted(n for n in self.names if self.model.disk[n] != self.original[n])
        self.rng.shuffle(bad)
        n = max(len(bad) - BAD_AT_ONCE + 1, int(self.rng.random() < 0.4))
        if bad[:n]:
            self.steps[-1] += f"; restored: {', '.join(bad[:n])}"
        return {name: self.original[name] for name in bad[:n]}

    def put(self, changes):
        """Several files, or a file that is not there for a moment, are one change only when nobody looks meanwhile."""
        how = self.rng.choices(("rename", "in place", "anew"), (7, 2, 1))[0]
        alone = len(changes) == 1 and how != "anew"
        if not alone:
            self.hold()
        try:
            for name, text in changes.items():
                path = f"{self.root.etc}/{name}"
                if how == "rename":
                    self.root.write(name, text)
                    continue
                if how == "anew":
                    os.unlink(path)
                with open(path, "wb") as f:
                    f.write(text)
        finally:
            if not alone:
                self.daemon.process.send_signal(signal.SIGCONT)

    def hold(self):
        """Stops the daemon where it waits for events, not in the middle of reading files."""
        deadline = time.monotonic() + 30
        pid = self.daemon.process.pid
        while True:
            self.daemon.process.send_signal(signal.SIGSTOP)
            while stat_of(pid)[0] != "T":
                assert time.monotonic() < deadline, "the daemon does not stop"
                time.sleep(0.001)
            if waits_for_events(pid):
                return
            self.daemon.process.send_signal(signal.SIGCONT)
            assert time.monotonic() < deadline, "the daemon is never idle"
            time.sleep(0.005)

    def status(self):
        return json.loads(self.daemon.ctl("status", "--json")[1])

    def look(self):
        assert self.daemon.process.poll() is None, "the daemon is gone"
        state = self.status()
        assert state["filesRefused"] == len(self.model.refused()), \
            f"{state['filesRefused']} files refused, the model has {sorted(self.model.refused())}"
        assert state["state"] == ("degraded" if self.model.refused() else "ok"), state
        compare(rules(self.host, self.variant), self.want)
        return state

    def look_until_it_fits(self):
        """Without a reload, the daemon has to notice by itself."""
        deadline = time.monotonic() + 30
        while True:
            try:
                return self.look()
            except AssertionError:
                if time.monotonic() > deadline or self.daemon.process.poll() is not None:
                    raise
            time.sleep(0.02)

    def step(self, changes, ask):
        before = self.want
        self.put(changes)
        whole = self.model.change(changes)
        self.want = self.fresh(self.model.force)
        if ask:
            status, _, err = self.daemon.ctl("reload")
            assert status == (0 if whole else 3), f"check says {0 if whole else 3}, reload {status}: {err}"
            state = self.look()
        else:
            state = self.look_until_it_fits()
        if self.want == before:
            assert state["lastChange"] == self.changed, "rules were written that are the same"
            self.model.counts["rules stayed"] += 1
        else:
            self.model.counts["rules changed"] += 1
        self.changed = state["lastChange"]

    def idle(self):
        """Seconds of CPU that the daemon and its children take in three seconds."""
        def used():
            return sum(int(v) for v in stat_of(self.daemon.process.pid)[11:15]) / os.sysconf("SC_CLK_TCK")
        before = used()
        time.sleep(3)
        return used() - before

    def corrupt_all(self):
        for _ in range(self.number):
            changes = self.corrupt()
            if self.rng.random() < 0.5:
                changes = {**self.repairs(), **changes}
            ask = len(changes) > 1 or self.rng.random() < 0.7
            try:
                self.step(changes, ask)
            except AssertionError as e:
                raise AssertionError(f"{e}\n  seed {self.seed!r}, after\n    " + "\n    ".join(self.steps[-6:])
                                     + f"\n  refused: {sorted(self.model.refused())}") from None

    def restore_all(self):
        self.step(self.original, True)
        assert self.model.force == self.original
        assert self.status()["state"] == "ok"

    def run(self, t):
        self.host = make_host("host")
        try:
            with hosts.Root() as self.root, hosts.Root() as scratch:
                self.model = Model(self.original, Checker(self.host, scratch).valid)
                assert self.model.valid(self.original), "the tree to begin with is not valid"
                for name, text in self.original.items():
                    self.root.write(name, text)
                with hosts.Daemon(self.host, self.root) as self.daemon:
                    self.daemon.ready()
                    self.want = self.fresh(self.original)
                    self.changed = self.look()["lastChange"]
                    with t.case(f"{self.number} corruptions of {len(self.names)} files, {self.variant}, seed {SEED}"):
                        self.corrupt_all()
                    with t.case(f"all is as before when the files are, {self.variant}"):
                        self.restore_all()
                    with t.case(f"nothing left to do, {self.variant}"):
                        seconds = self.idle()
                        assert seconds < 0.5, f"{seconds:.2f} s of CPU in 3 s"
                        assert self.daemon.process.poll() is None
                    with t.case(f"the daemon ends well, {self.variant}"):
                        assert self.daemon.stop() == 0
        finally:
            self.host.close()
        counts = self.model.counts
        print(f"# note: {self.variant}, {self.number} corruptions: "
              + ", ".join(f"{n} {what}" for what, n in sorted(counts.items())), flush=True)
        if self.number >= 100:
            with t.case(f"corruptions of each kind, {self.variant}"):
                for what in ("accepted", "refused for a clash", "refused for itself", "rules stayed", "rules changed"):
                    assert counts[what] >= 3, f"{what}: {counts[what]}"


def main():
    need_root()
    t = Tap()
    variants = sys.argv[1:] or ["nft", "legacy"]
    for variant in variants:
        Corruption(variant, CORRUPTIONS // len(variants)).run(t)
    t.done()


main()
