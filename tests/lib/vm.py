# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs one test program in a virtual machine under Debian's own kernel, which has IPVS beside nf_tables and both kinds of
iptables. Emulated, so slow: what can run in user-mode Linux (uml.py) belongs there.

vm.py PROGRAM [ARGUMENT...]    PROGRAM: a test (.py, .sh), or any program

What the program prints is printed here as it comes, and its exit status is ours. The machine has no disk and no network:
its root is an initramfs of three parts, the files of a few Debian packages as they are installed here, the kernel's
modules (both kept in BUILD/vm), and this tree's tests with the programs in BUILD, at the same paths as here."""
import glob
import hashlib
import os
import re
import shutil
import subprocess
import tempfile

import guest
from tap import BUILD, SOURCE, SVCROUTECTL, SVCROUTED

HOME = f"{BUILD}/vm"
# With what these depend on.
PACKAGES = ("bash", "busybox-static", "conntrack", "coreutils", "dash", "grep", "ipset", "iproute2", "iptables", "ipvsadm",
            "kmod", "mawk", "mount", "nftables", "procps", "python3", "python3-yaml", "sed", "util-linux")
NEEDLESS = re.compile(r"/usr/share/(doc|man|locale|info|lintian|bug|common-licenses|menu|bash-completion)\b")
ETC = ("passwd", "group", "protocols", "services", "nsswitch.conf", "ld.so.cache", "ld.so.conf")
MODULES = ("kernel/net", "kernel/lib", "kernel/crypto", "kernel/arch", "kernel/drivers/net/dummy.ko",
           "kernel/drivers/net/veth.ko", "modules.builtin", "modules.builtin.modinfo", "modules.order")
MEMORY = 1024  # MiB
SECONDS = 3600  # the test runner's own limit is shorter


def installed():
    """{package: [version, dependencies]} of this machine, also by what a package provides."""
    found = {}
    form = "${db:Status-Status}\t${Package}\t${Version}\t${Pre-Depends}, ${Depends}\t${Provides}\n"
    for line in guest.run(["dpkg-query", "-W", "-f", form]).splitlines():
        status, name, version, depends, provides = line.split("\t")
        if status != "installed":
            continue
        own = (name, version, [re.findall(r"(?:^|\|) *([a-z0-9.+-]+)", d) for d in depends.split(",")])
        found[name] = own
        for p in provides.split(","):
            found.setdefault(p.split("(")[0].strip(), own)
    return found


def wanted_packages():
    """[(name, version)] of PACKAGES and all that they depend on."""
    have, todo, chosen = installed(), list(PACKAGES), {}
    while todo:
        name = todo.pop()
        if name not in have:
            raise guest.Failed(f"Debian package {name} is not installed")
        name, version, depends = have[name]
        if name not in chosen and not name.startswith("perl"):
            chosen[name] = version
            todo += [next(n for n in names if n in have) for names in depends if any(n in have for n in names)]
    return sorted(chosen.items())


def in_place(path):
    """The path with the links among its folders followed: /bin/sh is /usr/bin/sh."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def pack(archive, paths, below="/"):
    """Writes files, links and folders (these without content) as a part of an initramfs, after the folders they are in."""
    names = set()
    for path in paths:
        while path not in ("", "/"):
            names.add(path.strip("/"))
            path = os.path.dirname(path)
    with open(archive, "wb") as out:
        p = subprocess.run(["cpio", "--quiet", "-o", "-H", "newc", "-R", "0:0"], cwd=below, stdout=out, stderr=subprocess.PIPE,
                           input="".join(f"{n}\n" for n in sorted(names)).encode(), timeout=240)
    if p.returncode:
        raise guest.Failed(f"cpio: {p.stderr.decode()[-1500:]}")


def package_files(packages):
    paths = {f"/etc/{e}" for e in ETC} | {"/bin", "/sbin", "/lib", "/lib64", "/proc", "/sys", "/dev", "/run", "/tmp", "/var/lib"}
    paths |= set(glob.glob("/etc/ld.so.conf.d/*"))
    for path in guest.run(["dpkg-query", "-L", *(name for name, _ in packages)]).splitlines():
        if not path.startswith("/") or NEEDLESS.match(path) or not os.path.lexists(path):
            continue
        path = in_place(path)
        paths.add(path)
        if path.endswith(".py"):  # compiling them there takes long
            paths.update(glob.glob(f"{os.path.dirname(path)}/__pycache__/{os.path.basename(path)[:-3]}.*.pyc"))
    return paths


def kernel_package():
    said = guest.run(["apt-cache", "depends", "linux-image-cloud-amd64"])
    return re.search(r"Depends: (linux-image-\S+)", said)[1]


def prepare():
    """Makes BUILD/vm/KEY, once for what goes into it; its path."""
    packages = wanted_packages()
    with guest.locked("vm"):
        kernel = glob.glob(f"{HOME}/*/kernel-package")
        if kernel:
            with open(kernel[0]) as f:
                name = f.read()
        else:
            try:
                name = kernel_package()
            except (guest.Failed, TypeError):
                guest.run(["apt-get", "-q", "update"])
                name = kernel_package()
        with open(__file__, "rb") as f:
            key = hashlib.sha256(repr((packages, name)).encode() + f.read()).hexdigest()[:16]
        place = f"{HOME}/{key}"
        if os.path.exists(place):
            return place
        os.makedirs(HOME, exist_ok=True)
        for old in kernel:
            shutil.rmtree(os.path.dirname(old))
        with tempfile.TemporaryDirectory(prefix="vm-", dir=BUILD) as d:
            guest.unpack_package(name, d)
            [image] = glob.glob(f"{d}/tree/boot/vmlinuz-*")
            version = os.path.basename(image).removeprefix("vmlinuz-")
            source, target = f"{d}/tree/lib/modules/{version}", f"{d}/root/usr/lib/modules/{version}"
            for m in MODULES:
                os.makedirs(os.path.dirname(f"{target}/{m}"), exist_ok=True)
                if os.path.exists(f"{source}/{m}"):
                    os.rename(f"{source}/{m}", f"{target}/{m}")
            os.symlink("usr/lib", f"{d}/root/lib")
            guest.run(["depmod", "-b", f"{d}/root", version])
            pack(f"{d}/modules", [os.path.join(folder, f)[len(f"{d}/root"):] for folder, _, files in
                                  os.walk(f"{d}/root/usr") for f in files], f"{d}/root")
            pack(f"{d}/packages", package_files(packages))
            os.mkdir(f"{d}/made")
            with open(f"{d}/made/base", "wb") as out:
                join(out, f"{d}/packages", f"{d}/modules")
            os.rename(image, f"{d}/made/kernel")
            with open(f"{d}/made/kernel-package", "w") as f:
                f.write(name)
            os.rename(f"{d}/made", place)
        return place


def join(out, *parts):
    for part in parts:
        with open(part, "rb") as f:
            shutil.copyfileobj(f, out, 1 << 20)
    out.flush()


def tree_files():
    """The tests, the programs and the libraries they are linked with."""
    programs = [SVCROUTED, SVCROUTECTL, *glob.glob(f"{BUILD}/tests/drive-ipvs")]
    paths = {f"{SOURCE}/README.md", *programs}
    for folder, folders, files in os.walk(f"{SOURCE}/tests"):
        folders[:] = [f for f in folders if f not in ("__pycache__", "seeds")]
        paths.update(os.path.join(folder, f) for f in files)
    for path in re.findall(r"(?:=> |^\s+)(/\S+) \(", guest.run(["ldd", *programs]), re.M):
        paths |= {in_place(path), os.path.realpath(path)}
    return paths


def boot(program, arguments):
    place = prepare()
    # the initramfs is large: without a name nothing is left of it when this program is killed
    with tempfile.TemporaryFile(dir=HOME) as initrd, tempfile.TemporaryDirectory(prefix="run-", dir=HOME) as work:
        os.mkdir(f"{work}/root")
        guest.write_command(f"{work}/root/command", program, arguments)
        shutil.copy(f"{SOURCE}/tests/lib/vm-init.sh", f"{work}/root/init")
        pack(f"{work}/own", ["command", "init"], f"{work}/root")
        pack(f"{work}/tree", tree_files() | {os.getcwd(), program})
        join(initrd, f"{place}/base", f"{work}/tree", f"{work}/own")
        command = [*guest.QEMU, "-m", str(MEMORY),
                   "-chardev", f"file,id=console,path={work}/console", "-serial", "chardev:console",
                   "-chardev", "stdio,id=output,signal=off", "-serial", "chardev:output",
                   "-kernel", f"{place}/kernel", "-initrd", f"/proc/self/fd/{initrd.fileno()}",
                   "-append", f"{guest.KERNEL_ARGUMENTS} HERE={SOURCE}/tests/lib"]
        p = guest.start(command, stdout=subprocess.PIPE, pass_fds=(initrd.fileno(),))
        return guest.finish(p, p.stdout, f"{work}/console", SECONDS)


if __name__ == "__main__":
    guest.main(__doc__, "virtual machine", boot)
