# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
# weight: 60
"""Whatever the state directory is (damaged, of another version, read-only, full, missing, something else), the daemon runs,
warns and serves, and loses nothing that it had.

test_state_directory.py [WORD...]    cases with one of these words in their names"""
import contextlib
import hashlib
import os
import random
import stat
import subprocess
import sys

from machine import (A, B, B_NEW, B_WRONG, C, C_NEW, Machine, name_of, own_mounts, run_cases, snapshot, utc, wait_until)
from tap import Tap, need_root

SEED = os.environ.get("SVCROUTE_SEED", "20261130")


def of_index(change):
    def damage(m):
        with open(f"{m.accepted}/index", "rb") as f:
            text = f.read()
        with open(f"{m.accepted}/index", "wb") as f:
            f.write(change(text))
    return damage


def with_checksum(body):
    return body + b"checksum " + hashlib.sha256(body).hexdigest().encode() + b"\n"


def later_version(text):
    return with_checksum(b"svcroute-accepted 2.0\n")


def instead_of_index(make):
    def damage(m):
        os.unlink(f"{m.accepted}/index")
        make(f"{m.accepted}/index")
    return damage


# name: (what is done, whether it can be put aside)
DAMAGED_INDEX = {
    "empty": (of_index(lambda t: b""), True),
    "a flipped bit": (of_index(lambda t: t[:40] + bytes([t[40] ^ 1]) + t[41:]), True),
    "cut off": (of_index(lambda t: t[:len(t) // 2]), True),
    "without its last byte": (of_index(lambda t: t[:-1]), True),
    "garbage": (of_index(lambda t: random.Random(SEED).randbytes(3000)), True),
    "zeroes": (of_index(lambda t: bytes(len(t))), True),
    "of a later version": (of_index(later_version), True),
    "a directory": (instead_of_index(os.mkdir), None),
    "a fifo": (instead_of_index(os.mkfifo), None),
    "a link to nothing": (instead_of_index(lambda path: os.symlink("/nowhere", path)), None),
    "a link to another file": (instead_of_index(lambda path: os.symlink("/etc/passwd", path)), None),
}


def damaged_index(what):
    damage, aside = DAMAGED_INDEX[what]
    with Machine() as m:
        damage(m.prepared())
        m.write("b", B_WRONG)
        m.boot().serves("10.1.0.1", "10.1.0.3")  # nothing is known of b
        s = m.status()
        assert any(d["severity"] == "warning" and d["file"].startswith(m.accepted) for d in s["diagnostics"]), s
        assert f"{m.accepted}/index" in m.said(), m.said()
        if aside:
            assert os.path.exists(f"{m.accepted}/index.bad")
        m.write("b", B_NEW)
        m.fine()
        m.down()
        if aside:
            assert m.kept("a.cfg") == A and m.kept("b.cfg") == B_NEW, "a good index takes its place"
        m.boot().serves("10.1.0.1", "10.1.1.2", "10.1.0.3")


def newer_index_of_this_version():
    """Lines and fields of a later 1.x are passed over."""
    def newer(text):
        lines = text.splitlines(True)[:-1]
        lines[0] = b"svcroute-accepted 1.7\n"
        return with_checksum(lines[0] + b"leaf something\n" + b"".join(line[:-1] + b" more\n" for line in lines[1:]))
    with Machine() as m:
        of_index(newer)(m.prepared())
        m.write("b", B_WRONG)
        m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")


def content_path(m, name):
    return f"{m.accepted}/{m.index()[f'1/{name}.cfg'][0]}"


def damaged_content():
    def flip(path):
        with open(path, "r+b") as f:
            f.write(b"S")

    def cut(path):
        os.truncate(path, 10)

    def other(path):
        with open(path, "w") as f:
            f.write(B.replace("10.1.0.2", "10.1.0.9"))

    for damage in (flip, cut, other, os.unlink):
        with Machine() as m:
            damage(content_path(m.prepared(), "b"))
            m.write("b", B_WRONG)
            m.boot().serves("10.1.0.1", "10.1.0.3")
            s = m.status()
            assert s["state"] == "degraded", s
            assert any(d["severity"] == "warning" and "b.cfg" in d["file"] for d in s["diagnostics"]), s["diagnostics"]
            m.write("b", B)
            m.fine()
            m.down()
            assert m.kept("b.cfg") == B, "the damaged content was taken for a good one"
            m.write("b", B_WRONG)
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")


def damaged_content_of_a_good_file():
    """Nobody needs it, until the file breaks: so the next save mends it."""
    with Machine() as m:
        os.unlink(content_path(m.prepared(), "b"))
        m.boot()
        m.fine()
        m.down()
        assert m.kept("b.cfg") == B


def serves_and_warns(m):
    """With a state directory that cannot be written, everything else works."""
    m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
    wait_until(lambda: m.status()["stateError"], "the error in status --json")
    assert m.state in m.said(), m.said()
    assert m.state in m.daemon.ctl("status")[1]
    assert m.status()["state"] == "ok"
    m.write("b", B_NEW)
    assert m.daemon.ctl("reload")[0] == 0
    m.serves("10.1.0.1", "10.1.1.2", "10.1.0.3")
    m.write("b", B_WRONG)
    assert m.daemon.ctl("reload")[0] == 3
    m.serves("10.1.0.1", "10.1.1.2", "10.1.0.3")
    m.write("b", B_NEW)
    m.write("c", C_NEW)
    assert m.daemon.ctl("reload")[0] == 0
    assert m.said().count("cannot keep the last good state") == 1, "said once, not at each try\n" + m.said()


def read_only():
    with Machine() as m:
        m.mount(m.state, "-t", "tmpfs", "-o", "ro", "tmpfs")
        serves_and_warns(m)
        subprocess.run(["mount", "-o", "remount,rw", m.state], check=True)
        m.down()
        assert m.kept("b.cfg") == B_NEW and m.kept("c.cfg") == C_NEW
        # what was kept is used from a read-only /var
        subprocess.run(["mount", "-o", "remount,ro", m.state], check=True)
        before = snapshot(m.state)
        m.write("b", B_WRONG)
        m.boot().serves("10.1.0.1", "10.1.1.2", "10.1.1.3")
        m.degraded(m.path("b"), 2, utc(m.index()["1/b.cfg"][2]))
        m.down()
        assert snapshot(m.state) == before


def writable_again():
    """Without a restart. The next try may be a minute away, so other tests are run meanwhile."""
    with Machine() as m:
        m.mount(m.state, "-t", "tmpfs", "-o", "ro", "tmpfs")
        m.boot()
        wait_until(lambda: m.status()["stateError"], "the error in status --json")
        subprocess.run(["mount", "-o", "remount,rw", m.state], check=True)
        m.write("b", B_NEW)
        assert m.daemon.ctl("reload")[0] == 0
        yield
        wait_until(lambda: m.kept("b.cfg") == B_NEW, "kept once the directory can be written", 90)
        wait_until(lambda: m.status()["stateError"] is None, "no error any more")


def full():
    with Machine() as m:
        m.mount(m.state, "-t", "tmpfs", "-o", "size=64k,nr_inodes=100", "tmpfs")

        def fill():
            with open(f"{m.state}/filler", "wb", 0) as f, contextlib.suppress(OSError):
                while True:
                    f.write(bytes(4096))
        fill()
        serves_and_warns(m)
        os.unlink(f"{m.state}/filler")
        m.down()
        assert m.kept("b.cfg") == B_NEW and m.kept("c.cfg") == C_NEW
        # full with something kept: that stays what it was
        fill()
        m.boot()
        m.write("b", B)
        assert m.daemon.ctl("reload")[0] == 0
        m.serves("10.1.0.1", "10.1.0.2", "10.1.1.3")
        m.down()
        assert m.kept("b.cfg") == B_NEW and m.kept("c.cfg") == C_NEW
        assert set(os.listdir(m.accepted)) == {e[0] for e in m.index().values()} | {"index"}, "leftovers"
        m.write("b", B_WRONG)
        m.boot().serves("10.1.0.1", "10.1.1.2", "10.1.1.3")


def without_inodes():
    with Machine() as m:
        m.mount(m.state, "-t", "tmpfs", "-o", "nr_inodes=3", "tmpfs")
        serves_and_warns(m)


def missing_var():
    with Machine() as m:
        assert not os.path.exists(f"{m.root.path}/var")
        m.prepared()
        assert stat.S_IMODE(os.stat(m.accepted).st_mode) == 0o700
        # gone while it runs: what is new is kept, at the next boot all of it
        m.boot()
        os.rename(f"{m.root.path}/var", f"{m.root.path}/gone")  # at once: a save may run
        m.write("b", B_NEW)
        assert m.daemon.ctl("reload")[0] == 0
        m.down()
        assert m.kept("b.cfg") == B_NEW
        m.boot().down()
        assert m.kept("b.cfg") == B_NEW and m.kept("a.cfg") == A and m.kept("c.cfg") == C


def file_in_its_place(place):
    with Machine() as m:
        path = {"var": f"{m.root.path}/var", "state directory": m.state, "accepted": m.accepted}[place]
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write("precious\n")
        serves_and_warns(m)
        m.down()
        with open(path) as f:
            assert f.read() == "precious\n"
        os.unlink(path)
        m.reboot().wait_until_kept(b=B_NEW, c=C_NEW)


def link_in_its_place():
    """What is elsewhere is not ours to write to."""
    with Machine() as m:
        os.makedirs(m.state)
        elsewhere = f"{m.root.path}/elsewhere"
        os.mkdir(elsewhere)
        os.symlink(elsewhere, m.accepted)
        serves_and_warns(m)
        m.down()
        assert os.listdir(elsewhere) == []


def once_with_a_read_only_var():
    with Machine() as m:
        m.mount(m.state, "-t", "tmpfs", "-o", "ro", "tmpfs")
        status, err = m.once()
        assert status == 0 and m.state in err, f"{status} {err}"
        m.serves("10.1.0.1", "10.1.0.2", "10.1.0.3")


TESTS = (newer_index_of_this_version, damaged_content, damaged_content_of_a_good_file, read_only, full, without_inodes,
         missing_var, link_in_its_place, once_with_a_read_only_var)


def main():
    need_root()
    t = Tap()
    own_mounts()
    waiting = writable_again()
    cases = {"a directory that cannot be written": lambda: next(waiting)}
    cases |= {f"the index is {what}": lambda what=what: damaged_index(what) for what in DAMAGED_INDEX}
    cases |= {f"a file instead of a directory: {place}": lambda place=place: file_in_its_place(place)
              for place in ("var", "state directory", "accepted")}
    cases |= {name_of(test): test for test in TESTS}
    cases["writable again, a directory that cannot be written"] = lambda: next(waiting, None)
    run_cases(t, cases, sys.argv[1:])
    t.done()


main()
