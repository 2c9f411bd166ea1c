# SPDX-License-Identifier: GPL-2.0-or-later
"""What a disk may hold after a power cut.

record() runs a program under strace and gives its system calls; a Disk applies them one by one to a model of a directory
tree that knows what is durable. crashes() then gives the trees that a power cut at this moment may leave:

 - Data of a file that was not synced since: what was durable before, all of it, half of it, garbage or zeros at the end.
 - Names (made, renamed, removed) are durable when the directory was synced after; until then each of these changes may
   or may not have reached the disk, in any combination. A rename is done or not done, never by halves.

This is harsher than any file system that we know. A call that is not in the model is an error, not a guess."""
import copy
import hashlib
import math
import os
import re
import subprocess
import tempfile

from tap import Skip

CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+)")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?$')
# They change nothing that the model knows: permissions are no part of it.
HARMLESS = {"access", "faccessat", "faccessat2", "execve", "fadvise64", "fchmod", "fchmodat", "chmod", "fcntl", "flock", "fstat",
            "fstatfs", "getcwd", "getdents64", "ioctl", "lseek", "lstat", "newfstatat", "poll", "ppoll", "pread64", "read",
            "readlink", "readlinkat", "readv", "stat", "statfs", "statx", "umask"}


def record(command):
    """The calls that had success, as [name, argument...], strings as bytes. The program must succeed."""
    with tempfile.NamedTemporaryFile(mode="r", prefix="strace-") as log:
        env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")  # it would trace the process itself
        p = subprocess.run(["strace", "-xx", "-s", str(1 << 22), "-e", "trace=%file,%desc,sync,syncfs", "-o", log.name, *command],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env)
        lines = log.read().splitlines()
    if "PTRACE" in p.stderr:
        raise Skip("strace may not trace here")
    assert p.returncode == 0, f"{command}: {p.returncode} {p.stderr}"
    calls = []
    for line in lines:
        m = CALL.match(line)
        assert m or line.startswith(("+++", "---")), line
        if m and int(m[3]) >= 0 and m[1] not in HARMLESS:
            calls.append([m[1], *(argument(a) for a in m[2].split(", ")), int(m[3])])
    return calls


def argument(text):
    m = TEXT.match(text)
    assert not (m and m[2]), "strace cut a string"
    return bytes.fromhex(m[1].replace("\\x", "")) if m else text


class File:
    def __init__(self, durable=None):
        self.durable = durable or b""
        self.data = self.durable


class Folder:
    def __init__(self):
        self.entries = {}  # as programs see them
        self.durable = {}


class Disk:
    """The tree below the folder `top`, as it is there now, all of it durable."""

    def __init__(self, top):
        self.top, self.fds, self.pending = top.encode(), {}, []
        self.root = self.read(self.top)

    def read(self, path):
        if not os.path.isdir(path):
            with open(path, "rb") as f:
                return File(f.read())
        folder = Folder()
        folder.entries = {name: self.read(os.path.join(path, name)) for name in os.listdir(path)}
        folder.durable = dict(folder.entries)
        return folder

    def copy(self):
        return copy.deepcopy(self)

    def new_process(self):
        self.fds = {}

    # What programs do

    def locate(self, fd, path):
        """(folder, name) of a path; (None, None) outside the tree. The name may not exist yet; None is the folder."""
        if path.startswith(b"/"):
            if path != self.top and not path.startswith(self.top + b"/"):
                return None, None
            at, path = self.root, path[len(self.top):]
        elif fd == "AT_FDCWD" or self.fds.get(int(fd)) is None:
            return None, None
        else:
            at = self.fds[int(fd)]
        parts = [p for p in path.split(b"/") if p not in (b"", b".")]
        assert b".." not in parts, path
        for part in parts[:-1]:
            at = at.entries[part]
        return at, parts[-1] if parts else None

    def change(self, folder, entries):
        """Entries of a folder change, all at once; a value of None removes one."""
        self.pending.append((folder, entries))
        self.write_entries(folder.entries, entries)

    @staticmethod
    def write_entries(entries, change):
        for name, node in change.items():
            if node is None:
                entries.pop(name, None)
            else:
                entries[name] = node

    def sync_folder(self, folder):
        for f, change in self.pending:
            if f is folder:
                self.write_entries(folder.durable, change)
        self.pending = [p for p in self.pending if p[0] is not folder]

    def everything(self):
        """All files and folders that there are, or were and may come back."""
        found, queue = {}, [self.root, *(node for _, change in self.pending for node in change.values() if node)]
        while queue:
            node = queue.pop()
            if id(node) not in found:
                found[id(node)] = node
                if isinstance(node, Folder):
                    queue += [*node.entries.values(), *node.durable.values()]
        return found.values()

    def apply(self, call):
        """True if the call changed something or made something durable."""
        name, *args, result = call
        if name in ("rename", "mkdir", "unlink", "open", "creat", "rmdir"):  # the forms without a directory
            args = ["AT_FDCWD", args[0], "AT_FDCWD", args[1]] if name == "rename" else ["AT_FDCWD", *args]
            name += "at"
        do = getattr(self, "do_" + name, None)
        assert do, f"the model does not know {name}()"
        return bool(do(args, result))

    def do_openat(self, args, result):
        folder, name = self.locate(args[0], args[1])
        flags = args[2].split("|")
        self.fds.pop(result, None)
        if folder is None:
            return False
        made = name is not None and name not in folder.entries
        if made:
            assert "O_CREAT" in flags, args
            self.change(folder, {name: File()})
        node = folder if name is None else folder.entries[name]
        assert "O_TRUNC" not in flags and "O_APPEND" not in flags and "O_TMPFILE" not in flags, args
        self.fds[result] = node
        if isinstance(node, File) and flags[0] != "O_RDONLY":
            assert made, f"{args}: an existing file is opened for writing"
        return made

    def do_close(self, args, _):
        self.fds.pop(int(args[0]), None)

    def do_mmap(self, args, _):
        assert "MAP_SHARED" not in args[3] or "PROT_WRITE" not in args[2], args

    def do_write(self, args, result):
        node = self.fds.get(int(args[0]))
        if node is None:
            assert int(args[0]) <= 2, args
            return False
        node.data += args[1][:result]
        return True

    def do_mkdirat(self, args, _):
        folder, name = self.locate(args[0], args[1])
        assert folder is not None, args
        self.change(folder, {name: Folder()})
        return True

    def do_unlinkat(self, args, _):
        folder, name = self.locate(args[0], args[1])
        if folder is None:
            return False
        self.change(folder, {name: None})
        return True

    def do_renameat(self, args, _):
        (folder, old), (other, new) = self.locate(args[0], args[1]), self.locate(args[2], args[3])
        assert folder is other and folder is not None, args
        self.change(folder, {old: None, new: folder.entries[old]})
        return True

    def do_fsync(self, args, _):
        node = self.fds[int(args[0])]
        if isinstance(node, Folder):
            self.sync_folder(node)
        else:
            node.durable = node.data
        return True

    def do_syncfs(self, args, _):
        assert int(args[0]) in self.fds, args
        for node in self.everything():
            if isinstance(node, Folder):
                self.sync_folder(node)
            else:
                node.durable = node.data
        return True

    # What is left of it

    @staticmethod
    def tree(folder, entries_of, data_of):
        return {name: Disk.tree(node, entries_of, data_of) if isinstance(node, Folder) else data_of(node)
                for name, node in entries_of(folder).items()}

    def seen(self):
        """The tree as programs see it."""
        return self.tree(self.root, lambda f: f.entries, lambda f: f.data)

    def after(self, kept, data):
        """The tree with these of the pending changes, and this data of files that are not durable."""
        entries = {}
        for (folder, change), keep in zip(self.pending, kept):
            if keep:
                self.write_entries(entries.setdefault(id(folder), dict(folder.durable)), change)
        return self.tree(self.root, lambda f: entries.get(id(f), f.durable), lambda f: data.get(id(f), f.durable))

    def crashes(self, rng, most):
        """Trees that a power cut at this moment may leave, each once: [(digest, tree)]. At most so many, in which then are
        those where nothing was lost, and all that can be; else they are chosen at random."""
        torn = [(id(f), data_after(f, rng)) for f in self.everything() if isinstance(f, File) and f.durable != f.data]
        found = {}
        for kept, picks in self.choices(len(self.pending), [len(c) for _, c in torn], rng, most):
            tree = self.after(kept, {f: choices[p] for (f, choices), p in zip(torn, picks)})
            found.setdefault(digest(tree), tree)
        return list(found.items())

    @staticmethod
    def choices(n_names, n_data, rng, most):
        n_choices = math.prod(n_data) << n_names
        if n_choices <= most:
            return [Disk.choice(number, n_names, n_data) for number in range(n_choices)]
        nothing, everything = [0] * len(n_data), [1] * len(n_data)
        found = [([0] * n_names, nothing), ([1] * n_names, everything)]
        # One part fares differently, or the disk came so far
        special = [([1] * n_names, [p if i == one else 1 for i in range(len(n_data))]) for one, n in enumerate(n_data)
                   for p in range(n)]
        special += [([i < n for i in range(n_names)], everything) for n in range(1, n_names)]
        special += [([(i == n) == one for i in range(n_names)], everything) for n in range(n_names) for one in (False, True)]
        rng.shuffle(special)
        found += special[:most // 2]
        while len(found) < most:
            found.append(Disk.choice(rng.randrange(n_choices), n_names, n_data))
        return found

    @staticmethod
    def choice(number, n_names, n_data):
        """One of all possible choices, by its number."""
        kept, number, picks = [number >> i & 1 for i in range(n_names)], number >> n_names, []
        for n in n_data:
            number, pick = divmod(number, n)
            picks.append(pick)
        return kept, picks


def data_after(f, rng):
    """What may be found in a file that was not synced. Number 1 is all of it."""
    half = len(f.data) // 2
    all_of_them = [f.durable, f.data, f.data[:half], f.data[:half] + rng.randbytes(len(f.data) - half),
                   f.data[:half] + bytes(len(f.data) - half), bytes(len(f.data))]
    return [d for i, d in enumerate(all_of_them) if i < 2 or d not in all_of_them[:i]]


def digest(tree):
    h = hashlib.sha256()
    for name in sorted(tree):
        node = tree[name]
        h.update(b"%d %s %s" % (len(name), name, (digest(node) if isinstance(node, dict) else hashlib.sha256(node).digest())))
        h.update(b"d" if isinstance(node, dict) else b"f")
    return h.digest()


def write(tree, path):
    """Makes a folder with this in it."""
    os.mkdir(path)
    for name, node in tree.items():
        to = os.path.join(os.fsencode(path), name)
        if isinstance(node, dict):
            write(node, to)
        else:
            with open(to, "wb") as f:
                f.write(node)
