/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Nodes and ServiceCIDRs: see import-row.h. */
#include "import-row.h"

static const struct import_row host_rows[] = {
	{"apiVersion: v1\n"
	 "kind: Node\n"
	 "metadata: {name: node-1}\n",
	 "",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "NodeName=node-1\n"
	 "NodeIP=\n"},
	{"apiVersion: v1\n"
	 "kind: Node\n"
	 "metadata: {name: node-1}\n"
	 "spec: {podCIDR: 10.1.0.0/24, podCIDRs: [10.1.0.0/24, \"fd00:1::/64\"]}\n"
	 "status: {addresses: [{type: Hostname, address: node-1}, {type: ExternalIP, address: "
	 "198.51.100.1}, {type: InternalIP, address: \"2001:db8::1\"}, {type: InternalIP, address: "
	 "\"2001:db8::2\"}]}\n",
	 "",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "NodeName=node-1\n"
	 "NodeIP=198.51.100.1 2001:db8::1\n"
	 "NodeCIDR=10.1.0.0/24 fd00:1::/64\n"},
	{"apiVersion: v1\n"
	 "kind: Node\n"
	 "metadata: {name: x}\n"
	 "spec: {podCIDR: 10.1.0.0/24}\n",
	 "",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "NodeName=x\n"
	 "NodeIP=\n"
	 "NodeCIDR=10.1.0.0/24\n"},
	{"apiVersion: v1\n"
	 "kind: Node\n"
	 "metadata: {name: node-1, labels: {topology.kubernetes.io/zone: z1}}\n",
	 "",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "NodeName=node-1\n"
	 "NodeIP=\n"
	 "Zone=z1\n"},
	{"apiVersion: v1\n"
	 "kind: Node\n"
	 "metadata: {name: node-1}\n"
	 "---\n"
	 "apiVersion: v1\n"
	 "kind: Node\n"
	 "metadata: {name: node-2}\n",
	 "5:1: error: is a second Node, and nothing says which one is this host (say which with "
	 "--node NAME)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Node\n"
	 "metadata: {name: node-1}\n"
	 "---\n"
	 "apiVersion: v1\n"
	 "kind: Node\n"
	 "metadata: {name: node-2}\n"
	 "---\n"
	 "apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "hostnameOverride: Node-2\n",
	 "",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "NodeName=node-2\n"
	 "NodeIP=\n"},
	{"apiVersion: v1\n"
	 "kind: Node\n"
	 "metadata: {name: node-1}\n"
	 "---\n"
	 "apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "hostnameOverride: node-3\n",
	 "1:1: warning: is not hostnameOverride 'node-3', ignored\n",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "NodeName=node-3\n"},
	{"apiVersion: v1\n"
	 "kind: Node\n"
	 "metadata: {name: Node_1}\n"
	 "spec: {podCIDRs: [10.1.0.0/33, 7], podCIDR: 10.2.0.0/24}\n"
	 "status: {addresses: [{type: InternalIP, address: 010.0.0.1}, {type: InternalIP, address: "
	 "host}]}\n",
	 "3:18: error: metadata.name 'Node_1': must be a DNS name: a-z, 0-9, '-' and '.', up to "
	 "253 bytes\n"
	 "5:50: error: status.addresses[0].address '010.0.0.1': must not have leading zeros\n"
	 "5:90: warning: status.addresses[1].address 'host': is no address, ignored\n"
	 "4:18: error: spec.podCIDRs: the first must be the podCIDR, which is '10.2.0.0/24'\n"
	 "4:19: error: spec.podCIDRs[0] '10.1.0.0/33': must have a decimal prefix length of at "
	 "most 32 (IPv4) or 128 (IPv6)\n"
	 "4:32: error: spec.podCIDRs[1] '7': must be a string, not a number\n",
	 ""},
	{"apiVersion: networking.k8s.io/v1\n"
	 "kind: ServiceCIDR\n"
	 "metadata: {name: kubernetes}\n"
	 "spec: {cidrs: [10.96.0.0/16, \"fd00:10:96::/108\"]}\n"
	 "---\n"
	 "apiVersion: networking.k8s.io/v1\n"
	 "kind: ServiceCIDR\n"
	 "metadata: {name: more}\n"
	 "spec: {cidrs: [10.97.0.0/16]}\n"
	 "status: {}\n",
	 "",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "ServiceCIDR=10.96.0.0/16 fd00:10:96::/108 10.97.0.0/16\n"},
	{"apiVersion: networking.k8s.io/v1\n"
	 "kind: ServiceCIDR\n"
	 "metadata: {name: kubernetes}\n"
	 "spec: {cidrs: [10.96.0.0/16]}\n"
	 "---\n"
	 "apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n",
	 "",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "ServiceCIDR=10.96.0.0/16\n"
	 "\n"
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
	{"apiVersion: networking.k8s.io/v1\n"
	 "kind: ServiceCIDR\n"
	 "metadata: {name: kubernetes}\n"
	 "spec: {cidrs: [10.97.0.0/16]}\n"
	 "---\n"
	 "apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n",
	 "10:14: error: spec.clusterIPs[0] '10.96.0.10': must lie in ServiceCIDR=10.97.0.0/16 "
	 "(choose another address, or change the setting)\n",
	 ""},
	{"apiVersion: networking.k8s.io/v1\n"
	 "kind: ServiceCIDR\n"
	 "metadata: {name: kubernetes}\n",
	 "1:1: error: spec.cidrs: must hold a prefix\n", ""},
	{"apiVersion: networking.k8s.io/v1\n"
	 "kind: ServiceCIDR\n"
	 "metadata: {name: kubernetes}\n"
	 "spec: {cidrs: [10.96.0.0/16, 10.97.0.0/16]}\n",
	 "4:15: error: spec.cidrs: must be one prefix, or two of different families\n", ""},
	{"apiVersion: networking.k8s.io/v1\n"
	 "kind: ServiceCIDR\n"
	 "metadata: {name: kubernetes}\n"
	 "spec: {cidrs: [10.96.0.1/16, 5]}\n",
	 "4:16: error: spec.cidrs[0] '10.96.0.1/16': must not have bits set behind the prefix "
	 "length\n"
	 "4:30: error: spec.cidrs[1] '5': must be a string, not a number\n",
	 ""},
};
