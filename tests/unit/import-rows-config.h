/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* KubeProxyConfiguration: see import-row.h. */
#include "import-row.h"

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
