/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-ipvs.h"

static struct ipvs_env *make_env(const struct view *v, enum addr_family family)
{
	struct ipvs_env *env = NULL;

	assert_int_equal(ipvs_env_make(v, family, &env), 0);
	assert_non_null(env);
	return env;
}

static char *list_text(const struct addr *list, size_t n)
{
	struct strbuf out = {0};
	char text[ADDR_TEXT_MAX];

	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			strbuf_add_char(&out, ' ');
		strbuf_add(&out, addr_format(&list[i], text));
	}
	assert_int_equal(strbuf_error(&out), 0);
	return out.len ? strbuf_take(&out) : strdup("");
}

static void check_list(const struct addr *list, size_t n, const char *wanted, size_t row)
{
	char *got = list_text(list, n);

	if (!streq(got, wanted))
		fail_msg("row %zu: '%s'\nwanted '%s'", row, got, wanted);
	free(got);
}

/* spec/ipvs.md section 2.3 */
static void test_node_ports(void **state)
{
	static const char *const addrs[] = {
		"127.0.0.1%lo",		 "127.0.0.5%lo",
		"203.0.113.9%lo",	 "::1%lo",
		"192.0.2.10%eth0",	 "192.0.2.10%eth1",
		"169.254.1.1%eth0",	 "2001:db8:2::10%eth0",
		"fe80::10%eth0",	 "10.1.0.1%br0",
		"10.96.0.1%kube-ipvs0",	 "fd00:96::1%kube-ipvs0",
		"192.0.2.10%kube-ipvs0",
	};
#define ALL_V4 "10.1.0.1 169.254.1.1 192.0.2.10 203.0.113.9"
#define ALL_V6 "2001:db8:2::10"
	static const struct {
		const char *prefixes, *interface;
		bool primary, localhost, all;
		const char *v4, *v6;
	} rows[] = {
		{"", "", false, false, false, ALL_V4, ALL_V6},
		{"", "", false, false, true, ALL_V4, ALL_V6},
		{"0.0.0.0/0", "", false, false, false, ALL_V4, ALL_V6},
		{"10.0.0.0/8 0.0.0.0/0", "", false, false, false, ALL_V4, ALL_V6},
		/* of one family only: all of the other */
		{"10.0.0.0/8", "", false, false, false, "10.1.0.1", ALL_V6},
		{"2001:db8::/32", "", false, false, false, ALL_V4, "2001:db8:2::10"},
		{"192.0.0.0/8 192.0.2.0/24 fe80::/10", "", false, false, false, "192.0.2.10",
		 "fe80::10"},
		{"172.16.0.0/12 fd00:7::/32", "", false, false, false, "", ""},
		{"10.96.0.0/16 fd00:96::/32", "", false, false, false, "", ""},
		{"", "", false, true, false, "", ""},
		{"127.0.0.0/8 192.0.2.0/24", "", false, true, false, "192.0.2.10", ""},
		{"", "", true, false, false, "192.0.2.10", "2001:db8:2::10"},
		{"", "br0", false, false, false, "10.1.0.1", ""},
		{"", "kube-ipvs0", false, false, false, "", ""},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *settings = make_settings();
		struct node_port_addresses *npa = &settings->s.node_port_addresses;
		char *copy = strdup(rows[i].prefixes), *at = copy, *word;
		struct view v;

		assert_non_null(copy);
		npa->given = true;
		npa->primary = rows[i].primary;
		npa->localhost = rows[i].localhost;
		npa->all = rows[i].all;
		while ((word = strsep(&at, " ")))
			if (word[0])
				add_prefix(&npa->prefixes, word);
		free(copy);
		if (rows[i].interface[0])
			add_text(&npa->interfaces, rows[i].interface);
		v = make_view_at(settings, NULL, 0, addrs, ELEMENTSOF(addrs));
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			struct ipvs_env *env = make_env(&v, (enum addr_family)f);

			check_list(env->node_ports, env->n_node_ports,
				   f == ADDR_IPV4 ? rows[i].v4 : rows[i].v6, i);
			/* these do not depend on what was chosen */
			check_list(env->on_links, env->n_on_links, f == ADDR_IPV4 ? ALL_V4 : ALL_V6,
				   i);
			ipvs_env_free(env);
		}
		view_done(&v);
	}
}

/* Of a list, service addresses are taken out as in iptables mode; of all addresses they are not. */
static void test_service_addresses(void **state)
{
	static const char *const addrs[] = {"192.0.2.10%eth0", "203.0.113.1%eth0",
					    "198.51.100.1%eth0"};

	(void)state;
	for (int listed = 0; listed < 2; listed++) {
		struct shared_settings *settings = make_settings();
		struct service *service;
		struct ipvs_env *env;
		struct setup s;
		struct view v;

		set_up_external(&s, "ns/a");
		service = make_from(&s, NULL, 0);
		if (listed) {
			add_prefix(&settings->s.node_port_addresses.prefixes, "192.0.0.0/2");
			settings->s.node_port_addresses.given = true;
		}
		v = make_view_at(settings, &service, 1, addrs, ELEMENTSOF(addrs));
		env = make_env(&v, ADDR_IPV4);
		check_list(env->node_ports, env->n_node_ports,
			   listed ? "192.0.2.10" : "192.0.2.10 198.51.100.1 203.0.113.1",
			   (size_t)listed);
		ipvs_env_free(env);
		view_done(&v);
	}
}

static void test_no_addresses(void **state)
{
	struct view v = make_view_at(make_settings(), NULL, 0, NULL, 0);
	struct ipvs_env *env = make_env(&v, ADDR_IPV4);

	(void)state;
	assert_int_equal(env->n_node_ports, 0);
	assert_int_equal(env->n_on_links, 0);
	ipvs_env_free(env);
	local_addrs_unref(v.addrs);
	v.addrs = NULL;
	env = make_env(&v, ADDR_IPV6);
	assert_int_equal(env->n_node_ports, 0);
	assert_true(addr_equal(&env->node_ip, &(struct addr){ADDR_IPV6, {[15] = 1}}));
	ipvs_env_free(env);
	view_done(&v);
	assert_null(ipvs_env_free(NULL));
}

static void test_settings(void **state)
{
	struct shared_settings *settings = make_settings();
	struct ipvs_env *env;
	struct view v;

	(void)state;
	replace_text(&settings->s.ipvs_scheduler, "mh");
	replace_text(&settings->s.zone, "here");
	settings->s.iptables_masquerade_bit = 31;
	settings->s.iptables_masquerade_all = true;
	settings->s.allow_external_ips = false;
	add_prefix(&settings->s.cluster_cidr, "10.1.0.0/16");
	v = make_view(settings, NULL, 0);
	env = make_env(&v, ADDR_IPV4);
	assert_string_equal(env->scheduler, "mh");
	assert_ptr_not_equal(env->scheduler, settings->s.ipvs_scheduler);
	assert_string_equal(env->zone, "here");
	assert_string_equal(env->node_name, "node-1");
	assert_int_equal(env->mark, 0x80000000);
	assert_true(env->masquerade_all);
	assert_false(env->allow_external_ips);
	assert_int_equal(env->detect_flags, RULE_SRC);
	assert_int_equal(env->detect_range.length, 16);
	ipvs_env_free(env);
	env = make_env(&v, ADDR_IPV6);
	assert_int_equal(env->detect_flags, 0);
	ipvs_env_free(env);
	view_done(&v);
}

static void test_schedulers(void **state)
{
	(void)state;
	for (const char *const *name = ipvs_scheduler_names; *name; name++)
		assert_string_equal(ipvs_scheduler_static(*name), *name);
	assert_string_equal(ipvs_scheduler_static(""), "rr");
	assert_string_equal(ipvs_scheduler_static("RR"), "rr");
	assert_string_equal(ipvs_scheduler_static("wr"), "rr");
}

static void change_nothing(struct settings *s)
{
	(void)s;
}
static void change_mark(struct settings *s)
{
	s->iptables_masquerade_bit = 3;
}
static void change_masquerade_all(struct settings *s)
{
	s->iptables_masquerade_all = true;
}
static void change_detection(struct settings *s)
{
	add_prefix(&s->cluster_cidr, "10.2.0.0/16");
}
static void change_scheduler(struct settings *s)
{
	replace_text(&s->ipvs_scheduler, "lc");
}
static void change_external_ips(struct settings *s)
{
	s->allow_external_ips = false;
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
static void change_node_ports(struct settings *s)
{
	add_prefix(&s->node_port_addresses.prefixes, "192.0.2.0/24");
}

static void test_equal(void **state)
{
	static const char *const more[] = {"127.0.0.1%lo", "192.0.2.10%eth0", "10.1.0.1%br0",
					   "203.0.113.7%eth0"};
	static const struct {
		void (*change)(struct settings *s);
		size_t n_addrs;
		bool equal;
	} rows[] = {
		{change_nothing, 3, true},	  {change_mark, 3, true},
		{change_masquerade_all, 3, true}, {change_detection, 3, true},
		{change_scheduler, 3, false},	  {change_external_ips, 3, false},
		{change_node_name, 3, false},	  {change_zone, 3, false},
		{change_node_ip, 3, false},	  {change_node_ports, 3, false},
		{change_nothing, 4, false},	  {change_nothing, 2, false},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *before = make_settings(), *after = make_settings();
		struct ipvs_env *a, *b, *c;
		struct view v, w;

		rows[i].change(&after->s);
		v = make_view_at(before, NULL, 0, more, 3);
		w = make_view_at(after, NULL, 0, more, rows[i].n_addrs);
		a = make_env(&v, ADDR_IPV4);
		b = make_env(&w, ADDR_IPV4);
		c = make_env(&v, ADDR_IPV6);
		if (ipvs_env_equal_for_fragments(a, b) != rows[i].equal)
			fail_msg("row %zu", i);
		assert_false(ipvs_env_equal_for_fragments(a, c));
		ipvs_env_free(a);
		ipvs_env_free(b);
		ipvs_env_free(c);
		view_done(&v);
		view_done(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_node_ports),   cmocka_unit_test(test_service_addresses),
		cmocka_unit_test(test_no_addresses), cmocka_unit_test(test_settings),
		cmocka_unit_test(test_schedulers),   cmocka_unit_test(test_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
