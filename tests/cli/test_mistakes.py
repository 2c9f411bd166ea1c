# SPDX-License-Identifier: GPL-2.0-or-later
"""A table of mistakes in our own files, and what `svcroutectl check` says to each: where the value stands, which field it is,
what is written there, and why it is wrong. A row is a file in which a « stands before the value that is told.

Rows are made by S (services.d/web.cfg, one service shop/web), E (endpoints.d/web.cfg, one group for it), C (svcroute.conf) and
F (any file as it is). Their first argument is an id: the row of the model that asks for the check, then a name; the name is
that of a case of tests/golden/bad where there is one. Capital letters in a text stand for good lines, see LINES.

Each row is read twice, from a directory that is named: then the host that this runs on takes no part. For --json the file
has a byte order mark, CR LF at the ends of lines, and characters of two and three bytes before the value: a column is a
character. As plain text it is as it stands here."""
# timeout: 600
# weight: 25
import collections
import glob
import json
import os
import re
import subprocess

import hosts
from tap import SOURCE, SVCROUTECTL, Tap

Row = collections.namedtuple("Row", "id file text severity field value words object files")
ROWS = []

LINES = {
    "N": 'name = "shop/web";', "I": 'clusterIP = "10.96.0.10";', "P": "ports = ( { port = 80; } );",
    "Q": "ports = ( { port = 80; nodePort = 30080; } );", "M": 'type = "NodePort";', "L": 'type = "LoadBalancer";',
    "X": 'type = "ExternalName";', "V": 'loadBalancerIPs = [ "203.0.113.5" ];', "O": 'externalTrafficPolicy = "Local";',
    "G": 'service = "shop/web";', "A": 'address = "10.1.0.11";', "H": 'healthCheck = { type = "http"; };',
}
NAME, SERVICES, ENDPOINTS, CONF = "shop/web", "services.d/web.cfg", "endpoints.d/web.cfg", "svcroute.conf"
WEB = f'services = ( {{ name = "{NAME}"; clusterIP = "10.96.0.10"; ports = ( {{ port = 80; }} ); }} );\n'
NODE = "[Proxy]\nNodeName=node-1\n"


def expand(text):
    return re.sub(r"(?<!\S)[A-Z](?!\S)", lambda m: LINES[m[0]] + "\n   ", text)


def add(id, file, text, field, value, words, object=None, severity="error", files=None):
    assert text.count("«") == 1, id
    ROWS.append(Row(id, file, text, severity, field, value, [words] if isinstance(words, str) else words, object, files or {}))


def group(body):
    body = expand(body)
    return body if body.lstrip("«").startswith("{") else "{ " + body + " }"


def S(id, body, field, value, words, object=NAME, **more):
    add(id, SERVICES, f"services = (\n  {group(body)}\n);\n", f"services[0].{field}".rstrip("."), value, words, object, **more)


def E(id, body, field, value, words, object=NAME, **more):
    """The service is there, too; body is all of the group, or with a leading + an entry of its endpoints."""
    if body.startswith("+"):
        body, field = "G endpoints = (\n    " + group(body[1:]) + " );", f"endpoints[0].{field}".rstrip(".")
    more.setdefault("files", {SERVICES: WEB})
    add(id, ENDPOINTS, f"endpoints = (\n  {group(body)}\n);\n", f"endpoints[0].{field}".rstrip("."), value, words, object, **more)


def C(id, field, value, words, lines=None, **more):
    """lines: what stands in the section; by default the field's key with the value."""
    section, key = field.split(".")
    text = f"# settings\n[{section}]\n{lines or key + '=«' + value}\n"
    add(id, CONF, text, field, value, words, **more)


def F(id, file, text, field, value, words, **more):
    add(id, file, text, field, value, words, **more)


# ---- names: Y1, S1-S4 ----

LABEL = "1 to 63 of a-z"
for name, value in (("name-upper", "shop/Web"), ("name-dot", "shop/a.b"), ("name-underscore", "shop/a_b"),
                    ("name-dash-end", "shop/web-"), ("dash-start", "shop/-web"), ("long", "shop/" + "n" * 64),
                    ("blank", "shop/we b"), ("umlaut", "shop/wéb")):
    S(f"S1 {name}", f'name = «"{value}"; I P', "name", value, ["the name must", LABEL], None)
S("S1 name-empty", 'name = «""; I P', "name", "", "the name must not be empty", None)
for name, value in (("namespace-dot", "a.b/web"), ("namespace-long", "n" * 64 + "/web"), ("upper", "Shop/web")):
    S(f"S2 {name}", f'name = «"{value}"; I P', "name", value, ["the namespace must", LABEL], None)
S("S3 two slashes", 'name = «"a/b/c"; I P', "name", "a/b/c", "with one '/'", None)
S("S3 no namespace", 'name = «"/web"; I P', "name", "/web", "the namespace must not be empty", None)
S("S3 no name", 'name = «"shop/"; I P', "name", "shop/", "the name must not be empty", None)
S("S3 missing", "«{ I P }", "name", None, "must be set", None)
S("S3 number", "name = «80; I P", "name", "80", "must be a string", None)

# ---- type and addresses: Y7, S10-S22 ----

S("S10 type-unknown", 'N I P type = «"Weird";', "type", "Weird", "must be ClusterIP")
S("S10 type-lower", 'N I P type = «"nodeport";', "type", "nodeport", ["must be ClusterIP", "did you mean 'NodePort'"])
S("S10 number", "N I P type = «1;", "type", "1", "must be a string, not a number")
S("S10 empty", 'N I P type = «"";', "type", "", "must be ClusterIP")

NO_ADDRESS = {"cidr": "10.96.0.10/32", "hex": "0xa.96.0.10", "leading-zero2": "10.96.0.010", "text": "host.example",
              "v6-zone": "fe80::1%eth0", "big": "10.96.0.256", "neg": "10.-1.0.1", "port": "10.96.0.10:80",
              "short": "10.96.10", "space": " 10.96.0.10", "mapped": "::ffff:10.96.0.10", "empty": "", "leading-zero": "10.096.0.10",
              "brackets": "[fd00::1]", "five": "10.96.0.10.1", "two-gaps": "fd00::1::2", "number": "174063626"}
WHY = {"leading-zero": "leading", "leading-zero2": "leading", "mapped": "IPv4-mapped"}
UNUSABLE = {"unspec": ("0.0.0.0", "unspecified"), "unspec6": ("::", "unspecified"), "loop": ("127.0.0.1", "loopback"),
            "loop6": ("::1", "loopback"), "link": ("169.254.1.1", "link-local"), "link6": ("fe80::1", "link-local"),
            "mcast": ("224.0.0.1", "multicast"), "mcast6": ("ff02::1", "multicast"), "mcast-wide": ("239.1.1.1", "multicast"),
            "mcast6-wide": ("ff05::1", "multicast"), "bcast": ("255.255.255.255", "broadcast")}
RESERVED = {"this-network": ("0.1.2.3", "0.0.0.0/8"), "reserved": ("240.0.0.1", "240.0.0.0/4")}

for name, value in NO_ADDRESS.items():
    why = WHY.get(name, "")
    S(f"S11 clusterip-{name}", f'N clusterIP = «"{value}"; P', "clusterIP", value, why)
    S(f"S50 externalip-{name}", f'N I P externalIPs = [ "198.51.100.7", «"{value}" ];', "externalIPs[1]", value, why)
    S(f"S58 lbip-{name}", f'N I L Q loadBalancerIPs = ( {{ ip = «"{value}"; }} );', "loadBalancerIPs[0].ip", value, why)
    E(f"E7 endpoint-{name}", f'+address = «"{value}"; ', "address", value, why)
for name, (value, why) in UNUSABLE.items():
    S(f"S17 clusterip-{name}", f'N clusterIP = «"{value}"; P', "clusterIP", value, why)
for name, (value, why) in (UNUSABLE | RESERVED).items():
    S(f"S51 externalip-{name}", f'N I P externalIPs = ( «"{value}" );', "externalIPs[0]", value, why)
    S(f"S58 lbip-{name}", f'N I L Q loadBalancerIPs = [ «"{value}" ];', "loadBalancerIPs[0]", value, why)
    E(f"E7 endpoint-{name}", f'+address = «"{value}"; ', "address", value, why)
S("S11 none in lower case", 'N clusterIP = «"none"; P', "clusterIP", "none", "did you mean 'None'")
S("S11 number", "N clusterIP = «10; P", "clusterIP", "10", "must be a string")
S("S11 list", 'N clusterIP = «[ "10.96.0.10" ]; P', "clusterIP", None, "must be a string, not a list")
S("S11 in a list", 'N clusterIPs = [ "10.96.0.10", «"fd00::g" ]; P', "clusterIPs[1]", "fd00::g", "valid IP address")
S("S11 text as a list", 'N clusterIPs = «"10.96.0.10"; P', "clusterIPs", "10.96.0.10", "must be a list")
S("S12 clusterips-mismatch", 'N I clusterIPs = «[ "10.96.0.11" ]; P', "clusterIPs", None, ["equal to clusterIP", "10.96.0.10"])
S("S13 clusterips-same-family", 'N clusterIPs = «[ "10.96.0.10", "10.96.0.11" ]; P', "clusterIPs", None, "two of IPv4")
S("S13 three", 'N clusterIPs = «[ "10.96.0.10", "fd00::1", "fd00::2" ]; P', "clusterIPs", None, "two of IPv6")
S("S14 None beside an address", 'N clusterIPs = «[ "None", "10.96.0.10" ]; P', "clusterIPs", None, "only entry")
S("S15 headless-nodeport", 'N clusterIP = «"None"; M Q', "clusterIP", "None", "with type NodePort")
S("S15 headless-lb", 'N clusterIPs = [ «"None" ]; L P', "clusterIPs[0]", "None", "with type LoadBalancer")
S("S16 missing", "«{ N P }", "clusterIP", None, ['or "None"', "never chooses"])
S("S16 empty list", "N clusterIPs = «( ); P", "clusterIPs", None, "needs an address")
for name, value, why in (("outside", "10.97.0.10", "must lie in ServiceCIDR=10.96.0.0/16"), ("first", "10.96.0.0", "first address"),
                         ("last", "10.96.255.255", "last address"), ("other family", "fd00::1", "must lie in")):
    S(f"S19 {name}", f'N clusterIP = «"{value}"; P', "clusterIP", value, why,
      files={CONF: "[Proxy]\nNodeName=node-1\nServiceCIDR=10.96.0.0/16\n"})
S("S20 externalname-with-ip", 'N X externalName = "www.example.com"; clusterIP = «"10.96.0.10";', "clusterIP", "10.96.0.10",
  "with type ExternalName")
S("S20 list", 'N X externalName = "www.example.com"; clusterIPs = «[ "10.96.0.10" ];', "clusterIPs", None, "with type ExternalName")
S("S21 externalname-missing", "«{ N X }", "externalName", None, "must be set with type ExternalName")
for name, value in (("upper", "WWW.example.com"), ("two dots", "a..b"), ("dots at the end", "a.b.."), ("empty", ""),
                    ("underscore", "a_b.example"), ("long", ".".join(["a" * 60] * 5))):
    S(f"S21 {name}", f'N X externalName = «"{value}";', "externalName", value, "DNS name")

# ---- ports: Y4, Y5, S30-S42 ----

S("S30 ports-missing", "«{ N I }", "ports", None, "at least one port")
S("S30 empty", "«{ N I ports = ( ); }", "ports", None, "at least one port")
S("S30 number", "N I ports = «80;", "ports", "80", "must be a list")
S("S30 entry", 'N I ports = ( { port = 80; name = "a"; }, «81 );', "ports[1]", "81", "must be a group")
for name, value in (("portname-upper", "HTTP"), ("portname-dash", "-a"), ("portname-underscore", "a_b"), ("portname-long", "a" * 64),
                    ("dot", "a.b")):
    S(f"S31 {name}", f'N I ports = ( {{ port = 80; name = «"{value}"; }} );', "ports[0].name", value, LABEL)
S("S31 number", "N I ports = ( { port = 80; name = «80; } );", "ports[0].name", "80", "must be a string")
S("S31 without a name", 'N I ports = ( { port = 80; name = "a"; }, «{ port = 81; } );', "ports[1].name", None,
  "more than one port")
S("S31 ports-two-unnamed", 'N I ports = ( «{ port = 80; name = ""; }, { port = 81; name = "b"; } );', "ports[0].name", None,
  "more than one port")
S("S32 same name", 'N I ports = ( { port = 53; name = "dns"; protocol = "UDP"; }, { port = 53; name = «"dns"; } );', "ports[1].name",
  "dns", "ports[0]")
for name, value in (("protocol-icmp", "ICMP"), ("protocol-lower", "tcp"), ("both", "TCP,UDP")):
    S(f"S33 {name}", f'N I ports = ( {{ port = 80; protocol = «"{value}"; }} );', "ports[0].protocol", value, "must be TCP, UDP or SCTP")
S("S33 hint", 'N I ports = ( { port = 80; protocol = «"Sctp"; } );', "ports[0].protocol", "Sctp", "did you mean 'SCTP'")
for name, value in (("port-zero", "0"), ("big", "65536"), ("negative", "-80"), ("hexadecimal", "0x10000"), ("64 bits", "4294967376L")):
    S(f"S34 {name}", f"N I ports = ( {{ port = «{value}; }} );", "ports[0].port", str(int(value.rstrip("L"), 0)), "1-65535")
S("S34 quoted", 'N I ports = ( { port = «"80"; } );', "ports[0].port", "80", "write 80 without quotes")
S("S34 fraction", "N I ports = ( { port = «80.5; } );", "ports[0].port", "80.5", "whole number")
S("S34 true", "N I ports = ( { port = «true; } );", "ports[0].port", "true", "whole number")
S("S34 range", 'N I ports = ( { port = «"5060-5160"; } );', "ports[0].port", "5060-5160", "whole number")
S("S34 missing", "N I ports = ( «{ targetPort = 80; } );", "ports[0].port", None, "must be set")
S("S35 ports-same-number", 'N I ports = ( { port = 80; name = "a"; }, «{ port = 80; name = "b"; } );', "ports[1]", None,
  ["ports[0]", "TCP 80"])
for name, value in (("big", "65536"), ("neg", "-1")):
    S(f"S36 targetport-{name}", f"N I ports = ( {{ port = 80; targetPort = «{value}; }} );", "ports[0].targetPort", value, "1-65535")
for name, value in (("name-dashes", "a--b"), ("name-long", "a" * 16), ("name-upper", "HTTP"), ("name-dash-end", "a-"),
                    ("name-digits", "8080")):
    S(f"S36 targetport-{name}", f'N I ports = ( {{ port = 80; targetPort = «"{value}"; }} );', "ports[0].targetPort", value,
      "1 to 15 of a-z")
S("S36 list", "N I ports = ( { port = 80; targetPort = «[ 80 ]; } );", "ports[0].targetPort", None, "a number or the name")
S("S37 nodeport-on-clusterip", "N I ports = ( { port = 80; nodePort = «30080; } );", "ports[0].nodePort", "30080",
  ["with type ClusterIP", 'type = "NodePort"'])
S("S37 without a type word", 'N I ports = ( { port = 80; nodePort = «1; } ); type = "ClusterIP";', "ports[0].nodePort", "1",
  "with type ClusterIP")
S("S38 ports-same-nodeport", 'N I M ports = ( { port = 80; name = "a"; nodePort = 30080; },'
  '\n { port = 81; name = "b"; nodePort = «30080; } );', "ports[1].nodePort", "30080", "ports[0]")
for name, value in (("nodeport-neg", -1), ("nodeport-max", 65535), ("nodeport-big", 65536), ("below", 29999), ("above", 32768)):
    S(f"S39 {name}", f"N I M ports = ( {{ port = 80; nodePort = «{value}; }} );", "ports[0].nodePort", str(value), "30000-32767")
S("S39 own range", "N I L ports = ( { port = 80; nodePort = «30000; } );", "ports[0].nodePort", "30000", "40000-40010",
  files={CONF: NODE + "ServiceNodePortRange=40000-40010\n"})
S("S39 quoted", 'N I M ports = ( { port = 80; nodePort = «"30080"; } );', "ports[0].nodePort", "30080", "write 30080 without quotes")
S("S40 missing", "N I M ports = ( «{ port = 80; } );", "ports[0].nodePort", None, ["with type NodePort", "30000 is the lowest"])
S("S40 lowest is taken", 'N I M ports = ( { port = 80; name = "a"; nodePort = 30000; }, «{ port = 81; name = "b"; } );',
  "ports[1].nodePort", None, "30001 is the lowest")

# ---- outside: S53-S65 ----

S("S53 external IP is the clusterIP", 'N I P externalIPs = [ «"10.96.0.10" ];', "externalIPs[0]", "10.96.0.10", "equal to the clusterIP")
S("S53 another spelling", 'N clusterIP = "fd00::10"; P externalIPs = [ «"FD00:0:0::10" ];', "externalIPs[0]", "FD00:0:0::10",
  "equal to the clusterIP")
S("S53 load balancer", 'N I L Q loadBalancerIPs = [ «"10.96.0.10" ];', "loadBalancerIPs[0]", "10.96.0.10", "equal to the clusterIP")
S("S50 number", "N I P externalIPs = [ «10 ];", "externalIPs[0]", "10", "must be a string")
S("S50 no list", 'N I P externalIPs = «"198.51.100.1";', "externalIPs", "198.51.100.1", "must be a list")
S("S57 on ClusterIP", 'N I P loadBalancerIPs = «[ "203.0.113.5" ];', "loadBalancerIPs", None, "only with type LoadBalancer")
S("S57 on NodePort", 'N I M Q loadBalancerIPs = «[ "203.0.113.5" ];', "loadBalancerIPs", None, "only with type LoadBalancer")
S("S59 ipmode-lower", 'N I L Q loadBalancerIPs = ( { ip = "203.0.113.5"; ipMode = «"proxy"; } );', "loadBalancerIPs[0].ipMode", "proxy",
  ["must be VIP or Proxy", "did you mean 'Proxy'"])
S("S59 without ip", 'N I L Q loadBalancerIPs = ( «{ ipMode = "VIP"; } );', "loadBalancerIPs[0].ip", None, "must be set")
S("S59 unknown key", 'N I L Q loadBalancerIPs = ( { ip = "203.0.113.5"; ipmode = «"VIP"; } );', "loadBalancerIPs[0].ipmode", "VIP",
  ["unknown key", "did you mean 'ipMode'"])
S("S57 entry", "N I L Q loadBalancerIPs = ( «5 );", "loadBalancerIPs[0]", "5", "an address or a group")
RANGES = {"comma": "198.51.100.0/24,192.0.2.0/24", "empty": "", "inner-space": "198.51.100.0 /24", "leading-zero": "198.051.100.0/24",
          "mapped": "::ffff:198.51.100.0/120", "mask-leading-zero": "198.51.100.0/024", "mask33": "198.51.100.0/33",
          "mask-sign": "198.51.100.0/+24", "mask-dotted": "198.51.100.0/255.255.255.0", "text": "office"}
for name, value in RANGES.items():
    S(f"S62 sourcerange-{name}", f'N I L Q V loadBalancerSourceRanges = [ "10.0.0.0/8", «"{value}" ];', "loadBalancerSourceRanges[1]",
      value, "")
S("S62 sourcerange-no-mask", 'N I L Q V loadBalancerSourceRanges = [ «"198.51.100.0" ];', "loadBalancerSourceRanges[0]", "198.51.100.0",
  "did you mean '198.51.100.0/32'")
S("S62 bare IPv6", 'N I L Q V loadBalancerSourceRanges = [ «"2001:db8::1" ];', "loadBalancerSourceRanges[0]", "2001:db8::1",
  "did you mean '2001:db8::1/128'")
S("S62 host bits", 'N I L Q V loadBalancerSourceRanges = [ «"203.0.113.7/24" ];', "loadBalancerSourceRanges[0]", "203.0.113.7/24",
  "did you mean '203.0.113.0/24'")
S("S62 on NodePort", 'N I M Q loadBalancerSourceRanges = «[ "10.0.0.0/8" ];', "loadBalancerSourceRanges", None,
  "only with type LoadBalancer")
S("S64a IPv4 open", 'N I L Q V loadBalancerSourceRanges = «[ "2001:db8::/32" ];', "loadBalancerSourceRanges", None,
  ["no IPv4 range", "'0.0.0.0/0'"])
S("S64a IPv6 open", 'N clusterIPs = [ "10.96.0.10", "fd00::10" ]; L Q loadBalancerIPs = [ "2001:db8:6::5" ];'
  '\n loadBalancerSourceRanges = «[ "10.0.0.0/8" ];', "loadBalancerSourceRanges", None, ["no IPv6 range", "'::/0'"])

# ---- policies: S70-S78, and our own keys ----

for name, value in (("affinity-bad", "Cookie"), ("affinity-lower", "clientip")):
    S(f"S70 {name}", f'N I P sessionAffinity = «"{value}";', "sessionAffinity", value, "must be None or ClientIP")
for name, value in (("affinity-timeout-over", 86401), ("affinity-timeout-neg", -5), ("zero", 0)):
    S(f"S71 {name}", f'N I P sessionAffinity = "ClientIP"; sessionAffinityTimeoutSeconds = «{value};', "sessionAffinityTimeoutSeconds",
      str(value), "1-86400")
S("S71 text", 'N I P sessionAffinity = "ClientIP"; sessionAffinityTimeoutSeconds = «"3h";', "sessionAffinityTimeoutSeconds", "3h",
  "whole number")
S("S72 etp-bad", 'N I M Q externalTrafficPolicy = «"Nearby";', "externalTrafficPolicy", "Nearby", "must be Cluster or Local")
S("S72 etp-lower", 'N I M Q externalTrafficPolicy = «"local";', "externalTrafficPolicy", "local", "did you mean 'Local'")
S("S72 etp-on-clusterip", 'N I P externalTrafficPolicy = «"Local";', "externalTrafficPolicy", "Local", "must not be set")
S("S73 itp-bad", 'N I P internalTrafficPolicy = «"Nearby";', "internalTrafficPolicy", "Nearby", "must be Cluster or Local")
S("S73 itp-lower", 'N I P internalTrafficPolicy = «"local";', "internalTrafficPolicy", "local", "did you mean 'Local'")
S("S74 hcnp-big", "N I L Q O healthCheckNodePort = «70000;", "healthCheckNodePort", "70000", "30000-32767")
S("S74 hcnp-cluster", "N I L Q healthCheckNodePort = «30999;", "healthCheckNodePort", "30999", "LoadBalancer and externalTrafficPolicy")
S("S74 on NodePort", "N I M Q O healthCheckNodePort = «30999;", "healthCheckNodePort", "30999", "LoadBalancer and externalTrafficPolicy")
S("X4 hcnp-equals-nodeport", "N I L Q O healthCheckNodePort = «30080;", "healthCheckNodePort", "30080", "nodePort of a TCP port")
S("S76 trafficdistribution-bad", 'N I P trafficDistribution = «"Near";', "trafficDistribution", "Near", "PreferSameZone")
S("S76 empty", 'N I P trafficDistribution = «"";', "trafficDistribution", "", "PreferSameZone")
S("S78 text", 'N I P publishNotReadyAddresses = «"true";', "publishNotReadyAddresses", "true", "must be true or false")
S("own scheduler", 'N I P scheduler = «"best";', "scheduler", "best", "must be rr, wrr")
S("own scheduler case", 'N I P scheduler = «"RR";', "scheduler", "RR", "did you mean 'rr'")
S("own scheduler flag", 'N I P scheduler = "sh"; schedulerFlags = [ «"none" ];', "schedulerFlags[0]", "none", "fallback or port",
  files={SERVICES: None})
S("own onEndpointRemoval", 'N I P onEndpointRemoval = «"keep";', "onEndpointRemoval", "keep", "must be drain or cut")
S("own weight", 'N I P endpoints = ( { A weight = «65536; } );', "endpoints[0].weight", "65536", "0-65535")
for key, value, told, why in (
        ("type", '"icmp"', "icmp", "must be tcp, http, https or exec"), ("port", "0", "0", "1-65535"),
        ("path", '"health"', "health", "must start with '/'"), ("path", '"/a b"', "/a b", "blanks"),
        ("host", '"a b"', "a b", "blanks"), ("expect", '"999"', "999", "100-599"), ("expect", '"399-200"', "399-200", "status codes"),
        ("interval", '"999ms"', "999ms", "at least 1s"), ("interval", "5", "5", "must be a string"),
        ("interval", '"soon"', "soon", "must be a time"), ("timeout", '"6s"', "6s", "longer than the interval"),
        ("timeout", '"0s"', "0s", "more than 0s"), ("timeout", '"-1s"', "-1s", "not negative"), ("rise", "0", "0", "1-1000"),
        ("fall", "-1", "-1", "1-1000"), ("fail", "3", "3", "did you mean 'fall'")):
    first = "" if key == "type" else 'type = "http"; '
    S(f"own healthCheck {key} {told}", f"N I P healthCheck = {{ {first}{key} = «{value}; }};", f"healthCheck.{key}", told, why)
S("own healthCheck without type", "N I P healthCheck = «{ port = 80; };", "healthCheck.type", None, "must be set to tcp")
S("own healthCheck exec without command", 'N I P healthCheck = «{ type = "exec"; };', "healthCheck.command", None,
  "must be set with type exec")
S("own healthCheck exec relative", 'N I P healthCheck = { type = "exec"; command = [ «"bin/true" ]; };', "healthCheck.command[0]",
  "bin/true", "absolute path")
S("own healthCheck no group", 'N I P healthCheck = «"tcp";', "healthCheck", "tcp", "must be a group")

# ---- unknown keys, with a suggestion ----

S("key of a service", "N I P nodeport = «30080;", "nodeport", "30080", "unknown key")
S("key by distance", 'N I P sessionAfinity = «"None";', "sessionAfinity", "None", "did you mean 'sessionAffinity'")
S("key of a port", "N I ports = ( { port = 80; targetport = «80; } );", "ports[0].targetport", "80", "did you mean 'targetPort'")
S("key of Kubernetes", 'N I P selector = «{ app = "web"; };', "selector", None, "unknown key")
S("key with a dash", "N I P a-b = «1;", "a-b", "1", "unknown key")
E("key of a group", 'G servce = «"x"; endpoints = ( );', "servce", "x", "did you mean 'service'")
E("key of an endpoint", "+A wieght = «1;", "wieght", "1", "did you mean 'weight'")
E("key of an endpoint port", "+A ports = ( { port = 80; nodePort = «1; } );", "ports[0].nodePort", "1", "unknown key")
F("key of a file", SERVICES, "service = «( );\n", "service", None, "did you mean 'services'")
F("key services in endpoints.d", ENDPOINTS, "services = «( );\n", "services", None, ["services.d", "does not belong"])
F("key endpoints in services.d", SERVICES, "endpoints = «( );\n", "endpoints", None, ["endpoints.d", "does not belong"])
F("key services is no list", SERVICES, "services = «{ };\n", "services", None, "must be a list, not a group")
F("key entry is no group", SERVICES, 'services = ( «"web" );\n', "services[0]", "web", "must be a group, not a string")

# ---- endpoints: E2-E21, 2.3 ----

E("E2 missing", '«{ endpoints = [ "10.1.0.11" ]; }', "service", None, "must be set to the name of a service", None)
E("E2 empty", 'service = «""; endpoints = [ "10.1.0.11" ];', "service", "", "must not be empty", None)
E("E2 malformed", 'service = «"shop/we_b"; endpoints = [ "10.1.0.11" ];', "service", "shop/we_b", "the name must be", None)
E("E2 number", 'service = «5; endpoints = [ "10.1.0.11" ];', "service", "5", "must be a string", None)
for name, value in (("name", "web.example.com:80"), ("port zero", "10.1.0.11:0"), ("port big", "10.1.0.11:65536"),
                    ("port sign", "10.1.0.11:+80"), ("port blank", "10.1.0.11:80 "), ("port empty", "10.1.0.11:"),
                    ("port leading zero", "10.1.0.11:080"), ("IPv6 without brackets", "fd00::1:80:"), ("bracket", "[fd00::1"),
                    ("IPv4 in brackets", "[10.1.0.11]:80"), ("loopback", "127.0.0.1:80"), ("mapped", "[::ffff:10.1.0.11]:80"),
                    ("prefix", "10.1.0.0/24"), ("leading zero", "10.1.0.011:80")):
    E(f"E7 text with {name}", f'G endpoints = [ "10.1.0.12:80", «"{value}" ];', "endpoints[1]", value, "")
E("E6 list", '+address = «[ "10.1.0.11", "10.1.0.12" ];', "address", None, "must be one address, not a list")
E("E6 slice-no-address", "+«{ weight = 1; }", "address", None, "must be set")
E("E7 number", "+address = «10;", "address", "10", "must be a string")
E("E7 entry", "G endpoints = ( «80 );", "endpoints[0]", "80", '"ip:port" or a group')
E("E7 no list", 'G endpoints = «"10.1.0.11:80";', "endpoints", "10.1.0.11:80", "must be a list")
E("E10 ports", "G ports = «( " + ", ".join(f"{{ port = {1 + n % 60000}; }}" for n in range(20001)) + " );\n endpoints = ( );", "ports",
  None, "at most 20000")
for name, value in (("slice-portname-upper", "HTTP"), ("slice-portname-underscore", "a_b"), ("slice-portname-space", "a b"),
                    ("long", "a" * 64)):
    E(f"E11 {name}", f'G ports = ( {{ name = «"{value}"; port = 80; }} ); endpoints = [ "10.1.0.11" ];', "ports[0].name", value, LABEL)
E("E11 twice", 'G ports = ( { name = "a"; port = 80; }, { name = «"a"; port = 81; } ); endpoints = ( );', "ports[1].name", "a",
  ["same name and protocol", "ports[0]"])
E("E11 twice without names", "G ports = ( { port = 80; }, «{ port = 81; } ); endpoints = ( );", "ports[1]", None, "ports[0]")
for name, value in (("icmp", "ICMP"), ("lower", "tcp"), ("empty", "")):
    E(f"E12 slice-protocol-{name}", f'+A ports = ( {{ port = 80; protocol = «"{value}"; }} );', "ports[0].protocol", value, "must be TCP")
for name, value in (("zero", 0), ("neg", -1), ("big", 65536)):
    E(f"E13 slice-port-{name}", f"G ports = ( {{ port = «{value}; }} ); endpoints = ( );", "ports[0].port", str(value), "1-65535")
    E(f"E13 own port {name}", f"+A port = «{value};", "port", str(value), "1-65535")
E("E13 slice-port-null", 'G ports = ( «{ name = "http"; } ); endpoints = ( );', "ports[0].port", None, "must be set")
E("E13 port and ports", "+A port = 80; ports = «( { port = 80; } );", "ports", None, "beside port")
E("E13 no ports", "+A ports = «( );", "ports", None, "at least one port")
for name, value in (("slice-hostname-bad", "A_b"), ("empty", ""), ("dot", "a.b")):
    E(f"E14 {name}", f'+A hostname = «"{value}";', "hostname", value, LABEL)
for name, value in (("slice-node-space", "a b"), ("slice-node-long", "n" * 254), ("empty", ""), ("upper", "Node-1")):
    E(f"E15 {name}", f'+A node = «"{value}";', "node", value, "DNS name")
for name, value in (("blank", "a b"), ("long", "z" * 64), ("dash", "-z")):
    E(f"E16 {name}", f'+A zone = «"{value}";', "zone", value, "letters, digits")
E("E17 slice-nine-zone-hints", "+A forZones = «[ " + ", ".join(f'"z{n}"' for n in range(9)) + " ];", "forZones", None, "at most 8")
E("E17 slice-dup-zone-hints", '+A forZones = [ "z", «"z" ];', "forZones[1]", "z", "listed twice")
E("E17 slice-zone-hint-empty", '+A forZones = [ «"" ];', "forZones[0]", "", "letters, digits")
E("E17 blank", '+A forZones = [ «"a b" ];', "forZones[0]", "a b", "letters, digits")
E("E18 nine", "+A forNodes = «[ " + ", ".join(f'"n{n}"' for n in range(9)) + " ];", "forNodes", None, "at most 8")
E("E18 twice", '+A forNodes = [ "n", "m", «"n" ];', "forNodes[2]", "n", "listed twice")
E("E18 upper", '+A forNodes = [ «"N" ];', "forNodes[0]", "N", "DNS name")
E("E19 ready", "+A ready = «1;", "ready", "1", "must be true or false")
E("E19 terminating", '+A terminating = «"no";', "terminating", "no", "must be true or false")
for value in (-1, 65536):
    E(f"E20 {value}", f"+A weight = «{value};", "weight", str(value), "0-65535")
E("E21 another service", 'G endpoints = [ «"10.96.0.11:80" ];', "endpoints[0]", "10.96.0.11:80", ["shop/other", "in a chain"],
  severity="warning", files={SERVICES: WEB, "services.d/other.cfg": WEB.replace("shop/web", "shop/other").replace("0.10", "0.11")})
E("E21 own clusterIP", 'G endpoints = [ «"10.96.0.10:80" ];', "endpoints[0]", "10.96.0.10:80", "of the service itself")
S("E21 inline", 'N I P externalIPs = [ "198.51.100.1" ]; endpoints = [ «"198.51.100.1:80" ];', "endpoints[0]", "198.51.100.1:80",
  "of the service itself")
S("2.3 which port", 'N I ports = ( { port = 80; name = "a"; }, { port = 81; name = "b"; } ); endpoints = [ «"10.1.0.11:80" ];',
  "endpoints[0]", "10.1.0.11:80", "which port?")
E("2.3 which port in endpoints.d", "+«{ A port = 80; }", "", "10.1.0.11:80", "which port?", files={
    SERVICES: WEB.replace("{ port = 80; }", '{ port = 80; name = "a"; }, { port = 81; name = "b"; }')})

# ---- the grammar: one error a file ----

F("grammar leading zero", SERVICES, "services = ( { ports = ( { port = «080; } ); } );\n", "services[0].ports[0].port", "080",
  "leading zeros")
F("grammar plus sign", SERVICES, "services = ( { ports = ( { port = «+80; } ); } );\n", "services[0].ports[0].port", "+80", "plus sign")
F("grammar sign", SERVICES, "services = ( { ports = ( { port = «+; } ); } );\n", "services[0].ports[0].port", "+", "not a number")
F("grammar 33 bits", SERVICES, "services = ( { a = «4294967376; } );\n", "services[0].a", "4294967376", "32-bit")
F("grammar address without quotes", SERVICES, "services = ( { clusterIP = «10.96.0.10; } );\n", "services[0].clusterIP", "10.96.0.10",
  "double quotes")
F("grammar word without quotes", SERVICES, "services = ( { type = «NodePort; } );\n", "services[0].type", "NodePort", "double quotes")
F("grammar yes", SERVICES, "services = ( { publishNotReadyAddresses = «yes; } );\n", "services[0].publishNotReadyAddresses", "yes",
  "true or false")
F("grammar missing value", SERVICES, "services = ( { name = «; } );\n", "services[0].name", None, "value is missing")
F("grammar duplicate key", SERVICES, 'services = ( { name = "a";\n  «name = "b"; } );\n', "services[0].name", "name", "before, in line 1")
F("grammar open string", SERVICES, 'services = ( { name = «"a; } );\n', "services[0].name", None, "not closed on its line")
F("grammar open brace", SERVICES, 'services = ( «{ name = "a";\n', "services[0]", None, "'{' is never closed")
F("grammar open parenthesis", SERVICES, "services = «(\n", "services", None, "'(' is never closed")
F("grammar open comment", SERVICES, "services = ( );\n«/* open\n", None, None, "comment is not closed")
F("grammar comma at the end", SERVICES, 'services = ( { name = "a"; }«, );\n', "services[0]", None, "no entry follows")
F("grammar missing comma", SERVICES, 'services = ( { name = "a"; } «{ name = "b"; } );\n', "services[0]", "{", "',' is missing")
F("grammar mixed array", SERVICES, 'services = ( { externalIPs = [ "10.0.0.1", «5 ]; } );\n', "services[0].externalIPs[1]", "5",
  "one type")
F("grammar escape", SERVICES, 'services = ( { name = "a«\\q"; } );\n', "services[0].name", "\\q", "is not one of")
F("grammar control character", SERVICES, 'services = ( { name = "a«\x01"; } );\n', "services[0].name", None, "control character")
F("grammar include", SERVICES, 'services = ( );\n«@include "other.cfg"\n', None, "@include", "cannot include others")
F("grammar INI", SERVICES, "«[Proxy]\nMode=iptables\n", None, "[", "looks like INI")
F("grammar JSON", SERVICES, '«{ "kind": "Service" }\n', None, None, "looks like JSON")
F("grammar YAML", SERVICES, "«---\nkind: Service\n", None, None, "looks like YAML")
F("grammar depth", SERVICES, "a = " + "(" * 32 + "«(" + ")" * 33 + ";\n", "a" + "[0]" * 32, None, "more than 32 levels")

# ---- settings: daemon.md section 10 ----

C("conf Mode", "Proxy.Mode", "iptable", ["must be one of iptables", "did you mean 'iptables'"])
C("conf Mode case", "Proxy.Mode", "IPTables", "must be one of iptables")
C("conf Mode empty", "Proxy.Mode", "", "must be one of iptables")
C("conf NodeName", "Proxy.NodeName", "node_1", "must be a host name")
C("conf NodeName long", "Proxy.NodeName", "n" * 60 + "." + "n" * 100 + "..a", "must be a host name")
C("conf NodeIP bindaddress-bad", "Proxy.NodeIP", "1.2.3.400", "")
C("conf NodeIP unspecified", "Proxy.NodeIP", "0.0.0.0", "not the address of a node")
C("conf NodeIP two", "Proxy.NodeIP", "192.0.2.1 192.0.2.2", "'192.0.2.2' is a second IPv4 address")
C("conf NodeIP two lines", "Proxy.NodeIP", "2001:db8::2", "second IPv6", "NodeIP=2001:db8::1\nNodeIP=«2001:db8::2")
C("conf NodeIP multicast", "Proxy.NodeIP", "ff02::1", "not the address of a node")
C("conf Zone", "Proxy.Zone", "east side", "letters, digits")
C("conf Zone long", "Proxy.Zone", "z" * 64, "at most 63")
C("conf DetectLocalMode detect-unknown", "Proxy.DetectLocalMode", "Magic", "must be one of ClusterCIDR")
for mode, key in (("NodeCIDR", "NodeCIDR"), ("BridgeInterface", "BridgeInterface"), ("InterfaceNamePrefix", "InterfaceNamePrefix")):
    C(f"4.1 {key} missing", f"Proxy.{key}", None, f"must be set with DetectLocalMode={mode}", f"DetectLocalMode=«{mode}")
PREFIX_SETTINGS = (("Proxy", "ClusterCIDR", "clustercidr"), ("Proxy", "NodeCIDR", "nodecidr"), ("Proxy", "ServiceCIDR", "servicecidr"),
                   ("IPVS", "ExcludeCIDRs", "excludecidr"), ("Proxy", "NodePortAddresses", "nodeportaddress"))
for section, key, name in PREFIX_SETTINGS:
    for problem, value, why in (
            ("leading-zero", "198.051.100.0/24", "leading"), ("mapped", "::ffff:198.51.100.0/120", "IPv4-mapped"),
            ("mask-leading-zero", "198.51.100.0/024", ""), ("mask33", "198.51.100.0/33", ""),
            ("no-mask", "198.51.100.0", "did you mean '198.51.100.0/32'"),
            ("host bits", "198.51.100.7/24", "did you mean '198.51.100.0/24'"), ("trailing-comma", "198.51.100.0/24,", "ends in a comma"),
            ("inner-space", "198.51.100.0 /24", "'198.51.100.0'")):
        C(f"Y9 {name}-{problem}", f"{section}.{key}", value, why)
C("Y9 second of a list", "Proxy.ClusterCIDR", "10.1.0.0/16, 10.2.0.0/33", "'10.2.0.0/33'")
C("Y9 second line", "Proxy.ClusterCIDR", "fd00::1/64", "did you mean 'fd00::/64'",
  "ClusterCIDR=10.1.0.0/16\n; more\nClusterCIDR = «fd00::1/64")
C("4.1 interface long", "Proxy.BridgeInterface", "b" * 16, "at most 15 bytes")
C("4.1 interface slash", "Proxy.BridgeInterface", "br/0", "name of an interface")
C("4.1 interface wildcard", "Proxy.BridgeInterface", "veth+", ["one interface", "InterfaceNamePrefix"])
C("4.1 detect-prefix-long", "Proxy.InterfaceNamePrefix", "a" * 17, "at most 15 bytes")
for sign in "*+":
    C(f"4.1 prefix with {sign}", "Proxy.InterfaceNamePrefix", "veth" + sign, ["must not end in", "write the prefix only"])
C("4.3 case", "Proxy.NodePortAddresses", "Primary", ["lower case", "did you mean 'primary'"])
C("4.3 twice", "Proxy.NodePortAddresses", "primary", "is there twice", "NodePortAddresses=primary\nNodePortAddresses=«primary")
C("4.3 address", "Proxy.NodePortAddresses", "192.0.2.1", "did you mean '192.0.2.1/32'")
C("4.3 interface", "Proxy.NodePortAddresses", "primary, much-too-long-name", "'much-too-long-name' must have at most 15 bytes")
for value, why in (("30000", "range of ports"), ("32767-30000", "lower port first"), ("0-10", "range of ports"),
                   ("30000-65536", "range of ports"), ("30000 - 32767", "range of ports"), ("", "range of ports")):
    C(f"conf ServiceNodePortRange {value}", "Proxy.ServiceNodePortRange", value, why)
C("conf AllowExternalIPs", "Proxy.AllowExternalIPs", "maybe", "must be yes or no")
C("conf SyncPeriod", "Sync.SyncPeriod", "0s", "more than 0s")
C("conf SyncPeriod negative", "Sync.SyncPeriod", "-30s", "more than 0s")
C("conf MinSyncPeriod minsyncperiod-garbage", "Sync.MinSyncPeriod", "5 parsecs", "span of time")
C("conf MinSyncPeriod minsyncperiod-neg", "Sync.MinSyncPeriod", "-5s", "at least 0s")
C("conf SyncPeriod minsync-over-sync", "Sync.SyncPeriod", "10s", "less than MinSyncPeriod, which is 20s",
  "SyncPeriod=«10s\nMinSyncPeriod=20s")
C("conf MinSyncPeriod alone", "Sync.SyncPeriod", "30s", "which is 1m", "MinSyncPeriod=«1min")
C("conf ConfigDebounce", "Sync.ConfigDebounce", "fast", "span of time")
C("conf Backend", "IPTables.Backend", "nftables", "must be one of auto, nft, legacy")
for section in ("IPTables", "NFTables"):
    C(f"conf {section} masqueradebit-32", f"{section}.MasqueradeBit", "32", "from 0 to 31")
    C(f"conf {section} bit -1", f"{section}.MasqueradeBit", "-1", "from 0 to 31")
    C(f"conf {section} mask", f"{section}.MasqueradeBit", "0x4000/0x4000", "from 0 to 31")
    C(f"conf {section} all", f"{section}.MasqueradeAll", "sure", "must be yes or no")
    C(f"conf {section} localhost", f"{section}.LocalhostNodePorts", "", "must be yes or no")
C("conf scheduler-unknown", "IPVS.Scheduler", "best", "must be one of rr, wrr")
C("conf StrictARP", "IPVS.StrictARP", "2", "must be yes or no")
for key in ("TCPTimeout", "TCPFinTimeout", "UDPTimeout"):
    C(f"conf IPVS {key}", f"IPVS.{key}", "1500ms", "whole seconds")
C("conf Capture", "Userspace.Capture", "magic", "must be one of bind")
C("conf ProxyPortRange", "Userspace.ProxyPortRange", "70000-70001", "range of ports")
C("conf DialTimeouts", "Userspace.DialTimeouts", "250ms 2min", "'2min' must be a span of time from 1ms")
C("conf DialTimeouts many", "Userspace.DialTimeouts", "1s " * 8 + "1s", "at most 8")
C("conf UDPIdleTimeout", "Userspace.UDPIdleTimeout", "0s", "at least 1ms")
C("conf TCPIdleTimeout", "Userspace.TCPIdleTimeout", "10ms", "at least 1s")
C("conf HalfCloseTimeout", "Userspace.HalfCloseTimeout", "never", "span of time")
for key in ("MaxConnections", "MaxConnectionsPerService", "MaxUDPSessions"):
    C(f"conf {key}", f"Userspace.{key}", "10000001", "from 0 to 10000000")
C("conf Workers", "Userspace.Workers", "257", "from 0 to 256")
C("conf MaxPerCore conntrack-neg", "Conntrack.MaxPerCore", "-1", "from 0 to")
C("conf Conntrack Min", "Conntrack.Min", "many", "from 0 to")
for key in ("TCPEstablishedTimeout", "TCPCloseWaitTimeout", "UDPTimeout", "UDPStreamTimeout"):
    C(f"conf Conntrack {key}", f"Conntrack.{key}", "-1s", "at least 0s")
C("conf TCPBeLiberal", "Conntrack.TCPBeLiberal", "ja", "must be yes or no")
for key in ("HealthzBindAddress", "MetricsBindAddress"):
    C(f"conf {key} healthz-bad", f"Health.{key}", "localhost:10256", "must be IP:port")
    C(f"conf {key} healthz-port-big", f"Health.{key}", "0.0.0.0:65536", "")
    C(f"conf {key} port zero", f"Health.{key}", "127.0.0.1:0", "")
    C(f"conf {key} leading zero", f"Health.{key}", "127.0.0.01:80", "leading")
C("conf BindHardFail", "Health.BindHardFail", "-", "must be yes or no")
C("conf CheckInterval", "Health.CheckInterval", "99ms", "at least 100ms")
C("conf CheckTimeout", "Health.CheckTimeout", "0s", "at least 1ms")
C("conf CheckRise", "Health.CheckRise", "0", "from 1 to 1000")
C("conf CheckFall", "Health.CheckFall", "1001", "from 1 to 1000")
C("conf Level", "Log.Level", "verbose", "must be one of err")
C("conf comment behind a value", "IPTables.MasqueradeBit", "14 # the default", "line of its own")
C("conf quotation marks", "Proxy.Mode", '"iptables"', "without quotation marks")
C("conf twice", "Proxy.Mode", "iptables", "first in line 3", "Mode=iptables\n«Mode=iptables")
C("conf unknown key", "Proxy.Mod", "iptables", "did you mean 'Mode'", "«Mod=iptables")
C("conf key of kube-proxy", "Proxy.clusterCIDR", "10.0.0.0/8", "did you mean 'ClusterCIDR'", "«clusterCIDR=10.0.0.0/8")
C("conf key of another section", "Proxy.Scheduler", "rr", "belongs to section [IPVS]", "«Scheduler=rr")
F("conf unknown section", CONF, "[«Proxi]\nMode=iptables\n", "Proxi", None, "did you mean [Proxy]")
F("conf no section", CONF, "«Mode=iptables\n", "Mode", "iptables", "must stand in a section")
F("conf open section", CONF, "# x\n«[Proxy\n", None, None, "has no ']'")
F("conf behind a section", CONF, "[Proxy] «Mode=iptables\n", None, None, "line of its own")
F("conf blank before", CONF, "[Proxy]\nClusterCIDR=10.0.0.0/8\n  «11.0.0.0/8\n", None, None, "must not begin with a blank")
F("conf no key", CONF, "[Proxy]\n«=x\n", None, None, "has no key")
F("conf words", CONF, "[Proxy]\n«iptables mode\n", None, None, "Key=value")
F("conf libconfig", CONF, "«services = ( );\n", None, None, "looks like libconfig")
F("conf long line", CONF, "[Proxy]\nClusterCIDR=" + "1" * 178 + "«1\n", None, None, "longer than 190 bytes")
F("conf control character", CONF, "[Proxy]\nZone=a«\x07\n", None, None, "control character")

# ---- warnings: W ----

W = {"severity": "warning"}
S("S20 ports with ExternalName", 'N X externalName = "a.example"; ports = «( { port = 80; } );', "ports", None, "is ignored", **W)
S("S20 externalIPs with ExternalName", 'N X externalName = "a.example"; externalIPs = «[ "198.51.100.1" ];', "externalIPs", None,
  "is ignored", **W)
S("S20 endpoints with ExternalName", 'N X externalName = "a.example"; endpoints = «[ "10.1.0.11" ];', "endpoints", None, "is ignored",
  **W)
S("S21 address as a name", 'N X externalName = «"10.0.0.1";', "externalName", "10.0.0.1", "is an address", **W)
S("S22 without the type", 'N I P externalName = «"a.example";', "externalName", "a.example", "is ignored", **W)
S("S52 listed twice", 'N I P externalIPs = [ "198.51.100.1", «"198.51.100.1" ];', "externalIPs[1]", "198.51.100.1", "listed twice", **W)
S("S52 load balancer", 'N I L Q loadBalancerIPs = ( "203.0.113.5", «"203.0.113.5" );', "loadBalancerIPs[1]", "203.0.113.5",
  "listed twice", **W)
S("S61 also external", 'N I L Q loadBalancerIPs = [ «"198.51.100.1" ]; externalIPs = [ "198.51.100.1" ];', "loadBalancerIPs[0]",
  "198.51.100.1", "source ranges do not protect it", **W)
S("S71 affinity-timeout-without", "N I P sessionAffinityTimeoutSeconds = «60;", "sessionAffinityTimeoutSeconds", "60",
  "without session affinity", **W)
S("S72 Cluster", 'N I P externalTrafficPolicy = «"Cluster";', "externalTrafficPolicy", "Cluster", "has no effect", **W)
S("S74 missing", "«{ N I L Q V O }", "healthCheckNodePort", None, "is not set", **W)
S("S76 trafficdistribution-close", 'N I P trafficDistribution = «"PreferClose";', "trafficDistribution", "PreferClose",
  "old name", **W)
S("S79 affinity", 'N clusterIP = "None"; P sessionAffinity = «"ClientIP";', "sessionAffinity", "ClientIP", "headless", **W)
S("S79 externalIPs", 'N clusterIP = "None"; P externalIPs = «[ "198.51.100.1" ];', "externalIPs", None, "headless", **W)
S("own scheduler in this mode", 'N I P scheduler = «"lc";', "scheduler", "lc", "no effect in iptables mode", **W)
S("own flags without sh", 'N I P scheduler = "wrr"; schedulerFlags = «[ "port" ];', "schedulerFlags", None, "only sh and mh", **W)
S("own key of another check", 'N I P healthCheck = { type = "tcp"; path = «"/"; };', "healthCheck.path", "/",
  "ignored with type tcp", **W)
F("E2 no such service", ENDPOINTS, 'endpoints = (\n  { service = «"shop/other"; endpoints = [ "10.1.0.11" ]; } );\n',
  "endpoints[0].service", "shop/other", "no such service", object="shop/other", files={SERVICES: WEB}, **W)
E("2.4 ready and terminating", "+«{ A port = 80; ready = true; terminating = true; }", "", "10.1.0.11:80", "takes new connections", **W)
E("2.5 two entries disagree", 'G endpoints = ( { A port = 80; }, «{ A port = 80; weight = 2; } );', "endpoints[1]", "10.1.0.11:80",
  "listed before", **W)
S("2.3 no port matches", '«{ N I ports = ( { port = 80; name = "a"; } );'
  '\n endpoints = ( { A ports = ( { name = "b"; port = 80; } ); } ); }',
  "ports[0]", None, "none of the endpoints has a port", **W)
C("4.1 clustercidr-two-v4", "Proxy.ClusterCIDR", "10.2.0.0/16", "only the first IPv4", "ClusterCIDR=«10.1.0.0/16 10.2.0.0/16", **W)
C("4.1 the second of three lines", "Proxy.ClusterCIDR", "10.2.0.0/16", "only the first IPv4",
  "ClusterCIDR=10.1.0.0/16\nClusterCIDR=«10.2.0.0/16\nClusterCIDR=fd00::/64", **W)
C("4.1 emptied in between", "Proxy.ClusterCIDR", "10.4.0.0/16", "only the first IPv4 prefix is, 10.3.0.0/16",
  "ClusterCIDR=10.1.0.0/16 10.2.0.0/16\nClusterCIDR=\nClusterCIDR=10.3.0.0/16\nClusterCIDR=«10.4.0.0/16\nClusterCIDR=fd00::/64", **W)
C("4.1 two NodeCIDR", "Proxy.NodeCIDR", "fd01::/64", "only the first IPv6", "NodeCIDR=fd00::/64\nNodeCIDR=«fd01::/64", **W)

# ---- notices: N ----

V = {"severity": "notice"}
S("S40 LoadBalancer without", "N I L ports = «( { port = 80; } );", "ports", None, "gets none", **V)
S("S56 another family", 'N I P externalIPs = [ «"2001:db8:5::1" ];', "externalIPs[0]", "2001:db8:5::1", "is not used", **V)
S("S64 overlap", 'N I L Q V loadBalancerSourceRanges = «[ "10.0.0.0/8", "10.1.0.0/16" ];', "loadBalancerSourceRanges", None,
  "'10.1.0.0/16' is part of '10.0.0.0/8'", **V)
S("S77 with Local", 'N I P internalTrafficPolicy = "Local"; trafficDistribution = «"PreferSameZone";', "trafficDistribution",
  "PreferSameZone", "no effect on traffic whose policy is Local", **V)
E("E8 endpoint-v6-upper", '+address = «"FD00::1";', "address", "FD00::1", "'fd00::1'", **V)
E("E8 endpoint-v6-long", 'G endpoints = [ «"fd00:10:96:0::10" ];', "endpoints[0]", "fd00:10:96:0::10", "'fd00:10:96::10'", **V)
E("1.8 group without endpoints", "«{ G }", "endpoints", None, "no endpoints", **V)

# ---- two claims to one thing: S4, S18, X1-X10 ----

for key, address in (("HealthzBindAddress", "0.0.0.0"), ("MetricsBindAddress", "127.0.0.1")):
    S(f"X10 {key}", "N I M ports = ( { port = 80; nodePort = «30080; } );", "ports[0].nodePort", "30080/TCP", key,
      files={CONF: f"{NODE}[Health]\n{key}={address}:30080\n"})

# The first in a.cfg, the second in b.cfg; then both in one file. The second is told at its «, and where the » of the first stands.
# A field is that of the second; (key) is that of the first.
Clash = collections.namedtuple("Clash", "id first second field key value severity", defaults=["error"])
IP_A, IP_B, PORT_80 = 'clusterIP = "10.96.0.1";', 'clusterIP = "10.96.0.2";', "ports = ( { port = 80; } );"
IP_1, IP_2 = ('clusterIP = %s"10.96.0.1";' % mark for mark in "»«")
NAME_1, NAME_2 = ('name = %s"shop/first";' % mark for mark in "»«")
EXTERNAL_1, EXTERNAL_2 = ('externalIPs = [ %s"198.51.100.1" ];' % mark for mark in "»«")


def node_port(mark, number, protocol="TCP", type="NodePort"):
    return f'type = "{type}"; ports = ( {{ port = 80; nodePort = {mark}{number}; protocol = "{protocol}"; }} );'


def health(mark):
    return f'type = "LoadBalancer"; externalTrafficPolicy = "Local"; healthCheckNodePort = {mark}30073; ' + PORT_80


CLASHES = [
    Clash("X1 clusterIP", IP_1 + PORT_80, IP_2 + PORT_80, "clusterIP", "clusterIP", "10.96.0.1:80/TCP"),
    Clash("X1 clusterIP of IPv6, spelt otherwise", 'clusterIP = »"fd00::1";' + PORT_80, 'clusterIP = «"FD00:0:0::1";' + PORT_80,
          "clusterIP", "clusterIP", "[fd00::1]:80/TCP"),
    Clash("X1 clusterIPs", 'clusterIPs = [ "10.96.0.1", »"fd00::1" ];' + PORT_80, 'clusterIPs = [ «"fd00::1", "10.96.0.2" ];' + PORT_80,
          "clusterIPs[0]", "clusterIPs[1]", "[fd00::1]:80/TCP"),
    Clash("X1 external IP", IP_A + PORT_80 + EXTERNAL_1, IP_B + PORT_80 + EXTERNAL_2, "externalIPs[0]", "externalIPs[0]",
          "198.51.100.1:80/TCP"),
    Clash("X1 load balancer and external IP", IP_A + node_port("", 30001, type="LoadBalancer")
          + 'loadBalancerIPs = ( "198.51.100.2", { ip = »"198.51.100.1"; } );', IP_B + PORT_80
          + 'externalIPs = [ "198.51.100.3",\n «"198.51.100.1" ];', "externalIPs[1]", "loadBalancerIPs[1].ip", "198.51.100.1:80/TCP"),
    Clash("X1 one of several ports", IP_1 + 'ports = ( { port = 79; name = "a"; }, { port = 80; name = "b"; } );', IP_2 + PORT_80,
          "clusterIP", "clusterIP", "10.96.0.1:80/TCP"),
    Clash("X2 node port", IP_A + node_port("»", 30073), IP_B + node_port("«", 30073), "ports[0].nodePort", "ports[0].nodePort",
          "30073/TCP"),
    Clash("X2 the second port", IP_A + node_port("»", 30073), IP_B + 'type = "LoadBalancer";\n ports = ( { port = 79; name = "a"; },'
          ' { port = 80; name = "b"; nodePort = «30073; } );', "ports[1].nodePort", "ports[0].nodePort", "30073/TCP"),
    Clash("X2 node port of UDP", IP_A + node_port("»", 30073, "UDP"), IP_B + node_port("«", 30073, "UDP"), "ports[0].nodePort",
          "ports[0].nodePort", "30073/UDP"),
    Clash("X3 health-check node port", IP_A + health("»"), IP_B + health("«"), "healthCheckNodePort", "healthCheckNodePort",
          "30073/TCP"),
    Clash("X4 health check and node port", IP_A + node_port("»", 30073), IP_B + health("«"), "healthCheckNodePort",
          "ports[0].nodePort", "30073/TCP"),
    Clash("X4 node port and health check", IP_A + health("»"), IP_B + node_port("«", 30073), "ports[0].nodePort",
          "healthCheckNodePort", "30073/TCP"),
    Clash("X7 external IP and clusterIP", 'clusterIP = »"198.51.100.1";' + PORT_80, IP_B + PORT_80 + EXTERNAL_2, "externalIPs[0]",
          "clusterIP", "198.51.100.1:80/TCP"),
    Clash("S18 one clusterIP, other ports", IP_1 + PORT_80, IP_2 + "ports = ( { port = 81; } );", "clusterIP", None, "10.96.0.1",
          "warning"),
    Clash("S4 defined twice", IP_A + PORT_80 + NAME_1, IP_B + PORT_80 + NAME_2, "name", None, "shop/first"),
]


def clash_texts(clash, in_one_file):
    """{file: text}, with a « before the value of the second service and a » before that of the first."""
    first, second = ("{ " + keys + ("" if clash.field == "name" else f' name = "shop/{name}";') + " }"
                     for name, keys in (("first", clash.first), ("second", clash.second)))
    if in_one_file:
        return {"services.d/a.cfg": f"services = (\n  {first},\n\n  {second}\n);\n"}
    return {"services.d/a.cfg": f"# the first\nservices = ( {first} );\n", "services.d/b.cfg": f"services = (\n\t{second} );\n"}


def clash(row, in_one_file):
    texts = clash_texts(row, in_one_file)
    name, text = list(texts.items())[-1]
    line, column = place(text.replace("»", ""))
    with hosts.Root(NODE) as root:
        for file, content in texts.items():
            write(root, file, content.replace("»", "").replace(MARK, ""))
        status, out, err = ctl("--json", "check", root.etc)
        refused = 3 if row.severity == "error" else 0
        messages = [m for m in json.loads(out) if m["severity"] == row.severity]
        assert status == refused and len(messages) == 1, f"status {status}: {out}"
        m = messages[0]
        field = f"services[{int(in_one_file)}].{row.field}"
        found = (m["file"], m["line"], m["column"], m["field"], m["value"])
        wanted = (f"{root.etc}/{name}", line, column, field, row.value)
        assert found == wanted, f"{found}, not {wanted}"
        assert m["object"] == ("shop/first" if row.field == "name" else "shop/second") and m["hint"], m
        first_line, first_column = place(texts["services.d/a.cfg"].replace(MARK, "").replace("»", MARK))
        other = f" at {root.etc}/services.d/a.cfg:{first_line}:{first_column}"
        assert re.search(re.escape(other) + r"\b", m["reason"]), f"no {other} in {m['reason']!r}"
        assert row.field == "name" or "'shop/first'" in m["reason"], m
        assert row.key is None or f" ({row.key}) " in m["reason"], m
        status, out, err = ctl("check", root.etc)
        lines = [text for text in err.splitlines() if f": {row.severity}: " in text]
        assert status == refused and len(lines) == 1, err
        assert lines[0].startswith(f"{root.etc}/{name}:{line}:{column}: {row.severity}: {field} '{row.value}': "), err
        assert other in lines[0], err


# ---- running ----

# Cases of tests/golden/bad that have no counterpart in our files, and why.
NO_COUNTERPART = {
    "clustercidr-comma": "a list of ours: two IPv4 prefixes are a warning (4.1)", "excludecidr-comma": "a list of ours",
    "clustercidr-space": "blanks separate a list", "excludecidr-space": "blanks separate a list",
    "excludecidr-empty": "an empty value empties a list", "nodeportaddress-empty": "an empty value empties a list",
    "clustercidr-three": "a list of ours: more than one of a family is a warning (4.1)",
    "slice-addresstype-bad": "no addressType", "slice-addresstype-mismatch": "no addressType",
    "slice-addresstype-missing": "no addressType",
    "slice-1001-endpoints": "no limit (E5)", "slice-101-addresses": "one address an entry: a list is refused (E6)",
}
ADDRESS_TYPE = re.compile(r"endpoint6-")  # an IPv6 slice: ours have no addressType, so these are the rows of endpoint-
MARK = "«"
LOUD = {"error": [], "warning": [], "notice": ["-v"]}


def ctl(*arguments):
    p = subprocess.run([SVCROUTECTL, *arguments], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout, p.stderr


def place(text):
    """(line, column in characters) of the mark."""
    before = text[:text.index(MARK)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def decorate(row):
    """The text as another editor would save it, with a comment before the value where one may stand."""
    text = row.text
    if row.file.endswith(".cfg") and not row.id.startswith("grammar"):
        text = "/* größer */ " + text.replace(MARK, "/* é€\t */ " + MARK)
    return "\ufeff" + text.replace("\n", "\r\n")


def write(root, name, text):
    with open(f"{root.etc}/{name}", "w", encoding="utf-8", newline="") as f:
        f.write(text)


def as_json(root, row):
    """The one message of the row, out of all that --json tells."""
    text = decorate(row)
    write(root, row.file, text.replace(MARK, ""))
    status, out, err = ctl("--json", "check", root.etc, *LOUD[row.severity])
    messages = json.loads(out)
    worse = [m for m in messages if m["severity"] in {"error": ("error",), "warning": ("error", "warning"),
                                                      "notice": ("error", "warning", "notice")}[row.severity]]
    assert len(worse) == 1, f"{len(worse)} messages: {messages}"
    m = worse[0]
    line, column = place(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    found = (m["severity"], m["file"], m["line"], m["column"], m["field"], m["value"], m["object"])
    wanted = (row.severity, f"{root.etc}/{row.file}", line, column, row.field, row.value, row.object)
    assert found == wanted, f"{found}, not {wanted}: {m['reason']} ({m['hint']})"
    assert m["reason"]
    said = f"{m['reason']} ({m['hint']})"
    for word in row.words:
        assert word in said, f"no {word!r} in {said!r}"
    assert status == (3 if row.severity == "error" else 0), f"status {status}"
    assert err == "", err
    return m


def as_text(root, row, m):
    """FILE:LINE:COLUMN: error: FIELD 'VALUE': reason (hint)"""
    write(root, row.file, row.text.replace(MARK, ""))
    line, column = place(row.text)
    start = f"{root.etc}/{row.file}:{line}:{column}: {row.severity}: "
    what = m["reason"] + (f" ({m['hint']})" if m["hint"] else "")
    if row.value is None:
        wanted = start + (f"{row.field}: " if row.field else "") + what
    elif len(row.value) <= 60 and row.value.isprintable() and "\\" not in row.value:
        wanted = start + (f"{row.field} " if row.field else "") + f"'{row.value}': {what}"
    else:
        wanted = start + (f"{row.field} '" if row.field else "'")  # a long value is shown in part, and no raw bytes
    status, out, err = ctl("check", root.etc, *LOUD[row.severity])
    lines = [text for text in err.splitlines() if f": {row.severity}: " in text]
    assert len(lines) == 1, err
    assert lines[0] == wanted or (not wanted.endswith(what) and lines[0].startswith(wanted)), f"{lines[0]!r}, not {wanted!r}"
    assert status == (3 if row.severity == "error" else 0) and bool(out) == (status == 0), f"status {status}"
    if row.severity == "warning":
        assert "with warnings" in out, out
        status, _, err = ctl("check", root.etc, "--strict")
        assert status == 3 and lines[0] in err.splitlines(), f"--strict: status {status}: {err}"
    if row.severity == "notice":
        status, out, err = ctl("check", root.etc, "--strict")
        assert status == 0 and ": notice: " not in err, f"--strict without -v: status {status}: {err}"


def check_row(row):
    files = {CONF: NODE, SERVICES: None} | row.files
    with hosts.Root() as root:
        for name, text in files.items():
            if text is not None and name != row.file:
                write(root, name, text)
        if row.file == CONF:
            write(root, "svcroute.conf.d/00-node.conf", NODE)
        as_text(root, row, as_json(root, row))


def covers(names):
    """Each refusal of tests/golden/bad has a row, or stands among those that cannot be written in our files."""
    rows = {word for row in ROWS for word in row.id.split()}
    missing = []
    for path in sorted(glob.glob(f"{SOURCE}/tests/golden/bad/*.verdict")):
        name = os.path.basename(path).removesuffix(".verdict")
        if os.path.getsize(path) and name not in rows and name not in NO_COUNTERPART and not ADDRESS_TYPE.match(name):
            missing.append(name)
    assert not missing, f"no row for {missing}"
    needless = [name for name in NO_COUNTERPART if name in rows]
    assert not needless, needless
    ids = {row.id.split()[0] for row in ROWS + CLASHES}
    assert not names - ids, names - ids


WANTED = set("""S1 S2 S3 S10 S11 S12 S13 S14 S15 S16 S17 S19 S20 S21 S22 S30 S31 S32 S33 S34 S35 S36 S37 S38 S39 S40 S50 S51 S52
    S53 S56 S57 S58 S59 S61 S62 S64 S64a S70 S71 S72 S73 S74 S76 S77 S78 S79 E2 E6 E7 E8 E10 E11 E12 E13 E14 E15 E16 E17 E18 E19
    E20 E21 S4 S18 X1 X2 X3 X4 X7 X10 Y9 2.3 2.4 2.5 4.1 4.3 conf own key grammar""".split())


def main():
    t = Tap()
    with t.case("the table is complete"):
        assert len({row.id for row in ROWS}) == len(ROWS), collections.Counter(r.id for r in ROWS).most_common(3)
        covers(WANTED)
    for row in ROWS:
        with t.case(row.id):
            check_row(row)
    for row in CLASHES:
        for in_one_file in (False, True):
            with t.case(row.id + (" in one file" if in_one_file else "")):
                clash(row, in_one_file)
    counts = collections.Counter(row.severity for row in ROWS)
    print("# note: mistakes in our own files: " + ", ".join(f"{n} {what}s" for what, n in sorted(counts.items())))
    t.done()


main()
