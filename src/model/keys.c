/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The keys of services and endpoints: product sheet section 1. The readers find keys by these rows,
 * and the man pages print them. The order is that of the enumerations in reader.h.
 */
#include "base/cleanup.h"
#include "model/reader.h"

const struct key_row service_keys[] = {
	[KEY_NAME] = {"name", "\"namespace/name\" or \"name\"", "",
		      "name of the service, unique over all files; without a namespace it is in "
		      "\"default\""},
	[KEY_TYPE] = {"type", "ClusterIP, NodePort, LoadBalancer, ExternalName", "ClusterIP",
		      "which frontends the service has besides its cluster IP"},
	[KEY_CLUSTER_IP] =
		{"clusterIP", "address or \"None\"", "",
		 "address of the service; None makes it headless: listed and exported, but "
		 "without rules"},
	[KEY_CLUSTER_IPS] =
		{"clusterIPs", "list of one address a family, or of \"None\"", "",
		 "instead of clusterIP, for both families; the first is the primary one"},
	[KEY_PORTS] = {"ports", "list of groups", "", "ports of the service"},
	[KEY_EXTERNAL_IPS] = {"externalIPs", "list of addresses", "",
			      "more addresses at which the ports are served"},
	[KEY_LB_IPS] = {"loadBalancerIPs", "list of addresses or groups", "",
			"addresses of the load balancer in front (LoadBalancer only)"},
	[KEY_SOURCE_RANGES] = {"loadBalancerSourceRanges", "list of prefixes", "",
			       "who may use the loadBalancerIPs; without the list everyone"},
	[KEY_AFFINITY] = {"sessionAffinity", "None or ClientIP", "None",
			  "ClientIP: connections of a client go to one endpoint"},
	[KEY_AFFINITY_TIMEOUT] = {"sessionAffinityTimeoutSeconds", "number 1-86400", "10800",
				  "how long an endpoint is remembered for a client"},
	[KEY_EXTERNAL_POLICY] =
		{"externalTrafficPolicy", "Cluster or Local", "Cluster",
		 "Local: traffic from outside goes to endpoints of this node only and "
		 "keeps its source address"},
	[KEY_INTERNAL_POLICY] = {"internalTrafficPolicy", "Cluster or Local", "Cluster",
				 "Local: traffic to the cluster IP goes to endpoints of this node "
				 "only"},
	[KEY_HEALTH_CHECK_NODE_PORT] =
		{"healthCheckNodePort", "number in ServiceNodePortRange=", "none",
		 "port that tells load balancers whether this node has endpoints "
		 "(LoadBalancer with externalTrafficPolicy Local only)"},
	[KEY_PUBLISH_NOT_READY] = {"publishNotReadyAddresses", "true or false", "false",
				   "every endpoint counts as ready"},
	[KEY_DISTRIBUTION] = {"trafficDistribution", "PreferSameZone, PreferSameNode, PreferClose",
			      "none",
			      "prefer endpoints that are near; PreferClose is the old name of "
			      "PreferSameZone"},
	[KEY_EXTERNAL_NAME] = {"externalName", "DNS name", "",
			       "name that the service stands for (ExternalName only)"},
	[KEY_SCHEDULER] = {"scheduler",
			   "rr, wrr, lc, wlc, lblc, lblcr, sh, dh, sed, nq, mh, fo, ovf, twos",
			   "that of the settings", "how an endpoint is chosen in ipvs mode"},
	[KEY_SCHEDULER_FLAGS] = {"schedulerFlags", "list of fallback, port", "none",
				 "flags of the schedulers sh and mh"},
	[KEY_ON_REMOVAL] =
		{"onEndpointRemoval", "drain or cut", "drain",
		 "whether established TCP connections to a removed endpoint go on or are "
		 "cut"},
	[KEY_HEALTH_CHECK] = {"healthCheck", "group", "none", "active check of the endpoints"},
	[KEY_ENDPOINTS] = {"endpoints", "list of \"ip:port\" or groups", "",
			   "endpoints, besides those of endpoints.d"},
};
const size_t n_service_keys = ELEMENTSOF(service_keys);
_Static_assert(ELEMENTSOF(service_keys) == _SERVICE_KEY_MAX, "one row a key");

const struct key_row service_port_keys[] = {
	[PORT_NAME] = {"name", "DNS label", "", "needed when there is more than one port"},
	[PORT_PROTOCOL] = {"protocol", "TCP, UDP, SCTP", "TCP", "transport protocol"},
	[PORT_PORT] = {"port", "number 1-65535", "", "port at the addresses of the service"},
	[PORT_TARGET_PORT] = {"targetPort", "number 1-65535 or port name", "that of port",
			      "port of the endpoints, or the name of one of their ports"},
	[PORT_NODE_PORT] = {"nodePort", "number in ServiceNodePortRange=", "none",
			    "port at the addresses of this node (NodePort and LoadBalancer)"},
};
const size_t n_service_port_keys = ELEMENTSOF(service_port_keys);
_Static_assert(ELEMENTSOF(service_port_keys) == _SERVICE_PORT_KEY_MAX, "one row a key");

const struct key_row lb_ip_keys[] = {
	[LB_IP] = {"ip", "address", "", "address of the load balancer"},
	[LB_IP_MODE] = {"ipMode", "VIP or Proxy", "VIP",
			"Proxy: traffic to the address goes to the load balancer, not past it"},
};
const size_t n_lb_ip_keys = ELEMENTSOF(lb_ip_keys);
_Static_assert(ELEMENTSOF(lb_ip_keys) == _LB_IP_KEY_MAX, "one row a key");

const struct key_row health_check_keys[] = {
	[CHECK_KEY_TYPE] = {"type", "tcp, http, https, exec", "", "how to ask"},
	[CHECK_KEY_PORT] = {"port", "number 1-65535", "that of the endpoint", "port to ask at"},
	[CHECK_KEY_PATH] = {"path", "text that starts with /", "/", "path of the request"},
	[CHECK_KEY_HOST] = {"host", "text", "the address", "host name in the request"},
	[CHECK_KEY_EXPECT] = {"expect", "status codes and ranges, comma-separated", "200-399",
			      "status codes that mean healthy"},
	[CHECK_KEY_INTERVAL] = {"interval", "time of at least 1s", "that of the settings",
				"time between two checks"},
	[CHECK_KEY_TIMEOUT] = {"timeout", "time, at most interval", "that of the settings",
			       "how long an answer may take"},
	[CHECK_KEY_RISE] = {"rise", "number from 1", "that of the settings",
			    "good answers in a row that bring an endpoint back"},
	[CHECK_KEY_FALL] = {"fall", "number from 1", "that of the settings",
			    "bad answers in a row that take an endpoint out"},
	[CHECK_KEY_COMMAND] = {"command", "list, an absolute path first", "",
			       "program that asks, run as nobody (exec only)"},
};
const size_t n_health_check_keys = ELEMENTSOF(health_check_keys);
_Static_assert(ELEMENTSOF(health_check_keys) == _HEALTH_CHECK_KEY_MAX, "one row a key");

const struct key_row endpoint_keys[] = {
	[ENDPOINT_ADDRESS] = {"address", "address", "", "address of the endpoint"},
	[ENDPOINT_PORT] = {"port", "number 1-65535", "",
			   "its port, for all ports of the service (which must share one number)"},
	[ENDPOINT_PORTS] = {"ports", "list of groups", "those of the group",
			    "its ports by the names of the ports of the service"},
	[ENDPOINT_HOSTNAME] = {"hostname", "DNS label", "none",
			       "name of the endpoint, for exports"},
	[ENDPOINT_NODE] = {"node", "DNS name", "none",
			   "node that it runs on; that of NodeName= makes it local"},
	[ENDPOINT_ZONE] = {"zone", "label value", "none", "zone that it is in"},
	[ENDPOINT_FOR_ZONES] = {"forZones", "list of up to 8 zones", "from trafficDistribution",
				"zones whose clients should use it"},
	[ENDPOINT_FOR_NODES] = {"forNodes", "list of up to 8 nodes", "from trafficDistribution",
				"nodes whose clients should use it"},
	[ENDPOINT_WEIGHT] = {"weight", "number 0-65535", "1",
			     "share of new connections; 0 is none, established ones go on"},
	[ENDPOINT_TERMINATING] = {"terminating", "true or false", "false", "it is shutting down"},
	[ENDPOINT_READY] = {"ready", "true or false", "not terminating",
			    "it takes new connections"},
	[ENDPOINT_SERVING] = {"serving", "true or false", "true",
			      "it still answers; used when it is terminating and no endpoint is "
			      "ready"},
};
const size_t n_endpoint_keys = ELEMENTSOF(endpoint_keys);
_Static_assert(ELEMENTSOF(endpoint_keys) == _ENDPOINT_KEY_MAX, "one row a key");

const struct key_row endpoint_port_keys[] = {
	[EPORT_NAME] = {"name", "DNS label", "",
			"name of a port of the service, or of its targetPort"},
	[EPORT_PROTOCOL] = {"protocol", "TCP, UDP, SCTP", "TCP", "transport protocol"},
	[EPORT_PORT] = {"port", "number 1-65535", "", "port at the endpoint"},
};
const size_t n_endpoint_port_keys = ELEMENTSOF(endpoint_port_keys);
_Static_assert(ELEMENTSOF(endpoint_port_keys) == _ENDPOINT_PORT_KEY_MAX, "one row a key");

const struct key_row endpoint_group_keys[] = {
	[GROUP_SERVICE] = {"service", "\"namespace/name\" or \"name\"", "",
			   "service whose endpoints these are"},
	[GROUP_PORTS] = {"ports", "list of groups", "the targetPort of the service",
			 "ports of all endpoints of the group"},
	[GROUP_ENDPOINTS] = {"endpoints", "list of \"ip\", \"ip:port\" or groups", "",
			     "the endpoints"},
};
const size_t n_endpoint_group_keys = ELEMENTSOF(endpoint_group_keys);
_Static_assert(ELEMENTSOF(endpoint_group_keys) == _ENDPOINT_GROUP_KEY_MAX, "one row a key");
