/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Services, and what is no service: see import-row.h. */
#include "import-row.h"

static const struct import_row service_more_rows[] = {
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{name: a}]\n",
	 "6:11: error: spec.ports[0].port: must be set, in 1-65535 (add the number at which "
	 "clients connect)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: \"80\"}]\n",
	 "6:18: error: spec.ports[0].port '80': must be a whole number, not a string (write 80 "
	 "without quotes)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80, appProtocol: \"a/b/c\"}]\n",
	 "6:35: error: spec.ports[0].appProtocol 'a/b/c': must be a name, or a DNS name, '/' and a "
	 "name of up to 63 letters, digits, '-', '_', '.'\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80, appProtocol: 7, portt: 1}]\n",
	 "6:45: warning: spec.ports[0].portt '1': unknown field, ignored (did you mean 'port'?)\n"
	 "6:35: error: spec.ports[0].appProtocol '7': must be a string, not a number\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  type: NodePort\n",
	 "6:11: error: spec.ports[0].nodePort: must be set with type NodePort (30000 is the lowest "
	 "that this file does not use)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  type: LoadBalancer\n"
	 "  ports: [{port: 80}]\n"
	 "status:\n"
	 "  loadBalancer:\n"
	 "    ingress: [{hostname: lb.example.com}]\n",
	 "10:26: notice: status.loadBalancer.ingress[0].hostname 'lb.example.com': no rules are "
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
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  type: LoadBalancer\n"
	 "  ports: [{port: 80}]\n"
	 "status:\n"
	 "  loadBalancer:\n"
	 "    ingress: [{hostname: 203.0.113.1}]\n",
	 "10:26: error: status.loadBalancer.ingress[0].hostname '203.0.113.1': must be a DNS name, "
	 "not an address (write it as ip)\n"
	 "7:10: notice: spec.ports: a port without nodePort gets none: svcroute never chooses "
	 "one\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  type: LoadBalancer\n"
	 "  ports: [{port: 80}]\n"
	 "status:\n"
	 "  loadBalancer:\n"
	 "    ingress: [{hostname: \"a b\"}, {ipMode: VIP}, 5]\n",
	 "10:26: error: status.loadBalancer.ingress[0].hostname 'a b': must be a DNS name\n"
	 "10:43: error: status.loadBalancer.ingress[1].ipMode 'VIP': must not be set without ip\n"
	 "10:49: error: status.loadBalancer.ingress[2] '5': must be a group, not a number\n"
	 "7:10: notice: spec.ports: a port without nodePort gets none: svcroute never chooses "
	 "one\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "status:\n"
	 "  loadBalancer:\n"
	 "    ingress: [{ip: 203.0.113.1}]\n",
	 "9:14: error: status.loadBalancer.ingress: only a service of type LoadBalancer may have "
	 "it\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web, annotations: "
	 "{service.beta.kubernetes.io/load-balancer-source-ranges: \" 10.0.0.0/8, 11.0.0.0/8\"}}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  type: LoadBalancer\n"
	 "  ports: [{port: 80}]\n",
	 "3:93: warning: "
	 "metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges] ' "
	 "10.0.0.0/8, 11.0.0.0/8': kube-proxy does not read this annotation, ignored (write "
	 "spec.loadBalancerSourceRanges to have it enforced)\n"
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
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web, annotations: "
	 "{service.beta.kubernetes.io/load-balancer-source-ranges: \"10.0.0.0/8,\"}}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  type: LoadBalancer\n"
	 "  ports: [{port: 80}]\n",
	 "3:93: error: "
	 "metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges] "
	 "'10.0.0.0/8,': '' must be a valid IP address\n"
	 "7:10: notice: spec.ports: a port without nodePort gets none: svcroute never chooses "
	 "one\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web, annotations: "
	 "{service.beta.kubernetes.io/load-balancer-source-ranges: \"\"}}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n",
	 "3:93: error: "
	 "metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges] '': only a "
	 "service of type LoadBalancer may have it\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web, annotations: "
	 "{service.beta.kubernetes.io/load-balancer-source-ranges: \"x\"}}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  type: LoadBalancer\n"
	 "  ports: [{port: 80}]\n"
	 "  loadBalancerSourceRanges: [10.0.0.0/8]\n",
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
	 "\t\tloadBalancerSourceRanges = [ \"10.0.0.0/8\" ];\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  allocateLoadBalancerNodePorts: true\n"
	 "  loadBalancerClass: x\n"
	 "  loadBalancerIP: 203.0.113.1\n",
	 "7:34: error: spec.allocateLoadBalancerNodePorts 'true': only a service of type "
	 "LoadBalancer may have it\n"
	 "8:22: error: spec.loadBalancerClass 'x': only a service of type LoadBalancer may have "
	 "it\n"
	 "9:19: notice: spec.loadBalancerIP '203.0.113.1': kube-proxy does not use it, ignored; "
	 "what counts is status.loadBalancer\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  type: LoadBalancer\n"
	 "  ports: [{port: 80}]\n"
	 "  loadBalancerClass: \"-x\"\n",
	 "8:22: error: spec.loadBalancerClass '-x': must be a name, or a DNS name, '/' and a name "
	 "of up to 63 letters, digits, '-', '_', '.'\n"
	 "7:10: notice: spec.ports: a port without nodePort gets none: svcroute never chooses "
	 "one\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  externalTrafficPolicy: Cluster\n",
	 "7:26: error: spec.externalTrafficPolicy 'Cluster': only a service that is reachable from "
	 "outside may have it (NodePort, LoadBalancer, externalIPs)\n"
	 "7:26: warning: spec.externalTrafficPolicy 'Cluster': has no effect (the service has no "
	 "frontends for outside: it is neither NodePort nor LoadBalancer and has no externalIPs)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  internalTrafficPolicy: \"\"\n"
	 "  trafficDistribution: \"\"\n",
	 "7:26: error: spec.internalTrafficPolicy '': must be Cluster or Local\n"
	 "8:24: error: spec.trafficDistribution '': must be PreferSameZone, PreferSameNode or "
	 "PreferClose\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  type: LoadBalancer\n"
	 "  ports: [{port: 80}]\n"
	 "  externalTrafficPolicy: Local\n",
	 "7:10: notice: spec.ports: a port without nodePort gets none: svcroute never chooses one\n"
	 "5:3: warning: spec.healthCheckNodePort: is not set: load balancers cannot ask whether "
	 "this node has endpoints (set it to a free number of ServiceNodePortRange=)\n",
	 "# services.d/default.web.cfg\n"
	 "services = (\n"
	 "\t{\n"
	 "\t\tname = \"default/web\";\n"
	 "\t\ttype = \"LoadBalancer\";\n"
	 "\t\tclusterIP = \"10.96.0.10\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 80; }\n"
	 "\t\t);\n"
	 "\t\texternalTrafficPolicy = \"Local\";\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  clusterip: 10.96.0.11\n"
	 "  sessionAffinityConfig: {clientIp: {}}\n"
	 "stat: {}\n",
	 "9:7: warning: stat: unknown field, ignored\n"
	 "7:14: warning: spec.clusterip '10.96.0.11': unknown field, ignored (did you mean "
	 "'clusterIP'?)\n"
	 "8:37: warning: spec.sessionAffinityConfig.clientIp: unknown field, ignored (did you mean "
	 "'clientIP'?)\n",
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
	 "metadata: {name: web, Labels: {}, labels: {a: 1}}\n",
	 "3:31: warning: metadata.Labels: unknown field, ignored (did you mean 'labels'?)\n"
	 "3:47: error: metadata.labels.a '1': must be a string, not a number (put it in quotes)\n"
	 "1:1: error: spec.clusterIP: needs an address, or \"None\" for a headless service "
	 "(svcroute never chooses an address by itself)\n"
	 "1:1: error: spec.ports: must have at least one port (add an entry with a port number)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: 5}\n"
	 "spec: []\n",
	 "3:18: error: metadata.name '5': must be a string, not a number (put it in quotes)\n"
	 "4:7: error: spec: must be a group, not a list\n"
	 "3:18: error: metadata.name '5': the name must not be empty (give it a name, such as "
	 "\"web\")\n"
	 "4:7: error: spec.clusterIP: needs an address, or \"None\" for a headless service "
	 "(svcroute never chooses an address by itself)\n"
	 "4:7: error: spec.ports: must have at least one port (add an entry with a port number)\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "spec: {clusterIP: None}\n",
	 "1:1: error: metadata.name '': the name must not be empty (give it a name, such as "
	 "\"web\")\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web, labels: {service.kubernetes.io/service-proxy-name: \"\"}}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n",
	 "3:74: notice: metadata.labels[service.kubernetes.io/service-proxy-name] '': is for "
	 "another proxy, ignored\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "---\n"
	 "apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web, namespace: default}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.11\n"
	 "  ports: [{port: 80}]\n",
	 "10:18: error: metadata.name 'web': was given before, at stdin:1\n", ""},
};
