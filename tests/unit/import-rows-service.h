/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Services, and what is no service: see import-row.h. */
#include "import-row.h"

static const struct import_row service_rows[] = {
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80, name: \"\", protocol: \"\", targetPort: 0, nodePort: 0}]\n"
	 "  selector: {a: b}\n"
	 "  sessionAffinity: None\n",
	 "",
	 "# services.d/default.web.cfg\n"
	 "services = (\n"
	 "\t{\n"
	 "\t\tname = \"default/web\";\n"
	 "\t\tclusterIP = \"10.96.0.10\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 80; }\n"
	 "\t\t);\n"
	 "\t\tsessionAffinity = \"None\";\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 53, name: dns, protocol: UDP, targetPort: dns-udp, appProtocol: "
	 "kubernetes.io/h2c}, {port: 53, name: dns-tcp, targetPort: 5353}]\n",
	 "",
	 "# services.d/default.web.cfg\n"
	 "services = (\n"
	 "\t{\n"
	 "\t\tname = \"default/web\";\n"
	 "\t\tclusterIP = \"10.96.0.10\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ name = \"dns\"; protocol = \"UDP\"; port = 53; targetPort = \"dns-udp\"; },\n"
	 "\t\t\t{ name = \"dns-tcp\"; port = 53; targetPort = 5353; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIPs: [\"fd00::1\", 10.96.0.1]\n"
	 "  ipFamilies: [IPv6, IPv4]\n"
	 "  ipFamilyPolicy: PreferDualStack\n"
	 "  ports: [{port: 1}]\n",
	 "",
	 "# services.d/default.web.cfg\n"
	 "services = (\n"
	 "\t{\n"
	 "\t\tname = \"default/web\";\n"
	 "\t\tclusterIPs = [ \"fd00::1\", \"10.96.0.1\" ];\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 1; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: None\n"
	 "  clusterIPs: [None]\n"
	 "  ipFamilies: [IPv4]\n",
	 "",
	 "# services.d/default.web.cfg\n"
	 "services = (\n"
	 "\t{ name = \"default/web\"; clusterIP = \"None\"; }\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  type: ExternalName\n"
	 "  externalName: www.example.com.\n",
	 "",
	 "# services.d/default.web.cfg\n"
	 "services = (\n"
	 "\t{ name = \"default/web\"; type = \"ExternalName\"; externalName = "
	 "\"www.example.com.\"; }\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  externalIPs: [198.51.100.1, \"2001:DB8::1\"]\n"
	 "  externalTrafficPolicy: Local\n"
	 "  internalTrafficPolicy: Local\n",
	 "7:31: notice: spec.externalIPs[1] '2001:DB8::1': is not used: the service has no IPv6 "
	 "clusterIP (give the service one in clusterIPs)\n",
	 "# services.d/default.web.cfg\n"
	 "services = (\n"
	 "\t{\n"
	 "\t\tname = \"default/web\";\n"
	 "\t\tclusterIP = \"10.96.0.10\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 80; }\n"
	 "\t\t);\n"
	 "\t\texternalIPs = [ \"198.51.100.1\", \"2001:DB8::1\" ];\n"
	 "\t\texternalTrafficPolicy = \"Local\";\n"
	 "\t\tinternalTrafficPolicy = \"Local\";\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80, nodePort: 30080}]\n"
	 "  type: NodePort\n"
	 "  sessionAffinity: ClientIP\n"
	 "  sessionAffinityConfig: {clientIP: {timeoutSeconds: 7}}\n"
	 "  publishNotReadyAddresses: true\n"
	 "  trafficDistribution: PreferSameZone\n",
	 "",
	 "# services.d/default.web.cfg\n"
	 "services = (\n"
	 "\t{\n"
	 "\t\tname = \"default/web\";\n"
	 "\t\ttype = \"NodePort\";\n"
	 "\t\tclusterIP = \"10.96.0.10\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 80; nodePort = 30080; }\n"
	 "\t\t);\n"
	 "\t\tsessionAffinity = \"ClientIP\";\n"
	 "\t\tsessionAffinityTimeoutSeconds = 7;\n"
	 "\t\tpublishNotReadyAddresses = true;\n"
	 "\t\ttrafficDistribution = \"PreferSameZone\";\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  type: LoadBalancer\n"
	 "  ports: [{port: 80}]\n"
	 "  loadBalancerSourceRanges: [\" 198.51.100.0/24\\t\", 10.0.0.0/8]\n"
	 "  allocateLoadBalancerNodePorts: false\n"
	 "  loadBalancerClass: example.com/x\n"
	 "status:\n"
	 "  loadBalancer:\n"
	 "    ingress: [{ip: 203.0.113.1, ipMode: Proxy}, {ip: 203.0.113.2, hostname: "
	 "lb.example.com}]\n",
	 "13:77: notice: status.loadBalancer.ingress[1].hostname 'lb.example.com': no rules are "
	 "made for names, ignored\n"
	 "7:10: notice: spec.ports: a port without nodePort gets none: svcroute never chooses "
	 "one\n",
	 "# services.d/default.web.cfg\n"
	 "services = (\n"
	 "\t{\n"
	 "\t\tname = \"default/web\";\n"
	 "\t\ttype = \"LoadBalancer\";\n"
	 "\t\tclusterIP = \"10.96.0.10\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 80; }\n"
	 "\t\t);\n"
	 "\t\tloadBalancerIPs = (\n"
	 "\t\t\t{ ip = \"203.0.113.1\"; ipMode = \"Proxy\"; },\n"
	 "\t\t\t\"203.0.113.2\"\n"
	 "\t\t);\n"
	 "\t\tloadBalancerSourceRanges = [ \"198.51.100.0/24\", \"10.0.0.0/8\" ];\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  sessionAffinityConfig: {clientIP: {timeoutSeconds: 0}}\n"
	 "  sessionAffinity: \"\"\n"
	 "  type: \"\"\n"
	 "  externalTrafficPolicy: \"\"\n"
	 "  healthCheckNodePort: 0\n"
	 "  loadBalancerSourceRanges: []\n"
	 "  externalIPs: []\n"
	 "  externalName: \"\"\n"
	 "  internalTrafficPolicy: null\n",
	 "",
	 "# services.d/default.web.cfg\n"
	 "services = (\n"
	 "\t{\n"
	 "\t\tname = \"default/web\";\n"
	 "\t\tclusterIP = \"10.96.0.10\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 80; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  clusterIPs: [10.96.0.11]\n",
	 "7:15: error: spec.clusterIPs: the first must be the clusterIP, which is '10.96.0.10'\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  clusterIPs: [10.96.0.10, \"fd00::1\", \"fd00::2\"]\n",
	 "7:15: error: spec.clusterIPs: must have at most one address a family, and there are two "
	 "of IPv6 (more addresses can stand in externalIPs)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  clusterIPs: [10.96.0.10, None]\n",
	 "7:15: error: spec.clusterIPs: \"None\" must be the only entry (leave out \"None\", or "
	 "the addresses)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  ipFamilies: [IPv6]\n",
	 "5:14: error: spec.clusterIPs[0] '10.96.0.10': must be an IPv6 address, as ipFamilies "
	 "says\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  ipFamilies: [IPv4, IPv4]\n",
	 "7:22: error: spec.ipFamilies[1] 'IPv4': was given before\n", ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  ipFamilies: [IPv4, IPv6, IPv4]\n"
	 "  ipFamilyPolicy: RequireDualStack\n",
	 "7:15: error: spec.ipFamilies: must not be more than one of each family\n"
	 "8:19: warning: spec.ipFamilyPolicy 'RequireDualStack': the service has a cluster IP of "
	 "one family only, the other is not served\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  ipFamilies: [ipv4]\n"
	 "  ipFamilyPolicy: Dual\n",
	 "7:16: error: spec.ipFamilies[0] 'ipv4': must be IPv4 or IPv6\n"
	 "8:19: error: spec.ipFamilyPolicy 'Dual': must be SingleStack, PreferDualStack or "
	 "RequireDualStack\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  ipFamilies: [4]\n",
	 "7:16: error: spec.ipFamilies[0] '4': must be a string, not a number\n", ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  clusterIPs: [10.96.0.10, \"fd00::1\"]\n"
	 "  ipFamilyPolicy: SingleStack\n",
	 "8:19: error: spec.ipFamilyPolicy 'SingleStack': must not be SingleStack with two "
	 "families\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  type: ExternalName\n"
	 "  externalName: a.b\n"
	 "  ipFamilies: [IPv4]\n"
	 "  ipFamilyPolicy: SingleStack\n",
	 "7:15: error: spec.ipFamilies: must not be set with type ExternalName\n"
	 "8:19: error: spec.ipFamilyPolicy 'SingleStack': must not be set with type ExternalName\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: \"\"\n"
	 "  ports: [{port: 80}]\n",
	 "5:3: error: spec.clusterIP: needs an address, or \"None\" for a headless service "
	 "(svcroute never chooses an address by itself)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  ports: [{port: 80}]\n",
	 "5:3: error: spec.clusterIP: needs an address, or \"None\" for a headless service "
	 "(svcroute never chooses an address by itself)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10\n"
	 "  ports: [{port: 80}]\n",
	 "5:14: error: spec.clusterIP '10': must be a string, not a number (a string is written in "
	 "double quotes)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: []\n",
	 "5:3: error: spec.ports: must have at least one port (add an entry with a port number)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: {port: 80}\n",
	 "6:10: error: spec.ports: must be a list, not a group (a list is written in parentheses "
	 "or brackets)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [80]\n",
	 "6:11: error: spec.ports[0] '80': must be a group, not a number (a group is written in "
	 "braces)\n",
	 ""},
};
