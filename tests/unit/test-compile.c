/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-rules.h"
#include "model/names.h"

/*
 * Most tests look at a fragment as a list of codes, those of spec/iptables.md section 3.4:
 * "A1:DROP", "B1>SVC" (with the kind of chain that a rule jumps to). The text of each is in
 * test-rule.c, and whole texts are at the end.
 */

static bool is_lb_ip(const struct service_def *def, const struct addr_prefix *p)
{
	for (size_t i = 0; i < def->n_lb_ips; i++)
		if (addr_equal(&def->lb_ips[i].ip, &p->addr))
			return true;
	return false;
}

static const char *dispatch_code(const struct rule *r, enum dispatch_chain c,
				 const struct service_def *def)
{
	bool reject = r->comment == COMMENT_NO_ENDPOINTS && r->target == TARGET_REJECT;
	bool drop = r->comment == COMMENT_NO_LOCAL_ENDPOINTS && r->target == TARGET_DROP;
	bool jump = r->target == TARGET_JUMP;

	switch (c) {
	case DISPATCH_FILTER_SERVICES:
		return reject || drop ? "A1" : "?";
	case DISPATCH_FILTER_EXTERNAL:
		if (!reject && !drop)
			return "?";
		if (r->flags & RULE_DST_LOCAL)
			return "A5";
		return is_lb_ip(def, &r->dst) ? "A4" : "A2";
	case DISPATCH_FILTER_NODEPORTS:
		return r->comment == COMMENT_HEALTH_CHECK && r->protocol == SVC_TCP ? "A6" : "?";
	case DISPATCH_FILTER_FIREWALL:
		return r->comment == COMMENT_NOT_ACCEPTED && is_lb_ip(def, &r->dst) ? "A3" : "?";
	case DISPATCH_NAT_SERVICES:
		if (r->comment == COMMENT_CLUSTER_IP && jump)
			return "B1";
		if (r->comment == COMMENT_EXTERNAL_IP && jump)
			return "B2";
		return r->comment == COMMENT_LOAD_BALANCER_IP && jump ? "B3" : "?";
	case DISPATCH_NAT_NODEPORTS:
		if (r->comment != COMMENT_NAME || !jump)
			return "?";
		return r->flags & RULE_NFACCT_LOCALHOST ? "B4" : "B5";
	case _DISPATCH_MAX:
		break;
	}
	return "?";
}

static const char *chain_code(const struct rule *r, const char *chain)
{
	bool masq = r->target == TARGET_JUMP && streq(r->chain, "KUBE-MARK-MASQ");

	if (r->target == TARGET_DNAT)
		return "E2";
	if (masq && strncmp(chain, "KUBE-SEP-", 9) == 0)
		return "E1";
	if (r->flags & RULE_RECENT_CHECK)
		return "S1";
	switch ((enum rule_comment)r->comment) {
	case COMMENT_CLUSTER_IP:
		return masq ? "C1" : "?";
	case COMMENT_MASQ_EXTERNAL:
		return masq ? "X1" : "?";
	case COMMENT_POD_EXTERNAL:
		return "X2";
	case COMMENT_MASQ_LOCAL_EXTERNAL:
		return masq && r->flags & RULE_SRC_LOCAL ? "X3" : "?";
	case COMMENT_ROUTE_LOCAL_EXTERNAL:
		return r->flags & RULE_SRC_LOCAL ? "X4" : "?";
	case COMMENT_LOAD_BALANCER_IP:
		return r->flags & RULE_SRC_PREFIX ? "G1" : "G2";
	case COMMENT_DROPPED_LATER:
		return r->target == TARGET_NONE ? "G3" : "?";
	case COMMENT_NONE:
		return strncmp(chain, "KUBE-EXT-", 9) == 0 ? "X5" : "S2";
	case COMMENT_ENDPOINT:
		return "S2";
	default:
		return "?";
	}
}

static void add_target(struct strbuf *out, const struct rule *r)
{
	if (r->target == TARGET_REJECT || r->target == TARGET_DROP)
		strbuf_add(out, r->target == TARGET_DROP ? ":DROP" : ":REJECT");
	if (r->target == TARGET_JUMP && chain_is_service_chain(r->chain) &&
	    strncmp(r->chain, "KUBE-SEP-", 9) != 0) {
		const char *kind = r->chain + strlen("KUBE-");

		strbuf_add_char(out, '>');
		strbuf_add_bytes(out, kind, strcspn(kind, "-"));
	}
}

static char *fragment_codes(const struct fragment *f)
{
	struct strbuf out = {0};

	for (int d = 0; d < _DISPATCH_MAX; d++) {
		for (size_t i = 0; i < f->dispatch[d].n; i++) {
			const struct rule *r = &f->dispatch[d].items[i];

			if (out.len)
				strbuf_add_char(&out, ' ');
			strbuf_add(&out, dispatch_code(r, (enum dispatch_chain)d, f->service->def));
			add_target(&out, r);
		}
	}
	for (size_t i = 0; i < f->n_chains; i++) {
		const struct chain *c = &f->chains[i];
		const char *kind = c->name + strlen("KUBE-");

		strbuf_add(&out, out.len ? " | " : "| ");
		strbuf_add_bytes(&out, kind, strcspn(kind, "-"));
		for (size_t j = 0; j < c->rules.n; j++) {
			strbuf_add_char(&out, ' ');
			strbuf_add(&out, chain_code(&c->rules.items[j], c->name));
			add_target(&out, &c->rules.items[j]);
		}
	}
	assert_int_equal(strbuf_error(&out), 0);
	strbuf_add(&out, "");
	return out.len ? strbuf_take(&out) : strdup("");
}

/* One service, in all its parts. Each test changes what it is about. */
struct setup {
	char key[32], name[32];
	struct service_port port;
	struct addr external[4];
	struct lb_ip lb[4];
	struct addr_prefix ranges[4];
	struct service_def def;
	struct rules_env env;
	char node_name[8], zone[8];
};

static void set_up(struct setup *s)
{
	*s = (struct setup){
		.key = "ns1/svc",
		.name = "p",
		.port = {.protocol = SVC_TCP, .port = 80},
		.node_name = "node-1",
	};
	s->port.name = s->name;
	s->def = (struct service_def){
		.key = s->key,
		.type = SVC_CLUSTER_IP,
		.ports = &s->port,
		.n_ports = 1,
		.external_ips = s->external,
		.lb_ips = s->lb,
		.source_ranges = s->ranges,
		.has_cluster_ip = {true, true},
		.cluster_ips = {make_addr("10.96.0.1"), make_addr("fd00:96::1")},
		.affinity_seconds = 10800,
	};
	s->env = (struct rules_env){
		.family = ADDR_IPV4,
		.facts = {.nfacct = true},
		.allow_external_ips = true,
		.localhost_node_ports = true,
		.detect_flags = RULE_SRC,
		.detect_cidr = make_prefix("10.1.0.0/16"),
		.node_ip = make_addr("192.0.2.10"),
		.node_name = s->node_name,
		.zone = s->zone,
	};
}

/* A load balancer with one address of each kind. */
static void set_up_external(struct setup *s)
{
	set_up(s);
	s->def.type = SVC_LOAD_BALANCER;
	s->port.node_port = 30080;
	s->external[s->def.n_external_ips++] = make_addr("198.51.100.1");
	s->lb[s->def.n_lb_ips++].ip = make_addr("203.0.113.1");
}

static struct fragment *compile_with(const struct setup *s, const char *const *endpoints, size_t n)
{
	struct service *service = make_service(&s->def);
	struct fragment *f = NULL;
	size_t rules = 0;

	for (size_t i = 0; i < n; i++)
		if (endpoints[i])
			give_endpoint(service, 0, endpoints[i]);
	assert_int_equal(fragment_compile(&s->env, service, &f), 0);
	assert_int_equal(f->refs, 1);
	assert_ptr_equal(f->service, service);
	service_unref(service);

	/* The count and the second pass agree. */
	for (int d = 0; d < _DISPATCH_MAX; d++) {
		assert_int_equal(f->dispatch[d].n, f->dispatch[d].allocated);
		rules += f->dispatch[d].n;
	}
	for (size_t i = 0; i < f->n_chains; i++) {
		assert_int_equal(f->chains[i].rules.n, f->chains[i].rules.allocated);
		assert_true(f->chains[i].rules.n > 0);
		rules += f->chains[i].rules.n;
	}
	assert_int_equal(f->n_rules, rules);
	return f;
}

#define check(s, wanted, ...)                                                  \
	check_codes((s), (wanted), (const char *const[]){NULL, ##__VA_ARGS__}, \
		    ELEMENTSOF(((const char *const[]){NULL, ##__VA_ARGS__})), __LINE__)

static void check_codes(const struct setup *s, const char *wanted, const char *const *endpoints,
			size_t n, int line)
{
	struct fragment *f = compile_with(s, endpoints, n);
	char *got = fragment_codes(f);

	if (!streq(got, wanted))
		fail_msg("line %d: '%s'\nwanted '%s'", line, got, wanted);
	free(got);
	fragment_unref(f);
}

#define REMOTE "10.1.0.1:80 r @node-2"
#define LOCAL "10.1.0.2:80 r @node-1"
#define CUT "10.1.0.3:80 d @node-1"
#define ENDS1 " | SEP E1 E2"
#define ENDS2 ENDS1 ENDS1
#define NAT_EXT "B2>EXT B3>EXT B4>EXT B5>EXT"
#define X_CLUSTER " | EXT X1 X5>SVC"
#define X_LOCAL " | EXT X2>SVC X3 X4>SVC X5>SVL"
#define X_NO_LOCAL " | EXT X2>SVC X3 X4>SVC"
#define REJECTS "A1:REJECT A2:REJECT A4:REJECT A5:REJECT"
#define DROPS "A2:DROP A4:DROP A5:DROP"

/* spec/iptables.md section 3.6, each row with all kinds of external addresses and with none. */
static void test_truth_table(void **state)
{
	static const struct {
		bool internal_local, external_local;
		const char *endpoint, *other;
		const char *with, *without;
	} rows[] = {
		{false, false, NULL, CUT, REJECTS, "A1:REJECT"},
		{true, false, NULL, CUT, REJECTS, "A1:REJECT"},
		{false, true, CUT, NULL, REJECTS, "A1:REJECT"},
		{true, true, NULL, NULL, REJECTS, "A1:REJECT"},
		{false, false, REMOTE, LOCAL, "B1>SVC " NAT_EXT X_CLUSTER " | SVC C1 S2 S2" ENDS2,
		 "B1>SVC | SVC C1 S2 S2" ENDS2},
		{false, false, REMOTE, CUT, "B1>SVC " NAT_EXT X_CLUSTER " | SVC C1 S2" ENDS1,
		 "B1>SVC | SVC C1 S2" ENDS1},
		{false, true, REMOTE, LOCAL,
		 "B1>SVC " NAT_EXT X_LOCAL " | SVC C1 S2 S2 | SVL S2" ENDS2,
		 "B1>SVC | SVC C1 S2 S2" ENDS2},
		{false, true, REMOTE, NULL,
		 DROPS " B1>SVC " NAT_EXT X_NO_LOCAL " | SVC C1 S2" ENDS1,
		 "B1>SVC | SVC C1 S2" ENDS1},
		{true, false, REMOTE, LOCAL,
		 "B1>SVL " NAT_EXT X_CLUSTER " | SVC S2 S2 | SVL C1 S2" ENDS2,
		 "B1>SVL | SVL C1 S2" ENDS1},
		{true, false, REMOTE, NULL, "A1:DROP " NAT_EXT X_CLUSTER " | SVC S2" ENDS1,
		 "A1:DROP"},
		{true, true, REMOTE, LOCAL,
		 "B1>SVL " NAT_EXT X_LOCAL " | SVC S2 S2 | SVL C1 S2" ENDS2,
		 "B1>SVL | SVL C1 S2" ENDS1},
		{true, true, REMOTE, CUT, "A1:DROP " DROPS " " NAT_EXT X_NO_LOCAL " | SVC S2" ENDS1,
		 "A1:DROP"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct setup s;

		set_up_external(&s);
		s.def.internal_local = rows[i].internal_local;
		s.def.external_local = rows[i].external_local;
		check(&s, rows[i].with, rows[i].endpoint, rows[i].other);
		/* "Local" outside needs a service that can be reached from there; this one can, but
		 * has no address for it. */
		set_up(&s);
		s.def.type = SVC_NODE_PORT;
		s.def.internal_local = rows[i].internal_local;
		s.def.external_local = rows[i].external_local;
		check(&s, rows[i].without, rows[i].endpoint, rows[i].other);
	}
}

/* Both families of one service have the same hash; only their own addresses count. */
static void test_families(void **state)
{
	struct setup s;

	(void)state;
	set_up_external(&s);
	s.env.family = ADDR_IPV6;
	s.env.detect_flags = 0;
	check(&s, "B1>SVC B5>EXT | EXT X1 X5>SVC | SVC S2" ENDS1, REMOTE, "[fd00::1]:80 r @node-1");
	check(&s, "A1:REJECT A5:REJECT", REMOTE);

	s.external[s.def.n_external_ips++] = make_addr("2001:db8::1");
	s.lb[s.def.n_lb_ips++].ip = make_addr("2001:db8::2");
	check(&s, "B1>SVC B2>EXT B3>EXT B5>EXT | EXT X1 X5>SVC | SVC S2" ENDS1,
	      "[fd00::1]:80 r @node-1");
	check(&s, REJECTS, LOCAL);

	s.def.has_cluster_ip[ADDR_IPV6] = false;
	check(&s, "", "[fd00::1]:80 r @node-1");
}

static void test_not_served(void **state)
{
	struct fragment *f;
	struct setup s;

	(void)state;
	set_up_external(&s);
	s.def.has_cluster_ip[ADDR_IPV4] = false;
	check(&s, "", REMOTE);
	set_up_external(&s);
	s.def.type = SVC_EXTERNAL_NAME;
	check(&s, "", REMOTE);
	set_up_external(&s);
	s.def.type = SVC_CLUSTER_IP;
	s.def.headless = true;
	check(&s, "", REMOTE);
	set_up(&s);
	s.def.n_ports = 0;
	check(&s, "");

	set_up(&s);
	f = compile_with(&s, (const char *const[]){REMOTE, CUT}, 2);
	assert_int_equal(f->n_endpoints, 2);
	fragment_unref(f);
	s.def.has_cluster_ip[ADDR_IPV4] = false;
	f = compile_with(&s, (const char *const[]){REMOTE, CUT}, 2);
	assert_int_equal(f->n_endpoints, 0);
	fragment_unref(f);
}

static void test_detection(void **state)
{
	struct setup s;

	(void)state;
	set_up_external(&s);
	s.def.external_local = true;
	s.env.detect_flags = 0;
	check(&s, "B1>SVC " NAT_EXT " | EXT X3 X4>SVC X5>SVL | SVC S2 | SVL S2" ENDS1, LOCAL);
	s.env.masquerade_all = true;
	check(&s, "B1>SVC " NAT_EXT " | EXT X3 X4>SVC X5>SVL | SVC C1 S2 | SVL S2" ENDS1, LOCAL);
	s.env.detect_flags = RULE_IN;
	check(&s, "B1>SVC " NAT_EXT X_LOCAL " | SVC C1 S2 | SVL S2" ENDS1, LOCAL);
}

static void test_localhost_node_ports(void **state)
{
	static const struct {
		bool effective, nfacct, ipv6, b4;
	} rows[] = {
		{true, true, false, true},
		{false, true, false, false},
		{true, false, false, false},
		{true, true, true, false},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct setup s;

		set_up(&s);
		s.def.type = SVC_NODE_PORT;
		s.port.node_port = 30080;
		s.env.localhost_node_ports = rows[i].effective;
		s.env.facts.nfacct = rows[i].nfacct;
		s.env.family = rows[i].ipv6 ? ADDR_IPV6 : ADDR_IPV4;
		check(&s,
		      rows[i].b4 ? "B1>SVC B4>EXT B5>EXT" X_CLUSTER " | SVC C1 S2" ENDS1
				 : "B1>SVC B5>EXT" X_CLUSTER " | SVC C1 S2" ENDS1,
		      REMOTE, "[fd00::1]:80 r");
	}
}

static void test_external_ips(void **state)
{
	struct setup s;

	(void)state;
	/* A ClusterIP service is external by its external addresses alone. */
	set_up(&s);
	s.external[s.def.n_external_ips++] = make_addr("198.51.100.1");
	s.external[s.def.n_external_ips++] = make_addr("198.51.100.2");
	s.def.external_local = true;
	check(&s, "B1>SVC B2>EXT B2>EXT" X_LOCAL " | SVC C1 S2 | SVL S2" ENDS1, LOCAL);
	check(&s, "A2:DROP A2:DROP B1>SVC B2>EXT B2>EXT" X_NO_LOCAL " | SVC C1 S2" ENDS1, REMOTE);
	s.env.allow_external_ips = false;
	check(&s, "B1>SVC | SVC C1 S2" ENDS1, REMOTE);
	check(&s, "A1:REJECT");
	/* One of the other family makes "Local" count, although nothing can be reached here. */
	s.env.allow_external_ips = true;
	s.def.n_external_ips = 1;
	s.external[0] = make_addr("2001:db8::1");
	check(&s, "B1>SVC | SVC C1 S2" ENDS1, REMOTE);
	/* Without any it does not count, even if something else can be reached. */
	s.def.n_external_ips = 0;
	check(&s, "B1>SVC | SVC C1 S2" ENDS1, REMOTE);
	s.lb[s.def.n_lb_ips++].ip = make_addr("203.0.113.1");
	check(&s, "B1>SVC B3>EXT" X_CLUSTER " | SVC C1 S2" ENDS1, REMOTE);
}

/* Left to another device: its address has no rules. */
static void test_lb_mode_proxy(void **state)
{
	struct setup s;

	(void)state;
	set_up_external(&s);
	s.def.n_external_ips = 0;
	s.port.node_port = 0;
	s.lb[0].proxy = true;
	check(&s, "B1>SVC | SVC C1 S2" ENDS1, LOCAL);
	check(&s, "A1:REJECT");
	s.lb[s.def.n_lb_ips++].ip = make_addr("203.0.113.2");
	check(&s, "B1>SVC B3>EXT" X_CLUSTER " | SVC C1 S2" ENDS1, LOCAL);
}

static void test_source_ranges(void **state)
{
#define OPEN "B1>SVC B3>EXT" X_CLUSTER " | SVC C1 S2" ENDS1
#define CLOSED(g) "A3:DROP B1>SVC B3>FW" X_CLUSTER " | FW " g " | SVC C1 S2" ENDS1
	static const struct {
		const char *ranges[3];
		const char *wanted;
	} rows[] = {
		{{NULL}, OPEN},
		{{"10.0.0.0/8"}, CLOSED("G1>EXT G3")},
		{{"10.0.0.0/8", "10.0.0.0/8", "172.16.0.1/32"}, CLOSED("G1>EXT G1>EXT G1>EXT G3")},
		/* the node's own address */
		{{"10.0.0.0/8", "192.0.2.0/24"}, CLOSED("G1>EXT G1>EXT G2>EXT G3")},
		{{"192.0.2.10/32"}, CLOSED("G1>EXT G2>EXT G3")},
		/* everyone */
		{{"10.0.0.0/8", "0.0.0.0/0"}, OPEN},
		{{"0.0.0.0/0", "192.0.2.0/24"}, OPEN},
		/* the other family does not count */
		{{"2001:db8::/32"}, OPEN},
		{{"::/0", "10.0.0.0/8"}, CLOSED("G1>EXT G3")},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct setup s;

		set_up_external(&s);
		s.def.n_external_ips = 0;
		s.port.node_port = 0;
		for (size_t j = 0; j < 3 && rows[i].ranges[j]; j++)
			s.ranges[s.def.n_source_ranges++] = make_prefix(rows[i].ranges[j]);
		check(&s, rows[i].wanted, REMOTE);
		check(&s, "A1:REJECT A4:REJECT");
	}
}

/* Each address has its rules, the chain has one per address. */
static void test_firewall_two_addresses(void **state)
{
	struct setup s;

	(void)state;
	set_up_external(&s);
	s.lb[s.def.n_lb_ips++].ip = make_addr("203.0.113.2");
	s.ranges[s.def.n_source_ranges++] = make_prefix("192.0.2.0/24");
	s.def.external_local = true;
	check(&s,
	      "A2:DROP A4:DROP A4:DROP A5:DROP A3:DROP A3:DROP "
	      "B1>SVC B2>EXT B3>FW B3>FW B4>EXT B5>EXT" X_NO_LOCAL
	      " | FW G1>EXT G2>EXT G2>EXT G3 | SVC C1 S2" ENDS1,
	      REMOTE);
}

static void test_health_check_port(void **state)
{
	struct setup s;

	(void)state;
	set_up(&s);
	s.def.type = SVC_LOAD_BALANCER;
	s.def.external_local = true;
	s.def.health_check_node_port = 32000;
	check(&s, "A1:REJECT A6");
	check(&s, "A6 B1>SVC | SVC C1 S2" ENDS1, REMOTE);
	s.def.health_check_node_port = 0;
	check(&s, "A1:REJECT");
	s.def.health_check_node_port = 32000;
	s.def.external_local = false;
	check(&s, "A1:REJECT");
	s.def.external_local = true;
	s.def.type = SVC_NODE_PORT;
	check(&s, "A1:REJECT");
}

static void test_affinity_and_large(void **state)
{
	struct fragment *f;
	struct setup s;

	(void)state;
	set_up(&s);
	s.def.affinity = true;
	s.def.affinity_seconds = 60;
	check(&s, "B1>SVC | SVC C1 S1 S1 S2 S2" ENDS2, REMOTE, LOCAL);
	f = compile_with(&s, (const char *const[]){REMOTE}, 1);
	assert_int_equal(f->chains[0].rules.items[1].seconds, 60);
	assert_ptr_equal(f->chains[0].rules.items[1].chain, f->chains[1].name);
	assert_true(f->chains[1].rules.items[1].flags & RULE_RECENT_SET);
	assert_ptr_equal(f->chains[1].rules.items[1].chain, f->chains[1].name);
	fragment_unref(f);

	s.env.large = true;
	check(&s, "B1>SVC | SVC C1 S1 S1 S2 S2" ENDS2, REMOTE, LOCAL);
	f = compile_with(&s, (const char *const[]){REMOTE}, 1);
	assert_int_equal(f->chains[0].rules.items[0].comment, COMMENT_CLUSTER_IP);
	for (size_t i = 1; i < 3; i++)
		assert_int_equal(f->chains[0].rules.items[i].comment, COMMENT_NONE);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(f->chains[1].rules.items[i].comment, COMMENT_NONE);
	fragment_unref(f);
}

/* The union of the two sets, in the order of the text; each list in the right chain. */
static void test_union(void **state)
{
	static const char *const endpoints[] = {
		"10.0.0.2:80 s @node-1",
		"10.0.0.10:80 r @node-2",
		"10.0.0.1:443 r @node-3",
		"10.0.0.1:80 n @node-1",
	};
	static const char *const order[] = {"10.0.0.10:80", "10.0.0.1:443", "10.0.0.2:80"};
	struct fragment *f;
	struct setup s;
	char hash[NAME_HASH_MAX], name[CHAIN_NAME_MAX];

	(void)state;
	set_up_external(&s);
	s.def.external_local = true;
	f = compile_with(&s, endpoints, ELEMENTSOF(endpoints));
	assert_int_equal(f->n_chains, 6);
	for (size_t i = 0; i < ELEMENTSOF(order); i++) {
		struct addr ip;
		uint16_t port;

		assert_int_equal(addr_port_parse(order[i], &ip, &port), ADDR_OK);
		(void)snprintf(name, sizeof(name), "KUBE-SEP-%s",
			       name_hash_endpoint("ns1/svc:p", SVC_TCP, &ip, port, hash));
		assert_string_equal(f->chains[3 + i].name, name);
	}
	assert_int_equal(f->chains[1].rules.n, 3);
	assert_int_equal(f->chains[1].rules.items[1].one_in, 2);
	assert_ptr_equal(f->chains[1].rules.items[1].chain, f->chains[3].name);
	assert_ptr_equal(f->chains[1].rules.items[2].chain, f->chains[4].name);
	assert_int_equal(f->chains[2].rules.n, 1);
	assert_ptr_equal(f->chains[2].rules.items[0].chain, f->chains[5].name);
	fragment_unref(f);
}

/* One in n, one in n - 1, ..., the rest. */
static void test_probabilities(void **state)
{
	static const char *const endpoints[] = {REMOTE, LOCAL, "10.1.0.4:80 r", "10.1.0.5:80 r"};
	struct fragment *f;
	struct setup s;

	(void)state;
	set_up(&s);
	s.def.affinity = true;
	s.env.detect_flags = 0;
	f = compile_with(&s, endpoints, ELEMENTSOF(endpoints));
	assert_int_equal(f->chains[0].rules.n, 8);
	for (size_t i = 0; i < 4; i++) {
		const struct rule *r = &f->chains[0].rules.items[4 + i];

		assert_int_equal(r->flags, i < 3 ? RULE_STATISTIC : 0);
		assert_int_equal(r->one_in, i < 3 ? 4 - i : 0);
		assert_ptr_equal(r->chain, f->chains[1 + i].name);
		assert_int_equal(f->chains[0].rules.items[i].flags, RULE_RECENT_CHECK);
		assert_ptr_equal(f->chains[0].rules.items[i].chain, f->chains[1 + i].name);
	}
	fragment_unref(f);
}

/* Ports of one service are written one after the other; a health-check port once for each. */
static void test_two_ports(void **state)
{
	char dns[] = "dns", tcp[] = "dns-tcp";
	struct service_port ports[] = {
		{.name = dns, .protocol = SVC_UDP, .port = 53},
		{.name = tcp, .protocol = SVC_TCP, .port = 53},
	};
	struct service *service;
	struct fragment *f;
	struct setup s;
	char *codes;

	(void)state;
	set_up(&s);
	s.def.type = SVC_LOAD_BALANCER;
	s.def.external_local = true;
	s.def.health_check_node_port = 32000;
	s.def.ports = ports;
	s.def.n_ports = 2;
	service = make_service(&s.def);
	give_endpoint(service, 1, "10.1.0.1:53 r");
	assert_int_equal(fragment_compile(&s.env, service, &f), 0);
	codes = fragment_codes(f);
	assert_string_equal(codes, "A1:REJECT A6 A6 B1>SVC | SVC C1 S2" ENDS1);
	assert_int_equal(f->dispatch[DISPATCH_FILTER_SERVICES].items[0].port_index, 0);
	assert_int_equal(f->dispatch[DISPATCH_FILTER_SERVICES].items[0].protocol, SVC_UDP);
	assert_int_equal(f->dispatch[DISPATCH_NAT_SERVICES].items[0].port_index, 1);
	assert_int_equal(f->dispatch[DISPATCH_FILTER_NODEPORTS].items[0].port_index, 0);
	assert_int_equal(f->dispatch[DISPATCH_FILTER_NODEPORTS].items[1].port_index, 1);
	free(codes);
	fragment_unref(f);
	service_unref(service);
}

static void check_text(const struct setup *s, const char *const *endpoints, size_t n,
		       const char *wanted)
{
	struct fragment *f = compile_with(s, endpoints, n);
	struct strbuf out = {0};

	for (int d = 0; d < _DISPATCH_MAX; d++)
		print_rules(dispatch_name((enum dispatch_chain)d), &f->dispatch[d], f->service,
			    &out);
	for (size_t i = 0; i < f->n_chains; i++)
		print_rules(f->chains[i].name, &f->chains[i].rules, f->service, &out);
	assert_string_equal(strbuf_text(&out), wanted);
	strbuf_done(&out);
	fragment_unref(f);
}

static void test_text_ipv6(void **state)
{
	struct setup s;

	(void)state;
	set_up(&s);
	(void)strcpy(s.key, "ns1/aff");
	(void)strcpy(s.name, "");
	s.env.family = ADDR_IPV6;
	s.env.detect_flags = RULE_IN;
	(void)strcpy(s.env.detect_interface, "cni0");
	s.def.affinity = true;
	check_text(&s, (const char *const[]){"[fd00:1::a]:8080 r"}, 1,
		   "-A KUBE-SERVICES -m comment --comment \"ns1/aff cluster IP\" -m tcp -p tcp "
		   "-d fd00:96::1 --dport 80 -j KUBE-SVC-5DSKW6KA4GGQ7NQ3\n"
		   "-A KUBE-SVC-5DSKW6KA4GGQ7NQ3 -m comment --comment \"ns1/aff cluster IP\" "
		   "-m tcp -p tcp -d fd00:96::1 --dport 80 ! -i cni0 -j KUBE-MARK-MASQ\n"
		   "-A KUBE-SVC-5DSKW6KA4GGQ7NQ3 -m comment --comment "
		   "\"ns1/aff -> [fd00:1::a]:8080\" -m recent --name KUBE-SEP-J5FPGWW3KENWXFUZ "
		   "--rcheck --seconds 10800 --reap -j KUBE-SEP-J5FPGWW3KENWXFUZ\n"
		   "-A KUBE-SVC-5DSKW6KA4GGQ7NQ3 -m comment --comment "
		   "\"ns1/aff -> [fd00:1::a]:8080\" -j KUBE-SEP-J5FPGWW3KENWXFUZ\n"
		   "-A KUBE-SEP-J5FPGWW3KENWXFUZ -m comment --comment ns1/aff -s fd00:1::a "
		   "-j KUBE-MARK-MASQ\n"
		   "-A KUBE-SEP-J5FPGWW3KENWXFUZ -m comment --comment ns1/aff -m recent "
		   "--name KUBE-SEP-J5FPGWW3KENWXFUZ --set -m tcp -p tcp -j DNAT "
		   "--to-destination [fd00:1::a]:8080\n");
}

/* Upstream's example of a firewall chain. */
static void test_text_firewall(void **state)
{
	struct setup s;

	(void)state;
	set_up(&s);
	(void)strcpy(s.key, "ns5/svc5");
	(void)strcpy(s.name, "p80");
	s.def.type = SVC_LOAD_BALANCER;
	s.env.detect_flags = 0;
	s.lb[s.def.n_lb_ips++].ip = make_addr("1.2.3.4");
	s.ranges[s.def.n_source_ranges++] = make_prefix("192.0.2.10/32");
	check_text(&s, (const char *const[]){"10.180.0.3:80 r"}, 1,
		   "-A KUBE-PROXY-FIREWALL -m comment --comment \"ns5/svc5:p80 traffic not "
		   "accepted by KUBE-FW-NUKIZ6OKUXPJNT4C\" -m tcp -p tcp -d 1.2.3.4 --dport 80 "
		   "-j DROP\n"
		   "-A KUBE-SERVICES -m comment --comment \"ns5/svc5:p80 cluster IP\" -m tcp "
		   "-p tcp -d 10.96.0.1 --dport 80 -j KUBE-SVC-NUKIZ6OKUXPJNT4C\n"
		   "-A KUBE-SERVICES -m comment --comment \"ns5/svc5:p80 loadbalancer IP\" -m tcp "
		   "-p tcp -d 1.2.3.4 --dport 80 -j KUBE-FW-NUKIZ6OKUXPJNT4C\n"
		   "-A KUBE-EXT-NUKIZ6OKUXPJNT4C -m comment --comment \"masquerade traffic for "
		   "ns5/svc5:p80 external destinations\" -j KUBE-MARK-MASQ\n"
		   "-A KUBE-EXT-NUKIZ6OKUXPJNT4C -j KUBE-SVC-NUKIZ6OKUXPJNT4C\n"
		   "-A KUBE-FW-NUKIZ6OKUXPJNT4C -m comment --comment \"ns5/svc5:p80 loadbalancer "
		   "IP\" -s 192.0.2.10/32 -j KUBE-EXT-NUKIZ6OKUXPJNT4C\n"
		   "-A KUBE-FW-NUKIZ6OKUXPJNT4C -m comment --comment \"ns5/svc5:p80 loadbalancer "
		   "IP\" -s 1.2.3.4 -j KUBE-EXT-NUKIZ6OKUXPJNT4C\n"
		   "-A KUBE-FW-NUKIZ6OKUXPJNT4C -m comment --comment \"other traffic to "
		   "ns5/svc5:p80 will be dropped by KUBE-PROXY-FIREWALL\"\n"
		   "-A KUBE-SVC-NUKIZ6OKUXPJNT4C -m comment --comment \"ns5/svc5:p80 -> "
		   "10.180.0.3:80\" -j KUBE-SEP-I77PXRDZVX7PMWMN\n"
		   "-A KUBE-SEP-I77PXRDZVX7PMWMN -m comment --comment ns5/svc5:p80 "
		   "-s 10.180.0.3 -j KUBE-MARK-MASQ\n"
		   "-A KUBE-SEP-I77PXRDZVX7PMWMN -m comment --comment ns5/svc5:p80 -m tcp -p tcp "
		   "-j DNAT --to-destination 10.180.0.3:80\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truth_table),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_not_served),
		cmocka_unit_test(test_detection),
		cmocka_unit_test(test_localhost_node_ports),
		cmocka_unit_test(test_external_ips),
		cmocka_unit_test(test_lb_mode_proxy),
		cmocka_unit_test(test_source_ranges),
		cmocka_unit_test(test_firewall_two_addresses),
		cmocka_unit_test(test_health_check_port),
		cmocka_unit_test(test_affinity_and_large),
		cmocka_unit_test(test_union),
		cmocka_unit_test(test_probabilities),
		cmocka_unit_test(test_two_ports),
		cmocka_unit_test(test_text_ipv6),
		cmocka_unit_test(test_text_firewall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
