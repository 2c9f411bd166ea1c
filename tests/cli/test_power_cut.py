# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 60
"""The accepted contents of the state directory after a power cut, or a kill, at any moment of a save: a complete set, the
old or the new one, and every content as it was saved. See tests/lib/disk.py for what a disk may hold.

The same is tried with recordings in which a sync is missing, or comes at another place: then it must go wrong."""
import hashlib
import os
import random
import re
import shutil
import subprocess
import tempfile
import time

import disk
from tap import BUILD, Tap

DRIVER = os.path.join(BUILD, "tests", "drive-accepted")
SEED = int(os.environ.get("SVCROUTE_SEED") or random.SystemRandom().randrange(1 << 32))
KILLS = 200
BELOW = "var/lib/svcroute"
# So many contents are not synced one by one.
MANY = 40
# At most so many trees for each moment.
MOST = 300

A = {"a.cfg": b"a" * 300, "b.cfg": b"old b\n" * 40, "c.cfg": b"goes" * 30, "empty.cfg": b"", "twin.cfg": b"a" * 300}
B = {"a.cfg": b"a" * 300, "b.cfg": b"new b\n" * 40, "d.cfg": b"comes" * 30, "empty.cfg": b"", "twin.cfg": b"new b\n" * 40}
C = {"c.cfg": b"goes" * 30, "e.cfg": b"e" * 100}
LARGE = {f"{n}.cfg": b"%d\n" % n * 60 for n in range(MANY)}


class Work:
    """A scratch folder in memory: what is durable is the model's business, not that of this machine's disk."""

    def __init__(self):
        memory = "/dev/shm"
        self.path = tempfile.mkdtemp(prefix="power-cut-", dir=memory if os.access(memory, os.W_OK) else None)
        self.n = 0

    def close(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def new(self):
        self.n += 1
        return f"{self.path}/{self.n}"

    def set(self, contents):
        """A folder with the files of a set, as the driver reads it."""
        path = self.new()
        os.mkdir(path)
        for name, text in contents.items():
            with open(f"{path}/{name}", "wb") as f:
                f.write(text)
        return path

    def top(self, contents=None):
        """A tree whose state directory holds this set; without any directory when None."""
        path = self.new()
        os.makedirs(f"{path}/var")
        if contents is not None:
            drive("save", self.set(contents), f"{path}/{BELOW}")
        return path


def drive(*arguments):
    p = subprocess.run([DRIVER, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert p.returncode == 0 and not p.stderr, f"{arguments}: {p.returncode} {p.stderr[-2000:]}"
    return p.stdout


def told(contents):
    """What `show` says of a complete set."""
    return sorted(f"file 1/{name} {hashlib.sha256(text).hexdigest()}" for name, text in contents.items())


def names(contents):
    """The entries of DIR/accepted when nothing is there but this set."""
    return sorted({"index"} | {hashlib.sha256(text).hexdigest() for text in contents.values()})


def shown(states):
    """What the state directories of these trees say, sorted; runs the driver a few times."""
    found = []
    for i in range(0, len(states), 200):
        text = drive("show", *(f"{path}/{BELOW}" for path in states[i:i + 200]))
        found += [sorted(block.splitlines()[1:]) for block in text.split("\n\n")[:-1]]
    assert len(found) == len(states), f"{len(found)} of {len(states)} answered"
    return found


class Cuts:
    """Cuts the power at each moment of a recording."""

    def __init__(self, work, rng, most):
        self.work, self.rng, self.most, self.n_moments, self.n_trees = work, rng, most, 0, 0
        self.known = {}  # what a tree says, by digest

    def look(self, crashes):
        """Finds out what each of these trees says. Those that were seen before are not written again."""
        fresh = {key: tree for key, tree in crashes if key not in self.known}
        paths = {key: self.work.new() for key in fresh}
        for key, tree in fresh.items():
            disk.write(tree, paths[key])
        self.known.update(zip(fresh, shown(list(paths.values()))))
        for path in paths.values():
            shutil.rmtree(path)
        self.n_trees += len(fresh)

    def all(self, start, calls, allowed, final):
        """The trees that are none of the allowed sets, as text. After the last call only the final one is allowed."""
        model, broken = start.copy(), []
        model.new_process()
        moments = [(0, model.crashes(self.rng, self.most))]
        for i, call in enumerate(calls, 1):
            if model.apply(call):
                moments.append((i, model.crashes(self.rng, self.most)))
        moments.append((len(calls), model.crashes(self.rng, self.most)))
        self.n_moments += len(moments)
        self.look(crash for _, crashes in moments for crash in crashes)
        for number, (i, crashes) in enumerate(moments, 1):
            good = [told(s) for s in ([final] if number == len(moments) else allowed)]
            for key, _ in crashes:
                lines = self.known[key]
                if lines not in good:
                    broken.append(f"after {i} calls ({calls[i - 1][0] if i else 'none'}): {lines}")
        return broken, model


def recording(command, random_name=b"random", path="", top=""):
    """The calls, with the random part of temporary names replaced, so that equal trees are equal; and path by top."""
    def cleaned(a):
        return re.sub(rb"(/\.index\.)\w{6}$", rb"\1" + random_name, a.replace(path.encode(), top.encode()) if path else a)
    return [[cleaned(a) if isinstance(a, bytes) else a for a in call] for call in disk.record(command)]


def check_model(model, top):
    """The model has seen all that happened: what it holds is what is there."""
    assert disk.digest(model.seen()) == disk.digest(disk.Disk(top).seen()), "the model is not what is on the disk"


def sync_calls(calls):
    return [i for i, call in enumerate(calls) if call[0] in ("fsync", "syncfs")]


def power_cut(tap, work, rng, name, old, new, how="save", prepare=None, most=MOST):
    """One save over an old set: recorded, cut at each moment, and the next save brings all in order. Returns what was
    recorded, for other tests to spoil."""
    cuts, recorded = Cuts(work, rng, most), None
    with tap.case(f"power cut: {name}"):
        top = work.top(old)
        if prepare:
            prepare(f"{top}/{BELOW}/accepted")
        start = disk.Disk(top)
        calls = recording([DRIVER, how, work.set(new), f"{top}/{BELOW}"])
        assert shown([top]) == [told(new)]
        broken, model = cuts.all(start, calls, [old or {}, new], new)
        check_model(model, top)
        assert not broken, "\n".join([f"{len(broken)} broken, seed {SEED}"] + broken[:20])
        assert set(told(old or {})) != set(told(new)) and {tuple(told(old or {})), tuple(told(new))} == {
            tuple(lines) for lines in cuts.known.values()}, "one of the two sets was never found"
        recorded = start, calls
        print(f"# {name}: {len(calls)} calls, {len(sync_calls(calls))} of them syncs; power cut at {cuts.n_moments} moments, "
              f"{cuts.n_trees} different trees, all complete")
    if recorded:
        with tap.case(f"the next save after a power cut: {name}"):
            n = next_save(work, rng, *recorded, new, most)
            print(f"# {name}: saved again over {n} trees, nothing left over")
    return recorded


def next_save(work, rng, start, calls, new, most):
    model, trees = start.copy(), {}
    model.new_process()
    for call in calls:
        if model.apply(call):
            trees.update(model.crashes(rng, most // 4))
    paths = []
    for tree in trees.values():
        paths.append(work.new())
        disk.write(tree, paths[-1])
    for i in range(0, len(paths), 200):
        drive("save", work.set(new), *(f"{path}/{BELOW}" for path in paths[i:i + 200]))
    for lines in shown(paths):
        assert lines == told(new), lines
    for path in paths:
        assert sorted(os.listdir(f"{path}/{BELOW}/accepted")) == names(new), os.listdir(f"{path}/{BELOW}/accepted")
        shutil.rmtree(path)
    return len(paths)


def leave_rubbish(folder):
    """What killed saves may have left: temporary files, and contents that never reached the disk whole."""
    for text in B.values():
        with open(f"{folder}/{hashlib.sha256(text).hexdigest()}", "ab") as f:
            if f.tell() == 0:
                f.write(bytes(len(text)))
    for name in (".index.abc123", f".{hashlib.sha256(B['d.cfg']).hexdigest()}.new", f".{'0' * 64}.new", "1" * 64):
        with open(f"{folder}/{name}", "wb") as f:
            f.write(b"rubbish")


def killed_before(work, rng, second):
    """A save is killed, and the power stays; then a second save, and the power is cut in that one."""
    cuts, n = Cuts(work, rng, 24), 0
    top = work.top(A)
    start = disk.Disk(top)
    first = recording([DRIVER, "save", work.set(B), f"{top}/{BELOW}"])
    model = start.copy()
    model.new_process()
    moments = [model.copy()]
    for call in first:
        if model.apply(call):
            moments.append(model.copy())
    for at in range(len(moments)):
        model, n = moments[at], n + 1
        # the second process finds what the first one did, durable or not
        path = work.new()
        disk.write(model.seen(), path)
        second_calls = recording([DRIVER, "save", work.set(second), f"{path}/{BELOW}"], b"second", path, top)
        broken, model = cuts.all(model, second_calls, [A, B, second], second)
        check_model(model, path)
        assert not broken, "\n".join([f"killed at moment {at}: {len(broken)} broken, seed {SEED}"] + broken[:20])
        shutil.rmtree(path)
    print(f"# {n} kills, then power cut at {cuts.n_moments} moments, {cuts.n_trees} different trees, all complete")


def spoiled(work, rng, start, calls, old, new):
    """How many trees of a spoiled recording are no complete set."""
    return len(Cuts(work, rng, MOST).all(start, calls, [old or {}, new], new)[0])


def without_a_sync(work, rng, recorded, old, new):
    """Each sync is needed: without it a power cut leaves an incomplete set, or none of the two."""
    start, calls = recorded
    syncs = sync_calls(calls)
    assert len(syncs) >= 4, calls
    for i in syncs:
        n = spoiled(work, rng, start, calls[:i] + calls[i + 1:], old, new)
        assert n > 0, f"without call {i} of {len(calls)} ({calls[i][0]}) nothing breaks"
        print(f"# without {calls[i][0]}() number {syncs.index(i) + 1} of {len(syncs)}: {n} broken trees")


def in_another_order(work, rng, recorded):
    """The old contents go before the index is in place: that must be seen too."""
    start, calls = recorded
    unlinks = [c for c in calls if c[0] == "unlinkat"]
    assert unlinks
    index = next(i for i, c in enumerate(calls) if c[0] == "rename" and c[2].endswith(b"/index"))
    n = spoiled(work, rng, start, calls[:index] + unlinks + [c for c in calls[index:] if c not in unlinks], A, B)
    assert n > 0
    print(f"# old contents unlinked before the index is renamed: {n} broken trees")


def few_syncs(recorded):
    calls = recorded[1]
    written = sum(c[0] == "write" for c in calls)
    assert written > MANY and len(sync_calls(calls)) <= 5, f"{written} writes, {len(sync_calls(calls))} syncs"
    few = [c for c in calls if c[0] == "syncfs"]
    assert len(few) == 1, few


class Flipper:
    """A program that saves two sets in turns."""

    def __init__(self, first, second, directory):
        self.p = subprocess.Popen([DRIVER, "flip", first, second, directory], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.p.stdout.readline() == "ready\n", self.p.stderr.read()

    def kill(self):
        assert self.p.poll() is None, f"ended by itself: {self.p.returncode} {self.p.stderr.read()}"
        self.p.kill()
        self.p.communicate()


def killed(top, sets, n_kills, n_programs, rng):
    """kill -9 at random moments of programs that save, on this machine's own disk."""
    directory = f"{top}/{BELOW}"
    folders = []
    for i, contents in enumerate(sets):
        folders.append(f"{top}/set{i}")
        os.mkdir(folders[-1])
        for name, text in contents.items():
            with open(f"{folders[-1]}/{name}", "wb") as f:
                f.write(text)
    start = time.monotonic()
    for folder in folders * 2:
        drive("save", folder, directory)
    longest = (time.monotonic() - start) / len(folders)
    found, amid, left = [0] * len(sets), 0, 0
    good = [told(s) for s in sets]
    for kill in range(n_kills):
        running = []
        try:
            for i in range(n_programs):
                running.append(Flipper(folders[i % len(folders)], folders[(i + 1) % len(folders)], directory))
            time.sleep(rng.uniform(0, longest))
        finally:
            for f in running:
                f.kill()
        there = sorted(os.listdir(f"{directory}/accepted"))
        lines = shown([top])[0]
        assert lines in good, f"kill {kill}, seed {SEED}: {lines}"
        now = good.index(lines)
        found[now] += 1
        amid += there != names(sets[now])
        left += any(name.startswith(".") for name in there)
    drive("save", folders[0], directory)
    assert sorted(os.listdir(f"{directory}/accepted")) == names(sets[0])
    print(f"# {n_kills} kills of {n_programs} programs: the sets were found {found} times; {amid} kills came in the middle of a "
          f"save, {left} left temporary files")
    assert amid > 0, "no kill came in the middle of a save"


def main():
    tap = Tap()
    if not shutil.which("strace"):
        raise SystemExit("strace is missing")
    print(f"# seed {SEED}", flush=True)
    rng, work = random.Random(SEED), Work()
    try:
        few = power_cut(tap, work, rng, "some files of few", A, B)
        power_cut(tap, work, rng, "texts only of what changed", A, B, how="update")
        power_cut(tap, work, rng, "over what killed saves left", A, B, prepare=leave_rubbish)
        power_cut(tap, work, rng, "the last file goes", C, {})
        first = power_cut(tap, work, rng, "the very first save", None, B)
        many = power_cut(tap, work, rng, "many files", A, LARGE, most=24)
        power_cut(tap, work, rng, "many files go", LARGE, B, most=24)
        for name, second in (("the same set again", B), ("back to the set before", A), ("a third set", C)):
            with tap.case(f"killed, then a power cut in the next save: {name}"):
                killed_before(work, rng, second)
        for name, recorded, old, new in (("few files", few, A, B),):
            with tap.case(f"without any one of its syncs it breaks: {name}"):
                without_a_sync(work, rng, recorded, old, new)
        for name, recorded, old, new in (("the very first save", first, None, B), ("many files", many, A, LARGE)):
            with tap.case(f"without syncfs() it breaks: {name}"):
                start, calls = recorded
                n = spoiled(work, rng, start, [c for c in calls if c[0] != "syncfs"], old, new)
                assert n > 0
                print(f"# {name}, without syncfs(): {n} broken trees")
        with tap.case("in another order it breaks"):
            in_another_order(work, rng, few)
        with tap.case("many files are not synced one by one"):
            few_syncs(many)
    finally:
        work.close()
    for n_kills, n_programs, sets in ((KILLS, 1, (A, B)), (20, 2, (A, B, C))):
        with tap.case(f"kill -9 at {n_kills} random moments, {n_programs} at once"), \
                tempfile.TemporaryDirectory(prefix="kill-") as top:
            killed(top, sets, n_kills, n_programs, rng)
    tap.done()


if __name__ == "__main__":
    main()
