# SPDX-License-Identifier: GPL-2.0-or-later
"""A whole Debian with systemd and its own kernel in a virtual machine: as debian.py, which see. Here iptables is what it is
on any Debian, the one over nf_tables. Emulated, so ten times slower."""
import contextlib
import os
import re
import shutil
import subprocess

import debian
import guest

# The machine's second disk is /boot-work; the kernel's files must have names that are known without it.
KERNEL = ["linux-image-cloud-amd64"]
MOUNTS = """ExecStartPre=/bin/mount /dev/vdb /boot-work
ExecStartPre=/bin/mount --bind -o ro /boot-work/source /source"""
OUTPUT = "/dev/virtio-ports/output"
# Nothing here needs these, and emulated they take half of the time of a boot.
MORE = """cp "$1"/boot/vmlinuz-* "$1/boot/kernel"
cp "$1"/boot/initrd.img-* "$1/boot/initrd"
for unit in systemd-logind systemd-binfmt systemd-update-utmp systemd-update-utmp-runlevel modprobe@configfs \
        modprobe@dm_mod modprobe@drm modprobe@efi_pstore modprobe@fuse modprobe@loop; do
    ln -s /dev/null "$1/etc/systemd/system/$unit.service"
done
"""
WORK_DISK = "256M"


def image(release, packages):
    """The path of an ext4 image; made once for each release and list of packages."""
    return debian.make_image(release, [*KERNEL, *packages], MOUNTS, OUTPUT, MORE)


def debugfs(disk, request):
    return debian.run("debugfs", "-R", request, disk)


class Machine(debian.Machine):
    # Seen at boot: a processor took a breakpoint that the other had put into the kernel's text for a moment (a static key),
    # and nobody knew of it any more. By all signs QEMU's: its processors are threads. No program can do that to a kernel.
    EMULATOR_FAULT = "Oops: int3"

    def __enter__(self):
        super().__enter__()
        debian.run("cp", "--sparse=always", self.image, f"{self.work}/disk")
        for name in ("kernel", "initrd"):
            debugfs(self.image, f"dump /boot/{name} {self.work}/{name}")
        return self

    def make_work_disk(self, source):
        folder = f"{self.work}/boot-work"
        os.mkdir(folder)
        debian.run("sh", f"{source}/tests/package/copy.sh", f"{folder}/source")
        shutil.copy(f"{self.work}/command", folder)
        if self.repo:
            shutil.copytree(self.repo, f"{folder}/repo")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{self.work}/work-disk")
        debian.run("mke2fs", "-q", "-t", "ext4", "-d", folder, f"{self.work}/work-disk", WORK_DISK)
        shutil.rmtree(folder)

    def start(self, source):
        self.make_work_disk(source)
        command = [*guest.QEMU, "-m", str(debian.MEMORY >> 20), "-smp", "2",
                   "-drive", f"file={self.work}/disk,format=raw,if=virtio,cache=unsafe",
                   "-drive", f"file={self.work}/work-disk,format=raw,if=virtio,cache=unsafe",
                   "-chardev", f"file,id=console,path={self.work}/console", "-serial", "chardev:console",
                   "-chardev", f"file,id=output,path={self.work}/output", "-device", "virtio-serial",
                   "-device", "virtserialport,chardev=output,name=output",
                   "-kernel", f"{self.work}/kernel", "-initrd", f"{self.work}/initrd",
                   "-append", f"{guest.KERNEL_ARGUMENTS} root=/dev/vda rw "
                   "systemd.show_status=error systemd.unit=boot-work.target"]
        return guest.start(command, stdout=subprocess.DEVNULL)

    def collect(self):
        listing = debugfs(f"{self.work}/work-disk", "ls -p /")
        for name in re.findall(r"^/\d+/100\d+/\d+/\d+/([^/]+)/", listing, re.M):
            if name != "command":
                debugfs(f"{self.work}/work-disk", f"dump /{name} {self.work}/{name}")
