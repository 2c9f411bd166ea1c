# SPDX-License-Identifier: GPL-2.0-or-later
"""What went wrong for others with their configuration, and what `check`, `render` and `import` make of it: each case is named
after the field report that it comes from. Other halves of the same reports, where packets or a running daemon are needed, are
in tests/netns.

Every run of the command is limited in memory and time: nothing may hang, and nothing may be read that is not a file."""
# timeout: 600
# weight: 20
import itertools
import json
import os
import re
import resource
import subprocess
import sys

import hosts
from tap import SVCROUTECTL, Skip, Tap

CONF, WEB, SLICE = "svcroute.conf", "services.d/web.cfg", "endpoints.d/web.cfg"
NODE = "[Proxy]\nNodeName=node-1\n"
MEMORY = 64 << 20  # bytes
SANITIZE = os.environ.get("SVCROUTE_SANITIZE") == "1"


def limit():
    if not SANITIZE:  # the sanitizer's shadow is not memory of ours
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def ctl(*arguments, environment=None, standard_input=None):
    p = subprocess.run([SVCROUTECTL, *arguments], capture_output=True, timeout=60, preexec_fn=limit, input=standard_input,
                       env=environment, stdin=None if standard_input is not None else subprocess.DEVNULL)
    out, err = p.stdout.decode(), p.stderr.decode()
    assert p.returncode in (0, 3), f"status {p.returncode}: {out}{err}"
    return p.returncode, out, err


class Tree:
    """A configuration in a directory of its own. Texts are as they are to stand in the files."""

    def __init__(self, files):
        self.root = hosts.Root(NODE)
        for name, text in files.items():
            self.write(name, text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.root.__exit__()

    def path(self, name):
        return f"{self.root.etc}/{name}"

    def write(self, name, text):
        with open(self.path(name), "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())

    def check(self, *arguments, **more):
        """Of the directory: then the host that this runs on takes no part."""
        return ctl("check", self.root.etc, *arguments, **more)

    def errors(self):
        status, out, _ = ctl("--json", "check", self.root.etc)
        found = [m for m in json.loads(out) if m["severity"] == "error"]
        assert status == (3 if found else 0)
        return found

    def render(self, family="ipv4", **more):
        status, out, err = ctl("render", self.root.etc, "--family", family, "--addresses", "192.0.2.10,2001:db8:2::10", **more)
        assert status == 0, err
        return out

    def fine(self, warnings=0):
        status, _, err = self.check()
        assert status == 0 and err.count(": warning: ") == warnings and ": error: " not in err, f"status {status}: {err}"

    def refused(self, name, *words, line=None):
        """One error, about this file; and no rule comes of any file."""
        errors = self.errors()
        assert len(errors) == 1, errors
        m = errors[0]
        assert m["file"] == self.path(name), m
        assert line is None or m["line"] == line, f"line {m['line']}, not {line}: {m}"
        said = " ".join(str(m[key]) for key in ("field", "value", "reason", "hint"))
        for word in words:
            assert word in said, f"no {word!r} in {m}"
        _, _, err = self.check()
        at = f":{m['line']}:{m['column']}" if m["line"] else ""
        assert f"{self.path(name)}{at}: error: " in err, err
        status, out, _ = ctl("render", self.root.etc, "--addresses", "")
        assert status == 3 and out == "", f"render: status {status}: {out}"
        return m


def service(body, name="web", ip="10.96.0.10", ports="( { port = 80; } )"):
    return f'{{ name = "{name}"; clusterIP = "{ip}"; ports = {ports}; {body} }}'


def services(*items):
    return "services = (\n  " + ",\n  ".join(items) + "\n);\n"


def node_port(number, protocol="TCP"):
    return f'( {{ port = 80; protocol = "{protocol}"; nodePort = {number}; }} )'


LB = 'type = "LoadBalancer"; '

# ---- C08: the mark is one bit, and the others stay ----

MARKS = re.compile(r"--(?:mark|or-mark|xor-mark|set-xmark|set-mark|and-mark) (\S+)")


def c08_refused(value):
    with Tree({CONF: f"{NODE}[IPTables]\nMasqueradeBit={value}\n"}) as t:
        t.refused(CONF, "MasqueradeBit", "from 0 to 31", line=4)


def c08_bit(bit):
    """Every rule that sets or tests the mark has value and mask of this bit; or-mark and xor-mark leave the others alone."""
    with Tree({CONF: f"{NODE}[IPTables]\nMasqueradeBit={bit}\n",
               WEB: services(service('type = "NodePort";', ports=node_port(30080)))}) as t:
        for family in ("ipv4", "ipv6"):
            marks = MARKS.findall(t.render(family))
            assert len(marks) >= 4, marks
            for mark in marks:
                assert {int(part, 16) for part in mark.split("/")} == {1 << bit}, mark
            assert "--set-mark" not in t.render(family) and "--and-mark" not in t.render(family)


# ---- C10: local traffic ----

def c10_ranges():
    settings = NODE + "ClusterCIDR=2001:db8:1::/64\nClusterCIDR=10.1.0.0/16, 10.7.0.0/16\n"
    with Tree({CONF: settings, WEB: services('{ name = "web"; clusterIPs = [ "10.96.0.10", "fd00::10" ]; ports = ( { port = 80; } );\n'
                                             '    endpoints = [ "10.1.0.11:80", "[2001:db8:1::11]:80" ]; }')}) as t:
        status, _, err = t.check()
        lines = [text for text in err.splitlines() if ": warning: " in text]
        assert status == 0 and len(lines) == 1 and "'10.7.0.0/16'" in lines[0] and f"{t.path(CONF)}:4:" in lines[0], err
        assert t.check("--strict")[0] == 3
        v4, v6 = t.render("ipv4"), t.render("ipv6")
        assert "! -s 10.1.0.0/16" in v4 and "2001:db8:1::/64" not in v4 and "10.7.0.0" not in v4
        assert "! -s 2001:db8:1::/64" in v6 and "10.1.0.0" not in v6


def c10_prefix():
    """The interface need not be there."""
    with Tree({CONF: NODE + "DetectLocalMode=InterfaceNamePrefix\nInterfaceNamePrefix=veth\n",
               WEB: services(service('endpoints = [ "10.1.0.11:80" ];'))}) as t:
        t.fine()
        assert "! -i veth+" in t.render()
        t.write(CONF, NODE + "DetectLocalMode=InterfaceNamePrefix\nInterfaceNamePrefix=veth*\n")
        t.refused(CONF, "write the prefix only", line=4)


def c10_none():
    with Tree({WEB: services(service('endpoints = [ "10.1.0.11:80" ];'))}) as t:
        status, out, err = t.check()
        assert status == 0 and ": error: " not in err, err
        chain = [line for line in t.render().splitlines() if "default/web cluster IP" in line]
        assert chain and not any(" ! -s " in line or " ! -i " in line for line in chain), chain


# ---- C14: two services claim one thing ----

EXTERNAL = 'externalIPs = [ "198.51.100.1" ];'
HEALTH = LB + 'externalTrafficPolicy = "Local"; healthCheckNodePort = 30073;'
CLAIMS = {
    "a, one external IP and port": (service(EXTERNAL, "a"), service(EXTERNAL, "b", "10.96.0.11"), "198.51.100.1:80/TCP"),
    "b, one node port": (service('type = "NodePort";', "a", ports=node_port(30073)),
                         service('type = "NodePort";', "b", "10.96.0.11", ports=node_port(30073)), "30073/TCP"),
    "c, a health-check node port": (service(HEALTH, "a"), service('type = "NodePort";', "b", "10.96.0.11", ports=node_port(30073)),
                                    "30073/TCP"),
}
LEGAL = {
    "d, one number and two protocols": (service('type = "NodePort";', "a", ports=node_port(30073)),
                                        service('type = "NodePort";', "b", "10.96.0.11", ports=node_port(30073, "UDP")), 0),
    "e, one clusterIP and two ports": (service("", "a"), service("", "b", ports="( { port = 81; } )"), 1),
}


def c14_refused(a, b, value):
    """Both services, both files, both lines."""
    for files, line in (({"services.d/a.cfg": services(a), "services.d/b.cfg": "\n" + services(b)}, 3),
                        ({"services.d/b.cfg": services(a), "services.d/c.cfg": services(b)}, 2),
                        ({"services.d/a.cfg": services(a, b)}, 3)):
        with Tree(files) as t:
            m = t.refused(max(files), "'default/a'", f"{t.path(min(files))}:2", value, line=line)
            assert m["object"] == "default/b", m


def c14_legal(a, b, warnings):
    with Tree({"services.d/a.cfg": services(a), "services.d/b.cfg": services(b)}) as t:
        t.fine(warnings)
        rules = t.render()
        assert "default/a" in rules and "default/b" in rules


def c14_same_port_twice():
    ports = '( { name = "a"; port = 80; }, { name = "b"; port = 80; } )'
    with Tree({WEB: services(service("", ports=ports))}) as t:
        assert t.refused(WEB, "services[0].ports[1]", "TCP 80", line=2)["object"] == "default/web"


def c14_order():
    """Which one is told depends on nothing but the files: not on the order in which they were made."""
    texts = {f"services.d/{n}.cfg": services(service(EXTERNAL, f"s{n}", f"10.96.1.{n}")) for n in range(1, 9)}
    told = set()
    for order in (sorted(texts), sorted(texts, reverse=True)):
        with Tree({name: texts[name] for name in order}) as t:
            told.add(tuple((os.path.basename(m["file"]), m["reason"].replace(t.root.etc, "")) for m in t.errors()))
    assert len(told) == 1 and len(told.pop()) == 7


# ---- C18, C60: source ranges ----

def c18_one_address():
    """The ranges of one service say nothing about another one at the same address, nor about other ways to the service."""
    a = service(LB + 'loadBalancerIPs = [ "203.0.113.10" ]; loadBalancerSourceRanges = [ "192.0.2.128/25" ];'
                'endpoints = [ "10.1.0.11:80" ];', "a", ports="( { port = 7001; nodePort = 30701; } )")
    b = service(LB + 'loadBalancerIPs = [ "203.0.113.10" ]; endpoints = [ "10.1.0.12:80" ];', "b", "10.96.0.11",
                ports="( { port = 8001; nodePort = 30801; } )")
    with Tree({WEB: services(a, b)}) as t:
        t.fine()
        rules = t.render().splitlines()
        drops = [line for line in rules if line.startswith("-A KUBE-PROXY-FIREWALL")]
        assert len(drops) == 1 and "-d 203.0.113.10 --dport 7001 -j DROP" in drops[0], drops
        limited = [line for line in rules if "-s 192.0.2.128/25" in line]
        assert len(limited) == 1 and limited[0].startswith("-A KUBE-FW-"), limited
        assert not any("KUBE-FW-" in line for line in rules if "--dport 8001" in line or "--dport 30701" in line or "-d 10.96." in line)


def c18_also_external():
    with Tree({WEB: services(service(LB + EXTERNAL + 'loadBalancerIPs = [ "198.51.100.1" ];loadBalancerSourceRanges = [ "10.0.0.0/8" ];',
                                     ports="( { port = 80; nodePort = 30080; } )"))}) as t:
        status, _, err = t.check()
        assert status == 0 and "source ranges do not protect it" in err and err.count("warning") == 1, err


# ---- C19: ranges as people write them ----

def ranged(*ranges, ips='"203.0.113.10"', clusters='"10.96.0.10"'):
    texts = ", ".join(f'"{r}"' for r in ranges)
    return services('{ name = "web"; type = "LoadBalancer"; ports = ( { port = 80; nodePort = 30080; } );\n'
                    f'    clusterIPs = [ {clusters} ]; loadBalancerIPs = [ {ips} ];\n'
                    f'    loadBalancerSourceRanges = [ {texts} ]; endpoints = [ "10.1.0.11:80", "[2001:db8:1::11]:80" ]; }}',
                    service("", "other", "10.96.0.99"))


BOTH = {"ips": '"203.0.113.10", "2001:db8:6::10"', "clusters": '"10.96.0.10", "fd00::10"'}


def sources(rules):
    return re.findall(r"-A KUBE-FW-\w+ .*-s (\S+) -j", rules)


def c19_accepted(ranges, v4, v6, **addresses):
    with Tree({WEB: ranged(*ranges, **addresses)}) as t:
        t.fine()
        found = (sources(t.render("ipv4")), sources(t.render("ipv6")))
        assert found == (v4, v6), found
        assert t.render("ipv4").count("-d 203.0.113.10 --dport 80 -j DROP") == (1 if v4 else 0)


def c19_refused(ranges, *words, **addresses):
    with Tree({WEB: ranged(*ranges, **addresses)}) as t:
        t.refused(WEB, *words, line=4)


# ---- C44: an unknown scheduler ----

def c44():
    with Tree({WEB: services(service('scheduler = "fastest";'))}) as t:
        t.refused(WEB, "scheduler", "fastest", "must be rr, wrr")
        t.write(WEB, services(service("")))
        t.write(CONF, NODE + "[IPVS]\nScheduler=fastest\n")
        t.refused(CONF, "IPVS.Scheduler", "must be one of rr, wrr", line=4)
        t.write(CONF, NODE)
        t.write(WEB, services(service('endpoints = ( { address = "10.1.0.11"; port = 80; weight = -1; } );')))
        t.refused(WEB, "weight", "0-65535")


# ---- C48: numbers in addresses ----

ADDRESSES = ["10.96.011.012", "10.01.011.012", "::ffff:198.51.100.1", "::FFFF:c633:6401", "1.2.3", "0x7f.1", "fe80::1%eth0"]
PLACES = {
    "clusterIP": lambda a: {WEB: services(service("", ip=a))},
    "clusterIPs": lambda a: {WEB: services(f'{{ name = "web"; clusterIPs = [ "{a}" ]; ports = ( {{ port = 80; }} ); }}')},
    "externalIPs": lambda a: {WEB: services(service(f'externalIPs = [ "{a}" ];'))},
    "loadBalancerIPs": lambda a: {WEB: services(service(LB + f'loadBalancerIPs = [ "{a}" ];'))},
    "endpoints": lambda a: {WEB: services(service(f'endpoints = [ "{"[" + a + "]" if ":" in a else a}:80" ];'))},
    "address": lambda a: {WEB: services(service("")),
                          SLICE: f'endpoints = ( {{ service = "web";\n endpoints = ( {{ address = "{a}"; }} ); }} );\n'},
}
PREFIXES = ["10.096.0.0/16", "::ffff:198.51.100.0/120", "10.96/16", "0x0a.0.0.0/8", "10.0.0.0/08", "10.0.0.0/+8", "fe80::%eth0/64"]
NEVER = re.compile(r"\b10\.(?:96|1)\.9\.10\b|\b0\d+\.|\.0\d|::ffff", re.I)


def c48_address(place, address):
    with Tree(PLACES[place](address)) as t:
        m = t.refused(SLICE if place == "address" else WEB, address, line=2)
        assert place.rstrip("s") in m["field"], m


def c48_import(address):
    """The same in an object of Kubernetes: nothing comes out."""
    text = (f"apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: default}}\nspec:\n  clusterIP: '{address}'\n"
            "  ports: [{port: 80}]\n")
    status, out, err = ctl("import", "-", standard_input=text.encode())
    assert status == 3 and out == "" and "stdin:5:" in err and address in err, f"status {status}: {out}{err}"


def c48_prefix(prefix):
    with Tree({WEB: ranged("10.0.0.0/8", prefix)}) as t:
        t.refused(WEB, prefix, line=4)
        t.write(WEB, services(service("")))
        t.write(CONF, f"{NODE}ClusterCIDR={prefix}\n")
        t.refused(CONF, prefix, line=3)


CANONICAL = {"2001:DB8:0::1": "2001:db8::1", "FD00:0:0:0:0:0:0:1": "fd00::1", "2001:db8:0:0:1:0:0:1": "2001:db8::1:0:0:1",
             "2001:db8:0:1:1:1:1:1": "2001:db8:0:1:1:1:1:1", "fd00::0001:0": "fd00::1:0", "0:0:0:0:0:0:0102:0304": "::102:304"}


def c48_canonical(written, canonical):
    with Tree({WEB: services(f'{{ name = "web"; clusterIP = "{written}"; ports = ( {{ port = 80; }} );\n'
                             f'    endpoints = [ "[fd01::A]:80" ]; }}')}) as t:
        t.fine()
        rules = t.render("ipv6")
        assert f"-d {canonical} " in rules and "[fd01::a]:80" in rules, rules
        assert written == canonical or written not in rules
        assert not NEVER.search(t.render("ipv4"))


def c48_port(text, place):
    """text is as it stands in the file; a number of libconfig, a string, or a part of one."""
    files = {"port": {WEB: services(service("", ports=f"( {{ port = {text}; }} )"))},
             "nodePort": {WEB: services(service('type = "NodePort";', ports=node_port(text)))},
             "endpoint": {WEB: services(service(f'endpoints = [ "10.1.0.11:{text}" ];'))},
             "endpoint of IPv6": {WEB: services(service(f'endpoints = [ "[fd01::1]:{text}" ];', ip="fd00::1"))},
             "setting": {CONF: f"{NODE}[Health]\nHealthzBindAddress=127.0.0.1:{text}\n"}}[place]
    with Tree(files) as t:
        t.refused(CONF if place == "setting" else WEB, text.strip('"'), line=4 if place == "setting" else 2)


# ---- C49: what editors make of a file ----

GOOD = {
    CONF: "# settings\n[Proxy]\nNodeName = node-1\nClusterCIDR = 10.1.0.0/16\n\n[IPTables]\nMasqueradeBit = 13\n",
    WEB: '# services\nservices = (\n  { name = "shop/web"; # größer\n    clusterIP = "10.96.0.10";\n    ports = (\n'
         '      { port = 80; targetPort = 8080; } );\n    endpoints = [ "10.1.0.11:8080" ]; }\n);\n',
    SLICE: '/* endpoints */\nendpoints = (\n  { service = "shop/web";\n    endpoints = [ "10.1.0.12:8080",\n'
           '                  "10.1.0.13:8080" ]; }\n);\n',
}
BOM = b"\xef\xbb\xbf"
SAME = {  # what the file is made to be: it means the same
    "a byte order mark": lambda d: BOM + d,
    "CR LF": lambda d: d.replace(b"\n", b"\r\n"),
    "a byte order mark and CR LF": lambda d: BOM + d.replace(b"\n", b"\r\n"),
    "no newline at the end": lambda d: d.rstrip(b"\n"),
    "CR LF and none at the end": lambda d: d.rstrip(b"\n").replace(b"\n", b"\r\n"),
    "some lines with CR LF": lambda d: d.replace(b"\n", b"\r\n", 3),
}
REFUSED = {
    "two byte order marks": (lambda d: BOM + BOM + d, "two byte order marks"),
    "CR only": (lambda d: d.replace(b"\n", b"\r"), "carriage return"),
    "UTF-16LE": (lambda d: d.decode().encode("utf-16"), "UTF-16"),
    "UTF-16BE": (lambda d: b"\xfe\xff" + d.decode().encode("utf-16-be"), "UTF-16"),
    "UTF-16LE without a mark": (lambda d: d.decode().encode("utf-16-le"), "NUL"),
    "UTF-32": (lambda d: d.decode().encode("utf-32"), "UTF-16"),
    "a NUL byte": (lambda d: d[:40] + b"\0" + d[40:], "NUL"),
    "a NUL byte at the end": (lambda d: d + b"\0", "NUL"),
    "a CR inside of a value": (lambda d: d.replace(b"node-1", b"node\r-1").replace(b"10.96.0.10", b"10.96.0\r.10").replace(
        b"10.1.0.12", b"10.1.0\r.12"), "carriage return"),
}
NOTHING = {"empty": b"", "only comments": b"# nothing here\n  # nor here\n", "only a byte order mark": BOM, "only blanks": b"\n \t\n\n"}


def all_rules(t):
    return t.render("ipv4") + t.render("ipv6")


def c49_same(name, make):
    with Tree(GOOD) as t:
        plain = all_rules(t)
        assert "10.1.0.11:8080" in plain and "10.1.0.13:8080" in plain and "0x00002000" in plain
        t.write(name, make(GOOD[name].encode()))
        t.fine()
        rules = all_rules(t)
        assert rules == plain and "\r" not in rules
        assert "\r" not in ctl("--root", t.root.path, "settings")[1]


def c49_refused(name, make, word):
    with Tree(GOOD) as t:
        t.write(name, make(GOOD[name].encode()))
        t.refused(name, word)


def c49_nothing(name, data):
    """No objects here; of settings, the defaults."""
    with Tree(GOOD) as t, Tree({key: text for key, text in GOOD.items() if key != name}) as without:
        if name == CONF:
            os.unlink(without.path(CONF))
        t.write(name, data)
        status, _, err = t.check()
        assert status == 0 and ": error: " not in err, err
        assert all_rules(t) == all_rules(without)


# ---- C50: includes ----

TARGETS = {
    "itself": lambda directory, self: os.path.basename(self),
    "a relative path": lambda directory, self: "more/other.cfg",
    "nothing": lambda directory, self: "/nowhere/at/all.cfg",
    "a pattern without a match": lambda directory, self: "none-*.cfg",
    "a pattern that matches itself": lambda directory, self: "*.cfg",
    "a directory": lambda directory, self: made(directory, os.mkdir),
    "a FIFO": lambda directory, self: made(directory, os.mkfifo),
    "a device": lambda directory, self: "/dev/zero",
    "a file of 1 GB": lambda directory, self: made(directory, gigabyte),
    "an unreadable file": lambda directory, self: made(directory, unreadable),
    "a loop of links": lambda directory, self: made(directory, lambda path: os.symlink(path, path)),
}


def made(directory, make):
    path = f"{directory}/target.inc"
    make(path)
    return path


def gigabyte(path):
    with open(path, "w") as f:
        f.truncate(1 << 30)


def unreadable(path):
    os.close(os.open(path, os.O_CREAT, 0))


def c50_include(target, directory):
    """No file includes another: told at the line, and the target is never opened."""
    name = f"{directory}/web.cfg"
    with Tree({}) as t:
        file = TARGETS[target](f"{t.root.etc}/{directory}", t.path(name))
        kind = directory.removesuffix(".d")
        for text, line in ((f'{kind} = ( );\n@include "{file}"\n', 2), (f'{kind} = (\n\n  @include "{file}"\n);\n', 3),
                           (f'{kind} = ( {{\n  @include "{file}"\n}} );\n', 2)):
            t.write(name, text)
            t.refused(name, "files cannot include others", "read by itself", line=line)


def c50_many():
    """Two files that include each other, and a chain of forty: each is named."""
    for n in (2, 40):
        with Tree({f"services.d/{i}.cfg": f'@include "{(i + 1) % n}.cfg"\nservices = ( );\n' for i in range(n)}) as t:
            errors = t.errors()
            assert {m["file"] for m in errors} == {t.path(f"services.d/{i}.cfg") for i in range(n)} and len(errors) == n
            assert all("files cannot include others" in m["reason"] and m["line"] == 1 for m in errors), errors


def c50_settings():
    for line, word in (("@include other.conf", "Key=value"), ("!include other.conf", "Key=value"), ("include=other.conf", "unknown key"),
                       (".include other.conf", "Key=value")):
        with Tree({}) as t:
            t.write(CONF, f"{NODE}{line}\n")
            t.refused(CONF, word, line=3)


def c50_not_a_word():
    """The word in a text or a comment is none of its business."""
    with Tree({WEB: '# @include "a.cfg"\n' + services(service('healthCheck = { type = "http"; path = "/@include"; };'))}) as t:
        t.fine()


def c50_file(make, word):
    """What stands in a directory and is no file is refused at once, in each of them, and the others are still judged."""
    for directory, suffix in (("services.d", ".cfg"), ("endpoints.d", ".cfg"), ("svcroute.conf.d", ".conf")):
        with Tree({WEB: services(service(""))}) as t:
            make(t.path(f"{directory}/x{suffix}"))
            t.refused(f"{directory}/x{suffix}", word)
            t.write("services.d/y.cfg", "services = ( { } );\n")
            assert {os.path.basename(m["file"]) for m in t.errors()} == {f"x{suffix}", "y.cfg"}


def c50_limit():
    """That the limit of these tests is one."""
    if SANITIZE:
        raise Skip("the sanitizer's memory is not limited")
    p = subprocess.run([sys.executable, "-c", f"bytearray({MEMORY})"], capture_output=True, preexec_fn=limit, timeout=60)
    assert p.returncode and b"MemoryError" in p.stderr, p


def c50_large():
    """A valid file of some megabytes is read within the limit; one above the largest size is refused unread."""
    if SANITIZE:
        raise Skip("the sanitizer's memory is not limited")
    with Tree({WEB: services(service(""))}) as t:
        t.write("services.d/comment.cfg", ("#" + "x" * 1023 + "\n") * 8192)
        t.fine()
        with open(t.path("services.d/sparse.cfg"), "w") as f:
            f.truncate((64 << 20) + 1)
        t.refused("services.d/sparse.cfg", "larger than 64 MiB")


def c50_order():
    """Files are read in the bytewise order of their names, whatever the locale and the order in which they were made."""
    names = ["a.cfg", "B.cfg", "_.cfg", "é.cfg", "10.cfg", "9.cfg"]
    last = max(names, key=str.encode)
    seen = set()
    for order, locale in itertools.product((names, names[::-1]), ("C", "C.UTF-8", "de_DE.UTF-8")):
        with Tree({WEB: services(service(""))}) as t:
            for name in order:
                node = "node-1" if name == last else "node-2"
                t.write(f"endpoints.d/{name}", 'endpoints = ( { service = "web"; endpoints = ( { address = "10.1.0.11"; port = 80; '
                        f'node = "{node}"; hostname = "{"abcdef"[names.index(name)]}"; }} ); }} );\n')
            status, out, _ = ctl("--json", "check", t.root.etc, environment=dict(os.environ, LC_ALL=locale))
            assert status == 0
            seen.add(tuple((os.path.basename(m["file"]), m["reason"]) for m in json.loads(out)))
            # the last one counts: its endpoint is on this node
            t.write(WEB, services(service('internalTrafficPolicy = "Local";')))
            assert "10.1.0.11:80" in t.render(environment=dict(os.environ, LC_ALL=locale))
    assert len(seen) == 1 and len(seen.pop()) == len(names) - 1


# ---- C51: a bad edit ----

EDITS = {
    "a missing value": (WEB, 'clusterIP = "10.96.0.10"', "clusterIP = ", 4, "value is missing"),
    "an unknown key": (WEB, "clusterIP", "clusterIp", 4, "did you mean 'clusterIP'"),
    "a duplicate key": (WEB, "clusterIP", 'name = "shop/other";\n clusterIP', 4, "given before, in line 3"),
    "an unterminated list": (WEB, "]; }\n);", "]; }\n", 2, "is never closed"),
    "an unterminated string": (WEB, '"10.96.0.10"', '"10.96.0.10', 4, "not closed"),
    "a bad port": (WEB, "port = 80;", "port = 80800;", 6, "1-65535"),
    "endpoints cut short": (SLICE, GOOD[SLICE][-30:], "", 5, "the file ends"),
    "a setting without a value": (CONF, "MasqueradeBit = 13", "MasqueradeBit =", 7, "from 0 to 31"),
    "an unknown setting": (CONF, "MasqueradeBit", "MasqBit", 7, "unknown key"),
    "a setting twice": (CONF, "MasqueradeBit = 13", "MasqueradeBit = 13\nMasqueradeBit = 14", 8, "first in line 7"),
    "an unterminated section": (CONF, "[IPTables]", "[IPTables", 6, "has no ']'"),
    "a bad prefix": (CONF, "10.1.0.0/16", "10.1.0.0/61", 4, "10.1.0.0/61"),
}


def c51(name, old, new, line, word):
    """check DIR, check of the whole tree and render say the same of the same files; what is fixed is fine at once."""
    with Tree(GOOD) as t:
        t.fine()
        before = all_rules(t)
        assert GOOD[name].count(old) == 1
        t.write(name, GOOD[name].replace(old, new))
        m = t.refused(name, word, line=line)
        status, out, _ = ctl("--root", t.root.path, "--json", "check")
        assert status == 3 and [e for e in json.loads(out) if e["severity"] == "error"] == [m], out
        for arguments in (["check"], ["check", "--strict"], ["check", "-v"], ["render"], ["render", "--mode", "iptables"]):
            status, _, err = ctl("--root", t.root.path, *arguments)
            assert status == 3 and f"{t.path(name)}:{m['line']}:{m['column']}: error: " in err, f"{arguments}: {status}: {err}"
        t.write(name, GOOD[name])
        t.fine()
        assert all_rules(t) == before


def c51_all_at_once():
    """Every file that is wrong is named in one run, and none of the good ones."""
    broken = {name: GOOD[name].replace(old, new) for name, old, new, _, _ in
              (EDITS["a bad port"], EDITS["endpoints cut short"], EDITS["a bad prefix"])}
    with Tree(GOOD | broken | {"services.d/good.cfg": services(service("", "other", "10.96.0.11"))}) as t:
        assert {m["file"] for m in t.errors()} == {t.path(name) for name in broken}


# ---- C58: ranges of ports are none of the keys ----

def c58():
    for text in ('"10000-20000"', '"5060-5160"', '"all"', "[ 5060, 5160 ]"):
        with Tree({WEB: services(service("", ports=f'( {{ port = {text}; protocol = "UDP"; }} )'))}) as t:
            t.refused(WEB, "services[0].ports[0].port", "must be a whole number")
    with Tree({WEB: services(service("", ports="( { port = 5060; endPort = 5160; } )"))}) as t:
        t.refused(WEB, "services[0].ports[0].endPort", "unknown key")


def cases():
    """(name, function, arguments)"""
    for value in ("32", "-1", "0x10000", "0x10000/0x10000", "0x0", "14,15", "", "fourteen"):
        yield f"C08 MasqueradeBit={value} is refused", c08_refused, (value,)
    for bit in (0, 14, 16, 31):
        yield f"C08 bit {bit} and its mask in every rule", c08_bit, (bit,)
    yield "C10 several ranges", c10_ranges, ()
    yield "C10 a prefix of interfaces that are not there", c10_prefix, ()
    yield "C10 nothing is guessed", c10_none, ()
    for name, claim in CLAIMS.items():
        yield f"C14 {name}", c14_refused, claim
    for name, claim in LEGAL.items():
        yield f"C14 {name}", c14_legal, claim
    yield "C14 f, one port twice in a service", c14_same_port_twice, ()
    yield "C14 the verdict has an order", c14_order, ()
    yield "C18 two services at one address", c18_one_address, ()
    yield "C18 an external IP goes round the ranges", c18_also_external, ()

    yield "C19 overlaps", c19_accepted, (["10.0.0.0/8", "10.1.0.0/16"], ["10.0.0.0/8", "10.1.0.0/16"], [])
    yield "C19 blanks", lambda: c19_accepted([" 10.1.0.0/16 ", "\\t10.7.0.0/16"], ["10.1.0.0/16", "10.7.0.0/16"], []), ()
    yield "C19 all of IPv4", c19_accepted, (["10.0.0.0/8", "0.0.0.0/0"], [], [])
    yield "C19 each family its own", lambda: c19_accepted(
        ["10.0.0.0/8", "2001:db8:77::/48"], ["10.0.0.0/8"], ["2001:db8:77::/48"], **BOTH), ()
    yield "C19 a family without a range", lambda: c19_refused(["10.0.0.0/8"], "no IPv6 range", "::/0", **BOTH), ()
    yield "C19 the other family without a range", lambda: c19_refused(["2001:db8::/32"], "no IPv4 range", **BOTH), ()
    yield "C19 only a range of the wrong family", lambda: c19_refused(["2001:db8::/32"], "no IPv4 range"), ()
    yield "C19 a bare address", lambda: c19_refused(["10.0.0.0/8", "192.0.2.200"], "did you mean '192.0.2.200/32'"), ()
    yield "C19 a bare address of IPv6", lambda: c19_refused(["2001:db8::1"], "did you mean '2001:db8::1/128'"), ()
    yield "C19 host bits", lambda: c19_refused(["203.0.113.7/24"], "did you mean '203.0.113.0/24'"), ()
    yield "C19 malformed", lambda: c19_refused(["10.0.0.0/8", "office"], "office"), ()
    yield "C44 unknown schedulers and weights", c44, ()

    for place, address in itertools.product(PLACES, ADDRESSES):
        yield f"C48 {address} as {place}", c48_address, (place, address)
    for address in ADDRESSES:
        yield f"C48 {address} imported", c48_import, (address,)
    for prefix in PREFIXES:
        yield f"C48 prefix {prefix}", c48_prefix, (prefix,)
    for written, canonical in CANONICAL.items():
        yield f"C48 {written} is written {canonical}", c48_canonical, (written, canonical)
    for place in ("port", "nodePort"):
        for text in ("080", "+80", '"80 "', '"80"', "0" if place == "port" else "1", "65536", "-80"):
            yield f"C48 {place} {text}", c48_port, (text, place)
    for place in ("endpoint", "endpoint of IPv6", "setting"):
        for text in ("080", "+80", "80 x", "0", "65536", "-80", "0x50"):
            yield f"C48 port {text} of {place}", c48_port, (text, place)

    for (what, make), name in itertools.product(SAME.items(), GOOD):
        yield f"C49 {what}, {name}", c49_same, (name, make)
    for (what, (make, word)), name in itertools.product(REFUSED.items(), GOOD):
        yield f"C49 {what}, {name}", c49_refused, (name, make, word)
    for (what, data), name in itertools.product(NOTHING.items(), GOOD):
        yield f"C49 {what}, {name}", c49_nothing, (name, data)
    yield "C49 not UTF-8", c49_refused, (WEB, lambda d: d.decode().encode("latin-1"), "not valid UTF-8")

    for target, directory in itertools.product(TARGETS, ("services.d", "endpoints.d")):
        yield f"C50 {directory}: an include of {target}", c50_include, (target, directory)
    yield "C50 includes in a circle and in a chain", c50_many, ()
    yield "C50 includes in settings", c50_settings, ()
    yield "C50 the word in a text", c50_not_a_word, ()
    for what, make, word in (("a FIFO", os.mkfifo, "not a regular file"), ("a directory", os.mkdir, "is a directory"),
                             ("a device", lambda p: os.symlink("/dev/zero", p), "not a regular file"),
                             ("a file of 1 GB", gigabyte, "larger than"),
                             ("a link to itself", lambda p: os.symlink(p, p), "circles"),
                             ("a link to a FIFO", lambda p: (os.mkfifo(p + ".fifo"), os.symlink(p + ".fifo", p)), "not a regular file"),
                             ("a link to nothing", lambda p: os.symlink("/nowhere/at/all", p), "link to nothing")):
        yield f"C50 {what} in place of a file", c50_file, (make, word)
    yield "C50 memory is limited", c50_limit, ()
    yield "C50 large files", c50_large, ()
    yield "C50 the order of files", c50_order, ()

    for what, edit in EDITS.items():
        yield f"C51 {what}", c51, edit
    yield "C51 several bad files", c51_all_at_once, ()
    yield "C58 ranges of ports", c58, ()


def main():
    t = Tap()
    for name, function, arguments in cases():
        with t.case(name):
            function(*arguments)
    t.done()


main()
