/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * Files in which something is wrong, at least one for each row of model/checks.c. A '@' stands
 * before the place that the message must give, and is not part of the text.
 */
#include "model/checks.h"
#include "model/settings.h"

struct check_input {
	enum check check;
	const char *services;  /* of services.d/1.cfg; NULL: none */
	const char *endpoints; /* of endpoints.d/2.cfg */
	const char *field;
	const char *object; /* NULL: none, as the name is not known */
};

/* A service, a service with good lines around what is tested, a port of it, an endpoint. */
#define SERVICE(body) "# one\nservices = (\n  " body "\n);\n"
#define GROUP(body) "# one\nendpoints = (\n  " body "\n);\n"
#define NAME "name = \"web\"; "
#define IP "clusterIP = \"10.96.0.10\"; "
#define PORTS "ports = ( { port = 80; } ); "
#define NODE_PORTS "type = \"NodePort\"; ports = ( { port = 80; nodePort = 30080; } ); "
#define LOAD_BALANCER \
	"type = \"LoadBalancer\"; " IP "ports = ( { port = 80; nodePort = 30080; } ); "
#define WEB(body) SERVICE("{ " NAME IP PORTS "\n    " body "\n  }")
#define HEADLESS(body) SERVICE("{ " NAME "clusterIP = \"None\"; " PORTS "\n    " body "\n  }")
#define EXTERNAL(body) \
	SERVICE("{ " NAME "type = \"ExternalName\"; externalName = \"a.b\";\n    " body "\n  }")
#define NODE_PORT(body) SERVICE("{ " NAME IP NODE_PORTS "\n    " body "\n  }")
#define BALANCED(body) SERVICE("{ " NAME LOAD_BALANCER "\n    " body "\n  }")
#define HEALTH(body) WEB("healthCheck = " body ";")
#define ENDPOINT(body) WEB("endpoints = (\n      " body "\n    );")
#define ENDPOINT_KEY(body) ENDPOINT("{ address = \"10.1.0.1\"; " body " }")

/* Most rows are told with the settings as they are by default. */
static void change_settings(enum check check, struct settings *s)
{
	switch (check) {
	case CHECK_S19_OUTSIDE:
	case CHECK_S19_EDGE:
		set(s, "Proxy.ServiceCIDR", "10.96.0.0/16");
		break;
	case CHECK_S54_OFF:
		s->allow_external_ips = false;
		break;
	case CHECK_K1_USERSPACE:
		s->mode = MODE_USERSPACE;
		break;
	case CHECK_X10_PORT:
	case CHECK_X10_SETTING:
		set(s, "Health.HealthzBindAddress", "0.0.0.0:30080");
		break;
	default:
		break;
	}
}

static const struct check_input check_inputs[] = {
	/* every value */
	{CHECK_F1_TYPE, SERVICE("{ name = @7; " IP PORTS " }"), NULL, "services[0].name", NULL},
	{CHECK_F1_TYPE, WEB("externalIPs = @\"198.51.100.1\";"), NULL, "services[0].externalIPs",
	 "default/web"},
	{CHECK_F1_TYPE, HEALTH("@\"tcp\""), NULL, "services[0].healthCheck", "default/web"},
	{CHECK_F1_TYPE, "services = @{ };", NULL, "services", NULL},
	{CHECK_F2_UNKNOWN_KEY, WEB("sesionAffinity = @\"ClientIP\";"), NULL,
	 "services[0].sesionAffinity", "default/web"},
	{CHECK_F2_UNKNOWN_KEY, SERVICE("{ " NAME IP "ports = ( { port = 80; nodePrt = @1; } ); }"),
	 NULL, "services[0].ports[0].nodePrt", "default/web"},
	{CHECK_F2_UNKNOWN_KEY, HEALTH("{ type = \"tcp\"; intervall = @\"5s\"; }"), NULL,
	 "services[0].healthCheck.intervall", "default/web"},
	{CHECK_F2_UNKNOWN_KEY,
	 BALANCED("loadBalancerIPs = ( { ip = \"203.0.113.5\"; mode = @\"VIP\"; } );"), NULL,
	 "services[0].loadBalancerIPs[0].mode", "default/web"},
	{CHECK_F2_UNKNOWN_KEY, ENDPOINT_KEY("wight = @2;"), NULL, "services[0].endpoints[0].wight",
	 "default/web"},
	{CHECK_F2_UNKNOWN_KEY, NULL,
	 GROUP("{ service = \"web\"; endponts = @( ); endpoints = ( ); }"), "endpoints[0].endponts",
	 "default/web"},
	{CHECK_F2_UNKNOWN_KEY, NULL,
	 GROUP("{ service = \"web\"; ports = ( { name = \"\"; Port = @80; } ); endpoints = ( ); }"),
	 "endpoints[0].ports[0].Port", "default/web"},
	{CHECK_F2_UNKNOWN_KEY, "service = @( );", NULL, "service", NULL},
	{CHECK_F3_WHOLE_NUMBER, SERVICE("{ " NAME IP "ports = ( { port = @\"80\"; } ); }"), NULL,
	 "services[0].ports[0].port", "default/web"},
	{CHECK_F3_WHOLE_NUMBER, ENDPOINT_KEY("weight = @1.5;"), NULL,
	 "services[0].endpoints[0].weight", "default/web"},
	{CHECK_F4_TRUE_OR_FALSE, ENDPOINT_KEY("ready = @\"yes\";"), NULL,
	 "services[0].endpoints[0].ready", "default/web"},
	{CHECK_F4_TRUE_OR_FALSE, WEB("publishNotReadyAddresses = @1;"), NULL,
	 "services[0].publishNotReadyAddresses", "default/web"},

	/* addresses */
	{CHECK_Y7_ADDRESS, WEB("externalIPs = [ @\"198.51.100\" ];"), NULL,
	 "services[0].externalIPs[0]", "default/web"},
	{CHECK_Y7_ADDRESS, WEB("externalIPs = [ @\"\" ];"), NULL, "services[0].externalIPs[0]",
	 "default/web"},
	{CHECK_Y7_LEADING_ZERO, WEB("externalIPs = [ @\"198.051.100.1\" ];"), NULL,
	 "services[0].externalIPs[0]", "default/web"},
	{CHECK_Y7_MAPPED, ENDPOINT("@\"::ffff:10.1.0.1\""), NULL, "services[0].endpoints[0]",
	 "default/web"},
	{CHECK_Y7_ZONE, ENDPOINT("{ address = @\"fe80::1%eth0\"; }"), NULL,
	 "services[0].endpoints[0].address", "default/web"},
	{CHECK_Y7_HAS_PREFIX, WEB("externalIPs = [ \"198.51.100.1\", @\"198.51.100.2/32\" ];"),
	 NULL, "services[0].externalIPs[1]", "default/web"},
	{CHECK_Y7_HAS_PORT, BALANCED("loadBalancerIPs = [ @\"[2001:db8::1]:80\" ];"), NULL,
	 "services[0].loadBalancerIPs[0]", "default/web"},
	{CHECK_Y7_BLANKS, WEB("externalIPs = [ @\" 198.51.100.1\" ];"), NULL,
	 "services[0].externalIPs[0]", "default/web"},

	/* lists of a file */
	{CHECK_F5_ENDPOINTS, "services = ( );\nendpoints = @( );", NULL, "endpoints", NULL},
	{CHECK_F5_SERVICES, NULL, "services = @( );", "services", NULL},

	/* a service */
	{CHECK_S1_MISSING, SERVICE("@{ " IP PORTS " }"), NULL, "services[0].name", NULL},
	{CHECK_S1_EMPTY, SERVICE("{ name = @\"shop/\"; " IP PORTS " }"), NULL, "services[0].name",
	 NULL},
	{CHECK_S1_LABEL, SERVICE("{ name = @\"shop/My_Web\"; " IP PORTS " }"), NULL,
	 "services[0].name", NULL},
	{CHECK_S2_EMPTY, SERVICE("{ name = @\"/web\"; " IP PORTS " }"), NULL, "services[0].name",
	 NULL},
	{CHECK_S2_LABEL, SERVICE("{ name = @\"-shop/web\"; " IP PORTS " }"), NULL,
	 "services[0].name", NULL},
	{CHECK_S3_SLASHES, SERVICE("{ name = @\"a/b/c\"; " IP PORTS " }"), NULL, "services[0].name",
	 NULL},
	{CHECK_S10_TYPE, WEB("type = @\"nodeport\";"), NULL, "services[0].type", "default/web"},
	{CHECK_S11_ADDRESS, SERVICE("{ " NAME "clusterIP = @\"auto\"; " PORTS " }"), NULL,
	 "services[0].clusterIP", "default/web"},
	{CHECK_S11_NONE, SERVICE("{ " NAME "clusterIP = @\"none\"; " PORTS " }"), NULL,
	 "services[0].clusterIP", "default/web"},
	{CHECK_S12_FIRST, WEB("clusterIPs = @[ \"10.96.0.11\" ];"), NULL, "services[0].clusterIPs",
	 "default/web"},
	{CHECK_S13_FAMILY, WEB("clusterIPs = @[ \"10.96.0.10\", \"10.96.0.11\" ];"), NULL,
	 "services[0].clusterIPs", "default/web"},
	{CHECK_S14_NONE_ALONE,
	 SERVICE("{ " NAME PORTS "clusterIPs = @[ \"10.96.0.10\", \"None\" ]; }"), NULL,
	 "services[0].clusterIPs", "default/web"},
	{CHECK_S15_NONE_TYPE, SERVICE("{ " NAME NODE_PORTS "clusterIP = @\"None\"; }"), NULL,
	 "services[0].clusterIP", "default/web"},
	{CHECK_S16_MISSING, SERVICE("@{ " NAME PORTS " }"), NULL, "services[0].clusterIP",
	 "default/web"},
	{CHECK_S17_KIND, SERVICE("{ " NAME PORTS "clusterIP = @\"127.0.0.1\"; }"), NULL,
	 "services[0].clusterIP", "default/web"},
	{CHECK_S19_OUTSIDE, SERVICE("{ " NAME PORTS "clusterIP = @\"10.97.0.1\"; }"), NULL,
	 "services[0].clusterIP", "default/web"},
	{CHECK_S19_EDGE, SERVICE("{ " NAME PORTS "clusterIP = @\"10.96.255.255\"; }"), NULL,
	 "services[0].clusterIP", "default/web"},
	{CHECK_S20_CLUSTER_IP, EXTERNAL("clusterIP = @\"10.96.0.10\";"), NULL,
	 "services[0].clusterIP", "default/web"},
	{CHECK_S20_PORTS, EXTERNAL("ports = @( { port = 80; } );"), NULL, "services[0].ports",
	 "default/web"},
	{CHECK_S20_EXTERNAL_IPS, EXTERNAL("externalIPs = @[ \"198.51.100.1\" ];"), NULL,
	 "services[0].externalIPs", "default/web"},
	{CHECK_S20_ENDPOINTS, EXTERNAL("endpoints = @[ \"10.1.0.1:80\" ];"), NULL,
	 "services[0].endpoints", "default/web"},
	{CHECK_S21_MISSING, SERVICE("@{ " NAME "type = \"ExternalName\"; }"), NULL,
	 "services[0].externalName", "default/web"},
	{CHECK_S21_NAME, SERVICE("{ " NAME "type = \"ExternalName\"; externalName = @\"a..b\"; }"),
	 NULL, "services[0].externalName", "default/web"},
	{CHECK_S21_ADDRESS,
	 SERVICE("{ " NAME "type = \"ExternalName\"; externalName = @\"10.0.0.1\"; }"), NULL,
	 "services[0].externalName", "default/web"},
	{CHECK_S22_TYPE, WEB("externalName = @\"a.b\";"), NULL, "services[0].externalName",
	 "default/web"},
	{CHECK_S30_NO_PORT, SERVICE("@{ " NAME IP "ports = ( ); }"), NULL, "services[0].ports",
	 "default/web"},
	{CHECK_S40_LOAD_BALANCER,
	 SERVICE("{ " NAME IP "type = \"LoadBalancer\"; ports = @( { port = 80; } ); }"), NULL,
	 "services[0].ports", "default/web"},
	{CHECK_S50_KIND, WEB("externalIPs = [ @\"224.0.0.1\" ];"), NULL,
	 "services[0].externalIPs[0]", "default/web"},
	{CHECK_S50_KIND, WEB("externalIPs = [ @\"240.0.0.1\" ];"), NULL,
	 "services[0].externalIPs[0]", "default/web"},
	{CHECK_S52_TWICE, WEB("externalIPs = [ \"198.51.100.1\", @\"198.51.100.1\" ];"), NULL,
	 "services[0].externalIPs[1]", "default/web"},
	{CHECK_S53_EXTERNAL_IP, WEB("externalIPs = [ @\"10.96.0.10\" ];"), NULL,
	 "services[0].externalIPs[0]", "default/web"},
	{CHECK_S54_OFF, WEB("externalIPs = @[ \"198.51.100.1\" ];"), NULL,
	 "services[0].externalIPs", "default/web"},
	{CHECK_S56_EXTERNAL_IP, WEB("externalIPs = [ @\"2001:db8::1\" ];"), NULL,
	 "services[0].externalIPs[0]", "default/web"},
	{CHECK_S79_EXTERNAL_IPS, HEADLESS("externalIPs = @[ \"198.51.100.1\" ];"), NULL,
	 "services[0].externalIPs", "default/web"},
	{CHECK_S79_AFFINITY, HEADLESS("sessionAffinity = @\"ClientIP\";"), NULL,
	 "services[0].sessionAffinity", "default/web"},
	{CHECK_S57_TYPE, WEB("loadBalancerIPs = @[ \"203.0.113.5\" ];"), NULL,
	 "services[0].loadBalancerIPs", "default/web"},
	{CHECK_S58_TWICE, BALANCED("loadBalancerIPs = [ \"203.0.113.5\", @\"203.0.113.5\" ];"),
	 NULL, "services[0].loadBalancerIPs[1]", "default/web"},
	{CHECK_S53_LB_IP, BALANCED("loadBalancerIPs = [ @\"10.96.0.10\" ];"), NULL,
	 "services[0].loadBalancerIPs[0]", "default/web"},
	{CHECK_S56_LB_IP, BALANCED("loadBalancerIPs = [ @\"2001:db8::1\" ];"), NULL,
	 "services[0].loadBalancerIPs[0]", "default/web"},
	{CHECK_S61_ALSO_EXTERNAL,
	 BALANCED("externalIPs = [ \"203.0.113.5\" ]; loadBalancerIPs = [ @\"203.0.113.5\" ];"),
	 NULL, "services[0].loadBalancerIPs[0]", "default/web"},
	{CHECK_S62_TYPE, WEB("loadBalancerSourceRanges = @[ \"192.0.2.0/24\" ];"), NULL,
	 "services[0].loadBalancerSourceRanges", "default/web"},
	{CHECK_S62_PREFIX, BALANCED("loadBalancerSourceRanges = [ @\"all\" ];"), NULL,
	 "services[0].loadBalancerSourceRanges[0]", "default/web"},
	{CHECK_S62_LEADING_ZERO, BALANCED("loadBalancerSourceRanges = [ @\"010.0.0.0/8\" ];"), NULL,
	 "services[0].loadBalancerSourceRanges[0]", "default/web"},
	{CHECK_S62_MAPPED, BALANCED("loadBalancerSourceRanges = [ @\"::ffff:10.0.0.0/104\" ];"),
	 NULL, "services[0].loadBalancerSourceRanges[0]", "default/web"},
	{CHECK_S62_ZONE, BALANCED("loadBalancerSourceRanges = [ @\"fe80::%eth0/64\" ];"), NULL,
	 "services[0].loadBalancerSourceRanges[0]", "default/web"},
	{CHECK_S62_HAS_PORT, BALANCED("loadBalancerSourceRanges = [ @\"10.0.0.0:80\" ];"), NULL,
	 "services[0].loadBalancerSourceRanges[0]", "default/web"},
	{CHECK_S62_NO_LENGTH, BALANCED("loadBalancerSourceRanges = [ @\"10.0.0.1\" ];"), NULL,
	 "services[0].loadBalancerSourceRanges[0]", "default/web"},
	{CHECK_S62_BAD_LENGTH, BALANCED("loadBalancerSourceRanges = [ @\"10.0.0.0/255.0.0.0\" ];"),
	 NULL, "services[0].loadBalancerSourceRanges[0]", "default/web"},
	{CHECK_S62_HOST_BITS, BALANCED("loadBalancerSourceRanges = [ @\"10.0.0.1/8\" ];"), NULL,
	 "services[0].loadBalancerSourceRanges[0]", "default/web"},
	{CHECK_S64A_OPEN,
	 BALANCED("loadBalancerIPs = [ \"203.0.113.5\" ];\n"
		  "loadBalancerSourceRanges = @[ \"2001:db8::/32\" ];"),
	 NULL, "services[0].loadBalancerSourceRanges", "default/web"},
	{CHECK_S64_OVERLAP,
	 BALANCED("loadBalancerSourceRanges = @[ \"10.1.0.0/16\", \"10.0.0.0/8\" ];"), NULL,
	 "services[0].loadBalancerSourceRanges", "default/web"},
	{CHECK_S70_AFFINITY, WEB("sessionAffinity = @\"none\";"), NULL,
	 "services[0].sessionAffinity", "default/web"},
	{CHECK_S71_RANGE,
	 WEB("sessionAffinity = \"ClientIP\"; sessionAffinityTimeoutSeconds = @86401;"), NULL,
	 "services[0].sessionAffinityTimeoutSeconds", "default/web"},
	{CHECK_S71_NONE, WEB("sessionAffinityTimeoutSeconds = @60;"), NULL,
	 "services[0].sessionAffinityTimeoutSeconds", "default/web"},
	{CHECK_S72_POLICY, NODE_PORT("externalTrafficPolicy = @\"local\";"), NULL,
	 "services[0].externalTrafficPolicy", "default/web"},
	{CHECK_S72_LOCAL, WEB("externalTrafficPolicy = @\"Local\";"), NULL,
	 "services[0].externalTrafficPolicy", "default/web"},
	{CHECK_S72_CLUSTER, WEB("externalTrafficPolicy = @\"Cluster\";"), NULL,
	 "services[0].externalTrafficPolicy", "default/web"},
	{CHECK_S73_POLICY, WEB("internalTrafficPolicy = @\"\";"), NULL,
	 "services[0].internalTrafficPolicy", "default/web"},
	{CHECK_S74_RANGE,
	 BALANCED("externalTrafficPolicy = \"Local\"; healthCheckNodePort = @10256;"), NULL,
	 "services[0].healthCheckNodePort", "default/web"},
	{CHECK_S74_TYPE, WEB("healthCheckNodePort = @30100;"), NULL,
	 "services[0].healthCheckNodePort", "default/web"},
	{CHECK_S74_MISSING,
	 SERVICE("@{ " NAME LOAD_BALANCER "externalTrafficPolicy = \"Local\"; }"), NULL,
	 "services[0].healthCheckNodePort", "default/web"},
	{CHECK_X4_OWN_PORT,
	 BALANCED("externalTrafficPolicy = \"Local\"; healthCheckNodePort = @30080;"), NULL,
	 "services[0].healthCheckNodePort", "default/web"},
	{CHECK_S76_DISTRIBUTION, WEB("trafficDistribution = @\"\";"), NULL,
	 "services[0].trafficDistribution", "default/web"},
	{CHECK_S76_OLD_NAME, WEB("trafficDistribution = @\"PreferClose\";"), NULL,
	 "services[0].trafficDistribution", "default/web"},
	{CHECK_S77_LOCAL,
	 WEB("internalTrafficPolicy = \"Local\"; trafficDistribution = @\"PreferSameNode\";"), NULL,
	 "services[0].trafficDistribution", "default/web"},
	{CHECK_K1_SCHEDULER, WEB("scheduler = @\"random\";"), NULL, "services[0].scheduler",
	 "default/web"},
	{CHECK_K1_MODE, WEB("scheduler = @\"sed\";"), NULL, "services[0].scheduler", "default/web"},
	{CHECK_K1_USERSPACE, WEB("scheduler = @\"ovf\";"), NULL, "services[0].scheduler",
	 "default/web"},
	{CHECK_K2_FLAG, WEB("scheduler = \"sh\"; schedulerFlags = [ @\"ports\" ];"), NULL,
	 "services[0].schedulerFlags[0]", "default/web"},
	{CHECK_K2_SCHEDULER, WEB("scheduler = \"rr\"; schedulerFlags = @[ \"port\" ];"), NULL,
	 "services[0].schedulerFlags", "default/web"},
	{CHECK_K3_ON_REMOVAL, WEB("onEndpointRemoval = @\"reset\";"), NULL,
	 "services[0].onEndpointRemoval", "default/web"},

/* a port of a service */
#define PORT(body) SERVICE("{ " NAME IP "ports = (\n    " body "\n  ); }")
#define PORT_OF_NODE(body) \
	SERVICE("{ " NAME IP "type = \"NodePort\"; ports = (\n    " body "\n  ); }")
	{CHECK_S31_LABEL, PORT("{ port = 80; name = @\"HTTP\"; }"), NULL,
	 "services[0].ports[0].name", "default/web"},
	{CHECK_S31_MISSING, PORT("{ port = 80; name = \"a\"; }, @{ port = 81; }"), NULL,
	 "services[0].ports[1].name", "default/web"},
	{CHECK_S32_TWICE,
	 PORT("{ port = 53; name = \"dns\"; },\n"
	      "{ port = 53; name = @\"dns\"; protocol = \"UDP\"; }"),
	 NULL, "services[0].ports[1].name", "default/web"},
	{CHECK_S33_PROTOCOL, PORT("{ port = 80; protocol = @\"tcp\"; }"), NULL,
	 "services[0].ports[0].protocol", "default/web"},
	{CHECK_S34_MISSING, PORT("@{ name = \"a\"; }"), NULL, "services[0].ports[0].port",
	 "default/web"},
	{CHECK_S34_RANGE, PORT("{ port = @65536; }"), NULL, "services[0].ports[0].port",
	 "default/web"},
	{CHECK_S34_RANGE, PORT("{ port = @0; }"), NULL, "services[0].ports[0].port", "default/web"},
	{CHECK_S35_TWICE, PORT("{ port = 80; name = \"a\"; }, @{ port = 80; name = \"b\"; }"), NULL,
	 "services[0].ports[1]", "default/web"},
	{CHECK_S36_TYPE, PORT("{ port = 80; targetPort = @true; }"), NULL,
	 "services[0].ports[0].targetPort", "default/web"},
	{CHECK_S36_RANGE, PORT("{ port = 80; targetPort = @-1; }"), NULL,
	 "services[0].ports[0].targetPort", "default/web"},
	{CHECK_S36_NAME, PORT("{ port = 80; targetPort = @\"8080\"; }"), NULL,
	 "services[0].ports[0].targetPort", "default/web"},
	{CHECK_S36_NAME, PORT("{ port = 80; targetPort = @\"web--admin\"; }"), NULL,
	 "services[0].ports[0].targetPort", "default/web"},
	{CHECK_S37_TYPE, PORT("{ port = 80; nodePort = @30080; }"), NULL,
	 "services[0].ports[0].nodePort", "default/web"},
	{CHECK_S38_TWICE,
	 PORT_OF_NODE("{ name = \"a\"; port = 80; nodePort = 30080; },\n"
		      "{ name = \"b\"; port = 81; nodePort = @30080; }"),
	 NULL, "services[0].ports[1].nodePort", "default/web"},
	{CHECK_S39_RANGE, PORT_OF_NODE("{ port = 80; nodePort = @8080; }"), NULL,
	 "services[0].ports[0].nodePort", "default/web"},
	{CHECK_S40_MISSING, PORT_OF_NODE("@{ port = 80; }"), NULL, "services[0].ports[0].nodePort",
	 "default/web"},
	{CHECK_P23_NO_ENDPOINT,
	 SERVICE("@{ " NAME IP "ports = ( { port = 80; targetPort = \"http\"; } );\n"
		 "    endpoints = [ \"10.1.0.1\" ]; }"),
	 NULL, "services[0].ports[0]", "default/web"},

/* an address of a load balancer */
#define LB_IP(body) BALANCED("loadBalancerIPs = (\n    " body "\n    );")
	{CHECK_S58_FORM, LB_IP("@5"), NULL, "services[0].loadBalancerIPs[0]", "default/web"},
	{CHECK_S58_MISSING, LB_IP("@{ ipMode = \"Proxy\"; }"), NULL,
	 "services[0].loadBalancerIPs[0].ip", "default/web"},
	{CHECK_S58_KIND, LB_IP("{ ip = @\"0.0.0.0\"; }"), NULL, "services[0].loadBalancerIPs[0].ip",
	 "default/web"},
	{CHECK_S58_KIND, LB_IP("@\"255.255.255.255\""), NULL, "services[0].loadBalancerIPs[0]",
	 "default/web"},
	{CHECK_S59_MODE, LB_IP("{ ip = \"203.0.113.5\"; ipMode = @\"vip\"; }"), NULL,
	 "services[0].loadBalancerIPs[0].ipMode", "default/web"},

	/* a health check */
	{CHECK_H1_MISSING, HEALTH("@{ port = 80; }"), NULL, "services[0].healthCheck.type",
	 "default/web"},
	{CHECK_H1_TYPE, HEALTH("{ type = @\"HTTP\"; }"), NULL, "services[0].healthCheck.type",
	 "default/web"},
	{CHECK_H2_UNUSED, HEALTH("{ type = \"tcp\"; path = @\"/\"; }"), NULL,
	 "services[0].healthCheck.path", "default/web"},
	{CHECK_H3_PORT, HEALTH("{ type = \"tcp\"; port = @0; }"), NULL,
	 "services[0].healthCheck.port", "default/web"},
	{CHECK_H4_PATH, HEALTH("{ type = \"http\"; path = @\"healthz\"; }"), NULL,
	 "services[0].healthCheck.path", "default/web"},
	{CHECK_H4_TOKEN, HEALTH("{ type = \"http\"; path = @\"/a b\"; }"), NULL,
	 "services[0].healthCheck.path", "default/web"},
	{CHECK_H5_TOKEN, HEALTH("{ type = \"http\"; host = @\"a b\"; }"), NULL,
	 "services[0].healthCheck.host", "default/web"},
	{CHECK_H6_EXPECT, HEALTH("{ type = \"http\"; expect = @\"200-\"; }"), NULL,
	 "services[0].healthCheck.expect", "default/web"},
	{CHECK_H7_TIME, HEALTH("{ type = \"tcp\"; interval = @\"soon\"; }"), NULL,
	 "services[0].healthCheck.interval", "default/web"},
	{CHECK_H7_LONG, HEALTH("{ type = \"tcp\"; interval = @\"-1s\"; }"), NULL,
	 "services[0].healthCheck.interval", "default/web"},
	{CHECK_H7_SHORT, HEALTH("{ type = \"tcp\"; interval = @\"999ms\"; }"), NULL,
	 "services[0].healthCheck.interval", "default/web"},
	{CHECK_H8_TIME, HEALTH("{ type = \"tcp\"; timeout = @\"\"; }"), NULL,
	 "services[0].healthCheck.timeout", "default/web"},
	{CHECK_H8_LONG, HEALTH("{ type = \"tcp\"; timeout = @\"-5s\"; }"), NULL,
	 "services[0].healthCheck.timeout", "default/web"},
	{CHECK_H8_ZERO, HEALTH("{ type = \"tcp\"; timeout = @\"0s\"; }"), NULL,
	 "services[0].healthCheck.timeout", "default/web"},
	{CHECK_H8_INTERVAL, HEALTH("{ type = \"tcp\"; interval = \"2s\"; timeout = @\"3s\"; }"),
	 NULL, "services[0].healthCheck.timeout", "default/web"},
	{CHECK_H9_RISE, HEALTH("{ type = \"tcp\"; rise = @0; }"), NULL,
	 "services[0].healthCheck.rise", "default/web"},
	{CHECK_H9_FALL, HEALTH("{ type = \"tcp\"; fall = @1001; }"), NULL,
	 "services[0].healthCheck.fall", "default/web"},
	{CHECK_H10_MISSING, HEALTH("@{ type = \"exec\"; }"), NULL,
	 "services[0].healthCheck.command", "default/web"},
	{CHECK_H10_ABSOLUTE, HEALTH("{ type = \"exec\"; command = [ @\"true\" ]; }"), NULL,
	 "services[0].healthCheck.command[0]", "default/web"},

	/* a group of endpoints */
	{CHECK_E2_MISSING, NULL, GROUP("@{ endpoints = ( ); }"), "endpoints[0].service", NULL},
	{CHECK_E2_EMPTY, NULL, GROUP("{ service = @\"shop/\"; endpoints = ( ); }"),
	 "endpoints[0].service", NULL},
	{CHECK_E2_LABEL, NULL, GROUP("{ service = @\"my.web\"; endpoints = ( ); }"),
	 "endpoints[0].service", NULL},
	{CHECK_E2_NAMESPACE_EMPTY, NULL, GROUP("{ service = @\"/web\"; endpoints = ( ); }"),
	 "endpoints[0].service", NULL},
	{CHECK_E2_NAMESPACE_LABEL, NULL, GROUP("{ service = @\"A_/web\"; endpoints = ( ); }"),
	 "endpoints[0].service", NULL},
	{CHECK_E2_SLASHES, NULL, GROUP("{ service = @\"a/b/c\"; endpoints = ( ); }"),
	 "endpoints[0].service", NULL},
	{CHECK_E2_NO_SERVICE, NULL, GROUP("{ service = @\"wep\"; endpoints = ( \"10.1.0.1\" ); }"),
	 "endpoints[0].service", "default/wep"},
	{CHECK_E5_NONE, NULL, GROUP("@{ service = \"web\"; }"), "endpoints[0].endpoints",
	 "default/web"},
	{CHECK_P23_NO_PORT, SERVICE("{ " NAME IP PORTS "endpoints = [ \"10.1.0.1:80\" ]; }"),
	 GROUP("@{ service = \"web\"; ports = ( { name = \"x\"; port = 80; } );\n"
	       "    endpoints = [ \"10.1.0.2\" ]; }"),
	 "endpoints[0]", "default/web"},

	/* an endpoint */
	{CHECK_E6_FORM, ENDPOINT("@80"), NULL, "services[0].endpoints[0]", "default/web"},
	{CHECK_E6_TEXT, ENDPOINT("@\"web1:80\""), NULL, "services[0].endpoints[0]", "default/web"},
	{CHECK_E6_PORT, ENDPOINT("@\"10.1.0.1:0\""), NULL, "services[0].endpoints[0]",
	 "default/web"},
	{CHECK_E6_TEXT, ENDPOINT("@\"[fd00::1]\""), NULL, "services[0].endpoints[0]",
	 "default/web"},
	{CHECK_E6_MISSING, ENDPOINT("@{ port = 80; }"), NULL, "services[0].endpoints[0].address",
	 "default/web"},
	{CHECK_E6_LIST, ENDPOINT("{ address = @[ \"10.1.0.1\", \"10.1.0.2\" ]; }"), NULL,
	 "services[0].endpoints[0].address", "default/web"},
	{CHECK_E7_KIND, ENDPOINT("@\"127.0.0.1:80\""), NULL, "services[0].endpoints[0]",
	 "default/web"},
	{CHECK_E7_KIND, ENDPOINT("{ address = @\"fe80::1\"; }"), NULL,
	 "services[0].endpoints[0].address", "default/web"},
	{CHECK_E8_SPELLING, ENDPOINT("@\"FD00::1\""), NULL, "services[0].endpoints[0]",
	 "default/web"},
	{CHECK_E13_RANGE, ENDPOINT_KEY("port = @70000;"), NULL, "services[0].endpoints[0].port",
	 "default/web"},
	{CHECK_E10_BOTH, ENDPOINT_KEY("port = 80; ports = @( { port = 80; } );"), NULL,
	 "services[0].endpoints[0].ports", "default/web"},
	{CHECK_E10_NONE, ENDPOINT_KEY("ports = @( );"), NULL, "services[0].endpoints[0].ports",
	 "default/web"},
	{CHECK_E14_HOSTNAME, ENDPOINT_KEY("hostname = @\"a.b\";"), NULL,
	 "services[0].endpoints[0].hostname", "default/web"},
	{CHECK_E15_NODE, ENDPOINT_KEY("node = @\"\";"), NULL, "services[0].endpoints[0].node",
	 "default/web"},
	{CHECK_E16_ZONE, ENDPOINT_KEY("zone = @\"a b\";"), NULL, "services[0].endpoints[0].zone",
	 "default/web"},
#define NINE "[ \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\" ]"
	{CHECK_E17_MANY, ENDPOINT_KEY("forZones = @" NINE ";"), NULL,
	 "services[0].endpoints[0].forZones", "default/web"},
	{CHECK_E17_TWICE, ENDPOINT_KEY("forZones = [ \"a\", @\"a\" ];"), NULL,
	 "services[0].endpoints[0].forZones[1]", "default/web"},
	{CHECK_E17_ZONE, ENDPOINT_KEY("forZones = [ @\"\" ];"), NULL,
	 "services[0].endpoints[0].forZones[0]", "default/web"},
	{CHECK_E18_MANY, ENDPOINT_KEY("forNodes = @" NINE ";"), NULL,
	 "services[0].endpoints[0].forNodes", "default/web"},
	{CHECK_E18_TWICE, ENDPOINT_KEY("forNodes = [ \"a\", @\"a\" ];"), NULL,
	 "services[0].endpoints[0].forNodes[1]", "default/web"},
	{CHECK_E18_NODE, ENDPOINT_KEY("forNodes = [ @\"Node_1\" ];"), NULL,
	 "services[0].endpoints[0].forNodes[0]", "default/web"},
	{CHECK_E20_RANGE, ENDPOINT_KEY("weight = @-1;"), NULL, "services[0].endpoints[0].weight",
	 "default/web"},
	{CHECK_P23_WHICH_PORT,
	 SERVICE("{ " NAME IP
		 "ports = ( { name = \"a\"; port = 80; }, { name = \"b\"; port = 81; } );\n"
		 "    endpoints = [ @\"10.1.0.1:8080\" ]; }"),
	 NULL, "services[0].endpoints[0]", "default/web"},
	{CHECK_P24_READY,
	 ENDPOINT("@{ address = \"10.1.0.1\"; ready = true; terminating = true; }"), NULL,
	 "services[0].endpoints[0]", "default/web"},
	{CHECK_P25_DIFFERS, ENDPOINT("\"10.1.0.1:80\", @{ address = \"10.1.0.1\"; weight = 2; }"),
	 NULL, "services[0].endpoints[1]", "default/web"},
	{CHECK_P25_TERMINATING,
	 ENDPOINT("\"10.1.0.1:80\", @{ address = \"10.1.0.1\"; terminating = true; }"), NULL,
	 "services[0].endpoints[1]", "default/web"},
	{CHECK_E21_LOOP, ENDPOINT("@\"10.96.0.10:80\""), NULL, "services[0].endpoints[0]",
	 "default/web"},
	{CHECK_E21_CHAIN,
	 SERVICE("{ name = \"other\"; clusterIP = \"10.96.0.11\"; " PORTS " },\n"
		 "{ " NAME IP PORTS "endpoints = [ @\"10.96.0.11:80\" ]; }"),
	 NULL, "services[1].endpoints[0]", "default/web"},

/* a port of endpoints */
#define ENDPOINT_PORT(body) \
	GROUP("{ service = \"web\"; endpoints = ( ); ports = (\n    " body " ); }")
	{CHECK_E11_LABEL, NULL, ENDPOINT_PORT("{ name = @\"a_b\"; port = 80; }"),
	 "endpoints[0].ports[0].name", "default/web"},
	{CHECK_E11_TWICE, NULL,
	 ENDPOINT_PORT("{ name = \"a\"; port = 80; }, { name = @\"a\"; port = 81; }"),
	 "endpoints[0].ports[1].name", "default/web"},
	{CHECK_E11_TWICE, NULL, ENDPOINT_PORT("{ port = 80; }, @{ port = 81; }"),
	 "endpoints[0].ports[1]", "default/web"},
	{CHECK_E12_PROTOCOL, NULL, ENDPOINT_PORT("{ protocol = @\"DCCP\"; port = 80; }"),
	 "endpoints[0].ports[0].protocol", "default/web"},
	{CHECK_E13_MISSING, NULL, ENDPOINT_PORT("@{ name = \"a\"; }"), "endpoints[0].ports[0].port",
	 "default/web"},
	{CHECK_E13_PORT_RANGE, NULL, ENDPOINT_PORT("{ port = @-5; }"), "endpoints[0].ports[0].port",
	 "default/web"},

	/* between several */
	{CHECK_S4_TWICE,
	 SERVICE("{ " NAME IP PORTS " },\n  { name = @\"web\"; clusterIP = \"10.96.0.11\"; " PORTS
		 " }"),
	 NULL, "services[1].name", "default/web"},
	{CHECK_X1_ADDRESS,
	 SERVICE("{ " NAME IP PORTS " },\n  { name = \"b\"; clusterIP = @\"10.96.0.10\"; " PORTS
		 " }"),
	 NULL, "services[1].clusterIP", "default/b"},
	{CHECK_X1_ADDRESS,
	 SERVICE("{ " NAME IP PORTS " },\n  { name = \"b\"; clusterIP = \"10.96.0.11\";\n"
		 "    externalIPs = [ @\"10.96.0.10\" ]; " PORTS " }"),
	 NULL, "services[1].externalIPs[0]", "default/b"},
	{CHECK_X2_NODE_PORT,
	 SERVICE("{ " NAME IP NODE_PORTS " },\n"
		 "  { name = \"b\"; clusterIP = \"10.96.0.11\"; type = \"NodePort\";\n"
		 "    ports = ( { port = 80; nodePort = @30080; } ); }"),
	 NULL, "services[1].ports[0].nodePort", "default/b"},
	{CHECK_X2_NODE_PORT,
	 SERVICE("{ " NAME IP NODE_PORTS " },\n"
		 "  { name = \"b\"; clusterIP = \"10.96.0.11\"; type = \"LoadBalancer\";\n"
		 "    externalTrafficPolicy = \"Local\"; healthCheckNodePort = @30080; " PORTS
		 " }"),
	 NULL, "services[1].healthCheckNodePort", "default/b"},
	{CHECK_S18_SHARED,
	 SERVICE("{ " NAME IP PORTS " },\n"
		 "  { name = \"b\"; clusterIP = @\"10.96.0.10\"; ports = ( { port = 81; } ); }"),
	 NULL, "services[1].clusterIP", "default/b"},

	/* a service and the settings */
	{CHECK_X10_PORT,
	 SERVICE("{ " NAME IP
		 "type = \"NodePort\"; ports = ( { port = 80; nodePort = @30080; } ); }"),
	 NULL, "services[0].ports[0].nodePort", "default/web"},
};
