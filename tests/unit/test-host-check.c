/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

#include <errno.h>
#include <stdio.h>

#include "model/host-check.h"

/* A service from a text: "CLUSTERIPS [p=PORT/PROTO/NODEPORT] [x=EXTERNAL] [l=LB] [q=LB in Proxy
 * mode] [h=HEALTH]", several addresses with commas. */
static struct service *service_of(const char *key, const char *text)
{
	struct service_port ports[4] = {0};
	struct addr external[8];
	struct lb_ip lb[8] = {0};
	struct service_def def = {
		.key = (char *)(uintptr_t)key,
		.ports = ports,
		.external_ips = external,
		.lb_ips = lb,
	};
	char *copy = strdup(text), *at = copy, *word;
	struct service *s;

	assert_non_null(copy);
	while ((word = strsep(&at, " "))) {
		char *list = word[1] == '=' ? word + 2 : word, *item;

		while ((item = strsep(&list, ","))) {
			struct addr a = {0};
			unsigned numbers[2] = {0};
			char proto = 'T', *p = item;

			switch (word[1] == '=' ? word[0] : 'c') {
			case 'p':
			case 'h':
				for (int i = 0; i < 2; i++) {
					for (; *p >= '0' && *p <= '9'; p++)
						numbers[i] = numbers[i] * 10 + (unsigned)(*p - '0');
					if (*p)
						proto = *p++;
				}
				if (word[0] == 'h') {
					def.health_check_node_port = (uint16_t)numbers[0];
					break;
				}
				ports[def.n_ports++] = (struct service_port){
					.name = (char *)(uintptr_t) "",
					.protocol = proto == 'T'   ? SVC_TCP
						    : proto == 'U' ? SVC_UDP
								   : SVC_SCTP,
					.port = (uint16_t)numbers[0],
					.node_port = (uint16_t)numbers[1],
				};
				break;
			case 'x':
				external[def.n_external_ips++] = make_addr(item);
				break;
			case 'l':
			case 'q':
				lb[def.n_lb_ips++] = (struct lb_ip){make_addr(item),
								    word[0] == 'q'};
				break;
			default:
				if (streq(item, "None")) {
					def.headless = true;
					break;
				}
				if (streq(item, "Name")) {
					def.type = SVC_EXTERNAL_NAME;
					break;
				}
				a = make_addr(item);
				def.cluster_ips[a.family] = a;
				def.has_cluster_ip[a.family] = true;
			}
		}
	}
	s = make_service(&def);
	free(copy);
	return s;
}

/*
 * eth0 is the outside, 192.0.2.10/24 and fd00:2::10/64, with a gateway each; ppp0 has a peer; eth1
 * is 198.51.100.1/24; 203.0.113.7/32 is on lo. Programs have 30080/TCP on all addresses, 30081 on
 * 127.0.0.1, 30082 on 192.0.2.10, 30083 on fd00:2::10, 30053/UDP on all of IPv6.
 */
static void fill_facts(struct host_facts *f)
{
	static const struct {
		const char *addr;
		uint8_t length;
		const char *interface;
	} addresses[] = {
		{"127.0.0.1", 8, "lo"},	      {"::1", 128, "lo"},	  {"203.0.113.7", 32, "lo"},
		{"192.0.2.10", 24, "eth0"},   {"fd00:2::10", 64, "eth0"}, {"10.9.0.1", 32, "ppp0"},
		{"198.51.100.1", 24, "eth1"}, {"fe80::1", 64, "eth1"},
	};
	static const struct {
		const char *addr;
		bool peer;
		const char *interface;
	} neighbours[] = {
		{"192.0.2.1", false, "eth0"},
		{"fd00:2::1", false, "eth0"},
		{"10.9.0.2", true, "ppp0"},
		/* odd, but then it is ours */
		{"198.51.100.1", true, "tun0"},
	};
	static const struct {
		bool udp;
		const char *addr;
		uint16_t port;
	} sockets[] = {
		{false, "0.0.0.0", 30080},    {false, "127.0.0.1", 30081},
		{false, "192.0.2.10", 30082}, {false, "fd00:2::10", 30083},
		{true, "::", 30053},
	};

	*f = (struct host_facts){.usable = {true, true}};
	for (size_t i = 0; i < ELEMENTSOF(addresses); i++) {
		struct host_address a = {make_addr(addresses[i].addr), addresses[i].length, ""};

		strcpy(a.interface, addresses[i].interface);
		assert_int_equal(host_add_address(f, &a), 0);
	}
	for (size_t i = 0; i < ELEMENTSOF(neighbours); i++) {
		struct host_neighbour n = {make_addr(neighbours[i].addr), neighbours[i].peer, ""};

		strcpy(n.interface, neighbours[i].interface);
		assert_int_equal(host_add_neighbour(f, &n), 0);
	}
	for (size_t i = 0; i < ELEMENTSOF(sockets); i++) {
		const struct host_socket s = {sockets[i].udp, sockets[i].port,
					      make_addr(sockets[i].addr)};

		assert_int_equal(host_add_socket(f, &s), 0);
	}
	assert_int_equal(host_set_ephemeral(f, "32768\t60999"), 0);
	assert_int_equal(host_reserve_ports(f, "40000-40009"), 0);
	assert_int_equal(host_facts_finish(f), 0);
}

/* As a file would have them: each service in one of its own. userdata is the last that was asked
 * for. */
static const struct service_def *definition_of(const void *userdata, const char *key)
{
	struct service_def *const *d = userdata;

	**d = (struct service_def){
		.key = (char *)(uintptr_t)key,
		.at = {.file = key + strlen("default/"), .line = 7},
	};
	return *d;
}

/* Lines of "SEVERITY: ...", sorted by place, from what is told. */
static char *told(struct diags *d)
{
	struct strbuf s = {0};

	assert_int_equal(d->error, 0);
	diags_sort(d);
	for (size_t i = 0; i < d->n; i++) {
		char *text = diag_format(&d->items[i]);

		strbuf_addf(&s, "%s%s", i ? "\n" : "", text);
		free(text);
	}
	diags_done(d);
	*d = (struct diags){0};
	return s.len ? strbuf_take(&s) : strdup("");
}

/* What the settings of a row change. */
struct change {
	const char *prefixes; /* of NodePortAddresses=, with commas */
	bool primary, localhost, all, nftables, no_external_ips, no_localhost_node_ports;
	const char *interface;
	const char *node_ip; /* NodeIP=; "" for given but empty */
};

static void apply(struct settings *s, const struct change *c)
{
	struct node_port_addresses *npa = &s->node_port_addresses;
	char *copy = strdup(c->prefixes ? c->prefixes : ""), *at = copy, *word;

	while (*copy && (word = strsep(&at, ",")))
		add_prefix(&npa->prefixes, word);
	free(copy);
	npa->primary = c->primary;
	npa->localhost = c->localhost;
	npa->all = c->all;
	if (c->interface)
		add_text(&npa->interfaces, c->interface);
	npa->given = c->primary || c->localhost || c->all || c->prefixes || c->interface;
	if (c->nftables)
		s->mode = MODE_NFTABLES;
	s->allow_external_ips = !c->no_external_ips;
	s->iptables_localhost_node_ports = !c->no_localhost_node_ports;
	if (c->node_ip) {
		s->node_ip_given = true;
		if (*c->node_ip) {
			struct addr a = make_addr(c->node_ip);

			s->node_ip[a.family] = a;
			s->has_node_ip[a.family] = true;
		}
	}
}

/* Two services, the second one may be NULL. facts NULL: unknown. */
static char *check(const struct host_facts *facts, const struct change *change, const char *a,
		   const char *b)
{
	static const char *const addrs[] = {"127.0.0.1%lo",	"::1%lo",	   "203.0.113.7%lo",
					    "192.0.2.10%eth0",	"fd00:2::10%eth0", "10.9.0.1%ppp0",
					    "198.51.100.1%eth1"};
	struct place *at = calloc(n_setting_rows, sizeof(*at));
	const struct settings_origin origin = {.places = at};
	struct service_def def, *asked = &def;
	const struct host_check_places places = {
		.service = definition_of, .userdata = &asked, .origin = &origin};
	struct shared_settings *settings = make_settings();
	struct service *services[2] = {service_of("default/a", a)};
	struct view view = {0};
	struct diags d = {0};
	char *text;

	assert_non_null(at);
	for (size_t i = 0; i < n_setting_rows; i++)
		at[i] = (struct place){.file = "conf", .line = 3};
	apply(&settings->s, change);
	if (b)
		services[1] = service_of("default/b", b);
	view.world = make_world(settings, services, b ? 2 : 1);
	if (facts)
		view.addrs = make_addrs(addrs, ELEMENTSOF(addrs), "192.0.2.10",
					facts->usable[ADDR_IPV6] ? "fd00:2::10" : NULL);
	assert_int_equal(host_check_world(facts, &view, &places, &d), 0);
	text = told(&d);
	world_unref(view.world);
	local_addrs_unref(view.addrs);
	free(at);
	return text;
}

#define OWN(place, field, ip, interface)                                                      \
	place ":7: warning: services[0]." field " '" ip                                       \
	      "': is an address of this host, on " interface ": the service takes its ports " \
	      "there, all others stay the host's "                                            \
	      "(make sure that no "                                                           \
	      "program of the host needs them)"
#define OWN_CLUSTER(place, ip, interface)                                                     \
	place ":7: warning: services[0].clusterIP '" ip                                       \
	      "': is an address of this host, on " interface ": the service takes its ports " \
	      "(choose an address that no host "                                              \
	      "has)"
#define LINK_CLUSTER(place, ip, network, interface)                                               \
	place ":7: warning: services[0].clusterIP '" ip "': lies in " network                     \
	      ", where " interface " is: a machine there may have it (choose an address that no " \
	      "host has)"
#define LINK(place, field, ip, network, interface)                                                 \
	place ":7: warning: services[0]." field " '" ip "': lies in " network                      \
	      ", where " interface " is, and is not an address of this host: a machine there may " \
	      "have it (give the "                                                                 \
	      "address to this host, or choose another one)"
#define NEIGHBOUR(place, field, ip, interface)                                        \
	place ":7: warning: services[0]." field " '" ip                               \
	      "': is a default gateway or the other end of a link of this host now, " \
	      "on " interface " (choose an address that no other machine has)"
#define EPHEMERAL(place, field, port)                                                           \
	place ":7: warning: services[0]." field " '" port "': of service 'default/" place       \
	      "' lies in 32768-60999, the ports that this host gives to outgoing connections: " \
	      "some of those will break (choose one outside, or add it to "                     \
	      "net.ipv4.ip_local_reserved_ports)"
#define SOCKET(place, field, port, at)                             \
	place ":7: warning: services[0]." field " '" port          \
	      "': a program of this host has the port too, at " at \
	      ": what is sent there goes to the service (choose another port for one of the two)"
#define SHADOWED(place, field, value, key, other)                                \
	place ":7: warning: services[0]." field " '" value "': is also the " key \
	      " of service 'default/" other "' at " other                        \
	      ":7 on this address of the host, where it does not answer: this "  \
	      "service comes first (choose another port for one of the two)"
#define OPEN_TO_ALL(value, family, services)                                          \
	"conf:3: warning: Proxy.NodePortAddresses '" value "': stands for no " family \
	" address: the " family " node ports of " services                            \
	" are open on all of them (add an " family                                    \
	" prefix or an interface, or write 'all' when that is meant)"
#define ROUTER(value, address, interface, other)                                                   \
	"conf:3: warning: Proxy.NodePortAddresses '" value "': node ports answer only at " address \
	", on " interface "; that is often the outside of a router, and this one is on " other     \
	" too (name the interfaces that node ports are for, as in NodePortAddresses=" other ")"

/* spec/model.md rows; a second service where one is needed. NULL: nothing is told. */
static const struct row {
	const char *a, *b;
	const char *expected;
	struct change change;
} rows[] = {
	{"10.96.0.1 p=80T", NULL, NULL, {0}},
	{"None p=80T x=192.0.2.10", NULL, NULL, {0}},
	{"Name x=192.0.2.10", NULL, NULL, {0}},
	/* S17 */
	{"192.0.2.10 p=80T", NULL, OWN_CLUSTER("a", "192.0.2.10", "eth0"), {0}},
	{"203.0.113.7 p=80T", NULL, OWN_CLUSTER("a", "203.0.113.7", "lo"), {0}},
	{"192.0.2.77 p=80T", NULL, LINK_CLUSTER("a", "192.0.2.77", "192.0.2.0/24", "eth0"), {0}},
	{"fd00:2::10 p=80T", NULL, OWN_CLUSTER("a", "fd00:2::10", "eth0"), {0}},
	{"10.96.0.1,fd00:2::77 p=80T",
	 NULL,
	 LINK_CLUSTER("a", "fd00:2::77", "fd00:2::/64", "eth0"),
	 {0}},
	{"203.0.113.8 p=80T", NULL, NULL, {0}},
	/* a cluster IP that is the gateway is in a network already */
	{"192.0.2.1 p=80T", NULL, LINK_CLUSTER("a", "192.0.2.1", "192.0.2.0/24", "eth0"), {0}},
	/* X8 */
	{"10.96.0.1 p=80T x=192.0.2.10", NULL, OWN("a", "externalIPs", "192.0.2.10", "eth0"), {0}},
	{"10.96.0.1 p=80T l=203.0.113.7",
	 NULL,
	 OWN("a", "loadBalancerIPs", "203.0.113.7", "lo"),
	 {0}},
	{"10.96.0.1 p=80T q=203.0.113.7", NULL, NULL, {0}},
	{"10.96.0.1 p=80T x=192.0.2.10", NULL, NULL, {.no_external_ips = true}},
	{"10.96.0.1 p=80T l=192.0.2.10",
	 NULL,
	 OWN("a", "loadBalancerIPs", "192.0.2.10", "eth0"),
	 {.no_external_ips = true}},
	/* not used in a family without a cluster IP */
	{"10.96.0.1 p=80T x=fd00:2::10 l=fd00:2::10", NULL, NULL, {0}},
	{"10.96.0.1,fd00:96::1 p=80T x=fd00:2::10",
	 NULL,
	 OWN("a", "externalIPs", "fd00:2::10", "eth0"),
	 {0}},
	/* S55 */
	{"10.96.0.1 p=80T x=192.0.2.20,8.8.8.8",
	 NULL,
	 LINK("a", "externalIPs", "192.0.2.20", "192.0.2.0/24", "eth0"),
	 {0}},
	{"10.96.0.1 p=80T l=192.0.2.20",
	 NULL,
	 LINK("a", "loadBalancerIPs", "192.0.2.20", "192.0.2.0/24", "eth0"),
	 {0}},
	{"10.96.0.1 p=80T q=192.0.2.20", NULL, NULL, {0}},
	{"10.96.0.1 p=80T x=192.0.2.1",
	 NULL,
	 NEIGHBOUR("a", "externalIPs", "192.0.2.1", "eth0"),
	 {0}},
	{"10.96.0.1 p=80T l=10.9.0.2",
	 NULL,
	 NEIGHBOUR("a", "loadBalancerIPs", "10.9.0.2", "ppp0"),
	 {0}},
	{"10.96.0.1 p=80T x=198.51.100.1",
	 NULL,
	 OWN("a", "externalIPs", "198.51.100.1", "eth1"),
	 {0}},
	/* S43 */
	{"10.96.0.1 p=80T40010", NULL, EPHEMERAL("a", "ports[0].nodePort", "40010/TCP"), {0}},
	{"10.96.0.1 p=80T p=80U32768", NULL, EPHEMERAL("a", "ports[1].nodePort", "32768/UDP"), {0}},
	{"10.96.0.1 p=80S60999", NULL, EPHEMERAL("a", "ports[0].nodePort", "60999/SCTP"), {0}},
	{"10.96.0.1 p=80T h=33000", NULL, EPHEMERAL("a", "healthCheckNodePort", "33000/TCP"), {0}},
	{"10.96.0.1 p=80T40000,80U40009", NULL, NULL, {0}},
	{"10.96.0.1 p=80T32767,80U61000,40011T", NULL, NULL, {0}},
	/* X9 */
	{"10.96.0.1 p=80T30080",
	 NULL,
	 SOCKET("a", "ports[0].nodePort", "30080/TCP", "0.0.0.0:30080"),
	 {0}},
	{"10.96.0.1 p=80U30080", NULL, NULL, {0}},
	{"10.96.0.1 p=80S30080", NULL, NULL, {0}},
	{"fd00:96::1 p=80T30080", NULL, NULL, {0}},
	{"10.96.0.1 p=80T h=30080",
	 NULL,
	 SOCKET("a", "healthCheckNodePort", "30080/TCP", "0.0.0.0:30080"),
	 {0}},
	{"fd00:96::1 p=80U30053",
	 NULL,
	 SOCKET("a", "ports[0].nodePort", "30053/UDP", "[::]:30053"),
	 {0}},
	{"10.96.0.1 p=80U30053", NULL, NULL, {0}},
	{"10.96.0.1 p=80T30081",
	 NULL,
	 SOCKET("a", "ports[0].nodePort", "30081/TCP", "127.0.0.1:30081"),
	 {0}},
	{"10.96.0.1 p=80T30081", NULL, NULL, {.no_localhost_node_ports = true}},
	{"10.96.0.1 p=80T30081", NULL, NULL, {.prefixes = "192.0.2.0/24"}},
	{"10.96.0.1 p=80T30081", NULL, NULL, {.nftables = true, .all = true}},
	{"10.96.0.1 p=80T30082",
	 NULL,
	 SOCKET("a", "ports[0].nodePort", "30082/TCP", "192.0.2.10:30082"),
	 {0}},
	{"10.96.0.1 p=80T30082",
	 NULL,
	 SOCKET("a", "ports[0].nodePort", "30082/TCP", "192.0.2.10:30082"),
	 {.primary = true}},
	{"10.96.0.1 p=80T30082", NULL, NULL, {.prefixes = "198.51.100.0/24"}},
	{"10.96.0.1 p=80T30082", NULL, NULL, {.interface = "eth1"}},
	{"10.96.0.1 p=80T30080", NULL, NULL, {.interface = "eth9"}},
	{"fd00:96::1 p=80T30083",
	 NULL,
	 SOCKET("a", "ports[0].nodePort", "30083/TCP", "[fd00:2::10]:30083"),
	 {0}},
	/* X5: it is a service that comes first, in either order */
	{"10.96.0.1 p=30001T x=192.0.2.10",
	 "10.96.0.2 p=80T30001",
	 OWN("a", "externalIPs", "192.0.2.10", "eth0") "\n" SHADOWED(
		 "a", "externalIPs", "192.0.2.10:30001/TCP", "ports[0].nodePort", "b"),
	 {0}},
	{"10.96.0.2 p=80T30001",
	 "10.96.0.1 p=30001T x=192.0.2.10",
	 OWN("b", "externalIPs", "192.0.2.10", "eth0") "\n" SHADOWED(
		 "b", "externalIPs", "192.0.2.10:30001/TCP", "ports[0].nodePort", "a"),
	 {0}},
	{"192.0.2.10 p=30001T",
	 "10.96.0.2 p=80T h=30001",
	 OWN_CLUSTER("a", "192.0.2.10", "eth0") "\n" SHADOWED(
		 "a", "clusterIP", "192.0.2.10:30001/TCP", "healthCheckNodePort", "b"),
	 {0}},
	{"10.96.0.1 p=30001U x=192.0.2.10",
	 "10.96.0.2 p=80T30001",
	 OWN("a", "externalIPs", "192.0.2.10", "eth0"),
	 {0}},
	{"10.96.0.1 p=30001T x=192.0.2.10",
	 "fd00:96::2 p=80T30001",
	 OWN("a", "externalIPs", "192.0.2.10", "eth0"),
	 {0}},
	{"10.96.0.1 p=30001T30001 x=192.0.2.10",
	 NULL,
	 OWN("a", "externalIPs", "192.0.2.10", "eth0"),
	 {0}},
	{"10.96.0.1 p=30001T x=203.0.113.99", "10.96.0.2 p=80T30001", NULL, {0}},
	/* S64b */
	{"10.96.0.1,fd00:96::1 p=80T30001",
	 NULL,
	 OPEN_TO_ALL("192.0.2.0/24 198.51.100.0/24", "IPv6", "'default/a'"),
	 {.prefixes = "192.0.2.0/24,198.51.100.0/24"}},
	{"10.96.0.1 p=80T30001",
	 "10.96.0.2 p=80T30002",
	 OPEN_TO_ALL("fd00::/8", "IPv4", "'default/a', 'default/b'"),
	 {.prefixes = "fd00::/8"}},
	{"10.96.0.1 p=80T30001", NULL, NULL, {.prefixes = "192.0.2.0/24"}},
	{"10.96.0.1,fd00:96::1 p=80T", NULL, NULL, {.prefixes = "192.0.2.0/24"}},
	{"10.96.0.1,fd00:96::1 p=80T h=30001", NULL, NULL, {.prefixes = "192.0.2.0/24"}},
	{"10.96.0.1,fd00:96::1 p=80T30001", NULL, NULL, {.prefixes = "192.0.2.0/24,fd00::/8"}},
	{"10.96.0.1,fd00:96::1 p=80T30001",
	 NULL,
	 NULL,
	 {.prefixes = "192.0.2.0/24", .localhost = true}},
	{"10.96.0.1,fd00:96::1 p=80T30001", NULL, NULL, {.prefixes = "192.0.2.0/24", .all = true}},
	{"10.96.0.1,fd00:96::1 p=80T30001",
	 NULL,
	 NULL,
	 {.prefixes = "192.0.2.0/24", .interface = "eth9"}},
	{"10.96.0.1,fd00:96::1 p=80T30001",
	 NULL,
	 NULL,
	 {.prefixes = "192.0.2.0/24", .primary = true}},
	{"10.96.0.1,fd00:96::1 p=80T30001",
	 NULL,
	 OPEN_TO_ALL("primary", "IPv6", "'default/a'"),
	 {.primary = true, .node_ip = "192.0.2.10"}},
	{"10.96.0.1 p=80T30001",
	 NULL,
	 OPEN_TO_ALL("primary", "IPv4", "'default/a'"),
	 {.primary = true, .node_ip = ""}},
	{"10.96.0.1 p=80T30001",
	 NULL,
	 OPEN_TO_ALL("primary", "IPv4", "'default/a'"),
	 {.primary = true, .node_ip = "127.0.0.1"}},
	{"10.96.0.1,fd00:96::1 p=80T30001",
	 NULL,
	 OPEN_TO_ALL("", "IPv6", "'default/a'"),
	 {.nftables = true, .node_ip = "192.0.2.10"}},
	{"10.96.0.1,fd00:96::1 p=80T30001", NULL, NULL, {0}},
};

static void test_rows(void **state)
{
	struct host_facts f;

	(void)state;
	fill_facts(&f);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_free_ char *text = check(&f, &rows[i].change, rows[i].a, rows[i].b);

		if (!streq(text, rows[i].expected ? rows[i].expected : ""))
			fail_msg("row %zu, '%s', '%s':\n%s", i, rows[i].a,
				 rows[i].b ? rows[i].b : "", text);
	}
	host_facts_done(&f);
}

/* `primary` on a host that routes. */
static void test_router(void **state)
{
	static const struct row router[] = {
		{"10.96.0.1 p=80T30001",
		 NULL,
		 ROUTER("primary", "192.0.2.10", "eth0", "ppp0"),
		 {.primary = true}},
		{"10.96.0.1 p=80T30001",
		 NULL,
		 ROUTER("", "192.0.2.10", "eth0", "ppp0"),
		 {.nftables = true}},
		/* once, though there are two families */
		{"10.96.0.1,fd00:96::1 p=80T30001",
		 NULL,
		 ROUTER("primary", "192.0.2.10", "eth0", "ppp0"),
		 {.primary = true}},
		/* the other interfaces have no other address of IPv6 but a link-local one */
		{"fd00:96::1 p=80T30001", NULL, NULL, {.primary = true}},
		{"10.96.0.1 p=80T", NULL, NULL, {.primary = true}},
		{"10.96.0.1 p=80T30001", NULL, NULL, {.primary = true, .interface = "eth1"}},
		{"10.96.0.1 p=80T30001", NULL, NULL, {.primary = true, .prefixes = "10.0.0.0/8"}},
		{"10.96.0.1 p=80T30001", NULL, NULL, {.primary = true, .all = true}},
		{"10.96.0.1 p=80T30001", NULL, NULL, {.all = true}},
		{"10.96.0.1 p=80T30001", NULL, NULL, {0}},
		/* an address that the host does not have */
		{"10.96.0.1 p=80T30001", NULL, NULL, {.primary = true, .node_ip = "192.0.2.99"}},
	};
	struct host_facts f;

	(void)state;
	fill_facts(&f);
	f.forwards[ADDR_IPV4] = f.forwards[ADDR_IPV6] = true;
	for (size_t i = 0; i < ELEMENTSOF(router); i++) {
		_cleanup_free_ char *text = check(&f, &router[i].change, router[i].a, router[i].b);

		if (!streq(text, router[i].expected ? router[i].expected : ""))
			fail_msg("row %zu: %s", i, text);
	}
	host_facts_done(&f);
}

/* C47: a host without IPv6. */
static void test_family_off(void **state)
{
#define SOME(services)                                 \
	"warning: IPv6 is off on this host: " services \
	" are not served in it (switch it on, or leave the IPv6 clusterIPs out)"
#define NONE(place, ip)                                          \
	place ":7: warning: services[0].clusterIP '" ip          \
	      "': IPv6 is off on this host: the service is not " \
	      "served (give it a clusterIP of the other family)"
	static const struct row off[] = {
		{"10.96.0.1 p=80T", "10.96.0.2 p=80T", NULL, {0}},
		{"fd00:96::1 p=80T", "10.96.0.2 p=80T", NONE("a", "fd00:96::1"), {0}},
		{"10.96.0.1,fd00:96::1 p=80T",
		 "10.96.0.2,fd00:96::2 p=80T",
		 SOME("'default/a', 'default/b'"),
		 {0}},
		{"10.96.0.1,fd00:96::1 p=80T",
		 "fd00:96::2 p=80T",
		 SOME("'default/a'") "\n" NONE("b", "fd00:96::2"),
		 {0}},
		{"None p=80T", "Name", NULL, {0}},
		/* that its node ports would be open is no matter then */
		{"10.96.0.1,fd00:96::1 p=80T30001",
		 NULL,
		 SOME("'default/a'"),
		 {.prefixes = "192.0.2.0/24"}},
	};
	struct host_facts f;

	(void)state;
	fill_facts(&f);
	f.usable[ADDR_IPV6] = false;
	for (size_t i = 0; i < ELEMENTSOF(off); i++) {
		_cleanup_free_ char *text = check(&f, &off[i].change, off[i].a, off[i].b);

		if (!streq(text, off[i].expected ? off[i].expected : ""))
			fail_msg("row %zu: %s", i, text);
	}
	host_facts_done(&f);
}

/* Of a host that is not known nothing is told, except what holds for each. */
static void test_unknown_host(void **state)
{
	static const struct change one = {.prefixes = "192.0.2.0/24"}, primary = {.primary = true},
				   given = {.primary = true, .node_ip = "192.0.2.10"}, none = {0};
	static const char both[] = "10.96.0.1,fd00:96::1 p=80T30080 x=192.0.2.10 l=127.0.0.1";
	char *text;

	(void)state;
	text = check(NULL, &one, both, NULL);
	assert_string_equal(text, OPEN_TO_ALL("192.0.2.0/24", "IPv6", "'default/a'"));
	free(text);
	text = check(NULL, &given, both, NULL);
	assert_string_equal(text, OPEN_TO_ALL("primary", "IPv6", "'default/a'"));
	free(text);
	text = check(NULL, &primary, both, NULL);
	assert_string_equal(text, "");
	free(text);
	text = check(NULL, &none, both, NULL);
	assert_string_equal(text, "");
	free(text);
}

/* Nobody says where things are written. */
static void test_no_places(void **state)
{
	const struct host_check_places places = {0};
	struct shared_settings *settings = make_settings();
	struct service *services[] = {service_of("default/a", "192.0.2.10,fd00:96::1 p=30001T"),
				      service_of("default/nowhere", "10.96.0.2 p=80T30001")};
	struct view view = {0};
	struct host_facts f;
	struct diags d = {0};
	char *text;

	(void)state;
	fill_facts(&f);
	add_prefix(&settings->s.node_port_addresses.prefixes, "fd00::/8");
	settings->s.node_port_addresses.given = true;
	view.world = make_world(settings, services, 2);
	assert_int_equal(host_check_world(&f, &view, &places, &d), 0);
	text = told(&d);
	assert_string_equal(
		text,
		"warning: clusterIP '192.0.2.10': is an address of this host, on eth0: the service "
		"takes its ports (choose an address that no host has)\n"
		"warning: clusterIP '192.0.2.10:30001/TCP': is also the ports[0].nodePort of "
		"service 'default/nowhere' at ? on this address of the host, where it does not "
		"answer: this service comes first (choose another port for one of the two)\n"
		"warning: Proxy.NodePortAddresses 'fd00::/8': stands for no IPv4 address: the IPv4 "
		"node ports of 'default/nowhere' are open on all of them (add an IPv4 prefix or an "
		"interface, or write 'all' when that is meant)");
	free(text);
	world_unref(view.world);
	host_facts_done(&f);
}

/* S55, when a file is read. */
static void test_objects(void **state)
{
	static const struct {
		const char *service, *expected; /* NULL: fine */
	} cases[] = {
		{"10.96.0.1 p=80T x=192.0.2.20", NULL},
		{"10.96.0.1 p=80T x=192.0.2.1",
		 "f:9:3: error: services[4].externalIPs '192.0.2.1': is the default gateway of "
		 "this host, on eth0 (choose an address that no other machine has)"},
		{"10.96.0.1,fd00:96::1 p=80T l=fd00:2::1",
		 "f:9:3: error: services[4].loadBalancerIPs 'fd00:2::1': is the default gateway of "
		 "this host, on eth0 (choose an address that no other machine has)"},
		{"10.96.0.1 p=80T l=10.9.0.2",
		 "f:9:3: error: services[4].loadBalancerIPs '10.9.0.2': is the other end of the "
		 "point-to-point link ppp0 (choose an address that no other machine has)"},
		{"10.96.0.1 p=80T q=10.9.0.2", NULL},
		{"10.96.0.1 p=80T x=198.51.100.1", NULL},
		{"10.96.0.1 p=80T x=10.9.0.1,8.8.8.8", NULL},
		{"None p=80T x=192.0.2.1", NULL},
		{"Name x=192.0.2.1", NULL},
	};
	struct host_facts f;

	(void)state;
	fill_facts(&f);
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		struct service *s = service_of("default/a", cases[i].service);
		struct service_def def = *s->def, *list[] = {&def};
		const struct objects o = {.services = list, .n_services = 1};
		struct diags d = {0};
		char *text;
		int r;

		def.at = (struct place){"f", 9, 3};
		def.position = 4;
		r = host_check_objects(&f, &o, &d);
		text = told(&d);
		if (r != (cases[i].expected ? -EBADMSG : 0) ||
		    !streq(text, cases[i].expected ? cases[i].expected : ""))
			fail_msg("'%s': %d, '%s'", cases[i].service, r, text);
		free(text);
		service_unref(s);
	}
	host_facts_done(&f);
}

/* Many of everything: done in time, and the names are cut. */
static void test_many(void **state)
{
	enum { MANY = 20000 };
	struct service **services = calloc(MANY, sizeof(struct service *));
	struct shared_settings *settings = make_settings();
	struct service_def def, *asked = &def;
	const struct host_check_places places = {.service = definition_of, .userdata = &asked};
	struct host_facts f = {.usable = {true, false}};
	struct view view = {0};
	struct diags d = {0};
	size_t n_some = 0;

	(void)state;
	assert_non_null(services);
	for (size_t i = 0; i < MANY; i++) {
		char key[32], text[120];
		struct host_address a = {.length = 24, .interface = "eth0"};
		struct host_socket s = {.udp = i % 2 == 0, .port = (uint16_t)(10000 + i)};

		(void)snprintf(key, sizeof(key), "default/s%05zu", i);
		(void)snprintf(text, sizeof(text), "10.%zu.%zu.%zu,fd00:96::%zx p=80%c%zu",
			       i / 65536, i / 256 % 256, i % 256, i + 1, i % 2 ? 'T' : 'U',
			       10000 + i);
		services[i] = service_of(key, text);
		a.addr = services[i]->def->cluster_ips[ADDR_IPV4];
		assert_int_equal(host_add_address(&f, &a), 0);
		assert_int_equal(host_add_socket(&f, &s), 0);
	}
	assert_int_equal(host_facts_finish(&f), 0);
	view.world = make_world(settings, services, MANY);
	assert_int_equal(host_check_world(&f, &view, &places, &d), 0);
	assert_int_equal(d.error, 0);
	/* each is an address of the host, and its port is in use */
	assert_int_equal(d.n, 2 * MANY + 1);
	for (size_t i = 0; i < d.n; i++) {
		if (!strstr(d.items[i].reason, "are not served in it"))
			continue;
		assert_string_equal(
			d.items[i].reason,
			"IPv6 is off on this host: 'default/s00000', 'default/s00001', "
			"'default/s00002', 'default/s00003', 'default/s00004' and 19995 "
			"more are not served in it");
		n_some++;
	}
	assert_int_equal(n_some, 1);
	diags_done(&d);
	world_unref(view.world);
	host_facts_done(&f);
	free(services);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	   cmocka_unit_test(test_router),
		cmocka_unit_test(test_family_off), cmocka_unit_test(test_unknown_host),
		cmocka_unit_test(test_no_places),  cmocka_unit_test(test_objects),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
