/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"
#include "model/names.h"

/* The first rows are those of spec/iptables.md section 2, the others were computed with Python. */
static const struct {
	const char *name;
	enum svc_proto protocol;
	const char *port_hash;
	const char *endpoint;
	const char *endpoint_hash;
} rows[] = {
	{"default/nginx:tcp-80", SVC_TCP, "XX3NNXKPRC7N6OJH", "10.233.74.106:80",
	 "EUB75IW55XDW6EHN"},
	{"ns1/svc1:p80", SVC_TCP, "XPGD46QRK7WJZT7O", "10.180.0.1:80", "SXIVWICOYRO3J4NJ"},
	{"ns5/svc5:p80", SVC_TCP, "NUKIZ6OKUXPJNT4C", "10.180.0.3:80", "I77PXRDZVX7PMWMN"},
	{"ns1/aff", SVC_TCP, "5DSKW6KA4GGQ7NQ3", "[fd00:1::a]:8080", "J5FPGWW3KENWXFUZ"},
	{"ns6/term:p", SVC_UDP, "HNCLFFMJIEZIPBSI", "10.1.6.2:80", "2M5QQUOR77CFEKAI"},
	{"ns7/ext:s", SVC_SCTP, "ZUNRAYZ6EDWWOWRC", "10.1.7.1:3868", "ZIS2CP7AHJFR65L4"},
};

static void test_hashes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		char buf[NAME_HASH_MAX + 1];
		struct addr ip;
		uint16_t port;

		memset(buf, 'x', sizeof(buf));
		assert_ptr_equal(name_hash_port(rows[i].name, rows[i].protocol, buf), buf);
		assert_string_equal(buf, rows[i].port_hash);
		assert_int_equal(buf[NAME_HASH_MAX], 'x');

		assert_int_equal(addr_port_parse(rows[i].endpoint, &ip, &port), ADDR_OK);
		memset(buf, 'x', sizeof(buf));
		assert_ptr_equal(name_hash_endpoint(rows[i].name, rows[i].protocol, &ip, port, buf),
				 buf);
		assert_string_equal(buf, rows[i].endpoint_hash);
		assert_int_equal(buf[NAME_HASH_MAX], 'x');
	}
}

static void test_long_names(void **state)
{
	static const struct {
		size_t length;
		enum svc_proto protocol;
		const char *hash;
	} lengths[] = {
		{0, SVC_TCP, "ABSFDFNZGJZCOW2Q"},
		{255, SVC_UDP, "7VD3BPZ4SV6YCFXH"},
		{1000, SVC_TCP, "S7ZSUEHIX5EG2EYR"},
		{5000, SVC_TCP, "FGVON6XQE37CE5N2"},
	};
	struct addr ip = make_addr("2001:db8:1111:2222:3333:4444:5555:6666");
	char name[5001], buf[NAME_HASH_MAX];

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(lengths); i++) {
		memset(name, 'a', lengths[i].length);
		name[lengths[i].length] = '\0';
		assert_string_equal(name_hash_port(name, lengths[i].protocol, buf),
				    lengths[i].hash);
	}

	/* The longest that the readers let through: 63 bytes in each part. */
	memset(name, 'n', 63);
	name[63] = '/';
	memset(name + 64, 's', 63);
	name[127] = ':';
	memset(name + 128, 'p', 63);
	name[191] = '\0';
	assert_string_equal(name_hash_port(name, SVC_SCTP, buf), "WUBTRXOK7BTXU2W7");
	assert_string_equal(name_hash_endpoint(name, SVC_SCTP, &ip, 65535, buf),
			    "VCITEOOPI77HJALI");
	memset(name, 'a', 200);
	name[200] = '\0';
	assert_string_equal(name_hash_endpoint(name, SVC_TCP, &ip, 65535, buf), "CIEVL5TCIQIS6EXP");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hashes),
		cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
