# SPDX-License-Identifier: GPL-2.0-or-later
"""What uml.py and vm.py share: a test program runs as root under another kernel; what it prints is printed here as it
comes, and its exit status is ours."""
import contextlib
import ctypes
import fcntl
import glob
import os
import re
import shlex
import signal
import subprocess
import sys

from tap import BUILD, exit_on_term, need_root

PASSED_ON = re.compile(r"SVCROUTE_|PYTHON|CMOCKA_|LC_ALL$|ASAN_|UBSAN_")

# /dev/kvm can be there and not work, so it is not even tried.
QEMU = ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "qemu64,+rdrand", "-nodefaults", "-display", "none",
        "-no-reboot", "-nic", "none"]
# While Linux tests the timer it believes that none is lost; a busy machine loses some.
KERNEL_ARGUMENTS = "console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on no_timer_check"


class Failed(Exception):
    pass


def run(command, **arguments):
    """Its standard output."""
    p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, **arguments)
    if p.returncode:
        raise Failed(f"{' '.join(command)}: status {p.returncode}: {(p.stdout + p.stderr).strip()[-1500:]}")
    return p.stdout


def memory_folder(size, other):
    """Where a kernel of this size keeps its memory, as a file without a name; other: when shared memory has no room."""
    with contextlib.suppress(OSError):
        s = os.statvfs("/dev/shm")
        if s.f_bavail * s.f_frsize > 2 * size:
            return "/dev/shm"
    return other


@contextlib.contextmanager
def locked(name):
    """Tests that start at the same time wait for the first, which makes what they all need."""
    os.makedirs(BUILD, exist_ok=True)
    with open(f"{BUILD}/{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def unpack_package(package, folder):
    """Fetches a Debian package and unpacks it below folder/tree."""
    # root may write here, apt's own user may not
    download = ["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", package]
    try:
        run(download, cwd=folder)
    except Failed:
        run(["apt-get", "-q", "update"])
        run(download, cwd=folder)
    [file] = glob.glob(f"{folder}/*.deb")
    run(["dpkg", "-x", file, f"{folder}/tree"])


def write_command(path, program, arguments):
    """A shell script that runs the program as here: folder, environment."""
    how = {".py": ["/usr/bin/python3"], ".sh": ["/bin/sh"]}.get(os.path.splitext(program)[1], [])
    with open(path, "w") as f:
        for key, value in os.environ.items():
            if PASSED_ON.match(key):
                f.write(f"export {key}={shlex.quote(value)}\n")
        f.write(f"cd {shlex.quote(os.getcwd())}\nexec {shlex.join([*how, program, *arguments])}\n")


def start(command, **arguments):
    """A process that ends with this one, also when this one is killed."""
    def die_with_parent():
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent, cwd="/", **arguments)


def relay(stream):
    """Prints what comes; the exit status that the last line tells, or None."""
    status, blank = None, False
    for line in stream:
        if m := re.fullmatch(rb"# guest: end (\d+)\n", line):
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


def finish(process, stream, console, seconds):
    """The exit status that the guest tells at the end of the stream. The process ends in any case; if not well, the end of
    the console file is shown."""
    status = None
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"# guest: no end within {seconds} s"))
    signal.alarm(seconds)
    try:
        with stream:
            status = relay(stream)
        process.wait(60)
    finally:
        process.kill()
        process.wait()
        if sys.exc_info()[0] or status is None:
            with open(console, errors="replace") as f:
                said = f.read().replace("\r", "")
            print("# guest: the console said:\n" + "".join(f"#   {line}\n" for line in said.splitlines()[-60:]), end="")
    if status is None:
        raise Failed("the kernel ended before the test")
    return status


def main(usage, name, boot):
    """The whole program. boot(PROGRAM, ARGUMENTS) gives the exit status."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    need_root()
    exit_on_term()
    try:
        status = boot(os.path.abspath(sys.argv[1]), sys.argv[2:])
    except (Failed, OSError, subprocess.SubprocessError) as e:
        why = (str(e) or type(e).__name__).replace("\n", "\n# ")
        print(f"not ok 1 - {name}\n# {why}\n1..1")
        status = 1
    sys.exit(status)
