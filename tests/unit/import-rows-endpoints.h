/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Endpoints, the older kind: see import-row.h. */
#include "import-row.h"

static const struct import_row endpoints_rows[] = {
	{"apiVersion: v1\n"
	 "kind: Endpoints\n"
	 "metadata: {name: web}\n"
	 "subsets:\n"
	 "- addresses: [{ip: 10.1.0.1, nodeName: node-1}, {ip: \"fd00::1\", hostname: a}]\n"
	 "  notReadyAddresses: [{ip: 10.1.0.2}]\n"
	 "  ports: [{port: 80}]\n",
	 "",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 80; }\n"
	 "\t\t);\n"
	 "\t\tendpoints = (\n"
	 "\t\t\t{ address = \"10.1.0.1\"; node = \"node-1\"; ready = true; serving = true; "
	 "terminating = false; },\n"
	 "\t\t\t{ address = \"10.1.0.2\"; ready = false; serving = true; terminating = false; }\n"
	 "\t\t);\n"
	 "\t},\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 80; }\n"
	 "\t\t);\n"
	 "\t\tendpoints = (\n"
	 "\t\t\t{ address = \"fd00::1\"; hostname = \"a\"; ready = true; serving = true; "
	 "terminating = false; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Endpoints\n"
	 "metadata: {name: web}\n"
	 "subsets:\n"
	 "- addresses: [{ip: 10.1.0.1}]\n"
	 "  ports: [{port: 80, name: a}, {port: 81}]\n",
	 "6:32: error: subsets[0].ports[1].name '': must be given when there is more than one "
	 "port\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Endpoints\n"
	 "metadata: {name: web}\n"
	 "subsets:\n"
	 "- ports: [{port: 80}]\n"
	 "- {addresses: [{ip: 10.1.0.1}]}\n"
	 "- 5\n",
	 "5:3: error: subsets[0]: must have addresses or notReadyAddresses\n"
	 "6:3: warning: subsets[1]: has no ports: kube-proxy makes no endpoints of it\n"
	 "7:3: error: subsets[2] '5': must be a group, not a number\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Endpoints\n"
	 "metadata: {name: web}\n"
	 "subsets:\n"
	 "- {addresses: [{ip: 127.0.0.1}, {ip: x}, {}, {ip: 10.1.0.1, Ip: 1, nodeName: \"\"}], "
	 "ports: [{port: 0}]}\n",
	 "5:65: warning: subsets[0].addresses[3].Ip '1': unknown field, ignored (did you mean "
	 "'ip'?)\n"
	 "5:99: error: subsets[0].ports[0].port '0': must lie in 1-65535\n"
	 "5:21: error: subsets[0].addresses[0].ip '127.0.0.1': must not be a loopback address "
	 "(127.0.0.0/8, ::1) (write an address of the endpoint that other hosts can reach)\n"
	 "5:38: error: subsets[0].addresses[1].ip 'x': must be a valid IP address (write it as in "
	 "10.96.0.10 or fd00::10)\n"
	 "5:42: error: subsets[0].addresses[2].ip '': must be a valid IP address (write it as in "
	 "10.96.0.10 or fd00::10)\n"
	 "5:78: error: subsets[0].addresses[3].nodeName '': must be a DNS name in lower case, of "
	 "at most 253 characters\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Endpoints\n"
	 "metadata: {name: web}\n"
	 "subsets:\n"
	 "- {addresses: [{ip: 10.1.0.1}], ports: [{port: 80}]}\n"
	 "---\n"
	 "apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.9]}]\n",
	 "1:1: warning: the service has EndpointSlices, which count; ignored\n",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 80; }\n"
	 "\t\t);\n"
	 "\t\tendpoints = (\n"
	 "\t\t\t{ address = \"10.1.0.9\"; ready = true; serving = true; terminating = false; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Endpoints\n"
	 "metadata: {name: web, labels: {endpointslice.kubernetes.io/skip-mirror: \"true\"}}\n"
	 "subsets:\n"
	 "- {addresses: [{ip: 10.1.0.1}], ports: [{port: 80}]}\n",
	 "3:73: notice: metadata.labels[endpointslice.kubernetes.io/skip-mirror] 'true': Endpoints "
	 "with this are not seen by kube-proxy, ignored\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Endpoints\n"
	 "metadata: {name: web}\n",
	 "", ""},
};
