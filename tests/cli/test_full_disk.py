# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# weight: 20
"""The accepted contents on file systems that are full or read-only, and many of them: an error says which step failed, and
the old set stays. Runs in a mount namespace of its own, so that nothing stays mounted."""
import glob
import hashlib
import os
import subprocess
import sys
import tempfile
import time

from tap import BUILD, Tap, need_root

DRIVER = os.path.join(BUILD, "tests", "drive-accepted")
PAGE = 4096
PREFIX = f"accepted-{os.getpid()}-"

A = {"a.cfg": b"a" * 300, "b.cfg": b"old b\n" * 2000, "empty.cfg": b""}
B = {f"{n}.cfg": b"%d\n" % n * 2000 for n in range(6)} | {"a.cfg": b"a" * 300}
MANY = 20000


class FileSystem:
    """A tmpfs with a state directory and the sets beside it."""

    def __init__(self, options=""):
        self.path = tempfile.mkdtemp(prefix=PREFIX)
        self.size = 0
        self.mount("-t", "tmpfs", "-o", f"size={256 * PAGE},{options}".rstrip(","), "tmpfs")
        self.state = f"{self.path}/svcroute"
        self.folder = f"{self.state}/accepted"
        self.sets = tempfile.mkdtemp(prefix="sets-")

    def mount(self, *arguments):
        subprocess.run(["mount", *arguments, self.path], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", self.path], check=True)
        os.rmdir(self.path)
        subprocess.run(["rm", "-rf", self.sets], check=True)

    def set(self, contents):
        path = tempfile.mkdtemp(dir=self.sets)
        for name, text in contents.items():
            with open(f"{path}/{name}", "wb") as f:
                f.write(text)
        return path

    def save(self, contents):
        """None, or what went wrong."""
        p = drive("save", self.set(contents), self.state)
        assert p.returncode in (0, 1), f"{p.returncode} {p.stderr}"
        return p.stderr if p.returncode else None

    def must_save(self, contents):
        error = self.save(contents)
        assert error is None, error
        self.must_show(contents)

    def must_show(self, contents):
        lines = sorted(self.show())
        want = sorted(f"file 1/{name} {hashlib.sha256(text).hexdigest()}" for name, text in contents.items())
        assert lines == want, f"{lines[:5]}, not {want[:5]}"

    def show(self):
        p = drive("show", self.state)
        assert p.returncode == 0, p.stderr
        return p.stdout.splitlines()[1:-1]

    def entries(self):
        return sorted(os.listdir(self.folder))

    def fill(self, leave):
        """Takes all pages but so many."""
        free = os.statvfs(self.path).f_bavail
        with open(f"{self.path}/filler", "wb") as f:
            f.write(bytes((free - leave) * PAGE))
        assert os.statvfs(self.path).f_bavail == leave


def drive(*arguments):
    return subprocess.run([DRIVER, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def disk_full():
    """However much is left: the new set if it fits, else the old one and nothing more on the disk than before."""
    results = []
    for leave in range(24):
        with FileSystem() as fs:
            fs.must_save(A)
            before = fs.entries()
            fs.fill(leave)
            error = fs.save(B)
            if error is None:
                fs.must_show(B)
            else:
                assert "cannot write " in error and "No space left on device" in error, error
                fs.must_show(A)
                assert fs.entries() == before, fs.entries()
                os.unlink(f"{fs.path}/filler")
                fs.must_save(B)
            results.append(error is None)
    assert results == sorted(results) and results[-1] and not results[0], results
    print(f"# full at {results.count(False)} of {len(results)} sizes")


def no_inodes():
    results = []
    for inodes in range(8, 22):
        with FileSystem(f"nr_inodes={inodes}") as fs:
            fs.must_save(A)
            before = fs.entries()
            error = fs.save(B)
            if error is None:
                fs.must_show(B)
            else:
                assert "No space left on device" in error, error
                fs.must_show(A)
                assert fs.entries() == before, fs.entries()
            results.append(error is None)
    assert results == sorted(results) and results[-1] and not results[0], results
    print(f"# no inodes at {results.count(False)} of {len(results)} sizes")


def full_at_the_first_save():
    with FileSystem() as fs:
        fs.fill(0)
        error = fs.save(A)
        assert error and "No space left on device" in error, error
        assert fs.show() == [], fs.show()
        os.unlink(f"{fs.path}/filler")
        fs.must_save(A)


def read_only():
    """Reading goes on; what is the same already is no error; a corrupt index is told each time and left alone."""
    with FileSystem() as fs:
        fs.must_save(A)
        fs.mount("-o", "remount,ro")
        fs.must_show(A)
        fs.must_save(A)
        error = fs.save(B)
        assert error and "cannot write " in error and "Read-only file system" in error, error
        fs.must_show(A)
        fs.mount("-o", "remount,rw")
        with open(f"{fs.folder}/index", "ab") as f:
            f.write(b"x")
        content = f"{fs.folder}/{hashlib.sha256(A['a.cfg']).hexdigest()}"
        fs.mount("-o", "remount,ro")
        for _ in range(2):
            lines = fs.show()
            assert len(lines) == 1 and "checksum does not fit; ignored" in lines[0], lines
        fs.mount("-o", "remount,rw")
        assert "put aside as index.bad" in fs.show()[0]
        fs.must_save(A)
        with open(content, "ab") as f:
            f.write(b"x")
        fs.mount("-o", "remount,ro")
        lines = fs.show()
        assert sum(line.startswith("lost 1/a.cfg ") for line in lines) == 1 and len(lines) == len(A), lines
        assert os.path.exists(content)


def read_only_and_empty():
    with FileSystem() as fs:
        fs.mount("-o", "remount,ro")
        assert fs.show() == []
        error = fs.save(A)
        assert error and "cannot make " in error and "Read-only file system" in error, error
        fs.mount("-o", "remount,rw")
        fs.must_save(A)


def of_another_user():
    """A directory that may not be opened: told, and nothing else."""
    with FileSystem() as fs:
        fs.must_save(A)
        os.chmod(fs.path, 0o755)
        user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        p = subprocess.run([*user, DRIVER, "show", fs.state], capture_output=True, text=True)
        assert p.returncode == 0 and "cannot be opened: Permission denied" in p.stdout, p.stdout + p.stderr
        os.chmod(fs.sets, 0o755)
        readable = fs.set(B)
        os.chmod(readable, 0o755)
        p = subprocess.run([*user, DRIVER, "save", readable, fs.state], capture_output=True, text=True)
        assert p.returncode == 1 and "cannot open " in p.stderr and "Permission denied" in p.stderr, p.stderr
        fs.must_show(A)


def many_files():
    with FileSystem("size=1g") as fs:
        def many(salt):
            start = time.monotonic()
            p = drive("many", str(MANY), salt, fs.state)
            assert p.returncode == 0, p.stderr
            return time.monotonic() - start
        first, same, all_new = many("x"), many("x"), many("y")
        assert len(fs.show()) == MANY and len(fs.entries()) == MANY + 1
        assert not [line for line in fs.show() if not line.startswith("file ")]
        size = os.path.getsize(f"{fs.folder}/index")
        print(f"# {MANY} files in memory: first save {first:.1f} s, again {same:.1f} s, all new {all_new:.1f} s; index {size} bytes")


def main():
    need_root()
    if "inside" not in sys.argv:
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv, "inside"])
    tap = Tap()
    for test in (disk_full, no_inodes, full_at_the_first_save, read_only, read_only_and_empty, of_another_user, many_files):
        with tap.case(test.__name__.replace("_", " ")):
            test()
    left = glob.glob(f"{tempfile.gettempdir()}/{PREFIX}*")
    with tap.case("nothing stays mounted"):
        assert not left, left
    tap.done()


main()
