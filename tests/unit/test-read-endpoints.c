/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service-rows.h"

static void test_inline_endpoints(void **state)
{
	static const struct text_row rows[] = {
		{N C P "endpoints=\"10.1.0.1:80\"",
		 "error: services[0].endpoints '10.1.0.1:80': must be a list, not a string (a list "
		 "is written in parentheses or brackets)\n"},
		{N C P "endpoints=[\"10.1.0.1:80\",\"10.1.0.2\",\"fd00::1\",\"[fd00::2]:80\"]", ""},
		{N C P "endpoints=[\"10.1.0.1:0\",\"10.1.0.1:080\",\"10.1.0.1:\",\"[10.1.0.1]:80\","
		       "\"[fd00::1]\",\"10.1.0.1:http\",\"10.1.0.01:80\",\"web:80\",\"\"]",
		 "error: services[0].endpoints[0] '10.1.0.1:0': must have a port of "
		 "1-65535, as in 10.0.0.1:80 or [fd00::1]:80\n"
		 "error: services[0].endpoints[1] '10.1.0.1:080': must have a port of "
		 "1-65535, as in 10.0.0.1:80 or [fd00::1]:80\n"
		 "error: services[0].endpoints[2] '10.1.0.1:': must have a port of 1-65535, "
		 "as in 10.0.0.1:80 or [fd00::1]:80\n"
		 "error: services[0].endpoints[3] '[10.1.0.1]:80': must be a valid IP "
		 "address (write \"10.0.0.1:80\" or \"[fd00::1]:80\")\n"
		 "error: services[0].endpoints[4] '[fd00::1]': must be a valid IP address "
		 "(write \"10.0.0.1:80\" or \"[fd00::1]:80\")\n"
		 "error: services[0].endpoints[5] '10.1.0.1:http': must have a port of "
		 "1-65535, as in 10.0.0.1:80 or [fd00::1]:80\n"
		 "error: services[0].endpoints[6] '10.1.0.01:80': must not have leading "
		 "zeros\n"
		 "error: services[0].endpoints[7] 'web:80': must be a valid IP address "
		 "(write \"10.0.0.1:80\" or \"[fd00::1]:80\")\n"
		 "error: services[0].endpoints[8] '': must be a valid IP address (write "
		 "\"10.0.0.1:80\" or \"[fd00::1]:80\")\n"},
		{N C P "endpoints=[\"127.0.0.1:80\",\"0.0.0.0:80\",\"[::1]:80\",\"255.255.255.255:"
		       "80\",\"224.0.0.1\"]",
		 "error: services[0].endpoints[0] '127.0.0.1:80': must not be a loopback address "
		 "(127.0.0.0/8, ::1) (write an address of the endpoint that other hosts can "
		 "reach)\n"
		 "error: services[0].endpoints[1] '0.0.0.0:80': must not be the unspecified "
		 "address (write an address of the endpoint that other hosts can reach)\n"
		 "error: services[0].endpoints[2] '[::1]:80': must not be a loopback address "
		 "(127.0.0.0/8, ::1) (write an address of the endpoint that other hosts can "
		 "reach)\n"
		 "error: services[0].endpoints[3] '255.255.255.255:80': must not be the broadcast "
		 "address (write an address of the endpoint that other hosts can reach)\n"
		 "error: services[0].endpoints[4] '224.0.0.1': must not be a link-local multicast "
		 "address (224.0.0.0/24, ff02::/16) (write an address of the endpoint that other "
		 "hosts can reach)\n"},
		{N C P "endpoints=(80)",
		 "error: services[0].endpoints[0] '80': must be \"ip:port\" or a group, not a "
		 "number (write \"10.0.0.1:80\" or { address = \"10.0.0.1\"; })\n"},
		{N C P "endpoints=({address=\"10.1.0.1\"; port=8080},\"10.1.0.2:80\")", ""},
		{N C P "endpoints=({address=\"10.1.0.1\"; port=8080; ports=({port=80})})",
		 "error: services[0].endpoints[0].ports: must not be set beside port (leave out "
		 "one of the two)\n"},
		{N C P "endpoints=({address=\"10.1.0.1\"; ports=()})",
		 "error: services[0].endpoints[0].ports: must have at least one port (leave it out "
		 "to have the ports of the group)\n"},
		{N C P "endpoints=({address=\"10.1.0.1:80\"})",
		 "error: services[0].endpoints[0].address '10.1.0.1:80': must be an address "
		 "without a port (write the address alone)\n"},
		{N C P "endpoints=({address=[\"10.1.0.1\"]})",
		 "error: services[0].endpoints[0].address: must be one address, not a list "
		 "(write one entry an address)\n"},
		{N C P "endpoints=({addresses=[\"10.1.0.1\"]})",
		 "error: services[0].endpoints[0].addresses: unknown key (did you mean "
		 "'address'?)\n"},
		{N C P "endpoints=({address=\"FD00::1\"})",
		 "notice: services[0].endpoints[0].address 'FD00::1': is used and shown as "
		 "'fd00::1'\n"},
		{N C P "endpoints=({address=\"10.1.0.1\"; "
		       "ports=({name=\"a\";port=80},{name=\"a\";port=81})})",
		 "error: services[0].endpoints[0].ports[1].name 'a': has the same name and "
		 "protocol as ports[0] (leave out one of the two)\n"},
		{N C P "endpoints=({address=\"10.1.0.1\"; "
		       "ports=({name=\"a\";port=80},{name=\"a\";port=81;protocol=\"UDP\"})})",
		 ""},
		{N C P "endpoints=({address=\"10.1.0.1\"; "
		       "ports=({name=\"A\";port=0;protocol=\"udp\"},{})})",
		 "error: services[0].endpoints[0].ports[0].name 'A': must be 1 to 63 of a-z, 0-9 "
		 "and '-', with no '-' at its ends (did you mean 'a'?)\n"
		 "error: services[0].endpoints[0].ports[0].protocol 'udp': must be TCP, UDP or "
		 "SCTP (did you mean 'UDP'?)\n"
		 "error: services[0].endpoints[0].ports[0].port '0': must lie in 1-65535\n"
		 "error: services[0].endpoints[0].ports[1].port: must be set, in 1-65535 (add the "
		 "number at which the endpoint listens)\n"},
		{N C P "endpoints=({address=\"10.1.0.1\"; ports=({port=80;protocol=\"\"})})",
		 "error: services[0].endpoints[0].ports[0].protocol '': must be TCP, UDP or "
		 "SCTP\n"},
		{N C P "endpoints=({address=\"10.1.0.1\"; hostname=\"\"; node=\"\"; zone=\"\"})",
		 "error: services[0].endpoints[0].hostname '': must be 1 to 63 of a-z, 0-9 "
		 "and '-', with no '-' at its ends\n"
		 "error: services[0].endpoints[0].node '': must be a DNS name in lower "
		 "case, of at most 253 characters\n"},
		{N C P
		 "endpoints=({address=\"10.1.0.1\"; hostname=\"a.b\"; node=\"A\"; zone=\"a b\"})",
		 "error: services[0].endpoints[0].hostname 'a.b': must be 1 to 63 of a-z, 0-9 and "
		 "'-', with no '-' at its ends (did you mean 'a-b'?)\n"
		 "error: services[0].endpoints[0].node 'A': must be a DNS name in lower case, of "
		 "at most 253 characters (did you mean 'a'?)\n"
		 "error: services[0].endpoints[0].zone 'a b': must be 1 to 63 letters, digits, "
		 "'-', '_' and '.', with a letter or digit at its ends (did you mean 'a-b'?)\n"},
		{N C P "endpoints=({address=\"10.1.0.1\"; hostname=\"a\"; node=\"a.b\"; "
		       "zone=\"A_b.c\"; weight=0})",
		 ""},
		{N C P "endpoints=({address=\"10.1.0.1\"; weight=65536})",
		 "error: services[0].endpoints[0].weight '65536': must lie in 0-65535 (weights of "
		 "one service are compared with each other)\n"},
		{N C P "endpoints=({address=\"10.1.0.1\"; forZones=[\"a\",\"b\",\"a\"]; "
		       "forNodes=[\"n\"]})",
		 "error: services[0].endpoints[0].forZones[2] 'a': is listed twice (leave out one "
		 "of the two)\n"},
		{N C P "endpoints=({address=\"10.1.0.1\"; forZones=[\"\"]; forNodes=[\"N\",\"\"]})",
		 "error: services[0].endpoints[0].forZones[0] '': must be 1 to 63 letters, digits, "
		 "'-', '_' and '.', with a letter or digit at its ends\n"
		 "error: services[0].endpoints[0].forNodes[0] 'N': must be a DNS name in lower "
		 "case, of at most 253 characters (did you mean 'n'?)\n"
		 "error: services[0].endpoints[0].forNodes[1] '': must be a DNS name in lower "
		 "case, of at most 253 characters\n"},
		{N C P "endpoints=({address=\"10.1.0.1\"; "
		       "forZones=[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\"]})",
		 ""},
		{N C P "endpoints=({address=\"10.1.0.1\"; "
		       "forZones=[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]})",
		 "error: services[0].endpoints[0].forZones: must have at most 8 entries (name the "
		 "nearest ones)\n"},
		{N C P "endpoints=({address=\"10.1.0.1\"; forNodes=\"n\"})",
		 "error: services[0].endpoints[0].forNodes 'n': must be a list, not a string (a "
		 "list is written in parentheses or brackets)\n"},
		{N C P
		 "endpoints=({address=\"10.1.0.1\"; ready=\"no\"; serving=0; terminating=null})",
		 "error: services[0].endpoints[0].ready 'no': must be true or false, not a string "
		 "(write true or false, without quotes)\n"
		 "error: services[0].endpoints[0].serving '0': must be true or false, not a number "
		 "(write true or false, without quotes)\n"},
	};

	(void)state;
	check_services(rows);
}

static void test_groups(void **state)
{
	static const struct text_row rows[] = {
		{"service=\"web\"; endpoints=[\"10.1.0.1:80\"]", ""},
		{"endpoints=[\"10.1.0.1\"]",
		 "error: endpoints[0].service: must be set to the name of a service (add its name, "
		 "such as \"default/web\")\n"},
		{"service=\"\"; endpoints=[\"10.1.0.1\"]",
		 "error: endpoints[0].service '': the name must not be empty (add its name, such "
		 "as \"web\")\n"},
		{"service=\"a/b/c\"; endpoints=[\"10.1.0.1\"]",
		 "error: endpoints[0].service 'a/b/c': must be \"namespace/name\" or \"name\", "
		 "with one '/' (what stands before the '/' is the namespace)\n"},
		{"service=5; endpoints=[\"10.1.0.1\"]",
		 "error: endpoints[0].service '5': must be a string, not a number (a string is "
		 "written in double quotes)\n"},
		{"service=\"web\"",
		 "notice: endpoints[0].endpoints: is not set: the group has no endpoints\n"},
		{"service=\"web\"; endpoints=()", ""},
		{"service=\"web\"; endpoints={address=\"10.1.0.1\"}",
		 "error: endpoints[0].endpoints: must be a list, not a group (a list is written in "
		 "parentheses or brackets)\n"},
		{"service=\"web\"; ports=(); endpoints=[\"10.1.0.1\"]", ""},
		{"service=\"web\"; ports=[80]; endpoints=[\"10.1.0.1\"]",
		 "error: endpoints[0].ports[0] '80': must be a group, not a number (a group is "
		 "written in braces)\n"},
		{"service=\"web\"; ports=({name=\"a\";port=80},{name=\"b\";port=81}); "
		 "endpoints=[\"10.1.0.1\",\"10.1.0.2:90\"]",
		 ""},
		{"service=\"web\"; ports=({port=80},{port=81}); endpoints=[\"10.1.0.1\"]",
		 "error: endpoints[0].ports[1]: has the same name and protocol as ports[0] (leave "
		 "out one of the two)\n"},
		{"service=\"web\"; "
		 "ports=({name=\"dns\";port=53},{name=\"dns\";port=53;protocol=\"UDP\"}); "
		 "endpoints=[\"10.1.0.1\"]",
		 ""},
		{"service=\"web\"; ports=({name=\"dns\";port=70000}); endpoints=[\"10.1.0.1\"]",
		 "error: endpoints[0].ports[0].port '70000': must lie in 1-65535\n"},
		{"service=\"web\"; ports=({name=\"dns\";port=-5}); endpoints=[\"10.1.0.1\"]",
		 "error: endpoints[0].ports[0].port '-5': must lie in 1-65535\n"},
		{"service=\"web\"; ports=({name=\"p q\";port=5}); endpoints=[\"10.1.0.1\"]",
		 "error: endpoints[0].ports[0].name 'p q': must be 1 to 63 of a-z, 0-9 and '-', "
		 "with no '-' at its ends (did you mean 'p-q'?)\n"},
		{"service=\"web\"; port=80; endpoints=[\"10.1.0.1\"]",
		 "error: endpoints[0].port '80': unknown key (did you mean 'ports'?)\n"},
		{"service=\"web\"; endpoint=[\"10.1.0.1\"]",
		 "error: endpoints[0].endpoint: unknown key (did you mean 'endpoints'?)\n"},
		{"service=\"web\"; endpoints=[\"10.1.0.1\",\"fd00::1\",5]",
		 "error: endpoints[0].endpoints[2] '5': must be \"ip:port\" or a group, not a "
		 "number (write \"10.0.0.1:80\" or { address = \"10.0.0.1\"; })\n"},
		{"service=\"web\"; endpoints=({adress=\"10.1.0.1\"})",
		 "error: endpoints[0].endpoints[0].adress '10.1.0.1': unknown key (did you "
		 "mean 'address'?)\n"},
		{"service=\"web\"; endpoints=({address=\"10.1.0.1\"; ready=true; terminating=true; "
		 "serving=false})",
		 ""},
	};

	(void)state;
	check_groups(rows);
}

static void test_content(void **state)
{
	_cleanup_settings_ struct settings settings;
	_cleanup_(endpoint_group_freep) struct endpoint_group *g = NULL;
	const struct endpoint_def *e;

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	g = make_group(
		"service = \"web\"; endpoints = (\n\"10.1.0.1\",\n  \"[fd00::1]:8080\", "
		"{ address = \"10.1.0.2\"; port = 90; hostname = \"h\"; node = \"n\"; "
		"zone = \"Z\"; forZones = [\"a\", \"b\"]; forNodes = [\"n\"]; weight = 0; "
		"terminating = true; }, "
		"{ address = \"10.1.0.3\"; ready = false; serving = false; "
		"ports = ({ name = \"x\"; port = 7; }); }, "
		"{ address = \"10.1.0.4\"; ready = true; terminating = true; zone = \"\"; })",
		&settings);
	assert_string_equal(g->service, "default/web");
	assert_false(g->ports_given);
	assert_int_equal(g->n_ports, 0);
	assert_int_equal(g->position, 0);
	assert_int_equal(g->n_endpoints, 5);

	e = &g->endpoints[0];
	assert_int_equal(e->ip.family, ADDR_IPV4);
	assert_int_equal(e->port, 0);
	assert_int_equal(e->line, 2);
	assert_int_equal(e->column, 1);
	assert_int_equal(e->weight, 1);
	assert_true(e->ready && e->serving && !e->terminating);
	assert_null(e->hostname);
	assert_null(e->for_zones.items);
	assert_null(e->ports);
	e = &g->endpoints[1];
	assert_int_equal(e->ip.family, ADDR_IPV6);
	assert_int_equal(e->port, 8080);
	assert_int_equal(e->line, 3);
	assert_int_equal(e->column, 3);
	e = &g->endpoints[2];
	assert_int_equal(e->port, 90);
	assert_int_equal(e->weight, 0);
	assert_string_equal(e->hostname, "h");
	assert_string_equal(e->node, "n");
	assert_string_equal(e->zone, "Z");
	assert_int_equal(e->for_zones.n, 2);
	assert_string_equal(e->for_zones.items[1], "b");
	assert_string_equal(e->for_nodes.items[0], "n");
	assert_true(!e->ready && e->serving && e->terminating);
	e = &g->endpoints[3];
	assert_true(!e->ready && !e->serving && !e->terminating);
	assert_int_equal(e->n_ports, 1);
	assert_int_equal(e->ports[0].port, 7);
	e = &g->endpoints[4];
	assert_true(e->ready && e->terminating);
	assert_null(e->zone);
	endpoint_group_free(g);

	/* An imported slice without ports says so. */
	g = make_group("service = \"web\"; ports = (); endpoints = (\"10.1.0.1\")", &settings);
	assert_true(g->ports_given);
	assert_int_equal(g->n_ports, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inline_endpoints),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
