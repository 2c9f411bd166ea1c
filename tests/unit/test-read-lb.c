/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service-rows.h"

static void test_load_balancers(void **state)
{
	static const struct text_row rows[] = {
		{L C LP "loadBalancerIPs=[\"203.0.113.5\"]", ""},
		{L C LP "loadBalancerIPs=({ip=\"203.0.113.5\"; "
			"ipMode=\"Proxy\"},\"203.0.113.6\",{ip=\"203.0.113.7\"})",
		 ""},
		{L C LP "loadBalancerIPs=({ip=\"203.0.113.5\"; ipMode=\"proxy\"})",
		 "error: services[0].loadBalancerIPs[0].ipMode 'proxy': must be VIP or "
		 "Proxy (did you mean 'Proxy'?)\n"},
		{L C LP "loadBalancerIPs=({ipMode=\"VIP\"})",
		 "error: services[0].loadBalancerIPs[0].ip: must be set (add an address such as "
		 "203.0.113.5)\n"},
		{L C LP "loadBalancerIPs=({ip=\"203.0.113.5\"; mode=\"VIP\"})",
		 "error: services[0].loadBalancerIPs[0].mode 'VIP': unknown key\n"},
		{L C LP "loadBalancerIPs=[5]",
		 "error: services[0].loadBalancerIPs[0] '5': must be an address or a group, not a "
		 "number (write \"203.0.113.5\" or { ip = \"203.0.113.5\"; ipMode = \"Proxy\"; "
		 "})\n"},
		{L C LP "loadBalancerIPs=[\"127.0.0.1\",\"0.0.0.0\",\"224.0.0.1\",\"203.0.113.5:"
			"80\",\"::ffff:203.0.113.5\"]",
		 "error: services[0].loadBalancerIPs[0] '127.0.0.1': must not be a loopback "
		 "address (127.0.0.0/8, ::1) (write an address that packets from outside can be "
		 "sent to)\n"
		 "error: services[0].loadBalancerIPs[1] '0.0.0.0': must not be the unspecified "
		 "address (write an address that packets from outside can be sent to)\n"
		 "error: services[0].loadBalancerIPs[2] '224.0.0.1': must not be a link-local "
		 "multicast address (224.0.0.0/24, ff02::/16) (write an address that packets from "
		 "outside can be sent to)\n"
		 "error: services[0].loadBalancerIPs[3] '203.0.113.5:80': must be an address "
		 "without a port (write the address alone)\n"
		 "error: services[0].loadBalancerIPs[4] '::ffff:203.0.113.5': must not be an "
		 "IPv4-mapped IPv6 address (write the IPv4 address itself)\n"},
		{L C LP "loadBalancerIPs=[\"203.0.113.5\",\"203.0.113.5\"]",
		 "warning: services[0].loadBalancerIPs[1] '203.0.113.5': is listed twice and used "
		 "once (leave out one of the two)\n"},
		{L C LP "loadBalancerIPs=[\"10.96.0.10\"]",
		 "error: services[0].loadBalancerIPs[0] '10.96.0.10': must not be equal to the "
		 "clusterIP of the service (leave it out)\n"},
		{L C LP "loadBalancerIPs=[\"203.0.113.5\"]; externalIPs=[\"203.0.113.5\"]",
		 "warning: services[0].loadBalancerIPs[0] '203.0.113.5': is an external IP "
		 "of the service, too: source ranges do not protect it (take it out of "
		 "externalIPs)\n"},
		{L C LP "loadBalancerIPs=[\"2001:db8::5\"]",
		 "notice: services[0].loadBalancerIPs[0] '2001:db8::5': is not used: the service "
		 "has no IPv6 clusterIP (give the service one in clusterIPs)\n"},
		{N C P "loadBalancerIPs=[\"203.0.113.5\"]",
		 "error: services[0].loadBalancerIPs: must be set only with type LoadBalancer (use "
		 "type LoadBalancer)\n"},
		{T C "ports=({port=80;nodePort=30000}) loadBalancerSourceRanges=[\"10.0.0.0/8\"]",
		 "error: services[0].loadBalancerSourceRanges: must be set only with type "
		 "LoadBalancer (use type LoadBalancer)\n"},
		{T C "ports=({port=80;nodePort=30000}) loadBalancerSourceRanges=[]", ""},
		{L C LP "loadBalancerIPs=[\"203.0.113.5\"]; "
			"loadBalancerSourceRanges=[\"10.0.0.0/8\",\" 192.0.2.0/24\t\"]",
		 ""},
		{L C LP "loadBalancerSourceRanges=[\"10.0.0.1\",\"10.0.0.1/8\",\"10.0.0.0/"
			"33\",\"10.0.0.0/08\",\"010.0.0.0/8\",\"\",\"10.0.0.0 "
			"/8\",\"10.0.0.0/8,11.0.0.0/8\",\"2001:db8::1/"
			"32\",\"2001:db8::1\",\"10.0.0.0/255.0.0.0\"]",
		 "error: services[0].loadBalancerSourceRanges[0] '10.0.0.1': must have a prefix "
		 "length, as in 10.0.0.0/8 (did you mean '10.0.0.1/32'?)\n"
		 "error: services[0].loadBalancerSourceRanges[1] '10.0.0.1/8': must not have bits "
		 "set behind the prefix length (did you mean '10.0.0.0/8'?)\n"
		 "error: services[0].loadBalancerSourceRanges[2] '10.0.0.0/33': must have a "
		 "decimal prefix length of at most 32 (IPv4) or 128 (IPv6) (write a prefix, such "
		 "as 192.0.2.0/24)\n"
		 "error: services[0].loadBalancerSourceRanges[3] '10.0.0.0/08': must have a "
		 "decimal prefix length of at most 32 (IPv4) or 128 (IPv6) (write a prefix, such "
		 "as 192.0.2.0/24)\n"
		 "error: services[0].loadBalancerSourceRanges[4] '010.0.0.0/8': must not have "
		 "leading zeros (write numbers without them)\n"
		 "error: services[0].loadBalancerSourceRanges[5] '': must be a valid IP address "
		 "(write a prefix, such as 192.0.2.0/24)\n"
		 "error: services[0].loadBalancerSourceRanges[6] '10.0.0.0 /8': must be a valid IP "
		 "address (write a prefix, such as 192.0.2.0/24)\n"
		 "error: services[0].loadBalancerSourceRanges[7] '10.0.0.0/8,11.0.0.0/8': must "
		 "have a decimal prefix length of at most 32 (IPv4) or 128 (IPv6) (write a prefix, "
		 "such as 192.0.2.0/24)\n"
		 "error: services[0].loadBalancerSourceRanges[8] '2001:db8::1/32': must not have "
		 "bits set behind the prefix length (did you mean '2001:db8::/32'?)\n"
		 "error: services[0].loadBalancerSourceRanges[9] '2001:db8::1': must have a prefix "
		 "length, as in 10.0.0.0/8 (did you mean '2001:db8::1/128'?)\n"
		 "error: services[0].loadBalancerSourceRanges[10] '10.0.0.0/255.0.0.0': must have "
		 "a decimal prefix length of at most 32 (IPv4) or 128 (IPv6) (write a prefix, such "
		 "as 192.0.2.0/24)\n"},
		{L C LP "loadBalancerSourceRanges=[5]",
		 "error: services[0].loadBalancerSourceRanges[0] '5': must be a string, not a "
		 "number (a string is written in double quotes)\n"},
		{L C LP "loadBalancerSourceRanges=[\"10.1.0.0/16\",\"10.0.0.0/8\"]",
		 "notice: services[0].loadBalancerSourceRanges: '10.1.0.0/16' is part of "
		 "'10.0.0.0/8' (the wider one is enough)\n"},
		{L C LP "loadBalancerSourceRanges=[\"10.0.0.0/8\",\"10.0.0.0/8\"]",
		 "notice: services[0].loadBalancerSourceRanges: '10.0.0.0/8' is part of "
		 "'10.0.0.0/8' (the wider one is enough)\n"},
		{L C LP
		 "loadBalancerIPs=[\"203.0.113.5\"]; loadBalancerSourceRanges=[\"2001:db8::/32\"]",
		 "error: services[0].loadBalancerSourceRanges: has no IPv4 range, so the "
		 "IPv4 loadBalancerIPs would be open to everyone (add a range of this "
		 "family, or '0.0.0.0/0' to open it to all)\n"},
		{L "clusterIPs=[\"10.96.0.10\",\"fd00::1\"]; " LP
		   "loadBalancerIPs=[\"203.0.113.5\",\"2001:db8::5\"]; "
		   "loadBalancerSourceRanges=[\"10.0.0.0/8\"]",
		 "error: services[0].loadBalancerSourceRanges: has no IPv6 range, so the "
		 "IPv6 loadBalancerIPs would be open to everyone (add a range of this "
		 "family, or '::/0' to open it to all)\n"},
		{L "clusterIPs=[\"10.96.0.10\",\"fd00::1\"]; " LP
		   "loadBalancerIPs=({ip=\"203.0.113.5\"},{ip=\"2001:db8::5\"; ipMode=\"Proxy\"}); "
		   "loadBalancerSourceRanges=[\"10.0.0.0/8\"]",
		 ""},
		{L "clusterIPs=[\"10.96.0.10\",\"fd00::1\"]; " LP
		   "loadBalancerIPs=[\"203.0.113.5\",\"2001:db8::5\"]; "
		   "loadBalancerSourceRanges=[\"10.0.0.0/8\",\"::/0\"]",
		 ""},
	};

	(void)state;
	check_services(rows);
}

/* Twice the same address: one entry of mode VIP makes the rules. */
static void test_modes_of_one_address(void **state)
{
	static const char *const bodies[] = {
		L C LP "loadBalancerIPs = ({ ip = \"203.0.113.5\"; ipMode = \"Proxy\"; }, "
		       "\"203.0.113.5\");",
		L C LP "loadBalancerIPs = (\"203.0.113.5\", "
		       "{ ip = \"203.0.113.5\"; ipMode = \"Proxy\"; });",
	};
	_cleanup_settings_ struct settings settings;

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	for (size_t i = 0; i < ELEMENTSOF(bodies); i++) {
		_cleanup_(service_def_freep) struct service_def *s = NULL;

		s = make_service(bodies[i], &settings);
		assert_int_equal(s->n_lb_ips, 1);
		assert_false(s->lb_ips[0].proxy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load_balancers),
		cmocka_unit_test(test_modes_of_one_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
