# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs one test program inside user-mode Linux: a kernel with IPVS, SCTP, dummy links, ipset and loadable modules that
is an ordinary process here. It sees this machine's files, as root, and cannot change them.

uml.py PROGRAM [ARGUMENT...]    PROGRAM: a test (.py, .sh), or any program

What the program prints is printed here as it comes, and its exit status is ours. The kernel is Debian's package
user-mode-linux, fetched once into BUILD/uml. Legacy iptables comes first in the program's PATH. What it writes to
$SVCROUTE_RESULTS is kept in BUILD/uml/results/PROGRAM. A machine on which this cannot run fails the test."""
import os
import shutil
import subprocess
import tempfile

import guest
from tap import BUILD, skip_all

HOME = f"{BUILD}/uml"
KERNEL = f"{HOME}/usr/bin/linux.uml"
MODULES = f"{HOME}/lib/modules"
MEMORY = 1 << 30
SECONDS = 1800  # the test runner's own limit is shorter


def fetch():
    """Makes BUILD/uml, once."""
    with guest.locked("uml"):
        if os.path.exists(KERNEL):
            return
        shutil.rmtree(HOME, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="uml-", dir=BUILD) as d:
            guest.unpack_package("user-mode-linux", d)
            os.makedirs(f"{d}/tree/lib")
            os.rename(f"{d}/tree/usr/lib/uml/modules", f"{d}/tree/lib/modules")
            [version] = os.listdir(f"{d}/tree/lib/modules")
            guest.run(["depmod", "-b", f"{d}/tree", version])
            os.rename(f"{d}/tree", HOME)


def start(work, output):
    """The kernel is in a process namespace of its own, so that all of its processes end with the first; and that one
    ends with this program."""
    kernel = [KERNEL, f"mem={MEMORY >> 20}M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro",
              f"init={os.path.dirname(os.path.abspath(__file__))}/uml-init.sh", f"uml_dir={work}", "con=null",
              "con0=null,fd:1", "ssl=null", f"ssl0=null,fd:{output}", "quiet", f"WORK={work}", f"MODULES={MODULES}"]
    # A shell between them: the kernel as first process of its namespace would not get its own signals.
    command = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--", "/bin/sh", "-c", '"$@"; exit $?', "sh"]
    with open(f"{work}/console", "wb") as console:
        return guest.start(command + kernel, stdout=console, stderr=subprocess.STDOUT, pass_fds=(output,),
                           env={"PATH": os.environ["PATH"], "HOME": work, "TMPDIR": guest.memory_folder(MEMORY, HOME)})


def boot(program, arguments):
    if os.environ.get("SVCROUTE_SANITIZE") == "1":
        skip_all("the address sanitizer's memory map does not fit into a process of user-mode Linux")
    fetch()
    with tempfile.TemporaryDirectory(prefix="run-", dir=HOME) as work:
        os.mkdir(f"{work}/results")
        guest.write_command(f"{work}/command", program, arguments)
        reader, writer = os.pipe()
        p = start(work, writer)
        os.close(writer)
        try:
            return guest.finish(p, open(reader, "rb"), f"{work}/console", SECONDS)
        finally:
            kept = f"{HOME}/results/{os.path.basename(program)}"
            shutil.rmtree(kept, ignore_errors=True)
            if os.listdir(f"{work}/results"):
                os.makedirs(os.path.dirname(kept), exist_ok=True)
                os.rename(f"{work}/results", kept)


guest.main(__doc__, "user-mode Linux", boot)
