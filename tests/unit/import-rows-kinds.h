/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* What is an object, and lists of them: see import-row.h. */
#include "import-row.h"

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
