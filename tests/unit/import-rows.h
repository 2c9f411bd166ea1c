/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * Objects, what is told about them ("LINE:COLUMN: severity: ..."), and the files that are made,
 * each under a comment line with its name; none for what is refused.
 */
struct import_row {
	const char *objects, *messages, *files;
};

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
	 "clusterIP\n",
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
	 "of IPv6\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  clusterIPs: [10.96.0.10, None]\n",
	 "7:15: error: spec.clusterIPs: \"None\" must be the only entry\n", ""},
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
	 "5:14: error: spec.clusterIP '10': must be a string, not a number\n", ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: []\n",
	 "5:3: error: spec.ports: must have at least one port\n", ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: {port: 80}\n",
	 "6:10: error: spec.ports: must be a list, not a group\n", ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [80]\n",
	 "6:11: error: spec.ports[0] '80': must be a group, not a number\n", ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{name: a}]\n",
	 "6:11: error: spec.ports[0].port: must be set, in 1-65535\n", ""},
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
	 "this node has endpoints\n",
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
	 "1:1: error: spec.ports: must have at least one port\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: 5}\n"
	 "spec: []\n",
	 "3:18: error: metadata.name '5': must be a string, not a number (put it in quotes)\n"
	 "4:7: error: spec: must be a group, not a list\n"
	 "3:18: error: metadata.name '5': the name must not be empty\n"
	 "4:7: error: spec.clusterIP: needs an address, or \"None\" for a headless service "
	 "(svcroute never chooses an address by itself)\n"
	 "4:7: error: spec.ports: must have at least one port\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "spec: {clusterIP: None}\n",
	 "1:1: error: metadata.name '': the name must not be empty\n", ""},
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
	 "with a letter or digit at its ends\n"
	 "6:97: error: endpoints[0].hints.forZones[0].name '': must be 1 to 63 letters, digits, "
	 "'-', '_' and '.', with a letter or digit at its ends\n"
	 "6:136: error: endpoints[0].conditions.ready '1': must be true or false, not a number\n",
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
	 "(127.0.0.0/8, ::1)\n"
	 "5:38: error: subsets[0].addresses[1].ip 'x': must be a valid IP address\n"
	 "5:42: error: subsets[0].addresses[2].ip '': must be a valid IP address\n"
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

static const struct import_row match_rows[] = {
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80, name: web, targetPort: http}]\n"
	 "---\n"
	 "apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1]}]\n",
	 "6:45: warning: spec.ports[0].targetPort 'http': left out: the endpoints have a port of "
	 "this name, which kube-proxy would not use for this port of the service\n",
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
	 "\t{\n"
	 "\t\tname = \"default/web\";\n"
	 "\t\tclusterIP = \"10.96.0.10\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ name = \"web\"; port = 80; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80, name: web, targetPort: http, protocol: UDP}]\n"
	 "---\n"
	 "apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
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
	 "\t{\n"
	 "\t\tname = \"default/web\";\n"
	 "\t\tclusterIP = \"10.96.0.10\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ name = \"web\"; protocol = \"UDP\"; port = 80; targetPort = \"http\"; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  trafficDistribution: PreferSameZone\n"
	 "---\n"
	 "apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1], zone: z}]\n",
	 "7:24: warning: spec.trafficDistribution 'PreferSameZone': left out: the endpoints have "
	 "no hints, and kube-proxy goes by hints alone\n",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ name = \"http\"; port = 80; }\n"
	 "\t\t);\n"
	 "\t\tendpoints = (\n"
	 "\t\t\t{ address = \"10.1.0.1\"; zone = \"z\"; ready = true; serving = true; terminating "
	 "= false; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"
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
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  trafficDistribution: PreferSameZone\n"
	 "---\n"
	 "apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1], nodeName: node-1}, {addresses: [10.1.0.2], zone: z, "
	 "conditions: {ready: false}}, {addresses: [10.1.0.3], zone: z, hints: {forNodes: [{name: "
	 "node-1}]}}]\n",
	 "",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ name = \"http\"; port = 80; }\n"
	 "\t\t);\n"
	 "\t\tendpoints = (\n"
	 "\t\t\t{ address = \"10.1.0.1\"; node = \"node-1\"; ready = true; serving = true; "
	 "terminating = false; },\n"
	 "\t\t\t{ address = \"10.1.0.2\"; zone = \"z\"; ready = false; serving = true; terminating "
	 "= false; },\n"
	 "\t\t\t{\n"
	 "\t\t\t\taddress = \"10.1.0.3\";\n"
	 "\t\t\t\tzone = \"z\";\n"
	 "\t\t\t\tforNodes = [ \"node-1\" ];\n"
	 "\t\t\t\tready = true;\n"
	 "\t\t\t\tserving = true;\n"
	 "\t\t\t\tterminating = false;\n"
	 "\t\t\t}\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"
	 "\n"
	 "# services.d/default.web.cfg\n"
	 "services = (\n"
	 "\t{\n"
	 "\t\tname = \"default/web\";\n"
	 "\t\tclusterIP = \"10.96.0.10\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 80; }\n"
	 "\t\t);\n"
	 "\t\ttrafficDistribution = \"PreferSameZone\";\n"
	 "\t}\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  trafficDistribution: PreferSameNode\n"
	 "---\n"
	 "apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1], nodeName: node-1}]\n",
	 "7:24: warning: spec.trafficDistribution 'PreferSameNode': left out: the endpoints have "
	 "no hints, and kube-proxy goes by hints alone\n",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ name = \"http\"; port = 80; }\n"
	 "\t\t);\n"
	 "\t\tendpoints = (\n"
	 "\t\t\t{ address = \"10.1.0.1\"; node = \"node-1\"; ready = true; serving = true; "
	 "terminating = false; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"
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
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  publishNotReadyAddresses: true\n"
	 "---\n"
	 "apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
	 "addressType: IPv4\n"
	 "ports: [{name: http, port: 80}]\n"
	 "endpoints: [{addresses: [10.1.0.1], conditions: {ready: false}}]\n",
	 "7:29: warning: spec.publishNotReadyAddresses 'true': left out: some endpoints are not "
	 "ready, and kube-proxy goes by that alone\n",
	 "# endpoints.d/default.web.cfg\n"
	 "endpoints = (\n"
	 "\t{\n"
	 "\t\tservice = \"default/web\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ name = \"http\"; port = 80; }\n"
	 "\t\t);\n"
	 "\t\tendpoints = (\n"
	 "\t\t\t{ address = \"10.1.0.1\"; ready = false; serving = true; terminating = false; }\n"
	 "\t\t);\n"
	 "\t}\n"
	 ");\n"
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
	{"apiVersion: v1\n"
	 "kind: Service\n"
	 "metadata: {name: web}\n"
	 "spec:\n"
	 "  clusterIP: 10.96.0.10\n"
	 "  ports: [{port: 80}]\n"
	 "  publishNotReadyAddresses: true\n"
	 "---\n"
	 "apiVersion: discovery.k8s.io/v1\n"
	 "kind: EndpointSlice\n"
	 "metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}\n"
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
	 "\t{\n"
	 "\t\tname = \"default/web\";\n"
	 "\t\tclusterIP = \"10.96.0.10\";\n"
	 "\t\tports = (\n"
	 "\t\t\t{ port = 80; }\n"
	 "\t\t);\n"
	 "\t\tpublishNotReadyAddresses = true;\n"
	 "\t}\n"
	 ");\n"},
};

static const struct import_row config_rows[] = {
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n",
	 "", "# svcroute.conf\n"},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "mode: \"\"\n"
	 "iptables: {syncPeriod: 0s, minSyncPeriod: \"\"}\n"
	 "ipvs: {}\n"
	 "clusterCIDR: \"\"\n"
	 "nodePortAddresses: null\n"
	 "hostnameOverride: \"\"\n"
	 "conntrack: {maxPerCore: null}\n"
	 "logging: {format: \"\", verbosity: 0, options: {json: {}}}\n"
	 "enableProfiling: false\n",
	 "", "# svcroute.conf\n"},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "mode: ipvs\n"
	 "iptables: {syncPeriod: 1m0s, minSyncPeriod: 2s, masqueradeBit: 0}\n"
	 "ipvs: {syncPeriod: 10s, minSyncPeriod: 500ms, scheduler: wrr, excludeCIDRs: [10.0.0.0/8, "
	 "\"fd00::/8\"], strictARP: true, tcpTimeout: 15m0s, tcpFinTimeout: 0s, udpTimeout: "
	 "5m0s}\n",
	 "",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "Mode=ipvs\n"
	 "\n"
	 "[Sync]\n"
	 "SyncPeriod=10s\n"
	 "MinSyncPeriod=500ms\n"
	 "\n"
	 "[IPTables]\n"
	 "MasqueradeBit=0\n"
	 "\n"
	 "[IPVS]\n"
	 "Scheduler=wrr\n"
	 "ExcludeCIDRs=10.0.0.0/8 fd00::/8\n"
	 "StrictARP=yes\n"
	 "TCPTimeout=15m\n"
	 "UDPTimeout=5m\n"},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "mode: nftables\n"
	 "nftables: {syncPeriod: 1h30m, masqueradeBit: 5, masqueradeAll: true}\n"
	 "clusterCIDR: \"10.1.0.0/16,fd00:1::/64\"\n"
	 "nodePortAddresses: [primary, localhost, 192.0.2.0/24]\n"
	 "healthzBindAddress: 127.0.0.1\n"
	 "metricsBindAddress: \"[::1]:9000\"\n"
	 "bindAddressHardFail: true\n",
	 "",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "Mode=nftables\n"
	 "ClusterCIDR=10.1.0.0/16 fd00:1::/64\n"
	 "NodePortAddresses=primary localhost 192.0.2.0/24\n"
	 "\n"
	 "[Sync]\n"
	 "SyncPeriod=1h30m\n"
	 "\n"
	 "[NFTables]\n"
	 "MasqueradeAll=yes\n"
	 "MasqueradeBit=5\n"
	 "\n"
	 "[Health]\n"
	 "HealthzBindAddress=127.0.0.1\n"
	 "MetricsBindAddress=[::1]:9000\n"
	 "BindHardFail=yes\n"},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "conntrack: {maxPerCore: 0, min: 1000, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: "
	 "1h, tcpBeLiberal: true, udpTimeout: 30s, udpStreamTimeout: 0s}\n"
	 "featureGates: {AllowServiceExternalIPs: false, KubeProxyNFTablesLocalhostNodePorts: "
	 "true, Other: true}\n"
	 "oomScoreAdj: -999\n"
	 "configSyncPeriod: 15m0s\n"
	 "portRange: \"\"\n",
	 "4:98: notice: featureGates.Other 'true': has no counterpart here, ignored\n"
	 "5:14: notice: oomScoreAdj '-999': has no counterpart here, ignored\n"
	 "6:19: notice: configSyncPeriod '15m0s': has no counterpart here, ignored\n",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "AllowExternalIPs=no\n"
	 "\n"
	 "[NFTables]\n"
	 "LocalhostNodePorts=yes\n"
	 "\n"
	 "[Conntrack]\n"
	 "MaxPerCore=0\n"
	 "Min=1000\n"
	 "TCPEstablishedTimeout=0s\n"
	 "TCPCloseWaitTimeout=1h\n"
	 "TCPBeLiberal=yes\n"
	 "UDPTimeout=30s\n"},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "detectLocalMode: BridgeInterface\n"
	 "detectLocal: {bridgeInterface: cni0}\n"
	 "hostnameOverride: \" Node-1 \"\n"
	 "bindAddress: \"::\"\n",
	 "",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "NodeName=Node-1\n"
	 "DetectLocalMode=BridgeInterface\n"
	 "BridgeInterface=cni0\n"},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "bindAddress: 192.0.2.1\n",
	 "",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "NodeIP=192.0.2.1\n"},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "bindAddress: 192.0.2.1\n"
	 "---\n"
	 "apiVersion: v1\n"
	 "kind: Node\n"
	 "metadata: {name: node-1}\n"
	 "status: {addresses: [{type: InternalIP, address: 192.0.2.9}, {type: InternalIP, address: "
	 "\"2001:db8::9\"}]}\n",
	 "",
	 "# svcroute.conf\n"
	 "\n"
	 "[Proxy]\n"
	 "NodeName=node-1\n"
	 "NodeIP=192.0.2.1 2001:db8::9\n"},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "mode: userspace\n"
	 "detectLocalMode: None\n",
	 "3:7: error: mode 'userspace': must be iptables, ipvs or nftables\n"
	 "4:18: error: detectLocalMode 'None': must be ClusterCIDR, NodeCIDR, BridgeInterface or "
	 "InterfaceNamePrefix\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "mode: 5\n"
	 "metadata: {}\n"
	 "iptable: {}\n"
	 "ipvs: {sheduler: rr}\n",
	 "4:11: error: metadata: unknown field\n"
	 "5:10: error: iptable: unknown field (did you mean 'iptables'?)\n"
	 "3:7: error: mode '5': must be a string, not a number (put it in quotes)\n"
	 "6:18: error: ipvs.sheduler 'rr': unknown field (did you mean 'scheduler'?)\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "iptables: []\n"
	 "nodePortAddresses: primary\n"
	 "featureGates: {a: yes please}\n",
	 "5:19: error: featureGates.a 'yes please': must be true or false, not a string\n"
	 "3:11: error: iptables: must be a group, not a list\n"
	 "4:20: error: nodePortAddresses 'primary': must be a list, not a string\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "iptables: {syncPeriod: 30, minSyncPeriod: 5 s}\n"
	 "ipvs: {syncPeriod: -1s, tcpTimeout: 1d}\n"
	 "nftables: {minSyncPeriod: 31s}\n"
	 "configSyncPeriod: 1.5.5s\n",
	 "3:24: error: iptables.syncPeriod '30': must be a span of time in quotes, not a number "
	 "(such as \"30s\")\n"
	 "3:43: error: iptables.minSyncPeriod '5 s': must be a span of time such as 1h30m, 30s or "
	 "250ms\n"
	 "4:20: error: ipvs.syncPeriod '-1s': must not be negative\n"
	 "4:37: error: ipvs.tcpTimeout '1d': must be a span of time such as 1h30m, 30s or 250ms\n"
	 "6:19: error: configSyncPeriod '1.5.5s': must be a span of time such as 1h30m, 30s or "
	 "250ms\n"
	 "5:11: error: nftables.syncPeriod '': must not be less than minSyncPeriod, 31s\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "nftables: {masqueradeBit: 32}\n"
	 "conntrack: {min: -1, tcpCloseWaitTimeout: 1500ms}\n"
	 "oomScoreAdj: 1001\n"
	 "ipvs: {scheduler: best, excludeCIDRs: [\"10.0.0.0/8,11.0.0.0/8\", 10.0.0.1/8]}\n",
	 "6:19: error: ipvs.scheduler 'best': must be one of rr, wrr, lc, wlc, lblc, lblcr, sh, "
	 "dh, sed, nq, mh, fo, ovf, twos\n"
	 "6:40: error: ipvs.excludeCIDRs[0] '10.0.0.0/8,11.0.0.0/8': must have a decimal prefix "
	 "length of at most 32 (IPv4) or 128 (IPv6)\n"
	 "6:65: error: ipvs.excludeCIDRs[1] '10.0.0.1/8': must not have bits set behind the prefix "
	 "length\n"
	 "3:27: error: nftables.masqueradeBit '32': must lie in 0-31\n"
	 "5:14: error: oomScoreAdj '1001': must lie in -1000-1000\n"
	 "4:18: error: conntrack.min '-1': must lie in 0-2147483647\n"
	 "4:43: error: conntrack.tcpCloseWaitTimeout '1500ms': must be whole seconds: the kernel "
	 "counts in seconds\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "nodePortAddresses: [primary, primary, eth0, 192.0.2.1, PRIMARY]\n"
	 "healthzBindAddress: off\n"
	 "metricsBindAddress: \"off\"\n"
	 "bindAddress: 010.0.0.1\n"
	 "hostnameOverride: \"  \"\n",
	 "7:19: error: hostnameOverride '  ': must not be blank\n"
	 "6:14: error: bindAddress '010.0.0.1': must not have leading zeros\n"
	 "4:21: error: healthzBindAddress 'false': must be a string, not true or false (put it in "
	 "quotes)\n"
	 "5:21: error: metricsBindAddress 'off': must be IP:port\n"
	 "3:30: error: nodePortAddresses[1] 'primary': was given before\n"
	 "3:39: error: nodePortAddresses[2] 'eth0': must be a valid IP address (or primary, "
	 "localhost, all)\n"
	 "3:45: error: nodePortAddresses[3] '192.0.2.1': must have a prefix length, as in "
	 "10.0.0.0/8\n"
	 "3:56: error: nodePortAddresses[4] 'PRIMARY': must be a valid IP address (or primary, "
	 "localhost, all)\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "clusterCIDR: \"10.1.0.0/16, fd00::/64\"\n",
	 "3:14: error: clusterCIDR '10.1.0.0/16, fd00::/64': ' fd00::/64' must be a valid IP "
	 "address\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "clusterCIDR: 10.1.0.0/16,10.2.0.0/16\n",
	 "3:14: error: clusterCIDR '10.1.0.0/16,10.2.0.0/16': must be one prefix, or two of "
	 "different families\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "clusterCIDR: 10.1.0.0/16,fd00::/64,10.2.0.0/16\n",
	 "3:14: error: clusterCIDR '10.1.0.0/16,fd00::/64,10.2.0.0/16': must be one prefix, or two "
	 "of different families\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "clusterCIDR: 10.1.0.1/16\n",
	 "3:14: error: clusterCIDR '10.1.0.1/16': must not have bits set behind the prefix "
	 "length\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "detectLocalMode: BridgeInterface\n",
	 "1:1: error: detectLocal.bridgeInterface '': must be given with detectLocalMode "
	 "BridgeInterface\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "detectLocalMode: InterfaceNamePrefix\n"
	 "detectLocal: {interfaceNamePrefix: \"\"}\n",
	 "4:36: error: detectLocal.interfaceNamePrefix '': must be given with detectLocalMode "
	 "InterfaceNamePrefix\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "detectLocalMode: NodeCIDR\n",
	 "3:18: error: Proxy.NodeCIDR: must be set with DetectLocalMode=NodeCIDR (such as "
	 "NodeCIDR=10.1.0.0/24)\n",
	 ""},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n"
	 "---\n"
	 "apiVersion: kubeproxy.config.k8s.io/v1alpha1\n"
	 "kind: KubeProxyConfiguration\n",
	 "4:1: error: is a second KubeProxyConfiguration\n", ""},
};

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
	 "10:14: error: spec.clusterIPs[0] '10.96.0.10': must lie in ServiceCIDR=10.97.0.0/16\n",
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

static const struct import_row kinds_rows[] = {
	{"", "", ""},
	{"a", "1:1: error: 'a': must be a Kubernetes object, not a string\n", ""},
	{"[]", "1:1: error: must be a Kubernetes object, not a list\n", ""},
	{"{}", "1:1: error: kind '': must be given: is this a Kubernetes object?\n", ""},
	{"kind: Service",
	 "1:1: error: apiVersion '': must be given: is this a Kubernetes object?\n", ""},
	{"apiVersion: v1\n"
	 "kind: Pod\n"
	 "metadata: {name: x}\n",
	 "2:7: notice: kind 'Pod': objects of this kind are ignored\n", ""},
	{"apiVersion: serving.knative.dev/v1\n"
	 "kind: Service\n",
	 "2:7: notice: kind 'Service': objects of this kind are ignored\n", ""},
	{"apiVersion: discovery.k8s.io/v1beta1\n"
	 "kind: EndpointSlice\n",
	 "1:13: warning: apiVersion 'discovery.k8s.io/v1beta1': EndpointSlice of this version is "
	 "not read, ignored\n",
	 ""},
	{"apiVersion: v1\n"
	 "kind: 5\n",
	 "2:7: error: kind '5': must be a string, not a number (put it in quotes)\n", ""},
	{"apiVersion: v1\n"
	 "kind: List\n"
	 "items:\n"
	 "- apiVersion: v1\n"
	 "  kind: Service\n"
	 "  metadata: {name: a}\n"
	 "  spec: {clusterIP: 10.96.0.1, ports: [{port: 80, nodePort: 1}]}\n",
	 "7:61: error: spec.ports[0].nodePort '1': must not be set with type ClusterIP (use type = "
	 "\"NodePort\")\n",
	 ""},
	{"{\"apiVersion\": \"v1\", \"kind\": \"ServiceList\", \"items\": [\n"
	 "{\"metadata\": {\"name\": \"a\", \"namespace\": \"x\"}, \"spec\": {\"clusterIP\": "
	 "\"None\"}}]}",
	 "",
	 "# services.d/x.a.cfg\n"
	 "services = (\n"
	 "\t{ name = \"x/a\"; clusterIP = \"None\"; }\n"
	 ");\n"},
	{"apiVersion: v1\n"
	 "kind: List\n"
	 "items: [{kind: Service}]\n",
	 "3:9: error: apiVersion '': must be given: is this a Kubernetes object?\n", ""},
	{"apiVersion: v1\n"
	 "kind: List\n",
	 "", ""},
	{"apiVersion: v1\n"
	 "kind: List\n"
	 "items: 5\n",
	 "3:8: error: items '5': must be a list, not a number\n", ""},
	{"apiVersion: v1\n"
	 "kind: List\n"
	 "items: [5, null]\n",
	 "3:9: error: '5': must be a Kubernetes object, not a number\n"
	 "3:12: error: 'null': must be a Kubernetes object, not null\n",
	 ""},
	{"a: [",
	 "2:1: error: not YAML: while parsing a flow node, did not find expected node content\n",
	 ""},
	{"{\"a\": }", "1:7: error: not JSON: unexpected token near '}'\n", ""},
};
