/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/checks.h"

#include <errno.h>

#include "base/strbuf.h"

#define E DIAG_ERROR
#define W DIAG_WARNING
#define N DIAG_NOTICE

#define DID_YOU_MEAN "did you mean '{suggestion}'?"
#define LABEL "1 to 63 of a-z, 0-9 and '-', with no '-' at its ends"
#define SUBDOMAIN "a DNS name in lower case, of at most 253 characters"
#define ZONE "1 to 63 letters, digits, '-', '_' and '.', with a letter or digit at its ends"
#define ADDRESS_EXAMPLE "write it as in 10.96.0.10 or fd00::10"
#define RANGE_OF_PORTS "the range is that of ServiceNodePortRange="

/* clang-format off */
const struct check_row check_rows[] = {
[CHECK_F1_TYPE] = {"F1", ON_ANY, NULL, E, "must be {type}, not {found}", "{type} is written in {marks}"},
[CHECK_F2_UNKNOWN_KEY] = {"F2", ON_ANY, NULL, E, "unknown key", DID_YOU_MEAN},
[CHECK_F3_WHOLE_NUMBER] = {"F3", ON_ANY, NULL, E, "must be a whole number, not {found}",
	"write {number} without quotes"},
[CHECK_F4_TRUE_OR_FALSE] = {"F4", ON_ANY, NULL, E, "must be true or false, not {found}",
	"write true or false, without quotes"},

[CHECK_Y7_ADDRESS] = {"Y7", ON_ADDRESS, NULL, E, "must be a valid IP address", ADDRESS_EXAMPLE},
[CHECK_Y7_LEADING_ZERO] = {"Y7", ON_ADDRESS, NULL, E, "must not have leading zeros",
	DID_YOU_MEAN},
[CHECK_Y7_MAPPED] = {"Y7", ON_ADDRESS, NULL, E, "must not be an IPv4-mapped IPv6 address",
	"write the IPv4 address itself"},
[CHECK_Y7_ZONE] = {"Y7", ON_ADDRESS, NULL, E, "must not have a zone",
	"leave out what stands behind the address"},
[CHECK_Y7_HAS_PREFIX] = {"Y7", ON_ADDRESS, NULL, E,
	"must be a single address without a prefix length", "write the address alone"},
[CHECK_Y7_HAS_PORT] = {"Y7", ON_ADDRESS, NULL, E, "must be an address without a port",
	"write the address alone"},
[CHECK_Y7_BLANKS] = {"Y7", ON_ADDRESS, NULL, E, "must be a valid IP address",
	"there are blanks around it"},

[CHECK_F5_ENDPOINTS] = {"F5", ON_FILE, "endpoints", E,
	"does not belong into a file of services.d",
	"move it to endpoints.d, or into its service"},
[CHECK_F5_SERVICES] = {"F5", ON_FILE, "services", E,
	"does not belong into a file of endpoints.d", "move it to services.d"},

[CHECK_S1_MISSING] = {"S1", ON_SERVICE, "name", E, "must be set",
	"give it a name, such as \"default/web\""},
[CHECK_S1_EMPTY] = {"S1", ON_SERVICE, "name", E, "the name must not be empty",
	"give it a name, such as \"web\""},
[CHECK_S1_LABEL] = {"S1", ON_SERVICE, "name", E, "the name must be " LABEL, DID_YOU_MEAN},
[CHECK_S2_EMPTY] = {"S2", ON_SERVICE, "name", E, "the namespace must not be empty",
	"leave out the '/' for the namespace default"},
[CHECK_S2_LABEL] = {"S2", ON_SERVICE, "name", E, "the namespace must be " LABEL, DID_YOU_MEAN},
[CHECK_S3_SLASHES] = {"S3", ON_SERVICE, "name", E,
	"must be \"namespace/name\" or \"name\", with one '/'", "what stands before the '/' is the namespace"},
[CHECK_S10_TYPE] = {"S10", ON_SERVICE, "type", E, "must be {names}", DID_YOU_MEAN},
[CHECK_S11_ADDRESS] = {"S11", ON_SERVICE, "clusterIP", E,
	"must be a valid IP address or \"None\"", ADDRESS_EXAMPLE},
[CHECK_S11_NONE] = {"S11", ON_SERVICE, "clusterIP", E, "must be an IP address or \"None\"",
	"did you mean 'None'?"},
[CHECK_S15_NONE_TYPE] = {"S15", ON_SERVICE, "clusterIP", E,
	"must not be \"None\" with type {type}", "give it an address, or leave out type"},
[CHECK_S16_MISSING] = {"S16", ON_SERVICE, "clusterIP", E,
	"needs an address, or \"None\" for a headless service",
	"svcroute never chooses an address by itself"},
[CHECK_S17_KIND] = {"S17", ON_SERVICE, "clusterIP", E, "must not be {kind of address}",
	"choose an address that no host has, from a range of private use"},
[CHECK_S19_OUTSIDE] = {"S19", ON_SERVICE, "clusterIP", E, "must lie in ServiceCIDR={ranges}",
	"choose another address, or change the setting"},
[CHECK_S19_EDGE] = {"S19", ON_SERVICE, "clusterIP", E,
	"must not be the {first or last} address of ServiceCIDR={range}",
	"choose another address of the range"},
[CHECK_S20_CLUSTER_IP] = {"S20", ON_SERVICE, "clusterIP", E,
	"must not be set with type ExternalName, which has no address", "leave it out"},
[CHECK_S12_FIRST] = {"S12", ON_SERVICE, "clusterIPs", E,
	"the first must be equal to clusterIP, '{address}'", "leave out one of the two keys"},
[CHECK_S13_FAMILY] = {"S13", ON_SERVICE, "clusterIPs", E,
	"must have at most one address a family, and there are two of {family}",
	"more addresses can stand in externalIPs"},
[CHECK_S14_NONE_ALONE] = {"S14", ON_SERVICE, "clusterIPs", E, "\"None\" must be the only entry",
	"leave out \"None\", or the addresses"},
[CHECK_S30_NO_PORT] = {"S30", ON_SERVICE, "ports", E, "must have at least one port",
	"add an entry with a port number"},
[CHECK_S20_PORTS] = {"S20", ON_SERVICE, "ports", W,
	"is ignored: an ExternalName service has no frontends", "leave it out"},
[CHECK_S40_LOAD_BALANCER] = {"S40", ON_SERVICE, "ports", N,
	"a port without nodePort gets none: svcroute never chooses one", NULL},
[CHECK_S50_KIND] = {"S50", ON_SERVICE, "externalIPs", E, "must not be {kind of address}",
	"write an address that packets from outside can be sent to"},
[CHECK_S52_TWICE] = {"S52", ON_SERVICE, "externalIPs", W, "is listed twice and used once",
	"leave out one of the two"},
[CHECK_S53_EXTERNAL_IP] = {"S53", ON_SERVICE, "externalIPs", E,
	"must not be equal to the clusterIP of the service", "leave it out"},
[CHECK_S54_OFF] = {"S54", ON_SERVICE, "externalIPs", N, "is not used: AllowExternalIPs= is off",
	"set it to yes, or leave out externalIPs"},
[CHECK_S56_EXTERNAL_IP] = {"S56", ON_SERVICE, "externalIPs", N,
	"is not used: the service has no {family} clusterIP",
	"give the service one in clusterIPs"},
[CHECK_S20_EXTERNAL_IPS] = {"S20", ON_SERVICE, "externalIPs", W,
	"is ignored: an ExternalName service has no frontends", "leave it out"},
[CHECK_S79_EXTERNAL_IPS] = {"S79", ON_SERVICE, "externalIPs", W,
	"is ignored: a headless service has no frontends", "leave it out"},
[CHECK_S57_TYPE] = {"S57", ON_SERVICE, "loadBalancerIPs", E,
	"must be set only with type LoadBalancer", "use type LoadBalancer"},
[CHECK_S58_TWICE] = {"S58", ON_SERVICE, "loadBalancerIPs", W, "is listed twice and used once",
	"leave out one of the two"},
[CHECK_S53_LB_IP] = {"S53", ON_SERVICE, "loadBalancerIPs", E,
	"must not be equal to the clusterIP of the service", "leave it out"},
[CHECK_S56_LB_IP] = {"S56", ON_SERVICE, "loadBalancerIPs", N,
	"is not used: the service has no {family} clusterIP",
	"give the service one in clusterIPs"},
[CHECK_S61_ALSO_EXTERNAL] = {"S61", ON_SERVICE, "loadBalancerIPs", W,
	"is an external IP of the service, too: source ranges do not protect it",
	"take it out of externalIPs"},
[CHECK_S62_TYPE] = {"S62", ON_SERVICE, "loadBalancerSourceRanges", E,
	"must be set only with type LoadBalancer", "use type LoadBalancer"},
[CHECK_S62_PREFIX] = {"S62", ON_SERVICE, "loadBalancerSourceRanges", E,
	"must be a valid IP address", "write a prefix, such as 192.0.2.0/24"},
[CHECK_S62_LEADING_ZERO] = {"S62", ON_SERVICE, "loadBalancerSourceRanges", E,
	"must not have leading zeros", "write numbers without them"},
[CHECK_S62_MAPPED] = {"S62", ON_SERVICE, "loadBalancerSourceRanges", E,
	"must not be an IPv4-mapped IPv6 address", "write the IPv4 prefix itself"},
[CHECK_S62_ZONE] = {"S62", ON_SERVICE, "loadBalancerSourceRanges", E, "must not have a zone",
	"leave out what stands behind the address"},
[CHECK_S62_HAS_PORT] = {"S62", ON_SERVICE, "loadBalancerSourceRanges", E,
	"must be an address without a port", "write a prefix, such as 192.0.2.0/24"},
[CHECK_S62_NO_LENGTH] = {"S62", ON_SERVICE, "loadBalancerSourceRanges", E,
	"must have a prefix length, as in 10.0.0.0/8", DID_YOU_MEAN},
[CHECK_S62_BAD_LENGTH] = {"S62", ON_SERVICE, "loadBalancerSourceRanges", E,
	"must have a decimal prefix length of at most 32 (IPv4) or 128 (IPv6)",
	"write a prefix, such as 192.0.2.0/24"},
[CHECK_S62_HOST_BITS] = {"S62", ON_SERVICE, "loadBalancerSourceRanges", E,
	"must not have bits set behind the prefix length", DID_YOU_MEAN},
[CHECK_S64A_OPEN] = {"S64a", ON_SERVICE, "loadBalancerSourceRanges", E,
	"has no {family} range, so the {family} loadBalancerIPs would be open to everyone",
	"add a range of this family, or '{range of all}' to open it to all"},
[CHECK_S64_OVERLAP] = {"S64", ON_SERVICE, "loadBalancerSourceRanges", N,
	"'{range}' is part of '{other range}'", "the wider one is enough"},
[CHECK_S70_AFFINITY] = {"S70", ON_SERVICE, "sessionAffinity", E, "must be {names}",
	DID_YOU_MEAN},
[CHECK_S79_AFFINITY] = {"S79", ON_SERVICE, "sessionAffinity", W,
	"is ignored: a headless service has no frontends", "leave it out"},
[CHECK_S71_RANGE] = {"S71", ON_SERVICE, "sessionAffinityTimeoutSeconds", E,
	"must lie in {range}", "leave it out for 10800, three hours"},
[CHECK_S71_NONE] = {"S71", ON_SERVICE, "sessionAffinityTimeoutSeconds", W,
	"is ignored without session affinity", "set sessionAffinity = \"ClientIP\""},
[CHECK_S72_POLICY] = {"S72", ON_SERVICE, "externalTrafficPolicy", E, "must be {names}",
	DID_YOU_MEAN},
[CHECK_S72_LOCAL] = {"S72", ON_SERVICE, "externalTrafficPolicy", E,
	"must not be set for this service",
	"the service has no frontends for outside: it is neither NodePort nor LoadBalancer "
	"and has no externalIPs"},
[CHECK_S72_CLUSTER] = {"S72", ON_SERVICE, "externalTrafficPolicy", W, "has no effect",
	"the service has no frontends for outside: it is neither NodePort nor LoadBalancer "
	"and has no externalIPs"},
[CHECK_S73_POLICY] = {"S73", ON_SERVICE, "internalTrafficPolicy", E, "must be {names}",
	DID_YOU_MEAN},
[CHECK_S74_RANGE] = {"S74", ON_SERVICE, "healthCheckNodePort", E, "must lie in {range}",
	RANGE_OF_PORTS},
[CHECK_S74_TYPE] = {"S74", ON_SERVICE, "healthCheckNodePort", E,
	"must be set only with type LoadBalancer and externalTrafficPolicy Local",
	"leave it out"},
[CHECK_X4_OWN_PORT] = {"X4", ON_SERVICE, "healthCheckNodePort", E,
	"must not be the nodePort of a TCP port of the service", "choose another number"},
[CHECK_S74_MISSING] = {"S74", ON_SERVICE, "healthCheckNodePort", W,
	"is not set: load balancers cannot ask whether this node has endpoints",
	"set it to a free number of ServiceNodePortRange="},
[CHECK_S76_DISTRIBUTION] = {"S76", ON_SERVICE, "trafficDistribution", E, "must be {names}",
	DID_YOU_MEAN},
[CHECK_S76_OLD_NAME] = {"S76", ON_SERVICE, "trafficDistribution", W,
	"is the old name of PreferSameZone", "write PreferSameZone"},
[CHECK_S77_LOCAL] = {"S77", ON_SERVICE, "trafficDistribution", N,
	"has no effect on traffic whose policy is Local", NULL},
[CHECK_S21_MISSING] = {"S21", ON_SERVICE, "externalName", E,
	"must be set with type ExternalName", "add a name such as db.example.com"},
[CHECK_S21_NAME] = {"S21", ON_SERVICE, "externalName", E, "must be " SUBDOMAIN,
	"write it as in db.example.com"},
[CHECK_S21_ADDRESS] = {"S21", ON_SERVICE, "externalName", W,
	"is an address, but is used as a DNS name",
	"a service with this address as its endpoint can be reached by address"},
[CHECK_S22_TYPE] = {"S22", ON_SERVICE, "externalName", W,
	"is ignored without type ExternalName", "leave it out"},
[CHECK_K1_SCHEDULER] = {"K1", ON_SERVICE, "scheduler", E, "must be {names}", DID_YOU_MEAN},
[CHECK_K1_MODE] = {"K1", ON_SERVICE, "scheduler", W,
	"has no effect in {mode} mode, which chooses at random", "leave it out"},
[CHECK_K1_USERSPACE] = {"K1", ON_SERVICE, "scheduler", E,
	"userspace mode knows rr, wrr, lc, wlc, sh, mh, sed and nq", "choose one of these"},
[CHECK_K2_FLAG] = {"K2", ON_SERVICE, "schedulerFlags", E, "must be {names}", DID_YOU_MEAN},
[CHECK_K2_SCHEDULER] = {"K2", ON_SERVICE, "schedulerFlags", W,
	"has no effect with scheduler {scheduler}: only sh and mh have flags", "leave it out"},
[CHECK_K3_ON_REMOVAL] = {"K3", ON_SERVICE, "onEndpointRemoval", E, "must be {names}",
	DID_YOU_MEAN},
[CHECK_S20_ENDPOINTS] = {"S20", ON_SERVICE, "endpoints", W,
	"is ignored: an ExternalName service has no endpoints", "leave it out"},

[CHECK_S31_LABEL] = {"S31", ON_SERVICE_PORT, "name", E, "must be " LABEL, DID_YOU_MEAN},
[CHECK_S31_MISSING] = {"S31", ON_SERVICE_PORT, "name", E,
	"must be set when the service has more than one port",
	"give each port a name of its own, such as \"http\""},
[CHECK_S32_TWICE] = {"S32", ON_SERVICE_PORT, "name", E,
	"is the name of ports[{other}], too: names must be unique in a service",
	"give each port a name of its own"},
[CHECK_S33_PROTOCOL] = {"S33", ON_SERVICE_PORT, "protocol", E, "must be {names}", DID_YOU_MEAN},
[CHECK_S34_MISSING] = {"S34", ON_SERVICE_PORT, "port", E, "must be set, in 1-65535",
	"add the number at which clients connect"},
[CHECK_S34_RANGE] = {"S34", ON_SERVICE_PORT, "port", E, "must lie in {range}", NULL},
[CHECK_S35_TWICE] = {"S35", ON_SERVICE_PORT, NULL, E,
	"has the number and protocol of ports[{other}], {protocol} {number}",
	"leave out one of the two"},
[CHECK_S36_TYPE] = {"S36", ON_SERVICE_PORT, "targetPort", E,
	"must be a number or the name of a port, not {found}", "write a number, or a name in double quotes"},
[CHECK_S36_RANGE] = {"S36", ON_SERVICE_PORT, "targetPort", E, "must lie in {range}", "leave it out for the number of port"},
[CHECK_S36_NAME] = {"S36", ON_SERVICE_PORT, "targetPort", E,
	"must be a name of 1 to 15 of a-z, 0-9 and '-' with at least one letter, no \"--\" and "
	"no '-' at its ends", "write {number} without quotes"},
[CHECK_S37_TYPE] = {"S37", ON_SERVICE_PORT, "nodePort", E,
	"must not be set with type ClusterIP", "use type = \"NodePort\""},
[CHECK_S38_TWICE] = {"S38", ON_SERVICE_PORT, "nodePort", E,
	"is the nodePort of ports[{other}], too, with the same protocol",
	"choose another number"},
[CHECK_S39_RANGE] = {"S39", ON_SERVICE_PORT, "nodePort", E, "must lie in {range}",
	RANGE_OF_PORTS},
[CHECK_S40_MISSING] = {"S40", ON_SERVICE_PORT, "nodePort", E, "must be set with type NodePort",
	"{number} is the lowest that this file does not use"},
[CHECK_P23_NO_ENDPOINT] = {"2.3", ON_SERVICE_PORT, NULL, W,
	"none of the endpoints has a port for the service's port {port}",
	"give the endpoints a {protocol} port {name}"},

[CHECK_S58_FORM] = {"S58", ON_LB_IP, NULL, E, "must be an address or a group, not {found}",
	"write \"203.0.113.5\" or { ip = \"203.0.113.5\"; ipMode = \"Proxy\"; }"},
[CHECK_S58_MISSING] = {"S58", ON_LB_IP, "ip", E, "must be set", "add an address such as 203.0.113.5"},
[CHECK_S58_KIND] = {"S58", ON_LB_IP, "ip", E, "must not be {kind of address}",
	"write an address that packets from outside can be sent to"},
[CHECK_S59_MODE] = {"S59", ON_LB_IP, "ipMode", E, "must be {names}", DID_YOU_MEAN},

[CHECK_H1_MISSING] = {"H1", ON_HEALTH_CHECK, "type", E,
	"must be set to tcp, http, https or exec", "as in type = \"tcp\""},
[CHECK_H1_TYPE] = {"H1", ON_HEALTH_CHECK, "type", E, "must be {names}", DID_YOU_MEAN},
[CHECK_H2_UNUSED] = {"H2", ON_HEALTH_CHECK, NULL, W, "is ignored with type {type}",
	"leave it out"},
[CHECK_H3_PORT] = {"H3", ON_HEALTH_CHECK, "port", E, "must lie in {range}", "leave it out for the port of the endpoint"},
[CHECK_H4_PATH] = {"H4", ON_HEALTH_CHECK, "path", E, "must start with '/'",
	"write it as in /healthz"},
[CHECK_H4_TOKEN] = {"H4", ON_HEALTH_CHECK, "path", E,
	"must not have blanks or control characters", "write them as in %20"},
[CHECK_H5_TOKEN] = {"H5", ON_HEALTH_CHECK, "host", E,
	"must not have blanks or control characters", "write the name alone"},
[CHECK_H6_EXPECT] = {"H6", ON_HEALTH_CHECK, "expect", E,
	"must be status codes of 100-599 or ranges of them, such as \"200-299,304\"", NULL},
[CHECK_H7_TIME] = {"H7", ON_HEALTH_CHECK, "interval", E,
	"must be a time, such as \"5s\" or \"250ms\"", NULL},
[CHECK_H7_LONG] = {"H7", ON_HEALTH_CHECK, "interval", E,
	"must be a time that is not negative and not so long", "write it as in \"5s\""},
[CHECK_H7_SHORT] = {"H7", ON_HEALTH_CHECK, "interval", E, "must be at least 1s", "write \"1s\" or a longer time"},
[CHECK_H8_TIME] = {"H8", ON_HEALTH_CHECK, "timeout", E,
	"must be a time, such as \"5s\" or \"250ms\"", NULL},
[CHECK_H8_LONG] = {"H8", ON_HEALTH_CHECK, "timeout", E,
	"must be a time that is not negative and not so long", "write it as in \"5s\""},
[CHECK_H8_ZERO] = {"H8", ON_HEALTH_CHECK, "timeout", E, "must be more than 0s", "leave it out for that of the settings"},
[CHECK_H8_INTERVAL] = {"H8", ON_HEALTH_CHECK, "timeout", E,
	"must not be longer than the interval, which is {interval}",
	"make it shorter, or set a longer interval"},
[CHECK_H9_RISE] = {"H9", ON_HEALTH_CHECK, "rise", E, "must lie in {range}", "leave it out for that of the settings"},
[CHECK_H9_FALL] = {"H9", ON_HEALTH_CHECK, "fall", E, "must lie in {range}", "leave it out for that of the settings"},
[CHECK_H10_MISSING] = {"H10", ON_HEALTH_CHECK, "command", E,
	"must be set with type exec: a list, an absolute path first",
	"as in command = [ \"/usr/local/bin/check\", \"-q\" ]"},
[CHECK_H10_ABSOLUTE] = {"H10", ON_HEALTH_CHECK, "command", E, "must be an absolute path",
	"write the whole path, from '/' on"},

[CHECK_E2_MISSING] = {"E2", ON_GROUP, "service", E, "must be set to the name of a service",
	"add its name, such as \"default/web\""},
[CHECK_E2_EMPTY] = {"E2", ON_GROUP, "service", E, "the name must not be empty",
	"add its name, such as \"web\""},
[CHECK_E2_LABEL] = {"E2", ON_GROUP, "service", E, "the name must be " LABEL, DID_YOU_MEAN},
[CHECK_E2_NAMESPACE_EMPTY] = {"E2", ON_GROUP, "service", E, "the namespace must not be empty",
	"leave out the '/' for the namespace default"},
[CHECK_E2_NAMESPACE_LABEL] = {"E2", ON_GROUP, "service", E, "the namespace must be " LABEL,
	DID_YOU_MEAN},
[CHECK_E2_SLASHES] = {"E2", ON_GROUP, "service", E,
	"must be \"namespace/name\" or \"name\", with one '/'", "what stands before the '/' is the namespace"},
[CHECK_E2_NO_SERVICE] = {"E2", ON_GROUP, "service", W,
	"there is no such service: its endpoints are not used",
	"they are used when the service appears"},
[CHECK_E5_NONE] = {"E5", ON_GROUP, "endpoints", N, "is not set: the group has no endpoints",
	NULL},
[CHECK_E10_MANY] = {"E10", ON_GROUP, "ports", E, "must have at most {number} ports", "write several groups"},
[CHECK_P23_NO_PORT] = {"2.3", ON_GROUP, NULL, W,
	"no port of the service matches, so these endpoints are not used",
	"ports are matched by name and protocol"},

[CHECK_E6_FORM] = {"E6", ON_ENDPOINT, NULL, E, "must be \"ip:port\" or a group, not {found}",
	"write \"10.0.0.1:80\" or { address = \"10.0.0.1\"; }"},
[CHECK_E6_TEXT] = {"E6", ON_ENDPOINT, NULL, E, "must be a valid IP address",
	"write \"10.0.0.1:80\" or \"[fd00::1]:80\""},
[CHECK_E6_PORT] = {"E6", ON_ENDPOINT, NULL, E,
	"must have a port of 1-65535, as in 10.0.0.1:80 or [fd00::1]:80", NULL},
[CHECK_P23_WHICH_PORT] = {"2.3", ON_ENDPOINT, NULL, E,
	"which port? The service has several ports with different numbers",
	"write { address = \"{address}\"; ports = ( { name = \"{name}\"; port = {port}; }, "
	"... ); }"},
[CHECK_P24_READY] = {"2.4", ON_ENDPOINT, NULL, W,
	"is ready and terminating: it takes new connections",
	"leave out ready to let it run out"},
[CHECK_P25_DIFFERS] = {"2.5", ON_ENDPOINT, NULL, W,
	"is listed before with other properties: those of this entry count",
	"the other entry is at {place}"},
[CHECK_P25_TERMINATING] = {"2.5", ON_ENDPOINT, NULL, W,
	"is listed before with other properties, which count because this entry is terminating",
	"the other entry is at {place}"},
[CHECK_E21_LOOP] = {"E21", ON_ENDPOINT, NULL, E,
	"is an address and port of the service itself",
	"write the address of the host or pod that answers"},
[CHECK_E6_MISSING] = {"E6", ON_ENDPOINT, "address", E, "must be set",
	"add an address such as 10.0.0.1"},
[CHECK_E6_LIST] = {"E6", ON_ENDPOINT, "address", E, "must be one address, not a list",
	"write one entry an address"},
[CHECK_E7_KIND] = {"E7", ON_ENDPOINT, "address", E, "must not be {kind of address}",
	"write an address of the endpoint that other hosts can reach"},
[CHECK_E8_SPELLING] = {"E8", ON_ENDPOINT, "address", N, "is used and shown as '{address}'",
	NULL},
[CHECK_E13_RANGE] = {"E13", ON_ENDPOINT, "port", E, "must lie in {range}", NULL},
[CHECK_E10_BOTH] = {"E10", ON_ENDPOINT, "ports", E, "must not be set beside port",
	"leave out one of the two"},
[CHECK_E10_NONE] = {"E10", ON_ENDPOINT, "ports", E, "must have at least one port",
	"leave it out to have the ports of the group"},
[CHECK_E14_HOSTNAME] = {"E14", ON_ENDPOINT, "hostname", E, "must be " LABEL, DID_YOU_MEAN},
[CHECK_E15_NODE] = {"E15", ON_ENDPOINT, "node", E, "must be " SUBDOMAIN, DID_YOU_MEAN},
[CHECK_E16_ZONE] = {"E16", ON_ENDPOINT, "zone", E, "must be " ZONE, DID_YOU_MEAN},
[CHECK_E17_MANY] = {"E17", ON_ENDPOINT, "forZones", E, "must have at most {number} entries",
	"name the nearest ones"},
[CHECK_E17_TWICE] = {"E17", ON_ENDPOINT, "forZones", E, "is listed twice",
	"leave out one of the two"},
[CHECK_E17_ZONE] = {"E17", ON_ENDPOINT, "forZones", E, "must be " ZONE, DID_YOU_MEAN},
[CHECK_E18_MANY] = {"E18", ON_ENDPOINT, "forNodes", E, "must have at most {number} entries",
	"name the nearest ones"},
[CHECK_E18_TWICE] = {"E18", ON_ENDPOINT, "forNodes", E, "is listed twice",
	"leave out one of the two"},
[CHECK_E18_NODE] = {"E18", ON_ENDPOINT, "forNodes", E, "must be " SUBDOMAIN, DID_YOU_MEAN},
[CHECK_E20_RANGE] = {"E20", ON_ENDPOINT, "weight", E, "must lie in {range}", "weights of one service are compared with each other"},
[CHECK_E21_CHAIN] = {"E21", ON_ENDPOINT, NULL, W,
	"is an address and port of service '{service}' at {place}: services do not work in a chain",
	"write the endpoints of that service"},

[CHECK_E11_LABEL] = {"E11", ON_ENDPOINT_PORT, "name", E, "must be " LABEL, DID_YOU_MEAN},
[CHECK_E11_TWICE] = {"E11", ON_ENDPOINT_PORT, "name", E,
	"has the same name and protocol as ports[{other}]", "leave out one of the two"},
[CHECK_E12_PROTOCOL] = {"E12", ON_ENDPOINT_PORT, "protocol", E, "must be {names}",
	DID_YOU_MEAN},
[CHECK_E13_MISSING] = {"E13", ON_ENDPOINT_PORT, "port", E, "must be set, in 1-65535",
	"add the number at which the endpoint listens"},
[CHECK_E13_PORT_RANGE] = {"E13", ON_ENDPOINT_PORT, "port", E, "must lie in {range}", NULL},

[CHECK_S4_TWICE] = {"S4", ON_SERVICES, "name", E,
	"the service is defined twice, here and at {place}",
	"names are unique over all files: take one of the two out"},
[CHECK_X1_ADDRESS] = {"X1", ON_SERVICES, NULL, E,
	"is also claimed by service '{service}' ({key}) at {place}",
	"an address, port and protocol belongs to one service"},
[CHECK_X2_NODE_PORT] = {"X2", ON_SERVICES, NULL, E,
	"is also claimed by service '{service}' ({key}) at {place}",
	"a node port, with its protocol, belongs to one service"},
[CHECK_S18_SHARED] = {"S18", ON_SERVICES, "clusterIP", W,
	"is also the clusterIP of service '{service}' at {place}, with other ports",
	"Kubernetes gives each service an address of its own"},

[CHECK_X10_PORT] = {"X10", ON_HOST, NULL, E,
	"is the port of {setting} in the section [Health] of the settings",
	"choose another port for one of the two"},
[CHECK_X10_SETTING] = {"X10", ON_HOST, NULL, E,
	"its port is the {key} of service '{service}' at {place}",
	"choose another port for one of the two"},
[CHECK_S17_OWN] = {"S17", ON_HOST, "clusterIP", W,
	"is an address of this host, on {interface}: the service takes its ports",
	"choose an address that no host has"},
[CHECK_S17_ON_LINK] = {"S17", ON_HOST, "clusterIP", W,
	"lies in {network}, where {interface} is: a machine there may have it",
	"choose an address that no host has"},
[CHECK_S43_EPHEMERAL] = {"S43", ON_HOST, "nodePort", W,
	"of service '{service}' lies in {range}, the ports that this host gives to outgoing "
	"connections: some of those will break",
	"choose one outside, or add it to net.ipv4.ip_local_reserved_ports"},
[CHECK_S55_GATEWAY] = {"S55", ON_HOST, NULL, E,
	"is the default gateway of this host, on {interface}",
	"choose an address that no other machine has"},
[CHECK_S55_PEER] = {"S55", ON_HOST, NULL, E,
	"is the other end of the point-to-point link {interface}",
	"choose an address that no other machine has"},
[CHECK_S55_NEIGHBOUR] = {"S55", ON_HOST, NULL, W,
	"is a default gateway or the other end of a link of this host now, on {interface}",
	"choose an address that no other machine has"},
[CHECK_S55_ON_LINK] = {"S55", ON_HOST, NULL, W,
	"lies in {network}, where {interface} is, and is not an address of this host: a machine "
	"there may have it",
	"give the address to this host, or choose another one"},
[CHECK_S64B_OPEN] = {"S64b", ON_HOST, NULL, W,
	"stands for no {family} address: the {family} node ports of {services} are open on all of "
	"them",
	"add an {family} prefix or an interface, or write 'all' when that is meant"},
[CHECK_P43_ROUTER] = {"4.3", ON_HOST, NULL, W,
	"node ports answer only at {address}, on {interface}; that is often the outside of a "
	"router, and this one is on {interface} too",
	"name the interfaces that node ports are for, as in NodePortAddresses={interface}"},
[CHECK_X5_NODE_PORT] = {"X5", ON_HOST, NULL, W,
	"is also the {key} of service '{service}' at {place} on this address of the host, where it "
	"does not answer: this service comes first",
	"choose another port for one of the two"},
[CHECK_X8_OWN] = {"X8", ON_HOST, NULL, W,
	"is an address of this host, on {interface}: the service takes its ports there, all others "
	"stay the host's",
	"make sure that no program of the host needs them"},
[CHECK_X9_SOCKET] = {"X9", ON_HOST, "nodePort", W,
	"a program of this host has the port too, at {address}: what is sent there goes to the "
	"service",
	"choose another port for one of the two"},
[CHECK_C47_SOME] = {"1.7", ON_HOST, NULL, W,
	"{family} is off on this host: {services} are not served in it",
	"switch it on, or leave the {family} clusterIPs out"},
[CHECK_C47_NONE] = {"1.7", ON_HOST, "clusterIP", W,
	"{family} is off on this host: the service is not served",
	"give it a clusterIP of the other family"},
};
/* clang-format on */
_Static_assert(ELEMENTSOF(check_rows) == _CHECK_MAX, "one row a check");

const char *check_on_text(enum check_on on)
{
	static const char *const texts[_CHECK_ON_MAX] = {
		[ON_ANY] = "value",
		[ON_ADDRESS] = "address",
		[ON_FILE] = "file",
		[ON_SERVICE] = "service",
		[ON_SERVICE_PORT] = "service port",
		[ON_LB_IP] = "load balancer IP",
		[ON_HEALTH_CHECK] = "health check",
		[ON_GROUP] = "endpoint group",
		[ON_ENDPOINT] = "endpoint",
		[ON_ENDPOINT_PORT] = "endpoint port",
		[ON_SERVICES] = "several services",
		[ON_HOST] = "service and host",
	};

	return texts[on];
}

/* "{names}" at p: its end, or NULL when p is no word. A brace with other things behind it is
 * text. */
static const char *skip_word(const char *p)
{
	const char *end;

	if (*p != '{')
		return NULL;
	end = p + 1 + strspn(p + 1, "abcdefghijklmnopqrstuvwxyz ");
	return *end == '}' && p[1] != ' ' && end > p + 1 ? end + 1 : NULL;
}

size_t check_n_words(const char *text)
{
	size_t n = 0;

	for (const char *p = text ? text : ""; *p; p++)
		n += skip_word(p) != NULL;
	return n;
}

/* The pattern with the texts in place of its words. Returns how many were used. */
static size_t fill(const char *pattern, const char *const *texts, struct strbuf *out)
{
	size_t n = 0;

	while (*pattern) {
		const char *end = skip_word(pattern);

		if (end) {
			strbuf_add(out, texts[n++]);
			pattern = end;
		} else {
			strbuf_add_char(out, *pattern++);
		}
	}
	return n;
}

void check_tell_texts(struct diags *d, enum check check, const struct place *at, const char *object,
		      const char *field, const char *value, const char *const *texts,
		      size_t n_texts)
{
	const struct check_row *row = &check_rows[check];
	size_t n_reason = check_n_words(row->reason), before = d->n;
	_cleanup_strbuf_ struct strbuf reason = {0}, hint = {0};
	bool with_hint = row->hint != NULL;

	if (n_texts != n_reason + check_n_words(row->hint)) {
		d->error = -EINVAL;
		return;
	}
	for (size_t i = 0; i < n_texts; i++) {
		if (texts[i])
			continue;
		if (i < n_reason) {
			d->error = -EINVAL;
			return;
		}
		with_hint = false;
	}
	(void)fill(row->reason, texts, &reason);
	if (with_hint)
		(void)fill(row->hint, texts + n_reason, &hint);
	if (strbuf_error(&reason) < 0 || strbuf_error(&hint) < 0)
		d->error = -ENOMEM;
	diags_add(d, row->severity, at, object, field, value, with_hint ? strbuf_text(&hint) : NULL,
		  "%s", strbuf_text(&reason));
	if (d->n > before)
		d->items[d->n - 1].check = row;
}
