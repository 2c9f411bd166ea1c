/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-ipvs.h"

#include "model/checks.h"

static void test_limits(void **state)
{
	static const struct {
		enum addr_family family;
		enum ipvs_set set;
		size_t n;
		const char *name; /* NULL: it fits */
	} rows[] = {
		{ADDR_IPV4, SET_CLUSTER_IP, 0, NULL},
		{ADDR_IPV4, SET_CLUSTER_IP, 65536, NULL},
		{ADDR_IPV4, SET_CLUSTER_IP, 65537, "KUBE-CLUSTER-IP"},
		{ADDR_IPV6, SET_LOOP_BACK, SIZE_MAX, "KUBE-6-LOOP-BACK"},
		{ADDR_IPV4, SET_IPVS_IPS, 70000, "KUBE-IPVS-IPS"},
		{ADDR_IPV4, SET_NODE_PORT_SCTP, 65537, "KUBE-NODE-PORT-SCTP-HASH"},
		{ADDR_IPV4, SET_NODE_PORT_TCP, 65536, NULL},
		{ADDR_IPV4, SET_NODE_PORT_TCP, 65537, NULL}, /* a bitmap has no such limit */
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct ipvs_state s = {.family = rows[i].family};
		_cleanup_diags_ struct diags d = {0};
		char count[24];

		s.n_entries[rows[i].set] = rows[i].n;
		(void)snprintf(count, sizeof(count), " %zu ", rows[i].n);
		ipvs_state_check(&s, &d);
		assert_int_equal(d.error, 0);
		assert_int_equal(d.n_errors, 0);
		assert_int_equal(d.n_warnings, rows[i].name ? 1 : 0);
		if (!rows[i].name)
			continue;
		assert_ptr_equal(d.items[0].check, &check_rows[CHECK_C42_SET]);
		assert_non_null(strstr(d.items[0].reason, rows[i].name));
		assert_non_null(strstr(d.items[0].reason, count));
		assert_non_null(strstr(d.items[0].reason, "65536"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
