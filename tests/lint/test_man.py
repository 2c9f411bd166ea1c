# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# weight: 10
"""The manual pages: they say all that the tables say, render without warnings, and their examples are right.

What a page must name is asked from the programs (--help, settings --json) or read in the sources, not taken from the
program that makes the pages."""
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile

from tap import BUILD, SOURCE, SVCROUTECTL, SVCROUTED, Skip, Tap

PAGES = f"{BUILD}/man"
MAKE_PAGE = f"{PAGES}/make-page"
NAMES = sorted(os.path.basename(f).removesuffix(".in") for f in glob.glob(f"{SOURCE}/src/man/*.in"))
WIDTH = 80


def run(*command, env=None):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, **(env or {})))


def source(name):
    with open(f"{SOURCE}/{name}") as f:
        return f.read()


def template(name):
    return source(f"src/man/{name}.in")


def rendered(name):
    """The page as read: words that were broken at a line's end are not put together."""
    p = run("mandoc", "-T", "utf8", "-O", f"width={WIDTH}", f"{PAGES}/{name}")
    assert p.returncode == 0 and not p.stderr, p.stderr
    return re.sub(r".\x08", "", p.stdout)


def words(name):
    return " ".join(rendered(name).split())


def need(tool):
    if not shutil.which(tool):
        raise Skip(f"{tool} is not installed")


def tags(text):
    """What stands at the indentation of tagged paragraphs. A short tag shares its line with the text."""
    return [line.strip() for line in text.splitlines() if re.match(r" {7}\S", line)]


def section(name, heading, parts=True):
    """Lines of a rendered section; without parts, up to its first part that has a heading of its own."""
    m = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^\S|\Z)", rendered(name), re.M | re.S)
    assert m, f"{name} has no section {heading}"
    return m[1] if parts else re.split(r"^   \S", m[1], flags=re.M)[0]


def subsection(name, heading):
    m = re.search(rf"^   {re.escape(heading)}\n(.*?)(?=^ {{0,3}}\S|\Z)", rendered(name), re.M | re.S)
    assert m, f"{name} has no part '{heading}'"
    return m[1]


def has_tag(text, tag):
    return any(line == tag or line.startswith(tag + " ") for line in tags(text))


# ---- form ----

def lint(name):
    need("mandoc")
    p = run("mandoc", "-T", "lint", "-W", "all", f"{PAGES}/{name}")
    assert p.returncode == 0 and not p.stdout + p.stderr, p.stdout + p.stderr
    long = [line for line in rendered(name).splitlines() if len(line) > WIDTH]
    assert not long, "\n".join(long)


def lint_is_not_blind():
    need("mandoc")
    with tempfile.NamedTemporaryFile("w", suffix=".8") as f:
        f.write(".TH X 8\n.SH NAME\nx \\- y\n.SH\n.nonsense\n")
        f.flush()
        p = run("mandoc", "-T", "lint", "-W", "all", f.name)
        assert p.returncode != 0 and "nonsense" in p.stdout + p.stderr, p.stdout + p.stderr


def man(name):
    need("man")
    p = run("man", "--warnings", "-l", f"{PAGES}/{name}", env={"MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"})
    assert p.returncode == 0 and not p.stderr, p.stderr
    assert "SEE ALSO" in re.sub(r".\x08|\x1b\[\d*m", "", p.stdout), "not rendered"


def same_again(name):
    """Nothing of the day, the host or the folder gets into a page."""
    with open(f"{PAGES}/{name}") as f:
        page = f.read()
    for env in ({}, {"LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo", "HOME": "/nowhere"}):
        p = run(MAKE_PAGE, f"{SOURCE}/src/man/{name}.in", f"{SOURCE}/README.md", env=env)
        assert p.returncode == 0 and p.stdout == page, p.stderr or "differs"
    assert re.match(r'\.\\" SPDX-License-Identifier: GPL-2.0-or-later\n\.TH \S+ [58] \d{4}-\d\d-\d\d svcroute ', page), page[:200]
    assert "@" not in re.sub(r"ADDRESS.*", "", page), "a line of the template was not replaced"


def references():
    """Each page named by another one is there, or is one of another package."""
    others = {"systemctl(1)", "iptables(8)", "ipvsadm(8)", "ipset(8)"}
    own = {re.sub(r"\.(\d)$", r"(\1)", name) for name in NAMES}
    for name in NAMES:
        found = set(re.findall(r"\b[a-z][\w.-]*\([1-8]\)", words(name).replace("- ", "-")))
        assert found <= own | others, f"{name}: {sorted(found - own - others)}"
        see_also = set(re.findall(r"[a-z][\w.-]*\(\d\)", section(name, "SEE ALSO")))
        assert own - {re.sub(r"\.(\d)$", r"(\1)", name)} <= see_also, f"{name}: SEE ALSO has {sorted(see_also)}"


# ---- what must be there ----

def settings():
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(f"{root}/etc/svcroute")
        p = run(SVCROUTECTL, "--root", root, "--json", "settings")
    rows = json.loads(p.stdout)
    assert len(rows) > 40, p.stderr
    text = rendered("svcroute.conf.5")
    scopes = subsection("svcroute.conf.5", "What a change needs")
    for r in rows:
        where = section("svcroute.conf.5", f"[{r['section']}]")
        m = re.search(rf"^ {{7}}{re.escape(r['key'])}=(\s.*?)(?=^ {{3,7}}\S|\Z)", where, re.M | re.S)
        assert m, f"[{r['section']}] {r['key']}= is missing"
        said = " ".join(m[1].split())
        default = r["default"] or "empty"
        assert f"Default: {default}. A change needs: {r['change']}." in said, f"{r['key']}: {said}"
        assert has_tag(scopes, r["change"]), f"'{r['change']}' is not explained"
    # none that does not exist
    for s in {r["section"] for r in rows}:
        keys = [t.split("=")[0] for t in tags(section("svcroute.conf.5", f"[{s}]")) if re.match(r"[A-Z]\w+=(\s|$)", t)]
        assert sorted(keys) == sorted(r["key"] for r in rows if r["section"] == s), f"[{s}]: {keys}"
    assert set(re.findall(r"^\[(\w+)\]$", text, re.M)) == {r["section"] for r in rows}


KEYS = {
    "service_keys": ("svcroute-services.5", section, "KEYS OF A SERVICE"),
    "service_port_keys": ("svcroute-services.5", subsection, "Keys of ports"),
    "lb_ip_keys": ("svcroute-services.5", subsection, "Keys of loadBalancerIPs"),
    "health_check_keys": ("svcroute-services.5", subsection, "Keys of healthCheck"),
    "endpoint_group_keys": ("svcroute-endpoints.5", section, "KEYS OF A GROUP"),
    "endpoint_port_keys": ("svcroute-endpoints.5", subsection, "Keys of ports"),
    "endpoint_keys": ("svcroute-endpoints.5", section, "KEYS OF AN ENDPOINT"),
}


def keys():
    tables = re.findall(r"^const struct key_row (\w+)\[\] = \{(.*?)^\};", source("src/model/keys.c"), re.M | re.S)
    assert {t for t, _ in tables} == set(KEYS), sorted(t for t, _ in tables)
    for table, body in tables:
        page, part, heading = KEYS[table]
        names = re.findall(r'\]\s*=\s*\{\s*"(\w+)"', body)
        assert len(names) == len(re.findall(r"\]\s*=", body)) > 1, f"{table}: {names}"
        text = part(page, heading) if part is subsection else section(page, heading, parts=False)
        for key in names:
            assert has_tag(text, key), f"{page}, {heading}: no {key}"


def check_rows():
    """(object, key, severity letter, reason) of src/model/checks.c, as a C compiler would read the texts."""
    text = source("src/model/checks.c")
    macros = dict(re.findall(r'^#define (\w+) ("(?:[^"\\\n]|\\.)*")$', text, re.M))
    body = re.search(r"^const struct check_row check_rows\[\] = \{\n(.*?)^\};", text, re.M | re.S)[1]
    string = r'(?:\s*(?:"(?:[^"\\]|\\.)*"|[A-Z_]+))+'
    rows = re.findall(rf'\[CHECK_\w+\]\s*=\s*\{{\s*"[^"]+",\s*(ON_\w+),\s*(NULL|"\w+"),\s*(\w),({string}),', body)
    assert len(rows) == len(re.findall(r"^\s*\[CHECK_", body, re.M)) > 100, f"{len(rows)} rows were understood"
    for on, key, severity, reason in rows:
        for name, value in macros.items():
            reason = re.sub(rf"\b{name}\b(?=[^\"]*(?:\"[^\"]*\"[^\"]*)*$)", lambda m, v=value: v, reason)
        parts = re.findall(r'"((?:[^"\\]|\\.)*)"', reason)
        yield on, key.strip('"'), severity, "".join(parts).replace('\\"', '"')


def checks():
    pages = {name: words(name) for name in ("svcroute-services.5", "svcroute-endpoints.5")}
    severities = {"E": "error", "W": "warning", "N": "notice"}
    for on, _, severity, reason in check_rows():
        name = "svcroute-endpoints.5" if on in ("ON_GROUP", "ON_ENDPOINT", "ON_ENDPOINT_PORT") else "svcroute-services.5"
        said = f"{severities[severity]}: " + re.sub(r"{([a-z ]+)}", r"\1", reason)
        # a hyphen may end a line
        assert said.replace("-", "- ").replace("-  ", "- ") in pages[name].replace("-", "- ").replace("-  ", "- "), \
            f"{name}: no '{said}' ({on})"


def commands():
    text = run(SVCROUTECTL, "--help").stdout
    names = re.findall(r"^  (\w+) ", text.split("Commands:")[1].split("Options:")[0], re.M)
    options = re.findall(r"^  (--[\w-]+)(?: ([A-Z]+))? ", text.split("Options:")[1], re.M)
    assert len(names) >= 10 and len(options) >= 14, text
    listed = section("svcroutectl.8", "COMMANDS", parts=False)
    for name in names:
        assert has_tag(listed, name), name
    for option, argument in options:
        want = f"{option} {argument}" if argument else option
        found = [t for t in tags(section("svcroutectl.8", "OPTIONS")) if re.match(rf"(-\w, )?{re.escape(want)}(\s|$)", t)]
        assert len(found) == 1, f"{want}: {found}"
    # which options go with which command: as the program has it
    for name in names:
        if name == "cleanup":
            continue  # would do it
        own = " ".join(re.search(rf"^ {{7}}{name}\b(.*?)(?=^ {{7}}\S|\Z)", listed, re.M | re.S)[1].split())
        own = set(re.findall(r"--[\w-]+", own.split("Options of its own:")[-1])) if "Options of its own:" in own else set()
        for option, argument in options:
            if option in ("--root", "--json", "--help", "--version"):
                continue
            with tempfile.TemporaryDirectory() as root:
                p = run(SVCROUTECTL, "--root", root, name, option + ("=x" if argument else ""),
                        *(["/nonexistent"] if name == "import" else []))
            refused = "does not go with" in p.stderr
            assert refused == (option not in own), f"{name} {option}: {p.stderr}"


def short_options():
    found = dict(re.findall(r"^ {7}(-\w), (--[\w-]+)", section("svcroutectl.8", "OPTIONS"), re.M))
    assert found["-v"] == "--verbose" and found["-o"] == "--output", found
    for short in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ":
        with tempfile.TemporaryDirectory() as root:
            p = run(SVCROUTECTL, "--root", root, "reload", f"-{short}")
        assert ("invalid option" in p.stderr) == (f"-{short}" not in found), f"-{short}: {p.stderr}"


def daemon_options():
    text = run(SVCROUTED, "--help").stdout
    options = re.findall(r"^  (--[\w-]+(?: [A-Z]+)?) ", text, re.M)
    assert len(options) >= 4, text
    assert sorted(options) == sorted(re.match(r"--\S+(?: [A-Z]+\b)?", t)[0] for t in tags(section("svcrouted.8", "OPTIONS"))
                                     if t.startswith("--"))


def control_socket():
    routes = re.findall(r'\{"(GET|POST)", "(/v1/\w+)"', source("src/control/routes.c"))
    assert len(routes) >= 6, routes
    text = " ".join(section("svcrouted.8", "FILES").split())
    for method, path in routes:
        got = text.split("GET of ")[1].split(";")[0] if method == "GET" else text.split("POST of ")[1].split(".")[0]
        assert re.search(rf"{path}\b", got), f"{method} {path}: {got}"


def message_fields():
    with tempfile.TemporaryDirectory() as d:
        os.mkdir(f"{d}/services.d")
        with open(f"{d}/services.d/x.cfg", "w") as f:
            f.write('services = ( { name = "x"; } );\n')
        p = run(SVCROUTECTL, "--json", "check", d)
    fields = set(json.loads(p.stdout)[0])
    listed = [t.split("  ")[0] for t in tags(section("svcroutectl.8", "MESSAGES"))]
    text = " ".join(listed)
    assert all(re.search(rf"\b{f}\b", text) for f in fields), f"{fields}: {listed}"


def kube_proxy_names():
    table = source("README.md").split("## Settings, and what they are called in kube-proxy")[1].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    assert len(rows) > 30
    text = " ".join(section("svcroute.conf.5", "NAMES IN KUBE-PROXY").split())
    for row in rows:
        for name in re.findall(r"`([^`]+)`", row):
            assert name in text, f"{name} is missing"


# ---- examples ----

def examples(name):
    """[(line, {file: text})], and lines of examples without a mark."""
    found, unmarked, mark, into = [], [], None, None
    for n, line in enumerate(template(name).splitlines(), 1):
        if m := re.match(r'\.\\" (example|and|with) (\S+)$', line):
            mark = m[1], m[2]
            if m[1] == "example":
                found.append((n, {}))
        elif line == '.\\" commands':
            mark = "commands", None
        elif line in (".EX", ".ig"):
            if not mark:
                unmarked.append(n)
            into = []
        elif line in (".EE", ".."):
            if mark and mark[1]:
                found[-1][1][mark[1]] = "\n".join(into) + "\n"
            mark = into = None
        elif into is not None:
            into.append(line)
    return found, unmarked


def check_examples(name):
    found, unmarked = examples(name)
    assert not unmarked, f"lines {unmarked}: say what the example is"
    assert len(found) >= 3 or name.endswith(".8"), found
    for line, files in found:
        assert files and all(files.values()), f"line {line}: empty"
        with tempfile.TemporaryDirectory() as d:
            for path, text in files.items():
                os.makedirs(os.path.dirname(f"{d}/{path}"), exist_ok=True)
                with open(f"{d}/{path}", "w") as f:
                    f.write(text)
            p = run(SVCROUTECTL, "check", "--strict", d)
            assert p.returncode == 0, f"line {line}: {p.stdout}{p.stderr}"
            # it says what it seems to say: there is something in it
            if not any(path.endswith(".conf") for path in files):
                assert re.search(r" [1-9]\d* services, [1-9]\d* endpoints", p.stdout), f"line {line}: {p.stdout}"
            # and it is shown as it is
            shown = rendered(name)
            for path, text in files.items():
                if f'.\\" with {path}' not in template(name):
                    assert all(t in shown for t in text.splitlines()), f"line {line}: {path} is shown otherwise"


def example_commands(name):
    """Commands and options of our own in examples exist."""
    text = run(SVCROUTECTL, "--help").stdout
    known = set(re.findall(r"^  (\w+) ", text.split("Commands:")[1].split("Options:")[0], re.M))
    options = set(re.findall(r"^  (--[\w-]+)", text, re.M))
    for body in re.findall(r'^\.\\" commands\n\.EX\n(.*?)^\.EE$', template(name), re.M | re.S):
        for command, rest in re.findall(r"svcroutectl (\w+)([^|&\n]*)", body):
            assert command in known, command
            assert set(re.findall(r"--[\w-]+", rest)) <= options, rest


# ---- bad templates ----

BAD = [
    ("@settings Nowhere@", "no section 'Nowhere'"),
    ("@keys nothing@", "no keys of 'nothing'"),
    ("@keys value@", "no keys of 'value'"),
    ("@checks nothing@", "no object 'nothing'"),
    ("@commands now@", "no table 'commands'"),
    ("@settings@", "no table 'settings'"),
    ("@@", "no table ''"),
    ("@", "has no '@' at its end"),
    ("@options@ x", "has no '@' at its end"),
    (".EX", "the example is not closed"),
    (".EE", ".EE without the other one"),
    (".EX\n.EX", ".EX without the other one"),
]


def bad_templates():
    with tempfile.TemporaryDirectory() as d:
        for text, reason in BAD:
            with open(f"{d}/x.5.in", "w") as f:
                f.write(f".TH X 5\n{text}\n")
            p = run(MAKE_PAGE, f"{d}/x.5.in", f"{SOURCE}/README.md")
            assert p.returncode == 1 and reason in p.stderr and re.search(r"x\.5\.in:\d+: ", p.stderr), f"{text!r}: {p.stderr}"
        with open(f"{d}/x.5.in", "w") as f:
            f.write("@kube-proxy@\n")
        with open(f"{d}/README.md", "w") as f:
            f.write("nothing\n")
        assert "has no table" in run(MAKE_PAGE, f"{d}/x.5.in", f"{d}/README.md").stderr
        assert "cannot open" in run(MAKE_PAGE, f"{d}/x.5.in", f"{d}/nowhere").stderr
        assert run(MAKE_PAGE, f"{d}/nowhere", f"{d}/README.md").returncode == 1
        assert run(MAKE_PAGE).returncode == 2


def escapes():
    """Text of examples comes out as it went in."""
    text = ".start 'a' `b` \\n ~ ^ --x a-b \"q\" \\(aq\n'second\n"
    with tempfile.TemporaryDirectory() as d:
        with open(f"{d}/x.5.in", "w") as f:
            f.write(f".TH X 5 2026-11-30 a b\n.SH NAME\nx \\- y\n.SH EXAMPLE\n.EX\n{text}.EE\n")
        p = run(MAKE_PAGE, f"{d}/x.5.in", f"{SOURCE}/README.md")
        with open(f"{d}/x.5", "w") as f:
            f.write(p.stdout)
        shown = re.sub(r".\x08", "", run("mandoc", "-T", "utf8", f"{d}/x.5").stdout)
    assert all(f"       {line}\n" in shown for line in text.splitlines()), shown


def installed():
    with tempfile.TemporaryDirectory() as d:
        text = run("make", "-n", "-C", SOURCE, f"BUILD={BUILD}", f"DESTDIR={d}", "install").stdout
    for name in NAMES:
        assert re.search(rf"{re.escape(f'{PAGES}/{name}')}\b.* {re.escape(d)}/usr/share/man/man{name[-1]}$", text, re.M), name


def main():
    tap = Tap()
    with tap.case("the five pages"):
        assert NAMES == ["svcroute-endpoints.5", "svcroute-services.5", "svcroute.conf.5", "svcroutectl.8", "svcrouted.8"], NAMES
        assert sorted(f for f in os.listdir(PAGES) if f != "make-page") == NAMES, os.listdir(PAGES)
    with tap.case("lint is not blind"):
        lint_is_not_blind()
    for name in NAMES:
        for test, what in ((lint, "mandoc -T lint"), (man, "man -l"), (same_again, "made the same again"),
                           (check_examples, "examples"), (example_commands, "commands in examples")):
            with tap.case(f"{name}: {what}"):
                test(name)
    for test, what in ((references, "pages that are referred to"), (settings, "every setting"), (keys, "every key"),
                       (checks, "every check"), (commands, "every command and option"), (short_options, "short options"),
                       (daemon_options, "options of the daemon"), (control_socket, "paths of the control socket"),
                       (message_fields, "fields of messages"), (kube_proxy_names, "kube-proxy's names"),
                       (bad_templates, "bad templates are refused"), (escapes, "examples come out as written"),
                       (installed, "make install")):
        with tap.case(what):
            test()
    tap.done()


main()
