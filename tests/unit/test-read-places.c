/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-tree.h"

#include <errno.h>
#include <stdio.h>

#include "model/read.h"
#include "model/value.h"

/* The first service of a file with one '@', which is taken out. */
struct read {
	char *text;
	int line, column; /* of the '@' */
	struct objects objects;
};

static void read_done(struct read *r)
{
	free(r->text);
	objects_done(&r->objects);
}

static int read_marked(const char *text, struct read *ret)
{
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	struct settings settings;
	struct diags d = {0};
	char *at;
	int r;

	*ret = (struct read){.text = strdup(text), .line = 1, .column = 1};
	assert_non_null(ret->text);
	at = strchr(ret->text, '@');
	assert_non_null(at);
	memmove(at, at + 1, strlen(at));
	for (const char *p = ret->text; p < at; p++) {
		ret->column = *p == '\n' ? 1 : ret->column + 1;
		ret->line += *p == '\n';
	}
	assert_int_equal(settings_init(&settings), 0);
	tree = make_tree(ret->text);
	r = objects_read(tree,
			 strncmp(text, "services", 8) == 0 ? OBJECTS_SERVICES : OBJECTS_ENDPOINTS,
			 &settings, "f", &ret->objects, &d);
	diags_done(&d);
	settings_done(&settings);
	return r;
}

#define FILE_OF(keys)                                                              \
	"services=({name=\"first\";clusterIP=\"10.96.0.9\";ports=({port=1;});},\n" \
	"{" keys "});"
#define NAME "name=\"a\";"
#define IP "clusterIP=\"10.96.0.1\";"
#define PORT "ports=({port=80;});"
#define LB "type=\"LoadBalancer\";"

/* The value that is marked is this one, and its key is the text. */
static const struct row {
	const char *text;
	struct service_value value;
	const char *key;
} rows[] = {
	{FILE_OF("name=@\"a\";" IP PORT), {VALUE_NAME, 0}, "name"},
	{FILE_OF(PORT IP "\n  name=@\"shop/a\";"), {VALUE_NAME, 0}, "name"},
	{FILE_OF(NAME "clusterIP=@\"10.96.0.1\";" PORT),
	 {VALUE_CLUSTER_IP, ADDR_IPV4},
	 "clusterIP"},
	{FILE_OF(NAME "clusterIP=@\"fd00:0::1\";" PORT),
	 {VALUE_CLUSTER_IP, ADDR_IPV6},
	 "clusterIP"},
	{FILE_OF(NAME "clusterIPs=[@\"10.96.0.1\"];" PORT),
	 {VALUE_CLUSTER_IP, ADDR_IPV4},
	 "clusterIPs[0]"},
	{FILE_OF(NAME "clusterIPs=[\"fd00::1\",\n@\"10.96.0.1\"];" PORT),
	 {VALUE_CLUSTER_IP, ADDR_IPV4},
	 "clusterIPs[1]"},
	/* both keys: the first says it, the other one has the rest */
	{FILE_OF(NAME "clusterIPs=[\"10.96.0.1\",\"fd00::1\"];clusterIP=@\"10.96.0.1\";" PORT),
	 {VALUE_CLUSTER_IP, ADDR_IPV4},
	 "clusterIP"},
	{FILE_OF(NAME IP "clusterIPs=[\"10.96.0.1\",@\"fd00::1\"];" PORT),
	 {VALUE_CLUSTER_IP, ADDR_IPV6},
	 "clusterIPs[1]"},
	{FILE_OF(NAME IP "type=\"NodePort\";ports=({port=80;nodePort=@30080;});"),
	 {VALUE_NODE_PORT, 0},
	 "ports[0].nodePort"},
	{FILE_OF(NAME IP LB "ports=({name=\"a\";port=80;},{nodePort=@30080;\nname=\"b\";port=81;});"
			    "externalIPs=[\"192.0.2.1\"];loadBalancerIPs=[\"192.0.2.2\"];"),
	 {VALUE_NODE_PORT, 1},
	 "ports[1].nodePort"},
	{FILE_OF(NAME IP PORT "externalIPs=[@\"192.0.2.1\",\"192.0.2.2\"];"),
	 {VALUE_EXTERNAL_IP, 0},
	 "externalIPs[0]"},
	/* what is listed twice counts where it is first */
	{FILE_OF(NAME IP PORT "externalIPs=[\"192.0.2.1\",\"192.0.2.1\",@\"192.0.2.2\","
			      "\"192.0.2.1\",\"192.0.2.2\"];"),
	 {VALUE_EXTERNAL_IP, 1},
	 "externalIPs[2]"},
	{FILE_OF(NAME IP LB "ports=({name=\"a\";port=80;nodePort=30080;},{name=\"b\";port=81;});"
			    "externalIPs=[\"192.0.2.1\",@\"192.0.2.2\"];"
			    "loadBalancerIPs=[\"192.0.2.9\"];"),
	 {VALUE_EXTERNAL_IP, 1},
	 "externalIPs[1]"},
	{FILE_OF(NAME IP LB PORT "loadBalancerIPs=[\"192.0.2.1\",@\"192.0.2.2\"];"
				 "externalIPs=[\"192.0.2.8\"];"),
	 {VALUE_LB_IP, 1},
	 "loadBalancerIPs[1]"},
	{FILE_OF(NAME IP LB PORT "loadBalancerIPs=(\"192.0.2.1\",{ip=\"192.0.2.1\";},"
				 "{ipMode=\"VIP\";ip=@\"192.0.2.2\";});"),
	 {VALUE_LB_IP, 1},
	 "loadBalancerIPs[2].ip"},
	{FILE_OF(NAME IP LB PORT "externalTrafficPolicy=\"Local\";healthCheckNodePort=@30090;"),
	 {VALUE_HEALTH_CHECK_NODE_PORT, 0},
	 "healthCheckNodePort"},
	{FILE_OF("name=@\"a\";type=\"ExternalName\";externalName=\"x.example\";" PORT),
	 {VALUE_NAME, 0},
	 "name"},
	{FILE_OF("name=@\"a\";clusterIP=\"None\";"), {VALUE_NAME, 0}, "name"},
	/* not there: then the service */
	{FILE_OF(NAME "clusterIP=\"None\";" PORT) "@", {_VALUE_KEY_MAX, 0}, ""},
};

static void test_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		const struct row *row = &rows[i];
		char text[SERVICE_VALUE_MAX], expected[SERVICE_VALUE_MAX];
		const struct service_def *d;
		struct place at;
		struct read f;

		assert_int_equal(read_marked(row->text, &f), 0);
		assert_int_equal(f.objects.n_services, 2);
		d = f.objects.services[1];
		assert_non_null(d->places);
		service_value_place(d, row->value, &at);
		if (row->value.key == _VALUE_KEY_MAX) {
			f.line = 2;
			f.column = 1;
		}
		if (at.line != f.line || at.column != f.column)
			fail_msg("%s: %d:%d, not %d:%d", f.text, at.line, at.column, f.line,
				 f.column);
		assert_string_equal(at.file, "f");
		assert_string_equal(service_value_text(d, row->value, text), row->key);
		(void)snprintf(expected, sizeof(expected), "services[1].%s", row->key);
		assert_string_equal(service_value_field(d, row->value, text), expected);
		read_done(&f);
	}
}

/* A copy for a world has no places: it stays when the lines change. */
static void test_copy(void **state)
{
	struct service *s = NULL, *other = NULL;
	struct read f, moved;
	struct place at;

	(void)state;
	assert_int_equal(read_marked(FILE_OF(NAME IP PORT) "@", &f), 0);
	assert_int_equal(read_marked(FILE_OF("\n\n" NAME "\n" IP PORT) "@", &moved), 0);
	assert_int_equal(service_new(f.objects.services[1], &s), 0);
	assert_int_equal(service_new(moved.objects.services[1], &other), 0);
	assert_null(s->def->places);
	assert_true(service_equal(s, other));
	service_value_place(s->def, (struct service_value){VALUE_NAME, 0}, &at);
	assert_null(at.file);
	assert_int_equal(at.line, 0);
	service_unref(s);
	service_unref(other);
	read_done(&f);
	read_done(&moved);
}

static void test_group(void **state)
{
	struct read f;

	(void)state;
	assert_int_equal(read_marked("endpoints=({service=\"a\";endpoints=[];},\n {endpoints=[];\n"
				     "  service=@\"b\";});",
				     &f),
			 0);
	assert_int_equal(f.objects.n_groups, 2);
	assert_int_equal(f.objects.groups[1]->service_line, f.line);
	assert_int_equal(f.objects.groups[1]->service_column, f.column);
	assert_int_equal(f.objects.groups[1]->at.line, 2);
	read_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
