/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-index.h"

/* What two services claim, and the value, the field in the one and in the other that clash; NULL:
 * they go together. */
static const struct clash_row {
	const char *a, *b;
	const char *value, *field_a, *field_b;
} clash_rows[] = {
	/* X1 */
	{IP("10.0.0.1") PORT, IP("10.0.0.1") PORT, "10.0.0.1:80/TCP", "clusterIP", "clusterIP"},
	{IP("fd00::1") PORT, IP("fd00:0::1") PORT, "[fd00::1]:80/TCP", "clusterIP", "clusterIP"},
	{"clusterIPs=[\"10.0.0.1\",\"fd00::1\"];" PORT, IP("fd00::1") PORT, "[fd00::1]:80/TCP",
	 "clusterIPs[1]", "clusterIP"},
	{IP("10.0.0.1") PORT "externalIPs=[\"192.0.2.1\"];",
	 IP("10.0.0.2") PORT "externalIPs=[\"192.0.2.2\",\"192.0.2.1\"];", "192.0.2.1:80/TCP",
	 "externalIPs[0]", "externalIPs[1]"},
	{IP("10.0.0.1") PORT "externalIPs=[\"192.0.2.3\",\"192.0.2.3\",\"192.0.2.1\"];",
	 IP("10.0.0.2") PORT "externalIPs=[\"192.0.2.2\",\"192.0.2.1\"];", "192.0.2.1:80/TCP",
	 "externalIPs[2]", "externalIPs[1]"},
	{IP("10.0.0.1") PORT "externalIPs=[\"192.0.2.1\"];", IP("10.0.0.2") LB("192.0.2.1"),
	 "192.0.2.1:80/TCP", "externalIPs[0]", "loadBalancerIPs[0]"},
	{IP("10.0.0.1") LB("192.0.2.1"), IP("10.0.0.2") LB("192.0.2.1"), "192.0.2.1:80/TCP",
	 "loadBalancerIPs[0]", "loadBalancerIPs[0]"},
	{IP("10.0.0.1") LB("192.0.2.1"),
	 IP("10.0.0.2") "type=\"LoadBalancer\";" PORT "externalIPs=[\"192.0.2.9\"];"
			"loadBalancerIPs=(\"192.0.2.2\",\"192.0.2.2\",{ip=\"192.0.2.1\";});",
	 "192.0.2.1:80/TCP", "loadBalancerIPs[0]", "loadBalancerIPs[2].ip"},
	{IP("10.0.0.1") "ports=({name=\"a\";port=1;},{name=\"b\";port=2;protocol=\"UDP\";});",
	 IP("10.0.0.1") "ports=({name=\"b\";port=2;protocol=\"UDP\";},{name=\"c\";port=3;});",
	 "10.0.0.1:2/UDP", "clusterIP", "clusterIP"},
	/* X2 */
	{IP("10.0.0.1") NODE("30001"), IP("10.0.0.2") NODE("30001"), "30001/TCP",
	 "ports[0].nodePort", "ports[0].nodePort"},
	{IP("10.0.0.1") NODE("30001"),
	 IP("10.0.0.2") "type=\"LoadBalancer\";ports=({name=\"a\";port=79;},{name=\"b\";port=80;"
			"nodePort=30001;});externalIPs=[\"192.0.2.1\"];",
	 "30001/TCP", "ports[0].nodePort", "ports[1].nodePort"},
	/* X3 */
	{IP("10.0.0.1") HEALTH("30002"), IP("10.0.0.2") HEALTH("30002"), "30002/TCP",
	 "healthCheckNodePort", "healthCheckNodePort"},
	/* X4 */
	{IP("10.0.0.1") NODE("30003"), IP("10.0.0.2") HEALTH("30003"), "30003/TCP",
	 "ports[0].nodePort", "healthCheckNodePort"},
	/* X7 */
	{IP("10.0.0.1") PORT, IP("10.0.0.2") PORT "externalIPs=[\"10.0.0.1\"];", "10.0.0.1:80/TCP",
	 "clusterIP", "externalIPs[0]"},
	{IP("10.0.0.1") PORT, IP("10.0.0.2") LB("10.0.0.1"), "10.0.0.1:80/TCP", "clusterIP",
	 "loadBalancerIPs[0]"},

	/* X6 */
	{.a = IP("10.0.0.1") PORT, .b = IP("10.0.0.1") "ports=({port=81;});"},
	{.a = IP("10.0.0.1") PORT, .b = IP("10.0.0.1") "ports=({port=80;protocol=\"UDP\";});"},
	/* S42 */
	{.a = IP("10.0.0.1") NODE("30001"),
	 .b = IP("10.0.0.2") "type=\"NodePort\";ports=({port=80;nodePort=30001;protocol=\"UDP\";})"
			     ";"},
	{.a = IP("10.0.0.1") "type=\"NodePort\";ports=({port=80;nodePort=30003;protocol=\"UDP\";})"
			     ";",
	 .b = IP("10.0.0.2") HEALTH("30003")},
	/* a port of one and a node port of the other are different things */
	{.a = IP("10.0.0.1") "ports=({port=30001;});", .b = IP("10.0.0.2") NODE("30001")},
	/* X11 */
	{.a = IP("10.0.0.1") PORT "endpoints=[\"10.1.0.1:80\"];",
	 .b = IP("10.0.0.2") PORT "endpoints=[\"10.1.0.1:80\"];"},
	/* what gives no rules claims nothing */
	{.a = IP("10.0.0.1") "type=\"LoadBalancer\";" PORT
			     "loadBalancerIPs=({ip=\"192.0.2.1\";ipMode=\"Proxy\";});",
	 .b = IP("10.0.0.2") LB("192.0.2.1")},
	{.a = "clusterIP=\"None\";" PORT "externalIPs=[\"192.0.2.1\"];",
	 .b = IP("10.0.0.2") PORT "externalIPs=[\"192.0.2.1\"];"},
	{.a = "clusterIP=\"None\";" PORT, .b = "clusterIP=\"None\";" PORT},
	{.a = "type=\"ExternalName\";externalName=\"x.example\";" PORT
	      "externalIPs=[\"192.0.2.1\"];",
	 .b = IP("10.0.0.2") PORT "externalIPs=[\"192.0.2.1\"];"},
};

/* "10.0.0.1:80/TCP" or "30001/TCP" stands there, in whatever spelling. */
static void assert_value_at(const char *text, int line, int column, const char *value)
{
	char written[64] = "";
	struct addr wanted, found;
	uint16_t port;

	assert_int_equal(line, 1);
	assert_in_range(column, 1, strlen(text));
	text += column - 1;
	if (!strchr(value, ':')) {
		assert_memory_equal(text, value, strcspn(value, "/"));
		return;
	}
	memcpy(written, value, strcspn(value, "/"));
	assert_int_equal(addr_port_parse(written, &wanted, &port), ADDR_OK);
	assert_int_equal(*text, '"');
	memset(written, 0, sizeof(written));
	memcpy(written, text + 1, strcspn(text + 1, "\""));
	assert_int_equal(addr_parse(written, &found), ADDR_OK);
	assert_true(addr_equal(&found, &wanted));
}

/* The column in "... at 1/early:1:COLUMN". */
static int other_column(const struct diag *m)
{
	const char *at = strstr(m->reason, "1/early:1:");

	assert_non_null(at);
	return (int)strtol(at + strlen("1/early:1:"), NULL, 10);
}

/* a and b are services default/a and default/b; whose file comes first is told apart from the
 * names. */
static void check_clash(const struct clash_row *row, bool a_first)
{
	const char *file_a = a_first ? "1/early" : "1/late";
	const char *file_b = a_first ? "1/late" : "1/early";
	bool node_port = row->value && !strchr(row->value, ':');
	char expected[300];
	struct bench b;

	for (int in_one_update = 0; in_one_update < 2; in_one_update++) {
		_cleanup_free_ char *a = service_text("a", row->a), *c = service_text("b", row->b);

		set_up(&b);
		put(&b, file_a, a);
		if (!in_one_update)
			assert_int_equal(update(&b), 0);
		put(&b, file_b, c);
		if (!row->value) {
			assert_int_equal(update(&b), 0);
			assert_services(&b, "default/a default/b");
			tear_down(&b);
			continue;
		}
		for (int again = 0; again < 2; again++) {
			const struct diag *m;
			int column;

			assert_int_equal(update(&b), 1);
			m = &b.clashes.items[0].diags.items[0];
			assert_value_at(a_first ? c : a, m->line, m->column, row->value);
			column = other_column(m);
			assert_value_at(a_first ? a : c, 1, column, row->value);
			assert_string_equal(b.clashes.items[0].files[0], "1/early");
			assert_string_equal(b.clashes.items[0].files[1], "1/late");
			(void)snprintf(
				expected, sizeof(expected),
				"1/late: error: services[0].%s '%s': is also claimed by service "
				"'default/%s' (%s) at 1/early:1:%d (%s belongs to one service)",
				a_first ? row->field_b : row->field_a, row->value,
				a_first ? "a" : "b", a_first ? row->field_a : row->field_b, column,
				node_port ? "a node port, with its protocol,"
					  : "an address, port and protocol");
			assert_message(&b.clashes.items[0].diags, expected);
		}
		/* Either may go. */
		put(&b, file_a, NULL);
		assert_int_equal(update(&b), 0);
		assert_services(&b, "default/b");
		put(&b, file_a, a);
		assert_int_equal(update(&b), 1);
		put(&b, file_b, NULL);
		assert_int_equal(update(&b), 0);
		assert_services(&b, "default/a");
		tear_down(&b);
	}
}

static void test_clashes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(clash_rows); i++) {
		check_clash(&clash_rows[i], true);
		check_clash(&clash_rows[i], false);
	}
}

/* In one file, and with more than one claim. */
static void test_clash_with_itself(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, "1/a",
	    "services=({name=\"b\";clusterIP=\"10.0.0.1\";ports=({port=80;});},\n"
	    "{name=\"a\";clusterIP=\"10.0.0.1\";ports=({port=80;});});");
	assert_int_equal(update(&b), 1);
	assert_string_equal(b.clashes.items[0].files[0], "1/a");
	assert_string_equal(b.clashes.items[0].files[1], "1/a");
	assert_int_equal(b.clashes.items[0].diags.items[0].line, 2);
	assert_int_equal(b.clashes.items[0].diags.items[0].column, 21);
	assert_message(
		&b.clashes.items[0].diags,
		"1/a: error: services[1].clusterIP '10.0.0.1:80/TCP': is also claimed by service "
		"'default/b' (clusterIP) at 1/a:1:31 (an address, port and protocol belongs to "
		"one service)");
	tear_down(&b);
}

/* Of three that claim the same, two are in the way of the first one, whatever came first. */
static void test_three_claim_one(void **state)
{
	static const char *const files[] = {"1/a", "1/b", "1/c"};
	struct bench b;

	(void)state;
	for (size_t first = 0; first < 3; first++) {
		set_up(&b);
		for (size_t i = 0; i < 3; i++) {
			const char *file = files[(first + i) % 3];
			_cleanup_free_ char *text = service_text(file + 2,
								 "clusterIP=\"10.0.0.1\";" PORT);

			put(&b, file, text);
		}
		assert_int_equal(update(&b), 2);
		for (size_t i = 0; i < 2; i++)
			assert_string_equal(b.clashes.items[i].files[0], "1/a");
		assert_string_not_equal(b.clashes.items[0].files[1], b.clashes.items[1].files[1]);
		put(&b, "1/a", NULL);
		assert_int_equal(update(&b), 1);
		put(&b, "1/c", NULL);
		assert_int_equal(update(&b), 0);
		assert_services(&b, "default/b");
		tear_down(&b);
	}
}

static void test_defined_twice(void **state)
{
	struct bench b;

	(void)state;
	for (int order = 0; order < 2; order++) {
		set_up(&b);
		put(&b, order ? "1/b" : "1/a", SERVICE("ns/x", IP("10.0.0.1") PORT));
		put(&b, order ? "1/a" : "1/b", SERVICE("ns/x", IP("10.0.0.2") PORT));
		assert_int_equal(update(&b), 1);
		assert_string_equal(b.clashes.items[0].files[0], "1/a");
		assert_string_equal(b.clashes.items[0].files[1], "1/b");
		assert_message(&b.clashes.items[0].diags,
			       "1/b: error: services[0].name 'ns/x': the service is defined twice, "
			       "here and at 1/a:1:17 (names are unique over all files: take one of "
			       "the two out)");
		assert_int_equal(b.clashes.items[0].diags.items[0].column, 17);
		/* also within one file, and a third time */
		put(&b, "1/c",
		    "services=({name=\"ns/x\";clusterIP=\"10.0.0.3\";ports=({port=80;});},"
		    "{name=\"ns/x\";clusterIP=\"10.0.0.4\";ports=({port=80;});});");
		assert_int_equal(update(&b), 3);
		put(&b, "1/a", NULL);
		put(&b, "1/b", NULL);
		assert_int_equal(update(&b), 1);
		assert_string_equal(b.clashes.items[0].files[0], "1/c");
		assert_string_equal(b.clashes.items[0].files[1], "1/c");
		put(&b, "1/c", SERVICE("ns/x", IP("10.0.0.3") PORT));
		assert_int_equal(update(&b), 0);
		assert_services(&b, "ns/x");
		tear_down(&b);
	}
}

/* Endpoints that the service makes wrong, or that make it wrong: both files take part. */
static void test_unmatched_endpoints(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, "1/a", SERVICE("x", IP("10.0.0.1") PORT));
	put(&b, "2/a", "endpoints=({service=\"x\";endpoints=[\"10.1.0.1:80\"];});");
	assert_int_equal(update(&b), 0);
	assert_int_equal(b.world->n_endpoints, 1);
	put(&b, "1/a",
	    SERVICE("x", IP("10.0.0.1") "ports=({name=\"a\";port=1;},{name=\"b\";port=2;});"));
	for (int again = 0; again < 2; again++) {
		assert_int_equal(update(&b), 1);
		assert_string_equal(b.clashes.items[0].files[0], "1/a");
		assert_string_equal(b.clashes.items[0].files[1], "2/a");
		assert_true(b.clashes.items[0].diags.n_errors > 0);
		assert_string_equal(b.clashes.items[0].diags.items[0].file, "2/a");
	}
	/* The world before is what it was. */
	assert_int_equal(b.world->n_endpoints, 1);
	put(&b, "2/a", NULL);
	assert_int_equal(update(&b), 0);
	assert_int_equal(b.world->n_endpoints, 0);

	/* Inline ones are the service's own affair. */
	put(&b, "1/a", SERVICE("x", IP("10.0.0.1") PORT "endpoints=[\"10.0.0.1:80\"];"));
	assert_int_equal(update(&b), 1);
	assert_string_equal(b.clashes.items[0].files[0], "1/a");
	assert_string_equal(b.clashes.items[0].files[1], "1/a");
	tear_down(&b);
}

static void test_order(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, "1/z",
	    "services=({name=\"a-b/x\";clusterIP=\"10.0.0.1\";ports=({port=80;});},"
	    "{name=\"a/z\";clusterIP=\"10.0.0.2\";ports=({port=80;});},"
	    "{name=\"a0/a\";clusterIP=\"10.0.0.3\";ports=({port=80;});});");
	assert_int_equal(update(&b), 0);
	assert_services(&b, "a/z a-b/x a0/a");
	/* between, before and after what is there */
	put(&b, "1/a",
	    "services=({name=\"a-b/a\";clusterIP=\"10.0.0.4\";ports=({port=80;});},"
	    "{name=\"a/z0\";clusterIP=\"10.0.0.5\";ports=({port=80;});},"
	    "{name=\"0/y\";clusterIP=\"10.0.0.6\";ports=({port=80;});},"
	    "{name=\"a--b/y\";clusterIP=\"10.0.0.7\";ports=({port=80;});},"
	    "{name=\"zz/y\";clusterIP=\"10.0.0.8\";ports=({port=80;});});");
	assert_int_equal(update(&b), 0);
	assert_services(&b, "0/y a/z a/z0 a--b/y a-b/a a-b/x a0/a zz/y");
	put(&b, "1/z", NULL);
	assert_int_equal(update(&b), 0);
	assert_services(&b, "0/y a/z0 a--b/y a-b/a zz/y");
	tear_down(&b);
}

static void test_sharing(void **state)
{
	struct service *x, *y;
	struct world *before;
	struct place at;
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, "1/x", SERVICE("x", IP("10.0.0.1") PORT));
	put(&b, "1/y", SERVICE("y", IP("10.0.0.2") PORT));
	assert_int_equal(update(&b), 0);
	before = world_ref(b.world);
	x = world_find(b.world, "default/x");
	y = world_find(b.world, "default/y");

	/* Nothing changed: another world of the same services. */
	assert_int_equal(update(&b), 0);
	assert_ptr_equal(world_find(b.world, "default/x"), x);

	/* Other lines, the same content; and y is not touched. */
	put(&b, "1/x", "\n\n" SERVICE("x", "\n" IP("10.0.0.1") PORT));
	assert_int_equal(update(&b), 0);
	assert_ptr_equal(world_find(b.world, "default/x"), x);
	memset(&at, 0xA5, sizeof(at));
	assert_int_equal(index_place(b.x, "default/x", &at), 0);
	assert_int_equal(at.line, 3);
	assert_string_equal(at.file, "1/x");

	/* The service moves to another file. */
	put(&b, "1/x", NULL);
	put(&b, "1/w", SERVICE("x", IP("10.0.0.1") PORT));
	assert_int_equal(update(&b), 0);
	assert_ptr_equal(world_find(b.world, "default/x"), x);
	assert_int_equal(index_place(b.x, "default/x", &at), 0);
	assert_string_equal(at.file, "1/w");
	assert_int_equal(index_place(b.x, "default/none", &at), -ENOENT);

	/* A change: y stays what it was, and the old world keeps the old x. */
	put(&b, "1/w", SERVICE("x", IP("10.0.0.3") PORT));
	assert_int_equal(update(&b), 0);
	assert_ptr_not_equal(world_find(b.world, "default/x"), x);
	assert_ptr_equal(world_find(b.world, "default/y"), y);
	assert_ptr_equal(world_find(before, "default/x"), x);
	assert_true(addr_equal(&x->def->cluster_ips[ADDR_IPV4], &(struct addr){0, {10, 0, 0, 1}}));

	/* Endpoints alone. */
	x = world_find(b.world, "default/x");
	put(&b, "2/y", "endpoints=({service=\"y\";endpoints=[\"10.1.0.1:80\"];});");
	assert_int_equal(update(&b), 0);
	assert_ptr_equal(world_find(b.world, "default/x"), x);
	assert_ptr_not_equal(world_find(b.world, "default/y"), y);
	assert_int_equal(b.world->n_endpoints, 1);
	world_unref(before);
	tear_down(&b);
}

/* Two files trade a node port in one update: nothing clashes on the way. */
static void test_swap(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, "1/a", SERVICE("a", IP("10.0.0.1") NODE("30001")));
	put(&b, "1/b", SERVICE("b", IP("10.0.0.2") NODE("30002")));
	assert_int_equal(update(&b), 0);
	put(&b, "1/a", SERVICE("a", IP("10.0.0.2") NODE("30002")));
	assert_int_equal(update(&b), 2);
	put(&b, "1/b", SERVICE("b", IP("10.0.0.1") NODE("30001")));
	assert_int_equal(update(&b), 0);
	assert_int_equal(world_find(b.world, "default/a")->def->ports[0].node_port, 30002);
	/* and what was traded is owned by the new owner */
	put(&b, "1/c", SERVICE("c", IP("10.0.0.3") NODE("30002")));
	assert_int_equal(update(&b), 1);
	assert_string_equal(b.clashes.items[0].files[0], "1/a");
	tear_down(&b);
}

static void test_problems(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	put(&b, "2/a", "endpoints=({service=\"x\";endpoints=[\"10.1.0.1:80\"];});");
	assert_int_equal(update(&b), 0);
	assert_services(&b, "");
	assert_problems(&b, "warning: endpoints[0].service 'default/x': there is no such service: "
			    "its endpoints "
			    "are not used (they are used when the service appears)\n");
	put(&b, "1/a", SERVICE("x", IP("10.0.0.1") PORT));
	assert_int_equal(update(&b), 0);
	assert_int_equal(b.world->n_endpoints, 1);
	assert_problems(&b, "");
	put(&b, "2/b",
	    "endpoints=({service=\"x\";endpoints=({address=\"10.1.0.1\";port=80;weight=2;});});");
	assert_int_equal(update(&b), 0);
	assert_problems(&b, "warning: endpoints[0].endpoints[0] '10.1.0.1:80': is listed before "
			    "with other properties: those of this entry count (the other "
			    "entry is at 2/a:1:36)\n");
	put(&b, "1/a", NULL);
	put(&b, "2/a", NULL);
	put(&b, "2/b", NULL);
	assert_int_equal(update(&b), 0);
	assert_services(&b, "");
	assert_problems(&b, "");
	/* taking out what is not there */
	assert_int_equal(index_remove_file(b.x, "2/b"), 0);
	assert_int_equal(index_remove_file(b.x, ""), 0);
	assert_int_equal(update(&b), 0);
	tear_down(&b);
}

/* The groups of a service count in the order of files, then as written; of equal addresses the
 * last. */
static void test_group_order(void **state)
{
	static const char *const files[] = {"2/a", "2/b", "2/c"};
	struct bench b;

	(void)state;
	for (size_t first = 0; first < 3; first++) {
		set_up(&b);
		put(&b, "1/a", SERVICE("x", IP("10.0.0.1") PORT));
		for (size_t i = 0; i < 3; i++) {
			size_t at = (first + i) % 3;
			_cleanup_free_ char *text = NULL;

			assert_true(asprintf(&text,
					     "endpoints=({service=\"x\";endpoints=({address="
					     "\"10.1.0.1\";port=80;weight=%zu;});},{service=\"x\";"
					     "endpoints=({address=\"10.1.0.1\";port=80;weight=%zu;"
					     "});});",
					     at * 2 + 2, at * 2 + 3) > 0);
			put(&b, files[at], text);
		}
		assert_int_equal(update(&b), 0);
		assert_int_equal(b.world->n_endpoints, 1);
		assert_int_equal(b.world->services[0]->endpoints[0][ADDR_IPV4].items[0].weight, 7);
		put(&b, "2/c", NULL);
		assert_int_equal(update(&b), 0);
		assert_int_equal(b.world->services[0]->endpoints[0][ADDR_IPV4].items[0].weight, 5);
		tear_down(&b);
	}
}

/* ---- many random edits ---- */

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

#define N_FILES 6
static const char *const random_files[2 * N_FILES] = {
	"1/a", "1/b", "1/c", "1/d", "1/e", "1/f", "2/a", "2/b", "2/c", "2/d", "2/e", "2/f",
};

/* Services of a small universe, so that names, addresses and node ports meet often. */
static char *random_services(uint32_t *seed)
{
	static const char *const spaces[] = {"a", "a-b", "b"};
	struct strbuf s = {0};
	unsigned n = next_random(seed) % 3;

	strbuf_add(&s, "services=(");
	for (unsigned i = 0; i < n; i++) {
		unsigned ip = next_random(seed) % 20 + 1;

		strbuf_addf(&s, "{name=\"%s/x%u\";clusterIP=\"10.0.0.%u\";",
			    spaces[next_random(seed) % 3], next_random(seed) % 8, ip);
		switch (next_random(seed) % 3) {
		case 0:
			strbuf_addf(&s, "type=\"NodePort\";ports=({port=%u;nodePort=%u;},);",
				    next_random(seed) % 2 + 80, next_random(seed) % 9 + 30000);
			break;
		case 1:
			strbuf_addf(&s, "ports=({port=80;});externalIPs=[\"192.0.2.%u\"];",
				    next_random(seed) % 20 + 1);
			break;
		default:
			strbuf_add(&s, "ports=({name=\"a\";port=80;},{name=\"b\";port=81;});");
		}
		strbuf_add(&s, "},");
	}
	strbuf_add(&s, ");");
	return strbuf_take(&s);
}

/* Some endpoints are an error for a service with two ports, and some are addresses of services. */
static char *random_endpoints(uint32_t *seed)
{
	static const char *const spaces[] = {"a", "a-b", "b"};
	struct strbuf s = {0};
	unsigned n = next_random(seed) % 4;

	strbuf_add(&s, "endpoints=(");
	for (unsigned i = 0; i < n; i++)
		strbuf_addf(&s, "{service=\"%s/x%u\";endpoints=[\"10.%u.0.%u%s\"];},",
			    spaces[next_random(seed) % 3], next_random(seed) % 8,
			    next_random(seed) % 3 > 0, next_random(seed) % 20 + 1,
			    next_random(seed) % 4 ? "" : ":80");
	strbuf_add(&s, ");");
	return strbuf_take(&s);
}

/* Takes files out until the rest goes together: always the later one of the first clash in the
 * order of files, so that the outcome does not depend on the order in which clashes are told. */
static void take_out_until_clean(struct bench *b, char *texts[2 * N_FILES])
{
	while (update(b)) {
		const char *out = b->clashes.items[0].files[1];

		for (size_t i = 1; i < b->clashes.n; i++)
			if (strcmp(b->clashes.items[i].files[1], out) > 0)
				out = b->clashes.items[i].files[1];
		put(b, out, NULL);
		for (size_t i = 0; texts && i < 2 * N_FILES; i++) {
			if (!streq(random_files[i], out))
				continue;
			free(texts[i]);
			texts[i] = NULL;
		}
	}
}

static void test_same_as_fresh(void **state)
{
	char *texts[2 * N_FILES] = {0};
	uint32_t seed = 20240607;
	size_t n_clean = 0, most = 0, n_shared = 0, n_chained = 0, n_same_ip = 0;
	struct bench b;

	(void)state;
	set_up(&b);
	for (int edit = 0; edit < 1500; edit++) {
		unsigned n_edits = next_random(&seed) % 3 + 1;
		struct world *before = b.world ? world_ref(b.world) : NULL;
		char *problems, *fresh_problems;
		struct bench fresh;

		for (unsigned i = 0; i < n_edits; i++) {
			size_t at = next_random(&seed) % (2 * N_FILES);

			free(texts[at]);
			texts[at] = next_random(&seed) % 4 == 0 ? NULL
				    : at < N_FILES		? random_services(&seed)
								: random_endpoints(&seed);
			put(&b, random_files[at], texts[at]);
		}
		n_clean += update(&b) == 0;
		take_out_until_clean(&b, texts);

		set_up(&fresh);
		for (size_t i = 0; i < 2 * N_FILES; i++) {
			size_t at = (i * 5 + (size_t)edit) % (2 * N_FILES);

			if (texts[at])
				put(&fresh, random_files[at], texts[at]);
		}
		assert_int_equal(update(&fresh), 0);
		assert_int_equal(b.world->n_services, fresh.world->n_services);
		assert_int_equal(b.world->n_endpoints, fresh.world->n_endpoints);
		for (size_t i = 0; i < b.world->n_services; i++) {
			const struct service *s = b.world->services[i], *old;

			assert_true(service_equal(s, fresh.world->services[i]));
			if (i)
				assert_true(service_key_compare(b.world->services[i - 1]->key,
								s->key) < 0);
			/* A service that is what it was is the same object. */
			old = before ? world_find(before, s->key) : NULL;
			if (old && service_equal(old, s)) {
				assert_ptr_equal(old, s);
				n_shared++;
			}
		}
		problems = problems_text(&b);
		fresh_problems = problems_text(&fresh);
		assert_string_equal(problems, fresh_problems);
		n_chained += strstr(problems, "services do not work in a chain") != NULL;
		n_same_ip += strstr(problems, "is also the clusterIP of service") != NULL;
		free(problems);
		free(fresh_problems);
		most = MAX_OF(most, b.world->n_services);
		tear_down(&fresh);
		world_unref(before);
	}
	/* The edits were of use: some were clean, some clashed, and there were services. */
	assert_in_range(n_clean, 200, 1400);
	assert_true(n_chained > 10);
	assert_true(n_same_ip > 10);
	assert_true(most >= 5);
	assert_true(n_shared > 1000);
	for (size_t i = 0; i < 2 * N_FILES; i++)
		free(texts[i]);
	tear_down(&b);
}

static void test_empty_and_null(void **state)
{
	struct index_clashes none = {0};
	struct bench b;

	(void)state;
	assert_null(index_free(NULL));
	index_clashes_done(&none);
	set_up(&b);
	assert_int_equal(update(&b), 0);
	assert_int_equal(b.world->n_services, 0);
	assert_ptr_equal(b.world->settings, b.settings);
	put(&b, "1/a", "services=();");
	put(&b, "2/a", "");
	assert_int_equal(update(&b), 0);
	assert_int_equal(b.world->n_services, 0);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clashes),
		cmocka_unit_test(test_clash_with_itself),
		cmocka_unit_test(test_three_claim_one),
		cmocka_unit_test(test_defined_twice),
		cmocka_unit_test(test_unmatched_endpoints),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_sharing),
		cmocka_unit_test(test_swap),
		cmocka_unit_test(test_problems),
		cmocka_unit_test(test_group_order),
		cmocka_unit_test(test_same_as_fresh),
		cmocka_unit_test(test_empty_and_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
