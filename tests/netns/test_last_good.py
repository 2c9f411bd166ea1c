# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
# weight: 60
"""The last good state outlives the daemon and the kernel: after a boot with broken files the last good content of each is
in force, and everybody who asks is told.

test_last_good.py [WORD...]    cases with one of these words in their names"""
import fcntl
import os
import random
import shutil
import signal
import stat
import sys
import time

import hosts
from machine import (A, B, B_NEW, B_WRONG, C, C_NEW, SETTINGS, Machine, name_of, run_cases, service, snapshot, utc,
                     wait_until)
from tap import SVCROUTECTL, Tap, need_root

SEED = os.environ.get("SVCROUTE_SEED", "20261130")
KILLS = int(os.environ.get("SVCROUTE_KILLS", "12"))


# What is kept, and when

def kept_at_first_start():
    with Machine() as m:
        before = time.time()
        m.boot().wait_until_kept(a=A, b=B, c=C)
        assert m.kept("svcroute.conf", 0) == SETTINGS.format("nft")
        assert len(m.index()) == 4
        for _, _, since, path in m.index().values():
            assert before - 1 < since / 1e6 < time.time() + 1, since
            assert path.startswith(m.root.etc), path
        for path, (_, _, _, _, mode) in snapshot(m.accepted).items():
            assert stat.S_IMODE(mode) == (0o700 if path.endswith("/.") else 0o600), f"{path}: {mode:o}"
        names = {e[0] for e in m.index().values()}
        wait_until(lambda: set(os.listdir(m.accepted)) == names | {"index"}, "nothing else is there")
        assert m.status()["stateError"] is None


def kept_only_what_the_kernel_has():
    with Machine("legacy") as m, open(f"{m.root.path}/xtables.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        m.start()
        wait_until(lambda: "sync failed" in m.said(), "a failed sync")
        assert m.index() is None, "kept before the kernel had it"
        fcntl.flock(lock, fcntl.LOCK_UN)
        m.daemon.ready()
        m.wait_until_kept(b=B)
        fcntl.flock(lock, fcntl.LOCK_EX)
        m.write("b", B_NEW)
        assert m.daemon.ctl("reload")[0] == 1
        m.down()
        assert m.kept("b.cfg") == B, "kept before the kernel had it"


def edits_are_kept():
    with Machine() as m:
        m.boot().wait_until_kept(a=A, b=B)
        since = m.index()["1/a.cfg"][2]
        m.write("b", B_NEW)
        m.write("d", service("d", "10.96.0.4", "10.1.0.4"))
        os.unlink(m.path("c"))
        m.wait_until_kept(b=B_NEW)  # by itself
        m.down()
        assert set(m.index()) == {"0/svcroute.conf", "1/a.cfg", "1/b.cfg", "1/d.cfg"}
        assert m.index()["1/a.cfg"][2] == since
        assert set(os.listdir(m.accepted)) == {e[0] for e in m.index().values()} | {"index"}, "old contents go"


def nothing_is_written_without_a_change():
    with Machine() as m:
        before = snapshot(m.prepared().state)
        m.boot()
        os.utime(m.path("a"))
        m.write("b", B)  # another file, the same text
        assert m.daemon.ctl("reload")[0] == 0
        assert m.daemon.ctl("resync")[0] == 0
        m.down()
        m.boot().down()
        assert snapshot(m.state) == before


def ready_does_not_wait_for_the_disk():
    """Somebody has the lock of the directory for as long as we like: as slow as a disk can be."""
    with Machine() as m:
        os.makedirs(m.accepted, 0o700)
        fd = os.open(m.accepted, os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        m.boot()
        m.serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
        m.write("b", B_NEW)
        assert m.daemon.ctl("reload")[0] == 0
        m.serves("10.1.0.1", "10.1.1.2", "10.1.0.3")
        assert m.index() is None, "this test looks at nothing"
        os.close(fd)
        m.wait_until_kept(b=B_NEW)


def many_files():
    n = 2000
    files = {f"s{i}": service(f"s{i}", f"10.96.{i // 250}.{i % 250 + 1}", f"10.1.{i // 250}.{i % 250 + 1}") for i in range(n)}
    with Machine(files=files) as m:
        start = time.monotonic()
        m.boot()
        ready = time.monotonic()
        wait_until(m.index, "an index", 60)
        kept = time.monotonic()
        assert len(m.index()) == n + 1 and m.kept("s1999.cfg") == files["s1999"]
        print(f"# note: {n} files: ready after {ready - start:.2f} s, kept {kept - ready:.2f} s later", flush=True)
        m.down()
        m.write("s1000", "services = (")
        os.unlink(m.path("s1001"))
        m.boot()
        assert len(m.served()) == n - 1 and "10.1.4.1" in m.served() and "10.1.4.2" not in m.served()


# A boot with broken files

def wrong_value(path):
    with open(path, "w") as f:
        f.write(B_WRONG)


def cut_off(path):
    os.truncate(path, len(B) // 2)


def garbage(path):
    with open(path, "wb") as f:
        f.write(random.Random(SEED).randbytes(5000))


def zeroes(path):
    with open(path, "wb") as f:
        f.write(bytes(len(B)))


def dangling_link(path):
    os.unlink(path)
    os.symlink("/nowhere/at/all", path)


def directory(path):
    os.unlink(path)
    os.mkdir(path)


def fifo(path):
    os.unlink(path)
    os.mkfifo(path)


def too_large(path):
    os.truncate(path, 1 << 30)


BROKEN = ((wrong_value, 2), (cut_off, ...), (garbage, ...), (zeroes, ...), (dangling_link, None), (directory, None), (fifo, None),
          (too_large, None))


def broken_file(how, line):
    with Machine() as m:
        m.prepared()
        since = utc(m.index()["1/b.cfg"][2])
        how(m.path("b"))
        m.write("c", C_NEW)
        for _ in range(2):  # a second boot as well
            m.boot()
            m.serves("10.1.0.1", "10.1.0.2", "10.1.1.3")
            if line is ...:
                line = next(d["line"] for d in m.status()["diagnostics"] if d["severity"] == "error")
                assert line > 0
            m.degraded(m.path("b"), line, since)
            m.down()
            assert m.kept("b.cfg") == B and m.kept("c.cfg") == C_NEW and utc(m.index()["1/b.cfg"][2]) == since
        m.boot()
        if os.path.isdir(m.path("b")):
            os.rmdir(m.path("b"))
        m.write("b", B_NEW)
        m.fine()
        m.serves("10.1.0.1", "10.1.1.2", "10.1.1.3")
        m.down()
        assert m.kept("b.cfg") == B_NEW


def broken_without_last_good():
    with Machine() as m:
        m.prepared()
        m.write("new", B_WRONG.replace('"b"', '"new"').replace("0.2", "0.9"))
        m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
        m.degraded(m.path("new"), 2)
        assert "left out" in m.daemon.wait_for("READY")[1]["STATUS"]


def broken_endpoints():
    text = 'endpoints = ( { service = "a"; ports = ( { port = 8080; } ); endpoints = [ "10.1.0.%d" ]; } );\n'
    with Machine() as m:
        m.write("a", A.replace('    endpoints = [ "10.1.0.1:8080" ];', ""))
        m.root.write("endpoints.d/a.cfg", text % 77)
        m.boot().serves("10.1.0.77", "10.1.0.2", "10.1.0.3")
        m.down()
        since = utc(m.index()["2/a.cfg"][2])
        m.root.write("endpoints.d/a.cfg", text % 300)
        m.boot().serves("10.1.0.77", "10.1.0.2", "10.1.0.3")
        m.degraded(f"{m.root.etc}/endpoints.d/a.cfg", 1, since)
        m.root.write("endpoints.d/a.cfg", text % 78)
        m.fine()
        m.serves("10.1.0.78", "10.1.0.2", "10.1.0.3")


def all_files_broken():
    with Machine() as m:
        m.prepared()
        for name in "abc":
            garbage(m.path(name))
        m.root.write("svcroute.conf", "[Proxy\n")
        m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
        s = m.status()
        assert s["state"] == "degraded" and s["filesRefused"] == 4 and all(r["lastGood"] for r in s["refused"]), s
        assert m.daemon.ctl("reload")[0] == 3


def deleted_file():
    with Machine() as m:
        m.prepared()
        os.unlink(m.path("b"))
        m.boot().serves("10.1.0.1", "10.1.0.3")
        m.fine()
        m.down()
        assert "1/b.cfg" not in m.index()
        m.write("b", B_WRONG)  # what was deleted is not good any more
        m.boot().serves("10.1.0.1", "10.1.0.3")
        m.degraded(m.path("b"), 2)


def masked_file():
    with Machine() as m:
        m.prepared()
        m.write("b", "")
        os.unlink(m.path("c"))
        os.symlink("/dev/null", m.path("c"))
        m.boot().serves("10.1.0.1")
        m.fine()


def clash_with_a_new_file():
    for name in "0", "z":  # whatever the names
        with Machine() as m:
            m.prepared()
            m.write(name, service("new", "10.96.0.2", "10.1.0.99"))
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            m.degraded(m.path(name), 2)
            os.unlink(m.path("b"))
            m.fine()
            m.serves("10.1.0.1", "10.1.0.99", "10.1.0.3")


def clash_with_an_edit():
    """The one that was edited while the host was down gives way, to what it was."""
    for edited, other in (("b", "c"), ("c", "b")):
        with Machine() as m:
            m.prepared()
            since = utc(m.index()[f"1/{edited}.cfg"][2])
            m.write(edited, service(edited, "10.96.0.2" if other == "b" else "10.96.0.3", "10.1.0.99"))
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            m.degraded(m.path(edited), 2, since)


def traded_addresses():
    """Two files that trade what they have, while down: no clash."""
    with Machine() as m:
        m.prepared()
        m.write("b", service("b", "10.96.0.3", "10.1.1.2"))
        m.write("c", service("c", "10.96.0.2", "10.1.1.3"))
        m.boot().serves("10.1.0.1", "10.1.1.2", "10.1.1.3")
        m.fine()


def broken_file_and_its_heir():
    """b is broken, so what it was is in force, and another file cannot have its address."""
    with Machine() as m:
        m.prepared()
        m.write("b", B_WRONG)
        m.write("0", service("heir", "10.96.0.2", "10.1.0.99"))
        m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
        assert m.status()["filesRefused"] == 2
        os.unlink(m.path("b"))
        m.fine()
        m.serves("10.1.0.1", "10.1.0.99", "10.1.0.3")


# Settings and directories

def masquerade_rule(m, address):
    return f"! -s {address}" in m.host.save("v4", "nft")


def broken_settings():
    with Machine() as m:
        m.root.write("svcroute.conf.d/x.conf", "[IPTables]\nMasqueradeBit=9\n")
        m.boot().down()
        for name, text in (("svcroute.conf", SETTINGS.format("nft").replace("10.1.0.0/16", "10.1.0.0/99")),
                           ("svcroute.conf.d/x.conf", "[IPTables]\nMasqueradeBit=99\n")):
            with open(f"{m.root.etc}/{name}") as f:
                good = f.read()
            since = utc(m.index()["0/" + name.split("/")[-1]][2])
            m.root.write(name, text)
            m.write("c", C_NEW)
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.1.3")
            assert masquerade_rule(m, "10.1.0.0/16") and "0x200/0x200" in m.host.save("v4", "nft")
            m.degraded(f"{m.root.etc}/{name}", 2, since)
            m.root.write(name, good)
            m.fine()
            m.down()


def deleted_settings():
    with Machine() as m:
        m.root.write("svcroute.conf.d/x.conf", "[IPTables]\nMasqueradeBit=9\n")
        m.boot().down()
        os.unlink(f"{m.root.etc}/svcroute.conf.d/x.conf")
        m.boot()
        assert "0x4000/0x4000" in m.host.save("v4", "nft")
        m.fine()


def directory_that_leads_nowhere():
    for make in (lambda path: os.symlink("/nowhere/at/all", path), lambda path: open(path, "w").close()):
        with Machine() as m:
            m.prepared()
            where = f"{m.root.etc}/services.d"
            os.rename(where, f"{where}.away")
            make(where)
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            s = m.status()
            assert s["state"] == "degraded" and s["filesRefused"] >= 1, s
            assert any(d["severity"] == "error" and d["file"].startswith(where) for d in s["diagnostics"]), s
            assert m.daemon.ctl("reload")[0] == 3
            m.serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            m.down()
            assert m.kept("b.cfg") == B
            m.boot()
            os.unlink(where)
            os.rename(f"{where}.away", where)
            m.write("b", B_NEW)
            m.fine()
            m.serves("10.1.0.1", "10.1.1.2", "10.1.0.3")


def services_that_are_gone():
    """A directory that is not there is an edit: its files were deleted."""
    with Machine() as m:
        m.prepared()
        shutil.rmtree(f"{m.root.etc}/services.d")
        m.boot().serves()


def etc_that_is_gone():
    """All of it at once is no edit, before a start and while it runs; an empty one is."""
    for runs in (False, True):
        with Machine() as m:
            m.prepared()
            if runs:
                m.boot().fine()
            os.rename(m.root.etc, f"{m.root.etc}.away")
            if not runs:
                m.boot()
            status, _, err = m.daemon.ctl("reload")
            assert status == 3 and f"{m.root.etc}: error: is missing: what its files said last stays in force" in err, err
            m.serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            assert m.status()["state"] == "degraded"
            m.down()
            assert m.kept("b.cfg") == B
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            os.rename(f"{m.root.etc}.away", m.root.etc)
            m.write("b", B_NEW)
            m.fine()
            m.serves("10.1.0.1", "10.1.1.2", "10.1.0.3")
            os.rename(m.root.etc, f"{m.root.etc}.away")  # file by file it would be an edit
            assert m.daemon.ctl("reload")[0] == 3
            os.mkdir(m.root.etc)
            m.wait_for()
            m.fine()


def etc_that_never_was():
    with Machine() as m:
        shutil.rmtree(m.root.etc)
        m.boot().serves()
        m.fine()


# One sync

def once_keeps():
    with Machine() as m:
        status, err = m.once()
        assert status == 0, err
        assert m.kept("a.cfg") == A and m.kept("b.cfg") == B and m.kept("svcroute.conf", 0)


def once_with_last_good():
    with Machine() as m:
        assert m.once()[0] == 0
        since = m.index()["1/b.cfg"][2]
        m.write("b", B_WRONG)
        m.write("c", C_NEW)
        status, err = m.once()
        assert status == 3 and f"{m.path('b')}:2:" in err, f"{status} {err}"
        m.serves("10.1.0.1", "10.1.0.2", "10.1.1.3")
        assert m.kept("b.cfg") == B and m.kept("c.cfg") == C_NEW and m.index()["1/b.cfg"][2] == since


def once_without_last_good():
    with Machine() as m:
        assert m.once()[0] == 0
        before = snapshot(m.state)
        m.write("new", B_WRONG.replace('"b"', '"new"').replace("0.2", "0.9"))
        m.write("c", C_NEW)
        status, err = m.once()
        assert status == 3 and f"{m.path('new')}:2:" in err, f"{status} {err}"
        assert "KUBE" not in m.host.save("v4", "nft"), "rules were written"
        assert snapshot(m.state) == before


def check_and_render_know_nothing():
    """What is asked about are the files."""
    with Machine() as m:
        m.prepared()
        before = snapshot(m.state)
        m.write("b", B_WRONG)
        m.host = hosts.Host("router")
        for command in ("check", "render"):
            p = m.host.finish([SVCROUTECTL, "--root", m.root.path, command])
            assert p.returncode == 3 and f"{m.path('b')}:2:" in p.stderr, f"{command}: {p.returncode} {p.stderr}"
        assert snapshot(m.state) == before


# Writers and sudden ends

def half_written_at_boot():
    with Machine() as m:
        m.prepared()
        with open(m.path("b"), "w") as b, open(m.path("new"), "w") as new:
            b.write(B_NEW[:len(B_NEW) // 2])
            b.flush()
            new.write(service("new", "10.96.0.9", "10.1.0.9"))  # complete, for all that one can see
            new.flush()
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            assert m.daemon.ctl("reload")[0] == 3
            m.serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            b.write(B_NEW[len(B_NEW) // 2:])
        m.wait_for("10.1.0.1", "10.1.1.2", "10.1.0.3", "10.1.0.9")
        m.fine()


def emptied_at_boot():
    """A writer that has only just begun: an empty file would be a mask."""
    with Machine() as m:
        m.prepared()
        with open(m.path("b"), "w") as f:
            m.boot().serves("10.1.0.1", "10.1.0.2", "10.1.0.3")
            f.write(B_NEW)
        m.wait_for("10.1.0.1", "10.1.1.2", "10.1.0.3")
        with open(m.path("b"), "w"):
            m.down()
            assert m.kept("b.cfg") == B_NEW
        m.boot().serves("10.1.0.1", "10.1.0.3")


def killed_at_any_moment():
    """Each boot keeps what is new at once: that is when it is killed. What a later boot falls back to was in force once,
    and is never older than what an earlier one had."""
    rng = random.Random(SEED)

    def text(version):
        return service("b", "10.96.0.2", f"10.1.{2 + version // 250}.{version % 250 + 1}")

    with Machine() as m:
        written, oldest, busy, seen = 0, 0, 0, set()
        m.write("b", text(0))
        m.prepared()
        start = time.monotonic()
        m.boot()
        usual = time.monotonic() - start
        m.down()
        for _ in range(KILLS):
            written += 1
            m.write("b", text(written))
            m.start()
            until = time.monotonic() + rng.uniform(0, 1.5 * usual + 0.1)
            while time.monotonic() < until:
                written += 1
                m.write("b", text(written))
                time.sleep(rng.uniform(0, 0.05))
            busy += m.kill(rng.random() < 0.7) > 0
            assert m.index(), "the index is gone"
            kept = m.kept("b.cfg")
            m.write("b", "services = (")
            m.boot()
            third = [e for e in m.served() if e not in ("10.1.0.1", "10.1.0.3")]
            assert len(third) == 1 and {"10.1.0.1", "10.1.0.3"} < set(m.served()), m.served()
            assert f'"{third[0]}:8080"' in kept, f"{third} in force, kept is {kept}"
            _, _, x, y = third[0].split(".")
            version = (int(x) - 2) * 250 + int(y) - 1
            assert oldest <= version <= written, f"version {version} after {oldest}; {written} were written"
            seen.add(version)
            oldest = version
            m.down()
        print(f"# {KILLS} kills, {busy} while a child ran; {written} versions written, {len(seen)} of them fallen back to",
              flush=True)
        assert len(seen) > 1, "nothing was ever kept: this test looks at nothing"


TESTS = (kept_at_first_start, kept_only_what_the_kernel_has, edits_are_kept, nothing_is_written_without_a_change,
         ready_does_not_wait_for_the_disk, many_files, broken_without_last_good, broken_endpoints, all_files_broken,
         deleted_file, masked_file, clash_with_a_new_file, clash_with_an_edit, traded_addresses, broken_file_and_its_heir,
         broken_settings, deleted_settings, directory_that_leads_nowhere, services_that_are_gone, etc_that_is_gone,
         etc_that_never_was, once_keeps, once_with_last_good,
         once_without_last_good, check_and_render_know_nothing, half_written_at_boot, emptied_at_boot, killed_at_any_moment)


def main():
    need_root()
    t = Tap()
    cases = {f"a boot with a broken file: {name_of(how)}": lambda a=(how, line): broken_file(*a) for how, line in BROKEN}
    run_cases(t, cases | {name_of(test): test for test in TESTS}, sys.argv[1:])
    t.done()


main()
