/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service-rows.h"

/* The tables are printed for people, so every row is whole, and a key stands once. */
static void test_tables(void **state)
{
	const struct {
		const struct key_row *rows;
		size_t n;
	} tables[] = {
		{service_keys, n_service_keys},
		{service_port_keys, n_service_port_keys},
		{lb_ip_keys, n_lb_ip_keys},
		{health_check_keys, n_health_check_keys},
		{endpoint_keys, n_endpoint_keys},
		{endpoint_port_keys, n_endpoint_port_keys},
		{endpoint_group_keys, n_endpoint_group_keys},
	};

	(void)state;
	for (size_t t = 0; t < ELEMENTSOF(tables); t++) {
		assert_true(tables[t].n > 0);
		for (size_t i = 0; i < tables[t].n; i++) {
			const struct key_row *row = &tables[t].rows[i];

			assert_non_null(row->key);
			assert_true(row->key[0] && row->type[0] && row->help[0]);
			assert_non_null(row->default_text);
			assert_null(strchr(row->help, '\n'));
			for (size_t j = 0; j < i; j++)
				assert_string_not_equal(row->key, tables[t].rows[j].key);
		}
	}
}

/* The keys of the product sheet, letter for letter: whoever renames one breaks files. */
static void test_names(void **state)
{
	static const char *const names[] = {
		"name",
		"type",
		"clusterIP",
		"clusterIPs",
		"ports",
		"externalIPs",
		"loadBalancerIPs",
		"loadBalancerSourceRanges",
		"sessionAffinity",
		"sessionAffinityTimeoutSeconds",
		"externalTrafficPolicy",
		"internalTrafficPolicy",
		"healthCheckNodePort",
		"publishNotReadyAddresses",
		"trafficDistribution",
		"externalName",
		"scheduler",
		"schedulerFlags",
		"onEndpointRemoval",
		"healthCheck",
		"endpoints",
	};

	(void)state;
	assert_int_equal(n_service_keys, ELEMENTSOF(names));
	for (size_t i = 0; i < ELEMENTSOF(names); i++)
		assert_string_equal(service_keys[i].key, names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
