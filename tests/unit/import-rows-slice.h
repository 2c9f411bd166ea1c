/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* EndpointSlices: see import-row.h. */
#include "import-row.h"

static const struct import_row slice_rows[] = {
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80, protocol: UDP}, {port: 81}]\n"
	 "endpoints:\n"
	 "- addresses: [10.1.0.1]\n"
	 "- {addresses: [10.1.0.2], conditions: {ready: false, serving: false, terminating: true}, "
	 "hostname: a, nodeName: node-1, zone: z, hints: {forZones: [{name: z}], forNodes: [{name: "
	 "node-1}]}}\n",
	 "",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ name = \"http\"; protocol = \"UDP\"; port = 80; },\n"
	 "\t\t\t{ port = 81; }\n"
	 "\t\t);\n"
	 "\t\tendpoints = (\n"
	 "\t\t\t{ address = \"10.1.0.1\"; ready = true; serving = true; terminating = false; },\n"
	 "\t\t\t{\n"
	 "\t\t\t\taddress = \"10.1.0.2\";\n"
	 "\t\t\t\thostname = \"a\";\n"
	 "\t\t\t\tnode = \"node-1\";\n"
	 "\t\t\t\tzone = \"z\";\n"
	 "\t\t\t\tforZones = [ \"z\" ];\n"
	 "\t\t\t\tforNodes = [ \"node-1\" ];\n"
	 "\t\t\t\tready = false;\n"
	 "\t\t\t\tserving = false;\n"
	 "\t\t\t\tterminating = true;\n"
	 "\t\t\t}\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: \"\", port: 80}]\n"
	 "endpoints:\n"
	 "- {addresses: [10.1.0.1], conditions: {terminating: true}, zone: \"\", targetRef: {kind: "
	 "Pod}}\n",
	 "",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 80; }\n"
	 "\t\t);\n"
	 "\t\tendpoints = (\n"
	 "\t\t\t{ address = \"10.1.0.1\"; ready = true; serving = true; terminating = true; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: null\n",
	 "",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ name = \"http\"; port = 80; }\n"
	 "\t\t);\n"
	 "\t\tendpoints = ( );\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "endpoints: [{addresses: [10.1.0.1]}]\n",
	 "1:1: warning: has no ports: kube-proxy makes no endpoints of it\n",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = ( );\n"
	 "\t\tendpoints = (\n"
	 "\t\t\t{ address = \"10.1.0.1\"; ready = true; serving = true; terminating = false; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: []\n"
	 "endpoints: []\n",
	 "",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = ( );\n"
	 "\t\tendpoints = ( );\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1]}]\n",
	 "1:1: notice: belongs to no service (label kubernetes.io/service-name), ignored\n", ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0]}]\n",
	 "1:1: notice: belongs to no service (label kubernetes.io/service-name), ignored\n"
	 "6:26: error: endpoints[0].addresses[0] '10.1.0': must be a valid IP address\n",
	 ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: Web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1]}]\n",
	 "3:62: warning: metadata.labels[kubernetes.io/service-name] 'Web': no service can have "
	 "this name, ignored\n",
	 ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {service.kubernetes.io/service-proxy-name: x, "
	 "kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1]}]\n",
	 "3:76: notice: metadata.labels[service.kubernetes.io/service-proxy-name] 'x': is for "
	 "another proxy, ignored\n",
	 ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {service.kubernetes.io/headless: \"\", "
	 "kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1]}]\n",
	 "3:66: notice: metadata.labels[service.kubernetes.io/headless] '': kube-proxy does not "
	 "read slices with this label, ignored\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: None\n"
	 "---\n"
	 "apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {service.kubernetes.io/headless: \"\", "
	 "kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1]}]\n",
	 "",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ name = \"http\"; port = 80; }\n"
	 "\t\t);\n"
	 "\t\tendpoints = (\n"
	 "\t\t\t{ address = \"10.1.0.1\"; ready = true; serving = true; terminating = false; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"
	 "\n"
	 "# services.d/default.web.cfg\n"
	 "services = (\n"
	 "\t{ name = \"default/web\"; clusterIP = \"None\"; }\n"
	 ");\n"},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: Web_1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n",
	 "3:18: error: metadata.name 'Web_1': must be a DNS name: a-z, 0-9, '-' and '.', up to 253 "
	 "bytes\n",
	 ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {namespace: a.b, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n",
	 "3:11: error: metadata.name '': must not be empty\n"
	 "3:23: error: metadata.namespace 'a.b': must be a DNS label: a-z, 0-9 and '-', up to 63 "
	 "bytes\n",
	 ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "ports: [{name: http, port: 80}]\n",
	 "1:1: error: addressType '': must be given: IPv4 or IPv6\n", ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: FQDN\n"
	 "ports: [{name: http, port: 80}]\n",
	 "4:14: error: addressType 'FQDN': kube-proxy ignores slices of names: must be IPv4 or "
	 "IPv6\n",
	 ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: ipv4\n"
	 "ports: [{name: http, port: 80}]\n",
	 "4:14: error: addressType 'ipv4': must be IPv4 or IPv6\n", ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: 4\n"
	 "ports: [{name: http, port: 80}]\n",
	 "4:14: error: addressType '4': must be a string, not a number (put it in quotes)\n", ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1, 10.1.0.2]}]\n",
	 "6:25: warning: endpoints[0].addresses: kube-proxy uses the first address only, the "
	 "others are ignored\n",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ name = \"http\"; port = 80; }\n"
	 "\t\t);\n"
	 "\t\tendpoints = (\n"
	 "\t\t\t{ address = \"10.1.0.1\"; ready = true; serving = true; terminating = false; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1, 10.1.0.300, \"::1\"]}]\n",
	 "6:36: error: endpoints[0].addresses[1] '10.1.0.300': must be a valid IP address\n"
	 "6:25: error: endpoints[0].addresses: '::1' must be an IPv4 address, as addressType says\n"
	 "6:48: error: endpoints[0].addresses[2] '::1': must not be an unspecified, loopback or "
	 "link-local address\n"
	 "6:25: warning: endpoints[0].addresses: kube-proxy uses the first address only, the "
	 "others are ignored\n",
	 ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: []}, {}, {addresses: 10.1.0.1}, 5]\n",
	 "6:25: error: endpoints[0].addresses: must hold an address\n"
	 "6:30: error: endpoints[1].addresses: must hold an address\n"
	 "6:46: error: endpoints[2].addresses '10.1.0.1': must be a list, not a string\n"
	 "6:57: error: endpoints[3] '5': must be a group, not a number\n",
	 ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [5]}]\n",
	 "6:26: error: endpoints[0].addresses[0] '5': must be a string, not a number\n", ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv6\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [\"fd00:0::1\"]}, {addresses: [\"fe80::1\"]}]\n",
	 "6:26: error: endpoints[0].addresses[0] 'fd00:0::1': must be written 'fd00::1'\n"
	 "6:54: error: endpoints[1].addresses[0] 'fe80::1': must not be an unspecified, loopback "
	 "or link-local address\n"
	 "6:26: notice: endpoints[0].addresses[0] 'fd00:0::1': is used and shown as 'fd00::1'\n",
	 ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: dns, port: 53}, {name: dns, port: 53, protocol: UDP}]\n",
	 "5:39: error: ports[1].name 'dns': another port of the slice has this name\n", ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{port: 53}, {port: 53, protocol: UDP}]\n",
	 "5:21: error: ports[1].name '': another port of the slice has this name\n", ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: a, port: null}]\n",
	 "5:9: error: ports[0].port: must be given: kube-proxy makes nothing of a port that stands "
	 "for all\n",
	 ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: a, port: 1, protocol: tcp, appProtocol: \"\", x: 1}, 7]\n",
	 "5:63: warning: ports[0].x '1': unknown field, ignored\n"
	 "5:56: error: ports[0].appProtocol '': must be a name, or a DNS name, '/' and a name of "
	 "up to 63 letters, digits, '-', '_', '.'\n"
	 "5:67: error: ports[1] '7': must be a group, not a number\n"
	 "5:38: error: ports[0].protocol 'tcp': must be TCP, UDP or SCTP (did you mean 'TCP'?)\n",
	 ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1], hostname: \"\", nodeName: \"\", zone: \"a b\", "
	 "hints: {forZones: [{}], forNode: []}, conditions: {ready: 1, redy: true}}]\n",
	 "6:111: warning: endpoints[0].hints.forNode: unknown field, ignored (did you mean "
	 "'forNodes'?)\n"
	 "6:145: warning: endpoints[0].conditions.redy 'true': unknown field, ignored (did you "
	 "mean 'ready'?)\n"
	 "6:47: error: endpoints[0].hostname '': must be 1 to 63 of a-z, 0-9 and '-', with no '-' "
	 "at its ends\n"
	 "6:61: error: endpoints[0].nodeName '': must be a DNS name in lower case, of at most 253 "
	 "characters\n"
	 "6:71: error: endpoints[0].zone 'a b': must be 1 to 63 letters, digits, '-', '_' and '.', "
	 "with a letter or digit at its ends (did you mean 'a-b'?)\n"
	 "6:97: error: endpoints[0].hints.forZones[0].name '': must be 1 to 63 letters, digits, "
	 "'-', '_' and '.', with a letter or digit at its ends\n"
	 "6:136: error: endpoints[0].conditions.ready '1': must be true or false, not a number "
	 "(write true or false, without quotes)\n",
	 ""},
	{"apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "---\n"
	 "apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n",
	 "9:18: error: metadata.name 'web-1': was given before, at stdin:1\n", ""},
};
