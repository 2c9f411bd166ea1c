/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

static const char *const host[] = {
	"127.0.0.1%lo",	       "::1%lo",       "192.0.2.10%eth0",
	"2001:db8:2::10%eth0", "fe80::1%eth0", "10.1.0.1%br0",
	"2001:db8:1::1%br0",   "fe80::1%br0",  "203.0.113.7%eth0",
};
#define V4 "192.0.2.10"
#define V6 "2001:db8:2::10"

/* What NodePortAddresses= says: words, prefixes with a slash, other words are interfaces. */
static void give_node_ports(struct settings *s, const char *text)
{
	char *copy, *at, *word;

	if (!text)
		return;
	s->node_port_addresses.given = true;
	copy = at = strdup(text);
	assert_non_null(copy);
	while ((word = strsep(&at, " "))) {
		if (streq(word, "primary"))
			s->node_port_addresses.primary = true;
		else if (streq(word, "localhost"))
			s->node_port_addresses.localhost = true;
		else if (streq(word, "all"))
			s->node_port_addresses.all = true;
		else if (strchr(word, '/'))
			add_prefix(&s->node_port_addresses.prefixes, word);
		else if (word[0])
			add_text(&s->node_port_addresses.interfaces, word);
	}
	free(copy);
}

/* "all", or addresses with blanks between them; " lo" at the end when loopback is listed. */
static void check_node_ports(const struct view *v, enum addr_family family, const char *what,
			     const char *wanted)
{
	struct node_port_set s;
	char got[512] = "", text[ADDR_TEXT_MAX];

	memset(&s, 0xA5, sizeof(s));
	assert_int_equal(view_node_ports(v, family, &s), 0);
	if (s.match_all) {
		assert_int_equal(s.n, 0);
		(void)strcat(got, "all");
	}
	for (size_t i = 0; i < s.n; i++) {
		if (got[0])
			(void)strcat(got, " ");
		(void)strcat(got, addr_format(&s.addrs[i], text));
	}
	if (s.lists_loopback)
		(void)strcat(got, " lo");
	if (!streq(got, wanted))
		fail_msg("NodePortAddresses=%s, family %d: '%s', wanted '%s'", what, (int)family,
			 got, wanted);
	node_port_set_done(&s);
	assert_null(s.addrs);
	assert_int_equal(s.n, 0);
}

/* Each with the node's addresses known and unknown. */
static void test_node_ports(void **state)
{
	static const struct {
		const char *text;
		const char *v4, *v6;		     /* known */
		const char *unknown_v4, *unknown_v6; /* NULL: the same */
	} rows[] = {
		/* the words by families by node IP known or not */
		{NULL, "all lo", "all", NULL, NULL},
		{"", "all lo", "all", NULL, NULL},
		{"primary", V4, V6, "all lo", "all"},
		{"localhost", "127.0.0.1 lo", "::1", NULL, NULL},
		{"all", "all lo", "all", NULL, NULL},
		{"primary localhost", "127.0.0.1 " V4 " lo", "::1 " V6, "127.0.0.1 lo", "::1"},
		{"primary all", "all lo", "all", NULL, NULL},
		{"localhost all", "all lo", "all", NULL, NULL},
		/* prefixes: none of a family left is all of it */
		{"10.0.0.0/8", "10.1.0.1", "all", NULL, NULL},
		{"2001:db8::/32", "all lo", "2001:db8:1::1 2001:db8:2::10", NULL, NULL},
		{"198.18.0.0/15 fd00::/8", "", "", NULL, NULL},
		{"10.0.0.0/8 0.0.0.0/0", "all lo", "all", NULL, NULL},
		{"10.0.0.0/8 ::/0", "10.1.0.1", "all", NULL, NULL},
		{"10.1.0.1/32 10.0.0.0/8 10.1.0.0/16 fe80::/10", "10.1.0.1", "fe80::1", NULL, NULL},
		{"primary 10.0.0.0/8", "10.1.0.1 " V4, V6, "10.1.0.1", "all"},
		/* loopback, wholly, in part, from above */
		{"127.0.0.1/32 fe80::/64", "127.0.0.1 lo", "fe80::1", NULL, NULL},
		{"127.9.0.0/16 ::1/128", " lo", "::1", NULL, NULL},
		{"0.0.0.0/1 fe80::/64", "10.1.0.1 127.0.0.1 lo", "fe80::1", NULL, NULL},
		{"126.0.0.0/7 fe80::/64", "127.0.0.1 lo", "fe80::1", NULL, NULL},
		{"128.0.0.0/1 fe80::/64", "192.0.2.10 203.0.113.7", "fe80::1", NULL, NULL},
		/* interfaces; one without addresses does not open the others */
		{"br0", "10.1.0.1", "2001:db8:1::1 fe80::1", NULL, NULL},
		{"lo", "127.0.0.1 lo", "::1", NULL, NULL},
		{"ppp0", "", "", NULL, NULL},
		{"br", "", "", NULL, NULL},
		{"ppp0 localhost", "127.0.0.1 lo", "::1", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *settings = make_settings();
		struct view v;

		give_node_ports(&settings->s, rows[i].text);
		v.world = make_world(settings, NULL, 0);
		v.addrs = make_addrs(host, ELEMENTSOF(host), V4, V6);
		check_node_ports(&v, ADDR_IPV4, rows[i].text, rows[i].v4);
		check_node_ports(&v, ADDR_IPV6, rows[i].text, rows[i].v6);
		local_addrs_unref(v.addrs);

		v.addrs = make_addrs(host, ELEMENTSOF(host), NULL, NULL);
		check_node_ports(&v, ADDR_IPV4, rows[i].text,
				 rows[i].unknown_v4 ? rows[i].unknown_v4 : rows[i].v4);
		check_node_ports(&v, ADDR_IPV6, rows[i].text,
				 rows[i].unknown_v6 ? rows[i].unknown_v6 : rows[i].v6);
		local_addrs_unref(v.addrs);
		world_unref(v.world);
	}
}

static void test_node_ports_nftables(void **state)
{
	struct shared_settings *settings = make_settings();
	struct view v;

	(void)state;
	settings->s.mode = MODE_NFTABLES;
	v.world = make_world(settings, NULL, 0);
	v.addrs = make_addrs(host, ELEMENTSOF(host), V4, NULL);
	check_node_ports(&v, ADDR_IPV4, "(default)", V4);
	check_node_ports(&v, ADDR_IPV6, "(default)", "all");
	local_addrs_unref(v.addrs);
	world_unref(v.world);
}

static void test_no_addresses(void **state)
{
	struct shared_settings *settings = make_settings();
	struct view v = {.addrs = NULL};

	(void)state;
	give_node_ports(&settings->s, "10.0.0.0/8");
	v.world = make_world(settings, NULL, 0);
	check_node_ports(&v, ADDR_IPV4, "10.0.0.0/8", "");
	v.addrs = make_addrs(NULL, 0, NULL, NULL);
	check_node_ports(&v, ADDR_IPV4, "10.0.0.0/8", "");
	local_addrs_unref(v.addrs);
	world_unref(v.world);
}

/* Report C11: an address that a service owns is not the node's, unless it is. */
static void test_service_addresses_left_out(void **state)
{
	static char key[] = "default/lb";
	struct addr external[] = {make_addr("10.1.0.1"), make_addr(V4), make_addr("198.51.100.1"),
				  make_addr("2001:db8:1::1")};
	struct lb_ip lb[] = {{.ip = make_addr("203.0.113.7")}};
	struct service_def def = {
		.key = key,
		.type = SVC_LOAD_BALANCER,
		.has_cluster_ip = {true, false},
		.cluster_ips = {make_addr("10.96.0.1"), {0}},
		.external_ips = external,
		.n_external_ips = ELEMENTSOF(external),
		.lb_ips = lb,
		.n_lb_ips = 1,
	};
	struct {
		bool external_ips, proxy, headless;
		const char *v4, *v6;
	} rows[] = {
		{true, false, false, V4, "2001:db8:1::1 " V6 " fe80::1"},
		{false, false, false, "10.1.0.1 " V4, "2001:db8:1::1 " V6 " fe80::1"},
		{true, true, false, V4 " 203.0.113.7", "2001:db8:1::1 " V6 " fe80::1"},
		{true, false, true, "10.1.0.1 " V4 " 203.0.113.7", "2001:db8:1::1 " V6 " fe80::1"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *settings = make_settings();
		struct service *service;
		struct view v;

		settings->s.allow_external_ips = rows[i].external_ips;
		give_node_ports(&settings->s, "br0 eth0");
		lb[0].proxy = rows[i].proxy;
		def.headless = rows[i].headless;
		service = make_service(&def);
		v.world = make_world(settings, &service, 1);
		v.addrs = make_addrs(host, ELEMENTSOF(host), V4, V6);
		check_node_ports(&v, ADDR_IPV4, "br0 eth0", rows[i].v4);
		check_node_ports(&v, ADDR_IPV6, "br0 eth0", rows[i].v6);
		local_addrs_unref(v.addrs);
		world_unref(v.world);
	}
}

static void test_node_ip(void **state)
{
	static const struct {
		bool given;
		const char *setting[2], *found[2];
		const char *wanted[2]; /* NULL: none */
	} rows[] = {
		{false, {NULL, NULL}, {NULL, NULL}, {NULL, NULL}},
		{false, {NULL, NULL}, {V4, NULL}, {V4, NULL}},
		{false, {NULL, NULL}, {V4, V6}, {V4, V6}},
		/* a family that is not named has none, whatever was found */
		{true, {"192.0.2.77", NULL}, {V4, V6}, {"192.0.2.77", NULL}},
		{true, {NULL, "2001:db8::77"}, {V4, V6}, {NULL, "2001:db8::77"}},
		{true, {NULL, NULL}, {V4, V6}, {NULL, NULL}},
		{true, {"127.0.0.1", NULL}, {V4, V6}, {"127.0.0.1", NULL}},
	};
	static const char *const placeholder[2] = {"127.0.0.1", "::1"};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *settings = make_settings();
		struct view v;

		settings->s.node_ip_given = rows[i].given;
		for (int f = 0; f < 2; f++) {
			settings->s.has_node_ip[f] = rows[i].setting[f] != NULL;
			if (rows[i].setting[f])
				settings->s.node_ip[f] = make_addr(rows[i].setting[f]);
		}
		v.world = make_world(settings, NULL, 0);
		v.addrs = make_addrs(host, ELEMENTSOF(host), rows[i].found[0], rows[i].found[1]);
		for (int f = 0; f < 2; f++) {
			const char *wanted = rows[i].wanted[f];
			char text[ADDR_TEXT_MAX];
			struct addr ip;

			memset(&ip, 0xA5, sizeof(ip));
			assert_int_equal(view_node_ip(&v, (enum addr_family)f, &ip),
					 wanted != NULL);
			assert_string_equal(addr_format(&ip, text),
					    wanted ? wanted : placeholder[f]);
		}
		local_addrs_unref(v.addrs);
		world_unref(v.world);
	}
}

/* The word primary means no loopback address. */
static void test_primary_loopback(void **state)
{
	struct shared_settings *settings = make_settings();
	struct view v;

	(void)state;
	settings->s.node_ip_given = settings->s.has_node_ip[ADDR_IPV4] = true;
	settings->s.node_ip[ADDR_IPV4] = make_addr("127.0.0.1");
	give_node_ports(&settings->s, "primary");
	v.world = make_world(settings, NULL, 0);
	v.addrs = make_addrs(host, ELEMENTSOF(host), V4, V6);
	check_node_ports(&v, ADDR_IPV4, "primary", "all lo");
	local_addrs_unref(v.addrs);
	world_unref(v.world);
}

static void test_local_addrs(void **state)
{
	static const char *const twice[] = {"10.1.0.1%br0", "192.0.2.10%eth0", "10.1.0.1%br0",
					    "10.1.0.1%br1", "::1%lo"};
	static const char *const once[] = {"::1%lo", "10.1.0.1%br1", "192.0.2.10%eth0",
					   "10.1.0.1%br0"};
	struct local_addrs *a = make_addrs(twice, ELEMENTSOF(twice), V4, NULL);
	struct local_addrs *b = make_addrs(once, ELEMENTSOF(once), V4, NULL);
	struct local_addrs *empty = make_addrs(NULL, 0, NULL, NULL);

	(void)state;
	assert_int_equal(a->n, 4);
	assert_string_equal(a->items[0].interface, "br0");
	assert_string_equal(a->items[1].interface, "br1");
	assert_true(local_addrs_equal(a, b));
	assert_true(local_addrs_equal(a, a));
	assert_true(local_addrs_equal(NULL, NULL));
	assert_false(local_addrs_equal(a, NULL));
	assert_false(local_addrs_equal(a, empty));

	b->node_ip[ADDR_IPV4] = make_addr("192.0.2.11");
	assert_false(local_addrs_equal(a, b));
	b->node_ip[ADDR_IPV4] = make_addr(V4);
	b->has_node_ip[ADDR_IPV6] = true;
	assert_false(local_addrs_equal(a, b));
	b->has_node_ip[ADDR_IPV6] = false;
	assert_true(local_addrs_equal(a, b));
	b->items[0].interface[2] = '7';
	assert_false(local_addrs_equal(a, b));

	assert_ptr_equal(local_addrs_ref(a), a);
	assert_null(local_addrs_unref(a));
	assert_int_equal(a->refs, 1);
	local_addrs_unref(a);
	local_addrs_unref(b);
	local_addrs_unref(empty);
	assert_null(local_addrs_unref(NULL));
}

static void test_serves(void **state)
{
	struct service_def def = {.type = SVC_NODE_PORT, .has_cluster_ip = {true, false}};

	(void)state;
	assert_true(view_serves(&def, ADDR_IPV4));
	assert_false(view_serves(&def, ADDR_IPV6));
	def.type = SVC_EXTERNAL_NAME;
	assert_false(view_serves(&def, ADDR_IPV4));
	def.type = SVC_CLUSTER_IP;
	def.headless = true;
	assert_false(view_serves(&def, ADDR_IPV4));
}

static struct service *named(const char *name)
{
	char key[32];
	struct service_def def = {.key = key};

	assert_true(strlen(name) < sizeof(key));
	(void)strcpy(key, name);
	return make_service(&def);
}

static void test_diff(void **state)
{
	struct shared_settings *settings = make_settings();
	struct service *a = named("n/a"), *b = named("n/b"), *b2 = named("n/b");
	struct service *c = named("n/c"), *d = named("n/d");
	struct service *before[] = {service_ref(a), service_ref(b), service_ref(c)};
	struct service *after[] = {service_ref(a), service_ref(b2), service_ref(d)};
	struct view old = {.addrs = make_addrs(host, 2, V4, NULL)};
	struct view new = {.addrs = make_addrs(host, 2, V4, NULL)};
	struct view_diff diff;

	(void)state;
	old.world = make_world(shared_settings_ref(settings), before, 3);
	new.world = make_world(settings, after, 3);

	memset(&diff, 0xA5, sizeof(diff));
	assert_int_equal(view_diff(&old, &new, &diff), 0);
	assert_int_equal(diff.flags, 0);
	assert_int_equal(diff.n, 3);
	assert_ptr_equal(diff.pairs[0].old, b);
	assert_ptr_equal(diff.pairs[0].new, b2);
	assert_ptr_equal(diff.pairs[1].old, c);
	assert_null(diff.pairs[1].new);
	assert_null(diff.pairs[2].old);
	assert_ptr_equal(diff.pairs[2].new, d);
	view_diff_done(&diff);
	assert_null(diff.pairs);

	assert_int_equal(view_diff(&new, &old, &diff), 0);
	assert_int_equal(diff.n, 3);
	assert_ptr_equal(diff.pairs[1].new, c);
	assert_ptr_equal(diff.pairs[2].old, d);
	view_diff_done(&diff);

	assert_int_equal(view_diff(&old, &old, &diff), 0);
	assert_int_equal(diff.n, 0);
	assert_int_equal(diff.flags, 0);
	view_diff_done(&diff);

	assert_int_equal(view_diff(NULL, &new, &diff), 0);
	assert_int_equal(diff.n, 3);
	assert_int_equal(diff.flags, VIEW_SETTINGS | VIEW_ADDRESSES);
	assert_null(diff.pairs[0].old);
	assert_ptr_equal(diff.pairs[0].new, a);
	view_diff_done(&diff);

	local_addrs_unref(new.addrs);
	new.addrs = make_addrs(host, 3, V4, NULL);
	assert_int_equal(view_diff(&old, &new, &diff), 0);
	assert_int_equal(diff.flags, VIEW_ADDRESSES);
	view_diff_done(&diff);

	local_addrs_unref(old.addrs);
	local_addrs_unref(new.addrs);
	world_unref(old.world);
	world_unref(new.world);
	service_unref(a);
	service_unref(b);
	service_unref(b2);
	service_unref(c);
	service_unref(d);
}

static void test_diff_settings(void **state)
{
	struct shared_settings *same = make_settings(), *other = make_settings();
	struct view old = {.world = make_world(make_settings(), NULL, 0)};
	struct view new = {.world = make_world(same, NULL, 0)};
	struct view_diff diff;

	(void)state;
	assert_int_equal(view_diff(&old, &new, &diff), 0);
	assert_int_equal(diff.flags, 0);
	view_diff_done(&diff);
	world_unref(new.world);

	other->s.iptables_masquerade_all = true;
	new.world = make_world(other, NULL, 0);
	assert_int_equal(view_diff(&old, &new, &diff), 0);
	assert_int_equal(diff.flags, VIEW_SETTINGS);
	assert_int_equal(diff.n, 0);
	view_diff_done(&diff);
	world_unref(new.world);
	world_unref(old.world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_node_ports),
		cmocka_unit_test(test_node_ports_nftables),
		cmocka_unit_test(test_no_addresses),
		cmocka_unit_test(test_service_addresses_left_out),
		cmocka_unit_test(test_node_ip),
		cmocka_unit_test(test_primary_loopback),
		cmocka_unit_test(test_local_addrs),
		cmocka_unit_test(test_serves),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_diff_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
