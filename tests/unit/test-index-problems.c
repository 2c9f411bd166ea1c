/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-index.h"

/* Lines as they are printed, with places. */
static void assert_told(const struct bench *b, const char *expected)
{
	_cleanup_free_ char *text = problems_text(b);

	assert_string_equal(text, expected);
}

/* S18: both orders of files, in one file, both families; two updates or one. */
static void test_shared_cluster_ip(void **state)
{
#define SHARED(place, ip, other, at)                                           \
	place " '" ip "': is also the clusterIP of service '" other "' at " at \
	      ", with other ports (Kubernetes gives each service an address of its own)"
#define PORT_81 "ports=({port=81;});"
#define BOTH_IPS "clusterIPs=[\"10.0.0.1\",\"fd00::1\"];"
	struct bench b;

	(void)state;
	for (int order = 0; order < 4; order++) {
		const char *first = order % 2 ? "1/b" : "1/a", *second = order % 2 ? "1/a" : "1/b";

		set_up(&b);
		put(&b, first,
		    order % 2 ? SERVICE("b", IP("10.0.0.1") PORT_81)
			      : SERVICE("a", IP("10.0.0.1") PORT));
		if (order < 2)
			assert_int_equal(update(&b), 0);
		put(&b, second,
		    order % 2 ? SERVICE("a", IP("10.0.0.1") PORT)
			      : SERVICE("b", IP("10.0.0.1") PORT_81));
		assert_int_equal(update(&b), 0);
		assert_told(&b, SHARED("1/b:1:31: warning: services[0].clusterIP", "10.0.0.1",
				       "default/a", "1/a:1:31"));
		/* also when neither is touched */
		assert_int_equal(update(&b), 0);
		assert_told(&b, SHARED("1/b:1:31: warning: services[0].clusterIP", "10.0.0.1",
				       "default/a", "1/a:1:31"));
		put(&b, "1/a", SERVICE("a", IP("10.0.0.2") PORT));
		assert_int_equal(update(&b), 0);
		assert_told(&b, "");
		put(&b, "1/a", NULL);
		put(&b, "1/0", SERVICE("c", BOTH_IPS "ports=({port=82;});"));
		put(&b, "1/c",
		    "services=(\n{name=\"d\";" BOTH_IPS "ports=({port=83;});},\n"
		    "{name=\"e\";" IP("fd00:0::1") "ports=({port=84;});});");
		assert_int_equal(update(&b), 0);
		assert_told(
			&b,
			SHARED("1/b:1:31: warning: services[0].clusterIP", "10.0.0.1", "default/c", "1/0:1:33") "\n" SHARED(
				"1/c:2:23: warning: services[0].clusterIPs[0]", "10.0.0.1",
				"default/c",
				"1/0:1:33") "\n" SHARED("1/c:2:34: warning: "
							"services[0].clusterIPs[1]",
							"fd00::1", "default/c",
							"1/0:1:44") "\n" SHARED("1/c:3:21: "
										"warning: "
										"services[1]."
										"clusterIP",
										"fd00::1",
										"default/c",
										"1/0:1:44"));
		put(&b, "1/0", NULL);
		put(&b, "1/b", NULL);
		assert_int_equal(update(&b), 0);
		assert_told(&b, SHARED("1/c:3:21: warning: services[1].clusterIP", "fd00::1",
				       "default/d", "1/c:2:34"));
		tear_down(&b);
	}
}

#define CHAIN(place, field, value, other, at)                                               \
	place ": warning: " field " '" value "': is an address and port of service '" other \
	      "' at " at ": services do not work in a chain (write the endpoints of that service)"

/* E21: whichever of the two comes last; and no longer when either goes. */
static void test_chains(void **state)
{
	static const int columns[] = {35, 78, 102};
	static const char *const fronts[] = {
		SERVICE("front", IP("10.0.0.9") PORT),
		SERVICE("front", IP("10.0.0.8") "ports=({port=80;});externalIPs=[\"10.0.0.9\"];"),
		SERVICE("front", IP("10.0.0.8") LB("10.0.0.9")),
	};
	static const char *const others[] = {
		SERVICE("front", IP("10.0.0.9") "ports=({port=81;});"),
		SERVICE("front", IP("10.0.0.9") "ports=({port=80;protocol=\"UDP\";});"),
		SERVICE("front", IP("10.0.0.8") "type=\"LoadBalancer\";" PORT
						"loadBalancerIPs=({ip=\"10.0.0.9\";ipMode="
						"\"Proxy\";});"),
		SERVICE("front", "type=\"ExternalName\";externalName=\"x.example\";"),
	};
	const char *user = SERVICE("user", IP("10.0.0.1") PORT
				   "endpoints=[\"10.1.0.1:80\",\"10.0.0.9:80\"];");
	struct bench b;

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(fronts); i++) {
		_cleanup_free_ char *expected = NULL;

		assert_true(asprintf(&expected,
				     CHAIN("1/user:1:89", "services[0].endpoints[1]", "10.0.0.9:80",
					   "default/front", "1/front:1:%d"),
				     columns[i]) > 0);
		for (int order = 0; order < 3; order++) {
			set_up(&b);
			put(&b, order ? "1/front" : "1/user", order ? fronts[i] : user);
			if (order < 2)
				assert_int_equal(update(&b), 0);
			assert_told(&b, "");
			put(&b, order ? "1/user" : "1/front", order ? user : fronts[i]);
			assert_int_equal(update(&b), 0);
			assert_told(&b, expected);
			/* what it is now counts */
			put(&b, "1/front", others[i]);
			assert_int_equal(update(&b), 0);
			assert_told(&b, "");
			put(&b, "1/front", fronts[i]);
			assert_int_equal(update(&b), 0);
			assert_told(&b, expected);
			put(&b, "1/front", NULL);
			assert_int_equal(update(&b), 0);
			assert_told(&b, "");
			tear_down(&b);
		}
	}
	set_up(&b);
	put(&b, "1/front", fronts[0]);
	put(&b, "1/user", SERVICE("user", IP("10.0.0.1") PORT));
	put(&b, "2/x",
	    "endpoints=(\n{service=\"user\";endpoints=[\"10.1.0.1\",\n\"10.0.0.9\"];});");
	assert_int_equal(update(&b), 0);
	assert_told(&b, CHAIN("2/x:3:1", "endpoints[0].endpoints[1]", "10.0.0.9:80",
			      "default/front", "1/front:1:35"));
	/* other lines, the same services */
	put(&b, "2/x",
	    "endpoints=({service=\"user\";endpoints=[\"10.1.0.1\",\n\n\"10.0.0.9\"];});");
	assert_int_equal(update(&b), 0);
	assert_told(&b, CHAIN("2/x:3:1", "endpoints[0].endpoints[1]", "10.0.0.9:80",
			      "default/front", "1/front:1:35"));
	put(&b, "1/user", SERVICE("user", "clusterIP=\"None\";" PORT));
	assert_int_equal(update(&b), 0);
	assert_told(&b, "");
	tear_down(&b);
	for (size_t i = 0; i < ELEMENTSOF(others); i++) {
		set_up(&b);
		put(&b, "1/user", user);
		put(&b, "1/front", others[i]);
		assert_int_equal(update(&b), 0);
		assert_told(&b, "");
		tear_down(&b);
	}
}

/* A chain of thousands is told in part, and soon. */
static void test_many_chains(void **state)
{
	enum { MANY = 8000 };
	struct strbuf front = {0}, user = {0};
	struct diags d = {0};
	struct bench b;

	(void)state;
	set_up(&b);
	strbuf_add(&front, "services=({name=\"front\";" IP("10.0.0.9") "ports=(");
	strbuf_add(&user,
		   "services=({name=\"user\";" IP("10.0.0.1") "ports=({port=80;});endpoints=[");
	for (int i = 1; i <= MANY; i++) {
		strbuf_addf(&front, "%s{name=\"p%d\";port=%d;}", i > 1 ? "," : "", i, i);
		strbuf_addf(&user, "%s\"10.0.0.9:%d\"", i > 1 ? "," : "", i);
	}
	strbuf_add(&front, ");});");
	strbuf_add(&user, "];});");
	put(&b, "1/front", strbuf_text(&front));
	put(&b, "1/user", strbuf_text(&user));
	assert_int_equal(update(&b), 0);
	index_problems(b.x, &d);
	assert_int_equal(d.error, 0);
	assert_in_range(d.n, 10, 100);
	diags_done(&d);
	strbuf_done(&front);
	strbuf_done(&user);
	tear_down(&b);
}

/* X10: the settings win, whatever the order. */
static void test_ports_of_the_settings(void **state)
{
	static const struct row {
		const char *healthz, *metrics, *service, *message; /* NULL: fine */
	} rows[] = {
		{"0.0.0.0:30256", "off", IP("10.0.0.1") NODE("30256"),
		 "1/a: error: services[0].ports[0].nodePort '30256/TCP': is the port of "
		 "HealthzBindAddress= in the "
		 "section [Health] of the settings (choose another port for one of the two)"},
		{"off", "[::1]:30249", IP("10.0.0.1") HEALTH("30249"),
		 "1/a: error: services[0].healthCheckNodePort '30249/TCP': is the port of "
		 "MetricsBindAddress= "
		 "in the section [Health] of the settings (choose another port for one of the "
		 "two)"},
		{"127.0.0.1:30249", "127.0.0.1:30249", IP("10.0.0.1") NODE("30249"),
		 "1/a: error: services[0].ports[0].nodePort '30249/TCP': is the port of "
		 "HealthzBindAddress= in the "
		 "section [Health] of the settings (choose another port for one of the two)"},
		{"0.0.0.0:30256", "off", IP("10.0.0.1") NODE("30257"), NULL},
		{"off", "off", IP("10.0.0.1") NODE("30256"), NULL},
		{"0.0.0.0:30256", "off",
		 IP("10.0.0.1") "type=\"NodePort\";ports=({port=80;protocol=\"UDP\";nodePort="
				"30256;});",
		 NULL},
		{"0.0.0.0:80", "off", IP("10.0.0.1") PORT, NULL},
	};
	struct bench b;

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_free_ char *text = service_text("a", rows[i].service);

		set_up(&b);
		replace_text(&b.settings->s.healthz_bind_address, rows[i].healthz);
		replace_text(&b.settings->s.metrics_bind_address, rows[i].metrics);
		put(&b, "1/a", text);
		for (int again = 0; again < 2; again++) {
			assert_int_equal(update(&b), rows[i].message != NULL);
			if (!rows[i].message)
				continue;
			assert_string_equal(b.clashes.items[0].files[0], "1/a");
			assert_string_equal(b.clashes.items[0].files[1], "1/a");
			assert_message(&b.clashes.items[0].diags, rows[i].message);
		}
		if (rows[i].message) {
			put(&b, "1/a", NULL);
			assert_int_equal(update(&b), 0);
		}
		tear_down(&b);
	}
	/* two services and the settings: both services are told */
	set_up(&b);
	replace_text(&b.settings->s.healthz_bind_address, "0.0.0.0:30256");
	put(&b, "1/a", SERVICE("a", IP("10.0.0.1") NODE("30256")));
	put(&b, "1/b", SERVICE("b", IP("10.0.0.2") NODE("30256")));
	assert_int_equal(update(&b), 2);
	assert_string_equal(b.clashes.items[0].files[0], b.clashes.items[0].files[1]);
	assert_string_equal(b.clashes.items[1].files[0], b.clashes.items[1].files[1]);
	put(&b, "1/a", NULL);
	assert_int_equal(update(&b), 1);
	put(&b, "1/b", NULL);
	assert_int_equal(update(&b), 0);
	tear_down(&b);
}

/* New settings are asked about before they are in force. */
static void test_check_settings(void **state)
{
	struct settings_origin origin = {.places = calloc(n_setting_rows, sizeof(*origin.places))};
	struct settings s;
	struct diags d = {0};
	struct bench b;
	char *text;

	(void)state;
	assert_non_null(origin.places);
	for (size_t i = 0; i < n_setting_rows; i++)
		origin.places[i] = (struct place){.file = "0/svcroute.conf", .line = (int)i + 1};
	set_up(&b);
	assert_int_equal(settings_copy(&b.settings->s, &s), 0);
	replace_text(&s.healthz_bind_address, "[::]:30001");
	replace_text(&s.metrics_bind_address, "127.0.0.1:30002");
	assert_int_equal(index_check_settings(b.x, &s, &origin, &d), 0);
	put(&b, "1/a", "services=(\n{name=\"a\";" IP("10.0.0.1") NODE("30001") "});");
	assert_int_equal(update(&b), 0);
	assert_int_equal(index_check_settings(b.x, &b.settings->s, &origin, &d), 0);
	assert_int_equal(d.n, 0);
	assert_int_equal(index_check_settings(b.x, &s, &origin, &d), -EBADMSG);
	assert_int_equal(d.items[0].line,
			 setting_find("Health", "HealthzBindAddress") - setting_rows + 1);
	d.items[0].line = 0;
	text = diag_format(&d.items[0]);
	assert_string_equal(
		text,
		"0/svcroute.conf: error: Health.HealthzBindAddress '[::]:30001': its "
		"port is the ports[0].nodePort of service 'default/a' at 1/a:2:73 (choose another "
		"port for one of the two)");
	free(text);
	diags_done(&d);
	d = (struct diags){0};
	put(&b, "1/b", SERVICE("b", IP("10.0.0.2") HEALTH("30002")));
	assert_int_equal(update(&b), 0);
	assert_int_equal(index_check_settings(b.x, &s, &origin, &d), -EBADMSG);
	assert_int_equal(d.n, 2);
	diags_done(&d);
	d = (struct diags){0};
	put(&b, "1/a", NULL);
	put(&b, "1/b", NULL);
	assert_int_equal(update(&b), 0);
	assert_int_equal(index_check_settings(b.x, &s, &origin, &d), 0);
	/* in force: they are not in their own way */
	replace_text(&b.settings->s.healthz_bind_address, "[::]:30001");
	assert_int_equal(update(&b), 0);
	assert_int_equal(index_check_settings(b.x, &s, &origin, &d), 0);
	assert_int_equal(d.n, 0);
	settings_done(&s);
	diags_done(&d);
	free(origin.places);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared_cluster_ip),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_many_chains),
		cmocka_unit_test(test_ports_of_the_settings),
		cmocka_unit_test(test_check_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
