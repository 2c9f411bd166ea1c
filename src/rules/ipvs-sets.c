/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "rules/ipvs-internal.h"

/* spec/ipvs.md section 1.2. Names of IPv6 are cut to 31 bytes. */
#define ROWS(ROW)                                                                                 \
	ROW(LOOP_BACK, IP_PORT_IP, "KUBE-LOOP-BACK", "KUBE-6-LOOP-BACK",                          \
	    "Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose")            \
	ROW(CLUSTER_IP, IP_PORT, "KUBE-CLUSTER-IP", "KUBE-6-CLUSTER-IP",                          \
	    "Kubernetes service cluster ip + port for masquerade purpose")                        \
	ROW(EXTERNAL_IP, IP_PORT, "KUBE-EXTERNAL-IP", "KUBE-6-EXTERNAL-IP",                       \
	    "Kubernetes service external ip + port for masquerade and filter purpose")            \
	ROW(EXTERNAL_IP_LOCAL, IP_PORT, "KUBE-EXTERNAL-IP-LOCAL", "KUBE-6-EXTERNAL-IP-LOCAL",     \
	    "Kubernetes service external ip + port with externalTrafficPolicy=local")             \
	ROW(LOAD_BALANCER, IP_PORT, "KUBE-LOAD-BALANCER", "KUBE-6-LOAD-BALANCER",                 \
	    "Kubernetes service lb portal")                                                       \
	ROW(LOAD_BALANCER_FW, IP_PORT, "KUBE-LOAD-BALANCER-FW", "KUBE-6-LOAD-BALANCER-FW",        \
	    "Kubernetes service load balancer ip + port for load balancer with sourceRange")      \
	ROW(LOAD_BALANCER_LOCAL, IP_PORT, "KUBE-LOAD-BALANCER-LOCAL",                             \
	    "KUBE-6-LOAD-BALANCER-LOCAL",                                                         \
	    "Kubernetes service load balancer ip + port with externalTrafficPolicy=local")        \
	ROW(LOAD_BALANCER_SOURCE_IP, IP_PORT_IP, "KUBE-LOAD-BALANCER-SOURCE-IP",                  \
	    "KUBE-6-LOAD-BALANCER-SOURCE-IP",                                                     \
	    "Kubernetes service load balancer ip + port + source IP for packet filter purpose")   \
	ROW(LOAD_BALANCER_SOURCE_CIDR, IP_PORT_NET, "KUBE-LOAD-BALANCER-SOURCE-CIDR",             \
	    "KUBE-6-LOAD-BALANCER-SOURCE-CID",                                                    \
	    "Kubernetes service load balancer ip + port + source cidr for packet filter purpose") \
	ROW(NODE_PORT_TCP, PORT, "KUBE-NODE-PORT-TCP", "KUBE-6-NODE-PORT-TCP",                    \
	    "Kubernetes nodeport TCP port for masquerade purpose")                                \
	ROW(NODE_PORT_LOCAL_TCP, PORT, "KUBE-NODE-PORT-LOCAL-TCP", "KUBE-6-NODE-PORT-LOCAL-TCP",  \
	    "Kubernetes nodeport TCP port with externalTrafficPolicy=local")                      \
	ROW(NODE_PORT_UDP, PORT, "KUBE-NODE-PORT-UDP", "KUBE-6-NODE-PORT-UDP",                    \
	    "Kubernetes nodeport UDP port for masquerade purpose")                                \
	ROW(NODE_PORT_LOCAL_UDP, PORT, "KUBE-NODE-PORT-LOCAL-UDP", "KUBE-6-NODE-PORT-LOCAL-UDP",  \
	    "Kubernetes nodeport UDP port with externalTrafficPolicy=local")                      \
	ROW(NODE_PORT_SCTP, IP_PORT, "KUBE-NODE-PORT-SCTP-HASH", "KUBE-6-NODE-PORT-SCTP-HASH",    \
	    "Kubernetes nodeport SCTP port for masquerade purpose with type 'hash ip:port'")      \
	ROW(NODE_PORT_LOCAL_SCTP, IP_PORT, "KUBE-NODE-PORT-LOCAL-SCTP-HASH",                      \
	    "KUBE-6-NODE-PORT-LOCAL-SCTP-HAS",                                                    \
	    "Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type 'hash "     \
	    "ip:port'")                                                                           \
	ROW(HEALTH_CHECK_NODE_PORT, PORT, "KUBE-HEALTH-CHECK-NODE-PORT",                          \
	    "KUBE-6-HEALTH-CHECK-NODE-PORT", "Kubernetes health check node port")                 \
	ROW(IPVS_IPS, IP, "KUBE-IPVS-IPS", "KUBE-6-IPVS-IPS", NULL)

#define AS_SET(set, of_kind, v4, v6, text) \
	[SET_##set] = {.names = {v4, v6}, .kind = SET_KIND_##of_kind, .comment = (text)},
#define AS_MATCH(set, of_kind, v4, v6, text) \
	[SET_##set] = {{.name = (v4), .comment = (text)}, {.name = (v6), .comment = (text)}},

const struct ipvs_set_row ipvs_set_rows[_SET_MAX] = {ROWS(AS_SET)};
const struct rule_set ipvs_set_matches[_SET_MAX][_ADDR_FAMILY_MAX] = {ROWS(AS_MATCH)};

const char *ipvs_set_kind_text(enum ipvs_set_kind kind)
{
	static const char *const texts[] = {
		[SET_KIND_IP] = "hash:ip",
		[SET_KIND_IP_PORT] = "hash:ip,port",
		[SET_KIND_IP_PORT_IP] = "hash:ip,port,ip",
		[SET_KIND_IP_PORT_NET] = "hash:ip,port,net",
		[SET_KIND_PORT] = "bitmap:port",
	};

	return texts[kind];
}

int ipvs_entry_compare(const struct ipvs_entry *a, const struct ipvs_entry *b)
{
	int order = addr_compare(&a->addr, &b->addr);

	if (order == 0)
		order = (a->port > b->port) - (a->port < b->port);
	if (order == 0)
		order = (a->protocol > b->protocol) - (a->protocol < b->protocol);
	if (order == 0)
		order = addr_compare(&a->addr2, &b->addr2);
	if (order == 0)
		order = (a->prefix > b->prefix) - (a->prefix < b->prefix);
	return order;
}

void ipvs_entry_print(const struct ipvs_entry *e, enum ipvs_set_kind kind, struct strbuf *out)
{
	unsigned full = e->addr2.family == ADDR_IPV4 ? 32 : 128;
	char text[ADDR_TEXT_MAX];

	if (kind == SET_KIND_PORT) {
		strbuf_add_u64(out, e->port);
		return;
	}
	strbuf_add(out, addr_format(&e->addr, text));
	if (kind == SET_KIND_IP)
		return;
	strbuf_add_char(out, ',');
	strbuf_add(out, svc_proto_lower((enum svc_proto)e->protocol));
	strbuf_add_char(out, ':');
	strbuf_add_u64(out, e->port);
	if (kind == SET_KIND_IP_PORT)
		return;
	strbuf_add_char(out, ',');
	strbuf_add(out, addr_format(&e->addr2, text));
	if (kind == SET_KIND_IP_PORT_NET && e->prefix != full) {
		strbuf_add_char(out, '/');
		strbuf_add_u64(out, e->prefix);
	}
}
