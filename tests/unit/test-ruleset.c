/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-rules.h"

static struct service *make(const char *key, const struct service_def *like)
{
	char copy[64];
	struct service_def def = *like;

	(void)snprintf(copy, sizeof(copy), "%s", key);
	def.key = copy;
	return make_service(&def);
}

/* A plain service with one named port and k endpoints. */
static struct service *make_cluster_ip(const char *key, unsigned k)
{
	char name[] = "p80", text[64];
	struct service_port port = {.name = name, .port = 80};
	struct service_def def = {
		.ports = &port,
		.n_ports = 1,
		.has_cluster_ip = {true, true},
		.cluster_ips = {make_addr("10.96.0.1"), make_addr("fd00:96::1")},
	};
	struct service *s = make(key, &def);

	for (unsigned i = 0; i < k; i++) {
		(void)snprintf(text, sizeof(text), "10.180.%u.%u:80 r", i / 250, i % 250 + 1);
		give_endpoint(s, 0, text);
	}
	return s;
}

static struct service *make_load_balancer(const char *key, unsigned k)
{
	char name[] = "p80", text[64];
	struct addr external = make_addr("198.51.100.1");
	struct lb_ip lb = {.ip = make_addr("203.0.113.1")};
	struct addr_prefix range = make_prefix("10.0.0.0/8");
	struct service_port port = {.name = name, .port = 80, .node_port = 30080};
	struct service_def def = {
		.type = SVC_LOAD_BALANCER,
		.ports = &port,
		.n_ports = 1,
		.has_cluster_ip = {true, false},
		.cluster_ips = {make_addr("10.96.0.1"), {0}},
		.external_ips = &external,
		.n_external_ips = 1,
		.lb_ips = &lb,
		.n_lb_ips = 1,
		.source_ranges = &range,
		.n_source_ranges = 1,
	};
	struct service *s = make(key, &def);

	for (unsigned i = 0; i < k; i++) {
		(void)snprintf(text, sizeof(text), "10.180.%u.%u:80 r", i / 250, i % 250 + 1);
		give_endpoint(s, 0, text);
	}
	return s;
}

static struct view make_view(struct shared_settings *settings, struct service **services, size_t n)
{
	static const char *const addrs[] = {"127.0.0.1%lo", "127.0.0.2%lo", "::1%lo",
					    "192.0.2.10%eth0", "2001:db8:2::10%eth0"};

	return (struct view){
		.world = make_world(settings, services, n),
		.addrs = make_addrs(addrs, ELEMENTSOF(addrs), "192.0.2.10", "2001:db8:2::10"),
	};
}

static void view_done(struct view *v)
{
	world_unref(v->world);
	local_addrs_unref(v->addrs);
}

/* The service of the README, spec/iptables.md section 3.10, as restore input. */
static void test_readme(void **state)
{
	static const char wanted[] =
		"*filter\n"
		"-A KUBE-FIREWALL -m comment --comment \"block incoming localnet connections\" "
		"-d 127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate "
		"RELATED,ESTABLISHED,DNAT -j DROP\n"
		"-A KUBE-FORWARD -m conntrack --ctstate INVALID -m nfacct --nfacct-name "
		"ct_state_invalid_dropped_pkts -j DROP\n"
		"-A KUBE-FORWARD -m comment --comment \"kubernetes forwarding rules\" -m mark "
		"--mark 0x00004000/0x00004000 -j ACCEPT\n"
		"-A KUBE-FORWARD -m comment --comment \"kubernetes forwarding conntrack rule\" "
		"-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n"
		"*nat\n"
		"-A KUBE-POSTROUTING -m mark ! --mark 0x00004000/0x00004000 -j RETURN\n"
		"-A KUBE-POSTROUTING -j MARK --xor-mark 0x00004000\n"
		"-A KUBE-POSTROUTING -m comment --comment \"kubernetes service traffic requiring "
		"SNAT\" -j MASQUERADE --random-fully\n"
		"-A KUBE-MARK-MASQ -j MARK --or-mark 0x00004000\n"
		"-A KUBE-SERVICES -m comment --comment \"default/nginx:tcp-80 cluster IP\" -m tcp "
		"-p tcp -d 10.233.54.175 --dport 80 -j KUBE-SVC-XX3NNXKPRC7N6OJH\n"
		"-A KUBE-NODEPORTS -m comment --comment default/nginx:tcp-80 -m tcp -p tcp "
		"-d 127.0.0.0/8 --dport 32594 -m nfacct --nfacct-name "
		"localhost_nps_accepted_pkts -j KUBE-EXT-XX3NNXKPRC7N6OJH\n"
		"-A KUBE-NODEPORTS -m comment --comment default/nginx:tcp-80 -m tcp -p tcp "
		"--dport 32594 -j KUBE-EXT-XX3NNXKPRC7N6OJH\n"
		"-A KUBE-EXT-XX3NNXKPRC7N6OJH -m comment --comment \"masquerade traffic for "
		"default/nginx:tcp-80 external destinations\" -j KUBE-MARK-MASQ\n"
		"-A KUBE-EXT-XX3NNXKPRC7N6OJH -j KUBE-SVC-XX3NNXKPRC7N6OJH\n"
		"-A KUBE-SVC-XX3NNXKPRC7N6OJH -m comment --comment \"default/nginx:tcp-80 "
		"cluster IP\" -m tcp -p tcp -d 10.233.54.175 --dport 80 ! -s 10.233.64.0/18 "
		"-j KUBE-MARK-MASQ\n"
		"-A KUBE-SVC-XX3NNXKPRC7N6OJH -m comment --comment \"default/nginx:tcp-80 -> "
		"10.233.74.106:80\" -j KUBE-SEP-EUB75IW55XDW6EHN\n"
		"-A KUBE-SEP-EUB75IW55XDW6EHN -m comment --comment default/nginx:tcp-80 "
		"-s 10.233.74.106 -j KUBE-MARK-MASQ\n"
		"-A KUBE-SEP-EUB75IW55XDW6EHN -m comment --comment default/nginx:tcp-80 -m tcp "
		"-p tcp -j DNAT --to-destination 10.233.74.106:80\n"
		"-A KUBE-SERVICES -m comment --comment \"kubernetes service nodeports; NOTE: this "
		"must be the last rule in this chain\" -m addrtype --dst-type LOCAL "
		"-j KUBE-NODEPORTS\n";
	char name[] = "tcp-80";
	struct service_port port = {.name = name, .port = 80, .node_port = 32594};
	struct service_def def = {
		.type = SVC_NODE_PORT,
		.ports = &port,
		.n_ports = 1,
		.has_cluster_ip = {true, false},
		.cluster_ips = {make_addr("10.233.54.175"), {0}},
	};
	struct service *service = make("default/nginx", &def);
	struct shared_settings *settings = make_settings();
	struct ruleset *rs;
	struct view v;
	char *text;

	(void)state;
	give_endpoint(service, 0, "10.233.74.106:80 r");
	add_prefix(&settings->s.cluster_cidr, "10.233.64.0/18");
	v = make_view(settings, &service, 1);
	rs = compile(&v, ADDR_IPV4, &all_facts, NULL);
	text = ruleset_text(rs);
	assert_string_equal(text, wanted);
	free(text);
	ruleset_unref(rs);
	view_done(&v);
}

/* spec/iptables.md section 7; the firewall rule and both counters are on. */
static void test_counts(void **state)
{
	static const struct {
		bool load_balancer;
		unsigned services, endpoints;
		size_t nat, filter;
	} rows[] = {
		{false, 0, 0, 5, 4},   {false, 1, 1, 10, 4},	{false, 1, 2, 13, 4},
		{false, 1, 10, 37, 4}, {false, 10, 10, 325, 4}, {true, 1, 1, 18, 5},
		{true, 1, 2, 21, 5},   {true, 1, 10, 45, 5},	{true, 10, 10, 405, 14},
		{true, 1, 0, 5, 8},    {false, 1, 0, 5, 5},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *settings = make_settings();
		struct service *services[10];
		struct ruleset *rs;
		struct view v;

		for (unsigned j = 0; j < rows[i].services; j++) {
			char key[32];

			(void)snprintf(key, sizeof(key), "ns1/svc%u", j);
			services[j] = rows[i].load_balancer
					      ? make_load_balancer(key, rows[i].endpoints)
					      : make_cluster_ip(key, rows[i].endpoints);
		}
		add_prefix(&settings->s.cluster_cidr, "10.1.0.0/16");
		v = make_view(settings, services, rows[i].services);
		rs = compile(&v, ADDR_IPV4, &all_facts, NULL);
		assert_int_equal(count_rules(rs, TABLE_NAT), rows[i].nat);
		assert_int_equal(count_rules(rs, TABLE_FILTER), rows[i].filter);
		ruleset_unref(rs);
		view_done(&v);
	}
}

#define END                                                                                 \
	"-A KUBE-SERVICES -m comment --comment \"kubernetes service nodeports; NOTE: this " \
	"must be the last rule in this chain\" "

/* What follows from the settings and the host: F1, the last rules of KUBE-SERVICES. */
static void test_node_ports(void **state)
{
	static const struct {
		bool localhost;
		const char *prefixes[2]; /* none: all addresses */
		bool firewall_v4;
		const char *v4, *v6;
	} rows[] = {
		{true,
		 {NULL},
		 true,
		 END "-m addrtype --dst-type LOCAL -j KUBE-NODEPORTS\n",
		 END "-m addrtype --dst-type LOCAL ! -d ::1/128 -j KUBE-NODEPORTS\n"},
		{false,
		 {NULL},
		 false,
		 END "-m addrtype --dst-type LOCAL ! -d 127.0.0.0/8 -j KUBE-NODEPORTS\n",
		 END "-m addrtype --dst-type LOCAL ! -d ::1/128 -j KUBE-NODEPORTS\n"},
		{true,
		 {"192.0.2.0/24", "2001:db8::/32"},
		 false,
		 END "-d 192.0.2.10 -j KUBE-NODEPORTS\n",
		 END "-d 2001:db8:2::10 -j KUBE-NODEPORTS\n"},
		{true,
		 {"127.0.0.0/8", "::1/128"},
		 true,
		 END "-d 127.0.0.1 -j KUBE-NODEPORTS\n" END "-d 127.0.0.2 -j KUBE-NODEPORTS\n",
		 ""},
		{false, {"127.0.0.0/8", "::1/128"}, false, "", ""},
		{true, {"198.18.0.0/15", "fd00::/8"}, false, "", ""},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *settings = make_settings();
		struct view v;

		settings->s.iptables_localhost_node_ports = rows[i].localhost;
		settings->s.node_port_addresses.given = rows[i].prefixes[0] != NULL;
		for (size_t j = 0; j < 2 && rows[i].prefixes[j]; j++)
			add_prefix(&settings->s.node_port_addresses.prefixes, rows[i].prefixes[j]);
		v = make_view(settings, NULL, 0);
		for (int family = 0; family < _ADDR_FAMILY_MAX; family++) {
			struct ruleset *rs = compile(&v, (enum addr_family)family, &all_facts,
						     NULL);
			bool firewall = family == ADDR_IPV4 && rows[i].firewall_v4;
			struct strbuf out = {0};

			print_rules("KUBE-SERVICES", &rs->services_end, NULL, &out);
			assert_string_equal(strbuf_text(&out),
					    family == ADDR_IPV4 ? rows[i].v4 : rows[i].v6);
			assert_int_equal(rs->firewall.rules.n, firewall);
			assert_int_equal(rs->env.localhost_node_ports, firewall);
			strbuf_done(&out);
			ruleset_unref(rs);
		}
		view_done(&v);
	}
}

static void test_facts_and_mark(void **state)
{
	static const struct {
		struct kernel_facts facts;
		unsigned bit;
		const char *forward, *mark;
	} rows[] = {
		{{.nfacct = false},
		 14,
		 "-A f -m conntrack --ctstate INVALID -j DROP\n"
		 "-A f -m comment --comment \"kubernetes forwarding rules\" -m mark "
		 "--mark 0x00004000/0x00004000 -j ACCEPT\n"
		 "-A f -m comment --comment \"kubernetes forwarding conntrack rule\" -m conntrack "
		 "--ctstate RELATED,ESTABLISHED -j ACCEPT\n",
		 "-A m -j MARK --or-mark 0x00004000\n"},
		{{.nfacct = true, .tcp_be_liberal = true},
		 31,
		 "-A f -m comment --comment \"kubernetes forwarding rules\" -m mark "
		 "--mark 0x80000000/0x80000000 -j ACCEPT\n"
		 "-A f -m comment --comment \"kubernetes forwarding conntrack rule\" -m conntrack "
		 "--ctstate RELATED,ESTABLISHED -j ACCEPT\n",
		 "-A m -j MARK --or-mark 0x80000000\n"},
		{{.nfacct = true, .tcp_be_liberal = true},
		 0,
		 "-A f -m comment --comment \"kubernetes forwarding rules\" -m mark "
		 "--mark 0x00000001/0x00000001 -j ACCEPT\n"
		 "-A f -m comment --comment \"kubernetes forwarding conntrack rule\" -m conntrack "
		 "--ctstate RELATED,ESTABLISHED -j ACCEPT\n",
		 "-A m -j MARK --or-mark 0x00000001\n"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *settings = make_settings();
		struct strbuf out = {0};
		struct ruleset *rs;
		struct view v;

		settings->s.iptables_masquerade_bit = rows[i].bit;
		v = make_view(settings, NULL, 0);
		rs = compile(&v, ADDR_IPV6, &rows[i].facts, NULL);
		print_rules("f", &rs->forward.rules, NULL, &out);
		assert_string_equal(strbuf_text(&out), rows[i].forward);
		strbuf_reset(&out);
		print_rules("m", &rs->mark_masq.rules, NULL, &out);
		assert_string_equal(strbuf_text(&out), rows[i].mark);
		assert_string_equal(rs->forward.name, "KUBE-FORWARD");
		assert_string_equal(rs->firewall.name, "KUBE-FIREWALL");
		assert_string_equal(rs->postrouting.name, "KUBE-POSTROUTING");
		assert_string_equal(rs->mark_masq.name, "KUBE-MARK-MASQ");
		strbuf_done(&out);
		ruleset_unref(rs);
		view_done(&v);
	}
}

static void test_detection(void **state)
{
	static const struct {
		enum detect_local mode;
		const char *cluster, *node, *bridge, *prefix;
		unsigned v4, v6;
		const char *cidr_v4, *cidr_v6, *interface;
	} rows[] = {
		{DETECT_CLUSTER_CIDR, "", "", "", "", 0, 0, "", "", ""},
		{DETECT_CLUSTER_CIDR, "10.1.0.0/16 10.2.0.0/16", "10.3.0.0/16", "br0", "veth",
		 RULE_SRC, 0, "10.1.0.0/16", "", ""},
		{DETECT_CLUSTER_CIDR, "fd00::/64 10.1.0.0/16 fd01::/64", "", "", "", RULE_SRC,
		 RULE_SRC, "10.1.0.0/16", "fd00::/64", ""},
		{DETECT_NODE_CIDR, "10.1.0.0/16", "10.3.0.0/24 fd00:3::/64", "", "", RULE_SRC,
		 RULE_SRC, "10.3.0.0/24", "fd00:3::/64", ""},
		{DETECT_BRIDGE_INTERFACE, "10.1.0.0/16", "", "br0", "veth", RULE_IN, RULE_IN, "",
		 "", "br0"},
		{DETECT_INTERFACE_NAME_PREFIX, "", "", "br0", "abcdefghijklmno", RULE_IN, RULE_IN,
		 "", "", "abcdefghijklmno"},
		{DETECT_INTERFACE_NAME_PREFIX, "", "", "br0", "abcdefghijklmn", RULE_IN, RULE_IN,
		 "", "", "abcdefghijklmn+"},
		{DETECT_INTERFACE_NAME_PREFIX, "", "", "br0", "", 0, 0, "", "", ""},
		{DETECT_NONE, "10.1.0.0/16", "10.3.0.0/24", "br0", "veth", 0, 0, "", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *settings = make_settings();
		const char *texts[2] = {rows[i].cluster, rows[i].node};
		struct prefix_list *lists[2] = {&settings->s.cluster_cidr, &settings->s.node_cidr};
		struct view v;

		settings->s.detect_local = rows[i].mode;
		for (int j = 0; j < 2; j++) {
			char *copy = strdup(texts[j]), *at = copy, *word;

			assert_non_null(copy);
			while ((word = strsep(&at, " ")))
				if (word[0])
					add_prefix(lists[j], word);
			free(copy);
		}
		replace_text(&settings->s.bridge_interface, rows[i].bridge);
		replace_text(&settings->s.interface_name_prefix, rows[i].prefix);
		v = make_view(settings, NULL, 0);
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			struct ruleset *rs = compile(&v, (enum addr_family)f, &all_facts, NULL);
			const char *cidr = f == ADDR_IPV4 ? rows[i].cidr_v4 : rows[i].cidr_v6;
			char text[ADDR_PREFIX_TEXT_MAX];

			assert_int_equal(rs->env.detect_flags, f ? rows[i].v6 : rows[i].v4);
			if (cidr[0])
				assert_string_equal(addr_prefix_format(&rs->env.detect_cidr, text),
						    cidr);
			assert_string_equal(rs->env.detect_interface, rows[i].interface);
			ruleset_unref(rs);
		}
		view_done(&v);
	}
}

/* All endpoints of the family count, of the services that are served there. */
static void test_large(void **state)
{
	struct service *services[3];
	struct ruleset *rs;
	struct view v;

	(void)state;
	for (unsigned extra = 0; extra < 2; extra++) {
		struct service_def def = {.has_cluster_ip = {false, true}};

		services[0] = make_cluster_ip("ns1/a", 600);
		services[1] = make_cluster_ip("ns1/b", 400);
		if (extra)
			give_endpoint(services[1], 0, "10.9.9.9:80 n");
		services[2] = make("ns1/c", &def);
		give_endpoint(services[2], 0, "10.9.9.9:80 r");
		v = make_view(make_settings(), services, 3);
		rs = compile(&v, ADDR_IPV4, &all_facts, NULL);
		assert_int_equal(rs->env.large, extra);
		ruleset_unref(rs);
		rs = compile(&v, ADDR_IPV6, &all_facts, NULL);
		assert_false(rs->env.large);
		ruleset_unref(rs);
		view_done(&v);
	}
}

/* The same text, made alone and with the help of the previous ruleset. */
static void check_same(const struct view *v, enum addr_family family, const struct ruleset *rs)
{
	struct ruleset *alone = compile(v, family, &rs->env.facts, NULL);
	char *a = ruleset_text(alone), *b = ruleset_text(rs);

	assert_string_equal(a, b);
	assert_true(rules_env_equal(&alone->env, &rs->env));
	free(a);
	free(b);
	ruleset_unref(alone);
}

static void test_sharing(void **state)
{
	struct shared_settings *settings = make_settings();
	struct service *a = make_cluster_ip("ns1/a", 2), *b = make_cluster_ip("ns1/b", 1);
	struct service *b2 = make_cluster_ip("ns1/b", 3), *c = make_load_balancer("ns2/c", 1);
	struct service *d = make_cluster_ip("ns2/d", 0), *aa = make_cluster_ip("ns1/aa", 1);
	struct service *first[] = {service_ref(a), service_ref(b), service_ref(c)};
	struct service *second[] = {a, aa, service_ref(b2), c, d};
	struct ruleset *one, *two, *three;
	struct view v, w;

	(void)state;
	settings->s.detect_local = DETECT_BRIDGE_INTERFACE;
	replace_text(&settings->s.bridge_interface, "br0");
	v = make_view(shared_settings_ref(settings), first, 3);
	w = make_view(settings, second, 5);
	one = compile(&v, ADDR_IPV4, &all_facts, NULL);
	two = compile(&w, ADDR_IPV4, &all_facts, one);
	assert_ptr_equal(two->fragments[0], one->fragments[0]);
	assert_ptr_equal(two->fragments[3], one->fragments[2]);
	assert_ptr_equal(two->fragments[2]->service, b2);
	for (size_t i = 0; i < 5; i++)
		assert_ptr_equal(two->fragments[i]->service, second[i]);
	check_same(&w, ADDR_IPV4, two);

	/* What is shared outlives the ruleset and the view that it was made for. */
	assert_ptr_equal(ruleset_ref(one), one);
	assert_null(ruleset_unref(one));
	ruleset_unref(one);
	view_done(&v);
	service_unref(b);
	check_same(&w, ADDR_IPV4, two);

	/* Back, with services gone. */
	first[0] = service_ref(b2);
	v = make_view(shared_settings_ref(w.world->settings), first, 1);
	three = compile(&v, ADDR_IPV4, &all_facts, two);
	assert_ptr_equal(three->fragments[0], two->fragments[2]);
	check_same(&v, ADDR_IPV4, three);
	ruleset_unref(three);
	ruleset_unref(two);
	view_done(&v);
	view_done(&w);
	service_unref(b2);
	assert_null(fragment_unref(NULL));
	assert_null(ruleset_unref(NULL));
}

/* A change of what fragments depend on makes all of them anew; another change does not. */
static void change_nothing(struct settings *s)
{
	(void)s;
}
static void change_masquerade_all(struct settings *s)
{
	s->iptables_masquerade_all = true;
}
static void change_external_ips(struct settings *s)
{
	s->allow_external_ips = false;
}
static void change_localhost(struct settings *s)
{
	s->iptables_localhost_node_ports = false;
}
static void change_detection(struct settings *s)
{
	s->cluster_cidr.items[0] = make_prefix("10.2.0.0/16");
}
static void change_detection_mode(struct settings *s)
{
	s->detect_local = DETECT_NONE;
}
static void change_node_name(struct settings *s)
{
	replace_text(&s->node_name, "node-2");
}
static void change_zone(struct settings *s)
{
	replace_text(&s->zone, "there");
}
static void change_node_ip(struct settings *s)
{
	s->node_ip_given = s->has_node_ip[ADDR_IPV4] = true;
	s->node_ip[ADDR_IPV4] = make_addr("10.0.0.1");
}
static void change_mark(struct settings *s)
{
	s->iptables_masquerade_bit = 3;
}
static void change_node_ports(struct settings *s)
{
	s->node_port_addresses.given = true;
	add_prefix(&s->node_port_addresses.prefixes, "127.0.0.0/8");
	add_prefix(&s->node_port_addresses.prefixes, "192.0.2.0/24");
}

static void test_environment(void **state)
{
	static const struct {
		void (*change)(struct settings *s);
		struct kernel_facts facts;
		bool equal, shared;
	} rows[] = {
		{change_nothing, {.nfacct = true}, true, true},
		{change_masquerade_all, {.nfacct = true}, false, false},
		{change_external_ips, {.nfacct = true}, false, false},
		{change_localhost, {.nfacct = true}, false, false},
		{change_detection, {.nfacct = true}, false, false},
		{change_detection_mode, {.nfacct = true}, false, false},
		{change_node_name, {.nfacct = true}, false, false},
		{change_zone, {.nfacct = true}, false, false},
		{change_node_ip, {.nfacct = true}, false, false},
		{change_nothing, {.nfacct = false}, false, false},
		{change_nothing, {.nfacct = true, .tcp_be_liberal = true}, false, true},
		{change_mark, {.nfacct = true}, false, true},
		{change_node_ports, {.nfacct = true}, false, true},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *before = make_settings(), *after = make_settings();
		struct service *service = make_load_balancer("ns1/a", 2);
		struct service *same = service_ref(service);
		struct ruleset *one, *two;
		struct view v, w;

		add_prefix(&before->s.cluster_cidr, "10.1.0.0/16");
		add_prefix(&after->s.cluster_cidr, "10.1.0.0/16");
		rows[i].change(&after->s);
		v = make_view(before, &service, 1);
		w = make_view(after, &same, 1);
		one = compile(&v, ADDR_IPV4, &all_facts, NULL);
		two = compile(&w, ADDR_IPV4, &rows[i].facts, one);
		assert_int_equal(rules_env_equal(&one->env, &two->env), rows[i].equal);
		if ((one->fragments[0] == two->fragments[0]) != rows[i].shared)
			fail_msg("row %zu: the fragment is %s", i,
				 rows[i].shared ? "not shared" : "shared");
		check_same(&w, ADDR_IPV4, two);
		ruleset_unref(one);
		ruleset_unref(two);
		view_done(&v);
		view_done(&w);
	}
}

static void test_families_do_not_share(void **state)
{
	struct service *service = make_cluster_ip("ns1/a", 1);
	struct view v = make_view(make_settings(), &service, 1);
	struct ruleset *one, *two;

	(void)state;
	one = compile(&v, ADDR_IPV4, &all_facts, NULL);
	two = compile(&v, ADDR_IPV6, &all_facts, one);
	assert_ptr_not_equal(one->fragments[0], two->fragments[0]);
	check_same(&v, ADDR_IPV6, two);
	ruleset_unref(one);
	ruleset_unref(two);
	view_done(&v);
}

/* spec/iptables.md section 1.2 */
static void test_jumps(void **state)
{
#define EXTERNAL                                                                           \
	"-m conntrack --ctstate NEW -m comment --comment \"kubernetes externally-visible " \
	"service portals\" -j KUBE-EXTERNAL-SERVICES"
#define PORTALS                                                                           \
	"-m conntrack --ctstate NEW -m comment --comment \"kubernetes service portals\" " \
	"-j KUBE-SERVICES"
#define FIREWALL                                                                      \
	"-m conntrack --ctstate NEW -m comment --comment \"kubernetes load balancer " \
	"firewall\" -j KUBE-PROXY-FIREWALL"
#define NAT_PORTALS "-m comment --comment \"kubernetes service portals\" -j KUBE-SERVICES"
	static const struct {
		enum rule_table table;
		const char *chain, *text, *target;
	} rows[] = {
		{TABLE_FILTER, "INPUT", EXTERNAL, "KUBE-EXTERNAL-SERVICES"},
		{TABLE_FILTER, "FORWARD", EXTERNAL, "KUBE-EXTERNAL-SERVICES"},
		{TABLE_FILTER, "INPUT",
		 "-m comment --comment \"kubernetes health check service ports\" "
		 "-j KUBE-NODEPORTS",
		 "KUBE-NODEPORTS"},
		{TABLE_FILTER, "FORWARD", PORTALS, "KUBE-SERVICES"},
		{TABLE_FILTER, "OUTPUT", PORTALS, "KUBE-SERVICES"},
		{TABLE_FILTER, "FORWARD",
		 "-m comment --comment \"kubernetes forwarding rules\" -j KUBE-FORWARD",
		 "KUBE-FORWARD"},
		{TABLE_FILTER, "INPUT", FIREWALL, "KUBE-PROXY-FIREWALL"},
		{TABLE_FILTER, "OUTPUT", FIREWALL, "KUBE-PROXY-FIREWALL"},
		{TABLE_FILTER, "FORWARD", FIREWALL, "KUBE-PROXY-FIREWALL"},
		{TABLE_NAT, "OUTPUT", NAT_PORTALS, "KUBE-SERVICES"},
		{TABLE_NAT, "PREROUTING", NAT_PORTALS, "KUBE-SERVICES"},
		{TABLE_NAT, "POSTROUTING",
		 "-m comment --comment \"kubernetes postrouting rules\" -j KUBE-POSTROUTING",
		 "KUBE-POSTROUTING"},
		{TABLE_FILTER, "INPUT", "-j KUBE-FIREWALL", "KUBE-FIREWALL"},
		{TABLE_FILTER, "OUTPUT", "-j KUBE-FIREWALL", "KUBE-FIREWALL"},
	};
	struct strbuf out = {0};

	(void)state;
	assert_int_equal(n_ruleset_jumps, ELEMENTSOF(rows));
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		const struct jump *j = &ruleset_jumps[i];

		assert_int_equal(j->table, rows[i].table);
		assert_string_equal(j->chain, rows[i].chain);
		assert_string_equal(j->target, rows[i].target);
		assert_int_equal(j->rule.port_index, RULE_NO_PORT);
		strbuf_reset(&out);
		rule_print(&j->rule, NULL, &out);
		assert_string_equal(strbuf_text(&out), rows[i].text);
		/* A save shows these rules as they are written. */
		strbuf_reset(&out);
		strbuf_addf(&out, "-A %s %s", rows[i].chain, rows[i].text);
		assert_string_equal(strbuf_text(&out), j->saved);
	}
	strbuf_done(&out);
}

static void test_chain_names(void **state)
{
	static const struct {
		const char *name;
		bool service;
	} names[] = {
		{"KUBE-SVC-XX3NNXKPRC7N6OJH", true},
		{"KUBE-SVL-X", true},
		{"KUBE-SEP-X", true},
		{"KUBE-FW-X", true},
		{"KUBE-EXT-", true},
		{"KUBE-SERVICES", false},
		{"KUBE-FORWARD", false},
		{"KUBE-FIREWALL", false},
		{"KUBE-EXTERNAL-SERVICES", false},
		{"KUBE-SVC", false},
		{"kube-svc-x", false},
		{"XKUBE-SVC-X", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		assert_int_equal(chain_is_service_chain(names[i].name), names[i].service);
	assert_string_equal(dispatch_name(DISPATCH_FILTER_EXTERNAL), "KUBE-EXTERNAL-SERVICES");
	assert_string_equal(dispatch_name(DISPATCH_NAT_NODEPORTS), "KUBE-NODEPORTS");
	assert_int_equal(dispatch_table(DISPATCH_FILTER_NODEPORTS), TABLE_FILTER);
	assert_int_equal(dispatch_table(DISPATCH_NAT_SERVICES), TABLE_NAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_readme),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_node_ports),
		cmocka_unit_test(test_facts_and_mark),
		cmocka_unit_test(test_detection),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_sharing),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_families_do_not_share),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_chain_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
