/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"

#include <stdio.h>

#include "model/value.h"

enum { N_PORTS = 2, N_EXTERNAL = 1, N_LB = 2, N_LISTS = N_PORTS + N_EXTERNAL + N_LB };

/* Line and column are 10 and 20 more than the place in the block: each is another one. */
static struct service_places *make_places(void)
{
	struct service_places *p = calloc(1, sizeof(*p) + N_LISTS * sizeof(*p->lists));

	assert_non_null(p);
	p->name = (struct value_place){.line = 10, .column = 20};
	p->health_check_node_port = (struct value_place){.line = 11, .column = 21};
	p->cluster_ips[ADDR_IPV4] = (struct value_place){.line = 12, .column = 22};
	p->cluster_ips[ADDR_IPV6] = (struct value_place){
		.line = 13, .column = 23, .index = 1, .in_list = true};
	for (unsigned i = 0; i < N_LISTS; i++)
		p->lists[i] = (struct value_place){
			.line = 14 + (int)i,
			.column = 24 + (int)i,
			.index = 70000 + i,
			.in_list = true,
			.in_group = i + 1 == N_LISTS,
		};
	return p;
}

static void test_values(void **state)
{
	static const struct row {
		struct service_value value;
		const char *text, *bare; /* without places */
		int line, column;
	} rows[] = {
		{{VALUE_NAME, 0}, "name", "name", 10, 20},
		{{VALUE_HEALTH_CHECK_NODE_PORT, 0},
		 "healthCheckNodePort",
		 "healthCheckNodePort",
		 11,
		 21},
		{{VALUE_CLUSTER_IP, ADDR_IPV4}, "clusterIP", "clusterIP", 12, 22},
		{{VALUE_CLUSTER_IP, ADDR_IPV6}, "clusterIPs[1]", "clusterIP", 13, 23},
		{{VALUE_NODE_PORT, 0}, "ports[0].nodePort", "ports[0].nodePort", 14, 24},
		{{VALUE_NODE_PORT, 1}, "ports[1].nodePort", "ports[1].nodePort", 15, 25},
		{{VALUE_EXTERNAL_IP, 0}, "externalIPs[70002]", "externalIPs", 16, 26},
		{{VALUE_LB_IP, 0}, "loadBalancerIPs[70003]", "loadBalancerIPs", 17, 27},
		{{VALUE_LB_IP, 1}, "loadBalancerIPs[70004].ip", "loadBalancerIPs", 18, 28},
		/* what the definition does not have */
		{{VALUE_CLUSTER_IP, 2}, "clusterIP", "clusterIP", 1, 2},
		{{VALUE_NODE_PORT, 2}, "ports[2].nodePort", "ports[2].nodePort", 1, 2},
		{{VALUE_EXTERNAL_IP, 1}, "externalIPs", "externalIPs", 1, 2},
		{{VALUE_LB_IP, UINT32_MAX}, "loadBalancerIPs", "loadBalancerIPs", 1, 2},
		{{_VALUE_KEY_MAX, 0}, "", "", 1, 2},
	};
	_cleanup_free_ struct service_places *places = make_places();

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		for (int known = 0; known < 2; known++) {
			const struct row *row = &rows[i];
			const char *text = known ? row->text : row->bare;
			struct service_def d = {
				.type = SVC_LOAD_BALANCER,
				.at = {"f", 1, 2},
				.position = -1,
				.n_ports = N_PORTS,
				.n_external_ips = N_EXTERNAL,
				.n_lb_ips = N_LB,
				.places = known ? places : NULL,
			};
			char buf[SERVICE_VALUE_MAX], field[SERVICE_VALUE_MAX];
			struct place at = {"?", -1, -1};

			memset(buf, 0xA5, sizeof(buf));
			assert_string_equal(service_value_text(&d, row->value, buf), text);
			memset(buf, 0xA5, sizeof(buf));
			assert_string_equal(service_value_field(&d, row->value, buf), text);
			d.position = 2147483647;
			(void)snprintf(field, sizeof(field), "services[2147483647].%s", text);
			assert_string_equal(service_value_field(&d, row->value, buf), field);
			service_value_place(&d, row->value, &at);
			assert_string_equal(at.file, "f");
			assert_int_equal(at.line, known ? row->line : 1);
			assert_int_equal(at.column, known ? row->column : 2);
		}
	}
}

/* A type without node ports has no places for them, and a value that is not there none either. */
static void test_other_types(void **state)
{
	_cleanup_free_ struct service_places *places = make_places();
	struct service_def d = {
		.type = SVC_CLUSTER_IP,
		.at = {"f", 1, 2},
		.n_ports = N_PORTS,
		.n_external_ips = N_EXTERNAL,
		.places = places,
	};
	struct place at;

	(void)state;
	service_value_place(&d, (struct service_value){VALUE_NODE_PORT, 0}, &at);
	assert_int_equal(at.line, 1);
	service_value_place(&d, (struct service_value){VALUE_EXTERNAL_IP, 0}, &at);
	assert_int_equal(at.line, 14);
	places->health_check_node_port = (struct value_place){0};
	service_value_place(&d, (struct service_value){VALUE_HEALTH_CHECK_NODE_PORT, 0}, &at);
	assert_int_equal(at.line, 1);
	assert_int_equal(at.column, 2);
}

static void test_place_text(void **state)
{
	static const struct {
		struct place at;
		const char *text;
	} rows[] = {
		{{"a.cfg", 3, 14}, "a.cfg:3:14"}, {{"a.cfg", 3, 0}, "a.cfg:3"},
		{{"a.cfg", 0, 14}, "a.cfg"},	  {{NULL, 3, 14}, "?"},
		{{"%s", 1, 1}, "%s:1:1"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_strbuf_ struct strbuf b = {0};

		assert_string_equal(place_text(&rows[i].at, &b), rows[i].text);
		assert_int_equal(strbuf_error(&b), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_other_types),
		cmocka_unit_test(test_place_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
