/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service-rows.h"

static void test_checks(void **state)
{
	static const struct text_row rows[] = {
		{N C P "healthCheck={}", "error: services[0].healthCheck.type: must be set to tcp, "
					 "http, https or exec (as in type = \"tcp\")\n"},
		{N C P "healthCheck=1", "error: services[0].healthCheck '1': must be a group, not "
					"a number (a group is written in braces)\n"},
		{N C P "healthCheck={type=\"http\"; port=8080; path=\"/\"; host=\"\"; "
		       "expect=\"200-399\"; interval=\"5s\"; timeout=\"2s\"; rise=2; fall=3}",
		 ""},
		{N C P "healthCheck={type=\"udp\"}",
		 "error: services[0].healthCheck.type 'udp': must be tcp, http, https or "
		 "exec\n"},
		{N C P "healthCheck={type=\"tcp\"; path=\"/\"; command=[\"/bin/true\"]}",
		 "warning: services[0].healthCheck.path '/': is ignored with type tcp (leave it "
		 "out)\n"
		 "warning: services[0].healthCheck.command: is ignored with type tcp (leave it "
		 "out)\n"},
		{N C P "healthCheck={type=\"http\"; path=\"health\"}",
		 "error: services[0].healthCheck.path 'health': must start with '/' (write it as "
		 "in /healthz)\n"},
		{N C P "healthCheck={type=\"http\"; path=\"/a b\"; host=\"a b\"}",
		 "error: services[0].healthCheck.path '/a b': must not have blanks or control "
		 "characters (write them as in %20)\n"
		 "error: services[0].healthCheck.host 'a b': must not have blanks or control "
		 "characters (write the name alone)\n"},
		{N C P "healthCheck={type=\"http\"; expect=\"200-\"}",
		 "error: services[0].healthCheck.expect '200-': must be status codes of "
		 "100-599 or ranges of them, such as \"200-299,304\"\n"},
		{N C P "healthCheck={type=\"http\"; expect=\"399-200\"}",
		 "error: services[0].healthCheck.expect '399-200': must be status codes of "
		 "100-599 or ranges of them, such as \"200-299,304\"\n"},
		{N C P "healthCheck={type=\"http\"; expect=\"99\"}",
		 "error: services[0].healthCheck.expect '99': must be status codes of "
		 "100-599 or ranges of them, such as \"200-299,304\"\n"},
		{N C P "healthCheck={type=\"http\"; expect=\"200,302-303\"}", ""},
		{N C P "healthCheck={type=\"http\"; expect=\"200,\"}",
		 "error: services[0].healthCheck.expect '200,': must be status codes of "
		 "100-599 or ranges of them, such as \"200-299,304\"\n"},
		{N C P "healthCheck={type=\"tcp\"; interval=\"999ms\"}",
		 "error: services[0].healthCheck.interval '999ms': must be at least 1s (write "
		 "\"1s\" or a longer time)\n"},
		{N C P "healthCheck={type=\"tcp\"; interval=\"1s\"; timeout=\"1s\"}", ""},
		{N C P "healthCheck={type=\"tcp\"; interval=\"1s\"}", ""},
		{N C P "healthCheck={type=\"tcp\"; interval=\"2s\"; timeout=\"3s\"}",
		 "error: services[0].healthCheck.timeout '3s': must not be longer than the "
		 "interval, which is 2s (make it shorter, or set a longer interval)\n"},
		{N C P "healthCheck={type=\"tcp\"; timeout=\"0s\"}",
		 "error: services[0].healthCheck.timeout '0s': must be more than 0s (leave it out "
		 "for that of the settings)\n"},
		{N C P "healthCheck={type=\"tcp\"; timeout=\"1000s\"}",
		 "error: services[0].healthCheck.timeout '1000s': must not be longer than the "
		 "interval, which is 5s (make it shorter, or set a longer interval)\n"},
		{N C P "healthCheck={type=\"tcp\"; interval=5}",
		 "error: services[0].healthCheck.interval '5': must be a string, not a number (a "
		 "string is written in double quotes)\n"},
		{N C P "healthCheck={type=\"tcp\"; interval=\"-5s\"}",
		 "error: services[0].healthCheck.interval '-5s': must be a time that is not "
		 "negative and not so long (write it as in \"5s\")\n"},
		{N C P "healthCheck={type=\"tcp\"; interval=\"soon\"}",
		 "error: services[0].healthCheck.interval 'soon': must be a time, such as "
		 "\"5s\" or \"250ms\"\n"},
		{N C P "healthCheck={type=\"tcp\"; rise=0; fall=-1}",
		 "error: services[0].healthCheck.rise '0': must lie in 1-1000 (leave it out for "
		 "that of the settings)\n"
		 "error: services[0].healthCheck.fall '-1': must lie in 1-1000 (leave it out for "
		 "that of the settings)\n"},
		{N C P "healthCheck={type=\"tcp\"; port=0}",
		 "error: services[0].healthCheck.port '0': must lie in 1-65535 (leave it out for "
		 "the port of the endpoint)\n"},
		{N C P "healthCheck={type=\"exec\"}",
		 "error: services[0].healthCheck.command: must be set with type exec: a list, an "
		 "absolute path first (as in command = [ \"/usr/local/bin/check\", \"-q\" ])\n"},
		{N C P "healthCheck={type=\"exec\"; command=[]}",
		 "error: services[0].healthCheck.command: must be set with type exec: a list, an "
		 "absolute path first (as in command = [ \"/usr/local/bin/check\", \"-q\" ])\n"},
		{N C P "healthCheck={type=\"exec\"; command=[\"true\"]}",
		 "error: services[0].healthCheck.command[0] 'true': must be an absolute path "
		 "(write the whole path, from '/' on)\n"},
		{N C P "healthCheck={type=\"exec\"; command=[\"/bin/true\",\"-x\"]; port=80}",
		 "warning: services[0].healthCheck.port '80': is ignored with type exec (leave it "
		 "out)\n"},
		{N C P "healthCheck={type=\"exec\"; command=\"true\"}",
		 "error: services[0].healthCheck.command 'true': must be a list, not a string (a "
		 "list is written in parentheses or brackets)\n"},
		{N C P "healthCheck={type=\"exec\"; command=[\"/bin/true\",1]}",
		 "error: services[0].healthCheck.command[1] '1': must be a string, not a number (a "
		 "string is written in double quotes)\n"},
	};

	(void)state;
	check_services(rows);
}

static void test_content(void **state)
{
	_cleanup_settings_ struct settings settings;
	_cleanup_(service_def_freep) struct service_def *s = NULL;
	const struct health_check *c;

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	s = make_service(N C P "healthCheck = { type = \"https\"; port = 8443; path = \"/up\"; "
			       "host = \"h\"; expect = \"204\"; interval = \"1min\"; "
			       "timeout = \"250ms\"; rise = 1; fall = 1000; };",
			 &settings);
	c = &s->health_check;
	assert_int_equal(c->type, CHECK_HTTPS);
	assert_int_equal(c->port, 8443);
	assert_string_equal(c->path, "/up");
	assert_string_equal(c->host, "h");
	assert_string_equal(c->expect, "204");
	assert_int_equal(c->interval_usec, 60 * USEC_PER_SEC);
	assert_int_equal(c->timeout_usec, 250 * USEC_PER_MSEC);
	assert_int_equal(c->rise, 1);
	assert_int_equal(c->fall, 1000);
	service_def_free(s);

	s = make_service(N C P
			 "healthCheck = { type = \"exec\"; command = [\"/bin/x\", \"-y\"]; };",
			 &settings);
	c = &s->health_check;
	assert_int_equal(c->command.n, 2);
	assert_string_equal(c->command.items[1], "-y");
	assert_int_equal(c->interval_usec, 0);
	assert_int_equal(c->timeout_usec, 0);
	service_def_free(s);

	/* The default of the timeout gives way to a short interval. */
	settings.check_timeout = 2 * USEC_PER_SEC;
	s = make_service(N C P "healthCheck = { type = \"tcp\"; interval = \"1500ms\"; };",
			 &settings);
	assert_int_equal(s->health_check.timeout_usec, 1500 * USEC_PER_MSEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
