/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>

#include "backend/ipvs-owned.h"
#include "config/accepted-index.h"
#include "make-ipvs.h"

/* With the checksum that a text of these lines has. */
static char *with_checksum(const char *lines)
{
	uint8_t hash[ACCEPTED_HASH_SIZE];
	char name[ACCEPTED_NAME_MAX], *text = NULL;

	accepted_hash(lines, strlen(lines), hash);
	assert_true(asprintf(&text, "%schecksum %s\n", lines, accepted_hash_format(hash, name)) >
		    0);
	return text;
}

static void test_parse(void **state)
{
	static const struct {
		const char *lines;
		int error;
		size_t n_servers, n_addresses, n_sysctls;
	} rows[] = {
		{"svcroute-owned 1.0\n", 0, 0, 0, 0},
		{"svcroute-owned 1.0\nserver tcp 10.0.0.1:80\nserver udp [fd00::1]:53\n"
		 "server sctp 10.0.0.1:80\naddress fd00::1\naddress 10.0.0.1\n"
		 "sysctl net/ipv4/ip_forward 0\n",
		 0, 3, 2, 1},
		/* what a later version adds */
		{"svcroute-owned 1.7\nnew thing\nlonely\nsysctl net/unknown 5\n", 0, 0, 0, 0},
		{"svcroute-owned 1.0\nsysctl net/ipv4/ip_forward -1\n", 0, 0, 0, 1},
		{"svcroute-owned 2.0\n", -EOPNOTSUPP, 0, 0, 0},
		{"svcroute-owned 0.9\n", -EOPNOTSUPP, 0, 0, 0},
		{"svcroute-owned 1\n", -EBADMSG, 0, 0, 0},
		{"svcroute-owned x.0\n", -EBADMSG, 0, 0, 0},
		{"svcroute-accepted 1.0\n", -EBADMSG, 0, 0, 0},
		{"", -EBADMSG, 0, 0, 0},
		{"svcroute-owned 1.0\nserver icmp 10.0.0.1:80\n", -EBADMSG, 0, 0, 0},
		{"svcroute-owned 1.0\nserver tcp 10.0.0.1\n", -EBADMSG, 0, 0, 0},
		{"svcroute-owned 1.0\nserver tcp\n", -EBADMSG, 0, 0, 0},
		{"svcroute-owned 1.0\nserver tcp 10.0.0.1:0\n", -EBADMSG, 0, 0, 0},
		{"svcroute-owned 1.0\nserver tcp fd00::1:80\n", -EBADMSG, 0, 0, 0},
		{"svcroute-owned 1.0\naddress 10.0.0.1/32\n", -EBADMSG, 0, 0, 0},
		{"svcroute-owned 1.0\naddress\n", -EBADMSG, 0, 0, 0},
		{"svcroute-owned 1.0\nsysctl net/ipv4/ip_forward\n", -EBADMSG, 0, 0, 0},
		{"svcroute-owned 1.0\nsysctl net/ipv4/ip_forward 1x\n", -EBADMSG, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct ipvs_owned o, poison;
		char *text = with_checksum(rows[i].lines);
		int r;

		memset(&o, 0xa5, sizeof(o));
		memcpy(&poison, &o, sizeof(o));
		r = ipvs_owned_parse(text, strlen(text), &o);
		if (r != (rows[i].lines[0] ? rows[i].error : -EBADMSG))
			fail_msg("row %zu: %d", i, r);
		if (r < 0) {
			assert_memory_equal(&o, &poison, sizeof(o));
		} else {
			assert_int_equal(o.n_servers, rows[i].n_servers);
			assert_int_equal(o.n_addresses, rows[i].n_addresses);
			assert_int_equal(o.n_sysctls, rows[i].n_sysctls);
			ipvs_owned_done(&o);
		}
		free(text);
	}
}

/* Every single byte counts. */
static void test_damage(void **state)
{
	char *text = with_checksum(
		"svcroute-owned 1.0\nserver tcp 10.0.0.1:80\naddress 10.0.0.1\n");
	size_t n = strlen(text);
	struct ipvs_owned o;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		char was = text[i];
		int r;

		text[i] = (char)(was ^ 1);
		r = ipvs_owned_parse(text, n, &o);
		/* a digit of the version is another version */
		if (r != -EBADMSG && r != -EOPNOTSUPP)
			fail_msg("byte %zu: %d", i, r);
		text[i] = was;
		if (ipvs_owned_parse(text, i, &o) != -EBADMSG)
			fail_msg("cut at %zu", i);
	}
	text[20] = '\0';
	assert_int_equal(ipvs_owned_parse(text, n, &o), -EBADMSG);
	free(text);
}

/* One cluster IP, one port, one endpoint. */
static struct ipvs_state *state_of(const char *ip, uint16_t node_port)
{
	struct setup s;

	set_up(&s, "ns/a");
	if (node_port) {
		s.def.type = SVC_NODE_PORT;
		s.ports[0].node_port = node_port;
	}
	s.def.cluster_ips[ADDR_IPV4] = make_addr(ip);
	return make_state_of(make_from(&s, (const char *const[]){"10.1.0.1:80 r"}, 1), ADDR_IPV4);
}

static void check_text(const struct ipvs_owned *o, const char *lines)
{
	char *wanted = with_checksum(lines);
	struct strbuf out = {0};
	struct ipvs_owned back;

	ipvs_owned_print(o, &out);
	assert_string_equal(strbuf_text(&out), wanted);
	assert_int_equal(ipvs_owned_parse(out.data, out.len, &back), 0);
	assert_int_equal(back.n_servers, o->n_servers);
	assert_int_equal(back.n_addresses, o->n_addresses);
	assert_int_equal(back.n_sysctls, o->n_sysctls);
	ipvs_owned_done(&back);
	strbuf_done(&out);
	free(wanted);
}

#define HEAD "svcroute-owned 1.0\n"

static void test_claim(void **state)
{
	struct ipvs_state *a = state_of("10.96.0.2", 0), *b = state_of("10.96.0.1", 30080);
	struct ipvs_state *states[_ADDR_FAMILY_MAX] = {NULL, NULL};
	struct addr_prefix prefix;
	struct prefix_list none = {0}, exclude = {.items = &prefix, .n = 1};
	struct ipvs_owned o = {0};
	struct ipvs_key key;
	bool grew = false;

	(void)state;
	assert_int_equal(ipvs_owned_claim(&o, a, &grew), 0);
	assert_true(grew);
	grew = false;
	assert_int_equal(ipvs_owned_claim(&o, a, &grew), 0);
	assert_false(grew);
	assert_true(ipvs_owned_covers(&o, a));
	assert_false(ipvs_owned_covers(&o, b));
	assert_int_equal(ipvs_owned_claim(&o, b, &grew), 0);
	assert_true(grew);
	assert_true(ipvs_owned_covers(&o, a) && ipvs_owned_covers(&o, b));
	assert_int_equal(ipvs_owned_keep_sysctl(&o, 4, 0), 0);
	assert_int_equal(ipvs_owned_keep_sysctl(&o, 0, 7), 0);
	/* the oldest value is the one to go back to */
	assert_int_equal(ipvs_owned_keep_sysctl(&o, 4, 1), 0);
	check_text(&o, HEAD "server tcp 10.1.0.1:30080\nserver tcp 10.96.0.1:80\n"
			    "server tcp 10.96.0.2:80\nserver tcp 192.0.2.10:30080\n"
			    "address 10.96.0.1\naddress 10.96.0.2\n"
			    "sysctl net/ipv4/vs/conntrack 7\nsysctl net/ipv4/ip_forward 0\n");
	key = ipvs_virtual_key(a->servers[0]);
	assert_true(ipvs_owned_has_server(&o, &key));
	key.protocol = IPPROTO_UDP;
	assert_false(ipvs_owned_has_server(&o, &key));
	assert_true(ipvs_owned_has_address(&o, &a->addresses[0]));

	/* a family that is not known keeps all */
	ipvs_owned_settle(&o, states, &none);
	assert_int_equal(o.n_servers, 4);
	states[ADDR_IPV4] = a;
	assert_int_equal(addr_prefix_parse("192.0.2.0/24", &prefix), ADDR_OK);
	ipvs_owned_settle(&o, states, &exclude);
	check_text(&o, HEAD "server tcp 10.96.0.2:80\nserver tcp 192.0.2.10:30080\n"
			    "address 10.96.0.2\n"
			    "sysctl net/ipv4/vs/conntrack 7\nsysctl net/ipv4/ip_forward 0\n");
	ipvs_owned_settle(&o, states, &none);
	assert_int_equal(o.n_servers, 1);
	ipvs_owned_done(&o);
	assert_false(ipvs_owned_has_server(&o, &key));
	assert_false(ipvs_owned_has_address(&o, &a->addresses[0]));
	check_text(&o, HEAD);
	ipvs_state_unref(a);
	ipvs_state_unref(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_claim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
