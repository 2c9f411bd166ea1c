/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-settings.h"

#include "check-inputs.h"

#include "config/cfg.h"
#include "model/host-check.h"
#include "model/index.h"
#include "model/reader.h"

/* Which rows were told by an input, for the last test. */
static bool told[_CHECK_MAX];

static enum check check_of(const struct diag *m)
{
	return m->check ? (enum check)(m->check - check_rows) : _CHECK_MAX;
}

static bool has_word(const char *text, const char *word)
{
	const char *at = text ? strstr(text, word) : NULL;

	return at && at[strlen(word)] == '}';
}

/* The text of a file without its '@', whose place is given out. */
struct marked {
	char *text;
	int line, column; /* 0: there was none */
};

static struct marked unmark(const char *text)
{
	struct marked m = {.text = strdup(text)};
	char *at;

	assert_non_null(m.text);
	at = strchr(m.text, '@');
	if (!at)
		return m;
	assert_null(strchr(at + 1, '@'));
	memmove(at, at + 1, strlen(at));
	m.line = m.column = 1;
	for (const char *p = m.text; p < at; p++) {
		m.column = *p == '\n' ? 1 : m.column + 1;
		m.line += *p == '\n';
	}
	return m;
}

/* False when the file is refused. */
static bool read_file(const char *text, enum objects_kind kind, const char *name,
		      const struct settings *settings, struct objects *ret, struct diags *d)
{
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	int r;

	if (!text)
		return true;
	if (cfg_parse(text, strlen(text), name, &tree, d) < 0)
		fail_msg("%s: %s: %s", text, d->items[0].reason,
			 d->items[0].hint ? d->items[0].hint : "");
	r = objects_read(tree, kind, settings, name, ret, d);
	assert_true(r == 0 || r == -EBADMSG);
	return r == 0;
}

/* All that is told of the two files together. */
static void read_both(const char *services, const char *endpoints, struct shared_settings *settings,
		      struct diags *d)
{
	static const char *const names[] = {"services.d/1.cfg", "endpoints.d/2.cfg"};
	struct objects objects[2] = {0};
	_cleanup_(index_freep) struct index *x = NULL;
	_cleanup_index_clashes_ struct index_clashes clashes = {0};
	_cleanup_(world_unrefp) struct world *world = NULL;
	bool good;

	good = read_file(services, OBJECTS_SERVICES, names[0], &settings->s, &objects[0], d);
	good &= read_file(endpoints, OBJECTS_ENDPOINTS, names[1], &settings->s, &objects[1], d);
	if (good) {
		assert_int_equal(index_new(&x), 0);
		for (int i = 0; i < 2; i++)
			assert_int_equal(index_put_file(x, names[i], &objects[i]), 0);
		assert_int_equal(index_update(x, settings, &clashes, &world), 0);
		for (size_t i = 0; i < clashes.n; i++)
			diags_copy(d, &clashes.items[i].diags);
		index_problems(x, d);
	}
	assert_int_equal(d->error, 0);
	world = world_unref(world);
	x = index_free(x);
	objects_done(&objects[0]);
	objects_done(&objects[1]);
}

static struct shared_settings *new_settings(enum check check)
{
	struct shared_settings *shared = calloc(1, sizeof(*shared));

	assert_non_null(shared);
	shared->refs = 1;
	assert_int_equal(settings_init(&shared->s), 0);
	change_settings(check, &shared->s);
	return shared;
}

static void unref_settings(struct shared_settings **s)
{
	shared_settings_unref(*s);
}

static void note_rows(const struct diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->items[i].check)
			told[check_of(&d->items[i])] = true;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? streq(a, b) : a == b;
}

/* One message is the one; no other may be an error. */
static void check_input(const struct check_input *input)
{
	const struct check_row *row = &check_rows[input->check];
	struct marked services = unmark(input->services ? input->services : "");
	struct marked endpoints = unmark(input->endpoints ? input->endpoints : "");
	const struct marked *marked = services.line ? &services : &endpoints;
	_cleanup_(unref_settings) struct shared_settings *settings = new_settings(input->check);
	_cleanup_diags_ struct diags d = {0};
	const struct diag *found = NULL;

	assert_int_equal((services.line != 0) + (endpoints.line != 0), 1);
	read_both(services.text, endpoints.text, settings, &d);
	for (size_t i = 0; i < d.n; i++) {
		const struct diag *m = &d.items[i];

		if (m->check == row && !found)
			found = m;
		else if (m->severity == DIAG_ERROR)
			fail_msg("%s%s: also: %s: %s", services.text, endpoints.text, m->field,
				 m->reason);
	}
	if (!found)
		fail_msg("%s%s: '%s' is not told", services.text, endpoints.text, row->reason);
	if (!same_text(found->field, input->field) || !same_text(found->object, input->object) ||
	    found->line != marked->line || found->column != marked->column)
		fail_msg("%s%s: %d:%d: %s of %s, not %d:%d: %s of %s", services.text,
			 endpoints.text, found->line, found->column, found->field, found->object,
			 marked->line, marked->column, input->field, input->object);
	assert_string_equal(found->file,
			    marked == &services ? "services.d/1.cfg" : "endpoints.d/2.cfg");
	assert_int_equal(found->severity, row->severity);
	note_rows(&d);
	free(services.text);
	free(endpoints.text);
}

static void test_inputs(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(check_inputs); i++)
		check_input(&check_inputs[i]);
	assert_true(ELEMENTSOF(check_inputs) >= 150);
}

/* E10 takes more than fits into a table. */
static void test_many_ports(void **state)
{
	_cleanup_(unref_settings) struct shared_settings *settings = new_settings(CHECK_S10_TYPE);
	_cleanup_strbuf_ struct strbuf text = {0};
	_cleanup_diags_ struct diags d = {0};

	(void)state;
	strbuf_add(&text, "endpoints = ( { service = \"web\"; endpoints = ( );\n  ports = (");
	for (int i = 0; i <= 20000; i++)
		strbuf_addf(&text, "%s{ name = \"p%d\"; port = 80; }", i ? ", " : " ", i);
	strbuf_add(&text, " ); } );");
	assert_int_equal(strbuf_error(&text), 0);
	read_both(NULL, strbuf_text(&text), settings, &d);
	assert_int_equal(d.n, 1);
	assert_int_equal(check_of(&d.items[0]), CHECK_E10_MANY);
	assert_int_equal(d.items[0].line, 2);
	assert_int_equal(d.items[0].column, 11);
	note_rows(&d);
}

/* New settings against what is in force. */
static void test_settings(void **state)
{
	_cleanup_(unref_settings) struct shared_settings *settings = new_settings(CHECK_S10_TYPE);
	_cleanup_(unref_settings) struct shared_settings *new = new_settings(CHECK_X10_SETTING);
	_cleanup_(index_freep) struct index *x = NULL;
	_cleanup_index_clashes_ struct index_clashes clashes = {0};
	_cleanup_(world_unrefp) struct world *world = NULL;
	struct objects objects = {0};
	_cleanup_free_ struct place *places = calloc(n_setting_rows, sizeof(*places));
	const struct settings_origin origin = {.places = places};
	_cleanup_diags_ struct diags d = {0};
	const struct setting_row *row = setting_find("Health", "HealthzBindAddress");

	(void)state;
	assert_true(read_file(SERVICE("{ " NAME IP NODE_PORTS " }"), OBJECTS_SERVICES, "1.cfg",
			      &settings->s, &objects, &d));
	assert_int_equal(index_new(&x), 0);
	assert_int_equal(index_put_file(x, "1.cfg", &objects), 0);
	assert_int_equal(index_update(x, settings, &clashes, &world), 0);
	assert_non_null(places);
	places[row - setting_rows] = (struct place){"svcroute.conf", 7, 20};
	assert_int_equal(index_check_settings(x, &new->s, &origin, &d), -EBADMSG);
	assert_int_equal(d.n, 1);
	assert_int_equal(check_of(&d.items[0]), CHECK_X10_SETTING);
	assert_int_equal(d.items[0].line, 7);
	assert_int_equal(d.items[0].column, 20);
	note_rows(&d);
	world = world_unref(world);
	x = index_free(x);
	objects_done(&objects);
}

static struct addr addr_of(const char *text)
{
	struct addr a;

	assert_int_equal(addr_parse(text, &a), ADDR_OK);
	return a;
}

/* A router with two networks, a gateway and a point-to-point link. */
static void fill_host(struct host_facts *f, bool has_ipv6)
{
	const struct host_address outside = {addr_of("192.0.2.10"), 24, "eth0"};
	const struct host_address inside = {addr_of("198.51.100.1"), 24, "eth1"};
	const struct host_neighbour gateway = {addr_of("192.0.2.1"), false, "eth0"};
	const struct host_neighbour peer = {addr_of("203.0.113.9"), true, "ppp0"};
	const struct host_socket web = {false, 30080, addr_of("0.0.0.0")};

	assert_int_equal(host_add_address(f, &outside), 0);
	assert_int_equal(host_add_address(f, &inside), 0);
	assert_int_equal(host_add_neighbour(f, &gateway), 0);
	assert_int_equal(host_add_neighbour(f, &peer), 0);
	assert_int_equal(host_add_socket(f, &web), 0);
	assert_int_equal(host_set_ephemeral(f, "30000 60999"), 0);
	f->usable[ADDR_IPV4] = f->forwards[ADDR_IPV4] = true;
	f->usable[ADDR_IPV6] = has_ipv6;
	assert_int_equal(host_facts_finish(f), 0);
}

#define SERVES(name, keys) "{ name = \"" name "\"; " keys PORTS " },\n"
static const char host_services[] = "services = (\n" SERVES(
	"own", "clusterIP = \"192.0.2.10\"; ") SERVES("link", "clusterIP = \"192.0.2.77\"; ")
	SERVES("gateway", "clusterIP = \"10.96.0.1\"; externalIPs = [ \"192.0.2.1\" ]; ") SERVES(
		"peer", "clusterIP = \"10.96.0.2\"; externalIPs = [ \"203.0.113.9\" ]; ")
		SERVES("external", "clusterIP = \"10.96.0.3\"; externalIPs = [ \"192.0.2.88\" ]; ")
			SERVES("six",
			       "clusterIP = \"fd00::1\"; ") "{ name = \"port\"; clusterIP = "
							    "\"10.96.0.4\"; externalIPs = [ "
							    "\"192.0.2.10\" ];\n"
							    "  ports = ( { port = 30080; } ); },\n"
							    "{ name = \"node\"; clusterIPs = [ "
							    "\"10.96.0.5\", \"fd00::2\" "
							    "]; " NODE_PORTS "} );";

/* Each service has something that does not go with the host. */
static void test_host(void **state)
{
	static const char *const node_port_addresses[] = {"all", "192.0.2.0/24", "primary"};
	static const struct host_check_places places = {0};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(node_port_addresses); i++) {
		_cleanup_(unref_settings) struct shared_settings *settings = new_settings(
			CHECK_S10_TYPE);
		struct local_addrs addrs = {.refs = 1, .has_node_ip = {true, false}};
		_cleanup_(index_freep) struct index *x = NULL;
		_cleanup_index_clashes_ struct index_clashes clashes = {0};
		_cleanup_(world_unrefp) struct world *world = NULL;
		_cleanup_host_facts_ struct host_facts facts = {0};
		_cleanup_diags_ struct diags d = {0};
		struct objects objects = {0};
		struct view view = {.addrs = &addrs};

		set(&settings->s, "Proxy.NodePortAddresses", node_port_addresses[i]);
		addrs.node_ip[ADDR_IPV4] = addr_of("192.0.2.10");
		fill_host(&facts, i > 0);
		assert_true(read_file(host_services, OBJECTS_SERVICES, "1.cfg", &settings->s,
				      &objects, &d));
		assert_int_equal(host_check_objects(&facts, &objects, &d), -EBADMSG);
		assert_int_equal(d.n_errors, 2);
		assert_int_equal(index_new(&x), 0);
		assert_int_equal(index_put_file(x, "1.cfg", &objects), 0);
		assert_int_equal(index_update(x, settings, &clashes, &world), 0);
		assert_int_equal(clashes.n, 0);
		view.world = world;
		assert_int_equal(host_check_world(&facts, &view, &places, &d), 0);
		assert_int_equal(d.n_errors, 2);
		note_rows(&d);
		world = world_unref(world);
		x = index_free(x);
		objects_done(&objects);
	}
}

static bool is_key(const struct key_row *rows, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (streq(rows[i].key, key))
			return true;
	return false;
}

static bool is_key_of(enum check_on on, const char *key)
{
	switch (on) {
	case ON_FILE:
		return streq(key, "services") || streq(key, "endpoints");
	case ON_SERVICE:
	case ON_HOST:
		return is_key(service_keys, n_service_keys, key) ||
		       (on == ON_HOST && is_key(service_port_keys, n_service_port_keys, key));
	case ON_SERVICE_PORT:
		return is_key(service_port_keys, n_service_port_keys, key);
	case ON_LB_IP:
		return is_key(lb_ip_keys, n_lb_ip_keys, key);
	case ON_HEALTH_CHECK:
		return is_key(health_check_keys, n_health_check_keys, key);
	case ON_GROUP:
		return is_key(endpoint_group_keys, n_endpoint_group_keys, key);
	case ON_ENDPOINT:
		return is_key(endpoint_keys, n_endpoint_keys, key);
	case ON_ENDPOINT_PORT:
		return is_key(endpoint_port_keys, n_endpoint_port_keys, key);
	case ON_SERVICES:
		return is_key(service_keys, n_service_keys, key) ||
		       is_key(endpoint_group_keys, n_endpoint_group_keys, key);
	default:
		return false;
	}
}

/* A brace is that of a word, or of an example, where a blank follows it or stands before it. */
static bool is_well_formed(const char *text)
{
	size_t n_words = check_n_words(text), n_open = 0, n_close = 0;

	for (const char *p = text; *p; p++) {
		n_open += *p == '{' && p[1] != ' ';
		n_close += *p == '}' && (p == text || p[-1] != ' ');
	}
	return n_open == n_words && n_close == n_words;
}

/* What is written in the table can be used: for messages, and for the man pages. */
static void test_rows(void **state)
{
	(void)state;
	for (int i = 0; i < _CHECK_MAX; i++) {
		const struct check_row *row = &check_rows[i];

		assert_non_null(row->id);
		assert_true(*row->id != '\0');
		assert_true(row->on < _CHECK_ON_MAX);
		assert_true(row->severity < _DIAG_SEVERITY_MAX);
		if (i > 0 && row->on < row[-1].on)
			fail_msg("%s: %s stands too late", row->id, check_on_text(row->on));
		if (row->key && !is_key_of(row->on, row->key))
			fail_msg("%s: %s has no key %s", row->id, check_on_text(row->on), row->key);
		assert_non_null(row->reason);
		if (!*row->reason || !is_well_formed(row->reason) ||
		    row->reason[strlen(row->reason) - 1] == '.')
			fail_msg("%s: %s", row->id, row->reason);
		if (row->hint && (!*row->hint || !is_well_formed(row->hint)))
			fail_msg("%s: %s", row->id, row->hint);
		/* A hint says what the reason does not: most errors have one, and those that do not
		 * say it themselves. */
		if (row->severity == DIAG_ERROR && !row->hint && !has_word(row->reason, "range") &&
		    !has_word(row->reason, "number") && !strstr(row->reason, "must "))
			fail_msg("%s: '%s' says nothing about what to do", row->id, row->reason);
	}
	for (int i = 0; i < _CHECK_ON_MAX; i++)
		assert_non_null(check_on_text((enum check_on)i));
}

/* The readers tell of addresses in the words of the parser. */
static void test_address_reasons(void **state)
{
	static const struct {
		enum addr_reason reason;
		enum check checks[2];
	} rows[] = {
		{ADDR_NOT_AN_ADDRESS, {CHECK_Y7_ADDRESS, CHECK_S62_PREFIX}},
		{ADDR_LEADING_ZERO, {CHECK_Y7_LEADING_ZERO, CHECK_S62_LEADING_ZERO}},
		{ADDR_MAPPED, {CHECK_Y7_MAPPED, CHECK_S62_MAPPED}},
		{ADDR_HAS_ZONE, {CHECK_Y7_ZONE, CHECK_S62_ZONE}},
		{ADDR_HAS_PREFIX, {CHECK_Y7_HAS_PREFIX, CHECK_Y7_HAS_PREFIX}},
		{ADDR_HAS_PORT, {CHECK_Y7_HAS_PORT, CHECK_S62_HAS_PORT}},
		{ADDR_NO_PREFIX, {CHECK_S62_NO_LENGTH, CHECK_S62_NO_LENGTH}},
		{ADDR_BAD_PREFIX, {CHECK_S62_BAD_LENGTH, CHECK_S62_BAD_LENGTH}},
		{ADDR_HOST_BITS, {CHECK_S62_HOST_BITS, CHECK_S62_HOST_BITS}},
		{ADDR_BAD_PORT, {CHECK_E6_PORT, CHECK_E6_PORT}},
	};

	(void)state;
	assert_int_equal(ELEMENTSOF(rows), _ADDR_REASON_MAX - 1);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		for (size_t j = 0; j < 2; j++)
			assert_string_equal(check_rows[rows[i].checks[j]].reason,
					    addr_reason_text(rows[i].reason));
}

/* The last: no row without an input. */
static void test_all_told(void **state)
{
	size_t missing = 0;

	(void)state;
	for (int i = 0; i < _CHECK_MAX; i++) {
		/* Told by what compiles: test-ipvs-limits. */
		if (told[i] || i == CHECK_C42_SET)
			continue;
		missing++;
		print_message("no input for %s of %s %s: %s\n", check_rows[i].id,
			      check_on_text(check_rows[i].on),
			      check_rows[i].key ? check_rows[i].key : "", check_rows[i].reason);
	}
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	 cmocka_unit_test(test_address_reasons),
		cmocka_unit_test(test_inputs),	 cmocka_unit_test(test_many_ports),
		cmocka_unit_test(test_settings), cmocka_unit_test(test_host),
		cmocka_unit_test(test_all_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
