# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# weight: 15
"""Completion in bash, zsh and fish, as the shells themselves do it. A stand-in for svcroutectl answers for the daemon."""
import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time

from tap import BUILD, SVCROUTECTL, Tap

FILES = f"{BUILD}/completion"
STAND_IN = """#!/bin/sh
echo "$*" >>"$ASKED"
case "$*" in
*services) printf 'SERVICE        TYPE\\ndefault/nginx  NodePort\\ndefault/dns    ClusterIP\\nother/x        ClusterIP\\n' ;;
esac
"""


class Shells:
    """A folder with the stand-in, some files, and what was asked."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="completion-")
        os.makedirs(f"{self.folder}/bin")
        os.makedirs(f"{self.folder}/work/folder")
        for name in ("a file.yaml", "b.yaml"):
            with open(f"{self.folder}/work/{name}", "w"):
                pass
        with open(f"{self.folder}/bin/svcroutectl", "w") as f:
            f.write(STAND_IN)
        os.chmod(f"{self.folder}/bin/svcroutectl", 0o755)
        self.env = {"PATH": f"{self.folder}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": self.folder, "TERM": "dumb",
                    "LC_ALL": "C.UTF-8", "ASKED": f"{self.folder}/asked", "XDG_CONFIG_HOME": self.folder,
                    "XDG_DATA_HOME": self.folder}
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def run(self, *command):
        p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=self.env,
                           cwd=f"{self.folder}/work")
        assert p.returncode == 0 and not p.stderr, f"{p.returncode}: {p.stderr}"
        return p.stdout

    def asked(self):
        path = f"{self.folder}/asked"
        if not os.path.exists(path):
            return []
        with open(path) as f:
            lines = f.read().splitlines()
        os.unlink(path)
        return lines

    def bash(self, *words):
        """The last word is completed."""
        script = f""". /usr/share/bash-completion/bash_completion
. {FILES}/svcroutectl.bash
COMP_WORDS=(svcroutectl "$@")
COMP_CWORD=$#
COMP_LINE="${{COMP_WORDS[*]}}"
COMP_POINT=${{#COMP_LINE}}
compopt() {{ :; }}
_svcroutectl
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
        return sorted(w for w in self.run("bash", "--norc", "-c", script, "bash", *words).splitlines() if w)

    def fish(self, *words):
        line = " ".join(["svcroutectl", *words])
        out = self.run("fish", "--no-config", "-c", f"source {FILES}/svcroutectl.fish; complete -C '{line}'")
        return sorted(o.split("\t")[0] for o in out.splitlines())

    def zsh(self, *words):
        """zsh completes only for a terminal: what it lists there is read, after the line that was typed."""
        setup = (f"fpath=({self.folder}/zsh $fpath); autoload -Uz compinit; compinit -u -D; setopt no_always_last_prompt; "
                 "zstyle ':completion:*' list-separator ' :: '; LISTMAX=1000; bindkey '^I' list-choices; PS1='> '; echo ready")
        os.makedirs(f"{self.folder}/zsh", exist_ok=True)
        shutil.copy(f"{FILES}/svcroutectl.zsh", f"{self.folder}/zsh/_svcroutectl")
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(f"{self.folder}/work")
            os.execve("/usr/bin/zsh", ["zsh", "-f"], dict(self.env, COLUMNS="200", LINES="50"))
        try:
            os.write(fd, f"{setup}\n".encode())
            self.read_until(fd, r"\nready\r?\n(?s:.*)> ")
            os.write(fd, " ".join(["svcroutectl", *words]).encode() + b"\t")
            # list-choices draws the line again below its list
            text = self.read_until(fd, r"(?s)\r?\n.*> svcroutectl")
        finally:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
            os.close(fd)
        text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x07", "", text)
        return text.split("\n", 1)[1].rsplit("> svcroutectl", 1)[0]

    @staticmethod
    def read_until(fd, pattern, seconds=60):
        text, end = "", time.monotonic() + seconds
        while not re.search(pattern, text):
            left = end - time.monotonic()
            assert left > 0 and select.select([fd], [], [], left)[0], f"zsh did not go on: {text!r}"
            text += os.read(fd, 65536).decode(errors="replace")
        return text


def tables():
    text = subprocess.run([SVCROUTECTL, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    commands = re.findall(r"^  (\w+) ", text.split("Commands:")[1].split("Options:")[0], re.M)
    options = re.findall(r"^  (--[\w-]+)", text.split("Options:")[1], re.M)
    assert len(commands) > 9 and len(options) > 13
    return sorted(commands), sorted(options)


def syntax(s):
    s.run("bash", "-n", f"{FILES}/svcroutectl.bash")
    s.run("zsh", "-n", f"{FILES}/svcroutectl.zsh")
    s.run("fish", "-n", f"{FILES}/svcroutectl.fish")
    s.run("shellcheck", "-s", "bash", f"{FILES}/svcroutectl.bash")


def commands(s, complete):
    known = tables()[0]
    assert complete(s, "") == known, complete(s, "")
    assert complete(s, "re") == ["reload", "render", "resync"], complete(s, "re")
    assert complete(s, "--json", "se") == ["services", "settings"]
    # an option's argument is no command
    assert complete(s, "--root", "/somewhere", "clean") == ["cleanup"]


def services(s, complete):
    assert complete(s, "endpoints", "") == ["default/dns", "default/nginx", "other/x"], complete(s, "endpoints", "")
    assert s.asked() == ["services"]
    assert complete(s, "endpoints", "default/n") == ["default/nginx"]
    s.asked()
    assert complete(s, "--root", "/r", "endpoints", "o") == ["other/x"]
    assert s.asked() == ["--root /r services"]
    assert complete(s, "endpoints", "default/dns", "") == []
    # only then is the daemon asked
    assert complete(s, "status", "") == [] and s.asked() == [], s.asked()


def words(s, complete):
    assert complete(s, "render", "--mode", "") == ["iptables", "ipvs", "nftables", "userspace"]
    assert complete(s, "render", "--family", "") == ["ipv4", "ipv6"]


def options(s, complete):
    for command, own in (("cleanup", {"--force", "--print-script"}), ("services", set()),
                         ("render", {"--mode", "--family", "--addresses", "--no-nfacct"})):
        found = {o.split("=")[0] for o in complete(s, command, "--")}
        assert found == own | {"--root", "--json", "--help", "--version"}, f"{command}: {found}"


def files(s, complete):
    assert [f.rstrip("/") for f in complete(s, "check", "f")] == ["folder"]
    assert complete(s, "import", "b") == ["b.yaml"] and complete(s, "import", "b.yaml", "b") == ["b.yaml"]
    assert [f.rstrip("/") for f in complete(s, "import", "--output", "f")] == ["folder"]


def zsh(s):
    shown = s.zsh("")
    assert all(re.search(rf"^{c}\b", shown, re.M) for c in tables()[0]), shown
    shown = s.zsh("endpoints ")
    assert all(n in shown for n in ("default/dns", "default/nginx", "other/x")), shown
    assert "services" in s.asked()
    shown = s.zsh("render --mode ")
    assert "nftables" in shown and "userspace" in shown, shown
    shown = s.zsh("cleanup --")
    assert "--print-script" in shown and "--json" in shown and "--mode" not in shown, shown
    shown = s.zsh("import ")
    assert "b.yaml" in shown, shown


def main():
    tap = Tap()
    with Shells() as s:
        with tap.case("all three can be read"):
            syntax(s)
        for name, complete in (("bash", Shells.bash), ("fish", Shells.fish)):
            for test in (commands, services, words, options, files):
                with tap.case(f"{name}: {test.__name__}"):
                    test(s, complete)
        with tap.case("zsh"):
            zsh(s)
    tap.done()


main()
