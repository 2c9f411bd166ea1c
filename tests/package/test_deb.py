# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 100
"""The Debian package: what is in it and what is not, lintian, twice the same, small; and what its programs do when they
are called by their two names."""
import glob
import hashlib
import os
import re
import shutil
import stat
import subprocess
import tarfile

from tap import BUILD, SOURCE, Tap

FOLDER = f"{BUILD}/deb"
CONTENTS = """
drwxr-xr-x etc/svcroute/endpoints.d
drwxr-xr-x etc/svcroute/services.d
-rw-r--r-- etc/svcroute/svcroute.conf
-rw-r--r-- UNITS/system/svcroute.service
-rwxr-xr-x UNITS/system-generators/svcroute-generator
lrwxrwxrwx usr/bin/svcroutectl -> ../sbin/svcrouted
-rw-r--r-- usr/lib/sysusers.d/svcroute.conf
-rw-r--r-- usr/lib/tmpfiles.d/svcroute.conf
-rwxr-xr-x usr/sbin/svcrouted
-rw-r--r-- usr/share/bash-completion/completions/svcroutectl
-rw-r--r-- usr/share/doc/svcroute/README.md.gz
-rw-r--r-- usr/share/doc/svcroute/changelog.gz
-rw-r--r-- usr/share/doc/svcroute/copyright
-rw-r--r-- usr/share/doc/svcroute/examples/dns-endpoints.cfg
-rw-r--r-- usr/share/doc/svcroute/examples/dns.cfg
-rw-r--r-- usr/share/doc/svcroute/examples/nginx.cfg
-rw-r--r-- usr/share/doc/svcroute/examples/router.conf
-rw-r--r-- usr/share/fish/vendor_completions.d/svcroutectl.fish
-rw-r--r-- usr/share/man/man5/svcroute-endpoints.5.gz
-rw-r--r-- usr/share/man/man5/svcroute-services.5.gz
-rw-r--r-- usr/share/man/man5/svcroute.conf.5.gz
-rw-r--r-- usr/share/man/man8/svcroutectl.8.gz
-rw-r--r-- usr/share/man/man8/svcrouted.8.gz
-rw-r--r-- usr/share/svcroute/legacy-iptables.conf
-rw-r--r-- usr/share/zsh/vendor-completions/_svcroutectl
"""
# KiB, as dpkg counts: files are rounded up, and a folder is one. Well above what it is, well below what -O2 and two
# programs make of it.
INSTALLED_MAX = 640


def run(*command, status=0, **more):
    p = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       timeout=600, **more)
    assert status is None or p.returncode == status, f"{' '.join(command)}: status {p.returncode}\n{p.stdout[-3000:]}"
    return p.stdout


def build(folder, **environment):
    shutil.rmtree(folder, ignore_errors=True)
    run("sh", f"{SOURCE}/tests/package/build.sh", folder,
        env=dict(os.environ, JOBS=os.environ.get("JOBS") or "2", DEB_BUILD_OPTIONS="", **environment))
    return packages(folder)


def packages(folder):
    found = sorted(glob.glob(f"{folder}/*.deb"))
    assert [re.sub(r"_.*", "", os.path.basename(f)) for f in found] == ["svcroute-dbgsym", "svcroute"], found
    return found


def package():
    return packages(FOLDER)[1]


def field(name):
    return run("dpkg-deb", "-f", package(), name).strip()


def unpacked():
    tree = f"{FOLDER}/tree"
    if not os.path.isdir(tree):
        run("dpkg-deb", "-x", package(), tree)
    return tree


def control_files():
    into = f"{FOLDER}/control"
    if not os.path.isdir(into):
        run("dpkg-deb", "-e", package(), into)
    return into


def copies():
    """Of a copy, too, which may lie in an ignored folder of a repository."""
    first, second = f"{BUILD}/copies/1", f"{BUILD}/copies/2"
    shutil.rmtree(f"{BUILD}/copies", ignore_errors=True)
    run("sh", f"{SOURCE}/tests/package/copy.sh", first)
    run("sh", f"{first}/tests/package/copy.sh", second)
    assert os.path.exists(f"{second}/debian/changelog")
    run("diff", "-r", first, second)
    shutil.rmtree(f"{BUILD}/copies")


def same_again():
    """In a folder with another name, on another day, in another time zone, with another umask, as another user says."""
    first = [hashlib.sha256(open(f, "rb").read()).hexdigest() for f in packages(FOLDER)]
    old = os.umask(0o077)
    try:
        again = build(f"{BUILD}/deb-again/in/a-longer.folder", TZ="Asia/Tokyo", LC_ALL="C", HOME="/nonexistent", USER="x",
                      LOGNAME="x")
    finally:
        os.umask(old)
    second = [hashlib.sha256(open(f, "rb").read()).hexdigest() for f in again]
    assert first == second, f"differs: {packages(FOLDER)} and {again}"
    shutil.rmtree(f"{BUILD}/deb-again")


def tools():
    """dpkg-buildpackage wants build-essential besides, which base Debian lacks."""
    installed = set(run("make", "-s", "-C", SOURCE, "--eval", "packages: ; @echo $(PACKAGES)", "packages").split())
    with open(f"{SOURCE}/debian/control") as f:
        wanted = re.search(r"^Build-Depends:((?:.*\n)(?: .*\n)*)", f.read(), re.M)[1]
    wanted = wanted.replace("debhelper-compat (= 13)", "debhelper").split(",") + ["build-essential"]
    missing = [w.strip() for w in wanted if not installed & set(re.split(r"[\s|]+", w))]
    assert len(wanted) > 10 and not missing, f"make check installs nothing of {missing}, has {sorted(installed)}"


def contents():
    found, times = {}, set()
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package()], stdout=subprocess.PIPE) as p:
        with tarfile.open(fileobj=p.stdout, mode="r|") as tar:
            for m in tar:
                name = m.name.removeprefix("./").removeprefix(".")
                assert (m.uid, m.gid, m.uname, m.gname) == (0, 0, "root", "root"), f"{name}: {m.uname}:{m.gname}"
                times.add(m.mtime)
                mode = stat.filemode((stat.S_IFDIR if m.isdir() else stat.S_IFLNK if m.issym() else stat.S_IFREG) | m.mode)
                assert not m.isdir() or mode == "drwxr-xr-x", f"{mode} {name}"
                found[name] = mode, f" -> {m.linkname}" if m.issym() else ""
    assert len(times) == 1, f"times of files: {times}"
    # folders that hold something go without saying; units are below /lib or below /usr/lib, as the release has it
    lines = {f"{mode} {re.sub('^(usr/)?lib/systemd/', 'UNITS/', name)}{to}" for name, (mode, to) in found.items()
             if mode[0] != "d" or not any(n.startswith(name and f"{name}/") for n in found if n != name)}
    want = set(CONTENTS.strip().splitlines())
    assert lines == want, "\n".join(sorted(lines ^ want))


def control():
    assert field("Package") == "svcroute"
    assert re.match(r"\d+\.\d+\.\d+", field("Version")), field("Version")
    depends = field("Depends")
    for name in ("iptables", "libc6", "libconfig", "libinih1", "libsystemd0", "libnl-3-200"):
        assert re.search(rf"\b{re.escape(name)}", depends), f"{name}: {depends}"
    with open(f"{control_files()}/conffiles") as f:
        assert f.read() == "/etc/svcroute/svcroute.conf\n"
    # of the options' defaults only the two are changed that kube-proxy itself advises to change
    with open(f"{unpacked()}/etc/svcroute/svcroute.conf") as f:
        lines = [line for line in f.read().splitlines() if line and line[0] not in "#["]
    assert lines == ["NodePortAddresses=primary", "LocalhostNodePorts=no"], lines


def maintainer_scripts():
    for name, words in (("postinst", ("systemd-sysusers", "systemd-tmpfiles", "try-restart", "invoke start")),
                        ("prerm", ("invoke stop", "--print-script")), ("postrm", ("cleanup.sh", "userdel"))):
        with open(f"{control_files()}/{name}") as f:
            text = f.read()
        at = [text.find(w) for w in words]
        assert -1 not in at and at == sorted(at), f"{name}: {dict(zip(words, at))}"
        run("shellcheck", "-x", f"{control_files()}/{name}")
    # stopped for a removal only: an upgrade must never pass through a time without the daemon
    with open(f"{control_files()}/prerm") as f:
        text = f.read()
    assert text.index('if [ "$1" = remove ]') < text.index("invoke stop") and text.count("invoke stop") == 1, text


def lintian():
    changes = glob.glob(f"{FOLDER}/*.changes")
    assert len(changes) == 1, changes
    out = run("lintian", "--allow-root", "--no-tag-display-limit", "--fail-on", "error,warning", "--display-info", "--pedantic",
              changes[0], status=None, env=dict(os.environ, TMPDIR=FOLDER))  # it leaves files behind
    bad = [line for line in out.splitlines() if re.match(r"[EW]: ", line)]
    assert not bad and "internal error" not in out, out
    # it looked: a tag that the package is known to have
    assert "package-supports-alternative-init-but-no-init.d-script" in out, out


def hardened():
    """Read from the file itself: what the compiler was told does not matter."""
    program = f"{unpacked()}/usr/sbin/svcrouted"
    head, dynamic = run("readelf", "-hW", program), run("readelf", "-dW", program)
    segments, symbols = run("readelf", "-lW", program), run("readelf", "--dyn-syms", "-W", program)
    assert "DYN (" in head and re.search(r"FLAGS_1\).*\bPIE\b", dynamic), "not position-independent"
    assert "BIND_NOW" in dynamic and "GNU_RELRO" in segments, "relocations stay writable"
    assert re.search(r"GNU_STACK.* RW ", segments), "the stack can be run"
    assert "__stack_chk_fail" in symbols, "no stack protector"
    assert re.search(r"__(\w+)_chk\b", symbols.replace("__stack_chk_fail", "")), "not fortified"
    assert "RPATH" not in dynamic and "RUNPATH" not in dynamic, dynamic
    with open(program, "rb") as f:
        assert FOLDER.encode() not in f.read(), "the folder of the build is in the program"


def programs():
    ctl, daemon = f"{unpacked()}/usr/bin/svcroutectl", f"{unpacked()}/usr/sbin/svcrouted"
    version = field("Version")
    assert run(ctl, "--version").strip() == run(daemon, "--version").strip() == version
    assert run(ctl, "--help").startswith("Usage: svcroutectl ")
    assert run(daemon, "--help").startswith("Usage: svcrouted ")
    assert run(ctl, "nonsense", status=2).startswith("svcroutectl: ")
    # the same text as that of the programs that all other tests run
    with open(f"{FOLDER}/script", "w") as f:
        f.write(run(ctl, "cleanup", "--print-script"))
    assert run(f"{BUILD}/svcroutectl", "cleanup", "--print-script") == open(f"{FOLDER}/script").read()
    run("shellcheck", f"{FOLDER}/script")


def examples():
    """Where their first lines say that they belong; and the README's service is one of them."""
    config = f"{FOLDER}/config"
    shutil.rmtree(config, ignore_errors=True)
    shutil.copytree(f"{unpacked()}/etc/svcroute", config)
    found = sorted(glob.glob(f"{unpacked()}/usr/share/doc/svcroute/examples/*"))
    assert len(found) >= 4, found
    for path in found:
        with open(path) as f:
            text = f.read()
        to = config + re.match(r"# /etc/svcroute(/\S+\.(cfg|conf)):", text)[1]
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copyfile(path, to)
    out = run(f"{unpacked()}/usr/bin/svcroutectl", "check", "--strict", config)
    assert re.search(r" 2 services, [1-9]\d* endpoints", out), out
    with open(f"{SOURCE}/README.md") as f:
        service = re.search(r"^services = \(\n.*?^\);$", f.read(), re.M | re.S)[0]
    with open(f"{unpacked()}/usr/share/doc/svcroute/examples/nginx.cfg") as f:
        assert service in f.read(), service


def size():
    installed = int(field("Installed-Size"))
    total = sum(os.lstat(os.path.join(where, n)).st_size for where, _, names in os.walk(unpacked()) for n in names)
    program = os.path.getsize(f"{unpacked()}/usr/sbin/svcrouted")
    print(f"# note: installed {installed} KiB as dpkg counts, {total / 1000:.0f} kB in files, the program {program / 1000:.0f} kB; "
          f"the .deb {os.path.getsize(package()) / 1000:.0f} kB")
    assert 100 < installed < INSTALLED_MAX, installed
    sections = run("readelf", "-SW", f"{unpacked()}/usr/sbin/svcrouted")
    assert ".debug_info" not in sections and ".symtab" not in sections, "not stripped"


def main():
    tap = Tap()
    with tap.case("build"):
        build(FOLDER)
    for test, what in ((contents, "paths, modes, owners, times"), (control, "control file and conffiles"),
                       (maintainer_scripts, "maintainer scripts"), (lintian, "lintian"), (hardened, "hardened"),
                       (programs, "one program with two names"), (examples, "examples"), (size, "size"),
                       (copies, "copies of the sources"), (tools, "make check installs what the package is built with"),
                       (same_again, "built again elsewhere: the same bytes")):
        with tap.case(what):
            test()
    tap.done()


main()
