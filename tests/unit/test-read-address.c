/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service-rows.h"

static void test_cluster_ips(void **state)
{
	static const struct text_row rows[] = {
		{N P, "error: services[0].clusterIP: needs an address, or \"None\" for a "
		      "headless service (svcroute never chooses an address by itself)\n"},
		{N P "clusterIPs=[]",
		 "error: services[0].clusterIPs: needs an address, or \"None\" for a headless "
		 "service (svcroute never chooses an address by itself)\n"},
		{N P "clusterIPs=\"None\"",
		 "error: services[0].clusterIPs 'None': must be a list, not a string (a list is "
		 "written in parentheses or brackets)\n"},
		{N P "clusterIP=\"none\"",
		 "error: services[0].clusterIP 'none': must be an IP address or \"None\" "
		 "(did you mean 'None'?)\n"},
		{N P "clusterIP=\"\"",
		 "error: services[0].clusterIP '': must be a valid IP address or \"None\" (write "
		 "it as in 10.96.0.10 or fd00::10)\n"},
		{N P "clusterIP=\"10.96.0.010\"",
		 "error: services[0].clusterIP '10.96.0.010': must not have leading zeros "
		 "(did you mean '10.96.0.10'?)\n"},
		{N P "clusterIP=\"10.96.0.10/32\"",
		 "error: services[0].clusterIP '10.96.0.10/32': must be a single address "
		 "without a prefix length (write the address alone)\n"},
		{N P "clusterIP=\"10.96.0.10:80\"",
		 "error: services[0].clusterIP '10.96.0.10:80': must be an address without a port "
		 "(write the address alone)\n"},
		{N P "clusterIP=\"fd00::1%eth0\"",
		 "error: services[0].clusterIP 'fd00::1%eth0': must not have a zone (leave out "
		 "what stands behind the address)\n"},
		{N P "clusterIP=\"::ffff:10.0.0.1\"",
		 "error: services[0].clusterIP '::ffff:10.0.0.1': must not be an "
		 "IPv4-mapped IPv6 address (write the IPv4 address itself)\n"},
		{N P "clusterIP=\" 10.0.0.1\"",
		 "error: services[0].clusterIP ' 10.0.0.1': must be a valid IP address or \"None\" "
		 "(write it as in 10.96.0.10 or fd00::10)\n"},
		{N P "clusterIP=\"0x7f.1\"",
		 "error: services[0].clusterIP '0x7f.1': must be a valid IP address or \"None\" "
		 "(write it as in 10.96.0.10 or fd00::10)\n"},
		{N P "clusterIP=\"0.0.0.0\"",
		 "error: services[0].clusterIP '0.0.0.0': must not be the unspecified address "
		 "(choose an address that no host has, from a range of private use)\n"},
		{N P "clusterIP=\"127.0.0.1\"",
		 "error: services[0].clusterIP '127.0.0.1': must not be a loopback address "
		 "(127.0.0.0/8, ::1) (choose an address that no host has, from a range of private "
		 "use)\n"},
		{N P "clusterIP=\"169.254.1.1\"",
		 "error: services[0].clusterIP '169.254.1.1': must not be a link-local address "
		 "(169.254.0.0/16, fe80::/10) (choose an address that no host has, from a range of "
		 "private use)\n"},
		{N P "clusterIP=\"224.0.0.1\"",
		 "error: services[0].clusterIP '224.0.0.1': must not be a link-local multicast "
		 "address (224.0.0.0/24, ff02::/16) (choose an address that no host has, from a "
		 "range of private use)\n"},
		{N P "clusterIP=\"239.1.1.1\"",
		 "error: services[0].clusterIP '239.1.1.1': must not be a multicast address "
		 "(choose an address that no host has, from a range of private use)\n"},
		{N P "clusterIP=\"255.255.255.255\"",
		 "error: services[0].clusterIP '255.255.255.255': must not be the broadcast "
		 "address (choose an address that no host has, from a range of private use)\n"},
		{N P "clusterIP=\"::\"",
		 "error: services[0].clusterIP '::': must not be the unspecified address (choose "
		 "an address that no host has, from a range of private use)\n"},
		{N P "clusterIP=\"::1\"",
		 "error: services[0].clusterIP '::1': must not be a loopback address (127.0.0.0/8, "
		 "::1) (choose an address that no host has, from a range of private use)\n"},
		{N P "clusterIP=\"fe80::1\"",
		 "error: services[0].clusterIP 'fe80::1': must not be a link-local address "
		 "(169.254.0.0/16, fe80::/10) (choose an address that no host has, from a range of "
		 "private use)\n"},
		{N P "clusterIP=\"ff05::1\"",
		 "error: services[0].clusterIP 'ff05::1': must not be a multicast address (choose "
		 "an address that no host has, from a range of private use)\n"},
		{N P "clusterIP=\"FD00:0:0::1\"", ""},
		{N P "clusterIPs=[\"10.96.0.1\",\"fd00::1\"]", ""},
		{N P "clusterIPs=[\"fd00::1\",\"10.96.0.1\"]", ""},
		{N P "clusterIP=\"10.96.0.1\"; clusterIPs=[\"10.96.0.1\",\"fd00::1\"]", ""},
		{N P "clusterIP=\"10.96.0.1\"; clusterIPs=[\"10.96.0.2\",\"fd00::1\"]",
		 "error: services[0].clusterIPs: the first must be equal to clusterIP, '10.96.0.1' "
		 "(leave out one of the two keys)\n"},
		{N P "clusterIP=\"fd00::1\"; clusterIPs=[\"FD00::1\",\"10.96.0.1\"]", ""},
		{N P "clusterIP=\"10.96.0.1\"; clusterIPs=[\"None\"]",
		 "error: services[0].clusterIPs: the first must be equal to clusterIP, '10.96.0.1' "
		 "(leave out one of the two keys)\n"},
		{N P "clusterIP=\"None\"; clusterIPs=[\"None\"]", ""},
		{N P "clusterIP=\"None\"; clusterIPs=[\"10.96.0.1\"]",
		 "error: services[0].clusterIPs: the first must be equal to clusterIP, 'None' "
		 "(leave out one of the two keys)\n"},
		{N P "clusterIPs=[\"10.96.0.1\",\"10.96.0.2\"]",
		 "error: services[0].clusterIPs: must have at most one address a family, and there "
		 "are two of IPv4 (more addresses can stand in externalIPs)\n"},
		{N P "clusterIPs=[\"10.96.0.1\",\"fd00::1\",\"fd00::2\"]",
		 "error: services[0].clusterIPs: must have at most one address a family, and there "
		 "are two of IPv6 (more addresses can stand in externalIPs)\n"},
		{N P "clusterIPs=[\"None\",\"fd00::1\"]",
		 "error: services[0].clusterIPs: \"None\" must be the only entry (leave out "
		 "\"None\", or the addresses)\n"},
		{N P "clusterIPs=[\"10.96.0.1\",\"None\"]",
		 "error: services[0].clusterIPs: \"None\" must be the only entry (leave out "
		 "\"None\", or the addresses)\n"},
		{N P "clusterIPs=[\"bad\",\"worse\"]",
		 "error: services[0].clusterIPs[0] 'bad': must be a valid IP address or \"None\" "
		 "(write it as in 10.96.0.10 or fd00::10)\n"
		 "error: services[0].clusterIPs[1] 'worse': must be a valid IP address or \"None\" "
		 "(write it as in 10.96.0.10 or fd00::10)\n"},
		{N P "clusterIPs=[\"10.96.0.1\",5]",
		 "error: services[0].clusterIPs[1] '5': must be a string, not a number (a string "
		 "is written in double quotes)\n"},
		{N "type=\"NodePort\"; clusterIP=\"None\"; ports=({port=80; nodePort=30000})",
		 "error: services[0].clusterIP 'None': must not be \"None\" with type NodePort "
		 "(give it an address, or leave out type)\n"},
		{N
		 "type=\"LoadBalancer\"; clusterIPs=[\"None\"]; ports=({port=80; nodePort=30000})",
		 "error: services[0].clusterIPs[0] 'None': must not be \"None\" with type "
		 "LoadBalancer (give it an address, or leave out type)\n"},
	};

	(void)state;
	check_services(rows);
}

static void test_external_ips(void **state)
{
	static const struct text_row rows[] = {
		{N C P "externalIPs=[\"198.51.100.1\",\"198.51.100.2\"]", ""},
		{N C P "externalIPs=\"198.51.100.1\"",
		 "error: services[0].externalIPs '198.51.100.1': must be a list, not a string (a "
		 "list is written in parentheses or brackets)\n"},
		{N C P "externalIPs=[5]",
		 "error: services[0].externalIPs[0] '5': must be a string, not a number (a string "
		 "is written in double quotes)\n"},
		{N C P "externalIPs=[\"198.51.100.1\",\"198.51.100.2\",\"198.51.100.1\",\"198.51."
		       "100.1\"]",
		 "warning: services[0].externalIPs[2] '198.51.100.1': is listed twice and used "
		 "once (leave out one of the two)\n"
		 "warning: services[0].externalIPs[3] '198.51.100.1': is listed twice and used "
		 "once (leave out one of the two)\n"},
		{N C P "externalIPs=[\"0.0.0.0\",\"127.0.0.1\",\"169.254.0.1\",\"224.0.0.1\",\"239."
		       "1.1.1\",\"255.255.255.255\",\"240.0.0.1\",\"0.1.2.3\"]",
		 "error: services[0].externalIPs[0] '0.0.0.0': must not be the unspecified address "
		 "(write an address that packets from outside can be sent to)\n"
		 "error: services[0].externalIPs[1] '127.0.0.1': must not be a loopback address "
		 "(127.0.0.0/8, ::1) (write an address that packets from outside can be sent to)\n"
		 "error: services[0].externalIPs[2] '169.254.0.1': must not be a link-local "
		 "address (169.254.0.0/16, fe80::/10) (write an address that packets from outside "
		 "can be sent to)\n"
		 "error: services[0].externalIPs[3] '224.0.0.1': must not be a link-local "
		 "multicast address (224.0.0.0/24, ff02::/16) (write an address that packets from "
		 "outside can be sent to)\n"
		 "error: services[0].externalIPs[4] '239.1.1.1': must not be a multicast address "
		 "(write an address that packets from outside can be sent to)\n"
		 "error: services[0].externalIPs[5] '255.255.255.255': must not be the broadcast "
		 "address (write an address that packets from outside can be sent to)\n"
		 "error: services[0].externalIPs[6] '240.0.0.1': must not be in the reserved range "
		 "240.0.0.0/4 (write an address that packets from outside can be sent to)\n"
		 "error: services[0].externalIPs[7] '0.1.2.3': must not be in 0.0.0.0/8 (write an "
		 "address that packets from outside can be sent to)\n"},
		{N C P "externalIPs=[\"::\",\"::1\",\"fe80::1\",\"ff02::1\",\"ff12::1\",\"ff05::"
		       "1\",\"ff01::1\"]",
		 "error: services[0].externalIPs[0] '::': must not be the unspecified address "
		 "(write an address that packets from outside can be sent to)\n"
		 "error: services[0].externalIPs[1] '::1': must not be a loopback address "
		 "(127.0.0.0/8, ::1) (write an address that packets from outside can be sent to)\n"
		 "error: services[0].externalIPs[2] 'fe80::1': must not be a link-local address "
		 "(169.254.0.0/16, fe80::/10) (write an address that packets from outside can be "
		 "sent to)\n"
		 "error: services[0].externalIPs[3] 'ff02::1': must not be a link-local multicast "
		 "address (224.0.0.0/24, ff02::/16) (write an address that packets from outside "
		 "can be sent to)\n"
		 "error: services[0].externalIPs[4] 'ff12::1': must not be a link-local multicast "
		 "address (224.0.0.0/24, ff02::/16) (write an address that packets from outside "
		 "can be sent to)\n"
		 "error: services[0].externalIPs[5] 'ff05::1': must not be a multicast address "
		 "(write an address that packets from outside can be sent to)\n"
		 "error: services[0].externalIPs[6] 'ff01::1': must not be a multicast address "
		 "(write an address that packets from outside can be sent to)\n"},
		{N C P "externalIPs=[\"198.51.100.1/32\",\"1.2.3\",\"198.51.100.01\",\"\"]",
		 "error: services[0].externalIPs[0] '198.51.100.1/32': must be a single address "
		 "without a prefix length (write the address alone)\n"
		 "error: services[0].externalIPs[1] '1.2.3': must be a valid IP address (write it "
		 "as in 10.96.0.10 or fd00::10)\n"
		 "error: services[0].externalIPs[2] '198.51.100.01': must not have leading zeros "
		 "(did you mean '198.51.100.1'?)\n"
		 "error: services[0].externalIPs[3] '': must be a valid IP address (write it as in "
		 "10.96.0.10 or fd00::10)\n"},
		{N C P "externalIPs=[\"10.96.0.10\"]",
		 "error: services[0].externalIPs[0] '10.96.0.10': must not be equal to the "
		 "clusterIP of the service (leave it out)\n"},
		{N C P "externalIPs=[\"2001:db8::1\"]",
		 "notice: services[0].externalIPs[0] '2001:db8::1': is not used: the service has "
		 "no IPv6 clusterIP (give the service one in clusterIPs)\n"},
		{N "clusterIP=\"None\"; " P
		   "externalIPs=[\"198.51.100.1\"]; sessionAffinity=\"ClientIP\"",
		 "warning: services[0].externalIPs: is ignored: a headless service has no "
		 "frontends (leave it out)\n"
		 "warning: services[0].sessionAffinity 'ClientIP': is ignored: a headless service "
		 "has no frontends (leave it out)\n"},
	};

	(void)state;
	check_services(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cluster_ips),
		cmocka_unit_test(test_external_ips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
