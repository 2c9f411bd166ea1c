# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs one test program inside user-mode Linux: a kernel with IPVS, SCTP, dummy links, ipset and loadable modules that
is an ordinary process here. It sees this machine's files, as root, and cannot change them.

uml.py PROGRAM [ARGUMENT...]    PROGRAM: a test (.py, .sh), or any program

What the program prints is printed here as it comes, and its exit status is ours. The kernel is Debian's package
user-mode-linux, fetched once into BUILD/uml. Legacy iptables comes first in the program's PATH. What it writes to
$SVCROUTE_RESULTS is kept in BUILD/uml/results/PROGRAM. A machine on which this cannot run fails the test."""
import contextlib
import ctypes
import fcntl
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

from tap import BUILD, exit_on_term, need_root, skip_all

HOME = f"{BUILD}/uml"
KERNEL = f"{HOME}/usr/bin/linux.uml"
MODULES = f"{HOME}/lib/modules"
MEMORY = 1 << 30
SECONDS = 1800  # the test runner's own limit is shorter
PASSED_ON = re.compile(r"SVCROUTE_|PYTHON|CMOCKA_|LC_ALL$|ASAN_|UBSAN_")


class Failed(Exception):
    pass


def run(command, **arguments):
    p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, **arguments)
    if p.returncode:
        raise Failed(f"{' '.join(command)}: status {p.returncode}: {(p.stdout + p.stderr).strip()[-1500:]}")


def fetch():
    """Makes BUILD/uml, once; tests that run at the same time wait for the first."""
    os.makedirs(BUILD, exist_ok=True)
    with open(f"{BUILD}/uml.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(KERNEL):
            return
        shutil.rmtree(HOME, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="uml-", dir=BUILD) as d:
            # root may write here, apt's own user may not
            download = ["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", "user-mode-linux"]
            try:
                run(download, cwd=d)
            except Failed:
                run(["apt-get", "-q", "update"])
                run(download, cwd=d)
            [package] = glob.glob(f"{d}/*.deb")
            run(["dpkg", "-x", package, f"{d}/tree"])
            os.makedirs(f"{d}/tree/lib")
            os.rename(f"{d}/tree/usr/lib/uml/modules", f"{d}/tree/lib/modules")
            [version] = os.listdir(f"{d}/tree/lib/modules")
            run(["depmod", "-b", f"{d}/tree", version])
            os.rename(f"{d}/tree", HOME)


def memory_folder():
    """Where the kernel keeps its memory, as a file without a name."""
    with contextlib.suppress(OSError):
        s = os.statvfs("/dev/shm")
        if s.f_bavail * s.f_frsize > 2 * MEMORY:
            return "/dev/shm"
    return HOME


def write_command(path, program, arguments):
    """A shell script that runs the program as here: folder, environment."""
    how = {".py": ["/usr/bin/python3"], ".sh": ["/bin/sh"]}.get(os.path.splitext(program)[1], [])
    with open(path, "w") as f:
        for key, value in os.environ.items():
            if PASSED_ON.match(key):
                f.write(f"export {key}={shlex.quote(value)}\n")
        f.write(f"cd {shlex.quote(os.getcwd())}\nexec {shlex.join([*how, program, *arguments])}\n")


def start(work, output):
    """The kernel is in a process namespace of its own, so that all of its processes end with the first; and that one
    ends with this program."""
    def die_with_parent():
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    kernel = [KERNEL, f"mem={MEMORY >> 20}M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro",
              f"init={os.path.dirname(os.path.abspath(__file__))}/uml-init.sh", f"uml_dir={work}", "con=null",
              "con0=null,fd:1", "ssl=null", f"ssl0=null,fd:{output}", "quiet", f"WORK={work}", f"MODULES={MODULES}"]
    # A shell between them: the kernel as first process of its namespace would not get its own signals.
    command = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--", "/bin/sh", "-c", '"$@"; exit $?', "sh"]
    with open(f"{work}/console", "wb") as console:
        return subprocess.Popen(command + kernel, stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT,
                                pass_fds=(output,), preexec_fn=die_with_parent, cwd="/",
                                env={"PATH": os.environ["PATH"], "HOME": work, "TMPDIR": memory_folder()})


def relay(stream):
    """Prints what comes; the exit status that the last line tells, or None."""
    status, blank = None, False
    for line in stream:
        if m := re.fullmatch(rb"# uml: end (\d+)\n", line):
            status = int(m[1])
            continue
        # the newline before the last line is not the program's
        if blank:
            sys.stdout.buffer.write(b"\n")
        blank = line == b"\n"
        if not blank:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
    return status


def boot(program, arguments):
    with tempfile.TemporaryDirectory(prefix="run-", dir=HOME) as work:
        os.mkdir(f"{work}/results")
        write_command(f"{work}/command", program, arguments)
        reader, writer = os.pipe()
        p = start(work, writer)
        os.close(writer)
        signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"# uml: no end within {SECONDS} s"))
        signal.alarm(SECONDS)
        try:
            with open(reader, "rb") as stream:
                status = relay(stream)
            p.wait(60)
        finally:
            p.kill()
            p.wait()
            kept = f"{HOME}/results/{os.path.basename(program)}"
            shutil.rmtree(kept, ignore_errors=True)
            if os.listdir(f"{work}/results"):
                os.makedirs(os.path.dirname(kept), exist_ok=True)
                os.rename(f"{work}/results", kept)
            with open(f"{work}/console", errors="replace") as f:
                console = f.read().replace("\r", "")
            if sys.exc_info()[0] or status is None:
                print("# uml: the console said:\n" + "".join(f"#   {line}\n" for line in console.splitlines()[-60:]), end="")
    if status is None:
        raise Failed("the kernel ended before the test")
    return status


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    need_root()
    if os.environ.get("SVCROUTE_SANITIZE") == "1":
        skip_all("the address sanitizer's memory map does not fit into a process of user-mode Linux")
    exit_on_term()
    try:
        fetch()
        status = boot(os.path.abspath(sys.argv[1]), sys.argv[2:])
    except (Failed, OSError, subprocess.SubprocessError) as e:
        why = (str(e) or type(e).__name__).replace("\n", "\n# ")
        print(f"not ok 1 - user-mode Linux\n# {why}\n1..1")
        status = 1
    sys.exit(status)


main()
