/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service-rows.h"

static void test_ports(void **state)
{
	static const struct text_row rows[] = {
		{N C, "error: services[0].ports: must have at least one port (add an entry with a "
		      "port number)\n"},
		{N C "ports=()", "error: services[0].ports: must have at least one port (add an "
				 "entry with a port number)\n"},
		{N "clusterIP=\"None\"", ""},
		{N C "ports=({})", "error: services[0].ports[0].port: must be set, in 1-65535 (add "
				   "the number at which clients connect)\n"},
		{N C "ports=({port=0})",
		 "error: services[0].ports[0].port '0': must lie in 1-65535\n"},
		{N C "ports=({port=65536})",
		 "error: services[0].ports[0].port '65536': must lie in 1-65535\n"},
		{N C "ports=({port=\"80\"})",
		 "error: services[0].ports[0].port '80': must be a whole number, not a "
		 "string (write 80 without quotes)\n"},
		{N C "ports=({port=\"http\"})",
		 "error: services[0].ports[0].port 'http': must be a whole number, not a "
		 "string\n"},
		{N C "ports=({port=80.5})",
		 "error: services[0].ports[0].port '0.5': must be a whole number, not a "
		 "number with a fraction\n"},
		{N C "ports=({port=-1})",
		 "error: services[0].ports[0].port '-1': must lie in 1-65535\n"},
		{N C "ports=({port=80; name=\"HTTP\"})",
		 "error: services[0].ports[0].name 'HTTP': must be 1 to 63 of a-z, 0-9 and '-', "
		 "with no '-' at its ends (did you mean 'http'?)\n"},
		{N C "ports=({port=80; name=\"a_b\"})",
		 "error: services[0].ports[0].name 'a_b': must be 1 to 63 of a-z, 0-9 and '-', "
		 "with no '-' at its ends (did you mean 'a-b'?)\n"},
		{N C "ports=({port=80; name=\"sixteen-bytes-ok\"})", ""},
		{N C "ports=({port=80; name=\"\"})", ""},
		{N C "ports=({port=80; name=80})",
		 "error: services[0].ports[0].name '80': must be a string, not a number (a string "
		 "is written in double quotes)\n"},
		{N C "ports=({port=80},{port=81})",
		 "error: services[0].ports[0].name: must be set when the service has more than one "
		 "port (give each port a name of its own, such as \"http\")\n"
		 "error: services[0].ports[1].name: must be set when the service has more than one "
		 "port (give each port a name of its own, such as \"http\")\n"},
		{N C "ports=({port=80; name=\"a\"},{port=81; name=\"\"})",
		 "error: services[0].ports[1].name: must be set when the service has more than one "
		 "port (give each port a name of its own, such as \"http\")\n"},
		{N C "ports=({port=80; name=\"a\"},{port=81; name=\"a\"; protocol=\"UDP\"})",
		 "error: services[0].ports[1].name 'a': is the name of ports[0], too: names must "
		 "be unique in a service (give each port a name of its own)\n"},
		{N C "ports=({port=80; name=\"a\"},{port=80; name=\"b\"})",
		 "error: services[0].ports[1]: has the number and protocol of ports[0], TCP 80 "
		 "(leave out one of the two)\n"},
		{N C "ports=({port=80; name=\"a\"},{port=80; name=\"b\"; protocol=\"UDP\"})", ""},
		{N C "ports=({port=80; protocol=\"tcp\"})",
		 "error: services[0].ports[0].protocol 'tcp': must be TCP, UDP or SCTP (did "
		 "you mean 'TCP'?)\n"},
		{N C "ports=({port=80; protocol=\"ICMP\"})",
		 "error: services[0].ports[0].protocol 'ICMP': must be TCP, UDP or SCTP\n"},
		{N C "ports=({port=80; protocol=\"\"})", ""},
		{N C "ports=({port=80; protocol=\"SCTP\"})", ""},
		{N C "ports=({port=80; targetPort=0})", ""},
		{N C "ports=({port=80; targetPort=\"\"})", ""},
		{N C "ports=({port=80; targetPort=65536})",
		 "error: services[0].ports[0].targetPort '65536': must lie in 1-65535 (leave it "
		 "out for the number of port)\n"},
		{N C "ports=({port=80; targetPort=-1})",
		 "error: services[0].ports[0].targetPort '-1': must lie in 1-65535 (leave it out "
		 "for the number of port)\n"},
		{N C "ports=({port=80; targetPort=\"80\"})",
		 "error: services[0].ports[0].targetPort '80': must be a name of 1 to 15 of a-z, "
		 "0-9 and '-' with at least one letter, no \"--\" and no '-' at its ends (write 80 "
		 "without quotes)\n"},
		{N C "ports=({port=80; targetPort=\"http\"})", ""},
		{N C "ports=({port=80; targetPort=\"a--b\"})",
		 "error: services[0].ports[0].targetPort 'a--b': must be a name of 1 to 15 "
		 "of a-z, 0-9 and '-' with at least one letter, no \"--\" and no '-' at its "
		 "ends\n"},
		{N C "ports=({port=80; targetPort=\"Http\"})",
		 "error: services[0].ports[0].targetPort 'Http': must be a name of 1 to 15 "
		 "of a-z, 0-9 and '-' with at least one letter, no \"--\" and no '-' at its "
		 "ends\n"},
		{N C "ports=({port=80; targetPort=\"sixteen-bytes-no\"})",
		 "error: services[0].ports[0].targetPort 'sixteen-bytes-no': must be a name "
		 "of 1 to 15 of a-z, 0-9 and '-' with at least one letter, no \"--\" and no "
		 "'-' at its ends\n"},
		{N C "ports=({port=80; targetPort=true})",
		 "error: services[0].ports[0].targetPort 'true': must be a number or the name of a "
		 "port, not true or false (write a number, or a name in double quotes)\n"},
		{N C "ports=({port=80; nodePort=30000})",
		 "error: services[0].ports[0].nodePort '30000': must not be set with type "
		 "ClusterIP (use type = \"NodePort\")\n"},
		{N C "ports=({port=80; nodePort=0})", ""},
		{T C "ports=({port=80})",
		 "error: services[0].ports[0].nodePort: must be set with type NodePort "
		 "(30000 is the lowest that this file does not use)\n"},
		{T C "ports=({port=80; nodePort=0})",
		 "error: services[0].ports[0].nodePort: must be set with type NodePort "
		 "(30000 is the lowest that this file does not use)\n"},
		{T C "ports=({port=80; nodePort=30000; name=\"a\"},{port=81; name=\"b\"},{port=82; "
		     "name=\"c\"; nodePort=30001})",
		 "error: services[0].ports[1].nodePort: must be set with type NodePort "
		 "(30002 is the lowest that this file does not use)\n"},
		{T C "ports=({port=80; nodePort=-1})",
		 "error: services[0].ports[0].nodePort '-1': must lie in 30000-32767 (the range is "
		 "that of ServiceNodePortRange=)\n"},
		{T C "ports=({port=80; nodePort=29999})",
		 "error: services[0].ports[0].nodePort '29999': must lie in 30000-32767 (the range "
		 "is that of ServiceNodePortRange=)\n"},
		{T C "ports=({port=80; nodePort=30000})", ""},
		{T C "ports=({port=80; nodePort=32767})", ""},
		{T C "ports=({port=80; nodePort=32768})",
		 "error: services[0].ports[0].nodePort '32768': must lie in 30000-32767 (the range "
		 "is that of ServiceNodePortRange=)\n"},
		{T C "ports=({port=80; nodePort=70000})",
		 "error: services[0].ports[0].nodePort '70000': must lie in 30000-32767 (the range "
		 "is that of ServiceNodePortRange=)\n"},
		{T C "ports=({port=80; nodePort=30000; name=\"a\"},{port=81; nodePort=30000; "
		     "name=\"b\"})",
		 "error: services[0].ports[1].nodePort '30000': is the nodePort of ports[0], too, "
		 "with the same protocol (choose another number)\n"},
		{T C "ports=({port=80; nodePort=30000; name=\"a\"},{port=81; nodePort=30000; "
		     "name=\"b\"; protocol=\"UDP\"})",
		 ""},
		{L C "ports=({port=80})",
		 "notice: services[0].ports: a port without nodePort gets none: svcroute "
		 "never chooses one\n"},
	};

	(void)state;
	check_services(rows);
}

/* All numbers of the range are in use: no hint. And many ports are no burden. */
static void test_many(void **state)
{
	_cleanup_settings_ struct settings settings;
	_cleanup_strbuf_ struct strbuf body = {0};
	_cleanup_(service_def_freep) struct service_def *s = NULL;
	struct text_row row;

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	settings.node_port_min = 30000;
	settings.node_port_max = 34999;
	strbuf_add(&body, T C "ports = (");
	for (unsigned i = 0; i < 5000; i++)
		strbuf_addf(&body, "{ name = \"p%u\"; port = %u; nodePort = %u; }, ", i, i + 1,
			    34999 - i);
	strbuf_add(&body, "); healthCheckNodePort = 0;");
	s = make_service(strbuf_text(&body), &settings);
	assert_int_equal(s->n_ports, 5000);
	assert_string_equal(s->ports[4999].name, "p4999");
	assert_int_equal(s->ports[4999].node_port, 30000);

	strbuf_reset(&body);
	settings.node_port_max = 30001;
	strbuf_add(&body, T C "ports = ({ name = \"a\"; port = 1; nodePort = 30001; }, "
			      "{ name = \"b\"; port = 2; nodePort = 30000; }, "
			      "{ name = \"c\"; port = 3; });");
	row = (struct text_row){strbuf_text(&body), "error: services[0].ports[2].nodePort: must be "
						    "set with type NodePort\n"};
	check_row(&row, OBJECTS_SERVICES, &settings);
}

/* The hint looks at the whole file. */
static void test_free_number_of_file(void **state)
{
	_cleanup_settings_ struct settings settings;
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	_cleanup_objects_ struct objects objects = {0};
	_cleanup_diags_ struct diags d = {0};
	_cleanup_free_ char *said = NULL;

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	tree = make_tree("services = ("
			 "{ name = \"a\"; " C "type = \"NodePort\"; ports = ({ port = 1; }); },"
			 "{ name = \"b\"; " C "type = \"LoadBalancer\"; "
			 "externalTrafficPolicy = \"Local\"; healthCheckNodePort = 30001; "
			 "ports = ({ port = 1; nodePort = 30000; }); })");
	assert_int_equal(objects_read(tree, OBJECTS_SERVICES, &settings, "file", &objects, &d),
			 -EBADMSG);
	assert_int_equal(objects.n_services, 0);
	said = messages_text(&d);
	assert_string_equal(said, "error: services[0].ports[0].nodePort: must be set with type "
				  "NodePort (30002 is the lowest that this file does not use)\n");
}

/* Found by name and protocol, so they are sorted. */
static void test_endpoint_ports(void **state)
{
	_cleanup_settings_ struct settings settings;
	_cleanup_(endpoint_group_freep) struct endpoint_group *g = NULL;
	_cleanup_strbuf_ struct strbuf body = {0};
	struct text_row row;

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	g = make_group("service = \"a\"; endpoints = (); ports = ({ name = \"b\"; port = 3; }, "
		       "{ port = 1; }, { name = \"b\"; port = 4; protocol = \"SCTP\"; }, "
		       "{ name = \"a\"; port = 2; });",
		       &settings);
	assert_int_equal(g->n_ports, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(g->ports[i].port, i + 1);
	assert_true(g->ports_given);

	strbuf_add(&body, "service = \"a\"; endpoints = (); ports = (");
	for (unsigned i = 0; i < 20000; i++)
		strbuf_addf(&body, "{ name = \"p%u\"; port = 1; },", i);
	row = (struct text_row){NULL, ""};
	strbuf_add(&body, ")");
	row.body = strbuf_text(&body);
	check_row(&row, OBJECTS_ENDPOINTS, &settings);
	body.len--;
	strbuf_add(&body, "{ name = \"q\"; port = 1; })");
	row.body = strbuf_text(&body);
	row.said =
		"error: endpoints[0].ports: must have at most 20000 ports (write several groups)\n";
	check_row(&row, OBJECTS_ENDPOINTS, &settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_free_number_of_file),
		cmocka_unit_test(test_endpoint_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
